/* Commands and their scheduling: what the enqueue files and the executor share. */
#ifndef REF_RUNTIME_SCHED_COMMAND_H
#define REF_RUNTIME_SCHED_COMMAND_H

#include "ref-runtime/runtime.h"

struct rt_command;
/* The operations of a command, called on the executor thread without locks. */
struct rt_operation {
    /* Does the work, or begins it if there is STEP.  CL_SUCCESS, the negative status of the event, or
     * RT_PENDING: another component will call rt_sched_complete. */
    cl_int (*start)(struct rt_command *command);
    /* Runs for about QUANTUM instructions; sets *DONE at the end. */
    cl_int (*step)(struct rt_command *command, uint64_t quantum, bool *done);
    /* Frees what the payload owns, whether or not the command was started; may be null. */
    void (*destroy)(struct rt_command *command);
};
enum { RT_PENDING = 1 };
/* Why a command waits: for an event, or (recording only) that it waited for one already complete. */
struct rt_dependency {
    struct rt_event *event;      /* held; NULL: see COMPLETION */
    struct rt_point *completion; /* held */
    enum mm_edge_kind kind;
};
/* An internal event, set when a work-group of a kernel, or the whole kernel, has ended. */
#define RT_ALL_GROUPS UINT64_MAX
struct rt_gate {
    struct rt_gate *next;
    uint64_t group; /* or RT_ALL_GROUPS */
    struct rt_event *event;
};
enum { RT_COMMAND_HOLDS = 4 };
/* The events of a recorded execution that a command has. */
struct rt_command_events {
    mm_event_id began, end;              /* command-start and command-end */
    mm_event_id returned;                /* the application's function for it has returned */
    mm_event_id call;                    /* the call that enqueued it */
    struct rt_point **child_completions; /* held */
    size_t child_completion_count;
    bool start_is_named; /* edges may start at BEGAN after the completion: a signal of a semaphore */
};
struct rt_command {
    const struct rt_operation *operation;
    struct rt_event *event;             /* held; it holds the queue */
    struct rt_queue *queue;             /* NULL: the dependencies of a wait alone */
    struct rt_command *previous, *next; /* in the queue */
    struct rt_command *next_ready;
    uint64_t sequence;
    struct rt_dependencies {
        struct rt_dependency *list, few[2]; /* which most commands do not exceed */
        size_t count, capacity;
        size_t unresolved; /* whose event is not complete */
        bool failed;       /* an event of the wait list ended with an error */
    } dependencies;
    bool flushed;
    bool starts_lazily; /* when the host waits or polls, or has computed for long */
    bool is_barrier;
    bool waits_for_all; /* marker or barrier without a wait list */
    /* A run of a command buffer on QUEUE and others, or what represents it in one of these.  Whether in-order
     * queues order it is ambiguous [ambiguity D44]. */
    bool is_run_of_several;
    struct rt_queue *const *other_queues; /* owned by the operation */
    size_t other_queue_count;
    unsigned generation; /* see grace_period.c */
    /* Device-side enqueue, on the executor thread alone. */
    struct rt_family {
        struct rt_command *parent; /* whose kernel enqueued this one, NULL: the host did */
        size_t children;           /* commands that this one enqueued and that are not complete */
        bool ended;                /* the kernel itself is over, with STATUS; the children are not */
        bool ends_with_children;   /* it does no work itself: RT_PENDING until they are complete */
        cl_int status;             /* the first failure of the kernel and its children */
        struct rt_gate *gates;     /* what the kernel keeps from starting */
        size_t room;               /* bytes of the device queue */
    } family;
    void *held[RT_COMMAND_HOLDS]; /* objects that live until the command is complete */
    struct mm_command record;     /* id, kind; kernels fill in the rest before enqueuing */
    struct rt_command_events events;
    atomic_uint pattern_users; /* of a recorded command: the command buffer and its runs */
    unsigned host_uses; /* of SVM by the host, when a launch was enqueued or has begun (instrument.c) */
    size_t payload_size;
    max_align_t payload[];
};

/* A command for QUEUE with a zeroed payload of PAYLOAD_SIZE bytes; NULL: no memory.  NAME is the API call. */
struct rt_command *rt_command_create(struct rt_queue *queue, cl_command_type type, const char *name,
                                     const struct rt_operation *operation, size_t payload_size);
/* Holds OBJECT until the command is complete. */
void rt_command_hold(struct rt_command *command, void *object);
/* Destroys a command that was not enqueued. */
void rt_command_discard(struct rt_command *command);
/* CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT if an event is of another context, or CL_SUCCESS. */
cl_int rt_check_wait_list(const struct rt_context *context, cl_uint count, const cl_event *list);
/* Enqueues COMMAND, which then belongs to the scheduler (or is discarded on failure).  BLOCKING waits for
 * it. */
cl_int rt_command_enqueue(struct rt_command *command, cl_uint count, const cl_event *list, cl_event *event,
                          bool blocking);
/* A command of QUEUE that represents RUN, which has several queues. */
cl_int rt_command_enqueue_run(struct rt_queue *queue, cl_event run);
/* What a marker, or a barrier if BARRIER, waits for: the wait list, everything earlier if that is empty. */
cl_int rt_command_enqueue_marker(struct rt_command *command, bool barrier, cl_uint count,
                                 const cl_event *list, cl_event *event);

/* ---- scheduler (sched.c, executor.c): rt_lock guards queues, events, commands, maps ---- */

extern struct mm_mutex rt_lock;
/* Under rt_lock. */
bool rt_command_depend(struct rt_command *command, struct rt_event *event, struct rt_point *completion,
                       enum mm_edge_kind kind);
/* Adds COMMAND to the incomplete ones; removes it and returns the calls then due, for rt_sched_call without
 * the lock. */
void rt_sched_count(struct rt_command *command);
struct rt_waiting *rt_sched_count_down(const struct rt_command *command);
/* Notes the event that later commands of QUEUE are ordered after, once COMMAND is complete. */
void rt_sched_note_completion(struct rt_queue *queue, const struct rt_command *command,
                              struct rt_point *completion);
/* Puts COMMAND, whose dependencies are entered, into its queue. */
void rt_command_append(struct rt_command *command);
/* Releases what COMMAND depended on. */
void rt_command_drop_dependencies(struct rt_command *command);
/* Undoes what rt_command_depend entered in the events. */
void rt_command_forget(struct rt_command *command);
void rt_sched_ready(struct rt_command *command);
void rt_sched_flush(struct rt_queue *queue);
/* Without locks: the commands of CONTEXT, which has been marked as terminated, end without waiting for
 * anything. */
void rt_sched_terminate(struct rt_context *context);
void rt_sched_poll(void);                   /* before the host polls an incomplete event, or memory, again */
bool rt_sched_is_executor(void);            /* the calling thread */
void rt_sched_wait(struct rt_event *event); /* until EVENT completes, or not quite so long */
/* Under rt_lock: a thread waits for a command of QUEUE that is not complete.  It waits until that is. */
bool rt_sched_host_waits(const struct rt_queue *queue);
void rt_sched_wake(void); /* after the last wait, or to be sure that commands start now */
/* Notes the time, if the queue profiles. */
void rt_event_stamp(struct rt_event *event, int which);
/* Sets EVENT's status and does what follows from it: callbacks, dependent commands, waiting threads. */
void rt_event_set_status(struct rt_event *event, cl_int status);
/* Without locks. */
void rt_sched_call(struct rt_waiting *waiting);
/* Calls FUNCTION(data) when every command that is incomplete now has completed. */
void rt_sched_when_over(void (*function)(void *data), void *data);
/* False: there is no thread to run commands, and there will be none. */
bool rt_sched_start(void);
void rt_sched_record_start(struct rt_command *command);
/* Starts COMMAND, without rt_lock.  True if it continues in steps. */
bool rt_command_start(struct rt_command *command);
/* Whether the context of COMMAND was terminated. */
static inline bool rt_command_terminated(const struct rt_command *command)
{
    return __builtin_expect(command->queue->context->terminated != 0, 0);
}
mm_event_id rt_sched_record_completion(const struct rt_command *command);
void rt_sched_complete(struct rt_command *command, cl_int status);
/* QUEUE is NULL: a user event.  Others are listed as objects when the application or a kernel gets their
 * handle. */
struct rt_event *rt_event_create(struct rt_context *context, struct rt_queue *queue, cl_command_type type);

/* ---- recording (record.c): all of it does nothing, quickly, while recording is off ---- */

/* How many of the application's threads called, or were called. */
uint32_t rt_record_host_threads(void);
mm_event_id rt_record_call(const char *name, struct mm_edge *edges, size_t count);
/* A call at which no edge starts. */
void rt_record_plain_call(const char *name, struct mm_edge *edges, size_t count);
mm_event_id rt_record_command_event(const struct rt_command *command, enum mm_kind kind,
                                    struct mm_edge *edges, size_t count);
/* A function of the application begins: after COMPLETION, and after the call that asked for it. */
void rt_record_callback(mm_event_id completion, mm_event_id registered);
/* A thread of the runtime is about to run a function of the application, which nothing that the thread ran is
 * ordered before. */
void rt_record_new_thread(void);
/* The same for a function that is part of COMMAND: it is ordered between the command's start and end. */
void rt_record_function(const struct rt_command *command);
void rt_record_returned(struct rt_command *command);
/* An access of the runtime for COMMAND to SIZE bytes; DATA may be null. */
void rt_record_access(const struct rt_command *command, enum mm_kind kind, uint32_t allocation,
                      uint64_t offset, uint64_t size, const void *data);
/* The same for plain memory of the host, from HOST on. */
void rt_record_host_memory(const struct rt_command *command, enum mm_kind kind, const void *host,
                           size_t size);
/* The same for moving memory between the copies of an object. */
void rt_record_transfer(const struct rt_command *command, enum mm_kind kind, uint32_t allocation,
                        uint64_t offset, uint64_t size, const void *data);
/* COMMAND frees ALLOCATION. */
void rt_record_released(const struct rt_command *command, uint32_t allocation, uint64_t size);
/* A mapped range of an object, which is an allocation or a part of it: records the map or unmap (KIND). */
struct rt_mapped_range {
    uint32_t allocation;
    uint64_t offset, size;        /* in the allocation */
    uint64_t object, object_size; /* the object's begin and size in the allocation */
    cl_map_flags flags;           /* of the map; 0: commands may access the range while it is mapped */
};
void rt_record_map(const struct rt_command *command, enum mm_kind kind, const struct rt_mapped_range *range);
/* The calling host thread writes all of ALLOCATION: by CALL, or, with NULL, its first contents. */
void rt_record_host_write(uint32_t allocation, uint64_t size, const char *call);
uint32_t rt_record_allocation(const struct mm_allocation *allocation);
void rt_record_free(uint32_t allocation, uint64_t size);
void rt_record_close(void);

/* An event at which edges to later events may start, for as long as it has holders (point.c).  Creating
 * returns it with one, and NULL for MM_NO_EVENT; NULL holds nothing. */
struct rt_point;
struct rt_point *rt_point_create(mm_event_id event);
struct rt_point *
rt_point_borrow(mm_event_id event); /* of an event that retires with its command, not with this point */
struct rt_point *rt_point_hold(struct rt_point *point);
void rt_point_drop(struct rt_point *point);
mm_event_id rt_point_event(const struct rt_point *point);
/* COMMAND is complete: no later edge starts at its events but the completion. */
void rt_record_command_over(const struct rt_command *command);

/* A forked child: the commands so far are its parent's. */
void rt_command_forked(void);
/* Whether COMMAND, or the command that it is part of, was enqueued by the parent of this forked child, and
 * executes in both: what both would do to memory or semaphores that processes share fails in the child. */
bool rt_command_inherited(const struct rt_command *command);
/* A forked child uses objects of its parent, which is not recorded: reports that, once. */
void rt_record_forked(void);
/* What the recording lacks is reported on standard error and to the session, unless *SAID. */
void rt_record_unobserved(const char *what, atomic_flag *said);

/* ---- data movement of buffers (storage.c), on the executor thread ---- */

struct rt_mem *rt_mem_root(struct rt_mem *mem);

/* ---- instrumented launches (instrument.c) ---- */

struct rt_launch;
/* Whether COMMAND's launch, which is being enqueued, may be instrumented; whether that still holds when it
 * starts. */
bool rt_may_instrument(struct rt_command *command, const struct rt_launch *launch);
bool rt_may_instrument_still(const struct rt_command *command, const struct rt_launch *launch);
/* COMMAND's launch, instrumented, is over. */
void rt_instrumented_over(const struct rt_command *command);
/* The calling thread has used SVM, which is RECORDED, or releases it. */
void rt_instrumented_host_use(bool recorded);
/* The application has given a function that will be called when a command ends, or instead of one. */
void rt_instrumented_callback(void);
bool rt_launch_uses_svm(const struct rt_launch *launch); /* its arguments are pointers to it */
/* The host has waited for all that it enqueued in QUEUE; it enqueues something there. */
void rt_instrumented_settled(const struct rt_queue *queue);
/* COMMAND's launch is instrumented, and the trace does not have it for re-execution. */
void rt_instrumented_lost(const struct rt_command *command);
void rt_instrumented_submitted(const struct rt_queue *queue);
size_t rt_mem_offset(const struct rt_mem *mem); /* in the root */
/* The bytes of the root's copy at PLACE (device of the context or RT_HOST_VIEW); NULL: no memory. */
unsigned char *rt_storage(struct rt_mem *root, int place);
/* Brings [BEGIN, END) of the copy at PLACE up to date, on behalf of COMMAND (may be null). */
bool rt_storage_update(const struct rt_command *command, struct rt_mem *root, size_t begin, size_t end,
                       int place);
/* The copy at PLACE holds the latest contents of [BEGIN, END), the others no longer do. */
bool rt_storage_written(struct rt_mem *root, size_t begin, size_t end, int place);
uint32_t rt_storage_allocation(const struct rt_mem *root, int place);
/* True if commands need not state which bytes of MEM they access: its contents are in one place, and nothing
 * is recorded. */
bool rt_storage_untracked(struct rt_mem *mem);
/* Where maps of ROOT by DEVICE point: RT_HOST_VIEW or the only device. */
int rt_storage_map_place(const struct rt_mem *root);

#endif
