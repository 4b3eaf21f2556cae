#!/usr/bin/env python3
"""One missing barrier or event is one cause, with the findings that it has below; fingerprints stay when the
file changes elsewhere."""
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import PATIENCE, REFCL
from tap import check

# No barrier between line 7, the last write, and line 8, the first read of what others wrote.
ONE_BARRIER = """kernel void k(global int *a, global int *b, global int *c)
{
    local int t[16], u[16], v[16];
    int l = get_local_id(0);
    t[l] = l;
    u[l] = l + 1;
    v[l] = 2 * l;
    a[l] = t[15 - l];
    b[l] = u[15 - l];
    c[l] = v[15 - l] + t[(l + 1) % 16];
}
"""
# The races at lines 5 and 8 have nothing in common.
TWO_CAUSES = """kernel void k(global int *a, global int *b, global int *c)
{
    local int t[16];
    int l = get_local_id(0);
    b[0] = l;
    t[l] = l;
    mem_fence(CLK_LOCAL_MEM_FENCE);
    a[l] = t[15 - l];
}
"""

WORK_ITEM_SCOPE = """kernel void k(global atomic_int *flag, global int *data, global int *c)
{
    if (get_global_id(0) == 0) {
        data[0] = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_item);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_item))
        c[0] = data[0];
}
"""
# The kernel, the causes of its findings in the order of their lines.
CAUSES = [
    ("a barrier at the end of the iteration helps two tiles",
     """kernel void k(global int *a, global int *b, global int *c)
{
    local int t[16], u[16];
    int l = get_local_id(0), s = 0;
    for (int i = 0; i < 3; i++) {
        t[l] = l; u[l] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        s += t[15 - l];
        s *= 3;
        s += u[15 - l];
    }
    a[l] = s;
}
""", [(6, 8), (6, 10)], 1),
    ("a scope that is too narrow for a lock and for what it protects",
     """kernel void k(global int *sum, global atomic_int *lock, global int *c)
{
    int old = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &old, 1, memory_order_acquire, memory_order_relaxed, memory_scope_work_group))
        old = 0;
    *sum += 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_work_group);
}
""", [(4, 7), (6, 6), (7, 7)], 1, "-l", "8"),
    ("a scope that includes no other work-item",
     WORK_ITEM_SCOPE, [(4, 7), (5, 6)], 1, "-g", "2", "-l", "2"),
    ("a copy that is never waited for",
     """kernel void k(global int *a, global int *b, global int *c)
{
    local int t[16];
    async_work_group_copy(t, a, 16, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_local_id(0)] = t[get_local_id(0)];
}
""", [(4,), (4, 6)], 1),
    ("two copies",
     """kernel void k(global int *a, global int *b, global int *c)
{
    local int t[16], u[16];
    async_work_group_copy(t, a, 16, 0);
    async_work_group_copy(u, c, 16, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_local_id(0)] = t[get_local_id(0)];
    b[get_local_id(0)] += u[get_local_id(0)];
}
""", [(4,), (4, 7), (5,), (5, 8)], 2),
    ("one statement that changes what other work-items read",
     """kernel void k(global int *a, global int *b, global int *c)
{
    int l = get_local_id(0);
    if (l > 0 && l < 15)
        a[l] = a[l - 1] + a[l + 1];
}
""", [(5, 5), (5, 5)], 1),
    ("an update by two statements",
     """kernel void k(global int *a, global int *b, global int *c)
{
    int n = *a;
    *a = n + (int)get_local_id(0);
}
""", [(3, 4), (4, 4)], 1, "-l", "8"),
    ("a barrier of all work-groups that is missing, of three buffers",
     """void put(global int *p, int v)
{
    p[get_global_id(0)] = v;
}
kernel void k(global int *a, global int *b, global int *c)
{
    put(a, 1);
    put(b, 2);
    barrier(CLK_GLOBAL_MEM_FENCE);
    c[get_global_id(0)] = a[15 - get_global_id(0)];
    c[get_global_id(0)] += b[15 - get_global_id(0)];
}
""", [(3, 10), (3, 11)], 1, "-l", "8"),
    ("the last steps of a reduction without barriers",
     """kernel void k(global int *a, global int *b, global int *c)
{
    local volatile int t[16], u[16];
    int l = get_local_id(0);
    t[l] = a[l];
    u[l] = b[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8) {
        t[l] += t[l + 8]; u[l] += u[l + 8];
        t[l] += t[l + 4]; u[l] += u[l + 4];
        t[l] += t[l + 2]; u[l] += u[l + 2];
    }
    c[l] = l;
}
""", [(9, 10), (9, 10), (9, 11), (9, 11)], 1),
    ("a barrier that half of the work-items reach",
     """kernel void k(global int *a, global int *b, global int *c)
{
    local int t[16], u[16];
    int l = get_local_id(0);
    t[l] = l;
    u[l] = l;
    if (l < 8)
        barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = t[15 - l];
    b[l] = u[15 - l];
}
""", [(5, 9), (6, 10), (8,)], 1),
    ("... which is not that of a race before it",
     """kernel void k(global int *a, global int *b, global int *c)
{
    local int t[16];
    int l = get_local_id(0);
    t[l] = l;
    a[l] = t[15 - l];
    if (l < 8)
        barrier(CLK_LOCAL_MEM_FENCE);
}
""", [(5, 6), (8,)], 2),
    ("two updates, each by two statements, that overlap",
     """kernel void k(global int *a, global int *b, global int *c)
{
    int n = *a;
    int m = *b;
    *a = n + (int)get_local_id(0);
    *b = m + (int)get_local_id(0);
}
""", [(3, 5), (4, 6), (5, 5), (6, 6)], 2, "-l", "8"),
    ("two barriers of all work-groups that are missing",
     """kernel void k(global int *a, global int *b, global int *c)
{
    int i = get_global_id(0);
    a[i] = i;
    b[i] = a[15 - i];
    c[i] = b[15 - i];
}
""", [(4, 5), (5, 6)], 2, "-l", "8"),
    ("two statements on one line",
     """kernel void k(global int *a, global int *b, global int *c)
{
    int l = get_local_id(0);
    a[0] = l; a[1] = 2 * l;
}
""", [(4, 4), (4, 4)], 2),
    ("two statements on two lines",
     """kernel void k(global int *a, global int *b, global int *c)
{
    int l = get_local_id(0);
    a[0] = l;
    a[1] = 2 * l;
}
""", [(4, 4), (5, 5)], 2),
]


def run(folder, source, *more):
    path, report, sarif = (os.path.join(folder, name) for name in ("kernel.cl", "report.json", "report.sarif"))
    with open(path, "w") as f:
        f.write(source)
    done = subprocess.run([REFCL, "kernel", "-g", "16", "-l", "16", "-a", "buf:16", "-a", "buf:16", "-a", "buf:16", "--json", report,
                           "--sarif", sarif, *more, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    with open(report) as f, open(sarif) as g:
        return done.stderr, json.load(f), json.load(g)["runs"][0]["results"]


def main():
    with tempfile.TemporaryDirectory(prefix="refcl-test.") as folder:
        text, report, results = run(folder, ONE_BARRIER)
        findings = report["findings"]
        check("one barrier: several findings, one cause", len(findings) == 4 and report["causes"] == 1 and len(results) == 1 and
              all(f["cause"] == 0 for f in findings), [f["cause"] for f in findings])
        check("the barrier is where it helps all", all("before line 8" in f["fix"] and f["fix_verified"] for f in findings),
              [f.get("fix") for f in findings])
        check("the text has the others below it", text.count(" error: ") == 1 and text.count("note: the same cause: data-race on local memory") == 3 and
              "refcl: 4 findings with 1 cause\n" in text, text)
        check("SARIF has their places, too", len(results[0]["relatedLocations"]) == 7 and results[0]["level"] == "error", results[0])
        region = results[0]["locations"][0]["physicalLocation"]["region"]
        check("regions end", region["endColumn"] > region["startColumn"], region)
        prints = sorted(f["fingerprint"] for f in findings)
        _, moved, later = run(folder, "// a comment\n\n" + ONE_BARRIER.replace("    int l", "\n    int l").replace("    u[l] = l + 1", "      u[l] = l + 1"))
        check("fingerprints do not depend on lines and indentation", len(set(prints)) == 4 and
              sorted(f["fingerprint"] for f in moved["findings"]) == prints and
              later[0]["partialFingerprints"] == results[0]["partialFingerprints"], prints)
        _, other, _ = run(folder, ONE_BARRIER.replace("v[l] = 2 * l", "v[l] = 3 * l"))
        check("they depend on the code", sum(f["fingerprint"] in prints for f in other["findings"]) == 3)
        for name, source, lines, causes, *more in CAUSES:
            text, report, results = run(folder, source, *more)
            check(name, (sorted(tuple(sorted(a["line"] for a in f["accesses"])) for f in report["findings"]), report["causes"], len(results)) ==
                  (lines, causes, causes), text)
            check("... each of its findings has its fingerprint", sorted(print for r in results for print in
                  [r["partialFingerprints"]["refclFinding/v1"], *r["properties"].get("sameCause", [])]) == sorted(f["fingerprint"] for f in report["findings"]),
                  results)
        _, report, _ = run(folder, WORK_ITEM_SCOPE, "-g", "2", "-l", "2")
        check("what that scope does is said of the release", any(f["reason"].startswith("the release at ") and
              f["reason"].endswith(" has scope work_item, but it includes no other work-item") for f in report["findings"]), report["findings"])
        text, report, results = run(folder, TWO_CAUSES)
        check("two causes", report["causes"] == 2 and len(results) == 2 and "refcl: 2 findings\n" in text, text)
        check("what was not checked is said", "refcl: checked: race, memory; not checked: uninitialized (--check all)\n" in text and
              report["checked"] == ["race", "memory"] and report["not_checked"] == ["uninitialized"], text)
        suite = os.path.join(folder, "suite.xml")
        run(folder, TWO_CAUSES, "--junit", suite)
        with open(os.path.join(folder, "report.sarif")) as f:
            said = json.load(f)["runs"][0]["properties"]
        named = {p.get("name"): p.get("value") for p in xml.parse(suite).iter("property")}
        check("in SARIF and JUnit, too", said == {"checked": "race, memory", "not_checked": "uninitialized"} and named == said, (said, named))
        text, report, _ = run(folder, TWO_CAUSES, "--check", "all")
        check("nothing is left unchecked", "refcl: checked: race, memory, uninitialized\n" in text and report["not_checked"] == [], text)
        text, report, _ = run(folder, ONE_BARRIER, "--only", "memory")
        check("--only memory", report["findings"] == [] and "refcl: hidden: 4 by --only\n" in text and report["hidden"] == "4 by --only", text)
        text, report, _ = run(folder, ONE_BARRIER, "--only", "race,leak")
        check("--only race,leak", len(report["findings"]) == 4, text)
        for words, count in ((("--kernels", "k*"), 4), (("--kernels", "other,x*"), 0), (("--launches", "1..1"), 4), (("--launches", "2..9"), 0)):
            text, report, _ = run(folder, ONE_BARRIER, *words)
            check(" ".join(words), len(report["findings"]) == count and report.get("hidden") == (None if count else "4 by " + words[0]), text)
        # Line 3 races in every launch, line 5 in the first one alone.
        often = "kernel void k(global int *a, global int *b, global int *c)\n{\n    a[0] += 1;\n    if (!c[get_local_id(0)])\n        b[0] += 1;\n    c[get_local_id(0)] = 1;\n}\n"
        for launches, lines, commands, hidden in (("3..4", {3}, {3}, "1 by --launches"), ("1..1", {3, 5}, {1}, None), ("9..9", set(), set(), "2 by --launches")):
            text, report, _ = run(folder, often, "--repeat", "5", "--launches", launches)
            accesses = [a for f in report["findings"] for a in f["accesses"]]
            check("a race of many launches, --launches " + launches, ({a["line"] for a in accesses}, {a["command"] for a in accesses}, report.get("hidden")) ==
                  (lines, commands, hidden), text)
        text, report, _ = run(folder, ONE_BARRIER, "--assert", "a[3] == 99 and b[0] == b[0]")
        failed = [f for f in report["findings"] if f["kind"] == "assertion"]
        check("a failed assertion has the values", len(failed) == 1 and failed[0]["reason"].startswith("a[3] is ") and
              ", b[0] is " in failed[0]["reason"], failed)
        for condition, code, reason in (("a[1] == 1.5 and b[1] > 1 and c[1] <= 0.1", 0, None), ("a[1] == 1", 1, "a[1] is 1.5"), ("c[1] < 0.1", 1, "c[1] is 0.1")):
            _, report, _ = run(folder, "typedef float real;\nkernel void k(global double *a, global real *b, global float *c)\n{\n    int l = get_local_id(0);\n"
                               "    a[l] = 1.5;\n    b[l] = 2;\n    c[l] = 0.1f;\n}\n", "--assert", condition)
            check("floating-point numbers in an assertion, " + condition, (report["status"], [f["reason"] for f in report["findings"]]) ==
                  (("findings", [reason]) if code else ("clean", [])), report["findings"])
        text, report, _ = run(folder, ONE_BARRIER.replace("a[l] =", "if (l < 8) barrier(CLK_LOCAL_MEM_FENCE); a[l] ="))
        check("words of OpenCL C", "waits at barrier() (" in text and "ControlBarrier" not in text, text)
        writes = "kernel void k(global int *a, global int *b, global int *c)\n{\n    a[0] = 7;\n    b[0] = get_local_id(0) / 9;\n    c[0] = get_local_id(0);\n}\n"
        text, report, _ = run(folder, writes)
        check("writes of the same value are marked", {f["accesses"][0]["line"]: (f["kind"], f["severity"]) for f in report["findings"]} ==
              {3: ("uniform-write", "warning"), 4: ("data-race", "error"), 5: ("data-race", "error")} and text.count(" warning: data race") == 1, text)
        text, report, _ = run(folder, writes, "--uniform-writes=ignore")
        check("... and ignored by an option", [f["accesses"][0]["line"] for f in report["findings"]] == [4, 5] and "hidden: 1 by --uniform-writes=ignore\n" in text, text)
        run(folder, ONE_BARRIER, "--save-sources", os.path.join(folder, "sources"))
        with open(os.path.join(folder, "sources", "kernel.cl")) as f:
            check("--save-sources", f.read() == ONE_BARRIER)
        done = subprocess.run([REFCL, "kernel", "--only", "rase", os.path.join(folder, "kernel.cl")], stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        check("a kind that does not exist", done.returncode == 2 and "did you mean race?" in done.stderr, done.stderr)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
