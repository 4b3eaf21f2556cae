#!/bin/bash
# Tests with the atomics of OpenCL 1.2 and mem_fence, on refcl with weak memory: acquire and release within
# the work-group hold, relaxed atomics have the outcomes that the model allows, and tests without such a form
# are skipped.
set -u
cd "$(dirname "$0")/../.." || exit 4
. tests/lib/litmus.sh
scopes=litmus/suite/generated-scopes
"$refcl" litmus plan -o "$tmp/plan.json" "$scopes/MP+rlx.wg-rel.wg+acq.wg-rlx.wg@0a0b.gg.litmus" \
    "$scopes/LB+rlx.wg-rel.wg+acq.wg-rlx.wg@0a0b.gg.litmus" litmus/suite/message-passing/MP+rel+acq.litmus \
    litmus/suite/store-buffering/SB+sc.litmus "litmus/suite/generated-relaxed/MP+rlx.dev-rlx.dev+rlx.dev-rlx.dev@0a1a.gg.litmus"
check "plan" $?
on_refcl REFCL_MEMORY=weak REFCL_SEED=1 "$runner" -q --legacy -n 3000 -o "$tmp/r.json" "$tmp/plan.json" >"$tmp/log" 2>&1
check "run" $?
"$refcl" litmus judge --json "$tmp/j.json" "$tmp/r.json" >"$tmp/judged"
check "no state that the model forbids" $?
json_holds "acquire and release for the work-group are a relaxed access and a fence" "$tmp/j.json" \
    'all(t["status"] == "done" and t["positive"] == 0 for n, t in T.items() if "rel.wg" in n)'
json_holds "relaxed atomics are weak" "$tmp/j.json" 'T["MP+rlx.dev-rlx.dev+rlx.dev-rlx.dev@0a1a.gg"]["positive"] > 0'
json_holds "device scope and seq_cst have no form" "$tmp/j.json" \
    'all(T[n]["status"] == "skipped" and "the device lacks atomic_order" in T[n]["reason"] for n in ("MP+rel+acq", "SB+sc"))'
grep -q '^Not run   1  skipped: the device lacks atomic_order_seq_cst' "$tmp/judged"
check "which the judgement counts" $?
done_testing
