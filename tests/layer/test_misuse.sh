#!/bin/bash
# Wrong use of the API on a driver: with --check api the layer reports failed calls and leaks; memory that is
# freed while a command may use it is always reported.  With refcl as the driver, and with PoCL.
. "$(dirname "$0")/../lib/tap.sh"
here=$(dirname "$0")
build=$(realpath "${BUILD:-build}")
pocl=${REFCL_POCL_ICD:-/etc/OpenCL/vendors/pocl.icd}
${CC:-gcc} -std=gnu11 -g -o "$tap_dir/misuse" "$here/misuse.c" -lOpenCL || exit 1
line() { grep -n "$1" "$here/misuse.c" | cut -d: -f1; }

# run CODE WORDS OPTIONS... WHAT
run() {
    local code=$1 words=$2
    shift 2
    "$REFCL" run --on-driver --icd "$driver" "${@:1:$#-1}" -- "$tap_dir/misuse" "${!#}" >"$tap_dir/said" 2>&1
    [ $? = "$code" ] && grep -q -- "$words" "$tap_dir/said" || {
        cat "$tap_dir/said" >&2
        return 1
    }
}
check() {
    ok "$1: a program without misuse" run 0 "refcl: no findings" --check all none
    ok "$1: a failed call, and where" run 1 \
        "misuse.c:$(line 'clEnqueueWriteBuffer(q'): error: clEnqueueWriteBuffer is answered with CL_INVALID_VALUE" --check all range
    ok "$1: ... is not reported without --check api" run 0 "refcl: no findings" range
    ok "$1: an object that is left, and where it was created" run 1 \
        "misuse.c:$(line 'cl_command_queue q ='): note: command-queue 1 is left with 1 reference at exit" --check all leak
    ok "$1: a sampler that is left" run 1 "misuse.c:$(line 'cl_sampler sampler ='): note: sampler 1 is left with 1 reference at exit" --check all leak
    ok "$1: SVM that is left" run 1 "SVM of 256 bytes is not freed at exit" --check all leak
    ok "$1: SVM that a command frees is not left" run 0 "refcl: no findings" --check all "enqueued free"
    ok "$1: memory that is freed in use, and where" run 1 \
        "misuse.c:$(line 'clSVMFree(context'): error: data race on global memory 'svm 1'" free
    ok "$1: ... after the command" run 0 "refcl: no findings" waited
}
driver=$build/librefcl.so
check refcl
ok "refcl: an object that was released" run 1 "the object was used after its last release" --check all released
driver=$pocl
if [ -e "$pocl" ]; then
    check PoCL
else
    skip "misuse on PoCL" "no PoCL"
fi
done_testing
