/* A host that waits between two commands: the wait is needless, except in some MODEs.
 *
 * waits MODE */
#define CL_TARGET_OPENCL_VERSION 200
#include "samples/sample.h"

#include <pthread.h>
#include <stdbool.h>

enum { BYTES = 4096 };
static char host[BYTES], other[BYTES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static bool was_called;

static void CL_CALLBACK call_back(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    (void)data;
    pthread_mutex_lock(&lock);
    was_called = true;
    pthread_cond_signal(&called);
    pthread_mutex_unlock(&lock);
}

static cl_mem copied;

static void *copy(void *r)
{
    OK(clEnqueueCopyBuffer(r, copied, buffer(BYTES), 0, 0, BYTES, 0, NULL, NULL));
    OK(clFinish(r));
    return NULL;
}

static void *flush(void *q)
{
    OK(clFinish(q));
    return NULL;
}

int main(int argc, char **argv)
{
    const char *mode = argc == 2 ? argv[1] : "";
    cl_event first = NULL, marked;
    cl_int code = CL_SUCCESS;
    cl_uint zero = 0;
    open_device();
    cl_command_queue q = queue(CL_QUEUE_PROFILING_ENABLE), r = queue(0);
    cl_mem x = buffer(BYTES);
    if (strcmp(mode, "host pointer") == 0)
        x = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, BYTES, other, &code);
    OK(code);
    if (strcmp(mode, "svm") == 0)
        OK(clEnqueueSVMMemFill(q, clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0), &zero, 4, BYTES, 0, NULL,
                               &first));
    else if (strcmp(mode, "read") == 0)
        OK(clEnqueueReadBuffer(q, x, CL_FALSE, 0, BYTES, other, 0, NULL, &first));
    else
        OK(clEnqueueFillBuffer(q, x, &zero, 4, 0, BYTES, 0, NULL, &first));
    if (strcmp(mode, "callback") == 0) { /* which may use what the read has read */
        OK(clEnqueueReadBuffer(q, x, CL_FALSE, 0, BYTES, other, 0, NULL, &first));
        OK(clEnqueueMarkerWithWaitList(r, 1, &first, &marked));
        OK(clSetEventCallback(marked, CL_COMPLETE, call_back, NULL));
        OK(clFlush(q));
        OK(clFlush(r));
        pthread_mutex_lock(&lock);
        while (!was_called)
            pthread_cond_wait(&called, &lock);
        pthread_mutex_unlock(&lock);
    } else if (strcmp(mode, "profiled through a list") == 0) {
        OK(clEnqueueFillBuffer(r, buffer(BYTES), &zero, 4, 0, BYTES, 1, &first, &marked));
        OK(clWaitForEvents(1, &marked));
    } else if (strcmp(mode, "profiled marker") == 0) {
        OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &first));
        OK(clWaitForEvents(1, &first));
    } else {
        OK(clFinish(q));
    }
    if (strncmp(mode, "profiled", 8) == 0) {
        cl_ulong time;
        OK(clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL));
    }
    if (strcmp(mode, "print") == 0) {
        size_t one = 1;
        OK(clEnqueueNDRangeKernel(q, kernel("kernel void say() { printf(\"%d\\n\", 1); }", "say"), 1, NULL,
                                  &one, NULL, 0, NULL, NULL));
    }
    if (strncmp(mode, "thread", 6) == 0) {
        pthread_t thread;
        copied = x;
        OK(pthread_create(&thread, NULL, mode[6] ? copy : flush, mode[6] ? r : q));
        OK(pthread_join(thread, NULL));
    }
    if (strcmp(mode, "race") == 0)
        OK(clEnqueueFillBuffer(r, x, &zero, 4, 0, BYTES, 0, NULL, NULL));
    if (strcmp(mode, "last") == 0) {
        OK(clEnqueueFillBuffer(q, x, &zero, 4, 0, BYTES, 0, NULL, NULL));
        OK(clFinish(q)); /* what the program has computed may be used when it ends */
        return 0;
    }
    OK(clEnqueueReadBuffer(q, x, CL_TRUE, 0, BYTES, host, 0, NULL, NULL));
    return 0;
}
