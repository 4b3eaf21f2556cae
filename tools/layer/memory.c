/* Memory objects and the allocations that contain them [CL 5.2, 5.3]. */
#include "tools/layer/layer.h"

#include "memmodel/base/array.h"
#include "memmodel/trace/host.h"

#include <stdio.h>
#include <string.h>

struct ly_mem *ly_mem(cl_mem handle)
{
    struct ly_mem *mem = ly_object_find(LY_MEM, handle);
    if (handle && !mem)
        ly_not_checked("commands on memory objects of unknown origin");
    return mem;
}

void ly_mem_destroy(void *object)
{
    struct ly_mem *mem = object;
    while (mem->maps) {
        struct ly_map *map = mem->maps;
        mem->maps = map->next;
        ly_host_hide(map);
        mm_free(map);
    }
    ly_host_hide(mem);
    if (mem->owns)
        ly_record_free(mem->allocation, mem->size);
    if (mem->root != mem)
        ly_object_unuse(mem->root);
}

void ly_mem_access(struct ly_command *command, enum mm_kind kind, struct ly_mem *mem, struct ly_box box)
{
    uint64_t begin = mem->offset + box.offset, end = begin;
    ly_command_hold(command, mem);
    for (uint64_t z = 0; z < box.rows[2]; z++)
        for (uint64_t y = 0; y < box.rows[1]; y++) {
            uint64_t at = mem->offset + box.offset + z * box.slice_pitch + y * box.row_pitch;
            if (at != end) { /* contiguous rows are one access */
                ly_command_access(command, kind, mem->allocation, begin, end - begin);
                begin = at;
            }
            end = at + box.rows[0];
        }
    ly_command_access(command, kind, mem->allocation, begin, end - begin);
}

/* ---- objects ------------------------------------------------------------------------------------- */

static uint32_t buffers, images,
    pipes; /* numbers of the last; sub-buffers count, as in refcl's own runtime */

static void new_allocation(struct ly_mem *mem, enum mm_region region, cl_mem_flags flags, const void *place)
{
    char name[32];
    uint32_t number = region == MM_IMAGE ? ++images : region == MM_PIPE ? ++pipes : ++buffers;
    snprintf(name, sizeof name, "%s %u",
             region == MM_IMAGE  ? "image"
             : region == MM_PIPE ? "pipe"
                                 : "buffer",
             (unsigned)number);
    mem->allocation = ly_record_allocation((struct mm_allocation){.object = mem->object.number,
                                                                  .region = (uint8_t)region,
                                                                  .origin = MM_ORIGIN_BUFFER,
                                                                  .device = -1,
                                                                  .size = mem->size,
                                                                  .flags = flags,
                                                                  .name = name},
                                           place);
    mem->owns = true;
}

static cl_mem add_buffer(cl_mem handle, cl_mem_flags flags, size_t size, void *host, const void *place)
{
    if (!handle)
        return NULL;
    pthread_mutex_lock(&ly_lock);
    struct ly_mem *mem = ly_object_add(LY_MEM, handle, sizeof *mem);
    const struct ly_svm *svm = flags & CL_MEM_USE_HOST_PTR ? ly_svm_find(host) : NULL;
    if (mem) {
        mem->root = mem;
        mem->size = size;
        if (svm) {
            mem->allocation = svm->allocation;
            mem->offset = (uintptr_t)host - svm->begin;
        } else {
            new_allocation(mem, MM_GLOBAL, flags, place);
        }
        if (!svm && flags & CL_MEM_USE_HOST_PTR)
            ly_host_show(mem, mem, &(struct ly_map){.pointer = host, .box = {.rows = {size, 1, 1}}});
    }
    pthread_mutex_unlock(&ly_lock);
    return handle;
}

static cl_mem CL_API_CALL layer_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                               void *host, cl_int *code)
{
    return add_buffer(ly_next.clCreateBuffer(context, flags, size, host, code), flags, size, host, LY_PLACE);
}
LY_EXPORT(clCreateBuffer)

static cl_mem CL_API_CALL layer_clCreateBufferWithProperties(cl_context context,
                                                             const cl_mem_properties *properties,
                                                             cl_mem_flags flags, size_t size, void *host,
                                                             cl_int *code)
{
    return add_buffer(ly_next.clCreateBufferWithProperties(context, properties, flags, size, host, code),
                      flags, size, host, LY_PLACE);
}
LY_EXPORT(clCreateBufferWithProperties)

/* HANDLE is a view of BUFFER from OFFSET on. */
static struct ly_mem *add_view(cl_mem handle, cl_mem buffer, uint64_t offset, uint64_t size)
{
    struct ly_mem *of = ly_mem(buffer), *mem = of ? ly_object_add(LY_MEM, handle, sizeof *mem) : NULL;
    if (!mem)
        return NULL;
    mem->root = of->root;
    ly_object_use(of->root);
    mem->allocation = of->allocation;
    mem->offset = of->offset + offset;
    mem->size = size;
    return mem;
}

static cl_mem CL_API_CALL layer_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                                                  cl_buffer_create_type type, const void *info, cl_int *code)
{
    cl_mem handle = ly_next.clCreateSubBuffer(buffer, flags, type, info, code);
    pthread_mutex_lock(&ly_lock);
    if (handle && type == CL_BUFFER_CREATE_TYPE_REGION) {
        const cl_buffer_region *region = info;
        buffers++;
        add_view(handle, buffer, region->origin, region->size);
    }
    pthread_mutex_unlock(&ly_lock);
    return handle;
}
LY_EXPORT(clCreateSubBuffer)

static size_t at_least_1(size_t n)
{
    return n ? n : 1;
}

static void show_image(const struct ly_mem *image, const cl_image_desc *desc, void *host)
{
    bool rows_are_slices = desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY; /* as in add_image() */
    const struct ly_map all = {.pointer = host,
                               .box = {.rows = {image->width * image->element, image->height, image->depth},
                                       .row_pitch = image->row_pitch,
                                       .slice_pitch = image->slice_pitch},
                               .host_row = rows_are_slices && desc->image_slice_pitch
                                               ? desc->image_slice_pitch
                                               : desc->image_row_pitch,
                               .host_slice = rows_are_slices ? 0 : desc->image_slice_pitch};
    ly_host_show(image, image, &all);
}

/* Stores the size of LEVEL: texels, rows, slices.  Returns the bytes of all levels before it. */
static uint64_t level_size(const struct ly_mem *image, size_t level, uint64_t size[3])
{
    uint64_t begin = 0;
    size[0] = image->width, size[1] = image->height, size[2] = image->depth;
    for (size_t l = 0; l < level && l < image->levels; l++) {
        begin += image->element * size[0] * size[1] * size[2];
        for (uint32_t k = 0; k < image->level_at - image->layers; k++)
            size[k] = size[k] > 1 ? size[k] / 2 : 1;
    }
    return begin;
}

struct ly_box ly_image_region(const struct ly_mem *image, const size_t *origin, const size_t region[3])
{
    size_t at[3] = {origin[0], origin[1], origin[2]}, level = 0;
    uint64_t size[3], row = image->row_pitch, slice = image->slice_pitch, begin = 0;
    if (image->levels > 1) {
        level = origin[image->level_at];
        if (image->level_at < 3)
            at[image->level_at] = 0;
        begin = level_size(image, level, size);
        row = image->element * size[0];
        slice = row * size[1];
    }
    return (struct ly_box){.offset = begin + at[0] * image->element + at[1] * row + at[2] * slice,
                           .rows = {region[0] * image->element, region[1], region[2]},
                           .row_pitch = row,
                           .slice_pitch = slice};
}

/* Texels are recorded at offsets without gaps, whatever the driver's layout is, except in images of a
 * buffer. */
static cl_mem add_image(cl_mem handle, cl_mem_flags flags, const cl_image_desc *desc, void *host,
                        const void *place)
{
    size_t element = 0;
    if (!handle || ly_next.clGetImageInfo(handle, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL))
        return handle;
    cl_mem_object_type type = desc->image_type;
    bool layers = type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    size_t width = at_least_1(desc->image_width), height = at_least_1(desc->image_height),
           depth = type == CL_MEM_OBJECT_IMAGE3D ? at_least_1(desc->image_depth) : 1;
    if (type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE1D_BUFFER ||
        type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        height = 1;
    if (layers && type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        height = at_least_1(desc->image_array_size); /* origin and region count layers in the second place */
    else if (layers)
        depth = at_least_1(desc->image_array_size);
    size_t row = desc->mem_object && desc->image_row_pitch ? desc->image_row_pitch : width * element;
    pthread_mutex_lock(&ly_lock);
    struct ly_mem *mem = desc->mem_object && ly_mem(desc->mem_object)
                             ? add_view(handle, desc->mem_object, 0, row * height * depth)
                             : ly_object_add(LY_MEM, handle, sizeof *mem);
    if (mem) {
        mem->image = true;
        mem->element = element;
        mem->width = width;
        mem->height = height;
        mem->depth = depth;
        mem->row_pitch = row;
        mem->slice_pitch = row * height;
        mem->size = row * height * depth;
        mem->levels = desc->num_mip_levels > 1 && !desc->mem_object ? desc->num_mip_levels : 1;
        mem->layers = layers;
        mem->level_at = type == CL_MEM_OBJECT_IMAGE1D                                          ? 1
                        : type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D ? 2
                                                                                               : 3;
        uint64_t size[3];
        if (mem->levels > 1)
            mem->size = level_size(mem, mem->levels, size);
    }
    if (mem && !mem->root) {
        mem->root = mem;
        new_allocation(mem, MM_IMAGE, flags, place);
        if (flags & CL_MEM_USE_HOST_PTR)
            show_image(mem, desc, host);
    }
    pthread_mutex_unlock(&ly_lock);
    return handle;
}

static cl_mem CL_API_CALL layer_clCreateImage(cl_context context, cl_mem_flags flags,
                                              const cl_image_format *format, const cl_image_desc *desc,
                                              void *host, cl_int *code)
{
    return add_image(ly_next.clCreateImage(context, flags, format, desc, host, code), flags, desc, host,
                     LY_PLACE);
}
LY_EXPORT(clCreateImage)

static cl_mem CL_API_CALL layer_clCreateImageWithProperties(cl_context context,
                                                            const cl_mem_properties *properties,
                                                            cl_mem_flags flags, const cl_image_format *format,
                                                            const cl_image_desc *desc, void *host,
                                                            cl_int *code)
{
    return add_image(
        ly_next.clCreateImageWithProperties(context, properties, flags, format, desc, host, code), flags,
        desc, host, LY_PLACE);
}
LY_EXPORT(clCreateImageWithProperties)

static cl_mem CL_API_CALL layer_clCreateImage2D(cl_context context, cl_mem_flags flags,
                                                const cl_image_format *format, size_t width, size_t height,
                                                size_t pitch, void *host, cl_int *code)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = width,
                                .image_height = height,
                                .image_row_pitch = pitch};
    return add_image(ly_next.clCreateImage2D(context, flags, format, width, height, pitch, host, code), flags,
                     &desc, host, LY_PLACE);
}
LY_EXPORT(clCreateImage2D)

static cl_mem CL_API_CALL layer_clCreateImage3D(cl_context context, cl_mem_flags flags,
                                                const cl_image_format *format, size_t width, size_t height,
                                                size_t depth, size_t row, size_t slice, void *host,
                                                cl_int *code)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth,
                                .image_row_pitch = row,
                                .image_slice_pitch = slice};
    return add_image(
        ly_next.clCreateImage3D(context, flags, format, width, height, depth, row, slice, host, code), flags,
        &desc, host, LY_PLACE);
}
LY_EXPORT(clCreateImage3D)

static cl_mem CL_API_CALL layer_clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet,
                                             cl_uint packets, const cl_pipe_properties *properties,
                                             cl_int *code)
{
    cl_mem handle = ly_next.clCreatePipe(context, flags, packet, packets, properties, code);
    pthread_mutex_lock(&ly_lock);
    struct ly_mem *mem = handle ? ly_object_add(LY_MEM, handle, sizeof *mem) : NULL;
    if (mem) {
        mem->root = mem;
        mem->size = (uint64_t)packet * packets;
        mem->pipe = true;
        new_allocation(mem, MM_PIPE, flags, LY_PLACE);
    }
    pthread_mutex_unlock(&ly_lock);
    return handle;
}
LY_EXPORT(clCreatePipe)

/* ---- shared virtual memory ----------------------------------------------------------------------- */

static struct ly_svm *svms;
static size_t svm_count;

const struct ly_svm *ly_svm_find(const void *at)
{
    for (size_t i = 0; i < svm_count; i++)
        if ((uintptr_t)at - svms[i].begin < svms[i].size)
            return &svms[i];
    return NULL;
}

bool ly_svm_of(uint32_t allocation, const void *at, struct ly_svm *svm)
{
    const struct ly_svm *found = NULL;
    pthread_mutex_lock(&ly_lock);
    if (at)
        found = ly_svm_find(at);
    for (size_t i = 0; i < svm_count && !at && !found; i++)
        found = svms[i].allocation == allocation ? &svms[i] : NULL;
    if (found)
        *svm = *found;
    pthread_mutex_unlock(&ly_lock);
    return found;
}

static void *CL_API_CALL layer_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size,
                                          cl_uint alignment)
{
    void *memory = ly_next.clSVMAlloc(context, flags, size, alignment);
    if (memory)
        ly_svm_add(memory, flags, size, LY_PLACE);
    return memory;
}
LY_EXPORT(clSVMAlloc)

void ly_svm_add(void *memory, cl_svm_mem_flags flags, size_t size, const void *place)
{
    static uint32_t numbers;
    static uint64_t next_address = UINT64_C(1) << 32;
    char name[32];
    bool fine = flags & CL_MEM_SVM_FINE_GRAIN_BUFFER, atomics = flags & CL_MEM_SVM_ATOMICS;
    pthread_mutex_lock(&ly_lock);
    struct ly_svm svm = {.begin = (uintptr_t)memory, .size = size, .fine = fine, .flags = flags};
    snprintf(name, sizeof name, "svm %u", (unsigned)++numbers);
    svm.allocation =
        ly_record_allocation((struct mm_allocation){.region = MM_GLOBAL,
                                                    .origin = atomics ? MM_ORIGIN_FINE_SVM_ATOMICS
                                                              : fine  ? MM_ORIGIN_FINE_SVM
                                                                      : MM_ORIGIN_COARSE_SVM,
                                                    .device = -1,
                                                    .address = next_address,
                                                    .size = size,
                                                    .flags = flags,
                                                    .name = name},
                             place);
    svm.source = ly_source("create", place);
    next_address += (size + 8191) / 4096 * 4096;
    mm_append(&svms, &svm_count, &svm);
    ly_host_share(memory, size);
    pthread_mutex_unlock(&ly_lock);
}

/* No later command may access the memory: freeing it is recorded as a write of all of it by the host
 * [CL 5.6.1]. */
bool ly_svm_take(const void *memory, struct ly_svm *svm)
{
    for (size_t i = 0; i < svm_count; i++)
        if (svms[i].begin == (uintptr_t)memory) {
            *svm = svms[i];
            svms[i] = svms[--svm_count];
            return true;
        }
    return false;
}

void ly_svm_remove(const void *memory, const char *call, bool waits, const void *place)
{
    struct ly_svm svm;
    pthread_mutex_lock(&ly_lock);
    if (ly_svm_take(memory, &svm) && !waits)
        ly_record_freed(svm.allocation, svm.size, call, place);
    pthread_mutex_unlock(&ly_lock);
}

static void CL_API_CALL layer_clSVMFree(cl_context context, void *memory)
{
    if (memory)
        ly_svm_remove(memory, "clSVMFree", false, LY_PLACE);
    ly_next.clSVMFree(context, memory);
}
LY_EXPORT(clSVMFree)

void ly_svm_note_leaks(void)
{
    for (size_t i = 0; i < svm_count; i++) {
        char message[96];
        snprintf(message, sizeof message, "SVM of %zu bytes is not freed at exit", svms[i].size);
        ly_record_finding("leak", "CL 5.6.1", message, svms[i].source);
    }
}

/* ---- plain memory of the host -------------------------------------------------------------------- */

static struct mm_host_ranges ranges;

struct host_use {
    struct ly_command *command;
    enum mm_kind kind;
};

const struct mm_host_ranges *ly_host_ranges(void)
{
    return &ranges;
}

static void record_part(void *context, const struct mm_host_part *part)
{
    const struct host_use *use = context;
    ly_command_access(use->command, use->kind, part->allocation, part->offset, part->size);
}

void ly_host_access(struct ly_command *command, enum mm_kind kind, const void *host, size_t size)
{
    const struct ly_svm *svm = ly_svm_find(host);
    struct host_use use = {command, kind};
    if (svm) {
        ly_command_access(command, kind, svm->allocation, (uintptr_t)host - svm->begin, size);
    } else if (ly_use_plain_memory()) {
        ly_host_share(host, size);
        mm_host_ranges_access(&ranges, ly_recorder(), host, size, record_part, &use);
    }
}

void ly_host_rows(struct ly_command *command, enum mm_kind kind, const void *host, struct ly_box box)
{
    for (uint64_t z = 0; z < box.rows[2]; z++)
        for (uint64_t y = 0; y < box.rows[1]; y++)
            ly_host_access(command, kind,
                           (const char *)host + box.offset + z * box.slice_pitch + y * box.row_pitch,
                           box.rows[0]);
}
