// Watched launches: the calls that stand for checks become the checks.
//
// An access is looked at in two ways.  Its bounds: what is out of them is left out, and suspicious.  And who
// else accessed the same cells: plain writes, plain reads and atomics leave tags in planes beside the memory,
// and a tag of another work-item that no barrier separates is suspicious.  A tag names work-group, phase
// (barriers that the work-group went through) and work-item; cells that several read have a tag of nobody,
// for the work-group in this phase or for all.  Tags of earlier launches are below all of this one's.
// Memory that is only read, only accessed by atomics, or of which each work-item has its own part as the
// subscripts say, has no planes.
#include "interp/jit/instrument/watch.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/Utils/Local.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;
using namespace watching;

static const char hidden[] = "in.item"; // metadata of loads that stand for local ids

// ---- who a work-item is --------------------------------------------------------------------------

Value *Watch::word(Value *base, uint64_t at, Type *type)
{
    LoadInst *load = b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, at));
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
    load->setMetadata(LLVMContext::MD_access_group, group);
    return load;
}

// Among all work-items of the launch.
Value *Watch::linear_id()
{
    Value *frame = item.getArg(FRAME), *v = nullptr;
    for (unsigned k = watching.one_row ? 1 : 3; k-- > 0;) {
        Value *first =
            b.CreateTrunc(word(frame, watching.offsets_at + 8 * k, b.getInt64Ty()), b.getInt32Ty());
        Value *id = b.CreateSub(item.getArg(GLOBAL + k), first);
        if (v)
            v = b.CreateMul(
                v, b.CreateTrunc(word(frame, watching.sizes_at + 8 * k, b.getInt64Ty()), b.getInt32Ty()));
        v = v ? b.CreateAdd(v, id) : id;
    }
    return v;
}

Value *Watch::local_index()
{
    Value *v = b.CreateMul(item.getArg(ITEM + 2), item.getArg(SIZE + 1));
    v = b.CreateMul(b.CreateAdd(v, item.getArg(ITEM + 1)), item.getArg(SIZE));
    return b.CreateAdd(v, item.getArg(ITEM));
}

Value *Watch::group_index()
{
    Value *frame = item.getArg(FRAME), *v = item.getArg(GROUP + 2);
    for (unsigned k = 2; k-- > 0;) {
        Value *n = b.CreateTrunc(word(frame, watching.groups_at + 8 * k, b.getInt64Ty()), b.getInt32Ty());
        v = b.CreateAdd(b.CreateMul(v, n), item.getArg(GROUP + k));
    }
    return v;
}

void Watch::begin()
{
    LLVMContext &c = item.getContext();
    MDBuilder md(c);
    MDNode *domain = md.createAnonymousAliasScopeDomain();
    data_scope = MDNode::get(c, {md.createAnonymousAliasScope(domain)});
    tag_scope = MDNode::get(c, {md.createAnonymousAliasScope(domain)});
    group = cast<MDNode>(cast<MetadataAsValue>(unwrap(watching.access_group))->getMetadata());
    for (Instruction &i : instructions(item))
        if (i.mayReadOrWriteMemory() && getLoadStorePointerOperand(&i))
            mark(&i, false);
    b.SetInsertPoint(&*item.getEntryBlock().getFirstInsertionPt());
    suspicion = b.CreateAlloca(b.getInt32Ty());
    b.CreateStore(b.getInt32(0), suspicion);
    for (AllocaInst *&p : phase) {
        p = b.CreateAlloca(b.getInt32Ty());
        b.CreateStore(b.getInt32(0), p);
    }
    watch = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), item.getArg(FRAME), watching.watch_at);
    for (unsigned k = 0; k < 3; k++)
        hide(k);
}

// As long as checks are simplified, local ids are loads: of those LLVM knows the range.
void Watch::hide(unsigned k)
{
    MDBuilder md(item.getContext());
    auto *id = cast<LoadInst>(word(watch, 0, b.getInt32Ty()));
    item.getArg(ITEM + k)->replaceAllUsesWith(id);
    id->setMetadata(LLVMContext::MD_range, md.createRange(APInt(32, 0), APInt(32, watching.local_size[k])));
    id->setMetadata(hidden, MDNode::get(item.getContext(), md.createConstant(b.getInt32(k))));
    id->setMetadata(LLVMContext::MD_invariant_load, nullptr);
    id->setVolatile(true); // three of them are not one
}

// Tags for the next access.
void Watch::refresh(bool local)
{
    Tags &t = tags[local];
    unsigned bits = watching.watched.lane_bits;
    Value *lanes = b.getInt32((1u << bits) - 1);
    bool phased = local || watching.watched.phases;
    t.range = local ? b.getInt32(1u << IN_WATCH_LOCAL_BITS) : field(offsetof(in_watch, range));
    if (local) {
        t.base = b.CreateAdd(field(offsetof(in_watch, local_base)),
                             b.CreateShl(item.getArg(GROUP), IN_WATCH_LOCAL_BITS));
        t.everybody = nullptr;
        t.window = b.getInt32((1u << IN_WATCH_LOCAL_BITS) - (1u << bits));
    } else {
        t.base = field(offsetof(in_watch, base));
        t.everybody = b.CreateAdd(t.base, b.CreateSub(t.range, b.getInt32(1)));
        t.window = nullptr;
    }
    t.below = b.getInt32(1u << bits);
    if (!phased) {
        t.own = linear_id();
        t.crowd = t.everybody;
        t.below = nullptr;
    } else {
        Value *now = b.CreateLoad(b.getInt32Ty(), phase[local]);
        t.own = b.CreateAdd(b.CreateShl(now, bits), local_index());
        if (!local) {
            Value *shift = field(offsetof(in_watch, group_shift));
            t.own = b.CreateAdd(t.own, b.CreateShl(group_index(), shift));
            t.window = b.CreateSub(b.CreateShl(b.getInt32(1), shift), t.below);
        }
        t.crowd = b.CreateAdd(t.base, b.CreateOr(t.own, lanes));
    }
    t.tag = b.CreateAdd(t.base, t.own);
}

// ---- checks --------------------------------------------------------------------------------------

Instruction *Watch::mark(Instruction *i, bool of_tags)
{
    i->setMetadata(LLVMContext::MD_alias_scope, of_tags ? tag_scope : data_scope);
    i->setMetadata(LLVMContext::MD_noalias, of_tags ? data_scope : tag_scope);
    if (of_tags)
        i->setMetadata(LLVMContext::MD_access_group, group);
    return i;
}

void Watch::suspect(Value *bad)
{
    Value *v = b.CreateOr(b.CreateLoad(b.getInt32Ty(), suspicion), b.CreateZExt(bad, b.getInt32Ty()));
    b.CreateStore(v, suspicion);
}

Value *Watch::plane(const Memory &m, unsigned which, bool second, Value *index)
{
    uint64_t at = m.at + offsetof(in_watch_memory, planes) + (2 * which + second) * sizeof(uint32_t *);
    return b.CreateInBoundsGEP(b.getInt32Ty(), word(watch, at, b.getPtrTy()), index);
}

Value *Watch::load(const Memory &m, unsigned which, Value *index)
{
    LoadInst *i = b.CreateAlignedLoad(b.getInt32Ty(), plane(m, which, false, index), Align(4));
    return mark(i, true);
}

void Watch::store(const Memory &m, unsigned which, Value *index, Value *tag)
{
    mark(b.CreateAlignedStore(tag, plane(m, which, true, index), Align(4)), true);
}

// Whether the tag OLD is of this launch, of another work-item, and no barrier lies between.
Value *Watch::conflicts(const Tags &t, Value *old)
{
    Value *y = b.CreateSub(old, t.base);
    Value *c = b.CreateAnd(b.CreateICmpULT(y, t.range), b.CreateICmpNE(y, t.own));
    if (t.below) {
        Value *difference = b.CreateXor(y, t.own);
        c = b.CreateAnd(c, b.CreateICmpUGE(b.CreateSub(difference, t.below), t.window));
    }
    return c;
}

// One more that reads a cell, or accesses it atomically.  Vectors of work-items may do so at once: those
// whose tags do not stay are several.
void Watch::join(const Memory &m, unsigned which, Value *index, const Tags &t, bool lone)
{
    Value *old = load(m, which, index), *others = conflicts(t, old);
    Value *crowd = t.crowd;
    if (t.everybody && t.everybody != t.crowd) {
        Value *difference = b.CreateXor(b.CreateSub(old, t.base), t.own);
        crowd = b.CreateSelect(b.CreateICmpULT(difference, t.below), t.crowd, t.everybody);
    }
    Value *tag = b.CreateSelect(others, crowd, t.tag);
    store(m, which, index, tag);
    if (lone)
        return;
    Value *lost = b.CreateICmpNE(load(m, which, index), tag);
    Instruction *then = SplitBlockAndInsertIfThen(lost, &*b.GetInsertPoint(), false);
    Instruction *after = &*b.GetInsertPoint();
    b.SetInsertPoint(then);
    store(m, which, index, b.CreateSelect(others, crowd, t.crowd));
    b.SetInsertPoint(after);
}

void Watch::cell(const Access &a, const Memory &m, Value *index)
{
    const Tags &t = tags[&m == &memories[IN_WATCH_ARGUMENTS]];
    bool writes = a.how & IN_WATCH_WRITTEN, atomic = !a.plain();
    if (*m.use & IN_WATCH_WRITTEN)
        suspect(conflicts(t, load(m, IN_WATCH_WRITES, index)));
    if (writes && (*m.use & IN_WATCH_READ))
        suspect(conflicts(t, load(m, IN_WATCH_READS, index)));
    if (!atomic && (*m.use & IN_WATCH_ATOMIC))
        suspect(conflicts(t, load(m, IN_WATCH_ATOMICS, index)));
    if (atomic) {
        join(m, IN_WATCH_ATOMICS, index, t, true);
    } else if (writes) {
        store(m, IN_WATCH_WRITES, index, t.tag);
        if (!a.lone)
            suspect(b.CreateICmpNE(load(m, IN_WATCH_WRITES, index), t.tag));
    } else {
        join(m, IN_WATCH_READS, index, t, a.lone);
    }
}

void Watch::shadow(const Access &a, Value *offset)
{
    if (!a.tagged)
        return;
    bool local = a.root.kind != Root::ARGUMENT;
    const Memory &m = memories[local ? unsigned(IN_WATCH_ARGUMENTS) : a.root.number];
    if (!(*m.use & IN_WATCH_SHADOWED))
        return;
    unsigned log = *m.use >> IN_WATCH_CELL;
    refresh(local);
    Value *first = b.CreateLShr(offset, log, "", true);
    for (uint64_t k = 0; k < a.size >> log; k++)
        cell(a, m, k ? b.CreateAdd(first, b.getInt64(k)) : first);
}

Value *Watch::offset_of(Value *pointer, Value *base)
{
    if (pointer == base)
        return b.getInt64(0);
    if (auto *gep = dyn_cast<GEPOperator>(pointer)) {
        Value *rest = offset_of(gep->getPointerOperand(), base);
        return b.CreateAdd(rest, EmitGEPOffset(&b, layout, gep));
    }
    return b.CreateSub(b.CreatePtrToInt(pointer, b.getInt64Ty()), b.CreatePtrToInt(base, b.getInt64Ty()));
}

// The only user, right after the call, whatever was computed in between.
static Instruction *only_user(CallInst *call)
{
    auto *user = call->hasOneUse() ? dyn_cast<Instruction>(call->user_back()) : nullptr;
    bool fits = user && user->getParent() == call->getParent() &&
                (isa<LoadInst>(user) || isa<AtomicRMWInst>(user) ||
                 (isa<StoreInst>(user) && cast<StoreInst>(user)->getPointerOperand() == call));
    if (!fits)
        return nullptr;
    for (Instruction *i = call->getNextNode(); i != user; i = i->getNextNode())
        for (User *u : i->users())
            if (cast<Instruction>(u)->getParent() != user->getParent() ||
                (u != user && user->comesBefore(cast<Instruction>(u))))
                return nullptr;
    return user;
}

void Watch::lower(Access &a)
{
    CallInst *call = a.call;
    Value *pointer = call->getArgOperand(0);
    b.SetInsertPoint(call);
    Value *offset = offset_of(pointer, a.root.base), *end;
    if (a.root.kind == Root::ARGUMENT || a.root.kind == Root::LOCAL_ARGUMENT) {
        Value *size = word(watch, memories[a.root.number].at, b.getInt64Ty());
        Value *enough = b.CreateICmpUGE(size, b.getInt64(a.size));
        end = b.CreateSelect(enough, b.CreateSub(size, b.getInt64(a.size - 1)), b.getInt64(0));
    } else {
        end = b.getInt64(a.root.size >= a.size ? a.root.size - a.size + 1 : 0);
    }
    Value *inside = a.inside ? b.getTrue() : b.CreateICmpULT(offset, end);
    if (a.align > 1 && !a.inside)
        inside =
            b.CreateAnd(inside, b.CreateICmpEQ(b.CreateAnd(offset, b.getInt64(a.align - 1)), b.getInt64(0)));
    Value *within = a.root.within ? b.CreateAdd(offset, a.root.within) : offset; // of local memory
    if (a.inside) {
        shadow(a, within);
        call->replaceAllUsesWith(pointer);
    } else if (Instruction *user = only_user(call)) {
        BasicBlock *head = call->getParent(), *good = SplitBlock(head, call);
        BasicBlock *tail = SplitBlock(good, user->getNextNode());
        b.SetInsertPoint(head->getTerminator());
        suspect(b.CreateNot(inside));
        b.CreateCondBr(inside, good, tail, MDBuilder(item.getContext()).createBranchWeights(1u << 20, 1));
        head->getTerminator()->eraseFromParent();
        if (!user->getType()->isVoidTy()) {
            b.SetInsertPoint(&tail->front());
            PHINode *phi = b.CreatePHI(user->getType(), 2);
            user->replaceAllUsesWith(phi);
            phi->addIncoming(user, good);
            phi->addIncoming(Constant::getNullValue(user->getType()), head);
        }
        b.SetInsertPoint(call);
        shadow(a, within);
        call->replaceAllUsesWith(pointer);
    } else {
        suspect(b.CreateNot(inside));
        Value *zero = a.root.within ? a.root.within : b.getInt64(0);
        shadow(a, b.CreateSelect(inside, within, zero));
        Value *scratch = word(watch, offsetof(in_watch, scratch), b.getPtrTy());
        b.SetInsertPoint(call);
        call->replaceAllUsesWith(b.CreateSelect(inside, pointer, scratch));
    }
    call->eraseFromParent();
}

void Watch::lower_phase(CallInst *call)
{
    uint64_t which = cast<ConstantInt>(call->getArgOperand(0))->getZExtValue();
    unsigned bits = watching.watched.lane_bits;
    b.SetInsertPoint(call);
    for (unsigned local = 0; local < 2; local++) {
        if (!(which & (local ? 1 : 2)))
            continue;
        Value *next = b.CreateAdd(b.CreateLoad(b.getInt32Ty(), phase[local]), b.getInt32(1));
        Value *most;
        if (local)
            most = b.getInt32((1u << (IN_WATCH_LOCAL_BITS - bits)) - 1);
        else
            most = b.CreateSub(b.CreateShl(b.getInt32(1), b.CreateSub(field(offsetof(in_watch, group_shift)),
                                                                      b.getInt32(bits))),
                               b.getInt32(1));
        suspect(b.CreateICmpUGE(next, most));
        b.CreateStore(next, phase[local]);
    }
    call->eraseFromParent();
}

// What was suspicious is told where work-items wait or end, so that it need not be kept across barriers.
void Watch::tell()
{
    SmallVector<Instruction *, 8> places;
    for (Instruction &i : instructions(item))
        if (auto *call = dyn_cast<CallInst>(&i);
            isa<ReturnInst>(i) ||
            (call && call->getCalledFunction() && call->getCalledFunction()->getName() == "in.barrier"))
            places.push_back(&i);
    for (Instruction *place : places) {
        b.SetInsertPoint(place);
        Value *bad = b.CreateICmpNE(b.CreateLoad(b.getInt32Ty(), suspicion), b.getInt32(0));
        Value *at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), watch, offsetof(in_watch, suspicious));
        b.CreateStore(b.getInt32(0), suspicion);
        b.SetInsertPoint(SplitBlockAndInsertIfThen(bad, place, false));
        mark(b.CreateAlignedStore(b.getInt32(1), at, Align(4)), true);
    }
}

bool Watch::run()
{
    if (!collect() || !nothing_else() || !uniform_barriers())
        return false;
    choose();
    begin();
    for (Access &a : accesses)
        lower(a);
    for (CallInst *call : suspects) {
        b.SetInsertPoint(call);
        suspect(call->getArgOperand(0));
        call->eraseFromParent();
    }
    for (CallInst *call : phases)
        lower_phase(call);
    tell();
    return true;
}

bool in_shim_watch(LLVMModuleRef module, struct in_watching *watching, char *why, size_t why_size)
{
    Watch watch(*unwrap(module)->getFunction("item"), *watching);
    bool done = watch.run();
    if (!done)
        snprintf(why, why_size, "%s", watch.why.c_str());
    return done;
}

// Comparisons that loops and ranges of ids decide.
static void decide(Function &f)
{
    DominatorTree tree(f);
    LoopInfo loops(tree);
    AssumptionCache assumptions(f);
    TargetLibraryInfoImpl library;
    TargetLibraryInfo functions(library);
    ScalarEvolution evolution(f, functions, assumptions, tree, loops);
    for (Instruction &i : instructions(f)) {
        auto *compare = dyn_cast<ICmpInst>(&i);
        if (!compare || !compare->getOperand(0)->getType()->isIntegerTy() ||
            !isa<ConstantInt>(compare->getOperand(1)) ||
            any_of(compare->users(), [](User *u) { return isa<CallInst>(u); }))
            continue;
        Optional<bool> known =
            evolution.evaluatePredicate(compare->getPredicate(), evolution.getSCEV(compare->getOperand(0)),
                                        evolution.getSCEV(compare->getOperand(1)));
        if (known)
            compare->replaceAllUsesWith(ConstantInt::getBool(f.getContext(), *known));
    }
}

void in_shim_watched(LLVMValueRef item)
{
    Function &f = *cast<Function>(unwrap(item));
    decide(f);
    for (Instruction &i : make_early_inc_range(instructions(f)))
        if (MDNode *node = i.getMetadata(hidden)) {
            auto *k = mdconst::extract<ConstantInt>(node->getOperand(0));
            i.replaceAllUsesWith(f.getArg(ITEM + k->getZExtValue()));
            i.eraseFromParent();
        }
}
