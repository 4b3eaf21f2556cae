"""Kernels for the differential test: name, source, and how to launch.  Each covers a class of instructions.

A case is (name, source, global, local, arguments); an argument is ('in', dtype, count, low, high),
('out', dtype, count), ('local', bytes), ('value', dtype, number) or ('each', dtype, numbers), one launch for each.
The global offset may follow."""

G = (256,)


def unary(name, type_, expr, dtype_in, dtype_out, low, high, out_type=None):
    out_type = out_type or type_
    source = f"""
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void k(global const {type_} *a, global const {type_} *b, global {out_type} *o)
{{ size_t i = get_global_id(0); {type_} x = a[i], y = b[i]; o[i] = {expr}; }}"""
    return (name, source, G, (32,),
            [('in', dtype_in, 256, low, high), ('in', dtype_in, 256, low, high), ('out', dtype_out, 256)])


CASES = []
INTEGERS = [('char', 'i1'), ('uchar', 'u1'), ('short', 'i2'), ('ushort', 'u2'), ('int', 'i4'), ('uint', 'u4'),
            ('long', 'i8'), ('ulong', 'u8')]
for type_, dtype in INTEGERS:
    for n, e in enumerate(['x + y', 'x * y - x', 'x / y', 'x % y', '(x & y) | (x ^ 5)', 'x << (y & 7)', 'x >> (y & 7)',
                           '~x + -y', 'x < y ? x : y', 'max(x, y) + min(x, y)', 'add_sat(x, y)', 'sub_sat(x, y)',
                           'abs_diff(x, y)', 'hadd(x, y) + rhadd(x, y)', 'mul_hi(x, y)', 'rotate(x, y)', 'clz(x) + popcount(y)',
                           'clamp(x, (%s)3, (%s)90)' % (type_, type_), 'mad_hi(x, y, x)', 'mad_sat(x, y, x)']):
        CASES.append(unary(f'{type_} {e}', type_, e, dtype, dtype, None, None))
    CASES.append(unary(f'{type_} convert', type_, '(float)x + (float)y', dtype, 'f4', None, None, 'float'))
    CASES.append(unary(f'{type_} convert f64', type_, '(double)x * (double)y', dtype, 'f8', None, None, 'double'))
    CASES.append(unary(f'{type_} sat', type_, f'convert_char_sat(x) + convert_uchar_sat(y)', dtype, 'i4', None, None, 'int'))
    CASES.append(unary(f'{type_} rte', type_, 'convert_float_rtp(x) + convert_float_rtn(y)', dtype, 'f4', None, None, 'float'))
    v = type_ + '4'
    CASES.append((f'{v} vector', f"""kernel void k(global const {v} *a, global {v} *o)
{{ size_t i = get_global_id(0); {v} x = a[i]; x.s3 += x.s0; x = x.wzyx * x + x.xxyy; o[i] = x; o[i].s1 ^= ({type_})3; }}""",
                  (64,), (16,), [('in', dtype, 256, None, None), ('out', dtype, 256)]))
    v = type_ + '3'
    CASES.append((f'{v} vload', f"""kernel void k(global const {type_} *a, global {type_} *o)
{{ size_t i = get_global_id(0); {v} x = vload3(i, a); vstore3(x.zxy + x, i, o); }}""",
                  (64,), (16,), [('in', dtype, 256, None, None), ('out', dtype, 256)]))

for type_, dtype in [('float', 'f4'), ('double', 'f8')]:
    for e in ['x + y', 'x - y * x', 'x / y', 'fmod(x, y)', 'fabs(x) + floor(y)', 'ceil(x) - trunc(y)', 'rint(x) + round(y)',
              'sqrt(fabs(x))', 'fma(x, y, x)', 'mad(x, y, x)', 'fmax(x, y) - fmin(x, y)', 'sin(x) + cos(y)', 'exp(x) + log(fabs(y))',
              'pow(fabs(x), y)', 'tanh(x) * erf(y)', 'mix(x, y, x)', 'smoothstep(x, y, x)', 'step(x, y)', 'sign(x)', 'copysign(x, y)',
              'rsqrt(fabs(x))', 'cbrt(x)', 'hypot(x, y)', 'atan2(x, y)', 'ldexp(x, 3)', 'nextafter(x, y)', 'x < y ? x : y',
              'isnan(x) ? y : x', 'fract(x, &y) + y', 'modf(x, &y) + y', 'clamp(x, y, y + 1)', 'degrees(x) + radians(y)', '-x',
              'sin(ldexp(x, (int)(y * 12))) + cos(ldexp(y, (int)(x * 12)))', 'tan(ldexp(x, (int)(y * 12)))', 'sinpi(x) + cospi(y)', 'tanpi(x)',
              'native_sin(x) + native_cos(y) * native_tan(x)', 'sincos(x, &y) + y', 'fmod(x, ldexp(y, (int)(x * 8)))', 'ldexp(x, (int)(y * 130))', 'ilogb(x) + logb(y)',
              'nextafter(x, x < y ? (x > 0 ? 0 : y) : x)', 'acospi(x) + asinpi(x / 9)', 'atan2pi(x, y) + atanpi(x)', 'remainder(x, y)', 'exp2(x)', 'log2(fabs(x))', 'tgamma(x)',
              'copysign(x, maxmag(y * 0, x * 0)) + copysign(y, minmag(x * 0, y * 0))',
              'copysign(x, fmax(y * 0, x * 0)) + copysign(y, fmin(x * 0, y * 0))', 'select(x, y, x < y)']:
        if e.startswith('select') and type_ == 'double':
            e = 'select(x, y, (long)(x < y))'
        if 'native' in e and type_ == 'double':
            continue
        CASES.append(unary(f'{type_} {e}', type_, e, dtype, dtype, -9, 9))
    v = type_ + '4'
    CASES.append((f'{v} geometric', f"""
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void k(global const {v} *a, global {v} *o)
{{ size_t i = get_global_id(0); {v} x = a[i]; o[i] = normalize(x) * dot(x, x.yzwx) + cross(x, x.zxyw) * length(x) + ({v})(distance(x, x.w)); }}""",
                  (64,), (16,), [('in', dtype, 256, -9, 9), ('out', dtype, 256)]))
    for t, d in INTEGERS:
        low, high = (0, 100) if t[0] == 'u' else (-100, 100)
        CASES.append(unary(f'{type_} to {t}', type_, f'({t})x + convert_{t}_rte(y)', dtype, d, low, high, t))
        CASES.append(unary(f'{type_} to {t} sat', type_, f'convert_{t}_sat(x * 1e3f)', dtype, d, -1000, 1000, t))

CASES += [
    ('half io', """kernel void k(global const float *a, global half *h, global float *o)
{ size_t i = get_global_id(0); vstore_half(a[i], i, h); o[i] = vload_half(i, h);
  vstore_half_rtz(a[i], i + 256, h); o[i] += vload_half(i + 256, h); }""", G, (32,),
     [('in', 'f4', 256, -70000, 70000), ('out', 'u2', 512), ('out', 'f4', 256)]),
    ('ids', """kernel void k(global ulong *o) {
  size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  size_t at = ((z - get_global_offset(2)) * get_global_size(1) + y - get_global_offset(1)) * get_global_size(0) + x - get_global_offset(0);
  o += at * 8;
  o[0] = get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2); o[1] = get_group_id(0) + 100 * get_group_id(1);
  o[2] = get_local_size(0) * 1000 + get_local_size(1); o[3] = get_num_groups(0) + get_num_groups(1) * 100;
  o[4] = get_work_dim(); o[5] = get_global_linear_id(); o[6] = get_local_linear_id();
  o[7] = get_enqueued_local_size(0) + get_enqueued_local_size(1) * 100; }""", (20, 12, 3), (7, 4, 2), [('out', 'u8', 20 * 12 * 3 * 8)]),
    ('loops', """int f(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i % 3 == 1) continue; if (s > 1000) break; s += i * n; } return s; }
kernel void k(global const int *a, global int *o) { size_t i = get_global_id(0); int s = 0, n = a[i] & 63;
  while (n > 0) { switch (n & 7) { case 0: s += f(n); break; case 3: s ^= n; case 4: s -= 5; break; default: s += n << 2; } n -= 1 + (n & 1); }
  do { s = s * 3 + 1; } while (s & 4); o[i] = s; }""", G, (32,), [('in', 'i4', 256, None, None), ('out', 'i4', 256)]),
    ('private array', """kernel void k(global const int *a, global int *o) { int t[16]; size_t i = get_global_id(0);
  for (int j = 0; j < 16; j++) t[j] = a[(i + j) & 255]; int s = 0; for (int j = 0; j < 16; j++) s = s * 31 + t[(t[j] ^ j) & 15]; o[i] = s; }""",
     G, (32,), [('in', 'i4', 256, None, None), ('out', 'i4', 256)]),
    ('structures', """typedef struct { char c; int i; float4 v; struct { short s[3]; } n; } T;
T make(int x) { T t = {x, x * 2, (float4)(x, 1, 2, 3), {{x, x + 1, x + 2}}}; return t; }
kernel void k(global T *t, global int *o, T by_value) { size_t i = get_global_id(0); T u = make(i); t[i] = u; T w = t[i]; w.n.s[i % 3] += by_value.i;
  o[i] = w.c + w.i + (int)dot(w.v, w.v) + w.n.s[0] + w.n.s[1] * 7 + w.n.s[2] * 13 + by_value.c; }""", (64,), (16,),
     [('out', 'u1', 64 * 64), ('out', 'i4', 64), ('bytes', bytes(range(48)))]),
    ('constants', """constant int table[8] = {3, 1, 4, 1, 5, 9, 2, 6}; constant float4 v = (float4)(1, 2, 3, 4); constant int *constant p = table + 2;
kernel void k(global int *o, constant int *c) { size_t i = get_global_id(0); o[i] = table[i & 7] * c[i & 15] + (int)v.z + p[i & 3]; }""", G, (32,),
     [('out', 'i4', 256), ('in', 'i4', 16, None, None)]),
    ('program scope', """global int counter = 5; global int list[4] = {1, 2, 3, 4};
kernel void k(global int *o) { size_t i = get_global_id(0); atomic_add(&counter, list[i & 3]); o[i] = list[i & 3]; }""", G, (32,), [('out', 'i4', 256)]),
    ('atomics', """kernel void k(global int *c, global uint *h, global const int *a) { size_t i = get_global_id(0); int v = a[i];
  atomic_add(c, v); atomic_sub(c + 1, v); atomic_inc(c + 2); atomic_dec(c + 3); atomic_min(c + 4, v); atomic_max(c + 5, v);
  atomic_and(c + 6, v); atomic_or(c + 7, v); atomic_xor(c + 8, v); atomic_inc(&h[v & 15]); if (i == 7) atomic_xchg(c + 9, 77);
  atomic_fetch_add_explicit((volatile global atomic_int *)(c + 10), v, memory_order_relaxed, memory_scope_device); atomic_cmpxchg(c + 11, 0, 42); }""",
     G, (32,), [('zero', 'i4', 16), ('zero', 'u4', 16), ('in', 'i4', 256, None, None)]),
    ('pointers', """kernel void k(global int *o, global const int *a) { size_t i = get_global_id(0); global const int *p = a + i, *q = a + 255 - i;
  o[i] = (int)(q - p) + (p < q ? *p : *q) + (p == q) + (int)((ulong)(p) - (ulong)a); int x = 3, *r = i & 1 ? &x : &((int *)&x)[0]; *r += 4; o[i] += x;
  generic_test: o[i] ^= (p != 0); }""".replace('generic_test: ', ''), G, (32,), [('out', 'i4', 256), ('in', 'i4', 256, None, None)]),
    ('bits', """kernel void k(global const int4 *a, global int *o, global uchar *c) { size_t i = get_global_id(0); int4 v = a[i];
  o[i] = any(v < v.yzwx) + 2 * all(v != 0) + as_int(as_float(v.x)) + as_uchar4(v.y).z + (int)bitselect(v.x, v.y, v.z);
  vstore4(convert_uchar4_sat(v), i, c); }""", (64,), (16,), [('in', 'i4', 256, None, None), ('out', 'i4', 64), ('out', 'u1', 256)]),
    ('words and bytes', """kernel void k(global const uint *a, global ulong *o) { size_t i = get_global_id(0); uint x = a[i], y = a[255 - i]; ulong w = upsample(x, y);
  uchar4 b = as_uchar4(x); ushort2 s = as_ushort2(y); uchar8 c = as_uchar8(w); ushort4 h = as_ushort4(c.s70615243); uint2 u = as_uint2(h.wxzy);
  float2 f = as_float2(w); double d = as_double(w); o[4 * i] = as_ulong(as_uchar8(u).s13570246) + as_uint(b.wxzy) * 3ul + as_uint(s.yx);
  o[4 * i + 1] = as_ulong(as_float2(as_ushort4(f).zwxy)) ^ as_ulong((uchar8)(b.xy, b.zw, as_uchar4(s)));
  o[4 * i + 2] = as_ulong(as_short4(d)) + as_ulong(as_char8(d)) + as_ulong(as_int2(as_double(u))); uint4 q = as_uint4(as_uchar16((uint4)(x, y, x + y, x ^ y)).s32107654ba98fedc);
  o[4 * i + 3] = as_ulong2(q).x - as_ulong2(as_ushort8(q)).y + as_uint(as_uchar4(as_short2(x)).zyxw); }""", G, (32,), [('in', 'u4', 256, None, None), ('out', 'u8', 1024)]),
    ('shuffle', """kernel void k(global const int4 *a, global int8 *o) { size_t i = get_global_id(0); int4 v = a[i]; uint8 m = (uint8)(i, 1, 7, i + 3, 2, 5, 6, 0);
  o[i] = shuffle2(v, v * 3, m); int j = i & 3; int w[4]; vstore4(v, 0, w); o[i].s0 += w[j]; }""", (64,), (16,), [('in', 'i4', 256, None, None), ('out', 'i4', 512)]),
    ('saxpy chain', """kernel void k(global float *y, global const float *x, float a) { int i = get_global_id(0); float v = y[i];
  for (int j = 0; j < 20; j++) v = a * x[i] + v; y[i] = v; }""", G, (64,), [('zero', 'f4', 256), ('in', 'f4', 256, -2, 2), ('value', 'f4', 1.25)]),
    ('edges', """kernel void k(global int *o) { int i = get_global_id(0); o[i] = i * (int)get_local_size(0); }""", (250,), (32,), [('out', 'i4', 256)]),
    # Work-items that wait for each other: the JIT must leave them to the interpreter, and nothing may hang.
    ('ticket lock', """kernel void k(volatile global int *lock, global int *o) { if (get_local_id(0) == 0) { int mine = atomic_inc(&lock[0]);
  while (atomic_add(&lock[1], 0) != mine); o[0] += get_group_id(0) * 3; mem_fence(CLK_GLOBAL_MEM_FENCE); atomic_inc(&lock[1]); } }""", G, (32,), [('zero', 'i4', 4), ('out', 'i4', 4)]),
    ('spin lock in a group', """kernel void k(volatile global int *lock, global int *o) { bool done = false; while (!done) { if (atomic_cmpxchg(lock, 0, 1) == 0) {
  o[0] += get_global_id(0); mem_fence(CLK_GLOBAL_MEM_FENCE); atomic_xchg(lock, 0); done = true; } } }""", G, (32,), [('zero', 'i4', 4), ('out', 'i4', 4)]),
    ('flag', """kernel void k(global atomic_int *f, global int *o) { if (get_local_id(0) == 31) atomic_store_explicit(f + get_group_id(0), 5, memory_order_release, memory_scope_device);
  else { int v; do v = atomic_load_explicit(f + get_group_id(0), memory_order_acquire, memory_scope_device); while (v == 0); o[get_global_id(0)] = v; } }""", G, (32,), [('zero', 'i4', 8), ('out', 'i4', 256)]),
    ('volatile flag', """kernel void k(volatile global int *f, global int *o) { int i = get_global_id(0); if (get_local_id(0) == 31) f[get_group_id(0)] = 9;
  else { while (f[get_group_id(0)] == 0); o[i] = f[get_group_id(0)]; } }""", G, (32,), [('zero', 'i4', 8), ('out', 'i4', 256)]),
    ('chain of work-groups', """kernel void k(global atomic_int *f, global int *o) { int g = get_group_id(0); if (get_local_id(0) == 0) {
  if (g > 0) while (atomic_load(&f[g - 1]) == 0) ; int before = g > 0 ? o[g - 1] : 0; o[g] = before + g; atomic_store(&f[g], 1); } }""", G, (32,), [('zero', 'i4', 8), ('out', 'i4', 256)]),
    ('spinning in a function', """int take(volatile global int *lock) { int n = 0; for (;;) { if (atomic_xchg(lock, 1) == 0) return n; n++; } }
kernel void k(volatile global int *lock, global int *o) { take(lock); o[0] += 2; mem_fence(CLK_GLOBAL_MEM_FENCE); atomic_xchg(lock, 0); }""", G, (32,), [('zero', 'i4', 4), ('out', 'i4', 4)]),
    ('float addition by compare and exchange', """void add(volatile global float *p, float v) { union { uint u; float f; } a, b; do { a.f = *p; b.f = a.f + v; } while (atomic_cmpxchg((volatile global uint *)p, a.u, b.u) != a.u); }
kernel void k(global float *p, global const int *a) { add(p, (float)(a[get_global_id(0)] & 7)); }""", G, (32,), [('zero', 'f4', 4), ('in', 'i4', 256, None, None)]),
    ('division by zero', """kernel void k(global int *o, global const int *a) { int i = get_global_id(0), z = a[i] & 1; o[i] = a[i] / z + a[i] % z + (int)((uint)i / (uint)z) + (0 & (int)(INT_MIN / -(z | 1))); }""",
     G, (32,), [('out', 'i4', 256), ('in', 'i4', 256, None, None)]),
    ('guarded loop', """kernel void k(global float *o, global const float *a, int n) { int i = get_global_id(0); if (i >= n) return; float s = 0; for (int j = 0; j < n; j++) s += a[j] * a[i]; o[i] = s; }""",
     G, (32,), [('out', 'f4', 256), ('in', 'f4', 256, -2, 2), ('value', 'i4', 200)]),
    ('loops in step', """kernel void k(global float *o, global const float *a, int n) { int i = get_global_id(0); float s = 0, t = a[i]; int c = 0;
  for (int j = 0; j < n; j++) { float v = a[(i + j) & 255]; s += v * t; if (v > 0) c += j; for (int x = 0; x < n; x += 2) t = t * 0.5f + v; } o[i] = s + c + t; }""",
     G, (32,), [('out', 'f4', 256), ('in', 'f4', 256, -2, 2), ('value', 'i4', 21)]),
    ('vector loop', """kernel void k(global float4 *o, global const float4 *a, int n) { int i = get_global_id(0); float4 s = 0, p = a[i];
  for (int j = 0; j < n; j++) { float4 d = a[j] - p; float r = dot(d.xyz, d.xyz) + 0.1f; s += d * (a[j].w / sqrt(r)); } o[i] = s; }""",
     (64,), (32,), [('out', 'f4', 256), ('in', 'f4', 256, -2, 2), ('value', 'i4', 64)]),
    # Divisions scalarize vectors.
    ('vectors of several types at one place', """kernel void k(global const char *a, global char *o, int d) { size_t i = get_global_id(0); global char *p = o + 16 * i;
  *(global int4 *)p = *(global const int4 *)(a + 16 * i) / d; *(global short8 *)p += (short8)3; *(global uchar16 *)p ^= (uchar16)9; *(global long2 *)p += as_long2(*(global short8 *)p); }""",
     (64,), (16,), [('in', 'u1', 1024, None, None), ('out', 'u1', 1024), ('value', 'i4', 3)]),
    ('two, three and four components at one place', """kernel void k(global const float4 *a, global float4 *o, float d) { size_t i = get_global_id(0); float4 v = a[i] / d;
  o[i] = v; *(global float3 *)(o + i) = v.wzy; float4 t = o[i]; t.w = 2; *(global float2 *)(o + i) = t.yw; }""",
     (64,), (16,), [('in', 'f4', 256, -2, 2), ('out', 'f4', 256), ('value', 'f4', 3)]),
]
