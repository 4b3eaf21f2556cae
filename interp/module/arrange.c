/* Normalization of modules of other environments before validation (in_module_options.any_environment), as
 * litmus programs need it: instructions in the sections of the logical layout, capabilities that types,
 * decorations and the memory model require, complete interfaces, no branch to an entry block, pointers in the
 * storage class of their base, scopes of 32 bits, structures in place of vectors of one.
 * [SPIRV 2.4, 2.16.1] */
#include "module.h"
#include <string.h>

struct arrange {
    struct in_module *m;
    uint32_t *words; /* the new module */
    uint8_t *is_id;
    uint32_t count, capacity, bound;
    uint32_t *type_of, *at; /* per id: type of the value; word of the instruction */
    struct made {           /* new types and constants: opcode and two operands */
        uint32_t opcode, first, second;
    } made[64];
    uint32_t made_count, first_made;
    bool vulkan, shader, failed;
};

static void put_words(struct arrange *a, const uint32_t *w, const uint8_t *is_id, uint32_t n)
{
    if (a->count + n > a->capacity) {
        uint32_t capacity = (a->count + n) * 2;
        uint32_t *words = mm_realloc(a->words, capacity * sizeof *words);
        a->words = words ? words : a->words;
        uint8_t *marks = words ? mm_realloc(a->is_id, capacity) : NULL;
        a->is_id = marks ? marks : a->is_id;
        a->capacity = marks ? capacity : a->capacity;
        a->failed |= !marks;
    }
    if (a->failed)
        return;
    memcpy(a->words + a->count, w, n * sizeof *w);
    for (uint32_t k = 0; k < n; k++)
        a->is_id[a->count + k] = is_id ? is_id[k] : 0;
    a->count += n;
}

static void put_inst(struct arrange *a, const struct in_inst *i)
{
    put_words(a, i->w, a->m->is_id + i->word, i->count);
}

/* Sections of the logical layout; those of debug information and annotations follow their opcodes. */
enum section {
    CAPABILITY,
    EXTENSION,
    IMPORT,
    MODEL,
    ENTRY,
    MODE,
    SOURCE,
    NAME,
    PROCESSED,
    ANNOTATION,
    DECLARED
};

static enum section section_of(uint32_t op)
{
    switch (op) {
    case SpvOpCapability:
        return CAPABILITY;
    case SpvOpExtension:
        return EXTENSION;
    case SpvOpExtInstImport:
        return IMPORT;
    case SpvOpMemoryModel:
        return MODEL;
    case SpvOpEntryPoint:
        return ENTRY;
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return MODE;
    case SpvOpString:
    case SpvOpSource:
    case SpvOpSourceExtension:
    case SpvOpSourceContinued:
        return SOURCE;
    case SpvOpName:
    case SpvOpMemberName:
        return NAME;
    case SpvOpModuleProcessed:
        return PROCESSED;
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
    case SpvOpDecorationGroup:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
    case SpvOpDecorateId:
    case SpvOpDecorateString:
    case SpvOpMemberDecorateString:
        return ANNOTATION;
    default:
        return DECLARED;
    }
}

/* ---- capabilities ----------------------------------------------------------------------------- */

static uint32_t capability_of(const struct in_inst *i)
{
    uint32_t last = i->operand_count > 0 ? i->operands[i->operand_count - 1] : 0;
    if (i->opcode == SpvOpTypeInt && i->operand_count == 2)
        return i->operands[0] == 64   ? SpvCapabilityInt64
               : i->operands[0] == 16 ? SpvCapabilityInt16
               : i->operands[0] == 8  ? SpvCapabilityInt8
                                      : 0;
    if (i->opcode == SpvOpMemoryModel && last == SpvMemoryModelVulkan)
        return SpvCapabilityVulkanMemoryModel;
    bool builtin =
        i->opcode == SpvOpDecorate && i->operand_count == 3 && i->operands[1] == SpvDecorationBuiltIn;
    bool group = last >= SpvBuiltInSubgroupSize && last <= SpvBuiltInSubgroupLocalInvocationId;
    return builtin && (group || last == SpvBuiltInDeviceIndex) ? SpvCapabilityGroupNonUniform : 0;
}

/* A further capability that CAPABILITY requires. */
static uint32_t companion_of(const struct arrange *a, uint32_t capability)
{
    return capability == SpvCapabilityInt64               ? SpvCapabilityInt64Atomics
           : capability == SpvCapabilityVulkanMemoryModel ? SpvCapabilityVulkanMemoryModelDeviceScope
           : capability == SpvCapabilityGroupNonUniform && a->shader ? SpvCapabilityDeviceGroup
                                                                     : 0;
}

static bool has_capability(const struct arrange *a, uint32_t capability)
{
    for (uint32_t at = 5; at < a->count; at += a->words[at] >> 16)
        if (a->words[at] == (2u << 16 | SpvOpCapability) && a->words[at + 1] == capability)
            return true;
    return false;
}

static void put_capability(struct arrange *a, uint32_t capability)
{
    uint32_t words[] = {2u << 16 | SpvOpCapability, capability};
    if (capability != 0 && !a->failed && !has_capability(a, capability))
        put_words(a, words, NULL, 2);
}

/* Appends to the capabilities that the module declares; nothing else has been written yet. */
static void put_capabilities(struct arrange *a)
{
    for (struct in_inst i = {0}; in_spirv_next(a->m, &i);) {
        uint32_t capability = capability_of(&i);
        put_capability(a, capability);
        put_capability(a, companion_of(a, capability));
    }
}

/* ---- pointers and scopes ------------------------------------------------------------------------- */

static const uint32_t *pointer_type(const struct arrange *a, uint32_t type)
{
    const uint32_t *w = type < a->m->bound && a->at[type] != 0 ? a->m->words + a->at[type] : NULL;
    return w && w[0] == (4u << 16 | SpvOpTypePointer) ? w : NULL;
}

/* The declaration OPCODE with operands FIRST (a constant's type) and SECOND, new if the module has none; 0:
 * too many. */
static uint32_t find_declaration(struct arrange *a, uint32_t opcode, uint32_t first, uint32_t second)
{
    for (struct in_inst i = {0}; in_spirv_next(a->m, &i);)
        if (i.opcode == opcode && i.count == 4 && (i.type != 0 ? i.type : i.operands[0]) == first &&
            i.w[3] == second)
            return i.result;
    uint32_t n = 0;
    const struct made wanted = {opcode, first, second};
    while (n < a->made_count && memcmp(&a->made[n], &wanted, sizeof wanted) != 0)
        n++;
    if (n == sizeof a->made / sizeof *a->made)
        return 0;
    a->made[n] = wanted;
    a->made_count += n == a->made_count;
    return a->first_made + n;
}

/* The storage class of TYPE; UINT32_MAX: no pointer. */
static uint32_t storage_of(const struct arrange *a, uint32_t type)
{
    const uint32_t *w = pointer_type(a, type);
    if (!w && type >= a->first_made && type - a->first_made < a->made_count)
        return a->made[type - a->first_made].first;
    return w ? w[2] : UINT32_MAX;
}

/* An access chain keeps the storage class. */
static void retype_chains(struct arrange *a)
{
    for (struct in_inst i = {0}; in_spirv_next(a->m, &i);) {
        if (i.result != 0 && i.result < a->m->bound)
            a->type_of[i.result] = i.type;
        if ((i.opcode != SpvOpAccessChain && i.opcode != SpvOpInBoundsAccessChain) || i.operand_count < 1 ||
            i.operands[0] >= a->m->bound || i.result >= a->m->bound)
            continue;
        uint32_t storage = storage_of(a, a->type_of[i.operands[0]]);
        const uint32_t *to = pointer_type(a, i.type);
        if (storage == UINT32_MAX || !to || to[2] == storage)
            continue;
        uint32_t type = find_declaration(a, SpvOpTypePointer, storage, to[3]);
        if (type != 0)
            a->m->words[i.word + 1] = a->type_of[i.result] = type;
    }
}

/* Replaces scopes and memory semantics by 32-bit constants. */
static void narrow_scopes(struct arrange *a)
{
    for (uint32_t at = 5; at < a->m->word_count; at++) {
        uint32_t id = a->m->words[at];
        const uint32_t *w = a->m->is_id[at] == IN_ID_SCOPE && id < a->m->bound && a->at[id] != 0
                                ? a->m->words + a->at[id]
                                : NULL;
        if (!w || w[0] != (5u << 16 | SpvOpConstant) || w[4] != 0)
            continue;
        uint32_t type = find_declaration(a, SpvOpTypeInt, 32, 0);
        uint32_t narrow = type != 0 ? find_declaration(a, SpvOpConstant, type, w[3]) : 0;
        a->m->words[at] = narrow != 0 ? narrow : id;
    }
}

static void put_declarations(struct arrange *a)
{
    for (uint32_t n = 0; n < a->made_count; n++) {
        const struct made *d = &a->made[n];
        bool constant = d->opcode == SpvOpConstant;
        uint32_t id = a->first_made + n;
        put_words(a,
                  (const uint32_t[]){4u << 16 | d->opcode, constant ? d->first : id, constant ? id : d->first,
                                     d->second},
                  (const uint8_t[]){0, 0, 0, d->opcode == SpvOpTypePointer}, 4);
    }
    a->bound += a->made_count;
}

static bool is_defined(const struct arrange *a, uint32_t id)
{
    return id < a->m->bound && a->at[id] != 0;
}

/* ---- interfaces and functions -------------------------------------------------------------------- */

/* Since SPIR-V 1.4 an entry point lists all its variables. */
static void put_entry(struct arrange *a, const struct in_inst *entry)
{
    uint32_t from = a->count;
    struct in_inst i = {0};
    bool inside = false;
    const uint8_t *marks = a->m->is_id + entry->word;
    for (uint32_t k = 0; k < entry->count; k++)
        if (!marks[k] || is_defined(a, entry->w[k]))
            put_words(a, &entry->w[k], &marks[k], 1);
    while (a->m->version >= 0x10400 && !inside && in_spirv_next(a->m, &i)) {
        inside = i.opcode == SpvOpFunction;
        bool listed = i.opcode != SpvOpVariable;
        for (uint32_t k = 0; k < entry->operand_count && !listed; k++)
            listed = a->m->is_id[entry->operands + k - a->m->words] && entry->operands[k] == i.result;
        if (!listed && a->count - from < 0xffff)
            put_words(a, &i.result, &(const uint8_t){1}, 1);
    }
    if (!a->failed)
        a->words[from] = (a->count - from) << 16 | SpvOpEntryPoint;
}

/* Whether LABEL is the target of a branch after it. */
static bool is_target(const struct in_module *m, const struct in_inst *label)
{
    for (struct in_inst i = *label; in_spirv_next(m, &i) && i.opcode != SpvOpFunctionEnd;)
        for (uint32_t k = 0; k < i.operand_count; k++)
            if (i.opcode >= SpvOpLoopMerge && i.opcode <= SpvOpSwitch && i.opcode != SpvOpLabel &&
                m->is_id[i.operands + k - m->words] && i.operands[k] == label->result)
                return true;
    return false;
}

/* Inserts a new entry block before LABEL, which is the target of a branch, with the variables that follow;
 * returns the last instruction that is written. */
static struct in_inst put_before(struct arrange *a, const struct in_inst *label)
{
    uint32_t begin[] = {2u << 16 | SpvOpLabel, a->bound++};
    uint32_t end[] = {2u << 16 | SpvOpBranch, label->result};
    struct in_inst last = *label;
    put_words(a, begin, NULL, 2);
    for (struct in_inst i = *label; in_spirv_next(a->m, &i) && i.opcode == SpvOpVariable; last = i)
        put_inst(a, &i);
    put_words(a, end, (const uint8_t[]){0, 1}, 2);
    put_inst(a, label);
    return last;
}

static void put_functions(struct arrange *a)
{
    bool inside = false, begun = false;
    for (struct in_inst i = {0}; in_spirv_next(a->m, &i);) {
        inside |= i.opcode == SpvOpFunction;
        begun &= i.opcode != SpvOpFunction;
        if (!inside || in_is_constant(i.opcode))
            continue;
        bool first = i.opcode == SpvOpLabel && !begun;
        begun |= i.opcode == SpvOpLabel;
        if (first && is_target(a->m, &i))
            i = put_before(a, &i);
        else
            put_inst(a, &i);
    }
}

/* ---- the whole ------------------------------------------------------------------------------------ */

/* Drops names and decorations of undefined ids, and Volatile and Coherent of variables, which the Vulkan
 * memory model has on accesses only. */
static bool left_out(const struct arrange *a, const struct in_inst *i)
{
    enum section section = section_of(i->opcode);
    if ((section == NAME || section == ANNOTATION) && i->operand_count > 0 && !is_defined(a, i->operands[0]))
        return i->result == 0;
    uint32_t k = i->opcode == SpvOpDecorate ? 1 : i->opcode == SpvOpMemberDecorate ? 2 : UINT32_MAX;
    return a->vulkan && k < i->operand_count &&
           (i->operands[k] == SpvDecorationCoherent || i->operands[k] == SpvDecorationVolatile);
}

static void put_section(struct arrange *a, enum section section)
{
    bool inside = false;
    for (struct in_inst i = {0}; in_spirv_next(a->m, &i);) {
        inside |= i.opcode == SpvOpFunction;
        if (section_of(i.opcode) != section || (inside && !in_is_constant(i.opcode)) || left_out(a, &i))
            continue;
        const uint32_t single[] = {3u << 16 | SpvOpTypeStruct, i.result,
                                   i.operand_count > 0 ? i.operands[0] : 0};
        if (section == ENTRY)
            put_entry(a, &i);
        else if (i.opcode == SpvOpTypeVector && i.operand_count == 2 && i.operands[1] == 1)
            put_words(a, single, (const uint8_t[]){0, 0, 1}, 3);
        else
            put_inst(a, &i);
    }
}

static void find_ids(struct arrange *a)
{
    for (struct in_inst i = {0}; in_spirv_next(a->m, &i);) {
        if (i.result != 0 && i.result < a->m->bound)
            a->at[i.result] = i.word;
        a->shader |= i.opcode == SpvOpCapability && i.operands[0] == SpvCapabilityShader;
        a->vulkan |=
            i.opcode == SpvOpMemoryModel && i.operand_count == 2 && i.operands[1] == SpvMemoryModelVulkan;
    }
}

static void arrange_module(struct arrange *a)
{
    find_ids(a);
    retype_chains(a);
    narrow_scopes(a);
    put_words(a, a->m->words, NULL, 5);
    for (enum section s = CAPABILITY; s <= DECLARED; s++) {
        put_section(a, s);
        if (s == CAPABILITY)
            put_capabilities(a);
    }
    put_declarations(a);
    put_functions(a);
}

enum mm_class in_arrange(struct in_module *m, struct mm_error *err)
{
    struct arrange a = {.m = m, .bound = m->bound, .first_made = m->bound};
    a.type_of = mm_alloc_zero(m->bound + 1, sizeof *a.type_of);
    a.at = mm_alloc_zero(m->bound + 1, sizeof *a.at);
    a.failed = !a.type_of || !a.at;
    if (!a.failed)
        arrange_module(&a);
    mm_free(a.type_of);
    mm_free(a.at);
    if (a.failed) {
        mm_free(a.words);
        mm_free(a.is_id);
        return mm_out_of_memory(err);
    }
    mm_free(m->words);
    mm_free(m->is_id);
    m->words = a.words;
    m->is_id = a.is_id;
    m->word_count = a.count;
    m->words[3] = m->bound = a.bound;
    return MM_OK;
}
