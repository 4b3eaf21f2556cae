/* Compression of trace chunks: the only folder that includes zstd. */
#ifndef MEMMODEL_ZSTD_CODEC_H
#define MEMMODEL_ZSTD_CODEC_H

#include <stddef.h>

struct mm_codec;                        /* reusable contexts for both directions */
struct mm_codec *mm_codec_create(void); /* NULL on failure */
void mm_codec_destroy(struct mm_codec *codec);
/* The most bytes that SIZE bytes can become. */
size_t mm_codec_bound(size_t size);
/* Return the number of bytes written to OUT, 0 on failure. */
size_t mm_codec_pack(struct mm_codec *codec, void *out, size_t capacity, const void *in, size_t size);
size_t mm_codec_unpack(struct mm_codec *codec, void *out, size_t capacity, const void *in, size_t size);

#endif
