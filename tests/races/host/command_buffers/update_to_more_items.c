// expect: out-of-bounds
// at: add:1
// An update adds work-items, for which the buffer is too short.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer();
    handle command;
    recording r = record_mutable(q, a, &command);
    update(r, command, NULL, 0, N + 8);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
