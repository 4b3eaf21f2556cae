#!/usr/bin/env python3
"""Random host programs: what `refcl run` reports against what the command rules say [CL 3.3.6 H1-H14].

Programs enqueue kernels and copies over several queues with wait lists, markers, barriers, user events and
waiting hosts.  The order is computed here a second time, by transitive closure over starts, ends and calls;
a buffer is racy if two accesses of which one writes overlap in it and are not ordered.  Where two devices use
a buffer at the same time, one of them writing, they may also race for the whole of it [CL A.1].  RANDOM_HOST_COUNT
programs (default 120), RANDOM_HOST_SEED."""
import json
import os
import random
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.join(here, "../../..")
build = os.path.join(root, os.environ.get("BUILD", "build"))
refcl = os.environ.get("REFCL", os.path.join(build, "refcl"))
WORDS = 64
PER_RUN = 40


class Order:
    """Nodes and edges; before(a, b) by closure."""

    def __init__(self):
        self.ancestors = []

    def node(self, *preds):
        mask = 0
        for p in preds:
            mask |= self.ancestors[p] | 1 << p
        self.ancestors.append(mask)
        return len(self.ancestors) - 1

    def before(self, a, b):
        return self.ancestors[b] >> a & 1


class Program:
    def __init__(self, rng):
        self.rng, self.order, self.lines = rng, Order(), []
        self.out = [rng.random() < 0.6 for _ in range(rng.randint(1, 3))]
        self.lines.append("S " + " ".join(str(int(o)) for o in self.out))
        self.queue_ends = [[] for _ in self.out]     # ends of all commands so far
        self.queue_gate = [None for _ in self.out]   # end of the last barrier
        self.host = self.order.node()                # the last call
        self.ends = []                               # by event: node, None: user event not set yet
        self.held = set()                            # events that wait for a user event
        self.accesses = []                           # (buffer, from, to, writes, start, end, queue)
        self.buffers = rng.randint(1, 3)
        self.lines += ["B"] * self.buffers
        self.pending = []                            # commands that wait for user events: (queue, ...)

    # Commands whose wait lists name user events get their place when all of those are set; until then the host
    # does not block, so that this is always possible.  To keep nodes in topological order, a user event is
    # set right where its completion is known: its node is the call that sets it.
    def preds(self, q, waits):
        found = [self.host] + [self.ends[w] for w in waits]
        if self.out[q]:
            if self.queue_gate[q] is not None:
                found.append(self.queue_gate[q])
        elif self.queue_ends[q]:
            found.append(self.queue_ends[q][-1])
        return found

    def call(self):
        self.host = self.order.node(self.host)

    def command(self, q, waits, extra=()):
        self.call()
        start = self.order.node(*self.preds(q, waits), *extra)
        end = self.order.node(start)
        self.ends.append(end)
        self.queue_ends[q].append(end)
        return start, end

    def pick_waits(self):
        if not self.ends or self.rng.random() < 0.5:
            return []
        return self.rng.sample(range(len(self.ends)), min(len(self.ends), self.rng.randint(1, 2)))

    def wait_text(self, waits):
        return " ".join(str(x) for x in [len(waits)] + list(waits))

    def span(self):
        n = self.rng.choice([1, 4, 16, 64])
        return self.rng.randrange(0, WORDS - n + 1), n

    def access(self, q, b, lo, n, writes, start, end):
        self.accesses.append((b, lo, lo + n, writes, start, end, q))

    def step(self):
        rng = self.rng
        q, b, waits = rng.randrange(len(self.out)), rng.randrange(self.buffers), self.pick_waits()
        (lo, n), what = self.span(), rng.random()
        if what < 0.65:
            kind = rng.choice("kkkkrwfc")
            flag = int(rng.random() < (0.5 if kind == "k" else 0.2)) if kind != "f" else 0
            start, end = self.command(q, waits)
            text = "%s %d %d %d %d" % (kind, q, b, lo, n)
            if kind == "c":
                others = [x for x in range(self.buffers) if x != b]
                d = rng.choice(others) if others else None
                if d is None:
                    kind, text = "f", "f %d %d %d %d 0" % (q, b, lo, n)
                    self.access(q, b, lo, n, True, start, end)
                else:
                    to = rng.randrange(0, WORDS - n + 1)
                    text += " %d %d" % (d, to)
                    self.access(q, b, lo, n, False, start, end)
                    self.access(q, d, to, n, True, start, end)
            else:
                text += " %d" % flag
                self.access(q, b, lo, n, kind in "wf" or (kind == "k" and flag == 1), start, end)
            self.lines.append(text + " " + self.wait_text(waits))
            if kind in "rw" and flag:
                self.host = self.order.node(self.host, end)
        elif what < 0.75:
            kind = rng.choice("mb")
            start, end = self.command(q, waits, () if waits else self.queue_ends[q])
            if kind == "b":
                self.queue_gate[q] = end
            self.lines.append("%s %d %s" % (kind, q, self.wait_text(waits)))
        elif what < 0.83:
            self.host = self.order.node(self.host, *self.queue_ends[q])
            self.lines.append("F %d" % q)
        elif what < 0.93 and waits:
            self.host = self.order.node(self.host, *[self.ends[w] for w in waits])
            self.lines.append("W " + self.wait_text(waits))
        elif what >= 0.93:
            self.user_event()

    def user_event(self):
        """A gate: some commands wait for an event that the host sets after their enqueueing."""
        rng, order = self.rng, self.order
        gate = len(self.ends)
        self.lines.append("U")
        self.ends.append(None)
        held = []
        for _ in range(rng.randint(1, 3)):
            q, b, (lo, n), w = rng.randrange(len(self.out)), rng.randrange(self.buffers), self.span(), rng.random() < 0.5
            self.call()
            waits = [gate] if rng.random() < 0.7 or not held else []
            held.append((q, b, lo, n, w, waits, self.host))
            self.ends.append(None)
            self.lines.append("k %d %d %d %d %d %s" % (q, b, lo, n, w, self.wait_text(waits)))
        self.call()
        self.lines.append("T %d" % gate)
        self.ends[gate] = self.host
        for i, (q, b, lo, n, w, waits, enqueued) in enumerate(held):
            preds = [p for p in self.preds(q, waits) if p != self.host] + [enqueued]
            if waits:
                preds.append(self.ends[gate])
            start = order.node(*preds)
            end = order.node(start)
            self.ends[gate + 1 + i] = end
            self.queue_ends[q].append(end)
            self.access(q, b, lo, n, w, start, end)

    def racy(self, devices):
        """Buffers with a race on some byte; buffers that devices change and use at the same time."""
        found, shared = set(), set()
        for i, a in enumerate(self.accesses):
            for c in self.accesses[:i]:
                if a[0] == c[0] and (a[3] or c[3]) and not self.order.before(a[5], c[4]) \
                        and not self.order.before(c[5], a[4]):
                    if a[1] < c[2] and c[1] < a[2]:
                        found.add(a[0])
                    if a[6] % devices != c[6] % devices:
                        shared.add(a[0])
        return found, found | shared


def run(programs, folder, number, seed, devices):
    script = os.path.join(folder, "script%d" % number)
    with open(script, "w") as f:
        for p in programs:
            f.write("\n".join(p.lines) + "\n")
    environment = dict(os.environ, REFCL_QUEUE_SEED=str(seed), REFCL_DEVICES=str(devices))
    done = subprocess.run([refcl, "run", "--quiet", "--json", "-", "--schedule", ["sequential", "fair"][number % 2],
                           "--", os.path.join(folder, "script_host"), script],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, env=environment)
    try:
        report = json.loads(done.stdout.decode())
    except ValueError:
        return None, "no report (exit %d): %s" % (done.returncode, done.stderr.decode()[-300:])
    if done.returncode not in (0, 1) or (done.returncode == 1 and not report["findings"]):
        return None, "exit %d: %s" % (done.returncode, done.stderr.decode()[-300:])
    odd = [f for f in report["findings"] if f["kind"] != "data-race"]
    return {f["memory"]["name"] for f in report["findings"]}, odd[0]["message"] if odd else None


def main():
    if not os.path.exists(refcl):
        print("ok 1 - random host programs # SKIP %s is not built" % refcl)
        return 0
    folder = os.path.join(build, "tests/races/random")
    os.makedirs(folder, exist_ok=True)
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-Wall", "-Wextra", "-g", "-o",
                    os.path.join(folder, "script_host"), os.path.join(here, "script_host.c"), "-lOpenCL"], check=True)
    count, seed = int(os.environ.get("RANDOM_HOST_COUNT", 120)), int(os.environ.get("RANDOM_HOST_SEED", 1))
    rng = random.Random(seed)
    failed = racy = clean = 0
    for number in range((count + PER_RUN - 1) // PER_RUN):
        programs = []
        for _ in range(PER_RUN):
            p = Program(rng)
            for _ in range(rng.randint(3, 12)):
                p.step()
            programs.append(p)
        devices = 1 + number % 3 // 2
        found, problem = run(programs, folder, number, seed + number, devices)
        first = 1
        for i, p in enumerate(programs):
            if found is None:
                break
            wanted, allowed = p.racy(devices)
            got = {b for b in range(p.buffers) if "buffer %d" % (first + b) in found}
            first += p.buffers
            racy += len(wanted)
            clean += p.buffers - len(wanted)
            if not wanted <= got <= allowed:
                problem = "program %d of %s: races on %s, reported on %s\n#   %s" % (
                    i, "script%d" % number, sorted(wanted), sorted(got), "\n#   ".join(p.lines))
                print("#", problem)
        failed += problem is not None
        print("%s %d - %d random host programs" % ("not ok" if problem else "ok", number + 1, len(programs)))
        if problem and found is None:
            print("#", problem)
    print("# %d buffers with races, %d without" % (racy, clean))
    print("1..%d" % (number + 1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
