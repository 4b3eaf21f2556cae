#!/usr/bin/env python3
"""Traces of compiled launches, which readers re-execute, equal the interpreter's traces: every kernel and
host program with a verdict is recorded under both engines, and both dumps must be equal, byte for byte.  The
order of racing commands depends on a seed, the same for both.  Most launches that can be instrumented must be
in the trace as re-execution records.

slow_replay.py [PATTERN...]: only these."""
import os
import re
import subprocess
import sys

import slow_instrumented
import sample
from built import PATIENCE, REFCL as refcl

LEAST_REPLAYED = 40  # programs with such launches


def record(command, trace, engine, variables):
    """The trace's dump, and how many of its launches are re-executed for that."""
    environment = dict(os.environ, REFCL_ENGINE=engine, REFCL_DEBUG="trace")
    environment.update(variables)
    for old in (trace, trace + ".2"):
        if os.path.exists(old):
            os.unlink(old)
    command = [command[0], command[1], "--trace", trace, *command[2:]]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, env=environment)
    if run.stdout.startswith(b"SKIP"):
        return "SKIP", 0
    dump = subprocess.run([refcl, "trace", "dump", "--limit", "300000", trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
    text = dump.stdout.decode("utf-8", "replace") + dump.stderr.decode("utf-8", "replace")
    return "exit %d\n%s" % (dump.returncode, text), run.stderr.count(b"is to be executed again")


def comparable(text, host, threads):
    """Removes addresses, which vary; in host programs, thread numbers and the number of polls vary, too; with
    application threads, so do the values that they read."""
    text = re.sub(r"0x[0-9a-f]{6,}|offset -\d+|offset \d+(?= of \w+ object)" + (r"|0x[0-9a-f]+" if threads else ""), "", text)
    if not host:
        return text
    lines = [re.sub(r"^ *\d+ |(?<=host thread) \d+", "", line) for line in text.split("\n")
             if not re.search(r"\d+ -> \d+|thread \d+: api-call$", line)]
    return "\n".join(sorted(lines, key=lambda line: line if line.startswith(("host", "finding")) else line.split(":")[0]))


def difference(expected, found):
    for number, (a, b) in enumerate(zip(expected.split("\n"), found.split("\n"))):
        if a != b:
            return "line %d: interp: %s; jit: %s" % (number + 1, a, b)
    return None if expected == found else "one has %d characters, the other %d" % (len(expected), len(found))


def main():
    number = failed = replayed = launches = 0
    patterns = sys.argv[1:]
    if not os.path.exists(refcl):
        print("ok 1 - traces that are executed again # SKIP %s is not built" % refcl)
        return 0
    for path, command, output, variables in slow_instrumented.commands(patterns):
        number += 1
        trace = os.path.join(os.path.dirname(output), "replay.trace")
        command = [trace + ".json" if word == output else word for word in command]
        host = path.endswith(".c") or "--repeat" in command
        threads = slow_instrumented.has_threads(path)
        variables.setdefault("REFCL_QUEUE_SEED", "1")  # values depend on the host's progress when a command starts
        expected = comparable(record(command, trace, "interp", variables)[0], host, threads)
        found, count = record(command, trace, "jit", variables)
        problem = difference(expected, comparable(found, host, threads))
        replayed += count > 0
        launches += count
        failed += problem is not None
        print("%s %d - %s%s%s" % ("not ok" if problem else "ok", number, os.path.basename(path),
                                  ", %d launches executed again" % count if count else "",
                                  " # SKIP no protection keys" if found == "SKIP" else ""), flush=True)
        if problem:
            print("#", problem[:1000])
    if not patterns:
        number += 1
        least = sample.part(LEAST_REPLAYED)
        failed += replayed < least
        print("%s %d - %d programs had %d launches executed again" % (
            "not ok" if replayed < least else "ok", number, replayed, launches))
    sample.print_left_out()
    print("1..%d" % number)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
