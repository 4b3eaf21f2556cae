#!/bin/bash
# The command line contract: options, exit codes, destinations of messages, errors for bad input.
. tests/lib/tap.sh
suite=litmus/suite
mp=$(find $suite -name '*.litmus' | sort | head -1)

ok "version" prints 0 '^refcl [0-9]+\.[0-9]+' $REFCL --version
ok "no command is a usage error" prints 2 'usage: refcl' $REFCL
ok "unknown command is named" prints 2 "no command 'frobnicate'" $REFCL frobnicate
ok "... and the nearest one" prints 2 "did you mean .refcl kernel.\?" $REFCL kerel
ok "an unknown option is answered with the nearest" prints 2 "did you mean --global\?" $REFCL kernel --gobal 4 x.cl
printf 'OPENCL x\n{ [x]=0; }\nP0@wg 0, dev 0 (global atomic_int* x) {\n  atomic_store_explicit(x, 1, memory_order_relaxd);\n}\nexists (x=1)\n' >$tap_dir/order.litmus
ok "an unknown order is answered with the nearest" prints 2 "did you mean memory_order_relaxed\?" $REFCL litmus check $tap_dir/order.litmus
ok "... with a caret" prints 2 "^       [|] {31}\\^$" $REFCL litmus check $tap_dir/order.litmus
for c in "litmus check" "litmus plan" "litmus run" "litmus judge" run kernel "trace dump"; do
    ok "$c --help" prints 0 "^usage: refcl $c" $REFCL $c --help
    ok "$c refuses an unknown option" prints 2 "refcl $c --help" $REFCL $c --no-such-option
    ok "$c wants an argument" exits 2 $REFCL $c
done

# litmus check
ok "a test is decided" exits 0 $REFCL litmus check "$mp"
ok "a missing file is named" prints 2 "/nonexistent/x.litmus" $REFCL litmus check /nonexistent/x.litmus
ok "a missing model is named" prints 2 "nope.cat" $REFCL litmus check -m nope.cat "$mp"
printf 'OPENCL broken\n{ [x]=0; }\nP0@wg 0, dev 0 (global atomic_int* x) {\n  atomic_store(x 1);\n}\nexists (x=1)\n' >$tap_dir/broken.litmus
ok "a syntax error has file, line and column" prints 2 'broken\.litmus:4:[0-9]+: ' $REFCL litmus check $tap_dir/broken.litmus
printf 'm\nlet a = R | nosuch\nacyclic po as A\n' >$tap_dir/bad.cat
ok "an unknown name in a model has line and column" prints 2 'bad\.cat:2:13: .*nosuch' $REFCL litmus check -m $tap_dir/bad.cat "$mp"
ok "an engine must exist" prints 2 "none of: search z3 both" $REFCL litmus check -e magic "$mp"
ok "a bound must be a number" prints 2 "not a number" $REFCL litmus check -b many "$mp"
ok "JSON alone on stdout" bash -c "$REFCL litmus check --json - '$mp' | python3 -c 'import json,sys; d=json.load(sys.stdin); assert len(d[\"tests\"])==1 and d[\"tests\"][0][\"condition\"] in (\"holds\",\"fails\")'"
ok "REFCL_JSON has the effect of --json" bash -c "REFCL_JSON=$tap_dir/v.json $REFCL litmus check '$mp' && test -s $tap_dir/v.json"
if /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
    ok "the JSON is valid by its schema" bash -c "$REFCL litmus check --explain --json $tap_dir/v.json $suite >/dev/null; /usr/bin/python3 tools/validate.py tools/schema/litmus.schema.json $tap_dir/v.json"
else
    skip "the JSON is valid by its schema" "no jsonschema"
fi
ok "an unwritable output is an error" prints 2 "cannot write" $REFCL litmus check --json /nonexistent/dir/x "$mp"
printf 'OPENCL slow\n{ [x]=0; }\n' >$tap_dir/slow.litmus
for p in 0 1 2 3; do
    printf 'P%d@wg %d, dev 0 (global atomic_int* x) {\n' $p $p >>$tap_dir/slow.litmus
    for i in 1 2 3 4 5 6; do printf '  int r%d = atomic_load_explicit(x, memory_order_relaxed);\n  atomic_store_explicit(x, %d, memory_order_relaxed);\n' $i $((10 * p + i)) >>$tap_dir/slow.litmus; done
    printf '}\n' >>$tap_dir/slow.litmus
done
printf 'exists (0:r6=1 /\\ 1:r6=2 /\\ 2:r6=3 /\\ 3:r6=4)\n' >>$tap_dir/slow.litmus
ok "a time limit gives unknown, and names the limit" prints 3 "unknown" $REFCL litmus check -t 1 $tap_dir/slow.litmus

# trace dump
ok "a missing trace is named" prints 2 "/nonexistent/t" $REFCL trace dump /nonexistent/t
head -c 4096 /dev/urandom >$tap_dir/noise
ok "noise is not a trace" exits 2 $REFCL trace dump $tap_dir/noise

# run
ok "a missing program is named" prints 2 "no-such-program" $REFCL run -- no-such-program
ok "a program without OpenCL is not clean" prints 3 "nothing was observed" $REFCL run -- true
ok "a program that fails is not clean" prints 1 "ended with status 7" $REFCL run -- sh -c 'exit 7'
ends_with() { # WORDS COMMAND...: the last line on stderr contains them, and no line says "no findings"
    local words=$1 text
    shift
    text=$("$@" 2>&1 >/dev/null)
    echo "$text"
    tail -n 1 <<<"$text" | grep -Eq -- "$words" && ! grep -q 'no findings' <<<"$text"
}
ok "... and says so last" ends_with "^refcl: 'sh' ended with status 7;" $REFCL run -- sh -c 'exit 7'
ok "a program that dies is not clean" prints 1 "signal 6" $REFCL run -- sh -c 'kill -ABRT $$'
ok "... and says so last" ends_with "^refcl: 'sh' was ended by signal 6 \(SIGABRT\)" $REFCL run -- sh -c 'kill -ABRT $$'
ok "... with --seeds, too" ends_with "^refcl: .*--seed 1$" $REFCL run --seeds 3 -- sh -c 'kill -ABRT $$'
ok "... and in every output" bash -c "
    $REFCL run -q --json $tap_dir/died.json --sarif $tap_dir/died.sarif --junit $tap_dir/died.xml -- sh -c 'kill -QUIT \$\$'
    [ \$? -eq 1 ] && grep -q '\"status\":.*failed' $tap_dir/died.json && grep -q '\"signal\":.*3' $tap_dir/died.json &&
        grep -q 'errors=\"2\"' $tap_dir/died.xml && grep -q 'SIGQUIT' $tap_dir/died.xml && grep -q SIGQUIT $tap_dir/died.sarif &&
        grep -q '\"executionSuccessful\":.*false' $tap_dir/died.sarif"
ok "a folder is no program" prints 2 "cannot run" $REFCL run -- $tap_dir
ok "a command is needed" prints 2 "no command given" $REFCL run --
ok "an unknown check is refused" prints 2 "'everything' is none of" $REFCL run -c everything -- true

# kernel
cat >$tap_dir/add.cl <<'K'
kernel void add(global int *a, global const int *b, int c) { size_t i = get_global_id(0); a[i] += b[i] + c; }
K
ok "a kernel runs and prints" prints 0 '^0: 10 12 14 16$' $REFCL kernel $tap_dir/add.cl -g 4 -a buf:4:iota -a buf:4:iota -a 10 -p 0
for f in cap spv spvasm; do echo "kernel void k(void) {}" >$tap_dir/text.$f; done
ok "a file named as a capture is judged as one" prints 2 "text\.cap: this is no captured launch" $REFCL kernel $tap_dir/text.cap
ok "a file named as a module is judged as one" prints 2 "text\.spv' is no SPIR-V module" $REFCL kernel $tap_dir/text.spv
ok "the text of a module is assembled" prints 2 'text\.spvasm:1:' $REFCL kernel $tap_dir/text.spvasm
ok "bad input is not called free of findings" bash -c "! $REFCL kernel $tap_dir/text.spv 2>&1 | grep 'no findings'"
ok "too few arguments" prints 2 "argument 1 'b' .global int \*. is missing; try --arg buf:64" $REFCL kernel $tap_dir/add.cl -g 4 -a buf:4
ok "a file without kernels" prints 2 "has no kernel" $REFCL kernel /dev/null
printf 'kernel void k() {}\0' > $tap_dir/binary.cl
for command in kernel explore; do
    ok "$command: a binary file" prints 2 "a null character: this is no OpenCL C" $REFCL $command $tap_dir/binary.cl
done
ok "a check that does not exist" prints 2 "did you mean uninitialized?" $REFCL kernel --check unitialized $tap_dir/add.cl
ok "a folder is no kernel file" prints 2 "cannot read" $REFCL kernel $tap_dir
printf 'kernel void one(void) {}\nkernel void two(void) {}\n' >$tap_dir/both.cl
ok "of several kernels one has to be named" prints 2 "one with -k: one, two; try -k one$" $REFCL kernel -g 1 $tap_dir/both.cl
ok "explore: a kernel that does not exist" prints 2 "no kernel 'nope', but: add" $REFCL explore $tap_dir/add.cl -k nope
ok "a kernel that does not exist" prints 2 "no kernel 'nope', but: add" $REFCL kernel $tap_dir/add.cl -k nope -g 4 -a buf:4 -a buf:4 -a 1
printf 'kernel void first(global int *a) { a[0] += 1; }\nkernel void second(global int *b) { b[0] += 1; }\n' >$tap_dir/pair.cl
for command in kernel explore; do
    ok "$command: the nearest kernel" prints 2 "no kernel 'secnod', but: first, second; did you mean second?" $REFCL $command $tap_dir/pair.cl -k secnod -a buf:1
done
ok "--auto launches the kernels that are asked for" bash -c "! $REFCL kernel --auto --kernels 'sec*' $tap_dir/pair.cl 2>&1 | grep first"
ok "... which race" prints 1 "argument 'b'" $REFCL kernel --auto --kernels 'sec*' $tap_dir/pair.cl
ok "... of which there may be none" prints 2 "has no kernel 'third'" $REFCL kernel --auto --kernels third $tap_dir/pair.cl
echo 'kernel void inc(global atomic_int *a) { atomic_store(a, atomic_load(a) + 1); }' >$tap_dir/inc.cl
ok "explore: the values that an assertion fails with" prints 1 '^    it fails with a=1$' $REFCL explore -g 2 -l 1 -a buf:1 --assert 'a[0] == 2' $tap_dir/inc.cl
ok "... and those that should not be" prints 1 '^    it fails with a=2$' $REFCL explore -g 2 -l 1 -a buf:1 --assert '~exists (a[0] == 2)' $tap_dir/inc.cl
ok "... alone" bash -c "! $REFCL explore -g 2 -l 1 -a buf:1 --assert '~exists (a[0] == 2)' $tap_dir/inc.cl | grep a=1"
ok "out of bounds is a finding with its line" prints 1 'add\.cl:1:[0-9]+: error: ' $REFCL kernel $tap_dir/add.cl -g 5 -a buf:4 -a buf:4 -a 1
echo 'kernel void broken(global int *a) { a[0] = ; }' >$tap_dir/broken.cl
ok "a kernel that does not compile shows the log" prints 2 'error: expected expression' $REFCL kernel $tap_dir/broken.cl -g 1 -a buf:1
ok "flags for compiling and for linking are for two commands" prints 2 "one of --compile and --link" "$REFCL" host-cc
done_testing
