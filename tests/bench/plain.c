/* The kernels of the benchmark as plain C on one thread, for gcc -O3 -march=native: plain KERNEL REPEATS
 * prints the kernel and the median CPU time of a run in milliseconds. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EACH(i, n) for (int i = 0; i < (n); i++)
static const float *restrict a, *restrict b;
static float *restrict o;
static const uint32_t *restrict ua, *restrict ub;
static uint32_t *restrict uo;

static void vector_add(void)
{
    EACH(i, 1 << 20)
    o[i] = a[i] + b[i];
}
static void saxpy_chain(void)
{
    EACH(i, 1 << 20)
    {
        float x = a[i], y = b[i];
        EACH(k, 64)
        y = 1.0001f * y + x;
        o[i] = y;
    }
}
static void matrix_naive(void)
{
    EACH(y, 256)
    EACH(x, 256)
    {
        float s = 0;
        EACH(k, 256)
        s += a[y * 256 + k] * b[k * 256 + x];
        o[y * 256 + x] = s;
    }
}
static void matrix_tiled(void)
{
    memset(o, 0, 256 * 256 * 4);
    EACH(y, 256)
    EACH(k, 256)
    EACH(x, 256)
    o[y * 256 + x] += a[y * 256 + k] * b[k * 256 + x];
}
static void reduction(void)
{
    EACH(g, 1 << 12)
    {
        float s = 0;
        EACH(l, 256)
        s += a[g * 256 + l];
        o[g] = s;
    }
}
static void scan(void)
{
    EACH(g, 1 << 10)
    {
        float s = 0;
        EACH(l, 256)
        o[g * 256 + l] = s += a[g * 256 + l];
    }
}
static void stencil(void)
{
    int n = 1024;
    EACH(y, n)
    EACH(x, n)
    {
        int i = y * n + x;
        o[i] = x > 0 && y > 0 && x < n - 1 && y < n - 1
                   ? 0.5f * a[i] + 0.125f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n])
                   : a[i];
    }
}
static void histogram(void)
{
    EACH(i, 1 << 20)
    uo[(int)(a[i] * 63.0f) & 63]++;
}
static void n_body(void)
{
    EACH(i, 2048)
    {
        float f[3] = {0};
        EACH(j, 2048)
        {
            float d[3], r = 0.01f;
            EACH(k, 3)
            {
                d[k] = a[j * 4 + k] - a[i * 4 + k];
                r += d[k] * d[k];
            }
            float w = a[j * 4 + 3] / (r * sqrtf(r));
            EACH(k, 3)
            f[k] += d[k] * w;
        }
        EACH(k, 3)
        o[i * 4 + k] = f[k];
        o[i * 4 + 3] = a[i * 4 + 3];
    }
}
static void bitonic_sort(void)
{
    EACH(g, 1 << 9)
    {
        float *t = o + g * 256;
        memcpy(t, a + g * 256, 1024);
        for (int size = 2; size <= 256; size <<= 1)
            for (int stride = size >> 1; stride > 0; stride >>= 1)
                EACH(l, 256)
                {
                    int p = l ^ stride;
                    if (p > l && (t[l] > t[p]) == ((l & size) == 0)) {
                        float x = t[l];
                        t[l] = t[p];
                        t[p] = x;
                    }
                }
    }
}
static float phi(float x)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    float w = 0.39894228f * expf(-x * x * 0.5f) *
              (k * (0.31938153f +
                    k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return x < 0 ? w : 1.0f - w;
}
static void black_scholes(void)
{
    EACH(i, 1 << 19)
    {
        float s = 10.0f + a[i] * 90.0f, k = 10.0f + b[i] * 90.0f, t = 1.0f + a[i] * 9.0f, r = 0.02f, v = 0.3f;
        float d1 = (logf(s / k) + (r + 0.5f * v * v) * t) / (v * sqrtf(t)), d2 = d1 - v * sqrtf(t);
        o[i] = s * phi(d1) - k * expf(-r * t) * phi(d2);
    }
}
static void integer_hash(void)
{
    EACH(i, 1 << 20)
    {
        uint32_t h = ua[i];
        EACH(k, 32)
        {
            h ^= h >> 16;
            h *= 0x85ebca6bu;
            h ^= h >> 13;
            h *= 0xc2b2ae35u;
            h ^= h >> 16;
            h += (uint32_t)k;
        }
        uo[i] = h;
    }
}
static void ticket_lock(void)
{
    EACH(g, 64)
    {
        uint32_t mine = __atomic_fetch_add(&uo[1], 1, __ATOMIC_SEQ_CST);
        while (__atomic_fetch_add(&uo[2], 0, __ATOMIC_SEQ_CST) != mine)
            ;
        o[0] += a[g];
        __atomic_fetch_add(&uo[2], 1, __ATOMIC_SEQ_CST);
    }
}
static void md_rounds(void)
{
    EACH(i, 1 << 18)
    {
        uint32_t w[16], x = 0x67452301, y = 0xefcdab89, z = 0x98badcfe, u = 0x10325476;
        EACH(k, 16)
        w[k] = ua[i] + (uint32_t)k * 0x9e3779b9u;
        EACH(k, 64)
        {
            uint32_t f = k < 32 ? (y & z) | (~y & u) : y ^ z ^ u;
            uint32_t t = x + f + w[(k * 5 + 1) & 15] + (uint32_t)k * 0x5a827999u;
            x = u;
            u = z;
            z = y;
            y = y + (t << 7 | t >> 25);
        }
        uo[i] = x ^ y ^ z ^ u;
    }
}
static void sparse_product(void)
{
    uint32_t n = 1 << 18;
    EACH(i, 1 << 18)
    {
        float s = 0;
        EACH(k, 16)
        s += a[(uint32_t)(i * 16 + k) & (n - 1)] * a[ub[(uint32_t)(i + k * 37) & (n - 1)] & (n - 1)];
        o[i] = s;
    }
}
static void mandelbrot(void)
{
    int n = 256;
    EACH(y, n)
    EACH(x, n)
    {
        float cx = -2.0f + 3.0f * (float)x / (float)n, cy = -1.5f + 3.0f * (float)y / (float)n, u = 0, v = 0;
        uint32_t k = 0;
        for (; k < 200 && u * u + v * v < 4.0f; k++) {
            float w = u * u - v * v + cx;
            v = 2 * u * v + cy;
            u = w;
        }
        uo[y * n + x] = k;
    }
}
static int clamp(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}
static void box_filter(void)
{
    int n = 512;
    const uint8_t *from = (const uint8_t *)ua;
    uint8_t *to = (uint8_t *)uo;
    EACH(y, n)
    EACH(x, n)
    {
        int s = 0;
        for (int j = -2; j <= 2; j++)
            for (int i = -2; i <= 2; i++)
                s += from[clamp(y + j, 0, n - 1) * n + clamp(x + i, 0, n - 1)];
        to[y * n + x] = (uint8_t)(s / 25);
    }
}
static void dense_layer(void)
{
    EACH(i, 1 << 16)
    {
        int r = i & 63, c = i >> 6;
        float s = b[r];
        EACH(k, 64)
        s += a[r * 64 + k] * b[(c & 63) * 64 + k];
        o[i] = fmaxf(s, 0.0f);
    }
}

#define ENTRY(f, kind)                                                                                       \
    {                                                                                                        \
#f, f, kind                                                                                          \
    }
static const struct {
    const char *name;
    void (*run)(void);
    int floats; /* as in bench.c */
} plans[] = {ENTRY(vector_add, 1),  ENTRY(saxpy_chain, 1),  ENTRY(matrix_naive, 1),   ENTRY(matrix_tiled, 1),
             ENTRY(reduction, 1),   ENTRY(scan, 1),         ENTRY(stencil, 1),        ENTRY(histogram, 1),
             ENTRY(n_body, 1),      ENTRY(bitonic_sort, 1), ENTRY(black_scholes, 1),  ENTRY(integer_hash, 0),
             ENTRY(ticket_lock, 1), ENTRY(md_rounds, 0),    ENTRY(sparse_product, 2), ENTRY(mandelbrot, 1),
             ENTRY(box_filter, 0),  ENTRY(dense_layer, 1)};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}
static int by_value(const void *x, const void *y)
{
    double p = *(const double *)x, q = *(const double *)y;
    return (p > q) - (p < q);
}
static void *make(int floats)
{
    size_t n = (size_t)4 << 20;
    uint32_t *words = calloc(n, 4), x = 12345;
    for (size_t i = 0; i < n && words != NULL; i++) {
        x = x * 1664525u + 1013904223u;
        float f = (float)(x >> 8) / 16777216.0f;
        words[i] = x;
        if (floats)
            memcpy(&words[i], &f, sizeof f);
    }
    return words;
}

int main(int argc, char **argv)
{
    size_t p = 0, count = sizeof plans / sizeof *plans;
    double times[101];
    while (argc > 2 && p < count && strcmp(plans[p].name, argv[1]) != 0)
        p++;
    int repeats = argc > 2 ? atoi(argv[2]) : 0;
    if (argc < 3 || p == count || repeats < 1 || repeats > 101)
        return 2;
    a = make(plans[p].floats == 2 ? 1 : plans[p].floats);
    b = make(plans[p].floats == 2 ? 0 : plans[p].floats);
    o = calloc((size_t)4 << 20, 4);
    if (a == NULL || b == NULL || o == NULL)
        return 1;
    ua = (const uint32_t *)a;
    ub = (const uint32_t *)b;
    uo = (uint32_t *)o;
    for (int k = -1; k < repeats; k++) {
        double start = now();
        plans[p].run();
        if (k >= 0)
            times[k] = now() - start;
    }
    qsort(times, (size_t)repeats, sizeof *times, by_value);
    printf("%s %.3f\n", plans[p].name, times[repeats / 2]);
    return 0;
}
