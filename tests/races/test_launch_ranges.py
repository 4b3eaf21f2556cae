#!/usr/bin/env python3
"""Checks in instrumented code that the ranges of values over a launch decide: subscripts in loops and behind
branches that depend on arguments.  Each kernel reads up to the last element of a buffer, or to the one behind
it.  Both engines give the same report and final memory."""
import os
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
SIZE = 512
SUM = "float s = 0; %s o[i] = s;"
# Name, statement, arguments n and m, elements that x must have, how many checks remain.
CASES = [
    ("a loop", SUM % "for (int k = 0; k < n; k++) s += x[k * m + i];", 8, SIZE, 8 * SIZE, 0),
    ("an unsigned loop", SUM % "for (uint k = 0; k < n; k++) s += x[k * m + i];", 8, SIZE, 8 * SIZE, 0),
    ("a loop of 64 bits", SUM % "for (size_t k = 0; k < n; k++) s += x[k * m + i];", 8, SIZE, 8 * SIZE, 0),
    ("a loop up to its bound", SUM % "for (int k = 1; k <= n; k++) s += x[k + m];", 8, 5, 14, None),
    ("a loop that counts down", SUM % "for (int k = n; k >= 0; k--) s += x[k + m];", 8, 5, 14, None),
    ("a loop from below 0", SUM % "for (int k = -m; k < n; k++) s += x[k + m];", 8, 5, 13, 0),
    ("a loop with a distance", SUM % "for (int k = i; k < n; k += m) s += x[k];", 1000, 300, 1000, 0),
    ("a loop strided by the launch", SUM % "for (int k = i; k < n; k += get_global_size(0)) s += x[k];", 1300, 0, 1300, None),
    ("an unsigned loop strided by the launch", SUM % "for (uint k = i; k < (uint)n; k += get_global_size(0)) s += x[k];", 1300, 0,
     1300, 0),
    ("a loop that adds before it reads", SUM % "for (int k = 0; k < n;) { k += m; s += x[k]; }", 100, 7, 106, None),
    ("a loop that reads behind", SUM % "int k = 0; do { s += x[k + 1]; k++; } while (k < n);", 100, 0, 101, 0),
    ("a loop with two ends", SUM % "for (int k = 0; k < n; k++) { if (k * 2 > m) break; s += x[k]; }", 100, 90, 46, None),
    ("a loop without iterations", SUM % "for (int k = 0; k < n; k++) s += x[k + 1000]; s += x[m];", -5, 10, 11, None),
    ("a triangle", SUM % "for (int k = 0; k <= i; k++) s += x[k * n + i];", SIZE, 0, SIZE * SIZE, 0),
    ("a loop in a loop", SUM % "for (int k = 0; k < n; k++) for (int j = 0; j < m; j++) s += x[k * m + j];", 9, 13, 117, 0),
    ("halves", SUM % "for (int k = n; k > 0; k /= 2) s += x[k];", 77, 0, 78, 0),
    ("halves beside ids", SUM % "for (int k = n; k > 0; k >>= 1) if (i < k) s += x[i + k];", 200, 0, 400, 0),
    ("doubles", SUM % "for (uint k = 1; k < (uint)n; k *= 2) s += x[k];", 100, 0, 65, None),
    ("a guard", "if (i < n) o[i] = x[i + m];", 300, 7, 307, 0),
    ("a guard from below", "if (i >= n) o[i] = x[i - n];", 300, 0, SIZE - 300, 0),
    ("a guard of a sum", "if (i + m < n) o[i] = x[i + m];", 300, 7, 300, 0),
    ("a guard by another value", "int k = i * 3; if (k < n) o[i] = x[k];", 301, 0, 301, None),
    ("an unsigned guard", "if ((uint)(i - m) < (uint)n) o[i] = x[i - m];", 30, 100, 30, 0),
    ("a guard that a select chooses", "o[i] = x[i < n ? i : 0];", 300, 0, 300, 0),
    ("clamped", "o[i] = x[clamp(i - m, 0, n - 1)];", 300, 5, 300, 0),
    ("the least", "o[i] = x[min(i, n)];", 300, 0, 301, 0),
    ("a remainder", "o[i] = x[i % n];", 300, 0, 300, 0),
    ("an unsigned remainder", "o[i] = x[(uint)i % (uint)n];", 300, 0, 300, 0),
    ("a quotient", "o[i] = x[i / 4 + m];", 0, 3, SIZE // 4 + 3, 0),
    ("bits", "o[i] = x[(i & 31) + (i >> 4) * 32];", 0, 0, SIZE * 2, 0),
    ("a joined value", "int k; if (i < n) k = i; else k = m; o[i] = x[k];", 300, 20, 300, 0),
    ("a select in a loop", SUM % "for (int k = 0; k < n; k += m) s += k < 10 ? x[k] : 0;", 100, 3, 10, None),
    ("the value of the iteration before", SUM % "int p = 0; for (int k = 0; k < n; k++) { s += x[p]; p = k * m; }", 50, 3, 145, None),
    ("a sum that does not wrap", "o[i] = x[(uint)i + (uint)n - 5u];", 8, 0, SIZE + 3, 0),
    ("a sum that wraps", "o[i] = i < 16 ? 0 : x[(uint)i + (uint)n];", -16, 0, SIZE - 16, None),
    ("a product that wraps", "o[i] = x[((uint)n * (uint)m) + (uint)i];", 1 << 20, 1 << 12, SIZE, None),
    ("a char", "o[i] = x[(uchar)n + i];", 0x305, 0, SIZE + 5, 0),
    ("loaded", "o[i] = x[(int)x[i] + n];", 1, 0, SIZE + 1, None),
]
# Findings of which the ranges must take no notice: name, statement, n, m, elements, kind.
ERRORS = [
    ("an int that wraps", "o[i] = x[(i * n) & 15];", 1 << 24, 0, SIZE, "signed-overflow"),
    ("a remainder by 0", "o[i] = x[i % n];", 0, 0, SIZE, "division-by-zero"),
    ("an unsigned remainder by 0", "o[i] = x[(uint)i % (uint)n];", 0, 0, SIZE, "division-by-zero"),
    ("a sum that wraps in one branch", "if (i > n) o[i] = x[(i + m) & 7]; else o[i] = x[(i + m) & 3];", 100, 0x7fffff9c, SIZE,
     "signed-overflow"),
    ("a counter that wraps", SUM % "int k = n; for (int t = 0; t < m; t++) { s += x[k & 1]; k += 100; }", 0x7fffff00, 4, SIZE,
     "signed-overflow"),
    ("below the first", "o[i] = x[i - n];", 1, 0, SIZE, "out-of-bounds"),
    ("a loop below the first", SUM % "for (int k = n; k < m; k++) s += x[k];", -1, 5, SIZE, "out-of-bounds"),
    ("a guard without sign", "if ((uint)i < (uint)n) o[i] = x[i];", -1, 0, SIZE - 1, "out-of-bounds"),
    ("a guard that wraps", "if ((uint)i - 600u < (uint)n) o[i] = x[i];", -1, 0, SIZE - 1, "out-of-bounds"),
    ("the value of the next iteration", SUM % "for (int k = 0; k < n; k++) { s += x[k + 1]; }", SIZE, 0, SIZE, "out-of-bounds"),
    ("written behind", "for (int k = 0; k < n; k++) o[i * n + k] = 1;", 2, 0, SIZE, "out-of-bounds"),
    ("local memory behind", "local float t[64]; for (int k = 0; k < n; k++) t[get_local_id(0) + k] = 1; o[i] = 0;", 2, 0, SIZE,
     "out-of-bounds"),
]
GEMM = """kernel void k(global float *c, global const float *a, int n) {
    int j = get_global_id(0), i = get_global_id(1);
    if (i < n && j < n) { c[i * n + j] *= 0.0f; for (int k = 0; k < n; k++) c[i * n + j] += a[i * n + k] * a[k * n + j]; } }"""


def launch(statement, n, m, elements, engine, dump=False):
    path, output = folder + "/k.cl", folder + "/out.json"
    with open(path, "w") as f:
        f.write("kernel void k(global float *o, global const float *x, int n, int m) { int i = get_global_id(0); %s }\n" % statement)
    command = [refcl, "kernel", "--quiet", "--json", output, "-g", str(SIZE), "-l", "64", "-a", "buf:%d" % SIZE,
               "-a", "buf:%d:iota" % elements, "-a", str(n), "-a", str(m), "-p", "0", path]
    return item_of(command) if dump else report(command, output, engine, {})


def item_of(command):
    environment = dict(os.environ, REFCL_ENGINE="jit", REFCL_DEBUG="jit", REFCL_JIT_DUMP="item")
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600).stderr


def compare_ranges(name, arguments, kind):
    compare(name, lambda engine: launch(*arguments, engine), kind)


def main():
    for name, statement, n, m, elements, checks in CASES:
        compare_ranges(name, (statement, n, m, elements), "clean")
        compare_ranges(name + ", one less", (statement, n, m, elements - 1), "out-of-bounds")
        if checks is not None:
            text = launch(statement, n, m, elements, "jit", True)
            check("%s: %d checks in code that is compiled once" % (name, checks),
                  text.count(": compiled,") == 1 and ": compiled with" not in text and text.count("!prof") == checks, text)
    for name, statement, n, m, elements, kind in ERRORS:
        compare_ranges(name, (statement, n, m, elements), kind)
    with open(folder + "/gemm.cl", "w") as f:
        f.write(GEMM)
    text = item_of([refcl, "kernel", "--quiet", "-g", "64,64", "-l", "16,4", "-a", "buf:4096", "-a", "buf:4096", "-a", "64", folder + "/gemm.cl"])
    check("a product of matrices has no checks", ": compiled," in text and "!prof" not in text, text)
    shutil.rmtree(folder)
    return done()


if __name__ == "__main__":
    sys.exit(main())
