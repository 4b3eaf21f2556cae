#!/usr/bin/python3
"""The JIT against the interpreter: the same kernels leave the same buffers, bit by bit (any NaN equals any
NaN).  Prints the kernels that the JIT leaves to the interpreter.  With engine auto, launches begin in the
interpreter and continue in compiled code.  slow_differential.py [MODULE[:ENGINE]...]"""
import importlib
import os
import pickle
import subprocess
import sys
import tempfile

try:
    import numpy
    import pyopencl  # noqa: F401
except ImportError:
    print('1..0 # SKIP no pyopencl')
    sys.exit(0)

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get('BUILD', 'build'))


def run(engine, module, cache):
    """The results and the output.  Compilation results are cached in the folder CACHE."""
    environment = dict(os.environ, REFCL_ENGINE=engine, REFCL_PROMOTE='16000', REFCL_DEBUG='jit', REFCL_CACHE_DIR=cache, PYTHONDONTWRITEBYTECODE='1',
                       OCL_ICD_VENDORS=BUILD + '/librefcl.so', OCL_ICD_FILENAMES=BUILD + '/librefcl.so', PYOPENCL_NO_CACHE='1')
    with tempfile.TemporaryDirectory() as folder:
        path = folder + '/results'
        done = subprocess.run([sys.executable, HERE + '/engine.py', path, module], env=environment, cwd=HERE, text=True,
                              stderr=subprocess.PIPE)
        if not os.path.exists(path):
            return None, done.stderr
        with open(path, 'rb') as file:
            return pickle.load(file), done.stderr


def compare_engines(folder, module, engine, by_interp):
    """Results of RUN for the interpreter and for ENGINE.  SPIR-V is compiled once, by the interpreter's run,
    and machine code by the first engine that is not the interpreter."""
    kept = f'{folder}/{module}'
    if module not in by_interp:
        os.mkdir(kept, 0o700)
        by_interp[module] = run('interp', module, kept)
    return by_interp[module] + run(engine, module, kept)


def difference(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return None if isinstance(a, str) and a == b else f'{a} / {b}'
    for n, (x, y) in enumerate(zip(a, b)):
        same = x.view(f'u{x.dtype.itemsize}') == y.view(f'u{y.dtype.itemsize}')
        if x.dtype.kind == 'f':
            same |= numpy.isnan(x) & numpy.isnan(y)
        if not same.all():
            at = int(numpy.argmin(same))
            return f'buffer {n}: {int((~same).sum())} differ, first [{at}]: {x[at]!r} / {y[at]!r}'
    return None


def covered(log):
    """Cases that the JIT compiled, those of them that began in the interpreter, and why others were not compiled."""
    name, compiled, later, reasons = '', set(), set(), {}
    for line in log.splitlines():
        if line.startswith('case '):
            name = line[5:]
        elif ': compiled' in line or ': loaded' in line:
            compiled.add(name)
        elif 'continues in compiled code from work-group' in line:
            later.add(name)
        elif 'runs in the interpreter: ' in line:
            reasons[name] = line.split('runs in the interpreter: ')[1]
    return compiled, later, reasons


def main():
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(judge(folder))


def judge(folder):
    number, failures, by_interp = 0, 0, {}
    for name in sys.argv[1:] or ['cases', 'cases_barrier', 'cases_calls', 'cases_guards', 'cases_loops', 'cases_loops:auto']:
        module, _, engine = name.partition(':')
        expected, log, results, log_jit = compare_engines(folder, module, engine or 'jit', by_interp)
        if expected is None or results is None:
            number += 1
            failures += 1
            print(f'not ok {number} - {module} ran to the end')
            print('\n'.join('# ' + line for line in (log_jit if results is None else log).splitlines()[-8:]))
            continue
        compiled, later, reasons = covered(log_jit)
        if engine == 'auto':
            number += 1
            failures += not later
            print(f'{"ok" if later else "not ok"} {number} - {module} continue in compiled code')
        for name in expected:
            number += 1
            problem = difference(expected[name], results[name])
            if problem is None and engine != 'auto' and name not in compiled:
                problem = f'left to the interpreter: {reasons.get(name)}'
            failures += problem is not None
            print(f'{"not ok" if problem else "ok"} {number} - {name.replace("#", "")}')
            if problem:
                print(f'# {problem}')
        total = len(importlib.import_module(module).CASES)
        print(f'# {module}: {len(compiled)} of {len(expected)} compiled, {len(later)} of them later'
              + (f'; a sample of {total}: `make slow` runs all' if len(expected) < total else ''))
    print(f'1..{number}')
    return 1 if failures else 0


if __name__ == '__main__':
    main()
