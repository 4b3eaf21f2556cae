#!/usr/bin/env python3
"""Real applications under `refcl run`: no findings except their defects, which tests/clients/README.md lists."""
import json
import os
import re
import shutil
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../lib"))
from built import BUILD as build, REFCL as refcl

LOCAL_ONLY = "fences local memory only"

# name, command, what it is known to do: (function, reason, kinds of the two accesses)
CLIENTS = [
    ("pyopencl", ["/usr/bin/python3", os.path.join(here, "client_pyopencl.py")],
     [(r"^scan_lev1$", LOCAL_ONLY, {"read", "write"})]),
    ("clFFT", [os.path.join(build, "tests/clients/packages/client_clfft")],
     [(r"^fft_(fwd|back)$", LOCAL_ONLY, {"read", "write"})]),
] + [("CLBlast " + r, ["clblast_test_" + r, "-platform", "0", "-device", "0"], [])
     for r in ("xswap", "xaxpy", "xomatcopy", "xnrm2", "xsymv")]


def known(finding, defects):
    accesses = finding["accesses"]
    return any(finding["kind"] == "data-race" and reason in finding.get("reason", "")
               and {a["kind"] for a in accesses} <= kinds and all(re.search(name, a["function"]) for a in accesses)
               for name, reason, kinds in defects)


def main():
    number = failed = 0
    for name, command, defects in CLIENTS:
        number += 1
        if not shutil.which(command[0]):
            print("ok %d - %s # SKIP not installed" % (number, name))
            continue
        run = subprocess.run([refcl, "run", "--quiet", "--json", "-", "--", *command], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, timeout=600)
        text = run.stdout.decode("utf-8", "replace")
        try:
            report = json.loads(text[text.index('{\n\t"format"'):])
        except ValueError:
            report = {"status": "no report", "findings": []}
        new = [f for f in report["findings"] if not known(f, defects)]
        good = not new and report["status"] in ("clean", "findings")
        failed += not good
        print("%s %d - %s: %s, %d known defects" % ("ok" if good else "not ok", number, name, report["status"],
                                                    len(report["findings"]) - len(new)))
        for f in new:
            print("#", f["message"], f.get("reason"))
    print("1..%d" % number)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
