#!/usr/bin/python3
"""Constants reinterpreted as each type of the same size keep their bytes: scalars and vectors, in OpenCL C
with and without optimization [CLC 6.4.4.1-6.4.4.2]."""
import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from opencl import cl, context, numpy, queue  # noqa: E402
from tap import check, done  # noqa: E402

NAMES = {'char': 'i1', 'uchar': 'u1', 'short': 'i2', 'ushort': 'u2', 'int': 'i4', 'uint': 'u4', 'long': 'i8', 'ulong': 'u8',
         'half': 'f2', 'float': 'f4', 'double': 'f8'}
TYPES = {name + (str(n) if n > 1 else ''): (kind, n) for name, kind in NAMES.items() for n in (1, 2, 4, 8, 16)}


def size(name):
    kind, n = TYPES[name]
    return int(kind[1]) * n


def literal(name):
    """Values of a type, and their OpenCL C spellings."""
    kind, n = TYPES[name]
    values = numpy.array([(3 * k + 1) * (0.5 if kind[0] == 'f' else 1) for k in range(n)], kind)
    element = name.rstrip('0123456789')
    words = [f'({element}){v}' for v in values.tolist()]
    return values, words[0] if n == 1 else f'({name})({", ".join(words)})'


def results(pairs, options):
    lines = [f'*(global {to} *)(o + {16 * 8 * k}) = as_{to}({literal(of)[1]});' for k, (of, to) in enumerate(pairs)]
    source = '#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k(global uchar *o) {\n' + '\n'.join(lines) + '\n}'
    kernel = cl.Kernel(cl.Program(context, source).build(['-cl-std=CL3.0', *options]), 'k')
    data = numpy.zeros((len(pairs), 16 * 8), 'u1')
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=data)
    kernel(queue, (1,), (1,), buffer)
    cl.enqueue_copy(queue, data, buffer)
    return data


PAIRS = [(of, to) for of, to in itertools.product(TYPES, TYPES) if size(of) == size(to) and of != to]
for flags in ([], ['-cl-opt-disable']):
    for number, by_size in itertools.groupby(sorted(PAIRS, key=lambda pair: size(pair[0])), lambda pair: size(pair[0])):
        pairs = list(by_size)
        found = results(pairs, flags)
        wrong = [f'{of} as {to}' for (of, to), row in zip(pairs, found) if row[:number].tobytes() != literal(of)[0].tobytes()]
        check(f'constants of {number} bytes {" ".join(flags)}', not wrong)
        if wrong:
            print('# ' + ', '.join(wrong[:8]))
sys.exit(done())
