/* Executions as text and as graphs: events and relations. */
#include "tools/witness/witness.h"

#include <inttypes.h>
#include <stdio.h>

enum { LABEL = 200 };

int64_t witness_value(const struct ck_object *object, uint64_t value, unsigned size)
{
    return object->is_signed ? ck_sign_extend(value, size) : (int64_t)value;
}

void witness_element(const struct ck_object *object, uint64_t offset, char *text, size_t size)
{
    if (object->size > object->element_size)
        snprintf(text, size, "%s[%" PRIu64 "]", object->name, offset / object->element_size);
    else
        snprintf(text, size, "%s", object->name);
}

/* "read x = 1 (acquire)" */
static void label(const struct ck_program *program, const struct ck_happening *h, char text[LABEL])
{
    char element[120] = "", value[24] = "";
    if (h->object < program->object_count) {
        const struct ck_object *o = &program->objects[h->object];
        witness_element(o, h->offset, element, sizeof element);
        snprintf(value, sizeof value, " = %" PRId64, witness_value(o, h->value, h->size));
    }
    snprintf(text, LABEL, "%s%s%s%s%s%s%s", mm_kind_name((enum mm_kind)h->kind), *element ? " " : "", element,
             value, h->order ? " (" : "", h->order ? mm_order_name((enum mm_order)h->order) : "",
             h->order ? ")" : "");
}

static const char *thread_name(const struct ck_program *program, const struct ck_happening *h)
{
    return h->thread < program->thread_count ? program->threads[h->thread].name : "init";
}

/* ---- relations ------------------------------------------------------------------------------------- */

static bool is_before(const struct mm_rel *co, size_t i, size_t j)
{
    return co->bits[i * co->words + j / 64] >> (j % 64) & 1;
}

/* Whether J comes next after I in coherence order. */
static bool is_next(const struct ck_execution *x, size_t i, size_t j)
{
    bool next = is_before(&x->co, i, j);
    for (size_t k = 0; k < x->count && next; k++)
        next = !is_before(&x->co, i, k) || !is_before(&x->co, k, j);
    return next;
}

struct edge {
    const char *name, *style;
    size_t from, to;
};
typedef void edge_function(const struct ck_execution *x, const struct edge *edge, FILE *out);

/* Calls VISIT with each edge of the transitive reduction, except program order. */
static void each_edge(const struct ck_execution *x, edge_function *visit, FILE *out)
{
    for (size_t i = 0; i < x->count; i++) {
        const struct ck_happening *h = &x->happenings[i];
        if (h->source != UINT32_MAX)
            visit(x, &(struct edge){"rf", "color=red", h->source, i}, out);
        if (h->partner != UINT32_MAX && h->kind == MM_READ)
            visit(x, &(struct edge){"rmw", "color=gray", i, h->partner}, out);
        for (size_t k = 0; k < x->count; k++) {
            if (is_next(x, i, k))
                visit(x, &(struct edge){"co", "color=blue", i, k}, out);
            if (h->source != UINT32_MAX && k != h->partner && is_next(x, h->source, k))
                visit(x, &(struct edge){"fr", "color=orange", i, k}, out);
        }
    }
    size_t a = x->between[0], b = x->between[x->between[1] != UINT32_MAX];
    if (a != UINT32_MAX)
        visit(x, &(struct edge){x->flag, "color=magenta, style=bold, dir=none", a, b}, out);
}

/* ---- text ------------------------------------------------------------------------------------------ */

static void tell_edge(const struct ck_execution *x, const struct edge *e, FILE *out)
{
    fprintf(out, "        %s %u -> %u\n", e->name, x->happenings[e->from].step, x->happenings[e->to].step);
}

/* Calls VISIT with each event, in order. */
static void each_step(const struct ck_program *program, const struct ck_execution *x, FILE *out,
                      void (*visit)(const struct ck_program *, const struct ck_happening *, FILE *))
{
    for (size_t step = 0; step < x->count; step++)
        for (size_t i = 0; i < x->count; i++)
            if (x->happenings[i].step == step)
                visit(program, &x->happenings[i], out);
}

static void tell_step(const struct ck_program *program, const struct ck_happening *h, FILE *out)
{
    char text[LABEL];
    label(program, h, text);
    fprintf(out, "    %5u  %s: %s", h->step, thread_name(program, h), text);
    fprintf(out, h->line ? "  line %u\n" : "\n", h->line);
}

void witness_print(const struct ck_program *program, const struct ck_execution *x, FILE *out)
{
    each_step(program, x, out, tell_step);
    each_edge(x, tell_edge, out);
}

/* ---- graphs ---------------------------------------------------------------------------------------- */

static void draw_edge(const struct ck_execution *x, const struct edge *e, FILE *out)
{
    (void)x;
    fprintf(out, "  e%zu -> e%zu [label=\"", e->from, e->to);
    mm_dump_dot_text(out, e->name);
    fprintf(out, "\", %s, constraint=false];\n", e->style);
}

static void draw_event(const struct ck_program *program, const struct ck_execution *x, size_t i, FILE *out)
{
    const struct ck_happening *h = &x->happenings[i];
    char text[LABEL];
    label(program, h, text);
    fprintf(out, "    e%zu [label=\"%u: ", i, h->step);
    mm_dump_dot_text(out, text);
    fprintf(out, h->line ? "\\nline %u\"];\n" : "\"];\n", h->line);
}

static void draw_thread(const struct ck_program *program, const struct ck_execution *x, uint32_t thread,
                        FILE *out)
{
    size_t before = SIZE_MAX;
    fprintf(out, "  subgraph cluster_%u {\n    label=\"", thread);
    mm_dump_dot_text(out, thread < program->thread_count ? program->threads[thread].name : "initial values");
    fprintf(out, "\";\n");
    for (size_t i = 0; i < x->count; i++) {
        if (x->happenings[i].thread != (thread < program->thread_count ? thread : UINT32_MAX))
            continue;
        draw_event(program, x, i, out);
        if (before != SIZE_MAX && thread < program->thread_count)
            fprintf(out, "    e%zu -> e%zu [label=\"po\", weight=10];\n", before, i);
        before = i;
    }
    fprintf(out, "  }\n");
}

void witness_print_dot(const struct ck_program *program, const struct ck_execution *x, FILE *out)
{
    char what[WITNESS_TEXT];
    witness_describe(program, x, what);
    fprintf(out, "digraph execution {\n  label=\"");
    mm_dump_dot_text(out, program->name ? program->name : "");
    fprintf(out, ": %s%s", witness_kind(x), *what == ' ' ? "" : " ");
    mm_dump_dot_text(out, what);
    fprintf(out, "\";\n  node [shape=box, fontname=monospace, fontsize=10];\n");
    for (uint32_t t = 0; t <= program->thread_count; t++)
        draw_thread(program, x, t, out);
    each_edge(x, draw_edge, out);
    fprintf(out, "}\n");
}
