/* Built-in variables of a work-item, and the integer functions of the instruction sets.
 * [SPIRV 3.21 built-ins; OpenCL.std 2.2; GLSL.std.450] */
#include "tools/explore/module/module.h"
#include "tools/explore/program/build.h"
#include "tools/explore/value/value.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/OpenCL.std.h>
#include <string.h>

static uint64_t product_of_sizes(const uint32_t *n)
{
    return (uint64_t)n[0] * n[1] * n[2];
}

static uint64_t local_linear(const struct ex *ex)
{
    const uint32_t *n = ex->config.launch.local;
    const uint64_t *id = ex->item.local_id;
    return (id[2] * n[1] + id[1]) * n[0] + id[0];
}

static uint64_t sub_group_value(struct ex *ex, uint32_t builtin)
{
    const struct ex_launch *l = &ex->config.launch;
    const struct ex_item *b = &ex->item;
    uint64_t left = product_of_sizes(l->local) - (uint64_t)b->sub_group * l->sub_group;
    ex->uses_sub_groups = true;
    switch (builtin) {
    case SpvBuiltInSubgroupSize:
        return left < l->sub_group ? left : l->sub_group;
    case SpvBuiltInSubgroupMaxSize:
        return l->sub_group;
    case SpvBuiltInNumSubgroups:
    case SpvBuiltInNumEnqueuedSubgroups:
        return (product_of_sizes(l->local) + l->sub_group - 1) / l->sub_group;
    case SpvBuiltInSubgroupId:
        return b->sub_group;
    case SpvBuiltInSubgroupLocalInvocationId:
        return b->sub_group_local_id;
    default:
        ex_fail(ex, MM_LIMIT, "explore.builtin", "built-in %u is not explored", builtin);
    }
}

uint64_t ex_launch_value(struct ex *ex, uint32_t builtin, unsigned i)
{
    const struct ex_launch *l = &ex->config.launch;
    const struct ex_item *b = &ex->item;
    switch (builtin) {
    case SpvBuiltInGlobalInvocationId:
        return b->global_id[i];
    case SpvBuiltInLocalInvocationId:
        return b->local_id[i];
    case SpvBuiltInWorkgroupId:
        return b->group_id[i];
    case SpvBuiltInGlobalSize:
        return l->global[i];
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInEnqueuedWorkgroupSize:
        return l->local[i];
    case SpvBuiltInNumWorkgroups:
        return l->global[i] / l->local[i];
    case SpvBuiltInGlobalOffset:
    case SpvBuiltInDeviceIndex:
        return 0;
    case SpvBuiltInWorkDim:
        return l->global[2] > 1 ? 3 : l->global[1] > 1 ? 2 : 1;
    case SpvBuiltInLocalInvocationIndex:
        return local_linear(ex);
    case SpvBuiltInGlobalLinearId:
        return (b->global_id[2] * l->global[1] + b->global_id[1]) * l->global[0] + b->global_id[0];
    default:
        return sub_group_value(ex, builtin);
    }
}

struct ex_value ex_builtin_value(struct ex *ex, uint32_t builtin, const struct in_ty *type)
{
    struct ex_value v = ex_new_value(ex, type);
    if (v.count > 3)
        ex_fail(ex, MM_INVALID, "SPIRV 3.21", "a built-in with more than three components");
    for (uint32_t i = 0; i < v.count; i++)
        v.leaves[i] = ex_const(ex, ex_launch_value(ex, builtin, i), v.scalars[i].size);
    return v;
}

/* ---- extended instructions ---------------------------------------------------------------------- */

enum function {
    F_SMAX,
    F_UMAX,
    F_SMIN,
    F_UMIN,
    F_SABS,
    F_SSIGN,
    F_LOWEST_BIT,
    F_HIGHEST_BIT,
    F_HIGHEST_OTHER_BIT, /* than the sign */
    F_SCLAMP,
    F_UCLAMP,
    F_UMAD24,
    F_UMUL24,
    F_SADD_SAT,
    F_UADD_SAT,
    F_SSUB_SAT,
    F_USUB_SAT
};
#define ABSENT UINT32_MAX
static const struct row {
    uint32_t opencl, glsl; /* numbers in OpenCL.std and GLSL.std.450 */
    enum function function;
    unsigned operands;
} functions[] = {
    {OpenCLstd_SMax, GLSLstd450SMax, F_SMAX, 2},
    {OpenCLstd_UMax, GLSLstd450UMax, F_UMAX, 2},
    {OpenCLstd_SMin, GLSLstd450SMin, F_SMIN, 2},
    {OpenCLstd_UMin, GLSLstd450UMin, F_UMIN, 2},
    {OpenCLstd_SAbs, GLSLstd450SAbs, F_SABS, 1},
    {ABSENT, GLSLstd450SSign, F_SSIGN, 1},
    {ABSENT, GLSLstd450FindILsb, F_LOWEST_BIT, 1},
    {ABSENT, GLSLstd450FindUMsb, F_HIGHEST_BIT, 1},
    {ABSENT, GLSLstd450FindSMsb, F_HIGHEST_OTHER_BIT, 1},
    {OpenCLstd_SClamp, GLSLstd450SClamp, F_SCLAMP, 3},
    {OpenCLstd_UClamp, GLSLstd450UClamp, F_UCLAMP, 3},
    {OpenCLstd_SMad24, ABSENT, F_UMAD24, 3},
    {OpenCLstd_UMad24, ABSENT, F_UMAD24, 3},
    {OpenCLstd_SMul24, ABSENT, F_UMUL24, 2},
    {OpenCLstd_UMul24, ABSENT, F_UMUL24, 2},
    {OpenCLstd_SAdd_sat, ABSENT, F_SADD_SAT, 2},
    {OpenCLstd_UAdd_sat, ABSENT, F_UADD_SAT, 2},
    {OpenCLstd_SSub_sat, ABSENT, F_SSUB_SAT, 2},
    {OpenCLstd_USub_sat, ABSENT, F_USUB_SAT, 2},
};

static const struct row *function_row(bool opencl, uint32_t number)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if ((opencl ? functions[i].opencl : functions[i].glsl) == number)
            return &functions[i];
    return NULL;
}

static uint32_t choose_value(struct ex *ex, uint32_t condition, uint32_t a, uint32_t b)
{
    return ex_hold(ex, ex_select(ex, condition, a, b));
}

static uint32_t least_or_greatest(struct ex *ex, enum ck_expr_op less, bool largest, uint32_t a, uint32_t b)
{
    uint32_t a_less = ex_binary(ex, less, a, b);
    return largest ? choose_value(ex, a_less, b, a) : choose_value(ex, a_less, a, b);
}

static uint32_t saturated_sum(struct ex *ex, bool is_signed, bool add, uint32_t a, uint32_t b)
{
    unsigned n = ex_size(ex, a);
    uint32_t r = ex_hold(ex, ex_binary(ex, add ? CK_ADD : CK_SUB, a, b)), zero = ex_const(ex, 0, n);
    if (!is_signed) {
        uint32_t overflows = add ? ex_binary(ex, CK_ULT, r, a) : ex_binary(ex, CK_ULT, a, b);
        return choose_value(ex, overflows, add ? ex_const(ex, ~UINT64_C(0), n) : zero, r);
    }
    uint64_t top = UINT64_C(1) << (8 * n - 1);
    uint32_t limit =
        choose_value(ex, ex_binary(ex, CK_SLT, a, zero), ex_const(ex, top, n), ex_const(ex, top - 1, n));
    uint32_t one = ex_binary(ex, CK_XOR, a, r),
             two = add ? ex_binary(ex, CK_XOR, b, r) : ex_binary(ex, CK_XOR, a, b);
    uint32_t overflows = ex_binary(ex, CK_SLT, ex_binary(ex, CK_AND, one, two), zero);
    return choose_value(ex, overflows, limit, r);
}

/* The number of the highest bit of A that is 1; all ones if there is none. */
static uint32_t highest_bit(struct ex *ex, uint32_t a)
{
    unsigned n = ex_size(ex, a);
    uint32_t zero = ex_const(ex, 0, n), none = ex_hold(ex, ex_binary(ex, CK_EQ, a, zero)), number = zero;
    for (unsigned step = 4 * n; step; step /= 2) {
        uint32_t higher = ex_binary(ex, CK_LSHR, a, ex_const(ex, step, n));
        uint32_t lower_half = ex_hold(ex, ex_binary(ex, CK_EQ, higher, zero));
        number = ex_binary(ex, CK_ADD, number, choose_value(ex, lower_half, zero, ex_const(ex, step, n)));
        a = choose_value(ex, lower_half, a, higher);
    }
    return choose_value(ex, none, ex_const(ex, ~UINT64_C(0), n), number);
}

static uint32_t sign_of(struct ex *ex, uint32_t a)
{
    unsigned n = ex_size(ex, a);
    uint32_t zero = ex_const(ex, 0, n), one = ex_const(ex, 1, n);
    uint32_t negative = choose_value(ex, ex_binary(ex, CK_SLT, a, zero), ex_const(ex, ~UINT64_C(0), n), zero);
    return choose_value(ex, ex_binary(ex, CK_SLT, zero, a), one, negative);
}

static uint32_t apply_builtin(struct ex *ex, enum function f, const uint32_t *a)
{
    unsigned n = ex_size(ex, a[0]);
    switch (f) {
    case F_SMAX:
        return least_or_greatest(ex, CK_SLT, true, a[0], a[1]);
    case F_UMAX:
        return least_or_greatest(ex, CK_ULT, true, a[0], a[1]);
    case F_SMIN:
        return least_or_greatest(ex, CK_SLT, false, a[0], a[1]);
    case F_UMIN:
        return least_or_greatest(ex, CK_ULT, false, a[0], a[1]);
    case F_SABS:
        return choose_value(ex, ex_binary(ex, CK_SLT, a[0], ex_const(ex, 0, n)), ex_unary(ex, CK_NEG, a[0]),
                            a[0]);
    case F_SSIGN:
        return sign_of(ex, a[0]);
    case F_LOWEST_BIT:
        return highest_bit(ex, ex_hold(ex, ex_binary(ex, CK_AND, a[0], ex_unary(ex, CK_NEG, a[0]))));
    case F_HIGHEST_BIT:
        return highest_bit(ex, ex_hold(ex, a[0]));
    case F_HIGHEST_OTHER_BIT:
        return highest_bit(ex,
                           choose_value(ex, ex_binary(ex, CK_SLT, a[0], ex_const(ex, 0, n)),
                                        ex_binary(ex, CK_XOR, a[0], ex_const(ex, ~UINT64_C(0), n)), a[0]));
    case F_SCLAMP:
        return least_or_greatest(ex, CK_SLT, false, least_or_greatest(ex, CK_SLT, true, a[0], a[1]), a[2]);
    case F_UCLAMP:
        return least_or_greatest(ex, CK_ULT, false, least_or_greatest(ex, CK_ULT, true, a[0], a[1]), a[2]);
    case F_UMUL24:
        return ex_hold(ex, ex_binary(ex, CK_MUL, a[0], a[1]));
    case F_UMAD24:
        return ex_hold(ex, ex_binary(ex, CK_ADD, ex_binary(ex, CK_MUL, a[0], a[1]), a[2]));
    case F_SADD_SAT:
    case F_SSUB_SAT:
        return saturated_sum(ex, true, f == F_SADD_SAT, a[0], a[1]);
    default:
        return saturated_sum(ex, false, f == F_UADD_SAT, a[0], a[1]);
    }
}

void ex_extended(struct ex *ex, const struct in_inst *inst)
{
    const char *set = inst->operand_count > 1 ? ex_id(ex, inst->operands[0])->string : "";
    bool opencl = strcmp(set, "OpenCL.std") == 0, known = opencl || strcmp(set, "GLSL.std.450") == 0;
    const struct row *row = known ? function_row(opencl, inst->operands[1]) : NULL;
    if (strncmp(set, "NonSemantic.", 12) == 0 || strncmp(set, "OpenCL.DebugInfo", 16) == 0)
        return;
    if (!row && opencl && ex_function_call(ex, inst))
        return;
    if (!row)
        ex_fail(ex, MM_LIMIT, "explore.function", "function %u of %s is not explored",
                inst->operand_count > 1 ? inst->operands[1] : 0, *set ? set : "an unknown set");
    if (inst->operand_count < 2 + row->operands)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.4", "a function lacks operands");
    struct ex_value out = ex_result(ex, inst);
    for (uint32_t i = 0; i < out.count; i++) {
        uint32_t a[3] = {0};
        for (unsigned k = 0; k < row->operands; k++) {
            struct ex_value *v = ex_get(ex, inst->operands[2 + k]);
            if (v->count != out.count || (k && ex_size(ex, v->leaves[i]) != ex_size(ex, a[0])))
                ex_fail(ex, MM_INVALID, "SPIRV 3.42.4", "operands of different types");
            a[k] = v->leaves[i];
        }
        out.leaves[i] = apply_builtin(ex, row->function, a);
    }
    ex_set(ex, inst->result, out);
}
