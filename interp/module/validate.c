/* Validation by libSPIRV-Tools, and the deviations that are tolerated although the library rejects them.
 * [SPIRV 2.16; CL env 2.8.1 R1; CL env 2.9 R1; CL env 4 R4] */
#include "validate.h"
#include "memmodel/base/input.h"
#define kDefaultMaxIdBound in_spirv_max_id_bound /* the header defines it in every file */
#include <spirv-tools/libspirv.h>
#include <spirv/unified1/OpenCL.std.h>
#include <string.h>

static spv_target_env target_environment(uint32_t version)
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

enum mm_class in_diagnose(struct in_module *module, const char *text, const char *rule, struct mm_error *err)
{
    enum mm_class result =
        mm_fail_at(err, MM_INVALID, rule, module->name, 0, 0, "%s", text ? text : "invalid SPIR-V");
    if (err)
        for (char *p = err->message; *p != 0; p++)
            if (*p == '\n')
                *p = ' ';
    return result;
}

static enum mm_class validate_words(struct in_module *module, const uint32_t *words, uint32_t count,
                                    struct mm_error *err)
{
    spv_context context = spvContextCreate(target_environment(module->version));
    spv_validator_options options = spvValidatorOptionsCreate();
    spv_diagnostic diagnostic = NULL;
    enum mm_class result = MM_OK;
    if (!context || !options)
        result = mm_out_of_memory(err);
    spv_const_binary_t binary = {words, count};
    /* Friendly names take most of the validator's time: they are generated only when there is a message. */
    spvValidatorOptionsSetUniversalLimit(options, spv_validator_limit_max_function_args,
                                         IN_MOST_ARGUMENT_BYTES);
    spvValidatorOptionsSetFriendlyNames(options, false);
    if (result == MM_OK && spvValidateWithOptions(context, options, &binary, &diagnostic) != SPV_SUCCESS) {
        spvDiagnosticDestroy(diagnostic);
        diagnostic = NULL;
        spvValidatorOptionsSetFriendlyNames(options, true);
        spvValidateWithOptions(context, options, &binary, &diagnostic);
        result = in_diagnose(module, diagnostic ? diagnostic->error : NULL, "SPIRV 2.16", err);
    }
    spvDiagnosticDestroy(diagnostic);
    spvValidatorOptionsDestroy(options);
    spvContextDestroy(context);
    return result;
}

/* The result of an OpConvertUToPtr is an opaque handle: the form in which translators emit CLK_NULL_EVENT and
 * similar constants. */
static bool makes_handle(const struct in_module *m, const uint32_t *w)
{
    for (struct in_inst i = {0}; in_spirv_next(m, &i);)
        if (i.result == w[1])
            return i.opcode == SpvOpTypeDeviceEvent || i.opcode == SpvOpTypeReserveId ||
                   i.opcode == SpvOpTypeQueue || i.opcode == SpvOpTypeEvent;
    return false;
}

enum id_kind { OTHER, VECTOR, VARIABLE };

/* Marks vector types and the values of such types, and variables. */
static uint8_t *find_kinds(const struct in_module *m)
{
    uint8_t *kinds = mm_alloc_zero(m->bound + 1, 1);
    for (struct in_inst i = {0}; kinds && in_spirv_next(m, &i);)
        if (i.result < m->bound && i.type < m->bound)
            kinds[i.result] = i.opcode == SpvOpVariable     ? VARIABLE
                              : i.opcode == SpvOpTypeVector ? VECTOR
                              : i.type != 0                 ? kinds[i.type]
                                                            : OTHER;
    return kinds;
}

/* One condition for two vectors: LLVM's select, which SPIR-V supports since 1.4 only. */
static bool is_broad_select(const struct in_module *m, const uint8_t *kinds, const uint32_t *w)
{
    return (w[0] & 0xffff) == SpvOpSelect && w[0] >> 16 == 6 && w[1] < m->bound && w[3] < m->bound &&
           kinds[w[1]] == VECTOR && kinds[w[3]] != VECTOR;
}

/* A constant composite whose constituents include addresses of variables: the form in which translators emit
 * initializers. */
static bool has_addresses(const struct in_module *m, const uint8_t *kinds, const uint32_t *w)
{
    bool found = false;
    for (uint32_t k = 3; (w[0] & 0xffff) == SpvOpConstantComposite && k < w[0] >> 16 && !found; k++)
        found = w[k] < m->bound && kinds[w[k]] == VARIABLE;
    return found;
}

/* Gradients with as many components as the coordinates, of which a 3D image uses three: so translators emit
 * those of read_image. */
static bool has_gradients(const uint32_t *w)
{
    return (w[0] & 0xffff) == SpvOpImageSampleExplicitLod && w[0] >> 16 == 8 &&
           w[5] == SpvImageOperandsGradMask;
}

/* Copies an access without a sampler, without the level that it names in the first image operand
 * [cl_khr_mipmap_image]; returns the number of words, 0 if W is none. */
static uint32_t put_level_0(const uint32_t *w, uint32_t *to)
{
    uint32_t op = w[0] & 0xffff, n = w[0] >> 16,
             at = op == SpvOpImageWrite  ? 4
                  : op == SpvOpImageRead ? 5
                                         : n;
    if (at + 1 >= n || !(w[at] & SpvImageOperandsLodMask) || (w[at] & SpvImageOperandsBiasMask))
        return 0;
    memcpy(to, w, n * sizeof *w);
    memmove(to + at + 1, w + at + 2, (n - at - 2) * sizeof *w);
    to[at] &= ~(uint32_t)SpvImageOperandsLodMask;
    to[0] = (n - 1) << 16 | op;
    return n - 1;
}

/* The storage class operand of pointer type or variable W; NULL: it is neither. */
static uint32_t *storage_class(uint32_t *w)
{
    return w[0] == (4u << 16 | SpvOpTypePointer) ? &w[2] : (w[0] & 0xffff) == SpvOpVariable ? &w[3] : NULL;
}

struct copy {
    uint32_t *words, count;
    bool changed;
};

enum { MAX_ADDED = 1 << 22 }; /* words of interfaces */

/* An integer type of an invalid width, or a duplicate. */
static bool is_odd(const struct copy *c, const uint32_t *w)
{
    bool odd = w[2] != 8 && w[2] != 16 && w[2] != 32 && w[2] != 64;
    for (uint32_t at = 5; at < c->count && !odd; at += c->words[at] >> 16)
        odd =
            c->words[at] == (4u << 16 | SpvOpTypeInt) && c->words[at + 2] == w[2] && c->words[at + 3] == w[3];
    return odd;
}

/* Writes an entry point whose interface lists all variables of the module, because since SPIR-V 1.4 it must
 * list those that it uses [SPIRV 3.49.5]; returns the number of words written at TO. */
static uint32_t put_entry(const struct in_module *m, const uint32_t *w, uint32_t *to)
{
    uint32_t length = w[0] >> 16, n = length < 3 ? length : 3;
    while (n < length && w[n++] >> 24 != 0) /* skip the name */
        ;
    memcpy(to, w, n * sizeof *w);
    for (uint32_t at = 5; at < m->word_count && (m->words[at] & 0xffff) != SpvOpFunction && n < UINT16_MAX;
         at += m->words[at] >> 16)
        if ((m->words[at] & 0xffff) == SpvOpVariable)
            to[n++] = m->words[at + 2];
    to[0] = n << 16 | SpvOpEntryPoint;
    return n;
}

/* Copies instruction W, in a valid form where the validator rejects what every driver accepts: conversions of
 * addresses in OpSpecConstantOp, addresses in composites, pipe storage, null handles, selections of vectors
 * by one condition, levels of mipmapped images, interfaces. Merge instructions are dropped: only shaders need
 * structured control flow [SPIRV 2.11], and optimizers let headers share a merge block. So are clocks, whose
 * capability would make kernels shaders, and which may be those of a work-group
 * [CL env cl_khr_kernel_clock]. */
static void copy_tolerated(const struct in_module *m, const uint8_t *kinds, const uint32_t *w, struct copy *c)
{
    uint32_t op = w[0] & 0xffff, n = w[0] >> 16, *to = c->words + c->count;
    bool value = (op == SpvOpConvertUToPtr && n == 4 && makes_handle(m, w)) || is_broad_select(m, kinds, w) ||
                 has_gradients(w) || (op == SpvOpReadClockKHR && n == 4);
    bool constant = ((op == SpvOpSpecConstantOp || op == SpvOpConstantPipeStorage) && n >= 4) ||
                    has_addresses(m, kinds, w);
    bool dropped = op == SpvOpSelectionMerge || op == SpvOpLoopMerge ||
                   (op == SpvOpCapability && w[1] == SpvCapabilityShaderClockKHR);
    if (op == SpvOpEntryPoint && m->version >= 0x10400) {
        c->count += put_entry(m, w, to);
        c->changed = true;
        return;
    }
    uint32_t level_0 = put_level_0(w, to);
    if (level_0 != 0) {
        c->count += level_0;
        c->changed = true;
        return;
    }
    uint32_t kept = dropped ? 0 : value || constant ? 3 : n;
    memcpy(to, w, kept * sizeof *w);
    if (value || constant)
        to[0] = 3u << 16 | (value ? SpvOpUndef : SpvOpConstantNull);
    c->changed |= kept < n;
    c->count += kept;
}

/* The same for other environments: atomic operations on private or output variables, integer types of odd
 * width and duplicate types, which become opaque types, the work-group size as a variable. */
static void copy_foreign(const uint32_t *w, struct copy *c)
{
    uint32_t op = w[0] & 0xffff, n = w[0] >> 16, *to = c->words + c->count;
    bool odd = op == SpvOpTypeInt && n == 4 && is_odd(c, w);
    bool size = op == SpvOpDecorate && n == 4 && w[3] == SpvBuiltInWorkgroupSize;
    uint32_t kept = size ? 0 : odd ? 2 : n;
    memcpy(to, w, kept * sizeof *w);
    if (odd)
        to[0] = 2u << 16 | SpvOpTypeStruct;
    uint32_t *storage = kept > 0 ? storage_class(to) : NULL;
    if (storage && (*storage == SpvStorageClassPrivate || *storage == SpvStorageClassOutput))
        *storage = SpvStorageClassWorkgroup;
    c->changed = true;
    c->count += kept;
}

/* Upper bound of the copy's size in words: every entry point may get every variable; 0: unreasonably
 * large. */
static size_t copy_size(const struct in_module *m)
{
    size_t entries = 0, variables = 0;
    for (uint32_t at = 5; at < m->word_count; at += m->words[at] >> 16) {
        entries += (m->words[at] & 0xffff) == SpvOpEntryPoint;
        variables += (m->words[at] & 0xffff) == SpvOpVariable;
    }
    size_t added = entries * variables;
    return added <= MAX_ADDED ? m->word_count + added : 0;
}

static struct copy tolerated_copy(const struct in_module *m)
{
    size_t size = copy_size(m);
    if (size == 0)
        return (struct copy){.words = NULL};
    struct copy c = {.words = mm_alloc(size * sizeof *c.words), .count = 5};
    uint8_t *kinds = find_kinds(m);
    if (!c.words || !kinds) {
        mm_free(c.words);
        mm_free(kinds);
        return (struct copy){.words = NULL};
    }
    memcpy(c.words, m->words, 5 * sizeof *c.words);
    bool storage = false;
    for (uint32_t at = 5; at < m->word_count; at += m->words[at] >> 16) {
        storage |= (m->words[at] & 0xffff) == SpvOpConstantPipeStorage;
        if (m->decoding.options->any_environment)
            copy_foreign(m->words + at, &c);
        else
            copy_tolerated(m, kinds, m->words + at, &c);
    }
    mm_free(kinds);
    for (uint32_t at = 5; storage && at < c.count; at += c.words[at] >> 16)
        if ((c.words[at] & 0xffff) == SpvOpTypePipeStorage) /* a type that has a null value */
            c.words[at] = 2u << 16 | SpvOpTypeEvent;
    return c;
}

/* Structured control flow is required of shaders [SPIRV 2.11]: the copy becomes a library of functions with
 * the pointers of kernels, so that all other rules are checked. */
static void make_library(struct copy *c)
{
    uint32_t to = 5;
    for (uint32_t at = 5, n; at < c->count; at += n) {
        uint32_t *w = c->words + at, op = w[0] & 0xffff;
        n = w[0] >> 16;
        bool kept = op != SpvOpEntryPoint && op != SpvOpExecutionMode && op != SpvOpExecutionModeId &&
                    op != SpvOpDecorate && op != SpvOpMemberDecorate;
        uint32_t *storage = storage_class(w);
        if (storage && *storage != SpvStorageClassFunction && *storage != SpvStorageClassInput &&
            *storage != SpvStorageClassWorkgroup)
            *storage = SpvStorageClassCrossWorkgroup;
        if (op == SpvOpCapability && w[1] == SpvCapabilityShader)
            w[1] = SpvCapabilityLinkage;
        memmove(c->words + to, w, (kept ? n : 0) * sizeof *w);
        to += kept ? n : 0;
    }
    c->count = to;
}

static bool is_tolerated(struct in_module *m)
{
    struct copy c = tolerated_copy(m);
    bool valid = c.words && c.changed && validate_words(m, c.words, c.count, NULL) == MM_OK;
    if (!valid && c.words && m->decoding.options->any_environment) {
        make_library(&c);
        valid = validate_words(m, c.words, c.count, NULL) == MM_OK;
    }
    mm_free(c.words);
    return valid;
}

/* Checks that the validator omits: operands of extended instructions are values defined before, and the
 * stored operand is a number. */
enum made { ABSENT, UNTYPED, NUMERIC_TYPE, TYPED, NUMERIC };

static enum made result_kind(const unsigned char *made, uint32_t bound, const struct in_inst *i)
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
    uint32_t bound = module->bound < IN_MAX_BOUND ? module->bound : IN_MAX_BOUND;
    unsigned char *made = mm_alloc_zero(bound + 1, 1);
    if (!made)
        return mm_out_of_memory(err);
    enum mm_class result = MM_OK;
    for (struct in_inst i = {0}; result == MM_OK && in_spirv_next(module, &i);) {
        for (uint32_t k = 2; i.opcode == SpvOpExtInst && k < i.operand_count && result == MM_OK; k++) {
            uint32_t id = i.operands[k];
            if (!module->is_id[i.operands + k - module->words])
                continue;
            if (id >= bound || made[id] < TYPED)
                result = in_bad(module, i.word, err, "SPIRV 2.16.1",
                                "operand %u of an extended instruction is not a value", id);
            else if (is_stored(&i, k) && made[id] != NUMERIC)
                result = in_bad(module, i.word, err, "SPIRV 2.16.1",
                                "operand %u, which is stored, is not a number", id);
        }
        if (i.result != 0 && i.result < bound)
            made[i.result] = (unsigned char)result_kind(made, bound, &i);
    }
    mm_free(made);
    return result;
}

/* Members of a structure or array, with those of its members; at most UINT32_MAX. */
static uint32_t count_members(const uint32_t *members, uint32_t bound, const struct in_inst *i)
{
    uint32_t listed = i->opcode == SpvOpTypeStruct ? i->operand_count : i->opcode == SpvOpTypeArray;
    uint64_t n = 1;
    for (uint32_t k = 0; k < listed && k < i->operand_count; k++)
        n += i->operands[k] < bound ? members[i->operands[k]] : 0;
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* The library visits the members of a type once for each path to them, and what each function calls, directly
 * or not. */
static enum mm_class check_costs(const struct in_module *module, struct mm_error *err)
{
    uint32_t bound = module->bound < IN_MAX_BOUND ? module->bound : IN_MAX_BOUND;
    uint32_t *members = mm_alloc_zero(bound + 1, sizeof *members);
    uint64_t functions = 0, calls = 0, most = 0, size = module->word_count * sizeof *module->words;
    if (!members)
        return mm_out_of_memory(err);
    for (struct in_inst i = {0}; in_spirv_next(module, &i);) {
        functions += i.opcode == SpvOpFunction;
        calls += i.opcode == SpvOpFunctionCall;
        if ((i.opcode != SpvOpTypeStruct && i.opcode != SpvOpTypeArray) || i.result >= bound)
            continue;
        members[i.result] = count_members(members, bound, &i);
        most = members[i.result] > most ? members[i.result] : most;
    }
    mm_free(members);
    enum mm_class result = mm_input_check(MM_INPUT_TYPE_MEMBERS, size, most, module->name, err);
    return result == MM_OK ? mm_input_check(MM_INPUT_CALLS, size, functions * calls, module->name, err)
                           : result;
}

enum mm_class in_validate(struct in_module *module, char **warnings, struct mm_error *err)
{
    if (check_costs(module, err) != MM_OK || check_extended(module, err) != MM_OK)
        return err ? err->cls : MM_INVALID;
    struct mm_error first = {.cls = MM_OK};
    enum mm_class result = validate_words(module, module->words, module->word_count, &first);
    if (result == MM_INVALID && !module->decoding.options->strict) {
        in_order_blocks(module);
        if (validate_words(module, module->words, module->word_count, NULL) == MM_OK || is_tolerated(module))
            result = MM_OK;
    }
    if (result != MM_OK) {
        if (err)
            *err = first;
        return result;
    }
    if (first.cls != MM_OK && warnings) {
        char text[sizeof first.message + 200];
        mm_error_format(&first, text, sizeof text);
        *warnings = mm_strdup(text);
    }
    return MM_OK;
}
