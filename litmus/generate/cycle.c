/* Cycles: reading, printing, canonical form, names, weakening. */
#include "litmus/generate/cycle.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *name, *edges;
} shapes[] = {
    {"MP", "PodWW Rfe PodRR Fre"},
    {"SB", "PodWR Fre PodWR Fre"},
    {"LB", "PodRW Rfe PodRW Rfe"},
    {"S", "PodWW Rfe PodRW Coe"},
    {"R", "PodWW Coe PodWR Fre"},
    {"2+2W", "PodWW Coe PodWW Coe"},
    {"CoRR", "Rfe PosRR Fre"},
    {"CoRW", "Rfe PosRW Coe"},
    {"CoRR-2W", "Coe Rfe PosRR Fre"},
    {"WRC", "Rfe PodRW Rfe PodRR Fre"},
    {"RWC", "Rfe PodRR Fre PodWR Fre"},
    {"WWC", "Rfe PodRW Rfe PodRW Coe"},
    {"ISA2", "PodWW Rfe PodRW Rfe PodRR Fre"},
    {"3SB", "PodWR Fre PodWR Fre PodWR Fre"},
    {"3LB", "PodRW Rfe PodRW Rfe PodRW Rfe"},
    {"3.2W", "PodWW Coe PodWW Coe PodWW Coe"},
    {"W+RWC", "PodWW Rfe PodRR Fre PodWR Fre"},
    {"Z6.3", "PodWW Coe PodWW Rfe PodRR Fre"},
    {"IRIW", "Rfe PodRR Fre Rfe PodRR Fre"},
    {"BWR", "BasWR Fre"},
    {"BRW", "BasRW Rfe"},
    {"BWW", "BasWW Coe"},
    {"BMP", "PodWW BasWR PodRR Fre"},
    {"BWR-d", "PodWR Fre BadWR Fre"},
};

const char *lt_shape(const char *name)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(shapes[i].name, name) == 0)
            return shapes[i].edges;
    return NULL;
}

void lt_shape_names(char *text, size_t size)
{
    size_t n = 0;
    *text = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", i ? " " : "", shapes[i].name);
}

/* ---- words -------------------------------------------------------------------------------------------- */

struct word {
    const char *text;
    uint8_t value;
};
static const struct word orders[] = {{"Na", MM_ORDER_NONE}, {"Rlx", MM_RELAXED}, {"Acq", MM_ACQUIRE},
                                     {"Rel", MM_RELEASE},   {"AR", MM_ACQ_REL},  {"SC", MM_SEQ_CST}};
static const struct word scopes[] = {{"sg", MM_SCOPE_SUB_GROUP},
                                     {"wg", MM_SCOPE_WORK_GROUP},
                                     {"dev", MM_SCOPE_DEVICE},
                                     {"all", MM_SCOPE_ALL_SVM_DEVICES}};
static const struct word fence_flags[] = {
    {"l", MM_FENCE_LOCAL}, {"g", MM_FENCE_GLOBAL}, {"gl", MM_FENCE_GLOBAL | MM_FENCE_LOCAL}};
#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *word_of(const struct word *table, size_t n, uint8_t value)
{
    for (size_t i = 0; i < n; i++)
        if (table[i].value == value)
            return table[i].text;
    return "?";
}

static bool find_word(const struct word *table, size_t n, const char *text, uint8_t *value)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(table[i].text, text) == 0) {
            *value = table[i].value;
            return true;
        }
    return false;
}

bool lt_cycle_find_scope(const char *name, uint8_t *scope)
{
    return find_word(scopes, COUNT(scopes), name, scope);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* One dotted qualifier of an annotation or edge. */
static bool parse_qualifier(const char *text, struct lt_cycle_event *event, struct lt_cycle_edge *edge)
{
    if (event && strcmp(text, "rmw") == 0)
        return event->rmw = true;
    if (edge && strcmp(text, "sub") == 0)
        return edge->sub_group = true;
    if (edge && (find_word(orders, COUNT(orders), text, &edge->order) ||
                 find_word(fence_flags, COUNT(fence_flags), text, &edge->flags)))
        return true;
    return find_word(scopes, COUNT(scopes), text, event ? &event->scope : &edge->scope);
}

static bool parse_qualifiers(char *text, struct lt_cycle_event *event, struct lt_cycle_edge *edge)
{
    for (char *save, *word = strtok_r(text, ".", &save); word; word = strtok_r(NULL, ".", &save))
        if (!parse_qualifier(word, event, edge))
            return false;
    return true;
}

/* The edge that WORD names; directions of its ends. */
static bool read_edge(const char *word, struct lt_cycle_edge *edge, bool ends[2])
{
    static const struct {
        const char *name;
        uint8_t kind;
        bool from, to;
    } plain[] = {{"Rfe", LT_E_RF, true, false}, {"Fre", LT_E_FR, false, true}, {"Coe", LT_E_CO, true, true}};
    for (size_t i = 0; i < COUNT(plain); i++)
        if (strcmp(word, plain[i].name) == 0) {
            *edge = (struct lt_cycle_edge){.kind = plain[i].kind, .same = true};
            ends[0] = plain[i].from;
            ends[1] = plain[i].to;
            return true;
        }
    static const struct word kinds[] = {{"Po", LT_E_PO}, {"Fe", LT_E_FENCE}, {"Ba", LT_E_BARRIER}};
    char copy[64], head[3] = "";
    if (strlen(word) < 5 || strlen(word) >= sizeof copy || !strchr("sd", word[2]) || !strchr("RW", word[3]) ||
        !strchr("RW", word[4]) || (word[5] && word[5] != '.'))
        return false;
    memcpy(head, word, 2);
    *edge = (struct lt_cycle_edge){.same = word[2] == 's'};
    if (!find_word(kinds, COUNT(kinds), head, &edge->kind))
        return false;
    ends[0] = word[3] == 'W';
    ends[1] = word[4] == 'W';
    if (edge->kind == LT_E_FENCE)
        edge->order = MM_ACQ_REL;
    edge->flags = edge->kind == LT_E_PO ? 0 : MM_FENCE_GLOBAL;
    edge->scope = edge->kind == LT_E_PO        ? MM_SCOPE_NONE
                  : edge->kind == LT_E_BARRIER ? MM_SCOPE_WORK_GROUP
                                               : MM_SCOPE_DEVICE;
    strcpy(copy, word + 5);
    return parse_qualifiers(copy, NULL, edge);
}

static bool read_event(const char *word, struct lt_cycle_event *event)
{
    char copy[64];
    size_t length = strcspn(word, ".");
    if (strlen(word) >= sizeof copy)
        return false;
    strcpy(copy, word);
    char *rest = copy + length + (copy[length] == '.');
    copy[length] = '\0';
    *event = (struct lt_cycle_event){.scope = MM_SCOPE_DEVICE};
    return find_word(orders, COUNT(orders), copy, &event->order) && parse_qualifiers(rest, event, NULL);
}

/* "@0.0/1.0": work-group and sub-group of each thread. */
static bool read_places(const char *word, struct lt_cycle *cycle)
{
    unsigned n = 0;
    for (const char *p = word + 1; *p; p += *p == '/') {
        if (n == LT_CYCLE_MAX || !isdigit((unsigned char)p[0]) || p[1] != '.' ||
            !isdigit((unsigned char)p[2]) || (p[3] && p[3] != '/'))
            return false;
        cycle->work_group[n] = (uint8_t)(p[0] - '0');
        cycle->sub_group[n++] = (uint8_t)(p[2] - '0');
        p += 3;
    }
    return true;
}

static bool read_word(const char *word, struct lt_cycle *cycle, bool ends[LT_CYCLE_MAX][2], bool *annotated)
{
    if (*word == '@')
        return read_places(word, cycle);
    if (*word == ':') {
        size_t n = strspn(word + 1, LT_CYCLE_REGIONS);
        for (size_t i = 0; i < n && i < LT_CYCLE_MAX; i++)
            cycle->region[i] = word[1 + i];
        return !word[1 + n] && n <= LT_CYCLE_MAX;
    }
    if (cycle->length == LT_CYCLE_MAX)
        return false;
    if (read_edge(word, &cycle->edges[cycle->length], ends[cycle->length])) {
        *annotated = false;
        cycle->length++;
        return true;
    }
    bool ok = !*annotated && read_event(word, &cycle->events[cycle->length]);
    *annotated = true;
    return ok;
}

static bool order_fits(const struct lt_cycle_event *e)
{
    bool reads = !e->write || e->rmw, writes = e->write || e->rmw;
    return (reads || (e->order != MM_ACQUIRE && e->order != MM_ACQ_REL)) &&
           (writes || (e->order != MM_RELEASE && e->order != MM_ACQ_REL)) && (e->order || !e->rmw);
}

enum mm_class lt_cycle_parse(const char *text, struct lt_cycle *cycle, struct mm_error *err)
{
    char copy[LT_CYCLE_TEXT];
    bool ends[LT_CYCLE_MAX][2] = {{false}}, annotated = false;
    *cycle = (struct lt_cycle){0};
    for (unsigned i = 0; i < LT_CYCLE_MAX; i++) {
        cycle->events[i] = (struct lt_cycle_event){.order = MM_RELAXED, .scope = MM_SCOPE_DEVICE};
        cycle->work_group[i] = (uint8_t)i;
        cycle->region[i] = 'g';
    }
    if (strlen(text) >= sizeof copy)
        return mm_fail(err, MM_INVALID, "litmus.cycle", "a cycle of more than %zu characters",
                       sizeof copy - 1);
    strcpy(copy, text);
    for (char *save, *word = strtok_r(copy, " \t\n", &save); word; word = strtok_r(NULL, " \t\n", &save))
        if (!read_word(word, cycle, ends, &annotated))
            return mm_fail(err, MM_INVALID, "litmus.cycle", "'%s' has no place in a cycle here", word);
    for (unsigned i = 0; i < cycle->length; i++) {
        if (ends[i][1] != ends[(i + 1) % cycle->length][0])
            return mm_fail(err, MM_INVALID, "litmus.cycle", "edges %u and %u do not meet: one ends at a %s",
                           i + 1, (i + 1) % cycle->length + 1, ends[i][1] ? "write" : "read");
        cycle->events[i].write = ends[i][0];
    }
    for (unsigned i = 0; i < cycle->length; i++)
        if (!order_fits(&cycle->events[i]))
            return mm_fail(err, MM_INVALID, "litmus.cycle", "access %u: no %s has the order %s", i + 1,
                           cycle->events[i].write ? "write" : "read", mm_order_name(cycle->events[i].order));
    if (annotated || !lt_cycle_settle(cycle))
        return mm_fail(err, MM_INVALID, "litmus.cycle", "'%s' is not a cycle over several threads", text);
    return MM_OK;
}

/* ---- canonical form ------------------------------------------------------------------------------ */

/* Threads and locations, event 0 being the first of its thread.  False if there are not two threads, or one
 * change of location alone. */
static bool cycle_number_threads(struct lt_cycle *c)
{
    unsigned changes = 0, thread = 0, location = 0;
    for (unsigned i = 0; i < c->length; i++)
        changes += !c->edges[i].same;
    c->locations = changes ? changes : 1;
    for (unsigned i = 0; i < c->length; i++) {
        c->events[i].thread = (uint8_t)thread;
        c->events[i].location = (uint8_t)(location % c->locations);
        thread += lt_cycle_is_external(&c->edges[i]);
        location += !c->edges[i].same;
    }
    c->threads = thread;
    return changes != 1 && thread >= 2 && lt_cycle_is_external(&c->edges[c->length - 1]);
}

/* C with the events and edges of the ring from event FIRST on. */
static struct lt_cycle turn_ring(const struct lt_cycle *c, unsigned first)
{
    struct lt_cycle t = *c;
    for (unsigned i = 0; i < c->length; i++) {
        t.events[i] = c->events[(first + i) % c->length];
        t.edges[i] = c->edges[(first + i) % c->length];
    }
    return t;
}

/* Numbers the groups of N threads in order of appearance, among the threads of the same OUTER group (NULL:
 * all). */
static void number_groups(uint8_t *groups, const uint8_t *outer, unsigned n)
{
    uint8_t old[LT_CYCLE_MAX];
    memcpy(old, groups, n);
    for (unsigned i = 0; i < n; i++) {
        uint8_t number = 0;
        for (unsigned j = 0; j < i; j++) {
            if (outer && outer[j] != outer[i])
                continue;
            if (old[j] == old[i]) {
                number = groups[j];
                break;
            }
            if (groups[j] >= number)
                number = (uint8_t)(groups[j] + 1);
        }
        groups[i] = number;
    }
}

/* The cycle that starts at event FIRST of C, which is the first of its thread. */
static struct lt_cycle rotate_cycle(const struct lt_cycle *c, unsigned first)
{
    struct lt_cycle t = turn_ring(c, first);
    for (unsigned i = 0; i < c->threads; i++) {
        unsigned from = (i + c->events[first].thread) % c->threads;
        t.work_group[i] = c->work_group[from];
        t.sub_group[i] = c->sub_group[from];
    }
    for (unsigned i = 0; i < c->locations; i++)
        t.region[i] = c->region[(i + c->events[first].location) % c->locations];
    number_groups(t.work_group, NULL, c->threads);
    number_groups(t.sub_group, t.work_group, c->threads);
    cycle_number_threads(&t);
    return t;
}

/* Values along each location, in the order that the cycle implies; the edge that closes a ring over a single
 * location is the one that contradicts it. */
static bool assign_values(struct lt_cycle *c)
{
    unsigned n = c->length, first = 0;
    bool single = true;
    for (unsigned i = 0; i < n; i++)
        single &= c->edges[i].same;
    if (single) {
        while (first < n && !(c->events[first].write && lt_cycle_is_external(&c->edges[(first + n - 1) % n])))
            first++;
        if (first == n)
            return false;
    }
    int64_t last[LT_CYCLE_MAX] = {0};
    /* Start at the first access of a location. */
    while (!single && c->edges[(first + n - 1) % n].same)
        first++;
    for (unsigned k = 0; k < n; k++) {
        struct lt_cycle_event *e = &c->events[(first + k) % n];
        last[e->location] += e->write;
        e->value = last[e->location];
    }
    if (single) {
        struct lt_cycle_event *end = &c->events[(first + n - 1) % n];
        if (!end->write)
            end->value = 0;
        else if (c->edges[(first + n - 1) % n].kind == LT_E_CO && last[0] != 2)
            return false;
    }
    return true;
}

bool lt_cycle_settle(struct lt_cycle *c)
{
    char best[LT_CYCLE_TEXT] = "", text[LT_CYCLE_TEXT];
    unsigned start = 0;
    struct lt_cycle chosen = *c;
    while (start < c->length && !lt_cycle_is_external(&c->edges[(start + c->length - 1) % c->length]))
        start++;
    if (c->length < 2 || start == c->length)
        return false;
    struct lt_cycle base = turn_ring(c, start);
    if (!cycle_number_threads(&base))
        return false;
    for (unsigned i = 0; i < base.length; i++) {
        if (!lt_cycle_is_external(&base.edges[(i + base.length - 1) % base.length]))
            continue;
        struct lt_cycle t = rotate_cycle(&base, i);
        lt_cycle_print(&t, text, sizeof text);
        if (!*best || strcmp(text, best) > 0) {
            strcpy(best, text);
            chosen = t;
        }
    }
    *c = chosen;
    return assign_values(c);
}

/* ---- printing ------------------------------------------------------------------------------------ */

static const char *order_word(uint8_t order)
{
    return word_of(orders, COUNT(orders), order);
}

static const char *scope_word(uint8_t scope)
{
    return word_of(scopes, COUNT(scopes), scope);
}

static void print_edge(const struct lt_cycle *c, unsigned i, FILE *out)
{
    static const char *const names[] = {"Po", "Fe", "Rfe", "Fre", "Coe", "Ba"};
    const struct lt_cycle_edge *e = &c->edges[i];
    fputs(names[e->kind], out);
    if (e->kind >= LT_E_RF && e->kind <= LT_E_CO)
        return;
    bool to = c->events[(i + 1) % c->length].write;
    fprintf(out, "%c%c%c", e->same ? 's' : 'd', c->events[i].write ? 'W' : 'R', to ? 'W' : 'R');
    if (e->kind == LT_E_FENCE)
        fprintf(out, ".%s", order_word(e->order));
    if (e->kind != LT_E_PO)
        fprintf(out, ".%s.%s%s", scope_word(e->scope), word_of(fence_flags, COUNT(fence_flags), e->flags),
                e->sub_group ? ".sub" : "");
}

void lt_cycle_print(const struct lt_cycle *c, char *buf, size_t size)
{
    FILE *out = fmemopen(buf, size, "w");
    if (!out) {
        *buf = '\0';
        return;
    }
    for (unsigned i = 0; i < c->length; i++) {
        const struct lt_cycle_event *e = &c->events[i];
        fputs(order_word(e->order), out);
        if (e->order)
            fprintf(out, "%s.%s", e->rmw ? ".rmw" : "", scope_word(e->scope));
        fputc(' ', out);
        print_edge(c, i, out);
        fputc(' ', out);
    }
    for (unsigned i = 0; i < c->threads; i++)
        fprintf(out, "%c%u.%u", i ? '/' : '@', c->work_group[i], c->sub_group[i]);
    fputs(" :", out);
    for (unsigned i = 0; i < c->locations; i++)
        fputc(c->region[i], out);
    fputc('\0', out);
    fclose(out);
    buf[size - 1] = '\0';
}

/* Name of the shape whose edges C has, whatever the thread it starts with. */
static const char *shape_name(const struct lt_cycle *c)
{
    for (size_t s = 0; s < COUNT(shapes); s++) {
        struct lt_cycle other;
        if (lt_cycle_parse(shapes[s].edges, &other, NULL) != MM_OK || other.length != c->length)
            continue;
        for (unsigned shift = 0; shift < c->length; shift++) {
            bool same = true;
            for (unsigned i = 0; i < c->length && same; i++) {
                const struct lt_cycle_edge *a = &c->edges[(i + shift) % c->length], *b = &other.edges[i];
                uint8_t kind = a->kind == LT_E_FENCE ? LT_E_PO : a->kind;
                same = kind == b->kind && a->same == b->same &&
                       c->events[(i + shift) % c->length].write == other.events[i].write;
            }
            if (same)
                return shapes[s].name;
        }
    }
    return "cycle";
}

static void print_lower(const char *word, FILE *out)
{
    for (; *word; word++)
        fputc(tolower((unsigned char)*word), out);
}

void lt_cycle_name(const struct lt_cycle *c, char *buf, size_t size)
{
    FILE *out = fmemopen(buf, size, "w");
    if (!out) {
        *buf = '\0';
        return;
    }
    fputs(shape_name(c), out);
    for (unsigned i = 0; i < c->length; i++) {
        const struct lt_cycle_event *e = &c->events[i];
        bool first = i == 0 || lt_cycle_is_external(&c->edges[i - 1]);
        fputc(first ? '+' : '-', out);
        print_lower(order_word(e->order), out);
        if (e->order)
            fprintf(out, "%s.%s", e->rmw ? ".rmw" : "", scope_word(e->scope));
        const struct lt_cycle_edge *edge = &c->edges[i];
        if (edge->kind == LT_E_FENCE || edge->kind == LT_E_BARRIER) {
            fputs(edge->kind == LT_E_FENCE ? "-f" : edge->sub_group ? "-sb" : "-b", out);
            if (edge->kind == LT_E_FENCE)
                print_lower(order_word(edge->order), out);
            fprintf(out, ".%s.%s", scope_word(edge->scope),
                    word_of(fence_flags, COUNT(fence_flags), edge->flags));
        }
    }
    fputc('@', out);
    for (unsigned i = 0; i < c->threads; i++)
        fprintf(out, "%u%c", c->work_group[i], 'a' + c->sub_group[i]);
    fputc('.', out);
    for (unsigned i = 0; i < c->locations; i++)
        fputc(c->region[i], out);
    fputc('\0', out);
    fclose(out);
    buf[size - 1] = '\0';
}

/* ---- weakening ---------------------------------------------------------------------------------- */

/* Orders one step below ORDER for an access; at most two. */
static unsigned lower_orders(uint8_t order, bool reads, bool writes, uint8_t lower[2])
{
    switch (order) {
    case MM_SEQ_CST:
        lower[0] = reads && writes ? MM_ACQ_REL : reads ? MM_ACQUIRE : MM_RELEASE;
        return 1;
    case MM_ACQ_REL:
        lower[0] = MM_ACQUIRE;
        lower[1] = MM_RELEASE;
        return 2;
    case MM_ACQUIRE:
    case MM_RELEASE:
        lower[0] = MM_RELAXED;
        return 1;
    default:
        return 0;
    }
}

static uint8_t lower_scope(uint8_t scope)
{
    static const uint8_t table[MM_SCOPE_COUNT] = {[MM_SCOPE_WORK_GROUP] = MM_SCOPE_SUB_GROUP,
                                                  [MM_SCOPE_DEVICE] = MM_SCOPE_WORK_GROUP,
                                                  [MM_SCOPE_ALL_SVM_DEVICES] = MM_SCOPE_DEVICE};
    return table[scope];
}

struct weakening {
    struct lt_cycle *result;
    unsigned wanted, seen;
    char *what;
    size_t size;
};

static bool is_wanted(struct weakening *w)
{
    return w->seen++ == w->wanted;
}

static bool weaken_event(struct weakening *w, unsigned i)
{
    struct lt_cycle_event *e = &w->result->events[i];
    uint8_t lower[2], scope = e->order ? lower_scope(e->scope) : MM_SCOPE_NONE;
    unsigned n = lower_orders(e->order, !e->write || e->rmw, e->write || e->rmw, lower);
    for (unsigned k = 0; k < n; k++)
        if (is_wanted(w)) {
            snprintf(w->what, w->size, "a %s %s instead of %s", mm_order_name(lower[k]),
                     e->rmw     ? "read-modify-write"
                     : e->write ? "write"
                                : "read",
                     mm_order_name(e->order));
            e->order = lower[k];
            return true;
        }
    if (scope && is_wanted(w)) {
        snprintf(w->what, w->size, "%s scope of a %s instead of %s", mm_scope_name(scope),
                 e->write ? "write" : "read", mm_scope_name(e->scope));
        e->scope = scope;
        return true;
    }
    return false;
}

static bool weaken_edge(struct weakening *w, unsigned i)
{
    struct lt_cycle_edge *e = &w->result->edges[i];
    uint8_t lower[2];
    if (e->kind != LT_E_FENCE && e->kind != LT_E_BARRIER)
        return false;
    const char *name = e->kind == LT_E_FENCE ? "fence" : "barrier";
    unsigned n = e->kind == LT_E_FENCE ? lower_orders(e->order, true, true, lower) : 0;
    for (unsigned k = 0; k < n; k++)
        if (is_wanted(w)) {
            snprintf(w->what, w->size, "%s fence instead of %s",
                     lower[k] == MM_RELAXED ? "no" : mm_order_name(lower[k]), mm_order_name(e->order));
            e->order = lower[k];
            if (e->order == MM_RELAXED)
                *e = (struct lt_cycle_edge){.kind = LT_E_PO, .same = e->same};
            return true;
        }
    uint8_t scope = lower_scope(e->scope);
    if (scope && is_wanted(w)) {
        snprintf(w->what, w->size, "%s scope of a %s instead of %s", mm_scope_name(scope), name,
                 mm_scope_name(e->scope));
        e->scope = scope;
        return true;
    }
    for (unsigned bit = MM_FENCE_LOCAL; bit <= MM_FENCE_GLOBAL; bit <<= 1)
        if ((e->flags & bit) && e->flags != bit && is_wanted(w)) {
            snprintf(w->what, w->size, "a %s without %s", name,
                     bit == MM_FENCE_LOCAL ? "CLK_LOCAL_MEM_FENCE" : "CLK_GLOBAL_MEM_FENCE");
            e->flags = (uint8_t)(e->flags & ~bit);
            return true;
        }
    return false;
}

bool lt_cycle_weaken(const struct lt_cycle *c, unsigned index, struct lt_cycle *weaker, char *what,
                     size_t size)
{
    struct weakening w = {.result = weaker, .wanted = index, .what = what, .size = size};
    *weaker = *c;
    for (unsigned i = 0; i < c->length; i++)
        if (weaken_event(&w, i) || weaken_edge(&w, i))
            return true;
    return false;
}
