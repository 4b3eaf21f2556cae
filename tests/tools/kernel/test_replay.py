#!/usr/bin/env python3
"""Traces with re-execution records: `refcl trace dump` of valid ones is what the interpreter records; of
others it is an error that names the rule, whatever their contents."""
import json
import os
import random
import re
import struct
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../..", "lib"))
from built import BUILD as build, REFCL as refcl  # noqa: E402
from tap import check, done  # noqa: E402

folder = os.path.join(build, "tests", "tools", "replay")

LEAST_REPLAYED = 33  # of 55 launches: some kernels read addresses, keep pointers in memory, or cannot be instrumented


def compiled():
    program = os.path.join(folder, "replay_host")
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-DCL_TARGET_OPENCL_VERSION=300",
                    os.path.join(here, "replay_host.c"), "-o", program, "-lOpenCL"], check=True)
    return program


def record(program, name, engine):
    """A trace that is not compressed."""
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        environment = dict(os.environ, REFCL_ENGINE=engine, REFCL_TRACE_FD=str(file.fileno()), REFCL_TRACE_VALUES="1",
                           REFCL_TRACE_REPLAYS="1", REFCL_DEBUG="trace", OCL_ICD_VENDORS=build + "/librefcl.so",
                           OCL_ICD_FILENAMES=build + "/librefcl.so")
        run = subprocess.run([program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             pass_fds=[file.fileno()])
    return path, run.stdout, run.stderr


def dump(path):
    environment = dict(os.environ, REFCL_STEP_LIMIT="100000")
    run = subprocess.run([refcl, "trace", "dump", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         env=environment)
    return run.returncode, run.stdout, run.stderr.decode("utf-8", "replace")


def without_addresses(dumped):
    """Without those of variables, which kernels put in memory and load from there; SVM is at other ones."""
    text = re.sub(rb"0x(?:5[56]|7f)[0-9a-f]{10}\b", b"-", dumped[1])
    return dumped[0], text, dumped[2]


def judge(path):
    """The exit status and the findings of `refcl trace check`."""
    report = path + ".json"
    run = subprocess.run([refcl, "trace", "check", "--json", report, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not os.path.exists(report):
        return run.returncode, run.stderr
    with open(report, encoding="utf-8") as file:
        found = json.load(file)["findings"]
    os.remove(report)
    return run.returncode, sorted((f["kind"], f.get("message", "")) for f in found)


MASK = (1 << 64) - 1
A, B = 0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f


def checksum(data):
    h = B ^ (len(data) * A & MASK)
    for at in range(0, len(data), 8):
        h ^= int.from_bytes(data[at:at + 8], "little") * B & MASK
        h = ((h << 31 | h >> 33) & MASK) * A & MASK
    h = (h ^ h >> 33) * B & MASK
    return h ^ h >> 29


def chunks(trace):
    at = 16
    while at < len(trace):
        size = int.from_bytes(trace[at + 8:at + 12], "little")
        yield trace[at:at + 40], trace[at + 40:at + 40 + size]
        at += 40 + size


def whole(trace, change, only=None):
    """TRACE with all payloads, or only one, changed by CHANGE, and good checksums."""
    out = trace[:16]
    for number, (header, payload) in enumerate(chunks(trace)):
        if payload and only in (None, number):
            payload = change(payload)
            size = len(payload).to_bytes(4, "little")
            header = header[:8] + size + size + header[16:24] + checksum(payload).to_bytes(8, "little")
            header += checksum(header).to_bytes(8, "little")
        out += header + payload
    return out


def try_changed(trace, change, only=None):
    path = os.path.join(folder, "changed.trace")
    with open(path, "wb") as file:
        file.write(whole(trace, change, only))
    return dump(path)


def damage(payload, rnd):
    payload = bytearray(payload)
    for _ in range(rnd.randrange(1, 3)):
        if not payload: # all of it was removed
            break
        at = rnd.randrange(len(payload))
        how = rnd.randrange(4)
        if how == 0:
            payload[at] = rnd.randrange(256)
        elif how == 1:
            payload[at] ^= 1 << rnd.randrange(8)
        elif how == 2:
            payload[at:at + 8] = bytes([255] * len(payload[at:at + 8]))
        else:
            del payload[at:at + rnd.randrange(1, 9)]
    return bytes(payload)


def main():
    os.makedirs(folder, exist_ok=True)
    program = compiled()
    expected, output, _ = record(program, "interp.trace", "interp")
    path, same, notes = record(program, "jit.trace", "jit")
    count = notes.count(b"is to be executed again")
    check("the program gives the same", output == same and output, (output, same))
    check("%d of 55 launches at least are executed again" % LEAST_REPLAYED, LEAST_REPLAYED <= count < 40, count)
    followed = [notes.count(b"kernel %s is to be executed again" % name) for name in (b"walk", b"walk_by_cast")]
    check("so are those that follow pointers to shared virtual memory", followed == [4, 2], followed)
    variables = [notes.count(b"kernel %s is to be executed again" % name)
                 for name in (b"address_scales", b"double_scales", b"walk_scaled", b"lead_to_variable", b"count_last", b"add_scales")]
    check("and those that use variables of the program, except where memory has pointers to such", variables == [0, 2, 2, 0, 0, 4],
          variables)
    a, b = without_addresses(dump(expected)), without_addresses(dump(path))
    check("the trace is the interpreter's", a == b and a[0] == 0, (a[0], b[0], a[2], b[2]))
    a, b = judge(expected), judge(path)
    check("trace check: the verdict on the interpreter's trace", a == b and a[0] in (0, 1), (a, b))
    with open(path, "rb") as file:
        trace = file.read()

    code, _, error = try_changed(trace, lambda p: p)
    check("checksums of this test are the writer's", code == 0, error)
    version = subprocess.run([refcl, "--version"], stdout=subprocess.PIPE).stdout.split()[1]
    code, _, error = try_changed(trace, lambda p: p.replace(b"\5" + version, b"\5" + b"9.9.9"))
    check("of another version", code == 2 and "written by refcl 9.9.9" in error and "trace.program" in error, (code, error))
    spirv = (0x07230203).to_bytes(4, "little")
    code, _, error = try_changed(trace, lambda p: p.replace(spirv, spirv[:3] + b"\6"))
    check("another module", code == 2 and "the checksum of its module does not match" in error, (code, error))
    code, _, error = try_changed(trace, lambda p: p.replace(b"\5scale", b"\5scala"))
    check("another kernel", code == 2 and "no such kernel" in error, (code, error))
    code, text, error = try_changed(trace, lambda p: p.replace(struct.pack("<ff", 4, 5), struct.pack("<ff", 4.5, 5)))
    check("other contents", code == 3 and "differ" in error and "trace.replay" in error, (code, error))
    check("what follows is read nevertheless", len(text) > len(b[1]) * 0.9, (len(text), len(b[1])))
    old = trace[:8] + b"\2" + trace[9:]
    with open(os.path.join(folder, "old.trace"), "wb") as file:
        file.write(old)
    code, _, error = dump(os.path.join(folder, "old.trace"))
    check("records of this kind in an older format", code == 2 and "unknown type" in error, (code, error))

    rnd = random.Random(20)
    bad = []
    for size in sorted(rnd.randrange(len(trace)) for _ in range(20)):
        with open(os.path.join(folder, "cut.trace"), "wb") as file:
            file.write(trace[:size])
        code, text, error = dump(os.path.join(folder, "cut.trace"))
        if code != 0 or (size > 16 and "cut short" not in error):
            bad.append((size, code, error))
    check("traces that are cut short give what came before", not bad, bad)
    bad, seen = [], set()
    for number in range(int(os.environ.get("REFCL_ROUNDS", "150"))):
        code, _, error = try_changed(trace, lambda p: damage(p, rnd), rnd.randrange(1, len(list(chunks(trace)))))
        seen.add(code)
        if code not in (0, 2, 3) or (code and "[" not in error):
            bad.append((number, code, error))
    check("damaged traces do no harm", not bad and len(seen) > 1, bad[:3])
    return done()


if __name__ == "__main__":
    sys.exit(main())
