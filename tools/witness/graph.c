/* Executions as text and as graphs: events and relations. */
#include "memmodel/base/escape.h"
#include "tools/verdict_text.h"
#include "tools/witness/witness.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *thread_name(const struct ck_program *program, const struct ck_event *h)
{
    return h->thread < program->thread_count ? program->threads[h->thread].name : "init";
}

static const char *style_of(const struct verdict_edge *e)
{
    static const char *const styles[][2] = {
        {"rf", "color=red"}, {"rmw", "color=gray"}, {"co", "color=blue"}, {"fr", "color=orange"}};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (strcmp(styles[i][0], e->name) == 0)
            return styles[i][1];
    return "color=magenta, style=bold, dir=none"; /* the pair that raises a flag */
}

struct drawing {
    const struct ck_execution *x;
    FILE *out;
};

/* ---- text ------------------------------------------------------------------------------------------ */

static void print_edge(void *context, const struct verdict_edge *e)
{
    struct drawing *d = context;
    const struct ck_execution *x = d->x;
    mm_print(d->out, "        %s %u -> %u\n", e->name, x->events[e->from].step, x->events[e->to].step);
}

/* Calls VISIT with each event, in order. */
static void each_step(const struct ck_program *program, const struct ck_execution *x, FILE *out,
                      void (*visit)(const struct ck_program *, const struct ck_event *, FILE *))
{
    for (size_t step = 0; step < x->count; step++)
        for (size_t i = 0; i < x->count; i++)
            if (x->events[i].step == step)
                visit(program, &x->events[i], out);
}

static void print_step(const struct ck_program *program, const struct ck_event *h, FILE *out)
{
    char text[VERDICT_TEXT];
    verdict_event_text(program, h, text);
    mm_print(out, "    %5u  %s: %s", h->step, thread_name(program, h), text);
    fprintf(out, h->line ? "  line %u\n" : "\n", h->line);
}

void witness_print(const struct ck_program *program, const struct ck_execution *x, FILE *out)
{
    each_step(program, x, out, print_step);
    verdict_each_edge(x, print_edge, &(struct drawing){x, out});
}

/* ---- graphs ---------------------------------------------------------------------------------------- */

static void draw_edge(void *context, const struct verdict_edge *e)
{
    struct drawing *d = context;
    fprintf(d->out, "  e%zu -> e%zu [label=\"", e->from, e->to);
    mm_dump_dot_text(d->out, e->name);
    fprintf(d->out, "\", %s, constraint=false];\n", style_of(e));
}

static void draw_event(const struct ck_program *program, const struct ck_execution *x, size_t i, FILE *out)
{
    const struct ck_event *h = &x->events[i];
    char text[VERDICT_TEXT];
    verdict_event_text(program, h, text);
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
        if (x->events[i].thread != (thread < program->thread_count ? thread : CK_NO_THREAD))
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
    verdict_each_edge(x, draw_edge, &(struct drawing){x, out});
    fprintf(out, "}\n");
}
