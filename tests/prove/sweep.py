#!/usr/bin/env python3
"""Answers of `refcl explore --prove` against the detector: a kernel whose races or divergence are proved
absent has no such finding in any launch; a refutation names a launch that has the finding.

sweep.py [--launches N] [--limit N] [--match TEXT] [--verbose] FILE|FOLDER...  Prints disagreements, the
undecided kernels with their reasons, and how many kernels that synchronize only by barriers are decided.
Exit code 1 if there are disagreements."""
import argparse
import collections
import glob
import json
import os
import random
import re
import shlex
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
from built import JOBS, PATIENCE, REFCL

KINDS = {"race": {"data-race", "scope-race", "uniform-write", "predicted-race"}, "divergence": {"barrier-divergence"}, "bounds": {"out-of-bounds"}}
ATOMIC = re.compile(r"\batom(?:ic)?_|OpAtomic|\batomic_")
INTEGER = re.compile(r"\b(?:unsigned\s+)?(?:u?int|u?long|size_t|u?short|u?char)\s+(\w+)\s*[,)]")
Kernel = collections.namedtuple("Kernel", "path name options integers atomic barrier")


def run(*arguments):
    return subprocess.run([REFCL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE,
                          universal_newlines=True, errors="replace")


def prove(path, *options):
    """The result for the file, and the exit code."""
    done = run("explore", "--prove", "--json", "-", *options, path)
    try:
        result = json.loads(done.stdout)["tests"][0]
        if result.get("engine") != "prove":
            result = {"error": result.get("error") or result.get("race_limit") or "limit reached"}
        return result, done.returncode
    except (ValueError, KeyError, IndexError):
        return {"error": done.stderr.strip()}, done.returncode


def answer(result, name):
    return result[name]["answer"] if isinstance(result.get(name), dict) else "unknown"


def findings(path, *launch):
    """The detector's findings in a launch: kinds and messages; None if the launch is not possible."""
    done = run("kernel", "--auto", "--quiet", "--step-limit", "200000", "--json", "-", *launch, path)
    try:
        return {(f["kind"], f["message"]) for f in json.loads(done.stdout)["findings"]}
    except (ValueError, KeyError):
        return None


def is_vulkan(path):
    with open(path, errors="replace") as f:
        return path.endswith(".spvasm") and re.search(r"^\s*OpMemoryModel \w+ (?!OpenCL)", f.read(), re.M) is not None


def searched(path, *launch):
    """Search's findings in a launch of a Vulkan module; None if it reaches a limit."""
    done = run("explore", "--engine", "search", "--cpu-time", "--timeout", "10", "--json", "-", *launch, path)
    try:
        result = json.loads(done.stdout)["tests"][0]
    except (ValueError, KeyError, IndexError):
        return None
    found = {(kind, "by search") for kind, name in (("data-race", "race"), ("barrier-divergence", "divergence"))
             if result.get(name) == "found" and "out_of_bounds" not in result.get("flags", ())}
    return found or (None if result.get("limit") and result.get("race") != "none" else found)


def vulkan_launches(result):
    """Few work-items: search decides all of their executions."""
    for sizes, groups in (((2,), (1,)), ((1,), (2,)), ((2,), (2,)), ((2, 2), (1, 1))):
        count = result["dimensions"]
        local = (sizes + (1, 1, 1))[:count]
        yield ["-l", ",".join(map(str, local)), "-g", ",".join(str(a * b) for a, b in zip(local, groups + (1, 1, 1)))]


def required_sizes(result, what):
    sizes = re.findall(r"%s size (\d+) in dimension (\d)" % what, "\n".join(result.get("assumptions", [])))
    return {int(dimension): int(size) for size, dimension in sizes}


def launches(kernel, result, count):
    """Options of COUNT launches that satisfy the proof's assumptions."""
    generator = random.Random(zlib.crc32(os.path.basename(kernel.path).encode()))
    fixed = required_sizes(result, "local")
    for number in range(count):
        sizes = [fixed.get(d, generator.choice((1, 2, 3, 4, 8, 17) if d == 0 else (1, 2, 3)))
                 for d in range(result["dimensions"])]
        groups = [generator.randint(1, 3) for _ in sizes]
        yield ["-l", ",".join(map(str, sizes)), "-g", ",".join(str(a * b) for a, b in zip(sizes, groups)),
               *(("--schedule", "random", "--seed", str(number), "--predict") if number % 3 == 1 else ())] + [
                   word for name in kernel.integers if number
                   for word in ("--arg", "%s=%d" % (name, generator.choice((0, 1, 2, 3, 7, sizes[0], 40))))]


def disagreements(kernel, result, count):
    """Launches that contradict RESULT; how many launches there were."""
    found, made = [], 0
    proved = [p for p in ("race", "divergence") if answer(result, p) == "proved" and (p == "race" or kernel.barrier)]
    name = ("-k", kernel.name) if kernel.name else ()
    vulkan = is_vulkan(kernel.path)
    planned = () if not proved else list(vulkan_launches(result))[:count] if vulkan else launches(kernel, result, count)
    for launch in planned:
        seen = (searched if vulkan else findings)(kernel.path, *name, *kernel.options, *launch)
        made += seen is not None
        for what in proved:
            found += ["proved, but %s: %s" % (" ".join(launch), message)
                      for kind, message in seen or () if kind in KINDS[what]]
    for what, kinds in KINDS.items():
        if answer(result, what) != "refuted":
            continue
        if result[what].get("contradicts_proof"):
            found.append("%s was proved, but %s" % (what, result[what]["launch"]))
        words = shlex.split(result[what]["launch"])
        if vulkan:
            seen = {kind for kind, _ in searched(words[-1], *words[2:-1]) or ()}
            if not seen & kinds:
                found.append("%s refuted, but %s finds %s" % (what, result[what]["launch"], sorted(seen)))
            continue
        again = run(words[1], "--quiet", "--json", "-", *words[2:])
        try:
            seen = {f["kind"] for f in json.loads(again.stdout)["findings"]}
        except (ValueError, KeyError):
            seen = set()
        if not seen & kinds:
            found.append("%s refuted, but %s finds %s" % (what, result[what]["launch"], sorted(seen)))
    return found, made


def kernels_of(path):
    with open(path, errors="replace") as f:
        source = f.read()
    directive = re.search(r"^// run: (.*)$", source, re.M)
    words = shlex.split(directive.group(1)) if directive else []
    options = [w for i, word in enumerate(words[:-1]) if word == "--build-options" for w in (word, words[i + 1])]
    names = (re.findall(r'OpEntryPoint Kernel %\w+ "(\w+)"', source) if path.endswith(".spvasm") else
             re.findall(r"\bkernel\b(?:\s*__attribute__\s*\(\(.*?\)\))*\s+void\s+(?:__attribute__\s*\(\(.*?\)\)\s*)*(\w+)\s*\(([^)]*\))",
                        source.replace("__kernel", "kernel"), re.S))
    names = [(n, "") if isinstance(n, str) else n for n in names]
    for name, parameters in names or [(None, "")]:
        yield Kernel(path, name if len(names) > 1 else None, tuple(options), tuple(INTEGER.findall(parameters)),
                     bool(ATOMIC.search(source)), "barrier(" in source or "OpControlBarrier" in source)


def files(places):
    for place in places:
        if os.path.isfile(place):
            yield place
        else:
            for pattern in ("*.cl", "*.spvasm"):
                yield from sorted(glob.glob(os.path.join(place, "**", pattern), recursive=True))


def judge(kernel, count, limit):
    options = ("-k", kernel.name) if kernel.name else ()
    result, code = prove(kernel.path, "--timeout", str(limit), *options, *kernel.options)
    if code not in (0, 1, 3) or "race" not in result:
        return kernel, result, ["crash: exit %d" % code] if code not in (2, 3) else [], 0
    found, made = disagreements(kernel, result, count)
    return kernel, result, found, made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("places", nargs="+")
    parser.add_argument("--launches", type=int, default=5)
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--match", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    wanted = [k for path in files(options.places) if options.match in path for k in kernels_of(path)]
    counts = collections.Counter()
    with ThreadPoolExecutor(JOBS) as pool:
        for kernel, result, found, made in pool.map(lambda k: judge(k, options.launches, options.limit), wanted):
            name = os.path.relpath(kernel.path) + (" " + kernel.name if kernel.name else "")
            race, divergence = answer(result, "race"), answer(result, "divergence")
            decided = "refuted" in (race, divergence) or (race, divergence) == ("proved", "proved")
            alone = not kernel.atomic
            counts["kernels"] += 1
            counts["launches"] += made
            counts["disagree"] += bool(found)
            counts["decided"] += decided
            counts["without atomics"] += alone
            counts["without atomics, decided"] += alone and decided
            counts["barriers alone"] += alone and kernel.barrier
            counts["barriers alone, decided"] += alone and kernel.barrier and decided
            for text in found:
                print("DISAGREE %s: %s" % (name, text), flush=True)
            if options.verbose or (alone and not decided):
                reason = result.get("error") or result.get("race", {}).get("reason", "")
                if race == "proved":
                    reason = result["divergence"].get("reason", "")
                print("%s%s: race %s, divergence %s: %s" % (name, " (atomics)" if kernel.atomic else "", race, divergence,
                                                          reason), flush=True)
    for key, value in counts.items():
        print("%s: %d" % (key, value))
    return 1 if counts["disagree"] else 0


if __name__ == "__main__":
    sys.exit(main())
