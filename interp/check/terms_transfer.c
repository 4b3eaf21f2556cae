/* Transfer functions of instructions on symbolic values.  Before each instruction, its result gets the term
 * that the operation forms from the operands' terms.  A branch records a path condition.  An unsupported
 * operation concretizes its operands: predicted executions must have the same values there, and the result is
 * a constant.  Concretization excludes executions and never adds any. */
#include "interp/check/terms.h"
#include "interp/ext/convert.h"
#include <string.h>

enum how {
    NOTHING,
    BINARY, /* elements of a and b make elements of d */
    SHIFT,
    DIVIDE,
    UNARY, /* elements of a alone */
    MIXED, /* no term describes the operation */
    FLAG,  /* a boolean inverted */
    PRODUCT,
    BRANCH,
    SWITCH,
    MOVE,
    SELECT,
    SELECT_ELEMENTS,
    COMPONENT,
    SHUFFLE,
    VOTE,
    POINTER,
    POINTER_COMPARE,
    POINTER_DIFFERENCE,
    POINTER_EXTRACT,
    CLEAR,
    VARIABLE,
    ARGUMENT,
    LOAD,
    STORE,
    COPY,
    ATOMIC,
    FENCE,
    WAIT,
    CALL_C
};

/* clang-format off */

#define NUMBER(n, s, how, term, swap, to)                                                                    \
    [IN_##n##_##s] = {how, MM_TERM_##term, s / 8, to, swap, false},                                          \
    [IN_##n##_V##s] = {how, MM_TERM_##term, s / 8, to, swap, true}
#define INTEGER(n, how, term)                                                                                \
    NUMBER(n, 8, how, term, false, 1), NUMBER(n, 16, how, term, false, 2),                                   \
    NUMBER(n, 32, how, term, false, 4), NUMBER(n, 64, how, term, false, 8)
#define COMPARE(n, term, swap)                                                                               \
    NUMBER(n, 8, BINARY, term, swap, 1), NUMBER(n, 16, BINARY, term, swap, 1),                               \
    NUMBER(n, 32, BINARY, term, swap, 1), NUMBER(n, 64, BINARY, term, swap, 1),                              \
    [IN_B_##n##_32] = {BRANCH, MM_TERM_##term, 4, 1, swap, false},                                           \
    [IN_B_##n##_64] = {BRANCH, MM_TERM_##term, 8, 1, swap, false}
#define FLOATS(n, how)                                                                                       \
    NUMBER(n, 16, how, OPAQUE, false, 2), NUMBER(n, 32, how, OPAQUE, false, 4),                              \
    NUMBER(n, 64, how, OPAQUE, false, 8),
#define FLOAT_FLAG(n, how)                                                                                   \
    NUMBER(n, 16, how, OPAQUE, false, 1), NUMBER(n, 32, how, OPAQUE, false, 1),                              \
    NUMBER(n, 64, how, OPAQUE, false, 1),
#define CONVERT(n, how, term, a, b) [IN_##n] = {how, MM_TERM_##term, a, b, false, false}
#define BOOLEAN(n, how, term)       [IN_##n] = {how, MM_TERM_##term, 1, 1, false, true}
#define MOVES(n)                    PLAIN(MOV_##n, MOVE, 0, n), PLAIN(SEL_##n, SELECT, 0, n)
#define ACCESS(n, how, address)                                                                              \
    PLAIN(n##_1, how, address, 1), PLAIN(n##_2, how, address, 2), PLAIN(n##_4, how, address, 4),             \
    PLAIN(n##_8, how, address, 8), PLAIN(n##_16, how, address, 16), PLAIN(n##_N, how, address, 0),           \
    [IN_##n##_P] = {how, address, 8, 0, true, false}
#define PLAIN(n, how, what, size) [IN_##n] = {how, what, size, 0, false, false}

static const struct rule {
    uint8_t how, term, from, to; /* enum mm_term_op or in_terms_address; bytes of elements */
    bool swap, vector;
} rules[IN_OP_COUNT] = {
    INTEGER(ADD, BINARY, ADD), INTEGER(SUB, BINARY, SUB), INTEGER(MUL, BINARY, MUL),
    INTEGER(AND, BINARY, AND), INTEGER(OR, BINARY, OR), INTEGER(XOR, BINARY, XOR),
    INTEGER(SHL, SHIFT, SHL), INTEGER(LSHR, SHIFT, LSHR), INTEGER(ASHR, SHIFT, ASHR),
    INTEGER(UDIV, DIVIDE, UDIV), INTEGER(SDIV, DIVIDE, SDIV), INTEGER(UMOD, DIVIDE, UREM),
    INTEGER(SREM, DIVIDE, SREM), INTEGER(SMOD, MIXED, OPAQUE), INTEGER(NEG, UNARY, NEG),
    INTEGER(NOT, UNARY, NOT), INTEGER(BITREV, UNARY, OPAQUE), INTEGER(BITCNT, UNARY, OPAQUE),
    COMPARE(EQ, EQ, false), COMPARE(NE, NE, false), COMPARE(UGT, ULT, true), COMPARE(SGT, SLT, true),
    COMPARE(UGE, ULE, true), COMPARE(SGE, SLE, true), COMPARE(ULT, ULT, false), COMPARE(SLT, SLT, false),
    COMPARE(ULE, ULE, false), COMPARE(SLE, SLE, false),
#define IN_FLOAT_OP(n, e) FLOATS(n, MIXED)
    IN_FLOAT_BINARY(IN_FLOAT_OP)
#undef IN_FLOAT_OP
#define IN_FLOAT_OP(n, e) FLOATS(n, UNARY)
    IN_FLOAT_UNARY(IN_FLOAT_OP)
#undef IN_FLOAT_OP
#define IN_FLOAT_OP(n, e) FLOAT_FLAG(n, MIXED)
    IN_FLOAT_COMPARE(IN_FLOAT_OP)
#undef IN_FLOAT_OP
#define IN_FLOAT_OP(n, e) FLOAT_FLAG(n, UNARY)
    IN_FLOAT_TEST(IN_FLOAT_OP)
#undef IN_FLOAT_OP
    CONVERT(SX_32_64, UNARY, SEXT, 4, 8), CONVERT(ZX_32_64, UNARY, ZEXT, 4, 8),
    CONVERT(TR_64_32, UNARY, TRUNC, 8, 4), CONVERT(S32_F32, UNARY, OPAQUE, 4, 4),
    CONVERT(U32_F32, UNARY, OPAQUE, 4, 4), CONVERT(F32_F64, UNARY, OPAQUE, 4, 8),
    CONVERT(F64_F32, UNARY, OPAQUE, 8, 4), CONVERT(CVT, UNARY, OPAQUE, 0, 0),
    BOOLEAN(BNOT, FLAG, XOR), BOOLEAN(BAND, BINARY, AND), BOOLEAN(BOR, BINARY, OR),
    BOOLEAN(BEQ, BINARY, EQ), BOOLEAN(BNE, BINARY, NE), BOOLEAN(ANY, VOTE, OR), BOOLEAN(ALL, VOTE, AND),
    CONVERT(DOT_16, PRODUCT, OPAQUE, 2, 0), CONVERT(DOT_32, PRODUCT, OPAQUE, 4, 0),
    CONVERT(DOT_64, PRODUCT, OPAQUE, 8, 0), CONVERT(SCALE_16, PRODUCT, OPAQUE, 2, 1),
    CONVERT(SCALE_32, PRODUCT, OPAQUE, 4, 1), CONVERT(SCALE_64, PRODUCT, OPAQUE, 8, 1),
    MOVES(1), MOVES(2), MOVES(4), MOVES(8), MOVES(16), PLAIN(MOV_N, MOVE, 0, 0), PLAIN(SEL_N, SELECT, 0, 0),
    PLAIN(INSERT, MOVE, 0, 0), PLAIN(INSERTP, MOVE, 0, 8), PLAIN(SEL_V, SELECT_ELEMENTS, 0, 0),
    PLAIN(EXTRACTD, COMPONENT, 0, 1), PLAIN(INSERTD, COMPONENT, 0, 0), PLAIN(SHUFFLE, SHUFFLE, 0, 0),
    PLAIN(PTRX, POINTER, 0, 8), PLAIN(PTRXI, POINTER, 0, 4), PLAIN(PTRK, POINTER, 0, 0),
    CONVERT(PTREQ, POINTER_COMPARE, EQ, 8, 1), CONVERT(PTRNE, POINTER_COMPARE, NE, 8, 1),
    PLAIN(PTRDIFF, POINTER_DIFFERENCE, 0, 0), PLAIN(EXTRACTP, POINTER_EXTRACT, 0, 0),
    PLAIN(CALL, CLEAR, 0, 8), PLAIN(VARINIT, VARIABLE, 0, 0), PLAIN(BYVAL, ARGUMENT, 0, 0),
    PLAIN(BRC, BRANCH, MM_TERM_CONST, 1), PLAIN(SWITCH, SWITCH, 0, 0),
    ACCESS(LOAD, LOAD, IN_TERMS_PLAIN), ACCESS(LOADX, LOAD, IN_TERMS_INDEX),
    ACCESS(LOADXI, LOAD, IN_TERMS_NARROW), ACCESS(STORE, STORE, IN_TERMS_PLAIN),
    ACCESS(STOREX, STORE, IN_TERMS_INDEX), ACCESS(STOREXI, STORE, IN_TERMS_NARROW),
    PLAIN(COPYMEM, COPY, 0, 0), PLAIN(ATOMIC, ATOMIC, 0, 0), PLAIN(FENCE, FENCE, 0, 0),
    PLAIN(WAIT, WAIT, 0, 0), PLAIN(CALLC, CALL_C, 0, 0) /* other calls come there, too */};

/* clang-format on */

static uint32_t apply_rule(const struct in_terms_at *x, const struct rule *r, int32_t a, int32_t b)
{
    struct in_operand left = in_terms_operand(x, a, r->from), right = in_terms_operand(x, b, r->from);
    if (r->how == DIVIDE) {
        in_terms_keep_operand(x, right); /* it must not become 0 */
        right.term = 0;
        return right.value == 0 ? 0 : in_terms_two(x, (enum mm_term_op)r->term, r->to, left, right);
    }
    uint64_t mask = 8u * r->from - 1;
    if (r->how == SHIFT && right.term != 0)
        right.term = in_terms_two(x, MM_TERM_AND, r->from, right, in_terms_constant(mask));
    if (r->how == SHIFT)
        right.value &= mask;
    return r->swap ? in_terms_two(x, (enum mm_term_op)r->term, r->to, right, left)
                   : in_terms_two(x, (enum mm_term_op)r->term, r->to, left, right);
}

/* Conversions between integers [CLC 6.4.3]. */
static enum mm_term_op conversion_op(const struct in_insn *pc, uint32_t from, uint32_t to)
{
    for (enum in_type t = IN_S8; t <= IN_U64; t++)
        for (enum in_type f = IN_S8; f <= IN_U64; f++)
            if (in_type_size(f) == from && in_type_size(t) == to &&
                in_convert_find(f, t, IN_RTE, false) == pc->convert)
                return to < from ? MM_TERM_TRUNC : f < IN_U8 ? MM_TERM_SEXT : MM_TERM_ZEXT;
    return MM_TERM_OPAQUE;
}

static void look_elements(const struct in_terms_at *x, const struct rule *rule)
{
    const struct in_insn *pc = x->pc;
    struct rule r = *rule;
    bool convert = r.from == 0; /* CVT */
    if (convert) {
        r.from = (uint8_t)pc->b;
        r.to = (uint8_t)(pc->b >> 8);
        r.term = (uint8_t)conversion_op(pc, r.from, r.to);
    }
    int32_t count = r.vector || convert ? pc->c : 1;
    for (int32_t k = 0; k < count; k++) {
        int32_t a = pc->a + k * r.from, b = pc->b + k * r.from, d = pc->d + k * r.to;
        uint32_t term;
        if (r.how == UNARY)
            term = in_terms_one(x, (enum mm_term_op)r.term, r.to, in_terms_operand(x, a, r.from));
        else if (r.how == FLAG)
            term = in_terms_two(x, MM_TERM_XOR, 1, in_terms_operand(x, a, 1), in_terms_constant(1));
        else
            term = apply_rule(x, &r, a, b);
        in_terms_set(x, d, r.to, term);
    }
}

/* DOT and SCALE (to: 1), ANY and ALL. */
static void look_all(const struct in_terms_at *x, const struct rule *r)
{
    const struct in_insn *pc = x->pc;
    uint32_t bytes = r->from * (uint32_t)pc->c, term;
    if (r->how == VOTE) {
        struct in_operand all = in_terms_operand(x, pc->a, 1);
        for (int32_t k = 1; k < pc->c; k++) {
            struct in_operand one = in_terms_operand(x, pc->a + k, 1);
            all.term = in_terms_two(x, (enum mm_term_op)r->term, 1, all, one);
            all.value = r->term == MM_TERM_OR ? all.value | one.value : all.value & one.value;
        }
        in_terms_set(x, pc->d, 1, all.term);
        return;
    }
    term = in_terms_gather(x, pc->b, r->to == 1 ? r->from : bytes, in_terms_gather(x, pc->a, bytes, 0));
    for (int32_t k = 0; k < (r->to == 1 ? pc->c : 1); k++)
        in_terms_set(x, pc->d + k * r->from, r->from,
                     in_terms_one(x, MM_TERM_OPAQUE, r->from, (struct in_operand){term, 0}));
}

static void look_branch(const struct in_terms_at *x, const struct rule *r)
{
    const struct in_insn *pc = x->pc;
    if (r->term == MM_TERM_CONST) {
        struct in_operand o = in_terms_operand(x, pc->a, 1);
        in_terms_condition(x, o.term, o.value != 0);
        return;
    }
    uint32_t term = apply_rule(x, r, pc->a, pc->b);
    uint64_t a = in_terms_number(x, pc->a, r->from), b = in_terms_number(x, pc->b, r->from);
    unsigned unused = 64 - 8u * r->from;
    int64_t sa = (int64_t)(a << unused) >> unused, sb = (int64_t)(b << unused) >> unused;
    uint64_t ua = r->swap ? b : a, ub = r->swap ? a : b;
    int64_t left = r->swap ? sb : sa, right = r->swap ? sa : sb;
    bool is = r->term == MM_TERM_EQ    ? ua == ub
              : r->term == MM_TERM_NE  ? ua != ub
              : r->term == MM_TERM_ULT ? ua < ub
              : r->term == MM_TERM_ULE ? ua <= ub
              : r->term == MM_TERM_SLT ? left < right
                                       : left <= right;
    in_terms_condition(x, term, is);
}

/* The value equals the case, or differs from all cases. */
static void look_switch(const struct in_terms_at *x)
{
    const struct in_switch *table = x->pc->p;
    uint32_t size = (uint32_t)x->pc->b;
    struct in_operand o = in_terms_operand(x, x->pc->a, size);
    bool met = false;
    if (o.term == 0)
        return;
    for (uint32_t k = 0; k < table->count; k++)
        met |= table->cases[k].value == o.value;
    if (met) {
        in_terms_keep_operand(x, o);
        return;
    }
    for (uint32_t k = 0; k < table->count; k++)
        in_terms_condition(x, in_terms_two(x, MM_TERM_EQ, 1, o, in_terms_constant(table->cases[k].value)),
                           false);
}

static void look_select(const struct in_terms_at *x, const struct rule *r)
{
    const struct in_insn *pc = x->pc;
    uint64_t size = r->from != 0 ? r->from : pc->imm;
    struct in_operand which = in_terms_operand(x, pc->c, 1);
    if (which.term != 0 && in_terms_is_size(size)) {
        struct in_operand a = in_terms_operand(x, pc->a, (uint32_t)size),
                          b = in_terms_operand(x, pc->b, (uint32_t)size);
        in_terms_set(x, pc->d, size, in_terms_make(x, MM_TERM_SELECT, (uint32_t)size, which, a, b));
        return;
    }
    in_terms_keep_operand(x, which);
    in_terms_move(x, pc->d, which.value != 0 ? pc->a : pc->b, size);
}

static void look_select_elements(const struct in_terms_at *x)
{
    const struct in_insn *pc = x->pc;
    uint32_t size = (uint32_t)pc->imm;
    int32_t count = (int32_t)(pc->imm >> 32);
    in_terms_keep(x, pc->c, (uint64_t)count);
    for (int32_t k = 0; k < count; k++) {
        int32_t from = x->item->frame[pc->c + k] != 0 ? pc->a : pc->b, at = k * (int32_t)size;
        in_terms_move(x, pc->d + at, from + at, size);
    }
}

static void look_component(const struct in_terms_at *x, bool extract)
{
    const struct in_insn *pc = x->pc;
    uint64_t size = (uint32_t)pc->imm, wide = pc->imm >> 32;
    in_terms_keep(x, pc->b, wide);
    uint64_t index = in_terms_number(x, pc->b, wide);
    index = index < (uint64_t)pc->c ? index : extract ? 0 : UINT64_MAX;
    int32_t at = (int32_t)(index * size);
    if (index != UINT64_MAX)
        in_terms_move(x, pc->d + (extract ? 0 : at), pc->a + (extract ? at : 0), size);
}

static void look_shuffle(const struct in_terms_at *x)
{
    const int32_t *from = x->pc->p;
    uint32_t kept[128];
    uint32_t size = (uint32_t)x->pc->c;
    for (int32_t k = 0; k < from[0]; k++)
        for (uint32_t b = 0; b < size; b++)
            kept[(uint32_t)k * size + b] = in_terms_of(x, from[k + 1] + (int32_t)b);
    memcpy(x->t->of + x->pc->d, kept, (uint32_t)from[0] * size * sizeof *kept);
}

static void look_pointer(const struct in_terms_at *x, const struct rule *r)
{
    const struct in_insn *pc = x->pc;
    if (r->how == POINTER) {
        in_terms_keep(x, pc->a, 8);
        in_terms_keep(x, pc->b, r->from);
        in_terms_set(x, pc->d, sizeof(struct in_fat), 0);
    } else if (r->how == POINTER_COMPARE) {
        in_terms_set(x, pc->d, 1, apply_rule(x, r, pc->a, pc->b));
    } else if (r->how == POINTER_DIFFERENCE) {
        in_terms_keep(x, pc->a, 8);
        in_terms_keep(x, pc->b, 8);
        in_terms_set(x, pc->d, (uint64_t)pc->c, 0);
    } else {
        in_terms_move(x, pc->d, pc->a, 8);
        in_terms_set(x, pc->d + 8, 8, 0);
    }
}

static void look_memory(const struct in_terms_at *x, const struct rule *r)
{
    uint64_t size = r->from != 0 ? r->from : (uint32_t)x->pc->b;
    enum in_terms_address how = (enum in_terms_address)r->term;
    switch (r->how) {
    case LOAD:
        in_terms_load(x, how, size, r->swap);
        break;
    case STORE:
        in_terms_store(x, how, size);
        break;
    case COPY:
        in_terms_copy(x);
        break;
    case ATOMIC:
        in_terms_atomic(x);
        break;
    case FENCE:
        in_terms_keep(x, x->pc->a, 4);
        in_terms_keep(x, x->pc->b, 4);
        break;
    case WAIT:
        in_terms_wait(x);
        break;
    default:
        in_terms_call(x);
        break;
    }
}

void in_terms_look(struct in_run *run, struct in_item *item, const struct in_insn *pc, enum in_op op)
{
    const struct in_terms_at at = {run, item, pc, item->terms}, *x = &at;
    const struct rule *r = &rules[op];
    in_terms_next(x);
    switch ((enum how)r->how) {
    case NOTHING:
        break;
    case BINARY:
    case SHIFT:
    case DIVIDE:
    case UNARY:
    case MIXED:
    case FLAG:
        look_elements(x, r);
        break;
    case PRODUCT:
    case VOTE:
        look_all(x, r);
        break;
    case BRANCH:
        look_branch(x, r);
        break;
    case SWITCH:
        look_switch(x);
        break;
    case MOVE:
        in_terms_move(x, pc->d, pc->a, r->from != 0 ? r->from : pc->imm);
        break;
    case SELECT:
        look_select(x, r);
        break;
    case SELECT_ELEMENTS:
        look_select_elements(x);
        break;
    case COMPONENT:
        look_component(x, r->from == 1);
        break;
    case SHUFFLE:
        look_shuffle(x);
        break;
    case POINTER:
    case POINTER_COMPARE:
    case POINTER_DIFFERENCE:
    case POINTER_EXTRACT:
        look_pointer(x, r);
        break;
    case CLEAR:
        in_terms_set(x, pc->d, r->from, 0);
        break;
    case VARIABLE:
        in_terms_set(x, pc->a, run->code->privates[pc->c].size, 0);
        in_terms_set(x, pc->d, sizeof(struct in_fat), 0);
        break;
    case ARGUMENT:
        in_terms_set(x, pc->a, run->info->arguments[pc->c].size, 0);
        break;
    default:
        look_memory(x, r);
        break;
    }
}
