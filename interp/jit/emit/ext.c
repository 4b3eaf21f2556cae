/* OpExtInst: OpenCL.std. [OpenCL.std 100].  The interpreter's functions, as bitcode, do the work; those that
 * are one instruction of the host are emitted as such. */
#include "interp/ext/ext.h"
#include "interp/jit/instrument/emit_checks.h"
#include <stdio.h>
#include <string.h>

static const char *const suffixes[] = {"f16", "f32", "f64", "w8", "w16", "w32", "w64"};

/* Functions that LLVM has as intrinsics, exact in float and double. */
static const struct {
    const char *name, *intrinsic;
    unsigned operands;
} direct[] = {
    {"fabs", "llvm.fabs", 1},   {"floor", "llvm.floor", 1},       {"ceil", "llvm.ceil", 1},
    {"trunc", "llvm.trunc", 1}, {"rint", "llvm.rint", 1},         {"round", "llvm.round", 1},
    {"sqrt", "llvm.sqrt", 1},   {"native_sqrt", "llvm.sqrt", 1},  {"half_sqrt", "llvm.sqrt", 1},
    {"fma", "llvm.fma", 3},     {"copysign", "llvm.copysign", 2}, {"fmax", "llvm.maxnum", 2},
    {"fmin", "llvm.minnum", 2},
};

/* Integer functions that vectorize better as intrinsics. */
static const struct {
    const char *name, *intrinsic;
} direct_integer[] = {
    {"s_max", "llvm.smax"},         {"s_min", "llvm.smin"},         {"u_max", "llvm.umax"},
    {"u_min", "llvm.umin"},         {"s_add_sat", "llvm.sadd.sat"}, {"u_add_sat", "llvm.uadd.sat"},
    {"s_sub_sat", "llvm.ssub.sat"}, {"u_sub_sat", "llvm.usub.sat"},
};

/* A product and a sum, each rounded to half [CLC 7.4]. */
static bool emit_half_mad(struct in_emit *e, const struct in_inst *i, const struct in_ext_fn *fn,
                          LLVMValueRef v[3])
{
    if (strcmp(fn->name, "mad") != 0)
        return false;
    LLVMValueRef product = LLVMBuildFMul(e->b, in_half_out(e, v[0]), in_half_out(e, v[1]), "");
    LLVMValueRef rounded = in_half_out(e, in_half_in(e, product));
    in_define(e, i, in_half_in(e, LLVMBuildFAdd(e->b, rounded, in_half_out(e, v[2]), "")));
    return true;
}

static bool emit_direct(struct in_emit *e, const struct in_inst *i, const struct in_ext_fn *fn)
{
    const struct in_ty *s = in_element(in_emit_ty(e, i->result));
    LLVMValueRef v[3];
    for (uint32_t k = 2; k < i->operand_count && k < 5; k++)
        v[k - 2] = in_value(e, i->operands[k]);
    for (uint32_t k = 2; k < i->operand_count && k < 5; k++)
        if (LLVMTypeOf(v[k - 2]) != LLVMTypeOf(v[0]))
            return false;
    if (s->kind == IN_TY_INT) {
        for (size_t k = 0; k < sizeof direct_integer / sizeof *direct_integer; k++)
            if (strcmp(direct_integer[k].name, fn->name) == 0) {
                in_define(e, i, in_intrinsic(e, direct_integer[k].intrinsic, LLVMTypeOf(v[0]), v, 2));
                return true;
            }
        return false;
    }
    if (s->width == 16)
        return emit_half_mad(e, i, fn, v);
    for (size_t k = 0; k < sizeof direct / sizeof *direct; k++)
        if (strcmp(direct[k].name, fn->name) == 0) {
            in_define(e, i, in_intrinsic(e, direct[k].intrinsic, LLVMTypeOf(v[0]), v, direct[k].operands));
            return true;
        }
    if (strcmp(fn->name, "mad") == 0) {
        in_define(e, i, LLVMBuildFAdd(e->b, LLVMBuildFMul(e->b, v[0], v[1], ""), v[2], ""));
        return true;
    }
    return false;
}

/* Inlined however often it is called, so that loops over work-items are vectorized and vectors in memory
 * become registers. */
static LLVMValueRef call_inlined(struct in_emit *e, const char *name, LLVMValueRef *arguments, unsigned count)
{
    LLVMValueRef call = in_helper_call(e, name, arguments, count);
    unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    if (!e->failure.failed)
        LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                 LLVMCreateEnumAttribute(e->c, kind, 0));
    return call;
}

/* Element by element; what is written to a pointer operand, the last, is gathered and stored at once. */
static void emit_elementwise(struct in_emit *e, const struct in_inst *i, const struct in_ext_fn *fn,
                             const char *name)
{
    const struct in_ty *ty = in_emit_ty(e, i->result), *second = NULL;
    uint32_t values = i->operand_count - 2;
    LLVMValueRef r = LLVMGetUndef(in_type(e, ty)), other = NULL, cell = NULL, v[5];
    if (fn->pointee != IN_EXT_NONE) {
        second = in_emit_ty(e, i->operands[--values + 2])->element;
        if (!second || in_elements(second) != in_elements(ty)) {
            in_emit_fail(e, "%s with a pointer to something else", fn->name);
            return;
        }
        other = LLVMGetUndef(in_type(e, second));
        cell = in_alloca(e, 8, 8);
    }
    for (uint32_t k = 0; k < in_elements(ty) && !e->failure.failed; k++) {
        for (uint32_t j = 0; j < values && j < 3; j++)
            v[j] = in_get(e, in_value(e, i->operands[j + 2]), in_emit_ty(e, i->operands[j + 2]), k);
        v[values] = cell;
        r = in_put(e, r, ty, call_inlined(e, name, v, values + (cell != NULL)), k);
        if (cell)
            other =
                in_put(e, other, second, LLVMBuildLoad2(e->b, in_type(e, in_element(second)), cell, ""), k);
    }
    if (cell && !e->failure.failed) {
        uint32_t pointer = i->operands[values + 2], storage = in_emit_ty(e, pointer)->storage;
        LLVMValueRef at =
            in_check_value(e, in_value(e, pointer), second, second->align, storage, IN_SHADOW_WRITTEN);
        in_store(e, second, other, at, second->align, storage, false);
    }
    in_define(e, i, r);
}

static LLVMValueRef in_memory(struct in_emit *e, uint32_t id)
{
    const struct in_ty *ty = in_emit_ty(e, id);
    LLVMValueRef at = in_temporary(e, ty);
    in_store(e, ty, in_value(e, id), at, ty->align, SpvStorageClassFunction, false);
    return at;
}

static void emit_geometric(struct in_emit *e, const struct in_inst *i, const char *name)
{
    const struct in_ty *ty = in_emit_ty(e, i->result);
    LLVMValueRef v[4] = {in_temporary(e, ty), in_memory(e, i->operands[2]), NULL,
                         LLVMConstInt(e->i32, in_elements(in_emit_ty(e, i->operands[2])), 0)};
    v[2] = i->operand_count > 3 ? in_memory(e, i->operands[3]) : LLVMConstNull(e->ptr);
    call_inlined(e, name, v, 4);
    in_define(e, i, in_load(e, ty, v[0], ty->align, SpvStorageClassFunction, false));
}

/* ---- vectors in memory ------------------------------------------------------------------- */

static LLVMValueRef vector_address(struct in_emit *e, const struct in_ext_fn *fn, const struct in_ty *ty,
                                   uint32_t offset, uint32_t pointer, uint64_t *align)
{
    uint32_t n = in_elements(ty);
    uint64_t each = fn->flags & IN_EXT_HALF ? 2 : in_element(ty)->size, stride = in_ext_vector_stride(fn, n);
    *align = each * (fn->flags & IN_EXT_ALIGNED ? stride : 1);
    LLVMValueRef at = in_widen(e, in_value(e, offset), in_emit_ty(e, offset), false);
    return LLVMBuildGEP2(e->b, LLVMArrayType(e->i8, (unsigned)(each * stride)), in_value(e, pointer), &at, 1,
                         "");
}

static struct in_ty half_scalar = {.kind = IN_TY_FLOAT, .width = 16, .size = 2, .access = 2, .align = 2};
static struct in_ty half_of(const struct in_ty *ty)
{
    struct in_ty half = half_scalar;
    if (ty->kind == IN_TY_VECTOR)
        half = (struct in_ty){.kind = IN_TY_VECTOR,
                              .count = ty->count,
                              .element = &half_scalar,
                              .access = 2 * ty->count,
                              .size = 2 * ty->count,
                              .align = 2};
    return half;
}

static void emit_vload(struct in_emit *e, const struct in_inst *i, const struct in_ext_fn *fn)
{
    const struct in_ty *ty = in_emit_ty(e, i->result);
    uint32_t storage = in_emit_ty(e, i->operands[3])->storage, memory = in_storage(e, i->operands[3]);
    uint64_t align;
    LLVMValueRef at = vector_address(e, fn, ty, i->operands[2], i->operands[3], &align);
    if (!(fn->flags & IN_EXT_HALF) || in_element(ty)->width == 16) {
        at = in_check_value(e, at, ty, align, storage, 0);
        in_define(e, i, in_load(e, ty, at, align, memory, false));
        return;
    }
    struct in_ty half = half_of(ty);
    at = in_check_value(e, at, &half, align, storage, 0);
    LLVMValueRef bits = in_load(e, &half, at, align, memory, false);
    in_define(e, i, in_convert_half(e, bits, &half, ty, IN_RTE));
}

static void emit_vstore(struct in_emit *e, const struct in_inst *i, const struct in_ext_fn *fn)
{
    const struct in_ty *ty = in_emit_ty(e, i->operands[2]);
    uint32_t storage = in_emit_ty(e, i->operands[4])->storage, memory = in_storage(e, i->operands[4]);
    uint64_t align;
    LLVMValueRef at = vector_address(e, fn, ty, i->operands[3], i->operands[4], &align),
                 v = in_value(e, i->operands[2]);
    if (!(fn->flags & IN_EXT_HALF) || in_element(ty)->width == 16) {
        at = in_check_value(e, at, ty, align, storage, IN_SHADOW_WRITTEN);
        in_store(e, ty, v, at, align, memory, false);
        return;
    }
    struct in_ty half = half_of(ty);
    enum in_rounding rounding = fn->flags & IN_EXT_ROUNDED ? (enum in_rounding)i->operands[5] : IN_RTE;
    v = in_convert_half(e, v, ty, &half, rounding);
    at = in_check_value(e, at, &half, align, storage, IN_SHADOW_WRITTEN);
    in_store(e, &half, v, at, align, memory, false);
}

/* The mask's low bits choose; X and Y lie behind one another in memory. */
static void emit_shuffle(struct in_emit *e, const struct in_inst *i)
{
    uint32_t last = i->operand_count - 1, sources = last - 2;
    const struct in_ty *x = in_emit_ty(e, i->operands[2]), *m = in_emit_ty(e, i->operands[last]);
    const struct in_ty *ty = in_emit_ty(e, i->result);
    uint64_t size = in_element(x)->size, n = in_elements(x);
    LLVMValueRef table = in_alloca(e, 2 * n * size, x->align), r = LLVMGetUndef(in_type(e, ty));
    for (uint32_t s = 0; s < sources; s++)
        for (uint32_t k = 0; k < n; k++)
            in_store(e, in_element(x), in_get(e, in_value(e, i->operands[2 + s]), x, k),
                     in_offset(e, table, (s * n + k) * size), size, SpvStorageClassFunction, false);
    for (uint32_t k = 0; k < in_elements(ty); k++) {
        LLVMValueRef at = in_widen(e, in_get(e, in_value(e, i->operands[last]), m, k), in_element(m), false);
        at = LLVMBuildAnd(e->b, at, LLVMConstInt(e->i64, sources * n - 1, 0), "");
        at = LLVMBuildGEP2(e->b, LLVMArrayType(e->i8, (unsigned)size), table, &at, 1, "");
        r = in_put(e, r, ty, in_load(e, in_element(x), at, size, SpvStorageClassFunction, false), k);
    }
    in_define(e, i, r);
}

static void emit_std(struct in_emit *e, const struct in_inst *i, const struct in_ext_fn *fn)
{
    const struct in_ty *by = in_emit_ty(e, strcmp(fn->name, "nan") == 0 ? i->result : i->operands[2]);
    const struct in_ty *s = in_element(by);
    char name[96];
    bool scalar_select = strcmp(fn->name, "select") == 0 && by->kind != IN_TY_VECTOR;
    snprintf(name, sizeof name, "in_ext_%s%s_%s", fn->name, scalar_select ? "_scalar" : "",
             suffixes[in_ext_type_of(s->kind == IN_TY_FLOAT, s->width)]);
    switch (fn->shape) {
    case IN_EXT_ELEMENTWISE:
        if (!emit_direct(e, i, fn))
            emit_elementwise(e, i, fn, name);
        break;
    case IN_EXT_GEOMETRIC:
        emit_geometric(e, i, name);
        break;
    case IN_EXT_SHUFFLE:
        if (in_elements(in_emit_ty(e, i->operands[2])) == 3)
            in_emit_fail(e, "shuffle of three components");
        else
            emit_shuffle(e, i);
        break;
    case IN_EXT_VLOAD:
        emit_vload(e, i, fn);
        break;
    case IN_EXT_VSTORE:
        emit_vstore(e, i, fn);
        break;
    case IN_EXT_PREFETCH:
        break;
    default:
        in_emit_fail(e, "%s", fn->name);
        break;
    }
}

void in_emit_ext_inst(struct in_emit *e, const struct in_inst *i)
{
    if (strncmp(e->m->ids[i->operands[0]].string, "OpenCL.std", 10) != 0)
        return;
    const struct in_ext_fn *fn = in_ext_find(i->operands[1]);
    if (!fn)
        in_emit_unsupported(e, i);
    else
        emit_std(e, i, fn);
}
