#!/bin/bash
# Kernels in many styles beside PoCL: CPU time on one core, wall time on two, CPU time of launches checked for
# races.  One half of the set, set_tuning.cl, may be used for tuning; the other, set_check.cl, is only for
# measuring.  Medians.  "checked" includes the program, the detector and all of their processes, less what a
# session costs once (checked.py); "times" is its ratio to plain launches of the same time, and "+-" the
# percentage by which it varied.  Both alternate, ROUNDS times: launches that are memory-bound vary by a fifth
# from one process to the next.  sets.sh [SET...]; REPEATS= launches per kernel and sample (default 9),
# ROUNDS= samples (default 5); CHECKED=0 leaves out the part with race checking.
# "C" is the CPU time of the same work written by hand (hand_written.c, with AVX-512), "times" that of refcl as a
# multiple of it: what the machine allows.
set -u
cd "$(dirname "$0")/../.." || exit 4
BUILD=${BUILD:-build}
REPEATS=${REPEATS:-9}
ROUNDS=${ROUNDS:-5}
program=$BUILD/tests/bench/set
mkdir -p "$(dirname "$program")"
[ "$program" -nt tests/bench/set.c ] ||
    ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -DCL_TARGET_OPENCL_VERSION=300 tests/bench/set.c -o "$program" -lOpenCL || exit 4
hand_written=$BUILD/tests/bench/hand_written
if ! grep -q avx512_vpopcntdq /proc/cpuinfo; then
    echo "hand-written C is not measured: the processor lacks AVX-512"
elif [ ! "$hand_written" -nt tests/bench/hand_written.c ]; then
    gcc -std=gnu11 -O3 -march=native -fno-strict-aliasing -fno-math-errno -fno-trapping-math -fopenmp \
        tests/bench/hand_written.c -o "$hand_written" -lm || exit 4
fi
library=$PWD/$BUILD/librefcl.so
results=$(mktemp -d "${TMPDIR:-/tmp}/refcl-bench.XXXXXX") || exit 4
trap 'rm -rf "$results"' EXIT
export REFCL_ENGINE=jit

# The threads of both are as many as the cores that they may use.
refcl() { OCL_ICD_VENDORS=$library OCL_ICD_FILENAMES=$library taskset -c "$1" timeout 300 "$program" "$2" "$REPEATS" - "$results/words"; }
pocl() { OCL_ICD_FILENAMES='' OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd taskset -c "$1" timeout 300 "$program" "$2" "$REPEATS"; }
hand_written() { [ ! -x "$hand_written" ] || taskset -c "$1" "$hand_written" "${@:2}"; }

# Rows "KERNEL CPU WALL ..." of FILE, to one row per kernel, in the order of the first ones.
medians() {
    for kernel in $(awk '!seen[$1]++ { print $1 }' "$1"); do
        for column in 2 3; do awk -v k="$kernel" -v c=$column '$1 == k { print $c }' "$1" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; done |
            paste -sd' ' | sed "s/^/$kernel /"
    done
}

for set in ${*:-tuning check}; do
    file=tests/bench/set_$set.cl
    rm -rf "${results:?}"/*
    mkdir "$results/words"
    for ((sample = 0; sample < ROUNDS; sample++)); do
        refcl 0 "$file" >>"$results/all_one" 2>"$results/errors" || cat "$results/errors"
        hand_written 0 "$file" "$REPEATS" "$results/words" >>"$results/all_hand_one"
        pocl 0 "$file" >>"$results/all_pocl_one"
        refcl 0,1 "$file" >>"$results/all_two"
        pocl 0,1 "$file" >>"$results/all_pocl_two"
        hand_written 0,1 "$file" "$REPEATS" >>"$results/all_hand_two"
    done
    for name in one two pocl_one pocl_two hand_one hand_two; do medians "$results/all_$name" >"$results/$name"; done
    : >"$results/checked"
    [ "${CHECKED:-1}" = 0 ] || tests/bench/checked.py "$BUILD" "$program" "$file" $(cut -d' ' -f1 "$results/one") >"$results/checked"
    echo "set $set: milliseconds per measurement; one core CPU time, two cores wall time"
    awk -v results="$results" '
        function value(name, kernel, column) { return (name, kernel, column) in v ? v[name, kernel, column] : "-" }
        function ratio(a, b) { return a + 0 == 0 || b + 0 == 0 ? "-" : sprintf("%.4g", b / a) }
        function mean(text, r) { if (n[r]) printf "geometric mean, %s: %.2f over %d kernels, worst %.2f\n", text, exp(sum[r] / n[r]), n[r], worst[r] }
        function count(r, x, high) { if (x == "-") return; x += 0; sum[r] += log(x); n[r]++
            if (!(r in worst) || (high ? x > worst[r] : x < worst[r])) worst[r] = x }
        { name = FILENAME; sub(/.*\//, "", name); for (k = 2; k <= NF; k++) v[name, $1, k - 1] = $k; if (name == "one") order[++kernels] = $1 }
        END { printf "%-18s %10s %10s %7s %10s %7s %10s %10s %7s %7s %10s %7s %4s\n", "kernel", "refcl", "pocl", "faster", "C", "times", "refcl/2", "pocl/2", "faster",
                  "speedup", "checked", "times", "+-"
            for (k = 1; k <= kernels; k++) { name = order[k]
                a = value("one", name, 1); b = value("pocl_one", name, 1); c = value("two", name, 2); d = value("pocl_two", name, 2)
                h = value("hand_one", name, 1); h2 = value("hand_two", name, 2)
                e = value("checked", name, 1); times = value("checked", name, 3); one = value("one", name, 2)
                printf "%-18s %10s %10s %7s %10s %7s %10s %10s %7s %7s %10s %7s %4s\n", name, a, b, ratio(a, b), h, ratio(h, a), c, d, ratio(c, d), ratio(c, one), e, times,
                    value("checked", name, 4)
                count("one", ratio(a, b)); count("two", ratio(c, d)); count("times", ratio(h, a), 1)
                count("best", ratio(h == "-" ? a : h, b)); count("best two", ratio(h2 == "-" ? c : h2, d))
                if (name !~ /launches/) { count("best work", ratio(h == "-" ? a : h, b)); count("best work two", ratio(h2 == "-" ? c : h2, d)) }
                count("speedup", ratio(c, one)); count("checked", times, 1) }
            mean("PoCL / refcl, one core", "one"); mean("PoCL / refcl, two cores", "two"); mean("one core / two cores", "speedup")
            if (n["times"]) { mean("refcl / C", "times")
                mean("PoCL / C (elsewhere PoCL / refcl), one core", "best"); mean("the same, two cores", "best two")
                mean("the same without launches, one core", "best work"); mean("the same without launches, two cores", "best work two") }
            mean("checked / plain", "checked") }' "$results/one" "$results/two" "$results/pocl_one" "$results/pocl_two" "$results/hand_one" "$results/hand_two" "$results/checked"
done
