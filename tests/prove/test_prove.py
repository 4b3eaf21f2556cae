#!/usr/bin/env python3
"""refcl explore --prove: answers, refutations, requirements and errors."""
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
import tap
from built import REFCL as refcl, ROOT
from sweep import answer, prove, run
from tap import check


def is_proved(result):
    return answer(result, "race") == "proved" and answer(result, "divergence") == "proved"


def test_refutation(folder):
    """A refutation is a launch that has the finding when run, and satisfies the requirements."""
    path = write(folder, "kernel void k(global int *a, int n, int m) { if (n * m == 6) a[0] = n; }")
    result, code = prove(path, "--requires", "n * m <= 6 and n > m and m > 1 and size(a) == 20")
    words = result["race"].get("launch", "").split()
    check("a refutation is a launch", code == 1 and answer(result, "race") == "refuted", result)
    check("which satisfies the requirements", {"n=3", "m=2", "a=buf:5"} <= set(words), words)
    check("and has the finding again", words and run(*words[1:]).returncode == 1, words)
    finding = result["race"].get("finding", "")
    check("which the answer names", finding.startswith("line 1: data race on argument 'a'"), finding)
    path = write(folder, "kernel void k(global int *a, int n) { if (n > 5) a[0] = n; }")
    result, code = prove(path, "--requires", "n < 6 or n * n * n == 11")
    check("a launch that violates the requirements refutes nothing",
          code == 3 and answer(result, "race") == "unknown", result)
    out = os.path.join(folder, "out.json")
    run("explore", "--prove", "--json", out, path)
    fits = subprocess.run([sys.executable, os.path.join(ROOT, "tools/validate.py"),
                           os.path.join(ROOT, "tools/schema/litmus.schema.json"), out], check=False)
    check("its JSON has the form of its schema", fits.returncode == 0)


def test_undefined(folder):
    """A launch with out-of-bounds accesses reports these, and no race."""
    path = write(folder, "kernel void k(global int *a) { local int t[4]; t[get_local_id(0) & 7] = 0; a[get_global_id(0)] = 0; }")
    result, code = prove(path)
    check("work-items that race outside of an object alone refute its bounds",
          code == 1 and answer(result, "bounds") == "refuted" and answer(result, "race") == "unknown", result)
    path = write(folder, "kernel void k(global int *a) { local int t[4]; t[get_local_id(0)] = 0; a[get_local_id(0)] = 0; }")
    result, _ = prove(path)
    race, bounds = result["race"], result["bounds"]
    check("a race inside of objects is shown by a launch without the others",
          race["answer"] == bounds["answer"] == "refuted" and race["launch"] != bounds["launch"]
          and "'a'" in race["finding"] and "k.t" in bounds["finding"], result)


def write(folder, source):
    path = os.path.join(folder, "k.cl")
    with open(path, "w") as f:
        f.write(source)
    return path


def test_answers(folder):
    path = write(folder, "kernel void k(global int *a) { a[get_local_id(0)] = 1; barrier(CLK_GLOBAL_MEM_FENCE); }")
    result, code = prove(path)
    check("local ids repeat in each group", code == 1 and answer(result, "race") == "refuted", result)
    path = write(folder, "kernel void k(global int *a) { a[get_global_id(0)] = 1; barrier(CLK_GLOBAL_MEM_FENCE); }")
    result, code = prove(path)
    check("global ids do not", code == 0 and is_proved(result), result)
    assumed = "\n".join(result.get("assumptions", []))
    check("it says what it assumes", "2^31" in assumed and "do not overlap" in assumed, result)


def test_options(folder):
    path = write(folder, "kernel void k(global int *a, int n) { int i = get_global_id(0); if (i < n) a[i] = 1; }")
    result, _ = prove(path)
    check("bounds are not asked without a size", answer(result, "bounds") == "not asked", result)
    result, code = prove(path, "--requires", "n >= 0 and size(a) >= 4 * n")
    check("bounds are proved with a size", answer(result, "bounds") == "proved" and code == 0, result)
    result, code = prove(path, "--requires", "size(a) == 4 * n - 4")
    check("bounds are refuted with less", answer(result, "bounds") == "refuted" and code == 1, result)
    result, code = prove(path, "--arg", "n=0")
    check("the value of an argument is an assumption", code == 0 and "--arg n=0" in result["assumptions"], result)
    result, code = prove(path, "--requires", "n < 0 and n > 0")
    check("requirements that nothing satisfies prove nothing", not is_proved(result) and code == 3, result)
    done = run("explore", "--prove", "--requires", "m < 3", path)
    check("an unknown name is an error, of the option and of no line",
          done.returncode == 2 and done.stderr.startswith("refcl: error: %s: --requires 'm < 3'" % path), done.stderr)
    done = run("explore", "--prove", "--requires", "a[0] < 3", path)
    check("an element of memory is an error", done.returncode == 2 and "a[0]" in done.stderr, done.stderr)
    path = write(folder, "#ifdef OWN\n#define AT get_global_id(0)\n#else\n#define AT 0\n#endif\n"
                         "kernel void k(global int *a, global half *h) { a[AT] = get_global_id(0) + (int)vload_half(0, h); }")
    many = " ".join("-DNAME_%d=%d" % (i, i) for i in range(40)) # 500 characters
    result, _ = prove(path, "--build-options", many)
    check("a launch may refute what is not supported", answer(result, "race") == "refuted", result)
    result, _ = prove(path, "--build-options", many + " -DOWN")
    check("build options of any length reach the launch", answer(result, "race") == "unknown", result)
    path = write(folder, "kernel void k(global int *a, uint n) { if (n > 0x80000000u) a[0] = 1; }")
    result, _ = prove(path, "--requires", "n >= 0")
    check("unsigned arguments are not negative", answer(result, "race") == "refuted", result)
    path = write(folder, "kernel void k(global int *a) {}\n"
                 "kernel void m(global int *a, local int *t) {\n  async_work_group_copy(t, a, 4, 0);\n}")
    result, code = prove(path, "-k", "m")
    check("an unsupported instruction is unknown, with its line",
          code == 3 and "line 3" in result["race"]["reason"], result)
    path = write(folder, "kernel void k(global int *a, local int *t) {\n  event_t e = async_work_group_copy(t, a, 4, 0);\n"
                 "  a[get_local_id(0) + 9] = t[0];\n  wait_group_events(1, &e);\n}")
    result, code = prove(path)
    check("but a launch may refute", code == 1 and answer(result, "race") == "refuted", result)
    path = write(folder, "kernel void k(global int *a, local int *t) {\n  event_t e = async_work_group_copy(t, a, 4, 0);\n"
                 "  a[get_local_id(0) + 99999] = t[0];\n  wait_group_events(1, &e);\n}")
    result, code = prove(path)
    check("not by an access outside of a buffer whose size the launch chose",
          code == 3 and answer(result, "race") == answer(result, "bounds") == "unknown", result)
    path = write(folder, "kernel void k(global const int *a, global int *b) {\n  local int t[16];\n"
                 "  if (get_local_id(0) > 8)\n    t[get_local_id(1)] = get_local_id(0);\n  event_t e = async_work_group_copy(t, a, 0, 0);\n"
                 "  wait_group_events(1, &e);\n}")
    result, code = prove(path)
    check("as may one of larger groups", code == 1 and answer(result, "race") == "refuted"
          and "-l 16,16" in result["race"]["launch"], result)
    path = write(folder, "kernel void k(global const int *a, global int *b) {\n  local int t[8];\n"
                 "  t[get_local_id(0)] = 0;\n  event_t e = async_work_group_copy(t, a, 0, 0);\n  wait_group_events(1, &e);\n"
                 "  b[get_local_id(0)] += t[get_local_id(0)];\n}")
    result, code = prove(path)
    check("or two groups as large as a small array", code == 1 and answer(result, "race") == "refuted"
          and "-l 8," in result["race"]["launch"], result)
    path = write(folder, "kernel void k(global int *a) {}\nkernel void m(global int *a) {}")
    done = run("explore", "--prove", "--assert", "a[0] == 1", "-k", "k", path)
    check("conditions of one launch are an error", done.returncode == 2 and "--assert" in done.stderr, done.stderr)
    done = run("explore", "--prove", path)
    check("several kernels need a name", done.returncode == 2 and "-k" in done.stderr, done.stderr)


def main():
    if not os.path.exists(refcl):
        tap.skip_all("%s is not built" % refcl)
    with tempfile.TemporaryDirectory() as folder:
        test_answers(folder)
        test_refutation(folder)
        test_undefined(folder)
        test_options(folder)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
