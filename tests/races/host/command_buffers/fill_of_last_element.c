// expect: data-race
// at: add:1 write, recording.h:85 write, command and work-item
// reason: no sync-point, in-order queue or barrier
// fix: put the sync-point of command
// The recorded fill starts at the last element that the kernel uses.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record(q);
    cl_mem a = buffer();
    add(r, kernel("add", a, NULL, NULL), 0);
    add_fill(r, a, BYTES / 2 - 4, 4, 0);
    finalize(r);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
