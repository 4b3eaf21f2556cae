// The entry point for kernels whose work-items may wait for one another in loops.  Fibers (run/fibers.c) take
// work-items from a counter and yield at barriers and in loops that read what other work-items write.
// docs/vectorizer.md#legality
#include "interp/jit/run/fibers.h"
#include "interp/jit/vectorize/spinning.h"
#include "interp/jit/vectorize/work_group.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace
{

Value *field(IRBuilder<> &b, Value *turns, uint64_t offset)
{
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), turns, offset);
}

void call_out(IRBuilder<> &b, Value *turns, uint64_t offset)
{
    Type *pointer = PointerType::get(b.getContext(), 0);
    auto *type = FunctionType::get(b.getVoidTy(), {pointer}, false);
    b.CreateCall(type, b.CreateLoad(pointer, field(b, turns, offset)), {turns});
}

// in.yield(turns): switches to another fiber when the work-item has used up its iterations.
Function *make_yield(Module &m)
{
    LLVMContext &c = m.getContext();
    auto *type = FunctionType::get(Type::getVoidTy(c), {PointerType::get(c, 0)}, false);
    Function *f = Function::Create(type, GlobalValue::InternalLinkage, "in.yield", m);
    f->addFnAttr(Attribute::AlwaysInline);
    f->addFnAttr(Attribute::NoUnwind);
    BasicBlock *entry = BasicBlock::Create(c, "", f), *yield = BasicBlock::Create(c, "", f),
               *after = BasicBlock::Create(c, "", f);
    IRBuilder<> b(entry);
    Value *cell = field(b, f->getArg(0), offsetof(struct in_jit_fiber_group, patience));
    Value *left = b.CreateSub(b.CreateLoad(b.getInt32Ty(), cell), b.getInt32(1));
    b.CreateStore(left, cell);
    b.CreateCondBr(b.CreateICmpEQ(left, b.getInt32(0)), yield, after);
    b.SetInsertPoint(yield);
    call_out(b, f->getArg(0), offsetof(struct in_jit_fiber_group, yield));
    b.CreateBr(after);
    IRBuilder<>(after).CreateRetVoid();
    return f;
}

// Inserts a yield at the back edges of loops that may wait for another work-item: they observe others' writes
// and have no known trip count.  Taking a free lock repeats no loop, so its holder is not suspended for
// taking it often.  The parameter for local memory becomes the group's fiber state (turns), which holds the
// pointer to local memory.
void insert_yields(Function &f, Function *turn)
{
    DominatorTree tree(f);
    LoopInfo loops(tree);
    auto is_counted = counted_loops(f, tree, loops);
    SmallVector<Instruction *, 16> barriers, exchanges;
    SmallVector<Loop *, 16> repeats;
    for (Loop *loop : loops.getLoopsInPreorder())
        if (loop->hasNoExitBlocks() ||
            (any_of(loop->blocks(), [](BasicBlock *b) { return any_of(*b, may_observe_others); }) &&
             !is_counted(*loop)))
            repeats.push_back(loop);
    for (Instruction &i : instructions(f))
        if (auto *call = dyn_cast<CallInst>(&i);
            call && call->getCalledFunction() && call->getCalledFunction()->getName() == "in.barrier")
            barriers.push_back(call);
        else if (call && call->getCalledFunction() && call->getCalledFunction()->getName() == "in.exchange")
            exchanges.push_back(call);
    IRBuilder<> entry(&*f.getEntryBlock().getFirstInsertionPt());
    Argument *turns = f.getArg(LOCAL);
    f.removeParamAttr(LOCAL, Attribute::NoAlias);
    Instruction *local = entry.CreateLoad(PointerType::get(f.getContext(), 0),
                                          field(entry, turns, offsetof(struct in_jit_fiber_group, local)));
    Value *base = cast<LoadInst>(local)->getPointerOperand();
    turns->replaceUsesWithIf(local, [&](Use &u) { return u.getUser() != local && u.getUser() != base; });
    for (Loop *loop : repeats) {
        SmallVector<BasicBlock *, 4> latches;
        loop->getLoopLatches(latches);
        for (BasicBlock *latch : latches)
            IRBuilder<>(SplitEdge(latch, loop->getHeader(), &tree, &loops)->getTerminator())
                .CreateCall(turn, {turns});
    }
    for (Instruction *i : exchanges)
        i->eraseFromParent();
    for (Instruction *i : barriers) {
        IRBuilder<> b(i);
        call_out(b, turns, offsetof(struct in_jit_fiber_group, barrier));
        i->eraseFromParent();
    }
}

} // namespace

void in_shim_make_fiber_entry(LLVMModuleRef module, struct in_loops *loops)
{
    Module &m = *unwrap(module);
    LLVMContext &c = m.getContext();
    Function *item = m.getFunction("item");
    insert_yields(*item, make_yield(m));
    Group g(m, *loops, true);
    Function *f = g.function;
    f->setName("run.fiber");
    f->removeParamAttr(1, Attribute::NoAlias); // while a work-item waits, others change the turns
    BasicBlock *entry = BasicBlock::Create(c, "", f), *head = BasicBlock::Create(c, "", f),
               *body = BasicBlock::Create(c, "", f), *after = BasicBlock::Create(c, "", f);
    IRBuilder<> b(entry);
    b.CreateBr(head);
    b.SetInsertPoint(head);
    Value *cell = field(b, g.local, offsetof(struct in_jit_fiber_group, begun));
    Value *at = b.CreateLoad(b.getInt32Ty(), cell);
    Value *items = b.CreateMul(b.CreateMul(g.size[0], g.size[1]), g.size[2]);
    b.CreateCondBr(b.CreateICmpULT(at, items), body, after);
    b.SetInsertPoint(body);
    b.CreateStore(b.CreateAdd(at, b.getInt32(1)), cell);
    Value *ids[3] = {at, b.getInt32(0), b.getInt32(0)}, *carry = b.getTrue();
    bool line = !loops->any_size && loops->local_size[1] == 1 && loops->local_size[2] == 1;
    for (unsigned k = 0; k < 3 && !line; k++) {
        cell = field(b, g.local, offsetof(struct in_jit_fiber_group, next) + 4 * k);
        ids[k] = b.CreateLoad(b.getInt32Ty(), cell);
        Value *up = b.CreateAdd(ids[k], b.CreateZExt(carry, b.getInt32Ty()));
        Value *wraps = b.CreateICmpEQ(up, g.size[k]);
        b.CreateStore(b.CreateSelect(wraps, b.getInt32(0), up), cell);
        carry = b.CreateAnd(carry, wraps);
    }
    b.CreateCall(item, item_arguments(b, g, ids));
    b.CreateBr(head);
    IRBuilder<>(after).CreateRetVoid();
}
