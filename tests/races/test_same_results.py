#!/usr/bin/env python3
"""A checked run computes what an unchecked one computes: kernels that misuse memory, arithmetic and built-in functions
(same_results_host.c) leave the same bytes in buffers, and launches end with the same status, with checks as without."""
import json
import os
import subprocess
import sys

import test_host

sys.path.insert(0, os.path.join(test_host.here, "../lib"))
import tap
from built import PATIENCE, REFCL, on_refcl
from tap import check

# The finding of each kernel, and whether the compiler leaves it defined: then compiled code has the same results, too.
KERNELS = {
    "level": ("read-of-write-only", True),  # a breadth-first search, whose levels race
    "read_write_only": ("read-of-write-only", True),
    "add_to_write_only": ("read-of-write-only", True),
    "vector_of_write_only": ("read-of-write-only", True),
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
RACES = {"level", "misaligned_vector"}


def output(command, environment):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, env=environment)
    lines = run.stdout.decode().splitlines()
    return {name: [line for line in lines if line.split()[0] == name] for name in KERNELS}, run


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
            check("%s: %s, %s" % (name, kind, engine), found == {kind} | ({"data-race"} if name in RACES else set()), found)
            for other in ("interp", "jit") if defined else ("interp",):
                check("%s: checked by %s, unchecked by %s" % (name, engine, other),
                      len(checked[name]) == 4 and checked[name] == plain[other][name])
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
