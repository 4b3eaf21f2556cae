"""Samples: `make test` runs one in TEST_SHARE cases of the longest tests; `make slow`, and a test that is
started without TEST_SHARE, runs all.  Each test prints what it leaves out."""
import os
import sys
import zlib

SHARE = max(1, int(os.environ.get("TEST_SHARE") or 1))
counts = {"all": 0, "chosen": 0}


def is_chosen(name, costs=1):
    """Whether the case is in the sample; this depends on its name and the test's, so that tests choose
    different cases. COSTS: by which factor it is chosen less often in a sample (below 1: more often)."""
    salt = os.path.basename(sys.argv[0]) + os.environ.get("REFCL_MEMORY", "")
    chosen = zlib.crc32((salt + ":" + name).encode()) % (SHARE * costs if SHARE > 1 else 1) < 1
    counts["all"] += 1
    counts["chosen"] += chosen
    return chosen


def part(least):
    """The minimal number of cases in a sample, if LEAST are required of all: half of its share."""
    return least if SHARE == 1 else max(1, least // (2 * SHARE))


def print_left_out():
    if counts["chosen"] < counts["all"]:
        print("# a sample: %d of %d cases; `make slow` runs all" % (counts["chosen"], counts["all"]), flush=True)
