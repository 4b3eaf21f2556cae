/* Commands on shared virtual memory [CL 5.6.1]. */
#include "ref-runtime/check/fault.h"
#include "ref-runtime/check/host_guard.h"
#include "ref-runtime/device.h"
#include "ref-runtime/enqueue/command_buffer.h"
#include "ref-runtime/record/replay.h"

#include <string.h>

/* Memory that a command accesses: SVM or memory of the host.  The allocation is determined at creation of the
 * command, since an unordered command may free it before this one runs. */
struct svm_place {
    void *pointer;
    uint32_t allocation; /* 0: memory of the host */
    uint64_t offset;
};

static struct svm_place place_of(const void *pointer)
{
    const struct rt_svm *svm = rt_svm_find(NULL, pointer);
    struct svm_place place = {.pointer = (void *)(uintptr_t)pointer};
    if (svm) {
        place.allocation = svm->object.id;
        place.offset = (uint64_t)((const unsigned char *)pointer - svm->data);
    }
    return place;
}

/* Records an access to SIZE bytes. */
static void record_svm_access(const struct rt_command *command, enum mm_kind kind, const struct svm_place *at,
                              size_t size)
{
    if (kind == MM_WRITE)
        rt_replay_svm_changed(at->pointer, size);
    if (at->allocation)
        rt_record_access(command, kind, at->allocation, at->offset, size, at->pointer);
    else
        rt_record_host_memory(command, kind, at->pointer, size);
}

/* Checks of every SVM command; CL_INVALID_OPERATION on devices without SVM. */
static cl_int begin_svm_command(cl_command_queue handle, cl_uint count, const cl_event *list,
                                struct rt_queue **queue)
{
    cl_int error = rt_enqueue_begin(handle, count, list, queue);
    return error ? error : (*queue)->device->limits.svm == 0 ? CL_INVALID_OPERATION : CL_SUCCESS;
}

/* ---- free ---- */

struct svm_free {
    void(CL_CALLBACK *function)(cl_command_queue, cl_uint, void **, void *);
    void *data;
    cl_uint count;
    void *pointers[];
};

/* Runs the application's function on the callback thread; the command completes when the function returns. */
static void call_free_function(void *data)
{
    struct rt_command *command = data;
    struct svm_free *f = (void *)command->payload;
    rt_record_function(command);
    f->function((cl_command_queue)command->queue, f->count, f->pointers, f->data);
    rt_record_returned(command);
    rt_sched_complete(command, CL_SUCCESS);
}

static cl_int run_free(struct rt_command *command)
{
    struct svm_free *f = (void *)command->payload;
    if (f->function)
        return rt_callback_post(call_free_function, command) ? RT_PENDING : CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < f->count; i++) {
        struct rt_svm *svm = rt_svm_find(command->queue->context, f->pointers[i]);
        if (!svm || svm->data != f->pointers[i])
            continue;
        rt_record_released(command, svm->object.id, svm->size); /* no other command may use it [CL 5.6.1] */
        rt_svm_release(svm);
    }
    return CL_SUCCESS;
}

cl_int CL_API_CALL rt_clEnqueueSVMFree(cl_command_queue handle, cl_uint num_svm_pointers,
                                       void *svm_pointers[],
                                       void(CL_CALLBACK *pfn_free)(cl_command_queue, cl_uint, void *[],
                                                                   void *),
                                       void *user_data, cl_uint count, const cl_event *list, cl_event *event)
{
    static const struct rt_operation operation = {.start = run_free};
    struct rt_queue *queue;
    cl_int error = begin_svm_command(handle, count, list, &queue);
    if (error)
        return error;
    if ((num_svm_pointers == 0) != (!svm_pointers))
        return CL_INVALID_VALUE;
    struct rt_command *command =
        rt_command_create(queue, CL_COMMAND_SVM_FREE, "clEnqueueSVMFree", &operation,
                          sizeof(struct svm_free) + num_svm_pointers * sizeof(void *));
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    struct svm_free *f = (void *)command->payload;
    f->function = pfn_free;
    if (pfn_free)
        rt_instrumented_callback();
    f->data = user_data;
    f->count = num_svm_pointers;
    for (cl_uint i = 0; i < num_svm_pointers; i++)
        f->pointers[i] = svm_pointers[i];
    return rt_command_enqueue(command, count, list, event, false);
}

/* ---- copy and fill ---- */

struct svm_copy {
    struct svm_place to, from;
    size_t size, pattern_size;
    unsigned char pattern[128];
};

static cl_int run_copy(struct rt_command *command)
{
    const struct svm_copy *c = (void *)command->payload;
    record_svm_access(command, MM_READ, &c->from, c->size);
    memcpy(c->to.pointer, c->from.pointer, IN_FAULTY(SVM_COPY_PARTIAL) ? rt_fault_partial(c->size) : c->size);
    record_svm_access(command, MM_WRITE, &c->to, c->size);
    return CL_SUCCESS;
}

static cl_int run_fill(struct rt_command *command)
{
    const struct svm_copy *c = (void *)command->payload;
    rt_fill(c->to.pointer, c->size, c->pattern, c->pattern_size);
    record_svm_access(command, MM_WRITE, &c->to, c->size);
    return CL_SUCCESS;
}

/* A range that begins in SVM of the context stays in its allocation; others are the host's own memory. */
static bool range_valid(const struct rt_queue *queue, const void *pointer, size_t size)
{
    const struct rt_svm *svm = rt_svm_find(queue->context, pointer);
    return !svm || size <= svm->size - (size_t)((const unsigned char *)pointer - svm->data);
}

static cl_int submit_copy(const struct rt_submission *s, void *to, const void *from, size_t size)
{
    static const struct rt_operation operation = {.start = run_copy};
    if (!s->queue->device->limits.svm)
        return CL_INVALID_OPERATION;
    if (!to || !from || !range_valid(s->queue, to, size) || !range_valid(s->queue, from, size))
        return CL_INVALID_VALUE;
    uintptr_t a = (uintptr_t)to, b = (uintptr_t)from;
    if (a < b + size && b < a + size)
        return CL_MEM_COPY_OVERLAP;
    struct rt_command *command =
        rt_command_create(s->queue, CL_COMMAND_SVM_MEMCPY, s->name, &operation, sizeof(struct svm_copy));
    if (command)
        *(struct svm_copy *)(void *)command->payload =
            (struct svm_copy){.to = place_of(to), .from = place_of(from), .size = size};
    return rt_submit(s, command);
}

static cl_int submit_fill(const struct rt_submission *s, void *to, const void *pattern, size_t pattern_size,
                          size_t size)
{
    static const struct rt_operation operation = {.start = run_fill};
    if (!s->queue->device->limits.svm)
        return CL_INVALID_OPERATION;
    if (!pattern || pattern_size == 0 || pattern_size > 128 || (pattern_size & (pattern_size - 1)) ||
        size % pattern_size || !to || (uintptr_t)to % pattern_size || !range_valid(s->queue, to, size))
        return CL_INVALID_VALUE;
    struct rt_command *command =
        rt_command_create(s->queue, CL_COMMAND_SVM_MEMFILL, s->name, &operation, sizeof(struct svm_copy));
    if (command) {
        struct svm_copy *c = (void *)command->payload;
        *c = (struct svm_copy){.to = place_of(to), .size = size, .pattern_size = pattern_size};
        memcpy(c->pattern, pattern, pattern_size);
    }
    return rt_submit(s, command);
}

cl_int CL_API_CALL rt_clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *to, const void *from,
                                         size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
    struct rt_submission s = {
        .name = "clEnqueueSVMMemcpy", .count = count, .list = list, .event = event, .blocking = blocking};
    cl_int error = rt_submission_begin(&s, queue);
    return error ? error : submit_copy(&s, to, from, size);
}

RT_RECORD(SVMMemcpy, (void *to, const void *from, size_t size), submit_copy(&s, to, from, size))

RT_ENQUEUE_AND_RECORD(SVMMemFill, (void *to, const void *pattern, size_t pattern_size, size_t size),
                      submit_fill(&s, to, pattern, pattern_size, size))

/* ---- map, unmap, migrate: the memory is shared, nothing moves ---- */

/* Commands may use fine-grained SVM at any time. */
static void record_map(const struct rt_command *command, enum mm_kind kind, const struct rt_svm_map *r)
{
    const struct rt_svm *svm = rt_recorder() ? rt_svm_find(NULL, r->pointer) : NULL;
    if (svm)
        rt_record_map(
            command, kind,
            &(struct rt_mapped_range){.allocation = svm->object.id,
                                      .offset = (uint64_t)((const unsigned char *)r->pointer - svm->data),
                                      .size = r->size,
                                      .object_size = svm->size,
                                      .flags = svm->flags & CL_MEM_SVM_FINE_GRAIN_BUFFER ? 0 : r->flags});
}

static cl_int run_map(struct rt_command *command)
{
    const struct rt_svm_map *r = (void *)command->payload;
    record_map(command, MM_MAP, r);
    if (rt_guard_svm_on())
        rt_guard_mapped(r->pointer);
    if (IN_FAULTY(SVM_UNMAP_LOST))
        rt_fault_svm_map(r->pointer, r->size);
    return CL_SUCCESS;
}

static cl_int run_unmap(struct rt_command *command)
{
    const struct rt_svm_map *r = (void *)command->payload;
    if (IN_FAULTY(SVM_UNMAP_LOST))
        rt_fault_svm_unmap(r->pointer);
    record_map(command, MM_UNMAP, r);
    if (r->flags != CL_MAP_READ)
        rt_replay_svm_changed(r->pointer, r->size);
    return CL_SUCCESS;
}

cl_int CL_API_CALL rt_clEnqueueSVMMap(cl_command_queue handle, cl_bool blocking, cl_map_flags flags,
                                      void *pointer, size_t size, cl_uint count, const cl_event *list,
                                      cl_event *event)
{
    static const struct rt_operation operation = {.start = run_map};
    struct rt_queue *queue;
    cl_int error = begin_svm_command(handle, count, list, &queue);
    if (error)
        return error;
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    if (!pointer || size == 0 || (flags & ~known) ||
        ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE))) ||
        !range_valid(queue, pointer, size))
        return CL_INVALID_VALUE;
    struct rt_command *command = rt_command_create(queue, CL_COMMAND_SVM_MAP, "clEnqueueSVMMap", &operation,
                                                   sizeof(struct rt_svm_map));
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    if (rt_guard_svm_on())
        rt_guard_map(pointer, size, flags);
    const struct rt_svm_map map = {.pointer = pointer, .size = size, .flags = flags};
    *(struct rt_svm_map *)(void *)command->payload = map;
    if (rt_recorder())
        rt_svm_map_note(&map);
    error = rt_command_enqueue(command, count, list, event, blocking);
    if (error && rt_recorder())
        rt_svm_map_take(pointer);
    if (error && rt_guard_svm_on())
        rt_guard_unmap(pointer);
    return error;
}

cl_int CL_API_CALL rt_clEnqueueSVMUnmap(cl_command_queue handle, void *pointer, cl_uint count,
                                        const cl_event *list, cl_event *event)
{
    static const struct rt_operation operation = {.start = run_unmap};
    struct rt_queue *queue;
    cl_int error = begin_svm_command(handle, count, list, &queue);
    if (error)
        return error;
    if (!pointer)
        return CL_INVALID_VALUE;
    struct rt_command *command = rt_command_create(queue, CL_COMMAND_SVM_UNMAP, "clEnqueueSVMUnmap",
                                                   &operation, sizeof(struct rt_svm_map));
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    *(struct rt_svm_map *)(void *)command->payload = rt_svm_map_take(pointer);
    if (rt_guard_svm_on())
        rt_guard_unmap(pointer);
    return rt_command_enqueue(command, count, list, event, false);
}

struct svm_range {
    struct svm_place place;
    size_t size;
};
struct svm_migration {
    cl_mem_migration_flags flags;
    cl_uint count;
    struct svm_range ranges[];
};

/* A migration counts as a read of what it moves; that the contents are undefined afterwards, as a write of
 * them [CL 5.6.1 R39]. */
static cl_int run_migrate(struct rt_command *command)
{
    const struct svm_migration *m = (void *)command->payload;
    enum mm_kind kind = m->flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED ? MM_WRITE : MM_READ;
    for (cl_uint i = 0; i < m->count; i++)
        record_svm_access(command, kind, &m->ranges[i].place, m->ranges[i].size);
    return CL_SUCCESS;
}

/* The range at POINTER; all of the allocation if SIZE is 0. */
static struct svm_range range_to_migrate(const void *pointer, size_t size)
{
    const struct rt_svm *svm = rt_svm_find(NULL, pointer);
    struct svm_range range = {place_of(pointer), size};
    if (svm && size == 0)
        range = (struct svm_range){place_of(svm->data), svm->size};
    return range;
}

cl_int CL_API_CALL rt_clEnqueueSVMMigrateMem(cl_command_queue handle, cl_uint num_svm_pointers,
                                             const void **svm_pointers, const size_t *sizes,
                                             cl_mem_migration_flags flags, cl_uint count,
                                             const cl_event *list, cl_event *event)
{
    static const struct rt_operation operation = {.start = run_migrate};
    const cl_mem_migration_flags known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    struct rt_queue *queue;
    cl_int error = begin_svm_command(handle, count, list, &queue);
    if (error)
        return error;
    if (num_svm_pointers == 0 || !svm_pointers || (flags & ~known))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < num_svm_pointers; i++) {
        const struct rt_svm *svm = rt_svm_find(queue->context, svm_pointers[i]);
        if (!svm || (sizes && sizes[i] && !range_valid(queue, svm_pointers[i], sizes[i])))
            return CL_INVALID_VALUE;
    }
    cl_command_type type =
        rt_version() >= RT_3_0 ? CL_COMMAND_SVM_MIGRATE_MEM : CL_COMMAND_MIGRATE_MEM_OBJECTS;
    struct rt_command *command =
        rt_command_create(queue, type, "clEnqueueSVMMigrateMem", &operation,
                          sizeof(struct svm_migration) + num_svm_pointers * sizeof(struct svm_range));
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    struct svm_migration *m = (void *)command->payload;
    m->flags = flags;
    for (; m->count < num_svm_pointers; m->count++)
        m->ranges[m->count] = range_to_migrate(svm_pointers[m->count], sizes ? sizes[m->count] : 0);
    return rt_command_enqueue(command, count, list, event, false);
}
