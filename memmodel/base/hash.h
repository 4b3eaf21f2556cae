/* Hashing and pseudo-random numbers, none of them cryptographic (sha256.h is). */
#ifndef MEMMODEL_BASE_HASH_H
#define MEMMODEL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* A checksum of SIZE bytes that finds torn and changed data.  Files hold it: it must not change. */
uint64_t mm_checksum(const void *data, size_t size);

/* 64-bit FNV-1a of SIZE bytes, continued from HASH; MM_FNV1A begins one.  Files hold it: it must not
 * change. */
#define MM_FNV1A UINT64_C(0xcbf29ce484222325)
static inline uint64_t mm_fnv1a(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The next number of a splitmix64 sequence; any state is a good one.  Seeds replay runs: it must not
 * change. */
static inline uint64_t mm_random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#endif
