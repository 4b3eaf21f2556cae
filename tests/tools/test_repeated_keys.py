#!/usr/bin/env python3
"""Every reader of JSON refuses an object with a repeated key, with the key and its position: cJSON reads the
first of the two, other parsers the last."""
import os
import re
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "lib"))
from built import PATIENCE, REFCL, ROOT, RUNNER, on_refcl  # noqa: E402
from tap import check, done  # noqa: E402

TEST = os.path.join(ROOT, "litmus/suite/message-passing/MP+rel+acq.litmus")
WITNESS = os.path.join(ROOT, "tests/fuzz/corpus/witness/divergence.json")
CLAUSES = os.path.join(ROOT, "spec-xref/clauses/ambiguities.json")
KNOBS = '{"format":"refcl-litmus-tuning","version":1,\n"knobs":{"before":1}}'


def run(*words):
    ended = subprocess.run([str(w) for w in words], env=on_refcl(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=PATIENCE)
    return ended.returncode, ended.stderr.decode("utf-8", "replace")


def refused(name, text, key, place, *words):
    """WORDS, and a file that has TEXT behind them."""
    with open(name, "w") as file:
        file.write(text)
    code, said = run(*[name if w == "FILE" else w for w in words])
    check(f"{name}: refused", code not in (0, 1) and code < 128, (code, said))
    check(f"{name}: key and place", place in said and key in said and "twice" in said, said)


def refused_by_refcl(name, text, object_, *words):
    text, key, place = repeat(text, object_)
    refused(name, text, key, name + ":" + place, *words)


def repeat(text, object_):
    """A second member in front of the first one of the object that follows the key OBJECT_, and line:column
    of the first."""
    at = re.search(f'"{object_}" *: *[\\[{{\\s]*"([^"]+)"', text)
    begin = at.start(1) - 1
    text = text[:begin] + f'"{at.group(1).upper()}": 0,' + text[begin:]
    second = text.index(f'"{at.group(1)}"', begin) + 1
    line = text.count("\n", 0, second) + 1
    return text, f'"{at.group(1)}"', f"{line}:{second - text.rfind(chr(10), 0, second) - 1}: "


def read(path):
    with open(path) as file:
        return file.read()


def main():
    run(REFCL, "litmus", "plan", "-o", "plan.json", "-n", 20, TEST)
    run(RUNNER, "-q", "-o", "results.json", "plan.json")
    run(REFCL, "litmus", "judge", "--json", "judged.json", "results.json")
    results, judged = read("results.json"), read("judged.json")
    refused("plan-twice.json", read("plan.json").replace('"tests"', '"Tests": [], "tests"', 1), "'tests'", "the object '.'",
            RUNNER, "-q", "-o", "new.json", "FILE")
    refused("plan-test-twice.json", read("plan.json").replace('"kernel"', '"kern\\u0065l": 1, "kernel"', 1), "'kernel'",
            "the object '.tests[0]'", RUNNER, "-q", "-o", "new.json", "FILE")
    refused("tuning.json", KNOBS.replace("1}", '1,"Before":2}'), "efore'", "the object '.knobs'",
            RUNNER, "-q", "--tuning", "FILE", "-o", "new.json", "plan.json")
    refused("merged.json", repeat(results, "device")[0], "", "the object '.device'", RUNNER, "--merge", "-o", "new.json", "FILE")
    refused_by_refcl("results-twice.json", results, "device", REFCL, "litmus", "judge", "FILE")
    refused_by_refcl("judged-twice.json", judged, "tests", REFCL, "gate", "--baseline", "FILE", "results.json")
    for name, zero in ("judged-zero.json", "\\u0000x"), ("judged-no-digits.json", "\\u00-0"):
        refused(name, judged.replace('"device"', f'"DEVICE{zero}": {{}}, "device"', 1), '"device"', name + ":",
                REFCL, "gate", "--baseline", "FILE", "results.json")
    refused_by_refcl("added-twice.json", judged, "device", REFCL, "results", "add", "--store", "store.sqlite", "FILE")
    run(REFCL, "results", "add", "--store", "store.sqlite", "judged.json")
    refused_by_refcl("gated-twice.json", judged, "device", REFCL, "gate", "--store", "store.sqlite", "FILE")
    refused_by_refcl("witness-twice.json", read(WITNESS), "launch", REFCL, "kernel", "--replay", "FILE")
    os.mkdir("root")
    os.makedirs("root/spec-xref/clauses")
    text, key, place = repeat(read(CLAUSES), "ambiguities")
    with open("root/spec-xref/clauses/ambiguities.json", "w") as file:
        file.write(text)
    code, said = run(REFCL, "xref", "check", "--root", "root")
    check("clauses: key and place", code not in (0, 1) and f"ambiguities.json:{place}" in said and key in said, (code, said))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
sys.exit(done())
