#!/usr/bin/env python3
"""Witness files: refcl explore writes one for each final state and each finding; refcl kernel --replay
executes it in a separate process, prints its steps, runs the detector, and reports where the execution
departs from it."""
import json
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import REFCL, ROOT
from test_kernels import FOLDER, find, header, kernels

KINDS = ("state", "flag", "out_of_bounds", "divergence", "termination")
# barriers are one step of all work-items; vectors are stored, and asynchronous copies made, in one step
TOGETHER = ("vectors_", "copy_", "group_")
# races by missing availability or visibility, which the detector's happens-before, OpenCL's, does not have
UNAVAILABLE = ("caslock_not_available", "caslock_not_visible", "xchglock_other_class")
FEATURES = ("copy_waited", "copy_past_source", "copy_source_not_ready", "group_reduce", "group_scan")
# Witnesses of executions that Z3 finds: their findings, as the first lines of the kernels state.
Z3 = {"load_buffering.cl": ["state"] * 4, "fault_before_barrier.cl": ["flag", "out_of_bounds"],
      "race_before_divergence.cl": ["divergence", "flag"], "spin_scope_race.cl": ["flag", "state"],
      "spin_unfair.spvasm": ["state", "termination"]}
SCHEMA = os.path.join(ROOT, "tools/schema/witness.schema.json")


def refcl(*words):
    return subprocess.run([REFCL, *words], capture_output=True, text=True, check=False)


def replay(path, *options):
    return refcl("kernel", "--replay", *options, path)


def witnesses(path, folder, engine="search"):
    """Writes the witnesses of a kernel to FOLDER; returns their paths and the output."""
    options = shlex.split(" ".join(header(path, "Options")))
    run = refcl("explore", "--engine", engine, "--json", "-", "--witness", folder, *options, path)
    tests = json.loads(run.stdout)["tests"] if run.stdout else [{}]
    paths = [os.path.join(folder, file) for file in os.listdir(folder)]
    return sorted(paths, key=lambda p: int(p.split(".")[-3])), tests[0]


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def findings(path):
    run = replay(path, "--quiet", "--json", "-")
    return [finding["kind"] for finding in json.loads(run.stdout)["findings"]] if run.stdout else None


def steps_of(text):
    return [int(number) for number in re.findall(r"^ *(\d+)  (?:work-item \(\S+\) group \(\S+\)|copy \d+)  line \d+: ", text, re.M)]


def head_of(witness):
    """The first line of a replay, after the file's name."""
    work_items = math.prod(witness["launch"]["global"])
    lines = [f"kernel {witness['kernel']['name']}, {work_items} work-items, by {witness['model']}: "]
    if witness["shows"] == "state":
        lines[0] += f"{witness['what']}\n"
        lines += [f"    condition: {condition}\n" for condition in witness["conditions"]]
    if witness["shows"] == "state" and witness["conditions"]:
        lines.append(f"    which is {'true' if witness['satisfies'] else 'false'} in this final state\n")
    return "".join(lines)


def problem_of(path, race, seen):
    """Why PATH is no witness that replays in its order with its finding, and a race only if the kernel has
    one; "" if it is."""
    run, witness = replay(path), load(path)
    seen.add(witness["shows"])
    if run.returncode != 0 or f"replayed: {path}" not in run.stdout:
        return f"exit code {run.returncode}: {run.stdout}{run.stderr}"
    head, shown = head_of(witness), run.stdout[run.stdout.index(": kernel ") + 2:]
    if not shown.startswith(head):
        return f"not {head!r}: {shown}"
    private = {i for i, o in enumerate(witness["objects"]) if o["region"] == "private"}
    steps = [e["event"] for e in witness["events"] if "work_item" in e and e.get("object") not in private and "hidden" not in e]
    together = os.path.basename(path).startswith(TOGETHER) or any(e["kind"] == "barrier-entry" for e in witness["events"])
    order = sorted if together else list
    if witness["shows"] == "state" and order(steps_of(run.stdout)) != steps:
        return f"not the steps {steps}: {run.stdout}"
    found = findings(path)
    wanted = {"flag": "race", "out_of_bounds": "out-of-bounds", "divergence": "barrier-divergence"}.get(witness["shows"])
    if wanted == "out-of-bounds" and os.path.basename(path).startswith("null_"):
        wanted = "null-pointer"
    if wanted == "race" and "race" not in witness["what"]:
        wanted = None  # of a use that is not allowed
    unseen = wanted == "race" and os.path.basename(path).startswith(UNAVAILABLE)
    if wanted and not unseen and not any(wanted in kind for kind in found):
        return f"no finding of a {wanted}: {found}"
    return f"a race: {found}" if race == "none" and any("race" in kind for kind in found) else ""


def check_kernel(path, seen, engine="search", most=None):
    """Replays the witnesses of a kernel, at most MOST of final states."""
    with tempfile.TemporaryDirectory() as folder:
        paths, said = witnesses(path, folder, engine)
        told = sum(w["replayed"] for w in said.get("witnesses", []))
        problem = "" if len(paths) == told else f"{len(paths)} files for {told}"
        states = [witness for witness in paths if witness.endswith(".state.json")][:most]
        for witness in states + [witness for witness in paths if not witness.endswith(".state.json")]:
            problem = problem or problem_of(witness, said.get("race"), seen)
        tap.check(f"{os.path.basename(path)} {engine}: {len(paths)} witnesses", not problem, problem)
        return [load(witness) for witness in paths]


def check_schema(documents):
    try:
        import jsonschema
    except ImportError:
        tap.skip("files fit their schema", "no jsonschema")
        return
    validator = jsonschema.Draft7Validator(load(SCHEMA))
    wrong = [error.message for document in documents for error in validator.iter_errors(document)]
    tap.check("files fit their schema", documents and not wrong, wrong[:3])


def told(name, value):
    """Output of the replay of the witness in which out[0] and out[1] both are VALUE."""
    with tempfile.TemporaryDirectory() as folder:
        for path in witnesses(find(name), folder)[0]:
            if [entry["value"] for entry in load(path)["state"]] == [value, value]:
                return replay(path).stdout
    return ""


def check_weak():
    tap.check("an old value is read", "an old value, step" in told("store_buffering.cl", 0))
    tap.check("a value is read that is written later", re.search(r"which step \d+ will write", told("load_buffering.cl", 1)))


def event(witness, kind):
    return next(e for e in witness["events"] if e["kind"] == kind and "work_item" in e)


def change_read(witness):
    event(witness, "read")["value"] ^= 1


def change_write(witness):
    event(witness, "write")["value"] ^= 1


def change_kind(witness):
    witness["events"][-1]["kind"] = "fence"


def change_state(witness):
    witness["state"][0]["value"] ^= 1


def one_more(witness):
    last = witness["events"][-1]
    witness["events"].append(dict(last, event=last["event"] + 1))


def one_less(witness):
    while witness["events"].pop()["kind"] != "write":
        pass


def no_race(witness):
    witness.update(shows="flag", what="data_race", state=[])


def check_departures():
    changes = {change_read: "another value is written", change_write: "another value is written",
               change_kind: "where line", change_state: "ends with another value",
               one_more: "ends before", one_less: "continues with", no_race: "the detector finds no race"}
    with tempfile.TemporaryDirectory() as folder:
        path = witnesses(find("store_buffering.cl"), folder)[0][0]
        for change, wanted in changes.items():
            witness, changed = load(path), os.path.join(folder, "changed.json")
            change(witness)
            with open(changed, "w", encoding="utf-8") as file:
                json.dump(witness, file)
            run = replay(changed)
            text = run.stdout + run.stderr
            tap.check(f"{change.__name__}: departs", run.returncode == 1 and wanted in text and
                      ("departs from the witness" in text) == (change is not no_race), f"{run.returncode} {text}")


def check_outputs():
    """Replay can be combined with options of other runs."""
    with tempfile.TemporaryDirectory() as folder:
        path = witnesses(find("spin_scope_race.cl"), folder)[0][0]
        outputs = {option: os.path.join(folder, "out." + option) for option in ("trace", "html", "sarif", "junit")}
        run = replay(path, *(f"--{option}={file}" for option, file in outputs.items()))
        tap.check("a race is reported with its lines", "spin_scope_race.cl:7:" in run.stderr and
                  "scope race" in run.stderr, run.stderr)
        missing = [file for file in outputs.values() if not os.path.getsize(file)]
        tap.check("trace, page, SARIF and JUnit are written", run.returncode == 0 and not missing, missing)
        dump = refcl("trace", "dump", outputs["trace"])
        tap.check("the trace holds the launch", dump.returncode == 0 and dump.stdout.count("write") >= 2, dump.stdout)


def check_usage():
    with tempfile.TemporaryDirectory() as folder:
        path = witnesses(find("store_buffering.cl"), folder)[0][0]
        for option in ("--seed=1", "--memory=weak", "--global=4", "--arg=1"):
            run = replay(path, option)
            tap.check(f"{option} with --replay is an error", run.returncode == 2 and "the witness determines" in run.stderr,
                      run.stderr)
        run = refcl("explore", "--witness", "/dev/null/folder", find("counter.spvasm"))
        tap.check("a folder that cannot be made", run.returncode == 2 and "/dev/null/folder" in run.stderr, run.stderr)


def main():
    seen, documents = set(), []
    for path in kernels(FOLDER):
        if not list(header(path, "Error")):
            documents += check_kernel(path, seen)
    for name in FEATURES:
        documents += check_kernel(find(f"{name}.cl"), seen)
    for name, shown in Z3.items():
        found = check_kernel(find(name), set(), "z3")
        documents += found
        kinds = sorted(witness["shows"] for witness in found)
        tap.check(f"{name} z3: witnesses of {' and '.join(shown)}", kinds == shown, kinds)
    tap.check("each kind of witness", seen == set(KINDS), seen)
    check_schema(documents)
    check_weak()
    check_departures()
    check_outputs()
    check_usage()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
