#!/bin/bash
# CPU time of a launch when it is checked, beside the same launch compiled and neither checked nor recorded: `refcl
# run` looking for races and memory errors, and writing a trace besides.  Everything counts: the program, its threads,
# the detector in its own process.  What sessions cost once is left out: the figures are differences of runs with many
# launches and with few.  Launches are a 64th of bench.sh's.
# checked.sh [KERNEL...]
set -u
cd "$(dirname "$0")/../.." || exit 4
BUILD=${BUILD:-build}
source=tests/bench/kernels.cl
bench=$BUILD/tests/bench/bench
mkdir -p "$(dirname "$bench")"
[ "$bench" -nt tests/bench/bench.c ] ||
    ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -DCL_TARGET_OPENCL_VERSION=300 tests/bench/bench.c -o "$bench" -lOpenCL || exit 4
kernels=${*:-$(sed -n '/^kernels=/,/}$/p' tests/bench/bench.sh | tr -d '\n' | sed 's/.*:-//; s/}//')}
library=$PWD/$BUILD/librefcl.so
trace=$(mktemp "${TMPDIR:-/tmp}/refcl-bench.XXXXXX")
trap 'rm -f "$trace"' EXIT
TIMEFORMAT='%U %S'

# CPU milliseconds of a command, children included; nothing if it fails.
cpu() {
    { time timeout 300 "$@" >/dev/null 2>"$trace.err"; } 2>&1 | awk 'END { print 1000 * ($1 + $2) }'
    rm -f "$trace.err"
}
jit() { OCL_ICD_VENDORS=$library OCL_ICD_FILENAMES=$library REFCL_ENGINE=jit "$bench" "$source" "$1" 30 6 2>/dev/null | awk '{ print $2 }'; }
session() { # session KERNEL OPTION...: of one launch
    kernel=$1
    shift
    few=$(cpu "$BUILD/refcl" run -q "$@" -- "$bench" "$source" "$kernel" 1 6)
    many=$(cpu "$BUILD/refcl" run -q "$@" -- "$bench" "$source" "$kernel" 9 6)
    echo "$few $many" | awk '{ print ($2 > $1 ? ($2 - $1) / 8 : "-") }'
}

printf '%-16s %10s %12s %8s %12s %8s\n' kernel jit/64 checked/64 times recorded/64 times
for k in $kernels; do
    echo "$k $(jit "$k") $(session "$k" --check race,memory) $(session "$k" --check race,memory --trace "$trace")"
done | awk '
    function ratio(a, b) { return a + 0 == 0 || b == "-" ? "-" : sprintf("%.0f", b / a) }
    { c = ratio($2, $3); r = ratio($2, $4)
      printf "%-16s %10s %12s %8s %12s %8s\n", $1, $2, $3, c, $4, r; fflush()
      if (c != "-") { checked += log($3 / $2); n++ } if (r != "-") { recorded += log($4 / $2); m++ } }
    END { if (n) printf "geometric mean, checked / JIT: %.0f over %d kernels\n", exp(checked / n), n
          if (m) printf "geometric mean, recorded / JIT: %.0f over %d kernels\n", exp(recorded / m), m }'
