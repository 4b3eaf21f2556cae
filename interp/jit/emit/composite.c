/* Composites: vectors, arrays, structures. [SPIRV 3.49.12] */
#include "interp/jit/emit/emit.h"

static bool is_vector(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

static unsigned width_of(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMVectorTypeKind   ? LLVMGetVectorSize(type)
           : kind == LLVMArrayTypeKind  ? LLVMGetArrayLength(type)
           : kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type)
                                        : 0;
}

static LLVMValueRef extract_part(struct in_emit *e, LLVMValueRef v, uint32_t index)
{
    if (index >= width_of(LLVMTypeOf(v))) {
        in_emit_fail(e, "an index past the composite");
        return v;
    }
    return is_vector(v) ? LLVMBuildExtractElement(e->b, v, LLVMConstInt(e->i32, index, 0), "")
                        : LLVMBuildExtractValue(e->b, v, index, "");
}

static LLVMValueRef insert_part(struct in_emit *e, LLVMValueRef v, LLVMValueRef x, uint32_t index)
{
    return is_vector(v) ? LLVMBuildInsertElement(e->b, v, x, LLVMConstInt(e->i32, index, 0), "")
                        : LLVMBuildInsertValue(e->b, v, x, index, "");
}

void in_emit_extract(struct in_emit *e, const struct in_inst *i)
{
    LLVMValueRef v = in_value(e, i->operands[0]);
    for (uint32_t k = 1; k < i->operand_count && !e->failure.failed; k++)
        v = extract_part(e, v, i->operands[k]);
    in_define(e, i, v);
}

static LLVMValueRef insert_at(struct in_emit *e, LLVMValueRef v, LLVMValueRef x, const uint32_t *index,
                              uint32_t n)
{
    if (n == 0 || e->failure.failed)
        return x;
    LLVMValueRef old = extract_part(e, v, index[0]);
    return e->failure.failed ? v : insert_part(e, v, insert_at(e, old, x, index + 1, n - 1), index[0]);
}

void in_emit_insert(struct in_emit *e, const struct in_inst *i)
{
    LLVMValueRef x = in_value(e, i->operands[0]), v = in_value(e, i->operands[1]);
    in_define(e, i, insert_at(e, v, x, i->operands + 2, i->operand_count - 2));
}

/* Constituents of a vector may be vectors. */
void in_emit_construct(struct in_emit *e, const struct in_inst *i)
{
    LLVMValueRef r = LLVMGetUndef(in_type(e, in_emit_ty(e, i->result)));
    uint32_t at = 0, width = width_of(LLVMTypeOf(r));
    for (uint32_t k = 0; k < i->operand_count && !e->failure.failed; k++) {
        LLVMValueRef x = in_value(e, i->operands[k]);
        uint32_t n = is_vector(r) && is_vector(x) ? LLVMGetVectorSize(LLVMTypeOf(x)) : 1;
        for (uint32_t j = 0; j < n && at < width; j++)
            r = insert_part(e, r, n == 1 && !(is_vector(r) && is_vector(x)) ? x : extract_part(e, x, j),
                            at++);
    }
    in_define(e, i, r);
}

/* A component without a source is component 0, as in the interpreter. */
void in_emit_shuffle(struct in_emit *e, const struct in_inst *i)
{
    LLVMValueRef x = in_value(e, i->operands[0]), y = in_value(e, i->operands[1]);
    uint32_t nx = in_elements(in_emit_ty(e, i->operands[0])), ny = in_elements(in_emit_ty(e, i->operands[1]));
    LLVMValueRef r = LLVMGetUndef(in_type(e, in_emit_ty(e, i->result))), mask[16];
    uint32_t n = i->operand_count - 2;
    for (uint32_t k = 0; k < n && k < 16; k++) {
        uint32_t c = i->operands[k + 2] == UINT32_MAX ? 0 : i->operands[k + 2];
        if (c >= nx + ny) {
            in_emit_fail(e, "an index past the composite");
            return;
        }
        mask[k] = LLVMConstInt(e->i32, c, 0);
        if (nx != ny)
            r = insert_part(e, r, c < nx ? extract_part(e, x, c) : extract_part(e, y, c - nx), k);
    }
    if (nx == ny)
        r = LLVMBuildShuffleVector(e->b, x, y, LLVMConstVector(mask, n), "");
    in_define(e, i, r);
}

/* The index, and whether it is within the vector. */
static LLVMValueRef component_index(struct in_emit *e, uint32_t id, uint32_t count, LLVMValueRef *inside)
{
    LLVMValueRef at = in_widen(e, in_value(e, id), in_emit_ty(e, id), false), n = in_int(e, e->i64, count);
    *inside = LLVMBuildICmp(e->b, LLVMIntULT, at, n, "");
    return LLVMBuildSelect(e->b, *inside, at, in_int(e, e->i64, 0), "");
}

void in_emit_extract_dynamic(struct in_emit *e, const struct in_inst *i)
{
    LLVMValueRef inside, v = in_value(e, i->operands[0]);
    LLVMValueRef at = component_index(e, i->operands[1], in_elements(in_emit_ty(e, i->operands[0])), &inside);
    in_define(e, i, LLVMBuildExtractElement(e->b, v, at, ""));
}

void in_emit_insert_dynamic(struct in_emit *e, const struct in_inst *i)
{
    LLVMValueRef inside, v = in_value(e, i->operands[0]), x = in_value(e, i->operands[1]);
    LLVMValueRef at = component_index(e, i->operands[2], in_elements(in_emit_ty(e, i->operands[0])), &inside);
    LLVMValueRef changed = LLVMBuildInsertElement(e->b, v, x, at, "");
    in_define(e, i, LLVMBuildSelect(e->b, inside, changed, v, ""));
}

/* Undefined values are zero. */
void in_emit_undef(struct in_emit *e, const struct in_inst *i)
{
    in_define(e, i, LLVMConstNull(in_type(e, in_emit_ty(e, i->result))));
}

void in_emit_size_of(struct in_emit *e, const struct in_inst *i)
{
    const struct in_ty *ty = in_emit_ty(e, i->operands[0])->element;
    in_define(e, i, LLVMConstInt(e->i32, ty ? ty->size : 0, 0));
}
