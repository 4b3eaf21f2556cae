#!/usr/bin/env python3
"""refcl explore --jobs: processes that share one search have the findings and witnesses of a single process;
a killed process, an interrupt and a limit leave the answer unknown."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import PATIENCE, REFCL

UPDATES = """kernel void k(global atomic_int *x, global int *out)
{
    int i = get_global_id(0);
    out[i] = atomic_fetch_add_explicit(x, 3 * i + 1, memory_order_relaxed);
}
"""
MESSAGES = """kernel void k(global atomic_int *x, global atomic_int *y, global int *out)
{
    int i = get_global_id(0);
    if (i % 2 == 0) {
        atomic_store_explicit(x, i + 1, memory_order_relaxed);
        atomic_store_explicit(y, i + 1, memory_order_release);
        out[i] = atomic_load_explicit(x, memory_order_relaxed);
    } else {
        int a = atomic_load_explicit(y, memory_order_acquire);
        out[i] = 10 * a + atomic_load_explicit(x, memory_order_relaxed);
    }
}
"""
# Work-item 0 writes what the work-item with the last ticket reads: a race in few executions.
RARE_RACE = """kernel void k(global atomic_int *x, global int *data, global int *out)
{
    int i = get_global_id(0), n = 0;
    if (i == 0)
        *data = 1;
    n = atomic_fetch_add_explicit(x, 3 * i + 1, memory_order_relaxed);
    if (i == 5 && n > 30)
        n = *data;
    out[i] = n;
}
"""
# The wait of the last work-item ends only if an earlier one saw an even counter.
SPIN = """kernel void k(global atomic_int *x, global atomic_int *flag, global int *out)
{
    int i = get_global_id(0), n = atomic_fetch_add_explicit(x, 3 * i + 1, memory_order_relaxed);
    if (i == 1 && n % 2 == 0)
        atomic_store_explicit(flag, 1, memory_order_release);
    while (i == 4 && atomic_load_explicit(flag, memory_order_acquire) == 0)
        ;
    out[i] = n;
}
"""
# The loop exceeds a bound of 2 in some executions; with the race the answer is incomplete in any case.
BEYOND = """kernel void k(global atomic_int *x, global int *data, global int *out)
{
    int i = get_global_id(0), n = atomic_fetch_add_explicit(x, 3 * i + 1, memory_order_relaxed), s = 0;
    if (i == 0 || (i == 1 && n > 45))
        *data = i;
    for (int m = 0; m < n - 40; m++)
        s += atomic_load_explicit(x, memory_order_relaxed);
    out[i] = s;
}
"""
INPUT = """kernel void k(global atomic_int *x, global int *out, int first)
{
    int i = get_global_id(0);
    out[i] = atomic_fetch_add_explicit(x, i == 0 ? 10 * first : 3 * i + 1, memory_order_relaxed);
}
"""
ALL = ["--states", "--witnesses", "--explain", "--engine", "search", "--progress", "fair"]
KERNELS = {
    "updates": (UPDATES, ["-g", "6", "-a", "buf:4", "-a", "buf:24", "--assert", "out[0] < 30"]),
    "updates, without random executions": (UPDATES, ["-g", "6", "-a", "buf:4", "-a", "buf:24", "--no-walk", "--assert",
                                                     "forall (out[0] != 17 or out[1] != 25)"]),
    "messages": (MESSAGES, ["-g", "4", "-a", "buf:4", "-a", "buf:4", "-a", "buf:16", "--assert", "out[0] != 9"]),
    "a race in few executions": (RARE_RACE, ["-g", "6", "-a", "buf:4", "-a", "buf:4", "-a", "buf:24", "--no-walk", "--assert", "out[0] != 99"]),
    "a loop that may never terminate": (SPIN, ["-g", "5", "-a", "buf:4", "-a", "buf:4", "-a", "buf:20", "--no-walk", "--assert", "out[0] != 99"]),
    "a bound, and a race": (BEYOND, ["-g", "6", "-a", "buf:4", "-a", "buf:4", "-a", "buf:24", "--no-walk", "--bound", "2",
                                     "--assert", "forall (out[0] != 77 or out[1] != 78)"]),
    "an input": (INPUT, ["-g", "5", "-a", "buf:4", "-a", "buf:20", "-a", "any:0..2", "--assert", "out[1] != 50"]),
}


def explore(path, options, jobs):
    run = subprocess.run([REFCL, "explore", path, *ALL, *options, "--jobs", str(jobs), "--json", "-"],
                         capture_output=True, text=True, timeout=PATIENCE)
    try:
        report = json.loads(run.stdout)
        for test in report["tests"]:
            test.pop("time_ms", None)
    except ValueError:
        report = None
    return run.returncode, report, run.stderr


def check_same(folder, name, source, options):
    path = os.path.join(folder, "k.cl")
    with open(path, "w", encoding="utf-8") as f:
        f.write(source)
    one = explore(path, options, 1)
    states = one[1]["tests"][0].get("allowed_states", 0) if one[1] else 0
    tap.check(f"{name}: decided", one[0] in (0, 1) and states > 0, f"exit code {one[0]}, {states} states: {one[2]}")
    for jobs in (2, 3):
        other = explore(path, options, jobs)
        tap.check(f"{name}: the same with {jobs} processes", one[1] is not None and other == one,
                  f"exit codes {one[0]} and {other[0]}: {other[2]}")


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            return [int(p) for p in f.read().split()]
    except OSError:
        return []


def shares_search(pid):
    """Whether PID maps the memory for workers' results, which is as large as the memory limit; the compiler,
    and a process before it executes that, do not."""
    try:
        with open(f"/proc/{pid}/maps", encoding="utf-8") as f:
            ranges = [line.split()[0].split("-") for line in f if "/dev/zero" in line]
    except OSError:
        return False
    return any(int(end, 16) - int(start, 16) > 1 << 30 for start, end in ranges)


# A sanitizer would turn SIGSEGV into an exit code.
SIGNALS_STAY = {name: os.environ.get(name, "") + ":handle_segv=0" for name in ("ASAN_OPTIONS", "TSAN_OPTIONS")}


def stop(path, act, options=()):
    """Runs a long search and calls ACT with refcl's id and that of a worker: refcl has one child that
    decides, whose children share the search.  Returns the exit code, stdout, stderr, and the processes that
    are left."""
    words = ["-g", "8", "-a", "buf:4", "-a", "buf:32", "--engine", "search", "--jobs", "2", "--no-walk", "--assert", "out[0] < 99"]
    seen = set()
    with subprocess.Popen([REFCL, "explore", path, *words, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, **SIGNALS_STAY), text=True) as run:
        until = time.monotonic() + PATIENCE
        while run.poll() is None and time.monotonic() < until:
            deciders = children_of(run.pid)
            workers = [w for p in deciders for w in children_of(p) if shares_search(w)]
            seen |= {*deciders, *workers}
            if workers and act(run.pid, workers[0]):
                break
            time.sleep(0.01)
        out, err = run.communicate(timeout=PATIENCE)
    left = [p for p in seen if os.path.exists(f"/proc/{p}") and REFCL in open(f"/proc/{p}/cmdline", encoding="utf-8").read()]
    return run.returncode, out, err, left


def end_worker(number):
    """Sends NUMBER to a worker that has not ended, so that it could be stopped."""
    def act(refcl, worker):
        try:
            os.kill(worker, signal.SIGSTOP)
            state = ""
            while state not in ("T", "Z"):
                with open(f"/proc/{worker}/stat", encoding="ascii") as f:
                    state = f.read().rsplit(")", 1)[1].split()[0]
            os.kill(worker, number)
            os.kill(worker, signal.SIGCONT)
        except OSError:
            return False
        return state == "T"
    return act


def interrupt(refcl, worker):
    os.kill(refcl, signal.SIGINT)
    return True


def check_stopped(folder):
    path = os.path.join(folder, "k.cl")
    with open(path, "w", encoding="utf-8") as f:
        f.write(UPDATES)
    code, out, err, left = stop(path, end_worker(signal.SIGKILL))
    tap.check("a worker that is killed leaves the answer unknown",
              code == 3 and "condition unknown, race unknown" in out and "a process of the search was killed" in out and not left,
              f"exit code {code}, left {left}: {out}{err}")
    code, out, err, left = stop(path, end_worker(signal.SIGSEGV))
    tap.check("a worker that crashes is an error", code == 4 and "ended unexpectedly" in err and not left,
              f"exit code {code}, left {left}: {out}{err}")
    code, out, err, left = stop(path, interrupt)
    tap.check("an interrupt of refcl alone reaches all processes",
              code == 130 and "limit: interrupted" in out and "refcl: interrupted" in err and not left,
              f"exit code {code}, left {left}: {out}{err}")
    code, out, err, left = stop(path, lambda refcl, worker: False, ["--timeout", "1"])
    tap.check("a limit of time ends all processes",
              code == 3 and "(raise with --timeout)" in out and "race unknown" in out and not left,
              f"exit code {code}, left {left}: {out}{err}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, (source, options) in KERNELS.items():
            check_same(folder, name, source, options)
        check_stopped(folder)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
