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

enum { NO_ID = IN_GRID_IDS, DEPTH = 16 };
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
    // Of POINTER from BASE, in bytes.
    bool offset(Value *pointer, Value *base, Polynomial &p);
    // What is known of the ids for which BLOCK executes.
    void find_limits(BasicBlock *block, in_grid_limit (&limits)[3]);

  private:
    Function &item;
    const in_check_lowering &options;
    const DataLayout &layout;
    OriginAnalysis origins;
    DominatorTree tree;

    // EXACT: casts are of single values alone, so that the value is that of the polynomial in V's own width.
    bool polynomial(Value *v, Polynomial &p, bool exact, unsigned depth);
    bool launch_value(Value *v, uint8_t &code);
    void limit_by(Value *condition, bool holds, in_grid_limit (&limits)[3]);
    void limit_by_comparison(ICmpInst *compare, bool holds, in_grid_limit (&limits)[3]);
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
    static const struct {
        unsigned parameter, id;
    } ids[] = {{GLOBAL, IN_GRID_GLOBAL}, {GROUP, IN_GRID_GROUP}, {ITEM, IN_GRID_LOCAL}};
    for (auto &i : ids)
        for (unsigned k = 0; k < 3 && !exact; k++)
            if (v == item.getArg(i.parameter + k))
                return add_product(p, {i.id + k}, 1);
    if (auto *c = dyn_cast<ConstantInt>(v))
        return c->getBitWidth() <= 64 && add_product(p, {}, c->getSExtValue());
    uint8_t code;
    if (launch_value(v, code))
        return add_product(p, {NO_ID, IN_GRID_ONE, code}, 1);
    auto *i = dyn_cast<Instruction>(v);
    if (!i || depth == 0)
        return false;
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

bool GridAnalysis::offset(Value *pointer, Value *base, Polynomial &p)
{
    if (pointer == base)
        return true;
    auto *gep = dyn_cast<GEPOperator>(pointer);
    if (!gep || !offset(gep->getPointerOperand(), base, p))
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

// Ids are below 2^31, so that signed and unsigned comparisons of them with a value below that agree.
void GridAnalysis::limit_by_comparison(ICmpInst *compare, bool holds, in_grid_limit (&limits)[3])
{
    if (!compare->getOperand(0)->getType()->isIntegerTy())
        return;
    ICmpInst::Predicate predicate = holds ? compare->getPredicate() : compare->getInversePredicate();
    Value *left = before_casts(compare->getOperand(0)), *right = before_casts(compare->getOperand(1));
    for (unsigned k = 0; k < 3; k++) {
        if (right == item.getArg(GLOBAL + k)) {
            std::swap(left, right);
            predicate = ICmpInst::getSwappedPredicate(predicate);
        }
        bool less = predicate == ICmpInst::ICMP_ULT || predicate == ICmpInst::ICMP_SLT;
        bool or_equal = predicate == ICmpInst::ICMP_ULE || predicate == ICmpInst::ICMP_SLE;
        Polynomial p;
        in_grid_limit limit = {true, or_equal, right->getType()->isIntegerTy(64), {}};
        if (left != item.getArg(GLOBAL + k) || limits[k].exists || (!less && !or_equal) ||
            !(limit.wide || right->getType()->isIntegerTy(32)) || !polynomial(right, p, true, DEPTH) ||
            !part_of(p, NO_ID, limit.sum, true))
            continue;
        limits[k] = limit;
    }
}

// CONDITION: an integer of any width; what follows if it is not 0, with HOLDS, or if it is 0.
void GridAnalysis::limit_by(Value *condition, bool holds, in_grid_limit (&limits)[3])
{
    Value *x, *y;
    ICmpInst::Predicate predicate;
    if (match(condition, m_ZExtOrSExt(m_Value(x))) ||
        match(condition, m_Select(m_Value(x), m_One(), m_Zero()))) {
        limit_by(x, holds, limits);
    } else if (holds ? match(condition,
                             m_CombineOr(m_LogicalAnd(m_Value(x), m_Value(y)), m_And(m_Value(x), m_Value(y))))
                     : match(condition, m_CombineOr(m_LogicalOr(m_Value(x), m_Value(y)),
                                                    m_Or(m_Value(x), m_Value(y))))) {
        limit_by(x, holds, limits);
        limit_by(y, holds, limits);
    } else if (match(condition, m_ICmp(predicate, m_Value(x), m_Zero())) && ICmpInst::isEquality(predicate)) {
        limit_by(x, holds == (predicate == ICmpInst::ICMP_NE), limits);
    } else if (auto *compare = dyn_cast<ICmpInst>(condition)) {
        limit_by_comparison(compare, holds, limits);
    }
}

void GridAnalysis::find_limits(BasicBlock *block, in_grid_limit (&limits)[3])
{
    for (auto *node = tree.getNode(block); node && node->getIDom(); node = node->getIDom()) {
        auto *branch = dyn_cast<BranchInst>(node->getIDom()->getBlock()->getTerminator());
        for (unsigned edge = 0; branch && branch->isConditional() && edge < 2; edge++)
            if (tree.dominates(BasicBlockEdge(branch->getParent(), branch->getSuccessor(edge)), block))
                limit_by(branch->getCondition(), edge == 0, limits);
    }
}

// Whether work-items of one work-group certainly access the same bytes, whatever the launch.
bool is_hopeless(const in_shadow_grid &g, const in_check_lowering &options)
{
    auto is_constant = [](const in_grid_sum &s) {
        return s.count == 0 || (s.count == 1 && !s.terms[0].a && !s.terms[0].b);
    };
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (unsigned k = 0; k < g.count; k++) {
        const in_grid_access &a = g.accesses[k];
        int64_t at = a.fixed.count ? a.fixed.terms[0].by : 0;
        low = std::min(low, is_constant(a.fixed) ? at : 0);
        high = std::max(high, is_constant(a.fixed) ? at + int64_t(a.size) : 0);
    }
    bool fixed = all_of(ArrayRef(g.accesses, g.count), [&](auto &a) { return is_constant(a.fixed); });
    for (unsigned k = 0; k < 3; k++) {
        const in_grid_sum &global = g.strides[IN_GRID_GLOBAL + k], &local = g.strides[IN_GRID_LOCAL + k];
        int64_t stride =
            (global.count ? global.terms[0].by : 0) + int64_t(local.count ? local.terms[0].by : 0);
        if (options.local_size[k] > 1 && fixed && is_constant(global) && is_constant(local) &&
            std::abs(stride) < high - low)
            return true;
    }
    auto varies = [&](unsigned k) {
        return g.strides[IN_GRID_GLOBAL + k].count || g.strides[IN_GRID_GROUP + k].count;
    };
    return !varies(0) || (!options.one_row && !varies(1) && !varies(2));
}

} // namespace

bool CheckLowering::has_grid(unsigned argument)
{
    in_shadow_grid g = {};
    g.argument = uint8_t(argument);
    if (options.no_grids || options.plan.grid_count == IN_GRIDS)
        return false;
    GridAnalysis analysis(item, options);
    for (Access &a : accesses) {
        if (a.origin.kind != Origin::ARGUMENT || a.origin.number != argument)
            continue;
        Polynomial p;
        if (!a.plain() || a.size > INT32_MAX || g.count == IN_GRID_ACCESSES ||
            !analysis.offset(a.call->getArgOperand(0), a.origin.base, p))
            return false;
        in_grid_access &access = g.accesses[g.count++];
        access.size = uint32_t(a.size);
        for (unsigned id = 0; id < IN_GRID_IDS; id++) {
            in_grid_sum stride;
            if (!part_of(p, id, stride) || (g.count > 1 && !are_equal(stride, g.strides[id])))
                return false;
            g.strides[id] = stride;
        }
        if (!part_of(p, NO_ID, access.fixed))
            return false;
        analysis.find_limits(a.call->getParent(), access.limits);
    }
    if (is_hopeless(g, options))
        return false;
    options.plan.grids[options.plan.grid_count++] = g;
    return true;
}
