// Lowering of synchronization by atomics: tags of global memory are segments, and clocks (clocks.h) decide
// which of other work-items' accesses happen before.  docs/instrumentation.md#synchronization-by-atomics
#include "interp/jit/instrument/lower_checks.hpp"
#include "interp/jit/vectorize/versions.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;
using namespace instrumentation;

// How the marker CALL says that it synchronizes, at most.
static unsigned how_of(const CallInst *call, unsigned argument)
{
    const Value *how = call->getArgOperand(argument);
    if (auto *select = dyn_cast<SelectInst>(how)) // of a compare-exchange
        how = select->getTrueValue();
    auto *constant = dyn_cast<ConstantInt>(how);
    return constant ? unsigned(constant->getZExtValue()) : ~0u;
}

// Without fences, atomics that neither acquire nor release nor end release sequences order nothing.
void CheckLowering::drop_unfenced()
{
    if (fences.empty())
        erase_if(synchronizations, [](CallInst *call) {
            bool orders = how_of(call, 1) & (IN_SYNC_ACQUIRES | IN_SYNC_RELEASES | IN_SYNC_STORES);
            if (!orders)
                call->eraseFromParent();
            return !orders;
        });
}

// Decides whether tags are segments: work-items may wait in loops, or atomics may order accesses that are
// checked; and no barriers do. False: unsupported.
bool CheckLowering::uses_clocks()
{
    auto is_tagged = [&](const Memory &m) {
        return &m != &memories[LOCAL_MEMORY] && (*m.use & IN_SHADOW_TAGGED) && !m.texels;
    };
    unsigned how = 0;
    for (CallInst *call : synchronizations)
        how |= how_of(call, 1);
    for (CallInst *call : fences)
        how |= how_of(call, 0);
    bool orders = (how & IN_SYNC_ACQUIRES) && (how & IN_SYNC_RELEASES) && any_of(memories, is_tagged);
    if ((!orders && !options.clocks) || !barriers.empty())
        return true;
    DominatorTree tree(item);
    LoopInfo loops(tree);
    ReversePostOrderTraversal<Function *> order(&item);
    options.plan.clocks = true;
    return !containsIrreducibleCFG<BasicBlock *>(order, loops) ||
           fail("an irreducible loop in an instrumented launch with clocks");
}

FunctionCallee CheckLowering::clock_function(const char *name, Type *result, ArrayRef<Type *> types)
{
    FunctionCallee callee =
        item.getParent()->getOrInsertFunction(name, FunctionType::get(result, types, false));
    auto *f = cast<Function>(callee.getCallee());
    f->addFnAttr(Attribute::NoUnwind);
    f->addFnAttr(Attribute::WillReturn);
    return callee;
}

// Of the blocks that are in: the interpreter's instructions, if each is executed once.
unsigned CheckLowering::weight_of(function_ref<bool(BasicBlock *)> is_in) const
{
    unsigned sum = 0;
    for (CallInst *call : weights)
        if (is_in(call->getParent()))
            sum += unsigned(cast<ConstantInt>(call->getArgOperand(0))->getZExtValue());
    return sum;
}

// The interpreter executes a work-item without interruption for a number of instructions, and others after
// that.  Work-items that take longer, because they are long or wait for others, leave their loops.
void CheckLowering::leave_long_loops()
{
    DominatorTree tree(item);
    LoopInfo loops(tree);
    SmallVector<std::pair<Instruction *, unsigned>, 8> ends;
    for (Loop *loop : loops.getLoopsInPreorder()) {
        unsigned length = weight_of([&](BasicBlock *block) { return loop->contains(block); });
        SmallVector<BasicBlock *, 4> latches;
        loop->getLoopLatches(latches);
        for (BasicBlock *latch : latches)
            ends.push_back({latch->getTerminator(), length});
    }
    if (ends.empty())
        return;
    BasicBlock *leave = BasicBlock::Create(item.getContext(), "", &item);
    b.SetInsertPoint(leave);
    b.CreateStore(b.getInt32(1), flagged);
    b.CreateRetVoid();
    for (auto [end, length] : ends) {
        BasicBlock *before = end->getParent(), *after = SplitBlock(before, end);
        b.SetInsertPoint(before->getTerminator());
        Value *at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), shadow, offsetof(in_shadow, slice));
        LoadInst *slice = b.CreateAlignedLoad(b.getInt32Ty(), at, Align(4));
        Value *left = b.CreateSub(slice, b.getInt32(length));
        set_scope(slice, true);
        set_scope(b.CreateAlignedStore(left, at, Align(4)), true);
        b.CreateCondBr(b.CreateICmpSLT(left, b.getInt32(0)), leave, after,
                       MDBuilder(item.getContext()).createBranchWeights(1, 1u << 20));
        before->getTerminator()->eraseFromParent();
    }
}

// At the work-item's entry, where set_up has left the insertion point.
void CheckLowering::begin_clock()
{
    Type *word = b.getInt32Ty();
    segment = b.CreateAlloca(word);
    FunctionCallee begin = clock_function("in_clock_begin", word, {b.getPtrTy(), word});
    unsigned length = weight_of([](BasicBlock *) { return true; });
    first_segment = b.CreateCall(begin, {shadow, b.getInt32(length)});
    b.CreateStore(first_segment, segment);
    leave_long_loops();
}

void CheckLowering::compute_segments(Tags &t)
{
    t.base = field(offsetof(in_shadow, base));
    t.range = field(offsetof(in_shadow, range));
    t.own = t.item_span = t.group_span = nullptr;
    t.tag = b.CreateLoad(b.getInt32Ty(), segment);
    t.others = b.CreateSub(first_segment, t.base);
    t.all_readers = t.group_readers = t.base;
}

// Whether tag OLD is that of another work-item's access that does not happen before this one.
Value *CheckLowering::unordered(const Tags &t, Value *old)
{
    Value *others = b.CreateICmpULT(b.CreateSub(old, t.base), t.others);
    MDNode *rarely = MDBuilder(item.getContext()).createBranchWeights(1, 1000);
    Instruction *then = SplitBlockAndInsertIfThen(others, &*b.GetInsertPoint(), false, rarely);
    Instruction *after = &*b.GetInsertPoint();
    BasicBlock *before = then->getParent()->getSinglePredecessor();
    b.SetInsertPoint(then);
    FunctionCallee covers = clock_function("in_clock_covers", b.getInt32Ty(), {b.getPtrTy(), b.getInt32Ty()});
    Value *races = b.CreateICmpEQ(b.CreateCall(covers, {shadow, old}), b.getInt32(0));
    b.SetInsertPoint(after->getParent(), after->getParent()->begin());
    PHINode *result = b.CreatePHI(b.getInt1Ty(), 2);
    result->addIncoming(b.getFalse(), before);
    result->addIncoming(races, then->getParent());
    b.SetInsertPoint(after);
    return result;
}

// Atomics of local memory order accesses of local memory alone, which barriers are expected to order.
void CheckLowering::lower_synchronization(CallInst *call)
{
    OriginAnalysis analysis(item, options);
    Origin origin = analysis.find(call->getArgOperand(0));
    bool is_global = origin.kind == Origin::ARGUMENT || origin.kind == Origin::UNKNOWN;
    if (options.plan.clocks && is_global) {
        b.SetInsertPoint(call);
        Type *word = b.getInt32Ty();
        FunctionCallee synchronize =
            clock_function("in_clock_synchronize", word, {b.getPtrTy(), b.getInt64Ty(), word, word, word});
        Value *address = b.CreatePtrToInt(call->getArgOperand(0), b.getInt64Ty());
        Value *next = b.CreateCall(synchronize, {shadow, address, first_segment, b.CreateLoad(word, segment),
                                                 call->getArgOperand(1)});
        b.CreateStore(next, segment);
    }
    call->eraseFromParent();
}

void CheckLowering::lower_fence(CallInst *call)
{
    if (options.plan.clocks) {
        b.SetInsertPoint(call);
        Type *word = b.getInt32Ty();
        FunctionCallee fence = clock_function("in_clock_fence", word, {b.getPtrTy(), word, word, word});
        Value *next =
            b.CreateCall(fence, {shadow, first_segment, b.CreateLoad(word, segment), call->getArgOperand(0)});
        b.CreateStore(next, segment);
    }
    call->eraseFromParent();
}
