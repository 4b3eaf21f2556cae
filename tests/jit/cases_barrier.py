"""Kernels with barriers and local memory for the differential test."""
G = (256,)
IN, OUT = ('in', 'i4', 256, -1000, 1000), ('out', 'i4', 256)
FIN, FOUT = ('in', 'f4', 256, -9, 9), ('out', 'f4', 256)

CASES = [
    # Memory that a work-item reads again after a barrier may have been written by others.
    ('next element between barriers', """kernel void k(global const int *a, global int *o) { local int t[33]; size_t l = get_local_id(0);
  t[l] = 7; barrier(CLK_LOCAL_MEM_FENCE); t[l + 1] = 100; barrier(CLK_LOCAL_MEM_FENCE); o[get_global_id(0)] = t[l]; }""", G, (32,), [IN, OUT]),
    ('read again between barriers', """kernel void k(global const int *a, global int *o) { local int t[33]; size_t l = get_local_id(0); t[l] = a[l];
  barrier(CLK_LOCAL_MEM_FENCE); int x = t[l]; barrier(CLK_LOCAL_MEM_FENCE); t[l + 1] = 100; barrier(CLK_LOCAL_MEM_FENCE); o[get_global_id(0)] = t[l] - x; }""", G, (32,), [IN, OUT]),
    ('read again in a loop', """kernel void k(global const int *a, global int *o, int n) { local int t[33]; size_t l = get_local_id(0); int s = l; t[l] = 7;
  for (int j = 0; j < n; j++) { barrier(CLK_LOCAL_MEM_FENCE); s += t[l]; barrier(CLK_LOCAL_MEM_FENCE); t[l + 1] = s; } o[get_global_id(0)] = s; }""", G, (32,), [IN, OUT, ('value', 'i4', 20)]),
    ('read again in a loop, sub-groups', """#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void k(global const int *a, global int *o, int n) { local int t[33]; size_t l = get_local_id(0); int s = l; t[l] = 7;
  for (int j = 0; j < n; j++) { sub_group_barrier(CLK_LOCAL_MEM_FENCE); s += t[l]; sub_group_barrier(CLK_LOCAL_MEM_FENCE); t[l + 1] = s; } o[get_global_id(0)] = s; }""", G, (8,), [IN, OUT, ('value', 'i4', 20)]),
    ('reverse', """kernel void k(global const int *a, global int *o) { local int t[32]; int l = get_local_id(0), i = get_global_id(0);
  t[l] = a[i] * 3; barrier(CLK_LOCAL_MEM_FENCE); o[i] = t[31 - l] + l; }""", G, (32,), [IN, OUT]),
    ('reduction', """kernel void k(global const float *a, global float *o, local float *t) { int l = get_local_id(0), i = get_global_id(0);
  t[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) { if (l < s) t[l] += t[l + s]; barrier(CLK_LOCAL_MEM_FENCE); }
  if (l == 0) o[get_group_id(0)] = t[0]; }""", G, (64,), [FIN, FOUT, ('local', 256)]),
    ('scan', """kernel void k(global const int *a, global int *o) { local int t[64]; int l = get_local_id(0), i = get_global_id(0);
  t[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 1; s < get_local_size(0); s *= 2) { int v = l >= s ? t[l - s] : 0; barrier(CLK_LOCAL_MEM_FENCE); t[l] += v; barrier(CLK_LOCAL_MEM_FENCE); }
  o[i] = t[l]; }""", G, (64,), [IN, OUT]),
    ('bitonic', """kernel void k(global const int *a, global int *o) { local int t[64]; int l = get_local_id(0), i = get_global_id(0);
  t[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE);
  for (int size = 2; size <= 64; size <<= 1) for (int stride = size / 2; stride > 0; stride >>= 1) { int p = l ^ stride;
    if (p > l) { int x = t[l], y = t[p]; if ((x > y) == ((l & size) == 0)) { t[l] = y; t[p] = x; } } barrier(CLK_LOCAL_MEM_FENCE); }
  o[i] = t[l]; }""", G, (64,), [IN, OUT]),
    ('tiles', """kernel void k(global const float *a, global const float *b, global float *c, int n) {
  local float x[8][8], y[8][8]; int i = get_global_id(0), j = get_global_id(1), li = get_local_id(0), lj = get_local_id(1); float s = 0;
  for (int t = 0; t < n / 8; t++) { x[lj][li] = a[j * n + t * 8 + li]; y[lj][li] = b[(t * 8 + lj) * n + i]; barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 8; k++) s += x[lj][k] * y[k][li]; barrier(CLK_LOCAL_MEM_FENCE); } c[j * n + i] = s; }""",
     (32, 32), (8, 8), [('in', 'f4', 1024, -2, 2), ('in', 'f4', 1024, -2, 2), ('out', 'f4', 1024), ('value', 'i4', 32)]),
    ('private across', """kernel void k(global const int *a, global int *o) { local int t[32]; int p[8]; int l = get_local_id(0), i = get_global_id(0);
  for (int j = 0; j < 8; j++) p[j] = a[(i + j) & 255]; t[l] = p[l & 7]; barrier(CLK_LOCAL_MEM_FENCE); int s = 0;
  for (int j = 0; j < 8; j++) { s = s * 7 + p[(j + t[j]) & 7]; } barrier(CLK_LOCAL_MEM_FENCE); o[i] = s + t[(l + 1) & 31] + p[3]; }""", G, (32,), [IN, OUT]),
    ('in a conditional', """kernel void k(global const int *a, global int *o, int n) { local int t[32]; int l = get_local_id(0), i = get_global_id(0); int v = a[i];
  if (n > 5) { t[l] = v; barrier(CLK_LOCAL_MEM_FENCE); v += t[l ^ 1]; if (l & 1) v *= 2; } else { t[l] = v * 2; barrier(CLK_LOCAL_MEM_FENCE); v -= t[l ^ 3]; }
  if (get_group_id(0) & 1) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = v; barrier(CLK_LOCAL_MEM_FENCE); v = t[(l + 5) & 31]; } o[i] = v; }""", G, (32,), [IN, OUT, ('value', 'i4', 9)]),
    ('in a function', """int exchange(local int *t, int v, int k) { int l = get_local_id(0); t[l] = v; barrier(CLK_LOCAL_MEM_FENCE); int r = t[l ^ k]; barrier(CLK_LOCAL_MEM_FENCE); return r; }
kernel void k(global const int *a, global int *o, local int *t) { int i = get_global_id(0), v = a[i]; for (int j = 1; j < 32; j *= 2) v = v * 3 + exchange(t, v, j);
  int n = 0; while (n < 3) { v -= exchange(t, v + n, 7); n++; if (n == 2) v += exchange(t, n, 1); } o[i] = v; }""", G, (32,), [IN, OUT, ('local', 128)]),
    ('three dimensions, edges', """kernel void k(global const int *a, global int *o) { local int t[4 * 3 * 2]; int l = get_local_linear_id(), i = get_global_linear_id();
  t[l] = a[i & 255] + l; barrier(CLK_LOCAL_MEM_FENCE); int n = get_local_size(0) * get_local_size(1) * get_local_size(2); o[i] = t[n - 1 - l] * 5 + n; }""",
     (10, 7, 3), (4, 3, 2), [IN, ('out', 'i4', 210)]),
    ('edge reduction', """kernel void k(global const int *a, global int *o) { local int t[64]; int l = get_local_id(0), i = get_global_id(0), n = get_local_size(0);
  t[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); if (l == 0) { int s = 0; for (int j = 0; j < n; j++) s += t[j]; t[0] = s; } barrier(CLK_LOCAL_MEM_FENCE); o[i] = t[0] + n; }""",
     (250,), (64,), [IN, OUT]),
    ('local atomics', """kernel void k(global const int *a, global int *o, global uint *h) { local uint t[16]; int l = get_local_id(0), i = get_global_id(0);
  if (l < 16) t[l] = 0; barrier(CLK_LOCAL_MEM_FENCE); atomic_inc(&t[a[i] & 15]); barrier(CLK_LOCAL_MEM_FENCE); if (l < 16) atomic_add(&h[l], t[l]); o[i] = t[i & 15]; }""",
     G, (64,), [IN, OUT, ('zero', 'u4', 16)]),
    ('vectors across', """kernel void k(global const float4 *a, global float4 *o) { local float4 t[16]; int l = get_local_id(0), i = get_global_id(0); float4 v = a[i], w = v * v; float3 u = v.xyz;
  t[l] = v; barrier(CLK_LOCAL_MEM_FENCE); v += t[15 - l] * w; barrier(CLK_LOCAL_MEM_FENCE); t[l].x = 1; barrier(CLK_LOCAL_MEM_FENCE); v.y += t[(l + 1) & 15].x; o[i] = v + (float4)(u, w.w); }""",
     (64,), (16,), [FIN, FOUT]),
    ('uniform counters', """kernel void k(global const int *a, global int *o, int n) { local int t[32]; int l = get_local_id(0), i = get_global_id(0), c = 0, d = n;
  do { t[l] = a[(i + c) & 255] + d; barrier(CLK_LOCAL_MEM_FENCE); c += t[0] > 0 ? 1 : 2; d = d * 3 + c; barrier(CLK_LOCAL_MEM_FENCE); } while (c < n); o[i] = c * 1000 + d + t[31 - l]; }""",
     G, (32,), [IN, OUT, ('value', 'i4', 11)]),
    ('early return before', """kernel void k(global const int *a, global int *o, int n) { local int t[32]; int l = get_local_id(0), i = get_global_id(0); if (get_group_id(0) >= n) { o[i] = -1; return; }
  t[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); if (l > 20) { o[i] = 7; return; } o[i] = t[l + 3]; }""", G, (32,), [IN, OUT, ('value', 'i4', 5)]),
    ('nested loops', """kernel void k(global const int *a, global int *o) { local int t[16]; int l = get_local_id(0), i = get_global_id(0), v = a[i];
  for (int x = 0; x < 3; x++) { int w = v + x; for (int y = 0; y <= x; y++) { t[l] = w; barrier(CLK_LOCAL_MEM_FENCE); w = w * 3 + t[(l + y + 1) & 15]; barrier(CLK_LOCAL_MEM_FENCE); if (l & 1) w ^= y; }
    v += w; } o[i] = v; }""", G, (16,), [IN, OUT]),
    ('one work-item groups', """kernel void k(global const int *a, global int *o) { local int t; int i = get_global_id(0); t = a[i]; barrier(CLK_LOCAL_MEM_FENCE); o[i] = t * 2; }""", G, (1,), [IN, OUT]),
    ('stencil', """kernel void k(global const float *a, global float *o) { local float t[66]; int l = get_local_id(0), i = get_global_id(0); t[l + 1] = a[i];
  if (l == 0) t[0] = i > 0 ? a[i - 1] : 0; if (l == 63) t[65] = i < 255 ? a[i + 1] : 0; barrier(CLK_LOCAL_MEM_FENCE); o[i] = 0.25f * t[l] + 0.5f * t[l + 1] + 0.25f * t[l + 2]; }""", G, (64,), [FIN, FOUT]),
    ('read between writes at a stride', """kernel void k(global const int *a, global int *o) { local int t[128]; uint l = get_local_id(0), i = get_global_id(0);
  t[2 * l] = a[i] + 2000; int y = t[2 * (l ^ (uint)(a[i] + 1000) >> 31) & 127]; t[2 * l + 1] = y * 3; barrier(CLK_LOCAL_MEM_FENCE); o[i] = t[l] + 5 * t[l + 64]; }""", G, (64,), [IN, OUT]),
    ('write between reads at a stride', """kernel void k(global const int *a, global int *o) { local int t[128]; uint l = get_local_id(0), i = get_global_id(0);
  t[2 * l] = a[i]; t[2 * l + 1] = l; barrier(CLK_LOCAL_MEM_FENCE); int x = t[2 * l]; t[(2 * (l ^ (uint)(a[i] + 1000) >> 31) & 127) | 1] = x + 7; o[i] = t[2 * l + 1] * 3 + x; }""", G, (64,), [IN, OUT]),
    ('groups of three', """kernel void k(global const int *a, global int *o) { local ushort t[6]; int l = get_local_id(0), i = get_global_id(0), v = a[l];
  for (int j = l; j < 6; j += 3) t[j] = j; barrier(CLK_LOCAL_MEM_FENCE); v += a[i * 6 + 3]; barrier(CLK_LOCAL_MEM_FENCE); o[i] = v + t[5 - l]; }""", (255,), (3,), [('in', 'i4', 1534, -1000, 1000), OUT]),
    ('groups of three, no local memory', """kernel void k(global const int *a, global int *o) { int l = get_local_id(0), i = get_global_id(0), v = a[l];
  barrier(CLK_LOCAL_MEM_FENCE); v += a[i * 6 + 3]; barrier(CLK_LOCAL_MEM_FENCE); o[i] = v; }""", (255,), (3,), [('in', 'i4', 1534, -1000, 1000), OUT]),
]
