#!/usr/bin/python3
"""A kernel with images of many formats: it is compiled for the first two, once for any format, and for those with
much work.  Results are the same in all of them."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from opencl import cl, context, numpy, queue  # noqa: E402
from tap import check, done  # noqa: E402

FORMATS = [('RGBA', 'UNORM_INT8', 'u1'), ('RGBA', 'UNORM_INT16', 'u2'), ('R', 'UNORM_INT8', 'u1'), ('RG', 'UNORM_INT8', 'u1'), ('R', 'UNORM_INT16', 'u2'),
           ('RGBA', 'FLOAT', 'f4')]
SIZE, LOCAL, AGAIN = 256, (16, 4), 20
SOURCE = """kernel void turned(read_only image2d_t a, write_only image2d_t b) {
    int2 at = (int2)(get_global_id(0), get_global_id(1)), end = get_image_dim(a) - 1;
    float4 t = 0;
    for (int y = 0; y <= end.y; y += end.y + 1)
        t += read_imagef(a, end - at);
    write_imagef(b, at, t); }"""


def launch(program, order, type_, dtype):
    shape = (SIZE, SIZE, {'R': 1, 'RG': 2}.get(order, 4))
    random = numpy.random.default_rng(3)
    given = random.random(shape).astype('f4') if dtype == 'f4' else random.integers(0, 256, shape).astype(dtype)
    image_format, flags = cl.ImageFormat(getattr(cl.channel_order, order), getattr(cl.channel_type, type_)), cl.mem_flags
    a = cl.Image(context, flags.READ_ONLY | flags.COPY_HOST_PTR, image_format, (SIZE, SIZE), hostbuf=given)
    b = cl.Image(context, flags.WRITE_ONLY, image_format, (SIZE, SIZE))
    program.turned(queue, (SIZE, SIZE), LOCAL, a, b)
    got = numpy.zeros_like(given)
    cl.enqueue_copy(queue, got, b, origin=(0, 0), region=(SIZE, SIZE))
    check(f'{order} {type_}', (got == given[::-1, ::-1]).all(), got)
    print(f'launched {order} {type_}', file=sys.stderr, flush=True)


def main():
    if len(sys.argv) > 1:
        program = cl.Program(context, SOURCE).build('-cl-std=CL3.0')
        for image in FORMATS + AGAIN * FORMATS[-1:]:
            launch(program, *image)
        return done()
    ran = subprocess.run([sys.executable, sys.argv[0], 'launches'], env={**os.environ, 'REFCL_DEBUG': 'jit', 'REFCL_ENGINE': 'jit'},
                         capture_output=True, text=True, timeout=600)
    check('results', ran.returncode == 0, ran.stdout + ran.stderr)
    compiled = [part.count(': compiled') for part in ran.stderr.split('launched')]
    check('one compilation each for two formats, and one for any', compiled[:len(FORMATS)] == [1, 1, 1, 0, 0, 0], compiled)
    check('one more for the format with much work', sum(compiled[len(FORMATS):]) == 1, compiled)
    return done()


sys.exit(main())
