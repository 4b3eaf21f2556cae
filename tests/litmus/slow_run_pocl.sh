#!/bin/bash
# plan, run and judge on another ICD (PoCL): results, resuming, a hanging and a crashing driver, findings.
set -u
cd "$(dirname "$0")/../.." || exit 4
BUILD=${BUILD:-build}
refcl=$PWD/$BUILD/refcl
runner=$PWD/$BUILD/refcl-litmus-run
vendors=${REFCL_POCL_ICD:-/etc/OpenCL/vendors/pocl.icd}
. tests/lib/tap.sh
[ -e "$vendors" ] || skip_all "no PoCL"
unset OCL_ICD_FILENAMES
export OCL_ICD_VENDORS=$vendors
ok "PoCL has a device" clinfo
tmp=$tap_dir
suite=litmus/suite
# PoCL 6 puts both threads of sub-groups-apart into one sub-group: none of its instances count.
barriers=$(find $suite/barriers -name '*.litmus' ! -name sub-groups-apart.litmus)
"$refcl" litmus plan -o "$tmp/plan.json" $suite/message-passing $suite/coherence $barriers $suite/regions \
    $suite/scopes/MP+dev-two-devices.litmus $suite/store-buffering/SB+sc.litmus
check "plan" $?
/usr/bin/python3 tools/validate.py tools/schema/plan.schema.json "$tmp/plan.json"
check "the plan fits its schema" $?

SECONDS=0
"$runner" -q -n 6000 -o "$tmp/a.json" "$tmp/plan.json" >"$tmp/log"
check "run" $?
hang=$((6 + SECONDS / 2)) # seconds: no batch of a working test takes as long as half of the campaign
budget=$((4 + SECONDS))   # seconds: enough for a few of these tests
/usr/bin/python3 tools/validate.py tools/schema/results.schema.json "$tmp/a.json"
check "the results fit their schema" $?
json_holds "what cannot run is skipped with a reason, and not done" "$tmp/a.json" \
    'T["MP+dev-two-devices"]["status"] == "skipped" and "two devices" in T["MP+dev-two-devices"]["reason"]'
json_holds "every instance is in the histogram" "$tmp/a.json" \
    'all(sum(s["count"] for s in t["states"]) == t["instances"] == 6000 for t in R["tests"] if t["status"] == "done")'
json_holds "a barrier with both flags passes both values" "$tmp/a.json" \
    'T["both-flags"]["states"] == [{"values": [1, 2], "count": 6000}]'
json_holds "local memory starts with the initial value" "$tmp/a.json" \
    'all(s["values"][1] in (-1, 1) for s in T["MP+local-flag+local-data"]["states"])'

"$refcl" litmus judge --json "$tmp/judged.json" "$tmp/a.json" >"$tmp/judged.log"
check "judge: no state that the model forbids" $?
json_holds "racy tests get no verdict, others are allowed" "$tmp/judged.json" \
    'T["MP+rlx+rlx"]["verdict"] == "racy" and T["MP+rel+acq"]["verdict"] == "allowed" and T["MP+dev-two-devices"]["verdict"] == "not-run"'
/usr/bin/python3 tools/validate.py tools/schema/judgement.schema.json "$tmp/judged.json"
check "the judgement fits its schema" $?
grep -q '^Observation MP+rel+acq Never 0 6000$' "$tmp/judged.log"
check "the log has herd's form" $?

# A device that breaks message passing must be detected.
/usr/bin/python3 - "$tmp/a.json" "$tmp/broken.json" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
for t in r["tests"]:
    if t["name"] in ("MP+rel+acq", "MP+rlx+rlx"):
        t["states"].append({"values": [1, 0], "count": 3})
json.dump(r, open(sys.argv[2], "w"))
PY
"$refcl" litmus judge --json "$tmp/broken-judged.json" --junit "$tmp/j.xml" --sarif "$tmp/j.sarif" --html "$tmp/j.html" \
    "$tmp/broken.json" >"$tmp/judged.log"
[ $? -eq 1 ]
check "a forbidden state is a finding: exit code 1" $?
json_holds "only in the test without a race" "$tmp/broken-judged.json" \
    'R["summary"]["forbidden"] == 1 and T["MP+rel+acq"]["verdict"] == "forbidden" and T["MP+rlx+rlx"]["verdict"] == "racy"'
grep -A2 'FORBIDDEN' "$tmp/judged.log" | grep -q 'forbidden by .*3\.3\.6'
check "it names the clause" $?

json_holds "with a rate and its interval" "$tmp/broken-judged.json" \
    'any(0 < s["rate_low"] < s["rate"] < s["rate_high"] for s in T["MP+rel+acq"]["states"] if s["verdict"] == "forbidden")'
/usr/bin/python3 - "$tmp/j.xml" "$tmp/j.sarif" "$tmp/j.html" <<'PY'
import json, sys, xml.etree.ElementTree as E
suite = E.parse(sys.argv[1]).getroot()
sarif = json.load(open(sys.argv[2]))
page = open(sys.argv[3]).read()
failing = [c.get("name") for c in suite if c.find("failure") is not None]
results = sarif["runs"][0]["results"]
good = failing == ["MP+rel+acq"] and suite.get("failures") == "1" and len(results) == 1
good = good and "1:r0=1; 1:r1=0" in results[0]["message"]["text"] and "3.3.6" in results[0]["message"]["text"]
good = good and "http" not in page and page.count("<details>") == len(suite.findall("testcase"))
sys.exit(0 if good else 1)
PY
check "JUnit, SARIF and the page have the same contents" $?
"$refcl" gate --baseline "$tmp/judged.json" "$tmp/judged.json" >"$tmp/gate.log"
check "gate: nothing new" $?
"$refcl" gate --baseline "$tmp/judged.json" "$tmp/broken-judged.json" >"$tmp/gate.log"
[ $? -eq 1 ] && grep -q '^new forbidden outcome: MP+rel+acq: 1:r0=1; 1:r1=0$' "$tmp/gate.log"
check "gate: a new forbidden outcome" $?
"$refcl" gate --baseline "$tmp/broken-judged.json" "$tmp/broken-judged.json" >"$tmp/gate.log"
check "gate: one that the baseline has is not new" $?
/usr/bin/python3 - "$tmp/judged.json" "$tmp/lost.json" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
r["tests"] = [t for t in r["tests"] if t["name"] != "CoWW"]
json.dump(r, open(sys.argv[2], "w"))
PY
"$refcl" gate --baseline "$tmp/judged.json" "$tmp/lost.json" >"$tmp/gate.log"
[ $? -eq 1 ] && grep -q '^lost test: CoWW$' "$tmp/gate.log"
check "gate: a lost test" $?
"$refcl" gate --baseline "$tmp/a.json" "$tmp/judged.json" >"$tmp/gate.log" 2>&1
[ $? -eq 2 ]
check "gate: what is no judgement is refused" $?

"$runner" -q -n 9000 --resume -o "$tmp/a.json" "$tmp/plan.json" >"$tmp/log"
json_holds "a resumed run adds to what is there" "$tmp/a.json" \
    'all(t["instances"] == 9000 for t in R["tests"] if t["status"] == "done") and T["CoWW"]["states"] == [{"values": [2], "count": 9000}]'

# A campaign that is killed in the middle and resumed ends with as many instances as an uninterrupted one.
"$runner" -q -n 40000 --batch 500 --seed 5 -o "$tmp/whole.json" "$tmp/plan.json" >"$tmp/log"
"$runner" -q -n 40000 --batch 500 --seed 5 -o "$tmp/k.json" "$tmp/plan.json" >"$tmp/log" &
pid=$!
wait_until grep -q '"instances":[[:space:]]*[1-9]' "$tmp/k.json"
kill -9 "$pid"
wait "$pid" 2>/dev/null
json_holds "a killed run leaves readable results" "$tmp/k.json" 'any(t["instances"] > 0 for t in R["tests"])'
"$runner" -q -n 40000 --batch 500 --seed 5 --resume -o "$tmp/k.json" "$tmp/plan.json" >"$tmp/log"
/usr/bin/python3 - "$tmp/whole.json" "$tmp/k.json" <<'PY'
import json, sys
a, b = ({t["name"]: (t["status"], t["instances"], t["batches"]) for t in json.load(open(f))["tests"]} for f in sys.argv[1:])
sys.exit(a != b)
PY
check "and resumed, it has the totals of an unbroken one" $?
json_holds "every slice is accounted for" "$tmp/k.json" \
    'all(sum(s["instances"] for s in t["slices"]) == t["instances"] for t in R["tests"] if t["status"] == "done")'
"$runner" -q --budget $budget --test CoR -o "$tmp/budget.json" "$tmp/plan.json" >"$tmp/log"
json_holds "a budget of seconds has an end, and something for each test" "$tmp/budget.json" 'all(t["instances"] > 0 for t in R["tests"])'
"$runner" -q --confidence 1e-4 --test CoWW -o "$tmp/confidence.json" "$tmp/plan.json" >"$tmp/log"
json_holds "three times the inverse of the rate" "$tmp/confidence.json" 'T["CoWW"]["instances"] >= 30000'
"$runner" -q --kind gpu --test Co --batch 2000 -n 20000 -o "$tmp/gpu.json" "$tmp/plan.json" >"$tmp/log"
json_holds "the layout for GPUs counts every instance" "$tmp/gpu.json" \
    'all(sum(s["count"] for s in t["states"]) == t["instances"] == 20000 for t in R["tests"] if t["status"] == "done")'

# Drivers that hang, crash or reject a kernel cost one test each.
/usr/bin/python3 - "$tmp/plan.json" "$tmp/bad.json" <<'PY'
import json, sys
p = json.load(open(sys.argv[1]))
t = {t["name"]: t for t in p["tests"]}
def change(name, code):
    k = t[name]["kernel"]
    t[name]["kernel"] = k.replace("    uint refcl_clusters", code + "    uint refcl_clusters", 1)
change("CoWW", "    while (atomic_add((volatile global int *)refcl_m0, 0) < 1000000) ;\n")
change("CoRR", "    *(volatile global int *)8 = 1;\n")
change("CoWR", "    this is no kernel;\n")
p["tests"] = [t["CoRW"], t["CoWW"], t["CoRR"], t["CoWR"], t["both-flags"]]
json.dump(p, open(sys.argv[2], "w"))
PY
# A sanitizer would turn the signal into an exit code.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:handle_segv=0 TSAN_OPTIONS=${TSAN_OPTIONS:-}:handle_segv=0 \
    "$runner" -n 1000 --timeout "$hang" -o "$tmp/bad-results.json" "$tmp/bad.json" >"$tmp/log" 2>/dev/null
[ $? -eq 1 ]
check "failed tests: exit code 1" $?
json_holds "a hang is a timeout" "$tmp/bad-results.json" 'T["CoWW"]["status"] == "timeout"'
json_holds "a crash is recorded" "$tmp/bad-results.json" 'T["CoRR"]["status"] == "crashed" and "signal" in T["CoRR"]["reason"]'
json_holds "a kernel that does not build fails with the log" "$tmp/bad-results.json" \
    'T["CoWR"]["status"] == "failed" and "does not build" in T["CoWR"]["reason"]'
json_holds "the campaign continues" "$tmp/bad-results.json" \
    'T["CoRW"]["status"] == "done" and T["both-flags"]["status"] == "done"'
"$refcl" litmus judge "$tmp/bad-results.json" >"$tmp/judged.log"
[ $? -eq 3 ]
check "what did not finish is unknown, not clean: exit code 3" $?

# Shards cover the plan, each test once.
"$runner" -q -n 10 --shard 1/2 -o "$tmp/s1.json" "$tmp/plan.json" >"$tmp/log"
"$runner" -q -n 10 --shard 2/2 -o "$tmp/s2.json" "$tmp/plan.json" >"$tmp/log"
/usr/bin/python3 - "$tmp/plan.json" "$tmp/s1.json" "$tmp/s2.json" <<'PY'
import json, sys
names = [sorted(t["name"] for f in fs for t in json.load(open(f))["tests"]) for fs in (sys.argv[1:2], sys.argv[2:])]
sys.exit(names[0] != names[1])
PY
check "shards" $?
"$refcl" litmus merge -o "$tmp/all.json" "$tmp/s1.json" "$tmp/s2.json"
json_holds "merged, they are the whole" "$tmp/all.json" \
    'sorted(t["instances"] for t in R["tests"] if t["status"] == "done")[0] == 10 and len(R["tests"]) == 37'
"$refcl" litmus merge -o "$tmp/twice.json" "$tmp/all.json" "$tmp/all.json"
json_holds "what is given twice counts once" "$tmp/twice.json" \
    'all(sum(s["count"] for s in t["states"]) == t["instances"] == 10 for t in R["tests"] if t["status"] == "done")'
${CC:-cc} -o "$tmp/alone" litmus/run/*.c litmus/run/vk/*.c -lOpenCL -lcjson -ldl && "$tmp/alone" --list | grep -qi portable
check "the runner builds with nothing but a compiler, libOpenCL and cJSON" $?
echo '{"format": "something else"}' >"$tmp/no.json"
"$runner" -o "$tmp/x.json" "$tmp/no.json" 2>/dev/null
[ $? -eq 2 ]
check "what is no plan is refused" $?
sed 's/"version":[[:space:]]*2/"version": 1/' "$tmp/plan.json" >"$tmp/old.json"
"$runner" -o "$tmp/x.json" "$tmp/old.json" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'version 1' "$tmp/err"
check "so is a plan of another version" $?
head -c 3000 "$tmp/plan.json" >"$tmp/half.json"
"$runner" -o "$tmp/x.json" "$tmp/half.json" 2>/dev/null
[ $? -eq 2 ]
check "and half a plan" $?
done_testing
