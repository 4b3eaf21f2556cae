/* Assignments to components of vectors in memory, `p->x = 1` or `p->zy = v` [CLC 6.3.7].  Clang reads the
 * vector, changes it, and writes it whole: a read and writes that the program does not have, which would be
 * reported on memory that may not be read, or that another work-item has the other components of.  Here they
 * become writes of the components.  Private vectors stay: they are to become values. */
#include "ref-runtime/compiler/helper.h"

#include <llvm-c/Core.h>

struct assignment {
    LLVMValueRef store, loaded;
    LLVMTypeRef vector;
    unsigned lanes;
};

/* Where lane LANE of VALUE comes from: VALUE is changed to a scalar, to the vector that is loaded, or to a
 * vector that is taken as it is, and LANE with it.  False: undefined. */
static bool trace_lane(const struct assignment *a, LLVMValueRef *value, unsigned *lane)
{
    for (;;) {
        LLVMValueRef v = *value;
        if (v == a->loaded)
            return true;
        if (LLVMIsAInsertElementInst(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 2))) {
            bool here = LLVMConstIntGetZExtValue(LLVMGetOperand(v, 2)) == *lane;
            *value = LLVMGetOperand(v, here ? 1 : 0);
            if (here)
                return true;
        } else if (LLVMIsAShuffleVectorInst(v)) {
            unsigned count = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));
            int from = LLVMGetMaskValue(v, *lane);
            if (from < 0)
                return false;
            *value = LLVMGetOperand(v, (unsigned)from < count ? 0 : 1);
            *lane = (unsigned)from < count ? (unsigned)from : (unsigned)from - count;
        } else {
            return true;
        }
    }
}

/* The load of the same vector before the store, in the same block; NULL: none, or another access is
 * between. */
static LLVMValueRef find_load(LLVMValueRef store, LLVMTypeRef vector)
{
    LLVMValueRef pointer = LLVMGetOperand(store, 1);
    for (LLVMValueRef i = LLVMGetPreviousInstruction(store); i; i = LLVMGetPreviousInstruction(i)) {
        if (LLVMIsALoadInst(i) && LLVMGetOperand(i, 0) == pointer && LLVMTypeOf(i) == vector)
            return LLVMGetVolatile(i) ? NULL : i;
        if (!LLVMIsAInsertElementInst(i) && !LLVMIsAShuffleVectorInst(i))
            return NULL;
    }
    return NULL;
}

static bool recognize_assignment(LLVMValueRef store, struct assignment *a)
{
    LLVMValueRef value = LLVMGetOperand(store, 0), pointer = LLVMGetOperand(store, 1);
    a->store = store;
    a->vector = LLVMTypeOf(value);
    if (LLVMGetTypeKind(a->vector) != LLVMVectorTypeKind || LLVMGetVolatile(store) ||
        LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == 0 ||
        (!LLVMIsAInsertElementInst(value) && !LLVMIsAShuffleVectorInst(value)))
        return false;
    a->lanes = LLVMGetVectorSize(a->vector);
    a->loaded = find_load(store, a->vector);
    if (!a->loaded)
        return false;
    for (unsigned k = 0; k < a->lanes; k++) { /* components that move are more than an assignment */
        LLVMValueRef from = value;
        unsigned lane = k;
        if (trace_lane(a, &from, &lane) && from == a->loaded && lane != k)
            return false;
    }
    return true;
}

static void write_lane(const struct assignment *a, LLVMBuilderRef b, unsigned k)
{
    LLVMValueRef from = LLVMGetOperand(a->store, 0);
    unsigned lane = k;
    if (!trace_lane(a, &from, &lane) || from == a->loaded)
        return;
    LLVMTypeRef index = LLVMInt32TypeInContext(LLVMGetTypeContext(a->vector));
    if (LLVMGetTypeKind(LLVMTypeOf(from)) == LLVMVectorTypeKind)
        from = LLVMBuildExtractElement(b, from, LLVMConstInt(index, lane, false), "");
    LLVMValueRef indices[2] = {LLVMConstInt(index, 0, false), LLVMConstInt(index, k, false)};
    LLVMValueRef at = LLVMBuildInBoundsGEP2(b, a->vector, LLVMGetOperand(a->store, 1), indices, 2, "");
    unsigned whole = LLVMGetAlignment(a->store), bits = 64;
    LLVMTypeRef type = LLVMTypeOf(from);
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
        bits = LLVMGetIntTypeWidth(type);
    else if (LLVMGetTypeKind(type) != LLVMDoubleTypeKind)
        bits = LLVMGetTypeKind(type) == LLVMHalfTypeKind ? 16 : 32;
    LLVMSetAlignment(LLVMBuildStore(b, from, at), whole < bits / 8 ? whole : bits / 8);
}

static void erase_unused(LLVMValueRef value)
{
    while (value && LLVMIsAInstruction(value) && !LLVMGetFirstUse(value) &&
           (LLVMIsAInsertElementInst(value) || LLVMIsAShuffleVectorInst(value))) {
        LLVMValueRef next = LLVMGetOperand(value, 0);
        LLVMInstructionEraseFromParent(value);
        value = next;
    }
}

bool rt_helper_split_store(struct LLVMOpaqueBuilder *builder, struct LLVMOpaqueValue *store)
{
    struct assignment a;
    if (!recognize_assignment(store, &a))
        return false;
    LLVMPositionBuilderBefore(builder, store);
    for (unsigned k = 0; k < a.lanes; k++)
        write_lane(&a, builder, k);
    LLVMValueRef value = LLVMGetOperand(store, 0);
    LLVMInstructionEraseFromParent(store);
    erase_unused(value);
    if (!LLVMGetFirstUse(a.loaded))
        LLVMInstructionEraseFromParent(a.loaded);
    return true;
}
