#!/usr/bin/env python3
"""Seeded faults of the Vulkan back end: refcl is built with each of them, and the tests of modules and of the
mapping must fail. A fault is one change of litmus/vulkan: a dropped order, storage class, availability or
visibility, a wrong scope, a private access, a missing barrier."""
import functools
import os
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from built import BUILD, PATIENCE, ROOT  # noqa: E402
from tap import check, done  # noqa: E402

os.chdir(ROOT)
MODULES = ("tests/litmus/test_vulkan_modules.py", "plain")
POINTERS = ("tests/litmus/test_vulkan_modules.py", "pointers")
WIDE = ("tests/litmus/test_vulkan_modules.py", "wide")
MAPPING = ("tests/litmus/test_vulkan_mapping.py",)
# fault | file of litmus/vulkan | replaced text | replacement | the test that must fail
FAULTS = [
    ("acquire is relaxed", "statement.c", "order == MM_ACQUIRE   ? SEM_ACQUIRE", "order == MM_ACQUIRE   ? 0u", MODULES),
    ("release is acquire", "statement.c", "order == MM_RELEASE ? SEM_RELEASE", "order == MM_RELEASE ? SEM_ACQUIRE", MODULES),
    ("no class in the semantics", "statement.c", "mask |= classes[c];", "mask |= 0;", MODULES),
    ("no availability", "statement.c", "mask |= SEM_MAKE_AVAILABLE;", "mask |= 0;", MODULES),
    ("no visibility", "statement.c", "mask |= SEM_MAKE_VISIBLE;", "mask |= 0;", MODULES),
    ("device scope is the queue family's", "statement.c", "return lt_vk_uint(m, 1);\n    }", "return lt_vk_uint(m, 5);\n    }", MODULES),
    ("work-group scope is the sub-group's", "statement.c", "return lt_vk_uint(m, 2);", "return lt_vk_uint(m, 3);", MODULES),
    ("non-private accesses are private", "statement.c", 'non_private ? "NonPrivatePointer" : ""', 'non_private ? "" : ""', MODULES),
    ("a load that makes visible does not", "statement.c", "operands_of(m, i, i->attributes & MM_MAKE_VISIBLE,", "operands_of(m, i, false,", MODULES),
    ("texels are private", "statement.c", '" %s|NonPrivateTexel %%%u", operation', '" None", operation', MODULES),
    ("a barrier of memory is missing", "statement.c", 'lt_vk_do(m, "OpMemoryBarrier %%%u %%%u", scope_of(m, i->scope),\n'
     "                 semantics_of(m, i->order, i->semantics));", "", MODULES),
    ("accesses behind addresses are private", "module.c", 'aligned && *mask ? "|" : "", mask,', '"", "",', POINTERS),
    ("accesses ask for no alignment", "module.c", 'aligned ? "Aligned" : ""', '"None"', POINTERS),
    ("64-bit locations are accessed as 32-bit ones", "widen.c", "thread->instrs[i].size *= 2;", "thread->instrs[i].size *= 1;", WIDE),
    ("all work-groups are in one queue family", "translate.c", "LT_MAPPING_FAMILIES ? group % 2 : 0", "LT_MAPPING_FAMILIES ? 0 : 0", MAPPING),
    ("the translation makes nothing available", "translate.c", 'order != MM_ACQUIRE ? ".semav" : ""', '""', MAPPING),
    ("the translation makes nothing visible", "translate.c", 'order != MM_RELEASE ? ".semvis" : ""', '""', MAPPING),
    ("the translation names no class", "translate.c", 'classes & 1 ? ".semsc0" : ""', '""', MAPPING),
    ("the translation has the work-group's scope for the device's", "translate.c", 'return ".dv";', 'return ".wg";', MAPPING),
    ("the translation drops fences", "translate.c", 'row(t, "membar%s%s%s", order_tag(order)', 'row(t, "", order_tag(order)', MAPPING),
]


@functools.lru_cache(maxsize=None)
def commands(file):
    """The commands that compile FILE and that link refcl."""
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    run = subprocess.run(["make", "-n", "-W", file, f"BUILD={os.path.relpath(BUILD)}", os.path.relpath(BUILD) + "/refcl"],
                         env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True)
    lines = [shlex.split(line) for line in run.stdout.replace("\\\n", " ").splitlines()]
    compile_line = next(line for line in lines if file in line and "-c" in line)
    link = next(line for line in lines if "-o" in line and line[line.index("-o") + 1].endswith("/refcl"))
    return compile_line, link


def output(command, path):
    at = command.index("-o") + 1
    return command[:at] + [path] + command[at + 1:]


def build(folder, file, old, new):
    """refcl with the fault."""
    with open(file, encoding="utf-8") as f:
        text = f.read()
    assert text.count(old) == 1, f"{file}: '{old}' occurs {text.count(old)} times"
    faulty, unit, refcl = (f"{folder}/{name}" for name in ("fault.c", "fault.o", "bin/refcl"))
    with open(faulty, "w", encoding="utf-8") as f:
        f.write(text.replace(old, new))
    compile_line, link = commands(file)
    compile_line = [faulty if word == file else word for word in output(compile_line, unit)]
    subprocess.run(compile_line + ["-w"], check=True)
    link = output(link, refcl)
    first = next(n for n, word in enumerate(link) if word.endswith(".o"))
    subprocess.run(link[:first] + [unit] + link[first:], check=True)
    return refcl


def failed_checks(test, refcl):
    run = subprocess.run([sys.executable, *test], env=dict(os.environ, REFCL=refcl), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         timeout=PATIENCE, check=False, text=True)
    return run.returncode, [line for line in run.stdout.splitlines() if line.startswith("not ok")], run.stdout[-2000:]


with tempfile.TemporaryDirectory() as tmp:
    os.mkdir(f"{tmp}/bin")  # refcl finds the models beside its folder
    os.symlink(os.path.join(ROOT, "memmodel"), f"{tmp}/memmodel")
    for judge in (MODULES, POINTERS, WIDE, MAPPING):
        code, failed, shown = failed_checks(judge, os.path.join(BUILD, "refcl"))
        check(f"{' '.join(judge)} passes without a fault", code == 0, shown)
    for fault, source, old, new, judge in FAULTS:
        code, failed, shown = failed_checks(judge, build(tmp, f"litmus/vulkan/{source}", old, new))
        check(f"{fault}: {os.path.basename(judge[0])} fails", code == 1 and failed, shown)
sys.exit(done())
