#!/bin/bash
# clpeak, each of its tests separately: exit code 0, no error message, and a figure in each line.
set -u
cd "$(dirname "$0")/../../.." || exit 4
. tests/lib/tap.sh
figures() { # figures OPTIONS UNIT LINES: that many lines with a figure above zero
    # shellcheck disable=SC2086
    timeout 300 clpeak $1 >"$tap_dir/text" 2>&1
    status=$?
    cat "$tap_dir/text"
    [ $status -eq 0 ] && ! grep -qiE 'error|fail|skipped|exception|CL_' "$tap_dir/text" &&
        grep -qE "$2" "$tap_dir/text" &&
        [ "$(grep -vE ': 0\.0+( us)?$' "$tap_dir/text" | grep -cE ': [0-9]+\.[0-9]+( us)?$')" -eq "$3" ]
}
if ! command -v clpeak >/dev/null; then
    skip clpeak "not installed: clpeak"
    done_testing
fi
precise=--compute-dp # in later versions without half precision
clpeak --help | grep -q -- --compute-hp && precise="--compute-hp --compute-dp"
ok 'global bandwidth' figures --global-bandwidth 'Global memory bandwidth \(GBPS\)' 5
ok 'compute, single precision' figures --compute-sp 'Single-precision compute \(GFLOPS\)' 5
ok 'compute, half and double precision' figures "$precise" 'Double-precision compute \(GFLOPS\)' 10
ok 'compute, integers' figures --compute-integer 'Integer compute \(GIOPS\)' 5
ok 'compute, integers of 24 bits' figures --compute-intfast 'Integer compute Fast 24bit \(GIOPS\)' 5
ok 'transfer bandwidth' figures --transfer-bandwidth 'Transfer bandwidth \(GBPS\)' 8
ok 'kernel latency' figures --kernel-latency 'Kernel launch latency' 1
done_testing
