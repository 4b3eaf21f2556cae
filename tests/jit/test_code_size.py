#!/usr/bin/python3
"""Native code of kernels with large private arrays and structures, or deeply nested loops, stays small, with
--check none and with checks: LLVM takes time quadratic in the accesses of a block, and exponential time to
unswitch nested loops.  The same holds for the code that computes the ranges of long sums when a launch begins,
and for kernels with many texel reads, which are calls; kernels with few have them inlined.  The interpreter
executes larger kernels.  With checks, code grows linearly with accesses, and what LLVM optimizes of it slowly: beyond
a number of checks, accesses call functions."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import check, done  # noqa: E402

REFCL = os.environ.get('REFCL', 'build/refcl')
MOST = 4000  # lines of LLVM IR
KERNELS = {
    'array': '''kernel void k(global const uint *in, global uint *out) {
        uint t[4096], i = get_global_id(0), sum = 0;
        for (uint k = 0; k < 4096; k++)
            t[k] = k * in[i];
        for (uint k = 0; k < 64; k++)
            sum += t[(in[i] >> (k & 15)) & 4095];
        out[i] = sum; }''',
    'structure': '''struct large { uint words[128]; };
        kernel void k(global const struct large *in, global struct large *out) {
        uint i = get_global_id(0);
        struct large l = in[i];
        l.words[l.words[0] & 127] += i;
        out[i ^ l.words[2] >> 7] = l; }'''}


def nest(depth):
    return ('kernel void k(global const uint *in, global uint *out) {'
            + ''.join(f'for (uint i{k} = 0; i{k} < in[{k}]; i{k}++)' for k in range(depth)) + 'out[0]++; }')


KERNELS['loops'] = nest(40)


def reads(count):
    return ('constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;'
            'kernel void k(read_only image2d_t from, global float4 *out) { int i = get_global_id(0); float4 sum = 0;'
            + ''.join(f'sum += read_imagef(from, s, (float2)(i * 0.1f, {k} * 0.1f));' for k in range(count)) + 'out[i] = sum; }')


def compiled(source, mode, arguments=('buf:4096', 'buf:4096')):
    """Output of the JIT: LLVM IR, and whether the kernel was compiled."""
    with tempfile.NamedTemporaryFile('w', suffix='.cl') as file:
        file.write(source)
        file.flush()
        run = subprocess.run([REFCL, 'kernel', '--quiet', *mode, '-g', '8', '-l', '8',
                              *(word for argument in arguments for word in ('-a', argument)), file.name],
                             env=dict(os.environ, REFCL_ENGINE='jit', REFCL_DEBUG='jit', REFCL_JIT_DUMP='optimized'),
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    return run.stdout


def statements(count, text, before='', after=''):
    return ('kernel void k(global const float *in, global float *out, global float *t, int n) {'
            f'int id = get_global_id(0), l = get_local_id(0); {before}'
            + ''.join(text.replace('$', str(k)) for k in range(count)) + after + '}')


# With about COUNT accesses each, and how many lines each may take beside the function that is called when a
# launch begins.
LINEAR = {
    'straight line': (lambda count: statements(count // 2, 'out[$ * n + id] = in[$ * n + id] * 1.5f;'), 16),
    'branches': (lambda count: statements(count // 2, 'if (in[id + $] > $) out[id + $ * n] = $;'), 40),
    'switch': (lambda count: statements(
        count // 2, 'case $: out[id * n + $] = in[id + $ * n] * $; break;', 'switch ((int)in[id]) {', '}'), 40),
    'unrolled loop': (lambda count: statements(
        1, f'_Pragma("unroll") for (int k = 0; k < {count // 2}; k++) out[k * n + id] = in[(k * n + id) & 1023] * k;'), 16),
    'unknown subscripts': (lambda count: statements(count, 'j = (int)in[j + $];', 'int j = id;', 'out[id] = j;'), 18),
    'scattered writes': (lambda count: statements(count, 't[j * ($ + 3) + $] = $;', 'int j = (int)in[id];'), 24),
    'local memory': (lambda count: statements(
        count, 'm[(l + $ * 8 + n) & 4095] = in[id];', 'local float m[4096];',
        'barrier(CLK_LOCAL_MEM_FENCE); out[id] = m[l * n & 4095];'), 12),
}


def function_sizes(text):
    """Lines of each function of the IR, and those functions that LLVM does not optimize."""
    sizes, groups, name = {}, {}, None
    for line in text.split('\n'):
        if line.startswith('define '):
            name = line[line.index('@') + 1:line.index('(')]
            groups[name] = line.rsplit('#', 1)[1].split()[0] if '#' in line else None
            sizes[name] = 0
        elif line == '}':
            name = None
        elif name:
            sizes[name] += 1
    plain = {line.split()[1][1:] for line in text.split('\n') if line.startswith('attributes ') and ' optnone ' in line}
    return sizes, {name for name, group in groups.items() if group in plain}


for name, (make, most) in LINEAR.items():
    lines = {}
    for count in 250, 500:
        sizes, unoptimized = function_sizes(compiled(make(count), [], ('buf:1048576',) * 3 + ('8',)))
        decided = sizes.pop('run.holds', 0)
        lines[count] = sum(sizes.values())
        check(f'{name}, {count} accesses: at most {most} lines for each', 0 < lines[count] <= most * count, sizes)
        check(f'{name}, {count} accesses: what their ranges need takes at most 80 lines for each, not optimized',
              decided <= 80 * count and (not decided or 'run.holds' in unoptimized), decided)
    check(f'{name}: twice the accesses take at most 2.5 times the lines', lines[500] <= 2.5 * lines[250], lines)
for name, source in KERNELS.items():
    for mode in (['--check', 'none'], []):
        text = compiled(source, mode)
        count = text.count('\n')
        check(f'{name}, {"--check none" if mode else "with checks"}: at most {MOST} lines', ': compiled' in text and count <= MOST, count)
count = 80
source = (f'kernel void k(global long *out, {", ".join(f"long a{k}" for k in range(count))})'
          f' {{ out[get_global_id(0)] = {" + ".join(f"a{k}" for k in range(count))}; }}')
lines = compiled(source, [], ('buf:16', *map(str, range(count)))).count('\n')
check(f'a sum of {count} arguments, whose partial sums have ranges: at most {MOST} lines', count < lines <= MOST, lines)
for count, called in (2, False), (64, True):
    text = compiled(reads(count), ['--check', 'none'], ('image:2d:16x16:rgba8', 'buf:4096'))
    check(f'{count} reads of texels: code is {"called" if called else "inlined"}, at most {MOST} lines',
          ': compiled' in text and text.count('\n') <= MOST and ('@in_jit_path_sample' in text) == called, text.count('\n'))
text = compiled(nest(60), [])
check('loops nested 60 deep are not compiled', ': compiled' not in text and 'loops nested too deeply' in text, text)
sys.exit(done())
