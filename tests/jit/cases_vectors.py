"""Kernels whose work-items compute with vectors, for the differential test; see cases.py.  Several of their work-items become one iteration of
the loop over work-items, whose last iterations may be left to another loop."""
import itertools

COSTS = 1  # tests/lib/sample.py

TYPES = [('char', 'i1'), ('uchar', 'u1'), ('short', 'i2'), ('ushort', 'u2'), ('int', 'i4'), ('uint', 'u4'), ('long', 'i8'), ('float', 'f4'), ('double', 'f8')]
COUNTS = [2, 3, 4, 8, 16]
SIZE = 1531  # work-items: odd, and more than one work-group

# What a work-item does: x, y are vectors V of N elements of T, s is a scalar of each work-item, u a vector that all share, i the index.
DOES = {
    'operators': 'o[i] = x * y + (x - u);',
    'in place': 'o[i] = x; o[i] += y; o[i] *= o[i];',
    'order': 'o[i] = x; o[i].s0 = y.s1; V z = o[i]; z.s1 = z.s0; o[i] = z + x;',
    'functions': 'o[i] = clamp(x, (V)(3), (V)(90)) + max(x, y) - min(y, u);',
    'selected': 'o[i] = x < y ? x + u : y;',
    'whole selected': 'o[i] = s < x.s0 ? x : y;',
    'scalar': 'o[i] = x * s + (T)i; o[i].s1 -= s;',
    'index': 'o[i] = x + (T)(i * 3) - (V)((T)(i & 7));',
    'constants': 'V z = (V)(5); z.s1 = 7; o[i] = x * z + y / (V)(3);',
    'members': 'o[i] = (V)(x.s1 * y.s0 - s) + x; o[i].s0 = y.s1;',
    'exchanged': 'V z = x; z.s01 = y.s10; z.s1 += x.s0; o[i] = z * y;',
    'shared element': 'o[i] = x + b[5] * b[i & 0];',
    'shift': 'V z = x; if (i > 2) z = a[i - 2] + b[i + 1]; o[i] = z;',
    'backwards': 'o[i] = a[1600 - i] - y; o[i].s0 += c[1600 - i];',
    'every second': 'o[i] = a[i / 2 * 2] + a[2 * (i & 511)] * y;',
    'behind a guard': 'if (i >= 1400) return; o[i] = x * y - s;',
    'in a loop': 'V z = x; for (int k = 0; k < 5; k++) z = z * y + u; o[i] = z;',
    'only some': 'if (s > y.s0) o[i] = x + y;',
    'local': 'local V t[64]; int l = get_local_id(0); t[l] = x + u; barrier(CLK_LOCAL_MEM_FENCE); o[i] = t[l] * y + t[0];',
    'member stored': 'o[i] = x * u; o[i].s1 = s;',
}
CASES = []
EXTENSIONS = '#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n'


def arguments(dtype, count):
    limits = (-9, 9) if dtype[0] == 'f' else (None, None)
    n = 1700 * (4 if count == 3 else count)
    return [('in', dtype, n, *limits), ('in', dtype, n, *limits), ('in', dtype, 1700, *limits), ('out', dtype, n)]


def case(name, type_, dtype, count, code, size=(SIZE,), local=(64,), offset=None, index='get_global_id(0)'):
    size = ((SIZE + 63) // 64 * 64,) if 'local ' in code else size
    source = f'{EXTENSIONS}#define T {type_}\n#define V {type_}{count}\n' + \
             'kernel void k(global const V *a, global const V *b, global const T *c, global V *o)\n' + \
             f'{{ int i = {index}; V x = a[i], y = b[i], u = b[3]; T s = c[i]; {code} }}'
    CASES.append((name, source, size, local, arguments(dtype, count)) + ((offset,) if offset else ()))


for (type_, dtype), count, (name, code) in itertools.product(TYPES, COUNTS, DOES.items()):
    case(f'{type_}{count}, {name}', type_, dtype, count, code)

# Where the work-items are: offsets, rows, groups that the launch does not divide.
WHERE = [('offset', (1500,), (50,), (7,), 'get_global_id(0)'), ('no local size', (1499,), None, None, 'get_global_id(0)'), ('small groups', (1400,), (7,), None, 'get_global_id(0)'),
         ('rows', (40, 33), (8, 4), None, 'get_global_id(1) * 40 + get_global_id(0)'), ('columns', (40, 33), (8, 8), None, 'get_global_id(0) * 33 + get_global_id(1)'),
         ('one group', (999,), (999,), None, 'get_global_id(0)')]
for (where, size, local, offset, index), (type_, dtype, count), name in itertools.product(
        WHERE, [('uchar', 'u1', 4), ('float', 'f4', 4), ('float', 'f4', 3), ('short', 'i2', 8)], ['operators', 'scalar', 'exchanged', 'behind a guard']):
    case(f'{where}, {type_}{count}, {name}', type_, dtype, count, DOES[name], size, local, offset, index)

# Other sizes in memory than in registers, casts, structures.
CONVERSIONS = [('uchar', 'u1', 'float', 'convert_uchar4_sat(convert_float4(x) * 0.7f + convert_float4(y) * s)'), ('short', 'i2', 'int', 'convert_short4((convert_int4(x) * convert_int4(y)) >> 7)'),
               ('char', 'i1', 'short', 'convert_char4(rotate(convert_short4(x), (short4)(3)) ^ convert_short4(y))'), ('float', 'f4', 'int', 'as_float4((as_int4(x) & 0x7fffff) | 0x3f800000) + y'),
               ('int', 'i4', 'double', 'convert_int4_sat_rte(convert_double4(x) * 0.3 - convert_double4(y))'), ('uint', 'u4', 'uchar', 'convert_uint4(as_uchar4(x.x)) + as_uint4(as_uchar16(y).sfedcba9876543210)'),
               ('ushort', 'u2', 'ulong', '(ushort4)(as_ushort4(as_ulong(x) * 3) + y)'), ('short', 'i2', 'float', 'convert_short4_sat(fma(convert_float4(x), (float4)(s, 2, 3, 4), convert_float4(y)))')]
for type_, dtype, through, code in CONVERSIONS:
    case(f'{type_}4 through {through}', type_, dtype, 4, f'o[i] = {code};')
for n in (2, 3, 4, 8, 16):
    stride = 4 if n == 3 else n
    CASES.append((f'half{n}', f'{EXTENSIONS}kernel void k(global const half *a, global const half *b, global const float *c, global half *o)\n'
                  f'{{ size_t i = get_global_id(0); vstore_half{n}(vload_half{n}(i, a) * 0.5f + vload_half{n}(i, b) * c[i], i, o); vstorea_half{n}(vloada_half{n}(i + 1, a), i, o + {1600 * stride}); }}',
                  (SIZE,), (64,), [('in', 'f2', 1700 * stride, -9, 9), ('in', 'f2', 1700 * stride, -9, 9), ('in', 'f4', 1700, -9, 9), ('out', 'f2', 3300 * stride)]))
    CASES.append((f'vload{n}', f'kernel void k(global const float *a, global const float *b, global float *o)\n'
                  f'{{ int i = get_global_id(0); vstore{n}(vload{n}(i, a) * 0.5f + vload{n}(i, b + 1), i, o + 1); }}',
                  (SIZE,), (64,), [('in', 'f4', 1700 * n, -9, 9), ('in', 'f4', 1700 * n, -9, 9), ('out', 'f4', 1700 * n)]))
STRUCTURES = {'two vectors': ('float4 p, v;', 'q.v += x; q.p += q.v * 0.5f; o[i] = q;'), 'vector and scalar': ('float2 p; float m; int n;', 'q.p = q.p * q.m + x.xy; q.n += i; o[i] = q;'),
              'one member': ('int n; char4 c; short2 t;', 'o[i].c = q.c * (char4)(3) + q.c.wzyx; o[i].n = q.t.y;'), 'scalars': ('float x, y, z, w;', 'o[i].x = q.x * 0.5f; o[i].y = q.y * 0.5f; o[i].z = q.z * 0.5f; o[i].w = q.w * 0.5f;')}
for name, (members, code) in STRUCTURES.items():
    CASES.append((f'structure: {name}', f'struct s {{ {members} }};\nkernel void k(global const struct s *a, global const float4 *b, global struct s *o)\n'
                  f'{{ int i = get_global_id(0); struct s q = a[i]; float4 x = b[i]; {code} }}',
                  (SIZE,), (64,), [('in', 'f4', 1700 * 8, -9, 9), ('in', 'f4', 1700 * 4, -9, 9), ('out', 'f4', 1700 * 8)]))

# Structures whose members vectors would gather and scatter.
for type_, dtype in [('float', 'f4'), ('int', 'i4'), ('double', 'f8'), ('uchar', 'u1'), ('ushort', 'u2')]:
    for count, work in [(10, 's.m[1] += s.m[2];'), (11, 's.m[0] = s.m[3] < s.m[4] ? s.m[9] : s.m[10] + 1;'), (9, ' '.join(f's.m[{k}] += s.m[{(k * 5 + 2) % 9}] * s.m[{(k + 4) % 9}];' for k in range(9)))]:
        for shape, local, offset in [((1000,), None, ()), ((96, 5), (32, 1), (3, 1))]:
            n = (shape[0] + 3) * (shape[1] + 1 if shape[1:] else 1)
            CASES.append((f'structures of {count} {type_}, {len(work)}, {shape}', f"""
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef struct {{ {type_} m[{count}]; }} S;
kernel void k(global const S *in, global S *out) {{
  int i = get_global_id(1) * (get_global_size(0) + 3) + get_global_id(0);
  S s = in[i]; {work} out[i] = s; }}""", shape, local, [('in', dtype, n * count, 0, 100), ('out', dtype, n * count)], *[offset] * bool(offset)))
