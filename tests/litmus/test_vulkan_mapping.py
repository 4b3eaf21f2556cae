#!/usr/bin/env python3
"""Translations from OpenCL to Vulkan keep verdicts, except where the models are known to differ; tests
without a translation have a reason."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from built import REFCL, ROOT  # noqa: E402
from tap import check, done  # noqa: E402

os.chdir(ROOT)
SUITE = "litmus/suite/"


def compare(folders, *options):
    """The tests of each verdict except agreement."""
    out = subprocess.run(["/usr/bin/python3", "litmus/vulkan/compare.py", "--refcl", REFCL, "--list", *options] + [SUITE + f for f in folders],
                         stdout=subprocess.PIPE, check=True).stdout.decode()
    verdicts, verdict = {}, None
    for line in out.splitlines():
        if line.startswith("      "):
            verdicts[verdict].append(os.path.basename(line.strip())[:-len(".litmus")])
        else:
            verdict = line.split(None, 1)[1]
            verdicts[verdict] = []
    return verdicts


plain = compare(["message-passing", "fences", "coherence", "rmw", "iriw"])
check("message passing, fences, coherence: nothing is unsound", not any(v.startswith(("unsound", "lost")) for v in plain), plain)
own = compare(["release-sequence"])
check("stores of the same thread do not continue release sequences in Vulkan",
      sorted(own.get("unsound: a race in Vulkan alone", [])) == ["own-store-continues", "own-store-then-rmw"], own)
scopes = compare(["scopes"])
check("two scopes in a chain are a race in Vulkan", "ISA2+wg+dev" in scopes.get("unsound: a race in Vulkan alone", []), scopes)
chains = compare(["scopes"], "--chains")
check("unless there are availability and visibility chains", not any(v.startswith("unsound") for v in chains), chains)
sc = compare(["store-buffering"], "--mapping", "clspv")
check("seq_cst as acq_rel is unsound", "SB+sc" in sc.get("unsound: allowed in Vulkan alone", []), sc)
for path, reason in [("store-buffering/SB+sc", "seq_cst"), ("host-in-order/in-order", "host"), ("fences/MP+imagefence+imagefence", "images"),
                     ("images/message-release-acquire", "images"), ("host-images/kernels-in-order", "images")]:
    run = subprocess.run([REFCL, "litmus", "translate", "--to", "vulkan", f"{SUITE}{path}.litmus"], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, check=False)
    check(f"{path}: no translation, for its {reason}", run.returncode == 0 and not run.stdout and reason in run.stderr.decode(), run.stderr)
for mapping, families in (("plain", "000"), ("families", "010")):
    run = subprocess.run([REFCL, "litmus", "translate", "--to", "vulkan", "--mapping", mapping, f"{SUITE}scopes/ISA2+wg+dev.litmus",
                          f"{SUITE}generated-relaxed/WRC+rlx.dev+rlx.dev-rlx.dev+rlx.dev-rlx.dev@0a1a2a.gg.litmus"],
                         stdout=subprocess.PIPE, check=True, text=True)
    rows = [line for line in run.stdout.splitlines() if "P0@" in line]
    got = [re.findall(r"wg (\d), qf (\d)", row) for row in rows]
    check(f"{mapping}: queue families of the work-groups",
          len(got) == 2 and all(family == families[int(group)] for threads in got for group, family in threads), rows)
bad = subprocess.run([REFCL, "litmus", "translate", "--mapping", "magic", f"{SUITE}rmw"], stderr=subprocess.PIPE, check=False)
check("an unknown mapping is a usage error", bad.returncode == 2 and b"magic" in bad.stderr, bad.stderr)
sys.exit(done())
