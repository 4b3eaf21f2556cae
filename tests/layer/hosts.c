/* Host programs around the layer: hosts WHAT.  Each has the race of samples/two_queues.c.
 *
 * maps: prints the files that are mapped into the process, at the end.  threads: other threads use separate
 * buffers and queues at the same time.  fork: a child is forked while OpenCL is in use, and ends first.
 * load: the loader is loaded with dlopen, and closed at the end.  direct FILE: the driver is loaded without a
 * loader.  exit: _exit() at the end.  crash: abort() at the end.  killed N: N more commands, a wait after
 * each, and SIGKILL. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *library;
#define CALL(name) ((__typeof__(&name))dlsym(library, #name))

static cl_context context;
static cl_device_id device;

static void print_maps(void)
{
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        fputs(line, stdout);
    if (maps)
        fclose(maps);
}

static void *work(void *unused)
{
    int zero = 0;
    cl_mem own = CALL(clCreateBuffer)(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    cl_command_queue q = CALL(clCreateCommandQueue)(context, device, 0, NULL);
    for (int i = 0; i < 200; i++) {
        cl_event filled;
        CALL(clEnqueueFillBuffer)(q, own, &zero, 4, 0, 64, 0, NULL, &filled);
        CALL(clWaitForEvents)(1, &filled);
        CALL(clReleaseEvent)(filled);
    }
    CALL(clReleaseCommandQueue)(q);
    CALL(clReleaseMemObject)(own);
    return unused;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    char zeros[64] = {0};
    cl_platform_id platform;
    library = dlopen(strcmp(what, "direct") == 0 ? argv[2] : "libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library && strcmp(what, "direct") == 0) {
        void *(*address)(const char *) =
            (void *(*)(const char *))dlsym(library, "clGetExtensionFunctionAddress");
        int (*get)(cl_uint, cl_platform_id *, cl_uint *) = (int (*)(cl_uint, cl_platform_id *, cl_uint *))(
            address ? address("clIcdGetPlatformIDsKHR") : NULL);
        return !get || get(1, &platform, NULL);
    }
    if (!library || CALL(clGetPlatformIDs)(1, &platform, NULL) ||
        CALL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 2;
    context = CALL(clCreateContext)(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue q = CALL(clCreateCommandQueue)(context, device, 0, NULL),
                     r = CALL(clCreateCommandQueue)(context, device, 0, NULL);
    cl_mem buffer = CALL(clCreateBuffer)(context, CL_MEM_READ_WRITE, sizeof zeros, NULL, NULL);
    CALL(clEnqueueWriteBuffer)(q, buffer, CL_FALSE, 0, sizeof zeros, zeros, 0, NULL, NULL);
    if (strcmp(what, "fork") == 0) {
        pid_t child = fork();
        if (child == 0)
            exit(0);
        waitpid(child, NULL, 0);
    }
    CALL(clEnqueueFillBuffer)(r, buffer, zeros, 4, 0, sizeof zeros, 0, NULL, NULL);
    pthread_t threads[4];
    for (int i = 0; i < 4 && strcmp(what, "threads") == 0; i++)
        if (pthread_create(&threads[i], NULL, work, NULL))
            return 2;
    for (int i = 0; i < 4 && strcmp(what, "threads") == 0; i++)
        pthread_join(threads[i], NULL);
    int code = CALL(clFinish)(q) || CALL(clFinish)(r);
    if (strcmp(what, "maps") == 0)
        print_maps();
    if (strcmp(what, "crash") == 0)
        abort();
    if (strcmp(what, "exit") == 0)
        _exit(code);
    for (int i = 0; strcmp(what, "killed") == 0; i++) {
        if (i == atoi(argv[2]))
            raise(SIGKILL);
        code = CALL(clEnqueueFillBuffer)(r, buffer, zeros, 4, 0, sizeof zeros, 0, NULL, NULL) ||
               CALL(clFinish)(r);
    }
    if (strcmp(what, "load") == 0)
        dlclose(library);
    return code;
}
