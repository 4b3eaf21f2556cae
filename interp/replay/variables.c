/* Whether the addresses of program-scope variables remain within a module's code.
 * docs/reexecution.md#addresses-of-program-scope-variables */
#include "interp/replay/variables.h"
#include "memmodel/base/memory.h"

/* What a value may be: MARK_ADDRESS, a pointer into a variable; MARK_HOLDER, a private variable that contains
 * one. */
enum { MARK_ADDRESS = 1, MARK_HOLDER = 2 };
struct flow {
    const struct in_module *m;
    uint8_t *marks; /* of each id */
    bool changed, escapes;
};

static void mark_value(struct flow *f, uint32_t id, uint8_t mark)
{
    f->changed |= f->marks[id] == 0;
    f->escapes |= f->marks[id] != 0 && f->marks[id] != mark;
    f->marks[id] = mark;
}

static bool is_pointer(const struct in_module *m, uint32_t id)
{
    const struct in_ty *ty = in_type_of(m, id);
    return ty && ty->kind == IN_TY_POINTER;
}

/* Whether ID is a variable of a function. */
static bool is_private_variable(const struct in_module *m, uint32_t id)
{
    struct in_inst i;
    if (m->ids[id].kind != IN_ID_VALUE)
        return false;
    in_inst_at(m, m->ids[id].word, &i);
    return i.opcode == SpvOpVariable;
}

/* Parameters are addresses where arguments are. */
static void mark_parameters(struct flow *f, const struct in_inst *i)
{
    const struct in_id *callee = &f->m->ids[i->operands[0]];
    const struct in_function *function =
        callee->kind == IN_ID_FUNCTION ? &f->m->functions[callee->index] : NULL;
    for (uint32_t k = 1; k < i->operand_count; k++) {
        if (f->marks[i->operands[k]] == 0)
            continue;
        if (f->marks[i->operands[k]] == MARK_ADDRESS && function && function->has_body &&
            k <= function->param_count)
            mark_value(f, function->params[k - 1], MARK_ADDRESS);
        else
            f->escapes = true;
    }
}

static void mark_store(struct flow *f, const struct in_inst *i)
{
    if (f->marks[i->operands[1]] == 0)
        return;
    if (f->marks[i->operands[1]] == MARK_ADDRESS && is_private_variable(f->m, i->operands[0]))
        mark_value(f, i->operands[0], MARK_HOLDER);
    else
        f->escapes = true;
}

static bool has_marked_operand(const struct flow *f, const struct in_inst *i, uint8_t mark)
{
    for (uint32_t k = 1; k < i->count; k++)
        if (f->m->is_id[i->word + k] == 1 && (f->marks[i->w[k]] & mark))
            return true;
    return false;
}

/* Whether the result of I leads to the variable that an operand leads to. */
static bool derives_pointer(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
    case SpvOpGenericCastToPtrExplicit:
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case SpvOpPhi:
    case SpvOpSelect:
    case SpvOpSpecConstantOp:
        return true;
    default:
        return false;
    }
}

/* Not executed. */
static bool is_annotation(uint32_t opcode)
{
    return opcode == SpvOpName || opcode == SpvOpEntryPoint || opcode == SpvOpDecorate ||
           opcode == SpvOpDecorateId || opcode == SpvOpGroupDecorate;
}

/* Whether the instruction does no more with pointers than to access memory through them. */
static bool only_accesses(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpLoad:
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
    case SpvOpGroupAsyncCopy:
    case SpvOpExtInst:
        return true;
    default:
        return in_is_atomic(opcode);
    }
}

/* The instruction I uses marked values. */
static void mark_use(struct flow *f, const struct in_inst *i)
{
    bool holds = has_marked_operand(f, i, MARK_HOLDER);
    if (i->opcode == SpvOpStore)
        mark_store(f, i);
    else if (i->opcode == SpvOpFunctionCall)
        mark_parameters(f, i);
    else if (i->opcode == SpvOpLoad && holds)
        mark_value(f, i->result, MARK_ADDRESS);
    else if (derives_pointer(i->opcode) && is_pointer(f->m, i->result) && !holds)
        mark_value(f, i->result, MARK_ADDRESS);
    else
        f->escapes |= !is_annotation(i->opcode) && (holds || !only_accesses(i->opcode));
}

static bool mark_variables(struct flow *f)
{
    bool any = false;
    for (uint32_t k = 0; k < f->m->global_count; k++)
        if (f->m->globals[k].storage == SpvStorageClassCrossWorkgroup) {
            f->marks[f->m->globals[k].id] = MARK_ADDRESS;
            any = true;
        }
    return any;
}

bool in_replay_variables_escape(const struct in_module *m)
{
    struct flow f = {.m = m, .marks = mm_alloc_zero(m->bound, 1)};
    f.escapes = !f.marks;
    f.changed = f.marks && mark_variables(&f);
    while (f.changed && !f.escapes) {
        f.changed = false;
        for (struct in_inst i = {0}; !f.escapes && in_spirv_next(m, &i);)
            if (has_marked_operand(&f, &i, MARK_ADDRESS | MARK_HOLDER))
                mark_use(&f, &i);
    }
    mm_free(f.marks);
    return f.escapes;
}
