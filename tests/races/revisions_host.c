/* Races that are races under some revisions of the specification alone.  Argument: query: a host thread polls an event's
 * status, then lets another queue use the memory; wait: it waits for the event too; scopes: work-items of one work-group
 * pass a message with scopes that differ; groups: work-items of two work-groups do. */
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

static const char *const text =
    "kernel void fill(global int *x) { x[get_global_id(0)] = 1; }\n"
    "kernel void message(global int *x, global atomic_int *flag)\n"
    "{\n"
    "    if (get_global_id(0) == 0) {\n"
    "        *x = 1;\n"
    "        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);\n"
    "    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1) {\n"
    "        x[1] = *x;\n"
    "    }\n"
    "}\n";
static cl_context context;
static cl_command_queue queue, other;
static cl_kernel kernel;
static cl_mem memory;

static int open_device(const char *name)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 1;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    other = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &status);
    if (clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL))
        return 1;
    kernel = clCreateKernel(program, name, &status);
    memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &status);
    return status || clSetKernelArg(kernel, 0, sizeof memory, &memory);
}

static int poll_status(int wait)
{
    cl_event event;
    size_t size = 4;
    cl_int status = CL_QUEUED, zero = 0;
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event) || clFlush(queue))
        return 1;
    while (status > CL_COMPLETE)
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL); /* POLL */
    if (wait)
        clWaitForEvents(1, &event);
    return clEnqueueFillBuffer(other, memory, &zero, sizeof zero, 0, 16, 0, NULL, NULL) || clFinish(other);
}

static int pass_message(size_t local)
{
    size_t size = 2;
    cl_int status, zero = 0;
    cl_mem flag =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero, &zero, &status);
    return clSetKernelArg(kernel, 1, sizeof flag, &flag) ||
           clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &local, 0, NULL, NULL) || clFinish(queue);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int polls = strcmp(what, "query") == 0 || strcmp(what, "wait") == 0;
    if (open_device(polls ? "fill" : "message"))
        return 1;
    return polls ? poll_status(strcmp(what, "wait") == 0) : pass_message(strcmp(what, "scopes") == 0 ? 2 : 1);
}
