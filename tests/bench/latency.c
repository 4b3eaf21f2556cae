/* What building a program and launching its kernel for the first time costs, in CPU time of this process and
 * of the compiler's: latency small N, N small programs after a first one; latency large N, programs of 1,500
 * lines; latency one, the first program of the process, from clBuildProgram to the end of the first launch.
 * Prints: milliseconds per program of CPU time, of real time, KiB that the process grew by from N/4 programs
 * on. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s failed\n", what);
        exit(1);
    }
}

/* ---- times ------------------------------------------------------------------------------- */

static double of(const struct rusage *u)
{
    return 1e3 * (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
           1e-3 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

/* Of a child that lives on, and of those that it has waited for. */
static double of_child(int pid)
{
    char path[64], text[1024];
    unsigned long t[4];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    size_t n = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    text[n] = 0;
    char *end = strrchr(text, ')');
    if (end == NULL || sscanf(end + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", &t[0],
                              &t[1], &t[2], &t[3]) != 4)
        return 0;
    return 1e3 * (double)(t[0] + t[1] + t[2] + t[3]) / (double)sysconf(_SC_CLK_TCK);
}

static double cpu(void)
{
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    double sum = of(&own) + of(&children);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *list = fopen(path, "r");
    for (int pid; list != NULL && fscanf(list, "%d", &pid) == 1;)
        sum += of_child(pid);
    if (list != NULL)
        fclose(list);
    return sum;
}

static double real(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static long resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    must(file != NULL && fscanf(file, "%*d %ld", &pages) == 1, "statm");
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* ---- programs ---------------------------------------------------------------------------- */

static void small(char *source, size_t size, int n)
{
    snprintf(source, size,
             "kernel void k(global int *o, int x) { int i = get_global_id(0); "
             "if (i %% %d) o[i] = o[i] * %d + x; else o[i] = i - %d; }",
             n % 7 + 2, n, n);
}

/* Kernel k and 149 others. */
static void large(char *source, size_t size, int n)
{
    size_t at = 0;
    for (int f = 0; f < 150 && at < size; f++) {
        char name[16] = "k";
        if (f > 0)
            snprintf(name, sizeof name, "f%d", f);
        at += (size_t)snprintf(source + at, size - at,
                               "kernel void %s(global int *o, int x)\n{\n    int i = get_global_id(0);\n"
                               "    float s = %d;\n    for (int j = 0; j < x; j++) {\n"
                               "        s = s * o[j] + %d;\n        s = s > 9 ? sqrt(s) : s;\n    }\n"
                               "    o[i] = (int)s;\n}\n",
                               name, n, f);
    }
}

struct device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer;
};

static void run(struct device *d, const char *source)
{
    cl_int error;
    size_t size = 64;
    cl_int x = 3;
    cl_program program = clCreateProgramWithSource(d->context, 1, &source, NULL, &error);
    must(error == CL_SUCCESS && clBuildProgram(program, 1, &d->id, "", NULL, NULL) == CL_SUCCESS,
         "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    must(error == CL_SUCCESS, "clCreateKernel");
    must(clSetKernelArg(kernel, 0, sizeof d->buffer, &d->buffer) == CL_SUCCESS &&
             clSetKernelArg(kernel, 1, sizeof x, &x) == CL_SUCCESS,
         "clSetKernelArg");
    must(clEnqueueNDRangeKernel(d->queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL) == CL_SUCCESS &&
             clFinish(d->queue) == CL_SUCCESS,
         "the launch");
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

int main(int argc, char **argv)
{
    static char source[200000];
    struct device d;
    cl_platform_id platform;
    cl_int error;
    int one = argc > 1 && strcmp(argv[1], "one") == 0, n = argc > 2 ? atoi(argv[2]) : 1;
    void (*make)(char *, size_t, int) = argc > 1 && strcmp(argv[1], "large") == 0 ? large : small;
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* the compiler, which detaches itself, stays a child */
    must(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS, "clGetPlatformIDs");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &d.id, NULL) == CL_SUCCESS, "clGetDeviceIDs");
    d.context = clCreateContext(NULL, 1, &d.id, NULL, NULL, &error);
    d.queue = clCreateCommandQueueWithProperties(d.context, d.id, NULL, &error);
    d.buffer = clCreateBuffer(d.context, CL_MEM_READ_WRITE, 4096, NULL, &error);
    must(error == CL_SUCCESS, "clCreateBuffer");
    for (int k = 0; k < 2 && !one; k++) {
        make(source, sizeof source, 1000 + k);
        run(&d, source);
    }
    double c = cpu(), t = real();
    long kib = resident();
    for (int k = 0; k < n; k++) {
        if (k == n / 4)
            kib = resident();
        make(source, sizeof source, k + 1);
        run(&d, source);
    }
    printf("%.2f %.2f %ld\n", (cpu() - c) / n, (real() - t) / n, resident() - kib);
    clReleaseMemObject(d.buffer);
    clReleaseCommandQueue(d.queue);
    clReleaseContext(d.context);
    return 0;
}
