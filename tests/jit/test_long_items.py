#!/usr/bin/python3
"""Launches whose first work-groups take long move to compiled code before these are complete, and each
work-item is executed once; launches in which work-items wait for others stay in the interpreter."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from opencl import cl, context, numpy, queue  # noqa: E402
from tap import check, done  # noqa: E402

ITERATIONS = 60000  # more instructions than a slice of the interpreter has
TURNS = 'uint x = at; for (uint k = 0; k < iterations; k++) x = x * 1664525u + 1013904223u;'
AT = 'uint at = get_global_id(1) * get_global_size(0) + get_global_id(0), l = get_local_id(1) * get_local_size(0) + get_local_id(0);'


def waits(name, order):
    return (f'kernel void {name}(global uint *o, global atomic_uint *turn, uint iterations) {{ {AT} {TURNS}\n'
            f'  while (atomic_load(turn) != {order}) ;\n  o[at] += x; atomic_store(turn, {order} + 1); }}')


KERNELS = {
    'alone': f'kernel void alone(global uint *o, global atomic_uint *turn, uint iterations) {{ {AT} {TURNS} o[at] += x; }}',
    'shares': f'kernel void shares(global uint *o, global atomic_uint *turn, uint iterations) {{ {AT} {TURNS} local uint t[64];\n'
              '  uint n = get_local_size(0) * get_local_size(1); t[n - 1 - l] = x; barrier(CLK_LOCAL_MEM_FENCE); o[at] += t[n - 1 - l]; }',
    'first': waits('first', 'at'), 'last': waits('last', 'get_global_size(0) - 1 - at')}
SIZES = [((40, 1), (1, 1)), ((100, 1), (5, 1)), ((67, 1), (16, 1)), ((7, 13), (2, 3)), ((1, 23), (1, 2)), ((300, 1), (64, 1))]


def turned(items):
    factor, term = 1, 0
    for _ in range(ITERATIONS):
        factor, term = factor * 1664525 % (1 << 32), (term * 1664525 + 1013904223) % (1 << 32)
    return numpy.arange(items, dtype='u4') * numpy.uint32(factor) + numpy.uint32(term)


def run(name, size, local):
    program = cl.Program(context, KERNELS[name]).build('-cl-std=CL3.0')
    got = numpy.arange(size[0] * size[1], dtype='u4')
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    o, turn = cl.Buffer(context, flags, hostbuf=got), cl.Buffer(context, flags, hostbuf=numpy.zeros(1, 'u4'))
    getattr(program, name)(queue, size, local, o, turn, numpy.uint32(ITERATIONS))
    want = got + turned(got.size)
    cl.enqueue_copy(queue, got, o)
    check('results', (got == want).all(), f'{numpy.flatnonzero(got != want)[:8]}')
    return done()


def main():
    if len(sys.argv) > 1:
        size, local = eval(sys.argv[2])
        return run(sys.argv[1], size, local)
    # compiled in the background after half of the instructions
    ran = subprocess.run([sys.executable, sys.argv[0], 'alone', str(SIZES[0])], capture_output=True, text=True, timeout=300,
                         env={**os.environ, 'REFCL_ENGINE': 'auto', 'REFCL_PROMOTE': '8000000'})
    check('compiled in the background: results', ran.returncode == 0, ran.stdout + ran.stderr)
    for name in KERNELS:
        for sizes in SIZES if name in ('alone', 'shares') else SIZES[:1]:
            ran = subprocess.run([sys.executable, sys.argv[0], name, str(sizes)], capture_output=True, text=True, timeout=300,
                                 env={**os.environ, 'REFCL_ENGINE': 'auto', 'REFCL_DEBUG': 'jit'})
            check(f'{name}, {sizes}: results', ran.returncode == 0, ran.stdout + ran.stderr)
            moves = 'in compiled code' in ran.stderr
            check(f'{name}, {sizes}: {"compiled" if moves else "interpreted"}', moves == (name in ('alone', 'shares')), ran.stderr)
    return done()


sys.exit(main())
