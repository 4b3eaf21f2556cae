#!/usr/bin/env python3
"""One program for each kind of finding, and for each kind of end without one: the JSON fits its schema, the
SARIF its object model, the JUnit has the same counts, the page the same data.  The kinds are those of
checker/race/kind.def, which has all kinds in the sources."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
sys.path.insert(0, here)
import sarif
import tap
from tap import check
from built import PATIENCE, REFCL as refcl, ROOT as root

ONE, TWO = ["-g", "2", "-l", "2", "-a", "buf:4"], ["-g", "2", "-l", "1", "-a", "buf:4", "-a", "buf:4"]
WIDE = ["-g", "2", "-a", "buf:16"]
ADD = "kernel void k(global atomic_int *m, global int *x) { int id = get_global_id(0); "
KERNELS = (  # the kind, the options, the source
    ("clean", ONE, "kernel void k(global int *x) { x[get_global_id(0)] = 1; }"),
    ("data-race", ONE, "void f(global int *x) { *x += 1; }\nkernel void k(global int *x) { f(x); }"),
    ("uniform-write", ONE, "kernel void k(global int *x) { x[0] = 7; }"),
    # Values of more than 8 bytes, which differ in the last one
    ("uniform-write", WIDE, "kernel void k(global double16 *x) { x[0] = (double16)(7); }"),
    ("data-race", WIDE, "kernel void k(global double16 *x) { double16 v = (double16)(7); v.sf = get_global_id(0); x[0] = v; }"),
    ("uniform-write", WIDE, "kernel void k(global float *x) { vstore3((float3)(1, 2, 3), 1, x); }"),
    ("data-race", WIDE, "kernel void k(global float *x) { vstore3((float3)(1, 2, get_global_id(0)), 1, x); }"),
    ("uniform-write", WIDE, "struct s { int a[9]; };\nkernel void k(global struct s *x) { x[0] = x[1]; }"),
    ("data-race", WIDE, "struct s { int a[9]; };\nkernel void k(global struct s *x) { struct s v = x[1]; v.a[8] = get_global_id(0); x[0] = v; }"),
    ("uniform-write", ["-g", "2", "-a", "image:2d:4x4:rgba32f"], "kernel void k(write_only image2d_t x) { write_imagef(x, (int2)(0), (float4)(7)); }"),
    ("data-race", ["-g", "2", "-a", "image:2d:4x4:rgba32f"],
     "kernel void k(write_only image2d_t x) { write_imagef(x, (int2)(0), (float4)(7, 7, 7, get_global_id(0))); }"),
    ("scope-race", ["-g", "2", "-l", "1", "-a", "buf:1"], "kernel void k(global atomic_int *x) {\n"
     "atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_work_group); }"),
    ("out-of-bounds", ONE, "kernel void k(global int *x) { x[get_global_id(0) + 3] = 1; }"),
    ("null-pointer", ["-a", "null"], "kernel void k(global int *x) { x[1] = 1; }"),
    ("misaligned", ["-a", "buf:4"], "kernel void k(global int *x) { *(global long *)(x + 1) = 1; }"),
    ("uninitialized-read", ["-c", "all", "-a", "buf:4"], "kernel void k(global int *x) { local int t; *x = t; }"),
    ("barrier-divergence", ONE, "kernel void k(global int *x) { if (get_local_id(0)) barrier(0); }"),
    ("different-arguments", ONE, "kernel void k(global int *x) { local int t[4];\n"
     "event_t e = async_work_group_copy(t, x, get_local_id(0) + 1, 0); wait_group_events(1, &e); }"),
    # [CLC 6.15.11 R2]
    ("unwaited-copy", ONE, "kernel void k(global int *x) { local int t[2]; async_work_group_copy(t, x, 2, 0); }"),
    ("data-race", ONE, "kernel void k(global int *x) { local int t[2];\n"
     "event_t e = async_work_group_copy(t, x, 2, 0); x[get_local_id(0)] = 1; wait_group_events(1, &e); }"),
    ("float-to-integer", ["-a", "buf:4:fill=0x7f000000"], "kernel void k(global int *x) { *x = (int)as_float(*x); }"),
    ("step-limit", ["--step-limit", "1000", "-a", "buf:4"], "kernel void k(global int *x) { while (1) x[0]++; }"),
    ("assertion", ONE + ["--assert", "x[0] == 2"], "kernel void k(global int *x) { x[get_global_id(0)] = 1; }"),
    # reads of weak memory are fixed (checker/predict/docs/prediction.md)
    ("predicted-race", TWO + ["--predict", "--memory", "strong"], ADD + "if (id == 0) *x = 1; atomic_fetch_add(m, 1); if (id) *x = 2; }"),
    ("predicted-assertion", TWO + ["--predict", "--assert", "m[0] == 2"],
     ADD + "atomic_store(m, id + 1); x[id] = 1; }"),
    ("division-by-zero", ["-a", "buf:4"], "kernel void k(global int *x) { x[0] = x[1] / x[0]; }"),
    ("signed-overflow", ["-c", "all", "-a", "buf:4"], "kernel void k(global int *x) { int y = 2147483647 - x[0]; x[0] = y + 1; }"),
    ("unreachable", ["-a", "buf:4"], "kernel void k(global int *x) { if (!x[0]) __builtin_unreachable(); x[0] = 1; }"),
    ("false-assumption", ["-a", "buf:4"], "kernel void k(global int *x) { __builtin_assume(x[0] == 1); x[0] = 1; }"),
    ("uninitialized", ["-c", "all", "-a", "buf:4"], "kernel void k(global int *x) { int y; if (*x) y = 1; if (y) *x = 1; }"),
    ("invalid-event", ["-a", "buf:4"], "kernel void k(global int *x) { event_t e = 0; wait_group_events(1, &e); }"),
    ("unwaited-copy", ["-a", "buf:4"], "kernel void k(global int *x) { local int t[4]; async_work_group_copy(t, x, 4, 0); }"),
    ("use-after-lifetime", ["-a", "buf:4"], "__attribute__((noinline)) int *f(int x) { int v[2] = {x, x}; int *volatile p = v;\n"
     "return p; }\nkernel void k(global int *x) { int *p = f(x[1]); x[0] = p[x[1]]; }"),
    ("write-to-constant", ["-a", "buf:4"], "constant int t[4] = {1, 2, 3, 4};\n"
     "kernel void k(global int *x) { *(volatile private int *)(ulong)&t[x[0]] = 1; }"),
    ("invalid-order", ["-a", "buf:1"], "kernel void k(global atomic_int *x) {\n"
     "atomic_store_explicit(x, 1, memory_order_acquire, memory_scope_device); }"),
    ("printf-format", ["-a", "buf:4"], "kernel void k(global int *x) { printf(\"%s\", x[0]); }"),
    ("unknown", ONE + ["--assert", "y == 2"], "kernel void k(global int *x) { x[get_global_id(0)] = 1; }"),
)
MODULE = """OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\nOpExtension \"SPV_KHR_no_integer_wrap_decoration\"\nOpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %%k "k"\nOpDecorate %%sum NoUnsignedWrap\n%%void = OpTypeVoid\n%%int = OpTypeInt 32 0
%%p = OpTypePointer CrossWorkgroup %%int\n%%q = OpTypePointer Function %%int\n%%f = OpTypeFunction %%void %%p
%%zero = OpConstant %%int 0\n%%one = OpConstant %%int 1\n%%n = OpConstant %%int %s
%%k = OpFunction %%void None %%f\n%%x = OpFunctionParameter %%p\n%%b = OpLabel\n%%v = OpVariable %%q Function
OpStore %%v %%n Aligned 4\n%%m = OpLoad %%int %%v Aligned 4\n%s\nOpReturn\nOpFunctionEnd\n"""
MODULES = (  # the kind, a number, instructions that use it as %m
    ("bad-shift", "32", "%sum = OpShiftLeftLogical %int %one %m\nOpStore %x %sum Aligned 4"),
    ("unsigned-overflow", "4294967295", "%sum = OpIAdd %int %one %m\nOpStore %x %sum Aligned 4"),
    ("invalid-scope", "77", "%sum = OpIAdd %int %one %zero\nOpAtomicStore %x %m %zero %one"),
)
PIPE = ("cl_int e; cl_mem p = clCreatePipe(context, 0, %d, 8, NULL, &e); OK(e);"
        "launch(q, kernel(\"k\", p, NULL, NULL), 1, NULL); OK(clFinish(q))")
HOST = r'''#include "host.h"
static void own(const char *source)
{
    cl_int e;
    program = clCreateProgramWithSource(context, 1, &source, NULL, &e);
    OK(e);
    OK(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
}
int main(void) { begin(NULL); cl_command_queue q = in_order(); cl_mem a = buffer(); %s; return 0; }
'''
PROGRAMS = (
    ("leak", "OK(clFinish(q))"),
    ("api-misuse", "launch(q, kernel(\"add\", a, NULL, NULL), 0, NULL); clEnqueueFillBuffer(q, a, q, 3, 0, 3, 0, NULL, NULL)"),
    ("use-after-release", "OK(clReleaseMemObject(a)); clGetMemObjectInfo(a, CL_MEM_SIZE, 0, NULL, NULL)"),
    ("mapped-access", "cl_int e; clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &e); "
                      "launch(q, kernel(\"add\", a, NULL, NULL), N, NULL); OK(clFinish(q))"),
    ("image-unfenced-read", "launch(q, kernel(\"trace\", picture(), a, NULL), N, NULL); OK(clFinish(q))"),
    ("buffer-and-image", "own(\"kernel void k(write_only image1d_buffer_t i, global int *o) {\"\n"
     "\"int n = (int)get_global_id(0); write_imagei(i, n, (int4)(n)); if (o[n] > 64) write_imagei(i, n, (int4)(0)); }\");"
     "cl_image_format f = {CL_R, CL_SIGNED_INT32}; cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = N, .buffer = a};"
     "launch(q, kernel(\"k\", clCreateImage(context, 0, &f, &d, NULL, NULL), a, NULL), N, NULL); OK(clFinish(q))"),
    # [CL 5.2.1 R2]
    ("read-of-write-only", "cl_int e; cl_mem w = clCreateBuffer(context, CL_MEM_WRITE_ONLY, BYTES, NULL, &e);"
     "launch(q, kernel(\"add\", w, NULL, NULL), N, NULL); OK(clFinish(q))"),
    ("image-format", "own(\"kernel void k(read_only image2d_t i, global float *o) { o[0] = read_imagef(i, (int2)(0, 0)).x; }\");"
     "launch(q, kernel(\"k\", picture(), a, NULL), 1, NULL); OK(clFinish(q))"),
    ("invalid-reservation", "own(\"kernel void k(write_only pipe int p) { reserve_id_t r = reserve_write_pipe(p, 1);\"\n"
     "\"commit_write_pipe(p, r); commit_write_pipe(p, r); }\"); " + PIPE % 4),
    ("pipe-packet-size", "own(\"kernel void k(write_only pipe char p) { char v = 1; write_pipe(p, &v); }\"); " + PIPE % 4),
    ("uniform-write", "own(\"kernel void k(global int *x) { x[0] = 7; }\"); cl_kernel k = kernel(\"k\", a, NULL, NULL);"
     "for (int i = 0; i < 6; i++) OK(clReleaseEvent(launch(q, k, N, NULL))); OK(clFinish(q))"),
    # The first launch writes the same value, the second does not.
    ("data-race", "own(\"kernel void k(global int *x) { x[0] = x[1 + get_global_id(0) % 2]; }\"); cl_kernel k = kernel(\"k\", a, NULL, NULL);"
     "int two = 2; launch(q, k, N, NULL); OK(clEnqueueFillBuffer(q, a, &two, 4, 4, 4, 0, NULL, NULL)); launch(q, k, N, NULL); OK(clFinish(q))"),
    ("host-access", "int *s = shared(0); launch(q, svm_kernel(\"add\", s, NULL, NULL), N, NULL); OK(clFinish(q)); s[0] = 1"),
    ("failed", "OK(clFinish(q)); abort()"),
)
OTHER = {"data-race": {"uniform-write"}, "uniform-write": {"data-race"}}  # none of these programs must have these
# Invalid handles, findings in invalid modules, and hints, which tests/layer and
# tests/tools/kernel/test_kernel_choices.py cover.
NO_PROGRAM = {
    "needless-wait", "possible-out-of-bounds", "possible-race",
    "invalid-image", "invalid-ndrange", "invalid-pipe", "invalid-sampler", "unsupported"}


def judge(kind, command, folder, validator):
    names = {n: os.path.join(folder, "out." + n) for n in ("json", "sarif", "junit", "html")}
    command = [refcl, command[0], *[w for n in names for w in ("--" + n, names[n])], *command[1:]]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
    text = run.stderr.decode("utf-8", "replace")
    with open(names["json"], encoding="utf-8") as f:
        report = json.load(f)
    kinds = {f["kind"] for f in report["findings"]}
    code = {"clean": 0, "unknown": 3}.get(kind, 1)
    check("%s: is found" % kind, run.returncode == code and not kinds & OTHER.get(kind, set()) and (kind in kinds or (kind == report["status"] and not kinds)), text)
    wrong = [e.message for e in validator.iter_errors(report)]
    check("%s: JSON" % kind, not wrong, "; ".join(wrong))
    with open(names["sarif"], encoding="utf-8") as f:
        log = json.load(f)
    wrong = sarif.misfits(log) or []
    check("%s: SARIF" % kind, not wrong and [r["ruleId"] for r in log["runs"][0]["results"]] ==
          [f["kind"] for i, f in enumerate(report["findings"]) if f["cause"] == i], "; ".join(wrong))
    suite = xml.parse(names["junit"]).getroot().find("testsuite")
    counts = [int(suite.get(n)) for n in ("tests", "failures", "errors")]
    errors = ("limit" in report) + ("observation" in report) + ("message" in report.get("program", {}))
    check("%s: JUnit" % kind, counts == [max(1, len(report["findings"]) + errors), len(report["findings"]), errors] and
          len(suite.findall("testcase")) == counts[0], str(counts))
    with open(names["html"], encoding="utf-8") as f:
        data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', f.read(), re.S)[1])
    check("%s: the page" % kind, data["report"] == report and len(data["graphs"]) == len(report["findings"]), kind)


# Work-groups of one work-item: 2 P and 2 P + 1 race once, on element 16 P, the first of block P.
GROUPS = "kernel void k(global int *a) { int i = get_global_id(0); a[i / 2 * 16] = i; }"


def check_groups(folder, validator):
    """The instances of a finding by work-group and block of elements."""
    path, out = os.path.join(folder, "groups.cl"), os.path.join(folder, "groups.json")
    with open(path, "w") as f:
        f.write(GROUPS + "\n")
    subprocess.run([refcl, "kernel", "-q", "-g", "6", "-l", "1", "-a", "buf:48", "--json", out, path], timeout=PATIENCE)
    with open(out, encoding="utf-8") as f:
        report = json.load(f)
    wrong = [e.message for e in validator.iter_errors(report)]
    check("work-groups: JSON", not wrong, "; ".join(wrong))
    found = [f["work_groups"] for f in report["findings"]]
    counts = [{"work_group": [g, 0, 0], "element": g // 2 * 16, "count": 1} for g in range(6)]
    check("work-groups and blocks of elements are counted", found == [{"element_size": 4, "block": 16, "left_out": 0, "counts": counts}], str(found))


def kinds():
    """The kinds in the table; the kinds that sources report, before a clause."""
    with open(os.path.join(root, "checker/race/kind.def")) as f:
        table = re.findall(r'^CK_KIND\("([a-z-]+)", "', f.read(), re.M)
    used = set()
    for folder in ("interp", "checker", "ref-runtime"):
        for path in glob.glob(os.path.join(root, folder, "**/*.[ci]*"), recursive=True):
            with open(path) as f:
                text = f.read()
            calls = re.findall(r'(?:in_raise(?:_at)?|new_finding|ck_finding_at|report(?:_violation)?)\(([^;]*?),\s*(?:"(?:CLC? |SPIRV|refcl)|clause\b)', text)
            used.update(k for c in calls for k in re.findall(r'"([a-z]+(?:-[a-z]+)*)"', c))
    with open(os.path.join(root, "checker/checker.h")) as f:
        used.update(re.findall(r'^#define CK_(?:UNIFORM_WRITE|NEEDLESS_WAIT|POSSIBLE_OUTSIDE) "(.*)"', f.read(), re.M))
    return table, used


def main():
    try:
        import jsonschema
    except ImportError:
        print("1..0 # SKIP no jsonschema")
        return 0
    with open(os.path.join(root, "tools/schema/report.schema.json")) as f:
        validator = jsonschema.Draft7Validator(json.load(f))
    with tempfile.TemporaryDirectory() as folder:
        for kind, options, source in KERNELS:
            path = os.path.join(folder, kind + ".cl")
            with open(path, "w") as f:
                f.write(source + "\n")
            judge(kind, ["kernel", *options, path], folder, validator)
        for kind, number, body in MODULES if shutil.which("spirv-as") else ():
            path = os.path.join(folder, kind + ".spv")
            subprocess.run(["spirv-as", "--target-env", "spv1.2", "-", "-o", path], input=(MODULE % (number, body)).encode(), check=True)
            judge(kind, ["kernel", "-a", "buf:4", path], folder, validator)
        for kind, body in PROGRAMS:
            program = os.path.join(folder, kind)
            subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", "-g", "-w", "-I" + os.path.join(here, "host"),
                            "-x", "c", "-", "-o", program, "-lOpenCL"], input=(HOST % body).encode(), check=True)
            judge(kind, ["run", "--check", "race,memory,api", "--", program], folder, validator)
        check_groups(folder, validator)
    table, used = kinds()
    known = {entry[0] for entry in KERNELS + MODULES + PROGRAMS} - {"clean", "unknown", "failed"}
    check("the table has the kinds that sources name", used == set(table), used ^ set(table))
    check("each kind of the table has a program", known | NO_PROGRAM == set(table), (known | NO_PROGRAM) ^ set(table))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
