// expect: clean
// The kernel writes the first half of a buffer, the recorded fill the second.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record(q);
    cl_mem a = buffer();
    add(r, kernel("add", a, NULL, NULL), 0);
    add_fill(r, a, BYTES / 2, BYTES / 2, 0);
    finalize(r);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
