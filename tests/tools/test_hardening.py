"""Compiler and linker options against exploitation of memory errors are in every product, and no memory of a
process is writable and executable."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from built import BUILD, PATIENCE, ROOT, on_refcl
from tap import check, done, skip

PROGRAMS = ["refcl", "refcl-compiler", "refcl-litmus-run", "refcl-kernel-host"]
LIBRARIES = ["librefcl.so", "librefcl-jit.so", "librefcl-host.so", "librefcl-preload.so"]


def readelf(name, *options):
    return subprocess.run(["readelf", "-W", *options, os.path.join(BUILD, name)], stdout=subprocess.PIPE, check=True,
                          text=True).stdout


def has_source(path):
    place = os.path.splitext(os.path.relpath(path, os.path.join(BUILD, "obj")))[0]
    return any(os.path.exists(os.path.join(root, place + end)) for root in (ROOT, BUILD) for end in (".c", ".cpp"))


if shutil.which("readelf") is None:
    skip("ELF files", "no readelf")
else:
    fortified = set()
    for name in PROGRAMS + LIBRARIES:
        headers, dynamic, symbols = readelf(name, "-l", "-h"), readelf(name, "-d"), readelf(name, "--dyn-syms")
        check(f"{name}: position-independent", re.search(r"Type: +DYN", headers))
        check(f"{name}: relocations are read-only after the start (full RELRO)",
              "GNU_RELRO" in headers and re.search(r"\(FLAGS\).*BIND_NOW|\(BIND_NOW\)|FLAGS_1.*NOW", dynamic))
        check(f"{name}: code is never writable", "TEXTREL" not in dynamic and not re.search(r"LOAD.* RWE ", headers))
        check(f"{name}: the stack is not executable", re.search(r"GNU_STACK.* RW ", headers))
        check(f"{name}: has a build id", "Build ID: " in readelf(name, "-n"))
        if not os.environ.get("SANITIZER"):
            if name not in LIBRARIES[2:]:  # no function of these has an array that could overflow
                check(f"{name}: stack protector", "__stack_chk_fail" in symbols)
            if re.search(r"__\w+_chk", symbols):
                fortified.add(name)
    if os.environ.get("SANITIZER"):
        skip("checked library functions", "no sanitizer here: it checks them itself")
    else:
        check("checked library functions (_FORTIFY_SOURCE)", fortified >= set(PROGRAMS[:2] + LIBRARIES[:2]), fortified)

    # Objects of moved or removed sources stay in the folder, but are not linked.
    objects = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(BUILD, "obj")) for name in names
               if name.endswith(".o") and has_source(os.path.join(folder, name))]
    if "x86" not in os.uname().machine:
        skip("control-flow protection", "of this processor the compiler has none")
    else:
        # Static libraries of the distribution may lack the mark, and then the product lacks it.
        notes = subprocess.run(["readelf", "-W", "-n", *objects], stdout=subprocess.PIPE, check=True, text=True).stdout
        bare = [part.split("\n")[0] for part in notes.split("File: ")[1:] if not re.search(r"x86 feature:.*SHSTK", part)]
        check("every object of refcl is marked for shadow stacks", len(objects) > 200 and not bare, bare[:10])

run = subprocess.run([os.path.join(BUILD, "tests/clients/mappings")], env=on_refcl(REFCL_ENGINE="jit"), timeout=PATIENCE,
                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
lines = [line.split() for line in run.stdout.splitlines()]
check("a kernel ran in machine code", run.returncode == 0 and any("librefcl-jit" in line[-1] for line in lines), run.stdout)
check("its code is in executable memory of no file",
      any("x" in line[1] and (len(line) == 5 or line[5].startswith("/memfd")) for line in lines), run.stdout)
both = [line for line in lines if "w" in line[1] and "x" in line[1]]
check("no memory is writable and executable", not both, both)
sys.exit(done())
