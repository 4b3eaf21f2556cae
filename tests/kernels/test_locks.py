#!/usr/bin/python3
"""Work-items that wait for each other: locks, contended or not, in work-groups of one work-item and of many;
chains of flags; values that work-items keep while others run. Every work-item that has begun makes progress
in refcl."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from engines import each_engine  # noqa: E402
from opencl import cl, context, numpy, queue  # noqa: E402

ITEMS = 32
ROUNDS = 8
LOCKS = {
    'ticket lock': '''
        uint mine = atomic_fetch_add_explicit(&words[0], 1u, memory_order_relaxed, memory_scope_device);
        while (atomic_load_explicit(&words[1], memory_order_acquire, memory_scope_device) != mine)
            ;
        CRITICAL
        atomic_store_explicit(&words[1], mine + 1, memory_order_release, memory_scope_device);''',
    'spin lock': '''
        while (atomic_exchange_explicit(&words[0], 1u, memory_order_acquire, memory_scope_device))
            ;
        CRITICAL
        atomic_store_explicit(&words[0], 0u, memory_order_release, memory_scope_device);''',
    'lock that is tried': '''
        for (bool done = false; !done;) {
            uint free = 0;
            if (atomic_compare_exchange_strong(&words[0], &free, 1u)) {
                CRITICAL
                done = true;
                atomic_store(&words[0], 0u);
            }
        }'''}
# The holder waits for a value until all others have queued up at the lock.
CRITICAL = {'short': 'data[0] += 1;',
            'with a loop': 'for (uint k = 0; k < 80; k++) { uint x = data[0]; data[0] = x + (k == 79); }',
            'until all have begun': 'data[0] += 1; while (atomic_load(&words[2]) < get_global_size(0)) ;'}


def run(source, local, word_count=4, items=ITEMS):
    """Final contents of DATA after the kernel k(words, data)."""
    program = cl.Program(context, source).build('-cl-std=CL3.0')
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    words = cl.Buffer(context, flags, hostbuf=numpy.zeros(word_count, 'u4'))
    result = numpy.zeros(items, 'u4')
    data = cl.Buffer(context, flags, hostbuf=result)
    program.k(queue, (items,), (local,), words, data)
    cl.enqueue_copy(queue, result, data)
    return result


def locks():
    for lock, taken in LOCKS.items():
        for critical, work in CRITICAL.items():
            source = f'''kernel void k(global volatile atomic_uint *words, global uint *data) {{
                atomic_fetch_add(&words[2], 1u);
                for (int i = 0; i < {ROUNDS}; i++) {{ {taken.replace("CRITICAL", work)} }} }}'''
            for local in 1, 8:
                count = int(run(source, local)[0])
                yield f'{lock}, critical section {critical}, work-groups of {local}', count == ITEMS * ROUNDS, count


CHAIN = '''kernel void k(global volatile atomic_uint *words, global uint *data) {
    uint i = get_global_id(0), n = get_global_size(0), before = ORDER;
    float f[4]; double d = i * 0.5; uint seen = 0;
    for (int k = 0; k < 4; k++) f[k] = i + k;
    while (atomic_load_explicit(&words[before + 1], memory_order_acquire, memory_scope_device) == 0)
        seen += (uint)f[seen & 3] - i == (seen & 3);
    data[i] = (before < n ? data[before] : 0) + i + (f[0] + f[3] == 2 * i + 3 && d * 2 == i && f[1] == i + 1);
    atomic_store_explicit(&words[i + 1], 1u, memory_order_release, memory_scope_device);
}'''


def chains():
    """Each work-item waits for its neighbor's flag, except the last or the first of all."""
    for name, order, begin in ('the one before', 'i - 1', 0), ('the one after', 'i + 1', ITEMS + 1):
        source = CHAIN.replace('ORDER', order)
        source = source.replace('while (', f'if (before + 1 == {begin}) atomic_store(&words[{begin}], 1u);\n    while (')
        ids = numpy.arange(ITEMS)
        sums = numpy.cumsum(ids + 1) if begin == 0 else numpy.cumsum((ids + 1)[::-1])[::-1]
        for local in 1, 8:
            got = run(source, local, ITEMS + 2)
            yield f'waits for {name}, work-groups of {local}', (got == sums).all(), f'{got} instead of {sums}'


def orders():
    """Store buffering with sequentially consistent fences and stores: one of the two sees the other."""
    for name, store in (('stores', 'atomic_store(&words[me], 1u);'),
                        ('fences', '''atomic_store_explicit(&words[me], 1u, memory_order_relaxed, memory_scope_device);
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);''')):
        source = f'''kernel void k(global volatile atomic_uint *words, global uint *data) {{
            uint me = get_global_id(0); {store}
            data[me] = atomic_load(&words[1 - me]); }}'''
        got = run(source, 1, items=2)
        yield f'sequentially consistent {name}', got.any(), got


def bins():
    """Enough work-items that several threads execute them, all of which change the same few cells."""
    source = """kernel void k(global volatile atomic_uint *words, global uint *data) {
        uint i = get_global_id(0);
        atomic_fetch_add_explicit(&words[i % 7], i & 3, memory_order_relaxed, memory_scope_device);
        data[i] = atomic_fetch_or(&words[7 + i % 5], 1u << i % 32); }"""
    items = 1 << 15
    program = cl.Program(context, source).build('-cl-std=CL3.0')
    words = numpy.zeros(12, 'u4')
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=words)
    data = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * items)
    program.k(queue, (items,), (16,), buffer, data)
    cl.enqueue_copy(queue, words, buffer)
    i = numpy.arange(items)
    sums = [int((i & 3)[i % 7 == cell].sum()) for cell in range(7)]
    yield 'cells that all work-items change', words.tolist() == sums + [(1 << 32) - 1] * 5, f'{words} instead of {sums}'


def tests():
    yield from bins()
    yield from locks()
    yield from chains()
    yield from orders()


each_engine(tests)
