#!/usr/bin/env python3
"""Events from which no later edge starts can be retired without a change of the verdict: `refcl run`, which
retires them, has the same findings in random executions (retired_host.c) as `refcl trace check`, which does
not, in their traces."""
import json
import os
import subprocess
import sys
import tempfile

import test_host

sys.path.insert(0, os.path.join(test_host.here, "../lib"))
import tap
from built import PATIENCE, REFCL, on_refcl
from tap import check

SEEDS, STEPS = range(1, 4), 400


def findings(report, command):
    """The findings of COMMAND, which writes them to REPORT, and whether it judged the whole execution."""
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE,
                         env=on_refcl(REFCL_ENGINE="interp"))
    with open(report) as f:
        found = json.load(f)["findings"]
    return (sorted([f["kind"], f["message"], f.get("reason") or "", f["count"]] for f in found),
            run.returncode < 2 and "unknown" not in run.stdout)


def main():
    program = test_host.compiled(os.path.join(test_host.here, "retired_host.c"), {})
    with tempfile.TemporaryDirectory() as folder:
        trace, live, later = (os.path.join(folder, name) for name in ("trace", "live.json", "later.json"))
        for seed in SEEDS:
            here, complete = findings(live, [REFCL, "run", "--trace", trace, "--json", live, "--", program, str(seed), str(STEPS)])
            there, also = findings(later, [REFCL, "trace", "check", "--json", later, trace])
            check("all is judged, seed %d" % seed, complete and also and here)
            check("the trace has the same findings, seed %d" % seed, here == there, (here, there))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
