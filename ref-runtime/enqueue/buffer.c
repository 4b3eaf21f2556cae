/* Reading, writing, copying and filling buffers [CL 5.2.2, 5.2.3]. */
#include "ref-runtime/check/fault.h"
#include "ref-runtime/enqueue/command_buffer.h"
#include "ref-runtime/record/replay.h"

#include <string.h>

/* ---- shared ---- */

struct rt_queue *rt_host_queue(cl_command_queue handle)
{
    struct rt_queue *queue = rt_queue(handle);
    return queue && !(queue->flags & CL_QUEUE_ON_DEVICE) ? queue : NULL;
}

cl_int rt_enqueue_begin(cl_command_queue handle, cl_uint count, const cl_event *list, struct rt_queue **queue)
{
    *queue = rt_host_queue(handle);
    return *queue ? rt_check_wait_list((*queue)->context, count, list) : CL_INVALID_COMMAND_QUEUE;
}

cl_int rt_submission_begin(struct rt_submission *s, cl_command_queue handle)
{
    return rt_enqueue_begin(handle, s->count, s->list, &s->queue);
}

cl_int rt_submit(const struct rt_submission *s, struct rt_command *command)
{
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    return s->buffer ? rt_command_buffer_add(s, command)
                     : rt_command_enqueue(command, s->count, s->list, s->event, s->blocking);
}

cl_int rt_enqueue_buffer(const struct rt_queue *queue, cl_mem handle, struct rt_mem **mem)
{
    *mem = rt_mem(handle);
    if (!*mem || (*mem)->mem_type != CL_MEM_OBJECT_BUFFER)
        return CL_INVALID_MEM_OBJECT;
    if ((*mem)->context != queue->context)
        return CL_INVALID_CONTEXT;
    return rt_check_alignment(*mem, queue->device);
}

cl_int rt_check_alignment(const struct rt_mem *mem, const struct rt_device *device)
{
    return mem->mem_type == CL_MEM_OBJECT_BUFFER && mem->offset % device->limits.alignment
               ? CL_MISALIGNED_SUB_BUFFER_OFFSET
               : CL_SUCCESS;
}

cl_int rt_check_range(const struct rt_mem *mem, size_t offset, size_t size)
{
    return offset > mem->size || size > mem->size - offset ? CL_INVALID_VALUE : CL_SUCCESS;
}

cl_int rt_check_mutable(const struct rt_mem *mem)
{
    return mem->flags & CL_MEM_IMMUTABLE_EXT ? CL_INVALID_OPERATION : CL_SUCCESS;
}

static int place_of(const struct rt_command *command)
{
    return rt_context_device_index(command->queue->context, command->queue->device);
}

unsigned char *rt_enqueue_bytes(const struct rt_command *command, struct rt_mem *mem, size_t offset,
                                size_t size)
{
    struct rt_mem *root = rt_mem_root(mem);
    size_t begin = rt_mem_offset(mem) + offset;
    int place = place_of(command);
    unsigned char *data = rt_storage(root, place);
    return data && rt_storage_update(command, root, begin, begin + size, place) ? data + begin : NULL;
}

bool rt_enqueue_written(const struct rt_command *command, struct rt_mem *mem, size_t offset, size_t size)
{
    size_t begin = rt_mem_offset(mem) + offset;
    return rt_storage_written(rt_mem_root(mem), begin, begin + size, place_of(command));
}

void rt_enqueue_record(const struct rt_command *command, enum mm_kind kind, struct rt_mem *mem, size_t offset,
                       size_t size, const void *data)
{
    if (rt_recorder()) {
        struct rt_mem *root = rt_mem_root(mem);
        uint64_t begin = rt_mem_offset(mem) + offset;
        const struct in_object *svm =
            root->shared ? rt_index_find((uint64_t)(uintptr_t)root->host_ptr) : NULL;
        if (svm)
            begin += (uint64_t)(uintptr_t)root->host_ptr - svm->address;
        rt_record_access(command, kind, rt_storage_allocation(root, place_of(command)), begin, size, data);
    }
}

/* Records an access to memory of the host; mapped coarse-grained SVM counts as such memory. */
void rt_enqueue_record_host(const struct rt_command *command, enum mm_kind kind, const void *host,
                            size_t size)
{
    const struct rt_svm *svm = rt_recorder() ? rt_svm_find(NULL, host) : NULL;
    if (svm && kind == MM_WRITE)
        rt_replay_svm_changed(host, size);
    if (svm && (svm->flags & CL_MEM_SVM_FINE_GRAIN_BUFFER)) {
        rt_record_access(command, kind, svm->object.id, (uint64_t)((const unsigned char *)host - svm->data),
                         size, host);
    } else {
        rt_record_host_memory(command, kind, host, size);
    }
}

/* ---- read and write ---- */

struct transfer {
    struct rt_mem *mem;
    size_t offset, size;
    void *host;
};

static cl_int run_read(struct rt_command *command)
{
    const struct transfer *t = (void *)command->payload;
    const unsigned char *data = rt_enqueue_bytes(command, t->mem, t->offset, t->size);
    if (!data)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    rt_enqueue_record(command, MM_READ, t->mem, t->offset, t->size, data);
    memmove(t->host, data, IN_FAULTY(READ_PARTIAL) ? rt_fault_partial(t->size) : t->size);
    rt_enqueue_record_host(command, MM_WRITE, t->host, t->size);
    return CL_SUCCESS;
}

static cl_int run_write(struct rt_command *command)
{
    const struct transfer *t = (void *)command->payload;
    unsigned char *data = rt_enqueue_bytes(command, t->mem, t->offset, t->size);
    if (!data || !rt_enqueue_written(command, t->mem, t->offset, t->size))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    rt_enqueue_record_host(command, MM_READ, t->host, t->size);
    memmove(data, t->host, IN_FAULTY(WRITE_PARTIAL) ? rt_fault_partial(t->size) : t->size);
    rt_enqueue_record(command, MM_WRITE, t->mem, t->offset, t->size, data);
    return CL_SUCCESS;
}

static cl_int transfer_buffer(struct rt_submission *s, cl_command_queue handle, cl_mem buffer,
                              struct transfer t, bool write)
{
    static const struct rt_operation read_operation = {.start = run_read},
                                     write_operation = {.start = run_write};
    const cl_mem_flags forbidden =
        CL_MEM_HOST_NO_ACCESS |
        (write ? CL_MEM_HOST_READ_ONLY | CL_MEM_IMMUTABLE_EXT : CL_MEM_HOST_WRITE_ONLY);
    cl_int error = rt_submission_begin(s, handle);
    error = error ? error : rt_enqueue_buffer(s->queue, buffer, &t.mem);
    error = error ? error : !t.host ? CL_INVALID_VALUE : rt_check_range(t.mem, t.offset, t.size);
    if (!error && (t.mem->flags & forbidden))
        error = CL_INVALID_OPERATION;
    if (error)
        return error;
    struct rt_command *command =
        rt_command_create(s->queue, write ? CL_COMMAND_WRITE_BUFFER : CL_COMMAND_READ_BUFFER, s->name,
                          write ? &write_operation : &read_operation, sizeof t);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    rt_command_hold(command, t.mem);
    *(struct transfer *)(void *)command->payload = t;
    return rt_submit(s, command);
}

cl_int CL_API_CALL rt_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                          size_t offset, size_t size, void *ptr, cl_uint count,
                                          const cl_event *list, cl_event *event)
{
    struct rt_submission s = {
        .name = "clEnqueueReadBuffer", .count = count, .list = list, .event = event, .blocking = blocking};
    return transfer_buffer(&s, queue, buffer, (struct transfer){NULL, offset, size, ptr}, false);
}

cl_int CL_API_CALL rt_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                           size_t offset, size_t size, const void *ptr, cl_uint count,
                                           const cl_event *list, cl_event *event)
{
    struct rt_submission s = {
        .name = "clEnqueueWriteBuffer", .count = count, .list = list, .event = event, .blocking = blocking};
    return transfer_buffer(&s, queue, buffer, (struct transfer){NULL, offset, size, (void *)(uintptr_t)ptr},
                           true);
}

/* ---- copy ---- */

struct copy {
    struct rt_mem *source, *target;
    size_t source_offset, target_offset, size;
};

static cl_int run_copy(struct rt_command *command)
{
    const struct copy *c = (void *)command->payload;
    const unsigned char *from = rt_enqueue_bytes(command, c->source, c->source_offset, c->size);
    unsigned char *to = rt_enqueue_bytes(command, c->target, c->target_offset, c->size);
    if (!from || !to || !rt_enqueue_written(command, c->target, c->target_offset, c->size))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    rt_enqueue_record(command, MM_READ, c->source, c->source_offset, c->size, from);
    memcpy(to, from, IN_FAULTY(COPY_PARTIAL) ? rt_fault_partial(c->size) : c->size);
    rt_enqueue_record(command, MM_WRITE, c->target, c->target_offset, c->size, to);
    return CL_SUCCESS;
}

/* Overlap counts within one buffer and between sub-buffers of one buffer. */
static bool ranges_overlap(struct rt_mem *a, size_t a_offset, struct rt_mem *b, size_t b_offset, size_t size)
{
    size_t first = rt_mem_offset(a) + a_offset, second = rt_mem_offset(b) + b_offset;
    return rt_mem_root(a) == rt_mem_root(b) && first < second + size && second < first + size;
}

static cl_int submit_copy(const struct rt_submission *s, cl_mem source_handle, cl_mem target_handle,
                          size_t source_offset, size_t target_offset, size_t size)
{
    static const struct rt_operation operation = {.start = run_copy};
    struct rt_mem *source, *target;
    cl_int error = rt_enqueue_buffer(s->queue, source_handle, &source);
    error = error ? error : rt_enqueue_buffer(s->queue, target_handle, &target);
    error = error ? error : rt_check_range(source, source_offset, size);
    error = error ? error : rt_check_range(target, target_offset, size);
    if (!error && ranges_overlap(source, source_offset, target, target_offset, size))
        error = CL_MEM_COPY_OVERLAP;
    error = error ? error : rt_check_mutable(target);
    if (error)
        return error;
    struct rt_command *command =
        rt_command_create(s->queue, CL_COMMAND_COPY_BUFFER, s->name, &operation, sizeof(struct copy));
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    rt_command_hold(command, source);
    rt_command_hold(command, target);
    *(struct copy *)(void *)command->payload =
        (struct copy){source, target, source_offset, target_offset, size};
    return rt_submit(s, command);
}

RT_ENQUEUE_AND_RECORD(CopyBuffer,
                      (cl_mem source, cl_mem target, size_t source_offset, size_t target_offset, size_t size),
                      submit_copy(&s, source, target, source_offset, target_offset, size))

/* ---- fill ---- */

struct fill {
    struct rt_mem *mem;
    size_t offset, size, pattern_size;
    unsigned char pattern[128];
};

void rt_fill(unsigned char *to, size_t size, const unsigned char *pattern, size_t pattern_size)
{
    enum { BLOCK = 4096 }; /* repeats the pattern: long copies are fast */
    size_t most = BLOCK / pattern_size * pattern_size, part = pattern_size;
    size -= size % pattern_size;
    if (size > 0)
        memcpy(to, pattern, pattern_size);
    for (size_t done = pattern_size; done < size; done += part) {
        part = done < most ? done : most;
        part = part < size - done ? part : size - done;
        memcpy(to + done, to, part);
    }
}

static cl_int run_fill(struct rt_command *command)
{
    const struct fill *f = (void *)command->payload;
    unsigned char *data = rt_enqueue_bytes(command, f->mem, f->offset, f->size);
    if (!data || !rt_enqueue_written(command, f->mem, f->offset, f->size))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    size_t size = IN_FAULTY(FILL_PARTIAL) ? rt_fault_partial(f->size) : f->size;
    rt_fill(data, size, f->pattern, f->pattern_size);
    rt_enqueue_record(command, MM_WRITE, f->mem, f->offset, f->size, data);
    return CL_SUCCESS;
}

static cl_int submit_fill(const struct rt_submission *s, cl_mem buffer, const void *pattern,
                          size_t pattern_size, size_t offset, size_t size)
{
    static const struct rt_operation operation = {.start = run_fill};
    struct rt_mem *mem;
    cl_int error = rt_enqueue_buffer(s->queue, buffer, &mem);
    if (error)
        return error;
    if (!pattern || pattern_size == 0 || pattern_size > 128 || (pattern_size & (pattern_size - 1)) ||
        offset % pattern_size || size % pattern_size || offset > mem->size || size > mem->size - offset)
        return CL_INVALID_VALUE;
    error = rt_check_mutable(mem);
    if (error)
        return error;
    struct rt_command *command =
        rt_command_create(s->queue, CL_COMMAND_FILL_BUFFER, s->name, &operation, sizeof(struct fill));
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    rt_command_hold(command, mem);
    struct fill *f = (void *)command->payload;
    *f = (struct fill){.mem = mem, .offset = offset, .size = size, .pattern_size = pattern_size};
    memcpy(f->pattern, pattern, pattern_size);
    return rt_submit(s, command);
}

RT_ENQUEUE_AND_RECORD(FillBuffer,
                      (cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset, size_t size),
                      submit_fill(&s, buffer, pattern, pattern_size, offset, size))
