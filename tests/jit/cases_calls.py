"""Kernels with features that compiled code implements by calls of the interpreter: images, pipes, groups,
device enqueue, generic pointers."""
G = (256,)
IN, OUT = ('in', 'i4', 256, -1000, 1000), ('out', 'i4', 256)
FIN, FOUT = ('in', 'f4', 256, -9, 9), ('out', 'f4', 256)
IMAGE, TARGET = ('image', 'f4', 16, 16), ('target', 'f4', 16, 16)
WORDS = ('image', 'i4', 16, 16)

CASES = []


def case(name, source, size, local, arguments):
    CASES.append((name, source, size, local, arguments))


# ---- images ----
for mode in ['CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST', 'CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR',
             'CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR', 'CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST']:
    scale = '0.07f' if 'TRUE' in mode else '1.3f'
    case('sample ' + mode, f"""constant sampler_t s = {mode};
kernel void k(read_only image2d_t a, global float4 *o) {{ int x = get_global_id(0), y = get_global_id(1);
  o[y * 16 + x] = read_imagef(a, s, (float2)(x * {scale} - 1, y * {scale})); }}""", (16, 16), (8, 4), [IMAGE, ('out', 'f4', 1024)])
case('sampler argument', """kernel void k(read_only image2d_t a, sampler_t s, global float4 *o) { int x = get_global_id(0), y = get_global_id(1);
  float4 v = 0; for (int j = 0; j < 3; j++) v += read_imagef(a, s, (int2)(x + j, y - j)); o[y * 16 + x] = v; }""",
     (16, 16), (4, 4), [IMAGE, ('sampler',), ('out', 'f4', 1024)])
case('image to image', """kernel void k(read_only image2d_t a, write_only image2d_t b) { int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 v = read_imagef(a, at); if (at.x > 3) v = v.wzyx * 2; write_imagef(b, at.yx, v); }""", (16, 16), (16, 1), [IMAGE, TARGET])
case('integers from an image', """kernel void k(read_only image2d_t a, global int4 *o) { int x = get_global_id(0), y = get_global_id(1);
  o[y * 16 + x] = read_imagei(a, (int2)(x, y)) + get_image_width(a) + 3 * get_image_height(a) + get_image_channel_order(a) + get_image_dim(a).y; }""",
     (16, 16), (4, 4), [WORDS, ('out', 'i4', 1024)])
case('image and barrier', """kernel void k(read_only image2d_t a, global float *o) { local float t[16]; int x = get_global_id(0), y = get_global_id(1);
  t[x] = read_imagef(a, (int2)(x, y)).y; barrier(CLK_LOCAL_MEM_FENCE); o[y * 16 + x] = t[15 - x] + t[x]; }""", (16, 16), (16, 1), [IMAGE, ('out', 'f4', 256)])

# ---- work-groups ----
for type_, dtype in [('int', 'i4'), ('uint', 'u4'), ('long', 'i8'), ('ulong', 'u8'), ('float', 'f4'), ('double', 'f8')]:
    low, high = (-99, 99) if dtype[0] != 'u' else (0, 99)
    arguments = [('in', dtype, 256, low, high), ('out', dtype, 256)]
    for op in ['add', 'min', 'max']:
        for f in ['reduce', 'scan_inclusive', 'scan_exclusive']:
            for size, local in [(G, (32,)), ((250,), (32,)), ((16, 15), (8, 4))]:
                case(f'work_group_{f}_{op} {type_} {size}', f"""
kernel void k(global const {type_} *a, global {type_} *o) {{ int i = get_global_linear_id(); o[i] = work_group_{f}_{op}(a[i]); }}""", size, local, arguments)
            case(f'sub_group_{f}_{op} {type_}', f"""
kernel void k(global const {type_} *a, global {type_} *o) {{ int i = get_global_id(0); o[i] = sub_group_{f}_{op}(a[i]); }}""", (250,), (64,), arguments)
case('broadcasts in a loop', """kernel void k(global const int *a, global int *o) { int i = get_global_id(0), v = a[i];
  for (int j = 0; j < 8; j++) v += work_group_broadcast(v, (j * 5) & 31) ^ j; o[i] = v; }""", G, (32,), [IN, OUT])
case('broadcast in three dimensions', """kernel void k(global const int *a, global int *o) { int i = get_global_linear_id();
  o[i] = work_group_broadcast(a[i], 1, 2, 0); }""", (8, 8, 4), (4, 4, 2), [IN, OUT])
case('all and any', """kernel void k(global const int *a, global int *o) { int i = get_global_id(0), v = a[i];
  o[i] = work_group_all(v > -900) + 2 * work_group_any(v > 950) + 4 * sub_group_all(v < 800) + 8 * sub_group_any(v < -800); }""", G, (32,), [IN, OUT])
case('reduction beside barriers', """kernel void k(global const int *a, global int *o) { local int t[32]; int l = get_local_id(0), i = get_global_id(0);
  t[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); int s = work_group_reduce_add(t[31 - l] * l); t[l] += s; barrier(CLK_LOCAL_MEM_FENCE);
  if (s > 100) s = work_group_scan_inclusive_max(t[(l + 3) & 31]); o[i] = s + t[l ^ 5]; }""", G, (32,), [IN, OUT])
case('async copies', """kernel void k(global const int *a, global int *o) { local int x[64], y[64]; int l = get_local_id(0), g = get_group_id(0);
  event_t e = async_work_group_copy(x, a + 64 * g, 64, 0); e = async_work_group_strided_copy(y, a, 64, 4, e); wait_group_events(1, &e);
  y[l] = x[63 - l] * 2 + y[l]; barrier(CLK_LOCAL_MEM_FENCE); e = async_work_group_copy(o + 64 * g, y, 64, 0); wait_group_events(1, &e); }""",
     G, (64,), [IN, OUT])
for type_, dtype, count in [('char', 'i1', 256), ('int3', 'i4', 1024), ('double', 'f8', 256), ('ushort8', 'u2', 2048)]:
    case(f'async copies of {type_}', f"""kernel void k(global const {type_} *a, global {type_} *o) {{ local {type_} x[200], y[200];
  int l = get_local_linear_id(), items = get_local_size(0) * get_local_size(1), g = get_group_id(1) * get_num_groups(0) + get_group_id(0);
  for (int j = l; j < 200; j += items) x[j] = y[j] = ({type_})(j % 100);
  barrier(CLK_LOCAL_MEM_FENCE); event_t e[2];
  for (int k = 0; k < 2; k++) {{
    e[0] = async_work_group_copy(x, a + k, 2 * items, 0); e[1] = async_work_group_strided_copy(y + 1, a, 5, 3 - k, 0); wait_group_events(2, e);
    {type_} v = x[l] + y[l % 7]; barrier(CLK_LOCAL_MEM_FENCE); x[l] = v; barrier(CLK_LOCAL_MEM_FENCE);
    e[0] = async_work_group_strided_copy(o + g * 20, x, 3 + k, 2, 0); wait_group_events(1, e); }} }}""",
         (15, 6), (4, 3), [('in', dtype, count, 0 if dtype == 'f8' else None, 99 if dtype == 'f8' else None), ('out', dtype, count)])
case('async copies beside sub-groups', """kernel void k(global const int *a, global int *o) { local int x[64]; int l = get_local_id(0), g = get_group_id(0);
  event_t e = async_work_group_copy(x, a + 64 * g, 64, 0); wait_group_events(1, &e); int v = sub_group_reduce_add(x[l]) + x[l ^ 1]; barrier(CLK_LOCAL_MEM_FENCE);
  x[l] = v; barrier(CLK_LOCAL_MEM_FENCE); e = async_work_group_strided_copy(o + 64 * g, x, 32, 2, 0); wait_group_events(1, &e); }""", G, (64,), [IN, OUT])

# ---- sub-groups ----
case('sub-groups apart', """kernel void k(global const int *a, global int *o) { int i = get_global_id(0), v = a[i];
  if (get_sub_group_id() & 1) v = sub_group_reduce_add(v); else { v = sub_group_scan_exclusive_add(v); sub_group_barrier(CLK_LOCAL_MEM_FENCE); v += sub_group_broadcast(v, 3); }
  barrier(CLK_LOCAL_MEM_FENCE); o[i] = v + get_sub_group_local_id() + 100 * get_sub_group_id() + get_sub_group_size() + get_num_sub_groups(); }""", (200,), (64,), [IN, OUT])
case('sub-groups at the beginning', """kernel void k(global const int *a, global int *o) { int i = get_global_linear_id(), v = a[i];
  int s = sub_group_reduce_add(v), t = sub_group_scan_exclusive_max(s - v); sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  t += sub_group_shuffle_xor(t, 1) + sub_group_broadcast(v, 2) + 5 * sub_group_any(v > 900) + work_group_reduce_max(v) + (int)sub_group_ballot(v > 0).x;
  if (get_sub_group_local_id() == 0) o[i] = t; else o[i] = s - t; }""", (15, 14), (5, 3), [IN, OUT])
case('sub-groups, then a wait for another work-item', """kernel void k(global const int *a, global volatile int *f, global int *o) {
  int i = get_global_id(0), v = sub_group_reduce_add(a[i]); local volatile int flag; if (get_local_id(0) == 0) atomic_xchg(&flag, 0); barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 63) atomic_xchg(&flag, v | 1); else while (atomic_add(&flag, 0) == 0) ; o[i] = v + atomic_add(&flag, 0); }""",
     G, (64,), [IN, OUT, OUT])
for f in ['sub_group_shuffle(v, (l * 7) & 7)', 'sub_group_shuffle_xor(v, 3)', 'sub_group_shuffle_up(v, 2)', 'sub_group_shuffle_down(v, 1)', 'sub_group_rotate(v, 5)',
          'sub_group_clustered_reduce_add(v, 4)', 'sub_group_non_uniform_all_equal(v > 0)', 'sub_group_elect()', '(int)sub_group_ballot(v > 0).x',
          '(int)sub_group_ballot_bit_count(sub_group_ballot(v > 5))', '(int)sub_group_ballot_find_lsb(sub_group_ballot(v > 500))', 'sub_group_broadcast_first(v)',
          '(int)get_sub_group_ge_mask().x + (int)get_sub_group_lt_mask().x * 3 + (int)get_sub_group_eq_mask().x + (int)get_sub_group_gt_mask().x * 5 + (int)get_sub_group_le_mask().x * 7']:
    case(f, f"""kernel void k(global const int *a, global int *o) {{ int i = get_global_id(0), v = a[i], l = get_sub_group_local_id();
  o[i] = {f}; }}""", (200,), (64,), [IN, OUT])
case('non-uniform', """kernel void k(global const int *a, global int *o) { int i = get_global_id(0), v = a[i];
  if (v & 1) v = sub_group_non_uniform_reduce_add(v); else if (v & 2) v = sub_group_non_uniform_scan_inclusive_max(v);
  for (int j = 0; j < (i & 3); j++) v += sub_group_non_uniform_reduce_xor(j + i); o[i] = v; }""", G, (32,), [IN, OUT])
case('sub-group sums and an atomic', """kernel void k(global const int *a, global int *o) { int i = get_global_id(0); int v = sub_group_reduce_add(a[i]);
  if (get_sub_group_local_id() == 0) atomic_add(o + 3, v); }""", G, (64,), [IN, OUT])

# ---- pointers, atomics, vectors ----
case('generic pointers', """global int z[4]; int what(int *p) { return (to_global(p) != 0) + 2 * (to_local(p) != 0) + 4 * (to_private(p) != 0) + 8 * (int)get_fence(p); }
kernel void k(global const int *a, global int *o) { local int t[32]; int i = get_global_id(0), l = get_local_id(0); int p[4] = {i, l, 3, 4};
  t[l] = a[i]; int *q = l % 4 == 0 ? (int *)(o + i) : l % 4 == 1 ? (int *)(t + l) : l % 4 == 2 ? (int *)(p + (l & 3)) : (int *)(z + 1);
  barrier(CLK_LOCAL_MEM_FENCE); o[i] = what(q) + (l % 4 == 2 ? p[l & 3] : 0); }""", G, (32,), [IN, OUT])
case('shuffle of three', """kernel void k(global const int *a, global int *o) { int i = get_global_id(0); int3 v = vload3(i, a); o[i] = v.z * 3 + v.x; }""",
     (85,), (17,), [IN, OUT])
case('dot products', """#pragma OPENCL EXTENSION cl_khr_integer_dot_product : enable
kernel void k(global const int *a, global int *o) { int i = get_global_id(0); o[i] = dot(as_char4(a[i]), as_char4(a[i ^ 1])) + dot_acc_sat(as_uchar4(a[i]), as_uchar4(a[i ^ 2]), 7u)
  + dot_4x8packed_su_int(a[i], 0x01f203ff); }""", G, (32,), [IN, OUT])
case('large structures', """typedef struct { int x[100]; float y; } S; S make(int i) { S s; for (int j = 0; j < 100; j++) s.x[j] = i * j; s.y = i; return s; }
kernel void k(global const int *a, global int *o) { int i = get_global_id(0); S s = make(a[i]), t = s; t.x[i % 100] += 5; o[i] = t.x[(i * 3) % 100] + s.x[7] + (int)t.y; }""",
     G, (32,), [IN, OUT])
case('constants with addresses', """constant int x[4] = {1, 2, 3, 4}; constant int y[4] = {5, 6, 7, 8}; typedef struct { constant int *p; int n; } T; constant T t[2] = {{x, 2}, {y + 1, 3}};
kernel void k(global const int *a, global int *o) { int i = get_global_id(0); o[i] = t[i & 1].p[t[(i >> 1) & 1].n & 1] + a[i]; }""", G, (32,), [IN, OUT])

# ---- pipes, queues ----
case('enqueue', """kernel void k(global const int *a, global int *o) { int i = get_global_id(0);
  if (i == 0) { queue_t q = get_default_queue(); ndrange_t n = ndrange_1D(64); clk_event_t e = create_user_event(), f;
    int r = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, n, 1, &e, &f, ^{ int j = get_global_id(0); o[j] = a[j] * 3; });
    o[200] = r; o[201] = get_kernel_work_group_size(^{ o[1] = 1; }) > 0;
    r = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(32, 8), 1, &f, 0, ^(local void *t) { local int *l = t; l[get_local_id(0)] = o[get_global_id(0)];
      barrier(CLK_LOCAL_MEM_FENCE); o[64 + get_global_id(0)] = l[7 - get_local_id(0)]; }, 32u);
    set_user_event_status(e, CL_COMPLETE); release_event(e); release_event(f); o[202] = r; } }""", (1,), (1,), [IN, OUT])
case('pipe', """kernel void k(write_only pipe int p, global const int *a, global int *o) { int i = get_global_id(0), v = a[i];
  o[i] = write_pipe(p, &v); reserve_id_t r = reserve_write_pipe(p, 2); if (is_valid_reserve_id(r)) { write_pipe(p, r, 0, &v); write_pipe(p, r, 1, &i); commit_write_pipe(p, r); o[i] += 7; }
  o[128 + i] = get_pipe_num_packets(p) + 1000 * get_pipe_max_packets(p); }""", (100,), (10,), [('pipe', 4, 128), IN, OUT])
case('program-scope pipe', """pipe int p __attribute__((xcl_reqd_pipe_depth(16)));
kernel void k(global const int *a, global int *o) { o[get_global_id(0)] = a[get_global_id(0)]; }""", (4,), (4,), [IN, OUT])
CASES.pop()
