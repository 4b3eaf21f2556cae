// What code costs on a processor with vectors, and what follows from it.  docs/vectorizer.md#cost-model
#include "interp/jit/vectorize/cost_model.hpp"
#include "interp/jit/vectorize/access_order.hpp"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace
{
// Instructions per cycle: scalar ones, and those of vectors.
constexpr unsigned ISSUE = 5, PORTS = 2;
// Cycles of an operation on floats or a product, a division, and a load from the first cache.
constexpr unsigned ARITHMETIC = 4, DIVISION = 12, LOAD = 5;
// Values that an iteration leaves to the next one without spilling them; vector registers of AVX-512.
constexpr unsigned SCALAR_REGISTERS = 12, VECTOR_REGISTERS = 32;
// Accesses to memory that are in progress at a time.
constexpr unsigned LOADS = 192;
// Instructions of a loop of which the processor executes several iterations at a time; of one with several
// vectors that remains in the caches; and of one inside a work-item, of whose vectors some lanes are masked
// most of the time.
constexpr unsigned OVERLAPPED = 80, MOST_CODE = 4800, MOST_MASKED = 400;
// Instructions that take as long as to store, compare and search the next regions of lanes, and values that
// live across regions; and those of masked code that a branch may skip: a misprediction takes as long again.
constexpr unsigned REGION = 30, WORTH_BRANCH = 64;
// Loads of a loop that are compared with one another.
constexpr unsigned MOST_REPEATED = 64;
// Vectors of a strip: few work-groups consist of longer ones.
constexpr unsigned MOST_VECTORS = 8;

// As many instructions as operations cost that vectors gain nothing from: gathers; accesses to memory,
// divisions of 64-bit integers and gathers of bytes under a mask; accesses lane by lane, and divisions, in a
// loop that lanes leave one after the other.
constexpr unsigned GATHER = 8, OPERATION = 16, SEARCHED_ACCESS = 2 * LANE_ACCESS;

// What a work-item's part of a gather and of a scatter loses, as half the operations by which vectors gain as
// much; LLVM makes shuffles of accesses that are at most SHUFFLED elements apart.
constexpr unsigned GATHERED = 3, SCATTERED = 4, SHUFFLED = 8;
} // namespace

static unsigned instruction_latency(const Instruction &i)
{
    if (isa<PHINode>(i) || isa<GetElementPtrInst>(i))
        return 0;
    if (isa<LoadInst>(i))
        return LOAD;
    bool divides = i.getOpcode() == Instruction::FDiv || i.isIntDivRem();
    if (divides && !isa<Constant>(i.getOperand(1)))
        return DIVISION;
    if (divides || i.getOpcode() == Instruction::Mul ||
        (i.getType()->isFPOrFPVectorTy() && !isa<SelectInst>(i)))
        return ARITHMETIC;
    return isa<CastInst>(i) ? 0 : 1;
}

unsigned vector_registers(const Type *type)
{
    return std::max(1u, unsigned(type->getPrimitiveSizeInBits() + 31) / 32);
}

CodeCost measure_code(ArrayRef<BasicBlock *> blocks, function_ref<bool(const Instruction &)> is_free)
{
    CodeCost cost;
    DenseMap<const Value *, unsigned> end; // the cycle in which a value is known
    DenseMap<const Instruction *, unsigned> last_use;
    MapVector<const Instruction *, unsigned> first;
    for (BasicBlock *b : blocks)
        for (Instruction &i : *b) {
            const unsigned at = first.size();
            unsigned start = 0;
            for (Value *operand : i.operands())
                if (auto *value = dyn_cast<Instruction>(operand); value && first.count(value)) {
                    start = std::max(start, end[value]);
                    last_use[value] = at;
                }
            first[&i] = at;
            end[&i] = start + instruction_latency(i);
            cost.cycles = std::max(cost.cycles, end[&i]);
            if (i.isTerminator() || isa<GetElementPtrInst>(i) || (isa<PHINode>(i) && b == blocks.front()))
                continue;
            cost.size++;
            cost.accesses += i.mayReadOrWriteMemory();
        }
    SmallVector<int, 128> change(first.size() + 1); // of the registers in use, by instruction
    for (auto [value, use] : last_use)
        if (!is_free(*value)) {
            change[first[value]] += int(vector_registers(value->getType()));
            change[use] -= int(vector_registers(value->getType()));
        }
    int live = 0;
    for (int registers : change)
        cost.live = std::max(cost.live, unsigned(live += registers));
    return cost;
}

unsigned vectors_that_fit(const CodeCost &cost, unsigned across)
{
    unsigned n = MOST_VECTORS;
    // Gathers take longer than spills of the values that lanes keep from one iteration to the next.
    const unsigned kept = 2 * GATHER * cost.gathers > cost.size ? VECTOR_REGISTERS : VECTOR_REGISTERS / 2;
    while (n > 1 && (n * across > kept || n * (across + cost.live) > 2 * VECTOR_REGISTERS ||
                     n * (cost.accesses + GATHER * cost.gathers) > LOADS || n * cost.size > MOST_CODE))
        n /= 2;
    return n;
}

// ---- whether a loop inside a work-item is vectorized -------------------------------------------------

bool is_gather(const Instruction &i, const Divergence &divergence)
{
    auto *load = dyn_cast<LoadInst>(&i);
    return load && lane_stride(load->getPointerOperand(), divergence).kind == LaneStride::IRREGULAR;
}

bool is_worth_branch(ArrayRef<BasicBlock *> blocks, const Divergence &divergence)
{
    unsigned cost = 0;
    for (const BasicBlock *b : blocks)
        for (const Instruction &i : *b) {
            if (isa<PHINode>(i) || isa<GetElementPtrInst>(i) || i.isTerminator() || isa<DbgInfoIntrinsic>(i))
                continue;
            cost += is_gather(i, divergence) ? GATHER : isa<CallInst>(i) ? DIVISION : 1;
            cost += instruction_latency(i) == DIVISION ? DIVISION : 0;
        }
    return cost >= WORTH_BRANCH;
}

static bool is_division(const Instruction &i, const Divergence &divergence)
{
    return i.isIntDivRem() && !isa<Constant>(i.getOperand(1)) && divergence.values.count(&i);
}

// Divisions of 64-bit integers, which have no vector instruction: lane by lane, in registers that are no
// vectors.
static bool is_wide_division(const Instruction &i, const Divergence &divergence)
{
    return is_division(i, divergence) && i.getType()->getScalarSizeInBits() > 32;
}

// Whether a vector of accesses I is one access per lane: loads of bytes and shorts that are far apart, and
// elements of private arrays that differ between lanes.
static bool is_lane_by_lane(const Instruction &i, const Divergence &divergence)
{
    auto *gep = dyn_cast_or_null<GetElementPtrInst>(getLoadStorePointerOperand(&i));
    bool element = gep && isa<AllocaInst>(gep->getPointerOperand()) &&
                   any_of(gep->indices(), [&](const Use &u) { return divergence.values.count(u.get()); });
    return element || (isa<LoadInst>(i) && is_subword_gather(i, divergence));
}

unsigned recurrence_cycles(const Loop &loop, const PHINode &phi)
{
    DenseMap<const Value *, unsigned> ends{{&phi, 1}}; // plus 1; 0: does not follow from PHI
    for (const BasicBlock *b : loop.blocks())
        for (const Instruction &i : *b) {
            unsigned begin = 0;
            for (const Use &u : i.operands())
                begin = std::max(begin, ends.lookup(u.get()));
            if (&i != &phi && begin > 0)
                ends[&i] = begin + instruction_latency(i);
        }
    unsigned end = ends.lookup(phi.getIncomingValueForBlock(loop.getLoopLatch()));
    return end > 0 ? std::max(1u, end - 1) : 0;
}

// Whether a work-item alone executes LOOP, of SIZE instructions, in less time than its part of a vector
// takes.  SLOW: accesses lane by lane and other operations that take as long.
static bool is_better_alone(const Loop &loop, unsigned size, unsigned slow, bool differs)
{
    const unsigned time = slow * (differs ? SEARCHED_ACCESS : LANE_ACCESS);
    // A recurrence is followed through the whole loop, once for each phi: last, and only for few phis.
    return loop.getLoopLatch() && size <= time &&
           !hasNItemsOrMore(loop.getHeader()->phis(), SCALAR_REGISTERS + 1) &&
           all_of(loop.getHeader()->phis(),
                  [&](const PHINode &phi) { return ISSUE * recurrence_cycles(loop, phi) <= time; });
}

// Whether lanes leave LOOP one after the other.
static bool lanes_leave_apart(const Loop &loop, const Divergence &divergence)
{
    SmallVector<BasicBlock *, 4> exits;
    loop.getExitingBlocks(exits);
    return any_of(exits, [&](BasicBlock *b) { return divergence.differs(*b); });
}

// Whether LOOP, of SIZE instructions, is a small part of a loop around it, which lanes leave one by one, and
// not of each of its iterations: few lanes are in it at a time, and all others wait for them.
static bool is_rarely_shared(const Loop &loop, unsigned size, const Divergence &divergence)
{
    const Loop *outer = loop.getParentLoop();
    if (!outer || size > REGION || !lanes_leave_apart(loop, divergence) ||
        !lanes_leave_apart(*outer, divergence))
        return false;
    unsigned all = 0;
    for (const BasicBlock *b : outer->blocks())
        all += b->size();
    SmallPtrSet<BasicBlock *, 1> inner{loop.getHeader()};
    return 2 * size < all && outer->getLoopLatch() &&
           isPotentiallyReachable(outer->getHeader(), outer->getLoopLatch(), &inner);
}

// Lanes that wait for others while these gather a little more lose more than vectors gain, and so do those
// that compare bytes one after the other: most of them leave at the first.
bool is_profitable(const Loop &loop, const Divergence &divergence)
{
    unsigned size = 0, gathers = 0, masked = 0, slow = 0, divisions = 0;
    bool differs = lanes_leave_apart(loop, divergence), searches = differs && !loop.getExitingBlock();
    for (BasicBlock *b : loop.blocks()) {
        size += b->size();
        for (const Instruction &i : *b) {
            gathers += is_gather(i, divergence);
            slow += is_lane_by_lane(i, divergence) || (searches && is_division(i, divergence));
            masked += is_subword_gather(i, divergence) && divergence.blocks.count(b);
            divisions += is_wide_division(i, divergence);
        }
    }
    const bool has_masks = differs || divergence.blocks.count(loop.getHeader());
    return size <= (has_masks ? MOST_MASKED : MOST_CODE) && !is_rarely_shared(loop, size, divergence) &&
           (differs ? GATHER * gathers < size : OPERATION * masked < size) && OPERATION * divisions < size &&
           !is_better_alone(loop, size, slow, differs);
}

// ---- vectors in an iteration of a loop over work-items -----------------------------------------------

static bool is_over_items(const Loop &loop)
{
    return loop.isInnermost() && findOptionMDForLoop(&loop, "llvm.loop.parallel_accesses") &&
           !getBooleanLoopAttribute(&loop, "llvm.loop.isvectorized") &&
           !findOptionMDForLoop(&loop, "llvm.loop.interleave.count") &&
           !findOptionMDForLoop(&loop, "llvm.loop.vectorize.enable");
}

// Whether LOOP only moves members of structures, and computes less with them than vectors lose by gathers and
// scatters.  As scalar code, LLVM makes vectors of the members of one structure.
static bool moves_structures(const Loop &loop, ScalarEvolution &evolution)
{
    if (loop.getNumBlocks() > 1)
        return false;
    unsigned lost = 0, gained = 0;
    const DataLayout &layout = loop.getHeader()->getModule()->getDataLayout();
    for (Instruction &i : *loop.getHeader()) {
        Value *pointer = getLoadStorePointerOperand(&i);
        const bool addresses = isa<PHINode>(i) || isa<GetElementPtrInst>(i) || isa<CastInst>(i);
        if (!pointer && (addresses || i.isTerminator()))
            continue;
        if (!pointer) {
            gained += isa<CallInst>(i) || instruction_latency(i) == DIVISION ? DIVISION : 1;
            continue;
        }
        if (loop.isLoopInvariant(pointer))
            continue;
        auto *sequence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(pointer));
        auto *step = sequence && sequence->isAffine()
                         ? dyn_cast<SCEVConstant>(sequence->getStepRecurrence(evolution))
                         : nullptr;
        const uint64_t size = layout.getTypeAllocSize(getLoadStoreType(&i));
        if (!step || step->getAPInt().abs().ule(size))
            return false;
        if (step->getAPInt().abs().ugt(SHUFFLED * size))
            lost += isa<StoreInst>(i) ? SCATTERED : GATHERED;
    }
    return lost > 2 * gained;
}

// Whether an instruction is executed lane by lane, or accesses shadow tags, whose checks know the lanes of
// one vector.
static bool has_one_vector(const Loop &loop)
{
    return any_of(loop.blocks(), [](const BasicBlock *b) {
        return any_of(*b, [](const Instruction &i) {
            return (isa<CallInst>(i) && !isa<IntrinsicInst>(i)) || AccessOrder::accesses_tags(i);
        });
    });
}

PreservedAnalyses Interleave::run(Function &f, FunctionAnalysisManager &analyses)
{
    LoopInfo &loops = analyses.getResult<LoopAnalysis>(f);
    ScalarEvolution &evolution = analyses.getResult<ScalarEvolutionAnalysis>(f);
    for (Loop *loop : loops.getLoopsInPreorder()) {
        if (!is_over_items(*loop) || has_one_vector(*loop))
            continue;
        if (moves_structures(*loop, evolution)) {
            addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
            continue;
        }
        LoopBlocksRPO order(loop);
        order.perform(&loops);
        CodeCost cost = measure_code(SmallVector<BasicBlock *, 8>(order.begin(), order.end()),
                                     [](const Instruction &i) { return i.getType()->isPointerTy(); });
        unsigned vectors = std::min(ARITHMETIC, vectors_that_fit(cost, 0));
        if (vectors > 1 && cost.size >= OVERLAPPED && OPERATION * cost.accesses <= cost.size &&
            PORTS * cost.cycles > cost.size)
            addStringMetadataToLoop(loop, "llvm.loop.interleave.count", vectors);
    }
    return PreservedAnalyses::all();
}

const SCEVAddRecExpr *consecutive_access(Instruction &i, PredicatedScalarEvolution &evolution)
{
    const SCEVAddRecExpr *sequence = evolution.getAsAddRec(getLoadStorePointerOperand(&i));
    auto *step = sequence && sequence->isAffine()
                     ? dyn_cast<SCEVConstant>(sequence->getStepRecurrence(*evolution.getSE()))
                     : nullptr;
    uint64_t size = i.getModule()->getDataLayout().getTypeAllocSize(getLoadStoreType(&i));
    return step && step->getAPInt() == size ? sequence : nullptr;
}

// Whether all accesses of LOOP are to consecutive elements, or to the same one, and an iteration always loads
// what the next one loads, too.
static bool repeats_loads(Loop &loop, ScalarEvolution &all, const DominatorTree &tree)
{
    PredicatedScalarEvolution evolution(all, loop);
    SmallVector<const SCEVAddRecExpr *, MOST_REPEATED> loads;
    bool repeats = false;
    for (BasicBlock *b : loop.blocks())
        for (Instruction &i : *b) {
            if (!getLoadStorePointerOperand(&i) || loop.isLoopInvariant(getLoadStorePointerOperand(&i)))
                continue;
            const SCEVAddRecExpr *sequence = consecutive_access(i, evolution);
            if (!sequence || loads.size() == MOST_REPEATED)
                return false;
            if (!isa<LoadInst>(i) || !tree.dominates(b, loop.getLoopLatch()))
                continue;
            const uint64_t size = i.getModule()->getDataLayout().getTypeAllocSize(i.getType());
            repeats |= any_of(loads, [&](const SCEVAddRecExpr *other) {
                auto *distance = dyn_cast<SCEVConstant>(all.getMinusSCEV(sequence, other));
                return distance && distance->getAPInt().abs() == size;
            });
            loads.push_back(sequence);
        }
    return repeats;
}

// Before its second vectorizer, LLVM replaces loads of what the iteration before has loaded by values that
// are carried along, in a chain of phis that it cannot vectorize.
PreservedAnalyses ForceVectors::run(Function &f, FunctionAnalysisManager &analyses)
{
    ScalarEvolution &evolution = analyses.getResult<ScalarEvolutionAnalysis>(f);
    const DominatorTree &tree = analyses.getResult<DominatorTreeAnalysis>(f);
    for (Loop *loop : analyses.getResult<LoopAnalysis>(f).getLoopsInPreorder())
        if (is_over_items(*loop) && loop->getLoopLatch() && repeats_loads(*loop, evolution, tree))
            addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 1);
    return PreservedAnalyses::all();
}
