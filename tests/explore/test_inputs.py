#!/usr/bin/env python3
"""Symbolic inputs of explore: both engines, the values printed with findings, the launch with these values,
invalid ranges and conditions."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from test_kernels import HERE, PATIENCE, REFCL

INPUTS = os.path.join(HERE, "inputs")
GATHER = ("gather.cl", "-g", "2", "-a", "out=buf:4")


def run(name, *options):
    return subprocess.run([REFCL, "explore", *options, os.path.join(INPUTS, name)], capture_output=True, text=True,
                          timeout=PATIENCE, check=False)


def explore(name, *options):
    done = run(name, "--json", "-", *options)
    return json.loads(done.stdout)["tests"][0] if done.stdout else {"error": done.stderr}


def values(result, what):
    return next((i["values"] for i in result.get("inputs", []) if i["what"] == what), None)


# Kernel and options, the answer about races, a predicate on the inputs of the race.
CASES = [
    ("two indices may be equal", GATHER + ("-a", "buf:2:any:0..3", "-a", "any:0..4"), "found",
     lambda v: v["idx[0]"] == v["idx[1]"] < v["n"]),
    ("unless they are required to differ",
     GATHER + ("-a", "buf:2:any:0..3", "-a", "any:0..4", "--requires", "idx[0] < idx[1]"), "none", None),
    ("a condition for each element", GATHER + ("-a", "buf:2:any:0..3", "-a", "any:0..4", "--requires", "idx[i] >= n"),
     "none", None),
    ("conditions alone limit values",
     GATHER + ("-a", "buf:2:any", "-a", "any", "--requires", "0 <= idx[i] and idx[i] < n and n <= 4"), "found",
     lambda v: 0 <= v["idx[0]"] == v["idx[1]"] < v["n"] <= 4),
    ("negative values", GATHER + ("-a", "buf:2:any:-2..3", "-a", "any:-4..0", "--requires", "not idx[k] < n"), "none", None),
    ("an input that bounds a loop", ("sum.cl", "-g", "2", "-a", "buf:1", "-a", "any:0..9"), "found",
     lambda v: v == {"n": 5}),
    ("and does not reach the race", ("sum.cl", "-g", "2", "-a", "buf:1", "-a", "any:0..4"), "none", None),
    ("unsigned numbers are never negative",
     ("square.cl", "-g", "2", "-a", "buf:2", "-a", "any", "--requires", "n <= 20"), "found", lambda v: v == {"n": 7}),
    ("64-bit numbers that inputs are compared with",
     ("equal_long.cl", "-g", "2", "-l", "1", "-a", "buf:1:any", "-a", "buf:1:any", "-a", "buf:1"), "found",
     lambda v: v == {"x[0]": -7, "y[0]": 8000000000}),
    ("a negative index of a computed pointer",
     ("negative_index.cl", "-g", "2", "-l", "1", "-a", "buf:4", "-a", "buf:4", "-a", "buf:1:any:1..3"), "found",
     lambda v: v == {"n[0]": 1}),
    ("and of other elements", ("negative_index.cl", "-g", "2", "-l", "1", "-a", "buf:4", "-a", "buf:4", "-a", "buf:1:any:2..3"),
     "none", None),
    ("a negative index of a chosen pointer",
     ("chosen_pointer.cl", "-g", "2", "-l", "1", "-a", "buf:4", "-a", "buf:4", "-a", "buf:1:any:0..1"), "found",
     lambda v: v["n[0]"] in (0, 1)),
    ("either side of or", ("square.cl", "-g", "2", "-a", "buf:2", "-a", "any:0..30", "--requires", "n < 7 or n > 7"), "none",
     None),
]
BAD = [("n <", "a number or name is expected"), ("m < 3", "no integer argument"), ("idx[n] < 3", "depends on an input"),
       ("(n < 3) < 4", "a number is expected"), ("n", "a comparison is expected"), ("n < 3 )", "the end of the condition"),
       ("size(n) < 3", "no pointer argument"), ("local_size(3) < 1", "a dimension"), ("size(out) < 16", "contradict"),
       ("(" * 100 + "n < 1" + ")" * 100, "nested too deeply"), ("n < 1 and", "a number or name")]
BAD_ARGUMENTS = [("any:5..3", "above the upper one"), ("any:0..99999999999", "does not fit"), ("any:0..", "LOW..HIGH"),
                 ("any:1", "LOW..HIGH"), ("any:0..1 2", "the end of the argument")]


def check_cases(engine):
    for what, options, race, fits in CASES:
        result = explore(*options, "--engine", engine)
        tap.check(f"{engine}: {what}", result.get("race") == race, result)
        if fits:
            found = values(result, "data_race")
            tap.check(f"{engine}: the inputs of the race: {what}", found is not None and fits(found), result)


def check_states(engine):
    result = explore("sum.cl", "--engine", engine, "-g", "1", "-a", "out=buf:1", "-a", "n=any:0..4", "--assert",
                     "forall (out[0] != 3)")
    states = sorted(s["values"]["out"] for s in result.get("states", []))
    tap.check(f"{engine}: a state for each value", states == [0, 1, 3, 6], result)
    shown = [i["values"] for i in result.get("inputs", [])]
    tap.check(f"{engine}: the inputs of the state that violates the condition", shown == [{"n": 3}], result)


def check_replay(engine):
    with tempfile.TemporaryDirectory() as folder:
        done = run("sum.cl", "--engine", engine, "-g", "2", "-a", "buf:1", "-a", "any:0..9", "--witness", folder)
        files = [f for f in os.listdir(folder) if "flag" in f]
        tap.check(f"{engine}: the witness of the race is written", "inputs of data_race: n = 5" in done.stdout and
                  len(files) == 1, done.stdout + done.stderr)
        for file in files:
            again = subprocess.run([REFCL, "kernel", "--replay", os.path.join(folder, file)], capture_output=True, text=True,
                                   timeout=PATIENCE, check=False)
            tap.check(f"{engine}: and replays", again.returncode == 0 and "is what happens" in again.stdout,
                      again.stdout + again.stderr)


def check_choice():
    done = run("gather.cl")
    chosen = next((line for line in done.stdout.splitlines() if line.startswith("chosen: ")), "")
    tap.check("without options a launch with symbolic inputs is chosen", "-g 4 -l 2" in chosen and "n=any:0..4" in chosen and
              "inputs of data_race:" in done.stdout, done.stdout + done.stderr)
    again = run("gather.cl", *chosen.split()[1:])
    verdicts = [[line.split(" (")[0] for line in text.splitlines() if "race found" in line] for text in
                (done.stdout, again.stdout)]
    tap.check("the options that it prints describe it", verdicts[0] == verdicts[1] and len(verdicts[0]) == 1,
              done.stdout + again.stdout)


def check_not_given(engine):
    result = explore("gather.cl", "--engine", engine, "-g", "2", "-a", "out=buf:4", "-a", "n=4")
    found = values(result, "data_race") or {}
    tap.check(f"{engine}: what a buffer without an argument holds where a race is", result.get("race") == "found" and
              found.get("idx[0]") == found.get("idx[1]", -1) < 4, result)
    zeros = explore("gather.cl", "--engine", engine, "-g", "2", "-a", "out=buf:4", "-a", "idx=buf:2:iota", "-a", "n=4")
    tap.check(f"{engine}: and no inputs where all are given", zeros.get("race") == "none" and "inputs" not in zeros, zeros)


def check_svm(engine):
    """all_svm_devices means device on a buffer, not on SVM [CL 3.3.5 O10]; the same holds when witnesses are
    replayed."""
    for memory, race in (("buf", "none"), ("svm", "found")):
        with tempfile.TemporaryDirectory() as folder:
            result = explore("scopes.cl", "--engine", engine, "-g", "2", "-l", "1", "-a", "buf:1", "-a", memory + ":1", "-a",
                             "buf:1", "--assert", "exists (o[0] == 1)", "--witness", folder)
            tap.check(f"{engine}: scopes on {memory}", result.get("race") == race, result)
            texts = [subprocess.run([REFCL, "kernel", "--replay", os.path.join(folder, file)], capture_output=True, text=True,
                                    timeout=PATIENCE, check=False).stderr for file in os.listdir(folder)]
            tap.check(f"{engine}: witnesses on {memory}", len(texts) > 1 and
                      all(("scope race" in text) == (race == "found") for text in texts), texts)


def check_limits():
    wide = explore("square.cl", "--engine", "search", "-g", "2", "-a", "buf:2", "-a", "any:0..100000000", "--requires",
                   "n != 7")
    tap.check("search leaves a large range open, and says which input", wide.get("race") == "unknown" and
              "the input n" in json.dumps(run("square.cl", "--engine", "search", "-g", "2", "-a", "buf:2", "-a",
                                              "any:0..100000000", "--requires", "n != 7").stdout), wide)
    z3 = explore("square.cl", "-g", "2", "-a", "buf:2", "-a", "any:0..1000", "--requires", "n != 7")
    tap.check("a range of a thousand values", z3.get("race") == "none", z3)
    none = explore("square.cl", "-g", "2", "-a", "buf:2", "-a", "any:0..9", "--requires", "n > 9")
    tap.check("no value satisfies the conditions: unknown, not none", none.get("race") == "unknown", none)


def main():
    for engine in ("search", "z3"):
        check_cases(engine)
        check_states(engine)
        check_replay(engine)
        check_not_given(engine)
        check_svm(engine)
    check_choice()
    check_limits()
    for text, message in BAD:
        done = run(*GATHER, "-a", "buf:2:any", "-a", "any:0..2", "--requires", text)
        tap.check(f"--requires {text[:30]!r} is an error", done.returncode == 2 and message in done.stderr, done.stderr)
    for text, message in BAD_ARGUMENTS:
        done = run(*GATHER, "-a", "buf:2:any", "-a", text)
        tap.check(f"--arg {text!r} is an error", done.returncode == 2 and message in done.stderr, done.stderr)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
