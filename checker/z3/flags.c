/* Findings of the Z3 engine: the model's flags, accesses outside of memory, failed assertions.
 *
 * These queries require that all work-items of a group arrive at the same barriers.  Executions in which some
 * are blocked at a barrier are queried again in z3/progress.c. */
#include "checker/z3/solve.h"

#include <string.h>

void zx_encode_flags(struct zx_solve *s)
{
    struct zx *z = s->z;

    s->flags = zx_alloc(z, z->model->check_count, sizeof *s->flags);
    s->any_race = z->no;
    for (uint32_t i = 0; i < z->model->check_count; i++) {
        Z3_ast statement;

        if (!z->model->checks[i].flag)
            continue;
        statement = zx_check(z, &z->model->checks[i], false);
        s->flags[i] = zx_literal(z, statement, "flag");
        if (ck_flag_is_race(z->model->checks[i].name))
            s->any_race = zx_or(z, s->any_race, statement);
    }
    s->any_race = zx_literal(z, s->any_race, "races");
}

/* Whether some execution raises flag NAME, whose literal is WHEN; CK_NO if it has been found already. */
static enum ck_answer find_flag(struct zx_solve *s, const char *name, Z3_ast when, enum ck_shows shows)
{
    struct ck_verdict *v = s->v;
    enum ck_answer r = ck_verdict_has_flag(v, name) ? CK_NO : zx_query(s, 2, (Z3_ast[]){s->begun, when});

    if (r != CK_YES)
        return r;
    v->flags[v->flag_count] = mm_arena_strdup(v->arena, name);
    zx_require(s->z, v->flags[v->flag_count]);
    zx_keep_execution(s, shows, NULL, shows == CK_SHOWS_FLAG ? v->flags[v->flag_count] : NULL);
    v->flag_count++;
    return r;
}

/* Findings that end a thread early: the other threads need not terminate. */
static void find_faults(struct zx_solve *s)
{
    Z3_ast begun = s->begun;

    if (!s->z->p->kernel)
        s->begun = s->z->yes;
    find_flag(s, "out_of_bounds", s->out_of_bounds, CK_SHOWS_OUT_OF_BOUNDS);
    find_flag(s, "assertion", s->assertion, CK_SHOWS_FLAG);
    s->begun = begun;
}

/* Keeps the explanation of the flag that was just found; one of a race replaces one of another flag. */
static void explain_flag(struct zx_solve *s, uint32_t check)
{
    const char *name = s->z->model->checks[check].name;
    const char *kept = s->v->race_witness.axiom;

    if (!s->z->options.explain || (kept && (ck_flag_is_race(kept) || !ck_flag_is_race(name))))
        return;
    if (!zx_explain(zx_current_execution(s), check, s->v->arena, &s->v->race_witness))
        zx_stop(s->z, MM_BUG, "z3", "an execution does not raise the flag that Z3 found it to raise");
}

void zx_find_flags(struct zx_solve *s, enum ck_answer *race, enum ck_answer *usage)
{
    struct zx *z = s->z;
    struct ck_verdict *v = s->v;

    if (!v->flags)
        v->flags = mm_arena_alloc(v->arena, (z->model->check_count + 2) * sizeof *v->flags);
    zx_require(z, v->flags);
    for (uint32_t i = 0; i < z->model->check_count; i++) {
        const struct mm_cat_check *check = &z->model->checks[i];
        enum ck_answer r = s->flags[i] ? find_flag(s, check->name, s->flags[i], CK_SHOWS_FLAG) : CK_NO;
        enum ck_answer *answer = ck_flag_is_race(check->name) ? race : usage;

        if (r == CK_YES || (r == CK_UNKNOWN && *answer == CK_NO))
            *answer = r;
        if (r == CK_YES)
            explain_flag(s, i);
    }
    find_faults(s);
}
