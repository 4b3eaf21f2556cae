/* Projections that prune combinations of traces.
 *
 * Most combinations are inconsistent because of one or two locations: two threads that take the same
 * ticket, a flag that arrives before its data.  A view projects each trace to the accesses of some shared
 * locations, its fences and barriers; many traces share a projection.  Answers about projections are cached.
 * docs/search.md#trace-listing */
#include "checker/search/view.h"
#include "checker/search/exec.h"

#include <string.h>

enum {
    MAX_VIEWS = 64,
    MAX_PAIRED = 9,
    MAX_PROJECTIONS = 1 << 12,
    MAX_TRACES = 1 << 13,
    MAX_KNOWN = 1 << 22,
    FEW_PROJECTIONS = 64
};
enum verdict { OPEN, GOOD, BAD };

struct count { /* evaluations, and those that pruned */
    uint32_t asked, bad;
};
struct projections { /* of one thread in one view */
    uint32_t *of;    /* by trace: number of its projection */
    struct sx_trace *list;
    uint32_t count;
};
struct view {
    uint32_t locations[2];           /* the second UINT32_MAX: one alone; both: all shared ones */
    struct projections *projections; /* by thread */
    uint8_t **pairs;                 /* by two threads, then by two projections */
    bool few;                        /* few projections: all may be tried */
    uint64_t *pairs_of_location;
    struct count two, *more; /* for two threads; by thread: for all up to it */
    uint32_t *path;          /* by thread: number of the path of projections so far */
};
struct known { /* an answer for a path of projections: a shorter path and one more projection */
    uint64_t key;
    uint32_t number;
    uint8_t verdict;
};
struct sx_views {
    struct sx *sx;
    uint32_t threads, count;
    struct view *views;
    struct known *table;
    uint32_t table_size, known_count;
    const struct sx_trace **some, **two;
    uint64_t *elsewhere;
    bool none_left; /* some thread has no trace compatible with those chosen */
};

/* ---- projections --------------------------------------------------------------------------------- */

static bool is_seen(const struct sx *sx, const struct view *v, const struct sx_event *e)
{
    if (e->location == UINT32_MAX)
        return true;
    if (v->locations[0] == UINT32_MAX)
        return sx->locations[e->location].shared;
    return e->location == v->locations[0] || e->location == v->locations[1];
}

static bool same_projection(const struct sx_trace *a, const struct sx_trace *b)
{
    for (uint32_t i = 0; i < a->event_count && a->event_count == b->event_count; i++) {
        const struct sx_event *x = &a->events[i], *y = &b->events[i];

        if (x->instr != y->instr || x->kind != y->kind || x->location != y->location ||
            x->value != y->value || x->order != y->order || x->barrier != y->barrier ||
            x->occurrence != y->occurrence || x->object != y->object || x->first_half != y->first_half)
            return false;
    }
    return a->event_count == b->event_count;
}

static uint64_t hash_projection(const struct sx_trace *t)
{
    uint64_t h = t->event_count;

    for (uint32_t i = 0; i < t->event_count; i++) {
        const struct sx_event *e = &t->events[i];

        h = (h ^ (uint64_t)(uintptr_t)e->instr ^ e->value << 8 ^ e->location) * 0x9E3779B97F4A7C15U;
        h ^= h >> 29;
    }
    return h;
}

static bool project_trace(struct sx *sx, const struct view *v, const struct sx_trace *t,
                          struct sx_trace *projection)
{
    *projection = *t;
    projection->event_count = 0;
    projection->events = mm_arena_alloc(sx->traces, (t->event_count + 1) * sizeof *projection->events);
    for (uint32_t i = 0; i < t->event_count && projection->events; i++) {
        if (is_seen(sx, v, &t->events[i]))
            projection->events[projection->event_count++] = t->events[i];
    }
    return projection->events != NULL;
}

static bool find_projections(struct sx *sx, struct view *v, uint32_t t)
{
    const struct sx_thread *thread = &sx->threads[t];
    struct projections *l = &v->projections[t];
    uint32_t size = 64, *table;

    while (size < 2 * thread->trace_count)
        size *= 2;
    table = mm_alloc_zero(size, sizeof *table);
    l->of = mm_arena_alloc(sx->traces, (thread->trace_count + 1) * sizeof *l->of);
    l->list = mm_arena_alloc(sx->traces, (thread->trace_count + 1) * sizeof *l->list);
    if (!table || !l->of || !l->list) {
        mm_free(table);
        return false;
    }
    for (uint32_t i = 0; i < thread->trace_count; i++) {
        struct sx_trace projection;
        uint64_t at;

        if (!project_trace(sx, v, &thread->traces[i], &projection))
            break;
        for (at = hash_projection(&projection) & (size - 1); table[at]; at = (at + 1) & (size - 1)) {
            if (same_projection(&l->list[table[at] - 1], &projection))
                break;
        }
        if (!table[at]) {
            if (!sx_index_trace(sx, &projection))
                break;
            l->list[l->count++] = projection;
            table[at] = l->count;
        }
        l->of[i] = table[at] - 1;
    }
    mm_free(table);
    return true;
}

/* ---- setting up ---------------------------------------------------------------------------------- */

/* For a view of one location: its pairs, and whether all its projections may be tried. */
static bool note_location(struct sx *sx, struct view *v)
{
    uint32_t l = v->locations[0];

    v->pairs_of_location = mm_arena_alloc(sx->traces, (sx->pair_words + 1) * sizeof *v->pairs_of_location);
    v->few = l != UINT32_MAX && v->locations[1] == UINT32_MAX;
    for (uint32_t i = 0; v->pairs_of_location && v->few && i < sx->locations[l].value_count; i++)
        mm_set_add(v->pairs_of_location, sx->locations[l].first_pair + i);
    for (uint32_t t = 0; t < sx->program->thread_count; t++)
        v->few = v->few && v->projections[t].count <= FEW_PROJECTIONS;
    return v->pairs_of_location != NULL;
}

static bool add_view(struct sx_views *vs, uint32_t a, uint32_t b)
{
    struct sx *sx = vs->sx;
    struct view *v = &vs->views[vs->count];
    uint32_t n = vs->threads;

    if (vs->count == MAX_VIEWS)
        return true;
    *v = (struct view){.locations = {a, b}};
    v->projections = mm_arena_alloc(sx->traces, n * sizeof *v->projections);
    v->pairs = mm_arena_alloc(sx->traces, (size_t)n * n * sizeof *v->pairs);
    v->path = mm_arena_alloc(sx->traces, n * sizeof *v->path);
    v->more = mm_arena_alloc(sx->traces, n * sizeof *v->more);
    if (!v->projections || !v->pairs || !v->path || !v->more)
        return false;
    for (uint32_t t = 0; t < n; t++) {
        if (!find_projections(sx, v, t))
            return false;
        for (uint32_t u = 0; u < t; u++) {
            size_t size = (size_t)v->projections[t].count * v->projections[u].count;

            if (v->projections[t].count > MAX_PROJECTIONS || v->projections[u].count > MAX_PROJECTIONS)
                continue;
            v->pairs[(size_t)t * n + u] = mm_arena_alloc(sx->traces, size + 1);
            if (!v->pairs[(size_t)t * n + u])
                return false;
        }
    }
    vs->count++;
    return note_location(sx, v);
}

static bool add_views(struct sx_views *vs)
{
    struct sx *sx = vs->sx;
    uint32_t shared[MAX_VIEWS], count = 0;
    bool ok = true;

    for (uint32_t l = 0; l < sx->location_count && count < MAX_VIEWS; l++) {
        if (sx->locations[l].shared)
            shared[count++] = l;
    }
    for (uint32_t i = 0; i < count && ok; i++)
        ok = add_view(vs, shared[i], UINT32_MAX);
    for (uint32_t i = 0; i < count && count <= MAX_PAIRED && count > 2; i++) {
        for (uint32_t k = 0; k < i && ok; k++)
            ok = add_view(vs, shared[i], shared[k]);
    }
    return ok && add_view(vs, UINT32_MAX, UINT32_MAX);
}

struct sx_views *sx_views_create(struct sx *sx)
{
    struct sx_views *vs = mm_arena_alloc(sx->traces, sizeof *vs);

    if (!vs || !sx_prune_create(sx))
        return NULL;
    *vs = (struct sx_views){.sx = sx, .threads = sx->program->thread_count};
    vs->views = mm_arena_alloc(sx->traces, MAX_VIEWS * sizeof *vs->views);
    vs->some = mm_arena_alloc(sx->traces, (vs->threads + 1) * sizeof *vs->some);
    vs->two = mm_arena_alloc(sx->traces, (vs->threads + 1) * sizeof *vs->two);
    vs->elsewhere = mm_arena_alloc(sx->traces, (sx->pair_words + 1) * sizeof *vs->elsewhere);
    vs->table_size = 1 << 12;
    vs->table = mm_arena_alloc(sx->traces, vs->table_size * sizeof *vs->table);
    return vs->views && vs->some && vs->two && vs->elsewhere && vs->table && add_views(vs) ? vs : NULL;
}

bool sx_views_help(const struct sx *sx)
{
    enum { FEW = 3000 };
    uint32_t n = sx->program->thread_count;
    double combinations = 1;

    for (uint32_t t = 0; t < n; t++) {
        const struct sx_thread *thread = &sx->threads[t];

        if (thread->trace_count > MAX_TRACES)
            return false;
        combinations *= sx->mode == SX_COMPLETE ? thread->done_count : thread->trace_count;
    }
    return combinations >= FEW && n >= 2 && sx->program->edge_count == 0;
}

/* Whether evaluations of a kind have pruned often enough so far. */
static bool is_worthwhile(const struct count *c)
{
    return c->asked < 256 || c->bad >= c->asked / 6;
}

static void count_answer(struct count *c, bool good)
{
    c->asked++;
    c->bad += !good;
}

/* ---- evaluation ---------------------------------------------------------------------------------- */

static const struct sx_trace *projection_of(const struct sx_views *vs, const struct view *v, uint32_t t,
                                            const struct sx_trace *trace)
{
    return &v->projections[t].list[v->projections[t].of[trace - vs->sx->threads[t].traces]];
}

/* Whether the projections of threads U and T alone are compatible. */
static bool check_two(struct sx_views *vs, uint32_t u, uint32_t t)
{
    memset(vs->two, 0, vs->threads * sizeof *vs->two);
    vs->two[u] = vs->some[u];
    vs->two[t] = vs->some[t];
    return sx_may_combine(vs->sx, vs->two, NULL);
}

static bool is_good_pair(struct sx_views *vs, struct view *v, uint32_t u, const struct sx_trace *a,
                         uint32_t t, const struct sx_trace *b)
{
    uint8_t *known = v->pairs[(size_t)t * vs->threads + u];

    if (!known)
        return true;
    known +=
        (size_t)(a - v->projections[u].list) * v->projections[t].count + (size_t)(b - v->projections[t].list);
    if (*known == OPEN && is_worthwhile(&v->two)) {
        const struct sx_trace *before[2] = {vs->some[u], vs->some[t]};

        vs->some[u] = a;
        vs->some[t] = b;
        *known = check_two(vs, u, t) ? GOOD : BAD;
        vs->some[u] = before[0];
        vs->some[t] = before[1];
        count_answer(&v->two, *known == GOOD);
    }
    return *known != BAD;
}

static bool grow_cache(struct sx_views *vs)
{
    uint32_t size = vs->table_size * 2;
    struct known *table = mm_arena_alloc(vs->sx->traces, size * sizeof *table);

    if (!table)
        return false;
    for (uint32_t i = 0; i < vs->table_size; i++) {
        uint64_t at = vs->table[i].key * 0x9E3779B97F4A7C15U >> 32 & (size - 1);

        if (!vs->table[i].number)
            continue;
        while (table[at].number)
            at = (at + 1) & (size - 1);
        table[at] = vs->table[i];
    }
    vs->table = table;
    vs->table_size = size;
    return true;
}

/* The cached answer for path BEFORE extended by PROJECTION; NULL: the cache is full. */
static struct known *find_cached(struct sx_views *vs, uint32_t view, uint32_t before, uint32_t projection)
{
    uint64_t key = (uint64_t)before << 32 | (uint64_t)view << 24 | projection, at;

    if (projection >= 1U << 24 || vs->known_count == MAX_KNOWN ||
        (vs->known_count * 2 >= vs->table_size && !grow_cache(vs)))
        return NULL;
    at = key * 0x9E3779B97F4A7C15U >> 32 & (vs->table_size - 1);
    for (; vs->table[at].number; at = (at + 1) & (vs->table_size - 1)) {
        if (vs->table[at].key == key)
            return &vs->table[at];
    }
    vs->table[at] = (struct known){.key = key, .number = ++vs->known_count};
    return &vs->table[at];
}

/* Whether projection I of thread U is compatible with each of those chosen up to thread T. */
static bool is_compatible_with_chosen(struct sx_views *vs, struct view *v, uint32_t u, uint32_t i, uint32_t t,
                                      const struct sx_trace *const *chosen)
{
    for (uint32_t k = 0; k <= t; k++) {
        const struct sx_trace *projection = projection_of(vs, v, k, chosen[k]);

        if (!is_good_pair(vs, v, k, projection, u, &v->projections[u].list[i]))
            return false;
    }
    return true;
}

static bool view_contains(const struct view *v, uint32_t location)
{
    return v->locations[0] == UINT32_MAX || v->locations[0] == location || v->locations[1] == location;
}

/* The pairs that threads after T may write: for locations of view OF with a view each, from compatible
 * projections; for others, from all traces. */
static void find_elsewhere(struct sx_views *vs, const struct view *of, uint32_t t,
                           const struct sx_trace *const *chosen)
{
    struct sx *sx = vs->sx;
    uint32_t words = sx->pair_words;

    vs->none_left = false;
    memset(vs->elsewhere, 0, words * sizeof *vs->elsewhere);
    for (uint32_t u = t + 1; u < vs->threads; u++)
        mm_bits_or(vs->elsewhere, vs->elsewhere, sx->threads[u].may_write, words);
    for (uint32_t i = 0; i < vs->count && vs->views[i].locations[0] != UINT32_MAX; i++) {
        struct view *v = &vs->views[i];

        if (v->locations[1] != UINT32_MAX || !v->few || !view_contains(of, v->locations[0]))
            continue;
        mm_bits_minus(vs->elsewhere, vs->elsewhere, v->pairs_of_location, words);
        for (uint32_t u = t + 1; u < vs->threads; u++) {
            bool some = false;

            for (uint32_t k = 0; k < v->projections[u].count; k++) {
                if (!is_compatible_with_chosen(vs, v, u, k, t, chosen))
                    continue;
                some = true;
                mm_bits_or(vs->elsewhere, vs->elsewhere, v->projections[u].list[k].writes, words);
            }
            vs->none_left = vs->none_left || !some;
        }
    }
}

/* Whether the projections chosen up to thread T are compatible. */
static bool is_good_path(struct sx_views *vs, uint32_t view, uint32_t t, const struct sx_trace *const *chosen)
{
    struct view *v = &vs->views[view];
    const struct sx_trace *projection = projection_of(vs, v, t, chosen[t]);
    struct known *known = t > 0 && v->path[t - 1] == 0
                              ? NULL
                              : find_cached(vs, view, t > 0 ? v->path[t - 1] : 0,
                                            (uint32_t)(projection - v->projections[t].list));

    v->path[t] = known ? known->number : 0;
    if (!known || (view + 1 == vs->count && t + 1 < vs->threads))
        return true;
    if (known->verdict == OPEN && is_worthwhile(&v->more[t])) {
        for (uint32_t u = 0; u <= t; u++)
            vs->some[u] = projection_of(vs, v, u, chosen[u]);
        find_elsewhere(vs, v, t, chosen);
        known->verdict = vs->none_left || !sx_may_combine(vs->sx, vs->some, vs->elsewhere) ? BAD : GOOD;
        count_answer(&v->more[t], known->verdict == GOOD);
        memset(vs->some, 0, (t + 1) * sizeof *vs->some);
    }
    return known->verdict != BAD;
}

bool sx_views_allow(struct sx_views *vs, uint32_t t, const struct sx_trace *const *chosen)
{
    for (uint32_t v = 0; v < vs->count; v++) {
        for (uint32_t u = 0; u < t; u++) {
            struct view *view = &vs->views[v];

            if (!is_good_pair(vs, view, u, projection_of(vs, view, u, chosen[u]), t,
                              projection_of(vs, view, t, chosen[t])))
                return false;
        }
        if (!is_good_path(vs, v, t, chosen))
            return false;
    }
    return true;
}
