/* Barriers and collective operations: blocking, release, and detection of divergence.
 * [CLC 6.15.8 R1, R2; CLC 6.15.16 R1; CLC 6.15.17 R1] [SPIRV 3.49.20 OpControlBarrier, 3.49.21] */
#include "interp/check/terms.h"
#include "interp/fault.h"
#include "interp/weak/weak.h"
#include "sched.h"
#include <stdio.h>
#include <string.h>

static const struct in_wait *wait_of(const struct in_item *item)
{
    return item->pc[-1].p;
}

/* Whether the scope is the sub-group, as for instructions without a scope operand. */
static bool sub_group_scope(const struct in_item *item)
{
    const struct in_wait *w = wait_of(item);
    return w->scope == 0 ? !w->work_group : in_get32(item, w->scope) == SpvScopeSubgroup;
}

static bool is_recorded(const struct in_run *run)
{
    return run->full && run->launch.recorder;
}

static void record_at(struct in_run *run, struct in_item *item, enum mm_kind kind, uint32_t site,
                      uint32_t instance)
{
    const struct in_wait *w = wait_of(item);
    struct mm_event *e = in_record_fence(run, item, item->pc - 1, kind, in_get32(item, w->semantics),
                                         in_get32(item, w->memory_scope));
    e->site = site;
    e->instance = instance;
    bool sub = w->kind == IN_WAIT_BARRIER && sub_group_scope(item);
    e->effective_scope = sub ? MM_SCOPE_SUB_GROUP : MM_SCOPE_WORK_GROUP;
}

static void record_wait(struct in_run *run, struct in_item *item, enum mm_kind kind)
{
    const struct in_wait *w = wait_of(item);
    if (is_recorded(run) && w->kind == IN_WAIT_BARRIER)
        record_at(run, item, kind, w->site, item->instances[sub_group_scope(item)]);
}

/* Identifies the function in which ITEM waits by the slot of its return address, which is unique per
 * function. */
static int32_t function_of(const struct in_run *run, const struct in_item *item)
{
    const struct in_code *code = run->code;
    return code->sources.return_slots
               ? code->sources.return_slots[code->sources.of_insn[item->pc - 1 - run->insns]]
               : 0;
}

/* Whether entries are recorded when the barrier releases its members: all in a row, which takes less time.
 * Symbolic values follow each work-item. */
static bool enters_in_row(const struct in_run *run)
{
    return run->launch.detail != IN_TERMS;
}

/* Whether events of MEMBERS differ in the work-item only: not if several calls led to the barrier. */
static bool is_row(const struct in_run *run, struct in_item **members, uint32_t n)
{
    enum { LEAST = 8 };
    const struct in_item *first = members[0];
    const struct in_wait *w = wait_of(first);
    if (n < LEAST || first->terms || w->semantics > 0 || w->memory_scope > 0 || function_of(run, first) != 0)
        return false;
    bool sub = sub_group_scope(first);
    for (uint32_t k = 1; k < n; k++)
        if (members[k]->agent != first->agent + k || members[k]->instances[sub] != first->instances[sub])
            return false;
    return true;
}

static void record_members(struct in_run *run, struct in_item **members, uint32_t n)
{
    if (!is_recorded(run) || wait_of(members[0])->kind != IN_WAIT_BARRIER)
        return;
    bool row = is_row(run, members, n);
    for (int kind = enters_in_row(run) ? MM_BARRIER_ENTRY : MM_BARRIER_EXIT; kind <= MM_BARRIER_EXIT;
         kind++) {
        record_wait(run, members[0], (enum mm_kind)kind);
        if (row)
            in_record_row(run, n);
        for (uint32_t k = 1; k < n && !row; k++)
            record_wait(run, members[k], (enum mm_kind)kind);
    }
}

void in_record_waiting(struct in_run *run)
{
    for (uint32_t s = 0; s < run->progress.slot_count && run->full && enters_in_row(run); s++) {
        struct in_group *g = run->progress.slots[s];
        for (uint32_t k = 0; g->active && k < g->items_count; k++)
            if (g->items[k].state == IN_ITEM_WAITING)
                record_wait(run, &g->items[k], MM_BARRIER_ENTRY);
    }
}

/* Records a named barrier, which sub-groups may reach at different instructions. */
static void record_named(struct in_run *run, struct in_item **members, uint32_t n)
{
    uint32_t site = wait_of(members[0])->site, instance = ++run->named_barriers;
    for (uint32_t k = 0; k < n; k++)
        record_at(run, members[k], MM_BARRIER_ENTRY, site, instance);
    for (uint32_t k = 0; k < n; k++)
        record_at(run, members[k], MM_BARRIER_EXIT, site, instance);
}

static void release_members(struct in_run *run, struct in_item **members, uint32_t n)
{
    const struct in_wait *w = wait_of(members[0]);
    bool barrier = w->kind == IN_WAIT_BARRIER || w->kind == IN_WAIT_NAMED_BARRIER;
    if (w->kind == IN_WAIT_NAMED_BARRIER && is_recorded(run))
        record_named(run, members, n);
    if (run->weak && barrier)
        in_weak_barrier(run, members, n, in_get32(members[0], w->semantics),
                        in_scope_of(in_get32(members[0], w->memory_scope)));
    if (!barrier)
        in_collective(run, members, n, w);
    if (!barrier && run->launch.detail == IN_TERMS)
        in_terms_meet(run, members, n);
    record_members(run, members, n);
    for (uint32_t k = 0; k < n; k++)
        members[k]->state = IN_ITEM_READY;
    members[0]->group->waiting -= n;
    members[0]->group->yields = 0;
}

/* The OpenCL C function of an instruction at which work-items wait. */
static const char *source_name(const char *opcode)
{
    static const char *const names[][2] = {{"ControlBarrier", "barrier()"},
                                           {"GroupAsyncCopy", "async_work_group_copy()"},
                                           {"GroupWaitEvents", "wait_group_events()"},
                                           {"GroupBroadcast", "work_group_broadcast()"},
                                           {"GroupAll", "work_group_all()"},
                                           {"GroupAny", "work_group_any()"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], opcode) == 0)
            return names[i][1];
    return opcode;
}

static void describe_location(const struct in_run *run, const struct in_item *item, char *text, size_t size)
{
    if (item->state == IN_ITEM_DONE) {
        snprintf(text, size, "has ended");
        return;
    }
    const struct in_source *s =
        &run->code->sources.list[run->code->sources.of_insn[item->pc - 1 - run->insns]];
    bool fence = item->state == IN_ITEM_WAITING && in_is_copy_fence(item, wait_of(item));
    snprintf(text, size, "waits at %s (%s:%u)",
             fence ? "async_work_group_copy_fence()" : source_name(s->opcode), s->file, s->line);
}

/* Reports divergence: FIRST waits at an instruction that OTHER will never reach. */
static void report_divergence(struct in_run *run, struct in_item *first, const struct in_item *other)
{
    char a[120], b[120];
    describe_location(run, first, a, sizeof a);
    describe_location(run, other, b, sizeof b);
    in_raise(run, first, first->pc - 1, "barrier-divergence", "CLC 6.15.8",
             "work-item %u of the group %s while work-item %u %s", first->local_linear, a,
             other->local_linear, b);
    run->outcome.stopped = true;
}

/* NULL if all of items [FROM, TO) wait at the same instruction, else the first one that does not. */
static struct in_item *find_disagreement(struct in_group *g, uint32_t from, uint32_t to)
{
    struct in_item *first = NULL;
    for (uint32_t k = from; k < to && !first; k++)
        if (g->items[k].state == IN_ITEM_WAITING)
            first = &g->items[k];
    for (uint32_t k = from; k < to; k++)
        if (g->items[k].state != IN_ITEM_WAITING || g->items[k].pc != first->pc)
            return &g->items[k];
    return NULL;
}

static bool release_range(struct in_run *run, struct in_group *g, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t k = from; k < to; k++)
        run->members[n++] = &g->items[k];
    release_members(run, run->members, n);
    return true;
}

static bool waits_non_uniformly(const struct in_item *item)
{
    return item->state == IN_ITEM_WAITING && wait_of(item)->kind == IN_WAIT_NON_UNIFORM;
}

/* Whether A is after B in the code, or in a caller of B's function: callers are placed before callees. */
static bool is_later(const struct in_run *run, const struct in_item *a, const struct in_item *b)
{
    return function_of(run, a) == function_of(run, b) ? a->pc > b->pc : a->pc < b->pc;
}

/* The work-items of a sub-group that wait at one non-uniform instruction execute it together: at the first in
 * the order of the code, so that work-items leaving a branch or a loop reconverge with the others after
 * it. */
static bool release_non_uniform(struct in_run *run, struct in_group *g, uint32_t from, uint32_t to)
{
    const struct in_item *first = NULL;
    for (uint32_t k = from; k < to; k++)
        if (waits_non_uniformly(&g->items[k]) && (!first || is_later(run, first, &g->items[k])))
            first = &g->items[k];
    const struct in_insn *pc = first ? first->pc : NULL;
    uint32_t n = 0;
    for (uint32_t k = from; k < to && pc; k++)
        if (g->items[k].state == IN_ITEM_WAITING && g->items[k].pc == pc)
            run->members[n++] = &g->items[k];
    if (n > 0)
        release_members(run, run->members, n);
    return n > 0;
}

/* ---- named barriers ---------------------------------------------------------------------------- */

/* The named barrier that ITEM waits for; NULL: none. */
static const struct in_named_barrier *named_barrier_of(const struct in_item *item)
{
    if (item->state != IN_ITEM_WAITING || wait_of(item)->kind != IN_WAIT_NAMED_BARRIER)
        return NULL;
    return (const struct in_named_barrier *)(const void *)(item->frame + wait_of(item)->operand[0]);
}

/* Whether all work-items of the sub-group [FROM, TO) wait for the barrier NUMBER. */
static bool all_wait_for(const struct in_group *g, uint32_t from, uint32_t to, uint32_t number)
{
    for (uint32_t k = from; k < to; k++) {
        const struct in_named_barrier *b = named_barrier_of(&g->items[k]);
        if (!b || b->number != number)
            return false;
    }
    return true;
}

/* Releases the sub-groups that wait for BARRIER once their number equals its sub-group count.
 * [SPIRV 3.49.20 OpMemoryNamedBarrier] */
static bool release_named(struct in_run *run, struct in_group *g, const struct in_named_barrier *barrier)
{
    uint32_t sub = run->launch.sub_group_size, n = 0, waiting = 0;
    for (uint32_t from = 0; from < g->items_count; from += sub) {
        uint32_t to = from + sub < g->items_count ? from + sub : g->items_count;
        if (!all_wait_for(g, from, to, barrier->number))
            continue;
        waiting++;
        for (uint32_t k = from; k < to; k++)
            run->members[n++] = &g->items[k];
    }
    if (waiting == 0 || waiting < barrier->sub_groups)
        return false;
    release_members(run, run->members, n);
    return true;
}

/* Reports a deadlock: no work-item of the group is runnable, and too few sub-groups wait for a named
 * barrier. */
static void named_barrier_stuck(struct in_run *run, struct in_item *item)
{
    uint32_t sub_groups = named_barrier_of(item)->sub_groups;
    in_raise(run, item, item->pc - 1, "barrier-divergence", "SPIRV 3.49.20",
             "work-item %u of the group waits for a named barrier of %u sub-groups, which no more of them "
             "will reach",
             item->local_linear, sub_groups);
    run->outcome.stopped = true;
}

/* ---- release ----------------------------------------------------------------------------------- */

/* Called when no work-item of the sub-group is runnable. */
static bool resolve_sub_group(struct in_run *run, struct in_group *g, uint32_t from, uint32_t to)
{
    struct in_item *waiting = NULL;
    for (uint32_t k = from; k < to; k++) {
        if (g->items[k].state == IN_ITEM_NEW || g->items[k].state == IN_ITEM_READY)
            return false;
        bool named = named_barrier_of(&g->items[k]) != NULL;
        if (g->items[k].state == IN_ITEM_WAITING && (named || sub_group_scope(&g->items[k])) && !waiting)
            waiting = &g->items[k];
    }
    if (release_non_uniform(run, g, from, to))
        return true;
    if (!waiting)
        return false;
    struct in_item *other = find_disagreement(g, from, to);
    const struct in_named_barrier *barrier = named_barrier_of(waiting);
    if (!other && barrier)
        return release_named(run, g, barrier);
    if (other) {
        report_divergence(run, waiting, other == waiting ? &g->items[from] : other);
        return true;
    }
    return release_range(run, g, from, to);
}

/* Whether all work-items of the group wait at one instruction, whose scope is a constant and the work-group:
 * the usual case, decided without a pass over each sub-group. */
static bool waits_as_group(struct in_group *g)
{
    if (g->waiting != g->items_count || find_disagreement(g, 0, g->items_count))
        return false;
    const struct in_wait *w = wait_of(&g->items[0]);
    bool constant = w->scope <= 0; /* slots of constants are negative */
    return (w->kind == IN_WAIT_BARRIER || w->kind == IN_WAIT_GROUP_OP) && constant &&
           !sub_group_scope(&g->items[0]);
}

static void resolve_group(struct in_run *run, struct in_group *g)
{
    uint32_t sub = run->launch.sub_group_size;
    bool any = false;
    if (waits_as_group(g)) {
        release_range(run, g, 0, g->items_count);
        return;
    }
    for (uint32_t from = 0; from < g->items_count && !any; from += sub)
        any = resolve_sub_group(run, g, from, from + sub < g->items_count ? from + sub : g->items_count);
    if (any || g->waiting == 0)
        return;
    struct in_item *other = find_disagreement(g, 0, g->items_count);
    for (uint32_t k = 0; k < g->items_count; k++)
        if (named_barrier_of(&g->items[k])) {
            named_barrier_stuck(run, &g->items[k]);
            return;
        }
    if (!other) {
        release_range(run, g, 0, g->items_count);
        return;
    }
    for (uint32_t k = 0; k < g->items_count; k++)
        if (g->items[k].state == IN_ITEM_WAITING) {
            report_divergence(run, &g->items[k], other);
            return;
        }
}

/* Ends the waits that the last step of ITEM completes: of its work-group, its sub-group or its named
 * barrier. */
static void resolve_waits(struct in_run *run, struct in_item *item, bool sub_group)
{
    struct in_group *g = item->group;
    if (g->waiting > 0 && g->waiting + g->done == g->items_count) {
        resolve_group(run, g);
        return;
    }
    if (!sub_group && !named_barrier_of(item))
        return;
    uint32_t sub = run->launch.sub_group_size, from = item->local_linear / sub * sub;
    resolve_sub_group(run, g, from, from + sub < g->items_count ? from + sub : g->items_count);
}

/* A seeded fault: the barrier does not block. */
static bool lets_through(struct in_item *item, bool sub)
{
    struct in_group *g = item->group;
    if (wait_of(item)->kind != IN_WAIT_BARRIER ||
        !(sub ? IN_FAULTY(SUB_BARRIER_NO_WAIT) : IN_FAULTY(BARRIER_NO_WAIT)))
        return false;
    item->state = IN_ITEM_READY;
    g->cursor = g->cursor > 0 ? g->cursor - 1 : g->items_count - 1; /* and resumes at once */
    return true;
}

void in_item_waits(struct in_run *run, struct in_item *item)
{
    bool sub = sub_group_scope(item);
    if (__builtin_expect(in_fault_now != IN_NO_FAULT, 0) && lets_through(item, sub))
        return;
    item->state = IN_ITEM_WAITING;
    item->group->waiting++;
    item->instances[sub] += wait_of(item)->kind != IN_WAIT_NAMED_BARRIER;
    if (!enters_in_row(run))
        record_wait(run, item, MM_BARRIER_ENTRY);
    resolve_waits(run, item, sub);
}

void in_item_done(struct in_run *run, struct in_item *item)
{
    struct in_group *g = item->group;
    if (g->done + 1 == g->items_count)
        in_copies_end(run, item);
    if (run->weak)
        in_weak_done(run, item);
    in_item_finish(g, item);
    g->yields = 0;
    if (g->waiting > 0)
        resolve_waits(run, item, true);
}
