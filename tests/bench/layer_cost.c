/* Cost of the loader layer: nanoseconds of each command, wall time and CPU time, and the memory of the
 * process.
 *
 * layer_cost COMMANDS [ITERATIONS [FINISHED [QUEUES [BUSY]]]]: copies of 64 bytes on an in-order queue, one
 * in eight a kernel; with ITERATIONS each command is a kernel with a loop of that trip count.  The host waits
 * after FINISHED commands (1000).  With two QUEUES commands alternate, and each waits for the event of the
 * one before it.  The host computes for BUSY ns after each command. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void check(cl_int code, int line)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "line %d: error %d\n", line, code);
    exit(2);
}
#define OK(call) check((call), __LINE__)

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static long resident_kib(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%*d %ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * 4;
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 100000;
    cl_int iterations = argc > 2 ? atoi(argv[2]) : 0;
    long finished = argc > 3 ? atol(argv[3]) : 1000;
    int queues = argc > 4 && atoi(argv[4]) == 2 ? 2 : 1;
    double busy = argc > 5 ? atof(argv[5]) : 0;
    const char *text =
        "kernel void one(global int *x, int iterations) { int n = x[get_global_id(0)];\n"
        "  for (int i = 0; i < iterations; i++) n = n * 1664525 + i; x[get_global_id(0)] = n; }";
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    OK(code);
    cl_command_queue queue[2];
    for (int i = 0; i < queues; i++) {
        queue[i] = clCreateCommandQueue(context, device, 0, &code);
        OK(code);
    }
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &code);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &code);
    OK(code);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    OK(code);
    OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "one", &code);
    OK(code);
    OK(clSetKernelArg(kernel, 0, sizeof a, &a));
    OK(clSetKernelArg(kernel, 1, sizeof iterations, &iterations));
    double begin = now(CLOCK_MONOTONIC), cpu_begin = now(CLOCK_PROCESS_CPUTIME_ID);
    long first = 0;
    cl_event last = NULL;
    for (long i = 0; i < count; i++) {
        size_t items = 16;
        cl_command_queue q = queue[i % queues];
        cl_event next = NULL, *event = queues > 1 ? &next : NULL;
        cl_uint waits = last != NULL;
        const cl_event *list = last ? &last : NULL;
        if (iterations || i % 8 == 0)
            OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &items, NULL, waits, list, event));
        else
            OK(clEnqueueCopyBuffer(q, a, b, 0, 0, 64, waits, list, event));
        if (last)
            OK(clReleaseEvent(last));
        last = next;
        for (double until = busy ? now(CLOCK_MONOTONIC) + busy : 0; busy && now(CLOCK_MONOTONIC) < until;)
            ;
        if ((i + 1) % finished == 0)
            OK(clFinish(q));
        if (i == count / 10)
            first = resident_kib();
    }
    for (int i = 0; i < queues; i++)
        OK(clFinish(queue[i]));
    double cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    printf("%ld commands: %.0f ns a command, %.0f ns of CPU time; %.0f ns of CPU time in all; "
           "resident %ld KiB after a tenth, %ld KiB at the end\n",
           count, (now(CLOCK_MONOTONIC) - begin) / (double)count, (cpu - cpu_begin) / (double)count, cpu,
           first, resident_kib());
    return 0;
}
