#!/usr/bin/env python3
"""The matrix of SPIR-V opcodes and OpenCL.std instructions against the tests that are about them.

Opcodes: those of interp/exec/entries.h that do something.  A test is about an opcode when its program text has
it, or when it lists it and checks at run time that its compiled programs have it.  OpenCL.std: the names of
interp/ext/ext.def in test_builtins.c, which checks that the compiler really made them.  `--print` shows all."""
import glob
import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.join(here, "../../..")


def read(path):
    with open(path) as f:
        return f.read()


def main():
    entries = re.findall(r"#define IN_ENTRY_(Op\w+) (\w+)", read(os.path.join(root, "interp/exec/entries.h")))
    tests = {}
    for path in sorted(glob.glob(os.path.join(here, "*.[ch]"))):
        text = read(path).replace("\\n", " ")
        words = set(re.findall(r"\bOp[A-Z]\w+", text))
        tests[os.path.basename(path)] = words | {w[:-3] for w in words if w.endswith("KHR")}
    missing, rows = [], []
    for name, family in entries:
        if family in ("none", "foreign"):
            continue
        where = [t for t in tests if name in tests[t]]
        rows.append("%-50s %s" % (name, " ".join(where)))
        if not where:
            missing.append(name)
    builtins = read(os.path.join(here, "test_builtins.c"))
    names = re.findall(r"^\w+\(\d+, (\w+)", read(os.path.join(root, "interp/ext/ext.def")), re.M)
    for name in names:
        found = '{"%s",' % name in builtins
        rows.append("%-50s %s" % ("OpenCL.std " + name, "test_builtins.c" if found else ""))
        if not found:
            missing.append(name)
    if "--print" in sys.argv:
        print("\n".join(rows))
        return 0
    print("1..1")
    for name in missing:
        print("# no test is about " + name)
    print("%sok 1 - each of %d instructions has a test" % ("not " if missing else "", len(rows)))
    return 1 if missing else 0


sys.exit(main())
