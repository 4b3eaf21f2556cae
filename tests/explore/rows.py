#!/usr/bin/env python3
"""Every kernel row of the public corpus, by one engine: what was expected, what came out, CPU time.

rows.py [--engine search|z3|auto] [--timeout S] [--jobs N] [--match TEXT] [--quiet]
Prints a table of the rows, and how many agree, differ, and stay undecided.  Ends with 1 where a row differs
that is not among those held to be wrong."""
import argparse
import collections
import csv
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from built import JOBS, REFCL, ROOT

CORPUS = os.environ.get("REFCL_CORPUS", os.path.join(ROOT, "..", "shared", "corpus"))
# Rows whose expectation is wrong: the right answer, and why.
PAST_END = ("FAULT", "the loop reads more elements than the array has: an access outside of the object in every execution")
DIFFERS = {
    ("spirv/opencl/gpuverify/inter_group_and_barrier_flag_tests/pass/local_barrier_flag.spvasm", "cat_spec"): (
        "PASS", "each work-group has its own instance of a local argument [CL 3.3.1], so its work-items do not race "
        "with those of other groups"),
    ("spirv/opencl/gpuverify/atomics/counter.spvasm", "cat_spec"): (
        "PASS", "one work-item stores to the counter before a barrier with a local fence, all increment it atomically "
        "after it: the barrier orders the store before every increment [CL 3.3.6], and each increment returns another "
        "index; only a model without an initial write of uninitialized local memory, which then counts as no local "
        "memory, reports a race"),
    ("spirv/opencl/alignment/alignment1-struct-local.spvasm", "program_spec"): PAST_END,
    ("spirv/opencl/alignment/alignment3-struct-global.spvasm", "program_spec"): PAST_END,
    ("spirv/opencl/alignment/alignment3-struct-local.spvasm", "program_spec"): PAST_END,
    ("spirv/vulkan/alignment/alignment2-struct-local.spvasm", "program_spec"): PAST_END,
    ("spirv/vulkan/alignment/alignment2-struct-pointer.spvasm", "program_spec"): PAST_END,
    ("spirv/vulkan/alignment/alignment3-struct-local.spvasm", "program_spec"): PAST_END,
    ("spirv/vulkan/gpuverify/test_mod_invariants/global_reduce_strength.spvasm", "cat_spec"): (
        "PASS", "constants determine the trip count, so the loop is unrolled beyond the bound of this row: every work-item "
        "accesses memory outside of an array, and no two race before that"),
}
FIELDS = {"program_spec": ("condition", {"holds": "PASS", "fails": "FAIL"}),
          "cat_spec": ("race", {"none": "PASS", "found": "FAIL"}),
          "termination": ("termination", {"always": "PASS", "not-always": "FAIL"})}
Result = collections.namedtuple("Result", "row got why cpu")


def name_of(row):
    return " ".join(filter(None, (row["file"], row["property"], row["progress"], "bound=" + row["bound"])))


def rows(match=""):
    """The kernel rows of the corpus; None where it is absent."""
    path = os.path.join(CORPUS, "expected.csv")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["file"].startswith("spirv/") and match in name_of(row)]


def verdict(row, test):
    """FAULT: no execution ends, as all access memory out of bounds; VACUOUS: an answer about no execution."""
    field, names = FIELDS[row["property"]]
    nothing = test["allowed_states"] == 0 and test["states_complete"]
    if nothing and field == "condition" and test["flags"] == ["out_of_bounds"]:
        return "FAULT" if test["condition"] == "unknown" else "VACUOUS"
    found = test["flags"] or test["divergence"] == "found" or test["termination"] == "not-always"
    if nothing and names.get(test[field]) and (field == "condition" or not found):
        return "VACUOUS"
    return names.get(test[field], "UNKNOWN")


def run(row, engine, timeout):
    command = [REFCL, "explore", "--engine", engine, "--timeout", str(timeout), "--bound", row["bound"], "--model",
               os.path.join(CORPUS, row["model"] + ".dat3m.cat"), "--json", "-"]
    if row["progress"]:
        command += ["--progress", row["progress"]]
    command.append(os.path.join(CORPUS, row["file"]))
    # The CPU time of this child alone: another process waits for it.
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen(command, stdout=out, stderr=err)
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
        out.seek(0)
        err.seek(0)
        text, problem = out.read(), err.read().strip()
    cpu = usage.ru_utime + usage.ru_stime
    try:
        test = json.loads(text)["tests"][0]
    except (ValueError, LookupError):
        return Result(row, "ERROR", problem, cpu)
    if "error" in test:
        return Result(row, "ERROR", test["error"], cpu)
    return Result(row, verdict(row, test), test.get("limit", ""), cpu)


def outcome(result):
    """agrees, undecided, held wrong, or DIFFERS"""
    if result.got == result.row["expected"]:
        return "agrees"
    expected, _ = DIFFERS.get((result.row["file"], result.row["property"]), (None, ""))
    if result.got == expected:
        return "held wrong"
    return "undecided" if result.got == "UNKNOWN" else "DIFFERS"


def run_all(todo, engine, timeout, jobs):
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda row: run(row, engine, timeout), todo)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--engine", default="search", choices=("search", "z3", "auto"))
    options.add_argument("--timeout", type=int, default=10, help="seconds for each row (default 10)")
    options.add_argument("--jobs", type=int, default=JOBS)
    options.add_argument("--match", default="", help="only rows whose name holds this")
    options.add_argument("--quiet", action="store_true", help="no lines for rows that agree")
    args = options.parse_args()
    todo = rows(args.match)
    if todo is None:
        print("the corpus is absent: set REFCL_CORPUS")
        return 2
    counts = collections.Counter()
    total = 0.0
    for result in run_all(todo, args.engine, args.timeout, args.jobs):
        what = outcome(result)
        counts[what] += 1
        total += result.cpu
        if what != "agrees" or not args.quiet:
            print(f"{what:10} {result.row['expected']:7} {result.got:7} {result.cpu:8.2f} s  {name_of(result.row)}  "
                  f"{result.why}".rstrip(), flush=True)
    decided = sum(counts.values()) - counts["undecided"]
    print(f"{args.engine}: {len(todo)} rows, {counts['agrees']} agree, {counts['undecided']} undecided, "
          f"{counts['held wrong']} held wrong, {counts['DIFFERS']} differ; {100 * decided / max(len(todo), 1):.1f} % "
          f"decided within {args.timeout} s, CPU {total:.1f} s in all")
    for (file, prop), (_, why) in DIFFERS.items():
        if args.match in file:
            print(f"held wrong: {file} {prop}: {why}")
    return 1 if counts["DIFFERS"] else 0


if __name__ == "__main__":
    sys.exit(main())
