/* Captured launches: whole files, or sections that become a file with valid sizes and checksums. */
#include "memmodel/base/hash.h"
#include "memmodel/trace/capture.h"
#include "memmodel/trace/trace.h"
#include "memmodel/zstd/codec.h"
#include "tests/fuzz/reader.h"
#include "tools/session/captured.h"

#include <string.h>

/* As in capture.h. */
struct header {
    char magic[8];
    uint32_t version, count;
    uint64_t size, stored, checksum, header_checksum;
};

static void add_capture(const uint8_t *data, size_t size)
{
    static struct mm_codec *codec;
    struct header header = {.version = 1, .size = size};
    codec = codec != NULL ? codec : mm_codec_create();
    uint8_t *block = mm_alloc(mm_codec_bound(size));
    memcpy(header.magic, "REFCLCAP", 8);
    for (size_t at = 0, left; at + 16 <= size; at += 16 + left) { /* as many sections as there are */
        uint64_t bytes;
        memcpy(&bytes, data + at + 8, 8);
        left = bytes < size ? (size_t)(bytes + 7) / 8 * 8 : size;
        header.count++;
    }
    header.stored = mm_codec_pack(codec, block, mm_codec_bound(size), data, size);
    header.checksum = mm_checksum(block, header.stored);
    header.header_checksum = mm_checksum(&header, sizeof header - 8);
    fuzz_file_begin();
    fuzz_file_add(&header, sizeof header);
    fuzz_file_add(block, header.stored);
    mm_free(block);
}

static bool read_capture(const uint8_t *data, size_t size)
{
    struct captured_launch launch;
    struct mm_capture capture;
    struct mm_error err = {0};
    if (size >= 8 && memcmp(data, "REFCLCAP", 8) == 0)
        fuzz_file(data, size);
    else
        add_capture(data, size);
    if (mm_capture_read(fuzz_file_path(), &capture, &err) != MM_OK)
        return false;
    mm_capture_clear(&capture);
    if (captured_open(&launch, fuzz_file_path()) == 0)
        captured_close(&launch);
    return true;
}

const struct fuzz_reader fuzz_capture = {"capture", read_capture, NULL};
