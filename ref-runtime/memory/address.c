/* Buffers that have an address on every device, from creation to their end
 * [cl_ext_buffer_device_address 1.0.2].  An address is that of the buffer's copy on the device. */
#include "ref-runtime/device.h"
#include "ref-runtime/memory/memory.h"

static struct mm_mutex lock = MM_MUTEX;
static struct rt_mem *addressed; /* under the lock */

bool rt_address_give(struct rt_mem *mem)
{
    for (cl_uint i = 0; i < mem->context->device_count; i++)
        if (!rt_storage(mem, (int)i))
            return false;
    mm_mutex_lock(&lock);
    mem->has_address = true;
    mem->next_addressed = addressed;
    addressed = mem;
    mm_mutex_unlock(&lock);
    return true;
}

void rt_address_take(struct rt_mem *mem)
{
    mm_mutex_lock(&lock);
    struct rt_mem **at = &addressed;
    while (*at != mem)
        at = &(*at)->next_addressed;
    *at = mem->next_addressed;
    mm_mutex_unlock(&lock);
}

static uint64_t address_on(struct rt_mem *mem, int device)
{
    return (uint64_t)(uintptr_t)rt_storage(mem, device);
}

struct rt_mem *rt_address_find(const struct rt_context *context, const struct rt_device *device,
                               uint64_t address)
{
    struct rt_mem *found = NULL;
    int place = rt_context_device_index(context, device);
    mm_mutex_lock(&lock);
    for (struct rt_mem *mem = addressed; mem && !found; mem = mem->next_addressed)
        if (mem->context == context && address - address_on(mem, place) < mem->size && rt_object_hold(mem))
            found = mem;
    mm_mutex_unlock(&lock);
    return found;
}

cl_int rt_address_put(const void *object, const struct rt_info_out *out)
{
    struct rt_mem *mem = (struct rt_mem *)(uintptr_t)object;
    cl_ulong addresses[RT_MAX_DEVICES];
    if (rt_version() < RT_3_0) /* the extension is not offered */
        return CL_INVALID_VALUE;
    if (!mem->has_address)
        return CL_INVALID_OPERATION;
    for (cl_uint i = 0; i < mem->context->device_count; i++)
        addresses[i] = address_on(mem, (int)i);
    return rt_info_put(out, addresses, mem->context->device_count * sizeof *addresses);
}
