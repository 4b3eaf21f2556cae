/* Reflection of modules that clspv compiled from OpenCL C for Vulkan: which push constants, specialization
 * constants and descriptors receive the sizes of the launch and the kernel's arguments.
 * [NonSemantic.ClspvReflection] */
#include "tools/explore/inputs/inputs.h"
#include "tools/explore/module/module.h"
#include "tools/explore/value/value.h"

#include <spirv/unified1/NonSemanticClspvReflection.h>
#include <stdio.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------------------------------ */

/* The first word is the set, the second the instruction; operands are ids. */
static bool is_reflection(const struct ex *ex, const struct in_inst *inst)
{
    static const char name[] = "NonSemantic.ClspvReflection.";
    const struct in_id *set = inst->opcode == SpvOpExtInst && inst->operand_count > 1
                                  ? in_spirv_id(ex->module.decoded, inst->operands[0])
                                  : NULL;
    return set && strncmp(set->string, name, sizeof name - 1) == 0;
}

/* Operand K, a constant that may not be declared yet. */
static uint64_t constant_operand(struct ex *ex, const struct in_inst *inst, uint32_t k)
{
    const struct in_inst *constant =
        ex_definition(ex, k + 2 < inst->operand_count ? inst->operands[k + 2] : 0);
    if (!constant || constant->opcode != SpvOpConstant || constant->operand_count != 1) {
        ex->current = inst;
        ex_fail(ex, MM_INVALID, "NonSemantic.ClspvReflection",
                "operand %u of reflection instruction %u is no 32-bit constant", k, inst->operands[1]);
    }
    return constant->operands[0];
}

/* Whether INST describes an argument of the kernel that is launched. */
static bool of_kernel(const struct ex *ex, const struct in_inst *inst)
{
    const struct in_inst *kernel = ex_definition(ex, inst->operand_count > 2 ? inst->operands[2] : 0);
    return kernel && is_reflection(ex, kernel) && kernel->operands[1] == NonSemanticClspvReflectionKernel &&
           kernel->operand_count > 2 && kernel->operands[2] == ex->entry->function;
}

/* The id of a specialization constant, of a descriptor; 0: none. */
static uint32_t specialization_constant(const struct ex *ex, uint64_t spec_id)
{
    for (uint32_t id = 1; id < ex->module.bound; id++)
        if (in_spirv_id(ex->module.decoded, id)->spec_id == spec_id)
            return id;
    return 0;
}

static uint32_t find_descriptor(const struct ex *ex, uint64_t set, uint64_t binding)
{
    for (uint32_t id = 1; id < ex->module.bound; id++) {
        const struct in_id *found = in_spirv_id(ex->module.decoded, id);
        if (found->set == set && found->binding == binding)
            return id;
    }
    return 0;
}

/* ---- sizes of the launch ------------------------------------------------------------------------ */

struct rule {
    uint32_t op;
    /* the built-in with the same value; a launch is one region, so offsets of regions are its own */
    uint32_t builtin;
    uint32_t count; /* specialization constants: how many; push constants: 0 */
};
static const struct rule rules[] = {
    {NonSemanticClspvReflectionSpecConstantWorkgroupSize, SpvBuiltInWorkgroupSize, 3},
    {NonSemanticClspvReflectionSpecConstantGlobalOffset, SpvBuiltInGlobalOffset, 3},
    {NonSemanticClspvReflectionSpecConstantWorkDim, SpvBuiltInWorkDim, 1},
    {NonSemanticClspvReflectionSpecConstantSubgroupMaxSize, SpvBuiltInSubgroupMaxSize, 1},
    {NonSemanticClspvReflectionPushConstantGlobalOffset, SpvBuiltInGlobalOffset, 0},
    {NonSemanticClspvReflectionPushConstantEnqueuedLocalSize, SpvBuiltInEnqueuedWorkgroupSize, 0},
    {NonSemanticClspvReflectionPushConstantGlobalSize, SpvBuiltInGlobalSize, 0},
    {NonSemanticClspvReflectionPushConstantRegionOffset, SpvBuiltInGlobalOffset, 0},
    {NonSemanticClspvReflectionPushConstantNumWorkgroups, SpvBuiltInNumWorkgroups, 0},
    {NonSemanticClspvReflectionPushConstantRegionGroupOffset, SpvBuiltInGlobalOffset, 0},
};

static const struct rule *rule_for(const struct ex *ex, const struct in_inst *inst)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules && is_reflection(ex, inst); i++)
        if (inst->operands[1] == rules[i].op)
            return &rules[i];
    return NULL;
}

/* The initial bytes of an object; KNOWN: by byte, 1 if it is given. */
struct given {
    uint8_t *bytes, *known;
    uint64_t size;
};

static void give_scalar(struct ex *ex, const struct given *g, uint64_t offset, uint64_t value, unsigned size)
{
    if (offset > g->size || size > g->size - offset)
        ex_fail(ex, MM_INVALID, "NonSemantic.ClspvReflection",
                "bytes %llu to %llu are described of an object of %llu bytes", (unsigned long long)offset,
                (unsigned long long)offset + size - 1, (unsigned long long)g->size);
    for (unsigned i = 0; i < size; i++) {
        g->bytes[offset + i] = i < 8 ? (uint8_t)(value >> (8 * i)) : 0;
        g->known[offset + i] = 1;
    }
}

static void give_sizes(struct ex *ex, const struct in_inst *inst, const struct rule *rule,
                       const struct given *g)
{
    enum { WORD = 4, COMPONENTS = 3 };
    uint64_t offset = constant_operand(ex, inst, 0), size = constant_operand(ex, inst, 1);
    for (unsigned i = 0; i < COMPONENTS && (i + 1) * WORD <= size; i++)
        give_scalar(ex, g, offset + i * WORD, ex_launch_value(ex, rule->builtin, i), WORD);
}

static void constant_given(struct ex *ex, uint64_t spec_id, uint64_t value)
{
    uint32_t id = specialization_constant(ex, spec_id);
    struct ex_input *input = id ? ex_input_for(ex, id) : NULL;
    if (!input || input->given)
        return;
    input->given = true;
    input->init = (struct ex_init){.value = value};
}

/* ---- arguments ---------------------------------------------------------------------------------- */

struct argument_rule {
    uint32_t op;
    enum { BUFFER, LOCAL, PUSHED, POD } kind;
};
static const struct argument_rule argument_rules[] = {
    {NonSemanticClspvReflectionArgumentStorageBuffer, BUFFER},
    {NonSemanticClspvReflectionArgumentUniform, BUFFER},
    {NonSemanticClspvReflectionArgumentWorkgroup, LOCAL},
    {NonSemanticClspvReflectionArgumentPodPushConstant, PUSHED},
    {NonSemanticClspvReflectionArgumentPodStorageBuffer, POD},
    {NonSemanticClspvReflectionArgumentPodUniform, POD},
};

static const struct argument_rule *argument_rule_for(const struct ex *ex, const struct in_inst *inst)
{
    for (size_t i = 0; i < sizeof argument_rules / sizeof *argument_rules && is_reflection(ex, inst); i++)
        if (inst->operands[1] == argument_rules[i].op && of_kernel(ex, inst))
            return &argument_rules[i];
    return NULL;
}

/* The scalar type of SIZE bytes at OFFSET of TYPE; NULL: none. */
static const struct in_ty *scalar_at(struct ex *ex, const struct in_ty *type, uint64_t offset, uint64_t size)
{
    const struct ex_shape *shape = ex_shape(ex, type);
    for (uint32_t i = 0; i < shape->count; i++)
        if (shape->scalars[i].offset == offset && shape->scalars[i].size == size)
            return shape->scalars[i].type;
    return NULL;
}

/* The value TEXT of SIZE bytes at OFFSET: a number, or a list of numbers of equal size. */
static void give_value(struct ex *ex, const struct given *g, const struct in_ty *type, uint64_t offset,
                       uint64_t size, const char *text)
{
    struct ex_init init = ex_value_text(ex, text);
    uint32_t count = init.form == EX_LIST ? init.count : 1;
    const struct ex_init *items = init.form == EX_LIST ? init.items : &init;
    if (!count || size % count)
        ex_fail(ex, MM_INVALID, "explore.arguments", "'%s' is no value of %llu bytes", text,
                (unsigned long long)size);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = offset + i * (size / count);
        const struct in_ty *leaf = scalar_at(ex, type, at, size / count);
        if (items[i].form == EX_LIST || size / count > 8 || (items[i].form == EX_REAL && !leaf))
            ex_fail(ex, MM_LIMIT, "explore.arguments", "'%s' is not supported as a value of %llu bytes", text,
                    (unsigned long long)size);
        give_scalar(ex, g, at, leaf ? ex_init_bits(ex, leaf, &items[i]) : items[i].value,
                    (unsigned)(size / count));
    }
}

/* An argument by value, in the object ID of TYPE. */
static void give_argument(struct ex *ex, const struct in_inst *inst, const struct argument_rule *rule,
                          uint32_t id, const struct in_ty *type, const struct given *g)
{
    bool pushed = ex_type_of(ex, id)->storage == SpvStorageClassPushConstant;
    uint64_t ordinal = constant_operand(ex, inst, 1);
    if (pushed != (rule->kind == PUSHED) || ordinal >= ex->config.argument_count ||
        (!pushed && find_descriptor(ex, constant_operand(ex, inst, 2), constant_operand(ex, inst, 3)) != id))
        return;
    uint32_t at = pushed ? 2 : 4;
    give_value(ex, g, type, constant_operand(ex, inst, at), constant_operand(ex, inst, at + 1),
               ex->config.arguments[ordinal]);
}

void ex_reflected_bytes(struct ex *ex, uint32_t id, const struct in_ty *type, uint8_t *bytes, uint8_t *known,
                        uint64_t size)
{
    struct given g = {bytes, known, size};
    bool pushed = ex_type_of(ex, id)->storage == SpvStorageClassPushConstant;
    for (uint32_t i = 0; i < ex->module.inst_count; i++) {
        const struct in_inst *inst = &ex->module.insts[i];
        const struct rule *rule = rule_for(ex, inst);
        const struct argument_rule *argument = argument_rule_for(ex, inst);
        if (rule && !rule->count && pushed)
            give_sizes(ex, inst, rule, &g);
        else if (argument && argument->kind >= PUSHED)
            give_argument(ex, inst, argument, id, type, &g);
    }
}

static uint64_t local_elements(struct ex *ex, const char *text, uint64_t element)
{
    unsigned long long bytes = 0;
    int end = 0;
    if (sscanf(text, " local : %llu %n", &bytes, &end) != 1 || !end || text[end] || !element || !bytes)
        ex_fail(ex, MM_INVALID, "explore.arguments", "'%s' given for local memory: local:BYTES is needed",
                text);
    return bytes / element;
}

void ex_reflect_constants(struct ex *ex)
{
    for (uint32_t i = 0; i < ex->module.inst_count; i++) {
        const struct in_inst *inst = &ex->module.insts[i];
        const struct rule *rule = rule_for(ex, inst);
        const struct argument_rule *argument = argument_rule_for(ex, inst);
        for (uint32_t k = 0; rule && k < rule->count; k++)
            constant_given(ex, constant_operand(ex, inst, k), ex_launch_value(ex, rule->builtin, k));
        if (argument && argument->kind == LOCAL && constant_operand(ex, inst, 1) < ex->config.argument_count)
            constant_given(ex, constant_operand(ex, inst, 2),
                           local_elements(ex, ex->config.arguments[constant_operand(ex, inst, 1)],
                                          constant_operand(ex, inst, 3)));
    }
}

void ex_reflect_arguments(struct ex *ex)
{
    for (uint32_t argument = 0; argument < ex->config.argument_count; argument++) {
        const struct argument_rule *rule = NULL;
        for (uint32_t i = 0; i < ex->module.inst_count && !rule; i++) {
            const struct in_inst *inst = &ex->module.insts[i];
            rule = argument_rule_for(ex, inst);
            if (rule && constant_operand(ex, inst, 1) != argument)
                rule = NULL;
            uint32_t id = rule && rule->kind == BUFFER ? find_descriptor(ex, constant_operand(ex, inst, 2),
                                                                         constant_operand(ex, inst, 3))
                                                       : 0;
            if (id)
                ex_argument(ex, id, ex->config.arguments[argument]);
        }
        if (!rule)
            ex_fail(ex, MM_INVALID, "explore.arguments",
                    "the module does not say where argument %u goes: no argument, an image or a sampler",
                    argument);
    }
}
