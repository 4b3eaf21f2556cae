#!/bin/bash
# Runs fuzzers in turn and prints a line for each reader, as in the table of README.md; started by `make fuzz`:
#   fuzz.sh FOLDER SECONDS READER...
# FOLDER has the fuzzers; inputs with new coverage stay in FOLDER/found, those that crash or hang go to FOLDER/crashes.
# Coverage is that of the reader's own source lines by all inputs found so far.
set -u
folder=$1 seconds=$2
shift 2
export LLVM_PROFILE_FILE=/dev/null REFCL_COMPILER=${BUILD:-build}/refcl-compiler
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1
failed=0

sources() { # files of a reader
    case $1 in
    spirv) echo interp/module/*.c interp/lower/*.c ;;
    opencl) echo ref-runtime/compiler/client*.c ;;
    litmus) echo litmus/{parse,lower}/*.c ;;
    cat) echo memmodel/cat/{lex,token,parse,statement,expr,if,local,flatten,type,orders,library}.c ;;
    trace) echo memmodel/trace/{read,decode,format}.c interp/replay/expand*.c ;;
    commands) echo tools/commands/{collect,footprint,schedule,program}.c ;;
    capture) echo memmodel/trace/capture.c tools/session/captured.c ;;
    explore) echo tools/explore/*.c tools/explore/*/*.c ;;
    witness) echo tools/witness/{read,replay,oracle}.c ;;
    program) echo checker/program/{file,program}.c ;;
    plan) echo litmus/run/{files,host_plan}.c ;;
    results) echo litmus/files.c litmus/judge/*.c litmus/run/{merge,histogram}.c ;;
    judgement) echo litmus/files.c litmus/judge/ci.c spec-xref/driver.c ;;
    store) echo tools/store/{add,junit,benchmark,report,baseline}.c ;;
    json) echo memmodel/base/input.c ;;
    template) echo spec-xref/site/site.c ;;
    suppressions) echo checker/race/suppress.c ;;
    esac
}
seeds() { # inputs that are in the repository
    case $1 in
    litmus) echo litmus/suite ;;
    cat) echo memmodel/models ;;
    commands) echo tests/fuzz/corpus/trace ;;
    store | json) echo tests/fuzz/corpus/{judgement,results} ;;
    explore) echo tests/explore/kernels tests/fuzz/corpus/spirv ;;
    opencl) echo tools/examples tests/explore/kernels ;;
    esac
}
stat_of() { # the last value of a statistic in the log
    sed -n "s/^stat::$2: *//p" "$1" | awk '{ n += $1 } END { print n + 0 }'
}
cpu_seconds() { # of all children so far; a subshell would have a separate count
    times >"$folder/times"
    awk 'NR == 2 { split($1 "m" $2, t, "[ms]+"); printf "%.0f", 60 * t[1] + t[2] + 60 * t[3] + t[4] }' "$folder/times"
}
# A crash ends libFuzzer: it starts again until the time is over.
run() {
    local reader=$1 until=$((SECONDS + $2)) log=$folder/$1.log seed crashes=0
    local found=$folder/found/$reader options=()
    mkdir -p "$found" "$folder/crashes"
    : >"$log"
    [ -e "tests/fuzz/$reader.dict" ] && options=(-dict="tests/fuzz/$reader.dict")
    while [ $SECONDS -lt $until ] && [ $crashes -lt 20 ]; do
        seed=$RANDOM
        "$folder/fuzz_$reader" -seed=$seed -max_total_time=$((until - SECONDS)) -max_len=16384 -timeout=1800 -rss_limit_mb=3000 \
            -malloc_limit_mb=65536 -close_fd_mask=3 -print_final_stats=1 "${options[@]}" \
            -artifact_prefix="$folder/crashes/$reader-" "$found" "tests/fuzz/corpus/$reader" $(seeds "$reader") \
            </dev/null >>"$log" 2>&1 && break
        crashes=$((crashes + 1))
    done
}
coverage() {
    LLVM_PROFILE_FILE=$folder/$1.profraw "$folder/fuzz_$1" -runs=0 -timeout=1800 -close_fd_mask=3 -rss_limit_mb=3000 \
        -malloc_limit_mb=65536 "$folder/found/$1" "tests/fuzz/corpus/$1" $(seeds "$1") </dev/null >"$folder/coverage.log" 2>&1
    "$LLVM_BIN/llvm-profdata" merge -o "$folder/$1.profdata" "$folder/$1.profraw" 2>/dev/null &&
        "$LLVM_BIN/llvm-cov" report -instr-profile "$folder/$1.profdata" "$folder/fuzz_$1" $(sources "$1") 2>/dev/null |
        awk '/^TOTAL/ { print $10 }'
    rm -f "$folder/$1.profraw"
}
echo '| reader | date | CPU s | executions | crashes, time-outs | edges | lines |'
for reader in "$@"; do
    cpu_seconds >"$folder/before"
    run "$reader" $((seconds / $#))
    cpu_seconds >"$folder/after"
    log=$folder/$reader.log
    slow=$(grep -c 'in input_takes_too_long ' "$log")
    timeouts=$((slow + $(grep -c 'ERROR: libFuzzer: timeout' "$log")))
    crashes=$(($(grep -c 'deadly signal\|ERROR: AddressSanitizer\|ERROR: LeakSanitizer\|out-of-memory' "$log") - slow))
    edges=$(grep -o ' cov: [0-9]*' "$log" | awk '{ print $2 }' | sort -n | tail -1)
    printf '| %s | %(%F)T | %d | %d | %d, %d | %d | %s |\n' "$reader" -1 $(($(<"$folder/after") - $(<"$folder/before"))) \
        "$(stat_of "$log" number_of_executed_units)" "$crashes" "$timeouts" "${edges:-0}" "$(coverage "$reader")"
    [ $((crashes + timeouts)) -eq 0 ] || failed=1
done
exit $failed
