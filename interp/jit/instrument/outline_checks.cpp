// Checks in functions, one for each kind of access, that are called at the accesses.  The time that LLVM
// takes for code with many checks is more than linear in their number; without calls the code is faster.
// docs/instrumentation.md#checks-in-functions
#include "interp/jit/instrument/lower_checks.hpp"
#include "interp/jit/vectorize/versions.hpp"

#include <llvm/ADT/ScopeExit.h>

using namespace llvm;
using namespace instrumentation;

namespace
{

enum { MOST_INLINE = 128, MOST_FLAGS = 512 };
enum Parameter { SHADOW, POINTER, IN_BOUNDS, OFFSET, OWN, TAG, OBJECT };

} // namespace

bool CheckLowering::has_tag_checks(const Access &a)
{
    if (!a.tagged)
        return false;
    const Memory &m = memory_of(a);
    return (*m.use & IN_SHADOW_TAGGED) || saves(a);
}

// Clocks are state of the work-item's function.
void CheckLowering::choose_outline()
{
    const auto checks =
        count_if(accesses, [&](const Access &a) { return !a.in_bounds || has_tag_checks(a); });
    outlines = !options.plan.clocks && (checks > MOST_INLINE || value_checks.size() > MOST_FLAGS);
    options.plan.outlined = outlines;
}

Function *CheckLowering::add_outlined(Type *result, ArrayRef<Type *> parameters)
{
    auto *f = Function::Create(FunctionType::get(result, parameters, false), GlobalValue::InternalLinkage,
                               "in_jit_check", item.getParent());
    for (auto kind : {Attribute::NoInline, Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoSync,
                      Attribute::NoFree})
        f->addFnAttr(kind);
    f->addFnAttr("check"); // for in_shim_may_spin()
    BasicBlock::Create(item.getContext(), "", f);
    return f;
}

// Sets the flag in the frame if BAD, which is an integer of 32 bits.
void CheckLowering::flag_in_frame(Value *bad)
{
    Value *at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), shadow, offsetof(in_shadow, deoptimized));
    b.CreateAlignedStore(b.CreateOr(b.CreateAlignedLoad(b.getInt32Ty(), at, Align(4)), bad), at, Align(4));
}

void CheckLowering::call_flag(Value *bad)
{
    if (!outlined_flag) {
        IRBuilderBase::InsertPointGuard guard(b);
        Value *outside = shadow;
        outlined_flag = add_outlined(b.getVoidTy(), {b.getPtrTy(), b.getInt1Ty()});
        shadow = outlined_flag->getArg(0);
        b.SetInsertPoint(&outlined_flag->getEntryBlock());
        flag_in_frame(b.CreateZExt(outlined_flag->getArg(1), b.getInt32Ty()));
        b.CreateRetVoid();
        shadow = outside;
    }
    b.CreateCall(outlined_flag, {shadow, bad});
}

// The function for accesses as A: checks tags and returns the pointer, or, out of bounds, a pointer to
// scratch memory.
Function *CheckLowering::outlined_check(const Access &a)
{
    Memory &m = memory_of(a);
    const bool has_tags = has_tag_checks(a);
    Function *&f = outlined[{has_tags ? &m : nullptr, has_tags ? a.size : 0, has_tags ? a.how : 0,
                             has_tags && a.lane_disjoint}];
    if (f)
        return f;
    Type *word = b.getInt32Ty(), *pointer = b.getPtrTy();
    f = add_outlined(pointer, {pointer, pointer, b.getInt1Ty(), b.getInt64Ty(), word, word, pointer});
    IRBuilderBase::InsertPointGuard guard(b);
    LLVMContext &c = item.getContext();
    BasicBlock *entry = &f->getEntryBlock(), *good = BasicBlock::Create(c, "", f),
               *bad = BasicBlock::Create(c, "", f);
    Value *outside = std::exchange(shadow, f->getArg(SHADOW)), *object = m.object;
    AllocaInst *outer_flag = flagged;
    outlines = false; // in the function
    auto restore = make_scope_exit([&] {
        shadow = outside;
        m.object = object;
        flagged = outer_flag;
        outlines = true;
    });
    m.object = object ? f->getArg(OBJECT) : nullptr;
    b.SetInsertPoint(entry);
    flagged = b.CreateAlloca(word);
    b.CreateStore(b.getInt32(0), flagged);
    b.CreateCondBr(f->getArg(IN_BOUNDS), good, bad);
    b.SetInsertPoint(bad);
    flag_in_frame(b.getInt32(1));
    b.CreateRet(frame_load(shadow, offsetof(in_shadow, scratch), pointer));
    b.SetInsertPoint(good);
    b.SetInsertPoint(b.CreateRet(f->getArg(POINTER)));
    if (has_tags) {
        Tags &t = tags[tag_kind(m)];
        t.own = f->getArg(OWN);
        t.base = b.CreateSub(f->getArg(TAG), t.own);
        spread_tags(t, tag_kind(m));
        check_cells(a, f->getArg(OFFSET), f->getArg(POINTER), b.getTrue());
        flag_in_frame(b.CreateLoad(word, flagged));
    }
    return f;
}

// OFFSET: of the access in the planes' memory.
void CheckLowering::lower_by_call(const Access &a, Value *in_bounds, Value *offset)
{
    const Memory &m = memory_of(a);
    Value *own = b.getInt32(0), *tag = own;
    Function *f = outlined_check(a);
    if (has_tag_checks(a)) {
        compute_tags(tag_kind(m));
        own = tags[tag_kind(m)].own;
        tag = tags[tag_kind(m)].tag;
    }
    Value *object = m.object ? m.object : ConstantPointerNull::get(b.getPtrTy());
    Value *pointer = b.CreateCall(f, {shadow, a.call->getArgOperand(0), in_bounds, offset, own, tag, object});
    a.call->replaceAllUsesWith(pointer);
}
