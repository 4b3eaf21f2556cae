// expect: data-race
// at: add:1 read, 15 write, command and work-item
// reason: no event, wait list
// A migration of SVM after which the contents are undefined, beside a kernel that uses them.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    int *a = shared(0);
    const size_t size = BYTES / 2;
    launch(q, svm_kernel("add", a, NULL, NULL), N / 2, NULL);
    OK(clFlush(q));
    OK(clEnqueueSVMMigrateMem(r, 1, (const void *[]){a}, &size, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0,
                              NULL, NULL));
    OK(clFinish(r));
    OK(clFinish(q));
    return 0;
}
