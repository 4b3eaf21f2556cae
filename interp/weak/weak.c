/* Weak memory of a launch: creation and destruction, per-work-item state. */
#include "history.h"
#include <string.h>

bool in_weak_create(struct in_run *run)
{
    struct in_weak *w = mm_alloc_zero(1, sizeof *w);
    if (!w)
        return false;
    w->random = (run->launch.seed + 1) * UINT64_C(0x9fb21c651e98df25);
    w->start = run->launch.start;
    run->weak = w;
    return true;
}

struct in_weak_item *in_weak_item(struct in_run *run, struct in_item *item)
{
    struct in_weak *w = run->weak;
    if (item->weak)
        return item->weak;
    struct in_weak_item *state = mm_alloc_zero(1, sizeof *state);
    if (!state) {
        w->failed = true;
        return NULL;
    }
    state->next = w->items;
    state->link = &w->items;
    if (state->next)
        state->next->link = &state->next;
    w->items = state;
    item->weak = state;
    return state;
}

static void free_item(struct in_weak_item *state)
{
    for (int r = 0; r < REGIONS; r++) {
        in_view_drop(state->view[r]);
        for (int s = 0; s < SLOTS; s++) {
            in_view_drop(state->release[r][s]);
            in_view_drop(state->both[r][s]);
            in_view_drop(state->pending[r][s]);
            in_view_drop(state->pending_other[r][s]);
        }
    }
    *state->link = state->next;
    if (state->next)
        state->next->link = state->link;
    mm_free(state);
}

void in_weak_done(struct in_run *run, struct in_item *item)
{
    if (run->launch.oracle)
        in_oracle_ended(run, item);
    if (item->weak)
        free_item(item->weak);
    item->weak = NULL;
}

void in_weak_group(struct in_run *run, struct in_group *group)
{
    in_cells_forget(run->weak, group);
}

void in_weak_destroy(struct in_run *run)
{
    struct in_weak *w = run->weak;
    if (!w)
        return;
    while (w->items)
        free_item(w->items);
    in_cells_destroy(w);
    mm_free(w->scratch);
    mm_free(w);
    run->weak = NULL;
}
