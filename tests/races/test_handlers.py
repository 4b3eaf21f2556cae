#!/usr/bin/env python3
"""Applications with SIGSEGV handlers installed after refcl's: host accesses to unmapped memory are still
found, and other faults reach the application's handler, even one that passes unknown faults on.  If the
handler is installed after the last OpenCL call, this requires the library that `refcl run` preloads."""
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
    static const char words[] = "an unexpected fault\n";
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
    struct sigaction action = {.sa_sigaction = own, .sa_flags = SA_SIGINFO}, now;
    if (!%(late)d) {
        sigaction(SIGSEGV, &action, &before);
        fault();
    }
    launch(q, svm_kernel("add", s, NULL, NULL), N, NULL);
    OK(clFinish(q));
    if (%(late)d) {
        signal(SIGSEGV, SIG_IGN);
        sigaction(SIGSEGV, NULL, &before);
        if (before.sa_handler != SIG_IGN || raise(SIGSEGV) || signal(SIGSEGV, SIG_DFL) != SIG_IGN)
            return 5;
        sigaction(SIGSEGV, &action, &before);
        fault();
    }
    if (sigaction(0, &action, NULL) != -1 || sigaction(-1, &action, NULL) != -1 || sigaction(NSIG, &action, NULL) != -1 ||
        sigaction(NSIG + 1000000, NULL, &now) != -1)
        return 9;
    fault();
    fault();
    %(touch)s
    fault();
    if (caught != 4)
        return 6;
    if (sigaction(SIGSEGV, NULL, &now) || (%(late)d && (now.sa_sigaction != own || before.sa_handler != SIG_DFL)))
        return 8;
    clSVMFree(context, s);
    puts("right");
    return 0;
}
'''
# A thread that sets actions all the time holds the lock at most forks.
FORKS = r'''#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static atomic_bool begun, over;
static void *set_actions(void *context)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    for (; !over; begun = 1)
        sigaction(SIGUSR1, &action, NULL);
    return context;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 2 || pthread_create(&thread, NULL, set_actions, NULL))
        return 2;
    while (!begun)
        ;
    for (int i = 0; i < 200; i++) {
        struct sigaction action;
        int status = 0, pid = fork();
        if (pid == 0)
            _exit(sigaction(SIGUSR1, NULL, &action) || action.sa_handler != SIG_IGN);
        time_t until = time(NULL) + atoi(argv[1]);
        int ended;
        while (!(ended = waitpid(pid, &status, WNOHANG)) && time(NULL) < until)
            nanosleep(&(struct timespec){0, 100000}, NULL);
        if (ended != pid || status) {
            kill(pid, SIGKILL);
            return 1;
        }
    }
    over = 1;
    return pthread_join(thread, NULL);
}
'''
WILD = "*(volatile int *)(16 << 20) = 1;"


def handler(folder, preloaded, late, chains, name, touch):
    what = "%s, a handler that %s%s%s" % (name, "passes on" if chains else "ends", ", set last" if late else "",
                                          "" if preloaded else ", without the preloaded library")
    program, out = os.path.join(folder, "program"), os.path.join(folder, "out.json")
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", "-g", "-w", "-I" + os.path.join(here, "host"),
                    "-x", "c", "-", "-o", program, "-lOpenCL"],
                   input=(HOST % {"chains": chains, "touch": touch, "late": late}).encode(), check=True)
    bare = [] if preloaded else ["env", "LD_PRELOAD=" + os.environ.get("LD_PRELOAD", "")]
    bare += ["env"] + ["%s=%s:handle_segv=0" % (name, os.environ.get(name, "")) for name in ("ASAN_OPTIONS", "TSAN_OPTIONS")]
    done = subprocess.run([REFCL, "run", "--check", "api", "--json", out, "--", *bare, program], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    with open(out, encoding="utf-8") as f:
        report = json.load(f)
    kinds = {f["kind"] for f in report["findings"]}
    ending = report.get("program", {})
    if touch == WILD:  # the previous handler is refcl's, unless refcl is hidden from the application
        wanted = ending.get("signal") == 11 if chains and not preloaded else ending.get("exit_status") == 7
    else:
        wanted = done.stdout == "right\n" and ending.get("exit_status") == 0
    check(what + ": the program", wanted, (done.returncode, done.stdout, done.stderr))
    check(what + ": the finding", ("host-access" in kinds) == (touch == "s[0] = 1;"), report)


def forks(folder):
    program = os.path.join(folder, "forks")
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", "-x", "c", "-", "-o", program, "-pthread"],
                   input=FORKS.encode(), check=True)
    done = subprocess.run([REFCL, "run", "--", program, str(PATIENCE // 10)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=PATIENCE)
    check("a child that is forked while another thread sets an action can do so, too", "ended with" not in done.stderr
          and done.returncode == 3, (done.returncode, done.stderr))


def main():
    with tempfile.TemporaryDirectory() as folder:
        forks(folder)
        for preloaded, late in ((True, 0), (False, 0), (True, 1)):
            for chains in (0, 1):
                for name, touch in (("a host access", "s[0] = 1;"), ("none", ""), ("a wild access", WILD)):
                    handler(folder, preloaded, late, chains, name, touch)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
