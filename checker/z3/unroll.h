/* The unrolled control-flow graph: made by z3/unroll.c, executed symbolically by z3/exec.c and
 * z3/access.c. */
#ifndef CHECKER_Z3_UNROLL_H
#define CHECKER_Z3_UNROLL_H

#include "checker/z3/internal.h"

enum { ZX_MAX_NODES = 20000, ZX_HASH_SIZE = 4096, ZX_MAX_LOOPS = 64 };

struct zx_loop {
    uint32_t source, target; /* instructions */
    uint64_t *live;          /* live registers at the target */
};

struct zx_node {
    uint32_t pc, next_in_bucket;
    uint16_t count[ZX_MAX_LOOPS];
    uint32_t successor[2]; /* fall through or jump; branch target.  ZX_NONE: none */
    uint32_t back_loop[2]; /* the loop whose back edge the successor is, or ZX_NONE */
    uint8_t state;         /* depth-first search */
    uint32_t first_event;  /* number of events when the node is executed */
    Z3_ast guard;
    struct zx_val *regs, *entry; /* after and before the instruction */
};

struct zx_run {
    struct zx *z;
    const struct ck_thread *t;
    uint32_t thread, reg_count, effects_reg, first_event;
    uint32_t depends_reg, read_count;
    struct zx_loop loops[ZX_MAX_LOOPS];
    uint32_t loop_count;
    struct zx_node **nodes;
    uint32_t node_count;
    uint32_t buckets[ZX_HASH_SIZE];
    uint32_t *order; /* of nodes, predecessors first */
    uint32_t order_count;
};

void zx_find_loops(struct zx_run *r);
/* Live registers at the target of each loop. */
void zx_find_live(struct zx_run *r);
/* Builds the graph and fills ORDER, from ORDER_COUNT to ZX_MAX_NODES, in reverse postorder. */
void zx_sort_nodes(struct zx_run *r);
/* The node of the instruction PC after COUNT iterations of each loop; ZX_NONE: there is none. */
uint32_t zx_find_node(const struct zx_run *r, uint32_t pc, const uint16_t *count);
/* The same, which is added if there is none. */
uint32_t zx_get_node(struct zx_run *r, uint32_t pc, const uint16_t *count);
/* Clears the counts of loops that do not contain PC. */
void zx_restrict_counts(const struct zx_run *r, uint32_t pc, uint16_t *count);

/* Nodes (z3/exec.c).  A copy of NODE's registers, which becomes NODE's. */
struct zx_val *zx_own_regs(struct zx_run *r, struct zx_node *node);
/* An event of NODE's instruction, without address and value. */
struct zx_event zx_new_event(const struct zx_run *r, const struct zx_node *node, enum zx_kind kind);
/* Counts an effect, if WHEN: a change of memory, or a barrier. */
void zx_count_effect(struct zx_run *r, struct zx_val *regs, Z3_ast when);
/* The access IN of NODE (z3/access.c).  A thread stops at one outside of every object. */
void zx_run_access(struct zx_run *r, struct zx_node *node, const struct ck_instr *in);

/* Dependencies (z3/depend.c): sets of reads, which hidden registers hold.  Reserves these registers. */
void zx_depend_init(struct zx_run *r);
/* The set of EXPR. */
struct zx_val zx_depends(const struct zx_run *r, uint32_t expr, const struct zx_val *regs);
/* SET becomes the set of register REG. */
void zx_depend_set(const struct zx_run *r, struct zx_val *regs, uint32_t reg, struct zx_val set);
/* Adds the set of a branch's CONDITION to that of the path condition. */
void zx_depend_branch(const struct zx_run *r, struct zx_val *regs, uint32_t condition);
/* The set of the path condition. */
struct zx_val zx_depend_ctrl(const struct zx_run *r, const struct zx_val *regs);
/* Numbers the reads from event FIRST on and returns their set. */
struct zx_val zx_depend_reads(struct zx_run *r, uint32_t first);

#endif
