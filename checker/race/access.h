/* The access that is being checked: internal to access.c, plain.c and detector.c. */
#ifndef CHECKER_RACE_ACCESS_H
#define CHECKER_RACE_ACCESS_H

#include "checker/race/agents.h"

struct access {
    struct ck_detector *d;
    const struct mm_event *event;
    struct ck_memory *memory;           /* the buffer of a sub-buffer */
    uint64_t offset;                    /* in MEMORY */
    struct ck_space *space;             /* shadow memory of the accessed view, buffer or image */
    struct ck_space *other;             /* shadow memory of the other view */
    struct ck_item *item;               /* the agent's state; NULL: it is only read */
    const struct ck_clock *clock;       /* the agent's, in REGION */
    const struct ck_clock *other_clock; /* the agent's in the region of the other view (buffer or image) */
    enum ck_region region;              /* CK_REGION_IMAGE for an access through an image */
    struct ck_access_record record;
    uint32_t meta;
    uint64_t key; /* scope instance of an atomic access */
    uint64_t at;  /* offset of the current cell */
    uint32_t cell_bytes;
    uint8_t slot;
    uint32_t image_fenced; /* see struct ck_item */
    bool unfenced;         /* reads an image where the same work-item wrote, without an image fence between */
    bool other_view;       /* reads where the same work-item wrote through the other view */
    bool fresh;            /* reads local memory of which no byte is known to be written */
    bool through_image;    /* of a buffer */
    bool released;         /* the agent's clock was published: its time must advance */
};

/* The earlier access happens before this one. */
static inline bool is_ordered(const struct access *x, const struct ck_access_record *earlier)
{
    return earlier->agent == x->record.agent ||
           ck_clock_lookup(&x->d->clocks, x->clock, earlier->agent) >= earlier->time;
}

static inline void access_report_race(const struct access *x, const struct ck_access_record *earlier)
{
    ck_race_found(x->d, x->memory, x->event, earlier, x->at, x->cell_bytes);
}

static inline void access_check(const struct access *x, const struct ck_access_record *earlier)
{
    if (earlier->time && !is_ordered(x, earlier))
        access_report_race(x, earlier);
}

/* The I-th access of the run NODE. */
static inline struct ck_access_record node_member(const struct ck_node *node, uint32_t i)
{
    struct ck_access_record record = node->first;
    record.agent += (uint64_t)node->stride * i;
    return record;
}

/* All accesses of NODE happen before this one; a run, as after a barrier or the end of a command, only if one
 * piece of the clock shows it. */
static inline bool is_node_ordered(const struct access *x, const struct ck_node *node)
{
    uint64_t first = node->first.agent, last = first + (uint64_t)node->stride * (node->count - 1);
    if (node->count == 1)
        return is_ordered(x, &node->first);
    return ck_clock_lookup(&x->d->clocks, x->clock, first) >= node->first.time &&
           ck_clock_covers(x->clock, first, last, node->first.time);
}

/* access.c */
/* Checks the accesses of the runs from NODE on.  SCOPED, where not NULL: the atomic accesses that NODE
 * belongs to, of which those with inclusive scopes do not race. */
void ck_access_check_nodes(const struct access *x, const struct ck_node *node,
                           const struct ck_atomics *scoped);

/* plain.c: checks the access against a cell, and records it there */
void ck_plain_read(const struct access *x, struct ck_cell *cell);
void ck_plain_write(const struct access *x, struct ck_cell *cell);
/* The same for all cells of an access within one page whose cells are no larger than it; false: it is no such
 * access, and nothing changes. */
bool ck_plain_touch(struct access *x);
/* ck_race_access() for a plain access by a work-item to memory in ck_last.plain, without what such an access
 * does not need.  False: it is another access, and nothing changes. */
bool ck_plain_access(struct ck_detector *d, const struct mm_event *event);
/* What ck_last.plain depends on may have changed. */
void ck_plain_forget(struct ck_detector *d);

#endif
