#!/usr/bin/python3
"""Texels of 2D images in kernels: decoding by reads, encoding by writes and coordinates of samplers, against
a model in Python, in the formats for which compiled code has a fast path, and in others [CL 5.3.1,
CLC 8.2, 8.3].  In a work-item with few accesses compiled code inlines the fast path, in one with many it calls it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from engines import each_engine  # noqa: E402
from opencl import cl, context, numpy, queue  # noqa: E402

W, H = 7, 5
ORDER, TYPE = cl.channel_order, cl.channel_type
# Per type: the storage of a channel, and which function reads it.
TYPES = {'UNORM_INT8': ('u1', 'f'), 'SNORM_INT8': ('i1', 'f'), 'UNORM_INT16': ('u2', 'f'), 'FLOAT': ('f4', 'f'), 'HALF_FLOAT': ('f2', 'f'),
         'UNSIGNED_INT8': ('u1', 'ui'), 'SIGNED_INT8': ('i1', 'i'), 'UNSIGNED_INT16': ('u2', 'ui'), 'UNSIGNED_INT32': ('u4', 'ui'),
         'SIGNED_INT32': ('i4', 'i')}
ORDERS = {'RGBA': [0, 1, 2, 3], 'BGRA': [2, 1, 0, 3], 'R': [0], 'RG': [0, 1]}
SCALES = {'UNORM_INT8': 255, 'SNORM_INT8': 127, 'UNORM_INT16': 65535}
OF_TEXEL = {'f': ('float4', 'f4'), 'i': ('int4', 'i4'), 'ui': ('uint4', 'u4')}
FLOATS = [0, -0.0, 1, 0.5, -1, 2, 0.1, 1 / 255 * 2.5, 1 / 255 * 3.5, 1e30, -1e30, float('nan'), float('inf'), -float('inf'), 0.998, 0.00001]


def formats():
    known = {(f.channel_order, f.channel_data_type)
             for f in cl.get_supported_image_formats(context, cl.mem_flags.READ_WRITE, cl.mem_object_type.IMAGE2D)}
    for order in ORDERS:
        for type_ in TYPES:
            if (getattr(ORDER, order), getattr(TYPE, type_)) in known:
                yield order, type_


def stored_bytes(order, type_):
    storage = numpy.dtype(TYPES[type_][0])
    random = numpy.random.default_rng(5).integers(0, 256, W * H * len(ORDERS[order]) * storage.itemsize, 'u1').view(storage)
    random = random.reshape(H, W, len(ORDERS[order])).copy()
    if storage.kind == 'f':
        random[...] = numpy.linspace(-3, 4, random.size).reshape(random.shape)
    return random


def decode(order, type_, stored):
    """H x W x 4, as read_image returns it."""
    kind = OF_TEXEL[TYPES[type_][1]][1]
    texels = numpy.zeros((H, W, 4), kind)
    texels[..., 3] = 1
    values = stored.astype('f4') if kind == 'f4' else stored.astype(kind)
    if type_ in SCALES:
        values = numpy.maximum(values / numpy.float32(SCALES[type_]), numpy.float32(-1))
    for channel, place in enumerate(ORDERS[order]):
        texels[..., place] = values[..., channel]
    return texels


def encode(order, type_, texels):
    storage = numpy.dtype(TYPES[type_][0])
    values = texels[..., ORDERS[order]]
    if storage.kind == 'f':
        with numpy.errstate(over='ignore'):
            return values.astype(storage)
    if type_ in SCALES:
        with numpy.errstate(over='ignore', invalid='ignore'):
            values = numpy.rint(values * numpy.float32(SCALES[type_]))
        values = numpy.where(numpy.isnan(values), 0, values)
    limits = numpy.iinfo(storage)
    return numpy.clip(values.astype('f8') if type_ in SCALES else values, limits.min, limits.max).astype(storage)


def image_of(order, type_, stored):
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    return cl.Image(context, flags, cl.ImageFormat(getattr(ORDER, order), getattr(TYPE, type_)), shape=(W, H), hostbuf=stored)


def equal(a, b):
    return ((a == b) | ((a != a) & (b != b))).all()


def build(text):
    return cl.Program(context, text).build('-cl-std=CL3.0')


def reads_and_writes(count):
    """Each work-item reads and writes the given number of texels."""
    for order, type_ in formats():
        function = TYPES[type_][1]
        texel, kind = OF_TEXEL[function]
        program = build(f'''kernel void k(read_only image2d_t from, write_only image2d_t to, global {texel} *o, global {texel} *in) {{
            int n = get_global_id(0) * {count}, w = get_image_width(from); int2 at;
            {f'at = (int2)(n % w, n / w); o[n] = read_image{function}(from, at); write_image{function}(to, at, in[n++]);' * count} }}''')
        stored = stored_bytes(order, type_)
        given = numpy.resize(numpy.array(FLOATS, 'f4'), W * H * 4) if kind == 'f4' else \
            numpy.resize(numpy.array([0, 1, 127, 128, 255, 256, 65536, 1 << 31, (1 << 32) - 1, (1 << 32) - 128, 77], 'u4'), W * H * 4).view(kind)
        got, written = numpy.zeros((H, W, 4), kind), numpy.zeros_like(stored)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        o, values = cl.Buffer(context, flags, hostbuf=got), cl.Buffer(context, flags, hostbuf=given)
        to = image_of(order, type_, numpy.zeros_like(stored))
        program.k(queue, (W * H // count,), None, image_of(order, type_, stored), to, o, values)
        cl.enqueue_copy(queue, got, o)
        cl.enqueue_copy(queue, written, to, origin=(0, 0), region=(W, H))
        wanted = decode(order, type_, stored)
        name = f'{order} {type_}, {count} of a work-item'
        yield f'{name}, is read', equal(got, wanted), f'{got.tolist()} instead of {wanted.tolist()}'
        wanted = encode(order, type_, given.reshape(H, W, 4))
        yield f'{name}, is written', equal(written, wanted), f'{written.tolist()} instead of {wanted.tolist()}'


def addressed(mode, i, size):
    if mode == 'REPEAT':
        return i + size if i < 0 else i - size if i > size - 1 else i
    return i if mode == 'CLAMP' else min(max(i, 0), size - 1)


def texel_at(texels, mode, x, y, border):
    x, y = addressed(mode, x, W), addressed(mode, y, H)
    return texels[y, x] if 0 <= x < W and 0 <= y < H else border


def unnormalized(mode, normalized, c, size):
    single = numpy.float32
    c, size = single(c), single(size)
    if mode == 'REPEAT':
        return (c - numpy.floor(c)) * size
    if mode == 'MIRRORED_REPEAT':
        return numpy.abs(c - single(2) * numpy.rint(single(0.5) * c)) * size
    return c * size if normalized else c


def sampled(texels, mode, normalized, linear, c, border):
    single = numpy.float32
    u, v = (unnormalized(mode, normalized, c[k], n) for k, n in ((0, W), (1, H)))
    if not linear:
        return texel_at(texels, mode, int(numpy.floor(u)), int(numpy.floor(v)), border)
    u, v = u - single(0.5), v - single(0.5)
    x, y, total = int(numpy.floor(u)), int(numpy.floor(v)), numpy.zeros(4, 'f8')
    fx, fy = float(u - numpy.floor(u)), float(v - numpy.floor(v))
    for corner in range(4):
        weight = (fx if corner & 1 else 1 - fx) * (fy if corner & 2 else 1 - fy)
        total += weight * texel_at(texels, mode, x + (corner & 1), y + (corner >> 1), border).astype('f8')
    return total.astype('f4')


def sampling_program(function, texel, count, sampler=None):
    """SAMPLER: the properties of a literal sampler; None: the sampler is an argument."""
    literal, argument = (f'constant sampler_t s = {sampler};', '') if sampler else ('', ', sampler_t s')
    return build(f'''{literal} kernel void k(read_only image2d_t from, global {texel} *o, global float2 *at{argument}) {{ int i = get_global_id(0) * {count};
        {f'o[2 * i] = read_image{function}(from, s, at[i]); o[2 * i + 1] = read_image{function}(from, s, convert_int2(at[i])); i++;' * count} }}''')


def samplers(count, arguments=False):
    """Each work-item samples at the given number of points.  With ARGUMENTS, one kernel has images of all
    formats and samplers as arguments."""
    programs = {}
    points = numpy.array([(x, y) for x in (-1.5, -0.2, 0, 0.49, 1.5, 2.75, 6.5, 6.99, 7, 9.3) for y in (-0.6, 0.5, 1.3, 4.5, 4.8, 5.2)], 'f4')
    for order, type_ in ('RGBA', 'UNORM_INT8'), ('BGRA', 'UNORM_INT8'), ('R', 'FLOAT'), ('RGBA', 'FLOAT'), ('RGBA', 'UNORM_INT16'), ('RGBA', 'UNSIGNED_INT8'):
        function = TYPES[type_][1]
        texel, kind = OF_TEXEL[function]
        stored = stored_bytes(order, type_)
        texels, image = decode(order, type_, stored), image_of(order, type_, stored)
        border = numpy.array([0, 0, 0, 0 if len(ORDERS[order]) == 4 else 1], kind)
        for mode in 'CLAMP', 'CLAMP_TO_EDGE', 'REPEAT', 'MIRRORED_REPEAT':
            for normalized in (True,) if 'REPEAT' in mode else (False, True):
                for linear in (False, True) if kind == 'f4' else (False,):
                    name = f'{order} {type_}, {mode}{", normalized" if normalized else ""}{", linear" if linear else ""}, {count} of a work-item{", as arguments" if arguments else ""}'
                    sampler = []
                    if arguments:
                        if function not in programs:
                            programs[function] = sampling_program(function, texel, count)
                        program = programs[function]
                        filter_ = cl.filter_mode.LINEAR if linear else cl.filter_mode.NEAREST
                        sampler = [cl.Sampler(context, normalized, getattr(cl.addressing_mode, mode), filter_)]
                    else:
                        literal = f'CLK_ADDRESS_{mode} | CLK_NORMALIZED_COORDS_{str(normalized).upper()} | CLK_FILTER_{"LINEAR" if linear else "NEAREST"}'
                        program = sampling_program(function, texel, count, literal)
                    at = points / numpy.array([W, H], 'f4') if normalized else points
                    got = numpy.zeros((len(at), 2, 4), kind)
                    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
                    o, places = cl.Buffer(context, flags, hostbuf=got), cl.Buffer(context, flags, hostbuf=at)
                    program.k(queue, (len(at) // count,), None, image, o, places, *sampler)
                    cl.enqueue_copy(queue, got, o)
                    wanted = numpy.array([sampled(texels, mode, normalized, linear, c, border) for c in at], kind)
                    yield name, equal(got[:, 0], wanted), f'{got[:, 0].tolist()} instead of {wanted.tolist()}'
                    wanted = numpy.array([texel_at(texels, mode, int(c[0]), int(c[1]), border) for c in at], kind)
                    yield name + ', integer coordinates', equal(got[:, 1], wanted), f'{got[:, 1].tolist()} instead of {wanted.tolist()}'


def queries():
    program = build('''kernel void k(read_only image2d_t a, read_only image2d_array_t b, read_only image1d_t c, read_only image1d_array_t d,
        read_only image3d_t e, global uint *o) { int n = 0;
        o[n++] = get_image_width(a); o[n++] = get_image_height(a); int2 s = get_image_dim(a); o[n++] = s.x * 100 + s.y;
        o[n++] = get_image_width(b); o[n++] = get_image_height(b); o[n++] = get_image_array_size(b);
        o[n++] = get_image_width(c); o[n++] = get_image_width(d); o[n++] = get_image_array_size(d);
        o[n++] = get_image_width(e); o[n++] = get_image_height(e); o[n++] = get_image_depth(e);
        o[n++] = get_image_channel_order(a) == CLK_RGBA; o[n++] = get_image_channel_data_type(a) == CLK_UNSIGNED_INT8; }''')
    format_ = cl.ImageFormat(ORDER.RGBA, TYPE.UNSIGNED_INT8)

    def image(*shape, is_array=False):
        return cl.Image(context, cl.mem_flags.READ_ONLY, format_, shape=shape, is_array=is_array)
    got = numpy.zeros(14, 'u4')
    o = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=got)
    program.k(queue, (1,), None, image(3, 5), image(4, 6, 9, is_array=True), image(11),
              image(12, 8, is_array=True), image(2, 7, 10), o)
    cl.enqueue_copy(queue, got, o)
    # pyopencl gives 1D arrays one layer.
    yield 'sizes', got.tolist() == [3, 5, 305, 4, 6, 9, 11, 12, 1, 2, 7, 10, 1, 1], got.tolist()


def tests():
    for texels, points in (1, 1), (W * H, 10):
        yield from reads_and_writes(texels)
        yield from samplers(points)
    yield from samplers(1, arguments=True)
    yield from queries()


each_engine(tests)
