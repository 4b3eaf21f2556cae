#!/usr/bin/env python3
"""Readers and their limits (memmodel/base/input.def): an input at the limit is read, one above it is refused
with a message that names the limit and --input-limits, and accepted with that option.  Small inputs that
could cost gigabytes or minutes end soon."""
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "lib"))
from built import PATIENCE, REFCL, ROOT, RUNNER, on_refcl  # noqa: E402
from tap import check, done  # noqa: E402

MIB = 1 << 20
TEST = os.path.join(ROOT, "litmus/suite/message-passing/MP+rel+acq.litmus")
KERNELS, KERNEL_SECONDS = 20000, 10  # without an index of notes, 21 s
LOCATIONS, PARAMETERS, LITMUS_SECONDS = 80000, 32000, 1.5  # without indices of names, 16 s and 2.2 s
CALLS_SECONDS = 1.5  # without an index of calls, 12 s
MEMORY = 3 << 30  # of address space, for inputs of at most a few hundred KB
zstd = ctypes.CDLL("libzstd.so.1")
zstd.ZSTD_compressBound.restype = zstd.ZSTD_compress.restype = ctypes.c_size_t
zstd.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
zstd.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]


def bounded():
    if not os.environ.get("SANITIZER"):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(*words, **variables):
    done_ = subprocess.run([str(w) for w in words], env=on_refcl(**variables), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                           timeout=PATIENCE, preexec_fn=bounded)
    return done_.returncode, done_.stderr.decode("utf-8", "replace")


def refused(name, what, *words, code=3):
    """By its limit."""
    got, text = run(*words)
    check(f"{name}, above the limit: exit code {code}", got == code, f"{got}: {text}")
    check(f"{name}: the message names limit and option", what in text and "raise the limit with --input-limits" in text, text)


def accepted(name, *words, codes=(0, 1), **variables):
    got, text = run(*words, **variables)
    check(f"{name}", got in codes and "--input-limits" not in text, f"{got}: {text}")


def pack(data):
    room = zstd.ZSTD_compressBound(len(data))
    out = ctypes.create_string_buffer(room)
    size = zstd.ZSTD_compress(out, room, data, len(data), 1)
    return out.raw[:size]


A, B, MASK = 0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, (1 << 64) - 1


def checksum(data):
    h = B ^ (len(data) * A & MASK)
    for at in range(0, len(data), 8):
        h ^= int.from_bytes(data[at:at + 8], "little") * B & MASK
        h = ((h << 31 | h >> 33) & MASK) * A & MASK
    h = (h ^ h >> 33) * B & MASK
    return h ^ h >> 29


def numbers(size, *values):
    return b"".join(v.to_bytes(size, "little") for v in values)


# ---- texts -------------------------------------------------------------------------------------------

def padded(name, text, size, pad=b" "):
    with open(name, "wb") as file:
        file.write(text + pad * (size - len(text)))
    return name


def texts():
    with open(TEST, "rb") as file:
        test = file.read()
    padded("full.litmus", test, MIB)
    padded("above.litmus", test, MIB + 1)
    accepted("a litmus test at the limit", REFCL, "litmus", "check", "full.litmus")
    refused("a litmus test", "1048576 bytes of a litmus test", REFCL, "litmus", "check", "above.litmus")
    accepted("a litmus test, with --input-limits 2", REFCL, "litmus", "check", "--input-limits", 2, "above.litmus")
    accepted("a litmus test, with REFCL_INPUT_LIMITS=2", REFCL, "litmus", "check", "above.litmus", REFCL_INPUT_LIMITS="2")
    got, text = run(REFCL, "litmus", "check", "--input-limits", "0", TEST)
    check("--input-limits 0: exit code 2", got == 2 and "input-limits" in text, text)

    padded("comments.litmus", test.replace(b"\n\n{", b"\n" + b"(*a*)\n" * 170000 + b"{", 1), MIB)
    accepted("a litmus test of 170000 comments", REFCL, "litmus", "check", "comments.litmus")

    padded("full.cat", b'"m"\nacyclic po as p\n', MIB)
    padded("above.cat", b'"m"\nacyclic po as p\n', MIB + 1)
    for name in ("half", "both"):
        padded(f"{name}.cat", b'"m"\nacyclic po as p\n' + (b'include "full.cat"\n' if name == "both" else b""), MIB // 2)
    accepted("a model at the limit", REFCL, "litmus", "check", "--model", "./full.cat", TEST)
    refused("a model", "1048576 bytes of a model", REFCL, "litmus", "check", "--model", "./above.cat", TEST)
    refused("a model with what it includes", "1048576 bytes of a model", REFCL, "litmus", "check", "--model", "./both.cat", TEST)
    padded("bomb.cat", b'"m"\n' + b'include "bomb.cat"\n' * 20, 4096)
    got, text = run(REFCL, "litmus", "check", "--model", "./bomb.cat", TEST)
    check("a model that includes itself again and again ends", got in (2, 3) and "bomb.cat" in text, text)

    kernel = b"kernel void k(global int *a) { a[get_global_id(0)] = 1; }\n"
    padded("full.cl", kernel, 16 * MIB, b"\n")
    padded("above.cl", kernel, 16 * MIB + 1, b"\n")
    launch = ["--global", 2, "--arg", "buf:2"]
    accepted("OpenCL C at the limit", REFCL, "kernel", "full.cl", *launch)
    refused("OpenCL C", "16777216 bytes of OpenCL C", REFCL, "kernel", "above.cl", *launch)
    refused("OpenCL C to be explored", "16777216 bytes of OpenCL C", REFCL, "explore", "above.cl")
    padded("structure.cl", b"struct s { int x[1 << 20]; }; kernel void k(global struct s *a) { a[get_global_id(0)].x[0] = 1; }\n", 4096)
    accepted("--auto with a structure of megabytes", REFCL, "kernel", "--auto", "structure.cl")
    padded("full.txt", b"data-race:other.cl\n", MIB, b"\n")
    padded("above.txt", b"data-race:other.cl\n", MIB + 1, b"\n")
    accepted("a list of suppressions at the limit", REFCL, "kernel", "--suppress", "full.txt", "k.cl", *launch)
    refused("a list of suppressions", "1048576 bytes of text", REFCL, "kernel", "--suppress", "above.txt", "k.cl", *launch)
    for size, name in ((64 * MIB, "full"), (64 * MIB + 4, "above")):
        with open(f"{name}.spv", "wb") as file:
            file.write(numbers(4, 0x07230203, 0x10000))
            file.truncate(size)
    got, text = run(REFCL, "kernel", "full.spv", *launch)
    check("SPIR-V at the limit is not refused for its size", got == 2 and "--input-limits" not in text, text)
    refused("SPIR-V", "67108864 bytes of SPIR-V", REFCL, "kernel", "above.spv", *launch)
    refused("SPIR-V to be explored", "67108864 bytes of SPIR-V", REFCL, "explore", "above.spv")


# ---- SPIR-V ------------------------------------------------------------------------------------------

def spirv(name, nested, calls):
    """A module with NESTED structures, each of two members of the type before it, a null constant of the last
    one, and a function for each number in CALLS, which calls the first function that many times; the last
    function is the kernel k."""
    def instruction(op, *words):
        return [(len(words) + 1) << 16 | op, *words]

    void, function_type, uint = 1, 2, 3
    first = uint + nested + 2  # function, after the null constant
    words = [0x07230203, 0x10000, 0, 0, 0]
    words += instruction(17, 4) + instruction(17, 5) + instruction(17, 6) + instruction(14, 2, 2)
    words += instruction(15, 6, first + len(calls) - 1, ord("k"))
    words += instruction(19, void) + instruction(33, function_type, void) + instruction(21, uint, 32, 0)
    for type_ in range(uint, uint + nested):
        words += instruction(30, type_ + 1, type_, type_)
    words += instruction(46, uint + nested, first - 1)
    result = first + len(calls)
    for function, count in enumerate(calls, first):
        words += instruction(54, void, function, 0, function_type) + instruction(248, result)
        for call in range(result + 1, result + 1 + count):
            words += instruction(57, void, call, first)
        words += instruction(253) + instruction(56)
        result += 1 + count
    words[3] = result
    with open(name, "wb") as file:
        file.write(numbers(4, *words))


def cpu_bounded(what, seconds, work):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    work()
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    check(f"{what}: at most {seconds} s of CPU time", used <= seconds or os.environ.get("SANITIZER"), used)


def many_names():
    """Lists that are searched by name."""
    thread = "P0@wg 0, dev 0 ({}) {{ *x0 = 1; }}\nexists (x0=1)\n"
    with open("locations.litmus", "w") as file:
        file.write("OPENCL locations\n{\n" + "".join(f"x{n}=0;\n" for n in range(LOCATIONS)) + "}\n" + thread.format("global int* x0"))
    with open("parameters.litmus", "w") as file:
        file.write("OPENCL parameters\n{\n}\n" + thread.format(", ".join(f"global int* x{n}" for n in range(PARAMETERS))))
    for name in ("locations", "parameters"):
        cpu_bounded(f"a test of many {name}", LITMUS_SECONDS,
                    lambda: accepted(f"a test of many {name}", REFCL, "litmus", "check", f"{name}.litmus"))


def calls_of_functions():
    """2047 arguments through each of 128 functions that change nothing; then through 1500 of them."""
    doubled = "".join(f"let d{n} x = d{n - 1} (x;po) | d{n - 1} (x;rf)\n" for n in range(1, 11))
    wrapped = [f"let w{n} x = w{n - 1} x\n" for n in range(1, 1500)]
    for name, depth in (("calls", 128), ("calls_above", 1500)):
        with open(f"{name}.cat", "w") as file:
            file.write('"m"\nlet w0 x = x\n' + "".join(wrapped[:depth - 1]) + f"let d0 x = w{depth - 1} x\n" + doubled + "acyclic d10 po as a\n")
    cpu_bounded("calls of functions", CALLS_SECONDS, lambda: run(REFCL, "litmus", "check", "--model", "./calls.cat", TEST))
    code, text = run(REFCL, "litmus", "check", "--model", "./calls_above.cat", TEST)
    check("too many calls of functions", code == 3 and "the model is too large" in text, (code, text))


def includes():
    """Files that a specification includes count together."""
    with open("part.asciidoc", "wb") as file:
        file.truncate(40 << 20)
    with open("specification.asciidoc", "w") as file:
        file.write("= Title\n" + "include::part.asciidoc[]\n" * 2)
    refused("included files that are too large together", "bytes of a specification", REFCL, "xref", "extract", "--root", ROOT,
            "specification.asciidoc")


def stacks():
    """The least stack is enough for the deepest model; a smaller one is an error, not a crash."""
    with open("deep.cat", "w") as file:
        file.write('"m"\nlet f0 x = x\n' + "".join(f"let f{n} x = f{n - 1} x\n" for n in range(1, 1990)) + "acyclic f1989 po as a\n")

    def run_with(kib, *words):
        ended = subprocess.run([str(w) for w in words], env=on_refcl(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=PATIENCE,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (kib << 10, kib << 10)))
        return ended.returncode, ended.stderr.decode()
    code, text = run_with(64, REFCL, "xref", "check", "--root", ROOT)
    check("a stack of 64 KiB: an error", code == 4 and "limited to 64 KiB, and refcl needs 1024 KiB (ulimit -s 1024)" in text, (code, text))
    for what, words in (("the repository", ["xref", "check", "--root", ROOT]),
                        ("a deep model", ["litmus", "check", "--model", "./deep.cat", TEST])):
        code, text = run_with(1024, REFCL, *words)
        check(f"a stack of 1024 KiB: {what}", code in (0, 1) or os.environ.get("SANITIZER"), (code, text))


def many_kernels(name, count):
    """A module of COUNT kernels, each with an argument and a note of its type."""
    def instruction(op, *words):
        return [(len(words) + 1) << 16 | op, *words]

    def string(value):
        data = value.encode() + b"\0" * (4 - len(value) % 4)
        return [int.from_bytes(data[at:at + 4], "little") for at in range(0, len(data), 4)]

    void, uint, pointer, function_type, first = 1, 2, 3, 4, 5
    ids = range(first, first + 4 * count, 4)
    words = [0x07230203, 0x10000, 0, ids.stop, 0]
    words += instruction(17, 4) + instruction(17, 5) + instruction(17, 6) + instruction(14, 2, 2)
    for kernel, id_ in enumerate(ids):
        words += instruction(15, 6, id_, *string(f"k{kernel}"))
    for kernel, id_ in enumerate(ids):
        words += instruction(7, id_ + 3, *string(f"kernel_arg_type.k{kernel}.uint*,"))
    words += instruction(19, void) + instruction(21, uint, 32, 0) + instruction(32, pointer, 5, uint)
    words += instruction(33, function_type, void, pointer)
    for id_ in ids:
        words += instruction(54, void, id_, 0, function_type) + instruction(55, pointer, id_ + 1) + instruction(248, id_ + 2)
        words += instruction(253) + instruction(56)
    with open(name, "wb") as file:
        file.write(numbers(4, *words))


def modules():
    """Modules for which the validator's work could be repeated many times."""
    many_kernels("kernels.spv", KERNELS)
    cpu_bounded(f"{KERNELS} kernels", KERNEL_SECONDS,
                lambda: accepted(f"{KERNELS} kernels with notes of their arguments", REFCL, "kernel", "kernels.spv", "--kernel", "k7",
                                 "--global", 2, "--arg", "buf:2"))
    spirv("types.spv", 20, [0])
    spirv("types_above.spv", 21, [0])
    spirv("types_terabytes.spv", 40, [0])
    accepted("types with members at the limit", REFCL, "kernel", "types.spv", "--global", 2)
    for name in ("types_above", "types_terabytes"):
        refused(name, "1048576 members of a type", REFCL, "kernel", f"{name}.spv", "--global", 2, code=2)
    accepted("types with members above the limit, raised", REFCL, "kernel", "types_above.spv", "--global", 2, "--input-limits", 2)
    many = [0] * (1 << 14)
    spirv("calls.spv", 0, [*many[1:], 1 << 14])
    spirv("calls_above.spv", 0, [*many, 1 << 14])
    accepted("calls at the limit", REFCL, "kernel", "calls.spv", "--global", 2)
    refused("calls", "268435456 functions times calls", REFCL, "kernel", "calls_above.spv", "--global", 2, code=2)


# ---- JSON --------------------------------------------------------------------------------------------

def json_files():
    run(REFCL, "litmus", "plan", "-o", "plan.json", "-n", 20, TEST)
    run(RUNNER, "-q", "-o", "results.json", "plan.json")
    run(REFCL, "litmus", "judge", "--json", "judged.json", "results.json")
    kinds = {"plan": ([RUNNER, "-q", "-o", "new.json"], 2), "results": ([REFCL, "litmus", "judge"], 3),
             "judged": ([REFCL, "gate", "--baseline", "judged.json"], 3)}
    for kind, (words, code) in kinds.items():
        with open(f"{kind}.json", "rb") as file:
            text = file.read()
        accepted(f"{kind}: at the limit of bytes", *words, padded("full.json", text, 64 * MIB))
        refused(f"{kind}, bytes", "67108864 bytes of JSON", *words, padded("above.json", text, 64 * MIB + 1), code=code)
        values = text.rstrip()[:-1] + b', "more": [' + b"0," * (4 * MIB) + b"0]}"
        refused(f"{kind}, values", "4194304 values in JSON", *words, padded("values.json", values, len(values)), code=code)
        whole = json.loads(text)
        whole["tests"] *= 32769 // len(whole["tests"])
        for number, test in enumerate(whole["tests"]):
            whole["tests"][number] = {"name": "t%d" % number, "source": str(number)}
        with open("tests.json", "w") as file:
            json.dump(whole, file)
        refused(f"{kind}, tests", "32768 tests", *words, "tests.json", code=code)
    padded("above.witness", b"{", 64 * MIB + 1)
    refused("a witness", "67108864 bytes of JSON", REFCL, "kernel", "--replay", "above.witness")
    with open("plan.json") as file:
        plan = json.load(file)
    plan["tests"][0]["iterations"] = (1 << 30) + 1
    with open("long.json", "w") as file:
        json.dump(plan, file)
    refused("a plan, instances", "1073741824 instances of a test", RUNNER, "-q", "-o", "new.json", "long.json", code=2)
    accepted("a plan of many instances, with --iterations 20", RUNNER, "-q", "-n", 20, "-o", "new.json", "long.json")


# ---- captures and traces -------------------------------------------------------------------------------

def capture(name, size):
    """A launch with SIZE bytes of zeros, which become a few KB."""
    kernel = numbers(4, 1, 0) + numbers(8, 1) + b"k".ljust(8, b"\0")
    memory = numbers(4, 5, 0) + numbers(8, size - len(kernel) - 16) + bytes(size - len(kernel) - 16)
    block = pack(kernel + memory)
    header = b"REFCLCAP" + numbers(4, 1, 2) + numbers(8, size, len(block), checksum(block))
    with open(name, "wb") as file:
        file.write(header + numbers(8, checksum(header)) + block)
    return 48 + len(block)


def captures():
    capture("full.cap", 256 * MIB)
    got, text = run(REFCL, "kernel", "full.cap")
    check("a capture at the limit is unpacked", got == 2 and "section" in text and "--input-limits" not in text, text)
    stored = capture("above.cap", 300 * MIB)
    check("the capture is small", stored < 100000, stored)
    refused("a capture", "bytes of a captured launch", REFCL, "kernel", "above.cap")
    got, text = run(REFCL, "kernel", "--input-limits", 2, "above.cap")
    check("a capture, with --input-limits 2: unpacked", got == 2 and "section" in text, text)


def trace(name, payloads):
    """PAYLOADS: bytes of records, and the number of their events."""
    with open(name, "wb") as file:
        file.write(b"refcltrc" + numbers(4, 3, 0))
        events = 0
        for payload, count in payloads:
            stored = pack(payload)
            header = b"RChk" + numbers(4, 1, len(stored), len(payload)) + numbers(8, events, checksum(stored))
            file.write(header + numbers(8, checksum(header)) + stored)
            events += count
    return os.path.getsize(name)


def traces():
    text = b"a" * ((16 << 20) - 16)
    length = b"".join(bytes([len(text) >> 7 * k & 127 | (128 if k < 3 else 0)]) for k in range(4))
    record = bytes([7]) + b"\x01f\x00" + length + text + b"\0"
    dump = [REFCL, "trace", "dump", "--output", "/dev/null"]
    trace("full.trace", [(record, 0)] * 4)
    accepted("a trace of 64 MiB of records", *dump, "full.trace")
    size = trace("above.trace", [(record, 0)] * 18)
    check("the trace is small", size < 40000, size)
    refused("records of a trace", "bytes of records when unpacked", *dump, "above.trace")
    event = bytes([0x80, 0])
    trace("full.trace", [(event * MIB, MIB)])
    accepted("a trace with 1048576 events", *dump, "full.trace")
    size = trace("above.trace", [(event * (2 * MIB), 2 * MIB)])
    refused("events of a trace", "events", *dump, "above.trace")
    accepted("events of a trace, with --limit", *dump, "--limit", 3 * MIB, "above.trace")


def recorded(name, count, bytes_):
    """A trace with a re-execution record."""
    with open("loop.cl", "w") as file:
        file.write("kernel void k(global int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s = s * 3 + i; a[get_global_id(0)] = s; }\n")
    with open(name, "wb") as file:
        environment = on_refcl(REFCL_ENGINE="jit", REFCL_TRACE_FD=str(file.fileno()), REFCL_TRACE_VALUES="1",
                               REFCL_TRACE_REPLAYS="1", REFCL_DEBUG="trace")
        host = subprocess.run([os.path.join(os.path.dirname(REFCL), "refcl-kernel-host"), "kernel", "k", "global", "8", "local", "8",
                               "arg", "buf:%d" % (bytes_ // 4), "arg", str(count), "loop.cl"], env=environment,
                              pass_fds=[file.fileno()], stderr=subprocess.PIPE, check=True, timeout=PATIENCE)
    check(f"{name}: its launch is to be executed again", b"is to be executed again" in host.stderr, host.stderr)


def replays():
    dump = [REFCL, "trace", "dump", "--output", "/dev/null"]
    recorded("short.trace", 1000, 64)
    accepted("a launch of some thousand instructions", *dump, "short.trace")
    recorded("long.trace", 10000000, 64)
    refused("instructions of a trace", "instructions of launches to be executed again", *dump, "long.trace")
    recorded("wide.trace", 10, 300 * MIB)
    refused("memory of a trace", "bytes of memory for launches to be executed again", *dump, "wide.trace")
    accepted("memory of a trace, with --input-limits 2", *dump, "--input-limits", 2, "wide.trace")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("k.cl", "w") as source:
        source.write("kernel void k(global int *a) { a[get_global_id(0)] = 1; }\n")
    texts()
    modules()
    json_files()
    many_names()
    calls_of_functions()
    includes()
    stacks()
    captures()
    traces()
    replays()
    os.chdir("/")
sys.exit(done())
