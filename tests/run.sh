#!/bin/bash
# Runs test programs and scripts (TAP on standard output), some at a time, and adds up their results.
# Ends with the plain line "N passed, N failed, N skipped".  Logs are in $BUILD/test-logs.
set -u
cd "$(dirname "$0")/.." || exit 4
BUILD=${BUILD:-build}
export BUILD
export CMOCKA_MESSAGE_OUTPUT=tap
export OCL_ICD_VENDORS="$PWD/$BUILD/refcl.icd"
export OCL_ICD_FILENAMES="$PWD/$BUILD/librefcl.so"
export REFCL="$PWD/$BUILD/refcl"
export REFCL_CACHE_DIR=${REFCL_CACHE_DIR:-off}
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}
export LC_ALL=C.UTF-8 TERM=dumb
home=$(mktemp -d) || exit 4 # nothing is found there that an earlier run left
trap 'rm -rf "$home"' EXIT
export HOME=$home
unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
export REFCL_RUN_TIMEOUT=${REFCL_RUN_TIMEOUT:-900}
limit=${TEST_TIMEOUT:-3600} # only what hangs takes that long
logs=$BUILD/test-logs
rm -rf "$logs"
mkdir -p "$logs"

run_one() {
    # What a script starts or loads may load an instrumented librefcl.so: the sanitizer's runtime has to be
    # there from the start, and the C++ runtime beside it, so that exceptions are intercepted.  Browsers do not
    # bear that.  Leaks are looked for in the C tests.
    script_env=()
    case ${SANITIZER:-} in
    address) script_env=(ASAN_OPTIONS=detect_leaks=0) library=libasan.so ;;
    thread) library=libtsan.so ;;
    *) library= ;;
    esac
    if [ -n "$library" ] && ! grep -qi chromium "$1"; then
        script_env+=(LD_PRELOAD="$(gcc -print-file-name=$library) $(gcc -print-file-name=libstdc++.so.6)")
    fi
    log=$logs/$(echo "$1" | tr / _).log
    start=$(date +%s%N)
    case $1 in
    *.py) timeout "$limit" env "${script_env[@]}" /usr/bin/python3 "$1" >"$log" 2>&1 </dev/null ;;
    *.sh) timeout "$limit" env "${script_env[@]}" "$1" >"$log" 2>&1 </dev/null ;;
    *) timeout "$limit" "$1" >"$log" 2>&1 </dev/null ;;
    esac
    echo "exit $?" >>"$log"
    echo "ms $((($(date +%s%N) - start) / 1000000))" >>"$log"
}
export -f run_one
export logs limit

# How many at a time: what this machine, or the container's share of it, has processors and memory for; most have
# threads and processes of their own.
at_a_time() {
    local jobs limits memory
    jobs=$(nproc)
    cd /sys/fs/cgroup || cd /
    limits=($(cat cpu.max || cat cpu/cpu.cfs_quota_us cpu/cpu.cfs_period_us)) # of processor time, in how much
    [[ "${limits[*]}" =~ ^[0-9]+\ [0-9]+$ ]] && jobs=$(printf '%s\n' "$jobs" $((1 + (limits[0] - 1) / limits[1])) | sort -n | head -1)
    memory=$(cat memory.max || cat memory/memory.limit_in_bytes)
    [[ $memory =~ ^[0-9]{1,16}$ ]] || memory=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1000/p' /proc/meminfo)
    printf '%s\n' 8 "$jobs" $((1 + memory / 2500000000)) | sort -n | head -1
}
TEST_JOBS=${TEST_JOBS:-$(at_a_time 2>/dev/null)}
export TEST_JOBS
printf '%s\n' "$@" | xargs -P "$TEST_JOBS" -I{} bash -c 'run_one {}'

skipped_line='^((not )?ok |1\.\.0 ).*# *(skip|SKIP)' # cmocka writes "not ok N # SKIP"; the plan 1..0 skips all
passed=0 failed=0 skipped=0
for t in "$@"; do
    log=$logs/$(echo "$t" | tr / _).log
    ok=$(grep -aE '^ok ' "$log" | grep -avciE '# *skip')
    skip=$(grep -acE "$skipped_line" "$log")
    bad=$(grep -aE '^not ok ' "$log" | grep -avcE '# *(skip|SKIP)')
    code=$(sed -n 's/^exit //p' "$log" | tail -1)
    ms=$(sed -n 's/^ms //p' "$log" | tail -1)
    # A program that dies, or that tests nothing, is a failure in itself.
    if [ "$bad" -eq 0 ] && [ "${code:-1}" -ne 0 ]; then
        bad=1
        [ "$code" = 124 ] && echo "not ok $t ran past $limit s" >>"$log"
    elif [ $((ok + skip + bad)) -eq 0 ]; then
        bad=1
    fi
    passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
    if [ "$bad" -gt 0 ]; then
        printf 'FAIL %-60s %4d ok, %d failed (exit %s, %s ms)\n' "$t" "$ok" "$bad" "$code" "$ms"
        grep -aE -A12 '^not ok |ERROR: |runtime error|Assertion' "$log" | head -40 | sed 's/^/    /'
        [ "$bad" -eq 1 ] && tail -5 "$log" | sed 's/^/    /'
    else
        printf 'ok   %-60s %4d ok%s (%s ms)\n' "$t" "$ok" "$([ "$skip" -gt 0 ] && echo ", $skip skipped")" "$ms"
    fi
    [ "$skip" -gt 0 ] && grep -aE "$skipped_line" "$log" | head -5 | sed 's/^/    /'
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
