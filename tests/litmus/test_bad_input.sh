#!/bin/bash
# Bad options, files and names: every litmus command names the error and its option or file, and ends with
# code 2.
set -u
cd "$(dirname "$0")/../.." || exit 4
. tests/lib/litmus.sh
export "${refcl_icd[@]}"
test=$PWD/litmus/suite/message-passing/MP+rel+acq.litmus
cd "$tap_dir" || exit 4
mkdir folder
"$refcl" litmus plan -o plan.json "$test" && "$runner" -q -n 20 -o results.json plan.json >log &&
    "$refcl" litmus judge --json judged.json results.json >log
check "plan, run and judge" $?
for kind in plan results judged; do
    head -c 300 "$kind.json" >"cut-$kind.json"
    sed 's/"version":[[:space:]]*[0-9][0-9]*/"version": 77/' "$kind.json" >"later-$kind.json"
done
echo '[1, 2]' >other.json
: >empty.json
echo '{"format": "refcl-litmus-plan", "version": 2, "seed": 1, "tests": []}' >none.json
/usr/bin/python3 -c 'print("[" * 100000)' >deep.json

refused() { ok "$(basename "$2") ${*:3}: $1" prints 2 "$1" timeout "$patience" "${@:2}"; }
run() { refused "$1" "$runner" -q -n 20 -o new.json "${@:2}"; }
run 'cut-plan.json: not a litmus plan: no JSON, or the end of it is missing' cut-plan.json
run 'a litmus plan of version 77, but this runner reads version' later-plan.json
run 'results.json: not a litmus plan' results.json
run 'other.json: not a litmus plan' other.json
run 'empty.json: not a litmus plan' empty.json
run 'deep.json: not a litmus plan' deep.json
run 'none.json: no tests in it' none.json
run 'folder: Is a directory' folder
run 'missing.json: No such file or directory' missing.json
run "no test of it is called 'nothing'" --test nothing plan.json
run "'0/0' is not a valid value for --shard" --shard 0/0 plan.json
run "'3/2' is not a valid value for --shard" --shard 3/2 plan.json
run "'4294967297/4294967297' is not a valid value for --shard" --shard 4294967297/4294967297 plan.json
run "'-5' is not a valid value for --iterations" -n -5 plan.json
run "'18446744073709551616' is not a valid value for --seed" --seed 18446744073709551616 plan.json
run "'nan' is not a valid value for --budget" --budget nan plan.json
run "'height=1' is not a valid value for --knob" --knob height=1 plan.json
run "unrecognized option '--bogus'" --bogus plan.json
run "option '--seed' requires an argument" plan.json --seed
run 'no such OpenCL device' --device nowhere plan.json
run 'the tuning cannot be read' --tuning missing.json plan.json
refused 'cannot write missing/new.json: No such file or directory' "$runner" -q -o missing/new.json plan.json
refused 'one plan is needed, 2 given' "$runner" plan.json plan.json
refused 'cut-plan.json: not a litmus plan' "$runner" --tune --budget 1 cut-plan.json

# One column, where the sub-groups of two threads have two
same_group='../generated-relaxed-work-group/2+2W+rlx.wg-rlx.wg+rlx.wg-rlx.wg@0a0b.gg.litmus'
"$refcl" litmus plan "$(dirname "$test")/$same_group" | sed 's/"columns":[[:space:]]*0/"columns": 1/' >columns.json
ok "a plan with too few columns" prints 1 "failed .*the plan's description of the test is not valid" timeout "$patience" "$runner" -n 20 -o new.json \
    columns.json

for bad in cut-results later-results other empty folder missing deep; do
    path=$bad.json
    [ $bad = folder ] && path=folder
    refused "$path: " "$refcl" litmus judge "$path"
    refused "$path: " "$refcl" litmus merge -o new.json results.json "$path"
    refused "$path: " "$refcl" gate --baseline judged.json "$path"
    refused "$path: " "$refcl" gate --baseline "$path" judged.json
done
refused 'results of litmus tests of version 77, but this refcl reads version' "$refcl" litmus judge later-results.json
refused 'of version 77, but this refcl reads version' "$refcl" gate --baseline judged.json later-judged.json
refused 'one results file is needed' "$refcl" litmus judge
refused 'no results given' "$refcl" litmus merge

refused "no litmus test in 'folder'" "$refcl" litmus plan folder
refused "no litmus test in 'folder'" "$refcl" litmus run folder
refused "no litmus test in 'folder'" "$refcl" litmus check folder
refused "cannot read 'missing'" "$refcl" litmus plan missing
mkdir -p dangling deeper/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16
cp "$test" dangling
cp "$test" deeper
ln -s nowhere dangling/other.litmus
refused "cannot read 'dangling/other.litmus'" "$refcl" litmus check dangling
refused "more than 16 folders within one another" "$refcl" litmus check deeper
refused 'other.json:1:1: expected OPENCL' "$refcl" litmus plan other.json
refused "'0' is not a number from 1" "$refcl" litmus plan -n 0 "$test"
refused "'0' is not a number from 1" "$refcl" litmus run -n 0 "$test"
refused "'CL3' is none of: CL1.0 " "$refcl" litmus plan --cl-std CL3 "$test"
refused "cannot read ICD 'missing.so'" "$refcl" litmus run --icd missing.so "$test"
refused 'no such OpenCL device' "$refcl" litmus run -q -o new.json --icd plan.json "$test"
ok "litmus run --device: 5000 characters" prints 2 "--device: longer than 4096 characters" timeout "$patience" "$refcl" litmus run --device "$(printf %05000d 0)" "$test"

# An invalid test is a separate error: the other tests are decided.
cat >release-failure.litmus <<'END'
OPENCL release-failure
{ [x] = 0; }
P0@wg 0, dev 0 (global atomic_int* x) {
  int e = 0;
  int r0 = atomic_compare_exchange_strong_explicit(x, &e, 1, memory_order_acq_rel, memory_order_release, memory_scope_device);
}
exists (0:r0 = 1)
END
sed 's/memory_order_release,/memory_order_relaxed,/; s/0:r0 = 1/0:r7 = 1/' release-failure.litmus >no-register.litmus
sed 's/memory_order_release,/memory_order_relaxed,/' release-failure.litmus >valid.litmus
one_bad() { # FILE MESSAGE
    refused "$2" "$refcl" litmus check "$1" valid.litmus
    "$refcl" litmus check "$1" valid.litmus 2>/dev/null | grep -q 'valid.litmus *condition holds'
    check "the valid test beside $1 is decided" $?
}
one_bad release-failure.litmus 'cannot have memory_order_release \[CLC 6.15.12.7.4\]'
one_bad no-register.litmus "names register 'r7', which the test does not have \[litmus.name\]"

# A model must not make its reader wait.
mkfifo fifo.cat
for included in fifo.cat /dev/tty /dev/zero folder; do
    printf 'OpenCL\ninclude "%s"\n' "$included" >include.cat
    refused "cannot read included file '$included'" "$refcl" litmus check --model ./include.cat "$test"
done

generate() { refused "$1" "$refcl" litmus gen --shapes MP "${@:2}"; }
generate "'moon' is none of" --places moon
generate "--regions: 'q' has letters other than" --regions q
generate "'al' is none of" --scopes al
generate "--mechanisms: 'ax' has letters other than" --mechanisms ax
generate "'none' is none of" --data none
generate "'i' is none of" --flags i
generate "'s' is none of" --orders s
generate "no test of these cycles is one that 'ZZ9' forbids" --clause ZZ9
generate "cannot create 'missing/new'" -o missing/new
refused "'XX' is none of" "$refcl" litmus gen --shapes XX
refused "'Rlx' is not a cycle over several threads" "$refcl" litmus gen Rlx
done_testing
