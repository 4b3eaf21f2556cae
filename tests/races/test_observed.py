#!/usr/bin/env python3
"""Unobserved programs are never "clean": programs that refcl does not observe, or only in part, give
"unknown" and exit code 3 in every format; a program that ends normally is clean, however many processes it
has."""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
import tap
from tap import check, skip
from built import NO_HOST_CC, PATIENCE, REFCL, ROOT

HOST = r'''#include "host.h"
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static void work(void)
{
    cl_command_queue q = in_order();
    launch(q, kernel("add", buffer(), NULL, NULL), N, NULL);
    OK(clFinish(q));
}
int main(int argc, char **argv)
{
    (void)argc;
    %s
    return 0;
}
'''
PROGRAMS = {  # the outcome, and what main does
    "whole": (None, "begin(NULL); work();"),
    "loads-only": (None, "cl_uint n; clGetPlatformIDs(0, NULL, &n);"),
    "without-opencl": ("nothing-observed", "(void)argv;"),
    "closes-all": ("ended-early", "begin(NULL); work(); syscall(SYS_close_range, 3, ~0u, 0); work();"),
    "quick-exit": ("ended-early", "begin(NULL); work(); _exit(0);"),
    "executes": ("ended-early", "begin(NULL); work(); execl(\"/bin/true\", \"true\", NULL);"),
    "child-killed": ("ended-early", "if (fork() == 0) { begin(NULL); work(); raise(SIGKILL); } wait(NULL);"),
    "child-whole": (None, "if (fork() == 0) { begin(NULL); work(); return 0; } wait(NULL);"),
    "child-killed-parent-whole": ("ended-early", "if (fork() == 0) { begin(NULL); work(); raise(SIGKILL); } wait(NULL);"
                                  "begin(NULL); work();"),
}


def build(folder, name, body, *flags):
    program = os.path.join(folder, name)
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", "-g", "-w", "-I" + os.path.join(here, "host"),
                    "-x", "c", "-", "-o", program, *(flags or ["-lOpenCL"])], input=body.encode(), check=True)
    return program


def run(folder, *words):
    names = {n: os.path.join(folder, "out." + n) for n in ("json", "sarif", "junit", "html")}
    return names, subprocess.run([REFCL, "run", *[w for n in names for w in ("--" + n, names[n])], *words],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, text=True)


def judge(folder, name, outcome, *command):
    names, done = run(folder, "--", *command)
    with open(names["json"], encoding="utf-8") as f:
        report = json.load(f)
    with open(names["sarif"], encoding="utf-8") as f:
        invocation = json.load(f)["runs"][0]["invocations"][0]
    with open(names["html"], encoding="utf-8") as f:
        page = f.read()
    suite = xml.parse(names["junit"]).getroot().find("testsuite")
    if outcome is None:
        check(name + ": exit 0", done.returncode == 0 and "refcl: no findings" in done.stderr, done.stderr)
        check(name + ": clean", report["status"] == "clean" and "observation" not in report, report)
        check(name + ": SARIF and JUnit", invocation["executionSuccessful"] and suite.get("errors") == "0", invocation)
        return
    message = report.get("observation", {}).get("message", "?")
    check(name + ": exit 3", done.returncode == 3 and "refcl: unknown: " + message in done.stderr and
          "no findings" not in done.stderr, done.stderr)
    check(name + ": JSON", report["status"] == "unknown" and report.get("observation", {}).get("outcome") == outcome, report)
    notes = [n["message"]["text"] for n in invocation.get("toolExecutionNotifications", [])]
    check(name + ": SARIF", invocation["executionSuccessful"] is False and message in notes, invocation)
    errors = [e.get("message") for e in suite.iter("error")]
    check(name + ": JUnit", suite.get("errors") == "1" and errors == [message], errors)
    check(name + ": the page", message in page, name)
    try:
        import jsonschema
        with open(os.path.join(ROOT, "tools/schema/report.schema.json"), encoding="utf-8") as f:
            wrong = [e.message for e in jsonschema.Draft7Validator(json.load(f)).iter_errors(report)]
        check(name + ": schema", not wrong, wrong)
    except ImportError:
        tap.skip(name + ": schema", "python3-jsonschema is not there")


WAITS = r"""#include "host.h"
int main(void)
{
    begin_with("kernel void meet(global volatile atomic_int *x, global int *y) { atomic_fetch_add_explicit(x, 1, memory_order_relaxed, "
          "memory_scope_work_group); while (atomic_load_explicit(x, memory_order_relaxed, memory_scope_work_group) < 4) ; "
          "y[0] = get_local_id(0); }", NULL);
    cl_kernel k = kernel("meet", buffer(), buffer(), NULL);
    size_t four = 4;
    cl_command_queue q = in_order();
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &four, &four, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
"""


def check_nothing(folder):
    """Without checks, kernels run as without refcl run: compiled, though these accesses race and could not be
    instrumented; the program's end is observed as well."""
    program = build(folder, "waits", WAITS)
    ran = {}
    for checks in "race", "none":
        done = subprocess.run([REFCL, "run", "--check", checks, "--", program], stderr=subprocess.PIPE, timeout=PATIENCE, text=True,
                              env=dict(os.environ, REFCL_ENGINE="jit", REFCL_DEBUG="jit"))
        ran[checks] = done.returncode, "runs in the interpreter" in done.stderr, done.stderr
    check("a race that is looked for is found, interpreted", ran["race"][:2] == (1, True), ran["race"])
    check("nothing is looked for, compiled", ran["none"][:2] == (0, False) and ": compiled" in ran["none"][2], ran["none"])
    for name, code in ("whole", 0), ("quick-exit", 3), ("without-opencl", 3):
        done = subprocess.run([REFCL, "run", "--check", "none", "--", os.path.join(folder, name)], stderr=subprocess.PIPE,
                              timeout=PATIENCE, text=True)
        check(f"nothing is checked, {name}: exit {code}", done.returncode == code, done.stderr)


def host_accesses(folder):
    """The report on host accesses: a program that is compiled and linked by one command is not
    instrumented."""
    def flags(what):
        return subprocess.run([REFCL, "host-cc", what], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    source, program = os.path.join(folder, "host_accesses.c"), os.path.join(folder, "host_accesses")
    compiler = [os.environ.get("CC", "gcc"), "-D_GNU_SOURCE", "-w", "-I" + os.path.join(here, "host")]
    with open(source, "w", encoding="utf-8") as f:
        f.write(HOST % "begin(NULL); work();")
    plain, once = [*compiler, source, "-lOpenCL"], [*compiler, *flags("--compile"), source, "-lOpenCL", *flags("--link")]
    twice = [[*compiler, "-c", *flags("--compile"), source, "-o", program + ".o"], [*compiler, program + ".o", "-lOpenCL", *flags("--link")]]
    ways = (("without the flags", [plain], "accesses of the host (refcl host-cc)"),
            ("in one command", [once], "accesses of the host (refcl host-cc)"),
            ("in two commands", twice, "accesses of the host outside of SVM (--on-driver)"))
    for name, commands, said in ways:
        if NO_HOST_CC and commands != [plain]:
            skip("the host built " + name, NO_HOST_CC)
            continue
        for command in commands:
            subprocess.run(command + ([] if "-o" in command else ["-o", program]), check=True)
        names, done = run(folder, "--", program)
        with open(names["json"], encoding="utf-8") as f:
            report = json.load(f)
        check("the host built " + name, "not checked: api, uninitialized (--check all), " + said + "\n" in done.stderr and
              report["not_checked"] == ["api", "uninitialized", said], done.stderr)


# Executes argv[2] by the function argv[1], with an environment of one variable that the program must find in it.
STARTS = r"""#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char *one[] = {"OWN=1", NULL}, *args[] = {argv[2], "first", "second", NULL};
    pid_t child = 0;
    int status = 0;
#define IS(name) (strcmp(argv[1], name) == 0)
    if (IS("execve")) execve(argv[2], args, one);
    if (IS("execvpe")) execvpe(argv[2], args, one);
    if (IS("fexecve")) fexecve(open(argv[2], O_RDONLY), args, one);
    if (IS("execle")) execle(argv[2], argv[2], "first", "second", (char *)0, one);
    if (IS("execveat")) execveat(AT_FDCWD, argv[2], args, one, 0);
    if (IS("syscall")) syscall(SYS_execve, argv[2], args, one);
    if (IS("syscall-at")) syscall(SYS_execveat, open("/", O_PATH), argv[2] + 1, args, one, 0);
    if (IS("syscall-descriptor")) syscall(SYS_execveat, open(argv[2], O_RDONLY), "", args, one, AT_EMPTY_PATH);
    if (IS("spawn")) posix_spawn(&child, argv[2], NULL, NULL, args, one);
    if (IS("spawnp")) posix_spawnp(&child, argv[2], NULL, NULL, args, one);
    if (child) return waitpid(child, &status, 0) < 0 || !WIFEXITED(status) ? 99 : WEXITSTATUS(status);
    environ = one;
    if (IS("execv")) execv(argv[2], args);
    if (IS("execvp")) execvp(argv[2], args);
    if (IS("execl")) execl(argv[2], argv[2], "first", "second", (char *)0);
    if (IS("execlp")) execlp(argv[2], argv[2], "first", "second", (char *)0);
    if (IS("vfork") && vfork() == 0) { execve(argv[2], args, one); _exit(98); }
    return wait(&status) < 0 || !WIFEXITED(status) ? 99 : WEXITSTATUS(status);
}
"""
WAYS = ("execve", "execvpe", "fexecve", "execle", "execveat", "syscall", "syscall-at", "syscall-descriptor", "spawn", "spawnp", "execv", "execvp",
        "execl", "execlp", "vfork")
RACY = """if (argc != 3 || strcmp(argv[1], "first") || strcmp(argv[2], "second") || !getenv("OWN")) return 97;
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    launch(q, k, N, NULL);
    launch(q, k, N, NULL);
    OK(clFinish(q));
    return 7;"""


def executed_with_own_environment(folder):
    """A program that is executed with another environment is observed: its race is found, beside a process
    without races."""
    racy, starts = build(folder, "racy", HOST % RACY), build(folder, "starts", STARTS, "-O1")
    ways = {way: [starts, way, racy] for way in WAYS}
    ways["env -i"] = ["sh", "-c", f"{folder}/whole && env -i OWN=1 {racy} first second"]
    for way, command in ways.items():
        names, done = run(folder, "--", *command)
        with open(names["json"], encoding="utf-8") as f:
            report = json.load(f)
        check(f"executed with another environment, {way}: observed", done.returncode == 1 and report["findings"] and
              "observation" not in report, done.stderr)
        check(f"{way}: the program has its arguments, variables and exit code", report["program"].get("exit_status") == 7, report)


def children_unobserved(folder):
    """Unobserved programs that the observed program executes are named with the reason.  A static program
    cannot use OpenCL without loading refcl; one with more privileges can, so the verdict is unknown."""
    whole, starts = os.path.join(folder, "whole"), build(folder, "starts", STARTS, "-O1")
    empty, static = "int main(void) { return 0; }", os.path.join(folder, "static")
    script = os.path.join(folder, "script")
    with open(script, "w", encoding="utf-8") as f:
        f.write("#! " + static + " argument\n")
    os.chmod(script, 0o755)

    def named(name, command, what, path, code):
        names, done = run(folder, "--", "sh", "-c", command + " && " + whole)
        with open(names["json"], encoding="utf-8") as f:
            report = json.load(f)
        words = [w for w in report["not_checked"] if "nothing observed" in w]
        pattern = "nothing observed of process [0-9]+ of the %s program '%s'" % (what, re.escape(path))
        check(f"{name}: named, in the text too", len(words) == 1 and re.fullmatch(pattern, words[0]) and words[0] in done.stderr,
              (words, done.stderr))
        check(f"{name}: exit {code}", done.returncode == code and report["status"] == ("unknown" if code else "clean"), done.stderr)

    for way in WAYS:
        named("static, " + way, f"{starts} {way} {static}", "static", static, 0)
    named("static, found in the list of folders", f"PATH={folder}:$PATH static", "static", static, 0)
    named("static and position-independent", build(folder, "static-pie", empty, "-static-pie"), "static",
          os.path.join(folder, "static-pie"), 0)
    named("the interpreter of a script", f"{starts} execv {script}", "static", static, 0)
    comma = build(folder, "a, b", empty, "-static")
    named("a name with a comma", f"'{comma}'", "static", comma.replace(",", "?"), 0)
    linker = next(f for f in subprocess.run(["ldd", whole], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
                  if os.path.basename(f).startswith("ld-"))
    _, done = run(folder, "--", "sh", "-c", f"{linker} /bin/true; {folder}/missing; {whole}")
    check("the dynamic linker, and a program that is missing: not named", done.returncode == 0 and
          "nothing observed" not in done.stderr, done.stderr)
    if os.geteuid() != 0:
        tap.skip("children with more rights", "no root: makes programs of another user")
        return
    for what, mode in ("set-user-ID", 0o4755), ("set-group-ID", 0o2755):
        other = build(folder, what, empty)
        os.chown(other, 65534, 65534)
        os.chmod(other, mode)
        named(what, other, what, other, 3)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for name, (outcome, body) in PROGRAMS.items():
            judge(folder, name, outcome, build(folder, name, HOST % body))
        check_nothing(folder)
        host_accesses(folder)
        whole = os.path.join(folder, "whole")
        judge(folder, "static", "nothing-observed", build(folder, "static", "int main(void) { return 0; }", "-static"))
        executed_with_own_environment(folder)
        children_unobserved(folder)
        if os.geteuid() == 0:
            other = build(folder, "set-id", "#include <unistd.h>\nint main(int c, char **v) {\n"
                          "if (c > 1) execl(v[1], v[1], (char *)0); return 0; }", "-O1")
            os.chown(other, 65534, 65534)
            os.chmod(other, 0o4755)
            judge(folder, "set-id", "nothing-observed", other)
        else:
            tap.skip("set-id", "no root: makes a program of another user")
        _, done = run(folder, "--seeds", "2", "--", "true")
        check("no seed observes anything", done.returncode == 3 and "no findings" not in done.stderr, done.stderr)
        _, done = run(folder, "--", "sh", "-c", "exit 7")
        check("a program that fails unseen: failed, and not checked", done.returncode == 1 and
              "nothing that it did was checked" in done.stderr, done.stderr)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
