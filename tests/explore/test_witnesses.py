#!/usr/bin/env python3
"""Each final state and each finding has an execution that the interpreter replays, by either engine: for the
kernels here, and (slow_witnesses.py, slow_z3_witnesses.py) for those of the public corpus, patterns and
features."""
import os
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from test_kernels import FOLDER, explore, header, kernels


def problem_of(run, test):
    """Why not every state and finding of TEST has a replayed witness; "" if they do."""
    if run.returncode not in (0, 1, 3) or "allowed_states" not in test:
        return f"exit code {run.returncode}: {run.stderr}"
    witnesses = test.get("witnesses", [])
    states = sum(w["shows"] == "state" for w in witnesses)
    flags = {w["what"] for w in witnesses if w["shows"] == "flag"}
    if states != test["allowed_states"]:
        return f"{states} witnesses for {test['allowed_states']} states"
    if flags != set(test["flags"]):
        return f"witnesses of {flags} for {test['flags']}"
    for shows, value in (("divergence", "found"), ("termination", "not-always")):
        diverges = test["divergence"] == "found"
        wanted = test[shows] == value and not (shows == "termination" and diverges)
        if wanted and not any(w["shows"] == shows for w in witnesses):
            return f"no witness of {shows}"
    return ""


def check(path, options, engine="search"):
    run, test = explore(path, engine, ["--witnesses", *options])
    problem = problem_of(run, test)
    tap.check(f"{os.path.basename(path)} {engine}", not problem, problem)
    return test


def main():
    for path in kernels(FOLDER):
        only = " ".join(header(path, "Engines")).split()
        for engine in ("search", "z3"):
            shown = not any(value.startswith("no") for value in header(path, "Witnesses"))
            if shown and not list(header(path, "Error")) and (not only or engine in only):
                check(path, shlex.split(" ".join(header(path, "Options"))), engine)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
