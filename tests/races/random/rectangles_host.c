/* Runs pairs of unordered commands that test_random_rectangles.py makes up.  Each line of the script holds two
 * commands, which share one buffer of 512 bytes; what else they use is private:
 *
 *   WHAT PART X Y Z WIDTH HEIGHT DEPTH ROW SLICE
 *
 * on the bytes X to X + WIDTH - 1 of rows of ROW bytes and slices of SLICE bytes, of the buffer or (PART 1) of its
 * sub-buffer.  WHAT: k, K a kernel that reads, writes; r, w clEnqueueReadBufferRect, clEnqueueWriteBufferRect;
 * c, C clEnqueueCopyBufferRect from it, to it; f, g, h clEnqueueFillBuffer of WIDTH bytes from X on, with patterns of
 * 1, 4 and 64 bytes. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 512 };

static const char *const text =
    "kernel void use(volatile global uchar *p, int x, int y, int z, int row, int slice, int writes) {\n"
    "  volatile global uchar *at = p + (z + (int)get_global_id(2)) * slice +\n"
    "      (y + (int)get_global_id(1)) * row + x + (int)get_global_id(0);\n"
    "  if (writes) *at = 1; else *at; }\n";

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;

static void check(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: error %d\n", what, code);
    exit(2);
}

static cl_mem create_buffer(void)
{
    static char zeros[BYTES];
    cl_int code;
    cl_mem mem = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, BYTES, zeros, &code);
    check(code, "clCreateBuffer");
    return mem;
}

static void launch(cl_mem mem, const size_t origin[3], const size_t region[3], size_t row, size_t slice,
                   int writes)
{
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, "use", &code);
    check(code, "clCreateKernel");
    const int values[] = {(int)origin[0], (int)origin[1], (int)origin[2], (int)row, (int)slice, writes};
    check(clSetKernelArg(kernel, 0, sizeof mem, &mem), "the buffer");
    for (cl_uint i = 0; i < 6; i++)
        check(clSetKernelArg(kernel, i + 1, sizeof *values, &values[i]), "a number");
    check(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, region, NULL, 0, NULL, NULL), "launch");
    clReleaseKernel(kernel);
}

static void enqueue(FILE *script, const cl_mem parts[2], cl_mem other)
{
    static const char pattern[64];
    const size_t zero[3] = {0, 0, 0};
    size_t n[9]; /* PART to SLICE */
    char what;
    if (fscanf(script, " %c", &what) != 1)
        check(CL_INVALID_VALUE, "script");
    for (int i = 0; i < 9; i++)
        if (fscanf(script, "%zu", &n[i]) != 1)
            check(CL_INVALID_VALUE, "script");
    const size_t *origin = &n[1], *region = &n[4], row = n[7], slice = n[8];
    cl_mem mem = parts[n[0]];
    void *host = calloc(1, BYTES); /* kept: the commands may overlap in time */
    switch (what) {
    case 'k':
    case 'K':
        launch(mem, origin, region, row, slice, what == 'K');
        break;
    case 'r':
        check(clEnqueueReadBufferRect(queue, mem, CL_FALSE, origin, zero, region, row, slice, 0, 0, host, 0,
                                      NULL, NULL),
              "read");
        break;
    case 'w':
        check(clEnqueueWriteBufferRect(queue, mem, CL_FALSE, origin, zero, region, row, slice, 0, 0, host, 0,
                                       NULL, NULL),
              "write");
        break;
    case 'c':
        check(
            clEnqueueCopyBufferRect(queue, mem, other, origin, zero, region, row, slice, 0, 0, 0, NULL, NULL),
            "copy from");
        break;
    case 'C':
        check(
            clEnqueueCopyBufferRect(queue, other, mem, zero, origin, region, 0, 0, row, slice, 0, NULL, NULL),
            "copy to");
        break;
    default:
        check(clEnqueueFillBuffer(queue, mem, pattern,
                                  what == 'f'   ? 1
                                  : what == 'g' ? 4
                                                : 64,
                                  origin[0], region[0], 0, NULL, NULL),
              "fill");
    }
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_int code;
    const cl_queue_properties unordered[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    FILE *script = fopen(argc > 1 ? argv[1] : "", "r");
    check(script ? CL_SUCCESS : CL_INVALID_VALUE, "script");
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "context");
    queue = clCreateCommandQueueWithProperties(context, device, unordered, &code);
    check(code, "queue");
    program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &code);
    check(code, "program");
    check(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL), "build");
    int pairs;
    if (fscanf(script, "%d", &pairs) != 1)
        check(CL_INVALID_VALUE, "script");
    for (int i = 0; i < pairs; i++) {
        const cl_buffer_region region = {BYTES / 4, BYTES / 2};
        cl_mem parts[2] = {create_buffer(), NULL};
        parts[1] = clCreateSubBuffer(parts[0], 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
        check(code, "sub-buffer");
        for (int k = 0; k < 2; k++)
            enqueue(script, parts, create_buffer());
        check(clFinish(queue), "clFinish"); /* memory stays, so that none takes the place of another */
    }
    fclose(script);
    return 0;
}
