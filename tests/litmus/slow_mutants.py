#!/usr/bin/env python3
"""Mutants of the suite's tests are distinguished from the tests on refcl with weak memory: at least 95 %."""
import json, os, subprocess, sys, tempfile

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.chdir(root)
build = os.path.join(root, os.environ.get("BUILD", "build"))
refcl, runner = os.path.join(build, "refcl"), os.path.join(build, "refcl-litmus-run")
if not all(os.path.exists(f) for f in (refcl, runner, os.path.join(build, "refcl-compiler"))):
    print("ok 1 - mutants # SKIP refcl is not built")
    sys.exit(0)
env = dict(os.environ, OCL_ICD_VENDORS=f"{build}/refcl.icd", OCL_ICD_FILENAMES=f"{build}/librefcl.so",
           REFCL_MEMORY="weak", REFCL_SEED="1")
suite = sorted(f"litmus/suite/{d}" for d in os.listdir("litmus/suite") if not d.startswith("host-"))
bad = 0


def check(number, name, ok):
    global bad
    bad += not ok
    print(f"{'ok' if ok else 'not ok'} {number} - {name}", flush=True)


with tempfile.TemporaryDirectory() as tmp:
    made = subprocess.run(["/usr/bin/python3", "litmus/mutants.py", "--refcl", refcl, "-o", f"{tmp}/mutants"] + suite,
                          env=env, stdout=subprocess.PIPE, check=False)
    print("#", made.stdout.decode().strip())
    check(1, "mutants are made", made.returncode == 0)
    subprocess.run([refcl, "litmus", "plan", "-o", f"{tmp}/plan.json", f"{tmp}/mutants"], env=env, check=True)
    subprocess.run([runner, "-q", "-n", os.environ.get("MUTANT_INSTANCES", "4000"), "--batch", "500", "-o", f"{tmp}/r.json",
                    f"{tmp}/plan.json"], env=env, stdout=subprocess.DEVNULL, check=False)
    log = subprocess.run([refcl, "litmus", "judge", "--json", f"{tmp}/j.json", f"{tmp}/r.json"], env=env,
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
    check(2, "all mutants run", len(ran) >= len(text) - 5)
    check(3, f"{len(told)} of {len(ran)} mutants distinguished: {100 * len(told) / max(1, len(ran)):.1f} %, at least 95",
          len(told) >= 0.95 * len(ran) > 0)
print("1..3")
sys.exit(1 if bad else 0)
