#!/usr/bin/python3
"""Public litmus tests with known verdicts, under the corpus' own models, by search and by Z3.

The corpus is not part of the repository: REFCL_CORPUS or ../shared/corpus; skipped where absent.
"""
import collections
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

REFCL = os.environ.get("REFCL", os.path.abspath("build/refcl"))
CORPUS = os.environ.get("REFCL_CORPUS", "../shared/corpus")
NAMES = {
    "program_spec": ("condition", {"holds": "PASS", "fails": "FAIL", "unknown": "UNKNOWN"}),
    "cat_spec": ("race", {"none": "PASS", "found": "FAIL", "unknown": "UNKNOWN"}),
}
# A test without jumps has no loop, and a thread that reaches a barrier stays counted there: the order of
# threads does not affect which ones pass, so either all executions terminate or none does.
ENDS = {True: "PASS", False: "FAIL"}
# Verdicts that a solver may leave open within its time limit.
Z3_SECONDS = "10"
# Rows whose expectation is wrong: a verdict about no execution is none.
NOTHING_ENDS = {"litmus/VULKAN/Barrier/quorum2-hang.litmus": "four have to come to the barrier, and there are three"}


def rows(dialect):
    with open(os.path.join(CORPUS, "expected.csv")) as f:
        return [r for r in csv.DictReader(f) if r["file"].startswith("litmus/" + dialect)]


def answer(row, test):
    """PASS, FAIL or UNKNOWN."""
    if row["property"] == "termination":
        with open(os.path.join(CORPUS, row["file"])) as f:
            straight = not re.search(r"\b(goto|b(eq|ne|l[te]|g[te]))\b|:\s*[;|]", f.read())
        return ENDS[test["allowed_states"] > 0] if straight and test["states_complete"] else "UNKNOWN"
    key, words = NAMES[row["property"]]
    return words.get(test.get(key, "unknown"), "UNKNOWN")


def decide(dialect, engine, bound, files, model=None):
    model = model or os.path.join(CORPUS, dialect.lower() + ".dat3m.cat")
    with tempfile.NamedTemporaryFile() as out:
        paths = [os.path.join(CORPUS, f) for f in files]
        limit = ["-t", Z3_SECONDS if engine == "z3" else "60"]
        run = subprocess.run([REFCL, "litmus", "check", "-m", model, "-e", engine, "-b", bound, *limit,
                              "--json", out.name, *paths], stdout=subprocess.DEVNULL)
        if run.returncode not in (0, 3):
            print(f"# exit code {run.returncode} for bound {bound}")
        return {f: t for f, t in zip(files, json.load(open(out.name))["tests"])}


def equal_numbers_differ():
    """The corpus' model also treats accesses of queue-family scope in one work-group as ordered."""
    path = "tests/models/combined/vulkan/queue-families-with-equal-numbers.litmus"
    return all(decide("VULKAN", engine, "2", [os.path.abspath(path)])[os.path.abspath(path)].get("race") == "found"
               for engine in ("search", "z3"))


def final_value_is_the_difference():
    """Under the corpus' model a lock may lose an update: it does not order plain writes for the final value.
    With refcl's rule, which does, the verdicts agree."""
    path = os.path.abspath("tests/models/patterns/vulkan/caslock.litmus")
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "vulkan.dat3m.cat")
        shutil.copyfile(os.path.join(CORPUS, "vulkan.dat3m.cat"), model) # which is writable, then
        before = [decide("VULKAN", engine, "2", [path], model)[path].get("condition") for engine in ("search", "z3")]
        with open(model, "a") as f:
            f.write("\nirreflexive co; (locord & (W * W)) as final-value\n")
        after = [decide("VULKAN", engine, "2", [path], model)[path].get("condition") for engine in ("search", "z3")]
    return before == ["fails", "fails"] and after == ["holds", "holds"]


def main():
    if not os.path.exists(os.path.join(CORPUS, "expected.csv")):
        print("1..0 # SKIP no corpus")
        return 0
    number = failed = 0
    undecided = collections.Counter()  # by dialect
    for dialect in ("OPENCL", "VULKAN"):
        table = rows(dialect)
        for engine in ("search", "z3"):
            verdicts = {}
            for bound in sorted({r["bound"] for r in table}):
                files = sorted({r["file"] for r in table if r["bound"] == bound})
                verdicts.update({(f, bound): t for f, t in decide(dialect, engine, bound, files).items()})
            for r in table:
                test = verdicts[(r["file"], r["bound"])]
                got = answer(r, test)
                number += 1
                name = f"{r['file']} {r['property']} by {engine}"
                if r["file"] in NOTHING_ENDS and r["property"] != "termination":
                    good = got == "UNKNOWN" and test["allowed_states"] == 0 and test["states_complete"]
                    failed += not good
                    print(f"{'ok' if good else 'not ok'} {number} - {name}: no execution, {got}: {NOTHING_ENDS[r['file']]}")
                elif got == r["expected"]:
                    print(f"ok {number} - {name}")
                elif got == "UNKNOWN" and engine == "z3" and "error" not in test:
                    undecided[dialect] += 1
                    print(f"ok {number} - {name} # SKIP no answer: {test.get('limit', '')}")
                else:
                    failed += 1
                    print(f"not ok {number} - {name}: expected {r['expected']}, got {got} {test.get('error', '')}")
        good = undecided[dialect] * 20 <= len(table)
        number += 1
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {undecided[dialect]} of {len(table)} rows of {dialect} without an answer by z3")
    number += 1
    good = final_value_is_the_difference()
    failed += not good
    print(f"{'ok' if good else 'not ok'} {number} - the final value of plain writes is what the models differ in for a lock")
    number += 1
    if equal_numbers_differ():
        print(f"ok {number} - work-groups with equal numbers in two queue families are two, under a model that we did not write")
    else:
        failed += 1
        print(f"not ok {number} - work-groups with equal numbers in two queue families are treated as one")
    print(f"1..{number}")
    return 1 if failed else 0


sys.exit(main())
