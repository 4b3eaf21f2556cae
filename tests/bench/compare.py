#!/usr/bin/env python3
"""Compares two builds of refcl kernel by kernel: compare.py [options] OLD NEW [KERNEL...], two build folders.

Both run the same programs (kernels.cl, patterns.cl, set_tuning.cl, set_check.cl of this checkout) on one core, in turn, the
order changing with each sample.  A row is the ratio of the medians of CPU time, NEW / OLD; a ratio over the limit is measured
again with four times the samples before it counts.  Modes:
  plain           a launch, compiled
  interp          a launch of a 64th, interpreted
  checked         a launch under `refcl run --check race,memory`: the program, the detector and their children, less what a
                  session costs
  recorded        the same, with a trace besides
  interp-checked  a launch of a 64th under `refcl run --check race,memory`, interpreted
The exit status is 1 if a row is over the limit."""
import argparse
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

from checked import checked_ms, cpu_seconds

HERE = os.path.dirname(os.path.abspath(__file__))
MODES = ("plain", "interp", "checked", "recorded", "interp-checked")


def built(name, folder):
    """The measuring program NAME, compiled into FOLDER."""
    program = os.path.join(folder, name)
    subprocess.run(["gcc", "-w", "-std=c11", "-D_GNU_SOURCE", "-O2", "-DCL_TARGET_OPENCL_VERSION=300",
                    os.path.join(HERE, name + ".c"), "-o", program, "-lOpenCL"], check=True)
    return program


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.bench = built("bench", folder)
        self.set = built("set", folder)

    def command(self, file, kernel, launches, shift=0):
        path = os.path.join(HERE, file)
        if file.startswith("set_"):
            return [self.set, path, str(launches), kernel]
        return [self.bench, path, kernel, str(launches), str(shift)]

    def environment(self, build, engine):
        return dict(os.environ, REFCL_ENGINE=engine, REFCL_CACHE_DIR=os.path.join(self.folder, str(self.options.builds.index(build))))

    def launch(self, build, engine, command):
        library = os.path.join(build, "librefcl.so")
        environment = dict(self.environment(build, engine), OCL_ICD_VENDORS=library, OCL_ICD_FILENAMES=library)
        words = cpu_seconds(command, self.options.core, environment)[1].split()
        return float(words[1]) if len(words) > 1 else None

    def session(self, build, engine, file, kernel, shift, trace):
        expected = self.launch(build, engine, self.command(file, kernel, 5, shift))
        figure = checked_ms(build, lambda n: self.command(file, kernel, n, shift), expected, self.options.core,
                            self.environment(build, engine), os.path.join(self.folder, "trace") if trace else None) if expected else None
        return figure and figure[0]

    def sample(self, mode, build, file, kernel):
        if mode == "plain":
            return self.launch(build, "jit", self.command(file, kernel, self.options.launches))
        if mode == "interp":
            return self.launch(build, "interp", self.command(file, kernel, 3, 6))
        if mode == "interp-checked":
            return self.session(build, "interp", file, kernel, 6, False)
        return self.session(build, "jit", file, kernel, 0, mode == "recorded")

    def row(self, mode, file, kernel):
        """The medians of both builds; None without a figure."""
        samples = ([], [])
        wanted = self.options.samples
        while True:
            for k in range(len(samples[0]), wanted):
                for side in ((0, 1), (1, 0))[k % 2]:
                    samples[side].append(self.sample(mode, self.options.builds[side], file, kernel))
            figures = [[x for x in side if x] for side in samples]
            if min(map(len, figures)) <= wanted / 2:
                return None
            medians = [statistics.median(side) for side in figures]
            if medians[1] <= self.options.limit * medians[0] or wanted > self.options.samples:
                return medians
            wanted *= 4


def kernels(file, mode):
    with open(os.path.join(HERE, file), encoding="utf-8") as source:
        text = source.read()
    if file.startswith("set_"):
        return [] if mode in ("interp", "interp-checked") else re.findall(r"^// bench: (\w+)", text, re.M)
    return re.findall(r"^(?:__)?kernel[^\n(]*?void (\w+)\(", text, re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    parser.add_argument("--modes", default="plain,interp", help="of " + ", ".join(MODES) + " (default plain,interp)")
    parser.add_argument("--files", default="kernels.cl,patterns.cl,set_tuning.cl,set_check.cl")
    parser.add_argument("--samples", type=int, default=5, help="of each build, each the median of --launches (default 5)")
    parser.add_argument("--launches", type=int, default=15)
    parser.add_argument("--core", default="0")
    parser.add_argument("--limit", type=float, default=1.03, help="the greatest ratio that is not slower (default 1.03)")
    options = parser.parse_args()
    options.builds = [os.path.abspath(options.old), os.path.abspath(options.new)]
    modes = options.modes.split(",")
    if not set(modes) <= set(MODES):
        parser.error("unknown mode; known: " + ", ".join(MODES))
    slower = 0
    with tempfile.TemporaryDirectory(prefix="refcl-compare.") as folder:
        bench = Bench(options, folder)
        for mode in modes:
            ratios = {}
            for file in options.files.split(","):
                for kernel in kernels(file, mode):
                    if options.kernels and kernel not in options.kernels:
                        continue
                    medians = bench.row(mode, file, kernel)
                    if medians is None:
                        print(f"{mode:14} {kernel:20} no figure", flush=True)
                        continue
                    ratio = ratios[kernel] = medians[1] / medians[0]
                    slower += ratio > options.limit
                    print(f"{mode:14} {kernel:20} {medians[0]:10.4f} {medians[1]:10.4f} ms {ratio:7.3f}"
                          f"{'  slower' if ratio > options.limit else ''}", flush=True)
            if ratios:
                worst = max(ratios, key=ratios.get)
                mean = math.exp(statistics.fmean(math.log(r) for r in ratios.values()))
                print(f"{mode}: geometric mean {mean:.3f} over {len(ratios)} kernels, worst {worst} {ratios[worst]:.3f}", flush=True)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
