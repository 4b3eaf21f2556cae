/* Kernels in many styles, the other half: measured at the end only, never used for tuning.  The lines before kernels are as in
 * set_tuning.cl. */

// bench: semaphore_groups 128 2 zero 1
kernel void semaphore_groups(global volatile atomic_int *free, global int *unused, global volatile atomic_int *done)
{
    for (int k = 0; k < 100; k++) {
        int seen = 0;
        while (!atomic_compare_exchange_weak_explicit(free, &seen, 1, memory_order_acq_rel, memory_order_relaxed, memory_scope_device))
            seen = 0;
        unused[get_group_id(0)] += k;
        atomic_store_explicit(free, 0, memory_order_release, memory_scope_device);
        atomic_fetch_add_explicit(done, 1, memory_order_relaxed, memory_scope_device);
    }
}

// bench: counter_append 131072 64 word 1
kernel void counter_append(global const uint *in, global uint *count, global uint *o)
{
    uint v = in[get_global_id(0)];
    if ((v & 15) == 3)
        o[atomic_inc(count) & 0xfffff] = v;
}

// bench: bins_private 4096 64 word 1
kernel void bins_private(global const uint *in, global const uint *unused, global uint *o)
{
    uint bins[16], g = get_global_id(0);
    for (int k = 0; k < 16; k++)
        bins[k] = 0;
    for (int k = 0; k < 256; k++)
        bins[in[g * 256 + k] >> 28]++;
    for (int k = 0; k < 16; k++)
        o[k * get_global_size(0) + g] = bins[k];
}

// bench: max_atomic 262144 256 word 1
kernel void max_atomic(global const int *in, global const int *unused, global volatile int *o)
{
    local volatile int most;
    if (get_local_id(0) == 0)
        most = INT_MIN;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_max(&most, in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_max(o, most);
}

// bench: tree_walk 8192 32 index 1
kernel void tree_walk(global const uint *left, global const uint *right, global uint *o)
{
    uint node = get_global_id(0), depth = 0, key = node * 2654435761u;
    while (depth < 64 && (node & 0xff) != 0xfe) {
        node = (key >> (depth & 31)) & 1 ? left[node] : right[node];
        depth++;
    }
    o[get_global_id(0)] = depth;
}

// bench: gather_scatter 262144 128 index 1
kernel void gather_scatter(global const uint *index, global const uint *value, global uint *o)
{
    size_t i = get_global_id(0);
    o[i] = value[index[i]] + value[index[i] ^ 1];
}

// bench: quaternions 131072 64 float 1
kernel void quaternions(global const float4 *a, global const float4 *b, global float4 *o)
{
    size_t i = get_global_id(0);
    float4 p = a[i], q = b[i];
    o[i] = (float4)(p.w * q.xyz + q.w * p.xyz + cross(p.xyz, q.xyz), p.w * q.w - dot(p.xyz, q.xyz));
}

// bench: pixels_char4 524288 64 word 1
kernel void pixels_char4(global const uchar4 *a, global const uchar4 *b, global uchar4 *o)
{
    size_t i = get_global_id(0);
    ushort4 x = convert_ushort4(a[i]), y = convert_ushort4(b[i]);
    o[i] = convert_uchar4_sat((x * (ushort)3 + y) / (ushort)2);
}

// bench: table_private 32768 64 word 1
kernel void table_private(global const uint *in, global const uint *unused, global uint *o)
{
    uint t[256], x = in[get_global_id(0)], s = 0;
    for (uint k = 0; k < 256; k++)
        t[k] = k * x;
    for (uint k = 0; k < 64; k++)
        s += t[(x >> (k & 23)) & 255];
    o[get_global_id(0)] = s;
}

// bench: collatz 65536 64 index 1
kernel void collatz(global const uint *in, global const uint *unused, global uint *o)
{
    uint n = in[get_global_id(0)] + 1, steps = 0;
    while (n != 1 && steps < 300) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        steps++;
    }
    o[get_global_id(0)] = steps;
}

// bench: transpose_local 512,512 16,16 float 1
kernel void transpose_local(global const float *in, global const float *unused, global float *o)
{
    local float tile[16][17];
    size_t w = get_global_size(0), h = get_global_size(1);
    tile[get_local_id(1)][get_local_id(0)] = in[get_global_id(1) * w + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    size_t x = get_group_id(1) * 16 + get_local_id(0), y = get_group_id(0) * 16 + get_local_id(1);
    o[y * h + x] = tile[get_local_id(0)][get_local_id(1)];
}

// bench: matmul_tiled 256,256 8,8 float 1
kernel void matmul_tiled(global const float *a, global const float *b, global float *c)
{
    local float ta[64], tb[64];
    const int n = 256, lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int t = 0; t < n / 8; ++t) {
        ta[ly * 8 + lx] = a[row * n + t * 8 + lx];
        tb[ly * 8 + lx] = b[(t * 8 + ly) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; ++k)
            sum = fma(ta[ly * 8 + k], tb[k * 8 + lx], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}

// bench: sum_first_item 262144 64 float 1
kernel void sum_first_item(global const float *in, global const float *unused, global float *o)
{
    local float t[64];
    t[get_local_id(0)] = in[get_global_id(0)] * in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        float s = 0;
        for (uint k = 0; k < get_local_size(0); k++)
            s += t[k];
        o[get_group_id(0)] = s;
    }
}

#ifdef __opencl_c_work_group_collective_functions
// bench: group_functions 131072 64 word 1
kernel void group_functions(global const uint *in, global const uint *unused, global uint *o)
{
    uint x = in[get_global_id(0)] & 0xff;
    o[get_global_id(0)] = work_group_scan_inclusive_add(x) + work_group_reduce_max(x);
}
#endif

// bench: vector_sum 1048576 64 float 1
kernel void vector_sum(global const float *a, global const float *b, global float *c)
{
    c[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];
}

// bench: triad_strided 16384 64 float 1
kernel void triad_strided(global const float *a, global const float *b, global float *c)
{
    for (size_t i = get_global_id(0); i < 524288; i += get_global_size(0))
        c[i] = a[i] + 3.0f * b[i];
}

// bench: wave_double 512,256 16,16 float 1
kernel void wave_double(global const float *in, global const float *before, global float *o)
{
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), i = y * w + x;
    double c = in[i], s = 0;
    if (x > 0 && x < w - 1 && y > 0 && y < (int)get_global_size(1) - 1)
        s = (double)in[i - 1] + in[i + 1] + in[i - w] + in[i + w] - 4 * c;
    o[i] = (float)(2 * c - before[i] + 0.1 * s);
}

// bench: mul_mod 65536 64 word 1
kernel void mul_mod(global const uint *a, global const uint *b, global uint *o)
{
    size_t i = get_global_id(0);
    ulong x = a[i], m = b[i] | 1, r = 1;
    for (uint e = 65537; e; e >>= 1) {
        if (e & 1)
            r = r * x % m;
        x = x * x % m;
    }
    o[i] = (uint)r;
}

// bench: image_threshold 512,512 16,16 imageui 1
kernel void image_threshold(read_only image2d_t from, write_only image2d_t to, global uint *o)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    uint4 v = read_imageui(from, at);
    write_imageui(to, at, v.x + v.y + v.z > 384 ? (uint4)(255) : (uint4)(0));
}

// bench: image_rows 512 64 imageui 1
kernel void image_rows(read_only image2d_t from, write_only image2d_t to, global uint *o)
{
    uint s = 0;
    for (int x = 0; x < get_image_width(from); x++)
        s += read_imageui(from, (int2)(x, get_global_id(0))).x;
    o[get_global_id(0)] = s;
}

// bench: tiny_launches 8 8 word 500
kernel void tiny_launches(global const uint *a, global const uint *b, global uint *o)
{
    local uint t[8];
    t[get_local_id(0)] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] += t[7 - get_local_id(0)] ^ b[0];
}

// bench: bitonic_local 65536 256 word 1
kernel void bitonic_local(global const uint *in, global const uint *unused, global uint *o)
{
    local uint t[512];
    uint l = get_local_id(0), base = get_group_id(0) * 512;
    t[l] = in[base + l];
    t[l + 256] = in[base + l + 256];
    for (uint size = 2; size <= 512; size <<= 1) {
        uint up = (l & (size / 2)) == 0;
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint p = 2 * l - (l & (stride - 1)), x = t[p], y = t[p + stride];
            if ((x > y) == up) {
                t[p] = y;
                t[p + stride] = x;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    o[base + l] = t[l];
    o[base + l + 256] = t[l + 256];
}

// bench: gemm_naive 256,256 32,8 float 1
kernel void gemm_naive(global const float *a, global const float *b, global float *c)
{
    int j = get_global_id(0), i = get_global_id(1), n = 256;
    if (i < n && j < n) {
        c[i * n + j] *= 0.0f;
        for (int k = 0; k < n; k++)
            c[i * n + j] += 1.5f * a[i * n + k] * b[k * n + j];
    }
}

// bench: particle_index 4096 128 float 1
kernel void particle_index(global const float *u, global const float *cdf, global float *o)
{
    int i = get_global_id(0), index = -1;
    for (int k = 0; k < 1000; k++)
        if (cdf[k] * 0.5f + 0.001f * k >= u[i] + 0.2f) {
            index = k;
            break;
        }
    if (index == -1)
        index = 999;
    o[i] = cdf[index] + 3.0f;
}

#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// bench: half_polynomial 262144 64 float 1
kernel void half_polynomial(global const half *in, global const half *unused, global half *o)
{
    half x = in[get_global_id(0)], s = 1;
    for (int k = 0; k < 8; k++)
        s = s * x * (half)0.25f + (half)0.5f;
    o[get_global_id(0)] = s;
}
#endif

#if defined(__opencl_c_subgroups) || defined(cl_khr_subgroups)
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
// bench: sub_group_scan 65536 64 word 1
kernel void sub_group_scan(global const uint *in, global const uint *unused, global uint *o)
{
    uint x = in[get_global_id(0)] & 0xffff;
    o[get_global_id(0)] = sub_group_scan_exclusive_add(x) ^ sub_group_broadcast(x, 0);
}
#endif
