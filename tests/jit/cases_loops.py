"""Kernels whose work-items execute loops with different trip counts, for the differential test; see
cases.py."""

COSTS = 0.25  # tests/lib/sample.py: each body has several sizes

BODIES = {
    'escape': 'int k = 0; uint u = x; for (; k < 100 && (u & 255) != 7; k++) u = u * 1664525u + y; r = k + u;',
    'guarded': 'if (x & 1) { for (int k = 0; k < 20; k++) r = r * 3 + a[(i + k) & 255]; } else r = 9;',
    'early return': 'if (i % 5 == 3) { o[i] = 77; return; } for (uint k = 0; k < (x & 15); k++) r += k * y;',
    'nested': 'for (uint j = 0; j < (x & 7); j++) for (uint k = 0; k < (y & 7); k++) r = r * 5 + j * k + a[(j + k + i) & 255];',
    'inner uniform': 'for (uint j = 0; j < (x & 7); j++) for (uint k = 0; k < 6; k++) r = r * 5 + (j ^ k) + b[k];',
    'outer uniform': 'for (uint j = 0; j < 9; j++) { uint u = x + j; while (u & 31) { u = u * 5 + 1; r += u; if (r > 0xf0000000u) break; } }',
    'guard in loop': 'for (uint j = 0; j < 12; j++) { if ((x >> j) & 1) { for (uint k = 0; k < 5; k++) r = r * 31 + k + j; } r ^= j; }',
    'continue': 'for (uint j = 0; j < (y & 31); j++) { if ((x + j) % 3 == 0) continue; if (r > 0x80000000u) break; r = r * 17 + j; }',
    'two loops': 'uint u = x; while (u & 15) { u = u * 5 + 1; r++; } for (uint k = 0; k < (y & 15); k++) r = r * 3 + u;',
    'flag across': 'bool seen = false; for (uint k = 0; k < (x & 31); k++) { seen |= a[(i + k) & 255] % 7 == 0; r += seen ? k : 1; } r = seen ? r : ~r;',
    'bytes': 'uchar c = x; ushort s = y; for (uint k = 0; k < (x & 15); k++) { c = c * 7 + k; s ^= c; } r = c + s;',
    'long': 'ulong w = x; for (uint k = 0; k < (y & 15); k++) w = w * 6364136223846793005ul + k; r = (uint)(w >> 13);',
    'float': 'float f = (float)(x & 1023) / 64, g = 0; for (int k = 0; k < 50 && g < 30; k++) { g += f * 0.37f; f = sqrt(f + k); } r = as_uint(g);',
    'scatter': 'for (uint k = 0; k < (x & 3); k++) { o[i] = r + k; r += o[i] * 3; }',
    'private array': 'uint w[9]; for (int k = 0; k < 9; k++) w[k] = x * k; for (uint k = 0; k < (y & 31); k++) w[(k * x) % 9] += w[k % 9] + k; for (int k = 0; k < 9; k++) r ^= w[k];',
    'atomic inside': 'for (uint k = 0; k < (x & 7); k++) { atomic_add(&o[256 + (i & 7)], k); r += k; }',
    'switch inside': 'for (uint k = 0; k < (x & 15); k++) switch ((r + k) & 3) { case 0: r += 5; break; case 1: r *= 3; break; case 2: r ^= y; default: r++; }',
    'same case': 'for (uint k = 0; k < 40; k++) switch (b[k] % 7) { case 0: r += x; break; case 1: r ^= y; case 2: r *= 3; break; case 3: if (r & 1) r += k; break; case 4: o[i] = r; break; case 5: r -= o[i]; }',
    'same case, then other code': 'for (uint k = 0; k < 40; k++) { switch (b[k] % 9) { case 0: r += x; break; case 1: if (r & 4) k += 2; break; case 2: continue; case 3: r = r * 5 + k; default: r ^= k; } r += y; }',
    'same case or the end': 'for (uint k = 0; k < 40; k++) { switch (b[k] % 11) { case 0: r += x; break; case 1: r = r * 3 + y; continue; case 2: if (k > 20) { o[i] = ~r; return; } case 3: r ^= k; break; case 4: k = 60; } r += y / (b[k & 31] | 1); }',
    'do while': 'uint u = x | 1; do { r += u & 3; u >>= 1; if (u == 5) break; } while (u); r += u << 8;',
    'call': 'for (uint k = 0; k < (x & 7); k++) r = f(r, k);',
    'step by id': 'for (uint k = get_local_id(0); k < 100; k += get_local_size(0)) r = r * 3 + a[k];',
    'tile by id': 'uint h = get_local_size(0); for (uint k = get_local_id(0); k < 4 * h; k += h) r = r * 3 + a[k & 255];',
    'tile by constant': 'for (int k = get_local_id(0); k < 256; k += 64) r = r * 3 + a[k]; for (int k = get_local_id(0) + 128; k < 512; k += 128) r += b[k & 255] ^ k;',
    'tile downwards': 'for (int k = 255 - (int)get_local_id(0); k >= 0; k -= 64) r = r * 5 + b[k]; for (ulong k = get_local_id(0) * 4; k < 200; k += 100) r ^= a[k & 255] + k;',
    'tile almost': 'for (uint k = get_local_id(0); k < 255; k += 64) r = r * 3 + a[k]; for (uint k = get_local_id(0); k < 257; k += 64) r = r * 3 + a[k & 255];',
    'tile by both': 'for (uint k = get_local_id(1) * 16 + get_local_id(0); k < 192; k += 48) r = r * 7 + a[k & 255];',
    'tile that wraps': 'for (uint k = get_local_id(0) - 1; k < 64; k += 64) r = r * 3 + a[k & 255]; for (uchar k = get_local_id(0); k < 240; k += 100) if ((r += k) % 5 == 0) break;',
    'ranges of ids': 'uint v = get_local_id(0), h = get_local_size(0); r = (v < h) + 2 * (v < 24) + 4 * (v <= 63) + 8 * (v >= 64) + 16 * ((int)v - 50 < 0) + 32 * (v - 1 < 63) + 64 * '
                     '(v * 2 + 1 != 128) + 128 * (h > 24) + 256 * ((char)(v + 80) < 0) + 512 * (v / 8 == 0) + 1024 * (max(v, 64u) == 64) + 2048 * (h <= 49) + 4096 * (get_local_id(1) < 2); if (v >= 100) r = 7;',
    'vectors': 'uint4 v = (uint4)(x, y, 1, 2); for (uint k = 0; k < (x & 15); k++) v = v.yzwx * 3 + k; r = v.x ^ v.y ^ v.z ^ v.w;',
    'dynamic component': 'uint4 v = (uint4)(x, y, 1, 2); for (uint k = 0; k < (x & 15); k++) ((uint *)&v)[(k + x) & 3] += k; r = v.x ^ v.y ^ v.z ^ v.w;',
    'pointer': 'global const uint *p = a + (i & 63); for (uint k = 0; k < (y & 15); k++) { r = r * 3 + *p; p += (r & 1) + 1; }',
    'skipped': 'for (uint k = 0; k < 30; k++) { uint u = a[(i + k) & 255] ^ y; if (u % 11 < 9) continue; uint v = b[k]; r = r / (u | 1) + (v / (r | 3)) * 7; r ^= (u / ((r & 15) + 1)) + v % (u | 9); r = r * 3 + x / (r | 5) + k; }',
    'skipped by floats': 'float f = x % 1000, g = 0; for (uint k = 0; k < 40; k++) { float d = f - b[k] % 1000; if (d * d < 900) { g += d / (1 + d * d) + d / (2 + d * d) + sqrt(d * d + k) / (f + 1); g -= d / (3 + d * d) + g / (4 + d * d); } } r = as_uint(g);',
    'skipped stores': 'for (uint k = 0; k < 9; k++) { if ((a[k] ^ x) & 12) continue; uint u = o[i] + x / (k + y % 5 + 1); u += r / (u | 1); o[i] = u * 3 + u / (x | 1) + u % (y | 1); r += o[i] / (k + (x & 1) + 1) + r / (y | 7); } r += o[i];',
    'skipped without loop': 'if ((x ^ y) % 5 == 2) { r = x / (y | 1) + y / (x % 9 + 1); r = r / (x % 5 + 1) + r % (y | 3); r ^= a[r & 255] / (x | 1) + b[(r >> 8) & 255] / (y % 7 + 1); r = r / (x % 3 + 1) + y % (r | 1); } else r = x;',
    'skipped, with a loop': 'for (uint k = 0; k < 9; k++) { uint u = a[(i * 3 + k) & 255]; if (u % 8 > 1) continue; r = r / (u | 1) + u / (y % 9 + 1) + x / (u % 5 + 1); for (uint j = 0; j < (u & 7); j++) r = r * 5 + j; r ^= r / (x | 1) + u / (r | 1) + y / (u | 3); }',
    'search': 'r = 199; for (uint k = 0; k < 200; k++) if (a[k] % 64 + k >= (x & 255)) { r = k; break; } r += a[r];',
    'search again': 'for (uint j = 0; j < 5; j++) for (uint k = j; k < 100; k++) if ((a[k] ^ x) % 16 == j) { r = r * 7 + k; break; }',
    'search and leave both': 'for (uint j = 0; j < 4; j++) { uint k = 0; for (; k < 60; k++) if ((b[k] ^ y) % 32 == j) break; r = r * 3 + k; if (k == 60) break; r++; }',
    'guarded search': 'if (x & 2) { for (uint k = 0; k < 90; k++) { r += a[k]; if ((r & 12) == 4) break; } } else r = y;',
    'search after another': 'uint k = 0; for (; k < 99 && (a[k] ^ x) & 7; k++) r += k; for (uint j = b[5] & 7; j < 99 && (b[j] ^ k) & 15; j++) r = r * 3 + j;',
    'search and return': 'for (uint k = 0; k < 100; k++) if (a[k] % 128 < (x & 31)) { o[i] = k; return; } r = y;',
    'two counters': 'uint m = 250, n = 0; for (uint k = 3; k < (x & 63); k += 2, m -= 3, n += k) r = r * 5 + b[k] + m; r += m ^ n;',
    'counter that stays': 'for (uint k = 0; k < (y & 31);) { r = r * 1664525u + x; if (r & 0x1000) k++; r += b[k]; }',
    'load after store': 'for (uint k = 0; k < (x & 31); k++) { o[i] = k + x; r = r * 3 + o[i] + b[k]; if (b[k + 7] % 8 == (r & 7)) r ^= a[k]; }',
    'bytes of rows': 'global const uchar *p = (global const uchar *)a, *q = (global const uchar *)b; for (int j = 0; j < 4; j++) for (int k = 0; k < 8; k++) r += abs_diff(p[(i & 63) * 8 + j * 99 + k], q[(i & 31) * 8 + j * 16 + k + 3]);',
    'value before': 'global const uchar *p = (global const uchar *)a; uchar last = 255; for (int k = 0; k < 24; k++) { uchar c = p[(i & 31) * 24 + k] & 3; if (c != last) r = r + 1; last = c; } r += last;',
    'value before, or not': 'global const uchar *p = (global const uchar *)a; uchar last = 9; for (int k = 0; k < 24; k++) { uchar c = p[(i & 31) * 24 + k] & 7; if (c > 2) last = c; r += last; }',
    'length': 'global const uchar *p = (global const uchar *)a + (i & 63) * 8; uint k = 0; while (k < 200 && (p[k] & 15) != (y & 15)) k++; r += k;',
    'private counts': 'uint w[16] = {0}; global const uchar *p = (global const uchar *)a + (i & 31) * 16; for (int k = 0; k < 100; k++) w[p[k] & 15] += k; for (int k = 0; k < 16; k++) r = r * 3 + w[k];',
    'private exchange': 'uint w[16]; for (int k = 0; k < 16; k++) w[k] = a[(i + k * 7) & 255]; for (int k = 0; k < 30; k++) { uint m = (x >> k) & 15, n = (y >> k) & 15, p = w[m], q = w[n]; if (p > q) { w[m] = q; w[n] = p; r += m; } } '
                        'for (int k = 0; k < 16; k++) r = r * 3 + w[k];',
    'column': 'int h[25]; for (int k = 0; k < 25; k++) h[k] = k; for (uint j = 0; j < (b[0] & 31); j++) { int before = 0, gap = 0; uint c = a[(i + j) & 255]; for (int k = 1; k < 25; k++) { int score = max(max(before + ((c ^ k * 5) & 3 ? -1 : 2), 0), '
              'max(gap - 1, h[k] - 3)); gap = max(gap - 1, h[k - 1] - 3); before = h[k]; h[k] = score; r = max(r, (uint)score); } } r = r * 31 + h[x % 25];',
    'climb': 'uint at = x & 15; while (at < 255) { uint u = a[at] ^ x, v = u * 9 + (u >> 5), w = (v ^ (v << 3)) * 5 + at; if ((w ^ (w >> 7)) % 16 < 9) { r = r * 3 + w; at = 2 * at + 1; } '
             'else { r ^= w; while (at != 0 && (at & 1) == 0) at = at / 2 - 1; at = at == 0 ? 255 : at + 1; } }',
    'triple': 'for (uint j = 0; j < 3; j++) for (uint k = 0; k < (x & 3); k++) { uint m = y; while (m & 7) { m = m * 5 + 1 + 2 * j; r++; } if (r & 64) break; }',
}
CASES = []
for size, local in [((256,), (64,)), ((240,), (24,)), ((200,), (100,)), ((250,), (50,)), ((32, 6), (16, 3)), ((40, 4), (8, 2)), ((230,), (64,))]:
    for name, body in BODIES.items():
        index = 'get_global_id(0)' if len(size) == 1 else 'get_global_id(1) * get_global_size(0) + get_global_id(0)'
        source = f"""uint f(uint r, uint k) {{ for (uint j = 0; j < (r & 3); j++) k = k * 3 + j; return r + k; }}
kernel void k(global const uint *a, global const uint *b, global uint *o)
{{ uint i = {index}, x = a[i], y = b[i], r = 1; {body} o[i] = r; }}"""
        CASES.append((f'{name} {size} {local}', source, size, local,
                      [('in', 'u4', 256, None, None), ('in', 'u4', 256, None, None), ('out', 'u4', 264)]))
        if len(size) == 1 and size[0] % local[0] == 0 and 'return' not in name:
            source = f"""uint f(uint r, uint k) {{ for (uint j = 0; j < (r & 3); j++) k = k * 3 + j; return r + k; }}
kernel void k(global const uint *a, global const uint *b, global uint *o)
{{ local uint t[128]; uint i = {index}, l = get_local_id(0), n = get_local_size(0), x = a[i], y = b[i], r = 1; t[l] = x;
  for (uint step = 0; step < 2; step++) {{ barrier(CLK_LOCAL_MEM_FENCE); x = t[(l + 1) % n]; {body}
  barrier(CLK_LOCAL_MEM_FENCE); t[l] ^= r; }} o[i] = r; }}"""
            CASES.append((f'barriers and {name} {size} {local}', source, size, local,
                          [('in', 'u4', 256, None, None), ('in', 'u4', 256, None, None), ('out', 'u4', 264)]))
# Each work-item writes a row of consecutive elements, which remain scalar code.
ROWS = {
    'prefix sums': 'uint s = i; for (int k = 0; k < COUNT; k++) { s += p[i * 32 + k]; o[i * 32 + k] = s; }',
    'prefix sums, from another start': 'uint s = i; for (int k = b[1] & 3; k < COUNT; k++) { s = s * 3 + p[i * 32 + k]; o[i * 32 + k] = s; }',
    'prefix sums that end': 'uint s = 0; for (int k = 0; k < COUNT; k++) { s += p[i * 32 + k]; o[i * 32 + k] = s; if ((s & 31) == 5) break; }',
}
for name, body in ROWS.items():
    for count in '1', '2', '3', '31', '32', '(int)(b[0] & 1)', '(int)(b[0] & 31)', '(int)(b[0] % 33)', '(int)(b[i] & 31)':
        source = f"""kernel void k(global const ushort *p, global const uint *b, global uint *o)
{{ int i = get_global_id(0); {body.replace('COUNT', count)} }}"""
        CASES.append((f'{name} {count}', source, (64,), (32,), [('in', 'u2', 2048, None, None), ('in', 'u4', 64, None, None), ('out', 'u4', 2048)]))
