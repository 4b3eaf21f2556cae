#!/usr/bin/python3
"""darktable: all its OpenCL programs are built, and its pipeline processes an image as on the host."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from tap import check, done, skip  # noqa: E402

WIDTH, HEIGHT = 96, 64


def picture(path):
    """A PNG file with smooth gradients."""
    rows = b"".join(b"\0" + bytes(v for x in range(WIDTH) for v in (x * 2, y * 3, (x * y) % 256)) for y in range(HEIGHT))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks))


def exported(folder, opencl):
    """Output of darktable, and the exported image as floating-point values."""
    home = os.path.join(folder, opencl)
    os.makedirs(home)
    out = os.path.join(home, "out.pfm")
    # It uses no device of type CPU, and version 5 only known platforms or those enabled by an option.
    environment = dict(os.environ, HOME=home, XDG_CONFIG_HOME=home, XDG_CACHE_HOME=home, REFCL_DEVICE_TYPE="gpu", LC_ALL="C")
    run = subprocess.run(["darktable-cli", os.path.join(folder, "in.png"), out, "--core", "--configdir", home, "--cachedir", home,
                          "-d", "opencl", "-d", "perf", "--conf", "opencl=" + opencl, "--conf", "clplatform_refcl=true"],
                         env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                         timeout=float(os.environ.get("CLIENT_LIMIT", "600")))
    with open(out, "rb") as f:
        header = [f.readline().split() for _ in range(3)]
        count = 3 * int(header[1][0]) * int(header[1][1])
        return run.stdout.decode(errors="replace"), struct.unpack(f"<{count}f", f.read(4 * count))


def main():
    if not shutil.which("darktable-cli"):
        skip("darktable", "not installed: darktable")
        return done()
    with tempfile.TemporaryDirectory() as folder:
        picture(os.path.join(folder, "in.png"))
        said, actual = exported(folder, "true")
        _, host = exported(folder, "false")
    check("every program is built", "OpenCL successfully initialized" in said and not re.search("could not build|failed to build", said),
          said)
    check("modules of the pipeline run on the device", len(re.findall("processed .* on GPU", said)) >= 2, said)
    # Its two implementations differ by up to half a step of 8 bits.  In version 5 the host's result differs from the input.
    worst = max(abs(a - b) for a, b in zip(actual, host))
    check("the image is that of the host", len(actual) == len(host) == 3 * WIDTH * HEIGHT and worst <= 0.5 / 255, worst)
    return done()


sys.exit(main())
