#!/usr/bin/env python3
"""Values in reports, pages and final states have their type in the source: floating-point, signed and
unsigned ones, in arguments, local memory and program-scope variables; conditions compare them with that
type."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
import tap
from built import PATIENCE, REFCL
from tap import check

STATES = """typedef int number;
typedef struct { float x, y; } pair;
global int counter = -5;
global float scale = 0.25f;
kernel void k(global number *n, global float4 *f, global pair *p, global atomic_int *a, global uint *u)
{
    local short t[2];
    t[0] = -3;
    n[0] = t[0] + counter;
    f[0] = (float4)(1.5f, -2.0f, NAN, INFINITY);
    p[0].x = scale;
    atomic_fetch_sub(a, 7);
    u[0] = -16;
}
"""
ARGUMENTS = ("--arg", "buf:1", "--arg", "buf:1", "--arg", "buf:1", "--arg", "buf:1", "--arg", "buf:1")
NAMES = "n[0] == -8 and f[0][0] == 1.5 and f[0][1] == -2 and f[0][2] != 1 and f[0][3] > 3 and p[0][0] == 0.25 and a[0] == -7 " \
        "and u[0] > 16 and counter == -5 and scale < 1"
VALUES = {"n": -8, "f[0].x": 1.5, "f[0].y": -2, "f[0].z": "nan", "f[0].w": "inf", "p[0].x": 0.25, "a": -7, "u": 4294967280,
          "counter": -5, "scale": 0.25}
ENUMERATIONS = """typedef enum { low = -1, high } level;
enum color { red, green };
global level program = low;
kernel void k(global level *l, global enum color *c)
{
    l[0] = low;
    c[0] = green;
}
"""
# The value of a union depends on the member that was written: it is printed as bytes.
UNIONS = """typedef union { float f; int i; } both;
typedef struct { both members[2]; } pair;
global both g;
kernel void k(global both *p, global pair *q)
{
    p[0].i = 5;
    g.i = 6;
    q[0].members[1].i = 7;
}
"""
# Without a barrier between the write and the read.
RACES = """kernel void k(global float *out, local long *sums)
{
    local float tile[4];
    local int2 counts[4];
    size_t l = get_local_id(0), next = (l + 1) & 3;
    tile[l] = 0.5f + l;
    counts[l] = (int2)(-1, -2);
    sums[l] = -9;
    out[get_global_id(0)] = tile[next] + counts[next].y + sums[next];
}
"""


def run(folder, *arguments):
    return subprocess.run([REFCL, *arguments], cwd=folder, capture_output=True, text=True, timeout=PATIENCE)



def check_states(folder, engine):
    done = run(folder, "explore", "--engine", engine, "--json", "-", "--assert", f"exists ({NAMES})", "states.cl", *ARGUMENTS)
    test = json.loads(done.stdout)["tests"][0]
    check(f"{engine}: values of final states", [s["values"] for s in test["states"]] == [VALUES], test["states"])
    for condition, answer in ((NAMES, "holds"), ("n[0] < 0", "holds"), ("n[0] > 0", "fails"), ("counter < 0", "holds"),
                              ("u[0] < 0", "fails"), ("a[0] < -7", "fails")):
        done = run(folder, "explore", "--engine", engine, "--json", "-", "--assert", f"exists ({condition})", "states.cl", *ARGUMENTS)
        test = json.loads(done.stdout)["tests"][0]
        check(f"{engine}: {condition[:20]} {answer}", test["condition"] == answer, test)


def check_unions(folder):
    condition = "exists (p[0][0] == 5 and g[0] == 6 and q[0][0][1][0] < 8)"
    done = run(folder, "explore", "--json", "-", "--assert", condition, "unions.cl", *ARGUMENTS[:4])
    test = json.loads(done.stdout)["tests"][0]
    check("values of unions", test["states"][0]["values"] == {"p": 5, "g": 6, "q[0].members[1]": 7}, test)
    check("conditions compare them", test["condition"] == "holds", test)


def check_enumerations(folder):
    done = run(folder, "explore", "--json", "-", "--assert", "exists (l[0] < 0 and program == -1 and c[0] == 1)", "enumerations.cl", *ARGUMENTS[:4])
    test = json.loads(done.stdout)["tests"][0]
    check("values of enumerations", test["states"][0]["values"] == {"l": -1, "program": -1, "c": 1}, test)
    check("conditions compare them as numbers of their type", test["condition"] == "holds", test)


def check_explore_page(folder):
    done = run(folder, "explore", "--states", "--explain", "--witness", "found", "--html", "states.html", "--assert", f"exists ({NAMES})",
               "states.cl", *ARGUMENTS)
    check("states in words", "n=-8 f[0].x=1.5 f[0].y=-2 f[0].z=nan f[0].w=inf" in done.stdout, done.stdout)
    with open(os.path.join(folder, "states.html"), encoding="utf-8") as file:
        page = file.read()
    texts = set(re.findall(r'"text":\s*"([^"]*)"', page))
    check("the page shows them", {"-8", "1.5", "-2", "nan", "inf", "-7", "-3", "4294967280"} <= texts, texts)
    witness = os.path.join("found", os.listdir(os.path.join(folder, "found"))[0])
    again = run(folder, "kernel", "--replay", witness)
    check("a replayed witness, too", "f[0].y = -2" in again.stdout and "k.t[0] = -3" in again.stdout, again.stdout + again.stderr)


def check_reports(folder):
    done = run(folder, "kernel", "races.cl", "--global", "4", "--local", "4", "--arg", "buf:4", "--arg", "local:32", "--html",
               "races.html")
    for place in ("local memory 'k.tile' (element ", "local memory 'k.counts' (counts[", "'sums' (element "):
        check(f"the report has the element of {place.split()[-2]}", place in done.stdout + done.stderr, done.stderr)
    check("and no number of a byte", "(byte " not in done.stdout + done.stderr, done.stderr)
    with open(os.path.join(folder, "races.html"), encoding="utf-8") as file:
        values = set(re.findall(r'"value":\s*"([^"]*)"', file.read()))
    check("the page shows real and negative numbers", "1.5" in values and "-9" in values and {"-2", "-1, -2"} & values, values)


with tempfile.TemporaryDirectory() as folder:
    for name, text in (("states.cl", STATES), ("unions.cl", UNIONS), ("enumerations.cl", ENUMERATIONS), ("races.cl", RACES)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    for engine in ("search", "z3"):
        check_states(folder, engine)
    check_unions(folder)
    check_enumerations(folder)
    check_explore_page(folder)
    check_reports(folder)
    done = run(folder, "explore", "--assert", "exists (t[0] < 0)", "states.cl", *ARGUMENTS)
    check("local memory has no name in conditions; the message lists those there are",
          done.returncode == 2 and "conditions can name counter, scale, n, f, p, a, u [" in done.stderr, done.stderr)
sys.exit(tap.done())
