#!/usr/bin/env python3
"""Instrumented launches, the quick part of slow_instrumented.py: which launches are instrumented, and the effects of
a queue that is created later."""
import glob
import os
import shlex
import subprocess
import sys

import test_host
from slow_instrumented import differences, report
from test_races import directives, here, refcl

number = failed = 0


def check(ok, name, why=""):
    global number, failed
    number += 1
    failed += not ok
    print("%s %d - %s" % ("ok" if ok else "not ok", number, name))
    if not ok:
        print("#", why)


def launches(name, run, completed, engine="jit"):
    output = os.path.join(test_host.folder, "test_instrumented.json")
    command = [refcl, "kernel", "--quiet", "--json", output, *run.split(), os.path.join(here, name)]
    expected, _ = report(command, output, "interp", {})
    found, was_completed = report(command, output, engine, {})
    check(differences(expected, found, False) is None, "%s: the same report" % name, differences(expected, found, False))
    check(completed == was_completed, "%s, %s: is%s instrumented" % (name, engine, "" if completed else " not"))


def printed(command, engine):
    environment = dict(os.environ, REFCL_ENGINE=engine)
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment).stdout


def kernels(path):
    """Kernels whose subscripts seem bounded, or exclusive to a work-item; or their final memory."""
    name, wanted = os.path.basename(path), directives(path)
    output = os.path.join(test_host.folder, "test_instrumented.json")
    command = [refcl, "kernel", "--quiet", "--json", output, *shlex.split(wanted["run"]), path]
    expected, _ = report(command, output, "interp", {})
    found, _ = report(command, output, "jit", {})
    kinds = [f["kind"] for f in expected["findings"]] or ["clean"]
    kind = wanted["expect"]
    check(kind in kinds, "%s: %s" % (name, kind), expected)
    check(differences(expected, found, False) is None, "%s: the same report" % name, differences(expected, found, False))
    check(printed(command, "interp") == printed(command, "jit"), "%s: the same memory" % name)


def queues(name, engine, expected, why=""):
    program = test_host.compiled(os.path.join(here, "instrumented/host", name), {})
    output = os.path.join(test_host.folder, "test_instrumented.json")
    found, _ = report([refcl, "run", "--json", output, "--", program], output, engine, {})
    check(found["status"] == expected, "%s, %s: %s" % (name, engine, expected), found)
    if why:
        check(found["stderr"].count(why) == 1, "%s, %s: the reason once" % (name, engine), found["stderr"])


def programs(name, kinds, completed, *arguments):
    """Findings of these KINDS and the same report, including a failure of the program; WATCHED: all of its
    launches are instrumented."""
    program = test_host.compiled(os.path.join(here, "instrumented/host", name), {})
    output = os.path.join(test_host.folder, "test_instrumented.json")
    command = [refcl, "run", "--quiet", "--json", output, "--", program, *arguments]
    name = " ".join([name, *arguments])
    expected, _ = report(command, output, "interp", {})
    found, was_completed = report(command, output, "jit", {})
    check([f["kind"] for f in expected["findings"]] == kinds, "%s: %s" % (name, kinds or "clean"), expected)
    check(differences(expected, found, True) is None, "%s: the same report" % name, differences(expected, found, True))
    check(completed == was_completed, "%s: is%s instrumented" % (name, "" if completed else " not"))


def host_use(when, kinds, completed):
    """The host uses SVM WHEN it has not waited for the launch, or has: both engines have the finding."""
    program = test_host.compiled(os.path.join(here, "instrumented/host/svm_host_use.c"), {})
    output = os.path.join(test_host.folder, "test_instrumented.json")
    command = [refcl, "run", "--quiet", "--check", "race,memory,api", "--json", output, "--", program, when]
    for engine in ("interp", "jit"):
        found, was_completed = report(command, output, engine, {})
        check([f["kind"] for f in found["findings"] if f["kind"] != "leak"] == kinds, "svm_host_use.c %s, %s" % (when, engine), found)
    check(completed == was_completed, "svm_host_use.c %s: is%s instrumented" % (when, "" if completed else " not"))


def main():
    launches("kernels/reductions/reduction.cl", "-g 32 -l 16 -a buf:128:iota -a buf:8", True)
    launches("kernels/reductions/reduction_without_inner_barrier.cl", "-g 32 -l 16 -a buf:128:iota -a buf:8", False)
    launches("kernels/reductions/reduction.cl", "-g 32 -l 16 -a buf:128:iota -a buf:8", True, "auto")
    launches("kernels/bounds/disjoint_elements.cl", "-g 32 -l 16 -a buf:128", False, "auto")
    launches("instrumented/launches/group_functions.cl", "-g 72 -l 16 -a buf:72:iota -a buf:72", True)
    launches("instrumented/launches/group_functions.cl", "-g 64 -l 16 -a buf:63:iota -a buf:64", False)
    launches("instrumented/launches/sub_group_functions.cl", "-g 100 -l 40 -a buf:100:iota -a buf:100", True)
    launches("instrumented/launches/sub_group_functions.cl", "-g 64 -l 40 -a buf:63:iota -a buf:64", False)
    launches("instrumented/launches/scan_tree.cl", "-g 16 -l 16 -a buf:128:iota -a 1", True)
    launches("instrumented/strided/scaled_last_element.cl", "-g 16 -l 16 -a buf:128 -a 16", True)
    launches("instrumented/strided/scaled_parts.cl", "-g 16 -l 16 -a buf:16 -a 2", True)
    launches("instrumented/strided/columns_of_rows.cl", "-g 24,16 -l 8,8 -a buf:384:iota -a buf:384", True)
    launches("instrumented/subscripts/pointers_swapped.cl", "-g 64 -l 16 -a buf:256:iota -a buf:256:iota -a 5", True)
    queues("second_queue.c", "interp", "findings")
    queues("second_queue.c", "jit", "findings")
    queues("second_queue_large.c", "jit", "unknown", "accesses of 2 launches on an earlier queue were not recorded")
    queues("second_queue_after_finish.c", "interp", "clean")
    queues("second_queue_after_finish.c", "jit", "clean")
    programs("image_copied.c", [], True)
    programs("image_findings.c",
           ["data-race", "out-of-bounds", "out-of-bounds", "image-format", "data-race", "image-unfenced-read"], False)
    programs("image_rolled_back.c", [], False)
    programs("image_border.c", [], True)
    programs("image_kinds.c", [], True, "copy")
    programs("image_kinds.c", ["data-race"], False, "twice")
    for name in "layer", "above", "behind", "beside":
        programs("image_kinds.c", ["out-of-bounds"], False, name)
    programs("matrix_arguments.c", [], True)
    programs("matrix_arguments.c", [], True, "apart")
    programs("matrix_arguments.c", ["data-race"], False, "same")
    programs("matrix_arguments.c", ["data-race"], False, "overlapping")
    programs("matrix_arguments.c", ["data-race", "data-race"], True, "queue")
    programs("svm_followed.c", [], True)
    programs("svm_in_arguments.c", [], True)
    programs("svm_in_arguments.c", ["out-of-bounds"], False, "past")
    programs("svm_in_arguments.c", ["out-of-bounds"], False, "middle")
    programs("svm_in_arguments.c", ["data-race"], False, "changed")
    programs("svm_findings.c",
           ["data-race", "data-race", "out-of-bounds", "null-pointer", "out-of-bounds", "null-pointer"], False)
    host_use("before", ["host-access", "data-race"], False)
    host_use("again", ["host-access", "host-access", "data-race"], False)
    host_use("callback", ["host-access"], False)
    host_use("after", ["host-access"], True)
    for path in sorted(glob.glob(os.path.join(here, "instrumented/*/*.cl"))):
        kernels(path)
    print("1..%d" % number)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
