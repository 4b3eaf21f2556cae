"""The litmus suite under REFCL_MEMORY=weak: runs folders with some seeds, judges them, and collects the
observed states."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from built import PATIENCE, REFCL, ROOT, RUNNER, on_refcl  # noqa: F401


def campaign(folders, seed, instances, batch=500):
    """The judgement of the tests in FOLDERS."""
    environment = on_refcl(REFCL_MEMORY="weak", REFCL_SEED=str(seed))
    with tempfile.TemporaryDirectory() as tmp:
        plan, results, judged = (os.path.join(tmp, name) for name in ("plan.json", "results.json", "judged.json"))
        subprocess.run([REFCL, "litmus", "plan", "-o", plan] + folders, check=True)
        subprocess.run([RUNNER, "-q", "--seed", str(seed), "-n", str(instances), "--batch", str(batch), "-o", results, plan],
                       check=True, env=environment, stdout=subprocess.DEVNULL)
        subprocess.run([REFCL, "litmus", "judge", "--json", judged, results], stdout=subprocess.DEVNULL)
        with open(judged) as f:
            return json.load(f)["tests"]


class Seen:
    """States by test, over several seeds."""

    def __init__(self):
        self.states, self.all, self.forbidden, self.instances = {}, {}, [], 0

    def add(self, tests):
        for t in tests:
            if t["status"] != "done":
                continue
            self.instances += t["instances"]
            if t["verdict"] == "forbidden":
                self.forbidden.append(t["file"])
            if t["verdict"] not in ("allowed", "forbidden"):
                continue
            name = os.path.relpath(os.path.join(ROOT, t["file"]), ROOT)
            self.all[name] = t["model_states"]
            self.states.setdefault(name, set()).update(tuple(s["values"]) for s in t["states"] if s["verdict"] == "allowed")

    def share(self, without=()):
        names = [n for n in self.all if not any(w in n for w in without)]
        return sum(len(self.states[n]) for n in names) / max(1, sum(self.all[n] for n in names))
