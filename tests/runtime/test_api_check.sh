#!/bin/bash
# REFCL_CHECK=api: misuse, use after release and leaks are told, with clause, call and place; right programs are
# left in peace.
set -u
BUILD=${BUILD:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/wrong.c" <<'C'
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
__attribute__((noinline)) void misuse(cl_context context)
{
    cl_int err;
    clCreateBuffer(context, 0, 0, 0, &err);
}
int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int err;
    (void)argv;
    clGetPlatformIDs(1, &platform, 0);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0);
    cl_context context = clCreateContext(0, 1, &device, 0, 0, &err);
    cl_mem buffer = clCreateBuffer(context, 0, 64, 0, &err);
    if (argc > 1) {
        misuse(context);
        cl_mem gone = clCreateBuffer(context, 0, 64, 0, &err);
        clReleaseMemObject(gone);
        clReleaseMemObject(gone);
        return 0;
    }
    clReleaseMemObject(buffer);
    clReleaseContext(context);
    return 0;
}
C
echo "1..5"
if ! ${CC:-gcc} -rdynamic -w "$dir/wrong.c" -o "$dir/wrong" -lOpenCL 2>"$dir/log"; then
    for i in 1 2 3 4 5; do echo "ok $i - check # SKIP no compiler"; done
    exit 0
fi
[ -n "${SANITIZER:-}" ] && { for i in 1 2 3 4 5; do echo "ok $i - check # SKIP program without sanitizer"; done; exit 0; }
export REFCL_CHECK=api
out=$("$dir/wrong" 2>&1)
[ -z "$out" ] && echo "ok 1 - a right program" || printf 'not ok 1 - a right program\n# %s\n' "$out"
out=$("$dir/wrong" x 2>&1)
has() { echo "$out" | grep -qE "$2" && echo "ok $1 - $3" || printf 'not ok %s - %s\n# %s\n' "$1" "$3" "$out"; }
has 2 'api-misuse: clCreateBuffer is answered with CL_INVALID_BUFFER_SIZE; called from misuse\+.*\[CL 5\.2\.1\]' misuse
has 3 'use-after-release: clReleaseMemObject is answered with CL_INVALID_MEM_OBJECT.*last release' 'use after release'
has 4 'leak: memory object [0-9]+ \(buffer [0-9]+, 64 bytes\) is left with 1 reference at exit' leak
unset REFCL_CHECK
out=$("$dir/wrong" x 2>&1)
[ -z "$out" ] && echo "ok 5 - quiet without the check" || printf 'not ok 5 - quiet without the check\n# %s\n' "$out"
