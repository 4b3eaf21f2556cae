/* What a thread's events depend on, by the letter of the program: each register carries the set of the reads
 * that its value is computed from, a number with a bit for each read, and so does what the way to an
 * instruction was chosen by.  Only where the model asks. */
#include "checker/z3/unroll.h"

enum { MOST_READS = 64 };

void zx_depend_begin(struct zx_run *r)
{
    r->depends_reg = r->reg_count;
    if (r->z->follows)
        r->reg_count += r->t->reg_count + 1; /* the last: of the way here */
}

static struct zx_val none(void)
{
    return zx_number(0, 8);
}

static struct zx_val both(struct zx *z, struct zx_val a, struct zx_val b)
{
    return zx_binary(z, CK_OR, a, b);
}

struct zx_val zx_depends(const struct zx_run *r, uint32_t expr, const struct zx_val *regs)
{
    const struct ck_expr *e = r->z->follows ? &r->z->p->exprs[expr] : NULL;
    struct zx_val set;

    if (!e || e->op == CK_CONST)
        return none();
    if (e->op == CK_REG)
        return regs[r->depends_reg + e->imm];
    set = zx_depends(r, e->a, regs);
    if (ck_expr_operands(e->op) > 1)
        set = both(r->z, set, zx_depends(r, e->b, regs));
    if (ck_expr_operands(e->op) > 2)
        set = both(r->z, set, zx_depends(r, e->c, regs));
    return set;
}

void zx_depend_set(const struct zx_run *r, struct zx_val *regs, uint32_t reg, struct zx_val set)
{
    if (r->z->follows && reg != CK_NO_REG)
        regs[r->depends_reg + reg] = set;
}

void zx_depend_branch(const struct zx_run *r, struct zx_val *regs, uint32_t condition)
{
    struct zx_val *way = &regs[r->depends_reg + r->t->reg_count];

    *way = both(r->z, *way, zx_depends(r, condition, regs));
}

struct zx_val zx_depend_way(const struct zx_run *r, const struct zx_val *regs)
{
    return r->z->follows ? regs[r->depends_reg + r->t->reg_count] : none();
}

struct zx_val zx_depend_reads(struct zx_run *r, uint32_t first)
{
    struct zx_val set = none();

    for (uint32_t i = first; r->z->follows && i < r->z->n; i++) {
        if (r->read_count == MOST_READS)
            zx_stop(r->z, MM_LIMIT, "z3.depend",
                    "dependencies are followed from %u reads of a thread, not more", MOST_READS);
        r->z->events[i].number = r->read_count;
        set.k |= (uint64_t)1 << r->read_count++;
    }
    return set;
}

/* Halves of one operation are related by rmw alone. */
Z3_ast zx_depends_on(struct zx *z, uint32_t write, uint32_t read, struct zx_val set)
{
    const struct zx_event *a = &z->events[read], *b = &z->events[write];
    struct zx_val bit = zx_number((uint64_t)1 << a->number, 8);

    if (a->kind != ZX_READ || zx_is_init(a) || zx_is_init(b) || a->thread != b->thread || read >= write ||
        set.size == 0)
        return z->no;
    return zx_nonzero(z, zx_binary(z, CK_AND, set, bit));
}
