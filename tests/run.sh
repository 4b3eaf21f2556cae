#!/bin/bash
# run.sh [jit:]PROGRAM...
# Runs test programs and scripts (TAP on standard output), several at a time, and sums up their results by folder
# (tests/lib/totals.py).  The last line is "N passed, N failed, N skipped".  Logs are in $BUILD/test-logs.  After "jit:"
# the program runs with every launch compiled that the JIT covers.  tests/longest.txt lists what starts first, so that no
# long test runs alone at the end.
set -u
cd "$(dirname "$0")/.." || exit 4
BUILD=${BUILD:-build}
export BUILD
export CMOCKA_MESSAGE_OUTPUT=tap
export OCL_ICD_VENDORS="$PWD/$BUILD/refcl.icd"
export OCL_ICD_FILENAMES="$PWD/$BUILD/librefcl.so"
export REFCL="$PWD/$BUILD/refcl"
# With a block of dynamic thread-local storage at offset 16 of a page, gcc 12's runtime takes the bytes before it for a
# header of glibc 2.19, and its search for leaks crashes.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:intercept_tls_get_addr=0:malloc_context_size=5}
export LSAN_OPTIONS=${LSAN_OPTIONS:-malloc_context_size=5} # a tenth of the time; a report has fewer frames
# A child of a program with threads may start threads (for callbacks).  The handler of faults in compiled code ends
# by setcontext(), which ThreadSanitizer does not notice: all that the thread does later would be "inside of a signal".
export TSAN_OPTIONS=${TSAN_OPTIONS:-die_after_fork=0:report_signal_unsafe=0:suppressions=$PWD/tests/tsan.txt}
export LC_ALL=C.UTF-8 TERM=dumb
home=$(mktemp -d) || exit 4 # nothing is found there that an earlier run left
trap 'rm -rf "$home"' EXIT
export HOME=$home
# What several tests build is compiled once in each run.
export REFCL_CACHE_DIR=${REFCL_CACHE_DIR:-$home/cache}
unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
export REFCL_RUN_TIMEOUT=${REFCL_RUN_TIMEOUT:-900}
limit=${TEST_TIMEOUT:-3600} # only what hangs takes that long
logs=$BUILD/test-logs
rm -rf "$logs"
mkdir -p "$logs"

run_one() {
    program=${1#jit:}
    variables=()
    log=$logs/$(echo "$1" | tr /: __).log
    [[ $program != tests/jit/* ]] || variables=(REFCL_CACHE_DIR=off) # these look at the compilation
    [ "$program" = "$1" ] || variables+=(REFCL_ENGINE=jit "REFCL_JIT=$PWD/$BUILD/tests/jit/seen.so" "REFCL_JIT_SEEN=$PWD/$log.jit")
    case $program in
    *.py) command=(/usr/bin/python3 "$program") ;;
    *) command=("$program") ;;
    esac
    # What a script starts or loads may load an instrumented librefcl.so: the sanitizer's runtime has to be
    # there from the start, and the C++ runtime beside it, so that exceptions are intercepted.  Leaks are
    # looked for in the C tests.
    if [[ $program = *.py || $program = *.sh ]]; then
        case ${SANITIZER:-} in
        address*) variables+=(ASAN_OPTIONS=detect_leaks=0:malloc_context_size=5) library=libasan.so ;;
        # Its shadow memory is four times as large as the memory that a program uses.
        thread) variables+=(REFCL_MEMORY_LIMIT=8192) library=libtsan.so ;;
        *) library= ;;
        esac
        if [ -n "$library" ]; then
            variables+=(LD_PRELOAD="$(gcc -print-file-name=$library) $(gcc -print-file-name=libstdc++.so.6)")
        fi
    fi
    /usr/bin/python3 tests/lib/measured.py "$log" timeout "$limit" env "${variables[@]}" "${command[@]}"
}
export -f run_one
export logs limit

# Number of concurrent tests: limited by the processors and the memory of this machine or container; most tests have
# several threads and processes.
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
in_order() { # the tests, those of tests/longest.txt first
    awk -v folder="$BUILD/" 'FILENAME == ARGV[1] { place[$2] = FNR; next } { name = $0; sub(folder, "build/", name)
        print (name in place ? place[name] : 1000000 + FNR), $0 }' tests/longest.txt - |
        sort -n | cut -d ' ' -f 2
}
printf '%s\n' "$@" | in_order | xargs -P "$TEST_JOBS" -I{} bash -c 'run_one {}'
/usr/bin/python3 tests/lib/totals.py "$logs" "$@"
