// expect: clean
// A migration after which the contents are undefined [CL 5.5.4 R4], between kernels that use them.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer();
    cl_event e = launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFlush(q));
    OK(clEnqueueMigrateMemObjects(r, 1, &a, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 1, &e, NULL));
    launch(r, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(r));
    OK(clFinish(q));
    return 0;
}
