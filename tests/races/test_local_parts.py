#!/usr/bin/env python3
"""Parts of local memory in compiled code that is checked: tiles with margins, windows and copying loops of
which the parts of work-items are disjoint, or overlap in one element.  Both engines give the same report and
leave the same memory.

test_local_parts.py [COUNT [FIRST]]: COUNT random kernels from seed FIRST on alone."""
import os
import random
import re
import subprocess
import sys
import tempfile

from slow_instrumented import differences, report
from test_races import refcl

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from random_kernels import main  # noqa: E402
from tap import check  # noqa: E402

folder = tempfile.mkdtemp(prefix="refcl-test.")
os.environ["REFCL_CACHE_DIR"] = "off"
CLEAN, RACE, OUTSIDE = "clean", "data-race", "out-of-bounds"
KINDS = {RACE: [RACE, "uniform-write"]}
FENCE = "barrier(CLK_LOCAL_MEM_FENCE); "
ROW, TILE, EDGE = "-g 128 -l 32", "-g 32,16 -l 16,8", "-g 120 -l 32"
WINDOW = FENCE + "float s = 0; for (int k = 0; k < 5; k++) s += t[l + k]; o[i] = s;"
AROUND = FENCE + "o[i] = t[m + 1][l] + t[m + 1][l + 2] + t[m][l + 1] + t[m + 2][l + 1];"
COPIED = FENCE + "o[i] = t[l] + t[l + 32];"

BITONIC = ("t[l] = x[i]; " + FENCE + "for (int n = 2; n <= 32; n *= 2) for (int s = n / 2; s > 0; s /= 2) { int p = l ^ s; "
           "if (p > l) { float a = t[l], b = t[p]; if ((a > b) == ((l & n) == 0)) { t[l] = b; t[p] = a; } } " + FENCE + "} o[i] = t[l];")
BUTTERFLY = ("t[l] = x[i]; t[l + 32] = 1; " + FENCE + "for (int s = 1; s < 64; s *= 2) { int at = 2 * l - (l & (s - 1)); float v = t[at] - t[at + s]; "
             "t[at] += t[at + s]; t[at + s] = v; " + FENCE + "} o[i] = t[l] + t[l + 32];")

ROWS = "for (int b = 0; b < 16; b++) t[l * 16 + b] = b; " + FENCE
TRIANGLES = "for (int a = 0; a < 16; a++) for (int b = 0; %s; b++) t[l * 16 + a] -= t[l * 16 + b]; "
PIVOTS = "for (int a = 0; a < 15; a++) { if (%s) for (int b = 0; %s; b++) t[l * 16 + a] -= t[l * 16 + b] * t[b * 16 + a]; " + FENCE + "} "

# Name, elements of the variable t, body, how it is launched, the verdict, whether tags of local memory are needed.
CASES = [
    ("a row with margins", "[36]", "t[l + 2] = x[i]; if (l < 2) { t[l] = 1; t[l + 34] = 2; } " + WINDOW, ROW, CLEAN, False),
    ("margins one item too wide", "[37]", "t[l + 2] = x[i]; if (l < 3) { t[l] = 1; t[l + 34] = 2; } " + WINDOW, ROW, RACE, True),
    ("the left margin one element too far", "[37]", "t[l + 2] = x[i]; if (l < 2) { t[l + 1] = 1; t[l + 34] = 2; } " + WINDOW, ROW, RACE, True),
    ("the right margin one element too early", "[37]", "t[l + 2] = x[i]; if (l < 2) { t[l] = 1; t[l + 33] = 2; } " + WINDOW, ROW, RACE, True),
    ("a margin by the last items", "[36]", "t[l + 2] = x[i]; if (l >= 30) { t[l - 30] = 1; t[l + 4] = 2; } " + WINDOW, ROW, CLEAN, False),
    ("a margin by one item more", "[36]", "t[l + 2] = x[i]; if (l >= 29) { t[max(l - 30, 0)] = 1; t[l + 4] = 2; } " + WINDOW, ROW, RACE, True),
    ("margins by single items", "[34]", "t[l + 1] = x[i]; if (l == 0) t[0] = 1; if (l == 31) t[33] = 2; " + FENCE +
     "o[i] = t[l] + t[l + 2];", ROW, CLEAN, False),
    ("a single item in another's place", "[34]", "t[l + 1] = x[i]; if (l == 0) t[0] = 1; if (l == 31) t[31] = 2; " + FENCE +
     "o[i] = t[l] + t[l + 2];", ROW, RACE, True),
    ("no barrier before the window", "[36]", "t[l + 2] = x[i]; if (l < 2) { t[l] = 1; t[l + 34] = 2; } " + WINDOW.replace(FENCE, ""),
     ROW, RACE, True),
    ("the window's first element outside", "[36]", "t[l + 2] = x[i]; if (l < 2) { t[l] = 1; t[l + 34] = 2; } " +
     WINDOW.replace("t[l + k]", "t[l + k - 1]"), ROW, OUTSIDE, False),
    ("the window's last element outside", "[36]", "t[l + 2] = x[i]; if (l < 2) { t[l] = 1; t[l + 34] = 2; } " +
     WINDOW.replace("k < 5", "k < 6"), ROW, OUTSIDE, False),
    ("one of the window outside", "[36]", "t[l + 2] = x[i]; if (l < 2) { t[l] = 1; t[l + 34] = 2; } " +
     WINDOW.replace("t[l + k]", "t[k == 2 ? l + 32 + i / 124 : l + k]"), ROW, OUTSIDE, False),
    ("written outside", "[35]", "t[l + 2] = x[i]; if (l < 2) { t[l] = 1; t[l + 34] = 2; } " + FENCE + "o[i] = t[l];", ROW, OUTSIDE, False),
    ("the window's first element written", "[36]", "t[l + 2] = x[i]; if (l < 2) { t[l] = 1; t[l + 34] = 2; } " + WINDOW + " t[l] = s;",
     ROW, RACE, True),
    ("the window's middle element written", "[36]", "t[l + 2] = x[i]; if (l < 2) { t[l] = 1; t[l + 34] = 2; } " + WINDOW + " t[l + 2] = s;",
     ROW, RACE, True),
    ("the window's last element written", "[36]", "t[l + 2] = x[i]; if (l < 2) { t[l] = 1; t[l + 34] = 2; } " + WINDOW + " t[l + 4] = s;",
     ROW, RACE, True),
    ("written behind a barrier", "[36]", "t[l + 2] = x[i]; if (l < 2) { t[l] = 1; t[l + 34] = 2; } " + WINDOW + FENCE + " t[l + 4] = s;",
     ROW, CLEAN, False),
    ("a tile with margins", "[10][18]", "t[m + 1][l + 1] = x[i]; if (l == 0) t[m + 1][0] = 1; if (l == 15) t[m + 1][17] = 2; "
     "if (m == 0) t[0][l + 1] = 3; if (m == 7) t[9][l + 1] = 4; " + AROUND, TILE, CLEAN, False),
    ("a margin in the tile's last column", "[10][18]", "t[m + 1][l + 1] = x[i]; if (l == 0) t[m + 1][16] = 1; " + AROUND, TILE, RACE, True),
    ("a margin in the tile's last row", "[10][18]", "t[m + 1][l + 1] = x[i]; if (m == 0) t[8][l + 1] = 1; " + AROUND, TILE, RACE, True),
    ("a margin by two rows", "[10][18]", "t[m + 1][l + 1] = x[i]; if (m < 2) t[0][l + 1] = 1; " + AROUND, TILE, RACE, True),
    ("a corner by two items", "[10][18]", "t[m + 1][l + 1] = x[i]; if (l == 0) t[m + 1][0] = 1; if (l == 1 && m == 3) t[4][0] = 2; " + AROUND,
     TILE, RACE, True),
    ("a corner by one item", "[10][18]", "t[m + 1][l + 1] = x[i]; if (l == 0) t[m + 1][0] = 1; if (l == 1 && m == 3) t[0][0] = 2; " + AROUND,
     TILE, CLEAN, False),
    ("rows by triangles", "[520]", ROWS + TRIANGLES % "b < a" + "o[i] = t[l * 16 + 15];", ROW, CLEAN, False),
    ("rows by triangles one element too wide", "[520]", ROWS + TRIANGLES % "b < a + 2" + "o[i] = t[l * 16 + 15];", ROW, RACE, True),
    ("rows by triangles of an argument's size", "[520]", ROWS + TRIANGLES % "b < a + x[0]" + "o[i] = t[l * 16 + 15];", ROW, CLEAN, True),
    ("columns below a diagonal", "[512]", ROWS + PIVOTS % ("l > a", "b < a") + "o[i] = t[l * 16];", ROW, CLEAN, False),
    ("columns below a diagonal, read one element too far", "[512]", ROWS + PIVOTS % ("l > a", "b < a + 2") + "o[i] = t[l * 16];", ROW, RACE, True),
    ("columns from above a diagonal on", "[512]", ROWS + PIVOTS % ("l + 1 >= a", "b < a") + "o[i] = t[l * 16];", ROW, RACE, True),
    ("a copying loop", "[64]", "for (int k = l; k < 64; k += 32) t[k] = x[k]; " + COPIED, ROW, CLEAN, False),
    ("a copying loop with too short a step", "[64]", "for (int k = l; k < 64; k += 31) t[k] = k; " + COPIED, ROW, RACE, True),
    ("a copying loop of bits", "[2][32]", "for (int k = l; k < 64; k += 32) t[k >> 5][k & 31] = x[k]; " + FENCE + "o[i] = t[0][31 - l] + t[1][l];",
     ROW, CLEAN, False),
    ("a copying loop of fewer bits", "[2][32]", "for (int k = l; k < 64; k += 32) t[k >> 5][k & 15] = k; " + FENCE +
     "o[i] = t[0][31 - l] + t[1][l];", ROW, RACE, True),
    ("a copying loop by local sizes", "[80]", "for (int k = l; k < 80; k += get_local_size(0)) t[k] = x[k]; " + COPIED, ROW, CLEAN, False),
    ("a copying loop by sizes of incomplete work-groups", "[80]", "for (int k = l; k < 80; k += get_local_size(0)) t[k] = x[k]; " + COPIED,
     EDGE, CLEAN, True),
    ("a margin at sizes of incomplete work-groups", "[36]", "t[l + 2] = x[i]; if (l >= get_local_size(0) - 2) t[l + 4] = 2; " + FENCE +
     "o[i] = t[l + 2];", EDGE, CLEAN, True),
    ("a margin in incomplete work-groups", "[36]", "t[l + 2] = x[i]; if (l < 2) t[l] = 2; " + FENCE + "o[i] = t[l];", EDGE, CLEAN, False),
    ("a copying loop that is left early", "[96]", "for (int k = l; k < 96; k += 32) { if (k >= 64) break; t[k] = x[k]; } " + COPIED,
     ROW, CLEAN, False),
    ("a copying loop that a value ends", "[64]", "for (int k = l; k < 64; k += 32) { if (x[k] < 0) break; t[k] = x[k]; } o[i] = t[l];",
     ROW, CLEAN, False),
    ("nested copying loops", "[8][16]", "for (int j = l / 16; j < 8; j += 2) for (int k = l % 16; k < 16; k += 16) t[j][k] = x[j]; " + FENCE +
     "o[i] = t[7 - l / 16][l % 16];", ROW, CLEAN, False),
    ("nested copying loops that overlap", "[9][16]",
     "for (int j = l / 16; j < 8; j += 2) for (int k = l % 16; k < 17; k += 16) ((local float *)t)[j * 16 + k] = l; " + FENCE + "o[i] = t[7 - l / 16][l % 16];",
     ROW, RACE, True),
    ("elements by a loaded value", "[64]", "t[l] = 1; if (x[i] >= 0) t[32 + (int)x[i] / 2 % 32] = l; " + COPIED, ROW, RACE, True),
    ("chosen elements", "[64]", "int at; if (l < 16) at = l; else at = l + 32; t[at] = x[i]; t[l < 16 ? l + 16 : l] = 3; " + COPIED, ROW, RACE, True),
    ("chosen elements that are apart", "[64]", "int at; if (l < 16) at = l; else at = l + 16; t[at] = x[i]; " + FENCE + "o[i] = t[l];",
     ROW, CLEAN, False),
    ("remainders", "[32]", "t[(l + 5) % 32] = x[i]; " + FENCE + "o[i] = t[31 - l];", ROW, CLEAN, False),
    ("remainders of one less", "[32]", "t[(l + 5) % 31] = l; " + FENCE + "o[i] = t[31 - l];", ROW, RACE, True),
    ("negative remainders", "[32]", "t[15 + (l - 16) % 17] = x[i]; " + FENCE + "o[i] = t[l];", ROW, OUTSIDE, False),
    ("exchanged", "[32]", "t[l ^ 5] = x[i]; " + FENCE + "o[i] = t[l];", ROW, CLEAN, False),
    ("pairs", "[65]", "vstore2((float2)(l), l, &t[0][0] + 0); " + FENCE + "o[i] = t[0][l];".replace("[0]", ""), ROW, CLEAN, False),
    ("a bitonic sort", "[32]", BITONIC, ROW, CLEAN, False),
    ("a bitonic sort by both items of a pair", "[32]", BITONIC.replace("if (p > l)", "if (p >= 0)"), ROW, RACE, True),
    ("a bitonic sort without a barrier", "[32]", BITONIC.replace("} " + FENCE + "}", "} }"), ROW, RACE, True),
    ("a bitonic sort with a barrier at every other stride", "[32]", BITONIC.replace("} " + FENCE, "} if (s & 21) " + FENCE), ROW, RACE, True),
    ("a bitonic sort with a barrier at every stride but the first", "[32]", BITONIC.replace("} " + FENCE, "} if (s != 16 || n < 32) " + FENCE),
     ROW, RACE, True),
    ("a bitonic sort with no barrier after the last stride", "[32]", BITONIC.replace("} " + FENCE, "} if (s != 1 || n < 32) " + FENCE),
     ROW, RACE, True),
    ("a bitonic sort with a barrier too few, read at the same place", "[32]", BITONIC.replace("} " + FENCE, "} if (s != 1 || n < 32) " + FENCE)
     .replace("o[i] = t[l]", "o[i] = l & 1 ? 0 : t[l]"), ROW, CLEAN, False),
    ("a bitonic sort of more elements than there are", "[32]", BITONIC.replace("n <= 32", "n <= 64").replace("p > l", "p > l && p < 33"),
     ROW, OUTSIDE, False),
    ("a bitonic sort of as many elements as the launch says", "[32]", BITONIC.replace("n <= 32", "n <= 8 * (int)get_num_groups(0)"), ROW, CLEAN, True),
    ("a bitonic sort of incomplete work-groups", "[32]", BITONIC.replace("p > l", "p > l && p < get_local_size(0)"), EDGE, CLEAN, False),
    ("butterflies", "[64]", BUTTERFLY, ROW, CLEAN, False),
    ("butterflies that overlap", "[64]", BUTTERFLY.replace("l & (s - 1)", "l & s"), ROW, RACE, True),
    ("butterflies of one stride more", "[64]", BUTTERFLY.replace("s < 64", "s <= 64"), ROW, OUTSIDE, False),
    ("a step to the next item's place", "[32]", "t[l] = x[i]; " + FENCE + "for (int k = 0; k < 4; k++) { float v = t[(l + k) & 31]; " + FENCE +
     "t[(l + k) & 31] = v + 1; } " + FENCE + "o[i] = t[l];", ROW, RACE, True),
    ("a step to the next item's place behind a barrier", "[32]", "t[l] = x[i]; for (int k = 0; k < 4; k++) { " + FENCE +
     "float v = t[(l + k) & 31]; t[(l + k) & 31] = v + 1; } " + FENCE + "o[i] = t[l];", ROW, CLEAN, False),
    ("loops that differ between two barriers", "[64]", "for (int s = 1; s < 8; s *= 2) { for (int k = l; k < 64; k += 32) t[k ^ s] = k; " + FENCE +
     "if (l < s) for (int k = 0; k < s; k++) t[l * s + k] = s; " + FENCE + "} o[i] = t[l];", ROW, CLEAN, False),
    ("loops that overlap between two barriers", "[64]", "for (int s = 1; s < 8; s *= 2) { for (int k = l; k < 64; k += 32) t[k ^ s] = k; " + FENCE +
     "if (l < s) for (int k = 0; k <= s; k++) t[l * s + k] = s; " + FENCE + "} o[i] = t[l];", ROW, RACE, True),
    ("a loop that items leave at different iterations", "[32]", "t[l] = 0; " + FENCE + "for (int k = 0; k < 32 && k <= l; k++) t[l ^ (k & 0)] += k; " +
     FENCE + "o[i] = t[31 - l];", ROW, CLEAN, False),
    ("narrow counters that wrap", "[64]", "for (uchar k = l; k < 224; k += 32) t[(uchar)(k + 160) % 64] = l; " + COPIED, ROW, CLEAN, False),
]
CASES = [(n, e, b.replace("&t[0][0] + 0", "t"), h, v, g) for n, e, b, h, v, g in CASES]


def kernel_text(elements, body):
    return ("kernel void k(global float *o, global const float *x) { local float t%s; int l = get_local_id(0), m = get_local_id(1), "
            "i = get_global_id(1) * get_global_size(0) + get_global_id(0); %s }\n" % (elements, body))


def command(text, how, *more):
    source = os.path.join(folder, "k.cl")
    with open(source, "w") as f:
        f.write(text)
    return [refcl, "kernel", "--quiet", *more, "--print", "0", *how.split(), "-a", "buf:512", "-a", "buf:512:iota", source]


def launched(text, how, engine):
    output = os.path.join(folder, "report.json")
    return report(command(text, how, "--json", output), output, engine, {})


def has_tags(text, how):
    """Whether compiled code computes tags of local memory: only for these it counts phases."""
    environment = dict(os.environ, REFCL_ENGINE="jit", REFCL_JIT_DUMP="instrumented")
    dump = subprocess.run(command(text, how), env=environment, capture_output=True, text=True, timeout=600).stderr
    return re.search(r"store i32 .*!alias\.scope", dump) is not None


def compare(name, text, how):
    expected, _ = launched(text, how, "interp")
    found, completed = launched(text, how, "jit")
    difference = differences(expected, found, False)
    check("%s: the same report" % name, difference is None, "%s\n%s\n%s" % (difference, text, how))
    check("%s: the same memory" % name, expected["stdout"] == found["stdout"], "%s\n%s" % (text, how))
    return [f["kind"] for f in expected["findings"]], completed


def cases():
    for name, elements, body, how, verdict, tags in CASES:
        text = kernel_text(elements, body)
        kinds, completed = compare(name, text, how)
        check("%s: %s" % (name, verdict), any(same in (kinds or [CLEAN]) for same in KINDS.get(verdict, [verdict])), kinds)
        check("%s: %scompleted" % (name, "" if verdict == CLEAN else "not "), completed == (verdict == CLEAN))
        check("%s: %stags" % (name, "" if tags else "no "), has_tags(text, how) == tags)


def random_place(r, counter):
    """A subscript of ids and maybe a loop's counter."""
    base = r.choice(["l", "l", "m * 8 + l", "l * 4 + m", "(l ^ %d)" % r.randrange(8), "(l + %d) %% 8" % r.randrange(8), "7 - l", "2 * l", "l / 2",
                     "(l < %d ? l : l + 8)" % r.randrange(9)])
    if counter and r.random() < 0.8:
        base = r.choice(["k", "k", "k + %d * m" % r.choice([8, 32]), "(k & 15)", base + " + 32 * k"])
    return "%s + %d" % (base, r.choice([0, 0, 1, 2, 8, 16, 32]))


def random_path(r):
    """A loop with barriers, in which places depend on its counter."""
    places = ["l", "l", "l ^ s", "l + s", "2 * l - (l & (s - 1))", "2 * l - (l & (s - 1)) + s", "l | s", "l & ~s", "(l * s) & 31", "l / s"]
    guards = ["(l & s) == 0", "(l ^ s) > l", "l < s", "l >= s", "l %% s == 0", "s > 2", "x[s] > 4", "(l & s) != 0"]
    body = ""
    for _ in range(r.choice([1, 2, 2, 3])):
        do = r.choice(["t[%s] = s;", "s1 += t[%s];", "t[%s] += 1;", "s1 = t[%s]; t[%s] = s1;"]).replace("%s", r.choice(places))
        if r.random() < 0.5:
            do = "if (%s) { %s }" % (r.choice(guards).replace("%%", "%"), do)
        if r.random() < 0.2:
            do = "for (int k = %s; k < %d; k += 8) { %s }" % (r.choice(["l", "s", "0"]), r.choice([8, 16]), do.replace("t[l", "t[k"))
        body += do + " " + r.choice(["", "", FENCE, "if (s %s %d) %s" % (r.choice(["<", "!=", "=="]), r.choice([1, 2, 4]), FENCE)])
    head = r.choice(["int s = 1; s < 8; s *= 2", "int s = 8; s > 0; s >>= 1", "int n = 2; n <= 8; n *= 2) for (int s = n / 2; s > 0; s /= 2",
                     "int s = 1; s < 4; s++", "int s = 1; s < 4 + x[1]; s++"])
    before = r.choice(["", "t[l] = 1; ", "t[l] = 1; " + FENCE])
    body = "float s1 = 0; %sfor (%s) { %s%s } %s" % (before, head, body, r.choice(["", FENCE, FENCE]), r.choice(["", "s1 += t[l]; ", "s1 += t[7 - l]; "]))
    return kernel_text("[%d]" % r.choice([16, 32, 32]), body + "o[i] = s1;"), r.choice(["-g 16 -l 8", "-g 8,4 -l 8,1", "-g 14 -l 8"])


def random_kernel(seed):
    r = random.Random(seed)
    if r.random() < 0.3:
        return random_path(r)
    body = ""
    for _ in range(r.choice([1, 2, 2, 3, 4])):
        loop = r.random() < 0.4
        do = r.choice(["t[%s] = l;", "t[%s] = 5;", "s += t[%s];", "t[%s] += 1;"]) % random_place(r, loop)
        if r.random() < 0.5:
            do = "if (%s %s %d) %s" % (r.choice(["l", "l", "m", "l + m", "(l & 3)", "k" if loop else "l"]),
                                       r.choice(["<", "<", ">=", "==", "!="]), r.randrange(9), do)
        if loop:
            do = "for (int k = %s; k < %d; k += %s) { %s }" % (r.choice(["0", "l", "l", "m * 8 + l"]), r.choice([8, 16, 32, 40]),
                                                            r.choice(["1", "8", "8", "32", "get_local_size(0)", "7"]), do)
        body += do + " " + (FENCE if r.random() < 0.4 else "")
    if r.random() < 0.2:
        body = "for (int p = 0; p < 2; p++) { %s }" % body
    how = r.choice(["-g 16 -l 8", "-g 8,4 -l 8,4", "-g 8,8 -l 8,2", "-g 14 -l 8", "-g 8,6 -l 8,4"])
    return kernel_text("[%d]" % r.choice([32, 128, 512]), "float s = 0; " + body + "o[i] = s;"), how


def run_random(seed):
    text, how = random_kernel(seed)
    kinds, completed = compare("random %d" % seed, text, how)
    return kinds, completed, completed and "t[" in text and not has_tags(text, how)


if __name__ == "__main__":
    main(folder, cases, run_random, "completed without tags")
