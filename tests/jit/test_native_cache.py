#!/usr/bin/python3
"""Compiled kernels on disk: other processes reuse them, they are never trusted, and nothing fails without
them, or without memory or space for code."""
import ctypes
import os
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import check, done, skip, skip_all  # noqa: E402

try:
    import numpy
    import pyopencl  # noqa: F401
except ImportError:
    skip_all("no pyopencl")
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
if os.environ.get("SANITIZER"):
    skip_all("no sanitizer here: memory is limited")

CLIENT = """
import sys, numpy, pyopencl as cl
context = cl.Context(cl.get_platforms()[0].get_devices()[:1]); queue = cl.CommandQueue(context)
data = numpy.arange(64, dtype='f4'); buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=data)
program = cl.Program(context, 'kernel void k(global float *a, float x) { int i = get_global_id(0); a[i] = sqrt(a[i]) * F + x; }')
kernel = cl.Kernel(program.build(options=sys.argv[1:]), 'k'); kernel.set_args(buffer, numpy.float32(2))
cl.enqueue_nd_range_kernel(queue, kernel, (64,), (16,)); cl.enqueue_copy(queue, data, buffer)
print(data.astype('f8').sum())
"""
EXPECTED = {f: float((numpy.sqrt(numpy.arange(64, dtype="f4")) * numpy.float32(f) + numpy.float32(2)).astype("f8").sum()) for f in (3, 5)}
folder = tempfile.mkdtemp()
cache = folder + "/cache"


def start(factor=3, engine="jit", cache_dir=None, before=None):
    environment = dict(os.environ, REFCL_ENGINE=engine, REFCL_DEBUG="jit", REFCL_CACHE_DIR=cache_dir or cache,
                       OCL_ICD_VENDORS=BUILD + "/librefcl.so", OCL_ICD_FILENAMES=BUILD + "/librefcl.so", PYOPENCL_NO_CACHE="1",
                       OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # or their stacks exceed the memory limit
    return subprocess.Popen([sys.executable, "-c", CLIENT, f"-DF={factor}"], env=environment, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, preexec_fn=before)


def finish(process, factor=3):
    """Whether the result is right, and the notes."""
    out, notes = process.communicate()
    return process.returncode == 0 and float(out or "nan") == EXPECTED[factor], notes


def expect(name, word, **arguments):
    good, notes = finish(start(**arguments), arguments.get("factor", 3))
    check(name, good and word in notes, notes)


def object_at(data):
    """Position of an entry's object file, after the compiler's results; -1 if it has none."""
    return data.find(b"\x7fELF\x02", 32 + struct.unpack("<4Q", data[:32])[2])


def entries():
    """All files except the one that holds the total size."""
    return sorted(name for name in os.listdir(cache) if name != ".total")


def native():
    """The entry with machine code in the cache."""
    for name in entries():
        with open(os.path.join(cache, name), "rb") as file:
            data = file.read()
        if object_at(data) >= 0:
            return os.path.join(cache, name), data
    return None, b""


def rewrite(change):
    path, data = native()
    with open(path, "wb") as file:
        file.write(change(data))


def summed(head, rest):
    """The cache's checksum of key and data."""
    mask = 2**64 - 1
    total = head[2]
    at = 0
    while len(rest) - at >= 8:
        total = (total ^ int.from_bytes(rest[at:at + 8], "little")) * 0x9e3779b97f4a7c15 & mask
        total ^= total >> 29
        at += 8
    for byte in rest[at:]:
        total = (total ^ byte) * 0x100000001b3 & mask
    return total ^ total >> 32


def no_object(data):
    """A complete entry with an invalid object file."""
    head = list(struct.unpack("<4Q", data[:32]))
    at = object_at(data)
    rest = data[32:at] + b"\0" * (len(data) - at)
    return struct.pack("<4Q", head[0], summed(head, rest), head[2], head[3]) + rest


try:
    expect("the first process compiles", ": compiled")
    check("and leaves machine code", native()[0] is not None, os.listdir(cache))
    expect("the second one loads it", ": loaded")
    expect("another program is another entry", ": compiled", factor=5)
    expect("which is found", ": loaded", factor=5)
    shutil.rmtree(cache)
    expect("an empty folder", ": compiled")
    for name, change in [("truncated", lambda d: d[:len(d) // 2]), ("changed", lambda d: d[:-99] + b"x" * 99), ("empty", lambda d: b""),
                         ("no object file", no_object)]:
        rewrite(change)
        expect(f"{name}: compiled again", ": compiled")
        expect(f"{name}: and kept", ": loaded")
    shutil.rmtree(cache)
    several = [start() for _ in range(4)]
    check("several writers", all([finish(p)[0] for p in several]))
    check("leave whole entries", len(entries()) == 2, entries())
    expect("that are found", ": loaded")
    with open(folder + "/file", "w"):
        pass
    expect("a file for a folder", ": compiled", cache_dir=folder + "/file")
    expect("a folder that cannot be", ": compiled", cache_dir="/proc/self/none")

    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))

    expect("a folder without room", ": compiled", cache_dir=folder + "/full", before=full)
    check("in which nothing is left", os.listdir(folder + "/full") == [], os.listdir(folder + "/full"))

    # PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN: written memory never becomes executable
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def no_code():
        prctl(65, 1, 0, 0, 0)

    if subprocess.run([sys.executable, "-c", "import ctypes; raise SystemExit(ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) != 0)"]).returncode == 0:
        expect("no memory for code", "runs in the interpreter", before=no_code, cache_dir="off")
        expect("nor for kept code", "runs in the interpreter", before=no_code)
    else:
        skip("no memory for code", "no PR_SET_MDWE")

    def little_memory():
        resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))

    good, notes = finish(start(before=little_memory, cache_dir="off"))
    check("no address space for LLVM", good or "MemoryError" in notes or "OUT_OF" in notes, notes)
    os.environ["REFCL_JIT"] = "/nonexistent"
    expect("no librefcl-jit.so", "nonexistent", cache_dir="off")
finally:
    shutil.rmtree(folder)
sys.exit(done())
