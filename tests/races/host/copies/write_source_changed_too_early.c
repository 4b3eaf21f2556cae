// expect: data-race
// at: add:1 write, 13 read, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// The source of a non-blocking write is fine-grained SVM, which another kernel changes before the write is
// complete.
#include "../host.h"
int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    int *s = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    cl_mem a = buffer();
    OK(clEnqueueWriteBuffer(q, a, CL_FALSE, 0, BYTES, s, 0, NULL, NULL));
    launch(r, svm_kernel("add", s, NULL, NULL), N, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
