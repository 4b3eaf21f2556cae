#!/usr/bin/env python3
"""Decisions of `refcl explore` on the kernels of tests/races, tests/explore and the public corpus, each
within a short time and without --bound: decided, unknown, refused, or unknown as the kernel's file states, by
reason.

decisions.py [--timeout S] [--jobs N] [--match TEXT] [--items N] [--list] [-- OPTION...]

Kernels that need more than --items work-items are left out.  A verdict that contradicts that of the kernel's
file, one about no execution (vacuous), and a process that uses more CPU time than its limits allow end the
program with 1."""
import argparse
import collections
import csv
import glob
import json
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../lib"), os.path.join(HERE, "../races")]
from built import JOBS, REFCL
from rows import CORPUS, DIFFERS
from test_kernels import header
from test_races import directives

WRONG = ("failed", "vacuous", "late", "CONTRADICTS")
ANSWERS = ("condition", "race", "usage", "divergence", "termination")
GRACE = 2  # seconds beyond the limits, one for each engine, to compile the kernel and to print the verdict
# RACE: the expected answer, "" if none is known.  OPEN: the file states an unknown answer.
Case = collections.namedtuple("Case", "name path options race open", defaults=(False,))
# SECONDS: CPU time.
Result = collections.namedtuple("Result", "case what why seconds")


def launch(words):
    """The options of WORDS that exploring shares with running a kernel; None if WORDS has others."""
    taken = []
    words = iter(words)
    for word in words:
        if word in ("-g", "-l", "-a", "-k", "--global", "--local", "--arg", "--kernel", "--subgroup"):
            taken += [word, next(words)]
        else:
            return None
    return taken


def size_of(options, path=None):
    """Number of work-items of the launch, by the @Config line of the module at PATH, or else by OPTIONS."""
    for line in header(path, "@Config") if path else ():
        return math.prod(int(n) for n in line.split(","))
    for word, value in zip(options, options[1:]):
        if word in ("-g", "--global"):
            return math.prod(int(n) for n in value.split(","))
    return 1


def races(items):
    for path in sorted(glob.glob(os.path.join(HERE, "../races/kernels/*/*.cl"))):
        wanted = directives(path)
        options = launch(shlex.split(wanted.get("run", "")))
        if options is None or size_of(options) > items:
            continue
        race = {"data-race": "found", "clean": "none"}.get(wanted["expect"], "")
        yield Case("races/" + os.path.basename(path), path, options, race)


def features(items):
    for folder in ("kernels", "features", "patterns"):
        for path in sorted(glob.glob(os.path.join(HERE, folder, "**/*.*"), recursive=True)):
            options = shlex.split(" ".join(header(path, "Options")))
            expected = dict(item.split() for line in header(path, "Expect") for item in line.split(","))
            if list(header(path, "Error")) or size_of(options) > items or not expected:
                continue
            race = expected.get("race", "")
            yield Case(f"{folder}/{os.path.basename(path)}", path, options, "" if race == "unknown" else race,
                       "unknown" in expected.values())


def corpus(items):
    path = os.path.join(CORPUS, "expected.csv")
    if not os.path.exists(path):
        return
    found = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["file"].startswith("spirv/") and not row["progress"]:
                race = {"PASS": "none", "FAIL": "found"}.get(row["expected"], "") if row["property"] == "cat_spec" else ""
                if (row["file"], row["property"]) in DIFFERS:
                    race = ""
                known = found.get((row["file"], row["model"]), "")
                found[row["file"], row["model"]] = race or known
    for (name, model), race in sorted(found.items()):
        options = ["--model", os.path.join(CORPUS, model + ".dat3m.cat")]
        path = os.path.join(CORPUS, name)
        if size_of(options, path) <= items:
            yield Case(name, path, options, race)


def reason(text):
    """TEXT without names and numbers of one kernel."""
    text = re.sub(r"^[^:]*: (\d+:\d+: )?(%\d+ = )?", "", text) if ".cl:" in text or ".spv" in text else text
    return re.sub(r"[\w./-]+\.(cl|spvasm|c):\d+", "FILE:LINE", re.sub(r"'[^']*'", "'...'", text))[:150]


def explore(command):
    """Output, errors, exit code and CPU time of COMMAND, its children included."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return out.read(), err.read().strip(), child.returncode, usage.ru_utime + usage.ru_stime


def is_vacuous(test):
    """The verdict is about no execution, though no fault, barrier or loop explains that."""
    found = test["flags"] or test["divergence"] == "found" or test["termination"] == "not-always"
    return test["allowed_states"] == 0 and test["states_complete"] and test["condition"] != "unknown" and not found


def judge(case, test, code):
    """The decision on CASE, and its reason."""
    still = [key for key in ANSWERS if test[key] == "unknown"]
    if case.race and test["race"] not in ("unknown", case.race):
        return "CONTRADICTS", f"race {test['race']}, expected {case.race}"
    if code not in (0, 1, 3):
        return "failed", f"exit code {code}"
    if code == 3 and not still:
        return "CONTRADICTS", "exit code 3 without an unknown answer"
    if is_vacuous(test):
        return "vacuous", "no final state"
    if code == 3:
        return "stated" if case.open else "unknown", test.get("limit", "no reason")
    return "decided", ""


def run(case, timeout, more=()):
    out, err, code, seconds = explore([REFCL, "explore", "--cpu-time", "--timeout", str(timeout), "--json", "-", *case.options, *more, case.path])
    try:
        test = json.loads(out)["tests"][0]
    except (ValueError, LookupError):
        return Result(case, "refused", err, seconds)
    if "error" in test:
        return Result(case, "refused", test["error"], seconds)
    return Result(case, *judge(case, test, code), seconds)


def in_time(result, timeout):
    """RESULT, which is marked as late if the limits did not end the process."""
    late = result.seconds > 2 * timeout + GRACE
    return result._replace(what="late", why=f"{result.seconds:.1f} s of CPU time") if late else result


def cases(items, match=""):
    for collection in (races, features, corpus):
        for case in collection(items):
            if match in case.name:
                yield case


def print_table(results):
    counts = collections.Counter((r.case.name.split("/")[0], r.what) for r in results)
    kinds = ("decided", "unknown", "stated", "refused", *WRONG)
    print(f"{'':10}" + "".join(f"{kind:>12}" for kind in kinds))
    for group in sorted({group for group, _ in counts}):
        print(f"{group:10}" + "".join(f"{counts[group, kind]:12}" for kind in kinds))
    print(f"{'all':10}" + "".join(f"{sum(r.what == kind for r in results):12}" for kind in kinds))
    for (what, why), count in collections.Counter((r.what, reason(r.why)) for r in results if r.what != "decided").most_common():
        print(f"{count:5} {what}: {why}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--timeout", type=int, default=5, help="CPU seconds for each kernel and engine (default 5)")
    options.add_argument("--jobs", type=int, default=JOBS)
    options.add_argument("--match", default="", help="only kernels whose name holds this")
    options.add_argument("--items", type=int, default=8, help="most work-items (default 8)")
    options.add_argument("--list", action="store_true", help="a line for each kernel that is not decided")
    options.add_argument("more", nargs="*", help="options of refcl explore")
    args = options.parse_args()
    todo = list(cases(args.items, args.match))
    with ThreadPoolExecutor(args.jobs) as pool:
        results = list(pool.map(lambda case: in_time(run(case, args.timeout, args.more), args.timeout), todo))
    for r in results:
        if args.list and r.what != "decided":
            print(f"{r.what:11} {r.seconds:6.1f} s  {r.case.name}: {r.why}", flush=True)
    print_table(results)
    unknown = sum(r.what == "unknown" for r in results)
    print(f"{len(results)} kernels, {100 * unknown / max(len(results), 1):.1f} % unknown within {args.timeout} s of CPU time, "
          f"CPU {sum(r.seconds for r in results):.0f} s in all")
    return 1 if any(r.what in WRONG for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
