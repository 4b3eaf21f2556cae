#!/usr/bin/env python3
"""Pairs of unordered commands on one buffer, of which one reads, writes, copies or fills a rectangle or a range and
the other does so, too, or is a kernel: `refcl run` reports a race of those that share a byte that one of them
writes, and of no others [CL 3.3.6].  The oracle intersects sets of bytes.

RANDOM_RECTANGLES_COUNT pairs (default 240), RANDOM_RECTANGLES_SEED."""
import json
import os
import random
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../lib"))
import tap
from built import PATIENCE, REFCL as refcl

BYTES = 512
PARTS = ((0, BYTES), (BYTES // 4, BYTES // 2))  # offset and size of the buffer and of its sub-buffer
PER_RUN = 60
BUFFERS = 4  # that the host program creates for each pair; the first two are the buffer and its sub-buffer
FILLS = {"f": 1, "g": 4, "h": 64}
WRITES = "KwCfgh"


class Command:
    """A command with the bytes of the buffer that it accesses."""

    def __init__(self, rng, layout, what):
        self.what, self.part = what, rng.randrange(2)
        size = PARTS[self.part][1]
        self.row, self.slice = layout
        if what in FILLS:
            each = FILLS[what]
            first = rng.randrange(size // each)
            self.origin, self.region = (first * each, 0, 0), (each * rng.randint(1, min(size // each - first, 200 // each + 1)), 1, 1)
            self.row = self.slice = 0
        else:
            while True:
                self.region = rng.randint(1, self.row), rng.randint(1, self.slice // self.row), rng.randint(1, 3)
                self.origin = rng.randrange(self.row), rng.randrange(self.slice // self.row), rng.randrange(size // self.slice)
                if max(self.bytes_in_part()) < size:
                    break

    def bytes_in_part(self):
        (x, y, z), (width, height, depth) = self.origin, self.region
        return {(z + k) * self.slice + (y + j) * self.row + x + i for k in range(depth) for j in range(height) for i in range(width)}

    def bytes(self):
        return {PARTS[self.part][0] + at for at in self.bytes_in_part()}

    def writes(self):
        return self.what in WRITES

    def line(self):
        return " ".join(map(str, (self.what, self.part, *self.origin, *self.region, self.row, self.slice)))


def random_pair(rng):
    """The commands mostly have the same layout, so that rectangles lie side by side; one is often a kernel.  Half of the pairs share as
    few bytes as possible, or are as near as possible without sharing one."""
    layouts = []
    for _ in range(2):
        row = rng.choice((8, 12, 16, 31))
        layouts.append((row, row * rng.randint(2, 6)))
    first = Command(rng, layouts[0], rng.choice("kKKrwcCfgh"))
    shares = rng.random() < 0.5
    seconds = [Command(rng, layouts[rng.random() < 0.2], rng.choice("kKrwwcCCfgh")) for _ in range(rng.choice((1, 16)))]
    return first, min(seconds, key=lambda second: distance(first.bytes(), second.bytes(), shares))


def distance(a, b, shares):
    """How far A and B are from sharing one byte; not SHARES: from adjoining."""
    if a.isdisjoint(b) == shares:
        return BYTES
    return len(a & b) if shares else min(y - x if y > x else x - y for x in (min(a), max(a)) for y in b)


def is_racy(pair):
    return (pair[0].writes() or pair[1].writes()) and not pair[0].bytes().isdisjoint(pair[1].bytes())


def racy_pairs(folder, program, pairs, number):
    """The numbers of the pairs with races by `refcl run`, and a problem or None."""
    script = os.path.join(folder, "script%d" % number)
    with open(script, "w") as f:
        f.write("%d\n" % len(pairs) + "".join("%s %s\n" % (a.line(), b.line()) for a, b in pairs))
    environment = dict(os.environ, REFCL_QUEUE_SEED=str(number + 1), REFCL_QUEUE_PATIENCE="3000")
    run = subprocess.run([refcl, "run", "--quiet", "--json", "-", "--schedule", ["sequential", "fair"][number % 2], "--", program, script],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, env=environment)
    try:
        report = json.loads(run.stdout.decode())
    except ValueError:
        return None, "no report (exit %d): %s" % (run.returncode, run.stderr.decode()[-300:])
    if run.returncode not in (0, 1):
        return None, "exit %d: %s" % (run.returncode, run.stderr.decode()[-300:])
    found, problem = set(), None
    for finding in report["findings"]:
        kind, _, buffer = finding["memory"]["name"].partition(" ")
        pair, which = divmod(int(buffer) - 1, BUFFERS) if kind == "buffer" else (-1, 0)
        if finding["kind"] != "data-race" or pair not in range(len(pairs)) or which > 1:
            problem = finding["message"]
        found.add(pair)
    return found, problem


def main():
    count = int(os.environ.get("RANDOM_RECTANGLES_COUNT", 240))
    rng = random.Random(int(os.environ.get("RANDOM_RECTANGLES_SEED", 1)))
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "rectangles_host")
        subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-Wall", "-Wextra", "-g", "-o", program,
                        os.path.join(here, "rectangles_host.c"), "-lOpenCL"], check=True)
        for number in range((count + PER_RUN - 1) // PER_RUN):
            pairs = [random_pair(rng) for _ in range(PER_RUN)]
            racy = {i for i, pair in enumerate(pairs) if is_racy(pair)}
            found, problem = racy_pairs(folder, program, pairs, number)
            if found is not None and found != racy:
                different = min(found ^ racy)
                problem = "pair %d is %s: %s" % (different, "racy" if different in racy else "not racy", " and ".join(c.line() for c in pairs[different]))
            tap.check("%d pairs, of which %d race" % (len(pairs), len(racy)), not problem and 10 < len(racy) < 50, problem)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
