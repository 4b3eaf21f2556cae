/* Reading a SPIR-V binary: endianness, the id table, and the order of declarations. [SPIRV 2.3, 2.4] */
#define SPV_ENABLE_UTILITY_CODE
#include "validate.h"
#define kDefaultMaxIdBound in_spirv_max_ids /* the header defines it in every file */
#include <spirv-tools/libspirv.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The header only has an inline definition. */
extern inline void SpvHasResultAndType(SpvOp opcode, bool *hasResult, bool *hasResultType);

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
}

const char *in_opcode_name(uint32_t opcode)
{
    return spvOpcodeString(opcode);
}

enum mm_class in_bad(struct in_module *module, uint32_t word, struct mm_error *err, const char *rule,
                     const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return mm_fail_at(err, MM_INVALID, rule, module->name, 0, 0, "%s (word %u of the module)", text, word);
}

struct in_ty *in_type_of(const struct in_module *module, uint32_t id)
{
    return id < module->bound ? module->ids[id].ty : NULL;
}

/* The parser hands out host-endian words. */
struct parse_state {
    struct in_module *module;
    uint32_t capacity;
    uint32_t debug_sets[8];
    uint32_t debug_set_count;
};

/* Debug information does not affect execution, and translators often emit it invalid: except in strict mode
 * it is removed before validation. */
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
    if (inst->opcode != SpvOpExtInst || inst->num_words < 5 || state->module->options->strict)
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
    state->module->word_count = 5;
    state->module->version = version;
    state->module->bound = bound;
    return SPV_SUCCESS;
}

static spv_result_t on_instruction(void *user, const spv_parsed_instruction_t *inst)
{
    struct parse_state *state = user;
    struct in_module *m = state->module;
    if (is_debug(state, inst))
        return SPV_SUCCESS;
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

static enum mm_class read_words(struct in_module *module, const void *words, size_t size,
                                struct mm_error *err)
{
    if (size < 20 || size % 4 != 0 || size / 4 > UINT32_MAX / 2)
        return mm_fail_at(err, MM_INVALID, "SPIRV 2.3", module->name, 0, 0,
                          "a module of %zu bytes: not a whole number of words with a header", size);
    module->words = mm_alloc(size);
    module->is_id = mm_alloc_zero(size / 4, 1);
    uint32_t *copy = mm_alloc(size);
    if (module->words == NULL || module->is_id == NULL || copy == NULL) {
        mm_free(copy);
        return mm_fail(err, MM_LIMIT, "memory", "out of memory");
    }
    memcpy(copy, words, size);
    if (copy[0] == __builtin_bswap32(SpvMagicNumber)) /* the parser would not swap the bytes of strings */
        for (size_t k = 0; k < size / 4; k++)
            copy[k] = __builtin_bswap32(copy[k]);
    struct parse_state state = {.module = module, .capacity = (uint32_t)(size / 4)};
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    spv_diagnostic diagnostic = NULL;
    enum mm_class result = MM_OK;
    if (spvBinaryParse(context, &state, copy, size / 4, on_header, on_instruction, &diagnostic) !=
        SPV_SUCCESS)
        result = in_diagnose(module, diagnostic != NULL ? diagnostic->error : NULL, "SPIRV 2.3", err);
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    mm_free(copy);
    return result;
}

static enum mm_class limit_ids(struct in_module *module, struct mm_error *err)
{
    if (module->bound > IN_MAX_BOUND)
        return mm_fail_at(err, MM_LIMIT, "SPIRV 2.17", module->name, 0, 0,
                          "id bound %u is beyond the universal limit", module->bound);
    return MM_OK;
}

static enum mm_class make_ids(struct in_module *module, struct mm_error *err)
{
    module->ids = mm_alloc_zero(module->bound + 1, sizeof *module->ids);
    if (module->ids == NULL)
        return mm_fail(err, MM_LIMIT, "memory", "out of memory");
    for (uint32_t i = 0; i <= module->bound; i++) {
        struct in_id *id = &module->ids[i];
        id->name = id->string = id->linkage = "";
        id->linkage_type = id->spec_id = id->set = id->binding = UINT32_MAX;
        id->builtin = IN_NO_BUILTIN;
        id->rounding = -1;
    }
    return MM_OK;
}

static enum mm_class begin_function(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    struct in_function *list = mm_realloc(m->functions, (m->function_count + 1) * sizeof *list);
    if (list == NULL)
        return mm_fail(err, MM_LIMIT, "memory", "out of memory");
    m->functions = list;
    struct in_function *f = &list[m->function_count];
    memset(f, 0, sizeof *f);
    f->id = inst->result;
    f->word = inst->word;
    f->ty = m->ids[inst->operands[1]].ty;
    if (f->ty == NULL || f->ty->kind != IN_TY_FUNCTION)
        return in_bad(m, inst->word, err, "SPIRV 3.49.9", "OpFunction without a function type");
    f->params = mm_arena_alloc(m->arena, (f->ty->count + 1) * sizeof(uint32_t));
    if (f->params == NULL)
        return mm_fail(err, MM_LIMIT, "memory", "out of memory");
    m->ids[inst->result].kind = IN_ID_FUNCTION;
    m->ids[inst->result].index = m->function_count++;
    return MM_OK;
}

static enum mm_class in_function_body(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    struct in_function *f = &m->functions[m->function_count - 1];
    switch (inst->opcode) {
    case SpvOpFunctionEnd:
        f->end = inst->word + inst->count;
        break;
    case SpvOpFunctionParameter:
        if (f->param_count >= f->ty->count)
            return in_bad(m, inst->word, err, "SPIRV 3.49.9", "more parameters than the function type has");
        f->params[f->param_count++] = inst->result;
        break;
    case SpvOpLabel:
        f->has_body = true;
        m->ids[inst->result].kind = IN_ID_LABEL;
        return MM_OK;
    default:
        break;
    }
    if (inst->result != 0) {
        m->ids[inst->result].kind = IN_ID_VALUE;
        m->ids[inst->result].ty = m->ids[inst->type].ty;
    }
    return MM_OK;
}

static bool is_constant(uint32_t op)
{
    return op >= SpvOpConstantTrue && op <= SpvOpSpecConstantOp;
}

static enum mm_class walk(struct in_module *m, struct mm_error *err)
{
    enum mm_class result = MM_OK;
    bool inside = false;
    for (uint32_t at = 5; at < m->word_count && result == MM_OK;) {
        struct in_inst inst;
        in_inst_at(m, at, &inst);
        if (inst.count == 0 || inst.result >= m->bound || inst.type >= m->bound)
            return in_bad(m, at, err, "SPIRV 2.3", "malformed instruction");
        if (inst.result != 0)
            m->ids[inst.result].word = at;
        if (inst.opcode == SpvOpFunction) {
            inside = true;
            result = begin_function(m, &inst, err);
        } else if (inside && !is_constant(inst.opcode)) {
            result = in_function_body(m, &inst, err);
        } else {
            result = in_declare(m, &inst, err);
        }
        at += inst.count;
    }
    return result;
}

enum mm_class in_parse(struct in_module *module, const void *words, size_t size, char **warnings,
                       struct mm_error *err)
{
    enum mm_class result = read_words(module, words, size, err);
    if (result == MM_OK)
        result = limit_ids(module, err);
    if (result == MM_OK && module->options->any_environment)
        result = in_arrange(module, err);
    if (result == MM_OK)
        result = in_validate(module, warnings, err);
    if (result == MM_OK)
        result = in_copy_byval(module, err);
    if (result == MM_OK)
        result = make_ids(module, err);
    if (result == MM_OK)
        result = walk(module, err);
    return result;
}
