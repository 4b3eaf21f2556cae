#!/usr/bin/env python3
"""Advice to put a barrier somewhere is followed: of the places that it leaves open, between two lines, one is such
that there is no race of these accesses any more; or all work-items of the group come by at none of them."""
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
sys.path.insert(0, here)
import tap
from tap import check
from test_races import directives, refcl


def findings(path, wanted):
    run = subprocess.run([refcl, "kernel", "--quiet", "--json", "-", *shlex.split(wanted["run"]), path],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    return json.loads(run.stdout.decode())["findings"] if run.returncode in (0, 1) else None


WHERE = ", where all work-items of the group come by"


def places(fix, last):
    """The barrier, and before which lines it may stand."""
    fix = fix[:-len(WHERE)] if fix.endswith(WHERE) else ""
    between = re.match(r"put (barrier\(\w+\)) between lines (\d+) and (\d+)$", fix)
    behind = re.match(r"put (barrier\(\w+\)) between line (\d+) and line (\d+) of the next round$", fix)
    if between:
        return between[1], range(int(between[3]), int(between[2]), -1)
    return (behind[1], range(int(behind[2]) + 1, last + 1)) if behind else (None, ())


def lines_of(finding, inserted):
    """Of its accesses, before there was a line at INSERTED."""
    lines = [a["line"] - (a["line"] >= inserted) for a in finding["accesses"]]
    return finding["kind"], sorted(lines), finding.get("memory", {}).get("name")


def outcome(text, barrier, line, wanted, finding):
    """Whether the race is gone; None: that is no place for a barrier."""
    with tempfile.NamedTemporaryFile("w", suffix=".cl") as f:
        f.write("\n".join(text[:line - 1] + [barrier + ";"] + text[line - 1:]) + "\n")
        f.flush()
        found = findings(f.name, wanted)
    if found is None or any(x["kind"] != "data-race" for x in found):
        return None
    return lines_of(finding, 1 << 30) not in [lines_of(x, line) for x in found]


def main():
    if not os.path.exists(refcl):
        print("ok 1 - advice # SKIP %s is not built" % refcl)
        return 0
    for path in sorted(glob.glob(os.path.join(here, "*.cl"))):
        wanted = directives(path)
        if wanted["expect"] != "data-race":
            continue
        with open(path) as f:
            text = f.read().split("\n")
        advised = [x for x in findings(path, wanted) or [] if places(x.get("fix") or "", len(text))[0]]
        if not advised:
            continue
        barrier, lines = places(advised[0]["fix"], len(text))
        outcomes = [outcome(text, barrier, line, wanted, advised[0]) for line in lines]
        check("%s: %s" % (os.path.basename(path), advised[0]["fix"]), True in outcomes or False not in outcomes,
              advised[0]["message"])
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
