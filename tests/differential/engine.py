"""Runs a file of generated kernels on the first device of the ICD that the environment names.
engine.py KERNELS RESULTS OPTIONS...: pickled list of (source, [names]) to pickled {name: buffers or an error}."""
import ctypes
import os
import pickle
import sys
import tempfile

import numpy
import pyopencl as cl

from kernels import COUNTERS, GROUP, ITEMS, LANES, SLOTS
from streams import PACKETS


def inputs():
    data = numpy.random.default_rng(7).integers(0, 2**32, 64, dtype='u4', endpoint=False)
    data[:8] = [0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 0x3f800000, 0x7fff7fff, 0x80ff01fe]
    return data


def texels():
    return numpy.random.RandomState(2).randint(0, 1 << 32, (8, 8, 4), 'u4')


class Text:
    """Output of printf: by work-item, in its order."""

    def __enter__(self):
        self.file, self.saved = tempfile.TemporaryFile(), os.dup(1)
        os.dup2(self.file.fileno(), 1)
        return self

    def __exit__(self, *_):
        ctypes.CDLL(None).fflush(None)
        os.dup2(self.saved, 1)
        os.close(self.saved)
        self.file.seek(0)
        lines = self.file.read().decode('latin-1').splitlines()
        self.lines = sorted(lines, key=lambda line: int('0' + line.split(' ')[0]))


def sent(array):
    """The packets in the array that represents a pipe: its first element counts them."""
    rows = array.reshape(-1, 2)
    return sorted(map(tuple, rows[1:1 + (int(rows[0][0]) & 0xffffffff)].tolist()))


def launch(context, queue, kernel, drain):
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    outputs = [numpy.zeros(ITEMS * SLOTS, 'u8'), numpy.zeros(ITEMS * LANES, 'f8'), numpy.zeros(8 + COUNTERS, 'i4')]
    outputs[2][1] = -1
    buffers = [cl.Buffer(context, flags, hostbuf=data) for data in [inputs()] + outputs]
    image = cl.Image(context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR,
                     cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT32), (8, 8), hostbuf=texels())
    packets = numpy.zeros(2 * (PACKETS + 1), 'u8')
    room = cl.Buffer(context, flags, hostbuf=packets)
    pipe = cl.Pipe(context, cl.mem_flags.READ_WRITE | cl.mem_flags.HOST_NO_ACCESS, 16, PACKETS) if drain else room
    with Text() as text:
        for n, argument in enumerate(buffers + [pipe, image]):
            kernel.set_arg(n, argument)
        cl.enqueue_nd_range_kernel(queue, kernel, (ITEMS,), (GROUP,))
        if drain:
            drain.set_args(pipe, room)
            cl.enqueue_nd_range_kernel(queue, drain, (ITEMS,), (GROUP,))
        for data, buffer in zip(outputs + [packets], buffers[1:] + [room]):
            cl.enqueue_copy(queue, data, buffer)
        queue.finish()
    return outputs + [sent(packets), text.lines]


def main():
    with open(sys.argv[1], 'rb') as file:
        programs = pickle.load(file)
    device = [d for p in cl.get_platforms() for d in p.get_devices()][0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    results = {}
    for source, names in programs:
        try:
            program = cl.Program(context, source).build(options=['-cl-std=CL3.0', '-w'] + sys.argv[3:])
        except cl.Error as error:
            results.update({name: str(error) for name in names})
            continue
        for name in names:
            sys.stderr.write(f'kernel {name}\n')
            sys.stderr.flush()
            try:
                drain = cl.Kernel(program, name + '_drain') if '-DREAL' in sys.argv else None
                results[name] = launch(context, queue, cl.Kernel(program, name), drain)
            except cl.Error as error:
                results[name] = str(error)
    with open(sys.argv[2] + '.part', 'wb') as file:
        pickle.dump(results, file)
    os.rename(sys.argv[2] + '.part', sys.argv[2])


if __name__ == '__main__':
    main()
