/* Internal to interp: lowered kernels and their execution.  A work-item has one block of memory: constants
 * and built-in variables below the block pointer, above it the frames of the kernel and all its callees at
 * fixed offsets (OpenCL has no recursion), so every operand of an instruction is one signed byte offset from
 * the block pointer. */
#ifndef INTERP_EXEC_EXEC_H
#define INTERP_EXEC_EXEC_H

#include "interp/exec/ops.h"
#include "interp/ext/ext.h"
#include "interp/image/image.h"
#include "interp/module/module.h"
#include <string.h>

struct in_run;
struct in_item;

struct in_insn {
    union {
        const void *handler;
        uint64_t op; /* enum in_op, before threading */
    };
    int32_t d, a, b, c; /* operands: byte offsets in the block, or small numbers */
    union {
        uint64_t imm;
        const void *p;
        void (*convert)(const void *in, void *out); /* CVT */
        in_ext_kernel scalar;                       /* EXT_DIRECT */
    };
};

enum {
    IN_HAS_SUBSCRIPTS = 1 << 24, /* in field c of instructions that compute addresses: see subscript.c */
    IN_FRAME_FIRST = 16,         /* slot 0: none */
    IN_FRAME_MAX_ALIGN = 128
};

/* The values of the built-in variables for one work-item. [CL env 2.9] */
struct in_built_ins {
    uint64_t global_id[4], local_id[4], group_id[4], global_size[4], global_offset[4], local_size[4];
    uint64_t enqueued_local_size[4], num_groups[4];
    uint32_t eq_mask[4], ge_mask[4], gt_mask[4], le_mask[4], lt_mask[4];
    uint64_t local_index, global_linear_id, work_dim;
    uint64_t sub_group_size, sub_group_max_size, num_sub_groups, num_enqueued_sub_groups;
    uint64_t sub_group_id, sub_group_local_id, device_index;
};

/* A built-in variable that a kernel uses.  Its slots are among the constants. */
struct in_built_in {
    uint32_t variable; /* in module->globals */
    int32_t slot;
    int32_t pointer, object; /* slots of its address and object, 0: not used */
    uint8_t from, words;     /* its place in struct in_built_ins, in 64 bits */
    bool narrow;             /* a vector of 32-bit numbers */
};

struct in_switch {
    uint32_t count;
    int32_t fallback; /* target, relative to the instruction */
    struct in_case {
        uint64_t value;
        int32_t target;
    } cases[];
};

struct in_private { /* an address-taken private variable */
    int32_t header; /* offset of its struct in_object */
    int32_t offset;
    uint64_t size;
    const char *name;
};

/* The operation for which a work-item waits at a WAIT instruction. */
enum in_wait_kind { IN_WAIT_BARRIER, IN_WAIT_NAMED_BARRIER, IN_WAIT_GROUP_OP, IN_WAIT_NON_UNIFORM };
struct in_wait {
    enum in_wait_kind kind;
    uint32_t opcode;
    int32_t scope;                   /* slot of the execution scope, 0: as the next field says */
    bool work_group;                 /* not the sub-group */
    int32_t memory_scope, semantics; /* slots, barriers only */
    uint32_t operation;              /* SpvGroupOperation */
    int32_t result;                  /* slot */
    int32_t operand[6];              /* slots, 0: none */
    uint32_t operand_count;
    const struct in_ty *ty;      /* of the result */
    const struct in_ty *from;    /* of the operand */
    const struct in_ty *last;    /* of the last operand */
    const struct in_ty *size_ty; /* of the third */
    uint32_t site;
};

/* The contents of a named barrier's handle. */
struct in_named_barrier {
    uint32_t number, sub_groups;
};

struct in_atomic {
    uint32_t opcode;
    int32_t result;                                           /* slot, 0: none */
    int32_t pointer, scope, order, order2, value, comparator; /* slots */
    uint32_t size;
    bool legacy;  /* may be a legacy atomic: relaxed, work-group, named address space */
    bool generic; /* the pointer has no named address space */
};

/* A call into C: rare instructions and the extended instruction set. */
struct in_call {
    bool (*fn)(struct in_run *run, struct in_item *item, const struct in_insn *pc,
               const struct in_call *call);
    uint32_t opcode;
    int32_t result;
    uint32_t operand_count;
    int32_t *operand;
    const struct in_ty *ty;
    const struct in_ty **types;
    const void *info;
    const void *more;
    uint32_t literal;
};

struct in_const_reloc {
    int32_t slot;
    uint32_t variable;
    int64_t addend;
    bool fat;
};

struct in_code {
    struct mm_arena *arena;

    /* the instructions */
    struct in_insn *insns;
    uint32_t count;
    struct in_insn *threaded[4]; /* per engine */
    uint32_t entry;              /* instruction */
    bool waits;                  /* has WAIT instructions */
    bool loops;                  /* jumps back */
    struct in_code_sources {
        uint32_t *of_insn; /* per instruction: index in LIST */
        struct in_source *list;
        /* per source: where its function keeps the return address, 0: the kernel itself */
        int32_t *return_slots;
        uint32_t count;
    } sources;
    struct in_code_subscripts {
        struct in_subscript *list; /* subscript.c, in the order of instructions */
        uint32_t count;
        uint32_t *first_of; /* per instruction: its first one + 1, 0: none; NULL: none at all */
    } subscripts;

    /* the block of a work-item */
    struct in_code_frame {
        uint32_t size; /* from the block pointer up */
        uint32_t align;
        int32_t *arguments;  /* slots of the kernel's parameters, 0: by value */
        int32_t return_slot; /* of the kernel function */
    } frame;
    struct in_code_constants {
        uint8_t *bytes; /* SIZE of them, end at the block pointer */
        uint32_t size;
        struct in_const_reloc *relocs;
        uint32_t reloc_count;
        struct in_undefined {
            int32_t slot;
            uint32_t size;
        } * undefined; /* constants without a value (OpUndef) */
        uint32_t undefined_count;
    } constants;
    struct in_built_in *built_ins;
    uint32_t built_in_count;
    bool sub_groups, masks; /* work-items' positions in sub-groups, and sub-group masks, are among them */

    /* variables */
    struct in_private *privates;
    uint32_t private_count;
    struct in_code_locals {
        uint32_t *list; /* indices in module->globals of Workgroup variables */
        uint32_t count;
        uint64_t bytes;
    } locals;

    /* what launches change */
    void *native;          /* the JIT's data for this kernel */
    _Atomic uint64_t heat; /* instructions of it that the interpreter has executed */
    struct in_past {
        _Atomic bool known;           /* the cache has been read */
        _Atomic uint64_t heat, noted; /* of earlier processes; what the cache holds now */
    } past;
    struct in_code_noted {
        _Atomic bool deoptimized; /* a shadow check failed: the interpreter executes later launches */
        /* Pointers led beyond the arguments of a launch: compiled code is to look them up. */
        _Atomic bool lookups;
        _Atomic int replay_class; /* enum in_replay_class, 0: not known yet */
        _Atomic bool stray; /* a launch read outside all objects, which only the interpreter tolerates */
    } noted;
};

enum in_item_state { IN_ITEM_NEW, IN_ITEM_READY, IN_ITEM_WAITING, IN_ITEM_DONE };
struct in_item {
    const struct in_insn *pc;
    uint8_t *frame;  /* its block */
    uint8_t *shadow; /* of the frame, NULL unless checking */
    struct in_group *group;
    uint32_t local_linear;
    uint32_t agent;
    uint32_t instances[2]; /* barriers executed: work-group, sub-group */
    uint8_t state;
    struct in_weak_item *weak; /* its weak-memory state, NULL: none yet */
    struct in_terms *terms;    /* symbolic values of its block, NULL: not recorded */
};

/* An asynchronous copy for which no work-item has waited (copy.c). */
struct in_copy {
    const struct in_insn *pc;
    const struct in_wait *wait;
    struct in_fat to, from;
    uint64_t count, stride; /* elements; of the global side */
    uint64_t event;
    uint32_t number; /* in the work-group, from 1 */
    uint32_t fences; /* of the work-group before it */
    bool late;       /* it is performed at its wait */
    bool met;        /* by the current wait */
};
struct in_copies {
    struct in_copy *list;
    uint32_t count;
    uint32_t made, fences; /* copies, and fences of them, that the work-group called so far */
};

/* Blocks of work-items, allocated together. */
struct in_slab {
    struct in_slab *next;
};

/* A slot for a resident work-group: its local memory, its work-items and a pool of blocks, reused by
 * successive work-groups. */
struct in_group {
    struct in_run *run;
    uint64_t id[3], linear;
    uint32_t size[3], items_count;
    uint32_t done, waiting;
    uint32_t cursor; /* the work-item to run next */
    uint32_t yields; /* slices used up since a work-item ended or was released */
    bool active;
    uint8_t *local;
    struct in_object *objects; /* local variables, then local arguments */
    struct in_item *items;
    uint8_t *free_frames; /* the next one's address lies in slot 0 */
    struct in_slab *slabs;
    uint8_t *local_shadow; /* NULL unless checking */
    uint64_t local_size;   /* bytes at local */
    struct in_copies copies;
    struct in_built_ins built_ins;
};

/* The object of an image, sampler or pipe argument: opaque registers hold its address. */
struct in_handle {
    struct in_image image;
    struct in_sampler sampler;
    bool has_image, has_sampler;
    const struct in_object *object;
    struct in_pipe *pipe;
};

struct in_instance {
    struct in_module *module;
    const struct in_environment *environment;
    struct in_environment environment_copy;
    uint8_t *memory, *base;
    struct in_object *objects; /* per global of the module */
    struct mm_recorder *recorder;
    struct in_handle *storages; /* program-scope pipes */
    uint32_t storage_count;
    uint32_t recorded;            /* number of its MM_RECORD_PROGRAM, 0: none yet */
    unsigned recorded_generation; /* in_replay_begin: that of its variables' contents in the trace */
    bool made;                    /* by its initializers */
};
/* Executes the kernels of the module that are for USE. */
enum mm_class in_run_own_kernels(struct in_instance *instance, enum in_kernel_use use, struct mm_error *err);

enum in_engine { IN_FAST, IN_RECORDING, IN_CHECKING, IN_WEAK };
#define IN_EVENT_BATCH 256
/* How far the launch is: which work-groups are resident, and which work-item is next. */
struct in_progress {
    uint64_t groups_total, next_group, groups_done;
    struct in_group **slots; /* the resident work-groups */
    uint32_t slot_count, slot_cursor;
    struct in_item *current; /* in the middle of a slice that the caller's quantum interrupted */
    int64_t slice_left;
    uint32_t idle_rounds; /* passes over the resident groups without progress */
    uint64_t random;
};
/* When the JIT takes over from the interpreter. */
struct in_promotion {
    uint64_t at;         /* after this number of instructions the JIT is asked, at the end of a work-group */
    uint64_t split_at;   /* ... or, in the middle of one, for its work-items that have not begun */
    uint64_t first_item; /* of the work-group that the JIT begins with: those before are not its */
    bool one;            /* the JIT begins one work-group, in code for any local size */
    bool part;           /* the interpreter is to complete work-items that have begun before */
    bool prepared;       /* it has compiled the kernel, or is compiling it */
};
/* Ids that the recorder has given to parts of this launch. */
struct in_recording {
    uint32_t *source_ids;
    struct in_calls *calls; /* sources of functions, by how they were called */
    uint32_t *local_ids;    /* allocation ids of local objects */
    struct mm_event *events;
    uint32_t event_count;
    uint32_t terms; /* recorded so far (terms.c) */
};
struct in_run {
    /* the launch, its code, and the engine's settings */
    struct in_launch launch;
    struct in_module *module;
    struct in_instance *instance;
    struct in_code *code;
    const struct in_kernel_info *info;
    const struct in_insn *insns; /* threaded code of the engine in use */
    enum in_engine engine;
    bool full; /* the engine that records and switches */
    struct in_argument *arguments;
    struct in_handle *handles; /* one per argument, in the allocation of ARGUMENTS; NULL: none is needed */
    uint64_t group_count[3], items_per_group;
    struct in_jit_run *native; /* the JIT executes this launch */
    struct in_weak *weak;      /* NULL: not in weak mode */

    /* the state of the execution */
    struct in_progress progress;
    struct in_promotion promotion;
    struct in_recording recording;
    int64_t budget;        /* instructions the engine may still execute before it yields */
    int64_t switch_budget; /* shared memory operations before it yields */
    uint64_t executed;
    uint64_t memory_used, clock_reads;
    uint32_t named_barriers;           /* number of releases from named barriers */
    bool copying;                      /* an asynchronous copy is being made */
    struct in_item **members;          /* scratch for releases */
    const struct in_object *recent[4]; /* last objects found */
    uint32_t recent_next;

    struct in_outcome {
        bool over;
        bool stopped; /* a finding ended the launch */
        bool limit;   /* memory ran out */
        bool stray;   /* a read outside every object returned zeros */
        uint32_t findings;
        struct in_raised *raised; /* number of findings by kind and location (finding.c) */
        uint32_t raised_count;
    } outcome;
};

/* The 32-bit number in SLOT of ITEM. */
static inline uint32_t in_get32(const struct in_item *item, int32_t slot)
{
    uint32_t v;
    memcpy(&v, item->frame + slot, sizeof v);
    return v;
}

/* Size of ITEM's sub-group: the last sub-group of a work-group may be smaller. */
static inline uint32_t in_sub_group_size(const struct in_item *item)
{
    uint32_t size = item->group->run->launch.sub_group_size;
    uint32_t left = item->group->items_count - item->local_linear / size * size;
    return left < size ? left : size;
}

/* Whether A is a store. */
static inline bool in_atomic_stores(const struct in_atomic *a)
{
    return a->opcode == SpvOpAtomicStore || a->opcode == SpvOpAtomicFlagClear;
}

enum in_stop { IN_STOP_DONE, IN_STOP_YIELD, IN_STOP_WAIT, IN_STOP_END };
/* Runs ITEM until it stops; run->budget counts down.  With ITEM NULL stores the label table. */
enum in_stop in_engine_fast(struct in_run *run, struct in_item *item, const void *const **labels);
enum in_stop in_engine_full(struct in_run *run, struct in_item *item, const void *const **labels);
enum in_stop in_engine_check(struct in_run *run, struct in_item *item, const void *const **labels);
enum in_stop in_engine_weak(struct in_run *run, struct in_item *item, const void *const **labels);
/* The code of CODE for an engine; NULL when out of memory. */
const struct in_insn *in_thread(struct in_code *code, enum in_engine engine);

/* ext_inst.c: a call of a scalar function of OpenCL.std becomes an EXT_DIRECT. */
void in_ext_direct_call(struct in_insn *insn);

/* No object: every access through it takes the slow path. */
extern const struct in_object in_unknown;

/* An access through a pointer: SIZE bytes at ADDRESS. */
struct in_reference {
    uint64_t address, size;
    uint32_t align_mask; /* alignment - 1 */
    bool write;
};
/* memory.c: the live object that contains ADDRESS, as ITEM may access it; NULL if there is none. */
const struct in_object *in_find(struct in_run *run, struct in_item *item, uint64_t address);
uint8_t *in_touch_slow(struct in_run *run, struct in_item *item, const struct in_insn *pc, struct in_fat *p,
                       struct in_reference r);
/* Whether O permits the access of SIZE bytes at ADDRESS. */
static inline bool in_permits(const struct in_object *o, uint64_t address, uint64_t size, uint32_t align_mask,
                              bool write)
{
    if (__builtin_expect(size - 1 >= o->size || address - o->address > o->size - size ||
                             (address & align_mask) != 0 || (write ? o->read_only : o->write_only),
                         0))
        return false;
    return true;
}
/* Checks the access R through P; an undefined one is reported.  Returns the memory to access, which is not
 * that at the address for reads that are defined to give zeros; NULL: there is none, and run->outcome.stopped
 * says whether the launch ends.  Sets P's object if it was unknown. */
static inline uint8_t *in_touch(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                                struct in_fat *p, struct in_reference r)
{
    if (in_permits(p->object, r.address, r.size, r.align_mask, r.write))
        return (uint8_t *)(uintptr_t)r.address;
    return in_touch_slow(run, item, pc, p, r);
}

/* SIZE bytes of OBJECT, which is NULL if unknown. */
struct in_range {
    const struct in_object *object;
    uint64_t address, size;
};
/* finding.c: reports a finding of ITEM at PC (each may be NULL), a hundred times per launch at most for one
 * kind and instruction.  Afterwards run->outcome.stopped says whether the launch ends. */
void in_raise(struct in_run *run, struct in_item *item, const struct in_insn *pc, const char *kind,
              const char *clause, const char *format, ...) MM_PRINTF(6, 7);
/* The same for a finding about the bytes RANGE. */
void in_raise_at(struct in_run *run, struct in_item *item, const struct in_insn *pc, const char *kind,
                 const char *clause, struct in_range range, const char *format, ...) MM_PRINTF(7, 8);

/* record.c: records the access KIND, MM_READ or MM_WRITE, of RANGE, whose bytes are VALUE.  ATTRIBUTES packs
 * three members of the event: attributes (MM_VOLATILE and others) in bits 0-7, the scope of availability or
 * visibility in bits 8-11, semantics in bits 16-31.  Returns the event, which is valid until the next one. */
struct mm_event *in_record_access(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                                  const struct in_range *range, enum mm_kind kind, const void *value,
                                  uint32_t attributes);
/* The caller sets kind, size, values, order, further attributes and semantics of the event. */
struct mm_event *in_record_atomic(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                                  const struct in_object *object, uint64_t address, enum mm_scope scope);
struct mm_event *in_record_fence(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                                 enum mm_kind kind, uint32_t semantics, uint32_t scope);
/* COPY_START, COPY_WAIT or COPY_FENCE */
struct mm_event *in_record_copy(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                                enum mm_kind kind, uint32_t number);
void in_record_flush(struct in_run *run);
/* The last event becomes COUNT events of successive work-items. */
void in_record_row(struct in_run *run, uint32_t count);
uint32_t in_record_source(struct in_run *run, const struct in_item *item, const struct in_insn *pc);
void in_record_end(struct in_run *run);
enum mm_order in_order_of(uint32_t semantics);
enum mm_scope in_scope_of(uint32_t scope);

/* image_access.c: what an opaque register refers to, NULL if it is no argument of the launch or of one that
 * enqueued it */
const struct in_handle *in_handle_of(const struct in_run *run, uint64_t bits);
/* ext_inst.c: the function behind printf */
bool in_printf_call(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                    const struct in_call *call);
/* pipe.c */
void in_pipe_collective(struct in_run *run, struct in_item **members, uint32_t count,
                        const struct in_wait *wait);
/* copy.c: the same for asynchronous copies; and the end of a work-group, of which ITEM ends last */
void in_copy_collective(struct in_run *run, struct in_item **members, uint32_t count,
                        const struct in_wait *wait);
/* Whether the wait W of ITEM is a fence of copies. */
bool in_is_copy_fence(const struct in_item *item, const struct in_wait *w);
enum { IN_COPY_FENCE = 0x46454e00 }; /* ref-runtime/compiler/helper_extra.c has it, too */
void in_copies_end(struct in_run *run, struct in_item *item);
/* pipe.c */
bool in_pipe_storages_create(struct in_instance *instance);
void in_pipe_storages_destroy(struct in_instance *instance);
/* atomic.c; false: the work-item cannot continue (run->outcome.stopped) */
bool in_atomic(struct in_run *run, struct in_item *item, const struct in_insn *pc, const struct in_atomic *a);
bool in_atomic_now(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                   const struct in_atomic *a); /* without postponing it */
/* collective.c: all of MEMBERS wait at WAIT; computes and writes their results. */
void in_collective(struct in_run *run, struct in_item **members, uint32_t count, const struct in_wait *wait);
/* built_in.c: values that are the same for all the launch, for a group, and for ITEM in its frame */
void in_built_ins_of_run(const struct in_run *run, struct in_built_ins *values);
void in_built_ins_of_group(const struct in_run *run, struct in_group *group);
void in_built_ins_of_item(const struct in_run *run, const struct in_item *item);
void in_built_ins_place(const struct in_run *run, uint8_t *frame); /* their addresses */
void in_item_ids(const struct in_item *item, uint64_t *local, uint64_t *global);
/* sched/group.c: gives ITEM, of number LINEAR in GROUP, a block, and takes it back; false: out of memory */
bool in_item_start(struct in_run *run, struct in_group *group, struct in_item *item, uint32_t linear);
void in_item_finish(struct in_group *group, struct in_item *item);

#endif
