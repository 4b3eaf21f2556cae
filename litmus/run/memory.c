/* Memory of the kinds that a plan names: buffers, shared virtual memory, the host's own [CL 5.6.1]. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

int lt_memory_kind(const cJSON *location)
{
    static const char *const kinds[] = {
        [LT_IN_BUFFER] = "buffer",       [LT_IN_COARSE] = "svm_coarse", [LT_IN_FINE] = "svm_fine",
        [LT_IN_ATOMICS] = "svm_atomics", [LT_IN_SYSTEM] = "svm_system", [LT_IN_HOST] = "host"};
    const cJSON *kind = cJSON_GetObjectItem(location, "kind");
    if (!kind)
        return LT_IN_BUFFER;
    for (int i = 0; cJSON_IsString(kind) && i <= LT_IN_HOST; i++)
        if (strcmp(kind->valuestring, kinds[i]) == 0)
            return i;
    return -1;
}

static bool of_host(enum lt_memory_kind kind)
{
    return kind == LT_IN_HOST || kind == LT_IN_SYSTEM;
}

void *lt_memory_take(cl_context context, enum lt_memory_kind kind, size_t bytes)
{
    cl_svm_mem_flags flags = CL_MEM_READ_WRITE;
    flags |= kind == LT_IN_FINE || kind == LT_IN_ATOMICS ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0;
    flags |= kind == LT_IN_ATOMICS ? CL_MEM_SVM_ATOMICS : 0;
    return of_host(kind) ? aligned_alloc(64, (bytes + 63) / 64 * 64) : clSVMAlloc(context, flags, bytes, 0);
}

void lt_memory_drop(cl_context context, enum lt_memory_kind kind, void *memory)
{
    if (of_host(kind))
        free(memory);
    else if (memory)
        clSVMFree(context, memory);
}

unsigned char *lt_initial_bytes(const cJSON *initial, unsigned size)
{
    const cJSON *item;
    unsigned char *bytes = calloc((size_t)cJSON_GetArraySize(initial) + 1, size), *at = bytes;
    cJSON_ArrayForEach(item, initial)
    {
        int64_t v = lt_json_value(item);
        if (at)
            memcpy(at, &v, size);
        at += at ? size : 0;
    }
    return bytes;
}
