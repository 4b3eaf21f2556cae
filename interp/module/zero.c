/* Private memory that begins as zeros [cl_khr_initialize_memory]: each variable of a function that has no
 * initializer gets a null constant of its type. */
#include "rewrite.h"

struct zero {
    struct in_module *m;
    uint8_t *nullable; /* per id: a type that OpConstantNull may have */
    uint32_t *pointee; /* per id: of a pointer to private memory, 0: no such type */
    uint32_t *null_of; /* per id of a type: its null constant, 0: none is needed */
    uint32_t nulls, variables;
};

static bool all_nullable(const struct zero *z, const struct in_inst *i, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (!z->nullable[i->operands[k]])
            return false;
    return true;
}

static void note_type(struct zero *z, const struct in_inst *i)
{
    switch (i->opcode) {
    case SpvOpTypePointer:
        if (i->operands[0] == SpvStorageClassFunction)
            z->pointee[i->result] = i->operands[1];
        z->nullable[i->result] = 1;
        break;
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeVector:
    case SpvOpTypeEvent:
    case SpvOpTypeDeviceEvent:
    case SpvOpTypeReserveId:
    case SpvOpTypeQueue:
        z->nullable[i->result] = 1;
        break;
    case SpvOpTypeArray:
        z->nullable[i->result] = all_nullable(z, i, 1);
        break;
    case SpvOpTypeStruct:
        z->nullable[i->result] = all_nullable(z, i, i->operand_count);
        break;
    default:
        break;
    }
}

/* The type of a variable of a function that has no initializer and can have a null one; 0 for all else. */
static uint32_t zeroed_type(const struct zero *z, const struct in_inst *i)
{
    bool bare =
        i->opcode == SpvOpVariable && i->operand_count == 1 && i->operands[0] == SpvStorageClassFunction;
    uint32_t type = bare ? z->pointee[i->type] : 0;
    return type != 0 && z->nullable[type] ? type : 0;
}

static void choose_variables(struct zero *z)
{
    for (struct in_inst i = {0}; in_spirv_next(z->m, &i);) {
        note_type(z, &i);
        uint32_t type = zeroed_type(z, &i);
        if (type == 0)
            continue;
        z->variables++;
        if (z->null_of[type] == 0)
            z->null_of[type] = z->m->bound + z->nulls++;
    }
}

static void put_nulls(const struct zero *z, struct in_rewrite *o)
{
    for (uint32_t type = 0; type < z->m->bound; type++) {
        if (z->null_of[type] == 0)
            continue;
        in_rewrite_put(o, 3u << 16 | SpvOpConstantNull, 0);
        in_rewrite_put(o, type, 0);
        in_rewrite_put(o, z->null_of[type], 0);
    }
}

static void rewrite_initializers(const struct zero *z, struct in_rewrite *o)
{
    bool in_functions = false;
    in_rewrite_copy(o, z->m, 0, 5);
    for (struct in_inst i = {0}; in_spirv_next(z->m, &i);) {
        if (i.opcode == SpvOpFunction && !in_functions) {
            in_functions = true;
            put_nulls(z, o);
        }
        uint32_t type = zeroed_type(z, &i);
        in_rewrite_copy(o, z->m, i.word, i.count);
        if (type != 0) {
            o->words[o->count - i.count] += 1u << 16;
            in_rewrite_put(o, z->null_of[type], 1);
        }
    }
}

enum mm_class in_zero_private(struct in_module *module, struct mm_error *err)
{
    if (!module->decoding.options->zero_private)
        return MM_OK;
    size_t ids = module->bound + 1;
    struct zero z = {.m = module,
                     .nullable = mm_alloc_zero(ids, 1),
                     .pointee = mm_alloc_zero(ids, sizeof *z.pointee),
                     .null_of = mm_alloc_zero(ids, sizeof *z.null_of)};
    struct in_rewrite o = {0};
    bool ok = z.nullable && z.pointee && z.null_of;
    if (ok)
        choose_variables(&z);
    ok = ok && in_rewrite_begin(&o, module->word_count + 3 * z.nulls + z.variables);
    if (ok) {
        rewrite_initializers(&z, &o);
        in_rewrite_end(&o, module, module->bound + z.nulls);
    } else {
        in_rewrite_drop(&o);
    }
    mm_free(z.nullable);
    mm_free(z.pointee);
    mm_free(z.null_of);
    return ok ? MM_OK : mm_out_of_memory(err);
}
