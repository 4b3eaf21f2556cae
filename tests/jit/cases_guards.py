"""Kernels most of whose work-items do nothing, for the differential test; see cases.py.  Loops over
work-items skip these, groups have sizes that suit vectors, bytes are combined into words, integers divided as
doubles, and floats saturated without calls; the launches are large and odd enough for that.  cases_narrow.py
has more."""
import itertools

COSTS = 1  # tests/lib/sample.py: products of few values, each of which is in many cases

# Types of i and n, and dtype and limits of n.
TYPES = [('int', 'int', 'i4', -2**31, 2**31 - 1), ('uint', 'uint', 'u4', 0, 2**32 - 1), ('size_t', 'ulong', 'u8', 0, 2**64 - 1),
         ('long', 'long', 'i8', -2**63, 2**63 - 1), ('short', 'short', 'i2', -2**15, 2**15 - 1),
         ('ushort', 'ushort', 'u2', 0, 2**16 - 1), ('char', 'char', 'i1', -128, 127), ('uchar', 'uchar', 'u1', 0, 255),
         ('int', 'long', 'i8', -2**63, 2**63 - 1), ('uint', 'int', 'i4', -2**31, 2**31 - 1), ('int', 'uint', 'u4', 0, 2**32 - 1),
         ('long', 'int', 'i4', -2**31, 2**31 - 1), ('uchar', 'int', 'i4', -2**31, 2**31 - 1)]
GUARDS = ['i < n', 'i <= n', 'i > n', 'i >= n', 'i == n', 'i != n', 'i > 0 && i < n', 'i + 1 < n', 'i - 1 < n', 'i * 2 < n',
          'n - i > 0', 'i + n > 70', 'i + n < i', '!(i < 3 || i >= n)', '(i ^ 1) < n', 'i >= n - 5 && i < n + 5', 'n > 9 && i < n - 1']
WRAP = ('n - i > 0', 'i + n > 70', 'i + n < i', 'i >= n - 5 && i < n + 5', 'n > 9 && i < n - 1', 'i * 2 < n') # undefined, for signed types
SIZE = 5003


def bounds(low, high, wrap=True):
    all_ = [0, 1, -1, 3, 63, 64, 65, 128, 255, 256, 1000, SIZE - 1, SIZE, SIZE + 1, 100000, low, low + 1, high, high - 1]
    if not wrap:
        low, high = low // 2, high // 2
    return sorted({n for n in all_ if low <= n <= high})


def guarded(name, index, guard, type_, kind, dtype, numbers, size, local, offset=None, before='', more=''):
    source = f"""kernel void k(global const uint *a, global uint *o, {kind} n)
{{ size_t at = {index}; {before} {type_} i = ({type_}){more or 'at'}; if ({guard}) o[at] = a[at] * 3 + 1; }}"""
    count = 6000
    case = (name, source, size, local, [('in', 'u4', count, None, None), ('out', 'u4', count), ('each', dtype, numbers)])
    return case + ((offset,) if offset else ())


CASES = []
FIRST = 'get_global_id(0)'
for (type_, kind, dtype, low, high), guard in itertools.product(TYPES, GUARDS):
    CASES.append(guarded(f'{type_} i, {kind} n: {guard}', FIRST, guard, type_, kind, dtype,
                         bounds(low, high, low == 0 or guard not in WRAP), (SIZE,), (64,)))

# Indices of work-items: rows, planes, offsets, incomplete work-groups, and work-groups that the runtime
# chooses.
WHERE = [('2D', 'get_global_id(1) * get_global_size(0) + get_global_id(0)', (75, 67), (16, 4), None),
         ('2D flat', 'get_global_id(1) * get_global_size(0) + get_global_id(0)', (512, 11), (32, 1), None),
         ('3D', '(get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0)', (23, 17, 13), (8, 4, 2), None),
         ('3D row', '(get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0)', (5, 37, 29), (5, 1, 1), None),
         ('flat', FIRST, (4096,), (32,), None), ('thirds', FIRST, (4800,), (3,), None), ('odd groups', FIRST, (SIZE,), (SIZE // 7,), None),
         ('any groups', FIRST, (5000,), None, None), ('offset', FIRST + ' - get_global_offset(0)', (4111,), (32,), (77,)),
         ('kept offset', FIRST, (4096,), (128,), (1001,)), ('large groups', FIRST, (5120,), (1024,), None),
         ('2D offset', '(get_global_id(1) - 5) * get_global_size(0) + get_global_id(0) - 900', (301, 14), (43, 2), (900, 5))]
PLACES = {'global 0': FIRST, 'local 0': 'get_local_id(0)', 'global 1': 'get_global_id(1)', 'local 1': 'get_local_id(1)',
          'group 0': 'get_group_id(0)', 'linear': 'get_global_linear_id()', 'sizes': 'get_num_groups(0) * get_enqueued_local_size(0)'}
HERE = [('int', 'i < n'), ('uint', 'i >= n && i < n + 900'), ('int', 'i == n'), ('long', 'i > 2 && (n > 70 || i < n)')]
for number, ((where, index, size, local, offset), (place, what)) in enumerate(itertools.product(WHERE, PLACES.items())):
    for type_, guard in HERE[number % 2::2]:
        kind, dtype = ('uint', 'u4') if type_ == 'uint' else ('int', 'i4')
        CASES.append(guarded(f'{where}, {place}: {guard}', index, guard, type_, kind, dtype, [0, 1, 2, 13, 31, 64, 300, 4095, 4096, 4900],
                             size, local, offset, more=what))

# What work-items do besides storing: count, wait, several guards, returns, loops behind guards.
DOES = {
    'count': 'if (at < n) atomic_inc(&o[5999]);',
    'count in local': 'local uint c; if (get_local_id(0) == 0) c = 0; barrier(CLK_LOCAL_MEM_FENCE); if (at < n) atomic_inc(&c); barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(0) == 0) o[get_group_id(0)] = c;',
    'barrier between': 'local uint t[1024]; uint l = get_local_id(0); if (at < n) t[l] = a[at]; else t[l] = 7; barrier(CLK_LOCAL_MEM_FENCE); if (at + 3 < n) o[at] = t[(l + 1) % get_local_size(0)];',
    'returns': 'if (at >= n) return; if (at == 9) return; if (a[at] % 3 == 0) return; o[at] = a[at];',
    'nested': 'if (at < n) { o[at] = 1; if (at > 60) { o[at] += a[at]; if (at < n - 2) o[at] ^= 4; } }',
    'one after the other': 'if (at < n) o[at] = 1; if (at > n) o[at] += a[at]; if (at == n) o[at] = 99;',
    'loop': 'if (at < n) for (uint k = 0; k < 5; k++) o[at] = o[at] * 3 + a[at + k];',
    'different loop': 'if (at < n) for (uint k = 0; k < (a[at] & 7); k++) o[at] = o[at] * 3 + a[at + k];',
    'in a loop': 'for (uint k = 0; k < 4; k++) if (at + 1000 * k < n) o[at] = o[at] * 3 + k;',
    'neighbors': 'if (at > 0 && at < n - 1) o[at] = a[at - 1] + a[at + 1];',
    'limit from memory': 'if (at < a[0] + n) o[at] = 3;',
    'limit that a store changes': 'o[at] = 1; if (at < n) o[at] = a[at] + 1;',
    'equal groups': 'if (get_group_id(0) == n) o[at] = get_local_id(0);',
    'first of the group': 'if (get_local_id(0) == 0) o[get_group_id(0)] = n + get_group_id(0);',
    'last of the group': 'if (get_local_id(0) == get_local_size(0) - 1) o[get_group_id(0)] = at;',
    'local limit': 'if (get_local_id(0) < get_local_size(0) / 2) o[at] = 5; else o[at] = n;',
    'from behind': 'if (get_global_size(0) - at > n) o[at] = get_global_size(0) - at;',
    'group sizes': 'o[at] = get_num_groups(0) * 10000 + get_enqueued_local_size(0) + get_sub_group_id() * 0 + get_max_sub_group_size();',
    'numbers of groups': 'if (at < n) o[at] = get_num_groups(0) * 10000 + get_enqueued_local_size(0);',
    'division of the limit': 'if (n != 0 && at < 100000 / n) o[at] = 100000 / n;',
    'difference': 'int d = (int)at - (int)n; if (d > -40 && d < 40) o[at] = d;',
    'narrow difference': 'short d = (short)(at - n); if (d > -40 && d < 40) o[at] = d;',
    'unsigned difference': 'if (at - n < 40) o[at] = at - n;',
    'select': 'o[at] = at < n ? a[at] : at == n ? 3 : 4;',
    'bits': 'if ((at & 64) == 0 && (at >> 3) < n) o[at] = at;',
    'sums': 'if (at < n) { o[at] = 0; for (uint k = 0; k < 70; k++) o[at] += a[k] * a[at + 2 * k]; }',
    'sums between': 'if (at > 2 && at < n) { o[at] = 0; for (uint k = 0; k < 70; k++) o[at] += a[k] * a[at + 2 * k]; }',
    'sums after returns': 'if (at < 5) return; if (at >= n) return; { o[at] = 0; for (uint k = 0; k < 70; k++) o[at] += a[k] * a[at + 2 * k]; }',
    'sums of one': 'if (at == n) { o[at] = 0; for (uint k = 0; k < 70; k++) o[at] += a[k] * a[at + 2 * k]; }',
    'sums of all but one': 'if (at != n) { o[at] = 0; for (uint k = 0; k < 70; k++) o[at] += a[k] * a[at + 2 * k]; }',
    'sums of all but the first': 'if (at != 0) { o[at] = 0; for (uint k = 0; k < 70; k++) o[at] += a[k] * a[at + 2 * k]; }',
    'sums of either end': 'if (at < 300 || at >= n) { o[at] = 0; for (uint k = 0; k < 70; k++) o[at] += a[k] * a[at + 2 * k]; }',
    'sums, difference': 'if (at - n < 40) { o[at] = 0; for (uint k = 0; k < 70; k++) o[at] += a[k] * a[at + 2 * k]; }',
    'sums, constant difference': 'if (at - 300 < 500) { o[at] = 0; for (uint k = 0; k < 70; k++) o[at] += a[k] * a[at + 2 * k]; }',
    'sums, signed difference': 'int d = (int)at - 300; if (d > -40 && d < (int)(n & 0xffff)) { o[at] = 0; for (uint k = 0; k < 70; k++) o[at] += a[k] * a[at + 2 * k]; }',
    'sums from a store on': 'o[at] = 1; if (at < n) { o[at] = 0; for (uint k = 0; k < 70; k++) o[at] += a[k] * a[at + 2 * k]; }',
    'sums by value': 'if (a[at] & 1) { o[at] = 0; for (uint k = 0; k < 70; k++) o[at] += a[k] * a[at + 2 * k]; }',
    'sums with breaks': 'if (at >= n) return; uint s = 0; for (uint k = 0; k < 70; k++) { s += a[at + k]; if (s % 61 == 5) break; } o[at] = s;',
    'cases': 'uint x = a[at]; switch (x & 7) { case 0: o[at] = x * n; break; case 1: case 2: o[at] = x - n; break; case 3: x ^= n; case 4: o[at] = x * 5; break; case 6: return; default: o[at] = 9; } o[at] += x;',
    'cases in a loop': 'uint x = a[at]; uint s = 0; for (uint k = 0; k < 20; k++) { switch (x % 6) { case 0: s += k; break; case 1: s ^= x; case 2: s *= 3; break; case 4: s -= a[k]; } x = x * 5 + n; } o[at] = s;',
    'cases that leave a loop': 'uint x = a[at]; uint s = 0; for (uint k = 0; k < 40; k++) { switch (x % 9) { case 0: s += k; break; case 1: s ^= x; continue; case 2: o[at] = s; return; case 4: s -= a[k]; case 5: k++; } x = x * 5 + 1; } o[at] = s;',
    'equal cases': 'uint x = a[at]; for (uint k = 0; k < 9; k++) switch ((n + k) % 5) { case 0: x += k; break; case 1: x ^= n; case 3: x *= 3; break; default: x--; } o[at] = x;',
    'far cases': 'uint x = a[at]; switch ((int)x) { case -5: o[at] = 1; break; case 2147483647: case 0: o[at] = 2; break; case 1000: o[at] = 3; } switch (at) { case 5: o[at] = 7; break; case 70: o[at] += 8; }',
    'halves': 'if (2 * at < n) { o[2 * at] = 1; o[2 * at + 1] = a[at]; }',
}
for (name, does), (where, size, local) in itertools.product(DOES.items(), [('odd', (SIZE,), (64,)), ('even', (4096,), (128,)), ('small', (4200,), (6,))]):
    source = f'kernel void k(global const uint *a, global uint *o, uint n) {{ uint at = get_global_id(0); {does} }}'
    CASES.append((f'{name}, {where}', source, size, local, [('in', 'u4', 6100, None, None), ('out', 'u4', 10100),
                                                            ('each', 'u4', [0, 1, 2, 65, 100, 1000, 4095, 4200, SIZE, 6000, 2**31, 2**32 - 1])]))

# Bytes and shorts at any position, up to the ends of buffers and arrays.
COUNT = 4099
for type_, dtype in [('char', 'i1'), ('uchar', 'u1'), ('short', 'i2'), ('ushort', 'u2')]:
    places = {
        'global': ('', f'a[j % {COUNT}]'), 'the end': ('', f'a[{COUNT - 1} - j % 3]'), 'the beginning': ('', 'a[j % 5]'),
        'constant': ('', 't[j % 7]'), 'local': (f'local {type_} w[67]; w[at % 67] = 0; barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(0) < 64) w[get_local_id(0)] = b[get_local_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);', 'w[j % 67]'),
        'private': (f'{type_} w[3]; for (int k = 0; k < 3; k++) w[k] = b[at + k];', 'w[j % 3]'),
        'either array': (f'{type_} w[3], v[5]; for (int k = 0; k < 3; k++) w[k] = b[at + k]; for (int k = 0; k < 5; k++) v[k] = k; {type_} *p = x & 1 ? w : v;', 'p[j % 3]'),
        'private one': (f'{type_} w[1], v[1]; w[0] = b[at]; v[0] = at; {type_} *p = x & 1 ? w : v;', 'p[0]'),
        'written before': (f'o[at] = b[at + 1]; o[at + {COUNT}] = 5;', f'o[at + (j & 1) * {COUNT}]'),
        'vector part': ('', f'vload2(j % {COUNT // 2}, a).y'), 'index of an index': ('', f'a[(uint)(ushort)a[j % {COUNT}] % {COUNT}]'),
        'aside': ('', f'((global const {type_} *)((global const uchar *)a + 4))[j % 4000]'),
    }
    for (name, (before, value)), (loop, loops) in itertools.product(places.items(), [('', 1), (' in loops', 9), (' in different loops', '(x & 7) + 1')]):
        source = f"""constant {type_} t[7] = {{1, 2, 3, 4, 5, 6, 99}};
kernel void k(global const {type_} *a, global const uint *b, global {type_} *o, uint n)
{{ uint at = get_global_id(0), x = b[at]; {before} uint r = 0; if (at >= n) return;
  for (uint k = 0; k < {loops}; k++) {{ uint j = x + k * 5 + r; r = r * 3 + {value}; }} o[at] = ({type_})r; }}"""
        if 'local' in name:
            source = source.replace('if (at >= n) return;', '')
        CASES.append((f'{type_}, {name}{loop}', source, (4096,), (64,),
                      [('in', dtype, COUNT, None, None), ('in', 'u4', 4200, None, None), ('out', dtype, 2 * COUNT), ('each', 'u4', [4000, 4096])]))

# Divisions of extreme values.  The operands begin and end with limits; each is combined with each of some
# others.
for type_, dtype in [('int', 'i4'), ('uint', 'u4'), ('long', 'i8'), ('short', 'i2'), ('uchar', 'u1')]:
    high = {'i4': 2**31, 'u4': 2**32, 'i8': 2**63, 'i2': 2**15, 'u1': 2**8}[dtype]
    low = 0 if dtype[0] == 'u' else -high
    extreme = sorted({n for n in [low, low + 1, low + 2, high - 1, high - 2, high // 2, high // 2 - 1, 0, 1, -1, 2, -2, 3, -3, 7, 10, 255, 65535, 65536, 65537,
                                  16777215, 16777217, -65535, high // 3, high // 3 + 1, high // 7, -(high // 3)] if low <= n < high})
    for name, e in {'quotient': 'x / y', 'rest': 'x % y', 'both': f'({type_})(x / y * 7 + x % y)', 'quotient or 0': 'y == 0 ? 0 : x / y',
                    'loop': '0; for (uint k = 0; k < (at & 3) + 2; k++) r += (x + k) / (y ^ k) + (x - k) % (y + k)'}.items():
        source = f"""kernel void k(global const {type_} *a, global const {type_} *b, global {type_} *o, {type_} n)
{{ uint at = get_global_id(0); {type_} x = a[at], y = b[(at * 7 + 3) % 4099]; {type_} r = {e}; o[at] = r;
  y = n; r = {e}; o[at + 4100] = r; x = n; y = b[at]; r = {e}; o[at + 8200] = r; }}"""
        CASES.append((f'{type_} {name}', source, (4099,), (64,),
                      [('in', dtype, 4100, None, None), ('in', dtype, 4100, None, None), ('out', dtype, 12300), ('each', dtype, extreme)]))

# Floats that saturate: limits, their neighbors, infinities and NaN.
INTEGERS = [('char', 8, True), ('uchar', 8, False), ('short', 16, True), ('ushort', 16, False), ('int', 32, True), ('uint', 32, False),
            ('long', 64, True), ('ulong', 64, False)]
MODES = ['', '_rte', '_rtz', '_rtp', '_rtn']
for (to, bits, sign), (type_, word) in itertools.product(INTEGERS, [('float', 'uint'), ('double', 'ulong'), ('half', 'ushort')]):
    least, most = (-2**(bits - 1), 2**(bits - 1) - 1) if sign else (0, 2**bits - 1)
    edges = ', '.join(repr(float(v)) for v in [least, most, most + 1, least - 1, (least + most) / 2])
    edge = 'convert_half(e[k])' if type_ == 'half' else f'({type_})e[k]'
    converted = ' '.join(f'o[at + {4099 * n}] = convert_{to}_sat{mode}(x);' for n, mode in enumerate(MODES))
    source = f"""#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant double e[5] = {{{edges}}};
kernel void k(global const {word} *a, global {to} *o)
{{ uint at = get_global_id(0), k = at % 5; {type_} x = at < 2048 ? as_{type_}(a[at]) : {edge};
  if (at >= 3000) x = as_{type_}(({word})(as_{word}(x) + at % 13 - 6)); if (at % 11 == 7) x = at & 1 ? NAN : at & 2 ? INFINITY : -INFINITY;
  {converted} }}"""
    CASES.append((f'{to} from {type_}', source, (4099,), (64,),
                  [('in', {'uint': 'u4', 'ulong': 'u8', 'ushort': 'u2'}[word], 4099, None, None), ('out', f'{"i" if sign else "u"}{bits // 8}', 5 * 4099)]))
for from_, width, sign in INTEGERS:
    converted = ' '.join(f'o[at + {4099 * n}] = convert_{to[0]}_sat(x);' for n, to in enumerate(INTEGERS))
    source = f"""kernel void k(global const {from_} *a, global long *o)
{{ uint at = get_global_id(0); {from_} x = a[at] >> (at % {width}); {converted} }}"""
    CASES.append((f'all from {from_}', source, (4099,), (64,), [('in', f'{"i" if sign else "u"}{width // 8}', 4099, None, None), ('out', 'i8', 8 * 4099)]))

# Vectors of each work-item, which may remain vectors: guarded, saturated, shuffled, three of four.
VECTORS = {
    'copy': ('float', 'f4', 'if (at < n) o[at] = a[at];'), 'sum': ('int', 'i4', 'if (at >= n) return; o[at] = a[at] * 3 + a[at + 1].wzyx;'),
    'bytes': ('uchar', 'u1', 'if (at < n) o[at] = a[at].s3120 + (uchar4)(1, 2, 3, 4);'), 'part': ('short', 'i2', 'if (at < n) o[at].yz = a[at].xw;'),
    'three': ('uint', 'u4', 'if (at < n) vstore3(vload3(at, (global const uint *)a).zxy + 1, at, (global uint *)o);'),
    'neighbors': ('float', 'f4', 'if (at > 0 && at < n) o[at] = a[at - 1] + a[at] * 2 + a[at + 1];'),
    'loop': ('float', 'f4', 'float4 s = 0; if (at < n) { for (uint k = 0; k < 6; k++) s = s * 2 + a[at + k]; o[at] = s; }'),
    'to bytes': ('float', 'f4', 'if (at < n) ((global uchar4 *)o)[at] = convert_uchar4_sat_rte(a[at] / 300000);'),
    'to shorts': ('float', 'f4', 'if (at != n) ((global short4 *)o)[at] = convert_short4_sat(a[at] * a[at + 1]);'),
    'to integers': ('float', 'f4', 'if (at <= n) ((global int4 *)o)[at] = convert_int4_sat_rtn(a[at] * (a[at + 1] - a[at]));'),
    'eight': ('short', 'i2', 'if (at < n / 2) vstore8(vload8(at, (global const short *)a) + (short8)(n), at, (global short *)o);'),
    'divided': ('int', 'i4', 'if (at < n) o[at] = a[at] / a[at + 1] + a[at] % (int4)(n);'),
    'compared': ('int', 'i4', 'if (at < n) o[at] = a[at] < a[at + 1] ? a[at] : (int4)(n);'),
}
for (name, (type_, dtype, does)), (size, local) in itertools.product(VECTORS.items(), [((4097,), (64,)), ((4096,), (16,))]):
    source = f'kernel void k(global const {type_}4 *a, global {type_}4 *o, uint n) {{ uint at = get_global_id(0); {does} }}'
    low, high = (-1e9, 1e9) if dtype == 'f4' else (None, None)
    CASES.append((f'vectors, {name} {size[0]}', source, size, local,
                  [('in', dtype, 4 * 4104, low, high), ('out', dtype, 4 * 4104), ('each', 'u4', [0, 1, 1000, 4096, 4097])]))
