#!/bin/bash
# The interpreter beside Oclgrind, CPU time of a launch in milliseconds: without checks; and with race
# detection and uninitialized values, medians of RUNS (3).  Oclgrind is one process, which measures its second
# launch; a session of refcl is several, so that its launch is the difference between a session with 20 more
# and one with two, by 20.  "few": sessions of two launches as a whole, whatever sessions cost once included.
# A command that fails, or prints no result, is "-" and left out.  oclgrind.sh [KERNEL...]; RACES=0 leaves the
# second part out; ENGINE=jit uses instrumented launches in it.
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

# Halvings of the launch: without checks, so that Oclgrind takes a tenth of a second or more, and with them,
# so that it takes about a second.
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
# session KERNEL LAUNCHES COMMAND...: CPU milliseconds of a command that prints the kernel's result, children
# included, and of the launch that it measured.
session() {
    local TIMEFORMAT='%U %S' kernel=$1 launches=$2
    shift 2
    { time timeout 300 "$@" "$bench" $source "$kernel" "$launches" "$(checked_scale_of "$kernel")" 2>/dev/null; } 2>&1 |
        awk -v k="$kernel" '$1 == k { launch = $2 } NF == 2 { t = ($1 + $2) * 1000 } END { print launch == "" ? "- -" : t " " launch }'
}
runs() { for ((i = 0; i < RUNS; i++)); do session "$@"; done; }
first() { awk '{ print $1 }' | median; }
# Launch and session of two, for each.
refcl_races() {
    few=$(runs "$1" 1 "$BUILD/refcl" run -q -- | first)
    many=$(runs "$1" 21 "$BUILD/refcl" run -q -- | first)
    echo "$few $many" | awk '{ print ($2 + 0 > $1 + 0 && $1 != "-" ? ($2 - $1) / 20 : "-"), $1 }'
}
grind_races() {
    all=$(runs "$1" 1 oclgrind --data-races --uninitialized)
    echo "$(echo "$all" | awk '{ print $2 }' | median) $(echo "$all" | first)"
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
    echo "$k $(refcl_races "$k") $(grind_races "$k")"
done | awk '{ print $1, $2, $4, $3, $5 }' | table "with races"
