// The code of a strip: a function for each region, for one lane, and the loops over lanes that call them.
// docs/vectorizer.md#strip-mining-with-lane-masks
#include "interp/jit/vectorize/strip.hpp"

#include <llvm/IR/Metadata.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;

namespace
{

MDNode *access_group(const StripMiner &strip)
{
    return cast<MDNode>(cast<MetadataAsValue>(unwrap(strip.options.access_group))->getMetadata());
}

// ---- the function of a region --------------------------------------------------------------------

// The code of a region for one lane, which returns the next region, or end() and the function's value.
// Parameters: those of the item, the lane, PC, the uniform slots as values; then pointers to the uniform
// slots, and to the arrays of the other slots and of private variables; then what shared loads give.
class RegionFunction
{
    const StripMiner &strip;
    const unsigned region, lane_argument;
    MDNode *const group;
    Function *f;
    ValueToValueMapTy map; // from the item
    IRBuilder<> b;
    BasicBlock *begin, *finish;
    AllocaInst *after; // the next region
    Value *pc;         // where this lane keeps it

    Value *uniform_value(const StripSlot &slot) const
    {
        return f->getArg(lane_argument + 2 + slot.index);
    }
    Value *uniform_place(const StripSlot &slot) const
    {
        return f->getArg(lane_argument + 2 + strip.uniform_count + slot.index);
    }
    Value *array_place(const StripSlot &slot)
    {
        return b.CreateInBoundsGEP(slot.kept,
                                   f->getArg(lane_argument + 2 + 2 * strip.uniform_count + slot.index),
                                   f->getArg(lane_argument));
    }
    template <class T> T *tagged(T *access) const
    {
        access->setMetadata(LLVMContext::MD_access_group, group);
        return access;
    }
    void declare();
    void clone();
    void place_ids();
    void place_privates();
    void place_shared();
    void load_slots();
    void enter();
    void leave_at_cuts();
    void store_slots();

  public:
    RegionFunction(const StripMiner &s, unsigned r)
        : strip(s), region(r), lane_argument(s.item.arg_size()), group(access_group(s)),
          b(s.module.getContext())
    {
    }
    Function *emit();
};

void RegionFunction::declare()
{
    const Function &item = strip.item;
    Type *word = b.getInt32Ty(), *pointer = PointerType::get(b.getContext(), 0);
    SmallVector<Type *, 32> types;
    for (const Argument &a : item.args())
        types.push_back(a.getType());
    types.push_back(word);    // lane
    types.push_back(pointer); // pc
    for (const StripSlot &slot : strip.slots)
        if (slot.uniform)
            types.push_back(slot.type);
    types.append(strip.uniform_count + strip.array_count + strip.privates.size(), pointer);
    for (LoadInst *load : strip.shared[region])
        types.push_back(load->getType());
    f = Function::Create(FunctionType::get(word, types, false), GlobalValue::InternalLinkage, "strip.region",
                         strip.module);
    f->addFnAttr(Attribute::AlwaysInline);
    f->addFnAttr(Attribute::NoUnwind);
    for (unsigned k = 0; k < types.size(); k++)
        if (types[k] == pointer &&
            (k < lane_argument ? item.hasParamAttribute(k, Attribute::NoAlias)
                               : k >= lane_argument + 2 + strip.uniform_count || k == lane_argument + 1))
            f->addParamAttr(k, Attribute::NoAlias);
}

// The item's code, after a block for the loads of the region and before one for its stores.
void RegionFunction::clone()
{
    for (unsigned k = 0; k < strip.item.arg_size(); k++)
        map[strip.item.getArg(k)] = f->getArg(k);
    SmallVector<ReturnInst *, 4> returns;
    CloneFunctionInto(f, &strip.item, map, CloneFunctionChangeType::LocalChangesOnly, returns);
    begin = BasicBlock::Create(b.getContext(), "begin", f, &f->getEntryBlock());
    finish = BasicBlock::Create(b.getContext(), "finish", f);
    b.SetInsertPoint(begin);
    after = b.CreateAlloca(b.getInt32Ty());
    for (const StripSlot &slot : strip.slots)
        cast<Instruction>(map[slot.cell])->moveBefore(*begin, begin->end());
    b.SetInsertPoint(begin);
}

void RegionFunction::place_ids()
{
    Value *lane = f->getArg(lane_argument);
    for (Value *base : {f->getArg(ITEM), f->getArg(GLOBAL)}) {
        auto *id = cast<Instruction>(b.CreateAdd(base, lane, "", true, true));
        base->replaceUsesWithIf(id, [&](Use &u) { return u.getUser() != id; });
    }
}

void RegionFunction::place_privates()
{
    unsigned first = f->arg_size() - strip.shared[region].size() - strip.privates.size();
    for (unsigned k = 0; k < strip.privates.size(); k++) {
        auto *memory = cast<AllocaInst>(map[strip.privates[k]]);
        Value *at =
            b.CreateInBoundsGEP(memory->getAllocatedType(), f->getArg(first + k), f->getArg(lane_argument));
        memory->replaceAllUsesWith(at);
        memory->eraseFromParent();
    }
}

void RegionFunction::place_shared()
{
    unsigned first = f->arg_size() - strip.shared[region].size();
    for (unsigned k = 0; k < strip.shared[region].size(); k++) {
        auto *load = cast<Instruction>(map[strip.shared[region][k]]);
        load->replaceAllUsesWith(f->getArg(first + k));
        load->eraseFromParent();
    }
}

void RegionFunction::load_slots()
{
    const SetVector<unsigned> &lives = strip.live_slots[region], &changed = strip.changed[region];
    SetVector<unsigned> needed(lives.begin(), lives.end());
    if (strip.masked[region])
        needed.insert(changed.begin(), changed.end());
    for (unsigned k : needed) {
        const StripSlot &slot = strip.slots[k];
        Value *v;
        if (slot.uniform) {
            v = uniform_value(slot);
        } else {
            LoadInst *load = tagged(b.CreateLoad(slot.kept, array_place(slot)));
            v = slot.kept == slot.type ? static_cast<Value *>(load) : b.CreateTrunc(load, slot.type);
        }
        b.CreateStore(v, map[slot.cell]);
    }
    // Slots that the region only writes begin undefined, so that no lane depends on the lane before it.
    for (unsigned k : changed)
        if (!needed.count(k))
            b.CreateStore(UndefValue::get(strip.slots[k].type), map[strip.slots[k].cell]);
}

// A lane of a masked region runs it if that is its next one.
void RegionFunction::enter()
{
    pc = b.CreateInBoundsGEP(b.getInt32Ty(), f->getArg(lane_argument + 1), f->getArg(lane_argument));
    auto *start = cast<BasicBlock>(map[strip.starts[region]]);
    if (strip.masked[region]) {
        LoadInst *at = tagged(b.CreateLoad(b.getInt32Ty(), pc));
        b.CreateStore(at, after);
        b.CreateCondBr(b.CreateICmpEQ(at, b.getInt32(region)), start, finish);
    } else {
        b.CreateBr(start);
    }
}

void RegionFunction::leave_at_cuts()
{
    for (BasicBlock *block : strip.blocks[region]) {
        auto *copy = cast<BasicBlock>(map[block]);
        auto found = strip.cuts.find(block);
        Instruction *old = copy->getTerminator();
        auto *leave = dyn_cast<ReturnInst>(old);
        if (found == strip.cuts.end() && !leave)
            continue;
        b.SetInsertPoint(old);
        Value *to = b.getInt32(found != strip.cuts.end() ? found->second : strip.end());
        if (found == strip.cuts.end() && leave->getReturnValue())
            to = b.CreateAdd(to, leave->getReturnValue());
        b.CreateStore(to, after);
        b.CreateBr(finish);
        for (BasicBlock *later : successors(old))
            later->removePredecessor(copy);
        old->eraseFromParent();
    }
}

void RegionFunction::store_slots()
{
    for (unsigned k : strip.changed[region]) {
        const StripSlot &slot = strip.slots[k];
        Value *v = b.CreateLoad(slot.type, map[slot.cell]);
        if (slot.uniform) {
            b.CreateStore(v, uniform_place(slot));
            continue;
        }
        if (slot.kept != slot.type)
            v = b.CreateZExt(v, slot.kept);
        tagged(b.CreateStore(v, array_place(slot)));
    }
}

Function *RegionFunction::emit()
{
    declare();
    clone();
    place_ids();
    place_privates();
    place_shared();
    load_slots();
    enter();
    leave_at_cuts();
    b.SetInsertPoint(finish);
    store_slots();
    Value *to = b.CreateLoad(b.getInt32Ty(), after);
    if (!strip.agrees[region])
        tagged(b.CreateStore(to, pc));
    b.CreateRet(to);
    removeUnreachableBlocks(*f);
    return f;
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
        if (!s.short_elements)
            parts.push_back(number("llvm.loop.vectorize.width", s.width, 32));
        if (s.array_count > 0) // vectors that live in registers from loop to loop
            parts.push_back(number("llvm.loop.interleave.count", s.is_long ? 2 : s.lanes / s.width, 32));
        // No iteration is left to scalar code.  A group of strided loads without its last member would need
        // one, and with as many iterations as lanes that is all of them: such loads are gathered.
        parts.push_back(number("llvm.loop.vectorize.predicate.enable", 1, 1));
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

class StripFunction
{
    const StripMiner &strip;
    ArrayRef<Function *> regions;
    Function *f;
    IRBuilder<> b;
    BasicBlock *finish;
    AllocaInst *next_cell;                   // the region to run next
    AllocaInst *any;                         // whether some lane runs the same region again
    AllocaInst *low;                         // the lowest region that a lane runs next
    AllocaInst *pc;                          // by lane: the region to run next
    SmallVector<Value *, 16> agreed, memory; // uniform slots; arrays
    SmallVector<BasicBlock *, 8> heads;      // by region
    SetVector<unsigned> pending;             // where lanes may resume when they diverge

    AllocaInst *array(Type *type);
    void allocate();
    SmallVector<Value *, 32> arguments(unsigned region);
    Value *share(Value *v, ArrayRef<Value *> list, DenseMap<Value *, Value *> &done);
    BasicBlock *call_region(unsigned region);
    BasicBlock *repeat(unsigned region, BasicBlock *after);
    BasicBlock *find_lowest(BasicBlock *after);
    void emit_region(unsigned region);

  public:
    StripFunction(const StripMiner &s, ArrayRef<Function *> r, Function &original);
    Function *emit();
};

StripFunction::StripFunction(const StripMiner &s, ArrayRef<Function *> r, Function &original)
    : strip(s), regions(r),
      f(Function::Create(original.getFunctionType(), GlobalValue::InternalLinkage, "strip", s.module)),
      b(BasicBlock::Create(s.module.getContext(), "", f)),
      finish(BasicBlock::Create(s.module.getContext(), "", f))
{
    f->copyAttributesFrom(&original);
    for (unsigned k = 0; k < regions.size(); k++)
        if (!strip.agrees[k])
            for (unsigned to : strip.next(k))
                pending.insert(to);
}

AllocaInst *StripFunction::array(Type *type)
{
    AllocaInst *cells = b.CreateAlloca(ArrayType::get(type, strip.lanes));
    cells->setAlignment(Align(64));
    return cells;
}

void StripFunction::allocate()
{
    next_cell = b.CreateAlloca(b.getInt32Ty());
    any = b.CreateAlloca(b.getInt32Ty());
    low = b.CreateAlloca(b.getInt32Ty());
    pc = array(b.getInt32Ty());
    for (const StripSlot &slot : strip.slots)
        if (slot.uniform)
            agreed.push_back(b.CreateAlloca(slot.type));
        else
            memory.push_back(array(slot.kept));
    for (AllocaInst *a : strip.privates)
        memory.push_back(array(a->getAllocatedType()));
}

// Those of a region's function; the lane is filled in by the loop.
SmallVector<Value *, 32> StripFunction::arguments(unsigned region)
{
    SmallVector<Value *, 32> list;
    for (Argument &a : f->args())
        list.push_back(&a);
    list.append({nullptr, pc});
    for (unsigned s = 0, u = 0; s < strip.slots.size(); s++)
        if (const StripSlot &slot = strip.slots[s]; slot.uniform) {
            bool lives = strip.live_slots[region].count(s);
            list.push_back(lives ? static_cast<Value *>(b.CreateLoad(slot.type, agreed[u]))
                                 : UndefValue::get(slot.type));
            u++;
        }
    list.append(agreed.begin(), agreed.end());
    list.append(memory.begin(), memory.end());
    DenseMap<Value *, Value *> done;
    for (LoadInst *load : strip.shared[region])
        list.push_back(share(load, list, done));
    return list;
}

// Computes V, of a region's first block, once for all lanes; LIST: arguments of the region's function.
Value *StripFunction::share(Value *v, ArrayRef<Value *> list, DenseMap<Value *, Value *> &done)
{
    if (auto *argument = dyn_cast<Argument>(v))
        return list[argument->getArgNo()];
    if (const StripSlot *slot = slot_of_load(strip, v))
        return list[strip.item.arg_size() + 2 + slot->index];
    auto *i = dyn_cast<Instruction>(v);
    if (!i || done.count(v))
        return i ? done[v] : v;
    SmallVector<Value *, 4> operands;
    for (Use &u : i->operands())
        operands.push_back(share(u.get(), list, done));
    Instruction *copy = i->clone();
    for (unsigned k = 0; k < operands.size(); k++)
        copy->setOperand(k, operands[k]);
    return done[v] = b.Insert(copy);
}

BasicBlock *StripFunction::call_region(unsigned region)
{
    SmallVector<Value *, 32> list = arguments(region);
    DenseMap<Value *, Value *> done;
    const SmallVector<unsigned, 8> after = strip.next(region);
    for (const StripSlot &slot : strip.slots)
        if (slot.next && slot.region == region)
            b.CreateStore(b.CreateAdd(list[strip.item.arg_size() + 2 + slot.index],
                                      share(slot.next->getOperand(1), list, done)),
                          agreed[slot.index]);
        else if (slot.start && is_contained(after, slot.region))
            b.CreateStore(slot.start, agreed[slot.index]);
    b.CreateStore(b.getInt32(0), any);
    return over_lanes(strip, f, heads[region], strip.vector[region], [&](IRBuilder<> &body, Value *lane) {
        list[strip.item.arg_size()] = lane;
        Value *to = body.CreateCall(regions[region], list);
        if (strip.agrees[region]) {
            body.CreateStore(to, next_cell);
        } else {
            Value *again = body.CreateZExt(body.CreateICmpEQ(to, body.getInt32(region)), body.getInt32Ty());
            body.CreateStore(body.CreateOr(body.CreateLoad(body.getInt32Ty(), any), again), any);
        }
    });
}

// Most often some lanes run the same region again, and none an earlier one.
BasicBlock *StripFunction::repeat(unsigned region, BasicBlock *after)
{
    SmallVector<unsigned, 8> targets(strip.next(region));
    if (!is_contained(targets, region) || any_of(targets, [&](unsigned to) { return to < region; }))
        return after;
    BasicBlock *leave = BasicBlock::Create(b.getContext(), "", f);
    b.SetInsertPoint(after);
    Value *v = b.CreateLoad(b.getInt32Ty(), any);
    b.CreateCondBr(b.CreateICmpNE(v, b.getInt32(0)), heads[region], leave);
    return leave;
}

BasicBlock *StripFunction::find_lowest(BasicBlock *after)
{
    b.SetInsertPoint(after);
    b.CreateStore(b.getInt32(~0u), low);
    return over_lanes(strip, f, after, true, [&](IRBuilder<> &body, Value *lane) {
        LoadInst *at =
            body.CreateLoad(body.getInt32Ty(), body.CreateInBoundsGEP(body.getInt32Ty(), pc, lane));
        at->setMetadata(LLVMContext::MD_access_group, access_group(strip));
        Value *least = body.CreateLoad(body.getInt32Ty(), low);
        body.CreateStore(body.CreateSelect(body.CreateICmpULT(at, least), at, least), low);
    });
}

void StripFunction::emit_region(unsigned region)
{
    b.SetInsertPoint(heads[region]);
    BasicBlock *after = call_region(region);
    SmallVector<unsigned, 8> targets(strip.next(region));
    if (!strip.agrees[region]) {
        after = find_lowest(repeat(region, after));
        targets.assign(pending.begin(), pending.end());
    }
    b.SetInsertPoint(after);
    Value *to = b.CreateLoad(b.getInt32Ty(), strip.agrees[region] ? next_cell : low);
    b.CreateStore(to, next_cell);
    SwitchInst *dispatch = b.CreateSwitch(to, finish, targets.size());
    for (unsigned t : targets)
        if (t != strip.end())
            dispatch->addCase(b.getInt32(t), heads[t]);
}

Function *StripFunction::emit()
{
    allocate();
    for (unsigned k = 0; k < regions.size(); k++)
        heads.push_back(BasicBlock::Create(b.getContext(), "region", f));
    b.CreateBr(heads[0]);
    for (unsigned k = 0; k < regions.size(); k++)
        emit_region(k);
    b.SetInsertPoint(finish);
    if (f->getReturnType()->isVoidTy())
        b.CreateRetVoid();
    else
        b.CreateRet(b.CreateSub(b.CreateLoad(b.getInt32Ty(), next_cell), b.getInt32(strip.end())));
    f->addFnAttr(Attribute::AlwaysInline);
    return f;
}

} // namespace

Function *emit_strip(const StripMiner &strip, Function &original)
{
    SmallVector<Function *, 8> regions;
    for (unsigned k = 0; k < strip.starts.size(); k++)
        regions.push_back(RegionFunction(strip, k).emit());
    return StripFunction(strip, regions, original).emit();
}
