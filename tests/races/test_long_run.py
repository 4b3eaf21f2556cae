#!/usr/bin/env python3
"""The memory of `refcl run` does not grow with the number of commands: resident memory after FEW launches and
after MANY more."""
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
import tap
from tap import check
from built import PATIENCE, REFCL, on_refcl
from processes import descendants, program_name

FEW, MANY = 10000, 100000
# Each launch takes a kilobyte if the detector keeps the clocks of every event.
GROWTH = 4 << 20

SOURCE = r"""#include "host.h"
/* argv[1]: "plain", or "events": each launch waits for the one before by its event */
int main(int argc, char **argv)
{
    (void)argc;
    begin_with("kernel void k(global int *a) { a[0] += 1; }", NULL);
    cl_command_queue q = in_order();
    cl_mem a = buffer();
    cl_kernel k = kernel("k", a, NULL, NULL);
    size_t one = 1;
    cl_event last = NULL;
    int events = argv[1][0] == 'e';
    char line[32];
    while (fgets(line, sizeof line, stdin)) {
        for (int i = 0, count = atoi(line); i < count; i++) {
            cl_event event = NULL;
            OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, last ? 1 : 0, last ? &last : NULL,
                                      events ? &event : NULL));
            if (last)
                OK(clReleaseEvent(last));
            last = event;
            if (i % 100 == 99)
                OK(clFinish(q));
        }
        OK(clFinish(q));
        puts("done");
        fflush(stdout);
    }
    if (last)
        OK(clReleaseEvent(last));
    return 0;
}
"""


def sessions(process):
    """The processes of refcl itself from PROCESS on."""
    return [p for p in [process] + descendants(process) if program_name(p) == "refcl"]


def resident(process):
    """Bytes of resident private memory of the sessions."""
    total = 0
    for session in sessions(process):
        with open("/proc/%d/status" % session) as f:
            total += sum(1024 * int(line.split()[1]) for line in f if line.startswith("RssAnon:"))
    return total


def after(run, launches):
    run.stdin.write("%d\n" % launches)
    run.stdin.flush()
    done = run.stdout.readline()
    return resident(run.pid) if done == "done\n" else None


def main():
    if os.environ.get("SANITIZER"):
        tap.skip_all("no sanitizer here: it keeps memory that is freed")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "long_run")
        subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", "-I" + os.path.join(here, "host"), "-x",
                        "c", "-", "-o", program, "-lOpenCL"], input=SOURCE.encode(), check=True)
        for way in "plain", "events":
            run = subprocess.Popen([REFCL, "run", "--check", "race,memory", "--", program, way], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=on_refcl(REFCL_ENGINE="jit"))
            few, more = after(run, FEW), after(run, MANY)
            errors = run.communicate(timeout=PATIENCE)[1]
            check("no finding, %s" % way, run.returncode == 0, errors)
            check("memory is flat, %s" % way, few and more and more - few < GROWTH, (few, more))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
