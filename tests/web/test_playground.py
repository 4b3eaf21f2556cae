#!/usr/bin/env python3
"""The playground's checker, compiled for this machine: its verdicts are those of `refcl litmus check`; the
states that it reports as forbidden, allowed and erroneous are so."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import BUILD, PATIENCE, REFCL, ROOT
from tap import check

CHECKER, MODELS = os.path.join(BUILD, "tests/web/check_files"), os.path.join(ROOT, "memmodel/models")
FORBIDDEN, ADVICE = 1, 2


def play(model, switches, files, flags=0, relations=""):
    run = subprocess.run([CHECKER, str(flags), MODELS, model, " ".join(switches), relations] + files, stdout=subprocess.PIPE, timeout=PATIENCE)
    return [json.loads(line) for line in run.stdout.decode().splitlines()]


def native(model, switches, files):
    options = [word for s in switches for word in ("-s", s)]
    run = subprocess.run([REFCL, "litmus", "check", "-m", model, "-j", "-"] + options + files, stdout=subprocess.PIPE, timeout=PATIENCE)
    return json.loads(run.stdout)


def summary(verdict):
    """The results of both for a test, in one form."""
    def values(state):
        v = state["values"]
        return sorted((name, str(v[name])) for name in v) if isinstance(v, dict) else sorted(zip(verdict["terms"], v))
    states = [(values(s), s["satisfies"], s["racy"]) for s in verdict["states"]]
    return {key: verdict.get(key) for key in ("name", "condition", "race", "usage", "flags", "states_complete")}, states


def compare(name, model, switches, files):
    said, wanted = play(model, switches, files), native(model, switches, files)
    wrong = [f for f, a, b in zip(files, said, wanted["tests"]) if "error" in a or summary(a) != summary(b)]
    check("%s: %d tests have the verdicts and states of refcl litmus check" % (name, len(files)), len(said) == len(wanted["tests"]) == len(files) and not wrong, wrong)
    check("... by the same model", all(a["model_sha256"] == wanted["model_sha256"] for a in said))
    return said


def with_condition(text, terms, values):
    """The test with a condition on the final state VALUES."""
    asked = "exists (%s)" % " /\\ ".join("%s = %s" % pair for pair in zip(terms, values))
    return re.sub(r"^(~?exists|forall).*\Z", lambda _: asked, text, flags=re.M | re.S)


def in_sample(path):
    """One test in nine, by its name, so that a new test does not change the choice of the others."""
    return zlib.crc32(os.path.basename(path).encode()) % 9 == 0


def forbidden_states(files):
    """Each forbidden state is tested by a separate condition."""
    wrong, count, incomplete = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        asked = []
        for file, said in zip(files, play("opencl.cat", [], files, FORBIDDEN)):
            incomplete += not said["forbidden_complete"]
            with open(file, encoding="utf-8") as f:
                text = f.read()
            allowed = [tuple(s["values"]) for s in said["states"]]
            for state in said["forbidden"]:
                events = state["execution"]["events"]
                if tuple(state["values"]) in allowed or not state["violations"]:
                    wrong.append((file, state["values"]))
                for v in state["violations"]:
                    for step in v["steps"]:
                        event = events[step["event"]] if step["event"] < len(events) else {"text": "none"}
                        same = event["text"].split(" (")[0] in step["text"] or "barrier" in event["text"] and "barrier" in step["text"]
                        if not same or event.get("line") != step.get("line"):
                            wrong.append((file, step, event))
                path = os.path.join(folder, "%d.litmus" % count)
                with open(path, "w", encoding="utf-8") as f:
                    f.write(with_condition(text, said["terms"], state["values"]))
                asked.append(path)
                count += 1
        answers = native("opencl.cat", [], asked)["tests"]
        wrong += [(a["file"], a["condition"]) for a in answers if a["condition"] != "fails"]
    check("%d forbidden states of %d tests: none is allowed, each breaks an axiom in events of its graph" % (count, len(files)), count >= 50 and not wrong, wrong[:5])
    check("... all candidates were seen, but of the few tests with more than the playground lists", incomplete <= len(files) // 25, incomplete)


def one_test(folder):
    path = os.path.join(ROOT, "litmus/suite/message-passing/MP+rel+acq.litmus")
    said = play("opencl.cat", [], [path], FORBIDDEN, "gsw ghb nothing")[0]
    check("message passing has two allowed states, and the stale read is forbidden", [s["values"] for s in said["states"]] == [["0", "-1"], ["1", "1"]] and
          [s["values"] for s in said["forbidden"]] == [["1", "0"]], said)
    names = {e[0] for e in said["states"][1]["execution"]["edges"]}
    check("relations of the model are shown with executions", {"rf", "co", "gsw", "ghb"} <= names and "nothing" not in names, names)
    sw = [e for e in said["states"][1]["execution"]["edges"] if e[0] == "gsw"]
    events = said["states"][1]["execution"]["events"]
    check("... the release synchronizes with the acquire", [(events[a]["order"], events[b]["order"]) for _, a, b in sw] == [("release", "acquire")], sw)
    bad = os.path.join(folder, "bad.litmus")
    with open(path, encoding="utf-8") as f:
        text = f.read().replace("memory_order_release", "memory_order_relase")
    with open(bad, "w", encoding="utf-8") as f:
        f.write(text)
    error = play("opencl.cat", [], [bad])[0]["error"]
    line = 1 + text[:text.index("relase")].count("\n")
    check("an error has its line and rule", error["class"] == "invalid" and error["line"] == line and error["column"] > 1 and error["rule"], error)
    error = play("opencl.cat", ["sw=none"], [path])[0]["error"]
    check("an unknown switch is an error", error["rule"] == "cat.switch", error)
    racy = os.path.join(folder, "racy.litmus")
    with open(racy, "w", encoding="utf-8") as f:
        f.write(text.replace("memory_order_relase", "memory_order_relaxed"))
    said = play("opencl.cat", [], [racy], ADVICE)[0]
    check("a race has its change and its execution", "release" in said["advice"][0]["change"] and [f["name"] for f in said["findings"]] == ["data_race"] and said["race_witness"]["axiom"] == "data_race", said.get("advice"))


def change_of(test, state, allow):
    """The change that allows or forbids STATE, in the playground's words."""
    run = subprocess.run([CHECKER, str(4 * allow), MODELS, "opencl.cat", "", "state:" + state, test], stdout=subprocess.PIPE, timeout=PATIENCE)
    return json.loads(run.stdout)


def changes_of_states():
    path = os.path.join(ROOT, "litmus/suite/message-passing/MP+rel+acq.litmus")
    said = change_of(path, "1 0", True)
    check("a forbidden state has the change that allows it, with a race where there is one", len(said["advice"]) == 1 and "memory_order_" in said["advice"][0]["change"] and said["racy"], said)
    said = change_of(path, "0 -1", False)
    check("... there may be none", said["advice"] == [], said)
    said = change_of(path, "0", False)
    check("... a state has all its values", said["error"]["rule"] == "playground", said)


def main():
    suite = sorted(glob.glob(os.path.join(ROOT, "litmus/suite/*/*.litmus")))
    compare("suite", "opencl.cat", [], suite[::10])
    compare("oota=forbid", "opencl.cat", ["oota=forbid", "version=3.1.0"], suite[5::60])
    compare("sequential consistency", "sc.cat", [], suite[7::60])
    vulkan = sorted(glob.glob(os.path.join(ROOT, "tests/models/combined/vulkan-parts/*.litmus")))
    compare("Vulkan", "vulkan.cat", [], vulkan[::10])
    forbidden_states([path for path in sorted(glob.glob(os.path.join(ROOT, "litmus/suite/[a-gi-z]*/*.litmus"))) if in_sample(path)])
    with tempfile.TemporaryDirectory() as folder:
        one_test(folder)
    changes_of_states()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
