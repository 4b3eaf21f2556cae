#!/usr/bin/env python3
"""Mutants of litmus tests: tests with the synchronization of a broken implementation.

    litmus/generate/mutants.py [--refcl COMMAND] -o FOLDER FILE|FOLDER...

From each test whose outcome is forbidden, writes those mutants in which one order is weaker, one fence is missing, or
two accesses of one location are exchanged, and the outcome is allowed: a run that distinguishes a mutant from
its test shows that outcome.  Mutants with the same text are one."""
import argparse, json, os, re, subprocess, sys

WEAKER = {"seq_cst": ["acq_rel", "acquire", "release"], "acq_rel": ["acquire", "release"], "acquire": ["relaxed"],
          "release": ["relaxed"]}
ACCESS = re.compile(r"^\s*(?:int \w+ = )?(?:atomic_\w+\((\w+)|\*(\w+) =|(?:int \w+ = )?\*(\w+);)")


def orders(lines):
    for n, line in enumerate(lines):
        for m in re.finditer(r"memory_order_(\w+)", line):
            for weaker in WEAKER.get(m.group(1), []):
                if "load" in line and weaker in ("acq_rel", "release") or "store" in line and weaker in ("acq_rel", "acquire"):
                    continue
                if m.group(1) == "seq_cst" and weaker != "acq_rel" and "fence" in line:
                    continue
                yield f"{m.group(1)}-{weaker}", lines[:n] + [line[:m.start(1)] + weaker + line[m.end(1):]] + lines[n + 1:]


def fences(lines):
    for n, line in enumerate(lines):
        if re.match(r"^\s*atomic_work_item_fence\(.*;$", line):
            yield "no-fence", lines[:n] + lines[n + 1:]


def location(line):
    m = ACCESS.match(line)
    return m and next((g for g in m.groups() if g), None)


def whole(line):
    """A statement that begins and ends on its line."""
    return line.rstrip().endswith(";") and line.count("(") == line.count(")")


def swaps(lines):
    for n in range(len(lines) - 1):
        place = location(lines[n])
        if place and place == location(lines[n + 1]) and whole(lines[n]) and whole(lines[n + 1]):
            yield "po-loc", lines[:n] + [lines[n + 1], lines[n]] + lines[n + 2:]


def body(text):
    """Text without comments, which describe the test, not its mutant."""
    return re.sub(r"\(\*.*?\*\)\n*", "", text, flags=re.S)


def check(refcl, files):
    """Condition and race of each file, by file."""
    found = {}
    for i in range(0, len(files), 200):
        run = subprocess.run([refcl, "litmus", "check", "--engine", "search", "--json", "-"] + files[i:i + 200],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        for t in json.loads(run.stdout)["tests"]:
            found[t["file"]] = (t["condition"], t["race"])
    return found


def main():
    parser = argparse.ArgumentParser(description="Mutants of litmus tests")
    parser.add_argument("--refcl", default=os.environ.get("REFCL", "refcl"))
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("tests", nargs="+")
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    sources = []
    for path in arguments.tests:
        if os.path.isdir(path):
            for folder, _, files in sorted(os.walk(path)):
                sources += [os.path.join(folder, f) for f in sorted(files) if f.endswith(".litmus")]
        else:
            sources.append(path)
    originals = check(arguments.refcl, sources)
    seen, mutants = set(), []
    for source in sources:
        with open(source) as f:
            text = f.read()
        name = text.split("\n", 1)[0].split(None, 1)[1]
        # "~exists" and "forall" hold, "exists" fails: the outcome is forbidden.
        quantifier = re.search(r"^(exists|~exists|forall)", text, re.M)
        if originals[source][1] != "none" or not quantifier or \
                originals[source][0] != ("fails" if quantifier.group(1) == "exists" else "holds"):
            continue
        lines = body(text).split("\n")
        for number, (kind, mutated) in enumerate(m for mutate in (orders, fences, swaps) for m in mutate(lines)):
            new = "\n".join(mutated).replace(name, f"{name}~{kind}-{number}", 1)
            key = "\n".join(mutated[1:])
            if key not in seen:
                seen.add(key)
                path = os.path.join(arguments.output, f"{name}~{kind}-{number}.litmus".replace("/", "_"))
                with open(path, "w") as f:
                    f.write(new)
                mutants.append((path, quantifier.group(1)))
    verdicts = check(arguments.refcl, [path for path, _ in mutants])
    kept = 0
    for path, quantifier in mutants:
        condition, race = verdicts.get(path, ("unknown", "unknown"))
        if condition == ("holds" if quantifier == "exists" else "fails") and race == "none":
            kept += 1
        else:
            os.remove(path)
    print(f"{kept} mutants of {len(sources)} tests ({len(mutants) - kept} that allow no more, or that race, left out)")
    return 0


sys.exit(main())
