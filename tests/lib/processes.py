"""Processes below a process, and whether they still run."""
import os
import time

from built import PATIENCE


def wait_until(what):
    """Whether WHAT() becomes true in time."""
    until = time.monotonic() + PATIENCE
    while not what() and time.monotonic() < until:
        time.sleep(0.01)
    return what()


def _file(process, name):
    """The text of /proc/PROCESS/NAME, empty if the process has ended."""
    try:
        with open("/proc/%d/%s" % (process, name), encoding="utf-8") as f:
            return f.read()
    except OSError:
        return ""


def children(process):
    return [int(word) for word in _file(process, "task/%d/children" % process).split()]


def descendants(process):
    return [found for child in children(process) for found in [child] + descendants(child)]


def command(process):
    """The words of its command line, each followed by a null character."""
    return _file(process, "cmdline")


def is_running(process):
    """A process that has ended may remain as a zombie until its parent waits for it."""
    stat = _file(process, "stat")
    return stat != "" and stat.rsplit(")", 1)[1].split()[0] not in "ZX"


def program_name(process):
    """The first 15 characters of the program's name."""
    return _file(process, "comm").rstrip("\n")


def cpu_seconds(process):
    words = _file(process, "stat").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK") if words else 0
