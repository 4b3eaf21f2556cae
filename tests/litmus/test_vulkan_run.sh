#!/bin/bash
# A small campaign on a Vulkan device: lavapipe in CI.  Without a driver the runner says so.
set -u
cd "$(dirname "$0")/../.." || exit 4
. tests/lib/litmus.sh
suite=litmus/suite
tests=("$suite/barriers" "$suite/message-passing" "$suite/store-buffering" "$suite/rmw" "$suite/coherence")
"$refcl" litmus plan --vulkan -o "$tmp/plan.json" "${tests[@]}"
check "plan" $?
"$refcl" litmus plan -o "$tmp/opencl.json" "$suite/store-buffering"
"$runner" --vulkan -o "$tmp/n.json" "$tmp/opencl.json" >"$tmp/log" 2>&1
[ $? -eq 2 ] && grep -q "plan is for OpenCL" "$tmp/log"
check "a plan for OpenCL is refused with --vulkan" $?
VK_DRIVER_FILES=$tmp/none.json VK_ICD_FILENAMES=$tmp/none.json "$runner" -n 10 -o "$tmp/n.json" "$tmp/plan.json" >"$tmp/log" 2>&1
[ $? -eq 2 ] && grep -qE "no Vulkan (driver|loader)|no such Vulkan device|without the headers of Vulkan" "$tmp/log"
check "without a driver: exit code 2, and what is missing" $?
if ! "$runner" --vulkan --list | grep -q '^device'; then
    skip "a campaign" "no Vulkan driver"
    done_testing
fi
"$runner" -q -n 3000 --batch 1000 --timeout 60 -o "$tmp/r.json" "$tmp/plan.json" >"$tmp/log" 2>&1
check "a campaign" $? || sed 's/^/# /' "$tmp/log"
/usr/bin/python3 tools/validate.py tools/schema/results.schema.json "$tmp/r.json"
check "its results fit their schema" $?
json_holds "every instance is counted" "$tmp/r.json" \
    'all(sum(s["count"] for s in t["states"]) + t["discarded"] == t["instances"] + t["discarded"] >= 3000
         for t in R["tests"] if t["status"] == "done")'
json_holds "tests are done, or skipped with a reason" "$tmp/r.json" \
    'sum(t["status"] == "done" for t in R["tests"]) > 25 and all(t["status"] == "done" or t["status"] == "skipped" and t["reason"]
         for t in R["tests"])'
"$refcl" litmus judge --json "$tmp/j.json" --table "$tmp/table.json" "$tmp/r.json" >"$tmp/judged"
check "no state is forbidden by vulkan.cat" $? || grep -A3 FORBIDDEN "$tmp/judged" | sed 's/^/# /'
grep -q '^model: .*vulkan.cat' "$tmp/judged"
check "which is the model for a Vulkan device" $?
"$refcl" litmus judge --switch chains=on "$tmp/r.json" >"$tmp/chains"
check "nor with availability and visibility chains" $?
! "$refcl" litmus judge --switch chains=perhaps "$tmp/r.json" >"$tmp/chains" 2>&1
check "an unknown variant of the model is refused" $?
"$refcl" litmus judge "$tmp/table.json" >"$tmp/again"
check "the table is judged alike" $?
[ "$(grep '^Verdict' "$tmp/judged")" = "$(grep '^Verdict' "$tmp/again")" ]
check "test by test: texts are translated again" $?
# Rounds, stress, gates, as on a GPU.
"$runner" -q --kind gpu -n 20000 --batch 4096 --test MP --knob align=32 --knob stress_every=5 --knob before=8 --knob rotate=1 \
    --timeout 60 -o "$tmp/g.json" "$tmp/plan.json" >"$tmp/log" 2>&1
check "laid out as on a GPU" $? || sed 's/^/# /' "$tmp/log"
json_holds "every instance is counted" "$tmp/g.json" \
    'all(sum(s["count"] for s in t["states"]) == t["instances"] >= 20000 for t in R["tests"] if t["status"] == "done")'
"$refcl" litmus judge "$tmp/g.json" >"$tmp/judged"
check "no state is forbidden" $? || grep -A3 FORBIDDEN "$tmp/judged" | sed 's/^/# /'
"$refcl" litmus run --vulkan -q -n 1000 --timeout 60 -o "$tmp/c.json" "$suite/message-passing/MP+rel+acq.litmus" >"$tmp/log" 2>&1
check "refcl litmus run --vulkan" $? || sed 's/^/# /' "$tmp/log"
# Half a module: the driver may crash of it, and the next test runs.
/usr/bin/python3 - "$tmp/plan.json" "$tmp/broken.json" <<'PY'
import json, sys
plan = json.load(open(sys.argv[1]))
plan["tests"] = [t for t in plan["tests"] if "vulkan" in t][:2]
plan["tests"][0]["vulkan"] = plan["tests"][0]["vulkan"][:402]
json.dump(plan, open(sys.argv[2], "w"))
PY
"$runner" -q -n 1000 -o "$tmp/b.json" "$tmp/broken.json" >"$tmp/log" 2>&1
[ $? -eq 1 ]
check "half a module fails its test: exit code 1" $?
json_holds "and no other" "$tmp/b.json" \
    'R["tests"][0]["status"] in ("failed", "crashed") and R["tests"][0]["reason"] and R["tests"][1]["status"] == "done"'
done_testing
