#!/usr/bin/python3
"""The installed files, which work from their place; new findings beside a baseline; the model in the guide to
cat."""
import json
import os
import re
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.chdir(ROOT)
BUILD = os.environ.get("BUILD", "build")
number = 0


def ok(good, name):
    global number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {name}")


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def installed(folder):
    """With its libraries in their own folder, as the Debian packages have them."""
    places = [f"PREFIX={folder}/usr", f"LIBDIR={folder}/usr/lib/refcl", f"DESTDIR={folder}/root"]
    made = run("make", "--no-print-directory", f"BUILD={BUILD}", "-o", "all", "install", *places, umask=0o077)
    ok(made.returncode == 0, "make install")
    if made.returncode:
        print("# " + made.stdout.replace("\n", "\n# "))
    private = run("find", f"{folder}/root", "-mindepth", "1", "-not", "-perm", "-o=r").stdout.splitlines()
    ok(not private, f"other users may read all files: {private[:3]}")
    os.rename(f"{folder}/root{folder}/usr", f"{folder}/usr")
    refcl = f"{folder}/usr/bin/refcl"
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("REFCL", "OCL_ICD"))}
    found = run(refcl, "kernel", "--global", "16", "--local", "16", "--arg", "buf:16:iota", "--arg", "local:64",
                "tests/races/kernels/scans/scan_blelloch_no_middle_barrier.cl", env=environment)
    ok(found.returncode == 1 and "data race" in found.stdout, "the installed command finds a race")
    checked = run(refcl, "litmus", "check", f"{folder}/usr/share/refcl/suite/message-passing/MP+rel+acq.litmus", env=environment)
    ok(checked.returncode in (0, 1) and "condition fails" in checked.stdout, "the installed suite is judged by the installed model")
    pages = f"{folder}/usr/share/doc/refcl"
    documents = set(os.listdir(pages))
    bugs = [set(os.listdir(d)) for d in ("tools/examples/bugs", f"{folder}/usr/share/doc/refcl/examples/bugs")]
    ok(bugs[0] == bugs[1], "the files of the ten minutes are installed")
    ok({"README.md", "distributions.md", "on-driver.md"} <= documents, "documents are installed")
    named = set(re.findall(r"[\w-]+\.md", run(refcl, "-h").stdout))
    ok({"ten-minutes.md", "litmus-format.md", "cat.md"} <= named <= documents, "... and those that the help names")
    links = []
    for name in sorted(documents - {"examples"}):
        with open(f"{pages}/{name}", encoding="utf-8") as file:
            links += [(name, link) for link in re.findall(r"\]\(([^)#]+)\)", file.read())]
    missing = [(name, link) for name, link in links if not os.path.exists(f"{pages}/{link}")]
    ok(len(links) > 8 and not missing, f"links of installed documents: {missing}")
    scripts = ["bash-completion/completions/refcl", "zsh/site-functions/_refcl", "fish/vendor_completions.d/refcl.fish"]
    ok(all(os.path.getsize(f"{folder}/usr/share/{s}") > 1000 for s in scripts), "completion is installed")
    with open(f"{folder}/root/etc/OpenCL/vendors/refcl.icd", encoding="utf-8") as file:
        ok(file.read().strip() == f"{folder}/usr/lib/refcl/librefcl.so", "the loader finds the library's folder")


def result(rule, uri, line, text, fingerprint=None):
    r = {"ruleId": rule, "message": {"text": text}, "locations": [
        {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}]}
    if fingerprint:
        r["partialFingerprints"] = {"refcl/v1": fingerprint}
    return r


def baseline(folder):
    def sarif(name, results):
        with open(f"{folder}/{name}", "w", encoding="utf-8") as out:
            json.dump({"version": "2.1.0", "runs": [{"results": results}]}, out)
        return f"{folder}/{name}"

    def new_findings(*words):
        return run("/usr/bin/python3", "tools/packaging/ci/new_findings.py", *words)

    race, other = result("data-race", "a.cl", 3, "race on element 5"), result("data-race", "b.cl", 3, "race on element 5")
    known = f"{folder}/baseline.sarif"
    first = sarif("first", [race])
    ok(new_findings(known, first).returncode == 1, "without a baseline each finding is new")
    ok(new_findings("--accept", known, first).returncode == 0 and new_findings(known, first).returncode == 0, "accepted findings are not")
    ok(new_findings(known, sarif("moved", [result("data-race", "a.cl", 9, "race on element 7")])).returncode == 0,
       "nor is one on another line")
    added = new_findings(known, sarif("added", [race, other]))
    ok(added.returncode == 1 and "b.cl:3" in added.stdout and "a.cl" not in added.stdout, "one in another file is, alone")
    marked = sarif("marked", [result("data-race", "a.cl", 3, "text", "1")])
    new_findings("--accept", known, marked)
    ok(new_findings(known, sarif("same", [result("data-race", "c.cl", 1, "other", "1")])).returncode == 0
       and new_findings(known, sarif("differs", [result("data-race", "a.cl", 3, "text", "2")])).returncode == 1,
       "fingerprints decide where there are any")

    def several(name, first, *others):
        one = result("data-race", "a.cl", 3, "text", first)
        one["properties"] = {"sameCause": list(others)}
        return sarif(name, [one])
    new_findings("--accept", known, several("two", "11", "12"))
    ok([new_findings(known, several("some", *prints)).returncode for prints in (("11", "12"), ("12", "11"), ("12",), ("11", "12", "13"))] == [0, 0, 0, 1],
       "a finding below a known one of the same cause is new, too")


def suite(folder):
    """The scripts of the sample jobs, with a suite that has findings and passes, fails, or uses no OpenCL."""
    histogram = os.path.abspath(f"{BUILD}/tests/clients/racy_histogram")
    environment = dict(os.environ, PATH=os.path.abspath(BUILD) + ":" + os.environ["PATH"])

    def job(name, command):
        return run("sh", "tools/packaging/ci/run_suite.sh", f"{folder}/{name}", "sh", "-c", command, env=environment)

    passed, failed, other = job("passes", f"{histogram} tests/clients/racy_histogram.cl; true"), job("fails", f"{histogram}; exit 5"), job("other", "true")
    found = [f"{folder}/passes/{name}" for name in ("findings.sarif", "findings.xml", "report.json")]
    ok(passed.returncode == 0 and all(os.path.exists(f) for f in found), "a suite with findings passes")
    ok(failed.returncode == 1 and "status 5" in failed.stdout, "one that fails does not")
    ok(other.returncode == 3, "nor one that refcl does not see")
    new = run("/usr/bin/python3", "tools/packaging/ci/new_findings.py", f"{folder}/none.sarif", found[0])
    ok(new.returncode == 1 and "data-race" in new.stdout, "the findings are new")

    # The accepted race moves by a line, and a second one is added: the first barrier is missing.
    with open("tests/clients/racy_histogram.cl", encoding="utf-8") as file:
        text = file.read()
    with open(f"{folder}/kernel.cl", "w", encoding="utf-8") as file:
        file.write(text)

    def compare(name):
        job(name, f"{histogram} {folder}/kernel.cl; true")
        return run("/usr/bin/python3", "tools/packaging/ci/new_findings.py", f"{folder}/known.sarif", f"{folder}/{name}/findings.sarif")

    compare("accepted")
    run("/usr/bin/python3", "tools/packaging/ci/new_findings.py", "--accept", f"{folder}/known.sarif", f"{folder}/accepted/findings.sarif")
    ok(compare("again").returncode == 0, "once accepted they are not, in another run")
    with open(f"{folder}/kernel.cl", "w", encoding="utf-8") as file:
        file.write("// moved\n" + text.replace("    barrier(CLK_LOCAL_MEM_FENCE);\n", "", 1))
    seeded = compare("seeded")
    ok(seeded.returncode == 1 and "'bins'" in seeded.stdout and "'total'" not in seeded.stdout, "a seeded one is, alone")
    if seeded.returncode != 1:
        print("# " + seeded.stdout.replace("\n", "\n# "))


def unpacked(folder):
    """make dist in the tree that it creates."""
    made = run("make", "--no-print-directory", "-s", f"BUILD={folder}/build", "dist")
    version = re.search(r"refcl-[\d.]+(?=\.tar\.gz)", made.stdout)
    ok(made.returncode == 0 and version, "make dist")
    archive = f"{folder}/build/dist/{version[0]}.tar.gz"
    files = sorted(run("tar", "tzf", archive).stdout.splitlines())
    run("tar", "xzf", archive, "-C", folder)
    again = run("make", "--no-print-directory", "-s", "-C", f"{folder}/{version[0]}", "BUILD=build", "dist")
    same = sorted(run("tar", "tzf", f"{folder}/{version[0]}/build/dist/{version[0]}.tar.gz").stdout.splitlines())
    ok(again.returncode == 0 and [f for f in files if not f.endswith("/")] == same, "... and from its own tarball")


def roots(folder):
    """Files of a root of make distro-check are not the build's."""
    os.makedirs(f"{folder}/build/noble/root/usr")
    with open(f"{folder}/build/noble/root/usr/other.d", "w", encoding="utf-8") as out:
        out.write("no rule: of: make\n")
    ok(run("make", "--no-print-directory", f"BUILD={folder}/build", "help").returncode == 0, "a root of another distribution is left out")


def guide(folder):
    with open("memmodel/cat/docs/cat.md", encoding="utf-8") as file:
        block = re.search(r'^    "A title"\n(?:    .*\n)+', file.read(), re.M).group()
    with open(f"{folder}/guide.cat", "w", encoding="utf-8") as out:
        out.write(block.replace("\n    ", "\n").strip() + "\n")
    tests = [f"litmus/suite/message-passing/MP+{t}.litmus" for t in ("rel+acq", "rlx+rlx")]
    text = run(os.path.join(BUILD, "refcl"), "litmus", "check", "--model", f"{folder}/guide.cat", *tests).stdout
    lines = [line for line in text.splitlines() if ".litmus" in line]
    ok(len(lines) == 2 and "condition fails" in lines[0] and "race none" in lines[0]
       and "condition holds" in lines[1] and "race found" in lines[1], "the guide's model decides message passing")


with tempfile.TemporaryDirectory() as temporary:
    installed(temporary)
    baseline(temporary)
    suite(temporary)
    unpacked(temporary)
    roots(temporary)
    guide(temporary)
print(f"1..{number}")
