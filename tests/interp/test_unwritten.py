#!/usr/bin/python3
"""`refcl run --check uninitialized` finds reads of buffers that were never written, wholly or in part, and
none of memory that the host wrote, filled, mapped or copied."""
import os
import subprocess
import sys

try:
    import numpy
    import pyopencl as cl
except ImportError:
    print('1..0 # SKIP no pyopencl')
    sys.exit(0)

SOURCE = '''kernel void k(global int *a, global int *b) {
  size_t i = get_global_id(0);
  b[i] = 1;
  if (a[i] > 3) b[i] = 2;
}'''
CASES = [('nothing', 4), ('half', 2), ('written', 0), ('filled', 0), ('mapped', 0), ('copied', 0), ('part', 0), ('given', 0),
         ('kernel', 0)]


def program(case):
    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context)
    kernel = cl.Kernel(cl.Program(context, SOURCE).build(), 'k')
    host = numpy.zeros(16, 'i4')
    flags = cl.mem_flags.READ_WRITE
    a, b = cl.Buffer(context, flags, 64), cl.Buffer(context, flags, 64)
    if case == 'half':
        cl.enqueue_copy(queue, a, host[:2])
    elif case == 'written':
        cl.enqueue_copy(queue, a, host)
    elif case == 'filled':
        cl.enqueue_fill_buffer(queue, a, numpy.int32(1), 0, 64)
    elif case == 'mapped':
        view, _ = cl.enqueue_map_buffer(queue, a, cl.map_flags.WRITE, 0, (16,), 'i4')
        view[:] = 1
        del view
    elif case == 'copied':
        cl.enqueue_copy(queue, b, host)
        cl.enqueue_copy(queue, a, b)
    elif case == 'part':
        cl.enqueue_copy(queue, a, host[:4])
        a = a.get_sub_region(0, 16)
    elif case == 'given':
        a = cl.Buffer(context, flags | cl.mem_flags.COPY_HOST_PTR, hostbuf=host)
    elif case == 'kernel':
        cl.enqueue_copy(queue, b, host)
        kernel(queue, (4,), (4,), b, a)
    kernel(queue, (4,), (4,), a, b)
    queue.finish()


def main():
    refcl = os.environ.get('REFCL', os.environ.get('BUILD', 'build') + '/refcl')
    failed = False
    for number, (case, times) in enumerate(CASES, 1):
        done = subprocess.run([refcl, 'run', '--check', 'memory,uninitialized', '--', sys.executable, __file__, case],
                              capture_output=True, text=True, env=dict(os.environ, PYOPENCL_NO_CACHE='1'))
        seen = 'seen %d times' % times in done.stderr if times else 'no findings' in done.stderr
        good = seen and done.returncode == (1 if times else 0)
        failed |= not good
        print(f'{"ok" if good else "not ok"} {number} - {case}: {times} uses of values never given')
        if not good:
            print(''.join('# ' + line + '\n' for line in done.stderr.splitlines()[-12:]))
    print(f'1..{len(CASES)}')
    return failed


if __name__ == '__main__':
    sys.exit(program(sys.argv[1]) if len(sys.argv) > 1 else main())
