// Strip mining: loops inside a work-item's code, vectorized across the work-items (lanes) of a strip.  The code is
// split at the loops and at reconvergence points; each region becomes an innermost loop over the lanes.  Divergent
// lanes keep their next region in PC; the lowest pending region is executed, with the other lanes masked.
// docs/vectorizer.md#strip-mining-with-lane-masks
#include "interp/jit/vectorize/llvm_shim.h"
#include "interp/jit/vectorize/versions.hpp"
#include "interp/jit/vectorize/work_group.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace
{

enum { MAX_REGIONS = 40, MAX_INSTRUCTIONS = 20000 };

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

// ---- the strip under construction ----------------------------------------------------------------

struct Slot { // what lives across a cut
    AllocaInst *cell;
    Type *type, *kept; // as a value; in memory
    bool uniform;
    unsigned index; // among the uniform slots, or the arrays
};

struct StripMiner : RegionSplit {
    Module &module;
    const in_loops &options;
    unsigned lanes = 0, width;
    SmallVector<Slot, 16> slots;
    SmallVector<SetVector<unsigned>, 8> live_slots, changed;
    SmallVector<AllocaInst *, 8> privates;
    SmallVector<bool, 8> masked, agrees, vector;
    SmallVector<Function *, 8> functions;
    unsigned uniform_count = 0, array_count = 0;

    StripMiner(Module &m, const in_loops &o, Function &f)
        : RegionSplit(f), module(m), options(o), width(o.lanes)
    {
    }
    unsigned end() const
    {
        return starts.size();
    }
    bool branches(const LoopInfo &loops) const;
    bool choose();
    bool find_slots();
    void choose_lanes();
    void make_function(unsigned region);
    Function *make(Function &original);
    SmallVector<unsigned, 8> next(unsigned region) const;

  private:
    unsigned lane_argument() const
    {
        return item.arg_size();
    }
    void add_meets(SetVector<BasicBlock *> &where);
    void load_slots(IRBuilder<> &b, Function *f, ValueToValueMapTy &map, unsigned region, MDNode *group);
    void store_slots(IRBuilder<> &b, Function *f, ValueToValueMapTy &map, unsigned region, MDNode *group);
    MDNode *access_group() const
    {
        return cast<MDNode>(cast<MetadataAsValue>(unwrap(options.access_group))->getMetadata());
    }
};

// ---- where to cut --------------------------------------------------------------------------------

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
bool StripMiner::branches(const LoopInfo &loops) const
{
    Divergence divergence(item, 1);
    return width >= 16 && loops.empty() &&
           all_of(item,
                  [&](BasicBlock &b) { return is_vectorizable(b) && !is_subword_gather(b, divergence); }) &&
           any_of(item, [&](BasicBlock &b) {
               return divergence.differs(b) &&
                      is_unpredictable(b.getTerminator()->getOperand(0), divergence, 8);
           });
}

// Cuts at loops that can be vectorized, and at those around them; false: none.
bool StripMiner::choose()
{
    DominatorTree tree(item);
    LoopInfo loops(tree);
    Divergence divergence(item, 1);
    if (divergence.irreducible)
        return false;
    SmallPtrSet<Loop *, 8> chosen;
    for (Loop *loop : loops.getLoopsInPreorder()) {
        if (!loop->isInnermost() || !is_profitable(*loop, divergence) || !loop->getLoopLatch() ||
            is_for_one_lane(loop->getHeader(), tree) || !all_of(loop->blocks(), [&](BasicBlock *b) {
                return is_vectorizable(*b) && !is_subword_gather(*b, divergence);
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
    if (where.empty() && !branches(loops))
        return false;
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

bool StripMiner::find_slots()
{
    uint64_t work = 0;
    for (auto &set : blocks) {
        vector.push_back(all_of(set, [&](BasicBlock *b) { return is_vectorizable(*b); }));
        for (BasicBlock *b : set)
            work += b->size();
    }
    find_live();
    rematerialize();
    find_live();
    Divergence divergence(item, 1);
    if (work > MAX_INSTRUCTIONS || divergence.irreducible)
        return false;
    for (BasicBlock *start : starts)
        masked.push_back(divergence.blocks.count(start) != 0);
    for (unsigned k = 0; k < starts.size(); k++)
        agrees.push_back(!masked[k] &&
                         none_of(next(k), [&](unsigned to) { return to != end() && masked[to]; }));
    SetVector<Instruction *> all;
    DenseMap<Instruction *, unsigned> slot_of;
    for (auto &cutting : cuts)
        for (Instruction *i : live[cutting.first])
            all.insert(i);
    for (Instruction *i : all) {
        bool uniform = !divergence.values.count(i) && !divergence.blocks.count(i->getParent());
        Type *kept = i->getType()->isIntegerTy(1) ? Type::getInt8Ty(module.getContext()) : i->getType();
        slot_of[i] = slots.size();
        slots.push_back({nullptr, i->getType(), kept, uniform, uniform ? uniform_count++ : array_count++});
    }
    live_slots.resize(starts.size());
    for (auto &cutting : cuts)
        for (Instruction *i : live[cutting.first])
            live_slots[cutting.second].insert(slot_of[i]);
    Instruction *first = &*item.getEntryBlock().getFirstInsertionPt();
    SmallPtrSet<AllocaInst *, 16> cells;
    for (Instruction &i : item.getEntryBlock())
        if (auto *memory = dyn_cast<AllocaInst>(&i))
            privates.push_back(memory);
    for (Instruction *i : all)
        slots[slot_of[i]].cell = demote_register(*i, first);
    for (Instruction &i : make_early_inc_range(instructions(item)))
        if (auto *call = dyn_cast<IntrinsicInst>(&i); call && call->isLifetimeStartOrEnd())
            call->eraseFromParent();
    changed.resize(starts.size());
    for (unsigned k = 0; k < starts.size(); k++) {
        SetVector<unsigned> ends;
        for (unsigned to : next(k))
            if (to != end())
                ends.insert(live_slots[to].begin(), live_slots[to].end());
        for (unsigned s : ends)
            for (User *user : slots[s].cell->users())
                if (auto *store = dyn_cast<StoreInst>(user); store && blocks[k].count(store->getParent()))
                    changed[k].insert(s);
    }
    for (unsigned k = 0; k < starts.size(); k++)
        for (unsigned s : changed[k])
            if (masked[k] && slots[s].uniform)
                return false;
    return true;
}

// As many lanes as registers allow; where ids are taken modulo a power of two, no more than that, so that
// addresses made of them advance evenly.
void StripMiner::choose_lanes()
{
    unsigned most = 0, local = options.local_size[0], period = 1u << 16;
    for (auto &set : live_slots) {
        unsigned words = 0;
        for (unsigned s : set)
            if (!slots[s].uniform)
                words += (slots[s].type->getPrimitiveSizeInBits() + 63) / 32;
        most = std::max(most, words);
    }
    lanes = width * (most <= 4 ? 8 : most <= 8 ? 4 : most <= 16 ? 2 : 1);
    for (Instruction &i : instructions(item))
        if (i.getOpcode() == Instruction::And)
            if (auto *bits = dyn_cast<ConstantInt>(i.getOperand(1)); bits && bits->getValue().isShiftedMask())
                period = std::min(period, 1u << std::min(16u, bits_set(bits->getValue())));
    while (lanes > width && (local % lanes != 0 || (lanes > period && period >= width)))
        lanes /= 2;
    while (width > local)
        lanes = width /= 2;
}

// ---- region functions ----------------------------------------------------------------------------

void StripMiner::load_slots(IRBuilder<> &b, Function *f, ValueToValueMapTy &map, unsigned region,
                            MDNode *group)
{
    SetVector<unsigned> needed(live_slots[region].begin(), live_slots[region].end());
    if (masked[region])
        needed.insert(changed[region].begin(), changed[region].end());
    for (unsigned k : needed) {
        Slot &slot = slots[k];
        Value *v;
        if (slot.uniform) {
            v = f->getArg(lane_argument() + 2 + slot.index);
        } else {
            Value *at = b.CreateInBoundsGEP(slot.kept,
                                            f->getArg(lane_argument() + 2 + 2 * uniform_count + slot.index),
                                            f->getArg(lane_argument()));
            LoadInst *load = b.CreateLoad(slot.kept, at);
            load->setMetadata(LLVMContext::MD_access_group, group);
            v = slot.kept == slot.type ? static_cast<Value *>(load) : b.CreateTrunc(load, slot.type);
        }
        b.CreateStore(v, map[slot.cell]);
    }
    // Slots that the region only writes begin undefined, so that no lane depends on the lane before it.
    for (unsigned k : changed[region])
        if (!needed.count(k))
            b.CreateStore(UndefValue::get(slots[k].type), map[slots[k].cell]);
}

void StripMiner::store_slots(IRBuilder<> &b, Function *f, ValueToValueMapTy &map, unsigned region,
                             MDNode *group)
{
    for (unsigned k : changed[region]) {
        Slot &slot = slots[k];
        Value *v = b.CreateLoad(slot.type, map[slot.cell]);
        if (slot.uniform) {
            b.CreateStore(v, f->getArg(lane_argument() + 2 + uniform_count + slot.index));
            continue;
        }
        if (slot.kept != slot.type)
            v = b.CreateZExt(v, slot.kept);
        Value *at =
            b.CreateInBoundsGEP(slot.kept, f->getArg(lane_argument() + 2 + 2 * uniform_count + slot.index),
                                f->getArg(lane_argument()));
        b.CreateStore(v, at)->setMetadata(LLVMContext::MD_access_group, group);
    }
}

// The code of REGION for one lane; gives the next region, end() and the function's value at its end.
void StripMiner::make_function(unsigned region)
{
    LLVMContext &c = module.getContext();
    Type *word = Type::getInt32Ty(c), *pointer = PointerType::get(c, 0);
    SmallVector<Type *, 32> types;
    for (Argument &a : item.args())
        types.push_back(a.getType());
    types.push_back(word);    // lane
    types.push_back(pointer); // pc
    for (Slot &slot : slots)
        if (slot.uniform)
            types.push_back(slot.type);
    types.append(uniform_count + array_count + privates.size(), pointer);
    auto *type = FunctionType::get(word, types, false);
    Function *f = Function::Create(type, GlobalValue::InternalLinkage, "strip.region", module);
    f->addFnAttr(Attribute::AlwaysInline);
    f->addFnAttr(Attribute::NoUnwind);
    for (unsigned k = 0; k < types.size(); k++)
        if (types[k] == pointer &&
            (k < lane_argument() ? item.hasParamAttribute(k, Attribute::NoAlias)
                                 : k >= lane_argument() + 2 + uniform_count || k == lane_argument() + 1))
            f->addParamAttr(k, Attribute::NoAlias);
    functions.push_back(f);

    ValueToValueMapTy map;
    for (unsigned k = 0; k < item.arg_size(); k++)
        map[item.getArg(k)] = f->getArg(k);
    SmallVector<ReturnInst *, 4> returns;
    CloneFunctionInto(f, &item, map, CloneFunctionChangeType::LocalChangesOnly, returns);
    MDNode *group = access_group();

    BasicBlock *begin = BasicBlock::Create(c, "begin", f, &f->getEntryBlock());
    BasicBlock *finish = BasicBlock::Create(c, "finish", f);
    IRBuilder<> b(begin);
    AllocaInst *after = b.CreateAlloca(word);
    for (Slot &slot : slots)
        cast<Instruction>(map[slot.cell])->moveBefore(*begin, begin->end());
    b.SetInsertPoint(begin);
    Value *lane = f->getArg(lane_argument());
    for (Value *base : {f->getArg(ITEM), f->getArg(GLOBAL)}) {
        auto *id = cast<Instruction>(b.CreateAdd(base, lane, "", true, true));
        base->replaceUsesWithIf(id, [&](Use &u) { return u.getUser() != id; });
    }
    for (unsigned k = 0; k < privates.size(); k++) {
        auto *memory = cast<AllocaInst>(map[privates[k]]);
        Value *at = b.CreateInBoundsGEP(memory->getAllocatedType(),
                                        f->getArg(types.size() - privates.size() + k), lane);
        memory->replaceAllUsesWith(at);
        memory->eraseFromParent();
    }
    load_slots(b, f, map, region, group);
    Value *pc = b.CreateInBoundsGEP(word, f->getArg(lane_argument() + 1), lane);
    auto *start = cast<BasicBlock>(map[starts[region]]);
    if (masked[region]) {
        LoadInst *at = b.CreateLoad(word, pc);
        at->setMetadata(LLVMContext::MD_access_group, group);
        b.CreateStore(at, after);
        b.CreateCondBr(b.CreateICmpEQ(at, b.getInt32(region)), start, finish);
    } else {
        b.CreateBr(start);
    }
    for (BasicBlock *block : blocks[region]) {
        auto *copy = cast<BasicBlock>(map[block]);
        auto found = cuts.find(block);
        auto *leave = dyn_cast<ReturnInst>(copy->getTerminator());
        if (found == cuts.end() && !leave)
            continue;
        Instruction *old = copy->getTerminator();
        b.SetInsertPoint(old);
        Value *to = b.getInt32(found != cuts.end() ? found->second : end());
        if (found == cuts.end() && leave->getReturnValue())
            to = b.CreateAdd(to, leave->getReturnValue());
        b.CreateStore(to, after);
        b.CreateBr(finish);
        for (BasicBlock *later : successors(old))
            later->removePredecessor(copy);
        old->eraseFromParent();
    }
    b.SetInsertPoint(finish);
    store_slots(b, f, map, region, group);
    Value *to = b.CreateLoad(word, after);
    if (!agrees[region])
        b.CreateStore(to, pc)->setMetadata(LLVMContext::MD_access_group, group);
    b.CreateRet(to);
    removeUnreachableBlocks(*f);
}

// ---- the strip's function ------------------------------------------------------------------------

MDNode *lane_loop(const StripMiner &s, bool vector)
{
    LLVMContext &c = s.module.getContext();
    auto *group = cast<MetadataAsValue>(unwrap(s.options.access_group))->getMetadata();
    auto number = [&](const char *name, unsigned value, unsigned bits) {
        return MDNode::get(c, {MDString::get(c, name),
                               ConstantAsMetadata::get(ConstantInt::get(IntegerType::get(c, bits), value))});
    };
    SmallVector<Metadata *, 8> parts{
        nullptr, MDNode::get(c, {MDString::get(c, "llvm.loop.parallel_accesses"), group})};
    if (vector) {
        parts.push_back(number("llvm.loop.vectorize.enable", 1, 1));
        parts.push_back(number("llvm.loop.vectorize.width", s.width, 32));
        parts.push_back(number("llvm.loop.interleave.count", s.lanes / s.width, 32));
    }
    MDNode *node = MDNode::getDistinct(c, parts);
    node->replaceOperandWith(0, node);
    return node;
}

// A loop over the lanes after BLOCK; BODY is given the lane.  Returns the block after it.
BasicBlock *over_lanes(const StripMiner &s, Function *f, BasicBlock *block, bool vector,
                       function_ref<void(IRBuilder<> &, Value *)> body)
{
    LLVMContext &c = s.module.getContext();
    BasicBlock *head = BasicBlock::Create(c, "lanes", f), *after = BasicBlock::Create(c, "", f);
    IRBuilder<> b(block);
    b.CreateBr(head);
    b.SetInsertPoint(head);
    PHINode *lane = b.CreatePHI(b.getInt32Ty(), 2);
    lane->addIncoming(b.getInt32(0), block);
    body(b, lane);
    Value *up = b.CreateAdd(lane, b.getInt32(1), "", true, true);
    lane->addIncoming(up, head);
    b.CreateCondBr(b.CreateICmpULT(up, b.getInt32(s.lanes)), head, after)
        ->setMetadata(LLVMContext::MD_loop, lane_loop(s, vector));
    return after;
}

Function *StripMiner::make(Function &original)
{
    LLVMContext &c = module.getContext();
    Function *f = Function::Create(original.getFunctionType(), GlobalValue::InternalLinkage, "strip", module);
    f->copyAttributesFrom(&original);
    BasicBlock *entry = BasicBlock::Create(c, "", f), *finish = BasicBlock::Create(c, "", f);
    IRBuilder<> b(entry);
    auto array = [&](Type *type) {
        AllocaInst *cells = b.CreateAlloca(ArrayType::get(type, lanes));
        cells->setAlignment(Align(64));
        return cells;
    };
    AllocaInst *next_cell = b.CreateAlloca(b.getInt32Ty()), *any = b.CreateAlloca(b.getInt32Ty());
    AllocaInst *low = b.CreateAlloca(b.getInt32Ty()), *pc = array(b.getInt32Ty());
    SmallVector<Value *, 16> agreed, memory;
    SmallVector<Type *, 16> uniform_types;
    for (Slot &slot : slots) {
        if (slot.uniform) {
            agreed.push_back(b.CreateAlloca(slot.type));
            uniform_types.push_back(slot.type);
        } else {
            memory.push_back(array(slot.kept));
        }
    }
    for (AllocaInst *a : privates)
        memory.push_back(array(a->getAllocatedType()));
    SmallVector<BasicBlock *, 8> heads;
    for (unsigned k = 0; k < starts.size(); k++)
        heads.push_back(BasicBlock::Create(c, "region", f));
    b.CreateBr(heads[0]);

    SetVector<unsigned> pending; // where lanes may resume when they diverge
    for (unsigned k = 0; k < starts.size(); k++)
        if (!agrees[k])
            for (unsigned to : next(k))
                pending.insert(to);
    for (unsigned k = 0; k < starts.size(); k++) {
        b.SetInsertPoint(heads[k]);
        SmallVector<Value *, 32> arguments;
        for (Argument &a : f->args())
            arguments.push_back(&a);
        arguments.append({nullptr, pc});
        for (unsigned s = 0, u = 0; s < slots.size(); s++)
            if (slots[s].uniform) {
                bool lives = live_slots[k].count(s);
                arguments.push_back(lives ? static_cast<Value *>(b.CreateLoad(slots[s].type, agreed[u]))
                                          : UndefValue::get(slots[s].type));
                u++;
            }
        arguments.append(agreed.begin(), agreed.end());
        arguments.append(memory.begin(), memory.end());
        b.CreateStore(b.getInt32(0), any);
        BasicBlock *after = over_lanes(*this, f, heads[k], vector[k], [&](IRBuilder<> &body, Value *lane) {
            arguments[lane_argument()] = lane;
            Value *to = body.CreateCall(functions[k], arguments);
            if (agrees[k]) {
                body.CreateStore(to, next_cell);
            } else {
                Value *again = body.CreateZExt(body.CreateICmpEQ(to, body.getInt32(k)), body.getInt32Ty());
                body.CreateStore(body.CreateOr(body.CreateLoad(body.getInt32Ty(), any), again), any);
            }
        });
        SmallVector<unsigned, 8> targets(next(k));
        AllocaInst *where = next_cell;
        if (!agrees[k]) {
            // Most often some lanes run the same region again.
            b.SetInsertPoint(after);
            if (is_contained(targets, k) && all_of(targets, [&](unsigned to) { return to >= k; })) {
                BasicBlock *leave = BasicBlock::Create(c, "", f);
                Value *v = b.CreateLoad(b.getInt32Ty(), any);
                b.CreateCondBr(b.CreateICmpNE(v, b.getInt32(0)), heads[k], leave);
                b.SetInsertPoint(leave);
                after = leave;
            }
            b.CreateStore(b.getInt32(~0u), low);
            after = over_lanes(*this, f, after, true, [&](IRBuilder<> &body, Value *lane) {
                LoadInst *at =
                    body.CreateLoad(body.getInt32Ty(), body.CreateInBoundsGEP(body.getInt32Ty(), pc, lane));
                at->setMetadata(LLVMContext::MD_access_group, access_group());
                Value *least = body.CreateLoad(body.getInt32Ty(), low);
                body.CreateStore(body.CreateSelect(body.CreateICmpULT(at, least), at, least), low);
            });
            where = low;
            targets.assign(pending.begin(), pending.end());
        }
        b.SetInsertPoint(after);
        Value *to = b.CreateLoad(b.getInt32Ty(), where);
        b.CreateStore(to, next_cell);
        SwitchInst *dispatch = b.CreateSwitch(to, finish, targets.size());
        for (unsigned t : targets)
            if (t != end())
                dispatch->addCase(b.getInt32(t), heads[t]);
    }
    b.SetInsertPoint(finish);
    if (f->getReturnType()->isVoidTy())
        b.CreateRetVoid();
    else
        b.CreateRet(b.CreateSub(b.CreateLoad(b.getInt32Ty(), next_cell), b.getInt32(end())));
    f->addFnAttr(Attribute::AlwaysInline);
    return f;
}

} // namespace

Strip strip_mine(Module &m, const in_loops &options, Function &f)
{
    Strip strip{nullptr, 1, false};
    Divergence divergence(f, 1);
    strip.scalar = any_of(f, [&](BasicBlock &b) { return is_subword_gather(b, divergence); });
    if (options.lanes == 0 || options.local_size[0] < 8)
        return strip;
    ValueToValueMapTy map;
    Function *copy = CloneFunction(&f, map);
    StripMiner s(m, options, *copy);
    if (s.choose() && s.find_slots()) {
        s.choose_lanes();
        for (unsigned k = 0; k < s.starts.size(); k++)
            s.make_function(k);
        strip.function = s.make(f);
        strip.lanes = s.lanes;
    }
    copy->eraseFromParent();
    return strip;
}
