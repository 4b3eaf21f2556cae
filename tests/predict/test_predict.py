#!/usr/bin/env python3
"""refcl kernel --predict: races that the recorded execution hides are found, with the order of events; kernels that
never race stay silent.  Each kernel runs with one work-item per group and with all in one group."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from tap import check

here = os.path.dirname(os.path.abspath(__file__))
build = os.path.join(here, "../..", os.environ.get("BUILD", "build"))
refcl = os.path.join(build, "refcl")
source = os.path.join(here, "kernels.cl")


def run(kernel, items, local, *options):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [refcl, "kernel", "-k", kernel, "-g", str(items), "-l", str(local), "--json", out.name, "-a", "buf:4:zero",
                   "-a", "buf:8:zero", "-a", "buf:8:zero", *options, source]
        r = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
        text = r.stderr.decode("utf-8", "replace")
        if r.returncode > 3:
            return r.returncode, [], text
        with open(out.name) as f:
            return r.returncode, json.load(f)["findings"], text


def main():
    if not os.path.exists(refcl) or not os.path.exists(os.path.join(build, "librefcl.so")):
        print("ok 1 - prediction # SKIP refcl is not built")
        return 0
    with open(source) as f:
        kernels = re.findall(r"^kernel void (\w+)", f.read(), re.M)
    for kernel in kernels:
        racy = kernel.startswith("racy_")
        for items, local in ((2, 2),) if kernel in ("racy_local", "clean_barrier") else ((2, 1), (2, 2)):
            code, findings, text = run(kernel, items, local)
            check("%s %d/%d: the execution has no race" % (kernel, items, local), code == 0 and not findings, text)
            code, findings, text = run(kernel, items, local, "--predict")
            kinds = sorted(set(f["kind"] for f in findings))
            check("%s %d/%d: %s" % (kernel, items, local, "another has" if racy else "no other has"),
                  (code, kinds) == ((1, ["predicted-race"]) if racy else (0, [])), text)
            check("and no question stays open", " 0 stayed open" in text, text)
            if racy:
                check("the race comes with its execution",
                      all(len(f["accesses"]) == 2 and ";" in f.get("reason", "") for f in findings), text)
    for kernel in ("clean_lock", "clean_last", "clean_message", "clean_slots"):
        code, findings, text = run(kernel, 6, 3, "--predict")
        check("%s with six work-items" % kernel, code in (0, 3) and not findings, text)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
