#!/usr/bin/env python3
"""Limits of time and memory end every engine, and the readers of models and modules: the answer is "unknown",
with exit code 3, and names the limit."""
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import PATIENCE, REFCL, ROOT

# More executions than any engine enumerates in the time given.
KERNEL = """kernel void k(global atomic_int *x, global int *out)
{
    int i = get_global_id(0), s = 0;
    for (int n = 0; n < 8; n++) {
        s += atomic_load_explicit(&x[(i + n) % 4], memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(&x[(i + n + 1) % 4], s + 1, memory_order_relaxed, memory_scope_device);
    }
    out[i] = s;
}
"""
# A race after a barrier, in executions that search reaches after more than a minute; random walks, which come
# first, find it.
BEHIND = """kernel void k(global atomic_int *x, global int *out)
{
    int i = get_global_id(0), s = 0;
    int ticket = atomic_fetch_add_explicit(&x[3], 1, memory_order_relaxed, memory_scope_device);
    for (int n = 0; n < 8; n++) {
        s += atomic_load_explicit(&x[(i + n) % 3], memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(&x[(i + n + 1) % 3], s + 1, memory_order_relaxed, memory_scope_device);
    }
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (i != 0 && ticket == 3 - i)
        out[0] = s;
    out[i] = s;
}
"""
RACE = """kernel void k(global int *a)
{
    int n = get_global_id(0);
    for (int i = 0; i < 2000; i++)
        n = n * 5 + i;
    a[0] = n;
}
"""
LAUNCH = ["-g", "4", "-l", "1", "--arg", "buf:4:zero", "--arg", "buf:4", "--bound", "9", "--assert", "out[0] == out[0]"]
ENGINES = {"search": ["-e", "search"], "search --no-walk": ["-e", "search", "--no-walk"], "z3": ["-e", "z3"], "auto": []}
ANSWERS = ("condition", "race", "usage", "divergence", "termination")
NEGATIONS = 40000
UNREACHED = str(PATIENCE)  # a time limit that no test here reaches, even on a slow machine


def refcl(*words):
    run = subprocess.run([REFCL, *words], capture_output=True, text=True, timeout=PATIENCE, check=False)
    return run, (json.loads(run.stdout)["tests"] if run.stdout.startswith("{") else [{}])[0]


def litmus(threads, iterations):
    """Each thread adds to the locations in cyclic order, starting with that of its index."""
    text = "OPENCL limits\n{\n" + "".join(f"[x{i}] = 0;\n" for i in range(threads)) + "}\n"
    for t in range(threads):
        text += f"P{t}@wg {t}, dev 0 (" + ", ".join(f"global atomic_int* x{i}" for i in range(threads)) + ") {\n"
        for r in range(iterations):
            text += (f"  int r{r} = atomic_fetch_add_explicit(x{(t + r) % threads}, {t + r + 1}, memory_order_relaxed, "
                     "memory_scope_device);\n")
        text += "}\n"
    return text + "exists (" + " /\\ ".join(f"{t}:r{r} = {5 * t + r}" for t in range(threads) for r in range(iterations)) + ")\n"


def readers(threads, reads):
    """Threads read a location before and after two barriers, between which another one writes it."""
    arguments = "(global atomic_int* x) {\n"
    text = "OPENCL readers\n{\n[x] = 0;\n}\nP0@wg 0, dev 0 " + arguments + "  B1: barrier(CLK_GLOBAL_MEM_FENCE);\n"
    text += "".join(f"  atomic_store_explicit(x, {i + 1}, memory_order_relaxed, memory_scope_device);\n" for i in range(reads))
    text += "  B2: barrier(CLK_GLOBAL_MEM_FENCE);\n}\n"
    loads = ["".join(f"  int r{i} = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);\n" for i in part)
             for part in (range(reads), range(reads, 2 * reads))]
    for t in range(threads):
        text += (f"P{t + 1}@wg 0, dev 0 {arguments}{loads[0]}  B1: barrier(CLK_GLOBAL_MEM_FENCE);\n"
                 f"  B2: barrier(CLK_GLOBAL_MEM_FENCE);\n{loads[1]}}}\n")
    return text + "forall (" + " /\\ ".join(f"{t + 1}:r{r} = {reads}" for t in range(threads) for r in range(reads, 2 * reads)) + ")\n"


def sums(depth):
    """A kernel that stores the last of DEPTH constants, each of which is twice the one before."""
    constants = "".join(f"%c{i} = OpSpecConstantOp %uint IAdd %c{i - 1} %c{i - 1}\n" for i in range(1, depth))
    return f"""OpCapability Kernel
OpCapability Addresses
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%global = OpTypePointer CrossWorkgroup %uint
%type = OpTypeFunction %void %global
%c0 = OpSpecConstant %uint 1
{constants}%k = OpFunction %void None %type
%out = OpFunctionParameter %global
%entry = OpLabel
OpStore %out %c{depth - 1} Aligned 4
OpReturn
OpFunctionEnd
"""


def check(name, words, option):
    run, test = refcl(*words, "--json", "-")
    good = (run.returncode == 3 and option in test.get("limit", "") and test.get("states_complete") is False and
            "unknown" in (test.get(key) for key in ANSWERS))
    tap.check(f"{name}: {option}", good, f"{run.returncode} {test} {run.stderr}")


def with_pause(is_there, *words):
    """Exit code and output of refcl, which is stopped for more than a second, the limit, once IS_THERE(its
    session)."""
    with subprocess.Popen([REFCL, *words], stdout=subprocess.PIPE, text=True, start_new_session=True) as child:
        until = time.monotonic() + PATIENCE
        while not is_there(child.pid) and time.monotonic() < until and child.poll() is None:
            time.sleep(0.001)
        running = child.poll() is None
        if running:
            os.killpg(child.pid, signal.SIGSTOP)
            time.sleep(2.5)
            os.killpg(child.pid, signal.SIGCONT)
        return running, child.communicate(timeout=PATIENCE)[0], child.returncode


def executes_launch(session):
    """Whether a process of SESSION is `refcl kernel`."""
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            if os.getsid(int(path.split("/")[2])) == session and open(path, "rb").read().split(b"\0")[1:2] == [b"kernel"]:
                return True
        except OSError:
            pass
    return False


def check_cpu_time(kernel):
    """Time during which nothing is computed does not count."""
    running, text, code = with_pause(lambda session: True, "explore", "--cpu-time", "--timeout", "1", "-g", "2", "--arg", "buf:2", kernel)
    tap.check("time without computation is not limited with --cpu-time", running and code == 1 and "race found" in text, f"{code} {text}")
    running, text, code = with_pause(executes_launch, "explore", "--prove", "--timeout", "1", kernel)
    tap.check("nor is that of launches that confirm counterexamples", running and code == 1 and "race refuted" in text, f"{code} {text}")


def child_of(pid):
    """The process that decides the tests, once it has used processor time; None if there is none in time."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        children = open(f"/proc/{pid}/task/{pid}/children", encoding="ascii").read().split()
        if children and sum(map(int, open(f"/proc/{children[0]}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()[11:13])) > 30:
            return int(children[0])
        time.sleep(0.01)
    return None


def check_series(easy, hard):
    """One process decides many tests: limits apply to each test, and results of the others are kept if a
    limit ends the process."""
    run, _ = refcl("litmus", "check", "--timeout", "1", "--json", "-", easy, hard, hard, hard, easy)
    tests = json.loads(run.stdout)["tests"]
    tap.check("each test has the time limit for itself",
              [os.path.basename(test["file"]) for test in tests] == [os.path.basename(f) for f in (easy, hard, hard, hard, easy)]
              and [test["condition"] for test in tests][::4] == ["fails"] * 2
              and [test.get("limit") for test in tests][1:4] == ["limit reached: time (raise with --timeout)"] * 3, run.stdout[-3000:])
    process = subprocess.Popen([REFCL, "litmus", "check", "--timeout", UNREACHED, "--json", "-", easy, hard, easy], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    child = child_of(process.pid)
    if child:
        os.kill(child, signal.SIGKILL)
    out, errors = process.communicate(timeout=PATIENCE)
    files = [os.path.basename(test["file"]) for test in json.loads(out)["tests"] if test["condition"] == "fails"]
    tap.check("a process that is killed loses the current test alone", child is not None and process.returncode == 4 and
              files == [os.path.basename(easy)] * 2 and "ended unexpectedly" in errors, f"{process.returncode} {files} {errors}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        kernel, hard = os.path.join(folder, "k.cl"), os.path.join(folder, "hard.litmus")
        easy = os.path.join(ROOT, "litmus/suite/variants/no-region.litmus")
        with open(kernel, "w", encoding="utf-8") as file:
            file.write(KERNEL)
        with open(hard, "w", encoding="utf-8") as file:
            file.write(litmus(6, 3))
        for name, engine in ENGINES.items():
            check("explore " + name, ["explore", *engine, *LAUNCH, "--timeout", "1", kernel], "--timeout")
            check("explore --cpu-time " + name, ["explore", *engine, *LAUNCH, "--cpu-time", "--timeout", "1", kernel], "--timeout")
        check("explore z3", ["explore", *ENGINES["z3"], *LAUNCH, "--timeout", UNREACHED, "--memory-limit", "32", kernel],
              "--memory-limit")
        with open(kernel, "w", encoding="utf-8") as file:
            file.write(BEHIND)
        for words, race, limit in ((["--only-walk", "--timeout", UNREACHED], "found", "random executions"),
                                   (["--no-walk", "--timeout", "1"], "unknown", "--timeout")):
            run, test = refcl("explore", "-e", "search", *words, *LAUNCH, "-l", "4", "--json", "-", kernel)
            tap.check(f"race behind a barrier {race} {words}", test.get("race") == race and limit in test.get("limit", ""),
                      f"{run.returncode} {test} {run.stderr}")
        for depth, code in ((40, 1), (2000, 3)):
            with open(kernel + ".spvasm", "w", encoding="utf-8") as file:
                file.write(sums(depth))
            run, _ = refcl("explore", "-e", "search", "--timeout", UNREACHED, "-g", "2", "-l", "1", "--arg", "buf:1", kernel + ".spvasm")
            tap.check(f"constants that are sums of the one before, {depth}", run.returncode == code, f"{run.returncode} {run.stderr}")
        with open(kernel, "w", encoding="utf-8") as file:
            file.write(RACE)
        check_cpu_time(kernel)
        for engine in ("search", "both"):  # Z3 decides it
            check("litmus check " + engine, ["litmus", "check", "-e", engine, "--timeout", "1", hard], "--timeout")
        check_series(easy, hard)
        with open(hard, "w", encoding="utf-8") as file:
            file.write(readers(20, 6))
        run, test = refcl("litmus", "check", "--timeout", str(PATIENCE // 10), "--json", "-", hard)
        tap.check("sources that barriers rule out are not tried, with 330 events", run.returncode == 0 and test["condition"] == "holds",
                  f"{run.returncode} {test} {run.stderr}")
        for text in ("show " + NEGATIONS * "~" + " po", NEGATIONS * "~ " + "acyclic po as order"):
            model = os.path.join(folder, "m.cat")
            with open(model, "w", encoding="utf-8") as file:
                file.write("M\n" + text + "\nempty 0 as nothing\n")
            run, _ = refcl("litmus", "check", "--timeout", UNREACHED, "--model", model, easy)
            tap.check(f"{NEGATIONS} negations of a model are read in time: {text[:6]}", run.returncode == 0,
                      f"{run.returncode} {run.stderr}")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
