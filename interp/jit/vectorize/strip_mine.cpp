// Strip mining: loops inside a work-item's code, vectorized across the work-items (lanes) of a strip.  The
// code is split at the loops and at reconvergence points; each region becomes an innermost loop over the
// lanes.  Divergent lanes keep their next region in PC; the lowest pending region is executed, with the other
// lanes masked.  docs/vectorizer.md#strip-mining-with-lane-masks
#include "interp/jit/llvm/llvm_shim.h"
#include "interp/jit/vectorize/strip.hpp"
#include "interp/jit/vectorize/trip_counts.hpp"
#include "interp/jit/vectorize/versions.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace
{

// LONG_ACCESS: instructions per access of a loop for which long strips are worth it; of LONG_VECTORS vectors,
// with at most MOST_ARRAYS words for each lane.
enum { MAX_REGIONS = 40, MAX_INSTRUCTIONS = 20000, LONG_ACCESS = 16, LONG_VECTORS = 64, MOST_ARRAYS = 4 };

// ---- order ---------------------------------------------------------------------------------------

// Blocks so that each comes after all from which it can be reached without a back edge, loops in one piece.
struct Order {
    LoopInfo &loops;
    SmallVector<BasicBlock *, 32> result;

    BasicBlock *node(BasicBlock *b, Loop *within) const
    {
        Loop *at = loops.getLoopFor(b);
        if (at == within)
            return b;
        while (at && at->getParentLoop() != within)
            at = at->getParentLoop();
        return at ? at->getHeader() : nullptr;
    }
    void visit(BasicBlock *b, Loop *within, SmallPtrSetImpl<BasicBlock *> &seen,
               SmallVectorImpl<BasicBlock *> &post)
    {
        if (!seen.insert(b).second)
            return;
        SmallVector<BasicBlock *, 8> next;
        Loop *inner = loops.getLoopFor(b);
        if (inner != within)
            inner->getExitBlocks(next);
        else
            next.append(succ_begin(b), succ_end(b));
        for (BasicBlock *to : next)
            if (!within || (within->contains(to) && to != within->getHeader()))
                if (BasicBlock *collapsed = node(to, within))
                    visit(collapsed, within, seen, post);
        post.push_back(b);
    }
    void add(BasicBlock *entry, Loop *within)
    {
        SmallPtrSet<BasicBlock *, 16> seen;
        SmallVector<BasicBlock *, 16> post;
        visit(entry, within, seen, post);
        for (BasicBlock *b : reverse(post)) {
            Loop *inner = loops.getLoopFor(b);
            if (inner != within)
                add(b, inner);
            else
                result.push_back(b);
        }
    }
};

} // namespace

// ---- where to cut --------------------------------------------------------------------------------

// Whether V follows from memory or computations in floats, not only from ids, counters and bounds.
static bool depends_on_data(const Value *v, unsigned depth = 8)
{
    auto *i = dyn_cast<Instruction>(v);
    if (!i || depth == 0 || is_launch_constant(i))
        return false;
    return isa<LoadInst>(i) || isa<FCmpInst>(i) || any_of(i->operands(), [&](const Use &u) {
               return !isa<PHINode>(i) && depends_on_data(u.get(), depth - 1);
           });
}

// Whether B follows a comparison that rarely fails: that a float differs from another one or is a number, or
// that an index is not -1 or not negative.
static bool is_likely(const BasicBlock &before, const BasicBlock &b)
{
    auto *compare = dyn_cast<CmpInst>(before.getTerminator()->getOperand(0));
    if (!compare || !isa<BranchInst>(before.getTerminator()))
        return false;
    const bool holds = before.getTerminator()->getSuccessor(0) == &b;
    const CmpInst::Predicate known = holds ? compare->getPredicate() : compare->getInversePredicate();
    auto *limit = dyn_cast<ConstantInt>(compare->getOperand(1));
    return known == CmpInst::FCMP_ONE || known == CmpInst::FCMP_UNE || known == CmpInst::FCMP_ORD ||
           (limit && limit->isMinusOne() && (known == CmpInst::ICMP_SGT || known == CmpInst::ICMP_NE)) ||
           (limit && limit->isZero() && known == CmpInst::ICMP_SGE);
}

// Cuts at code that only some lanes execute, by what they load or compute in floats, and that takes longer
// than to find out whether any lane does: it is skipped where none does.  Not in loops that lanes leave one
// after the other, of which several regions would have no common counters.
void StripMiner::add_expensive(const LoopInfo &loops, const DominatorTree &tree, const Divergence &divergence,
                               SetVector<BasicBlock *> &where) const
{
    for (BasicBlock &b : item) {
        BasicBlock *before = b.getSinglePredecessor();
        if (!before || divergence.blocks.count(before) || !divergence.blocks.count(&b) || where.count(&b) ||
            !divergence.differs(*before) || !depends_on_data(before->getTerminator()->getOperand(0)) ||
            is_likely(*before, b))
            continue;
        const Loop *loop = loops.getLoopFor(&b);
        SmallVector<BasicBlock *, 16> skipped;
        copy_if(divergence.blocks, std::back_inserter(skipped), [&](BasicBlock *other) {
            return loops.getLoopFor(other) == loop && tree.dominates(&b, other);
        });
        if ((!loop || where.count(loop->getHeader())) && is_worth_branch(skipped, divergence))
            where.insert(&b);
    }
}

// Cuts at the cases of switches on which all lanes agree, and behind them: lanes execute one case, not all
// under masks.
void StripMiner::add_cases(const LoopInfo &loops, const Divergence &divergence,
                           SetVector<BasicBlock *> &where) const
{
    const PostDominatorTree tree(item);
    for (BasicBlock &b : item) {
        const Loop *loop = loops.getLoopFor(&b);
        if (!isa<SwitchInst>(b.getTerminator()) || divergence.differs(b) || divergence.blocks.count(&b) ||
            !loop || !where.count(loop->getHeader()))
            continue;
        where.insert(succ_begin(&b), succ_end(&b));
        if (BasicBlock *meet = tree.getNode(&b)->getIDom()->getBlock())
            where.insert(meet);
    }
}

// Cuts where lanes meet after a region that only some of them run.
void StripMiner::add_meets(SetVector<BasicBlock *> &where)
{
    Divergence divergence(item, 1);
    SmallVector<BasicBlock *, 16> work;
    SmallPtrSet<BasicBlock *, 16> seen;
    for (BasicBlock *b : where)
        if (divergence.blocks.count(b))
            work.push_back(b);
    while (!work.empty()) {
        BasicBlock *b = work.pop_back_val();
        if (!seen.insert(b).second)
            continue;
        if (!divergence.blocks.count(b))
            where.insert(b);
        else
            work.append(succ_begin(b), succ_end(b));
    }
}

// Code without loops in which work-items branch differently is one region, and better without the branches.
bool StripMiner::branches(const Divergence &divergence) const
{
    return width >= 16 && any_of(item, [&](BasicBlock &b) {
               return divergence.differs(b) &&
                      is_unpredictable(b.getTerminator()->getOperand(0), divergence, 8);
           });
}

// Whether what lanes store and compare follows from bytes and shorts alone, computed as such.
bool StripMiner::computes_in_shorts(const Divergence &divergence) const
{
    SmallVector<Value *, 32> work;
    SmallPtrSet<Value *, 32> seen;
    for (Instruction &i : instructions(item))
        if (auto *store = dyn_cast<StoreInst>(&i))
            work.push_back(store->getValueOperand());
        else if (i.isTerminator() && i.getNumOperands() > 0)
            work.push_back(i.getOperand(0));
    while (!work.empty()) {
        Value *v = work.pop_back_val();
        auto *i = dyn_cast<Instruction>(v);
        if (isa<BasicBlock>(v) || !divergence.values.count(v) || !seen.insert(v).second)
            continue;
        if (!i || v->getType()->getScalarSizeInBits() > 16)
            return false;
        if (!isa<LoadInst>(i))
            work.append(i->op_begin(), i->op_end());
    }
    return true;
}

// Cuts at loops that can be vectorized, and at those around them; false: none.
bool StripMiner::choose()
{
    DominatorTree tree(item);
    LoopInfo loops(tree);
    Divergence divergence(item, 1);
    if (divergence.irreducible)
        return false;
    TripCounts counts(item, tree, loops);
    SmallPtrSet<Loop *, 8> chosen;
    for (Loop *loop : loops.getLoopsInPreorder()) {
        const bool strided =
            any_of(loop->getHeader()->phis(), [](PHINode &phi) { return is_lane_counter(&phi); });
        if (!loop->isInnermost() || !is_profitable(*loop, divergence) ||
            is_row_loop(*loop, counts.evolution, divergence) || !loop->getLoopLatch() ||
            is_for_one_lane(loop->getHeader(), tree) || !all_of(loop->blocks(), [&](BasicBlock *b) {
                return (strided ? is_independent(*b) : is_vectorizable(*b)) &&
                       !is_subword_gather(*b, divergence) &&
                       (!isa<SwitchInst>(b->getTerminator()) || divergence.differs(*b) ||
                        !divergence.blocks.count(b));
            }))
            continue;
        for (Loop *l = loop; l; l = l->getParentLoop())
            chosen.insert(l);
    }
    SetVector<BasicBlock *> where;
    for (Loop *loop : loops.getLoopsInPreorder()) {
        if (!chosen.count(loop))
            continue;
        SmallVector<BasicBlock *, 4> exits;
        loop->getUniqueExitBlocks(exits);
        where.insert(loop->getHeader());
        where.insert(exits.begin(), exits.end());
        if (!loop->isInnermost() && loop->getLoopLatch())
            where.insert(loop->getLoopLatch());
    }
    const bool straight = loops.empty() && all_of(item, [&](BasicBlock &b) {
                              return is_vectorizable(b) && !is_subword_gather(b, divergence);
                          });
    add_cases(loops, divergence, where);
    if (!where.empty() || straight)
        add_expensive(loops, tree, divergence, where);
    if (where.empty() && !(straight && branches(divergence)))
        return false;
    short_elements = where.empty() && computes_in_shorts(divergence);
    add_meets(where);
    if (where.size() > MAX_REGIONS)
        return false;
    Order order{loops, {}};
    order.add(&item.getEntryBlock(), nullptr);
    FunctionCallee mark = module.getOrInsertFunction("in.split", Type::getVoidTy(module.getContext()));
    SmallVector<CallInst *, 8> calls;
    for (BasicBlock *b : order.result)
        if (where.count(b))
            calls.push_back(CallInst::Create(mark, "", &*b->getFirstInsertionPt()));
    cut(calls);
    find_blocks();
    return true;
}

SmallVector<unsigned, 8> StripMiner::next(unsigned region) const
{
    SmallVector<unsigned, 8> set;
    for (BasicBlock *block : blocks[region]) {
        auto found = cuts.find(block);
        unsigned to = found != cuts.end() ? found->second : end();
        if ((found != cuts.end() || isa<ReturnInst>(block->getTerminator())) && !is_contained(set, to))
            set.push_back(to);
    }
    return set;
}

// ---- what lives across cuts ----------------------------------------------------------------------

void StripMiner::find_masks(const Divergence &divergence)
{
    for (BasicBlock *start : starts)
        masked.push_back(divergence.blocks.count(start) != 0);
    for (unsigned k = 0; k < starts.size(); k++)
        agrees.push_back(!masked[k] &&
                         none_of(next(k), [&](unsigned to) { return to != end() && masked[to]; }));
}

// Whether all lanes that enter LOOP do so together, and all lanes that are in it are in the same iteration:
// the loop is a single REGION, and the regions before it are executed by all.
bool StripMiner::begins_together(const Loop &loop, unsigned region) const
{
    if (!masked[region] || !loop.getLoopPredecessor() || !loop.getLoopLatch())
        return false;
    for (unsigned k = 0; k < starts.size(); k++)
        if (k != region && masked[k] && blocks[k].count(loop.getHeader()))
            return false;
    return all_of(loop.blocks(), [&](BasicBlock *b) {
        auto found = cuts.find(b);
        return blocks[region].count(b) && (found == cuts.end() || found->second == region);
    });
}

// Counters of such loops that live in them alone, from a uniform start in constant steps.
DenseMap<const Instruction *, StripCounter> StripMiner::find_counters(const Divergence &divergence) const
{
    DenseMap<const Instruction *, StripCounter> counters;
    DominatorTree tree(item);
    LoopInfo loops(tree);
    for (auto &cutting : cuts) {
        Loop *loop = loops.getLoopFor(cutting.first);
        if (!loop || cutting.first->getSinglePredecessor() != loop->getHeader() ||
            !begins_together(*loop, cutting.second))
            continue;
        BasicBlock *before = loop->getLoopPredecessor();
        bool all_enter = !divergence.blocks.count(before) && !divergence.differs(*before);
        for (PHINode &phi : loop->getHeader()->phis()) {
            auto *next = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(loop->getLoopLatch()));
            bool steps = next && next->getOpcode() == Instruction::Add && next->getOperand(0) == &phi &&
                         (isa<ConstantInt>(next->getOperand(1)) || is_lane_counter(&phi));
            Value *start = phi.getIncomingValueForBlock(before);
            auto *constant = dyn_cast<Constant>(start);
            bool elsewhere = any_of(cuts, [&](const std::pair<BasicBlock *, unsigned> &other) {
                auto found = live.find(other.first);
                return other.second != cutting.second && found != live.end() && found->second.count(&phi);
            });
            if (steps && !elsewhere && (constant || (all_enter && !divergence.values.count(start))))
                counters[&phi] = {next, cutting.second, all_enter ? nullptr : constant};
        }
    }
    return counters;
}

// Moves what lives across cuts from registers to the cells of slots.
void StripMiner::collect_slots(const Divergence &divergence)
{
    const DenseMap<const Instruction *, StripCounter> counters = find_counters(divergence);
    SetVector<Instruction *> all;
    DenseMap<Instruction *, unsigned> slot_of;
    for (auto &cutting : cuts)
        for (Instruction *i : live[cutting.first])
            all.insert(i);
    for (Instruction *i : all) {
        const StripCounter counter = counters.lookup(i);
        bool uniform =
            counter.next || (!divergence.values.count(i) && !divergence.blocks.count(i->getParent()));
        Type *kept = i->getType()->isIntegerTy(1) ? Type::getInt8Ty(module.getContext()) : i->getType();
        slot_of[i] = slots.size();
        slots.push_back({nullptr, i->getType(), kept, uniform, uniform ? uniform_count++ : array_count++,
                         counter.next, counter.region, counter.start});
    }
    live_slots.resize(starts.size());
    for (auto &cutting : cuts)
        for (Instruction *i : live[cutting.first])
            live_slots[cutting.second].insert(slot_of[i]);
    Instruction *first = &*item.getEntryBlock().getFirstInsertionPt();
    for (Instruction &i : item.getEntryBlock())
        if (auto *memory = dyn_cast<AllocaInst>(&i))
            privates.push_back(memory);
    for (Instruction *i : all)
        slots[slot_of[i]].cell = demote_register(*i, first);
    for (Instruction &i : make_early_inc_range(instructions(item)))
        if (auto *call = dyn_cast<IntrinsicInst>(&i); call && call->isLifetimeStartOrEnd())
            call->eraseFromParent();
}

// The slots that the code of a region may change and that live at its end.
void StripMiner::find_changed()
{
    changed.resize(starts.size());
    for (unsigned k = 0; k < starts.size(); k++) {
        SetVector<unsigned> ends;
        for (unsigned to : next(k))
            if (to != end())
                ends.insert(live_slots[to].begin(), live_slots[to].end());
        for (unsigned s : ends)
            for (User *user : slots[s].cell->users())
                if (auto *store = dyn_cast<StoreInst>(user);
                    store && blocks[k].count(store->getParent()) &&
                    !(slots[s].next && (slots[s].region == k || slots[s].start)))
                    changed[k].insert(s);
    }
}

const StripSlot *slot_of_load(const StripMiner &strip, const Value *v)
{
    auto *load = dyn_cast<LoadInst>(v);
    auto *slot =
        find_if(strip.slots, [&](const StripSlot &s) { return load && s.cell == load->getPointerOperand(); });
    return slot == strip.slots.end() ? nullptr : slot;
}

// Whether V, in the first block of REGION or not loaded, follows from what is the same for all lanes.
bool StripMiner::is_shared(const Value *v, unsigned region, unsigned depth) const
{
    if (auto *argument = dyn_cast<Argument>(v))
        return argument->getArgNo() != ITEM && argument->getArgNo() != GLOBAL;
    if (const StripSlot *slot = slot_of_load(*this, v))
        return slot->uniform && live_slots[region].count(slot - slots.begin());
    auto *i = dyn_cast<Instruction>(v);
    if (!i)
        return isa<Constant>(v);
    auto *load = dyn_cast<LoadInst>(i);
    bool kind = (load && load->isSimple()) || isa<GetElementPtrInst>(i) || isa<CastInst>(i) ||
                (isa<BinaryOperator>(i) && !i->isIntDivRem());
    bool loaded = load && !load->hasMetadata(LLVMContext::MD_invariant_load);
    return kind && depth > 0 && (!loaded || i->getParent() == starts[region]) &&
           all_of(i->operands(), [&](const Use &u) { return is_shared(u.get(), region, depth - 1); });
}

bool StripMiner::has_shared_steps() const
{
    return all_of(slots, [&](const StripSlot &slot) {
        return !slot.next || is_shared(slot.next->getOperand(1), slot.region, 12);
    });
}

// Loads from one address that all lanes make which run a region, before any of them writes.  Without a race
// one load serves all.  The vectorizer would gather, as not all lanes run the region.
void StripMiner::find_shared()
{
    shared.resize(starts.size());
    for (unsigned k = 0; k < starts.size(); k++)
        for (Instruction &i : *starts[k]) {
            auto *store = dyn_cast<StoreInst>(&i);
            bool spills = store && any_of(slots, [&](const StripSlot &s) {
                              return s.cell == store->getPointerOperand();
                          });
            if (!masked[k] || (i.mayWriteToMemory() && !spills))
                break;
            if (isa<LoadInst>(i) && !i.getType()->isPointerTy() && !slot_of_load(*this, &i) &&
                is_shared(&i, k, 12))
                shared[k].push_back(cast<LoadInst>(&i));
        }
}

// Before values become slots, whose cells hide what addresses follow from.
void StripMiner::measure_regions(const Divergence &divergence)
{
    const ReversePostOrderTraversal<Function *> order(&item);
    for (unsigned k = 0; k < starts.size(); k++) {
        SmallVector<BasicBlock *, 16> ordered;
        copy_if(order, std::back_inserter(ordered), [&](BasicBlock *b) { return blocks[k].count(b); });
        costs.push_back(measure_code(ordered, [&](const Instruction &i) {
            return !divergence.values.count(&i) || i.getType()->isPointerTy();
        }));
        for (BasicBlock *b : ordered)
            costs[k].gathers += count_if(*b, [&](Instruction &i) { return is_gather(i, divergence); });
    }
}

bool StripMiner::find_slots()
{
    uint64_t work = 0;
    for (auto &set : blocks) {
        vector.push_back(all_of(set, [&](BasicBlock *b) { return is_vectorizable(*b); }));
        for (BasicBlock *b : set)
            work += b->size();
    }
    if (work > MAX_INSTRUCTIONS)
        return false;
    find_live();
    rematerialize();
    find_live();
    Divergence divergence(item, 1);
    if (divergence.irreducible)
        return false;
    find_masks(divergence);
    measure_regions(divergence);
    collect_slots(divergence);
    find_changed();
    for (unsigned k = 0; k < starts.size(); k++)
        for (unsigned s : changed[k])
            if (masked[k] && slots[s].uniform)
                return false;
    find_shared();
    return has_shared_steps();
}

// Whether a loop of the strip accesses memory far from where the iteration before did, and little else: the
// more lanes, the more elements it accesses one after the other.
bool StripMiner::gains_from_length() const
{
    unsigned across = 0;
    for (const StripSlot &slot : slots)
        across += slot.uniform ? 0 : vector_registers(slot.type);
    return across <= MOST_ARRAYS && privates.empty() && any_of(slots, [&](const StripSlot &slot) {
               return slot.next && !isa<ConstantInt>(slot.next->getOperand(1)) &&
                      costs[slot.region].size <= LONG_ACCESS * costs[slot.region].accesses;
           });
}

// As many lanes as all regions allow, of at most VECTORS; where ids are taken modulo a power of two, no more
// than that, so that addresses made of them advance evenly.
void StripMiner::choose_lanes(unsigned vectors)
{
    unsigned local = options.local_size[0], period = 1u << 16;
    for (unsigned k = 0; k < starts.size(); k++) {
        unsigned across = 0;
        for (unsigned s : live_slots[k])
            across += slots[s].uniform ? 0 : vector_registers(slots[s].type);
        vectors = std::min(vectors, vectors_that_fit(vector[k] ? costs[k] : CodeCost(), across));
    }
    is_long = vectors > 1 && gains_from_length();
    lanes = width * (is_long ? unsigned(LONG_VECTORS) : vectors);
    for (Instruction &i : instructions(item))
        if (i.getOpcode() == Instruction::And)
            if (auto *bits = dyn_cast<ConstantInt>(i.getOperand(1)); bits && bits->getValue().isShiftedMask())
                period = std::min(period, 1u << std::min(16u, bits_set(bits->getValue())));
    while (lanes > width && (local % lanes != 0 || (lanes > period && period >= width)))
        lanes /= 2;
    while (width > local)
        lanes = width /= 2;
}

// ---- the strip -----------------------------------------------------------------------------------

Strip strip_mine(Module &m, const in_loops &options, Function &f, unsigned most_vectors)
{
    Strip strip{nullptr, 1, false};
    Divergence divergence(f, 1);
    strip.scalar = any_of(f, [&](BasicBlock &b) { return is_subword_gather(b, divergence); });
    if (options.lanes == 0 || options.local_size[0] < 8)
        return strip;
    ValueToValueMapTy map;
    Function *copy = CloneFunction(&f, map);
    split_counters(*copy);
    StripMiner s(m, options, *copy);
    if (s.choose() && s.find_slots()) {
        s.choose_lanes(most_vectors);
        strip.function = emit_strip(s, f);
        strip.lanes = s.lanes;
    }
    copy->eraseFromParent();
    return strip;
}
