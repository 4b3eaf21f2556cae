/* Combinations of one trace per thread, depth first.  A partial combination is extended only while every
 * value that it reads is initial, written by a chosen trace, or may be written by a thread without a trace
 * yet.  docs/search.md#trace-listing */
#include "checker/search/view.h"

#include <string.h>

enum { MAX_INDEX = 1 << 22 }; /* words */

struct combiner {
    struct sx *sx;
    const struct sx_trace **chosen;
    uint64_t *later;   /* per thread: pairs that this and the following threads may write */
    uint64_t *written; /* per thread: pairs written by the traces chosen before */
    uint64_t *read;
    uint64_t **candidates;      /* per thread: the traces compatible with those chosen so far */
    struct sx_views *views;     /* NULL: too few combinations */
    const uint32_t *not_before; /* by thread: one whose trace has no higher number; NULL: none */
};

static uint32_t pair_of(const struct sx *sx, const struct sx_event *e)
{
    const struct sx_location *l = &sx->locations[e->location];

    uint32_t i = sx_number_value(l, e->value);

    return i == UINT32_MAX ? i : l->first_pair + i; /* written, but never read */
}

static bool number_pairs(struct sx *sx)
{
    uint32_t pairs = 0;

    for (uint32_t l = 0; l < sx->location_count; l++) {
        sx->locations[l].first_pair = pairs;
        pairs += sx->locations[l].value_count;
    }
    sx->pair_words = mm_rel_words(pairs);
    sx->initial_pairs = mm_arena_alloc(sx->arena, (sx->pair_words + 1) * sizeof(uint64_t));
    if (!sx->initial_pairs)
        return false;
    for (uint32_t l = 0; l < sx->location_count; l++) {
        struct sx_event initial = {.location = l, .value = sx->locations[l].initial};
        uint32_t pair = pair_of(sx, &initial);

        if (pair != UINT32_MAX)
            mm_set_add(sx->initial_pairs, pair);
        for (uint32_t i = 0; i < sx->locations[l].value_count && sx->locations[l].any; i++) {
            if (sx_is_candidate(sx, &sx->locations[l], sx->locations[l].values[i]))
                mm_set_add(sx->initial_pairs, sx->locations[l].first_pair + i);
        }
    }
    return true;
}

bool sx_index_trace(struct sx *sx, struct sx_trace *t)
{
    t->reads = mm_arena_alloc(sx->traces, (2 * (size_t)sx->pair_words + 1) * sizeof *t->reads);
    if (!t->reads)
        return false;
    t->writes = t->reads + sx->pair_words;
    for (uint32_t i = 0; i < t->event_count; i++) {
        const struct sx_event *e = &t->events[i];
        uint32_t pair = e->kind <= SX_WRITE ? pair_of(sx, e) : UINT32_MAX;

        if (pair != UINT32_MAX)
            mm_set_add(e->kind == SX_READ ? t->reads : t->writes, pair);
    }
    return true;
}

static bool index_thread(struct sx *sx, struct sx_thread *thread)
{
    uint32_t done = 0;

    thread->may_write = mm_arena_alloc(sx->traces, (sx->pair_words + 1) * sizeof(uint64_t));
    if (!thread->may_write)
        return false;
    for (uint32_t i = 0; i < thread->trace_count; i++) {
        struct sx_trace t = thread->traces[i];

        if (!sx_index_trace(sx, &t))
            return false;
        mm_bits_or(thread->may_write, thread->may_write, t.writes, sx->pair_words);
        thread->traces[i] = t;
        if (t.end == SX_DONE || t.end == SX_LEFT) {
            thread->traces[i] = thread->traces[done];
            thread->traces[done++] = t;
        }
    }
    thread->done_count = done;
    return true;
}

static bool index_pairs(struct sx *sx, struct sx_thread *thread)
{
    uint32_t words = mm_rel_words(thread->trace_count);
    size_t size = (size_t)sx->pair_words * 64 * words;

    thread->trace_words = words;
    if (size > MAX_INDEX || thread->trace_count < 64)
        return true;
    thread->readers = mm_arena_alloc(sx->traces, (2 * size + 1) * sizeof *thread->readers);
    if (!thread->readers)
        return false;
    thread->writers = thread->readers + size;
    for (uint32_t i = 0; i < thread->trace_count; i++) {
        const struct sx_trace *t = &thread->traces[i];

        for (uint32_t p = 0; p < sx->pair_words * 64; p++) {
            if (mm_set_has(t->writes, p))
                mm_set_add(thread->writers + (size_t)p * words, i);
            else if (mm_set_has(t->reads, p))
                mm_set_add(thread->readers + (size_t)p * words, i);
        }
    }
    return true;
}

/* Whether B also has every barrier that A passed [CL 3.3.6 W1, W10, B1, B10], and every barrier of A where A
 * is complete. */
static bool same_barriers(const struct sx_trace *a, const struct sx_trace *b, bool same_sub_group)
{
    uint32_t end = a->end == SX_DONE && !a->stopped ? a->event_count
                   : a->event_count                 ? a->event_count - 1
                                                    : 0;

    for (uint32_t i = 0; i < end; i++) {
        bool found = a->events[i].kind != SX_BARRIER || (a->events[i].instr->sub_group && !same_sub_group);

        for (uint32_t j = 0; j < b->event_count && !found; j++)
            found = b->events[j].kind == SX_BARRIER && b->events[j].barrier == a->events[i].barrier &&
                    b->events[j].occurrence == a->events[i].occurrence;
        if (!found)
            return false;
    }
    return true;
}

bool sx_share_barriers(const struct ck_program *p, uint32_t a, uint32_t b, bool sub_group)
{
    const struct ck_thread *x = &p->threads[a], *y = &p->threads[b];

    return a != b && ck_meets_others(x) && ck_meets_others(y) && x->device == y->device &&
           x->work_group == y->work_group && (!sub_group || x->sub_group == y->sub_group);
}

bool sx_all_wait(const struct ck_program *p, const struct sx_event *const *waiting, uint32_t t)
{
    const struct sx_event *at = waiting[t];

    for (uint32_t u = 0; u < p->thread_count; u++) {
        const struct sx_event *other = waiting[u];

        if (sx_share_barriers(p, t, u, at->instr->sub_group) &&
            (!other || other->barrier != at->barrier || other->occurrence != at->occurrence ||
             other->instr->sub_group != at->instr->sub_group))
            return false;
    }
    return true;
}

static bool barriers_meet(const struct combiner *c)
{
    const struct ck_program *p = c->sx->program;

    if (p->vulkan && !p->kernel)
        return true;
    for (uint32_t i = 0; i < p->thread_count; i++) {
        for (uint32_t j = 0; j < p->thread_count; j++) {
            if (sx_share_barriers(p, i, j, false) &&
                !same_barriers(c->chosen[i], c->chosen[j],
                               p->threads[i].sub_group == p->threads[j].sub_group))
                return false;
        }
    }
    return true;
}

static bool are_reads_satisfiable(const struct combiner *c, uint32_t next)
{
    const struct sx *sx = c->sx;
    const uint64_t *read = c->read + (size_t)next * sx->pair_words;
    const uint64_t *written = c->written + (size_t)next * sx->pair_words;
    const uint64_t *later = c->later + (size_t)next * sx->pair_words;

    for (uint32_t w = 0; w < sx->pair_words; w++) {
        if (read[w] & ~(sx->initial_pairs[w] | written[w] | later[w]))
            return false;
    }
    return true;
}

static void execute_combination(struct combiner *c)
{
    struct sx *sx = c->sx;
    bool partial = false, left = false;

    for (uint32_t t = 0; t < sx->program->thread_count; t++) {
        left = left || c->chosen[t]->end == SX_LEFT;
        partial = partial || (c->chosen[t]->end != SX_DONE && c->chosen[t]->end != SX_LEFT) ||
                  c->chosen[t]->stopped;
    }
    if (partial != (sx->mode != SX_COMPLETE))
        return;
    if ((!partial || sx->program->kernel) && !barriers_meet(c)) {
        if (sx->program->kernel && sx->mode == SX_COMPLETE && !sx->diverges)
            sx_find_divergence(sx, c->chosen);
        return;
    }
    if (left)
        return;
    if (sx->mode == SX_HANG && !sx_may_hang(sx, c->chosen))
        return;
    sx_execute(sx, c->chosen, partial);
}

static void choose_trace(struct combiner *c, uint32_t t);

static void try_trace(struct combiner *c, uint32_t t, const struct sx_trace *trace)
{
    struct sx *sx = c->sx;
    size_t words = sx->pair_words;

    if (trace->end == SX_LEFT && sx->mode != SX_COMPLETE)
        return;
    /* Executions that end like this are known. */
    if (trace->end != SX_LEFT && sx->mode != SX_HANG &&
        (trace->end == SX_WAIT || (trace->end != SX_DONE && sx->raised[trace->end - 1] &&
                                   !(sx->program->kernel && sx_flags_open(sx)))))
        return;
    c->chosen[t] = trace;
    mm_bits_or(c->read + (t + 1) * words, c->read + t * words, trace->reads, words);
    mm_bits_or(c->written + (t + 1) * words, c->written + t * words, trace->writes, words);
    if (are_reads_satisfiable(c, t + 1) && (!c->views || sx_views_allow(c->views, t, c->chosen)))
        choose_trace(c, t + 1);
    if ((++sx->ticks & 63) == 0 && !sx_in_bounds(sx))
        sx->stop = true;
}

/* The traces of thread T whose reads can be satisfied and that write the pairs which no later thread writes.
 */
static void find_candidates(struct combiner *c, uint32_t t)
{
    const struct sx *sx = c->sx;
    const struct sx_thread *thread = &sx->threads[t];
    uint64_t *out = c->candidates[t];
    uint32_t words = thread->trace_words;

    memset(out, 0, words * sizeof *out);
    mm_set_complement(c->sx->mode != SX_COMPLETE ? thread->trace_count : thread->done_count, out, out);
    for (uint32_t w = 0; w < sx->pair_words; w++) {
        uint64_t there = sx->initial_pairs[w] | c->written[(size_t)t * sx->pair_words + w] |
                         c->later[(size_t)(t + 1) * sx->pair_words + w];
        uint64_t needed = c->read[(size_t)t * sx->pair_words + w] & ~there;

        for (uint64_t left = ~there; left; left &= left - 1) {
            size_t p = w * 64 + (uint32_t)__builtin_ctzll(left);

            mm_bits_minus(out, out, thread->readers + p * words, words);
        }
        for (; needed; needed &= needed - 1) {
            size_t p = w * 64 + (uint32_t)__builtin_ctzll(needed);

            mm_bits_and(out, out, thread->writers + p * words, words);
        }
    }
}

/* The first trace that thread T has to try: symmetry covers those before it. */
static uint32_t first_trace(const struct combiner *c, uint32_t t)
{
    uint32_t other = c->not_before ? c->not_before[t] : UINT32_MAX;

    return other == UINT32_MAX ? 0 : (uint32_t)(c->chosen[other] - c->sx->threads[other].traces);
}

static void choose_trace(struct combiner *c, uint32_t t)
{
    struct sx *sx = c->sx;
    const struct sx_thread *thread = &sx->threads[t];
    uint32_t count, first;

    if (t == sx->program->thread_count) {
        execute_combination(c);
        return;
    }
    count = c->sx->mode != SX_COMPLETE ? thread->trace_count : thread->done_count;
    first = first_trace(c, t);
    if (!thread->readers) {
        for (uint32_t i = first; i < count && !sx->stop; i++)
            try_trace(c, t, &thread->traces[i]);
        return;
    }
    find_candidates(c, t);
    for (uint32_t w = first / 64; w < thread->trace_words; w++) {
        uint64_t left = c->candidates[t][w];

        if (w == first / 64)
            left &= ~(uint64_t)0 << first % 64;
        for (; left && !sx->stop; left &= left - 1)
            try_trace(c, t, &thread->traces[w * 64 + (uint32_t)__builtin_ctzll(left)]);
    }
}

static bool combiner_prepare(struct combiner *c)
{
    struct sx *sx = c->sx;
    uint32_t threads = sx->program->thread_count;
    size_t words = sx->pair_words;

    c->chosen = mm_arena_alloc(sx->traces, (threads + 1) * sizeof *c->chosen);
    c->later = mm_arena_alloc(sx->traces, 3 * (threads + 1) * (words + 1) * sizeof *c->later);
    c->candidates = mm_arena_alloc(sx->traces, (threads + 1) * sizeof *c->candidates);
    if (!c->chosen || !c->later || !c->candidates)
        return false;
    for (uint32_t t = 0; t < threads; t++) {
        c->candidates[t] =
            mm_arena_alloc(sx->traces, (mm_rel_words(sx->threads[t].trace_count) + 1) * sizeof(uint64_t));
        if (!c->candidates[t] || !index_pairs(sx, &sx->threads[t]))
            return false;
    }
    c->written = c->later + (threads + 1) * words;
    c->read = c->written + (threads + 1) * words;
    for (uint32_t t = threads; t-- > 0;)
        mm_bits_or(c->later + t * words, c->later + (t + 1) * words, sx->threads[t].may_write, words);
    return true;
}

bool sx_visit(struct sx *sx, enum sx_mode mode)
{
    struct combiner c = {.sx = sx};
    bool ok = number_pairs(sx);

    for (uint32_t t = 0; t < sx->program->thread_count && ok; t++)
        ok = index_thread(sx, &sx->threads[t]);
    if (!ok || !combiner_prepare(&c)) {
        sx_limit(sx, "memory", "out of memory");
        return false;
    }
    sx->mode = mode;
    if (mode != SX_DIVERGE && !(c.not_before = sx_find_symmetry(sx))) {
        sx_limit(sx, "memory", "out of memory");
        return false;
    }
    if (sx_views_help(sx) && !(c.views = sx_views_create(sx))) {
        sx_limit(sx, "memory", "out of memory");
        return false;
    }
    choose_trace(&c, 0);
    return true;
}

void sx_combine(struct sx *sx)
{
    bool partial = false;

    if (!sx_visit(sx, SX_COMPLETE))
        return;
    for (uint32_t t = 0; t < sx->program->thread_count; t++)
        partial = partial || sx->threads[t].done_count < sx->threads[t].trace_count;
    if (partial && !sx->stop)
        sx_visit(sx, SX_PARTIAL);
}
