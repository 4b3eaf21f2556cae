// Selects the accesses to local memory that need tags.  docs/instrumentation.md#static-pruning,
// #scaled-subscripts
#include "interp/jit/instrument/enumerate_local.hpp"
#include "interp/jit/vectorize/versions.hpp"

#include <map>
#include <set>

using namespace llvm;
using namespace instrumentation;

// MAX_STRIDE * (MAX_TERM + ids) is below 2^31.
enum { MAX_STRIDE = 1 << 6, MAX_TERM = 1 << 24 };

// Accesses to local memory reachable from START without a barrier that orders them, and without UNTIL.
SmallVector<Access *, 16> CheckLowering::between_barriers(Instruction *start, const Instruction *until,
                                                          bool *reached)
{
    SmallVector<Access *, 16> result;
    SmallVector<Instruction *, 16> work{start};
    SmallPtrSet<BasicBlock *, 16> seen;
    while (!work.empty()) {
        Instruction *i = work.pop_back_val();
        for (; i && i != until && !is_phase(*i, 1); i = i->getNextNode())
            if (auto found = access_of.find(i);
                found != access_of.end() && accesses[found->second].origin.within)
                result.push_back(&accesses[found->second]);
            else if (i->isTerminator())
                for (BasicBlock *next : successors(i))
                    if (seen.insert(next).second)
                        work.push_back(&next->front());
        if (reached && i && i == until)
            *reached = true;
    }
    return result;
}

// Whether one work-item of the work-group makes all accesses: they follow comparisons of an id with the same
// constant.
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

// Makes the offset of S, an access at a fixed place behind a comparison of the local id with a constant, one
// of the form of OWN; false: it is no such access.
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

// Whether USERS, all between two barriers, use the value of INSTRUCTION from before the first one.
bool CheckLowering::use_earlier_value(Instruction *instruction, ArrayRef<Access *> users)
{
    return none_of(between_barriers(instruction), [&](Access *a) { return is_contained(users, a); });
}

// Whether all work-items of a work-group have the same VALUE at USERS, which are reachable from START without
// a barrier: they agree on it, and either it is from before START, or it is computed once on each path,
// before any of USERS.
bool CheckLowering::is_stable(Instruction *value, Instruction *start, ArrayRef<Access *> users,
                              const Divergence &divergence)
{
    if (divergence.irreducible || divergence.values.count(value) ||
        divergence.blocks.count(value->getParent()))
        return false;
    if (use_earlier_value(value, users))
        return true;
    bool again = false;
    between_barriers(value->getNextNode(), value, &again);
    return !again &&
           none_of(between_barriers(start, value), [&](Access *a) { return is_contained(users, a); });
}

// Emits a check of a value at the insertion point.
void CheckLowering::add_deoptimize_if(Value *bad)
{
    FunctionCallee deoptimize_if =
        item.getParent()->getOrInsertFunction("in.deoptimize_if", b.getVoidTy(), b.getInt1Ty());
    value_checks.push_back(b.CreateCall(deoptimize_if, bad));
}

// Whether the reads FAR are of what no other work-item writes: at stride * (id + V) + fixed, while the writes
// among OWN, which end before stride * id + HIGH, are by work-items whose id is less than V.
// docs/instrumentation.md#static-pruning
bool CheckLowering::are_beyond_writes(Instruction *start, ArrayRef<LocalOffset> own,
                                      ArrayRef<LocalOffset> far, int64_t high, const DominatorTree &tree,
                                      const Divergence &divergence)
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
    if (!is_stable(v, start, users, divergence))
        return false;
    b.SetInsertPoint(
        &*(isa<PHINode>(v) ? v->getParent()->getFirstInsertionPt() : std::next(v->getIterator())));
    add_deoptimize_if(b.CreateICmpUGT(v, ConstantInt::get(v->getType(), MAX_TERM)));
    return true;
}

// Whether the parts SCALED of work-items are disjoint, if the value V by which they are scaled is in the
// range that check_scale() checks.  Accesses at a fixed place by one work-item are compared with the others'
// parts when the kernel runs.  docs/instrumentation.md#scaled-subscripts
bool CheckLowering::are_scaled_parts(LocalCondition &c, ArrayRef<LocalOffset> scaled,
                                     ArrayRef<LocalOffset> single, const DominatorTree &tree,
                                     const Divergence &divergence)
{
    ScaledParts &p = c.parts;
    const int64_t items = options.local_size[0];
    auto large = [](int64_t n) { return std::abs(n) >= MAX_COEFFICIENT; };
    p.v = dyn_cast_or_null<Instruction>(scaled.front().offset.term_value);
    p.stride = scaled.front().offset.scaled[0];
    if (!p.v || p.stride <= 0 || large(p.stride) || options.local_size[1] * options.local_size[2] != 1)
        return false;
    for (const LocalOffset &s : scaled) {
        const AffineOffset &l = s.offset;
        if (l.term_value != p.v || l.scaled[0] != p.stride || l.scaled[1] || l.scaled[2] || l.local[0] ||
            l.local[1] || l.local[2] || large(l.term) || large(l.fixed) || large(int64_t(s.access->size)))
            return false;
        p.least_factor = std::min(p.least_factor, l.term);
        p.most_factor = std::max(p.most_factor, l.term);
        p.low = std::min(p.low, l.fixed);
        p.high = std::max(p.high, l.fixed + int64_t(s.access->size));
        c.scaled.push_back(s.access);
    }
    const int64_t gap = p.stride - (p.most_factor - p.least_factor);
    if (gap <= 0 || !is_stable(p.v, c.start, c.scaled, divergence))
        return false;
    p.least = (p.high - p.low + gap - 1) / gap;
    p.most =
        (INT64_C(1) << 30) / (p.stride * items + std::max(std::abs(p.least_factor), std::abs(p.most_factor)));
    for (const LocalOffset &s : single) {
        if (large(s.offset.fixed) || large(int64_t(s.access->size)))
            return false;
        c.single.push_back(s.access);
    }
    if (!single.empty()) {
        OneItem one = guarding_id(single.front().access->call->getParent(), tree);
        if (!by_one_work_item(c.single, tree) || one.id->getArgNo() != ITEM || one.value >= uint64_t(items) ||
            !use_earlier_value(p.v, c.scaled) || !tree.dominates(p.v, c.start))
            return false;
        c.item = int64_t(one.value);
    }
    return p.least <= p.most;
}

// Whether accesses to one variable that no barrier separates cannot conflict: only reads, only atomics,
// disjoint parts, those of one work-item, or reads beyond what is written.  C: and under which condition.
bool CheckLowering::needs_no_order(LocalCondition &c, ArrayRef<Access *> together, const DominatorTree &tree,
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
    SmallVector<LocalOffset, 16> own, far, single, scaled;
    for (Access *a : together) {
        AffineOffset l;
        if (!a->plain() || !analysis.offset(a->call->getArgOperand(0), a->origin.base, l) || l.x || l.row)
            return false;
        (l.is_scaled() ? scaled : l.uniform_term ? far : l.is_fixed() ? single : own).push_back({a, l});
    }
    if (!scaled.empty())
        return own.empty() && far.empty() && are_scaled_parts(c, scaled, single, tree, divergence);
    if (own.empty())
        return false;
    auto are_apart = [&](ArrayRef<LocalOffset> parts) {
        const AffineOffset &first = own.front().offset;
        int64_t low = INT64_MAX, high = INT64_MIN;
        for (const LocalOffset &o : parts) {
            if (!std::equal(o.offset.local, o.offset.local + 3, first.local))
                return false;
            low = std::min(low, o.offset.fixed);
            high = std::max(high, o.offset.fixed + int64_t(o.access->size));
        }
        return analysis.is_disjoint(first, high - low) &&
               (far.empty() || are_beyond_writes(c.start, parts, far, high, tree, divergence));
    };
    SmallVector<LocalOffset, 16> parts = own;
    bool by_id = true;
    for (LocalOffset &s : single) { // of the work-item with one id: as if computed from that id
        c.single.push_back(s.access);
        by_id &= is_by_id(s, own.front().offset, options, tree);
    }
    parts.append(single);
    if (by_id && are_apart(parts)) {
        c.single.clear();
        return true;
    }
    return !single.empty() && far.empty() && are_apart(own);
}

// Conditions under which accesses to one variable need no tags: whether they may hold at all.  An access at a
// fixed place that must not execute after one barrier may execute after another one.
static bool may_hold(ArrayRef<LocalCondition> conditions)
{
    SmallPtrSet<Access *, 8> compared;
    for (const LocalCondition &c : conditions)
        if (c.parts.v)
            compared.insert(c.single.begin(), c.single.end());
    return all_of(conditions, [&](const LocalCondition &c) {
        return all_of(c.single, [&](Access *a) { return compared.count(a); });
    });
}

// Flags a scale for which parts overlap, or offsets wrap around.
void CheckLowering::check_scale(const LocalCondition &c)
{
    const ScaledParts &p = c.parts;
    for (Access *a : c.scaled) {
        b.SetInsertPoint(a->call);
        Value *above = b.CreateSub(p.v, ConstantInt::get(p.v->getType(), p.least));
        add_deoptimize_if(b.CreateICmpUGT(above, ConstantInt::get(p.v->getType(), p.most - p.least)));
    }
}

// Whether the access S by one work-item overlaps parts of other ones.
Value *CheckLowering::overlaps_parts(const LocalCondition &c, const Access &s, int64_t fixed)
{
    const ScaledParts &p = c.parts;
    Value *v = b.CreateZExtOrTrunc(p.v, b.getInt64Ty()), *overlaps = b.getFalse();
    auto at = [&](int64_t item, int64_t factor, int64_t rest) {
        return b.CreateAdd(b.CreateMul(v, b.getInt64(p.stride * item + factor)), b.getInt64(rest));
    };
    if (c.item + 1 < int64_t(options.local_size[0]))
        overlaps =
            b.CreateICmpSLT(at(c.item + 1, p.least_factor, p.low), b.getInt64(fixed + int64_t(s.size)));
    if (c.item > 0)
        overlaps =
            b.CreateOr(overlaps, b.CreateICmpSGT(at(c.item - 1, p.most_factor, p.high), b.getInt64(fixed)));
    return overlaps;
}

// Computes at each barrier whether accesses at a fixed place may execute before the next one, and checks that
// where they do.
void CheckLowering::enforce(ArrayRef<LocalCondition> conditions, ArrayRef<Instruction *> starts)
{
    SmallSetVector<Access *, 8> single;
    for (const LocalCondition &c : conditions) {
        check_scale(c);
        single.insert(c.single.begin(), c.single.end());
    }
    AffineAnalysis analysis(item, options);
    for (Access *s : single) {
        AffineOffset l;
        analysis.offset(s->call->getArgOperand(0), s->origin.base, l);
        b.SetInsertPoint(&*item.getEntryBlock().getFirstInsertionPt());
        AllocaInst *overlaps = b.CreateAlloca(b.getInt1Ty());
        for (Instruction *start : starts) {
            auto c = find_if(conditions, [&](const LocalCondition &k) {
                return k.start == start && is_contained(k.single, s);
            });
            b.SetInsertPoint(start == starts.front() ? overlaps->getNextNode() : start);
            b.CreateStore(c == conditions.end() ? b.getFalse()
                          : c->parts.v          ? overlaps_parts(*c, *s, l.fixed)
                                                : b.getTrue(),
                          overlaps);
        }
        b.SetInsertPoint(s->call);
        add_deoptimize_if(b.CreateLoad(b.getInt1Ty(), overlaps));
    }
}

// Removes from TAGGED the variables of which no accesses conflict on the path of a work-group.
void CheckLowering::follow_work_group(LocalEnumeration &enumeration, std::set<LocalVariable> &tagged)
{
    auto access = [&](Instruction &i) -> Access * {
        auto found = access_of.find(&i);
        return found != access_of.end() && accesses[found->second].origin.within ? &accesses[found->second]
                                                                                 : nullptr;
    };
    auto is_barrier = [](const Instruction &i) { return is_phase(i, 1); };
    if (!enumeration.walk({access, is_barrier}))
        return;
    std::set<LocalVariable> conflicting;
    for (const Access *a : enumeration.conflicting)
        conflicting.insert(local_variable(*a));
    for (Access &a : accesses)
        if (a.origin.within && !conflicting.count(local_variable(a))) {
            tagged.erase(local_variable(a));
            a.in_bounds |= !enumeration.outside.count(&a);
        }
}

void CheckLowering::select_local()
{
    SmallVector<Instruction *, 8> starts{&item.getEntryBlock().front()};
    for (CallInst *call : phases)
        if (is_phase(*call, 1))
            starts.push_back(call->getNextNode());
    for (Access &a : accesses)
        a.tagged &= !a.origin.within;
    std::set<LocalVariable> tagged;
    std::map<LocalVariable, SmallVector<LocalCondition, 4>> conditions;
    DominatorTree tree(item);
    Divergence divergence(item, 3);
    LocalEnumeration enumeration(item, options, tree);
    for (Instruction *start : starts) {
        std::map<LocalVariable, SmallVector<Access *, 16>> together;
        for (Access *a : between_barriers(start))
            together[local_variable(*a)].push_back(a);
        for (auto &t : together) {
            LocalCondition c(start);
            bool proven = needs_no_order(c, t.second, tree, divergence);
            if ((!proven || !c.single.empty() || c.parts.v) && !divergence.irreducible &&
                enumeration.are_apart(t.second)) {
                c = LocalCondition(start);
                proven = true;
            }
            conditions[t.first].push_back(c);
            if (!proven)
                tagged.insert(t.first);
        }
    }
    for (auto &c : conditions)
        if (!may_hold(c.second))
            tagged.insert(c.first);
    std::set<LocalVariable> doubtful = tagged;
    if (!tagged.empty() && !divergence.irreducible)
        follow_work_group(enumeration, tagged);
    for (auto &c : conditions)
        if (!doubtful.count(c.first))
            enforce(c.second, starts);
    for (Access &a : accesses)
        if (a.origin.within && tagged.count(local_variable(a))) {
            a.tagged = true;
            record_use(a, memories[LOCAL_MEMORY]);
        }
}
