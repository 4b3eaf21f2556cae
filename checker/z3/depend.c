/* Syntactic data, address and control dependencies, encoded only if the model uses them: each register has
 * the set of reads that its value is computed from, a bit mask, and so has the path condition. */
#include "checker/z3/unroll.h"

enum { MOST_READS = 64 }; /* of a thread: a set of them is a word */

void zx_depend_init(struct zx_run *r)
{
    r->depends_reg = r->reg_count;
    if (r->z->features.tracks_dependencies)
        r->reg_count += r->t->reg_count + 1; /* the last: of the path condition */
}

static struct zx_val empty_set(void)
{
    return zx_number(0, 8);
}

static struct zx_val set_union(struct zx *z, struct zx_val a, struct zx_val b)
{
    return zx_binary(z, CK_OR, a, b);
}

struct zx_val zx_depends(const struct zx_run *r, uint32_t expr, const struct zx_val *regs)
{
    const struct ck_expr *e = r->z->features.tracks_dependencies ? &r->z->p->exprs[expr] : NULL;
    struct zx_val set;

    if (!e || e->op == CK_CONST)
        return empty_set();
    if (e->op == CK_REG)
        return regs[r->depends_reg + e->imm];
    set = zx_depends(r, e->a, regs);
    if (ck_expr_operands(e->op) > 1)
        set = set_union(r->z, set, zx_depends(r, e->b, regs));
    if (ck_expr_operands(e->op) > 2)
        set = set_union(r->z, set, zx_depends(r, e->c, regs));
    return set;
}

void zx_depend_set(const struct zx_run *r, struct zx_val *regs, uint32_t reg, struct zx_val set)
{
    if (r->z->features.tracks_dependencies && reg != CK_NO_REG)
        regs[r->depends_reg + reg] = set;
}

void zx_depend_branch(const struct zx_run *r, struct zx_val *regs, uint32_t condition)
{
    struct zx_val *deps = &regs[r->depends_reg + r->t->reg_count];

    *deps = set_union(r->z, *deps, zx_depends(r, condition, regs));
}

struct zx_val zx_depend_ctrl(const struct zx_run *r, const struct zx_val *regs)
{
    return r->z->features.tracks_dependencies ? regs[r->depends_reg + r->t->reg_count] : empty_set();
}

struct zx_val zx_depend_reads(struct zx_run *r, uint32_t first)
{
    struct zx_val set = empty_set();

    for (uint32_t i = first; r->z->features.tracks_dependencies && i < r->z->n; i++) {
        if (r->read_count == MOST_READS)
            zx_stop(r->z, MM_LIMIT, "z3.depend",
                    "limit reached: dependencies on more than %u reads of a thread", MOST_READS);
        r->z->events[i].number = r->read_count;
        set.k |= (uint64_t)1 << r->read_count++;
    }
    return set;
}

/* The halves of one operation are related by rmw, not by a dependency. */
Z3_ast zx_depends_on(struct zx *z, uint32_t write, uint32_t read, struct zx_val set)
{
    const struct zx_event *a = &z->events[read], *b = &z->events[write];
    struct zx_val bit = zx_number((uint64_t)1 << a->number, 8);

    if (a->kind != ZX_READ || zx_is_init(a) || zx_is_init(b) || a->thread != b->thread || read >= write ||
        set.size == 0)
        return z->no;
    return zx_nonzero(z, zx_binary(z, CK_AND, set, bit));
}
