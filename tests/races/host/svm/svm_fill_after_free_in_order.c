// expect: use-after-release
// at: 17
// Memory is freed by a function of the host, for the command before a fill in the queue [CL 5.6.1 R14].
#include "../host.h"

static void CL_CALLBACK release(cl_command_queue queue, cl_uint count, void *list[], void *unused)
{
    (void)queue;
    (void)count;
    (void)unused;
    clSVMFree(context, list[0]);
}

static void fill(cl_command_queue queue, void *a)
{
    int zero = 0;
    OK(clEnqueueSVMMemFill(queue, a, &zero, sizeof zero, BYTES, 0, NULL, NULL));
}

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    void *a = shared(0);
    cl_event gate, freed;
    cl_int code;
    gate = clCreateUserEvent(context, &code);
    OK(code);
    OK(clEnqueueSVMFree(q, 1, &a, release, NULL, 1, &gate, &freed));
    fill(q, a);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(q));
    OK(clReleaseEvent(freed));
    OK(clReleaseEvent(gate));
    return 0;
}
