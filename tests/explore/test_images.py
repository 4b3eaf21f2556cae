#!/usr/bin/env python3
"""Images in explore: kernels with their verdicts, by both engines, and the detector's findings in the same
launches."""
import json
import os
import random as randomness
import shlex
import struct
import subprocess
import sys
import tempfile

from test_kernels import ENGINES, HERE, PATIENCE, REFCL, explore, header, kernels, run
import tap

IMAGES = os.path.join(HERE, "images")
# The finding of refcl kernel for each flag; races between writes of equal values have a separate kind.
FINDINGS = {"uniform-write": "data-race", "data_race": "data-race", "image_unfenced": "image-unfenced-read", "out_of_bounds": "out-of-bounds"}


def expected_finding(path):
    items = dict(item.split() for line in header(path, "Expect") for item in line.split(","))
    found = [FINDINGS[flag] for flag in items.get("flags", "").split("+") if flag in FINDINGS]
    return (found or [""])[0] or ("data-race" if items.get("race") == "found" else "")


def detected(path, words):
    """The kinds of findings in the launch that WORDS describe, as refcl kernel executes it."""
    options = [word for i, word in enumerate(words) if "--assert" not in (word, words[i - 1])]
    done = subprocess.run([REFCL, "kernel", "--json", "-", *options, path], capture_output=True, text=True, timeout=PATIENCE,
                          check=False)
    try:
        return {FINDINGS.get(finding["kind"], finding["kind"]) for finding in json.loads(done.stdout)["findings"]}
    except (ValueError, LookupError):
        return {f"no report: {done.stderr}"}


def check_detection():
    for path in kernels(IMAGES):
        name = os.path.basename(path)
        if list(header(path, "Error")) or any(":any" in line for line in header(path, "Options")):
            continue
        wanted, got = expected_finding(path), detected(path, shlex.split(" ".join(header(path, "Options"))))
        tap.check(f"{name} detection", got == ({wanted} if wanted else set()), f"expected '{wanted}', got {sorted(got)}")


LAUNCH = ["--global", "4", "--local", "2", "--arg", "image:1d:4:r32i", "--arg", "buf:4", "--arg", "buf:4"]
PLACES = ["x", "x ^ 1", "3 - x", "x / 2", "(x + 1) % 4", "x & 2"]


def random_kernel(random):
    """Straight-line accesses of an image, a buffer and local memory, and barriers with any flags."""
    lines = ["kernel void k(read_write image1d_t image, global int *shared, global int *out)", "{",
             "    local int part[4];", "    int x = get_global_id(0), sum = 0;", "    part[x] = 0;"]
    for _ in range(random.randint(2, 6)):
        at = random.choice(PLACES)
        flags = " | ".join(random.sample(["CLK_IMAGE_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE"], random.choice([1, 1, 2, 3])))
        order = random.choice(["acq_rel", "acq_rel", "acq_rel", "relaxed", "acquire", "release"])
        lines.append("    " + random.choice([
            f"write_imagei(image, {at}, (int4)(sum + 1));", f"sum += read_imagei(image, {at}).x;", f"barrier({flags});",
            f"barrier({flags});", f"atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_{order}, memory_scope_work_item);",
            f"shared[{random.choice(['x', at])}] = sum;", f"sum += shared[{random.choice(['x', at])}];", f"part[{random.choice(['x', at])}] = sum;",
            f"sum += part[{random.choice(['x', 'x', at])}];"]))
    return "\n".join([*lines, "    out[x] = sum;", "}", ""])


def check_random(count):
    """Random kernels: both engines have the detector's findings."""
    random, clean = randomness.Random(24), 0
    for number in range(count):
        with tempfile.NamedTemporaryFile("w", suffix=".cl") as file:
            file.write(random_kernel(random))
            file.flush()
            found = {}
            for engine in "search", "z3":
                done, test = explore(file.name, engine, LAUNCH)
                found[engine] = ({FINDINGS.get(flag, flag) for flag in test["flags"]} - {"illegal_image_fence"}  # the detector does not judge usage
                                 if "flags" in test else done.returncode)
            wanted = detected(file.name, LAUNCH)
            clean += not wanted
            with open(file.name, encoding="utf-8") as text:
                tap.check(f"random kernel {number}", found["search"] == found["z3"] == wanted, f"{found}, detection: {wanted}\n{text.read()}")
    tap.check("some random kernels are correct, and some are not", count < 8 * clean < 7 * count, f"{clean} of {count} are correct")


SAMPLED = "kernel void k(read_only {kind}_t image, sampler_t s, global uint4 *out)\n{{\n{reads}}}\n"
KINDS = {"image1d": ("image:1d:5", 1), "image2d": ("image:2d:4x3", 2), "image1d_array": ("image:1d_array:4x3", 2),
         "image2d_array": ("image:2d_array:3x2x2", 4), "image3d": ("image:3d:2x3x2", 4)}  # with coordinates


def check_samples(count):
    """Random coordinates, samplers and formats: the texels have the bits that the interpreter computes."""
    random = randomness.Random(8)
    for number in range(count):
        kind = random.choice(sorted(KINDS))
        image, sides = KINDS[kind]
        image += random.choice([":r32f:iota", ":rgba8:iota", ":rg16f:iota", ":rgba16s:iota", ":bgra8:iota"])
        sampler = ":".join(["sampler", random.choice(["edge", "clamp", "edge:normalized", "clamp:normalized", "repeat:normalized",
                                                       "mirror:normalized"]), random.choice(["nearest", "linear"])])
        places = [[random.randint(-12, 24) / random.choice([2, 4, 7]) for _ in range(sides)] for _ in range(3)]
        vectors = [f"(float{sides if sides > 1 else ''})({', '.join(f'{c!r}f' for c in p)})" for p in places]
        reads = "".join(f"    out[{i}] = as_uint4(read_imagef(image, s, {v}));\n" for i, v in enumerate(vectors))
        with tempfile.TemporaryDirectory() as folder:
            path, output = os.path.join(folder, "k.cl"), os.path.join(folder, "out.npy")
            with open(path, "w", encoding="utf-8") as file:
                file.write(SAMPLED.format(kind=kind, reads=reads))
            launch = ["-g", "1", "-a", image, "-a", sampler, "-a"]
            subprocess.run([REFCL, "kernel", *launch, f"buf:3:out={output}", path], capture_output=True, timeout=PATIENCE, check=True)
            with open(output, "rb") as file:
                values = [item[0] for item in struct.iter_unpack("<I", file.read()[-48:])]
            wanted = " and ".join(f"out[{i // 4}][{i % 4}] == {value}" for i, value in enumerate(values))
            for engine in "search", "z3":
                done, test = explore(path, engine, [*launch, "buf:3", "--assert", wanted])
                tap.check(f"sample {number} {engine}", test.get("condition") == "holds",
                          f"{image} {sampler} {reads}{wanted}\n{test} {done.stderr}")


def check_witnesses():
    """Executions of all kernels with images are replayed; races are written, read and replayed, and the
    detector finds them."""
    replayed = 0
    for path in kernels(IMAGES):
        name = os.path.basename(path)
        options = shlex.split(" ".join(header(path, "Options")))
        if list(header(path, "Error")):
            continue
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([REFCL, "explore", "--witness", folder, *options, path], capture_output=True, text=True,
                                  timeout=PATIENCE, check=False)
            written = sorted(os.listdir(folder))
            tap.check(f"{name} witnesses", "NOT replayed" not in done.stdout and "witness replayed" in done.stdout and written,
                      done.stdout + done.stderr)
            for file in written:
                again = subprocess.run([REFCL, "kernel", "--replay", os.path.join(folder, file)], capture_output=True, text=True,
                                       timeout=PATIENCE, check=False)
                tap.check(f"{name} {file} replay", again.returncode in (0, 1) and "is what happens" in again.stdout,
                          again.stdout + again.stderr)
                replayed += ".flag." in file
    tap.check("races on images are replayed from files", replayed >= 5, f"{replayed}")


if __name__ == "__main__":
    run(IMAGES, ENGINES)
    check_detection()
    check_witnesses()
    check_random(40)
    check_samples(25)
    sys.exit(tap.done())
