#!/usr/bin/env python3
"""Variants of litmus tests with commands in queues: one queue is on another device.

    litmus/generate/two_devices.py [--refcl COMMAND] -o FOLDER FILE|FOLDER...

In each test with host threads and queues on one device, the queue declared last, and the threads of the kernels that
are enqueued in it, move to device 1; if there is only one queue, its last kernel moves to a separate queue.  Variants
that the format does not allow are left out.  The judge decides each variant by the model, as its outcomes may differ
from those of the test."""
import argparse
import os
import re
import subprocess
import sys


def variant(text):
    """The text of the variant; None: the test has none."""
    text = re.sub(r"\(\*.*?\*\)\n*", "", text, flags=re.S)
    queues = re.findall(r"^\s*queue (\w+)([^;\n]*);", text, re.M)
    if not queues or any("dev 1" in properties or "on_device" in properties for _, properties in queues):
        return None
    name, properties = queues[-1]
    if len(queues) > 1:
        text = re.sub(rf"^(\s*queue {name})[^;\n]*;", r"\1 @ dev 1;", text, count=1, flags=re.M)
    else:  # the last kernel goes to a separate queue
        launches = list(re.finditer(rf"clEnqueueNDRangeKernel\(\s*{name}\s*,", text))
        if len(launches) < 2:
            return None
        at = launches[-1]
        text = text[:at.start()] + "clEnqueueNDRangeKernel(second," + text[at.end():]
        text = re.sub(rf"^(\s*queue {name}[^;\n]*;)", r"\1\nqueue second @ dev 1;", text, count=1, flags=re.M)
        name = "second"
    kernels = set(re.findall(rf"clEnqueueNDRangeKernel\(\s*{name}\s*,\s*(\d+)", text))
    others = set(re.findall(rf"clEnqueueNDRangeKernel\(\s*(?!{name}\b)\w+\s*,\s*(\d+)", text))
    if kernels & others:
        return None

    def move(match):
        kernel = re.search(r"kernel (\d+)", match.group(0))
        return match.group(0).replace("dev 0", "dev 1") if (kernel.group(1) if kernel else "0") in kernels else match.group(0)

    text = re.sub(r"^\s*P\d+@[^(]*", move, text, flags=re.M)
    head, rest = text.split("\n", 1)
    return f"{head}~two-devices\n{rest}"


def main():
    parser = argparse.ArgumentParser(description="Variants of litmus tests on two devices")
    parser.add_argument("--refcl", default=os.environ.get("REFCL", "refcl"))
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("tests", nargs="+")
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    files = []
    for path in arguments.tests:
        found = [os.path.join(folder, f) for folder, _, names in sorted(os.walk(path)) for f in sorted(names)] or [path]
        files += [f for f in found if f.endswith(".litmus")]
    kept = 0
    for path in files:
        with open(path, encoding="utf-8") as f:
            text = variant(f.read())
        if not text:
            continue
        new = os.path.join(arguments.output, os.path.basename(path).replace(".litmus", "~two-devices.litmus"))
        with open(new, "w", encoding="utf-8") as f:
            f.write(text)
        checked = subprocess.run([arguments.refcl, "litmus", "check", new], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 check=False, text=True)
        if checked.returncode == 2:
            os.remove(new)
            print(f"left out: {checked.stderr.strip()}", file=sys.stderr)
        else:
            kept += 1
    print(f"{kept} variants")
    return 0


sys.exit(main())
