/* Writes of event-by-event construction (search/step.c): a write branches over its coherence positions and
 * over the blocked reads of its location.  docs/search.md#construction */
#include "checker/search/step.h"

#include <string.h>

static bool is_ordered(const struct stepper *s, uint32_t location)
{
    return s->facts.ordered[s->sx->values.locations[location].object];
}

static void insert_write(struct stepper *s, uint32_t at, uint64_t packed)
{
    memmove(s->order + at + 1, s->order + at, (s->order_count - at) * sizeof *s->order);
    s->order[at] = packed;
    s->order_count++;
    s->unchecked = true;
}

/* Whether EVENT of T, a read of a loop that never terminates, returns the last write so far. */
static bool reads_last_write(const struct stepper *s, uint32_t t, uint32_t event)
{
    uint64_t source = *sx_source(s, t, event);
    uint32_t l = s->walkers[t].events[event].location;
    bool after = source == SX_INITIAL;

    for (uint32_t i = 0; i < s->order_count; i++) {
        if (after && sx_packed(s, s->order[i])->location == l && !sx_is_removed_write(s, s->order[i]))
            return false;
        after = after || s->order[i] == source;
    }
    return true;
}

bool sx_loops_read_final_values(const struct stepper *s)
{
    for (uint32_t t = 0; t < s->thread_count; t++) {
        const struct sx_walker *w = &s->walkers[t];

        if (s->threads[t].status != STEP_ENDED || w->end != SX_WAIT)
            continue;
        for (uint32_t e = w->wait_from; e < w->event_count; e++) {
            if (w->events[e].kind == SX_READ && !reads_last_write(s, t, e))
                return false;
        }
    }
    return true;
}

/* Branches on the coherence position of the pending write: after each other write of its location, or
 * first. */
static void choose_coherence_position(struct stepper *s)
{
    uint64_t packed = sx_pack(s->pending.thread, s->pending.event);
    uint32_t l = sx_packed(s, packed)->location, others = 0, least = 0;
    struct sx_checkpoint m;

    s->pending.placed = true;
    for (uint32_t i = 0; i < s->order_count; i++)
        others += sx_packed(s, s->order[i])->location == l;
    if (others == 0) {
        insert_write(s, s->order_count, packed);
        sx_explore(s);
        return;
    }
    if (sx_knows_order(s) && !sx_packed(s, packed)->rmw_write)
        least = sx_first_position(s, packed);
    if (least == SX_NO_POSITION || !sx_checkpoint_take(s, &m))
        return;
    for (uint32_t at = s->order_count + 1; at-- > least && !sx_is_exploration_over(s);) {
        bool first = at == least;

        if (at > 0 && sx_packed(s, s->order[at - 1])->location != l)
            continue;
        insert_write(s, at, packed);
        if (sx_may_be_placed(s, at) && (!s->explores_hangs || sx_loops_read_final_values(s)) &&
            sx_may_extend(s))
            sx_explore(s);
        sx_checkpoint_rollback(s, &m);
        if (first)
            break;
    }
    sx_checkpoint_free(&m);
}

/* Branches on a blocked read of the pending write's location: it takes the write, or stays blocked. */
static void offer_to_blocked_read(struct stepper *s, uint32_t reader)
{
    uint64_t packed = sx_pack(s->pending.thread, s->pending.event), value = sx_packed(s, packed)->value;
    bool by_value = sx_may_leave_open(s, reader);
    struct sx_checkpoint m;

    s->pending.reader = reader + 1;
    if (!sx_checkpoint_take(s, &m))
        return;
    if (!sx_is_exchanged(s, reader, packed, value, by_value))
        sx_try_source(s, &m, reader, packed, value);
    if (!sx_is_exploration_over(s) && sx_may_be_written_later(s, reader, sx_packed(s, packed)->location)) {
        uint64_t before = sx_note_refusal(s, reader, sx_packed(s, packed)->stamp);

        sx_explore(s);
        sx_checkpoint_rollback(s, &m);
        sx_note_refusal(s, reader, before);
    }
    sx_checkpoint_rollback(s, &m);
    sx_checkpoint_free(&m);
}

/* The same for a read whose value was guessed: the pending write is its source, or is not. */
static void offer_to_guessed_read(struct stepper *s, uint64_t guess)
{
    uint32_t t = (uint32_t)(guess >> 32), e = (uint32_t)guess;
    struct sx_checkpoint m;

    s->pending.guess = guess + 1;
    if (!sx_checkpoint_take(s, &m))
        return;
    *sx_source(s, t, e) = sx_pack(s->pending.thread, s->pending.event);
    s->guesses--;
    s->unchecked = true;
    if (sx_may_extend(s))
        sx_explore(s);
    sx_checkpoint_rollback(s, &m);
    *sx_source(s, t, e) = STEP_GUESSED;
    if (!sx_is_exploration_over(s))
        sx_explore(s);
    sx_checkpoint_rollback(s, &m);
    sx_checkpoint_free(&m);
}

/* The next guessed read from FROM on that may read the pending write; UINT64_MAX: none. */
static uint64_t next_guess(const struct stepper *s, uint64_t from)
{
    const struct sx_event *pending = sx_packed(s, sx_pack(s->pending.thread, s->pending.event));

    for (uint32_t t = (uint32_t)(from >> 32); t < s->thread_count && s->guesses; t++) {
        uint32_t e = t == from >> 32 ? (uint32_t)from : 0;

        for (; e < s->walkers[t].event_count; e++) {
            const struct sx_event *event = &s->walkers[t].events[e];

            if (event->kind == SX_READ && event->location == pending->location &&
                event->value == pending->value && *sx_source(s, t, e) == STEP_GUESSED)
                return sx_pack(t, e);
        }
    }
    return UINT64_MAX;
}

bool sx_process_pending_write(struct stepper *s)
{
    uint32_t l = sx_packed(s, sx_pack(s->pending.thread, s->pending.event))->location;
    uint64_t guess;

    if (!s->pending.placed && is_ordered(s, l)) {
        choose_coherence_position(s);
        return false;
    }
    s->pending.placed = true;
    for (uint32_t u = s->pending.reader; u < s->thread_count; u++) {
        if (s->threads[u].status == STEP_BLOCKED &&
            s->threads[u].access.locations[s->threads[u].piece] == l &&
            !sx_is_impossible_source(s, u, s->walkers[u].event_count, s->pending.thread, s->pending.event)) {
            offer_to_blocked_read(s, u);
            return false;
        }
    }
    guess = next_guess(s, s->pending.guess);
    if (guess != UINT64_MAX) {
        s->pending.reader = s->thread_count;
        offer_to_guessed_read(s, guess);
        return false;
    }
    s->pending = (struct step_pending){
        .thread = s->pending.thread, .event = s->pending.event + 1, .end = s->pending.end};
    return true;
}
