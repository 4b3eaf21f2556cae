/* Programs as text: a record a line, fields by name, fields that have their default left out.  Writer and reader
 * share the tables below.  docs/program-file.md */
#include "checker/program/file.h"

#include "memmodel/base/error.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum { VERSION = 1, MAX_VALUES = 1 << 20, MAX_REGISTERS = 1 << 16 };

/* ---- records and their fields ---------------------------------------------------------------------- */

enum kind { NUMBER, SIGNED, WORD, TEXT, VALUES };
struct field {
    const char *name;
    enum kind kind;
    unsigned offset, size, most; /* MOST: words, or the largest number of a bool; 0: as SIZE allows */
    uint64_t implied;
    const char *(*word)(unsigned value);
};
#define AT(type, member) offsetof(struct type, member), sizeof(((struct type *)NULL)->member)
#define NUMBER_FIELD(type, member, implied)                                                                  \
    {                                                                                                        \
#member, NUMBER, AT(type, member), 0, (implied), NULL                                                \
    }
#define BOOL_FIELD(type, member)                                                                             \
    {                                                                                                        \
#member, NUMBER, AT(type, member), 1, 0, NULL                                                        \
    }
#define WORD_FIELD(type, member, count, word)                                                                \
    {                                                                                                        \
#member, WORD, AT(type, member), (count)-1, 0, word                                                  \
    }
#define TEXT_FIELD(type, member)                                                                             \
    {                                                                                                        \
#member, TEXT, AT(type, member), 0, 0, NULL                                                          \
    }

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

/* What a thread is apart from its registers and instructions. */
struct reg {
    const char *name;
    uint8_t size;
    bool is_signed;
};

#define TERM_FIELDS(type, path, name)                                                                        \
    {name "kind", WORD, AT(type, path kind), CK_TERM_MEMORY, 0, term_word},                                  \
        {name "value", NUMBER, AT(type, path value), 0, 0, NULL},                                            \
        {name "thread", NUMBER, AT(type, path thread), 0, 0, NULL},                                          \
        {name "reg", NUMBER, AT(type, path reg), 0, 0, NULL},                                                \
        {name "object", NUMBER, AT(type, path object), 0, 0, NULL},                                          \
        {name "offset", NUMBER, AT(type, path offset), 0, 0, NULL},                                          \
    {                                                                                                        \
        name "size", NUMBER, AT(type, path size), 0, 0, NULL                                                 \
    }

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
    {"work_group", SIGNED, AT(ck_object, work_group), 0, UINT32_MAX, NULL},
    NUMBER_FIELD(ck_object, alias_of, 0),
    BOOL_FIELD(ck_object, hidden),
    {"initial", VALUES, AT(ck_object, initial), 0, 0, NULL},
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

static uint64_t number_at(const void *record, const struct field *f)
{
    const char *at = (const char *)record + f->offset;

    switch (f->size) {
    case 1:
        return *(const uint8_t *)at;
    case 2:
        return *(const uint16_t *)(const void *)at;
    case 4:
        return *(const uint32_t *)(const void *)at;
    default:
        return *(const uint64_t *)(const void *)at;
    }
}

static void set_number(void *record, const struct field *f, uint64_t value)
{
    char *at = (char *)record + f->offset;

    switch (f->size) {
    case 1:
        *(uint8_t *)at = (uint8_t)value;
        return;
    case 2:
        *(uint16_t *)(void *)at = (uint16_t)value;
        return;
    case 4:
        *(uint32_t *)(void *)at = (uint32_t)value;
        return;
    default:
        *(uint64_t *)(void *)at = value;
    }
}

static uint64_t largest(const struct field *f)
{
    return f->most ? f->most : f->size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * f->size)) - 1;
}

/* ---- writing --------------------------------------------------------------------------------------- */

static void write_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < ' ' || c == 0x7f || c == '"' || c == '\\')
            fprintf(out, "\\%02x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

/* Runs of equal values as VALUE*COUNT. */
static void write_values(FILE *out, const uint64_t *values, uint64_t count)
{
    for (uint64_t i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && values[i + n] == values[i];)
            n++;
        fprintf(out, "%s%" PRIu64, i ? "," : "", values[i]);
        if (n > 1)
            fprintf(out, "*%" PRIu64, n);
    }
}

static void write_field(FILE *out, const void *record, const struct field *f)
{
    const char *at = (const char *)record + f->offset;

    switch (f->kind) {
    case TEXT:
        if (*(const char *const *)(const void *)at) {
            fprintf(out, " %s=", f->name);
            write_text(out, *(const char *const *)(const void *)at);
        }
        return;
    case VALUES: {
        const struct ck_object *o = record;

        if (o->initial) {
            fprintf(out, " %s=", f->name);
            write_values(out, o->initial, o->size / o->element_size);
        }
        return;
    }
    default:
        if (number_at(record, f) == f->implied)
            return;
        if (f->kind == WORD)
            fprintf(out, " %s=%s", f->name, f->word((unsigned)number_at(record, f)));
        else if (f->kind == SIGNED)
            fprintf(out, " %s=%" PRId32, f->name, (int32_t)number_at(record, f));
        else
            fprintf(out, " %s=%" PRIu64, f->name, number_at(record, f));
    }
}

static void write_record(FILE *out, const char *name, const struct field *fields, const void *record)
{
    fputs(name, out);
    for (const struct field *f = fields; f->name; f++)
        write_field(out, record, f);
    fputc('\n', out);
}

#define WRITE_ALL(out, name, items, count)                                                                   \
    for (uint32_t k_ = 0; k_ < (count); k_++)                                                                \
    write_record((out), #name, name##_fields, &(items)[k_])

static bool applies_functions(const struct ck_program *p)
{
    for (uint32_t i = 0; i < p->expr_count; i++)
        if (p->exprs[i].op >= CK_APPLY1)
            return true;
    for (uint32_t t = 0; t < p->thread_count; t++)
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++)
            if (p->threads[t].instrs[i].op == CK_RMW && p->threads[t].instrs[i].rmw == CK_RMW_APPLY)
                return true;
    return false;
}

enum mm_class ck_program_write(const struct ck_program *p, FILE *out, struct mm_error *err)
{
    if (applies_functions(p))
        return mm_fail(err, MM_LIMIT, "program.file",
                       "the program applies '%s', and a program file has no functions of the instruction set",
                       p->functions[0].name);
    fprintf(out, CK_PROGRAM_MAGIC " %d\n", VERSION);
    write_record(out, "program", program_fields, p);
    WRITE_ALL(out, object, p->objects, p->object_count);
    WRITE_ALL(out, expr, p->exprs, p->expr_count);
    for (uint32_t t = 0; t < p->thread_count; t++) {
        const struct ck_thread *thread = &p->threads[t];

        write_record(out, "thread", thread_fields, thread);
        for (uint32_t r = 0; r < thread->reg_count; r++) {
            struct reg reg = {thread->reg_names[r], thread->reg_sizes[r], thread->reg_signed[r]};

            write_record(out, "reg", reg_fields, &reg);
        }
        WRITE_ALL(out, instr, thread->instrs, thread->instr_count);
    }
    WRITE_ALL(out, prop, p->props, p->prop_count);
    WRITE_ALL(out, observed, p->observed, p->observed_count);
    WRITE_ALL(out, edge, p->edges, p->edge_count);
    WRITE_ALL(out, input, p->inputs, p->input_count);
    WRITE_ALL(out, requirement, p->requirements, p->requirement_count);
    fputs("end\n", out);
    return MM_OK;
}

/* ---- reading --------------------------------------------------------------------------------------- */

struct reader {
    const char *at, *line_start, *name;
    unsigned line;
    struct ck_program *p;
    struct mm_error *err;
    enum mm_class failed; /* the first error */
    uint64_t value_count; /* initial values so far */
    bool begun, ended;
};
union record {
    struct ck_object object;
    struct ck_expr expr;
    struct ck_thread thread;
    struct reg reg;
    struct ck_instr instr;
    struct ck_prop prop;
    struct ck_term term;
    struct ck_edge edge;
    struct ck_input input;
    uint32_t requirement;
};

#define BAD(r, ...)                                                                                          \
    ((r)->failed = (r)->failed ? (r)->failed                                                                 \
                               : mm_fail_at((r)->err, MM_INVALID, "program.file", (r)->name, (r)->line,      \
                                            (unsigned)((r)->at - (r)->line_start) + 1, __VA_ARGS__))

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static size_t word_length(const char *s)
{
    size_t n = 0;

    while (is_word(s[n]))
        n++;
    return n;
}

static bool is_same_word(const char *s, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(s, word, n) == 0;
}

static uint64_t read_digits(struct reader *r, uint64_t most)
{
    uint64_t value = 0;

    if (*r->at < '0' || *r->at > '9')
        BAD(r, "a number is expected");
    for (; *r->at >= '0' && *r->at <= '9' && !r->failed; r->at++) {
        unsigned digit = (unsigned)(*r->at - '0');

        if (value > (most - digit) / 10 || most < digit)
            BAD(r, "the number is larger than %" PRIu64, most);
        value = value * 10 + digit;
    }
    return value;
}

static unsigned hex_digit(char c)
{
    return c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

/* "..." with \XX for a byte. */
static const char *read_text(struct reader *r)
{
    const char *end = *r->at == '"' ? strpbrk(r->at + 1, "\"\n") : NULL;
    char *text = NULL, *to;

    if (!end || *end != '"') {
        BAD(r, "a text in double quotes is expected");
        return NULL;
    }
    to = text = mm_arena_alloc(r->p->arena, (size_t)(end - r->at));
    if (!text) {
        r->failed = mm_fail(r->err, MM_LIMIT, "memory", "out of memory");
        return NULL;
    }
    for (r->at++; r->at < end; r->at++) {
        if (*r->at == '\\') {
            unsigned high = hex_digit(r->at[1]), low = high < 16 ? hex_digit(r->at[2]) : 16;

            if (low > 15 || high * 16 + low == 0) {
                BAD(r, "'\\' is not followed by two hexadecimal digits of a byte");
                return NULL;
            }
            *to++ = (char)(high * 16 + low);
            r->at += 2;
        } else {
            *to++ = *r->at;
        }
    }
    r->at++;
    return text;
}

static void read_word_field(struct reader *r, void *record, const struct field *f)
{
    size_t n = word_length(r->at);

    for (unsigned i = 0; i <= f->most; i++) {
        if (is_same_word(r->at, n, f->word(i))) {
            set_number(record, f, i);
            r->at += n;
            return;
        }
    }
    BAD(r, "%s: '%.*s' is not one of its words", f->name, (int)(n < 40 ? n : 40), r->at);
}

/* The values stay in the text until the object's size is known. */
static void read_values_field(struct reader *r, struct ck_object *object)
{
    object->initial = (const uint64_t *)(const void *)r->at;
    r->at += strspn(r->at, "0123456789,*");
}

static void read_field(struct reader *r, void *record, const struct field *f)
{
    switch (f->kind) {
    case NUMBER:
        set_number(record, f, read_digits(r, largest(f)));
        return;
    case SIGNED: {
        bool negative = *r->at == '-';

        r->at += negative;
        uint64_t value = read_digits(r, INT32_MAX);
        set_number(record, f, negative ? -value : value);
        return;
    }
    case WORD:
        read_word_field(r, record, f);
        return;
    case TEXT:
        *(const char **)(void *)((char *)record + f->offset) = read_text(r);
        return;
    case VALUES:
        read_values_field(r, record);
        return;
    }
}

static const struct field *find_field(const struct field *fields, const char *s, size_t n)
{
    for (const struct field *f = fields; f->name; f++)
        if (is_same_word(s, n, f->name))
            return f;
    return NULL;
}

/* The fields of a line, up to its end; defaults first. */
static void read_record(struct reader *r, const struct field *fields, void *record)
{
    uint64_t given = 0;

    for (const struct field *f = fields; f->name; f++)
        if (f->kind != TEXT && f->kind != VALUES)
            set_number(record, f, f->implied);
    while (*r->at == ' ' && !r->failed) {
        size_t n = word_length(++r->at);
        const struct field *f = r->at[n] == '=' ? find_field(fields, r->at, n) : NULL;

        if (!f) {
            BAD(r, "'%.*s' is not a field of this record", (int)(n < 40 ? n : 40), r->at);
            return;
        }
        if (given >> (f - fields) & 1)
            BAD(r, "%s is given twice", f->name);
        given |= UINT64_C(1) << (f - fields);
        r->at += n + 1;
        read_field(r, record, f);
    }
    if (*r->at != '\n' && !r->failed)
        BAD(r, "a space or the end of the line is expected");
}

/* Of OBJECT, whose initial values are text still. */
static uint64_t *read_values(struct reader *r, const struct ck_object *object)
{
    uint64_t count = object->element_size ? object->size / object->element_size : 0, i = 0;
    uint64_t most = object->element_size > 7 ? UINT64_MAX : (UINT64_C(1) << (8 * object->element_size)) - 1;
    const char *end = r->at;

    r->at = (const char *)(const void *)object->initial;
    if (count > MAX_VALUES - r->value_count) {
        BAD(r, "more than %d initial values", MAX_VALUES);
        return NULL;
    }
    r->value_count += count;
    uint64_t *values = mm_arena_alloc(r->p->arena, (size_t)(count + 1) * sizeof *values);
    if (!values)
        r->failed = mm_fail(r->err, MM_LIMIT, "memory", "out of memory");
    while (i < count && !r->failed) {
        uint64_t value = read_digits(r, most), n = 1;

        if (*r->at == '*') {
            r->at++;
            n = read_digits(r, count - i);
        }
        for (uint64_t k = 0; k < n && !r->failed; k++)
            values[i++] = value;
        if (i < count && !r->failed && *r->at++ != ',')
            BAD(r, "%" PRIu64 " initial values where there are %" PRIu64 " elements", i, count);
    }
    if (!r->failed && r->at != end && (*r->at == ',' || *r->at == '*' || (*r->at >= '0' && *r->at <= '9')))
        BAD(r, "more initial values than the %" PRIu64 " elements", count);
    r->at = r->failed ? r->at : end;
    return values;
}

static struct ck_thread *last_thread(struct reader *r)
{
    if (r->p->thread_count)
        return &r->p->threads[r->p->thread_count - 1];
    BAD(r, "there is no thread before this line");
    return NULL;
}

/* Adds RECORD, a line that begins with NAME; the index, UINT32_MAX: out of memory. */
typedef uint32_t add_record(struct reader *r, union record *record);

static uint32_t add_object(struct reader *r, union record *record)
{
    if (record->object.initial)
        record->object.initial = read_values(r, &record->object);
    return r->failed ? 0 : ck_program_add_object(r->p, &record->object);
}

static uint32_t add_expr(struct reader *r, union record *record)
{
    return ck_program_add_expr(r->p, &record->expr);
}

static uint32_t add_thread(struct reader *r, union record *record)
{
    return ck_program_add_thread(r->p, &record->thread);
}

static uint32_t add_reg(struct reader *r, union record *record)
{
    struct ck_thread *thread = last_thread(r);

    if (thread && thread->reg_count == MAX_REGISTERS)
        BAD(r, "more than %d registers", MAX_REGISTERS);
    return r->failed ? 0
                     : ck_program_add_reg(r->p, r->p->thread_count - 1, record->reg.name, record->reg.size,
                                          record->reg.is_signed);
}

static uint32_t add_instr(struct reader *r, union record *record)
{
    return last_thread(r) ? ck_program_add_instr(r->p, r->p->thread_count - 1, &record->instr) : 0;
}

static uint32_t add_prop(struct reader *r, union record *record)
{
    return ck_program_add_prop(r->p, &record->prop);
}

static uint32_t add_observed(struct reader *r, union record *record)
{
    return ck_program_add_observed(r->p, &record->term);
}

static uint32_t add_edge(struct reader *r, union record *record)
{
    return ck_program_add_edge(r->p, &record->edge);
}

static uint32_t add_input(struct reader *r, union record *record)
{
    return ck_program_add_input(r->p, &record->input);
}

static uint32_t add_requirement(struct reader *r, union record *record)
{
    return ck_program_add_requirement(r->p, record->requirement);
}

static const struct {
    const char *name;
    const struct field *fields;
    add_record *add;
} records[] = {{"object", object_fields, add_object}, {"expr", expr_fields, add_expr},
               {"thread", thread_fields, add_thread}, {"reg", reg_fields, add_reg},
               {"instr", instr_fields, add_instr},    {"prop", prop_fields, add_prop},
               {"edge", edge_fields, add_edge},       {"observed", observed_fields, add_observed},
               {"input", input_fields, add_input},    {"requirement", requirement_fields, add_requirement}};

static void read_line(struct reader *r)
{
    size_t n = word_length(r->at), i = 0, count = sizeof records / sizeof *records;
    union record record;

    if (r->ended) {
        BAD(r, "there is text behind the end");
    } else if (is_same_word(r->at, n, "end") && r->at[n] == '\n') {
        r->ended = true;
        r->at += n;
    } else if (is_same_word(r->at, n, "program") && !r->begun) {
        r->begun = true;
        r->at += n;
        read_record(r, program_fields, r->p);
    } else {
        while (i < count && !is_same_word(r->at, n, records[i].name))
            i++;
        if (i == count || !r->begun) {
            BAD(r, "a record '%.*s' is not expected here", (int)(n < 40 ? n : 40), r->at);
            return;
        }
        r->at += n;
        memset(&record, 0, sizeof record);
        read_record(r, records[i].fields, &record);
        if (!r->failed && records[i].add(r, &record) == UINT32_MAX)
            r->failed = mm_fail(r->err, MM_LIMIT, "memory", "out of memory");
    }
}

static void read_head(struct reader *r)
{
    size_t n = strlen(CK_PROGRAM_MAGIC);

    if (strncmp(r->at, CK_PROGRAM_MAGIC " ", n + 1) != 0) {
        BAD(r, "the text does not begin with '" CK_PROGRAM_MAGIC "'");
        return;
    }
    r->at += n + 1;
    uint64_t version = read_digits(r, UINT32_MAX);
    if (!r->failed && (version != VERSION || *r->at != '\n'))
        BAD(r, "version %" PRIu64 " of program files is not supported: %d is", version, VERSION);
}

enum mm_class ck_program_read(const char *text, size_t size, const char *name, struct ck_program **program,
                              struct mm_error *err)
{
    struct reader r = {
        .at = text, .line_start = text, .name = name, .line = 1, .p = ck_program_create(), .err = err};

    *program = NULL;
    if (!r.p)
        return mm_fail(err, MM_LIMIT, "memory", "out of memory");
    read_head(&r);
    while (!r.failed && *r.at == '\n' && r.at[1]) {
        r.line_start = ++r.at;
        r.line++;
        read_line(&r);
    }
    if (!r.failed && (size_t)(r.at - text) + (*r.at == '\n') != size)
        BAD(&r, "a line without an end, or a zero byte");
    if (!r.failed && !r.ended)
        BAD(&r, "the text has no 'end'");
    if (!r.failed)
        r.failed = ck_program_validate(r.p, err);
    if (r.failed)
        ck_program_destroy(r.p);
    else
        *program = r.p;
    return r.failed;
}
