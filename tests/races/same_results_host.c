/* Kernels that misuse memory, arithmetic and built-in functions: prints what their buffers hold in the end
 * and the status of each launch (test_same_results.py).  in is read-only, out is write-only for kernels. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

enum { ITEMS = 256, GROUP = 8, WORDS = 1024 };

#define KERNEL(name, body)                                                                                   \
    "kernel void " name "(global int *in, global int *out, global int *both)"                                \
    "{ int i = get_global_id(0), l = get_local_id(0); " body "}\n"
static const char *const sources[] = {
    "__attribute__((noinline)) int *dead(int x) { int v[2] = {x, x + 7}; int *volatile p = v; return p; }\n",
    "kernel void level(global int *seen, global int *out, global int *both, int now) {"
    "  int i = get_global_id(0); if (both[i] == now) { int n = 2 * i + 1;"
    "    if (n < 256 && out[n] == 0) { out[n] = now + 1; both[n] = now + 1; }"
    "    if (n + 1 < 256 && out[n + 1] == 0) { out[n + 1] = now + 1; both[n + 1] = now + 1; } } }\n",
    KERNEL("read_write_only", "both[i] = out[i] + 1;"),
    KERNEL("add_to_write_only", "atomic_add((volatile global int *)out + i, 5); both[i] = out[i];"),
    KERNEL("vector_of_write_only", "vstore4(vload4(i, out) + (int4)(i), i, both);"),
    KERNEL("write_read_only", "in[i] = 3 * i; both[i] = in[i];"),
    KERNEL("add_to_read_only", "both[i] = atomic_add((volatile global int *)in + i, i); both[i] += in[i];"),
    KERNEL("write_cast_constant", "((global int *)in)[i + 1] = i;"),
    KERNEL("misaligned_load", "both[i] = *(global int *)((global char *)in + 4 * i + 1);"),
    KERNEL("misaligned_store", "if (i % 2) *(global short *)((global char *)both + 8 * i + 1) = (short)i;"),
    KERNEL("misaligned_vector",
           "*(global int4 *)(both + 4 * (i / 2) + 1) = *(global int4 *)(in + 4 * (i / 2) + 1);"),
    KERNEL("misaligned_atomic",
           "atomic_add((volatile global int *)((global char *)both + 4 * (i & ~1) + 2), i);"),
    KERNEL("after_lifetime", "int *p = dead(i); both[i] = 1; if (p[1] == i + 7) both[i] = 2;"),
    KERNEL("zero_divisor", "both[i] = 100 / (i % 4) + 7 % (i % 3);"),
    KERNEL("overflow", "int x = 2147483647 - in[0] * 0; x += i; both[i] = x;"),
    KERNEL("huge_float", "float x = 1e9f * (float)i; both[i] = (int)x & 1;"),
    KERNEL("subscript", "((global struct { int a[2], b[2]; } *)both)[i].a[2 + (i & 1)] = i;"),
    KERNEL("wrong_order", "atomic_store_explicit((global atomic_int *)both + i, i, memory_order_acquire, "
                          "memory_scope_device);"),
    KERNEL("many_findings", "for (int k = 0; k < 40; k++) both[i] += out[i] + k;"),
    KERNEL("wrong_format", "printf(\"%n\", i); both[i] = 4;"),
    KERNEL("unwaited_copy",
           "local int t[8]; t[l] = i; barrier(1); async_work_group_copy(both + (i - l), t, 8, 0);"),
    KERNEL("left", "local int t[8]; both[i] = t[l]; barrier(1); t[7 - l] = i;"),
    KERNEL("unreached", "if (i == 9) __builtin_unreachable(); both[i] = 1;"),
};

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void show(const char *name, const char *what, cl_mem mem)
{
    static int words[WORDS];
    int error = clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL);
    printf("%s %s %d:", name, what, error);
    for (int k = 0; k < WORDS; k++)
        printf(" %d", words[k]);
    printf("\n");
}

static void launch(const char *name, int rounds)
{
    static int words[WORDS];
    cl_mem mem[3];
    cl_mem_flags flags[3] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE};
    const size_t items = ITEMS, group = GROUP;
    cl_int error, status = 0;
    cl_event event = NULL;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    for (int k = 0; k < 3; k++) {
        for (int n = 0; n < WORDS; n++)
            words[n] = rounds > 1 ? n == 0 && k == 2 : 1000 * k + n;
        mem[k] = clCreateBuffer(context, flags[k] | CL_MEM_COPY_HOST_PTR, sizeof words, words, &error);
        clSetKernelArg(kernel, (cl_uint)k, sizeof(cl_mem), &mem[k]);
    }
    for (int now = 1; now <= rounds; now++) {
        if (rounds > 1)
            clSetKernelArg(kernel, 3, sizeof now, &now);
        error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL,
                                       now == rounds ? &event : NULL);
    }
    clFinish(queue);
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    printf("%s enqueued %d ended %d\n", name, error, status);
    show(name, "in", mem[0]);
    show(name, "out", mem[1]);
    show(name, "both", mem[2]);
    clReleaseEvent(event);
    for (int k = 0; k < 3; k++)
        clReleaseMemObject(mem[k]);
    clReleaseKernel(kernel);
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    program = clCreateProgramWithSource(context, sizeof sources / sizeof *sources,
                                        (const char **)(size_t)sources, NULL, &error);
    if (clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL)) {
        static char log[10000];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
        return 2;
    }
    for (int k = 1; k < argc; k++)
        launch(argv[k], strcmp(argv[k], "level") == 0 ? 9 : 1);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
