#!/usr/bin/env python3
"""Compares OpenCL tests, judged by opencl.cat, with their translations to Vulkan, judged by vulkan.cat.

    litmus/vulkan/compare.py [--refcl COMMAND] [--mapping NAME] [--chains] [--list] FILE|FOLDER...

Prints how many tests agree.  Unsound: the translation has a race or an outcome of the condition that OpenCL
forbids.  Lost freedom: OpenCL allows the outcome and the translation forbids it.  --list prints the tests
that differ."""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def tests_of(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for root, folders, files in os.walk(path):
            folders.sort()
            yield from (os.path.join(root, f) for f in sorted(files) if f.endswith(".litmus"))


def check(refcl, model, files, options):
    """Verdicts of FILES, in their order."""
    out = subprocess.run([refcl, "litmus", "check", "--model", model, "--json", "-"] + options + files, stdout=subprocess.PIPE, check=False)
    return json.loads(out.stdout)["tests"]


def compare(opencl, vulkan, exists):
    """What the translation makes of the test."""
    if "unknown" in (opencl["race"], vulkan["race"], opencl["condition"], vulkan["condition"]):
        return "undecided"
    if opencl["race"] == "found":
        return "a race in OpenCL: no verdict"
    if vulkan["race"] == "found":
        return "unsound: a race in Vulkan alone"
    if opencl["condition"] == vulkan["condition"]:
        return "agree"
    allowed = (opencl["condition"] == "holds") == exists
    return "lost freedom: forbidden in Vulkan alone" if allowed else "unsound: allowed in Vulkan alone"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--refcl", default="build/refcl")
    parser.add_argument("--mapping", default="plain")
    parser.add_argument("--chains", action="store_true", help="vulkan.cat with availability and visibility chains")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("tests", nargs="+")
    o = parser.parse_args()
    files, translated, options = [], [], ["--switch", "chains=on"] if o.chains else []
    with tempfile.TemporaryDirectory() as tmp:
        for n, file in enumerate(tests_of(o.tests)):
            with open(file, encoding="utf-8") as f:
                if not f.read().lstrip().startswith("OPENCL"):
                    continue
            path = f"{tmp}/{n}.litmus"
            subprocess.run([o.refcl, "litmus", "translate", "--mapping", o.mapping, "-o", path, file], stderr=subprocess.DEVNULL, check=True)
            if os.path.getsize(path):
                files.append(file)
                translated.append(path)
        old, new = check(o.refcl, "opencl.cat", files, []), check(o.refcl, "vulkan.cat", translated, options)
        counts, differ = {}, {}
        for file, path, a, b in zip(files, translated, old, new):
            with open(path, encoding="utf-8") as f:
                verdict = compare(a, b, "\nexists" in f.read())
            counts[verdict] = counts.get(verdict, 0) + 1
            differ.setdefault(verdict, []).append((os.path.getsize(path), file))
    for verdict in sorted(counts):
        print(f"{counts[verdict]:5} {verdict}")
        if o.list and verdict != "agree" and "no verdict" not in verdict:
            for _, file in sorted(differ[verdict]):
                print(f"      {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
