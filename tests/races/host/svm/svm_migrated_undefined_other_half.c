// expect: clean
// A migration after which one half of the contents is undefined, beside a kernel that uses the other half.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    int *a = shared(0);
    const size_t size = BYTES / 2;
    launch(q, svm_kernel("add", a, NULL, NULL), N / 2, NULL);
    OK(clFlush(q));
    OK(clEnqueueSVMMigrateMem(r, 1, (const void *[]){a + N / 2}, &size,
                              CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL));
    OK(clFinish(r));
    OK(clFinish(q));
    return 0;
}
