#!/usr/bin/env python3
"""Witnesses of executions that Z3 finds: each finding of each pattern and feature, and final states, a few of each, come
out of the interpreter as the file says, with the finding that it shows."""
import os
import sys

from test_kernels import FOLDER, HERE, header
import sample
import tap
from test_replay import check_kernel

MOST_STATES = 4


def main():
    for folder in "patterns/opencl", "patterns/vulkan", "features":
        for name in sorted(os.listdir(os.path.join(HERE, folder))):
            path = os.path.join(HERE, folder, name)
            only = " ".join(header(path, "Engines")).split()
            if not list(header(path, "Error")) and (not only or "z3" in only) and sample.is_chosen(name):
                check_kernel(os.path.relpath(path, FOLDER), set(), "z3", MOST_STATES)
    sample.print_left_out()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
