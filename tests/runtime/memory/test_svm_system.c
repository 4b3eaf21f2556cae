/* Fine-grained system SVM, which REFCL_SVM=system gives: kernels follow pointers into the heap [CL 5.6]. */
#include "tests/runtime/runtime_test.h"

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
    assert_int_equal(*out, 45); /* [CL 5.9.2 R22] [CL 4.2 R48] */
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    free(out);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* A kernel set to use system SVM requires a device that supports it [CL 5.9.2 E22]. */
static void other_device(void **state)
{
    (void)state;
    const cl_bool yes = CL_TRUE, no = CL_FALSE;
    const size_t one = 1;
    cl_device_id devices[2];
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, NULL));
    cl_context both = clCreateContext(NULL, 2, devices, NULL, NULL, &err);
    cl_command_queue able = clCreateCommandQueueWithProperties(both, devices[0], NULL, &err);
    cl_command_queue unable = clCreateCommandQueueWithProperties(both, devices[1], NULL, &err);
    const char *text = "kernel void k(void) { }";
    cl_program program = clCreateProgramWithSource(both, 1, &text, NULL, &err);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes));
    OK(clEnqueueNDRangeKernel(able, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    /* [CL 5.9.2 E22] */
    assert_int_equal(clEnqueueNDRangeKernel(unable, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
                     CL_INVALID_OPERATION);
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, &no));
    OK(clEnqueueNDRangeKernel(unable, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseCommandQueue(able));
    OK(clReleaseCommandQueue(unable));
    OK(clReleaseContext(both));
}

int main(void)
{
    setenv("REFCL_DEVICES", "2", 1);
    setenv("REFCL_SVM", "system,fine", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(heap), cmocka_unit_test(other_device)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
