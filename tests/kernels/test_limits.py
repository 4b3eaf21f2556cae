#!/usr/bin/python3
"""A kernel or an image reaches every limit that the device reports, and has right results [CL 4.2, table of
device queries]."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from opencl import cl, context, device, numpy, queue  # noqa: E402
from tap import check, done  # noqa: E402

MAX_GLOBAL_VARIABLE_SIZE, MAX_READ_WRITE_IMAGE_ARGS, MAX_NUM_SUB_GROUPS = 0x104D, 0x104C, 0x105C
MAX_PIPE_ARGS, PIPE_MAX_PACKET_SIZE = 0x1055, 0x1057
flags = cl.mem_flags
random = numpy.random.default_rng(1)


def launch(source, size, local, *arguments, name='k'):
    """Arrays are passed as buffers, and hold their final contents afterwards; bytes are passed as they
    are."""
    program = source if isinstance(source, cl.Program) else cl.Program(context, source).build(['-cl-std=CL3.0'])
    kernel = cl.Kernel(program, name)
    buffers = []
    for n, argument in enumerate(arguments):
        if isinstance(argument, numpy.ndarray):
            buffers.append((argument, cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=argument)))
            argument = buffers[-1][1]
        kernel.set_arg(n, argument)
    cl.enqueue_nd_range_kernel(queue, kernel, size, local)
    for array, buffer in buffers:
        cl.enqueue_copy(queue, array, buffer)
    queue.finish()


def numbers(count, dtype='u4'):
    return random.integers(0, numpy.iinfo(dtype).max, count, dtype=dtype)


def work_groups():
    most = device.max_work_group_size
    for dimension, items in enumerate(device.max_work_item_sizes):
        items = min(items, most)
        size = [1, 1, 1]
        size[dimension] = items
        out = numpy.zeros(items, 'u4')
        launch(f'''kernel void k(global uint *o) {{
            local uint l[{items}]; uint i = get_local_id({dimension}); l[i] = i; barrier(CLK_LOCAL_MEM_FENCE);
            o[i] = l[{items} - 1 - i]; }}''', tuple(size), tuple(size), out)
        check(f'{items} work-items in dimension {dimension} meet at a barrier', (out == numpy.arange(items)[::-1]).all())
    out = numpy.zeros(most, 'u4')
    launch('kernel void k(global uint *o) { o[get_global_id(0)] = get_num_sub_groups(); }', (most,), (most,), out)
    check('as many sub-groups as the device has at most', (out == device.get_info(MAX_NUM_SUB_GROUPS)).all(), out)


def local_memory():
    size = device.local_mem_size
    body = '''for (uint i = get_local_id(0); i < n; i += 16) l[i] = i * 3; barrier(CLK_LOCAL_MEM_FENCE);
              o[get_local_id(0)] = l[n - 1 - get_local_id(0)]; }'''
    want = (size // 4 - 1 - numpy.arange(16)) * 3
    out = numpy.zeros(16, 'u4')
    launch('kernel void k(global uint *o, local uint *l, uint n) {' + body, (16,), (16,), out, cl.LocalMemory(size),
           numpy.uint32(size // 4))
    check('all local memory as an argument', (out == want).all())
    out[:] = 0
    launch(f'kernel void k(global uint *o) {{ const uint n = {size // 4}; local uint l[{size // 4}];' + body, (16,), (16,), out)
    check('all local memory as a variable', (out == want).all())


def constants():
    data = numbers(device.max_constant_buffer_size // 4)
    out = numpy.zeros_like(data)
    launch('kernel void k(constant uint *c, global uint *o) { size_t i = get_global_id(0); o[i] = c[i]; }', data.shape, None,
           data, out)
    check('the largest constant buffer', (out == data).all())
    arrays = [numbers(1, 'u2').astype('u4') for _ in range(device.max_constant_args)]
    names = [f'c{n}' for n in range(len(arrays))]
    out = numpy.zeros(1, 'u4')
    launch(f'''kernel void k({", ".join("constant uint *" + name for name in names)}, global uint *o) {{
        o[0] = {" + ".join("*" + name for name in names)}; }}''', (1,), None, *arrays, out)
    check(f'{len(arrays)} constant arguments', out[0] == sum(int(array[0]) for array in arrays))


def parameters():
    room = device.max_parameter_size - 8
    values = numbers(room // 8, 'i8').view('u8')
    out = numpy.zeros(1, 'u8')
    names = [f'a{n}' for n in range(len(values))]
    launch(f'''kernel void k(global ulong *o, {", ".join("ulong " + name for name in names)}) {{
        o[0] = {" ^ ".join(names)}; }}''', (1,), None, out, *values)
    check(f'{len(values)} arguments of 8 bytes', out[0] == numpy.bitwise_xor.reduce(values))
    values = numbers(room // 4)
    out = numpy.zeros(1, 'u4')
    launch(f'''typedef struct {{ uint a[{len(values)}]; }} S; uint sum(S s) {{ uint t = 0;
        for (int i = 0; i < {len(values)}; i++) t += s.a[i]; return t; }}
        kernel void k(S s, global uint *o) {{ o[0] = sum(s); }}''', (1,), None, values.tobytes(), out)
    check(f'a structure of {room} bytes', int(out[0]) == int(values.astype('u8').sum()) % 2**32)


def program_scope():
    count = device.get_info(MAX_GLOBAL_VARIABLE_SIZE) // 4
    program = cl.Program(context, f'''global uint g[{count}];
        kernel void put(global uint *o) {{ size_t i = get_global_id(0); g[i] = 3 * i; }}
        kernel void get(global uint *o) {{ size_t i = get_global_id(0); o[i] = g[i]; }}''').build(['-cl-std=CL3.0'])
    out = numpy.zeros(count, 'u4')
    launch(program, (count,), None, out, name='put')
    launch(program, (count,), None, out, name='get')
    check('the largest program-scope variable', (out == numpy.arange(count, dtype='u4') * 3).all())


def image_arguments():
    form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT32)
    for access, count in (('read_only', device.max_read_image_args), ('write_only', device.max_write_image_args),
                          ('read_write', device.get_info(MAX_READ_WRITE_IMAGE_ARGS))):
        images = [cl.Image(context, flags.READ_WRITE | flags.COPY_HOST_PTR, form, (1, 1),
                           hostbuf=numpy.array([n, n + 1, 0, 0], 'u4')) for n in range(count)]
        body = ''
        for n in range(count):
            body += '' if access == 'write_only' else f's += read_imageui(i{n}, (int2)(0)).y;'
            body += '' if access == 'read_only' else f'write_imageui(i{n}, (int2)(0), (uint4)({5 * n}));'
        out = numpy.zeros(1, 'u4')
        launch(f'''kernel void k({", ".join(f"{access} image2d_t i{n}" for n in range(count))}, global uint *o) {{
            uint s = 0; {body} o[0] = s; }}''', (1,), None, *images, out)
        good = access == 'write_only' or out[0] == count * (count + 1) // 2
        for n, image in enumerate(images if access != 'read_only' else []):
            texel = numpy.zeros(4, 'u4')
            cl.enqueue_copy(queue, texel, image, origin=(0, 0), region=(1, 1))
            good = good and (texel == 5 * n).all()
        check(f'{count} images that are {access}', good)
    modes = [cl.addressing_mode.CLAMP, cl.addressing_mode.CLAMP_TO_EDGE]
    samplers = [cl.Sampler(context, False, modes[n % 2], cl.filter_mode.NEAREST) for n in range(device.max_samplers)]
    image = cl.Image(context, flags.READ_ONLY | flags.COPY_HOST_PTR, form, (1, 1), hostbuf=numpy.array([7, 7, 7, 7], 'u4'))
    out = numpy.zeros(len(samplers), 'u4')
    launch(f'''kernel void k(read_only image2d_t i, {", ".join(f"sampler_t s{n}" for n in range(len(samplers)))}, global uint *o) {{
        {"".join(f"o[{n}] = read_imageui(i, s{n}, (int2)(-1, 0)).x;" for n in range(len(samplers)))} }}''', (1,), None, image,
           *samplers, out)
    check(f'{len(samplers)} samplers', (out == numpy.arange(len(samplers)) % 2 * 7).all(), out)


def image_sizes():
    form = cl.ImageFormat(cl.channel_order.R, cl.channel_type.UNSIGNED_INT8)
    wide, high = device.image2d_max_width, device.image2d_max_height
    deep = [device.image3d_max_width, device.image3d_max_height, device.image3d_max_depth]
    shapes = [(wide, 2), (2, high)] + [tuple(deep[k] if k == n else 1 for k in range(3)) for n in range(3)]
    for shape in shapes:
        data = numbers(int(numpy.prod(shape)), 'u1')
        image = cl.Image(context, flags.READ_ONLY | flags.COPY_HOST_PTR, form, shape, hostbuf=data)
        out = numpy.zeros_like(data)
        kind, place = (('image2d_t', '(int2)(x, y)'), ('image3d_t', '(int4)(x, y, z, 0)'))[len(shape) - 2]
        launch(f'''kernel void k(read_only {kind} i, global uchar *o) {{
            size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
            o[(z * get_global_size(1) + y) * get_global_size(0) + x] = read_imageui(i, {place}).x; }}''', shape, None, image, out)
        check(f'an image of {" x ".join(map(str, shape))}', (out == data).all())


def pipes():
    words = device.get_info(PIPE_MAX_PACKET_SIZE) // 4
    program = cl.Program(context, f'''typedef struct {{ uint a[{words}]; }} P;
        kernel void put(write_only pipe P p, global P *x) {{ write_pipe(p, &x[get_global_id(0)]); }}
        kernel void get(read_only pipe P p, global P *x) {{ P t; read_pipe(p, &t); x[get_global_id(0)] = t; }}''')
    program.build(['-cl-std=CL3.0'])
    pipe = cl.Pipe(context, flags.READ_WRITE | flags.HOST_NO_ACCESS, 4 * words, 4)
    data = numbers(4 * words)
    out = numpy.zeros_like(data)
    launch(program, (4,), None, pipe, data, name='put')
    launch(program, (4,), None, pipe, out, name='get')
    check('the largest packets of a pipe', sorted(map(bytes, data.reshape(4, -1))) == sorted(map(bytes, out.reshape(4, -1))))
    count = device.get_info(MAX_PIPE_ARGS)
    program = cl.Program(context, f'''
        kernel void put({", ".join(f"write_only pipe int p{n}" for n in range(count))}) {{
            {"".join(f"int v{n} = {n}; write_pipe(p{n}, &v{n});" for n in range(count))} }}
        kernel void get({", ".join(f"read_only pipe int p{n}" for n in range(count))}, global int *o) {{
            {"".join(f"read_pipe(p{n}, o + {n});" for n in range(count))} }}''').build(['-cl-std=CL3.0'])
    made = [cl.Pipe(context, flags.READ_WRITE | flags.HOST_NO_ACCESS, 4, 1) for _ in range(count)]
    out = numpy.zeros(count, 'i4')
    launch(program, (1,), None, *made, name='put')
    launch(program, (1,), None, *made, out, name='get')
    check(f'{count} pipes', (out == numpy.arange(count)).all(), out)


def allocation():
    size = device.max_mem_alloc_size
    buffer = cl.Buffer(context, flags.READ_WRITE, size)
    launch('kernel void k(global uchar *b, ulong n) { b[n - 1] = 42; b[n / 2] = 41; }', (1,), None, buffer, numpy.uint64(size))
    out = numpy.zeros(1, 'u1')
    cl.enqueue_copy(queue, out, buffer, src_offset=size - 1)
    check('the largest buffer', out[0] == 42)


for part in (work_groups, local_memory, constants, parameters, program_scope, image_arguments, image_sizes, pipes, allocation):
    try:
        part()
    except cl.Error as error:
        check(part.__name__, False, str(error)[:1000])
sys.exit(done())
