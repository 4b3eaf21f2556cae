/* Files of captured launches: writing, and reading of untrusted files. */
#include "memmodel/trace/capture.h"
#include "memmodel/base/draft.h"
#include "memmodel/base/hash.h"
#include "memmodel/base/input.h"
#include "memmodel/trace/trace.h"
#include "memmodel/zstd/codec.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define CAPTURE_MAGIC "REFCLCAP"
enum { CAPTURE_VERSION = 1, HEADER_SIZE = 48 };
#define CAPTURE_MOST (UINT64_C(1) << 36)
enum { CAPTURE_ARGUMENTS = 1024, CAPTURE_MEMORIES = 4096, CAPTURE_OTHERS = 6 }; /* sections, at most */

struct header {
    char magic[8];
    uint32_t version, count;
    uint64_t size, stored, checksum, header_checksum;
};
_Static_assert(sizeof(struct header) == HEADER_SIZE, "the header has no padding");

struct section_head {
    uint32_t tag, index;
    uint64_t size;
};

static uint64_t padded_size(uint64_t size)
{
    return (size + 7) & ~UINT64_C(7);
}

/* ---- writing ---------------------------------------------------------------------------------- */

static enum mm_class write_file(const char *path, const struct header *header, const void *block,
                                struct mm_error *err)
{
    char draft[4096];
    int fd = mm_draft_open(AT_FDCWD, path, 0666, draft, sizeof draft);
    if (fd < 0)
        return mm_fail(err, MM_INVALID, "capture", "cannot write '%s': %s", path, strerror(errno));
    bool good = mm_write_all(fd, header, sizeof *header) && mm_write_all(fd, block, header->stored);
    good = close(fd) == 0 && good;
    if (good && rename(draft, path) == 0)
        return MM_OK;
    int why = errno;
    unlink(draft);
    return mm_fail(err, MM_INVALID, "capture", "cannot write '%s': %s", path, strerror(why));
}

static unsigned char *assemble_sections(const struct mm_capture_section *sections, size_t count,
                                        uint64_t *size)
{
    *size = 0;
    for (size_t i = 0; i < count; i++)
        *size += sizeof(struct section_head) + padded_size(sections[i].size);
    unsigned char *raw = mm_alloc_zero(1, *size + 1), *at = raw;
    for (size_t i = 0; raw && i < count; i++) {
        struct section_head head = {sections[i].tag, sections[i].index, sections[i].size};
        memcpy(at, &head, sizeof head);
        if (sections[i].size)
            memcpy(at + sizeof head, sections[i].data, sections[i].size);
        at += sizeof head + padded_size(sections[i].size);
    }
    return raw;
}

void mm_capture_name(const char *pattern, unsigned long number, char *path, size_t size)
{
    size_t used = 0;
    for (const char *p = pattern; *p && used + 24 < size; p++) {
        if (p[0] == '%' && (p[1] == 'p' || p[1] == 'n')) {
            used += (size_t)(p[1] == 'p' ? snprintf(path + used, size - used, "%ld", (long)getpid())
                                         : snprintf(path + used, size - used, "%03lu", number));
            p++;
        } else {
            path[used++] = *p;
        }
    }
    path[used] = 0;
}

enum mm_class mm_capture_write(const char *path, const struct mm_capture_section *sections, size_t count,
                               struct mm_error *err)
{
    struct header header = {.magic = CAPTURE_MAGIC, .version = CAPTURE_VERSION, .count = (uint32_t)count};
    unsigned char *raw = assemble_sections(sections, count, &header.size);
    size_t capacity = mm_codec_bound(header.size);
    unsigned char *block = raw ? mm_alloc(capacity) : NULL;
    struct mm_codec *codec = block ? mm_codec_create() : NULL;
    header.stored = codec ? mm_codec_pack(codec, block, capacity, raw, header.size) : 0;
    mm_codec_destroy(codec);
    mm_free(raw);
    enum mm_class result = MM_LIMIT;
    if (header.stored == 0) {
        mm_fail(err, MM_LIMIT, "capture", "out of memory for %" PRIu64 " bytes", header.size);
    } else {
        header.checksum = mm_checksum(block, header.stored);
        header.header_checksum = mm_checksum(&header, offsetof(struct header, header_checksum));
        result = write_file(path, &header, block, err);
    }
    mm_free(block);
    return result;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static enum mm_class capture_error(struct mm_error *err, const char *path, const char *what)
{
    return mm_fail_at(err, MM_INVALID, "capture", path, 0, 0, "%s", what);
}

static long read_all(int fd, void *data, size_t size)
{
    char *at = data;
    size_t done = 0;
    while (done < size) {
        ssize_t n = read(fd, at + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (long)done;
}

static enum mm_class read_header(int fd, const char *path, struct header *h, struct mm_error *err)
{
    long n = read_all(fd, h, sizeof *h);
    if (n < 8 || memcmp(h->magic, CAPTURE_MAGIC, 8) != 0)
        return capture_error(err, path, "this is no captured launch");
    if (n < HEADER_SIZE)
        return capture_error(err, path, "the captured launch ends in its header");
    if (h->header_checksum != mm_checksum(h, offsetof(struct header, header_checksum)))
        return capture_error(err, path, "the header of the captured launch is damaged");
    if (h->version != CAPTURE_VERSION)
        return mm_fail_at(err, MM_INVALID, "capture", path, 0, 0,
                          "the launch was captured by another version: format %u, this is %u", h->version,
                          CAPTURE_VERSION);
    if (h->size > CAPTURE_MOST || h->stored > CAPTURE_MOST ||
        h->count > h->size / sizeof(struct section_head) ||
        h->count > CAPTURE_ARGUMENTS + CAPTURE_MEMORIES + CAPTURE_OTHERS)
        return capture_error(err, path, "the header of the captured launch names impossible sizes");
    return MM_OK;
}

static enum mm_class unpack_file(int fd, const char *path, const struct header *h, void **raw,
                                 struct mm_error *err)
{
    off_t end = lseek(fd, 0, SEEK_END);
    if (end < 0 || (uint64_t)end != HEADER_SIZE + h->stored || lseek(fd, HEADER_SIZE, SEEK_SET) < 0)
        return capture_error(err, path,
                             (uint64_t)end < HEADER_SIZE + h->stored
                                 ? "the captured launch is cut short"
                                 : "something follows the captured launch");
    if (mm_input_check(MM_INPUT_CAPTURE, (uint64_t)end, h->size, path, err) != MM_OK)
        return MM_LIMIT;
    unsigned char *block = mm_alloc(h->stored + 1);
    *raw = mm_alloc(h->size + 1);
    struct mm_codec *codec = mm_codec_create();
    enum mm_class result = MM_OK;
    if (!block || !*raw || !codec)
        result = mm_fail(err, MM_LIMIT, "capture", "out of memory");
    else if (read_all(fd, block, h->stored) != (long)h->stored)
        result = capture_error(err, path, "the captured launch cannot be read");
    else if (mm_checksum(block, h->stored) != h->checksum ||
             mm_codec_unpack(codec, *raw, h->size, block, h->stored) != h->size)
        result = capture_error(err, path, "the captured launch is damaged: its checksum does not match");
    mm_codec_destroy(codec);
    mm_free(block);
    return result;
}

static enum mm_class find_sections(const char *path, const struct header *h, struct mm_capture *c,
                                   struct mm_error *err)
{
    const unsigned char *at = c->block;
    uint64_t left = h->size;
    c->sections = mm_alloc_zero(h->count + 1, sizeof *c->sections);
    if (!c->sections)
        return mm_fail(err, MM_LIMIT, "capture", "out of memory");
    for (; c->count < h->count; c->count++) {
        struct section_head head;
        if (left < sizeof head)
            return capture_error(err, path, "a section of the captured launch is missing");
        memcpy(&head, at, sizeof head);
        at += sizeof head;
        left -= sizeof head;
        if (head.size > left || padded_size(head.size) > left)
            return capture_error(err, path, "a section of the captured launch is too large");
        c->sections[c->count] = (struct mm_capture_section){head.tag, head.index, head.size, at};
        at += padded_size(head.size);
        left -= padded_size(head.size);
    }
    return left == 0 ? MM_OK
                     : capture_error(err, path, "bytes follow the last section of the captured launch");
}

/* ---- checks ----------------------------------------------------------------------------------- */

static bool check_memory(const struct mm_capture *c, const struct mm_capture_section *s)
{
    struct mm_capture_memory m;
    if (s->size < sizeof m)
        return false;
    memcpy(&m, s->data, sizeof m);
    if (m.kind != MM_CAPTURE_BUFFER && m.kind != MM_CAPTURE_SVM && m.kind != MM_CAPTURE_IMAGE)
        return false;
    bool shown = m.kind == MM_CAPTURE_IMAGE && m.parent != UINT32_MAX;
    if (shown && (m.parent >= s->index || !mm_capture_find(c, MM_CAPTURE_MEMORY, m.parent)))
        return false;
    uint64_t rows = m.region[1], slices = m.region[2];
    if (m.kind == MM_CAPTURE_IMAGE && !shown &&
        (!rows || !slices || rows > 1 << 20 || slices > 1 << 20 || m.row_bytes > m.size ||
         m.slice_bytes > m.size || m.region[0] > m.size || (rows - 1) * m.row_bytes > m.size ||
         (slices - 1) * m.slice_bytes > m.size - (rows - 1) * m.row_bytes))
        return false;
    return s->size - sizeof m == (shown ? 0 : m.size) && m.size > 0;
}

static bool check_argument(const struct mm_capture *c, const struct mm_capture_section *s)
{
    struct mm_capture_argument a;
    struct mm_capture_memory m;
    if (s->size < sizeof a)
        return false;
    memcpy(&a, s->data, sizeof a);
    if (a.kind >= MM_CAPTURE_KIND_COUNT || s->size - sizeof a != (a.kind == MM_CAPTURE_VALUE ? a.size : 0))
        return false;
    if (a.kind != MM_CAPTURE_BUFFER && a.kind != MM_CAPTURE_SVM && a.kind != MM_CAPTURE_IMAGE)
        return true;
    const struct mm_capture_section *memory = mm_capture_find(c, MM_CAPTURE_MEMORY, a.memory);
    if (!memory)
        return false;
    memcpy(&m, memory->data, sizeof m);
    return m.kind == a.kind && a.offset <= m.size &&
           (a.kind != MM_CAPTURE_BUFFER || a.size <= m.size - a.offset);
}

static bool check_section(const struct mm_capture *c, const struct mm_capture_section *s)
{
    switch (s->tag) {
    case MM_CAPTURE_KERNEL:
        return s->size > 0 && s->size < 4096 && !memchr(s->data, 0, s->size);
    case MM_CAPTURE_RANGE:
        return s->size == sizeof(struct mm_capture_range) &&
               *(const uint32_t *)s->data - 1 < 3; /* dimensions: sections begin at multiples of 8 */
    case MM_CAPTURE_PROGRAM:
        return s->size > 0;
    case MM_CAPTURE_ARGUMENT:
        return s->index < CAPTURE_ARGUMENTS && check_argument(c, s);
    case MM_CAPTURE_MEMORY:
        return s->index < CAPTURE_MEMORIES && check_memory(c, s);
    case MM_CAPTURE_SOURCE:
    case MM_CAPTURE_FILE:
    case MM_CAPTURE_OPTIONS:
        return s->index == 0 && !memchr(s->data, 0, s->size);
    default:
        return false;
    }
}

static enum mm_class check_capture(const char *path, const struct mm_capture *c, struct mm_error *err)
{
    uint32_t next[MM_CAPTURE_TAG_COUNT] = {0};
    /* Memory sections come first: arguments refer to them. */
    for (uint32_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < c->count; i++) {
            const struct mm_capture_section *s = &c->sections[i];
            if ((s->tag == MM_CAPTURE_ARGUMENT) != (pass == 1))
                continue;
            if (!check_section(c, s) || s->index != next[s->tag]++)
                return mm_fail_at(err, MM_INVALID, "capture", path, 0, 0,
                                  "section %zu of the captured launch (tag %u, index %u) makes no sense", i,
                                  s->tag, s->index);
        }
    bool program = next[MM_CAPTURE_PROGRAM] == 1 || (!next[MM_CAPTURE_PROGRAM] && next[MM_CAPTURE_SOURCE]);
    if (next[MM_CAPTURE_KERNEL] != 1 || next[MM_CAPTURE_RANGE] != 1 || !program)
        return capture_error(err, path, "the captured launch lacks its kernel, its range or its program");
    if (next[MM_CAPTURE_SOURCE] != next[MM_CAPTURE_FILE] ||
        next[MM_CAPTURE_SOURCE] != next[MM_CAPTURE_OPTIONS])
        return capture_error(err, path, "the captured launch has half of its program's source");
    return MM_OK;
}

enum mm_class mm_capture_read(const char *path, struct mm_capture *capture, struct mm_error *err)
{
    struct header header = {0};
    *capture = (struct mm_capture){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return mm_fail(err, MM_INVALID, "capture", "cannot read '%s': %s", path, strerror(errno));
    enum mm_class result = read_header(fd, path, &header, err);
    if (result == MM_OK)
        result = unpack_file(fd, path, &header, &capture->block, err);
    close(fd);
    if (result == MM_OK)
        result = find_sections(path, &header, capture, err);
    if (result == MM_OK)
        result = check_capture(path, capture, err);
    if (result != MM_OK)
        mm_capture_clear(capture);
    return result;
}

void mm_capture_clear(struct mm_capture *capture)
{
    mm_free(capture->sections);
    mm_free(capture->block);
    *capture = (struct mm_capture){0};
}

const struct mm_capture_section *mm_capture_find(const struct mm_capture *capture, uint32_t tag,
                                                 uint32_t index)
{
    for (size_t i = 0; i < capture->count; i++)
        if (capture->sections[i].tag == tag && capture->sections[i].index == index)
            return &capture->sections[i];
    return NULL;
}

bool mm_capture_is(const char *path)
{
    char magic[8];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool is = fd >= 0 && read_all(fd, magic, 8) == 8 && memcmp(magic, CAPTURE_MAGIC, 8) == 0;
    if (fd >= 0)
        close(fd);
    return is;
}
