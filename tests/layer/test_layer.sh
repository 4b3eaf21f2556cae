#!/bin/bash
# The layer with unusual hosts, with other layers, and in all report formats, on PoCL.
. "$(dirname "$0")/../lib/tap.sh"
pocl=${REFCL_POCL_ICD:-/etc/OpenCL/vendors/pocl.icd}
if [ ! -e "$pocl" ]; then
    echo "1..0 # SKIP no PoCL"
    exit 0
fi
export OCL_ICD_VENDORS=$pocl
layer=$(realpath "${BUILD:-build}")/librefcl-layer.so
here=$(dirname "$0")
${CC:-gcc} -std=gnu11 -g -o "$tap_dir/hosts" "$here/hosts.c" -ldl -pthread || exit 1
${CC:-gcc} -std=gnu11 -shared -fPIC -o "$tap_dir/libother.so" "$here/other_layer.c" || exit 1
line=$(grep -n 'CALL(clEnqueueFillBuffer)(r' "$here/hosts.c" | cut -d: -f1)
driver=$(cat "$pocl")

finds() { # a race, and the line of the second command
    "$@" >"$tap_dir/said" 2>&1
    [ $? = 1 ] && grep -q "hosts.c:$line: note: command 2 is enqueued here by clEnqueueFillBuffer" "$tap_dir/said" || {
        cat "$tap_dir/said" >&2
        return 1
    }
}
run() { "$REFCL" run --on-driver "$@"; }

ok "a race is found" finds run -- "$tap_dir/hosts"
unseen() { grep -q "refcl: checked: commands against one another; not checked: accesses of the host, which is not built with the flags of refcl host-cc$" "$tap_dir/said"; }
ok "... and the report says that accesses of the host are not checked" unseen
only() { finds run -- "$tap_dir/hosts" "$@" && grep -q "refcl: 1 finding$" "$tap_dir/said"; }
ok "... and nothing else, where other threads work at the same time" only threads
ok "... where a child was forked" finds run -- "$tap_dir/hosts" fork
ok "... where the loader is loaded and closed" finds run -- "$tap_dir/hosts" load
ok "... of a program that is found in PATH" finds env PATH="$tap_dir:$PATH" "$REFCL" run --on-driver -- hosts
ok "... with a given driver" finds run --icd "$pocl" -- "$tap_dir/hosts"

names_library() { run --icd "$pocl" -- sh -c 'echo "$OCL_ICD_FILENAMES"' 2>"$tap_dir/said" | grep -qxF "$driver"; }
ok "the driver of a file .icd has its name in the variable of Khronos' loader" names_library

beside() { finds env OPENCL_LAYERS="$tap_dir/libother.so" "$REFCL" run --on-driver -- "$tap_dir/hosts" &&
    grep -q "other layer: 2 finishes" "$tap_dir/said"; }
ok "... with another layer, which works, too" beside

# A loader that passes tables with its functions to layers, like Khronos' loader, of the current size and of
# OpenCL 1.2's.
if [ "$(uname -m)" = x86_64 ]; then
    mkdir "$tap_dir/loader"
    read -r entries older < <("$here/loader.sh" "$tap_dir/loader")
    through() { # LAYERS ENTRIES COMMAND...
        local layers=$1 size=$2
        shift 2
        finds env LD_LIBRARY_PATH="$tap_dir/loader" LOADER_ENTRIES="$size" "$@" && grep -q "^loader: $layers layers$" "$tap_dir/said"
    }
    for how in "" threads load; do
        ok "... through a loader like Khronos'${how:+: }$how" through 1 "$entries" "$REFCL" run --on-driver -- "$tap_dir/hosts" $how
    done
    ok "... whose tables are as small as those of OpenCL 1.2" through 1 "$older" "$REFCL" run --on-driver -- "$tap_dir/hosts"
    ok "... with another layer in front" through 2 "$entries" env OPENCL_LAYERS="$tap_dir/libother.so" "$REFCL" run --on-driver -- "$tap_dir/hosts"
else
    skip "a loader like Khronos'" "no x86-64"
fi

longer() { # a list that is longer than a path can be
    local one=$tap_dir/$(printf './%.0s' {1..1500})none.so
    finds env OPENCL_LAYERS="$one:$one:$one:$one:$one:$one:$one" "$REFCL" run --on-driver -- "$tap_dir/hosts"
}
ok "... behind a long list of layers" longer

early() { run -- "$tap_dir/hosts" exit >"$tap_dir/said" 2>&1; [ $? = 1 ] && grep -q "data race" "$tap_dir/said" &&
    grep -q "ended early" "$tap_dir/said"; }
ok "... before _exit(), of which the report says that it was early" early

crash() { run -- "$tap_dir/hosts" crash >"$tap_dir/said" 2>&1; [ $? = 1 ] && grep -q "data race" "$tap_dir/said" &&
    grep -q "ended by signal 6 (SIGABRT); what it did until then was checked" "$tap_dir/said"; }
ok "... before a crash" crash

waits_in() { [ "$("$REFCL" trace dump "$1" 2>/dev/null | grep -c "api-call at clFinish")" = "$2" ]; }
killed() { # WAITS; two more come first
    run --trace "$tap_dir/killed" -- "$tap_dir/hosts" killed "$1" >"$tap_dir/said" 2>&1
    [ $? = 1 ] && grep -q "ended by signal 9 (SIGKILL); what it did until then was checked" "$tap_dir/said" && waits_in "$tap_dir/killed" $(($1 + 2))
}
killed_alone() {
    OPENCL_LAYERS=$layer REFCL_LAYER_TRACE=$tap_dir/alone "$tap_dir/hosts" killed "$1" 2>/dev/null
    "$REFCL" trace check "$tap_dir/alone" >"$tap_dir/said" 2>&1
    [ $? = 1 ] && grep -q "is truncated; its intact prefix is reported" "$tap_dir/said" && waits_in "$tap_dir/alone" $(($1 + 2))
}
for waits in 0 1 3000; do
    ok "a killed program: all that it did until its last wait is judged: $waits" killed $waits
    ok "... and is in a trace in a file: $waits" killed_alone $waits
done

direct() { run -- "$tap_dir/hosts" direct "$driver" >"$tap_dir/said" 2>&1; [ $? = 3 ] &&
    grep -q "nothing was observed: .*loads another OpenCL library by its path" "$tap_dir/said"; }
ok "a program that calls the driver without a loader is unknown, and the report says why" direct

if [ "${SANITIZER:-}" = thread ]; then
    skip "a race is found in an instrumented program" "no ThreadSanitizer here: its functions take the place of librefcl-host's"
else
    ${CC:-gcc} -std=gnu11 -Wno-tsan $("$REFCL" host-cc --compile) -c -o "$tap_dir/hosts.o" "$here/hosts.c" &&
        ${CC:-gcc} -o "$tap_dir/instrumented" "$tap_dir/hosts.o" -ldl -pthread $("$REFCL" host-cc --link) || exit 1
    for how in "" threads fork load; do
        ok "a race is found in an instrumented program${how:+: }$how" finds run -- "$tap_dir/instrumented" $how
    done
fi

alone() { OPENCL_LAYERS=$layer "$tap_dir/hosts" >"$tap_dir/said" 2>&1 && [ ! -s "$tap_dir/said" ]; }
ok "without a trace to write the layer is silent" alone

report() { OPENCL_LAYERS=$layer REFCL_LAYER_REPORT=$tap_dir/report.sarif "$tap_dir/hosts" >"$tap_dir/said" 2>&1 &&
    grep -q data-race "$tap_dir/report.sarif" && [ ! -e "$tap_dir/report.sarif.trace" ]; }
ok "REFCL_LAYER_REPORT writes a report, and leaves the program's exit code" report

OPENCL_LAYERS=$layer REFCL_LAYER_TRACE=$tap_dir/trace "$tap_dir/hosts"
ok "a trace is checked later" finds "$REFCL" trace check "$tap_dir/trace"
head -c 700 "$tap_dir/trace" >"$tap_dir/cut"
cut_short() { "$REFCL" trace check "$tap_dir/cut" >"$tap_dir/said" 2>&1; code=$?; [ $code = 3 ] || [ $code = 1 ]; }
ok "a trace that is cut short is not clean" cut_short
ok "noise is no trace" exits 2 "$REFCL" trace check "$tap_dir/hosts"
ok "--icd needs --on-driver" exits 2 "$REFCL" run --icd "$pocl" -- "$tap_dir/hosts"
ok "--backtrace needs --on-driver" exits 2 "$REFCL" run --backtrace -- "$tap_dir/hosts"
ok "options of refcl's own runs are refused" exits 2 "$REFCL" run --on-driver --seed 1 -- "$tap_dir/hosts"

# A kernel whose subscripts come from memory: a hint, in every format, not an error.
${CC:-gcc} -std=c11 -g -w -o "$tap_dir/scattered" "$here/samples/scattered.c" -lOpenCL || exit 1
${CC:-gcc} -std=c11 -g -w -o "$tap_dir/possible" "$here/possible.c" -lOpenCL || exit 1
ok "what the analysis cannot exclude is no finding" exits 0 run -- "$tap_dir/scattered"
hint() { run --check race,possible --json "$tap_dir/p.json" --sarif "$tap_dir/p.sarif" --junit "$tap_dir/p.xml" --html "$tap_dir/p.html" \
    -- "$tap_dir/scattered" >"$tap_dir/said" 2>&1 && grep -q "note: a data race is possible" "$tap_dir/said" &&
    grep -q "^refcl: 1 hint, no fault$" "$tap_dir/said" && grep -q "refcl: no findings" "$tap_dir/said"; }
ok "... and a hint on request, with exit code 0" hint
formats() { grep -q '"status":.*"clean"' "$tap_dir/p.json" && grep -q '"severity":.*"note"' "$tap_dir/p.json" && grep -q '"possible-write"' "$tap_dir/p.json" &&
    grep -q '"level":.*"note"' "$tap_dir/p.sarif" && ! grep -q '"level":.*"error"' "$tap_dir/p.sarif" &&
    grep -q 'failures="0" errors="0"' "$tap_dir/p.xml" && grep -q '<system-out>note: a data race is possible' "$tap_dir/p.xml" && grep -q possible-race "$tap_dir/p.html"; }
ok "... in every format a note" formats
hints() { # NUMBER KERNEL COMMAND
    run --check race,possible --json "$tap_dir/p.json" -- "$tap_dir/possible" "$2" "$3" >"$tap_dir/said" 2>&1 &&
        [ "$(grep -c '"kind":.*"possible-race"' "$tap_dir/p.json")" = "$1" ] || { cat "$tap_dir/said" >&2; return 1; }
}
for kernel in branch called chosen held vectors atomics; do
    ok "possible: $kernel" hints 1 $kernel read
done
ok "possible, not certain: what follows a call that takes more steps than the limit" hints 1 counted fill
ok "not possible: reads of what is only read" hints 0 reads read
ok "possible: a fill of what is read" hints 1 reads fill
ok "not possible: bytes that an argument with known subscripts leaves out" hints 0 elsewhere fill
dumped() { # 128 work-items, one int each
    OPENCL_LAYERS=$layer REFCL_LAYER_TRACE=$tap_dir/dumped "$tap_dir/possible" elsewhere fill &&
        "$REFCL" trace dump "$tap_dir/dumped" | grep -q "elsewhere#2: write 512 bytes of global buffer 2 byte 0 at program1.cl"
}
ok "the dump of a layer's trace has the accesses of launches" dumped
ok "--check possible needs --on-driver" exits 2 "$REFCL" run --check possible -- "$tap_dir/hosts"
echo 'kernel void k(global int *x) { x[get_global_id(0)] = 1; }' >"$tap_dir/k.cl"
ok "... which refcl kernel does not have" exits 2 "$REFCL" kernel --check possible "$tap_dir/k.cl"

# A command that frees memory.
${CC:-gcc} -std=c11 -g -w -o "$tap_dir/freed" "$here/freed_by_command.c" -lOpenCL || exit 1
freed() { run -- "$tap_dir/freed" beside >"$tap_dir/said" 2>&1; [ $? = 1 ] &&
    grep -q "data race on .*svm 1.* between a write by clEnqueueSVMFree (command 2) and a write by clEnqueueSVMMemFill" "$tap_dir/said"; }
ok "clEnqueueSVMFree races with a command that uses the memory" freed
ok "... not with one that its event orders" exits 0 run -- "$tap_dir/freed" after

# Call stacks, which the layer recognizes without unwinding them again.
for optimization in -O0 -O2 "-O2 -fno-omit-frame-pointer"; do
    ${CC:-gcc} -std=c11 -g $optimization -fno-optimize-sibling-calls -w -pthread -o "$tap_dir/stacks" "$here/stacks.c" -lOpenCL || exit 1
    named() { # each of the two functions once, at its line, called by main
        run --backtrace -- "$tap_dir/stacks" >"$tap_dir/said" 2>&1
        [ $? = 1 ] && [ "$(grep -c "'enqueue' is called here" "$tap_dir/said")" = 2 ] &&
            grep -A1 "'enqueue' is called here, in 'fill_first'" "$tap_dir/said" | grep -q "'fill_first' is called here, in 'main'" &&
            grep -A1 "'enqueue' is called here, in 'fill_second'" "$tap_dir/said" | grep -q "'fill_second' is called here, in 'main'" || {
            cat "$tap_dir/said" >&2
            return 1
        }
    }
    ok "the call stacks of two commands at one line are distinguished: $optimization" named
done

# Waits that order nothing: a hint, unless something that the layer does not observe may rely on them.
${CC:-gcc} -std=c11 -g -w -pthread -o "$tap_dir/waits" "$here/waits.c" -lOpenCL || exit 1
wait_line=$(grep -n 'OK(clFinish(q));$' "$here/waits.c" | tail -1 | cut -d: -f1)
needless() { # EXIT_CODE HINTS MODE [NOTE]
    run --check race,needless --json "$tap_dir/n.json" -- "$tap_dir/waits" "$3" >"$tap_dir/said" 2>&1
    [ $? = "$1" ] && [ "$(grep -c '"kind":.*"needless-wait"' "$tap_dir/n.json")" = "$2" ] && grep -q "${4-}" "$tap_dir/said" || {
        cat "$tap_dir/said" >&2
        return 1
    }
}
ok "a needless wait is a hint, with its place" needless 0 1 plain "waits.c:$wait_line: note: this clFinish is needless: "
ok "... but no finding without --check needless" eval 'run --quiet --json - -- "$tap_dir/waits" plain | grep -q "\"findings\":.*\[\]"'
for mode in callback profiled "profiled through a list" "profiled marker" "host pointer" svm read; do
    ok "not needless: $mode" needless 0 0 "$mode"
done
ok "not known: kernels print" needless 0 0 print "needless waits .* not known: kernels print"
ok "threads: two waits that order nothing" needless 0 2 thread "waits.c:$wait_line: note: this clFinish is needless: "
ok "not needless: another thread uses what the wait orders" needless 0 0 "thread copies"
ok "not needless: the last wait of the program" needless 0 1 last "waits.c:$wait_line: note: this clFinish is needless: "
ok "not known: a race" needless 1 0 race "needless waits .* not known: there are races"
ok "--check needless needs --on-driver" exits 2 "$REFCL" run --check needless -- "$tap_dir/waits"
done_testing
