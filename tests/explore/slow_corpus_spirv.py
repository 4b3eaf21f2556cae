#!/usr/bin/env python3
"""SPIR-V kernels of the public corpus against their known verdicts.

Search must never contradict a row; a row that it does not decide in time is reported as skipped, and more than
one in ten such rows fails the run.  ENGINE=z3 runs the other engine."""
import csv
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from rows import DIFFERS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CORPUS = os.environ.get("REFCL_CORPUS", os.path.join(ROOT, "..", "shared", "corpus"))
REFCL = os.environ.get("REFCL", os.path.join(os.environ.get("BUILD", os.path.join(ROOT, "build")), "refcl"))
ENGINE = os.environ.get("ENGINE", "search")
TIMEOUT = "10"
FIELDS = {"program_spec": ("condition", {"holds": "PASS", "fails": "FAIL"}),
          "cat_spec": ("race", {"none": "PASS", "found": "FAIL"}),
          "termination": ("termination", {"always": "PASS", "not-always": "FAIL"})}


def verdict(row):
    command = [REFCL, "explore", "--engine", ENGINE, "--timeout", TIMEOUT, "--bound", row["bound"], "--model",
               os.path.join(CORPUS, row["model"] + ".dat3m.cat"), "--json", "-"]
    if row["progress"]:
        command += ["--progress", row["progress"]]
    try:
        run = subprocess.run(command + [os.path.join(CORPUS, row["file"])], capture_output=True, text=True,
                             timeout=120)
        test = json.loads(run.stdout)["tests"][0]
    except (subprocess.TimeoutExpired, ValueError, LookupError) as problem:
        return "ERROR", str(problem)
    if "error" in test:
        return "ERROR", test["error"]
    field, names = FIELDS[row["property"]]
    return names.get(test[field], "UNKNOWN"), test.get("limit", "")


def main():
    path = os.path.join(CORPUS, "expected.csv")
    if not os.path.exists(path):
        print("1..0 # SKIP the corpus is absent")
        return 0
    with open(path, encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["file"].startswith("spirv/")]
    print(f"1..{len(rows) + 1}")
    failed = undecided = 0
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for number, (row, (got, why)) in enumerate(zip(rows, pool.map(verdict, rows)), 1):
            name = f"{row['file']} {row['property']} {row['progress']}".strip()
            expected = row["expected"]
            if got == expected:
                print(f"ok {number} - {name}")
            elif got == "UNKNOWN":
                undecided += 1
                print(f"ok {number} - {name} # SKIP not decided: {why}")
            elif (row["file"], row["property"]) in DIFFERS:
                print(f"ok {number} - {name} # SKIP differs: {DIFFERS[row['file'], row['property']]}")
            else:
                failed += 1
                print(f"not ok {number} - {name}: expected {expected}, got {got} {why}")
    good = undecided * 10 <= len(rows)
    print(f"{'ok' if good else 'not ok'} {len(rows) + 1} - {undecided} of {len(rows)} rows undecided")
    return 1 if failed or not good else 0


if __name__ == "__main__":
    sys.exit(main())
