#!/usr/bin/python3
"""The matrix of SPIR-V opcodes and OpenCL.std instructions against the tests that execute them.

Opcodes: those of interp/lower/entries.h that do something.  A test counts for an opcode when a module that
has it was loaded and a launch of it came to its end (spv.h writes that down), in a program whose checks all
pass.  OpenCL.std: the names of interp/ext/ext.def in test_builtins.c, which checks that the compiler really
made them.  `--print` shows all."""
import json
import os
import re
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../lib"))
from built import BUILD, PATIENCE, ROOT  # noqa: E402
from tap import check, done  # noqa: E402

GRAMMAR = "/usr/include/spirv/unified1/spirv.core.grammar.json"
# These check results; probes, corpora and mutations check that the interpreter survives.
PROGRAMS = ["test_" + name for name in ("arith", "builtins", "byval", "check", "enqueue", "exec", "image", "kernels", "modes",
                                        "named_barrier", "opcodes", "order", "pipe", "select", "stray", "unusual")]


def read(path):
    with open(os.path.join(ROOT, path)) as f:
        return f.read()


def executed(program, path):
    """The exit code, and the numbers of the opcodes in modules that PROGRAM launched."""
    run = subprocess.run([os.path.join(BUILD, "tests/unit/interp", program)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         timeout=PATIENCE, env=dict(os.environ, REFCL_OPCODES=path))
    return run.returncode, {int(line) for line in read(path).split()} if os.path.exists(path) else set()


def main():
    names = {}  # of each opcode; some have several
    for instruction in json.loads(read(GRAMMAR))["instructions"]:
        names.setdefault(instruction["opcode"], set()).update([instruction["opname"], *instruction.get("aliases", [])])
    tests = {}
    with tempfile.TemporaryDirectory() as folder:
        for program in PROGRAMS:
            code, numbers = executed(program, os.path.join(folder, program))
            check(program + " passes", code == 0, code)
            tests[program] = set().union(*(names[n] for n in numbers))
    missing, rows = [], []
    for name, family in re.findall(r"#define IN_ENTRY_(Op\w+) (\w+)", read("interp/lower/entries.h")):
        if family not in ("none", "foreign"):
            where = [program for program in PROGRAMS if name in tests[program]]
            rows.append("%-50s %s" % (name, " ".join(where)))
            missing += [] if where else [name]
    check("%d opcodes are executed" % len(rows), len(rows) > 200 and not missing, missing)
    builtins, missing = read("tests/unit/interp/test_builtins.c"), []
    for name in re.findall(r"^\w+\(\d+, (\w+)", read("interp/ext/ext.def"), re.M):
        found = '{"%s",' % name in builtins
        rows.append("%-50s %s" % ("OpenCL.std " + name, "test_builtins" if found else ""))
        missing += [] if found else [name]
    check("each instruction of OpenCL.std is executed", not missing, missing)
    if "--print" in sys.argv:
        print("\n".join("# " + row for row in rows))
    return done()


sys.exit(main())
