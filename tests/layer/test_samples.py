#!/usr/bin/env python3
"""Programs with one bug each, on PoCL under the layer: the bug is found, its positions are named and its fix
is verified; with -DFIXED there are no findings.  The page of --html has both accesses of each race.  The page
tools/docs/on-driver.md consists of the output of these runs; --write writes it.

    // expect: the kind of the finding
    // title: of its section; the next line is its text
    // build: host-cc, if the host's own accesses are to be recorded (optional, after expect)
    // options: of refcl run (optional)"""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
import tap
from built import JOBS, NO_HOST_CC, PATIENCE, REFCL, ROOT

POCL = os.environ.get("REFCL_POCL_ICD", "/etc/OpenCL/vendors/pocl.icd")
PAGE = os.path.join(ROOT, "tools/docs/on-driver.md")
SAMPLES = os.path.join(here, "samples")


def options(name):
    with open(os.path.join(SAMPLES, name + ".c")) as f:
        given = re.search(r"^// options: (.*)$", f.read(), re.M)
    return given[1].split() if given else []


def instrumentation(name):
    with open(os.path.join(SAMPLES, name + ".c")) as f:
        if not re.search(r"^// build: host-cc$", f.read(), re.M):
            return [], []
    return [subprocess.run([REFCL, "host-cc", option], stdout=subprocess.PIPE, check=True).stdout.decode().split()
            for option in ("--compile", "--link")]


def run(name, folder, fixed):
    """Exit code, report as text, as JSON, and the data of the HTML page."""
    program = os.path.join(folder, name + ("_fixed" if fixed else ""))
    compiler = [os.environ.get("CC", "gcc"), "-std=c11", "-Wall", "-Wextra", "-Werror", "-gdwarf-4"] + ["-DFIXED"] * fixed
    compile_flags, link_flags = instrumentation(name)
    subprocess.run(compiler + compile_flags + ["-c", "-o", program + ".o", name + ".c"], check=True, cwd=SAMPLES)
    subprocess.run(compiler + ["-o", program, program + ".o", "-lOpenCL"] + link_flags, check=True, cwd=SAMPLES)
    done = subprocess.run([REFCL, "run", "--on-driver", "--json", program + ".json", "--html", program + ".html", *options(name), "--", program],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=PATIENCE, cwd=SAMPLES,
                          env=dict(os.environ, OCL_ICD_VENDORS=POCL))
    with open(program + ".json") as f, open(program + ".html") as html:
        text = re.sub(r"(?m)^note: seen \d+ times\n", "", done.stderr.decode()) # of some samples that depends on PoCL's version
        data = html.read()
        return (done.returncode, text.replace(SAMPLES + "/", ""), json.load(f),
                json.JSONDecoder().raw_decode(data, data.index('{"report":'))[0])


def shows_accesses(finding, graph):
    """Whether the graph has both accesses of the race; the later one by its kind."""
    shown = {event["access"]: event for event in graph["events"] if "access" in event} if graph else {}
    return all(number in shown and "memory" in shown[number] for number in (1, 2)) and shown[1]["kind"] == finding["accesses"][0]["kind"]


def problem_of(name, lines, runs):
    (code, text, report, data), (fixed_code, fixed_text, fixed_report, _) = runs
    kinds = {f["kind"] for f in report["findings"]}
    hint = lines[0] in ("possible-race", "needless-wait")
    if code != (0 if hint else 1) or kinds != {lines[0]} or hint != (report["status"] == "clean"):
        return "exit %d, found %s" % (code, kinds)
    for finding in report["findings"]:
        if finding["kind"] == "data-race" and not (finding.get("fix") and finding["fix_verified"]):
            return "no verified fix: %s" % finding.get("fix")
    for finding, graph in zip(report["findings"], data["graphs"]):
        if finding["kind"] == "data-race" and not shows_accesses(finding, graph):
            return "the page lacks the accesses of '%s'" % finding["message"]
    place = {"leak": r"\w+ \d+ is left with", "needless-wait": "this clFinish is needless"}.get(lines[0], r"\w+ \d+ is enqueued here")
    if not re.search(r"^%s\.c:\d+: note: %s" % (name, place), text, re.M):
        return "no place in the program: " + text
    if fixed_code or fixed_report["findings"]:
        return "with the fix: exit %d, %s" % (fixed_code, fixed_text)
    return None


def page(samples):
    out = ["# Is my host code right? Five minutes with any driver", "",
           "<!-- Written by tests/layer/test_samples.py --write from the runs of tests/layer/samples on PoCL. -->", "",
           "    refcl run --on-driver -- ./app", "",
           "runs a program on its own driver, at its own speed, under a loader layer (`librefcl-layer.so`) that records commands, events and host calls.",
           "refcl's race detector judges them by the rules of OpenCL: two commands that use the same bytes, of which one writes, need an event, an in-order",
           "queue, a barrier or a waiting host between them. When the driver happened to execute them is no excuse. `--icd FILE` chooses a driver,",
           "`--json`, `--sarif`, `--junit` and `--html` write reports, `--trace` keeps the record, and the exit code is 1 if something was found. With",
           "`--check all` (without `refcl run`: `REFCL_LAYER_CHECK=api`) calls that fail and objects that are never released are findings, too.", "",
           "Command buffers, semaphores and shared memory of Intel's extension are checked as well. Of other extensions, of memory of other interfaces and",
           "of programs that cannot be analyzed the report says `not checked: ...`, and the exit code is 3 instead of 0.", "",
           "Without refcl on the machine: copy `librefcl-layer.so` there (it needs the C library alone), run the program with",
           "`OPENCL_LAYERS=/path/librefcl-layer.so REFCL_LAYER_TRACE=app.trace`, and check the trace elsewhere with `refcl trace check app.trace`. Where refcl",
           "is installed, but something else starts the program: `OPENCL_LAYERS` with `REFCL_LAYER_REPORT=report.json` (or .sarif, .xml, .html) writes a report at its end.", "",
           "What is found is certain: of kernels only the accesses count that they make with these arguments in any case. What a kernel reaches through",
           "values in memory is not known; `refcl run` without `--on-driver` sees it. The host's own accesses are seen if it is built with the flags of",
           "`refcl host-cc`: to SVM, memory under `CL_MEM_USE_HOST_PTR`, mapped memory, and memory that reads and writes use. Each report says whether they were. With `--check race,possible`",
           "races that the analysis of launches cannot exclude are hints, with their own wording and never errors: the exit code stays 0. There an argument whose",
           "subscripts are not all known, and each argument of a launch of more than 4,096 work-items, counts as used as a whole. With `--check race,needless` waits",
           "that order nothing which conflicts are hints, too.", "",
           "`refcl capture --on-driver -k NAME -- ./app` writes the launches of a suspicious kernel, with what its buffers, images and SVM hold on the device, to files. `refcl kernel`",
           "launches them again, work-item by work-item, under all checks. One bug of each kind:"]
    for name, lines, text in samples:
        out += ["", "## " + lines[1], "", lines[2], "", "```c"] + relevant(name) + ["```", "", "```"]
        out += text.rstrip("\n").split("\n") + ["```"]
    return "\n".join(out) + "\n"


def relevant(name):
    """The body of main() after the device is open."""
    with open(os.path.join(SAMPLES, name + ".c")) as f:
        body = f.read().split("    open_device();\n")[1]
    return [line[4:] if line.startswith("    ") else line for line in body.split("    return 0;")[0].rstrip("\n").split("\n")]


def main():
    if not os.path.exists(POCL):
        tap.skip_all("no PoCL")
    names = sorted(os.path.basename(path)[:-2] for path in glob.glob(os.path.join(SAMPLES, "*.c")))
    left_out = [name for name in names if NO_HOST_CC and instrumentation(name)[0]]
    names = [name for name in names if name not in left_out]
    samples = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        runs = list(pool.map(lambda job: run(job[0], folder, job[1]), [(n, fixed) for n in names for fixed in (0, 1)]))
    for name, pair in zip(names, zip(runs[::2], runs[1::2])):
        with open(os.path.join(SAMPLES, name + ".c")) as f:
            lines = [re.sub(r"^// (\w+: )?", "", line.rstrip("\n")) for line in f if not line.startswith("// build:")][:3]
        problem = problem_of(name, lines, pair)
        samples.append((name, lines, pair[0][1]))
        tap.check(name, not problem, problem)
    if left_out:
        tap.skip("%s, and the page" % ", ".join(left_out), NO_HOST_CC)
        return tap.done()
    wanted = page(samples)
    if "--write" in sys.argv:
        with open(PAGE, "w") as f:
            f.write(wanted)
    with open(PAGE) as f:
        tap.check("the page is that of these runs (--write writes it)", f.read() == wanted)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
