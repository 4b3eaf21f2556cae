/* Chunk headers of trace files. */
#include "memmodel/base/hash.h"
#include "memmodel/trace/trace.h"

#include <string.h>

static void put_little_endian(unsigned char *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        out[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get_number(const unsigned char *in, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)in[i] << 8 * i;
    return value;
}

void mm_trace_chunk_put(unsigned char out[MM_TRACE_CHUNK_HEADER], const struct mm_trace_chunk *chunk)
{
    put_little_endian(out, MM_TRACE_CHUNK_MAGIC, 4);
    put_little_endian(out + 4, chunk->codec, 4);
    put_little_endian(out + 8, chunk->stored, 4);
    put_little_endian(out + 12, chunk->raw, 4);
    put_little_endian(out + 16, chunk->first_event, 8);
    put_little_endian(out + 24, chunk->checksum, 8);
    put_little_endian(out + 32, mm_checksum(out, 32), 8);
}

bool mm_trace_chunk_get(const unsigned char in[MM_TRACE_CHUNK_HEADER], struct mm_trace_chunk *chunk)
{
    chunk->codec = (uint32_t)get_number(in + 4, 4);
    chunk->stored = (uint32_t)get_number(in + 8, 4);
    chunk->raw = (uint32_t)get_number(in + 12, 4);
    chunk->first_event = get_number(in + 16, 8);
    chunk->checksum = get_number(in + 24, 8);
    if (get_number(in, 4) != MM_TRACE_CHUNK_MAGIC || get_number(in + 32, 8) != mm_checksum(in, 32))
        return false;
    if (chunk->codec == MM_TRACE_END)
        return chunk->stored == 0 && chunk->raw == 0;
    if (chunk->codec == MM_TRACE_RAW && chunk->stored != chunk->raw)
        return false;
    return chunk->codec < MM_TRACE_END && chunk->stored && chunk->raw && chunk->raw <= MM_TRACE_CHUNK_MAX &&
           chunk->stored <= MM_TRACE_CHUNK_MAX;
}
