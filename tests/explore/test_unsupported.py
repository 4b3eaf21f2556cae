#!/usr/bin/env python3
"""What `refcl explore` does not support: the error has the place of the first such instruction, the function of OpenCL C, and
what to use instead.  Kernels in the form of test_kernels.py; their arguments are judged as well."""
import os
import subprocess
import sys

from test_kernels import HERE, PATIENCE, REFCL, run
import tap

FOLDER = os.path.join(HERE, "unsupported")
WRONG = {"pipe.cl": "--arg 'buf:2': the argument is a pipe, such as pipe:4",
         "enqueue_queue_argument.cl": "--arg 'buf:2': the argument is a queue: give @queue"}


def check_arguments():
    """A pipe or queue is described as one."""
    for name, message in WRONG.items():
        done = subprocess.run([REFCL, "explore", "-g", "2", "--arg", "buf:2", "--arg", "buf:2", os.path.join(FOLDER, name)],
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        tap.check(f"{name} with a buffer", done.returncode == 2 and message in done.stderr, done.stderr)


if __name__ == "__main__":
    run(FOLDER, {"search": []})
    check_arguments()
    sys.exit(tap.done())
