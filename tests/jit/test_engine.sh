#!/bin/bash
# The runtime's tests with every launch that the JIT covers compiled, and a few differential cases.
BUILD=${BUILD:-build}
number=0
if [ ! -e "$BUILD/librefcl-jit.so" ]; then
    echo "1..0 # SKIP no librefcl-jit.so"
    exit 0
fi
for test in "$BUILD"/tests/runtime/test_*; do
    [ -x "$test" ] && [ -f "$test" ] && [ "${test%.d}" = "$test" ] || continue
    number=$((number + 1))
    log=$(REFCL_ENGINE=jit timeout 300 "$test" 2>&1)
    if [ $? = 0 ]; then
        echo "ok $number - $(basename "$test")"
    else
        echo "not ok $number - $(basename "$test")"
        echo "$log" | grep -v '^ok' | tail -5 | sed 's/^/# /'
    fi
done
echo "1..$number"
