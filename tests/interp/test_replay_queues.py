#!/usr/bin/python3
"""Kernels of several queues and devices at the same time: the same seed gives the same trace, byte by byte,
whatever the delays between the host's calls; another seed gives another one."""
import os
import subprocess
import sys
import tempfile
import time

try:
    import numpy
    import pyopencl as cl
except ImportError:
    print('1..0 # SKIP no pyopencl')
    sys.exit(0)

REFCL = os.environ.get('REFCL', os.environ.get('BUILD', 'build') + '/refcl')
SOURCE = '''kernel void k(global volatile int *a, int n) {
  size_t i = get_global_id(0);
  for (int j = 0; j < n; j++) atomic_add(&a[i % 4], 1);
  a[8 + i % 8] += 1;
}'''


def program(pause):
    devices = cl.get_platforms()[0].get_devices()
    assert len(devices) == 2
    context = cl.Context(devices)
    orders = (0, cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    queues = [cl.CommandQueue(context, d, properties=p) for d in devices for p in orders]
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffers = [cl.Buffer(context, flags, hostbuf=numpy.zeros(64, 'i4')) for _ in range(2)]
    made = cl.Program(context, SOURCE).build()
    for turn in range(3):
        for n, queue in enumerate(queues):
            kernel = cl.Kernel(made, 'k')
            kernel.set_args(buffers[(n + turn) % 2], numpy.int32(n + 1))
            cl.enqueue_nd_range_kernel(queue, kernel, (16,), (8,))
            time.sleep(pause)
        for queue in queues:
            queue.flush()
        queues[turn].finish()
    for queue in queues:
        queue.finish()


def main():
    number = 0
    with tempfile.TemporaryDirectory() as folder:
        def trace(name, schedule, seed, pause=0.0):
            path = f'{folder}/{name}'
            env = dict(os.environ, REFCL_DEVICES='2', PYOPENCL_NO_CACHE='1', PYTHONDONTWRITEBYTECODE='1',
                       REFCL_QUEUE_PATIENCE='3000')  # whatever the delay
            subprocess.run([REFCL, 'run', '-q', '--schedule', schedule, '--seed', str(seed), '-t', path, '--', '/usr/bin/python3',
                            os.path.abspath(__file__), str(pause)], env=env, capture_output=True)
            with open(path, 'rb') as file:
                return file.read()
        for schedule in ('sequential', 'random', 'fair'):
            first = trace('a', schedule, 5)
            number += 1
            same = len(first) > 1000 and first == trace('b', schedule, 5) == trace('c', schedule, 5, 0.005)
            print(f'{"ok" if same else "not ok"} {number} - schedule {schedule}, seed 5: the same trace')
            number += 1
            other = first != trace('b', schedule, 6)
            print(f'{"ok" if other else "not ok"} {number} - schedule {schedule}, seeds 5 and 6: not the same trace')
    print(f'1..{number}')


if __name__ == '__main__':
    program(float(sys.argv[1])) if len(sys.argv) > 1 else main()
