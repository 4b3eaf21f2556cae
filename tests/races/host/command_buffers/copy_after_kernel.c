// expect: clean
// A recorded copy waits for the kernel that writes its source.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record(q);
    cl_mem a = buffer();
    add_copy(r, a, buffer(), add(r, kernel("add", a, NULL, NULL), 0));
    finalize(r);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
