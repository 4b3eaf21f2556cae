/* An OpenCL loader layer that records a program's calls to any driver: the events that refcl's own runtime
 * records, without those of work-items.
 *
 * Locks: ly_lock protects all shadow objects and all static data of the layer; the recorder's lock
 * (recursive, inside ly_lock) protects the trace.  The layer holds neither while it calls the application or,
 * except for the queries of ly_command_buffer_version(), the driver.  Functions are called with ly_lock held,
 * unless they are entry points (layer_cl...) or say "without the lock". */
#ifndef TOOLS_LAYER_LAYER_H
#define TOOLS_LAYER_LAYER_H

#include "memmodel/memmodel.h"
#include "tools/layer/launch.h"

#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>
#include <pthread.h>

typedef void ly_function(void);         /* any, to be cast */
extern struct _cl_icd_dispatch ly_next; /* the next layer, or the driver */
extern pthread_mutex_t ly_lock;
/* Acquires ly_lock and the recorder's lock, so that the records of one call are not interleaved with others
 * and the recorder's lock is acquired once. */
void ly_enter(void);
void ly_leave(void);

/* ---- shadow objects ------------------------------------------------------------------------------ */

enum ly_type {
    LY_CONTEXT,
    LY_QUEUE,
    LY_MEM,
    LY_EVENT,
    LY_PROGRAM,
    LY_KERNEL,
    LY_SAMPLER,
    LY_COMMAND_BUFFER,
    LY_SEMAPHORE,
    LY_TYPE_COUNT
};
struct ly_object {
    struct ly_object *next; /* in its bucket */
    const void *handle;
    enum ly_type type;
    uint32_t references; /* the application's, as the driver counts them */
    uint32_t uses;       /* the layer's own; the shadow is freed when both are zero */
    uint32_t number;     /* among those of its type, from 1 */
    uint32_t source;     /* of its creation, 0: unknown */
};
/* A new zeroed shadow of SIZE bytes for HANDLE with one reference; NULL: out of memory, or HANDLE is NULL. */
void *ly_object_add(enum ly_type type, const void *handle, size_t size);
/* NULL: the layer has no shadow of HANDLE. */
void *ly_object_find(enum ly_type type, const void *handle);
/* Calls VISIT for all objects, ordered by type and creation. */
void ly_object_each(void (*visit)(const struct ly_object *object));
/* Whether HANDLE is that of an object whose last reference was released, and of no later one. */
bool ly_object_was(const void *handle);
/* OBJECT may be NULL. */
void ly_object_use(void *object);
void ly_object_unuse(void *object);
void ly_object_retain(enum ly_type type, const void *handle);
/* Called before the driver releases the object, since the driver may reuse the handle at once. */
void ly_object_release(enum ly_type type, const void *handle);
/* Free the object's members, when the shadow is freed. */
void ly_mem_destroy(void *object);
void ly_queue_destroy(void *object);
void ly_event_destroy(void *object);
void ly_program_destroy(void *object);
void ly_kernel_destroy(void *object);
void ly_command_buffer_destroy(void *object);
void ly_semaphore_destroy(void *object);

/* ---- order --------------------------------------------------------------------------------------- */

/* The completion of a command or user event, which commands may wait for.  Counted by uses. */
struct ly_command;
struct ly_point {
    uint32_t uses;
    bool done, failed;
    mm_event_id id;        /* of the completion; MM_NO_EVENT until DONE */
    struct ly_point *next; /* in the free list */
    struct ly_command **waiting;
    size_t waiting_count;
};
/* A point with one use; NULL: out of memory. */
struct ly_point *ly_point_create(void);
/* Returns POINT; both accept NULL. */
struct ly_point *ly_point_use(struct ly_point *point);
void ly_point_unuse(struct ly_point *point);
/* Marks POINT done, and records every command that thereby has all its dependencies resolved,
 * transitively. */
void ly_point_complete(struct ly_point *point, mm_event_id id, bool failed);

struct ly_queue {
    struct ly_object object;
    bool in_order;
    uint32_t device, context;
    struct ly_point *last, *barrier;
    struct ly_point *unseen; /* see ly_order_all(); later commands are ordered after it; NULL: none */
    struct ly_point **open;  /* commands not yet followed by a barrier, finish or in-order command */
    size_t open_count;
};
struct ly_event {
    struct ly_object object;
    struct ly_point *point;
    bool user;
};

struct ly_access {
    uint8_t kind; /* READ, WRITE, MAP, UNMAP */
    uint32_t allocation;
    uint64_t offset, size;
    uint32_t site, instance; /* of maps */
    uint16_t semantics;
};
struct ly_dependency {
    struct ly_point *point;
    uint32_t kind; /* enum mm_edge_kind */
};
/* A command from its enqueueing call until it is recorded, or a pattern in a command buffer (without a queue
 * and point). */
struct ly_command {
    struct mm_command record;
    struct ly_queue *queue;
    mm_event_id call;       /* the enqueueing call */
    struct ly_point *point; /* its completion */
    struct ly_dependency *dependencies;
    size_t dependency_count, unresolved; /* UNRESOLVED: whose points are not done */
    bool failed;                         /* a command of the wait list failed: it is not executed */
    bool marks, barrier;                 /* a marker or barrier; a barrier */
    bool has_list;                       /* a wait list that is not empty */
    struct ly_access *accesses;
    size_t access_count;
    uint32_t program; /* of a launch: id of the program's record */
    void *launch;     /* launch.h */
    uint32_t launch_size;
    struct ly_mem **held; /* objects in use until the command is recorded */
    size_t held_count;
    size_t dependency_room, access_room, held_room; /* capacities of the arrays */
    struct ly_command *next;                        /* in the free list */
    mm_event_id began, returned;                    /* COMMAND_START; end of a function that it called */
    bool calls_back;                                /* its end is recorded by ly_command_end */
};
/* The return address of the current entry point in the application. */
extern _Thread_local const void *ly_caller; /* set by the wrappers of misuse.c; NULL: there are none */
#define LY_PLACE (ly_caller ? ly_caller : __builtin_return_address(0))

/* A successful API call that enqueues a command, or records one in a command buffer, where sync-points take
 * the place of events. */
struct ly_call {
    const char *name;
    const void *place;
    cl_command_queue queue;
    cl_uint count; /* of LIST or POINTS */
    const cl_event *list, *event;
    bool blocking;
    cl_command_buffer_khr buffer; /* NULL: the command is enqueued */
    const cl_sync_point_khr *points, *point;
};
/* The call of the entry point layer_NAME, from its parameters QUEUE, COUNT and LIST; further members
 * follow. */
#define LY_CALL(...)                                                                                         \
    (struct ly_call)                                                                                         \
    {                                                                                                        \
        .name = __func__ + sizeof "layer", .place = LY_PLACE, .queue = queue, .count = count, __VA_ARGS__    \
    }
/* Acquires the locks of ly_enter() and creates the command of CALL.  SHAPE: sizes and kernel of a launch, or
 * NULL.  NULL: there is no command (see ly_command_create), and the locks are released; otherwise
 * ly_call_end() submits it and releases them.  Without the lock. */
struct ly_command *ly_call_begin(const struct ly_call *call, const struct mm_command *shape);
void ly_call_end(struct ly_command *command, const struct ly_call *call);
/* Defines the entry point layer_FUNCTION, which calls NEXT, the driver's, and if that succeeds records
 * COMMAND with its accesses, which ACCESSES, a function call, adds.  PARAMETERS and ARGUMENTS, those between
 * the queue and the wait list, are in parentheses, with a comma at their end; IS_BLOCKING is the value of the
 * parameter of that meaning, or false. */
#define LY_UNPACK(...) __VA_ARGS__
#define LY_COMMAND(function, next, is_blocking, parameters, arguments, accesses)                             \
    static cl_int CL_API_CALL layer_##function(cl_command_queue queue, LY_UNPACK parameters cl_uint count,   \
                                               const cl_event *list, cl_event *event)                        \
    {                                                                                                        \
        cl_int code = (next)(queue, LY_UNPACK arguments count, list, event);                                 \
        const struct ly_call call = LY_CALL(.list = list, .event = event, .blocking = (is_blocking));        \
        struct ly_command *command = code == CL_SUCCESS ? ly_call_begin(&call, NULL) : NULL;                 \
        if (command) {                                                                                       \
            accesses;                                                                                        \
            ly_call_end(command, &call);                                                                     \
        }                                                                                                    \
        return code;                                                                                         \
    }

/* The enqueued command of CALL; NULL: the queue is unknown (it is noted), or out of memory. */
struct ly_command *ly_command_create(const struct ly_call *call, const struct mm_command *shape);
void ly_command_access(struct ly_command *command, enum mm_kind kind, uint32_t allocation, uint64_t offset,
                       uint64_t size);
void ly_command_add_access(struct ly_command *command, const struct ly_access *access);
struct ly_mem;
void ly_command_hold(struct ly_command *command, struct ly_mem *mem);
/* Appends COMMAND to its queue and records it, now or when its dependencies are done; takes ownership of
 * it. */
void ly_command_submit(struct ly_command *command, const struct ly_call *call);
/* Records the start and the accesses of COMMAND, whose dependencies are done, and its end unless it calls
 * back. */
void ly_command_record(struct ly_command *command);
/* Records the end of COMMAND, completes its point and frees it. */
void ly_command_end(struct ly_command *command);
/* The number of commands whose ends are recorded. */
uint64_t ly_commands_ended(void);
void ly_command_depend(struct ly_command *command, struct ly_point *point, enum mm_edge_kind kind);
/* Copies the accesses, held objects and launch of PATTERN to COMMAND. */
void ly_pattern_copy(struct ly_command *command, const struct ly_command *pattern);
struct ly_command *ly_command_new(void); /* empty; NULL: out of memory */
void ly_command_free(struct ly_command *command);
/* After a call that the layer does not see, which may order commands: orders all later commands after all
 * earlier ones, so that no false race is reported. */
void ly_order_all(void);
/* Orders the calling thread after all recorded commands, whose effects it may have observed. */
void ly_follow_commands(void);
/* Adds PATTERN to the command buffer of CALL; takes ownership of PATTERN. */
void ly_command_buffer_add(const struct ly_call *call, struct ly_command *pattern);

/* ---- records ------------------------------------------------------------------------------------- */

bool ly_recording(void);
struct mm_recorder *ly_recorder(void);
void ly_record_close(void);
/* REFCL_LAYER_REPORT=FILE: stores the name of the trace from which the report is made; false: no report is
 * requested. */
bool ly_report_trace(char *path, size_t size);
/* Runs `refcl trace check` on the complete trace, which is then removed. */
void ly_report(void);
struct mm_agent ly_this_thread(void);
/* Gives the calling thread a new agent until ly_thread_restore(), whose argument it returns. */
uint32_t ly_thread_replace(void);
void ly_thread_restore(uint32_t before);
extern _Thread_local bool
    ly_in_callback; /* the thread executes a callback of the application, on a thread of the driver */
mm_event_id ly_record_call(const char *name, const void *place, struct mm_edge *edges, size_t count);
mm_event_id ly_record_callback(mm_event_id completion, mm_event_id registered);
uint32_t ly_record_allocation(struct mm_allocation allocation, const void *place);
void ly_record_free(uint32_t allocation, uint64_t size);
/* The calling thread writes the whole allocation. */
void ly_record_freed(uint32_t allocation, uint64_t size, const char *call, const void *place);
/* Declares that no later edge starts at ID, which may be MM_NO_EVENT. */
void ly_retire(mm_event_id id);
uint32_t ly_source(const char *call, const void *place);
/* Returns the source of a call stack: FRAMES has COUNT return addresses, from the layer's frame outwards. */
enum { LY_DEEPEST = 64 };
typedef uint32_t ly_stack_function(const char *call, const void *place, void *const *frames, int count);
/* The source of the calling thread's stack: the cached one, or that of SOURCE_OF. */
uint32_t ly_stack_source(const char *call, const void *place, ly_stack_function *source_of);
void ly_stack_initialize(void); /* without the lock: it acquires the dynamic loader's lock */
/* Records once that WHAT, a literal, is not checked; the report says so. */
void ly_not_checked(const char *what);
/* Records a finding of the layer itself. */
void ly_record_finding(const char *kind, const char *clause, const char *message, uint32_t source);
/* COMMAND accesses SIZE bytes of the host's memory at HOST, plain or SVM. */
void ly_host_access(struct ly_command *command, enum mm_kind kind, const void *host, size_t size);

/* ---- accesses of instrumented hosts ---------------------------------------------------------------- */

void ly_host_attach(void); /* if the program is instrumented */
void ly_host_detach(void);
bool ly_host_is_attached(void);
/* Notes what signal handlers did.  True, once: a handler synchronizes, so the order of threads is unknown
 * from now on. */
bool ly_host_note_handlers(void);
/* A command uses plain memory of the host; true: the access is recorded.  free() and malloc() order threads
 * without a record of it, so only the accesses of one thread, the first whose commands use plain memory, and
 * of its commands are recorded; the others are not checked. */
bool ly_use_plain_memory(void);
/* Commands may access the memory: accesses of the host to it are recorded. */
void ly_host_share(const void *address, size_t size);
/* The host may access MEM as MAP describes, until it is hidden for OWNER, a unique address. */
struct ly_mem;
struct ly_map;
void ly_host_show(const void *owner, const struct ly_mem *mem, const struct ly_map *map);
void ly_host_hide(const void *owner);
const struct mm_host_ranges *ly_host_ranges(void); /* plain memory that commands have used */

/* ---- memory -------------------------------------------------------------------------------------- */

/* A box of bytes in a memory object or in the host's memory: from OFFSET on, ROWS[2] slices at SLICE_PITCH,
 * each of ROWS[1] rows at ROW_PITCH, each of ROWS[0] bytes. */
struct ly_box {
    uint64_t offset, rows[3], row_pitch, slice_pitch;
};
struct ly_mem {
    struct ly_object object;
    struct ly_mem *root; /* itself, or the buffer that it is a view of */
    uint32_t allocation; /* the root's */
    uint64_t offset, size;
    bool image, pipe, owns; /* OWNS: the allocation ends with it */
    size_t element, width, height, depth, row_pitch, slice_pitch;
    uint32_t levels;   /* of a mipmapped image, assumed to lie one after the other, without gaps; else 1 */
    uint32_t level_at; /* index in an origin of the level; before it are width, height and depth, or layers */
    bool layers;
    struct ly_map *maps;
};
struct ly_map {
    struct ly_map *next;
    void *pointer;
    struct ly_box box;             /* of the memory object */
    uint64_t host_row, host_slice; /* pitches at POINTER, 0: without gaps */
    cl_map_flags flags;
};
/* The shadow of HANDLE; NULL: it is unknown, which is noted, or HANDLE is NULL. */
struct ly_mem *ly_mem(cl_mem handle);
/* The bytes of a region of IMAGE; its ORIGIN includes the level. */
struct ly_box ly_image_region(const struct ly_mem *image, const size_t *origin, const size_t region[3]);
/* COMMAND accesses BOX of MEM, or of the host's memory at HOST. */
void ly_mem_access(struct ly_command *command, enum mm_kind kind, struct ly_mem *mem, struct ly_box box);
void ly_host_rows(struct ly_command *command, enum mm_kind kind, const void *host, struct ly_box box);
/* COMMAND migrates the objects of LIST. */
void ly_migrate(struct ly_command *command, cl_uint count, const cl_mem *list, cl_mem_migration_flags flags);

struct ly_svm {
    uintptr_t begin;
    size_t size;
    uint32_t allocation, source;
    bool fine;
    cl_svm_mem_flags flags;
};
void ly_svm_add(void *memory, cl_svm_mem_flags flags, size_t size, const void *place);
/* The application frees MEMORY; WAITS: the call waits for the commands that use it.  Without the lock, as
 * ly_svm_add(). */
void ly_svm_remove(const void *memory, const char *call, bool waits, const void *place);
/* Moves the SVM that begins at MEMORY to *SVM; false: there is none. */
bool ly_svm_take(const void *memory, struct ly_svm *svm);
void ly_svm_note_leaks(void);
/* Copies the SVM that contains AT, or has ALLOCATION if AT is NULL; false: there is none.  Without the
 * lock. */
bool ly_svm_of(uint32_t allocation, const void *at, struct ly_svm *svm);
/* NULL: AT is not in SVM. */
const struct ly_svm *ly_svm_find(const void *at);

struct ly_sampler {
    struct ly_object object;
    struct ly_sampler_state state;
};

/* ---- kernels ------------------------------------------------------------------------------------- */

struct mm_command ly_launch_shape(cl_uint dimensions, const size_t *offset, const size_t *global,
                                  const size_t *local);
/* Stores in COMMAND the launch of KERNEL with its current arguments (launch.h). */
void ly_launch_describe(struct ly_command *command, cl_kernel kernel);
/* Without the lock. */
void ly_kernel_set_svm(cl_kernel kernel, cl_uint index, const void *pointer);
cl_program ly_program_add_il(cl_program program, const void *il, size_t size);
/* A copy of a kernel's program and current arguments; both functions without the lock. */
struct ly_kernel_view {
    char *name, *text, *options; /* TEXT: source or SPIR-V, NULL: neither; OPTIONS may be NULL */
    size_t text_size;
    bool il;
    struct ly_argument *arguments;
    struct ly_mem **mems; /* in use */
    size_t count;
};
bool ly_kernel_view(cl_kernel kernel, struct ly_kernel_view *view); /* false: unknown, or out of memory */
void ly_kernel_view_clear(struct ly_kernel_view *view);

/* Whether a command enqueued by CALL would complete without a later call of the application: its dependencies
 * are done, so none waits for a user event.  Without the lock. */
bool ly_can_wait_for(const struct ly_call *call);
/* Writes the launch to a file if REFCL_LAYER_CAPTURE selects it; before it is enqueued, without the lock. */
void ly_capture(const struct ly_call *call, cl_kernel kernel, const struct mm_command *shape);
/* Without the lock. */
void ly_queue_add(cl_command_queue queue, cl_context context, cl_device_id device,
                  const cl_queue_properties *properties);

/* ---- entry points -------------------------------------------------------------------------------- */

/* ly_get_NAME() returns the layer's function for the entry NAME of the dispatch table. */
#define LY_ENTRY(name) ly_function *ly_get_##name(void);
#include "tools/layer/entry.def"
#undef LY_ENTRY
/* Defines ly_get_NAME() of the static function layer_NAME, which must have the type of the table's entry. */
#define LY_EXPORT(name)                                                                                      \
    ly_function *ly_get_##name(void)                                                                         \
    {                                                                                                        \
        __typeof__(((cl_icd_dispatch *)0)->name) function = layer_##name;                                    \
        return (ly_function *)function;                                                                      \
    }

/* ---- use of the API ------------------------------------------------------------------------------- */

bool ly_checks_api(void);
/* Replaces each function of TABLE by a wrapper that records failed calls as findings. */
void ly_check_calls(struct _cl_icd_dispatch *table);
void ly_note_leaks(void); /* without the lock */

/* ---- extensions ---------------------------------------------------------------------------------- */

/* ly_extend_NAME() returns the layer's function for the extension's function NAME, and stores the driver's,
 * NEXT, which it calls.  NULL: it already has that of another driver. */
#define LY_EXTENSION(name) ly_function *ly_extend_##name(cl_platform_id platform, ly_function *next);
#include "tools/layer/extension.def"
#undef LY_EXTENSION
#define LY_EXTEND(name)                                                                                      \
    ly_function *ly_extend_##name(cl_platform_id platform, ly_function *next)                                \
    {                                                                                                        \
        (void)platform;                                                                                      \
        return ly_extend(&next_##name, next) ? (ly_function *)layer_##name : NULL;                           \
    }
/* Defines layer_clRetainNAME and layer_clReleaseNAME, which call the driver's RETAIN and RELEASE.  A release
 * removes the shadow first, since the driver may reuse the handle at once. */
#define LY_REFERENCE_CALLS(name, type, shadow, retain, release)                                              \
    static cl_int CL_API_CALL layer_clRetain##name(type object)                                              \
    {                                                                                                        \
        cl_int code = (retain)(object);                                                                      \
        pthread_mutex_lock(&ly_lock);                                                                        \
        if (code == CL_SUCCESS)                                                                              \
            ly_object_retain(shadow, object);                                                                \
        pthread_mutex_unlock(&ly_lock);                                                                      \
        return code;                                                                                         \
    }                                                                                                        \
    static cl_int CL_API_CALL layer_clRelease##name(type object)                                             \
    {                                                                                                        \
        pthread_mutex_lock(&ly_lock);                                                                        \
        ly_object_release(shadow, object);                                                                   \
        pthread_mutex_unlock(&ly_lock);                                                                      \
        return (release)(object);                                                                            \
    }
#define LY_EXTENSION_REFERENCES(name, type, shadow)                                                          \
    static ly_function *next_clRetain##name, *next_clRelease##name;                                          \
    LY_REFERENCE_CALLS(name, type, shadow, (cl_int(CL_API_CALL *)(type))next_clRetain##name,                 \
                       (cl_int(CL_API_CALL *)(type))next_clRelease##name)                                    \
    LY_EXTEND(clRetain##name)                                                                                \
    LY_EXTEND(clRelease##name)
/* Stores FUNCTION in *NEXT; false: *NEXT is another function already. */
bool ly_extend(ly_function **next, ly_function *function);
/* The version of cl_khr_command_buffer that the platform's devices have, 0: none. */
cl_version ly_command_buffer_version(cl_platform_id platform);
/* A stub for FUNCTION, which the layer does not wrap: notes that it was called, and jumps to it. */
ly_function *ly_unseen_function(const char *name, ly_function *function);
/* Whether a stub was called since the last call of this function; each such function is noted as not
 * checked. */
bool ly_unseen_called(void);

#endif
