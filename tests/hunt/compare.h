/* Comparison of two verdicts on one program. */
#ifndef TESTS_HUNT_COMPARE_H
#define TESTS_HUNT_COMPARE_H

#include "checker/checker.h"

#include <string.h>

/* Whether both are decided, and differ. */
static inline bool differ(enum ck_answer a, enum ck_answer b)
{
    return a != CK_UNKNOWN && b != CK_UNKNOWN && a != b;
}

static inline bool have_same_states(const struct ck_program *p, const struct ck_verdict *a,
                                    const struct ck_verdict *b)
{
    for (size_t i = 0; i < a->state_count && a->state_count == b->state_count; i++) {
        if (memcmp(a->states[i].values, b->states[i].values, p->observed_count * sizeof(uint64_t)) != 0)
            return false;
    }
    return a->state_count == b->state_count;
}

static inline bool have_same_shown(const struct ck_program *p, const struct ck_verdict *a,
                                   const struct ck_verdict *b)
{
    size_t bytes = p->observed_count * sizeof(uint64_t);

    for (size_t i = 0; i < a->shown_count && a->shown_count == b->shown_count; i++) {
        const struct ck_execution *x = &a->shown[i], *y = &b->shown[i];

        if (x->shows != y->shows || x->count != y->count ||
            (x->shows == CK_SHOWS_FLAG && strcmp(x->flag, y->flag) != 0) ||
            (x->shows == CK_SHOWS_STATE && memcmp(x->values, y->values, bytes) != 0))
            return false;
        for (size_t e = 0; e < x->count; e++) {
            if (x->events[e].source != y->events[e].source || x->events[e].value != y->events[e].value)
                return false;
        }
    }
    return a->shown_count == b->shown_count;
}

/* Whether two verdicts of search are the same in everything that users see. */
static inline bool have_same_results(const struct ck_program *p, const struct ck_verdict *a,
                                     const struct ck_verdict *b)
{
    if (a->condition != b->condition || a->race != b->race || a->usage != b->usage ||
        a->divergence != b->divergence || a->termination != b->termination ||
        a->state_count != b->state_count || a->states_complete != b->states_complete ||
        a->flag_count != b->flag_count || strcmp(a->limit.rule, b->limit.rule) != 0)
        return false;
    for (size_t i = 0; i < a->state_count; i++) {
        if (a->states[i].racy != b->states[i].racy || a->states[i].satisfies != b->states[i].satisfies ||
            memcmp(a->states[i].values, b->states[i].values, p->observed_count * sizeof(uint64_t)) != 0)
            return false;
    }
    for (size_t i = 0; i < a->flag_count; i++) {
        if (strcmp(a->flags[i], b->flags[i]) != 0)
            return false;
    }
    return have_same_shown(p, a, b);
}

#endif
