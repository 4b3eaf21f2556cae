/* A driver with two defects: refcl's, but the kernel of the seventh test crashes and that of the ninth never
 * ends.  The real driver is FAKE_ICD_REAL.  With FAKE_ICD_COUNTS=FILE there are no defects: FILE has how many
 * kernels, programs, memory objects, queues and SVM allocations there were, and how many of them are left, as
 * 64-bit integers. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static cl_kernel(CL_API_CALL *create_kernel)(cl_program, const char *, cl_int *);
static cl_int(CL_API_CALL *enqueue_kernel)(cl_command_queue, cl_kernel, cl_uint, const size_t *,
                                           const size_t *, const size_t *, cl_uint, const cl_event *,
                                           cl_event *);
static cl_kernel crashing, hanging;
enum { KERNELS, PROGRAMS, MEMORY, QUEUES, SVM, KINDS };
static int64_t (*counts)[2]; /* made, left */
static cl_icd_dispatch original;

static void *made(int kind, void *object)
{
    if (counts && object) {
        counts[kind][0]++;
        counts[kind][1]++;
    }
    return object;
}

static cl_int released(int kind, cl_int status)
{
    if (counts && status == CL_SUCCESS)
        counts[kind][1]--;
    return status;
}

static cl_kernel CL_API_CALL fake_create_kernel(cl_program program, const char *name, cl_int *status)
{
    cl_kernel kernel = create_kernel(program, name, status);
    made(KERNELS, kernel);
    if (counts)
        return kernel;
    crashing = strcmp(name, "refcl_litmus_6") == 0 ? kernel : crashing == kernel ? NULL : crashing;
    hanging = strcmp(name, "refcl_litmus_8") == 0 ? kernel : hanging == kernel ? NULL : hanging;
    return kernel;
}

static cl_int CL_API_CALL fake_enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                              const size_t *offset, const size_t *global, const size_t *local,
                                              cl_uint count, const cl_event *list, cl_event *event)
{
    if (kernel == crashing)
        raise(SIGSEGV);
    while (kernel == hanging)
        pause();
    return enqueue_kernel(queue, kernel, dimensions, offset, global, local, count, list, event);
}

static cl_int CL_API_CALL release_kernel(cl_kernel kernel)
{
    return released(KERNELS, original.clReleaseKernel(kernel));
}

static cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char **texts,
                                             const size_t *sizes, cl_int *status)
{
    return made(PROGRAMS, original.clCreateProgramWithSource(context, count, texts, sizes, status));
}

static cl_int CL_API_CALL release_program(cl_program program)
{
    return released(PROGRAMS, original.clReleaseProgram(program));
}

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size, void *from,
                                        cl_int *status)
{
    return made(MEMORY, original.clCreateBuffer(context, flags, size, from, status));
}

static cl_int CL_API_CALL release_memory(cl_mem memory)
{
    return released(MEMORY, original.clReleaseMemObject(memory));
}

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                                 const cl_queue_properties *properties, cl_int *status)
{
    return made(QUEUES, original.clCreateCommandQueueWithProperties(context, device, properties, status));
}

static cl_int CL_API_CALL release_queue(cl_command_queue queue)
{
    return released(QUEUES, original.clReleaseCommandQueue(queue));
}

static void *CL_API_CALL svm_alloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    return made(SVM, original.clSVMAlloc(context, flags, size, alignment));
}

static void CL_API_CALL svm_free(cl_context context, void *pointer)
{
    released(SVM, pointer ? CL_SUCCESS : CL_INVALID_VALUE);
    original.clSVMFree(context, pointer);
}

static void count_objects(cl_icd_dispatch *table)
{
    const char *path = getenv("FAKE_ICD_COUNTS");
    int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (fd < 0 || ftruncate(fd, sizeof *counts * KINDS) != 0)
        return;
    void *shared = mmap(NULL, sizeof *counts * KINDS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (shared == MAP_FAILED)
        return;
    counts = shared;
    original = *table;
    table->clReleaseKernel = release_kernel;
    table->clCreateProgramWithSource = create_program;
    table->clReleaseProgram = release_program;
    table->clCreateBuffer = create_buffer;
    table->clReleaseMemObject = release_memory;
    table->clCreateCommandQueueWithProperties = create_queue;
    table->clReleaseCommandQueue = release_queue;
    table->clSVMAlloc = svm_alloc;
    table->clSVMFree = svm_free;
}

/* All objects of the driver share one table of functions. */
static void patch(cl_icd_dispatch *table)
{
    uintptr_t page = (uintptr_t)table & ~(uintptr_t)4095;
    size_t size = ((uintptr_t)table + sizeof *table - page + 4095) & ~(size_t)4095;
    if (create_kernel || mprotect((void *)page, size, PROT_READ | PROT_WRITE) != 0)
        return;
    create_kernel = table->clCreateKernel;
    enqueue_kernel = table->clEnqueueNDRangeKernel;
    count_objects(table);
    table->clGetPlatformIDs = clGetPlatformIDs; /* no tags: loaders dispatch by the table */
    table->clUnloadCompiler = NULL;
    table->clCreateKernel = fake_create_kernel;
    table->clEnqueueNDRangeKernel = fake_enqueue_kernel;
}

static void *real(const char *name)
{
    static void *library;
    const char *path = getenv("FAKE_ICD_REAL");
    if (!library && path)
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : NULL;
}

typedef cl_int(CL_API_CALL *platforms_fn)(cl_uint, cl_platform_id *, cl_uint *);
typedef void *(CL_API_CALL *address_fn)(const char *);

cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms, cl_uint *count);
cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    address_fn address = (address_fn)real("clGetExtensionFunctionAddress");
    platforms_fn get = address ? (platforms_fn)address("clIcdGetPlatformIDsKHR") : NULL;
    cl_int status = get ? get(room, platforms, count) : CL_PLATFORM_NOT_FOUND_KHR;
    if (status == CL_SUCCESS && platforms)
        patch(*(cl_icd_dispatch **)platforms[0]);
    return status;
}

void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    address_fn address = (address_fn)real("clGetExtensionFunctionAddress");
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
        return (void *)(uintptr_t)clIcdGetPlatformIDsKHR;
    return address ? address(name) : NULL;
}

cl_int CL_API_CALL clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    return clIcdGetPlatformIDsKHR(room, platforms, count);
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size, void *value,
                                     size_t *needed)
{
    return (*(cl_icd_dispatch **)platform)->clGetPlatformInfo(platform, what, size, value, needed);
}
