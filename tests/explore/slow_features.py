#!/usr/bin/env python3
"""Kernels as users write them, each with its verdict: floats, functions of OpenCL.std, asynchronous copies, functions of
work-groups and sub-groups, atomics; and what is refused, with the rule that says so.  As test_kernels.py."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from test_kernels import HERE, main

if __name__ == "__main__":
    sys.exit(main(os.path.join(HERE, "features")))
