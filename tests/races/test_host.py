#!/usr/bin/env python3
"""Host programs with a verdict: each host/*.c says what `refcl run` has to find in it.

    // expect: clean, or the kind of a finding that has to be among those reported, or unknown
    // limit: words of the reason why it is unknown
    // at: where all findings are (places.py); of every program that is not clean and can run anywhere
    // reason: words that the reason of that finding has to contain: what is missing between the accesses (optional)
    // fix: words that its advice has to contain, which then has to be checked (optional)
    // environment: variables for the run (optional)
    // build: host-cc, if the host's own accesses are to be recorded (optional)

Those that are not clean run with a seed that selects the order of commands, whatever the host's delays.

Repeated reads of a polling host are recorded once for each change, and without points of unrelated locks.

Each runs under the sequential and the fair schedule.  A program that needs protection keys of the processor
prints SKIP where there are none."""
import atexit
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import places
from test_races import SCHEDULES, directives, others_are_found

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
from built import BUILD, NO_HOST_CC, PATIENCE, REFCL as refcl, ROOT
import tap

folder = tempfile.mkdtemp(prefix="refcl-test.")  # others compile the programs too, at the same time
atexit.register(shutil.rmtree, folder)


def flags(option):
    return subprocess.run([refcl, "host-cc", option], stdout=subprocess.PIPE, check=True).stdout.decode().split()


def compiled(path, wanted):
    """A program in FOLDER: several tests need the same ones, so the first test compiles them for all."""
    program = os.path.join(folder, os.path.basename(path)[:-2])
    kept = os.path.join(BUILD, os.path.relpath(path, ROOT)[:-2] + (".host-cc" if wanted.get("build") == "host-cc" else ""))
    sources = [path, *glob.glob(os.path.join(here, "host/**/*.h"), recursive=True), __file__] + ([refcl] if wanted.get("build") == "host-cc" else [])
    if not os.path.exists(kept) or os.path.getmtime(kept) <= max(map(os.path.getmtime, sources)):
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        compile_host(path, wanted, program)
        shutil.copy2(program, "%s.%d" % (kept, os.getpid()))
        os.replace("%s.%d" % (kept, os.getpid()), kept)
    else:
        shutil.copy(kept, program)
    return program


def run_compiler(command):
    """Prints the output only on failure: the linker's warnings would be mixed with the results of other
    tests."""
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode:
        raise RuntimeError("%s: %s" % (command, run.stdout.decode()))


def compile_host(path, wanted, program):
    compiler = [os.environ.get("CC", "gcc"), "-std=c11", "-Wall", "-Wextra", "-Wno-tsan"]
    if wanted.get("build") != "host-cc":
        run_compiler(compiler + ["-g", "-o", program, path, "-lOpenCL"])
        return
    run_compiler(compiler + flags("--compile") + ["-D_GNU_SOURCE", "-c", "-o", program + ".o", path])
    run_compiler(compiler + ["-o", program, program + ".o", "-lOpenCL", "-pthread"] + flags("--link"))


def judge(path, program, wanted, schedule):
    environment = dict(os.environ)
    if wanted["expect"] != "clean":
        environment.update(REFCL_QUEUE_SEED="1", REFCL_QUEUE_PATIENCE="3000")
    environment.update(word.split("=", 1) for word in wanted.get("environment", "").split())
    command = [refcl, "run", "--quiet", "--json", program + ".json", "--schedule", schedule, "--", program]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, env=environment)
    if run.stdout.startswith(b"SKIP"):
        return "SKIP"
    if wanted["expect"] == "unknown" and run.returncode == 3 and wanted["limit"] in run.stderr.decode("utf-8", "replace"):
        return None
    if run.returncode > 1:
        return "exit %d: %s" % (run.returncode, run.stderr.decode("utf-8", "replace")[-300:])
    with open(program + ".json") as f:
        report = json.load(f)
    findings = report["findings"]
    if wanted["expect"] == "clean":
        if findings or run.returncode != 0 or report["status"] != "clean":
            return "not clean (exit %d): %s" % (run.returncode, "; ".join(f["message"] for f in findings))
        return None
    fitting = [f for f in findings if f["kind"] == wanted["expect"]]
    if run.returncode != 1 or not fitting:
        return "exit %d, found %s" % (run.returncode, [f["kind"] for f in findings])
    if wanted.get("reason") and not any(wanted["reason"] in f.get("reason", "") for f in fitting):
        return "reasons are %s" % [f.get("reason") for f in fitting]
    if wanted.get("fix") and not any(wanted["fix"] in f.get("fix", "") and f["fix_verified"] for f in fitting):
        return "fixes are %s" % [f.get("fix") for f in fitting]
    if "at" not in wanted or others_are_found():
        return None
    with open(path) as f:
        threads = re.search("pthread|[Cc]allback", f.read())
    return places.misplaced(findings, wanted, schedule, path, not threads)


def waiting_host(program):
    """The problem with the trace of PROGRAM, whose host polls memory to wait for a kernel, or None."""
    environment = dict(os.environ, REFCL_QUEUE_SEED="1", REFCL_QUEUE_PATIENCE="3000")
    trace = program + ".trace"
    run = subprocess.run([refcl, "run", "--quiet", "--trace", trace, "--", program], timeout=PATIENCE, env=environment,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    dump = subprocess.run([refcl, "trace", "dump", trace], stdout=subprocess.PIPE, timeout=PATIENCE, check=True).stdout.decode()
    events = [line.partition(" ")[2] for line in dump.splitlines() if line[:1].isdigit()]
    waits = [at for at, event in enumerate(events) if event.startswith("host thread 0: atomic read")]
    points = [event for event in events[min(waits, default=0):max(waits, default=0)] if event == "host thread 0: api-call"]
    again = [event for event, before in zip(events[1:], events) if event == before and "atomic read" in event]
    if run.returncode != 1 or len(waits) < 9 or again or points:
        return "exit %d, %d reads, of these %d again, %d points between them" % (run.returncode, len(waits), len(again), len(points))
    return None


def check_program(path):
    wanted = directives(path)
    name = "%s is %s" % (os.path.basename(path), wanted["expect"])
    if wanted.get("build") == "host-cc" and NO_HOST_CC:
        tap.skip(name, NO_HOST_CC)
        return
    program = compiled(path, wanted)
    for schedule in SCHEDULES:
        try:
            problem = judge(path, program, wanted, schedule)
        except subprocess.TimeoutExpired:
            problem = "ran past %d s" % PATIENCE
        if problem == "SKIP":
            tap.skip("%s, %s" % (name, schedule), "no protection keys")
        else:
            tap.check("%s, %s" % (name, schedule), not problem, problem)
    if os.path.basename(path) == "svm_kernel_feeds_host_device_scope.c":
        problem = waiting_host(program)
        tap.check("what a waiting host reads again is recorded once", not problem, problem)


def main():
    for path in sorted(glob.glob(os.path.join(here, "host/*/*.c"))):
        check_program(path)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
