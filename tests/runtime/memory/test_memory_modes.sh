#!/bin/bash
# REFCL_DEBUG=memory reports moved memory; with REFCL_BUFFERS=unified nothing moves; data are the same.
# Commands on rectangles, which state the bytes that they access only where it matters, have the same results in each mode.
set -u
folder=$(mktemp -d) || exit 4
trap 'rm -rf "$folder"' EXIT
BUILD=${BUILD:-build}
run() { env REFCL_DEVICES=3 "$@" "$BUILD/tests/runtime/device/test_devices" 2>&1; }
echo "1..8"
out=$(run REFCL_DEBUG=memory)
echo "$out" | grep -qE 'refcl: memory: buffer [0-9]+ allocated \[0, [0-9]+\) on device 1' &&
    echo "ok 1 - allocations" || echo "not ok 1 - allocations"
echo "$out" | grep -qE 'refcl: memory: buffer [0-9]+ copied \[[0-9]+, [0-9]+\) from device [0-9] on device [0-9]' &&
    echo "ok 2 - transfers" || echo "not ok 2 - transfers"
out=$(run REFCL_DEBUG=memory REFCL_BUFFERS=unified)
if echo "$out" | grep -q 'refcl: memory: .* copied'; then echo "not ok 3 - nothing to copy"; else echo "ok 3 - nothing to copy"; fi
run REFCL_BUFFERS=unified >/dev/null && echo "ok 4 - same data" || echo "not ok 4 - same data"
number=4
for mode in REFCL_MEMORY=literal REFCL_CHECK=uninitialized REFCL_BUFFERS=unified "REFCL_TRACE=$folder/trace"; do
    number=$((number + 1))
    env "$mode" "$BUILD/tests/runtime/memory/test_rectangles" >/dev/null 2>&1 &&
        echo "ok $number - rectangles, ${mode%%/*}" || echo "not ok $number - rectangles, ${mode%%/*}"
done
