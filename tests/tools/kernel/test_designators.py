#!/usr/bin/env python3
"""Findings name positions in composite memory like OpenCL C: members, components and elements of several
dimensions."""
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

TYPES = """typedef struct { int x; float y[2]; short4 z; union { int i; float f; } u; } cell;
"""
# The statement that all work-items execute, and the racy positions.
CASES = [
    ("tile[3].y[1] = i;", "local memory 'k.tile' (tile[3].y[1])"),
    ("tile[4].z.y = i;", "local memory 'k.tile' (tile[4].z.y)"),
    ("tile[5].u.f = i;", "local memory 'k.tile' (tile[5].u)"),
    ("v[2].z = i;", "local memory 'k.v' (v[2].z)"),
    ("v[6] = (float4)(i);", "local memory 'k.v' (v[6])"),
    ("eight.s5 = i;", "local memory 'k.eight' (eight.s5)"),
    ("square[2][3] = i;", "local memory 'k.square' (square[2][3])"),
    ("flat[7] = i;", "local memory 'k.flat' (element 7)"),
    ("one = i;", "local memory 'k.one' (element 0)"),
    ("out[1].x = i;", "argument 'out' (buffer 1, out[1].x)"),
    ("out[2].y[1] = i;", "argument 'out' (buffer 1, out[2].y[1])"),
    ("vs[1].w = i;", "argument 'vs' (buffer 2, vs[1].w)"),
    ("vs[1] = (float4)(i);", "argument 'vs' (buffer 2, element 1)"),
    ("ints[3] = i;", "argument 'ints' (buffer 3, element 3)"),
    ("given[1].z.x = i;", "local memory 'given' (given[1].z.x)"),
    ("table[1].z.w = i;", "program-scope memory 'table' (table[1].z.w)"),
    ("{ local cell *p = tile + 2; p[-1].x = i; }", "local memory 'k.tile' (tile[1].x)"),
]


def main():
    if not os.path.exists(REFCL):
        tap.skip_all("%s is not built" % REFCL)
    with tempfile.TemporaryDirectory(prefix="refcl-test.") as folder:
        path, report = os.path.join(folder, "k.cl"), os.path.join(folder, "report.json")
        for statement, where in CASES:
            with open(path, "w") as f:
                f.write(TYPES + """global cell table[2];
kernel void k(global cell *out, global float4 *vs, global int *ints, local cell *given)
{
    local cell tile[8]; local float4 v[8]; local int8 eight; local int square[4][5]; local float flat[8]; local int one;
    int i = get_local_id(0);
    %s
}
""" % statement)
            done = subprocess.run([REFCL, "kernel", "-g", "8", "-l", "8", "-a", "out=buf:8", "-a", "vs=buf:8", "-a", "ints=buf:8", "-a", "given=local:256",
                                   "--json", report, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
            check(statement, "on %s between" % where in done.stderr, done.stderr)
            with open(report) as f:
                memory = json.load(f)["findings"][0]["memory"]
            place = where[where.rindex("(") + 1 : -1].split(", ")[-1]
            check(statement + ": JSON", memory.get("designator") == (None if place.startswith("element") else place), memory)
        with open(path, "w") as f:
            f.write(TYPES + "kernel void k(global cell *out) { local cell tile[8]; tile[3].y[1] = -1.5f; out[2].z.y = -7; }")
        page = os.path.join(folder, "page.html")
        subprocess.run([REFCL, "kernel", "-g", "2", "-l", "2", "-a", "buf:8", "--html", page, path], stderr=subprocess.DEVNULL, timeout=PATIENCE)
        with open(page) as f:
            text = f.read()
        values = dict(re.findall(r'"place":\s*"([^"]*)",\s*"value":\s*"([^"]*)"', text))
        check("the page names places, with values of their types", values == {"k.tile[3].y[1]": "-1.5", "out[2].z.y": "-7"}, values)
        with open(path, "w") as f:
            f.write("kernel void k(global int *in, global int *out) { *out = (*(global int4 *)(in + 1)).x; }")
        done = subprocess.run([REFCL, "kernel", "-a", "buf:8", "-a", "buf:1", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        check("a misaligned access", "read of 16 bytes at offset 4 of global object buffer 1, whose address is not a multiple of 16" in done.stderr, done.stderr)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
