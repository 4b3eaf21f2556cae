#!/usr/bin/env python3
"""Executions as evidence of litmus tests: one for each allowed final state and each flag, by either engine,
in JSON and as graphs, in which reads return the values of the writes that they are related to, and races are
between conflicting accesses."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import REFCL, ROOT

SUITE = os.path.join(ROOT, "litmus/suite")
TESTS = ("barriers/global-flag-local-data", "coherence/CoRR-agree", "barriers/both-flags", "chains", "fences",
         "host-map")
NODE = re.compile(r'    e(\d+) \[label="(\d+): ((?:[^"\\]|\\.)*)"\];')
EDGE = re.compile(r' {2,4}e(\d+) -> e(\d+) \[label="(\S+)"(, [^"\]]+)?\];')
OTHER = re.compile(r'digraph execution {|  label="[^"]*";|  node \[.*\];|  subgraph cluster_\d+ {|    label="[^"]*";|  }|}')


def check(path, *options):
    run = subprocess.run([REFCL, "litmus", "check", "--json", "-", *options, path], capture_output=True, text=True,
                         check=False)
    return run, json.loads(run.stdout)["tests"] if run.stdout else []


def parse(text):
    """The nodes of a graph by number, and its edges; all other lines must be valid, too."""
    nodes, edges = {}, []
    for line in text.splitlines():
        node, edge = NODE.fullmatch(line), EDGE.fullmatch(line)
        if node:
            nodes[int(node[1])] = node[3]
        elif edge:
            edges.append((edge[3], int(edge[1]), int(edge[2])))
        elif not OTHER.fullmatch(line):
            raise ValueError(line)
    return nodes, edges


def wrong_event(witness, flags):
    """The inconsistencies in a witness of the JSON; "" if there are none."""
    events = witness["events"]
    for event in events:
        source = event.get("from")
        if event["kind"] == "read" and events[source]["value"] != event["value"]:
            return f"reads another value than is written: {event}"
        if event["kind"] == "read" and (events[source]["object"], events[source]["offset"]) != (event["object"], event["offset"]):
            return f"reads from elsewhere: {event}"
    if witness["shows"] == "state":
        return ""
    if witness["what"] not in flags:
        return f"{witness['what']} is no flag of {flags}"
    if witness["what"] == "data_race":
        a, b = (events[i] for i in witness["between"])
        conflict = a["object"] == b["object"] and "write" in (a["kind"], b["kind"]) and a["work_item"] != b["work_item"]
        return "" if conflict else f"no conflict: {a} {b}"
    return ""


def wrong_graph(path, witness):
    with open(path, encoding="utf-8") as file:
        nodes, edges = parse(file.read())
    events = witness["events"]
    if len(nodes) != len(events):
        return f"{len(nodes)} nodes for {len(events)} events"
    if {(a, b) for name, a, b in edges if name == "rf"} != {(e["from"], e["event"]) for e in events if "from" in e}:
        return "other reads-from"
    for name, a, b in edges:
        same = events[a].get("object") == events[b].get("object")
        kinds = {"rf": ("write", "read"), "fr": ("read", "write"), "co": ("write", "write"), "rmw": ("read", "write")}.get(name)
        if kinds and (not same or kinds != tuple(e["kind"].replace("init", "write") for e in (events[a], events[b]))):
            return f"{name} from {events[a]} to {events[b]}"
        if name == "po" and (events[a]["work_item"] != events[b]["work_item"] or a >= b):
            return f"po from {a} to {b}"
    if witness["shows"] == "flag" and (witness["what"], witness["between"][0], witness["between"][-1]) not in edges:
        return "the flag is no edge"
    dot = shutil.which("dot")
    return "" if not dot or subprocess.run([dot, "-o", os.devnull, path], check=False).returncode == 0 else "dot refuses it"


def check_test(path, engine):
    with tempfile.TemporaryDirectory() as folder:
        run, tests = check(path, "--engine", engine, "--witness", folder)
        files = sorted(os.listdir(folder), key=lambda name: int(name.split(".")[-3]))
        problem = "" if run.returncode == 0 else f"exit code {run.returncode}: {run.stderr}"
        shown = [(test, witness) for test in tests for witness in test["witnesses"]]
        if len(files) != len(shown):
            problem = problem or f"{len(files)} files for {len(shown)} witnesses"
        for test in tests:
            states = [w["what"] for w in test["witnesses"] if w["shows"] == "state"]
            flags = {w["what"] for w in test["witnesses"] if w["shows"] == "flag"}
            if len(set(states)) != test["allowed_states"] or len(states) != test["allowed_states"]:
                problem = problem or f"{test['name']}: {states} for {test['allowed_states']} states"
            if flags != set(test["flags"]):
                problem = problem or f"{test['name']}: {flags} for {test['flags']}"
        for (test, witness), name in zip(shown, files):
            problem = problem or wrong_event(witness, test["flags"]) or wrong_graph(os.path.join(folder, name), witness)
        tap.check(f"{os.path.relpath(path, SUITE)} {engine}: {len(files)} witnesses", files and not problem, problem)


def check_text():
    path = os.path.join(SUITE, TESTS[0] + ".litmus")
    run = subprocess.run([REFCL, "litmus", "check", "--witnesses", path], capture_output=True, text=True, check=False)
    tap.check("the race is printed", re.search(r"witness of flag: data_race\n(.*\n)+ *data_race \d+ -> \d+\n", run.stdout),
              run.stdout)
    tap.check("so are events, with their lines", re.search(r"^ *\d+  P0: write x = 1  line \d+$", run.stdout, re.M), run.stdout)
    tap.check("and what relates them", all(re.search(rf"^ *{r} \d+ -> \d+$", run.stdout, re.M) for r in ("rf", "co", "fr")),
              run.stdout)
    run, _ = check(path, "--witness", "/dev/null/folder")
    tap.check("a folder that cannot be made", run.returncode == 2 and "/dev/null/folder" in run.stderr, run.stderr)


def check_schema():
    try:
        import jsonschema
    except ImportError:
        tap.skip("the JSON fits its schema", "no jsonschema")
        return
    run, _ = check(os.path.join(SUITE, TESTS[0] + ".litmus"), "--witnesses")
    with open(os.path.join(ROOT, "tools/schema/litmus.schema.json"), encoding="utf-8") as file:
        validator = jsonschema.Draft7Validator(json.load(file))
    wrong = [error.message for error in validator.iter_errors(json.loads(run.stdout))]
    tap.check("the JSON fits its schema", not wrong, wrong[:3])


def main():
    for name in TESTS:
        path = os.path.join(SUITE, name)
        for engine in ("search", "z3"):
            check_test(path if os.path.isdir(path) else path + ".litmus", engine)
    check_text()
    check_schema()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
