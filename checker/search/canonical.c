/* Symmetry reduction of event-by-event construction: of the executions that differ in an exchange of interchangeable
 * work-items alone, one is explored, that whose sequence of choices is least.  docs/search.md#reductions */
#include "checker/search/step.h"

#include <stddef.h>

static uint8_t exchange_level(const struct stepper *s, uint32_t a, uint32_t b)
{
    return s->facts.exchanges[(size_t)a * s->count + b];
}

/* Whether event E of A and B, which are exchanged, is the same.  A write to a shared location is not: coherence orders
 * the two, and other threads read from one of them. */
static bool is_same_event(const struct stepper *s, uint32_t a, uint32_t b, uint32_t e)
{
    const struct sx_event *x = &s->walkers[a].events[e], *y = &s->walkers[b].events[e];
    bool private = x->location != MM_CAT_NO_LOCATION && !s->sx->values.locations[x->location].shared;
    uint64_t source;

    if (x->instr - s->walkers[a].thread->instrs != y->instr - s->walkers[b].thread->instrs ||
        x->kind != y->kind || x->order != y->order || x->first_half != y->first_half || x->late != y->late ||
        x->value != y->value || x->barrier != y->barrier || x->occurrence != y->occurrence)
        return false;
    if (x->location == MM_CAT_NO_LOCATION || y->location == MM_CAT_NO_LOCATION)
        return x->location == y->location;
    if (private)
        return !s->sx->values.locations[y->location].shared;
    source = *sx_source(s, a, e);
    return x->kind == SX_READ && x->location == y->location && source == *sx_source(s, b, e) &&
           source != SX_OPEN && source != STEP_GUESSED;
}

static struct step_choice *choice_of(const struct stepper *s, uint32_t t, uint32_t event)
{
    return &s->choices[(size_t)t * s->stride + event];
}

/* Whether thread T has chosen the source of its read EVENT, or to block there. */
static bool has_chosen(const struct stepper *s, uint32_t t, uint32_t event)
{
    return s->walkers[t].event_count > event ||
           (s->walkers[t].event_count == event && s->threads[t].status == STEP_BLOCKED);
}

/* Whether the read EVENT of A, which was or is to be executed, is that at which T is, of location L. */
static bool is_same_read(const struct stepper *s, uint32_t a, uint32_t t, uint32_t event, uint32_t l)
{
    const struct step_thread *x = &s->threads[a], *y = &s->threads[t];
    uint32_t pc = y->access.pc;

    if (event == s->walkers[a].event_count)
        return x->access.pc == pc && x->piece == y->piece && x->access.locations[x->piece] == l;
    return s->walkers[a].events[event].kind == SX_READ && s->walkers[a].events[event].location == l &&
           s->walkers[a].events[event].instr - s->walkers[a].thread->instrs == (ptrdiff_t)pc;
}

/* Whether the first COUNT events of A and B are the same. */
static bool has_same_prefix(const struct stepper *s, uint32_t a, uint32_t b, uint32_t count)
{
    bool same = s->walkers[a].event_count >= count && s->walkers[b].event_count >= count;

    for (uint32_t e = 0; same && e < count; e++)
        same = is_same_event(s, a, b, e);
    return same;
}

bool sx_is_interchangeable(const struct stepper *s, uint32_t a, uint32_t b)
{
    const struct step_thread *x = &s->threads[a], *y = &s->threads[b];

    return s->facts.exchanges && a != b && exchange_level(s, a, b) == 1 && x->status == y->status &&
           x->pc == y->pc && x->access.count == y->access.count && x->piece == y->piece &&
           (x->access.count == 0 || x->access.locations[x->piece] == y->access.locations[y->piece]) &&
           s->walkers[a].event_count == s->walkers[b].event_count &&
           has_same_prefix(s, a, b, s->walkers[a].event_count);
}

/* Whether T, with COUNT events at time AT, had already chosen to block at the read that follows them. */
static bool was_blocked(const struct stepper *s, uint32_t t, uint32_t count, uint64_t at)
{
    const struct sx_walker *w = &s->walkers[t];
    bool reads = count == w->event_count || (w->events[count].kind == SX_READ &&
                                             s->sx->values.locations[w->events[count].location].shared);

    return reads && has_chosen(s, t, count) && choice_of(s, t, count)->at <= at;
}

/* How many events of T follow from the choices made until time AT: those that existed, and the read at which it was
 * blocked. */
static uint32_t count_chosen(const struct stepper *s, uint32_t t, uint64_t at)
{
    uint32_t count = 0;

    while (count < s->walkers[t].event_count && s->walkers[t].events[count].created <= at)
        count++;
    return count + was_blocked(s, t, count, at);
}

/* Whether all choices before A made the one of its read EVENT are the same after the exchange of the units of A and T.
 * T is at its read of that number. */
static bool are_choices_exchanged(const struct stepper *s, uint32_t a, uint32_t t, uint32_t event)
{
    const struct ck_program *p = s->sx->program;
    int level = exchange_level(s, a, t) - 1;
    uint64_t at = choice_of(s, a, event)->at;
    uint32_t y = 0;

    if (!has_same_prefix(s, a, t, event))
        return false;
    for (uint32_t x = 0; x < s->count && level > 0; x++) {
        uint32_t counts[2];

        if (!sx_same_unit(p, x, a, level))
            continue;
        while (!sx_same_unit(p, y, t, level))
            y++;
        counts[0] = count_chosen(s, x, at);
        counts[1] = count_chosen(s, y, at);
        if (x != a && !has_same_prefix(s, x, y, counts[0] > counts[1] ? counts[0] : counts[1]))
            return false;
        y++;
    }
    return true;
}

void sx_note_choice(struct stepper *s, uint32_t t, bool blocks)
{
    *choice_of(s, t, s->walkers[t].event_count) =
        (struct step_choice){.at = s->sx->created, .until = s->sx->created, .blocked = blocks};
}

uint64_t sx_note_refusal(struct stepper *s, uint32_t t, uint64_t until)
{
    struct step_choice *c = choice_of(s, t, s->walkers[t].event_count);
    uint64_t before = c->until;

    c->until = until;
    return before;
}

/* Whether A, at its read EVENT, declined SOURCE, of VALUE. */
static bool has_declined(const struct stepper *s, uint32_t a, uint32_t event, uint64_t source, uint64_t value,
                         bool by_value)
{
    const struct step_choice *c = choice_of(s, a, event);

    if (source != SX_INITIAL && sx_packed(s, source)->created > c->until)
        return false;
    return c->blocked ||
           (by_value ? value < s->walkers[a].events[event].value : source < *sx_source(s, a, event));
}

bool sx_is_exchanged(const struct stepper *s, uint32_t t, uint64_t source, uint64_t value, bool by_value)
{
    uint32_t event = s->walkers[t].event_count, l = s->threads[t].access.locations[s->threads[t].piece];

    if (!s->facts.exchanges)
        return false;
    for (uint32_t a = 0; a < s->count; a++) {
        if (a != t && exchange_level(s, a, t) && has_chosen(s, a, event) && is_same_read(s, a, t, event, l) &&
            has_declined(s, a, event, source, value, by_value) && are_choices_exchanged(s, a, t, event))
            return true;
    }
    return false;
}
