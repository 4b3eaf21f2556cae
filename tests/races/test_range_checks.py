#!/usr/bin/env python3
"""Subscripts at the ends of buffers in instrumented code, in which work-groups with all accesses in bounds
execute code without checks: the first or last work-item of any work-group may be out of bounds.  Both engines
give the same report and final memory."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from slow_instrumented import compare, report
from test_races import refcl

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import check, done  # noqa: E402

folder = tempfile.mkdtemp(prefix="refcl-test.")
os.environ["REFCL_CACHE_DIR"] = "off"
SIZE = 2048
UNIFORM = ("uniform in a loop", "float s = 0; for (int k = 0; k < 8; k++) s += x[i] * x[300 * k]; o[i] = s;", 2101)
# Name, statement, elements that x must have.
CASES = [
    ("own element", "o[i] = x[i] * 2;", SIZE),
    ("guarded", "if (i < 2000) o[i] = x[i] + 3;", 2000),
    ("guarded from below", "if (i >= 5) o[i] = x[i - 5] + 3;", SIZE - 5),
    ("element behind", "o[i] = x[i + 3];", SIZE + 3),
    ("two elements", "o[i] = x[i] + x[i + 64];", SIZE + 64),
    ("three apart", "o[i] = x[3 * i + 2];", 3 * SIZE),
    ("backwards", "o[i] = x[2047 - i];", SIZE),
    ("in a loop", "float s = 0; for (int k = 0; k < 4; k++) s += x[4 * i + k]; o[i] = s;", 4 * SIZE),
    ("as far as addresses wrap", "o[i] = x[(ulong)i + 0x4000000000000000ul];", SIZE),
    ("uniform", "o[i] = x[i] + x[100];", SIZE),
    ("uniform, the last", "o[i] = x[i] + x[2100];", 2101),
    UNIFORM,
    ("rows", "int n = get_global_size(0); float s = 0; for (int k = 0; k < 3; k++) s += x[k * n + i]; o[i] = s;", 3 * SIZE),
    ("in turn", "float s = x[i]; if (s > 100) s += x[i + 1]; o[i] = s;", SIZE + 1),
    ("unsigned that wraps", "o[i] = i < 16 ? 0 : x[(uint)i + 0xfffffff0u];", SIZE - 16),
    ("read and written", "o[i] = x[i]; o[i] += x[i + 1]; o[i] *= 2;", SIZE + 1),
]
OFFSETS = [  # the first work-items, or all, are outside
    ("before the first", "o[i] = x[i - 1];"),
    ("before the first, of the last work-groups", "o[i] = x[i > 1900 ? i - 1901 : i - 1];"),
    ("beyond all objects", "o[i] = x[(ulong)i + 0x2000000000000000ul];"),
    ("below all objects", "o[i] = x[(ulong)i - 0x100000000ul];"),
    ("8 bits that wrap", "o[i] = x[(char)(get_local_id(0) + 96)];"),
    ("a multiple that wraps", "o[i] = x[(ulong)i * 0x1000000001ul];"),
]
LOCAL = "local float t[64]; int l = get_local_id(0); t[l] = x[i]; barrier(CLK_LOCAL_MEM_FENCE); o[i] = "
BRANCHES = [  # of local memory: name, element that is read, the same with one element more than the branch allows
    ("below", "l >= 3 ? t[l - 3] : 0;", "l >= 3 ? t[l - 4] : 0;"),
    ("above", "l < 60 ? t[l + 4] : 0;", "l < 61 ? t[l + 4] : 0;"),
    ("a distance in a register", "l < 60u ? t[l + 4u] : 0;", "l > 60u ? t[l + 1u] : 0;"),
    ("not the first", "l != 0 ? t[l - 1] : 0;", "l != 1 ? t[l - 1] : 0;"),
    ("two branches", "l > 7 ? l < 40 ? t[2 * l - 16] : 0 : 0;", "l > 7 ? l < 41 ? t[2 * l - 16] : 0 : 0;"),
    ("the other side", "l < 5 ? t[l] : t[l - 5];", "l < 5 ? t[l - 1] : t[l - 5];"),
    ("wrapped", "l - 3u < 61u ? t[l - 3u] : 0;", "l - 3u < 61u ? 0 : t[l - 3u];"),
]
SCAN = ("0; for (int s = 1; s < 64; s <<= 1) { float v = l >= s ? t[l - s] : 0; barrier(CLK_LOCAL_MEM_FENCE); t[l] += v; "
        "barrier(CLK_LOCAL_MEM_FENCE); } o[i] = t[l];")


def launch(statement, elements, engine, offset, dump=None):
    path, output = folder + "/k.cl", folder + "/out.json"
    with open(path, "w") as f:
        f.write("kernel void k(global float *o, global const float *x) { int i = get_global_id(0) - %d; %s }\n" % (offset, statement))
    command = [refcl, "kernel", "--quiet", "--json", output, "-g", str(SIZE), "-l", "64", "--offset", str(offset),
               "-a", "buf:%d" % SIZE, "-a", "buf:%d:iota" % elements, "-p", "0", path]
    if dump:
        environment = dict(os.environ, REFCL_ENGINE=engine, REFCL_JIT_DUMP=dump)
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600).stderr
    return report(command, output, engine, {})


def compare_at(name, statement, elements, kind, offset):
    compare(name, lambda engine: launch(statement, elements, engine, offset), kind)


def main():
    for name, statement, elements in CASES:
        for offset in 0, 37:
            compare_at("%s, from %d" % (name, offset), statement, elements, "clean", offset)
            if "if (s" not in statement:
                compare_at("%s, one less, from %d" % (name, offset), statement, elements - 1, "out-of-bounds", offset)
    for name, statement in OFFSETS:
        compare_at(name, statement, SIZE, "out-of-bounds", 0)
    text = launch(CASES[1][1], 2000, "jit", 0, "optimized")
    check("all accesses of a work-group in bounds: no masks", re.search(r"store <\d+ x float>", text) is not None, text)
    text = launch(UNIFORM[1], UNIFORM[2], "jit", 0, "optimized")
    check("uniform elements of a work-group in bounds: loaded once, without a gather",
          re.search(r"(%\S+) = load float, (.*\n)+?.*insertelement <\d+ x float> poison, float \1,", text) is not None, text)
    for name, inside, outside in BRANCHES + [("scan", SCAN, SCAN.replace("l >= s", "l + 1 >= s"))]:
        compare_at("local memory, " + name, LOCAL + inside, SIZE, "clean", 0)
        compare_at("local memory, %s, one less" % name, LOCAL + outside, SIZE, "out-of-bounds", 0)
        text = launch(LOCAL + inside, SIZE, "jit", 0, "item")
        check("local memory, %s: branches decide the check" % name, "define" in text and not re.search(r"icmp .*, 253\b", text), text)
    shutil.rmtree(folder)
    return done()


if __name__ == "__main__":
    sys.exit(main())
