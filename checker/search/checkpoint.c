/* Checkpoints of event-by-event construction (search/step.c): all state that a branch changes, except events, which
 * rollback cuts off, and caches.  docs/search.md#state-and-invariants */
#include "checker/search/step.h"

#include <string.h>

static size_t block_words(const struct stepper *s)
{
    size_t words = 0;

    for (uint32_t t = 0; t < s->count; t++)
        words += s->walkers[t].block_words;
    return words;
}

bool sx_checkpoint_take(struct stepper *s, struct sx_checkpoint *m)
{
    size_t blocks = block_words(s), at = 0;
    uint64_t *room = mm_alloc((blocks + s->order_count + 1) * sizeof *room);
    char *rest = mm_alloc(s->count * (sizeof *m->threads + sizeof *m->counts + sizeof *m->came_back) + 1);

    *m = (struct sx_checkpoint){.blocks = room, .threads = (struct step_thread *)(void *)rest};
    if (!room || !rest) {
        sx_limit(s->sx, "memory", "out of memory");
        s->sx->stop = true;
        mm_free(room);
        mm_free(rest);
        return false;
    }
    m->counts = (uint32_t(*)[2])(void *)(m->threads + s->count);
    m->came_back = (bool *)(m->counts + s->count);
    m->order = room + blocks;
    m->order_count = s->order_count;
    m->guesses = s->guesses;
    m->pending = s->pending;
    m->unchecked = s->unchecked;
    memcpy(m->threads, s->threads, s->count * sizeof *m->threads);
    if (s->order_count)
        memcpy(m->order, s->order, s->order_count * sizeof *m->order);
    for (uint32_t t = 0; t < s->count; t++) {
        const struct sx_walker *w = &s->walkers[t];

        m->counts[t][0] = w->event_count;
        m->counts[t][1] = w->last_effect;
        m->came_back[t] = w->came_back;
        memcpy(m->blocks + at, w->block, w->block_words * sizeof *w->block);
        at += w->block_words;
    }
    return true;
}

void sx_checkpoint_rollback(struct stepper *s, const struct sx_checkpoint *m)
{
    size_t at = 0;

    s->order_count = m->order_count;
    s->guesses = m->guesses;
    s->pending = m->pending;
    s->unchecked = m->unchecked;
    memcpy(s->threads, m->threads, s->count * sizeof *m->threads);
    if (s->order_count)
        memcpy(s->order, m->order, s->order_count * sizeof *m->order);
    for (uint32_t t = 0; t < s->count; t++) {
        struct sx_walker *w = &s->walkers[t];

        w->event_count = m->counts[t][0];
        w->last_effect = m->counts[t][1];
        w->came_back = m->came_back[t];
        memcpy(w->block, m->blocks + at, w->block_words * sizeof *w->block);
        at += w->block_words;
    }
}

void sx_checkpoint_free(struct sx_checkpoint *m)
{
    mm_free(m->blocks);
    mm_free(m->threads);
}
