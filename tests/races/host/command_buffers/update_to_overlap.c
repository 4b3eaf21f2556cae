// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list
// fix: put the event of command
// An update changes the offset, but some elements remain the same.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer();
    handle command;
    recording r = record_mutable(q, a, &command);
    run(r, NULL);
    update(r, command, NULL, N / 2 - 8, 0);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
