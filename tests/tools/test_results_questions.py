#!/usr/bin/env python3
"""`refcl results history`, `shape` and `updates`: since when drivers show a state, which of them differ, what
an update changed, and the confidence that a state is not shown.  Expected figures are computed here from the
added counts."""
import json
import math
import os
import sqlite3
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from store import ALLOWED, FORBIDDEN, SB, Store, mp, results, row, sb  # noqa: E402
from tap import check, done  # noqa: E402

WEAK, STRONG = [0, 0], [1, 1]


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-9)


def wilson(count, n):
    """Wilson's 95 % interval."""
    z, p = 1.959963985, count / n
    middle, half = (p + z * z / (2 * n)) / (1 + z * z / n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0, middle - half), min(1, middle + half)


def answer(store, *words):
    run = store.run(*words[:1], "--json", *words[1:])
    return json.loads(run.stdout) if run.returncode == 0 else run


def filled(folder):
    """Driver 1 never shows the weak outcome of SB, driver 2 from its second run on, driver 3 often.  The
    runner counts discarded instances apart from those that it evaluated: they change no figure."""
    store = Store(folder, "questions.sqlite")
    store.add(results([sb((STRONG, 3000)), mp((ALLOWED, 50))], "1", date="2026-01-01"))
    store.add(results([sb((STRONG, 7000), discarded=9000), mp((ALLOWED, 50))], "1", date="2026-01-05"))
    store.add(results([sb((STRONG, 2000))], "2", date="2026-02-01"))
    store.add(results([sb((STRONG, 1990), (WEAK, 10))], "2", date="2026-02-03"))
    store.add(results([sb((STRONG, 1500))], "2", date="2026-02-02"))
    store.add(results([sb((STRONG, 2995), (WEAK, 5))], "2", date="2026-02-09"))
    store.add(results([sb((STRONG, 600), (WEAK, 400), discarded=500), mp((ALLOWED, 90), (FORBIDDEN, 10))], "3", date="2026-03-01"))
    return store


def history(store):
    shown = {d["device"].split(", ")[-1]: d for d in answer(store, "history", "SB")["drivers"]}
    two, one = shown["2"], shown["1"]
    check("history: since when, and in which run", (two["first"], two["first_run"], two["last"]) == ("2026-02-03", 4, "2026-02-09"), two)
    check("history: what ran before it, by day and not by the order of adding", (two["runs_before"], two["instances_before"]) == (2, 3500), two)
    check("history: counts of all runs add up", (two["count"], two["instances"], two["runs"], two["runs_showing"]) == (15, 8500, 4, 2), two)
    low, high = wilson(15, 8500)
    check("history: the rate has Wilson's interval", near(two["rate"], 15 / 8500) and near(two["rate_low"], low) and near(two["rate_high"], high), two)
    check("history: a driver that does not show it, rule of three over all its runs", one["count"] == 0 and "first" not in one and
          near(one["rate_high"], 3 / 10000) and one["instances"] == 10000, one)
    for rate in (1e-3, 1e-6):
        confidence = answer(store, "history", "SB", "--rate", str(rate), "--device", ", 1")["drivers"][0]["confidence"]
        check(f"history: confidence that its rate is below {rate}", abs(confidence - (1 - (1 - rate) ** 10000)) < 1e-9, confidence)
    text = store.run("history", "SB", "--rate", "0.001").stdout
    check("history: as text", "not in 2 runs with 1e+04 instances until 2026-01-05: with 95 % confidence a rate below 0.0003" in text and
          "since 2026-02-03 (run 4)" in text and "not in the 2 runs with 3.5e+03 instances before" in text, text)
    named = answer(store, "history", "SB", "1:r0=0 0:r0=0")["drivers"]
    check("history: a state by its values, in any order", [d["count"] for d in named] == [0, 15, 400] and named[0]["state"] == "0:r0=0; 1:r0=0", named)
    never = answer(store, "history", "SB", "0:r0=0; 1:r0=5", "--device", ", 3")["drivers"][0]
    check("history: a state that nothing ever showed", never["count"] == 0 and near(never["rate_high"], 3 / 1000), never)
    for bad in ("0:r0=0", "0:r0=0; 1:r0=0; 2:r0=0", "0:r0=0; 1:r0=x", "0:r0=0; 0:r0=0", "weak"):
        run = store.run("history", "SB", bad)
        check("history: no state: " + bad, run.returncode == 2 and "observes" in run.stderr, run)
    for words in (("history", "nothing"), ("history", "SB", "--rate", "2"), ("history", "SB", "--rate", "x"), ("history",), ("history", "a", "b", "c")):
        run = store.run(*words)
        check("history: bad input: " + " ".join(words), run.returncode == 2 and run.stderr and not run.stdout, run)


def trend(folder):
    """Rates that rise over the slices of a campaign: its instances are not identically distributed."""
    store = Store(folder, "trend.sqlite")
    slices = [{"instances": 1000, "counts": [1000 - 50 * n, 50 * n]} for n in range(12)]
    states = [(STRONG, sum(s["counts"][0] for s in slices)), (WEAK, sum(s["counts"][1] for s in slices))]
    store.add(results([sb(*states, slices=slices)]))
    shown = answer(store, "history", "SB")["drivers"][0]
    check("history: a run whose rates have a trend is named", shown["runs_with_a_trend"] == 1 and "too narrow" in store.run("history", "SB").stdout, shown)
    store = Store(folder, "halves.sqlite")
    store.add(results([sb(*states, slices=slices), sb((STRONG, 1))]))
    shown = answer(store, "history", "SB")["drivers"][0]
    check("history: also where a second file of the suite adds to the test", shown["runs_with_a_trend"] == 1, shown)


def many(folder):
    """A test whose condition has more states than history sums up."""
    store = Store(folder, "many.sqlite")
    store.add(results([sb((WEAK, 1))]))
    with sqlite3.connect(store.path) as db:
        db.executemany("insert into state(test, number, vals, asked) values(1, ?, ?, 1)", [(n, f"[{n},7]") for n in range(1, 1024)])
    run = store.run("history", "SB")
    check("history: a sum of too many states is an error, not a part of it", run.returncode == 3 and "name one state" in run.stderr, run)
    shown = answer(store, "history", "SB", "0:r0=0; 1:r0=0")["drivers"][0]
    check("history: one of them", shown["count"] == 1, shown)


def forall(folder):
    """A test with `forall` asks about the states that violate its condition."""
    store = Store(folder, "forall.sqlite")
    source = SB.replace("exists (0:r0=0 /\\ 1:r0=0)", "forall (0:r0=1 \\/ 1:r0=1)").replace("OPENCL SB", "OPENCL F")
    store.add(results([row("F", source, ["0:r0", "1:r0"], [(STRONG, 90), (WEAK, 10)])]))
    shown = answer(store, "history", "F")["drivers"][0]
    check("history: `forall` asks about what violates it", shown["count"] == 10, shown)


def shape(store, folder):
    tests = {t["test"]: t for t in answer(store, "shape", "SB")["tests"]}
    drivers = {d["device"][-1]: d for d in tests["SB"]["drivers"]}
    check("shape: each driver's rate of what is asked about", {k: d["count"] for k, d in drivers.items()} == {"1": 0, "2": 15, "3": 400} and
          near(drivers["1"]["rate_high"], 3 / 10000) and {d["verdict"] for d in drivers.values()} == {"allowed"}, tests)
    check("shape: drivers differ where their intervals have nothing in common", tests["SB"]["differ"] is True, tests)
    few = Store(folder, "few.sqlite")
    few.add(results([sb((STRONG, 100))], "1"))
    few.add(results([sb((STRONG, 998), (WEAK, 2))], "2"))
    tests = answer(few, "shape", "SB")["tests"]
    check("shape: too few instances to distinguish drivers", tests[0]["differ"] is False and "in 0 of them" in few.run("shape", "SB").stdout, tests)
    names = Store(folder, "names.sqlite")
    for n, name in enumerate(("W+RWC+rlx.dev-x@0a", "W+RWC", "W+rel", "2+2W+rlx", "CoRR+rlx", "lower+case")):
        names.add(results([row(name, SB.replace("OPENCL SB", "OPENCL " + name), ["0:r0", "1:r0"], [(STRONG, 1)])], str(n)), "--no-judge")
    found = {s: [t["test"] for t in answer(names, "shape", s)["tests"]] for s in ("W+RWC", "W", "2+2W", "CoRR", "lower")}
    check("shape: is the name without its parts in small letters", found ==
          {"W+RWC": ["W+RWC", "W+RWC+rlx.dev-x@0a"], "W": ["W+rel"], "2+2W": ["2+2W+rlx"], "CoRR": ["CoRR+rlx"], "lower": ["lower+case"]}, found)
    run = store.run("shape", "IRIW")
    check("shape: one that has no test", run.returncode == 2 and "IRIW" in run.stderr, run)


def updates(store):
    first, second = answer(store, "updates")["updates"]
    check("updates: a state that the newer driver alone shows, and the tests that it did not run",
          [(s["state"], s["shown_by"], s["differs"]) for s in first["states"]] == [("0:r0=0; 1:r0=0", "B", True)] and first["only_a"] == ["MP"], first)
    rates = {r["state"]: (round(r["rate_a"], 9), round(r["rate_b"], 9)) for r in second["rates"]}
    check("updates: states that both show, at other rates", rates == {"0:r0=0; 1:r0=0": (round(15 / 8500, 9), 0.4), "0:r0=1; 1:r0=1": (round(8485 / 8500, 9), 0.6)}, second)
    check("updates: tests that the newer driver alone ran", second["only_b"] == ["MP"] and second["states"] == [], second)
    run = store.run("updates")
    check("updates: as text, and no finding", run.returncode == 0 and "2 updates of drivers\n" in run.stdout and "rates 0.00176 and 0.4" in run.stdout, run)


def unfinished(folder):
    """A test that ran out of time after some instances: for history, for a comparison of runs and for one of
    drivers."""
    store = Store(folder, "unfinished.sqlite")
    store.add(results([sb((STRONG, 90), (WEAK, 10), status="timeout"), mp(status="timeout")], "1"))
    store.add(results([sb((STRONG, 1000)), mp((ALLOWED, 1))], "2"))
    for sides in (("1", "2"), ("OpenCL 3.0, 1", "OpenCL 3.0, 2")):
        found = answer(store, "compare", *sides)
        check("ran: it is compared: " + " ".join(sides), [s["test"] for s in found["states"]] == ["SB"] and
              (found["only_a"], found["only_b"]) == ([], ["MP"]), found)
    check("ran: its history", [d["instances"] for d in answer(store, "history", "SB")["drivers"]] == [100, 1000])
    check("ran: no test that ran is lost", answer(store, "regressions")["updates"][0]["lost"] == [])


with tempfile.TemporaryDirectory() as scratch:
    full = filled(scratch)
    history(full)
    trend(scratch)
    many(scratch)
    forall(scratch)
    shape(full, scratch)
    updates(full)
    unfinished(scratch)
sys.exit(done())
