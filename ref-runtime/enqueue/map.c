/* Mapping, unmapping and migrating memory objects [CL 5.2.4, 5.5.2-5.5.4]. */
#include "interp/fault.h"
#include "ref-runtime/check/host_guard.h"
#include "ref-runtime/enqueue/command_buffer.h"
#include "ref-runtime/memory/image.h"

#include <string.h>

/* ---- mappings, under rt_lock ---- */

static bool regions_meet(const struct rt_region *a, const struct rt_region *b)
{
    for (int d = 0; d < 3; d++)
        if (a->origin[d] >= b->origin[d] + b->size[d] || b->origin[d] >= a->origin[d] + a->size[d])
            return false;
    return a->level == b->level;
}

/* True if two mappings share bytes: a buffer shares them with its sub-buffers and its one-dimensional
 * images. */
static bool mappings_meet(const struct rt_mapping *a, const struct rt_mapping *b)
{
    return a->mem == b->mem ? regions_meet(&a->region, &b->region) : a->begin < b->end && b->begin < a->end;
}

/* True if MAPPING, for writing, overlaps another region mapped for writing, which is an error
 * [CL 5.2.4, 5.5.2]. */
static bool write_overlaps(const struct rt_mapping *mapping, const struct rt_mem *root)
{
    const cl_map_flags write = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    for (const struct rt_mapping *m = root->mappings; (mapping->flags & write) && m; m = m->next)
        if ((m->flags & write) && mappings_meet(mapping, m))
            return true;
    return false;
}

/* Under rt_lock. */
static void link_mapping(struct rt_mapping *mapping)
{
    struct rt_mem *root = rt_mem_root(mapping->mem);
    mapping->next = root->mappings;
    root->mappings = mapping;
    mapping->mem->map_count++;
}

static cl_int add_mapping(const struct rt_map *map, void *pointer)
{
    struct rt_mem *root = rt_mem_root(map->mem);
    struct rt_mapping *mapping = mm_alloc_zero(1, sizeof *mapping);
    if (!mapping)
        return CL_OUT_OF_HOST_MEMORY;
    mapping->mem = map->mem;
    mapping->pointer = pointer;
    mapping->flags = map->flags;
    mapping->region = map->region;
    if (map->bytes[1] == 1 && map->bytes[2] == 1) {
        mapping->begin = rt_mem_offset(map->mem) + map->layout.origin;
        mapping->end = mapping->begin + map->bytes[0];
    }
    mm_mutex_lock(&rt_lock);
    bool overlaps = write_overlaps(mapping, root);
    if (!overlaps)
        link_mapping(mapping);
    mm_mutex_unlock(&rt_lock);
    if (overlaps)
        mm_free(mapping);
    return overlaps ? CL_INVALID_OPERATION : CL_SUCCESS;
}

/* Takes the latest mapping of MEM at POINTER out of the list; NULL if there is none. */
static struct rt_mapping *take_mapping(struct rt_mem *mem, const void *pointer)
{
    mm_mutex_lock(&rt_lock);
    struct rt_mapping **at = &rt_mem_root(mem)->mappings;
    while (*at && !((*at)->mem == mem && (*at)->pointer == pointer))
        at = &(*at)->next;
    struct rt_mapping *taken = *at;
    if (taken) {
        *at = taken->next;
        mem->map_count--;
    }
    mm_mutex_unlock(&rt_lock);
    return taken;
}

void rt_mapping_free_all(struct rt_mem *mem)
{
    struct rt_mapping *freed = NULL;
    mm_mutex_lock(&rt_lock);
    for (struct rt_mapping **at = &rt_mem_root(mem)->mappings; *at;) {
        struct rt_mapping *mapping = *at;
        if (mapping->mem == mem) {
            *at = mapping->next;
            mapping->next = freed;
            freed = mapping;
        } else {
            at = &mapping->next;
        }
    }
    mm_mutex_unlock(&rt_lock);
    while (freed) {
        struct rt_mapping *mapping = freed;
        freed = mapping->next;
        mm_free(mapping);
    }
}

/* ---- map ---- */

void rt_mem_layout(const struct rt_mem *mem, const struct rt_region *region, struct rt_layout *layout,
                   size_t bytes[3])
{
    struct rt_level level = {.layout_row = mem->size, .layout_slice = mem->size};
    const size_t *origin = region->origin;
    size_t element = mem->image ? mem->image->element_size : 1;
    if (mem->image)
        rt_image_level(mem->image, region->level, &level);
    layout->row_pitch = level.layout_row;
    layout->slice_pitch = level.layout_slice;
    layout->origin =
        level.begin + origin[0] * element + origin[1] * level.layout_row + origin[2] * level.layout_slice;
    bytes[0] = region->size[0] * element;
    bytes[1] = region->size[1];
    bytes[2] = region->size[2];
}

/* Calls ROW for the byte ranges of the region in the root, neighbors joined. */
static bool each_row(struct rt_command *command, const struct rt_map *m,
                     bool (*row)(struct rt_command *, const struct rt_map *, size_t begin, size_t end))
{
    size_t base = rt_mem_offset(m->mem) + m->layout.origin, begin = base, end = base;
    for (size_t z = 0; z < m->bytes[2]; z++) {
        for (size_t y = 0; y < m->bytes[1]; y++) {
            size_t at = base + z * m->layout.slice_pitch + y * m->layout.row_pitch;
            if (at != end) {
                if (!row(command, m, begin, end))
                    return false;
                begin = at;
            }
            end = at + m->bytes[0];
        }
    }
    return row(command, m, begin, end);
}

static void record_map(const struct rt_command *command, enum mm_kind kind, const struct rt_map *m,
                       size_t begin, size_t end)
{
    struct rt_mem *root = rt_mem_root(m->mem);
    uint32_t allocation = rt_storage_allocation(root, rt_storage_map_place(root));
    if (kind == MM_MAP || kind == MM_UNMAP) {
        rt_record_map(command, kind,
                      &(struct rt_mapped_range){.allocation = allocation,
                                                .offset = begin,
                                                .size = end - begin,
                                                .object = rt_mem_offset(m->mem),
                                                .object_size = m->mem->size,
                                                .flags = m->flags});
    } else {
        rt_record_access(command, kind, allocation, begin, end - begin, NULL);
    }
}

static bool map_writes(const struct rt_map *m)
{
    return m->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
}

/* The host's accesses through the map are not observed: records them at its begin and its end
 * [CL 3.3.6 H24; 5.5.3 R1]. */
static void record_host(const struct rt_command *command, const struct rt_map *m, size_t begin, size_t end)
{
    if (m->flags & CL_MAP_READ)
        record_map(command, MM_READ, m, begin, end);
    if (map_writes(m))
        record_map(command, MM_WRITE, m, begin, end);
}

static bool map_row(struct rt_command *command, const struct rt_map *m, size_t begin, size_t end)
{
    struct rt_mem *root = rt_mem_root(m->mem);
    if (!(m->flags & CL_MAP_WRITE_INVALIDATE_REGION) && !IN_FAULTY(MAP_STALE) &&
        !rt_storage_update(command, root, begin, end, rt_storage_map_place(root)))
        return false;
    record_map(command, MM_MAP, m, begin, end);
    record_host(command, m, begin, end);
    return true;
}

/* The error of a map without memory: CL_MAP_FAILURE if the view for the host cannot be allocated, unless the
 * application requested host memory at creation; otherwise the object's storage is missing
 * [CL 5.2.4 E7, E9]. */
static cl_int map_failure(struct rt_mem *mem)
{
    struct rt_mem *root = rt_mem_root(mem);
    bool is_view = rt_storage_map_place(root) == RT_HOST_VIEW;
    bool asked = root->flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR);
    return is_view && !asked ? CL_MAP_FAILURE : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

static cl_int run_map(struct rt_command *command)
{
    const struct rt_map *m = (void *)command->payload;
    if (!each_row(command, m, map_row))
        return map_failure(m->mem);
    if (rt_guard_on())
        rt_guard_mapped(rt_storage_map_pointer(m->mem, m->layout.origin));
    return CL_SUCCESS;
}

static bool map_flags_valid(cl_map_flags flags)
{
    return !(flags & ~(cl_map_flags)(CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) &&
           !((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE)));
}

static cl_int check_map(const struct rt_map *map)
{
    cl_map_flags flags = map->flags;
    cl_mem_flags access = map->mem->flags;
    if (!map_flags_valid(flags))
        return CL_INVALID_VALUE;
    if (((flags & CL_MAP_READ) && (access & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS))) ||
        ((flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) &&
         (access & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_IMMUTABLE_EXT))))
        return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}

/* With REFCL_CHECK=api: makes the mapped bytes accessible to the host. */
static void guard_map(const struct rt_map *m, const void *pointer)
{
    if (rt_guard_on()) {
        rt_guard_map(pointer,
                     (m->bytes[2] - 1) * m->layout.slice_pitch + (m->bytes[1] - 1) * m->layout.row_pitch +
                         m->bytes[0],
                     m->flags);
    }
}

static void unguard_map(const void *pointer)
{
    if (rt_guard_on())
        rt_guard_unmap(pointer);
}

void *rt_enqueue_map(const struct rt_submission *s, cl_command_type type, const struct rt_map *map,
                     cl_int *errcode_ret)
{
    static const struct rt_operation operation = {.start = run_map};
    cl_int error = check_map(map);
    if (error)
        return rt_null(errcode_ret, error);
    unsigned char *pointer = rt_storage_map_pointer(map->mem, map->layout.origin);
    if (!pointer)
        return rt_null(errcode_ret, map_failure(map->mem));
    struct rt_command *command = rt_command_create(s->queue, type, s->name, &operation, sizeof *map);
    if (!command)
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    rt_command_hold(command, map->mem);
    memcpy(command->payload, map, sizeof *map);
    error = add_mapping(map, pointer);
    if (error) {
        rt_command_discard(command);
        return rt_null(errcode_ret, error);
    }
    guard_map(map, pointer);
    error = rt_submit(s, command);
    if (error) {
        mm_free(take_mapping(map->mem, pointer));
        unguard_map(pointer);
        return rt_null(errcode_ret, error);
    }
    rt_null(errcode_ret, CL_SUCCESS);
    return pointer;
}

void *CL_API_CALL rt_clEnqueueMapBuffer(cl_command_queue handle, cl_mem buffer, cl_bool blocking,
                                        cl_map_flags flags, size_t offset, size_t size, cl_uint count,
                                        const cl_event *list, cl_event *event, cl_int *errcode_ret)
{
    struct rt_submission s = {
        .name = "clEnqueueMapBuffer", .count = count, .list = list, .event = event, .blocking = blocking};
    struct rt_mem *mem;
    cl_int error = rt_submission_begin(&s, handle);
    error = error ? error : rt_enqueue_buffer(s.queue, buffer, &mem);
    if (!error && (size == 0 || rt_check_range(mem, offset, size)))
        error = CL_INVALID_VALUE;
    if (error)
        return rt_null(errcode_ret, error);
    struct rt_map map = {.mem = mem, .region = {.origin = {offset}, .size = {size, 1, 1}}, .flags = flags};
    rt_mem_layout(mem, &map.region, &map.layout, map.bytes);
    return rt_enqueue_map(&s, CL_COMMAND_MAP_BUFFER, &map, errcode_ret);
}

/* ---- unmap ---- */

static bool unmap_row(struct rt_command *command, const struct rt_map *m, size_t begin, size_t end)
{
    struct rt_mem *root = rt_mem_root(m->mem);
    record_map(command, MM_UNMAP, m, begin, end);
    record_host(command, m, begin, end);
    if (!map_writes(m) || IN_FAULTY(UNMAP_LOST))
        return true;
    int device = rt_context_device_index(m->mem->context, command->queue->device);
    return rt_storage_written(root, begin, end, rt_storage_map_place(root)) &&
           rt_storage_update(command, root, begin, end, device);
}

static cl_int run_unmap(struct rt_command *command)
{
    return each_row(command, (void *)command->payload, unmap_row) ? CL_SUCCESS
                                                                  : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

cl_int CL_API_CALL rt_clEnqueueUnmapMemObject(cl_command_queue handle, cl_mem memobj, void *pointer,
                                              cl_uint count, const cl_event *list, cl_event *event)
{
    static const struct rt_operation operation = {.start = run_unmap};
    struct rt_queue *queue = rt_host_queue(handle);
    if (!queue)
        return CL_INVALID_COMMAND_QUEUE;
    struct rt_mem *mem = rt_mem(memobj);
    if (!mem || mem->mem_type == CL_MEM_OBJECT_PIPE)
        return CL_INVALID_MEM_OBJECT;
    cl_int error = rt_check_wait_list(queue->context, count, list);
    if (error || mem->context != queue->context)
        return error ? error : CL_INVALID_CONTEXT;
    struct rt_command *command = rt_command_create(
        queue, CL_COMMAND_UNMAP_MEM_OBJECT, "clEnqueueUnmapMemObject", &operation, sizeof(struct rt_map));
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    struct rt_mapping *mapping = take_mapping(mem, pointer);
    if (!mapping) {
        rt_command_discard(command);
        return CL_INVALID_VALUE;
    }
    rt_command_hold(command, mem);
    struct rt_map *map = (void *)command->payload;
    *map = (struct rt_map){.mem = mem, .flags = mapping->flags};
    rt_mem_layout(mem, &mapping->region, &map->layout, map->bytes);
    error = rt_command_enqueue(command, count, list, event, false);
    if (error) {
        mm_mutex_lock(&rt_lock);
        link_mapping(mapping);
        mm_mutex_unlock(&rt_lock);
        return error;
    }
    unguard_map(pointer);
    mm_free(mapping);
    return CL_SUCCESS;
}

/* ---- migrate ---- */

struct migration {
    cl_uint count;
    cl_mem_migration_flags flags;
    struct rt_mem *mems[];
};

/* A migration counts as a read of what it moves [CL 5.5.4 R3]; that the contents are undefined afterwards, as
 * a write of them [CL 5.5.4 R4].  What moves between devices is recorded as it moves. */
static cl_int run_migrate(struct rt_command *command)
{
    const struct migration *m = (void *)command->payload;
    const bool undefined = m->flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    for (cl_uint i = 0; i < m->count; i++) {
        struct rt_mem *mem = m->mems[i], *root = rt_mem_root(mem);
        const size_t begin = rt_mem_offset(mem), end = begin + mem->size;
        const int own = rt_context_device_index(mem->context, command->queue->device);
        const bool to_host = m->flags & CL_MIGRATE_MEM_OBJECT_HOST && !undefined;
        const int place = to_host ? rt_storage_map_place(root) : own;
        if (undefined && (mem->pipe || !rt_recorder()))
            continue;
        bool moved =
            (IN_FAULTY(MIGRATION_LOST) && !undefined) || rt_storage_update(command, root, begin, end, place);
        if (moved && (undefined || IN_FAULTY(MIGRATION_LOST)))
            moved = rt_storage_written(root, begin, end, place);
        if (!moved)
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        if (!mem->pipe && place == own)
            rt_enqueue_record(command, undefined ? MM_WRITE : MM_READ, mem, 0, mem->size, NULL);
    }
    return CL_SUCCESS;
}

static void destroy_migration(struct rt_command *command)
{
    const struct migration *m = (void *)command->payload;
    for (cl_uint i = 0; i < m->count; i++)
        rt_object_release_deferred(m->mems[i]);
}

static cl_int submit_migration(const struct rt_submission *s, cl_command_type type, cl_uint num_mem_objects,
                               const cl_mem *mem_objects, cl_mem_migration_flags flags)
{
    const cl_mem_migration_flags known =
        type == CL_COMMAND_MIGRATE_MEM_OBJECTS
            ? CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED
            : CL_MIGRATE_MEM_OBJECT_HOST_EXT;
    static const struct rt_operation operation = {.start = run_migrate, .destroy = destroy_migration};
    if (num_mem_objects == 0 || !mem_objects || (flags & ~known))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < num_mem_objects; i++) {
        const struct rt_mem *mem = rt_mem(mem_objects[i]);
        if (!mem)
            return CL_INVALID_MEM_OBJECT;
        if (mem->context != s->queue->context)
            return CL_INVALID_CONTEXT;
    }
    struct rt_command *command =
        rt_command_create(s->queue, type, s->name, &operation,
                          sizeof(struct migration) + num_mem_objects * sizeof(struct rt_mem *));
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    struct migration *m = (void *)command->payload;
    m->flags = flags;
    for (; m->count < num_mem_objects; m->count++) {
        m->mems[m->count] = rt_mem(mem_objects[m->count]);
        rt_object_retain(m->mems[m->count]);
    }
    return rt_submit(s, command);
}

RT_ENQUEUE(MigrateMemObjects,
           (cl_uint num_mem_objects, const cl_mem *mem_objects, cl_mem_migration_flags flags),
           submit_migration(&s, CL_COMMAND_MIGRATE_MEM_OBJECTS, num_mem_objects, mem_objects, flags))

RT_ENQUEUE(MigrateMemObjectEXT,
           (cl_uint num_mem_objects, const cl_mem *mem_objects, cl_mem_migration_flags_ext flags),
           submit_migration(&s, CL_COMMAND_MIGRATE_MEM_OBJECT_EXT, num_mem_objects, mem_objects, flags))
