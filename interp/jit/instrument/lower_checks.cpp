// Lowering of check markers.  An access gets a bounds check (an access out of bounds is skipped and
// fails), an alignment check, and tag checks: shadow planes hold the tags of the last plain write, plain
// read and atomic of each cell, and a conflicting tag of another work-item in the same phase, or of another
// work-group, fails.  A failed check deoptimizes the launch.  docs/instrumentation.md#shadow-tags
#include "interp/jit/instrument/lower_checks.hpp"
#include "interp/jit/vectorize/access_order.hpp"
#include "interp/jit/vectorize/versions.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;
using namespace instrumentation;

// ---- ids and tags --------------------------------------------------------------------------

Value *CheckLowering::frame_load(Value *base, uint64_t at, Type *type)
{
    LoadInst *load = b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, at));
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
    load->setMetadata(LLVMContext::MD_access_group, group);
    return load;
}

// The work-item's linear id in the launch.
Value *CheckLowering::linear_id()
{
    Value *frame = item.getArg(FRAME), *v = nullptr;
    for (unsigned k = options.one_row ? 1 : 3; k-- > 0;) {
        Value *first =
            b.CreateTrunc(frame_load(frame, options.offsets_at + 8 * k, b.getInt64Ty()), b.getInt32Ty());
        Value *id = b.CreateSub(item.getArg(GLOBAL + k), first);
        if (v)
            v = b.CreateMul(v, b.CreateTrunc(frame_load(frame, options.sizes_at + 8 * k, b.getInt64Ty()),
                                             b.getInt32Ty()));
        v = v ? b.CreateAdd(v, id) : id;
    }
    return v;
}

Value *CheckLowering::local_index()
{
    Value *v = b.CreateMul(item.getArg(ITEM + 2), item.getArg(SIZE + 1));
    v = b.CreateMul(b.CreateAdd(v, item.getArg(ITEM + 1)), item.getArg(SIZE));
    return b.CreateAdd(v, item.getArg(ITEM));
}

Value *CheckLowering::group_index()
{
    Value *frame = item.getArg(FRAME), *v = item.getArg(GROUP + 2);
    for (unsigned k = 2; k-- > 0;) {
        Value *n =
            b.CreateTrunc(frame_load(frame, options.groups_at + 8 * k, b.getInt64Ty()), b.getInt32Ty());
        v = b.CreateAdd(b.CreateMul(v, n), item.getArg(GROUP + k));
    }
    return v;
}

void CheckLowering::set_up()
{
    LLVMContext &c = item.getContext();
    MDBuilder md(c);
    MDNode *domain = md.createAnonymousAliasScopeDomain();
    data_scope = MDNode::get(c, {md.createAnonymousAliasScope(domain, "data")});
    tag_scope = MDNode::get(c, {md.createAnonymousAliasScope(domain, AccessOrder::TAGS)});
    group = cast<MDNode>(cast<MetadataAsValue>(unwrap(options.access_group))->getMetadata());
    for (Instruction &i : instructions(item))
        if (i.mayReadOrWriteMemory() && getLoadStorePointerOperand(&i))
            set_scope(&i, false);
    b.SetInsertPoint(&*item.getEntryBlock().getFirstInsertionPt());
    flagged = b.CreateAlloca(b.getInt32Ty());
    b.CreateStore(b.getInt32(0), flagged);
    for (AllocaInst *&p : phase) {
        p = b.CreateAlloca(b.getInt32Ty());
        b.CreateStore(b.getInt32(0), p);
    }
    shadow = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), item.getArg(FRAME), options.shadow_at);
    const uint32_t ids = 1u << options.id_bits;
    for (unsigned k = 0; k < 3; k++) {
        hide_parameter(GLOBAL + k, 0, ids);
        hide_parameter(GROUP + k, 0, ids / options.local_size[k] + 1);
        hide_parameter(ITEM + k, 0, options.local_size[k]);
        hide_parameter(SIZE + k, 1, options.local_size[k] + 1);
    }
}

// While checks are simplified, loads with range metadata replace parameters: LLVM has none for those.  Values
// are in [LOW, HIGH). Nothing else is at that address: LLVM may use the value of a volatile load for a later
// load of the same address.
void CheckLowering::hide_parameter(unsigned k, uint32_t low, uint32_t high)
{
    MDBuilder md(item.getContext());
    auto *id = cast<LoadInst>(frame_load(shadow, offsetof(in_shadow, parameter), b.getInt32Ty()));
    item.getArg(k)->replaceAllUsesWith(id);
    id->setMetadata(LLVMContext::MD_range, md.createRange(APInt(32, low), APInt(32, high)));
    id->setMetadata(parameter_metadata, MDNode::get(item.getContext(), md.createConstant(b.getInt32(k))));
    id->setMetadata(LLVMContext::MD_invariant_load, nullptr);
    id->setVolatile(true); // or equal loads would be merged
}

// What follows from the base and the work-item's number.
void CheckLowering::spread_tags(Tags &t, TagKind kind)
{
    const bool local = kind == LOCAL_TAGS, phased = local || (kind == GLOBAL_TAGS && options.plan.phases);
    const unsigned bits = options.plan.lane_bits;
    t.range = local ? nullptr : field(offsetof(in_shadow, range));
    t.all_readers = local ? nullptr : b.CreateAdd(t.base, b.CreateSub(t.range, b.getInt32(1)));
    t.item_span = phased ? b.getInt32(1u << bits) : nullptr;
    t.group_span = nullptr;
    if (phased && !local)
        t.group_span =
            b.CreateSub(b.CreateShl(b.getInt32(1), field(offsetof(in_shadow, group_shift))), t.item_span);
    Value *lanes = b.getInt32((1u << bits) - 1);
    t.group_readers = phased ? b.CreateAdd(t.base, b.CreateOr(t.own, lanes)) : t.all_readers;
    t.tag = b.CreateAdd(t.base, t.own);
}

// Emits the computation of the work-item's tags at the insertion point.
void CheckLowering::compute_tags(TagKind kind)
{
    Tags &t = tags[kind];
    bool local = kind == LOCAL_TAGS;
    if (kind == GLOBAL_TAGS && options.plan.clocks)
        return compute_segments(t);
    t.base = field(local ? offsetof(in_shadow, local_base) : offsetof(in_shadow, base));
    if (local)
        t.base = b.CreateAdd(t.base, b.CreateShl(item.getArg(GROUP), IN_SHADOW_LOCAL_BITS));
    if (local || (kind == GLOBAL_TAGS && options.plan.phases)) {
        Value *now = b.CreateLoad(b.getInt32Ty(), phase[local]);
        t.own = b.CreateAdd(b.CreateShl(now, options.plan.lane_bits), local_index());
        if (!local)
            t.own = b.CreateAdd(t.own, b.CreateShl(group_index(), field(offsetof(in_shadow, group_shift))));
    } else {
        t.own = linear_id();
    }
    spread_tags(t, kind);
}

// ---- checks --------------------------------------------------------------------------------------

Instruction *CheckLowering::set_scope(Instruction *i, bool of_tags)
{
    i->setMetadata(LLVMContext::MD_alias_scope, of_tags ? tag_scope : data_scope);
    i->setMetadata(LLVMContext::MD_noalias, of_tags ? data_scope : tag_scope);
    if (of_tags)
        i->setMetadata(LLVMContext::MD_access_group, group);
    return i;
}

void CheckLowering::flag(Value *bad)
{
    if (outlines)
        return call_flag(bad);
    Value *v = b.CreateOr(b.CreateLoad(b.getInt32Ty(), flagged), b.CreateZExt(bad, b.getInt32Ty()));
    b.CreateStore(v, flagged);
}

// A field of the memory's struct in_shadow_memory.
Value *CheckLowering::memory_load(const Memory &m, uint64_t at, Type *type)
{
    return m.object ? frame_load(m.object, at, type) : frame_load(shadow, m.at + at, type);
}

// Calls for the object of an access of unknown origin.  LLVM may call once for many accesses.
void CheckLowering::find_object(const Access &a)
{
    LLVMContext &c = item.getContext();
    FunctionCallee find = item.getParent()->getOrInsertFunction("in_shadow_find", b.getPtrTy(), b.getPtrTy(),
                                                                b.getInt64Ty(), b.getInt32Ty());
    auto *f = cast<Function>(find.getCallee());
    for (auto kind : {Attribute::ReadNone, Attribute::NoUnwind, Attribute::WillReturn,
                      Attribute::Speculatable, Attribute::NoSync, Attribute::NoFree, Attribute::NoCallback})
        f->addFnAttr(kind);
    f->addRetAttr(Attribute::NonNull);
    f->addRetAttr(Attribute::getWithDereferenceableBytes(c, sizeof(in_shadow_memory)));
    f->addRetAttr(Attribute::getWithAlignment(c, Align(alignof(in_shadow_memory))));
    bool unwritten = options.plan.reads_unwritten && a.origin.kind == Origin::DYNAMIC;
    Value *which = b.getInt32(unwritten                                        ? IN_FIND_UNWRITTEN
                              : a.how & (IN_SHADOW_WRITTEN | IN_SHADOW_ATOMIC) ? IN_FIND_WRITABLE
                                                                               : IN_FIND_ANY);
    memory_of(a).object =
        b.CreateCall(find, {shadow, b.CreatePtrToInt(a.origin.base, b.getInt64Ty()), which});
}

Value *CheckLowering::offset_of(Value *pointer, Value *base)
{
    if (pointer == base)
        return b.getInt64(0);
    if (auto *gep = dyn_cast<GEPOperator>(pointer)) {
        Value *rest = offset_of(gep->getPointerOperand(), base);
        return b.CreateAdd(rest, gep_offset(b, layout, gep));
    }
    return b.CreateSub(b.CreatePtrToInt(pointer, b.getInt64Ty()), b.CreatePtrToInt(base, b.getInt64Ty()));
}

// The offset of an access in its object.
Value *CheckLowering::offset_in(const Access &a)
{
    Value *pointer = a.call->getArgOperand(0);
    if (!a.is_found_by_address())
        return offset_of(pointer, a.origin.base);
    find_object(a);
    return b.CreateSub(b.CreatePtrToInt(pointer, b.getInt64Ty()),
                       memory_load(memory_of(a), offsetof(in_shadow_memory, address), b.getInt64Ty()));
}

// Whether compiled code expects that the pointer leads to SVM of an argument.
bool CheckLowering::is_followed(const Access &a) const
{
    return options.plan.followed && a.origin.kind == Origin::DYNAMIC;
}

// Whether the object pointer and all bytes of the access are in the same SVM of those that arguments lead to,
// which takes no call.
Value *CheckLowering::leads_to_arguments(const Access &a)
{
    Value *object = b.CreatePtrToInt(a.origin.base, b.getInt64Ty());
    Value *at = b.CreatePtrToInt(a.call->getArgOperand(0), b.getInt64Ty()), *found = b.getFalse();
    for (uint64_t k = 0; k < IN_SHADOW_FOLLOWED; k++) {
        uint64_t range = offsetof(in_shadow, followed) + k * sizeof(in_shadow_range);
        Value *address = frame_load(shadow, range + offsetof(in_shadow_range, address), b.getInt64Ty());
        Value *size = frame_load(shadow, range + offsetof(in_shadow_range, size), b.getInt64Ty());
        Value *last = b.CreateSub(size, b.getInt64(a.size)),
              *enough = b.CreateICmpUGE(size, b.getInt64(a.size));
        Value *inside = b.CreateAnd(enough, b.CreateICmpULE(b.CreateSub(at, address), last));
        found = b.CreateOr(found, b.CreateAnd(inside, b.CreateICmpULT(b.CreateSub(object, address), size)));
    }
    return a.align > 1
               ? b.CreateAnd(found, b.CreateICmpEQ(b.CreateAnd(at, b.getInt64(a.align - 1)), b.getInt64(0)))
               : found;
}

// The only user of CALL, if all between them can move after it; else NULL.
static Instruction *sole_user(CallInst *call)
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

// Planes end with cells for accesses out of bounds.
Value *CheckLowering::spare_cells(const Access &a)
{
    if ((a.origin.kind != Origin::ARGUMENT && !a.is_found_by_address()) || is_followed(a))
        return b.getInt64(0);
    Value *size = memory_load(memory_of(a), offsetof(in_shadow_memory, size), b.getInt64Ty());
    return b.CreateAdd(b.CreateOr(size, b.getInt64(15)), b.getInt64(1));
}

void CheckLowering::lower(Access &a)
{
    CallInst *call = a.call;
    Value *pointer = call->getArgOperand(0);
    b.SetInsertPoint(call);
    Value *offset = is_followed(a) ? b.getInt64(0) : offset_in(a), *end, *in_bounds;
    if (is_followed(a)) {
        end = nullptr;
    } else if (!a.origin.size) {
        const Memory &m = a.is_found_by_address() ? memory_of(a) : memories[a.origin.number];
        Value *size = memory_load(m, offsetof(in_shadow_memory, size), b.getInt64Ty());
        Value *enough = b.CreateICmpUGE(size, b.getInt64(a.size));
        end = b.CreateSelect(enough, b.CreateSub(size, b.getInt64(a.size - 1)), b.getInt64(0));
    } else {
        end = b.getInt64(a.origin.size >= a.size ? a.origin.size - a.size + 1 : 0);
    }
    in_bounds = is_followed(a) ? leads_to_arguments(a)
                : a.in_bounds  ? b.getTrue()
                               : b.CreateICmpULT(offset, end);
    if (a.align > 1 && !a.in_bounds && !is_followed(a))
        in_bounds = b.CreateAnd(in_bounds,
                                b.CreateICmpEQ(b.CreateAnd(offset, b.getInt64(a.align - 1)), b.getInt64(0)));
    Value *within = a.origin.within ? b.CreateAdd(offset, a.origin.within) : offset; // of local memory
    if (outlines && (!a.in_bounds || has_tag_checks(a))) {
        lower_by_call(a, in_bounds, within);
    } else if (a.in_bounds) {
        check_tags(a, within, pointer, b.getTrue());
        call->replaceAllUsesWith(pointer);
    } else if (Instruction *user = sole_user(call)) {
        BasicBlock *head = call->getParent(), *good = SplitBlock(head, call);
        BasicBlock *tail = SplitBlock(good, user->getNextNode());
        b.SetInsertPoint(head->getTerminator());
        flag(b.CreateNot(in_bounds));
        b.CreateCondBr(in_bounds, good, tail, MDBuilder(item.getContext()).createBranchWeights(1u << 20, 1));
        head->getTerminator()->eraseFromParent();
        if (!user->getType()->isVoidTy()) {
            b.SetInsertPoint(&tail->front());
            PHINode *phi = b.CreatePHI(user->getType(), 2);
            user->replaceAllUsesWith(phi);
            for (Access &other : accesses) // through the pointer that was loaded
                if (other.origin.base == user)
                    other.origin.base = phi;
            phi->addIncoming(user, good);
            phi->addIncoming(Constant::getNullValue(user->getType()), head);
        }
        b.SetInsertPoint(call);
        check_tags(a, within, pointer, b.getTrue());
        call->replaceAllUsesWith(pointer);
    } else {
        flag(b.CreateNot(in_bounds));
        Value *other = a.origin.within ? a.origin.within : spare_cells(a);
        check_tags(a, b.CreateSelect(in_bounds, within, other), pointer, in_bounds);
        Value *scratch = frame_load(shadow, offsetof(in_shadow, scratch), b.getPtrTy());
        b.SetInsertPoint(call);
        call->replaceAllUsesWith(b.CreateSelect(in_bounds, pointer, scratch));
    }
    call->eraseFromParent();
}

void CheckLowering::lower_texel(Access &a)
{
    const Memory &m = memory_of(a);
    b.SetInsertPoint(a.call);
    if (*m.use & IN_SHADOW_TAGGED) {
        compute_tags(TEXEL_TAGS);
        check_cell(a, m, a.call->getArgOperand(2));
    }
    a.call->replaceAllUsesWith(a.call->getArgOperand(0));
    a.call->eraseFromParent();
}

// Where the bytes of a texel are saved before the launch's first write to it; null at later ones.
void CheckLowering::lower_undo(CallInst *call)
{
    OriginAnalysis analysis(item, options);
    const Memory &m = memories[analysis.find(call->getArgOperand(0)).number];
    b.SetInsertPoint(call);
    compute_tags(TEXEL_TAGS);
    Value *index = call->getArgOperand(1), *first = untouched(m, IN_SHADOW_WRITES, index);
    Value *undo = memory_load(m, offsetof(in_shadow_memory, undo), b.getPtrTy());
    Value *to = b.CreateInBoundsGEP(b.getInt8Ty(), undo, b.CreateMul(index, b.getInt64(IN_SHADOW_TEXEL)));
    call->replaceAllUsesWith(b.CreateSelect(first, to, ConstantPointerNull::get(b.getPtrTy())));
    call->eraseFromParent();
}

void CheckLowering::lower_phase(CallInst *call)
{
    uint64_t which = cast<ConstantInt>(call->getArgOperand(0))->getZExtValue();
    unsigned bits = options.plan.lane_bits;
    b.SetInsertPoint(call);
    for (unsigned local = 0; local < 2; local++) {
        if (!(which & (local ? 1 : 2)))
            continue;
        Value *next = b.CreateAdd(b.CreateLoad(b.getInt32Ty(), phase[local]), b.getInt32(1));
        Value *most;
        if (local)
            most = b.getInt32((1u << (IN_SHADOW_LOCAL_BITS - bits)) - 1);
        else
            most = b.CreateSub(b.CreateShl(b.getInt32(1), b.CreateSub(field(offsetof(in_shadow, group_shift)),
                                                                      b.getInt32(bits))),
                               b.getInt32(1));
        flag(b.CreateICmpUGE(next, most));
        b.CreateStore(next, phase[local]);
    }
    call->eraseFromParent();
}

// Writes the flag to the frame at barriers and returns, so that no context array is needed for it.
void CheckLowering::publish_flag()
{
    SmallVector<Instruction *, 8> places;
    for (Instruction &i : instructions(item))
        if (auto *call = dyn_cast<CallInst>(&i);
            isa<ReturnInst>(i) ||
            (call && call->getCalledFunction() && call->getCalledFunction()->getName() == "in.barrier"))
            places.push_back(&i);
    for (Instruction *place : places) {
        b.SetInsertPoint(place);
        Value *at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), shadow, offsetof(in_shadow, deoptimized));
        LoadInst *before = b.CreateAlignedLoad(b.getInt32Ty(), at, Align(4));
        b.CreateAlignedStore(b.CreateOr(before, b.CreateLoad(b.getInt32Ty(), flagged)), at, Align(4));
        b.CreateStore(b.getInt32(0), flagged);
    }
}

// Whether the operation of marker CALL never wraps around, by the ranges of its operands.
static bool never_wraps(ScalarEvolution &evolution, unsigned op, bool sign, Value *x, Value *y)
{
    const SCEV *a = evolution.getSCEV(x), *b = evolution.getSCEV(y);
    unsigned width = x->getType()->getIntegerBitWidth();
    auto range = [&](const SCEV *v) {
        return sign ? evolution.getSignedRange(v).signExtend(2 * width + 1)
                    : evolution.getUnsignedRange(v).zeroExtend(2 * width + 1);
    };
    ConstantRange result = op == LLVMAdd   ? range(a).add(range(b))
                           : op == LLVMSub ? range(a).sub(range(b))
                                           : range(a).multiply(range(b));
    ConstantRange whole(width, true);
    whole = sign ? whole.signExtend(2 * width + 1) : whole.zeroExtend(2 * width + 1);
    return whole.contains(result);
}

// Lets LLVM know that the operation of marker CALL does not wrap around: in all places, or in CALL's block.
void CheckLowering::set_no_wrap(CallInst *call, bool in_block)
{
    unsigned op = unsigned(cast<ConstantInt>(call->getArgOperand(1))->getZExtValue());
    bool sign = cast<ConstantInt>(call->getArgOperand(2))->isOne();
    Value *x = call->getArgOperand(3), *y = call->getArgOperand(4);
    for (User *user : x->users())
        if (auto *i = dyn_cast<OverflowingBinaryOperator>(user);
            i && isa<Instruction>(i) && i->getOperand(0) == x && i->getOperand(1) == y &&
            (!in_block || cast<Instruction>(user)->getParent() == call->getParent()) &&
            i->getOpcode() == unsigned(op == LLVMAdd   ? Instruction::Add
                                       : op == LLVMSub ? Instruction::Sub
                                                       : Instruction::Mul))
            sign ? cast<Instruction>(user)->setHasNoSignedWrap()
                 : cast<Instruction>(user)->setHasNoUnsignedWrap();
}

// Drops checks for overflow that scalar evolution decides, and lets LLVM know.
void CheckLowering::drop_decided()
{
    DominatorTree tree(item);
    LoopInfo loops(tree);
    AssumptionCache assumptions(item);
    TargetLibraryInfoImpl library;
    TargetLibraryInfo functions(library);
    ScalarEvolution evolution(item, functions, assumptions, tree, loops);
    erase_if(value_checks, [&](CallInst *call) {
        if (call->arg_size() != 5)
            return false;
        unsigned op = unsigned(cast<ConstantInt>(call->getArgOperand(1))->getZExtValue());
        bool sign = cast<ConstantInt>(call->getArgOperand(2))->isOne();
        Value *x = call->getArgOperand(3), *y = call->getArgOperand(4);
        if (!never_wraps(evolution, op, sign, x, y))
            return false;
        set_no_wrap(call, false);
        call->eraseFromParent();
        return true;
    });
}

bool CheckLowering::run()
{
    if (!collect() || !covers_all_accesses() || !uniform_barriers() || !select() || !uses_clocks())
        return false;
    set_up();
    if (options.plan.clocks)
        begin_clock();
    for (CallInst *call : weights)
        call->eraseFromParent();
    drop_decided();
    use_ranges();
    choose_outline();
    for (Access &a : accesses)
        lower(a);
    for (CallInst *call : undos)
        lower_undo(call);
    for (Access &a : texels)
        lower_texel(a);
    for (CallInst *call : value_checks) {
        b.SetInsertPoint(call);
        flag(call->getArgOperand(0));
        call->eraseFromParent();
    }
    for (CallInst *call : phases)
        lower_phase(call);
    for (CallInst *call : synchronizations)
        lower_synchronization(call);
    for (CallInst *call : fences)
        lower_fence(call);
    publish_flag();
    return true;
}

bool in_shim_lower_checks(LLVMModuleRef module, struct in_check_lowering *options, char *why, size_t why_size)
{
    CheckLowering lowering(*unwrap(module)->getFunction("item"), *options);
    bool done = lowering.run();
    if (!done)
        snprintf(why, why_size, "%s", lowering.why.c_str());
    return done;
}
