#!/usr/bin/env python3
"""A program that is killed right after it has waited for its commands: the report contains their races.  A
refcl that is killed: its launch stops."""
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
sys.path.insert(0, here)
import tap
from tap import check
from built import PATIENCE, REFCL as refcl
from processes import descendants, is_running, program_name, wait_until

SOURCE = """#include "host.h"
#include <signal.h>
int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    launch(q, k, N, NULL);
    launch(q, k, N, NULL);
    OK(clFinish(q));
    raise(SIGKILL);
}
"""


ENDLESS = """__kernel void k(__global int *a)
{
    for (volatile int i = 1; i; i |= 1)
        ;
}
"""


def runs(process, program):
    return program_name(process) == program[:15] and is_running(process)


def is_host(process):
    return runs(process, "refcl-kernel-host")


def kill_refcl(folder, engine):
    source = os.path.join(folder, "endless.cl")
    with open(source, "w") as f:
        f.write(ENDLESS)
    run = subprocess.Popen([refcl, "kernel", "-g", "1", "-l", "1", "--arg", "buf:4:zero", source],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, REFCL_ENGINE=engine))
    hosts = []
    wait_until(lambda: hosts.extend(filter(is_host, descendants(run.pid))) or hosts)
    started = bool(hosts)
    run.kill()
    run.wait()
    wait_until(lambda: not any(map(is_host, hosts)))
    check("a refcl that is killed leaves no launch behind, %s" % engine, started and not any(map(is_host, hosts)))


def kill_above_others():
    """Child processes, one in a separate session, and a grandchild end with refcl's supervisor."""
    words = "sleep 1000 & setsid sleep 1000 & (sleep 1000; true) & wait"
    run = subprocess.Popen([refcl, "run", "--", "sh", "-c", words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = []

    def all_sleep():
        found[:] = [d for d in descendants(run.pid) if runs(d, "sleep")]
        return len(found) == 3

    wait_until(all_sleep)
    supervisors = [d for d in descendants(run.pid) if runs(d, "refcl")]
    started = len(found) == 3 and len(supervisors) == 1
    run.kill()
    run.wait()
    wait_until(lambda: not any(runs(s, "refcl") for s in supervisors))
    left = [d for d in found if runs(d, "sleep")]
    check("a refcl that is killed leaves no descendant of its program behind", started and not left, (found, supervisors, left))
    for process in left:
        os.kill(process, 9)


def main():
    with tempfile.TemporaryDirectory() as folder:
        program, out = os.path.join(folder, "killed"), os.path.join(folder, "out.json")
        subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", "-I" + os.path.join(here, "host"), "-x",
                        "c", "-", "-o", program, "-lOpenCL"], input=SOURCE.encode(), check=True)
        run = subprocess.run([refcl, "run", "--json", out, "--", program], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, timeout=PATIENCE)
        with open(out) as f:
            kinds = [x["kind"] for x in json.load(f)["findings"]]
        check("the race of the finished commands is reported", run.returncode == 1 and kinds == ["data-race"],
              run.stderr.decode())
        check("and that the program was killed", b"signal 9" in run.stderr, run.stderr.decode())
        for engine in "interp", "jit":
            kill_refcl(folder, engine)
        kill_above_others()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
