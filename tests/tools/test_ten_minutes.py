#!/usr/bin/env python3
"""The reports in tools/docs/ten-minutes.md are the output of its commands.  REFCL_UPDATE=1 writes them:
review the change."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import PATIENCE, REFCL, ROOT
from tap import check

PAGE = os.path.join(ROOT, "tools/docs/ten-minutes.md")
BLOCK = re.compile(r"(?<=^```\n)((?:\$ .*\n)+)((?:(?!```).*\n)*)(?=```$)", re.M)
# Words that a report of each bug has to contain, independently of the page.
BUGS = {"sum.cl": "barrier(CLK_LOCAL_MEM_FENCE) before line", "histogram.cl": "data race on argument 'bins'", "message.cl": "memory_order_release",
        "blur.cl": "at offset 64 of global object buffer 1 of 64 bytes", "two_queues": "into the wait list of command"}


def run(commands, folder):
    """What the commands print; times, the folder and the model's hash differ, so they are left out."""
    lines = []
    if not os.path.exists(os.path.join(folder, "refcl")):
        os.symlink(REFCL, os.path.join(folder, "refcl"))
    for command in commands.splitlines():
        done = subprocess.run(command[2:], shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE,
                              env=dict(os.environ, PATH=folder + ":" + os.environ["PATH"]))
        lines.append(re.sub(r", \d+\.\d ms\)", ")", re.sub(r"(?m)^model: .*\n", "", done.stdout.replace(os.path.realpath(folder) + "/", ""))))
    return "".join(lines)


def main():
    with open(PAGE, encoding="utf-8") as f:
        text = f.read()
    with tempfile.TemporaryDirectory(prefix="refcl-test.") as folder:
        for name in os.listdir(os.path.join(ROOT, "tools/examples/bugs")):
            shutil.copy(os.path.join(ROOT, "tools/examples/bugs", name), folder)
        blocks = BLOCK.findall(text)
        check("the page has commands", len(blocks) == 7, len(blocks))
        printed = [(commands, run(commands, folder)) for commands, _ in blocks]
    if os.environ.get("REFCL_UPDATE"):
        outputs = iter(printed)
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(BLOCK.sub(lambda m: "".join(next(outputs)), text))
    for (commands, wanted), (_, got) in zip(blocks, printed):
        check(commands.splitlines()[-1], got == wanted, "wanted\n%s\ngot\n%s" % (wanted, got))
    for name, words in BUGS.items():
        check("%s is found" % name, any(name in commands and words in got for commands, got in printed), words)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
