/* Variables of a launch and of the two work-items: sizes and ids of any launch that the assumptions allow. */
#include "tools/launch/spec.h"
#include "tools/prove/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes and offsets are below this power of two, so that ids fit into an int. */
enum { SIZE_BITS = 31 };

/* ---- dimensions ----------------------------------------------------------------------------------- */

static bool has_dimensions(int32_t builtin)
{
    switch (builtin) {
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInLocalInvocationId:
    case SpvBuiltInWorkgroupId:
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInGlobalSize:
    case SpvBuiltInGlobalOffset:
    case SpvBuiltInEnqueuedWorkgroupSize:
        return true;
    default:
        return false;
    }
}

static unsigned dimension_of(struct pv *pv, const struct in_inst *use, uint32_t id)
{
    uint64_t index;
    if (use->opcode == SpvOpCompositeExtract && use->operand_count == 2)
        return use->operands[1] + 1;
    if (use->opcode == SpvOpAccessChain && use->operands[0] == id && use->operand_count == 2 &&
        ex_constant(pv->ex, use->operands[1], 0, &index))
        return (unsigned)index + 1;
    return 3;
}

/* Operands behind these are literals. */
static uint32_t id_operands(const struct in_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpLine:
    case SpvOpVariable:
        return 0;
    case SpvOpLoad:
    case SpvOpCompositeExtract:
        return 1;
    case SpvOpStore:
    case SpvOpVectorShuffle:
    case SpvOpCompositeInsert:
        return 2;
    default:
        return inst->operand_count;
    }
}

static bool uses_id(const struct in_inst *inst, uint32_t id)
{
    bool any = false;
    for (uint32_t i = 0; i < id_operands(inst) && i < inst->operand_count; i++)
        any |= inst->operands[i] == id;
    return any;
}

static void widen_value(struct pv *pv, uint32_t id, bool is_pointer)
{
    for (uint32_t b = 0; b < pv->graph.block_count; b++)
        for (const struct in_inst *i = pv->graph.blocks[b].first; i <= pv->graph.blocks[b].last; i++) {
            if (!uses_id(i, id))
                continue;
            unsigned n = is_pointer && i->opcode == SpvOpLoad ? 0 : dimension_of(pv, i, id);
            if (is_pointer && i->opcode == SpvOpLoad)
                widen_value(pv, i->result, false);
            pv->dimensions = n > pv->dimensions ? n : pv->dimensions;
        }
}

/* Launches have as many dimensions as the kernel asks for, or as the options give. */
void pv_find_dimensions(struct pv *pv)
{
    pv->dimensions = 1;
    for (uint32_t o = 1; o < pv->objects.count; o++)
        if (pv->objects.list[o].region == PV_BUILTIN &&
            has_dimensions(ex_id(pv->ex, pv->objects.list[o].id)->builtin))
            widen_value(pv, pv->objects.list[o].id, true);
    for (unsigned i = 0; i < 3; i++)
        if (pv->options->global[i] > 1 || pv->options->local[i] > 1)
            pv->dimensions = i + 1 > pv->dimensions ? i + 1 : pv->dimensions;
    pv->dimensions = pv->dimensions > 3 ? 3 : pv->dimensions;
}

/* ---- sizes ---------------------------------------------------------------------------------------- */

static Z3_ast number_word(struct pv *pv, uint64_t n)
{
    return pv_number(pv, n, 64);
}

static Z3_ast is_below(struct pv *pv, Z3_ast a, Z3_ast b)
{
    return Z3_mk_bvult(pv->c, a, b);
}

static void require_local_size(struct pv *pv)
{
    const struct in_inst *end = pv->ex->module.insts + pv->ex->module.inst_count;
    for (const struct in_inst *i = pv->ex->module.insts; i < end && !pv->ex->module.vulkan; i++)
        if (i->opcode == SpvOpExecutionMode && i->operand_count == 5 &&
            i->operands[0] == pv->ex->entry->function && i->operands[1] == SpvExecutionModeLocalSize)
            for (unsigned d = 0; d < 3; d++)
                pv->verdict->local[d] = i->operands[2 + d];
    for (unsigned d = 0; d < 3; d++)
        if (pv->options->local[d])
            pv->verdict->local[d] = pv->options->local[d];
    for (unsigned d = 0; d < 3; d++)
        if (pv->verdict->local[d] > 1 && d >= pv->dimensions)
            pv->dimensions = d + 1;
}

static Z3_ast size_variable(struct pv *pv, const char *name, unsigned d, uint32_t fixed)
{
    if (d >= pv->dimensions)
        return number_word(pv, 1);
    return fixed ? number_word(pv, fixed) : pv_fresh(pv, name, 64);
}

static void declare_sizes(struct pv *pv, unsigned d)
{
    struct pv_launch *l = &pv->launch;
    uint32_t local = pv->verdict->local[d], global = pv->options->global[d];
    l->local[d] = size_variable(pv, "local_size", d, local);
    l->global[d] = size_variable(pv, "global_size", d, global);
    l->groups[d] = size_variable(pv, "num_groups", d, local && global ? global / local : 0);
    l->offset[d] = d < pv->dimensions ? pv_fresh(pv, "offset", 64) : number_word(pv, 0);
    if (local && global % local)
        ex_fail(pv->ex, MM_INVALID, "explore.launch",
                "the global size %u is no multiple of the local size %u", global, local);
    if (d >= pv->dimensions)
        return;
    Z3_ast limit = number_word(pv, UINT64_C(1) << SIZE_BITS), one = number_word(pv, 1);
    pv_fact(pv, is_below(pv, l->global[d], limit));
    pv_fact(pv, is_below(pv, l->offset[d], limit));
    pv_fact(pv, is_below(pv, pv_add(pv, l->offset[d], l->global[d]), limit));
    pv_fact(pv, Z3_mk_bvuge(pv->c, l->local[d], one));
    pv_fact(pv, Z3_mk_bvuge(pv->c, l->groups[d], one));
    pv_fact(pv, Z3_mk_bvule(pv->c, l->local[d], l->global[d]));
    pv_fact(pv, Z3_mk_bvule(pv->c, l->groups[d], l->global[d]));
    pv_fact(pv, pv_equal(pv, pv_equal(pv, l->groups[d], one), pv_equal(pv, l->global[d], l->local[d])));
    pv_fact(pv, pv_implies(pv, pv_equal(pv, l->local[d], one), pv_equal(pv, l->global[d], l->groups[d])));
}

/* The global size is a multiple of the local size; the base of a group is the product of its id and that
 * size.  Both are variables: these facts are what products of such numbers have in common. */
static void declare_ids(struct pv *pv, unsigned d, int t)
{
    struct pv_launch *l = &pv->launch;
    if (d >= pv->dimensions) {
        l->local_id[t][d] = l->group_id[t][d] = l->base[t][d] = number_word(pv, 0);
        return;
    }
    l->local_id[t][d] = pv_fresh(pv, "local_id", 64);
    l->group_id[t][d] = pv_fresh(pv, "group_id", 64);
    l->base[t][d] = pv_fresh(pv, "group_base", 64);
    Z3_ast zero = number_word(pv, 0), end = pv_add(pv, l->base[t][d], l->local[d]);
    pv_fact(pv, is_below(pv, l->local_id[t][d], l->local[d]));
    pv_fact(pv, is_below(pv, l->group_id[t][d], l->groups[d]));
    pv_fact(pv, Z3_mk_bvule(pv->c, l->base[t][d], l->global[d]));
    pv_fact(pv, Z3_mk_bvule(pv->c, end, l->global[d]));
    pv_fact(pv, Z3_mk_bvule(pv->c, l->group_id[t][d], l->base[t][d]));
    pv_fact(pv, pv_equal(pv, pv_equal(pv, l->group_id[t][d], zero), pv_equal(pv, l->base[t][d], zero)));
    pv_fact(pv, pv_equal(pv, pv_equal(pv, pv_add(pv, l->group_id[t][d], number_word(pv, 1)), l->groups[d]),
                         pv_equal(pv, end, l->global[d])));
    uint64_t size;
    if (pv_is_number(pv, l->local[d], &size))
        pv_fact(pv,
                pv_equal(pv, l->base[t][d],
                         size == 1 ? l->group_id[t][d] : Z3_mk_bvmul(pv->c, l->group_id[t][d], l->local[d])));
}

static Z3_ast global_id(struct pv *pv, int t, unsigned d)
{
    struct pv_launch *l = &pv->launch;
    if (d >= pv->dimensions)
        return number_word(pv, 0);
    if (!l->global_id[t][d]) {
        l->global_id[t][d] = pv_fresh(pv, "global_id", 64);
        Z3_ast sum = pv_add(pv, pv_add(pv, l->base[t][d], l->local_id[t][d]), l->offset[d]);
        pv_fact(pv, pv_implies(pv, pv->assumed.exact_ids, pv_equal(pv, l->global_id[t][d], sum)));
    }
    return l->global_id[t][d];
}

/* Groups lie one after the other, and so do the work-items of each; the order of global ids follows, which Z3
 * need not find out. */
static void relate_groups(struct pv *pv, unsigned d)
{
    struct pv_launch *l = &pv->launch;
    pv_fact(pv, is_below(pv, global_id(pv, 0, d), number_word(pv, UINT64_C(1) << SIZE_BITS)));
    pv_fact(pv, is_below(pv, global_id(pv, 1, d), number_word(pv, UINT64_C(1) << SIZE_BITS)));
    for (int t = 0; t < 2; t++) {
        Z3_ast same = pv_equal(pv, l->group_id[t][d], l->group_id[1 - t][d]);
        Z3_ast before = pv_or(pv, is_below(pv, l->group_id[t][d], l->group_id[1 - t][d]),
                              pv_and(pv, same, is_below(pv, l->local_id[t][d], l->local_id[1 - t][d])));
        pv_fact(pv, pv_implies(pv, before, is_below(pv, global_id(pv, t, d), global_id(pv, 1 - t, d))));
        Z3_ast less = is_below(pv, l->group_id[t][d], l->group_id[1 - t][d]);
        Z3_ast end = pv_add(pv, l->base[t][d], l->local[d]);
        pv_fact(pv, pv_implies(pv, less, Z3_mk_bvule(pv->c, end, l->base[1 - t][d])));
    }
    pv_fact(pv, pv_implies(pv, pv_equal(pv, l->group_id[0][d], l->group_id[1][d]),
                           pv_equal(pv, l->base[0][d], l->base[1][d])));
}

static Z3_ast equal_in_all(struct pv *pv, Z3_ast (*ids)[3])
{
    Z3_ast all = pv->yes;
    for (unsigned d = 0; d < pv->dimensions; d++)
        all = pv_and(pv, all, pv_equal(pv, ids[0][d], ids[1][d]));
    return all;
}

Z3_ast pv_same_group(struct pv *pv)
{
    return pv_and(pv, equal_in_all(pv, pv->launch.group_id),
                  pv_not(pv, equal_in_all(pv, pv->launch.local_id)));
}

Z3_ast pv_other_group(struct pv *pv)
{
    return pv_not(pv, equal_in_all(pv, pv->launch.group_id));
}

/* ---- arguments ------------------------------------------------------------------------------------ */

/* The specification of argument P among those of the command line, NULL: none. */
static bool argument_spec(struct pv *pv, const char *name, uint32_t p, struct spec *spec)
{
    uint32_t position = 0;
    char message[400];
    for (size_t i = 0; i < pv->options->argument_count; i++) {
        const char *text = pv->options->arguments[i];
        size_t n = spec_name_length(text);
        bool is_it = n ? strlen(name) == n && memcmp(text, name, n) == 0 : position++ == p;
        if (!is_it)
            continue;
        if (!spec_read(text, spec, message, sizeof message))
            ex_fail(pv->ex, MM_INVALID, "argument", "--arg %.100s: %s", text, message);
        return true;
    }
    return false;
}

static void declare_object_argument(struct pv *pv, struct pv_object *o, const struct in_ty *type, uint32_t p)
{
    struct spec spec = {0};
    bool given = argument_spec(pv, o->name, p, &spec);
    o->is_null = o->region == PV_IMAGE || o->region == PV_PRIVATE ? pv->no : pv_fresh(pv, "is_null", 0);
    if (o->region == PV_PRIVATE) {
        o->size = number_word(pv, ex_pointed(pv->ex, type)->size);
        pv->parameter_leaves[p] = pv_fresh_value(pv, ex_pointed(pv->ex, type)).leaves;
        return;
    }
    if (given && spec.kind == SPEC_LOCAL)
        o->size = number_word(pv, spec.count);
    else if (given && (spec.kind == SPEC_BUFFER || spec.kind == SPEC_SVM))
        o->size = number_word(pv, spec.count * pv_element_size(pv, o->id));
    if (given)
        spec_clear(&spec);
}

static void declare_value_argument(struct pv *pv, const struct in_inst *inst, const struct in_ty *type,
                                   uint32_t p)
{
    struct spec spec = {0};
    struct pv_value value = pv_fresh_value(pv, type);
    const char *name = ex_id(pv->ex, inst->result)->name;
    pv->parameter_leaves[p] = value.leaves;
    if (argument_spec(pv, name, p, &spec)) {
        bool is_whole = spec.kind == SPEC_VALUE && spec.value.form <= SPEC_HEXADECIMAL &&
                        type->kind == IN_TY_INT && type->width <= 64;
        if (is_whole)
            value.leaves[0].bits = pv_number(pv, spec.value.whole, type->width);
        spec_clear(&spec);
    }
}

static void declare_arguments(struct pv *pv)
{
    const struct in_function *f = pv->graph.frames[0].function;
    if (f->param_count > sizeof pv->parameter_leaves / sizeof *pv->parameter_leaves)
        pv_stop(pv, NULL, "limit reached: %u arguments", f->param_count);
    for (uint32_t p = 0; p < f->param_count; p++) {
        const struct in_inst *inst = ex_definition(pv->ex, f->params[p]);
        const struct in_ty *type = ex_type(pv->ex, inst->type);
        uint32_t o = 1;
        while (o < pv->objects.count &&
               !(pv->objects.list[o].is_argument && pv->objects.list[o].id == inst->result))
            o++;
        if (o < pv->objects.count)
            declare_object_argument(pv, &pv->objects.list[o], type, p);
        else
            declare_value_argument(pv, inst, type, p);
    }
}

void pv_declare_launch(struct pv *pv)
{
    require_local_size(pv);
    for (unsigned d = 0; d < 3; d++) {
        declare_sizes(pv, d);
        for (int t = 0; t < 2; t++)
            declare_ids(pv, d, t);
        if (d < pv->dimensions)
            relate_groups(pv, d);
    }
    pv->launch.dimensions = pv_fresh(pv, "dimensions", 64);
    pv_fact(pv, pv_and(pv, is_below(pv, number_word(pv, 0), pv->launch.dimensions),
                       is_below(pv, pv->launch.dimensions, number_word(pv, 4))));
    declare_arguments(pv);
    pv->verdict->dimensions = pv->dimensions;
    pv->assumed.required = pv->yes;
    for (size_t i = 0; i < pv->options->requirement_count; i++) {
        pv_fact(pv, pv_requirement(pv, pv->options->requirements[i], false));
        pv->assumed.required =
            pv_and(pv, pv->assumed.required, pv_requirement(pv, pv->options->requirements[i], true));
    }
}

/* ---- built-in variables --------------------------------------------------------------------------- */

/* Linear ids, constrained to be ordered like the ids that they number, which suffices for proofs. */
static Z3_ast linear_local_id(struct pv_run *run)
{
    struct pv *pv = run->pv;
    struct pv_launch *l = &pv->launch;
    if (pv->dimensions == 1)
        return l->local_id[run->thread][0];
    for (int t = 0; t < 2 && !l->linear[1]; t++)
        l->linear[t] = pv_fresh(pv, "local_linear_id", 64);
    if (!pv->uses_local_linear) {
        pv->uses_local_linear = true;
        pv_fact(pv, pv_equal(pv, equal_in_all(pv, l->local_id), pv_equal(pv, l->linear[0], l->linear[1])));
        for (int t = 0; t < 2; t++)
            pv_fact(pv, is_below(pv, l->linear[t], number_word(pv, UINT64_C(1) << SIZE_BITS)));
    }
    return l->linear[run->thread];
}

static Z3_ast builtin_component(struct pv_run *run, uint32_t builtin, unsigned d)
{
    struct pv *pv = run->pv;
    const struct pv_launch *l = &pv->launch;
    int t = run->thread;
    switch (builtin) {
    case SpvBuiltInGlobalInvocationId:
        return global_id(pv, t, d);
    case SpvBuiltInLocalInvocationId:
        return l->local_id[t][d];
    case SpvBuiltInWorkgroupId:
        return l->group_id[t][d];
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInEnqueuedWorkgroupSize:
        return l->local[d];
    case SpvBuiltInNumWorkgroups:
        return l->groups[d];
    case SpvBuiltInGlobalSize:
        return l->global[d];
    case SpvBuiltInGlobalOffset:
        return l->offset[d];
    case SpvBuiltInWorkDim:
        return l->dimensions;
    case SpvBuiltInLocalInvocationIndex:
        return linear_local_id(run);
    case SpvBuiltInGlobalLinearId:
        return pv->dimensions == 1 ? pv_add(pv, l->base[t][0], l->local_id[t][0]) : NULL;
    default:
        return NULL;
    }
}

struct pv_value pv_builtin(struct pv_run *run, uint32_t builtin, const struct in_ty *type)
{
    struct pv_value v = pv_fresh_value(run->pv, type);
    for (uint32_t d = 0; d < v.count && d < 3; d++) {
        Z3_ast bits = builtin_component(run, builtin, d);
        if (bits)
            v.leaves[d].bits = pv_low(run->pv, bits, in_scalar(type)->width);
    }
    return v;
}

/* ---- assumptions ---------------------------------------------------------------------------------- */

static void assume_requirement(struct pv *pv, const char *text)
{
    struct prove_verdict *v = pv->verdict;
    if (v->assumption_count < PROVE_ASSUMPTIONS)
        snprintf(v->assumptions[v->assumption_count++], PROVE_TEXT, "%s", text);
}

static bool has_specialization(struct pv *pv)
{
    const struct in_inst *i = pv->ex->module.insts, *end = i + pv->ex->module.inst_count;
    while (i < end && !(i->opcode >= SpvOpSpecConstantTrue && i->opcode <= SpvOpSpecConstantOp))
        i++;
    return i < end;
}

void pv_state_assumptions(struct pv *pv)
{
    char text[PROVE_TEXT];
    snprintf(
        text, sizeof text,
        "launches in %u dimension%s, or of size 1 in others; offset + global size < 2^%d, and the global size is a multiple of the local size",
        pv->dimensions, pv->dimensions == 1 ? "" : "s", SIZE_BITS);
    assume_requirement(pv, text);
    for (unsigned d = 0; d < pv->dimensions; d++) {
        if (pv->verdict->local[d]) {
            snprintf(text, sizeof text, "local size %u in dimension %u", pv->verdict->local[d], d);
            assume_requirement(pv, text);
        }
        if (pv->options->global[d]) {
            snprintf(text, sizeof text, "global size %u in dimension %u", pv->options->global[d], d);
            assume_requirement(pv, text);
        }
    }
    assume_requirement(
        pv,
        "distinct pointer arguments, images and variables are objects that do not overlap, of less than 2^40 bytes, and which the host does not write meanwhile");
    assume_requirement(pv, "accesses and in-bounds pointer arithmetic stay inside their objects");
    if (pv->assumed.no_overflow)
        assume_requirement(pv, "signed products do not overflow (NoSignedWrap)");
    if (pv->assumed.quotients)
        assume_requirement(pv, "no integer is divided by 0, and no signed quotient overflows");
    if (has_specialization(pv) && !pv->ex->module.vulkan)
        assume_requirement(pv, "specialization constants have their default values");
    if (pv->graph.loop_count)
        assume_requirement(pv, "every loop ends");
    for (size_t i = 0; i < pv->options->argument_count; i++) {
        snprintf(text, sizeof text, "--arg %.400s", pv->options->arguments[i]);
        assume_requirement(pv, text);
    }
    for (size_t i = 0; i < pv->options->requirement_count; i++) {
        snprintf(text, sizeof text, "%.400s (64-bit numbers, which wrap around)",
                 pv->options->requirements[i]);
        assume_requirement(pv, text);
    }
}
