/* Mapping, unmapping and migrating memory objects [CL 5.2.4, 5.5.2-5.5.4]. */
#include "ref-runtime/enqueue.h"

#include <string.h>

/* ---- mappings, under rt_lock ---- */

static bool add_mapping(struct rt_mem *mem, void *pointer, size_t offset, size_t size, cl_map_flags flags)
{
    struct rt_mapping *mapping = mm_alloc(sizeof(*mapping));
    if (!mapping) {
        return false;
    }
    pthread_mutex_lock(&rt_lock);
    *mapping = (struct rt_mapping){mem->mappings, pointer, offset, size, flags};
    mem->mappings = mapping;
    mem->map_count++;
    pthread_mutex_unlock(&rt_lock);
    return true;
}

/* Regions mapped for writing do not overlap [CL 5.2.4]. */
static bool write_overlaps(struct rt_mem *mem, size_t offset, size_t size, cl_map_flags flags)
{
    const cl_map_flags write = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    bool found = false;
    pthread_mutex_lock(&rt_lock);
    for (const struct rt_mapping *m = mem->mappings; (flags & write) && m; m = m->next) {
        found = found || ((m->flags & write) && offset < m->offset + m->size && m->offset < offset + size);
    }
    pthread_mutex_unlock(&rt_lock);
    return found;
}

/* Takes the latest mapping of MEM at POINTER out of the list. */
static bool take_mapping(struct rt_mem *mem, const void *pointer, struct rt_mapping *taken)
{
    bool found = false;
    pthread_mutex_lock(&rt_lock);
    for (struct rt_mapping **at = &mem->mappings; *at && !found; at = &(*at)->next) {
        if ((*at)->pointer == pointer) {
            struct rt_mapping *mapping = *at;
            *taken = *mapping;
            *at = mapping->next;
            mm_free(mapping);
            mem->map_count--;
            found = true;
            break;
        }
    }
    pthread_mutex_unlock(&rt_lock);
    return found;
}

void rt_mapping_free_all(struct rt_mem *mem)
{
    while (mem->mappings) {
        struct rt_mapping *mapping = mem->mappings;
        mem->mappings = mapping->next;
        mm_free(mapping);
    }
}

/* ---- map ---- */

struct map {
    struct rt_mem *mem;
    size_t offset, size;
    cl_map_flags flags;
};

static void record_map(const struct rt_command *command, enum mm_kind kind, const struct map *m)
{
    struct rt_mem *root = rt_mem_root(m->mem);
    rt_record_access(command, kind, rt_storage_allocation(root, rt_storage_map_place(root)),
                     rt_mem_offset(m->mem) + m->offset, m->size, NULL);
}

static cl_int run_map(struct rt_command *command)
{
    const struct map *m = (void *)command->payload;
    struct rt_mem *root = rt_mem_root(m->mem);
    size_t begin = rt_mem_offset(m->mem) + m->offset;
    if (!(m->flags & CL_MAP_WRITE_INVALIDATE_REGION) &&
        !rt_storage_update(command, root, begin, begin + m->size, rt_storage_map_place(root))) {
        return CL_MAP_FAILURE;
    }
    record_map(command, MM_MAP, m);
    return CL_SUCCESS;
}

static bool map_flags_valid(cl_map_flags flags)
{
    return !(flags & ~(cl_map_flags)(CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) &&
           !((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE)));
}

static cl_int check_map(struct rt_mem *mem, cl_map_flags flags, size_t offset, size_t size)
{
    if (!map_flags_valid(flags) || size == 0 || rt_check_range(mem, offset, size)) {
        return CL_INVALID_VALUE;
    }
    if (((flags & CL_MAP_READ) && (mem->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS))) ||
        ((flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) &&
         (mem->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)))) {
        return CL_INVALID_OPERATION;
    }
    return write_overlaps(mem, offset, size, flags) ? CL_INVALID_OPERATION : CL_SUCCESS;
}

void *CL_API_CALL rt_clEnqueueMapBuffer(cl_command_queue handle, cl_mem buffer, cl_bool blocking,
                                        cl_map_flags flags, size_t offset, size_t size, cl_uint count,
                                        const cl_event *list, cl_event *event, cl_int *errcode_ret)
{
    static const struct rt_operation operation = {.start = run_map};
    struct rt_queue *queue;
    struct rt_mem *mem;
    cl_int error = rt_enqueue_begin(handle, count, list, &queue);
    error = error ? error : rt_enqueue_buffer(queue, buffer, &mem);
    error = error ? error : check_map(mem, flags, offset, size);
    if (error) {
        return rt_null(errcode_ret, error);
    }
    unsigned char *pointer = rt_storage_map_pointer(mem, offset);
    if (!pointer) {
        return rt_null(errcode_ret, CL_MAP_FAILURE);
    }
    struct rt_command *command =
        rt_command_create(queue, CL_COMMAND_MAP_BUFFER, "clEnqueueMapBuffer", &operation, sizeof(struct map));
    if (!command) {
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    rt_command_hold(command, mem);
    *(struct map *)(void *)command->payload = (struct map){mem, offset, size, flags};
    if (!add_mapping(mem, pointer, offset, size, flags)) {
        rt_command_discard(command);
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    error = rt_command_enqueue(command, count, list, event, blocking);
    if (error) {
        struct rt_mapping taken;
        take_mapping(mem, pointer, &taken);
        return rt_null(errcode_ret, error);
    }
    rt_null(errcode_ret, CL_SUCCESS);
    return pointer;
}

/* ---- unmap ---- */

static cl_int run_unmap(struct rt_command *command)
{
    const struct map *m = (void *)command->payload;
    struct rt_mem *root = rt_mem_root(m->mem);
    size_t begin = rt_mem_offset(m->mem) + m->offset;
    record_map(command, MM_UNMAP, m);
    if (m->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) {
        record_map(command, MM_WRITE, m); /* what the host wrote, which nobody saw [CL 3.3.6 H24] */
        int device = rt_context_device_index(m->mem->context, command->queue->device);
        if (!rt_storage_written(root, begin, begin + m->size, rt_storage_map_place(root)) ||
            !rt_storage_update(command, root, begin, begin + m->size, device)) {
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        }
    }
    return CL_SUCCESS;
}

cl_int CL_API_CALL rt_clEnqueueUnmapMemObject(cl_command_queue handle, cl_mem memobj, void *pointer,
                                              cl_uint count, const cl_event *list, cl_event *event)
{
    static const struct rt_operation operation = {.start = run_unmap};
    struct rt_queue *queue = rt_queue(handle);
    if (!queue) {
        return CL_INVALID_COMMAND_QUEUE;
    }
    struct rt_mem *mem = rt_mem(memobj);
    if (!mem) {
        return CL_INVALID_MEM_OBJECT;
    }
    cl_int error = rt_check_wait_list(queue->context, count, list);
    if (error || mem->context != queue->context) {
        return error ? error : CL_INVALID_CONTEXT;
    }
    struct rt_mapping mapping;
    if (!take_mapping(mem, pointer, &mapping)) {
        return CL_INVALID_VALUE;
    }
    struct rt_command *command = rt_command_create(queue, CL_COMMAND_UNMAP_MEM_OBJECT,
                                                   "clEnqueueUnmapMemObject", &operation, sizeof(struct map));
    if (!command) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    rt_command_hold(command, mem);
    *(struct map *)(void *)command->payload = (struct map){mem, mapping.offset, mapping.size, mapping.flags};
    return rt_command_enqueue(command, count, list, event, false);
}

/* ---- migrate ---- */

struct migration {
    cl_uint count;
    cl_mem_migration_flags flags;
    struct rt_mem *mems[];
};

static cl_int run_migrate(struct rt_command *command)
{
    const struct migration *m = (void *)command->payload;
    if (m->flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) {
        return CL_SUCCESS;
    }
    for (cl_uint i = 0; i < m->count; i++) {
        struct rt_mem *mem = m->mems[i], *root = rt_mem_root(mem);
        size_t begin = rt_mem_offset(mem);
        int place = m->flags & CL_MIGRATE_MEM_OBJECT_HOST
                        ? rt_storage_map_place(root)
                        : rt_context_device_index(mem->context, command->queue->device);
        if (!rt_storage_update(command, root, begin, begin + mem->size, place)) {
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        }
    }
    return CL_SUCCESS;
}

static void destroy_migration(struct rt_command *command)
{
    const struct migration *m = (void *)command->payload;
    for (cl_uint i = 0; i < m->count; i++) {
        rt_object_release_deferred(m->mems[i]);
    }
}

cl_int CL_API_CALL rt_clEnqueueMigrateMemObjects(cl_command_queue handle, cl_uint num_mem_objects,
                                                 const cl_mem *mem_objects, cl_mem_migration_flags flags,
                                                 cl_uint count, const cl_event *list, cl_event *event)
{
    static const struct rt_operation operation = {.start = run_migrate, .destroy = destroy_migration};
    const cl_mem_migration_flags known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    struct rt_queue *queue;
    cl_int error = rt_enqueue_begin(handle, count, list, &queue);
    if (error) {
        return error;
    }
    if (num_mem_objects == 0 || !mem_objects || (flags & ~known)) {
        return CL_INVALID_VALUE;
    }
    for (cl_uint i = 0; i < num_mem_objects; i++) {
        const struct rt_mem *mem = rt_mem(mem_objects[i]);
        if (!mem) {
            return CL_INVALID_MEM_OBJECT;
        }
        if (mem->context != queue->context) {
            return CL_INVALID_CONTEXT;
        }
    }
    struct rt_command *command =
        rt_command_create(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, "clEnqueueMigrateMemObjects", &operation,
                          sizeof(struct migration) + num_mem_objects * sizeof(struct rt_mem *));
    if (!command) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    struct migration *m = (void *)command->payload;
    m->flags = flags;
    for (; m->count < num_mem_objects; m->count++) {
        m->mems[m->count] = rt_mem(mem_objects[m->count]);
        rt_object_retain(m->mems[m->count]);
    }
    return rt_command_enqueue(command, count, list, event, false);
}
