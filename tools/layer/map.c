/* Maps and unmaps.  The host's accesses to mapped memory are not observed, so the map and the unmap command
 * are recorded as accesses of the whole region, as the map's flags permit [CL 5.5.3, 5.6.1; 3.3.6 H24]. */
#include "memmodel/base/array.h"
#include "memmodel/trace/host.h"
#include "tools/layer/layer.h"

#include <string.h>

static bool map_writes(cl_map_flags flags)
{
    return flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
}

/* A range of OBJECT, an allocation or a part of it, that is mapped or unmapped. */
struct mapped_range {
    uint32_t allocation;
    uint64_t object_offset, object_size; /* in the allocation */
    uint64_t offset, size;               /* in the object */
    cl_map_flags flags;
};

static void use_range(struct ly_command *command, enum mm_kind kind, const struct mapped_range *r)
{
    uint64_t after = r->object_size - r->offset;
    struct ly_access access = {.kind = (uint8_t)kind,
                               .allocation = r->allocation,
                               .offset = r->object_offset + r->offset,
                               .size = mm_at_most_32_bits(r->size),
                               .site = mm_at_most_32_bits(r->offset),
                               .instance = mm_at_most_32_bits(after > r->size ? after - r->size : 0),
                               .semantics = map_writes(r->flags) ? MM_MAP_WRITE
                                            : r->flags           ? MM_MAP_READ
                                                                 : 0};
    ly_command_add_access(command, &access);
}

static void use_map(struct ly_command *command, enum mm_kind kind, struct ly_mem *mem,
                    const struct ly_map *map)
{
    const struct ly_box *box = &map->box;
    struct mapped_range range = {.allocation = mem->allocation,
                                 .object_offset = mem->offset,
                                 .object_size = mem->size,
                                 .size = box->rows[0],
                                 .flags = map->flags};
    uint64_t rows = box->rows[1], slices = box->rows[2];
    if (rows == 1 || box->rows[0] == box->row_pitch) { /* a slice is contiguous */
        range.size = (rows - 1) * box->row_pitch + box->rows[0];
        rows = 1;
        if (box->rows[1] * box->row_pitch == box->slice_pitch) { /* the box is */
            range.size = (slices - 1) * box->slice_pitch + range.size;
            slices = 1;
        }
    }
    for (uint64_t z = 0; z < slices; z++)
        for (uint64_t y = 0; y < rows; y++) {
            range.offset = box->offset + z * box->slice_pitch + y * box->row_pitch;
            use_range(command, kind, &range);
        }
    if (map->flags & CL_MAP_READ)
        ly_mem_access(command, MM_READ, mem, *box);
    if (map_writes(map->flags))
        ly_mem_access(command, MM_WRITE, mem, *box);
    ly_command_hold(command, mem);
}

/* Records a map whose call returned MAP->pointer.  An image's box is that of REGION from ORIGIN on, which
 * needs the lock. */
static void record_map(const struct ly_call *call, cl_mem handle, const struct ly_map *map,
                       const size_t *origin, const size_t *region)
{
    struct ly_command *command = map->pointer ? ly_call_begin(call, NULL) : NULL;
    if (!command)
        return;
    struct ly_mem *mem = ly_mem(handle);
    struct ly_map *added = mem ? mm_alloc(sizeof *added) : NULL;
    if (added) {
        *added = *map;
        if (origin)
            added->box = ly_image_region(mem, origin, region);
        added->next = mem->maps;
        mem->maps = added;
        ly_host_show(added, mem, added);
        use_map(command, MM_MAP, mem, added);
    }
    ly_call_end(command, call);
}

static void *CL_API_CALL layer_clEnqueueMapBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                                                  cl_map_flags flags, size_t offset, size_t size,
                                                  cl_uint count, const cl_event *list, cl_event *event,
                                                  cl_int *code)
{
    const struct ly_map map = {.pointer = ly_next.clEnqueueMapBuffer(queue, mem, blocking, flags, offset,
                                                                     size, count, list, event, code),
                               .box = {.offset = offset, .rows = {size, 1, 1}},
                               .flags = flags};
    record_map(&LY_CALL(.list = list, .event = event, .blocking = blocking), mem, &map, NULL, NULL);
    return map.pointer;
}
LY_EXPORT(clEnqueueMapBuffer)

static void *CL_API_CALL layer_clEnqueueMapImage(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                                                 cl_map_flags flags, const size_t *origin,
                                                 const size_t *region, size_t *row, size_t *slice,
                                                 cl_uint count, const cl_event *list, cl_event *event,
                                                 cl_int *code)
{
    void *pointer = ly_next.clEnqueueMapImage(queue, mem, blocking, flags, origin, region, row, slice, count,
                                              list, event, code);
    const struct ly_map map = {
        .pointer = pointer, .host_row = row ? *row : 0, .host_slice = slice ? *slice : 0, .flags = flags};
    record_map(&LY_CALL(.list = list, .event = event, .blocking = blocking), mem, &map, origin, region);
    return pointer;
}
LY_EXPORT(clEnqueueMapImage)

/* Removes the latest map of MEM at POINTER; COMMAND may be NULL. */
static void unmap_mem(struct ly_command *command, struct ly_mem *mem, const void *pointer)
{
    struct ly_map **at = mem ? &mem->maps : NULL;
    while (at && *at && (*at)->pointer != pointer)
        at = &(*at)->next;
    struct ly_map *map = at ? *at : NULL;
    if (!map)
        return;
    if (command)
        use_map(command, MM_UNMAP, mem, map);
    ly_host_hide(map);
    *at = map->next;
    mm_free(map);
}

static cl_int CL_API_CALL layer_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem handle, void *pointer,
                                                        cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int code = ly_next.clEnqueueUnmapMemObject(queue, handle, pointer, count, list, event);
    if (code != CL_SUCCESS)
        return code;
    const struct ly_call call = LY_CALL(.list = list, .event = event);
    ly_enter();
    struct ly_command *command = ly_command_create(&call, NULL);
    unmap_mem(command, ly_mem(handle), pointer);
    if (command)
        ly_command_submit(command, &call);
    ly_leave();
    return code;
}
LY_EXPORT(clEnqueueUnmapMemObject)

/* ---- shared virtual memory ----------------------------------------------------------------------- */

static struct svm_map {
    void *pointer;
    size_t size;
    cl_map_flags flags;
} * svm_maps;
static size_t svm_map_count;

/* Commands may access fine-grained SVM while it is mapped: such a map excludes none. */
static void use_svm(struct ly_command *command, enum mm_kind kind, const struct svm_map *map)
{
    const struct ly_svm *svm = ly_svm_find(map->pointer);
    if (svm)
        use_range(command, kind,
                  &(struct mapped_range){.allocation = svm->allocation,
                                         .object_size = svm->size,
                                         .offset = (uintptr_t)map->pointer - svm->begin,
                                         .size = map->size,
                                         .flags = svm->fine ? 0 : map->flags});
}

static void map_svm(struct ly_command *command, void *pointer, size_t size, cl_map_flags flags)
{
    const struct svm_map map = {pointer, size, flags};
    if (mm_append(&svm_maps, &svm_map_count, &map))
        use_svm(command, MM_MAP, &map);
}

static void unmap_svm(struct ly_command *command, const void *pointer)
{
    for (size_t i = svm_map_count; i-- > 0;)
        if (svm_maps[i].pointer == pointer) {
            use_svm(command, MM_UNMAP, &svm_maps[i]);
            svm_maps[i] = svm_maps[--svm_map_count];
            break;
        }
}

LY_COMMAND(clEnqueueSVMMap, ly_next.clEnqueueSVMMap, blocking,
           (cl_bool blocking, cl_map_flags flags, void *pointer, size_t size, ),
           (blocking, flags, pointer, size, ), map_svm(command, pointer, size, flags))
LY_EXPORT(clEnqueueSVMMap)

LY_COMMAND(clEnqueueSVMUnmap, ly_next.clEnqueueSVMUnmap, false, (void *pointer, ), (pointer, ),
           unmap_svm(command, pointer))
LY_EXPORT(clEnqueueSVMUnmap)

/* ---- functions of the application that commands call ---------------------------------------------- */

/* A function that the driver calls to execute a command: its calls are recorded between the command's start
 * and end
 * [CL 5.6.1, 5.9].  The driver may call it before the enqueueing call has returned. */
struct called {
    union {
        void(CL_CALLBACK *svm_free)(cl_command_queue, cl_uint, void *[], void *);
        void(CL_CALLBACK *native)(void *);
    };
    void *data;
    struct ly_command *command; /* NULL: the layer has none */
    bool submitted;             /* COMMAND is set */
};
static pthread_cond_t submitted = PTHREAD_COND_INITIALIZER;

static uint32_t enter_call(struct called *called)
{
    pthread_mutex_lock(&ly_lock);
    while (!called->submitted)
        pthread_cond_wait(&submitted, &ly_lock);
    uint32_t before = ly_thread_replace();
    if (called->command)
        ly_record_callback(called->command->began, MM_NO_EVENT);
    pthread_mutex_unlock(&ly_lock);
    ly_in_callback = true;
    return before;
}

static void leave_call(struct called *called, uint32_t before)
{
    ly_in_callback = false;
    pthread_mutex_lock(&ly_lock);
    if (called->command) {
        called->command->returned = ly_record_callback(MM_NO_EVENT, MM_NO_EVENT);
        ly_command_end(called->command);
    }
    ly_thread_restore(before);
    pthread_mutex_unlock(&ly_lock);
    mm_free(called);
}

/* Takes ownership of CALLED if the call failed; otherwise leave_call() frees it. */
static cl_int submit_called(cl_int code, struct called *called, const struct ly_call *call)
{
    if (code != CL_SUCCESS) {
        mm_free(called);
        return code;
    }
    ly_enter();
    called->command = ly_command_create(call, NULL);
    if (called->command) {
        called->command->calls_back = true;
        ly_command_submit(called->command, call);
    }
    called->submitted = true;
    pthread_cond_broadcast(&submitted);
    ly_leave();
    return code;
}

static void CL_CALLBACK call_svm_free(cl_command_queue queue, cl_uint count, void *pointers[], void *data)
{
    struct called *called = data;
    uint32_t before = enter_call(called);
    called->svm_free(queue, count, pointers, called->data);
    leave_call(called, before);
}

static cl_int CL_API_CALL layer_clEnqueueSVMFree(cl_command_queue queue, cl_uint pointers, void *list_of[],
                                                 void(CL_CALLBACK *function)(cl_command_queue, cl_uint,
                                                                             void *[], void *),
                                                 void *data, cl_uint count, const cl_event *list,
                                                 cl_event *event)
{
    const struct ly_call call = LY_CALL(.list = list, .event = event);
    struct called *called = function ? mm_alloc_zero(1, sizeof *called) : NULL;
    if (called) {
        called->svm_free = function;
        called->data = data;
        return submit_called(
            ly_next.clEnqueueSVMFree(queue, pointers, list_of, call_svm_free, called, count, list, event),
            called, &call);
    }
    cl_int code = ly_next.clEnqueueSVMFree(queue, pointers, list_of, function, data, count, list, event);
    if (code != CL_SUCCESS)
        return code;
    ly_enter();
    struct ly_command *command = ly_command_create(&call, NULL);
    for (cl_uint i = 0; i < pointers; i++) { /* the driver may reuse the addresses */
        struct ly_svm svm;
        if (ly_svm_take(list_of[i], &svm) && command) {
            const struct ly_access freed = {
                .kind = MM_WRITE, .allocation = svm.allocation, .size = svm.size, .semantics = MM_RELEASED};
            ly_command_add_access(command, &freed);
        }
    }
    if (command)
        ly_command_submit(command, &call);
    ly_leave();
    return code;
}
LY_EXPORT(clEnqueueSVMFree)

/* DATA is the driver's copy of the arguments, preceded by a pointer to a struct called. */
static void CL_CALLBACK call_native(void *data)
{
    struct called *called;
    memcpy(&called, data, sizeof called);
    uint32_t before = enter_call(called);
    called->native((char *)data + sizeof(void *) * 2);
    leave_call(called, before);
}

static cl_int CL_API_CALL layer_clEnqueueNativeKernel(cl_command_queue queue,
                                                      void(CL_CALLBACK *function)(void *), void *args,
                                                      size_t size, cl_uint mems, const cl_mem *mem_list,
                                                      const void **places, cl_uint count,
                                                      const cl_event *list, cl_event *event)
{
    const size_t head = 2 * sizeof(void *); /* keeps the alignment of the arguments */
    struct called *called = function && args ? mm_alloc_zero(1, sizeof *called) : NULL;
    char *copy = called ? mm_alloc_zero(1, head + size) : NULL;
    const void **moved = copy ? mm_alloc_zero(mems + 1, sizeof *moved) : NULL;
    if (!moved) {
        mm_free(copy);
        mm_free(called);
        return ly_next.clEnqueueNativeKernel(queue, function, args, size, mems, mem_list, places, count, list,
                                             event);
    }
    called->native = function;
    memcpy(copy, &called, sizeof called);
    memcpy(copy + head, args, size);
    for (cl_uint i = 0; i < mems && places; i++)
        moved[i] = copy + head + ((const char *)places[i] - (const char *)args);
    cl_int code = ly_next.clEnqueueNativeKernel(queue, call_native, copy, head + size, mems, mem_list,
                                                places ? moved : NULL, count, list, event);
    mm_free(moved);
    mm_free(copy);
    return submit_called(code, called, &LY_CALL(.list = list, .event = event));
}
LY_EXPORT(clEnqueueNativeKernel)
