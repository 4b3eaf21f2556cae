/* Compression of trace chunks with zstd at its fastest ordinary level. */
#include "memmodel/zstd/codec.h"

#include "memmodel/memmodel.h"

#include <zstd.h>

enum { LEVEL = 1 };

struct mm_codec {
    ZSTD_CCtx *pack;
    ZSTD_DCtx *unpack;
};

struct mm_codec *mm_codec_create(void)
{
    struct mm_codec *codec = mm_alloc_zero(1, sizeof *codec);
    return codec;
}

void mm_codec_destroy(struct mm_codec *codec)
{
    if (!codec)
        return;
    ZSTD_freeCCtx(codec->pack);
    ZSTD_freeDCtx(codec->unpack);
    mm_free(codec);
}

size_t mm_codec_bound(size_t size)
{
    return ZSTD_compressBound(size);
}

size_t mm_codec_pack(struct mm_codec *codec, void *out, size_t capacity, const void *in, size_t size)
{
    if (!codec->pack && !(codec->pack = ZSTD_createCCtx()))
        return 0;
    size_t n = ZSTD_compressCCtx(codec->pack, out, capacity, in, size, LEVEL);
    return ZSTD_isError(n) ? 0 : n;
}

size_t mm_codec_unpack(struct mm_codec *codec, void *out, size_t capacity, const void *in, size_t size)
{
    if (!codec->unpack && !(codec->unpack = ZSTD_createDCtx()))
        return 0;
    size_t n = ZSTD_decompressDCtx(codec->unpack, out, capacity, in, size);
    return ZSTD_isError(n) ? 0 : n;
}
