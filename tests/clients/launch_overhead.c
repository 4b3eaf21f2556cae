/* Launch overhead: an empty kernel on the first device of every platform, with a wait after each launch and
 * with one wait after a thousand.  CPU time of all threads, user and system: the median and the best of
 * several repetitions, in microseconds per launch. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LAUNCHES = 1000, REPETITIONS = 51 };

struct result {
    double median, best;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct result measure(cl_command_queue queue, cl_kernel kernel, int wait_each)
{
    const size_t one = 1;
    double times[REPETITIONS];
    for (int r = 0; r < REPETITIONS; r++) {
        double start = now();
        for (int i = 0; i < LAUNCHES; i++) {
            if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL))
                exit(1);
            if (wait_each)
                clFinish(queue);
        }
        clFinish(queue);
        times[r] = (now() - start) / LAUNCHES;
    }
    qsort(times, REPETITIONS, sizeof *times, compare);
    return (struct result){times[REPETITIONS / 2], times[0]};
}

static int platform(cl_platform_id id)
{
    static const char *source = "__kernel void empty(void) {}";
    char name[128] = "";
    cl_device_id device;
    cl_int err;
    clGetPlatformInfo(id, CL_PLATFORM_NAME, sizeof name, name, NULL);
    if (clGetDeviceIDs(id, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    if (err || clBuildProgram(program, 1, &device, "", NULL, NULL))
        return 1;
    cl_kernel kernel = clCreateKernel(program, "empty", &err);
    measure(queue, kernel, 0);
    struct result each = measure(queue, kernel, 1), all = measure(queue, kernel, 0);
    printf("%-32s median %.2f best %.2f us with a wait each, median %.2f best %.2f us without\n", name,
           each.median, each.best, all.median, all.best);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}

int main(void)
{
    cl_platform_id ids[8];
    cl_uint count = 0;
    int bad = clGetPlatformIDs(8, ids, &count) != CL_SUCCESS;
    for (cl_uint i = 0; i < count && i < 8; i++)
        bad |= platform(ids[i]);
    return bad;
}
