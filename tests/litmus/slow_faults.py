#!/usr/bin/env python3
"""Seeded faults: each one of interp/fault.def is killed by the suite, and without a fault nothing is found.

A fault is killed by a state that the model forbids, or by a test that fails, crashes or hangs only with the fault.
With REFCL_FAULTS_TABLE=FILE the table "fault | killed by" is written there."""
import json, os, re, subprocess, sys, tempfile

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.chdir(root)
build = os.path.join(root, os.environ.get("BUILD", "build"))
refcl, runner = os.path.join(build, "refcl"), os.path.join(build, "refcl-litmus-run")
if not all(os.path.exists(f) for f in (refcl, runner, os.path.join(build, "refcl-compiler"))):
    print("ok 1 - faults # SKIP refcl is not built")
    sys.exit(0)
MODES = {"": {}, "weak": {"REFCL_MEMORY": "weak", "REFCL_SEED": "1"}, "random": {"REFCL_SCHEDULE": "random"},
         "seeded": {"REFCL_QUEUE_SEED": "1", "REFCL_DEVICES": "2", "REFCL_SCHEDULE": "random", "REFCL_SEED": "1"}, "jit": {"REFCL_ENGINE": "jit"}}
number = failures = 0


def check(name, ok, note=""):
    global number, failures
    number += 1
    failures += not ok
    print(f"{'ok' if ok else 'not ok'} {number} - {name}", flush=True)
    if note and not ok:
        print(f"# {note}", flush=True)


def rows():
    with open("tests/litmus/faults.txt") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                fault, mode, count, tests = [part.strip() for part in line.split("|")]
                yield fault, mode, count, tests.split()


def run(fault, mode, count, tests, folder):
    """Names of tests with forbidden states, of tests that failed otherwise, of all that ran."""
    env = dict(os.environ, OCL_ICD_VENDORS=f"{build}/refcl.icd", OCL_ICD_FILENAMES=f"{build}/librefcl.so", **MODES[mode])
    env.pop("REFCL_FAULT", None)
    plan, results, judged = (os.path.join(folder, f) for f in ("plan.json", "results.json", "judged.json"))
    subprocess.run([refcl, "litmus", "plan", "-o", plan] + [f"litmus/suite/{t}" for t in tests], check=True, env=env)
    if os.path.exists(results):
        os.remove(results)
    batch = "65536" if int(count) > 100000 else "20000" if int(count) > 1000 else "200"
    subprocess.run([runner, "-q", "-n", count, "--batch", batch, "--timeout", "30", "-o", results, plan],
                   env=dict(env, **({"REFCL_FAULT": fault} if fault else {})), stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    subprocess.run([refcl, "litmus", "judge", "--json", judged, results], env=env, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    with open(judged) as f:
        found = json.load(f)["tests"]
    forbidden = [t["name"] for t in found if t["verdict"] == "forbidden"]
    broken = [t["name"] for t in found if t["status"] not in ("done", "skipped") and t["name"] not in forbidden]
    return forbidden, broken, [t["name"] for t in found if t["status"] == "done"]


def main():
    table = list(rows())
    with open("interp/fault.def") as f:
        names = re.findall(r'IN_FAULT\(\w+, "([^"]+)", "([^"]+)"\)', f.read())
    check("every fault has a row", [n for n, _ in names] == sorted([r[0] for r in table], key=[n for n, _ in names].index)
          if set(r[0] for r in table) == set(n for n, _ in names) else False,
          f"{set(r[0] for r in table) ^ set(n for n, _ in names)}")
    only = os.environ.get("REFCL_FAULTS_ONLY")
    clean, killers = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for fault, mode, count, tests in table:
            if only and not re.search(only, fault):
                continue
            key = (mode, count, tuple(tests))
            if key not in clean:
                clean[key] = run("", mode, count, tests, folder)
                check(f"nothing is found without a fault: {mode or 'as usual'}, {' '.join(tests)}",
                      not clean[key][0] and not clean[key][1] and clean[key][2], f"{clean[key][:2]}")
            forbidden, broken, _ = run(fault, mode, count, tests, folder)
            killers[fault] = forbidden + [f"{b} (does not finish)" for b in broken]
            check(f"{fault} is killed", bool(killers[fault]))
    if os.environ.get("REFCL_FAULTS_TABLE"):
        with open(os.environ["REFCL_FAULTS_TABLE"], "w") as out:
            for name, what in names:
                if name in killers:
                    first = ", ".join(f"`{k}`" for k in killers[name][:3])
                    more = f" and {len(killers[name]) - 3} more" if len(killers[name]) > 3 else ""
                    out.write(f"| {name} | {what} | {first}{more} |\n")
    print(f"1..{number}")
    return 1 if failures else 0


sys.exit(main())
