/* Patterns of real applications: libraries for linear algebra and transforms, image filters, password hashing,
 * sorting, simulations, graphs. */

/* A tile of 32 x 32 in local memory, 4 x 2 results for each work-item, as in libraries for linear algebra. */
kernel void gemm(global const float *a, global const float *b, global float *o)
{
    local float ta[16][32], tb[16][32];
    const int n = 256, lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0) * 32, gy = get_group_id(1) * 32;
    const int l = ly * 8 + lx;
    float4 s[2] = {(float4)(0), (float4)(0)};
    for (int t = 0; t < n; t += 16) {
        for (int k = l; k < 16 * 32; k += 128) {
            ta[k >> 5][k & 31] = a[(t + (k >> 5)) * n + gy + (k & 31)];
            tb[k >> 5][k & 31] = b[(t + (k >> 5)) * n + gx + (k & 31)];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++) {
            float4 v = vload4(lx, tb[k]);
            s[0] = mad(v, (float4)(ta[k][ly * 2]), s[0]);
            s[1] = mad(v, (float4)(ta[k][ly * 2 + 1]), s[1]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int k = 0; k < 2; k++)
        vstore4(s[k], 0, o + (gy + ly * 2 + k) * n + gx + lx * 4);
}
/* Every work-item adds up a column's share of a row; the group adds the shares. */
kernel void gemv(global const float *a, global const float *b, global float *o)
{
    local float t[64];
    const int n = 1024, l = get_local_id(0), row = get_group_id(0);
    float s = 0;
    for (int k = l; k < n; k += 64)
        s += a[row * n + k] * b[k];
    t[l] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 32; k > 0; k >>= 1) {
        if (l < k)
            t[l] += t[l + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        o[row] = 1.5f * t[0] + 0.5f * b[row];
}
kernel void axpy(global const float4 *a, global const float4 *b, global float4 *o)
{
    for (int k = get_global_id(0); k < 1 << 18; k += get_global_size(0))
        o[k] = 2.5f * a[k] + b[k];
}
float2 times(float2 x, float2 y)
{
    return (float2)(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
/* A transform of 256 points in each group: four passes of radix 4 through local memory. */
kernel void fft(global const float2 *a, global const float *b, global float2 *o)
{
    local float2 t[256];
    const int l = get_local_id(0), g = get_group_id(0) * 256;
    float2 v[4];
    for (int k = 0; k < 4; k++)
        v[k] = a[g + l + k * 64];
    for (int p = 1; p < 256; p *= 4) {
        const int k = l & (p - 1);
        const float angle = -2 * M_PI_F * k / (4 * p);
        for (int j = 1; j < 4; j++)
            v[j] = times(v[j], (float2)(native_cos(angle * j), native_sin(angle * j)));
        const float2 s = v[0] + v[2], d = v[0] - v[2], u = v[1] + v[3], w = (float2)(v[1].y - v[3].y, v[3].x - v[1].x);
        const int at = ((l - k) << 2) + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[at] = s + u;
        t[at + p] = d + w;
        t[at + 2 * p] = s - u;
        t[at + 3 * p] = d - w;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 4; j++)
            v[j] = t[l + j * 64];
    }
    for (int k = 0; k < 4; k++)
        o[g + l + k * 64] = v[k];
}
constant uint primes[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
/* One block of SHA-256 for each work-item. */
kernel void sha256(global const uint *a, global const uint *b, global uint *o)
{
    const int i = get_global_id(0);
    uint w[16], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int k = 0; k < 16; k++)
        w[k] = a[i] ^ (k * 0x01010101u);
    for (int k = 0; k < 64; k++) {
        if (k >= 16) {
            const uint x = w[(k + 1) & 15], y = w[(k + 14) & 15];
            w[k & 15] += (rotate(x, 25u) ^ rotate(x, 14u) ^ x >> 3) + w[(k + 9) & 15] +
                         (rotate(y, 15u) ^ rotate(y, 13u) ^ y >> 10);
        }
        const uint t = h[7] + (rotate(h[4], 26u) ^ rotate(h[4], 21u) ^ rotate(h[4], 7u)) +
                       bitselect(h[6], h[5], h[4]) + primes[k] + w[k & 15];
        const uint u = (rotate(h[0], 30u) ^ rotate(h[0], 19u) ^ rotate(h[0], 10u)) + bitselect(h[0], h[1], h[2] ^ h[0]);
        h[7] = h[6], h[6] = h[5], h[5] = h[4], h[4] = h[3] + t, h[3] = h[2], h[2] = h[1], h[1] = h[0], h[0] = t + u;
    }
    o[i] = h[0] ^ h[3] ^ h[7];
}
/* A digit's counts, by group, for a radix sort. */
kernel void radix_count(global const uint *a, global const float *b, global uint *o)
{
    local uint t[256];
    const int l = get_local_id(0), groups = get_num_groups(0);
    t[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++)
        atomic_inc(&t[a[(get_group_id(0) * 16 + k) * 256 + l] >> 8 & 255]);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l * groups + get_group_id(0)] = t[l];
}
/* One step of a bitonic sort in global memory. */
kernel void sort_step(global const float *a, global const float *b, global float *o)
{
    const uint i = get_global_id(0), stride = 1 << 9, left = 2 * i - (i & (stride - 1));
    const float x = a[left], y = a[left + stride];
    const bool up = (left & 1 << 12) == 0;
    o[left] = (x > y) == up ? y : x;
    o[left + stride] = (x > y) == up ? x : y;
}
/* Rows of different lengths. */
kernel void csr_product(global const float *a, global const uint *b, global float *o)
{
    const uint rows = get_global_size(0), i = get_global_id(0), from = i * 12, count = 4 + (b[i] >> 8) % 9;
    float s = 0;
    for (uint k = from; k < from + count; k++)
        s += a[k] * a[b[k] % rows];
    o[i] = s;
}
kernel void floyd_warshall(global const uint *a, global const float *b, global uint *o)
{
    const int n = get_global_size(0), x = get_global_id(0), y = get_global_id(1), k = 17;
    const uint direct = a[y * n + x], around = (a[y * n + k] >> 2) + (a[k * n + x] >> 2);
    if (around < direct)
        o[y * n + x] = around;
}
/* Temperatures on a chip: a tile with its halo in local memory, borders guarded. */
kernel void hotspot(global const float *a, global const float *b, global float *o)
{
    local float t[18][18];
    const int n = get_global_size(0), x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    t[ly + 1][lx + 1] = a[y * n + x];
    if (lx == 0)
        t[ly + 1][0] = a[y * n + max(x - 1, 0)];
    if (lx == 15)
        t[ly + 1][17] = a[y * n + min(x + 1, n - 1)];
    if (ly == 0)
        t[0][lx + 1] = a[max(y - 1, 0) * n + x];
    if (ly == 15)
        t[17][lx + 1] = a[min(y + 1, n - 1) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    const float c = t[ly + 1][lx + 1];
    o[y * n + x] = c + 0.1f * (b[y * n + x] + (t[ly][lx + 1] + t[ly + 2][lx + 1] - 2 * c) * 0.3f +
                               (t[ly + 1][lx] + t[ly + 1][lx + 2] - 2 * c) * 0.4f + (80.0f - c) * 0.05f);
}
kernel void n_body_double(global const double4 *a, global const float *b, global double4 *o)
{
    const int n = get_global_size(0), i = get_global_id(0);
    const double4 p = a[i];
    double3 f = (double3)(0);
    for (int j = 0; j < n; j++) {
        const double3 d = a[j].xyz - p.xyz;
        const double r = dot(d, d) + 0.01;
        f += d * (a[j].w / (r * sqrt(r)));
    }
    o[i] = (double4)(f, p.w);
}
float fade(float t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}
float gradient(uint h, float x, float y)
{
    const float u = h & 1 ? -x : x, v = h & 2 ? -y : y;
    return h & 4 ? u + v : u - v;
}
uint mixed(uint x, uint y)
{
    const uint h = (x * 374761393u + y * 668265263u) ^ 0x9e3779b9u;
    return (h ^ h >> 13) * 1274126177u >> 16;
}
kernel void perlin(global const float *a, global const float *b, global float *o)
{
    const int n = get_global_size(0), x = get_global_id(0), y = get_global_id(1);
    float s = 0, weight = 1, u = x / 16.0f, v = y / 16.0f;
    for (int k = 0; k < 4; k++) {
        const float fu = floor(u), fv = floor(v), du = u - fu, dv = v - fv;
        const uint iu = (uint)fu, iv = (uint)fv;
        s += weight * mix(mix(gradient(mixed(iu, iv), du, dv), gradient(mixed(iu + 1, iv), du - 1, dv), fade(du)),
                          mix(gradient(mixed(iu, iv + 1), du, dv - 1), gradient(mixed(iu + 1, iv + 1), du - 1, dv - 1),
                              fade(du)),
                          fade(dv));
        u *= 2, v *= 2, weight *= 0.5f;
    }
    o[y * n + x] = s;
}
/* Colors to grey, three bytes a pixel; guarded, since images are not as large as launches. */
kernel void grey(global const uchar *a, global const float *b, global uchar *o)
{
    const int width = 1000, height = 500, x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    const int3 c = convert_int3(vload3(y * width + x, a));
    o[y * width + x] = convert_uchar_sat((c.x * 1868 + c.y * 9617 + c.z * 4899 + (1 << 13)) >> 14);
}
/* Half as wide and high again, bilinear. */
kernel void resize(global const uchar *a, global const float *b, global uchar *o)
{
    const int n = get_global_size(0), m = n * 2 / 3, x = get_global_id(0), y = get_global_id(1);
    const float u = clamp((x + 0.5f) * m / n - 0.5f, 0.0f, m - 1.001f), v = clamp((y + 0.5f) * m / n - 0.5f, 0.0f, m - 1.001f);
    const int iu = (int)u, iv = (int)v;
    const float du = u - iu, dv = v - iv;
    const float top = mix((float)a[iv * m + iu], (float)a[iv * m + iu + 1], du);
    const float bottom = mix((float)a[(iv + 1) * m + iu], (float)a[(iv + 1) * m + iu + 1], du);
    o[y * n + x] = convert_uchar_sat_rte(mix(top, bottom, dv));
}
constant float weights[9] = {0.028f, 0.067f, 0.124f, 0.179f, 0.204f, 0.179f, 0.124f, 0.067f, 0.028f};
/* A row's blur with its halo in local memory. */
kernel void blur_row(global const float *a, global const float *b, global float *o)
{
    local float t[128 + 8];
    const int n = get_global_size(0), x = get_global_id(0), y = get_global_id(1), l = get_local_id(0);
    t[l + 4] = a[y * n + x];
    if (l < 4) {
        t[l] = a[y * n + max(x - 4, 0)];
        t[l + 132] = a[y * n + min(x + 128, n - 1)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float s = 0;
    for (int k = 0; k < 9; k++)
        s += weights[k] * t[l + k];
    o[y * n + x] = s;
}
/* Edges of a picture of shorts, eight at a time, saturated. */
kernel void sobel(global const short *a, global const float *b, global short *o)
{
    const int n = get_global_size(0) * 8 + 16, x = get_global_id(0) * 8, y = get_global_id(1);
    global const short *p = a + y * n + x;
    const int8 left = convert_int8(vload8(0, p)) + 2 * convert_int8(vload8(0, p + n)) + convert_int8(vload8(0, p + 2 * n));
    const int8 right = convert_int8(vload8(0, p + 2)) + 2 * convert_int8(vload8(0, p + n + 2)) +
                       convert_int8(vload8(0, p + 2 * n + 2));
    vstore8(convert_short8_sat(right - left), 0, o + y * n + x);
}
/* Through a tile without bank conflicts. */
kernel void transpose(global const float *a, global const float *b, global float *o)
{
    local float t[16][17];
    const int n = get_global_size(0), lx = get_local_id(0), ly = get_local_id(1);
    t[ly][lx] = a[get_global_id(1) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[(get_group_id(0) * 16 + ly) * n + get_group_id(1) * 16 + lx] = t[lx][ly];
}
/* The nearest of 16 centres in 4 dimensions, which are apart. */
kernel void kmeans(global const float *a, global const float *b, global int *o)
{
    const int n = get_global_size(0), i = get_global_id(0);
    float least = FLT_MAX;
    int best = 0;
    for (int c = 0; c < 16; c++) {
        float d = 0;
        for (int k = 0; k < 4; k++) {
            const float x = a[k * n + i] - b[c * 4 + k];
            d += x * x;
        }
        if (d < least) {
            least = d;
            best = c;
        }
    }
    o[i] = best;
}
