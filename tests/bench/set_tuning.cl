/* Kernels in many styles, half of a set: this half may be used for tuning.  Before each kernel stands how it is launched:
 * "bench:" name, global size, local size (- for none), inputs (float, word or index: 32-bit values below 2^20; image,
 * imageui; svm: a list of nodes in shared virtual memory),
 * launches that are measured together. */

// bench: ticket_single 64 1 zero 1
kernel void ticket_single(global volatile atomic_uint *next, global volatile atomic_uint *serving, global uint *sum)
{
    for (int round = 0; round < 1024; round++) {
        uint ticket = atomic_fetch_add_explicit(next, 1u, memory_order_relaxed, memory_scope_device);
        while (atomic_load_explicit(serving, memory_order_acquire, memory_scope_device) != ticket)
            ;
        sum[0] += round;
        atomic_store_explicit(serving, ticket + 1, memory_order_release, memory_scope_device);
    }
}

// bench: spin_exchange 256 64 zero 1
kernel void spin_exchange(global volatile atomic_int *lock, global int *unused, global int *counter)
{
    for (int k = 0; k < 200; k++) {
        while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device) != 0)
            ;
        counter[k & 7] += 1;
        atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
    }
}

// bench: bins_global 262144 256 word 1
kernel void bins_global(global const uint *in, global const uint *unused, global volatile atomic_uint *bins)
{
    uint v = in[get_global_id(0)];
    atomic_fetch_add_explicit(&bins[v >> 24], 1u, memory_order_relaxed, memory_scope_device);
}

// bench: bins_local 262144 128 word 1
kernel void bins_local(global const uchar *in, global const uchar *unused, global volatile int *bins)
{
    local int mine[256];
    for (int k = get_local_id(0); k < 256; k += get_local_size(0))
        mine[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint base = get_global_id(0) * 4;
    for (int k = 0; k < 4; k++)
        atomic_inc((volatile local int *)&mine[in[base + k]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = get_local_id(0); k < 256; k += get_local_size(0))
        atomic_add(&bins[k], mine[k]);
}

// bench: chase 4096 64 index 1
kernel void chase(global const uint *next, global const uint *start, global uint *o)
{
    uint at = start[get_global_id(0)];
    for (int k = 0; k < 128; k++)
        at = next[at];
    o[get_global_id(0)] = at;
}

// bench: float4_lighting 65536 64 float 1
kernel void float4_lighting(global const float4 *normals, global const float4 *lights, global float4 *o)
{
    size_t i = get_global_id(0);
    float4 n = normalize(normals[i] - 0.5f), color = (float4)(0.1f);
    for (int k = 0; k < 8; k++) {
        float4 l = normalize(lights[k]);
        float d = fmax(dot(n.xyz, l.xyz), 0.0f);
        color += l.wzyx * d + pow(d, 16.0f);
    }
    o[i] = clamp(color, 0.0f, 1.0f);
}

// bench: private_sort 16384 64 word 1
kernel void private_sort(global const uint *in, global const uint *unused, global uint *o)
{
    uint v[32], g = get_global_id(0);
    for (int k = 0; k < 32; k++)
        v[k] = in[g * 32 + k];
    for (int i = 1; i < 32; i++) {
        uint x = v[i];
        int j = i - 1;
        for (; j >= 0 && v[j] > x; j--)
            v[j + 1] = v[j];
        v[j + 1] = x;
    }
    for (int k = 0; k < 32; k++)
        o[g * 32 + k] = v[k];
}

// bench: deep_branches 262144 64 word 1
kernel void deep_branches(global const uint *in, global const uint *other, global uint *o)
{
    size_t i = get_global_id(0);
    uint x = in[i], y = other[i], r;
    if (x & 1)
        if (x & 2)
            r = (y & 4) ? x * 3 : (x & 8) ? y / 7 : x ^ y;
        else
            r = (y & 16) ? x % 13 : y << 3;
    else if (x & 32)
        r = (y & 1) ? rotate(x, 5u) : (y & 2) ? popcount(x) : clz(y);
    else
        r = (x > y) ? x - y : hadd(x, y);
    o[i] = r;
}

// bench: barrier_chain 16384 256 float 1
kernel void barrier_chain(global const float *in, global const float *unused, global float *o)
{
    local float t[256];
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    for (int k = 0; k < 64; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        float left = t[(l + 255) & 255], right = t[(l + 1) & 255];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = 0.25f * (left + right) + 0.5f * t[l];
    }
    o[get_global_id(0)] = t[l];
}

// bench: scan_blelloch 131072 128 float 1
kernel void scan_blelloch(global const float *in, global const float *unused, global float *o)
{
    local float t[256];
    size_t l = get_local_id(0), base = get_group_id(0) * 256;
    t[2 * l] = in[base + 2 * l];
    t[2 * l + 1] = in[base + 2 * l + 1];
    int offset = 1;
    for (int d = 128; d > 0; d >>= 1, offset *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d)
            t[offset * (2 * l + 2) - 1] += t[offset * (2 * l + 1) - 1];
    }
    if (l == 0)
        t[255] = 0;
    for (int d = 1; d < 256; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            int a = offset * (2 * l + 1) - 1, b = offset * (2 * l + 2) - 1;
            float x = t[a];
            t[a] = t[b];
            t[b] += x;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    o[base + 2 * l] = t[2 * l];
    o[base + 2 * l + 1] = t[2 * l + 1];
}

// bench: reduce_stride 524288 256 float 1
kernel void reduce_stride(global const float *in, global const float *unused, global float *o)
{
    local float t[256];
    uint l = get_local_id(0), n = get_local_size(0);
    float s = 0;
    for (size_t i = get_global_id(0); i < 524288; i += get_global_size(0))
        s += in[i];
    t[l] = s;
    for (uint m = n / 2; m != 0; m /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < m)
            t[l] = t[l] + t[l + m];
    }
    if (l == 0)
        o[get_group_id(0)] = t[0];
}

// bench: saxpy_guarded 1000064 64 float 1
kernel void saxpy_guarded(global const float *x, global const float *y, global float *z)
{
    const float a = 2.5f;
    const int n = 1000000, i = get_global_id(0);
    if (i >= n)
        return;
    z[i] = a * x[i] + y[i];
}

// bench: stencil_five 1024,512 32,8 float 1
kernel void stencil_five(global const float *in, global const float *unused, global float *o)
{
    size_t w = get_global_size(0), h = get_global_size(1), x = get_global_id(0), y = get_global_id(1);
    size_t left = x == 0 ? 0 : x - 1, right = min(x + 1, w - 1), up = y == 0 ? 0 : y - 1, down = min(y + 1, h - 1);
    o[y * w + x] = (in[y * w + left] + in[y * w + right] + in[up * w + x] + in[down * w + x] - 4 * in[y * w + x]) * 0.2f +
                   in[y * w + x];
}

constant uint primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
#ifdef __opencl_c_program_scope_global_variables
global uint table[64];
#endif
// bench: program_scope 65536 64 word 1
kernel void program_scope(global const uint *in, global const uint *unused, global uint *o)
{
    size_t i = get_global_id(0);
    uint x = in[i], s = 0;
#ifdef __opencl_c_program_scope_global_variables
    if (i < 64)
        table[i] = primes[i & 7];
#endif
    for (int k = 0; k < 32; k++)
        s += x % primes[(x >> k) & 7];
    o[i] = s;
}

// bench: wide_integers 131072 64 word 1
kernel void wide_integers(global const ulong *a, global const ulong *b, global ulong *o)
{
    size_t i = get_global_id(0);
    ulong x = a[i], y = b[i] | 1;
    for (int k = 0; k < 24; k++) {
        x = x * 6364136223846793005UL + y;
        y ^= mul_hi(x, y) >> 3;
        x = (x >> 33) ^ x;
    }
    o[i] = x + y % 1000003UL;
}

// bench: horner_double 131072 64 float 1
kernel void horner_double(global const float *a, global const float *unused, global double *o)
{
    size_t i = get_global_id(0);
    double x = a[i], s = 1.0;
    for (int k = 30; k > 0; k--)
        s = 1.0 + x * s / k;
    o[i] = s;
}

// bench: image_copy 512,512 16,16 image 1
kernel void image_copy(read_only image2d_t from, write_only image2d_t to, global float *o)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, read_imagef(from, at) * 0.5f);
}

// bench: image_bilinear 256,256 16,16 image 1
kernel void image_bilinear(read_only image2d_t from, write_only image2d_t to, global float *o)
{
    const sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
    float2 at = (float2)(get_global_id(0) * 1.7f + 0.3f, get_global_id(1) * 1.3f + 0.9f);
    write_imagef(to, (int2)(get_global_id(0), get_global_id(1)), read_imagef(from, linear, at));
}

// bench: many_launches 64 - float 500
kernel void many_launches(global const float *a, global const float *b, global float *o)
{
    size_t i = get_global_id(0);
    o[i] += a[i] * b[i];
}

// bench: one_group_long 1000 1000 float 1
kernel void one_group_long(global const float *a, global const float *b, global float *o)
{
    size_t i = get_global_id(0);
    float x = a[i];
    for (int k = 0; k < 2000; k++)
        x = mad(x, 0.999f, b[k & 63] * 0.001f);
    o[i] = x;
}

// bench: odd_sizes 9999,7 - float 1
kernel void odd_sizes(global const float *a, global const float *b, global float *o)
{
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    o[i] = sqrt(a[i]) + exp(-b[i]);
}

struct node {
    global struct node *next;
    ulong value;
};
// bench: svm_list 2048 64 svm 1
kernel void svm_list(global struct node *list, global const uint *unused, global ulong *o)
{
    global struct node *at = list + get_global_id(0);
    ulong sum = 0;
    for (int k = 0; k < 64; k++, at = at->next)
        sum += at->value;
    o[get_global_id(0)] = sum;
}

// bench: half_storage 262144 64 word 1
kernel void half_storage(global const half *in, global const half *other, global half *o)
{
    size_t i = get_global_id(0);
    vstore_half4(vload_half4(i, in) * 0.5f + vload_half4(i, other), i, o);
}

// bench: transpose_naive 1024,1024 16,16 float 1
kernel void transpose_naive(global const float *in, global const float *unused, global float *o)
{
    int x = get_global_id(0), y = get_global_id(1);
    o[x * get_global_size(1) + y] = in[y * get_global_size(0) + x];
}

float scene(float3 p)
{
    float ball = length(p - (float3)(0, 0, 3)) - 1.0f, floor_at = p.y + 1.0f;
    return fmin(ball, floor_at);
}
// bench: ray_march 256,256 16,16 float 1
kernel void ray_march(global const float *a, global const float *b, global float *o)
{
    float3 d = normalize((float3)(get_global_id(0) / 128.0f - 1.0f, get_global_id(1) / 128.0f - 1.0f, 1.5f)), p = 0;
    float t = 0;
    int k;
    for (k = 0; k < 48; k++) {
        float s = scene(p + d * t);
        if (s < 0.001f || t > 20.0f)
            break;
        t += s;
    }
    float3 h = p + d * t, e = (float3)(0.001f, 0, 0);
    float3 n = normalize((float3)(scene(h + e.xyy) - scene(h - e.xyy), scene(h + e.yxy) - scene(h - e.yxy), scene(h + e.yyx) - scene(h - e.yyx)));
    o[get_global_id(1) * 256 + get_global_id(0)] = t > 20.0f ? 0.0f : fmax(dot(n, normalize((float3)(1, 1, -1))), 0.0f) + k * 0.01f;
}

// bench: nbody_tile 2048 64 float 1
kernel void nbody_tile(global const float4 *p, global const float4 *unused, global float4 *o)
{
    local float4 t[64];
    float4 me = p[get_global_id(0)], acc = 0;
    for (int k = 0; k < 2048; k += 64) {
        t[get_local_id(0)] = p[k + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 64; j++) {
            float4 d = t[j] - me;
            float r = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
            acc.xyz += d.xyz * (t[j].w * r * r * r);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[get_global_id(0)] = acc;
}

// bench: gaussian_step 512,512 16,16 float 1
kernel void gaussian_step(global const float *m, global const float *a, global float *o)
{
    const int size = 500, t = 3;
    int gx = get_global_id(0), gy = get_global_id(1);
    if (gx < size - 1 - t && gy < size - t) {
        o[size * (gx + 1 + t) + gy + t] = a[size * (gx + 1 + t) + gy + t] - m[size * (gx + 1 + t) + t] * a[size * t + gy + t];
    }
}

// bench: cutcp_grid 128,64 16,8 float 1
kernel void cutcp_grid(global const float4 *atoms, global const float *unused, global float *o)
{
    float x = get_global_id(0) * 0.02f, y = get_global_id(1) * 0.02f, e = 0;
    for (int k = 0; k < 256; k++) {
        float4 a = atoms[k];
        float dx = a.x - x, dy = a.y - y, r2 = dx * dx + dy * dy + a.z * a.z;
        if (r2 < 0.5f) {
            float s = 1.0f - r2 * 2.0f;
            e += a.w * rsqrt(r2) * s * s;
        }
    }
    o[get_global_id(1) * 128 + get_global_id(0)] = e;
}

// bench: string_search 65536 64 word 1
kernel void string_search(global const uchar *text, global const uchar *pattern, global uint *o)
{
    uint at = get_global_id(0) * 16, found = 0;
    for (uint k = 0; k < 16; k++) {
        uint m = 0;
        while (m < 5 && (text[at + k + m] & 3) == (pattern[m] & 3))
            m++;
        if (m == 5)
            found = found * 31 + at + k;
    }
    o[get_global_id(0)] = found;
}

#if defined(__opencl_c_subgroups) || defined(cl_khr_subgroups)
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
// bench: sub_group_reduce 65536 64 word 1
kernel void sub_group_reduce(global const uint *in, global const uint *unused, global uint *o)
{
    uint sum = sub_group_reduce_add(in[get_global_id(0)] & 0xffff);
    if (get_sub_group_local_id() == 0)
        o[get_global_id(0)] = sum;
}
#endif
