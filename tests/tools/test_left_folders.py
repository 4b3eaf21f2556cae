#!/usr/bin/env python3
"""Temporary folders of a killed command are removed by the next one; those of a running one, of other users,
and files with similar names remain."""
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import REFCL


def start(base):
    """refcl run of a program that reports that it runs, and then waits for its input to end."""
    child = subprocess.Popen([REFCL, "run", "--", "sh", "-c", "echo running; read line"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, env=dict(os.environ, TMPDIR=base), text=True)
    child.stdout.readline()
    return child


def folders(base):
    return {name for name in os.listdir(base) if name.startswith("refcl-")}


def end(child):
    child.stdin.close()
    child.wait()


def main():
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="rf") as base:
        others = {"refcl-others", "refcl-abcdef", "refcl-file00", "refcl-link00"}
        for name in ("refcl-others", "refcl-abcdef", "elsewhere"):
            os.mkdir(os.path.join(base, name))
        with open(os.path.join(base, "elsewhere/.owner"), "w", encoding="utf-8"):
            pass
        with open(os.path.join(base, "refcl-file00"), "w", encoding="utf-8"):
            pass
        os.symlink(os.path.join(base, "elsewhere"), os.path.join(base, "refcl-link00"))
        killed, live = start(base), start(base)
        both = folders(base) - others
        tap.check("each command has a folder", len(both) == 2, both)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        tap.check("of a killed one it stays", folders(base) - others == both, folders(base))
        killed.stdin.close()  # the child program ends, which is the last process that holds the folder
        killed.stdout.read()
        third = start(base)
        now = folders(base) - others
        tap.check("until the next one starts", len(now) == 2 and len(now & both) == 1, (both, now))
        end(third)
        tap.check("which removes its own folder", folders(base) - others == now & both, folders(base))
        end(live)
        tap.check("a running one's remains as long as it runs", folders(base) == others, folders(base))
        kept = os.path.exists(os.path.join(base, "elsewhere/.owner"))
        tap.check("unlocked folders remain, so do files and links", kept and folders(base) == others, folders(base))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
