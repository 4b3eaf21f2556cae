/* Internal: the records of a program file and their fields, which writer (file.c) and reader (file_read.c)
 * share. */
#ifndef CHECKER_PROGRAM_FILE_FIELDS_H
#define CHECKER_PROGRAM_FILE_FIELDS_H

#include "checker/program/file.h"

#include <stddef.h>

enum { CK_PROGRAM_VERSION = 1 };

enum kind { NUMBER, SIGNED, WORD, TEXT, VALUES };
struct field {
    const char *name;
    enum kind kind;
    unsigned offset, size;
    unsigned most;                       /* the largest value; 0: what SIZE bytes hold */
    uint64_t implied;                    /* the value of a field that the file omits */
    const char *(*word)(unsigned value); /* WORD: the name of a value */
};
/* clang-format off */
#define FIELD(name, kind, type, path, most, implied, word)                                                  \
    {name, kind, offsetof(struct type, path), sizeof(((struct type *)NULL)->path), most, implied, word}
#define NUMBER_FIELD(type, member, implied)    FIELD(#member, NUMBER, type, member, 0, implied, NULL)
#define BOOL_FIELD(type, member)               FIELD(#member, NUMBER, type, member, 1, 0, NULL)
#define WORD_FIELD(type, member, count, word)  FIELD(#member, WORD, type, member, (count) - 1, 0, word)
#define TEXT_FIELD(type, member)               FIELD(#member, TEXT, type, member, 0, 0, NULL)
/* The fields of a struct ck_term at PATH of TYPE, whose names begin with PREFIX. */
#define TERM_FIELDS(type, path, prefix)                                                                     \
    FIELD(prefix "kind", WORD, type, path kind, CK_TERM_MEMORY, 0, term_word),                              \
    FIELD(prefix "value", NUMBER, type, path value, 0, 0, NULL),                                            \
    FIELD(prefix "thread", NUMBER, type, path thread, 0, 0, NULL),                                          \
    FIELD(prefix "reg", NUMBER, type, path reg, 0, 0, NULL),                                                \
    FIELD(prefix "object", NUMBER, type, path object, 0, 0, NULL),                                          \
    FIELD(prefix "offset", NUMBER, type, path offset, 0, 0, NULL),                                          \
    FIELD(prefix "size", NUMBER, type, path size, 0, 0, NULL)
/* clang-format on */

#define WORDS(function, ...)                                                                                 \
    static const char *function(unsigned value)                                                              \
    {                                                                                                        \
        static const char *const words[] = {__VA_ARGS__};                                                    \
        return value < sizeof words / sizeof *words ? words[value] : "?";                                    \
    }
WORDS(expr_word, "const", "reg", "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "and", "or", "xor",
      "shl", "lshr", "ashr", "eq", "ne", "ult", "ule", "slt", "sle", "not", "lnot", "neg", "zext", "sext",
      "trunc", "select")
WORDS(instr_word, "assign", "load", "store", "rmw", "cas", "fence", "barrier", "jump", "branch", "assume",
      "assert", "availability", "visibility", "end", "point")
WORDS(rmw_word, "xchg", "add", "sub", "and", "or", "xor", "smin", "smax", "umin", "umax")
WORDS(prop_word, "true", "and", "or", "not", "compare")
WORDS(term_word, "const", "reg", "memory")
WORDS(quantifier_word, "exists", "not-exists", "forall")

static const char *order_word(unsigned value)
{
    return mm_order_name((enum mm_order)value);
}

static const char *scope_word(unsigned value)
{
    return mm_scope_name((enum mm_scope)value);
}

static const char *region_word(unsigned value)
{
    return mm_region_name((enum mm_region)value);
}

static const char *origin_word(unsigned value)
{
    return mm_origin_name((enum mm_origin)value);
}

/* The fields of a thread other than registers and instructions. */
struct reg {
    const char *name;
    uint8_t size;
    bool is_signed;
};

static const struct field program_fields[] = {
    TEXT_FIELD(ck_program, name),
    TEXT_FIELD(ck_program, file),
    BOOL_FIELD(ck_program, vulkan),
    BOOL_FIELD(ck_program, kernel),
    WORD_FIELD(ck_program, quantifier, CK_FORALL + 1, quantifier_word),
    NUMBER_FIELD(ck_program, condition, 0),
    NUMBER_FIELD(ck_program, filter, CK_NO_EXPR),
    {0}};
static const struct field object_fields[] = {
    TEXT_FIELD(ck_object, name),
    NUMBER_FIELD(ck_object, size, 4),
    NUMBER_FIELD(ck_object, element_size, 4),
    WORD_FIELD(ck_object, region, MM_REGION_COUNT, region_word),
    WORD_FIELD(ck_object, origin, MM_ORIGIN_COUNT, origin_word),
    BOOL_FIELD(ck_object, non_atomic),
    BOOL_FIELD(ck_object, uninitialized),
    BOOL_FIELD(ck_object, is_signed),
    BOOL_FIELD(ck_object, is_float),
    TEXT_FIELD(ck_object, layout),
    FIELD("work_group", SIGNED, ck_object, work_group, 0, UINT32_MAX, NULL),
    NUMBER_FIELD(ck_object, alias_of, 0),
    BOOL_FIELD(ck_object, hidden),
    FIELD("initial", VALUES, ck_object, initial, 0, 0, NULL),
    {0}};
static const struct field expr_fields[] = {WORD_FIELD(ck_expr, op, CK_SELECT + 1, expr_word),
                                           NUMBER_FIELD(ck_expr, size, 4),
                                           NUMBER_FIELD(ck_expr, a, 0),
                                           NUMBER_FIELD(ck_expr, b, 0),
                                           NUMBER_FIELD(ck_expr, c, 0),
                                           NUMBER_FIELD(ck_expr, imm, 0),
                                           {0}};
static const struct field thread_fields[] = {TEXT_FIELD(ck_thread, name),
                                             NUMBER_FIELD(ck_thread, device, 0),
                                             NUMBER_FIELD(ck_thread, work_group, 0),
                                             NUMBER_FIELD(ck_thread, sub_group, 0),
                                             NUMBER_FIELD(ck_thread, queue_family, 0),
                                             NUMBER_FIELD(ck_thread, kernel, 0),
                                             BOOL_FIELD(ck_thread, host),
                                             BOOL_FIELD(ck_thread, agent),
                                             {0}};
static const struct field reg_fields[] = {
    TEXT_FIELD(reg, name), NUMBER_FIELD(reg, size, 4), BOOL_FIELD(reg, is_signed), {0}};
static const struct field instr_fields[] = {WORD_FIELD(ck_instr, op, CK_POINT + 1, instr_word),
                                            NUMBER_FIELD(ck_instr, size, 0),
                                            WORD_FIELD(ck_instr, order, MM_ORDER_COUNT, order_word),
                                            WORD_FIELD(ck_instr, order_fail, MM_ORDER_COUNT, order_word),
                                            WORD_FIELD(ck_instr, scope, MM_SCOPE_COUNT, scope_word),
                                            NUMBER_FIELD(ck_instr, fence_flags, 0),
                                            NUMBER_FIELD(ck_instr, attributes, 0),
                                            WORD_FIELD(ck_instr, rmw, CK_RMW_APPLY, rmw_word),
                                            BOOL_FIELD(ck_instr, weak),
                                            NUMBER_FIELD(ck_instr, semantics, 0),
                                            NUMBER_FIELD(ck_instr, storage_class, 0),
                                            NUMBER_FIELD(ck_instr, reg, CK_NO_REG),
                                            NUMBER_FIELD(ck_instr, reg2, CK_NO_REG),
                                            NUMBER_FIELD(ck_instr, address, CK_NO_EXPR),
                                            NUMBER_FIELD(ck_instr, value, CK_NO_EXPR),
                                            NUMBER_FIELD(ck_instr, expected, CK_NO_EXPR),
                                            NUMBER_FIELD(ck_instr, target, 0),
                                            NUMBER_FIELD(ck_instr, site, 0),
                                            NUMBER_FIELD(ck_instr, reference, 0),
                                            NUMBER_FIELD(ck_instr, line, 0),
                                            NUMBER_FIELD(ck_instr, column, 0),
                                            BOOL_FIELD(ck_instr, sub_group),
                                            NUMBER_FIELD(ck_instr, barrier_name, 0),
                                            NUMBER_FIELD(ck_instr, quorum, 0),
                                            NUMBER_FIELD(ck_instr, tags, 0),
                                            NUMBER_FIELD(ck_instr, point, 0),
                                            BOOL_FIELD(ck_instr, hidden),
                                            NUMBER_FIELD(ck_instr, trip_count, 0),
                                            {0}};
static const struct field prop_fields[] = {WORD_FIELD(ck_prop, op, CK_PROP_COMPARE + 1, prop_word),
                                           WORD_FIELD(ck_prop, compare, CK_SELECT + 1, expr_word),
                                           NUMBER_FIELD(ck_prop, a, 0),
                                           NUMBER_FIELD(ck_prop, b, 0),
                                           TERM_FIELDS(ck_prop, left., "left-"),
                                           TERM_FIELDS(ck_prop, right., "right-"),
                                           {0}};
static const struct field observed_fields[] = {TERM_FIELDS(ck_term, , ""), {0}};
static const struct field edge_fields[] = {
    NUMBER_FIELD(ck_edge, from_thread, 0), NUMBER_FIELD(ck_edge, to_thread, 0), TEXT_FIELD(ck_edge, relation),
    NUMBER_FIELD(ck_edge, from_point, 0),  NUMBER_FIELD(ck_edge, to_point, 0),  {0}};

static const struct field input_fields[] = {
    NUMBER_FIELD(ck_input, object, 0), NUMBER_FIELD(ck_input, offset, 0), NUMBER_FIELD(ck_input, size, 4),
    NUMBER_FIELD(ck_input, low, 0),    NUMBER_FIELD(ck_input, span, 0),   {0}};
static const struct field requirement_fields[] = {{"expr", NUMBER, 0, sizeof(uint32_t), 0, 0, NULL}, {0}};

#endif
