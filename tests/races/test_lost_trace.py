#!/usr/bin/env python3
"""A trace that cannot be written: the loss is reported, the application's results are right, and the detector
continues. Full disks are a small tmpfs (in a separate mount namespace), /dev/full, and a limit of file
sizes."""
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
import tap
from tap import check
from built import BUILD, PATIENCE, REFCL, on_refcl

LAYER = os.path.realpath(os.path.join(BUILD, "librefcl-layer.so"))

# Every launch records thousands of events; `add` races where several work-items increment one element.
HOST = r'''#include "host.h"
int main(int argc, char **argv)
{
    (void)argv;
    begin(NULL);
    cl_command_queue q = in_order();
    cl_mem a = buffer(), n = buffer();
    int values[N], launches = 60;
    for (int i = 0; i < launches; i++) {
        OK(clSetKernelArg(kernel("add", a, NULL, NULL), 0, sizeof a, &a));
        launch(q, kernel("add", a, NULL, NULL), N, NULL);
        OK(clEnqueueReadBuffer(q, a, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
    }
    if (argc > 1) { /* a race, after the trace was lost */
        cl_int e;
        const char *source = "kernel void k(global int *a) { a[0] += 1; }";
        program = clCreateProgramWithSource(context, 1, &source, NULL, &e);
        OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
        launch(q, kernel("k", n, NULL, NULL), N, NULL);
        OK(clFinish(q));
    }
    for (int i = 0; i < N; i++)
        if (values[i] != launches)
            return 5;
    puts("right");
    return 0;
}
'''
SMALL = 4096


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL, SMALL))


def start(*words, limit=None, **variables):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE,
                          preexec_fn=limit, env=on_refcl(REFCL_TRACE_REPLAYS="", **variables))


def on_tmpfs(folder, command):
    """COMMAND in a mount namespace in which FOLDER is a file system of 8 KiB; None: that cannot be made."""
    script = "mount -t tmpfs -o size=8k none %s || exit 99; %s" % (shlex.quote(folder), command)
    words = ["unshare", "-m"] + ([] if os.geteuid() == 0 else ["-r"]) + ["sh", "-c", script]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, env=on_refcl())
    except FileNotFoundError:
        return None
    return None if done.returncode == 99 or "unshare" in done.stderr else done


def application(name, done, words):
    check(name + ": the application lives", done.returncode == 0 and done.stdout == "right\n", (done.returncode, done.stderr))
    check(name + ": it is reported once", done.stderr.count("refcl: ") == 1 and words in done.stderr, done.stderr)


def session(name, done, out):
    check(name + ": the program's results", done.stdout == "right\n", done.stdout)
    check(name + ": exit 4 and the reason", done.returncode == 4 and "is incomplete" in done.stderr, done.stderr)
    with open(out, encoding="utf-8") as f:
        report = json.load(f)
    check(name + ": the detector continued", [f["kind"] for f in report["findings"]] == ["data-race"] and
          "observation" not in report, report)


def check_limited_run(program, trace, out):
    if os.environ.get("SANITIZER") == "thread":
        tap.skip("run, limited", "no ThreadSanitizer here: its runtime writes files, too")
        return
    # The report goes to a pipe, to which the limit does not apply.
    command = "ulimit -f %d; %s run --json /dev/fd/9 --trace %s -- %s race" % (SMALL // 512, REFCL, trace, program)
    done = subprocess.run(["sh", "-c", "(%s) 9>&1 >&2 | cat >%s" % (command, out)], timeout=PATIENCE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check("run, limited: the program's results and the reason", "right\n" in done.stderr and "is incomplete" in done.stderr,
          done.stderr)
    with open(out, encoding="utf-8") as f:
        report = json.load(f)
    check("run, limited: the detector continued", [f["kind"] for f in report["findings"]] == ["data-race"], report)


def main():
    with tempfile.TemporaryDirectory() as folder:
        program, trace, out = (os.path.join(folder, n) for n in ("program", "t.trace", "out.json"))
        disk = os.path.join(folder, "disk")
        os.mkdir(disk)
        subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", "-g", "-w", "-I" + os.path.join(here, "host"),
                        "-x", "c", "-", "-o", program, "-lOpenCL"], input=HOST.encode(), check=True)
        whole = start(program, REFCL_TRACE=trace)
        check("with room the trace is larger than the limits", whole.returncode == 0 and not whole.stderr and
              os.path.getsize(trace) > 2 * SMALL, (whole.stderr, os.path.getsize(trace)))
        application("/dev/full", start(program, REFCL_TRACE="/dev/full"), "No space left on device")
        application("limited", start(program, limit=limited, REFCL_TRACE=trace), "the trace is incomplete")
        dump = start(REFCL, "trace", "dump", trace)
        check("limited: the prefix is readable", dump.returncode in (0, 3), dump.stderr)
        application("layer, /dev/full", start(program, OPENCL_LAYERS=LAYER, REFCL_LAYER_TRACE="/dev/full"), "No space left on device")
        application("layer, limited", start(program, limit=limited, OPENCL_LAYERS=LAYER, REFCL_LAYER_TRACE=trace), "File too large")
        judged = start(REFCL, "trace", "check", trace)
        check("layer, limited: the prefix is readable", judged.returncode == 3 and "is truncated" in judged.stderr, judged.stderr)
        done = start(REFCL, "run", "--trace", "/dev/full", "--", program)
        check("run, /dev/full: exit 4 and the reason", done.returncode == 4 and "No space left" in done.stderr, done.stderr)
        check_limited_run(program, trace, out)
        full = os.path.join(disk, "t.trace")
        done = on_tmpfs(disk, "REFCL_TRACE=%s %s" % (full, program))
        if done is None:
            tap.skip("a full tmpfs", "mounting is not possible")
        else:
            application("tmpfs", done, "the trace is incomplete")
            done = on_tmpfs(disk, "OPENCL_LAYERS=%s REFCL_LAYER_TRACE=%s %s && %s trace check %s 2>%s; [ $? = 3 ]" % (
                LAYER, full, program, REFCL, full, out))
            application("layer, tmpfs", done, "No space left on device")
            with open(out, encoding="utf-8") as f:
                check("layer, tmpfs: the prefix is readable", "is truncated" in f.read())
            command = "%s run --json %s --trace %s -- %s race" % (REFCL, out, full, program)
            session("run, tmpfs", on_tmpfs(disk, command), out)
        kernel = os.path.join(folder, "k.cl")
        with open(kernel, "w") as file:
            file.write("kernel void k(global int *a) { a[get_global_id(0)] = 1; }\n")
        closed = subprocess.run(["sh", "-c", '"$0" explore "$1" >&-', REFCL, kernel], stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        check("explore, closed stdout: exit 4", closed.returncode == 4 and "writing to the standard output failed" in closed.stderr,
              (closed.returncode, closed.stderr))
        launch = ["-g", "4", "-l", "2", "-a", "buf:64", kernel]
        for words in (["explore", *launch], ["explore", "--prove", kernel], ["kernel", "--quiet", "--print", "0", *launch]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([REFCL, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
            check(f"{words[0]}: a verdict or values for a full standard output", done.returncode == 4 and "No space left" in done.stderr,
                  (done.returncode, done.stderr))
    done = subprocess.run("%s --version >/dev/full; echo $?; %s litmus gen --help >/dev/full; echo $?" % (REFCL, REFCL), shell=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check("a standard output that is full", done.stdout == "4\n4\n" and done.stderr.count("No space left") == 2, (done.stdout, done.stderr))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
