/* The commands of a recorded execution as a program: host threads, queues, commands and what they access
 * (README.md). */
#ifndef TOOLS_COMMANDS_RECORD_H
#define TOOLS_COMMANDS_RECORD_H

#include "checker/checker.h"
#include "memmodel/base/map.h"
#include "tools/explore/command.h"

#define HC_NONE UINT32_MAX

/* How bytes are accessed (a mask). */
enum { HC_READ = 1, HC_WRITE = 2, HC_ATOMIC_READ = 4, HC_ATOMIC_WRITE = 8 };
enum { HC_WRITES = HC_WRITE | HC_ATOMIC_WRITE, HC_ATOMICS = HC_ATOMIC_READ | HC_ATOMIC_WRITE };

/* Bytes [FROM, TO) of memory object ROOT that a part accesses in one way. */
struct hc_interval {
    uint32_t part, root;
    uint64_t from, to;
    uint8_t kind, scope;
    bool several; /* merged from several events */
    struct mm_event sample;
};
/* A part of the program, which accesses memory: a command with its descendants, or a host thread between
 * two of its points. */
struct hc_part {
    uint32_t command; /* index, HC_NONE: a host thread */
    uint32_t node;    /* host: of the accesses; else the start of the command */
    uint32_t last[8]; /* the intervals that grew last, plus 1 */
    unsigned next_last;
    uint8_t kinds;           /* of all accesses */
    bool acquires, releases; /* it has atomic operations or fences of such an order */
};
/* A point of a host thread or of a command; or the accesses of a host thread between two points. */
struct hc_node {
    struct mm_event event;
    uint32_t owner; /* host thread, or command index with OF_COMMAND */
    uint32_t part;  /* of a host's accesses, HC_NONE: a point */
    bool of_command, dropped;
};
struct hc_edge {
    uint32_t from, to; /* nodes */
    uint32_t kind;     /* enum mm_edge_kind */
};
struct hc_command {
    uint32_t id, parent, queue, device;
    bool in_order, marker, barrier, semaphore, has_list; /* HAS_LIST: a wait list */
    uint8_t transfer; /* HC_READ, HC_WRITE: accesses to memory of the host through a pointer of the call */
    uint32_t call, start, end, complete; /* nodes, HC_NONE: not recorded */
    uint32_t part;
};
/* A part that accesses the bytes of a cell. */
struct hc_member {
    uint32_t part, interval;
    uint8_t kind, scope;
};
/* Bytes that all MEMBERS access; it represents all bytes with the same members. */
struct hc_cell {
    uint32_t root;
    uint64_t from, to;
    struct hc_member *members; /* by part */
    uint32_t count;
};
/* Calls that concern a queue, in the order of the queue: an enqueue, or a clFinish (COMMAND is HC_NONE). */
struct hc_call {
    uint32_t node, command;
};
struct hc_queue {
    uint32_t id;
    bool in_order, shared; /* SHARED: several host threads call */
    struct hc_call *calls;
    uint32_t count;
};

struct hc_record {
    struct mm_arena *arena;
    struct hc_node *nodes;
    uint32_t node_count;
    struct hc_edge *edges; /* as recorded, those of queues among them */
    uint32_t edge_count;
    struct hc_command *commands;
    uint32_t command_count, given, kept; /* GIVEN: by the host; KEPT: the last of them, which take part */
    struct hc_part *parts;
    uint32_t part_count;
    struct hc_interval *intervals;
    uint32_t interval_count;
    struct hc_cell *cells;
    uint32_t cell_count;
    struct hc_queue *queues;
    uint32_t queue_count;
    uint32_t thread_count;
    bool instrumented; /* synchronization of the host's threads is recorded */
    struct mm_allocation *allocations;
    uint32_t allocation_count;
    struct { /* state of the reader; the maps also serve the footprints */
        mm_event_id next_event;
        struct mm_map node_of, command_of, root_of, allocation_of; /* by id: index plus 1 */
        struct mm_edge *pending;
        uint32_t pending_count;
        uint32_t *open; /* by host thread: node of the accesses since its last point, plus 1 */
        uint32_t open_count;
    } reading;
    struct mm_sink forward[2]; /* detectors: of the recorded schedule; of another, which gets no events yet */
    struct mm_error limit;     /* what was not covered */
};

/* collect.c: a sink that fills RECORD, which is zeroed but for FORWARD; hc_record_end() after the last record
 * keeps the last COMMANDS commands. */
void hc_record_sink(struct hc_record *record, struct mm_sink *sink);
void hc_record_end(struct hc_record *record, uint32_t commands);
void hc_record_clear(struct hc_record *record);
/* The first limit counts. */
void hc_limit(struct hc_record *record, const char *rule, const char *message);

/* footprint.c: adds what E accesses to PART; computes the cells of the parts that are kept. */
void hc_footprint_add(struct hc_record *record, uint32_t part, const struct mm_event *e);
void hc_footprint_cells(struct hc_record *record);

/* schedule.c: an order of the calls of each queue, and what it implies. */
struct hc_schedule {
    struct hc_edge *edges; /* all but those that other schedules would have */
    uint32_t count;
};
/* Calls FUNCTION with each schedule, the recorded one first, until it returns false.  LOOSE: without the
 * order of host threads that was only observed. */
typedef bool hc_schedule_function(void *context, const struct hc_schedule *schedule);
void hc_schedules(struct hc_record *record, bool loose, hc_schedule_function *function, void *context);
/* Whether some order of host threads was only observed. */
bool hc_has_observed_order(const struct hc_record *record);
/* Fills ORDER with the nodes in an order that SCHEDULE allows; returns their number, 0: there is no such
 * order. */
uint32_t hc_linearize(const struct hc_record *record, const struct hc_schedule *schedule, uint32_t *order);
/* Whether a path of edges, or of synchronization by atomic operations, leads from PART A to B. */
bool hc_may_synchronize(struct hc_record *record, const struct hc_schedule *schedule, uint32_t a, uint32_t b);

/* program.c: the program of SCHEDULE with COUNT cells, to be destroyed by the caller; NULL: it cannot be
 * built.  The source line of an access is 1 + its part. */
struct ck_program *hc_program(struct hc_record *record, const struct hc_schedule *schedule,
                              const struct hc_cell *cells, uint32_t count);
/* The parts of the two accesses of a race that V shows; false: it shows none. */
bool hc_program_race(const struct hc_record *record, const struct ck_verdict *v, uint32_t parts[2]);

/* command.c: explores what the command ARGV does, or the trace FILE.  Returns an exit code. */
int commands_explore(struct explore *e, char **argv, const char *file);

#endif
