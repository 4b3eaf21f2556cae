#!/usr/bin/python3
"""Which loops inside work-items become vectors across work-items.  Not a short loop in some iterations of a loop that
work-items leave one after the other, of which few are in it at a time.  A long loop, if no work-item leaves it before
the others.  A loop over consecutive elements that remains scalar is unrolled."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from opencl import cl, context, numpy, queue  # noqa: E402
from optimized import compiled  # noqa: E402
from tap import check, done  # noqa: E402

# A walk through a tree, depth first, that climbs up again at each leaf.
WALK = '''kernel void k(global const float *in, global uint *out) {
        int i = get_global_id(0);
        float x = in[i];
        uint at = 0, found = 0;
        while (at < 255) {
            float a = in[2 * at] * x, b = in[2 * at + 1] * x, c = a * a - b, d = b * b - a;
            float e = c * x + d * a + 1, f = fmin(a * c, d) + fmax(b * e, c), g = e * f + c * d, h = g * a - f * b;
            if (g + h > e) {
                found++;
                at = 2 * at + 1;
            } else {
                CLIMB
                at = at == 0 ? 255 : at + 1;
            }
        }
        out[i] = found; }'''
# A column of the Smith-Waterman matrix is in registers.
ALIGN = '''kernel void k(global const uint *in, global uint *out) {
        int i = get_global_id(0), best = 0, h[33];
        for (int k = 0; k <= 32; k++)
            h[k] = 0;
        for (int row = 0; row < COUNT; row++) {
            int before = 0, gap = 0;
            uint c = in[row * 1024 + i];
            for (int k = 1; k <= 32; k++) {
                int score = max(max(before + ((c ^ k * 5) & 3 ? -1 : 2), 0), max(gap - 1, h[k] - 3));
                gap = max(gap - 1, h[k - 1] - 3);
                before = h[k];
                h[k] = score;
                best = max(best, score);
            }
        }
        out[i] = best; }'''
KERNELS = {
    'long': ALIGN.replace('COUNT', 'out[1024]'),
    'prefix sums': '''kernel void k(global const short *in, global int *out) {
        int i = get_global_id(0), sum = 0;
        for (int k = 0; k < 64; k++) {
            sum += in[i * 64 + k];
            out[i * 64 + k] = sum;
        } }''',
    'prefix sums of rows': '''kernel void k(global const short *in, global int *out) {
        int i = get_global_id(0), sum = 0, count = in[0];
        for (int k = 0; k < count; k++) {
            sum += in[i * 64 + k];
            out[i * 64 + k] = sum;
        } }''',
    'climbs': WALK.replace('CLIMB', 'while (at != 0 && (at & 1) == 0) at = at / 2 - 1;'),
    'climbs once': WALK.replace('CLIMB', 'at = at / 2;')}


def run(name):
    buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=numpy.zeros(1 << 18, 'u1')) for _ in range(2)]
    cl.Program(context, KERNELS[name]).build().k(queue, (1024,), (64,), *buffers)
    queue.finish()


def main():
    if len(sys.argv) > 1:
        return run(sys.argv[1])
    if 'avx512vl' in open('/proc/cpuinfo').read():
        text = compiled('climbs once')
        check('a walk without a loop in it: vectors', re.search(r'fmul <\d+ x float>', text) is not None, text)
        text = compiled('long')
        check('a long loop that all work-items leave at once: vectors', re.search(r'store <\d+ x i32>', text) is not None, text)
    text = compiled('climbs')
    check('a walk with a short loop at leaves: no vectors', text != '' and not re.search(r'fmul <\d+ x float>', text), text)
    for name in 'prefix sums', 'prefix sums of rows':
        text = compiled(name)
        check(f'{name}: several elements in an iteration', text.count('load i16') >= 4, text)
    return done()


sys.exit(main())
