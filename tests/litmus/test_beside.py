#!/usr/bin/env python3
"""The tables of litmus/results/opencl-beside-vulkan.md are those that its script prints from the campaigns."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from built import REFCL, ROOT  # noqa: E402
from tap import check, done  # noqa: E402

os.chdir(os.path.join(ROOT, "litmus/results"))
with open("opencl-beside-vulkan.md", encoding="utf-8") as f:
    page = f.read()
command = re.search(r"^    (litmus/results/beside\.py .*\\\n.*)$", page, re.M).group(1)
run = subprocess.run(["bash", "-c", command.replace("beside.py", f"beside.py --refcl '{REFCL}'", 1)], cwd=ROOT, capture_output=True, text=True)
check("the script runs", run.returncode == 0, run.stderr)


def rows(text):
    return [line for line in text.splitlines() if line.startswith(("| ", "## "))]


check("the page has its rows", rows(page) == rows(run.stdout) and len(rows(page)) > 100, set(rows(page)) ^ set(rows(run.stdout)))
sys.exit(done())
