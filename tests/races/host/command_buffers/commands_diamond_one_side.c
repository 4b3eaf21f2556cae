// expect: data-race
// at: add:1 write, copy:2 read, different kernels
// reason: no sync-point, in-order queue or barrier
// fix: put the sync-point of command
// The last command writes what both middle ones read, but waits for one of them.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record(q);
    cl_mem a = buffer(), b = buffer();
    point first = add(r, kernel("add", a, NULL, NULL), 0);
    point sides[] = {add(r, kernel("copy", a, b, NULL), first),
                     add(r, kernel("copy", a, buffer(), NULL), first)};
    add_launch(r, NULL, kernel("add", a, NULL, NULL), NULL, 1, sides);
    finalize(r);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
