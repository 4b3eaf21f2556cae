#!/usr/bin/env python3
"""The default of --engine: search, then Z3 for answers that search leaves open; and the sub-group sizes that
an answer is for."""
import json
import os
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from test_kernels import HERE, PATIENCE, REFCL, find, header


def run(path, *options):
    given = shlex.split(" ".join(header(path, "Options")))
    return subprocess.run([REFCL, "explore", *given, *options, path], capture_output=True, text=True, timeout=PATIENCE,
                          check=False)


def explore(path, *options):
    done = run(path, "--json", "-", *options)
    return json.loads(done.stdout)["tests"] if done.stdout else [{"error": done.stderr}]


def main():
    (plain,) = explore(find("mp_device.spvasm"))
    tap.check("search alone where it decides", plain.get("engine") == "search" and plain["condition"] == "holds", plain)
    (open_,) = explore(os.path.join(HERE, "local_counter.cl"), "--engine", "search")
    tap.check("search leaves a counter without a value open", open_.get("race") == "unknown", open_)
    (both,) = explore(os.path.join(HERE, "local_counter.cl"))
    tap.check("Z3 decides it", both.get("engine") == "both" and both["race"] == "none", both)
    narrow = run(find("sub_group_scope.cl"), "--subgroup", "1").stdout
    tap.check("the size of sub-groups stands beside an answer that depends on it",
              "race found" in narrow and "sub-group size: 1\n" in narrow, narrow)
    other = run(find("old_flag.cl")).stdout
    tap.check("and not beside others", "race found" in other and "sub-group size" not in other, other)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
