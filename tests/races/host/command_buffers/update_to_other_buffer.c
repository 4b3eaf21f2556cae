// expect: clean
// The second run writes another buffer: an update changes the argument.
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
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
