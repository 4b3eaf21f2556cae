/* Expressions of OPENCL tests: C expressions over registers and pointers, with the atomic functions of
 * [CLC 6.15.12] embedded, or those of C11, which lack scopes and regions. */
#include "litmus/parse/ast.h"
#include "memmodel/base/nearest.h"

#include <stdio.h>
#include <string.h>

#define SEQ MM_SEQ_CST
static const struct lt_function functions[] = {
    /* name, kind, read-modify-write, weak, parameters, default order */
    {"atomic_load", LT_F_LOAD, 0, false, "p", SEQ},
    {"atomic_load_explicit", LT_F_LOAD, 0, false, "pos", SEQ},
    {"atomic_store", LT_F_STORE, 0, false, "pv", SEQ},
    {"atomic_store_explicit", LT_F_STORE, 0, false, "pvos", SEQ},
    {"atomic_init", LT_F_INIT, 0, false, "pv", MM_ORDER_NONE},
#define RMW(name, op)                                                                                        \
    {"atomic_" name, LT_F_RMW, op, false, "pv", SEQ},                                                        \
    {                                                                                                        \
        "atomic_" name "_explicit", LT_F_RMW, op, false, "pvos", SEQ                                         \
    }
    RMW("exchange", CK_RMW_XCHG),
    RMW("fetch_add", CK_RMW_ADD),
    RMW("fetch_sub", CK_RMW_SUB),
    RMW("fetch_and", CK_RMW_AND),
    RMW("fetch_or", CK_RMW_OR),
    RMW("fetch_xor", CK_RMW_XOR),
    RMW("fetch_min", CK_RMW_SMIN),
    RMW("fetch_max", CK_RMW_SMAX),
#undef RMW
    {"atomic_compare_exchange_strong", LT_F_CAS, 0, false, "pev", SEQ},
    {"atomic_compare_exchange_weak", LT_F_CAS, 0, true, "pev", SEQ},
    {"atomic_compare_exchange_strong_explicit", LT_F_CAS, 0, false, "pevoos", SEQ},
    {"atomic_compare_exchange_weak_explicit", LT_F_CAS, 0, true, "pevoos", SEQ},
    {"atomic_cmpxchg", LT_F_CMPXCHG, 0, false, "pev", MM_RELAXED},
    {"atomic_flag_test_and_set", LT_F_FLAG_TEST_AND_SET, CK_RMW_XCHG, false, "p", SEQ},
    {"atomic_flag_test_and_set_explicit", LT_F_FLAG_TEST_AND_SET, CK_RMW_XCHG, false, "pos", SEQ},
    {"atomic_flag_clear", LT_F_FLAG_CLEAR, 0, false, "p", SEQ},
    {"atomic_flag_clear_explicit", LT_F_FLAG_CLEAR, 0, false, "pos", SEQ},
    {"atomic_work_item_fence", LT_F_FENCE, 0, false, "fos", SEQ},
    {"mem_fence", LT_F_FENCE, 0, false, "f", MM_ACQ_REL},
    {"read_mem_fence", LT_F_FENCE, 0, false, "f", MM_ACQUIRE},
    {"write_mem_fence", LT_F_FENCE, 0, false, "f", MM_RELEASE},
    {"barrier", LT_F_BARRIER, 0, false, "fs", MM_ACQ_REL},
    {"work_group_barrier", LT_F_BARRIER, 0, false, "fs", MM_ACQ_REL},
    {"sub_group_barrier", LT_F_SUB_GROUP_BARRIER, 0, false, "fs", MM_ACQ_REL},
};
#undef SEQ

/* Other names: functions of OpenCL C 1.x, which are relaxed, for the device [CLC 1.2 6.12.11], and C11's
 * fence, for all memory that the threads of such a test share. */
static const struct spelling {
    const char *name, *function;
    const char *parameters; /* "p": the value is 1 */
    uint8_t order, scope, flags;
    bool c11; /* in tests in C11 alone */
} spellings[] = {
#define OLD(name, modern, parameters)                                                                        \
    {"atomic_" name, "atomic_" modern "_explicit", parameters, MM_RELAXED, MM_SCOPE_DEVICE, 0, false},       \
    {                                                                                                        \
        "atom_" name, "atomic_" modern "_explicit", parameters, MM_RELAXED, MM_SCOPE_DEVICE, 0, false        \
    }
    OLD("add", "fetch_add", "pv"),
    OLD("sub", "fetch_sub", "pv"),
    OLD("inc", "fetch_add", "p"),
    OLD("dec", "fetch_sub", "p"),
    OLD("xchg", "exchange", "pv"),
    OLD("and", "fetch_and", "pv"),
    OLD("or", "fetch_or", "pv"),
    OLD("xor", "fetch_xor", "pv"),
    OLD("min", "fetch_min", "pv"),
    OLD("max", "fetch_max", "pv"),
#undef OLD
    {"atomic_thread_fence", "atomic_work_item_fence", "o", MM_ORDER_NONE, MM_SCOPE_NONE, MM_FENCE_GLOBAL,
     true},
};

static const struct {
    const char *text;
    enum lt_operator op;
    int precedence; /* 0: unary */
} operators[] = {
    {"*", LT_OP_MUL, 10},  {"/", LT_OP_DIV, 10}, {"%", LT_OP_REM, 10}, {"+", LT_OP_ADD, 9},
    {"-", LT_OP_SUB, 9},   {"<<", LT_OP_SHL, 8}, {">>", LT_OP_SHR, 8}, {"<", LT_OP_LT, 7},
    {"<=", LT_OP_LE, 7},   {">", LT_OP_GT, 7},   {">=", LT_OP_GE, 7},  {"==", LT_OP_EQ, 6},
    {"!=", LT_OP_NE, 6},   {"&", LT_OP_AND, 5},  {"^", LT_OP_XOR, 4},  {"|", LT_OP_OR, 3},
    {"&&", LT_OP_LAND, 2}, {"||", LT_OP_LOR, 1}, {"-", LT_OP_NEG, 0},  {"~", LT_OP_NOT, 0},
    {"!", LT_OP_LNOT, 0},  {"+", LT_OP_PLUS, 0},
};

static const struct constant {
    const char *name;
    uint8_t value;
} orders[] = {{"memory_order_relaxed", MM_RELAXED},
              {"memory_order_acquire", MM_ACQUIRE},
              {"memory_order_release", MM_RELEASE},
              {"memory_order_acq_rel", MM_ACQ_REL},
              {"memory_order_seq_cst", MM_SEQ_CST}},
  scopes[] = {{"memory_scope_work_item", MM_SCOPE_WORK_ITEM},
              {"memory_scope_sub_group", MM_SCOPE_SUB_GROUP},
              {"memory_scope_work_group", MM_SCOPE_WORK_GROUP},
              {"memory_scope_device", MM_SCOPE_DEVICE},
              {"memory_scope_all_svm_devices", MM_SCOPE_ALL_SVM_DEVICES},
              {"memory_scope_all_devices", MM_SCOPE_ALL_SVM_DEVICES}},
  flags[] = {{"CLK_LOCAL_MEM_FENCE", MM_FENCE_LOCAL},
             {"CLK_GLOBAL_MEM_FENCE", MM_FENCE_GLOBAL},
             {"CLK_IMAGE_MEM_FENCE", MM_FENCE_IMAGE}};
#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char *constant_text(const struct constant *list, size_t count, uint8_t value)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].value == value)
            return list[i].name;
    return "";
}

const char *lt_order_text(uint8_t order)
{
    return constant_text(orders, COUNT(orders), order);
}

const char *lt_scope_text(uint8_t scope)
{
    return constant_text(scopes, COUNT(scopes), scope);
}

const char *lt_fence_flag_text(uint8_t flag)
{
    return constant_text(flags, COUNT(flags), flag);
}

const char *lt_operator_text(enum lt_operator op)
{
    for (size_t i = 0; i < COUNT(operators); i++)
        if (operators[i].op == op)
            return operators[i].text;
    return "";
}

int lt_operator_precedence(enum lt_operator op)
{
    for (size_t i = 0; i < COUNT(operators); i++)
        if (operators[i].op == op)
            return operators[i].precedence;
    return 0;
}

static const struct lt_function *find_function(const char *name)
{
    for (size_t i = 0; i < COUNT(functions); i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

static struct lt_expr *new_expr(struct lt_lexer *lexer, enum lt_expr_kind kind, struct lt_pos pos)
{
    struct lt_expr *e = lt_new(lexer, sizeof *e);
    if (e) {
        e->kind = kind;
        e->pos = pos;
        e->depth = 1;
    }
    return e;
}

/* Makes A, B and C the operands of E; NULL if one is missing, or if the tree has become too deep. */
static struct lt_expr *set_operands(struct lt_lexer *lexer, struct lt_expr *e, struct lt_expr *a,
                                    struct lt_expr *b, struct lt_expr *c)
{
    if (!e || lexer->failed)
        return NULL;
    struct lt_expr *operands[] = {a, b, c};
    for (int i = 0; i < 3; i++)
        if (operands[i] && operands[i]->depth >= e->depth)
            e->depth = operands[i]->depth + 1;
    if (e->depth > LT_MAX_DEPTH) {
        lt_fail_at(lexer, e->pos, "expression nested more than %d deep", LT_MAX_DEPTH);
        return NULL;
    }
    e->a = a;
    e->b = b;
    e->c = c;
    return e;
}

/* flag = "CLK_GLOBAL_MEM_FENCE" | "CLK_LOCAL_MEM_FENCE" | "CLK_IMAGE_MEM_FENCE"
 * flags = flag { "|" flag } | "0" | "(" flags ")"    (one pair of parentheses) */
static bool parse_flags(struct lt_lexer *lexer, uint8_t *mask)
{
    bool paren = lt_accept(lexer, "(");
    if (lt_peek(lexer, 0)->kind == LT_T_NUMBER && lt_peek(lexer, 0)->value == 0) {
        lt_take(lexer);
        return !paren || lt_expect(lexer, ")");
    }
    do {
        size_t i = 0;
        while (i < COUNT(flags) && !lt_accept(lexer, flags[i].name))
            i++;
        if (i == COUNT(flags)) {
            lt_unexpected(lexer, "CLK_GLOBAL_MEM_FENCE, CLK_LOCAL_MEM_FENCE or CLK_IMAGE_MEM_FENCE");
            return false;
        }
        *mask |= flags[i].value;
    } while (lt_accept(lexer, "|"));
    return !paren || lt_expect(lexer, ")");
}

/* Fails at the next token, which is none of LIST, and names the nearest one. */
static void expected_one_of(struct lt_lexer *lexer, const char *what, const struct constant *list,
                            size_t count)
{
    const char *names[16];
    const struct lt_token *t = lt_peek(lexer, 0);
    for (size_t i = 0; i < count && i < COUNT(names); i++)
        names[i] = list[i].name;
    const char *nearest = t->kind == LT_T_END ? NULL : mm_nearest(t->text, names, count);
    if (nearest)
        lt_fail_at(lexer, t->pos, "expected %s, found '%.60s': did you mean %s?", what, t->text, nearest);
    else
        lt_unexpected(lexer, what);
}

/* constant-name = name    (one token; a name in LIST) */
static bool parse_constant(struct lt_lexer *lexer, const char *what, const struct constant *list,
                           size_t count, uint8_t *value)
{
    for (size_t i = 0; i < count; i++)
        if (lt_accept(lexer, list[i].name)) {
            *value = list[i].value;
            return true;
        }
    expected_one_of(lexer, what, list, count);
    return false;
}

/* order = "memory_order_relaxed" | "memory_order_acquire" | "memory_order_release" | "memory_order_acq_rel"
 *       | "memory_order_seq_cst" | "memory_order_consume"    (consume: C11 tests) */
static bool parse_order(struct lt_lexer *lexer, uint8_t *order)
{
    /* OpenCL has no consume; acquire gives all that it promises [CLC 6.15.12.3]. */
    if (lexer->test->c11 && lt_accept(lexer, "memory_order_consume")) {
        *order = MM_ACQUIRE;
        return true;
    }
    return parse_constant(lexer, "a memory order (memory_order_...)", orders, COUNT(orders), order);
}

/* scope-name = "memory_scope_" name    (one token; the names of OpenCL C) */
static bool parse_scope(struct lt_lexer *lexer, uint8_t *scope)
{
    return parse_constant(lexer, "a memory scope (memory_scope_...)", scopes, COUNT(scopes), scope);
}

/* argument = expr | order | scope-name | flags    (by the function's table row) */
static bool parse_argument(struct lt_lexer *lexer, struct lt_expr *call, char parameter,
                           unsigned order_number, struct lt_expr *operands[3])
{
    switch (parameter) {
    case 'p':
        return (operands[0] = lt_parse_expr(lexer)) != NULL;
    case 'e':
        return (operands[1] = lt_parse_expr(lexer)) != NULL;
    case 'v':
        return (operands[2] = lt_parse_expr(lexer)) != NULL;
    case 'f':
        return parse_flags(lexer, &call->flags);
    case 'o':
        return parse_order(lexer, order_number ? &call->order_fail : &call->order);
    default:
        return parse_scope(lexer, &call->scope);
    }
}

static const struct spelling *find_spelling(const struct lt_lexer *lexer, const char *name)
{
    for (size_t i = 0; i < COUNT(spellings); i++)
        if (strcmp(spellings[i].name, name) == 0 && (lexer->test->c11 || !spellings[i].c11))
            return &spellings[i];
    return NULL;
}

struct lt_expr *lt_one(struct lt_lexer *lexer, struct lt_pos pos)
{
    struct lt_expr *e = new_expr(lexer, LT_CONST, pos);
    if (e)
        e->value = 1;
    return e;
}

static void fail_at_function(struct lt_lexer *lexer, const struct lt_token *t)
{
    const char *names[COUNT(functions) + COUNT(spellings)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(functions); i++)
        names[count++] = functions[i].name;
    for (size_t i = 0; i < COUNT(spellings); i++)
        if (lexer->test->c11 || !spellings[i].c11)
            names[count++] = spellings[i].name;
    const char *nearest = mm_nearest(t->text, names, count);
    lt_fail_at(lexer, t->pos, "unknown function '%.60s'%s%s%s", t->text, nearest ? ": did you mean " : "",
               nearest ? nearest : "", nearest ? "?" : "");
}

/* call = name "(" [ argument { "," argument } ] ")"    (arguments: struct lt_function) */
static struct lt_expr *parse_call(struct lt_lexer *lexer)
{
    const struct lt_token *t = lt_take(lexer);
    struct lt_expr *call = new_expr(lexer, LT_CALL, t->pos);
    if (!call)
        return NULL;
    const struct spelling *spelling = find_spelling(lexer, t->text);
    call->function = find_function(spelling ? spelling->function : t->text);
    if (!call->function) {
        fail_at_function(lexer, t);
        return NULL;
    }
    struct lt_expr *operands[3] = {NULL, NULL, NULL};
    const char *parameters = call->function->parameters;
    if (spelling) {
        parameters = spelling->parameters;
        call->order = spelling->order;
        call->scope = spelling->scope;
        call->flags = spelling->flags;
        if (parameters[1] == '\0' && *parameters == 'p')
            operands[2] = lt_one(lexer, t->pos);
    }
    lt_expect(lexer, "(");
    unsigned order_number = 0;
    for (const char *p = parameters; *p; p++) {
        bool first = p == parameters;
        /* The scope may be left out, and so may the failure order with it. */
        bool may_end = *p == 's' || (*p == 'o' && order_number == 1);
        if (may_end && lt_is(lexer, ")"))
            break;
        if (!first && !lt_expect(lexer, ","))
            return NULL;
        if (!parse_argument(lexer, call, *p, order_number, operands))
            return NULL;
        order_number += *p == 'o';
    }
    lt_expect(lexer, ")");
    return set_operands(lexer, call, operands[0], operands[1], operands[2]);
}

/* assignment = lvalue ( "=" | op "=" ) expr    (within an expression; the lvalue is parsed already) */
static struct lt_expr *parse_assignment(struct lt_lexer *lexer, struct lt_expr *target)
{
    struct lt_expr *e = new_expr(lexer, LT_ASSIGNMENT, target->pos);
    if (target->kind != LT_DEREF && target->kind != LT_INDEX) {
        lt_fail_at(lexer, target->pos, "expected *pointer on the left of an assignment within an expression");
        return NULL;
    }
    if (e)
        e->op = lt_assignment_operator(lexer);
    lt_take(lexer);
    return set_operands(lexer, e, target, lt_parse_expr(lexer), NULL);
}

/* primary = number | call | "true" | "false" | name | "(" ( expr | assignment ) ")" */
static struct lt_expr *parse_primary(struct lt_lexer *lexer)
{
    const struct lt_token *t = lt_peek(lexer, 0);
    struct lt_expr *e;
    if (t->kind == LT_T_NUMBER) {
        if ((e = new_expr(lexer, LT_CONST, t->pos))) {
            e->value = t->value;
            e->is_unsigned = t->is_unsigned;
            e->is_long = t->is_long;
        }
        lt_take(lexer);
        return e;
    }
    if (t->kind == LT_T_NAME && strcmp(lt_peek(lexer, 1)->text, "(") == 0)
        return parse_call(lexer);
    if (t->kind == LT_T_NAME) {
        bool truth = strcmp(t->text, "true") == 0;
        bool constant = truth || strcmp(t->text, "false") == 0;
        if ((e = new_expr(lexer, constant ? LT_CONST : LT_NAME, t->pos))) {
            e->name = t->text;
            e->value = truth;
        }
        lt_take(lexer);
        return e;
    }
    if (lt_accept(lexer, "(")) {
        e = lt_parse_expr(lexer);
        bool steps = lt_is(lexer, "++") || lt_is(lexer, "--");
        if (e && !steps && (lt_is(lexer, "=") || lt_assignment_operator(lexer)))
            e = parse_assignment(lexer, e);
        lt_expect(lexer, ")");
        return lexer->failed ? NULL : e;
    }
    lt_unexpected(lexer, "an expression");
    return NULL;
}

/* postfix = primary { "[" expr "]" } */
static struct lt_expr *parse_postfix(struct lt_lexer *lexer)
{
    struct lt_expr *e = parse_primary(lexer);
    while (e && lt_is(lexer, "[")) {
        struct lt_expr *index = new_expr(lexer, LT_INDEX, lt_take(lexer)->pos);
        struct lt_expr *b = lt_parse_expr(lexer);
        lt_expect(lexer, "]");
        e = set_operands(lexer, index, e, b, NULL);
    }
    return e;
}

static bool at_cast(const struct lt_lexer *lexer)
{
    return lt_is(lexer, "(") && lt_starts_type(lt_peek(lexer, 1));
}

static struct lt_expr *parse_unary(struct lt_lexer *lexer);

static struct lt_expr *unary_of_level(struct lt_lexer *lexer)
{
    struct lt_pos pos = lt_peek(lexer, 0)->pos;
    if (at_cast(lexer)) {
        lt_take(lexer);
        struct lt_expr *cast = new_expr(lexer, LT_CAST, pos);
        if (!cast || !lt_parse_type(lexer, &cast->type) || !lt_expect(lexer, ")"))
            return NULL;
        return set_operands(lexer, cast, parse_unary(lexer), NULL, NULL);
    }
    if (lt_accept(lexer, "*"))
        return set_operands(lexer, new_expr(lexer, LT_DEREF, pos), parse_unary(lexer), NULL, NULL);
    if (lt_accept(lexer, "&"))
        return set_operands(lexer, new_expr(lexer, LT_ADDRESS, pos), parse_unary(lexer), NULL, NULL);
    for (size_t i = 0; i < COUNT(operators); i++)
        if (!operators[i].precedence && lt_accept(lexer, operators[i].text)) {
            struct lt_expr *e = new_expr(lexer, LT_UNARY, pos);
            if (e)
                e->op = operators[i].op;
            return set_operands(lexer, e, parse_unary(lexer), NULL, NULL);
        }
    return parse_postfix(lexer);
}

/* unary = "(" type ")" unary | ( "*" | "&" | "-" | "~" | "!" | "+" ) unary | postfix */
static struct lt_expr *parse_unary(struct lt_lexer *lexer)
{
    struct lt_expr *e = lt_enter(lexer) ? unary_of_level(lexer) : NULL;
    lt_leave(lexer);
    return e;
}

/* binary = unary { op unary }    (left-associative, by the precedences of C; here: at least PRECEDENCE) */
static struct lt_expr *parse_binary(struct lt_lexer *lexer, int precedence)
{
    struct lt_expr *left = parse_unary(lexer);
    while (left) {
        size_t i = 0;
        while (i < COUNT(operators) && !(operators[i].precedence >= precedence && operators[i].precedence &&
                                         lt_is(lexer, operators[i].text)))
            i++;
        if (i == COUNT(operators))
            break;
        struct lt_expr *e = new_expr(lexer, LT_BINARY, lt_take(lexer)->pos);
        struct lt_expr *right = parse_binary(lexer, operators[i].precedence + 1);
        if (!e || !right)
            return NULL;
        e->op = operators[i].op;
        left = set_operands(lexer, e, left, right, NULL);
    }
    return left;
}

/* expr = binary [ "?" expr ":" expr ] */
struct lt_expr *lt_parse_expr(struct lt_lexer *lexer)
{
    struct lt_expr *e = lt_enter(lexer) ? parse_binary(lexer, 1) : NULL;
    if (e && lt_is(lexer, "?")) {
        struct lt_expr *select = new_expr(lexer, LT_SELECT, lt_take(lexer)->pos);
        struct lt_expr *b = lt_parse_expr(lexer);
        lt_expect(lexer, ":");
        e = set_operands(lexer, select, e, b, lexer->failed ? NULL : lt_parse_expr(lexer));
    }
    lt_leave(lexer);
    return lexer->failed ? NULL : e;
}
