#!/usr/bin/env python3
"""Real applications under `refcl run --on-driver` on PoCL: same exit code as without the layer, no findings."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../lib"))
from built import BUILD as build, REFCL as refcl
from tap import check, done, skip

POCL = os.environ.get("REFCL_POCL_ICD", "/etc/OpenCL/vendors/pocl.icd")
LIMIT = int(os.environ.get("CLIENT_LIMIT", 1200))


def client(name):
    return os.path.join(here, "client_" + name)


CLIENTS = [
    ("clinfo", ["clinfo"]),
    ("pyopencl", ["/usr/bin/python3", client("pyopencl.py")]),  # fails on PoCL, which takes a broken binary
    ("algorithms of pyopencl", ["/usr/bin/python3", client("algorithms.py")]),
    ("clFFT", [os.path.join(build, "tests/clients/packages/client_clfft")]),
    ("ViennaCL", [client("viennacl.sh")]),
    ("Boost.Compute", [client("boost.sh")]),
    ("OpenCV", ["/usr/bin/python3", client("opencv.py")]),
    ("FFmpeg", [client("ffmpeg.sh")]),
    ("hcxkeys", [client("hcxkeys.sh")]),
    ("transfers of clpeak", ["clpeak", "--transfer-bandwidth"]),
    ("launches of clpeak", ["clpeak", "--kernel-latency"]),
] + [("CLBlast " + r, ["clblast_test_" + r, "-platform", "0", "-device", "0"]) for r in ("xswap", "xaxpy", "xomatcopy")]


def judge(name, command, folder):
    if not shutil.which(command[0]):
        skip(name, "not installed: " + command[0])
        return
    alone = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT,
                           env=dict(os.environ, OCL_ICD_VENDORS=POCL)).returncode
    report_file = os.path.join(folder, "report.json")
    run = subprocess.run([refcl, "run", "--on-driver", "--icd", POCL, "--json", report_file, "--", *command],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT)
    with open(report_file) as f:
        findings = [f["message"] for f in json.load(f)["findings"]]
    text = run.stderr.decode("utf-8", "replace")
    # 3: a part of the program is not checked, which the report names.
    allowed = {0, 3} if alone == 0 else {1}
    check(name + ": nothing is found, and it ends as ever", not findings and run.returncode in allowed,
          "exit %d, alone %d\n%s\n%s" % (run.returncode, alone, "\n".join(findings), text[-600:]))


if not os.path.exists(POCL):
    print("1..0 # SKIP no PoCL")
    sys.exit(0)
with tempfile.TemporaryDirectory() as directory:
    for words in CLIENTS:
        judge(*words, directory)
sys.exit(done())
