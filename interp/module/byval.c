/* Parameters passed by value.  FuncParamAttr ByVal gives a function a pointer to the caller's object;
 * changes that the function makes through it are not visible to the caller.  A function that might make
 * such changes gets a private variable, copied from the parameter on entry.  Kernels are not changed: their
 * launch makes the copy. [SPIRV 3.18] */
#include "rewrite.h"
#include <string.h>

enum { BYVAL = 1, ENTRY = 2, DERIVED = 4 };

struct byval {
    struct in_module *m;
    uint8_t *marks;    /* per id */
    uint32_t *copy_of; /* per id: the variable that replaces it, 0: none */
    uint32_t copies;
};

static bool is_marked(const struct byval *b, uint32_t id, uint8_t mark)
{
    return id < b->m->bound && (b->marks[id] & mark) != 0;
}

static void mark_id(const struct byval *b, uint32_t id, uint8_t value)
{
    if (id < b->m->bound)
        b->marks[id] |= value;
}

static bool mark_declarations(const struct byval *b)
{
    bool any = false;
    for (struct in_inst i = {0}; in_spirv_next(b->m, &i);) {
        if (i.opcode == SpvOpEntryPoint && i.operand_count > 1)
            mark_id(b, i.operands[1], ENTRY);
        if (i.opcode == SpvOpDecorate && i.operand_count > 2 && i.operands[1] == SpvDecorationFuncParamAttr &&
            i.operands[2] == SpvFunctionParameterAttributeByVal) {
            mark_id(b, i.operands[0], BYVAL);
            any = true;
        }
        for (uint32_t k = 1; i.opcode == SpvOpGroupDecorate && k < i.operand_count; k++)
            if (is_marked(b, i.operands[0], BYVAL))
                mark_id(b, i.operands[k], BYVAL);
    }
    return any;
}

/* Whether an instruction only reads through the pointers marked DERIVED, or derives another one. */
static bool only_reads(const struct byval *b, const struct in_inst *i)
{
    switch (i->opcode) {
    case SpvOpLoad:
    case SpvOpLifetimeStart:
    case SpvOpLifetimeStop:
        return true;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        return !is_marked(b, i->operands[0], DERIVED);
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
    case SpvOpBitcast:
    case SpvOpCopyObject:
        mark_id(b, i->result, DERIVED);
        return true;
    default:
        return false;
    }
}

static bool uses_derived(const struct byval *b, const struct in_inst *i)
{
    for (uint32_t k = 0; k < i->operand_count; k++)
        if (b->m->is_id[i->operands + k - b->m->words] && is_marked(b, i->operands[k], DERIVED))
            return true;
    return false;
}

/* Whether the function from word AT on may change the object of its parameter PARAM, or pass it on. */
static bool may_change(const struct byval *b, uint32_t at, uint32_t param)
{
    for (uint32_t k = 0; k < b->m->bound; k++)
        b->marks[k] &= (uint8_t)~DERIVED;
    mark_id(b, param, DERIVED);
    for (struct in_inst i = {.word = at}; in_spirv_next(b->m, &i) && i.opcode != SpvOpFunctionEnd;) {
        if (uses_derived(b, &i) && !only_reads(b, &i))
            return true;
    }
    return false;
}

static void choose_parameters(struct byval *b)
{
    bool entry = false;
    uint32_t bound = b->m->bound;
    for (struct in_inst i = {0}; in_spirv_next(b->m, &i);) {
        if (i.opcode == SpvOpFunction)
            entry = is_marked(b, i.result, ENTRY);
        if (i.opcode == SpvOpFunctionParameter && !entry && is_marked(b, i.result, BYVAL) &&
            may_change(b, i.word + i.count, i.result))
            b->copy_of[i.result] = bound + b->copies++;
    }
}

/* The variables after the function's first label, or the copies after the last of its variables. */
static void put_copies(const struct byval *b, struct in_rewrite *o, const uint32_t *params, uint32_t count,
                       bool variables)
{
    for (uint32_t k = 0; k < count; k += 2) {
        const uint32_t type = params[k], param = params[k + 1];
        in_rewrite_put(o, variables ? 4u << 16 | SpvOpVariable : 3u << 16 | SpvOpCopyMemory, 0);
        if (variables)
            in_rewrite_put(o, type, 0);
        in_rewrite_put(o, b->copy_of[param], !variables);
        in_rewrite_put(o, variables ? SpvStorageClassFunction : param, !variables);
    }
}

static void copy_inst(const struct byval *b, struct in_rewrite *o, const struct in_inst *i, bool inside)
{
    for (uint32_t k = 0; k < i->count; k++) {
        const uint32_t word = i->w[k];
        const uint8_t is_id = b->m->is_id[i->word + k];
        const bool replaced = inside && is_id && word < b->m->bound && b->copy_of[word] != 0;
        in_rewrite_put(o, replaced ? b->copy_of[word] : word, is_id);
    }
}

static void rewrite_parameters(const struct byval *b, struct in_rewrite *o, uint32_t *params)
{
    enum { OUTSIDE, HEAD, VARIABLES, BODY } place = OUTSIDE;
    uint32_t count = 0; /* in PARAMS: type and id of each that is copied */
    in_rewrite_copy(o, b->m, 0, 5);
    for (struct in_inst i = {0}; in_spirv_next(b->m, &i);) {
        if (i.opcode == SpvOpFunction) {
            place = HEAD;
            count = 0;
        } else if (i.opcode == SpvOpFunctionParameter && i.result < b->m->bound &&
                   b->copy_of[i.result] != 0) {
            params[count++] = i.type;
            params[count++] = i.result;
        }
        if (place == VARIABLES && i.opcode != SpvOpVariable && i.opcode != SpvOpLine &&
            i.opcode != SpvOpNoLine) {
            place = BODY;
            put_copies(b, o, params, count, false);
        }
        copy_inst(b, o, &i, place == BODY);
        if (place == HEAD && i.opcode == SpvOpLabel) {
            place = VARIABLES;
            put_copies(b, o, params, count, true);
        }
        if (i.opcode == SpvOpFunctionEnd)
            place = OUTSIDE;
    }
}

static enum mm_class replace_parameters(const struct byval *b, struct mm_error *err)
{
    struct in_rewrite o;
    uint32_t *params = mm_alloc((2 * b->copies + 1) * sizeof *params);
    if (!in_rewrite_begin(&o, b->m->word_count + 7 * b->copies) || !params) {
        in_rewrite_drop(&o);
        mm_free(params);
        return mm_out_of_memory(err);
    }
    rewrite_parameters(b, &o, params);
    mm_free(params);
    in_rewrite_end(&o, b->m, b->m->bound + b->copies);
    return MM_OK;
}

enum mm_class in_copy_byval(struct in_module *module, struct mm_error *err)
{
    struct byval b = {module, mm_alloc_zero(module->bound + 1, 1),
                      mm_alloc_zero(module->bound + 1, sizeof *b.copy_of), 0};
    enum mm_class result = MM_OK;
    if (!b.marks || !b.copy_of)
        result = mm_out_of_memory(err);
    else if (mark_declarations(&b)) {
        choose_parameters(&b);
        if (b.copies > 0)
            result = replace_parameters(&b, err);
    }
    mm_free(b.marks);
    mm_free(b.copy_of);
    return result;
}
