#!/usr/bin/env python3
"""CPU time of a launch that is checked: checked.py BUILD PROGRAM FILE KERNEL...; PROGRAM is set.c, compiled.

Prints "KERNEL MILLISECONDS" for each kernel of FILE, "KERNEL -" without a figure.  A launch under `refcl run --check race,memory` counts
the program, the detector and all of their processes, less what a session costs: the figure is the difference between a session of many
launches and a session of one, medians of three."""
import os
import resource
import statistics
import subprocess
import sys


def cpu_seconds(command, core, environment):
    """CPU seconds of the command with its children on one core, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["taskset", "-c", core] + command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def checked_ms(build, command, launches, core="0", environment=None, trace=None):
    """Milliseconds of a checked launch, None without a figure.  command(n): the program that makes n launches.  LAUNCHES: numbers of
    launches, of which the next one is tried while they take less than 100 ms.  TRACE: a file for the trace."""
    session = [os.path.join(build, "refcl"), "run", "-q", "--check", "race,memory"] + (["--trace", trace] if trace else []) + ["--"]
    def seconds(count):
        return statistics.median(cpu_seconds(session + command(count), core, environment)[0] for _ in range(3))
    one = seconds(1)
    for count in launches:
        more = seconds(count + 1) - one
        if more >= 0.1:
            break
    return 1000 * more / count if more > 0 else None


def main():
    build, program, file, *kernels = sys.argv[1:]
    for kernel in kernels:
        ms = checked_ms(build, lambda launches: [program, file, str(launches), kernel], (20, 400))
        print(kernel, "-" if ms is None else "%.6g" % ms, flush=True)


if __name__ == "__main__":
    main()
