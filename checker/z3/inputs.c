/* Inputs of a program as free constants with ranges and requirements (docs/encoding.md#inputs). */
#include "checker/z3/internal.h"

enum { MOST_NAMED = 1024 };

static Z3_ast is_in_range(struct zx *z, const struct ck_input *in, struct zx_val value)
{
    uint64_t mask = in->size < 8 ? (UINT64_C(1) << (8 * in->size)) - 1 : UINT64_MAX;

    if (in->span == mask)
        return z->yes;
    return zx_less(z, zx_binary(z, CK_SUB, value, zx_number(in->low, in->size)),
                   zx_number(in->span, in->size), false, true);
}

static struct zx_val value_of(struct zx *z, uint32_t i)
{
    const struct ck_input *in = &z->p->inputs[i];

    if (z->inputs[i].size == 0) {
        z->inputs[i] = zx_fresh(z, "input", in->size);
        zx_assert(z, is_in_range(z, in, z->inputs[i]));
    }
    return z->inputs[i];
}

/* At a symbolic address, which no cell of known address has: an element that requirements name, or any in
 * range. */
static struct zx_val symbolic_input_value(struct zx *z, const struct zx_cell *c, uint32_t first,
                                          struct zx_val address)
{
    struct zx_val value = zx_fresh(z, "input", c->size);
    const struct ck_input *in = &z->p->inputs[first];
    uint32_t named = 0;

    zx_assert(z, is_in_range(z, in, value));
    if (in->size != c->size)
        zx_stop(z, MM_LIMIT, "z3.inputs", "an access to %s of another size than its elements",
                z->p->objects[c->object].name);
    for (uint32_t i = first; i < z->p->input_count && z->p->inputs[i].object == c->object; i++) {
        in = &z->p->inputs[i];
        if (in->low != z->p->inputs[first].low || in->span != z->p->inputs[first].span)
            zx_stop(z, MM_LIMIT, "z3.inputs", "elements of %s with different ranges",
                    z->p->objects[c->object].name);
        if (z->inputs[i].size == 0)
            continue;
        if (++named > MOST_NAMED)
            zx_stop(z, MM_LIMIT, "z3.inputs", "requirements name more than %d elements of %s", MOST_NAMED,
                    z->p->objects[c->object].name);
        value = zx_ite(z, zx_equal(z, address, zx_number(CK_OBJECT_BASE(c->object) + in->offset, 8)),
                       z->inputs[i], value);
    }
    return value;
}

struct zx_val zx_input_value(struct zx *z, const struct zx_cell *c, struct zx_val address)
{
    uint32_t first = ck_program_first_input(z->p, c->object), size;
    struct zx_val value = zx_number(0, c->size);

    if (first == ZX_NONE)
        return zx_fresh(z, "u", c->size);
    if (c->accessed_by != ZX_NONE)
        return symbolic_input_value(z, c, first, address);
    size = z->p->inputs[first].size;
    for (uint8_t at = 0, next; at < c->size; at = next) {
        uint64_t offset = c->offset + at, in = offset % size;
        uint8_t piece =
            (uint8_t)(size - in < (uint64_t)(c->size - at) ? size - in : (uint64_t)(c->size - at));
        struct zx_val element = value_of(z, first + (uint32_t)(offset / size));

        next = (uint8_t)(at + piece);
        if (piece == c->size && piece == size)
            return element;
        value = zx_with_piece(z, value, at, zx_piece(z, element, (uint8_t)in, piece));
    }
    return value;
}

static void name_inputs(struct zx *z, uint32_t expr)
{
    const struct ck_expr *e = &z->p->exprs[expr];
    unsigned operands = ck_expr_operands(e->op);

    if (e->op == CK_REG)
        value_of(z, (uint32_t)e->imm);
    if (operands > 0)
        name_inputs(z, e->a);
    if (operands > 1)
        name_inputs(z, e->b);
    if (operands > 2)
        name_inputs(z, e->c);
}

void zx_require_inputs(struct zx *z)
{
    z->inputs = zx_alloc(z, z->p->input_count + 1, sizeof *z->inputs);
    for (uint32_t i = 0; i < z->p->requirement_count; i++) {
        name_inputs(z, z->p->requirements[i]);
        zx_assert(z, zx_nonzero(z, zx_eval_expr(z, z->p->requirements[i], z->inputs)));
    }
}
