#!/bin/bash
# The kernels with known verdicts, with --predict: correct ones stay silent, wrong ones are found as ever.
cd "$(dirname "$0")/../.." || exit 4
REFCL_PREDICT=1 exec /usr/bin/python3 tests/races/test_races.py
