#!/usr/bin/env python3
"""Predictions against exhaustive exploration: a predicted race is a race; and the kernels of test_predict.py
have the verdicts in their names."""
import collections
import json
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../lib"), os.path.join(HERE, "../explore")]
import sample
import tap
from built import PATIENCE, REFCL
from test_kernels import header, kernels

# Kernels with a predicted race; of the others, for which none should be predicted, a sample is enough.
PREDICTED = {"ttaslock_acquire_watch.cl", "counting_sort_no_last_barrier.cl", "union_find_halving_plain.cl"}
LEAST_COMPARED = 3  # most races of these kernels are observed, not predicted
LEAST_FOUND = 2  # of these
LEAST_NAMED = {"found": 25, "none": 28}  # kernels of test_predict.py, which has their predictions
EXPLORED = "12"  # seconds: the first executions have the findings, and the rest of the search is not needed
STEPS = "100000"  # of instructions: some kernels never end
SCHEDULES = (["--schedule", "sequential"], ["--schedule", "fair"], ["--schedule", "random", "--seed", "1"])


def report(command):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
    try:
        return json.loads(run.stdout.decode("utf-8")), run.stderr.decode("utf-8", "replace")
    except ValueError:
        return {}, run.stderr.decode("utf-8", "replace")


def explored(options, path):
    tests = report([REFCL, "explore", "--json", "-", *options, path])[0].get("tests") or [{}]
    return tests[0].get("race", "unknown")


def predicted(options, path, schedules):
    """Kinds of the findings under each schedule; and the output."""
    kinds, said = set(), ""
    for schedule in schedules:
        findings, text = report([REFCL, "kernel", "--json", "-", "--predict", "--step-limit", STEPS, *schedule, *options,
                                 path])
        kinds |= {f["kind"] for f in findings.get("findings", [])}
        said += text
    return kinds, said


def launch_options(path):
    """The options that exploring and running share."""
    words = iter(shlex.split(" ".join(header(path, "Options"))))
    wanted = []
    for word in words:
        if word in ("--global", "--local", "--arg", "--kernel", "-g", "-l", "-a", "-k"):
            wanted += [word, next(words)]
        elif word.startswith("-"):
            next(words, None)
    return wanted


def compare(name, options, explore_options, path, schedules=SCHEDULES):
    """A predicted race is found by exploring; without a prediction there is nothing to compare."""
    if name not in PREDICTED and not sample.is_chosen(name):
        return
    kinds, said = predicted(options, path, schedules)
    if "predicted-race" in kinds:
        verify(name, sorted(kinds), explored(["--timeout", EXPLORED, *explore_options], path), "found", said)


ANSWERS = collections.Counter()  # "found", "none" or "unknown", of all that was explored


def verify(name, kinds, race, expected, said=""):
    ANSWERS[race] += 1
    if race == "unknown":
        tap.skip(name, "exploring gives no answer")
    else:
        tap.check("%s: %s, explored %s" % (name, kinds, race), race == expected, said)


def is_atomic(path):
    with open(path, encoding="utf-8") as file:
        return "atomic" in file.read()


def main():
    if not os.path.exists(REFCL):
        print("ok 1 - prediction and exploration # SKIP refcl is not built")
        return 0
    path = os.path.join(HERE, "kernels.cl")
    with open(path, encoding="utf-8") as file:
        names = re.findall(r"^kernel void ((?:racy|clean)_\w+)", file.read(), re.M)
    for kernel in names:
        local = 2 if kernel in ("racy_local", "clean_barrier") else 1
        race = explored(["--timeout", EXPLORED, "-k", kernel, "-g", "2", "-l", str(local), *["-a", "buf:4:zero"], *2 * ["-a", "buf:8:zero"]], path)
        verify(kernel, "by its name", race, "found" if kernel.startswith("racy") else "none")
    named, named_answers = sum(ANSWERS.values()), dict(ANSWERS)
    for answer, least in LEAST_NAMED.items():
        count = named_answers.get(answer, 0)
        tap.check("%d kernels explored as their names say: race %s, %d at least" % (count, answer, least), count >= least)
    for folder in ("patterns/opencl", "kernels"):
        folder = os.path.join(HERE, "../explore", folder)
        for file in kernels(folder):
            if file.endswith(".cl") and not list(header(file, "Error")):
                compare(os.path.basename(file), launch_options(file), shlex.split(" ".join(header(file, "Options"))), file)
    for file in kernels(os.path.join(HERE, "../races/kernels")):
        if is_atomic(file):  # the others have no predictions
            options = shlex.split(" ".join(header(file, "run")))
            compare(os.path.basename(file), options, options, file, SCHEDULES[:1])
    compared, unknown = sum(ANSWERS.values()) - named, ANSWERS["unknown"]
    found = ANSWERS["found"] - named_answers.get("found", 0)
    tap.check("%d predicted races explored, %d at least" % (compared, LEAST_COMPARED), compared >= LEAST_COMPARED)
    tap.check("%d of them found, %d at least" % (found, LEAST_FOUND), found >= LEAST_FOUND)
    tap.check("%d of %d without an answer" % (unknown, named + compared), unknown * 10 <= named + compared)
    sample.print_left_out()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
