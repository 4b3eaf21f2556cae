// Checks of shadow tags: an access loads the tags of its cells, flags those that conflict, and stores its
// own. docs/instrumentation.md#shadow-tags
#include "interp/jit/instrument/lower_checks.hpp"
#include "interp/jit/vectorize/versions.hpp"

#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;
using namespace instrumentation;

Value *CheckLowering::plane(const Memory &m, unsigned which, bool second, Value *index)
{
    uint64_t at = offsetof(in_shadow_memory, planes) + (2 * which + second) * sizeof(uint32_t *);
    return b.CreateInBoundsGEP(b.getInt32Ty(), memory_load(m, at, b.getPtrTy()), index);
}

Value *CheckLowering::load(const Memory &m, unsigned which, Value *index)
{
    LoadInst *i = b.CreateAlignedLoad(b.getInt32Ty(), plane(m, which, false, index), Align(4));
    return set_scope(i, true);
}

void CheckLowering::store(const Memory &m, unsigned which, Value *index, Value *tag)
{
    set_scope(b.CreateAlignedStore(tag, plane(m, which, true, index), Align(4)), true);
    if (tags[tag_kind(m)].others) {
        Value *at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), shadow, offsetof(in_shadow, last_used));
        set_scope(b.CreateAlignedStore(tags[tag_kind(m)].tag, at, Align(4)), true);
    }
}

// Whether tag OLD belongs to this launch and to another work-item, with no barrier in between.
Value *CheckLowering::conflicts(const Tags &t, Value *old)
{
    if (t.others)
        return unordered(t, old);
    if (!t.all_readers) { // aligned bases: tags of one work-group and phase differ in the bits of the local id alone
        Value *difference = b.CreateXor(old, t.tag);
        return b.CreateICmpULT(b.CreateSub(difference, b.getInt32(1)),
                               b.CreateSub(t.item_span, b.getInt32(1)));
    }
    Value *y = b.CreateSub(old, t.base);
    Value *c = b.CreateAnd(b.CreateICmpULT(y, t.range), b.CreateICmpNE(y, t.own));
    if (t.item_span) {
        Value *difference = b.CreateXor(y, t.own);
        c = b.CreateAnd(c, b.CreateICmpUGE(b.CreateSub(difference, t.item_span), t.group_span));
    }
    return c;
}

// Records a reader (or atomic access) of a cell; a second one turns the tag into that of several readers.
// Lanes of a vector may store different tags at once: a lane that loads back another tag than it stored
// shares the cell with another lane.
void CheckLowering::record_reader(const Memory &m, unsigned which, Value *index, const Tags &t,
                                  bool lane_disjoint)
{
    Value *old = load(m, which, index), *others = conflicts(t, old);
    Value *group_readers = t.group_readers;
    if (t.all_readers && t.all_readers != t.group_readers) {
        Value *difference = b.CreateXor(b.CreateSub(old, t.base), t.own);
        group_readers =
            b.CreateSelect(b.CreateICmpULT(difference, t.item_span), t.group_readers, t.all_readers);
    }
    Value *tag = b.CreateSelect(others, group_readers, t.tag);
    store(m, which, index, tag);
    if (lane_disjoint || t.others)
        return;
    Value *lost = b.CreateICmpNE(load(m, which, index), tag);
    Instruction *then = SplitBlockAndInsertIfThen(
        lost, &*b.GetInsertPoint(), false, MDBuilder(item.getContext()).createBranchWeights(1, 1u << 20));
    Instruction *after = &*b.GetInsertPoint();
    b.SetInsertPoint(then);
    store(m, which, index, b.CreateSelect(others, group_readers, t.group_readers));
    b.SetInsertPoint(after);
}

// Flags of barriers decide whether they order accesses to images, and phases ignore those: texels have tags
// without phases.
TagKind CheckLowering::tag_kind(const Memory &m) const
{
    return &m == &memories[LOCAL_MEMORY] ? LOCAL_TAGS : m.texels ? TEXEL_TAGS : GLOBAL_TAGS;
}

void CheckLowering::check_cell(const Access &a, const Memory &m, Value *index)
{
    const Tags &t = tags[tag_kind(m)];
    bool writes = a.how & IN_SHADOW_WRITTEN, atomic = !a.plain();
    if (*m.use & IN_SHADOW_WRITTEN)
        flag(conflicts(t, load(m, IN_SHADOW_WRITES, index)));
    if (writes && (*m.use & IN_SHADOW_READ))
        flag(conflicts(t, load(m, IN_SHADOW_READS, index)));
    if (!atomic && (*m.use & IN_SHADOW_ATOMIC))
        flag(conflicts(t, load(m, IN_SHADOW_ATOMICS, index)));
    if (atomic) {
        record_reader(m, IN_SHADOW_ATOMICS, index, t, true);
    } else if (writes) {
        store(m, IN_SHADOW_WRITES, index, t.tag);
        if (!a.lane_disjoint && !t.others)
            flag(b.CreateICmpNE(load(m, IN_SHADOW_WRITES, index), t.tag));
    } else {
        record_reader(m, IN_SHADOW_READS, index, t, a.lane_disjoint);
    }
}

// Whether a plane has no tag of this launch.
Value *CheckLowering::untouched(const Memory &m, unsigned which, Value *index)
{
    const Tags &t = tags[tag_kind(m)];
    return b.CreateICmpUGE(b.CreateSub(load(m, which, index), t.base), t.range);
}

// Before the launch's first write to a cell, its bytes are saved for rollback.  Lanes that write one cell at
// once save the same bytes.
void CheckLowering::save_cell(const Memory &m, Value *index, Value *from, Value *in_bounds)
{
    unsigned log = *m.use >> IN_SHADOW_GRANULE;
    Value *first = in_bounds;
    if (*m.use & IN_SHADOW_WRITTEN)
        first = b.CreateAnd(first, untouched(m, IN_SHADOW_WRITES, index));
    if (*m.use & IN_SHADOW_ATOMIC)
        first = b.CreateAnd(first, untouched(m, IN_SHADOW_ATOMICS, index));
    Instruction *then = SplitBlockAndInsertIfThen(first, &*b.GetInsertPoint(), false);
    Instruction *after = &*b.GetInsertPoint();
    b.SetInsertPoint(then);
    LoadInst *old = b.CreateAlignedLoad(b.getIntNTy(8u << log), from, Align(1u << log));
    set_scope(old, false);
    old->setMetadata(LLVMContext::MD_access_group, group);
    Value *undo = memory_load(m, offsetof(in_shadow_memory, undo), b.getPtrTy());
    Value *to = b.CreateInBoundsGEP(b.getInt8Ty(), undo, b.CreateShl(index, log));
    set_scope(b.CreateAlignedStore(old, to, Align(1u << log)), true);
    if (!(*m.use & IN_SHADOW_TAGGED))
        store(m, IN_SHADOW_ATOMICS, index, tags[0].base);
    b.SetInsertPoint(after);
}

// Emits BODY for each of COUNT cells: one after the other if they are few, else in a loop.
void CheckLowering::for_each_cell(uint64_t count, function_ref<void(Value *)> body)
{
    enum { FEW = 8 };
    for (uint64_t k = 0; count <= FEW && k < count; k++)
        body(b.getInt64(k));
    if (count <= FEW)
        return;
    Instruction *place = &*b.GetInsertPoint();
    BasicBlock *before = place->getParent(), *after = SplitBlock(before, place);
    BasicBlock *loop = BasicBlock::Create(item.getContext(), "", before->getParent(), after);
    before->getTerminator()->setSuccessor(0, loop);
    b.SetInsertPoint(loop);
    PHINode *k = b.CreatePHI(b.getInt64Ty(), 2);
    auto *next = cast<Instruction>(b.CreateAdd(k, b.getInt64(1), "", true, true));
    b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(count)), loop, after);
    b.SetInsertPoint(next);
    body(k);
    k->addIncoming(b.getInt64(0), before);
    k->addIncoming(next, next->getParent()); // BODY may have split the block
    b.SetInsertPoint(place);
}

// Whether the access saves bytes for rollback before the launch's first write to them.
bool CheckLowering::saves(const Access &a)
{
    const Memory &m = memory_of(a);
    return tag_kind(m) != LOCAL_TAGS && in_shadow_has_undo(*m.use) &&
           (!a.plain() || (a.how & IN_SHADOW_WRITTEN));
}

// Once the work-item's tags are computed.  POINTER: through which the access is made.
void CheckLowering::check_cells(const Access &a, Value *offset, Value *pointer, Value *in_bounds)
{
    const Memory &m = memory_of(a);
    unsigned log = *m.use >> IN_SHADOW_GRANULE;
    Value *first = b.CreateLShr(offset, log, "", true);
    for_each_cell(a.size >> log, [&](Value *k) {
        Value *index = b.CreateAdd(first, k);
        if (saves(a))
            save_cell(m, index, b.CreateGEP(b.getInt8Ty(), pointer, b.CreateShl(k, log)), in_bounds);
        if (*m.use & IN_SHADOW_TAGGED)
            check_cell(a, m, index);
    });
}

void CheckLowering::check_tags(const Access &a, Value *offset, Value *pointer, Value *in_bounds)
{
    if (!has_tag_checks(a))
        return;
    compute_tags(tag_kind(memory_of(a)));
    check_cells(a, offset, pointer, in_bounds);
}
