/* Reading a SPIR-V binary: validation, endianness, the id table, and the order of declarations.
 * [SPIRV 2.3, 2.4, 2.16]. */
#define SPV_ENABLE_UTILITY_CODE
#include "module.h"
#include <spirv/unified1/OpenCL.std.h>
#define kDefaultMaxIdBound in_spirv_max_id_bound /* the header defines it in every file */
#include <spirv-tools/libspirv.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The header only has an inline definition. */
extern inline void SpvHasResultAndType(SpvOp opcode, bool *hasResult, bool *hasResultType);

enum { MAX_BOUND = 4 << 20 }; /* the universal limit on ids */

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

/* Debug information says nothing about execution, and translators get it wrong: unless the module is taken
 * strictly, it is left out before validation. */
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
        if (o->type == SPV_OPERAND_TYPE_ID || o->type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID ||
            o->type == SPV_OPERAND_TYPE_SCOPE_ID)
            m->is_id[m->word_count + o->offset] = 1;
    }
    m->word_count += inst->num_words;
    return SPV_SUCCESS;
}

static spv_target_env environment(uint32_t version)
{
    switch (version) {
    case 0x10000:
        return SPV_ENV_UNIVERSAL_1_0;
    case 0x10100:
        return SPV_ENV_UNIVERSAL_1_1;
    case 0x10200:
        return SPV_ENV_UNIVERSAL_1_2;
    case 0x10300:
        return SPV_ENV_UNIVERSAL_1_3;
    case 0x10400:
        return SPV_ENV_UNIVERSAL_1_4;
    case 0x10500:
        return SPV_ENV_UNIVERSAL_1_5;
    default:
        return SPV_ENV_UNIVERSAL_1_6;
    }
}

static enum mm_class diagnose(struct in_module *module, spv_diagnostic diagnostic, const char *rule,
                              struct mm_error *err)
{
    enum mm_class result =
        mm_fail_at(err, MM_INVALID, rule, module->name, 0, 0, "%s",
                   diagnostic != NULL && diagnostic->error != NULL ? diagnostic->error : "invalid SPIR-V");
    if (err != NULL)
        for (char *p = err->message; *p != 0; p++)
            if (*p == '\n')
                *p = ' ';
    return result;
}

static enum mm_class validate_words(struct in_module *module, const uint32_t *words, uint32_t count,
                                    struct mm_error *err)
{
    spv_context context = spvContextCreate(environment(module->version));
    spv_validator_options options = spvValidatorOptionsCreate();
    spv_diagnostic diagnostic = NULL;
    enum mm_class result = MM_OK;
    if (context == NULL || options == NULL)
        result = mm_fail(err, MM_LIMIT, "memory", "out of memory");
    spv_const_binary_t binary = {words, count};
    /* Making the names of a message takes most of the time, so only when there is one. */
    spvValidatorOptionsSetFriendlyNames(options, false);
    if (result == MM_OK && spvValidateWithOptions(context, options, &binary, &diagnostic) != SPV_SUCCESS) {
        spvDiagnosticDestroy(diagnostic);
        diagnostic = NULL;
        spvValidatorOptionsSetFriendlyNames(options, true);
        spvValidateWithOptions(context, options, &binary, &diagnostic);
        result = diagnose(module, diagnostic, "SPIRV 2.16", err);
    }
    spvDiagnosticDestroy(diagnostic);
    spvValidatorOptionsDestroy(options);
    spvContextDestroy(context);
    return result;
}

/* The result of an OpConvertUToPtr is an opaque handle: how translators write CLK_NULL_EVENT and the like. */
static bool makes_handle(const struct in_module *m, const uint32_t *w)
{
    struct in_inst i;
    for (uint32_t at = 5; at < m->word_count && (m->words[at] >> 16) > 0; at += i.count) {
        in_inst_at(m, at, &i);
        if (i.result == w[1])
            return i.opcode == SpvOpTypeDeviceEvent || i.opcode == SpvOpTypeReserveId ||
                   i.opcode == SpvOpTypeQueue || i.opcode == SpvOpTypeEvent;
    }
    return false;
}

/* One condition for two vectors: LLVM's select, which SPIR-V knows since 1.4 only. */
static bool is_broad_select(const struct in_module *m, const uint8_t *vectors, const uint32_t *w)
{
    return (w[0] & 0xffff) == SpvOpSelect && w[0] >> 16 == 6 && w[1] < m->bound && w[3] < m->bound &&
           vectors[w[1]] && !vectors[w[3]];
}

/* Marks the vector types, and the values of such types. */
static uint8_t *find_vectors(const struct in_module *m)
{
    uint8_t *vectors = m->bound <= MAX_BOUND ? mm_alloc_zero(m->bound + 1, 1) : NULL;
    struct in_inst i;
    for (uint32_t at = 5; vectors != NULL && at < m->word_count && m->words[at] >> 16 > 0; at += i.count) {
        in_inst_at(m, at, &i);
        if (i.result < m->bound && i.type < m->bound)
            vectors[i.result] = i.opcode == SpvOpTypeVector || (i.type != 0 && vectors[i.type]);
    }
    return vectors;
}

/* Instructions that the validator refuses although every driver takes them: conversions of addresses in
 * OpSpecConstantOp, pipe storage, null handles, selections of vectors by one condition.  They are left out of
 * a copy, which then has to be valid. */
static uint32_t *without_constants(const struct in_module *m, uint32_t *count)
{
    uint32_t *copy = mm_alloc((size_t)m->word_count * sizeof *copy);
    uint8_t *vectors = find_vectors(m);
    if (copy == NULL || vectors == NULL) {
        mm_free(copy);
        mm_free(vectors);
        return NULL;
    }
    memcpy(copy, m->words, 5 * sizeof *copy);
    *count = 5;
    uint32_t storage = 0;
    for (uint32_t at = 5, n; at < m->word_count; at += n) {
        const uint32_t *w = m->words + at;
        uint32_t op = w[0] & 0xffff;
        n = w[0] >> 16;
        bool handle = op == SpvOpConvertUToPtr && n == 4 && makes_handle(m, w);
        bool broad = is_broad_select(m, vectors, w);
        bool left_out =
            ((op == SpvOpSpecConstantOp || op == SpvOpConstantPipeStorage) && n >= 4) || handle || broad;
        uint32_t kept = left_out ? 3 : n;
        memcpy(copy + *count, w, kept * sizeof *w);
        if (left_out)
            copy[*count] = 3u << 16 | (handle || broad ? SpvOpUndef : SpvOpConstantNull);
        if (op == SpvOpConstantPipeStorage)
            storage = w[1];
        *count += kept;
    }
    mm_free(vectors);
    for (uint32_t at = 5; storage != 0 && at < *count; at += copy[at] >> 16)
        if ((copy[at] & 0xffff) == SpvOpTypePipeStorage) /* a type that may be null */
            copy[at] = 2u << 16 | SpvOpTypeEvent;
    return copy;
}

/* Operands of extended instructions are values made before, and what is stored is a number: the validator
 * takes that for granted. */
enum made { ABSENT, UNTYPED, NUMERIC_TYPE, TYPED, NUMERIC };

static enum made what_is_made(const unsigned char *made, uint32_t bound, const struct in_inst *i)
{
    switch (i->opcode) {
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeVector:
        return NUMERIC_TYPE;
    default:
        break;
    }
    return i->type == 0 ? UNTYPED : i->type < bound && made[i->type] == NUMERIC_TYPE ? NUMERIC : TYPED;
}

/* Operand K of the extended instruction is the number that it stores. */
static bool is_stored(const struct in_inst *i, uint32_t k)
{
    const uint32_t op = i->operands[1];
    return k == 2 && op >= OpenCLstd_Vstoren && op <= OpenCLstd_Vstorea_halfn_r &&
           op != OpenCLstd_Vload_half && op != OpenCLstd_Vload_halfn && op != OpenCLstd_Vloada_halfn;
}

static enum mm_class check_extended(struct in_module *module, struct mm_error *err)
{
    uint32_t bound = module->bound < MAX_BOUND ? module->bound : MAX_BOUND;
    unsigned char *made = mm_alloc_zero(bound + 1, 1);
    if (made == NULL)
        return mm_fail(err, MM_LIMIT, "memory", "out of memory");
    enum mm_class result = MM_OK;
    struct in_inst i;
    for (uint32_t at = 5; at < module->word_count && result == MM_OK; at += i.count) {
        in_inst_at(module, at, &i);
        for (uint32_t k = 2; i.opcode == SpvOpExtInst && k < i.operand_count && result == MM_OK; k++) {
            uint32_t id = i.operands[k];
            if (!module->is_id[i.operands + k - module->words])
                continue;
            if (id >= bound || made[id] < TYPED)
                result = in_bad(module, at, err, "SPIRV 2.16.1",
                                "operand %u of an extended instruction is no value", id);
            else if (is_stored(&i, k) && made[id] != NUMERIC)
                result =
                    in_bad(module, at, err, "SPIRV 2.16.1", "operand %u, which is stored, is no number", id);
        }
        if (i.result != 0 && i.result < bound)
            made[i.result] = (unsigned char)what_is_made(made, bound, &i);
    }
    mm_free(made);
    return result;
}

static enum mm_class validate(struct in_module *module, char **warnings, struct mm_error *err)
{
    if (check_extended(module, err) != MM_OK)
        return err != NULL ? err->cls : MM_INVALID;
    struct mm_error first = {.cls = MM_OK};
    enum mm_class result = validate_words(module, module->words, module->word_count, &first);
    if (result == MM_INVALID && !module->options->strict) {
        uint32_t count = 0, *copy = without_constants(module, &count);
        if (copy != NULL && count < module->word_count)
            result = validate_words(module, copy, count, NULL);
        mm_free(copy);
        if (module->options->any_environment) /* producers of litmus programs take liberties */
            result = MM_OK;
    }
    if (result != MM_OK) {
        if (err != NULL)
            *err = first;
        return result;
    }
    if (first.cls != MM_OK && warnings != NULL) {
        char text[sizeof first.message + 200];
        mm_error_format(&first, text, sizeof text);
        *warnings = mm_strdup(text);
    }
    return MM_OK;
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
    if (copy[0] == __builtin_bswap32(SpvMagicNumber)) /* the parser would leave strings in the other order */
        for (size_t k = 0; k < size / 4; k++)
            copy[k] = __builtin_bswap32(copy[k]);
    struct parse_state state = {.module = module, .capacity = (uint32_t)(size / 4)};
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    spv_diagnostic diagnostic = NULL;
    enum mm_class result = MM_OK;
    if (spvBinaryParse(context, &state, copy, size / 4, on_header, on_instruction, &diagnostic) !=
        SPV_SUCCESS)
        result = diagnose(module, diagnostic, "SPIRV 2.3", err);
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    mm_free(copy);
    return result;
}

static enum mm_class limit_ids(struct in_module *module, struct mm_error *err)
{
    if (module->bound > MAX_BOUND)
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
            return in_bad(m, at, err, "SPIRV 2.3", "broken instruction");
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
        result = validate(module, warnings, err);
    if (result == MM_OK)
        result = limit_ids(module, err);
    if (result == MM_OK)
        result = in_copy_byval(module, err);
    if (result == MM_OK)
        result = make_ids(module, err);
    if (result == MM_OK)
        result = walk(module, err);
    return result;
}
