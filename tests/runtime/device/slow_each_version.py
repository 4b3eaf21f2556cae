#!/usr/bin/env python3
"""The API, language and extension tests under each REFCL_VERSION before the newest, which all other runs use.
A case that needs a later version is in LATER, with that version and the reason: it has to pass from that
version on, and to fail before.  A sample has the tests with such cases under that version and the one before.
Under 2.x, which has no OpenCL C 3.0, programs are built as OpenCL C 2.0 (older_c.c)."""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../lib"))
from built import BUILD, JOBS, PATIENCE, ROOT, on_refcl
from sample import is_chosen, print_left_out

VERSIONS = ("2.0", "2.1", "2.2", "3.0")

LATER = {
    ("test_buffers", "creation"): ("3.0", "CL_MEM_PROPERTIES"),
    ("test_device_queue", "queues"): ("2.1", "CL_QUEUE_DEVICE_DEFAULT"),
    ("test_image_kernels", "samplers"): ("3.0", "CL_SAMPLER_PROPERTIES"),
    ("test_other_calls", "images"): ("3.0", "CL_MEM_PROPERTIES"),
    ("test_program", "test_own_kernels"): ("2.2", "CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT"),
    ("test_program", "test_queries"): ("2.2", "CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT"),
    ("test_object_queries", "queues"): ("3.0", "CL_QUEUE_PROPERTIES_ARRAY"),
    ("test_object_queries", "buffers"): ("3.0", "CL_MEM_PROPERTIES"),
    ("test_object_queries", "pipes"): ("3.0", "CL_PIPE_PROPERTIES"),
    ("test_object_queries", "samplers"): ("3.0", "CL_SAMPLER_PROPERTIES"),
    ("test_object_queries", "programs"): ("2.2", "CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT"),
    ("test_command_types", "shared_memory_moves"): ("3.0", "CL_COMMAND_SVM_MIGRATE_MEM"),
    ("test_queues", "hints"): ("3.0", "CL_QUEUE_PROPERTIES_ARRAY"),
    ("test_queues", "queue_creation"): ("3.0", "CL_QUEUE_PROPERTIES_ARRAY"),
    ("test_device_address", "GROUP SETUP"): ("3.0", "cl_ext_buffer_device_address depends on it"),
    ("test_image_requirements", "GROUP SETUP"): ("3.0", "cl_ext_image_requirements_info depends on it"),
    ("test_external_memory", "memory"): ("3.0", "cl_khr_external_memory depends on it"),
    ("test_external_memory", "several_imports"): ("3.0", "cl_khr_external_memory depends on it"),
    ("test_external_memory", "images"): ("3.0", "cl_khr_external_memory depends on it"),
    ("test_external_memory", "memory_queries"): ("3.0", "cl_khr_external_memory depends on it"),
    ("test_external_memory", "memory_errors"): ("3.0", "cl_khr_external_memory depends on it"),
    ("test_external_memory", "some_devices"): ("3.0", "cl_khr_external_memory depends on it"),
    ("test_external_memory", "not_acquired"): ("3.0", "cl_khr_external_memory depends on it"),
    ("test_external_semaphores", "another_process"): ("3.0", "shares memory by cl_khr_external_memory"),
    ("test_external_semaphores", "forked_before_commands"): ("3.0", "shares memory by cl_khr_external_memory"),
    ("test_external_semaphores", "forked_before_command_buffer"): ("3.0", "shares memory by cl_khr_external_memory"),
    ("test_extension_resources", "lost"): ("3.0", "imports memory by cl_khr_external_memory"),
    ("test_extensions", "cl_khr_integer_dot_product"): ("3.0", "its functions need a feature macro of OpenCL C 3.0"),
    ("test_device_queries", "capabilities_imply_others"): ("3.0", "queries of 3.0"),
    ("test_device_queries", "features_name_capabilities"): ("3.0", "CL_DEVICE_OPENCL_C_FEATURES"),
    ("test_device_queries", "all_answer"): ("3.0", "queries of 3.0"),
    ("test_device_queries", "c_versions"): ("3.1", "names OpenCL C 3.1"),
    ("test_icd", "addresses"): ("3.1", "clGetKernelSuggestedLocalWorkSize is of the core since then"),
    ("test_icd", "core_name"): ("3.1", "clGetKernelSuggestedLocalWorkSize is of the core since then"),
    ("test_image_errors", "command_errors"): ("3.1", "clSetKernelArg has CL_INVALID_CONTEXT since then"),
    ("test_kernel_object", "test_arguments"): ("3.1", "local arguments of size 0, CL_INVALID_CONTEXT"),
    ("test_kernel_object", "test_work_group_queries"): ("3.0", "CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE"),
    ("test_kernel_object", "test_sub_group_queries"): ("2.1", "CL_DEVICE_MAX_NUM_SUB_GROUPS"),
    ("test_kernels", "launch_errors"): ("2.1", "a global size of 0 is an error before"),
    ("test_platform", "platforms"): ("3.1", "the version in the platform's name"),
    ("test_platform", "features_agree"): ("3.0", "CL_DEVICE_OPENCL_C_FEATURES"),
    ("test_platform", "minima"): ("3.0", "queries of 3.0"),
    ("test_platform", "optional_features"): ("3.0", "queries of 3.0"),
    ("test_clock", "interp: tests ran"): ("3.0", "its functions need a feature macro of OpenCL C 3.0"),
    ("test_clock", "jit: tests ran"): ("3.0", "its functions need a feature macro of OpenCL C 3.0"),
    ("test_float_atomics", "interp: tests ran"): ("3.0", "its functions need a feature macro of OpenCL C 3.0"),
    ("test_float_atomics", "jit: tests ran"): ("3.0", "its functions need a feature macro of OpenCL C 3.0"),
    ("test_names", "integers are declared"): ("3.0", "dot products need a feature macro of OpenCL C 3.0"),
    ("test_names", "limits and constants are declared"): ("3.0", "memory_scope_all_devices is of OpenCL C 3.0"),
    ("test_without_images", "features"): ("3.0", "CL_DEVICE_OPENCL_C_FEATURES"),
}
# Not run under other versions: test_versions sets them itself, the others inject faults or damage modules at
# random.
NOT_HERE = {"test_versions", "test_resources", "test_il_mutation", "test_error_conditions"}
SCRIPTS = ["kernels/test_" + name for name in ("atomics", "clock", "float_atomics", "sub_groups", "work_items", "images")] + \
    ["runtime/program/test_" + name for name in ("names", "no_wrap", "linkonce", "debug_info")]


def is_limit(version, test):
    """Whether a case of TEST passes from VERSION or from the next one on."""
    versions = VERSIONS[VERSIONS.index(version):][:2] + ("3.1",) * (version == VERSIONS[-1])
    return any(name == test and since in versions for (name, _), (since, _) in LATER.items())


def programs():
    """Name and command of each test."""
    for path in sorted(glob.glob(os.path.join(here, "../*/test_*.c"))):
        name = os.path.basename(path)[:-2]
        if name not in NOT_HERE:
            yield name, [os.path.join(BUILD, os.path.relpath(path, ROOT)[:-2])]
    for name in SCRIPTS:
        yield os.path.basename(name), ["/usr/bin/python3", os.path.join(ROOT, "tests", name + ".py")]


def run(version, name, command, preload):
    """The number of passed cases, and the names of failed ones; a run without results fails as "no
    results"."""
    environment = on_refcl(REFCL_VERSION=version, CMOCKA_MESSAGE_OUTPUT="tap")
    environment.pop("REFCL_ENGINE", None)
    if version < "3.0":
        environment["LD_PRELOAD"] = " ".join(filter(None, [environment.get("LD_PRELOAD"), preload]))
    done = subprocess.run(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          timeout=PATIENCE)
    text = done.stdout.decode("utf-8", "replace")
    failed = set(re.findall(r"\bnot ok \d+ - (?:.*\[  FAILED  \] )?(.*)", text))
    failed.discard("GROUP TEARDOWN")
    passed = len(re.findall(r"^ok \d+", text, re.M))
    if passed == 0 and not failed or (done.returncode != 0) != bool(failed):
        failed.add("no results (exit %d)" % done.returncode)
    return passed, failed


def main():
    preload = os.path.join(BUILD, "tests/runtime/device/older_c.so")
    known, with_later = {name for name, _ in programs()}, {test for test, _ in LATER}
    rows = [(version, name, command) for version in VERSIONS for name, command in programs()
            if is_chosen("%s %s" % (version, name)) or is_limit(version, name)]
    number, bad = 0, 0
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        results = pool.map(lambda row: run(*row, preload), rows)
        for (version, name, _), (passed, failed) in zip(rows, results):
            wanted = {case for (test, case), (since, _) in LATER.items() if test == name and version < since}
            good = failed == wanted
            number, bad = number + 1, bad + (not good)
            print("%sok %d - %s under %s" % ("" if good else "not ", number, name, version), flush=True)
            if not good:
                print("# fails: %s; expected: %s" % (sorted(failed - wanted), sorted(wanted - failed)))
    unknown = sorted(with_later - known)
    number += 1
    print("%sok %d - each row is of a test%s" % ("not " if unknown else "", number, unknown or ""))
    print_left_out()
    print("1..%d" % number)
    return 1 if bad or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
