/* CPU and wall time of kernels whose file states how to launch them (set_tuning.cl): set FILE.cl REPEATS
 * [KERNEL [DIRECTORY]].  Prints for each kernel the medians in milliseconds and a sum over the results, which it
 * writes to the file KERNEL in DIRECTORY.  KERNEL "-": all. */
#include "set.h"
#include "check.h"

enum { SIDE = 512, WORDS = SET_WORDS };
static cl_context context;
static cl_command_queue queue;

static cl_mem image(uint32_t *words, int integers, cl_mem_flags flags)
{
    cl_int code;
    cl_image_format format = {CL_RGBA, integers ? CL_UNSIGNED_INT8 : CL_UNORM_INT8};
    cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    cl_mem made = clCreateImage(context, flags | CL_MEM_COPY_HOST_PTR, &format, &shape, words, &code);
    check(code, "clCreateImage");
    return made;
}

/* Nodes of a list in shared virtual memory, linked in a pseudorandom order. */
struct node {
    struct node *next;
    cl_ulong value;
};

static void *shared_list(const uint32_t *words)
{
    const cl_uint count = WORDS / 4;
    struct node *nodes = clSVMAlloc(context, CL_MEM_READ_WRITE, count * sizeof *nodes, 0);
    if (nodes == NULL)
        check(CL_OUT_OF_RESOURCES, "clSVMAlloc");
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, nodes, count * sizeof *nodes, 0, NULL, NULL),
          "clEnqueueSVMMap");
    for (cl_uint k = 0; k < count; k++)
        nodes[k] = (struct node){&nodes[words[k] % count], words[k]};
    check(clEnqueueSVMUnmap(queue, nodes, 0, NULL, NULL), "clEnqueueSVMUnmap");
    return nodes;
}

static void set_arguments(cl_kernel kernel, const char *inputs, cl_mem memory[3], void **list,
                          uint32_t *words)
{
    int images = strncmp(inputs, "image", 5) == 0, integers = strcmp(inputs, "imageui") == 0;
    cl_int code;
    for (cl_uint k = 0; k < 3; k++) {
        fill(words, k < 2 ? inputs : "zero");
        memory[k] = NULL;
        if (k == 0 && strcmp(inputs, "svm") == 0) {
            *list = shared_list(words);
            check(clSetKernelArgSVMPointer(kernel, k, *list), "clSetKernelArgSVMPointer");
            continue;
        }
        if (images && k < 2) {
            memory[k] = image(words, integers, k == 0 ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY);
        } else {
            memory[k] =
                clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 4 * WORDS, words, &code);
            check(code, "clCreateBuffer");
        }
        check(clSetKernelArg(kernel, k, sizeof memory[k], &memory[k]), "clSetKernelArg");
    }
}

static uint64_t sum_of(cl_mem memory, uint32_t *words)
{
    uint64_t sum = 0;
    check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 4 * WORDS, words, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (size_t k = 0; k < WORDS; k++)
        sum = sum * 31 + words[k];
    return sum;
}

static void write_results(const char *directory, const char *kernel, const uint32_t *words)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, kernel);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(words, 4, WORDS, file) != WORDS || fclose(file) != 0)
        check(CL_OUT_OF_RESOURCES, path);
}

/* The first launch warms up.  A device that lacks a feature has no such kernel, and no row. */
static void measure(cl_program program, const struct plan *p, int repeats, uint32_t *words,
                    const char *directory)
{
    cl_int code;
    cl_mem memory[3];
    void *list = NULL;
    static double cpu[SET_MOST], wall[SET_MOST];
    cl_kernel kernel = clCreateKernel(program, p->kernel, &code);
    if (code == CL_INVALID_KERNEL_NAME)
        return;
    check(code, p->kernel);
    set_arguments(kernel, p->inputs, memory, &list, words);
    for (int k = -1; k < repeats; k++) {
        double begin = now(CLOCK_PROCESS_CPUTIME_ID), at = now(CLOCK_MONOTONIC);
        for (int n = 0; n < p->launches; n++)
            check(clEnqueueNDRangeKernel(queue, kernel, p->dimensions, NULL, p->global,
                                         p->has_local ? p->local : NULL, 0, NULL, NULL),
                  p->kernel);
        check(clFinish(queue), "clFinish");
        if (k >= 0) {
            cpu[k] = now(CLOCK_PROCESS_CPUTIME_ID) - begin;
            wall[k] = now(CLOCK_MONOTONIC) - at;
        }
    }
    printf("%s %.4f %.4f %016llx\n", p->kernel, median(cpu, repeats), median(wall, repeats),
           (unsigned long long)(strncmp(p->inputs, "image", 5) == 0 ? 0 : sum_of(memory[2], words)));
    fflush(stdout);
    if (directory != NULL)
        write_results(directory, p->kernel, words);
    for (int k = 0; k < 3; k++)
        if (memory[k] != NULL)
            clReleaseMemObject(memory[k]);
    clSVMFree(context, list);
    clReleaseKernel(kernel);
}

int main(int argc, char **argv)
{
    int repeats = argc > 2 ? atoi(argv[2]) : 0;
    char *source = argc > 1 ? read_source(argv[1]) : NULL;
    uint32_t *words = calloc(WORDS, 4);
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    if (source == NULL || repeats < 1 || repeats > SET_MOST || words == NULL)
        return 2;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    check(code, "clCreateCommandQueueWithProperties");
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &code);
    check(code, "clCreateProgramWithSource");
    code = clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL);
    if (code != CL_SUCCESS)
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, SET_SOURCE, source, NULL);
    check(code, code != CL_SUCCESS ? source : "");
    struct plan p;
    for (const char *at = source; next_plan(&at, &p);)
        if (argc < 4 || strcmp(argv[3], "-") == 0 || strcmp(argv[3], p.kernel) == 0)
            measure(program, &p, repeats, words, argc > 4 ? argv[4] : NULL);
    return 0;
}
