#!/usr/bin/env python3
"""A proved kernel has no such finding in any launch, and a refutation names a launch that has it: the kernels
of this repository and of the public corpus.  Search decides launches of Vulkan modules."""
import os
import sys
from concurrent.futures import ThreadPoolExecutor

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
import sample
import tap
from built import JOBS, REFCL as refcl, ROOT
from sweep import files, judge, kernels_of

PLACES = ("tests/races", "tests/explore", "tests/prove", "../shared/corpus")
LIMIT = 4  # of Z3's work, as --timeout takes it with --prove: no time, so that the answers do not depend on the machine
COSTS = 20  # a kernel takes seconds


def main():
    if not os.path.exists(refcl):
        tap.skip_all("%s is not built" % refcl)
    kernels = [kernel for path in files(os.path.join(ROOT, place) for place in PLACES) for kernel in kernels_of(path)
               if sample.is_chosen("%s %s" % (os.path.basename(path), kernel.name), COSTS)]
    proved = 0
    with ThreadPoolExecutor(JOBS) as pool:
        for kernel, result, found, made in pool.map(lambda k: judge(k, 3, LIMIT), kernels):
            proved += made > 0
            tap.check("%s %s" % (os.path.basename(kernel.path), kernel.name or ""), not found, found)
    if sample.SHARE == 1:
        tap.check("some kernels are proved and launched", proved > 0)
    sample.print_left_out()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
