#!/usr/bin/env python3
"""Matrix accesses in instrumented code: subscripts of which the parts of work-items are disjoint or nearly
so, and random ones. Both engines give the same report and final memory. test_grids.py [COUNT [FIRST]]: only
COUNT random kernels, from seed FIRST on."""
import os
import random
import subprocess
import sys
import tempfile

from grid_kernels import Kernel
from slow_instrumented import differences, report
from test_races import refcl

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from random_kernels import main  # noqa: E402
from tap import check  # noqa: E402

folder = tempfile.mkdtemp(prefix="refcl-test.")
os.environ["REFCL_CACHE_DIR"] = "off"
X, Y, Z = ("int x = get_global_id(0);", "int y = get_global_id(1);", "int z = get_global_id(2);")
IDS = X + Y
TILE = ("int p = get_group_id(0), q = get_group_id(1), l = get_local_id(0), m = get_local_id(1);")
CLEAN, RACE, OUTSIDE = "clean", "data-race", "out-of-bounds"

# Name, body, further parameters, launch, verdict, number of compilations: two if parts are found to overlap when the
# launch begins.
CASES = [
    ("rows", IDS + "o[y * w + x] = x;", "int w", "-g 16,8 -l 4,4 -a buf:128 -a 16", CLEAN, 1),
    ("rows one item too short", IDS + "o[y * w + x] = x;", "int w", "-g 16,8 -l 4,4 -a buf:128 -a 15", RACE, 2),
    ("rows of no items", IDS + "o[y * w + x] = y;", "int w", "-g 16,8 -l 4,4 -a buf:128 -a 0", RACE, 2),
    ("columns", IDS + "o[x * h + y] = x;", "long h", "-g 8,16 -l 4,4 -a buf:128 -a 16", CLEAN, 1),
    ("columns too short", IDS + "o[x * h + y] = x;", "long h", "-g 8,16 -l 4,4 -a buf:128 -a 15", RACE, 2),
    ("columns of the global size", IDS + "o[x * get_global_size(1) + y] = x;", "", "-g 8,16 -l 4,4 -a buf:128", CLEAN, 1),
    ("columns of the wrong global size", IDS + "o[x * get_global_size(0) + y] = x;", "", "-g 8,16 -l 4,4 -a buf:128", RACE, 2),
    ("backwards", IDS + "o[127 - y * w - x] = x;", "int w", "-g 16,8 -l 4,4 -a buf:128 -a 16", CLEAN, 1),
    ("backwards, too short", IDS + "o[127 - y * w - x] = x;", "int w", "-g 16,8 -l 4,4 -a buf:128 -a 15", RACE, 2),
    ("against each other", IDS + "o[y * w + 15 - x] = x;", "int w", "-g 16,8 -l 4,4 -a buf:128 -a 16", CLEAN, 1),
    ("against each other, too short", IDS + "o[y * w + 15 - x] = x;", "int w", "-g 16,8 -l 4,4 -a buf:128 -a 15", RACE, 2),
    ("negative rows", IDS + "o[112 + y * w + x] = x;", "int w", "-g 16,8 -l 4,4 -a buf:128 -a -16", CLEAN, 1),
    ("negative rows, too short", IDS + "o[112 + y * w + x] = x;", "int w", "-g 16,8 -l 4,4 -a buf:128 -a -15", RACE, 2),
    ("the next element too", IDS + "o[y * w + x] = o[y * w + x + 1];", "int w", "-g 16,8 -l 4,4 -a buf:130 -a 16", RACE, 1),
    ("the next row too", IDS + "o[y * w + x] = o[y * w + x + w];", "int w", "-g 16,8 -l 4,4 -a buf:144 -a 16", RACE, 2),
    ("another matrix behind", IDS + "o[y * w + x] = o[y * w + x + n * w];", "int w, int n",
     "-g 16,8 -l 4,4 -a buf:256 -a 16 -a 8", CLEAN, 1),
    ("another matrix one element too near", IDS + "o[y * w + x] = o[y * w + x + n * w - 1];", "int w, int n",
     "-g 16,8 -l 4,4 -a buf:256 -a 16 -a 8", RACE, 2),
    ("members in separate arrays", X + "o[x] = 1; o[n + x] = 2; o[5 * n + x] = 3; o[6 * n + x + 2] = 4;", "int n",
     "-g 16 -l 4 -a buf:128 -a 16", CLEAN, 1),
    ("members in arrays one element too short", X + "o[x] = 1; o[n + x] = 2; o[5 * n + x] = 3;", "int n",
     "-g 16 -l 4 -a buf:128 -a 15", RACE, 2),
    ("members of more work-items than arrays have elements", X + "if (x < n) { o[x] = 1; o[n + x] = 2; }", "int n",
     "-g 20 -l 4 -a buf:128 -a 17", CLEAN, 1),
    ("members in arrays at ends of 32 bits", X + "o[x] = 1; c[(uint)x * 4u + n] = 2; c[(uint)x * 4u + m] = x;", "uint n, uint m",
     "-g 16 -l 4 -a buf:16 -a buf:64 -a 0xfffffffc -a 0", RACE, 2),
    ("columns in a loop", X + "for (int i = 0; i < n; i++) o[i * w + x] = x;", "int w, int n", "-g 16 -l 4 -a buf:128 -a 16 -a 8", CLEAN, 1),
    ("columns in a loop, too short", X + "for (int i = 0; i < n; i++) o[i * w + x] = x;", "int w, int n",
     "-g 16 -l 4 -a buf:128 -a 15 -a 8", RACE, 2),
    ("rows in a loop", X + "for (uint i = 0; i < n; i++) o[x * w + i] = x;", "uint w, uint n", "-g 16 -l 4 -a buf:128 -a 8 -a 8", CLEAN, 1),
    ("rows in a loop that is one too long", X + "for (uint i = 0; i <= n; i++) o[x * w + i] = x;", "uint w, uint n",
     "-g 16 -l 4 -a buf:129 -a 8 -a 8", RACE, 2),
    ("rows behind a loop", X + "uint i = 0; for (; i < n; i++) o[x * w + i] = x; o[x * w + i] = x;", "uint w, uint n",
     "-g 16 -l 4 -a buf:129 -a 8 -a 8", RACE, 1),
    ("rows beside a loop", X + "o[x * w] = 5; for (uint i = 1; i < n; i++) o[x * w + i] = x;", "uint w, uint n",
     "-g 16 -l 4 -a buf:128 -a 8 -a 8", CLEAN, 1),
    ("rows that end where a value says", X + "for (uint i = 0; i < n; i++) { o[x * w + i] = x; if (c[i] == x) i += 8; }", "uint w, uint n",
     "-g 16 -l 4 -a buf:160 -a buf:8:fill=3 -a 8 -a 8", CLEAN, 1),
    ("a loop that counts beyond its comparison", X + "for (uint i = 0; i - 1 < n; i++) o[x * w + i] = x; for (int i = 0; i != n; i++) o[x * w + i] = x;",
     "uint w, uint n", "-g 16 -l 4 -a buf:129 -a 8 -a 9", RACE, 1),
    ("a loop that counts down by a large step", X + "for (uint i = 4; i < n; i += m) o[x * w + i] = x;", "uint w, uint n, uint m",
     "-g 16 -l 4 -a buf:128 -a 4 -a 8 -a 0xffffffff", RACE, 2),
    ("loops of which the first is longer", X + "for (int i = 0; i < m; i++) o[x * w + i] = x; for (int i = 0; i < n; i++) o[x * w + i] = 1;",
     "int w, int n, int m", "-g 16 -l 4 -a buf:128 -a 7 -a 4 -a 8", RACE, 2),
    ("loops of which the first is wider", X + "for (int i = 0; i < n; i++) o[x * w + 3 * i] = x; for (int i = 0; i < n; i++) o[x * w + i] = 1;",
     "int w, int n", "-g 16 -l 4 -a buf:128 -a 6 -a 4", RACE, 2),
    ("a loop whose counter wraps around", X + "for (uint i = 0, j = 0; (int)i < n; i += m) { if (i + 64 < 128) c[(uint)x * 16 + i + 32] = x; if (++j == h) break; }",
     "int n, uint m, uint h", "-g 4 -l 4 -a buf:4 -a buf:128 -a 0x7fffffff -a 0x7ffffff0 -a 4", RACE, 2),
    ("a counter that wraps around beside its comparison",
     X + "for (uint i = 0, j = 0;; i += m, j++) { if (i < n) c[(uint)x * 64 + i] = x; if (j == 4) break; }",
     "uint n, uint m", "-g 4 -l 4 -a buf:4 -a buf:512 -a 65 -a 0x40000010", RACE, 1),
    ("a loop from a negative argument", X + "for (int i = m; i < n; i++) o[x * w + i + 4] = x;", "int w, int n, int m",
     "-g 4 -l 4 -a buf:64 -a 7 -a 4 -a -4", RACE, 1),
    ("a loop whose last step is incomplete", X + "for (int i = 0; i < n; i += 3) o[i * w + x * 4] = x;", "int w, int n",
     "-g 16 -l 4 -a buf:128 -a 4 -a 4", RACE, 2),
    ("strides of the launch", "for (int i = get_global_id(0); i < n; i += get_global_size(0)) o[i] += i;", "int n",
     "-g 16 -l 4 -a buf:100 -a 100", CLEAN, 1),
    ("strides shorter than the launch", "for (int i = get_global_id(0); i < n; i += 15) o[i] = get_global_id(0);", "int n", "-g 16 -l 4 -a buf:100 -a 100", RACE, 2),
    ("an element of the group", TILE + "if (l == 0) o[p] = p;", "", "-g 16 -l 4 -a buf:4", CLEAN, 1),
    ("an element of the group, by another work-item", TILE + "if (l == 3) o[p + n] = p;", "int n", "-g 14 -l 4 -a buf:8 -a 4", CLEAN, 1),
    ("an element of the next group, too", TILE + "if (l == 0) { o[p] = p; o[p + 1] = p; }", "", "-g 16 -l 4 -a buf:5", RACE, 2),
    ("an element of two groups", TILE + "if (l == 0) o[p / 2] = p;", "", "-g 16 -l 4 -a buf:4", RACE, 1),
    ("an element that groups share", TILE + "if (l == 0) o[p * n] = p;", "int n", "-g 16 -l 4 -a buf:4 -a 0", RACE, 2),
    ("an element by two work-items of the group", TILE + "if (l == 0) o[p] = p; if (l == 1) o[p] = l;", "", "-g 16 -l 4 -a buf:4", RACE, 1),
    ("an element that all work-items read", TILE + "if (l == 0) o[p] = p; if (o[p] == 77) return;", "", "-g 16 -l 4 -a buf:4", RACE, 1),
    ("an element by all work-items but one", TILE + "if (l != 0) o[p] = l;", "", "-g 16 -l 4 -a buf:4", RACE, 1),
    ("an element by work-items whose ids agree in a byte", TILE + "if ((l & 255) == 0) c[p] = l / 256;", "",
     "-g 1024 -l 512 -a buf:4 -a buf:4", RACE, 1),
    ("an element by the work-item of an argument", TILE + "if (l == n) o[p] = p;", "int n", "-g 16 -l 4 -a buf:4 -a 2", CLEAN, 1),
    ("an element by a row of the group", TILE + "if (l == 0) o[p + q * w] = m;", "int w", "-g 16,8 -l 4,4 -a buf:8 -a 4", RACE, 1),
    ("an element of each group of rows", TILE + "if (l == 0 && m == 2) o[p + q * w] = m;", "int w", "-g 16,8 -l 4,4 -a buf:8 -a 4", CLEAN, 1),
    ("rolled back, elements of groups", TILE + "if (l == 1) o[p + l] += 5; if (l == 1) c[0] = p;", "", "-g 16 -l 4 -a buf:8:iota -a buf:4", RACE, 1),
    ("rolled back, a loop", X + "for (int i = 0; i < n; i++) o[i * w + x] += 5; c[0] = x;", "int w, int n",
     "-g 16 -l 4 -a buf:128:iota -a buf:4 -a 16 -a 8", RACE, 1),
    ("pairs", IDS + "o[2 * (y * w + x)] = x; o[2 * (y * w + x) + 1] = y;", "int w", "-g 16,8 -l 4,4 -a buf:256 -a 16", CLEAN, 1),
    ("pairs and one more", IDS + "o[2 * (y * w + x)] = x; o[2 * (y * w + x) + 2] = y;", "int w",
     "-g 16,8 -l 4,4 -a buf:258 -a 16", RACE, 1),
    ("a margin", IDS + "o[(y + 1) * (w + 2) + x + 1] = x;", "int w", "-g 16,8 -l 4,4 -a buf:180 -a 16", CLEAN, 1),
    ("a margin that is missing", IDS + "o[(y + 1) * (w - 1) + x + 1] = x;", "int w", "-g 16,8 -l 4,4 -a buf:180 -a 16", RACE, 2),
    ("wraps onto a row", IDS + "if (y == 0 || y == 4) c[(uint)y * w + x] = y;", "uint w",
     "-g 16,8 -l 4,4 -a buf:4 -a buf:16 -a 0x40000000", RACE, 2),
    ("wraps onto a row, by constants", IDS + "if (y == 0 || y == 4) c[(uint)y * 0x40000000u + x] = y;", "",
     "-g 16,8 -l 4,4 -a buf:4 -a buf:16", RACE, 2),
    ("wraps onto a row as int", IDS + "if (y == 0 || y == 4) c[as_int((uint)y * w) + x] = y;", "uint w",
     "-g 16,8 -l 4,4 -a buf:4 -a buf:16 -a 0x40000000", RACE, 2),
    ("wide rows do not wrap", IDS + "if (y == 0 || y == 4) c[y / 4 * 16 + x] = x;", "", "-g 16,8 -l 4,4 -a buf:4 -a buf:32", CLEAN, 1),
    ("guarded", IDS + "if (x < w && y < 8) o[y * w + x] = x;", "int w", "-g 24,10 -l 4,5 -a buf:128 -a 16", CLEAN, 1),
    ("guarded by an early return", IDS + "if (x >= w) return; o[y * w + x] = x;", "int w", "-g 24,8 -l 4,4 -a buf:128 -a 16", CLEAN, 1),
    ("guarded by a difference", IDS + "if (x < n - t && y < 8) o[y * w + x + t] = x;", "int w, int n, int t",
     "-g 24,8 -l 4,4 -a buf:128 -a 16 -a 16 -a 3", CLEAN, 1),
    ("guarded one item too late", IDS + "if (x <= w) o[y * w + x] = x;", "int w", "-g 24,8 -l 4,4 -a buf:132 -a 16", RACE, 2),
    ("guarded in the wrong dimension", IDS + "if (y < w) o[y * w + x] = x;", "int w", "-g 24,8 -l 4,4 -a buf:140 -a 16", RACE, 2),
    ("guarded on the other side", IDS + "if (x < w) return; o[y * w + x] = x;", "int w", "-g 40,8 -l 4,4 -a buf:160 -a 16", RACE, 2),
    ("one of two guarded", IDS + "if (x < w) o[y * w + x] = x; o[y * w + x] += 1;", "int w", "-g 24,8 -l 4,4 -a buf:140 -a 16", RACE, 2),
    ("the other of two guarded", IDS + "o[y * w + x] = x; if (x < w) o[y * w + x] += 1;", "int w", "-g 24,8 -l 4,4 -a buf:140 -a 16", RACE, 2),
    ("five guarded differently", IDS + "if (x < 1) o[y * w + x] = 1; if (x < 2) o[y * w + x] = 2; "
     "if (x < 3) o[y * w + x] = 3; if (x < 20) o[y * w + x] = y; if (x < 4) o[y * w + x] = 4;", "int w", "-g 24,8 -l 4,4 -a buf:140 -a 16", RACE, 2),
    ("guarded or not", IDS + "if (x < w || y < 4) o[y * w + x] = x;", "int w", "-g 24,8 -l 4,4 -a buf:140 -a 16", RACE, 2),
    ("guarded or not, in one condition", IDS + "if ((x < w) | (y < 4)) o[y * w + x] = x;", "int w", "-g 24,8 -l 4,4 -a buf:140 -a 16", RACE, 2),
    ("guarded, in one condition", IDS + "if ((x < w) & (y < 8)) o[y * w + x] = x;", "int w", "-g 24,8 -l 4,4 -a buf:128 -a 16", CLEAN, 1),
    ("not guarded, in one condition", IDS + "if (!((x < w) & (y < 8))) o[y * w + x] = x;", "int w", "-g 40,8 -l 4,4 -a buf:160 -a 16", RACE, 2),
    ("guarded by a difference that wraps", IDS + "if ((uint)x < n - 5) o[y * w + x] = x;", "int w, uint n",
     "-g 24,8 -l 4,4 -a buf:140 -a 16 -a 4", RACE, 2),
    ("guarded by -1 without a sign", IDS + "if ((uint)x < (uint)n) o[y * w + x] = x;", "int w, int n",
     "-g 24,8 -l 4,4 -a buf:140 -a 16 -a -1", RACE, 2),
    ("guarded by what wraps before a cast", IDS + "if ((ulong)x < (ulong)(n - 5u) + 5ul) o[y * w + x] = x;", "int w, uint n",
     "-g 24,8 -l 4,4 -a buf:140 -a 16 -a 4", RACE, 2),
    ("guarded by a byte", IDS + "if (x < (uchar)n) o[y * w + x] = x;", "int w, int n", "-g 24,8 -l 4,4 -a buf:140 -a 16 -a 280", RACE, 2),
    ("guarded by a product", IDS + "if (x < n * n) o[y * w + x] = x;", "int w, int n", "-g 24,8 -l 4,4 -a buf:128 -a 16 -a 4", CLEAN, 1),
    ("guarded by a product that wraps", IDS + "if ((uint)x < n * n) o[y * w + x] = x;", "int w, uint n",
     "-g 24,8 -l 4,4 -a buf:140 -a 16 -a 0x80000000", CLEAN, 2),
    ("guarded by a product of longs", IDS + "if (x < n * n + 4) o[y * w + x] = y;", "int w, long n",
     "-g 16,8 -l 4,4 -a buf:64 -a 4 -a 65536", RACE, 2),
    ("guarded by a difference of longs that wraps", IDS + "if ((ulong)x < n - 5) o[y * w + x] = y;", "int w, ulong n",
     "-g 16,8 -l 4,4 -a buf:64 -a 4 -a 4", RACE, 2),
    ("guarded by values that cancel but for their casts", IDS + "if ((ulong)x < (ulong)(uint)n - (ulong)(long)n + 8ul) o[y * w + x] = y;",
     "int w, int n", "-g 16,8 -l 4,4 -a buf:128 -a 8 -a -1", RACE, 2),
    ("guarded by more than a word", IDS + "if ((ulong)x < n + 0x100000000ul) o[y * w + x] = y;", "int w, ulong n",
     "-g 16,8 -l 4,4 -a buf:128 -a 8 -a 8", RACE, 2),
    ("guarded by loaded values", IDS + "if (x < c[0]) o[y * w + x] = x;", "int w", "-g 24,8 -l 4,4 -a buf:140 -a buf:4:fill=24 -a 16", RACE, 2),
    ("offsets of ids", IDS + "o[y * w + x] = x;", "int w", "-g 8,4 --offset 8,2 -l 4,4 -a buf:128 -a 16", CLEAN, 1),
    ("offsets of ids, too short", IDS + "o[y * w + x] = x;", "int w", "-g 8,4 --offset 8,2 -l 4,4 -a buf:128 -a 7", RACE, 2),
    ("offsets of ids beside a guard", IDS + "if (x < 16) o[y * w + x] = x;", "int w", "-g 16,4 --offset 8,2 -l 4,4 -a buf:128 -a 8", CLEAN, 1),
    ("a tile transposed", TILE + "o[(q * 4 + l) * h + p * 4 + m] = l;", "int h", "-g 8,16 -l 4,4 -a buf:128 -a 8", CLEAN, 1),
    ("tiles that overlap", TILE + "o[(q * 4 + l) * h + p * 3 + m] = m;", "int h", "-g 8,16 -l 4,4 -a buf:128 -a 8", RACE, 2),
    ("tiles of the next rows", TILE + "o[(q * 4 + l) * h + p * 4 + m] = l;", "int h", "-g 8,16 -l 4,4 -a buf:128 -a 7", RACE, 2),
    ("elements at a group's", TILE + "o[p * 8 + l] = 1; o[p * 8 + l + 4] = 2;", "", "-g 16 -l 4 -a buf:64", CLEAN, 1),
    ("pairs at a group's", TILE + "o[p * 8 + 2 * l] = 1; o[p * 8 + 2 * l + 1] = 2;", "", "-g 16 -l 4 -a buf:64", CLEAN, 1),
    ("pairs beyond a group's", TILE + "o[p * 7 + 2 * l] = 1; o[p * 7 + 2 * l + 1] = 2;", "", "-g 16 -l 4 -a buf:64", RACE, 2),
    ("global ids less local ones", TILE + X + "o[(x - l) * w] = l;", "int w", "-g 16 -l 4 -a buf:64 -a 2", RACE, 2),
    ("global ids against a group's", TILE + X + "o[p * 8 - x + 20] = l;", "", "-g 16 -l 4 -a buf:64", CLEAN, 1),
    ("global ids against too close a group's", TILE + X + "o[p * 6 - x + 20] = l;", "", "-g 16 -l 4 -a buf:64", RACE, 2),
    ("incomplete work-groups", TILE + IDS + "o[y * w + p * 4 + l] = 1;", "int w", "-g 10,6 -l 4,4 -a buf:72 -a 12", CLEAN, 1),
    ("incomplete work-groups, too short", TILE + IDS + "o[y * w + p * 4 + l] = y;", "int w", "-g 10,6 -l 4,4 -a buf:72 -a 9", RACE, 2),
    ("distances in local memory", X + "o[x * 8] = x; o[x * 8 + (q - p)] = x;", "local int *p, local int *q",
     "-g 16 -l 4 -a buf:160 -a local:128 -a local:4", RACE, 1),
    ("both guarded and zero", IDS + "if (((x < w) & (y < 8)) != 0) o[y * w + x] = x;", "int w", "-g 24,10 -l 4,5 -a buf:128 -a 16", CLEAN, 1),
    ("both guarded or zero", IDS + "if (((x < w) & (y < 8)) == 0) o[y * w + x] = x;", "int w", "-g 40,8 -l 4,4 -a buf:320 -a 16", RACE, 2),
    ("no guard holds", IDS + "if (!((x >= w) | (y >= 8))) o[y * w + x] = x;", "int w", "-g 24,10 -l 4,5 -a buf:128 -a 16", CLEAN, 1),
    ("bits of two values", IDS + "if ((x < w) & n) o[y * w + x] = x;", "int w, int n", "-g 24,8 -l 4,4 -a buf:128 -a 16 -a 1", CLEAN, 1),
    ("rows of a short", IDS + "o[y * (short)w + x] = y;", "int w", "-g 16,8 -l 4,4 -a buf:128 -a 65551", RACE, 1),
    ("a product of three values", IDS + "o[y * w * h * n + x] = y;", "int w, int h, int n", "-g 16,8 -l 4,4 -a buf:128 -a 16 -a 1 -a 0", RACE, 1),
    ("rows and columns", IDS + "o[y * w + x] = x; o[x * h + y] = y;", "int w, int h", "-g 16,8 -l 4,4 -a buf:128 -a 16 -a 8", RACE, 1),
    ("volumes", X + Y + Z + "o[(z * h + y) * w + x] = x;", "int w, int h", "-g 4,4,4 -l 2,2,2 -a buf:64 -a 4 -a 4", CLEAN, 1),
    ("volumes too low", X + Y + Z + "o[(z * h + y) * w + x] = z;", "int w, int h", "-g 4,4,4 -l 2,2,2 -a buf:64 -a 4 -a 3", RACE, 2),
    ("planes of volumes", X + Y + Z + "o[y * w + x] = z;", "int w", "-g 4,4,4 -l 2,2,1 -a buf:64 -a 4", RACE, 2),
    ("vectors", IDS + "((global int4 *)o)[y * w + x] = x;", "int w", "-g 16,8 -l 4,4 -a buf:512 -a 16", CLEAN, 1),
    ("an element, and a vector there", X + "c[x * w] = 1; vstore2((uchar2)(2), 0, c + x * w);", "int w", "-g 16 -l 4 -a buf:4 -a buf:64 -a 1", RACE, 2),
    ("vectors across elements", IDS + "vstore4((int4)(x), 0, o + y * w + x);", "int w", "-g 16,8 -l 4,4 -a buf:132 -a 16", RACE, 1),
    ("rolled back", IDS + "o[y * w + x] += x; c[0] = x;", "int w", "-g 16,8 -l 4,4 -a buf:256:iota -a buf:4 -a 16", RACE, 1),
    ("rolled back, backwards", IDS + "o[x - y * w + 120] += x; c[0] = x;", "int w", "-g 16,8 -l 4,4 -a buf:256:iota -a buf:4 -a 16", RACE, 1),
    ("rolled back behind offsets of ids", IDS + "o[y * w + x] += x; c[0] = x;", "int w",
     "-g 16,8 --offset 8,2 -l 4,4 -a buf:256:iota -a buf:4 -a 16", RACE, 1),
    ("rolled back where offsets wrap", IDS + "if (y == 2) o[n - y * w + x] += x; c[0] = x;", "uint w, uint n",
     "-g 16,3 -l 4,1 -a buf:256:iota -a buf:4 -a 0x10000000 -a 0x20000000", RACE, 1),
    ("rolled back beside a guard", IDS + "if (x < w) o[y * w + x + 9] += x; c[0] = x;", "int w",
     "-g 24,8 -l 4,4 -a buf:256:iota -a buf:4 -a 16", RACE, 1),
    ("rolled back, rows behind the end", IDS + "o[y * w + x] += x; c[0] = x;", "int w", "-g 16,8 -l 4,4 -a buf:100:iota -a buf:4 -a 16", OUTSIDE, 1),
    ("a row above that all read", IDS + "if (x < n - 1 - t && y < n - t) o[n * (x + 1 + t) + y + t] -= o[n * t + y + t + m];", "int n, int t, int m",
     "-g 16,16 -l 4,4 -a buf:260:iota -a 16 -a 3 -a 3", CLEAN, 1),
    ("a row above and one element more", IDS + "if (x < n - 1 - t && y < n - t) o[n * (x + 1 + t) + y + t] -= o[n * t + y + t + m];", "int n, int t, int m",
     "-g 16,16 -l 4,4 -a buf:260:iota -a 16 -a 3 -a 4", RACE, 2),
    ("the first row, which all read", IDS + "o[n * x + y] -= o[y];", "int n", "-g 16,16 -l 4,4 -a buf:260:iota -a 16", RACE, 1),
    ("a row below that all read", IDS + "o[n * x + y] -= o[n * m + y];", "int n, int m", "-g 16,16 -l 4,4 -a buf:280:iota -a 16 -a 16", CLEAN, 1),
    ("the last row, which all read", IDS + "o[n * x + y] -= o[n * m + y];", "int n, int m", "-g 16,16 -l 4,4 -a buf:280:iota -a 16 -a 15", RACE, 2),
    ("a row below that all read, one element too early", IDS + "o[n * x + y] -= o[n * m + y - 1];", "int n, int m",
     "-g 16,16 -l 4,4 -a buf:280:iota -a 16 -a 16", RACE, 2),
    ("a row below that all read before, one element too early", IDS + "int s = o[n * m + y - k]; o[n * x + y] = s;", "int n, int m, int k",
     "-g 16,16 -l 4,4 -a buf:280:iota -a 16 -a 16 -a 1", RACE, 2),
    ("a row below that all read afterwards, one element too early", IDS + "o[n * x + y] = 0; if (o[n * m + y - k] == 77) return;", "int n, int m, int k",
     "-g 16,16 -l 4,4 -a buf:280:iota -a 16 -a 16 -a 1", RACE, 2),
    ("a row above that all read afterwards, one element more", IDS + "o[n * x + y + n] = 0; if (o[y + k] == 77) return;", "int n, int k",
     "-g 16,16 -l 4,4 -a buf:280:iota -a 16 -a 1", RACE, 2),
    ("a row above that all read afterwards", IDS + "o[n * x + y + n] = 0; if (o[y + k] == 77) return;", "int n, int k",
     "-g 16,16 -l 4,4 -a buf:280:iota -a 16 -a 0", CLEAN, 1),
    ("columns beside that all read", IDS + "int s = 0; for (int i = 0; i < m; i++) s += o[(x + 4) * w + i]; o[(x + 4) * w + y + 4] = s;", "int w, int m",
     "-g 16,16 -l 4,4 -a buf:400:iota -a 20 -a 4", CLEAN, 1),
    ("columns beside, one more", IDS + "int s = 0; for (int i = 0; i < m; i++) s += o[(x + 4) * w + i]; o[(x + 4) * w + y + 4] = s;", "int w, int m",
     "-g 16,16 -l 4,4 -a buf:400:iota -a 20 -a 5", RACE, 2),
    ("columns beside in rows that are too short", IDS + "int s = 0; for (int i = 0; i < m; i++) s += o[(x + 4) * w + i]; o[(x + 4) * w + y + 4] = s;",
     "int w, int m", "-g 16,16 -l 4,4 -a buf:400:iota -a 19 -a 4", RACE, 2),
    ("columns beside modulo 2^32", X + "c[x + 64] = 5; if (x % 4 == 0 && c[(uint)x * w + x + n] == 77) return;", "uint w, uint n",
     "-g 16 -l 4 -a buf:4 -a buf:96 -a 0x40000000 -a 60", RACE, 2),
    ("a row and a column of a pivot", IDS + "if (x > k && y > k) o[y * w + x] -= o[y * w + k] * o[k * w + x];", "int w, int k",
     "-g 16,16 -l 4,4 -a buf:256:iota -a 16 -a 5", CLEAN, 1),
    ("a row of a pivot, written too", IDS + "if (x > k && y >= k) o[y * w + x] -= o[y * w + k] * o[k * w + x];", "int w, int k",
     "-g 16,16 -l 4,4 -a buf:256:iota -a 16 -a 5", RACE, 2),
    ("a column of a pivot, written too", IDS + "if (!(x < k) && y > k) o[y * w + x] -= o[y * w + k] * o[k * w + x];", "int w, int k",
     "-g 16,16 -l 4,4 -a buf:256:iota -a 16 -a 5", RACE, 2),
    ("a pivot on either side", IDS + "if (x > k || y > k) o[y * w + x] -= o[y * w + k] * o[k * w + x];", "int w, int k",
     "-g 16,16 -l 4,4 -a buf:256:iota -a 16 -a 5", RACE, 2),
    ("a pivot behind a difference that wraps", IDS + "if (x > (int)(k - 8u) && y > k) o[y * w + x] -= o[y * w + k] * o[k * w + x];", "int w, int k",
     "-g 16,16 -l 4,4 -a buf:256:iota -a 16 -a 5", RACE, 2),
    ("a pivot by one of two accesses", IDS + "if (x > k && y > k) o[y * w + x] -= o[y * w + k]; if (y > k) o[y * w + x] += 1;", "int w, int k",
     "-g 16,16 -l 4,4 -a buf:256:iota -a 16 -a 5", RACE, 2),
    ("an element of one column", IDS + "if (y == 0) o[x + 1 + t] -= o[t];", "int t", "-g 8,8 -l 4,4 -a buf:16:iota -a 5", CLEAN, 1),
    ("an element of one column, read", IDS + "if (y == 0) o[x + 1 + t] -= o[t + n];", "int t, int n", "-g 8,8 -l 4,4 -a buf:16:iota -a 5 -a 1", RACE, 2),
    ("an element of one column, the column of an argument", IDS + "if (y == n) o[x] = x;", "int n", "-g 8,8 -l 4,4 -a buf:16 -a 2", CLEAN, 1),
    ("an element of two columns", IDS + "if (y <= 1) o[x] = y;", "", "-g 8,8 -l 4,4 -a buf:16", RACE, 1),
    ("an element of all columns but one", IDS + "if (y != 0) o[x] = y;", "", "-g 8,8 -l 4,4 -a buf:16", RACE, 1),
    ("an element of a column or another", IDS + "if (y == 0) o[x] = y; if (y == 1) o[x] = y;", "", "-g 8,8 -l 4,4 -a buf:16", RACE, 1),
    ("elements by one work-group", TILE + "if (p == 0) o[l] = l;", "", "-g 16 -l 4 -a buf:4", CLEAN, 1),
    ("elements by the work-group of an argument", TILE + "if (p >= n && p < n + 1) o[l] = l;", "int n", "-g 16 -l 4 -a buf:4 -a 2", CLEAN, 1),
    ("elements by two work-groups", TILE + "if (p >= n && p <= n + 1) o[l] = p;", "int n", "-g 16 -l 4 -a buf:4 -a 2", RACE, 2),
    ("elements by half of the work-group", TILE + "if (l < n) o[p * 4 + l] = p; if (l >= n) c[p * 4 + l] = l;", "int n",
     "-g 32 -l 8 -a buf:16 -a buf:20 -a 4", CLEAN, 1),
    ("elements by more than half of the work-group", TILE + "if (l < n) o[p * 4 + l] = p;", "int n", "-g 32 -l 8 -a buf:20 -a 5", RACE, 2),
    ("elements by more than the other half of the work-group", TILE + "if (l > n) o[p * 4 + l] = p;", "int n",
     "-g 32 -l 8 -a buf:20 -a 2", RACE, 2),
    ("a row and a column", IDS + "if (y == 0) o[x + 1] = x; if (x == 0) o[(y + 1) * w] = y;", "int w", "-g 16,8 -l 4,4 -a buf:160 -a 17", CLEAN, 1),
    ("a row and a column that cross", IDS + "if (y == 0) o[x + 1] = x; if (x == 0) o[(y + 1) * w] = y;", "int w", "-g 16,8 -l 4,4 -a buf:160 -a 16", RACE, 2),
    ("a place that advances with a loop", X + "int at = x; for (int i = 0; i < n; i++) { o[at] = i; at += w; }", "int w, int n",
     "-g 16 -l 4 -a buf:128 -a 16 -a 8", CLEAN, 1),
    ("a place that advances too little", X + "int at = x; for (int i = 0; i < n; i++) { o[at] = i; at += w; }", "int w, int n",
     "-g 16 -l 4 -a buf:128 -a 15 -a 8", RACE, 2),
    ("a place that advances in some iterations", X + "int at = x; for (int i = 0; i < n; i++) { o[at] = i; if (c[i] != x) at += w; }", "int w, int n",
     "-g 16 -l 4 -a buf:128 -a buf:8:fill=3 -a 16 -a 8", CLEAN, 1),
    ("a place that advances in some iterations, onto another's", X + "int at = x; for (int i = 0; i < n; i++) { o[at] = i; if (c[i] == x) at += w; }",
     "int w, int n", "-g 16 -l 4 -a buf:128 -a buf:8:fill=3 -a 1 -a 8", RACE, 1),
    ("a place that doubles", X + "uint at = x + 1; for (int i = 0; i < n; i++) { o[at] = i; at += at; }", "int n", "-g 16 -l 4 -a buf:128 -a 3", RACE, 1),
    ("rolled back, a row and a column", IDS + "if (y == 0) o[x + 1] += x; if (x == 0) o[(y + 1) * w] += y; c[0] = x;", "int w",
     "-g 16,8 -l 4,4 -a buf:160:iota -a buf:4 -a 17", RACE, 1),
    ("rolled back behind a pivot", IDS + "if (x > k && y > k) o[y * w + x] -= o[y * w + k] * o[k * w + x]; c[0] = x;", "int w, int k",
     "-g 16,16 -l 4,4 -a buf:256:iota -a buf:4 -a 16 -a 5", RACE, 1),
    ("rolled back, elements of half of the work-group", TILE + "if (l > n) o[p * 4 + l] += p; c[0] = l;", "int n",
     "-g 32 -l 8 -a buf:20:iota -a buf:4 -a 3", RACE, 1),
    ("rows beside a loop of no iterations, read", IDS + "if (y == 0) { o[x * w] = 5; for (uint i = 1; i < n; i++) o[x * w + i] = x; } "
     "if (o[y + m] == 77) return;", "uint w, uint n, uint m", "-g 16,4 -l 4,4 -a buf:128 -a 8 -a 0 -a 0", RACE, 2),
    ("rolled back, rows beside a loop of no iterations", X + "o[x * w] += 5; for (uint i = 1; i < n; i++) o[x * w + i] += x; c[0] = x;",
     "uint w, uint n", "-g 16 -l 4 -a buf:128:iota -a buf:4 -a 8 -a 0", RACE, 1),
    ("loops from different starts", X + "for (uint i = 1; i < n; i++) o[x * w + i] = x; for (uint i = 0; i < m; i++) o[x * w + i] += 1;",
     "uint w, uint n, uint m", "-g 16 -l 4 -a buf:128 -a 8 -a 8 -a 7", CLEAN, 1),
    ("loops from different starts, one too long", X + "for (uint i = 1; i < n; i++) o[x * w + i] = x; for (uint i = 0; i < m; i++) o[x * w + i] += 1;",
     "uint w, uint n, uint m", "-g 16 -l 4 -a buf:160 -a 8 -a 8 -a 9", RACE, 2),
    ("loops from different starts, the first too long", X + "for (uint i = 1; i < n; i++) o[x * w + i] = x; for (uint i = 0; i < m; i++) o[x * w + i] += 1;",
     "uint w, uint n, uint m", "-g 16 -l 4 -a buf:160 -a 8 -a 9 -a 7", RACE, 2),
    ("halves of the work-group, in rows and columns", TILE + "if (l < 4) { for (int i = 0; i < 4; i++) o[i * w + p * 4 + l + 4] += o[i * w + l]; } "
     "else { for (int i = 0; i < 4; i++) o[(p * 4 + 4 + i) * w + l - 4] += o[i * w + l - 4]; }", "int w",
     "-g 24 -l 8 -a buf:400:iota -a 16", CLEAN, 1),
    ("halves of the work-group, one element too far", TILE + "if (l < 4) { for (int i = 0; i < 4; i++) o[i * w + p * 4 + l + 4] += o[i * w + l]; } "
     "else { for (int i = 0; i < 4; i++) o[(p * 4 + 4 + i) * w + l - 4] += o[i * w + l - n]; }", "int w, int n",
     "-g 24 -l 8 -a buf:400:iota -a 16 -a 3", RACE, 2),
    ("halves of the work-group that are no halves", TILE + "if (l < n) { for (int i = 0; i < 4; i++) o[i * w + p * 4 + l + 4] += o[i * w + l]; } "
     "else { for (int i = 0; i < 4; i++) o[(p * 4 + 4 + i) * w + l - 4] += o[i * w + l - 4]; }", "int w, int n",
     "-g 24 -l 8 -a buf:400:iota -a 16 -a 5", RACE, 2),
    ("rolled back, guarded by an argument", IDS + "if (x < w) { o[y * w + x] = x; c[0] = x; }", "int w",
     "-g 24,8 -l 4,4 -a buf:128:iota -a buf:4 -a 16", RACE, 1),
    ("rolled back, guarded by what a race changes", X + "int before = c[0]; c[0] = x; if (before == n) o[x] = 77;", "int n",
     "-g 16 -l 16 -a buf:16:iota -a buf:4:fill=3 -a 3", RACE, 1),
    ("arguments that change", IDS + "w -= 1; o[y * w + x] = x;", "int w", "-g 16,8 -l 4,4 -a buf:128 -a 17", CLEAN, 1),
    ("arguments that change differently", IDS + "w -= y == 3; o[y * w + x] = x;", "int w", "-g 16,8 -l 4,4 -a buf:128 -a 16", RACE, 1),
]


def kernel_text(body, parameters):
    listed = ["global int *o"] + ["global uchar *c"] * ("c[" in body) + [parameters] * (parameters != "")
    return "kernel void k(%s) { %s }\n" % (", ".join(listed), body)


def launched(text, how, engine):
    """The report, whether compiled code completed the launch, and what it left in memory."""
    source, output = os.path.join(folder, "k.cl"), os.path.join(folder, "report.json")
    with open(source, "w") as f:
        f.write(text)
    command = [refcl, "kernel", "--quiet", "--json", output, "--print", "0", *how.split(), source]
    result = report(command, output, engine, {})
    if "clBuildProgram" in result[0]["stderr"]:
        raise ValueError("%s\n%s" % (result[0]["stderr"], text))
    return result


def compare(name, text, how):
    expected, _ = launched(text, how, "interp")
    found, completed = launched(text, how, "jit")
    difference = differences(expected, found, False)
    check("%s: the same report" % name, difference is None, "%s\n%s\n%s" % (difference, text, how))
    check("%s: the same memory" % name, expected["stdout"] == found["stdout"], "%s\n%s" % (text, how))
    return [f["kind"] for f in expected["findings"]], found["stderr"].count(": compiled,"), completed


def cases():
    for name, body, parameters, how, verdict, compilations in CASES:
        kinds, compiled, completed = compare(name, kernel_text(body, parameters), how)
        check("%s: %s" % (name, verdict), verdict in (kinds or [CLEAN]), kinds)
        check("%s: compiled %d times" % (name, compilations), compiled == compilations, compiled)
        check("%s: %scompleted" % (name, "" if verdict == CLEAN else "not "), completed == (verdict == CLEAN))


def subscript(r, dimensions, wide):
    """A sum of products of ids and sizes: rows, columns, planes, tiles, whose order may differ from that of
    the sizes."""
    steps = ["1", "2", "3", "w", "w", "(w + 1)", "(w - 1)", "2 * w", "h", "w * h", "(w + h)", "get_global_size(0)", "0x10000000"]
    order = r.sample(steps[:1] + r.choices(steps, k=2), 3) if r.random() < 0.8 else r.choices(steps, k=3)
    text = []
    for k in range(dimensions):
        one = "get_global_id(%d)" % k
        if r.random() < 0.2:
            one = "(get_group_id(%d) * %d + get_local_id(%d))" % (k, r.choice([2, 3, 4]), k)
        text.append("%s(%s)%s * %s" % (r.choice("++++-"), r.choice(["int", "uint", "long"]), one, order[k]))
    return "".join(text), r.choice([0, 0, 1, 2, 40, 64]) + (64 if "-" in "".join(text) else 0)


def random_kernel(seed):
    r = random.Random(seed)
    dimensions = r.choice([1, 2, 2, 2, 3])
    local = [r.choice([1, 2, 3, 4]) for _ in range(dimensions)]
    size = [n * r.choice([1, 2, 3]) - (r.random() < 0.15 and n > 1) for n in local]
    local = [min(a, b) for a, b in zip(local, size)]
    kind = r.choice(["int", "int", "uint", "long", "ulong"])
    index, first = subscript(r, dimensions, False)
    body = ""
    for _ in range(r.choice([1, 1, 2, 3])):
        if r.random() < 0.2:
            index, first = subscript(r, dimensions, False)
        at = "%s + %s" % (index, r.choice([str(first), str(first), str(first + 1), "%d + w" % first, "%d - h" % (first + 8)]))
        do = r.choice(["o[%s] = 5;", "o[%s] += 3;", "o[%s] = get_global_id(0);", "if (o[%s] == 77) return;"]) % at
        bound = r.choice(["w", "h", "w - 1", "w * h", "n - 4", "3", "get_global_size(0) - 1"])
        guard = "get_global_id(%d) %s %s" % (r.randrange(dimensions), r.choice(["<", "<", "<=", ">=", ">", "==", "!="]), bound)
        body += "%s%s " % ("if ((%s)%s) " % (r.choice(["int", "uint", "ulong"]), guard) if r.random() < 0.5 else "", do)
    text = "kernel void k(global %s *o, %s w, %s h, int n) { %s}\n" % (r.choice(["int", "int", "char", "long"]), kind, kind, body)
    w, h = (max(0, r.choice(size) * r.choice([1, 1, 1, 2]) + r.choice([0, 0, 0, -1, 1])) for _ in "wh")
    if r.random() < 0.3:
        w = size[0]
    how = "-g %s -l %s%s -a buf:400:iota -a %d -a %d -a %d" % (
        ",".join(map(str, size)), ",".join(map(str, local)), " --offset %d" % r.choice([1, 5]) if r.random() < 0.15 else "", w, h,
        r.choice([1, 4, 8, 20]))
    return text, how


def run_random(seed):
    text, how = Kernel(seed // 2).text() if seed % 2 else random_kernel(seed)
    kinds, compiled, completed = compare("random %d" % seed, text, how)
    return kinds, completed, compiled == 2


if __name__ == "__main__":
    main(folder, cases, run_random, "compiled again")
