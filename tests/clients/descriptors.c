/* An application that closes descriptors which it did not open, and gets their numbers for its own files.
 *
 *     descriptors reuse FILE   closes what the library opened, and has FILE or a socket under each number
 * instead descriptors closed FILE  starts without standard descriptors, and opens FILE when the library is in
 * use
 *
 * FILE must hold "mine" and nothing else in the end.  Exit code 0: all kernels computed what they should, and
 * nothing came out of the sockets. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 65536 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

static void check(cl_int code, int step)
{
    if (code != CL_SUCCESS)
        exit(10 + step);
}

/* Builds a kernel that stores NUMBER, and runs it. */
static void compute(int number)
{
    cl_int code, result = 0;
    char text[100];
    const char *source = text;
    snprintf(text, sizeof text, "kernel void k(global int *a) { *a = %d; }", number);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    check(code, 1);
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), 2);
    cl_kernel kernel = clCreateKernel(program, "k", &code);
    check(code, 3);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof result, NULL, &code);
    check(code, 4);
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), 5);
    size_t one = 1;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), 6);
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL), 7);
    if (result != number)
        exit(3);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void list_open(bool *is_open)
{
    DIR *folder = opendir("/proc/self/fd");
    memset(is_open, 0, MOST);
    for (struct dirent *e; folder && (e = readdir(folder));) {
        int fd = atoi(e->d_name);
        if (e->d_name[0] != '.' && fd < MOST && fd != dirfd(folder))
            is_open[fd] = true;
    }
    if (folder)
        closedir(folder);
    else
        exit(4);
}

static void set_up(void)
{
    cl_platform_id platform;
    cl_int code;
    check(clGetPlatformIDs(1, &platform, NULL), 20);
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), 21);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, 22);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    check(code, 23);
}

static void *extension(const char *name)
{
    cl_platform_id platform;
    void *function = NULL;
    if (clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS)
        function = clGetExtensionFunctionAddressForPlatform(platform, name);
    if (!function)
        exit(30);
    return function;
}

/* A semaphore that can be shared, so that it has a descriptor. */
static cl_semaphore_khr create_semaphore(void)
{
    const cl_semaphore_properties_khr properties[] = {CL_SEMAPHORE_TYPE_KHR,
                                                      CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                      CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                                      CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                      CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR,
                                                      0};
    clCreateSemaphoreWithPropertiesKHR_fn create;
    cl_int code;
    *(void **)&create = extension("clCreateSemaphoreWithPropertiesKHR");
    cl_semaphore_khr semaphore = create(context, properties, &code);
    check(code, 31);
    return semaphore;
}

static void signal_and_wait(cl_semaphore_khr semaphore)
{
    clEnqueueSignalSemaphoresKHR_fn enqueue_signal;
    clEnqueueWaitSemaphoresKHR_fn enqueue_wait;
    *(void **)&enqueue_signal = extension("clEnqueueSignalSemaphoresKHR");
    *(void **)&enqueue_wait = extension("clEnqueueWaitSemaphoresKHR");
    check(enqueue_signal(queue, 1, &semaphore, NULL, 0, NULL, NULL), 32);
    check(enqueue_wait(queue, 1, &semaphore, NULL, 0, NULL, NULL), 33);
    check(clFinish(queue), 34);
}

static int open_mine(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (fd < 0 || write(fd, "mine", 4) != 4)
        exit(5);
    return fd;
}

/* Another file under the number of each descriptor that the library opened; false: it opened none. */
static bool take_numbers(const bool *before, int file, int socket)
{
    static bool now[MOST];
    bool any = false;
    list_open(now);
    for (int fd = 0; fd < MOST; fd++) {
        struct stat status;
        if (!now[fd] || before[fd] || fd == file || fd == socket || fstat(fd, &status))
            continue;
        any = true;
        if (dup2(S_ISSOCK(status.st_mode) ? socket : file, fd) != fd)
            exit(6);
    }
    return any;
}

static int reuse(const char *path)
{
    static bool before[MOST];
    int ends[2], file = open_mine(path);
    char byte;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
        return 7;
    list_open(before);
    set_up();
    compute(1);
    cl_semaphore_khr semaphore = create_semaphore();
    signal_and_wait(semaphore);
    if (!take_numbers(before, file, ends[0]))
        return 8;
    compute(2);
    signal_and_wait(semaphore);
    /* Both files are still open under every number. */
    list_open(before);
    for (int fd = 0; fd < MOST; fd++)
        if (before[fd] && fcntl(fd, F_GETFD) < 0)
            return 9;
    compute(3);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return recv(ends[1], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN ? 0 : 1;
}

static int closed(const char *path)
{
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    set_up();
    compute(1);
    /* The application believes in its standard output, whatever it is by now. */
    ssize_t ignored = write(STDOUT_FILENO, "garbage", 7) + write(STDERR_FILENO, "garbage", 7);
    (void)ignored;
    open_mine(path);
    compute(2);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    return strcmp(argv[1], "reuse") == 0 ? reuse(argv[2]) : closed(argv[2]);
}
