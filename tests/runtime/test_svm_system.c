/* Fine-grained system SVM, which REFCL_SVM=system gives: kernels follow pointers into the heap [CL 5.6]. */
#include "runtime_test.h"

struct node {
    struct node *next;
    int value;
};

static void heap(void **state)
{
    (void)state;
    static const char *text = "struct node { global struct node *next; int value; };\n"
                              "kernel void k(global struct node *p, global int *out) {\n"
                              "  int sum = 0; for (; p; p = p->next) sum += p->value; *out = sum; }";
    cl_device_svm_capabilities svm = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    assert_true(svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM);
    cl_program program = build_source(text, "-cl-std=CL2.0");
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    OK(err);
    struct node *list = NULL;
    int *out = calloc(1, sizeof *out);
    for (int i = 0; i < 10; i++) {
        struct node *node = malloc(sizeof *node);
        *node = (struct node){list, i};
        list = node;
    }
    const cl_bool yes = CL_TRUE;
    const size_t one = 1;
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes));
    OK(clSetKernelArgSVMPointer(kernel, 0, list));
    OK(clSetKernelArgSVMPointer(kernel, 1, out));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    assert_int_equal(*out, 45);
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    free(out);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

int main(void)
{
    setenv("REFCL_SVM", "system", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(heap)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
