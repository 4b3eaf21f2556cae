#!/bin/sh
# A thread that queries another one's event flushes the queue after the command is enqueued, not before.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
folder=$(mktemp -d "${TMPDIR:-/tmp}/refcl-test.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
${CC:-cc} -shared -fPIC -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 -o "$folder/late.so" tests/litmus/late_enqueue.c -ldl || exit 1
"$BUILD/refcl" litmus plan -o "$folder/plan.json" litmus/suite/host-query/query-another-thread.litmus >/dev/null || exit 1
OCL_ICD_VENDORS="$PWD/$BUILD/librefcl.so" LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$folder/late.so" \
    "$BUILD/refcl-litmus-run" -n 20 -o "$folder/results.json" "$folder/plan.json" >"$folder/log" 2>&1
if grep -q '^1 run, 0 skipped, 0 failed; 20 instances' "$folder/log"; then
    echo "ok 1 - the queue is flushed before the query"
else
    echo "not ok 1 - the queue is flushed before the query"
    sed 's/^/# /' "$folder/log"
fi
echo "1..1"
