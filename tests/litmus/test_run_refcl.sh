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
import json, os, sys
tests = json.load(open(sys.argv[1]))["tests"]
skipped = [t["reason"] for t in tests if t["status"] != "done"]
images = sum("image" in r for r in skipped)  # of host programs
kernels = [t for t in tests if "/images/" in t["file"] and t["status"] == "done"]
good = all(any(w in r for w in ("two devices", "two_devices", "svm_system", "same barriers", "scope is the work-item", "image")) for r in skipped)
sys.exit(0 if good and images < 14 and (len(kernels) > 23 or os.environ.get("REFCL_GENERATED_TESTS")) and len(skipped) - images < 20 and sum(t["instances"] for t in tests) > 10000 else 1)
PY
check "all ran but host programs with images, those for two devices, for system SVM, for crossed barriers and for work-item scope" $?

# A host test fails for any finding beside states of memory, with that as its reason; no correct test has one.
if [ -z "${REFCL_GENERATED_TESTS:-}" ]; then
    "$runner" -q -n 10 --test then-flag --exact --variant "a setting" -o "$tmp/variant.json" "$tmp/plan.json" >/dev/null &&
        grep -q '"driver":.*, a setting"' "$tmp/variant.json"
    check "--variant: settings that the driver does not report are in its version" $?
    "$refcl" litmus plan -o "$tmp/plan.json" litmus/suite/host-event/event-of-kernel.litmus litmus/suite/host-event/event-of-copy.litmus
    check "plan of host tests" $?
    for fault in '' profiling-disorder; do
        REFCL_FAULT=$fault "$runner" -q -n 40 --batch 20 -o "$tmp/$fault.json" "$tmp/plan.json" >"$tmp/log"
        [ $? -eq $((0${fault:+ + 1})) ]
        check "run of host tests with ${fault:-no fault}" $?
        /usr/bin/python3 - "$tmp/$fault.json" "$fault" <<'PY'
import json, sys
tests = json.load(open(sys.argv[1]))["tests"]
reasons = [t.get("reason", "") for t in tests]
said = "profiling: a command's times are not in the order queued, submitted, started, ended"
print("#", [t["status"] for t in tests], reasons)
good = all(said in r for r in reasons) if sys.argv[2] else not any(reasons) and all(t["status"] == "done" for t in tests)
sys.exit(0 if good and len(tests) == 2 else 1)
PY
        check "the reasons with ${fault:-no fault}" $?
    done
fi
done_testing
