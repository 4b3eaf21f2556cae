// run: clean
// explore: none
// schedules: 2
// build: host-cc
// Each callback enqueues to both queues.  If the second callback were first in one queue and last in the
// other, which no schedule allows, `first` would not be ordered before `last`.
#include "../../races/host/host.h"

static cl_command_queue q, r;
static cl_kernel others[6];
static cl_event first_done, gates[2];
static cl_event enqueue(cl_command_queue queue, cl_kernel k, cl_uint count, const cl_event *list)
{
    size_t n = N;
    cl_event event;
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, NULL, count, list, &event));
    OK(clFlush(queue));
    return event;
}

static void CL_CALLBACK open_gate(cl_event event, cl_int status, void *gate)
{
    (void)event;
    (void)status;
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
}

static void CL_CALLBACK one(cl_event event, cl_int status, void *unused)
{
    (void)event;
    (void)status;
    (void)unused;
    enqueue(r, others[0], 1, &first_done);
    OK(clSetEventCallback(enqueue(q, others[1], 0, NULL), CL_COMPLETE, open_gate, gates[0]));
}

static void CL_CALLBACK two(cl_event event, cl_int status, void *unused)
{
    (void)event;
    (void)status;
    (void)unused;
    enqueue(q, others[2], 1, &first_done);
    OK(clSetEventCallback(enqueue(r, others[3], 0, NULL), CL_COMPLETE, open_gate, gates[1]));
}
int main(void)
{
    begin(NULL);
    q = in_order();
    r = in_order();
    cl_command_queue s = out_of_order();
    cl_mem a = buffer();
    cl_kernel first = kernel("add", a, NULL, NULL), last = kernel("add", a, NULL, NULL);
    for (int i = 0; i < 6; i++)
        others[i] = kernel("add", buffer(), NULL, NULL);
    for (int i = 0; i < 2; i++)
        gates[i] = clCreateUserEvent(context, NULL);
    first_done = enqueue(s, first, 0, NULL);
    OK(clSetEventCallback(enqueue(s, others[4], 0, NULL), CL_COMPLETE, one, NULL));
    OK(clSetEventCallback(enqueue(s, others[5], 0, NULL), CL_COMPLETE, two, NULL));
    cl_event done = enqueue(s, last, 2, gates);
    OK(clWaitForEvents(1, &done));
    OK(clFinish(q));
    OK(clFinish(r));
    OK(clFinish(s));
    return 0;
}
