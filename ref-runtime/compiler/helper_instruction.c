/* Instructions that the translator to SPIR-V does not write: a call of a declared function whose name begins
 * with RT_INSTRUCTION and the opcode becomes the instruction, with the call's arguments as its operands, and
 * the module declares what the instruction needs. */
#include "ref-runtime/compiler/helper.h"

#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_WORDS = 5, EXTENSION_WORDS = 10, MOST_ADDED = 2 + EXTENSION_WORDS };

static const struct need {
    uint32_t opcode, capability;
    const char *extension; /* of fewer than 4 * (EXTENSION_WORDS - 1) characters */
} needs[] = {
    {SpvOpReadClockKHR, SpvCapabilityShaderClockKHR, "SPV_KHR_shader_clock"},
    {SpvOpAtomicFAddEXT, SpvCapabilityAtomicFloat16AddEXT, "SPV_EXT_shader_atomic_float16_add"},
};
enum { NEEDS = sizeof needs / sizeof *needs };

struct rewriter {
    const uint32_t *words;
    size_t count;
    uint32_t bound;
    uint32_t *opcodes; /* by id: what calls of the function become, 0: it is none of these */
    uint8_t *dropped;  /* by id: removed, with its names and decorations */
    bool needed[NEEDS];
};

/* The opcode in the name of a linked function, 0: not such a name. */
static uint32_t named_opcode(const uint32_t *w, uint32_t length)
{
    const char *name = (const char *)(w + 3);
    if (length < 5 || !memchr(name, 0, (length - 3) * 4) ||
        strncmp(name, RT_INSTRUCTION, strlen(RT_INSTRUCTION)))
        return 0;
    return (uint32_t)strtoul(name + strlen(RT_INSTRUCTION), NULL, 10);
}

static void note_function(struct rewriter *r, const uint32_t *w, uint32_t length)
{
    uint32_t opcode = w[1] < r->bound && w[2] == SpvDecorationLinkageAttributes ? named_opcode(w, length) : 0;
    for (size_t i = 0; i < NEEDS; i++)
        if (opcode == needs[i].opcode) {
            r->opcodes[w[1]] = opcode;
            r->dropped[w[1]] = 1;
            r->needed[i] = true;
        }
}

/* Finds the functions, which decorations name before any code, and their parameters.  False: malformed. */
static bool find_functions(struct rewriter *r)
{
    bool inside = false;
    for (size_t at = HEADER_WORDS, length; at < r->count; at += length) {
        const uint32_t *w = r->words + at;
        length = w[0] >> 16;
        if (!length || at + length > r->count)
            return false;
        uint32_t opcode = w[0] & 0xffff;
        if (opcode == SpvOpDecorate && length > 3)
            note_function(r, w, (uint32_t)length);
        else if (opcode == SpvOpFunction && length > 2 && w[2] < r->bound)
            inside = r->dropped[w[2]];
        else if (opcode == SpvOpFunctionParameter && length > 2 && w[2] < r->bound && inside)
            r->dropped[w[2]] = 1;
    }
    return true;
}

static uint32_t *put_needs(const struct rewriter *r, uint32_t *to)
{
    for (size_t i = 0; i < NEEDS; i++)
        if (r->needed[i]) {
            *to++ = 2u << 16 | SpvOpCapability;
            *to++ = needs[i].capability;
        }
    return to;
}

static uint32_t *put_extensions(const struct rewriter *r, uint32_t *to)
{
    for (size_t i = 0; i < NEEDS; i++)
        if (r->needed[i]) {
            uint32_t length = 2 + (uint32_t)strlen(needs[i].extension) / 4;
            *to = length << 16 | SpvOpExtension;
            memcpy(to + 1, needs[i].extension, strlen(needs[i].extension) + 1);
            to += length;
        }
    return to;
}

/* Whether the instruction is removed; *INSIDE: it is in a function that is. */
static bool is_removed(const struct rewriter *r, const uint32_t *w, uint32_t length, bool *inside)
{
    uint32_t opcode = w[0] & 0xffff;
    bool names = opcode == SpvOpName || opcode == SpvOpDecorate;
    if (opcode == SpvOpFunction)
        *inside = length > 2 && w[2] < r->bound && r->dropped[w[2]];
    bool in_function = *inside;
    if (opcode == SpvOpFunctionEnd)
        *inside = false;
    return in_function || (names && length > 1 && w[1] < r->bound && r->dropped[w[1]]);
}

/* TO has room for the module and MOST_ADDED words for each need.  The words written. */
static size_t rewrite_module(const struct rewriter *r, uint32_t *to)
{
    uint32_t *begin = to;
    bool inside = false, extended = false;
    memcpy(to, r->words, HEADER_WORDS * sizeof *to);
    to = put_needs(r, to + HEADER_WORDS);
    for (size_t at = HEADER_WORDS; at < r->count; at += r->words[at] >> 16) {
        const uint32_t *w = r->words + at;
        uint32_t length = w[0] >> 16, opcode = w[0] & 0xffff;
        if (!extended && opcode != SpvOpCapability) {
            to = put_extensions(r, to);
            extended = true;
        }
        if (is_removed(r, w, length, &inside))
            continue;
        bool call = opcode == SpvOpFunctionCall && length > 3 && w[3] < r->bound && r->opcodes[w[3]];
        size_t front = call ? 3 : length;
        memcpy(to, w, front * sizeof *to);
        if (call) {
            to[0] = (length - 1) << 16 | r->opcodes[w[3]];
            memcpy(to + 3, w + 4, (length - 4) * sizeof *to);
        }
        to += *to >> 16;
    }
    return (size_t)(to - begin);
}

enum mm_class rt_helper_instructions(struct rt_binary *binary, struct rt_text *log)
{
    struct rewriter r = {.words = (const void *)binary->data, .count = binary->size / 4};
    if (!memmem(binary->data, binary->size, RT_INSTRUCTION, strlen(RT_INSTRUCTION)))
        return MM_OK;
    r.bound = r.words[3];
    r.opcodes = mm_alloc_zero(r.bound, sizeof *r.opcodes);
    r.dropped = mm_alloc_zero(r.bound, 1);
    uint32_t *words = mm_alloc_zero(r.count + NEEDS * MOST_ADDED, sizeof *words);
    enum mm_class cls = r.opcodes && r.dropped && words ? MM_OK : MM_LIMIT;
    if (cls == MM_OK && !find_functions(&r)) {
        rt_text_add_string(log, "error: the translator wrote a malformed module\n");
        cls = MM_INVALID;
    }
    if (cls == MM_OK) {
        binary->size = rewrite_module(&r, words) * 4;
        mm_free(binary->data);
        binary->data = (void *)words;
        words = NULL;
    }
    mm_free(words);
    mm_free(r.opcodes);
    mm_free(r.dropped);
    return cls;
}
