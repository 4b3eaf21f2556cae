/* Launches on any driver as files for `refcl kernel`: REFCL_LAYER_CAPTURE=PATTERN names them, as REFCL_CAPTURE does for refcl's own
 * runtime.  Contents of buffers are read back from the device before the launch is enqueued. */
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

struct capture {
    const struct ly_launch_call *call;
    struct ly_kernel_view view;
    struct mm_capture_section *sections;
    size_t count;
    const struct ly_mem **roots; /* by number of the memory */
    size_t root_count;
    uint64_t bytes;
    const char *problem;
    struct mm_error error; /* of writing the file */
};

/* HEAD and SIZE bytes behind it, which the caller fills; NULL: none. */
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
    const struct mm_command *shape = c->call->shape;
    struct mm_capture_range range = {.dimensions = shape->dimensions};
    for (int d = 0; d < 3; d++) {
        range.global_size[d] = shape->global_size[d];
        range.global_offset[d] = shape->global_offset[d];
        range.local_size[d] = shape->local_size[d];
    }
    add_text(c, MM_CAPTURE_KERNEL, c->view.name);
    add_section(c, MM_CAPTURE_RANGE, 0, &range, sizeof range, 0);
}

/* The number of a whole buffer, whose contents are read after what the launch waits for. */
static uint32_t add_root(struct capture *c, const struct ly_mem *root)
{
    for (size_t i = 0; i < c->root_count; i++)
        if (c->roots[i] == root)
            return (uint32_t)i;
    struct mm_capture_memory m = {
        .kind = MM_CAPTURE_BUFFER, .flags = CL_MEM_READ_WRITE, .size = root->size, .parent = UINT32_MAX};
    uint32_t number = (uint32_t)c->root_count;
    unsigned char *contents = add_section(c, MM_CAPTURE_MEMORY, number, &m, sizeof m, root->size);
    if (contents && !mm_append(&c->roots, &c->root_count, &root))
        c->problem = "out of memory";
    const struct ly_launch_call *call = c->call;
    if (contents &&
        ly_next.clEnqueueReadBuffer(call->queue, (cl_mem)(uintptr_t)root->object.handle, CL_TRUE, 0,
                                    root->size, contents, call->count, call->list, NULL) != CL_SUCCESS)
        c->problem = "a buffer cannot be read";
    return number;
}

/* Of arguments without a memory object the driver may know more. */
static bool has_type(const struct capture *c, cl_uint index, const char *name)
{
    char type[64] = "";
    ly_next.clGetKernelArgInfo(c->call->kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL);
    return strcmp(type, name) == 0;
}

static void add_argument(struct capture *c, uint32_t index)
{
    const struct ly_argument *from = &c->view.arguments[index];
    const struct ly_mem *mem = c->view.mems[index];
    struct mm_capture_argument a = {.kind = MM_CAPTURE_NULL};
    cl_kernel_arg_address_qualifier space = CL_KERNEL_ARG_ADDRESS_LOCAL;
    const void *value = NULL;
    switch (from->kind) {
    case LY_ARGUMENT_VALUE:
        a.kind = MM_CAPTURE_VALUE;
        a.size = from->size;
        value = from->value;
        if (from->size > LY_VALUE_BYTES)
            c->problem = "an argument is larger than what is recorded of it";
        if (has_type(c, index, "sampler_t") || has_type(c, index, "queue_t"))
            c->problem = "it uses a sampler or a queue";
        break;
    case LY_ARGUMENT_LOCAL: /* or a null pointer to a buffer */
        ly_next.clGetKernelArgInfo(c->call->kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space,
                                   &space, NULL);
        if (space == CL_KERNEL_ARG_ADDRESS_LOCAL)
            a.kind = MM_CAPTURE_LOCAL;
        a.size = from->size;
        break;
    case LY_ARGUMENT_MEMORY:
        if (!mem) {
            c->problem = from->allocation ? "it uses SVM" : c->problem;
            break;
        }
        a.kind = MM_CAPTURE_BUFFER;
        a.memory = add_root(c, mem->root);
        a.offset = mem->offset;
        a.size = mem->size;
        a.flags = CL_MEM_READ_WRITE;
        break;
    default:
        c->problem =
            from->kind == LY_ARGUMENT_IMAGE ? "it uses an image or a pipe" : "an argument is not set";
    }
    unsigned char *to =
        c->problem ? NULL : add_section(c, MM_CAPTURE_ARGUMENT, index, &a, sizeof a, value ? a.size : 0);
    if (to && value)
        memcpy(to, value, a.size);
}

static void capture(struct capture *c, const char *path)
{
    if (ly_in_callback) /* there nothing may be waited for [CL 5.11] */
        c->problem = "it is enqueued in a callback";
    else if (!ly_launch_can_be_waited_for(c->call))
        c->problem = "it waits for a user event";
    if (!c->problem)
        add_program(c);
    add_launch_range(c);
    for (uint32_t i = 0; i < c->view.count && !c->problem; i++)
        add_argument(c, i);
    if (!c->problem && mm_capture_write(path, c->sections, c->count, &c->error) != MM_OK)
        c->problem = c->error.message;
    if (c->problem)
        fprintf(stderr, "refcl: launch %lu, kernel %s, is not captured: %s\n", settings.number, c->view.name,
                c->problem);
}

void ly_capture(const struct ly_launch_call *call)
{
    char path[4096];
    struct capture c = {.call = call};
    pthread_once(&once, read_settings);
    if (!settings.pattern || !ly_kernel_view(call->kernel, &c.view))
        return;
    pthread_mutex_lock(&ly_lock);
    bool wanted = (!settings.most || settings.number < settings.most) &&
                  (!settings.kernel || strcmp(settings.kernel, c.view.name) == 0);
    settings.number += wanted;
    if (wanted)
        mm_capture_name(settings.pattern, settings.number, path, sizeof path);
    pthread_mutex_unlock(&ly_lock);
    if (wanted)
        capture(&c, path);
    for (size_t i = 0; i < c.count; i++)
        mm_free((void *)(uintptr_t)c.sections[i].data);
    mm_free(c.sections);
    mm_free(c.roots);
    ly_kernel_view_clear(&c.view);
}
