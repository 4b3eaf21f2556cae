// Splits the work-item function at barriers into regions.  All work-items execute a region before any
// executes the next; values live across a barrier are kept in context arrays, or once if they are uniform.
// docs/vectorizer.md#regions-at-barriers
#include "interp/jit/llvm/llvm_shim.h"
#include "interp/jit/vectorize/versions.hpp"
#include "interp/jit/vectorize/work_group.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace
{

enum { ON_STACK = 1 << 17 };

struct Slot { // what lives across a barrier
    AllocaInst *cell;
    Type *type, *kept; // as a value; in memory
    bool uniform;
    unsigned parameter; // uniform: among the region function's uniform values
    unsigned pointer;   // not uniform: among the region function's pointers
};

struct BarrierRegions : RegionSplit {
    Module &module;
    in_loops &options;
    const DataLayout &layout;
    uint64_t items;
    SmallVector<Slot, 16> slots;
    DenseMap<Instruction *, unsigned> slot_of;      // by the value before it was demoted
    SmallVector<SetVector<unsigned>, 8> live_slots; // at the start of each region
    SmallVector<Slot, 8> arrays;                    // private memory in the context
    SmallVector<Function *, 8> functions;
    SmallVector<Strip, 8> strips;
    SmallVector<SetVector<unsigned>, 8> ends; // where each region may end: 0 for the end of the kernel
    SmallVector<std::pair<uint64_t, uint64_t>, 16> places; // offset in the context, size
    unsigned uniform_count = 0;
    uint64_t bytes = 0;

    BarrierRegions(Module &m, Function &f, in_loops &o);
    unsigned add_place(uint64_t size);
    void demote();
    void place_arrays();
    unsigned first_place() const
    {
        return PARAMETERS + 2 * uniform_count;
    }
    void make_group(bool edge);
};

BarrierRegions::BarrierRegions(Module &m, Function &f, in_loops &o)
    : RegionSplit(f), module(m), options(o), layout(m.getDataLayout())
{
    items = uint64_t(o.local_size[0]) * o.local_size[1] * o.local_size[2];
}

// Memory for something of all work-items: an index in PLACES.
unsigned BarrierRegions::add_place(uint64_t size)
{
    uint64_t at = (bytes + 127) / 128 * 128;
    bytes = at + size;
    places.push_back({at, size});
    return places.size() - 1;
}

// ---- slots ---------------------------------------------------------------------------------------

void BarrierRegions::demote()
{
    Divergence divergence(item, 3);
    auto &divergent = divergence.values;
    SetVector<Instruction *> all;
    SmallVector<std::pair<unsigned, Instruction *>, 32> where;
    for (auto &cutting : cuts)
        for (Instruction *i : live[cutting.first]) {
            all.insert(i);
            where.push_back({cutting.second, i});
        }
    live_slots.resize(starts.size());
    Instruction *first = &*item.getEntryBlock().getFirstInsertionPt();
    for (Instruction *i : all) {
        Type *kept = i->getType()->isIntegerTy(1) ? Type::getInt8Ty(module.getContext()) : i->getType();
        Slot slot{nullptr, i->getType(), kept, !divergent.count(i), 0, 0};
        uint64_t size = layout.getTypeAllocSize(slot.kept);
        if (slot.uniform)
            slot.parameter = uniform_count++;
        else
            slot.pointer = add_place(size * items);
        slot_of[i] = slots.size();
        slots.push_back(slot);
    }
    for (auto &at : where)
        live_slots[at.first].insert(slot_of[at.second]);
    for (Instruction *i : all)
        slots[slot_of[i]].cell = demote_register(*i, first);
}

// Private memory whose contents may have to survive a barrier moves to the context.
void BarrierRegions::place_arrays()
{
    SmallPtrSet<AllocaInst *, 16> cells;
    for (Slot &slot : slots)
        cells.insert(slot.cell);
    for (Instruction &i : instructions(item))
        if (auto *memory = dyn_cast<AllocaInst>(&i); memory && !cells.count(memory)) {
            uint64_t size = layout.getTypeAllocSize(memory->getAllocatedType());
            uint64_t align = memory->getAlign().value();
            size = (size + align - 1) / align * align;
            auto *type = ArrayType::get(Type::getInt8Ty(module.getContext()), size);
            arrays.push_back({memory, type, type, false, 0, add_place(size * items)});
        }
    SmallVector<Instruction *, 8> markers;
    for (Instruction &i : instructions(item))
        if (auto *call = dyn_cast<IntrinsicInst>(&i); call && call->isLifetimeStartOrEnd())
            markers.push_back(call);
    for (Instruction *i : markers)
        i->eraseFromParent();
}

// ---- region functions ----------------------------------------------------------------------------

// The function of a region for one work-item, which returns the region after it, 0 at the end.  Parameters:
// those of the item, the uniform slots as values, then pointers to the uniform slots and to PLACES.
class RegionFunction
{
    const BarrierRegions &r;
    const unsigned region;
    Function *f;
    ValueToValueMapTy map; // from the item
    IRBuilder<> b;

    template <class T> T *tagged(T *access) const
    {
        auto *group = cast<MetadataAsValue>(unwrap(r.options.access_group))->getMetadata();
        access->setMetadata(LLVMContext::MD_access_group, cast<MDNode>(group));
        return access;
    }
    Value *place(unsigned pointer, uint64_t size);
    Value *place(const Slot &slot)
    {
        return place(slot.pointer, r.layout.getTypeAllocSize(slot.kept));
    }
    void declare();
    void clone();
    void place_arrays();
    void load_slots();
    void store_slots(const SetVector<unsigned> &changed, bool end, unsigned next);
    void leave_at_cuts();

  public:
    RegionFunction(const BarrierRegions &regions, unsigned k)
        : r(regions), region(k), b(regions.module.getContext())
    {
    }
    Function *emit();
};

// This work-item's part of the place that POINTER refers to: SIZE bytes.
Value *RegionFunction::place(unsigned pointer, uint64_t size)
{
    Value *base = f->getArg(r.first_place() + pointer);
    auto wide = [&](unsigned k) { return b.CreateZExt(f->getArg(k), b.getInt64Ty()); };
    Value *index = b.CreateNUWMul(wide(ITEM + 2), wide(SIZE + 1));
    index = b.CreateNUWMul(b.CreateNUWAdd(index, wide(ITEM + 1)), wide(SIZE));
    index = b.CreateNUWAdd(index, wide(ITEM));
    return b.CreateInBoundsGEP(ArrayType::get(b.getInt8Ty(), size), base, index);
}

void RegionFunction::declare()
{
    SmallVector<Type *, 16> types;
    for (Argument &a : r.item.args())
        types.push_back(a.getType());
    SmallVector<Type *, 8> uniform(r.uniform_count);
    for (const Slot &slot : r.slots)
        if (slot.uniform)
            uniform[slot.parameter] = slot.type;
    types.append(uniform.begin(), uniform.end());
    types.append(r.uniform_count + r.places.size(), PointerType::get(b.getContext(), 0));
    auto *type = FunctionType::get(b.getInt32Ty(), types, false);
    f = Function::Create(type, GlobalValue::InternalLinkage, "region." + Twine(region), r.module);
    f->addFnAttr(Attribute::AlwaysInline);
    f->addFnAttr(Attribute::NoUnwind);
    for (unsigned k : {unsigned(FRAME), unsigned(LOCAL)})
        f->addParamAttr(k, Attribute::NoAlias);
    for (unsigned k = PARAMETERS + r.uniform_count; k < types.size(); k++)
        f->addParamAttr(k, Attribute::NoAlias);
}

// The item's code after a new first block, which has the cells of the slots.
void RegionFunction::clone()
{
    for (unsigned k = 0; k < PARAMETERS; k++)
        map[r.item.getArg(k)] = f->getArg(k);
    SmallVector<ReturnInst *, 4> returns;
    CloneFunctionInto(f, &r.item, map, CloneFunctionChangeType::LocalChangesOnly, returns);
    BasicBlock *begin = BasicBlock::Create(b.getContext(), "begin", f, &f->getEntryBlock());
    for (const Slot &slot : r.slots)
        cast<Instruction>(map[slot.cell])->moveBefore(*begin, begin->end());
    b.SetInsertPoint(begin);
}

void RegionFunction::place_arrays()
{
    for (const Slot &array : r.arrays) {
        auto *memory = cast<AllocaInst>(map[array.cell]);
        uint64_t align = memory->getAlign().value();
        uint64_t size = (r.layout.getTypeAllocSize(memory->getAllocatedType()) + align - 1) / align * align;
        memory->replaceAllUsesWith(place(array.pointer, size));
        memory->eraseFromParent();
    }
}

void RegionFunction::load_slots()
{
    for (unsigned k : r.live_slots[region]) {
        const Slot &slot = r.slots[k];
        Value *v;
        if (slot.uniform) {
            v = f->getArg(PARAMETERS + slot.parameter);
        } else {
            auto *load = tagged(b.CreateLoad(slot.kept, place(slot)));
            v = slot.kept == slot.type ? static_cast<Value *>(load) : b.CreateTrunc(load, slot.type);
        }
        b.CreateStore(v, map[slot.cell]);
    }
}

// What is live in region NEXT, and what is uniform at every end, so that it does not depend on the end.
void RegionFunction::store_slots(const SetVector<unsigned> &changed, bool end, unsigned next)
{
    for (unsigned k : changed) {
        const Slot &slot = r.slots[k];
        if (!slot.uniform && (end || !r.live_slots[next].count(k)))
            continue;
        Value *last = b.CreateLoad(slot.type, map[slot.cell]);
        if (slot.uniform) {
            b.CreateStore(last, f->getArg(PARAMETERS + r.uniform_count + slot.parameter));
            continue;
        }
        if (slot.kept != slot.type)
            last = b.CreateZExt(last, slot.kept);
        tagged(b.CreateStore(last, place(slot)));
    }
}

void RegionFunction::leave_at_cuts()
{
    SetVector<unsigned> changed;
    for (unsigned k = 0; k < r.slots.size(); k++)
        for (User *user : r.slots[k].cell->users())
            if (auto *store = dyn_cast<StoreInst>(user); store && r.blocks[region].count(store->getParent()))
                changed.insert(k);
    for (BasicBlock *block : r.blocks[region]) {
        auto *copy = cast<BasicBlock>(map[block]);
        auto found = r.cuts.find(block);
        bool end = isa<ReturnInst>(block->getTerminator());
        if (found == r.cuts.end() && !end)
            continue;
        unsigned next = end ? 0 : found->second;
        Instruction *old = copy->getTerminator();
        b.SetInsertPoint(old);
        store_slots(changed, end, next);
        b.CreateRet(b.getInt32(next));
        for (BasicBlock *after : successors(old))
            after->removePredecessor(copy);
        old->eraseFromParent();
    }
}

Function *RegionFunction::emit()
{
    declare();
    clone();
    place_arrays();
    load_slots();
    b.CreateBr(cast<BasicBlock>(map[r.starts[region]]));
    leave_at_cuts();
    removeUnreachableBlocks(*f);
    return f;
}

// ---- the work-group's function -------------------------------------------------------------------

static SetVector<unsigned> find_ends(const BarrierRegions &r, unsigned region)
{
    SetVector<unsigned> set;
    for (BasicBlock *block : r.blocks[region])
        if (auto found = r.cuts.find(block); found != r.cuts.end())
            set.insert(found->second);
        else if (isa<ReturnInst>(block->getTerminator()))
            set.insert(0);
    return set;
}

void BarrierRegions::make_group(bool edge)
{
    LLVMContext &c = module.getContext();
    Group g(module, options, edge);
    BasicBlock *entry = BasicBlock::Create(c, "", g.function),
               *finish = BasicBlock::Create(c, "", g.function);
    IRBuilder<> b(entry);
    Value *next = b.CreateAlloca(b.getInt32Ty());
    SmallVector<Value *, 8> agreed(uniform_count); // what all work-items agree on, until the next barrier
    for (Slot &slot : slots)
        if (slot.uniform)
            agreed[slot.parameter] = b.CreateAlloca(slot.type);
    // On the stack what fits there: the optimizer may then keep it in registers.
    SmallVector<Value *, 16> memory;
    for (auto &at : places) {
        if (bytes > ON_STACK) {
            memory.push_back(b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), g.context, at.first));
            continue;
        }
        AllocaInst *cells = b.CreateAlloca(ArrayType::get(b.getInt8Ty(), at.second));
        cells->setAlignment(Align(128));
        memory.push_back(cells);
    }
    SmallVector<BasicBlock *, 8> heads{finish};
    for (unsigned k = 0; k < starts.size(); k++)
        heads.push_back(BasicBlock::Create(c, "region", g.function));
    b.CreateBr(heads[1]);
    IRBuilder<>(finish).CreateRetVoid();
    for (unsigned k = 0; k < starts.size(); k++) {
        SmallVector<Value *, 8> uniform(uniform_count);
        b.SetInsertPoint(heads[k + 1]);
        for (unsigned s = 0; s < slots.size(); s++)
            if (Slot &slot = slots[s]; slot.uniform)
                uniform[slot.parameter] =
                    live_slots[k].count(s)
                        ? static_cast<Value *>(b.CreateLoad(slot.type, agreed[slot.parameter]))
                        : UndefValue::get(slot.type);
        uniform.append(agreed.begin(), agreed.end());
        uniform.append(memory.begin(), memory.end());
        BasicBlock *after = emit_work_item_loops(
            g, heads[k + 1], strips[k].lanes, [&](BasicBlock *at, Value **ids, bool many) {
                IRBuilder<> body(at);
                auto arguments = item_arguments(body, g, ids);
                arguments.append(uniform.begin(), uniform.end());
                body.CreateStore(body.CreateCall(many ? strips[k].function : functions[k], arguments), next);
                return at;
            });
        b.SetInsertPoint(after);
        auto &set = ends[k];
        if (set.empty()) {
            b.CreateBr(finish);
        } else if (set.size() == 1) {
            b.CreateBr(set[0] == 0 ? finish : heads[set[0] + 1]);
        } else {
            SwitchInst *dispatch = b.CreateSwitch(b.CreateLoad(b.getInt32Ty(), next), finish, set.size());
            for (unsigned to : set)
                if (to != 0)
                    dispatch->addCase(b.getInt32(to), heads[to + 1]);
        }
    }
}

} // namespace

bool split_at_barriers(Module &m, Function *item, in_loops &loops, char *why, size_t why_size)
{
    BarrierRegions r(m, *item, loops);
    SmallVector<CallInst *, 8> barriers;
    for (Instruction &i : instructions(*item))
        if (auto *call = dyn_cast<CallInst>(&i);
            call && call->getCalledFunction() && call->getCalledFunction()->getName() == "in.barrier")
            barriers.push_back(call);
    r.cut(barriers);
    r.find_blocks();
    uint64_t work = 0;
    for (auto &set : r.blocks)
        for (BasicBlock *block : set)
            work += block->size();
    if (work > 40000) {
        snprintf(why, why_size, "too many barriers for so much code");
        return false;
    }
    r.find_live();
    r.rematerialize();
    r.find_live();
    r.demote();
    r.place_arrays();
    if (r.bytes > uint64_t(64) << 20) {
        snprintf(why, why_size, "%llu bytes live across barriers", static_cast<unsigned long long>(r.bytes));
        return false;
    }
    for (unsigned k = 0; k < r.starts.size(); k++)
        r.functions.push_back(RegionFunction(r, k).emit());
    for (unsigned k = 0; k < r.starts.size(); k++)
        r.ends.push_back(find_ends(r, k));
    in_shim_passes(wrap(&m), nullptr, "function(sroa,early-cse,simplifycfg,loop-simplify,lcssa)", false);
    for (Function *f : r.functions)
        r.strips.push_back(strip_mine(m, loops, *f));
    if (!loops.any_size)
        r.make_group(false);
    if (loops.edge)
        r.make_group(true);
    loops.context_bytes = r.bytes > ON_STACK ? r.bytes : 0;
    return true;
}
