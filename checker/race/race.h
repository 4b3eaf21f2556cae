/* Internals of the streaming race detector: agents, shadow memory, findings (docs/detector.md).
 *
 * There are three happens-before relations: over global actions and over local actions, which the
 * specification separates [CL 3.3.6 G8-G10], and over image actions, which only barriers with the image flag
 * and commands order.  An event belongs to a region by its memory or its fence flags, and program order
 * relates events of one region only.  Synchronization of seq_cst operations in both relations [CL 3.3.6 A11]
 * adds no order: its edges end in actions that program order relates to actions of the same region only;
 * fences with both flags are the exception, which F7 states. */
#ifndef CHECKER_RACE_RACE_H
#define CHECKER_RACE_RACE_H

#include "checker/checker.h"
#include "checker/race/clock.h"
#include "checker/race/findings.h"
#include "checker/race/heat.h"

enum ck_region { CK_REGION_GLOBAL, CK_REGION_LOCAL, CK_REGION_IMAGE, CK_REGIONS };
/* Scopes as array indices. */
enum ck_slot {
    CK_SLOT_SUB_GROUP,
    CK_SLOT_WORK_GROUP,
    CK_SLOT_DEVICE,
    CK_SLOT_ALL,
    CK_SLOTS,
    CK_SLOT_NONE = CK_SLOTS
};

/* ---- agents --------------------------------------------------------------------------------- */

/* The release operation that heads a release sequence: an atomic operation, or a fence before one. */
struct ck_origin {
    uint32_t source;
    uint8_t scope; /* as in the source, before ck_slot_reduced() */
    bool fence;
};
/* The head of a release sequence, stored with its agent: a relaxed store of the same agent continues the
 * sequence, a store of another agent ends it [CL 3.3.6 G7]. */
struct ck_release_head {
    struct ck_release_head *next;
    uint64_t location; /* ck_sync.id */
    uint64_t key;
    struct ck_clock *main, *other;
    mm_event_id since; /* the first release in the sequence */
    uint64_t offset;   /* of the atomic object: the parts of a split cell have the same LOCATION */
    uint32_t size;
    uint8_t slot;
    struct ck_origin origin;
};
/* The last fence of an agent, for the reasons of races. */
struct ck_last_fence {
    uint32_t source; /* 0: none yet */
    uint32_t time[CK_REGIONS];
    mm_event_id event;
    uint8_t scope, flags;
};
/* What the fences of an agent with the flag of one region and one scope release and acquire; clocks of that
 * region unless another one is named, NULL: nothing yet.  The other region counts for fences with the flags
 * of both [CL 3.3.6 F7]. */
struct ck_fence_clocks {
    struct ck_clock *released;         /* by the last release fence */
    struct ck_clock *released_by_both; /* by the last release fence with both flags */
    uint32_t released_at;              /* the source of the fence of RELEASED */
    struct ck_clock *acquirable;       /* releases that were read: the next acquire fence joins them */
    struct ck_clock *acquirable_other; /* the same in the other region, for a fence with both flags */
};
/* The state of an agent that uses atomics or fences. */
struct ck_fences {
    struct ck_fence_clocks clocks[2][CK_SLOTS]; /* by region (global, local) and scope */
    struct ck_release_head *heads;              /* its release sequences */
    struct ck_last_fence last_release, last_acquire;
};
struct ck_item {
    struct ck_clock *clock[CK_REGIONS];
    uint32_t time[CK_REGIONS]; /* 0: no event yet */
    uint32_t image_fenced;     /* its time for images at its last image fence [CL 3.3.5 O8] */
    struct ck_fences *fences;  /* NULL until needed */
};
enum { CK_ITEM_CHUNK = 256 };

struct ck_barrier_entry { /* COUNT participants of a barrier, with indices from INDEX on */
    uint32_t index, count;
    uint32_t time[CK_REGIONS];
    uint8_t flags;
};
struct ck_barrier { /* a dynamic instance that not all participants have left */
    struct ck_barrier *next;
    uint32_t site, instance, first, expected;
    uint32_t entered, exited;
    size_t entry_count, capacity;
    uint32_t max_time[CK_REGIONS];
    uint32_t entered_with[CK_REGIONS];
    struct ck_clock *joined[CK_REGIONS];
    struct ck_clock *left_from[CK_REGIONS]; /* memo: clock of the last leaving work-item before it left */
    struct ck_clock *left_to[CK_REGIONS];   /* and after it */
    struct ck_barrier_entry *entries;
    bool sealed, sub_group;
};
struct ck_past_barrier { /* a recent barrier of a group, for the reasons of races */
    uint32_t source, first, expected;
    uint32_t time[CK_REGIONS]; /* accesses of participants before the barrier have at most this time */
    uint8_t flags;
};
enum { CK_PAST_BARRIERS = 4 };
struct ck_copy { /* an asynchronous copy that some work-items have not waited for */
    struct ck_copy *next;
    uint32_t number, source; /* the copy's index in the work-group; the source of the call */
    uint32_t callers, waiters;
    bool started, fenced;            /* FENCED: a fence orders other copies before it */
    bool differ[CK_REGIONS];         /* the callers' clocks differ */
    bool accesses[CK_REGIONS];       /* it has accessed memory of the region */
    uint64_t first;                  /* the first caller */
    uint32_t first_time[CK_REGIONS]; /* the first caller's time at the call */
    uint64_t key;                    /* agent key of its slot, 0: none yet */
    struct ck_copy_slot *slot;
    uint32_t slot_last[CK_REGIONS]; /* LAST of the slot before this copy */
    struct ck_item item;
    struct ck_clock *waited_from[CK_REGIONS]; /* memo: clock of the last waiting work-item before the wait */
    struct ck_clock *waited_to[CK_REGIONS];   /* and after it */
};
struct ck_copy_slot { /* the agent of successive, ordered copies of a group */
    struct ck_copy_slot *next;
    uint64_t key;
    uint32_t time, last[CK_REGIONS]; /* the last copy's; of the last one that may access the region */
};
struct ck_group {
    struct ck_group *next; /* in the command's list */
    uint64_t key;
    struct ck_space *locals;
    struct ck_barrier *barriers;
    struct ck_copy *copies;
    struct ck_copy_slot *copy_slots;
    struct ck_clock *copy_fence[CK_REGIONS]; /* happens before copies called after the last fence of copies */
    struct ck_past_barrier past[CK_PAST_BARRIERS];
    uint32_t past_count;
};

struct ck_argument {
    struct ck_argument *next;
    struct mm_argument info;
};
struct ck_command {
    struct mm_command info;
    bool known;        /* its record was read */
    bool complete;     /* it has no further events */
    bool marked;       /* during a collection: some state refers to it */
    bool maps;         /* a map or unmap: its accesses represent the host's */
    bool synchronizes; /* its work-items use acquire or release operations */
    uint32_t root;     /* the kernel at the top of the tree of device-side enqueues */
    uint32_t group_size, sub_group_size;
    struct ck_item **chunks;
    size_t chunk_count;
    struct ck_clock *start[CK_REGIONS];
    struct ck_item runtime;
    struct ck_group *groups;
    struct ck_argument *arguments;
    uint32_t *copy_slots; /* the first work-item that issued a copy in each slot */
    uint32_t copy_slot_count;
    size_t copy_slot_capacity;
    uint32_t call, caller;              /* the call that enqueued the command: its source, its host thread */
    const struct ck_snapshot *enqueuer; /* the work-item that enqueued the command, at that call, or NULL */
};

/* ---- shadow memory -------------------------------------------------------------------------- */

enum {
    CK_META_READ = 1,
    CK_META_WRITE = 2,
    CK_META_ATOMIC = 4,
    CK_META_ORDER_SHIFT = 3,
    CK_META_SCOPE_SHIFT = 6,
    CK_META_POSSIBLE = 512,
    CK_META_THROUGH_IMAGE = 1024
};
/* Properties that accesses of one instruction share, stored once. */
struct ck_signature {
    uint32_t source, size, meta;
};
struct ck_access_record {
    uint64_t agent;
    uint32_t time;      /* 0: no access */
    uint32_t signature; /* index in ck_shadow.signatures */
};
struct ck_node { /* a run of COUNT accesses that differ in the agent only: FIRST, FIRST + STRIDE, ... */
    struct ck_node *next;
    struct ck_access_record first;
    uint32_t stride, count;
    uint32_t depth; /* length of the list from here */
    uint32_t limit; /* depth at which superseded nodes are removed */
};
/* A release sequence of a location, as published for scope SLOT in scope instance KEY: an acquire there joins
 * MAIN, the clock of the location's region.  OTHER, the clock of the other region of global and local memory,
 * is that of a fence of both regions, for acquire fences of both; NULL: none [CL 3.3.6 F1-F6]. */
struct ck_release {
    struct ck_release *next;
    uint64_t key;
    struct ck_clock *main, *other;
    uint64_t offset; /* of the atomic object */
    uint32_t size;
    uint32_t number; /* position, oldest 0 */
    uint8_t slot;
    struct ck_origin origin; /* the last release in the sequence */
};
/* The synchronization state of an atomic location. */
struct ck_sync {
    uint64_t id;
    bool split; /* the cell was split: the states of its parts have the same id and evolve separately */
    bool mixed; /* there were writes of several sizes */

    /* the last write */
    uint64_t writer;
    uint32_t writer_time[CK_REGIONS], source;
    uint32_t size; /* reads of other sizes do not synchronize */
    uint8_t order, scope;
    struct ck_last_fence fence; /* the writer's last release fence */

    /* the last stores: writes that are not read-modify-writes, which end the release sequences of other
     * agents */
    uint64_t storer;            /* agent of the last one */
    mm_event_id store;          /* 1 + its event, 0: none */
    mm_event_id store_of_other; /* 1 + the event of the last one that is not of STORER, 0: none */

    struct ck_release *releases; /* newest first */
    struct mm_map *index;        /* releases by key, one map per slot; NULL while they are few */
};
/* Atomic accesses to one object in one scope instance, which do not race with each other. */
struct ck_atomics {
    struct ck_atomics *next;
    uint64_t key;
    uint32_t size; /* atomic operations are aligned: equal sizes on one cell mean equal bytes */
    uint8_t slot;
    struct ck_node *writes, *reads;
};
struct ck_extra {          /* the parts of a cell's state that most cells lack */
    struct ck_node *reads; /* plain reads besides the one in the cell */
    struct ck_atomics *atomics;
    struct ck_sync *sync;
};
struct ck_cell {
    struct ck_access_record write, read; /* the last plain write, a plain read */
    struct ck_extra *extra;
};
enum { CK_PAGE_LOG = 10, CK_PAGE = 1 << CK_PAGE_LOG };
struct ck_page {
    struct ck_space *space;
    uint64_t number;
    struct ck_page *next; /* in the list of the space */
    struct ck_cell *cells;
    uint32_t granule_log; /* bytes per cell, as a power of two */
};
struct ck_space {          /* shadow memory of one instance of an allocation */
    struct ck_space *next; /* of local memory: in the list of the work-group */
    uint32_t allocation;
    struct ck_page *pages, *last_page;
    struct ck_page *
        *directory; /* by page number, if the size is known; otherwise pages are in ck_shadow.pages */
    size_t directory_count;
};
struct ck_mapping { /* bytes of an object that are mapped for the host */
    struct ck_mapping *next;
    uint64_t agent; /* the map command */
    uint64_t offset;
    struct mm_range object; /* the mapped object */
    uint32_t time;
    uint8_t semantics;
    bool ended; /* the unmap was recorded before the map */
};
struct ck_memory { /* an allocation and its shadow memory */
    struct mm_allocation info;
    uint32_t created;         /* source of the call that created it */
    struct ck_space space;    /* unused for local memory, of which each work-group has an instance */
    struct ck_memory *object; /* the first of the copies that devices have of one memory object */
    struct ck_space whole;    /* in the first copy: accesses to all copies, if there are several */
    struct ck_space view;     /* likewise, of a buffer: accesses through images created from it */
    uint32_t device_copies;   /* of the first copy: number of copies */
    struct ck_mapping *mappings;
    struct ck_memory *parent,
        *next_svm; /* the allocation that contains its memory, or NULL; in ck_detector.svm */
    uint64_t parent_offset;
    uint8_t region;
    bool freed, checked;      /* CHECKED: for races */
    bool demotes;             /* scope all_svm_devices is reduced to device (O10) */
    bool fine;                /* fine-grained SVM */
    bool is_buffer;           /* a cl_mem: device scope includes one kernel and its children only (O14) */
    uint32_t released_source; /* of the write that freed the memory */
    struct ck_access_record released; /* that write; TIME 0: none */
};

/* ---- reasons -------------------------------------------------------------------------------- */

enum ck_shortfall_kind {
    CK_SHORT_STORE_RELAXED,
    CK_SHORT_LOAD_RELAXED,
    CK_SHORT_SCOPE_INSTANCE,
    CK_SHORT_SCOPE_DIFFERS,
    CK_SHORT_REGION
};
/* An atomic read from another agent's write that does not synchronize with it, or in another region only. */
struct ck_shortfall {
    uint64_t reader, writer;
    uint32_t writer_time[CK_REGIONS];
    uint32_t write_source, read_source;
    struct ck_clock *offered;   /* clock of the release sequence that is read from, NULL: none */
    struct ck_origin release;   /* the last release of that sequence; source 0: none */
    struct ck_last_fence fence; /* the writer's last release fence */
    mm_event_id event;
    uint8_t kind, read_scope, read_order, region;
};
enum { CK_SHORTFALLS = 256 };

/* A source with a key that all sources of one source location share. */
struct ck_source {
    struct mm_source info;
    uint64_t location_key;
    bool located; /* options.locate was called */
};
struct ck_pattern { /* findings that match are suppressed */
    struct ck_pattern *next;
    const char *kind, *file, *line;
};

struct ck_snapshot { /* an agent's clocks at an event that edges may start from */
    struct mm_agent agent;
    uint32_t source;
    bool completes, enqueues; /* the event completes a command; commands have it as their ENQUEUER */
    struct ck_clock *clock[CK_REGIONS];
};

/* Shadow memory (shadow.c). */
enum { CK_LAST_SIGNATURES = 256 };
struct ck_shadow {
    struct mm_map pages; /* by space and page number, of spaces without directory */
    struct ck_signature *signatures;
    uint32_t signature_count; /* 0 is none */
    size_t signature_capacity;
    struct mm_map signature_index;               /* 1 + the index in SIGNATURES, by hash */
    uint32_t last_signature[CK_LAST_SIGNATURES]; /* cache, by source modulo CK_LAST_SIGNATURES */
    struct ck_pool nodes, extras, atomics;
};

enum { CK_PLAIN = 8 };
/* Caches the last lookup of each kind, as the next event most often needs the same. */
struct ck_last {
    struct ck_command *command;
    struct ck_item *chunk; /* of CK_ITEM_CHUNK items from this key on */
    uint64_t chunk_key;
    struct ck_memory *memory;
    struct ck_memory *plain[CK_PLAIN]; /* by allocation id modulo CK_PLAIN: see ck_plain_access() */
    struct ck_group *group;
    uint64_t group_key, group_end;
    const char *kind, *kernel;                  /* the last command's */
    struct ck_group_id group_ids[CK_GROUP_IDS]; /* by linear group id and command, modulo CK_GROUP_IDS */
};

struct ck_detector {
    /* configuration */
    struct ck_detector_options options;
    const struct ck_change *supposed; /* a change applied to recorded events (change.c), NULL: none */
    struct ck_pattern *patterns;

    /* state */
    struct ck_budget budget;
    struct ck_clocks clocks;
    struct mm_error limit;  /* cls MM_LIMIT: why the verdict is unknown */
    uint64_t unrecorded;    /* number of launches that matter and whose accesses are not in the trace */
    bool stopped, finished; /* races are no longer checked; later records are ignored */
    mm_event_id next_event;
    uint64_t next_sync;
    struct ck_maps {
        struct mm_map commands, memory, objects, sources, groups, snapshots, seen;
        struct mm_map texts; /* source texts, by the hash of the file name */
    } maps;
    struct ck_shadow shadow;
    struct ck_pool snapshots;
    struct ck_edges {
        struct mm_edge *list;
        size_t count, capacity;
    } edges; /* edges that end in the next event */
    struct ck_shortfalls {
        struct ck_shortfall list[CK_SHORTFALLS];
        uint32_t count;
    } shortfalls;
    struct ck_layouts {
        const char **list;
        size_t count;
    } layouts;              /* the layouts of variables and arguments, each stored once */
    struct ck_memory *svm;  /* all SVM, also freed */
    struct mm_arena *arena; /* findings and all strings */
    struct ck_last last;
    size_t complete_commands; /* since the last collection */
    uint32_t retired_to;      /* the highest number of a freed command */
    struct ck_weak {
        bool flowed; /* the current event has a reads-from edge, from the write FROM */
        bool placed; /* the current event has a modification order edge */
        mm_event_id from;
        struct ck_past_sync {
            mm_event_id id;
            struct ck_sync *sync;
        } * past; /* synchronization state after recent atomic writes, by event */
    } weak;

    struct ck_report report;
};

/* Work-items of one work-group. */
bool ck_same_group(struct ck_detector *d, uint64_t a, uint64_t b);
/* Races are not checked from the next event on: the verdict is "unknown", because of WHAT. */
void ck_detector_stop(struct ck_detector *d, const char *what);
const struct ck_source *ck_source_of(struct ck_detector *d, uint32_t id); /* NULL if unknown */
static inline uint64_t ck_agent_key(struct mm_agent agent)
{
    return (uint64_t)agent.command << 32 | agent.index;
}
static inline bool ck_is_host(uint64_t agent)
{
    return agent >> 32 == 0;
}

/* Starts a new epoch of AGENT in REGION; a host thread has one clock for global memory and images. */
static inline void ck_item_advance(struct ck_item *item, uint64_t agent, enum ck_region region)
{
    item->time[region]++;
    if (ck_is_host(agent) && region == CK_REGION_GLOBAL)
        item->time[CK_REGION_IMAGE] = item->time[CK_REGION_GLOBAL];
}

/* race/retire.c: COMMAND is complete; frees complete commands from time to time. */
void ck_command_complete(struct ck_detector *d, struct ck_command *command);

/* race/shadow.c */
/* Page NUMBER of SPACE; a new one has cells of 2^GRANULE_LOG bytes.  NULL without memory. */
struct ck_page *ck_page_of(struct ck_detector *d, struct ck_space *space, uint64_t number,
                           uint32_t granule_log);
/* Makes the cells of PAGE smaller; each part has the state of the whole.  False: without memory. */
bool ck_page_split(struct ck_detector *d, struct ck_page *page, uint32_t granule_log);
/* Gives an empty SPACE a page directory for BYTES bytes. */
void ck_space_size(struct ck_detector *d, struct ck_space *space, uint64_t bytes);
void ck_space_clear(struct ck_detector *d, struct ck_space *space);
struct ck_extra *ck_cell_extra(struct ck_detector *d, struct ck_cell *cell);
/* Whether an access to the cell is by the agent of OF and precedes it. */
bool ck_cell_precedes(const struct ck_cell *cell, const struct ck_snapshot *of);
/* Adds ACCESS at the head of LIST; false: without memory. */
bool ck_node_add(struct ck_detector *d, struct ck_node **list, const struct ck_access_record *access);
void ck_nodes_free(struct ck_detector *d, struct ck_node **list);
void ck_atomics_free(struct ck_detector *d, struct ck_extra *extra);
/* Removes atomic accesses that an atomic access by AGENT subsumes because they precede all agents that its
 * scope may include. */
void ck_atomics_pop_preceding(struct ck_detector *d, struct ck_extra *extra, uint64_t agent,
                              enum ck_slot slot, const struct ck_memory *memory, bool writes);
/* Frees the head of LIST. */
void ck_node_pop(struct ck_detector *d, struct ck_node **list);
void ck_shadow_clear(struct ck_detector *d);
/* The index of the signature of EVENT, which is added if missing, and its META; 0 without memory. */
uint32_t ck_signature_of(struct ck_detector *d, const struct mm_event *event, uint32_t *meta);

/* race/access.c: checks a plain or atomic access against the shadow state and enters it. */
void ck_race_access(struct ck_detector *d, const struct mm_event *event);

/* race/sync.c */
/* The scope of EVENT; an atomic without one has device scope [CLC 6.15.12]. */
static inline enum ck_slot ck_slot_of(const struct mm_event *event)
{
    switch (event->scope) {
    case MM_SCOPE_WORK_ITEM:
        return CK_SLOT_NONE;
    case MM_SCOPE_SUB_GROUP:
        return CK_SLOT_SUB_GROUP;
    case MM_SCOPE_WORK_GROUP:
        return CK_SLOT_WORK_GROUP;
    case MM_SCOPE_ALL_SVM_DEVICES:
        return CK_SLOT_ALL;
    default:
        return CK_SLOT_DEVICE;
    }
}
/* Reduces scope SLOT as the memory demands [CL 3.3.5 O10, O11]. */
enum ck_slot ck_slot_reduced(enum ck_slot slot, const struct ck_memory *memory);
/* The scope instance of an agent: actions of two agents at this scope on this memory have inclusive scopes if
 * their instances are equal [CL 3.3.5 O12-O15].  Host threads act at all_svm_devices [CL 3.3.6 A23]. */
uint64_t ck_scope_instance(struct ck_detector *d, uint64_t agent, enum ck_slot slot,
                           const struct ck_memory *memory);
/* EVENT, a read by the agent of ITEM, acquires the release sequences published in SYNC; a read of another
 * size than the last write does not synchronize [CL 3.3.6 A4]. */
void ck_sync_acquire(struct ck_detector *d, const struct mm_event *event, struct ck_item *item,
                     const struct ck_memory *memory, const struct ck_sync *sync);
/* Updates the release sequences of a cell, which begins at offset AT, by a write; true if the agent's current
 * clock was published, so that its time must advance. */
bool ck_sync_release(struct ck_detector *d, const struct mm_event *event, uint64_t agent,
                     struct ck_item *item, const struct ck_memory *memory, struct ck_sync *sync, uint64_t at);
void ck_sync_free(struct ck_detector *d, struct ck_sync *sync);
void ck_shortfalls_free(struct ck_detector *d);
/* The state of another part of a split cell; NULL without memory. */
struct ck_sync *ck_sync_copy(struct ck_detector *d, struct ck_sync *sync);
void ck_race_fence(struct ck_detector *d, const struct mm_event *event);
void ck_fence_release(struct ck_detector *d, const struct mm_event *event, struct ck_item *item);
void ck_fence_acquire(struct ck_detector *d, const struct mm_event *event, struct ck_item *item);
void ck_fences_free(struct ck_detector *d, struct ck_fences *fences);
/* The flag MM_FENCE_* of the region; whether FLAGS have it. */
static inline uint8_t ck_fence_flag(enum ck_region region)
{
    return region == CK_REGION_GLOBAL  ? MM_FENCE_GLOBAL
           : region == CK_REGION_LOCAL ? MM_FENCE_LOCAL
                                       : MM_FENCE_IMAGE;
}
static inline bool ck_fence_in(unsigned flags, enum ck_region region)
{
    return flags & ck_fence_flag(region);
}

/* race/weak.c, with options.weak */
/* Notes an edge into the next event: reads-from, or modification order. */
void ck_weak_edge(struct ck_detector *d, const struct mm_edge *edge);
/* The synchronization state that a read of the cell with state CURRENT reads from; NULL: none. */
const struct ck_sync *ck_weak_read(const struct ck_detector *d, const struct ck_sync *current);
/* The state that the current write modifies: *STATE, or a copy where later reads may still need *STATE. */
struct ck_sync *ck_weak_begin(struct ck_detector *d, const struct mm_event *event, struct ck_sync **state);
/* Enters MADE, the state after the current write.  It becomes *STATE unless an edge places the write earlier
 * in modification order. */
void ck_weak_end(struct ck_detector *d, struct ck_sync **state, struct ck_sync *made);
/* The current event ends. */
void ck_weak_next(struct ck_detector *d);
void ck_weak_clear(struct ck_detector *d);
/* The synchronization states of recent writes. */
void ck_weak_each(struct ck_detector *d, void (*visit)(struct ck_detector *d, const struct ck_sync *sync));

/* race/barrier.c: COUNT events of successive work-items; next_event becomes the id of the last one. */
void ck_race_barrier(struct ck_detector *d, const struct mm_event *first, uint32_t count);
void ck_barriers_free(struct ck_detector *d, struct ck_group *group);

/* race/copy.c */
void ck_race_copy(struct ck_detector *d, const struct mm_event *event);
/* Applies the supposed change: before EVENT its agent waits for copies. */
void ck_copies_apply_change(struct ck_detector *d, const struct mm_event *event);
void ck_copies_free(struct ck_detector *d, struct ck_group *group);
/* The copy that makes access EVENT; NULL: no call of it was recorded. */
struct ck_copy *ck_copy_of(struct ck_detector *d, const struct mm_event *event);
bool ck_is_copy(const struct ck_detector *d, uint64_t agent);
/* A work-item that called the copy AGENT; AGENT itself if it is not a copy. */
uint64_t ck_issuer_of(const struct ck_detector *d, uint64_t agent);

/* race/command.c: host threads, commands and the edges between them. */
void ck_race_command(struct ck_detector *d, const struct mm_event *event, mm_event_id id);
/* Joins the clocks at the sources of the edges into EVENT. */
void ck_race_edges(struct ck_detector *d, const struct mm_event *event);
void ck_race_edge(struct ck_detector *d, const struct mm_edge *edge);
void ck_snapshots_free(struct ck_detector *d);
/* The command that enqueued COMMAND from the device, or NULL. */
const struct ck_command *ck_command_parent(const struct ck_detector *d, const struct ck_command *command);

/* race/map.c */
void ck_race_map(struct ck_detector *d, const struct mm_event *event, const struct ck_item *item);
/* Reports an access by a command that happens after a map and not after its unmap. */
void ck_map_check(struct ck_detector *d, const struct ck_memory *memory, const struct mm_event *event,
                  const struct ck_clock *clock);
void ck_mappings_free(struct ck_detector *d, struct ck_memory *memory);

/* Notes the write that frees memory, or reports an access by a command that happens after it. */
void ck_release_check(struct ck_detector *d, struct ck_memory *memory, const struct mm_event *event,
                      const struct ck_access_record *access, const struct ck_clock *clock);

/* race/report.c */
/* Names or places of races may have changed. */
void ck_race_forget_known(struct ck_detector *d);
/* Reports that EVENT races with EARLIER, for the BYTES bytes at FIRST_BYTE of MEMORY. */
void ck_race_found(struct ck_detector *d, const struct ck_memory *memory, const struct mm_event *event,
                   const struct ck_access_record *earlier, uint64_t first_byte, uint32_t bytes);
bool ck_both_atomic(const struct ck_detector *d, const struct mm_event *event,
                    const struct ck_access_record *earlier);
/* Reports a finding of the memory that EVENT accesses; the texts are copied. */
void ck_finding_at(struct ck_detector *d, const struct mm_event *event, const char *kind, const char *clause,
                   const char *message);
/* Adds a finding that the runtime or the interpreter recorded: one per kind, source location and memory; a
 * call may have several needless waits. */
void ck_finding_recorded(struct ck_detector *d, const struct mm_finding *finding);
/* Local memory is read before anything was written to it. */
void ck_finding_uninitialized(struct ck_detector *d, const struct mm_event *event);
/* The event reads what the same work-item wrote: an image, UNFENCED, or through the OTHER_VIEW. */
void ck_finding_own_write(struct ck_detector *d, const struct mm_event *event, bool unfenced,
                          bool other_view);
/* Adds a finding, or counts it as dropped beyond max_findings; false: no memory. */
bool ck_finding_add(struct ck_detector *d, struct ck_finding *finding);

/* race/reason.c */
/* Why EARLIER does not happen before EVENT, and in *FIX how the source could order them, NULL: unknown;
 * *CHANGE: a change of the recorded events that represents the fix.  SCOPE_RACE: both are atomic, of equal
 * size. */
const char *ck_race_reason(struct ck_detector *d, const struct ck_memory *memory,
                           const struct mm_event *event, const struct ck_access_record *earlier,
                           bool scope_race, struct ck_change *change, const char **fix);

/* race/suppress.c */
enum ck_filter ck_filter_of(const struct ck_detector *d, const struct ck_finding *finding);
/* The filter of kernels or launches that hides a race between these agents. */
enum ck_filter ck_filter_of_pair(struct ck_detector *d, struct mm_agent later, struct mm_agent earlier);

#endif
