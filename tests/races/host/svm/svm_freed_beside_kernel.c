// expect: data-race
// at: add:1 write, 17 write, host and work-item
// reason: the host neither waits for it nor enqueues it afterwards
// fix: wait for command 1 (clWaitForEvents, clFinish) before the host access
// A kernel may use memory that is freed: clSVMFree does not wait, and polling for completion orders nothing.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(0);
    cl_event done = launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clFlush(q));
    for (cl_int status = CL_QUEUED; status != CL_COMPLETE;)
        OK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    clSVMFree(context, a); /* [CL 5.6.1 R14] */
    OK(clFinish(q));
    return 0;
}
