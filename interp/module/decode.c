/* Decoding: the id table with names and decorations, entry points, functions, and the order of declarations.
 * [SPIRV 2.3, 2.4] */
#include "memmodel/base/array.h"
#include "module.h"
#include <string.h>

/* ---- names, decorations, entry points ----------------------------------------------------------- */

static enum mm_class make_ids(struct in_module *module, struct mm_error *err)
{
    module->ids = mm_alloc_zero(module->bound + 1, sizeof *module->ids);
    if (!module->ids)
        return mm_out_of_memory(err);
    for (uint32_t i = 0; i <= module->bound; i++) {
        struct in_id *id = &module->ids[i];
        id->name = id->string = id->linkage = "";
        id->linkage_type = id->spec_id = id->set = id->binding = IN_UNDECORATED;
        id->builtin = IN_NO_BUILTIN;
        id->rounding = -1;
    }
    return MM_OK;
}

static enum mm_class add_entry(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    struct in_entry *e = mm_add(&m->entries, &m->entry_count);
    if (!e)
        return mm_out_of_memory(err);
    *e = (struct in_entry){inst->operands[1], inst->operands[0],
                           mm_arena_strdup(m->arena, (const char *)(inst->operands + 2))};
    return e->name ? MM_OK : mm_out_of_memory(err);
}

static enum mm_class declare_string(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    struct in_id *id = &m->ids[inst->result];
    id->kind = inst->opcode == SpvOpString ? IN_ID_STRING : IN_ID_SET;
    id->string = mm_arena_strdup(m->arena, (const char *)inst->operands);
    return id->string ? MM_OK : mm_out_of_memory(err);
}

static enum mm_class scan_inst(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    switch (inst->opcode) {
    case SpvOpMemoryModel:
        m->target.addressing_model = inst->operands[0];
        m->target.memory_model = inst->operands[1];
        m->target.vulkan = m->target.memory_model == SpvMemoryModelVulkan;
        m->target.logical = m->target.addressing_model == SpvAddressingModelLogical;
        /* [CL env 4 R2] */
        if (m->target.addressing_model != SpvAddressingModelPhysical64 &&
            !m->decoding.options->any_environment)
            return in_bad(m, inst->word, err, "SPIRV 3.4",
                          "addressing model is not Physical64, the device's");
        return MM_OK;
    case SpvOpSource:
        m->target.source_language = inst->operands[0];
        m->target.literal_legacy |= m->target.source_language != SpvSourceLanguageUnknown &&
                                    m->target.source_language != SpvSourceLanguageOpenCL_C;
        return MM_OK;
    case SpvOpEntryPoint:
        return add_entry(m, inst, err);
    case SpvOpString:
    case SpvOpExtInstImport:
        return declare_string(m, inst, err);
    case SpvOpName:
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
    case SpvOpGroupDecorate:
        return in_decorate(m, inst, err);
    default:
        return MM_OK;
    }
}

enum mm_class in_scan(struct in_module *m, struct mm_error *err)
{
    enum mm_class result = make_ids(m, err);
    for (struct in_inst i = {0}; result == MM_OK && in_spirv_next(m, &i);) {
        if (i.result >= m->bound || i.type >= m->bound)
            return in_bad(m, i.word, err, "SPIRV 2.3", "malformed instruction");
        if (i.result != 0)
            m->ids[i.result].word = i.word;
        result = scan_inst(m, &i, err);
    }
    return result == MM_OK ? in_index_strings(m, err) : result;
}

/* ---- types, constants, variables, functions ------------------------------------------------------ */

struct in_ty *in_type_of(const struct in_module *module, uint32_t id)
{
    return id < module->bound ? module->ids[id].ty : NULL;
}

static enum mm_class end_function(struct in_module *m, struct mm_error *err)
{
    const struct in_function *f = m->function_count > 0 ? &m->functions[m->function_count - 1] : NULL;
    return !f || f->end > 0 ? MM_OK : in_bad(m, f->word, err, "SPIRV 2.4", "a function has no end");
}

static enum mm_class begin_function(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    if (end_function(m, err) != MM_OK)
        return MM_INVALID;
    struct in_function *f = mm_add(&m->functions, &m->function_count);
    if (!f)
        return mm_out_of_memory(err);
    f->id = inst->result;
    f->word = inst->word;
    f->ty = in_type_of(m, inst->operands[1]);
    if (!f->ty || f->ty->kind != IN_TY_FUNCTION)
        return in_bad(m, inst->word, err, "SPIRV 3.49.9", "OpFunction without a function type");
    f->params = mm_arena_alloc(m->arena, (f->ty->count + 1) * sizeof(uint32_t));
    if (!f->params)
        return mm_out_of_memory(err);
    m->ids[inst->result].kind = IN_ID_FUNCTION;
    m->ids[inst->result].index = m->function_count - 1;
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

/* Declarations before the first function, and constants in functions. */
static enum mm_class decode_declaration(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    switch (inst->opcode) {
    case SpvOpString:
    case SpvOpExtInstImport:
        return MM_OK;
    case SpvOpVariable:
        return in_declare_variable(m, inst, err);
    default:
        if ((inst->opcode >= SpvOpTypeVoid && inst->opcode <= SpvOpTypeForwardPointer) ||
            inst->opcode == SpvOpTypePipeStorage || inst->opcode == SpvOpTypeNamedBarrier)
            return in_declare_type(m, inst, err);
        return in_constant(m, inst, err);
    }
}

enum mm_class in_declare_all(struct in_module *m, struct mm_error *err)
{
    enum mm_class result = MM_OK;
    bool inside = false;
    for (struct in_inst i = {0}; result == MM_OK && in_spirv_next(m, &i);) {
        if (i.opcode == SpvOpFunction) {
            inside = true;
            result = begin_function(m, &i, err);
        } else if (inside && !in_is_constant(i.opcode)) {
            result = in_function_body(m, &i, err);
        } else {
            result = decode_declaration(m, &i, err);
        }
    }
    if (result == MM_OK)
        result = end_function(m, err);
    return result == MM_OK ? in_index_structures(m, err) : result;
}
