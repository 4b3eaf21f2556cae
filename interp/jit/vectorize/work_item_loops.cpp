// From the function of one work-item to that of a work-group: work-items become loops.
#include "interp/jit/vectorize/trip_counts.hpp"
#include "interp/jit/vectorize/work_group.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

using namespace llvm;

// ---- atomics in local memory ---------------------------------------------------------------------

// One thread executes all work-items of a group: what only they share needs no locked instructions.
void in_shim_lower_local(LLVMValueRef item)
{
    Function &f = *cast<Function>(unwrap(item));
    for (Instruction &i : make_early_inc_range(instructions(f))) {
        if (auto *load = dyn_cast<LoadInst>(&i); load && load->getSyncScopeID() == SyncScope::SingleThread)
            load->setAtomic(AtomicOrdering::NotAtomic);
        else if (auto *store = dyn_cast<StoreInst>(&i);
                 store && store->getSyncScopeID() == SyncScope::SingleThread)
            store->setAtomic(AtomicOrdering::NotAtomic);
        else if (auto *rmw = dyn_cast<AtomicRMWInst>(&i);
                 rmw && rmw->getSyncScopeID() == SyncScope::SingleThread)
            lowerAtomicRMWInst(rmw);
        else if (auto *cas = dyn_cast<AtomicCmpXchgInst>(&i);
                 cas && cas->getSyncScopeID() == SyncScope::SingleThread)
            lowerAtomicCmpXchgInst(cas);
    }
}

bool in_shim_has_atomics(LLVMValueRef item)
{
    return any_of(instructions(cast<Function>(unwrap(item))),
                  [](Instruction &i) { return isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i); });
}

bool in_shim_has_barriers(LLVMValueRef item)
{
    Function *barrier = cast<Function>(unwrap(item))->getParent()->getFunction("in.barrier");
    return barrier && !barrier->use_empty();
}

// ---- loops that are unrolled first ----------------------------------------------------------------

// SHORT: instructions of a loop; of all its iterations: UNROLLED with barriers, UNROLLED_ARRAY with private
// arrays, UNROLLED_LONG with them in a longer loop, such as one whose vectors have been taken apart.
// LLVM's scheduler takes quadratic time in the accesses of a block.
enum { SHORT = 100, UNROLLED = 600, UNROLLED_ARRAY = 6400, UNROLLED_LONG = 1600, ROUNDS = 16 };

static bool is_barrier(const Instruction &i)
{
    auto *call = dyn_cast<CallInst>(&i);
    return call && call->getCalledFunction() && call->getCalledFunction()->getName() == "in.barrier";
}

// Whether V is a constant once the loops around it are unrolled: nothing that it follows from is loaded, an
// id or an argument.
static bool follows_from_counters(const Value *v, unsigned depth)
{
    auto *i = dyn_cast<Instruction>(v);
    if (!i || isa<PHINode>(i))
        return i || isa<Constant>(v);
    bool computed = isa<BinaryOperator>(i) || isa<CastInst>(i) || isa<CmpInst>(i) || isa<SelectInst>(i);
    return computed && depth > 0 &&
           all_of(i->operands(), [&](const Use &u) { return follows_from_counters(u.get(), depth - 1); });
}

static bool indexes_private(const Instruction &i)
{
    auto *gep = dyn_cast_or_null<GetElementPtrInst>(getLoadStorePointerOperand(&i));
    return gep && isa<AllocaInst>(gep->getPointerOperand()) && !gep->hasAllConstantIndices() &&
           all_of(gep->indices(), [](const Use &u) { return follows_from_counters(u.get(), 12); });
}

// How often LOOP executes a block of INNER, a loop in it or itself, in one iteration: the trip counts that
// are constant.
static uint64_t execution_count(const Loop *inner, const Loop &loop, ScalarEvolution &evolution)
{
    uint64_t product = 1;
    for (; inner != &loop && product <= UNROLLED_ARRAY; inner = inner->getParentLoop())
        product *= std::max(1u, evolution.getSmallConstantTripCount(inner));
    return product;
}

// Unrolled, the indices of private arrays are constants and the arrays become registers; what changes from
// barrier to barrier is constant in the loops over work-items.
static bool better_unrolled(const Loop &loop, const LoopInfo &loops, ScalarEvolution &evolution)
{
    uint64_t size = 0, rounds = evolution.getSmallConstantTripCount(&loop);
    uint64_t most = evolution.getSmallConstantMaxTripCount(&loop);
    bool waits = false, indexes = false;
    for (const BasicBlock *b : loop.blocks()) {
        size += b->size() * execution_count(loops.getLoopFor(b), loop, evolution);
        for (const Instruction &i : *b) {
            waits |= is_barrier(i);
            indexes |= indexes_private(i);
        }
    }
    bool fits = size <= SHORT ? most * size <= UNROLLED_ARRAY : most > 0 && most * size <= UNROLLED_LONG;
    return (indexes && fits && loop.isInnermost()) ||
           (waits && rounds > 0 && rounds <= ROUNDS && size * rounds <= UNROLLED);
}

static void mark_loop(Loop &loop, ArrayRef<const char *> hints)
{
    LLVMContext &c = loop.getHeader()->getContext();
    SmallVector<Metadata *, 3> nodes{nullptr};
    for (const char *hint : hints)
        nodes.push_back(MDNode::get(c, MDString::get(c, hint)));
    MDNode *node = MDNode::getDistinct(c, nodes);
    node->replaceOperandWith(0, node);
    loop.setLoopID(node);
}

// Where work-items disagree on how often, no prediction knows where the loop ends: to take several iterations
// at once, and what is left of them in another loop, is to be wrong twice.
static bool has_divergent_exit(const Loop &loop, const Divergence &divergence)
{
    SmallVector<BasicBlock *, 4> exits;
    loop.getExitingBlocks(exits);
    return any_of(exits, [&](BasicBlock *b) {
        return divergence.differs(*b) && is_unpredictable(b->getTerminator()->getOperand(0), divergence, 8);
    });
}

void in_shim_mark_unroll(LLVMValueRef item)
{
    Function &f = *cast<Function>(unwrap(item));
    DominatorTree tree(f);
    LoopInfo loops(tree);
    TripCounts counts(f, tree, loops);
    Divergence divergence(f, 3);
    for (Loop *loop : loops.getLoopsInPreorder()) {
        const bool apart = has_divergent_exit(*loop, divergence);
        const bool is_row = is_row_loop(*loop, counts.evolution, divergence);
        if (is_row && apart)
            mark_loop(*loop, "llvm.loop.unroll.disable");
        else if (is_row)
            mark_loop(*loop, {"llvm.loop.unroll.disable", "in.row"});
        else if (better_unrolled(*loop, loops, counts.evolution))
            mark_loop(*loop, "llvm.loop.unroll.full");
        else if (apart)
            mark_loop(*loop, "llvm.loop.unroll.runtime.disable");
    }
}

// ---- loops over work-items -----------------------------------------------------------------------

Group::Group(Module &m, const in_loops &o, bool edge) : module(m), options(o)
{
    LLVMContext &c = m.getContext();
    Type *pointer = PointerType::get(c, 0), *word = Type::getInt32Ty(c);
    SmallVector<Type *, 9> types{pointer, pointer, pointer, word, word, word};
    if (edge)
        types.append(3, word);
    auto *type = FunctionType::get(Type::getVoidTy(c), types, false);
    function = Function::Create(type, GlobalValue::ExternalLinkage, edge ? "run.edge" : "run.full", m);
    for (unsigned k = 0; k < 3; k++)
        function->addParamAttr(k, Attribute::NoAlias);
    function->addFnAttr(Attribute::NoUnwind);
    function->addDereferenceableParamAttr(0, o.frame_bytes);
    function->addParamAttr(0, Attribute::getWithAlignment(c, Align(16)));
    frame = function->getArg(0);
    local = function->getArg(1);
    context = function->getArg(2);
    for (unsigned k = 0; k < 3; k++) {
        id[k] = function->getArg(3 + dimension(k));
        size[k] = edge ? static_cast<Value *>(function->getArg(6 + dimension(k)))
                       : ConstantInt::get(word, o.local_size[k]);
    }
}

// The loop's iterations do not depend on one another: work-items do not.
static MDNode *parallel_loop(const Group &g)
{
    LLVMContext &c = g.module.getContext();
    auto *group = cast<MetadataAsValue>(unwrap(g.options.access_group))->getMetadata();
    auto name = [&](const char *text) { return MDString::get(c, text); };
    auto *one = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(c), 1));
    MDNode *accesses = MDNode::get(c, {name("llvm.loop.parallel_accesses"), group});
    // First vectors, then unrolling; nor are the first iterations to be split off.
    SmallVector<Metadata *, 4> parts{
        nullptr, accesses, MDNode::get(c, {name("llvm.loop.unroll.disable")}),
        MDNode::get(c, {name("llvm.loop.vectorize.followup_vectorized"), accesses,
                        MDNode::get(c, {name("llvm.loop.isvectorized"), one})})};
    if (g.scalar)
        parts.push_back(MDNode::get(c, {MDString::get(c, "llvm.loop.vectorize.enable"),
                                        ConstantAsMetadata::get(ConstantInt::getFalse(c))}));
    MDNode *node = MDNode::getDistinct(c, parts);
    node->replaceOperandWith(0, node);
    return node;
}

struct Range {
    Value *from, *to;
    unsigned step;
};

// A loop over RANGE, which may be empty unless both its ends are constants.
static BasicBlock *counted_loop(Group &g, BasicBlock *pre, Range range,
                                function_ref<BasicBlock *(BasicBlock *, Value *)> body)
{
    LLVMContext &c = g.module.getContext();
    Type *word = Type::getInt32Ty(c);
    BasicBlock *head = BasicBlock::Create(c, "items", g.function),
               *after = BasicBlock::Create(c, "", g.function);
    IRBuilder<> b(pre);
    if (range.step > 1 || range.from != ConstantInt::get(word, 0))
        b.CreateCondBr(b.CreateICmpULT(range.from, range.to), head, after);
    else
        b.CreateBr(head);
    b.SetInsertPoint(head);
    PHINode *at = b.CreatePHI(word, 2);
    at->addIncoming(range.from, pre);
    BasicBlock *end = body(head, at);
    b.SetInsertPoint(end);
    Value *next = b.CreateAdd(at, ConstantInt::get(word, range.step), "", true, true);
    at->addIncoming(next, end);
    BranchInst *branch = b.CreateCondBr(b.CreateICmpULT(next, range.to), head, after);
    branch->setMetadata(LLVMContext::MD_loop, parallel_loop(g));
    return after;
}

// The innermost dimension: strips of LANES work-items, then the rest one by one.
static BasicBlock *strip_loops(Group &g, BasicBlock *pre, unsigned lanes, Value **ids, Body body)
{
    Type *word = Type::getInt32Ty(g.module.getContext());
    Value *none = ConstantInt::get(word, 0), *whole = g.size[0];
    if (auto *size = dyn_cast<ConstantInt>(g.size[0]))
        whole = ConstantInt::get(word, size->getZExtValue() / lanes * lanes);
    else
        whole = IRBuilder<>(pre).CreateAnd(g.size[0], ConstantInt::get(word, -uint64_t(lanes)));
    BasicBlock *after = counted_loop(g, pre, {none, whole, lanes}, [&](BasicBlock *at, Value *id) {
        ids[0] = id;
        return body(at, ids, true);
    });
    if (whole == g.size[0])
        return after;
    return counted_loop(g, after, {whole, g.size[0], 1}, [&](BasicBlock *at, Value *id) {
        ids[0] = id;
        return body(at, ids, false);
    });
}

static BasicBlock *dimension_loop(Group &g, BasicBlock *pre, unsigned dimension, unsigned lanes, Value **ids,
                                  Body body)
{
    Type *word = Type::getInt32Ty(g.module.getContext());
    auto inner = [&](BasicBlock *at) {
        return dimension == 0 ? body(at, ids, false) : dimension_loop(g, at, dimension - 1, lanes, ids, body);
    };
    if (dimension == 0 && lanes > 1)
        return strip_loops(g, pre, lanes, ids, body);
    if (auto *one = dyn_cast<ConstantInt>(g.size[dimension]); one && one->isOne()) {
        ids[dimension] = ConstantInt::get(word, 0);
        return inner(pre);
    }
    return counted_loop(g, pre, {ConstantInt::get(word, 0), g.size[dimension], 1},
                        [&](BasicBlock *at, Value *id) {
                            ids[dimension] = id;
                            return inner(at);
                        });
}

BasicBlock *emit_work_item_loops(Group &g, BasicBlock *pre, unsigned lanes, Body body)
{
    Value *ids[3];
    return dimension_loop(g, pre, 2, lanes, ids, body);
}

// Offset + group * local size + local id.  The sums do not wrap, so that addresses made of them advance
// evenly from one work-item to the next.
static Value *global_id(IRBuilder<> &b, const Group &g, unsigned dimension, Value *id)
{
    auto word = [&](uint64_t field) {
        Value *at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), g.frame, field + 8 * g.dimension(dimension));
        LoadInst *load = b.CreateAlignedLoad(b.getInt64Ty(), at, Align(8));
        load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
        return b.CreateTrunc(load, b.getInt32Ty());
    };
    Value *size =
        g.options.any_size ? word(g.options.group_size_at) : b.getInt32(g.options.local_size[dimension]);
    Value *base = b.CreateMul(g.id[dimension], size, "", true, true);
    base = b.CreateAdd(base, word(g.options.offset_at), "", true, true);
    return b.CreateAdd(base, id, "", true, true);
}

SmallVector<Value *, PARAMETERS> item_arguments(IRBuilder<> &b, const Group &g, Value **ids)
{
    SmallVector<Value *, PARAMETERS> arguments{g.frame, g.local};
    arguments.append(g.id, g.id + 3);
    arguments.append(g.size, g.size + 3);
    arguments.append(ids, ids + 3);
    for (unsigned k = 0; k < 3; k++)
        arguments.push_back(global_id(b, g, k, ids[k]));
    return arguments;
}

// From the end of AT, where the work-item with IDS is not before the first that is to be executed; returns
// the block that executes it, and in AT the block after.
static BasicBlock *skip_first_items(const Group &g, BasicBlock *&at, Value **ids)
{
    LLVMContext &c = g.module.getContext();
    BasicBlock *run = BasicBlock::Create(c, "", g.function), *next = BasicBlock::Create(c, "", g.function);
    IRBuilder<> b(at);
    Value *index = b.CreateAdd(b.CreateMul(ids[2], g.size[1]), ids[1]);
    index = b.CreateAdd(b.CreateMul(index, g.size[0]), ids[0]);
    Value *field = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), g.frame, g.options.first_item_at);
    LoadInst *first = b.CreateAlignedLoad(b.getInt64Ty(), field, Align(8));
    first->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(c, {}));
    b.CreateCondBr(b.CreateICmpULT(b.CreateZExt(index, b.getInt64Ty()), first), next, run);
    at = next;
    return run;
}

// A strip of ITEM, or of the part of it behind its guards, of which NARROW is a strip of fewer lanes, or the
// same.
struct ItemStrip {
    Function *item;
    Strip strip, narrow;
    Function *passes; // NULL: there are no guards
};

static ItemStrip mine_item(Module &m, const in_loops &loops, Function &item)
{
    Strip none{nullptr, 1, false};
    GuardedItem guarded = loops.lanes > 0 ? split_guards(item) : GuardedItem();
    if (!guarded.work)
        return {&item, strip_mine(m, loops, item), none, nullptr};
    if (loops.lanes >= 16)
        in_shim_lower_for_vectors(wrap(guarded.work));
    ItemStrip made{&item, strip_mine(m, loops, *guarded.work), none, guarded.passes};
    made.narrow = made.strip;
    if (made.strip.function && made.strip.lanes > loops.lanes)
        made.narrow = strip_mine(m, loops, *guarded.work, 1);
    guarded.work->eraseFromParent();
    if (made.strip.function)
        return made;
    guarded.passes->eraseFromParent();
    return {&item, strip_mine(m, loops, item), none, nullptr};
}

// Executes the LANES work-items from IDS on at the end of AT: if the first and the last one pass the guards,
// all do.  Otherwise narrow strips are tried, and then one work-item after the other.  Returns the block
// after that.
static BasicBlock *call_guarded(Group &g, BasicBlock *at, Value **ids, const ItemStrip &made,
                                const Strip &strip)
{
    LLVMContext &c = g.module.getContext();
    BasicBlock *all = BasicBlock::Create(c, "", g.function), *some = BasicBlock::Create(c, "", g.function);
    IRBuilder<> b(at);
    Value *from = ids[0], *last = b.CreateAdd(from, b.getInt32(strip.lanes - 1), "", true, true);
    auto passes = [&](Value *id) {
        ids[0] = id;
        return b.CreateCall(made.passes, item_arguments(b, g, ids));
    };
    Value *first_passes = passes(from), *last_passes = passes(last);
    b.CreateCondBr(b.CreateAnd(first_passes, last_passes), all, some);
    b.SetInsertPoint(some);
    const bool narrow = made.narrow.lanes < strip.lanes;
    Value *to = b.CreateAdd(last, b.getInt32(1), "", true, true);
    BasicBlock *after =
        counted_loop(g, some, {from, to, narrow ? made.narrow.lanes : 1}, [&](BasicBlock *part, Value *id) {
            ids[0] = id;
            if (narrow)
                return call_guarded(g, part, ids, made, made.narrow);
            IRBuilder<> rest(part);
            rest.CreateCall(made.item, item_arguments(rest, g, ids));
            return part;
        });
    ids[0] = from;
    b.SetInsertPoint(all);
    b.CreateCall(strip.function, item_arguments(b, g, ids));
    b.CreateBr(after);
    return after;
}

static void call_items(Module &m, const in_loops &loops, const ItemStrip &made, bool edge)
{
    Group g(m, loops, edge);
    g.scalar = made.strip.scalar;
    BasicBlock *entry = BasicBlock::Create(m.getContext(), "", g.function);
    BasicBlock *end =
        emit_work_item_loops(g, entry, made.strip.lanes, [&](BasicBlock *at, Value **ids, bool many) {
            if (many && made.passes)
                return call_guarded(g, at, ids, made, made.strip);
            BasicBlock *run = loops.any_size ? skip_first_items(g, at, ids) : at;
            IRBuilder<> b(run);
            b.CreateCall(many ? made.strip.function : made.item, item_arguments(b, g, ids));
            if (run != at)
                b.CreateBr(at);
            return at;
        });
    IRBuilder<>(end).CreateRetVoid();
}

// Sets local memory as it is when a work-group begins, at the end of block FROM, and continues in TO.
// Returns the block before TO.
static BasicBlock *fill_local(const in_loops &loops, Function *row, BasicBlock *from, BasicBlock *to)
{
    LLVMContext &c = row->getContext();
    BasicBlock *fill = BasicBlock::Create(c, "fill", row), *next = BasicBlock::Create(c, "next", row);
    IRBuilder<> b(from);
    auto field = [&](uint64_t at, Type *type) {
        return b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), row->getArg(0), at));
    };
    Value *bytes = field(loops.fill_bytes_at, b.getInt64Ty()), *byte = field(loops.fill_at, b.getInt8Ty());
    b.CreateCondBr(b.CreateICmpNE(bytes, b.getInt64(0)), fill, next);
    b.SetInsertPoint(fill);
    Value *local = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), row->getArg(1), loops.local_at);
    b.CreateMemSet(local, byte, loops.local_bytes ? b.getInt64(loops.local_bytes) : bytes, Align(128));
    b.CreateBr(next);
    IRBuilder<>(next).CreateBr(to);
    return next;
}

// run.row: whole work-groups that follow one another in the first dimension.
static void make_row(Module &m, const in_loops &loops)
{
    LLVMContext &c = m.getContext();
    Function *full = m.getFunction("run.full");
    auto common = full->getFunctionType()->params();
    SmallVector<Type *, 8> types(common.begin(), common.end());
    types.push_back(Type::getInt32Ty(c));
    auto *type = FunctionType::get(Type::getVoidTy(c), types, false);
    Function *row = Function::Create(type, GlobalValue::ExternalLinkage, "run.row", m);
    row->copyAttributesFrom(full);
    full->addFnAttr(Attribute::AlwaysInline);
    full->setLinkage(GlobalValue::InternalLinkage);
    BasicBlock *entry = BasicBlock::Create(c, "", row), *head = BasicBlock::Create(c, "group", row),
               *after = BasicBlock::Create(c, "", row);
    IRBuilder<> b(entry);
    b.CreateBr(head);
    b.SetInsertPoint(head);
    PHINode *k = b.CreatePHI(b.getInt32Ty(), 2);
    k->addIncoming(b.getInt32(0), entry);
    SmallVector<Value *, 8> arguments;
    for (unsigned n = 0; n < full->arg_size(); n++)
        arguments.push_back(row->getArg(n));
    arguments[3] = b.CreateAdd(arguments[3], k, "", true, true);
    b.CreateCall(full, arguments);
    Value *up = b.CreateAdd(k, b.getInt32(1), "", true, true),
          *more = b.CreateICmpULT(up, row->getArg(full->arg_size()));
    if (loops.fill_at) {
        BasicBlock *refill = BasicBlock::Create(c, "", row);
        b.CreateCondBr(more, refill, after);
        k->addIncoming(up, fill_local(loops, row, refill, head));
    } else {
        b.CreateCondBr(more, head, after);
        k->addIncoming(up, head);
    }
    IRBuilder<>(after).CreateRetVoid();
}

bool in_shim_make_loops(LLVMModuleRef module, struct in_loops *loops, char *why, size_t why_size)
{
    Module &m = *unwrap(module);
    Function *item = m.getFunction("item");
    loops->context_bytes = 0;
    Function *barrier = m.getFunction("in.barrier");
    if (barrier && !barrier->use_empty()) {
        if (!split_at_barriers(m, item, *loops, why, why_size))
            return false;
    } else {
        ItemStrip made = mine_item(m, *loops, *item);
        if (!loops->any_size)
            call_items(m, *loops, made, false);
        if (loops->edge)
            call_items(m, *loops, made, true);
    }
    if (!loops->any_size)
        make_row(m, *loops);
    return true;
}
