#!/usr/bin/env python3
"""Small kernels with known answers, by both engines, and invalid modules; by search also without the random
walks that it begins with, which could hide a mistake in the search.  The first lines state the answers:

    ; Expect: condition holds, race none, divergence none, termination always
    ; Options: --progress unfair
    ; Engines: z3

The last line names the engines that give an answer, if not both.  Items of a list are separated by "+", or
"none".
"""
import glob
import json
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../lib"))
import sample
import tap
from built import PATIENCE, REFCL

FOLDER = os.path.join(HERE, "kernels")
SECONDS = "300"  # the slowest take five of CPU time; the limit also applies to wall-clock time, and other tests run concurrently


def kernels(folder):
    """The paths of all kernels below FOLDER, by name."""
    return sorted(glob.glob(os.path.join(folder, "**/*.*"), recursive=True), key=os.path.basename)


def find(name):
    """The path of the file NAME below the folder of kernels or that of features."""
    path, = [path for folder in ("kernels", "features") for path in glob.glob(os.path.join(HERE, folder, "*", name))]
    return path


def header(path, key):
    with open(path, encoding="utf-8") as file:
        for line in file:
            text = line.lstrip("/; ").strip()
            if text.startswith(key + ":"):
                yield text[len(key) + 1:].strip()


def explore(path, engine, options):
    run = subprocess.run([REFCL, "explore", "--engine", engine, "--json", "-", *options, path], capture_output=True,
                         text=True, timeout=PATIENCE, check=False, env=dict(os.environ, REFCL_TIMEOUT=SECONDS))
    tests = json.loads(run.stdout)["tests"] if run.stdout else []
    return run, tests[0] if tests else {}


# Name: options beside --engine, whose value is the name's first word.
ENGINES = {"search": [], "search --no-walk": ["--no-walk"], "z3": []}


def exit_code(test):
    """The exit code that the verdict requires."""
    if test["condition"] == "fails" or test["flags"] or "found" in (test["race"], test["usage"], test["divergence"]) or (
            test["termination"] == "not-always"):
        return 1
    return 3 if "unknown" in (test[key] for key in ("condition", "race", "usage", "divergence", "termination")) else 0


def check(path, engine, more):
    options = more + shlex.split(" ".join(header(path, "Options")))
    errors = list(header(path, "Error"))
    run, test = explore(path, engine.split()[0], options)
    if run.returncode < 0 or run.returncode == 4:
        return f"exit code {run.returncode}: {run.stderr}"
    if errors:
        good = run.returncode in (2, 3) and errors[0] in run.stderr
        return "" if good else f"expected the error '{errors[0]}', got {run.returncode}: {run.stderr}"
    if test and "error" not in test and run.returncode != exit_code(test):
        return f"exit code {run.returncode} for {test}"
    for expectation in header(path, "Expect"):
        for item in expectation.split(","):
            field, value = item.split()
            got = test.get(field)
            got = "+".join(sorted(got)) or "none" if isinstance(got, list) else str(got)
            if got != value:
                return f"expected {field} {value}, got {got} {test.get('limit', '')} {run.stderr}"
    return ""


def run(folder, engines, sampled=False):
    """All kernels below FOLDER by all ENGINES, a table like the one above; for a sample, all by the first
    engine."""
    for path in kernels(folder):
        name = os.path.basename(path)
        only = " ".join(header(path, "Engines")).split()
        for engine, more in engines.items():
            if only and engine.split()[0] not in only:
                continue
            if sampled and engine != next(iter(engines)) and not sample.is_chosen(f"{name} {engine}"):
                continue
            problem = check(path, engine, more)
            tap.check(f"{name} {engine}", not problem, problem)
    if sampled:
        sample.print_left_out()


if __name__ == "__main__":
    run(FOLDER, ENGINES)
    sys.exit(tap.done())
