#!/usr/bin/env python3
"""Random host programs: reports of `refcl run` against an oracle by the command rules [CL 3.3.6 H1-H14].

Programs enqueue kernels, kernels that enqueue kernels, copies and maps in several queues with wait lists,
markers, barriers, user events and host waits; memory is in buffers, sub-buffers and SVM, coarse-grained and
fine-grained, which the host itself and callbacks use, too.  The oracle computes the order by transitive
closure over starts, ends and calls; memory is racy if two accesses, at least one of them a write, overlap in
it and are not ordered.  A map accesses memory for the host at its begin and at its end, and in between no
command may write the object, nor read an object mapped for writing [CL 5.5.3, CL 5.6.1]; fine-grained SVM
needs no maps.  If two devices use different parts of an object at the same time, and one of them writes, they
may also race for the whole object [CL A.1].  RANDOM_HOST_COUNT programs (default 120), RANDOM_HOST_SEED."""
import json
import os
import random
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../lib"))
import tap
from built import NO_HOST_CC, PATIENCE, REFCL as refcl

KINDS = ("data-race", "mapped-access")
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
        self.accesses = []                           # (root, from, to, writes, start, end, queue, family)
        self.roots, self.kinds = [], []              # of each memory object: its allocation; buffer, coarse, fine
        for b in range(rng.randint(1, 4)):
            self.roots.append((b, 0, WORDS))
            self.kinds.append(rng.choice("bbcf"))
            self.lines.append({"b": "B", "c": "V 0", "f": "V 1"}[self.kinds[b]])
        for b in range(len(self.roots) if rng.random() < 0.5 else 0):
            if self.kinds[b] != "b":
                continue
            for half in (0, 1):
                if rng.random() < 0.2:
                    self.lines.append("Z %d %d" % (b, half))
                    self.roots.append((b, half * WORDS // 2, WORDS // 2))
                    self.kinds.append("b")
        self.objects = len(self.roots)
        self.maps = []                               # [object, from, to, writes, start, end, unmap or None]
        self.uses = []                               # (root, from, to, writes, start, end)
        self.pending = []                            # commands that wait for user events: (queue, ...)

        # Commands whose wait lists name user events are ordered when all of those are set; until then the host does
        # not block, so that this is always possible.  To keep nodes in topological order, a user event is
        # set as soon as its completion is known: its node is the call that sets it.
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

    def span(self, b):
        n = self.rng.choice([1, 4, 16, self.roots[b][2]])
        return self.rng.randrange(0, self.roots[b][2] - n + 1), n

    def access(self, q, b, lo, n, writes, start, end, maps=False, family=None):
        """FAMILY: number of a parent, whether it is the child; Q: None for the host."""
        root, first, _ = self.roots[b]
        self.accesses.append((root, first + lo, first + lo + n, writes, start, end, q, family))
        if not maps and q is not None:
            self.uses.append((root, first + lo, first + lo + n, writes, start, end))

    def overlap(self, a, b):
        """Whether objects share memory."""
        (root, first, n), (other, second, m) = self.roots[a], self.roots[b]
        return root == other and first < second + m and second < first + n

    def map(self, q, b, lo, n, waits):
        rng, root, first = self.rng, self.roots[b][0], self.roots[b][1]
        writes, blocking = rng.random() < 0.5, rng.random() < 0.6
        if self.kinds[b] != "b" and any(m[6] is None and m[0] == b for m in self.maps):
            return              # an unmap names only the pointer
        for m in self.maps:     # CL_INVALID_OPERATION
            if m[6] is None and (m[3] or writes) and self.roots[m[0]][0] == root \
                    and m[1] < first + lo + n and first + lo < m[2]:
                return
        start, end = self.command(q, waits)
        if self.kinds[b] != "f":
            self.access(q, b, lo, n, writes, start, end, True)
        self.lines.append("p %d %d %d %d %d %d %s" % (q, b, lo, n, blocking, writes, self.wait_text(waits)))
        if blocking:
            self.host = self.order.node(self.host, end)
        self.maps.append([b, first + lo, first + lo + n, writes, start, end, None, q])

    def unmap(self, q, waits):
        number = self.rng.randrange(len(self.maps))
        b, lo, hi, writes, _, _, done, _ = self.maps[number]
        if done is not None:
            return
        start, end = self.command(q, waits)
        first = self.roots[b][1]
        if self.kinds[b] != "f":
            self.access(q, b, lo - first, hi - lo, writes, start, end, True)
        self.lines.append("u %d %d %s" % (q, number, self.wait_text(waits)))
        self.maps[number][6] = (start, end)

    def step(self):
        rng = self.rng
        q, b, waits = rng.randrange(len(self.out)), rng.randrange(self.objects), self.pick_waits()
        (lo, n), what = self.span(b), rng.random()
        if what < 0.1:
            self.map(q, b, lo, n, waits)
        elif what < 0.17:
            if self.maps:
                self.unmap(q, waits)
        elif what < 0.24:
            self.parent(q, b, lo, n, waits)
        elif what < 0.34:
            self.host_use()
        elif what < 0.68:
            kind = rng.choice("kkkkrwfc")
            flag = int(rng.random() < (0.5 if kind == "k" else 0.2)) if kind != "f" else 0
            start, end = self.command(q, waits)
            text = "%s %d %d %d %d" % (kind, q, b, lo, n)
            if kind == "c":
                others = [x for x in range(self.objects) if not self.overlap(x, b) and
                          (self.kinds[x] == "b") == (self.kinds[b] == "b")]
                d = rng.choice(others) if others else None
                if d is None:
                    kind, text = "f", "f %d %d %d %d 0" % (q, b, lo, n)
                    self.access(q, b, lo, n, True, start, end)
                else:
                    n = min(n, self.roots[d][2])
                    text = "%s %d %d %d %d" % (kind, q, b, lo, n)
                    to = rng.randrange(0, self.roots[d][2] - n + 1)
                    text += " %d %d" % (d, to)
                    self.access(q, b, lo, n, False, start, end)
                    self.access(q, d, to, n, True, start, end)
            else:
                text += " %d" % flag
                self.access(q, b, lo, n, kind in "wf" or (kind == "k" and flag == 1), start, end)
            self.lines.append(text + " " + self.wait_text(waits))
            if kind in "rw" and flag:
                self.host = self.order.node(self.host, end)
        elif what < 0.77:
            kind = rng.choice("mb")
            start, end = self.command(q, waits, () if waits else self.queue_ends[q])
            if kind == "b":
                self.queue_gate[q] = end
            self.lines.append("%s %d %s" % (kind, q, self.wait_text(waits)))
        elif what < 0.84:
            self.host = self.order.node(self.host, *self.queue_ends[q])
            self.lines.append("F %d" % q)
        elif what < 0.93 and waits:
            self.host = self.order.node(self.host, *[self.ends[w] for w in waits])
            self.lines.append("W " + self.wait_text(waits))
        elif what >= 0.93:
            self.user_event()

    def parent(self, q, b, lo, n, waits):
        """A kernel that uses memory and then enqueues a child, which starts after the kernel's start; of its
        parent's earlier accesses only those to fine-grained SVM are ordered before the child, unless it waits
        for the parent."""
        rng, order = self.rng, self.order
        d = rng.randrange(self.objects)
        (dlo, dn), w, dw, flags = self.span(d), rng.random() < 0.5, rng.random() < 0.5, rng.randrange(3)
        self.call()
        start = order.node(*self.preds(q, waits))
        own = order.node(start)
        child = order.node(own if flags else start)
        child_end = order.node(child)
        end = order.node(own, child_end)
        self.ends.append(end)
        self.queue_ends[q].append(end)
        self.access(q, b, lo, n, w, start, own, family=(start, False))
        self.access(q, d, dlo, dn, dw, child, child_end, family=(start, True))
        self.lines.append("e %d %d %d %d %d %d %d %d %d %d %s" % (q, b, lo, n, w, d, dlo, dn, dw, flags,
                                                                  self.wait_text(waits)))

    def host_use(self):
        """The host, or a callback, uses fine-grained SVM."""
        fine = [b for b in range(self.objects) if self.kinds[b] == "f"]
        if not fine:
            return
        b, writes = self.rng.choice(fine), self.rng.random() < 0.5
        lo, n = self.span(b)
        events = [e for e in range(len(self.ends)) if self.ends[e] is not None]
        self.call()
        if events and self.rng.random() < 0.5:
            event = self.rng.choice(events)
            node = self.order.node(self.host, self.ends[event])
            self.lines.append("H %d %d %d %d %d" % (event, b, lo, n, writes))
        else:
            node = self.host
            self.lines.append("h %d %d %d %d" % (b, lo, n, writes))
        self.access(None, b, lo, n, writes, node, node)

    def user_event(self):
        """A gate: commands wait for a user event that the host sets after they are enqueued."""
        rng, order = self.rng, self.order
        gate = len(self.ends)
        self.lines.append("U")
        self.ends.append(None)
        held = []
        for _ in range(rng.randint(1, 3)):
            q, b, w = rng.randrange(len(self.out)), rng.randrange(self.objects), rng.random() < 0.5
            lo, n = self.span(b)
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

    def names(self, counts):
        """Names of the objects in reports; COUNTS: of buffers and SVM allocations so far."""
        named = []
        for kind in self.kinds:
            what = "buffer" if kind == "b" else "svm"
            counts[what] += 1
            named.append("%s %d" % (what, counts[what]))
        return named

    def racy(self, devices):
        """Memory with a race on some byte; memory that devices write and use at the same time."""
        found, shared = set(), set()
        for i, a in enumerate(self.accesses):
            for c in self.accesses[:i]:
                if a[0] != c[0] or not (a[3] or c[3]) or self.order.before(a[5], c[4]) \
                        or self.order.before(c[5], a[4]):
                    continue
                fine = self.kinds[a[0]] == "f"
                inherited = fine and a[7] and c[7] and a[7][0] == c[7][0] and a[7][1] != c[7][1]
                if a[1] < c[2] and c[1] < a[2] and not inherited:
                    found.add(a[0])
                if not fine and a[6] % devices != c[6] % devices:
                    shared.add(a[0])
        return found, found | shared

    def mapped(self):
        """Memory that a command uses while it is mapped, in every schedule; in some schedule."""
        must, may = set(), set()
        for root, lo, hi, writes, start, end in self.uses:
            for m in self.maps:
                mapped, first, n = self.roots[m[0]]
                if not (root == mapped and lo < first + n and first < hi and (writes or m[3]) and
                        self.kinds[root] != "f" and self.order.before(m[5], start)):
                    continue
                if m[6] is None or self.order.before(end, m[6][0]):
                    must.add(root)
                if m[6] is None or not self.order.before(m[6][1], start):
                    may.add(root)
        return must, may


def run(programs, folder, number, seed, devices):
    script = os.path.join(folder, "script%d" % number)
    with open(script, "w") as f:
        for p in programs:
            f.write("\n".join(p.lines) + "\n")
    environment = dict(os.environ, REFCL_QUEUE_SEED=str(seed), REFCL_QUEUE_PATIENCE="3000", REFCL_DEVICES=str(devices))
    done = subprocess.run([refcl, "run", "--quiet", "--json", "-", "--schedule", ["sequential", "fair"][number % 2],
                           "--", os.path.join(folder, "script_host"), script],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, env=environment)
    try:
        report = json.loads(done.stdout.decode())
    except ValueError:
        return None, "no report (exit %d): %s" % (done.returncode, done.stderr.decode()[-300:])
    if done.returncode not in (0, 1) or (done.returncode == 1 and not report["findings"]):
        return None, "exit %d: %s" % (done.returncode, done.stderr.decode()[-300:])
    kinds = {kind: {f["memory"]["name"] for f in report["findings"] if f["kind"] == kind} for kind in KINDS}
    odd = [f for f in report["findings"] if f["kind"] not in KINDS]
    return kinds, odd[0]["message"] if odd else None


def main():
    if NO_HOST_CC:
        tap.skip_all(NO_HOST_CC)
    with tempfile.TemporaryDirectory() as folder:
        return judge(folder)


def judge(folder):
    program = os.path.join(folder, "script_host")
    flags = {o: subprocess.run([refcl, "host-cc", o], stdout=subprocess.PIPE, check=True).stdout.decode().split()
             for o in ("--compile", "--link")}
    compiler = [os.environ.get("CC", "gcc"), "-std=c11", "-Wall", "-Wextra", "-Wno-tsan", "-g"]
    subprocess.run(compiler + flags["--compile"] + ["-c", "-o", program + ".o", os.path.join(here, "script_host.c")],
                   check=True)
    subprocess.run(compiler + ["-o", program, program + ".o", "-lOpenCL", "-pthread"] + flags["--link"], check=True)
    count, seed = int(os.environ.get("RANDOM_HOST_COUNT", 120)), int(os.environ.get("RANDOM_HOST_SEED", 1))
    rng = random.Random(seed)
    failed = clean = 0
    count_of = dict.fromkeys(KINDS, 0)
    for number in range((count + PER_RUN - 1) // PER_RUN):
        programs = []
        for _ in range(PER_RUN):
            p = Program(rng)
            for _ in range(rng.randint(3, 12)):
                p.step()
            programs.append(p)
        devices = 1 + number % 3 // 2
        found, problem = run(programs, folder, number, seed + number, devices)
        counts = {"buffer": 0, "svm": 0}
        for i, p in enumerate(programs):
            if found is None:
                break
            named = p.names(counts)
            for kind, (wanted, allowed) in zip(KINDS, (p.racy(devices), p.mapped())):
                got = {p.roots[b][0] for b in range(p.objects) if named[b] in found[kind]}
                count_of[kind] += len(wanted)
                if not wanted <= got <= allowed:
                    problem = "program %d of %s: %s on %s, reported on %s\n#   %s" % (
                        i, "script%d" % number, kind, sorted(wanted), sorted(got), "\n#   ".join(p.lines))
                    print("#", problem)
            clean += not p.racy(devices)[0] and not p.mapped()[0]
        failed += problem is not None
        print("%s %d - %d random host programs" % ("not ok" if problem else "ok", number + 1, len(programs)))
        if problem and found is None:
            print("#", problem)
    print("# %d objects with races, %d used while mapped, %d programs without" % (*count_of.values(), clean))
    print("1..%d" % (number + 1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
