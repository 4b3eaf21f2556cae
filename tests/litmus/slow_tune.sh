#!/bin/bash
# The tuner: its output, and the use of that in later runs, on refcl with weak memory and on PoCL.
set -u
cd "$(dirname "$0")/../.." || exit 4
. tests/lib/litmus.sh
"$refcl" litmus plan -o "$tmp/plan.json" litmus/suite/message-passing litmus/suite/store-buffering litmus/suite/load-buffering
check "plan" $?
# Trials with a fixed number of instances give the same results on machines of any speed.
on_weak() { on_refcl REFCL_MEMORY=weak REFCL_SEED=1 XDG_CONFIG_HOME="$tmp/config" REFCL_CACHE_DIR="$tmp/cache" "$@"; }
on_weak "$runner" --tune -n 200 "$tmp/plan.json" >"$tmp/log" 2>&1
check "tunes on refcl" $?
saved=$(tail -n 1 "$tmp/log")
[ "$(dirname "$saved")" = "$tmp/config/refcl/tunings" ] && [ -f "$saved" ]
check "and saves that where later runs find it" $?
json_holds "with the device, the knobs and what they show" "$saved" \
    'R["format"] == "refcl-litmus-tuning" and R["device"]["platform"] == "refcl" and len(R["knobs"]) >= 10 and R["score"] > 0'
grep -q '^16 settings, 200 instances each' "$tmp/log" && grep -q '1 stay' "$tmp/log"
check "from sixteen settings to one" $?
/usr/bin/python3 - "$saved" <<'PY'
import json, sys
t = json.load(open(sys.argv[1]))
t["knobs"] = {"stride": 7, "rotate": 0}
json.dump(t, open(sys.argv[1], "w"))
PY
# The runner's records do not contain knobs; a batch reports them to its parent, and a knob that does not
# exist is refused.
on_weak "$runner" -q -n 500 --test MP -o "$tmp/r.json" "$tmp/plan.json" >"$tmp/log" 2>&1
check "a later run takes it" $?
sed -i 's/"stride"/"strode"/' "$saved"
on_weak "$runner" -q -n 500 --test MP -o "$tmp/r.json" "$tmp/plan.json" >"$tmp/log" 2>&1
check "unknown knobs are let be" $?
echo '{"format": "refcl-litmus-tuning", "knobs": {"stride": -1}}' >"$saved"
on_weak "$runner" -q -n 500 --test MP -o "$tmp/r.json" "$tmp/plan.json" >"$tmp/log" 2>&1
[ $? -eq 2 ] && grep -q 'tuning' "$tmp/log"
check "values that no knob has are refused" $?
on_weak "$runner" -q -n 500 --test MP --tuning none -o "$tmp/r.json" "$tmp/plan.json" >"$tmp/log" 2>&1
check "unless no tuning is asked for" $?
# No outcome, no tuning: coherence tests ask about forbidden outcomes; refcl without weak memory has no weak
# ones.
"$refcl" litmus plan -o "$tmp/coherence.json" litmus/suite/coherence
on_weak "$runner" --tune -n 200 -o "$tmp/none.json" "$tmp/coherence.json" >"$tmp/log" 2>&1
[ $? -eq 2 ] && [ ! -e "$tmp/none.json" ] && grep -q 'no test of the plan that asks about an outcome' "$tmp/log"
check "a plan that asks only about what must not be is no plan for tuning" $?
"$refcl" litmus plan -o "$tmp/iriw.json" "litmus/suite/generated-relaxed/IRIW+rlx.dev+rlx.dev-rlx.dev+rlx.dev+rlx.dev-rlx.dev@0a1a2a3a.gg.litmus"
on_refcl REFCL_ENGINE=interp "$runner" --tune \
    --budget 1 -o "$tmp/none.json" "$tmp/iriw.json" >"$tmp/log" 2>&1
[ $? -eq 1 ] && [ ! -e "$tmp/none.json" ] && grep -q 'nothing is saved' "$tmp/log" && grep -q '^16 settings, [0-9.]* s each' "$tmp/log"
check "a device without outcomes is reported, and no setting saved" $?
# The most informative tests of the plan are taken, wherever they are in it.
"$refcl" litmus plan -o "$tmp/late.json" litmus/suite/coherence litmus/suite/message-passing litmus/suite/generated-relaxed
on_weak "$runner" --tune -n 200 --batch 200 -o "$tmp/late-tuning.json" "$tmp/late.json" >"$tmp/log" 2>&1
check "a plan whose last tests are the informative ones" $?
json_holds "shows their outcomes" "$tmp/late-tuning.json" 'R["score"] > 0'
vendors=${REFCL_POCL_ICD:-/etc/OpenCL/vendors/pocl.icd}
if [ -e "$vendors" ]; then
    OCL_ICD_VENDORS=$vendors "$runner" --tune -n 100000 -o "$tmp/pocl.json" "$tmp/plan.json" >"$tmp/log" 2>&1
    code=$?
    if [ "$code" -eq 1 ]; then # few cores, or slow ones
        grep -q 'nothing is saved' "$tmp/log"
        check "PoCL has no outcomes, which is reported" $?
    else
        check "tunes on PoCL" "$code"
        json_holds "and says for which driver" "$tmp/pocl.json" '"Portable" in R["device"]["platform"] and R["score"] > 0'
    fi
else
    skip "tunes on PoCL" "no PoCL"
fi
done_testing
