#!/usr/bin/env python3
"""Debug information of host code comes from local files: no server of DEBUGINFOD_URLS is asked for what is in none of them;
the programs that refcl starts have the variable."""
import ctypes.util
import os
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import PATIENCE, REFCL
from tap import check

HOST = r"""#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
int main(void)
{
    const char *text = "kernel void k(global int *a) { a[0] = a[1] + 1; }";
    size_t one = 1;
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    cl_mem memory = clCreateBuffer(context, 0, 64, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    cl_command_queue first = clCreateCommandQueue(context, device, 0, NULL), second = clCreateCommandQueue(context, device, 0, NULL);
    clEnqueueNDRangeKernel(first, kernel, 1, NULL, &one, NULL, 0, NULL, NULL); /* a race */
    clEnqueueNDRangeKernel(second, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    return clFinish(first) | clFinish(second);
}
"""


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)
    with tempfile.TemporaryDirectory() as folder:
        urls = "http://127.0.0.1:%d/" % listener.getsockname()[1]
        environment = dict(os.environ, DEBUGINFOD_URLS=urls, DEBUGINFOD_CACHE_PATH=os.path.join(folder, "cache"),
                           DEBUGINFOD_TIMEOUT="2", no_proxy="127.0.0.1", NO_PROXY="127.0.0.1")
        for command in "run", "capture":
            done = subprocess.run([REFCL, command, "--", "printenv", "DEBUGINFOD_URLS"], cwd=folder, env=environment, capture_output=True,
                                  text=True, timeout=PATIENCE)
            check("a program under refcl %s has DEBUGINFOD_URLS" % command, urls in done.stdout.split(), done.stdout + done.stderr)
        if not ctypes.util.find_library("debuginfod"):
            tap.skip("a program without debug information", "no libdebuginfod")
            return
        program = os.path.join(folder, "host")
        subprocess.run([os.environ.get("CC", "gcc"), "-g0", "-Wl,--build-id", "-w", "-x", "c", "-", "-o", program, "-lOpenCL"], input=HOST,
                       text=True, check=True)
        done = subprocess.run([REFCL, "run", "--", program], env=environment, capture_output=True, text=True, timeout=PATIENCE)
        try:
            listener.accept()
            asked = True
        except BlockingIOError:
            asked = False
        check("a program without debug information: no server is asked", not asked and done.returncode == 1, done.stdout + done.stderr)


main()
sys.exit(tap.done())
