#!/usr/bin/env python3
"""Tables of campaigns through OpenCL beside those through Vulkan, on one device, as Markdown.

    litmus/results/beside.py [--refcl COMMAND] TABLE.json...

For the suite's generated tests, by order, shape, place of the threads and narrowest scope: whether each model
allows the weak outcome (opencl.cat for the test; vulkan.cat for its translation, by the mapping that the
table's tests ran with), and how often it was seen.  Counts of tables for the same interface are added.  A
test has a race if the model says so in either of its forms, and has no verdict."""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

NAME = re.compile(r"^(3\.2W|2\+2W|W\+RWC|CoRR-2W|[A-Z][A-Za-z]*(?:\.\d|\d)?|3LB|3SB)\+(.*)@([0-9a-z]+)\.([a-zA-Z]+)$")
SCOPES = {"sg": "sub-group", "wg": "work-group", "dev": "device", "all": "all devices"}
ORDERS = ["relaxed", "acquire and release", "seq_cst"]


def group_of(name):
    """(order, shape, place of the threads, narrowest scope) of a generated test; None: of another one."""
    m = NAME.match(name)
    if not m:
        return None
    shape, events, places, _ = m.groups()
    if shape[0] == "B":  # a barrier's tests ask about outcomes that are not weak
        return None
    tokens = set(re.split(r"[+.-]", events))
    groups, members = set(places[0::2]), set(re.findall(r"\d[a-z]", places))
    place = "work-groups" if len(groups) == len(places) // 2 else "mixed" if len(groups) > 1 else \
        "sub-groups" if len(members) > 1 else "a sub-group"
    order = 2 if tokens & {"sc", "fsc"} else 1 if tokens & {"rel", "acq", "ar", "frel", "facq", "far"} else 0
    scope = next((s for s in SCOPES if s in tokens), None)
    return (order, shape, place, list(SCOPES).index(scope)) if scope else None


def judged(refcl, table):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([refcl, "litmus", "judge", "--json", out.name, table], stdout=subprocess.DEVNULL, check=True)
        return json.load(open(out.name, encoding="utf-8"))


def allowed(refcl, model, files):
    """For each file whether the model allows the outcome: True, False, or None for a race."""
    out = subprocess.run([refcl, "litmus", "check", "--model", model, "--json", "-"] + files, stdout=subprocess.PIPE, check=False)
    verdicts = [(t["condition"], t["race"]) for t in json.loads(out.stdout)["tests"]]
    assert len(verdicts) == len(files) and not any("unknown" in v for v in verdicts)
    return [None if race != "none" else condition == "holds" for condition, race in verdicts]


def translations(refcl, files, mapping, folder):
    for n, file in enumerate(files):
        path = f"{folder}/{mapping}-{n}.litmus"
        subprocess.run([refcl, "litmus", "translate", "--mapping", mapping, "-o", path, file], check=True)
        yield path


class Test:
    def __init__(self, file):
        self.file, self.ran, self.weak, self.mapping, self.allows = file, [0, 0], [0, 0], None, [None, None]


def collect(refcl, tables):
    """Tests by name: instances and weak outcomes through OpenCL [0] and Vulkan [1]."""
    tests = {}
    for table in tables:
        rows, side = {t["name"]: t for t in json.load(open(table, encoding="utf-8"))["tests"]}, None
        report = judged(refcl, table)
        side = int(report["device"]["platform"] == "Vulkan")
        for t in report["tests"]:
            if "generated" not in t["file"] or not group_of(t["name"]):
                continue
            test = tests.setdefault(t["name"], Test(t["file"]))
            if t["status"] != "done":
                continue
            test.ran[side] += t["instances"]
            test.weak[side] += t["positive"]
            test.mapping = rows[t["name"]].get("mapping", test.mapping)
    return tests


def decide(refcl, tests):
    """What the models allow."""
    every = [t for _, t in sorted(tests.items())]
    assert all(re.search(r"^exists", open(t.file, encoding="utf-8").read(), re.M) for t in every)
    for test, verdict in zip(every, allowed(refcl, "opencl.cat", [t.file for t in every])):
        test.allows[0] = verdict
    with tempfile.TemporaryDirectory() as folder:
        for mapping in ("plain", "clspv"):
            some = [t for t in every if t.mapping == mapping]
            files = list(translations(refcl, [t.file for t in some], mapping, folder))
            for test, verdict in zip(some, allowed(refcl, "vulkan.cat", files) if files else []):
                test.allows[1] = verdict


def cell(tests, side):
    """How many tests ran, in how many the outcome was seen, and its highest rate."""
    ran = [t for t in tests if t.ran[side]]
    if not ran:
        return "–"
    rates = [t.weak[side] / t.ran[side] for t in ran]
    seen = sum(r > 0 for r in rates)
    return f"{seen} of {len(ran)}" + (f", {max(rates):.1e}" if seen else "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--refcl", default="build/refcl")
    parser.add_argument("tables", nargs="+")
    o = parser.parse_args()
    tests = collect(o.refcl, o.tables)
    decide(o.refcl, tests)
    raced = [n for n, t in tests.items() if None in (t.allows[0], t.allows[1] if t.mapping else False)]
    groups = collections.defaultdict(list)
    for name, test in tests.items():
        if name not in raced:
            groups[group_of(name)].append(test)
    for order, title in enumerate(ORDERS):
        print(f"\n## {title}\n\n| shape | between | narrowest scope | tests | OpenCL allows | Vulkan allows | OpenCL: allowed, seen | "
              "Vulkan: allowed, seen | OpenCL: forbidden, seen | Vulkan: forbidden, seen |\n|---|---|---|---|---|---|---|---|---|---|")
        for key in sorted(k for k in groups if k[0] == order):
            some = groups[key]
            translated = [t for t in some if t.mapping]
            verdicts = [(some, 0), (translated, 1)]
            print("|", " | ".join([key[1], key[2], list(SCOPES.values())[key[3]], str(len(some)),
                                   *(str(sum(t.allows[side] for t in which)) for which, side in verdicts),
                                   *(cell([t for t in which if t.allows[side] == verdict], side)
                                     for verdict in (True, False) for which, side in verdicts)]), "|")
    print(f"\n{len(tests)} tests, {len(raced)} of them with races left out.")


sys.exit(main())
