#!/usr/bin/env python3
"""CPU time of the exhaustive search: the litmus tests of the public corpus under its own models, the suite
under refcl's, and work-items with fetch_adds on one location: three with two each, six with one."""
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from built import REFCL, ROOT

CORPUS = os.environ.get("REFCL_CORPUS", os.path.join(ROOT, "..", "shared", "corpus"))
ADD = "atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device)"


def fetch_adds(threads, each):
    adds = "".join(f"int r{k} = {ADD}; " for k in range(each))
    return "OPENCL fetch-adds\n{ [x] = 0; }\n" + "".join(
        f"P{i}@wg {i}, dev 0 (global atomic_int* x) {{ {adds}}}\n" for i in range(threads)) + "exists (x = 6)\n"


def measure(name, files, model):
    before = os.times()
    command = [REFCL, "litmus", "check", "--engine", "search", "--json", "-"]
    run = subprocess.run(command + ["--model", model] + files, capture_output=True, text=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    times = [test["time_ms"] for test in json.loads(run.stdout)["tests"] if "time_ms" in test]
    print(f"{name:24} {len(times):4} tests  {cpu:7.2f} s CPU  median {statistics.median(times):8.3f} ms  "
          f"most {max(times):9.1f} ms")


def main():
    for name in ("OPENCL", "VULKAN"):
        files = sorted(glob.glob(os.path.join(CORPUS, "litmus", name, "**", "*.litmus"), recursive=True))
        if files:
            measure(f"corpus, {name}", files, os.path.join(CORPUS, name.lower() + ".dat3m.cat"))
    model = os.path.join(ROOT, "memmodel", "models", "opencl.cat")
    measure("suite", sorted(glob.glob(os.path.join(ROOT, "litmus", "suite", "**", "*.litmus"), recursive=True)), model)
    for threads, each in ((3, 2), (6, 1)):
        with tempfile.NamedTemporaryFile("w", suffix=".litmus") as file:
            file.write(fetch_adds(threads, each))
            file.flush()
            measure(f"{threads} x {each} fetch_adds", [file.name], model)
    return 0


if __name__ == "__main__":
    sys.exit(main())
