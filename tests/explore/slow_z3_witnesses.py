#!/usr/bin/env python3
"""Witnesses of executions that Z3 finds: for each pattern and feature, the interpreter replays each finding,
and a few final states, exactly as the file describes them."""
import os
import sys

from test_kernels import HERE, header, kernels
import sample
import tap
from test_replay import check_kernel

MOST_STATES = 4


def main():
    for folder in "patterns/opencl", "patterns/vulkan", "features":
        for path in kernels(os.path.join(HERE, folder)):
            only = " ".join(header(path, "Engines")).split()
            if not list(header(path, "Error")) and (not only or "z3" in only) and sample.is_chosen(os.path.basename(path)):
                check_kernel(path, set(), "z3", MOST_STATES)
    sample.print_left_out()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
