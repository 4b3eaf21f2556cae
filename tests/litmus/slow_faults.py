#!/usr/bin/env python3
"""Seeded faults: the suite kills each fault of interp/fault.def, and finds nothing without a fault. A fault
is killed by a state that the model forbids, or by a test that fails, crashes or hangs only with the fault.
With REFCL_FAULTS_TABLE=FILE the table "fault | killed by" is written there."""
import json, os, re, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from built import REFCL, ROOT, RUNNER, on_refcl  # noqa: E402
from tap import check, done, skip  # noqa: E402

os.chdir(ROOT)
MODES = {"": {}, "weak": {"REFCL_MEMORY": "weak", "REFCL_SEED": "1"}, "random": {"REFCL_SCHEDULE": "random"},
         "seeded": {"REFCL_QUEUE_SEED": "1", "REFCL_DEVICES": "2", "REFCL_SCHEDULE": "random", "REFCL_SEED": "1"}, "jit": {"REFCL_ENGINE": "jit"}}


def rows():
    with open("tests/litmus/faults.txt") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                fault, mode, count, tests = [part.strip() for part in line.split("|")]
                yield fault, mode, count, tests.split()


# Rules of [CL 3.3.6] for commands: their tests, and faults that break their edges.  start-native reads memory of the
# host in a function of the host, where no runtime stands between.
RULES = [("H1", "host-enqueue", "enqueue-stale write-partial kernel-start-stale"), ("H2", "host-wait-list", "wait-list-ignored child-list-ignored"),
         ("H3", "host-event", "event-early migration-lost"), ("H4", "host-api-wait", "wait-early blocking-read-early blocking-map-early"),
         ("H5", "host-in-order", "in-order-reordered"), ("H6", "host-marker", "marker-no-wait wait-list-ignored child-list-ignored"),
         ("H7", "host-queue-barrier", "barrier-command-no-wait barrier-command-no-hold"), ("H8", "host-finish", "finish-early"),
         ("H9", "host-kernel-start", "kernel-start-stale"), ("H10", "host-kernel-end", "kernel-end-late"),
         ("H11", "host-callback", "callback-early"), ("H12", "host-user-event", "user-event-ignored child-list-ignored"),
         ("H13", "host-wait-kernel", "child-kernel-no-wait parent-early kernel-start-stale"),
         ("H14", "host-wait-work-group", "child-group-no-wait")]
NO_EDGE = {"start-native"}
PARALLEL = {"jit-sc-demoted", "jit-rmw-split"}  # not observable on one processor


def forbidding(folder):
    """Names of the tests whose outcome the model forbids."""
    for file in os.listdir(f"litmus/suite/{folder}"):
        with open(f"litmus/suite/{folder}/{file}") as f:
            text = f.read()
        if re.search(r"Expect: fails", text) and re.search(r"Race: none", text):
            yield text.split("\n", 1)[0].split(None, 1)[1]


def check_rule(rule, tests, faults, folder):
    must = set(forbidding(tests)) - NO_EDGE
    killed = set()
    for fault in faults.split():
        forbidden, broken, _ = run(fault, "seeded", "200", [tests], folder)
        killed |= set(forbidden + broken)
    missing = sorted(must - killed)
    check(f"{rule}: {len(must & killed)} of {len(must)} tests of {tests} fail when an edge is broken",
          len(must & killed) >= 3 and len(missing) <= 1, f"not: {missing}")
    if missing:
        print(f"# {rule}: not {', '.join(missing)}", flush=True)


def run(fault, mode, count, tests, folder, seed="1"):
    """Names of tests with forbidden states, of tests that failed otherwise, of all that ran."""
    env = on_refcl(**MODES[mode])
    env.pop("REFCL_FAULT", None)
    plan, results, judged = (os.path.join(folder, f) for f in ("plan.json", "results.json", "judged.json"))
    subprocess.run([REFCL, "litmus", "plan", "-o", plan] + [f"litmus/suite/{t}" for t in tests], check=True, env=env)
    if os.path.exists(results):
        os.remove(results)
    batch = "65536" if int(count) > 100000 else "20000" if int(count) > 1000 else "200"
    subprocess.run([RUNNER, "-q", "-n", count, "--seed", seed, "--batch", batch, "--timeout", "30" if fault else "900", "-o", results, plan],
                   env=dict(env, **({"REFCL_FAULT": fault} if fault else {})), stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    subprocess.run([REFCL, "litmus", "judge", "--json", judged, results], env=env, stdout=subprocess.DEVNULL,
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
            # Compiled kernels run on threads of the machine, so their outcomes vary.
            if fault in PARALLEL and len(os.sched_getaffinity(0)) < 2:
                skip(f"{fault} is killed", "one processor")
                continue
            for seed in range(1, 41 if mode == "jit" else 2):
                forbidden, broken, _ = run(fault, mode, count, tests, folder, str(seed))
                if forbidden or broken:
                    break
            killers[fault] = forbidden + [f"{b} (does not finish)" for b in broken]
            check(f"{fault} is killed", bool(killers[fault]))
        for rule, tests, faults in RULES:
            if not only or re.search(only, rule):
                check_rule(rule, tests, faults, folder)
    if os.environ.get("REFCL_FAULTS_TABLE"):
        with open(os.environ["REFCL_FAULTS_TABLE"], "w") as out:
            for name, what in names:
                if name in killers:
                    first = ", ".join(f"`{k}`" for k in killers[name][:3])
                    more = f" and {len(killers[name]) - 3} more" if len(killers[name]) > 3 else ""
                    out.write(f"| {name} | {what} | {first}{more} |\n")
    return done()


sys.exit(main())
