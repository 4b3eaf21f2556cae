/* Asynchronous copies of the work-group, as interp/exec/copy.c performs them. [CLC 6.15.11] */
#include <stdint.h>
#include <string.h>

void in_jit_async_copy(uint8_t *to, const uint8_t *from, uint64_t count, uint64_t stride, uint64_t size,
                       uint32_t to_local, uint64_t item);

/* COUNT elements of SIZE bytes for the first work-item; of those in global memory, every STRIDE-th (0 is
 * 1). */
void in_jit_async_copy(uint8_t *to, const uint8_t *from, uint64_t count, uint64_t stride, uint64_t size,
                       uint32_t to_local, uint64_t item)
{
    uint64_t step = size * (stride == 0 ? 1 : stride);
    if (item != 0)
        return;
    if (stride <= 1) {
        memmove(to, from, size * count);
        return;
    }
    for (uint64_t k = 0; k < count; k++)
        memmove(to + k * (to_local ? size : step), from + k * (to_local ? step : size), size);
}
