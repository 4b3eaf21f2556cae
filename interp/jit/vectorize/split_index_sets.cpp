// Index-set splitting of loops over work-items: where neighbors' indices are clamped to the bounds of a row,
// work-items in its interior get a version of the loop without the clamps.
// docs/vectorizer.md#clamped-indices
#include "interp/jit/vectorize/cost_model.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace
{

// FAR, FARTHEST: bounds of starts and limits in 64 bits, so that no difference of them overflows; STEP: the
// largest distance of neighbors.
enum : int64_t { FAR = int64_t(1) << 61, FARTHEST = int64_t(1) << 62, STEP = 1 << 20 };
// VECTOR_BITS: of a vector; LONG: iterations of a loop that is split instead of executed in one version;
// NEAR: constants below are lower bounds of a picture.
enum { VECTOR_BITS = 512, LONG = 128, NEAR = 64 };
// MOST_CODE: instructions of a loop; MOST_LOOPS: of a function; DEPTH: of conjunctions.
enum { MOST_CODE = 600, MOST_LOOPS = 8, DEPTH = 6 };

// SEQUENCE is its start + k * STEP in iteration k, modulo a power of two.
struct Affine {
    const SCEVAddRecExpr *sequence = nullptr;
    int64_t step = 0;
    bool nonnegative = false; // it is the value only where it is not negative
};

// What holds in all iterations of the interior.  LIMIT NULL: INVARIANT is EXPECTED.
struct Condition {
    Affine value;
    CmpInst::Predicate predicate;
    const SCEV *limit;
    Value *invariant = nullptr;
    bool expected = false;

    bool operator==(const Condition &other) const
    {
        return value.sequence == other.value.sequence && value.nonnegative == other.value.nonnegative &&
               predicate == other.predicate && limit == other.limit && invariant == other.invariant &&
               expected == other.expected;
    }
};

// What an instruction is equal to where conditions hold.
struct Choice {
    Value *value = nullptr; // NULL: the difference of its operands
    SmallVector<Condition, 4> conditions;
};

struct Splitting {
    Loop &loop;
    ScalarEvolution &evolution;
    bool in_chunks; // rather than one version for all iterations
};

// How many iterations a vector of the smallest elements has that LOOP accesses.
unsigned chunk_size(const Loop &loop)
{
    unsigned bits = 32;
    for (BasicBlock *b : loop.blocks())
        for (Instruction &i : *b)
            if (getLoadStorePointerOperand(&i))
                bits = std::min(bits, std::max(8u, unsigned(getLoadStoreType(&i)->getScalarSizeInBits())));
    return VECTOR_BITS / bits;
}

// ---- what is constant in the interior ------------------------------------------------------------

bool has_division(const SCEV *s)
{
    return SCEVExprContains(s, [](const SCEV *part) { return isa<SCEVUDivExpr>(part); });
}

// Whether A becomes what V is.
bool is_affine(const Splitting &s, Value *v, Affine &a)
{
    if (!v->getType()->isIntegerTy() || v->getType()->getIntegerBitWidth() > 64)
        return false;
    const SCEV *e = s.evolution.getSCEV(v);
    for (; isa<SCEVZeroExtendExpr>(e) || isa<SCEVSignExtendExpr>(e); e = cast<SCEVCastExpr>(e)->getOperand())
        a.nonnegative |= isa<SCEVZeroExtendExpr>(e);
    a.sequence = dyn_cast<SCEVAddRecExpr>(e);
    if (!a.sequence || !a.sequence->isAffine() || a.sequence->getLoop() != &s.loop)
        return false;
    auto *step = dyn_cast<SCEVConstant>(a.sequence->getStepRecurrence(s.evolution));
    if (!step || step->isZero() || step->getAPInt().abs().ugt(STEP) || has_division(a.sequence->getStart()))
        return false;
    a.step = step->getAPInt().getSExtValue();
    return true;
}

bool is_invariant(const Splitting &s, Value *v)
{
    const SCEV *e = s.evolution.getSCEV(v);
    return s.evolution.isLoopInvariant(e, &s.loop) && !has_division(e);
}

// Adds that LEFT, if affine, compares with RIGHT, if invariant, as PREDICATE says.
bool add_comparison(const Splitting &s, CmpInst::Predicate predicate, Value *left, Value *right,
                    Choice &choice)
{
    Affine a;
    if (predicate == CmpInst::ICMP_EQ || !is_affine(s, left, a) || !is_invariant(s, right))
        return false;
    choice.conditions.push_back({a, predicate, s.evolution.getSCEV(right)});
    return true;
}

// Adds what makes CONDITION the constant EXPECTED.
bool add_conditions(const Splitting &s, Value *condition, bool expected, Choice &choice, unsigned depth)
{
    if (s.loop.isLoopInvariant(condition)) {
        choice.conditions.push_back({{}, CmpInst::ICMP_EQ, nullptr, condition, expected});
        return true;
    }
    auto *i = dyn_cast<Instruction>(condition);
    if (!i || depth-- == 0)
        return false;
    if (auto *compare = dyn_cast<ICmpInst>(i)) {
        CmpInst::Predicate predicate = expected ? compare->getPredicate() : compare->getInversePredicate();
        return add_comparison(s, predicate, compare->getOperand(0), compare->getOperand(1), choice) ||
               add_comparison(s, CmpInst::getSwappedPredicate(predicate), compare->getOperand(1),
                              compare->getOperand(0), choice);
    }
    Value *first = nullptr, *second = nullptr;
    if (auto *select = dyn_cast<SelectInst>(i)) {
        auto *other = dyn_cast<ConstantInt>(expected ? select->getFalseValue() : select->getTrueValue());
        if (!other || other->isOne() == expected)
            return false;
        first = select->getCondition();
        second = expected ? select->getTrueValue() : select->getFalseValue();
    } else if (i->getOpcode() == (expected ? Instruction::And : Instruction::Or)) {
        first = i->getOperand(0);
        second = i->getOperand(1);
    }
    return first && add_conditions(s, first, expected, choice, depth) &&
           add_conditions(s, second, expected, choice, depth);
}

// Whether most work-items pass COMPARE: they differ from a value, are above a small constant, or below
// anything else.
bool is_likely(const Splitting &s, const ICmpInst &compare)
{
    CmpInst::Predicate predicate = compare.getPredicate();
    Value *limit = compare.getOperand(1);
    if (s.loop.isLoopInvariant(compare.getOperand(0))) {
        predicate = CmpInst::getSwappedPredicate(predicate);
        limit = compare.getOperand(0);
    }
    if (CmpInst::isEquality(predicate))
        return predicate == CmpInst::ICMP_NE;
    auto *constant = dyn_cast<ConstantInt>(limit);
    bool above = CmpInst::getStrictPredicate(predicate) == CmpInst::ICMP_SGT ||
                 CmpInst::getStrictPredicate(predicate) == CmpInst::ICMP_UGT;
    return above == (constant && constant->getValue().slt(NEAR));
}

bool is_disjunction(const Value *v)
{
    auto *select = dyn_cast<SelectInst>(v);
    auto *i = dyn_cast<Instruction>(v);
    return (i && i->getOpcode() == Instruction::Or) || (select && match(select->getTrueValue(), m_One()));
}

// The outcome of SELECT's condition in the interior: that which selects an index that advances, if the other
// one does not.
bool expected_outcome(const Splitting &s, SelectInst &select)
{
    Affine a, b;
    bool if_true = is_affine(s, select.getTrueValue(), a), if_false = is_affine(s, select.getFalseValue(), b);
    auto *compare = dyn_cast<ICmpInst>(select.getCondition());
    if (if_true != if_false)
        return if_true;
    return compare ? is_likely(s, *compare) : !is_disjunction(select.getCondition());
}

// Whether BRANCH treats the border of a picture separately; CHOICE becomes its condition in the interior.
// For bytes and shorts alone, where comparisons of ids take several vectors for each vector of elements.
bool choose_branch(const Splitting &s, BranchInst &branch, Choice &choice)
{
    if (!s.in_chunks || chunk_size(s.loop) == VECTOR_BITS / 32 || !branch.isConditional() ||
        branch.getParent() == s.loop.getLoopLatch() || s.loop.isLoopInvariant(branch.getCondition()))
        return false;
    auto *compare = dyn_cast<ICmpInst>(branch.getCondition());
    bool expected = compare ? is_likely(s, *compare) : !is_disjunction(branch.getCondition());
    choice.value = ConstantInt::getBool(branch.getContext(), expected);
    return add_conditions(s, branch.getCondition(), expected, choice, DEPTH);
}

// Whether I is a clamp, of which CHOICE becomes what it is in the interior.
bool choose(const Splitting &s, Instruction &i, Choice &choice)
{
    auto *select = dyn_cast<SelectInst>(&i);
    auto *call = dyn_cast<IntrinsicInst>(&i);
    if (!i.getType()->isIntegerTy() || i.getType()->isIntegerTy(1))
        return false;
    if (s.loop.isLoopInvariant(i.getOperand(0)) && !isa<MinMaxIntrinsic>(i)) // not a clamp of ids
        return false;
    if (select) {
        bool expected = expected_outcome(s, *select);
        choice.value = expected ? select->getTrueValue() : select->getFalseValue();
        return add_conditions(s, select->getCondition(), expected, choice, DEPTH);
    }
    if (auto *cast = dyn_cast<CastInst>(&i); cast && cast->getSrcTy()->isIntegerTy(1)) { // x + (x < w)
        auto *compare = dyn_cast<ICmpInst>(i.getOperand(0));
        bool expected = compare && is_likely(s, *compare);
        choice.value = expected && isa<SExtInst>(cast) ? ConstantInt::getSigned(i.getType(), -1)
                                                       : ConstantInt::get(i.getType(), expected);
        return compare && add_conditions(s, compare, expected, choice, DEPTH);
    }
    if (auto *ends = dyn_cast<MinMaxIntrinsic>(&i)) {
        CmpInst::Predicate predicate = CmpInst::getNonStrictPredicate(ends->getPredicate());
        for (unsigned k = 0; k < 2; k++) {
            choice.value = i.getOperand(k);
            if (add_comparison(s, predicate, i.getOperand(k), i.getOperand(1 - k), choice))
                return true;
        }
    }
    if (!call || (call->getIntrinsicID() != Intrinsic::abs && call->getIntrinsicID() != Intrinsic::usub_sat))
        return false;
    const bool is_abs = call->getIntrinsicID() == Intrinsic::abs;
    choice.value = is_abs ? i.getOperand(0) : nullptr;
    return add_comparison(s, is_abs ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE, i.getOperand(0),
                          is_abs ? ConstantInt::get(i.getType(), 0) : i.getOperand(1), choice);
}

// Whether a branch of the loop treats the border of a picture separately.
bool has_border(const Splitting &s)
{
    return any_of(s.loop.blocks(), [&](BasicBlock *b) {
        auto *branch = dyn_cast<BranchInst>(b->getTerminator());
        Choice choice;
        return branch && choose_branch(s, *branch, choice);
    });
}

// Whether the address of an access in the loop follows from a clamp.
bool clamps_addresses(const Splitting &s)
{
    SmallVector<Value *, 32> work;
    SmallPtrSet<Value *, 32> seen;
    for (BasicBlock *b : s.loop.blocks())
        for (Instruction &i : *b)
            if (Value *pointer = getLoadStorePointerOperand(&i))
                work.push_back(pointer);
    while (!work.empty()) {
        auto *i = dyn_cast<Instruction>(work.pop_back_val());
        if (!i || !s.loop.contains(i) || isa<PHINode>(i) || i->mayReadFromMemory() || !seen.insert(i).second)
            continue;
        Choice choice;
        if (choose(s, *i, choice))
            return true;
        work.append(i->op_begin(), i->op_end());
    }
    return false;
}

// The only phi of a loop that counts up by one and has no results, else NULL.
PHINode *counter_of(const Loop &l)
{
    auto *counter = dyn_cast<PHINode>(&l.getHeader()->front());
    if (!counter || !counter->getType()->isIntegerTy(32) || !l.isLoopSimplifyForm() || !l.getExitBlock() ||
        l.getExitingBlock() != l.getLoopLatch() ||
        l.getHeader()->getFirstNonPHI() != counter->getNextNode() || isa<PHINode>(l.getExitBlock()->front()))
        return nullptr;
    auto *next = dyn_cast<BinaryOperator>(counter->getIncomingValueForBlock(l.getLoopLatch()));
    auto *step = next && next->getOpcode() == Instruction::Add && next->getOperand(0) == counter
                     ? dyn_cast<ConstantInt>(next->getOperand(1))
                     : nullptr;
    return step && step->isOne() ? counter : nullptr;
}

bool is_candidate(const Splitting &s)
{
    const SCEV *repeats = s.evolution.getBackedgeTakenCount(&s.loop);
    MDNode *enabled = findOptionMDForLoop(&s.loop, "llvm.loop.vectorize.enable");
    bool vectors = !enabled || getBooleanLoopAttribute(&s.loop, "llvm.loop.vectorize.enable");
    unsigned size = 0;
    for (BasicBlock *b : s.loop.blocks()) {
        size += b->size();
        vectors &= is_independent(*b);
    }
    return vectors && s.loop.isInnermost() && findOptionMDForLoop(&s.loop, "llvm.loop.parallel_accesses") &&
           counter_of(s.loop) && !isa<SCEVCouldNotCompute>(repeats) && !has_division(repeats) &&
           s.evolution.getUnsignedRangeMax(repeats).isIntN(30) && size <= MOST_CODE &&
           (clamps_addresses(s) || has_border(s));
}

// ---- which iterations are in the interior -----------------------------------------------------------

// Iterations FROM to TO, of COUNT, as values of 64 bits; TO may be less than FROM, and negative.
struct Interior {
    IRBuilder<> &b;
    Value *count, *from, *to;

    Value *smaller(Value *x, Value *y)
    {
        return b.CreateBinaryIntrinsic(Intrinsic::smin, x, y);
    }
    Value *larger(Value *x, Value *y)
    {
        return b.CreateBinaryIntrinsic(Intrinsic::smax, x, y);
    }
    // The smallest k >= 0 with k * STEP >= X; less than 0 instead of 0 if STEP is 1.
    Value *first(Value *x, int64_t step)
    {
        if (step == 1)
            return x;
        Value *least = larger(b.CreateAdd(x, b.getInt64(step - 1)), b.getInt64(0));
        return b.CreateUDiv(least, b.getInt64(step));
    }
    // START + k * STEP >= LIMIT.
    void at_least(Value *start, int64_t step, Value *limit)
    {
        if (step > 0)
            from = larger(from, first(b.CreateSub(limit, start), step));
        else
            to = smaller(to, first(b.CreateAdd(b.CreateSub(start, limit), b.getInt64(1)), -step));
    }
    void at_most(Value *start, int64_t step, Value *limit)
    {
        at_least(b.CreateNeg(start), -step, b.CreateNeg(limit));
    }
    // START + k * STEP != LIMIT: the longer part of the iterations before and behind that one.
    void differs(Value *start, int64_t step, Value *limit)
    {
        Value *distance = step > 0 ? b.CreateSub(limit, start) : b.CreateSub(start, limit);
        Value *behind = first(b.CreateAdd(distance, b.getInt64(1)), std::abs(step)), *zero = b.getInt64(0);
        Value *equal = larger(b.CreateSub(behind, b.getInt64(1)), zero);
        Value *late = b.CreateICmpUGE(b.CreateShl(equal, 1), count);
        from = b.CreateSelect(late, from, larger(from, behind));
        to = b.CreateSelect(late, smaller(to, equal), to);
    }
    void require(Value *condition)
    {
        to = b.CreateSelect(condition, to, b.getInt64(0));
    }
};

// Reduces IN to iterations in which C holds, by code before BEFORE.
void narrow(Interior &in, const Condition &c, SCEVExpander &expander, Instruction *before)
{
    IRBuilder<> &b = in.b;
    auto expand = [&](const SCEV *e) {
        Value *v = expander.expandCodeFor(e, e->getType(), before);
        b.SetInsertPoint(before);
        return b.CreateFreeze(v);
    };
    if (!c.limit) {
        in.require(b.CreateICmpEQ(b.CreateFreeze(c.invariant), b.getInt1(c.expected)));
        return;
    }
    const bool is_unsigned = CmpInst::isUnsigned(c.predicate);
    const int64_t step = c.value.step;
    Type *wide = b.getInt64Ty();
    Value *limit = expand(c.limit), *start = b.CreateSExt(expand(c.value.sequence->getStart()), wide);
    Value *far = b.getInt64(FARTHEST), *one = b.getInt64(1);
    if (c.limit->getType() != wide)
        limit = is_unsigned ? b.CreateZExt(limit, wide) : b.CreateSExt(limit, wide);
    else if (is_unsigned)
        limit = b.CreateBinaryIntrinsic(Intrinsic::umin, limit, far);
    else
        limit = in.larger(in.smaller(limit, far), b.getInt64(-FARTHEST));
    const unsigned bits = c.value.sequence->getType()->getIntegerBitWidth();
    if (bits == 64)
        in.require(b.CreateICmpULE(b.CreateAdd(start, b.getInt64(FAR)), b.getInt64(2 * FAR)));
    else if (step > 0)
        in.at_most(start, step, b.getInt64((int64_t(1) << (bits - 1)) - 1));
    else
        in.at_least(start, step, b.getInt64(-(int64_t(1) << (bits - 1))));
    if (is_unsigned || c.value.nonnegative)
        in.at_least(start, step, b.getInt64(0));
    switch (c.predicate) {
    case CmpInst::ICMP_SLT:
    case CmpInst::ICMP_ULT:
        in.at_most(start, step, b.CreateSub(limit, one));
        break;
    case CmpInst::ICMP_SLE:
    case CmpInst::ICMP_ULE:
        in.at_most(start, step, limit);
        break;
    case CmpInst::ICMP_SGT:
    case CmpInst::ICMP_UGT:
        in.at_least(start, step, b.CreateAdd(limit, one));
        break;
    case CmpInst::ICMP_SGE:
    case CmpInst::ICMP_UGE:
        in.at_least(start, step, limit);
        break;
    default:
        in.differs(start, step, limit);
    }
}

// ---- two versions ----------------------------------------------------------------------------------------

// Makes the clamps of the interior's LOOP constants or copies; returns under what conditions.
SmallVector<Condition, 8> simplify(Splitting &s, LoopInfo &loops)
{
    SmallVector<Condition, 8> conditions;
    LoopBlocksRPO order(&s.loop);
    order.perform(&loops);
    for (BasicBlock *block : order)
        for (Instruction &i : make_early_inc_range(*block)) {
            Choice choice;
            auto *branch = dyn_cast<BranchInst>(&i);
            if (branch ? !choose_branch(s, *branch, choice) : !choose(s, i, choice))
                continue;
            if (!choice.value)
                choice.value = BinaryOperator::CreateSub(i.getOperand(0), i.getOperand(1), "", &i);
            for (const Condition &condition : choice.conditions)
                if (!is_contained(conditions, condition))
                    conditions.push_back(condition);
            s.evolution.forgetValue(&i);
            if (branch)
                branch->setCondition(choice.value);
            else
                i.replaceAllUsesWith(choice.value);
        }
    return conditions;
}

// LOOP, which has COUNTER, executes LENGTH iterations from FIRST on.
void set_range(Loop &loop, PHINode &counter, Value *first, Value *length)
{
    BasicBlock *latch = loop.getLoopLatch();
    auto *branch = cast<BranchInst>(latch->getTerminator());
    const bool again_if_true = branch->getSuccessor(0) == loop.getHeader();
    IRBuilder<> b(&*loop.getHeader()->begin());
    PHINode *iteration = b.CreatePHI(counter.getType(), 2);
    b.SetInsertPoint(loop.getHeader()->getFirstNonPHI());
    counter.replaceAllUsesWith(b.CreateAdd(first, iteration, "", true, true));
    counter.eraseFromParent();
    b.SetInsertPoint(branch);
    Value *next = b.CreateAdd(iteration, ConstantInt::get(iteration->getType(), 1), "", true, true);
    branch->setCondition(b.CreateICmp(again_if_true ? CmpInst::ICMP_ULT : CmpInst::ICMP_UGE, next, length));
    iteration->addIncoming(ConstantInt::get(iteration->getType(), 0), loop.getLoopPreheader());
    iteration->addIncoming(next, latch);
}

// V, as a value that scalar evolution does not follow: doing so in each pass would take as long as all else.
CallInst *make_opaque(IRBuilder<> &b, Value *v)
{
    auto *type = FunctionType::get(v->getType(), {v->getType()}, false);
    CallInst *call = b.CreateCall(InlineAsm::get(type, "", "=r,0", false), {v});
    call->setDoesNotAccessMemory();
    call->addFnAttr(Attribute::NoUnwind);
    call->addFnAttr(Attribute::WillReturn);
    return call;
}

void disable_unrolling(Instruction *back)
{
    LLVMContext &c = back->getContext();
    MDNode *hint = MDNode::get(c, {MDString::get(c, "llvm.loop.unroll.disable")});
    MDNode *hints = MDNode::getDistinct(c, {nullptr, hint});
    hints->replaceOperandWith(0, hints);
    back->setMetadata(LLVMContext::MD_loop, hints);
}

// Chunks of SIZE iterations in the interior begin at FROM to FROM + SPAN; FROM is the largest integer if
// there are none.
struct Chunks {
    Value *from, *span;
};

Chunks interior_chunks(Interior &in, Type *type, unsigned size)
{
    IRBuilder<> &b = in.b;
    Value *from = b.CreateTrunc(in.from, type);
    Value *to = b.CreateTrunc(b.CreateSub(in.to, b.getInt64(size)), type);
    Value *any = b.CreateAnd(b.CreateICmpSLE(in.from, in.count),
                             b.CreateICmpSGE(in.to, b.CreateAdd(in.from, b.getInt64(size))));
    Value *span = b.CreateSelect(any, b.CreateSub(to, from), ConstantInt::get(type, 0));
    from = b.CreateSelect(any, from, ConstantInt::getAllOnesValue(type));
    from = make_opaque(b, from);
    return {from, make_opaque(b, span)};
}

// A loop over chunks of SIZE iterations, of which those in the interior are executed by INSIDE, others by S's
// loop, at the end of CHOICE.
void split(Splitting &s, Loop &inside, PHINode &counter, PHINode &copied, BasicBlock *choice, Interior in,
           unsigned size)
{
    LLVMContext &c = choice->getContext();
    Function *f = choice->getParent();
    IRBuilder<> &b = in.b;
    BasicBlock *outside = s.loop.getLoopPreheader(), *interior = inside.getLoopPreheader(),
               *exit = s.loop.getExitBlock();
    BasicBlock *chunks = BasicBlock::Create(c, "chunks", f, outside),
               *end = BasicBlock::Create(c, "", f, exit);
    Type *type = counter.getType();
    auto *constant = dyn_cast<ConstantInt>(in.count);
    const bool divides = constant && constant->getZExtValue() % size == 0;
    Value *start = counter.getIncomingValueForBlock(outside), *step = ConstantInt::get(type, size);
    Value *count = b.CreateTrunc(in.count, type);
    const Chunks inner = interior_chunks(in, type, size);
    Instruction *old = choice->getTerminator();
    b.CreateBr(chunks);
    old->eraseFromParent();
    b.SetInsertPoint(chunks);
    PHINode *at = b.CreatePHI(type, 2);
    at->addIncoming(ConstantInt::get(type, 0), choice);
    CallInst *first = make_opaque(b, b.CreateAdd(start, at, "", true, true));
    first->setMetadata(LLVMContext::MD_range,
                       MDBuilder(c).createRange(APInt(32, 0), APInt::getSignedMinValue(32)));
    Value *rest = divides ? step : b.CreateBinaryIntrinsic(Intrinsic::umin, step, b.CreateSub(count, at));
    b.CreateCondBr(b.CreateICmpULE(b.CreateSub(at, inner.from), inner.span), interior, outside);
    b.SetInsertPoint(end);
    Value *next = b.CreateAdd(at, step, "", true, true);
    at->addIncoming(next, end);
    disable_unrolling(b.CreateCondBr(b.CreateICmpULT(next, count), chunks, exit));
    set_range(s.loop, counter, first, rest);
    set_range(inside, copied, first, step);
    for (Loop *loop : {&s.loop, &inside})
        loop->getLoopLatch()->getTerminator()->replaceSuccessorWith(exit, end);
}

void make_versions(Splitting &s, DominatorTree &tree, LoopInfo &loops)
{
    const SCEV *repeats = s.evolution.getBackedgeTakenCount(&s.loop);
    PHINode *counter = counter_of(s.loop);
    BasicBlock *before = s.loop.getLoopPreheader();
    SmallVector<BasicBlock *, 16> blocks;
    ValueToValueMapTy map;
    BasicBlock *choice = SplitBlock(before, before->getTerminator(), &tree, &loops);
    std::swap(before, choice); // CHOICE ends with the branch between the versions, BEFORE is the preheader
    Loop *inside = cloneLoopWithPreheader(before, choice, &s.loop, map, ".interior", &loops, &tree, blocks);
    remapInstructionsInBlocks(blocks, map);
    Splitting copy{*inside, s.evolution, s.in_chunks};
    SmallVector<Condition, 8> conditions = simplify(copy, loops);

    Instruction *end = choice->getTerminator();
    SCEVExpander expander(s.evolution, end->getModule()->getDataLayout(), "interior");
    IRBuilder<> b(end);
    Type *wide = b.getInt64Ty();
    Value *last = expander.expandCodeFor(s.evolution.getTruncateOrZeroExtend(repeats, wide), wide, end);
    b.SetInsertPoint(end);
    Value *count =
        b.CreateAdd(isa<Constant>(last) ? last : b.CreateFreeze(last), b.getInt64(1), "", true, true);
    Interior in{b, count, b.getInt64(0), count};
    for (const Condition &c : conditions)
        narrow(in, c, expander, end);
    if (!s.in_chunks) {
        Value *all = b.CreateAnd(b.CreateICmpEQ(in.from, b.getInt64(0)), b.CreateICmpEQ(in.to, count));
        BranchInst::Create(inside->getLoopPreheader(), before, all, end);
        end->eraseFromParent();
    } else {
        split(s, *inside, *counter, cast<PHINode>(*map[counter]), choice, in, chunk_size(s.loop));
    }
}

} // namespace

PreservedAnalyses SplitIndexSets::run(Function &f, FunctionAnalysisManager &analyses)
{
    SmallPtrSet<BasicBlock *, 16> seen; // headers
    unsigned made = 0;
    for (bool again = true; again && made < MOST_LOOPS;) {
        again = false;
        auto &loops = analyses.getResult<LoopAnalysis>(f);
        auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(f);
        for (Loop *loop : loops.getLoopsInPreorder()) {
            auto *repeats = dyn_cast<SCEVConstant>(evolution.getBackedgeTakenCount(loop));
            Splitting s{*loop, evolution, !repeats || repeats->getAPInt().uge(LONG)};
            if (!seen.insert(loop->getHeader()).second || !is_candidate(s))
                continue;
            make_versions(s, analyses.getResult<DominatorTreeAnalysis>(f), loops);
            analyses.invalidate(f, PreservedAnalyses::none());
            again = true;
            made++;
            break;
        }
    }
    return made ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
