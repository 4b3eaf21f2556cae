#!/usr/bin/env python3
"""A checked run has the results of an unchecked one: kernels that misuse memory, arithmetic and built-in
functions (same_results_host.c) leave the same bytes in buffers, and launches end with the same status, with
and without checks."""
import json
import os
import subprocess
import sys

import test_host

sys.path.insert(0, os.path.join(test_host.here, "../lib"))
import tap
from built import PATIENCE, REFCL, on_refcl
from tap import check

# The finding of each kernel, and whether it remains defined after compilation: then compiled code has the
# same results, too.
KERNELS = {
    "level": ("read-of-write-only", True),  # a breadth-first search, whose levels race
    # [CL 5.2.1 R2]
    "read_write_only": ("read-of-write-only", True),
    "add_to_write_only": ("read-of-write-only", True),
    "vector_of_write_only": ("read-of-write-only", True),
    # [CL 5.2.1 R4]
    "write_read_only": ("write-to-constant", True),
    "add_to_read_only": ("write-to-constant", True),
    "write_cast_constant": ("write-to-constant", True),
    "misaligned_load": ("misaligned", True),
    "misaligned_store": ("misaligned", True),
    "misaligned_vector": ("misaligned", True),
    "misaligned_atomic": ("misaligned", True),
    "after_lifetime": ("use-after-lifetime", False),
    "zero_divisor": ("division-by-zero", True),
    "overflow": ("signed-overflow", True),
    "huge_float": ("float-to-integer", True),
    "subscript": ("out-of-bounds", True),
    "wrong_order": ("invalid-order", True),
    "many_findings": ("read-of-write-only", True),
    "wrong_format": ("printf-format", True),
    "unwaited_copy": ("unwaited-copy", True),
    "unreached": ("unreachable", False),
}
RACES = {"level": "data-race", "misaligned_vector": "uniform-write"}  # beside that


def output(command, environment):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, env=environment)
    lines = run.stdout.decode().splitlines()
    return {name: [line for line in lines if line.split()[0] == name] for name in KERNELS}, run


def left(program, *options, **environment):
    """The initial contents of local memory in each work-group, and how many launches a trace has to be
    re-executed for; the trace is read."""
    trace = program + ".trace"
    command = [REFCL, "run", "--quiet", "--check", "race,memory", "--trace", trace, *options, "--", program, "left"]
    environment = dict(os.environ, REFCL_DEBUG="trace", **environment)
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, env=environment)
    lines = [line for line in run.stdout.decode().splitlines() if line.startswith("left both 0:")]
    dump = subprocess.run([REFCL, "trace", "dump", trace], stdout=subprocess.DEVNULL, timeout=PATIENCE)
    good = run.returncode == 0 and dump.returncode == 0 and len(lines) == 1
    return lines[0].split(":")[1].split()[:256] if good else run.stderr, run.stderr.count(b"is to be executed again")


def check_local_memory(program):
    """All work-groups' local memory has the same initial contents, which depend on the seed."""
    values = []
    for seed in ("1", "2"):
        found, again = left(program, "--seed", seed, REFCL_ENGINE="interp")
        check("local memory has the same initial contents in all work-groups, seed %s" % seed, len(set(found)) == 1 and found[0] != "0", found)
        values.append(found)
        found, again = left(program, "--seed", seed, REFCL_ENGINE="jit")
        check("... in compiled code, seed %s" % seed, found == values[-1] and again == 1, (found, again))
        found, again = left(program, "--seed", seed, "--schedule", "fair")
        check("... with the fair schedule, seed %s" % seed, found == values[-1], found)
    check("the contents depend on the seed", values[0] != values[1])


def main():
    if not os.path.exists(REFCL):
        tap.skip("results", "%s is not built" % REFCL)
        return tap.done()
    program = test_host.compiled(os.path.join(test_host.here, "same_results_host.c"), {})
    plain = {e: output([program, *KERNELS], on_refcl(REFCL_ENGINE=e, REFCL_QUIET="1"))[0] for e in ("interp", "jit")}
    for engine in ("interp", "jit"):
        command = [REFCL, "run", "--quiet", "--check", "all", "--json", program + ".json", "--", program, *KERNELS]
        checked, run = output(command, dict(os.environ, REFCL_ENGINE=engine))
        check("findings, %s" % engine, run.returncode == 1, run.stderr.decode("utf-8", "replace")[-300:])
        with open(program + ".json") as f:
            findings = json.load(f)["findings"]
        for name, (kind, defined) in KERNELS.items():
            found = {f["kind"] for f in findings if any(a.get("kernel") == name for a in f["accesses"])}
            check("%s: %s, %s" % (name, kind, engine), found == {kind} | ({RACES[name]} if name in RACES else set()), found)
            for other in ("interp", "jit") if defined else ("interp",):
                check("%s: checked by %s, unchecked by %s" % (name, engine, other),
                      len(checked[name]) == 4 and checked[name] == plain[other][name])
    check_local_memory(program)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
