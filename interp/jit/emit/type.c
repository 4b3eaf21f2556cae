/* LLVM types and constants for SPIR-V types and constants [SPIRV 3.49.6, 3.49.7], and small helpers on
 * values. */
#include "interp/jit/emit/emit.h"
#include <string.h>

static const struct in_ty void_type = {.kind = IN_TY_VOID, .align = 1};
const struct in_ty *in_emit_ty(const struct in_emit *e, uint32_t id)
{
    return id < e->m->bound && e->m->ids[id].ty ? e->m->ids[id].ty : &void_type;
}

const struct in_ty *in_element(const struct in_ty *ty)
{
    return ty->kind == IN_TY_VECTOR ? ty->element : ty;
}

uint32_t in_elements(const struct in_ty *ty)
{
    return ty->kind == IN_TY_VECTOR ? ty->count : 1;
}

static LLVMTypeRef int_type(struct in_emit *e, uint32_t width)
{
    return width == 8 ? e->i8 : width == 16 ? e->i16 : width == 32 ? e->i32 : e->i64;
}

/* Room for what the members of TY become; NULL: TY is too large for a value. */
static void *member_room(struct in_emit *e, const struct in_ty *ty, size_t each)
{
    void *list = ty->count <= IN_MOST_MEMBERS ? mm_alloc((ty->count + 1) * each) : NULL;
    if (!list)
        in_emit_fail(e, "a value of %u members", ty->count);
    return list;
}

static LLVMTypeRef struct_type(struct in_emit *e, const struct in_ty *ty)
{
    LLVMTypeRef *members = member_room(e, ty, sizeof *members);
    if (!members)
        return e->i8;
    for (uint32_t k = 0; k < ty->count; k++)
        members[k] = in_type(e, ty->members[k]);
    LLVMTypeRef type = LLVMStructTypeInContext(e->c, members, ty->count, 0);
    mm_free(members);
    return type;
}

LLVMTypeRef in_type(struct in_emit *e, const struct in_ty *ty)
{
    switch (ty->kind) {
    case IN_TY_VOID:
        return e->nothing;
    case IN_TY_BOOL:
        return e->i1;
    case IN_TY_INT:
        return int_type(e, ty->width);
    case IN_TY_FLOAT:
        return ty->width == 16 ? e->i16 : ty->width == 32 ? e->f32 : e->f64;
    case IN_TY_VECTOR:
        return LLVMVectorType(in_type(e, ty->element), ty->count);
    case IN_TY_ARRAY:
        if (ty->count > IN_MOST_MEMBERS)
            in_emit_fail(e, "a value of %u members", ty->count);
        return LLVMArrayType(in_type(e, ty->element), ty->count);
    case IN_TY_STRUCT:
        return struct_type(e, ty);
    case IN_TY_POINTER:
        return e->ptr;
    case IN_TY_OPAQUE:
        return ty->size == 16 ? LLVMInt128TypeInContext(e->c) : e->i64;
    default:
        in_emit_fail(e, "a value of a function type");
        return e->i8;
    }
}

LLVMTypeRef in_type_like(struct in_emit *e, LLVMTypeRef element, const struct in_ty *shape)
{
    (void)e;
    return shape->kind == IN_TY_VECTOR ? LLVMVectorType(element, shape->count) : element;
}

/* ---- constants --------------------------------------------------------------------------- */

static LLVMValueRef scalar_constant(struct in_emit *e, const struct in_ty *ty, const uint8_t *bytes)
{
    uint64_t v = 0;
    memcpy(&v, bytes, ty->size < 8 ? ty->size : 8);
    if (ty->kind == IN_TY_BOOL)
        return LLVMConstInt(e->i1, v & 1, 0);
    if (ty->kind == IN_TY_POINTER)
        return v == 0 ? LLVMConstNull(e->ptr) : LLVMConstIntToPtr(LLVMConstInt(e->i64, v, 0), e->ptr);
    if (ty->kind == IN_TY_FLOAT && ty->width != 16)
        return LLVMConstBitCast(LLVMConstInt(int_type(e, ty->width), v, 0), in_type(e, ty));
    return LLVMConstInt(in_type(e, ty), v, 0);
}

static LLVMValueRef constant_of_type(struct in_emit *e, const struct in_ty *ty, const uint8_t *bytes);

static LLVMValueRef composite_constant(struct in_emit *e, const struct in_ty *ty, const uint8_t *bytes)
{
    LLVMTypeRef type = in_type(e, ty);
    LLVMValueRef *parts = member_room(e, ty, sizeof *parts), v;
    if (!parts)
        return LLVMGetUndef(type);
    for (uint32_t k = 0; k < ty->count; k++)
        parts[k] = ty->kind == IN_TY_STRUCT ? constant_of_type(e, ty->members[k], bytes + ty->offsets[k])
                                            : constant_of_type(e, ty->element, bytes + k * ty->element->size);
    v = ty->kind == IN_TY_VECTOR  ? LLVMConstVector(parts, ty->count)
        : ty->kind == IN_TY_ARRAY ? LLVMConstArray(LLVMGetElementType(type), parts, ty->count)
                                  : LLVMConstStructInContext(e->c, parts, ty->count, 0);
    mm_free(parts);
    return v;
}

static LLVMValueRef constant_of_type(struct in_emit *e, const struct in_ty *ty, const uint8_t *bytes)
{
    if (ty->kind == IN_TY_VOID || e->failure.failed)
        return LLVMGetUndef(ty->kind == IN_TY_VOID ? e->i8 : in_type(e, ty));
    bool composite = ty->kind == IN_TY_VECTOR || ty->kind == IN_TY_ARRAY || ty->kind == IN_TY_STRUCT;
    return composite ? composite_constant(e, ty, bytes) : scalar_constant(e, ty, bytes);
}

/* A copy of what a built-in variable holds. */
static LLVMValueRef built_in_variable(struct in_emit *e, const struct in_global *g)
{
    LLVMValueRef at = in_temporary(e, g->ty);
    in_store(e, g->ty, in_builtin(e, g->ty, e->m->ids[g->id].builtin), at, g->ty->align,
             SpvStorageClassFunction, false);
    return at;
}

/* The address of a module-scope variable: program memory or the work-group's local memory. */
static LLVMValueRef global_address(struct in_emit *e, uint32_t index, int64_t addend)
{
    const struct in_global *g = &e->m->globals[index];
    uint64_t offset = (uint64_t)addend;
    switch (g->storage) {
    case SpvStorageClassWorkgroup:
        return in_offset(e, in_param(e, IN_P_LOCAL), e->local_offsets[index] + offset);
    case SpvStorageClassCrossWorkgroup:
    case SpvStorageClassUniformConstant:
        return in_offset(e, in_frame_pointer(e, offsetof(struct in_jit_frame, program), 0),
                         g->offset + offset);
    case SpvStorageClassInput:
        return in_offset(e, built_in_variable(e, g), offset);
    default:
        in_emit_fail(e, "a variable of a compute shader");
        return LLVMConstNull(e->ptr);
    }
}

/* The constant of type TY at OFFSET in ID's, with the addresses in it. */
static LLVMValueRef with_addresses(struct in_emit *e, const struct in_id *id, const struct in_ty *ty,
                                   uint64_t offset)
{
    const struct in_reloc *r = id->relocs;
    while (r && (r->offset < offset || r->offset >= offset + ty->size))
        r = r->next;
    if (!r)
        return constant_of_type(e, ty, id->bytes + offset);
    if (ty->kind == IN_TY_INT)
        return LLVMBuildPtrToInt(e->b, global_address(e, r->variable, r->addend), in_type(e, ty), "");
    if (ty->kind == IN_TY_VECTOR)
        in_emit_fail(e, "a vector of addresses");
    if (ty->kind != IN_TY_STRUCT && ty->kind != IN_TY_ARRAY)
        return global_address(e, r->variable, r->addend);
    LLVMValueRef v = LLVMGetUndef(in_type(e, ty));
    for (uint32_t k = 0; k < ty->count && !e->failure.failed; k++) {
        bool is_struct = ty->kind == IN_TY_STRUCT;
        uint64_t at = offset + (is_struct ? ty->offsets[k] : k * ty->element->size);
        LLVMValueRef part = with_addresses(e, id, is_struct ? ty->members[k] : ty->element, at);
        v = LLVMBuildInsertValue(e->b, v, part, k, "");
    }
    return v;
}

static LLVMValueRef module_value(struct in_emit *e, const struct in_id *id)
{
    if (id->kind == IN_ID_GLOBAL)
        return global_address(e, id->index, 0);
    if (!id->relocs)
        return constant_of_type(e, id->ty, id->bytes);
    return with_addresses(e, id, id->ty, 0);
}

LLVMValueRef in_value(struct in_emit *e, uint32_t id)
{
    const struct in_id *entry = &e->m->ids[id];
    if (id >= e->m->bound || !entry->ty) {
        in_emit_fail(e, "an operand that is no value");
        return LLVMGetUndef(e->i32);
    }
    if (entry->kind == IN_ID_CONSTANT || entry->kind == IN_ID_GLOBAL)
        return module_value(e, entry);
    if (!e->values[id]) {
        in_emit_fail(e, "operand %%%u before its definition", id);
        return LLVMGetUndef(in_type(e, entry->ty));
    }
    return e->values[id];
}

void in_define(struct in_emit *e, const struct in_inst *i, LLVMValueRef value)
{
    if (i->result != 0)
        e->values[i->result] = value;
}

/* ---- helpers ----------------------------------------------------------------------------- */

LLVMValueRef in_int(struct in_emit *e, LLVMTypeRef type, uint64_t value)
{
    (void)e;
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return LLVMConstInt(type, value, 0);
    LLVMValueRef parts[16], one = LLVMConstInt(LLVMGetElementType(type), value, 0);
    unsigned n = LLVMGetVectorSize(type);
    for (unsigned k = 0; k < n && k < 16; k++)
        parts[k] = one;
    return LLVMConstVector(parts, n);
}

LLVMValueRef in_splat(struct in_emit *e, LLVMValueRef value, uint32_t count)
{
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(value), count);
    LLVMValueRef v = LLVMBuildInsertElement(e->b, LLVMGetUndef(type), value, LLVMConstInt(e->i32, 0, 0), "");
    LLVMTypeRef mask = LLVMVectorType(e->i32, count);
    return LLVMBuildShuffleVector(e->b, v, LLVMGetUndef(type), LLVMConstNull(mask), "");
}

LLVMValueRef in_get(struct in_emit *e, LLVMValueRef value, const struct in_ty *ty, uint32_t k)
{
    return ty->kind == IN_TY_VECTOR ? LLVMBuildExtractElement(e->b, value, LLVMConstInt(e->i32, k, 0), "")
                                    : value;
}

LLVMValueRef in_put(struct in_emit *e, LLVMValueRef vector, const struct in_ty *ty, LLVMValueRef x,
                    uint32_t k)
{
    if (ty->kind != IN_TY_VECTOR)
        return x;
    return LLVMBuildInsertElement(e->b, vector, x, LLVMConstInt(e->i32, k, 0), "");
}

/* Applies the scalar helper NAME to every element. */
static LLVMValueRef map_elements(struct in_emit *e, LLVMValueRef x, const char *name, LLVMTypeRef to)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return in_helper_call(e, name, &x, 1);
    unsigned n = LLVMGetVectorSize(type);
    LLVMValueRef r = LLVMGetUndef(LLVMVectorType(to, n));
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef at = LLVMConstInt(e->i32, k, 0), one = LLVMBuildExtractElement(e->b, x, at, "");
        r = LLVMBuildInsertElement(e->b, r, in_helper_call(e, name, &one, 1), at, "");
    }
    return r;
}

/* ELEMENT, or a vector of as many as X has. */
static LLVMTypeRef shaped_as(LLVMValueRef x, LLVMTypeRef element)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    return vector ? LLVMVectorType(element, LLVMGetVectorSize(type)) : element;
}

LLVMValueRef in_half_out(struct in_emit *e, LLVMValueRef halves)
{
    if (e->converts_halves) {
        LLVMTypeRef half = shaped_as(halves, LLVMHalfTypeInContext(e->c));
        LLVMValueRef x = LLVMBuildBitCast(e->b, halves, half, "");
        return LLVMBuildFPExt(e->b, x, shaped_as(halves, e->f32), "");
    }
    return map_elements(e, halves, "in_half_to_f32", e->f32);
}

LLVMValueRef in_half_in(struct in_emit *e, LLVMValueRef floats)
{
    if (e->converts_halves) {
        LLVMTypeRef half = shaped_as(floats, LLVMHalfTypeInContext(e->c));
        LLVMValueRef x = LLVMBuildFPTrunc(e->b, floats, half, "");
        return LLVMBuildBitCast(e->b, x, shaped_as(floats, e->i16), "");
    }
    return map_elements(e, floats, "in_half_from_f32", e->i16);
}

LLVMValueRef in_widen(struct in_emit *e, LLVMValueRef value, const struct in_ty *ty, bool sign)
{
    if (ty->width == 64)
        return value;
    return sign ? LLVMBuildSExt(e->b, value, e->i64, "") : LLVMBuildZExt(e->b, value, e->i64, "");
}
