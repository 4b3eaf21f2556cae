#!/usr/bin/python3
"""Work-items that wait for each other, in one thread: few work-groups are in progress at a time, but a
work-group that another one waits for begins."""
import os
import sys
import time

os.environ['REFCL_ENGINE'] = 'jit'
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from opencl import cl, context, numpy, queue  # noqa: E402
from tap import check, done  # noqa: E402

ITEMS, GROUP = 4096, 64
SOURCE = '''
kernel void together(global atomic_uint *turn, global uint2 *when) {
    size_t i = get_global_id(0);
    uint first = atomic_fetch_add(turn, 1u), others = sub_group_reduce_add(first);
    when[i] = (uint2)(first, atomic_fetch_add(turn, 1u) + (others == 0xffffffff)); }
kernel void loop(global atomic_uint *turn, global uint2 *when) {
    uint seen;
    if (get_global_id(0) == get_global_size(0) - 1)
        atomic_store(turn, 1u);
    do
        seen = sub_group_broadcast(atomic_load(turn), 0);
    while (seen == 0);
    when[get_global_id(0)] = (uint2)(seen, 1); }
kernel void spin(global atomic_uint *turn, global uint2 *when) {
    uint i = get_global_id(0), n = get_global_size(0);
    while (atomic_load(turn) != n - 1 - i) ;
    when[i] = (uint2)(i, 1);
    atomic_fetch_add(turn, 1u); }
kernel void count(global atomic_uint *turn, global uint2 *when) {
    uint n = 0;
    while (n < atomic_load(turn)) n++;
    when[get_global_id(0)] = (uint2)(n, 1); }
kernel void barriers(global atomic_uint *turn, global uint2 *when) {
    local uint seen;
    uint before = get_num_groups(0) - 1 - get_group_id(0);
    do {
        if (get_local_id(0) == 0)
            seen = atomic_load(turn);
        barrier(CLK_LOCAL_MEM_FENCE);
        when[get_global_id(0)].x = seen;
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (when[get_global_id(0)].x != before);
    if (get_local_id(0) == 0)
        atomic_fetch_add(turn, 1u);
    when[get_global_id(0)].y = 1; }
kernel void aliased(global atomic_uint *turn, global uint2 *when, global uint2 *same) {
    uint before = get_num_groups(0) - 1 - get_group_id(0);
    do {
        if (get_local_id(0) == 0)
            when[get_group_id(0) * get_local_size(0)].x = atomic_load(turn);
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (same[get_group_id(0) * get_local_size(0)].x == before)
            break;
        barrier(CLK_GLOBAL_MEM_FENCE);
    } while (1);
    if (get_local_id(0) == 0)
        atomic_fetch_add(turn, 1u);
    when[get_global_id(0)].y = 1; }
kernel void drawn(global atomic_uint *turn, global uint2 *when) {
    local uint at;
    for (;;) {
        if (get_local_id(0) == 0)
            at = atomic_fetch_add(turn, get_local_size(0));
        barrier(CLK_LOCAL_MEM_FENCE);
        uint i = at + get_local_id(0);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i >= get_global_size(0))
            break;
        when[i] = (uint2)(i, 1); } }
'''


def run(name, items, arguments=(0, 1)):
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    turn, when = numpy.zeros(1, 'u4'), numpy.zeros((items, 2), 'u4')
    buffers = [cl.Buffer(context, flags, hostbuf=a) for a in (turn, when)]
    cl.Kernel(program, name)(queue, (items,), (GROUP,), *[buffers[k] for k in arguments])
    cl.enqueue_copy(queue, when, buffers[1])
    return when


def time_to_count(items):
    """Each work-item loops for longer than its turn lasts, and none waits for another one."""
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    turn, when = cl.Buffer(context, flags, hostbuf=numpy.array([200], 'u4')), cl.Buffer(context, cl.mem_flags.READ_WRITE, size=8 * items)
    begin = time.process_time()
    cl.Kernel(program, 'count')(queue, (items,), (4,), turn, when)
    queue.finish()
    return time.process_time() - begin


def most_under_way(when):
    """Number of work-groups in progress at once: from the first of their work-items to the last."""
    groups = when.reshape(-1, GROUP * 2)
    changes = sorted([(first, 1) for first in groups.min(axis=1)] + [(last, -1) for last in groups.max(axis=1)])
    return max(numpy.cumsum([change for _, change in changes]))


program = cl.Program(context, SOURCE).build('-cl-std=CL3.0')
most = most_under_way(run('together', ITEMS))
check('few work-groups are in progress at a time', most <= 4, f'{most} of {ITEMS // GROUP}')
check('one that others wait for in a loop with sub-group functions begins', (run('loop', 1024)[:, 1] == 1).all())
check('one that others wait for in a loop begins', (run('spin', 256)[:, 1] == 1).all())
check('one that others wait for in a loop of barriers begins', (run('barriers', 256)[:, 1] == 1).all())
check('one that others wait for through two arguments for one buffer begins', (run('aliased', 256, (0, 1, 1))[:, 1] == 1).all())
time_to_count(64)
few, many = min(time_to_count(1024) for _ in range(3)), time_to_count(16384)
check('sixteen times the work-items in long loops take far less than 256 times as long', many < 64 * few, f'{few} s, {many} s')
check('work-groups that draw their work from a counter', (run('drawn', 1024)[:, 1] == 1).all())
sys.exit(done())
