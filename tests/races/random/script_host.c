/* Runs the host programs that test_random_host.py makes up: each line of the script is a call.
 *
 *   S OUT...          a new program with one queue for each OUT (1: out of order)
 *   B                 a buffer of 64 words             Z B H: half H of buffer B, as a sub-buffer
 *   k Q B LO N W L    a kernel of one work-item that reads, or W: writes, N words from LO on
 *   r Q B LO N X L    clEnqueueReadBuffer, X: blocking       w: clEnqueueWriteBuffer
 *   f Q B LO N 0 L    clEnqueueFillBuffer                    c Q B LO N D T L: copies to word T of buffer D
 *   p Q B LO N X W L  clEnqueueMapBuffer for reading, W: for writing     u Q P L: map number P is unmapped
 *   m Q L, b Q L      marker, barrier                        F Q: clFinish
 *   W L               clWaitForEvents
 *   U, T E            a user event; it is set to complete
 *
 * L is a count and that many events, which are numbered in the order in which they are made. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 64, MOST = 64 };

static const char *const text = "kernel void look(volatile global int *p, int lo, int n) {\n"
                                "  for (int i = lo; i < lo + n; i++) p[i]; }\n"
                                "kernel void put(volatile global int *p, int lo, int n) {\n"
                                "  for (int i = lo; i < lo + n; i++) p[i] = i; }\n";

static cl_device_id devices[4];
static cl_uint device_count;
static cl_context context;
static cl_program program;
static cl_command_queue queues[8];
static cl_mem buffers[MOST];
static cl_event events[MOST];
static struct {
    cl_mem mem;
    void *pointer;
} maps[MOST];
static int queue_count, buffer_count, event_count, map_count;

static void check(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: error %d\n", what, code);
    exit(2);
}

static int number(void)
{
    char *word = strtok(NULL, " \n");
    return word ? atoi(word) : 0;
}

static void finish_program(void)
{
    for (int i = 0; i < queue_count; i++) {
        check(clFinish(queues[i]), "clFinish");
        clReleaseCommandQueue(queues[i]);
    }
    for (int i = 0; i < event_count; i++)
        clReleaseEvent(events[i]);
    queue_count = buffer_count = event_count = map_count =
        0; /* buffers stay, so that none takes the place of another */
}

static void new_program(void)
{
    char *word;
    cl_int code;
    finish_program();
    while ((word = strtok(NULL, " \n"))) {
        cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                      atoi(word) ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, 0};
        queues[queue_count] = clCreateCommandQueueWithProperties(
            context, devices[queue_count % (int)device_count], list, &code);
        queue_count++;
        check(code, "queue");
    }
}

static int wait_list(cl_event list[MOST])
{
    int n = number();
    for (int i = 0; i < n; i++)
        list[i] = events[number()];
    return n;
}

static void access_command(char what)
{
    static int words[WORDS];
    cl_event list[MOST], *event = &events[event_count++];
    cl_command_queue q = queues[number()];
    cl_mem b = buffers[number()];
    int lo = number(), n = number(), flag = number(), target = what == 'c' ? number() : 0;
    int waits = wait_list(list), pattern = 7;
    size_t at = (size_t)lo * 4, size = (size_t)n * 4, one = 1;
    const cl_event *w = waits ? list : NULL;
    cl_uint c = (cl_uint)waits;
    cl_int code;
    if (what == 'k') {
        cl_kernel kernel = clCreateKernel(program, flag ? "put" : "look", &code);
        check(code, "clCreateKernel");
        check(clSetKernelArg(kernel, 0, sizeof b, &b), "argument 0");
        check(clSetKernelArg(kernel, 1, sizeof lo, &lo), "argument 1");
        check(clSetKernelArg(kernel, 2, sizeof n, &n), "argument 2");
        check(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &one, NULL, c, w, event), "launch");
        clReleaseKernel(kernel);
    } else if (what == 'r') {
        int *out = calloc(WORDS, 4); /* of its own: commands may overlap in time */
        check(clEnqueueReadBuffer(q, b, flag ? CL_TRUE : CL_FALSE, at, size, out, c, w, event), "read");
    } else if (what == 'w') {
        check(clEnqueueWriteBuffer(q, b, flag ? CL_TRUE : CL_FALSE, at, size, words, c, w, event), "write");
    } else if (what == 'f') {
        check(clEnqueueFillBuffer(q, b, &pattern, sizeof pattern, at, size, c, w, event), "fill");
    } else {
        check(clEnqueueCopyBuffer(q, b, buffers[flag], at, (size_t)target * 4, size, c, w, event), "copy");
    }
    check(clFlush(q), "clFlush");
}

static void half(void)
{
    cl_mem whole = buffers[number()];
    cl_buffer_region region = {(size_t)number() * WORDS * 2, WORDS * 2};
    cl_int code;
    buffers[buffer_count++] =
        clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    check(code, "sub-buffer");
}

static void map_command(void)
{
    cl_event list[MOST];
    cl_command_queue q = queues[number()];
    cl_mem b = buffers[number()];
    int lo = number(), n = number(), blocking = number(), writes = number(), waits = wait_list(list);
    cl_int code;
    maps[map_count].mem = b;
    maps[map_count++].pointer = clEnqueueMapBuffer(
        q, b, blocking ? CL_TRUE : CL_FALSE, writes ? CL_MAP_WRITE : CL_MAP_READ, (size_t)lo * 4,
        (size_t)n * 4, (cl_uint)waits, waits ? list : NULL, &events[event_count], &code);
    event_count++;
    check(code, "map");
}

static void unmap_command(void)
{
    cl_event list[MOST];
    cl_command_queue q = queues[number()];
    int map = number(), waits = wait_list(list);
    check(clEnqueueUnmapMemObject(q, maps[map].mem, maps[map].pointer, (cl_uint)waits, waits ? list : NULL,
                                  &events[event_count++]),
          "unmap");
}

static void order_command(char what)
{
    cl_event list[MOST];
    cl_command_queue q = queues[number()];
    int n = wait_list(list);
    const cl_event *w = n ? list : NULL;
    cl_event *event = &events[event_count++];
    if (what == 'm')
        check(clEnqueueMarkerWithWaitList(q, (cl_uint)n, w, event), "marker");
    else
        check(clEnqueueBarrierWithWaitList(q, (cl_uint)n, w, event), "barrier");
}

static void call(char *line)
{
    cl_event list[MOST];
    cl_int code = CL_SUCCESS;
    int n;
    char what = *strtok(line, " \n");
    switch (what) {
    case 'S':
        new_program();
        break;
    case 'B':
        buffers[buffer_count++] = clCreateBuffer(context, CL_MEM_READ_WRITE, WORDS * 4, NULL, &code);
        break;
    case 'Z':
        half();
        break;
    case 'p':
        map_command();
        break;
    case 'u':
        unmap_command();
        break;
    case 'm':
    case 'b':
        order_command(what);
        break;
    case 'F':
        code = clFinish(queues[number()]);
        break;
    case 'W':
        n = wait_list(list);
        code = clWaitForEvents((cl_uint)n, list);
        break;
    case 'U':
        events[event_count++] = clCreateUserEvent(context, &code);
        break;
    case 'T':
        code = clSetUserEventStatus(events[number()], CL_COMPLETE);
        break;
    default:
        access_command(what);
    }
    check(code, line);
}

int main(int argc, char **argv)
{
    static char line[1000];
    cl_platform_id platform;
    cl_int code;
    FILE *script = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!script)
        return 2;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 4, devices, &device_count), "devices");
    device_count = device_count < 4 ? device_count : 4;
    context = clCreateContext(NULL, device_count, devices, NULL, NULL, &code);
    check(code, "context");
    program = clCreateProgramWithSource(context, 1, (const char **)(size_t)&text, NULL, &code);
    check(code, "program");
    check(clBuildProgram(program, 0, NULL, "", NULL, NULL), "build");
    while (fgets(line, sizeof line, script))
        call(line);
    finish_program();
    fclose(script);
    return 0;
}
