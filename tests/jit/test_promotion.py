#!/usr/bin/python3
"""When a large kernel moves to compiled code: not in a launch that the interpreter completes before it could
be compiled, but after several such launches, and in a launch that takes longer than that.  Launches of
several processes with one cache count together; once the cache has the code, it is loaded at once."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from opencl import cl, context, numpy, queue  # noqa: E402
from tap import check, done  # noqa: E402

STATEMENTS, ITEMS = 1000, 512
SOURCE = ('kernel void large(global uint *o, uint iterations) { uint at = get_global_id(0), x = at, y = 1; for (uint r = 0; r < iterations; r++) {\n' +
          '\n'.join(f'  x = x * {2 * k + 3}u + y; y ^= x >> {k % 31 + 1};' for k in range(STATEMENTS)) + '\n  } o[at] = x + y; }')
STRAIGHT = SOURCE.replace('for (uint r = 0; r < iterations; r++)', 'if (iterations > 0)')
# source, launches, iterations; whether it is compiled
CASES = {'one launch': (STRAIGHT, 1, 1, False), 'many launches': (STRAIGHT, 40, 1, True), 'a long launch': (SOURCE, 1, 40, True),
         'a few launches': (STRAIGHT, 6, 1, False)}


def expected(iterations):
    x, y = numpy.arange(ITEMS, dtype='u4'), numpy.ones(ITEMS, 'u4')
    for _ in range(iterations):
        for k in range(STATEMENTS):
            x = x * numpy.uint32(2 * k + 3) + y
            y = y ^ (x >> numpy.uint32(k % 31 + 1))
    return x + y


def run(name):
    source, launches, iterations, _ = CASES[name]
    program = cl.Program(context, source).build()
    got = numpy.zeros(ITEMS, 'u4')
    o = cl.Buffer(context, cl.mem_flags.READ_WRITE, got.nbytes)
    for _ in range(launches):
        program.large(queue, (ITEMS,), (64,), o, numpy.uint32(iterations))
    cl.enqueue_copy(queue, got, o)
    check('results', (got == expected(iterations)).all())
    return done()


def start(name, cache):
    """The notes of a process that executes the case NAME."""
    ran = subprocess.run([sys.executable, sys.argv[0], name], capture_output=True, text=True, timeout=300,
                         env={**os.environ, 'REFCL_ENGINE': 'auto', 'REFCL_DEBUG': 'jit', 'REFCL_CACHE_DIR': cache})
    check(f'{name}: results', ran.returncode == 0, ran.stdout + ran.stderr)
    return ran.stderr


def main():
    if len(sys.argv) > 1:
        return run(sys.argv[1])
    for name, case in CASES.items():
        notes = start(name, 'off')
        check(f'{name}: {"compiled" if case[3] else "interpreted"}', (': compiled' in notes) == case[3], notes)
    with tempfile.TemporaryDirectory() as cache:
        notes = [start('a few launches', cache) for _ in range(5)]
        check('several processes: interpreted at first', ': compiled' not in notes[0] and ': loaded' not in notes[0], notes[0])
        check('several processes: one compiles', [': compiled' in note for note in notes].count(True) == 1, notes)
        check('several processes: the last loads', ': loaded' in notes[-1], notes[-1])
        check('one launch: loaded', ': loaded' in start('one launch', cache))
    with tempfile.TemporaryDirectory() as cache:
        start('a long launch', cache)
        notes = start('a few launches', cache)
        check('of another module: interpreted', ': compiled' not in notes and ': loaded' not in notes, notes)
        notes = start('a long launch', cache)
        check('after a compiled launch: loaded', ': loaded' in notes, notes)
    return done()


sys.exit(main())
