/* Races that are races under some revisions of the specification alone.  Argument: query: a host thread polls
 * an event's status, then lets another queue use the memory, and polls the event of that; wait: it waits for
 * the first event too; late: it polls both once both commands are enqueued; scopes: work-items of one
 * work-group pass a message with scopes that differ; groups: work-items of two work-groups do. */
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

static void poll_first(cl_event event)
{
    cl_int status = CL_QUEUED;
    while (status > CL_COMPLETE)
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL); /* POLL */
}

static void poll_second(cl_event event)
{
    cl_int status = CL_QUEUED;
    while (status > CL_COMPLETE)
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
}

static int poll_status(int wait, int late)
{
    cl_event event, second;
    size_t size = 4;
    cl_int zero = 0;
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event) || clFlush(queue))
        return 1;
    if (!late)
        poll_first(event);
    if (wait)
        clWaitForEvents(1, &event);
    if (clEnqueueFillBuffer(other, memory, &zero, sizeof zero, 0, 16, 0, NULL, &second) || clFlush(other))
        return 1;
    if (late)
        poll_first(event);
    poll_second(second);
    return clFinish(other);
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
    int late = strcmp(what, "late") == 0;
    int polls = strcmp(what, "query") == 0 || strcmp(what, "wait") == 0 || late;
    if (open_device(polls ? "fill" : "message"))
        return 1;
    return polls ? poll_status(strcmp(what, "wait") == 0, late)
                 : pass_message(strcmp(what, "scopes") == 0 ? 2 : 1);
}
