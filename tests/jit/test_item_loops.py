#!/usr/bin/python3
"""How the body of a loop over work-items is compiled.  Structures whose members are only moved are not gathered and
scattered; those that much is computed with are.  Bytes in the interior of a picture are loaded without masks, though
a branch treats its border separately.  Bytes that a work-item branches on fill vectors."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from opencl import cl, context, numpy, queue  # noqa: E402
from optimized import compiled  # noqa: E402
from tap import check, done  # noqa: E402

STRUCTURE = '''typedef struct { float x, y, z, vx, vy, vz, m; int id; float e, r; } Particle;
    kernel void k(global const Particle *in, global Particle *out) {
        int i = get_global_id(0);
        Particle p = in[i];
        '''
KERNELS = {
    'moves': STRUCTURE + 'p.x += p.vx * 0.1f; p.y += p.vy * 0.1f; p.z += p.vz * 0.1f; p.e = p.m * p.vx; p.vx = p.x > p.r ? -p.vx : p.vx; out[i] = p; }',
    'computes': STRUCTURE + 5 * 'p.x += p.vx * p.m; p.y += p.vz * p.x; p.z += p.e * p.y; p.vx += p.z * p.r; ' + 'out[i] = p; }',
    'border': '''kernel void k(global const uchar *in, global uchar *out) {
        int x = get_global_id(0), w = get_global_size(0);
        if (x == 0 || x == w - 1)
            out[x] = 3;
        else
            out[x] = (in[x - 1] + in[x + 1]) / 2; }''',
    'bytes': '''kernel void k(global const char *in, global char *out) {
        int i = get_global_id(0);
        char c = in[i];
        if (c >= 'A' && c <= 'Z')
            c += 'a' - 'A';
        else if (c == ' ' || c == '-')
            c = '_';
        out[i] = c; }'''}


def run(name):
    buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=numpy.zeros(1 << 16, 'u1')) for _ in range(2)]
    cl.Program(context, KERNELS[name]).build().k(queue, (1024 if name != 'border' else 1 << 16,), None, *buffers)
    queue.finish()


def registers():
    """How many words a vector register of the processor holds."""
    flags = open('/proc/cpuinfo').read()
    return 16 if 'avx512vl' in flags else 8 if 'avx2' in flags else 4


def main():
    if len(sys.argv) > 1:
        return run(sys.argv[1])
    text = compiled('moves')
    check('structures that are moved: no gathers', text != '' and 'gather' not in text and 'scatter' not in text, text)
    if registers() == 16:
        text = compiled('computes')
        check('structures that much is computed with: vectors of work-items', re.search(r'fmul <16 x float>', text) is not None, text)
    text = compiled('border')
    check('a branch for the border of a picture: vectors without masks in the interior', re.search(r'= load <\d+ x i8>', text) is not None, text)
    text = compiled('bytes')
    widest = max(map(int, re.findall(r'load <(\d+) x i8>', text)), default=0)
    check('branches by the values of bytes: vectors of as many as registers hold, or half as many', widest >= 2 * registers(), widest)
    return done()


sys.exit(main())
