#!/usr/bin/env python3
"""Mutants of the suite's tests are distinguished from the tests on refcl with weak memory: at least 95 %.  A sample
has half of the instances of each mutant."""
import json, os, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from built import REFCL, ROOT, RUNNER, on_refcl  # noqa: E402
from sample import SHARE  # noqa: E402
from tap import check, done  # noqa: E402

os.chdir(ROOT)
env = on_refcl(REFCL_MEMORY="weak", REFCL_SEED="1")
suite = sorted(f"litmus/suite/{d}" for d in os.listdir("litmus/suite") if not d.startswith("host-"))

with tempfile.TemporaryDirectory() as tmp:
    made = subprocess.run(["/usr/bin/python3", "litmus/generate/mutants.py", "--refcl", REFCL, "-o", f"{tmp}/mutants"] + suite,
                          env=env, stdout=subprocess.PIPE, check=False)
    print("#", made.stdout.decode().strip())
    check("mutants are made", made.returncode == 0)
    subprocess.run([REFCL, "litmus", "plan", "-o", f"{tmp}/plan.json", f"{tmp}/mutants"], env=env, check=True)
    subprocess.run([RUNNER, "-q", "-n", os.environ.get("MUTANT_INSTANCES", "4000" if SHARE == 1 else "2000"), "--batch", "500", "-o", f"{tmp}/r.json",
                    f"{tmp}/plan.json"], env=env, stdout=subprocess.DEVNULL, check=False)
    log = subprocess.run([REFCL, "litmus", "judge", "--json", f"{tmp}/j.json", f"{tmp}/r.json"], env=env,
                         stdout=subprocess.PIPE, check=False).stdout.decode()
    with open(f"{tmp}/j.json") as f:
        tests = json.load(f)["tests"]
    ran = {t["name"] for t in tests if t["status"] == "done"}
    seen = {}
    for line in log.split("\n"):
        if line.startswith("Observation "):
            name, often = line.split()[1:3]
            seen[name] = often
    # exists: seen at all; the others: broken at least once.
    text = {}
    for file in os.listdir(f"{tmp}/mutants"):
        with open(f"{tmp}/mutants/{file}") as f:
            content = f.read()
        text[content.split("\n", 1)[0].split(None, 1)[1]] = content
    exists = {n for n in ran if "\nexists" in text[n]}
    told = {n for n in ran if seen.get(n) == "Sometimes" or seen.get(n) == ("Always" if n in exists else "Never")}
    kinds = {}
    for n in ran:
        kind = n.rsplit("~", 1)[1].rsplit("-", 1)[0]
        good, all_ = kinds.get(kind, (0, 0))
        kinds[kind] = (good + (n in told), all_ + 1)
    for kind in sorted(kinds):
        print(f"# {kind}: {kinds[kind][0]} of {kinds[kind][1]}")
    for n in sorted(ran - told)[:40]:
        print(f"# not seen: {n}")
    check("all mutants run", len(ran) >= len(text) - 5)
    check(f"{len(told)} of {len(ran)} mutants distinguished: {100 * len(told) / max(1, len(ran)):.1f} %, at least 95",
          len(told) >= 0.95 * len(ran) > 0)
sys.exit(done())
