/* Prints a cycle as the text of a test. */
#include "litmus/generate/cycle.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

struct writer {
    const struct lt_cycle *cycle;
    FILE *out;
    unsigned indent;
};

static const char *location_name(unsigned location)
{
    static const char *const names[] = {"x", "y", "z", "w", "a", "b", "c", "d"};
    return names[location];
}

static bool through_generic(char region)
{
    return isupper((unsigned char)region);
}

static const char *region_word(char region)
{
    char lower = (char)tolower((unsigned char)region);
    return lower == 'l' ? "local" : lower == 's' ? "svm_atomics" : "global";
}

static const struct lt_cycle_edge *edge_into(const struct lt_cycle *c, unsigned i)
{
    return &c->edges[(i + c->length - 1) % c->length];
}

static void start_line(struct writer *w)
{
    fprintf(w->out, "%*s", (int)w->indent, "");
}

static void print_parameters(struct writer *w, unsigned thread)
{
    const struct lt_cycle *c = w->cycle;
    const char *comma = "";
    for (unsigned l = 0; l < c->locations; l++) {
        bool used = false, atomic = false;
        for (unsigned i = 0; i < c->length; i++)
            if (c->events[i].thread == thread && c->events[i].location == l) {
                used = true;
                atomic |= c->events[i].order != MM_ORDER_NONE;
            }
        if (!used)
            continue;
        fprintf(w->out, "%s%s %s* %s", comma,
                through_generic(c->region[l]) ? "generic" : region_word(c->region[l]),
                atomic ? "atomic_int" : "int", location_name(l));
        comma = ", ";
    }
}

static void print_access(struct writer *w, unsigned i, bool declare)
{
    const struct lt_cycle_event *e = &w->cycle->events[i];
    const char *x = location_name(e->location);
    start_line(w);
    if (!e->write)
        fprintf(w->out, "%sr%u = ", declare ? "int " : "", i);
    if (!e->order && e->write)
        fprintf(w->out, "*%s = %" PRId64, x, e->value);
    else if (!e->order)
        fprintf(w->out, "*%s", x);
    else if (e->write)
        fprintf(w->out, "%s(%s, %" PRId64, e->rmw ? "atomic_exchange_explicit" : "atomic_store_explicit", x,
                e->value);
    else
        fprintf(w->out, "%s(%s%s", e->rmw ? "atomic_fetch_add_explicit" : "atomic_load_explicit", x,
                e->rmw ? ", 0" : "");
    if (e->order)
        fprintf(w->out, ", %s, %s)", lt_order_text(e->order), lt_scope_text(e->scope));
    fputs(";\n", w->out);
}

static void print_fence(struct writer *w, const struct lt_cycle_edge *e, unsigned label)
{
    static const char *const flags[] = {"0", "CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE",
                                        "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE"};
    start_line(w);
    if (e->kind == LT_E_FENCE)
        fprintf(w->out, "atomic_work_item_fence(%s, %s, %s);\n", flags[e->flags & 3], lt_order_text(e->order),
                lt_scope_text(e->scope));
    else
        fprintf(w->out, "B%u: %s(%s, %s);\n", label,
                e->sub_group ? "sub_group_barrier" : "work_group_barrier", flags[e->flags & 3],
                lt_scope_text(e->scope));
}

/* A plain access after a read that may have seen another thread's write happens only if it did: otherwise
 * it would race whatever the orders are. */
static bool needs_guard(const struct lt_cycle *c, unsigned i)
{
    unsigned next = (i + 1) % c->length;
    return !c->events[i].write && c->events[i].order && edge_into(c, i)->kind == LT_E_RF &&
           !lt_cycle_is_external(&c->edges[i]) && !c->events[next].order;
}

static void print_thread(struct writer *w, unsigned thread, bool sub_groups)
{
    const struct lt_cycle *c = w->cycle;
    unsigned first = 0, depth = 0;
    while (c->events[first].thread != thread)
        first++;
    fprintf(w->out, "P%u@", thread);
    if (sub_groups)
        fprintf(w->out, "sg %u, ", c->sub_group[thread]);
    fprintf(w->out, "wg %u, dev 0 (", c->work_group[thread]);
    print_parameters(w, thread);
    fputs(") {\n", w->out);
    w->indent = 2;
    for (unsigned i = first, guarded = 0; i < c->length && c->events[i].thread == thread; i++) {
        if (guarded && !c->events[i].write) {
            start_line(w);
            fprintf(w->out, "int r%u = -1;\n", i);
        }
        guarded |= needs_guard(c, i);
    }
    unsigned before = (first + c->length - 1) % c->length;
    if (c->edges[before].kind == LT_E_BARRIER)
        print_fence(w, &c->edges[before], before);
    for (unsigned i = first; i < c->length && c->events[i].thread == thread; i++) {
        print_access(w, i, !depth);
        if (c->edges[i].kind == LT_E_FENCE || c->edges[i].kind == LT_E_BARRIER)
            print_fence(w, &c->edges[i], i);
        if (needs_guard(c, i)) {
            start_line(w);
            fprintf(w->out, "if (r%u == %" PRId64 ") {\n", i, c->events[i].value);
            w->indent += 2;
            depth++;
        }
    }
    while (depth--) {
        w->indent -= 2;
        start_line(w);
        fputs("}\n", w->out);
    }
    fputs("}\n\n", w->out);
}

/* Final value of location L; 0 if the reads determine the execution. */
static int64_t final_value(const struct lt_cycle *c, unsigned l)
{
    unsigned writes = 0;
    int64_t last = 0;
    for (unsigned i = 0; i < c->length; i++)
        if (c->events[i].write && c->events[i].location == l) {
            writes++;
            last = c->events[i].value > last ? c->events[i].value : last;
        }
    if (writes < 2)
        return 0;
    /* A ring over one location that closes with a coherence edge has the last write before the first. */
    bool single = c->locations == 1, closes = false;
    for (unsigned i = 0; single && i < c->length; i++) {
        const struct lt_cycle_event *a = &c->events[i], *b = &c->events[(i + 1) % c->length];
        closes |= c->edges[i].kind == LT_E_CO && a->value > b->value;
    }
    return closes ? 1 : last;
}

static void print_condition(struct writer *w)
{
    const struct lt_cycle *c = w->cycle;
    const char *and = "";
    fputs("exists (", w->out);
    for (unsigned i = 0; i < c->length; i++)
        if (!c->events[i].write) {
            fprintf(w->out, "%s%u:r%u = %" PRId64, and, c->events[i].thread, i, c->events[i].value);
            and = " /\\ ";
        }
    for (unsigned l = 0; l < c->locations; l++)
        if (final_value(c, l)) {
            fprintf(w->out, "%s%s = %" PRId64, and, location_name(l), final_value(c, l));
            and = " /\\ ";
        }
    fputs(")\n", w->out);
}

static bool names_sub_groups(const struct lt_cycle *c)
{
    bool named = false;
    for (unsigned i = 0; i < c->length; i++) {
        named |= c->events[i].order && c->events[i].scope == MM_SCOPE_SUB_GROUP;
        named |= c->edges[i].sub_group || c->edges[i].scope == MM_SCOPE_SUB_GROUP;
    }
    for (unsigned a = 0; a < c->threads; a++)
        for (unsigned b = 0; b < a; b++)
            named |= c->work_group[a] == c->work_group[b] && c->sub_group[a] == c->sub_group[b];
    return named;
}

void lt_cycle_emit(const struct lt_cycle *c, const char *name, const char *title, const char *properties,
                   FILE *out)
{
    struct writer w = {.cycle = c, .out = out};
    char text[LT_CYCLE_TEXT];
    bool sub_groups = names_sub_groups(c);
    lt_cycle_print(c, text, sizeof text);
    fprintf(out, "OPENCL %s\n\n(* %s\n%s   Cycle: %s%s *)\n\n{\n", name, title, properties, text,
            sub_groups ? "\n   Requires: sub-groups" : "");
    for (unsigned l = 0; l < c->locations; l++)
        if (through_generic(c->region[l]))
            fprintf(out, "%s int %s = 0;\n", region_word(c->region[l]), location_name(l));
        else
            fprintf(out, "[%s] = 0;\n", location_name(l));
    fputs("}\n\n", out);
    for (unsigned t = 0; t < c->threads; t++)
        print_thread(&w, t, sub_groups);
    print_condition(&w);
}
