#!/usr/bin/env python3
"""Unsupported features of `refcl explore`: the error has the position of the first such instruction, the
OpenCL C function, and an alternative.  Kernels are in the format of test_kernels.py; their arguments are
judged as well.  Verdicts say that they do not cover the output of printf."""
import json
import os
import subprocess
import sys
import tempfile

from test_kernels import HERE, PATIENCE, REFCL, run
import tap
from built import ROOT

FOLDER = os.path.join(HERE, "unsupported")
WRONG = {"pipe.cl": "--arg 'buf:2': the argument is a pipe, such as pipe:4",
         "enqueue_queue_argument.cl": "--arg 'buf:2': the argument is a queue: give @queue"}


def check_arguments():
    """A pipe or queue is named as such."""
    for name, message in WRONG.items():
        done = subprocess.run([REFCL, "explore", "-g", "2", "--arg", "buf:2", "--arg", "buf:2", os.path.join(FOLDER, name)],
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        tap.check(f"{name} with a buffer", done.returncode == 2 and message in done.stderr, done.stderr)


PRINTS = """void print(int i)
{
    printf("%d", i);
}
kernel void k(global int *out)
{
    if (get_global_id(0) == 5)
        printf("never");
    print(get_global_id(0));
    out[get_global_id(0)] = 0;
}
"""


def check_printf():
    """Verdicts name the first call of printf, whose output they do not cover."""
    for source, line in ((PRINTS, 3), (PRINTS.replace("\n    print(", "\n    // print("), 8), ("kernel void k(global int *out) {}", None)):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.cl")
            with open(path, "w", encoding="utf-8") as file:
                file.write(source)
            out = os.path.join(folder, "out.json")
            done = subprocess.run([REFCL, "explore", "-g", "2", "--arg", "buf:2", "--json", out, path], capture_output=True, text=True,
                                  timeout=PATIENCE, check=False)
            with open(out, encoding="utf-8") as file:
                test = json.load(file)["tests"][0]
            wanted = f"the output of printf (line {line})" if line else None
            printed_lines = [text.split(": ", 1)[1] for text in done.stdout.splitlines() if text.startswith("    not covered: ")]
            tap.check(f"printf, first at line {line}", done.returncode == 0 and test.get("not_covered") == wanted and
                      printed_lines == ([wanted] if line else []), done.stdout + done.stderr)
            fits = subprocess.run([sys.executable, os.path.join(ROOT, "tools/validate.py"),
                                   os.path.join(ROOT, "tools/schema/litmus.schema.json"), out], check=False)
            tap.check("its JSON has the form of its schema", fits.returncode == 0)


if __name__ == "__main__":
    run(FOLDER, {"search": []})
    check_arguments()
    check_printf()
    sys.exit(tap.done())
