/* Captured launches: program, arguments and memory as they are when the kernel starts. */
#include "ref-runtime/record/capture.h"
#include "memmodel/base/bits.h"
#include "memmodel/trace/capture.h"
#include "ref-runtime/memory/image.h"
#include "ref-runtime/program/kernel.h"
#include "ref-runtime/setting.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CAPTURE_MOST                                                                                         \
    (UINT64_C(2) << 30) /* limit of the memory contents in a file of REFCL_CAPTURE, in bytes */

static struct mm_once once = MM_ONCE;
static struct {
    const char *pattern, *kernel; /* NULL: nothing, any */
    const char *folder;           /* folder for captures of recorded launches, NULL: none */
    uint64_t most;
    unsigned long number;
} settings;

static void initialize_capture(void)
{
    settings.pattern = rt_setting_text(RT_SET_CAPTURE, NULL);
    settings.kernel = rt_setting_text(RT_SET_CAPTURE_KERNEL, NULL);
    settings.most = rt_setting_number(RT_SET_CAPTURE_MOST, 0, 0);
    settings.folder = rt_setting_text(RT_SET_TRACE_LAUNCHES, NULL);
}

struct capture {
    const struct rt_command *command;
    struct mm_capture_section sections[2048];
    size_t count;
    uint32_t memory_count;
    struct {
        const struct rt_mem *mem;
        const struct rt_svm *svm;
    } memories[1024];
    uint64_t bytes, most;
    const char *problem;
    char text[512];
};

/* ---- sections --------------------------------------------------------------------------------- */

/* Adds a section that consists of HEAD and CONTENTS. */
static void add_section(struct capture *c, uint32_t tag, uint32_t index, const void *head, size_t head_size,
                        const void *contents, uint64_t size)
{
    c->bytes += size;
    if (c->bytes > c->most)
        c->problem = "it uses too much memory";
    else if (c->count == sizeof c->sections / sizeof *c->sections)
        c->problem = "it has too many arguments";
    unsigned char *data = c->problem ? NULL : mm_alloc(head_size + size + 1);
    if (!data) {
        c->problem = c->problem ? c->problem : "out of memory";
        return;
    }
    if (head_size)
        memcpy(data, head, head_size);
    if (size && contents)
        memcpy(data + head_size, contents, size);
    c->sections[c->count++] = (struct mm_capture_section){tag, index, head_size + size, data};
}

static void add_text(struct capture *c, uint32_t tag, const char *text)
{
    add_section(c, tag, 0, text, text ? strlen(text) : 0, NULL, 0);
}

static void add_source(struct capture *c, const struct rt_program_state *state, const struct rt_build *build)
{
    add_text(c, MM_CAPTURE_SOURCE, state->source);
    add_text(c, MM_CAPTURE_FILE, state->file);
    add_text(c, MM_CAPTURE_OPTIONS, build->options);
}

static void add_program(struct capture *c, const struct rt_launch *launch)
{
    struct rt_program *program = launch->kernel->program;
    int index = rt_program_build_index(program, launch->device, rt_build_is_executable);
    struct rt_binary binary = {0};
    if (index < 0 || rt_binary_write(program, &program->state->builds[index], &binary) != CL_SUCCESS)
        c->problem = "its program has no binary";
    else
        add_section(c, MM_CAPTURE_PROGRAM, 0, binary.data, binary.size, NULL, 0);
    mm_free(binary.data);
    if (index >= 0 && program->state->origin == RT_FROM_SOURCE)
        add_source(c, program->state, &program->state->builds[index]);
}

static void add_range(struct capture *c, const struct rt_kernel_command *k)
{
    struct mm_capture_range range = {.dimensions = k->dimensions};
    for (int i = 0; i < 3; i++) {
        range.global_size[i] = k->global_size[i];
        range.global_offset[i] = k->global_offset[i];
        range.local_size[i] = k->local_size[i];
    }
    range.sub_group_size = rt_kernel_sub_group_size(k->launch->info);
    add_section(c, MM_CAPTURE_KERNEL, 0, k->launch->info->name, strlen(k->launch->info->name), NULL, 0);
    add_section(c, MM_CAPTURE_RANGE, 0, &range, sizeof range, NULL, 0);
}

/* ---- memory ----------------------------------------------------------------------------------- */

static uint32_t known_memory(const struct capture *c, const struct rt_mem *mem, const struct rt_svm *svm)
{
    for (uint32_t i = 0; i < c->memory_count; i++)
        if (c->memories[i].mem == mem && c->memories[i].svm == svm)
            return i;
    return UINT32_MAX;
}

static uint32_t enter_memory(struct capture *c, const struct rt_mem *mem, const struct rt_svm *svm)
{
    if (c->memory_count == sizeof c->memories / sizeof *c->memories) {
        c->problem = "it uses too many memory objects";
        return UINT32_MAX;
    }
    c->memories[c->memory_count].mem = mem;
    c->memories[c->memory_count].svm = svm;
    return c->memory_count++;
}

static uint32_t add_svm(struct capture *c, const struct rt_svm *svm)
{
    uint32_t index = known_memory(c, NULL, svm);
    if (index != UINT32_MAX || (index = enter_memory(c, NULL, svm)) == UINT32_MAX)
        return index;
    struct mm_capture_memory m = {.kind = MM_CAPTURE_SVM,
                                  .flags = svm->flags,
                                  .size = svm->size,
                                  .address = (uint64_t)(uintptr_t)svm->data,
                                  .parent = UINT32_MAX};
    add_section(c, MM_CAPTURE_MEMORY, index, &m, sizeof m, svm->data, svm->size);
    return index;
}

/* Allocations that captured ones point to: a kernel may follow the pointers. */
static void add_reachable(struct capture *c)
{
    for (uint32_t i = 0; i < c->memory_count && !c->problem; i++) {
        const struct rt_svm *svm = c->memories[i].svm;
        for (size_t at = 0; svm && at + 8 <= svm->size && !c->problem; at += 8) {
            uint64_t word;
            memcpy(&word, svm->data + at, sizeof word);
            const struct rt_svm *other =
                word >= 4096 && word >> 47 == 0
                    ? rt_svm_find(c->command->queue->context, (const void *)(uintptr_t)word)
                    : NULL;
            if (other)
                add_svm(c, other);
        }
    }
}

static void describe_image(const struct rt_image *image, struct mm_capture_memory *m)
{
    const cl_image_desc *d = &image->description;
    bool layers = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    bool slices = d->image_type == CL_MEM_OBJECT_IMAGE3D || d->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    m->kind = MM_CAPTURE_IMAGE;
    m->image_type = d->image_type;
    m->channel_order = image->format.image_channel_order;
    m->channel_type = image->format.image_channel_data_type;
    m->width = d->image_width;
    m->height = d->image_height;
    m->depth = d->image_depth;
    m->array_size = d->image_array_size;
    m->row_pitch = d->image_row_pitch;
    m->levels = d->num_mip_levels;
    struct rt_level level;
    rt_image_level(image, 0, &level);
    for (int i = 0; i < 3; i++)
        m->region[i] = level.extent[i] ? level.extent[i] : 1;
    m->row_bytes = layers ? 0 : level.layout_row;
    m->slice_bytes = layers ? level.layout_row : slices ? level.layout_slice : 0;
}

/* Adds a root buffer or an image; returns its index. */
static uint32_t add_mem(struct capture *c, struct rt_mem *mem)
{
    uint32_t index = known_memory(c, mem, NULL), parent = UINT32_MAX;
    uint64_t address;
    const struct in_object *object;
    if (index != UINT32_MAX)
        return index;
    if (mem->image && mem->parent)
        parent = add_mem(c, mem->parent->parent ? mem->parent->parent : mem->parent);
    if (mem->image && mem->parent && (mem->offset || mem->parent->parent))
        c->problem = "an image shows a part of a buffer";
    index = enter_memory(c, mem, NULL);
    if (index == UINT32_MAX)
        return index;
    if (!rt_mem_on_device(mem, c->command->queue->device, false, &address, &object)) {
        c->problem = "out of memory";
        return index;
    }
    struct mm_capture_memory m = {
        .kind = MM_CAPTURE_BUFFER, .flags = mem->flags, .size = mem->size, .parent = parent};
    if (mem->image)
        describe_image(mem->image, &m);
    add_section(c, MM_CAPTURE_MEMORY, index, &m, sizeof m, (const void *)(uintptr_t)address,
                parent == UINT32_MAX ? mem->size : 0);
    return index;
}

/* ---- arguments -------------------------------------------------------------------------------- */

static void bind_svm(struct capture *c, const void *pointer, struct mm_capture_argument *a)
{
    const struct rt_svm *svm = rt_svm_find(c->command->queue->context, pointer);
    if (!svm) {
        c->problem = "an argument points to memory that is no allocation of OpenCL's";
        return;
    }
    a->kind = MM_CAPTURE_SVM;
    a->memory = add_svm(c, svm);
    a->offset = (uint64_t)((const unsigned char *)pointer - svm->data);
}

static void bind_mem(struct capture *c, struct rt_mem *mem, struct mm_capture_argument *a)
{
    bool part = mem->parent && !mem->image;
    a->kind = mem->pipe ? MM_CAPTURE_PIPE : mem->image ? MM_CAPTURE_IMAGE : MM_CAPTURE_BUFFER;
    if (mem->pipe)
        return;
    a->memory = add_mem(c, part ? mem->parent : mem);
    a->offset = part ? mem->offset : 0;
    a->size = mem->size;
    a->flags = mem->flags;
}

static void add_argument(struct capture *c, uint32_t index, const struct rt_launch_argument *from)
{
    struct mm_capture_argument a = {.kind = MM_CAPTURE_NULL};
    uint64_t size = 0;
    switch (from->info->kind) {
    case IN_ARG_VALUE:
        a.kind = MM_CAPTURE_VALUE;
        a.size = size = from->info->size;
        break;
    case IN_ARG_LOCAL:
        a.kind = MM_CAPTURE_LOCAL;
        a.size = from->local_size;
        break;
    case IN_ARG_QUEUE:
        a.kind = MM_CAPTURE_QUEUE;
        break;
    case IN_ARG_SAMPLER:
        a.kind = MM_CAPTURE_SAMPLER;
        a.normalized = from->sampler->normalized;
        a.addressing = from->sampler->addressing;
        a.filter = from->sampler->filter;
        if (from->sampler->shape.has_mip) {
            a.mip_filter = from->sampler->mip_filter;
            a.offset = mm_bits_of_float(from->sampler->lod_min);
            a.size = mm_bits_of_float(from->sampler->lod_max);
        }
        break;
    default:
        if (from->mem)
            bind_mem(c, from->mem, &a);
        else if (from->svm)
            bind_svm(c, from->svm, &a);
    }
    add_section(c, MM_CAPTURE_ARGUMENT, index, &a, sizeof a, from->value, size);
}

static void add_all(struct capture *c, const struct rt_kernel_command *k)
{
    const struct rt_launch *launch = k->launch;
    struct rt_kernel_state *state = launch->kernel->state;
    if (launch->addressed_count)
        c->problem = "it uses addresses of buffers";
    add_range(c, k);
    add_program(c, launch);
    for (size_t i = 0; i < launch->argument_count && !c->problem; i++)
        add_argument(c, (uint32_t)i, &launch->arguments[i]);
    mm_mutex_lock(&state->lock);
    for (size_t i = 0; i < state->svm_pointer_count && !c->problem; i++) {
        const struct rt_svm *svm = rt_svm_find(c->command->queue->context, state->svm_pointers[i]);
        if (svm)
            add_svm(c, svm);
    }
    mm_mutex_unlock(&state->lock);
    add_reachable(c);
}

/* ---- files ------------------------------------------------------------------------------------ */

static struct capture *gather_capture(const struct rt_command *command, const struct rt_kernel_command *k,
                                      uint64_t most)
{
    struct capture *c = mm_alloc_zero(1, sizeof *c);
    if (c) {
        c->most = most;
        c->command = command;
        add_all(c, k);
    }
    return c;
}

static void write_file(struct capture *c, const char *path)
{
    struct mm_error error = {0};
    if (!c->problem && mm_capture_write(path, c->sections, c->count, &error) != MM_OK) {
        snprintf(c->text, sizeof c->text, "%s", error.message);
        c->problem = c->text;
    }
}

static void discard_capture(struct capture *c)
{
    for (size_t i = 0; i < c->count; i++)
        mm_free((void *)(uintptr_t)c->sections[i].data);
    mm_free(c);
}

void rt_capture(const struct rt_command *command, const struct rt_kernel_command *k)
{
    char path[4096];
    mm_once(&once, initialize_capture);
    if (!settings.pattern || k->block || (settings.most && settings.number >= settings.most) ||
        (settings.kernel && strcmp(settings.kernel, k->launch->info->name) != 0))
        return;
    struct capture *c = gather_capture(command, k, CAPTURE_MOST);
    if (!c)
        return;
    settings.number++;
    mm_capture_name(settings.pattern, settings.number, path, sizeof path);
    write_file(c, path);
    if (c->problem)
        fprintf(stderr, "refcl: launch %lu, kernel %s, is not captured: %s\n", settings.number,
                k->launch->info->name, c->problem);
    discard_capture(c);
}

/* ---- what is recorded ------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct rt_launch *launch)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < launch->argument_count; i++)
        bytes += launch->arguments[i].mem ? launch->arguments[i].mem->size : 0;
    return bytes;
}

void rt_capture_recorded(const struct rt_command *command, const struct rt_kernel_command *k)
{
    enum { OF_A_KERNEL = 16, OF_ALL = 256 };
    static uint64_t left = UINT64_C(32) << 20;
    static unsigned number;
    char path[4096];
    mm_once(&once, initialize_capture);
    if (!settings.folder || k->block || number == OF_ALL ||
        k->launch->kernel->state->captured == OF_A_KERNEL || bytes_of(k->launch) > left)
        return;
    struct capture *c = gather_capture(command, k, left);
    if (!c)
        return;
    snprintf(path, sizeof path, "%.4000s/%ld-%u.cap", settings.folder, (long)getpid(), command->record.id);
    write_file(c, path);
    left -= c->problem ? 0 : c->bytes;
    number++;
    k->launch->kernel->state->captured++;
    discard_capture(c);
}
