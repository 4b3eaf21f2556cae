#!/usr/bin/env python3
"""Progress of a session: a line while it takes long, and a summary, only on a terminal."""
import os
import pty
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import REFCL as refcl
from tap import check


KERNEL = """kernel void slow(global uint *x)
{
    for (uint i = 0; i < N; i++)
        x[get_global_id(0)] = x[get_global_id(0)] * 5 + i;
}
"""


def on_terminal(command, engine="interp"):
    master, slave = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=slave, env=dict(os.environ, REFCL_ENGINE=engine))
    os.close(slave)
    text = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:
            break
        if not part:
            break
        text += part
    process.wait()
    os.close(master)
    return text.decode()


def at_once(command):
    """Output of a run that takes less time than the display's delay; None: the machine is too busy for
    one."""
    for _ in range(30):
        begin = time.monotonic()
        text = on_terminal(command)
        if time.monotonic() - begin < 2:
            return text
    return None


def takes_long(command, path, engine, pattern):
    """Runs the kernel with more and more iterations, until the display shows PATTERN, or never does; returns
    whether, and the output."""
    iterations = 1 << 18
    while True:
        with open(path, "w") as f:
            f.write(KERNEL.replace("N", str(iterations)))
        text = on_terminal(command + [path], engine)
        if re.search(pattern, text) or iterations > 1 << 30:
            return re.search(pattern, text), text
        iterations *= 4


def main():
    with tempfile.TemporaryDirectory() as folder:
        short = os.path.join(folder, "short.cl")
        with open(short, "w") as f:
            f.write(KERNEL.replace("N", "4"))
        command = [refcl, "kernel", "-g", "64", "-l", "4", "-a", "buf:64"]
        text = at_once(command + [short])
        if text is None:
            tap.skip("what is over at once shows none", "nothing is over at once here")
        else:
            check("what is over at once shows none", "launch" not in text, text)
        shown, text = takes_long(command, os.path.join(folder, "long.cl"), "interp",
                                 r"launch 1, slow: work-group \d+ of 16, .* events/s")
        check("what takes long shows where it is", shown, text)
        check("and says at the end what there was", any(line.startswith("refcl: 1 launches, ") for line in text.replace("\r", "\n").split("\n")), text)
        shown, text = takes_long(command + ["--step-limit", "0"], os.path.join(folder, "long.cl"), "jit",
                                 r"launch 1, slow: work-group \d+ of 16, nothing to record for \d+ s")
        check("compiled code records nothing, and displays its position", shown, text)
        run = subprocess.run(command + ["-q", short], stderr=subprocess.PIPE)
        check("quiet", run.stderr == b"", run.stderr)
        run = subprocess.run(command + [short], stderr=subprocess.PIPE)
        check("a file gets none", b"launch" not in run.stderr, run.stderr)
        run = subprocess.run(command + [short], stderr=subprocess.PIPE, env=dict(os.environ, REFCL_PROGRESS="1"))
        check("REFCL_PROGRESS=1 asks for the summary", b"refcl: 1 launches, " in run.stderr, run.stderr)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
