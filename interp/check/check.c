/* Undefined behavior other than out-of-bounds accesses: uninitialized values that reach a branch, variables
 * used after their function returned; and the dispatch from instructions to checks.  Memory: check_memory.c.
 * Arithmetic: check_value.c. [SPIRV 3.49] [CLC 6.3.1] */
#include "interp/check/check_internal.h"
#include "interp/check/terms.h"

uint8_t *in_shadow(const struct in_item *item, uint64_t address, uint64_t size)
{
    const struct in_run *run = item->group->run;
    uint64_t offset = address - (uint64_t)(uintptr_t)item->frame;
    if (!item->shadow)
        return NULL;
    if (offset < run->code->frame.size && run->code->frame.size - offset >= size)
        return item->shadow + offset;
    offset = address - (uint64_t)(uintptr_t)item->group->local;
    if (offset < item->group->local_size && item->group->local_size - offset >= size)
        return item->group->local_shadow + offset;
    return NULL;
}

void in_shadow_begin(struct in_run *run, struct in_item *item)
{
    const struct in_code *code = run->code;
    uint8_t *s = item->shadow;
    memset(s, 1, code->frame.size);
    for (uint32_t k = 0; k < run->info->argument_count; k++) {
        const struct in_argument_info *info = &run->info->arguments[k];
        bool pointer =
            info->kind == IN_ARG_GLOBAL || info->kind == IN_ARG_CONSTANT || info->kind == IN_ARG_LOCAL;
        if (code->frame.arguments[k] != 0)
            memset(s + code->frame.arguments[k], 0,
                   info->kind == IN_ARG_VALUE ? info->size
                   : pointer                  ? sizeof(struct in_fat)
                                              : 8);
    }
    for (uint32_t k = 0; k < code->constants.undefined_count; k++)
        memset(s + code->constants.undefined[k].slot, 1, code->constants.undefined[k].size);
}

static void check_select(const struct at *x, uint64_t size)
{
    bool undefined = any_byte(x->s + x->pc->c, 1);
    int32_t from = x->item->frame[x->pc->c] ? x->pc->a : x->pc->b;
    memmove(x->s + x->pc->d, x->s + from, size);
    if (undefined)
        memset(x->s + x->pc->d, 1, size);
}

static void check_select_vector(const struct at *x)
{
    uint32_t size = (uint32_t)x->pc->imm;
    for (uint32_t k = 0; k < x->pc->imm >> 32; k++) {
        int32_t from = x->item->frame[x->pc->c + (int32_t)k] ? x->pc->a : x->pc->b;
        memmove(x->s + x->pc->d + k * size, x->s + from + k * size, size);
        if (x->s[x->pc->c + (int32_t)k])
            memset(x->s + x->pc->d + k * size, 1, size);
    }
}

static void check_shuffle(const struct at *x)
{
    const int32_t *from = x->pc->p;
    uint8_t result[128];
    for (int32_t k = 0; k < from[0]; k++)
        memcpy(result + k * x->pc->c, x->s + from[k + 1], (size_t)x->pc->c);
    memcpy(x->s + x->pc->d, result, (size_t)(from[0] * x->pc->c));
}

/* A component by index: EXTRACT reads one of a, else one of d is written. */
static void check_component(const struct at *x, bool extract)
{
    uint64_t index = 0, size = (uint32_t)x->pc->imm;
    bool undefined = any_byte(x->s + x->pc->b, x->pc->imm >> 32);
    memcpy(&index, x->item->frame + x->pc->b, x->pc->imm >> 32);
    if (index >= (uint64_t)x->pc->c)
        return;
    uint8_t *to = x->s + x->pc->d + (extract ? 0 : index * size);
    memmove(to, x->s + x->pc->a + (extract ? index * size : 0), size);
    if (undefined)
        memset(to, 1, size);
}

/* Ends the lifetime of the returning function's variables, which RET names in a .. b. */
static void end_of_function(const struct at *x)
{
    for (int32_t k = x->pc->a; k < x->pc->b; k++) {
        const struct in_private *v = &x->run->code->privates[k];
        struct in_object *o = (struct in_object *)(void *)(x->item->frame + v->header);
        o->size = 0;
    }
}

static void check_pair(const struct at *x, uint64_t size)
{
    bool undefined = any_byte(x->s + x->pc->a, size) || any_byte(x->s + x->pc->b, size);
    memset(x->s + x->pc->d, undefined, size);
}

#define FLOATS(n, BODY)                                                                                      \
    case IN_##n##_16:                                                                                        \
        BODY(2, 1) break;                                                                                    \
    case IN_##n##_32:                                                                                        \
        BODY(4, 1) break;                                                                                    \
    case IN_##n##_64:                                                                                        \
        BODY(8, 1) break;                                                                                    \
    case IN_##n##_V16:                                                                                       \
        BODY(2, pc->c) break;                                                                                \
    case IN_##n##_V32:                                                                                       \
        BODY(4, pc->c) break;                                                                                \
    case IN_##n##_V64:                                                                                       \
        BODY(8, pc->c) break;
#define CASES(n, BODY)                                                                                       \
    FLOATS(n, BODY)                                                                                          \
    case IN_##n##_8:                                                                                         \
        BODY(1, 1) break;                                                                                    \
    case IN_##n##_V8:                                                                                        \
        BODY(1, pc->c) break;
#define TWO(size, count)      in_check_elements(x, size, size, count, true);
#define ONE(size, count)      in_check_elements(x, size, size, count, false);
#define TWO_FLAG(size, count) in_check_elements(x, size, 1, count, true);
#define ONE_FLAG(size, count) in_check_elements(x, size, 1, count, false);
#define SHIFT(size, count)    in_check_elements(x, size, size, count, true), in_check_shift(x, size, count);
#define SUM(size, count)                                                                                     \
    in_check_wrap(x, size, count, ADDITION), in_check_elements(x, size, size, count, true);
#define DIFFERENCE(size, count)                                                                              \
    in_check_wrap(x, size, count, SUBTRACTION), in_check_elements(x, size, size, count, true);
#define PRODUCT(size, count)                                                                                 \
    in_check_wrap(x, size, count, MULTIPLICATION), in_check_elements(x, size, size, count, true);
#define NEGATIVE(size, count)                                                                                \
    in_check_wrap(x, size, count, NEGATION), in_check_elements(x, size, size, count, false);
#define AND_BITS(size, count) in_check_bits(x, size, count, 0);
#define OR_BITS(size, count)  in_check_bits(x, size, count, 0xff);

#define SIZES(n, BODY)                                                                                       \
    case IN_##n##_1:                                                                                         \
        BODY(1) break;                                                                                       \
    case IN_##n##_2:                                                                                         \
        BODY(2) break;                                                                                       \
    case IN_##n##_4:                                                                                         \
        BODY(4) break;                                                                                       \
    case IN_##n##_8:                                                                                         \
        BODY(8) break;                                                                                       \
    case IN_##n##_16:                                                                                        \
        BODY(16) break;
#define MOVE(size)   memmove(x->s + pc->d, x->s + pc->a, size);
#define SELECT(size) check_select(x, size);

/* Arithmetic and comparisons; false: another class. */
static bool check_numbers(const struct at *x, enum in_op op)
{
    const struct in_insn *pc = x->pc;
    switch (op) {
        CASES(ADD, SUM)
        CASES(SUB, DIFFERENCE)
        CASES(MUL, PRODUCT)
        CASES(AND, AND_BITS)
        CASES(OR, OR_BITS)
        CASES(XOR, TWO)
        CASES(SHL, SHIFT)
        CASES(LSHR, SHIFT)
        CASES(ASHR, SHIFT)
        CASES(NEG, NEGATIVE)
        CASES(NOT, ONE)
        CASES(BITREV, ONE)
        CASES(BITCNT, ONE)
#define IN_INT_OP(n, s, e) CASES(n, TWO)
        IN_INT_DIVIDE(IN_INT_OP)
#undef IN_INT_OP
#define IN_INT_OP(n, s, e) CASES(n, TWO_FLAG)
        IN_INT_COMPARE(IN_INT_OP)
#undef IN_INT_OP
#define IN_FLOAT_OP(n, e) FLOATS(n, TWO)
        IN_FLOAT_BINARY(IN_FLOAT_OP)
#undef IN_FLOAT_OP
#define IN_FLOAT_OP(n, e) FLOATS(n, ONE)
        IN_FLOAT_UNARY(IN_FLOAT_OP)
#undef IN_FLOAT_OP
#define IN_FLOAT_OP(n, e) FLOATS(n, TWO_FLAG)
        IN_FLOAT_COMPARE(IN_FLOAT_OP)
#undef IN_FLOAT_OP
#define IN_FLOAT_OP(n, e) FLOATS(n, ONE_FLAG)
        IN_FLOAT_TEST(IN_FLOAT_OP)
#undef IN_FLOAT_OP
    default:
        return false;
    }
    return true;
}

static void vector_product(const struct at *x, uint32_t size, bool scale)
{
    bool undefined = any_byte(x->s + x->pc->a, size * (uint32_t)x->pc->c) ||
                     any_byte(x->s + x->pc->b, scale ? size : size * (uint32_t)x->pc->c);
    memset(x->s + x->pc->d, undefined, scale ? size * (uint32_t)x->pc->c : size);
}

static bool check_moves(const struct at *x, enum in_op op)
{
    const struct in_insn *pc = x->pc;
    switch (op) {
        SIZES(MOV, MOVE)
        SIZES(SEL, SELECT)
    case IN_MOV_N:
    case IN_INSERT:
        memmove(x->s + pc->d, x->s + pc->a, pc->imm);
        break;
    case IN_SEL_N:
        check_select(x, pc->imm);
        break;
    case IN_SEL_V:
        check_select_vector(x);
        break;
    case IN_SX_32_64:
    case IN_ZX_32_64:
    case IN_F32_F64:
        in_check_elements(x, 4, 8, 1, false);
        break;
    case IN_TR_64_32:
        memmove(x->s + pc->d, x->s + pc->a, 4);
        break;
    case IN_F64_F32:
        in_check_elements(x, 8, 4, 1, false);
        break;
    case IN_S32_F32:
    case IN_U32_F32:
        in_check_elements(x, 4, 4, 1, false);
        break;
    case IN_CVT:
        in_check_convert(x);
        break;
    case IN_INSERTP:
        memmove(x->s + pc->d, x->s + pc->a, 8);
        break;
    case IN_EXTRACTP:
        memmove(x->s + pc->d, x->s + pc->a, 8);
        memset(x->s + pc->d + 8, 0, 8);
        break;
    case IN_EXTRACTD:
        check_component(x, true);
        break;
    case IN_INSERTD:
        check_component(x, false);
        break;
    case IN_SHUFFLE:
        check_shuffle(x);
        break;
    default:
        return false;
    }
    return true;
}

static bool check_flags(const struct at *x, enum in_op op)
{
    const struct in_insn *pc = x->pc;
    switch (op) {
    case IN_BNOT:
    case IN_BAND:
    case IN_BOR:
    case IN_BEQ:
    case IN_BNE:
        in_check_elements(x, 1, 1, pc->c, true);
        break;
    case IN_ANY:
    case IN_ALL:
        x->s[pc->d] = any_byte(x->s + pc->a, (uint64_t)pc->c);
        break;
    case IN_BRC:
        in_check_defined(x, pc->a, 1, "a branch");
        break;
    case IN_SWITCH:
        in_check_defined(x, pc->a, (uint64_t)pc->b, "a branch");
        break;
#define IN_INT_OP(n, s, e)                                                                                   \
    case IN_B_##n##_32:                                                                                      \
        in_check_defined(x, pc->a, 4, "a branch");                                                           \
        in_check_defined(x, pc->b, 4, "a branch");                                                           \
        break;                                                                                               \
    case IN_B_##n##_64:                                                                                      \
        in_check_defined(x, pc->a, 8, "a branch");                                                           \
        in_check_defined(x, pc->b, 8, "a branch");                                                           \
        break;
        IN_INT_COMPARE(IN_INT_OP)
#undef IN_INT_OP
    default:
        return false;
    }
    return true;
}

static void check_rest(const struct at *x, enum in_op op)
{
    const struct in_insn *pc = x->pc;
    switch (op) {
    case IN_PTRX:
    case IN_PTRXI: {
        bool undefined = any_byte(x->s + pc->a, 8) || any_byte(x->s + pc->b, op == IN_PTRX ? 8 : 4);
        memset(x->s + pc->d, undefined, 8);
        memset(x->s + pc->d + 8, 0, 8);
        break;
    }
    case IN_PTRK:
        memmove(x->s + pc->d, x->s + pc->a, 8);
        memset(x->s + pc->d + 8, 0, 8);
        break;
    case IN_VARINIT:
        memset(x->s + pc->a, 1, x->run->code->privates[pc->c].size);
        memset(x->s + pc->d, 0, 16);
        break;
    case IN_BYVAL:
        memset(x->s + pc->a, 0, x->run->info->arguments[pc->c].size);
        break;
    case IN_PTREQ:
    case IN_PTRNE:
        x->s[pc->d] = any_byte(x->s + pc->a, 8) || any_byte(x->s + pc->b, 8);
        break;
    case IN_PTRDIFF:
        check_pair(x, (uint64_t)pc->c);
        break;
#define PRODUCTS(w)                                                                                          \
    case IN_DOT_##w:                                                                                         \
        vector_product(x, w / 8, false);                                                                     \
        break;                                                                                               \
    case IN_SCALE_##w:                                                                                       \
        vector_product(x, w / 8, true);                                                                      \
        break;
        PRODUCTS(16)
        PRODUCTS(32)
        PRODUCTS(64)
    case IN_RET:
        end_of_function(x);
        break;
    default:
        break;
    }
}

/* Checks that need no shadow memory. */
static void check_values(const struct at *x, enum in_op op)
{
    const struct in_insn *pc = x->pc;
    switch (op) {
#define WRAP_SUM(size, count)        in_check_wrap(x, size, count, ADDITION);
#define WRAP_DIFFERENCE(size, count) in_check_wrap(x, size, count, SUBTRACTION);
#define WRAP_PRODUCT(size, count)    in_check_wrap(x, size, count, MULTIPLICATION);
#define WRAP_NEGATIVE(size, count)   in_check_wrap(x, size, count, NEGATION);
#define SHIFT_ONLY(size, count)      in_check_shift(x, size, count);
        CASES(ADD, WRAP_SUM)
        CASES(SUB, WRAP_DIFFERENCE)
        CASES(MUL, WRAP_PRODUCT)
        CASES(NEG, WRAP_NEGATIVE)
        CASES(SHL, SHIFT_ONLY)
        CASES(LSHR, SHIFT_ONLY)
        CASES(ASHR, SHIFT_ONLY)
    case IN_CVT:
        in_check_convert(x);
        break;
    case IN_ATOMIC:
        in_check_order(x, pc->p);
        break;
    case IN_RET:
        end_of_function(x);
        break;
    default:
        break;
    }
}

bool in_check(struct in_run *run, struct in_item *item, const struct in_insn *pc, enum in_op op)
{
    struct at x = {run, item, pc, item->shadow};
    if (item->terms)
        in_terms_look(run, item, pc, op);
    if (!run->launch.checks)
        return !run->outcome.stopped;
    if (run->code->subscripts.first_of)
        in_check_subscripts(&x);
    if (!x.s)
        check_values(&x, op);
    else if (!check_numbers(&x, op) && !check_moves(&x, op) && !check_flags(&x, op) &&
             !in_check_memory(&x, op))
        check_rest(&x, op);
    return !run->outcome.stopped;
}
