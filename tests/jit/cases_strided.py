"""Loops in which each work-item visits every n-th element from its id on, for the differential test; see cases.py.  Work-items of a strip
share the counter of such a loop, enter it or not, leave it in any iteration, and see no work-groups."""
import itertools

COUNT = 8192  # elements
SIZES = [((1024,), (64,)), ((2048,), (1,)), ((960,), (16,)), ((1000,), (8,)), ((500,), (64,)), ((256,), (256,)), ((4096,), (128,), (7,)), ((96, 6), (16, 3)),
         ((640, 3), (64, 1), (64, 2))]
TYPES = ['size_t', 'uint', 'int', 'long', 'ushort']
ID = 'get_global_id(0)'
GROUP = 'get_group_id(0) * get_local_size(0) + get_local_id(0)'
ALL = 'get_global_size(0)'
# The start of I, its bound, its step.
RANGES = [(ID, 'n', ALL), (ID, '8000', ALL), (GROUP, 'n', 'get_local_size(0) * get_num_groups(0)'), (ID + ' * 2', 'n - 1', ALL + ' * 2'), (ID + ' * 4 + 1', 'n - 3', ALL + ' * 4'),
          (ID, 'n / 7', ALL), (ID, 'a[' + ID + '] % n', ALL), (ID, 'n', 'a[3] % 500 + 1'), (ID, 'n', 'a[' + ID + '] % 500 + 1'), (ID + ' + 5', 'n', '64'),
          ('get_group_id(0) * 100 + get_local_id(0)', 'n', '300'), ('get_local_id(0)', 'n', 'get_local_size(0)'), ('get_group_id(0)', 'n', 'get_num_groups(0)'),
          (ID + ' % 48', 'n', ALL), ('n - 1 - ' + ID, 'n', ALL), ('get_local_size(0) - get_local_id(0)', 'n', ALL), ('get_global_linear_id()', 'n', ALL),
          (GROUP, 'n', 'get_enqueued_local_size(0) * 8'), ('2 * get_group_id(0) * get_local_size(0) + get_local_id(0)', 'n', '2 * get_local_size(0) * get_num_groups(0)')]
BODIES = {
    'map': 'o[i] = a[i] * 3 + b[i];',
    'sum': 's += a[i] * b[i];',
    'search': 'if (a[i] % 97 == s % 97) break; s = s * 3 + a[i];',
    'skips': 'if (a[i] & 4) continue; s ^= b[i]; o[i] = s;',
    'counts': 's += i; m++;',
    'inner': 'for (uint k = 0; k < (a[i] & 3); k++) s = s * 5 + b[(i + k) % n];',
    'bytes': '((global uchar *)o)[i] = ((global const uchar *)a)[i] + 1; s += ((global const ushort *)b)[i];',
    'changes': 'if ((a[i] & 15) == 3) i += 7; s += a[i % n];',
}


def case(name, type_, start, bound, step, body, size, extra=''):
    source = f"""kernel void k(global const uint *a, global const uint *b, global uint *o, global uint *r, uint n)
{{ uint s = get_global_id(0), m = 0, at = get_global_linear_id(); {type_} i = {start};
  {extra}for (; i < ({type_})({bound}); i += {step}) {{ {body} }} r[at] = s + m * 3; r[at + 5000] = i; }}"""
    return (name, source, *size[:2], [('in', 'u4', COUNT, None, None), ('in', 'u4', COUNT, None, None), ('out', 'u4', COUNT), ('out', 'u4', 10000),
                                      ('value', 'u4', COUNT - 5)], *size[2:])


CASES = []
for number, (type_, (start, bound, step), (name, body)) in enumerate(itertools.product(TYPES, RANGES, BODIES.items())):
    if number % 3 and (type_, name) not in (('size_t', 'map'), ('uint', 'sum')):
        continue
    size = SIZES[number * 7 % len(SIZES)]
    races = start != ID or step != ALL or name == 'bytes' or len(size[0]) > 1
    written = body.replace('o[i] =', 's ^=').replace('((global uchar *)o)[i] =', 's ^=') if races and name != 'map' else body
    if type_ in ('int', 'ushort', 'long') and name == 'changes':
        continue
    CASES.append(case(f'{type_} from {start} to {bound} by {step}: {name} {size}', type_, start, bound, step, written, size))

# Counters that wrap around before they reach the bound.
for type_, start in [('uint', 'get_global_id(0) - 3000'), ('uint', '0xfffff000u + get_global_id(0)'), ('ushort', 'get_global_id(0) + 65000')]:
    CASES.append(case(f'wraps around: {start}', type_, start, '(uint)i >= 0xfffff000u ? 0xffffffffu : 700', '100', 's = s * 3 + a[i % n];', SIZES[0]))

# Two dimensions, guards, reductions in local memory, bounds that no work-item reaches.
for name, body, size in [
        ('rows', 'for (uint y = get_global_id(1); y < 60; y += get_global_size(1)) for (uint x = get_global_id(0); x < 130; x += get_global_size(0)) o[y * 130 + x] = a[y * 130 + x] * 3 + y;',
         ((96, 6), (16, 3))),
        ('rows far', 'for (int y = get_global_id(1); y < 60; y += get_global_size(1)) for (int x = get_global_id(0); x < 130; x += get_global_size(0)) o[x * 60 + y] = a[y * 130 + x] ^ x;',
         ((64, 32), (8, 8), (3, 1))),
        ('guard', 'uint i = get_global_id(0); if (i >= 700) return; for (; i < n; i += 700) o[i] = a[i] + b[i];', ((1024,), (64,))),
        ('guard far', 'uint g = get_global_id(0); if (g < 1000) { for (uint i = g; i < n; i += 1000) o[i] = a[i] + b[i]; r[g] = 5; } else r[g] = 7;', ((1024,), (128,))),
        ('twice', 'uint g = get_global_size(0), s = 0; for (uint i = get_global_id(0); i < n; i += g) s += a[i]; for (uint i = get_global_id(0); i < n; i += 2 * g) o[i] = s ^ b[i]; ',
         ((2048,), (32,))),
        ('outer', 'for (uint j = 0; j < 5; j++) { uint s = 0; for (uint i = get_global_id(0); i < n >> j; i += get_global_size(0)) s += a[i] ^ j; r[get_global_id(0)] = r[get_global_id(0)] * 3 + s; }',
         ((1024,), (64,))),
        ('local', 'local uint t[64]; uint l = get_local_id(0), s = 0; for (uint i = get_global_id(0); i < n; i += get_global_size(0)) s += a[i] * b[i]; t[l] = s; barrier(CLK_LOCAL_MEM_FENCE);'
         ' for (uint m = 32; m > 0; m >>= 1) { if (l < m) t[l] += t[l + m]; barrier(CLK_LOCAL_MEM_FENCE); } if (l == 0) r[get_group_id(0)] = t[0];', ((1024,), (64,))),
        ('local, few', 'local uint t[64]; uint l = get_local_id(0), s = 0; for (size_t i = get_global_id(0); i < n / 9; i += get_global_size(0)) s += a[i] * b[i]; t[l] = s; barrier(CLK_LOCAL_MEM_FENCE);'
         ' r[get_global_id(0)] = t[(l + 1) % get_local_size(0)];', ((1000,), (64,))),
        ('two by two', 'local uint t[64]; uint l = get_local_id(0), s = 0; for (uint i = get_group_id(0) * 128 + l; i < n; i += 128 * get_num_groups(0)) { s += a[i]; if (i + 64 < n) s ^= b[i + 64]; }'
         ' t[l] = s; barrier(CLK_LOCAL_MEM_FENCE); r[get_global_id(0)] = t[63 - l];', ((1024,), (64,))),
        ('tiles', 'local uint t[500]; uint s = 0; for (uint j = 0; j < 4; j++) { for (uint i = get_local_id(0); i < 500; i += get_local_size(0)) t[i] = a[j * 500 + i]; barrier(CLK_LOCAL_MEM_FENCE);'
         ' for (uint k = 0; k < 40; k++) s = s * 3 + t[(get_local_id(0) + k * 7) % 500]; barrier(CLK_LOCAL_MEM_FENCE); } r[get_global_id(0)] = s;', ((256,), (64,))),
        ('groups seen', 'uint w = get_local_size(0), g = get_group_id(0); for (uint i = g * w + get_local_id(0); i < n; i += w * get_num_groups(0)) o[i] = a[i] + g;', ((1024,), (1,))),
        ('group of one', 'uint g = get_group_id(0), s = get_local_id(0); for (uint i = g; i < n; i += get_num_groups(0)) { o[i] = a[i] + g; s += b[i]; } r[g] = s * get_local_size(0);', ((2048,), (1,))),
        ('group of one, rows', 'uint g = get_group_id(0), h = get_group_id(1); for (uint i = g; i < 100; i += get_num_groups(0)) o[h * 100 + i] = a[i] + g + get_local_id(1);', ((64, 8), (1, 4)))]:
    source = f'kernel void k(global const uint *a, global const uint *b, global uint *o, global uint *r, uint n) {{ {body} }}'
    CASES.append((name, source, *size[:2], [('in', 'u4', COUNT, None, None), ('in', 'u4', COUNT, None, None), ('out', 'u4', COUNT), ('out', 'u4', 10000), ('value', 'u4', COUNT - 5)], *size[2:]))
