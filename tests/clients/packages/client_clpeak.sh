#!/bin/bash
# clpeak: the test of launches runs to its end and prints a figure.  Its other tests are sized for hardware.
echo "1..1"
out=$(timeout 300 clpeak --kernel-latency 2>&1)
echo "$out" | grep -qE 'Kernel launch latency : [0-9.]+ us' && echo "ok 1 - kernel latency" ||
    printf 'not ok 1 - kernel latency\n# %s\n' "$out"
