#!/usr/bin/env python3
"""The known-verdict set: each test is in a category of categories.txt, and each category has at least three tests
that are clean and three that are not, which state the positions of their findings.  Prints the counts."""
import fnmatch
import glob
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
sys.path.insert(0, here)
import tap
from tap import check
from test_races import directives

LEAST = 3


def needs_keys(path):
    """Such a program is skipped on processors without protection keys."""
    with open(path) as f:
        return "need_keys()" in f.read()


def main():
    paths = glob.glob(os.path.join(here, "kernels/*/*.cl")) + glob.glob(os.path.join(here, "host/*/*.c"))
    clean = {("host/" if "/host/" in p else "") + os.path.splitext(os.path.basename(p))[0]: directives(p)["expect"] == "clean" for p in paths}
    seen = set()
    with open(os.path.join(here, "categories.txt")) as f:
        lines = [line.split(":") for line in f if not line.startswith("#")]
    for category, patterns in lines:
        names = {n for pattern in patterns.split() for n in fnmatch.filter(clean, pattern)
                 if pattern.startswith("host/") == n.startswith("host/")}
        unused = [pattern for pattern in patterns.split() if not fnmatch.filter(clean, pattern)]
        good = sum(clean[n] for n in names)
        check("%s: %d clean, %d wrong" % (category, good, len(names) - good),
              good >= LEAST and len(names) - good >= LEAST and not unused, "nothing is called %s" % unused)
        seen |= names
    check("each test has a category", seen == set(clean), sorted(set(clean) - seen))
    nowhere = [p for p in paths if directives(p)["expect"] not in ("clean", "unknown") and "at" not in directives(p) and not needs_keys(p)]
    check("each test that is not clean says where", not nowhere, nowhere)
    kernels = [n for n in clean if not n.startswith("host/")]
    hosts = [n for n in clean if n.startswith("host/")]
    print("# %d kernels, %d of them clean; %d host programs, %d clean" % (
        len(kernels), sum(clean[n] for n in kernels), len(hosts), sum(clean[n] for n in hosts)))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
