/* An OpenCL loader layer that records what a program asks any driver for: the same events that refcl's own runtime
 * records, without those of work-items.
 *
 * Every function that changes a shadow object or records is called with ly_lock held, unless it says otherwise. */
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
/* Take and release the lock, and that of the recorder for as long. */
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
    uint32_t uses;       /* the layer's own; freed when both are zero */
    uint32_t number;     /* among those of its type, from 1 */
    uint32_t source;     /* of its creation, 0: not known */
};
/* A new shadow of SIZE bytes for HANDLE with one reference; NULL: out of memory. */
void *ly_object_add(enum ly_type type, const void *handle, size_t size);
/* NULL: no such object is known. */
void *ly_object_find(enum ly_type type, const void *handle);
/* In the order of their types and creation. */
void ly_object_each(void (*visit)(const struct ly_object *object));
/* Whether HANDLE named an object whose last reference was released. */
bool ly_object_was(const void *handle);
void ly_object_use(void *object); /* may be NULL */
void ly_object_unuse(void *object);
void ly_object_retain(enum ly_type type, const void *handle);
/* Called before the driver releases the object, since the driver may reuse the handle at once. */
void ly_object_release(enum ly_type type, const void *handle);
/* Frees what the object holds; called once. */
void ly_mem_destroy(void *object);
void ly_queue_destroy(void *object);
void ly_event_destroy(void *object);
void ly_program_destroy(void *object);
void ly_kernel_destroy(void *object);
void ly_command_buffer_destroy(void *object);
void ly_semaphore_destroy(void *object);

/* ---- order --------------------------------------------------------------------------------------- */

/* The completion of a command or user event, which others may wait for. */
struct ly_command;
struct ly_point {
    uint32_t uses;
    bool done, failed;
    mm_event_id id;        /* once it is done */
    struct ly_point *next; /* of those that are not in use */
    struct ly_command **waiting;
    size_t waiting_count;
};
struct ly_point *ly_point_create(void);
struct ly_point *ly_point_use(struct ly_point *point);
void ly_point_unuse(struct ly_point *point); /* may be NULL */
/* Records the commands that waited for POINT alone, and those that waited for them. */
void ly_point_complete(struct ly_point *point, mm_event_id id, bool failed);

struct ly_queue {
    struct ly_object object;
    bool in_order;
    uint32_t device, context;
    struct ly_point *last, *barrier;
    struct ly_point
        *unseen; /* event after which later commands are ordered, because of an unseen call; NULL: none */
    struct ly_point **open; /* not yet followed by a barrier, finish or in-order command */
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
struct ly_command {
    struct mm_command record;
    struct ly_queue *queue;
    mm_event_id call;
    struct ly_point *point;
    struct ly_dependency *dependencies;
    size_t dependency_count, unresolved;
    bool failed, barrier, marks, has_list;
    struct ly_access *accesses;
    size_t access_count;
    uint32_t program; /* of a launch: id of the program's record */
    void *launch;     /* launch.h */
    uint32_t launch_size;
    struct ly_mem **held; /* that live until the command is recorded */
    size_t held_count;
    size_t dependency_room, access_room, held_room; /* in the arrays */
    struct ly_command *next;                        /* of those that are not in use */
    mm_event_id began, returned;                    /* COMMAND_START; end of a function that it called */
    bool calls_back;                                /* its end is recorded by ly_command_end */
};
/* The caller's place in the application. */
extern _Thread_local const void *ly_caller; /* NULL: the function was called by the loader */
#define LY_PLACE (ly_caller ? ly_caller : __builtin_return_address(0))
/* A command enqueued in QUEUE by the API call NAME; NULL: unknown queue, or out of memory. */
struct ly_command *ly_command_create(cl_command_queue queue, const char *name, const void *place,
                                     cl_uint count, const cl_event *list);
/* The same for a launch: SHAPE has the sizes and the kernel's name. */
struct ly_command *ly_command_create_launch(cl_command_queue queue, const char *name, const void *place,
                                            cl_uint count, const cl_event *list,
                                            const struct mm_command *shape);
void ly_command_access(struct ly_command *command, enum mm_kind kind, uint32_t allocation, uint64_t offset,
                       uint64_t size);
void ly_command_add_access(struct ly_command *command, const struct ly_access *access);
struct ly_mem;
void ly_command_hold(struct ly_command *command, struct ly_mem *mem);
/* Records COMMAND, now or when all that it waits for is complete; EVENT: its handle for the application, NULL: none.
 * BLOCKING: the call waited for it. */
void ly_command_submit(struct ly_command *command, const cl_event *event, bool blocking, const void *place);
/* Records the start and the accesses of COMMAND, which waits for no other, and its end unless it calls back. */
void ly_command_record(struct ly_command *command);
/* Records the end of the command and of its callback function; commands that waited for it become ready. */
void ly_command_end(struct ly_command *command);
/* The number of commands whose ends are recorded. */
uint64_t ly_commands_ended(void);
void ly_command_depend(struct ly_command *command, struct ly_point *point, enum mm_edge_kind kind);
/* A recorded command of a command buffer: SHAPE has its name, and it is in no queue. */
struct ly_command *ly_pattern_create(const struct mm_command *shape);
/* What PATTERN uses is used by COMMAND. */
void ly_pattern_copy(struct ly_command *command, const struct ly_command *pattern);
struct ly_command *ly_command_new(void); /* empty; NULL: out of memory */
void ly_command_free(struct ly_command *command);
/* An unseen call may order commands.  All later commands are ordered after all earlier ones, so that no false race
 * is reported. */
void ly_order_all(void);

/* Orders the calling thread after all enqueued commands, whose effects it may have observed. */
void ly_follow_commands(void);

/* What commands of buffers and images are called with; those of command buffers have sync-points in place of events. */
struct ly_command_buffer;
struct ly_call {
    const char *name;
    const void *place;
    cl_command_queue queue;
    cl_uint count;
    const cl_event *list, *event;
    bool blocking;
    cl_command_buffer_khr buffer; /* NULL: the command is enqueued */
    const cl_sync_point_khr *points, *point;
};
/* With the lock; NULL: without. */
struct ly_command *ly_call_begin(const struct ly_call *call, const struct mm_command *shape);
void ly_call_end(struct ly_command *command, const struct ly_call *call);
/* Adds PATTERN, which may be NULL, to the command buffer.  The caller holds the lock, which is released. */
void ly_command_buffer_add(const struct ly_call *call, struct ly_command *pattern);

/* ---- records ------------------------------------------------------------------------------------- */

bool ly_recording(void);
struct mm_recorder *ly_recorder(void);
void ly_record_close(void);
/* REFCL_LAYER_REPORT=FILE: the name of the trace that the report is made of; false: no report is wanted. */
bool ly_report_trace(char *path, size_t size);
/* Has `refcl trace check` write the report of the complete trace, which it removes. */
void ly_report(void);
struct mm_agent ly_this_thread(void);
/* What the thread does until ly_thread_restore() is done by a private agent; returns what that one gets. */
uint32_t ly_thread_replace(void);
void ly_thread_restore(uint32_t before);
extern _Thread_local bool ly_in_callback; /* of the application, on a thread that the driver chose */
mm_event_id ly_record_call(const char *name, const void *place, struct mm_edge *edges, size_t count);
mm_event_id ly_record_callback(mm_event_id completion, mm_event_id registered);
uint32_t ly_record_allocation(struct mm_allocation allocation, const void *place);
void ly_record_free(uint32_t allocation, uint64_t size);
/* The calling thread writes the whole allocation. */
void ly_record_write(uint32_t allocation, uint64_t size, const char *call, const void *place);
/* No edge starts at ID from now on; it may be MM_NO_EVENT. */
void ly_retire(mm_event_id id);
uint32_t ly_source(const char *call, const void *place);
/* SOURCE_OF gives the source of the call stack FRAMES, which has COUNT return addresses from the layer's outwards. */
enum { LY_DEEPEST = 64 };
typedef uint32_t ly_stack_function(const char *call, const void *place, void *const *frames, int count);
/* The same for the calling thread's stack; SOURCE_OF is not called for stacks that are known. */
uint32_t ly_stack_source(const char *call, const void *place, ly_stack_function *source_of);
void ly_stack_initialize(void); /* not later, under LY_LOCK: it takes the dynamic loader's lock */
/* A part of the program that the report says is not checked; each WHAT is recorded once. */
void ly_not_checked(const char *what);
/* A finding of the layer itself. */
void ly_record_finding(const char *kind, const char *clause, const char *message, uint32_t source);
/* A command uses the host's memory, plain or SVM. */
void ly_host_access(struct ly_command *command, enum mm_kind kind, const void *host, size_t size);

/* ---- accesses of instrumented hosts ---------------------------------------------------------------- */

void ly_host_attach(void); /* if the program is instrumented */
void ly_host_detach(void);
bool ly_host_is_attached(void);
/* Notes what signal handlers did; true, once: the order of threads is not known from now on. */
bool ly_host_note_handlers(void);
/* Threads of an instrumented program that pass plain memory on through free() and malloc() alone have no order in the record:
 * what is recorded of it is what one thread, the first whose commands use any, and its commands do.  The rest is not checked. */
bool ly_use_plain_memory(void); /* a command does: whether it is recorded */
/* Commands may use the memory: accesses of the host to it count. */
void ly_host_share(const void *address, size_t size);
struct ly_mem;
struct ly_map;
/* The host sees MEM as MAP says, with its own pitches (0: without gaps), until it is hidden for OWNER, any address. */
void ly_host_show(const void *owner, const struct ly_mem *mem, const struct ly_map *map, size_t host_row,
                  size_t host_slice);
void ly_host_hide(const void *owner);
const struct mm_host_ranges *ly_host_ranges(void); /* plain memory that commands have used */

/* ---- memory -------------------------------------------------------------------------------------- */

struct ly_mem {
    struct ly_object object;
    struct ly_mem *root; /* itself, or the buffer that it is a view of */
    uint32_t allocation; /* the root's */
    uint64_t offset, size;
    bool image, pipe, owns; /* OWNS: the allocation ends with it */
    size_t element, width, height, depth, row_pitch, slice_pitch;
    uint32_t levels; /* of a mipmapped image, assumed to lie one after the other, without gaps; else 1 */
    uint32_t
        level_at; /* which element of an origin is the level; before it are width, height and depth, or layers */
    bool layers;
    struct ly_map *maps;
};
struct ly_map {
    struct ly_map *next;
    void *pointer;
    uint64_t begin, rows[3], row_pitch, slice_pitch; /* bytes, rows, slices */
    cl_map_flags flags;
};
struct ly_mem *ly_mem(cl_mem handle);
/* The bytes of a region of IMAGE, whose ORIGIN says the level. */
struct ly_map ly_image_region(const struct ly_mem *image, const size_t *origin, const size_t region[3]);
/* Bytes of ROWS[0] each, ROWS[1] of them at ROW_PITCH, ROWS[2] such slices at SLICE_PITCH, from OFFSET on. */
void ly_mem_access(struct ly_command *command, enum mm_kind kind, struct ly_mem *mem, uint64_t offset,
                   const uint64_t rows[3], uint64_t row_pitch, uint64_t slice_pitch);
void ly_host_rows(struct ly_command *command, enum mm_kind kind, const void *host, uint64_t offset,
                  const uint64_t rows[3], uint64_t row_pitch, uint64_t slice_pitch);

struct ly_svm {
    uintptr_t begin;
    size_t size;
    uint32_t allocation, source;
    bool fine;
    cl_svm_mem_flags flags;
};
void ly_svm_add(void *memory, cl_svm_mem_flags flags, size_t size, const void *place);
/* WAITS: the call waits for the commands that use it. */
void ly_svm_remove(const void *memory, const char *call, bool waits, const void *place);
/* Removes the SVM that begins at MEMORY, into *SVM; false: there is none. */
bool ly_svm_take(const void *memory, struct ly_svm *svm);
void ly_svm_note_leaks(void);
/* Copies what is known of the SVM that has ALLOCATION, or that AT is in; false: there is none.  Without the lock. */
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
/* What the analysis needs of a launch of KERNEL with its present arguments. */
void ly_launch_describe(struct ly_command *command, cl_kernel kernel);
void ly_kernel_set_svm(cl_kernel kernel, cl_uint index, const void *pointer);
cl_program ly_program_add_il(cl_program program, const void *il, size_t size);
/* What a kernel is and would be launched with; without the lock. */
struct ly_kernel_view {
    char *name, *text, *options; /* TEXT: source or SPIR-V, NULL: neither; OPTIONS may be NULL */
    size_t text_size;
    bool il;
    struct ly_argument *arguments;
    struct ly_mem **mems; /* in use */
    size_t count;
};
bool ly_kernel_view(cl_kernel kernel, struct ly_kernel_view *view); /* false: it is not known */
void ly_kernel_view_clear(struct ly_kernel_view *view);

struct ly_launch_call {
    cl_command_queue queue;
    cl_kernel kernel;
    const struct mm_command *shape;
    cl_uint count;
    const cl_event *list;
};
/* Whether all that the launch would wait for is enqueued and waits for no user event; without the lock. */
bool ly_launch_can_be_waited_for(const struct ly_launch_call *call);
/* Writes the launch to a file, if REFCL_LAYER_CAPTURE wants that; before it is enqueued, without the lock. */
void ly_capture(const struct ly_launch_call *call);
void ly_queue_add(cl_command_queue queue, cl_context context, cl_device_id device,
                  const cl_queue_properties *properties);

/* ---- entry points -------------------------------------------------------------------------------- */

/* The layer's functions: LY_ENTRY(NAME) for each. */
#define LY_ENTRY(name) extern __typeof__(((cl_icd_dispatch *)0)->name) ly_get_##name(void);
#include "tools/layer/entry.def"
#undef LY_ENTRY
/* Defines what the table of entry points takes: the function itself is static. */
#define LY_EXPORT(name)                                                                                      \
    __typeof__(((cl_icd_dispatch *)0)->name) ly_get_##name(void)                                             \
    {                                                                                                        \
        return layer_##name;                                                                                 \
    }

/* ---- use of the API ------------------------------------------------------------------------------- */

bool ly_checks_api(void);
/* Puts a check before each function of TABLE. */
void ly_check_calls(struct _cl_icd_dispatch *table);
void ly_note_leaks(void); /* without the lock */

/* ---- extensions ---------------------------------------------------------------------------------- */

/* The layer's functions of extensions: each takes the next one; NULL: it has another one already. */
#define LY_EXTENSION(name) ly_function *ly_extend_##name(cl_platform_id platform, ly_function *next);
#include "tools/layer/extension.def"
#undef LY_EXTENSION
#define LY_EXTEND(name)                                                                                      \
    ly_function *ly_extend_##name(cl_platform_id platform, ly_function *next)                                \
    {                                                                                                        \
        (void)platform;                                                                                      \
        return ly_extend(&next_##name, next) ? (ly_function *)layer_##name : NULL;                           \
    }
/* Retaining and releasing of objects, with the driver's functions RETAIN and RELEASE.  The handle is forgotten before
 * the driver may use it again. */
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
/* Keeps FUNCTION in *NEXT; false: that is another one already. */
bool ly_extend(ly_function **next, ly_function *function);
/* The version of cl_khr_command_buffer that the platform's devices have, 0: none. */
cl_version ly_command_buffer_version(cl_platform_id platform);
/* The functions that the layer lacks, with a note when they are called: REPLACEMENT of FUNCTION. */
ly_function *ly_unseen_function(const char *name, ly_function *function);
/* Whether one of them was called since this was asked last; names those that are new. */
bool ly_unseen_called(void);

#endif
