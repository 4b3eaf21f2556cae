#!/usr/bin/env python3
"""Explore names members and components of arguments and local variables like the detector, and prints them
with their own signs: in explanations, states, inputs, and replayed witnesses."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import PATIENCE, REFCL

KERNEL = """struct point { int x; short y[3]; float w; };
kernel void k(global struct point *p, global int4 *v, global unsigned char *plain)
{
    local struct point tile[2];
    int i = get_global_id(0);
    p[3].y[1] = -5 - i;
    v[1].y = -7 - i;
    p[2].w = 1.5f + i;
    tile[1].x = -3 - i;
    plain[2] = 200 + i;
}
"""
# Each racing line, with the designator by the rules of C and the values that the two work-items write.
PLACES = {6: ("p[3].y[1]", {"-5", "-6"}), 7: ("v[1].y", {"-7", "-8"}), 8: ("p[2].w", {"1.5", "2.5"}),
          9: ("tile[1].x", {"-3", "-4"}), 10: ("plain[2]", {"200", "201"})}
LAUNCH = ["-g", "2", "-l", "2"]
INPUT = """struct pair { short low, high; };
kernel void k(global struct pair *p, global int *out)
{
    if (p[1].high < -100)
        out[0] = get_global_id(0);
}
"""


def refcl(*words):
    return subprocess.run([REFCL, *words], capture_output=True, text=True, timeout=PATIENCE, check=False)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def check_steps(path, engine):
    """The accesses of an explained execution, by line."""
    done = refcl("explore", "--engine", engine, "--explain", *LAUNCH, "-a", "buf:4", "-a", "buf:2", "-a", "buf:4", path)
    found = {}
    for name, value, line in re.findall(r"work-item \(\S+\) group \(\S+\): write (?:k\.)?(\S+) = (\S+) \(line (\d+)\)", done.stdout):
        found.setdefault(int(line), (name, set()))[1].add(value)
    wanted = PLACES if engine == "search" else {line: PLACES[line] for line in found}  # Z3 explains only the race
    tap.check(f"places of writes by {engine}", found and found == wanted, f"{found}\n{done.stdout}{done.stderr}")


def check_detector(path):
    """The detector's designators of the races are the same."""
    done = refcl("kernel", "--json", "-", *LAUNCH, "-a", "buf:64", "-a", "buf:32", "-a", "buf:4", path)
    named = {f["accesses"][0]["line"]: f["memory"]["designator"] for f in json.loads(done.stdout)["findings"]
             if "designator" in f.get("memory", {})}
    wanted = {line: name for line, (name, _) in PLACES.items() if line != 10}  # an array of scalars has none
    tap.check("designators of the detector", named == wanted, f"{named}\n{done.stderr}")


def check_witnesses(path, folder):
    """Written, read, replayed: the file preserves the layout."""
    done = refcl("explore", "--witness", folder, *LAUNCH, "-a", "buf:4", "-a", "buf:2", "-a", "buf:4", path)
    files = sorted(glob.glob(os.path.join(folder, "*.flag.json")))
    tap.check("a witness is written", done.returncode == 1 and files, done.stdout + done.stderr)
    for name in files[:1]:
        replay = refcl("kernel", "--replay", name)
        tap.check("places in a replay", "p[3].y[1] = -5" in replay.stdout and "v[1].y = -7" in replay.stdout and "plain[2] = 200" in
                  replay.stdout, replay.stdout + replay.stderr)


def check_inputs(path):
    done = refcl("explore", *LAUNCH, "-a", "buf:2:any", "-a", "buf:1", path)
    value = re.search(r"inputs of data_race: p\[1\]\.high = (-?\d+)\n", done.stdout)
    tap.check("a symbolic member", value and int(value[1]) < -100, done.stdout + done.stderr)


def check_states(path):
    done = refcl("explore", *LAUNCH, "-a", "buf:2", "-a", "{5, 6}", "--states", "--assert", "p[1][1] == -101", path)
    tap.check("a member in states", "p[1].high=-101" in done.stdout, done.stdout + done.stderr)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        source = write(scratch, "places.cl", KERNEL)
        for name in "search", "z3":
            check_steps(source, name)
        check_detector(source)
        check_witnesses(source, scratch)
        check_inputs(write(scratch, "input.cl", INPUT))
        check_states(write(scratch, "state.cl", INPUT.replace("if (p[1].high < -100)\n        out[0] = get_global_id(0)",
                                                                "p[1].high = -101")))
    sys.exit(tap.done())
