/* The layer's traces and captured launches are not compressed: it needs no library but the C library. */
#include "memmodel/zstd/codec.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static char nothing;

struct mm_codec *mm_codec_create(void)
{
    return (struct mm_codec *)(void *)&nothing;
}

void mm_codec_destroy(struct mm_codec *codec)
{
    (void)codec;
}

/* A zstd frame of blocks that are not compressed [RFC 8878 3.1.1]: magic number, descriptor, size of the
 * contents. */
enum { HEADER = 4 + 1 + 8, BLOCK = 1 << 17, BLOCK_HEADER = 3 };

size_t mm_codec_bound(size_t size)
{
    return HEADER + size + (size / BLOCK + 1) * BLOCK_HEADER;
}

size_t mm_codec_pack(struct mm_codec *codec, void *out, size_t capacity, const void *in, size_t size)
{
    const unsigned char magic[] = {0x28, 0xb5, 0x2f, 0xfd, 0xe0}, *from = in;
    unsigned char *to = out;
    (void)codec;
    if (capacity < mm_codec_bound(size))
        return 0;
    memcpy(to, magic, sizeof magic);
    for (unsigned i = 0; i < 8; i++)
        to[sizeof magic + i] = (unsigned char)((uint64_t)size >> 8 * i);
    to += HEADER;
    for (bool last = false; !last;) {
        size_t part = size < BLOCK ? size : BLOCK;
        last = part == size;
        size_t header = part << 3 | last;
        for (unsigned i = 0; i < BLOCK_HEADER; i++)
            *to++ = (unsigned char)(header >> 8 * i);
        memcpy(to, from, part);
        to += part;
        from += part;
        size -= part;
    }
    return (size_t)(to - (unsigned char *)out);
}

/* The layer reads nothing. */
size_t mm_codec_unpack(struct mm_codec *codec, void *out, size_t capacity, const void *in, size_t size)
{
    (void)codec;
    (void)out;
    (void)capacity;
    (void)in;
    (void)size;
    return 0;
}
