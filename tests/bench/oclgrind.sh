#!/bin/bash
# The interpreter beside Oclgrind, CPU time of a launch in milliseconds: without checks; and with race detection and
# uninitialised values, as the difference between a session with many launches and one with few of the same size, each
# the median of RUNS (3).  "few" is what the sessions of two launches took, whatever sessions cost once included.
# A command that fails, or prints no result, is "-" and left out.
# oclgrind.sh [KERNEL...]; RACES=0 leaves the second part out; ENGINE=jit has compiled code watch launches in it.
set -u
cd "$(dirname "$0")/../.." || exit 4
BUILD=${BUILD:-build}
RUNS=${RUNS:-3}
source=tests/bench/kernels.cl
bench=$BUILD/tests/bench/bench
library=$PWD/$BUILD/librefcl.so
mkdir -p "$(dirname "$bench")"
[ "$bench" -nt tests/bench/bench.c ] ||
    ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -w -DCL_TARGET_OPENCL_VERSION=300 tests/bench/bench.c -o "$bench" -lOpenCL || exit 4
command -v oclgrind >/dev/null || { echo "no oclgrind"; exit 0; }
kernels=${*:-vector_add saxpy_chain matrix_naive matrix_tiled reduction stencil histogram n_body bitonic_sort scan
    black_scholes integer_hash ticket_lock}
export OCL_ICD_VENDORS=$library OCL_ICD_FILENAMES=$library

# Halvings of the launch: without checks, so that Oclgrind takes a tenth of a second or more, and with them, so that
# it takes about a second.
scale_of() {
    case $1 in
    n_body) echo 2 ;;
    ticket_lock) echo 0 ;;
    *) echo 5 ;;
    esac
}
checked_scale_of() {
    case $1 in
    reduction | histogram | bitonic_sort | scan | black_scholes) echo 6 ;;
    saxpy_chain | integer_hash) echo 7 ;;
    *) scale_of "$1" ;;
    esac
}
median() { sort -n | awk '/-/ { bad = 1 } { v[NR] = $1 } END { print bad || NR == 0 ? "-" : v[int((NR + 1) / 2)] }'; }
# time_of KERNEL COMMAND...: CPU milliseconds of a command that prints the kernel's result, children included.
time_of() {
    local TIMEFORMAT='%U %S' kernel=$1
    shift
    { time timeout 300 "$@" 2>/dev/null | grep -q "^$kernel [0-9.]* " || echo failed >&2; } 2>&1 |
        awk '/failed/ { bad = 1 } NF == 2 { t = ($1 + $2) * 1000 } END { print bad || t == 0 ? "-" : t }'
}
# sessions KERNEL LAUNCHES COMMAND...: medians of sessions with few launches, and with LAUNCHES more.
sessions() {
    local kernel=$1 launches=$2 scale few many
    shift 2
    scale=$(checked_scale_of "$kernel")
    few=$(for ((i = 0; i < RUNS; i++)); do time_of "$kernel" "$@" "$bench" $source "$kernel" 1 "$scale"; done | median)
    many=$(for ((i = 0; i < RUNS; i++)); do time_of "$kernel" "$@" "$bench" $source "$kernel" $((launches + 1)) "$scale"; done | median)
    echo "$few $many" | awk -v n="$launches" '{ print ($2 + 0 > $1 + 0 && $1 != "-" ? ($2 - $1) / n : "-"), $1 }'
}
refcl() { REFCL_ENGINE=interp timeout 300 "$bench" $source "$1" 5 "$(scale_of "$1")"; }
grind() { timeout 300 oclgrind "$bench" $source "$1" 1 "$(scale_of "$1")"; }
launch_of() { awk '$2 ~ /^[0-9.]+$/ { t = $2 } END { print t == "" ? "-" : t }'; }

# Lines: kernel, refcl, oclgrind and, for sessions, the two of few launches.
table() {
    awk -v title="$1" '
        function ratio(a, b) { return a + 0 == 0 || b + 0 == 0 ? "-" : sprintf("%.1f", b / a) }
        BEGIN { printf "%-16s %12s %12s %8s\n", title, "refcl", "oclgrind", "ratio" }
        { r = ratio($2, $3)
          few = NF < 4 ? "" : sprintf("   few: %s %s %s", $4, $5, ratio($4, $5))
          printf "%-16s %12s %12s %8s%s\n", $1, $2, $3, r, few; fflush()
          if (r != "-") { sum += log($3 / $2); n++; if (least == "" || $3 / $2 < least) least = $3 / $2 } }
        END { if (n) printf "%-16s %34.1f   least %.1f, of %d kernels\n\n", "geometric mean", exp(sum / n), least, n }'
}

for k in $kernels; do
    echo "$k $(refcl "$k" 2>/dev/null | launch_of) $(grind "$k" 2>/dev/null | launch_of)"
done | table "plain"
[ "${RACES:-1}" = 0 ] && exit
export REFCL_ENGINE=${ENGINE:-interp}
for k in $kernels; do
    echo "$k $(sessions "$k" 20 "$BUILD/refcl" run -q --) $(sessions "$k" 1 oclgrind --data-races --uninitialized)"
done | awk '{ print $1, $2, $4, $3, $5 }' | table "with races"
