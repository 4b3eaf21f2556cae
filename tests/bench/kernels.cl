/* The kernels of the benchmark. */
kernel void vector_add(global const float *a, global const float *b, global float *o)
{
    size_t i = get_global_id(0);
    o[i] = a[i] + b[i];
}
kernel void saxpy_chain(global const float *a, global const float *b, global float *o)
{
    int i = get_global_id(0);
    float x = a[i], y = b[i];
    for (int k = 0; k < 64; k++)
        y = 1.0001f * y + x;
    o[i] = y;
}
kernel void matrix_naive(global const float *a, global const float *b, global float *o)
{
    int n = get_global_size(0), x = get_global_id(0), y = get_global_id(1);
    float s = 0;
    for (int k = 0; k < n; k++)
        s += a[y * n + k] * b[k * n + x];
    o[y * n + x] = s;
}
kernel void matrix_tiled(global const float *a, global const float *b, global float *o)
{
    local float ta[16][16], tb[16][16];
    int n = get_global_size(0), x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    float s = 0;
    for (int t = 0; t < n; t += 16) {
        ta[ly][lx] = a[y * n + t + lx];
        tb[ly][lx] = b[(t + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++)
            s += ta[ly][k] * tb[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[y * n + x] = s;
}
kernel void reduction(global const float *a, global const float *b, global float *o)
{
    local float t[256];
    int l = get_local_id(0);
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 128; s > 0; s >>= 1) {
        if (l < s)
            t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        o[get_group_id(0)] = t[0];
}
kernel void scan(global const float *a, global const float *b, global float *o)
{
    local float t[256];
    int l = get_local_id(0);
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < 256; s <<= 1) {
        float v = l >= s ? t[l - s] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[get_global_id(0)] = t[l];
}
kernel void stencil(global const float *a, global const float *b, global float *o)
{
    int n = get_global_size(0), m = get_global_size(1), x = get_global_id(0), y = get_global_id(1), i = y * n + x;
    if (x > 0 && y > 0 && x < n - 1 && y < m - 1)
        o[i] = 0.5f * a[i] + 0.125f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n]);
    else
        o[i] = a[i];
}
kernel void histogram(global const float *a, global const float *b, global int *o)
{
    local int t[64];
    int l = get_local_id(0);
    if (l < 64)
        t[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&t[(int)(a[get_global_id(0)] * 63.0f) & 63]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 64)
        atomic_add(&o[l], t[l]);
}
kernel void n_body(global const float4 *a, global const float *b, global float4 *o)
{
    int n = get_global_size(0), i = get_global_id(0);
    float4 p = a[i];
    float3 f = (float3)(0);
    for (int j = 0; j < n; j++) {
        float4 q = a[j];
        float3 d = q.xyz - p.xyz;
        float r = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f;
        float w = q.w / (r * sqrt(r));
        f += d * w;
    }
    o[i] = (float4)(f, p.w);
}
kernel void bitonic_sort(global const float *a, global const float *b, global float *o)
{
    local float t[256];
    int l = get_local_id(0);
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int size = 2; size <= 256; size <<= 1)
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            int p = l ^ stride;
            if (p > l) {
                float x = t[l], y = t[p];
                if ((x > y) == ((l & size) == 0)) {
                    t[l] = y;
                    t[p] = x;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    o[get_global_id(0)] = t[l];
}
float phi(float x)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
    float w = 1.0f - 0.39894228f * exp(-x * x * 0.5f) *
                         (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return x < 0 ? 1.0f - w : w;
}
kernel void black_scholes(global const float *a, global const float *b, global float *o)
{
    size_t i = get_global_id(0);
    float s = 10.0f + a[i] * 90.0f, k = 10.0f + b[i] * 90.0f, t = 1.0f + a[i] * 9.0f, r = 0.02f, v = 0.3f;
    float d1 = (log(s / k) + (r + 0.5f * v * v) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
    o[i] = s * phi(d1) - k * exp(-r * t) * phi(d2);
}
kernel void integer_hash(global const uint *a, global const uint *b, global uint *o)
{
    size_t i = get_global_id(0);
    uint h = a[i];
    for (int k = 0; k < 32; k++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h ^= h >> 16;
        h += k;
    }
    o[i] = h;
}
/* One work-item of each group takes a ticket and waits until its number is served. */
kernel void ticket_lock(global const float *a, volatile global int *lock, global float *o)
{
    if (get_local_id(0) == 0) {
        int mine = atomic_inc(&lock[0]);
        while (atomic_add(&lock[1], 0) != mine)
            ;
        o[0] += a[get_group_id(0)];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_inc(&lock[1]);
    }
}
/* Kernels from real projects: the steps of a hash cracker, a solver's sparse product, a renderer's escape
 * loop, an image filter, a neural network's layer. */
kernel void md_rounds(global const uint *a, global const uint *b, global uint *o)
{
    uint w[16];
    int i = get_global_id(0);
    for (int k = 0; k < 16; k++)
        w[k] = a[i] + k * 0x9e3779b9u;
    uint x = 0x67452301, y = 0xefcdab89, z = 0x98badcfe, u = 0x10325476;
    for (int k = 0; k < 64; k++) {
        uint f = k < 32 ? (y & z) | (~y & u) : y ^ z ^ u;
        uint t = x + f + w[(k * 5 + 1) & 15] + k * 0x5a827999u;
        x = u;
        u = z;
        z = y;
        y = y + rotate(t, 7u);
    }
    o[i] = x ^ y ^ z ^ u;
}
kernel void sparse_product(global const float *a, global const uint *b, global float *o)
{
    int n = get_global_size(0), i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < 16; k++)
        s += a[(i * 16 + k) & (n - 1)] * a[b[(i + k * 37) & (n - 1)] & (n - 1)];
    o[i] = s;
}
kernel void mandelbrot(global const float *a, global const float *b, global int *o)
{
    int n = get_global_size(0), x = get_global_id(0), y = get_global_id(1), k = 0;
    float cx = -2.0f + 3.0f * x / n, cy = -1.5f + 3.0f * y / n, u = 0, v = 0;
    for (; k < 200 && u * u + v * v < 4.0f; k++) {
        float w = u * u - v * v + cx;
        v = 2 * u * v + cy;
        u = w;
    }
    o[y * n + x] = k;
}
kernel void box_filter(global const uchar *a, global const float *b, global uchar *o)
{
    int n = get_global_size(0), m = get_global_size(1), x = get_global_id(0), y = get_global_id(1), s = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++)
            s += a[clamp(y + j, 0, m - 1) * n + clamp(x + i, 0, n - 1)];
    o[y * n + x] = s / 25;
}
kernel void dense_layer(global const float *a, global const float *b, global float *o)
{
    int i = get_global_id(0), n = get_global_size(0) / 64, r = i & 63, c = i >> 6;
    float s = b[r];
    for (int k = 0; k < 64; k++)
        s += a[r * 64 + k] * b[(c & 63) * 64 + k];
    o[i] = fmax(s, 0.0f);
}
