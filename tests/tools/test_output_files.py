#!/usr/bin/env python3
"""Output files of commands: none of them is an input of the same command, devices and FIFOs are not replaced,
and with a FIFO without a reader a command still ends at the first signal."""
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from tap import check
from built import PATIENCE, REFCL, ROOT, RUNNER, on_refcl

LITMUS = os.path.join(ROOT, "litmus/suite/message-passing/MP+rel+acq.litmus")
KERNEL = "kernel void k(global int *x) { x[get_global_id(0)] = 1; }\n"
LAUNCH = ["-g", "2", "-l", "1", "-a", "buf:4"]
# The options OUT of each are found in its help; "input" is the file.
COMMANDS = {
    "run": ["--", "true", "input"], "kernel": ["input"], "explore": ["input"], "capture": ["--", "true", "input"],
    "litmus check": ["input"], "litmus judge": ["input"], "litmus plan": ["input"], "litmus translate": ["input"],
    "litmus run": ["input"], "trace check": ["input"], "trace dump": ["input"], "xref clauses": ["input"]}
LEAST = {"run": 5, "kernel": 5, "explore": 3, "capture": 1, "litmus check": 2, "litmus judge": 5, "litmus run": 1}


def run(*words, **options):
    return subprocess.run([REFCL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE,
                          env=on_refcl(**options.pop("variables", {})), **options)


def contents(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def spared(name, here, *words, variables=None, stdin=None):
    path = os.path.join(here, "input")
    with open(path, "w", encoding="utf-8") as f:
        f.write(KERNEL)
    done = run(*words, cwd=here, variables=variables or {}, stdin=stdin)
    check(name, done.returncode == 2 and "would be overwritten" in done.stderr and contents(path) == KERNEL,
          (done.returncode, done.stderr, contents(path)))


def inputs(here):
    for command, words in COMMANDS.items():
        options = re.findall(r"--(\S+) OUT\b", run(*command.split(), "--help").stdout)
        check(command + ": its options", len(options) >= LEAST.get(command, 0), options)
        for option in options:
            spared("%s --%s" % (command, option), here, *command.split(), "--" + option, "input", *words)
    os.link(os.path.join(here, "input"), os.path.join(here, "hard"))
    spared("by a hard link", here, "explore", "--json=hard", "input")
    os.symlink("input", os.path.join(here, "symbolic"))
    spared("by a symbolic link", here, "explore", "--json=symbolic", "input")
    spared("in an argument of the program", here, "run", "--json", "input", "--", "true", "--data=./input")
    spared("in an argument of the kernel", here, "kernel", "--json", "input", "-a", "buf:4:file=input", "kernel.cl")
    spared("from the environment", here, "explore", "input", variables={"REFCL_JSON": "input"})
    spared("another option's file", here, "run", "--suppress", "input", "--html", "input", "--", "true")
    spared("two reports in one file", here, "run", "--sarif", "input", "--html", "input", "--", "true")
    spared("a new file for two reports", here, "run", "--sarif", "new", "--html", "new", "--", "true")
    with open(os.path.join(here, "input"), encoding="utf-8") as f:
        spared("the standard input", here, "run", "--json", "input", "--", "true", stdin=f)
    done = subprocess.run([RUNNER, "-o", "input", "input"], cwd=here, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    check("the runner's plan", done.returncode == 2 and "would overwrite" in done.stderr and
          contents(os.path.join(here, "input")) == KERNEL, (done.returncode, done.stderr))
    kernel, k = os.path.join(here, "kernel.cl"), os.path.join(here, "k")
    for path, text in ((kernel, KERNEL), (k, "of an earlier run")):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    done = run("kernel", "-q", "-k", "k", "--json", "k", *LAUNCH, "kernel.cl", cwd=here)
    check("a report of an earlier run is overwritten, whatever else has its name", done.returncode == 0 and
          contents(k).startswith("{"), (done.returncode, done.stderr))
    done = run("kernel", "-q", "--json", "/dev/null", "--sarif", "/dev/null", *LAUNCH, "kernel.cl", cwd=here)
    check("/dev/null for two reports", done.returncode == 0, (done.returncode, done.stderr))


def devices(here):
    link, fifo = os.path.join(here, "null"), os.path.join(here, "fifo")
    os.symlink("/dev/null", link)
    os.mkfifo(fifo)
    done = run("litmus", "run", "-q", "-n", "100", "-o", link, LITMUS)
    check("results to /dev/null do not replace it", done.returncode == 0 and os.path.islink(link) and
          not os.path.exists(link + ".lock"), (done.returncode, done.stderr, os.listdir(here)))
    done = run("litmus", "run", "-q", "-n", "100", "-o", fifo, LITMUS)
    check("results to a FIFO without a reader", done.returncode == 2 and stat.S_ISFIFO(os.stat(fifo).st_mode) and
          not os.path.exists(fifo + ".lock"), (done.returncode, done.stderr))


def wakes(process):
    """Whether it waits with a time limit, like processes that wait for a FIFO, or in the open or read of
    one."""
    try:
        with open("/proc/%d/syscall" % process, encoding="utf-8") as f:
            return f.read().split()[0] in WAITS
    except (OSError, IndexError):
        return False


# x86-64: read, open, poll, nanosleep, clock_nanosleep, openat
WAITS = {"0", "2", "7", "35", "230", "257"}


def waits(process):
    """Ten times in a row."""
    until, seen = time.monotonic() + PATIENCE, 0
    while process.poll() is None and seen < 10 and time.monotonic() < until:
        seen = seen + 1 if wakes(process.pid) else 0
        time.sleep(0.05)
    return seen == 10


def signals(here):
    kernel, fifo = os.path.join(here, "kernel.cl"), os.path.join(here, "fifo")
    for name, words in (("run --json", ["run", "--json", fifo, "--", "true"]), ("run --trace", ["run", "-t", fifo, "--", "true"]),
                        ("kernel --html", ["kernel", "--html", fifo, *LAUNCH, kernel]),
                        ("explore --json", ["explore", "--json", fifo, *LAUNCH, kernel]),
                        ("explore --html", ["explore", "--html", fifo, *LAUNCH, kernel]),
                        ("litmus check --html", ["litmus", "check", "--html", fifo, LITMUS]),
                        ("litmus check of a FIFO", ["litmus", "check", fifo]), ("explore of a FIFO", ["explore", fifo]),
                        ("kernel of a FIFO", ["kernel", *LAUNCH, fifo]), ("trace dump of a FIFO", ["trace", "dump", fifo]),
                        ("litmus run of a FIFO", ["litmus", "run", "-n", "1", fifo]), ("the runner, of a FIFO", [])):
        process = subprocess.Popen([REFCL, *words] if words else [RUNNER, fifo], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, env=on_refcl())
        waiting = waits(process)
        process.send_signal(signal.SIGTERM)
        try:
            said = process.communicate(timeout=20)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            said = process.communicate()[1] + b" (killed)"
        check(name + ": the first SIGTERM ends it", waiting and process.returncode in (143, -signal.SIGTERM) and
              b"killed" not in said, (waiting, process.returncode, said))


RACY = "kernel void k(global int *x) { x[0] = get_global_id(0); }\n"


def reports_of_an_interrupted_wait(here):
    """A report without a reader does not prevent the others; the exit code is the signal's."""
    kernel, fifo = os.path.join(here, "racy.cl"), os.path.join(here, "fifo")
    with open(kernel, "w", encoding="utf-8") as f:
        f.write(RACY)
    os.mkfifo(fifo)
    for number in signal.SIGINT, signal.SIGTERM:
        others = {option: os.path.join(here, option) for option in ("sarif", "junit", "html")}
        words = ["kernel", "--json", fifo, *[w for o in others for w in ("--" + o, others[o])], *LAUNCH, kernel]
        process = subprocess.Popen([REFCL, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=on_refcl())
        waiting = waits(process)
        process.send_signal(number)
        said = process.communicate(timeout=PATIENCE)[1].decode()
        check(f"{number.name}: exit {128 + number}", waiting and process.returncode == 128 + number, (waiting, process.returncode, said))
        check(f"{number.name}: says which file lacks a reader, after the findings",
              said.find("race") in range(said.find(f"interrupted: '{fifo}' has no reader")), said)
        lacking = [o for o in others if not os.path.exists(others[o]) or "race" not in contents(others[o])]
        check(f"{number.name}: the other reports are written", not lacking, lacking)
        for path in others.values():
            os.remove(path)


def main():
    if not os.path.exists(REFCL) or not os.path.exists(RUNNER):
        tap.skip_all("%s is not built" % REFCL)
    with tempfile.TemporaryDirectory(prefix="refcl-test.") as folder:
        for part in (inputs, devices, signals, reports_of_an_interrupted_wait):
            own = os.path.join(folder, part.__name__)
            os.mkdir(own)
            with open(os.path.join(own, "kernel.cl"), "w", encoding="utf-8") as f:
                f.write(KERNEL)
            if part is signals:
                os.mkfifo(os.path.join(own, "fifo"))
            part(own)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
