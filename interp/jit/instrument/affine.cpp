// Pointer origins, and offsets as affine functions of ids.  docs/instrumentation.md#affine
#include "interp/jit/instrument/affine.hpp"

#include <llvm/IR/GetElementPtrTypeIterator.h>

using namespace llvm;

// ---- objects -------------------------------------------------------------------------------------

bool OriginAnalysis::in_frame(Value *pointer, uint64_t offset, uint64_t &at) const
{
    const DataLayout &layout = item.getParent()->getDataLayout();
    APInt out(64, 0), in(64, 0);
    Value *base = pointer->stripAndAccumulateConstantOffsets(layout, out, true);
    auto *load = dyn_cast<LoadInst>(base);
    if (!load ||
        load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, in, true) != item.getArg(FRAME))
        return false;
    at = out.getZExtValue();
    return in == offset;
}

Origin OriginAnalysis::variable_origin(const in_shadow_object *list, size_t count, uint64_t offset,
                                       Value *base, decltype(Origin::kind) kind) const
{
    for (size_t k = 0; k < count; k++)
        if (offset == list[k].offset) {
            Origin r;
            r.kind = kind;
            r.base = base;
            r.size = list[k].size;
            r.within = ConstantInt::get(Type::getInt64Ty(item.getContext()), offset);
            return r;
        }
    return {};
}

// The first GEP from the base of local or program memory selects a variable.
Origin OriginAnalysis::element_origin(GEPOperator *gep)
{
    Value *from = gep->getPointerOperand();
    uint64_t at = 0;
    APInt offset(64, 0);
    bool constant = gep->accumulateConstantOffset(item.getParent()->getDataLayout(), offset);
    if (from == item.getArg(LOCAL)) {
        if (constant)
            return variable_origin(options.locals, options.local_count, offset.getZExtValue(), gep,
                                   Origin::LOCAL);
        auto *load = dyn_cast<LoadInst>(gep->getOperand(1));
        for (unsigned k = 0; load && k < options.argument_count; k++)
            if (in_frame(load->getPointerOperand(), options.arguments_at, at) &&
                at == options.argument_offsets[k]) {
                Origin r;
                r.kind = Origin::LOCAL_ARGUMENT;
                r.number = k;
                r.base = gep;
                r.within = load;
                return r;
            }
        return {};
    }
    if (in_frame(from, options.program_at, at) && at == 0 && constant)
        return variable_origin(options.constants, options.constant_count, offset.getZExtValue(), gep,
                               Origin::CONSTANT);
    return find(from);
}

Origin OriginAnalysis::common_origin(ArrayRef<Value *> pointers)
{
    Origin result;
    bool first = true;
    for (Value *p : pointers) {
        if (is_contained(visiting, p))
            continue;
        Origin r = find(p);
        if (r.kind == Origin::UNKNOWN || (!first && !(r == result)))
            return {};
        result = r;
        first = false;
    }
    return result;
}

Origin OriginAnalysis::find(Value *pointer)
{
    pointer = pointer->stripPointerCasts();
    Origin r;
    uint64_t at = 0;
    if (auto *call = dyn_cast<CallInst>(pointer))
        if (call->getCalledFunction() && call->getCalledFunction()->getName() == "in.access")
            return find(call->getArgOperand(0));
    if (isa<AllocaInst>(pointer)) {
        r.kind = Origin::PRIVATE;
        r.base = pointer;
        r.size =
            item.getParent()->getDataLayout().getTypeAllocSize(cast<AllocaInst>(pointer)->getAllocatedType());
        return r;
    }
    if (auto *gep = dyn_cast<GEPOperator>(pointer))
        return element_origin(gep);
    if (in_frame(pointer, options.program_at, at)) // the variable at offset 0
        return variable_origin(options.constants, options.constant_count, 0, pointer, Origin::CONSTANT);
    if (auto *load = dyn_cast<LoadInst>(pointer)) {
        for (unsigned k = 0; k < options.argument_count; k++)
            if (in_frame(load->getPointerOperand(), options.arguments_at, at) &&
                at == options.argument_offsets[k]) {
                r.kind = Origin::ARGUMENT;
                r.number = k;
                r.base = pointer;
            }
        return r;
    }
    if (is_contained(visiting, pointer))
        return r;
    visiting.push_back(pointer);
    if (auto *phi = dyn_cast<PHINode>(pointer)) {
        SmallVector<Value *, 8> incoming(phi->incoming_values());
        r = common_origin(incoming);
    } else if (auto *select = dyn_cast<SelectInst>(pointer)) {
        r = common_origin({select->getTrueValue(), select->getFalseValue()});
    }
    visiting.pop_back();
    return r;
}

bool OriginAnalysis::is_variable(Value *pointer) const
{
    auto *gep = dyn_cast<GEPOperator>(pointer);
    uint64_t at = 0;
    return (!gep || gep->hasAllConstantIndices()) && in_frame(pointer, options.program_at, at);
}

// Subscripts out of bounds may make a pointer one into another object, so the origin follows the pointer's
// history.
Value *OriginAnalysis::object_pointer(Value *pointer)
{
    pointer = pointer->stripPointerCasts();
    if (auto found = object_pointers.find(pointer); found != object_pointers.end())
        return found->second;
    Origin origin = find(pointer);
    if (origin.kind == Origin::ARGUMENT)
        return origin.base;
    if (auto *call = dyn_cast<CallInst>(pointer); call && call->getType()->isPointerTy() &&
                                                  call->getCalledFunction() &&
                                                  call->getCalledFunction()->getName() == "in.access")
        return object_pointer(call->getArgOperand(0));
    if (is_variable(pointer))
        return pointer;
    if (auto *gep = dyn_cast<GEPOperator>(pointer))
        return object_pointer(gep->getPointerOperand());
    if (auto *phi = dyn_cast<PHINode>(pointer)) {
        PHINode *object = PHINode::Create(phi->getType(), phi->getNumIncomingValues(), "", phi);
        object_pointers[pointer] = object_pointers[object] = object;
        for (unsigned k = 0; k < phi->getNumIncomingValues(); k++)
            object->addIncoming(object_pointer(phi->getIncomingValue(k)), phi->getIncomingBlock(k));
        return object;
    }
    if (auto *select = dyn_cast<SelectInst>(pointer)) {
        Value *yes = object_pointer(select->getTrueValue()), *no = object_pointer(select->getFalseValue());
        return object_pointers[pointer] = SelectInst::Create(select->getCondition(), yes, no, "", select);
    }
    return pointer;
}

// ---- offsets -------------------------------------------------------------------------------------

bool AffineAnalysis::scale(AffineOffset &l, int64_t by)
{
    const int64_t limit = INT64_C(1) << 30;
    auto large = [=](int64_t n) { return n <= -limit || n >= limit; };
    if (large(by) || large(l.x) || large(l.row) || large(l.fixed) || large(l.term) ||
        any_of(l.local, large) || any_of(l.scaled, large))
        return false;
    AffineOffset scaled;
    scaled.add(l, by);
    l = scaled;
    for (int64_t n : {l.x, l.row, l.local[0], l.local[1], l.local[2]})
        max_coefficient = std::max<uint64_t>(max_coefficient, uint64_t(std::abs(n)));
    return true;
}

// L * Y: one of them is a constant, or one has local ids and the other only a uniform value.
bool AffineAnalysis::multiply(AffineOffset &l, AffineOffset y)
{
    if (l.is_fixed())
        std::swap(l, y);
    if (y.is_fixed())
        return scale(l, y.fixed);
    if (!y.uniform_term)
        std::swap(l, y);
    auto has_ids = [](const AffineOffset &f) {
        return f.x || f.row || any_of(f.local, [](int64_t n) { return n; });
    };
    if (l.uniform_term || l.x || l.row || !y.term_value || y.is_scaled() || has_ids(y))
        return false;
    AffineOffset product = l, times = l;
    if (!scale(product, y.fixed) || !scale(times, y.term))
        return false;
    product.uniform_term = true;
    product.term_value = y.term_value;
    product.term = times.fixed;
    std::copy(times.local, times.local + 3, product.scaled);
    product.wraps |= y.wraps;
    l = product;
    return true;
}

Value *before_casts(Value *v)
{
    auto *cast = dyn_cast<CastInst>(v);
    while (cast && cast->isIntegerCast() && cast->getType()->getIntegerBitWidth() >= 32 &&
           cast->getSrcTy()->getIntegerBitWidth() >= 32) {
        v = cast->getOperand(0);
        cast = dyn_cast<CastInst>(v);
    }
    return v;
}

// The global size in the first dimension, as the frame has it.
bool AffineAnalysis::is_width(Value *v) const
{
    auto *load = dyn_cast<LoadInst>(before_casts(v));
    APInt at(64, 0);
    return load &&
           load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, at, true) ==
               item.getArg(FRAME) &&
           at == options.sizes_at;
}

// Whether the values of L fit in 31 bits, or, with SIGN, in signed 32 bits.
bool AffineAnalysis::fits(const AffineOffset &l, bool sign) const
{
    const int64_t limit = INT64_C(1) << 31;
    int64_t low = l.fixed, high = l.fixed;
    for (unsigned k = 0; k < 3; k++) {
        if (std::abs(l.local[k]) >= limit)
            return false;
        (l.local[k] < 0 ? low : high) += l.local[k] * (int64_t(options.local_size[k]) - 1);
    }
    return !l.uniform_term && !l.x && !l.row && low >= (sign ? -limit : 0) && high < limit;
}

bool AffineAnalysis::affine_or_uniform(Value *v, AffineOffset &l, unsigned depth)
{
    if (affine(v, l, depth))
        return true;
    l = {};
    l.uniform_term = uniform_terms && !uniform_terms->values.count(v);
    l.term_value = before_casts(v);
    l.term = 1;
    return l.uniform_term;
}

// Arithmetic modulo 2^32 and 2^64 agree as long as id * coefficient fits in 32 bits (checked at launch).
bool AffineAnalysis::affine(Value *v, AffineOffset &l, unsigned depth)
{
    if (v == item.getArg(GLOBAL)) {
        l.x = 1;
        return true;
    }
    for (unsigned k = 0; k < 3; k++)
        if (v == item.getArg(ITEM + k)) {
            l.local[k] = 1;
            return true;
        }
    if (auto *c = dyn_cast<ConstantInt>(v)) {
        l.fixed = c->getBitWidth() <= 64 ? c->getSExtValue() : INT64_MAX / 4;
        return std::abs(l.fixed) < INT64_C(1) << 30;
    }
    auto *i = dyn_cast<Instruction>(v);
    if (!i || depth == 0)
        return false;
    if (isa<ZExtInst>(i) || isa<SExtInst>(i) || isa<TruncInst>(i)) {
        if (i->getOperand(0)->getType()->getIntegerBitWidth() < 32 ||
            i->getType()->getIntegerBitWidth() < 32 || !affine_or_uniform(i->getOperand(0), l, depth - 1))
            return false;
        l.wraps |= !fits(l, isa<SExtInst>(i));
        return true;
    }
    if (!isa<BinaryOperator>(i))
        return false;
    Value *a = i->getOperand(0), *b = i->getOperand(1);
    if (i->getOpcode() == Instruction::Mul) {
        Value *id = is_width(a) ? b : is_width(b) ? a : nullptr;
        if (id && before_casts(id) == item.getArg(GLOBAL + 1)) {
            l.row = 1;
            return true;
        }
    }
    AffineOffset y;
    if (!affine_or_uniform(a, l, depth - 1) || !affine_or_uniform(b, y, depth - 1))
        return false;
    switch (i->getOpcode()) {
    case Instruction::Add:
        l.add(y, 1);
        return true;
    case Instruction::Sub:
        l.add(y, -1);
        return true;
    case Instruction::Shl:
        return y.is_fixed() && y.fixed >= 0 && y.fixed < 30 && scale(l, INT64_C(1) << y.fixed);
    case Instruction::Mul:
        return multiply(l, y);
    default:
        return false;
    }
}

bool AffineAnalysis::offset(Value *pointer, Value *base, AffineOffset &l)
{
    if (pointer == base) {
        l = {};
        return true;
    }
    auto *gep = dyn_cast<GEPOperator>(pointer);
    if (!gep || !offset(gep->getPointerOperand(), base, l))
        return false;
    for (auto at = gep_type_begin(gep); at != gep_type_end(gep); ++at) {
        AffineOffset step;
        if (at.isStruct() || !at.getOperand()->getType()->isIntegerTy(64) ||
            !affine_or_uniform(at.getOperand(), step, 12) ||
            !scale(step, int64_t(layout.getTypeAllocSize(at.getIndexedType()))))
            return false;
        l.add(step, 1);
    }
    return true;
}

// Sorted by stride, each dimension's stride must be at least the extent covered by the dimensions before it.
// The total extent must be below 2^31, so that offsets modulo 2^32 stay distinct.
bool AffineAnalysis::is_disjoint(const AffineOffset &l, int64_t width) const
{
    const int64_t limit = INT64_C(1) << 31;
    SmallVector<unsigned, 3> order;
    for (unsigned k = 0; k < 3; k++)
        if (options.local_size[k] > 1)
            order.push_back(k);
    sort(order, [&](unsigned a, unsigned b) { return l.local[a] < l.local[b]; });
    for (unsigned k : order) {
        if (l.local[k] < width || l.local[k] >= limit)
            return false;
        width += l.local[k] * (options.local_size[k] - 1);
    }
    return width < limit;
}

bool AffineAnalysis::is_within(const AffineOffset &l, int64_t align, int64_t most) const
{
    int64_t end = l.fixed;
    for (unsigned k = 0; k < 3; k++) {
        if (l.local[k] < 0 || l.local[k] % align != 0)
            return false;
        end += l.local[k] * (options.local_size[k] - 1);
    }
    return !l.wraps && fits(l, false) && l.fixed >= 0 && end <= most;
}
