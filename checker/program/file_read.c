/* Reads programs from text.  docs/program-file.md */
#include "checker/program/file_fields.h"

#include "memmodel/base/error.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_VALUES = 1 << 20, MAX_REGISTERS = 1 << 16 };

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

static uint64_t largest_of_field(const struct field *f)
{
    return f->most ? f->most : f->size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * f->size)) - 1;
}

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
        r->failed = mm_out_of_memory(r->err);
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
        set_number(record, f, read_digits(r, largest_of_field(f)));
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

/* The initial values of OBJECT, converted from text. */
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
        r->failed = mm_out_of_memory(r->err);
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

/* Adds RECORD, a line that begins with NAME; the index, CK_NOT_ADDED: out of memory. */
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
        if (!r->failed && records[i].add(r, &record) == CK_NOT_ADDED)
            r->failed = mm_out_of_memory(r->err);
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
    if (!r->failed && (version != CK_PROGRAM_VERSION || *r->at != '\n'))
        BAD(r, "version %" PRIu64 " of program files is not supported: %d is", version, CK_PROGRAM_VERSION);
}

enum mm_class ck_program_read(const char *text, size_t size, const char *name, struct ck_program **program,
                              struct mm_error *err)
{
    struct reader r = {
        .at = text, .line_start = text, .name = name, .line = 1, .p = ck_program_create(), .err = err};

    *program = NULL;
    if (!r.p)
        return mm_out_of_memory(err);
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
