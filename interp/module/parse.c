/* Parsing of SPIR-V binaries: grammar, endianness, instructions as views of words. [SPIRV 2.3] */
#define SPV_ENABLE_UTILITY_CODE
#include "memmodel/base/array.h"
#include "validate.h"
#define kDefaultMaxIdBound in_spirv_max_ids /* the header defines it in every file */
#include <spirv-tools/libspirv.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HEADER_WORDS = 5 };

/* The header only has an inline definition. */
extern inline void SpvHasResultAndType(SpvOp opcode, bool *hasResult, bool *hasResultType);

/* ---- instructions ----------------------------------------------------------------------------- */

bool in_spirv_is(const void *data, size_t size)
{
    uint32_t magic = 0;
    if (size >= sizeof magic)
        memcpy(&magic, data, sizeof magic);
    return magic == SpvMagicNumber || magic == __builtin_bswap32(SpvMagicNumber);
}

void in_inst_at(const struct in_module *module, uint32_t word, struct in_inst *inst)
{
    bool has_result = false, has_type = false;
    const uint32_t *w = module->words + word;
    inst->w = w;
    inst->word = word;
    inst->opcode = w[0] & 0xffff;
    inst->count = w[0] >> 16;
    SpvHasResultAndType((SpvOp)inst->opcode, &has_result, &has_type);
    uint32_t at = 1;
    inst->type = has_type && at < inst->count ? w[at++] : 0;
    inst->result = has_result && at < inst->count ? w[at++] : 0;
    inst->operands = w + at;
    inst->operand_count = inst->count > at ? inst->count - at : 0;
    inst->number = inst->line = inst->column = 0;
}

/* The source position of the instruction after I. */
static void source_place(const struct in_inst *i, uint32_t *line, uint32_t *column)
{
    bool none = i->count == 0 || i->opcode == SpvOpNoLine || i->opcode == SpvOpFunctionEnd;
    bool says = i->opcode == SpvOpLine && i->operand_count > 2;
    *line = none ? 0 : says ? i->operands[1] : i->line;
    *column = none ? 0 : says ? i->operands[2] : i->column;
}

bool in_spirv_next(const struct in_module *m, struct in_inst *i)
{
    uint32_t word = i->word + i->count, number = i->count > 0 ? i->number + 1 : 0, line, column;
    word = word > HEADER_WORDS ? word : HEADER_WORDS;
    if (word >= m->word_count || m->words[word] >> 16 == 0)
        return false;
    source_place(i, &line, &column);
    in_inst_at(m, word, i);
    i->number = number;
    i->line = number < m->source.count ? m->source.lines[number] : line;
    i->column = number < m->source.count ? 0 : column;
    return true;
}

const char *in_opcode_name(uint32_t opcode)
{
    return spvOpcodeString(opcode);
}

static enum mm_class fail_at(struct in_module *module, uint32_t word, struct mm_error *err, enum mm_class cls,
                             const char *rule, const char *format, va_list list)
{
    char text[400];
    struct in_inst i = {.line = 0};
    vsnprintf(text, sizeof text, format, list);
    while (module->source.count > 0 && i.word < word && in_spirv_next(module, &i))
        ;
    return mm_fail_at(err, cls, rule, module->name, i.line, 0, "%s (word %u of the module)", text, word);
}

enum mm_class in_bad(struct in_module *module, uint32_t word, struct mm_error *err, const char *rule,
                     const char *format, ...)
{
    va_list list;
    va_start(list, format);
    enum mm_class result = fail_at(module, word, err, MM_INVALID, rule, format, list);
    va_end(list);
    return result;
}

enum mm_class in_beyond(struct in_module *module, uint32_t word, struct mm_error *err, const char *rule,
                        const char *format, ...)
{
    va_list list;
    va_start(list, format);
    enum mm_class result = fail_at(module, word, err, MM_LIMIT, rule, format, list);
    va_end(list);
    return result;
}

/* ---- the parser, which hands out host-endian words ----------------------------------------------- */

struct parse_state {
    struct in_module *module;
    bool debug; /* keep its instructions */
    uint32_t capacity;
    uint32_t debug_sets[8];
    uint32_t debug_set_count;
    uint32_t *removed; /* results of instructions that are removed */
    size_t removed_count;
};

/* Debug information and user semantics do not affect execution, and translators often emit the former
 * invalid: except in strict mode they are removed before validation. */
static bool is_debug(struct parse_state *state, const spv_parsed_instruction_t *inst)
{
    if (inst->opcode == SpvOpExtInstImport) {
        const char *name = (const char *)(inst->words + 2);
        bool debug = strncmp(name, "OpenCL.DebugInfo", 16) == 0 || strncmp(name, "NonSemantic.", 12) == 0 ||
                     strcmp(name, "DebugInfo") == 0 || strcmp(name, "SPIRV.debug") == 0;
        if (debug && state->debug_set_count < 8)
            state->debug_sets[state->debug_set_count++] = inst->result_id;
        return false;
    }
    if (state->debug)
        return false;
    if (inst->opcode == SpvOpDecorateString) /* the validator accepts none of functions */
        return inst->num_words > 2 && inst->words[2] == SpvDecorationUserSemantic;
    if (inst->opcode != SpvOpExtInst || inst->num_words < 5)
        return false;
    for (uint32_t k = 0; k < state->debug_set_count; k++)
        if (state->debug_sets[k] == inst->words[3])
            return true;
    return false;
}

static spv_result_t on_header(void *user, spv_endianness_t endian, uint32_t magic, uint32_t version,
                              uint32_t generator, uint32_t bound, uint32_t reserved)
{
    struct parse_state *state = user;
    (void)endian;
    uint32_t *w = state->module->words;
    w[0] = magic;
    w[1] = version;
    w[2] = generator;
    w[3] = bound;
    w[4] = reserved;
    state->module->word_count = HEADER_WORDS;
    state->module->version = version;
    state->module->bound = bound;
    return SPV_SUCCESS;
}

static spv_result_t on_instruction(void *user, const spv_parsed_instruction_t *inst)
{
    struct parse_state *state = user;
    struct in_module *m = state->module;
    if (is_debug(state, inst)) {
        bool noted = !inst->result_id || mm_append(&state->removed, &state->removed_count, &inst->result_id);
        return noted ? SPV_SUCCESS : SPV_ERROR_OUT_OF_MEMORY;
    }
    if (m->word_count + inst->num_words > state->capacity)
        return SPV_ERROR_OUT_OF_MEMORY;
    memcpy(m->words + m->word_count, inst->words, inst->num_words * sizeof(uint32_t));
    for (uint16_t i = 0; i < inst->num_operands; i++) {
        const spv_parsed_operand_t *o = &inst->operands[i];
        bool scope = o->type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID || o->type == SPV_OPERAND_TYPE_SCOPE_ID;
        if (scope || o->type == SPV_OPERAND_TYPE_ID)
            m->is_id[m->word_count + o->offset] = scope ? IN_ID_SCOPE : 1;
    }
    m->word_count += inst->num_words;
    return SPV_SUCCESS;
}

/* Removes names of ids that were removed.  False: no memory. */
static bool remove_names(const struct parse_state *state)
{
    struct in_module *m = state->module;
    bool *removed = mm_alloc_zero(m->bound + UINT64_C(1), sizeof *removed);
    if (!removed)
        return false;
    for (size_t k = 0; k < state->removed_count; k++)
        if (state->removed[k] < m->bound)
            removed[state->removed[k]] = true;
    uint32_t count = HEADER_WORDS;
    for (uint32_t at = HEADER_WORDS, length; at < m->word_count; at += length) {
        length = m->words[at] >> 16;
        if ((m->words[at] & 0xffff) == SpvOpName && m->words[at + 1] < m->bound && removed[m->words[at + 1]])
            continue;
        memmove(m->words + count, m->words + at, length * sizeof *m->words);
        memmove(m->is_id + count, m->is_id + at, length * sizeof *m->is_id);
        count += length;
    }
    m->word_count = count;
    mm_free(removed);
    return true;
}

enum mm_class in_parse(struct in_module *module, const void *words, size_t size, bool debug,
                       uint32_t bound_limit, struct mm_error *err)
{
    if (size < 4 * HEADER_WORDS || size % 4 != 0 || size / 4 > UINT32_MAX / 2)
        return mm_fail_at(err, MM_INVALID, "SPIRV 2.3", module->name, 0, 0,
                          "a module of %zu bytes: not a whole number of words with a header", size);
    module->words = mm_alloc(size);
    module->is_id = mm_alloc_zero(size / 4, 1);
    uint32_t *copy = mm_alloc(size);
    if (!module->words || !module->is_id || !copy) {
        mm_free(copy);
        return mm_out_of_memory(err);
    }
    memcpy(copy, words, size);
    if (copy[0] == __builtin_bswap32(SpvMagicNumber)) /* the parser would not swap the bytes of strings */
        for (size_t k = 0; k < size / 4; k++)
            copy[k] = __builtin_bswap32(copy[k]);
    struct parse_state state = {.module = module, .debug = debug, .capacity = (uint32_t)(size / 4)};
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    spv_diagnostic diagnostic = NULL;
    enum mm_class result = MM_OK;
    if (spvBinaryParse(context, &state, copy, size / 4, on_header, on_instruction, &diagnostic) !=
        SPV_SUCCESS)
        result = in_diagnose(module, diagnostic ? diagnostic->error : NULL, "SPIRV 2.3", err);
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    mm_free(copy);
    if (result == MM_OK && module->bound > bound_limit)
        result = mm_fail_at(err, MM_LIMIT, "SPIRV 2.17", module->name, 0, 0,
                            "id bound %u: more than %u ids are not supported", module->bound, bound_limit);
    if (result == MM_OK && state.removed_count && !remove_names(&state))
        result = mm_out_of_memory(err);
    mm_free(state.removed);
    return result;
}
