#!/usr/bin/env python3
"""Random accesses of vector lanes to elements at equal strides, interleaved with those of other lanes, in
instrumented code.  Both engines give the same report."""
import os
import random
import shutil
import sys
import tempfile

from slow_instrumented import differences, report
from test_races import refcl

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import sample
from tap import check, done  # noqa: E402

CASES, ITEMS = 160, 64
os.environ["REFCL_CACHE_DIR"] = "off"


def access(rnd, stride, number):
    """ANOTHER is 1, which the compiler does not know: work-items in pairs access each other's elements."""
    item = rnd.choice(["l", "l", "l", "(l ^ another)", "(l ^ another >> 1)"])
    place = "t[(%d * %s + %d) & 255]" % (stride, item, rnd.randrange(stride + 1))
    if item == "l":
        place = "t[%d * l + %d]" % (stride, rnd.randrange(stride))
    return place + " = %d;" % number if rnd.randrange(2) else "s += %s;" % place


def kernel(seed):
    rnd = random.Random(seed)
    stride, local = rnd.choice([2, 2, 3, 4]), rnd.randrange(3) > 0
    lines = [access(rnd, stride, k) for k in range(rnd.randrange(3, 6))]
    if rnd.randrange(3) == 0:
        lines.insert(rnd.randrange(1, len(lines)), "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);")
    return ("kernel void k(global uint *out, global const uint *in, global uint *memory)\n{\n"
            "    %s\n    uint l = get_local_id(0), another = in[l] | 1, s = 0;\n    %s\n    out[l] = s;\n}\n"
            % ("local uint t[256];" if local else "global uint *t = memory;", "\n    ".join(lines)))


def main():
    folder = tempfile.mkdtemp(prefix="refcl-test.")
    path, output = folder + "/k.cl", folder + "/out.json"
    command = [refcl, "kernel", "--quiet", "--json", output, "-g", str(ITEMS), "-l", str(ITEMS), "-a", "buf:256", "-a", "buf:256",
               "-a", "buf:1024", path]
    kinds = {"clean": 0, "racy": 0, "completed": 0}
    for seed in range(CASES):
        if not sample.is_chosen(str(seed)):
            continue
        with open(path, "w") as f:
            f.write(kernel(seed))
        (expected, _), (found, completed) = (report(command, output, engine, {}) for engine in ("interp", "jit"))
        different = differences(expected, found, False)
        check("seed %d: the same report" % seed, different is None, (different, kernel(seed)))
        kinds["racy" if expected["findings"] else "clean"] += 1
        kinds["completed"] += completed
    shutil.rmtree(folder)
    check("some race, some do not, and these are instrumented",
          kinds["racy"] >= sample.part(40) and kinds["completed"] >= sample.part(30), kinds)
    sample.print_left_out()
    return done()


if __name__ == "__main__":
    sys.exit(main())
