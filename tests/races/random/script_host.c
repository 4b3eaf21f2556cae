/* Runs the host programs that test_random_host.py makes up: each line of the script is a call.
 *
 *   S OUT...          a new program with one queue for each OUT (1: out of order)
 *   B                 a buffer of 64 words             Z B H: half H of buffer B, as a sub-buffer
 *   V F               SVM of 64 words, F: fine-grained; a memory object like buffers in what follows
 *   k Q B LO N W L    a kernel of one work-item that reads, or W: writes, N words from LO on
 *   r Q B LO N X L    clEnqueueReadBuffer, X: blocking       w: clEnqueueWriteBuffer
 *   f Q B LO N 0 L    clEnqueueFillBuffer                    c Q B LO N D T L: copies to word T of buffer D
 *   p Q B LO N X W L  clEnqueueMapBuffer for reading, W: for writing     u Q P L: map number P is unmapped
 *   m Q L, b Q L      marker, barrier                        F Q: clFinish
 *   W L               clWaitForEvents
 *   U, T E            a user event; it is set to complete
 *   e Q B LO N W D DLO DN DW F L   a kernel that does what k does and then enqueues such a kernel for object
 * D, which F: 0 does not wait, 1 waits for the kernel, 2 for the work-group h B LO N W        the host reads
 * or writes fine-grained SVM; H E B LO N W: in a callback for event E
 *
 * L is a count and that many events, which are numbered in the order in which they are made. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 64, MOST = 64 };

static const char *const text =
    "void use(volatile global int *p, int lo, int n, int w) {\n"
    "  for (int i = lo; i < lo + n; i++) if (w) p[i] = i; else p[i]; }\n"
    "kernel void access(volatile global int *p, int lo, int n, int w) { use(p, lo, n, w); }\n"
    "#ifdef __opencl_c_device_enqueue\n"
    "kernel void parent(volatile global int *p, int lo, int n, int w, volatile global int *d, int dlo, int "
    "dn,\n"
    "                   int dw, int flags) {\n"
    "  use(p, lo, n, w);\n"
    "  enqueue_kernel(get_default_queue(), flags == 1   ? CLK_ENQUEUE_FLAGS_WAIT_KERNEL\n"
    "                                      : flags == 2 ? CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP\n"
    "                                                   : CLK_ENQUEUE_FLAGS_NO_WAIT,\n"
    "                 ndrange_1D(1), ^{ use(d, dlo, dn, dw); }); }\n"
    "#endif\n";

static cl_device_id devices[4];
static cl_uint device_count;
static cl_context context;
static cl_program program;
static cl_command_queue queues[8];
static struct object {
    cl_mem mem;
    int *svm; /* instead */
    int fine;
} objects[MOST];
static cl_event events[MOST];
static struct {
    struct object *object;
    void *pointer;
} maps[MOST];
static int queue_count, object_count, event_count, map_count;
static int posted;
static atomic_int called;

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
    while (atomic_load_explicit(&called, memory_order_relaxed) < posted)
        ;
    queue_count = object_count = event_count = map_count =
        0; /* memory stays, so that none takes the place of another */
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

static struct object *object(void)
{
    return &objects[number()];
}

static void set_numbers(cl_kernel kernel, cl_uint first, const int *values, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        check(clSetKernelArg(kernel, first + i, sizeof *values, &values[i]), "a number");
}

static void set_memory(cl_kernel kernel, cl_uint index, const struct object *o)
{
    check(o->svm ? clSetKernelArgSVMPointer(kernel, index, o->svm)
                 : clSetKernelArg(kernel, index, sizeof o->mem, &o->mem),
          "memory");
}

static void launch(cl_command_queue q, cl_kernel kernel, cl_uint waits, const cl_event *list)
{
    size_t one = 1;
    check(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &one, NULL, waits, waits ? list : NULL,
                                 &events[event_count++]),
          "launch");
    clReleaseKernel(kernel);
    check(clFlush(q), "clFlush");
}

static void kernel_command(void)
{
    cl_event list[MOST];
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, "access", &code);
    check(code, "access");
    cl_command_queue q = queues[number()];
    set_memory(kernel, 0, object());
    int values[] = {number(), 0, 0};
    values[1] = number();
    values[2] = number();
    set_numbers(kernel, 1, values, 3);
    cl_uint waits = (cl_uint)wait_list(list);
    launch(q, kernel, waits, list);
}

static void parent_command(void)
{
    cl_event list[MOST];
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, "parent", &code);
    check(code, "parent");
    cl_command_queue q = queues[number()];
    for (cl_uint m = 0; m < 2; m++) {
        int values[3];
        set_memory(kernel, 4 * m, object());
        for (int i = 0; i < 3; i++)
            values[i] = number();
        set_numbers(kernel, 4 * m + 1, values, 3);
    }
    int flags = number();
    set_numbers(kernel, 8, &flags, 1);
    cl_uint waits = (cl_uint)wait_list(list);
    launch(q, kernel, waits, list);
}

static void copy_command(char what)
{
    static int words[WORDS];
    cl_event list[MOST], *event = &events[event_count++];
    cl_command_queue q = queues[number()];
    const struct object *o = object();
    int lo = number(), n = number(), flag = number(), target = what == 'c' ? number() : 0;
    int waits = wait_list(list), pattern = 7;
    size_t at = (size_t)lo * 4, size = (size_t)n * 4;
    const cl_event *w = waits ? list : NULL;
    cl_uint c = (cl_uint)waits;
    cl_bool blocks = flag ? CL_TRUE : CL_FALSE;
    int *out = what == 'r' ? calloc(WORDS, 4) : NULL; /* not shared: commands may overlap in time */
    if (what == 'r')
        check(o->svm ? clEnqueueSVMMemcpy(q, blocks, out, o->svm + lo, size, c, w, event)
                     : clEnqueueReadBuffer(q, o->mem, blocks, at, size, out, c, w, event),
              "read");
    else if (what == 'w')
        check(o->svm ? clEnqueueSVMMemcpy(q, blocks, o->svm + lo, words, size, c, w, event)
                     : clEnqueueWriteBuffer(q, o->mem, blocks, at, size, words, c, w, event),
              "write");
    else if (what == 'f')
        check(o->svm ? clEnqueueSVMMemFill(q, o->svm + lo, &pattern, sizeof pattern, size, c, w, event)
                     : clEnqueueFillBuffer(q, o->mem, &pattern, sizeof pattern, at, size, c, w, event),
              "fill");
    else
        check(o->svm ? clEnqueueSVMMemcpy(q, CL_FALSE, objects[flag].svm + target, o->svm + lo, size, c, w,
                                          event)
                     : clEnqueueCopyBuffer(q, o->mem, objects[flag].mem, at, (size_t)target * 4, size, c, w,
                                           event),
              "copy");
    check(clFlush(q), "clFlush");
}

static void half(void)
{
    cl_mem whole = object()->mem;
    cl_buffer_region region = {(size_t)number() * WORDS * 2, WORDS * 2};
    cl_int code;
    objects[object_count++] = (struct object){
        .mem = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code)};
    check(code, "sub-buffer");
}

static void shared_memory(void)
{
    struct object *o = &objects[object_count++];
    *o = (struct object){.fine = number()};
    o->svm =
        clSVMAlloc(context, CL_MEM_READ_WRITE | (o->fine ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0), WORDS * 4, 0);
    check(o->svm ? CL_SUCCESS : CL_OUT_OF_RESOURCES, "clSVMAlloc");
}

static void map_command(void)
{
    cl_event list[MOST];
    cl_command_queue q = queues[number()];
    struct object *o = object();
    int lo = number(), n = number(), blocking = number(), writes = number(), waits = wait_list(list);
    cl_bool blocks = blocking ? CL_TRUE : CL_FALSE;
    cl_map_flags flags = writes ? CL_MAP_WRITE : CL_MAP_READ;
    const cl_event *w = waits ? list : NULL;
    cl_int code;
    maps[map_count].object = o;
    if (o->svm) {
        maps[map_count].pointer = o->svm + lo;
        code = clEnqueueSVMMap(q, blocks, flags, o->svm + lo, (size_t)n * 4, (cl_uint)waits, w,
                               &events[event_count]);
    } else {
        maps[map_count].pointer = clEnqueueMapBuffer(q, o->mem, blocks, flags, (size_t)lo * 4, (size_t)n * 4,
                                                     (cl_uint)waits, w, &events[event_count], &code);
    }
    map_count++;
    event_count++;
    check(code, "map");
}

static void unmap_command(void)
{
    cl_event list[MOST];
    cl_command_queue q = queues[number()];
    int map = number(), waits = wait_list(list);
    const cl_event *w = waits ? list : NULL;
    cl_event *event = &events[event_count++];
    check(maps[map].object->svm ? clEnqueueSVMUnmap(q, maps[map].pointer, (cl_uint)waits, w, event)
                                : clEnqueueUnmapMemObject(q, maps[map].object->mem, maps[map].pointer,
                                                          (cl_uint)waits, w, event),
          "unmap");
}

struct use {
    volatile int *at;
    int count, writes;
};

static struct use host_use(void)
{
    int *svm = object()->svm;
    struct use use = {svm + number(), 0, 0};
    use.count = number();
    use.writes = number();
    return use;
}

static void touch(const struct use *use)
{
    for (int i = 0; i < use->count; i++)
        if (use->writes)
            use->at[i] = i;
        else
            (void)use->at[i];
}

static void CL_CALLBACK called_back(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    touch(data);
    free(data);
    atomic_fetch_add_explicit(&called, 1, memory_order_relaxed);
}

static void callback(void)
{
    cl_event event = events[number()];
    struct use *use = malloc(sizeof *use);
    if (!use)
        exit(2);
    *use = host_use();
    posted++;
    check(clSetEventCallback(event, CL_COMPLETE, called_back, use), "clSetEventCallback");
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
    struct use use;
    char what = *strtok(line, " \n");
    switch (what) {
    case 'S':
        new_program();
        break;
    case 'B':
        objects[object_count++] =
            (struct object){.mem = clCreateBuffer(context, CL_MEM_READ_WRITE, WORDS * 4, NULL, &code)};
        break;
    case 'Z':
        half();
        break;
    case 'V':
        shared_memory();
        break;
    case 'h':
        use = host_use();
        touch(&use);
        break;
    case 'H':
        callback();
        break;
    case 'k':
        kernel_command();
        break;
    case 'e':
        parent_command();
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
        copy_command(what);
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
    check(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL), "build");
    for (cl_uint i = 0; i < device_count; i++) {
        cl_queue_properties list[] = {
            CL_QUEUE_PROPERTIES,
            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
        cl_device_device_enqueue_capabilities can = 0;
        clGetDeviceInfo(devices[i], CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof can, &can, NULL);
        if (!can)
            continue;
        clCreateCommandQueueWithProperties(context, devices[i], list, &code);
        check(code, "device queue");
    }
    while (fgets(line, sizeof line, script))
        call(line);
    finish_program();
    fclose(script);
    return 0;
}
