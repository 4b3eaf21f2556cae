#!/usr/bin/python3
"""Kernels that order their accesses have the same final buffers in weak memory mode; locks without acquire
fail.  A sample has one seed of two."""
import os
import pickle
import subprocess
import sys
import tempfile

try:
    import pyopencl  # noqa: F401
except ImportError:
    print("1..0 # SKIP no pyopencl")
    sys.exit(0)

here = os.path.dirname(os.path.abspath(__file__))
build = os.path.abspath(os.environ.get("BUILD", "build"))
cases = os.path.join(here, "../jit")
sys.path.insert(0, os.path.join(here, "../lib"))
from sample import SHARE  # noqa: E402
# Relaxed atomics with only a release fence, which synchronizes with nothing: their sums may have any value.
UNORDERED = {"ticket lock", "spin lock in a group", "spinning in a function"}


def run(module, **more):
    # All cases: which ones a sample has depends on REFCL_MEMORY.
    environment = dict(os.environ, TEST_SHARE="1", REFCL_ENGINE="interp", PYTHONDONTWRITEBYTECODE="1", PYOPENCL_NO_CACHE="1",
                       OCL_ICD_VENDORS=build + "/librefcl.so", OCL_ICD_FILENAMES=build + "/librefcl.so", **more)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "results")
        subprocess.run([sys.executable, os.path.join(cases, "engine.py"), path, module], env=environment, cwd=cases,
                       stderr=subprocess.DEVNULL)
        with open(path, "rb") as f:
            return pickle.load(f)


def same(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str)
    return all(x.tobytes() == y.tobytes() for x, y in zip(a, b))


def main():
    number = failed = 0
    for module in ("cases", "cases_barrier", "cases_loops"):
        strong = run(module)
        for seed in ("1", "2") if SHARE == 1 else ("1",):
            weak = run(module, REFCL_MEMORY="weak", REFCL_SEED=seed)
            wrong = [name for name in strong if name not in UNORDERED and not same(strong[name], weak.get(name))]
            number += 1
            failed += bool(wrong)
            print("%s %d - %s, seed %s: %d kernels" % ("not ok" if wrong else "ok", number, module, seed, len(strong)))
            for name in wrong:
                print("#", name)
    print("1..%d" % number)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
