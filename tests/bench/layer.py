#!/usr/bin/env python3
"""Cost of the loader layer on the installed driver.

layer.py [ROUNDS [CPUS]]: each sample runs the program in each mode, in random order; a mode's cost is its
difference to the program alone in the same sample.  Prints medians, with quartiles in brackets.  CPU time is
that of all threads of the program, the driver's included; the CPU time of `refcl run`, less what it uses for
one command, is included under the detector, and printed separately, too.  The last rows are the memory of a
program with a million commands.

If the driver's threads sleep between commands, time on the host may cost a multiple, as other threads sleep
and wake then.  The row "busy" shows that: the program alone, where the host computes for a microsecond after
each command.  CPUS (as for taskset) are those of the program; `refcl run` has all: with threads on one
processor the times of PoCL do not depend on where they wake."""
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
from built import BUILD, REFCL

LAYER = os.path.realpath(os.path.join(BUILD, "librefcl-layer.so"))
PROGRAM = os.path.join(BUILD, "tests/bench/layer_cost")
PINNED = []  # words before the program's command
FIGURES = re.compile(r"(\d+) commands: (\d+) ns a command, (\d+) ns of CPU time; (\d+) ns of CPU time in all; "
                     r"resident (\d+) KiB after a tenth, (\d+) KiB at the end")


def ways(trace):
    """Of each way to run the program: what comes before its command, variables, and nanoseconds that the host
    computes after a command."""
    recorded = {"OPENCL_LAYERS": LAYER, "REFCL_LAYER_TRACE": trace}
    return {
        "alone": ([], {}, 0),
        "busy": ([], {}, 1000),
        "layer": ([], {"OPENCL_LAYERS": LAYER}, 0),
        "trace": ([], recorded, 0),
        "call stacks": ([], dict(recorded, REFCL_LAYER_BACKTRACE="1"), 0),
        "detector": ([REFCL, "run", "--on-driver", "--quiet", "--"], {}, 0),
        "detector and call stacks": ([REFCL, "run", "--on-driver", "--backtrace", "--quiet", "--"], {}, 0),
    }


def children_ns():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (usage.ru_utime + usage.ru_stime) * 1e9


class Run:
    """Of a command: nanoseconds of wall time, of CPU time of the program and of `refcl run`, whose
    SESSION_ALONE are no command's; KiB after a tenth of the commands and at the end."""

    def __init__(self, way, count, iterations=0, finished=1000, queues=1, session_alone=0):
        prefix, variables, busy = way
        words = [*prefix, *PINNED, PROGRAM, *map(str, (count, iterations, finished, queues, busy))]
        before = children_ns()
        done = subprocess.run(words, env=dict(os.environ, **variables), check=True, stdout=subprocess.PIPE, text=True)
        _, self.wall, self.cpu, process, self.first, self.last = map(int, FIGURES.search(done.stdout).groups())
        self.session_ns = children_ns() - before - process
        self.session = (self.session_ns - session_alone) / count


def spread(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return "%.0f (%.0f to %.0f)" % (middle, low, high)


def compare(title, rounds, trace, count, *arguments):
    table, runs = ways(trace), {}
    session = {name: statistics.median(Run(way, 1, *arguments).session_ns for _ in range(5)) for name, way in table.items()}
    for _ in range(rounds):
        for name in random.sample(list(table), len(table)):
            runs.setdefault(name, []).append(Run(table[name], count, *arguments, session_alone=session[name]))
    print(title + ": ns a command")
    for name, way in table.items():
        columns = []
        for what, label in (("wall", ""), ("cpu", "; of CPU time: ")):
            values, alone = [getattr(r, what) for r in runs[name]], [getattr(r, what) for r in runs["alone"]]
            columns.append(label + spread(values))
            if name != "alone":
                more = [v - a for v, a in zip(values, alone)]
                columns.append(", %s more, %.2f %%" % (spread(more), 100 * statistics.median(m / a for m, a in zip(more, alone))))
        if way[0]:
            columns.append("; of refcl run's: " + spread([r.session for r in runs[name]]))
        print("  %-26s %s" % (name + ":", "".join(columns)), flush=True)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    PINNED[:] = ["taskset", "-c", sys.argv[2]] if len(sys.argv) > 2 else []
    os.makedirs(os.path.dirname(PROGRAM), exist_ok=True)
    subprocess.run(["gcc", "-O2", "-o", PROGRAM, os.path.join(here, "layer_cost.c"), "-lOpenCL"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace")
        alone = ways(trace)["alone"]
        iterations = 20000
        iterations = int(iterations * 1e6 / min(Run(alone, 200, iterations).cpu for _ in range(3)))
        compare("copies of 64 bytes and kernels of 16 work-items", rounds, trace, 20000)
        compare("the same, with a wait after each command", rounds, trace, 5000, 0, 1)
        compare("the same in two queues, each command after the one before it in the other", rounds, trace, 20000, 0, 1000, 2)
        compare("kernels of a millisecond of CPU time", rounds, trace, 300, iterations)
        print("memory of a million commands")
        for name, way in ways(trace).items():
            end = Run(way, 1000000)
            print("  %-26s %d KiB after a tenth, %d KiB at the end" % (name + ":", end.first, end.last), flush=True)


if __name__ == "__main__":
    main()
