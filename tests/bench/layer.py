#!/usr/bin/env python3
"""Cost of the loader layer on the installed driver.

layer.py [ROUNDS]: in each round the program runs in each way, in random order; a way's cost is its difference to the run alone of the
same round.  Printed are medians, with quartiles in brackets.  CPU time is that of all threads of the program, the driver's included;
under the detector also that of `refcl run`, without what it uses for one command.  The last rows are the memory of a program with a million commands."""
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
FIGURES = re.compile(r"(\d+) commands: (\d+) ns a command, (\d+) ns of CPU time; (\d+) ns of CPU time in all; "
                     r"resident (\d+) KiB after a tenth, (\d+) KiB at the end")


def ways(trace):
    """Of each way to run the program: what comes before its command, and variables."""
    recorded = {"OPENCL_LAYERS": LAYER, "REFCL_LAYER_TRACE": trace}
    return {
        "alone": ([], {}),
        "layer": ([], {"OPENCL_LAYERS": LAYER}),
        "trace": ([], recorded),
        "call stacks": ([], dict(recorded, REFCL_LAYER_BACKTRACE="1")),
        "detector": ([REFCL, "run", "--on-driver", "--quiet", "--"], {}),
        "detector and call stacks": ([REFCL, "run", "--on-driver", "--backtrace", "--quiet", "--"], {}),
    }


def children_ns():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (usage.ru_utime + usage.ru_stime) * 1e9


def run(way, *arguments, session_alone=0):
    """Nanoseconds of wall time and of CPU time of a command; KiB after a tenth of the commands and at the end; nanoseconds of CPU time
    of the session.  Of the latter SESSION_ALONE are no command's."""
    prefix, variables = way
    before = children_ns()
    done = subprocess.run([*prefix, PROGRAM, *map(str, arguments)], env=dict(os.environ, **variables), check=True,
                          stdout=subprocess.PIPE, text=True)
    count, wall, cpu, process, first, last = map(int, FIGURES.search(done.stdout).groups())
    session = children_ns() - before - process if prefix else 0
    return wall, cpu + (session - session_alone) / count, first, last, session


def spread(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return "%.0f (%.0f to %.0f)" % (middle, low, high)


def compare(title, rounds, trace, *arguments):
    table, figures = ways(trace), {}
    few = [1, *arguments[1:]]
    session = {name: statistics.median(run(way, *few)[4] for _ in range(5)) if way[0] else 0 for name, way in table.items()}
    for _ in range(rounds):
        for name in random.sample(list(table), len(table)):
            figures.setdefault(name, []).append(run(table[name], *arguments, session_alone=session[name]))
    print(title)
    alone = figures["alone"]
    for name in table:
        of_time = []
        for k in (0, 1):
            values = [f[k] for f in figures[name]]
            more = [] if name == "alone" else [v - a[k] for v, a in zip(values, alone)]
            of_time.append(spread(values) + (", %s more, %.2f %%" % (
                spread(more), 100 * statistics.median(m / a[k] for m, a in zip(more, alone))) if more else ""))
        print("  %-26s ns a command: %s; of CPU time: %s" % (name + ":", *of_time), flush=True)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    os.makedirs(os.path.dirname(PROGRAM), exist_ok=True)
    subprocess.run(["gcc", "-O2", "-o", PROGRAM, os.path.join(here, "layer_cost.c"), "-lOpenCL"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace")
        alone = ways(trace)["alone"]
        iterations = 20000
        iterations = int(iterations * 1e6 / min(run(alone, 200, iterations)[1] for _ in range(3)))
        compare("copies of 64 bytes and kernels of 16 work-items", rounds, trace, 20000)
        compare("the same, with a wait after each command", rounds, trace, 5000, 0, 1)
        compare("kernels of a millisecond of CPU time", rounds, trace, 300, iterations)
        print("memory of a million commands")
        for name, way in ways(trace).items():
            print("  %-26s %d KiB after a tenth, %d KiB at the end" % (name + ":", *run(way, 1000000)[2:4]), flush=True)


if __name__ == "__main__":
    main()
