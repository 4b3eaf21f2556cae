#!/usr/bin/python3
"""Ids and sizes of work-items, groups and the launch, with smaller last groups, in one to three dimensions
[CLC 6.15.1]."""
import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from engines import each_engine  # noqa: E402
from opencl import cl, context, numpy, queue  # noqa: E402

LAUNCHES = [((20,), (8,), (0,)), ((7,), (9,), (3,)), ((20, 7), (8, 4), (5, 1)), ((9, 5, 3), (4, 2, 2), (5, 1, 2)),
            ((8, 4, 2), (4, 4, 1), (0, 0, 9))]
SIZED = ['get_global_id', 'get_global_size', 'get_global_offset', 'get_local_id', 'get_local_size', 'get_enqueued_local_size',
         'get_group_id', 'get_num_groups']
WHOLE = ['get_work_dim()', 'get_global_linear_id()', 'get_local_linear_id()']
CALLS = [f'{name}({d})' for name in SIZED for d in range(3)] + WHOLE


def wanted(size, local, offset, at):
    """The values of CALLS for the work-item AT, which is counted without the offset."""
    dimensions = len(size)
    size, local, offset = (tuple(given) + (rest,) * (3 - dimensions) for given, rest in ((size, 1), (local, 1), (offset, 0)))
    group = [at[d] // local[d] for d in range(3)]
    here = [min(local[d], size[d] - group[d] * local[d]) for d in range(3)]
    inside = [at[d] % local[d] for d in range(3)]
    lists = {'get_global_id': [at[d] + offset[d] for d in range(3)], 'get_global_size': size, 'get_global_offset': offset,
             'get_local_id': inside, 'get_local_size': here, 'get_enqueued_local_size': local, 'get_group_id': group,
             'get_num_groups': [-(-size[d] // local[d]) for d in range(3)]}
    return [lists[name][d] for name in SIZED for d in range(3)] + [
        dimensions, (at[2] * size[1] + at[1]) * size[0] + at[0], (inside[2] * here[1] + inside[1]) * here[0] + inside[0]]


def run():
    body = ''.join(f'o[{n}] = {call}; ' for n, call in enumerate(CALLS))
    program = cl.Program(context, f'''kernel void k(global ulong *all) {{
        global ulong *o = all + get_global_linear_id() * {len(CALLS)}; {body} }}''').build(['-cl-std=CL3.0'])
    for size, local, offset in LAUNCHES:
        items = int(numpy.prod(size))
        out = numpy.zeros((items, len(CALLS)), 'u8')
        buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, out.nbytes)
        cl.Kernel(program, 'k')(queue, size, local, buffer, global_offset=offset)
        cl.enqueue_copy(queue, out, buffer)
        wrong = set()
        for n, place in enumerate(itertools.product(*(range(s) for s in reversed(size)))):
            at = tuple(reversed(place)) + (0,) * (3 - len(size))
            want = wanted(size, local, offset, at)
            wrong |= {f'{call} is {found}, not {value}' for call, found, value in zip(CALLS, out[n], want) if found != value}
        yield f'{items} work-items in groups of {local}', not wrong, sorted(wrong)[:5]


each_engine(run)
