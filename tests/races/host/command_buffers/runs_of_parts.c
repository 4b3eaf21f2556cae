// expect: clean
// Two runs of different buffers of commands write different memory.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record(q), other = record(q);
    add(r, kernel("add", buffer(), NULL, NULL), 0);
    add(other, kernel("add", buffer(), NULL, NULL), 0);
    finalize(r);
    finalize(other);
    run(r, NULL);
    run(other, NULL);
    OK(clFinish(q));
    return 0;
}
