"""Runs a test program and waits for every process that it started, as soon as each ends: measured.py LOG COMMAND...

Writes to LOG what the program prints, then its exit code, the wall time and the CPU time of all these processes, in
milliseconds: "exit N", "ms N", "cpu N".  A process that outlives the program by a minute is killed and named."""
import ctypes
import os
import resource
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
PATIENCE = 60  # seconds


def orphans():
    """Orphaned processes: their parents ended, so they became children of this one."""
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(pid) for pid in file.read().split()]


def name_of(pid):
    with open(f"/proc/{pid}/comm") as file:
        return file.read().strip()


class Overdue(Exception):
    pass


def overdue(number, frame):
    raise Overdue


def kill_orphans(log):
    for pid in orphans():
        log.write(f"\nleft: {name_of(pid)}\n")
        os.kill(pid, signal.SIGKILL)


def wait_for_program(program):
    """The exit code of PROGRAM; orphans that end before it are reaped at once, so that none remains a zombie."""
    while True:
        pid, status = os.wait()
        if pid == program.pid:
            program.returncode = os.waitstatus_to_exitcode(status)
            return program.returncode


def wait_for_all(log):
    signal.signal(signal.SIGALRM, overdue)
    signal.alarm(PATIENCE)
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return
        except Overdue:
            kill_orphans(log)


def main():
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        sys.exit("no sub-reaper")
    with open(sys.argv[1], "w") as log:
        start = time.monotonic()
        code = wait_for_program(subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT))
        log.seek(0, os.SEEK_END)
        wait_for_all(log)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        log.write(f"\nexit {code}\nms {(time.monotonic() - start) * 1000:.0f}\ncpu {(used.ru_utime + used.ru_stime) * 1000:.0f}\n")


main()
