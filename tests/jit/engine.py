"""Runs the cases (module.NAME, default cases.CASES) with the engine that REFCL_ENGINE names, and writes their
final buffers to FILE.  engine.py FILE [module]"""
import importlib
import os
import pickle
import sys
import zlib

import numpy
import pyopencl as cl

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
import sample


def numbers(spec, seed):
    _, dtype, count, low, high = spec
    random = numpy.random.default_rng(seed)
    kind = numpy.dtype(dtype)
    if kind.kind == 'f':
        values = random.uniform(low, high, count).astype(kind)
        values[:4] = [0, low, high, 1]
        return values
    info = numpy.iinfo(kind)
    values = random.integers(info.min if low is None else low, info.max if high is None else high, count, dtype=kind, endpoint=True)
    if low is None:
        values[:8] = numpy.array([0, 1, 2, 3, info.max, info.min, info.max - 1, 7], dtype=kind)
        values[-8:-2] = numpy.array([info.max if info.min == 0 else -1] * 6).astype(kind)
    return values


def image(context, spec, name):
    _, dtype, width, height = spec
    data = numbers((None, dtype, width * height * 4, -99, 99), zlib.crc32(name.encode()))
    kind = cl.channel_type.FLOAT if dtype == 'f4' else cl.channel_type.SIGNED_INT32
    flags = (cl.mem_flags.READ_ONLY if spec[0] == 'image' else cl.mem_flags.WRITE_ONLY) | cl.mem_flags.COPY_HOST_PTR
    return cl.Image(context, flags, cl.ImageFormat(cl.channel_order.RGBA, kind), (width, height), hostbuf=data)


def each(case):
    """The launches of a case: one for each number of ('each', dtype, numbers)."""
    launches = max([len(spec[2]) for spec in case[4] if spec[0] == 'each'] or [1])
    for n in range(launches):
        yield case[:4] + ([('value', spec[1], spec[2][n]) if spec[0] == 'each' else spec for spec in case[4]],) + case[5:]


def launch(context, queue, case, kernel):
    name, _, size, local, specs, *offset = case
    buffers, arguments, images = [], [], []
    for n, spec in enumerate(specs):
        if spec[0] == 'local':
            arguments.append(cl.LocalMemory(spec[1]))
        elif spec[0] == 'value':
            arguments.append(numpy.dtype(spec[1]).type(spec[2]))
        elif spec[0] == 'bytes':
            arguments.append(numpy.frombuffer(spec[1], dtype='u1'))
        elif spec[0] == 'sampler':
            arguments.append(cl.Sampler(context, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST))
        elif spec[0] == 'pipe':
            arguments.append(cl.Pipe(context, cl.mem_flags.READ_WRITE | cl.mem_flags.HOST_NO_ACCESS, spec[1], spec[2]))
        elif spec[0] in ('image', 'target'):
            arguments.append(image(context, spec, f'{name} {n}'))
            images.append((spec, arguments[-1]))
        else:
            data = numbers(spec, zlib.crc32(f'{name} {n}'.encode())) if spec[0] == 'in' else numpy.zeros(spec[2], spec[1])
            buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=data)
            buffers.append((spec, buffer, data))
            arguments.append(buffer)
    for n, argument in enumerate(arguments):
        kernel.set_arg(n, argument)
    cl.enqueue_nd_range_kernel(queue, kernel, size, local, *offset)
    results = []
    for spec, buffer, data in buffers:
        cl.enqueue_copy(queue, data, buffer)
        results.append(data)
    for spec, made in images:
        data = numpy.zeros((spec[3], spec[2], 4), spec[1])
        cl.enqueue_copy(queue, data, made, origin=(0, 0), region=(spec[2], spec[3]))
        results.append(data.reshape(-1))
    queue.finish()
    return results


def main():
    module = importlib.import_module(sys.argv[2] if len(sys.argv) > 2 else 'cases')
    device = [d for p in cl.get_platforms() for d in p.get_devices()][0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    bits = cl.command_queue_properties
    on_device = cl.CommandQueue(context, properties=[cl.queue_properties.PROPERTIES, bits.ON_DEVICE | bits.ON_DEVICE_DEFAULT |
                                                     bits.OUT_OF_ORDER_EXEC_MODE_ENABLE])  # noqa: F841
    results = {}
    for case in module.CASES:
        if hasattr(module, 'COSTS') and not sample.is_chosen(case[0], module.COSTS):
            continue
        try:
            program = cl.Program(context, case[1]).build(options=['-cl-std=CL3.0'])
            sys.stderr.write(f'case {case[0]}\n')
            sys.stderr.flush()
            kernel = cl.Kernel(program, 'k')
            results[case[0]] = [data for one in each(case) for data in launch(context, queue, one, kernel)]
        except cl.Error as error:
            results[case[0]] = str(error)
    with open(sys.argv[1], 'wb') as file:
        pickle.dump(results, file)


if __name__ == '__main__':
    main()
