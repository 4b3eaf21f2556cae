"""Sums up the logs of tests/run.sh: totals.py [--skips FILE] LOGS TEST...

A program fails if a check fails, if it exits with another code than 0, if its results are not numbered 1 to N
by the one plan "1..N" that TAP demands, if it is to run with compiled kernels ("jit:") and compiles none or
not all, or if a process that it started outlives it.  The run fails if checks are skipped that FILE
(tests/skips.txt) does not permit to be."""
import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RESULT = re.compile(r"(not )?ok\b *(\d*)(.*)")
PLAN = re.compile(r"1\.\.(\d+)(?:\s*# *skip\b *(.*))?$", re.I)
SKIP = re.compile(r"# *skip\b *(.*)", re.I)
SKIP_REASON = re.compile(r"# skipped: (.*)")  # printed by skip_for() of tests/lib/skip.h before cmocka's result
OUTLIVES = re.compile(r"left: (\S+)$")  # printed by measured.py
# Reasons for which launches are left to the interpreter by design.
LEFT = " in an instrumented launch", "a barrier that some work-items may not reach", "the process ends"
SHOWN = re.compile(r"not ok |.*(ERROR: |runtime error|Assertion)")


class Log:
    """The output of one test: counts, the reasons of its skips, and errors other than failed checks."""

    def __init__(self, path):
        self.passed, self.failed, self.reasons, self.problems = 0, 0, [], []
        self.lines = ["no log"]
        if os.path.exists(path):
            with open(path, errors="replace") as file:
                self.lines = file.read().split("\n")
        self.measured = {word: 0 for word in ("exit", "ms", "cpu")}
        plans, numbers, reason = [], [], ""
        for line in self.lines:
            result, plan, told = RESULT.match(line), PLAN.match(line), SKIP_REASON.match(line)
            word, _, value = line.partition(" ")
            if plan:
                plans.append(int(plan[1]))
                if plan[2] is not None:
                    self.reasons.append(plan[2])
            elif told:
                reason = told[1]
            elif result:
                numbers.append(result[2])
                self.count(result, reason)
                reason = ""
            elif OUTLIVES.match(line):
                self.problems.append(f"{OUTLIVES.match(line)[1]} outlives it")
            elif word in self.measured and re.fullmatch(r"-?\d+", value):
                self.measured[word] = int(value)
        self.check(plans, numbers)
        if "/jit_" in path:
            self.check_launches(path + ".jit")

    def check_launches(self, path):
        """PATH has "compiled", and the reasons for launches that were left to the interpreter (tests/jit/seen.c)."""
        launches = set()
        if os.path.exists(path):
            with open(path, errors="replace") as file:
                launches = set(file.read().splitlines())
        if "compiled" not in launches:
            self.problems.append("no launch is compiled")
        for reason in sorted(launches - {"compiled"}):
            if not reason.endswith(LEFT):
                self.problems.append(f"a launch is left to the interpreter: {reason}")

    def count(self, result, reason):
        skip = SKIP.search(result[3])
        if skip:  # cmocka: "not ok 1 # SKIP name", since 1.1.7 "ok 1 # SKIP name", after the reason
            self.reasons.append(reason or ("" if result[1] else skip[1]))
        elif result[1]:
            self.failed += 1
        else:
            self.passed += 1

    def check(self, plans, numbers):
        if len(plans) != 1:
            self.problems.append(f"{len(plans)} plans")
        elif numbers != [str(n + 1) for n in range(plans[0])]:
            self.problems.append(f"the plan is 1..{plans[0]}, the {len(numbers)} results are numbered otherwise")
        if self.measured["exit"] != 0 and self.failed == 0:
            self.problems.append(f"exit code {self.measured['exit']}" + (", out of time" if self.measured["exit"] == 124 else ""))
        if not numbers and not self.reasons:
            self.problems.append("no results")


def show(test, log):
    if log.failed or log.problems:
        print(f"FAIL {test:60} {log.passed:4} ok, {log.failed} failed, exit {log.measured['exit']}, {log.measured['ms']} ms")
        for problem in log.problems:
            print(f"    {test}: {problem}")
        shown = [n for n, line in enumerate(log.lines) if SHOWN.match(line)]
        lines = sorted({k for n in shown for k in range(n, min(n + 12, len(log.lines)))})[:40]
        for line in [log.lines[n] for n in lines] or log.lines[-8:]:
            print("    " + line)
    else:
        skipped = f", {len(log.reasons)} skipped" if log.reasons else ""
        print(f"ok   {test:60} {log.passed:4} ok{skipped} ({log.measured['ms']} ms, CPU {log.measured['cpu']} ms)")


def folder(test):
    """jit:build/tests/unit/interp/test_exec -> jit:unit/interp"""
    before, _, after = test.rpartition("tests/")
    return ("jit:" if before.startswith("jit:") else "") + os.path.dirname(after)


def show_folders(logs):
    rows = {}
    for test, log in logs.items():
        row = rows.setdefault(folder(test), [0, 0, 0, 0])
        for column, more in enumerate((log.passed, log.failed + len(log.problems), len(log.reasons), log.measured["cpu"])):
            row[column] += more
    print(f"{'folder':24} {'passed':>7} {'failed':>7} {'skipped':>7} {'CPU s':>7}")
    for name, row in sorted(rows.items()):
        print(f"{name:24} {row[0]:7} {row[1]:7} {row[2]:7} {row[3] / 1000:7.1f}")
    print(f"{'all':24} {'':23} {sum(row[3] for row in rows.values()) / 1000:7.1f}")
    return rows


def listed_reasons(path):
    """Of PATH: reason -> (most skips, condition)"""
    listed = {}
    with open(path) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                most, reason, condition = [word.strip() for word in line.split("|", 2)]
                listed[reason] = int(most), condition
    return listed


def wrong_skips(logs, listed):
    """The skips that LISTED does not permit, one line each."""
    found = {}
    for test, log in logs.items():
        for reason in log.reasons:
            found.setdefault(reason.partition(":")[0].strip(), []).append(test)
    for reason, tests in sorted(found.items()):
        most, condition = listed.get(reason, (0, "false"))
        print(f"skipped {len(tests)} of at most {most}: {reason or 'no reason'}")
        where = ", ".join(sorted(set(tests)))
        if reason not in listed:
            yield f"skips for a reason that tests/skips.txt does not list: {reason!r} ({where})"
        elif len(tests) > most:
            yield f"{len(tests)} skips, at most {most} permitted: {reason} ({where})"
        elif subprocess.call(["bash", "-c", condition], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) != 0:
            yield f"skips whose reason does not hold here: {reason} ({where})"


def main():
    parser = argparse.ArgumentParser(usage="totals.py [--skips FILE] LOGS TEST...")
    parser.add_argument("--skips", default=os.path.join(HERE, "../skips.txt"))
    parser.add_argument("logs")
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    logs = {test: Log(os.path.join(options.logs, re.sub("[/:]", "_", test) + ".log")) for test in options.tests}
    for test, log in logs.items():
        show(test, log)
    rows = show_folders(logs)
    problems = list(wrong_skips(logs, listed_reasons(options.skips)))
    for problem in problems:
        print("FAIL " + problem)
    passed, failed, skipped = [sum(row[k] for row in rows.values()) for k in range(3)]
    print(f"{passed} passed, {failed + len(problems)} failed, {skipped} skipped")
    return 1 if failed or problems else 0


sys.exit(main())
