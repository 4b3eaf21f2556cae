// expect: data-race
// at: add:1 write, 14 read, command and work-item
// reason: no event, wait list
// A migration of what a kernel writes needs an order with that kernel [CL 5.5.4 R3].
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer();
    cl_event e = launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFlush(q));
    OK(clEnqueueMigrateMemObjects(r, 1, &a, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    OK(clReleaseEvent(e));
    OK(clFinish(r));
    OK(clFinish(q));
    return 0;
}
