#!/usr/bin/env python3
"""Random host programs on PoCL under the layer: what `refcl run --on-driver` reports against what the command
rules say.

The programs, and the order and races that are computed of them, are those of
tests/races/random/test_random_host.py, without what PoCL or the layer lacks: kernels that enqueue kernels,
accesses of the host itself.  Their kernels access ranges that arguments give, so that their accesses are
known exactly.  RANDOM_HOST_COUNT programs (default 120), RANDOM_HOST_SEED."""
import json
import os
import random
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "../lib"), os.path.join(here, "../races/random")]
from built import PATIENCE, REFCL
from test_random_host import KINDS, PER_RUN, Program

POCL = os.environ.get("REFCL_POCL_ICD", "/etc/OpenCL/vendors/pocl.icd")


class DriverProgram(Program):
    def parent(self, q, b, lo, n, waits):
        pass

    def host_use(self):
        pass

    def unmap(self, q, waits):
        """PoCL crashes if an unmap is executed before its map: the host has waited for all maps."""
        if all(m[6] is not None or self.order.before(m[5], self.host) for m in self.maps):
            super().unmap(q, waits)


def run(program, script):
    """Names of memory by kind of finding; the error."""
    done = subprocess.run([REFCL, "run", "--on-driver", "--quiet", "--json", "-", "--", program, script],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE,
                          env=dict(os.environ, OCL_ICD_VENDORS=POCL))
    if done.returncode not in (0, 1):
        return None, "exit %d: %s" % (done.returncode, done.stderr.decode()[-300:])
    report = json.loads(done.stdout.decode())
    findings = report["findings"]
    if report["status"] not in ("clean", "findings"):
        return None, report["status"] + ": " + done.stderr.decode()[-300:]
    odd = [f["message"] for f in findings if f["kind"] not in KINDS]
    kinds = {kind: {f["memory"]["name"] for f in findings if f["kind"] == kind} for kind in KINDS}
    return kinds, odd[0] if odd else None


def compare(programs, found):
    """How many objects are racy and used while mapped; the programs whose findings differ."""
    counts, wrong, total = {"buffer": 0, "svm": 0}, [], [0, 0]
    for p in programs:
        named = p.names(counts)
        for k, (kind, (wanted, allowed)) in enumerate(zip(KINDS, (p.racy(1), p.mapped()))):
            got = {p.roots[b][0] for b in range(p.objects) if named[b] in found[kind]}
            total[k] += len(wanted)
            if not wanted <= got <= allowed:
                wrong.append("%s on %s, reported on %s\n%s" % (kind, sorted(wanted), sorted(got), "\n".join(p.lines)))
    return total, wrong


def main():
    if not os.path.exists(POCL):
        print("1..0 # SKIP no PoCL")
        return 0
    count, rng = int(os.environ.get("RANDOM_HOST_COUNT", 120)), random.Random(int(os.environ.get("RANDOM_HOST_SEED", 1)))
    failed, totals, runs = 0, [0, 0], (count + PER_RUN - 1) // PER_RUN
    with tempfile.TemporaryDirectory() as folder:
        program, script = os.path.join(folder, "script_host"), os.path.join(folder, "script")
        subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-g", "-o", program,
                        os.path.join(here, "../races/random/script_host.c"), "-lOpenCL", "-pthread"], check=True)
        for number in range(1, runs + 1):
            programs = []
            for _ in range(PER_RUN):
                programs.append(DriverProgram(rng))
                for _ in range(rng.randint(3, 12)):
                    programs[-1].step()
            with open(script, "w") as f:
                f.writelines("\n".join(p.lines) + "\n" for p in programs)
            found, problem = run(program, script)
            total, wrong = compare(programs, found) if found else ([0, 0], [])
            totals = [a + b for a, b in zip(totals, total)]
            wrong += [problem] if problem else []
            failed += bool(wrong)
            print("%s %d - %d random host programs" % ("not ok" if wrong else "ok", number, PER_RUN))
            for text in wrong:
                print("#", text.replace("\n", "\n#   "))
    print("# %d objects with races, %d used while mapped" % tuple(totals))
    print("%s %d - there were both" % ("ok" if all(totals) else "not ok", runs + 1))
    print("1..%d" % (runs + 1))
    return 1 if failed or not all(totals) else 0


if __name__ == "__main__":
    sys.exit(main())
