"""A privileged program (set-user-id, set-group-id, file capabilities) honors no variable of its caller."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from built import BUILD, PATIENCE
from privileged import NOBODY, ways
from tap import check, done, skip

NAME = "a program with more rights"
if os.environ.get("SANITIZER"):
    print("1..0 # SKIP no sanitizer here: their runtimes are preloaded")
    sys.exit(0)

folder = tempfile.mkdtemp()
os.chmod(folder, 0o755)
try:
    for name in ("librefcl.so", "librefcl-jit.so"):
        shutil.copy(os.path.join(BUILD, name), folder)
    shutil.copy(os.path.join(BUILD, "refcl-compiler"), os.path.join(folder, "real-compiler"))
    out = os.path.join(folder, "out")
    os.mkdir(out)
    os.chmod(out, 0o1777)

    def script(name, mark, last):
        path = os.path.join(folder, name)
        with open(path, "w") as f:
            f.write(f"#!/bin/sh\nenv >{out}/{mark}\n{last}\n")
        os.chmod(path, 0o755)
        return path

    script("refcl-compiler", "environment", f"exec {folder}/real-compiler")
    theirs = script("their-compiler", "compiler", f"exec {folder}/real-compiler")
    plain, privileged = os.path.join(folder, "plain"), os.path.join(folder, "privileged")
    for path in (plain, privileged):
        shutil.copy(os.path.join(BUILD, "tests/clients/privileged"), path)
        os.chmod(path, 0o755)
    variables = {
        "REFCL_PLATFORM_NAME": "theirs", "REFCL_COMPILER": theirs, "REFCL_TRACE": f"{out}/trace",
        "REFCL_CACHE_DIR": f"{out}/cache", "REFCL_CAPTURE": f"{out}/capture", "XDG_CACHE_HOME": f"{out}/xdg",
        "HOME": f"{out}/home", "PATH": os.environ["PATH"], "REFCL_QUIET": "1",
    }

    def run(program, **caller):
        """Its output, and the names of the files that it created."""
        for name in os.listdir(out):
            path = os.path.join(out, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        done = subprocess.run([program, os.path.join(folder, "librefcl.so")], env=variables, text=True, timeout=PATIENCE,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **caller)
        return done.stdout, sorted(os.listdir(out))

    def honors(name, **caller):
        printed, files = run(plain, **caller)
        check(f"{name} runs", "AT_SECURE 0" in printed and "result 42" in printed, printed)
        check(f"{name} honors the variables", "platform theirs" in printed and {"trace", "compiler", "cache"} <= set(files),
              f"{printed} {files}")

    honors("a program without more rights")
    if os.geteuid() != 0:
        skip(NAME, "no root: makes one of another user")
    elif os.statvfs(folder).f_flag & os.ST_NOSUID:
        skip(NAME, f"{folder} is on a file system without set-user-id programs")
    else:
        honors("one of another user", user=NOBODY, group=NOBODY, extra_groups=[])
        for way, caller in ways(privileged):
            printed, files = run(privileged, **caller)
            check(f"{way}: the program runs", "AT_SECURE 1" in printed and "result 42" in printed, printed)
            check(f"{way}: takes no name from a variable", "platform theirs" not in printed, printed)
            check(f"{way}: writes no file and runs no program that a variable names", files == ["environment"], files)
            path = os.path.join(out, "environment")
            given = open(path).read() if os.path.exists(path) else "none was started"
            check(f"{way}: hands no variable on to the compiler",
                  "REFCL_" not in given and "HOME=" not in given and "none was" not in given, given)
finally:
    shutil.rmtree(folder)
sys.exit(done())
