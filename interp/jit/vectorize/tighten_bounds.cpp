// Tightens the bounds of loops over work-items: where a comparison of the id with an invariant guards the
// whole body, the loop iterates only over the ids that satisfy it.  docs/vectorizer.md#profitability
#include "interp/jit/vectorize/cost_model.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace
{

enum : uint64_t { BEYOND = uint64_t(1) << 40 }; // more than any work-group has work-items

// A comparison of START + k, in iteration k, with LIMIT.
struct Term {
    ICmpInst *compare;
    ICmpInst::Predicate predicate; // that must hold for anything to be done
    Value *start, *limit;          // START NULL: 0
    bool start_signed;
};

struct Trimming {
    Loop *loop;
    PHINode *counter;
    BinaryOperator *next;
    ICmpInst *again; // in the latch: whether there is another iteration
    Value *bound;
    SmallVector<Term, 4> terms;
    bool work_if_true;
    bool masks; // the last vector has masked lanes, rather than to leave iterations to scalar code
};

// ---- what a loop leaves out ----------------------------------------------------------------------

// V without casts that change no counter: that is below 2^31.
Value *without_casts(Value *v)
{
    while (auto *cast = dyn_cast<CastInst>(v)) {
        if (!isa<ZExtInst>(cast) && !isa<SExtInst>(cast) &&
            !(isa<TruncInst>(cast) && cast->getDestTy()->getIntegerBitWidth() >= 32))
            break;
        v = cast->getOperand(0);
    }
    return v;
}

// V as START + counter, for a comparison that is signed or not.
bool matches(const Trimming &t, Value *v, bool is_signed, Term &term)
{
    if (without_casts(v) == t.counter)
        return true;
    bool widened = isa<ZExtInst>(v) || isa<SExtInst>(v);
    bool with_sign = widened ? isa<SExtInst>(v) : is_signed;
    if (with_sign && !is_signed)
        return false;
    auto *sum = dyn_cast<OverflowingBinaryOperator>(widened ? cast<CastInst>(v)->getOperand(0) : v);
    if (!sum || sum->getOpcode() != Instruction::Add ||
        !(with_sign ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap()))
        return false;
    for (unsigned k = 0; k < 2; k++)
        if (without_casts(sum->getOperand(k)) == t.counter &&
            t.loop->isLoopInvariant(sum->getOperand(1 - k))) {
            term.start = sum->getOperand(1 - k);
            term.start_signed = with_sign;
            return true;
        }
    return false;
}

// LLVM compares X with two constants at once: X + K < LIMIT, without signs, where the sum may wrap around.
bool add_range(Trimming &t, const Term &term, Value *left)
{
    auto *sum = dyn_cast<BinaryOperator>(left);
    auto *added =
        sum && sum->getOpcode() == Instruction::Add ? dyn_cast<ConstantInt>(sum->getOperand(1)) : nullptr;
    auto *limit = dyn_cast<ConstantInt>(term.limit);
    Term from = term;
    if (!added || !limit || sum->hasNoUnsignedWrap() || !ICmpInst::isUnsigned(term.predicate) ||
        !matches(t, sum->getOperand(0), false, from))
        return false;
    ConstantRange range =
        ConstantRange::makeExactICmpRegion(term.predicate, limit->getValue()).subtract(added->getValue());
    if (range.isEmptySet() || range.isFullSet() || range.isUpperWrapped())
        return false;
    Term to = from;
    from.predicate = ICmpInst::ICMP_UGE;
    from.limit = ConstantInt::get(left->getType(), range.getLower());
    to.predicate = ICmpInst::ICMP_ULT;
    to.limit = ConstantInt::get(left->getType(), range.getUpper());
    t.terms.append({from, to});
    return true;
}

bool add_term(Trimming &t, ICmpInst *compare)
{
    Term term{compare, compare->getPredicate(), nullptr, nullptr, false};
    Value *left = compare->getOperand(0), *right = compare->getOperand(1);
    if (t.loop->isLoopInvariant(left)) {
        std::swap(left, right);
        term.predicate = ICmpInst::getSwappedPredicate(term.predicate);
    }
    if (!t.loop->isLoopInvariant(right) || !right->getType()->isIntegerTy() ||
        right->getType()->getIntegerBitWidth() > 64)
        return false;
    if (!t.work_if_true)
        term.predicate = ICmpInst::getInversePredicate(term.predicate);
    term.limit = right;
    if (term.predicate == ICmpInst::ICMP_NE && isa<ConstantInt>(right) && cast<ConstantInt>(right)->isZero())
        term.predicate = ICmpInst::ICMP_UGT;
    return term.predicate != ICmpInst::ICMP_NE &&
           (add_range(t, term, left) ||
            (matches(t, left, ICmpInst::isSigned(term.predicate) || term.predicate == ICmpInst::ICMP_EQ,
                     term) &&
             (t.terms.push_back(term), true)));
}

// Comparisons that all must hold, or all must not, for work to be done.
void add_terms(Trimming &t, Value *condition, unsigned depth)
{
    auto *i = dyn_cast<Instruction>(condition);
    if (!i || depth == 0 || !t.loop->contains(i))
        return;
    if (auto *compare = dyn_cast<ICmpInst>(i)) {
        add_term(t, compare);
        return;
    }
    bool parts = i->getOpcode() == (t.work_if_true ? Instruction::And : Instruction::Or);
    if (auto *select = dyn_cast<SelectInst>(i)) {
        auto *other =
            dyn_cast<ConstantInt>(t.work_if_true ? select->getFalseValue() : select->getTrueValue());
        if (!other || other->isOne() == t.work_if_true)
            return;
        add_terms(t, select->getCondition(), depth - 1);
        add_terms(t, t.work_if_true ? select->getTrueValue() : select->getFalseValue(), depth - 1);
    } else if (parts && i->getType()->isIntegerTy(1)) {
        add_terms(t, i->getOperand(0), depth - 1);
        add_terms(t, i->getOperand(1), depth - 1);
    }
}

bool acts(const BasicBlock &b)
{
    return any_of(b, [](const Instruction &i) { return i.mayHaveSideEffects() || isa<PHINode>(i); });
}

// A loop that counts up from 0 to BOUND by 1.
bool counts(Trimming &t)
{
    Loop &l = *t.loop;
    BasicBlock *latch = l.getLoopLatch();
    t.counter = dyn_cast<PHINode>(&l.getHeader()->front());
    auto *branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
    if (!l.getLoopPreheader() || !l.getExitBlock() || latch != l.getExitingBlock() || !t.counter ||
        !t.counter->getType()->isIntegerTy() || l.getHeader()->getFirstNonPHI() != t.counter->getNextNode())
        return false;
    t.next = dyn_cast<BinaryOperator>(t.counter->getIncomingValueForBlock(latch));
    auto *start = dyn_cast<ConstantInt>(t.counter->getIncomingValueForBlock(l.getLoopPreheader()));
    auto *step = t.next && t.next->getOpcode() == Instruction::Add && t.next->getOperand(0) == t.counter
                     ? dyn_cast<ConstantInt>(t.next->getOperand(1))
                     : nullptr;
    t.again = dyn_cast<ICmpInst>(branch->getCondition());
    if (!start || !start->isZero() || !step || !step->isOne() || !t.again || t.again->getOperand(0) != t.next)
        return false;
    t.bound = t.again->getOperand(1);
    ICmpInst::Predicate stays = branch->getSuccessor(0) == l.getHeader()
                                    ? t.again->getPredicate()
                                    : ICmpInst::getInversePredicate(t.again->getPredicate());
    return l.isLoopInvariant(t.bound) && (stays == ICmpInst::ICMP_ULT || stays == ICmpInst::ICMP_NE);
}

bool find(Trimming &t)
{
    Loop &l = *t.loop;
    if (!findOptionMDForLoop(&l, "llvm.loop.parallel_accesses") || !counts(t))
        return false;
    BasicBlock *header = l.getHeader(), *latch = l.getLoopLatch();
    auto *branch = dyn_cast<BranchInst>(header->getTerminator());
    if (header == latch || !branch || !branch->isConditional() || acts(*latch) ||
        any_of(*header, [](const Instruction &i) { return i.mayHaveSideEffects(); }) ||
        (branch->getSuccessor(0) != latch && branch->getSuccessor(1) != latch) ||
        branch->getSuccessor(0) == branch->getSuccessor(1))
        return false;
    for (PHINode &phi : l.getExitBlock()->phis())
        if (!l.isLoopInvariant(phi.getIncomingValueForBlock(latch)))
            return false;
    t.work_if_true = branch->getSuccessor(1) == latch;
    add_terms(t, branch->getCondition(), 6);
    return !t.terms.empty();
}

// Whether the first work-items of a group do nothing (`x > 0`): then hardly any group is a multiple of
// vectors.
bool begins_late(const Trimming &t)
{
    return any_of(t.terms, [](const Term &term) {
        return term.predicate == ICmpInst::ICMP_UGE || term.predicate == ICmpInst::ICMP_UGT ||
               term.predicate == ICmpInst::ICMP_SGE || term.predicate == ICmpInst::ICMP_SGT;
    });
}

// Whether all accesses of LOOP are vectors that this processor can mask.
bool can_mask(Loop &loop, ScalarEvolution &all)
{
    if (loop.getHeader()->getParent()->getFnAttribute("prefer-vector-width").getValueAsString() != "512")
        return false;
    PredicatedScalarEvolution evolution(all, loop);
    return all_of(loop.blocks(), [&](BasicBlock *b) {
        return all_of(*b, [&](Instruction &i) {
            const Value *pointer = getLoadStorePointerOperand(&i);
            return !pointer || (isa<LoadInst>(i) && loop.isLoopInvariant(pointer)) ||
                   consecutive_access(i, evolution);
        });
    });
}

// ---- leaving it out ------------------------------------------------------------------------------

struct Ends {
    Value *from, *to; // 64 bits
};

Value *smaller(IRBuilder<> &b, Value *x, Value *y)
{
    return b.CreateSelect(b.CreateICmpULT(x, y), x, y);
}

Value *larger(IRBuilder<> &b, Value *x, Value *y)
{
    return b.CreateSelect(b.CreateICmpULT(x, y), y, x);
}

// The iterations in which TERM holds.
void narrow(IRBuilder<> &b, const Term &term, Ends &ends)
{
    bool with_sign = ICmpInst::isSigned(term.predicate) || term.predicate == ICmpInst::ICMP_EQ;
    // Where another term is false this one may be poison.
    auto wide = [&](Value *v, bool sign) {
        if (!isGuaranteedNotToBeUndefOrPoison(v))
            v = b.CreateFreeze(v);
        return sign ? b.CreateSExt(v, b.getInt64Ty()) : b.CreateZExt(v, b.getInt64Ty());
    };
    Value *limit = wide(term.limit, with_sign);
    Value *start = term.start ? wide(term.start, term.start_signed) : b.getInt64(0);
    // How far the limit lies after the start, and whether it does.
    Value *distance = smaller(b, b.CreateSub(limit, start), b.getInt64(BEYOND));
    Value *after = with_sign ? b.CreateICmpSLE(start, limit) : b.CreateICmpULE(start, limit);
    auto count = [&](Value *n, uint64_t otherwise) {
        return b.CreateSelect(after, n, b.getInt64(otherwise));
    };
    Value *more = b.CreateAdd(distance, b.getInt64(1), "", true, true);
    switch (term.predicate) {
    case ICmpInst::ICMP_ULT:
    case ICmpInst::ICMP_SLT:
        ends.to = smaller(b, ends.to, count(distance, 0));
        break;
    case ICmpInst::ICMP_ULE:
    case ICmpInst::ICMP_SLE:
        ends.to = smaller(b, ends.to, count(more, 0));
        break;
    case ICmpInst::ICMP_UGE:
    case ICmpInst::ICMP_SGE:
        ends.from = larger(b, ends.from, count(distance, 0));
        break;
    case ICmpInst::ICMP_UGT:
    case ICmpInst::ICMP_SGT:
        ends.from = larger(b, ends.from, count(more, 0));
        break;
    default:
        ends.from = larger(b, ends.from, count(distance, BEYOND));
        ends.to = smaller(b, ends.to, count(more, 0));
    }
}

void trim(Trimming &t)
{
    BasicBlock *before = t.loop->getLoopPreheader(), *header = t.loop->getHeader(),
               *latch = t.loop->getLoopLatch(), *after = t.loop->getExitBlock();
    Instruction *old = before->getTerminator();
    IRBuilder<> b(old);
    Ends ends{b.getInt64(0), b.CreateZExt(t.bound, b.getInt64Ty())};
    for (const Term &term : t.terms)
        narrow(b, term, ends);
    Value *from = b.CreateTrunc(ends.from, t.counter->getType()),
          *to = b.CreateTrunc(ends.to, t.counter->getType());
    b.CreateCondBr(b.CreateICmpULT(ends.from, ends.to), header, after);
    old->eraseFromParent();
    t.counter->setIncomingValueForBlock(before, from);
    for (PHINode &phi : after->phis())
        phi.addIncoming(phi.getIncomingValueForBlock(latch), before);
    auto *branch = cast<BranchInst>(latch->getTerminator());
    b.SetInsertPoint(branch);
    // Not <: once LLVM has widened the counter, it makes a test of bits of that, for which it finds no trip
    // count.
    Value *again =
        branch->getSuccessor(0) == header ? b.CreateICmpNE(t.next, to) : b.CreateICmpEQ(t.next, to);
    branch->setCondition(again);
    if (t.masks)
        addStringMetadataToLoop(t.loop, "llvm.loop.vectorize.predicate.enable", 1);
    for (const Term &term : t.terms)
        term.compare->replaceAllUsesWith(b.getInt1(t.work_if_true));
}

} // namespace

PreservedAnalyses TightenBounds::run(Function &f, FunctionAnalysisManager &analyses)
{
    SmallVector<Trimming, 8> found;
    for (Loop *loop : analyses.getResult<LoopAnalysis>(f).getLoopsInPreorder()) {
        Trimming t{loop, nullptr, nullptr, nullptr, nullptr, {}, false, false};
        if (!find(t))
            continue;
        t.masks = begins_late(t) && can_mask(*loop, analyses.getResult<ScalarEvolutionAnalysis>(f));
        found.push_back(t);
    }
    for (Trimming &t : found)
        trim(t);
    return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
