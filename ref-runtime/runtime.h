/* ref-runtime, internal: the API object model that all files of the folder share.
 *
 * Every API object begins with struct rt_object.  Live objects are in a table, so that a wrong, stale or
 * foreign handle yields CL_INVALID_* and is not dereferenced.
 *
 * Ownership.  An object lives while it has references: those of the application (which clRetain and clRelease
 * count and CL_*_REFERENCE_COUNT returns) and internal ones (a queue has one of its context, a command those
 * of its buffers).  In this header "held" marks a pointer that owns an internal reference; other pointers to
 * objects are valid as long as the structure that contains them.  The last release runs rt_TYPE_destroy(),
 * which may call the application (destructor callbacks) and acquires locks: release without locks, and in
 * threads that must not call the application with rt_object_release_deferred().
 *
 * Locks (struct mm_mutex, which are free in a forked child).  A thread acquires them from the top of this
 * list to its end, and holds at most one of each row; while it holds a leaf it acquires no other, except in
 * rt_sched_terminate() (the object table, then the callback queue):
 *
 *   lock                             protects
 *   updating (enqueue/mutable.c)     the steps of one clUpdateMutableCommandsKHR, against other such calls
 *   state->lock (program, kernel)    the build state of a program; the arguments of a kernel
 *   storage.c, external.c            allocation of the devices' copies of a buffer; imported memory
 *   rt_lock (sched/sched.c)          queues, events, commands and their dependencies, maps, command buffers,
 *   the scheduler
 *   turn, lock (record/record.c)     the order of host threads in the record; addresses in the record
 *   host_guard.c                     page protection of SVM (ref-runtime/check)
 *   leaves                           the object table (object.c), the index of device memory (index.c), the
 *   lists of SVM, addressed
 *                                    buffers and default queues, the callback queue (callback.c), call sites
 *                                    (record_place.c)
 *
 * The recorder has a recursive lock, acquired after all of these.  No lock is held during a call of the
 * application (callbacks, native kernels, destructors), a step of a kernel, or a call of the compiler, except
 * that of the compiler's client (client_process.c), which serializes the jobs of the helper process.
 *
 * "Under rt_lock" in a comment: the caller holds it.  Fields of commands, events and queues change under
 * rt_lock, except the state that a command's step uses: this belongs to the thread that executes the step
 * (sched.step.busy).  The executor is one thread; while it is idle, a waiting host thread executes steps in
 * its place (help_workers() in sched/sched.c). */
#ifndef REF_RUNTIME_RUNTIME_H
#define REF_RUNTIME_RUNTIME_H

#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "ref-runtime/registry.h"
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <stdatomic.h>

#include "interp/image/image.h"
#include "interp/interp.h"
#include "memmodel/memmodel.h"
#include "memmodel/trace/mutex.h"
#include "memmodel/trace/once.h"

#define RT_API(name) __typeof__(*((cl_icd_dispatch *)0)->name) rt_##name;
#include "ref-runtime/check/api.def"
#undef RT_API
extern const cl_icd_dispatch rt_dispatch;
/* Entry points of extensions.  Older headers declare these without the parameter PROPERTIES. */
#define RT_CALL(clause, name, parameters, arguments, first)         cl_int CL_API_CALL rt_##name parameters;
#define RT_CREATE(clause, type, name, parameters, arguments, first) type CL_API_CALL rt_##name parameters;
#include "ref-runtime/check/extension_check.def"
#undef RT_CALL
#undef RT_CREATE

/* ---- objects (object.c) ------------------------------------------------------------------------- */

enum rt_type {
    RT_PLATFORM = 1,
    RT_DEVICE,
    RT_CONTEXT,
    RT_QUEUE,
    RT_MEM,
    RT_EVENT,
    RT_PROGRAM,
    RT_KERNEL,
    RT_SAMPLER,
    RT_COMMAND_BUFFER,
    RT_SEMAPHORE,
    RT_MUTABLE_COMMAND,
    RT_TYPE_COUNT
};
struct rt_object {
    const cl_icd_dispatch *dispatch; /* first: the ICD loader reads it */
    void *dispatch_data;             /* second: the loader's own, that of the platform */
    enum rt_type type;
    uint32_t number;  /* within its type, from 1: for messages and traces */
    cl_uint api_refs; /* under the table's lock */
    atomic_uint total_refs;
    bool is_listed; /* in the table */
};
/* A zeroed object of SIZE bytes with one application reference, entered in the table.  NULL: no memory. */
void *rt_object_create(enum rt_type type, size_t size);
/* The same without an entry: of an object that no handle of the application names, until rt_object_list()
 * enters it (false: no memory). */
void *rt_object_create_unlisted(enum rt_type type, size_t size);
bool rt_object_list(void *object);
/* Stores the loader's DATA in every live object and each later one [cl_khr_icd 2.0]. */
void rt_object_set_dispatch_data(void *data);
/* HANDLE if it is a live object of TYPE, otherwise NULL. */
void *rt_object_check(const void *handle, enum rt_type type);
/* Internal references.  The last release destroys the object: rt_TYPE_destroy() frees its members and
 * releases what they hold. */
void rt_object_retain(void *object);
/* Retains an object whose last reference may have been released concurrently; false: it was. */
bool rt_object_hold(void *object);
void rt_object_release(void *object);
/* Releases in a thread that must not call the application: the callback thread destroys the object. */
void rt_object_release_deferred(void *object);
/* Whether HANDLE is one of the objects released last (a ring of 512), for messages. */
bool rt_object_was(const void *handle);
/* Calls VISIT for every live object, under the table's lock. */
void rt_object_each(void (*visit)(const struct rt_object *object, void *data), void *data);
/* For rt_TYPE_destroy(): releases a member in the way in which the object itself was released. */
void rt_object_release_held(void *object);
/* clRetain*: false if HANDLE is not a live object of TYPE.  Queries return objects without application
 * references that others keep alive, such as the released program of a kernel: these are retained again. */
bool rt_api_retain(const void *handle, enum rt_type type);
/* clRelease*: false if HANDLE is not a live object of TYPE with application references. */
bool rt_api_release(const void *handle, enum rt_type type);
/* Releases the application's reference, which it was not given, of OBJECT, listed or not. */
void rt_api_release_unused(void *object);
cl_uint rt_api_refs(const void *object);

#define RT_HANDLE(name, cl_type, tag)                                                                        \
    static inline struct rt_##name *rt_##name(cl_type handle)                                                \
    {                                                                                                        \
        return (struct rt_##name *)rt_object_check(handle, tag);                                             \
    }
RT_HANDLE(platform, cl_platform_id, RT_PLATFORM)
RT_HANDLE(device, cl_device_id, RT_DEVICE)
RT_HANDLE(context, cl_context, RT_CONTEXT)
RT_HANDLE(queue, cl_command_queue, RT_QUEUE)
RT_HANDLE(mem, cl_mem, RT_MEM)
RT_HANDLE(event, cl_event, RT_EVENT)
RT_HANDLE(program, cl_program, RT_PROGRAM)
RT_HANDLE(kernel, cl_kernel, RT_KERNEL)
RT_HANDLE(sampler, cl_sampler, RT_SAMPLER)
#undef RT_HANDLE

/* Stores CODE in ERRCODE_RET unless that is null; returns null, so that `return rt_null(...)` reads well. */
void *rt_null(cl_int *errcode_ret, cl_int code);

/* Called by object.c after the last release. */
void rt_device_destroy(struct rt_device *device); /* sub_device.c */
void rt_context_destroy(struct rt_context *context);
void rt_queue_destroy(struct rt_queue *queue);
/* Under the scheduler's lock: the queue no longer names commands that are complete. */
void rt_queue_drop_completed(struct rt_queue *queue);
void rt_mem_destroy(struct rt_mem *mem);
void rt_event_destroy(struct rt_event *event);
void rt_program_destroy(struct rt_program *program); /* program.c */
void rt_kernel_destroy(struct rt_kernel *kernel);    /* kernel.c */
void rt_sampler_destroy(struct rt_sampler *sampler);
struct rt_command_buffer;
void rt_command_buffer_destroy(struct rt_command_buffer *buffer);
struct rt_semaphore;
void rt_semaphore_destroy(struct rt_semaphore *semaphore);
struct rt_mutable;
void rt_mutable_destroy(struct rt_mutable *command);

/* clRetainNAME and clReleaseNAME. */
#define RT_REFERENCE_CALLS(name, handle, type, error)                                                        \
    cl_int CL_API_CALL rt_clRetain##name(handle object)                                                      \
    {                                                                                                        \
        return rt_api_retain(object, type) ? CL_SUCCESS : error;                                             \
    }                                                                                                        \
    cl_int CL_API_CALL rt_clRelease##name(handle object)                                                     \
    {                                                                                                        \
        return rt_api_release(object, type) ? CL_SUCCESS : error;                                            \
    }

/* ---- info queries (info.c) ---------------------------------------------------------------------- */

/* The output parameters of a query [CL 4.1 and every clGet*Info]: VALUE may be null; a SIZE too small is an
 * error. */
struct rt_info_out {
    void *value;
    size_t size;
    size_t *size_ret;
};
cl_int rt_info_put(const struct rt_info_out *out, const void *data, size_t size);
cl_int rt_info_string(const struct rt_info_out *out, const char *text);
cl_int rt_info_uint(const struct rt_info_out *out, cl_uint value);
cl_int rt_info_bool(const struct rt_info_out *out, bool value);
cl_int rt_info_ulong(const struct rt_info_out *out, cl_ulong value);
cl_int rt_info_size(const struct rt_info_out *out, size_t value);
cl_int rt_info_handle(const struct rt_info_out *out, const void *handle);

/* Function GET, which answers VALUE, a KIND of the functions above; OBJECT: the object in VALUE, of type
 * TYPE. */
#define RT_ANSWER(get, kind, type, object, value)                                                            \
    static cl_int get(const void *object_of_query, const struct rt_info_out *out)                            \
    {                                                                                                        \
        const type *object = object_of_query;                                                                \
        (void)object;                                                                                        \
        return rt_info_##kind(out, value);                                                                   \
    }

/* The same of a list: the elements of the member LIST, whose number is in the member COUNT. */
#define RT_ANSWER_LIST(get, type, list, count)                                                               \
    static cl_int get(const void *object, const struct rt_info_out *out)                                     \
    {                                                                                                        \
        const type *of = object;                                                                             \
        return rt_info_put(out, of->list, of->count * sizeof *of->list);                                     \
    }

/* One query of a table: a field of the object, or a function that answers. */
struct rt_info_row {
    cl_uint param;
    size_t offset, size; /* where GET is null */
    cl_int (*get)(const void *object, const struct rt_info_out *out);
};
#define RT_INFO_FIELD(param, type, member)                                                                   \
    {                                                                                                        \
        (param), offsetof(type, member), sizeof(((type *)0)->member), NULL                                   \
    }
#define RT_INFO_GET(param, get)                                                                              \
    {                                                                                                        \
        (param), 0, 0, (get)                                                                                 \
    }
/* CL_INVALID_VALUE for a PARAM that no row has or a size that is too small. */
cl_int rt_info_query(const struct rt_info_row *rows, size_t count, const void *object, cl_uint param,
                     size_t size, void *value, size_t *size_ret);
#define RT_INFO_QUERY(rows, object, param, size, value, size_ret)                                            \
    rt_info_query((rows), sizeof rows / sizeof(*(rows)), (object), (param), (size), (value), (size_ret))
/* Defines clGetNAME, whose answers are ROWS; OBJECT is null, which is ERROR, unless HANDLE is valid. */
#define RT_INFO_CALL(name, handle_type, param_type, object, error, rows)                                     \
    cl_int CL_API_CALL rt_clGet##name(handle_type handle, param_type param, size_t size, void *value,        \
                                      size_t *size_ret)                                                      \
    {                                                                                                        \
        const void *queried = object;                                                                        \
        return queried ? RT_INFO_QUERY(rows, queried, param, size, value, size_ret) : error;                 \
    }
/* CL_*_REFERENCE_COUNT of any object. */
cl_int rt_info_references(const void *object, const struct rt_info_out *out);

/* ---- platform, devices, contexts ---------------------------------------------------------------- */

enum {
    RT_MAX_DEVICES = 16,
    RT_MAX_WORK_GROUP = 1024,
    RT_MAX_ALIGN = 128,
    RT_LOCAL_BYTES = 64 * 1024,
    RT_COMPUTE_UNITS = 4,
    RT_MAX_COMPUTE_UNITS = 64
};

struct rt_platform {
    struct rt_object base;
};
struct rt_platform *rt_the_platform(void);

/* Limits of a device, which settings may change (limits.c). */
struct rt_limits {
    uint64_t global_memory, allocation, local_memory; /* bytes */
    uint32_t alignment;                               /* of sub-buffers: bytes */
    size_t image2d;                                   /* largest width and height */
    bool required_formats;                            /* of image formats none but the required ones */
    bool native_kernels;
    bool images;
    uint64_t lost_after; /* commands; UINT64_MAX: never */
    cl_device_svm_capabilities svm;
    cl_uint compute_units;
};
struct rt_device {
    struct rt_object base;
    struct rt_limits limits;
    int index; /* within the platform, from 0 */
    cl_device_type type;
    char name[128], vendor[128];
    struct rt_device *parent;                /* sub-devices: held */
    cl_device_partition_property *partition; /* sub-devices: as given, with the terminating zero */
    size_t partition_count;
    atomic_uint_fast64_t commands; /* started, where it may be lost */
};
/* The version of the platform and its devices. */
cl_version rt_version(void);
/* Extensions and __opencl_c_* features of devices with IMAGES or without, separated by spaces: the compiler
 * predefines them. */
const char *rt_extension_names(bool images);
bool rt_extension_offered(const char *name);
const char *rt_feature_names(bool images);

struct rt_callback; /* a registered function and its user data (callback.c) */

struct rt_context {
    struct rt_object base;
    cl_uint device_count;
    struct rt_device *devices[RT_MAX_DEVICES];
    cl_context_properties *properties; /* as given, with the terminating zero; NULL: none given */
    size_t property_count;             /* elements, the zero included */
    bool zero_local, zero_private;     /* memory that begins as zeros [cl_khr_initialize_memory] */
    bool can_terminate;
    _Atomic uint32_t terminated; /* not 0: its commands end, and new ones fail [cl_khr_terminate_context] */
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
    void *notify_data;
    struct rt_callback *destructors;                 /* last registered first */
    struct rt_svm *svm;                              /* allocations, under the lock of svm.c */
    struct rt_queue *default_queues[RT_MAX_DEVICES]; /* on device, not held; under the lock of queue.c */
    atomic_uint queue_count;                         /* queues of the host's, ever */
    atomic_int instrumented;                         /* enum rt_instrumented_state (instrument.c) */
    atomic_uint unrecorded; /* completed launches without a record for re-execution, in no event yet */
    atomic_bool questioned; /* a race with an instrumented launch is possible: the check needs its accesses */
};
/* CL_INVALID_CONTEXT for NULL, CL_CONTEXT_TERMINATED_KHR, or CL_SUCCESS. */
cl_int rt_context_error(const struct rt_context *context);
/* An argument is of another context: a separate error since 3.1, BEFORE in earlier versions. */
cl_int rt_foreign(cl_int before);
bool rt_context_has_device(const struct rt_context *context, const struct rt_device *device);
/* Index of DEVICE in the context's list, -1 if it is not in it. */
int rt_context_device_index(const struct rt_context *context, const struct rt_device *device);

/* The contents of a copy or of SVM that the trace has (replay.c): none, or all but the bytes from BEGIN to
 * END. */
struct rt_recorded_contents {
    bool any;
    unsigned generation;
    size_t begin, end;
};
/* ---- memory objects ------------------------------------------------------------------------------ */

/* The storage of a buffer on one device. */
struct rt_copy {
    unsigned char *data;     /* NULL: not allocated yet; sub-buffers: always */
    struct in_object object; /* for kernels; its id is that of the storage's allocation record */
    struct rt_recorded_contents recorded;
};
/* A part of a buffer's storage, with the set of copies that have its latest contents. */
struct rt_segment {
    size_t begin, end;
    uint32_t valid; /* bit per device of the context; RT_HOST_VIEW */
};
enum { RT_HOST_VIEW = 31 };

/* Flags of memory objects that no kernel writes. */
enum { RT_MEM_CONSTANT = CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT };

struct rt_mem {
    struct rt_object base;
    struct rt_context *context;
    cl_mem_object_type mem_type;
    cl_mem_flags flags;       /* with defaults and inheritance applied */
    cl_mem_flags given_flags; /* as the creating call had them; sub-buffers: and those inherited */
    size_t size;
    void *host_ptr;        /* as given, with CL_MEM_USE_HOST_PTR; sub-buffers: into the parent's */
    struct rt_mem *parent; /* sub-buffers: the buffer they are part of */
    size_t offset;         /* in PARENT */
    cl_mem_properties *properties;
    size_t property_count;           /* elements, the zero included */
    cl_uint map_count;               /* under the scheduler's lock */
    bool shared;                     /* all devices use the memory at host_ptr: SVM, or EXTERNAL's */
    struct rt_external *external;    /* NULL: none */
    uint32_t external_devices;       /* that may acquire it: a bit for each of the context */
    struct rt_callback *destructors; /* last registered first */
    /* Storage: of buffers that are not sub-buffers. */
    struct rt_copy copies[RT_MAX_DEVICES];
    unsigned char *host_view; /* mapped memory; NULL: not allocated, or maps return the only device's copy */
    uint32_t host_view_id;    /* of its allocation record */
    struct rt_segment *segments;
    size_t segment_count, segment_capacity;
    /* of this object and its parts, under the scheduler's lock (enqueue/map.c) */
    struct rt_mapping *mappings;
    char name[32];
    struct rt_image *image; /* NULL: no image */
    struct in_pipe *pipe;   /* NULL: no pipe */
    bool has_address;       /* on each device, from creation on [cl_ext_buffer_device_address] */
    struct rt_mem *next_addressed;
};
/* The image properties of a memory object, whose bytes are the texels. */
struct rt_image {
    cl_image_format format;
    cl_image_desc description;
    struct in_image shape; /* data: unset */
    size_t element_size;
    size_t slice_pitch; /* as queries return it: 0 where the type has no slices */
};
/* A level of a mipmapped image, or all of another one [cl_khr_mipmap_image]. */
struct rt_level {
    size_t begin;                    /* bytes before its first texel */
    size_t row_pitch, slice_pitch;   /* as maps return them: 0 where the type has no slices */
    size_t layout_row, layout_slice; /* bytes between steps of origin[1] and of origin[2] */
    size_t extent[3];                /* of regions: layers of an array are its last dimension */
};
/* Makes the copy of MEM on DEVICE the latest contents, the only one if WRITES, and stores its address and the
 * object through which kernels access it.  False: out of memory.  Called within a step. */
bool rt_mem_on_device(struct rt_mem *mem, const struct rt_device *device, bool writes, uint64_t *address,
                      const struct in_object **object);

/* The buffer whose copy on DEVICE has ADDRESS and that has addresses, with a reference; NULL: there is
 * none. */
struct rt_mem *rt_address_find(const struct rt_context *context, const struct rt_device *device,
                               uint64_t address);

struct rt_sampler {
    struct rt_object base;
    struct rt_context *context;
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_filter_mode mip_filter; /* [cl_khr_mipmap_image] */
    cl_float lod_min, lod_max;
    struct in_sampler shape; /* the same for kernels */
    cl_sampler_properties *properties;
    size_t property_count;
};

/* SVM allocations (svm.c), and the index of all memory that kernels' pointers can address (index.c). */
struct rt_svm_map { /* a map command without its unmap */
    struct rt_svm_map *next;
    const void *pointer;
    size_t size;
    cl_map_flags flags;
};
struct rt_svm {
    struct rt_context *context;     /* not held: the context frees its SVM */
    struct rt_svm *next, *previous; /* of the context */
    unsigned char *data;
    size_t size;
    cl_svm_mem_flags flags;
    struct in_object object;
    struct rt_recorded_contents recorded;
    bool fixed;              /* at an address that a trace records */
    struct rt_svm_map *maps; /* recording: in the order of the calls */
    uint32_t number;         /* from 1 */
    char name[32];
};
void rt_svm_free_all(struct rt_context *context);
/* The SVM allocation of CONTEXT (NULL: any) that contains POINTER, NULL if there is none. */
struct rt_svm *rt_svm_find(const struct rt_context *context, const void *pointer);
void rt_svm_release(struct rt_svm *svm);
/* Adds a map of SVM; removes and returns the first one at POINTER (size 0: there is none). */
void rt_svm_map_note(const struct rt_svm_map *map);
struct rt_svm_map rt_svm_map_take(const void *pointer);
bool rt_svm_is_mapped(const struct rt_context *context); /* any SVM of it is */
/* Calls FUNCTION for each allocation of CONTEXT until it returns false; returns whether it never did. */
bool rt_svm_all(const struct rt_context *context, bool (*function)(struct rt_svm *svm));
bool rt_index_insert(const struct in_object *object);
void rt_index_remove(const struct in_object *object);
const struct in_object *rt_index_find(uint64_t address);

/* ---- queues, events, commands ---------------------------------------------------------------------- */

struct rt_queue {
    struct rt_object base;
    struct rt_context *context;
    struct rt_device *device;
    cl_command_queue_properties flags;
    cl_queue_properties *properties; /* as given to clCreateCommandQueueWithProperties */
    size_t property_count;
    bool in_order;
    bool is_first; /* of the host's in its context, ever */
    cl_uint size;  /* device queues: bytes */
    /* Under the scheduler's lock: */
    struct rt_command *first, *last;     /* commands that are not complete, in the order of enqueuing */
    struct rt_event *last_event;         /* of the latest command while it is not complete */
    struct rt_event *barrier_event;      /* of the latest barrier while it is not complete */
    struct rt_point *last_completion;    /* recording, held: the completion of the latest command */
    struct rt_point *barrier_completion; /* recording, held: that of the latest barrier */
    struct rt_event *run_event;          /* as last_event: of a run of several queues after that command */
    struct rt_point *run_completion;     /* as last_completion */
    bool had_runs;                       /* there were runs of several queues */
    struct rt_point *
        *completed; /* recording, held: completions since the latest barrier, that one included */
    size_t completed_count;
    size_t used; /* device queues: bytes of commands that are not complete */
};
/* The default device queue of DEVICE in CONTEXT, NULL if there is none; and how it is set. */
struct rt_queue *rt_queue_default(const struct rt_context *context, const struct rt_device *device);

enum { RT_QUEUED, RT_SUBMIT, RT_START, RT_END, RT_COMPLETED, RT_TIMES };
struct rt_event {
    struct rt_object base;
    struct rt_context *context;
    struct rt_queue *queue; /* NULL: user event */
    cl_command_type command_type;
    bool several_queues; /* its command runs in QUEUE and others */
    bool profiled;       /* a queue of the command has profiling enabled */
    /* Under the scheduler's lock: */
    cl_int status; /* CL_QUEUED ... CL_COMPLETE, negative: failed */
    cl_ulong times[RT_TIMES];
    struct rt_command *command;                  /* NULL once complete, and for user events */
    struct rt_command *first_waiting, **waiting; /* commands that depend on this event */
    size_t waiting_count;                        /* of WAITING, which excludes the first */
    bool awaited;                                /* a thread in rt_sched_wait() waits for its completion */
    struct rt_event_callback *callbacks;
    struct rt_point *completion; /* recording, held: its event-complete event */
    struct rt_capture *captures; /* where kernels requested its times */
};
struct rt_capture {
    struct rt_capture *next;
    void *value;
    struct rt_kernel *kernel; /* that requested them: held, and thereby its instance */
    const struct in_instance *instance;
    bool is_host_memory; /* all memory of the process is the device's */
};

/* ---- programs and kernels: implemented in program*.c and kernel*.c ----------------------------------- */

/* The built state is program.c's own. */
struct rt_program_state;
struct rt_program {
    struct rt_object base;
    struct rt_context *context;
    struct rt_program_state *state;
};

struct rt_kernel_state;
struct rt_kernel {
    struct rt_object base;
    struct rt_context *context;
    struct rt_program *program;
    struct rt_kernel_state *state;
};

/* An argument as it was when the kernel was enqueued. */
struct rt_launch_argument {
    const struct in_argument_info *info;
    void *value;         /* IN_ARG_VALUE: the bytes, in the allocation of the launch */
    struct rt_mem *mem;  /* GLOBAL, CONSTANT: a buffer, held; NULL: see SVM */
    const void *svm;     /* GLOBAL, CONSTANT: an SVM pointer; NULL with no MEM: a null pointer */
    bool device_pointer; /* SVM is an address on the device, of memory that the kernel may not use */
    const struct in_object *svm_object; /* what it points into, as it was when enqueued */
    struct rt_sampler *sampler;         /* held */
    uint64_t local_size;                /* IN_ARG_LOCAL: bytes */
    struct rt_queue *queue;             /* held */
};
/* A snapshot of a kernel and its arguments for a launch, independent of the sizes. */
struct rt_launch {
    struct rt_kernel *kernel; /* held */
    struct rt_device *device;
    struct in_instance *instance;   /* of the kernel's program on the device; lives as long as KERNEL */
    const struct in_module *module; /* likewise */
    bool debug;                     /* built with -g */
    size_t kernel_index;            /* in the module */
    const struct in_kernel_info *info;
    bool uniform_groups;    /* built so that work-groups must divide the global size evenly */
    bool fine_grain_system; /* CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM is set */
    bool incomplete;        /* a mutable command some of whose arguments are not set yet */
    size_t argument_count;
    struct rt_mem **addressed; /* held: buffers whose addresses the kernel was given */
    size_t addressed_count;
    struct rt_launch_argument arguments[];
};
/* Takes a snapshot of KERNEL's arguments for DEVICE.  CL_INVALID_KERNEL_ARGS if one is not set and PARTIAL
 * does not allow that, CL_INVALID_PROGRAM_EXECUTABLE if the program is not built for DEVICE,
 * CL_OUT_OF_HOST_MEMORY. */
cl_int rt_kernel_prepare_launch(struct rt_kernel *kernel, struct rt_device *device, bool partial,
                                struct rt_launch **launch);
/* Frees LAUNCH and releases what it holds, with rt_object_release_deferred(). */
void rt_launch_destroy(struct rt_launch *launch);
/* Bytes of local memory that LAUNCH needs for one work-group. */
uint64_t rt_launch_local_bytes(const struct rt_launch *launch);
/* Work-items of a sub-group (kernel_info.c). */
uint32_t rt_kernel_sub_group_size(const struct in_kernel_info *info);
/* Chooses the work-group size of a launch without one; it divides GLOBAL evenly. */
void rt_kernel_suggest_local_size(const struct in_kernel_info *info, cl_uint dimensions, const size_t *global,
                                  uint32_t local[3]);

/* ---- what the runtime offers to programs --------------------------------------------------------- */

/* The environment that instances of modules are created with (environment.c). */
struct in_environment rt_environment(void);
/* NULL: recording is off (record.c). */
struct mm_recorder *rt_recorder(void);
/* The same for what kernels do; NULL where only commands are recorded. */
struct mm_recorder *rt_launch_recorder(void);
/* True if the recording serves findings alone: launches without any need not be recorded
 * (REFCL_TRACE_FINDINGS). */
bool rt_findings_suffice(void);
/* Gives the recording the text of a program, once per build.  FILE is the name that source lines carry. */
void rt_record_text(const char *file, const char *text);
/* The counter of ended work-groups of the launch COMMAND, which begins; NULL: progress is not shared. */
uint64_t *rt_record_progress(uint32_t command);
/* Starts the callback thread, if it does not run.  False: it cannot be created. */
bool rt_callback_start(void);
/* Runs FUNCTION(data) on the callback thread, later: build notifications and the like.  False: no memory or
 * no thread. */
bool rt_callback_post(void (*function)(void *data), void *data);
/* Calls the context's error notification function, if it has one. */
void rt_context_notify(struct rt_context *context, const char *text);

#endif
