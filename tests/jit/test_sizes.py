#!/usr/bin/python3
"""A kernel in many local sizes: it is compiled a few times, once for any size, and work-items have the ids
and neighbors that the sizes imply."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from opencl import cl, context, numpy, queue  # noqa: E402
from tap import check, done  # noqa: E402

SIZES = [((12, 1, 1), (4, 1, 1)), ((30, 2, 1), (5, 1, 1)), ((9, 7, 1), (9, 7, 1)), ((10, 2, 2), (5, 2, 1)), ((12, 3, 1), (12, 1, 1)),
         ((13, 3, 2), (5, 2, 2)), ((64, 1, 1), (32, 1, 1)), ((1, 17, 1), (1, 5, 1)), ((200, 1, 1), (96, 1, 1)), ((7, 1, 1), (1, 1, 1)),
         ((256, 2, 1), (16, 2, 1)), ((300, 1, 1), (256, 1, 1))]
OFFSET = (3, 1, 2)
AT = 'ulong at = get_global_linear_id();'
IDS = ['get_global_id', 'get_local_id', 'get_group_id', 'get_local_size', 'get_enqueued_local_size', 'get_num_groups',
       'get_global_offset', 'get_global_size']
KERNELS = {  # stored at each work-item's global linear id
    'ids': f'kernel void ids(global uint *o) {{ {AT} for (uint d = 0; d < 3; d++) {{ '
           + ' '.join(f'o[at * 24 + {n} + d * {len(IDS)}] = {f}(d);' for n, f in enumerate(IDS)) + ' } }',
    'flat': 'kernel void flat(global uint *o) { uint w = get_global_size(0), h = get_global_size(1);\n'
            '  o[((get_global_id(2) - 2) * h + get_global_id(1) - 1) * w + get_global_id(0) - 3] = get_global_id(0) * 5 + get_global_id(1); }',
    'turned': f'kernel void turned(global uint *o) {{ {AT} local uint t[256]; uint l = get_local_linear_id(), mine = at * 3 + 1;\n'
              '  uint n = get_local_size(0) * get_local_size(1) * get_local_size(2); t[n - 1 - l] = at; barrier(CLK_LOCAL_MEM_FENCE);\n'
              '  uint other = t[l]; barrier(CLK_LOCAL_MEM_FENCE); t[l] = mine; barrier(CLK_LOCAL_MEM_FENCE);\n'
              '  o[at] = other * 1000 + t[(l + 1) % n] - mine; }',
    'waits': f'kernel void waits(global uint *o) {{ {AT} local atomic_uint turn; uint l = get_local_linear_id();\n'
             '  if (l == 0) atomic_store(&turn, 0); barrier(CLK_LOCAL_MEM_FENCE); while (atomic_load(&turn) != l) ;\n'
             '  o[at] = l + 1; atomic_store(&turn, l + 1); }'}


def geometry(size, local):
    """For each work-item in linear order: ids, local ids, group ids and the size of its work-group, by dimension."""
    items = []
    for z in range(size[2]):
        for y in range(size[1]):
            for x in range(size[0]):
                i = (x, y, z)
                group = tuple(i[d] // local[d] for d in range(3))
                own = tuple(min(local[d], size[d] - group[d] * local[d]) for d in range(3))
                items.append((i, tuple(i[d] % local[d] for d in range(3)), group, own))
    return items


def expected(name, size, local):
    items, result = geometry(size, local), []
    linear = {i: n for n, (i, *_) in enumerate(items)}
    for i, l, group, own in items:
        index, count = (l[2] * own[1] + l[1]) * own[0] + l[0], own[0] * own[1] * own[2]

        def peer(k):
            at = (k % own[0], k // own[0] % own[1], k // own[0] // own[1])
            return linear[tuple(group[d] * local[d] + at[d] for d in range(3))]
        if name == 'ids':
            for d in range(3):
                result += [i[d] + OFFSET[d], l[d], group[d], own[d], local[d], -(-size[d] // local[d]), OFFSET[d], size[d]]
        elif name == 'flat':
            result.append((i[0] + OFFSET[0]) * 5 + i[1] + OFFSET[1])
        elif name == 'turned':
            result.append((peer(count - 1 - index) * 1000 + 3 * peer((index + 1) % count) - 3 * peer(index)) % (1 << 32))
        else:
            result.append(index + 1)
    return numpy.array(result, 'u4')


def run():
    for name, source in KERNELS.items():
        program = cl.Program(context, source).build('-cl-std=CL3.0')
        for size, local in SIZES:
            want = expected(name, size, local)
            got = numpy.zeros_like(want)
            buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=got)
            getattr(program, name)(queue, size, local, buffer, global_offset=OFFSET)
            cl.enqueue_copy(queue, got, buffer)
            check(f'{name}, {size} in {local}', (got == want).all(), f'{got[got != want][:8]} instead of {want[got != want][:8]}')


LONG = """kernel void long_items(global uint *o, global volatile atomic_uint *begun) {
    uint at = get_global_linear_id(), x = at;
    for (uint k = 0; k < 400 + at % 7; k++)
        x = x * 1664525u + 1013904223u;
    atomic_fetch_add(&begun[at], 1u); o[at] = x + get_local_id(1); }"""


def run_long():
    """A launch moves to compiled code in the middle of a work-group: each work-item is executed once, in one
    engine."""
    program = cl.Program(context, LONG).build('-cl-std=CL3.0')
    for size, local in ((300, 1, 1), (300, 1, 1)), ((20, 6, 5), (10, 6, 5)), ((37, 3, 2), (16, 3, 2)):
        items = geometry(size, local)
        x = numpy.arange(len(items), dtype='u4')
        iterations = 400 + x % 7
        for k in range(406):
            x = numpy.where(k < iterations, x * numpy.uint32(1664525) + numpy.uint32(1013904223), x)
        want = x + numpy.array([l[1] for _, l, _, _ in items], 'u4')
        got, begun = numpy.zeros_like(want), numpy.zeros_like(want)
        buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=a) for a in (got, begun)]
        program.long_items(queue, size, local, *buffers)
        cl.enqueue_copy(queue, got, buffers[0])
        cl.enqueue_copy(queue, begun, buffers[1])
        check(f'{size} in {local}: results', (got == want).all(), f'{got[got != want][:8]} instead of {want[got != want][:8]}')
        check(f'{size} in {local}: each work-item once', (begun == 1).all(), begun)


EXCHANGE = """kernel void exchange(global const uint *x, global uint *z) {
    uint i = get_global_id(0), left = 2 * i - (i & PERIOD - 1);
    uint a = x[left], b = x[left + PERIOD];
    z[left] = min(a, b);
    z[left + PERIOD] = max(a, b); }"""


def run_periods():
    """Subscripts that restart at 0 after PERIOD work-items, in launches of parts of periods."""
    x = numpy.random.default_rng(5).integers(0, 1 << 30, 1 << 16, dtype='u4')
    for period in 16, 64, 128, 512, 1024:
        kernel = cl.Program(context, EXCHANGE).build(f'-cl-std=CL3.0 -DPERIOD={period}').exchange
        for size, local, offset in (16384, 64, 0), (16384, 64, 100), (16384, 128, 512), (16000, 64, 0), (17920, 256, 1), (5000, 192, 7):
            i = numpy.arange(offset, offset + size, dtype='u4')
            left = 2 * i - (i & (period - 1))
            want = numpy.zeros_like(x)
            want[left], want[left + period] = numpy.minimum(x[left], x[left + period]), numpy.maximum(x[left], x[left + period])
            got = numpy.zeros_like(x)
            buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=a) for a in (x, got)]
            kernel(queue, (size,), (local,), *buffers, global_offset=(offset,))
            cl.enqueue_copy(queue, got, buffers[1])
            check(f'period {period}, {size} in {local} from {offset}', (got == want).all(), numpy.flatnonzero(got != want)[:8])


def again(what, **environment):
    """Runs this program with the argument WHAT; returns its standard error, and repeats its checks here."""
    ran = subprocess.run([sys.executable, sys.argv[0], what], env={**os.environ, 'REFCL_DEBUG': 'jit', **environment},
                         capture_output=True, text=True, timeout=600)
    for line in ran.stdout.splitlines():
        if ' - ' in line:
            check(line.partition(' - ')[2], line.startswith('ok'), ran.stdout)
    check(f'{what}: ended', ran.returncode == 0, ran.stderr)
    return ran.stderr


def main():
    if len(sys.argv) > 1:
        {'run': run, 'periods': run_periods, 'long': run_long}[sys.argv[1]]()
        return done()
    notes = again('long', REFCL_PROMOTE='20000', REFCL_ENGINE='auto')
    check('the first work-group is continued in compiled code', 'continues in compiled code from work-item' in notes, notes)
    again('periods', REFCL_ENGINE='jit')
    notes = again('run', REFCL_ENGINE='jit')
    check('no launch is left to the interpreter', 'runs in the interpreter' not in notes, notes)
    for name in KERNELS:
        sizes = re.findall(rf'kernel {name}, local size (.*): compiled', notes)
        shared = [s for s in sizes if s.startswith('up to')]
        check(f'{name}: two sizes, then code for any', 0 < len(shared) <= 3 and len(sizes) - len(shared) == 2, sizes)
    return done()


sys.exit(main())
