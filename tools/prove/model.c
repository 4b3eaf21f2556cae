/* Launches from Z3's models: small sizes, and arguments that a violation may need.  Products of variables are
 * not exact in them, and values of memory are not passed on, so a launch counts only if it is executed and
 * shows the violation. */
#include "tools/prove/internal.h"

static Z3_ast equals_number(struct pv *pv, Z3_ast a, uint64_t n)
{
    return pv_equal(pv, a, pv_number(pv, n, pv_width(pv, a)));
}

/* Constrains the sizes to GROUPS work-groups of LOCAL work-items in each dimension. */
static Z3_ast constrain_sizes(struct pv *pv, const uint32_t *local, const uint32_t *groups)
{
    struct pv_launch *l = &pv->launch;
    Z3_ast all = pv->yes;
    for (unsigned d = 0; d < pv->dimensions; d++) {
        all = pv_and(pv, all, equals_number(pv, l->local[d], local[d]));
        all = pv_and(pv, all, equals_number(pv, l->groups[d], groups[d]));
        all = pv_and(pv, all, equals_number(pv, l->global[d], (uint64_t)local[d] * groups[d]));
        all = pv_and(pv, all, equals_number(pv, l->offset[d], 0));
        for (int t = 0; t < 2; t++) {
            Z3_ast base = Z3_mk_bvmul(pv->c, l->group_id[t][d], pv_number(pv, local[d], 64));
            all = pv_and(pv, all, pv_equal(pv, l->base[t][d], base));
        }
    }
    return all;
}

static Z3_ast is_small(struct pv *pv, Z3_ast a)
{
    Z3_ast least = pv_number(pv, (uint64_t)-64, pv_width(pv, a)), most = pv_number(pv, 4096, pv_width(pv, a));
    return pv_and(pv, Z3_mk_bvsle(pv->c, least, a), Z3_mk_bvsle(pv->c, a, most));
}

static Z3_ast small_arguments(struct pv *pv)
{
    const struct in_function *f = pv->graph.frames[0].function;
    Z3_ast all = pv->yes;
    for (uint32_t p = 0; p < f->param_count; p++) {
        const struct in_ty *type = ex_type_of(pv->ex, f->params[p]);
        if (type->kind == IN_TY_INT && type->width >= 16)
            all = pv_and(pv, all, is_small(pv, pv->parameter_leaves[p][0].bits));
    }
    for (uint32_t o = 1; o < pv->objects.count; o++)
        if (pv->objects.list[o].is_argument && pv->objects.list[o].size)
            all = pv_and(pv, all, Z3_mk_bvule(pv->c, pv->objects.list[o].size, pv_number(pv, 1 << 20, 64)));
    return all;
}

uint64_t pv_element_size(struct pv *pv, uint32_t id)
{
    const struct in_ty *pointer = ex_type_of(pv->ex, id);
    uint64_t size = pointer->element ? ex_element_size(ex_argument_element(pv->ex, id)) : 0;
    return size ? size : 1;
}

/* Buffers have whole elements. */
static Z3_ast whole_elements(struct pv *pv)
{
    Z3_ast all = pv->yes;
    for (uint32_t o = 1; o < pv->objects.count; o++) {
        const struct pv_object *object = &pv->objects.list[o];
        uint64_t n;
        if (!object->is_argument || object->region == PV_PRIVATE || !object->size ||
            pv_is_number(pv, object->size, &n))
            continue;
        Z3_ast count = pv_fresh(pv, "elements", 64);
        Z3_ast some = Z3_mk_bvuge(pv->c, count, pv_number(pv, 1, 64));
        Z3_ast few = Z3_mk_bvult(pv->c, count, pv_number(pv, UINT64_C(1) << 40, 64));
        uint64_t size = object->region == PV_LOCAL ? 1 : pv_element_size(pv, object->id);
        all = pv_and(pv, all, pv_and(pv, some, few));
        all = pv_and(pv, all, pv_equal(pv, object->size, Z3_mk_bvmul(pv->c, count, pv_number(pv, size, 64))));
    }
    return all;
}

/* Constrains the abstracted products of variables to their exact values, if there are few of them. */
static Z3_ast exact_products(struct pv *pv)
{
    enum { FEW = 12 };
    Z3_ast all = pv->assumed.required;
    for (uint32_t i = 0; i < pv->abstractions.product_count && pv->abstractions.product_count <= FEW; i++) {
        const struct pv_product *p = &pv->abstractions.products[i];
        all = pv_and(pv, all, pv_equal(pv, p->result, Z3_mk_bvmul(pv->c, p->a, p->b)));
    }
    return all;
}

static bool value_in(struct pv *pv, Z3_model model, Z3_ast a, uint64_t *value)
{
    Z3_ast v;
    return Z3_model_eval(pv->c, model, a, true, &v) && pv_is_number(pv, v, value);
}

static void take_argument(struct pv *pv, Z3_model model, uint32_t p, struct prove_argument *a)
{
    uint32_t id = pv->graph.frames[0].function->params[p];
    const struct in_ty *type = ex_type_of(pv->ex, id);
    *a = (struct prove_argument){.name = ex_id(pv->ex, id)->name};
    if (type->kind == IN_TY_INT)
        a->known = value_in(pv, model, pv->parameter_leaves[p][0].bits, &a->value);
    if (type->kind == IN_TY_INT && type->width < 64 && a->value >> (type->width - 1) & 1)
        a->value |= ~UINT64_C(0) << type->width;
    for (uint32_t o = 1; o < pv->objects.count && type->kind == IN_TY_POINTER; o++) {
        const struct pv_object *object = &pv->objects.list[o];
        if (!object->is_argument || object->id != id || object->region == PV_PRIVATE || !object->size)
            continue;
        a->is_size = true;
        a->is_local = object->region == PV_LOCAL;
        a->known = value_in(pv, model, object->size, &a->value);
        if (!a->is_local)
            a->value /= pv_element_size(pv, id);
    }
}

static void take_launch(struct pv *pv, const uint32_t *local, const uint32_t *groups)
{
    struct prove_launch *launch = &pv->verdict->launches[pv->verdict->launch_count];
    Z3_ast required;
    Z3_model model = Z3_solver_get_model(pv->c, pv->solver);
    Z3_model_inc_ref(pv->c, model);
    if (!Z3_model_eval(pv->c, model, pv->assumed.required, true, &required) || required != pv->yes) {
        Z3_model_dec_ref(pv->c, model);
        return;
    }
    *launch = (struct prove_launch){.argument_count = 0};
    pv->verdict->launch_count++;
    for (unsigned d = 0; d < 3; d++) {
        launch->local[d] = d < pv->dimensions ? local[d] : 1;
        launch->global[d] = d < pv->dimensions ? local[d] * groups[d] : 1;
    }
    for (uint32_t p = 0; p < pv->graph.frames[0].function->param_count; p++)
        take_argument(pv, model, p, &launch->arguments[launch->argument_count++]);
    Z3_model_dec_ref(pv->c, model);
}

void pv_propose_launches(struct pv *pv, Z3_ast query, const struct pv_premises *with)
{
    static const struct {
        uint32_t local, groups;
    } shapes[] = {{4, 2}, {2, 2}, {16, 2}, {64, 4}, {1, 4}};
    size_t before = pv->verdict->launch_count;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        uint32_t local[3], groups[3];
        for (unsigned d = 0; d < 3; d++) {
            uint32_t given = pv->verdict->local[d], side = d ? 2 : 1;
            local[d] = given ? given : shapes[i].local > side && d ? shapes[i].local / 2 : shapes[i].local;
            groups[d] = pv->options->global[d] ? pv->options->global[d] / local[d] : shapes[i].groups;
        }
        bool full = pv->verdict->launch_count == PROVE_LAUNCHES || pv->verdict->launch_count >= before + 4;
        if (full || !groups[0] || !groups[1] || !groups[2])
            continue;
        Z3_ast here = pv_and(pv, query, pv_and(pv, constrain_sizes(pv, local, groups), whole_elements(pv)));
        Z3_ast few = pv_and(pv, here, small_arguments(pv)), exact = pv_and(pv, few, exact_products(pv));
        if (pv_ask(pv, exact, with) == Z3_L_TRUE || pv_ask(pv, few, with) == Z3_L_TRUE ||
            pv_ask(pv, here, with) == Z3_L_TRUE)
            take_launch(pv, local, groups);
    }
}
