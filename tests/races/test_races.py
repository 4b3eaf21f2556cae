#!/usr/bin/env python3
"""Kernels with a verdict: each .cl file says what `refcl kernel` has to find in it.

    // expect: clean, or the kind of a finding that has to be among those reported
    // kind: the kind under `refcl kernel` where it is not that: uniform-write (optional)
    // at: where all findings are (places.py); of every kernel that is not clean
    // clause: the section of the specification that the finding cites (optional)
    // reason: words that the reason of that finding has to contain: what is missing between the accesses (optional)
    // fix: words that its advice has to contain, which then has to be checked (optional)
    // stack: lines of the calls that led to the later access, innermost first (optional)
    // run: how to launch it

Each runs under the sequential and the fair schedule.  Lines and reasons follow from the kernel: they are what
a reader finds wrong with it."""
import glob
import json
import os
import shlex
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
sys.path.insert(0, here)
import sample
from built import PATIENCE, REFCL as refcl
from places import misplaced

# Under the fair schedule the interpreter executes all launches.
SCHEDULES = ("sequential",) if os.environ.get("REFCL_ENGINE") == "jit" else ("sequential", "fair")


def directives(path):
    found = {}
    with open(path) as f:
        for line in f:
            if not line.startswith("// "):
                break
            key, _, value = line[3:].partition(":")
            key = key.strip()
            found[key] = found["at"] + "; " + value.strip() if key == "at" and key in found else value.strip()
        copies = "async_work_group" in line + f.read()
    # In weak memory mode copies may be late: then the access that came too early comes first, and no advice
    # is tried.
    if copies and os.environ.get("REFCL_MEMORY") == "weak":
        found.pop("fix", None)
        found.pop("reason", None)
    return found


def others_are_found():
    """In weak memory mode reads return other values, so other accesses are made.  Prediction finds races of
    other executions."""
    return os.environ.get("REFCL_MEMORY") == "weak" or bool(os.environ.get("REFCL_PREDICT"))


def judge(path, wanted, schedule):
    command = [refcl, "kernel", "--quiet", "--json", "-", "--schedule", schedule, *shlex.split(wanted["run"]), path]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
    try:
        report = json.loads(run.stdout.decode("utf-8"))
    except ValueError:
        return "no report (exit %d): %s" % (run.returncode, run.stderr.decode("utf-8", "replace")[-300:])
    findings = report["findings"]
    if wanted["expect"] == "clean":
        if findings or run.returncode != 0 or report["status"] != "clean":
            return "not clean (exit %d): %s" % (run.returncode, "; ".join(f["message"] for f in findings))
        return None
    if run.returncode != 1:
        return "exit %d instead of 1" % run.returncode
    kinds = {wanted["expect"], "data-race"} if others_are_found() and wanted.get("kind") else {wanted["expect"]}
    fitting = [f for f in findings if f["kind"] in kinds]
    if not fitting:
        return "found %s" % [f["kind"] for f in findings]
    for f in fitting:
        f.update({key: f[key].replace(os.path.dirname(path) + os.sep, "") for key in ("reason", "fix") if f.get(key)})
    if wanted.get("clause", fitting[0].get("clause")) != fitting[0].get("clause"):
        return "the clause is %s" % fitting[0].get("clause")
    if wanted.get("reason") and not any(wanted["reason"] in f.get("reason", "") for f in fitting):
        return "reasons are %s" % [f.get("reason") for f in fitting]
    if wanted.get("fix") and not (wanted["fix"] in fitting[0].get("fix", "") and fitting[0]["fix_verified"]):
        return "the fix is %s, %s" % (fitting[0].get("fix"), fitting[0].get("fix_verified"))
    if wanted.get("stack"):
        stack = [str(s["line"]) for s in fitting[0]["accesses"][0].get("stack", [])]
        if stack != wanted["stack"].split():
            return "the calls are at %s" % stack
    if others_are_found():
        return None
    return misplaced(findings, wanted, schedule, path)


def main():
    number = failed = 0
    if not os.path.exists(refcl):
        print("ok 1 - races # SKIP %s is not built" % refcl)
        return 0
    for path in sorted(glob.glob(os.path.join(here, "kernels/*/*.cl"))):
        wanted = directives(path)
        if others_are_found() and not sample.is_chosen(os.path.basename(path)):
            continue
        wanted["expect"] = wanted.get("kind", wanted["expect"])
        for schedule in SCHEDULES:
            try:
                problem = judge(path, wanted, schedule)
            except subprocess.TimeoutExpired:
                problem = "ran past %d s" % PATIENCE
            number += 1
            failed += problem is not None
            print("%s %d - %s is %s, %s" % ("not ok" if problem else "ok", number, os.path.basename(path),
                                            wanted["expect"], schedule))
            if problem:
                print("#", problem)
    sample.print_left_out()
    print("1..%d" % number)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
