/* Shared by the host programs with expected verdicts: a context over all devices, kernels, short names. */
#ifndef TESTS_RACES_HOST_HOST_H
#define TESTS_RACES_HOST_HOST_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = 64, BYTES = N * 4 };

static const char *const text =
    "kernel void add(global int *a) { a[get_global_id(0)] += 1; }\n"
    "kernel void copy(global const int *a, global int *b) { b[get_global_id(0)] = a[get_global_id(0)]; }\n"
    "kernel void publish(global int *data, global atomic_int *flag) {\n"
    "  data[0] = 1;\n"
    "  atomic_store_explicit(flag, 1, memory_order_release, SCOPE); }\n"
    "kernel void consume(global int *data, global atomic_int *flag, global int *out) {\n"
    "  while (!atomic_load_explicit(flag, memory_order_acquire, SCOPE));\n"
    "  out[0] = data[0]; }\n"
    "kernel void count(global atomic_int *n) { atomic_fetch_add_explicit(n, 1, memory_order_relaxed, SCOPE); "
    "}\n"
    "kernel void draw(write_only image2d_t to) {\n"
    "  write_imagei(to, (int2)((int)get_global_id(0) % 8, (int)get_global_id(0) / 8), (int4)(1)); }\n"
    "#ifdef FENCED\n"
    "#define FENCE atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, SCOPE)\n"
    "#else\n"
    "#define FENCE\n"
    "#endif\n"
    "kernel void trace(read_write image2d_t image, global int *out) {\n"
    "  int i = (int)get_global_id(0); int2 at = (int2)(i % 8, i / 8);\n"
    "  write_imagei(image, at, (int4)(i)); FENCE;\n"
    "  out[i] = read_imagei(image, at).x; }\n"
    "kernel void look(read_only image2d_t from, global int *out) {\n"
    "  int i = (int)get_global_id(0); out[i] = read_imagei(from, (int2)(i % 8, i / 8)).x; }\n";

static cl_device_id devices[4];
static cl_uint device_count;
static cl_context context;
static cl_program program;

static inline void check(cl_int code, int line)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "line %d: error %d\n", line, code);
    exit(2);
}
#define OK(call) check((call), __LINE__)

static inline void open_devices(void)
{
    cl_platform_id platform;
    cl_int code;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 4, devices, &device_count));
    device_count = device_count < 4 ? device_count : 4;
    context = clCreateContext(NULL, device_count, devices, NULL, NULL, &code);
    OK(code);
}
static inline void begin_with(const char *source, const char *scope)
{
    char options[100];
    cl_int code;
    open_devices();
    program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    OK(code);
    snprintf(options, sizeof options, "-cl-std=CL3.0 -DSCOPE=%s", scope ? scope : "memory_scope_device");
    OK(clBuildProgram(program, device_count, devices, options, NULL, NULL));
}

static inline void begin(const char *scope)
{
    begin_with(text, scope);
}

static inline cl_command_queue queue_on(cl_uint device, cl_command_queue_properties properties)
{
    cl_int code;
    if (device >= device_count) {
        fprintf(stderr, "there is no device %u\n", device);
        exit(2);
    }
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, devices[device], list, &code);
    OK(code);
    return queue;
}
static inline cl_command_queue in_order(void)
{
    return queue_on(0, 0);
}
static inline cl_command_queue out_of_order(void)
{
    return queue_on(0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

static inline cl_mem buffer(void)
{
    static int zeros[N];
    cl_int code;
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, BYTES, zeros, &code);
    OK(code);
    return mem;
}
static inline cl_mem part(cl_mem of, size_t first, size_t bytes)
{
    cl_int code;
    cl_buffer_region region = {first, bytes};
    cl_mem mem = clCreateSubBuffer(of, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    OK(code);
    return mem;
}
static inline cl_mem picture(void)
{
    cl_int code;
    cl_image_format format = {CL_R, CL_SIGNED_INT32};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_mem mem = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    OK(code);
    return mem;
}
static inline int *shared(cl_svm_mem_flags flags)
{
    int *p = clSVMAlloc(context, CL_MEM_READ_WRITE | flags, BYTES, 0);
    OK(p ? CL_SUCCESS : CL_OUT_OF_RESOURCES);
    return p;
}
/* Host accesses of programs that are not instrumented are observed through memory protection keys. */
static inline void need_keys(void)
{
    int key = pkey_alloc(0, 0);
    if (key < 0) {
        printf("SKIP: no protection keys\n");
        exit(0);
    }
    pkey_free(key);
}

/* The kernel NAME with up to three buffer arguments. */
static inline cl_kernel kernel(const char *name, cl_mem a, cl_mem b, cl_mem c)
{
    cl_int code;
    cl_kernel k = clCreateKernel(program, name, &code);
    cl_mem args[] = {a, b, c};
    OK(code);
    for (cl_uint i = 0; i < 3 && args[i]; i++)
        OK(clSetKernelArg(k, i, sizeof *args, &args[i]));
    return k;
}
/* The kernel NAME with up to three SVM pointer arguments. */
static inline cl_kernel svm_kernel(const char *name, int *a, int *b, int *c)
{
    cl_int code;
    cl_kernel k = clCreateKernel(program, name, &code);
    int *args[] = {a, b, c};
    OK(code);
    for (cl_uint i = 0; i < 3 && args[i]; i++)
        OK(clSetKernelArgSVMPointer(k, i, args[i]));
    return k;
}
static cl_event last_launched;
/* Launches ITEMS work-items after WAIT (NULL: at once); returns the event. */
static inline cl_event launch(cl_command_queue queue, cl_kernel k, size_t items, cl_event wait)
{
    cl_event event;
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, NULL, wait ? 1 : 0, wait ? &wait : NULL, &event));
    return last_launched = event;
}
/* Polls the status of the last launch until it is complete, which orders nothing [CL 5.11]. */
static inline void look_until_done(cl_command_queue first)
{
    OK(clFlush(first));
    for (cl_int status = CL_QUEUED; status > CL_COMPLETE; usleep(1000))
        OK(clGetEventInfo(last_launched, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
}

/* As launch(), in work-groups of LOCAL. */
static inline cl_event launch_groups(cl_command_queue queue, cl_kernel k, size_t items, size_t local)
{
    cl_event event;
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, &local, 0, NULL, &event));
    return event;
}
static inline void device_queue(void)
{
    cl_int code;
    const cl_queue_properties list[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
    clCreateCommandQueueWithProperties(context, devices[0], list, &code);
    OK(code);
}

#endif
