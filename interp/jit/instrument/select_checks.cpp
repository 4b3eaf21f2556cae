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
        if (callee->getName() == "in.deoptimize_if" || starts_with(callee->getName(), "in.wrap."))
            value_checks.push_back(call);
        if (callee->getName() == "in.phase")
            phases.push_back(call);
        if (callee->getName() == "in.barrier")
            barriers.push_back(call);
        if (callee->getName() == "in.sync")
            synchronizations.push_back(call);
        if (callee->getName() == "in.fence")
            fences.push_back(call);
        if (callee->getName() == "in.weight")
            weights.push_back(call);
    }
    drop_unfenced();
    return true;
}

// A pointer of unknown origin may point to the memory of any argument, and to variables of the program: what
// is done with one of them may be done with all.  Where SVM is followed, pointers that are only read through
// may instead point to what the launch does not write, which in_shadow_find checks.
bool CheckLowering::share_uses()
{
    std::copy(std::begin(options.plan.uses), std::end(options.plan.uses), options.plan.direct);
    if (options.svm && options.plan.dynamic == IN_SHADOW_READ)
        options.plan.reads_unwritten = true;
    options.plan.followed = options.plan.reads_unwritten && !options.lookups;
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

// The most lanes of a vector.  With smaller work-groups the loop is unrolled, and lanes may belong to another
// loop.
enum { LANES = 16 };

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

// Whether V is computed from ids, sizes and arguments alone and is never poison.
static bool is_computed_from_ids(Value *v, SmallPtrSetImpl<Value *> &seen)
{
    if (isa<Constant>(v) || isa<Argument>(v) || is_launch_constant(v) || !seen.insert(v).second)
        return true;
    auto *i = cast<Instruction>(v);
    if (isa<PHINode>(i) || isa<CallInst>(i) || i->mayReadOrWriteMemory() || i->isIntDivRem() ||
        canCreatePoison(cast<Operator>(i)))
        return false;
    return all_of(i->operands(), [&](Value *operand) { return is_computed_from_ids(operand, seen); });
}

// Whether every re-execution writes the same parts of the argument: no branch on a loaded value decides
// whether an access executes.
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
            if (decides && (!branch || !is_computed_from_ids(branch->getCondition(), seen)))
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
    return call && call->getCalledFunction() &&
           (call->getCalledFunction()->getName() == "in.sync" ||
            call->getCalledFunction()->getName() == "in.fence");
}

// A read needs no tag if the same work-item writes the same bytes later in the block, before a barrier or
// synchronization.
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
            a.in_bounds |=
                l.fixed % int64_t(a.align) == 0 && ids_only.is_within(l, a.align, a.origin.size - a.size);
        l = {};
        a.lane_disjoint = options.local_size[0] >= LANES && a.tagged &&
                          analysis.offset(a.call->getArgOperand(0), a.origin.base, l) && !l.is_scaled() &&
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
