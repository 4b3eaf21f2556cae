/* Chunk headers of trace files and their checksum. */
#include "memmodel/trace/trace.h"

#include <string.h>

#define PRIME_A 0x9e3779b185ebca87u
#define PRIME_B 0xc2b2ae3d27d4eb4fu

static uint64_t rotate(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

/* Multiply-and-rotate over 8-byte words, length in the seed, avalanche at the end. */
uint64_t mm_trace_checksum(const void *data, size_t size)
{
    const unsigned char *p = data;
    uint64_t h = PRIME_B ^ (uint64_t)size * PRIME_A;
    while (size) {
        uint64_t word = 0;
        size_t n = size < sizeof word ? size : sizeof word;
        memcpy(&word, p, n);
        h = rotate(h ^ word * PRIME_B, 31) * PRIME_A;
        p += n;
        size -= n;
    }
    h = (h ^ h >> 33) * PRIME_B;
    return h ^ h >> 29;
}

static void put(unsigned char *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        out[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get(const unsigned char *in, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)in[i] << 8 * i;
    return value;
}

void mm_trace_chunk_put(unsigned char out[MM_TRACE_CHUNK_HEADER], const struct mm_trace_chunk *chunk)
{
    put(out, MM_TRACE_CHUNK_MAGIC, 4);
    put(out + 4, chunk->codec, 4);
    put(out + 8, chunk->stored, 4);
    put(out + 12, chunk->raw, 4);
    put(out + 16, chunk->first_event, 8);
    put(out + 24, chunk->checksum, 8);
    put(out + 32, mm_trace_checksum(out, 32), 8);
}

bool mm_trace_chunk_get(const unsigned char in[MM_TRACE_CHUNK_HEADER], struct mm_trace_chunk *chunk)
{
    chunk->codec = (uint32_t)get(in + 4, 4);
    chunk->stored = (uint32_t)get(in + 8, 4);
    chunk->raw = (uint32_t)get(in + 12, 4);
    chunk->first_event = get(in + 16, 8);
    chunk->checksum = get(in + 24, 8);
    if (get(in, 4) != MM_TRACE_CHUNK_MAGIC || get(in + 32, 8) != mm_trace_checksum(in, 32))
        return false;
    if (chunk->codec == MM_TRACE_END)
        return chunk->stored == 0 && chunk->raw == 0;
    if (chunk->codec == MM_TRACE_RAW && chunk->stored != chunk->raw)
        return false;
    return chunk->codec < MM_TRACE_END && chunk->stored && chunk->raw && chunk->raw <= MM_TRACE_CHUNK_MAX &&
           chunk->stored <= MM_TRACE_CHUNK_MAX;
}
