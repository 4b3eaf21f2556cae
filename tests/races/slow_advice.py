#!/usr/bin/env python3
"""Advice to insert a barrier is correct: the race is gone, and all work-items of the group reach the
barrier."""
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
from test_races import PATIENCE, directives, refcl


def findings(path, wanted):
    run = subprocess.run([refcl, "kernel", "--quiet", "--json", "-", *shlex.split(wanted["run"]), path],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
    found = json.loads(run.stdout.decode())["findings"] if run.returncode in (0, 1) else None
    for finding in found or []: # values may change with the barrier
        finding["kind"] = "data-race" if finding["kind"] == "uniform-write" else finding["kind"]
    return found


def place(finding):
    """The advised barrier, and the line before which to put it; every advised barrier must have been
    tried."""
    found = re.match(r"put (barrier\(\w+\)) (?:before line (\d+)$)?", finding.get("fix") or "")
    if found and not (found[2] and finding["fix_verified"]):
        check("%s is tried" % finding["fix"], False, finding["message"])
    return (found[1], int(found[2])) if found and found[2] else (None, 0)


def lines_of(finding, inserted):
    """The finding's kind, its lines before a line was inserted at INSERTED, and its memory object."""
    lines = [a["line"] - (a["line"] >= inserted) for a in finding["accesses"]]
    return finding["kind"], sorted(lines), finding.get("memory", {}).get("name")


def outcome(text, barrier, line, wanted, finding):
    """Whether the race is gone; None: no barrier is possible there."""
    with tempfile.NamedTemporaryFile("w", suffix=".cl") as f:
        f.write("\n".join(text[:line - 1] + [barrier + ";"] + text[line - 1:]) + "\n")
        f.flush()
        found = findings(f.name, wanted)
    if found is None or any(x["kind"] != "data-race" for x in found):
        return None
    return lines_of(finding, 1 << 30) not in [lines_of(x, line) for x in found]


ENDLESS = """kernel void k(global int *out)
{
    local int flag;
    size_t me = get_local_id(0);
    if (me == 1)
        flag = 1;
    while (me == 0 && flag == 1)
        out[0]++;
}
"""


def check_endless():
    """A launch that the advised barrier makes endless ends when the time is used; its trace is not the program's."""
    with tempfile.NamedTemporaryFile("w", suffix=".cl") as f:
        f.write(ENDLESS)
        f.flush()
        run = subprocess.run([refcl, "kernel", "--global", "2", "--local", "2", "--arg", "buf:2", f.name],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
    said = run.stderr.decode()
    check("an endless launch with the advised barrier ends", "launching kernels again took more than" in said, said)
    check("its trace is not reported as truncated", run.returncode == 1 and "truncated" not in said, said)


def main():
    if not os.path.exists(refcl):
        print("ok 1 - advice # SKIP %s is not built" % refcl)
        return 0
    for path in sorted(glob.glob(os.path.join(here, "kernels/*/*.cl"))):
        wanted = directives(path)
        if wanted["expect"] != "data-race":
            continue
        with open(path) as f:
            text = f.read().split("\n")
        advised = [x for x in findings(path, wanted) or [] if place(x)[0]]
        for finding in advised[:1]:
            barrier, line = place(finding)
            check("%s: %s" % (os.path.basename(path), finding["fix"]), outcome(text, barrier, line, wanted, finding),
                  finding["message"])
    check_endless()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
