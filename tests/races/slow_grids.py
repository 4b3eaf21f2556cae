#!/usr/bin/env python3
"""Many random kernels of test_grids.py, from the first seed that test_grids.py leaves out.

slow_grids.py [COUNT [FIRST]]: COUNT kernels from seed FIRST on."""
import os
import shutil
import sys

from test_grids import folder, run_random

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from random_kernels import SAMPLE, run_random_kernels  # noqa: E402
from sample import SHARE  # noqa: E402
from tap import check, done  # noqa: E402

COUNT = 600
LEAST = 20  # each sort has at least one kernel of this number

if __name__ == "__main__":
    try:
        count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT // SHARE - SAMPLE
        counts = run_random_kernels(int(sys.argv[2]) if len(sys.argv) > 2 else SAMPLE, count, run_random, "compiled again")
        check("random kernels of all sorts", min(counts) * LEAST >= count, counts)
        code = done()
    finally:
        shutil.rmtree(folder)
    sys.exit(code)
