// Uniformity analysis, and which code can be vectorized.  docs/vectorizer.md#uniformity-analysis, #legality
#include "interp/jit/vectorize/versions.hpp"
#include "interp/jit/vectorize/work_group.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#if LLVM_VERSION_MAJOR >= 17
#include <llvm/ADT/GenericUniformityImpl.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#else
#include <llvm/Analysis/DivergenceAnalysis.h>
#include <llvm/Analysis/SyncDependenceAnalysis.h>
#endif

using namespace llvm;

// ---- divergence -----------------------------------------------------------------------------------

static bool source_of_divergence(const Instruction &i)
{
    if (isa<AllocaInst>(i) || isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i))
        return true;
    if (auto *load = dyn_cast<LoadInst>(&i))
        return !load->isSimple(); // otherwise as its address: without a race, all of them read the same there
    auto *call = dyn_cast<CallInst>(&i);
    return call && !call->doesNotAccessMemory();
}

// Blocks that only some work-items may execute: between a branch on which they differ and where they meet.
static void divergent_blocks(const PostDominatorTree &tree, BasicBlock *branch, SetVector<BasicBlock *> &set)
{
    DomTreeNode *node = tree.getNode(branch);
    BasicBlock *meet = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    SmallVector<BasicBlock *, 16> work(successors(branch));
    SmallPtrSet<BasicBlock *, 16> seen;
    while (!work.empty()) {
        BasicBlock *b = work.pop_back_val();
        if (b == meet || !seen.insert(b).second)
            continue;
        set.insert(b);
        work.append(succ_begin(b), succ_end(b));
    }
}

// Whether work-items may leave B in different directions.
bool Divergence::differs(const BasicBlock &b) const
{
    const Instruction *end = b.getTerminator();
    return end->getNumSuccessors() > 1 && (values.count(end) || values.count(end->getOperand(0)));
}

Divergence::Divergence(Function &item, unsigned dimensions)
{
    DominatorTree tree(item);
    PostDominatorTree post(item);
    LoopInfo loops(tree);
    ReversePostOrderTraversal<Function *> order(&item);
    irreducible = containsIrreducibleCFG<BasicBlock *>(order, loops);
    if (!irreducible) {
#if LLVM_VERSION_MAJOR >= 17
        CycleInfo cycles;
        cycles.compute(item);
#if LLVM_VERSION_MAJOR >= 18
        GenericUniformityAnalysisImpl<SSAContext> analysis(tree, cycles, nullptr);
#else
        GenericUniformityAnalysisImpl<SSAContext> analysis(item, tree, cycles, nullptr);
#endif
        auto argument = [](Argument *a) -> const Value * { return a; };
#else
        SyncDependenceAnalysis sync(tree, post, loops);
        DivergenceAnalysisImpl analysis(item, nullptr, tree, loops, sync, false);
        auto argument = [](Argument *a) -> const Value & { return *a; };
#endif
        for (unsigned k = 0; k < dimensions; k++)
            for (unsigned first : {unsigned(ITEM), unsigned(GLOBAL)})
                analysis.markDivergent(argument(item.getArg(first + k)));
        for (Instruction &i : instructions(item))
            if (source_of_divergence(i))
                analysis.markDivergent(i);
        analysis.compute();
        for (Instruction &i : instructions(item))
            if (analysis.isDivergent(i))
                values.insert(&i);
        for (Argument &a : item.args())
            if (analysis.isDivergent(argument(&a)))
                values.insert(&a);
        for (BasicBlock &b : item)
            if (differs(b))
                divergent_blocks(post, &b, blocks);
    }
    for (Instruction &i : instructions(item))
        if (irreducible || blocks.count(i.getParent()))
            values.insert(&i);
}

// ---- what the vectorizer takes -------------------------------------------------------------------

// Whether lanes may execute I one after the other, before they execute what follows it.
static bool is_independent(const Instruction &i)
{
    if (auto *load = dyn_cast<LoadInst>(&i))
        return load->isSimple() && (load->hasMetadata(LLVMContext::MD_access_group) ||
                                    load->hasMetadata(LLVMContext::MD_invariant_load));
    if (auto *store = dyn_cast<StoreInst>(&i))
        return store->isSimple() && (store->hasMetadata(LLVMContext::MD_access_group) ||
                                     isa<Argument>(store->getPointerOperand()));
    if (auto *call = dyn_cast<IntrinsicInst>(&i))
        return call->doesNotAccessMemory() || call->isAssumeLikeIntrinsic();
    if (auto *choice = dyn_cast<SwitchInst>(&i)) // LowerSwitches makes comparisons of it
        return choice->getNumCases() <= MOST_CASES;
    return !isa<CallBase>(i) && !isa<AtomicRMWInst>(i) && !isa<AtomicCmpXchgInst>(i) && !isa<FenceInst>(i) &&
           !isa<AllocaInst>(i);
}

bool is_independent(const BasicBlock &b)
{
    return all_of(b, [](const Instruction &i) { return is_independent(i); });
}

bool is_vectorizable(const Instruction &i)
{
    bool accesses = isa<LoadInst>(i) || isa<StoreInst>(i) || isa<IntrinsicInst>(i);
    return is_independent(i) && (accesses || (!i.getType()->isVectorTy() && !i.getType()->isAggregateType()));
}

bool is_launch_constant(const Value *v)
{
    auto *load = dyn_cast<LoadInst>(v);
    if (!load || !load->hasMetadata(LLVMContext::MD_invariant_load))
        return false;
    const Value *from = load->getPointerOperand()->stripInBoundsConstantOffsets();
    if (auto *gep = dyn_cast<GetElementPtrInst>(from); gep && gep->hasAllConstantIndices())
        from = gep->getPointerOperand();
    return isa<Argument>(from) || is_launch_constant(from);
}

static LaneStride sum_of(LaneStride a, LaneStride b, int64_t factor)
{
    if (a.kind == LaneStride::CONSTANT && b.kind == LaneStride::CONSTANT)
        return {LaneStride::CONSTANT, int64_t(uint64_t(a.bytes) + uint64_t(factor) * uint64_t(b.bytes))};
    return {std::min(a.kind, b.kind) == LaneStride::IRREGULAR ? LaneStride::IRREGULAR : LaneStride::INVARIANT,
            0};
}

static LaneStride multiple_of(LaneStride a, const Value *factor, const Divergence &divergence)
{
    auto *constant = dyn_cast<ConstantInt>(factor);
    bool fits = constant && constant->getValue().isSignedIntN(32);
    if (a.kind == LaneStride::CONSTANT && (a.bytes == 0 || fits))
        return {LaneStride::CONSTANT,
                fits ? int64_t(uint64_t(a.bytes) * uint64_t(constant->getSExtValue())) : 0};
    return {a.kind != LaneStride::IRREGULAR && !divergence.values.count(factor) ? LaneStride::INVARIANT
                                                                                : LaneStride::IRREGULAR,
            0};
}

static LaneStride stride_of_gep(const GetElementPtrInst &gep, const Divergence &divergence, unsigned depth)
{
    const DataLayout &layout = gep.getModule()->getDataLayout();
    LaneStride stride = lane_stride(gep.getPointerOperand(), divergence, depth);
    for (auto type = gep_type_begin(gep), end = gep_type_end(gep); type != end; ++type) {
        LaneStride index = lane_stride(type.getOperand(), divergence, depth);
        int64_t size = type.isStruct() ? 0 : int64_t(layout.getTypeAllocSize(type.getIndexedType()));
        stride = sum_of(stride, index, size);
    }
    return stride;
}

// Wrapping around in 32 bits is disregarded, and strides wrap around in 64: the result is for estimates.
LaneStride lane_stride(const Value *v, const Divergence &divergence, unsigned depth)
{
    if (!divergence.values.count(v) || is_launch_constant(v))
        return {LaneStride::CONSTANT, 0};
    if (isa<Argument>(v))
        return {LaneStride::CONSTANT, 1};
    if (is_lane_counter(v))
        return {LaneStride::CONSTANT, 0};
    auto *i = dyn_cast<Instruction>(v);
    if (!i || depth-- == 0)
        return {};
    if (auto *gep = dyn_cast<GetElementPtrInst>(i))
        return stride_of_gep(*gep, divergence, depth);
    if (isa<ZExtInst>(i) || isa<SExtInst>(i) || isa<TruncInst>(i) || isa<FreezeInst>(i))
        return lane_stride(i->getOperand(0), divergence, depth);
    if (!isa<BinaryOperator>(i))
        return {};
    LaneStride left = lane_stride(i->getOperand(0), divergence, depth);
    switch (i->getOpcode()) {
    case Instruction::Add:
    case Instruction::Or:
        return sum_of(left, lane_stride(i->getOperand(1), divergence, depth), 1);
    case Instruction::Sub:
        return sum_of(left, lane_stride(i->getOperand(1), divergence, depth), -1);
    case Instruction::Mul:
        return divergence.values.count(i->getOperand(0))
                   ? multiple_of(left, i->getOperand(1), divergence)
                   : multiple_of(lane_stride(i->getOperand(1), divergence, depth), i->getOperand(0),
                                 divergence);
    case Instruction::Shl:
        if (auto *bits = dyn_cast<ConstantInt>(i->getOperand(1)); bits && bits->getZExtValue() < 32)
            return multiple_of(
                left, ConstantInt::get(Type::getInt64Ty(i->getContext()), 1ull << bits->getZExtValue()),
                divergence);
        return {};
    default:
        return {};
    }
}

// Vectors of bytes or shorts from anywhere, or further apart than four elements, come one by one.
bool is_subword_gather(const Instruction &i, const Divergence &divergence)
{
    const Value *pointer = getLoadStorePointerOperand(&i);
    if (!pointer)
        return false;
    Type *scalar = getLoadStoreType(const_cast<Instruction *>(&i))->getScalarType();
    if (scalar->isPointerTy() || scalar->getScalarSizeInBits() >= 32)
        return false;
    LaneStride stride = lane_stride(pointer, divergence);
    const int64_t four = scalar->getScalarSizeInBits() / 2; // elements, in bytes
    bool close = stride.kind == LaneStride::CONSTANT && -four <= stride.bytes && stride.bytes <= four;
    return stride.kind == LaneStride::IRREGULAR || (isa<LoadInst>(i) && !close);
}

bool is_subword_gather(const BasicBlock &b, const Divergence &divergence)
{
    return any_of(b, [&](const Instruction &i) { return is_subword_gather(i, divergence); });
}

bool is_vectorizable(const BasicBlock &b)
{
    return all_of(b, [](const Instruction &i) { return is_vectorizable(i); });
}

// Conditions that do not follow from comparing ids with bounds: no branch prediction knows them.
bool is_unpredictable(const Value *v, const Divergence &divergence, unsigned depth)
{
    auto *i = dyn_cast<Instruction>(v);
    if (!i || depth == 0 || !divergence.values.count(i))
        return false;
    return isa<LoadInst>(i) || i->getOpcode() == Instruction::Xor || i->getOpcode() == Instruction::And ||
           i->isIntDivRem() || any_of(i->operands(), [&](const Use &u) {
               return is_unpredictable(u.get(), divergence, depth - 1);
           });
}

// An id in the first dimension of which V has all bits, or null.
static Argument *whole_id(Value *v)
{
    while (auto *cast = dyn_cast<CastInst>(v)) {
        if (!cast->isIntegerCast() || cast->getType()->getIntegerBitWidth() < 32)
            return nullptr;
        v = cast->getOperand(0);
    }
    auto *id = dyn_cast<Argument>(v);
    return id && (id->getArgNo() == ITEM || id->getArgNo() == GLOBAL) ? id : nullptr;
}

OneItem guarding_id(BasicBlock *block, const DominatorTree &tree)
{
    for (auto *node = tree.getNode(block); node && node->getIDom(); node = node->getIDom()) {
        auto *branch = dyn_cast<BranchInst>(node->getIDom()->getBlock()->getTerminator());
        auto *compare =
            branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
        auto *value = compare ? dyn_cast<ConstantInt>(compare->getOperand(1)) : nullptr;
        if (!value || !compare->isEquality() ||
            !tree.dominates(BasicBlockEdge(branch->getParent(),
                                           branch->getSuccessor(compare->getPredicate() != CmpInst::ICMP_EQ)),
                            block))
            continue;
        if (Argument *id = whole_id(compare->getOperand(0)))
            return {id, value->getZExtValue()};
    }
    return {};
}

// Whether one lane alone executes BLOCK.
bool is_for_one_lane(BasicBlock *block, const DominatorTree &tree)
{
    return guarding_id(block, tree).id != nullptr;
}
