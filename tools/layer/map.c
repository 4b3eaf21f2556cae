/* Maps and unmaps: how the host uses the mapped memory is not observed, so a map reads or writes for it at its begin and
 * at its end [CL 5.5.3, 5.6.1; 3.3.6 H24]. */
#include "memmodel/base/array.h"
#include "memmodel/trace/host.h"
#include "tools/layer/layer.h"

#include <string.h>

static bool map_writes(cl_map_flags flags)
{
    return flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
}

/* [OFFSET, OFFSET + SIZE) of ALLOCATION, in the object of OBJECT_SIZE bytes at OBJECT. */
static void use_range(struct ly_command *command, enum mm_kind kind, uint32_t allocation, uint64_t offset,
                      uint64_t size, cl_map_flags flags, uint64_t object, uint64_t object_size)
{
    uint64_t before = offset - object, after = object_size - before;
    struct ly_access access = {.kind = (uint8_t)kind,
                               .allocation = allocation,
                               .offset = offset,
                               .size = mm_at_most_32_bits(size),
                               .site = mm_at_most_32_bits(before),
                               .instance = mm_at_most_32_bits(after > size ? after - size : 0),
                               .semantics = map_writes(flags) ? MM_MAP_WRITE
                                            : flags           ? MM_MAP_READ
                                                              : 0};
    ly_command_add_access(command, &access);
}

static void use_map(struct ly_command *command, enum mm_kind kind, struct ly_mem *mem,
                    const struct ly_map *map)
{
    bool one = map->rows[1] == 1 || map->rows[0] == map->row_pitch;
    uint64_t slices = one && map->rows[1] * map->row_pitch == map->slice_pitch ? 1 : map->rows[2];
    uint64_t rows = one ? 1 : map->rows[1], size = map->rows[0];
    if (one)
        size = (map->rows[1] - 1) * map->row_pitch + map->rows[0];
    if (slices != map->rows[2])
        size = (map->rows[2] - 1) * map->slice_pitch + size;
    for (uint64_t z = 0; z < slices; z++)
        for (uint64_t y = 0; y < rows; y++)
            use_range(command, kind, mem->allocation,
                      mem->offset + map->begin + z * map->slice_pitch + y * map->row_pitch, size, map->flags,
                      mem->offset, mem->size);
    if (map->flags & CL_MAP_READ)
        ly_mem_access(command, MM_READ, mem, map->begin, map->rows, map->row_pitch, map->slice_pitch);
    if (map_writes(map->flags))
        ly_mem_access(command, MM_WRITE, mem, map->begin, map->rows, map->row_pitch, map->slice_pitch);
    ly_command_hold(command, mem);
}

static void *map_mem(void *pointer, const char *name, const void *place, cl_command_queue queue,
                     cl_mem handle, bool blocking, const struct ly_map *given, const size_t *origin,
                     const size_t *region, size_t host_row, size_t host_slice, cl_uint count,
                     const cl_event *list, const cl_event *event)
{
    if (!pointer)
        return NULL;
    pthread_mutex_lock(&ly_lock);
    struct ly_command *command = ly_command_create(queue, name, place, count, list);
    struct ly_mem *mem = ly_mem(handle);
    struct ly_map *map = command && mem ? mm_alloc_zero(1, sizeof *map) : NULL;
    if (map) {
        *map = origin ? ly_image_region(mem, origin, region) : *given;
        map->flags = given->flags;
        map->pointer = pointer;
        map->next = mem->maps;
        mem->maps = map;
        ly_host_show(map, mem, map, host_row, host_slice);
        use_map(command, MM_MAP, mem, map);
    }
    if (command)
        ly_command_submit(command, event, blocking, place);
    pthread_mutex_unlock(&ly_lock);
    return pointer;
}

static void *CL_API_CALL layer_clEnqueueMapBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                                                  cl_map_flags flags, size_t offset, size_t size,
                                                  cl_uint count, const cl_event *list, cl_event *event,
                                                  cl_int *code)
{
    void *pointer =
        ly_next.clEnqueueMapBuffer(queue, mem, blocking, flags, offset, size, count, list, event, code);
    const struct ly_map map = {.begin = offset, .rows = {size, 1, 1}, .flags = flags};
    return map_mem(pointer, "clEnqueueMapBuffer", LY_PLACE, queue, mem, blocking, &map, NULL, NULL, 0, 0,
                   count, list, event);
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
    const struct ly_map map = {.flags = flags};
    return map_mem(pointer, "clEnqueueMapImage", LY_PLACE, queue, mem, blocking, &map, origin, region,
                   row ? *row : 0, slice ? *slice : 0, count, list, event);
}
LY_EXPORT(clEnqueueMapImage)

static cl_int CL_API_CALL layer_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem handle, void *pointer,
                                                        cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int code = ly_next.clEnqueueUnmapMemObject(queue, handle, pointer, count, list, event);
    if (code != CL_SUCCESS)
        return code;
    pthread_mutex_lock(&ly_lock);
    struct ly_command *command = ly_command_create(queue, "clEnqueueUnmapMemObject", LY_PLACE, count, list);
    struct ly_mem *mem = ly_mem(handle);
    struct ly_map **at = mem ? &mem->maps : NULL;
    while (at && *at && (*at)->pointer != pointer)
        at = &(*at)->next;
    struct ly_map *map = at ? *at : NULL;
    if (map && command)
        use_map(command, MM_UNMAP, mem, map);
    if (map) {
        ly_host_hide(map);
        *at = map->next;
        mm_free(map);
    }
    if (command)
        ly_command_submit(command, event, false, LY_PLACE);
    pthread_mutex_unlock(&ly_lock);
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

/* Commands may use fine-grained SVM at any time. */
static void use_svm(struct ly_command *command, enum mm_kind kind, const struct svm_map *map)
{
    const struct ly_svm *svm = ly_svm_find(map->pointer);
    if (svm)
        use_range(command, kind, svm->allocation, (uintptr_t)map->pointer - svm->begin, map->size,
                  svm->fine ? 0 : map->flags, 0, svm->size);
}

static cl_int CL_API_CALL layer_clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags,
                                                void *pointer, size_t size, cl_uint count,
                                                const cl_event *list, cl_event *event)
{
    cl_int code = ly_next.clEnqueueSVMMap(queue, blocking, flags, pointer, size, count, list, event);
    if (code != CL_SUCCESS)
        return code;
    pthread_mutex_lock(&ly_lock);
    struct ly_command *command = ly_command_create(queue, "clEnqueueSVMMap", LY_PLACE, count, list);
    const struct svm_map map = {pointer, size, flags};
    if (command && mm_append(&svm_maps, &svm_map_count, &map))
        use_svm(command, MM_MAP, &map);
    if (command)
        ly_command_submit(command, event, blocking, LY_PLACE);
    pthread_mutex_unlock(&ly_lock);
    return code;
}
LY_EXPORT(clEnqueueSVMMap)

static cl_int CL_API_CALL layer_clEnqueueSVMUnmap(cl_command_queue queue, void *pointer, cl_uint count,
                                                  const cl_event *list, cl_event *event)
{
    cl_int code = ly_next.clEnqueueSVMUnmap(queue, pointer, count, list, event);
    if (code != CL_SUCCESS)
        return code;
    pthread_mutex_lock(&ly_lock);
    struct ly_command *command = ly_command_create(queue, "clEnqueueSVMUnmap", LY_PLACE, count, list);
    for (size_t i = svm_map_count; i-- > 0;)
        if (svm_maps[i].pointer == pointer) {
            if (command)
                use_svm(command, MM_UNMAP, &svm_maps[i]);
            svm_maps[i] = svm_maps[--svm_map_count];
            break;
        }
    if (command)
        ly_command_submit(command, event, false, LY_PLACE);
    pthread_mutex_unlock(&ly_lock);
    return code;
}
LY_EXPORT(clEnqueueSVMUnmap)

/* ---- functions of the application that commands call ---------------------------------------------- */

/* A function that the driver calls for a command: what it does lies between the command's start and end [CL 5.6.1, 5.9].
 * The driver may call it before the enqueueing call has returned. */
struct called {
    union {
        void(CL_CALLBACK *svm_free)(cl_command_queue, cl_uint, void *[], void *);
        void(CL_CALLBACK *native)(void *);
    };
    void *data;
    struct ly_command *command; /* NULL until it is recorded */
    bool submitted;
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

static cl_int submit_called(cl_int code, struct called *called, const char *name, cl_command_queue queue,
                            cl_uint count, const cl_event *list, const cl_event *event, const void *place)
{
    if (code != CL_SUCCESS) {
        mm_free(called);
        return code;
    }
    pthread_mutex_lock(&ly_lock);
    called->command = ly_command_create(queue, name, place, count, list);
    if (called->command) {
        called->command->calls_back = true;
        ly_command_submit(called->command, event, false, place);
    }
    called->submitted = true;
    pthread_cond_broadcast(&submitted);
    pthread_mutex_unlock(&ly_lock);
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
    struct called *called = function ? mm_alloc_zero(1, sizeof *called) : NULL;
    if (called) {
        called->svm_free = function;
        called->data = data;
        return submit_called(
            ly_next.clEnqueueSVMFree(queue, pointers, list_of, call_svm_free, called, count, list, event),
            called, "clEnqueueSVMFree", queue, count, list, event, LY_PLACE);
    }
    cl_int code = ly_next.clEnqueueSVMFree(queue, pointers, list_of, function, data, count, list, event);
    if (code != CL_SUCCESS)
        return code;
    pthread_mutex_lock(&ly_lock);
    struct ly_command *command = ly_command_create(queue, "clEnqueueSVMFree", LY_PLACE, count, list);
    for (cl_uint i = 0; i < pointers; i++) { /* the driver may reuse the addresses */
        struct ly_svm svm;
        if (ly_svm_take(list_of[i], &svm) && command) {
            const struct ly_access freed = {
                .kind = MM_WRITE, .allocation = svm.allocation, .size = svm.size, .semantics = MM_RELEASED};
            ly_command_add_access(command, &freed);
        }
    }
    if (command)
        ly_command_submit(command, event, false, LY_PLACE);
    pthread_mutex_unlock(&ly_lock);
    return code;
}
LY_EXPORT(clEnqueueSVMFree)

/* The driver passes a copy of the arguments, preceded by a pointer to the description of the call. */
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
    return submit_called(code, called, "clEnqueueNativeKernel", queue, count, list, event, LY_PLACE);
}
LY_EXPORT(clEnqueueNativeKernel)
