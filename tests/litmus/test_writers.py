#!/usr/bin/env python3
"""Campaigns that are killed leave nothing behind, a results file has one writer, and merging counts each run once."""
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from tap import check
from built import PATIENCE, REFCL, ROOT, RUNNER, on_refcl
from processes import command, descendants, is_running, wait_until

TESTS = [os.path.join(ROOT, "litmus/suite/message-passing/MP+rel+acq.litmus"),
         os.path.join(ROOT, "litmus/suite/message-passing")]


def run(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, env=on_refcl())


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def killed(folder):
    """refcl, the runner, and the runner's child: the first two are killed in turn."""
    results, plan = os.path.join(folder, "endless.json"), os.path.join(folder, "endless.plan")
    run(REFCL, "litmus", "plan", "-n", "1000000000", "-o", plan, TESTS[0])
    words = [REFCL, "litmus", "run", "-q", "-n", "1000000000", "-o", results, TESTS[0]]
    first = subprocess.Popen(words, env=on_refcl(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: len(descendants(first.pid)) >= 2 and os.path.exists(results))
    below = descendants(first.pid)
    second = run(RUNNER, "-q", "-n", "10", "-o", results, plan)
    check("a second writer is refused", second.returncode == 2 and "is written by another process" in second.stderr,
          (second.returncode, second.stderr))
    other = run(RUNNER, "--merge", "-o", results, results)
    check("so is one that merges", other.returncode == 2 and "is written by another process" in other.stderr, other.stderr)
    first.send_signal(signal.SIGKILL)
    first.wait()
    gone = wait_until(lambda: not any(map(is_running, below)))
    check("refcl killed: no process remains", len(below) >= 2 and gone, below)
    runner = subprocess.Popen([RUNNER, "-q", "--resume", "-n", "1000000000", "-o", results, plan], env=on_refcl(),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: descendants(runner.pid))
    below = descendants(runner.pid)
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    check("the runner killed: no process remains", below and wait_until(lambda: not any(map(is_running, below))), below)
    done = run(RUNNER, "-q", "--resume", "-n", "10", "-o", results, plan)
    check("then it can be resumed", done.returncode == 0 and not os.path.exists(results + ".lock"), done.stderr)


def families(folder):
    """Processes that a program starts, also in other process groups and sessions and orphaned ones, end with
    refcl if that is killed; if the program ends, they continue."""
    def sleepers():
        return [p for p in descendants(program.pid) if command(p).startswith("sleep")]
    family = "sleep 1000 & (sleep 1001 &); setsid sleep 1002 & setsid sh -c 'sleep 1003 & wait' & (setsid sh -c 'sleep 1004 & wait' &); wait"
    for name, script, count in (("its program ends", "exec sleep 1000", 1), ("what its program started ends", family, 5)):
        program = subprocess.Popen([REFCL, "run", "--", "sh", "-c", script], stderr=subprocess.DEVNULL)
        begun = wait_until(lambda: len(sleepers()) == count)
        below = descendants(program.pid)
        program.send_signal(signal.SIGKILL)
        program.wait()
        check("refcl run killed: " + name, begun and wait_until(lambda: not any(map(is_running, below))),
              [(p, command(p)) for p in below if is_running(p)])
    left = os.path.join(folder, "left")
    done = run(REFCL, "run", "--", "sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $! >%s; kill -9 $$" % left)
    with open(left, encoding="utf-8") as f:
        orphan = int(f.read())
    check("the program ends: its processes continue", done.returncode == 1 and "signal 9" in done.stderr and is_running(orphan),
          (done.returncode, done.stderr))
    os.kill(orphan, signal.SIGKILL)


def total(results):
    return sum(t["instances"] + t["discarded"] for t in results["tests"])


def merges(folder):
    def at(name):
        return os.path.join(folder, name)
    plan = at("plan.json")
    run(REFCL, "litmus", "plan", "-o", plan, TESTS[1])
    for k in (1, 2, 3):
        run(RUNNER, "-q", "-n", "50", "--shard", "%d/3" % k, "-o", at("%d.json" % k), plan)
    shards = [load(at("%d.json" % k)) for k in (1, 2, 3)]
    check("shards name campaign, shard and run", len({s["campaign"] for s in shards}) == 1 and
          [s["shard"] for s in shards] == ["1/3", "2/3", "3/3"] and len({s["run"] for s in shards}) == 3, [list(s) for s in shards])
    done = run(REFCL, "litmus", "merge", "-o", at("sum.json"), at("1.json"), at("2.json"), at("3.json"))
    whole = load(at("sum.json"))
    check("their sum", done.returncode == 0 and not done.stderr and total(whole) == sum(map(total, shards)) > 0 and
          sorted(p["run"] for p in whole["parts"]) == sorted(s["run"] for s in shards), done.stderr)
    done = run(REFCL, "litmus", "merge", "-o", at("twice.json"), at("1.json"), at("2.json"), at("1.json"), at("3.json"))
    check("a shard given twice counts once, with a message", done.returncode == 0 and "1.json: ignored" in done.stderr and
          total(load(at("twice.json"))) == total(whole), done.stderr)
    done = run(REFCL, "litmus", "merge", "-o", at("sum.json"), at("sum.json"), at("2.json"), at("sum.json"))
    check("merging is idempotent", done.returncode == 0 and load(at("sum.json")) == whole, done.stderr)
    run(REFCL, "litmus", "merge", "-o", at("first.json"), at("1.json"), at("2.json"))
    run(REFCL, "litmus", "merge", "-o", at("last.json"), at("2.json"), at("3.json"))
    done = run(REFCL, "litmus", "merge", "-o", at("bad.json"), at("first.json"), at("last.json"))
    check("sums that overlap are refused", done.returncode == 2 and "cannot be taken out" in done.stderr and
          not os.path.exists(at("bad.json")), done.stderr)
    twins = [dict(shards[0], run="twin%d" % k, date="2026-01-0%d" % (3 - k), settings="--seed %d" % k, tests=[dict(test, file=file) for test in
             shards[0]["tests"] for file in files]) for k, files in ((1, ("a", "b")), (2, ("b", "c")))]
    for k in (1, 2):
        with open(at("twin%d.json" % k), "w", encoding="utf-8") as f:
            json.dump(twins[k - 1], f)
    run(REFCL, "litmus", "merge", "-o", at("twins.json"), at("twin1.json"), at("twin2.json"))
    got, one = load(at("twins.json")), shards[0]["tests"]
    check("two files with the same text stay two tests", sorted((t["file"], t["instances"]) for t in got["tests"]) == sorted(
          (file, times * test["instances"]) for test in one for file, times in (("a", 1), ("b", 2), ("c", 1))), got["tests"])
    check("the sum has the first day and all settings", (got["date"], got["settings"]) == ("2026-01-01", "--seed 1; --seed 2"),
          (got.get("date"), got.get("settings")))
    far = dict(load(at("1.json")), run="far")
    seen = next(t for t in far["tests"] if t["states"])
    for sign in (1, -1):
        seen["states"][0]["values"][0] = sign * 1e300
        with open(at("far.json"), "w", encoding="utf-8") as f:
            json.dump(far, f)
        done = run(REFCL, "litmus", "merge", "-o", at("sum-far.json"), at("1.json"), at("far.json"))
        edge = str((1 << 63) - 1) if sign > 0 else str(-(1 << 63))
        check("a value of %g is the nearest that fits" % (sign * 1e300), done.returncode == 0 and
              any(s["values"][0] == edge for t in load(at("sum-far.json"))["tests"] for s in t["states"]), done.stderr)
    for k in (1, 2):
        old = {key: value for key, value in shards[k - 1].items() if key not in ("campaign", "shard", "run")}
        with open(at("old%d.json" % k), "w", encoding="utf-8") as f:
            json.dump(old, f)
    done = run(REFCL, "litmus", "merge", "-o", at("old.json"), at("old1.json"), at("old2.json"), at("old1.json"))
    check("results without names: read, and the same contents once", done.returncode == 0 and "old1.json: ignored" in done.stderr and
          total(load(at("old.json"))) == total(shards[0]) + total(shards[1]), done.stderr)
    before = shards[0]["run"]
    run(RUNNER, "-q", "--resume", "-n", "60", "--shard", "1/3", "-o", at("1.json"), plan)
    check("a resumed run is the same run", load(at("1.json"))["run"] == before and total(load(at("1.json"))) > total(shards[0]))
    done = run(RUNNER, "-q", "--resume", "-n", "60", "--shard", "2/3", "-o", at("1.json"), plan)
    check("another shard does not resume it", done.returncode == 2 and "results of shard 1/3" in done.stderr, done.stderr)
    again = run(RUNNER, "-q", "-n", "50", "--shard", "1/3", "-o", at("again.json"), plan)
    done = run(REFCL, "litmus", "merge", "-o", at("more.json"), at("1.json"), at("again.json"))
    check("a repeated run of the same shard counts", again.returncode == 0 and not done.stderr and
          total(load(at("more.json"))) == total(load(at("1.json"))) + total(load(at("again.json"))), done.stderr)


def iterations(folder):
    """Plans with more instances than any machine can run: they run until they are stopped, and invalid counts
    are refused."""
    plan, changed, results = (os.path.join(folder, n) for n in ("p.json", "changed.json", "r.json"))
    run(REFCL, "litmus", "plan", "-o", plan, TESTS[0])
    raised = ("--input-limits", "931323")
    for value, good, more in ((2 ** 30, True, ()), (10 ** 15, True, raised), (-5, False, ()), (0, False, ()), (1e300, False, raised),
                              ("9223372036854775807", False, raised), ("many", False, ())):
        whole = load(plan)
        for test in whole["tests"]:
            test["iterations"] = value
        with open(changed, "w", encoding="utf-8") as f:
            json.dump(whole, f)
        if good:
            campaign = subprocess.Popen([RUNNER, "-q", *more, "-o", results, changed], env=on_refcl(), stdout=subprocess.DEVNULL)
            ran = wait_until(lambda: campaign.poll() is not None or os.path.exists(results) and total(load(results)) > 0)
            ran = ran and campaign.poll() is None
            campaign.kill()
            campaign.wait()
            check("%s instances begin" % value, ran, value)
            os.remove(results)
        else:
            done = run(RUNNER, "-q", *more, "-o", results, changed)
            check("%s instances are refused" % value, done.returncode == 2 and "'iterations'" in done.stderr, (done.returncode, done.stderr))


def limited(folder):
    """--timeout ends each test, whatever the plan says: counts that need many launches keep what they have
    counted."""
    plan, results = (os.path.join(folder, n) for n in ("p.json", "r.json"))
    run(REFCL, "litmus", "plan", "-o", plan, "-n", str(10 ** 15), TESTS[0], os.path.join(TESTS[1], "MP+rlx+rlx.litmus"))
    raised = ("--input-limits", "931323")
    start = time.monotonic()
    run(RUNNER, "-q", "-n", "64", "--batch", "64", "-o", results, plan)
    limit = str(1 + int(2 * (time.monotonic() - start)))  # enough for the first launches on this machine
    done = run(RUNNER, "-q", *raised, "--batch", "64", "--timeout", limit, "-o", results, plan)
    check("10^15 instances end: many launches", done.returncode == 1 and [
        (t["status"], t["reason"], t["instances"] > 0) for t in load(results)["tests"]] ==
        2 * [("timeout", "limit reached: %s s (raise with --timeout)" % limit, True)], (done.stdout, done.stderr, load(results)))
    done = run(RUNNER, "-q", *raised, "--batch", str(1 << 22), "--timeout", "1", "-o", results, plan)
    check("10^15 instances end: launches that take longer", done.returncode == 1 and
          [t["status"] for t in load(results)["tests"]] == 2 * ["timeout"], (done.stdout, done.stderr, load(results)))
    done = run(REFCL, "litmus", "run", *raised, "-q", "-n", str(10 ** 15), "--timeout", "1", "-o", results, TESTS[0])
    check("refcl litmus run ends too", done.returncode == 1 and [t["status"] for t in load(results)["tests"]] == ["timeout"],
          (done.stdout, done.stderr))


def unstarted(folder):
    """Without file descriptors for the process that runs tests a campaign is an error, not a campaign without
    tests."""
    plan, results = (os.path.join(folder, n) for n in ("p.json", "r.json"))
    run(REFCL, "litmus", "plan", "-o", plan, TESTS[0])
    codes, said = set(), 0
    for limit in range(4, 12):
        if os.path.exists(results):
            os.remove(results)
        done = subprocess.run([RUNNER, "-q", "-n", "64", "-o", results, plan], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=PATIENCE, env=on_refcl(),
                              preexec_fn=lambda n=limit: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)))
        codes.add(done.returncode)
        said += "no process can be started to run tests: Too many open files" in done.stderr
        ran = os.path.exists(results) and total(load(results)) > 0
        check("%d descriptors: success only where the test ran" % limit, (done.returncode == 0) == ran, (done.returncode, done.stderr))
    check("no process can be started: the message", said > 0 and codes & {2}, (codes, said))


def wide(folder):
    """A test with more observed values than an instance may have fails, also if results with as many values
    are resumed."""
    plan, results = (os.path.join(folder, n) for n in ("p.json", "r.json"))
    run(REFCL, "litmus", "plan", "-o", plan, TESTS[0])
    for times in (35, 5000):
        run(RUNNER, "-q", "-n", "8", "-o", results, plan)
        wider = (load(plan), load(results))
        for whole in wider:
            whole["tests"][0]["observed"] *= times
        for state in wider[1]["tests"][0]["states"]:
            state["values"] = ["72340172838076673"] * 2 * times
        for path, whole in zip((os.path.join(folder, "wide.plan"), results), wider):
            with open(path, "w", encoding="utf-8") as f:
                json.dump(whole, f)
        for words in (["--resume"], []):
            done = run(RUNNER, "-q", "-n", "64", *words, "-o", results, os.path.join(folder, "wide.plan"))
            check("%d observed values %s: the test fails" % (2 * times, words), done.returncode == 1 and
                  [t["status"] for t in load(results)["tests"]] == ["failed"], (done.returncode, done.stdout, done.stderr))


def main():
    with tempfile.TemporaryDirectory() as folder:
        unstarted(folder)
        wide(folder)
        merges(folder)
        iterations(folder)
        limited(folder)
        killed(folder)
        families(folder)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
