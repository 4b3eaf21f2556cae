/* From a Vulkan litmus test to a SPIR-V module for the Vulkan memory model, as assembly text; and from an
 * OpenCL test to a Vulkan one.  Shared by the files of this folder and by emit/plan.c. */
#ifndef LITMUS_VULKAN_VULKAN_H
#define LITMUS_VULKAN_VULKAN_H

#include "litmus/kernel.h"
#include "litmus/lower/lower.h"
#include "litmus/parse/ast.h"

enum {
#define KNOB(name, cpu, gpu, help) LT_K_##name,
#include "litmus/run/knobs.def"
#undef KNOB
    LT_KNOB_COUNT
};

/* ---- the module under construction (module.c) --------------------------------------------------------- */

/* Interface of the module: push constants {uint knobs[], uint seed, uint family}: FAMILY, of a test with two
 * queue families, is that of the launch, whose work-groups take the roles of that family alone;
 * specialization constants 0: work-items of a work-group, 1: instances that one work-group runs concurrently;
 * storage buffers of descriptor set 0 by binding. */
enum lt_vk_binding {
    LT_VK_OUT,     /* observed registers and local memory: columns of all instances */
    LT_VK_SCRATCH, /* memory under stress */
    LT_VK_SYNC,    /* one counter for each cluster and iteration */
    LT_VK_BINS,    /* counts of expected states */
    LT_VK_COUNTS, /* [0] states that are not in the bins, [1] instances in other sub-groups than the test's */
    LT_VK_OTHERS, /* the states that are not in the bins: pairs of words, the low one first */
    LT_VK_OBJECTS /* the first of the test's locations; object i has LT_VK_OBJECTS + i: its memory, or the address of that */
};
#define LT_VK_IMAGES       (LT_VK_OBJECTS + 64) /* of object i, if it is an image: LT_VK_IMAGES + i */
#define LT_VK_OTHER_STATES 65536                /* that fit into LT_VK_OTHERS */

struct lt_vk_constant {
    uint64_t value;
    uint32_t id;
    uint8_t size;
};
struct lt_vk_module {
    const struct ck_program *program;
    struct lt_kernel *kernel;
    FILE *body; /* functions; what precedes them is printed last */
    uint32_t next_id;
    struct lt_vk_constant *constants;
    uint32_t constant_count;
    bool failed; /* out of memory */
    /* run: ids that statements use */
    uint32_t *registers[LT_MAX_THREADS]; /* function variables */
    uint32_t pc;                         /* function variable of threads with jumps */
    uint32_t cut;                        /* function variable: not 0 if the device ended a loop early */
    uint32_t knobs[LT_KNOB_COUNT], slot, instance;
};

/* Prints an instruction with a result, whose id it returns; or without. */
uint32_t lt_vk_op(struct lt_vk_module *m, const char *format, ...) MM_PRINTF(2, 3);
void lt_vk_do(struct lt_vk_module *m, const char *format, ...) MM_PRINTF(2, 3);
/* Instructions with two operands: the result is a uint, a bool. */
uint32_t lt_vk_binary(struct lt_vk_module *m, const char *op, uint32_t a, uint32_t b);
uint32_t lt_vk_compare(struct lt_vk_module *m, const char *op, uint32_t a, uint32_t b);
uint32_t lt_vk_id(struct lt_vk_module *m);
void lt_vk_label(struct lt_vk_module *m, uint32_t id);
uint32_t lt_vk_constant(struct lt_vk_module *m, uint64_t value, uint8_t size);
uint32_t lt_vk_uint(struct lt_vk_module *m, uint32_t value);
/* "uint" or "ulong". */
const char *lt_vk_type(uint8_t size);
/* if (CONDITION) { ... }: returns the label at which lt_vk_end_if() continues. */
uint32_t lt_vk_if(struct lt_vk_module *m, uint32_t condition);
void lt_vk_end_if(struct lt_vk_module *m, uint32_t merge);
/* for (*VARIABLE = FIRST; *VARIABLE < LIMIT; *VARIABLE += STEP): *INDEX is its value within the loop. */
struct lt_vk_loop {
    uint32_t head, next, merge, variable, step, index;
};
struct lt_vk_loop lt_vk_for(struct lt_vk_module *m, uint32_t variable, uint32_t first, uint32_t limit,
                            uint32_t step);
void lt_vk_end_for(struct lt_vk_module *m, const struct lt_vk_loop *loop);
/* A pointer to element INDEX of the buffer BINDING, and of the memory and of the local array that hold
 * OBJECT. */
uint32_t lt_vk_element(struct lt_vk_module *m, uint32_t binding, uint8_t size, uint32_t index);
uint32_t lt_vk_object_element(struct lt_vk_module *m, uint32_t object, uint32_t index);
/* TEXT: memory operands MASK, of the scope with id SCOPE if not 0, for an access of OBJECT that is not
 * atomic; they start with a blank if there are any. */
const char *lt_vk_operands(const struct lt_vk_module *m, uint32_t object, const char *mask, uint32_t scope,
                           char text[96]);
uint32_t lt_vk_local_element(struct lt_vk_module *m, uint32_t object, uint32_t index);
bool lt_vk_is_local(const struct lt_vk_module *m, uint32_t object);
bool lt_vk_is_image(const struct lt_vk_module *m, uint32_t object);
/* Index of the first element of OBJECT that belongs to instance INSTANCE. */
uint32_t lt_vk_place(struct lt_vk_module *m, uint32_t object, uint32_t instance);
void lt_vk_load_knobs(struct lt_vk_module *m);
uint32_t lt_vk_seed(struct lt_vk_module *m);
uint32_t lt_vk_launch_family(struct lt_vk_module *m);
/* A control barrier of the work-group with its memory. */
void lt_vk_work_group_barrier(struct lt_vk_module *m);
/* The whole module's text, to be freed with free(); BODY: its functions. */
char *lt_vk_finish(struct lt_vk_module *m, const char *body);

/* ---- parts -------------------------------------------------------------------------------------------- */

void lt_vk_cannot(struct lt_vk_module *m, const char *reason);
/* The thread that member MEMBER of work-group GROUP runs; CK_NO_THREAD: none. */
uint32_t lt_vk_member(const struct ck_program *program, uint32_t group, uint32_t member);
/* 0 if work-group GROUP is in the queue family of the first thread, else 1. */
uint32_t lt_vk_family(const struct ck_program *program, uint32_t group);
/* Instruction of THREAD that ends its phase PHASE: a control barrier or the end; *FIRST: where the phase
 * starts. CK_NO_INSTR: the thread has no such phase. */
uint32_t lt_vk_phase(const struct ck_program *program, uint32_t thread, uint32_t phase, uint32_t *first);
bool lt_vk_same_barrier(const struct ck_instr *a, const struct ck_instr *b);
/* Checks that the test can be expressed; sets the kernel's reason if not, and the features that it needs
 * (check.c). */
void lt_vk_check(struct lt_vk_module *m);
/* The object that an access accesses; *ELEMENT: which of its elements. */
uint32_t lt_vk_accessed(const struct ck_program *program, const struct ck_instr *access, uint32_t *element);
/* Instructions FIRST to END - 1 of THREAD, none of them a control barrier (statement.c). */
void lt_vk_statements(struct lt_vk_module *m, uint32_t thread, uint32_t first, uint32_t end);
void lt_vk_control_barrier(struct lt_vk_module *m, const struct ck_instr *barrier);
void lt_vk_run_function(struct lt_vk_module *m);     /* frame.c */
void lt_vk_collect_function(struct lt_vk_module *m); /* collect.c */

/* KERNEL->source becomes the module that runs many instances of PROGRAM; POINTERS: locations in buffers are
 * accessed through their addresses. */
enum mm_class lt_vk_emit(const struct ck_program *program, bool pointers, struct lt_kernel *kernel,
                         struct mm_error *err);
/* Makes locations and registers of PROGRAM, a Vulkan test, twice as wide: 64 bits (widen.c).  Returns NULL,
 * or why the result could differ. */
const char *lt_vk_widen(struct ck_program *program);

#endif
