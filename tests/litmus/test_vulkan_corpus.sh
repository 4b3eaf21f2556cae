#!/bin/bash
# The public Vulkan litmus tests on a Vulkan device: lavapipe in CI.  The corpus is not part of the repository.
set -u
cd "$(dirname "$0")/../.." || exit 4
. tests/lib/litmus.sh
corpus=${REFCL_CORPUS:-../shared/corpus}/litmus/VULKAN
[ -d "$corpus" ] || { skip "the public Vulkan tests" "no corpus"; done_testing; }
"$refcl" litmus plan --vulkan -o "$tmp/plan.json" "$corpus"
check "plan" $?
cat >"$tmp/reasons" <<'END'
barriers of some of the threads
an alias in storage class 1
a location that is accessed in several storage classes
memory of storage class 1 that several work-groups share
threads of a work-group that do not execute the same barriers
two queue families
memory of storage class 3, the output of other stages than compute shaders
END
/usr/bin/python3 - "$tmp/plan.json" "$tmp/reasons" <<'PY'
import collections, json, sys
tests = json.load(open(sys.argv[1]))["tests"]
known = ["needs " + line.strip() for line in open(sys.argv[2])]
reasons = collections.Counter(t["skip"] for t in tests if "skip" in t)
for reason, count in reasons.items():
    print(f"# {count}: {reason}")
sys.exit(any(reason not in known for reason in reasons) or sum("vulkan" in t for t in tests) < 80)
PY
check "all but those that a compute shader cannot express have a module" $?
"$runner" --vulkan --list | grep -q '^device' || { skip "a campaign" "no Vulkan driver"; done_testing; }
"$runner" -q -n 2000 --batch 1000 --timeout 60 -o "$tmp/r.json" "$tmp/plan.json" >"$tmp/log" 2>&1
check "a campaign" $? || sed 's/^/# /' "$tmp/log"
for chains in off on; do
    "$refcl" litmus judge --switch chains=$chains --json "$tmp/j.json" "$tmp/r.json" >"$tmp/judged"
    [ $? -ne 1 ] && /usr/bin/python3 -c '
import json, sys
ran = [t for t in json.load(open(sys.argv[1]))["tests"] if t["verdict"] != "not-run"]
counts = [t["positive"] + t["negative"] + t.get("filtered", 0) == t["instances"] >= 2000 for t in ran]
sys.exit(len(ran) < 80 or not all(counts) or not any(t.get("filtered") for t in ran)
         or any(t["verdict"] == "forbidden" for t in ran))' "$tmp/j.json"
    check "chains $chains: no state is forbidden, and what a filter excludes is counted apart" $? || grep -A3 FORBIDDEN "$tmp/judged" | sed 's/^/# /'
done
done_testing
