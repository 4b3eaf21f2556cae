#!/usr/bin/env python3
"""Kernels whose checks are in functions, as they have more than 128 accesses: one access of all is in a race or out of bounds.
Both engines give the same report and leave the same memory."""
import os
import re
import shutil
import sys
import tempfile

from slow_instrumented import compare, report
from test_races import refcl

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import check, done  # noqa: E402

folder = tempfile.mkdtemp(prefix="refcl-test.")
os.environ["REFCL_CACHE_DIR"] = "off"
COUNT, ITEMS = 150, 16  # more accesses than have their checks in the kernel (interp/jit/instrument/outline_checks.cpp)
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
TILE = "local int t[1024]; t[l] = 0; " + BARRIER
# Name, statements before, the statement for each $, statements after, the verdict.
CASES = [
    ("writes", "", "o[AT($) + i] = $;", "", "clean"),
    ("one write to the next work-item's element", "", "o[AT($) + i] = $;", "o[AT(3) + i + 1] = 2;", "data-race"),
    ("a read of the next work-item's element", "", "o[AT($) + i] = $;", "o[AT(149) + i] = o[AT(9) + (i + 1) % 16];", "data-race"),
    ("one write behind the last element", "", "o[AT($) + i] = $;", "o[AT(149) + i + 16] = 2;", "out-of-bounds"),
    ("one read before the first element", "", "o[AT($) + i] = $;", "o[i] = j[i - 3];", "out-of-bounds"),
    ("phases", "", "o[AT($) + i] = $;", BARRIER + "o[AT(3) + (l + 1) % 8 + i - l] = 2;", "clean"),
    ("phases of work-groups", "", "o[AT($) + i] = $;", BARRIER + "o[AT(3) + (i + 1) % 16] = 2;", "data-race"),
    ("atomics", "", "atomic_inc((global int *)o + AT($));", "", "clean"),
    ("a read beside atomics", "", "atomic_inc((global int *)o + AT($));", "o[AT(5) + 1 + i % 15] = o[AT(7)];", "data-race"),
    ("local memory", TILE, "t[(AT($) & 511) / 16 * 16 + l] = $;", BARRIER + "o[i] = t[AT(2) + (l + 1) % 8];", "clean"),
    ("local memory without a barrier", TILE, "t[(AT($) & 511) / 16 * 16 + l] = $;", "o[i] = t[AT(2) + (l + 1) % 8];", "data-race"),
    ("local memory behind", TILE, "t[(AT($) & 511) / 16 * 16 + l] = $;", "t[AT(149)] = 1;", "out-of-bounds"),
]


def launch(case, engine):
    name, before, statement, after, _ = case
    path, output = folder + "/k.cl", folder + "/out.json"
    with open(path, "w") as f:
        f.write("#define AT(k) (16 * j[k])\nkernel void k(global int *o, global const int *j) {\n"
                "int i = get_global_id(0), l = get_local_id(0); %s\n%s\n%s }\n"
                % (before, "\n".join(statement.replace("$", str(k)) for k in range(COUNT)), after))
    command = [refcl, "kernel", "--quiet", "--json", output, "-g", str(ITEMS), "-l", "8", "-a", "buf:%d" % (16 * COUNT),
               "-a", "buf:%d:iota" % COUNT, "-p", "0", path]
    result = report(command, output, engine, {"REFCL_JIT_DUMP": "optimized"})
    if engine == "jit":
        check("%s: checks are in functions" % name, re.search("call .*@in_jit_check", result[0]["stderr"]) is not None, result[0]["stderr"])
    return result


def main():
    for case in CASES:
        compare(case[0], lambda engine: launch(case, engine), case[4])
    shutil.rmtree(folder)
    return done()


if __name__ == "__main__":
    sys.exit(main())
