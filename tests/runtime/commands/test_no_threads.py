#!/usr/bin/env python3
"""Thread creation that fails (a limit of processes), from the first, the second, ... creation of a process
on. Calls that need the thread fail with CL_OUT_OF_RESOURCES, no call waits for it, and accepted commands are
executed."""
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../lib"))
import tap
from tap import check
from built import PATIENCE, REFCL, on_refcl

# The executable's pthread_create is the one that libraries find.
HOST = r'''#include "host.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int created, last = 1000000;
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
    return atomic_fetch_add(&created, 1) >= last ? EAGAIN : next(thread, attributes, body, argument);
}
static atomic_int called;
static void CL_CALLBACK back(cl_event event, cl_int status, void *data) { (void)event; (void)status; (void)data; called = 1; }
static void end_unless(cl_int accepted)
{
    if (accepted == CL_SUCCESS)
        return;
    printf("error %d\n", accepted);
    exit(accepted == CL_OUT_OF_RESOURCES ? 0 : 6);
}
int main(int argc, char **argv)
{
    (void)argc;
    begin(NULL);
    cl_command_queue q = in_order();
    cl_mem a = buffer();
    cl_kernel k = kernel("add", a, NULL, NULL);
    size_t size = N;
    int values[N];
    cl_int error;
    cl_event user = clCreateUserEvent(context, &error);
    OK(error);
    last = created + atoi(argv[1]);
    end_unless(clEnqueueNDRangeKernel(q, k, 1, NULL, &size, NULL, 0, NULL, NULL));
    end_unless(clEnqueueReadBuffer(q, a, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        if (values[i] != 1)
            return 5;
    puts("executed");
    end_unless(clSetEventCallback(user, CL_COMPLETE, back, NULL));
    OK(clSetUserEventStatus(user, CL_COMPLETE));
    while (!called)
        usleep(1000);
    puts("called");
    for (int i = 0; i < 2000; i++) /* what becomes hot is compiled by another thread */
        end_unless(clEnqueueNDRangeKernel(q, k, 1, NULL, &size, NULL, 0, NULL, NULL));
    OK(clFinish(q));
    puts("right");
    return 0;
}
'''
THREADS = 4  # the executor, the callback thread, and those of the JIT
SAID = "no thread to run commands can be created"


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", "-w", "-I" + os.path.join(here, "../../races/host"), "-rdynamic",
                        "-x", "c", "-", "-o", program, "-lOpenCL", "-ldl"], input=HOST.encode(), check=True)

        def start(good, *words, **variables):
            try:
                return subprocess.run([*words, program, str(good)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                      timeout=min(PATIENCE, 300), env=on_refcl(**variables))
            except subprocess.TimeoutExpired as e:
                return subprocess.CompletedProcess(words, "hangs", str(e.stdout), str(e.stderr))
        for name, words, variables in (("auto", (), {}), ("interpreted", (), {"REFCL_ENGINE": "interp"}),
                                       ("seeded", (), {"REFCL_QUEUE_SEED": "7"})):
            for good in range(THREADS + 1):
                done = start(good, *words, **variables)
                seen = done.stdout.split("\n")[:-1]
                wanted = ["error -5"] if good == 0 else ["executed", "error -5"] if good == 1 else ["executed", "called", "right"]
                check(f"{name}, {good} threads", done.returncode == 0 and seen == wanted and (SAID in done.stderr) == (good == 0),
                      (done.returncode, done.stdout, done.stderr))
        for good in range(THREADS + 1):
            done = start(good, REFCL, "run", "--")
            check(f"refcl run, {good} threads: it ends", done.returncode == 0 and ("right" in done.stdout or "error -5" in done.stdout),
                  (done.returncode, done.stdout, done.stderr))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
