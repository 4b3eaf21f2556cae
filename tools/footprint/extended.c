/* Functions of OpenCL.std that matter for what is accessed: integers, and vectors in memory [CLC 6.15]. */
#include "tools/footprint/run.h"

#include <spirv/unified1/OpenCL.std.h>

static int64_t as_signed(const struct fp_run *run, uint32_t id, uint64_t n)
{
    const struct in_ty *ty = fp_type_of(run, id);
    return (int64_t)fp_extend(n, ty && ty->kind == IN_TY_INT ? ty->width : 64);
}

static bool integer_function(uint32_t function, const uint64_t u[3], const int64_t s[3], uint64_t *n)
{
    switch (function) {
    case OpenCLstd_SMin:
        *n = (uint64_t)(s[0] < s[1] ? s[0] : s[1]);
        return true;
    case OpenCLstd_SMax:
        *n = (uint64_t)(s[0] > s[1] ? s[0] : s[1]);
        return true;
    case OpenCLstd_UMin:
        *n = u[0] < u[1] ? u[0] : u[1];
        return true;
    case OpenCLstd_UMax:
        *n = u[0] > u[1] ? u[0] : u[1];
        return true;
    case OpenCLstd_SMad24:
        *n = (uint64_t)(s[0] * s[1] + s[2]) & UINT32_MAX;
        return true;
    case OpenCLstd_UMad24:
        *n = (u[0] * u[1] + u[2]) & UINT32_MAX;
        return true;
    case OpenCLstd_SMul24:
        *n = (uint64_t)(s[0] * s[1]) & UINT32_MAX;
        return true;
    case OpenCLstd_UMul24:
        *n = u[0] * u[1] & UINT32_MAX;
        return true;
    default:
        return false;
    }
}

static struct fp_value integer_result(const struct fp_run *run, const struct in_inst *inst)
{
    uint64_t u[3] = {0}, n = 0;
    int64_t s[3] = {0};
    for (uint32_t i = 0; i < 3 && i + 2 < inst->operand_count; i++) {
        const struct fp_value *v = &run->values[inst->operands[i + 2]];
        if (v->kind != FP_INT)
            return (struct fp_value){0};
        u[i] = v->n;
        s[i] = as_signed(run, inst->operands[i + 2], v->n);
    }
    if (!integer_function(inst->operands[1], u, s, &n))
        return (struct fp_value){0};
    return (struct fp_value){.kind = FP_INT, .n = n};
}

/* vloadn and vstoren: access COUNT elements from element COUNT * INDEX on. */
static void vector_access(struct fp_run *run, const struct in_inst *inst, uint32_t index, uint32_t pointer,
                          uint32_t count, enum mm_kind kind)
{
    const struct in_ty *ty = fp_type_of(run, pointer), *element = ty ? ty->element : NULL;
    const struct fp_value *at = &run->values[index];
    struct fp_value to = run->values[pointer];
    if (!element || at->kind != FP_INT || to.kind != FP_POINTER)
        to = (struct fp_value){0};
    else
        to.n += at->n * count * element->size;
    fp_access_add(run, inst, &to,
                  (struct fp_access){.size = element ? count * element->size : 0, .kind = (uint8_t)kind});
    if (kind == MM_WRITE && (to.kind != FP_POINTER || run->objects[to.object].kind == FP_PRIVATE))
        fp_forget(run);
}

void fp_extended(struct fp_run *run, const struct in_inst *inst)
{
    const uint32_t *o = inst->operands;
    struct fp_value result = {0};
    if (o[1] == OpenCLstd_Vloadn) {
        vector_access(run, inst, o[2], o[3], o[4], MM_READ);
    } else if (o[1] == OpenCLstd_Vstoren) {
        const struct in_ty *data = fp_type_of(run, o[2]);
        vector_access(run, inst, o[3], o[4], data ? in_count(data) : 0, MM_WRITE);
    } else if (o[1] != OpenCLstd_Printf && fp_takes_pointer(run, inst, 2)) {
        fp_forget(run);
    } else {
        result = integer_result(run, inst);
    }
    if (inst->result)
        run->values[inst->result] = result;
}
