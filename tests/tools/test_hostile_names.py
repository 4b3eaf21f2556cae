#!/usr/bin/env python3
"""Names of kernels, arguments, files, tests and build options that contain control bytes, markup, invalid
UTF-8 and direction controls: refcl's output is still parsed correctly by other parsers, and has no control
sequences for terminals."""
import html.parser
import json
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from tap import check
from built import PATIENCE, REFCL, ROOT, RUNNER, on_refcl

FIXED = (b"\x1b[31mred\x1b]0;title\x07", b"\xff\xfe\xc0\x80 overlong", "\u202eltr\u2066\u200b\ufeff".encode(), b"<script>&\"'</script>]]>-->",
         b"a\rrefcl: no findings\nrefcl: clean\t\x7f", b"\xed\xa0\x80\xef\xbf\xbf\xf4\x90\x80\x80", "\x85\x9b31m caf\u00e9 \U0001f600".encode(),
         b"%s%n%d \\x41 \x01\x02\x08\x0b")
MODULE = """OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %%k "@@@@"\nOpName %%x "####"\n%%void = OpTypeVoid\n%%int = OpTypeInt 32 0
%%p = OpTypePointer CrossWorkgroup %%int\n%%f = OpTypeFunction %%void %%p\n%%one = OpConstant %%int 1
%%k = OpFunction %%void None %%f\n%%x = OpFunctionParameter %%p\n%%b = OpLabel\n%%m = OpLoad %%int %%x Aligned 4
%%s = OpIAdd %%int %%m %%one\nOpStore %%x %%s Aligned 4\nOpReturn\nOpFunctionEnd\n"""
RACE = b"kernel void k(global int *x) { x[0] = get_global_id(0); }\n"
LAUNCH = ["-g", "2", "-l", "1", "-a", "buf:4"]


def hostile():
    random.seed(20)
    alphabet = FIXED + (b"\x00"[:0], b"<", b"&", b"\x1b", b"\x9b", b"\xe2\x80\xae", b"\n", b"x", b"\xc3", b"'", b'"')
    yield from FIXED
    for _ in range(6):
        yield b"".join(random.choice(alphabet) for _ in range(4))[:90]


def run(*words, **options):
    return subprocess.run([REFCL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, env=on_refcl(), **options)


def obeys(text):
    """Control sequences for a terminal in TEXT, as bytes; None: there are none."""
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as e:
        return str(e)
    bad = [c for c in decoded if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c not in "\n\t"]
    return repr(bad) if bad else None


class Page(html.parser.HTMLParser):
    """The tags of a page, and the data of its scripts."""

    def __init__(self):
        super().__init__()
        self.tags, self.data, self.inside = [], {}, None

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "script":
            self.inside = dict(attrs).get("id", "code")

    def handle_endtag(self, tag):
        self.inside = None if tag == "script" else self.inside

    def handle_data(self, data):
        if self.inside:
            self.data[self.inside] = self.data.get(self.inside, "") + data


def read_page(path):
    page = Page()
    with open(path, encoding="utf-8") as f:
        page.feed(f.read())
    return page


def parsed(name, folder, plain):
    """The four formats, each by its parser: the same findings and the same markup as for PLAIN, a harmless
    name."""
    try:
        with open(os.path.join(folder, "json"), encoding="utf-8") as f:
            report = json.load(f)
        with open(os.path.join(folder, "sarif"), encoding="utf-8") as f:
            results = json.load(f)["runs"][0]["results"]
        tree = [e.tag for e in xml.parse(os.path.join(folder, "junit")).getroot().iter()]
        page = read_page(os.path.join(folder, "html"))
        if "data" in page.data:
            json.loads(page.data["data"])
        found = {"count": len(report.get("findings", report.get("tests"))), "results": len(results), "tree": tree, "tags": page.tags}
    except (ValueError, xml.ParseError) as e:
        check(name + ": parses", False, repr(e))
        return None
    check(name + ": parses", plain is None or found == plain, (plain, found))
    return found


def outputs(folder):
    return [word for n in ("json", "sarif", "junit", "html") for word in ("--" + n, os.path.join(folder, n))]


def kernels(folder, name, raw, plain):
    path = os.path.join(os.fsencode(folder), raw.replace(b"/", b"|") + b".cl")
    with open(path, "wb") as f:
        f.write(RACE)
    done = run("kernel", *outputs(folder), *LAUNCH, "--build-options", b"-cl-std=CL3.0 -I" + raw.translate(None, b"/ \t\r\n\v\f\"'\\\\"), path)
    text = obeys(done.stderr)
    check(name + ": kernel's file, text", done.returncode == 1 and text is None, (done.returncode, text, done.stderr))
    return parsed(name + ": kernel's file", folder, plain)


def modules(folder, name, raw, plain):
    raw = raw.replace(b"\0", b"")[:60]
    size = (len(raw) // 4 + 1) * 4 - 1
    text = (MODULE % ()).replace("@@@@", "@" * size).replace("####", "#" * size)
    path = os.path.join(folder, "m.spv")
    subprocess.run(["spirv-as", "--target-env", "spv1.2", "-", "-o", path], input=text.encode(), check=True)
    with open(path, "rb") as f:
        module = f.read()
    padded = raw + b"\0" * (size - len(raw))
    with open(path, "wb") as f:
        f.write(module.replace(b"@" * size, padded).replace(b"#" * size, padded))
    trace = os.path.join(folder, "t.trace")
    done = run("kernel", "--trace", trace, *outputs(folder), *LAUNCH, path)
    check(name + ": kernel's and argument's name, text", done.returncode == 1 and obeys(done.stderr) is None,
          (done.returncode, obeys(done.stderr), done.stderr))
    found = parsed(name + ": kernel's and argument's name", folder, plain)
    for form in ("text", "json", "dot"):
        done = run("trace", "dump", "--format", form, trace)
        good = done.returncode == 0 and obeys(done.stdout) is None
        if form == "json":
            good = good and json.loads(done.stdout)
        check(name + ": trace dump, " + form, good, (done.returncode, obeys(done.stdout), done.stderr))
    commands(name, path)
    witnesses(folder, name, path)
    return found


def commands(name, path):
    """The command that `refcl kernel FILE` suggests is one shell command, whatever the names in the module
    are."""
    done = run("kernel", path)
    lines = [line[4:] for line in done.stdout.decode("utf-8", "replace").splitlines() if line.startswith("    ")]
    try:
        words = shlex.split(lines[0])
    except (ValueError, IndexError) as e:
        words = [repr(e)]
    check(name + ": suggested command", done.returncode == 0 and obeys(done.stdout) is None and len(lines) == 1 and
          words[:3] == ["refcl", "kernel", path] and words[3::2] == ["-g", "-l", "-a"], done.stdout)


def witnesses(folder, name, path):
    """Names of a kernel and its argument in executions that `refcl explore` prints and writes, and that
    --replay prints."""
    out = os.path.join(folder, "witnesses")
    done = run("explore", "-g", "2", "-l", "1", "-a", "any", "--explain", "--witness", out, path)
    check(name + ": explore, text", done.returncode == 1 and obeys(done.stdout + done.stderr) is None,
          (done.returncode, done.stdout, done.stderr))
    for file in sorted(os.listdir(out))[:1]:
        done = run("kernel", "--replay", os.path.join(out, file))
        check(name + ": replay, text", done.returncode == 0 and obeys(done.stdout + done.stderr) is None,
              (done.returncode, done.stdout, done.stderr))
    shutil.rmtree(out)


def clauses(name, raw, plain):
    """The device's name in the judgement of its results, as a column of the specification's clauses; the
    words of a specification."""
    with tempfile.TemporaryDirectory() as folder:
        judgement, specification = os.path.join(folder, "judgement.json"), os.path.join(folder, "specification.txt")
        with open(judgement, "w", encoding="utf-8") as f:
            json.dump({"format": "refcl-litmus-judgement", "device": {"name": raw.decode("latin-1")}, "tests": []}, f)
        with open(specification, "wb") as f:
            f.write(b"5.1. Buffers\nAn application must not %s.\n" % raw.translate(None, b"\r\n"))
        for words, code in ((["xref", "--judgement", judgement, "CL 3.3.6 G17"], 0), (["xref", "extract", "--all", "--text", specification], plain)):
            done = run(*words)
            check("%s: %s" % (name, " ".join(words[:2])), code in (None, done.returncode) and obeys(done.stdout + done.stderr) is None,
                  (done.returncode, done.stdout, done.stderr))
    return done.returncode


def judgements(folder, name, raw, plain):
    base = os.path.join(os.fsencode(folder), b"results.json")
    with open(os.path.join(folder, "plain-results.json"), "rb") as f:
        results = f.read()
    text = json.dumps(raw.decode("latin-1"))[1:-1].encode()  # its characters; and its bytes, as another program might write them
    for how, new in (("characters", text), ("bytes", raw.replace(b"\\", b"").replace(b'"', b"").translate(None, bytes(range(32))))):
        with open(base, "wb") as f:
            f.write(results.replace(b"NAME", new).replace(b"DEVICE", new))
        done = run("litmus", "judge", *outputs(folder), base)
        check("%s: judge, %s, text" % (name, how), done.returncode == plain["code"] and obeys(done.stdout + done.stderr) is None,
              (done.returncode, obeys(done.stdout), done.stderr))
        parsed("%s: judge, %s" % (name, how), folder, plain["found"])


DRIVER = r"""#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
cl_int clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t size, void *to, size_t *needs)
{
    cl_int (*next)(cl_device_id, cl_device_info, size_t, void *, size_t *) = dlsym(RTLD_NEXT, "clGetDeviceInfo");
    cl_int code = next(d, what, size, to, needs);
    if ((what == CL_DEVICE_NAME || what == CL_DRIVER_VERSION) && to && size >= 256)
        strcpy(to, getenv("HOSTILE"));
    return code;
}
"""


def drivers(folder, name, raw):
    """Names of devices, in what the runner prints and writes."""
    library, out = os.path.join(folder, "driver.so"), os.path.join(folder, "driven.json")
    if not os.path.exists(library):
        subprocess.run([os.environ.get("CC", "gcc"), "-shared", "-fPIC", "-D_GNU_SOURCE", "-DCL_TARGET_OPENCL_VERSION=300", "-w", "-x", "c",
                        "-", "-o", library, "-ldl"], input=DRIVER.encode(), check=True)
    preloaded = " ".join(filter(None, [os.environ.get("LD_PRELOAD"), library]))  # a sanitizer comes first
    environment = dict(on_refcl(LD_PRELOAD=preloaded), HOSTILE=os.fsdecode(raw))
    for words in (["-n", "10", "-o", out, os.path.join(folder, "plain.plan")], ["--list"]):
        done = subprocess.run([RUNNER, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, env=environment)
        check("%s: device, %s" % (name, words[0]), done.returncode == 0 and obeys(done.stdout + done.stderr) is None,
              (done.returncode, done.stdout, done.stderr))
    with open(out, "rb") as f:
        text = f.read()
    try:
        device = json.loads(text.decode("utf-8"))["device"]["name"]
        check(name + ": device, results", obeys(device.encode()) is None, device)
    except ValueError as e:
        check(name + ": device, results", False, repr(e))


def messages(name, raw):
    for words in (["kernel", b"/nonexistent/" + raw], ["litmus", "check", "-m", b"./" + raw, "x"], [raw], ["run", "--check", raw, "--", "true"],
                  ["litmus", "judge", b"/nonexistent/" + raw], ["trace", "dump", b"/nonexistent/" + raw], ["run", "--", b"/nonexistent/" + raw],
                  ["litmus", "check", b"/nonexistent/" + raw], ["explore", b"/nonexistent/" + raw + b".cl"], ["run", "--seed", raw, "--", "true"]):
        done = run(*words)
        check("%s: message of %s" % (name, words[0] if isinstance(words[0], str) else "no command"),
              done.returncode == 2 and obeys(done.stdout + done.stderr) is None, (done.returncode, done.stdout, done.stderr))


def prepare(folder):
    test = os.path.join(ROOT, "litmus/suite/message-passing/MP+rel+acq.litmus")
    path = os.path.join(folder, "plain-results.json")
    subprocess.run([REFCL, "litmus", "run", "-q", "-n", "100", "-o", path, test], check=True, stdout=subprocess.DEVNULL, env=on_refcl())
    subprocess.run([REFCL, "litmus", "plan", "-o", os.path.join(folder, "plain.plan"), test], check=True)
    with open(path, encoding="utf-8") as f:
        results = json.load(f)
    for t in results["tests"]:
        t["file"] = t["name"] = "NAME"
    results["device"]["name"] = results["device"]["driver"] = "DEVICE"
    with open(path, "w", encoding="utf-8") as f:
        json.dump(results, f)
    done = run("litmus", "judge", *outputs(folder), path)
    return {"code": done.returncode, "found": parsed("a plain name: judge", folder, None)}


def main():
    with tempfile.TemporaryDirectory() as folder:
        judged = prepare(folder)
        plain = kernels(folder, "a plain name", b"plain", None)
        clause = clauses("a plain name", b"plain", None)
        module = modules(folder, "a plain name", b"plain", None) if shutil.which("spirv-as") else None
        for i, raw in enumerate(hostile()):
            name = "%d %s" % (i, ascii(raw)[2:30].replace("#", ""))
            kernels(folder, name, raw, plain)
            judgements(folder, name, raw, judged)
            messages(name, raw.replace(b"/", b"|"))
            drivers(folder, name, raw)
            clauses(name, raw, clause)
            if module:
                modules(folder, name, raw, module)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
