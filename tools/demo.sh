#!/bin/bash
# The main workflow, end to end: decides the litmus suite under the model, runs it on refcl, judges the
# outcomes, runs message passing on a Vulkan device if there is one, then debugs a racy kernel.  Ends with a
# readable report; $BUILD/demo has the JSON.
set -u
cd "$(dirname "$0")/.." || exit 4
BUILD=${BUILD:-build}
refcl=$BUILD/refcl
out=$BUILD/demo
mkdir -p "$out"
step() { printf '\n== %s\n' "$*"; }
must() { # must CODE COMMAND...: the exit code is part of what the demo shows
    want=$1
    shift
    "$@"
    code=$?
    [ $code -eq "$want" ] && return
    echo "demo: '$*' ended with $code, expected $want" >&2
    exit 1
}

step "What the OpenCL memory model says of the litmus suite ($(find litmus/suite -name '*.litmus' | wc -l) tests)"
must 0 $refcl litmus check --verify --json "$out/check.json" litmus/suite | tee "$out/check.txt" | tail -n 12
[ "${PIPESTATUS[0]}" -eq 0 ] || exit 1
echo "(all of it: $out/check.txt, $out/check.json)"

step "The same tests on refcl, many instances each, judged by the model"
must 0 $refcl litmus run --output "$out/results.json" litmus/suite >"$out/run.log"
tail -n 3 "$out/run.log"
must 0 $refcl litmus judge --json "$out/judge.json" "$out/results.json" >"$out/judge.txt"
tail -n 15 "$out/judge.txt"

step "Message passing on a Vulkan device, translated, judged by vulkan.cat"
"$BUILD/refcl-litmus-run" --vulkan --list >"$out/vulkan.log" 2>&1
if grep -m 1 '^device' "$out/vulkan.log"; then
    must 0 $refcl litmus run --vulkan -n 20000 --output "$out/vulkan.json" litmus/suite/message-passing >>"$out/vulkan.log" 2>&1
    must 0 $refcl litmus judge "$out/vulkan.json" >"$out/vulkan.txt"
    tail -n 2 "$out/vulkan.txt"
else
    echo "not run: $(tail -n 1 "$out/vulkan.log")"
fi

step "An ordinary OpenCL program with a racy kernel, debugged: refcl run -- racy_histogram"
must 1 $refcl run --json "$out/report.json" -- "$BUILD/tests/clients/racy_histogram" tests/clients/racy_histogram.cl
must 0 /usr/bin/python3 tools/validate.py tools/schema/report.schema.json "$out/report.json"
must 0 /usr/bin/python3 tools/validate.py tools/schema/litmus.schema.json "$out/check.json"
echo
echo "Reports as JSON, valid by their schemas: $out/report.json, $out/check.json"
