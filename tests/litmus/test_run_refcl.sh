#!/bin/bash
# The hand-written suite on refcl's own ICD: every test runs, and no state is one that the model forbids.
# The generated tests are in slow_run_refcl.sh.
set -u
cd "$(dirname "$0")/../.." || exit 4
. tests/lib/litmus.sh
export "${refcl_icd[@]}"
if [ -n "${REFCL_GENERATED_TESTS:-}" ]; then
    folders=(litmus/suite/generated-*)
else
    folders=()
    for folder in litmus/suite/*/; do
        [[ $folder == */generated-* ]] || folders+=("$folder")
    done
fi
"$refcl" litmus plan -o "$tmp/plan.json" "${folders[@]}"
check "plan" $?
"$runner" -q -n 400 --batch 200 -o "$tmp/results.json" "$tmp/plan.json" >"$tmp/log"
check "run" $?
"$refcl" litmus judge --json "$tmp/judged.json" "$tmp/results.json" >"$tmp/judged.log"
check "no state that the model forbids" $?
/usr/bin/python3 tools/validate.py tools/schema/judgement.schema.json "$tmp/judged.json"
check "the judgement fits its schema" $?
/usr/bin/python3 - "$tmp/judged.json" <<'PY'
import json, sys
tests = json.load(open(sys.argv[1]))["tests"]
skipped = [t["reason"] for t in tests if t["status"] != "done"]
good = all(any(w in r for w in ("two devices", "two_devices", "svm_system", "same barriers", "scope is the work-item")) for r in skipped)
sys.exit(0 if good and len(skipped) < 20 and sum(t["instances"] for t in tests) > 10000 else 1)
PY
check "all ran but those for two devices, for system SVM, for crossed barriers and for work-item scope" $?
done_testing
