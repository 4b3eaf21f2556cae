/* The work of kernels of the sets, written by hand in C with AVX-512: what the machine allows where the ratio of
 * refcl to PoCL is small.  hand_written FILE.cl REPEATS [DIRECTORY]: prints rows as set.c does, for the kernels of
 * FILE.cl that are written here; compares the results with the files KERNEL in DIRECTORY, which set.c has written
 * after as many launches on one core.  As many threads as the process may use cores; kernels that take locks run on
 * one, as refcl runs them.  Locks take the atomic operations of the kernel; bins_global and counter_append, which
 * take none, fewer operations with the same result. */
#include "set.h"

#include <immintrin.h>
#include <math.h>

#pragma omp declare simd notinbranch simdlen(16)
extern float expf(float);

#define PARALLEL    _Pragma("omp parallel for schedule(static)")
#define INDEPENDENT _Pragma("omp parallel for simd schedule(static)")
#define UNROLL      _Pragma("GCC unroll 32")
/* The buffers, seen as arrays of TYPE. */
#define BUFFERS(type)                                                                                        \
    const type *restrict a = memory[0], *restrict b = memory[1];                                             \
    type *restrict o = memory[2];                                                                            \
    (void)a, (void)b, (void)o
static void *memory[3];

/* --- Locks and atomic operations. --- */

static void ticket_single(void)
{
    uint32_t *next = memory[0], *serving = memory[1], *sum = memory[2];
    for (int group = 0; group < 64; group++)
        for (int round = 0; round < 1024; round++) {
            uint32_t ticket = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED);
            while (__atomic_load_n(serving, __ATOMIC_ACQUIRE) != ticket)
                ;
            sum[0] += (uint32_t)round;
            __atomic_store_n(serving, ticket + 1, __ATOMIC_RELEASE);
        }
}

static void spin_exchange(void)
{
    uint32_t *lock = memory[0], *counter = memory[2];
    for (int item = 0; item < 256; item++)
        for (int k = 0; k < 200; k++) {
            while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0)
                ;
            counter[k & 7]++;
            __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
        }
}

static void semaphore_groups(void)
{
    uint32_t *available = memory[0], *sums = memory[1], *done = memory[2];
    for (int item = 0; item < 128; item++)
        for (int k = 0; k < 100; k++) {
            uint32_t seen = 0;
            while (!__atomic_compare_exchange_n(available, &seen, 1, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
                seen = 0;
            sums[item / 2] += (uint32_t)k;
            __atomic_store_n(available, 0, __ATOMIC_RELEASE);
            __atomic_fetch_add(done, 1, __ATOMIC_RELAXED);
        }
}

/* Four partial histograms per thread: equal values that follow each other do not wait for the store before. */
static void bins_global(void)
{
    BUFFERS(uint32_t);
#pragma omp parallel
    {
        uint32_t bins[4][256] = {{0}};
#pragma omp for schedule(static)
        for (int i = 0; i < 262144; i += 4)
            UNROLL for (int k = 0; k < 4; k++) bins[k][a[i + k] >> 24]++;
        for (int k = 0; k < 256; k++)
            __atomic_fetch_add(&o[k], bins[0][k] + bins[1][k] + bins[2][k] + bins[3][k], __ATOMIC_RELAXED);
    }
}

/* One atomic operation per 1024 values, which are compressed into a buffer before. */
static void counter_append(void)
{
    BUFFERS(uint32_t);
    uint32_t *count = memory[1];
    PARALLEL for (int chunk = 0; chunk < 128; chunk++)
    {
        uint32_t kept[1024 + 16], size = 0;
        for (int i = 0; i < 64; i++) {
            __m512i v = _mm512_loadu_si512(a + chunk * 1024 + i * 16);
            __mmask16 take =
                _mm512_cmpeq_epi32_mask(_mm512_and_si512(v, _mm512_set1_epi32(15)), _mm512_set1_epi32(3));
            _mm512_storeu_si512(kept + size, _mm512_maskz_compress_epi32(take, v));
            size += (uint32_t)__builtin_popcount(take);
        }
        uint32_t first = __atomic_fetch_add(count, size, __ATOMIC_RELAXED);
        for (uint32_t k = 0; k < size; k++)
            o[(first + k) & 0xfffff] = kept[k];
    }
}

/* --- Mostly loads and stores. --- */

static void saxpy_guarded(void)
{
    BUFFERS(float);
    INDEPENDENT for (int i = 0; i < 1000000; i++) o[i] = 2.5f * a[i] + b[i];
}

static void vector_sum(void)
{
    BUFFERS(float);
    INDEPENDENT for (int i = 0; i < 1 << 20; i++) o[i] = a[i] + b[i];
}

static void half_storage(void)
{
    BUFFERS(__m256i);
    PARALLEL for (int i = 0; i < 65536; i++)
    {
        __m512 x = _mm512_cvtph_ps(a[i]), y = _mm512_cvtph_ps(b[i]);
        o[i] = _mm512_cvtps_ph(x * 0.5f + y, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    }
}

/* Two neighbors with one access. */
static void gather_scatter(void)
{
    const __m256i *index = memory[0];
    const void *value = memory[1];
    __m256i *o = memory[2];
    PARALLEL for (int i = 0; i < 32768; i++)
    {
        __m512i pair = _mm512_i32gather_epi64(_mm256_srli_epi32(index[i], 1), value, 8);
        o[i] = _mm512_cvtepi64_epi32(_mm512_add_epi64(pair, _mm512_srli_epi64(pair, 32)));
    }
}

/* Transposes 16 rows of 16 words. */
static inline void transpose(__m512i r[16])
{
    __m512i t[16];
    UNROLL for (int i = 0; i < 16; i += 4)
    {
        __m512i p = _mm512_unpacklo_epi32(r[i], r[i + 1]), q = _mm512_unpackhi_epi32(r[i], r[i + 1]);
        __m512i u = _mm512_unpacklo_epi32(r[i + 2], r[i + 3]), v = _mm512_unpackhi_epi32(r[i + 2], r[i + 3]);
        t[i] = _mm512_unpacklo_epi64(p, u);
        t[i + 1] = _mm512_unpackhi_epi64(p, u);
        t[i + 2] = _mm512_unpacklo_epi64(q, v);
        t[i + 3] = _mm512_unpackhi_epi64(q, v);
    }
    UNROLL for (int i = 0; i < 4; i++)
    {
        __m512i p = _mm512_shuffle_i32x4(t[i], t[4 + i], 0x88),
                q = _mm512_shuffle_i32x4(t[i], t[4 + i], 0xdd);
        __m512i u = _mm512_shuffle_i32x4(t[8 + i], t[12 + i], 0x88);
        __m512i v = _mm512_shuffle_i32x4(t[8 + i], t[12 + i], 0xdd);
        r[i] = _mm512_shuffle_i32x4(p, u, 0x88);
        r[4 + i] = _mm512_shuffle_i32x4(q, v, 0x88);
        r[8 + i] = _mm512_shuffle_i32x4(p, u, 0xdd);
        r[12 + i] = _mm512_shuffle_i32x4(q, v, 0xdd);
    }
}

static void transpose_naive(void)
{
    BUFFERS(uint32_t);
    PARALLEL for (int x = 0; x < 64; x++) for (int y = 0; y < 64; y++)
    {
        __m512i tile[16];
        UNROLL for (int k = 0; k < 16; k++) tile[k] = _mm512_load_si512(a + (y * 16 + k) * 1024 + x * 16);
        transpose(tile);
        UNROLL for (int k = 0; k < 16; k++) _mm512_store_si512(o + (x * 16 + k) * 1024 + y * 16, tile[k]);
    }
}

/* Four quaternions in a vector. */
static void quaternions(void)
{
    BUFFERS(__m512);
    const __m512 sign = (__m512)_mm512_set4_epi32(INT32_MIN, 0, 0, 0);
    PARALLEL for (int i = 0; i < 32768; i++)
    {
        __m512 p = a[i], q = b[i], r = _mm512_permute_ps(p, 0xff) * q;
        r += _mm512_xor_ps(sign, _mm512_permute_ps(p, 0x24) * _mm512_permute_ps(q, 0x3f));
        r += _mm512_xor_ps(sign, _mm512_permute_ps(p, 0x49) * _mm512_permute_ps(q, 0x52));
        o[i] = r - _mm512_permute_ps(p, 0x92) * _mm512_permute_ps(q, 0x89);
    }
}

static void stencil_five(void)
{
    BUFFERS(float);
    const int w = 1024, h = 512;
    PARALLEL for (int y = 0; y < h; y++)
    {
        const float *row = a + y * w, *up = y == 0 ? row : row - w, *down = y == h - 1 ? row : row + w;
        float *out = o + y * w;
        out[0] = (row[0] + row[1] + up[0] + down[0] - 4 * row[0]) * 0.2f + row[0];
#pragma GCC ivdep
        for (int x = 1; x < w - 1; x++)
            out[x] = (row[x - 1] + row[x + 1] + up[x] + down[x] - 4 * row[x]) * 0.2f + row[x];
        out[w - 1] = (row[w - 2] + row[w - 1] + up[w - 1] + down[w - 1] - 4 * row[w - 1]) * 0.2f + row[w - 1];
    }
}

static void gaussian_step(void)
{
    const float *m = memory[0], *a = memory[1];
    float *o = memory[2];
    PARALLEL for (int x = 0; x < 496; x++)
    {
        const float factor = m[500 * (x + 4) + 3], *restrict row = a + 500 * (x + 4) + 3,
                    *restrict first = a + 1503;
        float *restrict out = o + 500 * (x + 4) + 3;
        for (int y = 0; y < 497; y++)
            out[y] = row[y] - factor * first[y];
    }
}

static void wave_double(void)
{
    BUFFERS(float);
    const int w = 512, h = 256;
    PARALLEL for (int y = 0; y < h; y++)
    {
        const float *in = a + y * w, *before = b + y * w;
        float *out = o + y * w;
        int inner = y > 0 && y < h - 1;
        out[0] = (float)(2.0 * in[0] - before[0]);
        out[w - 1] = (float)(2.0 * in[w - 1] - before[w - 1]);
#pragma GCC ivdep
        for (int x = 1; x < w - 1; x++) {
            double c = in[x], s = 0;
            if (inner)
                s = (double)in[x - 1] + in[x + 1] + in[x - w] + in[x + w] - 4 * c;
            out[x] = (float)(2 * c - before[x] + 0.1 * s);
        }
    }
}

/* --- Mostly computing. --- */

/* Insertion sort of 16 rows at a time, one per lane: all of its steps, as a network of minima and maxima. */
static void private_sort(void)
{
    BUFFERS(uint32_t);
    PARALLEL for (int block = 0; block < 1024; block++)
    {
        __m512i v[32];
        UNROLL for (int k = 0; k < 32; k++) v[k] =
            _mm512_load_si512(a + block * 512 + k % 16 * 32 + k / 16 * 16);
        transpose(v);
        transpose(v + 16);
        for (int i = 1; i < 32; i++) {
            __m512i x = v[i];
            for (int j = i - 1; j >= 0; j--) {
                v[j + 1] = _mm512_max_epu32(v[j], x);
                x = _mm512_min_epu32(v[j], x);
            }
            v[0] = x;
        }
        transpose(v);
        transpose(v + 16);
        UNROLL for (int k = 0; k < 32; k++)
            _mm512_store_si512(o + block * 512 + k % 16 * 32 + k / 16 * 16, v[k]);
    }
}

/* The high halves of the products of X with FACTOR. */
static inline __m512i multiply_high(__m512i x, uint32_t factor)
{
    __m512i f = _mm512_set1_epi32((int)factor);
    __m512i even = _mm512_mul_epu32(x, f), odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), f);
    return _mm512_mask_mov_epi32(_mm512_srli_epi64(even, 32), 0xaaaa, odd);
}

/* All paths, joined by masks.  y / 7 = (h + (y - h) / 2) / 4 with h the high half of y * 0x24924925. */
static void deep_branches(void)
{
    BUFFERS(__m512i);
    PARALLEL for (int i = 0; i < 16384; i++)
    {
#define BIT(v, n) _mm512_test_epi32_mask(v, _mm512_set1_epi32(n))
        const __m512i x = a[i], y = b[i];
        __m512i h = multiply_high(y, 0x24924925), low = _mm512_xor_si512(x, y);
        h = _mm512_srli_epi32(_mm512_add_epi32(h, _mm512_srli_epi32(_mm512_sub_epi32(y, h), 1)), 2);
        low = _mm512_mask_mov_epi32(low, BIT(x, 8), h);
        low = _mm512_mask_mov_epi32(low, BIT(y, 4), _mm512_add_epi32(x, _mm512_slli_epi32(x, 1)));
        h = _mm512_srli_epi32(multiply_high(x, 0x4ec4ec4f), 2);
        h = _mm512_sub_epi32(x, _mm512_mullo_epi32(h, _mm512_set1_epi32(13)));
        __m512i odd = _mm512_mask_mov_epi32(_mm512_slli_epi32(y, 3), BIT(y, 16), h);
        odd = _mm512_mask_mov_epi32(odd, BIT(x, 2), low);
        __m512i bits = _mm512_mask_popcnt_epi32(_mm512_lzcnt_epi32(y), BIT(y, 2), x);
        bits = _mm512_mask_rol_epi32(bits, BIT(y, 1), x, 5);
        h = _mm512_add_epi32(_mm512_and_si512(x, y), _mm512_srli_epi32(_mm512_xor_si512(x, y), 1));
        h = _mm512_mask_sub_epi32(h, _mm512_cmpgt_epu32_mask(x, y), x, y);
        bits = _mm512_mask_mov_epi32(h, BIT(x, 32), bits);
        o[i] = _mm512_mask_mov_epi32(bits, BIT(x, 1), odd);
    }
}

/* The 256 values of a work-group stay in registers. */
static void barrier_chain(void)
{
    BUFFERS(__m512);
    PARALLEL for (int group = 0; group < 64; group++)
    {
        __m512 t[16];
        UNROLL for (int l = 0; l < 16; l++) t[l] = a[group * 16 + l];
        for (int k = 0; k < 64; k++) {
            __m512i first = (__m512i)t[0], left = (__m512i)t[15];
            UNROLL for (int l = 0; l < 16; l++)
            {
                __m512i me = (__m512i)t[l], right = l < 15 ? (__m512i)t[l + 1] : first;
                __m512 sum =
                    (__m512)_mm512_alignr_epi32(me, left, 15) + (__m512)_mm512_alignr_epi32(right, me, 1);
                t[l] = 0.25f * sum + 0.5f * t[l];
                left = me;
            }
        }
        UNROLL for (int l = 0; l < 16; l++) o[group * 16 + l] = t[l];
    }
}

static void odd_sizes(void)
{
    BUFFERS(float);
    INDEPENDENT for (int i = 0; i < 9999 * 7; i++) o[i] = sqrtf(a[i]) + expf(-b[i]);
}

/* 64 positions at a time: four work-items, whose matches are rare. */
static void string_search(void)
{
    const uint8_t *text = memory[0], *pattern = memory[1];
    uint32_t *o = memory[2];
    const __m512i three = _mm512_set1_epi8(3);
    PARALLEL for (int block = 0; block < 16384; block++)
    {
        __mmask64 match = ~(__mmask64)0;
        UNROLL for (int m = 0; m < 5; m++)
        {
            __m512i t = _mm512_and_si512(three, _mm512_loadu_si512(text + block * 64 + m));
            match &= _mm512_cmpeq_epi8_mask(t, _mm512_set1_epi8(pattern[m] & 3));
        }
        uint32_t found[4] = {0};
        for (; match != 0; match &= match - 1) {
            uint32_t k = (uint32_t)__builtin_ctzll(match);
            found[k / 16] = found[k / 16] * 31 + (uint32_t)block * 64 + k;
        }
        memcpy(o + block * 4, found, sizeof found);
    }
}

/* 64 indices as the bytes of a vector; each bin counts those that are equal to it. */
static void bins_private(void)
{
    BUFFERS(uint32_t);
    PARALLEL for (int g = 0; g < 4096; g++)
    {
        __m512i bytes[4];
        UNROLL for (int k = 0; k < 4; k++)
        {
            const __m512i *v = (const __m512i *)(a + g * 256 + k * 64), bits = _mm512_set1_epi32(0xf0);
            __m512i x = _mm512_srli_epi32(v[0], 28);
            x = _mm512_or_si512(x, _mm512_and_si512(_mm512_srli_epi32(v[1], 20), _mm512_slli_epi32(bits, 4)));
            x = _mm512_or_si512(x,
                                _mm512_and_si512(_mm512_srli_epi32(v[2], 12), _mm512_slli_epi32(bits, 12)));
            bytes[k] =
                _mm512_or_si512(x, _mm512_and_si512(_mm512_srli_epi32(v[3], 4), _mm512_slli_epi32(bits, 20)));
        }
        UNROLL for (int bin = 0; bin < 16; bin++)
        {
            long long count = 0;
            UNROLL for (int k = 0; k < 4; k++) count +=
                _mm_popcnt_u64(_mm512_cmpeq_epi8_mask(bytes[k], _mm512_set1_epi8((char)bin)));
            o[bin * 4096 + g] = (uint32_t)count;
        }
    }
}

/* The table holds multiples of x: no table. */
static void table_private(void)
{
    BUFFERS(uint32_t);
    INDEPENDENT for (int i = 0; i < 32768; i++)
    {
        uint32_t x = a[i], s = 0;
        UNROLL for (int k = 0; k < 64; k++) s += (x >> (k & 23)) & 255;
        o[i] = s * x;
    }
}

/* 16 work-groups at a time, one per lane, each in the order of the kernel. */
static void sum_first_item(void)
{
    BUFFERS(float);
    PARALLEL for (int block = 0; block < 256; block++)
    {
        __m512 sum = _mm512_setzero_ps();
        for (int part = 0; part < 4; part++) {
            __m512i t[16];
            UNROLL for (int k = 0; k < 16; k++) t[k] =
                _mm512_load_si512(a + block * 1024 + k * 64 + part * 16);
            transpose(t);
            UNROLL for (int k = 0; k < 16; k++) sum += (__m512)t[k] * (__m512)t[k];
        }
        _mm512_store_ps(o + block * 16, sum);
    }
}

/* X * Y % M of integers below 2^32: the product as the sum of two doubles; the quotient is wrong by one at most. */
static inline __m512d multiply_modulo(__m512d x, __m512d y, __m512d m, __m512d inverse)
{
    __m512d high = x * y, low = _mm512_fmsub_pd(x, y, high);
    __m512d q = _mm512_roundscale_pd(high * inverse, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    __m512d r = _mm512_fnmadd_pd(q, m, high) + low;
    r = _mm512_mask_add_pd(r, _mm512_cmp_pd_mask(r, _mm512_setzero_pd(), _CMP_LT_OQ), r, m);
    return _mm512_mask_sub_pd(r, _mm512_cmp_pd_mask(r, m, _CMP_GE_OQ), r, m);
}

/* 32 work-items at a time, to overlap the latencies. */
static void mul_mod(void)
{
    BUFFERS(__m256i);
    PARALLEL for (int block = 0; block < 2048; block++)
    {
        __m512d m[4], inverse[4], first[4], x[4];
        UNROLL for (int v = 0; v < 4; v++)
        {
            m[v] = _mm512_cvtepu32_pd(_mm256_or_si256(b[block * 4 + v], _mm256_set1_epi32(1)));
            inverse[v] = 1.0 / m[v];
            x[v] = first[v] =
                multiply_modulo(_mm512_cvtepu32_pd(a[block * 4 + v]), _mm512_set1_pd(1), m[v], inverse[v]);
        }
        for (int k = 0; k < 16; k++)
            UNROLL for (int v = 0; v < 4; v++) x[v] = multiply_modulo(x[v], x[v], m[v], inverse[v]);
        UNROLL for (int v = 0; v < 4; v++) o[block * 4 + v] =
            _mm512_cvtpd_epu32(multiply_modulo(first[v], x[v], m[v], inverse[v]));
    }
}

/* Compares and exchanges the lanes of X at a distance of STRIDE below 16. */
static inline __m512i exchange_lanes(__m512i x, int stride, __mmask16 ascending)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i distance = _mm512_set1_epi32(stride);
    __m512i y = _mm512_permutexvar_epi32(_mm512_xor_si512(lane, distance), x);
    __mmask16 second = _mm512_test_epi32_mask(lane, distance);
    return _mm512_mask_max_epu32(_mm512_min_epu32(x, y), (__mmask16)(second ^ ~ascending), x, y);
}

/* The network of the kernel; its pairs are vectors, or lanes of one vector where the stride is below 16. */
static void bitonic_local(void)
{
    static const __mmask16 ascending_lanes[] = {[2] = 0x3333, [4] = 0x0f0f, [8] = 0x00ff};
    BUFFERS(__m512i);
    PARALLEL for (int group = 0; group < 256; group++)
    {
        __m512i t[32];
        for (int p = 0; p < 32; p++)
            t[p] = a[group * 32 + p];
        for (int size = 2; size <= 512; size <<= 1) {
            for (int stride = size / 32; stride > 0; stride >>= 1)
                for (int p = 0; p < 32; p = (p + 1 + stride) & ~stride) {
                    __m512i low = _mm512_min_epu32(t[p], t[p + stride]);
                    __m512i high = _mm512_max_epu32(t[p], t[p + stride]);
                    t[p] = (p * 16 & size) == 0 ? low : high;
                    t[p + stride] = (p * 16 & size) == 0 ? high : low;
                }
            for (int p = 0; p < 32; p++) {
                __mmask16 ascending = size < 16 ? ascending_lanes[size] : (p * 16 & size) == 0 ? 0xffff : 0;
                UNROLL for (int stride = 8; stride > 0; stride >>= 1) if (stride < size) t[p] =
                    exchange_lanes(t[p], stride, ascending);
            }
        }
        for (int p = 0; p < 32; p++)
            o[group * 32 + p] = t[p];
    }
}

/* 16 steps of the search at a time. */
static void particle_index(void)
{
    BUFFERS(float);
    __m512 limits[63];
    float *limit = (float *)limits;
    for (int k = 0; k < 1008; k++)
        limit[k] = k < 1000 ? b[k] * 0.5f + 0.001f * (float)k : INFINITY;
    PARALLEL for (int i = 0; i < 4096; i++)
    {
        int index = 0;
        __mmask16 found = 0;
        while ((found = _mm512_cmp_ps_mask(limits[index / 16], _mm512_set1_ps(a[i] + 0.2f), _CMP_GE_OQ)) == 0)
            index += 16;
        index += __builtin_ctz(found);
        o[i] = b[index < 999 ? index : 999] + 3.0f;
    }
}

/* --- One launch of one work-group each: a call through a pointer. --- */

static void many_launches(void)
{
    BUFFERS(float);
    for (int i = 0; i < 64; i++)
        o[i] += a[i] * b[i];
}

static void tiny_launches(void)
{
    BUFFERS(uint32_t);
    for (int i = 0; i < 8; i++)
        o[i] += a[7 - i] ^ b[0];
}

/* --- Measurement. --- */

#define ENTRY(kernel, floats)                                                                                \
    {                                                                                                        \
#kernel, kernel, floats                                                                              \
    }
static const struct entry {
    const char *kernel;
    void (*run)(void);
    int floats; /* the results, which are then compared with a tolerance */
} entries[] = {
    ENTRY(ticket_single, 0),  ENTRY(spin_exchange, 0),   ENTRY(semaphore_groups, 0), ENTRY(bins_global, 0),
    ENTRY(counter_append, 0), ENTRY(saxpy_guarded, 1),   ENTRY(vector_sum, 1),       ENTRY(half_storage, 0),
    ENTRY(gather_scatter, 0), ENTRY(transpose_naive, 0), ENTRY(quaternions, 1),      ENTRY(stencil_five, 1),
    ENTRY(gaussian_step, 1),  ENTRY(wave_double, 1),     ENTRY(private_sort, 0),     ENTRY(deep_branches, 0),
    ENTRY(barrier_chain, 1),  ENTRY(odd_sizes, 1),       ENTRY(string_search, 0),    ENTRY(bins_private, 0),
    ENTRY(table_private, 0),  ENTRY(sum_first_item, 1),  ENTRY(mul_mod, 0),          ENTRY(bitonic_local, 0),
    ENTRY(particle_index, 1), ENTRY(many_launches, 1),   ENTRY(tiny_launches, 0)};

/* The number of words that differ between the results and FILE; -1 if FILE cannot be read. */
static int differences(const char *path, int floats)
{
    static uint32_t expected[SET_WORDS];
    const uint32_t *words = memory[2];
    int count = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL || fread(expected, 4, SET_WORDS, file) != SET_WORDS)
        return -1;
    fclose(file);
    for (int k = 0; k < SET_WORDS; k++) {
        float x, y;
        memcpy(&x, &words[k], sizeof x);
        memcpy(&y, &expected[k], sizeof y);
        count += words[k] != expected[k] && !(floats && fabsf(x - y) <= 1e-5f * fmaxf(fabsf(x), 0.1f));
    }
    return count;
}

static int measure(const struct entry *e, const struct plan *p, int repeats, const char *directory)
{
    static double cpu[SET_MOST], wall[SET_MOST];
    for (int k = 0; k < 3; k++)
        fill(memory[k], k < 2 ? p->inputs : "zero");
    for (int k = -1; k < repeats; k++) {
        double begin = now(CLOCK_PROCESS_CPUTIME_ID), at = now(CLOCK_MONOTONIC);
        for (int n = 0; n < p->launches; n++)
            e->run();
        if (k >= 0) {
            cpu[k] = now(CLOCK_PROCESS_CPUTIME_ID) - begin;
            wall[k] = now(CLOCK_MONOTONIC) - at;
        }
    }
    printf("%s %.4f %.4f\n", e->kernel, median(cpu, repeats), median(wall, repeats));
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, e->kernel);
    int wrong = *directory == 0 ? 0 : differences(path, e->floats);
    if (wrong != 0)
        fprintf(stderr, "%s: %d results differ from those of the kernel\n", e->kernel, wrong);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    int repeats = argc > 2 ? atoi(argv[2]) : 0, failed = 0;
    char *source = argc > 1 ? read_source(argv[1]) : NULL;
    for (int k = 0; k < 3; k++)
        memory[k] = aligned_alloc(4096, 4 * SET_WORDS + 4096);
    if (source == NULL || repeats < 1 || repeats > SET_MOST || !memory[0] || !memory[1] || !memory[2])
        return 2;
    struct plan p;
    for (const char *at = source; next_plan(&at, &p);)
        for (const struct entry *e = entries; e < entries + sizeof entries / sizeof *entries; e++)
            if (strcmp(e->kernel, p.kernel) == 0)
                failed |= measure(e, &p, repeats, argc > 3 ? argv[3] : "");
    return failed;
}
