#!/usr/bin/python3
"""refcl litmus judge and refcl gate, on results written here: tests of which no instance was observed, tests
that are judged in the baseline but no longer, and tables of campaigns, from which all outputs can be
rebuilt."""
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, "tests/lib")
from tap import check, done

REFCL = os.environ.get("REFCL", os.path.abspath("build/refcl"))
# Coherence: P1 reads 0 or 1, never 2.
SOURCE = """OPENCL %s
{ [x] = 0; }
P0@wg 0, dev 0 (global atomic_int* x) {
  atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);
}
P1@wg 1, dev 0 (global atomic_int* x) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
}
%s (1:r0 = 2)
"""


def result(name, states, status="done", reason=None, quantifier="~exists", discarded=0):
    """One test of a results file; STATES: how often each value of 1:r0 was observed."""
    test = {"name": name, "file": name + ".litmus", "source": SOURCE % (name, quantifier), "status": status,
            "instances": sum(states.values()), "discarded": discarded, "observed": ["1:r0"],
            "states": [{"values": [v], "count": n} for v, n in states.items()]}
    return {**test, "reason": reason} if reason else test


def judge(folder, name, tests, *options):
    """Exit code, text and judgement of a results file with TESTS."""
    path = os.path.join(folder, name)
    with open(path + ".results", "w", encoding="utf-8") as f:
        json.dump({"format": "refcl-litmus-results", "version": 1, "tests": tests}, f)
    run = subprocess.run([REFCL, "litmus", "judge", "--json", path, *options, path + ".results"],
                         capture_output=True, text=True, timeout=100)
    with open(path, encoding="utf-8") as f:
        return run.returncode, run.stderr + run.stdout, json.load(f)


def gate(folder, baseline, now):
    run = subprocess.run([REFCL, "gate", "--baseline", os.path.join(folder, baseline), os.path.join(folder, now)],
                         capture_output=True, text=True, timeout=100)
    return run.returncode, run.stdout.splitlines()


def test_not_observed(folder):
    page, junit = os.path.join(folder, "page.html"), os.path.join(folder, "junit.xml")
    tests = [result("seen", {0: 3, 1: 4}), result("discarded", {}, discarded=7),
             result("never-started", {}, "skipped", "no sub-groups"), result("cut", {}, "timeout", "no answer in 3 s"),
             result("positive", {}, quantifier="exists", discarded=1)]
    code, text, judgement = judge(folder, "some", tests, "--junit", junit, "--html", page)
    verdicts = {t["name"]: t["verdict"] for t in judgement["tests"]}
    check("no observed instance: the verdict is 'not-observed'",
          verdicts == {"seen": "allowed", "discarded": "not-observed", "never-started": "not-run", "cut": "unknown",
                       "positive": "not-observed"}, verdicts)
    check("it is counted apart", judgement["summary"] == {"allowed": 1, "forbidden": 0, "racy": 0, "unknown": 1,
                                                          "not-observed": 2, "not-run": 1}, judgement["summary"])
    check("exit code 3: the campaign is incomplete", code == 3, code)
    check("a condition on no instance is not validated",
          text.count("Condition ~exists") == 2 and text.count("is NOT validated") == 2, text)
    check("the text names it", "1 allowed, 0 forbidden, 0 racy, 1 unknown, 2 not observed, 1 not run" in text, text)
    schema = subprocess.run([sys.executable, "tools/validate.py", "tools/schema/judgement.schema.json",
                             os.path.join(folder, "some")], capture_output=True, text=True)
    check("the judgement fits its schema", schema.returncode == 0, schema.stdout + schema.stderr)
    suite = xml.etree.ElementTree.parse(junit).getroot()
    errors = [c.get("name") for c in suite if c.find("error") is not None]
    check("JUnit: an error", suite.get("errors") == "3" and errors == ["discarded", "cut", "positive"], errors)
    check("the page names it", "2 not-observed" in open(page, encoding="utf-8").read())
    check("observed elsewhere: exit code 0", judge(folder, "seen", tests[:1])[0] == 0)


# P1 reads 1 and then 0, which coherence forbids, or reads 0 first, which the filter excludes; with plain accesses of y
# there is a race where P1 reads x as 0.
FILTERED = """OPENCL filtered
{ [x] = 0; [y] = 0; }
P0@wg 0, dev 0 (global atomic_int* x, global int* y) {
  %s
  atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);
}
P1@wg 1, dev 0 (global atomic_int* x, global int* y) {
  int r0 = atomic_load_explicit(x, memory_order_acquire, memory_scope_device);
  int r1 = %s;
}
filter (1:r0 = 1)
exists (1:r1 = 0)
"""


def filtered(states, *accesses):
    return {"name": "filtered", "file": "f.litmus", "source": FILTERED % accesses, "status": "done", "discarded": 0,
            "instances": sum(n for _, n in states), "observed": ["1:r1", "1:r0"],
            "states": [{"values": v, "count": n} for v, n in states]}


def test_filter(folder):
    atomic = "", "atomic_load_explicit(x, memory_order_relaxed, memory_scope_device)"
    plain = "*y = 1;", "*y"
    coherent, wrong = ([0, 0], 5), ([0, 1], 2)  # r1, r0
    for name, result, verdict, code, counts, kinds in (
            ("excluded and allowed", filtered([coherent, ([1, 1], 7)], *atomic), "allowed", 0, (5, 0, 7),
             ["filtered", "allowed"]),
            ("forbidden", filtered([coherent, wrong], *atomic), "forbidden", 1, (5, 2, 0), ["filtered", "forbidden"]),
            ("all excluded", filtered([coherent], *atomic), "not-observed", 3, (5, 0, 0), ["filtered"]),
            ("a race where the filter excludes it", filtered([wrong], *plain), "racy", 0, (0, 2, 0), ["racy"])):
        got, text, judgement = judge(folder, "filtered", [result])
        t = judgement["tests"][0]
        check(f"filter: {name}", t["verdict"] == verdict and got == code, (t["verdict"], got, text))
        check(f"filter: {name}: counted apart", (t["filtered"], t["positive"], t["negative"]) == counts, t)
        check(f"filter: {name}: states", [s["verdict"] for s in t["states"]] == kinds, t["states"])
    schema = subprocess.run([sys.executable, "tools/validate.py", "tools/schema/judgement.schema.json",
                             os.path.join(folder, "filtered")], capture_output=True, text=True)
    check("filter: the judgement fits its schema", schema.returncode == 0, schema.stdout + schema.stderr)


def test_gate(folder):
    judge(folder, "before", [result("a", {0: 5}), result("b", {1: 5}), result("c", {}, discarded=5)])
    judge(folder, "same", [result("a", {1: 1}), result("b", {0: 5}), result("c", {}, "skipped", "no reason")])
    code, lines = gate(folder, "before", "same")
    check("gate: nothing lost that the baseline had", code == 0 and lines == ["2 tests of the baseline ran; 0 findings"],
          lines)
    for name, tests, expected in (
            ("skipped", [result("a", {0: 5}), result("b", {}, "skipped", "no atomics")], "b: skipped, no atomics"),
            ("timeout", [result("a", {0: 5}), result("b", {1: 2}, "timeout", "3 s")], "b: timeout, 3 s"),
            ("crashed", [result("a", {0: 5}), result("b", {}, "crashed", "signal 11")], "b: crashed, signal 11"),
            ("running", [result("a", {0: 5}), result("b", {1: 2}, "running")], "b: running"),
            ("pending", [result("a", {0: 5}), result("b", {}, "pending")], "b: pending"),
            ("discarded", [result("a", {0: 5}), result("b", {}, discarded=5)], "b: not-observed"),
            ("absent", [result("a", {0: 5})], "b")):
        judge(folder, name, tests)
        code, lines = gate(folder, "before", name)
        check("gate: a test that is no longer judged: " + name,
              code == 1 and lines == ["lost test: " + expected, "1 tests of the baseline ran; 1 findings"], lines)
    judge(folder, "broken", [result("a", {0: 5, 2: 1}), result("b", {1: 5})])
    code, lines = gate(folder, "before", "broken")
    check("gate: a new forbidden outcome", code == 1 and lines[0] == "new forbidden outcome: a: 1:r0=2", lines)


def outputs(folder, name, path):
    """Exit code and all output of the judge for the results or table PATH."""
    files = [os.path.join(folder, name + end) for end in (".json", ".html", ".junit", ".sarif", ".table")]
    words = [w for option, f in zip(("--json", "--html", "--junit", "--sarif", "--table"), files) for w in (option, f)]
    run = subprocess.run([REFCL, "litmus", "judge", *words, "--tests", folder, path], capture_output=True, text=True,
                         timeout=100)
    texts = []
    for f in files:
        with open(f, encoding="utf-8") as file:
            texts.append(file.read())
    return run.returncode, [run.stdout, *texts]


def table_error(folder, name, table):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(table, f)
    run = subprocess.run([REFCL, "litmus", "judge", "--tests", folder, path], capture_output=True, text=True, timeout=100)
    return run.returncode, run.stderr


def test_table(folder):
    tests = [result("seen", {0: 3, 1: 4}), result("broken", {0: 5, 2: 1}), result("again", {0: 1}, quantifier="exists"),
             result("never-started", {}, "skipped", "no sub-groups"), result("trend", {0: 36, 1: 4564})]
    for t in tests:
        t["slices"] = []
        with open(os.path.join(folder, t["file"]), "w", encoding="utf-8") as f:
            f.write(t["source"])
    tests[-1]["slices"] = [{"instances": 575, "batches": 1, "counts": [n + 1, 574 - n]} for n in range(8)]
    path = os.path.join(folder, "campaign")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"format": "refcl-litmus-results", "version": 1, "seed": 7, "date": "2026-01-02", "settings": "-n 10",
                   "device": {"platform": "p", "name": "n", "version": "v", "driver": "d"}, "tests": tests}, f)
    code, first = outputs(folder, "first", path)
    again, second = outputs(folder, "second", os.path.join(folder, "first.table"))
    check("a forbidden state: exit code 1, from results and table", code == 1 and again == 1, (code, again))
    for what, a, b in zip(("report", "judgement", "page", "JUnit", "SARIF", "table"), first, second):
        check("the table gives the same " + what, a == b and len(a) > 100, (a, b))
    check("a trend is kept", "Not stationary" in second[0], second[0])
    table = json.loads(first[5])
    check("the table has neither texts nor slices", not any(k in t for t in table["tests"] for k in ("source", "slices")))
    check("date and settings are kept", table["date"] == "2026-01-02" and table["settings"] == "-n 10", table)
    with open(os.path.join(folder, "seen.litmus"), "w", encoding="utf-8") as f:
        f.write(tests[0]["source"].replace("{ [x]", "(* a comment *)\n{\n  [x]"))
    check("a comment does not change the test", outputs(folder, "third", os.path.join(folder, "first.table"))[0] == 1)
    with open(os.path.join(folder, "seen.litmus"), "w", encoding="utf-8") as f:
        f.write(tests[0]["source"].replace("x, 1,", "x, 2,"))
    code, text = table_error(folder, "changed", table)
    check("a changed test is an error", code == 2 and "'seen' is not the one that ran" in text, text)
    for file in ("../seen.litmus", "/etc/passwd", "a/../../b", "..", ""):
        code, text = table_error(folder, "elsewhere", {**table, "tests": [{**table["tests"][0], "file": file}]})
        check(f"a table does not name the file '{file}'", code == 2 and "below the current folder" in text, text)


def test_campaigns():
    """The tables of the repository, against the counts that their README states."""
    with open("litmus/results/README.md", encoding="utf-8") as f:
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in f if line.startswith("| `")]
    tables = sorted(name for name in os.listdir("litmus/results") if name.endswith(".json") and "tuning" not in name)
    check("each table has a row", sorted(row[0].strip("`") for row in rows) == tables, tables)
    for row in rows:
        path = os.path.join("litmus/results", row[0].strip("`"))
        run = subprocess.run([REFCL, "litmus", "judge", path], capture_output=True, text=True, timeout=100)
        counts = "%s allowed, %s forbidden, %s racy, %s unknown, 0 not observed, %s not run" % tuple(row[4:9])
        check(path + ": verdicts", counts in run.stdout.splitlines(), run.stderr + run.stdout[-300:])
        schema = subprocess.run([sys.executable, "tools/validate.py", "tools/schema/results.schema.json", path],
                                capture_output=True, text=True)
        check(path + ": fits its schema", schema.returncode == 0, schema.stdout + schema.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        test_not_observed(folder)
        test_filter(folder)
        test_gate(folder)
        test_table(folder)
        test_campaigns()
    return done()


sys.exit(main())
