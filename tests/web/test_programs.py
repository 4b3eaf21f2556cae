#!/usr/bin/env python3
"""Programs that `refcl explore --export` writes: read again, they have the verdicts of `refcl explore`; the
kernels of the playground have those that they name; bad ones are refused with the line."""
import glob
import json
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../lib"), os.path.join(HERE, "../explore")]
import tap
from built import BUILD, PATIENCE, REFCL, ROOT
from tap import check
from test_kernels import header
from test_playground import play

KERNELS = sorted(glob.glob(os.path.join(ROOT, "tools/web/kernels/*.cl")))
ANSWERS = ("condition", "race", "usage", "divergence", "termination", "flags", "states_complete")
# Options that are not part of a program, or change the engine.
LEFT_OUT = ("--progress", "--switch", "--model", "--timeout", "--no-walk")
SYMBOLIC = [[], ["--requires", "idx[0] < idx[1]"], ["--requires", "idx[i] >= n"]]
# [text, its replacement, line, words of the message]
BAD = [["refcl-program 1", "refcl-program 2", 1, "version 2"], ["refcl-program 1\n", "refcl-programs 1\n", 1, "begin"], ["\nend\n", "\n", 0, "no 'end'"],
       ["\nend\n", "\nend\nend\n", 0, "behind the end"], ["kernel=1", "kernel=2", 2, "larger than 1"], ["kernel=1", "kernels=1", 2, "not a field"], ["kernel=1", "kernel=1 kernel=1", 2, "twice"],
       ["size=8", "size=18446744073709551616", 3, "larger"], ["initial=0*2", "initial=0*3", 3, "larger than 2"], ["initial=0*2", "initial=0*2,1", 3, "more initial values"], ["initial=0*2", "initial=0", 3, "1 initial values"],
       ["region=global", "region=globe", 3, "globe"], ["thread ", "threat ", 0, "threat"], ['name="flag"', "name=flag", 3, "double quotes"], ["op=eq size=1", "op=eq size=9", 0, "size outside"],
       ["op=store", "op=shop", 0, "shop"], ["op=store ", "op=jump target=999 ", 0, "past the end"], ["address=", "address=99", 0, "address"]]


def explore(path, options, *more):
    return subprocess.run([REFCL, "explore", *more, *options, path], capture_output=True, timeout=PATIENCE, check=False)


def sample():
    """Kernels with options of programs, and without functions of instruction sets."""
    for folder in ("kernels", "features"):
        for path in sorted(glob.glob(os.path.join(HERE, "../explore", folder, "*/*.cl")), key=os.path.basename)[::3]:
            options = shlex.split(" ".join(header(path, "Options")))
            if not list(header(path, "Error")) and not any(o in options for o in LEFT_OUT):
                yield path, options + ([] if "--bound" in options else ["--bound", "4"])
    for path in KERNELS:
        yield path, shlex.split(" ".join(header(path, "Options"))) + ["--bound", "4"]
    for options in SYMBOLIC:
        yield os.path.join(HERE, "../explore/inputs/gather.cl"), options + ["-g", "2", "-a", "out=buf:4", "-a", "buf:2:any:0..3", "-a", "any:0..4", "--bound", "4"]


def summary(verdict):
    return [verdict.get(key) for key in ANSWERS] + [[s["values"] if isinstance(s["values"], list) else [str(v) for v in s["values"].values()] for s in verdict["states"]]]


def agrees(said, wanted):
    """The same answers; unknown is permitted if only refcl explore reached a bound with a finding, as it
    raises the bound in steps."""
    actual, expected = summary(said), summary(wanted)
    if actual == expected or not (said.get("limit") and wanted.get("limit")) or said["limit"] == wanted["limit"]:
        return actual == expected
    return all(a in ("unknown", b) for a, b in zip(actual[:5], expected[:5])) and not set(actual[5]) - set(expected[5])


def same_verdicts(folder):
    wrong, compared, without = [], 0, []
    for i, (path, options) in enumerate(sample()):
        to = os.path.join(folder, "%d.program" % i)
        written = explore(path, options, "--export", to)
        if written.returncode == 3 and b"a program file has no functions" in written.stderr:
            without.append(os.path.basename(path))
            continue
        said = play("opencl.cat", [], [to])[0]
        wanted = json.loads(explore(path, options, "--engine", "search", "--json", "-").stdout)["tests"][0]
        compared += 1
        if "error" in said or not agrees(said, wanted):
            wrong.append((path, said.get("error"), summary(wanted)))
    check("%d programs have the verdicts and states of refcl explore" % compared, compared >= 50 and not wrong, wrong[:3])
    check("... those that apply functions of an instruction set are refused", "float_atomic_any_order.cl" in without or len(without) >= 3, without)


def playground_kernels(folder):
    twins, wrong = {}, []
    for path in KERNELS:
        name = os.path.basename(path)[:-3]
        to = os.path.join(folder, name + ".program")
        explore(path, shlex.split(" ".join(header(path, "Options"))), "--export", to)
        said, expected = play("opencl.cat", [], [to])[0], dict(item.split() for line in header(path, "Expect") for item in line.split(","))
        twins[name] = (" ".join(header(path, "Twin")), said["race"] == "none" and said["condition"] == "holds" and said["divergence"] == "none" and said["termination"] == "always")
        wrong += [(name, key, said[key]) for key in expected if said[key] != expected[key]]
    check("%d kernels of the playground have the verdicts that they name" % len(KERNELS), len(KERNELS) >= 24 and not wrong, wrong)
    check("... each kernel with a mistake has a twin without one", all(twins[twin][0] == name and twins[twin][1] != good for name, (twin, good) in twins.items()), twins)


def bad_programs(folder):
    to, bad = os.path.join(folder, "flags.program"), os.path.join(folder, "bad.program")
    path = os.path.join(ROOT, "tools/web/kernels/lock_flags.cl")
    explore(path, shlex.split(" ".join(header(path, "Options"))), "--export", to)
    with open(to, encoding="utf-8") as f:
        text = f.read()
    wrong = []
    for old, new, line, said in BAD:
        with open(bad, "w", encoding="utf-8") as f:
            f.write(text.replace(old, new, 1))
        error = play("opencl.cat", [], [bad])[0].get("error", {})
        if old not in text or error.get("class") != "invalid" or said not in error.get("message", "") or (line and error["line"] != line):
            wrong.append((old, new, error))
    check("%d bad programs are refused, with line and reason" % len(BAD), not wrong, wrong)
    cuts = []
    for size in range(0, len(text) - 1, 37):
        with open(bad, "w", encoding="utf-8") as f:
            f.write(text[:size])
        cuts.append(play("opencl.cat", [], [bad])[0].get("error", {}).get("class"))
    check("... and all that end early", set(cuts) == {"invalid"}, cuts)


def usage(folder):
    path = KERNELS[0]
    options = shlex.split(" ".join(header(path, "Options")))
    run = explore(path, options, "--export", os.path.join(folder, "no/such/folder"))
    check("a file that cannot be written is an error", run.returncode == 2 and b"folder" in run.stderr, run.stderr)
    run = explore(path, options + [path], "--export", "-")
    check("one kernel is exported", run.returncode == 2 and b"more than one kernel" in run.stderr, run.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for part in (same_verdicts, playground_kernels, bad_programs, usage):
            part(folder)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
