#!/usr/bin/python3
"""Work-groups over threads: for any number of both, in launches that are short or long, and with contending
threads, each work-group is executed once, and all threads have ended when the launch has."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from opencl import cl, context, numpy, queue  # noqa: E402
from tap import check, done  # noqa: E402

SOURCE = """
uint turn(uint x, uint iterations) { for (uint k = 0; k < iterations; k++) x = x * 1664525u + 1013904223u; return x; }
kernel void alone(global uint *o, global uint *shared, uint iterations) {
    local uint t[4]; uint at = get_global_id(0), l = get_local_id(0);
    t[l] = at; barrier(CLK_LOCAL_MEM_FENCE);
    o[at] += turn(at, iterations) + t[3 - l] + 1; }
kernel void together(global uint *o, global uint *shared, uint iterations) {
    uint at = get_global_id(0);
    o[at] += turn(at, iterations) + work_group_reduce_add(at) / 2 - at + 1; }
kernel void contend(global uint *o, volatile global uint *shared, uint iterations) {
    uint at = get_global_id(0);
    o[at] += turn(at, iterations) + (at ^ 3) + 1;
    for (uint k = 0; k < 4; k++) atomic_add(&shared[k], at); }"""
GROUPS = [1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 511, 1000, 4097]
# Loop iterations of each launch: the duration that is expected by the launch before may be wrong; after contention, more
# launches than stay in one thread; in the last one threads end at very different times.
LAUNCHES = [0, 0, 2000, 0] + 36 * [1] + [5000]


def turned(items):
    """The sum over all launches of the result of turn, which is FACTOR * x + TERM."""
    factors = terms = 0
    for iterations in LAUNCHES:
        factor, term = 1, 0
        for _ in range(iterations):
            factor, term = factor * 1664525 % (1 << 32), (term * 1664525 + 1013904223) % (1 << 32)
        factors, terms = factors + factor, terms + term
    return items * numpy.uint32(factors % (1 << 32)) + numpy.uint32(terms % (1 << 32))


def threads():
    return len(os.listdir('/proc/self/task'))


def run(count):
    program = cl.Program(context, SOURCE).build('-cl-std=CL3.0')
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    nothing = cl.Buffer(context, cl.mem_flags.READ_WRITE, 16)
    program.alone(queue, (4,), (4,), nothing, nothing, numpy.uint32(0)).wait()
    before = threads()
    for name in 'alone', 'together', 'contend':
        kernel = cl.Kernel(program, name)
        for groups in GROUPS:
            items = numpy.arange(4 * groups, dtype='u4')
            got, sums = numpy.zeros_like(items), numpy.zeros(4, 'u4')
            o, shared = (cl.Buffer(context, flags, hostbuf=a) for a in (got, sums))
            for iterations in LAUNCHES:
                kernel(queue, (4 * groups,), (4,), o, shared, numpy.uint32(iterations))
            cl.enqueue_copy(queue, got, o)
            cl.enqueue_copy(queue, sums, shared)
            want = turned(items) + ((items ^ 3) + 1) * numpy.uint32(len(LAUNCHES))
            total = int(items.sum(dtype='u4')) * len(LAUNCHES) % (1 << 32) if name == 'contend' else 0
            check(f'{count} threads, {groups} work-groups, {name}', (got == want).all() and (sums == total).all(),
                  f'{got[got != want][:8]} instead of {want[got != want][:8]}; {sums}, not {total}')
    check(f'{count} threads: there are as many', threads() == before + count - 1, f'{before}, then {threads()}')


def main():
    if len(sys.argv) > 1:
        run(int(sys.argv[1]))
        return done()
    for count in 1, 2, 3, 8, 13:
        ran = subprocess.run([sys.executable, sys.argv[0], str(count)], capture_output=True, text=True, timeout=600,
                             env={**os.environ, 'REFCL_ENGINE': 'jit', 'REFCL_THREADS': str(count), 'REFCL_DEBUG': 'jit'})
        for line in ran.stdout.splitlines():
            if ' - ' in line:
                check(line.partition(' - ')[2], line.startswith('ok'), ran.stdout)
        check(f'{count} threads: ended', ran.returncode == 0, ran.stderr)
        check(f'{count} threads: compiled code', 'compiled' in ran.stderr or 'loaded' in ran.stderr, ran.stderr)
    return done()


sys.exit(main())
