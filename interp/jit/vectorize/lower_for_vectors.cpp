// Replaces what vectors across work-items lack: gathers of bytes, integer division (uniform division gains
// without vectors, too).  Decides whether a kernel's own vector types are kept.
// docs/vectorizer.md#profitability
#include "interp/jit/vectorize/trip_counts.hpp"
#include "interp/jit/vectorize/work_group.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

// ---- the kernel's own vectors --------------------------------------------------------------------

static bool is_costly(const Instruction &i)
{
    auto *call = dyn_cast<CallInst>(&i);
    if (call && !call->getType()->isVoidTy())
        return !isa<IntrinsicInst>(call) || cast<IntrinsicInst>(call)->getIntrinsicID() == Intrinsic::sqrt;
    return i.getOpcode() == Instruction::FDiv || i.isIntDivRem() || i.getOpcode() == Instruction::FRem;
}

// Whether members of VECTOR, or of conversions and selections of its members, are all that is used.
static bool is_taken_apart(const Instruction &vector)
{
    SmallSetVector<const User *, 8> vectors; // each once: they may have several users in common
    vectors.insert(&vector);
    for (size_t k = 0; k < vectors.size(); k++)
        for (const User *user : vectors[k]->users()) {
            if (isa<ExtractElementInst>(user))
                continue;
            if (!(isa<CastInst>(user) || isa<ShuffleVectorInst>(user)) || !user->getType()->isVectorTy())
                return false;
            vectors.insert(user);
        }
    return true;
}

// Whether LOAD takes consecutive vectors apart: as vectors across work-items, members come in groups.
// Vectors of three have their own size where vload3() reads them.
static bool only_members(const Instruction &load, const Divergence &divergence)
{
    if (!isa<LoadInst>(load))
        return false;
    const DataLayout &layout = load.getModule()->getDataLayout();
    LaneStride stride = lane_stride(getLoadStorePointerOperand(&load), divergence);
    return stride.kind == LaneStride::CONSTANT && is_taken_apart(load) &&
           (stride.bytes == int64_t(layout.getTypeAllocSize(load.getType())) ||
            stride.bytes == int64_t(layout.getTypeStoreSize(load.getType())));
}

// Work-items that traverse memory in vectors, at separate addresses and doing little with them, gain
// nothing from having the vectors taken apart.
bool in_shim_keeps_vectors(LLVMValueRef item)
{
    Function &f = *cast<Function>(unwrap(item));
    DominatorTree tree(f);
    LoopInfo loops(tree);
    Divergence divergence(f, 1);
    unsigned deepest = 0, accesses = 0;
    for (BasicBlock &b : f)
        deepest = std::max(deepest, loops.getLoopDepth(&b));
    for (Instruction &i : instructions(f)) {
        const Value *pointer = getLoadStorePointerOperand(&i);
        if (is_costly(i))
            return false;
        if (pointer && loops.getLoopDepth(i.getParent()) == deepest && divergence.values.count(pointer) &&
            !isa<AllocaInst>(pointer->stripInBoundsOffsets()) && getLoadStoreType(&i)->isVectorTy())
            accesses += !only_members(i, divergence);
    }
    return accesses > 0;
}

// ---- what vectors lack ---------------------------------------------------------------------------

// Loads a byte or short as part of the aligned word around it: words can be gathered.
static void load_word(LoadInst *load)
{
    IRBuilder<> b(load);
    Value *address = b.CreatePtrToInt(load->getPointerOperand(), b.getInt64Ty());
    Value *at = b.CreateIntToPtr(b.CreateAnd(address, ~uint64_t(3)), load->getPointerOperandType());
    LoadInst *word = b.CreateAlignedLoad(b.getInt32Ty(), at, Align(4));
    word->copyMetadata(*load, {LLVMContext::MD_access_group, LLVMContext::MD_invariant_load});
    Value *bits = b.CreateShl(b.CreateAnd(b.CreateTrunc(address, b.getInt32Ty()), 3), 3);
    load->replaceAllUsesWith(b.CreateTrunc(b.CreateLShr(word, bits), load->getType()));
    load->eraseFromParent();
}

// The quotient of 32-bit integers X and Y is the rounded quotient of doubles cut off: it is never rounded up
// to the next integer, which is at least 2^-32 away, by less than 2^-52 of it.  Where all work-items divide
// by the same, they multiply by its reciprocal: (X + 1/2) / Y, with X's sign, lies between the same integers
// and at least 1 / 2Y from them, which is more than what two roundings, 2^-52 of 2^32 / Y each, may move it.
static Value *emit_quotient(IRBuilder<> &b, Value *x, Value *y, bool sign, bool same)
{
    auto wide = [&](Value *v) {
        return sign ? b.CreateSIToFP(v, b.getDoubleTy()) : b.CreateUIToFP(v, b.getDoubleTy());
    };
    if (!same)
        return b.CreateFDiv(wide(x), wide(y));
    Value *half = ConstantFP::get(b.getDoubleTy(), 0.5), *dividend = wide(x);
    if (sign)
        half = b.CreateBinaryIntrinsic(Intrinsic::copysign, half, dividend);
    Value *reciprocal = b.CreateFDiv(ConstantFP::get(b.getDoubleTy(), 1), wide(y));
    return b.CreateFMul(b.CreateFAdd(dividend, half), reciprocal);
}

static void lower_division(BinaryOperator *i, bool same)
{
    IRBuilder<> b(i);
    bool sign = i->getOpcode() == Instruction::SDiv || i->getOpcode() == Instruction::SRem;
    bool rest = i->getOpcode() == Instruction::URem || i->getOpcode() == Instruction::SRem;
    Value *x = b.CreateFreeze(i->getOperand(0)), *y = b.CreateFreeze(i->getOperand(1));
    Value *whole = b.CreateFreeze(b.CreateFPToSI(emit_quotient(b, x, y, sign, same), b.getInt64Ty()));
    Value *result = b.CreateTrunc(whole, i->getType());
    if (rest)
        result = b.CreateSub(x, b.CreateMul(result, y));
    i->replaceAllUsesWith(result);
    i->eraseFromParent();
}

// ---- conditional exchanges -----------------------------------------------------------------------

// The load from POINTER in BLOCK behind which nothing writes to memory, or null.
static LoadInst *load_before(BasicBlock &block, const Value *pointer, const Type *type)
{
    for (Instruction &i : reverse(block)) {
        if (i.mayWriteToMemory())
            return nullptr;
        auto *load = dyn_cast<LoadInst>(&i);
        if (load && load->isSimple() && load->getPointerOperand() == pointer && load->getType() == type)
            return load;
    }
    return nullptr;
}

// Whether only one thread accesses what is behind POINTER: local memory or a private variable of ITEM.
static bool is_of_one_thread(const Value *pointer, const Function &item)
{
    const Value *object = getUnderlyingObject(pointer, 0);
    return object == item.getArg(LOCAL) || isa<AllocaInst>(object);
}

// Whether BLOCK, of ITEM, does nothing but store to addresses in such memory, two or more, what the block
// before it has loaded there.
static bool is_exchange(BasicBlock &block, const Function &item)
{
    BasicBlock *before = block.getSinglePredecessor(), *after = block.getSingleSuccessor();
    auto *branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
    if (!branch || !branch->isConditional() || !after || !is_contained(branch->successors(), after) ||
        branch->hasMetadata(LLVMContext::MD_loop) || block.getTerminator()->hasMetadata(LLVMContext::MD_loop))
        return false;
    unsigned stores = 0;
    SmallPtrSet<const Value *, 4> loaded, stored;
    for (Instruction &i : block) {
        auto *store = dyn_cast<StoreInst>(&i);
        if (!store && !i.isTerminator() && (i.mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(&i)))
            return false;
        if (!store)
            continue;
        LoadInst *load =
            load_before(*before, store->getPointerOperand(), store->getValueOperand()->getType());
        if (!store->isSimple() || !load || !is_of_one_thread(store->getPointerOperand(), item))
            return false;
        loaded.insert(load);
        stored.insert(store->getValueOperand());
        stores++;
    }
    return stores > 1 && loaded.size() == stores && loaded == stored;
}

// In place of BLOCK, which exchanges elements, the block before it stores each: the exchanged or, where it
// would not be executed, its own value again.  No other work-item may write these elements meanwhile, as this
// one reads them.
static void store_in_any_case(BasicBlock &block)
{
    BasicBlock *before = block.getSinglePredecessor(), *after = block.getSingleSuccessor();
    auto *branch = cast<BranchInst>(before->getTerminator());
    bool if_true = branch->getSuccessor(0) == &block;
    IRBuilder<> b(branch);
    auto choose = [&](Value *exchanged, Value *old) {
        return b.CreateSelect(branch->getCondition(), if_true ? exchanged : old, if_true ? old : exchanged);
    };
    SmallVector<std::pair<StoreInst *, Value *>, 4> stores;
    for (Instruction &i : block)
        if (auto *store = dyn_cast<StoreInst>(&i))
            stores.push_back({store, load_before(*before, store->getPointerOperand(),
                                                 store->getValueOperand()->getType())});
    for (auto &[store, old] : stores)
        store->setOperand(0, choose(store->getValueOperand(), old));
    for (Instruction &i : make_early_inc_range(block))
        if (!i.isTerminator())
            i.moveBefore(branch);
    for (PHINode &phi : after->phis())
        phi.setIncomingValueForBlock(
            before, choose(phi.getIncomingValueForBlock(&block), phi.getIncomingValueForBlock(before)));
    after->removePredecessor(&block, true);
    b.CreateBr(after);
    branch->eraseFromParent();
    block.eraseFromParent();
}

static void select_exchanges(Function &f)
{
    Divergence divergence(f, 1);
    for (BasicBlock &block : make_early_inc_range(f))
        if (is_exchange(block, f) && divergence.differs(*block.getSinglePredecessor()))
            store_in_any_case(block);
}

// Adds constants to indices after these have been extended to 64 bits, where that is the same:
// `(ulong)(2 * i | 1)` is `(ulong)(2 * i) + 1`. Without it scalar evolution does not find the distance from
// `a[2 * i]`, and LLVM's vectorizer makes no group of the two.
static void separate_offsets(Function &f)
{
    const DataLayout &layout = f.getParent()->getDataLayout();
    for (Instruction &i : make_early_inc_range(instructions(f))) {
        auto *sum = isa<ZExtInst>(i) ? dyn_cast<BinaryOperator>(i.getOperand(0)) : nullptr;
        auto *offset =
            sum && sum->getOpcode() == Instruction::Or ? dyn_cast<ConstantInt>(sum->getOperand(1)) : nullptr;
        if (!offset || !haveNoCommonBitsSet(sum->getOperand(0), offset, layout))
            continue;
        IRBuilder<> b(&i);
        Value *index = b.CreateZExt(sum->getOperand(0), i.getType());
        i.replaceAllUsesWith(b.CreateAdd(index, b.CreateZExt(offset, i.getType()), "", true, true));
        i.eraseFromParent();
    }
}

// All work-items compute uniform values, so that those are neither stored per work-item nor masked.
void in_shim_compute_early(LLVMValueRef item)
{
    Function &f = *cast<Function>(unwrap(item));
    separate_offsets(f);
    select_exchanges(f);
    Divergence divergence(f, 1);
    BasicBlock &entry = f.getEntryBlock();
    ReversePostOrderTraversal<Function *> order(&f);
    SmallPtrSet<Value *, 16> early;
    auto is_known = [&](const Use &u) {
        auto *i = dyn_cast<Instruction>(u.get());
        return early.count(u.get()) ||
               ((!i || i->getParent() == &entry) && !divergence.values.count(u.get()));
    };
    auto is_harmless = [](const Instruction &i) {
        return isSafeToSpeculativelyExecute(&i) || is_launch_constant(&i);
    };
    for (BasicBlock *b : order)
        for (Instruction &i : make_early_inc_range(*b))
            if (divergence.blocks.count(b) && !isa<PHINode>(i) && !isa<AllocaInst>(i) && !i.isTerminator() &&
                is_harmless(i) && all_of(i.operands(), is_known)) {
                i.moveBefore(entry.getTerminator());
                early.insert(&i);
            }
}

void in_shim_lower_for_vectors(LLVMValueRef item)
{
    Function &f = *cast<Function>(unwrap(item));
    Divergence divergence(f, 1);
    DominatorTree tree(f);
    LoopInfo loops(tree);
    TripCounts counts(f, tree, loops);
    SmallVector<LoadInst *, 8> loads;
    SmallVector<BinaryOperator *, 8> divisions;
    DenseMap<Loop *, bool> becomes_vectors{{nullptr, true}};
    for (Loop *loop : loops.getLoopsInPreorder())
        becomes_vectors[loop] =
            is_profitable(*loop, divergence) && !is_row_loop(*loop, counts.evolution, divergence);
    for (Instruction &i : instructions(f)) {
        bool vectors = becomes_vectors[loops.getLoopFor(i.getParent())];
        if (auto *load = dyn_cast<LoadInst>(&i);
            load && vectors && is_vectorizable(*load) && is_subword_gather(*load, divergence) &&
            load->getType()->isIntegerTy() &&
            !isa<AllocaInst>(getUnderlyingObject(load->getPointerOperand())) &&
            load->getAlign().value() * 8 >= load->getType()->getIntegerBitWidth())
            loads.push_back(load);
        if (i.isIntDivRem() && i.getType()->isIntegerTy(32) && divergence.values.count(&i) &&
            !isa<Constant>(i.getOperand(1)) && (vectors || !divergence.values.count(i.getOperand(1))))
            divisions.push_back(cast<BinaryOperator>(&i));
    }
    for (LoadInst *load : loads)
        load_word(load);
    for (BinaryOperator *i : divisions)
        lower_division(i, !divergence.values.count(i->getOperand(1)));
}

// ---- switches ------------------------------------------------------------------------------------

// A comparison for each successor of CHOICE, one after the other, in place of it.
static void lower_switch(SwitchInst *choice)
{
    BasicBlock *block = choice->getParent(), *otherwise = choice->getDefaultDest();
    MapVector<BasicBlock *, SmallVector<ConstantInt *, 4>> cases;
    for (auto &each : choice->cases())
        if (each.getCaseSuccessor() != otherwise)
            cases[each.getCaseSuccessor()].push_back(each.getCaseValue());
    SmallVector<std::pair<PHINode *, Value *>, 8> incoming; // an entry for each edge from BLOCK is to be one
    SmallPtrSet<BasicBlock *, 8> seen;
    for (BasicBlock *to : successors(block))
        if (seen.insert(to).second)
            for (PHINode &phi : to->phis()) {
                incoming.push_back({&phi, phi.getIncomingValueForBlock(block)});
                while (phi.getBasicBlockIndex(block) >= 0)
                    phi.removeIncomingValue(block, false);
            }
    Value *value = IRBuilder<>(choice).CreateFreeze(choice->getCondition());
    choice->eraseFromParent();
    auto jump = [&](BasicBlock *from, BasicBlock *to) {
        for (auto &[phi, known] : incoming)
            if (phi->getParent() == to)
                phi->addIncoming(known, from);
    };
    BasicBlock *at = block;
    for (auto &[to, values] : cases) {
        IRBuilder<> b(at);
        Value *any = b.getFalse();
        for (ConstantInt *one : values)
            any = b.CreateOr(any, b.CreateICmpEQ(value, one));
        bool last = to == cases.back().first;
        BasicBlock *next =
            last ? otherwise
                 : BasicBlock::Create(block->getContext(), "", block->getParent(), at->getNextNode());
        b.CreateCondBr(any, to, next);
        jump(at, to);
        if (last)
            jump(at, otherwise);
        at = next;
    }
    if (cases.empty()) {
        BranchInst::Create(otherwise, block);
        jump(block, otherwise);
    }
}

// Only where nothing else keeps a loop from being vectorized: elsewhere a jump table takes less time.
PreservedAnalyses LowerSwitches::run(Function &f, FunctionAnalysisManager &analyses)
{
    SmallVector<SwitchInst *, 4> found;
    for (Loop *loop : analyses.getResult<LoopAnalysis>(f).getLoopsInPreorder()) {
        auto is_lowered = [](const BasicBlock *b) {
            return all_of(*b, [](const Instruction &i) {
                return !i.isAtomic() && !isa<AllocaInst>(i) && !i.isVolatile() &&
                       (!isa<CallBase>(i) || cast<CallBase>(i).doesNotAccessMemory() ||
                        isa<IntrinsicInst>(i)) &&
                       (!isa<SwitchInst>(i) || cast<SwitchInst>(i).getNumCases() <= MOST_CASES);
            });
        };
        MDNode *enabled = findOptionMDForLoop(loop, "llvm.loop.vectorize.enable");
        if (!loop->isInnermost() || !findOptionMDForLoop(loop, "llvm.loop.parallel_accesses") ||
            getBooleanLoopAttribute(loop, "llvm.loop.isvectorized") ||
            (enabled && !getBooleanLoopAttribute(loop, "llvm.loop.vectorize.enable")) ||
            !all_of(loop->blocks(), is_lowered))
            continue;
        for (BasicBlock *b : loop->blocks())
            if (auto *choice = dyn_cast<SwitchInst>(b->getTerminator()))
                found.push_back(choice);
    }
    for (SwitchInst *choice : found)
        lower_switch(choice);
    return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
