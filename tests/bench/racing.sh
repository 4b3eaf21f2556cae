#!/bin/bash
# CPU seconds of `refcl run`, report included, if every element of two launches races, beside recorded
# launches without races.  racing.sh [ITEMS] (default 1048576); medians of RUNS (3).
set -u
cd "$(dirname "$0")/../.." || exit 4
BUILD=${BUILD:-build}
items=${1:-1048576}
program=$BUILD/tests/bench/racing
mkdir -p "$(dirname "$program")"
[ "$program" -nt tests/bench/racing.c ] ||
    ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -DCL_TARGET_OPENCL_VERSION=300 tests/bench/racing.c -o "$program" -lOpenCL || exit 4
TIMEFORMAT='%U %S'
printf '%-10s %10s %8s\n' launches seconds times
for mode in ordered queues write items groups; do
    for ((k = 0; k < ${RUNS:-3}; k++)); do
        { time timeout 300 "$BUILD/refcl" run -q -- "$program" $mode "$items" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
    done | sort -g | awk -v mode=$mode '{ v[NR] = $1 } END { print mode, v[int((NR + 1) / 2)] }'
done | awk '$1 == "ordered" { base = $2 } { printf "%-10s %10.2f %8.1f\n", $1, $2, (base > 0 ? $2 / base : 0) }'
