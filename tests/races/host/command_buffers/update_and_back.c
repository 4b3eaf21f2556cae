// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list
// fix: put the event of command 2 into the wait list of command 5
// Two updates restore the argument: both runs write the same buffer.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer();
    handle command;
    recording r = record_mutable(q, a, &command);
    run(r, NULL);
    update(r, command, buffer(), 0, 0);
    update(r, command, a, 0, 0);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
