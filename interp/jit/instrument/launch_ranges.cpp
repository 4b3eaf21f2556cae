// Ranges of integers over all work-items of a launch.  docs/instrumentation.md#ranges-of-a-launch
#include "interp/jit/instrument/launch_ranges.hpp"
#include "interp/jit/vectorize/versions.hpp"

#include <llvm/ADT/ScopeExit.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace instrumentation;

namespace
{

enum { DEPTH = 24, MOST_WORK = 6000, SMALL_WIDTH = 16 };
static_assert(GROUP < SIZE && SIZE < ITEM && ITEM < GLOBAL, "the order of parameters");

} // namespace

LaunchRanges::LaunchRanges(Function &f, const in_check_lowering &w)
    : b(f.getContext()), item(f), options(w), layout(f.getParent()->getDataLayout()), tree(f), loops(tree),
      assumptions(f), library(), functions(library), evolution(f, functions, assumptions, tree, loops),
      wide(Type::getInt128Ty(f.getContext()))
{
    LLVMContext &c = f.getContext();
    auto *type = FunctionType::get(Type::getInt32Ty(c), {PointerType::get(c, 0)}, false);
    holds = Function::Create(type, GlobalValue::ExternalLinkage, "run.holds", f.getParent());
    holds->addFnAttr(Attribute::NoUnwind);
    b.SetInsertPoint(BasicBlock::Create(c, "", holds));
}

// ---- arithmetic -----------------------------------------------------------------------------------

void LaunchRanges::require(Value *condition)
{
    requirement = requirement ? b.CreateAnd(requirement, condition) : condition;
}

Value *LaunchRanges::take_requirement()
{
    return std::exchange(requirement, nullptr);
}

Value *LaunchRanges::smaller(Value *x, Value *y)
{
    return x == y ? x : b.CreateSelect(b.CreateICmpSLT(x, y), x, y);
}

Value *LaunchRanges::larger(Value *x, Value *y)
{
    return x == y ? x : b.CreateSelect(b.CreateICmpSLT(x, y), y, x);
}

LaunchRange LaunchRanges::unite(LaunchRange x, LaunchRange y)
{
    return x && y ? LaunchRange{smaller(x.low, y.low), larger(x.high, y.high)} : LaunchRange();
}

// Operands beyond 2^63 are not supported: then nothing wraps around in 128 bits.
void LaunchRanges::require_small(LaunchRange r)
{
    Value *half = ConstantInt::get(wide, APInt::getOneBitSet(128, 63));
    for (Value *end : {r.low, r.high})
        require(
            b.CreateICmpULT(b.CreateAdd(end, half), ConstantInt::get(wide, APInt::getOneBitSet(128, 64))));
}

LaunchRange LaunchRanges::combine(unsigned op, LaunchRange x, LaunchRange y)
{
    if (!x || !y)
        return {};
    require_small(x);
    require_small(y);
    if (op == Instruction::Add)
        return {b.CreateAdd(x.low, y.low), b.CreateAdd(x.high, y.high)};
    if (op == Instruction::Sub)
        return {b.CreateSub(x.low, y.high), b.CreateSub(x.high, y.low)};
    if (isa<ConstantInt>(x.low) && x.low == x.high)
        std::swap(x, y);
    if (auto *factor = dyn_cast<ConstantInt>(y.low); factor && y.low == y.high) {
        Value *low = b.CreateMul(x.low, factor), *high = x.low == x.high ? low : b.CreateMul(x.high, factor);
        return factor->isNegative() ? LaunchRange{high, low} : LaunchRange{low, high};
    }
    Value *ends[] = {b.CreateMul(x.low, y.low), b.CreateMul(x.low, y.high), b.CreateMul(x.high, y.low),
                     b.CreateMul(x.high, y.high)};
    return {smaller(smaller(ends[0], ends[1]), smaller(ends[2], ends[3])),
            larger(larger(ends[0], ends[1]), larger(ends[2], ends[3]))};
}

Value *LaunchRanges::is_within(LaunchRange r, Value *low, Value *high)
{
    if (!r)
        return nullptr;
    Value *within = b.CreateAnd(b.CreateICmpSLE(low, r.low), b.CreateICmpSLE(r.high, high));
    return match(within, m_Zero()) ? nullptr : within;
}

LaunchRange LaunchRanges::all_numbers(unsigned width, bool sign)
{
    const APInt low = sign ? APInt::getSignedMinValue(width).sext(128) : APInt(128, 0);
    const APInt high = sign ? APInt::getSignedMaxValue(width).zext(128) : APInt::getMaxValue(width).zext(128);
    return {ConstantInt::get(wide, low), ConstantInt::get(wide, high)};
}

// A range of integers that are congruent to values of WIDTH bits, as a range of those values.
LaunchRange LaunchRanges::as_number(LaunchRange r, unsigned width, bool sign)
{
    if (width > 64)
        return {};
    const LaunchRange all = all_numbers(width, sign);
    if (r && r.low == r.high) { // one value
        Value *bits = b.CreateShl(r.low, 128 - width),
              *v = sign ? b.CreateAShr(bits, 128 - width) : b.CreateLShr(bits, 128 - width);
        return {v, v};
    }
    Value *within = is_within(r, all.low, all.high);
    if (width <= SMALL_WIDTH)
        return within ? LaunchRange{b.CreateSelect(within, r.low, all.low),
                                    b.CreateSelect(within, r.high, all.high)}
                      : all;
    if (within)
        require(within);
    return within ? r : LaunchRange();
}

// ---- values ---------------------------------------------------------------------------------------

Value *LaunchRanges::frame_load(uint64_t at, Type *type)
{
    return b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), holds->getArg(0), at));
}

Value *LaunchRanges::size_at(uint64_t at)
{
    return b.CreateZExt(frame_load(at, b.getInt64Ty()), wide);
}

LaunchRange LaunchRanges::parameter(unsigned k)
{
    auto word = [&](uint64_t fields, unsigned dimension) { return size_at(fields + 8 * dimension); };
    auto up_to = [&](Value *low, Value *count) {
        return LaunchRange{low, b.CreateSub(b.CreateAdd(low, count), constant(1))};
    };
    if (k >= GLOBAL)
        return up_to(word(options.offsets_at, k - GLOBAL), word(options.sizes_at, k - GLOBAL));
    if (k >= ITEM)
        return up_to(constant(0), constant(options.local_size[k - ITEM]));
    if (k >= SIZE)
        return {constant(options.edge ? 1 : options.local_size[k - SIZE]),
                constant(options.local_size[k - SIZE])};
    return k >= GROUP ? up_to(constant(0), word(options.groups_at, k - GROUP)) : LaunchRange();
}

// Sizes in the frame, and arguments.
LaunchRange LaunchRanges::launch_value(LoadInst *load)
{
    if (!load->getType()->isIntegerTy() || load->getType()->getIntegerBitWidth() > 64 || load->isVolatile())
        return {};
    APInt at(64, 0);
    Value *from = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, at, true), *value;
    uint64_t place = 0;
    if (from == item.getArg(FRAME) && load->getType()->isIntegerTy(64) && at.ult(options.groups_at + 24))
        value = frame_load(at.getZExtValue(), load->getType());
    else if (OriginAnalysis(item, options).in_frame(load->getPointerOperand(), options.arguments_at, place))
        value = b.CreateLoad(load->getType(),
                             b.CreateConstInBoundsGEP1_64(
                                 b.getInt8Ty(), frame_load(options.arguments_at, b.getPtrTy()), place));
    else
        return {};
    value = b.CreateSExt(value, wide);
    return {value, value};
}

// Loops divide PHI by constants: `for (m = n / 2; m > 0; m /= 2)`.
static bool is_divided_down(const PHINode *phi, const Value *next)
{
    auto *i = dyn_cast<BinaryOperator>(next);
    bool divides = i && (i->getOpcode() == Instruction::LShr || i->getOpcode() == Instruction::AShr ||
                         i->getOpcode() == Instruction::UDiv || i->getOpcode() == Instruction::SDiv);
    auto *by = divides ? dyn_cast<ConstantInt>(i->getOperand(1)) : nullptr;
    return by && i->getOperand(0) == phi && by->getValue().isStrictlyPositive();
}

LaunchRange LaunchRanges::merge(PHINode *phi, unsigned depth)
{
    Loop *loop = loops.getLoopFor(phi->getParent());
    const unsigned width = phi->getType()->getIntegerBitWidth();
    LaunchRange result;
    if (loop && loop->getHeader() == phi->getParent()) {
        BasicBlock *before = loop->getLoopPredecessor(), *latch = loop->getLoopLatch();
        if (!before || !latch || !is_divided_down(phi, phi->getIncomingValueForBlock(latch)))
            return {};
        result = as_number(range(evolution.getSCEV(phi->getIncomingValueForBlock(before)), before, depth),
                           width, true);
        if (!result)
            return {};
        require(b.CreateICmpSLE(constant(0), result.low));
        return {constant(0), result.high};
    }
    for (unsigned k = 0; k < phi->getNumIncomingValues(); k++) {
        BasicBlock *from = phi->getIncomingBlock(k);
        auto *branch = dyn_cast<BranchInst>(from->getTerminator());
        bool conditional =
            branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1);
        if (conditional)
            chosen.push_back({branch->getCondition(), branch->getSuccessor(0) == phi->getParent(), from});
        LaunchRange incoming = range(evolution.getSCEV(phi->getIncomingValue(k)), from, depth);
        if (conditional)
            chosen.pop_back();
        result = k ? unite(result, incoming) : incoming;
        if (!result)
            return {};
    }
    return result;
}

LaunchRange LaunchRanges::select(SelectInst *i, unsigned depth)
{
    BasicBlock *at = i->getParent();
    LaunchRange results[2];
    for (bool holds_true : {false, true}) {
        chosen.push_back({i->getCondition(), holds_true, at});
        results[holds_true] =
            range(evolution.getSCEV(holds_true ? i->getTrueValue() : i->getFalseValue()), at, depth);
        chosen.pop_back();
    }
    return unite(results[0], results[1]);
}

// Of integers that are not negative.
LaunchRange LaunchRanges::operation(Instruction *i, unsigned depth)
{
    BasicBlock *at = i->getParent();
    const unsigned width = i->getType()->getIntegerBitWidth();
    const unsigned op = i->getOpcode();
    auto operand = [&](unsigned k) {
        return attempt([&] {
            LaunchRange r = as_number(range(evolution.getSCEV(i->getOperand(k)), at, depth), width, true);
            if (r)
                require(b.CreateICmpSLE(constant(0), r.low));
            return r;
        });
    };
    if (op != Instruction::And && op != Instruction::Or && op != Instruction::Xor &&
        op != Instruction::LShr && op != Instruction::AShr && op != Instruction::SRem &&
        op != Instruction::SDiv)
        return {};
    if (auto *mask = dyn_cast<ConstantInt>(i->getOperand(1));
        op == Instruction::And && mask && !mask->isNegative())
        return {constant(0), constant(mask->getSExtValue())};
    const LaunchRange x = operand(0), y = operand(1);
    if (!x)
        return op == Instruction::And && y ? LaunchRange{constant(0), y.high} : LaunchRange();
    switch (op) {
    case Instruction::And:
        return {constant(0), y ? smaller(x.high, y.high) : x.high};
    case Instruction::Or:
    case Instruction::Xor:
        return y ? LaunchRange{constant(0), b.CreateAdd(x.high, y.high)} : LaunchRange();
    case Instruction::LShr:
    case Instruction::AShr:
        if (auto *by = dyn_cast<ConstantInt>(i->getOperand(1)); by && by->getValue().ult(width))
            return {b.CreateLShr(x.low, by->getZExtValue()), b.CreateLShr(x.high, by->getZExtValue())};
        return {constant(0), x.high};
    default: // code continues after a division by 0, with any result
        if (!y)
            return {};
        require(b.CreateICmpSLE(constant(1), y.low));
        return {constant(0),
                op == Instruction::SRem ? smaller(x.high, b.CreateSub(y.high, constant(1))) : x.high};
    }
}

LaunchRange LaunchRanges::leaf(Value *v, unsigned depth)
{
    if (auto *argument = dyn_cast<Argument>(v))
        return parameter(argument->getArgNo());
    auto *i = dyn_cast<Instruction>(v);
    if (!i || !i->getType()->isIntegerTy())
        return {};
    if (MDNode *node = i->getMetadata(parameter_metadata))
        return parameter(unsigned(mdconst::extract<ConstantInt>(node->getOperand(0))->getZExtValue()));
    if (auto *load = dyn_cast<LoadInst>(i))
        return launch_value(load);
    if (auto *phi = dyn_cast<PHINode>(i))
        return merge(phi, depth);
    if (auto *choice = dyn_cast<SelectInst>(i))
        return select(choice, depth);
    return operation(i, depth);
}

// In iteration k: START + k * STEP.  Where the number of iterations is not known, a comparison on the path to
// the next one may bound S there: then no iteration makes it wrap around.
LaunchRange LaunchRanges::recurrence(const SCEVAddRecExpr *s, BasicBlock *at, unsigned depth)
{
    const Loop *loop = s->getLoop();
    BasicBlock *before = loop->getLoopPredecessor(), *latch = loop->getLoopLatch();
    const unsigned width = unsigned(evolution.getTypeSizeInBits(s->getType()));
    if (!s->isAffine() || !before || !latch)
        return {};
    // What was chosen in one iteration does not hold in the others.
    SmallVector<Condition, 4> outside;
    std::swap(chosen, outside);
    auto restore = make_scope_exit([&] { std::swap(chosen, outside); });
    LaunchRange first = range(s->getStart(), before, depth),
                step = range(s->getStepRecurrence(evolution), before, depth);
    // The header leaves the loop before the rest of an iteration is executed.
    BasicBlock *header = loop->getHeader();
    auto *branch = dyn_cast<BranchInst>(header->getTerminator());
    bool rest = at != header && loop->contains(at) && branch && branch->isConditional();
    if (rest) {
        BasicBlock *inside = branch->getSuccessor(!loop->contains(branch->getSuccessor(0)));
        rest = loop->isLoopExiting(header) && tree.dominates(BasicBlockEdge(header, inside), at);
    }
    const SCEV *count = rest ? evolution.getExitCount(loop, header) : evolution.getBackedgeTakenCount(loop);
    if (isa<SCEVCouldNotCompute>(count)) {
        rest = false;
        count = evolution.getBackedgeTakenCount(loop);
    }
    LaunchRange counted = attempt([&] {
        if (isa<SCEVCouldNotCompute>(count))
            return LaunchRange();
        LaunchRange n = as_number(range(count, before, depth),
                                  unsigned(evolution.getTypeSizeInBits(count->getType())), false);
        if (n && rest)
            n.high = larger(b.CreateSub(n.high, constant(1)), constant(0));
        return n ? combine(Instruction::Add, first, combine(Instruction::Mul, step, {constant(0), n.high}))
                 : LaunchRange();
    });
    if (counted || !first || !step)
        return counted;
    const Bounds bounds = find_bounds(s, latch, depth);
    for (bool sign : {true, false}) {
        if (!bounds.most[sign])
            continue;
        first = as_number(first, width, sign);
        step = as_number(step, width, sign);
        if (!first || !step)
            return {};
        Value *last = b.CreateAdd(bounds.most[sign], step.high);
        require(b.CreateICmpSLE(constant(0), step.low));
        require(b.CreateICmpSLE(last, all_numbers(width, sign).high));
        return {first.low, larger(first.high, last)};
    }
    return {};
}

LaunchRange LaunchRanges::quotient(const SCEVUDivExpr *s, BasicBlock *at, unsigned depth)
{
    const unsigned width = unsigned(evolution.getTypeSizeInBits(s->getType()));
    LaunchRange x = as_number(range(s->getLHS(), at, depth), width, false);
    auto *by = dyn_cast<SCEVConstant>(s->getRHS());
    if (!x || (by && by->isZero()))
        return {};
    if (!by) {
        LaunchRange y = as_number(range(s->getRHS(), at, depth), width, false);
        if (y)
            require(b.CreateICmpSLE(constant(1), y.low));
        return y ? LaunchRange{constant(0), x.high} : LaunchRange();
    }
    auto divide = [&](Value *v) {
        Value *narrow_value = b.CreateTrunc(v, b.getInt64Ty());
        return b.CreateZExt(b.CreateUDiv(narrow_value, b.getInt64(by->getAPInt().getZExtValue())), wide);
    };
    return {divide(x.low), divide(x.high)};
}

// S is a multiple of x - x / n * n, which SCEV has for x % n, and a rest without it.
LaunchRange LaunchRanges::remainder(const SCEVAddExpr *s, BasicBlock *at, unsigned depth)
{
    for (const SCEV *operand : s->operands()) {
        auto *product = dyn_cast<SCEVMulExpr>(operand);
        for (unsigned k = 0; product && k < product->getNumOperands(); k++) {
            auto *extended = dyn_cast<SCEVZeroExtendExpr>(product->getOperand(k));
            auto *divided =
                dyn_cast<SCEVUDivExpr>(extended ? extended->getOperand() : product->getOperand(k));
            auto *factor = dyn_cast<SCEVConstant>(product->getOperand(0));
            auto *zero = divided ? dyn_cast<SCEVConstant>(divided->getRHS()) : nullptr;
            if (!divided || !factor || (zero && zero->isZero()))
                continue;
            const SCEV *n = divided->getRHS(), *by = evolution.getNegativeSCEV(factor);
            if (auto *constant_divisor = dyn_cast<SCEVConstant>(n))
                by = evolution.getConstant(cast<SCEVConstant>(by)->getAPInt().udiv(
                    constant_divisor->getAPInt().zextOrTrunc(factor->getAPInt().getBitWidth())));
            const SCEV *one = evolution.getURemExpr(divided->getLHS(), n);
            const SCEV *multiple = evolution.getMulExpr(by, evolution.getNoopOrZeroExtend(one, s->getType()));
            const SCEV *rest = evolution.getMinusSCEV(s, multiple);
            if (SCEVExprContains(rest, [&](const SCEV *part) { return part == divided; }))
                continue;
            const unsigned width = unsigned(evolution.getTypeSizeInBits(n->getType()));
            LaunchRange divisor = as_number(range(n, at, depth), width, false);
            if (!divisor)
                continue;
            require(b.CreateICmpSLE(constant(1), divisor.low));
            LaunchRange r{constant(0), b.CreateSub(divisor.high, constant(1))};
            return combine(Instruction::Add, range(rest, at, depth),
                           combine(Instruction::Mul, range(by, at, depth), r));
        }
    }
    return {};
}

// Of S if the range without its first or last term is known: in `a + b + c + ...` each sum has one more.
LaunchRange LaunchRanges::extended_sum(const SCEVAddExpr *s, BasicBlock *at, unsigned depth)
{
    if (s->getNumOperands() < 3 || !chosen.empty())
        return {};
    for (const SCEV *term : {s->getOperand(0), s->getOperand(s->getNumOperands() - 1)}) {
        SmallVector<const SCEV *, 8> others(s->operands());
        others.erase(find(others, term));
        const SCEV *rest = evolution.getAddExpr(others);
        auto found = known.find({rest, at});
        if (found != known.end() && found->second.first)
            return combine(Instruction::Add, range(rest, at, depth), range(term, at, depth));
    }
    return {};
}

LaunchRange LaunchRanges::extreme(const SCEVNAryExpr *s, BasicBlock *at, unsigned depth)
{
    const unsigned width = unsigned(evolution.getTypeSizeInBits(s->getType()));
    const bool sign = isa<SCEVSMaxExpr>(s) || isa<SCEVSMinExpr>(s),
               most = isa<SCEVSMaxExpr>(s) || isa<SCEVUMaxExpr>(s);
    LaunchRange result;
    for (unsigned k = 0; k < s->getNumOperands(); k++) {
        LaunchRange r = as_number(range(s->getOperand(k), at, depth), width, sign);
        if (!r)
            return {};
        result = !k     ? r
                 : most ? LaunchRange{larger(result.low, r.low), larger(result.high, r.high)}
                        : LaunchRange{smaller(result.low, r.low), smaller(result.high, r.high)};
    }
    return result;
}

LaunchRange LaunchRanges::range_without_branches(const SCEV *s, BasicBlock *at, unsigned depth)
{
    if (auto *cast = dyn_cast<SCEVCastExpr>(s)) {
        const SCEV *operand = cast->getOperand();
        LaunchRange r = operand->getType()->isIntegerTy() ? range(operand, at, depth) : LaunchRange();
        const unsigned width =
            operand->getType()->isIntegerTy() ? operand->getType()->getIntegerBitWidth() : 65;
        return isa<SCEVTruncateExpr>(s) ? r : as_number(r, width, isa<SCEVSignExtendExpr>(s));
    }
    if (auto *recursion = dyn_cast<SCEVAddRecExpr>(s))
        return recurrence(recursion, at, depth);
    if (auto *unknown = dyn_cast<SCEVUnknown>(s))
        return leaf(unknown->getValue(), depth);
    if (auto *division = dyn_cast<SCEVUDivExpr>(s))
        return quotient(division, at, depth);
    if (isa<SCEVMinMaxExpr>(s) || isa<SCEVSequentialMinMaxExpr>(s))
        return extreme(cast<SCEVNAryExpr>(s), at, depth);
    auto *sum = dyn_cast<SCEVAddExpr>(s);
    if (!sum && !isa<SCEVMulExpr>(s))
        return {};
    if (LaunchRange r = sum ? attempt([&] { return remainder(sum, at, depth); }) : LaunchRange())
        return r;
    if (LaunchRange r = sum ? extended_sum(sum, at, depth) : LaunchRange())
        return r;
    auto *parts = cast<SCEVNAryExpr>(s);
    LaunchRange result = range(parts->getOperand(0), at, depth);
    for (unsigned k = 1; k < parts->getNumOperands() && result; k++)
        result = combine(sum ? Instruction::Add : Instruction::Mul, result,
                         range(parts->getOperand(k), at, depth));
    return result;
}

// Of S in AT, modulo 2 to the power of its width.
LaunchRange LaunchRanges::range(const SCEV *s, BasicBlock *at, unsigned depth)
{
    if (auto *number_value = dyn_cast<SCEVConstant>(s)) {
        Value *v = ConstantInt::get(wide, number_value->getAPInt().sext(128));
        return number_value->getAPInt().getBitWidth() <= 64 ? LaunchRange{v, v} : LaunchRange();
    }
    if (depth == 0 || ++work > MOST_WORK || !s->getType()->isIntegerTy() ||
        s->getType()->getIntegerBitWidth() > 64)
        return {};
    auto found = chosen.empty() ? known.find({s, at}) : known.end();
    if (found != known.end()) {
        if (found->second.second)
            require(found->second.second);
        return found->second.first;
    }
    Value *outside = take_requirement();
    LaunchRange r = attempt([&] { return range_without_branches(s, at, depth - 1); });
    r = narrow(r, s->getType()->getIntegerBitWidth(), find_bounds(s, at, depth / 2));
    if (chosen.empty())
        known[{s, at}] = {r, requirement};
    if (outside)
        require(outside);
    return r;
}

// ---- the interface --------------------------------------------------------------------------------

LaunchRange LaunchRanges::offset(Value *pointer, Value *base, BasicBlock *block)
{
    const SCEV *s = evolution.getMinusSCEV(evolution.getSCEV(pointer), evolution.getSCEV(base));
    return isa<SCEVCouldNotCompute>(s) ? LaunchRange() : range(s, block, DEPTH);
}

bool LaunchRanges::is_aligned(Value *pointer, Value *base, uint64_t align)
{
    const SCEV *s = evolution.getMinusSCEV(evolution.getSCEV(pointer), evolution.getSCEV(base));
    return align == 1 || (!isa<SCEVCouldNotCompute>(s) && trailing_zeros(evolution, s) >= Log2_64(align));
}

LaunchRange LaunchRanges::number(Value *v, bool sign, BasicBlock *block)
{
    return as_number(range(evolution.getSCEV(v), block, DEPTH), v->getType()->getIntegerBitWidth(), sign);
}

// LLVM takes much longer to optimize arithmetic of 128 bits than the function takes to execute.  The function
// is simplified here and compiled as it is, in short blocks: instruction selection takes quadratic time for
// long ones.
void LaunchRanges::finish(Value *all)
{
    constexpr size_t MOST_OF_BLOCK = 128;
    if (!all) {
        holds->eraseFromParent();
        return;
    }
    b.CreateRet(b.CreateZExt(all, b.getInt32Ty()));
    FunctionAnalysisManager analyses;
    PassBuilder().registerFunctionAnalyses(analyses);
    EarlyCSEPass().run(*holds, analyses);
    ADCEPass().run(*holds, analyses);
    SmallVector<Instruction *, 16> starts;
    size_t count = 0;
    for (Instruction &i : holds->getEntryBlock())
        if (count++ % MOST_OF_BLOCK == 0 && count > 1)
            starts.push_back(&i);
    for (Instruction *start : reverse(starts)) // from the end: each split moves one short block
        holds->getEntryBlock().splitBasicBlock(start);
    holds->addFnAttr(Attribute::NoInline);
    holds->addFnAttr(Attribute::OptimizeNone);
}
