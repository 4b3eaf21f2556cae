#!/bin/bash
# Commands of extension functions: with refcl as the driver, which has them, with PoCL, which has an older
# version of command buffers, and above a layer that offers shared memory and a function unknown to refcl.
. "$(dirname "$0")/../lib/tap.sh"
here=$(dirname "$0")
build=$(realpath "${BUILD:-build}")
pocl=${REFCL_POCL_ICD:-/etc/OpenCL/vendors/pocl.icd}
${CC:-gcc} -std=gnu11 -g -o "$tap_dir/extensions" "$here/extensions.c" -lOpenCL || exit 1
${CC:-gcc} -std=gnu11 -shared -fPIC -o "$tap_dir/libshared.so" "$here/shared_memory_layer.c" || exit 1

# run CODE WORDS... : the exit code, and words of the report, if any
run() {
    local code=$1 words=$2
    shift 2
    local options=()
    if [ "$1" = --trace ]; then
        options=("$1" "$2")
        shift 2
    fi
    "$REFCL" run --on-driver "${driver[@]}" "${options[@]}" -- "$tap_dir/extensions" "$@" >"$tap_dir/said" 2>&1
    [ $? = "$code" ] && grep -q -- "$words" "$tap_dir/said" || {
        cat "$tap_dir/said" >&2
        return 1
    }
}
race="checked: the change removes this race"

driver=(--icd "$build/librefcl.so")
for what in buffer sync-point copies semaphore early-wait pipe; do
    ok "$what: the race is found" run 1 "$race" "$what"
    ok "$what: nothing is found without it" run 0 "refcl: no findings" "$what" fixed
done
ok "a kernel of a command buffer is named" run 1 "a write by fill (command 2)" buffer
ok "what the children of a kernel touch is not known" run 3 "not checked: what kernels that kernels enqueue touch" child

again() {
    run 3 "not checked" --trace "$tap_dir/trace" child
    "$REFCL" trace check "$tap_dir/trace" >"$tap_dir/said" 2>&1
    [ $? = 3 ] && grep -q "not checked: what kernels that kernels enqueue touch" "$tap_dir/said"
}
ok "... nor is it where the trace is checked again" again

interfaces="not checked: what other interfaces do with shared memory"
ok "what other interfaces do with acquired memory is not known" run 3 "$interfaces" external-memory
fails() {
    run 0 "refcl: no findings" external-memory fails && ! grep -q "other interfaces" "$tap_dir/said"
}
ok "... and an acquisition that fails leaves nothing unknown" fails

# The call, then the point after all earlier commands, then the start of the wait after it.
external() {
    run 3 "not checked: what comes before signals of external semaphores" --trace "$tap_dir/trace" external-semaphore || return 1
    "$REFCL" trace dump "$tap_dir/trace" >"$tap_dir/said" || return 1
    local call=$(sed -n 's/^\([0-9]*\) host thread 0: api-call at clEnqueueWaitSemaphoresKHR.*/\1/p' "$tap_dir/said")
    grep -q "^$((call + 1)) host thread [1-9][0-9]*: event-complete" "$tap_dir/said" &&
        grep -q "^$((call + 2)) clEnqueueWaitSemaphoresKHR.*: command-start" "$tap_dir/said" &&
        grep -q "^edge $((call + 1)) -> $((call + 2)) host" "$tap_dir/said"
}
ok "a wait for an external semaphore is ordered after all commands before its call" external

# level EXPECTED NAME: a program of tests/races/host
level() {
    ${CC:-gcc} -std=gnu11 -g -o "$tap_dir/level" "$here"/../races/host/*/$2.c -lOpenCL || return 1
    "$REFCL" run --on-driver "${driver[@]}" -- "$tap_dir/level" >"$tap_dir/said" 2>&1
    [ $? = "$1" ]
}
ok "commands on different levels of an image do not race" level 0 image_levels_apart
ok "... and on the same level they do" level 1 image_levels_same
ok "a kernel that writes one level does not race with a command on another" level 0 image_level_drawn_level_filled
ok "... and with one on the same level it does" level 1 image_level_drawn_and_filled

export OPENCL_LAYERS=$tap_dir/libshared.so
ok "shared memory: the race is found" run 1 "$race" shared
ok "shared memory: nothing is found without it" run 0 "refcl: no findings" shared fixed
ok "an unknown function that is called makes the answer unknown" run 3 "not checked: calls of clEnqueueMysteryEXT" unknown
ok "... and one that is only looked up does not" run 1 "$race" unknown lookup
unset OPENCL_LAYERS

driver=(--icd "$pocl")
if [ ! -e "$pocl" ]; then
    skip "command buffers on PoCL" "no PoCL"
else
    OCL_ICD_VENDORS=$pocl "$tap_dir/extensions" copies fixed >"$tap_dir/said" 2>&1
    if [ $? = 77 ]; then
        skip "command buffers of another driver" "the driver lacks cl_khr_command_buffer"
    else
        ok "another driver: the race within a command buffer is found" run 1 "$race" copies
        ok "another driver: nothing is found without it" run 0 "refcl: no findings" copies fixed
    fi
fi
done_testing
