/* Storage of memory objects: a copy on every device of the context and, where the host can map the object, a
 * view for the host.  Data moves between these places only when a command needs it; for each range of bytes
 * (struct rt_segment) the places that have the latest contents are known [CL 3.3.1, 5.5.4].
 *
 * A context with one device has no separate host view, so that a map costs nothing, unless the application's
 * own memory is the view (CL_MEM_USE_HOST_PTR) or REFCL_MEMORY=literal. */
#include "interp/fault.h"
#include "memmodel/base/array.h"
#include "ref-runtime/check/host_guard.h"
#include "ref-runtime/memory/external.h"
#include "ref-runtime/record/replay.h"
#include "ref-runtime/setting.h"

#include <string.h>

static struct mm_mutex lock = MM_MUTEX; /* allocation of storage */

struct rt_mem *rt_mem_root(struct rt_mem *mem)
{
    while (mem->parent)
        mem = mem->parent;
    return mem;
}

size_t rt_mem_offset(const struct rt_mem *mem)
{
    size_t offset = 0;
    for (; mem->parent; mem = mem->parent)
        offset += mem->offset;
    return offset;
}

/* ---- settings ---- */

static struct mm_once once = MM_ONCE;
static bool literal, unified, logged, uninitialized;

static void read_settings(void)
{
    literal = rt_setting_has(RT_SET_MEMORY, "literal");
    unified = rt_setting_has(RT_SET_BUFFERS, "unified");
    logged = rt_setting_has(RT_SET_DEBUG, "memory");
    uninitialized = rt_setting_has(RT_SET_CHECK, "uninitialized");
}

/* REFCL_DEBUG=memory: allocations and transfers as they happen, on standard error. */
static void log_transfer(const struct rt_mem *root, const char *what, size_t begin, size_t end, int from,
                         int to)
{
    if (logged) {
        char names[2][16];
        for (int i = 0; i < 2; i++) {
            int place = i ? to : from;
            snprintf(names[i], sizeof names[i], place == RT_HOST_VIEW ? "host" : "device %d", place);
        }
        fprintf(stderr, "refcl: memory: %s %s [%zu, %zu)%s%s on %s\n", root->name, what, begin, end,
                from == to ? "" : " from ", from == to ? "" : names[0], names[1]);
    }
}

static bool separate_view(const struct rt_mem *root)
{
    mm_once(&once, read_settings);
    return !unified &&
           (root->context->device_count > 1 || (root->flags & CL_MEM_USE_HOST_PTR) || literal ||
            rt_guard_on() || IN_FAULTY(MAP_STALE) || IN_FAULTY(UNMAP_LOST) || IN_FAULTY(MIGRATION_LOST));
}

/* The place whose storage PLACE uses: the first device's, or the application's, with
 * REFCL_BUFFERS=unified. */
static int real_place(int place)
{
    mm_once(&once, read_settings);
    return unified ? 0 : place;
}

bool rt_storage_untracked(struct rt_mem *mem)
{
    const struct rt_mem *root = rt_mem_root(mem);
    return !rt_recorder() && (root->shared || (!separate_view(root) && !uninitialized));
}

int rt_storage_map_place(const struct rt_mem *root)
{
    return separate_view(root) && !root->shared ? RT_HOST_VIEW : 0;
}

static uint8_t region_of(const struct rt_mem *mem)
{
    return mem->image ? MM_IMAGE : mem->pipe ? MM_PIPE : MM_GLOBAL;
}

static uint32_t record_copy(const struct rt_mem *root, int device, const void *data)
{
    struct mm_allocation allocation = {.object = root->base.number,
                                       .region = region_of(root),
                                       .origin = device < 0 ? MM_ORIGIN_HOST : MM_ORIGIN_BUFFER,
                                       .device = (int16_t)device,
                                       .address = (uint64_t)(uintptr_t)data,
                                       .size = root->size,
                                       .flags = root->flags,
                                       .name = root->name};
    return rt_record_allocation(&allocation);
}

static unsigned char *allocate_copy(struct rt_mem *root, int place)
{
    struct rt_copy *copy = &root->copies[place];
    if (!copy->data) {
        bool given = unified && (root->flags & CL_MEM_USE_HOST_PTR);
        unsigned char *data = given ? root->host_ptr : mm_aligned_alloc(root->size, RT_MAX_ALIGN);
        if (!data)
            return NULL;
        uint32_t id = record_copy(root, root->context->devices[place]->index, data);
        copy->object = (struct in_object){.address = (uint64_t)(uintptr_t)data,
                                          .size = root->size,
                                          .id = id ? id : root->base.number,
                                          .region = region_of(root),
                                          .origin = MM_ORIGIN_BUFFER,
                                          .read_only = (root->flags & RT_MEM_CONSTANT) != 0,
                                          .write_only = (root->flags & CL_MEM_WRITE_ONLY) != 0,
                                          .name = root->name};
        if (uninitialized && !given && region_of(root) == MM_GLOBAL &&
            (copy->object.unwritten = mm_alloc(root->size)))
            memset(copy->object.unwritten, 1, root->size);
        if (!rt_index_insert(&copy->object)) {
            mm_aligned_free(given ? NULL : data);
            mm_free(copy->object.unwritten);
            return NULL;
        }
        __atomic_store_n(&copy->data, data, __ATOMIC_RELEASE);
        log_transfer(root, "allocated", 0, root->size, place, place);
    }
    return copy->data;
}

static unsigned char *allocate_view(struct rt_mem *root)
{
    if (!root->host_view) {
        root->host_view = root->flags & CL_MEM_USE_HOST_PTR ? root->host_ptr
                          : rt_guard_on() ? rt_guard_alloc(NULL, root->size, false, root->name)
                                          : mm_aligned_alloc(root->size, RT_MAX_ALIGN);
        root->host_view_id = root->host_view ? record_copy(root, -1, root->host_view) : 0;
    }
    return root->host_view;
}

unsigned char *rt_storage(struct rt_mem *root, int place)
{
    if (root->shared)
        return root->host_ptr;
    place = real_place(place);
    unsigned char *data =
        place == RT_HOST_VIEW ? NULL : __atomic_load_n(&root->copies[place].data, __ATOMIC_ACQUIRE);
    if (data)
        return data;
    mm_mutex_lock(&lock);
    data = place == RT_HOST_VIEW ? allocate_view(root) : allocate_copy(root, place);
    mm_mutex_unlock(&lock);
    return data;
}

uint32_t rt_storage_allocation(const struct rt_mem *root, int place)
{
    if (root->shared) {
        const struct in_object *object = rt_index_find((uint64_t)(uintptr_t)root->host_ptr);
        return object ? object->id : 0;
    }
    place = real_place(place);
    return place == RT_HOST_VIEW ? root->host_view_id : root->copies[place].object.id;
}

unsigned char *rt_storage_map_pointer(struct rt_mem *mem, size_t offset)
{
    struct rt_mem *root = rt_mem_root(mem);
    unsigned char *data = rt_storage(root, rt_storage_map_place(root));
    return data ? data + rt_mem_offset(mem) + offset : NULL;
}

void rt_storage_destroy(struct rt_mem *root)
{
    for (cl_uint i = 0; i < root->context->device_count; i++) {
        struct rt_copy *copy = &root->copies[i];
        if (copy->data) {
            rt_index_remove(&copy->object);
            log_transfer(root, "freed", 0, root->size, (int)i, (int)i);
            rt_record_free(copy->object.id, root->size);
            mm_free(copy->object.unwritten);
            mm_aligned_free(copy->data == root->host_ptr ? NULL : copy->data);
        }
    }
    if (root->host_view && !(root->flags & CL_MEM_USE_HOST_PTR)) {
        rt_record_free(root->host_view_id, root->size);
        if (rt_guard_on())
            rt_guard_free(root->host_view);
        else
            mm_aligned_free(root->host_view);
    }
    mm_free(root->segments);
}

/* ---- versions ---- */

/* Splits segments so that one begins at AT; returns its index, SIZE_MAX without memory. */
static size_t split_segment(struct rt_mem *root, size_t at)
{
    size_t i = 0, end = root->segment_count; /* I is the first segment that ends after AT */
    while (i < end) {
        size_t middle = i + (end - i) / 2;
        if (root->segments[middle].end <= at)
            i = middle + 1;
        else
            end = middle;
    }
    if (i == root->segment_count || root->segments[i].begin == at)
        return i;
    if (!mm_reserve(&root->segments, &root->segment_capacity, root->segment_count + 1))
        return SIZE_MAX;
    memmove(root->segments + i + 1, root->segments + i, (root->segment_count - i) * sizeof *root->segments);
    root->segment_count++;
    root->segments[i].end = at;
    root->segments[i + 1].begin = at;
    return i + 1;
}

static bool split_range(struct rt_mem *root, size_t begin, size_t end, size_t *first, size_t *last)
{
    if (!root->segments) {
        root->segments = mm_alloc_zero(4, sizeof *root->segments);
        if (!root->segments)
            return false;
        root->segment_capacity = 4;
        root->segment_count = 1;
        root->segments[0] = (struct rt_segment){0, root->size, 0};
    }
    *first = split_segment(root, begin);
    *last = *first == SIZE_MAX ? SIZE_MAX : split_segment(root, end);
    return *last != SIZE_MAX;
}

/* Merges those of the segments FIRST to LAST - 1, and of their neighbors, that are adjacent and have the same
 * state. */
static void merge_segments(struct rt_mem *root, size_t first, size_t last)
{
    size_t kept = first > 0 ? first - 1 : 0, end = last < root->segment_count ? last + 1 : last;
    for (size_t i = kept + 1; i < end; i++)
        if (root->segments[i].valid == root->segments[kept].valid)
            root->segments[kept].end = root->segments[i].end;
        else
            root->segments[++kept] = root->segments[i];
    if (++kept >= end)
        return;
    memmove(root->segments + kept, root->segments + end,
            (root->segment_count - end) * sizeof *root->segments);
    root->segment_count -= end - kept;
}

/* Whether ROOT has one place, or is one segment of which the place with BIT has the latest contents: usual
 * between launches. */
static bool is_latest(const struct rt_mem *root, uint32_t bit)
{
    return !separate_view(root) || (root->segment_count == 1 && (root->segments[0].valid & bit));
}

/* Marks bytes of the storage at PLACE as initialized for kernels. */
static void mark_initialized(struct rt_mem *root, size_t begin, size_t end, int place)
{
    unsigned char *unwritten = place == RT_HOST_VIEW ? NULL : root->copies[place].object.unwritten;
    if (unwritten)
        memset(unwritten + begin, 0, end - begin);
}

/* Commands other than launches wrote bytes of the storage at PLACE. */
static void mark_written(struct rt_mem *root, size_t begin, size_t end, int place)
{
    if (place != RT_HOST_VIEW)
        rt_replay_changed(&root->copies[place].recorded, begin, end);
    mark_initialized(root, begin, end, place);
}

/* True if source or target of a copy is guarded from the host. */
static bool is_guarded(const struct rt_mem *root, int from, int to)
{
    return rt_guard_on() && (from == RT_HOST_VIEW || to == RT_HOST_VIEW) &&
           !(root->flags & CL_MEM_USE_HOST_PTR);
}

static bool copy_segment(const struct rt_command *command, struct rt_mem *root,
                         const struct rt_segment *segment, int to)
{
    int from = 0;
    while (!(segment->valid >> from & 1))
        from++;
    const unsigned char *source = rt_storage(root, from);
    unsigned char *target = rt_storage(root, to);
    if (!source || !target)
        return false;
    size_t size = segment->end - segment->begin;
    const unsigned char *bytes = source + segment->begin;
    if (is_guarded(root, from, to))
        rt_guard_begin(root->host_view);
    rt_record_transfer(command, MM_READ, rt_storage_allocation(root, from), segment->begin, size, bytes);
    log_transfer(root, "copied", segment->begin, segment->end, from, to);
    memcpy(target + segment->begin, bytes, size);
    mark_written(root, segment->begin, segment->end, to);
    rt_record_transfer(command, MM_WRITE, rt_storage_allocation(root, to), segment->begin, size, bytes);
    if (is_guarded(root, from, to))
        rt_guard_end(root->host_view);
    return true;
}

bool rt_storage_update(const struct rt_command *command, struct rt_mem *root, size_t begin, size_t end,
                       int place)
{
    if (root->external && command && rt_command_inherited(command))
        return false;
    if (root->external)
        rt_external_used(root);
    if (root->shared)
        return true;
    size_t first, last;
    place = real_place(place);
    if (!rt_storage(root, place))
        return false;
    if (is_latest(root, UINT32_C(1) << place))
        return true;
    if (!split_range(root, begin, end, &first, &last))
        return false;
    for (size_t i = first; i < last; i++) {
        struct rt_segment *segment = &root->segments[i];
        uint32_t bit = UINT32_C(1) << place;
        if (segment->valid && !(segment->valid & bit) && !copy_segment(command, root, segment, place))
            return false;
        segment->valid |= bit;
    }
    merge_segments(root, first, last);
    return true;
}

/* Marks PLACE as the only one with the latest contents. */
static bool set_latest(struct rt_mem *root, size_t begin, size_t end, int place)
{
    size_t first, last;
    if (!separate_view(root) || (root->segment_count == 1 && root->segments[0].valid == UINT32_C(1) << place))
        return true;
    if (!split_range(root, begin, end, &first, &last))
        return false;
    for (size_t i = first; i < last; i++)
        root->segments[i].valid = UINT32_C(1) << place;
    merge_segments(root, first, last);
    return true;
}

bool rt_storage_written(struct rt_mem *root, size_t begin, size_t end, int place)
{
    if (root->shared) {
        rt_replay_all_changed();
        return true;
    }
    place = real_place(place);
    mark_written(root, begin, end, place);
    return set_latest(root, begin, end, place);
}

/* ---- for kernels ---- */

bool rt_mem_on_device(struct rt_mem *mem, const struct rt_device *device, bool writes, uint64_t *address,
                      const struct in_object **object)
{
    struct rt_mem *root = rt_mem_root(mem);
    int place = real_place(rt_context_device_index(mem->context, device));
    size_t begin = rt_mem_offset(mem), end = begin + mem->size;
    unsigned char *data = place < 0 ? NULL : rt_storage(root, place);
    if (!data || !rt_storage_update(NULL, root, begin, end, place) ||
        (writes && !root->shared && !set_latest(root, begin, end, place)))
        return false;
    if (mem->image) /* the bytes that image writes change are not tracked */
        mark_initialized(root, begin, end, place);
    *address = (uint64_t)(uintptr_t)(data + begin);
    struct in_object *own = &mem->copies[place].object;
    if (mem != root || root->shared) {
        const struct in_object *whole = root->shared ? rt_index_find(*address) : &root->copies[place].object;
        *own = (struct in_object){
            .address = *address,
            .size = mem->size,
            .id = whole ? whole->id : mem->base.number,
            .region =
                whole ? whole->region : region_of(root), /* of an image made from a buffer: the buffer's */
            .origin = (uint8_t)(root->shared && whole ? whole->origin : MM_ORIGIN_SUB_BUFFER),
            .read_only = (mem->flags & RT_MEM_CONSTANT) != 0,
            .write_only = (mem->flags & CL_MEM_WRITE_ONLY) != 0,
            .name = mem->name,
            .offset = whole ? *address - whole->address : 0,
            .unwritten = whole && whole->unwritten ? whole->unwritten + (*address - whole->address) : NULL};
    }
    *object = own;
    return true;
}
