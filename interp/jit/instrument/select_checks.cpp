// Collects the accesses of a kernel and selects those that need tags.  docs/instrumentation.md#static-pruning
#include "interp/jit/instrument/lower_checks.hpp"
#include "interp/jit/vectorize/versions.hpp"

#include <functional>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <map>
#include <set>

using namespace llvm;
using namespace instrumentation;

// ---- collection -------------------------------------------------------------------------------

Memory &CheckLowering::memory_of(const Access &a)
{
    switch (a.origin.kind) {
    case Origin::ARGUMENT:
        return memories[a.origin.number];
    case Origin::PROGRAM:
        return memories[PROGRAM_MEMORY];
    case Origin::DYNAMIC:
        return memories[DYNAMIC_MEMORY];
    default:
        return memories[LOCAL_MEMORY];
    }
}

bool CheckLowering::collect_access(CallInst *call, OriginAnalysis &analysis)
{
    auto number = [&](unsigned k) { return cast<ConstantInt>(call->getArgOperand(k))->getZExtValue(); };
    Access a{call, {}, number(1), std::max<uint64_t>(number(2), 1), unsigned(number(3))};
    a.origin = analysis.find(call->getArgOperand(0));
    bool writes = a.how & IN_SHADOW_WRITTEN;
    if (a.origin.kind == Origin::UNKNOWN) {
        if (cast<ConstantInt>(call->getArgOperand(4))->isOne())
            return fail("a pointer to local memory of unknown origin in an instrumented launch");
        a.origin.base = analysis.object_pointer(call->getArgOperand(0));
        a.origin.kind = analysis.is_variable(a.origin.base) ? Origin::PROGRAM : Origin::DYNAMIC;
    }
    switch (a.origin.kind) {
    case Origin::UNKNOWN:
        break;
    case Origin::CONSTANT:
        if (writes)
            return fail("a variable of the program in an instrumented launch");
        break;
    case Origin::ARGUMENT:
    case Origin::PROGRAM:
    case Origin::DYNAMIC:
    case Origin::LOCAL:
    case Origin::LOCAL_ARGUMENT: {
        bool local = a.origin.kind == Origin::LOCAL || a.origin.kind == Origin::LOCAL_ARGUMENT;
        if (a.origin.number >= IN_SHADOW_ARGUMENTS)
            return fail("too many arguments for an instrumented launch");
        Memory &m = memory_of(a);
        a.tagged = true;
        if (!a.plain() && m.atomic_size && m.atomic_size != a.size)
            return fail("atomics of several sizes in the same memory in an instrumented launch");
        if (!a.plain())
            m.atomic_size = a.size;
        if (!local)
            record_use(a, m);
        break;
    }
    case Origin::PRIVATE:
        break;
    }
    accesses.push_back(a);
    return true;
}

// An image is either read or written: a work-item sees its own writes after a fence only [CL 3.3.5 O8].
bool CheckLowering::collect_texel(CallInst *call, OriginAnalysis &analysis)
{
    Access a{call, analysis.find(call->getArgOperand(1)), 1, 1,
             unsigned(cast<ConstantInt>(call->getArgOperand(3))->getZExtValue())};
    if (a.origin.kind != Origin::ARGUMENT || a.origin.number >= IN_SHADOW_ARGUMENTS)
        return fail("an image of unknown origin in an instrumented launch");
    Memory &m = memory_of(a);
    m.texels = true;
    record_use(a, m);
    if ((*m.use & IN_SHADOW_READ) && (*m.use & IN_SHADOW_WRITTEN))
        return fail("an image that is read and written in an instrumented launch");
    texels.push_back(a);
    return true;
}

void CheckLowering::record_use(const Access &a, Memory &m)
{
    *m.use |= !a.plain() ? IN_SHADOW_ATOMIC : a.how & IN_SHADOW_WRITTEN ? IN_SHADOW_WRITTEN : IN_SHADOW_READ;
    m.cell = std::min<unsigned>(m.cell, __builtin_ctzll(a.size | a.align | 8));
}

bool CheckLowering::collect()
{
    for (unsigned k = 0; k < IN_SHADOW_ARGUMENTS; k++)
        memories[k] = {&options.plan.uses[k], false, 3,
                       offsetof(in_shadow, arguments) + k * sizeof(in_shadow_memory)};
    memories[LOCAL_MEMORY] = {&options.plan.local, false, 3, offsetof(in_shadow, local)};
    memories[PROGRAM_MEMORY] = {&options.plan.program, false, 3, 0};
    memories[DYNAMIC_MEMORY] = {&options.plan.dynamic, false, 3, 0};
    OriginAnalysis analysis(item, options);
    for (Instruction &i : instructions(item)) {
        auto *call = dyn_cast<CallInst>(&i);
        Function *callee = call ? call->getCalledFunction() : nullptr;
        if (!callee)
            continue;
        if (callee->getName() == "in.access" && !collect_access(call, analysis))
            return false;
        if (callee->getName() == "in.texel" && !collect_texel(call, analysis))
            return false;
        if (callee->getName() == "in.undo")
            undos.push_back(call);
        if (callee->getName() == "in.suspect" || starts_with(callee->getName(), "in.wrap."))
            value_checks.push_back(call);
        if (callee->getName() == "in.phase")
            phases.push_back(call);
        if (callee->getName() == "in.barrier")
            barriers.push_back(call);
        if (callee->getName() == "in.sync")
            synchronizations.push_back(call);
        if (callee->getName() == "in.weight")
            weights.push_back(call);
    }
    return true;
}

// A pointer of unknown origin may point to the memory of any argument, and to variables of the program: what is done with one of
// them may be done with all.  Where SVM is followed, pointers that are only read through may instead point to what the launch does not
// write, which in_shadow_find checks.
bool CheckLowering::share_uses()
{
    std::copy(std::begin(options.plan.uses), std::end(options.plan.uses), options.plan.direct);
    if (options.svm && options.plan.dynamic == IN_SHADOW_READ)
        options.plan.reads_unwritten = true;
    if (!options.plan.dynamic || options.plan.reads_unwritten)
        return true;
    Memory all = memories[DYNAMIC_MEMORY];
    uint8_t use = *all.use;
    auto global = [&](unsigned k) {
        return k != LOCAL_MEMORY && !memories[k].texels &&
               (k >= IN_SHADOW_ARGUMENTS || k < options.argument_count);
    };
    for (unsigned k = 0; k < MEMORIES; k++)
        if (global(k)) {
            if (memories[k].atomic_size && all.atomic_size && memories[k].atomic_size != all.atomic_size)
                return fail("atomics of several sizes in the same memory in an instrumented launch");
            all.atomic_size = std::max(all.atomic_size, memories[k].atomic_size);
            use |= *memories[k].use;
            all.cell = std::min(all.cell, memories[k].cell);
        }
    for (unsigned k = 0; k < MEMORIES; k++)
        if (global(k)) {
            *memories[k].use = use;
            memories[k].cell = all.cell;
        }
    return true;
}

// Whether LOAD is of the address of the callout frame, at the beginning of local memory, or of a field of it.
static bool is_callout_field(const LoadInst *load, const Function &item)
{
    if (!load->hasMetadata(LLVMContext::MD_invariant_load))
        return false;
    const DataLayout &layout = item.getParent()->getDataLayout();
    APInt at(64, 0);
    const Value *from = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, at, true);
    auto *outer = dyn_cast<LoadInst>(from);
    return load->getPointerOperand() == item.getArg(LOCAL) || (outer && is_callout_field(outer, item));
}

// Accesses without a marker must be to private memory or to the frame.
bool CheckLowering::covers_all_accesses()
{
    OriginAnalysis analysis(item, options);
    SmallPtrSet<const Value *, 8> seen;
    std::function<bool(const Value *, bool)> known = [&](const Value *pointer, bool of_constant) {
        pointer = pointer->stripPointerCasts();
        while (auto *gep = dyn_cast<GetElementPtrInst>(pointer))
            pointer = gep->getPointerOperand()->stripPointerCasts();
        if (auto *call = dyn_cast<CallInst>(pointer))
            return call->getCalledFunction() && StringSwitch<bool>(call->getCalledFunction()->getName())
                                                    .Cases("in.access", "in.texel", "in.undo", true)
                                                    .Default(false);
        if (auto *handle = dyn_cast<IntToPtrInst>(pointer)) // fields of an image, which no kernel changes
            return of_constant && analysis.find(handle->getOperand(0)).kind == Origin::ARGUMENT;
        if (auto *load = dyn_cast<LoadInst>(pointer); load && is_callout_field(load, item))
            return true;
        if (auto *load = dyn_cast<LoadInst>(pointer))
            return load->getPointerOperand()->stripInBoundsConstantOffsets() == item.getArg(FRAME) ||
                   (isa<GetElementPtrInst>(load->getPointerOperand()) &&
                    cast<GetElementPtrInst>(load->getPointerOperand())->getPointerOperand() ==
                        item.getArg(FRAME));
        if (auto *phi = dyn_cast<PHINode>(pointer)) // copies of a marker, once its block is duplicated
            return !seen.insert(phi).second ||
                   all_of(phi->incoming_values(), [&](Value *v) { return known(v, of_constant); });
        return isa<AllocaInst>(pointer) || pointer == item.getArg(FRAME) || isa<GlobalVariable>(pointer);
    };
    auto is_group_function = [](const CallInst &call) { return call.hasFnAttr("quiet"); };
    for (Instruction &i : instructions(item)) {
        if (auto *load = dyn_cast<LoadInst>(&i); load && is_callout_field(load, item))
            continue;
        const Value *pointers[2] = {getLoadStorePointerOperand(&i), nullptr};
        if (auto *rmw = dyn_cast<AtomicRMWInst>(&i))
            pointers[0] = rmw->getPointerOperand();
        if (auto *cas = dyn_cast<AtomicCmpXchgInst>(&i))
            pointers[0] = cas->getPointerOperand();
        if (auto *move = dyn_cast<MemTransferInst>(&i)) {
            pointers[0] = move->getRawDest();
            pointers[1] = move->getRawSource();
        }
        seen.clear();
        for (const Value *p : pointers)
            if (p && !known(p, i.hasMetadata(LLVMContext::MD_invariant_load)) &&
                analysis.find(const_cast<Value *>(p)).kind != Origin::PRIVATE)
                return fail("an access without a check in an instrumented launch");
        if (auto *call = dyn_cast<CallInst>(&i);
            call && !call->getCalledFunction() && !call->isInlineAsm() && !is_group_function(*call))
            return fail("a call without a check in an instrumented launch");
    }
    return true;
}

bool CheckLowering::uniform_barriers()
{
    Divergence divergence(item, 3);
    for (CallInst *call : barriers)
        if (divergence.irreducible || divergence.blocks.count(call->getParent()))
            return fail("a barrier that some work-items may not reach");
    return true;
}

// ---- static pruning -----------------------------------------------------------------------------

// LANES: the most lanes of a vector.  With smaller work-groups the loop is unrolled, and lanes may belong to another
// loop.  MAX_COEFFICIENT: subscripts of 32 bits do not wrap among the lanes of a vector.  MAX_STRIDE * (MAX_TERM + ids) is below 2^31.
enum { LANES = 16, MAX_COEFFICIENT = 1 << 20, MAX_STRIDE = 1 << 6, MAX_TERM = 1 << 24 };

// Whether work-items access disjoint parts of the argument: stride * global id + constant, within one stride.
bool CheckLowering::has_disjoint_parts(unsigned argument)
{
    int64_t stride = 0, low = INT64_MAX, high = INT64_MIN;
    AffineAnalysis analysis(item, options);
    for (Access &a : accesses) {
        if (a.origin.kind != Origin::ARGUMENT || a.origin.number != argument)
            continue;
        AffineOffset l;
        if (!a.plain() || !analysis.offset(a.call->getArgOperand(0), a.origin.base, l) || l.x <= 0 ||
            (stride && l.x != stride) || any_of(l.local, [](int64_t n) { return n != 0; }) ||
            !(options.one_row ? l.row == 0 || l.row == l.x : l.row == l.x))
            return false;
        stride = l.x;
        low = std::min(low, l.fixed);
        high = std::max(high, l.fixed + int64_t(a.size));
    }
    if (high - low > stride || stride > INT32_MAX / 2 || low < INT32_MIN || high > INT32_MAX)
        return false;
    options.plan.parts[argument] = {int32_t(stride), int32_t(low), int32_t(high)};
    options.plan.max_coefficient = std::max<uint64_t>(options.plan.max_coefficient, analysis.max_coefficient);
    return analysis.max_coefficient < MAX_COEFFICIENT;
}

// Whether V is computed from ids and arguments alone and is never poison.
static bool is_launch_constant(Value *v, const Argument *frame, SmallPtrSetImpl<Value *> &seen)
{
    if (isa<Constant>(v) || isa<Argument>(v) || !seen.insert(v).second)
        return true;
    auto *i = cast<Instruction>(v);
    if (auto *load = dyn_cast<LoadInst>(i))
        return getUnderlyingObject(load->getPointerOperand()) == frame;
    if (isa<PHINode>(i) || isa<CallInst>(i) || i->mayReadOrWriteMemory() || i->isIntDivRem() ||
        canCreatePoison(cast<Operator>(i)))
        return false;
    return all_of(i->operands(), [&](Value *operand) { return is_launch_constant(operand, frame, seen); });
}

// Whether every re-execution writes the same parts of the argument: no branch on a loaded value decides whether an
// access executes.
bool CheckLowering::is_idempotent(unsigned argument)
{
    PostDominatorTree tree(item);
    for (Access &a : accesses) {
        if (a.origin.kind != Origin::ARGUMENT || a.origin.number != argument)
            continue;
        BasicBlock *place = a.call->getParent();
        for (BasicBlock &b : item) {
            auto *branch = dyn_cast<BranchInst>(b.getTerminator());
            bool decides = b.getTerminator()->getNumSuccessors() > 1 && !tree.dominates(place, &b);
            SmallPtrSet<Value *, 16> seen;
            if (decides && (!branch || !is_launch_constant(branch->getCondition(), item.getArg(FRAME), seen)))
                return false;
        }
    }
    return *memories[argument].use & IN_SHADOW_DISJOINT && !(*memories[argument].use & IN_SHADOW_READ);
}

bool instrumentation::is_phase(const Instruction &i, unsigned which)
{
    auto *call = dyn_cast<CallInst>(&i);
    return call && call->getCalledFunction() && call->getCalledFunction()->getName() == "in.phase" &&
           (cast<ConstantInt>(call->getArgOperand(0))->getZExtValue() & which);
}

static bool is_synchronization(const Instruction &i)
{
    auto *call = dyn_cast<CallInst>(&i);
    return call && call->getCalledFunction() && call->getCalledFunction()->getName() == "in.sync";
}

// Accesses to local memory reachable from START without a barrier that orders them.
SmallVector<Access *, 16> CheckLowering::between_barriers(Instruction *start)
{
    SmallVector<Access *, 16> result;
    SmallVector<Instruction *, 16> work{start};
    SmallPtrSet<BasicBlock *, 16> seen;
    while (!work.empty()) {
        Instruction *i = work.pop_back_val();
        for (; i && !is_phase(*i, 1); i = i->getNextNode())
            if (auto found = access_of.find(i);
                found != access_of.end() && accesses[found->second].origin.within)
                result.push_back(&accesses[found->second]);
            else if (i->isTerminator())
                for (BasicBlock *next : successors(i))
                    if (seen.insert(next).second)
                        work.push_back(&next->front());
    }
    return result;
}

// Whether one work-item of the work-group makes all accesses: they follow comparisons of an id with the same constant.
bool CheckLowering::by_one_work_item(ArrayRef<Access *> together, const DominatorTree &tree)
{
    if (options.local_size[1] * options.local_size[2] != 1)
        return false;
    OneItem first = guarding_id(together.front()->call->getParent(), tree);
    return first.id && all_of(together, [&](Access *a) {
               OneItem other = guarding_id(a->call->getParent(), tree);
               return other.id == first.id && other.value == first.value;
           });
}

// Makes the offset of S, an access at a fixed place behind a comparison of the local id with a constant, one of the form of
// OWN; false: it is no such access.
static bool is_by_id(LocalOffset &s, const AffineOffset &own, const in_check_lowering &options,
                     const DominatorTree &tree)
{
    OneItem one = guarding_id(s.access->call->getParent(), tree);
    if (!one.id || one.id->getArgNo() != ITEM || one.value >= options.local_size[0] ||
        options.local_size[1] * options.local_size[2] != 1 || std::abs(own.local[0]) >= MAX_COEFFICIENT)
        return false;
    std::copy(own.local, own.local + 3, s.offset.local);
    s.offset.fixed -= own.local[0] * int64_t(one.value);
    return true;
}

// Whether work-items execute BLOCK only if their local id in the first dimension is less than V.
static bool is_below(BasicBlock *block, const Value *v, const Function &item, const DominatorTree &tree)
{
    for (auto *node = tree.getNode(block); node && node->getIDom(); node = node->getIDom()) {
        auto *branch = dyn_cast<BranchInst>(node->getIDom()->getBlock()->getTerminator());
        auto *compare =
            branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
        if (!compare || !compare->getOperand(0)->getType()->isIntegerTy())
            continue;
        ICmpInst::Predicate predicate = compare->getPredicate();
        Value *left = before_casts(compare->getOperand(0)), *right = before_casts(compare->getOperand(1));
        if (left == v) {
            std::swap(left, right);
            predicate = ICmpInst::getSwappedPredicate(predicate);
        }
        bool if_true = predicate == ICmpInst::ICMP_ULT || predicate == ICmpInst::ICMP_SLT;
        bool if_false = predicate == ICmpInst::ICMP_UGE || predicate == ICmpInst::ICMP_SGE;
        if (left == item.getArg(ITEM) && right == v && (if_true || if_false) &&
            tree.dominates(BasicBlockEdge(branch->getParent(), branch->getSuccessor(if_true ? 0 : 1)), block))
            return true;
    }
    return false;
}

// Whether all work-items of a work-group have the same VALUE at USERS between two barriers: they agree on it, and it is not
// recomputed between a barrier and one of USERS.
bool CheckLowering::is_stable(Instruction *value, ArrayRef<Access *> users, const Divergence &divergence)
{
    if (divergence.irreducible || divergence.values.count(value) ||
        divergence.blocks.count(value->getParent()))
        return false;
    return none_of(between_barriers(value), [&](Access *a) { return is_contained(users, a); });
}

// Whether the reads FAR are of what no other work-item writes: at stride * (id + V) + fixed, while the writes among OWN, which end
// before stride * id + HIGH, are by work-items whose id is less than V.  docs/instrumentation.md#static-pruning
bool CheckLowering::are_beyond_writes(ArrayRef<LocalOffset> own, ArrayRef<LocalOffset> far, int64_t high,
                                      const DominatorTree &tree, const Divergence &divergence)
{
    const int64_t stride = own.front().offset.local[0];
    auto *v = dyn_cast_or_null<Instruction>(far.front().offset.term_value);
    if (!v || stride <= 0 || stride > MAX_STRIDE || options.local_size[1] * options.local_size[2] != 1)
        return false;
    SmallVector<Access *, 16> users;
    for (const LocalOffset &f : far) {
        const AffineOffset &l = f.offset;
        if ((f.access->how & IN_SHADOW_WRITTEN) || l.term_value != v || l.term != stride ||
            l.local[0] != stride || l.local[1] || l.local[2] || l.fixed < high - stride ||
            l.fixed >= MAX_COEFFICIENT)
            return false;
        users.push_back(f.access);
    }
    for (const LocalOffset &o : own) {
        if (!(o.access->how & IN_SHADOW_WRITTEN))
            continue;
        if (!is_below(o.access->call->getParent(), v, item, tree))
            return false;
        users.push_back(o.access);
    }
    if (!is_stable(v, users, divergence))
        return false;
    b.SetInsertPoint(
        &*(isa<PHINode>(v) ? v->getParent()->getFirstInsertionPt() : std::next(v->getIterator())));
    FunctionCallee suspect =
        item.getParent()->getOrInsertFunction("in.suspect", b.getVoidTy(), b.getInt1Ty());
    value_checks.push_back(
        b.CreateCall(suspect, b.CreateICmpUGT(v, ConstantInt::get(v->getType(), MAX_TERM))));
    return true;
}

// Whether accesses to one variable that no barrier separates cannot conflict: only reads, only atomics, disjoint
// parts, those of one work-item, or reads beyond what is written.
bool CheckLowering::needs_no_order(ArrayRef<Access *> together, const DominatorTree &tree,
                                   const Divergence &divergence)
{
    auto only = [&](unsigned how) {
        return all_of(together, [&](Access *a) { return (a->how & (IN_SHADOW_ATOMIC | how)) == how; });
    };
    if (options.local_size[0] * options.local_size[1] * options.local_size[2] == 1 ||
        all_of(together, [](Access *a) { return a->how == 0; }) || only(IN_SHADOW_ATOMIC) ||
        by_one_work_item(together, tree))
        return true;
    AffineAnalysis analysis(item, options, &divergence);
    SmallVector<LocalOffset, 16> own, far, single;
    for (Access *a : together) {
        AffineOffset l;
        if (!a->plain() || !analysis.offset(a->call->getArgOperand(0), a->origin.base, l) || l.x || l.row)
            return false;
        (l.uniform_term ? far : l.is_fixed() ? single : own).push_back({a, l});
    }
    if (own.empty())
        return false;
    const AffineOffset first = own.front().offset;
    for (LocalOffset &s : single) // of the work-item with one id: as if computed from that id
        if (!is_by_id(s, first, options, tree))
            return false;
    own.append(single);
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (const LocalOffset &o : own) {
        if (!std::equal(o.offset.local, o.offset.local + 3, first.local))
            return false;
        low = std::min(low, o.offset.fixed);
        high = std::max(high, o.offset.fixed + int64_t(o.access->size));
    }
    return analysis.is_disjoint(first, high - low) &&
           (far.empty() || are_beyond_writes(own, far, high, tree, divergence));
}

void CheckLowering::select_local()
{
    SmallVector<Instruction *, 8> starts{&item.getEntryBlock().front()};
    for (CallInst *call : phases)
        if (is_phase(*call, 1))
            starts.push_back(call->getNextNode());
    for (Access &a : accesses)
        a.tagged &= !a.origin.within;
    using Variable = std::pair<unsigned, uint64_t>;
    auto variable = [](const Access &a) {
        auto *offset = dyn_cast<ConstantInt>(a.origin.within);
        return Variable(a.origin.number, offset ? offset->getZExtValue() : UINT64_MAX);
    };
    std::set<Variable> tagged;
    DominatorTree tree(item);
    Divergence divergence(item, 3);
    for (Instruction *start : starts) {
        std::map<Variable, SmallVector<Access *, 16>> together;
        for (Access *a : between_barriers(start))
            together[variable(*a)].push_back(a);
        for (auto &t : together)
            if (!needs_no_order(t.second, tree, divergence))
                tagged.insert(t.first);
    }
    for (Access &a : accesses)
        if (a.origin.within && tagged.count(variable(a))) {
            a.tagged = true;
            record_use(a, memories[LOCAL_MEMORY]);
        }
}

// A read needs no tag if the same work-item writes the same bytes later in the block, before a barrier or synchronization.
void CheckLowering::drop_redundant()
{
    Divergence divergence(item, 1);
    AffineAnalysis analysis(item, options, &divergence);
    std::map<std::pair<Value *, uint64_t>, SmallVector<Access *, 4>> reads;
    for (BasicBlock &block : item) {
        reads.clear();
        for (Instruction &i : block) {
            if (is_phase(i, 3) || is_synchronization(i))
                reads.clear();
            auto found = access_of.find(&i);
            if (found == access_of.end() || !accesses[found->second].plain())
                continue;
            Access &a = accesses[found->second];
            std::pair<Value *, uint64_t> place(a.call->getArgOperand(0), a.size);
            if (!(a.how & IN_SHADOW_WRITTEN)) {
                reads[place].push_back(&a);
                continue;
            }
            for (Access *read : reads[place])
                read->tagged = false;
            reads.erase(place);
        }
    }
    AffineAnalysis ids_only(item, options);
    for (Access &a : accesses) {
        AffineOffset l;
        if (a.origin.size && ids_only.offset(a.call->getArgOperand(0), a.origin.base, l))
            a.in_bounds =
                l.fixed % int64_t(a.align) == 0 && ids_only.is_within(l, a.align, a.origin.size - a.size);
        l = {};
        a.lane_disjoint = options.local_size[0] >= LANES && a.tagged &&
                          analysis.offset(a.call->getArgOperand(0), a.origin.base, l) &&
                          std::abs(l.x + l.local[0]) >= int64_t(a.size) &&
                          analysis.max_coefficient < MAX_COEFFICIENT;
    }
}

bool CheckLowering::select()
{
    for (unsigned k = 0; k < accesses.size(); k++)
        access_of[accesses[k].call] = k;
    select_local();
    if (!share_uses())
        return false;
    for (unsigned k = 0; k < MEMORIES; k++) {
        Memory &m = memories[k];
        const unsigned writers = IN_SHADOW_WRITTEN | IN_SHADOW_ATOMIC;
        if (!(*m.use & writers))
            continue;
        if (*m.use == IN_SHADOW_ATOMIC) {
            *m.use |= m.cell << IN_SHADOW_GRANULE;
            continue;
        }
        if (m.texels)
            *m.use |= IN_SHADOW_TAGGED;
        else if (k < IN_SHADOW_ARGUMENTS && (!options.plan.dynamic || options.plan.reads_unwritten) &&
                 (has_disjoint_parts(k) || has_grid(k)))
            *m.use |= IN_SHADOW_DISJOINT;
        else
            *m.use |= IN_SHADOW_TAGGED | m.cell << IN_SHADOW_GRANULE;
        if (k < IN_SHADOW_ARGUMENTS && !m.texels && is_idempotent(k))
            *m.use |= IN_SHADOW_IDEMPOTENT;
    }
    drop_redundant();
    for (CallInst *call : phases)
        options.plan.phases |= (cast<ConstantInt>(call->getArgOperand(0))->getZExtValue() & 2) != 0;
    options.plan.lane_bits =
        Log2_64(uint64_t(options.local_size[0]) * options.local_size[1] * options.local_size[2]) + 1;
    return true;
}
