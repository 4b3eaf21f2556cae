#!/usr/bin/env python3
"""Random race-free host programs on PoCL under the layer: after removal of the waits that `--check needless`
names, all conflicting operations are still ordered.

This script computes the order of commands and host calls from the rules of the specification
[CL 3.3.6 H1-H8], and compares it: each two commands that use the same bytes, at least one of which writes; each command
with the host's later use of its memory; and each command with the program's end.  The detector judges the
program without the needless waits, too.  NEEDLESS_COUNT programs (default 40), NEEDLESS_SEED."""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
from built import PATIENCE, REFCL

POCL = os.environ.get("REFCL_POCL_ICD", "/etc/OpenCL/vendors/pocl.icd")
QUEUES, BUFFERS, HOSTS, BYTES = 3, 3, 3, 64
HOST_KINDS = ("finish", "wait")
MARKS = ("barrier", "marker")
HEAD = r"""
#include "%s/samples/sample.h"
static int removed[4096][2], removed_count;
static int kept(int line, int producer)
{
    for (int i = 0; i < removed_count; i++)
        if (removed[i][0] == line && removed[i][1] == producer)
            return 0;
    return 1;
}
int main(int argc, char **argv)
{
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    while (f && fscanf(f, "%%d %%d", &removed[removed_count][0], &removed[removed_count][1]) == 2)
        removed_count++;
    open_device();
    cl_int zero = 0;
    cl_event list[64];
    cl_uint n;
"""


class Op:
    def __init__(self, kind, queue=None, uses=(), events=(), blocking=False):
        self.kind, self.queue, self.events, self.blocking = kind, queue, list(events), blocking
        self.uses = list(uses)  # (object, whether it is written)
        self.line = None


class Order:
    """Which operations are complete before which begin, without the waits in REMOVED: operations, and pairs
    of wait and awaited."""

    def __init__(self, ops, in_order, removed=frozenset()):
        self.before = []  # of operation i as it begins
        host = set()  # complete before the host's next call
        for i, op in enumerate(ops):
            mine = set(host)
            earlier = [k for k in range(i) if ops[k].queue == op.queue and op.queue is not None and ops[k].kind not in HOST_KINDS]
            present = [k for k in earlier if k not in removed]
            awaited = [e for e in op.events if (i, e) not in removed]
            if i in removed:
                after = []
            elif op.kind == "finish":
                after = present
            elif op.kind == "wait":
                after = op.events
            else:
                after = list(awaited)
                if in_order.get(op.queue) and present:
                    after.append(present[-1])
                after += [k for k in present if ops[k].kind == "barrier"]
                if op.kind in MARKS and not op.events:
                    after += present
            for k in after:
                mine |= self.before[k] | {k}
            self.before.append(mine)
            if op.kind in HOST_KINDS or op.blocking:
                host |= mine | ({i} if op.blocking else set())
        self.host = host


def conflicts(a, b):
    return any(x == y and (v or w) for x, v in a.uses for y, w in b.uses)


class HostProgram:
    """Commands on buffers, which wait for conflicting commands, and some needless waits."""

    def __init__(self, rng):
        self.rng, self.ops = rng, []
        self.in_order = {q: rng.random() < 0.6 for q in range(QUEUES)}
        for _ in range(rng.randint(5, 14)):
            self.step()
        for h in range(HOSTS):
            self.use(h)
        for q in range(QUEUES):
            self.ops.append(Op("finish", q))

    def commands(self):
        return [i for i, op in enumerate(self.ops) if op.queue is not None and op.kind != "finish"]

    def known(self):
        return Order(self.ops, self.in_order).host

    def some(self):
        commands = self.commands()
        return self.rng.sample(commands, min(len(commands), self.rng.choice((0, 0, 1, 2))))

    def use(self, h):
        """The host uses its memory H, after a wait for the commands that use it."""
        open_ = [i for i in self.commands() if any(x == ("h", h) for x, _ in self.ops[i].uses) and i not in self.known()]
        if open_:
            queues = {self.ops[i].queue for i in open_}
            if len(queues) == 1 and self.rng.random() < 0.6:
                self.ops.append(Op("finish", queues.pop()))
            else:
                self.ops.append(Op("wait", events=open_))
        self.ops.append(Op("use", uses=[(("h", h), True)]))

    def step(self):
        rng, q, b, h = self.rng, self.rng.randrange(QUEUES), self.rng.randrange(BUFFERS), self.rng.randrange(HOSTS)
        kind = rng.choice(("fill", "fill", "copy", "write", "read", "read", "finish", "wait", "barrier", "marker", "use"))
        if kind == "use":
            self.use(h)
        elif kind == "finish":
            self.ops.append(Op("finish", q))
        elif kind == "wait":
            events = self.some()
            if events:
                self.ops.append(Op("wait", events=events))
        elif kind in MARKS:
            self.ops.append(Op(kind, q, events=self.some()))
        else:
            uses = {"fill": [(("b", b), True)], "copy": [(("b", b), False), (("b", (b + 1) % BUFFERS), True)],
                    "write": [(("b", b), True), (("h", h), False)], "read": [(("b", b), False), (("h", h), True)]}[kind]
            op = Op(kind, q, uses, self.some(), kind in ("write", "read") and rng.random() < 0.3)
            before = Order(self.ops + [op], self.in_order).before[-1]
            op.events += [i for i in self.commands() if conflicts(self.ops[i], op) and i not in before and i not in op.events]
            self.ops.append(op)

    def text(self, number, first):
        """C code whose first line is line FIRST of the file; gives each operation its line."""
        lines = ["    {", "    cl_event %s;" % ", ".join("e%d" % i for i in range(len(self.ops)))]
        for q in range(QUEUES):
            lines.append("    cl_command_queue q%d = queue(%s);" % (q, 0 if self.in_order[q] else "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE"))
        lines.append("    cl_mem %s;" % ", ".join("b%d = buffer(%d)" % (b, BYTES) for b in range(BUFFERS)))
        lines.append("    static char %s;" % ", ".join("h%d_%d[%d]" % (number, h, BYTES) for h in range(HOSTS)))
        for i, op in enumerate(self.ops):
            names = [("h%d_%d" % (number, x[1]) if x[0] == "h" else "b%d" % x[1]) for x, _ in op.uses]
            if op.kind == "use":
                lines.append("    memset(%s, 1, %d);" % (names[0], BYTES))
                continue
            op.line = first + len(lines) + (0 if op.kind in HOST_KINDS else 1 + len(op.events))
            if op.kind not in HOST_KINDS:
                lines.append("    n = 0;")
                lines += ["    if (kept(%d, %d)) list[n++] = e%d;" % (op.line, self.ops[e].line, e) for e in op.events]
            wait, block = "n, n ? list : NULL, &e%d" % i, "CL_TRUE" if op.blocking else "CL_FALSE"
            # A marker whose list became empty would wait for all: it is left out, and its event is complete
            # already.
            mark = "if (kept({0}, 0)) OK(clEnqueue{1}WithWaitList(q{2}, %s)); else {{ e{3} = clCreateUserEvent(context, NULL); OK(clSetUserEventStatus(e{3}, CL_COMPLETE)); }}" % wait
            lines.append("    " + {
                "finish": lambda: "if (kept({0}, 0)) OK(clFinish(q{1})); else OK(clFlush(q{1}));".format(op.line, op.queue),
                "wait": lambda: "if (kept(%d, 0)) OK(clWaitForEvents(%d, (cl_event[]){%s})); else { %s }" % (
                    op.line, len(op.events), ", ".join("e%d" % e for e in op.events),
                    " ".join("OK(clFlush(q%d));" % q for q in range(QUEUES))),
                "barrier": lambda: mark.format(op.line, "Barrier", op.queue, i),
                "marker": lambda: mark.format(op.line, "Marker", op.queue, i),
                "fill": lambda: "OK(clEnqueueFillBuffer(q%d, %s, &zero, 4, 0, %d, %s));" % (op.queue, names[0], BYTES, wait),
                "copy": lambda: "OK(clEnqueueCopyBuffer(q%d, %s, %s, 0, 0, %d, %s));" % (op.queue, names[0], names[1], BYTES, wait),
                "write": lambda: "OK(clEnqueueWriteBuffer(q%d, %s, %s, 0, %d, %s, %s));" % (op.queue, names[0], block, BYTES, names[1], wait),
                "read": lambda: "OK(clEnqueueReadBuffer(q%d, %s, %s, 0, %d, %s, %s));" % (op.queue, names[0], block, BYTES, names[1], wait),
            }[op.kind]())
        return lines + ["    }"]

    def lost(self, named):
        """What is no longer ordered without the waits in NAMED, (line, line of the awaited command or 0)."""
        removed = set()
        for i, op in enumerate(self.ops):
            removed |= {i} if (op.line, 0) in named else set()
            removed |= {(i, e) for e in op.events if op.kind not in HOST_KINDS and (op.line, self.ops[e].line) in named}
        was, now = Order(self.ops, self.in_order), Order(self.ops, self.in_order, removed)
        # A removed marker has no end; it does not conflict.
        gone = {i for i in removed if isinstance(i, int)}
        pairs = [(a, b) for b in range(len(self.ops)) for a in was.before[b] - now.before[b]
                 if conflicts(self.ops[a], self.ops[b])]
        return pairs + [(a, "end") for a in was.host - now.host - gone]


def run(program, check, *arguments):
    done = subprocess.run([REFCL, "run", "--on-driver", "--check", check, "--quiet", "--json", "-", "--", program, *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, env=dict(os.environ, OCL_ICD_VENDORS=POCL))
    try:
        report = json.loads(done.stdout.decode())
    except ValueError:
        return done.returncode, [], done.stderr.decode()[-500:]
    return done.returncode, report["findings"], done.stderr.decode()[-500:]


def named_waits(findings):
    named = set()
    for f in findings:
        place = f["accesses"][0]
        producer = re.search(r"the event of .*\.c:(\d+) ", f["message"])
        named.add((place["line"], int(producer[1]) if producer else 0))
    return named


def main():
    if not os.path.exists(POCL):
        print("1..0 # SKIP no PoCL")
        return 0
    rng = random.Random(int(os.environ.get("NEEDLESS_SEED", 16)))
    programs = [HostProgram(rng) for _ in range(int(os.environ.get("NEEDLESS_COUNT", 40)))]
    lines, failed = (HEAD % here).split("\n"), 0
    for number, p in enumerate(programs):
        lines += p.text(number, len(lines) + 1)
    with tempfile.TemporaryDirectory() as folder:
        source, program, removed = (os.path.join(folder, n) for n in ("p.c", "p", "removed"))
        with open(source, "w") as f:
            f.write("\n".join(lines + ["    return 0;", "}", ""]))
        subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-g", "-w", "-o", program, source, "-lOpenCL"], check=True)
        code, findings, said = run(program, "race,needless")
        kinds, named = {f["kind"] for f in findings}, named_waits(findings)
        good = code == 0 and kinds == {"needless-wait"}
        print("%s 1 - random programs without races have needless waits" % ("ok" if good else "not ok"))
        print("# exit %d, %d needless waits, kinds %s %s" % (code, len(named), sorted(kinds), said))
        failed += not good
        lost = [(number, pair, p) for number, p in enumerate(programs) for pair in p.lost(named)]
        print("%s 2 - without them all that matters is ordered" % ("not ok" if lost else "ok"))
        for number, pair, p in lost[:5]:
            print("# program %d loses %s:" % (number, pair))
            for i, op in enumerate(p.ops):
                print("#   %d %s q%s %s %s line %s%s" % (i, op.kind, op.queue, op.uses, op.events, op.line,
                                                        " in order" if p.in_order.get(op.queue) else ""))
            print("#   removed", sorted(n for n in named if n[0] in {op.line for op in p.ops}))
        failed += bool(lost)
        of_kinds = {kind: [n for n in named for p in programs for op in p.ops if op.line == n[0] and op.kind == kind and not n[1]]
                    for kind in HOST_KINDS + MARKS}
        missing = [kind for kind in of_kinds if not of_kinds[kind]] + (["list"] if not any(n[1] for n in named) else [])
        print("%s 3 - there were some of each kind%s" % ("not ok" if missing else "ok", ": not " + str(missing) if missing else ""))
        failed += bool(missing)
        with open(removed, "w") as f:
            f.writelines("%d %d\n" % n for n in sorted(named))
        code, findings, said = run(program, "race", removed)
        print("%s 4 - without them the detector finds no race" % ("not ok" if code or findings else "ok"))
        if code or findings:
            print("# exit %d %s %s" % (code, [f["message"] for f in findings][:3], said))
        failed += bool(code or findings)
    print("1..4")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
