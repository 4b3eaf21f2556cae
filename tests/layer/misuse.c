/* Wrong use of the API that is not a race: misuse WHAT. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <string.h>

enum { BYTES = 256 };

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    cl_platform_id platform;
    cl_device_id device;
    cl_int code = clGetPlatformIDs(1, &platform, NULL);
    code = code ? code : clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    if (code)
        return 2;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue q = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_mem m = clCreateBuffer(context, 0, BYTES, NULL, NULL);
    char *svm = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    char bytes[BYTES] = {0};
    const cl_sampler_properties unnormalized[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, 0};
    cl_sampler sampler = clCreateSamplerWithProperties(context, unnormalized, NULL);
    if (!svm)
        return 2;
    if (strcmp(what, "range") == 0) /* its end is beyond the buffer's */
        clEnqueueWriteBuffer(q, m, CL_TRUE, 1, BYTES, bytes, 0, NULL, NULL);
    if (strcmp(what, "free") == 0 || strcmp(what, "waited") == 0) {
        cl_event filled;
        cl_int status = CL_QUEUED;
        clEnqueueSVMMemFill(q, svm, bytes, 1, BYTES, 0, NULL, &filled);
        clFlush(q);
        if (strcmp(what, "waited") == 0)
            clWaitForEvents(1, &filled);
        while (status > CL_COMPLETE) /* polling orders nothing */
            clGetEventInfo(filled, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        clReleaseEvent(filled);
    }
    if (strcmp(what, "enqueued free") == 0)
        clEnqueueSVMFree(q, 1, (void *[]){svm}, NULL, NULL, 0, NULL, NULL);
    else if (strcmp(what, "leak") != 0)
        clSVMFree(context, svm);
    clFinish(q);
    clReleaseMemObject(m);
    if (strcmp(what, "leak") != 0)
        clReleaseCommandQueue(q);
    if (strcmp(what, "leak") != 0)
        clReleaseSampler(sampler);
    if (strcmp(what, "released") == 0) /* what it names is gone */
        clReleaseMemObject(m);
    clReleaseContext(context);
    return 0;
}
