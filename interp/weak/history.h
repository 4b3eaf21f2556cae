/* Internal to weak: views and histories (docs/weak-memory.md#state). */
#ifndef INTERP_WEAK_HISTORY_H
#define INTERP_WEAK_HISTORY_H

#include "weak.h"

#include "memmodel/base/map.h"

enum { GLOBAL_REGION, LOCAL_REGION, REGIONS };
/* Memory scopes, each with its instances: sub-group, work-group, device, all devices. */
enum { SLOT_SUB_GROUP, SLOT_WORK_GROUP, SLOT_DEVICE, SLOT_ALL, SLOTS };
#define ANY_KEY UINT64_MAX /* any scope instance */

/* ---- views ---- */

/* The view of half a cell: the oldest write that a read may still return is the one numbered SERIAL. */
struct in_view_entry {
    uint64_t key; /* id of the cell * 2 + which half; 0: empty */
    uint64_t serial;
};
struct in_view { /* reference-counted, copied on write */
    uint32_t references, count, capacity;
    uint64_t floor; /* the view includes the contents of memory at the time of this serial */
    struct in_view_entry entries[];
};

/* ---- histories ---- */

/* A release: the view that an acquire of scope SLOT in the instance KEY joins when it reads the write. */
struct in_offer {
    struct in_offer *next;
    struct in_view *view, *other; /* OTHER: of the other region, for fences with both flags */
    uint64_t key;
    uint8_t slot;
};
struct in_message {
    uint64_t value, serial;
    uint64_t seen;   /* the writer's view of this place, as a serial */
    uint64_t fenced; /* serial of the writer's first seq_cst fence after it, 0: none yet */
    mm_event_id event;
    struct in_offer *offers;
    uint32_t agent;
    uint8_t mask; /* bytes of the cell that it wrote */
    bool rmw;     /* of a read-modify-write: in modification order directly after the write it read */
    bool atomic, seq_cst;
};
struct in_cell {
    uint64_t address, id;
    struct in_message *messages;      /* in modification order */
    uint32_t count, capacity, oldest; /* no read may return a write before OLDEST: kept for other bytes */
    uint32_t next_local;              /* next cell of the same work-group's local memory, index + 1 */
    uint32_t next_free;
    uint8_t known; /* bytes whose initial value was loaded from memory */
};

enum { IN_LATE_COPIES = 3 };
/* Weak-memory state of a work-item. */
struct in_weak_item {
    struct in_weak_item *next, **link;
    struct in_view *view[REGIONS];
    struct in_view *release[REGIONS][SLOTS], *both[REGIONS][SLOTS];          /* of release fences, by scope */
    struct in_view *pending[REGIONS][SLOTS], *pending_other[REGIONS][SLOTS]; /* for acquire fences */
    uint64_t fenced; /* its last seq_cst fence, 0: none */
    struct in_write {
        uint64_t cell, serial;
    } writes[32]; /* atomic writes since its last seq_cst fence */
    uint32_t write_count;
    const struct in_insn *late; /* a postponed read, and the copies of its result */
    int32_t late_copies[IN_LATE_COPIES];
    uint32_t late_count;
};

struct in_local_cells {
    const struct in_group *group;
    uint32_t first;
};
struct in_weak {
    struct in_cell **cells;
    struct mm_map numbers; /* of the cells, plus one, by address */
    uint32_t cell_count, cell_used, free_cells;
    uint64_t generation;
    struct in_local_cells *locals;
    uint32_t local_count;
    struct in_weak_item *items;
    uint64_t serial, random, messages;
    mm_event_id start; /* source of values from before the launch */
    uint8_t *scratch;
    uint64_t scratch_size;
    /* The last access, for recording. */
    struct {
        struct in_cell *cell;
        uint64_t serial;            /* of the write */
        mm_event_id from, after;    /* MM_NO_EVENT: implied by record order */
        bool wrote, flowed, placed; /* FLOWED: it did not read the last recorded write */
    } last;
    bool failed; /* out of memory: from now on reads return the contents of memory */
};

uint64_t in_weak_random(struct in_weak *w);
/* Room for SIZE bytes in W->scratch; false: out of memory. */
bool in_weak_scratch(struct in_weak *w, uint64_t size);
struct in_weak_item *in_weak_item(struct in_run *run, struct in_item *item);

/* view.c */
void in_view_drop(struct in_view *view);
struct in_view *in_view_share(struct in_view *view);
void in_view_set(struct in_view **view, uint64_t key, uint64_t serial);
uint64_t in_view_get(const struct in_view *view, uint64_t key); /* 0: no entry */
void in_view_join(struct in_weak *w, struct in_view **into, const struct in_view *other);
struct in_view *in_view_of_all(struct in_weak *w); /* the current contents of memory */

/* cell.c */
struct in_cell *in_cell_find(struct in_weak *w, uint64_t address); /* NULL: no history */
struct in_cell *in_cell_of_id(const struct in_weak *w, uint64_t id);
struct in_cell *in_cell_at(struct in_weak *w, const struct in_group *group, uint64_t address, uint8_t mask);
void in_cells_forget(struct in_weak *w, const struct in_group *group);
void in_cells_destroy(struct in_weak *w);
/* Appends writes from outside the launch to the history. */
void in_cell_refresh(struct in_weak *w, struct in_cell *cell, uint8_t mask);
/* Value of the bytes of MASK after the write at INDEX. */
uint64_t in_cell_value(const struct in_cell *cell, uint32_t index, uint8_t mask);
/* Index of the write SERIAL; 0 if it was discarded. */
uint32_t in_cell_index(const struct in_cell *cell, uint64_t serial);
/* First index in modification order that VIEW permits for a read of the bytes of MASK. */
uint32_t in_cell_bound(const struct in_cell *cell, const struct in_view *view, uint8_t mask);
/* The last write to bytes of MASK at or before INDEX. */
uint32_t in_cell_last(const struct in_cell *cell, uint32_t index, uint8_t mask);
/* A new write at INDEX; NULL: out of memory. */
struct in_message *in_cell_insert(struct in_weak *w, struct in_cell *cell, uint32_t index, uint8_t mask,
                                  uint64_t value);
void in_message_offer(struct in_weak *w, struct in_message *m, uint8_t slot, uint64_t key,
                      struct in_view *view, struct in_view *other);

static inline uint64_t in_half_key(const struct in_cell *cell, int half)
{
    return cell->id * 2 + (uint64_t)half;
}
static inline uint8_t in_half_mask(int half)
{
    return half ? 0xf0 : 0x0f;
}

/* sync.c */
/* ITEM read bytes of MASK of the write at INDEX of CELL by A. */
void in_sync_acquire(struct in_run *run, struct in_item *item, const struct in_weak_atomic *a,
                     const struct in_cell *cell, uint32_t index, uint8_t mask);
/* ITEM wrote M by A. */
void in_sync_release(struct in_run *run, struct in_item *item, const struct in_weak_atomic *a,
                     struct in_message *m);

static inline int in_region_of(const struct in_object *object)
{
    return object->region == MM_LOCAL ? LOCAL_REGION : GLOBAL_REGION;
}

#endif
