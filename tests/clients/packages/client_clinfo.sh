#!/bin/bash
# clinfo: every query succeeds.
echo "1..3"
out=$(clinfo 2>&1) && echo "ok 1 - clinfo runs" || echo "not ok 1 - clinfo runs"
# Later versions also ask for the number that OpenCL 1.2's headers have for
# CL_DEVICE_TERMINATE_CAPABILITY_KHR.
bad=$(echo "$out" | grep -v CL_DEVICE_TERMINATE_CAPABILITY_KHR_1x | grep -iE 'CL_(INVALID|OUT)_|error [-0-9]|: error' | head -5)
[ -z "$bad" ] && echo "ok 2 - no query fails" || printf 'not ok 2 - no query fails\n# %s\n' "$bad"
raw=$(clinfo --raw 2>&1 | grep -cE 'CL_DEVICE_')
[ "$raw" -ge 100 ] && echo "ok 3 - device queries: $raw" || echo "not ok 3 - device queries: $raw"
