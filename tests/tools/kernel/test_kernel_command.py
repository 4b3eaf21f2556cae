#!/usr/bin/env python3
"""refcl kernel: for invalid input only the error is reported, and reports name the command that produced
them."""
import json
import os
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
import tap
from built import PATIENCE, REFCL
from tap import check

SOURCE = "kernel void k(global int *x, int n) { x[get_global_id(0)] = n; }\n"
# What is missing or wrong, options, and words of the message.
WRONG = [
    ("no argument", [], "argument 0 'x' (global int *) is missing; try --arg buf:64"),
    ("one argument too few", ["-a", "buf:4"], "argument 1 'n' (int) is missing; try --arg 64"),
    ("one argument too many", ["-a", "buf:4", "-a", "1", "-a", "2"], "takes 2 arguments, 3 given"),
    ("an argument of another kind", ["-a", "buf:x", "-a", "1"], "not: x"),
    ("a value for a pointer", ["-a", "5", "-a", "1"], "argument 0 'x' (global int *) cannot be this: clSetKernelArg: CL_INVALID_"),
    ("a buffer for a value", ["-a", "buf:4", "-a", "buf:4"], "argument 1 'n' (int) cannot be this: clSetKernelArg: CL_INVALID_ARG_SIZE (-51)"),
    ("a name that no argument has", ["-a", "buf:4", "-a", "count=1"], "no argument 'count'; its arguments are: x, n"),
    ("a pipe for a pointer", ["-a", "pipe:4", "-a", "1"], "argument 0 'x' (global int *) is no pipe; try --arg buf:"),
    ("a pipe without packets", ["-a", "pipe:0", "-a", "1"], "a pipe has 1 to 4294967295 packets"),
    ("a negative size", ["-g", "-4", "-a", "buf:4", "-a", "1"], "sizes are N, N,N or N,N,N, not: -4"),
    ("four dimensions", ["-g", "4,4,4,4", "-a", "buf:4", "-a", "1"], "not: 4,4,4,4"),
    ("a size of more than 64 bits", ["-g", "99999999999999999999", "-a", "buf:4", "-a", "1"], "not: 99999999999999999999"),
    ("a kind of argument that does not exist", ["-a", "bfu:4", "-a", "1"], "'bfu' is no kind of argument: buf:N, "),
    ("printing an argument that does not exist", ["-a", "buf:4", "-a", "1", "--print", "y"], "no argument 'y'; its arguments are: x, n"),
    ("words behind a value", ["-a", "buf:4", "-a", "1z"], "the end of the argument is expected at 'z'"),
    ("another kernel", ["-k", "other", "-a", "buf:4", "-a", "1"], "no kernel 'other'"),
    ("a work-group that does not fit", ["-l", "100000", "-a", "buf:4", "-a", "1"], "CL_INVALID_WORK_ITEM_SIZE (-55)"),
    ("no work-item", ["-g", "0", "-a", "buf:4", "-a", "1"], "--global: a launch has at least one work-item"),
]
# Kernels that --auto launches or not, the exit code, and words of the message.
AUTO = [
    ("a pipe", "kernel void k(write_only pipe int o) { int v = 1; write_pipe(o, &v); }\n", 0, "-a o=pipe:16"),
    ("a pipe of structures", "typedef struct { int a; char b; } packet;\nkernel void k(read_only pipe packet in, global char *o)\n"
     "{ packet p; if (read_pipe(in, &p) == 0) o[get_global_id(0)] = p.b; }\n", 0, "-a in=pipe:16"),
    ("an image of a buffer", "kernel void k(read_only image1d_buffer_t b) { }\n", 2, "'b' (image1d_buffer_t) is an image of a buffer, which no --arg describes"),
    ("a queue", "kernel void k(queue_t q, global int *o) { o[get_global_id(0)] = 1; }\n", 0, "no findings"),
    ("an error after a warning", "#pragma OPENCL EXTENSION no_such : enable\nkernel void k(global int *x) { *x = y; }\n", 2, "does not compile: %s:2:37: error: "),
]
# Command lines, and words of the message.
MISTAKES = [
    ("an option of another command", ["run", "--timeout", "3", "--", "true"], "refcl run: unrecognized option '--timeout'\nTry "),
    ("an option without its value", ["run", "--check"], "refcl run: option '--check' requires an argument\nTry `refcl run --help`"),
    ("-- in place of a value", ["run", "--json", "--", "true"], "--json needs OUT before --"),
    ("a condition with =", ["explore", "-g", "4", "-a", "buf:4", "-a", "1", "--assert", "x[0] = 1"], "a comparison (==, !=, <, <=, >, >=) expected at '= 1'"),
    ("a condition about memory that an argument lacks", ["explore", "-g", "4", "-a", "buf:4", "-a", "1", "--assert", "x[4] == 1"],
     "the condition names byte 19 of 'x', which has 16 bytes"),
    ("a switch that the model lacks", ["explore", "-g", "4", "-a", "buf:4", "-a", "1", "--switch", "incl3=x"],
     "has no switch 'incl3=x' (NAME=VALUE); it has sc, "),
]
# The same text gives eight bytes for the first kernel and two for the second.
STRUCTURES = """struct wide { int x; float y; };
struct narrow { uchar n, m; };
kernel void first(global int *o, struct wide s) { if (s.x != 1 || s.y != 2.0f) o[-1] = 0; }
kernel void second(global int *o, struct narrow s) { if (s.n != 1 || s.m != 2) o[-1] = 0; }
"""
# Memory whose type differs from the pointer's: the argument, the output or words of the message.
UNTYPED = """typedef struct { int n; float v[4]; } item;
kernel void k(global void *p, global float *o) { global item *q = (global item *)p; int i = get_global_id(0); o[i] = q[i].v[1] + q[i].n; }
kernel void f(global uchar *p, global float *o) { global float4 *q = (global float4 *)p; o[get_global_id(0)] = q[get_global_id(0)].y; }
"""
AS = [
    ("k", "p=buf:2:as=item:fill={3, {1, 2.5}}", "o: 5.5 5.5\n", "no findings"),
    ("k", "p=svm:2:fill={3, {1, 2.5}}:as=struct item", "o: 5.5 5.5\n", "no findings"),
    ("k", "p=buf:1:as=item", "o: 0 0\n", "offset 28 of global object buffer 1 of 20 bytes"),
    ("f", "p=buf:2:as=float4:iota", "o: 1 5\n", "no findings"),
    ("f", "p=buf:2:as=itm", "", "argument 0 'p' (global uchar *) cannot be memory of 'itm': as=TYPE takes numbers, vectors and structures"),
    ("k", "p=buf:2:as=float4*", "", "cannot be memory of 'float4*'"),
    ("k", "p=buf:2:as=item:fill={1, {1, 2, 3, 4, 5}}", "", "an array of 4 members is given 5 values"),
]
# Needs macros, and a file of another folder.
MACROS = """#include "tile.h"
kernel void k(global int *o) { local int t[TILE]; t[get_local_id(0)] = SCALE(3); o[0] = t[0] + sizeof(NAME); }
"""


def kernel(*words):
    return subprocess.run([REFCL, "kernel", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)


def main():
    if not os.path.exists(REFCL):
        tap.skip("refcl kernel", "%s is not built" % REFCL)
        return tap.done()
    with tempfile.TemporaryDirectory(prefix="refcl-test.") as folder:
        path, report, suite = (os.path.join(folder, name) for name in ("a kernel.cl", "report.json", "suite.xml"))
        with open(path, "w") as f:
            f.write(SOURCE)
        for name, words, message in WRONG:
            run = kernel("--check", "all", "--json", report, "-g", "4", *words, path)
            with open(report) as f:
                findings = json.load(f)["findings"]
            check(name, run.returncode == 2 and message in run.stderr and not findings, (run.returncode, run.stderr, findings))
        for name, source, code, message in AUTO:
            with open(path, "w") as f:
                f.write(source)
            run = kernel("--auto", path)
            message = message.replace("%s", path)
            check("--auto: " + name, run.returncode == code and run.stderr.count(message) == 1, run.stderr)
        with open(path, "w") as f:
            f.write(SOURCE)
        for name, words, message in MISTAKES:
            run = subprocess.run([REFCL, *words] + ([path] if words[0] == "explore" else []), capture_output=True, text=True,
                                 timeout=PATIENCE, cwd=folder)
            check(name, run.returncode == 2 and message in run.stderr and "did you mean" not in run.stderr, run.stderr)
        with open(path, "w") as f:
            f.write(STRUCTURES)
        run = kernel("--auto", "-a", "s={1, 2}", path)
        with open(os.path.join(folder, "k.cl"), "w") as f:
            f.write(MACROS)
        os.mkdir(os.path.join(folder, "other files"))
        with open(os.path.join(folder, "other files", "tile.h"), "w") as f:
            f.write("#ifdef EIGHT\n#define TILE 8\n#endif\n")
        macros = ["-DEIGHT", "-D", "SCALE(x)=10 * x", "--define", 'NAME="a\\\\b"', "-I", os.path.join(folder, "other files")]
        ended = kernel(*macros, "-a", "buf:1", "-p", "o", os.path.join(folder, "k.cl"))
        check("macros and folders of a compiler's options", ended.returncode == 0 and ended.stdout == "o: 34\n", (ended.stdout, ended.stderr))
        for more in [], ["--auto", "--uniform-writes=ignore"]:
            ended = kernel(*macros, *more, os.path.join(folder, "k.cl"))
            line = next((x for x in (ended.stdout + ended.stderr).splitlines() if x.startswith("    refcl kernel ")), "")
            words = shlex.split(line)[2:]
            again = kernel(*words, "-p", "o", "-q")
            check("the printed command has them, " + " ".join(more), "SCALE" in line and again.stdout.startswith("o: 34 "), (line, again.stderr))
        ended = subprocess.run([REFCL, "explore", *macros, "-a", "buf:1", "--states", os.path.join(folder, "k.cl")], stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
        check("refcl explore takes them", "race none" in ended.stdout, ended.stdout)
        with open(path, "w") as f:
            f.write(UNTYPED)
        for name, word, printed, message in AS:
            ended = kernel("-k", name, "-g", "2", "-a", word, "-a", "o=buf:2", "-p", "o", path)
            check("elements of another type: " + word, ended.stdout == printed and message in ended.stderr, (ended.stdout, ended.stderr))
        ended = kernel("--auto", "-k", "k", "-a", AS[0][1], path)
        check("... of the automatic launch, too", "of 40 bytes" in ended.stderr and ended.returncode == 1, ended.stderr)
        for word in "4=N", "", "N-M":
            ended = kernel("-D", word, os.path.join(folder, "k.cl"))
            check("a macro that is none: " + word, ended.returncode == 2 and "--define: '%s' is not NAME or NAME=VALUE" % word in ended.stderr, ended.stderr)
        check("a structure is that of each kernel", run.returncode == 0 and run.stderr.count("no findings") == 2, run.stderr)
        with open(path, "w") as f:
            f.write(SOURCE)
        words = ["--check", "all", "--json", report, "--junit", suite, "-g", "4", "--local=2", "-a", "buf:4", "-a", "3", path]
        run = kernel(*words)
        with open(report) as f:
            line = json.load(f)["command_line"]
        check("a launch without findings", run.returncode == 0, run.stderr)
        check("the command line in the report", shlex.split(line) == ["refcl", "kernel", *words], line)
        name = xml.parse(suite).getroot().find("testsuite").get("name")
        check("the name of the JUnit suite", name == line, name)
        again = subprocess.run(line.replace("refcl", shlex.quote(REFCL), 1), shell=True, timeout=PATIENCE)
        check("it is one that a shell takes", again.returncode == 0)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
