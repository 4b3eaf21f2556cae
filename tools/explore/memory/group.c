/* Functions of work-groups and sub-groups: each work-item writes its operand to a mailbox, reaches a hidden
 * barrier, and reads the mailboxes that it needs.  Mailboxes are accessed by relaxed atomics and the barrier
 * has no fence flags, so no other access is ordered. [CL 3.3.6 W9, B9; SPIRV 3.42.21, 3.42.24] */
#include "interp/exec/reduction.h"
#include "tools/explore/memory/hidden.h"
#include "tools/explore/memory/memory.h"
#include "tools/explore/module/module.h"
#include "tools/explore/program/build.h"
#include "tools/explore/value/value.h"

#include <stdio.h>

struct group {
    uint32_t count, self; /* members, in the order of their local ids */
    bool sub_group;
};
struct mailbox { /* of all members, SLOTS words of 8 bytes for each */
    struct group group;
    const struct ex_value *own;
    uint32_t object, slots;
    /* how often this work-item has executed the instruction: the upper half of each word */
    uint32_t execution;
};
enum { WORD = 8, PIECE = 4 };

/* ---- mailboxes ---------------------------------------------------------------------------------- */

static struct group group_of(struct ex *ex, uint8_t scope)
{
    const struct ex_launch *l = &ex->config.launch;
    const struct ex_item *b = &ex->item;
    uint32_t items = l->local[0] * l->local[1] * l->local[2];
    uint32_t linear = b->sub_group * l->sub_group + b->sub_group_local_id;
    if (scope == MM_SCOPE_WORK_GROUP)
        return (struct group){.count = items, .self = linear};
    if (scope != MM_SCOPE_SUB_GROUP)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.21", "a group is a work-group or a sub-group");
    uint32_t rest = items - b->sub_group * l->sub_group;
    ex->uses_sub_groups = true;
    return (struct group){
        .count = rest < l->sub_group ? rest : l->sub_group, .self = b->sub_group_local_id, .sub_group = true};
}

void ex_emit_hidden_barrier(struct ex *ex, bool sub_group)
{
    struct ck_instr i = ex_instr(CK_BARRIER);
    i.site = ++ex->item.site;
    i.sub_group = sub_group;
    i.hidden = true;
    i.scope = sub_group ? MM_SCOPE_SUB_GROUP : MM_SCOPE_WORK_GROUP;
    i.order = MM_RELAXED;
    ex_emit(ex, i);
}

static struct ck_instr mailbox_access(const struct ex *ex, enum ck_op op, uint32_t address)
{
    struct ck_instr i = ex_instr(op);
    i.size = WORD;
    i.order = MM_RELAXED;
    i.scope = MM_SCOPE_WORK_GROUP;
    i.attributes = (uint8_t)(MM_ATOMIC | (ex->module.vulkan ? MM_NON_PRIVATE : 0));
    i.storage_class = ex_storage_class_mask(SpvStorageClassCrossWorkgroup);
    i.address = address;
    return i;
}

static uint32_t piece_count(struct ex *ex, uint32_t leaf)
{
    return ex_size(ex, leaf) > PIECE ? 2 : 1;
}

/* Writes the scalars of V to the work-item's mailbox, and emits the barrier. */
static struct mailbox write_mailbox(struct ex *ex, struct group group, const struct ex_value *v)
{
    struct mailbox m = {.group = group, .own = v};
    uint32_t at = 0, counter = ex_new_counter(ex);
    for (uint32_t i = 0; i < v->count; i++)
        m.slots += piece_count(ex, v->leaves[i]);
    m.object = ex_hidden_object(ex, &(struct ex_hidden){.site = ex->item.site + 1,
                                                        .work_group = ex->item.work_group,
                                                        .sub_group = group.sub_group ? ex->item.sub_group : 0,
                                                        .size = (uint64_t)group.count * m.slots * WORD,
                                                        .region = MM_GLOBAL});
    m.execution = ex_hold(ex, ex_binary(ex, CK_ADD, ex_reg_expr(ex, counter), ex_const(ex, 1, PIECE)));
    ex_assign(ex, counter, m.execution);
    uint32_t stamp =
        ex_binary(ex, CK_SHL, ex_resize(ex, m.execution, WORD, false), ex_const(ex, 8 * PIECE, WORD));
    for (uint32_t i = 0; i < v->count; i++)
        for (uint32_t k = 0; k < piece_count(ex, v->leaves[i]); k++, at++) {
            uint32_t wide = ex_resize(ex, v->leaves[i], WORD, false);
            uint32_t shifted = ex_binary(ex, CK_LSHR, wide, ex_const(ex, k * 8 * PIECE, WORD));
            uint32_t piece = ex_resize(ex, ex_resize(ex, shifted, PIECE, false), WORD, false);
            uint64_t place = CK_OBJECT_BASE(m.object) + ((uint64_t)group.self * m.slots + at) * WORD;
            struct ck_instr store = mailbox_access(ex, CK_STORE, ex_const(ex, place, WORD));
            store.value = ex_binary(ex, CK_OR, piece, stamp);
            ex_emit(ex, store);
        }
    ex_emit_hidden_barrier(ex, group.sub_group);
    return m;
}

static uint32_t read_piece(struct ex *ex, const struct mailbox *m, uint32_t member, uint32_t slot)
{
    uint32_t base = ex_const(ex, CK_OBJECT_BASE(m->object) + (uint64_t)slot * WORD, WORD);
    uint32_t distance = ex_binary(ex, CK_MUL, member, ex_const(ex, (uint64_t)m->slots * WORD, WORD));
    struct ck_instr load = mailbox_access(ex, CK_LOAD, ex_binary(ex, CK_ADD, base, distance));
    load.reg = ex_new_reg(ex, WORD);
    ex_emit(ex, load);
    uint32_t word = ex_reg_expr(ex, load.reg);
    uint32_t stamp = ex_resize(ex, ex_binary(ex, CK_LSHR, word, ex_const(ex, 8 * PIECE, WORD)), PIECE, false);
    ex_emit(ex, (struct ck_instr){.op = CK_ASSUME,
                                  .site = ex->item.site,
                                  .value = ex_binary(ex, CK_EQ, stamp, m->execution)});
    return ex_resize(ex, word, PIECE, false);
}

/* Scalar I in the mailbox of MEMBER, an expression of 8 bytes; undefined if there is no such member. */
static uint32_t read_mailbox(struct ex *ex, const struct mailbox *m, uint32_t member, uint32_t i)
{
    uint64_t known;
    uint32_t slot = 0, own = m->own->leaves[i], self = ex_const(ex, m->group.self, WORD);
    unsigned size = ex_size(ex, own);
    uint32_t inside = ex_binary(ex, CK_ULT, member, ex_const(ex, m->group.count, WORD));
    if (ex_is_const(ex, inside, &known) && !known)
        return ex_read_arbitrary(ex, ex_arbitrary_object(ex, "undefined", size), size);
    if (ex_is_const(ex, member, &known) && known == m->group.self)
        return own;
    for (uint32_t k = 0; k < i; k++)
        slot += piece_count(ex, m->own->leaves[k]);
    member = ex_hold(ex, ex_select(ex, inside, member, self));
    uint32_t value = ex_resize(ex, read_piece(ex, m, member, slot), size > PIECE ? WORD : size, false);
    if (size > PIECE) {
        uint32_t high = ex_resize(ex, read_piece(ex, m, member, slot + 1), WORD, false);
        high = ex_binary(ex, CK_SHL, high, ex_const(ex, 8 * PIECE, WORD));
        value = ex_binary(ex, CK_OR, value, high);
    }
    if (ex_is_const(ex, inside, &known))
        return ex_hold(ex, value);
    uint32_t none = ex_read_arbitrary(ex, ex_arbitrary_object(ex, "undefined", size), size);
    return ex_hold(ex, ex_select(ex, inside, value, none));
}

static uint32_t read_member(struct ex *ex, const struct mailbox *m, uint32_t member, uint32_t i)
{
    return read_mailbox(ex, m, ex_const(ex, member, WORD), i);
}

/* ---- reductions and scans ----------------------------------------------------------------------- */

struct combination {
    const struct in_reduction *how;
    const struct in_ty *type;
};

static uint64_t combined_value(const void *context, const uint64_t *arguments)
{
    const struct combination *c = context;
    return in_reduction_combine(c->how, arguments[0], arguments[1], c->type);
}

/* The function that combines two floats of type T for reduction R. */
static struct ck_function combination_function(struct ex *ex, const struct in_reduction *r,
                                               const struct in_ty *t)
{
    char *name = ex_alloc(ex, 48);
    struct combination *c = ex_alloc(ex, sizeof *c);
    *c = (struct combination){.how = r, .type = t};
    snprintf(name, 48, "reduction %u of %u bits", r->combine, t->width);
    return (struct ck_function){.name = name, .context = c, .value = combined_value};
}

uint32_t ex_combination(struct ex *ex, uint32_t opcode, const struct in_ty *t)
{
    const struct ck_function f = combination_function(ex, in_reduction_find(opcode), t);
    return ex_function(ex, &f);
}

static uint32_t combine_floats(struct ex *ex, const struct in_reduction *r, const struct in_ty *t, uint32_t a,
                               uint32_t b)
{
    const struct ck_function f = combination_function(ex, r, t);
    return ex_apply(ex, &f, ex_size(ex, a), 2, (const uint32_t[]){a, b});
}

static uint32_t combine_values(struct ex *ex, const struct in_reduction *r, const struct in_ty *t, uint32_t a,
                               uint32_t b)
{
    static const enum ck_expr_op ops[] = {[IN_COMBINE_ADD] = CK_ADD,
                                          [IN_COMBINE_MUL] = CK_MUL,
                                          [IN_COMBINE_AND] = CK_AND,
                                          [IN_COMBINE_OR] = CK_OR,
                                          [IN_COMBINE_XOR] = CK_XOR};
    bool least = r->combine == IN_COMBINE_MIN;
    if (r->sort == IN_SORT_FLOATING)
        return ex_hold(ex, combine_floats(ex, r, t, a, b));
    if (!least && r->combine != IN_COMBINE_MAX)
        return ex_hold(ex, ex_binary(ex, ops[r->combine], a, b));
    uint32_t less = ex_binary(ex, r->sort == IN_SORT_SIGNED ? CK_SLT : CK_ULT, a, b);
    return ex_hold(ex, ex_select(ex, less, least ? a : b, least ? b : a));
}

static void lower_reduction(struct ex *ex, const struct in_inst *inst, const struct in_reduction *r,
                            struct group group)
{
    const struct ex_value *v = ex_get(ex, inst->operands[2]);
    uint32_t operation = inst->operands[1], from = 0, to = group.count;
    struct ex_value out = ex_result(ex, inst);
    uint64_t cluster = group.count;
    if (operation == SpvGroupOperationClusteredReduce &&
        (inst->operand_count < 4 || !ex_is_const(ex, ex_scalar(ex, inst->operands[3]), &cluster) ||
         cluster == 0))
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.24", "the size of clusters must be a constant");
    if (v->count != out.count)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.21", "the result has another type than the operand");
    struct mailbox m = write_mailbox(ex, group, v);
    from = (uint32_t)(group.self / cluster * cluster);
    to = group.count - from < cluster ? group.count : from + (uint32_t)cluster;
    if (operation == SpvGroupOperationInclusiveScan)
        to = group.self + 1;
    if (operation == SpvGroupOperationExclusiveScan)
        to = group.self;
    for (uint32_t i = 0; i < out.count; i++) {
        const struct in_ty *t = out.scalars[i].type;
        uint32_t total = ex_const(ex, in_reduction_identity(r, t), out.scalars[i].size);
        for (uint32_t k = from; k < to; k++) {
            uint32_t value = read_member(ex, &m, k, i);
            total = k == from ? value : combine_values(ex, r, t, total, value);
        }
        out.leaves[i] = total;
    }
    ex_set(ex, inst->result, out);
}

/* ---- votes and ballots -------------------------------------------------------------------------- */

/* AND or OR of the operands of all members. */
static void lower_vote(struct ex *ex, const struct in_inst *inst, enum ck_expr_op op, struct group group,
                       uint32_t operand)
{
    struct mailbox m = write_mailbox(ex, group, ex_get(ex, operand));
    uint32_t all = read_member(ex, &m, 0, 0);
    for (uint32_t k = 1; k < group.count; k++)
        all = ex_hold(ex, ex_binary(ex, op, all, read_member(ex, &m, k, 0)));
    ex_set_scalar(ex, inst, all);
}

/* Elects the first member. */
static void lower_elect(struct ex *ex, const struct in_inst *inst, struct group group)
{
    ex_emit_hidden_barrier(ex, group.sub_group);
    ex_set_scalar(ex, inst, ex_const(ex, group.self == 0, 1));
}

static void all_equal(struct ex *ex, const struct in_inst *inst, struct group group, uint32_t operand)
{
    const struct ex_value *v = ex_get(ex, operand);
    struct mailbox m = write_mailbox(ex, group, v);
    uint32_t all = ex_const(ex, 1, 1);
    for (uint32_t i = 0; i < v->count; i++)
        for (uint32_t k = 0; k < group.count; k++) {
            uint32_t a = read_member(ex, &m, 0, i), b = read_member(ex, &m, k, i);
            bool is_float = v->scalars[i].type->kind == IN_TY_FLOAT;
            uint32_t same = is_float ? ex_float_equal(ex, a, b) : ex_binary(ex, CK_EQ, a, b);
            all = ex_hold(ex, ex_binary(ex, CK_AND, all, same));
        }
    ex_set_scalar(ex, inst, all);
}

static void lower_ballot(struct ex *ex, const struct in_inst *inst, struct group group, uint32_t operand)
{
    struct mailbox m = write_mailbox(ex, group, ex_get(ex, operand));
    struct ex_value out = ex_result(ex, inst);
    for (uint32_t i = 0; i < out.count; i++)
        out.leaves[i] = ex_const(ex, 0, 4);
    for (uint32_t k = 0; k < group.count && k / 32 < out.count; k++) {
        uint32_t bit = ex_resize(ex, read_member(ex, &m, k, 0), 4, false);
        bit = ex_binary(ex, CK_SHL, bit, ex_const(ex, k % 32, 4));
        out.leaves[k / 32] = ex_hold(ex, ex_binary(ex, CK_OR, out.leaves[k / 32], bit));
    }
    ex_set(ex, inst->result, out);
}

/* Bit N of the ballot V. */
static uint32_t ballot_bit(struct ex *ex, const struct ex_value *v, uint32_t n)
{
    if (n / 32 >= v->count)
        return ex_const(ex, 0, 4);
    uint32_t word = ex_binary(ex, CK_LSHR, v->leaves[n / 32], ex_const(ex, n % 32, 4));
    return ex_binary(ex, CK_AND, word, ex_const(ex, 1, 4));
}

/* The result of the current member.  Bits below the largest sub-group size count, also in a partial
 * sub-group. */
static void ballot_query(struct ex *ex, const struct in_inst *inst, struct group group)
{
    bool counts = inst->opcode == SpvOpGroupNonUniformBallotBitCount;
    const struct ex_value *v = ex_get(ex, inst->operands[counts ? 2 : 1]);
    uint32_t result = ex_const(ex, 0, 4), to = ex->config.launch.sub_group, zero = result;
    if (counts && inst->operands[1] != SpvGroupOperationReduce)
        to = group.self + (inst->operands[1] == SpvGroupOperationInclusiveScan);
    if (inst->opcode == SpvOpGroupNonUniformInverseBallot) {
        ex_set_scalar(ex, inst, ex_hold(ex, ex_binary(ex, CK_NE, ballot_bit(ex, v, group.self), zero)));
        return;
    }
    for (uint32_t n = 0; n < to; n++) {
        bool first = inst->opcode == SpvOpGroupNonUniformBallotFindLSB;
        uint32_t at = first ? to - 1 - n : n, bit = ballot_bit(ex, v, at), number = ex_const(ex, at, 4);
        if (counts) {
            result = ex_hold(ex, ex_binary(ex, CK_ADD, result, bit));
        } else if (inst->opcode == SpvOpGroupNonUniformBallotBitExtract) {
            uint32_t here =
                ex_binary(ex, CK_EQ, ex_resize(ex, ex_scalar(ex, inst->operands[2]), 4, false), number);
            result = ex_hold(ex, ex_select(ex, here, bit, result));
        } else {
            result = ex_hold(ex, ex_select(ex, bit, number, result));
        }
    }
    if (inst->opcode == SpvOpGroupNonUniformBallotBitExtract)
        result = ex_binary(ex, CK_NE, result, zero);
    ex_set_scalar(ex, inst,
                  ex_hold(ex, ex_resize(ex, result, ex_scalar_size(ex_type(ex, inst->type)), false)));
}

/* ---- exchanges ---------------------------------------------------------------------------------- */

static void set_from(struct ex *ex, const struct in_inst *inst, const struct mailbox *m, uint32_t member)
{
    struct ex_value out = ex_result(ex, inst);
    if (out.count != m->own->count)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.21", "the result has another type than the operand");
    for (uint32_t i = 0; i < out.count; i++)
        out.leaves[i] = read_mailbox(ex, m, member, i);
    ex_set(ex, inst->result, out);
}

/* The index among the members of the local ID, which has one to three components. */
static uint32_t linear_id(struct ex *ex, const struct ex_value *id)
{
    uint32_t linear = ex_const(ex, 0, WORD);
    for (uint32_t i = id->count; i-- > 0;) {
        uint64_t size = i < 3 ? ex->config.launch.local[i] : 1;
        linear = ex_binary(ex, CK_MUL, linear, ex_const(ex, size, WORD));
        linear = ex_binary(ex, CK_ADD, linear, ex_resize(ex, id->leaves[i], WORD, false));
    }
    return ex_hold(ex, linear);
}

static uint32_t partner_of(struct ex *ex, const struct in_inst *inst, struct group group)
{
    uint32_t self = ex_const(ex, group.self, WORD);
    uint32_t n =
        inst->operand_count > 2 ? ex_resize(ex, ex_scalar(ex, inst->operands[2]), WORD, false) : self;
    uint64_t cluster = group.count;
    switch (inst->opcode) {
    case SpvOpGroupNonUniformBroadcastFirst:
        return ex_const(ex, 0, WORD);
    case SpvOpGroupNonUniformShuffleXor:
        return ex_hold(ex, ex_binary(ex, CK_XOR, self, n));
    case SpvOpGroupNonUniformShuffleUp:
        return ex_hold(ex, ex_binary(ex, CK_SUB, self, n));
    case SpvOpGroupNonUniformShuffleDown:
        return ex_hold(ex, ex_binary(ex, CK_ADD, self, n));
    case SpvOpGroupNonUniformRotateKHR:
        if (inst->operand_count > 3 &&
            (!ex_is_const(ex, ex_scalar(ex, inst->operands[3]), &cluster) || cluster == 0))
            ex_fail(ex, MM_INVALID, "SPIRV 3.42.24", "the size of clusters must be a constant");
        n = ex_binary(ex, CK_ADD, ex_const(ex, group.self % cluster, WORD), n);
        n = ex_binary(ex, CK_UREM, n, ex_const(ex, cluster, WORD));
        return ex_hold(ex, ex_binary(ex, CK_ADD, ex_const(ex, group.self / cluster * cluster, WORD), n));
    default:
        return n;
    }
}

/* ---- instructions ------------------------------------------------------------------------------- */

static void lower_exchange(struct ex *ex, const struct in_inst *inst, struct group group)
{
    if (inst->operand_count < 2)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.24", "a group operation lacks operands");
    struct mailbox m = write_mailbox(ex, group, ex_get(ex, inst->operands[1]));
    set_from(ex, inst, &m,
             inst->opcode == SpvOpGroupBroadcast && !group.sub_group
                 ? linear_id(ex, ex_get(ex, inst->operands[inst->operand_count - 1]))
                 : partner_of(ex, inst, group));
}

static bool is_exchange(uint32_t opcode)
{
    return opcode == SpvOpGroupBroadcast || opcode == SpvOpGroupNonUniformBroadcast ||
           opcode == SpvOpGroupNonUniformBroadcastFirst ||
           (opcode >= SpvOpGroupNonUniformShuffle && opcode <= SpvOpGroupNonUniformShuffleDown) ||
           opcode == SpvOpGroupNonUniformRotateKHR;
}

static bool with_scope(struct ex *ex, const struct in_inst *inst)
{
    const struct in_reduction *r = in_reduction_find(inst->opcode);
    bool is_query = inst->opcode >= SpvOpGroupNonUniformInverseBallot &&
                    inst->opcode <= SpvOpGroupNonUniformBallotFindMSB;
    bool is_vote =
        inst->opcode == SpvOpGroupAll || inst->opcode == SpvOpGroupAny ||
        (inst->opcode >= SpvOpGroupNonUniformElect && inst->opcode <= SpvOpGroupNonUniformAllEqual) ||
        inst->opcode == SpvOpGroupNonUniformBallot;
    if (!r && !is_query && !is_vote && !is_exchange(inst->opcode))
        return false;
    if (inst->operand_count < (r ? 3U : inst->opcode == SpvOpGroupNonUniformElect ? 1U : 2U))
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.21", "a group operation lacks operands");
    struct group group = group_of(ex, ex_scope(ex, inst->operands[0]));
    if (inst->opcode >= SpvOpGroupNonUniformElect && !is_query && inst->opcode < SpvOpGroupIMulKHR)
        ex_require_convergence(ex);
    if (r)
        lower_reduction(ex, inst, r, group);
    else if (is_query)
        ballot_query(ex, inst, group);
    else if (is_exchange(inst->opcode))
        lower_exchange(ex, inst, group);
    else if (inst->opcode == SpvOpGroupNonUniformElect)
        lower_elect(ex, inst, group);
    else if (inst->opcode == SpvOpGroupNonUniformAllEqual)
        all_equal(ex, inst, group, inst->operands[1]);
    else if (inst->opcode == SpvOpGroupNonUniformBallot)
        lower_ballot(ex, inst, group, inst->operands[1]);
    else
        lower_vote(ex, inst,
                   inst->opcode == SpvOpGroupAll || inst->opcode == SpvOpGroupNonUniformAll ? CK_AND : CK_OR,
                   group, inst->operands[1]);
    return true;
}

bool ex_group(struct ex *ex, const struct in_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpSubgroupAllKHR:
    case SpvOpSubgroupAnyKHR:
        ex_require_convergence(ex);
        lower_vote(ex, inst, inst->opcode == SpvOpSubgroupAllKHR ? CK_AND : CK_OR,
                   group_of(ex, MM_SCOPE_SUB_GROUP), inst->operands[0]);
        return true;
    case SpvOpSubgroupAllEqualKHR:
        ex_require_convergence(ex);
        all_equal(ex, inst, group_of(ex, MM_SCOPE_SUB_GROUP), inst->operands[0]);
        return true;
    case SpvOpSubgroupBallotKHR:
        ex_require_convergence(ex);
        lower_ballot(ex, inst, group_of(ex, MM_SCOPE_SUB_GROUP), inst->operands[0]);
        return true;
    default:
        return with_scope(ex, inst);
    }
}
