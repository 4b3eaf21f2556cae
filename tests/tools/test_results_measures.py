#!/usr/bin/env python3
"""`refcl results` with tables of benchmarks and with reports of checks: added, shown, compared, regressions."""
import json
import math
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from store import ALLOWED, Page, Store, mp, results  # noqa: E402
from tap import check, done  # noqa: E402

HEAD = "kernel               jit       pocl   faster |    interp/64   faster\n"
TABLE = HEAD + "add %s 2.0 1.00 | 9.5 3.0\nscan %s - - | - -\nsort %s - - | - -\ngeometric mean, PoCL / JIT: 1.00 over 2 kernels\n"
OTHER = "set check: milliseconds\nkernel jit times\nadd 77 5\n"


def add(store, text, driver, day):
    return store.add(text, "--device", "CPU", "--driver", driver, "--date", day)


def answer(store, *words):
    run = store.run(words[0], "--json", *words[1:])
    return json.loads(run.stdout)


def benchmarks(folder):
    store = Store(folder, "times.sqlite")
    run = store.add(TABLE % (1, 4, 1))
    check("benchmark: the device is to be named", run.returncode == 2 and "--device" in run.stderr, run)
    # The median of `sort` doubles, too, but its longest time before is above the shortest after.
    for number, times in enumerate(((1.0, 4.0, 1.0), (1.2, 4.2, 3.0), (1.1, 5.0, 1.1))):
        run = add(store, TABLE % times + OTHER, "1", f"2026-01-0{number + 1}")
        check("benchmark: a table is added", run.returncode == 0 and f"run {number + 1}, added" in run.stdout, run)
    for number, times in enumerate(((2.4, 4.1, 2.4), (2.0, 3.0, 2.0))):
        add(store, TABLE % times, "2", f"2026-02-0{number + 1}")
    shown = {(t["measure"], t["device"][-1], t["first_time"]): t for t in answer(store, "show", "add")["results"]}
    first = shown.get(("jit", "1", 1.0), {})
    check("benchmark: times by measure and driver, first and last by day", (first.get("last_time"), first.get("least"), first.get("most"), first.get("runs")) ==
          (1.1, 1, 1.2, 3) and sorted(shown) == [("interp/64", "1", 9.5), ("interp/64", "2", 9.5), ("jit", "1", 1.0), ("jit", "1", 77.0), ("jit", "2", 2.4),
                                                 ("pocl", "1", 2.0), ("pocl", "2", 2.0)], shown)
    check("benchmark: as text, with the ratio over time", "1 first, 1.1 last (1.1 times), 1 to 1.2 in 3 runs, 2026-01-01 to 2026-01-03" in store.run("show", "add").stdout,
          store.run("show", "add").stdout)
    times = {(t["kernel"], t["measure"]): t for t in answer(store, "compare", ", 1", ", 2")["times"]}
    check("benchmark: compare has the ratio of the medians", {k: round(t["ratio"], 9) for k, t in times.items()} ==
          {("add", "jit"): 2.0, ("add", "pocl"): 1, ("add", "interp/64"): 1, ("scan", "jit"): round(3.55 / 4.2, 9), ("sort", "jit"): 2.0} and
          [k for k, t in times.items() if t["slower"]] == [("add", "jit")], times)
    text = store.run("compare", ", 1", ", 2").stdout
    mean = math.exp((2 * math.log(2.0) + math.log(3.55 / 4.2)) / 5)
    check("benchmark: and their geometric mean", f"geometric mean of the ratios: {mean:.3g} over 5 times" in text and "add, jit: times 1.1 and 2.2, ratio 2: slower" in text, text)
    check("benchmark: compare of two runs", [round(t["ratio"], 9) for t in answer(store, "compare", "1", "2")["times"] if t["measure"] == "jit" and t["kernel"] == "scan"] ==
          [round(4.2 / 4, 9)])
    run = store.run("regressions")
    slower = answer(store, "regressions")["updates"][0]["slower"]
    check("benchmark: regressions names what is slower in every run", run.returncode == 1 and [(s["kernel"], s["measure"]) for s in slower] == [("add", "jit")] and
          "1 findings" in run.stdout, (run, slower))
    board = os.path.join(folder, "times")
    run = store.run("site", board)
    rows = Page(os.path.join(board, "benchmarks.html")).rows
    ratios = [[1, 1.2, 1.1, 2.4, 2.0], [1, 4.2 / 4, 5 / 4, 4.1 / 4, 3 / 4], [1, 3, 1.1, 2.4, 2]]  # of add, scan, sort in the five runs
    wanted = [[str(n + 1), "3", "%.3g" % math.prod(r) ** (1 / 3), "%.3g" % min(r), "%.3g" % max(r)] for n, r in enumerate(zip(*ratios))]
    at = rows.index(["2", "2026-01-02", "1", "3", wanted[1][2], "1.05", "3"]) if run.returncode == 0 else 1
    check("benchmark: the board has the ratios of each run to the first", [[r[0], *r[3:]] for r in rows[at - 1:at + 4]] == wanted, rows)
    check("... and of each kernel", [r[:4] for r in rows[at + 5:at + 8]] == [["add", "1", "2", "2"], ["scan", "4", "3", "0.75"], ["sort", "1", "2", "2"]], rows[at + 4:at + 8])
    check("benchmark: the list has its runs", store.run("list").stdout.count("benchmark") == 5)
    for name, text, words in (("a time twice", HEAD + "a 1 - - - -\na 2 - - - -\n", "'jit' of kernel 'a' is there twice"),
                              ("no row", HEAD, "no row"), ("a row of another width", HEAD + "a 1 2\n", "no row"), ("infinite and negative times", HEAD + "a inf - - - -\nb -1 - - - -\n", "no row")):
        before = store.run("list").stdout
        run = add(store, text, "3", "2026-03-01")
        check("benchmark: bad input: " + name, run.returncode == 2 and words in run.stderr and store.run("list").stdout == before, run)


CLAUSE = "CL 3.3" + ".6 R1"  # made up: no citation


def report(*findings, **more):
    return dict({"format": "refcl-report", "version": 1, "tool": {"name": "refcl", "version": "0.1.0"}, "status": "findings" if findings else "clean",
                 "command_line": "app --size 3", "findings": [dict({"kind": "race", "clause": CLAUSE, "message": m, "count": 4, "accesses": []}, **f)
                                                              for m, f in findings]}, **more)


RACE, OTHER_RACE = ("a race", {"fingerprint": "00112233445566aa"}), ("another", {"fingerprint": "00112233445566bb"})


def reports(folder):
    store = Store(folder, "reports.sqlite")
    for driver, day, content in (("v1", "2026-01-01", report()), ("v1", "2026-01-02", report(RACE, RACE, ("no fingerprint", {}))), ("v2", "2026-01-03", report(RACE, OTHER_RACE)),
                                 ("v2", "2026-01-04", report(status="failed", program={"signal": 11, "message": "ended by signal 11"}))):
        run = store.add(content, "--device", "app", "--driver", driver, "--date", day)
        check("report: added", run.returncode == 0 and "added" in run.stdout, run)
    shown = {r["device"][-2:]: r for r in answer(store, "show", "app --size 3")["results"]}
    states = {s["state"]: s for s in shown["v1"]["states"]}
    race = states.get("finding=00112233445566aa", {})
    check("report: a finding is known by its fingerprint, and counts once for a run", set(states) == {"finding=00112233445566aa", "finding=race: no fingerprint"} and
          (race.get("count"), race.get("first"), race.get("verdict")) == (1, "2026-01-02", "forbidden") and race.get("clause") == CLAUSE + ": race: a race", states)
    check("report: a program that failed is not done", (shown["v2"]["runs"], shown["v2"]["runs_done"]) == (2, 1), shown)
    run = store.run("regressions")
    check("report: the finding that a version brought", run.returncode == 1 and "B: app --size 3: finding=00112233445566bb" in run.stdout and "66aa" not in run.stdout, run)
    wide = Store(folder, "wide.sqlite")
    for length in range(1000, 1030):
        wide.add(report(("\u00e9" * length, {"fingerprint": f"{length:016x}"}), ("x" * (length - 800) + "\u00e9" * 100, {})), "--date", "2026-01-01")
    clauses = [v["clause"] for v in wide.export()["verdicts"]]
    check("report: long messages are cut between characters", len(clauses) == 60 and max(len(c.encode()) for c in clauses) < 1024, clauses[:1])
    columns = " ".join(f"{n:060}" for n in range(23))
    run = add(wide, f"kernel {columns}\nk {' '.join('3' * 23)}\n", "1", "2026-01-01")
    check("benchmark: many long columns", run.returncode == 0 and len(answer(wide, "show", "k")["results"]) == 23, run)
    run = store.run("judge")
    check("report: no model judges findings", run.returncode == 0 and run.stdout == "", run)
    store.add(results([mp((ALLOWED, 3))]))
    check("report: beside campaigns", {v["variant"] for v in store.export()["verdicts"]} == {"checks", "OpenCL"})
    run = store.run("site", os.path.join(folder, "site"))
    check("report: the board has them", run.returncode == 0, run)
    for name, content in (("no findings", dict(report(), findings=None)), ("no status", dict(report(), status=None))):
        run = store.add(content)
        check("report: bad input: " + name, run.returncode == 2 and "is missing" in run.stderr, run)


with tempfile.TemporaryDirectory() as scratch:
    benchmarks(scratch)
    reports(scratch)
sys.exit(done())
