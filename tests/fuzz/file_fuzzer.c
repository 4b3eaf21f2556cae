/* libFuzzer over the files that commands read: traces with launches to be executed again, captured launches,
 * witnesses.  The first byte says which; what is behind it is put into a file whose checksums are right:
 *     T  records of a trace, one chunk of them
 *     C  sections of a captured launch
 *     W  a witness
 * Started by `make fuzz-files`. */
#include "interp/expand.h"
#include "memmodel/capture.h"
#include "memmodel/trace.h"
#include "memmodel/zstd/codec.h"
#include "tools/replay.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

static int file;
static char path[40];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    setenv("REFCL_STEP_LIMIT", "5000", 1);
    file = memfd_create("input", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (!freopen("/dev/null", "w", stdout))
        abort();
    return file < 0;
}

static void begin(void)
{
    if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET) != 0)
        abort();
}

static void add(const void *data, size_t size)
{
    if (write(file, data, size) != (ssize_t)size)
        abort();
}

/* ---- traces --------------------------------------------------------------------------------------- */

static enum mm_class take(void *context, const struct mm_record *record)
{
    size_t *sum = context;
    *sum += record->type == MM_RECORD_EVENT ? record->event.size : (size_t)record->type;
    return MM_OK;
}

static void add_chunk(enum mm_trace_codec codec, const uint8_t *data, size_t size)
{
    unsigned char header[MM_TRACE_CHUNK_HEADER];
    struct mm_trace_chunk chunk = {.codec = codec,
                                   .stored = (uint32_t)size,
                                   .raw = (uint32_t)size,
                                   .checksum = mm_trace_checksum(data, size)};
    mm_trace_chunk_put(header, &chunk);
    add(header, sizeof header);
    add(data, size);
}

static void try_trace(const uint8_t *data, size_t size)
{
    static const unsigned char header[MM_TRACE_FILE_HEADER] = {
        'r', 'e', 'f', 'c', 'l', 't', 'r', 'c', MM_TRACE_VERSION};
    size_t sum = 0;
    bool complete;
    struct mm_error err = {0};
    struct mm_sink sink = {.context = &sum, .record = take};
    begin();
    add(header, sizeof header);
    add_chunk(MM_TRACE_RAW, data, size);
    add_chunk(MM_TRACE_END, data, 0);
    lseek(file, 0, SEEK_SET);
    in_expand_trace(file, path, &sink, &complete, &err);
}

/* ---- captures ------------------------------------------------------------------------------------- */

static void try_capture(const uint8_t *data, size_t size)
{
    struct {
        char magic[8];
        uint32_t version, count;
        uint64_t size, stored, checksum, header_checksum;
    } header = {.magic = "REFCLCA", .version = 1, .size = size};
    static struct mm_codec *codec;
    struct mm_capture capture;
    struct mm_error err = {0};
    codec = codec ? codec : mm_codec_create();
    uint8_t *block = mm_alloc(mm_codec_bound(size));
    header.magic[7] = 'P';
    for (size_t at = 0, left; at + 16 <= size; at += 16 + left) { /* as many sections as there are */
        uint64_t bytes;
        memcpy(&bytes, data + at + 8, 8);
        left = bytes < size ? (size_t)(bytes + 7) / 8 * 8 : size;
        header.count++;
    }
    header.stored = mm_codec_pack(codec, block, mm_codec_bound(size), data, size);
    header.checksum = mm_trace_checksum(block, header.stored);
    header.header_checksum = mm_trace_checksum(&header, sizeof header - 8);
    begin();
    add(&header, sizeof header);
    add(block, header.stored);
    mm_free(block);
    if (mm_capture_read(path, &capture, &err) == MM_OK)
        mm_capture_clear(&capture);
}

/* ---- witnesses ------------------------------------------------------------------------------------ */

static void try_witness(const uint8_t *data, size_t size)
{
    struct witness witness;
    char why[WITNESS_TEXT];
    begin();
    add(data, size);
    if (witness_read(&witness, path) != 0)
        return;
    replay_witness(&witness, NULL, why);
    witness_close(&witness);
}

/* The number that the next descriptor gets: nothing may leave one open. */
static int next_descriptor(void)
{
    int next = dup(file);
    close(next);
    return next;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int next = next_descriptor();
    if (size > 1 && *data == 'T')
        try_trace(data + 1, size - 1);
    else if (size > 1 && *data == 'C')
        try_capture(data + 1, size - 1);
    else if (size > 1 && *data == 'W')
        try_witness(data + 1, size - 1);
    if (next_descriptor() != next)
        abort();
    return 0;
}

/* A number of a witness becomes another one. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    static const char *const numbers[] = {"0", "1",    "2",    "3",     "4",          "7",
                                          "8", "9",    "16",   "255",   "4294967295", "9007199254740992",
                                          "5", "4096", "4097", "65536", "-1",         "1048577"};
    size_t first = size ? seed / 3 % size : 0, end;
    if (size < 2 || *data != 'W' || seed % 3 == 0)
        return LLVMFuzzerMutate(data, size, max);
    while (first < size && (data[first] < '0' || data[first] > '9' || data[first - (first > 0)] != ' '))
        first++;
    for (end = first; end < size && data[end] >= '0' && data[end] <= '9';)
        end++;
    const char *number = numbers[seed / 7 % (sizeof numbers / sizeof *numbers)];
    size_t length = strlen(number);
    if (first == end || size - (end - first) + length > max)
        return LLVMFuzzerMutate(data, size, max);
    memmove(data + first + length, data + end, size - end);
    memcpy(data + first, number, length);
    return size - (end - first) + length;
}
