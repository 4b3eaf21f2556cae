#!/usr/bin/python3
"""Accesses to texels in compiled code against the interpreter's: every format and kind of image, reads at random coordinates with
all samplers, writes of random texels, read-write images, halves, bit by bit (any NaN equals any NaN).  Kernels are compiled for
one format, or shared by all formats.  With --seed=N: other coordinates, texels and combinations; with --share=F: a part F of all (0.2; in a sample less)."""
import inspect
import os
import pickle
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from built import PATIENCE  # noqa: E402
from opencl import cl, context, numpy, queue  # noqa: E402
from sample import SHARE as ONE_IN  # noqa: E402
from tap import check, done  # noqa: E402

SEED = next((int(a[7:]) for a in sys.argv if a.startswith('--seed=')), 1)
SHARE = next((float(a[8:]) for a in sys.argv if a.startswith("--share=")), 0.2 / ONE_IN)
POINTS = 192
SIZES = {'1d': (13,), '1d_buffer': (13,), '1d_array': (13, 3), '2d': (7, 5), '2d_depth': (7, 5), '2d_array': (7, 5, 3), '3d': (7, 5, 4)}
KINDS = {'1d': 'IMAGE1D', '1d_buffer': 'IMAGE1D_BUFFER', '1d_array': 'IMAGE1D_ARRAY', '2d': 'IMAGE2D', '2d_depth': 'IMAGE2D', '2d_array': 'IMAGE2D_ARRAY',
         '3d': 'IMAGE3D'}
DEPTH = 0x10BD
CHANNELS = {0x10B0: 1, 0x10B1: 1, 0x10B2: 2, 0x10B3: 2, 0x10B8: 1, 0x10B9: 1, DEPTH: 1}
PACKED = {0x10D4: 2, 0x10D5: 2, 0x10D6: 4, 0x10E0: 4, 0x10E5: 4}
SIZE_OF_TYPE = {0x10D0: 1, 0x10D2: 1, 0x10D7: 1, 0x10DA: 1, 0x10D9: 4, 0x10DC: 4, 0x10DE: 4}
INTEGERS = {0x10D7: 'i', 0x10D8: 'i', 0x10D9: 'i', 0x10DA: 'ui', 0x10DB: 'ui', 0x10DC: 'ui', 0x10E6: 'ui', 0x10E7: 'ui', 0x10E8: 'ui'}
SPECIAL = [numpy.nan, numpy.inf, -numpy.inf, 0, -0.0, 1, -1, 0.5, -0.5, 1e-40, -1e-40, 1e9, -1e9, 1e10, -1e10, 2**31, -2**31, 2**32, 3e38, -3e38, 1e20]
SAMPLERS = [(mode, filter_, normalized) for mode in ('NONE', 'CLAMP', 'CLAMP_TO_EDGE', 'REPEAT', 'MIRRORED_REPEAT') for filter_ in ('NEAREST', 'LINEAR')
            for normalized in ('FALSE', 'TRUE') if normalized == 'TRUE' or 'REPEAT' not in mode]


def texel_bytes(order, type_):
    return PACKED.get(type_) or SIZE_OF_TYPE.get(type_, 2) * CHANNELS.get(order, 4)


def function_of(type_):
    return INTEGERS.get(type_, 'f')


def create_image(kind, order, type_, content):
    """pyopencl itself gives 1D arrays one layer."""
    create = inspect.getclosurevars(cl.Image.__init__).nonlocals['image_old_init']
    description, size, flags = cl.ImageDescriptor(), SIZES[kind], cl.mem_flags.READ_WRITE
    description.image_type = getattr(cl.mem_object_type, KINDS[kind])
    description.shape = size + (1,) * (3 - len(size))
    description.array_size = size[-1] if 'array' in kind else 0
    description.pitches = (0, 0)
    description.num_mip_levels = description.num_samples = 0
    memory = cl.Buffer(context, flags | cl.mem_flags.COPY_HOST_PTR, hostbuf=content) if kind == '1d_buffer' else None
    description.buffer = memory
    image = cl.Image.__new__(cl.Image)
    create(image, context, flags, cl.ImageFormat(order, type_), description, None)
    if kind != '1d_buffer':  # enqueue_copy() has no 1D images
        cl._cl._enqueue_write_image(queue, image, (0,) * 3, region_of(kind), content, is_blocking=True)
    return image


def region_of(kind):
    return SIZES[kind] + (1,) * (3 - len(SIZES[kind]))


def coordinates(kind, random):
    size = numpy.array(SIZES[kind] + (1,) * (4 - len(SIZES[kind])), 'f4')
    points = (random.random((POINTS, 4)) * 5 - 2) * size
    near = random.random(points.shape) < 0.3
    points[near] = numpy.round(points[near] * 2) / 2
    points = points.astype('f4')
    points[near] = numpy.nextafter(points, random.choice([-1e9, 0, 1e9], points.shape).astype('f4'))[near]
    unusual = random.random(points.shape) < 0.15
    points[unusual] = random.choice(numpy.array(SPECIAL, 'f4'), points.shape)[unusual]
    return points, numpy.concatenate([points[: POINTS // 2] / size, points[POINTS // 2:]]).astype('f4')


def integer_coordinates(kind, random):
    size = numpy.array(SIZES[kind] + (1,) * (4 - len(SIZES[kind])))
    at = random.integers(-1, size + 1, (POINTS, 4))
    far = random.random(at.shape) < 0.1
    at[far] = random.choice([-2**31, 2**31 - 1, -1000, 1000], at.shape)[far]
    inside = random.random(POINTS) < 0.4
    at[inside] = random.integers(0, size, (POINTS, 4))[inside]
    return at.astype('i4')


def read_kernels(kind, function, halves):
    """Sources of kernels, each with few enough accesses to have copies of the code for them, but for the last."""
    texel = {'f': 'float4', 'i': 'int4', 'ui': 'uint4'}[function]
    value = 'float' if kind == '2d_depth' else texel
    swizzle = {1: '.x', 2: '.xy', 3: ''}[len(SIZES[kind])]
    suffix = 'h' if halves else function
    declared = ''.join(f'constant sampler_t s{n} = CLK_ADDRESS_{m} | CLK_FILTER_{f} | CLK_NORMALIZED_COORDS_{c};\n' for n, (m, f, c) in enumerate(SAMPLERS))
    reads = [] if kind == '1d_buffer' else [f'read_image{suffix}(a, s{n}, {"q" if s[2] == "TRUE" else "p"}[i]{swizzle})' for n, s in enumerate(SAMPLERS)] + \
        [f'read_image{suffix}(a, s{n}, at[i]{swizzle})' for n, s in enumerate(SAMPLERS) if s[1:] == ('NEAREST', 'TRUE')]
    reads.append(f'read_image{suffix}(a, at[i]{swizzle})')
    convert = f'convert_{value}' if halves else ''
    bodies = [reads[k:k + 4] for k in range(0, len(reads), 4)] + [reads]
    for body in bodies:
        lines = '\n'.join(f'o[i * {len(body)} + {k}] = {convert}({read});' for k, read in enumerate(body))
        yield f'''{declared}kernel void k(read_only image{kind}_t a, global float4 *p, global float4 *q, global int4 *at, global {value} *o) {{
            int i = get_global_id(0);\n{lines} }}''', len(body), value


def write_kernels(kind, function, halves):
    """Sources, and the numbers of work-items; 0: one for each texel."""
    texel = {'f': 'float4', 'i': 'int4', 'ui': 'uint4'}[function]
    swizzle = {1: '.x', 2: '.xy', 3: ''}[len(SIZES[kind])]
    suffix = 'h' if halves else function
    value = 'in[n].x' if kind == '2d_depth' else 'convert_half4(in[n])' if halves else 'in[n]'
    at = ('n % w', 'n / w % h', 'n / w / h', '0')[:{1: 1, 2: 2, 3: 4}[len(SIZES[kind])]]
    place = at[0] if len(at) == 1 else f'(int{len(at)})({", ".join(at)})'
    sizes = (SIZES[kind] + (1, 1))[:2]
    yield f'''kernel void k(write_only image{kind}_t a, global {texel} *in, global int4 *at) {{
        int n = get_global_id(0), w = {sizes[0]}, h = {sizes[1]};
        write_image{suffix}(a, {place}, {value}); }}''', 0
    yield f'''kernel void k(write_only image{kind}_t a, global {texel} *in, global int4 *at) {{
        for (int n = 0; n < {POINTS}; n++) write_image{suffix}(a, at[n]{swizzle}, {value}); }}''', 1
    if not halves:
        one = {'f': '0.125f', 'i': '3', 'ui': '3'}[function]
        yield f'''kernel void k(read_write image{kind}_t a, global {texel} *in, global int4 *at) {{
            int n = get_global_id(0), w = {sizes[0]}, h = {sizes[1]};
            write_image{function}(a, {place}, read_image{function}(a, {place}) * 2 + {one}); }}''', 0


def texels_given(function, random):
    if function == 'f':
        values = (random.random((POINTS, 4)) * 2.4 - 1.2).astype('f4')
        ties = random.random(values.shape) < 0.3
        values[ties] = ((random.integers(-260, 260, values.shape) + 0.5) / random.choice([255, 127, 65535, 32767, 31, 63, 1023], values.shape)).astype('f4')[ties]
        unusual = random.random(values.shape) < 0.2
        values[unusual] = random.choice(numpy.array(SPECIAL + [65504, 65520, 1e-7, 6e-8, 3e-8], 'f4'), values.shape)[unusual]
        return values
    values = random.integers(0, 1 << 32, (POINTS, 4), 'u4') >> random.integers(0, 32, (POINTS, 4), 'u4')
    return numpy.where(random.random(values.shape) < 0.3, -values.astype('i8'), values).astype('u4').view('i4' if function == 'i' else 'u4')


def results(shared):
    """Arrays by name.  SHARED: all formats use the same programs."""
    programs = {}

    def build(text, key):
        if not shared or key not in programs:
            programs[key] = cl.Program(context, text).build('-cl-std=CL3.0')
        return programs[key]
    has_halves = 'cl_khr_fp16' in context.devices[0].extensions
    buffers = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    for number, kind in enumerate(SIZES):
        formats = cl.get_supported_image_formats(context, cl.mem_flags.READ_WRITE, getattr(cl.mem_object_type, KINDS[kind]))
        for order, type_ in sorted({(f.channel_order, f.channel_data_type) for f in formats}):
            if (order == DEPTH) != (kind == '2d_depth'):
                continue
            random = numpy.random.default_rng([SEED, number, order, type_])
            function, texels = function_of(type_), int(numpy.prod(SIZES[kind]))
            name = f'{kind} {order:x} {type_:x}'
            content = random.integers(0, 256, texels * texel_bytes(order, type_), 'u1')
            if type_ == 0x10DE:
                content = (random.random(len(content) // 4) * 4 - 2).astype('f4').view('u1')
            points, normal = (cl.Buffer(context, buffers, hostbuf=c) for c in coordinates(kind, random))
            at = cl.Buffer(context, buffers, hostbuf=integer_coordinates(kind, random))
            given = cl.Buffer(context, buffers, hostbuf=texels_given(function, random))
            for halves in (False, True) if function == 'f' and has_halves and kind != '2d_depth' else (False,):
                for n, (text, count, value) in enumerate(read_kernels(kind, function, halves)):
                    if random.random() > SHARE:
                        continue
                    got = numpy.zeros(POINTS * count * (1 if value == 'float' else 4), {'f': 'f4', 'i': 'i4', 'ui': 'u4'}[function])
                    o = cl.Buffer(context, buffers, hostbuf=got)
                    build(text, (kind, function, halves, n)).k(queue, (POINTS,), None, create_image(kind, order, type_, content), points, normal, at, o)
                    cl.enqueue_copy(queue, got, o)
                    yield f'{name}{" halves" if halves else ""} reads {n}', got
                for n, (text, items) in enumerate(write_kernels(kind, function, halves)):
                    if random.random() > 2 * SHARE:
                        continue
                    image, written = create_image(kind, order, type_, content), numpy.zeros_like(content)
                    build(text, (kind, function, halves, 'w', n)).k(queue, (items or texels,), None, image, given, at)
                    cl._cl._enqueue_read_image(queue, image, (0,) * 3, region_of(kind), written, is_blocking=True)
                    halfwords = written.view({0x10DE: 'f4', 0x10DD: 'f2'}.get(type_, 'u1'))
                    yield f'{name}{" halves" if halves else ""} writes {n}', halfwords


def is_equal(a, b):
    bits = f'u{a.dtype.itemsize}'
    same = a.view(bits) == b.view(bits)
    return same | (numpy.isnan(a) & numpy.isnan(b)) if a.dtype.kind == 'f' else same


def run(engine, shared):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, sys.argv[0], f'--seed={SEED}', f'--share={SHARE}', f'--to={folder}/results', *(['--shared'] if shared else [])],
                       env={**os.environ, 'REFCL_ENGINE': engine}, timeout=PATIENCE, check=True)
        with open(f'{folder}/results', 'rb') as file:
            return pickle.load(file)


out = next((a[5:] for a in sys.argv if a.startswith('--to=')), None)
if out:
    with open(out, 'wb') as file:
        pickle.dump(dict(results('--shared' in sys.argv)), file)
    sys.exit(0)
expected = run('interp', True)
for variant in 'compiled for a format', 'shared by all formats':
    got = run('jit', variant.startswith('shared'))
    check(f'{variant}: as many results', got.keys() == expected.keys() and len(got) > 2000 * SHARE, f'{len(got)} of {len(expected)}')
    wrong = []
    for name, wanted in expected.items():
        same = is_equal(got[name], wanted)
        if not same.all():
            k = int(numpy.argmin(same))
            wrong.append(f'{name}: {int((~same).sum())} differ, first [{k}]: {got[name][k]!r} instead of {wanted[k]!r}')
    check(f'{variant}: {len(expected)} results are the same', not wrong, '\n'.join(wrong[:40]))
sys.exit(done())
