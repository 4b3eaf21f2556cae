#!/usr/bin/python3
"""Results of tests/lib/totals.py for logs: each deviation from TAP, and each skip that is not permitted, is a
failure."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from built import ROOT  # noqa: E402
from tap import check, done  # noqa: E402

SKIPS = "60 | by itself | true\n10 | no sanitizer here | false\n2 | held wrong | true\n"
CASES = [  # name, log without its end, exit code, closing line, words of the report
    ("all is well", "1..2\nok 1 - a\nok 2 - b", 0, "2 passed, 0 failed, 0 skipped", ""),
    ("the plan may be the last line", "ok 1 - a\nok 2 - b\n1..2", 0, "2 passed, 0 failed, 0 skipped", ""),
    ("a failed check", "1..2\nok 1 - a\nnot ok 2 - b", 1, "1 passed, 1 failed, 0 skipped", "not ok 2 - b"),
    ("no plan", "ok 1 - a", 0, "1 passed, 1 failed, 0 skipped", "0 plans"),
    ("two plans", "1..1\nok 1 - a\n1..1", 0, "1 passed, 1 failed, 0 skipped", "2 plans"),
    ("fewer results than planned", "1..3\nok 1 - a\nok 2 - b", 0, "2 passed, 1 failed, 0 skipped", "the plan is 1..3, the 2 results"),
    ("more results than planned", "1..1\nok 1 - a\nok 2 - b", 0, "2 passed, 1 failed, 0 skipped", "the plan is 1..1, the 2 results"),
    ("a number twice", "1..2\nok 1 - a\nok 1 - a", 0, "2 passed, 1 failed, 0 skipped", "numbered otherwise"),
    ("a result in the middle of a line", "1..2\nok 1 - a\nnoise ok 2 - b", 0, "1 passed, 1 failed, 0 skipped", "the plan is 1..2"),
    ("an exit code", "1..1\nok 1 - a", 139, "1 passed, 1 failed, 0 skipped", "exit code 139"),
    ("out of time", "1..1\nok 1 - a", 124, "1 passed, 1 failed, 0 skipped", "out of time"),
    ("nothing", "", 0, "0 passed, 2 failed, 0 skipped", "no results"),
    ("an empty plan", "1..0", 0, "0 passed, 1 failed, 0 skipped", "no results"),
    ("a process that is left", "1..1\nok 1 - a\nleft: child", 0, "1 passed, 1 failed, 0 skipped", "child outlives it"),
    ("a permitted skip", "1..2\nok 1 - a\nok 2 - b # SKIP by itself: it says", 0, "1 passed, 0 failed, 1 skipped", "1 of at most 60"),
    ("a permitted skip by cmocka", "1..2\nok 1 - a\n# skipped: by itself\nnot ok 2 # SKIP b", 0, "1 passed, 0 failed, 1 skipped", ""),
    ("a permitted skip by cmocka 1.1.7", "1..2\nok 1 - a\n# skipped: by itself\nok 2 # SKIP b", 0, "1 passed, 0 failed, 1 skipped", ""),
    ("a permitted skip of everything", "1..0 # SKIP by itself", 0, "0 passed, 0 failed, 1 skipped", ""),
    ("an unknown reason", "1..2\nok 1 - a\nok 2 - b # SKIP I like not", 0, "1 passed, 1 failed, 1 skipped", "does not list: 'I like not'"),
    ("no reason", "1..2\nok 1 - a\nnot ok 2 # SKIP b", 0, "1 passed, 1 failed, 1 skipped", "does not list: ''"),
    ("the reason of another skip", "1..2\n# skipped: by itself\nnot ok 1 # SKIP a\nnot ok 2 # SKIP b", 0, "0 passed, 1 failed, 2 skipped",
     "does not list: ''"),
    ("a reason that does not hold", "1..2\nok 1 - a\nok 2 - b # SKIP no sanitizer here", 0, "1 passed, 1 failed, 1 skipped",
     "does not hold here: no sanitizer here"),
    ("too many skips", "1..3\nok 1 - a # SKIP held wrong\nok 2 - b # SKIP held wrong: x\nok 3 - c # SKIP held wrong: y", 0,
     "0 passed, 1 failed, 3 skipped", "3 skips, at most 2 permitted: held wrong"),
]


def totals(log, code, test="build/tests/a/test_b"):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, test.replace("/", "_").replace(":", "_") + ".log"), "w") as file:
            file.write(f"{log}\n\nexit {code}\nms 5\ncpu 4\n")
        skips = os.path.join(folder, "skips.txt")
        with open(skips, "w") as file:
            file.write(SKIPS)
        return subprocess.run(["/usr/bin/python3", os.path.join(ROOT, "tests/lib/totals.py"), "--skips", skips, folder, test],
                              stdout=subprocess.PIPE, text=True)


for name, log, code, closing, words in CASES:
    run = totals(log, code)
    failed = "0 failed" not in closing
    check(name, run.stdout.rstrip("\n").split("\n")[-1] == closing and words in run.stdout and run.returncode == failed, run.stdout)
run = totals("1..1\nok 1 - a", 0, "jit:build/tests/a/test_b")
check("nothing compiled", "no launch is compiled" in run.stdout and "jit:a" in run.stdout and run.returncode == 1, run.stdout)

# The grandchild ends before its grandparent: measured.py, its new parent, reaps it at once.
PROGRAM = """( sleep 0.1 & )
sleep 1
ps --ppid $(ps -o ppid= -p $$) -o stat= | grep -c Z
exit 7"""
with tempfile.TemporaryDirectory() as folder:
    name = os.path.join(folder, "log")
    subprocess.run(["/usr/bin/python3", os.path.join(ROOT, "tests/lib/measured.py"), name, "env", "-u", "LD_PRELOAD", "sh", "-c",
                    PROGRAM], check=True)  # ps does not work with a sanitizer
    with open(name) as file:
        log = file.read()
    check("an orphan that ends is no zombie, and the exit code is the program's", log.startswith("0\n\nexit 7\n"), log)
sys.exit(done())
