/* Parser of VULKAN litmus tests: columns of instructions, one per thread.
 *
 *   P0@sg 0, wg 0, qf 0            | P1@sg 1, wg 0, qf 0          ;
 *   st.atom.rel.wg.sc0.semsc0 x, 1 | ld.atom.acq.wg.sc0.semsc0 r0, x ;
 *
 * A column may be a host thread (P0@host).
 *
 * An instruction's tags follow its name after dots: atomicity, order, scope, availability, visibility,
 * storage class of the access (scN), storage-class semantics (semscN), size (b8, b16, b32; default: b32).
 * A location may have a byte offset (x+2).  "free x" ends the lifetime of a location's memory
 * [VKMM deallocation]. */
#include "litmus/parse/ast.h"

#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct {
    const char *name;
    enum lt_vulkan_op op;
    const char *operands; /* r register, a address, v value, l label; lower case must be there, upper may */
    uint8_t code; /* BRANCH: enum lt_operator; LOCAL: enum ck_expr_op; AVAILABILITY, VISIBILITY: scope */
} instructions[] = {
    {"ld", LT_V_LOAD, "ra", 0},
    {"st", LT_V_STORE, "av", 0},
    {"rmw", LT_V_RMW, "ravV", 0},
    {"membar", LT_V_FENCE, "", 0},
    {"cbar", LT_V_BARRIER, "vVV", 0},
    {"avdevice", LT_V_AVAILABILITY, "", MM_SCOPE_NONE},
    {"visdevice", LT_V_VISIBILITY, "", MM_SCOPE_NONE},
    /* on the host domain */
    {"avhost", LT_V_AVAILABILITY, "", MM_SCOPE_ALL_SVM_DEVICES},
    {"vishost", LT_V_VISIBILITY, "", MM_SCOPE_ALL_SVM_DEVICES},
    /* from the other domain to the named one */
    {"domhost", LT_V_AVAILABILITY, "", MM_SCOPE_ALL_SVM_DEVICES},
    {"domdevice", LT_V_AVAILABILITY, "", MM_SCOPE_DEVICE},
    {"free", LT_V_FREE, "a", 0},
    {"goto", LT_V_GOTO, "l", 0},
    {"beq", LT_V_BRANCH, "vvl", LT_OP_EQ},
    {"bne", LT_V_BRANCH, "vvl", LT_OP_NE},
    {"blt", LT_V_BRANCH, "vvl", LT_OP_LT},
    {"ble", LT_V_BRANCH, "vvl", LT_OP_LE},
    {"bgt", LT_V_BRANCH, "vvl", LT_OP_GT},
    {"bge", LT_V_BRANCH, "vvl", LT_OP_GE},
    {"mov", LT_V_LOCAL, "rv", CK_CONST},
    {"add", LT_V_LOCAL, "rvv", CK_ADD},
    {"sub", LT_V_LOCAL, "rvv", CK_SUB},
    {"mul", LT_V_LOCAL, "rvv", CK_MUL},
    {"div", LT_V_LOCAL, "rvv", CK_SDIV},
    {"and", LT_V_LOCAL, "rvv", CK_AND},
    {"or", LT_V_LOCAL, "rvv", CK_OR},
    {"xor", LT_V_LOCAL, "rvv", CK_XOR},
};

static const struct tag {
    const char *name;
    uint8_t value;
} rmw_tags[] = {{"add", CK_RMW_ADD},   {"sub", CK_RMW_SUB},   {"and", CK_RMW_AND},   {"or", CK_RMW_OR},
                {"xor", CK_RMW_XOR},   {"smin", CK_RMW_SMIN}, {"smax", CK_RMW_SMAX}, {"umin", CK_RMW_UMIN},
                {"umax", CK_RMW_UMAX}, {"min", CK_RMW_SMIN},  {"max", CK_RMW_SMAX},  {"exch", CK_RMW_XCHG},
                {"xchg", CK_RMW_XCHG}},
  attribute_tags[] = {{"atom", MM_ATOMIC | MM_NON_PRIVATE},
                      {"nonpriv", MM_NON_PRIVATE},
                      {"av", MM_MAKE_AVAILABLE | MM_NON_PRIVATE},
                      {"vis", MM_MAKE_VISIBLE | MM_NON_PRIVATE}},
  size_tags[] = {{"b8", 1}, {"b16", 2}, {"b32", 4}},
  order_tags[] = {{"acq", MM_ACQUIRE}, {"rel", MM_RELEASE}, {"acq_rel", MM_ACQ_REL}, {"rlx", MM_RELAXED}},
  scope_tags[] = {{"sg", MM_SCOPE_SUB_GROUP},
                  {"wg", MM_SCOPE_WORK_GROUP},
                  {"qf", MM_SCOPE_QUEUE_FAMILY},
                  {"dv", MM_SCOPE_DEVICE},
                  {"cd", MM_SCOPE_ALL_SVM_DEVICES}};

/* Sets *VALUE if NAME is one of the COUNT tags. */
static bool find_tag(const struct tag *tags, size_t count, const char *name, uint8_t *value)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(tags[i].name, name) == 0) {
            *value = tags[i].value;
            return true;
        }
    return false;
}

/* scN, semscN with N from 0 to 3. */
static bool set_class_tag(struct lt_vulkan *v, const char *tag)
{
    bool sem = strncmp(tag, "semsc", 5) == 0;
    const char *digit = tag + (sem ? 5 : 2);
    if ((!sem && strncmp(tag, "sc", 2) != 0) || *digit < '0' || *digit > '3' || digit[1])
        return false;
    uint8_t bit = (uint8_t)(1u << (*digit - '0'));
    if (sem)
        v->semantics |= bit;
    else
        v->storage_class |= bit;
    return true;
}

static bool set_tag(struct lt_vulkan *v, const char *tag)
{
    uint8_t attributes = 0;
    if (find_tag(attribute_tags, COUNT(attribute_tags), tag, &attributes))
        v->attributes |= attributes;
    else if (strcmp(tag, "semav") == 0)
        v->semantics |= CK_SEM_AVAILABLE;
    else if (strcmp(tag, "semvis") == 0)
        v->semantics |= CK_SEM_VISIBLE;
    else if (strcmp(tag, "cas") == 0 && v->op == LT_V_RMW)
        v->is_cas = true;
    else
        return set_class_tag(v, tag) || find_tag(size_tags, COUNT(size_tags), tag, &v->size) ||
               find_tag(order_tags, COUNT(order_tags), tag, &v->order) ||
               find_tag(scope_tags, COUNT(scope_tags), tag, &v->scope) ||
               (v->op == LT_V_RMW && find_tag(rmw_tags, COUNT(rmw_tags), tag, &v->rmw));
    return true;
}

/* Splits MNEMONIC at its dots and applies the parts. */
static void set_tags(struct lt_lexer *lexer, struct lt_vulkan *v)
{
    char part[32];
    for (const char *at = strchr(v->mnemonic, '.'); at; at = strchr(at + 1, '.')) {
        size_t length = strcspn(at + 1, ".");
        if (length >= sizeof part) {
            lt_fail_at(lexer, v->pos, "unknown tag in '%.60s'", v->mnemonic);
            return;
        }
        memcpy(part, at + 1, length);
        part[length] = '\0';
        if (!set_tag(v, part))
            lt_fail_at(lexer, v->pos, "unknown tag '%s' in '%.60s'", part, v->mnemonic);
    }
}

static void check_tags(struct lt_lexer *lexer, const struct lt_vulkan *v)
{
    bool access = v->op == LT_V_LOAD || v->op == LT_V_STORE || v->op == LT_V_RMW;
    bool atomic = v->attributes & MM_ATOMIC;
    if (v->op == LT_V_RMW && !atomic)
        lt_fail_at(lexer, v->pos, "a read-modify-write needs the tag 'atom'");
    else if (access && !v->storage_class)
        lt_fail_at(lexer, v->pos, "an access needs its storage class (sc0 to sc3)");
    else if (((v->attributes & (MM_ATOMIC | MM_MAKE_AVAILABLE | MM_MAKE_VISIBLE)) || v->op == LT_V_FENCE ||
              v->op == LT_V_BARRIER) &&
             !v->scope)
        lt_fail_at(lexer, v->pos, "'%.60s' needs a scope (sg, wg, qf, dv or cd)", v->mnemonic);
    else if (access && v->order && !atomic)
        lt_fail_at(lexer, v->pos, "only an atomic access has a memory order");
    else if ((v->op == LT_V_LOAD && (v->order == MM_RELEASE || v->order == MM_ACQ_REL)) ||
             (v->op == LT_V_STORE && (v->order == MM_ACQUIRE || v->order == MM_ACQ_REL)))
        lt_fail_at(lexer, v->pos, "'%.60s' has an invalid memory order", v->mnemonic);
}

/* operand = [ "-" ] number | name    (register or value)
 *         | "[" name [ "+" number ] "]" | name [ "+" number ]    (location) */
static void parse_operand(struct lt_lexer *lexer, char kind, struct lt_operand *o)
{
    o->present = true;
    bool bracket = (kind == 'a') && lt_accept(lexer, "[");
    const struct lt_token *t = lt_peek(lexer, 0);
    if (kind == 'v' && (t->kind == LT_T_NUMBER || lt_is(lexer, "-"))) {
        o->is_const = true;
        lt_parse_constant(lexer, &o->value);
    } else {
        o->name = lt_expect_name(lexer, kind == 'a'   ? "a location"
                                        : kind == 'r' ? "a register"
                                                      : "an operand");
        uint64_t offset = 0;
        if (kind == 'a' && lt_accept(lexer, "+") &&
            lt_expect_number(lexer, "an offset", 4 * LT_MAX_ELEMENTS - 1, &offset))
            o->offset = (uint32_t)offset;
    }
    if (bracket)
        lt_expect(lexer, "]");
}

static bool at_final(const struct lt_lexer *lexer)
{
    static const char *const words[] = {"exists", "forall", "filter", "locations", "~", "not"};
    for (size_t i = 0; i < COUNT(words); i++)
        if (lt_is(lexer, words[i]))
            return true;
    return lt_peek(lexer, 0)->kind == LT_T_END;
}

static bool is_label_end(const struct lt_lexer *lexer)
{
    return lt_is(lexer, "|") || lt_is(lexer, ";") || lt_is(lexer, "||") || at_final(lexer);
}

/* operands = [ operand { "," operand } ]    (kinds and number: table instructions) */
static void parse_operands(struct lt_lexer *lexer, struct lt_vulkan *v, const char *kinds)
{
    unsigned n = 0;
    for (const char *k = kinds; *k && !lexer->failed; k++) {
        bool optional = *k == 'V' && !(v->is_cas && n == 3);
        if (optional && is_label_end(lexer))
            return;
        if (k != kinds && !lt_expect(lexer, ","))
            return;
        if (*k == 'l')
            v->label = lt_expect_name(lexer, "a label");
        else
            parse_operand(lexer, *k == 'V' ? 'v' : *k, &v->operands[n++]);
    }
}

/* label = name ":" */
static struct lt_vulkan *parse_label(struct lt_lexer *lexer)
{
    struct lt_vulkan *v = lt_new(lexer, sizeof *v);
    if (!v)
        return NULL;
    v->op = LT_V_LABEL;
    v->pos = lt_peek(lexer, 0)->pos;
    v->label = lt_take(lexer)->text;
    lt_take(lexer);
    return v;
}

/* instruction = label | mnemonic operands
 * mnemonic = name { "." tag }    (one token) */
static struct lt_vulkan *parse_instruction(struct lt_lexer *lexer)
{
    const struct lt_token *t = lt_peek(lexer, 0);
    if (t->kind == LT_T_NAME && strcmp(lt_peek(lexer, 1)->text, ":") == 0)
        return parse_label(lexer);
    struct lt_vulkan *v = lt_new(lexer, sizeof *v);
    if (!v)
        return NULL;
    v->pos = t->pos;
    v->mnemonic = lt_expect_name(lexer, "an instruction");
    size_t i = 0;
    size_t length = v->mnemonic ? strcspn(v->mnemonic, ".") : 0;
    while (
        i < COUNT(instructions) && v->mnemonic &&
        (strlen(instructions[i].name) != length || strncmp(instructions[i].name, v->mnemonic, length) != 0))
        i++;
    if (i == COUNT(instructions) || !v->mnemonic) {
        lt_fail_at(lexer, t->pos, "unknown instruction '%.60s'", t->text);
        return NULL;
    }
    v->op = instructions[i].op;
    v->size = 4;
    v->rmw = CK_RMW_XCHG;
    if (v->op == LT_V_BRANCH)
        v->compare = (enum lt_operator)instructions[i].code;
    else if (v->op == LT_V_LOCAL)
        v->arithmetic = (enum ck_expr_op)instructions[i].code;
    else
        v->scope = instructions[i].code;
    if (strncmp(v->mnemonic, "dom", 3) == 0)
        v->attributes = MM_MAKE_VISIBLE;
    set_tags(lexer, v);
    check_tags(lexer, v);
    parse_operands(lexer, v, instructions[i].operands);
    return lexer->failed ? NULL : v;
}

/* ---- columns ------------------------------------------------------------------------------------ */

/* column-head = thread-number "@" placement    (placement: parse.c) */
static struct lt_thread *parse_column_head(struct lt_lexer *lexer)
{
    struct lt_thread *thread = lt_parse_thread_name(lexer, "a thread (P0@sg 0, wg 0, qf 0)");
    if (thread && lt_expect(lexer, "@"))
        lt_parse_placement(lexer, thread);
    return lexer->failed ? NULL : thread;
}

/* row = [ instruction ] { ( "|" | "||" ) [ instruction ] } ";"    ("||": an empty cell between)
 * Trailing cells may be missing. */
static void parse_row(struct lt_lexer *lexer, struct lt_vulkan **tails[LT_MAX_THREADS])
{
    uint32_t column = 0;
    while (!lexer->failed && !at_final(lexer) && !lt_accept(lexer, ";")) {
        if (lt_accept(lexer, "||")) {
            column += 2;
        } else if (lt_accept(lexer, "|")) {
            column++;
        } else if (column >= lexer->test->thread_count) {
            lt_fail_at(lexer, lt_peek(lexer, 0)->pos, "the row has more cells than there are threads");
        } else {
            struct lt_vulkan *v = parse_instruction(lexer);
            if (!v)
                return;
            *tails[column] = v;
            tails[column] = &v->next;
            if (!is_label_end(lexer) && v->op != LT_V_LABEL)
                lt_unexpected(lexer, "'|' or ';'");
        }
    }
}

/* edges = "{" { "ssw" thread-number [ "," ] thread-number ";" } "}"
 * The first thread system-synchronizes-with the second. */
static void parse_edges(struct lt_lexer *lexer)
{
    struct lt_edge **tail = &lexer->test->edges;
    lt_expect(lexer, "{");
    while (!lexer->failed && !lt_accept(lexer, "}")) {
        if (lt_accept(lexer, ";"))
            continue;
        struct lt_edge *e = lt_new(lexer, sizeof *e);
        if (!e)
            return;
        e->pos = lt_peek(lexer, 0)->pos;
        if (!lt_expect(lexer, "ssw"))
            return;
        uint32_t *const ends[] = {&e->from, &e->to};
        for (int i = 0; i < 2; i++) {
            if (i && lt_is(lexer, ","))
                lt_take(lexer);
            if (!lt_thread_number(lt_peek(lexer, 0), ends[i]))
                lt_unexpected(lexer, "a thread number");
            else
                lt_take(lexer);
        }
        *tail = e;
        tail = &e->next;
        if (!lt_is(lexer, "}"))
            lt_expect(lexer, ";");
    }
}

/* vulkan-test = init [ edges ] column-head { "|" column-head } ";" { row } final    (final: cond.c) */
void lt_parse_vulkan(struct lt_lexer *lexer)
{
    struct lt_test *test = lexer->test;
    struct lt_vulkan **tails[LT_MAX_THREADS];
    struct lt_thread **tail = &test->threads;
    lt_parse_init(lexer);
    if (lt_is(lexer, "{"))
        parse_edges(lexer);
    while (!lexer->failed) {
        struct lt_thread *thread = parse_column_head(lexer);
        if (!thread)
            return;
        tails[test->thread_count++] = &thread->vulkan;
        *tail = thread;
        tail = &thread->next;
        if (lt_accept(lexer, ";"))
            break;
        lt_expect(lexer, "|");
    }
    while (!lexer->failed && !at_final(lexer))
        parse_row(lexer, tails);
    for (const struct lt_edge *e = test->edges; e; e = e->next)
        if (!lt_find_thread(test, e->from, NULL) || !lt_find_thread(test, e->to, NULL))
            lt_fail_at(lexer, e->pos, "ssw names an unknown thread");
}
