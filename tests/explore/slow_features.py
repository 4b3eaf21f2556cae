#!/usr/bin/env python3
"""Kernels in the style of users, each with its verdict: floats, functions of OpenCL.std, asynchronous copies,
work-group and sub-group functions, atomics; and unsupported features, with the rule."""
import os
import sys

from test_kernels import ENGINES, HERE, run
import tap

if __name__ == "__main__":
    run(os.path.join(HERE, "features"), ENGINES, sampled=True)
    sys.exit(tap.done())
