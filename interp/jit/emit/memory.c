/* Variables, pointers, loads, stores. [SPIRV 3.49.8], [CLC 6.7].  Composites go member by member, so that
 * memory has the interpreter's layout whatever LLVM's data layout says. */
#include "interp/jit/instrument/emit_checks.h"
#include <string.h>

/* ---- addresses --------------------------------------------------------------------------- */

LLVMValueRef in_offset(struct in_emit *e, LLVMValueRef pointer, uint64_t offset)
{
    LLVMValueRef at = LLVMConstInt(e->i64, offset, 0);
    return offset == 0 ? pointer : LLVMBuildGEP2(e->b, e->i8, pointer, &at, 1, "");
}

static void tag_access(struct in_emit *e, LLVMValueRef access, const char *kind, LLVMValueRef node)
{
    unsigned id = LLVMGetMDKindIDInContext(e->c, kind, (unsigned)strlen(kind));
    LLVMSetMetadata(access, id, node ? node : LLVMMDNodeInContext(e->c, NULL, 0));
}

/* A load from what no kernel can change: the frame and the arguments. */
LLVMValueRef in_constant_load(struct in_emit *e, LLVMTypeRef type, LLVMValueRef pointer, unsigned align)
{
    LLVMValueRef v = LLVMBuildLoad2(e->b, type, pointer, "");
    LLVMSetAlignment(v, align);
    tag_access(e, v, "invariant.load", NULL);
    tag_access(e, v, "llvm.access.group", e->shared);
    return v;
}

LLVMValueRef in_frame_word(struct in_emit *e, uint64_t offset)
{
    return in_constant_load(e, e->i64, in_offset(e, in_param(e, IN_P_FRAME), offset), 8);
}

/* A pointer to at least SIZE bytes, so that loads through it need no condition. */
LLVMValueRef in_frame_pointer(struct in_emit *e, uint64_t offset, uint64_t size)
{
    LLVMValueRef v = in_constant_load(e, e->ptr, in_offset(e, in_param(e, IN_P_FRAME), offset), 8);
    LLVMValueRef bytes = LLVMConstInt(e->i64, size, 0), one = LLVMConstInt(e->i64, 16, 0);
    if (size > 0) {
        tag_access(e, v, "dereferenceable", LLVMMDNodeInContext(e->c, &bytes, 1));
        tag_access(e, v, "align", LLVMMDNodeInContext(e->c, &one, 1));
    }
    return v;
}

LLVMValueRef in_alloca(struct in_emit *e, uint64_t size, uint64_t align)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b), entry = LLVMGetEntryBasicBlock(e->function);
    LLVMValueRef first = LLVMGetFirstInstruction(entry);
    if (first)
        LLVMPositionBuilderBefore(e->b, first);
    else
        LLVMPositionBuilderAtEnd(e->b, entry);
    LLVMValueRef v = LLVMBuildAlloca(e->b, LLVMArrayType(e->i8, (unsigned)size), "");
    LLVMSetAlignment(v, (unsigned)(align < 1 ? 1 : align > 4096 ? 4096 : align));
    LLVMPositionBuilderAtEnd(e->b, here);
    return v;
}

LLVMValueRef in_temporary(struct in_emit *e, const struct in_ty *ty)
{
    return in_alloca(e, ty->size, ty->align);
}

static LLVMValueRef scaled_pointer(struct in_emit *e, LLVMValueRef pointer, LLVMValueRef index,
                                   uint64_t scale, bool inside)
{
    if (scale == 0)
        return pointer;
    LLVMTypeRef type = scale == 1 ? e->i8 : LLVMArrayType(e->i8, (unsigned)scale);
    return inside ? LLVMBuildInBoundsGEP2(e->b, type, pointer, &index, 1, "")
                  : LLVMBuildGEP2(e->b, type, pointer, &index, 1, "");
}

/* Indices are signed. [SPIRV OpAccessChain, OpPtrAccessChain] */
void in_emit_chain(struct in_emit *e, const struct in_inst *i)
{
    bool element = i->opcode == SpvOpPtrAccessChain || i->opcode == SpvOpInBoundsPtrAccessChain;
    bool inside = i->opcode == SpvOpInBoundsAccessChain || i->opcode == SpvOpInBoundsPtrAccessChain;
    LLVMValueRef at = in_value(e, i->operands[0]);
    const struct in_ty *ty = in_emit_ty(e, i->operands[0])->element;
    for (uint32_t k = 1; k < i->operand_count && ty && !e->failure.failed; k++) {
        uint32_t id = i->operands[k];
        uint64_t value;
        if (element && k == 1) {
            at = scaled_pointer(e, at, in_widen(e, in_value(e, id), in_emit_ty(e, id), true), ty->size,
                                inside);
        } else if (ty->kind == IN_TY_STRUCT) {
            if (!in_constant_u64(e->m, id, &value) || value >= ty->count) {
                in_emit_fail(e, "a structure index that is no constant: %%%u of %%%u, operand %u", id,
                             i->result, k);
                return;
            }
            at = in_offset(e, at, ty->offsets[value]);
            ty = ty->members[value];
        } else {
            LLVMValueRef index = in_widen(e, in_value(e, id), in_emit_ty(e, id), true);
            index = in_check_subscript(e, ty, in_emit_ty(e, i->operands[0])->storage, index);
            ty = ty->element;
            if (ty)
                at = scaled_pointer(e, at, index, ty->size, inside);
        }
    }
    in_define(e, i, at);
}

void in_emit_ptr_compare(struct in_emit *e, const struct in_inst *i)
{
    bool equal = i->opcode == SpvOpPtrEqual || i->opcode == SpvOpIEqual;
    in_define(e, i,
              LLVMBuildICmp(e->b, equal ? LLVMIntEQ : LLVMIntNE, in_value(e, i->operands[0]),
                            in_value(e, i->operands[1]), ""));
}

void in_emit_ptr_diff(struct in_emit *e, const struct in_inst *i)
{
    const struct in_ty *ty = in_emit_ty(e, i->operands[0])->element;
    LLVMValueRef a = LLVMBuildPtrToInt(e->b, in_value(e, i->operands[0]), e->i64, "");
    LLVMValueRef b = LLVMBuildPtrToInt(e->b, in_value(e, i->operands[1]), e->i64, "");
    LLVMValueRef n = LLVMBuildSub(e->b, a, b, "");
    if (ty && ty->size > 1)
        n = LLVMBuildSDiv(e->b, n, LLVMConstInt(e->i64, ty->size, 0), "");
    in_define(e, i, LLVMBuildIntCast2(e->b, n, in_type(e, in_emit_ty(e, i->result)), 1, ""));
}

/* ---- accesses ---------------------------------------------------------------------------- */

static bool is_shared(uint32_t storage)
{
    return storage == SpvStorageClassCrossWorkgroup || storage == SpvStorageClassWorkgroup ||
           storage == SpvStorageClassUniformConstant;
}

/* The storage class of what pointer ID leads to, also of a generic pointer that is a cast: where OpenCL C has
 * generic pointers, vload and vstore take no others. */
uint32_t in_storage(const struct in_emit *e, uint32_t id)
{
    const struct in_ty *ty = in_emit_ty(e, id);
    struct in_inst made = {0};
    if (ty->storage == SpvStorageClassGeneric && e->m->ids[id].word != 0)
        in_inst_at(e->m, e->m->ids[id].word, &made);
    return made.opcode == SpvOpPtrCastToGeneric ? in_emit_ty(e, made.operands[0])->storage : ty->storage;
}

static void finish_access(struct in_emit *e, LLVMValueRef access, uint64_t align, uint32_t storage,
                          bool is_volatile)
{
    LLVMSetAlignment(access, (unsigned)(align < 1 ? 1 : align));
    LLVMSetVolatile(access, is_volatile);
    if (is_shared(storage) && e->shared)
        tag_access(e, access, "llvm.access.group", e->shared);
}

/* The alignment of the address OFFSET bytes after an address aligned to ALIGN. */
static uint64_t align_at(uint64_t align, uint64_t offset)
{
    uint64_t low = offset & (0 - offset);
    return offset != 0 && low < align ? low : align;
}

static bool is_composite(const struct in_ty *ty)
{
    return ty->kind == IN_TY_STRUCT || ty->kind == IN_TY_ARRAY;
}

static const struct in_ty *struct_member(const struct in_ty *ty, uint32_t k, uint64_t *offset)
{
    *offset = ty->kind == IN_TY_STRUCT ? ty->offsets[k] : k * ty->element->size;
    return ty->kind == IN_TY_STRUCT ? ty->members[k] : ty->element;
}

/* Booleans, alone or in vectors, are bytes in memory. */
static LLVMTypeRef memory_type(struct in_emit *e, const struct in_ty *ty)
{
    return in_element(ty)->kind == IN_TY_BOOL ? in_type_like(e, e->i8, ty) : in_type(e, ty);
}

LLVMValueRef in_load(struct in_emit *e, const struct in_ty *ty, LLVMValueRef pointer, uint64_t align,
                     uint32_t storage, bool is_volatile)
{
    if (is_composite(ty)) {
        LLVMValueRef r = LLVMGetUndef(in_type(e, ty));
        for (uint32_t k = 0; k < ty->count && !e->failure.failed; k++) {
            uint64_t offset;
            const struct in_ty *m = struct_member(ty, k, &offset);
            LLVMValueRef x =
                in_load(e, m, in_offset(e, pointer, offset), align_at(align, offset), storage, is_volatile);
            r = LLVMBuildInsertValue(e->b, r, x, k, "");
        }
        return r;
    }
    LLVMValueRef v = LLVMBuildLoad2(e->b, memory_type(e, ty), pointer, "");
    finish_access(e, v, align, storage, is_volatile);
    return in_element(ty)->kind == IN_TY_BOOL ? LLVMBuildTrunc(e->b, v, in_type(e, ty), "") : v;
}

void in_store(struct in_emit *e, const struct in_ty *ty, LLVMValueRef value, LLVMValueRef pointer,
              uint64_t align, uint32_t storage, bool is_volatile)
{
    if (is_composite(ty)) {
        for (uint32_t k = 0; k < ty->count && !e->failure.failed; k++) {
            uint64_t offset;
            const struct in_ty *m = struct_member(ty, k, &offset);
            in_store(e, m, LLVMBuildExtractValue(e->b, value, k, ""), in_offset(e, pointer, offset),
                     align_at(align, offset), storage, is_volatile);
        }
        return;
    }
    if (in_element(ty)->kind == IN_TY_BOOL)
        value = LLVMBuildZExt(e->b, value, memory_type(e, ty), "");
    finish_access(e, LLVMBuildStore(e->b, value, pointer), align, storage, is_volatile);
}

/* Memory operands: alignment and volatility. */
static uint64_t memory_operands(struct in_emit *e, const struct in_inst *i, uint32_t at, uint32_t pointer,
                                bool *is_volatile)
{
    const struct in_ty *p = in_emit_ty(e, pointer);
    uint64_t align = p->element ? p->element->align : 1;
    uint32_t mask = i->operand_count > at ? i->operands[at] : 0;
    *is_volatile = mask & SpvMemoryAccessVolatileMask;
    if ((mask & SpvMemoryAccessAlignedMask) && i->operand_count > at + 1 && i->operands[at + 1] != 0)
        align = i->operands[at + 1];
    return (align & (align - 1)) != 0 || align == 0 ? 1 : align > 4096 ? 4096 : align;
}

void in_emit_load(struct in_emit *e, const struct in_inst *i)
{
    uint32_t pointer = i->operands[0];
    const struct in_id *id = &e->m->ids[pointer];
    bool is_volatile;
    if (id->kind == IN_ID_GLOBAL && e->m->globals[id->index].storage == SpvStorageClassInput) {
        in_define(e, i, in_builtin(e, in_emit_ty(e, i->result), id->builtin));
        return;
    }
    uint64_t align = memory_operands(e, i, 1, pointer, &is_volatile);
    uint32_t storage = in_emit_ty(e, pointer)->storage;
    const struct in_ty *ty = in_emit_ty(e, i->result);
    LLVMValueRef at = in_check_value(e, in_value(e, pointer), ty, align, storage, 0);
    in_define(e, i, in_load(e, ty, at, align, in_storage(e, pointer), is_volatile));
}

void in_emit_store(struct in_emit *e, const struct in_inst *i)
{
    bool is_volatile;
    uint32_t pointer = i->operands[0];
    uint64_t align = memory_operands(e, i, 2, pointer, &is_volatile);
    uint32_t storage = in_emit_ty(e, pointer)->storage;
    const struct in_ty *ty = in_emit_ty(e, i->operands[1]);
    LLVMValueRef v = in_value(e, i->operands[1]);
    LLVMValueRef at = in_check_value(e, in_value(e, pointer), ty, align, storage, IN_SHADOW_WRITTEN);
    in_store(e, ty, v, at, align, in_storage(e, pointer), is_volatile);
}

void in_emit_copy_memory(struct in_emit *e, const struct in_inst *i)
{
    bool sized = i->opcode == SpvOpCopyMemorySized, is_volatile;
    uint32_t to = i->operands[0], from = i->operands[1];
    uint64_t align = memory_operands(e, i, sized ? 3 : 2, to, &is_volatile);
    const struct in_ty *ty = in_emit_ty(e, to)->element;
    LLVMValueRef size = LLVMConstInt(e->i64, ty ? ty->size : 0, 0);
    if (sized)
        size = in_widen(e, in_value(e, i->operands[2]), in_emit_ty(e, i->operands[2]), false);
    LLVMValueRef target = in_value(e, to), origin = in_value(e, from);
    if (LLVMIsAConstantInt(size)) {
        uint64_t bytes = LLVMConstIntGetZExtValue(size);
        target = in_check_access(e, target, bytes, align, in_emit_ty(e, to)->storage, IN_SHADOW_WRITTEN);
        origin = in_check_access(e, origin, bytes, align, in_emit_ty(e, from)->storage, 0);
    }
    LLVMBuildMemMove(e->b, target, (unsigned)align, origin, (unsigned)align, size);
}

/* A constant of bytes that are all 0: of arrays, a value would have a part for each element. */
static bool is_zeros(const struct in_id *id)
{
    if (id->kind != IN_ID_CONSTANT || id->relocs || !id->ty)
        return false;
    for (uint64_t k = 0; k < id->ty->size; k++)
        if (id->bytes[k] != 0)
            return false;
    return true;
}

/* Private variables without an initializer start at zero unless they are large. */
void in_emit_variable(struct in_emit *e, const struct in_inst *i)
{
    const struct in_ty *ty = in_emit_ty(e, i->result)->element;
    if (!ty || ty->size > 1u << 20) {
        in_emit_fail(e, "a private variable of unknown type or more than a megabyte");
        return;
    }
    uint64_t align = e->m->ids[i->result].alignment;
    align = align > ty->align ? align : ty->align;
    LLVMValueRef v = in_alloca(e, ty->size, align);
    bool given = i->operand_count > 1, zeros = given && is_zeros(&e->m->ids[i->operands[1]]);
    if (given && !zeros)
        in_store(e, ty, in_value(e, i->operands[1]), v, align, SpvStorageClassFunction, false);
    else if (zeros || ty->size <= 1024)
        LLVMBuildMemSet(e->b, v, LLVMConstInt(e->i8, 0, 0), LLVMConstInt(e->i64, ty->size, 0),
                        (unsigned)align);
    in_define(e, i, v);
}
