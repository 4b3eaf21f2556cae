/* Launches on any driver as files for `refcl kernel`: REFCL_LAYER_CAPTURE=PATTERN names them, as
 * REFCL_CAPTURE does for refcl's own runtime.  Contents of memory are read back from the device before the
 * launch is enqueued. */
#include "memmodel/trace/capture.h"
#include "memmodel/base/array.h"
#include "memmodel/base/privilege.h"
#include "tools/layer/layer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_BYTES (UINT64_C(2) << 30) /* of memory, in a file */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
    const char *pattern, *kernel; /* NULL: nothing is captured; any */
    unsigned long most, number;   /* MOST 0: no limit */
} settings;

static void read_settings(void)
{
    const char *most = mm_getenv("REFCL_CAPTURE_MOST"), *kernel = mm_getenv("REFCL_CAPTURE_KERNEL");
    settings.pattern = mm_getenv("REFCL_LAYER_CAPTURE");
    settings.kernel = kernel && *kernel ? kernel : NULL;
    settings.most = most ? strtoul(most, NULL, 10) : 0;
    if (settings.pattern && !*settings.pattern)
        settings.pattern = NULL;
}

struct memory {               /* a memory object or SVM */
    const struct ly_mem *mem; /* NULL: SVM */
    struct ly_svm svm;
    const unsigned char *contents; /* of SVM */
};
struct capture {
    const struct ly_call *call;
    cl_kernel kernel;
    const struct mm_command *shape;
    struct ly_kernel_view view;
    struct mm_capture_section *sections;
    size_t count;
    struct memory *memories; /* by number */
    size_t memory_count;
    uint64_t bytes;
    const char *problem;
    struct mm_error error; /* of writing the file */
};

/* Adds a section of HEAD and SIZE bytes, which are returned for the caller to fill; NULL: too large, or out
 * of memory. */
static unsigned char *add_section(struct capture *c, uint32_t tag, uint32_t index, const void *head,
                                  size_t head_size, uint64_t size)
{
    c->bytes += size;
    unsigned char *data = c->bytes <= MOST_BYTES ? mm_alloc(head_size + size + 1) : NULL;
    struct mm_capture_section section = {tag, index, head_size + size, data};
    if (!data || !mm_append(&c->sections, &c->count, &section)) {
        c->problem = c->bytes > MOST_BYTES ? "it uses too much memory" : "out of memory";
        mm_free(data);
        return NULL;
    }
    if (head_size)
        memcpy(data, head, head_size);
    return data + head_size;
}

static void add_text(struct capture *c, uint32_t tag, const char *text)
{
    add_section(c, tag, 0, text, strlen(text), 0);
}

static void add_program(struct capture *c)
{
    const struct ly_kernel_view *v = &c->view;
    if (v->il) {
        add_section(c, MM_CAPTURE_PROGRAM, 0, v->text, v->text_size, 0);
    } else if (v->text) {
        add_text(c, MM_CAPTURE_SOURCE, v->text);
        add_text(c, MM_CAPTURE_FILE, "program.cl");
        add_text(c, MM_CAPTURE_OPTIONS, v->options ? v->options : "");
    } else {
        c->problem = "its program has neither source nor SPIR-V";
    }
}

static void add_launch_range(struct capture *c)
{
    const struct mm_command *shape = c->shape;
    struct mm_capture_range range = {.dimensions = shape->dimensions};
    for (int d = 0; d < 3; d++) {
        range.global_size[d] = shape->global_size[d];
        range.global_offset[d] = shape->global_offset[d];
        range.local_size[d] = shape->local_size[d];
    }
    add_text(c, MM_CAPTURE_KERNEL, c->view.name);
    add_section(c, MM_CAPTURE_RANGE, 0, &range, sizeof range, 0);
}

/* The number of MEM or SVM in the file; *ADDED: it is new. */
static uint32_t number_of(struct capture *c, const struct ly_mem *mem, const struct ly_svm *svm, bool *added)
{
    uint32_t number = 0;
    while (number < c->memory_count &&
           (mem ? c->memories[number].mem != mem : c->memories[number].svm.begin != svm->begin))
        number++;
    *added = number == c->memory_count;
    const struct memory memory = {.mem = mem, .svm = svm ? *svm : (struct ly_svm){0}};
    if (*added && !mm_append(&c->memories, &c->memory_count, &memory)) {
        c->problem = "out of memory";
        *added = false;
    }
    return number;
}

static cl_mem handle_of(const struct ly_mem *mem)
{
    return (cl_mem)(uintptr_t)mem->object.handle;
}

/* Adds a whole buffer; its contents are read after the commands that the launch waits for. */
static uint32_t add_buffer(struct capture *c, const struct ly_mem *root)
{
    bool added;
    uint32_t number = number_of(c, root, NULL, &added);
    const struct mm_capture_memory m = {
        .kind = MM_CAPTURE_BUFFER, .flags = CL_MEM_READ_WRITE, .size = root->size, .parent = UINT32_MAX};
    unsigned char *contents =
        added ? add_section(c, MM_CAPTURE_MEMORY, number, &m, sizeof m, root->size) : NULL;
    const struct ly_call *call = c->call;
    if (contents && ly_next.clEnqueueReadBuffer(call->queue, handle_of(root), CL_TRUE, 0, root->size,
                                                contents, call->count, call->list, NULL) != CL_SUCCESS)
        c->problem = "a buffer cannot be read";
    return number;
}

static uint64_t image_info(const struct ly_mem *image, cl_image_info name)
{
    size_t value = 0;
    ly_next.clGetImageInfo(handle_of(image), name, sizeof value, &value, NULL);
    return value;
}

static void describe_image(const struct ly_mem *image, struct mm_capture_memory *m)
{
    cl_image_format format = {0};
    cl_mem_object_type type = 0;
    ly_next.clGetImageInfo(handle_of(image), CL_IMAGE_FORMAT, sizeof format, &format, NULL);
    ly_next.clGetMemObjectInfo(handle_of(image), CL_MEM_TYPE, sizeof type, &type, NULL);
    m->image_type = type;
    m->channel_order = format.image_channel_order;
    m->channel_type = format.image_channel_data_type;
    m->width = image_info(image, CL_IMAGE_WIDTH);
    m->height = image_info(image, CL_IMAGE_HEIGHT);
    m->depth = image_info(image, CL_IMAGE_DEPTH);
    m->array_size = image_info(image, CL_IMAGE_ARRAY_SIZE);
}

/* Adds an image, whose texels are read without gaps, or the buffer that it is a view of. */
static uint32_t add_image(struct capture *c, const struct ly_mem *image)
{
    const bool view = image->root != image;
    const size_t origin[3] = {0}, region[3] = {image->width, image->height, image->depth};
    bool added;
    if (image->levels > 1) {
        c->problem = "an image has several levels";
        return 0;
    }
    if (view && (image->root->image || image->offset)) {
        c->problem = "an image shows another image, or a part of a buffer";
        return 0;
    }
    struct mm_capture_memory m = {.kind = MM_CAPTURE_IMAGE,
                                  .flags = CL_MEM_READ_WRITE,
                                  .size = image->size,
                                  .region = {region[0], region[1], region[2]},
                                  .parent = view ? add_buffer(c, image->root) : UINT32_MAX};
    uint32_t number = number_of(c, image, NULL, &added);
    if (!added || c->problem)
        return number;
    describe_image(image, &m);
    if (view && m.image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER)
        m.row_pitch = image->row_pitch;
    unsigned char *contents = add_section(c, MM_CAPTURE_MEMORY, number, &m, sizeof m, view ? 0 : image->size);
    const struct ly_call *call = c->call;
    if (contents && !view &&
        ly_next.clEnqueueReadImage(call->queue, handle_of(image), CL_TRUE, origin, region, 0, 0, contents,
                                   call->count, call->list, NULL) != CL_SUCCESS)
        c->problem = "an image cannot be read";
    return number;
}

static uint32_t add_svm(struct capture *c, const struct ly_svm *svm)
{
    bool added;
    uint32_t number = number_of(c, NULL, svm, &added);
    const struct mm_capture_memory m = {.kind = MM_CAPTURE_SVM,
                                        .flags = svm->flags,
                                        .size = svm->size,
                                        .address = svm->begin,
                                        .parent = UINT32_MAX};
    unsigned char *contents =
        added ? add_section(c, MM_CAPTURE_MEMORY, number, &m, sizeof m, svm->size) : NULL;
    const struct ly_call *call = c->call;
    if (contents)
        c->memories[number].contents = contents;
    if (contents && ly_next.clEnqueueSVMMemcpy(call->queue, CL_TRUE, contents, (const void *)svm->begin,
                                               svm->size, call->count, call->list, NULL) != CL_SUCCESS)
        c->problem = "SVM cannot be read";
    return number;
}

/* Adds SVM that pointers in the contents of other SVM point to: a kernel may dereference them. */
static void add_reachable(struct capture *c)
{
    struct ly_svm other;
    for (size_t i = 0; i < c->memory_count; i++)
        for (size_t at = 0; at + sizeof(void *) <= c->memories[i].svm.size && !c->problem;
             at += sizeof(void *)) {
            void *pointer;
            memcpy(&pointer, c->memories[i].contents + at, sizeof pointer);
            if ((uintptr_t)pointer >= 4096 && ly_svm_of(0, pointer, &other))
                add_svm(c, &other);
        }
}

/* Whether the driver reports NAME as the type of parameter INDEX. */
static bool has_type(const struct capture *c, cl_uint index, const char *name)
{
    char type[64] = "";
    ly_next.clGetKernelArgInfo(c->kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL);
    return strcmp(type, name) == 0;
}

static void add_memory(struct capture *c, const struct ly_argument *from, const struct ly_mem *mem,
                       struct mm_capture_argument *a)
{
    struct ly_svm svm;
    a->offset = from->offset;
    if (!mem && from->allocation) {
        a->kind = MM_CAPTURE_SVM;
        if (ly_svm_of(from->allocation, NULL, &svm))
            a->memory = add_svm(c, &svm);
        else
            c->problem = "an argument points to memory that is free";
    } else if (mem && mem->pipe) {
        a->kind = MM_CAPTURE_PIPE;
    } else if (mem) {
        a->kind = mem->image ? MM_CAPTURE_IMAGE : MM_CAPTURE_BUFFER;
        a->memory = mem->image ? add_image(c, mem) : add_buffer(c, mem->root);
        a->size = mem->size;
        a->flags = CL_MEM_READ_WRITE;
    }
}

static void add_argument(struct capture *c, uint32_t index)
{
    const struct ly_argument *from = &c->view.arguments[index];
    const struct ly_mem *mem = c->view.mems[index];
    struct mm_capture_argument a = {.kind = MM_CAPTURE_NULL};
    cl_kernel_arg_address_qualifier space = CL_KERNEL_ARG_ADDRESS_LOCAL;
    const void *value = NULL;
    struct ly_sampler_state sampler;
    switch (from->kind) {
    case LY_ARGUMENT_VALUE:
        a.kind = MM_CAPTURE_VALUE;
        a.size = from->size;
        value = from->value;
        if (from->size > LY_VALUE_BYTES)
            c->problem = "an argument is larger than what is recorded of it";
        if (has_type(c, index, "sampler_t") || has_type(c, index, "queue_t"))
            c->problem = "it uses a sampler or a queue of unknown origin";
        break;
    case LY_ARGUMENT_LOCAL: /* or a null pointer to a buffer */
        ly_next.clGetKernelArgInfo(c->kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space,
                                   NULL);
        if (space == CL_KERNEL_ARG_ADDRESS_LOCAL)
            a.kind = MM_CAPTURE_LOCAL;
        a.size = from->size;
        break;
    case LY_ARGUMENT_MEMORY:
    case LY_ARGUMENT_IMAGE:
        add_memory(c, from, mem, &a);
        break;
    case LY_ARGUMENT_SAMPLER:
        a.kind = MM_CAPTURE_SAMPLER;
        memcpy(&sampler, from->value, sizeof sampler);
        a.normalized = sampler.normalized;
        a.addressing = sampler.addressing;
        a.filter = sampler.filter;
        break;
    case LY_ARGUMENT_QUEUE:
        a.kind = MM_CAPTURE_QUEUE;
        break;
    default:
        c->problem = "an argument is not set";
    }
    unsigned char *to =
        c->problem ? NULL : add_section(c, MM_CAPTURE_ARGUMENT, index, &a, sizeof a, value ? a.size : 0);
    if (to && value)
        memcpy(to, value, a.size);
}

static void write_capture(struct capture *c, const char *path)
{
    if (ly_in_callback) /* a callback must not wait for commands [CL 5.11] */
        c->problem = "it is enqueued in a callback";
    else if (!ly_can_wait_for(c->call))
        c->problem = "it waits for a user event";
    if (!c->problem)
        add_program(c);
    add_launch_range(c);
    for (uint32_t i = 0; i < c->view.count && !c->problem; i++)
        add_argument(c, i);
    if (!c->problem)
        add_reachable(c);
    if (!c->problem && mm_capture_write(path, c->sections, c->count, &c->error) != MM_OK)
        c->problem = c->error.message;
    if (c->problem)
        fprintf(stderr, "refcl: launch %lu, kernel %s, is not captured: %s\n", settings.number, c->view.name,
                c->problem);
}

void ly_capture(const struct ly_call *call, cl_kernel kernel, const struct mm_command *shape)
{
    char path[4096];
    struct capture c = {.call = call, .kernel = kernel, .shape = shape};
    pthread_once(&once, read_settings);
    if (!settings.pattern || !ly_kernel_view(kernel, &c.view))
        return;
    pthread_mutex_lock(&ly_lock);
    bool wanted = (!settings.most || settings.number < settings.most) &&
                  (!settings.kernel || strcmp(settings.kernel, c.view.name) == 0);
    settings.number += wanted;
    if (wanted)
        mm_capture_name(settings.pattern, settings.number, path, sizeof path);
    pthread_mutex_unlock(&ly_lock);
    if (wanted)
        write_capture(&c, path);
    for (size_t i = 0; i < c.count; i++)
        mm_free((void *)(uintptr_t)c.sections[i].data);
    mm_free(c.sections);
    mm_free(c.memories);
    ly_kernel_view_clear(&c.view);
}
