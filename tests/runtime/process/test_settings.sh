#!/bin/bash
# An invalid value of an environment variable is reported once, with the valid values; the default is used.
set -u
cd "$(dirname "$0")/../../.." || exit 4
. tests/lib/tap.sh
program="$BUILD/tests/runtime/memory/test_buffers"
told() { # told VARIABLE VALUE LINES: one line each, and the program works
    env "$1=$2" "$program" >"$tap_dir/stdout" 2>"$tap_dir/stderr" || return 1
    grep '^refcl: REFCL_' "$tap_dir/stderr" >"$tap_dir/told"
    printf '%b' "$3" | diff - "$tap_dir/told"
}
ok 'a word' told REFCL_ENGINE jut "refcl: REFCL_ENGINE: 'jut' is none of: interp jit auto\n"
ok 'a list of words' told REFCL_DEBUG jit,mem "refcl: REFCL_DEBUG: 'mem' is none of: cache compiler jit memory trace\n"
ok 'every wrong word' told REFCL_MEMORY weal,literall \
    "refcl: REFCL_MEMORY: 'weal' is none of: literal strong weak\nrefcl: REFCL_MEMORY: 'literall' is none of: literal strong weak\n"
ok 'two words where one is meant' told REFCL_BUFFERS unified,literal \
    "refcl: REFCL_BUFFERS: 'unified,literal' is none of: literal unified\n"
ok 'no number' told REFCL_DEVICES two "refcl: REFCL_DEVICES: 'two' is no number from 1 to 16\n"
ok 'a number and more' told REFCL_COMPUTE_UNITS 4x "refcl: REFCL_COMPUTE_UNITS: '4x' is no number from 1 to 64\n"
ok 'a number out of range' told REFCL_DEVICES 17 "refcl: REFCL_DEVICES: '17' is no number from 1 to 16\n"
ok 'a negative number' told REFCL_QUEUE_SEED -1 \
    "refcl: REFCL_QUEUE_SEED: '-1' is no number from 0 to 18446744073709551615\n"
ok 'one device of several' told REFCL_COMPUTE_UNITS 4,9T,1K \
    "refcl: REFCL_COMPUTE_UNITS: '9T' is no number from 1 to 64\nrefcl: REFCL_COMPUTE_UNITS: '1K' is no number from 1 to 64\n"
ok 'a word of a device' told REFCL_SVM fine,rough "refcl: REFCL_SVM: 'rough' is none of: none coarse fine all system\n"
ok 'a call that fails' told REFCL_FAIL clFlush:CL_OUT_OF_RESOURCES@9999,clNone:CL_OUT_OF_RESOURCES,clFinish:CL_INVALID_VALUE \
    "refcl: REFCL_FAIL: 'clNone:CL_OUT_OF_RESOURCES' is no CALL:CODE or CALL:CODE@N\nrefcl: REFCL_FAIL: 'clFinish:CL_INVALID_VALUE' is no CALL:CODE or CALL:CODE@N\n"
ok 'a fault' prints 0 "^refcl: REFCL_FAULT: 'nothing' is none of:.* fence-dropped" env REFCL_FAULT=nothing "$program"
ok 'nothing to report' told REFCL_GLOBAL_MEMORY 1G,0x20000000 ''
ok 'an empty variable' told REFCL_DEVICES '' ''
done_testing
