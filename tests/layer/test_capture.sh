#!/bin/bash
# Launches on a driver are captured in files that refcl kernel launches again: with refcl as the driver, and
# with PoCL if it is installed.
. "$(dirname "$0")/../lib/tap.sh"
here=$(dirname "$0")
pocl=${REFCL_POCL_ICD:-/etc/OpenCL/vendors/pocl.icd}
${CC:-gcc} -std=c11 -w -o "$tap_dir/captured" "$here/captured.c" -lOpenCL || exit 1

same() { # FILE LINE: buffer 0 of the replayed launch equals the program's output
    "$REFCL" kernel -q --print 0 "$1" >"$tap_dir/again" && sed 's/.*: *//' "$tap_dir/again" | tr -s ' \n' ' ' | sed 's/ $//' >"$tap_dir/got" &&
        [ "$(cat "$tap_dir/got")" = "$(sed -n "$2p" "$tap_dir/printed")" ] || { cat "$tap_dir/again" "$tap_dir/printed" >&2; return 1; }
}
says() { grep -q "$1" "$tap_dir/err" || { cat "$tap_dir/err" >&2; return 1; }; }
check() { # NAME
    rm -f "$tap_dir"/*.cap
    ok "$1: the program runs as ever" eval '"$REFCL" capture --on-driver --icd "$driver" -o "$tap_dir/%n.cap" -- "$tap_dir/captured" >"$tap_dir/printed" 2>"$tap_dir/err"'
    ok "$1: a launch has the same result again: buffers, a sub-buffer, values, local memory, a null pointer, an offset, build options" same "$tap_dir/001.cap" 1
    ok "$1: a race is found in its launch" exits 1 "$REFCL" kernel -q "$tap_dir/002.cap"
    ok "$1: ... an image, a sampler, SVM that points to SVM" same "$tap_dir/003.cap" 2
    ok "$1: a launch that waits for a user event is not captured, and that is said" says "launch 4, kernel last, is not captured: it waits for a user event"
    ok "$1: nor one in a callback" says "launch 5, kernel last, is not captured: it is enqueued in a callback"
    ok "$1: no other files" eval '[ "$(cd "$tap_dir" && echo *.cap)" = "001.cap 002.cap 003.cap" ]'
    ok "$1: one kernel alone" eval '"$REFCL" capture --on-driver --icd "$driver" -k last -n 1 -o "$tap_dir/only-%n.cap" -- "$tap_dir/captured" >"$tap_dir/printed" 2>&1 &&
        [ "$(cd "$tap_dir" && echo only-*)" = only-001.cap ]'
    rm -f "$tap_dir"/only-*
}
export REFCL_QUEUE_SEED=1 # refcl executes the commands of an out-of-order queue in another order
driver=$(realpath "${BUILD:-build}")/librefcl.so
check refcl
rm -f "$tap_dir"/*.cap
${CC:-gcc} -std=c11 -w -o "$tap_dir/captured_pipe" "$here/captured_pipe.c" -lOpenCL || exit 1
ok "refcl: launches with pipes have the results that they have alone" eval '[ "$("$REFCL" capture --on-driver --icd "$driver" -o "$tap_dir/%n.cap" -- "$tap_dir/captured_pipe" 2>"$tap_dir/err")" = 3 ]'
pipe() { exits 3 "$REFCL" kernel -q "$1" 2>"$tap_dir/err" && says "argument 0 of the captured launch is a pipe: its packets are not captured"; }
ok "refcl: ... and their files say that the packets are not in them" pipe "$tap_dir/001.cap"
ok "refcl: ... of the kernel that reads as well" pipe "$tap_dir/002.cap"
driver=$pocl
[ -e "$pocl" ] && check PoCL
ok "--icd needs --on-driver" exits 2 "$REFCL" capture --icd "$driver" -- "$tap_dir/captured"
done_testing
