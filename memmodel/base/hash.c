/* See hash.h. */
#include "memmodel/base/hash.h"

#include <string.h>

#define PRIME_A 0x9e3779b185ebca87u
#define PRIME_B 0xc2b2ae3d27d4eb4fu

static uint64_t rotate_left(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

/* Multiply-and-rotate over 8-byte words, length in the seed, avalanche at the end. */
uint64_t mm_checksum(const void *data, size_t size)
{
    const unsigned char *p = data;
    uint64_t h = PRIME_B ^ (uint64_t)size * PRIME_A;
    uint64_t word = 0;
    for (; size >= sizeof word; size -= sizeof word, p += sizeof word) {
        memcpy(&word, p, sizeof word);
        h = rotate_left(h ^ word * PRIME_B, 31) * PRIME_A;
    }
    if (size) {
        word = 0;
        memcpy(&word, p, size);
        h = rotate_left(h ^ word * PRIME_B, 31) * PRIME_A;
    }
    h = (h ^ h >> 33) * PRIME_B;
    return h ^ h >> 29;
}
