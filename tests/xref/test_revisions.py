#!/usr/bin/env python3
"""refcl xref diff on the sources of OpenCL's specifications: small texts with known changes; the changes in
the specification's own list, from 3.0.19 to 3.1.1 and from 2.2-7 to 3.0.19, if the texts are available; and
the litmus tests whose verdict differs under two revisions."""
import json
import os
import re
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.join(here, "..", "..")
sys.path.insert(0, os.path.join(here, "..", "lib"))
from built import REFCL as refcl  # noqa: E402
from tap import check, done, skip  # noqa: E402

with open(os.path.join(root, "ref-runtime", "docs", "extensions.md")) as rows:
    NOT_OFFERED = set(re.findall(r"^\| `(\w+)` \| no ", rows.read(), re.M))
SPECIFICATION = os.environ.get("REFCL_SPEC", os.path.join(root, "..", "shared", "spec"))
# Under 3.1.0 the query comes after a command that waits for the later call: no execution, so nothing is decided.
NO_EXECUTION = """OPENCL query-before-status

{
[x] = 1;
queue q;
user_event u;
}

H0 (global int* x, host int* h) {
  clEnqueueReadBuffer(q, x, CL_FALSE, h, {u}, &e0);
  clGetEventInfo(e0, CL_COMPLETE);
  clSetUserEventStatus(u, CL_COMPLETE);
}

exists (x = 1)
"""
OLD = """= Title

:leveloffset: 1

include::part.asciidoc[]
"""
PART = """= Platform

Words that must not change for {CL_DEVICE_TYPE}.

== Calls

include::{generated}/api/protos/clFinish.txt[]

  * {CL_INVALID_VALUE}%s if _size_ is zero (as are flags
= {CL_MAP_READ}).
    The queue must be valid.
  * The device must be %s.

ifdef::cl_khr_icd[]
== %s

A platform must be %s.
endif::cl_khr_icd[]
"""
# Entries of the specification's list of changes, and words of the changed text; None: the reason why no text
# has it.
LISTED_3_1 = {
    "SPIR-V 1.0 to 1.4 are required": r"SPIR-V 1\.3.*SPIR-V 1\.4",
    "sub-groups are required": r"sub-groups is required.*3\.1",
    "scopes of inclusive scope may differ": r"memory scope of A and B may be different",
    "CL_DEVICE_HOST_UNIFIED_MEMORY": None,  # a description
    "an event that is CL_COMPLETE, observed": None,  # taken back in 3.1.1
    "local arguments of size zero": r"Prior to OpenCL 3\.1.*arg_size",
    "CL_DEVICE_MAX_WORK_GROUP_SIZES": r"CL_DEVICE_MAX_WORK_GROUP_SIZES",
    "errors of clSetKernelExecInfo": r"entry:clSetKernelExecInfo",
    "errors of clCompileProgram and clLinkProgram": r"entry:cl(Compile|Link)Program",
    "a local size of zero": r"local_work_size",
    "descriptions of sub-group functions": r"converged control flow",
    "description of atomic operations": r"atomic",
    "simultaneous use of command-buffers": r"command-buffer",
    "cl_khr_unified_svm": r"unified_svm|SVM type|SVM capabilit",
    "OpenCL C 3.1": r"OpenCL C 3\.1",
    "custom devices": r"custom device",
    "images without a format": r"BLOB",
    "an error of clSetKernelArgDevicePointerEXT": r"entry:clSetKernelArgDevicePointerEXT",
    "SPIR-V queries": r"CL_DEVICE_SPIRV_",
    "integer dot product": r"INTEGER_DOT",
    "device UUIDs": r"UUID",
    "suggested local sizes": r"SuggestedLocalWorkSize",
}
# Changes that are not in the list.
UNLISTED_3_1 = {
    "queries of events guarantee nothing: removed": r"no guarantees that the memory objects being modified",
    "pending counts of command-buffers": r"Pending Count",
    "sub-groups synchronize through work-group functions or memory: removed": r"Synchronization between sub-groups",
    "fine-grained SVM without SVM atomics": r"without support for SVM atomic operations",
}
LISTED_3_0 = {
    "SVM is optional": r"optional feature for OpenCL 3\.0",
    "context destructor callbacks": r"entry:clSetContextDestructorCallback",
    "buffers and images with properties": r"entry:.*clCreate(Buffer|Image)WithProperties",
    "queries of properties": r"properties argument specified in",
    "capabilities of atomics": r"CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES",
    "non-uniform work-groups": r"NON_UNIFORM",
    "collective functions": r"COLLECTIVE",
    "generic address space": r"GENERIC_ADDRESS_SPACE",
    "device-side enqueue": r"DEVICE_ENQUEUE_CAPAB",
    "pipes": r"CL_DEVICE_PIPE_SUPPORT",
    "preferred multiple": r"PREFERRED_WORK_GROUP_SIZE_MULTIPLE",
    "numeric versions": r"NUMERIC_VERSION|WITH_VERSION",
    "constructors and destructors": r"entry:clSetProgramReleaseCallback",
    "versions of OpenCL C": r"OpenCL C 3\.0",
    "features of OpenCL C": r"OPENCL_C_FEATURES",
    "CL_COMMAND_SVM_MIGRATE_MEM": r"MIGRATE_MEM",
    "conformance version": r"CONFORMANCE_VERSION",
    "CL_INVALID_KERNEL_ARGS": r"entry:clEnqueueNDRangeKernel CL_INVALID_KERNEL_ARGS",
    "input_slice_pitch": r"input_slice_pitch",
    "suggested local size": r"entry:clGetKernelSuggestedLocalWorkSize",
    "double precision": r"double precision floating-point",
    "state of a kernel after clSetKernelArg": r"internal state of kernel",
    "clCompileProgram": r"entry:clCompileProgram",
    "acquiring objects": r"entry:clEnqueueAcquire(GL|D3D|DX9|EGL)",
    "profiling before 3.0": r"Prior to OpenCL 3\.0.*PROFILING_INFO_NOT_AVAILABLE",
    "clGetKernelSubGroupInfo": r"entry:clGetKernelSubGroupInfo",
    "pitches": r"ROW_PITCH|SLICE_PITCH",
    "device-side enqueue and program-scope variables": r"program scope global variables",
    "unique handles": r"unique handle",
    "command buffers": r"entry:clCreateCommandBufferKHR",
    "mutable dispatch": r"entry:clUpdateMutableCommandsKHR",
    "semaphores": r"entry:clCreateSemaphoreWithPropertiesKHR",
    "external memory": r"EXTERNAL_MEMORY",
    "more than one external handle": r"more than one external",
    "SVM too small for a buffer": r"clSVMAlloc, and size is greater",
    "clSetCommandQueueProperty": r"required only for OpenCL 1\.0",
    "CL_INVALID_PLATFORM": r"CL_INVALID_PLATFORM",
    "one type of device": r"single device type",
    "clSetEventCallback": r"entry:clSetEventCallback",
    "qualifiers of arguments": r"TYPE_QUALIFIER",
    "clSetKernelExecInfo": r"entry:clSetKernelExecInfo",
    "param_value_size": r"param_value_size is less than",
    "mip levels": r"num_mip_levels",
    "minor revisions": r"minor releases",
    "half precision": r"CL_DEVICE_HALF_FP_CONFIG",
    "recording calls": r"entry:clCommandBarrierWithWaitListKHR",
    "queues of semaphores": r"CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR",
    "loader-managed dispatch": r"entry:clIcd",
    "device addresses": r"CL_MEM_DEVICE_(PRIVATE_)?ADDRESS",
    "immutable objects": r"CL_MEM_IMMUTABLE_EXT",
    "image requirements": r"entry:clGetImageRequirementsInfoEXT",
    "images from buffers": r"image created from a buffer",
    "clSetKernelArg": r"entry:clSetKernelArg ",
    "3D textures": r"D3D1[01]|3D texture",
    "sizes of images": r"CL_INVALID_IMAGE_SIZE",
    "timers": r"timer synchronization",
    "global size": r"global_work_size is NULL",
    "custom devices": r"custom device",
    "payloads": r"payload",
    "hardware buffers": r"AHardwareBuffer",
    "SPIR-V queries": r"CL_DEVICE_SPIRV_",
    "dot products": r"DOT_PRODUCT",
    "UUIDs": r"UUID",
    "PCI": r"PCI",
}


def diff(*arguments):
    run = subprocess.run([refcl, "xref", "diff", "--json", "-", *arguments], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    return json.loads(run.stdout) if run.stdout else {"error": run.stderr}


def kinds(changes):
    return sorted(c["kind"] for c in changes)


def small_texts():
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for name, words in (("old", ("", "fast", "Platforms", "one")), ("new", ("", "slow", "Platforms", "one")),
                            ("nested", ("\n    **", "fast", "Platforms", "one")),
                            ("more", ("", "fast", "Platforms", "one"))):
            os.mkdir(os.path.join(folder, name))
            names.append(os.path.join(folder, name, "all.txt"))
            with open(names[-1], "w") as file:
                file.write(OLD + ("\n= Annex\n\nA program must be valid: {CL_SUCCESS}.\n" if name == "more" else ""))
            with open(os.path.join(folder, name, "part.asciidoc"), "w") as file:
                file.write(PART % words)
        same = diff(names[0], names[0])
        check("a text and itself", same.get("changes") == [], same)
        changed = diff("--text", names[0], names[1])["changes"]
        check("an item of a list in an included file", kinds(changed) == ["changed"]
              and changed[0]["before"]["section"] == "1.1" and "slow" in changed[0]["after"]["text"], changed)
        nested = diff("--text", names[0], names[2])
        check("one list of errors or one below each code: the same", nested.get("changes") == [], nested)
        added = diff("--text", names[0], names[3])["changes"]
        check("a new chapter", kinds(added) == ["added"] and added[0]["after"]["section"] == "2"
              and "CL_SUCCESS" in added[0]["after"]["text"] and "{" not in added[0]["after"]["text"], added)
        schema = os.path.join(root, "tools", "schema", "xref-diff.schema.json")
        out = os.path.join(folder, "diff.json")
        result = diff("-R", "3.1.0,3.1.1", "-l", os.path.join(root, "litmus", "suite", "host-query"), names[0], names[1])
        with open(out, "w") as file:
            json.dump(result, file)
        valid = subprocess.run([sys.executable, os.path.join(root, "tools", "validate.py"), schema, out],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        check("JSON fits its schema", valid.returncode == 0, valid.stdout)
        tests = {os.path.basename(t["file"]): (t["before"], t["after"]) for t in result["verdicts"]["tests"]}
        check("event queries: what 3.1.0 orders and 3.1.1 does not", tests.get("query-read.litmus") == ("f-", "hr")
              and "query-then-wait.litmus" not in tests and "query-running.litmus" not in tests, tests)
        check("one of them is the smallest", os.path.basename(result["verdicts"].get("smallest", "")) in tests, tests)
        page = subprocess.run([refcl, "xref", "diff", "--html", "-", "-R", "3.1.0,3.1.1", "-l",
                               os.path.join(root, "litmus", "suite", "host-query"), names[0], names[1]],
                              stdout=subprocess.PIPE, text=True).stdout
        check("a page has the change and the verdicts", "<del>The device must be <b>fast.</b></del>" in page
              and "<ins>The device must be <b>slow.</b></ins>" in page and "query-read.litmus" in page
              and "the smallest" in page, page[:500])
        os.mkdir(os.path.join(folder, "tests"))
        with open(os.path.join(folder, "tests", "no-execution.litmus"), "w") as file:
            file.write(NO_EXECUTION)
        result = diff("-R", "3.1.0,3.1.1", "-l", os.path.join(folder, "tests"), names[0], names[1])["verdicts"]
        check("a verdict that is unknown under one revision is undecided, not different", result["tests"] == []
              and "smallest" not in result and [(t["before"], t["after"]) for t in result["undecided"]] == [("uu", "h-")], result)
        text = subprocess.run([refcl, "xref", "diff", "-R", "3.1.0,3.1.1", "-l", os.path.join(folder, "tests"), names[0], names[1]],
                              stdout=subprocess.PIPE, text=True).stdout
        check("the text says so", "0 of 1 litmus tests differ under 3.1.0,3.1.1, 1 are undecided\n" in text
              and re.search("^undecided .*no-execution.litmus uu -> h-$", text, re.M), text)
        both = [os.path.join(folder, "both." + kind) for kind in ("html", "json")]
        subprocess.run([refcl, "xref", "diff", "--html", both[0], "--json", both[1], names[0], names[1]], check=False)
        check("a page and JSON in one run", all(os.path.exists(path) for path in both))
        wrong = diff("-R", "3.1", names[0], names[1])
        check("one revision is an error", "two revisions" in wrong.get("error", ""), wrong)
        wrong = diff("-R", "3.0,9.9", names[0], names[1])
        check("an unknown revision is an error", "9.9" in wrong.get("error", ""), wrong)


def listed(name, old, new, changes):
    result = diff("--text", os.path.join(SPECIFICATION, old), os.path.join(SPECIFICATION, new))
    texts = []
    for c in result.get("changes", []):
        if c.get("after", c.get("before"))["section"].split(".")[0] not in ("2", "3", "4", "5"):
            continue  # the appendices have the lists themselves
        sides = [c[s] for s in ("before", "after") if s in c]
        texts.append(" ".join(["entry:" + s.get("entry", "") + " " + s.get("text", "") for s in sides]))
    check("%s: the texts differ" % name, len(texts) > 100, result.get("error"))
    for change, words in changes.items():
        if words:
            check("%s: %s" % (name, change), any(re.search(words, t) for t in texts))
    touched = {c["clause"] for c in result.get("changes", []) if "clause" in c}
    conditions = [(c, c.get("after", c.get("before"))) for c in result.get("changes", []) if "clause" in c]
    check("%s: clauses of clGetDeviceIDs are of no call with a longer name" % name,
          not any(c["clause"].startswith("CL 4.2 E") and "From" in s.get("entry", "") for c, s in conditions))
    if "3.1.1" in name:
        check("%s: a condition that was split is of a clause that both versions state" % name,
              any(c["kind"] == "added" and c["clause"] == "CL 4.1 E1" and c.get("restated") for c, _ in conditions))
        check("%s: a new condition is not" % name,
              any(c["kind"] == "added" and c["clause"] == "CL 5.3.4 E101" and not c.get("restated") for c, _ in conditions))
    moved = [(c["before"], c["after"]) for c in result.get("changes", []) if c["kind"] in ("moved", "changed")]
    check("%s: conditions stay with their code" % name,
          all(b.get("code", "") == a.get("code", "") or not (b.get("code") and a.get("code")) for b, a in moved))
    check("%s: clauses that the changes touch" % name, len(touched) > 20, sorted(touched)[:5])
    return touched


def extract(path):
    run = subprocess.run([refcl, "xref", "extract", "--all", "--text", "--json", "-", path], stdout=subprocess.PIPE, text=True)
    return json.loads(run.stdout)


def wordings(name, path, least, least_listed, least_offered):
    """Sentences of a later revision with the clauses of 2.2 that they state."""
    data = extract(os.path.join(SPECIFICATION, path))
    chapters = [c for c in data["chapters"] if c["chapter"] in ("3", "4", "5")]
    mapped, all_of_them = (sum(c[k] for c in chapters) for k in ("mapped", "normative"))
    listed = sum(sum(c["listed"].values()) for c in chapters)
    check("%s: %d of %d normative sentences of chapters 3 to 5 have a clause" % (name, mapped, all_of_them),
          mapped >= least * all_of_them, data["chapters"])
    check("%s: %d more need none, for a reason" % (name, listed), mapped + listed >= least_listed * all_of_them,
          data["chapters"])
    elsewhere = sum(c["listed"].get(k, 0) for c in chapters for k in ("not-offered", "other-device"))
    check("%s: %d of the %d of what is offered" % (name, mapped, all_of_them - elsewhere),
          mapped >= least_offered * (all_of_them - elsewhere), data["chapters"])
    absent = {s["reason"] for s in data["sentences"] if s.get("listed") == "not-offered"}
    check("%s: extensions that are not offered, where a sentence says that it is of one" % name,
          absent <= NOT_OFFERED, sorted(absent - NOT_OFFERED))
    check("%s: a paragraph's line that begins with = is no heading" % name,
          [s for s in data["sentences"] if s["section"].startswith("5.17" if "3.1" in name else "5.13")])
    return {(s["clause"], s.get("entry", "").split(" ")[0]): s.get("text", "") for s in data["sentences"] if "clause" in s}


small_texts()
if os.path.exists(os.path.join(SPECIFICATION, "opencl-3.1", "OpenCL_API.txt")):
    touched_clauses = listed("3.0.19 to 3.1.1", "opencl-3.0/OpenCL_API.txt", "opencl-3.1/OpenCL_API.txt", LISTED_3_1)
    listed("3.0.19 to 3.1.1, not listed", "opencl-3.0/OpenCL_API.txt", "opencl-3.1/OpenCL_API.txt", UNLISTED_3_1)
    check("the clauses of inclusive scopes are among them", {"CL 3.3.5 O12", "CL 3.3.5 O13"} <= touched_clauses,
          sorted(touched_clauses))
    words = wordings("3.1.1", "opencl-3.1/OpenCL_API.txt", 0.83, 1, 0.98)
    changed = [text for (clause, _), text in words.items() if clause == "CL 5.2.2 E33"]
    check("a condition in other words: both buffers of clEnqueueCopyBuffer", any("not a valid buffer object" in t for t in changed), changed)
    check("another section number: flags of fences", any(c == "CL 3.3.5 O7" for c, _ in words))
    wordings("3.0.19", "opencl-3.0/OpenCL_API.txt", 0.83, 1, 0.98)
    listed("2.2-7 to 3.0.19", "opencl-2.2-7.txt", "opencl-3.0/OpenCL_API.txt", LISTED_3_0)
else:
    skip("changes that the specification lists", "no registry")
sys.exit(done())
