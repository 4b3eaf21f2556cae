#!/bin/bash
# The whole suite on refcl's own ICD: every test runs, and no state is one that the model forbids.
set -u
cd "$(dirname "$0")/../.." || exit 4
BUILD=${BUILD:-build}
refcl=$PWD/$BUILD/refcl
runner=$PWD/$BUILD/refcl-litmus-run
if [ ! -x "$refcl" ] || [ ! -x "$runner" ] || [ ! -e "$BUILD/librefcl.so" ] || [ ! -x "$BUILD/refcl-compiler" ]; then
    echo "ok 1 - run on refcl # SKIP refcl is not built"
    exit 0
fi
export OCL_ICD_VENDORS=$PWD/$BUILD/refcl.icd OCL_ICD_FILENAMES=$PWD/$BUILD/librefcl.so
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
number=0 failures=0
check() { # NAME STATUS
    number=$((number + 1))
    if [ "$2" -eq 0 ]; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        failures=$((failures + 1))
    fi
}
"$refcl" litmus plan -o "$tmp/plan.json" litmus/suite
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
skipped = [t["name"] for t in tests if t["status"] != "done"]
sys.exit(0 if skipped == ["MP+dev-two-devices"] and sum(t["instances"] for t in tests) > 10000 else 1)
PY
check "all but the test for two devices ran" $?
echo "1..$number"
[ "$failures" -eq 0 ]
