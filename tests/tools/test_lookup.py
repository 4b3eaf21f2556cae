#!/usr/bin/env python3
"""Files of refcl are never read from the current directory, and reports name the model that decided, by path
and hash. Temporary folders are in TMPDIR, however long its name is."""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from tap import check
from built import BUILD, PATIENCE, REFCL, ROOT, on_refcl

NAMES = ("opencl.cat", "opencl-base.cat", "vulkan.cat", "sc.cat", "librefcl.so", "refcl-litmus-run", "refcl-kernel-host",
         "refcl-compiler", "librefcl-jit.so", "report.schema.json", "page.html", "opencl-c.h", "opencl-c-base.h", "warm.cl")
MODELS = os.path.join(ROOT, "memmodel/models")
TEST = os.path.join(ROOT, "litmus/suite/message-passing/MP+rel+acq.litmus")
KERNEL = "kernel void k(global int *x) { x[get_global_id(0)] = 1; }\n"
LAUNCH = ["-g", "2", "-l", "1", "-a", "buf:4"]


def run(*words, **options):
    return subprocess.run([REFCL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, **options)


def contents(path):
    with open(path, "rb") as f:
        return f.read()


def digest(*files):
    return hashlib.sha256(b"".join(contents(os.path.join(MODELS, f)) for f in files)).hexdigest()


def models(here):
    builtin = os.path.join(MODELS, "opencl.cat"), digest("opencl.cat", "opencl-base.cat")
    named = []
    done = run("litmus", "check", "--json", "-", TEST, cwd=here)
    named.append(("litmus check", done, json.loads(done.stdout or "{}")))
    done = run("explore", "--json", "-", *LAUNCH, "k.cl", cwd=here)
    named.append(("explore", done, (json.loads(done.stdout or "{}").get("tests") or [{}])[0]))
    done = run("kernel", "--quiet", "--predict", "--json", "-", *LAUNCH, "k.cl", cwd=here)
    named.append(("kernel --predict", done, json.loads(done.stdout or "{}")))
    for name, done, report in named:
        check(name + ": the built-in model, its path and hash", done.returncode == 0 and
              (report.get("model_path"), report.get("model_sha256")) == builtin, (done.returncode, done.stderr, report))
    done = run("litmus", "check", TEST, cwd=here)
    check("in text, too", "model: %s, sha256 %s\n" % builtin in done.stdout, done.stdout)
    done = run("litmus", "check", "-m", "./opencl.cat", TEST, cwd=here)
    check("a name with a slash is that file", done.returncode == 2 and "./opencl.cat" in done.stderr, done.stderr)
    done = run("litmus", "check", "-m", "own.cat", TEST, cwd=here)
    check("a name without one is not", done.returncode == 2 and "./own.cat" in done.stderr, done.stderr)
    done = run("litmus", "check", "--json", "-", "-m", "./own.cat", TEST, cwd=here)
    report = json.loads(done.stdout or "{}")
    check("an own model: path and hash", report.get("model_path") == "./own.cat" and report.get("model_sha256") ==
          hashlib.sha256(contents(os.path.join(here, "own.cat")) + contents(os.path.join(here, "part/one.cat")) +
                         contents(os.path.join(here, "part/two.cat"))).hexdigest(), (done.stderr, report))


def campaign(here):
    done = run("litmus", "run", "-q", "-n", "100", "-o", "results.json", TEST, cwd=here, env=on_refcl())
    check("litmus run: the runner that is installed", done.returncode == 0, done.stderr)
    done = run("litmus", "judge", "--json", "judged.json", "--junit", "judged.xml", "--sarif", "judged.sarif", "--html", "judged.html",
               "results.json", cwd=here)
    wanted = (os.path.join(MODELS, "opencl.cat"), digest("opencl.cat", "opencl-base.cat"))
    for name in ("json", "xml", "sarif", "html"):
        text = contents(os.path.join(here, "judged." + name)).decode()
        check("litmus judge: %s names path and hash" % name, all(w in text for w in wanted), text[:400])
    for schema, document in (("judgement", "judged.json"), ("results", "results.json")):
        try:
            import jsonschema
            with open(os.path.join(ROOT, "tools/schema/%s.schema.json" % schema), encoding="utf-8") as f:
                wrong = [e.message for e in jsonschema.Draft7Validator(json.load(f)).iter_errors(json.loads(contents(os.path.join(here, document))))]
            check(document + ": schema", not wrong, wrong)
        except ImportError:
            tap.skip(document + ": schema", "python3-jsonschema is not there")


def long_name(folder):
    base = os.path.join(folder, *["x" * 200] * 4)
    os.makedirs(base)
    with open(os.path.join(folder, "race.cl"), "w", encoding="utf-8") as f:
        f.write("kernel void k(global int *x) { x[0] = get_global_id(0); }\n")
    program = "import os, sys; sys.exit(not any(n.startswith('refcl-') for n in os.listdir(%r)))" % base
    done = run("run", "--", "python3", "-c", program, env=dict(os.environ, TMPDIR=base))
    check("TMPDIR of 800 characters is used", done.returncode == 3, done.stderr)
    capture = os.path.join(folder, "k.capture")
    done = run("capture", "-o", capture, "--", os.path.join(BUILD, "refcl-kernel-host"), "kernel", "k", "global", "4", "local", "2",
               "arg", "buf:4", os.path.join(folder, "race.cl"), env=on_refcl(TMPDIR=base))
    captured = [os.path.join(folder, n) for n in os.listdir(folder) if n.startswith("k.capture")]
    done = run("kernel", *captured[:1], env=dict(os.environ, TMPDIR=base)) if captured else done
    check("... for captured launches, too", done.returncode == 1 and "data race" in done.stderr, (captured, done.returncode, done.stderr))
    check("... and left empty", os.listdir(base) == [], os.listdir(base))
    missing = os.path.join(folder, "missing")
    done = run("run", "--", "true", env=dict(os.environ, TMPDIR=missing))
    check("a TMPDIR that is not there is named", "no temporary folder in '%s'" % missing in done.stderr, done.stderr)


def twins(folder):
    """Two files with the same bytes: the one on the command line is named, and neither if it is not known
    which was read."""
    for name in ("a.cl", "b.cl"):
        os.makedirs(os.path.join(folder, "twins"), exist_ok=True)
        with open(os.path.join(folder, "twins", name), "w", encoding="utf-8") as f:
            f.write("kernel void k(global int *x) { x[0] = get_global_id(0); }\n")
    host = os.path.join(BUILD, "refcl-kernel-host")
    words = ["kernel", "k", "global", "4", "local", "2", "arg", "buf:4"]
    for name in ("a.cl", "b.cl", "sub/../b.cl"):
        os.makedirs(os.path.join(folder, "twins/sub"), exist_ok=True)
        done = run("run", "--json", "-", "--quiet", "--", host, *words, name, cwd=os.path.join(folder, "twins"))
        files = {a["file"] for f in json.loads(done.stdout or '{"findings": []}')["findings"] for a in f["accesses"]}
        check("twins: %s is named" % name, len(files) == 1 and os.path.basename(files.pop()) == os.path.basename(name), done.stdout)
    done = run("run", "--json", "-", "--quiet", "--", "sh", "-c", "cp a.cl c && exec %s %s c" % (host, " ".join(words)), cwd=os.path.join(folder, "twins"))
    files = {a["file"] for f in json.loads(done.stdout or '{"findings": []}')["findings"] for a in f["accesses"]}
    check("twins: where it is not known which, none", files == {"program1.cl"} or len(files) == 1 and files.pop().startswith("program"), done.stdout)


def main():
    with tempfile.TemporaryDirectory() as folder:
        here = os.path.join(folder, "here")
        os.makedirs(os.path.join(here, "part"))
        for name in NAMES:
            with open(os.path.join(here, name), "w", encoding="utf-8") as f:
                f.write("#!/bin/sh\nexit 77\n")
            os.chmod(os.path.join(here, name), 0o755)
        for name, text in (("k.cl", KERNEL), ("own.cat", 'own\ninclude "part/one.cat"\nacyclic po as A\n'),
                           ("part/one.cat", 'include "two.cat"\n'), ("part/two.cat", "let mine = po\n"), ("two.cat", "no model\n")):
            with open(os.path.join(here, name), "w", encoding="utf-8") as f:
                f.write(text)
        models(here)
        campaign(here)
        shutil.rmtree(here)
        twins(folder)
        long_name(folder)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
