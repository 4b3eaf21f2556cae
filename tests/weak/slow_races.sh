#!/bin/bash
# The kernels with known verdicts, in weak memory mode: no finding in correct ones, the known findings in
# wrong ones.
cd "$(dirname "$0")/../.." || exit 4
REFCL_MEMORY=weak exec /usr/bin/python3 tests/races/test_races.py
