/* Writes programs as text: one record per line, fields by name, without fields that have their default
 * value (docs/program-file.md). */
#include "checker/program/file_fields.h"

#include "memmodel/base/error.h"

#include <inttypes.h>

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
    fprintf(out, CK_PROGRAM_MAGIC " %d\n", CK_PROGRAM_VERSION);
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
