/* Hidden objects and barriers, and what is lowered to them: functions of groups, asynchronous copies. */
#ifndef TOOLS_EXPLORE_MEMORY_HIDDEN_H
#define TOOLS_EXPLORE_MEMORY_HIDDEN_H

#include "tools/explore/explore.h"

struct ex_hidden { /* a hidden object of the barrier SITE, for a work-group or sub-group */
    uint32_t site, work_group, sub_group, object;
    uint64_t size;
    uint8_t region;
};
struct ex_site { /* the number of a hidden barrier, and the instruction that it implements */
    uint32_t site;
    const struct in_inst *inst;
};

/* ---- hidden.c ---- */

/* A register that is 0 when the thread begins; ex_prepend_counters() adds the assignments. */
uint32_t ex_new_counter(struct ex *ex);
void ex_prepend_counters(struct ex *ex);
/* The object that WANTED describes, created on first use. */
uint32_t ex_hidden_object(struct ex *ex, const struct ex_hidden *wanted);
/* The next hidden barrier must be reached by all work-items of the launch, or by none; ex_propagate() checks
 * it. */
void ex_require_convergence(struct ex *ex);
/* Records INST as the instruction of the copy at SITE. */
void ex_note_copy(struct ex *ex, uint32_t site, const struct in_inst *inst);
const struct in_inst *ex_copy_inst(struct ex *ex, uint32_t site);
/* The initial value of the SIZE bytes at OFFSET of OBJECT. */
uint64_t ex_initial_bytes(const struct ck_object *object, uint64_t offset, unsigned size);
/* A new object with an unconstrained value of SIZE bytes; a read of its SIZE lowest bytes. */
uint32_t ex_arbitrary_object(struct ex *ex, const char *name, unsigned size);
uint32_t ex_read_arbitrary(struct ex *ex, uint32_t object, unsigned size);

/* ---- group.c ---- */

/* Lowers a function of work-groups or sub-groups; false: it is not one. */
bool ex_group(struct ex *ex, const struct in_inst *inst);
/* The index of the function by which reductions with OPCODE combine floats of type T. */
uint32_t ex_combination(struct ex *ex, uint32_t opcode, const struct in_ty *t);
/* A barrier of the work-group or sub-group that orders no memory accesses. */
void ex_emit_hidden_barrier(struct ex *ex, bool sub_group);

/* ---- copy.c ---- */

/* Lowers an asynchronous copy, or a wait; false: it is neither. */
bool ex_copy(struct ex *ex, const struct in_inst *inst);
/* Whether INSTR notes the address that a copy writes to. */
bool ex_is_copy_target(const struct ck_instr *instr);
/* Adds a thread for each copy, after constants are propagated. */
void ex_add_agents(struct ex *ex);

#endif
