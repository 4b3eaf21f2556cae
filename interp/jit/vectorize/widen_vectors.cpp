// Loops over work-items that compute with vectors: several work-items become one iteration, whose vectors
// consist of theirs. docs/vectorizer.md#vectors-of-several-work-items
#include "interp/jit/vectorize/widen_vectors.hpp"
#include "interp/jit/vectorize/access_order.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <list>

using namespace llvm;

namespace
{

// Instructions of a loop: the functions below are recursive.  With more than FEW, vectors of three do not
// occupy three registers.
enum { MOST_CODE = 1500, FEW = 80 };

unsigned elements(const Type *type)
{
    auto *vector = dyn_cast<FixedVectorType>(type);
    return vector ? vector->getNumElements() : 1;
}

uint64_t bytes(const Type *type)
{
    return elements(type) * uint64_t(type->getScalarSizeInBits()) / 8;
}

// Of a scalar or vector that LANES work-items have: element J of lane K is element K * elements(TYPE) + J.
FixedVectorType *widened(Type *type, unsigned lanes)
{
    return FixedVectorType::get(type->getScalarType(), elements(type) * lanes);
}

// A loop of one block over work-items, of which LANES become one iteration.
class Widening
{
  public:
    Widening(Loop &l, ScalarEvolution &e) : loop(l), body(l.getHeader()), evolution(e), b(body->getContext())
    {
    }
    bool is_candidate() const;
    unsigned choose_lanes(uint64_t register_bits);
    void expand_count();
    void apply();

  private:
    // How far an access advances per iteration.  WITH_LANES: there is one access for each lane.
    struct Access {
        int64_t step;
        bool with_lanes;
    };

    void measure(const Type *type);
    bool demand(Value *v, bool in_all);
    bool can_access(Instruction &i);
    Value *first(Value *v);
    Value *all(Value *v);
    Value *emit(Instruction &i);
    void emit_access(Instruction &i);

    Loop &loop;
    BasicBlock *body, *before = nullptr, *wide = nullptr;
    ScalarEvolution &evolution;
    IRBuilder<> b;
    Value *count = nullptr;           // of the loop's iterations
    unsigned lanes = 1, widest = 0;   // WIDEST: bits of a work-item's largest value
    unsigned together = 0, apart = 0; // accesses; APART: scalars, each on its own
    DenseMap<Instruction *, Access> accesses;
    DenseMap<PHINode *, uint64_t> counter_steps;
    DenseSet<Value *> needs_first, needs_all;
    DenseMap<Value *, Value *> firsts, wides;
    bool stores_vectors = false, threes = false;
};

// ---- which loops ---------------------------------------------------------------------------------

// Whether the loop has one block and only counters, and computes nothing that is used behind it.
bool Widening::is_candidate() const
{
    auto *branch = dyn_cast<BranchInst>(body->getTerminator());
    if (loop.getNumBlocks() != 1 || !loop.getLoopPreheader() || !loop.getExitBlock() || !branch ||
        !branch->isConditional() || body->size() > MOST_CODE || !loop.isAnnotatedParallel() ||
        getBooleanLoopAttribute(&loop, "llvm.loop.isvectorized"))
        return false;
    return all_of(*body, [&](Instruction &i) {
        return all_of(i.users(), [&](User *u) { return cast<Instruction>(u)->getParent() == body; });
    });
}

// By what V advances with each iteration of LOOP; NULL: by different amounts.
const SCEVConstant *constant_step(Value *v, const Loop &loop, ScalarEvolution &evolution)
{
    auto *sequence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(v));
    return sequence && sequence->getLoop() == &loop && sequence->isAffine()
               ? dyn_cast<SCEVConstant>(sequence->getStepRecurrence(evolution))
               : nullptr;
}

bool has_whole_bytes(const Type *type)
{
    return (type->isIntOrIntVectorTy() || type->isFPOrFPVectorTy()) && !type->isX86_FP80Ty() &&
           type->getScalarSizeInBits() % 8 == 0;
}

// Whether I computes the value of each lane from those of the same lane.
bool can_widen(const Instruction &i)
{
    if (auto *cast = dyn_cast<BitCastInst>(&i))
        return has_whole_bytes(cast->getSrcTy()) && has_whole_bytes(cast->getDestTy());
    if (auto *extract = dyn_cast<ExtractElementInst>(&i))
        return isa<ConstantInt>(extract->getIndexOperand());
    if (isa<InsertElementInst>(i))
        return isa<ConstantInt>(i.getOperand(2));
    return isa<ShuffleVectorInst>(i) || is_elementwise(i);
}

void Widening::measure(const Type *type)
{
    widest = std::max(widest, unsigned(PowerOf2Ceil(elements(type))) * type->getScalarSizeInBits());
    threes |= !isPowerOf2_32(elements(type));
}

// Whether V can be computed, IN_ALL lanes or for the first one.
bool Widening::demand(Value *v, bool in_all)
{
    if (!(in_all ? needs_all : needs_first).insert(v).second)
        return true;
    auto *i = dyn_cast<Instruction>(v);
    if (!i || !loop.contains(i))
        return !in_all || v->getType()->isIntOrIntVectorTy() || v->getType()->isFPOrFPVectorTy();
    if (in_all)
        measure(i->getType());
    if (isa<PHINode>(i))
        return true;
    if (!in_all)
        return !i->mayReadOrWriteMemory() && !isa<CallBase>(i) &&
               all_of(i->operands(), [&](Use &u) { return demand(u.get(), false); });
    if (isa<LoadInst>(i))
        return accesses.count(i);
    if (!can_widen(*i))
        return false;
    for (unsigned k = 0; k < value_operands(*i); k++)
        if (is_scalar_operand(*i, k) ? !loop.isLoopInvariant(i->getOperand(k))
                                     : !demand(i->getOperand(k), true))
            return false;
    return true;
}

bool Widening::can_access(Instruction &i)
{
    Value *pointer = getLoadStorePointerOperand(&i);
    auto *load = dyn_cast<LoadInst>(&i);
    Type *type = getLoadStoreType(&i);
    if (!(load ? load->isSimple() : cast<StoreInst>(i).isSimple()) || AccessOrder::accesses_tags(i) ||
        !has_whole_bytes(type))
        return false;
    Access access{0, false};
    if (!load || !loop.isLoopInvariant(pointer)) {
        const SCEVConstant *step = constant_step(pointer, loop, evolution);
        if (!step || step->isZero() || !step->getAPInt().isSignedIntN(32))
            return false;
        access.step = step->getAPInt().getSExtValue();
        access.with_lanes = access.step != int64_t(bytes(type));
        if (access.with_lanes && !isPowerOf2_32(elements(type)))
            return false;
    }
    stores_vectors |= !load && type->isVectorTy();
    (access.with_lanes ? apart : together) += !type->isVectorTy() || !access.with_lanes;
    accesses[&i] = access;
    measure(type);
    return demand(pointer, false) && (load || demand(cast<StoreInst>(i).getValueOperand(), true));
}

bool is_ignored(const Instruction &i)
{
    auto *call = dyn_cast<IntrinsicInst>(&i);
    return call && call->isAssumeLikeIntrinsic();
}

// How many work-items one iteration may consist of, by the widest of their vectors; 1: none but one.
unsigned Widening::choose_lanes(uint64_t register_bits)
{
    for (PHINode &phi : body->phis())
        if (const SCEVConstant *step =
                phi.getType()->isIntegerTy() ? constant_step(&phi, loop, evolution) : nullptr)
            counter_steps[&phi] = step->getAPInt().getZExtValue();
        else
            return 1;
    for (Instruction &i : *body)
        if (getLoadStorePointerOperand(&i) ? !can_access(i) : !is_ignored(i) && i.mayReadOrWriteMemory())
            return 1;
    const SCEV *repeats = evolution.getBackedgeTakenCount(&loop);
    if (!stores_vectors || apart > together || isa<SCEVCouldNotCompute>(repeats) ||
        SCEVExprContains(repeats, [](const SCEV *part) { return isa<SCEVUDivExpr>(part); }) ||
        !evolution.getUnsignedRangeMax(repeats).isIntN(32))
        return 1;
    while (2 * lanes * widest <= register_bits)
        lanes *= 2;
    return lanes *= threes && body->size() <= FEW ? 4 : 1;
}

// ---- their code ----------------------------------------------------------------------------------

// COUNT elements of X and Y, one behind the other; element K is element FROM(K), or any value if that is -1.
Value *permute(IRBuilder<> &b, Value *x, Value *y, unsigned count, function_ref<int(unsigned)> from)
{
    SmallVector<int, 64> mask;
    for (unsigned k = 0; k < count; k++)
        mask.push_back(from(k));
    return y ? b.CreateShuffleVector(x, y, mask) : b.CreateShuffleVector(x, mask);
}

// V, which is the same in all lanes.
Value *repeated(IRBuilder<> &b, Value *v, unsigned lanes)
{
    const unsigned n = elements(v->getType());
    return v->getType()->isVectorTy() ? permute(b, v, nullptr, n * lanes, [&](unsigned k) { return k % n; })
                                      : b.CreateVectorSplat(lanes, v);
}

// The elements of X, one for each lane, N times each.
Value *stretched(IRBuilder<> &b, Value *x, unsigned lanes, unsigned n)
{
    return permute(b, x, nullptr, n * lanes, [&](unsigned k) { return k / n; });
}

// V in the first lane.
Value *Widening::first(Value *v)
{
    auto *i = dyn_cast<Instruction>(v);
    if (!i || !loop.contains(i))
        return v;
    if (Value *known = firsts.lookup(v))
        return known;
    Instruction *copy = i->clone();
    for (Use &u : copy->operands())
        u.set(first(u.get()));
    return firsts[v] = b.Insert(copy);
}

// V in all lanes.
Value *Widening::all(Value *v)
{
    if (Value *known = wides.lookup(v))
        return known;
    auto *i = dyn_cast<Instruction>(v);
    if (i && loop.contains(i))
        return wides[v] = emit(*i);
    IRBuilder<> outside(before->getTerminator());
    return wides[v] = repeated(outside, v, lanes);
}

Value *Widening::emit(Instruction &i)
{
    const unsigned n = elements(i.getType()), count = n * lanes;
    Type *type = widened(i.getType(), lanes);
    if (auto *phi = dyn_cast<PHINode>(&i)) {
        const uint64_t step = counter_steps[phi];
        SmallVector<Constant *, 64> steps;
        for (unsigned k = 0; k < lanes; k++)
            steps.push_back(ConstantInt::get(phi->getType(), k * step));
        return b.CreateAdd(b.CreateVectorSplat(lanes, first(phi)), ConstantVector::get(steps));
    }
    if (isa<ExtractElementInst>(i)) {
        const unsigned from = elements(i.getOperand(0)->getType()),
                       at = unsigned(cast<ConstantInt>(i.getOperand(1))->getZExtValue());
        return permute(b, all(i.getOperand(0)), nullptr, lanes, [&](unsigned k) { return k * from + at; });
    }
    if (isa<InsertElementInst>(i)) {
        const unsigned at = unsigned(cast<ConstantInt>(i.getOperand(2))->getZExtValue());
        return permute(b, all(i.getOperand(0)), stretched(b, all(i.getOperand(1)), lanes, n), count,
                       [&](unsigned k) { return k % n == at ? count + k : k; });
    }
    if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&i)) {
        const int from = int(elements(i.getOperand(0)->getType()));
        return permute(b, all(i.getOperand(0)), all(i.getOperand(1)), count, [&](unsigned k) {
            const int lane = int(k / n), at = shuffle->getMaskValue(k % n);
            return at < 0 ? -1 : at < from ? lane * from + at : (int(lanes) - 1 + lane) * from + at;
        });
    }
    SmallVector<Value *, 4> operands;
    for (unsigned k = 0; k < value_operands(i); k++)
        operands.push_back(is_scalar_operand(i, k) ? i.getOperand(k) : all(i.getOperand(k)));
    if (isa<SelectInst>(i) && !i.getOperand(0)->getType()->isVectorTy())
        operands[0] = stretched(b, operands[0], lanes, n);
    return with_operands(b, i, operands, type);
}

// The access I of all lanes, or of one lane after the other.
void Widening::emit_access(Instruction &i)
{
    const Access access = accesses[&i];
    auto *load = dyn_cast<LoadInst>(&i);
    Type *type = getLoadStoreType(&i);
    const unsigned n = elements(type);
    Value *pointer = first(getLoadStorePointerOperand(&i)), *stored = load ? nullptr : all(i.getOperand(0));
    const unsigned kept[] = {LLVMContext::MD_access_group, LLVMContext::MD_invariant_load,
                             LLVMContext::MD_alias_scope, LLVMContext::MD_noalias};
    auto make = [&](Type *as, Value *value, unsigned lane) -> Value * {
        Value *at =
            lane ? b.CreateConstGEP1_64(b.getInt8Ty(), pointer, uint64_t(lane * access.step)) : pointer;
        if (!load) {
            b.CreateAlignedStore(value, at, cast<StoreInst>(i).getAlign())->copyMetadata(i, kept);
            return nullptr;
        }
        LoadInst *made = b.CreateAlignedLoad(as, at, load->getAlign());
        made->copyMetadata(i, kept);
        return made;
    };
    if (!access.with_lanes) {
        Value *made = make(access.step ? widened(type, lanes) : type, stored, 0);
        if (load)
            wides[&i] = access.step ? made : repeated(b, made, lanes);
        return;
    }
    SmallVector<Value *, 16> parts;
    for (unsigned lane = 0; lane < lanes; lane++) {
        Value *part = nullptr;
        if (!load)
            part = type->isVectorTy()
                       ? permute(b, stored, nullptr, n, [&](unsigned k) { return lane * n + k; })
                       : b.CreateExtractElement(stored, lane);
        part = make(type, part, lane);
        if (load)
            parts.push_back(type->isVectorTy() ? part : b.CreateVectorSplat(1, part));
    }
    if (load)
        wides[&i] = concatenateVectors(b, parts);
}

// Before the loop, as another one may be changed first.
void Widening::expand_count()
{
    BasicBlock *preheader = loop.getLoopPreheader();
    const DataLayout &layout = body->getModule()->getDataLayout();
    Type *type = Type::getInt64Ty(body->getContext());
    SCEVExpander expander(evolution, layout, "work-items");
    const SCEV *again = evolution.getTruncateOrZeroExtend(evolution.getBackedgeTakenCount(&loop), type);
    count = expander.expandCodeFor(evolution.getAddExpr(again, evolution.getOne(type)), type,
                                   preheader->getTerminator());
}

// The wide loop is before the loop, which executes the work-items that are left.
void Widening::apply()
{
    LLVMContext &c = body->getContext();
    BasicBlock *preheader = loop.getLoopPreheader(), *exit = loop.getExitBlock();
    before = SplitBlock(preheader, preheader->getTerminator());
    std::swap(before, preheader);
    wide = BasicBlock::Create(c, "vectors", body->getParent(), preheader);
    BasicBlock *after = BasicBlock::Create(c, "", body->getParent(), preheader);
    b.SetInsertPoint(before->getTerminator());
    Value *whole = b.CreateAnd(count, b.getInt64(-uint64_t(lanes)));
    b.CreateCondBr(b.CreateICmpNE(whole, b.getInt64(0)), wide, preheader);
    before->getTerminator()->eraseFromParent();
    b.SetInsertPoint(wide);
    PHINode *done = b.CreatePHI(b.getInt64Ty(), 2);
    done->addIncoming(b.getInt64(0), before);
    for (PHINode &phi : body->phis()) {
        PHINode *made = b.CreatePHI(phi.getType(), 2);
        made->addIncoming(phi.getIncomingValueForBlock(preheader), before);
        firsts[&phi] = made;
    }
    for (Instruction &i : *body)
        if (accesses.count(&i))
            emit_access(i);
    for (PHINode &phi : body->phis()) {
        auto *made = cast<PHINode>(firsts[&phi]);
        Value *step = ConstantInt::get(phi.getType(), lanes * counter_steps[&phi]);
        Value *next = b.CreateAdd(made, step);
        made->addIncoming(next, wide);
        PHINode *from = PHINode::Create(phi.getType(), 2, "", preheader->getTerminator());
        from->addIncoming(phi.getIncomingValueForBlock(preheader), before);
        from->addIncoming(next, after);
        phi.setIncomingValueForBlock(preheader, from);
    }
    Value *next = b.CreateAdd(done, b.getInt64(lanes), "", true, true);
    done->addIncoming(next, wide);
    BranchInst *again = b.CreateCondBr(b.CreateICmpULT(next, whole), wide, after);
    b.SetInsertPoint(after);
    b.CreateCondBr(b.CreateICmpULT(whole, count), preheader, exit);
    for (PHINode &phi : exit->phis())
        phi.addIncoming(phi.getIncomingValueForBlock(body), after);
    auto *one = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(c), 1));
    Metadata *vectorized = MDNode::get(c, {MDString::get(c, "llvm.loop.isvectorized"), one});
    Metadata *no_unroll = MDNode::get(c, {MDString::get(c, "llvm.loop.unroll.disable")});
    for (auto [branch, hints] :
         {std::pair(again, SmallVector<Metadata *, 3>{nullptr, vectorized}),
          {cast<BranchInst>(body->getTerminator()), {nullptr, vectorized, no_unroll}}}) {
        MDNode *node = MDNode::getDistinct(c, hints);
        node->replaceOperandWith(0, node);
        branch->setMetadata(LLVMContext::MD_loop, node);
    }
}

} // namespace

PreservedAnalyses WidenVectors::run(Function &f, FunctionAnalysisManager &analyses)
{
    auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(f);
    const uint64_t register_bits = analyses.getResult<TargetIRAnalysis>(f).getRegisterBitWidth(
        TargetTransformInfo::RGK_FixedWidthVector);
    std::list<Widening> found;
    bool changed = false;
    for (Loop *loop : analyses.getResult<LoopAnalysis>(f).getLoopsInPreorder()) {
        found.emplace_back(*loop, evolution);
        bool candidate = found.back().is_candidate();
        changed |= candidate && join_elements(*loop->getHeader());
        if (!candidate || found.back().choose_lanes(register_bits) < 2)
            found.pop_back();
    }
    for (Widening &w : found)
        w.expand_count();
    for (Widening &w : found)
        w.apply();
    return found.empty() && !changed ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
