#!/usr/bin/env python3
"""The host programs of tests/races on PoCL under the layer: `refcl run --on-driver` gives the verdict of
refcl's own run.

Comments in each program state the expected findings (tests/races/test_host.py).  differences.txt lists the
programs with another verdict, and why; one that cannot run on PoCL fails there without the layer, too, or has
the program's own verdict ("cannot run or clean": or is clean).  Programs whose verdict depends on accesses of
a host that is not instrumented, those that need protection keys, are excluded."""
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "../lib"), os.path.join(here, "../races")]
from built import BUILD, JOBS, NO_HOST_CC, PATIENCE, REFCL
from sample import is_chosen, print_left_out
from test_host import compiled
from test_races import directives

POCL = os.environ.get("REFCL_POCL_ICD", "/etc/OpenCL/vendors/pocl.icd")
CANNOT_RUN = "cannot run"
CANNOT_RUN_OR_CLEAN = "cannot run or clean"
CANNOT_RUN_OR_UNKNOWN = "cannot run or unknown"
UNKNOWN = 3  # exit code
COSTS = 0.25  # tests/lib/sample.py


def differences():
    """The verdict of each listed program."""
    with open(os.path.join(here, "differences.txt")) as f:
        rows = [line.rstrip("\n").split(" | ") for line in f if line.strip() and not line.startswith("#")]
    return {name: verdict for name, verdict, _ in rows}


def on_driver(program, *options):
    environment = dict(os.environ, OCL_ICD_VENDORS=POCL)
    return subprocess.run([REFCL, "run", "--on-driver", "--quiet", "--json", "-", *options, "--", program],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, env=environment)


def report_of(run):
    out = run.stdout.decode("utf-8", "replace")
    return json.loads(out[out.index("{\n"):])


def judge(path, wanted, listed):
    program = compiled(path, wanted)
    may_be_unknown = listed == CANNOT_RUN_OR_UNKNOWN
    if listed in (CANNOT_RUN, CANNOT_RUN_OR_CLEAN, CANNOT_RUN_OR_UNKNOWN):
        alone = subprocess.run([program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE,
                               env=dict(os.environ, OCL_ICD_VENDORS=POCL))
        if alone.returncode:
            return None
        # A later PoCL runs it.
        listed = "clean" if listed == CANNOT_RUN_OR_CLEAN else None
    run = on_driver(program)
    if may_be_unknown and run.returncode == UNKNOWN and not report_of(run)["findings"]:
        return None
    if run.returncode not in (0, 1):
        return "exit %d: %s" % (run.returncode, run.stderr.decode("utf-8", "replace")[-300:])
    findings = report_of(run)["findings"]
    kinds = " ".join(sorted({f["kind"] for f in findings})) or "clean"
    if run.returncode != (kinds != "clean") or kinds != (listed or wanted["expect"]):
        return "%s, exit %d: %s%s" % (kinds, run.returncode, "; ".join(f["message"] for f in findings),
                                      run.stderr.decode("utf-8", "replace")[-300:])
    if listed or kinds == "clean":
        return None
    if wanted.get("reason") and not any(wanted["reason"] in f.get("reason", "") for f in findings):
        return "reasons are %s" % [f.get("reason") for f in findings]
    if wanted.get("fix") and not any(wanted["fix"] in f.get("fix", "") and f["fix_verified"] for f in findings):
        return "fixes are %s" % [f.get("fix") for f in findings]
    return None


def main():
    if not os.path.exists(POCL):
        print("1..0 # SKIP no PoCL")
        return 0
    listed, programs = differences(), []
    for path in sorted(glob.glob(os.path.join(here, "../races/host/*/*.c"))):
        wanted = directives(path)
        with open(path) as f:
            if "need_keys" not in f.read():
                programs.append((path, wanted, listed.pop(os.path.basename(path), None)))
    programs = [program for program in programs if is_chosen(os.path.basename(program[0]), COSTS)]
    skipped = [path for path, wanted, _ in programs if NO_HOST_CC and wanted.get("build") == "host-cc"]
    programs = [program for program in programs if program[0] not in skipped]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for number, (problem, (path, wanted, other)) in enumerate(zip(pool.map(judge, *zip(*programs)), programs), 1):
            failed += problem is not None
            print("%s %d - %s is %s" % ("not ok" if problem else "ok", number, os.path.basename(path),
                                        other or wanted["expect"]))
            if problem:
                print("#", problem)
    print("%s %d - each listed difference is that of a program" % ("not ok" if listed else "ok", number + 1))
    for name in listed:
        print("#", name)
    for number, path in enumerate(skipped, number + 2):
        print("ok %d - %s # SKIP %s" % (number, os.path.basename(path), NO_HOST_CC))
    print_left_out()
    print("1..%d" % (len(programs) + len(skipped) + 1))
    return 1 if failed or listed else 0


if __name__ == "__main__":
    sys.exit(main())
