#!/usr/bin/env python3
"""Without --engine search answers, and Z3 where search leaves something open."""
import json
import os
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from test_kernels import HERE, PATIENCE, REFCL, header


def explore(name, *options):
    path = os.path.join(HERE, name)
    given = shlex.split(" ".join(header(path, "Options")))
    run = subprocess.run([REFCL, "explore", "--json", "-", *given, *options, path], capture_output=True, text=True,
                         timeout=PATIENCE, check=False)
    return json.loads(run.stdout)["tests"] if run.stdout else [{"error": run.stderr}]


def main():
    (plain,) = explore("kernels/mp_device.spvasm")
    tap.check("search alone where it decides", plain.get("engine") == "search" and plain["condition"] == "holds", plain)
    (open_,) = explore("local_counter.cl", "--engine", "search")
    tap.check("search leaves a counter without a value open", open_.get("race") == "unknown", open_)
    (both,) = explore("local_counter.cl")
    tap.check("Z3 decides it", both.get("engine") == "both" and both["race"] == "none", both)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
