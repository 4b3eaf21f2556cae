#!/usr/bin/python3
"""Atomic functions on floating-point values, in global and in local memory and through generic pointers:
returned and stored values against a model in Python; sums by many work-items; the device queries
[cl_ext_float_atomics]."""
import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from engines import each_engine  # noqa: E402
from opencl import cl, context, device, numpy, queue  # noqa: E402

numpy.seterr(all='ignore')
ADDS = {'add': lambda a, b: a + b, 'sub': lambda a, b: a - b}
LIMITS = {'min': min, 'max': max}
TYPES = {'float': ('f4', {**ADDS, **LIMITS}), 'double': ('f8', {**ADDS, **LIMITS}), 'half': ('f2', {**ADDS, **LIMITS})}
PRAGMA = '#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n'
# The bits of loads and stores, additions, and minimum and maximum, in global and in local memory.
LOAD_STORE, ADD, MIN_MAX = (1 << n | 1 << 16 + n for n in range(3))
QUERIES = {'float': (0x4231, LOAD_STORE | ADD | MIN_MAX), 'double': (0x4232, LOAD_STORE | ADD | MIN_MAX),
           'half': (0x4233, LOAD_STORE | ADD | MIN_MAX)}
MACROS = [f'__opencl_c_ext_fp{size}_{space}_atomic_{what}' for space in ('global', 'local')
          for size, kinds in (('16', ('load_store', 'add', 'min_max')), ('32', ('add', 'min_max')), ('64', ('add', 'min_max')))
          for what in kinds]


def ask(param):
    """A query of 64 bits that pyopencl does not know."""
    import ctypes
    library, answer = ctypes.CDLL('libOpenCL.so.1'), ctypes.c_uint64(77)
    code = library.clGetDeviceInfo(ctypes.c_void_p(device.int_ptr), param, ctypes.c_size_t(8), ctypes.byref(answer), None)
    return answer.value if code == 0 else code


def buffer(array):
    return cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=array)


def values(name, dtype, space):
    """Each operation on pairs of values, in memory of SPACE."""
    numbers = [0.0, 1.0, -1.0, 0.5, -2.75, 1000.0, float('inf'), float('-inf')]
    if dtype.itemsize > 2:
        numbers += [numpy.finfo(dtype).tiny / 4, numpy.finfo(dtype).max]
    pairs = numpy.array(list(itertools.product(numbers, repeat=2)), dtype)
    operations = {**TYPES[name][1], 'exchange': lambda a, b: b}
    calls = [('atomic_exchange' if op == 'exchange' else f'atomic_fetch_{op}') + suffix
             for op in operations for suffix in ('(cell, b[i])', '_explicit(cell, b[i], memory_order_relaxed)',
                                                 '_explicit(cell, b[i], memory_order_acq_rel, memory_scope_device)')]
    where = {'global': 'cells + i', 'local': '&here', 'generic': '(i & 1 ? (atomic_T *)(cells + i) : (atomic_T *)&here)'}[space]
    body = ''.join(f'atomic_store(cell, a[i]); old[{n * len(pairs)} + i] = {call}; left[{n * len(pairs)} + i] = atomic_load(cell);\n'
                   for n, call in enumerate(calls))
    qualifier = '' if space == 'generic' else space
    program = cl.Program(context, PRAGMA + f'''
        kernel void k(global T *a, global T *b, global T *old, global T *left, global atomic_T *cells) {{
            local atomic_T here; size_t i = get_global_id(0); volatile {qualifier} atomic_T *cell = {where};
            {body} }}'''.replace('atomic_T', 'atomic_' + name).replace(' T ', f' {name} ')).build(['-cl-std=CL3.0'])
    old = numpy.full(len(calls) * len(pairs), 77, dtype)
    left = old.copy()
    a, b = pairs[:, 0].copy(), pairs[:, 1].copy()
    buffers = [buffer(array) for array in (a, b, old, left, numpy.zeros_like(a))]
    cl.Kernel(program, 'k')(queue, a.shape, (1,), *buffers)
    cl.enqueue_copy(queue, old, buffers[2])
    cl.enqueue_copy(queue, left, buffers[3])
    wrong = []
    for n, call in enumerate(calls):
        part, function = slice(n * len(pairs), (n + 1) * len(pairs)), list(operations.values())[n // 3]
        wanted = numpy.array([function(x, y) for x, y in pairs], dtype)
        if not (numpy.array_equal(old[part], a) and numpy.array_equal(left[part], wanted, equal_nan=True)):
            wrong.append(call)
    yield f'{len(calls)} functions of {name} in {space} memory', not wrong, wrong


def sums(name, dtype):
    """All work-items of several groups add to one cell, and to one for each group."""
    program = cl.Program(context, f'''
        kernel void k(global atomic_{name} *sum, global {name} *groups) {{
            local atomic_{name} part;
            if (get_local_id(0) == 0) atomic_store(&part, 0);
            barrier(CLK_LOCAL_MEM_FENCE);
            atomic_fetch_add(&part, get_local_id(0));
            atomic_fetch_add_explicit(sum, get_global_id(0), memory_order_relaxed, memory_scope_device);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (get_local_id(0) == 0) groups[get_group_id(0)] = atomic_load(&part); }}''').build(['-cl-std=CL3.0'])
    total, groups = numpy.zeros(1, dtype), numpy.zeros(8, dtype)
    buffers = [buffer(total), buffer(groups)]
    cl.Kernel(program, 'k')(queue, (256,), (32,), *buffers)
    cl.enqueue_copy(queue, total, buffers[0])
    cl.enqueue_copy(queue, groups, buffers[1])
    yield f'sums of {name}', total[0] == 255 * 128 and (groups == 31 * 16).all(), (total, groups)


def run():
    for name, (query, wanted) in QUERIES.items():
        yield f'capabilities of {name}', ask(query) == wanted, hex(ask(query))
    text = ''.join(f'#ifndef {name}\n#error {name}\n#endif\n' for name in ['cl_ext_float_atomics'] + MACROS)
    cl.Program(context, text + 'kernel void k() {}').build(['-cl-std=CL3.0'])
    yield 'macros', True, ''
    for name, (code, _) in TYPES.items():
        for space in 'global', 'local', 'generic':
            yield from values(name, numpy.dtype(code), space)
    for name in 'float', 'double':
        yield from sums(name, numpy.dtype(TYPES[name][0]))


each_engine(run)
