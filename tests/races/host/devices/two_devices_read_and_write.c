// expect: data-race
// at: add:1 write, copy:start read, command and work-item; add:1 write, copy:2 read, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// environment: REFCL_DEVICES=2
// One device writes what the other reads, each in its own up-to-date copy.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue first = queue_on(0, 0), second = queue_on(1, 0);
    cl_mem a = buffer();
    launch(first, kernel("copy", a, buffer(), NULL), N, NULL);
    launch(second, kernel("copy", a, buffer(), NULL), N, NULL);
    OK(clFinish(first));
    OK(clFinish(second));
    launch(second, kernel("copy", a, buffer(), NULL), N, NULL);
    launch(first, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(first));
    OK(clFinish(second));
    return 0;
}
