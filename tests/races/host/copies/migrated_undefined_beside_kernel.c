// expect: data-race
// at: add:1 read, 14 write, command and work-item
// reason: no event, wait list
// A migration after which the contents are undefined [CL 5.5.4 R4], beside a kernel that uses them.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer();
    cl_event e = launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFlush(q));
    OK(clEnqueueMigrateMemObjects(r, 1, &a, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL));
    OK(clReleaseEvent(e));
    OK(clFinish(r));
    OK(clFinish(q));
    return 0;
}
