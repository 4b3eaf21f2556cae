/* Cleaning what the translator writes, and modules before they are linked: the debug instruction set is
 * removed, because validators reject what translators write of it, while OpLine and the strings in use stay
 * [SPIRV 3.49.3].  In what the translator writes, decorations with an invented linkage type are removed
 * [SPIRV 3.17]; file names lose the working directory, those of given headers the root they were given
 * under. */
#include "ref-runtime/compiler/helper.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

#define HEADER_WORDS 5
#define RT_NOTE_MOST (UINT16_MAX * 4 - 16) /* bytes of an OpString */

struct cleaner {
    uint32_t *words;
    size_t count, out;
    uint32_t bound;
    unsigned char *dropped;   /* by id: the result of an instruction that is removed */
    unsigned char *used;      /* by id: strings that something else refers to */
    const struct rt_job *job; /* NULL: debug information and user semantics alone go */
};

static const char *literal_string(const uint32_t *words, size_t count)
{
    const char *text = (const char *)words;
    return memchr(text, 0, count * 4) ? text : "";
}

static bool is_debug_set(const char *name)
{
    return !strcmp(name, "OpenCL.DebugInfo.100") || !strcmp(name, "DebugInfo") ||
           !strcmp(name, "SPIRV.debug") || !strncmp(name, "NonSemantic.Shader.DebugInfo", 28);
}

static bool in_bound(const struct cleaner *c, uint32_t id)
{
    return id < c->bound;
}

/* First pass: instructions to be removed, and strings that the rest refers to. */
static void mark_removed(struct cleaner *c, const uint32_t *w, uint32_t length)
{
    switch (w[0] & 0xffff) {
    case SpvOpExtInstImport:
        if (length > 2 && in_bound(c, w[1]) && is_debug_set(literal_string(w + 2, length - 2)))
            c->dropped[w[1]] = 1;
        break;
    case SpvOpExtInst:
        if (length > 4 && in_bound(c, w[3]) && c->dropped[w[3]] && in_bound(c, w[2]))
            c->dropped[w[2]] = 1;
        break;
    case SpvOpLine:
        if (length > 1 && in_bound(c, w[1]))
            c->used[w[1]] = 1;
        break;
    case SpvOpSource:
        if (length > 3 && in_bound(c, w[3]))
            c->used[w[3]] = 1;
        break;
    default:
        break;
    }
}

static bool is_kept(const struct cleaner *c, const uint32_t *w, uint32_t length)
{
    switch (w[0] & 0xffff) {
    case SpvOpExtInstImport:
        return length < 2 || !in_bound(c, w[1]) || !c->dropped[w[1]];
    case SpvOpExtInst:
        return length < 5 || !in_bound(c, w[2]) || !c->dropped[w[2]];
    case SpvOpName:
        return length < 2 || !in_bound(c, w[1]) || !c->dropped[w[1]];
    case SpvOpString:
        return !c->job || length < 3 || !in_bound(c, w[1]) || c->used[w[1]] ||
               !strncmp(literal_string(w + 2, length - 2), "kernel_arg_type", 15);
    case SpvOpModuleProcessed:
        return !c->job || length < 2 || strncmp(literal_string(w + 1, length - 1), "Debug info", 10) != 0;
    case SpvOpDecorate:
        /* Functions that the translator adds carry an internal linkage type that SPIR-V lacks. */
        return !c->job || !(length > 3 && w[2] == SpvDecorationLinkageAttributes &&
                            w[length - 1] > SpvLinkageTypeLinkOnceODR);
    case SpvOpDecorateString: /* user semantics, which the validator accepts of no function */
        return c->job || length < 3 || w[2] != SpvDecorationUserSemantic;
    default:
        return true;
    }
}

/* Length of what TEXT, a header beside the source, loses to become the name the header was given with. */
static size_t beside_length(const char *text, const struct rt_job *job)
{
    const char *slash = strrchr(job->file, '/');
    size_t length = slash ? (size_t)(slash - job->file) + 1 : 0;
    for (size_t i = 0; length && i < job->header_count; i++)
        if (!strncmp(text, job->file, length) && !strcmp(text + length, job->headers[i].name))
            return length;
    return 0;
}

/* Length of what a file name loses in front: the root of given headers, or the working directory. */
static size_t prefix_length(const char *text, const struct rt_job *job)
{
    size_t root = strlen(RT_HEADER_ROOT), length = strlen(job->directory);
    if (!strncmp(text, RT_HEADER_ROOT, root))
        return root;
    bool inside =
        *job->file != '/' && length && !strncmp(text, job->directory, length) && text[length] == '/';
    size_t prefix = inside ? length + 1 : 0;
    return prefix + beside_length(text + prefix, job);
}

static void shorten_name(uint32_t *w, uint32_t *length, const struct rt_job *job)
{
    if ((w[0] & 0xffff) != SpvOpString || *length < 3)
        return;
    char *text = (char *)(w + 2);
    size_t prefix = prefix_length(literal_string(w + 2, *length - 2), job);
    if (!prefix)
        return;
    size_t size = strlen(text + prefix);
    memmove(text, text + prefix, size);
    uint32_t words = 2 + (uint32_t)(size / 4 + 1);
    memset(text + size, 0, (words - 2) * 4 - size);
    *length = words;
    w[0] = words << 16 | SpvOpString;
}

static bool walk_module(struct cleaner *c, bool copy)
{
    for (size_t at = HEADER_WORDS; at < c->count;) {
        uint32_t *w = c->words + at, length = w[0] >> 16;
        if (!length || at + length > c->count)
            return false;
        at += length;
        if (!copy) {
            mark_removed(c, w, length);
        } else if (is_kept(c, w, length)) {
            if (c->job)
                shorten_name(w, &length, c->job);
            memmove(c->words + c->out, w, length * 4);
            c->out += length;
        }
    }
    return true;
}

/* Both passes; false: the module is malformed. */
static bool clean_module(struct cleaner *c)
{
    c->out = HEADER_WORDS;
    c->bound = c->words[3];
    c->dropped = mm_alloc_zero((size_t)c->bound + 1, 2);
    if (!c->dropped)
        return false;
    c->used = c->dropped + c->bound + 1;
    bool ok = walk_module(c, false) && walk_module(c, true);
    mm_free(c->dropped);
    return ok;
}

size_t rt_helper_drop_debug(uint32_t *words, size_t count)
{
    struct cleaner c = {.words = words, .count = count};
    return clean_module(&c) ? c.out : 0;
}

enum mm_class rt_helper_clean_spirv(struct rt_binary *binary, const struct rt_job *job, struct rt_text *log)
{
    struct cleaner c = {.words = binary->data, .count = binary->size / 4, .job = job};
    if (c.count < HEADER_WORDS) {
        rt_text_add_string(log, "error: the translator wrote no module\n");
        return MM_INVALID;
    }
    if (!clean_module(&c)) {
        rt_text_add_string(log, "error: the translator wrote a malformed module\n");
        return MM_INVALID;
    }
    binary->size = c.out * 4;
    return MM_OK;
}

/* ---- strings ---- */

/* The word at which the section of strings begins: behind the execution modes [SPIRV 2.4]. */
static size_t string_place(const uint32_t *words, size_t count)
{
    size_t place = HEADER_WORDS;
    for (size_t at = HEADER_WORDS; at < count && words[at] >> 16; at += words[at] >> 16) {
        uint32_t opcode = words[at] & 0xffff;
        if (opcode == SpvOpExecutionMode || opcode == SpvOpExecutionModeId || opcode == SpvOpEntryPoint ||
            opcode == SpvOpMemoryModel)
            place = at + (words[at] >> 16);
    }
    return place;
}

/* Text of SIZE bytes, the end included, in whole words. */
static uint32_t string_words(size_t size)
{
    return (uint32_t)(2 + (size + 3) / 4);
}

enum mm_class rt_helper_add_strings(struct rt_binary *binary, const struct rt_text *notes)
{
    size_t extra = 0, length;
    for (size_t at = 0; at < notes->size; at += length) {
        length = strlen(notes->data + at) + 1;
        extra += length <= RT_NOTE_MOST ? string_words(length) : 0;
    }
    size_t count = binary->size / 4, place = string_place(binary->data, count);
    uint32_t *words = mm_alloc_zero(count + extra, sizeof *words), *to = words + place;
    if (!words)
        return MM_LIMIT;
    memcpy(words, binary->data, place * 4);
    for (size_t at = 0; at < notes->size; at += length) {
        length = strlen(notes->data + at) + 1;
        if (length > RT_NOTE_MOST)
            continue;
        to[0] = string_words(length) << 16 | SpvOpString;
        to[1] = words[3]++;
        memcpy(to + 2, notes->data + at, length);
        to += string_words(length);
    }
    memcpy(to, (uint32_t *)binary->data + place, (count - place) * 4);
    mm_free(binary->data);
    binary->data = (void *)words;
    binary->size = (count + extra) * 4;
    return MM_OK;
}
