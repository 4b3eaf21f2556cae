#!/bin/bash
# Sessions: what reports omit, how sessions end, and what a killed program leaves behind.
. tests/lib/tap.sh
cat >$tap_dir/two.cl <<'K'
kernel void k(global int *x, global int *y, global int *z)
{
    *x = (int)get_global_id(0);
    *y += 1;
    *z = 3;
}
K
k="$REFCL kernel $tap_dir/two.cl -g 4 -l 2 -a buf:1 -a buf:1 -a buf:1"

ok "one race per pair of places" prints 1 '^refcl: 3 findings$' $k
ok "the kinds of accesses are listed" prints 1 'seen as read/write, write/write' $k
ok "the first line is a diagnostic" prints 1 'two\.cl:3:[0-9]+: error: data race on argument .x. \(buffer 1, element 0\) between' $k
ok "--max-errors shows one" prints 1 '^refcl: 1 finding$' $k --max-errors 1
ok "--max-errors counts the others" prints 1 '^refcl: 2 more that are not shown$' $k --max-errors 1
printf '# known\ndata-race:two.cl:3\n  data-*:*/two.cl:5\n' >$tap_dir/some
ok "--suppress leaves out by file and line" prints 1 '^refcl: 1 finding$' $k --suppress $tap_dir/some
ok "--suppress says how many" prints 1 '^refcl: hidden: 2 by --suppress$' $k --suppress $tap_dir/some
echo 'data-race' >$tap_dir/all
ok "everything suppressed is clean" exits 0 $k --suppress $tap_dir/all
echo ':x' >$tap_dir/bad
ok "a bad pattern is named with its line" prints 2 'bad:1:1: ' $k --suppress $tap_dir/bad
ok "a missing pattern file is named" prints 2 'nothere' $k --suppress $tap_dir/nothere

cat >$tap_dir/flag.cl <<'K'
kernel void k(global int *data, global atomic_int *flag)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else {
        while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device))
            ;
        *data += 1;
    }
}
K
f="$REFCL kernel $tap_dir/flag.cl -g 2 -l 1 -a buf:1 -a buf:1"
ok "the fix is tried on the trace" prints 1 'memory_order_release and the read at .*memory_order_acquire \(checked' $f
# Peterson's lock with release stores: strong memory never shows that both may enter.
cat >$tap_dir/peterson.cl <<'K'
#define S memory_scope_device
kernel void k(global atomic_int *wants, global atomic_int *turn, global int *sum)
{
    int me = (int)get_global_id(0);
    atomic_store_explicit(&wants[me], 1, memory_order_release, S);
    atomic_store_explicit(turn, !me, memory_order_release, S);
    while (atomic_load_explicit(&wants[!me], memory_order_acquire, S) &&
           atomic_load_explicit(turn, memory_order_acquire, S) == !me)
        ;
    *sum += 1;
    atomic_store_explicit(&wants[me], 0, memory_order_release, S);
}
K
one_report() { # STATUS COMMAND...: the command writes one JSON document, with that status
    local status=$1
    shift
    "$@" -q --json - | /usr/bin/python3 -c 'import json, sys; sys.exit(json.load(sys.stdin)["status"] != sys.argv[1])' $status
}
lock="$REFCL kernel $tap_dir/peterson.cl -g 2 -l 1 -a buf:2 -a buf:1 -a buf:1"
ok "strong memory shows no race, whatever the seed, in one report" one_report clean $lock --seeds 1..5
ok "weak memory does, in one report" one_report findings $lock --memory weak --seeds 1..100
ok "an unknown verdict is reported in one report" one_report unknown $lock --seeds 1..3 --assert 'nothing == 1'

cat >$tap_dir/barrier.cl <<'K'
kernel void k(global int *a)
{
    a[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[3 - get_local_id(0)] += 1;
}
K
ok "a barrier's missing flag is the fix" prints 1 'add CLK_GLOBAL_MEM_FENCE .*checked' $REFCL kernel $tap_dir/barrier.cl -g 4 -l 4 -a buf:4

# Excerpts: of files that are included, of lines with characters of several bytes, of long lines.
printf 'void add(global int *p)\n{\n    *p += 1;\n}\n' >$tap_dir/part.h
printf '#include "part.h"\nkernel void k(global int *p)\n{\n    /* \xc3\xa4\xe2\x86\x92 */ *p = 1;\n    add(p); %0300d;\n}\n' 0 >$tap_dir/words.cl
printf 'kernel void k(global int *p) { (void)%0500d; p[0] = 2; (void)%0500d; }\n' 0 0 >$tap_dir/wide.cl
words="$REFCL kernel $tap_dir/words.cl --build-options -I$tap_dir -g 2 -l 2 -a buf:1"
ok "an excerpt of an included file" prints 1 '^ +3 \|     \*p \+= 1;$' $words
caret() { # TEXT COMMAND...: a line has TEXT, and the next line its caret under the end of TEXT
    local text=$1 line previous=
    shift
    while IFS= read -r line; do
        [[ $previous == *"$text"* && $line == "       | "*^ ]] && previous=${previous%%"$text"*}$text && [ ${#line} -eq ${#previous} ] && return 0
        previous=$line
    done < <("$@" 2>&1)
    "$@"
    return 1
}
ok "the caret of a line with characters of several bytes" env LC_ALL=C.UTF-8 bash -c "$(declare -f caret); caret '*p =' $words"
ok "of a long line, the part around the position" caret 'p[0] =' $REFCL kernel $tap_dir/wide.cl -g 2 -l 2 -a buf:1
ok "... and no more" prints 1 '^ +1 \| \.\.\..{190,210}\.\.\.$' $REFCL kernel $tap_dir/wide.cl -g 2 -l 2 -a buf:1
mkfifo $tap_dir/fifo
ok "a source is read only if it is a regular file" bash -c "
    printf '#line 9 \"/dev/stdin\"\nkernel void k(global int *p) { *p = 1; }\n' >$tap_dir/stdin.cl
    timeout $patience $REFCL kernel $tap_dir/stdin.cl -g 2 -l 2 -a buf:1 <>$tap_dir/fifo 2>&1 | grep -q '/dev/stdin:9:'"

host=$(dirname $REFCL)/refcl-kernel-host
# Barriers are tried in the source before they are advised.
cat >$tap_dir/sum.cl <<'K'
kernel void k(global int *out)
{
    local int t[8];
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 4; s > 0; s /= 2) {
        if (l < s)
            t[l] += t[l + s];
    }
    out[l] = t[0];
}
K
cat >$tap_dir/if.cl <<'K'
kernel void k(global int *out)
{
    int l = get_local_id(0);
    if (l < 2) {
        out[l] = l;
        out[1 - l] += 1;
    }
}
K
sed 's/^kernel/#include "part.h"\n&/' $tap_dir/sum.cl >$tap_dir/sum_included.h
printf '// the kernel\n\n# include "%s"\n' $tap_dir/sum_included.h >$tap_dir/including.cl
ok "a barrier at the end of each iteration is tried" prints 1 'put barrier\(CLK_LOCAL_MEM_FENCE\) before line 10 \(checked' $REFCL kernel $tap_dir/sum.cl -g 8 -l 8 -a buf:8
ok "... and one before the result is read" prints 1 'before line 11 \(checked|before line 10 \(checked' $REFCL kernel $tap_dir/sum.cl -g 8 -l 8 -a buf:8
cat >$tap_dir/second.cl <<'K'
kernel void k(global int *out)
{
    int l = get_local_id(0);
    out[l] = l;
    out[l] += out[l ^ 1];
}
K
cp $tap_dir/including.cl $tap_dir/nested.h
echo '#include "nested.h"' >$tap_dir/nested.cl
ok "... in a launch that was captured" bash -c "
    $REFCL capture --output $tap_dir/sum%n.cap -- $host kernel k global 8 local 8 arg buf:8 $tap_dir/sum.cl &&
        $REFCL kernel $tap_dir/sum001.cap 2>&1 | grep 'before line 10 (checked'"
ok "... in launches of a program" prints 1 'before line 10 \(checked' $REFCL run -- $host kernel k global 8 local 8 arg buf:8 $tap_dir/sum.cl
ok "... in the second of them" prints 1 'before line 5 \(checked' $REFCL run -- sh -c "$host kernel k arg buf:8 $tap_dir/second.cl && $host kernel k global 8 local 8 arg buf:8 $tap_dir/second.cl"
for file in including nested; do
    ok "... in a file that is included, $file" prints 1 'before line 11 of .*/sum_included.h \(checked' $REFCL kernel $tap_dir/$file.cl -g 8 -l 8 -a buf:8
    ok "... by a program's kernel, $file" prints 1 'before line 11 of .*/sum_included.h \(checked' $REFCL run -- $host kernel k global 8 local 8 arg buf:8 $tap_dir/$file.cl
done
printf '#define PART "%s"\n#include PART\n' $tap_dir/sum_included.h >$tap_dir/by_macro.cl
ok "what cannot be tried is not called checked" prints 1 'between lines .* \(not checked\)' $REFCL kernel $tap_dir/by_macro.cl -g 8 -l 8 -a buf:8
ok "no barrier is advised if not all work-items reach it" bash -c "! $REFCL kernel $tap_dir/if.cl -g 4 -l 4 -a buf:2 2>&1 | grep 'to fix it'"
ok "what the program prints is printed once" bash -c "[ \$($REFCL kernel $tap_dir/sum.cl -g 8 -l 8 -a buf:8 -p 0 2>/dev/null | wc -l) -eq 1 ]"

ok "a program without OpenCL gets no note" bash -c "! $REFCL run -- true 2>&1 | grep -q note"
left_behind() { # the process is still there when the session has ended
    $REFCL run -- sh -c "sleep 1000 & echo \$! >$tap_dir/left"
    [ $? -eq 3 ] && kill "$(cat $tap_dir/left)"
}
ok "a process left behind does not keep the session open" left_behind

# Several processes: the report has the findings of all of them, each once.
cat >$tap_dir/other.cl <<'K'
kernel void k(global int *w)
{
    *w = 7;
}
K
one="$host kernel k global 4 local 2 arg buf:1 arg buf:1 arg buf:1 $tap_dir/two.cl"
other="$host kernel k global 4 local 2 arg buf:1 $tap_dir/other.cl"
ok "one process after the other" prints 1 '^refcl: 4 findings$' $REFCL run -- sh -c "$one; $other"
ok "two at a time" prints 1 '^refcl: 4 findings$' $REFCL run -- sh -c "$one & $other; wait"
ok "the same program twice has the same findings" prints 1 '^refcl: 3 findings$' $REFCL run -- sh -c "$one; $one"
ok "... and counts them together" prints 1 'seen 9 times' $REFCL run -- sh -c "$one; $one; $one"
ok "a finding says in which process it was" prints 1 '^note: in process [0-9]+$' $REFCL run -- sh -c "true; $one; $other"
ok "one process has no number" bash -c "! $REFCL run -- sh -c '$one' 2>&1 | grep -q 'in process'"
ok "a program that closes what it inherits is recorded" prints 1 '^refcl: 1 finding$' $REFCL run -- python3 -c "
import subprocess, sys
sys.exit(subprocess.run('$other'.split(), close_fds=True).returncode)"
ok "many processes" prints 1 '^refcl: 1 finding$' $REFCL run -- sh -c "for i in 1 2 3 4 5 6; do $other & done; wait"
ok "traces of several processes are several files" bash -c "
    $REFCL run -q --trace $tap_dir/t.trace -- sh -c '$one; $other'
    $REFCL trace dump $tap_dir/t.trace >$tap_dir/1 && $REFCL trace dump $tap_dir/t.trace.2 >$tap_dir/2
    grep -q 'buffer 3' $tap_dir/1 && grep -q 'buffer 1' $tap_dir/2 && ! grep -q 'buffer 3' $tap_dir/2"

if ${CC:-gcc} -std=c11 -shared -fPIC -I. -o $tap_dir/heat.so tools/examples/heat_map.c 2>$tap_dir/cc.txt; then
    ok "an own analysis sees the accesses" prints 1 'writes .*[.@].* 4$' $k --recorder $tap_dir/heat.so:8
    ok "an own analysis gets its text" prints 2 "not a number of parts: 'x'" $k --recorder $tap_dir/heat.so:x
else
    ok "the example compiles" cat $tap_dir/cc.txt /nonexistent
fi
ok "a missing analysis is named" prints 2 'nothere.so' $k --recorder $tap_dir/nothere.so
echo 'int x;' >$tap_dir/empty.c
${CC:-gcc} -shared -fPIC -o $tap_dir/empty.so $tap_dir/empty.c
ok "an object without the entry point is refused" prints 2 'refcl_recorder_open' $k --recorder $tap_dir/empty.so

# A kernel that never ends, after a race; the program is killed.
cat >$tap_dir/spin.cl <<'K'
kernel void k(global int *x, global atomic_int *never)
{
    *x = 1;
    while (!atomic_load_explicit(never, memory_order_relaxed, memory_scope_device))
        ;
}
K
child_of() { # of process PID
    local stat file
    for file in /proc/[0-9]*/stat; do
        read -ra stat <"$file" 2>/dev/null && [ "${stat[3]}" = "$1" ] && echo "${stat[0]}" && return
    done
    return 1
}
TIMEFORMAT=%U whole=$({ time $k >/dev/null 2>&1; } 2>&1) # seconds until a session ends by itself
ticks=$(LD_PRELOAD='' getconf CLK_TCK | awk -v whole="$whole" '{ print int((1 + 2 * whole) * $1) }')
spins() { # PID: it has worked for longer than that; its compiler is another process
    local stat
    read -ra stat <"/proc/$1/stat" && [ "${stat[13]:-0}" -ge "$ticks" ]
}
killed() {
    REFCL_SCHEDULE=fair $REFCL kernel $tap_dir/spin.cl -g 4 -l 2 -a buf:1 -a buf:1 --json $tap_dir/killed.json >$tap_dir/killed.txt 2>&1 &
    session=$!
    until child=$(child_of $session) && child=$(child_of "$child") && spins "$child"; do # below the supervisor
        kill -0 $session 2>/dev/null || break
        sleep 0.1
    done
    kill -"$1" "$child"
    wait $session
    code=$?
    [ $code -eq 1 ] && grep -q 'data race on argument' $tap_dir/killed.txt && grep -q '"kind"' $tap_dir/killed.json && return 0
    echo "exit code $code"
    cat $tap_dir/killed.txt
    return 1
}
ok "killing the program leaves a report" killed KILL
ok "ending the program leaves a report" killed TERM
done_testing
