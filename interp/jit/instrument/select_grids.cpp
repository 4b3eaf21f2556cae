// Finds arguments that work-items access as matrices, at sums of ids times values that are known when the
// launch begins. docs/instrumentation.md#matrices
#include "interp/jit/instrument/lower_checks.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <map>
#include <tuple>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace instrumentation;

namespace
{

enum { NO_ID = UINT16_MAX, DEPTH = 16 };
constexpr int64_t MOST = INT64_C(1) << 30; // of coefficients

// A product of an id, or none, and of two values of the launch; A <= B.
struct Product {
    unsigned id = NO_ID;
    uint8_t a = IN_GRID_ONE, b = IN_GRID_ONE;
    bool operator<(const Product &r) const
    {
        return std::tie(id, a, b) < std::tie(r.id, r.a, r.b);
    }
};

// Products with their coefficients, which may be 0.  Equal to a subscript modulo 2^32.
using Polynomial = std::map<Product, int64_t>;

// What is known of the ids for which a block executes.
struct Guard {
    in_grid_bounds ids[IN_GRID_COUNTER] = {};
};

const unsigned id_parameters[] = {GLOBAL, GROUP, ITEM}; // as ids are numbered from IN_GRID_GLOBAL on

// The parameter of the item that is the id of that number.
Value *id_of(Function &item, unsigned id)
{
    return item.getArg(id_parameters[id / 3] + id % 3);
}

bool is_small(int64_t n)
{
    return n >= -MOST && n <= MOST;
}

bool add_product(Polynomial &p, const Product &product, int64_t by)
{
    int64_t &n = p[product];
    n += by;
    return is_small(n);
}

bool add(Polynomial &p, const Polynomial &q, int64_t by)
{
    for (auto &[product, n] : q)
        if (!is_small(by) || !add_product(p, product, n * by))
            return false;
    return true;
}

// False: of a higher degree than products have.
bool multiply(const Polynomial &p, const Polynomial &q, Polynomial &result)
{
    for (auto &[x, n] : p)
        for (auto &[y, m] : q) {
            SmallVector<uint8_t, 4> values;
            for (uint8_t v : {x.a, x.b, y.a, y.b})
                if (v != IN_GRID_ONE)
                    values.push_back(v);
            if (values.size() > 2 || (x.id != NO_ID && y.id != NO_ID))
                return false;
            values.resize(2, IN_GRID_ONE);
            Product product{x.id == NO_ID ? y.id : x.id, std::min(values[0], values[1]),
                            std::max(values[0], values[1])};
            if (!add_product(result, product, n * m))
                return false;
        }
    return true;
}

class GridAnalysis
{
  public:
    GridAnalysis(Function &f, const in_check_lowering &w)
        : item(f), options(w), layout(f.getParent()->getDataLayout()), origins(f, w), tree(f)
    {
    }
    // Of POINTER from BASE in BLOCK, in bytes.
    bool offset(Value *pointer, Value *base, BasicBlock *block, Polynomial &p);
    Guard find_guard(BasicBlock *block);
    // Ids from IN_GRID_COUNTER on are their indices.
    SmallVector<std::pair<PHINode *, in_grid_counter>, 4> counters;

  private:
    Function &item;
    const in_check_lowering &options;
    const DataLayout &layout;
    OriginAnalysis origins;
    DominatorTree tree;
    BasicBlock *place = nullptr; // of the access

    // EXACT: casts are of single values alone, so that the value is that of the polynomial in V's own width.
    bool polynomial(Value *v, Polynomial &p, bool exact, unsigned depth);
    bool launch_value(Value *v, uint8_t &code);
    using Comparison = function_ref<void(ICmpInst *, bool)>;
    void for_each_comparison(Value *condition, bool holds, Comparison f);
    void bound(Value *left, ICmpInst *compare, bool holds, in_grid_bounds &known);
    bool counter_value(PHINode *phi, Polynomial &p);
    bool find_step(PHINode *phi, Value *&start, Value *&step, unsigned &latch);
    bool find_counter(PHINode *phi, in_grid_counter &c);
    bool is_id(Value *v) const;
};

bool GridAnalysis::launch_value(Value *v, uint8_t &code)
{
    auto *load = dyn_cast<LoadInst>(v);
    if (!load || !(load->getType()->isIntegerTy(32) || load->getType()->isIntegerTy(64)))
        return false;
    APInt at(64, 0);
    Value *from = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, at, true);
    for (unsigned k = 0; k < 3 && from == item.getArg(FRAME) && load->getType()->isIntegerTy(64); k++)
        if (at == options.sizes_at + 8 * k) {
            code = uint8_t(IN_GRID_SIZE + k);
            return true;
        }
    uint64_t place = 0;
    for (unsigned k = 0; k < options.argument_count && k < IN_SHADOW_ARGUMENTS; k++)
        if (origins.in_frame(load->getPointerOperand(), options.arguments_at, place) &&
            place == options.argument_offsets[k]) {
            code =
                uint8_t((load->getType()->isIntegerTy(32) ? IN_GRID_ARGUMENT : IN_GRID_LARGE_ARGUMENT) + k);
            return true;
        }
    return false;
}

bool GridAnalysis::polynomial(Value *v, Polynomial &p, bool exact, unsigned depth)
{
    for (unsigned id = 0; id < IN_GRID_COUNTER && !exact; id++)
        if (v == id_of(item, id))
            return add_product(p, {id}, 1);
    for (unsigned k = 0; k < 3 && !options.edge; k++)
        if (v == item.getArg(SIZE + k))
            return add_product(p, {}, options.local_size[k]);
    if (auto *c = dyn_cast<ConstantInt>(v))
        return c->getBitWidth() <= 64 && add_product(p, {}, c->getSExtValue());
    uint8_t code;
    if (launch_value(v, code))
        return add_product(p, {NO_ID, IN_GRID_ONE, code}, 1);
    auto *i = dyn_cast<Instruction>(v);
    if (!i || depth == 0)
        return false;
    if (auto *phi = dyn_cast<PHINode>(i))
        return !exact && counter_value(phi, p);
    if (isa<ZExtInst>(i) || isa<SExtInst>(i) || isa<TruncInst>(i)) {
        Value *from = i->getOperand(0);
        return from->getType()->getIntegerBitWidth() >= 32 && i->getType()->getIntegerBitWidth() >= 32 &&
               (!exact || launch_value(from, code)) && polynomial(from, p, exact, depth - 1);
    }
    if (!isa<BinaryOperator>(i) || !i->getType()->isIntegerTy() || i->getType()->getIntegerBitWidth() < 32)
        return false;
    Polynomial x, y;
    if (!polynomial(i->getOperand(0), x, exact, depth - 1) ||
        !polynomial(i->getOperand(1), y, exact, depth - 1))
        return false;
    auto *shift = dyn_cast<ConstantInt>(i->getOperand(1));
    switch (i->getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
        return add(p, x, 1) && add(p, y, i->getOpcode() == Instruction::Add ? 1 : -1);
    case Instruction::Shl:
        return shift && shift->getValue().ult(30) && add(p, x, INT64_C(1) << shift->getZExtValue());
    case Instruction::Mul:
        return p.empty() && multiply(x, y, p);
    default:
        return false;
    }
}

bool GridAnalysis::offset(Value *pointer, Value *base, BasicBlock *block, Polynomial &p)
{
    if (pointer == base)
        return true;
    place = block;
    auto *gep = dyn_cast<GEPOperator>(pointer);
    if (!gep || !offset(gep->getPointerOperand(), base, block, p))
        return false;
    for (auto at = gep_type_begin(gep); at != gep_type_end(gep); ++at) {
        Polynomial step;
        if (at.isStruct() || !at.getOperand()->getType()->isIntegerTy(64) ||
            !polynomial(at.getOperand(), step, false, DEPTH) ||
            !add(p, step, int64_t(layout.getTypeAllocSize(at.getIndexedType()))))
            return false;
    }
    return true;
}

// The products with ID.  With ALL, also those whose coefficients are 0, for what is_small of grids.c asks of
// their values.
bool part_of(const Polynomial &p, unsigned id, in_grid_sum &sum, bool all = false)
{
    sum = {};
    for (auto &[product, n] : p) {
        if (product.id != id || (n == 0 && !all))
            continue;
        if (sum.count == IN_GRID_TERMS)
            return false;
        sum.terms[sum.count++] = {int32_t(n), product.a, product.b};
    }
    return true;
}

bool are_equal(const in_grid_sum &x, const in_grid_sum &y)
{
    return x.count == y.count &&
           std::equal(x.terms, x.terms + x.count, y.terms, [](const in_grid_term &s, const in_grid_term &t) {
               return s.by == t.by && s.a == t.a && s.b == t.b;
           });
}

// Adds to KNOWN how LEFT compares with a sum of launch values, if the result of COMPARE is HOLDS.  Values of
// LEFT are below 2^31, so that signed and unsigned comparisons of them with a value below that agree.
void GridAnalysis::bound(Value *left, ICmpInst *compare, bool holds, in_grid_bounds &known)
{
    ICmpInst::Predicate predicate = holds ? compare->getPredicate() : compare->getInversePredicate();
    Value *right = before_casts(compare->getOperand(1));
    if (right == left) {
        right = before_casts(compare->getOperand(0));
        predicate = ICmpInst::getSwappedPredicate(predicate);
    } else if (before_casts(compare->getOperand(0)) != left) {
        return;
    }
    if (predicate == ICmpInst::ICMP_NE && match(right, m_Zero()))
        predicate = ICmpInst::ICMP_UGT;
    const bool equal = predicate == ICmpInst::ICMP_EQ,
               less = ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate),
               greater = ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate);
    const bool wide = right->getType()->isIntegerTy(64);
    Polynomial p;
    in_grid_limit found = {true, equal || ICmpInst::isLE(predicate) || ICmpInst::isGE(predicate), wide, {}};
    if (!(equal || less || greater) || !(wide || right->getType()->isIntegerTy(32)) ||
        !polynomial(right, p, true, DEPTH) || !part_of(p, NO_ID, found.sum, true))
        return;
    if ((equal || less) && !known.below.exists)
        known.below = found;
    if ((equal || greater) && !known.from.exists)
        known.from = found;
}

// Calls F for comparisons that follow if CONDITION, an integer of any width, is not 0, with HOLDS, or if it
// is 0; and for what the comparison yields then.
void GridAnalysis::for_each_comparison(Value *condition, bool holds, Comparison f)
{
    Value *x, *y;
    ICmpInst::Predicate predicate;
    if (match(condition, m_ZExtOrSExt(m_Value(x))) ||
        match(condition, m_Select(m_Value(x), m_One(), m_Zero()))) {
        for_each_comparison(x, holds, f);
    } else if (holds ? match(condition,
                             m_CombineOr(m_LogicalAnd(m_Value(x), m_Value(y)), m_And(m_Value(x), m_Value(y))))
                     : match(condition, m_CombineOr(m_LogicalOr(m_Value(x), m_Value(y)),
                                                    m_Or(m_Value(x), m_Value(y))))) {
        for_each_comparison(x, holds, f);
        for_each_comparison(y, holds, f);
    } else if (auto *compare = dyn_cast<ICmpInst>(condition);
               compare && compare->getOperand(0)->getType()->isIntegerTy()) {
        f(compare, holds);
        if (match(compare, m_ICmp(predicate, m_Value(x), m_Zero())) && ICmpInst::isEquality(predicate))
            for_each_comparison(x, holds == (predicate == ICmpInst::ICMP_NE), f);
    }
}

Guard GridAnalysis::find_guard(BasicBlock *block)
{
    Guard guard;
    for (auto *node = tree.getNode(block); node && node->getIDom(); node = node->getIDom()) {
        auto *branch = dyn_cast<BranchInst>(node->getIDom()->getBlock()->getTerminator());
        for (unsigned edge = 0; branch && branch->isConditional() && edge < 2; edge++)
            if (tree.dominates(BasicBlockEdge(branch->getParent(), branch->getSuccessor(edge)), block))
                for_each_comparison(branch->getCondition(), edge == 0, [&](ICmpInst *compare, bool holds) {
                    for (unsigned id = 0; id < IN_GRID_COUNTER; id++)
                        bound(id_of(item, id), compare, holds, guard.ids[id]);
                });
    }
    return guard;
}

bool GridAnalysis::is_id(Value *v) const
{
    for (unsigned id = 0; id < IN_GRID_COUNTER; id++)
        if (v == id_of(item, id))
            return true;
    return false;
}

// PHI is START in a loop's first iteration, and STEP more in each further one, modulo 2^32; LATCH: its
// operand for these.
bool GridAnalysis::find_step(PHINode *phi, Value *&start, Value *&step, unsigned &latch)
{
    const bool wide = phi->getType()->isIntegerTy(64);
    if (phi->getNumIncomingValues() != 2 || !(wide || phi->getType()->isIntegerTy(32)))
        return false;
    latch = tree.dominates(phi->getParent(), phi->getIncomingBlock(0)) ? 0 : 1;
    if (tree.dominates(phi->getParent(), phi->getIncomingBlock(1 - latch)))
        return false;
    start = phi->getIncomingValue(1 - latch);
    Value *next = phi->getIncomingValue(latch);
    auto *sum =
        dyn_cast<BinaryOperator>(wide || !isa<TruncInst>(next) ? next : cast<TruncInst>(next)->getOperand(0));
    if (!sum || sum->getOpcode() != Instruction::Add)
        return false;
    auto is_phi = [&](Value *v) { return (wide ? v : before_casts(v)) == phi; };
    step = is_phi(sum->getOperand(0)) ? sum->getOperand(1) : sum->getOperand(0);
    return is_phi(sum->getOperand(0)) || is_phi(sum->getOperand(1));
}

// Whether PHI counts the iterations of its loop: it begins at an id or a constant of at least 0, steps are
// sums of launch values, and a comparison in the loop's header bounds it on all paths to the next iteration,
// and to PLACE.
bool GridAnalysis::find_counter(PHINode *phi, in_grid_counter &c)
{
    BasicBlock *header = phi->getParent();
    auto *branch = dyn_cast<BranchInst>(header->getTerminator());
    Value *start, *by;
    unsigned latch;
    Polynomial step;
    if (!branch || !branch->isConditional() || !find_step(phi, start, by, latch))
        return false;
    auto *first = dyn_cast<ConstantInt>(start);
    c = {phi->getType()->isIntegerTy(64), first ? int32_t(first->getZExtValue()) : 0, {}, {}};
    if (!(first ? first->getValue().ult(INT32_MAX) : is_id(before_casts(start))) ||
        !polynomial(by, step, true, DEPTH) || !part_of(step, NO_ID, c.step, true))
        return false;
    in_grid_bounds bounds = {};
    for (unsigned edge = 0; edge < 2; edge++) {
        BasicBlockEdge inside(header, branch->getSuccessor(edge));
        if (tree.dominates(inside, phi->getIncomingBlock(latch)) && tree.dominates(inside, place))
            for_each_comparison(branch->getCondition(), edge == 0,
                                [&](ICmpInst *compare, bool holds) { bound(phi, compare, holds, bounds); });
    }
    c.limit = bounds.below;
    return c.limit.exists;
}

// PHI, or another phi of its loop's header, counts iterations.
bool GridAnalysis::counter_value(PHINode *phi, Polynomial &p)
{
    in_grid_counter c;
    PHINode *counter = find_counter(phi, c) ? phi : nullptr;
    for (PHINode &other : phi->getParent()->phis())
        if (!counter && find_counter(&other, c))
            counter = &other;
    Value *start, *step;
    unsigned latch;
    Polynomial by;
    if (!counter || !find_step(phi, start, step, latch) || !polynomial(start, p, false, DEPTH) ||
        !polynomial(step, by, true, DEPTH))
        return false;
    unsigned k = 0;
    while (k < counters.size() && counters[k].first != counter)
        k++;
    if (k == counters.size())
        counters.push_back({counter, c});
    for (auto &[product, n] : by)
        if (!add_product(p, {IN_GRID_COUNTER + k, product.a, product.b}, n))
            return false;
    return true;
}

bool are_equal(const in_grid_limit &x, const in_grid_limit &y)
{
    return x.exists == y.exists && x.or_equal == y.or_equal && x.wide == y.wide && are_equal(x.sum, y.sum);
}

bool are_equal(const in_grid_counter &x, const in_grid_counter &y)
{
    return x.wide == y.wide && x.start == y.start && are_equal(x.step, y.step) && are_equal(x.limit, y.limit);
}

bool are_equal(const in_grid_bounds &x, const in_grid_bounds &y)
{
    return are_equal(x.from, y.from) && are_equal(x.below, y.below);
}

// The accesses of an argument that have the same strides.
struct Grid {
    in_shadow_grid shape = {};
    SmallVector<in_grid_access, 8> accesses;
};

bool is_constant(const in_grid_sum &s)
{
    return s.count == 0 || (s.count == 1 && !s.terms[0].a && !s.terms[0].b);
}

int64_t number(const in_grid_sum &s)
{
    return s.count ? int64_t(s.terms[0].by) : 0;
}

// How many of COUNT ids make accesses, at least: less where comparisons bound them on both sides.
int64_t count_within(const in_shadow_grid &g, unsigned id, int64_t count)
{
    int64_t low = count, high = 0;
    for (const auto &guard : ArrayRef(g.guards, g.guard_count)) {
        const in_grid_limit &from = guard[id].from, &below = guard[id].below;
        if (!from.exists || !below.exists)
            return count;
        if (!is_constant(from.sum) || !is_constant(below.sum))
            continue;
        low = std::min(low, number(from.sum) + !from.or_equal);
        high = std::max(high, number(below.sum) + below.or_equal);
    }
    return std::min(count, std::max<int64_t>(high - low, 0));
}

// Whether work-items of one work-group certainly access the same bytes, whatever the launch.
bool always_overlaps(const Grid &grid, const in_check_lowering &options)
{
    constexpr size_t COMPARED = 16;
    const in_shadow_grid &g = grid.shape;
    bool fixed = grid.accesses.size() <= COMPARED &&
                 all_of(grid.accesses, [&](auto &a) { return is_constant(a.fixed); });
    auto overlap = [&](int64_t distance) {
        return any_of(grid.accesses, [&](auto &a) {
            return any_of(grid.accesses, [&](auto &b) {
                int64_t at = distance + number(a.fixed) - number(b.fixed);
                return at > -int64_t(a.size) && at < int64_t(b.size);
            });
        });
    };
    for (unsigned k = 0; k < 3 && fixed; k++) {
        const in_grid_sum &global = g.strides[IN_GRID_GLOBAL + k], &local = g.strides[IN_GRID_LOCAL + k];
        int64_t count = count_within(g, IN_GRID_LOCAL + k, options.local_size[k]);
        count = std::min(count, count_within(g, IN_GRID_GLOBAL + k, options.local_size[k]));
        for (unsigned d = 1; d < count; d++)
            if (is_constant(global) && is_constant(local) && overlap(d * (number(global) + number(local))))
                return true;
    }
    auto varies = [&](unsigned k) {
        return g.strides[IN_GRID_GLOBAL + k].count || g.strides[IN_GRID_GROUP + k].count ||
               count_within(g, IN_GRID_GLOBAL + k, 2) < 2 || count_within(g, IN_GRID_GROUP + k, 2) < 2;
    };
    return !varies(0) || (!options.one_row && !varies(1) && !varies(2));
}

// Whether the first ids of all dimensions certainly make accesses to the same bytes in both.
bool begin_together(const Grid &x, const Grid &y)
{
    auto begins = [](const Grid &g) {
        for (const auto &guard : ArrayRef(g.shape.guards, g.shape.guard_count))
            for (unsigned id = 0; id < IN_GRID_COUNTER; id++)
                if (guard[id].from.exists && g.shape.strides[id].count)
                    return false;
        return true;
    };
    return begins(x) && begins(y) && any_of(x.accesses, [&](auto &a) {
               return any_of(y.accesses, [&](auto &b) {
                   return (a.written || b.written) && are_equal(a.fixed, b.fixed);
               });
           });
}

// The number of GUARD among those of G.
uint8_t add_guard(in_shadow_grid &g, const Guard &guard)
{
    auto is_same = [&](in_grid_bounds(&ids)[IN_GRID_COUNTER]) {
        return std::equal(ids, ids + IN_GRID_COUNTER, guard.ids,
                          [](auto &x, auto &y) { return are_equal(x, y); });
    };
    auto *known = find_if(MutableArrayRef(g.guards, g.guard_count), is_same);
    if (known != g.guards + g.guard_count)
        return uint8_t(known - g.guards);
    if (g.guard_count < IN_GRID_GUARDS) {
        std::copy(guard.ids, guard.ids + IN_GRID_COUNTER, g.guards[g.guard_count]);
        return g.guard_count++;
    }
    for (in_grid_bounds &bounds : g.guards[IN_GRID_GUARDS - 1]) // none, for all that do not fit
        bounds = {};
    return IN_GRID_GUARDS - 1;
}

// Adds an access at P.  Its loops are variables of the matrix, and loops with equal strides may be one.  An
// access outside of a loop is one of the loop's first iteration.
bool add_strides(in_shadow_grid &g, const Polynomial &p,
                 ArrayRef<std::pair<PHINode *, in_grid_counter>> counters, bool first)
{
    for (unsigned id = 0; id < IN_GRID_COUNTER; id++) {
        in_grid_sum stride;
        if (!part_of(p, id, stride) || (!first && !are_equal(stride, g.strides[id])))
            return false;
        g.strides[id] = stride;
    }
    bool taken[IN_GRID_COUNTERS] = {};
    for (unsigned k = 0; k < counters.size(); k++) {
        in_grid_sum stride;
        if (!part_of(p, IN_GRID_COUNTER + k, stride))
            return false;
        unsigned slot = 0;
        for (; slot < IN_GRID_COUNTERS && stride.count > 0; slot++) {
            in_grid_sum &known = g.strides[IN_GRID_COUNTER + slot];
            auto *loop = find_if(g.counters[slot], [&](in_grid_counter &c) {
                return !c.limit.exists || are_equal(c, counters[k].second);
            });
            if (taken[slot] || loop == std::end(g.counters[slot]) ||
                (known.count > 0 && !are_equal(known, stride)))
                continue;
            *loop = counters[k].second;
            known = stride;
            taken[slot] = true;
            break;
        }
        if (slot == IN_GRID_COUNTERS)
            return false;
    }
    return true;
}

} // namespace

// The access joins the first of GRIDS that has its strides, or a new one.
static bool add_access(SmallVectorImpl<Grid> &grids, GridAnalysis &analysis, const Polynomial &p,
                       in_grid_access access, BasicBlock *place)
{
    Grid *joined = nullptr;
    for (Grid &g : grids) {
        in_shadow_grid shape = g.shape;
        if (!joined && add_strides(shape, p, analysis.counters, false)) {
            joined = &g;
            g.shape = shape;
        }
    }
    if (!joined) {
        grids.emplace_back();
        joined = &grids.back();
        if (!add_strides(joined->shape, p, analysis.counters, true))
            return false;
    }
    joined->shape.written |= access.written;
    access.guard = add_guard(joined->shape, analysis.find_guard(place));
    for (in_grid_access &other : joined->accesses)
        if (other.size == access.size && other.guard == access.guard &&
            are_equal(other.fixed, access.fixed)) {
            other.written |= access.written;
            return true;
        }
    joined->accesses.push_back(access);
    return true;
}

bool CheckLowering::has_grid(unsigned argument)
{
    in_shadow_plan &plan = options.plan;
    if (options.no_grids)
        return false;
    GridAnalysis analysis(item, options);
    SmallVector<Grid, 2> grids;
    for (Access &a : accesses) {
        if (a.origin.kind != Origin::ARGUMENT || a.origin.number != argument)
            continue;
        Polynomial p;
        in_grid_access access = {uint32_t(a.size), (a.how & IN_SHADOW_WRITTEN) != 0, 0, {}};
        BasicBlock *place = a.call->getParent();
        if (!a.plain() || a.size > INT32_MAX ||
            !analysis.offset(a.call->getArgOperand(0), a.origin.base, place, p) ||
            !part_of(p, NO_ID, access.fixed) || !add_access(grids, analysis, p, access, place))
            return false;
    }
    size_t count = plan.grid_access_count;
    for (Grid &g : grids) {
        count += g.accesses.size();
        if (g.shape.written && always_overlaps(g, options))
            return false;
        for (Grid &other : grids)
            if (&other != &g && begin_together(g, other))
                return false;
    }
    if (plan.grid_count + grids.size() > IN_GRIDS || count > IN_GRID_ACCESSES)
        return false;
    for (Grid &g : grids) {
        g.shape.argument = uint8_t(argument);
        g.shape.first = plan.grid_access_count;
        g.shape.count = uint16_t(g.accesses.size());
        copy(g.accesses, plan.grid_accesses + g.shape.first);
        plan.grid_access_count = uint16_t(g.shape.first + g.shape.count);
        plan.grids[plan.grid_count++] = g.shape;
    }
    return true;
}
