/* Queries of the Z3 engine: a solver holds the encoded executions and the model; a query assumes literals. */
#ifndef CHECKER_Z3_SOLVE_H
#define CHECKER_Z3_SOLVE_H

#include "checker/z3/internal.h"

struct zx_solve {
    struct zx *z;
    struct ck_verdict *v;
    Z3_ast meet;     /* all work-items of a group arrive at the same barriers */
    Z3_ast complete; /* literal: all threads end within the bound, and the filter holds */
    Z3_ast begun; /* literal.  Kernels: MEET, threads may end early, at a fault or the bound; else COMPLETE */
    Z3_ast prop, goal; /* goal: literal, the proposition or for forall its negation */
    Z3_ast any_race, assertion, out_of_bounds, exceeded;
    Z3_ast *statements; /* formula per check, NULL for flags */
    Z3_ast *axioms;     /* literal per check, NULL for flags; only when tracked */
    Z3_ast *flags;      /* literal per check, NULL for axioms */
    struct zx_val *observed;
    size_t max_states;
    bool beyond_bound;
    bool vacuous;     /* no execution terminates within the bound */
    bool interrupted; /* a query was interrupted: Z3 may have lost constraints and is not used again */
};

/* Threads and memory of every candidate execution. */
void zx_encode_executions(struct zx *z);
/* The model's axioms; its flags are separate. */
void zx_encode_axioms(struct zx_solve *s);
/* A literal that implies A. */
Z3_ast zx_literal(struct zx *z, Z3_ast a, const char *name);
/* Creates the solver with the hard constraints and the axioms: asserted, or with TRACK each implied by a
 * literal. */
void zx_open_solver(struct zx_solve *s, bool track);
/* Whether the COUNT literals ASSUMPTIONS are satisfiable together; CK_UNKNOWN: a limit, which is recorded. */
enum ck_answer zx_query(struct zx_solve *s, unsigned count, Z3_ast const *assumptions);
/* One call of Z3 without function refinement, interrupted at the deadline (z3/clock.c). */
Z3_lbool zx_solver_check(struct zx *z, unsigned count, Z3_ast const *assumptions);
/* After CK_YES: the solver's model; the caller drops a reference (Z3_model_dec_ref). */
Z3_model zx_current_model(struct zx_solve *s);
/* After CK_YES: the execution that the solver's model describes. */
struct zx *zx_current_execution(struct zx_solve *s);
/* Records why the answer is incomplete; the first reason is kept. */
void zx_note_limit(struct zx_solve *s, const char *rule, const char *message);
/* Records that some loop exceeds the bound. */
void zx_note_beyond(struct zx_solve *s);

/* A literal for each flag of the model (z3/flags.c). */
void zx_encode_flags(struct zx_solve *s);
/* Finds the flags that some execution raises.  *RACE and *USAGE hold the answers so far; they become YES if a
 * flag of their kind is raised, UNKNOWN if a query reaches a limit. */
void zx_find_flags(struct zx_solve *s, enum ck_answer *race, enum ck_answer *usage);

/* Adds the execution of the solver's model to the verdict if options.executions is set (z3/executions.c). */
void zx_keep_execution(struct zx_solve *s, enum ck_shows shows, const uint64_t *values, const char *flag);

/* Kernels: barrier divergence and termination (z3/progress.c). */
void zx_find_progress(struct zx_solve *s);

#endif
