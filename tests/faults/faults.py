#!/usr/bin/python3
"""Mutation testing of the product's C and C++: random small faults, each of which some test must notice.

    make faults FAULTS=100 FAULT_SEED=1 FAULT_FILES=REGEX

Each fault changes one token or statement of one file, chosen by the seed, in a copy of the tree. What a test needs of
the copy is built, and the tests that map.txt names for the file run one after the other until one fails. Outcomes:

    killed      a test failed that passes without the fault
    hung        a test ran past its limit: ten times what it takes without the fault, two minutes at least
    equivalent  the compiler made the same code with and without the fault
    rejected    the copy does not compile; another fault is drawn in its place
    survived    every test passed

Prints a line for each fault, the diffs of the survivors, and a table by folder. build/faults/results.jsonl keeps the
outcomes, and a run with the same seed resumes after them. --again judges the survivors once more in the sources of now,
wherever their lines have moved. Exit code 1: fewer than 95 % of the faults were killed that are neither equivalent nor
listed, with a proof, in equivalent.txt.
"""
import argparse
import collections
import concurrent.futures
import difflib
import glob
import hashlib
import json
import os
import queue
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SOURCES = re.compile(r"^(memmodel|checker|interp|litmus|ref-runtime|spec-xref|tools)/.*\.(c|cpp|inc)$")
EXCLUDED = re.compile(r"^(interp/gen|tools/examples)/")
GOAL = 0.95
LIMIT = 120  # seconds that a test has at least
MEMORY, FILE = 8 << 30, 1 << 30  # bytes that a process of a test, which a fault may send astray, may write to at most

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


def copy_of_tree(folder, build):
    """The tracked files, and the build without tests, in FOLDER."""
    shutil.rmtree(folder, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    for name in listed.decode().split("\0")[:-1]:
        target = os.path.join(folder, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(os.path.join(ROOT, name), target, follow_symlinks=False)
    ignored = shutil.ignore_patterns("faults", "asan", "ubsan", "tsan", "lint", "fuzz", "tests", "test-logs", "refcl.icd")
    shutil.copytree(build, os.path.join(folder, "build"), symlinks=True, ignore=ignored)
    built, log = make(folder, "all")
    if not built:
        sys.exit("faults: the tree does not build\n" + log[-2000:])


class Tree:
    """A copy of PRISTINE, a tree without faults, that is set back after each fault."""

    def __init__(self, pristine, changed):
        self.pristine, self.changed = pristine, changed
        shutil.rmtree(changed, ignore_errors=True)
        shutil.copytree(pristine, changed, symlinks=True)
        os.remove(os.path.join(changed, "build", "refcl.icd"))
        make(changed, "build/refcl.icd")
        self.known = self.state()

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
    run = subprocess.run(["make", "-j2", *SETTINGS, *targets], cwd=folder, env=LINKING, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    return run.returncode == 0, run.stdout


# Tests are compiled without optimisation and linked without debug information: most of a fault's time is for that.
SETTINGS = [f"{name}={os.environ[name]}" for name in ("CC", "CXX") if name in os.environ]
SETTINGS += ["TEST_CFLAGS=-std=c11 -O0 -w -fno-strict-aliasing -ffp-contract=off -Itests/lib"]
LINKING = dict(os.environ, LDFLAGS="-Wl,-S" + (" -fuse-ld=lld" if shutil.which("ld.lld") else ""))


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


def words_of(path):
    return {word[:4] for word in re.split(r"[/_.]", path) if len(word) > 3} - {"test", "slow"}


def heavy(test):
    return os.path.basename(test).startswith("slow_") or target_of(test) in LONGEST


def tests_for(source, rows):
    """The tests of every row that matches, first rows first; of one pattern, those first whose names are like the file's."""
    tests = []
    for pattern, names in rows:
        if pattern.match(source):
            for name in names:
                engine = "jit:" if name.startswith("jit:") else ""
                found = [engine + path for path in sorted(glob.glob(name[len(engine):], root_dir=ROOT))]
                found.sort(key=lambda t: -len(words_of(os.path.basename(t)) & words_of(source)))
                tests += [t for t in found if t not in tests]
    return tests


with open(os.path.join(ROOT, "tests/longest.txt")) as longest:
    LONGEST = {line.split()[1] for line in longest}


def target_of(test):
    """What tests/run.sh calls a test."""
    engine = "jit:" if test.startswith("jit:") else ""
    test = test[len(engine):]
    return engine + ("build/" + test[:-2] if test.endswith(".c") else test)


def make_test(folder, test):
    """Whether what a test itself consists of was built."""
    targets = ["build/tests/jit/seen.so"] if test.startswith("jit:") else []
    targets += [target_of(test).removeprefix("jit:")] if test.endswith(".c") else []
    return not targets or make(folder, *targets)[0]


def bounded():
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))


def run_test(folder, test, limit):
    """(outcome, seconds): "passed", "failed" or "hung"."""
    environment = dict(os.environ, TEST_JOBS="1", TEST_TIMEOUT=str(int(limit)), BUILD="build")
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "CC", "CXX"):
        environment.pop(name, None)
    start = time.monotonic()
    process = subprocess.Popen(["tests/run.sh", target_of(test)], cwd=folder, env=environment, preexec_fn=bounded,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        process.wait(timeout=limit + 60)
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
measuring = threading.Lock()


def baseline(pristine, test):
    """Seconds that a test takes without faults, measured once; None if it does not pass."""
    with measuring:
        if test not in measured:
            outcome, seconds = run_test(pristine, test, 1800) if make_test(pristine, test) else ("failed", 0)
            if outcome != "passed":
                print(f"warning: {test} does not pass without a fault: left out", flush=True)
            measured[test] = seconds if outcome == "passed" else None
        return measured[test]


def outcome_of(tree, test):
    """What becomes of one test in a tree with a fault. The test without the fault is run only where this one fails."""
    limit = LIMIT
    while True:
        outcome, _ = run_test(tree.changed, test, limit)
        seconds = baseline(tree.pristine, test) if outcome != "passed" else 0
        if seconds is None:
            return "passed"
        if outcome != "hung" or 10 * seconds <= limit:
            return outcome
        limit = 10 * seconds


def judge(tree, source, changed, rows, quick):
    """One fault, CHANGED instead of the file's text: (outcome, what decided it)."""
    with open(os.path.join(tree.changed, source), "w") as file:
        file.write(changed)
    before = code_of(tree.pristine, source)
    target = "all" if before is None else "build/obj/" + os.path.splitext(source)[0] + ".o"
    built, log = make(tree.changed, target)
    if not built:
        return "rejected", next((line for line in log.split("\n") if "error" in line), "")
    if before is not None and code_of(tree.changed, source) == before:
        return "equivalent", "the same machine code"
    # Test programs in C hold the libraries; only what tests start or load otherwise has to be there beside them.
    complete = False
    for test in tests_for(source, rows):
        if quick and heavy(test):
            continue
        alone = test.endswith(".c") and not test.startswith(("tests/runtime/", "jit:")) and not source.startswith(EVERYWHERE)
        if not alone and not complete:
            complete = make(tree.changed, "all")[0]
            if not complete:
                return "rejected", "the programs do not build"
        if not make_test(tree.changed, test):
            return "rejected", f"{test} does not build"
        outcome = outcome_of(tree, test)
        if outcome != "passed":
            return {"failed": "killed", "hung": "hung"}[outcome], test
    return "survived", ""


EVERYWHERE = ("ref-runtime/", "memmodel/base/")  # what refcl-compiler holds too, which test programs may start


def lines_changed(text, changed):
    """The first line that differs, stripped: (old, new)."""
    return next((old.strip(), new.strip()) for old, new in zip(text.split("\n"), changed.split("\n")) if old != new)


def read(source):
    with open(os.path.join(ROOT, source)) as file:
        return file.read()


def diff_of(text, changed):
    lines = difflib.unified_diff(text.split("\n"), changed.split("\n"), n=3, lineterm="")
    return "\n".join(list(lines)[3:])


def place_of(r, files):
    """Where the lines of a survivor's diff are now: (file, text with the fault), or None if nowhere or in several places."""
    lines = r["diff"].split("\n")
    old = "\n".join(line[1:] for line in lines if line[:1] != "+")
    new = "\n".join(line[1:] for line in lines if line[:1] != "-")
    found = [(name, text) for name, text in ((name, read(name)) for name in files) if text.count(old) == 1]
    if len(found) != 1:
        found = [f for f in found if f[0] == r["file"]]
    return (found[0][0], found[0][1].replace(old, new)) if found else None


def known_equivalent():
    """Faults that equivalent.txt argues to change nothing that a test could see: file, old line, new line."""
    rows, path = set(), os.path.join(HERE, "equivalent.txt")
    with open(path) as file:
        for line in file:
            if line.startswith("fault "):
                rows.add(tuple(part.strip() for part in line[6:].split(" | ")))
    return rows


def report(results):
    folders, listed = {}, known_equivalent()
    print("\nsurvivors:")
    for r in results:
        if r["outcome"] == "survived" and (r["file"], r["old"], r["new"]) in listed:
            r["outcome"] = "equivalent"
        counts = folders.setdefault(r["file"].split("/")[0], {})
        counts[r["outcome"]] = counts.get(r["outcome"], 0) + 1
        if r["outcome"] == "survived":
            print(f"{r['file']}:\n{r['diff']}")
    outcomes = ["killed", "hung", "equivalent", "survived"]
    print(f"\n{'folder':14}" + "".join(f"{o:>12}" for o in outcomes))
    for folder, counts in sorted(folders.items()):
        print(f"{folder:14}" + "".join(f"{counts.get(o, 0):>12}" for o in outcomes))
    total = {o: sum(c.get(o, 0) for c in folders.values()) for o in outcomes}
    noticed, real = total["killed"] + total["hung"], sum(total.values()) - total["equivalent"]
    print(f"{'all':14}" + "".join(f"{total[o]:>12}" for o in outcomes))
    print(f"{noticed} of {real} faults that change something were noticed: {100 * noticed / max(real, 1):.1f} %")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{used.ru_utime + used.ru_stime:.0f} s of processor time in this run")
    return noticed >= GOAL * real


def draws(seed, files):
    """All faults in random order; the same seed gives the same one."""
    places = [(name, *fault) for name in files for fault in faults_of(read(name))]
    random.Random(seed).shuffle(places)
    for source, start, end, new in places:
        text = read(source)
        changed = text[:start] + new + text[end:]
        old, new = lines_changed(text, changed)
        yield {"file": source, "at": start, "old": old, "new": new, "diff": diff_of(text, changed)}, source, changed


def survivors(kept, files):
    """The survivors of an earlier run, where they are now."""
    for r in kept:
        place = place_of(r, files) if r["outcome"] == "survived" else None
        if r["outcome"] == "survived" and place is None:
            print(f"gone: {r['file']}: {r['old']}  ->  {r['new']}")
        elif place is not None:
            yield {**r, "file": place[0]}, *place


class Campaign:
    """Judges faults, several at a time, and keeps the outcomes in a file."""

    def __init__(self, options, folder, file, known):
        self.rows, self.file, self.known, self.writing = read_map(), file, known, threading.Lock()
        self.quick = options.quick
        pristine = os.path.join(folder, "pristine")
        copy_of_tree(pristine, options.build)
        self.trees = queue.Queue()
        for number in range(options.jobs):
            self.trees.put(Tree(pristine, os.path.join(folder, f"changed{number}")))
        shared, link = os.path.join(os.path.dirname(ROOT), "shared"), os.path.join(folder, "shared")
        if os.path.isdir(shared) and not os.path.lexists(link):
            os.symlink(shared, link)

    def outcome(self, r, source, changed):
        key = (r["file"], r["at"], r["new"])
        if key in self.known:
            return self.known[key]
        start, tree = time.monotonic(), self.trees.get()
        r["outcome"], r["by"] = judge(tree, source, changed, self.rows, self.quick)
        tree.set_back()
        self.trees.put(tree)
        r["seconds"] = round(time.monotonic() - start)
        with self.writing:
            self.file.write(json.dumps(r) + "\n")
            self.file.flush()
            print(f"{r['outcome']:10} {r['file']}: {r['old']}  ->  {r['new']}  [{r['by']}] {r['seconds']} s", flush=True)
        return r

    def run(self, jobs, faults):
        """Outcomes in the order of the faults."""
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            waiting = collections.deque()
            try:
                for fault in faults:
                    waiting.append(pool.submit(self.outcome, *fault))
                    if len(waiting) > 20 * jobs:  # a fault that takes long holds none up
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                pool.shutdown(cancel_futures=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", default="", help="regular expression of the source files to change")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--jobs", type=int, default=2, help="faults judged at the same time")
    parser.add_argument("--quick", action="store_true", help="without slow_* and tests/longest.txt; then judge --again")
    parser.add_argument("--again", action="store_true", help="judge the survivors of the last run once more")
    options = parser.parse_args()
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    files = [name for name in sorted(listed.split("\n"))
             if SOURCES.match(name) and not EXCLUDED.match(name) and re.search(options.files, name)]
    if not files:
        sys.exit(f"faults: no source file matches {options.files!r}")

    folder = os.path.join(os.path.abspath(options.build), "faults")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "results.jsonl")
    head, kept = {"seed": options.seed, "files": options.files}, []
    if os.path.exists(path):
        with open(path) as file:
            first, *kept = [json.loads(line) for line in file] or [None]
        kept = list({(r["at"], r["new"], r["diff"]): r for r in kept}.values()) if first == head else []
    decided = [r for r in kept if not (options.again and r["outcome"] == "survived")]
    faults = survivors(kept, files) if options.again else draws(options.seed, files)
    results = [r for r in decided if r["outcome"] != "rejected"] if options.again else []
    temporary = path + ".tmp"
    with open(temporary, "w") as file:
        for r in [head, *(kept if options.again else decided)]:
            file.write(json.dumps(r) + "\n")
        file.flush()
        os.replace(temporary, path)
        campaign = Campaign(options, folder, file, {(r["file"], r["at"], r["new"]): r for r in decided})
        for r in campaign.run(options.jobs, faults):
            if r["outcome"] != "rejected":
                results.append(r)
            if len(results) >= options.count and not options.again:
                break
    sys.exit(0 if report(results) else 1)


if __name__ == "__main__":
    main()
