#!/usr/bin/env python3
"""Arguments of refcl kernel: by name, structures, vectors, images, samplers, files; signatures; Ctrl-C."""
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
import tap
from built import BUILD, PATIENCE, REFCL, on_refcl
from tap import check, skip

SOURCE = """struct inner { char c; float f; };
struct outer { int i; double d; struct inner in[2]; };
kernel void structure(global float *out, struct outer s)
{
    out[0] = s.i; out[1] = (float)s.d; out[2] = s.in[0].c; out[3] = s.in[0].f; out[4] = s.in[1].c; out[5] = s.in[1].f;
}
kernel void vector(global float *out, float4 v, uint2 w, global const int *list)
{
    vstore4(v, 0, out);
    out[4] = w.x; out[5] = w.y; out[6] = list[2];
}
kernel void image(read_only image2d_t in, sampler_t s, write_only image2d_t to, global float *out)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 v = read_imagef(in, s, at);
    write_imagef(to, at, v.zyxw);
    out[at.y * 2 + at.x] = v.x;
}
kernel void levels(read_only image2d_t in, sampler_t s, global float *out)
{
    int i = get_global_id(0);
    out[2 * i] = read_imagef(in, s, (float2)(0.6f, 0.6f), (float)i).x;
    out[2 * i + 1] = get_image_num_mip_levels(in);
}
kernel void halves(global half *h, global float *out) { out[0] = vload_half(1, h); }
"""
NAMED = """typedef unsigned u32; typedef float3 place; typedef half small; struct pair { int a, b; };
kernel void named(global u32 *u, global place *p, global small *h, global struct pair *s, global atomic_flag *f, global atomic_size_t *z,
                  global intptr_t *q, u32 n, place m, global float *out)
{
    int last = get_global_size(0) - 1;
    out[0] = u[last]; out[1] = p[last].z; out[2] = vload_half(last, h); out[3] = n; out[4] = m.y;
    s[last].b = 1; q[last] = 1;
    atomic_flag_clear_explicit(&f[last], memory_order_relaxed, memory_scope_device);
    atomic_store_explicit(&z[last], (size_t)1, memory_order_relaxed, memory_scope_device);
}
"""
SPIN = "kernel void k(global volatile int *x) { x[get_global_id(0)] = 1; while (get_global_id(0) == 0 && x[1] < 5) ; x[2] = 1; }\n"


def kernel(*words, **more):
    return subprocess.run([REFCL, "kernel", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, **more)


def printed(name, words, path, wanted):
    run = kernel("-q", "-k", name, *words, "-p", "out", path)
    got = run.stdout.partition(":")[2].split()
    check("%s: %s" % (name, " ".join(words)), run.returncode == 0 and [float(x) for x in got] == wanted, run.stdout + run.stderr)


def structures(path):
    wanted = [-3, 2.5, 65, 0.25, 66, 0.5, 0, 0]
    printed("structure", ["-a", "buf:8", "-a", "{-3, 2.5, {{65, 0.25}, {66, .5}}}"], path, wanted)
    printed("structure", ["-a", "s={-3, 2.5, {{65, 0.25}, {66, .5}}}", "-a", "out=buf:8"], path, wanted)
    printed("structure", ["-a", "buf:8:fill=9", "-a", "{7}"], path, [7, 0, 0, 0, 0, 0, 9, 9])
    for value, message in (("{1, 2, 3}", "use braces"), ("{1, 2, {}, 4}", "3 members is given 4 values"), ("{{1}}", "given a list")):
        run = kernel("-k", "structure", "-a", "buf:8", "-a", value, path)
        check("structure %s" % value, run.returncode == 2 and message in run.stderr, run.stderr)


def named_types(folder):
    """buf:N has N elements of any type, for each command; accesses past them are out of bounds."""
    path = os.path.join(folder, "named.cl")
    with open(path, "w") as f:
        f.write(NAMED)
    memory = ["-a", "buf:3:iota", "-a", "buf:3:iota", "-a", "buf:3:iota", "-a", "buf:3", "-a", "buf:3", "-a", "buf:3", "-a", "buf:3"]
    words = ["-k", "named", *memory, "-a", "3000000000", "-a", "1.5,2.5,3.5", "-a", "buf:5"]
    run = kernel("-q", "-g", "3", "-l", "1", *words, "-p", "out", path)
    check("buffers of types that the program names", [float(x) for x in run.stdout.partition(":")[2].split()] ==
          [2, 10, 2, 3e9, 2.5] and "out of" not in run.stderr and "of global object" not in run.stderr, run.stdout + run.stderr)
    run = kernel("--json", "-", "-q", "-g", "4", "-l", "1", *words, path)
    beyond = {f["message"].partition(" of global object ")[2].partition(" of ")[0] for f in json.loads(run.stdout)["findings"]
              if f["kind"] == "out-of-bounds"}
    check("and what lies beyond them", beyond == {"buffer %d" % n for n in range(1, 8)}, run.stdout + run.stderr)


def accesses(folder):
    path = os.path.join(folder, "access.cl")
    with open(path, "w") as f:
        f.write("kernel void k(global int *x, global int *out) { out[0] = x[1]; }\n")
    for memory in ("buf", "svm"):
        def argument(name, *words):
            return "-a", ":".join([f"{name}={memory}", "4", *words])
        printed("k", [*argument("x", "iota", "read_only"), *argument("out", "write_only")], path, [1, 0, 0, 0])
        for x, out, message in ((["write_only"], [], "which the kernel may not read [CL 5.3.3]"),
                              (["iota"], ["read_only"], "which the kernel may not write [CL 5.3.3]")):
            run = kernel("-k", "k", *argument("x", *x), *argument("out", *out), path)
            check("%s: %s" % (memory, message), run.returncode == 1 and run.stderr.count(" error: ") == 1 and message in run.stderr, run.stderr)
    run = kernel("-k", "k", "-a", "buf:4:read_onl", path)
    check("unknown access", run.returncode == 2 and "read_only, write_only and as=TYPE are possible" in run.stderr, run.stderr)


def images(path, folder):
    png = os.path.join(folder, "x.png")
    words = ["-q", "-k", "image", "-g", "2,2", "-a", "sampler", "-a", "out=buf:4", "-p", "out"]
    run = kernel(*words, "-a", "in=image:2d:2x2:rgba8:fill=255,0,51,255", "-a", "to=image:2d:2x2:rgba8:out=" + png, path)
    check("an image is filled, and one is written", run.returncode == 0 and run.stdout == "out: 1 1 1 1\n", run.stdout + run.stderr)
    if "without libpng" in run.stderr:
        skip("PNG", "built without libpng")
        return
    png_bomb(path, folder, words)
    run = kernel(*words, "-a", "in=image:2d:file=" + png, "-a", "to=image:2d:2x2:rgba8", path)
    check("what was written is read, its size, too", run.returncode == 0 and run.stdout.startswith("out: 0.2"), run.stdout + run.stderr)
    run = kernel(*words, "-a", "in=image:2d:2x2:r32f:iota", "-a", "to=image:2d:2x2:rgba8", path)
    check("an image of floats", run.stdout == "out: 0 1 2 3\n", run.stdout + run.stderr)
    run = kernel("-q", "-k", "levels", "-g", "3", "-a", "in=image:2d:4x4:r32f:levels=3:iota", "-a", "sampler:normalized", "-a", "out=buf:6",
                 "-p", "out", path)
    check("an image with levels, each with the same contents", run.stdout == "out: 10 3 3 3 0 3\n", run.stdout + run.stderr)
    for levels, message in ("0", "from 1 to 32 levels"), ("4", "CL_INVALID_IMAGE_DESCRIPTOR"):
        run = kernel(*words, "-a", "in=image:2d:4x4:r32f:levels=" + levels, "-a", "to=image:2d:2x2", path)
        check("%s levels" % levels, run.returncode == 2 and message in run.stderr, run.stderr)
    run = kernel(*words, "-a", "in=image:2d:2x2:rgb9", "-a", "to=image:2d:2x2", path)
    check("an unknown format", run.returncode == 2 and "is no format of images" in run.stderr, run.stderr)


def png_bomb(path, folder, words):
    """A header of 30000 x 30000 pixels, which need 3.6 GB, without any: refused for its size, not for its
    contents."""
    name = os.path.join(folder, "bomb.png")
    size = b"IHDR" + struct.pack(">IIBBBBB", 30000, 30000, 8, 6, 0, 0, 0)
    with open(name, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(c) - 4) + c + struct.pack(">I", zlib.crc32(c)) for c in
                                                (size, b"IDAT" + zlib.compress(bytes(9)), b"IEND")))
    for shape, message in ((":2x2:rgba8", "the image's size is not that of"), ("", "CL_INVALID_IMAGE_SIZE")):
        run = kernel(*words, "-a", "in=image:2d%s:file=%s" % (shape, name), "-a", "to=image:2d:2x2:rgba8", path)
        check("a picture of gigabytes for an image%s" % shape, run.returncode == 2 and message in run.stderr, run.stderr)


def npy(path, folder):
    """Files according to the format's description, written by hand."""
    name, back = os.path.join(folder, "in.npy"), os.path.join(folder, "out.npy")
    header = b"{'descr': '<i4', 'fortran_order': False, 'shape': (4,), }"
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<4i", 5, 6, 7, 8))
    words = ["-a", "out=buf:7:out=" + back, "-a", "v=1,2,3,4", "-a", "w=9"]
    printed("vector", words + ["-a", "list=buf:file=" + name], path, [1, 2, 3, 4, 9, 9, 7])
    with open(name, "rb") as f:
        whole = f.read()
    run = kernel("-k", "vector", "-a", "out=buf:7:out=/dev/full", *words[2:], "-a", "list=1,2,3", path)
    check("a file that cannot be written", run.returncode == 2 and "cannot write (No space left" in run.stderr, run.stderr)
    run = kernel("-k", "vector", *words, "-a", "list=buf:file=/dev/zero", path)
    check("a file without an end", run.returncode == 2 and "more than 256 MiB" in run.stderr, run.stderr)
    for shape in (b"(5,)", b"(-4,)", b"(99999999999,)", b"(4294967296, 4294967296)", b"(x,)", b"4", b"(4"):
        with open(name, "wb") as f:
            f.write(whole.replace(b"(4,), }" + b" " * (len(shape) - 4), shape + b", }" + b" " * (4 - len(shape))))
        run = kernel("-k", "vector", *words, "-a", "list=buf:file=" + name, path)
        check("a shape of %s without these elements" % shape.decode(), run.returncode == 2 and "its header's shape" in run.stderr,
              run.stderr)
    printed("vector", words + ["-a", "list={10, 20, 30}"], path, [1, 2, 3, 4, 9, 9, 30])
    with open(back, "rb") as f:
        data = f.read()
    length = struct.unpack("<H", data[8:10])[0]
    text = data[10:10 + length].decode()
    check("the file written is an array", data[:8] == b"\x93NUMPY\x01\x00" and (10 + length) % 64 == 0 and text.endswith("\n") and
          eval(text, {}) == {"descr": "<f4", "fortran_order": False, "shape": (7,)} and
          struct.unpack("<7f", data[10 + length:]) == (1, 2, 3, 4, 9, 9, 30), data)
    try:
        import numpy
        check("NumPy reads it", numpy.load(back).tolist() == [1, 2, 3, 4, 9, 9, 30])
    except ImportError:
        skip("NumPy reads it", "no numpy")
    run = kernel("-k", "vector", *words, "-a", "list=buf:4:file=" + back, path)
    check("a file of another type", run.returncode == 2 and "holds 'f4', the argument is of int" in run.stderr, run.stderr)
    with open(name, "wb") as f:
        f.write(whole)
    for count in (3, 5):
        run = kernel("-k", "vector", *words, "-a", "list=buf:%d:file=%s" % (count, name), path)
        check("a file of 4 elements for %d" % count, run.returncode == 2 and "holds 16 bytes, the argument has %d" % (4 * count) in run.stderr, run.stderr)
    archive = os.path.join(folder, "in.npz")
    with zipfile.ZipFile(archive, "w") as f:
        f.write(name, "in.npy")
    run = kernel("-k", "vector", *words, "-a", "list=buf:file=" + archive, path)
    check("an archive of arrays", run.returncode == 2 and "an .npz archive of arrays cannot be read" in run.stderr, run.stderr)
    for more, words in ((["-a", "v=1,2", "-a", "w=9"], "'v' (float4) takes 4 values or one for all, 2 are given"), (["-a", "v=1", "-a", "w=1.5"], "'w' (uint2) cannot be 1.5, which is no integer of 32 bits"),
                        (["-a", "v=1", "-a", "w=1,4294967296"], "cannot be 4294967296, which"), (["-a", "v=1", "-a", "w=1,-2147483649"], "cannot be -2147483649, which"),
                        (["-a", "v=1", "-a", "w=1,0x123456789"], "cannot be 0x123456789, which")):
        run = kernel("-k", "vector", "-a", "out=buf:7", "-a", "list=buf:4", *more, path)
        check("numbers that the type has not: " + " ".join(more), run.returncode == 2 and words in run.stderr, run.stderr)
    run = kernel("-k", "vector", "-a", "out=buf:7", "-a", "list=buf:4:fill=5000000000", "-a", "v=1", "-a", "w=1,-1", path)
    check("... in memory", run.returncode == 2 and "cannot be 5000000000, which" in run.stderr, run.stderr)
    run = kernel("-k", "structure", "-a", "out=buf:64", "-a", "s=5", path)
    check("one number for a structure", run.returncode == 2 and "is a structure: its members are given in braces" in run.stderr, run.stderr)
    printed("halves", ["-a", "h=buf:2:fill=1.5", "-a", "out=buf:1"], path, [1.5])


def signatures(path):
    run = kernel(path)
    check("signatures", run.returncode == 0 and "kernel void structure(global float *out, struct outer s)\n" in run.stdout and
          "kernel void vector(global float *out, float4 v, uint2 w, global const int *list)\n" in run.stdout and
          "kernel void image(read_only image2d_t in, sampler_t s, write_only image2d_t to, global float *out)\n" in run.stdout, run.stdout)
    lines = [line.strip() for line in run.stdout.split("\n") if line.startswith("    refcl kernel ")]
    check("a command for each", len(lines) == 5, run.stdout)
    for line in lines:
        again = subprocess.run(line.replace("refcl kernel", REFCL + " kernel -q", 1), shell=True, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        check("it runs: " + line.split(" -k ")[1].split()[0], again.returncode in (0, 1), line + again.stderr)


def explored(folder):
    """The same syntax in refcl explore."""
    path = os.path.join(folder, "sum.cl")
    with open(path, "w") as f:
        f.write("kernel void k(global int *a, global int *b, int n) { if (get_global_id(0) == 0) b[0] = a[2] + n; }\n")
    words = [REFCL, "explore", "-g", "2", "--assert", "forall (b[0] == 12)"]
    for more in (["n=10", "b=buf:1", "a=buf:3:iota"], ["b=buf:1", "{5, 6, 2}", "10"], ["buf:4:fill=5", "buf:1", "n=7"]):
        run = subprocess.run(words + [word for text in more for word in ("-a", text)] + [path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, timeout=PATIENCE)
        check("explore: " + " ".join(more), run.returncode == 0 and "condition holds" in run.stdout, run.stdout + run.stderr)
    for more, message in ((["a=buf:3", "c=1"], "no argument 'c'"), (["sampler"], "the argument is no image or sampler"), (["buf:x"], "not: x"), (["n=4294967296"], "4294967296 is no integer of 32 bits"), (["buf:2:fill=0.5"], "0.5 is no integer of 32 bits"),
                          (["buf:1", "buf:1", "1", "2"], "only 3 arguments")):
        run = subprocess.run(words + [word for text in more for word in ("-a", text)] + [path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, timeout=PATIENCE)
        check("explore refuses: " + " ".join(more), run.returncode == 2 and message in run.stderr, run.stdout + run.stderr)


def explored_files(folder):
    """Contents from files in refcl explore: plain bytes, and arrays whose type is that of the argument."""
    path, name = os.path.join(folder, "pairs.cl"), os.path.join(folder, "pairs.npy")
    with open(path, "w") as f:
        f.write("kernel void k(global float2 *a, global int *b, global float *o) { o[0] = a[1].x * 10 + a[0].y + b[1]; }\n")
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }"
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<4f", 1.5, 2, 3, 4))
    plain = os.path.join(folder, "plain.bin")
    with open(plain, "wb") as f:
        f.write(struct.pack("<2i", 7, -100))
    for a, b, code, message in (("buf:2:file=" + name, "buf:2:file=" + plain, 0, "condition holds"), ("buf:file=" + name, "buf:file=" + plain, 0, "condition holds"),
                                ("buf:2:file=" + name, "buf:4:file=" + name, 2, "the elements of the file differ"),
                                ("buf:3:file=" + name, "buf:2:file=" + plain, 2, "the size of the file differs"), ("buf:2:file=" + name, "buf:1:file=" + plain, 2, "the size of the file differs"),
                                ("buf:2:file=" + name, "buf:4:file=" + name + "x", 2, "the file cannot be read")):
        run = subprocess.run([REFCL, "explore", "-g", "1", "--assert", "forall (o[0] == -68.0)", "-a", "a=" + a, "-a", "b=" + b, "-a", "o=buf:1", path],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        check("explore: %s %s" % (os.path.basename(a), os.path.basename(b)), run.returncode == code and message in run.stdout + run.stderr, run.stdout + run.stderr)


def captured(folder):
    """Arguments of a captured launch are replaced by name, in the syntax of a kernel's file; explore refuses
    them."""
    path, launch = os.path.join(folder, "kept.cl"), os.path.join(folder, "kept.cap")
    with open(path, "w") as f:
        f.write("typedef struct { int a; short b[2]; } pair;\n"
                "kernel void k(global int *in, pair p, global int *o) { o[get_global_id(0)] = in[get_global_id(0)] + p.a * p.b[1]; }\n")
    subprocess.run([REFCL, "capture", "-o", launch, "--", REFCL, "kernel", "-g", "4", "-a", "in=buf:4:iota", "-a", "p={1, {0, 1}}", "-a", "o=buf:4", path],
                   check=True, stderr=subprocess.DEVNULL, timeout=PATIENCE)
    for words, expected in ((["in=buf:4:fill=6"], [7, 7, 7, 7]), (["in=svm:4:iota", "p={10, {0, 2}}"], [20, 21, 22, 23]), (["p={5, {0, 3}}", "in={1, 2, 3, 4}"], [16, 17, 18, 19])):
        run = kernel(*[word for text in words for word in ("-a", text)], "-p", "o", launch)
        shown = [int(word) for word in run.stdout.replace("o:", "").split()]
        check("a captured launch with " + ", ".join(words), run.returncode == 0 and shown == expected, run.stdout + run.stderr)
    run = kernel("-a", "buf:4", launch)
    check("an argument without a name", run.returncode == 2 and "--arg NAME=SPEC replaces the argument NAME" in run.stderr, run.stderr)
    run = subprocess.run([REFCL, "explore", launch], stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    check("explore takes no captured launch", run.returncode == 2 and "refcl kernel executes" in run.stderr, run.stderr)


def captured_image(folder):
    """An image of 64 x 64 texels in a captured launch, whose file is too short: by rows without gaps, and
    with a pitch."""
    data, source = os.path.join(folder, "texels"), os.path.join(folder, "captured.cl")
    with open(source, "w") as f:
        f.write("kernel void k(read_only image2d_t in) {}\n")
    for pitch, size, fits in ((0, 4 * 64 * 64, True), (0, 4 * 64 * 64 - 1, False), (512, 63 * 512 + 256, True), (512, 63 * 512 + 255, False)):
        with open(data, "wb") as f:
            f.write(bytes(size))
        # flags, parent, type (2D), order (RGBA), channel (UNORM_INT8), width, height, depth, layers, pitch, region, row, slice, levels, file
        memory = f"image:4:4294967295:{0x10F1}:{0x10B5}:{0x10D2}:64:64:1:0:0:64:64:1:{pitch}:0:0:{data}"
        done = subprocess.run([os.path.join(BUILD, "refcl-kernel-host"), "captured", "yes", "kernel", "k", "memory", memory, "arg", "@image:0",
                               source], capture_output=True, text=True, timeout=PATIENCE, env=on_refcl())
        check(f"a captured image of {size} bytes, pitch {pitch}", done.returncode == (0 if fits else 2) and
              fits != ("contents of an image have another size" in done.stderr), (done.returncode, done.stderr))


def interrupted_launch(folder):
    """Compiled launches are recorded when they end: the report says so; interpreted launches are checked up
    to the interruption."""
    path, trace = os.path.join(folder, "endless.cl"), os.path.join(folder, "endless.trace")
    with open(path, "w") as f:
        f.write("kernel void k(global int *a) { a[0] += 1; if (get_global_id(0) == 1) while (a[1] == 0) a[3]++; }\n")
    process = subprocess.Popen([REFCL, "kernel", "-g", "2", "-l", "1", "-a", "buf:4", "-t", trace, path], stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "REFCL_ENGINE": "interp"})
    while process.poll() is None and not (os.path.exists(trace) and os.path.getsize(trace) > 100000):
        os.sched_yield()
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=PATIENCE)[1]
    check("an interrupted launch", process.returncode == 130 and "error: data race on argument 'a'" in text and
          "a compiled launch that had not ended then is not checked; with REFCL_ENGINE=interp" in text, text)


def interrupted(folder):
    """The kernel has raced, and the report says so, when it is interrupted in its endless loop."""
    path = os.path.join(folder, "spin.cl")
    with open(path, "w") as f:
        f.write(SPIN)
    process = subprocess.Popen([REFCL, "kernel", "--schedule", "fair", "-g", "2", "-l", "1", "-a", "buf:8", "-t", os.path.join(folder, "t"), path],
                               stderr=subprocess.PIPE, text=True)
    trace = os.path.join(folder, "t")
    while process.poll() is None and not (os.path.exists(trace) and os.path.getsize(trace) > 100000):
        os.sched_yield()
    process.send_signal(signal.SIGINT)
    _, text = process.communicate(timeout=PATIENCE)
    check("an interrupted run ends with 130 and a report", process.returncode == 130 and "data race" in text and "what it did until then was checked" in text,
          (process.returncode, text))


def main():
    if not os.path.exists(REFCL):
        tap.skip_all("%s is not built" % REFCL)
    with tempfile.TemporaryDirectory(prefix="refcl-test.") as folder:
        path = os.path.join(folder, "kernels.cl")
        with open(path, "w") as f:
            f.write(SOURCE)
        structures(path)
        named_types(folder)
        accesses(folder)
        npy(path, folder)
        images(path, folder)
        signatures(path)
        explored(folder)
        explored_files(folder)
        captured(folder)
        captured_image(folder)
        interrupted(folder)
        interrupted_launch(folder)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
