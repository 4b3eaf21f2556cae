/* Functions of OpenCL.std: integers that indices are computed with, vector loads and stores; other results
 * are unconstrained. */
#include "tools/prove/internal.h"

#include <spirv/unified1/OpenCL.std.h>
#include <string.h>

static Z3_ast least_or_greatest(struct pv *pv, Z3_ast a, Z3_ast b, bool is_signed, bool most)
{
    Z3_ast less = is_signed ? Z3_mk_bvslt(pv->c, a, b) : Z3_mk_bvult(pv->c, a, b);
    return pv_if(pv, less, most ? b : a, most ? a : b);
}

/* NULL: the result is not constrained. */
static Z3_ast integer_function(struct pv_run *run, uint32_t function, Z3_ast a, Z3_ast b, Z3_ast c)
{
    struct pv *pv = run->pv;
    bool is_signed = function == OpenCLstd_SMin || function == OpenCLstd_SMax || function == OpenCLstd_SClamp;
    switch (function) {
    case OpenCLstd_SMin:
    case OpenCLstd_UMin:
        return least_or_greatest(pv, a, b, is_signed, false);
    case OpenCLstd_SMax:
    case OpenCLstd_UMax:
        return least_or_greatest(pv, a, b, is_signed, true);
    case OpenCLstd_SClamp:
    case OpenCLstd_UClamp:
        return pv_if(pv, is_signed ? Z3_mk_bvsle(pv->c, b, c) : Z3_mk_bvule(pv->c, b, c),
                     least_or_greatest(pv, least_or_greatest(pv, a, b, is_signed, true), c, is_signed, false),
                     pv_fresh(pv, "clamped", pv_width(pv, a)));
    case OpenCLstd_SAbs:
        return pv_if(pv, Z3_mk_bvslt(pv->c, a, pv_number(pv, 0, pv_width(pv, a))), Z3_mk_bvneg(pv->c, a), a);
    default:
        return NULL;
    }
}

static bool vector_access(struct pv_run *run, const struct in_inst *inst, uint32_t function)
{
    struct pv *pv = run->pv;
    const uint32_t *operands = inst->operands + 2;
    bool is_store = function == OpenCLstd_Vstoren, is_load = function == OpenCLstd_Vloadn;
    if (!is_store && !is_load) {
        if (function >= OpenCLstd_Vloadn && function <= OpenCLstd_Vstorea_halfn_r)
            pv_stop(pv, inst, "vload_half and vstore_half are not supported by --prove");
        return false;
    }
    uint32_t offset_id = operands[is_store], pointer_id = operands[is_store + 1];
    const struct in_ty *type = is_store ? pv_get(run, operands[0]).type : ex_type(pv->ex, inst->type);
    struct pv_leaf at = pv_get_scalar(run, pointer_id);
    uint64_t stride = in_scalar(type)->size * in_count(type);
    Z3_ast index = pv_resize(pv, pv_get_scalar(run, offset_id).bits, 64, false);
    at.bits = pv_add(pv, at.bits, pv_multiply(pv, index, pv_number(pv, stride, 64), false, pv->no, 0));
    if (is_store) {
        struct pv_value value = pv_get(run, operands[0]);
        pv_store(run, inst, pointer_id, at, &value);
    } else {
        pv_set(run, inst, pv_load(run, inst, pointer_id, at, type));
    }
    return true;
}

/* Functions such as fract write through their pointer operands. */
static void write_results(struct pv_run *run, const struct in_inst *inst)
{
    struct pv *pv = run->pv;
    for (uint32_t i = 2; i < inst->operand_count; i++) {
        struct pv_value v = pv_get(run, inst->operands[i]);
        if (v.type->kind == IN_TY_POINTER)
            pv_forget(run, inst, inst->operands[i], v.leaves[0], ex_pointed(pv->ex, v.type)->access, NULL);
    }
}

bool pv_extended(struct pv_run *run, const struct in_inst *inst)
{
    struct pv *pv = run->pv;
    if (inst->opcode != SpvOpExtInst)
        return false;
    const struct in_id *set = ex_id(pv->ex, inst->operands[0]);
    uint32_t function = inst->operands[1];
    const struct in_ty *type = ex_type(pv->ex, inst->type);
    bool is_opencl = set->string && strcmp(set->string, "OpenCL.std") == 0;
    if (set->string && strncmp(set->string, "NonSemantic.", 12) == 0)
        return true;
    if (!is_opencl)
        pv_stop(pv, inst, "functions of %.60s are not supported by --prove",
                set->string ? set->string : "this set");
    if (function == OpenCLstd_Prefetch || vector_access(run, inst, function))
        return true;
    struct pv_value out = pv_fresh_value(pv, type);
    if (function != OpenCLstd_Printf && in_scalar(type)->kind == IN_TY_INT) {
        struct pv_value operands[3] = {out, out, out};
        for (uint32_t i = 2; i < inst->operand_count && i < 5; i++)
            operands[i - 2] = pv_get(run, inst->operands[i]);
        for (uint32_t i = 0; i < out.count; i++) {
            Z3_ast bits = integer_function(run, function, operands[0].leaves[i].bits,
                                           operands[1].count > i ? operands[1].leaves[i].bits : NULL,
                                           operands[2].count > i ? operands[2].leaves[i].bits : NULL);
            out.leaves[i].bits = bits ? bits : out.leaves[i].bits;
        }
    }
    if (function != OpenCLstd_Printf)
        write_results(run, inst);
    pv_set(run, inst, out);
    return true;
}
