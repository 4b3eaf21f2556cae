"""Build products for Python tests: the repository's ROOT, the BUILD folder, REFCL and RUNNER in it."""
import os

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
REFCL = os.environ.get("REFCL", os.path.join(BUILD, "refcl"))
RUNNER = os.path.join(BUILD, "refcl-litmus-run")
PATIENCE = 900  # seconds after which a process counts as hanging, even on a slow and busy machine
# Why a host program that `refcl host-cc` instruments does not run here, or None (see tests/skips.txt).
NO_HOST_CC = "no ThreadSanitizer here: its functions take the place of librefcl-host's" if os.environ.get("SANITIZER") == "thread" else None
WITHOUT_PRELOAD = ["env", "-u", "LD_PRELOAD"]  # to start browsers and fish, which do not work with a sanitizer's runtime
JOBS = int(os.environ.get("TEST_JOBS", min(8, len(os.sched_getaffinity(0)))))  # number of concurrent processes


def on_refcl(**variables):
    """The environment in which refcl is the OpenCL implementation."""
    return dict(os.environ, OCL_ICD_VENDORS=os.path.join(BUILD, "refcl.icd"),
                OCL_ICD_FILENAMES=os.path.join(BUILD, "librefcl.so"), **variables)
