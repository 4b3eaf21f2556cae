#!/usr/bin/env python3
"""Kernels as users write them, each with its verdict: floats, functions of OpenCL.std, asynchronous copies, functions of
work-groups and sub-groups, atomics; and what is refused, with the rule that says so."""
import os
import sys

from test_kernels import ENGINES, HERE, run
import tap

if __name__ == "__main__":
    run(os.path.join(HERE, "features"), ENGINES, sampled=True)
    sys.exit(tap.done())
