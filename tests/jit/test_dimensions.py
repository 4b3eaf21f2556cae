#!/usr/bin/python3
"""Kernels that traverse memory by columns: work-items are executed with the second dimension innermost.  Ids,
sizes and offsets are unchanged, also in incomplete work-groups; if the order can be observed, the first
dimension stays innermost."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from opencl import cl, context, numpy, queue  # noqa: E402
from optimized import compiled  # noqa: E402
from tap import check, done  # noqa: E402

IDS = """uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    uint w = get_global_size(0), h = get_global_size(1);"""
KERNELS = {
    'transposes': f'kernel void transposes(global const uint *a, global uint *o) {{ {IDS} o[x * h + y] = a[y * w + x]; }}',
    'columns': f'kernel void columns(global const uint *a, global uint *o) {{ {IDS} if (y > 0) o[x * h + y] = a[x * h + y] + a[x * h + y - 1]; }}',
    'rows': f'kernel void rows(global const uint *a, global uint *o) {{ {IDS} o[y * w + x] = a[y * w + x] + get_local_id(1); }}',
    'ids': f"""kernel void ids(global const uint *a, global uint *o) {{ {IDS}
        uint l = get_local_id(0) * 16 + get_local_id(1), g = get_group_id(0) * 64 + get_group_id(1);
        o[x * h + y] = l + g * 256 + (get_local_size(0) * 16 + get_local_size(1)) * 65536 * 16 + a[x * h + y] % 7; }}""",
    'loops': f"""kernel void loops(global const uint *a, global uint *o) {{ {IDS} uint r = 0;
        for (uint k = 0; k < (a[x * h + y] & 15); k++) r = r * 3 + a[(x * h + y + k * h) % (w * h)];
        o[x * h + y] = r; }}""",
    'far': f"""kernel void far(global const uint *a, global uint *o) {{ {IDS} o[x * h + y] = a[x * h + y] + 1;
        if (a[0] == ~0u) // never
            o[(((x * 0x7fffffffL + h) * 0x7ffffffdL + w) * 0x7ffffff1L + a[0]) * 0x7fffffe3L] = 1; }}""",
    'counts': f"""kernel void counts(global const uint *a, global uint *o) {{ {IDS}
        o[x * h + y] = atomic_inc((volatile global uint *)&a[w * h]); }}"""}
SIZES = [((64, 64), (16, 16)), ((40, 24), (8, 4)), ((37, 29), (16, 8)), ((64, 6), (16, 2)), ((48, 1), (16, 1))]
OFFSET = (3, 5)


def expected(name, a, size, local):
    (w, h), at = size, numpy.arange(size[0] * size[1], dtype='u4')
    x, y = at // h, at % h
    a = a[:w * h]
    if name == 'transposes':
        return a.reshape(h, w).T.reshape(-1)
    if name == 'columns':
        return numpy.where(y > 0, a + numpy.roll(a, 1), 0)
    if name == 'rows':
        return (a.reshape(h, w) + numpy.arange(h, dtype='u4')[:, None] % local[1]).reshape(-1)
    if name == 'far':
        return a + 1
    if name == 'ids':
        gx, gy = x // local[0], y // local[1]
        own = [numpy.minimum(local[d], size[d] - g * local[d]) for d, g in enumerate((gx, gy))]
        return x % local[0] * 16 + y % local[1] + (gx * 64 + gy) * 256 + (own[0] * 16 + own[1]) * 65536 * 16 + a % 7
    r = numpy.zeros(w * h, 'u4')
    for k in range(15):
        r = numpy.where(k < (a & 15), r * 3 + a[(at + k * h) % (w * h)], r)
    return r


def launch(name, source, size, local):
    count = size[0] * size[1]
    a = numpy.random.default_rng(count).integers(0, 1 << 24, count + 1, dtype='u4')
    a[count] = 0
    o = numpy.zeros(count, 'u4')
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffers = [cl.Buffer(context, flags, hostbuf=h) for h in (a, o)]
    kernel = getattr(cl.Program(context, source).build(['-cl-std=CL2.0']), name)
    kernel(queue, size, local, *buffers, global_offset=OFFSET)
    cl.enqueue_copy(queue, o, buffers[1])
    return a, o


def counts_by_rows(o, size, local):
    """Whether the work-items of each work-group have counted in the order of their local ids, the first
    dimension innermost."""
    counts = o.reshape(size).T
    return all((numpy.diff(counts[y:y + local[1], x:x + local[0]].reshape(-1).astype('i8')) > 0).all()
               for y in range(0, size[1], local[1]) for x in range(0, size[0], local[0]))


def main():
    if len(sys.argv) > 1:
        (w, h), local = SIZES[0]
        # LLVM forms vectors for strides of one element, too, if strides are not known.
        source = KERNELS[sys.argv[1]].replace('get_global_size(0)', str(w)).replace('get_global_size(1)', str(h))
        launch(sys.argv[1], source, (w, h), local)
        return 0
    for name in KERNELS:
        for size, local in SIZES:
            a, o = launch(name, KERNELS[name], size, local)
            if name == 'counts':
                check(f'{name} {size} {local}', sorted(o) == list(range(len(o))) and counts_by_rows(o, size, local), f'{o}')
            else:
                check(f'{name} {size} {local}', (o == expected(name, a, size, local)).all(), f'{o}')
    text = compiled('columns')
    check('columns: whole vectors are stored', re.search(r'store <[0-9]+ x i32>|masked.store.v[0-9]+i32', text) is not None, text)
    return done()


if os.environ.get('REFCL_ENGINE') != 'jit':
    os.execve(sys.executable, [sys.executable, *sys.argv], dict(os.environ, REFCL_ENGINE='jit'))
sys.exit(main())
