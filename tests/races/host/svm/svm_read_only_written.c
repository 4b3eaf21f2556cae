// expect: write-to-constant
// at: add:1
// A kernel writes SVM that is read-only.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = clSVMAlloc(context, CL_MEM_READ_ONLY, BYTES, 0);
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL); /* [CL 5.6.1 R9] */
    OK(clFinish(q));
    return 0;
}
