#!/usr/bin/python3
"""Mutation testing of the product's C and C++: random small faults, each of which some test must notice.

    make faults FAULTS=100 FAULT_SEED=1 FAULT_FILES=REGEX

Each fault changes one token or statement of one file, chosen by the seed, in a copy of the tree. The copy is built, and
the tests that map.txt names for the file run one after the other until one fails. Outcomes:

    killed      a test failed that passes without the fault
    hung        a test ran past its limit: ten times what it takes without the fault, two minutes at least
    equivalent  the compiler made the same code with and without the fault
    rejected    the copy does not compile; another fault is drawn in its place
    survived    every test passed

Prints a line for each fault, the diffs of the survivors, and a table by folder. build/faults/results.jsonl keeps the
outcomes, and a run with the same seed resumes after them. Exit code 1: fewer than 95 % of the faults were killed that
are neither equivalent nor listed, with a proof, in equivalent.txt.
"""
import argparse
import difflib
import glob
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SOURCES = re.compile(r"^(memmodel|checker|interp|litmus|ref-runtime|spec-xref|tools)/.*\.(c|cpp|inc)$")
EXCLUDED = re.compile(r"^(interp/gen|tools/examples)/")
GOAL = 0.95

# A fault is a pattern of C source and what may stand in its place. Patterns match within one line of code: comments,
# strings and preprocessor lines are blanked before.
SWAPS = {
    "<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"], "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"], "&": ["|"], "|": ["&"], "<<": [">>"], ">>": ["<<"],
    "++": ["--"], "--": ["++"], "+=": ["-="], "-=": ["+="], "|=": ["&="], "&=": ["|="],
    "true": ["false"], "false": ["true"],
}
BINARY = re.compile(r"(?<=[\w)\]] )(<=|>=|==|!=|&&|\|\||<<|>>|<|>|\+|-|\*|/|%|&|\|)(?= [\w(!~&*-])")
ASSIGNMENT = re.compile(r"(?<= )(\+=|-=|\|=|&=)(?= )")
STEP = re.compile(r"(\+\+|--)")
WORD = re.compile(r"\b(true|false)\b")
NUMBER = re.compile(r"(?<![\w.])(\d+)(?![\w.])")
CONDITION = re.compile(r"\b(?:if|while) \(")
STATEMENT = re.compile(r"^\s+(?!return\b|case\b|default\b|goto\b|else\b|struct\b|const\b|static\b|unsigned\b|bool\b|char\b|"
                       r"int\b|size_t\b|uint\w*\b|int\w*_t\b|enum\b|void\b)[A-Za-z_*(][^;{}]*;$|^\s+(?:break|continue);$")


def blank(text):
    """TEXT with comments, strings, characters and preprocessor lines replaced by blanks; positions stay."""
    pattern = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
                         re.S | re.M)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)


def closing(text, start):
    """The position of the parenthesis that closes the one at START, or None."""
    depth = 0
    for position in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return None


def faults_of(text):
    """All faults of a file: (start, end, replacement)."""
    code = blank(text)
    found = []
    for pattern in (BINARY, ASSIGNMENT, STEP, WORD):
        for m in pattern.finditer(code):
            found += [(m.start(1), m.end(1), new) for new in SWAPS[m.group(1)]]
    for m in NUMBER.finditer(code):
        found.append((m.start(1), m.end(1), str(int(m.group(1)) + 1)))
    for m in CONDITION.finditer(code):
        start, end = m.end() - 1, closing(code, m.end() - 1)
        if end is not None:
            found.append((start, end + 1, f"(!{text[start:end + 1]})"))
    position = 0
    for line in code.split("\n"):
        if STATEMENT.match(line):
            indent = len(line) - len(line.lstrip())
            found.append((position + indent, position + len(line), ";"))
        position += len(line) + 1
    return sorted(set(found))


class Trees:
    """Two copies of the tracked files and of the build: one without faults, and one that is set back after each."""

    def __init__(self, folder, build):
        self.pristine, self.changed = os.path.join(folder, "pristine"), os.path.join(folder, "changed")
        for path in (self.pristine, self.changed):
            shutil.rmtree(path, ignore_errors=True)
        os.makedirs(self.pristine)
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
        for name in listed.decode().split("\0")[:-1]:
            target = os.path.join(self.pristine, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), target, follow_symlinks=False)
        ignored = shutil.ignore_patterns("faults", "asan", "ubsan", "tsan", "lint", "fuzz", "test-logs", "refcl.icd")
        shutil.copytree(build, os.path.join(self.pristine, "build"), symlinks=True, ignore=ignored)
        built, log = make(self.pristine, "all")
        if not built:
            sys.exit("faults: the tree does not build\n" + log[-2000:])
        shutil.copytree(self.pristine, self.changed, symlinks=True)
        os.remove(os.path.join(self.changed, "build", "refcl.icd"))
        make(self.changed, "build/refcl.icd")
        self.known = self.state()
        shared, link = os.path.join(os.path.dirname(ROOT), "shared"), os.path.join(folder, "shared")
        if os.path.isdir(shared) and not os.path.lexists(link):
            os.symlink(shared, link)

    def state(self):
        """Time and size of each file of the changed tree."""
        found = {}
        for base, _, names in os.walk(self.changed):
            for name in names:
                path = os.path.join(base, name)
                status = os.lstat(path)
                found[os.path.relpath(path, self.changed)] = (status.st_mtime_ns, status.st_size)
        return found

    def set_back(self):
        now = self.state()
        for name in now.keys() - self.known.keys():
            os.remove(os.path.join(self.changed, name))
        for name, status in self.known.items():
            if now.get(name) != status:
                path = os.path.join(self.changed, name)
                if os.path.lexists(path):
                    os.remove(path)
                shutil.copy2(os.path.join(self.pristine, name), path, follow_symlinks=False)


def make(folder, *targets):
    run = subprocess.run(["make", "-j2", *COMPILERS, *targets], cwd=folder, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    return run.returncode == 0, run.stdout


COMPILERS = [f"{name}={os.environ[name]}" for name in ("CC", "CXX") if name in os.environ]


def code_of(folder, source):
    """The machine code and data of a file's object, without debug information; None where it has no object."""
    path = os.path.join(folder, "build/obj", os.path.splitext(source)[0] + ".o")
    if not os.path.exists(path):
        return None
    bare = path + ".bare"
    subprocess.run(["objcopy", "--strip-debug", path, bare], check=True)
    with open(bare, "rb") as file:
        digest = hashlib.sha256(file.read()).digest()
    os.remove(bare)
    return digest


def read_map():
    """[(pattern of source files, [patterns of tests])] of map.txt, in order."""
    rows = []
    with open(os.path.join(HERE, "map.txt")) as file:
        for line in file:
            words = line.split("#")[0].split()
            if words:
                rows.append((re.compile(words[0]), words[1:]))
    return rows


def tests_for(source, rows):
    """The tests of every row that matches, first rows first."""
    tests = []
    for pattern, names in rows:
        if pattern.match(source):
            for name in names:
                tests += [t for t in sorted(glob.glob(name, root_dir=ROOT)) if t not in tests]
    return tests


def target_of(test):
    return "build/" + test[:-2] if test.endswith(".c") else test


def run_test(folder, test, limit):
    """(outcome, seconds): "passed", "failed" or "hung"."""
    environment = dict(os.environ, TEST_JOBS="1", TEST_TIMEOUT=str(int(limit)), BUILD="build")
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
        environment.pop(name, None)
    start = time.monotonic()
    process = subprocess.Popen(["tests/run.sh", target_of(test)], cwd=folder, env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        process.communicate(timeout=limit + 60)
    except subprocess.TimeoutExpired:
        pass
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    seconds = time.monotonic() - start
    if process.returncode == 0:
        return "passed", seconds
    return "hung" if seconds >= limit else "failed", seconds


measured = {}


def baseline(trees, test):
    """Seconds that a test takes without faults, measured once; None if it does not pass."""
    if test not in measured:
        built = not test.endswith(".c") or make(trees.pristine, target_of(test))[0]
        outcome, seconds = run_test(trees.pristine, test, 1800) if built else ("failed", 0)
        if outcome != "passed":
            print(f"warning: {test} does not pass without a fault: left out", flush=True)
        measured[test] = seconds if outcome == "passed" else None
    return measured[test]


def judge(trees, source, fault, rows):
    """One fault: (outcome, what decided it)."""
    path = os.path.join(trees.changed, source)
    with open(path) as file:
        text = file.read()
    start, end, new = fault
    with open(path, "w") as file:
        file.write(text[:start] + new + text[end:])
    built, log = make(trees.changed, "all")
    if not built:
        return "rejected", next((line for line in log.split("\n") if "error" in line), "")
    before = code_of(trees.pristine, source)
    if before is not None and code_of(trees.changed, source) == before:
        return "equivalent", "the same machine code"
    for test in tests_for(source, rows):
        seconds = baseline(trees, test)
        if seconds is None:
            continue
        if test.endswith(".c") and not make(trees.changed, target_of(test))[0]:
            return "rejected", f"{test} does not build"
        outcome, _ = run_test(trees.changed, test, max(120, 10 * seconds))
        if outcome != "passed":
            return {"failed": "killed", "hung": "hung"}[outcome], test
    return "survived", ""


def diff_of(source, fault):
    with open(os.path.join(ROOT, source)) as file:
        text = file.read()
    changed = text[:fault[0]] + fault[2] + text[fault[1]:]
    lines = difflib.unified_diff(text.split("\n"), changed.split("\n"), source, source, n=1, lineterm="")
    return "\n".join(list(lines)[2:])


def known_equivalent():
    """Faults that equivalent.txt argues to change nothing that a test could see: file, old line, new line."""
    rows, path = set(), os.path.join(HERE, "equivalent.txt")
    with open(path) as file:
        for line in file:
            if line.startswith("fault "):
                rows.add(tuple(part.strip() for part in line[6:].split(" | ")))
    return rows


def lines_of(source, fault):
    with open(os.path.join(ROOT, source)) as file:
        text = file.read()
    changed = text[:fault[0]] + fault[2] + text[fault[1]:]
    number = text.count("\n", 0, fault[0])
    return source, text.split("\n")[number].strip(), changed.split("\n")[number].strip()


def report(results):
    folders, listed = {}, known_equivalent()
    print("\nsurvivors:")
    for r in results:
        if r["outcome"] == "survived" and lines_of(r["file"], r["fault"]) in listed:
            r["outcome"] = "equivalent"
        counts = folders.setdefault(r["file"].split("/")[0], {})
        counts[r["outcome"]] = counts.get(r["outcome"], 0) + 1
        if r["outcome"] == "survived":
            print(diff_of(r["file"], r["fault"]))
    outcomes = ["killed", "hung", "equivalent", "survived"]
    print(f"\n{'folder':14}" + "".join(f"{o:>12}" for o in outcomes))
    for folder, counts in sorted(folders.items()):
        print(f"{folder:14}" + "".join(f"{counts.get(o, 0):>12}" for o in outcomes))
    total = {o: sum(c.get(o, 0) for c in folders.values()) for o in outcomes}
    noticed, real = total["killed"] + total["hung"], sum(total.values()) - total["equivalent"]
    print(f"{'all':14}" + "".join(f"{total[o]:>12}" for o in outcomes))
    print(f"{noticed} of {real} faults that change something were noticed: {100 * noticed / max(real, 1):.1f} %")
    return noticed >= GOAL * real


def draws(seed, files):
    """Faults without end, each of a random place of all files; the same seed gives the same ones."""
    chance = random.Random(seed)
    places = [(name, fault) for name, faults in files.items() for fault in faults]
    while places:
        yield places[chance.randrange(len(places))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", default="", help="regular expression of the source files to change")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--again", action="store_true", help="judge the survivors of the last run once more")
    options = parser.parse_args()
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    files = {}
    for name in sorted(listed.split("\n")):
        if SOURCES.match(name) and not EXCLUDED.match(name) and re.search(options.files, name):
            with open(os.path.join(ROOT, name)) as file:
                files[name] = faults_of(file.read())
    if not any(files.values()):
        sys.exit(f"faults: no source file matches {options.files!r}")

    folder = os.path.join(os.path.abspath(options.build), "faults")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "results.jsonl")
    head, known = {"seed": options.seed, "files": options.files}, {}
    if os.path.exists(path):
        with open(path) as file:
            kept = [json.loads(line) for line in file]
        if kept and kept[0] == head:
            known = {(r["file"], *r["fault"]): r for r in kept[1:]
                     if not (options.again and r["outcome"] == "survived")}
    trees, rows = Trees(folder, options.build), read_map()
    results = []
    with open(path, "w") as file:
        file.write("\n".join(json.dumps(r) for r in [head, *known.values()]) + "\n")
        file.flush()
        for source, fault in draws(options.seed, files):
            start = time.monotonic()
            r = known.get((source, *fault))
            if r is None:
                outcome, why = judge(trees, source, fault, rows)
                trees.set_back()
                r = {"file": source, "fault": fault, "outcome": outcome, "by": why}
                file.write(json.dumps(r) + "\n")
                file.flush()
            if r["outcome"] != "rejected":
                results.append(r)
            _, old, new = lines_of(source, fault)
            print(f"{len(results):4} {r['outcome']:10} {source}: {old}  ->  {new}  [{r['by']}] "
                  f"{time.monotonic() - start:.0f} s", flush=True)
            if len(results) >= options.count:
                break
    sys.exit(0 if report(results) else 1)


if __name__ == "__main__":
    main()
