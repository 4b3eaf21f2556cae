/* interp: loading and execution of SPIR-V modules.  The public interface of the folder.
 *
 * The interpreter accesses everything outside it (memory, printf, images, pipes, device queues) through
 * struct in_environment, which the runtime implements.  Pointers in kernels are real host addresses. */
#ifndef INTERP_INTERP_H
#define INTERP_INTERP_H

#include "memmodel/memmodel.h"

/* ---- modules --------------------------------------------------------------------------------- */

struct in_module;
struct in_spec_constant {
    uint32_t id; /* SpecId */
    uint32_t size;
    uint64_t value; /* little-endian */
};
struct in_module_options {
    const struct in_spec_constant *constants;
    size_t constant_count;
    bool strict;     /* validation findings that drivers commonly accept are errors */
    bool subscripts; /* access chains correspond to subscripts of the source: no optimizer made them */
    /* Relaxed atomics of work-group scope on global memory have that scope; else, in modules that may come
     * from OpenCL C, they are treated as atomic functions of OpenCL 1.x, which translators emit with that
     * scope. */
    bool literal_legacy_atomics;
    bool zero_private; /* private variables without an initializer begin as zeros */
    const char *name;  /* for messages and source places without a file */
    /* Accept other environments: Physical32, and Vulkan compute shaders with logical addressing, whose
     * descriptors and push constants become kernel arguments.  Common omissions of litmus programs (order of
     * declarations, capabilities, ...) are repaired first; the result must be valid except for structured
     * control flow. */
    bool any_environment;
};
/* Validates (libSPIRV-Tools) and decodes a SPIR-V module of SIZE bytes, of either endianness.  On failure ERR
 * has the rule and the location.  WARNINGS (may be NULL) receives the validation findings that were
 * tolerated; freed with mm_free. */
enum mm_class in_module_create(const void *words, size_t size, const struct in_module_options *options,
                               struct in_module **module, char **warnings, struct mm_error *err);
void in_module_retain(struct in_module *module);
void in_module_release(struct in_module *module);

enum in_argument_kind {
    IN_ARG_VALUE,
    IN_ARG_GLOBAL,
    IN_ARG_CONSTANT,
    IN_ARG_LOCAL,
    IN_ARG_IMAGE,
    IN_ARG_SAMPLER,
    IN_ARG_PIPE,
    IN_ARG_QUEUE
};
enum { IN_QUAL_CONST = 1, IN_QUAL_RESTRICT = 2, IN_QUAL_VOLATILE = 4, IN_QUAL_PIPE = 8 };
enum in_access { IN_ACCESS_NONE, IN_READ_ONLY, IN_WRITE_ONLY, IN_READ_WRITE };
/* Total size of a kernel's arguments in bytes. */
enum { IN_MOST_ARGUMENT_BYTES = 4352 };
struct in_argument_info {
    enum in_argument_kind kind;
    uint32_t size, align;  /* bytes of the argument itself (pointers 8, opaque handles 8) */
    uint32_t element_size; /* pointers: bytes of the pointed-to type, 1 if unknown; pipes: packet size */
    /* The numbers that the value or the pointed-to type consists of, if it is a scalar or vector: bytes of
     * each (0: it is none), how many, whether of floating point. */
    uint32_t number_size, number_count;
    bool is_real;
    uint32_t qualifiers;   /* IN_QUAL_* */
    enum in_access access; /* images and pipes */
    const char *name;      /* "" if the module does not say */
    const char *type_name; /* OpenCL C spelling, "" if the module does not say */
    const char *
        layout; /* of what a pointer points to, see mm_layout_find(); "" or NULL if the module does not say */
    /* Descriptors of compute shaders, GLOBAL with a name such as "%17" where the module gives none; without
     * an address the variable has private storage. */
    bool is_descriptor;
    uint64_t most_bytes; /* GLOBAL, CONSTANT, LOCAL: of the object, 0: any [SPIRV 3.20 MaxByteOffset] */
    uint32_t image_kind; /* IMAGE: enum in_image_kind */
    bool depth_image;    /* IMAGE: of depths */
};
/* The launcher of a kernel: the host, other kernels (blocks), or the creation and destruction of the
 * program's variables [SPIRV 3.6 Initializer, Finalizer]. */
enum in_kernel_use { IN_FOR_HOST, IN_FOR_KERNELS, IN_INITIALIZER, IN_FINALIZER };
struct in_kernel_info {
    const char *name;
    uint32_t argument_count;
    const struct in_argument_info *arguments;
    uint32_t required_local_size[3]; /* 0,0,0: none */
    uint32_t local_size_hint[3];
    uint32_t required_sub_group_size; /* 0: none */
    const char *attributes;       /* as OpenCL C has them, a space between; "" if the module does not say */
    uint64_t local_bytes;         /* of variables declared in the kernel and what it calls */
    uint64_t private_bytes;       /* an estimate, per work-item */
    uint32_t required_sub_groups; /* of a work-group, 0: any */
    enum in_kernel_use use;
};
size_t in_module_kernel_count(const struct in_module *module);
const struct in_kernel_info *in_module_kernel(const struct in_module *module, size_t i);
/* Index of the kernel called NAME, SIZE_MAX if there is none. */
size_t in_module_find_kernel(const struct in_module *module, const char *name);
/* Name of a called function or of a variable without definition in the module; NULL if there is none.  Valid
 * as long as the module. [CL 5.8.4, SPIRV 2.8] */
const char *in_module_undefined(const struct in_module *module);
size_t in_module_spec_constant_count(const struct in_module *module);
const struct in_spec_constant *in_module_spec_constant(const struct in_module *module,
                                                       size_t i); /* default values */
uint64_t in_module_program_scope_bytes(const struct in_module *module);

/* ---- memory as a kernel sees it ------------------------------------------------------------------ */

/* An object that pointers may point into.  Accesses outside [address, address + size) through a pointer
 * to it are undefined behavior and are reported. */
struct in_object {
    uint64_t address; /* host address of the first byte */
    uint64_t size;
    uint32_t id;                /* mm_allocation.id when recording, else any number that helps a message */
    uint8_t region;             /* enum mm_region */
    uint8_t origin;             /* enum mm_origin */
    bool read_only, write_only; /* for the kernel */
    const char *name;           /* "buffer 3", variable name; outlives the launch */
    /* of the first byte in allocation ID: not 0 for a sub-buffer, whose id is its buffer's */
    uint64_t offset;
    /* One byte per byte of the object, nonzero if that byte was never written; updated by launches that check
     * for uninitialized values.  NULL: everything was written. */
    uint8_t *unwritten;
};

struct in_source {                        /* a source location in a kernel */
    const char *file, *function, *opcode; /* "" if unknown */
    uint32_t line, column;
};
/* Undefined behavior detected by the interpreter. */
struct in_finding {
    const char *kind; /* "out-of-bounds", "null-pointer", "division-by-zero", "unsupported", ... */
    const char *clause;
    char message[400];
    const struct in_source *source;
    uint64_t global_id[3], local_id[3], group_id[3];
    uint32_t work_item;             /* index within the command, as in mm_agent */
    const struct in_object *object; /* NULL if none */
    uint64_t address;
    uint32_t size;
    bool of_copy; /* by an asynchronous copy: every work-item of the group has called it */
};

struct in_enqueue;
struct in_environment {
    void *context;
    /* The live object that contains ADDRESS, NULL if none: for pointers loaded from memory or converted from
     * integers.  Same thread as in_run_step. */
    const struct in_object *(*find_object)(void *context, uint64_t address);
    /* printf output, whole calls. */
    void (*print)(void *context, const char *text, size_t size);
    void (*finding)(void *context, const struct in_finding *finding);
    /* Device-side enqueue; NULL where it is not supported.  Codes are those of [CLC 6.15.19]: 0 or
     * CLK_ENQUEUE_FAILURE and the like.  *EVENT receives a retained device event if it is wanted. */
    int (*enqueue_kernel)(void *context, const struct in_enqueue *enqueue, void **event);
    int (*enqueue_marker)(void *context, void *queue, void *const *wait_list, uint32_t count, void **event);
    void *(*default_queue)(void *context);
    void *(*create_user_event)(void *context);
    void (*retain_event)(void *context, void *event);
    void (*release_event)(void *context, void *event);
    void (*set_user_event_status)(void *context, void *event, int status);
    bool (*is_valid_event)(void *context, void *event);
    /* info: 1 CLK_PROFILING_COMMAND_EXEC_TIME, written to VALUE when the event completes. */
    void (*capture_profiling)(void *context, void *event, int info, void *value);
    uint32_t max_work_group_size; /* of the device, for kernel queries about blocks; 0 = 1024 */
    /* Called when all work-items of the work-group with this linear number have ended; may be NULL. */
    void (*group_ended)(void *context, uint64_t group);
};

/* Program-scope variables of a module on one device: they live as long as the program object. The module's
 * initializers are executed at creation, its finalizers at destruction. */
struct in_instance;
enum mm_class in_instance_create(struct in_module *module, const struct in_environment *environment,
                                 struct mm_recorder *recorder, struct in_instance **instance,
                                 struct mm_error *err);
void in_instance_destroy(struct in_instance *instance);
/* Like find_object, for the module's own variables; NULL if none. */
const struct in_object *in_instance_find_object(const struct in_instance *instance, uint64_t address);

/* ---- launches --------------------------------------------------------------------------------------- */

struct in_image;
struct in_sampler;
struct in_pipe;
struct in_argument {
    const void *value; /* VALUE: the bytes, as large as in_argument_info.size */
    uint64_t address;  /* GLOBAL, CONSTANT: the pointer, 0 = null; other handles: for the environment */
    const struct in_object *object;   /* GLOBAL, CONSTANT: what it points into, NULL if unknown or null */
    uint64_t local_size;              /* LOCAL: bytes */
    const struct in_image *image;     /* IMAGE: its description; OBJECT holds its texels */
    const struct in_sampler *sampler; /* SAMPLER */
    struct in_pipe *pipe;             /* PIPE */
    void *queue;                      /* QUEUE: for the environment, NULL = no queue */
};

/* A pipe's state, in memory that the runtime owns and that lives as long as the pipe.  The interpreter alone
 * changes it while kernels run (pipe built-ins are atomic as a whole) [CL 3.3.2, CLC 6.15.18]. */
struct in_pipe {
    uint32_t packet_size, max_packets;
    uint64_t read_count, write_count; /* packets ever read and written, committed */
    uint64_t read_reserved, write_reserved;
    const struct in_object *object; /* max_packets * packet_size bytes, a ring */
    void *reservations;             /* the interpreter's, freed with in_pipe_clear */
};
void in_pipe_clear(struct in_pipe *pipe);

/* A request of enqueue_kernel [CLC 6.15.19]; the environment makes it a command of the device queue. */
struct in_enqueue {
    void *queue;    /* in_argument.queue, or the environment's default device queue */
    size_t kernel;  /* block invoke function: entry point index for in_launch.kernel */
    uint32_t flags; /* CLK_ENQUEUE_FLAGS_*: 0 no wait, 1 wait kernel, 2 wait work-group */
    uint32_t dimensions;
    uint64_t global_size[3], global_offset[3];
    uint32_t local_size[3]; /* 0,0,0: chosen by the environment */
    const void *block;      /* the block literal, copied by the environment */
    uint32_t block_size;
    const uint64_t *local_sizes; /* bytes of each local-pointer parameter */
    uint32_t local_count;
    void *const *wait_list; /* device events, created by the environment */
    uint32_t wait_count;
    bool wants_event;
    uint32_t work_item;  /* the enqueuing work-item */
    mm_event_id event;   /* its DEVICE_ENQUEUE event, MM_NO_EVENT when recording is off */
    uint64_t work_group; /* linear number of WORK_ITEM's */
};

enum in_schedule {
    IN_SEQUENTIAL, /* work-items in order, each until it blocks */
    IN_RANDOM,     /* seeded, may switch at every memory operation */
    IN_FAIR        /* all runnable work-items in turn, in small slices */
};
/* Callbacks that determine the values of reads in weak launches (guided execution).  Work-items are numbered
 * as in mm_agent.  If a callback returns false, the launch ends without a finding. */
struct in_oracle {
    void *context;
    bool (*read)(void *context, uint32_t work_item, const struct in_object *object, uint64_t address,
                 uint32_t size, void *bytes);
    bool (*write)(void *context, uint32_t work_item, const struct in_object *object, uint64_t address,
                  uint32_t size, const void *bytes);
    bool (*fence)(void *context, uint32_t work_item, bool barrier, enum mm_order order, enum mm_scope scope);
    bool (*ended)(void *context, uint32_t work_item);
    /* NULL: the launch's schedule applies.  Else all work-groups begin at once, and the runnable work-item
     * with the lowest rank steps to its next access or fence. */
    uint64_t (*rank)(void *context, uint32_t work_item);
    /* Recording; may be NULL.  The reads-from edges of the preceding read, at most MOST, with FROM
     * (MM_NO_EVENT: a write before the launch), FIRST_BYTE and BYTE_COUNT; and the event of the preceding
     * access. */
    size_t (*sources)(void *context, struct mm_edge *edges, size_t most);
    void (*recorded)(void *context, mm_event_id event);
};

/* What is recorded besides accesses and the first 8 bytes of their values. */
enum in_detail {
    IN_NO_DETAIL,
    IN_TERMS, /* symbolic values (struct mm_term); not in weak memory */
    IN_WRITE_PARTS /* whole values: a write of more than 8 bytes is several events, but not of asynchronous copies */
};
struct in_launch {
    struct in_instance *instance;
    size_t kernel; /* index in the module */
    const struct in_argument *arguments;
    uint32_t dimensions;
    uint64_t global_size[3], global_offset[3];
    uint32_t local_size[3]; /* non-zero; need not divide the global size */
    uint32_t sub_group_size;
    enum in_schedule schedule;
    uint64_t seed;
    uint8_t local_pattern; /* initial value of each byte of local memory; 0: not initialized */
    bool zero_local;       /* it begins as zeros, and is initialized */
    uint64_t step_limit;   /* instructions of the launch, 0 = none; beyond it: finding "step-limit" */
    /* stop after this number, 0 = 1, UINT32_MAX: findings end no launch that can continue */
    uint32_t max_findings;
    bool checks; /* object-exact bounds and undefined-behavior checks; off: only accesses that would crash */
    const _Atomic uint32_t *stop; /* not 0: the step under way ends soon, without completing; NULL: never */
    struct mm_recorder *recorder; /* NULL: recording off */
    uint32_t command;             /* for agents in events and findings */
    uint32_t device;
    bool weak; /* reads return any value that the memory model allows, by SEED; needs IN_RANDOM to matter */
    /* weak: the rules of 3.1, by which inclusive scopes need not be equal [CL 3.3.5 O101] */
    bool wider_scopes;
    /* Recording and weak: the command's start, where values come from that were there before. */
    mm_event_id start;
    /* with checks: report uninitialized values that reach a branch, an address or shared memory */
    bool uninitialized;
    const struct in_oracle *oracle; /* NULL: none; needs WEAK */
    /* Instrumented launch: accesses need not be recorded if compiled code proves that none can be part of a
     * finding.  Every command that uses the same memory is ordered before or after this one. */
    bool instrumented;
    bool follows_svm; /* with it: pointers may lead to coarse-grained SVM, all of it */
    bool exact;       /* with it: results are bit-identical to the interpreter's */
    enum in_detail detail;
    /* The launch whose kernel enqueued this one, which lives as long: blocks capture its images, samplers and
     * pipes.  NULL: none. */
    const struct in_run *parent;
    uint64_t *
        groups; /* single-threaded compiled code stores the number of completed work-groups here; may be NULL */
};
/* A launch in progress. */
struct in_run;
enum mm_class in_run_create(const struct in_launch *launch, struct in_run **run, struct mm_error *err);
/* Executes about QUANTUM instructions (0: to the end) and reports in *DONE whether the launch is over.  The
 * result is MM_OK; MM_UNDEFINED when a finding ended it (it is then over); MM_LIMIT when memory or steps ran
 * out. Where an instrumented launch is abandoned, a step ends with memory restored to its contents before the
 * launch. A launch whose work-items all wait for an action of another launch is not over: spinning work-items
 * consume quanta. */
enum mm_class in_run_step(struct in_run *run, uint64_t quantum, bool *done, struct mm_error *err);
uint64_t in_run_instruction_count(const struct in_run *run);
/* Whether compiled code executes or has executed the launch; with a recorder: instrumented, and without
 * recording events. */
bool in_run_is_compiled(const struct in_run *run);
void in_run_destroy(struct in_run *run);
/* Host threads that will run launches call this first: compilation then ends before exit() destroys the
 * compiler's static variables, whichever thread compiles. */
void in_start(void);
/* *STOP, that of launches, has become other than 0. */
void in_stop_launches(const _Atomic uint32_t *stop);
/* Process exit: current and later steps of compiled launches, in any thread, end soon without completing. */
void in_stop_all(void);
/* In a child that clone() made without the handlers of fork(): it interprets. */
void in_forked(void);
/* Own threads, as mm_own_threads() counts them, with those of the JIT. */
uint64_t in_own_threads(void);

#endif
