/* Shared virtual memory allocations [CL 5.6].  All of it is host memory that the devices share, so that
 * what a kernel writes, and nothing else, is there at once [CL 3.3.6 H20-H22], also for the host's atomics,
 * whose types are the same [CL 3.3.6 A20-A22]. */
#include "memmodel/trace/fixed.h"
#include "ref-runtime/check/api_check.h"
#include "ref-runtime/check/host_guard.h"
#include "ref-runtime/device.h"
#include "ref-runtime/memory/memory.h"
#include "ref-runtime/record/replay.h"

#include <string.h>

static struct mm_mutex list_lock = MM_MUTEX;

struct rt_svm *rt_svm_find(const struct rt_context *context, const void *pointer)
{
    const struct in_object *object = rt_index_find((uint64_t)(uintptr_t)pointer);
    if (!object || object->origin < MM_ORIGIN_COARSE_SVM || object->origin > MM_ORIGIN_FINE_SVM_ATOMICS)
        return NULL;
    struct rt_svm *svm = (struct rt_svm *)(uintptr_t)((const char *)object - offsetof(struct rt_svm, object));
    return !context || svm->context == context ? svm : NULL;
}

void rt_svm_map_note(const struct rt_svm_map *map)
{
    struct rt_svm *svm = rt_svm_find(NULL, map->pointer);
    struct rt_svm_map *copy = svm ? mm_alloc(sizeof *copy) : NULL;
    if (!copy)
        return;
    *copy = *map;
    copy->next = NULL;
    mm_mutex_lock(&list_lock);
    struct rt_svm_map **end = &svm->maps;
    while (*end)
        end = &(*end)->next;
    *end = copy;
    mm_mutex_unlock(&list_lock);
}

struct rt_svm_map rt_svm_map_take(const void *pointer)
{
    struct rt_svm_map taken = {.pointer = pointer};
    struct rt_svm *svm = rt_svm_find(NULL, pointer);
    mm_mutex_lock(&list_lock);
    struct rt_svm_map **at = svm ? &svm->maps : NULL, *map = NULL;
    while (at && *at && (*at)->pointer != pointer)
        at = &(*at)->next;
    if (at && (map = *at)) {
        taken = *map;
        *at = map->next;
    }
    mm_mutex_unlock(&list_lock);
    mm_free(map);
    return taken;
}

bool rt_svm_is_mapped(const struct rt_context *context)
{
    bool mapped = false;
    mm_mutex_lock(&list_lock);
    for (const struct rt_svm *svm = context->svm; svm && !mapped; svm = svm->next)
        mapped = svm->maps != NULL;
    mm_mutex_unlock(&list_lock);
    return mapped;
}

bool rt_svm_all(const struct rt_context *context, bool (*function)(struct rt_svm *svm))
{
    bool all = true;
    mm_mutex_lock(&list_lock);
    for (struct rt_svm *svm = context->svm; svm && all; svm = svm->next)
        all = function(svm);
    mm_mutex_unlock(&list_lock);
    return all;
}

static bool flags_valid(cl_svm_mem_flags flags)
{
    cl_svm_mem_flags access = flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY);
    const cl_svm_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY |
                                   CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    return !(flags & ~known) && !(access & (access - 1)) &&
           (!(flags & CL_MEM_SVM_ATOMICS) || (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER));
}

static bool is_guarded(const struct rt_svm *svm)
{
    return rt_guard_svm_on() && !(svm->flags & CL_MEM_SVM_FINE_GRAIN_BUFFER);
}

/* NULL: the address is in use. */
static void *allocate_at(const struct rt_svm *svm, uint64_t address)
{
    void *data = mm_fixed_map(address, svm->size);
    if (!data || !is_guarded(svm))
        return data;
    void *guarded = rt_guard_alloc(data, svm->size, true, svm->name);
    if (!guarded)
        mm_fixed_unmap(data, svm->size);
    return guarded;
}

static bool allocate_svm(struct rt_svm *svm)
{
    static atomic_uint numbers;
    svm->number = atomic_fetch_add(&numbers, 1) + 1;
    snprintf(svm->name, sizeof svm->name, "svm %u", svm->number);
    uint64_t address = rt_replay_on() && !mm_guard_on() ? mm_fixed_next(svm->size) : 0;
    svm->data = address ? allocate_at(svm, address) : NULL;
    svm->fixed = svm->data != NULL;
    if (!svm->data)
        svm->data = is_guarded(svm) ? rt_guard_alloc(NULL, svm->size, true, svm->name)
                                    : mm_aligned_alloc(svm->size, RT_MAX_ALIGN);
    return svm->data != NULL;
}

static void free_svm(const struct rt_svm *svm)
{
    if (is_guarded(svm))
        rt_guard_free(svm->data);
    else if (svm->fixed)
        mm_fixed_unmap(svm->data, svm->size);
    else
        mm_aligned_free(svm->data);
}

static void destroy_svm(void *data)
{
    struct rt_svm *svm = data;
    rt_record_free(svm->object.id, svm->size);
    free_svm(svm);
    for (struct rt_svm_map *map = svm->maps, *next; map; map = next) {
        next = map->next;
        mm_free(map);
    }
    mm_free(svm);
}

static bool register_svm(struct rt_svm *svm)
{
    unsigned number = svm->number;
    uint8_t origin = !(svm->flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) ? MM_ORIGIN_COARSE_SVM
                     : svm->flags & CL_MEM_SVM_ATOMICS            ? MM_ORIGIN_FINE_SVM_ATOMICS
                                                                  : MM_ORIGIN_FINE_SVM;
    struct mm_allocation allocation = {.region = MM_GLOBAL,
                                       .origin = origin,
                                       .device = -1,
                                       .address = (uint64_t)(uintptr_t)svm->data,
                                       .size = svm->size,
                                       .flags = svm->flags,
                                       .name = svm->name};
    uint32_t id = rt_record_allocation(&allocation);
    svm->object = (struct in_object){.address = allocation.address,
                                     .size = svm->size,
                                     .id = id ? id : number,
                                     .region = MM_GLOBAL,
                                     .origin = origin,
                                     .read_only = (svm->flags & CL_MEM_READ_ONLY) != 0,
                                     .write_only = (svm->flags & CL_MEM_WRITE_ONLY) != 0,
                                     .name = svm->name};
    return rt_index_insert(&svm->object);
}

/* SIZE must be within the limits of every device [CL 5.6.1 R101]. */
void *CL_API_CALL rt_clSVMAlloc(cl_context handle, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    struct rt_context *context = rt_context(handle);
    if (rt_context_error(context) || !flags_valid(flags) || size == 0 ||
        size > rt_context_max_alloc(context, true) || (alignment & (alignment - 1)) ||
        alignment > RT_MAX_ALIGN)
        return NULL;
    cl_device_svm_capabilities some = rt_context_svm(context, false), every = rt_context_svm(context, true);
    if (!some || ((flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) && !(every & CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) ||
        ((flags & CL_MEM_SVM_ATOMICS) && !(every & CL_DEVICE_SVM_ATOMICS)))
        return NULL;
    struct rt_svm *svm = mm_alloc_zero(1, sizeof *svm);
    if (!svm)
        return NULL;
    svm->context = context;
    svm->size = size;
    svm->flags = flags;
    if (!allocate_svm(svm)) {
        mm_free(svm);
        return NULL;
    }
    if (!register_svm(svm)) {
        destroy_svm(svm);
        return NULL;
    }
    mm_mutex_lock(&list_lock);
    svm->next = context->svm;
    if (svm->next)
        svm->next->previous = svm;
    context->svm = svm;
    mm_mutex_unlock(&list_lock);
    return svm->data;
}

/* Keeps memory and record until all current commands have completed, even if the application frees it too
 * early. */
void rt_svm_release(struct rt_svm *svm)
{
    mm_mutex_lock(&list_lock);
    *(svm->previous ? &svm->previous->next : &svm->context->svm) = svm->next;
    if (svm->next)
        svm->next->previous = svm->previous;
    mm_mutex_unlock(&list_lock);
    rt_index_remove(&svm->object);
    rt_instrumented_host_use(false);
    rt_sched_when_over(destroy_svm, svm);
}

void rt_svm_free_all(struct rt_context *context)
{
    while (context->svm) {
        if (rt_api_checked())
            rt_api_note_svm(context->svm, "before its context ends");
        rt_svm_release(context->svm);
    }
}

/* Anything that is not the start of an allocation of the context is ignored, null pointers included.  The
 * call waits for no command: it is recorded as a write of all of the memory by the host, so that commands
 * that may still use it race [CL 5.6.1]. */
void CL_API_CALL rt_clSVMFree(cl_context handle, void *pointer)
{
    struct rt_context *context = rt_context(handle);
    struct rt_svm *svm = context && pointer ? rt_svm_find(context, pointer) : NULL;
    if (!svm || svm->data != pointer)
        return;
    rt_record_plain_call("clSVMFree", NULL, 0);
    rt_record_host_write(svm->object.id, svm->size, "clSVMFree");
    rt_instrumented_host_use(rt_recorder() != NULL);
    rt_svm_release(svm);
}
