#!/usr/bin/env python3
"""refcl kernel --auto: contents and sizes with which a kernel does what it is written for, and findings that
name the choice that they depend on."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
import tap
from built import PATIENCE, REFCL
from tap import check

# What is chosen, the kernel, the kinds of findings.
FOUND = [
    ("a number that elements are compared with",
     "kernel void k(global int *level) { if (level[4] == -1) level[4] = (int)get_global_id(0); }", {"data-race"}),
    ("the number of users of a counter that is counted down",
     """kernel void k(global int *data, global atomic_int *users, global int *sum) {
         data[get_global_id(0)] = 1;
         if (atomic_fetch_sub_explicit(users, 1, memory_order_release, memory_scope_device) == 1)
             for (uint i = 0; i < get_global_size(0); i++) *sum += data[i]; }""", {"data-race"}),
    ("unknown distances where a minimum is taken",
     """kernel void k(global atomic_int *distance, global int *changed) {
         int i = (int)get_global_id(0);
         if (atomic_fetch_min_explicit(&distance[i + 1], i, memory_order_relaxed, memory_scope_device) > i) *changed = 1; }""",
     {"uniform-write"}),
    ("a forest of roots",
     """int find(volatile global int *parent, int x) { while (parent[x] != x) x = parent[x]; return x; }
        kernel void k(volatile global int *parent) {
         int a = (int)get_global_id(0), b = a + 1;
         do { a = find(parent, a); b = find(parent, b); }
         while (a != b && atomic_cmpxchg(&parent[max(a, b)], max(a, b), min(a, b)) != max(a, b)); }""", {"data-race"}),
    ("empty lists for links that are no forest",
     """kernel void k(global int *val, global atomic_int *next, global int *out) {
         int id = (int)get_global_id(0) + 1, s = 0;
         val[id] = id;
         atomic_store_explicit(&next[id - 1], id, memory_order_release, memory_scope_device);
         for (int n = atomic_load_explicit(&next[0], memory_order_relaxed, memory_scope_device); n;
              n = atomic_load_explicit(&next[n], memory_order_relaxed, memory_scope_device)) s += val[n];
         out[id - 1] = s; }""", {"data-race"}),
    ("turns that begin with their numbers",
     """kernel void k(global atomic_int *turn, global int *out) {
         int i = (int)get_global_id(0);
         while (atomic_load_explicit(&turn[i % 4], memory_order_relaxed, memory_scope_device) != i % 4) ;
         out[i] = 1; }""", set()),
    ("a semaphore that lets one in",
     """kernel void k(global atomic_int *rooms, global int *sum) {
         int left;
         do left = atomic_load_explicit(rooms, memory_order_relaxed, memory_scope_device);
         while (left <= 0 || !atomic_compare_exchange_weak_explicit(rooms, &left, left - 1, memory_order_acquire, memory_order_relaxed,
                                                                     memory_scope_device));
         *sum += 1;
         atomic_fetch_add_explicit(rooms, 1, memory_order_release, memory_scope_device); }""", set()),
    ("fewer groups before smaller ones",
     """kernel void k(global int *a, global int *o) {
         int l = get_local_id(0), groups = get_num_groups(0), i = get_global_id(0);
         if (l == 0 && get_local_size(0) < 4) o[-1] = 0;
         o[i] = a[7 - i] + groups; }""", set()),
    ("a work-item for each element of a row of a local array",
     """kernel void k(global const int *in, global int *out, int iterations) {
         local int rows[2][16];
         int l = (int)get_local_id(0), now = 0;
         rows[0][l] = in[l];
         for (int r = 0; r < iterations; r++, now ^= 1) {
             barrier(CLK_LOCAL_MEM_FENCE);
             if (r + 1 < iterations) rows[now][l] = in[(r + 1) * 16 + l];
             out[r * 16 + l] = rows[now][15 - l]; } }""", {"data-race", "uninitialized-read", "uninitialized"}),
    ("structures whose members let work-items work",
     """typedef struct { float scale; struct { int n; } in; } limits;
        kernel void k(global int *x, limits l) { if ((int)get_global_id(0) < l.in.n) x[0] += (int)(l.scale + get_global_id(0)); }""", {"data-race"}),
    ("the column of an elimination, which leaves work for all if it is not the last one",
     """kernel void k(global float *a, int n, int column) {
         int i = (int)get_global_id(0) + column + 1;
         if (i >= n) return;
         for (int j = column + 1; j < n; j++) a[(i - 1) * n + j] -= a[column * n + j]; }""", {"data-race"}),
    ("sizes that ids are scaled, limited or divided by are not varied",
     """kernel void k(global const int *in, global int *out, int width, int n, int mask) {
         local int t[16];
         int x = (int)get_global_id(0), y = x / width;
         barrier(CLK_LOCAL_MEM_FENCE);
         if (x >= n) return;
         out[y * width + x % width] = in[x & (mask - 1)]; }""", set()),
    ("an image of integers where texels are integers",
     "kernel void k(read_only image2d_t a, write_only image1d_t b) { int i = get_global_id(0); write_imageui(b, i / 2, read_imageui(a, (int2)(i, 0)) + (uint)i); }",
     {"data-race"}),
    ("tiles of two dimensions in local memory that a constant has",
     """kernel void k(global const float *a, global float *b, int n) {
         local float t[16][17];
         int x = get_local_id(0), y = get_local_id(1);
         t[y][x] = a[get_global_id(1) * n + get_global_id(0)];
         barrier(CLK_LOCAL_MEM_FENCE);
         if (get_local_size(0) == 16 && get_local_size(1) == 16) b[get_group_id(0)] = t[x][y]; }""", {"data-race"}),
    ("... by rows of one array",
     """kernel void k(global const float *a, global float *b, int n) {
         local float t[64];
         int x = get_local_id(0), y = get_local_id(1);
         t[y * 8 + x] = a[get_global_id(1) * n + get_global_id(0)];
         barrier(CLK_LOCAL_MEM_FENCE);
         if (get_local_size(0) == 8 && get_local_size(1) == 8) b[get_group_id(0)] = t[x * 8 + y]; }""", {"data-race"}),
    ("... whose groups begin at multiples of a constant",
     """kernel void k(global const float *a, global float *b, int n) {
         int x = get_group_id(0) * 16 + get_local_id(0), y = get_group_id(1) * 8 + get_local_id(1);
         b[y * n + x] = a[x * n + y]; }""", set()),
    ("tiles of an argument's size",
     """kernel void k(global const float *a, global float *c, int n, int w, local float *t) {
         int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
         float s = 0;
         for (int i = 0; i < n / w; i++) {
             t[ly * w + lx] = a[y * n + i * w + lx];
             barrier(CLK_LOCAL_MEM_FENCE);
             for (int k = 0; k < w; k++) s += t[ly * w + k]; }
         c[y * n + x] = s; }""", {"data-race"}),
    ("work-items beyond the limit",
     """kernel void k(global float *a, int n) {
         local float t[16];
         int i = get_global_id(0), l = get_local_id(0);
         if (i < n) { t[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); a[i] = t[(l + 1) % 16]; } }""", {"barrier-divergence"}),
    ("... but not where it has to be a power of two",
     """kernel void k(global int *a, int n) {
         int i = get_global_id(0);
         if (i < n) a[i & (n - 1)] = i; }""", set()),
    ("what those beyond the limit leave uninitialized",
     """kernel void k(global const float *a, global float *o, int n) {
         local float t[16];
         int i = get_global_id(0), l = get_local_id(0);
         if (i < n) t[l] = a[i];
         barrier(CLK_LOCAL_MEM_FENCE);
         o[i] = t[15 - l]; }""", {"uninitialized-read", "uninitialized"}),
    ("writes of the same value under the first input alone",
     "kernel void k(global const int *in, global int *out) { out[0] = in[get_global_id(0)]; }", {"data-race"}),
    ("... under each input its own", "kernel void k(global const int *in, global int *out) { out[0] = in[1]; }", {"uniform-write"}),
    ("... in local memory", "kernel void k(global const int *in, global int *out) { local int t; t = in[get_local_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = t; }",
     {"data-race"}),
    ("... and by a value of another launch",
     "kernel void k(global int *x, int which) { if (which == 1) x[1] = (int)get_global_id(0); x[0] = which == 1 ? (int)get_global_id(0) : 3; }", {"data-race"}),
    ("components of vectors are no dimensions",
     """kernel void k(global float2 *x) {
         local float2 t[8];
         uint i = get_local_id(0);
         t[i] = (float2)((float)i, 1.0f);
         x[i] = (float2)(t[i].x + t[i].y, t[i].y); }""", set()),
]
# Without a barrier in the loop: in each of four work-groups one other work-item reads each element but the first.
TREE = """__attribute__((reqd_work_group_size(8, 1, 1)))
kernel void sum(global const int *in, global int *out, local int *t) {
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    for (int s = 4; s > 0; s /= 2)
        if (l < s) t[l] += t[l + s];
    if (l == 0) out[get_group_id(0)] = t[0]; }"""
# What a finding depends on, the kernel, the words; None: on nothing.
DEPENDS = [
    ("several work-groups", "kernel void k(global int *a) { size_t i = get_global_id(0); int v = a[i + 1]; barrier(CLK_GLOBAL_MEM_FENCE); a[i] = v; }",
     "not found with -g 4 -l 4"),
    ("the size of a work-group",
     """kernel void k(global int *a) { int i = (int)get_local_id(0), now = 0;
         for (int s = 0; s < 5; s++) { a[(1 - now) * 8 + i] = a[now * 8 + (i + 1) % 8]; now = 1 - now; barrier(CLK_GLOBAL_MEM_FENCE); } }""",
     "not found with -g 8 -l 8"),
    ("several work-items where they do the same", "kernel void k(global int *out) { *out = 7; }", "not found with -g 1 -l 1"),
    ("several work-items in a group, none of which has an id",
     """kernel void k(global int *out) { local int t[4]; t[0] = get_group_id(0); out[get_group_id(0)] = t[0]; }""", "not found with -g 1 -l 1"),
    ("the contents of memory", "kernel void k(global const int *in, global int *out) { if (in[1] > 7) out[0] = (int)get_global_id(0); }",
     "found only with memory that holds random numbers"),
    ("contents, without a race", "kernel void k(global const int *in, global int *out) { if (in[1] > 7) out[-1] = in[2]; }",
     "found only with memory that holds random numbers"),
    ("a value that chooses a branch", "kernel void k(global int *x, int which) { switch (which) { case 1: break; default: x[0] = (int)get_global_id(0); } }",
     "not found with which=1"),
    ("a value that only another launch has", "kernel void k(global int *x, int phase) { if (phase == 1) x[0] = (int)get_global_id(0); }",
     "found only with phase=1"),
    ("a limit that work-items are beyond",
     "kernel void k(global int *x, int n) { if (get_global_id(0) >= n) x[0] = 1; else x[get_global_id(0)] = 0; }", "found only with n=15"),
    ("nothing", "kernel void k(global int *x) { *x += (int)get_global_id(0); }", None),
]


def findings(folder, source, *options, hints=False):
    path, report = os.path.join(folder, "kernel.cl"), os.path.join(folder, "report.json")
    with open(path, "w") as f:
        f.write(source + "\n")
    run = subprocess.run([REFCL, "kernel", "--auto", *options, "--json", report, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         timeout=PATIENCE)
    with open(report) as f:
        found = json.load(f)["findings"]
    return [f for f in found if hints or f["kind"] != "possible-out-of-bounds"], run.stderr


def main():
    if not os.path.exists(REFCL):
        tap.skip_all("%s is not built" % REFCL)
    with tempfile.TemporaryDirectory(prefix="refcl-test.") as folder:
        for name, source, kinds in FOUND:
            found, text = findings(folder, source)
            check(name, {f["kind"] for f in found} == kinds and "reached its step limit" not in text, text)
        found, text = findings(folder, "kernel void k(global int *o) { local int t[4]; o[get_global_id(0)] = t[get_local_id(0)] & 1; }")
        check("the same local memory of each launch that is read before it is written is one finding", "refcl: 1 finding\n" in text, text)
        found, text = findings(folder, TREE)
        check("the same race in local memory of each launch is one finding", [f["count"] for f in found if f["kind"] == "data-race"] == [5 * 4 * 7] and "refcl: 3 findings with 1 cause\n" in text and
              text.index("error: data race on") < text.index("note: the same cause: uninitialized-read on local memory") < text.index("note: the same cause: uninitialized: a value"), text)
        for name, source, words in DEPENDS:
            found, text = findings(folder, source)
            known = {f.get("depends_on") for f in found}
            good = known == {None} if words is None else all(k and words in k for k in known)
            check("a finding that depends on " + name, found and good and (words is None or "that was chosen: " in text), text)
        rows = "kernel void k(global const float *a, global float *b, int n) { int i = get_global_id(0), j = get_global_id(1); if (i < n && j < n%s) b[i * n + j] = a[%s]; }"
        for name, subscript, guard, lines in (("a row below the matrix", "(i + 1) * n + j", "", 1), ("an element behind it", "i * n + j + 1", "", 1), ("no row below it", "i * n + j", "", 0),
                                              ("rows that a condition leaves out", "(i + 1) * n + j", " && i + 1 < n", 0), ("many rows", "(2 * i + 3) * n + j", "", 0)):
            found, text = findings(folder, rows % (guard, subscript), hints=True)
            check(name + ": hints", [f["kind"] for f in found] == lines * ["possible-out-of-bounds"] and text.count("found only where 'a' has one element for each work-item") == lines and
                  ("refcl: no findings\n" in text), text)
        found, text = findings(folder, """kernel void k(global atomic_int *flag, global const int *a, global int *out) {
            out[get_global_id(0)] = a[get_global_id(0) + 1];
            while (atomic_load(flag) != 12345) ; }""", hints=True)
        check("the first launch, where other contents of memory do not let it end, has hints, too",
              [f["kind"] for f in found] == ["step-limit", "possible-out-of-bounds"] and " -g 16 -l 4 " in text, text)
        found, text = findings(folder, """kernel void k(global const int *row, global const int *column, global const float *a, global const float *x, global float *y) {
            int i = get_global_id(0); float s = 0;
            for (int j = row[i]; j < row[i + 1]; j++) s += a[j] * x[column[j]];
            y[i] = s; }""", hints=True)
        check("rows of a sparse matrix: none", found == [], text)
        table = "constant int table[4] = {1, 2, 3, 4};\nkernel void k(global int *a) { a[get_global_id(0)] = table[get_global_id(0) & 7]; }"
        found, text = findings(folder, table)
        check("an access out of bounds that smaller sizes avoid is not passed over", not found and
              "note: not reported, as the chosen sizes may be the cause: with -g 16 -l 4: " in text and "kernel.cl:2: read of 4 bytes" in text, text)
        text = subprocess.run([REFCL, "kernel", "--auto", "--seeds", "1..3", os.path.join(folder, "kernel.cl")], stderr=subprocess.PIPE, text=True,
                              timeout=PATIENCE).stderr
        check("... nor with seeds, each of which runs with the sizes that are reported", "refcl: no findings with the seeds 1 to 3\n" in text and
              " -g 4 -l 2 " in text and "refcl: 1 finding\n" not in text and "not reported, as the chosen sizes may be the cause: with -g 16 -l 4: " in text, text)
        check("nor said where there is none", "not reported" not in findings(folder, table.replace("& 7", "& 3"))[1])
        _, text = findings(folder, "kernel void k(global int *a, global int *out) { out[get_global_id(0)] = a[-1]; }")
        check("an element before the first", "element -1)" in text, text)
        _, text = findings(folder, "kernel void k(global int *a, global int *out) { out[get_global_id(0)] = ((global char *)a)[-1]; }")
        check("... of which the last byte is read", "element -1)" in text, text)
        half = "kernel void k(global int *a, local int *s) { s[2 * get_local_id(0) + 1] = a[get_global_id(0)]; }"
        for options in (["-g", "8192", "-l", "256"], ["-l", "256"], ["-g", "512"]):
            found, text = findings(folder, half, *options)
            check("memory for sizes that are given, " + " ".join(options), found == [] and "not reported" not in text, text)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
