#!/usr/bin/env python3
"""Locks, barriers between work-groups, messages, reductions, ring buffers and pairs of kernels with one
difference, of OpenCL and Vulkan, with known answers: by both engines, and by search under the public models,
whose verdicts are the same."""
import os
import sys

from test_kernels import ENGINES, HERE, run
import tap

CORPUS = os.environ.get("REFCL_CORPUS", "../shared/corpus")

if __name__ == "__main__":
    for dialect in "opencl", "vulkan":
        public = os.path.join(CORPUS, f"{dialect}.dat3m.cat")
        engines = dict(ENGINES)
        if os.path.exists(public):
            engines["search public-model"] = ["--model", public]
        run(os.path.join(HERE, "patterns", dialect), engines, sampled=True)
    sys.exit(tap.done())
