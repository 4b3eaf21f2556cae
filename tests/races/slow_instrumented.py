#!/usr/bin/env python3
"""Instrumented launches have the findings of the interpreter: every kernel and host program with a verdict
must give the same report under both engines, and many of the clean ones must really be instrumented.

slow_instrumented.py [PATTERN...]: only these."""
import fnmatch
import glob
import json
import os
import re
import shlex
import subprocess
import sys

import test_host
import sample
from tap import check
from test_races import PATIENCE, directives, here, refcl

LEAST_COMPLETED = 40  # kernels with an instrumented launch and no finding
NO_REPORT = "no report"


def report(command, output, engine, variables):
    environment = dict(os.environ, REFCL_ENGINE=engine, REFCL_DEBUG="jit")
    environment.update(variables)
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, env=environment)
    if run.stdout.startswith(b"SKIP"):
        return "SKIP", False
    text = {"status": NO_REPORT, "findings": []}
    if os.path.exists(output):
        with open(output) as f:
            text = json.load(f)
        os.unlink(output)
    notes = run.stderr.decode("utf-8", "replace")
    compiled = ": compiled" in notes or ": loaded" in notes
    completed = text["status"] != NO_REPORT and compiled and "shadow check failed" not in notes and "runs in the interpreter" not in notes
    return {"code": run.returncode, "status": text["status"], "findings": text["findings"], "stderr": notes,
            "stdout": run.stdout}, completed


def comparable(finding, host):
    """Removes what varies: addresses and distances of objects; in host programs, which of two accesses comes
    first, and its consequences."""
    outside = r'|"(offset|element)": -?\d+' if finding["kind"] == "out-of-bounds" else ""
    if host:
        finding = finding["kind"], finding.get("clause"), sorted(
            str([a.get(k) for k in ("file", "line", "kernel", "work_item", "argument", "element")])
            for a in finding["accesses"])
    return re.sub(r"0x[0-9a-f]+|offset -?\d+" + outside, "", json.dumps(finding, sort_keys=True))


def has_threads(path):
    """Races of application threads and callbacks depend on timing: which of their accesses come first, and in
    which pairs a race is observed."""
    with open(path) as source:
        return re.search("pthread|[Cc]allback", source.read()) is not None


def differences(a, b, host, threads=False):
    if threads:
        a, b = (dict(r, findings=[{"kind": k, "accesses": []} for k in sorted({f["kind"] for f in r["findings"]})])
                for r in (a, b))
    x, y = (sorted(comparable(f, host) for f in r["findings"]) for r in (a, b))
    if (a["code"], a["status"], x) == (b["code"], b["status"], y) and a["status"] != NO_REPORT:
        return None
    return "interp: exit %d, %s, %s; jit: exit %d, %s, %s" % (
        a["code"], a["status"], [f for f in x if f not in y], b["code"], b["status"], [f for f in y if f not in x])


def compare(name, launch, kind):
    """LAUNCH(engine) is a report; its verdict is KIND, and both engines give the same report and memory."""
    (expected, _), (found, completed) = (launch(engine) for engine in ("interp", "jit"))
    kinds = [f["kind"] for f in expected["findings"]] or ["clean"]
    check("%s: %s" % (name, kind), kind in kinds, expected)
    different = differences(expected, found, False)
    check("%s: the same report" % name, different is None, different)
    check("%s: the same memory" % name, expected["stdout"] == found["stdout"])
    check("%s: is%s completed" % (name, "" if kind == "clean" else " not"), completed == (kind == "clean"), found["stderr"])


def commands(patterns):
    def wanted(path):
        name = os.path.basename(path)
        return any(fnmatch.fnmatch(name, p) for p in patterns) if patterns else sample.is_chosen(name)

    output = os.path.join(test_host.folder, "report.json")
    for path in filter(wanted, sorted(glob.glob(os.path.join(here, "kernels/*/*.cl")))):
        run = shlex.split(directives(path)["run"])
        yield path, [refcl, "kernel", "--quiet", "--json", output, *run, path], output, {}
    for path in filter(wanted, sorted(glob.glob(os.path.join(here, "host/*/*.c")))):
        found = directives(path)
        program = test_host.compiled(path, found)
        variables = dict(word.split("=", 1) for word in found.get("environment", "").split())
        variables.setdefault("REFCL_QUEUE_SEED", "1")  # values and findings depend on the order of two commands
        yield path, [refcl, "run", "--quiet", "--json", output, "--", program], output, variables


def main():
    number = failed = clean = 0
    patterns = sys.argv[1:]
    if not os.path.exists(refcl):
        print("ok 1 - instrumented launches # SKIP %s is not built" % refcl)
        return 0
    for path, command, output, variables in commands(patterns):
        number += 1
        host = path.endswith(".c")
        expected, _ = report(command, output, "interp", variables)
        found, completed = report(command, output, "jit", variables)
        problem = None if expected == "SKIP" else differences(expected, found, host, host and has_threads(path))
        clean += completed
        failed += problem is not None
        print("%s %d - %s%s%s" % ("not ok" if problem else "ok", number, os.path.basename(path),
                                  ", completed" if completed else "", " # SKIP no protection keys" if expected == "SKIP" else ""))
        if problem:
            print("#", problem)
    if not patterns:
        number += 1
        least = sample.part(LEAST_COMPLETED)
        failed += clean < least
        print("%s %d - %d programs were instrumented" % ("not ok" if clean < least else "ok", number, clean))
    sample.print_left_out()
    print("1..%d" % number)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
