// expect: clean
// As program_variable_of_two_queues.c; the second kernel waits for the first one.
#include "../host.h"
int main(void)
{
    begin_with("global int n;\nkernel void next(global int *a) { a[0] = n++; }\n", NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_event first = launch(q, kernel("next", buffer(), NULL, NULL), 1, NULL);
    launch(r, kernel("next", buffer(), NULL, NULL), 1, first);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
