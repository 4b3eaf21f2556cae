/* Memory and arguments of a captured launch.
 *
 * Memory objects, in order:
 *     buf:FLAGS:SIZE:FILE
 *     svm:FLAGS:SIZE:ADDRESS:FILE
 *     image:FLAGS:PARENT:TYPE:ORDER:CHANNEL:WIDTH:HEIGHT:DEPTH:LAYERS:PITCH:X:Y:Z:ROW:SLICE:LEVELS:FILE
 * Arguments:
 *     @buf:I:OFFSET:SIZE:FLAGS  @svm:I:OFFSET  @image:I  @queue  @raw:HEX
 *     @sampler:NORMALIZED:ADDRESSING:FILTER:MIP:LOD_MIN:LOD_MAX
 * Pointers into SVM are stored as captured addresses and are relocated to the new SVM. */
#include "tools/host/kernel_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory {
    cl_mem mem;
    unsigned char *svm, *data; /* DATA: the contents, until they are copied into the object */
    uint64_t flags, size, address;
    uint64_t image[15]; /* PARENT .. LEVELS */
    size_t data_size;
    char kind; /* 'b', 's', 'i' */
};
struct captured {
    struct memory memories[MAX_ARGS];
    cl_mem parts[MAX_ARGS];
    size_t part_count;
    cl_sampler samplers[MAX_ARGS];
    size_t sampler_count;
    cl_command_queue queue;
};

/* Reads N numbers separated by colons; returns the text after the last one and its colon. */
static const char *read_numbers(const char *text, uint64_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *end;
        out[i] = strtoull(text, &end, 10);
        if (end == text || (*end != ':' && (*end || i + 1 < n)))
            host_fail("a captured launch: expected numbers separated by colons, not", text);
        text = *end ? end + 1 : end;
    }
    return text;
}

static void read_spec(struct memory *m, const char *spec)
{
    uint64_t n[17] = {0};
    const char *file;
    m->kind = *spec;
    m->address = 0;
    if (strncmp(spec, "buf:", 4) == 0) {
        file = read_numbers(spec + 4, n, 2);
        m->size = n[1];
    } else if (strncmp(spec, "svm:", 4) == 0) {
        file = read_numbers(spec + 4, n, 3);
        m->size = n[1];
        m->address = n[2];
    } else if (strncmp(spec, "image:", 6) == 0) {
        file = read_numbers(spec + 6, n, 16);
        memcpy(m->image, n + 1, sizeof m->image);
    } else {
        host_fail("unknown memory", spec);
        return;
    }
    m->flags = n[0];
    if (*file)
        m->data = (unsigned char *)host_read_file(file, &m->data_size);
    if (m->data && m->kind != 'i' && m->data_size != m->size)
        host_fail("contents have another size", file);
}

/* ---- contents --------------------------------------------------------------------------------- */

static void relocate_pointers(const struct host *host, unsigned char *data, size_t size)
{
    for (size_t at = 0; data && at + 8 <= size; at += 8) {
        uint64_t word;
        memcpy(&word, data + at, 8);
        for (size_t i = 0; i < host->memory_count; i++) {
            const struct memory *m = &host->captured->memories[i];
            if (!m->svm || word - m->address >= m->size)
                continue;
            word = (uint64_t)(uintptr_t)m->svm + (word - m->address);
            memcpy(data + at, &word, 8);
            break;
        }
    }
}

static cl_mem_flags access_of(uint64_t flags)
{
    return flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY);
}

static void make_svm(struct host *host, struct memory *m)
{
    cl_svm_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY |
                             CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    m->svm = clSVMAlloc(host->context, m->flags & known, m->size, 0);
    if (!m->svm)
        host_fail("clSVMAlloc failed", NULL);
}

static void make_buffer(struct host *host, struct memory *m)
{
    cl_int code;
    m->mem =
        clCreateBuffer(host->context, access_of(m->flags) | CL_MEM_COPY_HOST_PTR, m->size, m->data, &code);
    host_check(code, "clCreateBuffer");
}

/* Fills the levels of an image from contents without gaps. */
static void write_levels(struct host *host, const struct memory *m, const cl_image_desc *d, size_t element)
{
    size_t done = 0;
    for (size_t l = 0; l < d->num_mip_levels; l++) {
        size_t origin[4], region[3];
        host_image_level(d, l, origin, region);
        size_t bytes = element * region[0] * region[1] * region[2];
        if (bytes > m->data_size - done)
            host_fail("contents of an image have another size", NULL);
        host_check(clEnqueueWriteImage(host->queue, m->mem, CL_TRUE, origin, region, 0, 0, m->data + done, 0,
                                       NULL, NULL),
                   "clEnqueueWriteImage");
        done += bytes;
    }
}

/* Whether the contents have all bytes of the image's region, of elements of ELEMENT bytes; the pitches may be
 * 0. */
static bool has_region(const struct memory *m, size_t element)
{
    const uint64_t *region = m->image + 9;
    uint64_t row = m->image[12], slice = m->image[13], line, rows, size;
    if (__builtin_mul_overflow(region[0], element, &line))
        return false;
    row = row ? row : line;
    return (slice || !__builtin_mul_overflow(row, region[1], &slice)) &&
           !__builtin_mul_overflow(region[2] - 1, slice, &size) &&
           !__builtin_mul_overflow(region[1] - 1, row, &rows) && !__builtin_add_overflow(size, rows, &size) &&
           !__builtin_add_overflow(size, line, &size) && size <= m->data_size;
}

static void make_image(struct host *host, struct memory *m, size_t index)
{
    const uint64_t *n =
        m->image; /* parent, type, order, channel, width, height, depth, layers, pitch, x .. */
    bool of_buffer = n[0] != UINT32_MAX;
    cl_image_format format = {(cl_channel_order)n[2], (cl_channel_type)n[3]};
    cl_image_desc description = {.image_type = (cl_mem_object_type)n[1],
                                 .image_width = n[4],
                                 .image_height = n[5],
                                 .image_depth = n[6],
                                 .image_array_size = n[7],
                                 .image_row_pitch = of_buffer ? n[8] : 0,
                                 .num_mip_levels = (cl_uint)n[14]};
    size_t element = 0;
    cl_int code;
    if (of_buffer && (n[0] >= index || !host->captured->memories[n[0]].mem))
        host_fail("the memory that a captured image is created from is no buffer", NULL);
    if (of_buffer)
        description.buffer = host->captured->memories[n[0]].mem;
    m->mem = clCreateImage(host->context, access_of(m->flags), &format, &description, NULL, &code);
    host_check(code, "clCreateImage");
    size_t origin[3] = {0, 0, 0}, region[3] = {n[9], n[10], n[11]};
    host_check(clGetImageInfo(m->mem, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL),
               "clGetImageInfo");
    if (n[14] > 1)
        write_levels(host, m, &description, element);
    else if (!of_buffer && !has_region(m, element))
        host_fail("contents of an image have another size", NULL);
    else if (!of_buffer)
        host_check(clEnqueueWriteImage(host->queue, m->mem, CL_TRUE, origin, region, n[12], n[13], m->data, 0,
                                       NULL, NULL),
                   "clEnqueueWriteImage");
}

static void fill_svm(struct host *host, const struct memory *m)
{
    host_check(clEnqueueSVMMemcpy(host->queue, CL_TRUE, m->svm, m->data, m->size, 0, NULL, NULL),
               "clEnqueueSVMMemcpy");
}

static void declare_svm(struct host *host)
{
    void *pointers[MAX_ARGS];
    size_t count = 0;
    for (size_t i = 0; i < host->memory_count; i++)
        if (host->captured->memories[i].svm)
            pointers[count++] = host->captured->memories[i].svm;
    if (count)
        host_check(clSetKernelExecInfo(host->kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, count * sizeof *pointers,
                                       pointers),
                   "clSetKernelExecInfo");
}

static void make_queue(struct host *host)
{
    cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_int code;
    host->captured->queue =
        clCreateCommandQueueWithProperties(host->context, host->device, properties, &code);
    if (code != CL_SUCCESS)
        host->captured->queue = NULL; /* the device has no device-side queues */
}

void host_captured_memory(struct host *host)
{
    static struct captured captured;
    host->captured = &captured;
    if (!host->is_captured)
        return;
    make_queue(host);
    for (size_t i = 0; i < host->memory_count; i++) {
        read_spec(&captured.memories[i], host->memory_specs[i]);
        if (captured.memories[i].kind == 's')
            make_svm(host, &captured.memories[i]);
    }
    for (size_t i = 0; i < host->memory_count; i++) {
        struct memory *m = &captured.memories[i];
        relocate_pointers(host, m->kind == 'i' ? NULL : m->data, m->size);
        if (m->kind == 's')
            fill_svm(host, m);
        else if (m->kind == 'b')
            make_buffer(host, m);
        else
            make_image(host, m, i);
        free(m->data);
        m->data = NULL;
    }
    declare_svm(host);
}

/* ---- arguments -------------------------------------------------------------------------------- */

static struct memory *memory_of(struct host *host, uint64_t index, char kind)
{
    if (index >= host->memory_count || host->captured->memories[index].kind != kind)
        host_fail("an argument uses memory that is not described", NULL);
    return &host->captured->memories[index];
}

static void set_buffer(struct host *host, cl_uint index, const uint64_t *n)
{
    struct memory *m = memory_of(host, n[0], 'b');
    cl_buffer_region region = {n[1], n[2]};
    cl_mem mem = m->mem;
    cl_int code;
    if (n[1] != 0 || n[2] != m->size) {
        mem = clCreateSubBuffer(mem, access_of(n[3]), CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
        host_check(code, "clCreateSubBuffer");
        host->captured->parts[host->captured->part_count++] = mem;
    }
    host_check(clRetainMemObject(mem), "clRetainMemObject");
    host->arguments[index].type = host_argument_type(host, index);
    host->arguments[index].buffer = mem;
    host->arguments[index].bytes = n[2];
    host_check(clSetKernelArg(host->kernel, index, sizeof mem, &mem), "clSetKernelArg");
}

static void set_raw(struct host *host, cl_uint index, const char *hex)
{
    size_t size = strlen(hex) / 2;
    unsigned char *value = calloc(1, size + 8);
    if (!value)
        host_fail("out of memory", NULL);
    for (size_t i = 0; i < size; i++) {
        unsigned byte = 0;
        if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
            host_fail("not hexadecimal", hex);
        value[i] = (unsigned char)byte;
    }
    relocate_pointers(host, value, size);
    host_check(clSetKernelArg(host->kernel, index, size, value), "clSetKernelArg");
    free(value);
}

static void set_sampler(struct host *host, cl_uint index, const uint64_t *n)
{
    cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                          n[0],
                                          CL_SAMPLER_ADDRESSING_MODE,
                                          n[1],
                                          CL_SAMPLER_FILTER_MODE,
                                          n[2],
                                          n[3] ? CL_SAMPLER_MIP_FILTER_MODE : 0,
                                          n[3],
                                          CL_SAMPLER_LOD_MIN,
                                          n[4],
                                          CL_SAMPLER_LOD_MAX,
                                          n[5],
                                          0};
    cl_int code;
    cl_sampler sampler = clCreateSamplerWithProperties(host->context, properties, &code);
    host_check(code, "clCreateSamplerWithProperties");
    host->captured->samplers[host->captured->sampler_count++] = sampler;
    host_check(clSetKernelArg(host->kernel, index, sizeof sampler, &sampler), "clSetKernelArg");
}

static void set_svm(struct host *host, cl_uint index, const uint64_t *n)
{
    struct memory *m = memory_of(host, n[0], 's');
    if (n[1] > m->size)
        host_fail("an argument points past its memory", NULL);
    host->arguments[index].type = host_argument_type(host, index);
    host->arguments[index].shared_svm = m->svm + n[1];
    host->arguments[index].bytes = m->size - n[1];
    host_check(clSetKernelArgSVMPointer(host->kernel, index, m->svm + n[1]), "clSetKernelArgSVMPointer");
}

void host_captured_argument(struct host *host, cl_uint index, const char *spec)
{
    uint64_t n[6] = {0};
    if (strncmp(spec, "raw:", 4) == 0) {
        set_raw(host, index, spec + 4);
    } else if (strncmp(spec, "buf:", 4) == 0) {
        read_numbers(spec + 4, n, 4);
        set_buffer(host, index, n);
    } else if (strncmp(spec, "svm:", 4) == 0) {
        read_numbers(spec + 4, n, 2);
        set_svm(host, index, n);
    } else if (strncmp(spec, "image:", 6) == 0) {
        read_numbers(spec + 6, n, 1);
        cl_mem mem = memory_of(host, n[0], 'i')->mem;
        host_check(clSetKernelArg(host->kernel, index, sizeof mem, &mem), "clSetKernelArg");
    } else if (strncmp(spec, "sampler:", 8) == 0) {
        read_numbers(spec + 8, n, 6);
        set_sampler(host, index, n);
    } else if (strcmp(spec, "queue") == 0) {
        if (!host->captured->queue)
            make_queue(host);
        host_check(clSetKernelArg(host->kernel, index, sizeof(cl_command_queue), &host->captured->queue),
                   "clSetKernelArg");
    } else {
        host_fail("unknown argument", spec);
    }
}

void host_captured_release(struct host *host)
{
    struct captured *c = host->captured;
    for (size_t i = 0; i < c->part_count; i++)
        clReleaseMemObject(c->parts[i]);
    for (size_t i = 0; i < c->sampler_count; i++)
        clReleaseSampler(c->samplers[i]);
    for (size_t i = host->memory_count; i-- > 0;) {
        if (c->memories[i].mem)
            clReleaseMemObject(c->memories[i].mem);
        if (c->memories[i].svm)
            clSVMFree(host->context, c->memories[i].svm);
    }
    if (c->queue)
        clReleaseCommandQueue(c->queue);
}
