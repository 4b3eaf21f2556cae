#!/bin/bash
# A driver that crashes in the seventh test and hangs in the ninth costs only these two; a campaign that is
# killed and resumed has the results of an uninterrupted one; campaigns release the objects of each test.
set -u
cd "$(dirname "$0")/../.." || exit 4
. tests/lib/litmus.sh
[ -z "${SANITIZER:-}" ] || skip_all "no sanitizer here: the driver crashes on purpose"
# A Python expression about results A and B, as lists of tests, must be true.
expect() { # NAME EXPRESSION FILE...
    name=$1 expression=$2
    shift 2
    /usr/bin/python3 - "$expression" "$@" <<'PY'
import json, sys
A, *rest = [json.load(open(f))["tests"] for f in sys.argv[2:]]
B = rest[0] if rest else None
def counts(tests):
    return [(t["name"], t["status"], t["instances"], t["batches"], t["states"]) for t in tests]
sys.exit(0 if eval(sys.argv[1]) else 1)
PY
    check "$name" $?
}
export "${refcl_icd[@]}"
"$refcl" litmus plan -o "$tmp/plan.json" litmus/suite/coherence litmus/suite/message-passing
check "plan" $?
SECONDS=0
"$runner" -q -n 4000 --batch 200 --seed 9 -o "$tmp/whole.json" "$tmp/plan.json" >"$tmp/log"
check "an unbroken campaign" $?
hang=$((6 + 2 * SECONDS)) # seconds: no working batch takes longer than twice the whole campaign

${CC:-cc} -shared -fPIC -O1 -o "$tmp/fake.so" tests/litmus/fake_icd.c -ldl
check "the defective driver builds" $?
fake() {
    OCL_ICD_VENDORS=$tmp/fake.icd OCL_ICD_FILENAMES=$tmp/fake.so FAKE_ICD_REAL=$PWD/$BUILD/librefcl.so "$@"
}
echo "$tmp/fake.so" >"$tmp/fake.icd"
fake "$runner" -n 4000 --batch 200 --seed 9 --timeout "$hang" -o "$tmp/fake.json" "$tmp/plan.json" >"$tmp/log" 2>&1
[ $? -eq 1 ]
check "failed tests: exit code 1" $?
expect "the seventh test is a crash" 'A[6]["status"] == "crashed" and "signal 11" in A[6]["reason"]' "$tmp/fake.json"
expect "the ninth is a hang" 'A[8]["status"] == "timeout" and "'$hang' s" in A[8]["reason"]' "$tmp/fake.json"
expect "the others have what they have without the defects" \
    'all(a == b for i, (a, b) in enumerate(zip(counts(A), counts(B))) if i not in (6, 8)) and len(A) == len(B) > 9' \
    "$tmp/fake.json" "$tmp/whole.json"
"$refcl" litmus judge "$tmp/fake.json" >"$tmp/judged.log"
[ $? -eq 3 ]
check "what did not finish is unknown: exit code 3" $?
cp "$tmp/fake.json" "$tmp/again.json"
"$runner" -q --resume -n 4000 --batch 200 -o "$tmp/again.json" "$tmp/plan.json" >"$tmp/log"
[ $? -eq 1 ]
check "resuming what ended runs nothing: exit code 1 for the failed tests" $?
expect "and keeps each test's status, reason, states and counts" \
    'counts(A) == counts(B) and [t.get("reason") for t in A] == [t.get("reason") for t in B]' "$tmp/again.json" "$tmp/fake.json"

"$refcl" litmus plan -o "$tmp/objects.json" litmus/suite/coherence litmus/suite/host-svm litmus/suite/host-event litmus/suite/host-map
check "plan of tests with objects" $?
FAKE_ICD_COUNTS=$tmp/counts fake "$runner" -q -n 40 --batch 20 -o "$tmp/counted.json" "$tmp/objects.json" >"$tmp/log"
check "a campaign whose objects are counted" $?
FAKE_ICD_COUNTS=$tmp/counts fake "$runner" -q -n 40 --batch 20 --kind gpu -o "$tmp/counted.json" "$tmp/objects.json" >"$tmp/log"
check "another, laid out as for a GPU" $?
/usr/bin/python3 - "$tmp/counts" <<'PY'
import struct, sys
counts = list(struct.iter_unpack("2q", open(sys.argv[1], "rb").read()))
print("# kernels, programs, memory objects, queues, SVM allocations made, left:", counts)
sys.exit(not all(made > 10 and left == 0 for made, left in counts))
PY
check "the objects of its tests are released" $?

# Killed several times, at any point after the first results are written.
for attempt in 1 2 3 4; do
    REFCL_RESUME=1 "$runner" -q -n 4000 --batch 200 --seed 9 -o "$tmp/killed.json" "$tmp/plan.json" >"$tmp/log" 2>&1 &
    pid=$!
    wait_until test -s "$tmp/killed.json"
    sleep "0.$((attempt * 2))"
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
done
expect "a killed campaign leaves results that can be read" 'len(A) > 9' "$tmp/killed.json"
"$runner" -q --resume -n 4000 --batch 200 -o "$tmp/killed.json" "$tmp/plan.json" >"$tmp/log"
check "it is resumed" $?
expect "and has the same totals, states and counts as an unbroken one with its seed" 'counts(A) == counts(B)' \
    "$tmp/killed.json" "$tmp/whole.json"

# A file that has no results, or is truncated, is reported and left unchanged.
head -c 2000 "$tmp/whole.json" >"$tmp/cut.json"
echo '{"format": "something else"}' >"$tmp/foreign.json"
echo '{"format": "refcl-litmus-results", "version": 1}' >"$tmp/none.json"
sed 's/"version":[[:space:]]*1/"version": 7/' "$tmp/whole.json" >"$tmp/later.json"
for bad in cut foreign none later; do
    cp "$tmp/$bad.json" "$tmp/kept.json"
    "$runner" -q --resume -n 10 -o "$tmp/$bad.json" "$tmp/plan.json" >"$tmp/log" 2>&1
    [ $? -eq 2 ] && cmp -s "$tmp/$bad.json" "$tmp/kept.json" && grep -q "$bad.json: .*results" "$tmp/log"
    check "resuming refuses it: $bad" $?
    "$refcl" litmus merge -o "$tmp/sum.json" "$tmp/whole.json" "$tmp/$bad.json" >"$tmp/log" 2>&1
    [ $? -eq 2 ] && [ ! -e "$tmp/sum.json" ] && grep -q "$bad.json: .*results" "$tmp/log"
    check "merging refuses it: $bad" $?
    "$refcl" litmus judge "$tmp/$bad.json" >"$tmp/judged.log" 2>"$tmp/log"
    [ $? -eq 2 ] && grep -q "$bad.json: .*results" "$tmp/log"
    check "judging refuses it: $bad" $?
    "$refcl" gate --baseline "$tmp/$bad.json" "$tmp/$bad.json" >"$tmp/judged.log" 2>"$tmp/log"
    [ $? -eq 2 ] && grep -q "$bad.json: not a judgement" "$tmp/log"
    check "the gate refuses it: $bad" $?
done
"$refcl" litmus merge -o "$tmp/sum.json" "$tmp/whole.json" "$tmp/missing.json" >"$tmp/log" 2>&1
[ $? -eq 2 ] && grep -q 'missing.json: No such file' "$tmp/log"
check "a missing file is reported as such" $?
done_testing
