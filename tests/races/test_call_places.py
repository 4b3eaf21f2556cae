#!/usr/bin/env python3
"""Reports name the call that enqueued a command: calls of the same function from several lines, at
the same and at different depths of the stack, each made more than once, as stacks are cached; from functions in a header."""
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import REFCL
from tap import check

HOST = r"""#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <alloca.h>
#include <string.h>
static cl_command_queue queues[2];
static cl_kernel kernel;
static size_t one = 1;
static void fill(cl_mem to, int queue)
{
    static const int zero;
    clEnqueueFillBuffer(queues[queue], to, &zero, 4, 0, 4, 0, NULL, NULL); /* fill */
}
static void launch(int queue, size_t depth)
{
    volatile char *room = alloca(depth);
    room[0] = 0;
    if (queue == 0)
        clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &one, NULL, 0, NULL, NULL); /* first */
    else
        clEnqueueNDRangeKernel(queues[1], kernel, 1, NULL, &one, NULL, 0, NULL, NULL); /* second */
    room[0] = 1;
}
int main(void)
{
    const char *text = "kernel void k(global int *a) { a[0] = a[1] + 1; }";
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    for (int k = 0; k < 2; k++)
        queues[k] = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    kernel = clCreateKernel(program, "k", NULL);
    cl_mem first = clCreateBuffer(context, 0, 64, NULL, NULL), second = clCreateBuffer(context, 0, 64, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof first, &first);
    for (int k = 0; k < 3; k++) { /* alone: nothing races */
        launch(0, 64 + 64 * (k % 2));
        clFinish(queues[0]);
        launch(1, 64 + 64 * (k % 2));
        clFinish(queues[1]);
    }
    launch(0, 64); /* race */
    launch(1, 64);
    clFinish(queues[0]);
    clFinish(queues[1]);
    clSetKernelArg(kernel, 0, sizeof second, &second);
    for (int k = 0; k < 3; k++) {
        fill(second, 0);
        clFinish(queues[0]);
    }
    fill(second, 0); /* race */
    launch(1, 128);
    clFinish(queues[0]);
    clFinish(queues[1]);
    return 0;
}
"""


HEADER, MAIN = HOST.split("int main(void)")
COMPILERS = [[os.environ.get("CC", "gcc"), "-gdwarf-5"], [os.environ.get("CC", "gcc"), "-gdwarf-4"]] + \
    [[clang, "-g"] for clang in sorted(glob.glob("/usr/lib/llvm-*/bin/clang"))[-1:]]


def place_of(mark):
    return "calls.h", next(n + 1 for n, line in enumerate(HOST.split("\n")) if "/* %s */" % mark in line and "cl" in line)


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "host")
        for name, text in ("calls.h", HEADER), ("host.c", '#include "calls.h"\nint main(void)' + MAIN):
            with open(os.path.join(folder, name), "w") as f:
                f.write(text)
        for compiler in COMPILERS:
            subprocess.run(compiler + ["-O1", "-w", "-o", program, "host.c", "-lOpenCL"], cwd=folder, check=True)
            done = subprocess.run([REFCL, "run", "-q", "--json", "-", "--", program], capture_output=True, text=True)
            try:
                findings = json.loads(done.stdout)["findings"]
            except (ValueError, KeyError):
                findings = []
            calls = [[access.get("enqueued", {}) for access in f["accesses"]] for f in findings]
            pairs = {tuple(sorted((os.path.basename(c.get("file", "")), c.get("line", 0)) for c in pair)) for pair in calls}
            wanted = {tuple(sorted(map(place_of, marks))) for marks in (("first", "second"), ("fill", "second"))}
            check("races name the lines, in a header, that enqueued their commands (%s)" % " ".join(map(os.path.basename, compiler)), pairs == wanted,
                  "%s instead of %s\n%s" % (pairs, wanted, done.stderr))


main()
sys.exit(tap.done())
