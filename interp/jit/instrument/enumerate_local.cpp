// Accesses to local memory, enumerated for each work-item of a work-group.
// docs/instrumentation.md#enumeration
#include "interp/jit/instrument/enumerate_local.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;
using namespace instrumentation;

enum : unsigned { NO_ITEM = UINT32_MAX, SEVERAL_ITEMS = UINT32_MAX - 1 };

LocalVariable instrumentation::local_variable(const Access &a)
{
    auto *offset = dyn_cast<ConstantInt>(a.origin.within);
    return {a.origin.number, offset ? offset->getZExtValue() : UINT64_MAX};
}

LocalEnumeration::LocalEnumeration(Function &f, const in_check_lowering &w, const DominatorTree &t)
    : item(f), options(w), layout(f.getParent()->getDataLayout()), tree(t), post(f), loops(t),
      items(w.local_size[0] * w.local_size[1] * w.local_size[2]), budget(BUDGET)
{
}

// ---- values --------------------------------------------------------------------------------------

static uint64_t low_bits(uint64_t v, unsigned width)
{
    return width < 64 ? v & ((UINT64_C(1) << width) - 1) : v;
}

static int64_t with_sign(uint64_t v, unsigned width)
{
    return int64_t(v << (64 - width)) >> (64 - width);
}

static bool compare_values(CmpInst::Predicate predicate, uint64_t x, uint64_t y, unsigned width)
{
    return ICmpInst::compare(APInt(width, x), APInt(width, y), predicate);
}

static std::optional<uint64_t> compute_intrinsic(Intrinsic::ID id, uint64_t x, uint64_t y, unsigned width)
{
    const bool is_less = with_sign(x, width) < with_sign(y, width);
    switch (id) {
    case Intrinsic::smax:
        return is_less ? y : x;
    case Intrinsic::smin:
        return is_less ? x : y;
    case Intrinsic::umax:
        return std::max(x, y);
    case Intrinsic::umin:
        return std::min(x, y);
    default:
        return std::nullopt;
    }
}

static std::optional<uint64_t> compute_binary(unsigned opcode, uint64_t x, uint64_t y, unsigned width)
{
    switch (opcode) {
    case Instruction::Add:
        return x + y;
    case Instruction::Sub:
        return x - y;
    case Instruction::Mul:
        return x * y;
    case Instruction::And:
        return x & y;
    case Instruction::Or:
        return x | y;
    case Instruction::Xor:
        return x ^ y;
    case Instruction::Shl:
        return y < width ? std::optional(x << y) : std::nullopt;
    case Instruction::LShr:
        return y < width ? std::optional(x >> y) : std::nullopt;
    case Instruction::AShr:
        return y < width ? std::optional(uint64_t(with_sign(x, width) >> y)) : std::nullopt;
    case Instruction::UDiv:
        return y ? std::optional(x / y) : std::nullopt;
    case Instruction::URem:
        return y ? std::optional(x % y) : std::nullopt;
    case Instruction::SDiv:
        return y && y != low_bits(UINT64_MAX, width)
                   ? std::optional(uint64_t(with_sign(x, width) / with_sign(y, width)))
                   : std::nullopt;
    case Instruction::SRem:
        return y && y != low_bits(UINT64_MAX, width)
                   ? std::optional(uint64_t(with_sign(x, width) % with_sign(y, width)))
                   : std::nullopt;
    default:
        return std::nullopt;
    }
}

// The value of I, which is no phi and no selection, for one work-item.
std::optional<uint64_t> LocalEnumeration::compute_lane(const Instruction &i,
                                                       ArrayRef<uint64_t> operands) const
{
    const unsigned width = i.getOperand(0)->getType()->getIntegerBitWidth();
    if (auto *compared = dyn_cast<ICmpInst>(&i))
        return compare_values(compared->getPredicate(), operands[0], operands[1], width);
    if (isa<SExtInst>(i))
        return uint64_t(with_sign(operands[0], width));
    if (isa<ZExtInst>(i) || isa<TruncInst>(i))
        return operands[0];
    if (auto *call = dyn_cast<IntrinsicInst>(&i))
        return operands.size() >= 2
                   ? compute_intrinsic(call->getIntrinsicID(), operands[0], operands[1], width)
                   : std::nullopt;
    return isa<BinaryOperator>(i) ? compute_binary(i.getOpcode(), operands[0], operands[1], width)
                                  : std::nullopt;
}

// Of a phi that is no counter: what comes from the one block from which the work-item may come.
LocalEnumeration::Lanes LocalEnumeration::compute_phi(const PHINode &phi)
{
    Lanes result(items);
    Mask some(items), several(items);
    const auto *node = tree.getNode(phi.getParent());
    if (loops.isLoopHeader(phi.getParent()) || !node || !node->getIDom())
        return result;
    for (unsigned k = 0; k < phi.getNumIncomingValues(); k++) {
        const BasicBlock *from = phi.getIncomingBlock(k);
        if (phi.getBasicBlockIndex(from) != int(k))
            continue;
        Mask comes = executing(from, node->getIDom()->getBlock());
        restrict_edge(from, phi.getParent(), comes);
        const Lanes value = evaluate(phi.getIncomingValue(k));
        for (unsigned n = 0; n < items; n++)
            if (comes[n]) {
                several[n] = several[n] || some[n];
                some[n] = true;
                result[n] = several[n] ? std::nullopt : value[n];
            }
    }
    return result;
}

LocalEnumeration::Lanes LocalEnumeration::compute(const Value *v)
{
    Lanes result(items);
    auto fill = [&](function_ref<uint64_t(unsigned)> of) {
        for (unsigned n = 0; n < items; n++)
            result[n] = of(n);
    };
    const uint32_t *size = options.local_size;
    if (auto *c = dyn_cast<ConstantInt>(v))
        fill([&](unsigned) { return c->getZExtValue(); });
    for (unsigned k = 0; k < 3; k++) {
        if (v == item.getArg(SIZE + k) && !options.edge)
            fill([&](unsigned) { return size[k]; });
        if (v == item.getArg(ITEM + k))
            fill([&](unsigned n) {
                return k == 0 ? n % size[0] : k == 1 ? n / size[0] % size[1] : n / size[0] / size[1];
            });
    }
    auto *i = dyn_cast<Instruction>(v);
    if (auto *phi = dyn_cast_or_null<PHINode>(i))
        return compute_phi(*phi);
    if (auto *select = dyn_cast_or_null<SelectInst>(i)) {
        const Lanes condition = evaluate(select->getCondition()), yes = evaluate(select->getTrueValue()),
                    no = evaluate(select->getFalseValue());
        for (unsigned n = 0; n < items; n++)
            if (condition[n])
                result[n] = *condition[n] ? yes[n] : no[n];
        return result;
    }
    if (!i || i->getNumOperands() == 0 || !i->getOperand(0)->getType()->isIntegerTy() ||
        i->getOperand(0)->getType()->getIntegerBitWidth() > 64 ||
        !(isa<BinaryOperator>(i) || isa<ICmpInst>(i) || isa<CastInst>(i) || isa<IntrinsicInst>(i)))
        return result;
    SmallVector<Lanes, 2> operands;
    for (unsigned k = 0; k < std::min(2u, i->getNumOperands()); k++) {
        if (!i->getOperand(k)->getType()->isIntegerTy())
            break;
        operands.push_back(evaluate(i->getOperand(k)));
    }
    for (unsigned n = 0; n < items; n++) {
        SmallVector<uint64_t, 2> lane;
        for (const Lanes &l : operands)
            if (l[n])
                lane.push_back(*l[n]);
        if (lane.size() == operands.size() && (lane.size() == 2 || isa<CastInst>(i)))
            if (auto value = compute_lane(*i, lane))
                result[n] = low_bits(*value, i->getType()->getIntegerBitWidth());
    }
    return result;
}

// The values of the integer V in the iterations that COUNTERS say.
const LocalEnumeration::Lanes &LocalEnumeration::evaluate(const Value *v)
{
    if (auto *phi = dyn_cast<PHINode>(v))
        if (auto found = counters.find(phi); found != counters.end())
            return found->second;
    if (auto found = known.find(v); found != known.end())
        return found->second;
    const bool possible = v->getType()->isIntegerTy() && v->getType()->getIntegerBitWidth() <= 64 &&
                          budget >= items && evaluating.insert(v).second;
    Lanes result(items);
    if (possible) {
        budget -= items;
        result = compute(v);
        evaluating.erase(v);
    }
    return known[v] = std::move(result);
}

// ---- which work-items execute a block ------------------------------------------------------------

// Removes from MASK the work-items that do not go from FROM to TO.
void LocalEnumeration::restrict_edge(const BasicBlock *from, const BasicBlock *to, Mask &mask)
{
    auto *branch = dyn_cast<BranchInst>(from->getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
        return;
    const Lanes condition = evaluate(branch->getCondition());
    for (unsigned n = 0; n < items; n++)
        if (condition[n] && branch->getSuccessor(*condition[n] ? 0 : 1) != to)
            mask[n] = false;
}

// The work-items that may execute BLOCK, by the branches on all paths to it, from UNTIL on if it is given.
LocalEnumeration::Mask LocalEnumeration::executing(const BasicBlock *block, const BasicBlock *until)
{
    Mask mask(items, true);
    const auto *node = tree.getNode(block);
    for (; node && node->getIDom() && node->getBlock() != until; node = node->getIDom()) {
        const BasicBlock *from = node->getIDom()->getBlock();
        auto *branch = dyn_cast<BranchInst>(from->getTerminator());
        for (unsigned k = 0; branch && branch->isConditional() && k < 2; k++)
            if (tree.dominates(BasicBlockEdge(from, branch->getSuccessor(k)), node->getBlock()))
                restrict_edge(from, branch->getSuccessor(k), mask);
    }
    return mask;
}

// ---- accesses ------------------------------------------------------------------------------------

bool LocalEnumeration::offset(const Value *pointer, const Value *base, Lanes &sum)
{
    if (pointer == base) {
        sum.assign(items, 0);
        return true;
    }
    auto *gep = dyn_cast<GEPOperator>(pointer);
    if (!gep || !offset(gep->getPointerOperand(), base, sum))
        return false;
    for (auto at = gep_type_begin(gep); at != gep_type_end(gep); ++at) {
        if (at.isStruct() || !at.getOperand()->getType()->isIntegerTy(64))
            return false;
        const uint64_t size = layout.getTypeAllocSize(at.getIndexedType());
        const Lanes index = evaluate(at.getOperand());
        for (unsigned n = 0; n < items; n++)
            sum[n] = sum[n] && index[n] ? std::optional(*sum[n] + *index[n] * size) : std::nullopt;
    }
    return true;
}

// Whether the iteration is that of the work-group's path.
bool LocalEnumeration::is_chosen(const Loop &loop) const
{
    return all_of(loop.getHeader()->phis(), [&](const PHINode &phi) { return counters.count(&phi); });
}

// The loops on whose counters VALUES depend.
SmallPtrSet<const Loop *, 4> LocalEnumeration::counting_loops(SmallVector<const Value *, 16> values,
                                                              const Value *base)
{
    SmallPtrSet<const Value *, 16> seen;
    SmallPtrSet<const Loop *, 4> found;
    while (!values.empty()) {
        auto *i = dyn_cast<Instruction>(values.pop_back_val());
        if (!i || i == base || !seen.insert(i).second)
            continue;
        if (isa<PHINode>(i) && loops.isLoopHeader(i->getParent()))
            found.insert(loops.getLoopFor(i->getParent()));
        if (isa<PHINode>(i) || isa<GetElementPtrInst>(i) || i->getType()->isIntegerTy())
            values.append(i->op_begin(), i->op_end());
    }
    for (const Loop *l : SmallVector<const Loop *, 4>(found.begin(), found.end()))
        if (is_chosen(*l))
            found.erase(l);
    return found;
}

// The loops around the access whose counters its place depends on, or, with CONDITIONS, the branches that
// lead to it; from the outermost to the innermost.  False: they cannot be enumerated.
bool LocalEnumeration::find_loops(const Access &a, bool conditions, SmallVectorImpl<Loop *> &found)
{
    const BasicBlock *block = a.call->getParent();
    SmallVector<const Value *, 16> branches;
    for (auto *node = tree.getNode(block); conditions && node && node->getIDom(); node = node->getIDom())
        if (auto *branch = dyn_cast<BranchInst>(node->getIDom()->getBlock()->getTerminator());
            branch && branch->isConditional())
            branches.push_back(branch->getCondition());
    auto needed = counting_loops({a.call->getArgOperand(0)}, a.origin.base),
         deciding = counting_loops(branches, nullptr);
    for (Loop *l = loops.getLoopFor(block); l; l = l->getParentLoop()) {
        const bool is_needed = needed.erase(l);
        if (!is_needed && !deciding.count(l))
            continue;
        if (!l->getLoopPredecessor() || !l->getLoopLatch())
            return false;
        found.insert(found.begin(), l);
    }
    return needed.empty();
}

// Marks the bytes of the access that the work-items of MASK may make now; false: two work-items conflict, or
// a place is not known.
bool LocalEnumeration::make_access(const Access &a, const Mask &mask)
{
    Lanes at;
    if (budget < items || !offset(a.call->getArgOperand(0), a.origin.base, at))
        return false;
    const uint64_t end = a.origin.size ? a.origin.size : uint64_t(MOST_BYTES);
    const bool writes = a.how & IN_SHADOW_WRITTEN;
    std::vector<Cell> &marks = cells[local_variable(a)];
    budget -= unsigned(std::min<uint64_t>(budget, items * (1 + a.size / 8)));
    for (unsigned n = 0; n < items; n++) {
        if (!mask[n])
            continue;
        if (!at[n])
            return false;
        const bool inside = *at[n] < end && a.size <= end - *at[n];
        if (!inside || !a.origin.size || *at[n] % a.align != 0)
            outside.insert(&a);
        if (!inside && a.origin.size)
            continue; // fails its check, and is never made
        if (!inside)
            return false;
        for (uint64_t k = *at[n]; k < *at[n] + a.size; k++) {
            if (k >= marks.size())
                marks.resize(k + 1, {NO_ITEM, NO_ITEM});
            Cell &c = marks[k];
            if ((c.writer != NO_ITEM && c.writer != n) || (writes && c.reader != NO_ITEM && c.reader != n))
                return false;
            if (writes)
                c.writer = n;
            else
                c.reader = c.reader == NO_ITEM || c.reader == n ? n : SEVERAL_ITEMS;
        }
    }
    return true;
}

// The access in all iterations of the loops of NEST, which the work-items of MASK enter.
bool LocalEnumeration::enumerate(const Access &a, ArrayRef<Loop *> nest, const Mask &mask)
{
    if (nest.empty()) {
        Mask now = executing(a.call->getParent());
        for (unsigned n = 0; n < items; n++)
            now[n] = now[n] && mask[n];
        return make_access(a, now);
    }
    const Loop &loop = *nest.front();
    const BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
    DenseMap<const PHINode *, Lanes> next;
    auto advance = [&](const BasicBlock *from) {
        next.clear();
        for (const PHINode &phi : header->phis())
            next[&phi] = evaluate(phi.getIncomingValueForBlock(from));
        for (auto &p : next)
            counters[p.first] = p.second;
        known.clear();
    };
    Mask active = mask;
    SmallVector<BasicBlock *, 4> exiting;
    loop.getExitingBlocks(exiting);
    erase_if(exiting, [&](BasicBlock *b) { return !tree.dominates(b, latch); });
    advance(loop.getLoopPredecessor());
    bool apart = true;
    while (apart && is_contained(active, true)) {
        apart = budget >= items && enumerate(a, nest.drop_front(), active);
        for (BasicBlock *b : exiting)
            for (BasicBlock *to : successors(b))
                if (loop.contains(to))
                    restrict_edge(b, to, active);
        budget -= std::min(budget, items);
        advance(latch);
    }
    for (const PHINode &phi : header->phis())
        counters.erase(&phi);
    known.clear();
    return apart;
}

// At first without the loops that decide by branches alone, whose trip counts may be unknown or large.
bool LocalEnumeration::are_apart(ArrayRef<Access *> accesses)
{
    auto apart = [&](bool conditions) {
        budget = BUDGET;
        cells.clear();
        return all_of(accesses, [&](Access *a) {
            SmallVector<Loop *, 4> nest;
            known.clear();
            return a->plain() && a->origin.within && find_loops(*a, conditions, nest) &&
                   enumerate(*a, nest, Mask(items, true));
        });
    };
    return items <= MOST_BYTES && (apart(false) || apart(true));
}
