#!/usr/bin/env python3
"""Random subscripts in loops and behind branches: instrumented code, whose checks the ranges of values over a
launch decide, gives the interpreter's report and memory, for a buffer that ends at the last element that the
kernel reads, for one that ends before it, and for a random one.

slow_launch_ranges.py [SEED [CASES]]: 600 cases; in a sample fewer."""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from slow_instrumented import differences, report
from test_races import refcl

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from sample import SHARE  # noqa: E402
from tap import check, done  # noqa: E402

GLOBAL, LOCAL, MOST = 48, 16, 1 << 20
TYPES = ("int", "uint", "size_t", "long", "short", "uchar")
# Without MEASURED: the access.  With it: the range of its subscript.
MACRO = """#ifdef MEASURED
#define X(e) (atomic_min(&r[0], (int)clamp((long)(e), -1L, %dL)), atomic_max(&r[1], (int)clamp((long)(e), -1L, %dL)), (int)(e))
#else
#define X(e) x[e]
#endif
""" % (MOST, MOST)
folder = tempfile.mkdtemp(prefix="refcl-test.")


class Kernel:
    """A random kernel: values are ids, arguments, counters of loops and variables."""

    def __init__(self, rng):
        self.rng = rng
        self.names = ["i", "l", "g", "n", "m"]
        self.count = 0
        self.loops = 0

    def name(self):
        self.count += 1
        return "v%d" % self.count

    def constant(self):
        return str(self.rng.choice([0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 48, 64, 100]))

    def value(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.25:
            return rng.choice(self.names) if rng.random() < 0.75 else self.constant()
        a, b = self.value(depth - 1), self.value(depth - 1)
        forms = ["(%s + %s)", "(%s + %s)", "(%s - %s)", "(%s * %s)", "min(%s, %s)", "max(%s, %s)", "(%s & %s)", "(%s | %s)", "(%s ^ %s)"]
        form = rng.choice(forms + ["/", "%", ">>", "<<", "cast", "clamp", "select"])
        if form in "/%":
            return "(%s %s %s)" % (a, form, self.constant() if rng.random() < 0.5 else "((%s & 15) + 1)" % b)
        if form in (">>", "<<"):
            return "(%s %s %d)" % (a, form, rng.randrange(5))
        if form == "cast":
            return "((%s)%s)" % (rng.choice(TYPES), a)
        if form == "clamp":
            return "max((long)min((long)%s, (long)%s), 0L)" % (a, b)
        if form == "select":
            return "(%s ? %s : %s)" % (self.condition(), a, b)
        if form.startswith("m"):
            t = rng.choice(("int", "uint", "long"))
            a, b = "(%s)%s" % (t, a), "(%s)%s" % (t, b)
        return form % (a, b)

    def condition(self):
        rng = self.rng
        text = "%s %s %s" % (self.value(1), rng.choice(["<", "<=", ">", ">=", "==", "!=", "<"]), self.value(1))
        if rng.random() < 0.2:
            text = "%s %s %s %s %s" % (text, rng.choice(["&&", "||"]), self.value(1), rng.choice(["<", ">="]), self.value(1))
        return "(%s)" % text

    def statement(self, depth):
        rng = self.rng
        kind = rng.random()
        if depth == 0 or kind < 0.35:
            return "s += X(%s);" % self.value(2)
        if kind < 0.5:
            known = len(self.names)
            value, name = self.value(2), self.name()
            self.names.append(name)
            text = "{ %s %s = %s; %s }" % (rng.choice(TYPES), name, value, self.body(depth - 1))
            del self.names[known:]
            return text
        if kind < 0.75 or self.loops == 2:
            text = "if %s { %s }" % (self.condition(), self.body(depth - 1))
            return text + (" else { %s }" % self.body(depth - 1) if rng.random() < 0.3 else "")
        return self.loop(depth)

    def loop(self, depth):
        rng = self.rng
        known, k = len(self.names), self.name()
        start, end, t = self.value(1), self.value(1), rng.choice(("int", "uint", "size_t", "long"))
        step = rng.choice(["++", " += 2", " += (n & 3) + 1", " += get_global_size(0)", " += get_local_size(0)", "--", " /= 2", " >>= 1"])
        down = step in ("--", " /= 2", " >>= 1")
        ends = "%s > 0" % k if down else "%s %s %s" % (k, rng.choice(["<", "<=", "!="]), end)
        self.names.append(k)
        self.loops += 1
        limit = self.name()
        left = " if (%s > %d) break;" % (limit, 40)  # every loop ends
        first = rng.random() < 0.5
        text = "{ int %s = 0; for (%s %s = %s; %s; %s%s) { %s%s; %s } }" % (
            limit, t, k, start, ends, k, step, left if first else "", " %s++" % limit if first else " if (++%s > 40) break" % limit, self.body(depth - 1))
        if rng.random() < 0.6:  # without a second exit: the bounds are small
            ends = "%s > 0" % k if down else "%s < %s" % (k, rng.choice(["(%s)(n & 31)" % t, "(%s)(m & 63)" % t, "(%s)(l + 3)" % t]))
            start = "(%s)(%s & 15)" % (t, rng.choice(("i", "l", "n", "m")))
            text = "for (%s %s = %s; %s; %s%s) { %s }" % (t, k, start, ends, k, step, self.body(depth - 1))
        self.loops -= 1
        del self.names[known:]
        return text

    def body(self, depth):
        return " ".join(self.statement(depth) for _ in range(self.rng.choice((1, 1, 2))))


def write(path, rng):
    body = Kernel(rng).body(3)
    text = MACRO + ("kernel void k(global int *o, global const int *x, global int *r, int n, int m) {\n    int i = get_global_id(0), "
                    "l = get_local_id(0), g = get_group_id(0), s = 0;\n    %s\n    o[i] = s; }\n" % body)
    with open(path, "w") as f:
        f.write(text)
    return text


def command(path, elements, n, m, options):
    return [refcl, "kernel", "--quiet", "-g", str(GLOBAL), "-l", str(LOCAL), "-a", "buf:%d" % GLOBAL, "-a", "buf:%d:iota" % elements,
            "-a", "buf:2:iota", "-a", str(n), "-a", str(m)] + options + [path]


def subscripts(path, n, m):
    """The least and the greatest subscript; None: the kernel reads nothing, or does not end."""
    try:
        done_ = subprocess.run(command(path, 1, n, m, ["--check", "none", "-p", "2", "-D", "MEASURED"]), capture_output=True, text=True, timeout=60,
                               env=dict(os.environ, REFCL_ENGINE="interp"))
    except subprocess.TimeoutExpired:
        return None
    numbers = re.findall(r"-?\d+", done_.stdout.split(":")[-1])
    return tuple(int(v) for v in numbers[-2:]) if len(numbers) >= 2 else None


def compare(name, text, path, elements, n, m):
    output = folder + "/out.json"
    line = command(path, elements, n, m, ["--json", output, "-p", "0"])
    (expected, _), (found, completed) = (report(line, output, engine, {}) for engine in ("interp", "jit"))
    different = differences(expected, found, False)
    check("%s, %d elements: the same report" % (name, elements), different is None, "%s\n%s\n%s" % (different, " ".join(line), text))
    check("%s, %d elements: the same memory" % (name, elements), expected["stdout"] == found["stdout"], "%s\n%s" % (" ".join(line), text))
    return [f["kind"] for f in expected["findings"]], completed, ": compiled with all checks" in found["stderr"]


def main():
    seed, cases = (int(a) for a in (sys.argv[1:] + ["1", 600 // SHARE][len(sys.argv) - 1:])[:2])
    clean = outside = decided = 0
    for case in range(cases):
        rng = random.Random("%d %d" % (seed, case))
        path = folder + "/k.cl"
        text = write(path, rng)
        n, m = rng.choice((0, 1, 3, 8, 20, 33, -1, -7, 1 << 30)), rng.choice((0, 1, 2, 5, 12, 40, -3))
        ends = subscripts(path, n, m)
        most = ends[1] if ends else 0
        sizes = {max(1, rng.randrange(200))}
        if ends and ends[0] >= 0 and 0 < most < MOST:
            sizes |= {most + 1, most}
        for elements in sorted(sizes):
            kinds, completed, all_checks = compare("case %d %d" % (seed, case), text, path, elements, n, m)
            clean += not kinds and completed
            outside += "out-of-bounds" in kinds
            decided += not kinds and completed and not all_checks
    check("many launches are clean (%d), out of bounds (%d), decided by ranges or constants (%d)" % (clean, outside, decided),
          clean >= cases // 5 and outside >= cases // 5 and decided >= cases // 6)
    shutil.rmtree(folder)
    return done()


if __name__ == "__main__":
    sys.exit(main())
