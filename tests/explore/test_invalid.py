#!/usr/bin/env python3
"""An invalid SPIR-V module has no meaning: refcl explore, also with --prove, gives no verdict, but names the
broken rule."""
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import PATIENCE, REFCL, ROOT

VALID = os.path.join(ROOT, "tests/fuzz/corpus/spirv/flow.spv")
IADD, FADD, PHI, RETURN, RETURN_VALUE = 128, 129, 245, 253, 254


def instructions(words):
    at = 5
    while at < len(words):
        yield at, words[at] & 0xffff, words[at] >> 16
        at += words[at] >> 16


def floats(words):
    """An integer addition with floating-point type."""
    at = next(at for at, op, _ in instructions(words) if op == IADD)
    words[at] = words[at] & ~0xffff | FADD


def predecessor(words):
    """A value from a block that is not a predecessor."""
    at = next(at for at, op, _ in instructions(words) if op == PHI)
    words[at + 4] = words[at + 6]


def unfinished(words):
    """A block without an end."""
    at = next(at for at, op, _ in instructions(words) if op == RETURN)
    del words[at]


def returned(words):
    """A value from a function that returns none."""
    at, phi = (next(at for at, op, _ in instructions(words) if op == wanted) for wanted in (RETURN, PHI))
    words[at:at + 1] = [2 << 16 | RETURN_VALUE, words[phi + 2]]


def explore(path, *options):
    launch = [] if "--prove" in options else ["-g", "3"]
    return subprocess.run([REFCL, "explore", "--timeout", "2", *options, *launch, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=PATIENCE, check=False)


def check_json(folder):
    """Files without a program are errors in JSON, too, with a message."""
    wrong, out = os.path.join(folder, "wrong.cl"), os.path.join(folder, "out.json")
    with open(wrong, "w", encoding="utf-8") as file:
        file.write("kernel void k() { x = 1; }")
    for path, message in ((wrong, "the program does not compile: "), (os.path.join(folder, "missing.cl"), "the file cannot be read")):
        done = explore(path, "--json", out)
        with open(out, encoding="utf-8") as file:
            error = json.load(file)["tests"][0]["error"]
        tap.check(f"{os.path.basename(path)} in JSON", done.returncode == 2 and error.startswith(message), f"{done} {error}")


def main():
    with open(VALID, "rb") as file:
        data = file.read()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.spv")
        for options in ([], ["--prove"]):
            done = explore(VALID, *options)
            tap.check(f"valid {options}", done.returncode in (1, 3) and "race" in done.stdout, f"{done.returncode} {done.stderr}")
            for damage in (floats, predecessor, unfinished, returned):
                words = list(struct.unpack(f"<{len(data) // 4}I", data))
                damage(words)
                with open(path, "wb") as file:
                    file.write(struct.pack(f"<{len(words)}I", *words))
                done = explore(path, *options)
                tap.check(f"{damage.__name__} {options}", done.returncode == 2 and not done.stdout and "[SPIRV 2.16]" in done.stderr,
                          f"{done.returncode} {done.stdout} {done.stderr}")
        check_json(folder)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
