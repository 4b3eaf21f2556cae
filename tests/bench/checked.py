#!/usr/bin/env python3
"""CPU time of a launch that is checked, beside a plain one: checked.py BUILD PROGRAM FILE KERNEL...; PROGRAM
is set.c, compiled.  TRACE=1 in the environment: with `--trace`, too.

Prints "KERNEL CHECKED PLAIN TIMES SPREAD" for each kernel of FILE: milliseconds, their ratio, and by how many
percent of its median the checked figure varied.  A launch under `refcl run --check race,memory` counts the
program, the detector and all of their processes, less what a session costs: the figure is the difference
between a long session and a short one, in which everything is compiled.  The long one has as many launches
more as take 0.3 s, which is ten times by how much sessions vary.  Both are repeated in turn."""
import os
import resource
import statistics
import subprocess
import sys
import tempfile

WARM, PAIRS, LONG, PLAIN = 2, 3, 0.3, 0.1  # launches; repetitions; seconds


def cpu_seconds(command, core, environment):
    """CPU seconds of the command with its children on one core, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["taskset", "-c", core] + command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def checked_ms(build, command, expected, core="0", environment=None, trace=None):
    """Milliseconds of a checked launch and their spread; None without a figure.  command(n): a program with n
    launches.  EXPECTED: a lower bound of the milliseconds of a launch.  TRACE: a file for the trace."""
    session = [os.path.join(build, "refcl"), "run", "-q", "--check", "race,memory"] + (["--trace", trace] if trace else []) + ["--"]

    def more_seconds(launches, order):
        seconds = {n: cpu_seconds(session + command(n), core, environment)[0] for n in (WARM, WARM + launches)[::order]}
        return seconds[WARM + launches] - seconds[WARM]

    most = max(1, round(1000 * PLAIN / expected))
    launches = max(1, most // 100)
    taken = more_seconds(launches, 1)
    while taken < PLAIN and launches < most:
        launches = min(10 * launches, most)
        taken = more_seconds(launches, 1)
    launches = max(1, round(launches * LONG / max(taken, PLAIN)))
    figures = [1000 * more_seconds(launches, (1, -1)[k % 2]) / launches for k in range(PAIRS)]
    ms = statistics.median(figures)
    return (ms, (max(figures) - min(figures)) / 2 / ms) if ms > 0 else None


def plain_ms(program, file, kernel, core, environment):
    """Milliseconds of a plain launch: the median of those of 0.1 s."""
    def launches(count):
        return float(cpu_seconds([program, file, str(count), kernel], core, environment)[1].split()[1])
    return launches(max(5, round(1000 * PLAIN / max(launches(5), 0.001))))


def main():
    build, program, file, *kernels = sys.argv[1:]
    library = os.path.abspath(os.path.join(build, "librefcl.so"))
    environment = dict(os.environ, OCL_ICD_VENDORS=library, OCL_ICD_FILENAMES=library)
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace") if os.environ.get("TRACE") == "1" else None
        measure(build, program, file, kernels, environment, trace)


def measure(build, program, file, kernels, environment, trace):
    for kernel in kernels:
        plain = plain_ms(program, file, kernel, "0", environment)
        figure = checked_ms(build, lambda launches: [program, file, str(launches), kernel], plain, trace=trace)
        print(kernel, "%.6g %.6g %.4g %.0f" % (figure[0], plain, figure[0] / plain, 100 * figure[1]) if figure else "- %.6g - -" % plain,
              flush=True)


if __name__ == "__main__":
    main()
