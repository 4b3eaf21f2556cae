#!/usr/bin/python3
"""Random kernels on the OpenCL driver of another machine, which needs a C compiler and an OpenCL loader alone.

  elsewhere.py export FOLDER [--count N] [--seed N]     the kernels, their inputs, elsewhere.c
  cc -O2 FOLDER/elsewhere.c -o run -lOpenCL && ./run FOLDER RESULTS JOBS >TEXT && cat RESULTS.* >RESULTS      there
  elsewhere.py compare FOLDER RESULTS [--engine interp|jit]      here: TAP, and each disagreement"""
import argparse
import os
import shutil
import sys

sys.dont_write_bytecode = True
import numpy  # noqa: E402
import differential  # noqa: E402
import engine  # noqa: E402
from kernels import COUNTERS, GROUP, ITEMS, LANES, SLOTS, make, prelude  # noqa: E402
from streams import PACKETS  # noqa: E402

OUTPUTS = [(ITEMS * SLOTS, 'u8'), (ITEMS * LANES, 'f8'), (8 + COUNTERS, 'i4'), (2 * (PACKETS + 1), 'u8')]


def export(folder, seed, count, batch):
    os.makedirs(folder, exist_ok=True)
    shutil.copy(os.path.join(differential.HERE, 'elsewhere.c'), folder)
    engine.inputs().tofile(folder + '/inputs')
    engine.texels().tofile(folder + '/texels')
    with open(folder + '/seed', 'w') as file:
        file.write(f'{seed} {count} {batch}\n')
    with open(folder + '/list', 'w') as file:
        print(ITEMS, GROUP, *(n * numpy.dtype(t).itemsize for n, t in OUTPUTS), file=file)
        for start in range(0, count, batch):
            kernels = [make(seed, n) for n in range(start, min(start + batch, count))]
            with open(f'{folder}/{start}.cl', 'w') as source:
                source.write(prelude() + '\n'.join(k['source'] for k in kernels))
            for kernel in kernels:
                print(f'{start}.cl', kernel['name'], file=file)


def read_results(path):
    """{name: buffers or text}"""
    results = {}
    with open(path, 'rb') as file:
        while line := file.readline():
            name, status = line.decode().split()
            arrays = [numpy.fromfile(file, t, n) for n, t in OUTPUTS] if status == '0' else None
            results[name] = arrays[:3] + [engine.sent(arrays[3])] if arrays else f'status {status}'
    return results


def compare(folder, path, name):
    with open(folder + '/seed') as file:
        seed, count, batch = map(int, file.read().split())
    expected = read_results(path)
    agreed = missing = number = 0
    for start in range(0, count, batch):
        kernels = [make(seed, n) for n in range(start, min(start + batch, count))]
        actual = differential.run(name, kernels)
        bad = 0
        for kernel in kernels:
            other = expected.get(kernel['name'], 'nothing')
            if isinstance(other, str):
                missing += 1
                print(f'# {kernel["name"]}: not compared: {other}')
                continue
            found = differential.differences(kernel, actual[kernel['name']], other)
            for line in found:
                print(f'# seed {seed} {kernel["name"]}: {line}')
            bad += len(found) > 0
            agreed += len(found) == 0
        number += 1
        print(f'{"not ok" if bad else "ok"} {number} - kernels {start} to {start + len(kernels) - 1}', flush=True)
    print(f'1..{number}\n# {agreed} of {count} kernels agree, {missing} not compared, seed {seed}')
    return 0 if agreed == count - missing and agreed else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('what', choices=['export', 'compare'])
    parser.add_argument('folder')
    parser.add_argument('results', nargs='?')
    parser.add_argument('--count', type=int, default=1000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--batch', type=int, default=20)
    parser.add_argument('--engine', default='interp')
    options = parser.parse_args()
    if options.what == 'export':
        return export(options.folder, options.seed, options.count, options.batch)
    return compare(options.folder, options.results, options.engine)


if __name__ == '__main__':
    sys.exit(main())
