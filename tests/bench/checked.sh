#!/bin/bash
# CPU time of a checked launch beside the same launch compiled, neither checked nor recorded: instrumented
# launches under `refcl run` with race and memory checks, with and without a trace, both of full size; and, of
# a 64th, in the interpreter.  CPU time includes the program, its threads, the detector's process and the
# trace file.  Figures are differences of runs with many launches and with few, so they exclude what a session
# costs once, initial contents of memory included.  checked.sh [KERNEL...]; INTERPRETED=0 leaves out the
# interpreter's part.
set -u
cd "$(dirname "$0")/../.." || exit 4
BUILD=${BUILD:-build}
source=tests/bench/kernels.cl
bench=$BUILD/tests/bench/bench
mkdir -p "$(dirname "$bench")"
[ "$bench" -nt tests/bench/bench.c ] ||
    ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -DCL_TARGET_OPENCL_VERSION=300 tests/bench/bench.c -o "$bench" -lOpenCL || exit 4
kernels=${*:-$(sed -n '/^kernels=/,/}$/p' tests/bench/bench.sh | tr -d '\n' | sed 's/.*:-//; s/}//; s/[$][a-z]*//')}
library=$PWD/$BUILD/librefcl.so
trace=$(mktemp "${TMPDIR:-/tmp}/refcl-bench.XXXXXX")
trap 'rm -f "$trace"' EXIT
TIMEFORMAT='%U %S'

# CPU milliseconds of a command, children included; nothing if it fails.
cpu() {
    { time timeout 300 "$@" >/dev/null 2>"$trace.err"; } 2>&1 | awk 'END { print 1000 * ($1 + $2) }'
    rm -f "$trace.err"
}
jit() { OCL_ICD_VENDORS=$library OCL_ICD_FILENAMES=$library REFCL_ENGINE=jit "$bench" "$source" "$1" "$2" "$3" 2>/dev/null | awk '{ print $2 }'; }
session() { # session KERNEL SHIFT LAUNCHES OPTION...: of one launch
    kernel=$1 shift=$2 launches=$3
    shift 3
    few=$(cpu "$BUILD/refcl" run -q "$@" -- "$bench" "$source" "$kernel" 1 "$shift")
    many=$(cpu "$BUILD/refcl" run -q "$@" -- "$bench" "$source" "$kernel" $((launches + 1)) "$shift")
    echo "$few $many $launches" | awk '{ print ($2 > $1 ? ($2 - $1) / $3 : "-") }'
}

printf '%-16s %10s %12s %8s %12s %8s %10s %12s %8s\n' kernel jit instrumented times recorded times jit/64 checked/64 times
for k in $kernels; do
    instrumented=$(REFCL_ENGINE=jit session "$k" 0 100 --check race,memory)
    recorded=$(REFCL_ENGINE=jit session "$k" 0 100 --check race,memory --trace "$trace")
    line="$k $(jit "$k" 30 0) $instrumented $recorded"
    [ "${INTERPRETED:-1}" = 0 ] || line="$line $(jit "$k" 30 6) $(REFCL_ENGINE=interp session "$k" 6 8 --check race,memory)"
    echo $line
done | awk '
    function ratio(a, b) { return a + 0 == 0 || b + 0 == 0 ? "-" : sprintf(b < 10 * a ? "%.1f" : "%.0f", b / a) }
    function mean(name, sum, n) { if (n) printf "geometric mean, %s / JIT: %.1f over %d kernels\n", name, exp(sum / n), n }
    { w = ratio($2, $3); r = ratio($2, $4); c = ratio($5, $6)
      printf "%-16s %10s %12s %8s %12s %8s %10s %12s %8s\n", $1, $2, $3, w, $4, r, $5, $6, c; fflush()
      if (w != "-") { instrumented += log($3 / $2); l++ } if (r != "-") { recorded += log($4 / $2); m++ }
      if (c != "-") { checked += log($6 / $5); n++ } }
    END { mean("instrumented", instrumented, l); mean("recorded", recorded, m); mean("checked in the interpreter", checked, n) }'
