#!/usr/bin/env python3
"""Interrupted commands print what they have decided, end with 130 (SIGTERM: 143), and leave no files; a
second Ctrl-C kills."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import PATIENCE, REFCL, ROOT, RUNNER, on_refcl
from processes import cpu_seconds, descendants, is_running, wait_until
from tap import check

SUITE = os.path.join(ROOT, "litmus/suite")
# Search and Z3 need hours for it.
MANY = """kernel void k(global atomic_int *a, global int *out) {
    int i = get_global_id(0), s = 0;
    for (int j = 0; j < 9; j++)
        s = s * 3 + atomic_fetch_xor_explicit(&a[j %% 3], i + j + 1, memory_order_acq_rel, memory_scope_device);
    out[i] = s;
    %s
}
"""
ARGUMENTS = ["--global", "5", "--local", "1", "--arg", "buf:3", "--arg", "buf:9"]
LAUNCHES = """
#include <CL/cl.h>
int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    size_t items = 64;
    const char *source = "kernel void k(global int *a) { a[get_global_id(0)] += 1; }";
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 1 << 16, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    for (;;) {
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
        clFinish(queue);
    }
}
"""


def works(process):
    return any(cpu_seconds(child) > 0.2 for child in descendants(process.pid))


def interrupt(words, ready, number=signal.SIGINT, group=True, folder="."):
    """Standard output and error, and the exit status, of a command that is signaled when READY(process); with
    GROUP, the whole process group is, as by a terminal."""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT, start_new_session=True, cwd=folder,
                                   env=on_refcl())
        reached = wait_until(lambda: process.poll() is not None or ready(process))
        if process.poll() is not None:
            reached = False
        below = descendants(process.pid)
        os.killpg(process.pid, number) if group else process.send_signal(number)
        status = process.wait(PATIENCE)
        out.seek(0)
        text = out.read()
    return text, status, reached and wait_until(lambda: not any(map(is_running, below)))


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def explored(folder):
    racy, clean, out = (os.path.join(folder, name) for name in ("racy.cl", "clean.cl", "explored.json"))
    for path, line in ((racy, "out[8] = s;"), (clean, "")):
        with open(path, "w") as f:
            f.write(MANY % line)
    for engine in ("search", "z3"):
        text, status, ended = interrupt([REFCL, "explore", "--engine", engine, "--json", out, *ARGUMENTS, clean, racy], works)
        tests = load(out)["tests"]
        check("explore, %s: 130 and a report" % engine, ended and status == 130 and "limit: interrupted" in text and "refcl: interrupted" in text,
              (status, text))
        check("explore, %s: each file is in the JSON as unknown" % engine,
              len(tests) == 2 and all(t["termination"] == "unknown" and t["limit"] == "interrupted" for t in tests), tests)
    text, status, ended = interrupt([REFCL, "explore", "--engine", "search", "--json", out, *ARGUMENTS, racy], works)
    check("explore: what was found is reported", ended and status == 130 and "race found" in text and load(out)["tests"][0]["flags"] == ["data_race"],
          text)
    text, status, ended = interrupt([REFCL, "explore", *ARGUMENTS, racy], works, signal.SIGTERM, group=False)
    check("explore: SIGTERM", ended and status == 143 and "limit: interrupted" in text, (status, text))
    text, status, ended = interrupt([REFCL, "explore", "--prove", "--json", out, os.path.join(ROOT, "tests/races/kernels/matrices/cholesky.cl")], works)
    check("explore --prove", ended and status == 130 and "race unknown" in text and load(out)["tests"][0]["race"]["answer"] == "unknown", (status, text))


def partly_decided(tests, folder):
    """Tests that were interrupted with some answers, compared with uninterrupted ones."""
    out = os.path.join(folder, "again.json")
    for test in tests:
        answers = {key: test[key] for key in ("condition", "race") if test[key] != "unknown"}
        if answers:
            subprocess.run([REFCL, "litmus", "check", "--json", out, test["file"]], stdout=subprocess.DEVNULL, timeout=PATIENCE, check=False)
            again = load(out)["tests"][0]
            yield test["name"], answers, {key: again[key] for key in answers}


def checked(folder):
    out = os.path.join(folder, "checked.json")
    total = sum(name.endswith(".litmus") for _, _, names in os.walk(SUITE) for name in names)
    for group in (True, False):
        printed = os.path.join(folder, "printed")
        with open(printed, "w") as f:
            process = subprocess.Popen([REFCL, "litmus", "check", "--json", out, SUITE], stdout=f, stderr=subprocess.PIPE, text=True,
                                       start_new_session=True)
            wait_until(lambda: process.poll() is not None or os.path.getsize(printed) > 2000)
            os.killpg(process.pid, signal.SIGINT) if group else process.send_signal(signal.SIGINT)
            text = process.communicate(timeout=PATIENCE)[1]
        tests = load(out)["tests"]
        cut = [t for t in tests if t.get("limit") == "interrupted"]
        done = len(tests) - len(cut)
        check("litmus check: 130, with all tests in the JSON", process.returncode == 130 and len(tests) == total and 0 < done < total,
              (process.returncode, len(tests), total, done))
        partly = list(partly_decided(cut, folder))
        check("litmus check: what was not decided is unknown", len(partly) <= os.cpu_count() and all(a == b for _, a, b in partly), partly)
        check("litmus check: their number", "tests that were decided: %d of %d" % (done, total) in text, text)


def run_tests(folder):
    tests = [os.path.join(SUITE, "message-passing"), os.path.join(SUITE, "store-buffering")]
    for number, group in ((signal.SIGINT, True), (signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGKILL, False)):
        name = "litmus run, %s%s" % (number.name, "" if group else " to refcl alone")
        own = tempfile.mkdtemp(dir=folder)
        results = os.path.join(own, "results.json")
        text, status, ended = interrupt([REFCL, "litmus", "run", "-n", "100000000", "-o", results, *tests],
                                        lambda p: os.path.exists(results) and os.path.getsize(results) > 500, number, group, own)
        check(name + ": it ends", ended and status == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}[number], (status, text))
        check(name + ": nothing but the results is left", sorted(set(os.listdir(own)) - {"results.json.lock"}) == ["results.json"], os.listdir(own))
        if number != signal.SIGKILL:
            check(name + ": a summary", "interrupted; --resume continues" in text and "tests that were not finished: " in text, text)
        judged = subprocess.run([REFCL, "litmus", "judge", results], stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
        check(name + ": what is there can be judged", judged.returncode in (0, 3) and "0 forbidden" in judged.stdout, judged.stdout[-300:])
        again = subprocess.run([REFCL, "litmus", "run", "-q", "--resume", "-n", "100", "-o", results, *tests], stdout=subprocess.PIPE,
                               text=True, timeout=PATIENCE, env=on_refcl())
        check(name + ": it is resumed", again.returncode == 0 and " 0 failed" in again.stdout, again.stdout)
    plan, temporary = os.path.join(folder, "plan.json"), os.path.join(folder, "temporary")
    os.mkdir(temporary)
    subprocess.run([REFCL, "litmus", "plan", "-o", plan, *tests], check=True, timeout=PATIENCE)
    os.environ["TMPDIR"] = temporary
    text, status, ended = interrupt([RUNNER, "--tune", "--budget", "1000", "-o", os.path.join(folder, "tuned"), plan], works)
    del os.environ["TMPDIR"]
    check("the runner's --tune: no file is left", ended and status == 130 and "no setting is saved" in text and not os.listdir(temporary), (status, text))


def captured(folder):
    program, own = os.path.join(folder, "program"), tempfile.mkdtemp(dir=folder)
    subprocess.run([os.environ.get("CC", "gcc"), "-w", "-DCL_TARGET_OPENCL_VERSION=120", "-x", "c", "-", "-o", program, "-lOpenCL"],
                   input=LAUNCHES, text=True, check=True)
    words = [REFCL, "capture", "-o", os.path.join(own, "[a]%n.cap"), "--", program]
    text, status, ended = interrupt(words, lambda p: len(os.listdir(own)) > 5)
    files = os.listdir(own)
    check("capture: 130 and how many launches there are", ended and status == 130 and
          "launches that were captured until then: %d" % len(files) in text and len(files) > 4, (status, text, len(files)))
    check("capture: no file is half written", all(name.endswith(".cap") for name in files), [n for n in files if not n.endswith(".cap")])
    done = subprocess.run([REFCL, "capture", "--", "true"], stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    check("capture: a program without launches", done.returncode == 0 and "no kernel launch was captured" in done.stderr, done.stderr)
    done = subprocess.run([REFCL, "capture", "--", "sh", "-c", "exit 7"], timeout=PATIENCE)
    check("capture: the program's exit status", done.returncode == 7, done.returncode)
    text, status, ended = interrupt([REFCL, "explore", "--", program], lambda p: len(descendants(p.pid)) > 1 and works(p))
    check("explore -- PROGRAM", ended and status == 130 and "interrupted" in text, (status, text))


def twice(folder):
    """The second Ctrl-C, late enough not to count as the same one."""
    spin = os.path.join(folder, "spin.py")
    with open(spin, "w") as f:
        f.write("import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nopen('%s', 'w')\nwhile True: pass\n" % os.path.join(folder, "begun"))
    for name, words, status in (("refcl run", [REFCL, "run", "--", sys.executable, spin], 130),
                                ("explore --prove", [REFCL, "explore", "--prove", os.path.join(ROOT, "tests/races/kernels/matrices/cholesky.cl")], -2)):
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        wait_until(lambda: works(process) and (status != 130 or os.path.exists(os.path.join(folder, "begun"))))
        below = descendants(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.5)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        process.wait(PATIENCE)
        check("a second Ctrl-C ends " + name, process.returncode == status and wait_until(lambda: not any(map(is_running, below))), process.returncode)


def main():
    if not os.path.exists(REFCL) or not os.path.exists(RUNNER):
        tap.skip_all("%s is not built" % REFCL)
    with tempfile.TemporaryDirectory(prefix="refcl-test.") as folder:
        explored(folder)
        checked(folder)
        run_tests(folder)
        captured(folder)
        twice(folder)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
