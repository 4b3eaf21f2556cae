// expect: clean
// Each command of a run comes after what the run waits for.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record(q);
    cl_mem a = buffer();
    cl_kernel k = kernel("add", a, NULL, NULL);
    add(r, k, 0);
    add(r, kernel("add", buffer(), NULL, NULL), 0);
    finalize(r);
    run(r, launch(q, k, N, NULL));
    OK(clFinish(q));
    return 0;
}
