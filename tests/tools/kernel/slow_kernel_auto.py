#!/usr/bin/env python3
"""refcl kernel --auto on kernels with known verdicts: it launches 95 % of them, and finds races in 95 % of
those that have one. Kernels of tests/races, or a sample of these, and those of ../shared/corpus/spirv/opencl
with a verdict in expected.csv."""
import concurrent.futures
import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../explore"))
import tap
from built import JOBS, PATIENCE, REFCL, ROOT
from rows import DIFFERS
from sample import is_chosen, part, print_left_out
from tap import check, skip

CORPUS = os.path.join(ROOT, "../shared/corpus")
LEAST = 0.95


def kernels():
    """(path, it has a race)"""
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/races/kernels/*/*.cl"))):
        with open(path) as f:
            expect = re.search(r"^// expect: (\S+)", f.read(), re.M)
        if expect:
            found.append((path, expect[1].endswith("race")))
    return found


def corpus():
    path, found = os.path.join(CORPUS, "expected.csv"), []
    if os.path.exists(path):
        with open(path) as f:
            for row in csv.DictReader(f):
                if (row["file"], row["property"]) not in DIFFERS and row["file"].startswith("spirv/opencl/") and row["property"] == "cat_spec" and row["expected"] in ("PASS", "FAIL"):
                    found.append((os.path.join(CORPUS, row["file"]), row["expected"] == "FAIL"))
    return sorted(set(found))


def launch(case):
    path, race = case
    with tempfile.NamedTemporaryFile(prefix="refcl-test.", suffix=".json") as out:
        run = subprocess.run([REFCL, "kernel", "--auto", "-q", "--json", out.name, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             text=True, timeout=PATIENCE)
        try:
            kinds = {finding["kind"] for finding in json.load(out)["findings"]}
        except ValueError:
            kinds = set()
    return path, race, run.returncode in (0, 1) and "step-limit" not in kinds, any(kind.endswith("race") or kind == "uniform-write" for kind in kinds), run.stderr


def main():
    if not os.path.exists(REFCL):
        tap.skip_all("%s is not built" % REFCL)
    cases = [case for case in kernels() if is_chosen(os.path.basename(case[0]))] + corpus()
    print_left_out()
    if not corpus():
        skip("kernels of the corpus", "no corpus")
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        rows = list(pool.map(launch, cases))
    missed = [os.path.basename(row[0]) + " " + row[4][-200:].split("\n")[0] for row in rows if not row[2]]
    launched = len(rows) - len(missed)
    check("%d of %d kernels are launched" % (launched, len(rows)), launched >= LEAST * len(rows))
    racy = [row for row in rows if row[1]]
    silent = [os.path.basename(row[0]) for row in racy if not row[3]]
    found = len(racy) - len(silent)
    check("races are found in %d of %d kernels" % (found, len(racy)), len(racy) >= part(160) and found >= LEAST * len(racy))
    clean = [row for row in rows if not row[1]]
    print("# races that only launches of other sizes than those intended have: in %d of %d" % (sum(row[3] for row in clean), len(clean)))
    for line in missed + silent:
        print("# " + line)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
