#!/bin/bash
# Accesses of an instrumented host to memory of commands, on PoCL under the layer: a race before the command
# is complete, none later.
. "$(dirname "$0")/../lib/tap.sh"
pocl=${REFCL_POCL_ICD:-/etc/OpenCL/vendors/pocl.icd}
if [ ! -e "$pocl" ]; then
    echo "1..0 # SKIP no PoCL"
    exit 0
fi
[ "${SANITIZER:-}" != thread ] || skip_all "no ThreadSanitizer here: its functions take the place of librefcl-host's"
export OCL_ICD_VENDORS=$pocl
program=$tap_dir/host_memory
compile() { ${CC:-gcc} -std=gnu11 -Wno-tsan -D_GNU_SOURCE $("$REFCL" host-cc --compile) -c -o "$program.o" "$(dirname "$0")/host_memory.c" &&
    ${CC:-gcc} -rdynamic -o "$program" "$program.o" -lOpenCL -pthread $("$REFCL" host-cc --link) &&
    ${CC:-gcc} -shared -fPIC -o "$program.so" "$(dirname "$0")/host_library.c" -pthread $("$REFCL" host-cc --link); }
compile || exit 1

seen() { early read && grep -q "refcl: checked: commands against one another, accesses of the host$" "$tap_dir/said"; }
early() { # the race is between a host thread and a command, and its position is in the program
    "$REFCL" run --on-driver -- "$program" "$1" early >"$tap_dir/said" 2>&1
    [ $? = 1 ] && grep -q "error: data race on .* by host thread [0-9]*" "$tap_dir/said" && grep -q "host_memory.c:[0-9]*: " "$tap_dir/said" &&
        ! grep "error:" "$tap_dir/said" | grep -v "data race" || { cat "$tap_dir/said" >&2; return 1; }
}
late() {
    "$REFCL" run --on-driver -- "$program" "$1" late >"$tap_dir/said" 2>&1 || { cat "$tap_dir/said" >&2; return 1; }
}
unknown() { # no race, and the report names what is not checked
    timeout 100 "$REFCL" run --on-driver "${@:2}" -- "$program" "$1" late >"$tap_dir/said" 2>&1
    [ $? = 3 ] && grep -q "not checked: .*${not_checked:-host memory that several threads may use}" "$tap_dir/said" &&
        ! grep -E "error:|is needless" "$tap_dir/said" || { cat "$tap_dir/said" >&2; return 1; }
}
for where in read write image pointer "image pointer" map "second map" "image map" copy pinned thread counter "user event"; do
    ok "$where: a race before the command is complete" early "$where"
    ok "$where: none afterwards" late "$where"
done
ok "the report says that accesses of the host are checked" seen
ok "threads that hand plain memory over in a way that is not recorded: unknown" unknown pipe
ok "children that are forked off do not wait for the recorder's locks" late fork
ok "a constructor waits for a thread whose accesses are recorded" late load
ok "plain memory of one of two threads: no race" late result
ok "plain memory of one of two threads: a race before the command is complete" early result
ok "what another thread reads of it: unknown" unknown passed
ok "needless waits are not known where plain memory is left out" unknown pipe --check race,needless
ok "signal handlers may interrupt the recorder: a race of the program itself" early signals
not_checked="what signal handlers do to memory that commands use" ok "... and what they do is not checked" unknown signals
not_checked="accesses of the host after a signal handler synchronizes" ok "... nor is the host once one of them synchronizes" unknown "signals that post"

not_checked="atomics of the host outside of SVM on memory that commands use" ok "atomics outside of SVM: unknown" unknown atomics

killed() { # a program that ignores SIGTERM
    coproc WAITS { exec "$REFCL" run --on-driver -- "$program" killed now 2>"$tap_dir/said"; }
    local pid=$WAITS_PID line code
    read -r line <&"${WAITS[0]}"
    kill -TERM "$pid"
    wait "$pid"
    code=$?
    [ "$line" = waiting ] && [ $code = 1 ] && grep -q "error: data race" "$tap_dir/said" &&
        grep -q "did not end within 5 s of the signal that refcl passed on; it is killed" "$tap_dir/said" || { cat "$tap_dir/said" >&2; return 1; }
}
ok "refcl run kills a program that ignores SIGTERM, and reports what it did" killed
done_testing
