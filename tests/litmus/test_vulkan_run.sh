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
# Instances per launch, stress and gates, as on a GPU.
"$runner" -q --kind gpu -n 20000 --batch 4096 --test MP --knob align=32 --knob stress_every=5 --knob before=8 --knob rotate=1 \
    --timeout 60 -o "$tmp/g.json" "$tmp/plan.json" >"$tmp/log" 2>&1
check "laid out as on a GPU" $? || sed 's/^/# /' "$tmp/log"
json_holds "every instance is counted" "$tmp/g.json" \
    'all(sum(s["count"] for s in t["states"]) == t["instances"] >= 20000 for t in R["tests"] if t["status"] == "done")'
"$refcl" litmus judge "$tmp/g.json" >"$tmp/judged"
check "no state is forbidden" $? || grep -A3 FORBIDDEN "$tmp/judged" | sed 's/^/# /'
"$refcl" litmus run --vulkan -q -n 1000 --timeout 60 -o "$tmp/c.json" "$suite/message-passing/MP+rel+acq.litmus" >"$tmp/log" 2>&1
check "refcl litmus run --vulkan" $? || sed 's/^/# /' "$tmp/log"
"$refcl" litmus run --vulkan --mapping families --one-queue --wide --pointers --silence 60 -q -n 1000 -o "$tmp/c.json" \
    "$suite/message-passing/MP+rel+acq.litmus" >"$tmp/log" 2>&1
check "with two queue families, 64-bit locations and pointers" $? || sed 's/^/# /' "$tmp/log"
json_holds "as the results say" "$tmp/c.json" \
    'R["tests"][0]["mapping"] == "families" and R["tests"][0]["status"] == "done" and "--one-queue" in R["settings"]'
# Work-groups of an instance in two queue families: on two queues, or with --one-queue on one.
"$refcl" litmus plan --vulkan --mapping families -o "$tmp/families.json" "${tests[@]}"
check "plan with two queue families" $?
cat >"$tmp/families.py" <<'PY'
import json, sys
plan, results = (json.load(open(f)) for f in sys.argv[1:3])
both = {t["name"] for t in plan["tests"] if len(t.get("family_groups", [])) == 2}
has = results["device"]["two_queue_families"] or sys.argv[3] == "one"
wrong = [t["name"] for t in results["tests"] if t["name"] in both and
         (t["status"] != "done" if has else t.get("reason") != "the device lacks two_queue_families")]
sys.exit(len(both) < 20 or bool(wrong))
PY
for queues in "" one; do
    "$runner" -q -n 2000 --batch 500 --timeout 60 ${queues:+--one-queue} -o "$tmp/f.json" "$tmp/families.json" >"$tmp/log" 2>&1
    check "they run ${queues:+on one queue}" $? || sed 's/^/# /' "$tmp/log"
    /usr/bin/python3 "$tmp/families.py" "$tmp/families.json" "$tmp/f.json" "$queues"
    check "all of them, or none with the reason" $?
    "$refcl" litmus judge "$tmp/f.json" >"$tmp/judged"
    check "no state is forbidden" $? || grep -A3 FORBIDDEN "$tmp/judged" | sed 's/^/# /'
done
json_holds "the launches of both families take part: threads see the others' values" "$tmp/f.json" \
    'any(t["name"] == "MP+rlx+rlx" and sum(s["count"] for s in t["states"] if 1 in s["values"]) > 0 for t in R["tests"])'
# 64-bit atomics, and memory behind addresses.
for options in --wide --pointers "--wide --pointers"; do
    # shellcheck disable=SC2086
    "$refcl" litmus plan --vulkan $options -o "$tmp/p.json" "${tests[@]}" "$suite/regions"
    check "plan $options" $?
    /usr/bin/python3 tools/validate.py tools/schema/plan.schema.json "$tmp/p.json"
    check "it fits its schema" $?
    "$runner" -q -n 2000 --batch 1000 --timeout 60 -o "$tmp/p-results.json" "$tmp/p.json" >"$tmp/log" 2>&1
    check "a campaign" $? || sed 's/^/# /' "$tmp/log"
    "$refcl" litmus judge "$tmp/p-results.json" >"$tmp/judged"
    check "no state is forbidden" $? || grep -A3 FORBIDDEN "$tmp/judged" | sed 's/^/# /'
    json_holds "most tests run" "$tmp/p-results.json" 'sum(t["status"] == "done" for t in R["tests"]) > 25'
done
# Storage class 2: texels, by atomics and plain accesses.
cat >"$tmp/texels.litmus" <<'END'
VULKAN texels
{ x = 0; w = 0; v = 0; }
 P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;
 st.nonpriv.sc2 v, 5 | ld.atom.acq.dv.sc0.semsc0.semsc2.semvis r0, x ;
 rmw.atom.dv.sc2.add r2, w, 2 | ld.atom.dv.sc2 r1, w ;
 st.atom.rel.dv.sc0.semsc0.semsc2.semav x, 1 | rmw.atom.dv.sc2.add r3, w, 1 ;
 ld.nonpriv.sc2 r4, v | ;
exists (P1:r0 == 1 /\ P1:r1 == 0 /\ w == 3 /\ v == 5 /\ P0:r4 == 5)
END
"$refcl" litmus plan --vulkan -o "$tmp/texels.json" "$tmp/texels.litmus"
"$runner" -q -n 20000 --batch 1000 --timeout 60 -o "$tmp/t.json" "$tmp/texels.json" >"$tmp/log" 2>&1
check "texels" $? || sed 's/^/# /' "$tmp/log"
"$refcl" litmus judge --json "$tmp/t-judged.json" "$tmp/t.json" >"$tmp/judged" && grep -q '^1 allowed' "$tmp/judged"
check "their states are allowed" $? || sed 's/^/# /' "$tmp/judged"
# An endless loop: llvmpipe leaves it after a number of iterations, and a real device is stopped.
cat >"$tmp/loop.litmus" <<'END'
VULKAN loop
{ x = 0; }
 P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;
 LC00: | st.atom.dv.sc0 x, 1 ;
 ld.atom.dv.sc0 r0, x | ;
 bne r0, 2, LC00 | ;
exists (P0:r0 == 1)
END
"$refcl" litmus plan --vulkan -o "$tmp/loop.json" "$tmp/loop.litmus"
"$runner" -q -n 64 --batch 64 --timeout 20 -o "$tmp/l.json" "$tmp/loop.json" >"$tmp/log" 2>&1
[ $? -eq 1 ]
check "a loop that does not end fails its test" $?
json_holds "without results of work-items that the device ended" "$tmp/l.json" \
    'not R["tests"][0]["states"] and (R["tests"][0]["status"] == "timeout" or "no result was written by" in R["tests"][0]["reason"])'
# Tests end when their outcome has been observed, and later runs skip them.
for value in 0 1 2; do
    sed "s/^VULKAN loop/VULKAN shows-$value/; s/LC00:/membar.acq_rel.dv.semsc0/; s/ bne.*|/ |/; s/^exists.*/exists (P0:r0 == $value)/" "$tmp/loop.litmus" \
        >"$tmp/shows-$value.litmus"
done
"$refcl" litmus plan --vulkan -o "$tmp/shows.json" "$tmp"/shows-?.litmus
check "plan of tests whose outcomes are seen, or not" $?
env -u REFCL_RUN_TIMEOUT "$runner" -q -n 40000 --batch 1000 --until-seen --timeout 60 -o "$tmp/seen.json" "$tmp/shows.json" >"$tmp/log" 2>&1
check "--until-seen" $?
"$runner" -q -n 1000 --timeout 60 --unseen "$tmp/seen.json" -o "$tmp/unseen.json" "$tmp/shows.json" >"$tmp/log" 2>&1
check "--unseen" $?
/usr/bin/python3 - "$tmp/shows.json" "$tmp/seen.json" "$tmp/unseen.json" <<'PY'
import json, sys
plan, seen, unseen = (json.load(open(f)) for f in sys.argv[1:])
def shows(planned, result):
    target = planned.get("target")
    return target and any(all(t in (None, v) for t, v in zip(target, s["values"])) for s in result["states"])
pairs = list(zip(plan["tests"], seen["tests"]))
shown = {p["file"] for p, r in pairs if shows(p, r)}
print("#", len(shown), "of", len(pairs), "show their outcome")
ran = [r for p, r in pairs if r["status"] == "done"]
sys.exit(len(shown) not in (1, 2) or any(r["file"] not in shown and r["instances"] + r["discarded"] < 40000 for r in ran)
         or not any(r["instances"] < 40000 for r in ran) or {t["file"] for t in unseen["tests"]} != {p["file"] for p, _ in pairs} - shown)
PY
check "what has shown its outcome ended early, the others have all their instances, and only these run again" $?
json_holds "results say when and how" "$tmp/seen.json" \
    '__import__("re").fullmatch(r"\d{4}-\d\d-\d\d", R["date"]) and R["settings"].split() == "--iterations 40000 --batch 1000 --until-seen --timeout 60".split()'
# A truncated module: the driver may crash, and the next test runs.
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
