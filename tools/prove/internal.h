/* Internal: the kernel as one flat control-flow graph, symbolic execution of one work-item, verification
 * conditions. */
#ifndef TOOLS_PROVE_INTERNAL_H
#define TOOLS_PROVE_INTERNAL_H

#include "tools/explore/module/module.h"
#include "tools/prove/prove.h"

#include <z3.h>

#define PV_NONE    UINT32_MAX
#define PV_INITIAL (UINT32_MAX - 1) /* for an interval: the object is never written */
enum { PV_FRAMES = 128, PV_BLOCKS = 1500, PV_CELLS = 4096, PV_OBJECTS = 512 };

/* ---- values ------------------------------------------------------------------------------------- */

/* A scalar: a Boolean or bit vector; a pointer is an offset of 64 bits and an object (not NULL), 16 bits. */
struct pv_leaf {
    Z3_ast bits, object;
};
struct pv_value {
    const struct in_ty *type;
    uint32_t count;
    struct pv_leaf *leaves;
};

/* ---- memory objects ----------------------------------------------------------------------------- */

enum pv_region { PV_NO_OBJECT, PV_GLOBAL, PV_LOCAL, PV_CONSTANT, PV_PRIVATE, PV_BUILTIN, PV_IMAGE };
struct pv_object {
    enum pv_region region;
    const char *name;
    uint32_t id, frame; /* of its variable or parameter */
    Z3_ast size;        /* bytes, 64 bits; NULL: not known */
    uint32_t first_cell, cell_count;
    bool written, is_argument;
    Z3_ast is_null; /* the argument is a null pointer */
};
struct pv_cell { /* a scalar of the private state */
    const struct in_ty *type;
    uint32_t object; /* 0: a value of an instruction */
    uint64_t offset;
    unsigned size;
};

/* ---- control flow ------------------------------------------------------------------------------- */

enum pv_end { PV_JUMP, PV_BRANCH, PV_SWITCH, PV_CALL, PV_RETURN, PV_EXIT, PV_UNREACHABLE };
enum pv_cut { PV_NO_CUT, PV_BARRIER, PV_GROUP_OP, PV_SOFT_HEAD };
struct pv_block {
    uint32_t frame, label;              /* id of the OpLabel it belongs to */
    const struct in_inst *first, *last; /* LAST: the terminator, call or barrier */
    enum pv_end end;
    enum pv_cut cut; /* BARRIER, GROUP_OP: the block begins after it; SOFT_HEAD: it is a loop head */
    const struct in_inst *cut_inst;
    bool orders_local, orders_global, orders_image; /* BARRIER */
    uint32_t successor_count, *successors;
    uint32_t *literals; /* SWITCH: two words for each successor but the first */
    uint32_t loop;      /* innermost, PV_NONE */
    uint32_t head_of;   /* loop, PV_NONE */
    uint32_t position;  /* in reverse postorder */
};
struct pv_frame {
    const struct in_function *function;
    uint32_t base; /* of its ids in the table of cells */
    const struct in_inst *call;
    uint32_t caller, depth;
    uint32_t return_to; /* block, PV_NONE: the kernel's own */
};
struct pv_loop {
    uint32_t head, outer, line;
    bool *blocks;       /* by block */
    bool has_barrier;   /* or another cut of a whole work-group */
    bool *modified;     /* by cell */
    bool *moves_object; /* by cell: a pointer into other objects */
    bool *stored;       /* by object */
};

/* ---- symbolic execution ------------------------------------------------------------------------- */

struct pv_state {
    struct pv_leaf *cells;
    bool *stored;         /* by object: the work-item may have written to it in the interval */
    uint32_t interval[2]; /* of local, global memory: source of the barrier interval, PV_NONE: unknown */
};
enum pv_access_kind { PV_READ, PV_WRITE, PV_ATOMIC };
struct pv_access {
    enum pv_access_kind kind;
    bool wide_scope; /* ATOMIC: of device scope or wider */
    bool is_nonprivate,
        is_transferred; /* Vulkan: TRANSFERRED: made available or visible by the instruction */
    const struct in_inst *inst;
    Z3_ast condition, object, offset;
    uint64_t size;
    Z3_ast bytes;           /* bytes where SIZE is 0 */
    unsigned regions;       /* mask of 1 << enum pv_region */
    struct pv_value *texel; /* of an image: its coordinates; NULL: any texel */
};
struct pv_merge { /* what reaches a block */
    uint32_t count;
    Z3_ast *conditions;
    struct pv_state *states;
};
struct pv_loop_entry { /* of a loop in a run */
    bool reached;
    Z3_ast condition, back;           /* the head is reached; a back edge is taken */
    struct pv_state entry, head, end; /* END: where a back edge is taken */
    uint32_t first_fresh;             /* number of the first variable of the loop */
    Z3_ast counter;                   /* of iterations; NULL: not needed */
};
struct pv_compare { /* a comparison or addition executed in a loop: bounds and steps of counters */
    uint32_t block;
    const struct in_inst *inst;
    Z3_ast a, b;
};
struct pv_edge { /* into the head of a loop with barriers */
    uint32_t from, to;
    Z3_ast condition;
};
struct pv_run {
    struct pv *pv;
    int thread;
    uint32_t source;   /* block, PV_NONE: the context run, from the kernel's entry through all loops */
    Z3_ast *condition; /* by block: reached; NULL: not */
    struct pv_merge *merges, *back_merges;
    struct pv_value *values; /* by value: those of the current block */
    uint32_t *valid;
    uint32_t block;
    struct pv_state state;
    struct pv_access *accesses;
    uint32_t access_count;
    struct pv_loop_entry *loops;
    struct pv_compare *compares;
    uint32_t compare_count;
    struct pv_edge *edges;
    uint32_t edge_count;
    Z3_ast *sinks;           /* by block; the last: the kernel's exit */
    struct pv_state *at_cut; /* by block: the state after the cut; context run alone */
};

/* ---- variables of launches ---------------------------------------------------------------------- */

struct pv_launch {
    Z3_ast local[3], groups[3], global[3], offset[3], dimensions;
    Z3_ast local_id[2][3], group_id[2][3], base[2][3],
        global_id[2][3]; /* BASE: of the group, in work-items */
    Z3_ast linear[2];    /* local invocation index */
};
struct pv_product {
    Z3_ast a, b, result, guard;
    unsigned width;
    bool no_wrap;
    uint64_t site;
};
struct pv_pure { /* a result that depends on the operands alone */
    const struct in_inst *inst;
    uint32_t count;
    struct pv_value *operands, result;
};
struct pv_quotient {
    Z3_ast x, d, q, r;
};
struct pv_read {               /* a value read from shared memory */
    uint32_t object, interval; /* INTERVAL: of the object; or PV_INITIAL */
    uint32_t source;
    int thread;
    Z3_ast offset, value, condition;
    unsigned size;
};
struct pv_candidate {
    uint32_t loop;
    bool relational, dropped;
    Z3_ast selector;
    Z3_ast base, step; /* verification conditions */
    char text[100];
};

/* The control-flow graph of the kernel, with calls inlined. */
struct pv_graph {
    struct pv_frame frames[PV_FRAMES];
    uint32_t frame_count;
    struct pv_block *blocks;
    uint32_t block_count, exit; /* EXIT: number of the sink for the end of the kernel */
    uint32_t *order;            /* reverse postorder */
    struct pv_loop *loops;
    uint32_t loop_count;
};
/* Operations that Z3 sees as unconstrained results with lemmas: each application once. */
struct pv_abstractions {
    struct pv_product *products;
    uint32_t product_count;
    struct pv_pure *pures;
    uint32_t pure_count;
    struct pv_quotient *quotients;
    uint32_t quotient_count;
};
/* A scalar of a specialization constant, which a launch of a Vulkan module chooses. */
struct pv_specialized {
    uint32_t id, leaf;
    Z3_ast value;
};
/* Assumptions of the proof. */
struct pv_assumptions {
    Z3_ast in_bounds; /* pointer arithmetic declared InBounds stays in objects of less than 2^40 bytes */
    Z3_ast exact_ids; /* global ids are sums of their parts, beside being ordered like them */
    Z3_ast no_race;   /* until now: so equal addresses give equal values in an interval */
    Z3_ast required;  /* by --requires, exactly */
    Z3_ast *facts;    /* hold in every execution */
    uint32_t fact_count;
    bool relies_on_no_race; /* a proof did */
    bool no_overflow, quotients;
};
struct pv {
    struct ex *ex;
    const struct prove_options *options;
    struct prove_verdict *verdict;
    Z3_context c;
    Z3_solver solver;
    unsigned spent; /* of the budget */
    struct pv_launch launch;
    unsigned dimensions;

    struct pv_graph graph;
    struct pv_objects {
        struct pv_object list[PV_OBJECTS];
        uint32_t count;
    } objects;
    struct pv_cells {
        struct pv_cell *list;
        uint32_t count;
        uint32_t *of_id; /* by frame base + id, PV_NONE */
    } cells;
    struct pv_leaf *parameter_leaves[64];
    bool uses_local_linear, narrow; /* NARROW: addresses have 32 bits */

    struct { /* a barrier makes nothing available, or visible */
        bool lacks_available, lacks_visible;
    } vulkan;
    struct {
        struct pv_specialized *list;
        uint32_t count;
    } specialized;
    uint32_t fresh_count;
    Z3_ast yes, no, synchronous; /* SYNCHRONOUS: both work-items are in the same interval */
    struct pv_assumptions assumed;
    struct pv_abstractions abstractions;
    struct pv_reads {
        struct pv_read *list;
        uint32_t count;
    } reads;
    struct pv_candidates {
        struct pv_candidate *list;
        uint32_t count;
        bool changed;
    } candidates;

    struct pv_run *context[2];
    struct pv_sources {
        uint32_t *blocks; /* the kernel's entry, then cuts */
        uint32_t count;
        bool has_cuts;
    } sources;
    struct pv_run **segments[2]; /* by source */
};

/* All functions stop the analysis with pv_stop() or ex_fail() at an error; what they return lives as long as
 * PV. */

/* prove/graph.c, prove/loops.c */
/* Builds the control-flow graph of the kernel with calls inlined, the memory objects and the private
 * cells. */
void pv_build_graph(struct pv *pv);
/* Finds natural loops; stops if the graph is irreducible. */
void pv_find_loops(struct pv *pv);
/* Sets PV->sources: the kernel's entry and all cuts that it reaches. */
void pv_find_sources(struct pv *pv);
/* Whether the edge FROM -> TO is a back edge. */
bool pv_is_back(const struct pv *pv, uint32_t from, uint32_t to);
/* Whether segment runs end and begin at BLOCK. */
bool pv_is_cut(const struct pv_block *block);

/* prove/vulkan.c */
/* Stops if the Vulkan module has something that --prove does not support. */
void pv_check_vulkan(struct pv *pv);
/* Sets which memory barrier INST, before block B, orders. */
void pv_vulkan_barrier(struct pv *pv, struct pv_block *b, const struct in_inst *inst, uint64_t semantics);
/* Sets what Vulkan's memory operands say of ACCESS. */
void pv_vulkan_access(const struct pv *pv, struct pv_access *access);
/* Whether happens-before through the kernel's barriers orders both accesses for their location, whichever
 * comes first. */
bool pv_vulkan_orders(const struct pv *pv, const struct pv_access *a, const struct pv_access *b);
/* Whether the launch decides how large VARIABLE is. */
bool pv_has_open_size(const struct pv *pv, const struct in_inst *variable);
/* Scalar I of constant ID as the launch gives it to all work-items; NULL: it has the value of the module. */
Z3_ast pv_specialized(struct pv *pv, uint32_t id, uint32_t i, unsigned width);

/* prove/term.c */
/* Stops the analysis at INST, NULL: at no place: answers become unknown for the reason that FORMAT says. */
_Noreturn void pv_stop(struct pv *pv, const struct in_inst *inst, const char *format, ...) MM_PRINTF(3, 4);
void *pv_alloc(struct pv *pv, size_t count, size_t size); /* zeroed; stops without memory */
/* Bit vectors of WIDTH bits, 1 to 64; width 0: Booleans.  The operands of an operation have the same
 * width. */
Z3_ast pv_fresh(struct pv *pv, const char *name, unsigned width);
Z3_ast pv_number(struct pv *pv, uint64_t value, unsigned width);
bool pv_is_number(struct pv *pv, Z3_ast a, uint64_t *value); /* whether A is a constant, of *VALUE */
unsigned pv_width(struct pv *pv, Z3_ast a);
Z3_ast pv_and(struct pv *pv, Z3_ast a, Z3_ast b);
Z3_ast pv_or(struct pv *pv, Z3_ast a, Z3_ast b);
Z3_ast pv_not(struct pv *pv, Z3_ast a);
Z3_ast pv_implies(struct pv *pv, Z3_ast a, Z3_ast b);
Z3_ast pv_equal(struct pv *pv, Z3_ast a, Z3_ast b);
Z3_ast pv_if(struct pv *pv, Z3_ast condition, Z3_ast a, Z3_ast b);
Z3_ast pv_add(struct pv *pv, Z3_ast a, Z3_ast b);
Z3_ast pv_resize(struct pv *pv, Z3_ast a, unsigned width, bool is_signed);
Z3_ast pv_low(struct pv *pv, Z3_ast a, unsigned width); /* the low WIDTH bits of A */
/* A new variable for a product of variables.  NO_WRAP: the instruction SITE declares that the product does
 * not wrap where GUARD holds. */
Z3_ast pv_multiply(struct pv *pv, Z3_ast a, Z3_ast b, bool no_wrap, Z3_ast guard, uint64_t site);
/* The quotient, or the REMAINDER; a zero divisor and an overflow are assumed not to occur [SPIRV 3.49.13]. */
Z3_ast pv_divide(struct pv *pv, Z3_ast a, Z3_ast b, bool is_signed, bool remainder);
void pv_fact(struct pv *pv, Z3_ast fact); /* FACT holds in every execution */
/* Facts about products and reads that the runs have made. */
void pv_add_lemmas(struct pv *pv);
/* The number of the newest variable in A; 0: it has none. */
uint32_t pv_newest(struct pv *pv, Z3_ast a);

/* prove/launch.c */
/* Sets PV->dimensions. */
void pv_find_dimensions(struct pv *pv);
/* Creates the variables of the launch, with facts about sizes and ids. */
void pv_declare_launch(struct pv *pv);
/* Writes the assumptions of the proof to the verdict. */
void pv_state_assumptions(struct pv *pv);
/* The two work-items are different ones of one work-group; are of different work-groups. */
Z3_ast pv_same_group(struct pv *pv);
Z3_ast pv_other_group(struct pv *pv);
/* The value of a variable with the decoration BUILTIN. */
struct pv_value pv_builtin(struct pv_run *run, uint32_t builtin, const struct in_ty *type);
/* prove/require.c: the condition that TEXT states; EXACT: with products that a model's values satisfy. */
Z3_ast pv_requirement(struct pv *pv, const char *text, bool exact);

/* prove/run.c */
/* Runs work-item THREAD, 0 or 1, from the kernel's entry through an arbitrary iteration of each loop. */
struct pv_run *pv_run_context(struct pv *pv, int thread);
/* Runs it from SOURCE to the next cuts; NULL: the context run does not reach SOURCE. */
struct pv_run *pv_run_segment(struct pv *pv, int thread, uint32_t source);
/* prove/value.c */
const struct ex_shape *pv_shape(struct pv *pv, const struct in_ty *type);
/* The scalars of a value are those that pv_shape() lists for its type. */
struct pv_leaf pv_fresh_leaf(struct pv *pv, const struct in_ty *scalar);
struct pv_value pv_new_value(struct pv *pv, const struct in_ty *type);
struct pv_value pv_fresh_value(struct pv *pv, const struct in_ty *type);
/* The value of ID in the current block; of a scalar. */
struct pv_value pv_get(struct pv_run *run, uint32_t id);
struct pv_leaf pv_get_scalar(struct pv_run *run, uint32_t id);
/* The cells from CELL on become VALUE; records that the loops around the current block modify them. */
void pv_set_cells(struct pv_run *run, uint32_t cell, const struct pv_value *value);
/* VALUE becomes the result of INST. */
void pv_set(struct pv_run *run, const struct in_inst *inst, struct pv_value value);
struct pv_leaf pv_merge_leaf(struct pv *pv, Z3_ast condition, struct pv_leaf a, struct pv_leaf b);
void pv_execute(struct pv_run *run, const struct in_inst *inst);
/* prove/arithmetic.c: false: INST is none of its instructions */
bool pv_arithmetic(struct pv_run *run, const struct in_inst *inst);
/* prove/memory.c: false: INST is none of its instructions */
bool pv_memory(struct pv_run *run, const struct in_inst *inst);
/* Accesses by INST at POINTER, which is computed from the pointer POINTER_ID. */
struct pv_value pv_load(struct pv_run *run, const struct in_inst *inst, uint32_t pointer_id,
                        struct pv_leaf pointer, const struct in_ty *type);
void pv_store(struct pv_run *run, const struct in_inst *inst, uint32_t pointer_id, struct pv_leaf pointer,
              const struct pv_value *value);
/* A store of unknown bytes: SIZE of them or, where SIZE is 0, BYTES. */
void pv_forget(struct pv_run *run, const struct in_inst *inst, uint32_t pointer_id, struct pv_leaf pointer,
               uint64_t size, Z3_ast bytes);
/* Adds ACCESS under the condition of the current block. */
void pv_add_access(struct pv_run *run, struct pv_access access);
/* prove/image.c: false: INST is none of its instructions */
bool pv_image(struct pv_run *run, const struct in_inst *inst);
/* prove/builtin.c: functions of extended instruction sets */
bool pv_extended(struct pv_run *run, const struct in_inst *inst);

/* prove/invariant.c */
void pv_propose_invariants(struct pv *pv);
/* Drops candidates until all others hold at every entry of their loops and are inductive. */
void pv_keep_invariants(struct pv *pv);
/* Invariants that a query may assume beside the facts: those of loops whose heads come before a position
 * in reverse postorder (PV_NONE: all), and likewise those about both work-items. */
struct pv_premises {
    bool synchronous, in_bounds;
    uint32_t invariants_before, relations_before;
};
/* Whether QUERY is satisfiable. */
Z3_lbool pv_ask(struct pv *pv, Z3_ast query, const struct pv_premises *with);
/* prove/model.c */
/* Bytes of an element of what argument ID points to. */
uint64_t pv_element_size(struct pv *pv, uint32_t id);
/* Adds small launches that satisfy QUERY to the verdict. */
void pv_propose_launches(struct pv *pv, Z3_ast query, const struct pv_premises *with);
/* prove/check.c: decides each property. */
void pv_check(struct pv *pv);

#endif
