#!/usr/bin/python3
"""What is vectorized across work-items: code behind a guard by the id, with its arguments loaded once;
members of vectors in memory; mathematical functions; subscripts that restart at 0 after some work-items.  Not
vectorized: loops of 64-bit divisions, which processors divide one by one, and searches of bytes or divisors
that mostly end early.  Small private arrays become registers.  A loop over tiles, with a loop and barriers
inside, remains a loop.  A region of a strip with many intermediate results has four vectors at most.  If each
work-item iterates over consecutive elements, vectors are of these.  Stores at equal strides form vectors if
loads between them are of other memory objects.  A table that all work-items search from its beginning is read
once for all.  Much code is skipped where no work-item of a vector needs it, unless most do, and so are the cases
of a switch on which they agree.  The interior of rows to which indices are clamped loads consecutive elements.
Several work-items that compute with short vectors become one iteration, whose vectors are as wide as the
processor's.
The code does not depend on addresses of the compiler's data."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from opencl import cl, context, numpy, queue  # noqa: E402
from optimized import compiled  # noqa: E402
from tap import check, done  # noqa: E402

KERNELS = {
    'guarded': '''kernel void k(global const float *x, global const float *y, global float *z) {
        int i = get_global_id(0);
        if (i >= 1000)
            return;
        z[i] = 2.5f * x[i] + y[i]; }''',
    'inner': '''kernel void k(global const float *x, global const float *y, global float *z) {
        uint i = get_global_id(0);
        if (i == 0 || i >= 1023)
            return;
        z[i] = x[i - 1] * y[i + 1]; }''',
    'accumulates': '''kernel void k(global const float *x, global const float *y, global float *z) {
        int i = get_global_id(0);
        if (i < 3 || i >= 1000)
            return;
        z[i] = 0;
        for (int k = 0; k < 100; k++)
            z[i] += x[k] * y[k * 8 + i]; }''',
    'bytes inside': '''kernel void k(global const uchar *x, global const uchar *y, global uchar *z) {
        int i = get_global_id(0), row = get_global_id(1), n = get_global_size(0), rows = get_global_size(1);
        if (i == 0 || row == 7 || i == n - 1 || row == rows - 1)
            return;
        x += row * n + i;
        z[row * n + i] = (x[-1] + x[0] * 2 + x[1] + x[-n] + x[n]) / 4; }''',
    'reinterprets': '''kernel void k(global const uint *x, global const uint *y, global uint *z) {
        uint i = get_global_id(0), sum = 0;
        uchar4 p = as_uchar4(x[i]);
        for (int k = 0; k < 50; k++)
            p = as_uchar4(as_uint(p.wxzy) * 5 + k);
        z[i] = as_uint(p) + as_ushort2(y[i]).y; }''',
    'chooses': '''kernel void k(global const uint *x, global const uint *y, global uint *z) {
        uint i = get_global_id(0), v = x[i], n = 0;
        for (int k = 0; k < 50; k++) {
            switch (v >> 29) {
            case 0: n += y[k]; break;
            case 1: n ^= v; break;
            case 2: n *= 5; /* falls through */
            case 5: n -= k; break;
            case 6: n = ~n; break;
            }
            v = v * 1664525u + n;
        }
        z[i] = n; }''',
    'chooses once': '''kernel void k(global const uint *x, global const uint *y, global uint *z) {
        uint i = get_global_id(0), v = x[i], n = y[i];
        switch (v & 7) {
        case 0: n *= v; break;
        case 1: n ^= v; break;
        case 2: n *= 5; break;
        case 5: n -= 9 * v; break;
        }
        z[i] = n; }''',
    'clamped': '''kernel void k(global const float *x, global const float *y, global float *z) {
        int i = get_global_id(0), n = get_global_size(0);
        z[i] = x[max(i - 1, 0)] + x[min(i + 1, n - 1)]; }''',
    'agrees': '''kernel void k(global const uint *x, global const uint *y, global uint *z) {
        uint i = get_global_id(0), n = x[i];
        for (int k = 0; k < 50; k++)
            switch (y[k]) {
            case 0: n += k; break;
            case 1: n ^= n >> 3; break;
            case 2: n *= 5; break;
            case 3: n -= k; break;
            case 4: n = ~n; break;
            }
        z[i] = n; }''',
    'divides': '''kernel void k(global const ulong *x, global const ulong *y, global ulong *z) {
        ulong a = x[get_global_id(0)], m = y[get_global_id(0)] | 1, r = 1;
        for (ulong n = y[7]; n > 0; n /= 2) {
            if (n % 2)
                r = r * a % m;
            a = a * a % m;
        }
        z[get_global_id(0)] = r; }''',
    'divisor': '''kernel void k(global const uint *x, global const uint *y, global uint *z) {
        uint a = x[get_global_id(0)] | 1, found = 1;
        for (uint d = 3; d * d <= a; d += 2)
            if (a % d == 0) {
                found = 0;
                break;
            }
        z[get_global_id(0)] = found; }''',
    'euclid': '''kernel void k(global const uint *x, global const uint *y, global uint *z) {
        uint a = x[get_global_id(0)] | 1, b = y[get_global_id(0)];
        while (b) {
            uint rest = a % b;
            a = b;
            b = rest;
        }
        z[get_global_id(0)] = a; }''',
    'passes': '''kernel void k(global const int *x, global const int *y, global int *z) {
        uint i = get_global_id(0);
        z[2 * i] = x[i] + 3;
        z[2 * i + 1] = y[2 * i] + 1; }''',
    'taps': '''kernel void k(global const float *x, global const float *y, global float *z) {
        local float t[72];
        int l = get_local_id(0);
        t[l] = x[get_global_id(0)];
        if (l < 8)
            t[64 + l] = y[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        float s = 0;
        for (int k = 0; k < 9; k++)
            s += k * t[l + k];
        z[get_global_id(0)] = s; }''',
    'chain': '''#define STEP a = a * 1.5f + b; b = b * a;
        #define STEPS STEP STEP STEP STEP STEP STEP STEP STEP
        kernel void k(global const float *x, global const float *y, global float *z) {
        float a = x[get_global_id(0)], b = y[get_global_id(0)];
        STEPS STEPS STEPS STEPS
        z[get_global_id(0)] = b; }''',
    'chains': '''#define STEP for (int k = 0; k < 16; k++) s[k] = s[k] * a + b;
        kernel void k(global const float *x, global const float *y, global float *z) {
        float a = x[get_global_id(0)], b = y[get_global_id(0)], s[16], sum = 0;
        for (int k = 0; k < 16; k++) s[k] = k;
        STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
        for (int k = 0; k < 16; k++) sum += s[k];
        z[get_global_id(0)] = sum; }''',
    'loop': '''kernel void k(global const float *x, global const float *y, global float *z) {
        float a = x[get_global_id(0)], b = a + 1;
        for (int k = 0; k < 50; k++) {
            float p = a * b, q = a + b, r = a - b, s = a * a, t = b * b, u = a * 3, v = b * 5, w = a + 7;
            a = p / (q + 2);
            b = (r * s + t * u - v * w) * a;
        }
        z[get_global_id(0)] = b; }''',
    'exchange': '''kernel void k(global const float *x, global const float *y, global float *z) {
        uint i = get_global_id(0), left = 2 * i - (i & 511);
        float a = x[left], b = x[left + 512];
        z[left] = fmin(a, b);
        z[left + 512] = fmax(a, b); }''',
    'copies': '''kernel void k(global const float *x, global const float *y, global float *z) {
        local float t[512];
        const int l = get_local_id(0);
        for (int k = l; k < 512; k += 64)
            t[k] = x[k];
        barrier(CLK_LOCAL_MEM_FENCE);
        float s = 0;
        for (int k = 0; k < 512; k += 64)
            s += t[511 - k - l];
        z[get_global_id(0)] = s; }''',
    'functions': '''kernel void k(global const float *x, global const float *y, global float *z) {
        float a = x[get_global_id(0)], b = y[get_global_id(0)];
        z[get_global_id(0)] = pow(a, b) + tanh(a) * atan2(a, b) + log2(a) + hypot(a, b); }''',
    'members': '''kernel void k(global const uchar4 *x, global const float *y, global uchar *z) {
        uchar4 p = x[get_global_id(0)];
        z[get_global_id(0)] = (uchar)(0.3f * p.x + 0.6f * p.y + 0.1f * p.z); }''',
    'looks up': '''kernel void k(global const float *x, global const uint *y, global float *z) {
        const uint n = get_global_size(0), from = get_global_id(0) * 4, to = from + (y[get_global_id(0)] & 7);
        float s = 0;
        for (uint k = from; k < to; k++)
            s += x[k] * x[y[k] % n];
        z[get_global_id(0)] = s; }''',
    'converted': '''kernel void k(global const uchar *x, global const float *y, global uchar *z) {
        int3 p = convert_int3(vload3(get_global_id(0), x));
        z[get_global_id(0)] = (uchar)(p.x * 3 + p.y * 5 + p.z * 7 >> 4); }''',
    'gaps': '''kernel void k(global const float4 *x, global const uint *y, global float *z) {
        float3 p = x[get_global_id(0)].xyz;
        for (uint n = y[get_global_id(0)] & 7; n > 0; n--)
            p = p.yzx * 0.5f + p;
        z[get_global_id(0)] = p.x + p.y + p.z; }''',
    'doubles': '''kernel void k(global const double *x, global const double *y, global double *z) {
        int i = get_global_id(0);
        z[i] = sin(x[i]) * exp(y[i]) + cos(x[i]) * log(y[i]) - tan(y[i]) * sinpi(x[i]); }''',
    'adds': '''kernel void k(global const uint *x, global const uint *y, global volatile uint *z) {
        uint old;
        do
            old = z[0];
        while (atomic_cmpxchg(z, old, as_uint(as_float(old) + x[1])) != old); }''',
    'greatest': '''kernel void k(global const uint *x, global const uint *y, global volatile uint *z) {
        uint v = x[get_global_id(0)], old = z[v & 63];
        while (old < v) {
            uint seen = atomic_cmpxchg(&z[v & 63], old, v);
            if (seen == old)
                break;
            old = seen;
        } }''',
    'hashes': '''kernel void k(global const uint4 *x, global const uint4 *y, global uint4 *z) {
        uint4 w[16], v = y[get_global_id(0) & 255], a = 1, b = 2, c = 3, d = 4;
        for (int k = 0; k < 16; k++)
            w[k] = x[k] + v;
        #define STEP(f, a, b, c, d, i, n) a += w[(i) & 15] + f(d, c, b) + 77u; a = rotate(a, (uint4)(n)) + b;
        #define ROUND(f, i) STEP(f, a, b, c, d, i, 7) STEP(f, d, a, b, c, i + 1, 12) STEP(f, c, d, a, b, i + 2, 17) STEP(f, b, c, d, a, i + 3, 22)
        for (int i = 0; i < 16; i += 4) {
            ROUND(bitselect, i)
            ROUND(bitselect, 5 * i + 1) }
        z[get_global_id(0) & 255] = a ^ b ^ c ^ d; }''',
    'selects bits': '''kernel void k(global const uint *x, global const uint *y, global uint *z) {
        uint i = get_global_id(0), a = x[i], b = y[i], c = z[i], d = a ^ b ^ c;
        #define STEP(a, b, c, d) a += bitselect(d, c, b) + 77u; a = rotate(a, 7u) + b;
        STEP(a, b, c, d) STEP(d, a, b, c) STEP(c, d, a, b) STEP(b, c, d, a)
        z[i] = a ^ b ^ c ^ d; }''',
    'flushes counters': '''kernel void k(global const uint *x, global const uint *y, global uint *z) {
        for (int i = get_global_id(0); i < 4096; i += get_global_size(0)) {
            uint bin = x[i & 1023] & 255;
            if (atomic_inc(&z[bin]) == 200) {
                atomic_sub(&z[bin], 201u);
                atomic_add(&z[256 + bin], 201u);
            }
        } }''',
    'steps by a value': '''kernel void k(global const uint *x, global const uint *y, global uint *z) {
        for (int i = get_global_id(0); i < 4096; i += (atomic_or(&z[1], 0) & 1) + get_global_size(0))
            atomic_inc(z); }''',
    'is left by a value': '''kernel void k(global const uint *x, global const uint *y, global uint *z) {
        for (int i = get_global_id(0); i < 4096; i += get_global_size(0))
            if (atomic_inc(z) == 200)
                break; }''',
    'waits for a value': '''kernel void k(global const uint *x, global const uint *y, global volatile uint *z) {
        while (atomic_cmpxchg(z, 0, 1) != 0)
            ;
        z[1]++;
        atomic_xchg(z, 0); }''',
    'repeats a successful exchange': '''kernel void k(global const uint *x, global const uint *y, global volatile uint *z) {
        uint old;
        do
            old = z[0];
        while (atomic_cmpxchg(z, old, 1) != old || old == 1);
        atomic_xchg(z, 0); }''',
    'repeats without exchange': '''kernel void k(global const uint *x, global const uint *y, global volatile uint *z) {
        for (;;) {
            uint old = z[0];
            if (old == 7)
                continue;
            if (atomic_cmpxchg(z, old, old & 3) == old)
                break;
        } }''',
    'expects an old value': '''kernel void k(global const uint *x, global const uint *y, global volatile uint *z) {
        uint old = z[0];
        while (atomic_cmpxchg(z, old, x[2]) != old)
            ; }''',
    'writes between': '''kernel void k(global const uint *x, global const uint *y, global volatile uint *z) {
        uint old;
        do {
            old = z[0];
            z[x[0] + 1] = old + 1;
        } while (atomic_cmpxchg(z, old, x[2]) != old); }''',
    'appends': '''kernel void k(global const uint *x, global const uint *y, global uint *z) {
        uint v = x[get_global_id(0)];
        if ((v & 15) == 3)
            z[atomic_inc(z)] = v; }''',
    'long appends': '''kernel void k(global const uint *x, global const uint *y, global uint *z) {
        uint v = x[get_global_id(0)];
        for (int k = 0; k < 16; k++)
            v = rotate(v * 3, v & 7) ^ y[v & 63];
        z[atomic_inc(z)] = v; }''',
    'rows': '''kernel void k(global const uchar *x, global const uchar *y, global uchar *z) {
        int i = get_global_id(0) * 7;
        for (int k = 0; k < 1000; k++)
            z[i + k] = x[i + k] ^ 90; }''',
    'sums': '''kernel void k(global const uchar *x, global const uchar *y, global uint *z) {
        uint i = get_global_id(0), sum = 0;
        for (int k = 0; k < 1000; k++)
            sum += x[i * 7 + k];
        z[i] = sum; }''',
    'prefixes': '''kernel void k(global const uint *x, global const uint *y, global uint *z) {
        uint i = get_global_id(0), sum = 0;
        for (int k = 0; k < 1000; k++)
            z[i * 7 + k] = sum += x[i * 7 + k]; }''',
    'differences': '''kernel void k(global const uchar *x, global const uchar *y, global uint *z) {
        uint sum = 0;
        int i = get_global_id(0);
        for (int row = 0; row < 8; row++)
            for (int k = 0; k < 8; k++)
                sum += abs_diff(x[i * 16 + row * 31 + k], y[i * 16 + row * 31 + k]);
        z[i] = sum; }''',
    'changes': '''kernel void k(global const uchar *x, global const uchar *y, global uint *z) {
        uint i = get_global_id(0), changes = 0;
        uchar last = 0;
        for (int k = 0; k < 100; k++) {
            uchar c = x[i * 8 + k] & 3;
            changes += c != last;
            last = c;
        }
        z[i] = changes; }''',
    'length': '''kernel void k(global const uchar *x, global const uchar *y, global uint *z) {
        uint i = get_global_id(0), n = 0;
        while (n < 1000 && x[i * 8 + n] != 0)
            n++;
        z[i] = n; }''',
    'counts': '''kernel void k(global const uchar *x, global const uchar *y, global uint *z) {
        uint i = get_global_id(0), bins[64], sum = 0;
        for (int k = 0; k < 64; k++)
            bins[k] = 0;
        for (int k = 0; k < 256; k++)
            bins[x[i * 4 + k] >> 2]++;
        for (int k = 0; k < 64; k++)
            sum = sum * 31 + bins[k];
        z[i] = sum; }''',
    'swaps': '''kernel void k(global const uint *x, global const uint *y, global uint *z) {
        local uint t[128];
        uint l = get_local_id(0);
        t[l] = x[l];
        t[l + 64] = y[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        uint at = 2 * l - (l & 15), a = t[at], b = t[at + 16];
        if ((a > b) == ((l & 32) == 0)) {
            t[at] = b;
            t[at + 16] = a;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        z[get_global_id(0)] = t[l] - t[l + 64]; }''',
    'tiles': '''kernel void k(global const float *x, global const float *y, global float *z) {
        local float a[4][16], b[16][16];
        int l = get_local_id(0), column = l & 15, row = l >> 4;
        float s = 0;
        for (int t = 0; t < 16; t++) {
            a[row][column] = x[row * 256 + t * 16 + column];
            b[row][column] = y[t * 16 + l];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int k = 0; k < 16; k++)
                s += a[row][k] * b[k][column];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        z[get_global_id(0)] = s; }''',
    'table': '''kernel void k(global const float *x, global const float *y, global int *z) {
        int i = get_global_id(0), found = -1;
        for (int k = 0; k < 1000; k++)
            if (y[k] * 0.5f + 0.125f * k >= x[i] - 3.0f) {
                found = k;
                break;
            }
        z[i] = found; }''',
    'searches': '''kernel void k(global const uchar *x, global const uchar *y, global uint *z) {
        uint at = get_global_id(0) * 2, found = 0;
        for (uint k = 0; k < 9; k++) {
            uint n = 0;
            while (n < 4 && x[at + k + n] == y[n])
                n++;
            found += n == 4;
        }
        z[get_global_id(0)] = found; }''',
    'schedule': '''kernel void k(global const uint *x, global const uint *y, global uint *z) {
        uint i = get_global_id(0), w[16], h = 0;
        for (int k = 0; k < 16; k++)
            w[k] = x[i] ^ k * 0x01010101u;
        for (int k = 0; k < 64; k++) {
            uint a = w[(k + 1) & 15], b = w[(k + 14) & 15];
            w[k & 15] += (rotate(a, 25u) ^ rotate(a, 14u) ^ a >> 3) + w[(k + 9) & 15] + (rotate(b, 15u) ^ rotate(b, 13u) ^ b >> 10);
            h = rotate(h, 5u) + w[k & 15];
        }
        z[i] = h; }''',
    'barriers': '''kernel void k(global const int *x, global const int *y, global int *z) {
        local int t[64];
        int l = get_local_id(0), a = x[l], b = y[l], c = a * b;
        for (int n = x[1000]; n < 3; n++) {
            t[l] = a + n;
            barrier(CLK_LOCAL_MEM_FENCE);
            b += t[l ^ 1] * c;
            barrier(CLK_LOCAL_MEM_FENCE);
            t[l] = b;
            barrier(CLK_LOCAL_MEM_FENCE);
            c += t[l ^ 2] + a;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (y[1000] > 5) {
            t[l] = c;
            barrier(CLK_LOCAL_MEM_FENCE);
            a ^= t[l ^ 3] + b;
        }
        z[get_global_id(0)] = a + b + c; }''',
    'visits': '''kernel void k(global const float *x, global const float *y, global float *z) {
        for (size_t i = get_global_id(0); i < 2048; i += get_global_size(0))
            z[i] = x[i] + 3.0f * y[i]; }''',
    'visits by groups': '''kernel void k(global const float *x, global const float *y, global float *z) {
        for (uint i = get_group_id(0) * get_local_size(0) + get_local_id(0); i < 2048; i += get_local_size(0) * get_num_groups(0))
            z[i] = x[i] + 3.0f * y[i]; }''',
    'visits and adds': '''kernel void k(global const float *x, global const float *y, global float *z) {
        local float t[64];
        float s = 0;
        for (int i = get_global_id(0); i < 1900; i += get_global_size(0))
            s += x[i] * y[i];
        t[get_local_id(0)] = s;
        barrier(CLK_LOCAL_MEM_FENCE);
        z[get_global_id(0)] = t[63 - get_local_id(0)]; }''',
    'four floats': '''kernel void k(global const float4 *x, global const float4 *y, global float4 *z) {
        int i = get_global_id(0);
        z[i] = x[i] * y[0] + y[i]; }''',
    'four halves': '''kernel void k(global const half *x, global const half *y, global half *z) {
        size_t i = get_global_id(0);
        vstore_half4(vload_half4(i, x) * 0.5f + vload_half4(i, y), i, z); }''',
    'two floats, exchanged': '''kernel void k(global const float2 *x, global const float2 *y, global float2 *z) {
        int i = get_global_id(0);
        z[i] = x[i] * y[i].yx + x[i].y; }''',
    'three floats': '''kernel void k(global const float *x, global const float *y, global float *z) {
        int i = get_global_id(0);
        if (i < 1000)
            vstore3(vload3(i, x) * vload3(i, y), i, z); }''',
    'four floats, scaled': '''kernel void k(global const float4 *x, global const float *y, global float4 *z) {
        int i = get_global_id(0);
        z[i] = x[i] * y[i] + i; }''',
    'four bytes': '''kernel void k(global const uchar4 *x, global const uchar4 *y, global uchar4 *z) {
        int i = get_global_id(0);
        z[i] = convert_uchar4_sat(convert_float4(x[i]) * 0.3f + convert_float4(y[i])); }''',
    'four floats, chosen': '''kernel void k(global const float4 *x, global const float4 *y, global float4 *z) {
        int i = get_global_id(0);
        z[i] = clamp(x[i] * 3, y[i], (float4)(0.5f)); }''',
    'four floats, chosen by each': '''kernel void k(global const float4 *x, global const float4 *y, global float4 *z) {
        int i = get_global_id(0);
        z[i] = mix(x[i] * 3, y[i], step(x[i], (float4)(0.5f))); }''',
    'skips': '''kernel void k(global const float *x, global const float *y, global float *z) {
        float a = x[get_global_id(0)], s = 0;
        for (int j = 0; j < 100; j++) {
            float d = y[j] - a;
            if (d * d >= 0.25f)
                continue;
            s += d / (1 + d * d) + d / (2 + d) + d / (3 + d * d) + d / (4 + d) + d / (6 + d); }
        z[get_global_id(0)] = s; }''',
    'accesses': 'kernel void k(global const int *x, global const int *y, volatile global int *z) {'
                + ''.join(f'z[get_global_id(0) ^ {k}] = {k};' for k in range(1000)) + '}'}
KERNELS['truncated'] = '''kernel void k(global const float2 *x, global const float2 *y, global float2 *z) {
        int i = get_global_id(0);
        z[i] = convert_float2(convert_int2(x[i])) / y[i]; }'''
# Called for each element of a vector; the calls must not branch.
BUILTINS = ['sign(a) + maxmag(a, b)', 'minmag(a, b) + nextafter(a, b)', 'pown(a, convert_int4(b))', 'powr(a, b)', 'expm1(a) + log1p(b)', 'asinh(a)', 'atanh(a)', 'cbrt(a)',
            'tgamma(a)', 'lgamma(a)', 'lgamma_r(a, &n) * convert_{type_}4(n)', 'hypot(a, b) + ldexp(a, convert_int4(b))', 'length(a) + distance(a, b) + normalize(a)', 'remquo(a, b, &n) * 3']
for type_ in 'float', 'double':
    for builtin in BUILTINS:
        KERNELS[f'{builtin} of {type_}4'] = f'''kernel void k(global const {type_}4 *x, global const {type_}4 *y, global {type_}4 *z) {{
            int i = get_global_id(0);
            {type_}4 a = x[i], b = y[i];
            int4 n = 0;
            z[i] = {builtin.format(type_=type_)}; }}'''
KERNELS['products of 64 bits'] = '''kernel void k(global const long *x, global const ulong *y, global long *z) {
        int i = get_global_id(0);
        z[i] = mul_hi(x[i], x[i]) ^ mad_sat(x[i], z[i], 3L) ^ (long)(mul_hi(y[i], y[i]) ^ mad_sat(y[i], y[i], 5UL)); }'''
KERNELS['rarely skips'] = KERNELS['skips'].replace('d * d >= 0.25f', 'd == 0.25f')


SIZES = {'visits': 4096, 'visits by groups': 4096, 'exchange': 16384, 'loop': 16384, 'gaps': 2048, 'looks up': 4096}  # enough for work-groups of more than 512 work-items, and for buffers of float4


def run(name):
    size = SIZES.get(name, 1024)
    buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=numpy.zeros(32 * size, 'u1')) for _ in range(3)]
    options = ['-cl-std=CL3.0'] if 'vload' in KERNELS[name] else []  # whose vload takes generic pointers
    kernel = cl.Program(context, KERNELS[name]).build(options=options).k
    kernel(queue, (size,), (64,), *buffers)
    if name == 'passes':  # again, with one buffer as two arguments
        cl.enqueue_fill_buffer(queue, buffers[2], numpy.int32(0), 0, 8 * size)
        kernel(queue, (size,), (64,), buffers[0], buffers[2], buffers[2])
        written = numpy.empty(2 * size, 'i4')
        cl.enqueue_copy(queue, written, buffers[2])
        print(sorted(set(written.tolist())), file=sys.stderr)
    queue.finish()


def registers():
    """How many floats a vector register of the processor holds."""
    flags = open('/proc/cpuinfo').read()
    return 16 if 'avx512vl' in flags else 8 if 'avx2' in flags else 4


def main():
    if len(sys.argv) > 1:
        return run(sys.argv[1])
    text = compiled('guarded')
    check('behind a guard: vectors', re.search(r'fmul <\d+ x float>', text) is not None, text)
    check('behind a guard: no gathers', text != '' and 'gather' not in text, text)
    text = compiled('inner')
    masks = 'avx512vl' in open('/proc/cpuinfo').read()
    check('without the first and the last: vectors, masked if processors have masks',
          re.search(r'masked\.store\.v\d+f32' if masks else r'store <\d+ x float>', text) is not None and masks == ('masked' in text), text)
    text = compiled('bytes inside')
    check('bytes without the first one: vectors', re.search(r'shl \S* ?\S* ?<\d+ x i\d+>', text) is not None, text)
    text = compiled('reinterprets')
    check('words as vectors of bytes, and back: vectors across work-items', re.search(r'mul <\d+ x i32>', text) is not None, text)
    text = compiled('accumulates')
    check('a loop behind guards: vectors without masks', re.search(r'store <\d+ x float>', text) is not None and 'masked' not in text, text)
    for name in ('chooses', 'chooses once'):
        text = compiled(name)
        check(f'a switch on which work-items differ ({name}): vectors', re.search(r'mul <\d+ x i32>', text) is not None, text)
    text = compiled('clamped')
    check('clamped indices: vectors of consecutive elements in the interior', len(re.findall(r'= load <\d+ x float>', text)) >= 2, text)
    text = compiled('agrees')
    check('a switch on which work-items agree: vectors, and one case is executed', re.search(r'mul <\d+ x i32>', text) is not None and 'switch i32' in text, text)
    text = compiled('divides')
    check('64-bit divisions: no vectors', 'urem i64' in text and not re.search(r'<\d+ x i64>', text), text)
    text = compiled('divisor')
    check('a search for a divisor: no vectors', 'urem i32' in text and not re.search(r'<\d+ x (i32|double)>', text), text)
    text, _, aliased = compiled('passes').partition(': compiled')
    check('stores with a load of another argument between them: one vector', re.search(r'store <\d+ x i32>', text) is not None and 'scatter' not in text, text)
    check('the same memory as two arguments: other code', ': compiled' in aliased, aliased)
    check('the same memory as two arguments: a load after the store', '[3, 4]' in aliased, aliased[-200:])
    text = compiled('chain')
    check('a long chain of operations: several vectors in an iteration', len(re.findall(r'store <\d+ x float>', text)) >= 4, text)
    text = compiled('loop')
    check('a region with many intermediate results: four vectors at most', 1 <= len(re.findall(r'fdiv <\d+ x float>', text)) <= 4, text)
    text = compiled('chains')
    check('chains side by side: one vector in an iteration', 1 <= len(re.findall(r'store <\d+ x float>', text)) <= 2, text)
    text = compiled('appends')
    check('a short loop over work-items with atomics: unrolled', text.count('atomicrmw add') >= 4, text)
    text = compiled('long appends')
    check('a long one: not unrolled', 1 <= text.count('atomicrmw add') <= 2, text)
    for name in ('adds', 'greatest'):
        text = compiled(name)
        check(f'exchanges that are repeated if another thread changed the value ({name}): a loop over work-items', 'run.row' in text and 'run.fiber' not in text, text)
    text = compiled('hashes')
    check('a loop over a private array of vectors: unrolled, vectors across work-items', f'fshl.v{registers()}i32' in text and 'alloca' not in text, text)
    text = compiled('selects bits')
    ands = re.findall(r' and <\d+ x i32>', text)
    check('a selection of bits in a sum: one conjunction', 0 < len(ands) == len(re.findall(r'@llvm.fshl.v\d+i32\(<\d+ x i32> %', text)), text)
    text = compiled('flushes counters')
    check('a loop by the global size with decisions by atomics that do not end it: a loop over work-items', 'run.row' in text and 'run.fiber' not in text, text)
    for name in ('steps by a value', 'is left by a value', 'waits for a value', 'repeats a successful exchange', 'repeats without exchange', 'expects an old value', 'writes between'):
        text = compiled(name)
        check(f'a loop that {name}: work-items on fibers', 'run.fiber' in text, text)
    text = compiled('searches')
    check('bytes until they differ: no gathers', 'load i8' in text and 'gather' not in text, text)
    text = compiled('rows')
    check('work-items with consecutive elements: vectors of each', re.search(r'store <\d+ x i8>', text) is not None and 'gather' not in text, text)
    text = compiled('sums')
    check('sums of consecutive elements: vectors of each', re.search(r'zext <\d+ x i8>', text) is not None and 'gather' not in text, text)
    text = compiled('prefixes')
    check('prefix sums of consecutive elements: neither gathers nor scatters', text != '' and 'gather' not in text and 'scatter' not in text, text)
    text = compiled('differences')
    check('rows of 8 bytes: vectors of each', re.search(r'sub <8 x i\d+>', text) is not None and 'gather' not in text, text)
    text = compiled('changes')
    check('elements that differ from the one before: vectors of each', re.search(r'icmp ne <\d+ x i8>', text) is not None and 'gather' not in text, text)
    text = compiled('length')
    check('bytes until one is 0: no gathers', 'load i8' in text and 'gather' not in text, text)
    text = compiled('counts')
    check('counts in a private array: neither gathers nor unrolled', text != '' and 'gather' not in text and text.count('lshr') < 40, text)
    text = compiled('swaps')
    check('a conditional exchange in local memory: two selected values, no masks', len(re.findall(r'select .* i32> ?|select .* i32 ', text)) >= 2 and 'masked' not in text, text)
    text = compiled('schedule')
    check('a private array that a loop of 64 iterations indexes: vectors in registers',
          re.search(r'xor <\d+ x i32>', text) is not None and 'gather' not in text and 'alloca' not in text, text[:3000])
    text = compiled('exchange')
    check('subscripts that restart after 512 work-items: vectors', re.search(r'store <\d+ x float>', text) is not None, text)
    text = compiled('copies')
    check('a tile that work-items copy, each as many elements: vectors without masks',
          re.search(r'store <\d+ x float>', text) is not None and 'masked' not in text, text)
    text = compiled('functions')
    check('mathematical functions of floats: vectors without calls', re.search(r'fdiv <\d+ x double>', text) is not None
          and not re.search(r'call double @(?!llvm)', text), text)
    text = compiled('doubles')
    check('mathematical functions of doubles: vectors, a call with each for arguments from 2^30 on',
          re.search(r'call <\d+ x double> @in_slow_sin', text) is not None and not re.search(r'call double @(?!llvm)', text), text)
    text = compiled('taps')
    check('elements that neighbors load, too: vectors', re.search(r'fadd <\d+ x float>', text) is not None, text)
    text = compiled('members')
    check('members of vectors in memory: vectors across work-items', re.search(r'fmul <\d+ x float>', text) is not None, text)
    text = compiled('converted')
    check('members of converted vectors in memory, of three: vectors across work-items', re.search(r'store <\d+ x i8>', text) is not None, text)
    if masks:  # gathers are profitable on these processors
        text = compiled('euclid')
        check('a chain of divisions: vectors', re.search(r'fdiv <\d+ x double>', text) is not None, text)
        text = compiled('looks up')
        check('a region with gathers: four vectors of each', len(re.findall(r'call <16 x float> @llvm.masked.gather', text)) == 8, text)
        text = compiled('gaps')
        check('vectors in memory without their last member: no scalar loop', 'gather.v' in text and 'load float' not in text, text)
    text = compiled('tiles')
    check('a loop over tiles is not unrolled', 'loop' in text and text.count('fmul') <= 100, text.count('fmul'))
    text = compiled('table')
    check('a table: vectors', re.search(r'fcmp \w+ <\d+ x float>', text) is not None, text)
    check('a table: no gathers', 'gather' not in text, text)
    for name in ('visits', 'visits by groups', 'visits and adds'):
        text = compiled(name)
        check(f'a loop strided by the ND-range ({name}): vectors across work-items', re.search(r'fmul <\d+ x float>', text) is not None and 'gather' not in text
              and 'scatter' not in text, text)
        words = max(map(int, re.findall(r'alloca \[(\d+) x i32\]', text)), default=0)
        check(f'a loop strided by the ND-range ({name}): a strip of the whole work-group', words == (64 if 'adds' in name else 256), words)
    wide = registers()
    for name, operation in [('four floats', f'fmul <{wide} x float>'), ('four halves', f'fmul <{wide} x float>'), ('two floats, exchanged', f'fmul <{wide} x float>'),
                            ('three floats', f'fmul <{3 * wide} x float>'), ('four floats, scaled', f'fmul <{wide} x float>'), ('four bytes', f'fmul <{wide} x float>'),
                            ('four floats, chosen', f'fcmp \\w+ <{wide} x float>'), ('four floats, chosen by each', f'fmul <{wide} x float>')]:
        text = compiled(name)
        check(f'vectors of work-items ({name}): as wide as the processor', re.search(operation, text) is not None, text)
        check(f'vectors of work-items ({name}): no gathers', text != '' and 'gather' not in text and 'scatter' not in text, text)
    text = compiled('truncated')
    check('vectors of two, converted to integers: as wide as the processor', re.search(fr'fdiv <{wide} x float>', text) is not None, text)
    for name in KERNELS:
        if ' of ' in name and name.split(' of ')[0] in BUILTINS:
            text = compiled(name)
            check(f'{name}: only vectors', text != '' and not re.search(r'= (f[a-z]+|fcmp \w+) (float|double) ', text), text)
    text = compiled('products of 64 bits')
    check('products of 64 bits: vectors of such', re.search(r'mul <\d+ x i64>', text) is not None and ' i128' not in text, text)
    for name, skips in [('skips', True), ('rarely skips', False)]:
        blocks = re.split(r'\n\S+:', compiled(name))
        divides = [block for block in blocks if re.search(r'fdiv <\d+ x float>', block)]
        check(f'much code that some work-items need ({name}): vectors', divides != [], blocks)
        check(f'much code that some work-items need ({name}): {"" if skips else "not "}behind a branch',
              all(not re.search(r'fcmp \w+ <\d+ x float>', block) for block in divides) == skips, divides)
    text = compiled('accesses')
    parts = [part.count('store volatile') for part in re.split(r'\n\S+:|call void @llvm\.codeview\.annotation', text)]
    check('1,000 accesses in a block: at most 256 are scheduled at a time', sum(parts) >= 1000 and max(parts) <= 256, parts)
    texts = [compiled('barriers') for _ in range(4)]
    check('each process compiles the same', texts[0] != '' and len({re.sub('[0-9.]+ ms', '', t) for t in texts}) == 1)
    return done()


sys.exit(main())
