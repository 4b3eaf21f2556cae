#!/usr/bin/env python3
"""A privileged program (set-user-id, set-group-id, file capabilities) in which a loader loads the layer: no
variable of its caller makes the layer write a file or run a program."""
import os
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
from built import BUILD, PATIENCE
from privileged import ways
from tap import check, done, skip

NAME = "a program with more rights"
POCL = os.environ.get("REFCL_POCL_ICD", "/etc/OpenCL/vendors/pocl.icd")
if os.environ.get("SANITIZER"):
    print("1..0 # SKIP no sanitizer here: their runtimes are preloaded")
    sys.exit(0)
if not os.path.exists(POCL):
    print("1..0 # SKIP no PoCL")
    sys.exit(0)

folder = tempfile.mkdtemp()
os.chmod(folder, 0o755)
try:
    out, cache, layer = (os.path.join(folder, name) for name in ("out", "cache", "librefcl-layer.so"))
    for path in (out, cache):
        os.mkdir(path)
        os.chmod(path, 0o1777)
    shutil.copy(os.path.join(BUILD, "librefcl-layer.so"), layer)
    plain, privileged = os.path.join(folder, "plain"), os.path.join(folder, "privileged")
    subprocess.run([os.environ.get("CC", "gcc"), "-std=gnu11", "-o", plain, os.path.join(here, "hosts.c"), "-ldl", "-pthread"], check=True)
    shutil.copy(plain, privileged)
    variables = {"OCL_ICD_VENDORS": POCL, "OPENCL_LAYERS": layer, "POCL_CACHE_DIR": cache, "PATH": os.environ["PATH"], "HOME": cache}
    outputs = {"trace": {"REFCL_LAYER_TRACE": f"{out}/trace"}, "report": {"REFCL_LAYER_REPORT": f"{out}/report.json"},
               "capture": {"REFCL_LAYER_TRACE": f"{out}/trace", "REFCL_LAYER_CAPTURE": f"{out}/%n.cap"}}

    def run(program, way, **caller):
        """Whether the layer was loaded; the exit code; the names of the files that were written."""
        for name in os.listdir(out):
            os.remove(os.path.join(out, name))
        finished = subprocess.run([program, "maps"], env=dict(variables, **outputs[way]), text=True, timeout=PATIENCE,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **caller)
        return layer in finished.stdout, finished.returncode, sorted(os.listdir(out))

    for way in outputs:
        loaded, code, files = run(plain, way)
        check(f"{way}: a program without more rights is recorded", loaded and code == 0 and files, f"{loaded} {code} {files}")
    if os.geteuid() != 0:
        skip(NAME, "no root: makes one of another user")
    elif os.statvfs(folder).f_flag & os.ST_NOSUID:
        skip(NAME, f"{folder} is on a file system without set-user-id programs")
    else:
        for rights, caller in ways(privileged):
            for way in outputs:
                loaded, code, files = run(privileged, way, **caller)
                check(f"{way}: a program runs ({rights}), and no file is written", code == 0 and not files, f"{loaded} {code} {files}")
                if not loaded:
                    print("# its loader does not load layers")
finally:
    shutil.rmtree(folder)
sys.exit(done())
