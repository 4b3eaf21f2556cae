#!/bin/bash
# The interpreter beside Oclgrind, CPU time in milliseconds: a launch without checks; and the whole command with
# race detection and uninitialised values, less what the same command takes for an empty launch.
# oclgrind.sh [KERNEL...]; RACES=0 leaves the second part out; ENGINE=jit has compiled code watch launches in it.
set -u
cd "$(dirname "$0")/../.." || exit 4
BUILD=${BUILD:-build}
source=tests/bench/kernels.cl
bench=$BUILD/tests/bench/bench
library=$PWD/$BUILD/librefcl.so
mkdir -p "$(dirname "$bench")"
[ "$bench" -nt tests/bench/bench.c ] ||
    ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -w -DCL_TARGET_OPENCL_VERSION=300 tests/bench/bench.c -o "$bench" -lOpenCL || exit 4
command -v oclgrind >/dev/null || { echo "no oclgrind"; exit 0; }
kernels=${*:-vector_add saxpy_chain matrix_naive matrix_tiled reduction stencil histogram n_body bitonic_sort scan
    black_scholes integer_hash ticket_lock}

# Halvings of the launch, so that Oclgrind takes about a tenth of a second or more.
scale_of() {
    case $1 in
    n_body) echo 2 ;;
    ticket_lock) echo 0 ;;
    *) echo 5 ;;
    esac
}
refcl() { OCL_ICD_VENDORS=$library OCL_ICD_FILENAMES=$library REFCL_ENGINE=interp timeout 300 "$bench" "$source" "$1" 5 "$(scale_of "$1")"; }
grind() { timeout 300 oclgrind "$bench" "$source" "$1" 1 "$(scale_of "$1")"; }
# CPU milliseconds of a command and its children.
cpu() {
    local TIMEFORMAT='%U %S'
    { time timeout 300 "$@" >/dev/null 2>&1; } 2>&1 | awk 'NF == 2 && $1 ~ /^[0-9.]+$/ {t = ($1 + $2) * 1000} END {print t + 0}'
}
refcl_races() { REFCL_ENGINE=${ENGINE:-interp} cpu "$BUILD/refcl" run -- "$bench" "$source" "$1" 3 "$2"; }
grind_races() { cpu oclgrind --data-races --uninitialized "$bench" "$source" "$1" 3 "$2"; }

table() {
    awk -v title="$1" '
        BEGIN { printf "%-16s %12s %12s %8s\n", title, "refcl", "oclgrind", "ratio" }
        { r = $2 > 0 && $3 != "" ? $3 / $2 : 0
          printf "%-16s %12.3f %12.3f %8.1f\n", $1, $2, $3, r; fflush()
          if (r > 0) { sum += log(r); n++; if (least == 0 || r < least) least = r } }
        END { if (n) printf "%-16s %34.1f   least %.1f, of %d kernels\n\n", "geometric mean", exp(sum / n), least, n }'
}

for k in $kernels; do
    echo "$k $(refcl "$k" 2>/dev/null | cut -d' ' -f2) $(grind "$k" 2>/dev/null | awk '$2 ~ /^[0-9.]+$/ {print $2; exit}')"
done | table "plain"
[ "${RACES:-1}" = 0 ] && exit
for k in $kernels; do
    a=$(refcl_races "$k" "$(scale_of "$k")") a0=$(refcl_races "$k" 30) b=$(grind_races "$k" "$(scale_of "$k")") b0=$(grind_races "$k" 30)
    echo "$k $a $a0 $b $b0"
done | awk '{ print $1, $2 - $3 < 1 ? 1 : $2 - $3, $4 - $5 }' | table "with races"
