#!/usr/bin/env python3
"""Random accesses ordered by atomics, or not: compiled code that checks races gives the findings of the
interpreter.

Each work-item executes a random script: plain accesses of a few words, atomics of all orders, locks, fences,
and plain accesses of atomic objects.  One kernel executes all scripts, so that it is compiled once.  The
interpreter's report is the expected one; a launch whose accesses are ordered by atomics alone must not need
the interpreter under REFCL_ENGINE=jit.  RANDOM_ATOMICS_COUNT scripts (default 48), RANDOM_ATOMICS_SEED."""
import os
import random
import shlex
import struct
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, ".."), os.path.join(here, "../../lib")]
import slow_instrumented  # noqa: E402
from built import JOBS, REFCL  # noqa: E402

ITEMS, OPERATIONS = 6, 8  # work-items, operations of each
FLAGS, WORDS = 3, 3
READ, WRITE, ADD, NOTHING = range(4)
LOCKS = ["locks/lock.cl", "exclusion/ticket_lock.cl", "locks/lock_per_bin.cl", "queues/stack_push_pop.cl",
         "reductions/sum_by_compare.cl", "messages/message_fences_rmw.cl", "scopes/fences_device_scope.cl"]  # in tests/races/kernels
# Synchronization: (name, statement), with the atomic object f and the plain word d.
SYNCHRONIZATIONS = [
    ("store release", "atomic_store_explicit(f, k, memory_order_release, memory_scope_device);"),
    ("load acquire", "seen += atomic_load_explicit(f, memory_order_acquire, memory_scope_device);"),
    ("add acq_rel", "seen += atomic_fetch_add_explicit(f, 1, memory_order_acq_rel, memory_scope_device);"),
    ("add release", "atomic_fetch_add_explicit(f, 1, memory_order_release, memory_scope_device);"),
    ("add acquire", "seen += atomic_fetch_add_explicit(f, 1, memory_order_acquire, memory_scope_device);"),
    ("add relaxed", "atomic_fetch_add_explicit(f, 1, memory_order_relaxed, memory_scope_device);"),
    ("store relaxed", "atomic_store_explicit(f, k, memory_order_relaxed, memory_scope_device);"),
    ("load relaxed", "seen += atomic_load_explicit(f, memory_order_relaxed, memory_scope_device);"),
    ("exchange seq_cst", "seen += atomic_exchange(f, k);"),
    ("compare", "uint was = op.w; atomic_compare_exchange_strong_explicit(f, &was, k, memory_order_acq_rel,"
                " memory_order_relaxed, memory_scope_device); seen += was;"),
    ("compare acquire", "uint was = op.w; atomic_compare_exchange_strong_explicit(f, &was, k, memory_order_acquire,"
                        " memory_order_acquire, memory_scope_device); seen += was;"),
    ("store all devices", "atomic_store_explicit(f, k, memory_order_release, memory_scope_all_svm_devices);"),
    ("load all devices", "seen += atomic_load_explicit(f, memory_order_acquire, memory_scope_all_svm_devices);"),
    ("lock", "while (atomic_exchange_explicit(locks + op.y, 1, memory_order_acquire, memory_scope_device) != 0) ; *d += 1;"
             " atomic_store_explicit(locks + op.y, 0, memory_order_release, memory_scope_device);"),
    ("relaxed lock", "while (atomic_exchange_explicit(locks + op.y, 1, memory_order_relaxed, memory_scope_device) != 0) ;"
                     " *d += 1; atomic_store_explicit(locks + op.y, 0, memory_order_release, memory_scope_device);"),
    ("read, acquire, write", "uint x = *d; seen += atomic_load_explicit(f, memory_order_acquire, memory_scope_device);"
                             " *d = x + 1;"),
    ("write, release, write", "*d = k; atomic_store_explicit(f, k, memory_order_release, memory_scope_device); *d = 1;"),
    ("release fence", "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);"
                      " atomic_store_explicit(f, k, memory_order_relaxed, memory_scope_device);"),
    ("acquire fence", "seen += atomic_load_explicit(f, memory_order_relaxed, memory_scope_device);"
                      " atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);"),
    ("fence release", "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);"),
    ("fence acquire", "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);"),
    ("fence both", "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);"),
    ("fence in the work-group", "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);"),
    ("fence of all devices", "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_all_svm_devices);"),
    ("fence of local memory", "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);"),
    ("relaxed compare", "uint was = op.w; atomic_compare_exchange_strong_explicit(f, &was, k, memory_order_relaxed, memory_order_relaxed,"
                        " memory_scope_device); seen += was;"),
    ("increment of OpenCL 1", "seen += atomic_inc((volatile global uint *)f);"),
    ("plain write of it", "*(global uint *)f = k;"),
    ("plain read of it", "seen += *(global uint *)f;"),
]
NAMES = [name for name, _ in SYNCHRONIZATIONS]
KERNEL = """kernel void script(global const uint4 *operations, global atomic_uint *flags, global atomic_uint *locks,
                                 global uint *words, global uint *out)
{
    uint me = get_global_id(0), seen = 0;
    for (uint k = 1; k <= %d; k++) {
        uint4 op = operations[me * %d + k - 1];
        global atomic_uint *f = flags + op.y;
        global uint *d = words + op.z;
        switch (op.x) {
        case 0: seen += *d; break;
        case 1: *d = k; break;
        case 2: *d += k; break;
        case 3: break;
%s
        }
    }
    out[me] = seen;
}
""" % (OPERATIONS, OPERATIONS, "\n".join("        case %d: { %s break; }" % (4 + n, s)
                                         for n, (_, s) in enumerate(SYNCHRONIZATIONS)))


def operation(name, flag=0, word=0, compared=0):
    return (4 + NAMES.index(name), flag, word, compared)


RELEASE, ACQUIRE, BOTH = operation("store release"), operation("load acquire"), operation("add acq_rel")
SECOND = operation("load acquire", 1)
FENCED, FENCE = operation("fence release"), operation("fence acquire")
STORED, LOADED = operation("store relaxed"), operation("load relaxed")
# (what, whether there is a race, the operations of the work-items on word 0)
WRITTEN_DOWN = [
    ("released and acquired", False, [[(WRITE, 0, 0, 0), RELEASE], [ACQUIRE, (ADD, 0, 0, 0)]]),
    ("released and acquired twice", False, [[(WRITE, 0, 0, 0), RELEASE], [ACQUIRE, (READ, 0, 0, 0), operation("store release", 1)],
                                  [SECOND, (ADD, 0, 0, 0)]]),
    ("written after the release", True, [[RELEASE, (WRITE, 0, 0, 0)], [ACQUIRE, (READ, 0, 0, 0)]]),
    ("written after the release by the one before the last", True,
     [[BOTH, (WRITE, 0, 0, 0)], [BOTH], [ACQUIRE, (READ, 0, 0, 0)]]),
    ("read before the acquire", True, [[(WRITE, 0, 0, 0), RELEASE], [operation("read, acquire, write")]]),
    ("a failed compare-exchange acquires nothing", True,
     [[(WRITE, 0, 0, 0), (NOTHING, 0, 0, 0), RELEASE], [operation("compare", compared=1), (READ, 0, 0, 0)]]),
    ("a compare-exchange acquires", False,
     [[(WRITE, 0, 0, 0), (NOTHING, 0, 0, 0), RELEASE], [operation("compare", compared=3), (READ, 0, 0, 0)]]),
    ("a failed compare-exchange releases nothing", True,
     [[(WRITE, 0, 0, 0), operation("compare", compared=1)], [ACQUIRE, (READ, 0, 0, 0)]]),
    ("a relaxed store ends the sequence", True,
     [[(WRITE, 0, 0, 0), RELEASE], [operation("store relaxed")], [ACQUIRE, (READ, 0, 0, 0)]]),
    ("a relaxed addition continues it", False,
     [[(WRITE, 0, 0, 0), RELEASE], [operation("add relaxed")], [ACQUIRE, (READ, 0, 0, 0)]]),
    ("an addition that releases continues it", False,
     [[(WRITE, 0, 0, 0), RELEASE], [operation("add release")], [ACQUIRE, (READ, 0, 0, 0)]]),
    ("another object", True, [[(WRITE, 0, 0, 0), RELEASE], [SECOND, (READ, 0, 0, 0)]]),
    ("what another work-item acquired", True, [[(WRITE, 0, 0, 0), RELEASE], [ACQUIRE], [(READ, 0, 0, 0)]]),
    ("two readers", True, [[(READ, 0, 0, 0), RELEASE], [(READ, 0, 0, 0)], [ACQUIRE, (WRITE, 0, 0, 0)]]),
    ("two readers, both before the writer", False,
     [[(READ, 0, 0, 0), BOTH], [(READ, 0, 0, 0), BOTH], [ACQUIRE, (WRITE, 0, 0, 0)]]),
    ("a plain read of the object", True, [[RELEASE], [operation("plain read of it")]]),
    ("a lock", False, [[operation("lock"), operation("lock")], [operation("lock")], [operation("lock"), operation("lock")]]),
    ("a lock for each", True, [[operation("lock", 0)], [operation("lock", 1)]]),
    ("fences", False, [[(WRITE, 0, 0, 0), FENCED, STORED], [LOADED, FENCE, (READ, 0, 0, 0)]]),
    ("no release fence", True, [[(WRITE, 0, 0, 0), STORED], [LOADED, FENCE, (READ, 0, 0, 0)]]),
    ("no acquire fence", True, [[(WRITE, 0, 0, 0), FENCED, STORED], [LOADED, (READ, 0, 0, 0)]]),
    ("an acquire fence before the load", True, [[(WRITE, 0, 0, 0), FENCED, STORED], [FENCE, LOADED, (READ, 0, 0, 0)]]),
    ("a release fence after the store", True, [[(WRITE, 0, 0, 0), STORED, FENCED], [LOADED, FENCE, (READ, 0, 0, 0)]]),
    ("written after the release fence", True, [[FENCED, (WRITE, 0, 0, 0), STORED], [LOADED, FENCE, (READ, 0, 0, 0)]]),
    ("a fence published by an earlier store alone", True, [[STORED, FENCED, (WRITE, 0, 0, 0), STORED], [LOADED, FENCE, (READ, 0, 0, 0)]]),
    ("a release fence and an acquiring load", False, [[(WRITE, 0, 0, 0), FENCED, STORED], [ACQUIRE, (READ, 0, 0, 0)]]),
    ("a releasing store and an acquire fence", False, [[(WRITE, 0, 0, 0), RELEASE], [LOADED, FENCE, (READ, 0, 0, 0)]]),
    ("fences and relaxed additions", False, [[(WRITE, 0, 0, 0), FENCED, operation("add relaxed")],
                                             [operation("add relaxed"), FENCE, (ADD, 0, 0, 0)]]),
    ("fences and additions that continue the sequence", False,
     [[(WRITE, 0, 0, 0), FENCED, operation("add relaxed")], [operation("add relaxed")], [LOADED, FENCE, (READ, 0, 0, 0)]]),
    ("fences of two work-items and relaxed additions", False,
     [[(WRITE, 0, 0, 0), FENCED, operation("add relaxed")], [(WRITE, 0, 1, 0), FENCED, operation("add relaxed")],
      [LOADED, FENCE, (READ, 0, 0, 0), (READ, 0, 1, 0)]]),
    ("a relaxed store of another work-item after a fence", True,
     [[(WRITE, 0, 0, 0), FENCED, STORED], [STORED], [LOADED, FENCE, (READ, 0, 0, 0)]]),
    ("a store ends the sequence that it does not know", True,
     [[(WRITE, 0, 0, 0), FENCED, STORED], [FENCED, STORED], [LOADED, FENCE, (READ, 0, 0, 0)]]),
    ("what another work-item read before its fence", True, [[(WRITE, 0, 0, 0), FENCED, STORED], [LOADED, FENCE], [FENCE, (READ, 0, 0, 0)]]),
    ("fences in a chain", False, [[(WRITE, 0, 0, 0), FENCED, STORED], [LOADED, operation("fence both"), operation("store relaxed", 1)],
                                  [operation("load relaxed", 1), FENCE, (READ, 0, 0, 0)]]),
    ("fences of the work-group alone in a chain", True,
     [[(WRITE, 0, 0, 0), FENCED, STORED], [LOADED, operation("fence in the work-group"), operation("store relaxed", 1)],
      [operation("load relaxed", 1), FENCE, (READ, 0, 0, 0)]]),
    ("fences of local memory in a chain", True,
     [[(WRITE, 0, 0, 0), FENCED, STORED], [LOADED, operation("fence of local memory"), operation("store relaxed", 1)],
      [operation("load relaxed", 1), FENCE, (READ, 0, 0, 0)]]),
    ("an acquire fence that follows another object's load", True,
     [[(WRITE, 0, 0, 0), FENCED, STORED], [operation("load relaxed", 1), FENCE, (READ, 0, 0, 0)]]),
    ("fences and increments of OpenCL 1", False, [[(WRITE, 0, 0, 0), FENCED, operation("increment of OpenCL 1")],
                                                  [operation("increment of OpenCL 1"), FENCE, (ADD, 0, 0, 0)]]),
    ("a lock that is not acquired", True, [[operation("lock")], [operation("relaxed lock")]]),
]


def padded(scripts, items):
    scripts = scripts + [[]] * (items - len(scripts))
    return [s + [(NOTHING, 0, 0, 0)] * (OPERATIONS - len(s)) for s in scripts]


def random_script(rng, items):
    """Mostly synchronization, so that many scripts are free of races."""
    scripts = []
    rare = ["plain write of it", "plain read of it", "relaxed lock"]
    some = rng.sample([n for n in NAMES if n not in rare], rng.randint(2, 6)) + rng.sample(rare, rng.random() < 0.2)
    access = rng.choice([0.03, 0.06, 0.1])
    flags, words = rng.randint(1, FLAGS), rng.randint(1, WORDS)
    for _ in range(items):
        script = []
        for _ in range(OPERATIONS):
            flag, word = rng.randrange(flags), rng.randrange(words)
            if rng.random() < access:
                script.append((rng.choice([READ, WRITE, ADD]), flag, word, 0))
            elif rng.random() < 0.3:
                script.append((NOTHING, 0, 0, 0))
            else:
                script.append(operation(rng.choice(some), flag, word, rng.randrange(OPERATIONS)))
        scripts.append(script)
    return scripts


def chain(rng, items):
    """Each work-item acquires, accesses, and releases: free of races unless one step is damaged."""
    acquires, releases = rng.choice([("load acquire", "store release"), ("add acq_rel", "add acq_rel"),
                                     ("exchange seq_cst", "exchange seq_cst"), ("add acquire", "add release"),
                                     ("load all devices", "store all devices"), ("acquire fence", "release fence"),
                                     ("acquire fence", "store release"), ("load acquire", "release fence")])
    scripts = []
    for _ in range(items):
        script = []
        for _ in range(rng.randint(1, 2)):
            script += [operation(acquires), (rng.choice([READ, WRITE, ADD]), 0, rng.randrange(WORDS), 0), operation(releases)]
            script += [operation("lock", rng.randrange(FLAGS), 0)] * (rng.random() < 0.05)
        scripts.append(script)
    if rng.random() < 0.4:
        script = rng.choice(scripts)
        damage = rng.choice([operation("store relaxed"), operation("add relaxed"), operation("load relaxed"), (NOTHING, 0, 0, 0),
                             operation("plain write of it"), (WRITE, 0, 0, 0)])
        script[rng.randrange(len(script))] = damage
    return padded(scripts, items)


def both(task):
    number, folder, kernel, local, script = task
    path = os.path.join(folder, "%d.bin" % number)
    with open(path, "wb") as f:
        for s in script:
            for op in s:
                f.write(struct.pack("<4I", *op))
    reports = []
    for engine in "interp", "jit":
        output = os.path.join(folder, "%d.%s.json" % (number, engine))
        command = [REFCL, "kernel", "--quiet", "--json", output, "-g", str(ITEMS), "-l", str(local)]
        for argument in ("buf:file=" + path, "buf:%d" % FLAGS, "buf:%d" % FLAGS, "buf:%d" % WORDS,
                         "buf:%d" % ITEMS):
            command += ["-a", argument]
        reports.append(slow_instrumented.report(command + [kernel], output, engine, {"REFCL_THREADS": str(1 + number % 2)}))
    (expected, _), (found, completed) = reports
    return number, expected, slow_instrumented.differences(expected, found, False), completed


def is_completed(name):
    """Whether the kernel of tests/races/kernels, which has no race, needs no interpreter."""
    path = os.path.join(here, "../kernels", name)
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "report.json")
        arguments = shlex.split(slow_instrumented.directives(path)["run"])
        report, completed = slow_instrumented.report([REFCL, "kernel", "--quiet", "--json", output, *arguments, path], output, "jit", {})
        return completed and not report["findings"]


def ordered_by_atomics(script):
    """Whether work-items make plain accesses to one word, at least one of them a write."""
    users = {}
    for item, operations in enumerate(script):
        for kind, _, word, _ in operations:
            if kind in (READ, WRITE, ADD) or (kind > NOTHING and " *d" in SYNCHRONIZATIONS[kind - 4][1]):
                users.setdefault(word, set()).add((item, kind != READ))
    return any(len({i for i, _ in u}) > 1 and any(w for _, w in u) for u in users.values())


def main():
    count = int(os.environ.get("RANDOM_ATOMICS_COUNT", 48))
    rng = random.Random(int(os.environ.get("RANDOM_ATOMICS_SEED", 1)))
    if not os.path.exists(REFCL):
        print("ok 1 - random atomics # SKIP %s is not built\n1..1" % REFCL)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["REFCL_CACHE_DIR"] = os.path.join(folder, "cache")
        kernel = os.path.join(folder, "script.cl")
        with open(kernel, "w") as f:
            f.write(KERNEL)
        tasks = []
        for number in range(len(WRITTEN_DOWN) + count):
            if number < len(WRITTEN_DOWN):
                script = padded(WRITTEN_DOWN[number][2], ITEMS)
            else:
                script = (chain if number % 2 else random_script)(rng, ITEMS)
            tasks.append((number, folder, kernel, (1, 2, 3, 6)[number // 2 % 4], script))
        first = [both(t) for t in tasks[:8]]  # fill the cache
        with ThreadPoolExecutor(JOBS) as pool:
            results = first + list(pool.map(both, tasks[8:]))
    failed = clean = racy = 0
    for number, expected, problem, completed in results:
        written = WRITTEN_DOWN[number] if number < len(WRITTEN_DOWN) else None
        found = bool(expected["findings"])
        if not problem and written and written[1] != found:
            problem = "a race was %sexpected" % ("" if written[1] else "not ")
        failed += problem is not None
        racy += found
        clean += completed and ordered_by_atomics(tasks[number][4])
        print("%s %d - %s: %s%s" % ("not ok" if problem else "ok", number + 1, written[0] if written else "script %d" % number,
                                    "racy" if found else "clean", ", completed" if completed else ""))
        if problem:
            print("#", problem)
    for at, (what, n) in enumerate([("have races", racy), ("have none, because of atomics, in compiled code", clean)]):
        enough = n >= len(tasks) // 8
        failed += not enough
        print("%s %d - %d scripts %s" % ("ok" if enough else "not ok", len(tasks) + 1 + at, n, what))
    for at, name in enumerate(LOCKS):
        completed = is_completed(name)
        failed += not completed
        print("%s %d - %s is instrumented" % ("ok" if completed else "not ok", len(tasks) + 3 + at, name))
    print("1..%d" % (len(tasks) + 2 + len(LOCKS)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
