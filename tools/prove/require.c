/* Conditions of --requires as terms.  Numbers have 64 bits; arguments are extended by their types in the
 * source, sums and products wrap around. */
#include "tools/launch/require.h"
#include "tools/explore/inputs/inputs.h"
#include "tools/prove/internal.h"

#include <string.h>

struct requirement {
    struct pv *pv;
    const char *text;
    bool exact; /* products are those of numbers, not abstract */
};

static _Noreturn void reject_requirement(const struct requirement *r, const struct require *e,
                                         const char *what)
{
    ex_fail(r->pv->ex, MM_INVALID, "explore.requires", "--requires '%.200s': %s at '%.30s'", r->text, what,
            e->at);
}

static Z3_ast size_of(const struct requirement *r, const struct require *e)
{
    struct pv *pv = r->pv;
    for (uint32_t o = 1; o < pv->objects.count; o++) {
        struct pv_object *object = &pv->objects.list[o];
        if (object->region == PV_PRIVATE || object->region == PV_IMAGE || strcmp(object->name, e->name) != 0)
            continue;
        if (!object->size) {
            object->size = pv_fresh(pv, "size", 64);
            pv_fact(pv, Z3_mk_bvult(pv->c, object->size, pv_number(pv, UINT64_C(1) << 40, 64)));
        }
        return object->size;
    }
    reject_requirement(r, e, "no pointer argument or variable has this name");
}

static Z3_ast argument_term(const struct requirement *r, const struct require *e)
{
    struct pv *pv = r->pv;
    const struct in_function *f = pv->graph.frames[0].function;
    for (uint32_t p = 0; p < f->param_count; p++)
        if (strcmp(ex_id(pv->ex, f->params[p])->name, e->name) == 0 &&
            ex_type_of(pv->ex, f->params[p])->kind == IN_TY_INT)
            return pv_resize(pv, pv->parameter_leaves[p][0].bits, 64, !ex_is_unsigned(pv->ex, f->params[p]));
    reject_requirement(r, e, "no integer argument has this name");
}

static Z3_ast build_term(const struct requirement *r, const struct require *e)
{
    struct pv *pv = r->pv;
    const struct pv_launch *l = &pv->launch;
    Z3_ast a = e->op >= REQUIRE_NEGATIVE ? build_term(r, e->a) : NULL;
    Z3_ast b = e->op > REQUIRE_NEGATIVE ? build_term(r, e->b) : NULL;
    switch (e->op) {
    case REQUIRE_NUMBER:
        return pv_number(pv, (uint64_t)e->value, 64);
    case REQUIRE_NAME:
        return argument_term(r, e);
    case REQUIRE_SIZE:
        return size_of(r, e);
    case REQUIRE_GLOBAL_SIZE:
        return l->global[e->value];
    case REQUIRE_LOCAL_SIZE:
        return l->local[e->value];
    case REQUIRE_NUM_GROUPS:
        return l->groups[e->value];
    case REQUIRE_OFFSET:
        return l->offset[e->value];
    case REQUIRE_NEGATIVE:
        return Z3_mk_bvneg(pv->c, a);
    case REQUIRE_ADD:
        return pv_add(pv, a, b);
    case REQUIRE_SUBTRACT:
        return Z3_mk_bvsub(pv->c, a, b);
    case REQUIRE_MULTIPLY:
        return r->exact ? Z3_mk_bvmul(pv->c, a, b) : pv_multiply(pv, a, b, false, pv->no, 0);
    default:
        reject_requirement(r, e, "elements of memory are not supported with --prove");
    }
}

static Z3_ast build_condition(const struct requirement *r, const struct require *e)
{
    struct pv *pv = r->pv;
    switch (e->op) {
    case REQUIRE_NOT:
        return pv_not(pv, build_condition(r, e->a));
    case REQUIRE_AND:
        return pv_and(pv, build_condition(r, e->a), build_condition(r, e->b));
    case REQUIRE_OR:
        return pv_or(pv, build_condition(r, e->a), build_condition(r, e->b));
    case REQUIRE_LESS:
        return Z3_mk_bvslt(pv->c, build_term(r, e->a), build_term(r, e->b));
    case REQUIRE_AT_MOST:
        return Z3_mk_bvsle(pv->c, build_term(r, e->a), build_term(r, e->b));
    default: {
        Z3_ast equal = pv_equal(pv, build_term(r, e->a), build_term(r, e->b));
        return e->op == REQUIRE_EQUAL ? equal : pv_not(pv, equal);
    }
    }
}

Z3_ast pv_requirement(struct pv *pv, const char *text, bool exact)
{
    char message[200];
    const struct requirement r = {.pv = pv, .text = text, .exact = exact};
    pv->ex->current = NULL; /* an error in an option has no place in the kernel */
    const struct require *e = require_read(pv->ex->arena, text, message, sizeof message);
    if (!e)
        ex_fail(pv->ex, MM_INVALID, "explore.requires", "--requires '%.200s': %s", text, message);
    return build_condition(&r, e);
}
