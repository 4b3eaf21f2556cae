/* Inside the Z3 engine: symbolic threads, events and relations as formulas.
 *
 * A relation's entry (i, j) says whether the pair is related *given that both events happen*; for
 * other pairs the entry is meaningless.  Operators that involve a third event (sequence, closure, domain) and
 * checks conjoin the condition that the event happens.  docs/encoding.md describes the encoding. */
#ifndef CHECKER_Z3_INTERNAL_H
#define CHECKER_Z3_INTERNAL_H

#include "checker/checker.h"
#include "memmodel/base/array.h"

#include <setjmp.h>
#include <z3.h>

/* A value of SIZE bytes: the constant K if T is NULL, else the bit-vector T.  A value made of a truth value
 * keeps the formula in TRUTH: the value is 1 if it holds, else 0. */
struct zx_val {
    Z3_ast t, truth;
    uint64_t k;
    uint8_t size;
};

enum zx_kind { ZX_READ, ZX_WRITE, ZX_FENCE, ZX_BARRIER, ZX_AVAILABILITY, ZX_VISIBILITY, ZX_POINT };

#define ZX_NONE UINT32_MAX

struct zx_event {
    enum zx_kind kind;
    uint32_t thread;           /* ZX_NONE: initial write */
    const struct ck_instr *in; /* NULL: initial write */
    uint32_t instr;            /* its index in the thread */
    uint32_t partner;          /* other half of a read-modify-write, or ZX_NONE */
    uint32_t addressed;        /* object as addressed, before aliases; ZX_NONE where that is computed */
    Z3_ast late;               /* barrier with a quorum: it was complete before this thread arrived */
    uint8_t part;              /* barriers: 1 entry, 2 exit, 0 one event for both */
    uint8_t size;              /* bytes accessed */
    Z3_ast exec;               /* happens */
    Z3_ast passed;             /* barrier, if may_hang: the thread leaves it */
    Z3_ast failed;             /* read half of a compare-exchange: the comparison fails; else false */
    uint32_t access;           /* equal for the pieces of one access; 0: a single piece */
    uint8_t whole_size;        /* size of the whole access */
    struct zx_val start;       /* address of the whole access */
    /* If tracks_dependencies: sets of reads of the thread, a bit per NUMBER, that the value (other than the
     * operation's own read), the address and the path condition depend on. */
    uint32_t number;
    struct zx_val data_deps, addr_deps, ctrl_deps;
    struct zx_val address, value; /* value: read or written.  Barriers: VALUE is the program's barrier id,
                                     ADDRESS counts the thread's earlier arrivals at the same barrier */
};

static inline bool zx_is_access(const struct zx_event *e)
{
    return e->kind == ZX_READ || e->kind == ZX_WRITE;
}

static inline bool zx_is_init(const struct zx_event *e)
{
    return e->thread == ZX_NONE;
}

/* A location: SIZE bytes at OFFSET of OBJECT (never an alias); or the symbolic address of event ACCESSED_BY
 * in OBJECT, which exists if no other location of the object has that address. */
struct zx_cell {
    uint32_t object, init; /* init: event number */
    uint32_t accessed_by;  /* ZX_NONE: at OFFSET */
    uint64_t offset;
    uint8_t size;
    bool listed; /* a candidate of some symbolic address: must not be split */
};

struct zx_rel {
    Z3_ast *e;     /* n * n (set: n) entries, false included */
    uint64_t *may; /* bit matrix of the entries that are not the constant false; rows of WORDS words */
    bool is_set;
};

struct zx_thread {
    uint32_t reg_count;   /* including hidden registers */
    struct zx_val *final; /* registers at the end */
    Z3_ast ends;          /* the thread terminates within the bound */
    Z3_ast faults;        /* the thread stops at an access outside of every object */
    /* If may_hang: the thread spins in a loop whose iterations have no effect, is blocked at a barrier that
     * is never complete, or is never scheduled again. */
    Z3_ast spins, blocked, stopped;
};

/* A loop iteration without effect, the events FIRST to END of THREAD: if WHEN holds, the thread spins in
 * it. */
struct zx_iteration {
    Z3_ast when;
    uint32_t thread, first, end;
};

/* What is encoded. */
struct zx_features {
    bool split_barriers;      /* the model uses BEN or BEX: barriers have entry and exit events */
    bool models_overlap;      /* the model uses extent or piece: atomic accesses may overlap in part */
    bool tracks_dependencies; /* the model uses data, addr or ctrl */
    bool may_hang;            /* non-terminating executions are encoded: spinning threads, blocked barriers */
    bool may_stop;            /* the scheduler is unfair: a thread may stop before any event */
};

struct zx_limits {
    double deadline;      /* CPU seconds, 0 = none */
    double wall_deadline; /* seconds of the monotonic clock, where there is a deadline */
    uint64_t budget;      /* formulas that may still be built */
};

/* Locations, and where accesses are split into pieces. */
struct zx_places {
    struct zx_cell *cells;
    uint32_t cell_count;
    uint64_t *cuts; /* addresses at which accesses are split */
    uint32_t cut_count;
    uint8_t *grains;       /* by object: accesses are split at multiples of this size; 0: they are not */
    bool cut_finer;        /* some grain has become smaller */
    struct zx_val *finals; /* final value by cell; size 0: not encoded yet */
};

/* What some thread does. */
struct zx_found {
    Z3_ast exceeded;      /* some loop exceeds the unroll bound */
    unsigned beyond;      /* the line of that loop; 0: unknown, or one of several */
    bool several;         /* loops do so */
    Z3_ast out_of_bounds; /* some access is outside of every object */
    Z3_ast unaligned;     /* some access is to an address without a location (misaligned) */
    Z3_ast assertion;     /* some CK_ASSERT fails */
};

struct zx {
    /* configuration */
    const struct ck_program *p;
    const struct mm_cat_model *model;
    struct mm_cat_eval *eval; /* of MODEL, for explanations */
    struct ck_options options;
    struct zx_features features;

    /* resources: Z3, memory, limits */
    Z3_context c;
    Z3_solver s;
    Z3_ast yes, no;                   /* the constants true and false */
    Z3_sort bool_sort, sorts[9];      /* SORTS: bit-vectors by size in bytes */
    struct mm_arena *arena, *scratch; /* scratch: for one execution that is kept, NULL: none are */
    struct zx_limits limits;
    struct zx_failure { /* zx_stop() */
        jmp_buf stop;
        enum mm_class cls;
        struct mm_error *err;
    } failure;

    /* the encoded executions */
    struct zx_event *events;
    uint32_t n, words; /* events; words of a row of a bit matrix over them */
    struct zx_thread *threads;
    struct zx_places places;
    Z3_ast *rf; /* [write * n + read] */
    Z3_ast *co; /* [write * n + write] */
    struct zx_terms {
        Z3_ast *list;
        uint32_t count;
    } hard; /* constraints of every execution */
    struct zx_iterations {
        struct zx_iteration *list;
        uint32_t count;
    } iterations;
    struct zx_calls {
        struct zx_call *list;
        uint32_t count;
    } calls;               /* of the program's functions */
    struct zx_val *inputs; /* by input of the program; size 0: not encoded yet */
    struct zx_found found; /* conditions on an execution, of which the solver is asked for one */
    struct zx_cache {
        struct zx_rel **base, **let;
    } cache; /* relations that are encoded already */
};

/* An application of an uninterpreted function. */
struct zx_call {
    uint32_t function, count;
    struct zx_val arguments[3], result;
};

/* Aborts the query: unwinds to ck_z3 with an error of class CLS. */
_Noreturn void zx_stop(struct zx *z, enum mm_class cls, const char *rule, const char *format, ...)
    MM_PRINTF(4, 5);
void *zx_alloc(struct zx *z, size_t count, size_t size);
/* mm_arena_append in the arena of Z; stops when out of memory. */
#define zx_append(z, items, count, item)                                                                     \
    zx_require((z), mm_arena_append((z)->arena, (items), (count), (item)))
void zx_require(struct zx *z, bool memory);
/* The deadline is SECONDS from now, of processor time and, unless options.cpu_time is set, of wall-clock time
 * (z3/clock.c). */
void zx_set_deadline(struct zx *z, double seconds);
/* Whether the deadline is in the future, and the engine is not interrupted. */
bool zx_in_time(const struct zx *z);
/* If not in time: the limit that was reached. */
struct mm_error zx_time_limit(const struct zx *z);

/* ---- formulas and values (z3/term.c) --------------------------------------------------------- */

/* Returns A, a new formula; stops if Z3 has failed (A is NULL), or at a limit of formulas or time. */
Z3_ast zx_keep(struct zx *z, Z3_ast a);
Z3_ast zx_not(struct zx *z, Z3_ast a);
Z3_ast zx_and(struct zx *z, Z3_ast a, Z3_ast b);
Z3_ast zx_or(struct zx *z, Z3_ast a, Z3_ast b);
/* Of COUNT terms; these overwrite TERMS. */
Z3_ast zx_and_n(struct zx *z, uint32_t count, Z3_ast *terms);
Z3_ast zx_or_n(struct zx *z, uint32_t count, Z3_ast *terms);
Z3_ast zx_implies(struct zx *z, Z3_ast a, Z3_ast b);
Z3_ast zx_iff(struct zx *z, Z3_ast a, Z3_ast b);
Z3_ast zx_fresh_bool(struct zx *z, const char *name);
void zx_assert(struct zx *z, Z3_ast a); /* adds to the hard constraints */

struct zx_val zx_number(uint64_t k, uint8_t size);
struct zx_val zx_fresh(struct zx *z, const char *name, uint8_t size);
Z3_ast zx_bits(struct zx *z, struct zx_val v); /* V as a bit-vector */
Z3_ast zx_equal(struct zx *z, struct zx_val a, struct zx_val b);
Z3_ast zx_nonzero(struct zx *z, struct zx_val a);
Z3_ast zx_less(struct zx *z, struct zx_val a, struct zx_val b, bool is_signed, bool or_equal);
struct zx_val zx_ite(struct zx *z, Z3_ast c, struct zx_val a, struct zx_val b);
struct zx_val zx_binary(struct zx *z, enum ck_expr_op op, struct zx_val a, struct zx_val b);
struct zx_val zx_resize(struct zx *z, struct zx_val a, uint8_t size, bool is_signed);
struct zx_val zx_from_bool(struct zx *z, Z3_ast a, uint8_t size); /* 1 if A holds, else 0 */
/* The value of EXPR; REGS: the values of the registers. */
struct zx_val zx_eval_expr(struct zx *z, uint32_t expr, const struct zx_val *regs);

/* ---- uninterpreted functions (z3/apply.c) ----------------------------------------------------- */

/* The application of FUNCTION, a value of SIZE bytes.  With symbolic arguments it is an uninterpreted
 * function of Z3. */
struct zx_val zx_apply(struct zx *z, uint32_t function, uint32_t count, const struct zx_val *arguments,
                       uint8_t size);
/* Compares the applications in M with the functions' true values; fills LEMMAS, of CALL_COUNT items, with the
 * equations that M violates and returns their number. */
uint32_t zx_wrong_calls(struct zx *z, Z3_model m, Z3_ast *lemmas);

/* ---- threads (z3/exec.c, z3/memory.c) -------------------------------------------------------- */

void zx_run_threads(struct zx *z);
uint32_t zx_add_event(struct zx *z, const struct zx_event *event);
/* Finds the locations.  False: accesses overlap in part; the threads must be executed again with the new cuts
 * (z3/place.c). */
bool zx_find_cells(struct zx *z);
/* End of the piece that begins at byte AT of an access of SIZE bytes; BASE: the object that ADDRESS points
 * into, ZX_NONE if unknown. */
uint8_t zx_piece_end(const struct zx *z, struct zx_val address, uint32_t base, uint8_t at, uint8_t size);
/* The SIZE bytes at byte AT of WHOLE. */
struct zx_val zx_piece(struct zx *z, struct zx_val whole, uint8_t at, uint8_t size);
/* WHOLE, zero in those bytes, with PIECE at byte AT. */
struct zx_val zx_with_piece(struct zx *z, struct zx_val whole, uint8_t at, struct zx_val piece);
/* The cell of SIZE bytes at ADDRESS, which is added if there is none. */
uint32_t zx_find_cell(struct zx *z, uint64_t address, uint8_t size);
void zx_add_initial_writes(struct zx *z);
/* Constrains the inputs of the program, before initial writes are added (z3/inputs.c). */
void zx_require_inputs(struct zx *z);
/* The initial value of cell C, which is at ADDRESS, of an uninitialized object. */
struct zx_val zx_input_value(struct zx *z, const struct zx_cell *c, struct zx_val address);
Z3_ast zx_in_object(struct zx *z, struct zx_val address, uint32_t object);
/* Initial writes, reads-from, coherence. */
void zx_build_memory(struct zx *z);
Z3_ast zx_same_location(struct zx *z, uint32_t a, uint32_t b);
/* Each executed barrier with a quorum has exactly that many arrivals in time. */
void zx_require_quorums(struct zx *z);
/* All work-items of the group arrive at the barrier A. */
Z3_ast zx_all_arrive(struct zx *z, uint32_t a);
/* That, for every executed barrier: no work-item leaves one before all of its group have arrived
 * [CL 3.3.6 W1, B1]. */
Z3_ast zx_barriers_meet(struct zx *z);
Z3_ast zx_same_barrier_key(struct zx *z, const struct zx_event *a, const struct zx_event *b);
/* The value of a term of the condition in the final state; adds constraints as needed. */
struct zx_val zx_final(struct zx *z, const struct ck_term *term);
Z3_ast zx_prop(struct zx *z, uint32_t prop);

/* ---- relations (z3/sets.c, z3/base.c, z3/cat.c) -------------------------------------------------- */

struct zx_rel *zx_rel_new(struct zx *z, bool is_set);
void zx_rel_set(struct zx *z, struct zx_rel *r, uint32_t i, uint32_t j, Z3_ast a);
Z3_ast zx_rel_get(const struct zx *z, const struct zx_rel *r, uint32_t i, uint32_t j);
struct zx_rel *zx_base_set(struct zx *z, const char *name);
struct zx_rel *zx_base(struct zx *z, const char *name);
/* CHECK (with its negation) as a formula.  ONE_WAY: the formula is only asserted, never negated. */
Z3_ast zx_check(struct zx *z, const struct mm_cat_check *check, bool one_way);

/* ---- progress (z3/progress.c) ------------------------------------------------------------------ */

/* Records that a thread spins in ITERATION if ITERATION.when holds. */
void zx_add_iteration(struct zx *z, const struct zx_iteration *iteration);

/* ---- evidence (z3/witness.c, explain.c) ------------------------------------------------------ */

/* The execution that M describes: the events that happen, with constant formulas. */
struct zx *zx_execution(struct zx *z, Z3_model m);
uint64_t zx_model_value(struct zx *z, Z3_model m, struct zx_val v);
bool zx_model_truth(struct zx *z, Z3_model m, Z3_ast a);

/* Results live in ARENA.  G comes from zx_execution. */
void zx_fill_witness(struct zx *g, struct ck_verdict *v);
/* Why check CHECK of the model fails in G (flags: why it is raised).  False if it does not. */
bool zx_explain(struct zx *g, uint32_t check, struct mm_arena *arena, struct ck_violation *out);
void zx_fill_step(const struct zx *g, uint32_t event, struct ck_step *step);
/* Whether event WRITE depends on READ by SET, one of the dependency sets of WRITE (z3/depend.c). */
Z3_ast zx_depends_on(struct zx *z, uint32_t write, uint32_t read, struct zx_val set);
/* A linearization of the events of G that respects po, and rf, co and fr except on cycles. */
uint32_t *zx_order_events(struct zx *g);

#endif
