#!/usr/bin/python3
"""Mutation testing of the product's C and C++: random small faults, each of which some test must notice.

    make faults FAULTS=100 FAULT_SEED=1 FAULT_FILES=REGEX

Each fault changes one token or statement of one file, in a copy of the tree. The seed orders the faults of
each folder; folders are drawn from in proportion to their faults, small ones more often. What a test needs of
the copy is built, and the tests that map.txt names for the file run one after the other, the cheapest first,
until one fails. Outcomes:

    killed      a test failed twice that passes without the fault
    endless     a test ran past ten times what it takes without the fault, two minutes at least
    timed out   a test did not end in the most time that a test is given, too little for ten times; none was killed
    survived    every test passed
    unchanged   the compiler made the same code with and without the fault; another fault is drawn in its place
    rejected    the copy does not compile; another fault is drawn in its place

Prints a line for each fault, the diffs of the survivors, and a table by folder.
build/faults/results-SEED.jsonl keeps the outcomes, and a run with the same seed resumes after them; where
sources have changed in between, the faults of other lines keep their outcomes. --quick=SECONDS runs only the
cheapest tests of each file, up to that total; the next run without it judges the survivors. --again judges
all survivors again, for new tests. --report judges nothing and prints the known outcomes. Exit code 1: of the
faults that equivalent.txt does not list as equivalent, fewer than 95 % were killed or endless; or a test,
which cannot judge then, failed without a fault.
"""
import argparse
import bisect
import collections
import concurrent.futures
import difflib
import glob
import hashlib
import itertools
import json
import os
import queue
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
LIMIT, LONGEST_LIMIT = 120, 600  # minimal and maximal time limit of a test in seconds
BOOST = 50  # a folder with less than 1/BOOST of the faults is drawn from as if it had 1/BOOST of them
MEMORY, FILE = 8 << 30, 1 << 30  # limits on memory and files that a process of a test may write, in bytes

# A fault is a pattern of C source and its replacement. Patterns match within one line of code: comments,
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
    # Test programs of the API and clients load the library: they are not rebuilt.
    programs = [f"build/{name[:-2]}" for kind in ("runtime/*", "clients")
                for name in sorted(glob.glob(f"tests/{kind}/*.c", root_dir=ROOT))]
    built, log = make(folder, "all", *programs)
    if not built:
        sys.exit("faults: the tree does not build\n" + log[-2000:])


class Tree:
    """A copy of PRISTINE, a tree without faults, that is restored after each fault."""

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


# Tests are compiled without optimization and linked without debug information, as building takes most of
# a fault's time.
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


def processor_seconds(folder, test):
    """Costs of the last run of a test, whose log (tests/lib/measured.py) is in FOLDER; None if there is
    none."""
    log = os.path.join(folder, "test-logs", re.sub("[/:]", "_", target_of(test)) + ".log")
    if os.path.exists(log):
        with open(log, errors="replace") as file:
            measured = re.findall(r"^cpu (\d+)$", file.read(), re.M)
        return int(measured[-1]) / 1000 if measured else None
    return None


class Costs:
    """Seconds of processor time for each test, with one for its build: of the last run, else of `make test`,
    else a guess."""

    def __init__(self, path, build):
        self.path, self.build, self.seconds = path, build, {}
        if os.path.exists(path):
            with open(path) as file:
                self.seconds = json.load(file)

    def of(self, test):
        if test in self.seconds:
            return self.seconds[test]
        seconds = processor_seconds(self.build, test)
        if seconds is not None:
            return 1 + seconds
        return LONGEST.get(target_of(test), 30) if heavy(test) else 1 if test.endswith(".c") else 5

    def put(self, test, folder):
        self.seconds[test] = round(1 + (processor_seconds(folder, test) or 0), 1)
        with open(self.path + ".tmp", "w") as file:
            json.dump(self.seconds, file)
        os.replace(self.path + ".tmp", self.path)


def tests_for(folder, source, rows, costs):
    """The tests of every row that matches, the cheapest first; the cost of one with a name like the file's is
    divided by four."""
    tests = []
    for pattern, names in rows:
        if pattern.match(source):
            for name in names:
                engine = "jit:" if name.startswith("jit:") else ""
                found = [engine + path for path in sorted(glob.glob(name[len(engine):], root_dir=folder))]
                if not found:
                    sys.exit(f"faults: map.txt names {name}, which matches no test")
                tests += [t for t in found if t not in tests]
    if not tests:
        sys.exit(f"faults: map.txt names no test for {source}")
    return sorted(tests, key=lambda t: costs.of(t) / (4 if words_of(os.path.basename(t)) & words_of(source) else 1))


with open(os.path.join(ROOT, "tests/longest.txt")) as longest:
    LONGEST = {line.split()[1]: int(line.split()[0]) for line in longest}


def target_of(test):
    """The name that tests/run.sh uses for a test."""
    engine = "jit:" if test.startswith("jit:") else ""
    test = test[len(engine):]
    return engine + ("build/" + test[:-2] if test.endswith(".c") else test)


def cheapest(tests, costs, seconds):
    """The first of TESTS whose total cost is at most SECONDS."""
    sums = itertools.accumulate(costs.of(test) for test in tests)
    return [test for test, total in zip(tests, sums) if total <= seconds]


def make_test(folder, test):
    """Whether the files of a test itself were built."""
    targets = ["build/tests/jit/seen.so"] if test.startswith("jit:") else []
    program = os.path.splitext(test.removeprefix("jit:"))[0]  # a script may start the program with the same name
    targets += ["build/" + program] if os.path.exists(os.path.join(folder, program + ".c")) else []
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


class Judges:
    """Results and durations of tests without faults, in this run."""

    def __init__(self, pristine, costs):
        self.pristine, self.costs, self.passed, self.unusable, self.busy = pristine, costs, {}, {}, threading.Lock()

    def baseline(self, test):
        """Seconds that a test takes without faults; None if it fails without faults and cannot judge."""
        with self.busy:
            if test not in self.passed:
                outcome, seconds = run_test(self.pristine, test, 1800) if make_test(self.pristine, test) else ("failed", 0)
                if outcome != "passed":
                    print(f"NOT USABLE AS JUDGE: {test} {outcome} without a fault", flush=True)
                    self.unusable[test] = self.unusable.get(test, 0) + 1
                    return None
                self.passed[test] = seconds
            return self.passed[test]

    def outcome_of(self, tree, test):
        """Outcome of one test in a tree with a fault. The test runs without the fault only if it fails
        here."""
        if not make_test(tree.changed, test):
            return "rejected"
        limit = min(LONGEST_LIMIT, max(LIMIT, 10 * self.costs.of(test)))
        outcome, seconds = run_test(tree.changed, test, limit)
        if outcome == "passed":
            self.costs.put(test, os.path.join(tree.changed, "build"))
            self.passed.setdefault(test, seconds)  # as it does without the fault
            return "passed"
        seconds = self.baseline(test)
        if seconds is None:
            return "passed"
        if outcome == "failed":
            if run_test(tree.changed, test, limit)[0] != "passed":
                return "killed"
            print(f"unsteady: {test} failed once with the fault, then passed", flush=True)
            return "passed"
        if 10 * seconds > limit and limit < LONGEST_LIMIT:
            outcome, _ = run_test(tree.changed, test, min(LONGEST_LIMIT, 10 * seconds))
        return {"passed": "passed", "failed": "killed"}.get(outcome, "endless" if 10 * seconds <= LONGEST_LIMIT else "timed out")


def judge(tree, source, changed, tests, judges):
    """Outcome of one fault (CHANGED replaces the file's text), and the test that decided it."""
    with open(os.path.join(tree.changed, source), "w") as file:
        file.write(changed)
    before = code_of(tree.pristine, source)
    target = "all" if before is None else "build/obj/" + os.path.splitext(source)[0] + ".o"
    built, log = make(tree.changed, target)
    if not built:
        return "rejected", next((line for line in log.split("\n") if "error" in line), "")
    if before is not None and code_of(tree.changed, source) == before:
        return "unchanged", "the same machine code"
    # Test programs in C contain the libraries; only files that tests start or load have to be there as well.
    complete, late = False, ""
    for test in tests:
        alone = test.endswith(".c") and not test.startswith(("tests/runtime/", "jit:")) and not source.startswith(EVERYWHERE)
        if not alone and not complete:
            complete = make(tree.changed, "all")[0]
            if not complete:
                return "rejected", "the programs do not build"
        outcome = judges.outcome_of(tree, test)
        if outcome in ("killed", "endless", "rejected"):
            return outcome, test
        if outcome == "timed out":
            late = late or test
    return ("timed out", late) if late else ("survived", "")


EVERYWHERE = ("ref-runtime/", "memmodel/base/")  # also part of refcl-compiler, which test programs may start


def lines_changed(text, changed):
    """The first line that differs, stripped: (old, new)."""
    return next((old.strip(), new.strip()) for old, new in zip(text.split("\n"), changed.split("\n")) if old != new)


def read(folder, source):
    with open(os.path.join(folder, source)) as file:
        return file.read()


def diff_of(text, changed):
    lines = difflib.unified_diff(text.split("\n"), changed.split("\n"), n=3, lineterm="")
    return "\n".join(list(lines)[3:])


def known_equivalent():
    """Faults that equivalent.txt lists as equivalent: file, old line, new line."""
    rows, path = set(), os.path.join(HERE, "equivalent.txt")
    with open(path) as file:
        for line in file:
            if line.startswith("fault "):
                source, old, new = (part.strip() for part in line[6:].split("  |  "))
                if old not in (text.strip() for text in read(ROOT, source).split("\n")):
                    sys.exit(f"faults: equivalent.txt: {source} has no line {old!r}")
                rows.add((source, old, new))
    return rows


def report(results, unusable):
    folders, listed = {}, known_equivalent()
    results = [r for r in results if r["outcome"] not in SKIPPED]
    print("\nsurvivors:")
    for r in results:
        if r["outcome"] == "survived" and (r["file"], r["old"], r["new"]) in listed:
            r["outcome"] = "equivalent"
        counts = folders.setdefault(r["file"].split("/")[0], collections.Counter())
        counts[r["outcome"]] += 1
        if r["outcome"] in ("survived", "timed out"):
            print(f"{r['file']}: {r['outcome']} {'a part of the tests' if r['quick'] else ''}\n{r['diff']}")
    outcomes = ["killed", "endless", "timed out", "survived", "equivalent"]
    folders["all"] = sum(folders.values(), collections.Counter())
    print(f"\n{'folder':14}" + "".join(f"{o:>12}" for o in ["judged", *outcomes]))
    for folder in [*sorted(folders.keys() - {"all"}), "all"]:
        print(f"{folder:14}{folders[folder].total():>12}" + "".join(f"{folders[folder][o]:>12}" for o in outcomes))
    total = folders["all"]
    noticed, real = total["killed"] + total["endless"], total.total() - total["equivalent"]
    print(f"{noticed} of {real} faults that change something were noticed: {100 * noticed / max(real, 1):.1f} %")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{used.ru_utime + used.ru_stime:.0f} s of processor time in this run")
    for test, times in unusable.items():
        print(f"not usable as judge: {test} failed {times} times without a fault")
    return noticed >= GOAL * real and not unusable


SKIPPED = ("rejected", "unchanged")


def key_of(r):
    """Identifies a fault independently of its line number."""
    return r["file"], r["old"], r["new"], r["nth"]


def faults_in_order(seed, folder, files):
    """All faults, as (file, start, end, replacement, index among equal lines), in an order that depends on
    the seed."""
    folders = {}
    for name in files:
        text = read(folder, name)
        starts = [0] + [m.end() for m in re.finditer("\n", text)]
        lines, seen, nth = text.split("\n"), collections.Counter(), []
        for line in lines:
            nth.append(seen[line.strip()])
            seen[line.strip()] += 1
        for start, end, new in faults_of(text):
            number = bisect.bisect_right(starts, start) - 1
            what = f"{seed}|{name}|{lines[number].strip()}|{nth[number]}|{start - starts[number]}|{new}"
            fault = hashlib.sha256(what.encode()).digest(), name, start, end, new, nth[number]
            folders.setdefault(tuple(os.path.dirname(name).split("/")[:2]), []).append(fault)
    total = sum(len(faults) for faults in folders.values())
    order = []
    for faults in folders.values():
        share = max(len(faults) / total, 1 / BOOST)
        order += [(rank / share, *fault) for rank, fault in enumerate(sorted(faults))]
    return [fault[2:] for fault in sorted(order)]


def draws(seed, folder, files):
    for source, start, end, new, nth in faults_in_order(seed, folder, files):
        text = read(folder, source)
        changed = text[:start] + new + text[end:]
        old, new = lines_changed(text, changed)
        yield {"file": source, "old": old, "new": new, "nth": nth, "diff": diff_of(text, changed)}, source, changed


class Campaign:
    """Judges faults, several at a time, and keeps the outcomes in a file."""

    def __init__(self, options, folder, file, known):
        self.rows, self.file, self.known, self.writing = read_map(), file, known, threading.Lock()
        self.quick, self.chosen = options.quick, options.tests
        pristine = os.path.join(folder, "pristine")
        copy_of_tree(pristine, options.build)
        self.judges = Judges(pristine, Costs(os.path.join(folder, "costs.json"), options.build))
        self.trees = queue.Queue()
        for number in range(options.jobs):
            self.trees.put(Tree(pristine, os.path.join(folder, f"changed{number}")))
        shared, link = os.path.join(os.path.dirname(ROOT), "shared"), os.path.join(folder, "shared")
        if os.path.isdir(shared) and not os.path.lexists(link):
            os.symlink(shared, link)

    def outcome(self, r, source, changed):
        if key_of(r) in self.known:
            return {**r, **self.known[key_of(r)], "diff": r["diff"]}
        start, tree = time.monotonic(), self.trees.get()
        tests = tests_for(tree.pristine, source, self.rows, self.judges.costs)
        tests = [test for test in tests if re.search(self.chosen, test)]
        if self.quick:
            tests = cheapest(tests, self.judges.costs, self.quick)
        r["outcome"], r["by"] = judge(tree, source, changed, tests, self.judges)
        tree.set_back()
        self.trees.put(tree)
        r["seconds"], r["quick"] = round(time.monotonic() - start), bool(self.quick or self.chosen)
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
                    if len(waiting) > 20 * jobs:  # a fault that takes long does not delay others
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
    parser.add_argument("--quick", type=int, default=0, help="seconds of tests for each fault; then run without --quick")
    parser.add_argument("--tests", default="", help="regular expression of the tests that judge, such as new ones")
    parser.add_argument("--report", action="store_true", help="print the outcomes of earlier runs, of lines that are still there")
    parser.add_argument("--again", action="store_true", help="judge the survivors of earlier runs again")
    options = parser.parse_args()
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    files = [name for name in sorted(listed.split("\n"))
             if SOURCES.match(name) and not EXCLUDED.match(name) and re.search(options.files, name)]
    if not files:
        sys.exit(f"faults: no source file matches {options.files!r}")

    folder = os.path.join(os.path.abspath(options.build), "faults")
    os.makedirs(folder, exist_ok=True)
    known = {}
    with open(os.path.join(folder, f"results-{options.seed}.jsonl"), "a+") as file:
        file.seek(0)
        for line in file:
            r = json.loads(line)
            known[key_of(r)] = r
        if options.report:
            there = {name: {line.strip() for line in read(ROOT, name).split("\n")} for name in files}
            sys.exit(0 if report([r for r in known.values() if r["old"] in there.get(r["file"], ())], {}) else 1)
        undecided = [key for key, r in known.items() if r["outcome"] in ("survived", "timed out")
                     and (options.again or r["quick"] and not options.quick and not options.tests)]
        judged_before = set(known)
        for key in undecided:
            del known[key]
        campaign, results, judged = Campaign(options, folder, file, known), [], 0
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends after the fault that is being judged
        faults = draws(options.seed, campaign.judges.pristine, files)
        if options.again:  # no others
            faults = (fault for fault in faults if key_of(fault[0]) in judged_before)
        for r in campaign.run(options.jobs, faults):
            results.append(r)
            judged += r["outcome"] not in SKIPPED
            if judged >= options.count:
                break
    sys.exit(0 if report(results, campaign.judges.unusable) else 1)


if __name__ == "__main__":
    main()
