/* memmodel: events, traces and event graphs.
 *
 * The public header of the folder.  It declares the records of an execution, the recorder, trace files and
 * event graphs, and includes the headers of base/ that every folder uses (errors, memory, writing).  The
 * relation algebra and the cat language are in cat/cat.h.  Depends on libc and zstd alone. */
#ifndef MEMMODEL_MEMMODEL_H
#define MEMMODEL_MEMMODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "memmodel/base/arena.h"
#include "memmodel/base/base64.h"
#include "memmodel/base/error.h"
#include "memmodel/base/memory.h"
#include "memmodel/base/write.h"

/* ---- vocabulary -------------------------------------------------------------------------- */

enum mm_kind {
#define MM_EVENT(id, name) MM_##id,
#include "event.def"
#undef MM_EVENT
    MM_KIND_COUNT
};
const char *mm_kind_name(enum mm_kind kind);

/* Memory order as written [CL 3.3.4]. */
enum mm_order { MM_ORDER_NONE, MM_RELAXED, MM_ACQUIRE, MM_RELEASE, MM_ACQ_REL, MM_SEQ_CST, MM_ORDER_COUNT };
/* Memory scope [CL 3.3.4]; QUEUE_FAMILY is Vulkan's. */
enum mm_scope {
    MM_SCOPE_NONE,
    MM_SCOPE_WORK_ITEM,
    MM_SCOPE_SUB_GROUP,
    MM_SCOPE_WORK_GROUP,
    MM_SCOPE_QUEUE_FAMILY,
    MM_SCOPE_DEVICE,
    MM_SCOPE_ALL_SVM_DEVICES,
    MM_SCOPE_COUNT
};
enum mm_region {
    MM_REGION_NONE,
    MM_GLOBAL, /* buffers, SVM */
    MM_LOCAL,  /* one instance per work-group */
    MM_CONSTANT,
    MM_PRIVATE, /* one instance per work-item */
    MM_IMAGE,
    MM_PIPE,
    MM_PROGRAM_SCOPE, /* program-scope variables in global memory */
    MM_REGION_COUNT
};
enum mm_origin {
    MM_ORIGIN_NONE,
    MM_ORIGIN_BUFFER,
    MM_ORIGIN_SUB_BUFFER,
    MM_ORIGIN_COARSE_SVM,
    MM_ORIGIN_FINE_SVM,
    MM_ORIGIN_FINE_SVM_ATOMICS,
    MM_ORIGIN_SYSTEM_SVM,
    MM_ORIGIN_HOST, /* plain host memory that a command reads or writes */
    MM_ORIGIN_COUNT
};
const char *mm_order_name(enum mm_order order);    /* "relaxed", ... */
const char *mm_scope_name(enum mm_scope scope);    /* "work_group", ... */
const char *mm_region_name(enum mm_region region); /* "global", ... */
const char *mm_origin_name(enum mm_origin origin); /* "buffer", ... */

/* Fence flags [CLC 6.15.12.5] (mm_event.fence_flags, a mask). */
enum { MM_FENCE_LOCAL = 1, MM_FENCE_GLOBAL = 2, MM_FENCE_IMAGE = 4 };
/* Attributes of an access (mm_event.attributes, a mask). */
enum {
    MM_ATOMIC = 1,
    MM_VOLATILE = 2,
    MM_NON_PRIVATE = 4,    /* Vulkan */
    MM_MAKE_AVAILABLE = 8, /* Vulkan */
    MM_MAKE_VISIBLE = 16,  /* Vulkan */
    MM_FAILED_CAS = 32,    /* a compare-exchange that did not write; kind is READ */
    MM_NO_VALUE = 64,      /* value_read/value_written do not hold the (whole) value */
    MM_POSSIBLE = 128      /* an analysis cannot exclude the access; not in files */
};

/* The role of an event for commands of queues (a mask), which the rules of [CL 3.3.6] refer to. */
enum {
    MM_POINT_API = 1,       /* a call of the API by a host thread or work-item */
    MM_POINT_START = 2,     /* a command starts */
    MM_POINT_END = 4,       /* the command's work is done, except for its children */
    MM_POINT_COMPLETE = 8,  /* its event, or a user event, is CL_COMPLETE */
    MM_POINT_IN_ORDER = 16, /* the command is in an in-order queue */
    MM_POINT_MARKER = 32,
    MM_POINT_BARRIER = 64,  /* of a command-queue */
    MM_POINT_NO_LIST = 128, /* its wait list is empty */
    MM_POINT_FINISH = 256,
    MM_POINT_WAIT_KERNEL = 512, /* CLK_ENQUEUE_FLAGS_WAIT_KERNEL */
    MM_POINT_WAIT_GROUP = 1024, /* CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP */
    MM_POINT_MAP = 2048,        /* accesses of map commands */
    MM_POINT_MAP_WRITE = 4096,  /* of those that map for writing */
    MM_POINT_UNMAP = 8192,      /* of unmap commands */
    MM_POINT_FREE = 16384       /* memory is freed */
};

/* ---- agents ------------------------------------------------------------------------------ */

/* A unit of execution.  Host threads: command 0, index = thread number from 0.  Work-items: the command
 * that launched them, index = work-group's linear id * enqueued work-group size + local linear id.
 * The runtime acting for a command (copy, fill, map, start and end of a launch): that command,
 * MM_INDEX_RUNTIME.  No table is needed: the geometry is in struct mm_command. */
struct mm_agent {
    uint32_t command;
    uint32_t index;
};
#define MM_INDEX_RUNTIME UINT32_MAX

/* ---- records: what an execution consists of ---------------------------------------------- */

/* An event's id is its position among the events of the execution, from 0. */
typedef uint64_t mm_event_id;
#define MM_NO_EVENT UINT64_MAX

struct mm_event {
    uint64_t offset;        /* byte offset in the allocation */
    uint64_t value_read;    /* little-endian, the first 8 bytes */
    uint64_t value_written; /* likewise */
    struct mm_agent agent;
    uint32_t allocation;     /* id, 0 = none */
    uint32_t size;           /* bytes accessed; MM_UNRECORDED: launches */
    uint32_t source;         /* id of a struct mm_source, 0 = unknown */
    uint32_t site, instance; /* by kind, see below */
    uint8_t kind;            /* enum mm_kind */
    uint8_t order;           /* enum mm_order, as written */
    uint8_t scope;           /* enum mm_scope, as written */
    uint8_t effective_scope; /* after the reductions of CL 3.3.5 (O9-O11); barriers: the execution scope,
                                sub_group or work_group */
    uint8_t fence_flags;
    uint8_t attributes;
    uint16_t semantics; /* Vulkan: storage-class semantics as written; others: MM_TRANSFER, ... below */
};
/* mm_event.site and .instance by the kind of the event; both are 0 for all other kinds.
 *
 *   kind                          site                        instance
 *   BARRIER_ENTRY, BARRIER_EXIT   static call site, from 1    dynamic instance in the work-group or
 *   sub-group, from 1
 *   COPY_START, COPY_WAIT, and    0                           number of the copy in its work-group, from 1
 *   accesses of the copy
 *   MAP, UNMAP                    bytes of the mapped object before and after the range:
 * mm_mapped_object() */

/* Values of mm_event.semantics, outside of Vulkan kernels; the kind of the event decides the meaning of a
 * bit. */
enum {
    MM_TRANSFER = 1,       /* the runtime copies an object between devices: no agent uses it */
    MM_RELEASED = 2,       /* write that frees memory: no command may use it, the host may have it mapped */
    MM_MAP_READ = 2,       /* map: the host may read */
    MM_MAP_WRITE = 4,      /* map: the host may write */
    MM_UNRECORDED = 8,     /* call: later commands may race with unrecorded accesses of earlier launches */
    MM_REPLAYED = 16,      /* with MM_UNRECORDED: all these launches are in the trace, to be re-executed */
    MM_INSTRUMENTED = 64,  /* call of an instrumented host program: the trace has its HOST edges */
    MM_COPY = 32,          /* access of an asynchronous copy, see mm_is_copy() */
    MM_THROUGH_IMAGE = 128 /* access of a buffer by a work-item through an image made from it [CL 5.3.1] */
};

/* A range of bytes of an allocation. */
struct mm_range {
    uint64_t begin, end;
};
/* The buffer, image or sub-buffer that a MAP or UNMAP event maps a range of. */
static inline struct mm_range mm_mapped_object(const struct mm_event *e)
{
    return (struct mm_range){e->offset - e->site, e->offset + e->size + e->instance};
}

static inline bool mm_reads(const struct mm_event *e)
{
    return e->kind == MM_READ || e->kind == MM_RMW;
}
static inline bool mm_writes(const struct mm_event *e)
{
    return e->kind == MM_WRITE || e->kind == MM_RMW;
}
static inline bool mm_is_access(const struct mm_event *e)
{
    return mm_reads(e) || mm_writes(e);
}
static inline bool mm_acquires(enum mm_order order)
{
    return order == MM_ACQUIRE || order == MM_ACQ_REL || order == MM_SEQ_CST;
}
static inline bool mm_releases(enum mm_order order)
{
    return order == MM_RELEASE || order == MM_ACQ_REL || order == MM_SEQ_CST;
}

/* Why one event is ordered after another although the agents differ: the command rules [CL 3.3.6]. */
enum mm_edge_kind {
    MM_EDGE_ENQUEUE,      /* H1: API call -> command start */
    MM_EDGE_WAIT,         /* H2: event completes -> command that waits on it starts */
    MM_EDGE_COMPLETE,     /* H3: command end -> its event completes */
    MM_EDGE_API_WAIT,     /* H4: event completes -> API call that waited on it */
    MM_EDGE_IN_ORDER,     /* H5 */
    MM_EDGE_MARKER,       /* H6 */
    MM_EDGE_BARRIER,      /* H7: command-queue barrier */
    MM_EDGE_FINISH,       /* H8 */
    MM_EDGE_KERNEL_START, /* H9, only where it is not implied by the agent's command */
    MM_EDGE_KERNEL_END,   /* H10, likewise */
    MM_EDGE_CALLBACK,     /* H11 */
    MM_EDGE_USER_EVENT,   /* H12: clSetUserEventStatus -> user event completes */
    MM_EDGE_PARENT,       /* H13 */
    MM_EDGE_PARENT_GROUP, /* H14 */
    MM_EDGE_HOST,         /* host language: thread creation, join, host synchronization */
    MM_EDGE_RF,           /* reads-from, where it is not the last write in record order */
    MM_EDGE_CO,           /* modification order, where it is not record order */
    MM_EDGE_QUERY, /* H101: event completes -> API call that observed it; orders nothing but in revision 3.1.0 */
    MM_EDGE_AMBIGUOUS, /* an order between commands that the specification both states and denies (ambiguities D34, D44) */
    MM_EDGE_COUNT
};
const char *mm_edge_name(enum mm_edge_kind kind);

/* Revisions of the specification whose rules for races differ.  Each allows no race that an earlier one in
 * this list excludes, except that 3.1.0 has fewer than 3.1.1. */
enum mm_revision {
    MM_REVISION_3_0, /* 2.0 to 3.0 */
    MM_REVISION_3_1_0,
    MM_REVISION_3_1_1,
    MM_REVISION_COUNT
};
/* Inclusive scopes need not be equal [CL 3.3.5 O101]. */
static inline bool mm_revision_wider_scopes(enum mm_revision revision)
{
    return revision != MM_REVISION_3_0;
}
/* MM_EDGE_QUERY orders [CL 3.3.6 H101]. */
static inline bool mm_revision_event_queries(enum mm_revision revision)
{
    return revision == MM_REVISION_3_1_0;
}

struct mm_edge {
    mm_event_id from;
    mm_event_id to; /* an edge is recorded before its target event: TO is that event's coming id */
    uint32_t kind;  /* enum mm_edge_kind */
    uint32_t first_byte, byte_count; /* RF: which bytes of the read; else 0 */
};

/* A plain access of an asynchronous copy of the work-group, with the first calling work-item as AGENT, though
 * it is not in that agent's program order.  It is ordered after all that precedes each COPY_START of the
 * copy, and before each COPY_WAIT, and in the memory of a COPY_FENCE's flags before the copies that start
 * after it [CLC 6.15.11]. */
static inline bool mm_is_copy(const struct mm_event *e)
{
    return e->semantics & MM_COPY && (e->kind == MM_READ || e->kind == MM_WRITE) &&
           !(e->attributes & MM_ATOMIC) && e->agent.command && e->agent.index != MM_INDEX_RUNTIME;
}

/* A plain access by a work-item through an image that is made from a buffer. */
static inline bool mm_is_through_image(const struct mm_event *e)
{
    return e->semantics == MM_THROUGH_IMAGE && (e->kind == MM_READ || e->kind == MM_WRITE) &&
           !(e->attributes & MM_ATOMIC) && e->agent.command && e->agent.index != MM_INDEX_RUNTIME;
}

/* The type of scalars in memory; graph/scalar.c. */
enum mm_scalar_kind { MM_SCALAR_UNKNOWN, MM_SCALAR_UNSIGNED, MM_SCALAR_SIGNED, MM_SCALAR_FLOAT };
struct mm_scalar {
    uint32_t size; /* bytes; 0: unknown, or scalars of several sizes */
    uint32_t kind; /* enum mm_scalar_kind */
};

/* The scalar type NAME of OpenCL C, or the one that a vector "int4" or a pointer "int4*" consists of or
 * points to; .size is 0 if NAME is another type. */
struct mm_scalar mm_scalar_named(const char *name);
/* The floating-point number of SIZE bytes, 2, 4 or 8, with these bits. */
double mm_scalar_real(uint64_t bits, unsigned size);
/* Writes the value of BYTES bytes, at most 8, as text: scalars separated by ", ", or one unsigned number if
 * SCALAR is unknown.  Floating-point numbers have the fewest digits that identify them. */
enum { MM_SCALAR_TEXT = 80 };
void mm_scalar_text(struct mm_scalar scalar, uint64_t bits, unsigned bytes, char text[MM_SCALAR_TEXT]);

/* Where an access is in a variable; graph/layout.c. */
struct mm_designator {
    char text[100];          /* the suffix of the variable's name in OpenCL C, such as "[3].y" */
    bool composite;          /* it is more than the index of an array of scalars */
    uint32_t depth;          /* indices in TEXT */
    struct mm_scalar scalar; /* at that place; .size is 0 if it is of another type */
};
/* The designator of SIZE bytes from OFFSET in a variable of that LAYOUT (trace/docs/format.md#layouts; NULL
 * or "": unknown): of the innermost element, member or component that has them all.  A damaged layout gives
 * the part that is known. */
struct mm_designator mm_layout_find(const char *layout, uint64_t offset, uint64_t size);

struct mm_allocation {
    uint32_t id;     /* from 1 */
    uint32_t object; /* API object it is a copy of (a buffer has one copy per device), 0 = none */
    uint8_t region, origin;
    int16_t device;   /* whose copy, from 0; -1: host or all */
    uint32_t command; /* local, private: the launch that owns it */
    uint64_t address; /* shows which allocation contains which, 0 = unknown; not an address of the process */
    uint64_t size;    /* bytes; of one instance where region is local or private */
    uint64_t flags;   /* cl_mem_flags */
    const char *name; /* such as "buffer 3", "svm 2", variable name */
    struct mm_scalar element; /* of a variable that is a scalar, a vector or an array of these */
    const char *layout; /* of a variable of composite type, see mm_layout_find(); NULL or "" if unknown */
};

/* A place in program text. */
struct mm_source {
    uint32_t id; /* from 1 */
    uint32_t line, column;
    const char *file;     /* "" if unknown */
    const char *function; /* "" if unknown */
    const char *opcode;   /* SPIR-V opcode name or API call, "" if unknown */
    uint32_t caller; /* source of the call through which this function was inlined or entered, 0 = none */
};

/* A command given to a queue.  COMMAND ids count from 1 in the process. */
struct mm_command {
    uint32_t id;
    uint32_t queue, device, context; /* small numbers, from 1; device from 0 */
    uint32_t parent;                 /* command of the parent kernel, 0 = enqueued by the host */
    uint32_t dimensions;             /* 0: not a kernel */
    uint64_t global_size[3], global_offset[3];
    uint32_t local_size[3]; /* as enqueued; groups at the edge may be smaller */
    uint32_t sub_group_size;
    const char *kind;   /* such as "clEnqueueNDRangeKernel" */
    const char *kernel; /* kernel name or "" */
};

/* The binding of a kernel's argument, so that a report can say "argument 'out', element 17". */
struct mm_argument {
    uint32_t command, index;
    uint32_t allocation;   /* 0: by value */
    uint64_t offset;       /* of the pointer in the allocation */
    uint32_t element_size; /* bytes of the pointed-to type, 1 if unknown */
    const char *name;      /* "" if unknown */
    const char *type_name; /* "" if unknown */
    /* Of the memory that a pointer points to, an array of unknown length; NULL or "": unknown. */
    const char *layout;
};

/* Program text, for excerpts in reports. */
struct mm_text {
    const char *file; /* as in mm_source.file */
    const char *text;
};

/* A finding of the runtime or the interpreter: undefined behavior, misuse of the API. */
struct mm_finding {
    const char *kind;    /* "out-of-bounds", "division-by-zero", "api", ... : a report rule */
    const char *clause;  /* "CLC 6.3", ... */
    const char *message; /* one sentence */
    struct mm_agent agent;
    uint32_t source, allocation;
    uint64_t offset;
    uint32_t size;
};

/* Instrumented launches have no events.  The next three records hold their modules, arguments and memory
 * contents; a reader that needs the events re-executes the launches (interp/replay/expand.h). */

/* The contents of an allocation from this record on, until a later launch changes them: BYTES, or zeros if
 * that is NULL. */
struct mm_content {
    uint32_t allocation;
    uint64_t offset, size;
    const void *bytes;
};
/* A module on a device, and a launch of one of its kernels that has just ended; interp/replay/replay.c codes
 * and decodes BYTES. */
struct mm_program {
    uint32_t id; /* from 1 */
    uint32_t size;
    const void *bytes;
};
struct mm_replay {
    uint32_t command, program, size;
    const void *bytes;
};

/* How the events of a work-item depend on the values that it reads: recorded on request (in_launch.terms),
 * for prediction.  A value without a term is the same in each execution with the same path conditions, and so
 * is the value of an access without a READ before it. */
enum mm_term_op {
#define MM_TERM(id, operands) MM_TERM_##id,
#include "term.def"
#undef MM_TERM
    MM_TERM_COUNT
};
/* How the value that a read-modify-write writes depends on the one that it reads. */
enum mm_update {
    MM_UPDATE_EXCHANGE,
    MM_UPDATE_ADD,
    MM_UPDATE_SUB,
    MM_UPDATE_AND,
    MM_UPDATE_OR,
    MM_UPDATE_XOR,
    MM_UPDATE_SMIN,
    MM_UPDATE_SMAX,
    MM_UPDATE_UMIN,
    MM_UPDATE_UMAX,
    MM_UPDATE_COMPARE, /* writes A where it reads B */
    MM_UPDATE_COUNT
};
struct mm_term {
    struct mm_agent agent;
    uint32_t id;      /* from 1 in its command, one after the other; 0: no term refers to it */
    uint32_t a, b, c; /* ids; 0: the constant VALUE, or none */
    uint64_t value;
    uint8_t op, size; /* enum mm_term_op; bytes: 1, 2, 4 or 8 */
};

/* No later edge starts at EVENT.  Only in the stream of a session: the reader gives it to mm_sink.retire. */
struct mm_retired {
    mm_event_id event;
};

enum mm_record_type {
    MM_RECORD_EVENT = 1,
    MM_RECORD_EDGE,
    MM_RECORD_ALLOCATION,
    MM_RECORD_SOURCE,
    MM_RECORD_COMMAND,
    MM_RECORD_ARGUMENT,
    MM_RECORD_TEXT,
    MM_RECORD_FINDING,
    MM_RECORD_CONTENT,
    MM_RECORD_PROGRAM,
    MM_RECORD_REPLAY,
    MM_RECORD_TERM,
    MM_RECORD_RETIRED
};

struct mm_record {
    enum mm_record_type type;
    union {
        struct mm_event event;
        struct mm_edge edge;
        struct mm_allocation allocation;
        struct mm_source source;
        struct mm_command command;
        struct mm_argument argument;
        struct mm_text text;
        struct mm_finding finding;
        struct mm_content content;
        struct mm_program program;
        struct mm_replay replay;
        struct mm_term term;
        struct mm_retired retired;
    };
};

/* A consumer of an execution: a trace writer, a graph, a detector.  Strings in records live only
 * during the call.  Returns MM_OK, or a class that stops the recording. */
struct mm_sink {
    void *context;
    enum mm_class (*record)(void *context, const struct mm_record *record);
    enum mm_class (*events)(void *context, const struct mm_event *events,
                            size_t count); /* NULL: one by one */
    enum mm_class (*flush)(void *context); /* may be NULL */
    void (*close)(void *context);          /* may be NULL */
    /* No later edge starts at event ID; NULL: of no use.  A filter that renumbers events translates ID. */
    void (*retire)(void *context, mm_event_id id);
    /* COUNT events of successive work-items, which differ in the agent's index only: a group passes a
     * barrier.  NULL: EVENTS takes them. */
    enum mm_class (*row)(void *context, const struct mm_event *first, uint32_t count);
};
/* Gives events to SINK, by the functions that it has: in a batch or one by one, in a row or in batches. */
enum mm_class mm_sink_events(const struct mm_sink *sink, const struct mm_event *events, size_t count);
enum mm_class mm_sink_row(const struct mm_sink *sink, const struct mm_event *first, uint32_t count);
/* The `events` of a sink that ignores them. */
enum mm_class mm_skip_events(void *context, const struct mm_event *events, size_t count);

/* ---- recorder: numbers events and serializes writers ------------------------------------- */

/* Record order is a total order of the execution: unless RF and CO edges say otherwise, a read reads the
 * last earlier write to each byte, and modification order is record order. */
struct mm_recorder;
/* SINK is copied; closed with the recorder.  NULL on failure. */
struct mm_recorder *mm_recorder_create(const struct mm_sink *sink);
void mm_recorder_destroy(struct mm_recorder *recorder);
/* Closes the sink, once.  Later records of other threads are dropped; RECORDER stays valid for them. */
void mm_recorder_close(struct mm_recorder *recorder);
/* Records EVENT, with the EDGES into it (their TO is filled in).  Safe from any thread. */
mm_event_id mm_recorder_event(struct mm_recorder *recorder, const struct mm_event *event,
                              struct mm_edge *edges, size_t edge_count);
/* Records a read without edges.  The newest record, if it is an equal read, covers it: a loop that waits for
 * a value is recorded once for each change. */
mm_event_id mm_recorder_read(struct mm_recorder *recorder, const struct mm_event *event);
/* Records COUNT events in a row; returns the first id. */
mm_event_id mm_recorder_events(struct mm_recorder *recorder, const struct mm_event *events, size_t count);
/* Records COUNT events of successive work-items, which differ in the agent's index only. */
void mm_recorder_row(struct mm_recorder *recorder, const struct mm_event *first, uint32_t count);
/* Records an item of any other type. */
void mm_recorder_record(struct mm_recorder *recorder, const struct mm_record *record);
/* States that no later edge starts at these events; MM_NO_EVENT is ignored. */
void mm_recorder_retire(struct mm_recorder *recorder, const mm_event_id *ids, size_t count);
void mm_recorder_flush(struct mm_recorder *recorder);
uint32_t mm_recorder_new_source(struct mm_recorder *recorder); /* fresh ids, from 1 */
uint32_t mm_recorder_new_allocation(struct mm_recorder *recorder);
/* Marks ids up to these as used. */
void mm_recorder_skip_ids(struct mm_recorder *recorder, uint32_t sources, uint32_t allocations);
/* The recorder's number for the calling host thread, from 0. */
uint32_t mm_recorder_host_thread(struct mm_recorder *recorder);
/* Gives the calling thread a new number: its later events are not ordered after its earlier ones. */
void mm_recorder_new_host_thread(struct mm_recorder *recorder);
/* The number of host threads that have a number. */
uint32_t mm_recorder_host_threads(struct mm_recorder *recorder);

/* ---- trace files ------------------------------------------------------------------------- */

/* A sink that writes a trace to FD (taken over, closed on failure or with the sink; may be a pipe).  Chunks
 * carry length and checksum, so that a truncated file has a readable prefix.  FLAGS omit what the reader
 * at the other end of a pipe does not need. */
enum { MM_TRACE_UNCOMPRESSED = 1, MM_TRACE_WITHOUT_VALUES = 2 };
/* FAILURE (may be NULL) is called once, with an errno, where the trace becomes incomplete: a write failed, or
 * there was no memory.  Nothing is written after that. */
struct mm_trace_failure {
    void (*function)(void *context, int error);
    void *context;
};
enum mm_class mm_trace_writer(int fd, unsigned flags, const struct mm_trace_failure *failure,
                              struct mm_sink *sink, struct mm_error *err);
/* Feeds the records of a trace to SINK until the end (*COMPLETE true), or until the first chunk that is
 * cut short (*COMPLETE false, MM_OK).  A checksum that does not match is MM_INVALID. */
enum mm_class mm_trace_read(int fd, const char *name, const struct mm_sink *sink, bool *complete,
                            struct mm_error *err);
/* The same for an untrusted file: within the limits of memmodel/base/input.h. */
enum mm_class mm_trace_read_file(int fd, const char *name, const struct mm_sink *sink, bool *complete,
                                 struct mm_error *err);
/* The same, from a function that works like read(2): bytes read, 0 at the end, -1 with errno set. */
typedef long mm_trace_input(void *context, void *out, size_t size);
enum mm_class mm_trace_read_from(mm_trace_input *input, void *context, const char *name,
                                 const struct mm_sink *sink, bool *complete, struct mm_error *err);

/* ---- event graphs ------------------------------------------------------------------------ */

/* An execution in memory: everything the records say, indexed. */
struct mm_graph;
struct mm_graph *mm_graph_create(void);
void mm_graph_destroy(struct mm_graph *graph);
/* A sink that fills GRAPH.  MAX_EVENTS bounds it (MM_LIMIT). */
void mm_graph_sink(struct mm_graph *graph, size_t max_events, struct mm_sink *sink);
/* NULL if there is none. */
const struct mm_source *mm_graph_source(const struct mm_graph *graph, uint32_t id);
const struct mm_allocation *mm_graph_allocation(const struct mm_graph *graph, uint32_t id);
const struct mm_command *mm_graph_command(const struct mm_graph *graph, uint32_t id);
/* Work-item coordinates of AGENT within COMMAND. */
void mm_agent_coordinates(const struct mm_command *command, struct mm_agent agent, uint64_t global_id[3],
                          uint64_t group_id[3], uint64_t local_id[3]);

/* GRAPH as text, JSON, and a DOT graph. */
void mm_dump_text(const struct mm_graph *graph, FILE *out);
void mm_dump_json(const struct mm_graph *graph, FILE *out);
void mm_dump_dot(const struct mm_graph *graph, FILE *out);
/* Writes S as part of a label of a DOT graph. */
void mm_dump_dot_text(FILE *out, const char *s);

/* Progress of an unrecorded launch, in a page shared with `refcl run`. */
struct mm_progress {
    uint64_t command, groups; /* id; work-groups that have ended */
};

#endif
