// Watched launches: which accesses there are, and which of them need tags.
#include "interp/jit/instrument/watch.hpp"

#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <map>
#include <set>

using namespace llvm;
using namespace watching;

// ---- what there is -------------------------------------------------------------------------------

bool Watch::collect(CallInst *call)
{
    auto number = [&](unsigned k) { return cast<ConstantInt>(call->getArgOperand(k))->getZExtValue(); };
    Access a{call, {}, number(1), std::max<uint64_t>(number(2), 1), unsigned(number(3))};
    RootFinder finder(item, watching);
    a.root = finder.find(call->getArgOperand(0));
    bool writes = a.how & IN_WATCH_WRITTEN;
    switch (a.root.kind) {
    case Root::UNKNOWN:
        return fail("a pointer of unknown origin, which is to be watched");
    case Root::CONSTANT:
        if (writes)
            return fail("a variable of the program, which is to be watched");
        break;
    case Root::ARGUMENT:
    case Root::LOCAL:
    case Root::LOCAL_ARGUMENT: {
        bool local = a.root.kind != Root::ARGUMENT;
        if (a.root.number >= IN_WATCH_ARGUMENTS)
            return fail("more arguments than can be watched");
        Memory &m = memories[local ? unsigned(IN_WATCH_ARGUMENTS) : a.root.number];
        a.tagged = true;
        if (!a.plain() && m.object && m.object != a.size)
            return fail("atomics of several sizes in the same memory, which is to be watched");
        if (!a.plain())
            m.object = a.size;
        if (!local)
            note(a, m);
        break;
    }
    case Root::PRIVATE:
        break;
    }
    accesses.push_back(a);
    return true;
}

void Watch::note(const Access &a, Memory &m)
{
    *m.use |= !a.plain() ? IN_WATCH_ATOMIC : a.how & IN_WATCH_WRITTEN ? IN_WATCH_WRITTEN : IN_WATCH_READ;
    m.cell = std::min<unsigned>(m.cell, countTrailingZeros(a.size | a.align | 8));
}

bool Watch::collect()
{
    for (unsigned k = 0; k < IN_WATCH_ARGUMENTS; k++)
        memories[k] = {&watching.watched.uses[k], 3,
                       offsetof(in_watch, arguments) + k * sizeof(in_watch_memory)};
    memories[IN_WATCH_ARGUMENTS] = {&watching.watched.local, 3, offsetof(in_watch, local)};
    for (Instruction &i : instructions(item)) {
        auto *call = dyn_cast<CallInst>(&i);
        Function *callee = call ? call->getCalledFunction() : nullptr;
        if (!callee)
            continue;
        if (callee->getName() == "in.access" && !collect(call))
            return false;
        if (callee->getName() == "in.suspect")
            suspects.push_back(call);
        if (callee->getName() == "in.phase")
            phases.push_back(call);
    }
    return true;
}

// All other accesses are to memory of the work-item itself, and to what the launch is made of.
bool Watch::nothing_else()
{
    auto known = [&](const Value *pointer) {
        pointer = pointer->stripPointerCasts();
        while (auto *gep = dyn_cast<GetElementPtrInst>(pointer))
            pointer = gep->getPointerOperand()->stripPointerCasts();
        if (auto *call = dyn_cast<CallInst>(pointer))
            return call->getCalledFunction() && call->getCalledFunction()->getName() == "in.access";
        if (auto *load = dyn_cast<LoadInst>(pointer))
            return load->getPointerOperand()->stripInBoundsConstantOffsets() == item.getArg(FRAME) ||
                   (isa<GetElementPtrInst>(load->getPointerOperand()) &&
                    cast<GetElementPtrInst>(load->getPointerOperand())->getPointerOperand() ==
                        item.getArg(FRAME));
        return isa<AllocaInst>(pointer) || pointer == item.getArg(FRAME) || isa<GlobalVariable>(pointer);
    };
    RootFinder finder(item, watching);
    for (Instruction &i : instructions(item)) {
        const Value *pointers[2] = {getLoadStorePointerOperand(&i), nullptr};
        if (auto *rmw = dyn_cast<AtomicRMWInst>(&i))
            pointers[0] = rmw->getPointerOperand();
        if (auto *cas = dyn_cast<AtomicCmpXchgInst>(&i))
            pointers[0] = cas->getPointerOperand();
        if (auto *move = dyn_cast<MemTransferInst>(&i)) {
            pointers[0] = move->getRawDest();
            pointers[1] = move->getRawSource();
        }
        for (const Value *p : pointers)
            if (p && !known(p) && finder.find(const_cast<Value *>(p)).kind != Root::PRIVATE)
                return fail("an access that is not watched");
        if (auto *call = dyn_cast<CallInst>(&i); call && !call->getCalledFunction() && !call->isInlineAsm())
            return fail("a call that is not watched");
    }
    return true;
}

bool Watch::uniform_barriers()
{
    Divergence agreement(item, 3);
    for (CallInst *call : phases)
        if (agreement.irreducible || agreement.blocks.count(call->getParent()))
            return fail("a barrier that some work-items may not reach");
    return true;
}

// ---- what needs tags -----------------------------------------------------------------------------

// Vectors have at most so many lanes: loops over fewer work-items are unrolled, and lanes are of another
// loop. What ids are multiplied by: numbers of 32 bits do not wrap around among work-items that are executed
// at once.
enum { LANES = 16, MOST = 1 << 20 };

// Whether every work-item has bytes of its own, the same ones for all accesses, as far as ids go.
bool Watch::own_parts(unsigned argument)
{
    int64_t stride = 0, low = INT64_MAX, high = INT64_MIN;
    LinearFinder finder(item, watching);
    for (Access &a : accesses) {
        if (a.root.kind != Root::ARGUMENT || a.root.number != argument)
            continue;
        Linear l;
        if (!a.plain() || !finder.offset(a.call->getArgOperand(0), a.root.base, l) || l.x <= 0 ||
            (stride && l.x != stride) || any_of(l.local, [](int64_t n) { return n != 0; }) ||
            !(watching.one_row ? l.rows == 0 || l.rows == l.x : l.rows == l.x))
            return false;
        stride = l.x;
        low = std::min(low, l.fixed);
        high = std::max(high, l.fixed + int64_t(a.size));
    }
    if (high - low > stride)
        return false;
    watching.watched.most = std::max<uint64_t>(watching.watched.most, finder.most);
    return finder.most < MOST;
}

// Whether V follows from ids and arguments alone, as defined for all of them.
static bool settled(Value *v, const Argument *frame, SmallPtrSetImpl<Value *> &seen)
{
    if (isa<Constant>(v) || isa<Argument>(v) || !seen.insert(v).second)
        return true;
    auto *i = cast<Instruction>(v);
    if (auto *load = dyn_cast<LoadInst>(i))
        return getUnderlyingObject(load->getPointerOperand()) == frame;
    if (isa<PHINode>(i) || isa<CallInst>(i) || i->mayReadOrWriteMemory() || i->isIntDivRem() ||
        canCreatePoison(cast<Operator>(i)))
        return false;
    return all_of(i->operands(), [&](Value *operand) { return settled(operand, frame, seen); });
}

// Whether each execution writes the argument where this one does, each work-item its own part: no value from
// memory decides whether it does.
bool Watch::writes_again(unsigned argument)
{
    PostDominatorTree tree(item);
    for (Access &a : accesses) {
        if (a.root.kind != Root::ARGUMENT || a.root.number != argument)
            continue;
        BasicBlock *place = a.call->getParent();
        for (BasicBlock &b : item) {
            auto *branch = dyn_cast<BranchInst>(b.getTerminator());
            bool decides = b.getTerminator()->getNumSuccessors() > 1 && !tree.dominates(place, &b);
            SmallPtrSet<Value *, 16> seen;
            if (decides && (!branch || !settled(branch->getCondition(), item.getArg(FRAME), seen)))
                return false;
        }
    }
    return *memories[argument].use & IN_WATCH_OWN && !(*memories[argument].use & IN_WATCH_READ);
}

bool watching::is_phase(const Instruction &i, unsigned which)
{
    auto *call = dyn_cast<CallInst>(&i);
    return call && call->getCalledFunction() && call->getCalledFunction()->getName() == "in.phase" &&
           (cast<ConstantInt>(call->getArgOperand(0))->getZExtValue() & which);
}

// Accesses of local memory from START on, until barriers that order them.
SmallVector<Access *, 16> Watch::between_barriers(Instruction *start)
{
    SmallVector<Access *, 16> result;
    SmallVector<Instruction *, 16> work{start};
    SmallPtrSet<BasicBlock *, 16> seen;
    while (!work.empty()) {
        Instruction *i = work.pop_back_val();
        for (; i && !is_phase(*i, 1); i = i->getNextNode())
            if (auto found = access_of.find(i);
                found != access_of.end() && accesses[found->second].root.within)
                result.push_back(&accesses[found->second]);
            else if (i->isTerminator())
                for (BasicBlock *next : successors(i))
                    if (seen.insert(next).second)
                        work.push_back(&next->front());
    }
    return result;
}

// Whether accesses of one variable that no barrier separates need no order: reads alone, atomics alone, or
// each work-item on its own part.
bool Watch::orderless(ArrayRef<Access *> together)
{
    auto only = [&](unsigned how) {
        return all_of(together, [&](Access *a) { return (a->how & (IN_WATCH_ATOMIC | how)) == how; });
    };
    if (all_of(together, [](Access *a) { return a->how == 0; }) || only(IN_WATCH_ATOMIC))
        return true;
    LinearFinder finder(item, watching);
    Linear first;
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (Access *a : together) {
        Linear l;
        if (!a->plain() || !finder.offset(a->call->getArgOperand(0), a->root.base, l) || l.x || l.rows ||
            (a != together.front() && !std::equal(l.local, l.local + 3, first.local)))
            return false;
        first = l;
        low = std::min(low, l.fixed);
        high = std::max(high, l.fixed + int64_t(a->size));
    }
    return finder.apart(first, high - low);
}

void Watch::choose_local()
{
    SmallVector<Instruction *, 8> starts{&item.getEntryBlock().front()};
    for (CallInst *call : phases)
        if (is_phase(*call, 1))
            starts.push_back(call->getNextNode());
    for (Access &a : accesses)
        a.tagged &= !a.root.within;
    using Variable = std::pair<unsigned, uint64_t>;
    auto variable = [](const Access &a) {
        auto *offset = dyn_cast<ConstantInt>(a.root.within);
        return Variable(a.root.number, offset ? offset->getZExtValue() : UINT64_MAX);
    };
    std::set<Variable> tagged;
    for (Instruction *start : starts) {
        std::map<Variable, SmallVector<Access *, 16>> together;
        for (Access *a : between_barriers(start))
            together[variable(*a)].push_back(a);
        for (auto &t : together)
            if (!orderless(t.second))
                tagged.insert(t.first);
    }
    for (Access &a : accesses)
        if (a.root.within && tagged.count(variable(a))) {
            a.tagged = true;
            note(a, memories[IN_WATCH_ARGUMENTS]);
        }
}

// Reads need no tags where the work-item also writes the same, before any barrier.
void Watch::leave_out()
{
    Divergence agreement(item, 1);
    LinearFinder finder(item, watching, &agreement);
    std::map<std::pair<Value *, uint64_t>, SmallVector<Access *, 4>> reads;
    for (BasicBlock &block : item) {
        reads.clear();
        for (Instruction &i : block) {
            if (is_phase(i, 3))
                reads.clear();
            auto found = access_of.find(&i);
            if (found == access_of.end() || !accesses[found->second].plain())
                continue;
            Access &a = accesses[found->second];
            std::pair<Value *, uint64_t> place(a.call->getArgOperand(0), a.size);
            if (!(a.how & IN_WATCH_WRITTEN)) {
                reads[place].push_back(&a);
                continue;
            }
            for (Access *read : reads[place])
                read->tagged = false;
            reads.erase(place);
        }
    }
    LinearFinder exact(item, watching);
    for (Access &a : accesses) {
        Linear l;
        if (a.root.size && exact.offset(a.call->getArgOperand(0), a.root.base, l))
            a.inside = l.fixed % int64_t(a.align) == 0 && exact.within(l, a.align, a.root.size - a.size);
        l = {};
        a.lone = watching.local_size[0] >= LANES && a.tagged &&
                 finder.offset(a.call->getArgOperand(0), a.root.base, l) &&
                 std::abs(l.x + l.local[0]) >= int64_t(a.size) && finder.most < MOST;
    }
}

void Watch::choose()
{
    for (unsigned k = 0; k < accesses.size(); k++)
        access_of[accesses[k].call] = k;
    choose_local();
    for (unsigned k = 0; k <= IN_WATCH_ARGUMENTS; k++) {
        Memory &m = memories[k];
        const unsigned writers = IN_WATCH_WRITTEN | IN_WATCH_ATOMIC;
        if (!(*m.use & writers) || *m.use == IN_WATCH_ATOMIC)
            continue;
        if (k < IN_WATCH_ARGUMENTS && own_parts(k))
            *m.use |= IN_WATCH_OWN;
        else
            *m.use |= IN_WATCH_SHADOWED | m.cell << IN_WATCH_CELL;
        if (k < IN_WATCH_ARGUMENTS && writes_again(k))
            *m.use |= IN_WATCH_AGAIN;
    }
    leave_out();
    for (CallInst *call : phases)
        watching.watched.phases |= (cast<ConstantInt>(call->getArgOperand(0))->getZExtValue() & 2) != 0;
    watching.watched.lane_bits =
        Log2_64(uint64_t(watching.local_size[0]) * watching.local_size[1] * watching.local_size[2]) + 1;
}
