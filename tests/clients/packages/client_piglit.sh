#!/bin/bash
# The OpenCL part of Piglit: its tests of calls, and of programs with known results.
# Left out, with the reason:
#   get-device-info, extension-function-address: written for OpenCL 1.x; the loader answers, not the platform
#   get-command-queue-info: asks a queue on the host for CL_QUEUE_SIZE, an error since OpenCL 2.0
#   create-program-with-binary: makes a kernel of a program that was not built
#   use-sub-buffer-in-kernel: origins that CL_DEVICE_MEM_BASE_ADDR_ALIGN forbids
#   predefined-macros: expects the language version of the device where -cl-std says another
#   include-directories: the header is not in the package
#   doc_program: a program-scope variable that OpenCL C 1.x does not have
#   amdgcn-f32-inline-immediates: expects denormals to be flushed
#   pyrit, atomic_int64_cmpxchg-local, constant-load, bswap, clz-optimizations: write past the end of their buffers
#   of versions that have it, non-entry-block-alloca: clang's __builtin_alloca, which the OpenCL environment has no instruction for;
#     and create-buffer, enqueue-read_write-buffer: they make buffers with CL_MEM_KERNEL_READ_AND_WRITE, a flag for queries of formats alone
#   program-max-work-item-sizes: a launch of the largest size, hours under an interpreter
root=$(echo /usr/lib/*/piglit)
if [ ! -x "$root/bin/cl-program-tester" ]; then
    echo "1..0 # SKIP not installed: piglit"
    exit 0
fi
cd "$root" || exit 1
export REFCL_VERSION=3.0 # its tests precede 3.1, where a local argument may have the size zero
left_out='get-device-info|function-address|get-command-queue-info|with-binary|use-sub-buffer|predefined-macros'
left_out+='|include-directories|doc_program|inline-immediates|pyrit|cmpxchg-local|constant-load|bswap|clz-opt|max-work-item|egl'
if [ -e tests/cl/program/execute/non-entry-block-alloca.cl ]; then
    left_out+='|non-entry-block-alloca|api-create-buffer|enqueue-read_write-buffer'
fi
calls=$(ls bin/cl-api-* bin/cl-custom-* bin/cl-program-bitcoin-phatk | grep -vE "$left_out")
programs=$(find tests/cl generated_tests/cl \( -name '*.cl' -o -name '*.program_test' \) | grep -vE "$left_out" | sort)
[ -n "$CLIENT_QUICK" ] && programs=$(echo "$programs" | awk 'NR % 12 == 0')
echo "1..$(echo "$calls" "$programs" | wc -w)"
n=0
for t in $calls $programs; do
    n=$((n + 1))
    case $t in
    *.cl | *.program_test) out=$(timeout "${CLIENT_LIMIT:-120}" bin/cl-program-tester "$t" 2>&1 </dev/null) ;;
    *) out=$(timeout "${CLIENT_LIMIT:-120}" "$t" 2>&1 </dev/null) ;;
    esac
    case $? in
    0) echo "ok $n - ${t#*/}" ;;
    *) echo "$out" | grep -aq '"result": "skip"' && echo "ok $n - ${t#*/} # SKIP by itself" ||
        printf 'not ok %s - %s\n# %s\n' $n "${t#*/}" "$(echo "$out" | grep -aE 'Error|Unexpected|fail' | head -3 | tr '\n' ' ')" ;;
    esac
done
