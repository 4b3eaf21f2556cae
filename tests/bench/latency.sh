#!/bin/bash
# CPU time of this process and of the compiler's from clBuildProgram to the end of the first launch: small
# programs after the first of a process, programs of 1,500 lines, and the first of a process with a warm
# cache; medians of five.
set -u
cd "$(dirname "$0")/../.." || exit 4
BUILD=${BUILD:-build}
program=$BUILD/tests/bench/latency
mkdir -p "$(dirname "$program")"
[ "$program" -nt tests/bench/latency.c ] ||
    ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -DCL_TARGET_OPENCL_VERSION=300 tests/bench/latency.c -o "$program" -lOpenCL || exit 4
library=$PWD/$BUILD/librefcl.so
export OCL_ICD_VENDORS=$library OCL_ICD_FILENAMES=$library
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

median() { for _ in 1 2 3 4 5; do "$@" | awk '{print $1}'; done | sort -n | sed -n 3p; }
for engine in auto jit; do
    export REFCL_ENGINE=$engine REFCL_CACHE_DIR=off
    small=$(median "$program" small 40)
    large=$(median "$program" large 3)
    export REFCL_CACHE_DIR=$folder/$engine
    "$program" one >/dev/null
    warm=$(median "$program" one)
    echo "building and first launch, ms of CPU time, engine $engine: small program $small, 1,500 lines $large, warm cache $warm"
done
export REFCL_ENGINE=auto REFCL_CACHE_DIR=off
"$program" small 500 | awk '{printf "500 small programs: %s ms of CPU time each, %s ms real, grew by %d KiB\n", $1, $2, $3}'
