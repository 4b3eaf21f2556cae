/* Enqueues random commands whose events stay in use for a random time: argv[1] is the seed, argv[2] the
 * number of steps (test_retired.py).  Queues are released while their commands are pending, and some commands
 * race. */
#include "host/host.h"

enum { QUEUES = 4, BUFFERS = 4, KEPT = 24 };

static uint64_t state;
static cl_command_queue queues[QUEUES];
static cl_mem buffers[BUFFERS];
static cl_event kept[KEPT];
static int is_gate[KEPT]; /* a user event that is not complete */

static size_t below(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

static void open_gates(void)
{
    for (size_t i = 0; i < KEPT; i++) {
        if (is_gate[i])
            OK(clSetUserEventStatus(kept[i], CL_COMPLETE));
        is_gate[i] = 0;
    }
}

static void keep(cl_event event, int gate)
{
    size_t i = below(KEPT);
    if (is_gate[i])
        OK(clSetUserEventStatus(kept[i], CL_COMPLETE));
    if (kept[i])
        OK(clReleaseEvent(kept[i]));
    kept[i] = event;
    is_gate[i] = gate;
}

static void replace_queue(size_t i)
{
    if (queues[i])
        OK(clReleaseCommandQueue(queues[i]));
    queues[i] = i % 2 ? out_of_order() : in_order();
}

static void CL_CALLBACK ignore_event(cl_event event, cl_int status, void *data)
{
    (void)status;
    (void)data;
    OK(clRetainEvent(event));
    OK(clReleaseEvent(event));
}

static void CL_CALLBACK ignore(void *data)
{
    (void)data;
}

/* Maps a buffer, or uses and frees SVM, then keeps the event of the last command. */
static void enqueue_pair(cl_command_queue q, cl_uint count, const cl_event *wait)
{
    cl_int code;
    cl_event first, second;
    if (below(2)) {
        void *p =
            clEnqueueMapBuffer(q, buffers[0], CL_FALSE, CL_MAP_READ, 0, BYTES, count, wait, &first, &code);
        OK(code);
        OK(clEnqueueUnmapMemObject(q, buffers[0], p, 1, &first, &second));
    } else {
        const int zero = 0;
        void *p = shared(0);
        OK(clEnqueueSVMMemFill(q, p, &zero, sizeof zero, BYTES, count, wait, &first));
        OK(clEnqueueSVMFree(q, 1, &p, NULL, NULL, 1, &first, &second));
    }
    OK(clReleaseEvent(first));
    keep(second, 0);
}

/* A command that waits for up to three of the kept events. */
static void enqueue(cl_command_queue q)
{
    static int read[N];
    const size_t items = N;
    cl_event list[3], event = NULL, *wait = list;
    cl_uint count = 0;
    for (size_t wanted = below(4); count < wanted && (list[count] = kept[below(KEPT)]); count++)
        ;
    wait = count ? list : NULL;
    cl_kernel k = kernel("add", buffers[below(BUFFERS)], NULL, NULL);
    switch (below(8)) {
    case 0:
        OK(clEnqueueMarkerWithWaitList(q, count, wait, &event));
        break;
    case 1:
        OK(clEnqueueBarrierWithWaitList(q, count, wait, &event));
        break;
    case 2:
        OK(clEnqueueReadBuffer(q, buffers[below(BUFFERS)], CL_FALSE, 0, BYTES, read, count, wait, &event));
        break;
    case 3:
        OK(clEnqueueNativeKernel(q, ignore, NULL, 0, 0, NULL, NULL, count, wait, &event));
        break;
    case 4:
        enqueue_pair(q, count, wait);
        break;
    default:
        OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, count, wait, &event));
    }
    OK(clReleaseKernel(k));
    if (event && below(4))
        keep(event, 0);
    else if (event)
        OK(clReleaseEvent(event));
}

static void wait_or_look(cl_event event)
{
    cl_int status;
    switch (event ? below(3) : 3) {
    case 0:
        open_gates();
        OK(clWaitForEvents(1, &event));
        break;
    case 1:
        OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        break;
    case 2:
        OK(clSetEventCallback(event, CL_COMPLETE, ignore_event, NULL));
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 2 ? atoi(argv[2]) : 0;
    cl_int code = CL_SUCCESS;
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    begin(NULL);
    for (size_t i = 0; i < QUEUES; i++)
        replace_queue(i);
    for (size_t i = 0; i < BUFFERS; i++)
        buffers[i] = buffer();
    for (int i = 0; i < steps; i++) {
        size_t at = below(QUEUES);
        switch (below(12)) {
        case 0:
            keep(clCreateUserEvent(context, &code), 1);
            OK(code);
            break;
        case 1:
            open_gates();
            OK(clFinish(queues[at]));
            break;
        case 2:
            OK(clFlush(queues[at]));
            replace_queue(at);
            break;
        case 3:
        case 4:
            wait_or_look(kept[below(KEPT)]);
            break;
        default:
            enqueue(queues[at]);
        }
    }
    open_gates();
    for (size_t i = 0; i < QUEUES; i++)
        OK(clFinish(queues[i]));
    return 0;
}
