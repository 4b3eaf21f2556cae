#!/usr/bin/env python3
"""Applications with a SIGSEGV handler of their own that comes after refcl's: host accesses to memory that is not mapped are still
found, and what is not refcl's reaches the application's handler, also one that passes on what it does not know."""
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
import tap
from tap import check
from built import PATIENCE, REFCL

HOST = r'''#include "host.h"
#include <setjmp.h>
#include <signal.h>
static struct sigaction before;
static sigjmp_buf back;
static volatile int caught;
static int *none;
static void own(int number, siginfo_t *info, void *context)
{
    if ((char *)info->si_addr < (char *)65536) {
        caught++;
        siglongjmp(back, 1);
    }
    if (%(chains)d && (before.sa_flags & SA_SIGINFO)) {
        before.sa_sigaction(number, info, context);
        return;
    }
    static const char words[] = "a fault that is not ours\n";
    write(2, words, sizeof words - 1);
    _exit(7);
}
static void fault(void)
{
    if (!sigsetjmp(back, 1))
        *(volatile int *)none = 1;
}
int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    cl_mem a = buffer();
    int *s = shared(0);
    struct sigaction action = {.sa_sigaction = own, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, &before);
    fault();
    launch(q, svm_kernel("add", s, NULL, NULL), N, NULL);
    OK(clFinish(q));
    fault();
    fault();
    %(touch)s
    fault();
    if (caught != 4)
        return 6;
    clSVMFree(context, s);
    puts("right");
    return 0;
}
'''
WILD = "*(volatile int *)(16 << 20) = 1;"


def main():
    with tempfile.TemporaryDirectory() as folder:
        for chains in (0, 1):
            for name, touch in (("a host access", "s[0] = 1;"), ("none", ""), ("a wild access", WILD)):
                what = "%s, a handler that %s" % (name, "passes on" if chains else "ends")
                program, out = os.path.join(folder, "program"), os.path.join(folder, "out.json")
                subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", "-g", "-w", "-I" + os.path.join(here, "host"),
                                "-x", "c", "-", "-o", program, "-lOpenCL"], input=(HOST % {"chains": chains, "touch": touch}).encode(), check=True)
                done = subprocess.run([REFCL, "run", "--check", "api", "--json", out, "--", program], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
                if "SKIP" in done.stdout:
                    tap.skip(what, done.stdout.strip())
                    continue
                with open(out, encoding="utf-8") as f:
                    report = json.load(f)
                kinds = {f["kind"] for f in report["findings"]}
                ending = report.get("program", {})
                if touch == WILD:
                    wanted = ending.get("signal") == 11 if chains else ending.get("exit_status") == 7
                else:
                    wanted = done.stdout == "right\n" and ending.get("exit_status") == 0
                check(what + ": the program", wanted, (done.returncode, done.stdout, done.stderr))
                check(what + ": the finding", ("host-access" in kinds) == (touch == "s[0] = 1;"), report)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
