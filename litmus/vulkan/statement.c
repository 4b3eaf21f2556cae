/* The instructions of a thread: accesses, barriers, arithmetic, control flow. */
#include "litmus/vulkan/vulkan.h"

enum {
    SEM_ACQUIRE = 0x2,
    SEM_RELEASE = 0x4,
    SEM_ACQUIRE_RELEASE = 0x8,
    SEM_MAKE_AVAILABLE = 0x2000,
    SEM_MAKE_VISIBLE = 0x4000
};

/* ---- expressions ------------------------------------------------------------------------------------- */

static uint32_t value_of(struct lt_vk_module *m, uint32_t thread, uint32_t expr);

static const char *comparison_opcode(enum ck_expr_op op)
{
    switch (op) {
    case CK_EQ:
        return "OpIEqual";
    case CK_NE:
        return "OpINotEqual";
    case CK_ULT:
        return "OpULessThan";
    case CK_ULE:
        return "OpULessThanEqual";
    case CK_SLT:
        return "OpSLessThan";
    case CK_SLE:
        return "OpSLessThanEqual";
    default:
        return NULL;
    }
}

static const char *binary_opcode(enum ck_expr_op op)
{
    static const char *const names[] = {[CK_ADD] = "OpIAdd",
                                        [CK_SUB] = "OpISub",
                                        [CK_MUL] = "OpIMul",
                                        [CK_UDIV] = "OpUDiv",
                                        [CK_SDIV] = "OpSDiv",
                                        [CK_UREM] = "OpUMod",
                                        [CK_SREM] = "OpSRem",
                                        [CK_AND] = "OpBitwiseAnd",
                                        [CK_OR] = "OpBitwiseOr",
                                        [CK_XOR] = "OpBitwiseXor",
                                        [CK_SHL] = "OpShiftLeftLogical",
                                        [CK_LSHR] = "OpShiftRightLogical",
                                        [CK_ASHR] = "OpShiftRightArithmetic"};
    return (size_t)op < sizeof names / sizeof *names ? names[op] : NULL;
}

/* A boolean: whether EXPR is not 0. */
static uint32_t truth_of(struct lt_vk_module *m, uint32_t thread, uint32_t expr)
{
    const struct ck_expr *e = &m->program->exprs[expr];
    if (comparison_opcode(e->op)) {
        uint32_t a = value_of(m, thread, e->a), b = value_of(m, thread, e->b);
        return lt_vk_op(m, "%s %%bool %%%u %%%u", comparison_opcode(e->op), a, b);
    }
    if (e->op == CK_LNOT)
        return lt_vk_op(m, "OpLogicalNot %%bool %%%u", truth_of(m, thread, e->a));
    uint32_t value = value_of(m, thread, expr);
    return lt_vk_compare(m, "OpINotEqual", value, lt_vk_constant(m, 0, e->size));
}

static uint32_t unary_value(struct lt_vk_module *m, uint32_t thread, const struct ck_expr *e)
{
    const char *type = lt_vk_type(e->size);
    uint32_t a = value_of(m, thread, e->a);
    uint8_t from = m->program->exprs[e->a].size;
    switch (e->op) {
    case CK_NOT:
        return lt_vk_op(m, "OpNot %%%s %%%u", type, a);
    case CK_NEG:
        return lt_vk_op(m, "OpSNegate %%%s %%%u", type, a);
    case CK_ZEXT:
    case CK_TRUNC:
        return from == e->size ? a : lt_vk_op(m, "OpUConvert %%%s %%%u", type, a);
    case CK_SEXT:
        return from == e->size ? a : lt_vk_op(m, "OpSConvert %%%s %%%u", type, a);
    default:
        lt_vk_cannot(m, "arithmetic that Vulkan tests do not have");
        return a;
    }
}

static uint32_t value_of(struct lt_vk_module *m, uint32_t thread, uint32_t expr)
{
    const struct ck_expr *e = &m->program->exprs[expr];
    const char *type = lt_vk_type(e->size);
    if (e->size != 4 && e->size != 8)
        lt_vk_cannot(m, "values of one or two bytes");
    if (e->op == CK_CONST)
        return lt_vk_constant(m, e->imm, e->size);
    if (e->op == CK_REG)
        return lt_vk_op(m, "OpLoad %%%s %%%u", type, m->registers[thread][e->imm]);
    if (comparison_opcode(e->op) || e->op == CK_LNOT)
        return lt_vk_op(m, "OpSelect %%%s %%%u %%%u %%%u", type, truth_of(m, thread, expr),
                        lt_vk_constant(m, 1, e->size), lt_vk_constant(m, 0, e->size));
    if (binary_opcode(e->op)) {
        uint32_t a = value_of(m, thread, e->a), b = value_of(m, thread, e->b);
        return lt_vk_op(m, "%s %%%s %%%u %%%u", binary_opcode(e->op), type, a, b);
    }
    if (e->op == CK_SELECT) {
        uint32_t c = truth_of(m, thread, e->a), a = value_of(m, thread, e->b), b = value_of(m, thread, e->c);
        return lt_vk_op(m, "OpSelect %%%s %%%u %%%u %%%u", type, c, a, b);
    }
    return unary_value(m, thread, e);
}

/* ---- memory ------------------------------------------------------------------------------------------ */

static uint32_t scope_of(struct lt_vk_module *m, uint8_t scope)
{
    switch (scope) {
    case MM_SCOPE_SUB_GROUP:
        return lt_vk_uint(m, 3);
    case MM_SCOPE_WORK_GROUP:
        return lt_vk_uint(m, 2);
    case MM_SCOPE_QUEUE_FAMILY:
        return lt_vk_uint(m, 5);
    default:
        return lt_vk_uint(m, 1);
    }
}

/* Memory semantics: the order, the storage classes that it covers, availability and visibility.  Relaxed
 * operations have none [SPIR-V 3.25]. */
static uint32_t semantics_of(struct lt_vk_module *m, uint8_t order, uint16_t semantics)
{
    static const uint32_t classes[] = {0x40 /* UniformMemory */, 0x100 /* WorkgroupMemory */,
                                       0x800 /* ImageMemory */, 0x1000 /* OutputMemory */};
    uint32_t mask = order == MM_ACQUIRE   ? SEM_ACQUIRE
                    : order == MM_RELEASE ? SEM_RELEASE
                    : order == MM_ACQ_REL ? SEM_ACQUIRE_RELEASE
                                          : 0;
    if (!mask)
        return lt_vk_uint(m, 0);
    for (unsigned c = 0; c < 4; c++)
        if (semantics & 1u << c)
            mask |= classes[c];
    if (semantics & CK_SEM_AVAILABLE && order != MM_ACQUIRE)
        mask |= SEM_MAKE_AVAILABLE;
    if (semantics & CK_SEM_VISIBLE && order != MM_RELEASE)
        mask |= SEM_MAKE_VISIBLE;
    return lt_vk_uint(m, mask);
}

static uint32_t accessed_object(const struct lt_vk_module *m, const struct ck_instr *access)
{
    uint32_t element;
    return lt_vk_accessed(m->program, access, &element);
}

/* Memory operands of an access that is not atomic; MAKES: it makes memory available or visible, as OPERATION
 * says. */
static const char *operands_of(struct lt_vk_module *m, const struct ck_instr *i, bool makes,
                               const char *operation, char text[96])
{
    bool non_private = i->attributes & (MM_NON_PRIVATE | MM_MAKE_AVAILABLE | MM_MAKE_VISIBLE);
    uint32_t object = accessed_object(m, i);
    const char *mask = makes ? operation : non_private ? "NonPrivatePointer" : "";
    return lt_vk_operands(m, object, mask, makes ? scope_of(m, i->scope) : 0, text);
}

/* Texel operands, as operands_of() for other memory. */
static const char *texel_operands(struct lt_vk_module *m, const struct ck_instr *i, bool makes,
                                  const char *operation, char text[96])
{
    bool non_private = i->attributes & (MM_NON_PRIVATE | MM_MAKE_AVAILABLE | MM_MAKE_VISIBLE);
    if (makes)
        snprintf(text, 96, " %s|NonPrivateTexel %%%u", operation, scope_of(m, i->scope));
    else
        snprintf(text, 96, "%s", non_private ? " NonPrivateTexel" : "");
    return text;
}

static uint32_t load_image(struct lt_vk_module *m, const struct ck_instr *i)
{
    return lt_vk_op(m, "OpLoad %%image %%image_%u", accessed_object(m, i));
}

/* POINTER is that of pointer_of(): of an image the coordinate of the texel. */
static uint32_t atomic_pointer(struct lt_vk_module *m, const struct ck_instr *i, uint32_t pointer)
{
    if (!lt_vk_is_image(m, accessed_object(m, i)))
        return pointer;
    return lt_vk_op(m, "OpImageTexelPointer %%texel_ptr %%image_%u %%%u %%%u", accessed_object(m, i), pointer,
                    lt_vk_uint(m, 0));
}

static uint32_t read_texel(struct lt_vk_module *m, const struct ck_instr *i, uint32_t coordinate)
{
    char operands[96];
    uint32_t texel =
        lt_vk_op(m, "OpImageRead %%uint4 %%%u %%%u%s", load_image(m, i), coordinate,
                 texel_operands(m, i, i->attributes & MM_MAKE_VISIBLE, "MakeTexelVisible", operands));
    return lt_vk_op(m, "OpCompositeExtract %%uint %%%u 0", texel);
}

static void write_texel(struct lt_vk_module *m, const struct ck_instr *i, uint32_t coordinate, uint32_t value)
{
    char operands[96];
    uint32_t zero = lt_vk_uint(m, 0), image = load_image(m, i);
    uint32_t texel = lt_vk_op(m, "OpCompositeConstruct %%uint4 %%%u %%%u %%%u %%%u", value, zero, zero, zero);
    lt_vk_do(m, "OpImageWrite %%%u %%%u %%%u%s", image, coordinate, texel,
             texel_operands(m, i, i->attributes & MM_MAKE_AVAILABLE, "MakeTexelAvailable", operands));
}

static void emit_load(struct lt_vk_module *m, uint32_t thread, const struct ck_instr *i, uint32_t pointer)
{
    char operands[96];
    uint32_t value;
    if (i->attributes & MM_ATOMIC) {
        value = lt_vk_op(m, "OpAtomicLoad %%%s %%%u %%%u %%%u", lt_vk_type(i->size),
                         atomic_pointer(m, i, pointer), scope_of(m, i->scope),
                         semantics_of(m, i->order, i->semantics));
    } else if (lt_vk_is_image(m, accessed_object(m, i))) {
        value = read_texel(m, i, pointer);
    } else {
        value = lt_vk_op(m, "OpLoad %%%s %%%u%s", lt_vk_type(i->size), pointer,
                         operands_of(m, i, i->attributes & MM_MAKE_VISIBLE,
                                     "MakePointerVisible|NonPrivatePointer", operands));
    }
    lt_vk_do(m, "OpStore %%%u %%%u", m->registers[thread][i->reg], value);
}

static void emit_store(struct lt_vk_module *m, uint32_t thread, const struct ck_instr *i, uint32_t pointer)
{
    char operands[96];
    uint32_t value = value_of(m, thread, i->value);
    if (i->attributes & MM_ATOMIC) {
        lt_vk_do(m, "OpAtomicStore %%%u %%%u %%%u %%%u", atomic_pointer(m, i, pointer), scope_of(m, i->scope),
                 semantics_of(m, i->order, i->semantics), value);
        return;
    }
    if (lt_vk_is_image(m, accessed_object(m, i))) {
        write_texel(m, i, pointer, value);
        return;
    }
    lt_vk_do(m, "OpStore %%%u %%%u%s", pointer, value,
             operands_of(m, i, i->attributes & MM_MAKE_AVAILABLE, "MakePointerAvailable|NonPrivatePointer",
                         operands));
}

static void emit_rmw(struct lt_vk_module *m, uint32_t thread, const struct ck_instr *i, uint32_t pointer)
{
    static const char *const names[] = {
        [CK_RMW_XCHG] = "OpAtomicExchange", [CK_RMW_ADD] = "OpAtomicIAdd",  [CK_RMW_SUB] = "OpAtomicISub",
        [CK_RMW_AND] = "OpAtomicAnd",       [CK_RMW_OR] = "OpAtomicOr",     [CK_RMW_XOR] = "OpAtomicXor",
        [CK_RMW_SMIN] = "OpAtomicSMin",     [CK_RMW_SMAX] = "OpAtomicSMax", [CK_RMW_UMIN] = "OpAtomicUMin",
        [CK_RMW_UMAX] = "OpAtomicUMax"};
    uint32_t value = value_of(m, thread, i->value);
    pointer = atomic_pointer(m, i, pointer);
    uint32_t old = lt_vk_op(m, "%s %%%s %%%u %%%u %%%u %%%u", names[i->rmw], lt_vk_type(i->size), pointer,
                            scope_of(m, i->scope), semantics_of(m, i->order, i->semantics), value);
    if (i->reg != CK_NO_REG)
        lt_vk_do(m, "OpStore %%%u %%%u", m->registers[thread][i->reg], old);
}

static void emit_cas(struct lt_vk_module *m, uint32_t thread, const struct ck_instr *i, uint32_t pointer)
{
    uint32_t value = value_of(m, thread, i->value), expected = value_of(m, thread, i->expected);
    pointer = atomic_pointer(m, i, pointer);
    uint32_t old =
        lt_vk_op(m, "OpAtomicCompareExchange %%%s %%%u %%%u %%%u %%%u %%%u %%%u", lt_vk_type(i->size),
                 pointer, scope_of(m, i->scope), semantics_of(m, i->order, i->semantics),
                 semantics_of(m, i->order_fail, i->semantics), value, expected);
    lt_vk_do(m, "OpStore %%%u %%%u", m->registers[thread][i->reg], old);
    if (i->reg2 == CK_NO_REG)
        return;
    uint8_t size = m->program->threads[thread].reg_sizes[i->reg2];
    uint32_t same = lt_vk_compare(m, "OpIEqual", old, expected);
    lt_vk_do(m, "OpStore %%%u %%%u", m->registers[thread][i->reg2],
             lt_vk_op(m, "OpSelect %%%s %%%u %%%u %%%u", lt_vk_type(size), same, lt_vk_constant(m, 1, size),
                      lt_vk_constant(m, 0, size)));
}

void lt_vk_control_barrier(struct lt_vk_module *m, const struct ck_instr *i)
{
    uint8_t execution = i->scope == MM_SCOPE_SUB_GROUP ? MM_SCOPE_SUB_GROUP : MM_SCOPE_WORK_GROUP;
    lt_vk_do(m, "OpControlBarrier %%%u %%%u %%%u", scope_of(m, execution), scope_of(m, i->scope),
             semantics_of(m, i->order, i->semantics));
}

/* ---- instructions ------------------------------------------------------------------------------------ */

/* Pointers and texel coordinates of the accesses of a phase, computed before its first instruction. */
struct pointers {
    uint32_t count, objects[64], elements[64], ids[64];
};

static uint32_t pointer_of(struct lt_vk_module *m, struct pointers *pointers, const struct ck_instr *access)
{
    uint32_t element = 0, object = lt_vk_accessed(m->program, access, &element);
    for (uint32_t i = 0; i < pointers->count; i++)
        if (pointers->objects[i] == object && pointers->elements[i] == element)
            return pointers->ids[i];
    if (pointers->count == sizeof pointers->ids / sizeof *pointers->ids) {
        lt_vk_cannot(m, "more than 64 elements in a thread");
        return 0;
    }
    const struct ck_object *o = &m->program->objects[object];
    uint32_t offset = lt_vk_uint(m, element), id, base;
    if (lt_vk_is_local(m, object)) {
        base = lt_vk_binary(m, "OpIMul", m->slot, lt_vk_uint(m, lt_elements(o)));
        id = lt_vk_local_element(m, object, lt_vk_binary(m, "OpIAdd", base, offset));
    } else if (lt_vk_is_image(m, object)) {
        id = lt_vk_binary(m, "OpIAdd", lt_vk_place(m, object, m->instance), offset);
    } else {
        base = lt_vk_place(m, object, m->instance);
        id = lt_vk_object_element(m, object, lt_vk_binary(m, "OpIAdd", base, offset));
    }
    pointers->objects[pointers->count] = object;
    pointers->elements[pointers->count] = element;
    pointers->ids[pointers->count++] = id;
    return id;
}

static void emit_instr(struct lt_vk_module *m, uint32_t thread, const struct ck_instr *i,
                       struct pointers *pointers)
{
    switch (i->op) {
    case CK_ASSIGN:
        lt_vk_do(m, "OpStore %%%u %%%u", m->registers[thread][i->reg], value_of(m, thread, i->value));
        break;
    case CK_LOAD:
        emit_load(m, thread, i, pointer_of(m, pointers, i));
        break;
    case CK_STORE:
        emit_store(m, thread, i, pointer_of(m, pointers, i));
        break;
    case CK_RMW:
        emit_rmw(m, thread, i, pointer_of(m, pointers, i));
        break;
    case CK_CAS:
        emit_cas(m, thread, i, pointer_of(m, pointers, i));
        break;
    case CK_FENCE:
        lt_vk_do(m, "OpMemoryBarrier %%%u %%%u", scope_of(m, i->scope),
                 semantics_of(m, i->order, i->semantics));
        break;
    default:
        lt_vk_cannot(m, "an instruction that only the checker executes");
        break;
    }
}

/* ---- control flow ------------------------------------------------------------------------------------ */

/* Whether the jumps of the instructions FIRST to END - 1 stay within them, or go to END. */
static bool is_closed(const struct ck_thread *t, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        if (ck_instr_is_jump(&t->instrs[i]) && (t->instrs[i].target <= i || t->instrs[i].target > end))
            return false;
    return true;
}

/* Whether control can reach an instruction of FIRST to END - 1, other than FIRST, from outside. */
static bool is_entered(const struct ck_thread *t, uint32_t first, uint32_t end)
{
    for (uint32_t i = 0; i < t->instr_count; i++)
        if (ck_instr_is_jump(&t->instrs[i]) && (i < first || i >= end) && t->instrs[i].target > first &&
            t->instrs[i].target < end)
            return true;
    return false;
}

static bool is_leader(const struct ck_thread *t, uint32_t first, uint32_t end, uint32_t at)
{
    bool leads = at == first || ck_instr_is_jump(&t->instrs[at - 1]);
    for (uint32_t i = first; i < end; i++)
        leads |= ck_instr_is_jump(&t->instrs[i]) && t->instrs[i].target == at;
    return leads;
}

/* Stores the number of the next basic block: that of its first instruction. */
static void emit_next(struct lt_vk_module *m, uint32_t thread, const struct ck_instr *last, uint32_t follower)
{
    uint32_t next = lt_vk_uint(m, follower);
    if (last->op == CK_JUMP)
        next = lt_vk_uint(m, last->target);
    if (last->op == CK_BRANCH) {
        uint32_t condition = truth_of(m, thread, last->value);
        next = lt_vk_op(m, "OpSelect %%uint %%%u %%%u %%%u", condition, next, lt_vk_uint(m, last->target));
    }
    lt_vk_do(m, "OpStore %%%u %%%u", m->pc, next);
}

/* Any control flow: a loop around a switch over the basic blocks. */
static void emit_blocks(struct lt_vk_module *m, uint32_t thread, uint32_t first, uint32_t end,
                        struct pointers *pointers)
{
    const struct ck_thread *t = &m->program->threads[thread];
    uint32_t head = lt_vk_id(m), dispatch = lt_vk_id(m), block_end = lt_vk_id(m), next = lt_vk_id(m),
             exit = lt_vk_id(m), blocks = lt_vk_id(m);
    m->next_id += end - first; /* the block that starts at instruction i has the id blocks + i - first */
    lt_vk_do(m, "OpStore %%%u %%%u\nOpBranch %%%u", m->pc, lt_vk_uint(m, first), head);
    lt_vk_label(m, head);
    lt_vk_do(m, "OpLoopMerge %%%u %%%u None\nOpBranch %%%u", exit, next, dispatch);
    lt_vk_label(m, dispatch);
    uint32_t pc = lt_vk_op(m, "OpLoad %%uint %%%u", m->pc);
    fprintf(m->body, "OpSelectionMerge %%%u None\nOpSwitch %%%u %%%u", block_end, pc, block_end);
    for (uint32_t i = first; i < end; i++)
        if (is_leader(t, first, end, i))
            fprintf(m->body, " %u %%%u", i, blocks + i - first);
    fputc('\n', m->body);
    for (uint32_t i = first; i < end; i++) {
        if (is_leader(t, first, end, i))
            lt_vk_label(m, blocks + i - first);
        if (!ck_instr_is_jump(&t->instrs[i]))
            emit_instr(m, thread, &t->instrs[i], pointers);
        if (i + 1 < end && !is_leader(t, first, end, i + 1))
            continue;
        emit_next(m, thread, &t->instrs[i], i + 1);
        lt_vk_do(m, "OpBranch %%%u", block_end);
    }
    lt_vk_label(m, block_end);
    lt_vk_do(m, "OpBranch %%%u", next);
    lt_vk_label(m, next);
    uint32_t now = lt_vk_op(m, "OpLoad %%uint %%%u", m->pc);
    uint32_t more = lt_vk_compare(m, "OpINotEqual", now, lt_vk_uint(m, end));
    lt_vk_do(m, "OpBranchConditional %%%u %%%u %%%u", more, head, exit);
    lt_vk_label(m, exit);
    /* Drivers with a limit on iterations leave the loop here before the thread has ended. */
    uint32_t last = lt_vk_op(m, "OpLoad %%uint %%%u", m->pc),
             before = lt_vk_op(m, "OpLoad %%uint %%%u", m->cut);
    uint32_t early = lt_vk_compare(m, "OpINotEqual", last, lt_vk_uint(m, end));
    lt_vk_do(m, "OpStore %%%u %%%u", m->cut,
             lt_vk_op(m, "OpSelect %%uint %%%u %%%u %%%u", early, lt_vk_uint(m, 1), before));
}

/* Instructions whose jumps all skip forward over what follows them: selections. */
static void emit_range(struct lt_vk_module *m, uint32_t thread, uint32_t first, uint32_t end,
                       struct pointers *pointers)
{
    const struct ck_thread *t = &m->program->threads[thread];
    for (uint32_t i = first; i < end;) {
        const struct ck_instr *in = &t->instrs[i++];
        if (!ck_instr_is_jump(in)) {
            emit_instr(m, thread, in, pointers);
            continue;
        }
        uint32_t merge = lt_vk_if(m, truth_of(m, thread, in->value));
        emit_range(m, thread, i, in->target, pointers);
        lt_vk_end_if(m, merge);
        i = in->target;
    }
}

static bool selections_suffice(const struct ck_thread *t, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        if (!ck_instr_is_jump(&t->instrs[i]))
            continue;
        uint32_t target = t->instrs[i].target;
        if (t->instrs[i].op != CK_BRANCH || target <= i || target > end || is_entered(t, i + 1, target) ||
            !is_closed(t, i + 1, target))
            return false;
    }
    return true;
}

void lt_vk_statements(struct lt_vk_module *m, uint32_t thread, uint32_t first, uint32_t end)
{
    const struct ck_thread *t = &m->program->threads[thread];
    struct pointers pointers = {0};
    for (uint32_t i = first; i < end; i++) {
        const struct ck_instr *in = &t->instrs[i];
        if (ck_instr_is_access(in))
            pointer_of(m, &pointers, in);
    }
    if (selections_suffice(t, first, end))
        emit_range(m, thread, first, end, &pointers);
    else
        emit_blocks(m, thread, first, end, &pointers);
}
