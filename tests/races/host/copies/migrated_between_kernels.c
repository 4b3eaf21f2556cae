// expect: clean
// A migration after a kernel in an in-order queue, and before one that waits for its event.
#include "../host.h"
int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer();
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFlush(q));
    cl_event e;
    OK(clEnqueueMigrateMemObjects(q, 1, &a, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, &e));
    launch(r, kernel("add", a, NULL, NULL), N, e);
    OK(clFinish(r));
    OK(clFinish(q));
    return 0;
}
