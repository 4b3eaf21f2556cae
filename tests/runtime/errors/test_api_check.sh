#!/bin/bash
# REFCL_CHECK=api: misuse, use after release and leaks are reported, with clause, call and position; correct
# programs have no reports.
set -u
cd "$(dirname "$0")/../../.." || exit 4
. tests/lib/tap.sh
cat >"$tap_dir/wrong.c" <<'C'
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <string.h>
__attribute__((noinline)) void misuse(cl_context context)
{
    cl_int err;
    clCreateBuffer(context, 0, 0, 0, &err);
}
static void core(cl_context context)
{
    cl_int err;
    misuse(context);
    cl_mem gone = clCreateBuffer(context, 0, 64, 0, &err);
    clReleaseMemObject(gone);
    clReleaseMemObject(gone);
}
static void recorded(cl_platform_id platform, cl_context context, cl_device_id device)
{
    cl_int err;
    clCreateCommandBufferKHR_fn create;
    cl_int(CL_API_CALL * barrier)(cl_command_buffer_khr, cl_command_queue, const cl_properties *, cl_uint,
                                  const cl_sync_point_khr *, cl_sync_point_khr *, cl_mutable_command_khr *);
    clReleaseCommandBufferKHR_fn release;
    *(void **)&create = clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandBufferKHR");
    *(void **)&barrier = clGetExtensionFunctionAddressForPlatform(platform, "clCommandBarrierWithWaitListKHR");
    *(void **)&release = clGetExtensionFunctionAddressForPlatform(platform, "clReleaseCommandBufferKHR");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, 0, &err);
    cl_sync_point_khr none = 7;
    create(0, 0, 0, &err);
    cl_command_buffer_khr buffer = create(1, &queue, 0, &err);
    barrier(buffer, 0, NULL, 1, &none, 0, 0);
    release(buffer);
    release(buffer);
    create(1, &queue, 0, &err);
    clReleaseCommandQueue(queue);
}
static void signaled(cl_platform_id platform, cl_context context, cl_device_id device, const char *calls)
{
    cl_int err;
    clCreateSemaphoreWithPropertiesKHR_fn create;
    clEnqueueSignalSemaphoresKHR_fn use[2];
    clReleaseSemaphoreKHR_fn release;
    cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    *(void **)&create = clGetExtensionFunctionAddressForPlatform(platform, "clCreateSemaphoreWithPropertiesKHR");
    *(void **)&use[0] = clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueSignalSemaphoresKHR");
    *(void **)&use[1] = clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueWaitSemaphoresKHR");
    *(void **)&release = clGetExtensionFunctionAddressForPlatform(platform, "clReleaseSemaphoreKHR");
    cl_command_queue queue =
        clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
    cl_semaphore_khr s[2];
    for (int i = 0; i < 2; i++)
        s[i] = create(context, binary, &err);
    for (const char *c = calls; *c; c++) /* "S" and "W": of both semaphores; "s" and "w": of one */
        use[*c == 'W' || *c == 'w'](queue, *c >= 'a' ? 1 : 2, s, NULL, 0, NULL, NULL);
    for (int i = 0; i < 2; i++)
        release(s[i]);
    clReleaseCommandQueue(queue);
}
/* "r": the command buffer runs; "s": the same in a buffer made for simultaneous use; "w": after the latest run's event;
   "b": after a barrier; "i": in an in-order queue; "f": when all before is complete.  All runs but those after an "f" wait for
   a user event, so that none is complete when the next one is enqueued. */
static void run_again(cl_platform_id platform, cl_context context, cl_device_id device, const char *calls)
{
    cl_int err;
    clCreateCommandBufferKHR_fn create;
    clFinalizeCommandBufferKHR_fn finalize;
    clEnqueueCommandBufferKHR_fn enqueue;
    clReleaseCommandBufferKHR_fn release;
    cl_command_buffer_properties_khr simultaneous[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                       CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    *(void **)&create = clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandBufferKHR");
    *(void **)&finalize = clGetExtensionFunctionAddressForPlatform(platform, "clFinalizeCommandBufferKHR");
    *(void **)&enqueue = clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueCommandBufferKHR");
    *(void **)&release = clGetExtensionFunctionAddressForPlatform(platform, "clReleaseCommandBufferKHR");
    cl_command_queue queues[] = {
        clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err),
        clCreateCommandQueue(context, device, 0, &err)};
    cl_command_buffer_khr buffer = create(1, queues, strchr(calls, 's') ? simultaneous : 0, &err);
    cl_event gate = clCreateUserEvent(context, &err), latest = 0, run;
    finalize(buffer);
    clRetainEvent(gate);
    for (const char *c = calls; *c; c++) {
        cl_event list[] = {gate, latest};
        cl_command_queue queue = queues[*c == 'i'];
        if (*c == 'b')
            clEnqueueBarrierWithWaitList(queue, 0, 0, 0);
        if (*c == 'f') {
            clSetUserEventStatus(gate, CL_COMPLETE);
            clFinish(queues[0]);
            clFinish(queues[1]);
        }
        enqueue(1, &queue, buffer, *c == 'w' ? 2 : 1, list, &run);
        if (latest)
            clReleaseEvent(latest);
        latest = run;
    }
    if (!strchr(calls, 'f'))
        clSetUserEventStatus(gate, CL_COMPLETE);
    clFinish(queues[0]);
    clFinish(queues[1]);
    clReleaseEvent(latest);
    clReleaseEvent(gate);
    clReleaseEvent(gate);
    release(buffer);
    clReleaseCommandQueue(queues[0]);
    clReleaseCommandQueue(queues[1]);
}
int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int err;
    clGetPlatformIDs(1, &platform, 0);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0);
    cl_context context = clCreateContext(0, 1, &device, 0, 0, &err);
    cl_mem buffer = clCreateBuffer(context, 0, 64, 0, &err);
    if (argc > 1 && strspn(argv[1], "SWsw") == strlen(argv[1])) {
        signaled(platform, context, device, argv[1]);
    } else if (argc > 1 && argv[1][0] == '-') {
        run_again(platform, context, device, argv[1] + 1);
    } else if (argc > 1) {
        if (strcmp(argv[1], "core") == 0)
            core(context);
        else
            recorded(platform, context, device);
        return 0;
    }
    clReleaseMemObject(buffer);
    clReleaseContext(context);
    return 0;
}
C
[ -z "${SANITIZER:-}" ] || skip_all "no sanitizer here: the runtime's symbols are not the program's"
ok 'the program compiles' ${CC:-gcc} -rdynamic -w "$tap_dir/wrong.c" -o "$tap_dir/wrong" -lOpenCL
told() { # told PROGRAM [REGEX]: one line matches; without one there is no report
    text=$("$tap_dir/wrong" $1 2>&1)
    printf '%s\n' "$text"
    if [ $# -eq 1 ]; then [ -z "$text" ]; else printf '%s\n' "$text" | grep -qE -- "$2"; fi
}
ok 'quiet without the check' told core
export REFCL_CHECK=api
ok 'a right program' told ''
ok 'misuse' told core \
    'api-misuse: clCreateBuffer is answered with CL_INVALID_BUFFER_SIZE; called from misuse\+.*\[CL 5\.2\.1\]'
ok 'use after release' told core \
    'use-after-release: clReleaseMemObject is answered with CL_INVALID_MEM_OBJECT.*last release'
ok leak told core 'leak: memory object [0-9]+ \(buffer [0-9]+, 64 bytes\) is left with 1 reference at exit'
ok 'an extension that creates' told recorded \
    'api-misuse: clCreateCommandBufferKHR is answered with CL_INVALID_VALUE; called .*\[cl_khr_command_buffer\]'
ok 'an extension that records' told recorded \
    'api-misuse: clCommandBarrierWithWaitListKHR is answered with CL_INVALID_SYNC_POINT_WAIT_LIST_KHR; called '
ok 'a command buffer after its release' told recorded \
    'use-after-release: clReleaseCommandBufferKHR is answered with CL_INVALID_COMMAND_BUFFER_KHR.*last release'
ok 'a command buffer that leaks' told recorded 'leak: command buffer [0-9]+ is left with 1 reference at exit'
# Alternating signals and waits, whichever comes first [CL 5.13.6 R101, R102]; the same one twice
# [CL 5.13.6 R103].
for calls in SWSW WSWS sws; do
    ok "semaphores: $calls" told $calls
done
signaled='api-misuse: clEnqueueSignalSemaphoresKHR: semaphore 1 is signaled twice without a wait between; called .* R103]$'
waited='api-misuse: clEnqueueWaitSemaphoresKHR: semaphore 1 is waited for twice without a signal between; called .* R103]$'
ok 'signaled twice' told SsW "$signaled"
ok 'signaled twice, later' told SWSSW "$signaled"
ok 'waited for twice' told WWSS "$waited"
ok 'waited for twice after a signal' told SWwsw "$waited"
# A command buffer that is enqueued again before its earlier run is complete [CL 5.17 R106].
again='api-misuse: clEnqueueCommandBufferKHR: command buffer 1, .* its earlier run, which is not complete; called .* R106]$'
for calls in -r -ss -rw -rww -rb -rbw -rf -ii; do
    ok "command buffer: $calls" told $calls
done
for calls in -rr -rwr -ri -ir -rbr -iwi; do
    ok "command buffer: $calls" told $calls "$again"
done
done_testing
