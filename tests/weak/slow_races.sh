#!/bin/bash
# The kernels with known verdicts, with weak memory: correct ones stay silent, wrong ones are found as ever.
cd "$(dirname "$0")/../.." || exit 4
REFCL_MEMORY=weak exec /usr/bin/python3 tests/races/test_races.py
