// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list
// fix: put the event of command
// The first run keeps the argument that it was enqueued with, although it starts after the update.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_int code;
    cl_command_queue q = out_of_order();
    cl_mem a = buffer();
    handle command;
    recording r = record_mutable(q, a, &command);
    cl_event gate = clCreateUserEvent(context, &code);
    OK(code);
    run(r, gate);
    update(r, command, buffer(), 0, 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    launch(q, kernel("add", a, NULL, NULL), N / 2, NULL);
    OK(clFinish(q));
    return 0;
}
