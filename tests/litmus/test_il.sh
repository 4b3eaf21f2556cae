#!/bin/bash
# Kernels as SPIR-V in a plan: tests have the same results on refcl; a device without SPIR-V skips them.
set -u
cd "$(dirname "$0")/../.." || exit 4
. tests/lib/litmus.sh
suite=litmus/suite
tests=("$suite/barriers" "$suite/message-passing/MP+rel+acq.litmus" "$suite/host-in-order/in-order-far.litmus"
    "$suite/host-kernel-end/end-all-work-items.litmus")
"$refcl" litmus plan --il -o "$tmp/plan.json" "${tests[@]}"
check "plan" $?
/usr/bin/python3 tools/validate.py tools/schema/plan.schema.json "$tmp/plan.json"
check "the plan fits its schema" $?
json_holds "all tests with kernels have SPIR-V" "$tmp/plan.json" \
    'all("il" in t for t in R["tests"] if t.get("kernel")) and any(t.get("host") and "il" in t for t in R["tests"])'
json_holds "which begins with its magic number" "$tmp/plan.json" \
    'all(__import__("base64").b64decode(t["il"]["spirv"], validate=True)[:4] == b"\x03\x02\x23\x07" for t in R["tests"] if "il" in t)'
# Without their OpenCL C, kernels can only be created from SPIR-V.
/usr/bin/python3 - "$tmp/plan.json" "$tmp/bare.json" <<'PY'
import json, sys
plan = json.load(open(sys.argv[1]))
for t in plan["tests"]:
    if "kernel" in t:
        t["kernel"] = "this is no kernel"
json.dump(plan, open(sys.argv[2], "w"))
PY
on_refcl "$runner" -q --il -n 300 -o "$tmp/r.json" "$tmp/bare.json" >"$tmp/log" 2>&1
check "they run on refcl" $?
json_holds "each of them, every instance" "$tmp/r.json" \
    'all(t["status"] == "done" and sum(s["count"] for s in t["states"]) == t["instances"] == 300 for t in R["tests"])'
"$refcl" litmus judge "$tmp/r.json" >"$tmp/judged"
check "with allowed states only" $?
on_refcl "$runner" -q --il --kind gpu --batch 500 -n 1000 --test both-flags -o "$tmp/g.json" "$tmp/bare.json" >"$tmp/log" 2>&1
check "counted on the device too" $?
json_holds "every instance" "$tmp/g.json" 'all(sum(s["count"] for s in t["states"]) == t["instances"] >= 1000 for t in R["tests"])'
/usr/bin/python3 - "$tmp/plan.json" "$tmp/broken.json" <<'PY'
import json, sys
plan = json.load(open(sys.argv[1]))
for t in plan["tests"]:
    if "il" in t:
        t["il"]["spirv"] = t["il"]["spirv"][:40]
json.dump(plan, open(sys.argv[2], "w"))
PY
on_refcl "$runner" -q --il -n 10 -o "$tmp/b.json" "$tmp/broken.json" >"$tmp/log" 2>&1
[ $? -eq 1 ]
check "half a module fails its test: exit code 1" $?
json_holds "and is reported as such" "$tmp/b.json" 'all(t["status"] == "failed" and t["reason"] for t in R["tests"])'
"$refcl" litmus plan -o "$tmp/none.json" "${tests[1]}"
on_refcl "$runner" -q --il -n 10 -o "$tmp/n.json" "$tmp/none.json" >"$tmp/log" 2>&1
check "a plan without SPIR-V is skipped" $?
json_holds "with that reason" "$tmp/n.json" 'all(t["status"] == "skipped" and "--il" in t["reason"] for t in R["tests"])'
pocl=${REFCL_POCL_ICD:-/etc/OpenCL/vendors/pocl.icd}
if [ -e "$pocl" ]; then
    OCL_ICD_VENDORS=$pocl "$runner" -q --il -n 10 -o "$tmp/p.json" "$tmp/plan.json" >"$tmp/log" 2>&1
    json_holds "a device without SPIR-V is reported" "$tmp/p.json" \
        'all(t["status"] == "done" for t in R["tests"]) or all("takes no SPIR-V" in t["reason"] for t in R["tests"])'
else
    skip "a device without SPIR-V is reported" "no PoCL"
fi
done_testing
