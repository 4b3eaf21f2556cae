#!/usr/bin/env python3
"""--predict: races that the recorded execution hides are found, with the order of events, within kernels,
between commands and with the host; race-free kernels have no finding.  Each kernel runs with one work-item
per group and with all in one group.  Assertions are judged for the recorded execution and for others."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import BUILD as build, NO_HOST_CC, PATIENCE, REFCL as refcl
from tap import check

here = os.path.dirname(os.path.abspath(__file__))
source = os.path.join(here, "kernels.cl")


def run(kernel, items, local, *options):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [refcl, "kernel", "-k", kernel, "-g", str(items), "-l", str(local), "--json", out.name, "-a", "buf:4:zero",
                   "-a", "buf:8:zero", "-a", "buf:8:zero", *options, source]
        r = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
        text = r.stderr.decode("utf-8", "replace")
        if r.returncode > 3:
            return r.returncode, [], text
        with open(out.name) as f:
            return r.returncode, json.load(f)["findings"], text


def built(folder):
    """The host program, with the host's own accesses recorded."""
    program = os.path.join(folder, "commands")
    flags = {o: subprocess.run([refcl, "host-cc", o], stdout=subprocess.PIPE, check=True).stdout.decode().split()
             for o in ("--compile", "--link")}
    compiler = [os.environ.get("CC", "gcc"), "-std=c11", "-Wall", "-Wextra", "-Wno-tsan", "-D_GNU_SOURCE"]
    subprocess.run(compiler + flags["--compile"] + ["-c", "-o", program + ".o", os.path.join(here, "commands.c")],
                   check=True)
    subprocess.run(compiler + ["-o", program, program + ".o", "-lOpenCL", "-pthread"] + flags["--link"], check=True)
    return program


def commands():
    if NO_HOST_CC:
        tap.skip("predictions across commands", NO_HOST_CC)
        return
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(here, "commands.c")) as f:
        program, out = built(folder), os.path.join(folder, "out.json")
        for mode in re.findall(r'is\(mode, "(\w+)"\)', f.read()):
            for options in ([], ["--predict"]):
                r = subprocess.run([refcl, "run", "--json", out, *options, "--", program, mode], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, timeout=PATIENCE)
                with open(out) as report:
                    findings = json.load(report)["findings"]
                text = r.stderr.decode("utf-8", "replace")
                wanted = ["predicted-race"] if options and mode.startswith("racy_") else []
                check("%s %s: %s" % (mode, " ".join(options), wanted), [f["kind"] for f in findings] == wanted
                      and (not options or " 0 stayed open" in text), text)
                check("with the commands of its order", not wanted or "command" in "".join(f.get("reason", "") for f in findings), text)


ASSERTIONS = (  # kernel "assertions" with two work-items: its final memory
    ("m[0] == 2", [], None), ("m[0] == 2", ["--predict"], "predicted-assertion"),
    ("m[0] == 1", [], "assertion"), ("m[0] == 1", ["--predict"], "assertion"),
    ("m[0] >= 1 and m[0] < 3", ["--predict"], None), ("m[0] == 1 or m[0] == 2", ["--predict"], None),
    ("not (x[0] != -1 || x[1] != 1)", ["--predict"], None), ("'buffer 2'[1] == 1", ["--predict"], None),
    ("~(x[0] != -1 \\/ x[1] != 1)", ["--predict"], None), ("true /\\ !m[0] != 2 && x[1] == +1", [], None),
    ("y[0] == 2", ["--predict"], "predicted-assertion"), ("y[0] == m[0]", ["--predict"], "predicted-assertion"))


def assertions():
    for text, options, wanted in ASSERTIONS:
        code, findings, out = run("assertions", 2, 1, "--assert", text, *options)
        check("%s %s: %s" % (text, " ".join(options), wanted or "holds"),
              (code, [f["kind"] for f in findings]) == ((1, [wanted]) if wanted else (0, [])), out)
        check("another execution comes with it", wanted != "predicted-assertion" or ":=" in findings[0]["reason"], out)
    code, _, out = run("assertions", 2, 1, "--assert", "x[3] == 0")
    check("memory that is never accessed has an unknown value", code == 3 and "x[3]" in out, out)
    _, _, out = run("clean_long", 2, 1, "--assert", "m[0] == 2", "--predict")
    check("executions of earlier windows stay an open question", " 1 stayed open" in out, out)
    code, _, out = run("assertions", 2, 1, "--assert", "z[0] == 0")
    check("nor what no kernel has", code == 3 and "'z'" in out, out)
    code, _, out = run("assertions", 2, 1, "--assert", "x[0] == 1.5")
    check("nor whether a whole number is a fraction", code == 3 and "compares a whole number with a fraction" in out, out)
    for bad in ("", "x[0]", "x[0 == 1", "x[0] = 1", "x[0] == 1 and", "(x[0] == 1", "'x == 1",
                "(" * 300 + "x == 1" + ")" * 300, "forall (x == 1)", "x[0][1] == 1", "x == " + "1 and x == " * 9000 + "1"):
        r = subprocess.run([refcl, "kernel", "--assert", bad, source], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        check("no condition: '%.20s'" % bad, r.returncode == 2 and b"expected" in r.stderr, r.stderr.decode())


def main():
    if not os.path.exists(refcl) or not os.path.exists(os.path.join(build, "librefcl.so")):
        print("ok 1 - prediction # SKIP refcl is not built")
        return 0
    with open(source) as f:
        kernels = re.findall(r"^kernel void ((?:racy|clean)_\w+)", f.read(), re.M)
    for kernel in kernels:
        racy = kernel.startswith("racy_")
        if kernel == "clean_long":
            continue
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
    assertions()
    commands()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
