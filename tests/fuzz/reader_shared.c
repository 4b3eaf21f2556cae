/* What readers of the fuzzers share: the input as a file or as a trace, and a mutator for JSON. */
#include "tests/fuzz/reader.h"

#include "memmodel/base/hash.h"
#include "memmodel/memmodel.h"
#include "memmodel/trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int file = -1;

void fuzz_file_begin(void)
{
    if (file < 0)
        file = memfd_create("input", 0);
    if (file < 0 || ftruncate(file, 0) || lseek(file, 0, SEEK_SET) != 0)
        abort();
}

void fuzz_file_add(const void *data, size_t size)
{
    if (write(file, data, size) != (ssize_t)size)
        abort();
}

const char *fuzz_file_path(void)
{
    static char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return path;
}

int fuzz_file_descriptor(void)
{
    if (lseek(file, 0, SEEK_SET) != 0)
        abort();
    return file;
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
    fuzz_file_begin();
    fuzz_file_add(data, size);
    return fuzz_file_path();
}

/* Without the chunk at the end of a trace, which has the number of events. */
static void add_trace(const uint8_t *data, size_t size)
{
    static const unsigned char begin[MM_TRACE_FILE_HEADER] = {
        'r', 'e', 'f', 'c', 'l', 't', 'r', 'c', MM_TRACE_VERSION};
    unsigned char header[MM_TRACE_CHUNK_HEADER];
    struct mm_trace_chunk chunk = {.codec = MM_TRACE_RAW,
                                   .stored = (uint32_t)size,
                                   .raw = (uint32_t)size,
                                   .checksum = mm_checksum(data, size)};
    mm_trace_chunk_put(header, &chunk);
    fuzz_file_begin();
    fuzz_file_add(begin, sizeof begin);
    fuzz_file_add(header, sizeof header);
    fuzz_file_add(data, size);
}

void fuzz_as_trace(const uint8_t *data, size_t size)
{
    if (size >= 8 && memcmp(data, MM_TRACE_MAGIC, 8) == 0)
        fuzz_file(data, size);
    else
        add_trace(data, size);
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = mm_alloc(size + 1);
    if (text == NULL)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

size_t fuzz_mutate_json(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    static const char *const numbers[] = {"0",    "1",       "2",   "3",          "4",
                                          "5",    "7",       "8",   "9",          "16",
                                          "255",  "4096",    "-1",  "4294967295", "9007199254740992",
                                          "4097", "1048577", "1e9", "65536",      "\"18446744073709551615\""};
    const char *number = numbers[seed / 7 % (sizeof numbers / sizeof *numbers)];
    size_t first = size > 0 ? seed / 3 % size : 0, end, length = strlen(number);
    if (seed % 3 == 0)
        return 0;
    while (first < size && (data[first] < '0' || data[first] > '9' ||
                            (first > 0 && strchr(" [,:\t", data[first - 1]) == NULL)))
        first++;
    for (end = first; end < size && data[end] >= '0' && data[end] <= '9';)
        end++;
    if (first == end || size - (end - first) + length > max)
        return 0;
    memmove(data + first + length, data + end, size - end);
    memcpy(data + first, number, length);
    return size - (end - first) + length;
}
