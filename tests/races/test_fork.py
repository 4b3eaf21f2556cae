#!/usr/bin/env python3
"""fork() after OpenCL was used, with recording on and off: children that exit, execute another program, use
their parent's objects, poll an event, or start OpenCL again; children that are forked while a kernel runs or
is compiled, while a native kernel waits for the fork, or by a native kernel; many that are forked while other
threads are in OpenCL calls.  The same by the system call clone, which runs no handlers; there, and under
AddressSanitizer, calls of other threads do not allocate, as the allocator's locks remain held.  No child
hangs; its results are right; under `refcl run` an unrecorded child is never reported as clean. A main() that
ends by pthread_exit(): the process ends with its last thread, or callback, with status 0."""
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
import tap
from tap import check
from built import PATIENCE, REFCL, on_refcl

HOST = r'''#include "host.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static cl_command_queue q;
static cl_mem a;
static void add(int times)
{
    for (int i = 0; i < times; i++)
        launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(q));
}
static void holds(int value)
{
    int values[N];
    OK(clEnqueueReadBuffer(q, a, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        if (values[i] != value) {
            fprintf(stderr, "%d, not %d\n", values[i], value);
            _exit(9);
        }
}
static atomic_bool begun, released;
static cl_event waits;
static void CL_CALLBACK wait_native(void *unused)
{
    (void)unused;
    for (begun = true; !released;)
        usleep(1000);
}
static _Thread_local bool is_main;
/* The executor's child has no thread that waits for the kernel. */
static void CL_CALLBACK fork_native(void *pid)
{
    if ((**(pid_t **)pid = fork()) == 0 && !is_main)
        _exit(0);
}
static volatile int called;
static void CL_CALLBACK back(cl_event event, cl_int status, void *data) { (void)event; (void)status; (void)data; called = 1; }
static void child(const char *what, char *self)
{
    if (strcmp(what, "exit") == 0)
        exit(0);
    if (strcmp(what, "exec") == 0)
        execl(self, self, "alone", (char *)NULL);
    if (strcmp(what, "callback") == 0) {
        cl_event event;
        OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &event));
        OK(clSetEventCallback(event, CL_COMPLETE, back, NULL));
        OK(clWaitForEvents(1, &event));
        while (!called)
            usleep(1000);
    }
    if (strcmp(what, "poll") == 0) {
        cl_event event;
        cl_int status = CL_QUEUED;
        OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &event));
        OK(clFlush(q));
        while (status > CL_COMPLETE)
            OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    }
    if (strcmp(what, "restart") == 0) {
        begin(NULL);
        q = in_order();
        a = buffer();
        add(3);
        holds(3);
        exit(0);
    }
    add(2);
    holds(strcmp(what, "running") == 0 ? 1003 : 3);
    if (strcmp(what, "waiting") == 0) {
        cl_int status = CL_COMPLETE;
        OK(clGetEventInfo(waits, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        if (status != CL_OUT_OF_RESOURCES)
            _exit(9);
    }
    exit(0);
}
static atomic_int stop;
static void build(int number)
{
    char options[32];
    cl_int code;
    const char *source = "kernel void z(global int *a) { a[0] = 1; }";
    sprintf(options, "-DNUMBER=%d", number);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    OK(clBuildProgram(program, 0, NULL, options, NULL, NULL));
    OK(clReleaseProgram(program));
}
static void *call(void *what)
{
    for (int i = 0; !stop; i++) {
        if (what) {
            OK(clReleaseMemObject(buffer()));
            if (i % 64 == 0)
                build(i);
        } else {
            OK(clRetainMemObject(a));
            OK(clReleaseMemObject(a));
        }
    }
    return NULL;
}
static int fork_in_calls(bool by_clone)
{
    pthread_t threads[3];
    int status = 0;
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, call, by_clone || !ALLOCATES ? NULL : &stop) != 0)
            return 7;
    for (int i = 0; i < 20 && status == 0; i++) {
        pid_t pid = by_clone ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
        if (pid == 0 && by_clone) {
            OK(clRetainMemObject(a));
            OK(clReleaseMemObject(a));
            _exit(0);
        }
        if (pid == 0) {
            add(2);
            holds(3);
            OK(clReleaseMemObject(buffer()));
            build(-1);
            _exit(0);
        }
        if (waitpid(pid, &status, 0) != pid || status != 0)
            fprintf(stderr, "the status of child %d is %x\n", i, status);
    }
    stop = 1;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return status ? 8 : 0;
}
static void begin_with_one(void)
{
    begin(NULL);
    q = in_order();
    a = buffer();
    add(1);
}
static void CL_CALLBACK late(cl_event event, cl_int status, void *data)
{
    (void)event; (void)status; (void)data;
    sleep(2);
    puts("right");
}
static void *remain(void *what)
{
    cl_event event;
    if (strcmp(what, "leave-first") == 0)
        begin_with_one();
    usleep(100000);
    add(1);
    holds(2);
    if (strcmp(what, "leave-callback") == 0) {
        OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &event));
        OK(clSetEventCallback(event, CL_COMPLETE, late, NULL));
        OK(clFinish(q));
    } else {
        puts("right");
    }
    return NULL;
}
static void leave(char *what)
{
    pthread_t thread;
    if (strcmp(what, "leave-first") != 0)
        begin_with_one();
    if (strcmp(what, "leave-alone") == 0)
        puts("right");
    else if (pthread_create(&thread, NULL, remain, what) != 0)
        exit(7);
    pthread_exit(NULL);
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int status = 0, by_clone = strncmp(what, "clone-", 6) == 0;
    is_main = true;
    what += by_clone ? 6 : 0;
    if (strncmp(what, "leave", 5) == 0)
        leave(argv[1]);
    begin(NULL);
    q = in_order();
    a = buffer();
    add(1);
    if (strcmp(what, "running") == 0) {
        for (int i = 0; i < 1000; i++)
            launch(q, kernel("add", a, NULL, NULL), N, NULL);
        OK(clFlush(q));
    }
    if (strcmp(what, "compiling") == 0) {
        cl_mem copy = buffer();
        launch(q, kernel("copy", a, copy, NULL), N, NULL);
        OK(clFlush(q));
        usleep(5000);
        a = copy;
    }
    if (strcmp(what, "waiting") == 0) {
        OK(clEnqueueNativeKernel(q, wait_native, NULL, 0, 0, NULL, NULL, 0, NULL, &waits));
        OK(clFlush(q));
        while (!begun)
            usleep(1000);
    }
    if (strcmp(what, "calls") == 0) {
        if ((status = fork_in_calls(by_clone)) != 0)
            return status;
    } else if (strcmp(what, "alone") != 0) {
        pid_t pid = -1, *at = &pid;
        if (strcmp(what, "native") == 0) {
            OK(clEnqueueNativeKernel(q, fork_native, &at, sizeof at, 0, NULL, NULL, 0, NULL, NULL));
            OK(clFinish(q));
        } else {
            pid = by_clone ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
        }
        released = true;
        if (pid == 0)
            child(what, argv[0]);
        if (waitpid(pid, &status, 0) != pid || status != 0) {
            fprintf(stderr, "the child's status is %x\n", status);
            return 8;
        }
    }
    add(1);
    holds(strcmp(what, "running") == 0 ? 1002 : 2);
    puts("right");
    return 0;
}
'''
# AddressSanitizer's runtime (of GCC 12, for example) does not lock its allocator at fork(): if another thread was in
# malloc(), a child deadlocks on a mutex of a size class.
ALLOCATES = not os.environ.get("SANITIZER", "").startswith("address")
# A semaphore whose handle another process may get.
SHARED = r'''
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    int handle = -1;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    clCreateSemaphoreWithPropertiesKHR_fn create =
        clGetExtensionFunctionAddressForPlatform(platform, "clCreateSemaphoreWithPropertiesKHR");
    clGetSemaphoreHandleForTypeKHR_fn get =
        clGetExtensionFunctionAddressForPlatform(platform, "clGetSemaphoreHandleForTypeKHR");
    const cl_semaphore_properties_khr properties[] = {
        CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
        CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR, 0};
    cl_semaphore_khr semaphore = create(context, properties, NULL);
    if (get(semaphore, device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof handle, &handle, NULL) == CL_SUCCESS)
        puts("right");
    return 0;
}
'''
CHILDREN = ("exit", "exec", "use", "callback", "poll", "restart", "running", "compiling", "waiting", "native", "calls", "clone-exit", "clone-exec", "clone-use",
            "clone-callback", "clone-restart", "clone-calls")
LEAVING = ("leave", "leave-first", "leave-alone", "leave-callback")
RECORDED = {"exit": 0, "exec": 0, "native": 0, "clone-exit": 0, "clone-exec": 0, "clone-calls": 0}  # the exit codes of `refcl run`; others are unknown


def start(words, **variables):
    try:
        return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=min(PATIENCE, 120),
                              env=on_refcl(**variables))
    except subprocess.TimeoutExpired as e:
        return subprocess.CompletedProcess(words, "hangs", *((text or b"").decode() for text in (e.stdout, e.stderr)))


def main():
    if os.environ.get("SANITIZER") == "thread":
        tap.skip_all("no ThreadSanitizer here: a forked child cannot start threads")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", "-g", "-w", "-DALLOCATES=%d" % ALLOCATES,
                        "-I" + os.path.join(here, "host"), "-x", "c", "-", "-o", program, "-lOpenCL"], input=HOST.encode(), check=True)
        for name, variables in (("off", {}), ("a file", {"REFCL_TRACE": os.path.join(folder, "t.trace")}),
                                ("off, compiled", {"REFCL_ENGINE": "jit"}), ("off, seeded", {"REFCL_QUEUE_SEED": "7"})):
            for what in CHILDREN:
                done = start([program, what], **variables)
                check("recording %s: %s" % (name, what), done.returncode == 0 and done.stdout.count("right") ==
                      (2 if "exec" in what else 1), (done.returncode, done.stdout, done.stderr))
                said = "is not recorded" in done.stderr
                check("recording %s: %s: a message where something is lost" % (name, what),
                      said == (name == "a file" and what not in RECORDED), done.stderr)
            for what in LEAVING:
                done = start([program, what], **variables)
                check("recording %s: %s" % (name, what), (done.returncode, done.stdout) == (0, "right\n"), (done.returncode, done.stdout, done.stderr))
        for what in CHILDREN:
            done = start([REFCL, "run", "--", program, what])
            check("refcl run: " + what, done.returncode == RECORDED.get(what, 3) and "right\n" in done.stdout,
                  (done.returncode, done.stdout, done.stderr))
        for what in LEAVING:
            done = start([REFCL, "run", "--", program, what])
            check("refcl run: " + what, (done.returncode, done.stdout) == (0, "right\n"), (done.returncode, done.stdout, done.stderr))
        program = os.path.join(folder, "shared")
        subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-w", "-x", "c", "-", "-o", program, "-lOpenCL"],
                       input=SHARED.encode(), check=True)
        done = start([REFCL, "run", "--", program])
        check("refcl run: a semaphore that other processes may have",
              done.returncode == 3 and "right\n" in done.stdout and "a semaphore is shared with other processes" in done.stderr
              and "shared memory or a semaphore" in done.stderr, (done.returncode, done.stdout, done.stderr))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
