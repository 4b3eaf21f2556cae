// Watched launches: what pointers point into, and how their offsets follow from ids.
#include "interp/jit/instrument/watch_index.hpp"

#include <llvm/IR/GetElementPtrTypeIterator.h>

using namespace llvm;

// ---- objects -------------------------------------------------------------------------------------

bool RootFinder::in_frame(Value *pointer, uint64_t offset, uint64_t &at) const
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

Root RootFinder::object(const in_watch_object *list, size_t count, uint64_t offset, Value *base,
                        decltype(Root::kind) kind) const
{
    for (size_t k = 0; k < count; k++)
        if (offset == list[k].offset) {
            Root r;
            r.kind = kind;
            r.base = base;
            r.size = list[k].size;
            r.within = ConstantInt::get(Type::getInt64Ty(item.getContext()), offset);
            return r;
        }
    return {};
}

// The first step from local memory, or the module's, leads to an object of its own.
Root RootFinder::step(GEPOperator *gep)
{
    Value *from = gep->getPointerOperand();
    uint64_t at = 0;
    APInt offset(64, 0);
    bool constant = gep->accumulateConstantOffset(item.getParent()->getDataLayout(), offset);
    if (from == item.getArg(LOCAL)) {
        if (constant)
            return object(watching.locals, watching.local_count, offset.getZExtValue(), gep, Root::LOCAL);
        auto *load = dyn_cast<LoadInst>(gep->getOperand(1));
        for (unsigned k = 0; load && k < watching.argument_count; k++)
            if (in_frame(load->getPointerOperand(), watching.arguments_at, at) &&
                at == watching.argument_offsets[k]) {
                Root r;
                r.kind = Root::LOCAL_ARGUMENT;
                r.number = k;
                r.base = gep;
                r.within = load;
                return r;
            }
        return {};
    }
    if (in_frame(from, watching.program_at, at) && at == 0 && constant)
        return object(watching.constants, watching.constant_count, offset.getZExtValue(), gep,
                      Root::CONSTANT);
    return find(from);
}

Root RootFinder::all(ArrayRef<Value *> pointers)
{
    Root result;
    bool first = true;
    for (Value *p : pointers) {
        if (is_contained(under_way, p))
            continue;
        Root r = find(p);
        if (r.kind == Root::UNKNOWN || (!first && !(r == result)))
            return {};
        result = r;
        first = false;
    }
    return result;
}

Root RootFinder::find(Value *pointer)
{
    pointer = pointer->stripPointerCasts();
    Root r;
    uint64_t at = 0;
    if (auto *call = dyn_cast<CallInst>(pointer))
        if (call->getCalledFunction() && call->getCalledFunction()->getName() == "in.access")
            return find(call->getArgOperand(0));
    if (isa<AllocaInst>(pointer)) {
        r.kind = Root::PRIVATE;
        r.base = pointer;
        r.size =
            item.getParent()->getDataLayout().getTypeAllocSize(cast<AllocaInst>(pointer)->getAllocatedType());
        return r;
    }
    if (auto *gep = dyn_cast<GEPOperator>(pointer))
        return step(gep);
    if (auto *load = dyn_cast<LoadInst>(pointer)) {
        for (unsigned k = 0; k < watching.argument_count; k++)
            if (in_frame(load->getPointerOperand(), watching.arguments_at, at) &&
                at == watching.argument_offsets[k]) {
                r.kind = Root::ARGUMENT;
                r.number = k;
                r.base = pointer;
            }
        return r;
    }
    if (is_contained(under_way, pointer))
        return r;
    under_way.push_back(pointer);
    if (auto *phi = dyn_cast<PHINode>(pointer)) {
        SmallVector<Value *, 8> incoming(phi->incoming_values());
        r = all(incoming);
    } else if (auto *select = dyn_cast<SelectInst>(pointer)) {
        r = all({select->getTrueValue(), select->getFalseValue()});
    }
    under_way.pop_back();
    return r;
}

// ---- offsets -------------------------------------------------------------------------------------

bool LinearFinder::scale(Linear &l, int64_t by)
{
    const int64_t limit = INT64_C(1) << 30;
    auto large = [=](int64_t n) { return n <= -limit || n >= limit; };
    if (large(by) || large(l.x) || large(l.rows) || large(l.fixed) || any_of(l.local, large))
        return false;
    Linear scaled;
    scaled.add(l, by);
    l = scaled;
    for (int64_t n : {l.x, l.rows, l.local[0], l.local[1], l.local[2]})
        most = std::max<uint64_t>(most, uint64_t(std::abs(n)));
    return true;
}

// Casts of integers that leave 32 bits as they are.
static Value *before_casts(Value *v)
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
bool LinearFinder::is_width(Value *v) const
{
    auto *load = dyn_cast<LoadInst>(before_casts(v));
    APInt at(64, 0);
    return load &&
           load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, at, true) ==
               item.getArg(FRAME) &&
           at == watching.sizes_at;
}

// Whether L is a number of 31 bits, with SIGN also a negative one.
bool LinearFinder::fits(const Linear &l, bool sign) const
{
    const int64_t limit = INT64_C(1) << 31;
    int64_t low = l.fixed, high = l.fixed;
    for (unsigned k = 0; k < 3; k++) {
        if (std::abs(l.local[k]) >= limit)
            return false;
        (l.local[k] < 0 ? low : high) += l.local[k] * (int64_t(watching.local_size[k]) - 1);
    }
    return !l.more && !l.x && !l.rows && low >= (sign ? -limit : 0) && high < limit;
}

bool LinearFinder::number(Value *v, Linear &l, unsigned depth)
{
    if (known(v, l, depth))
        return true;
    l = {};
    l.more = agreed && !agreed->values.count(v);
    return l.more;
}

// Numbers wrap alike whatever their width, as long as ids times what they are multiplied by fit 32 bits.
bool LinearFinder::known(Value *v, Linear &l, unsigned depth)
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
            i->getType()->getIntegerBitWidth() < 32 || !number(i->getOperand(0), l, depth - 1))
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
            l.rows = 1;
            return true;
        }
    }
    Linear y;
    if (!number(a, l, depth - 1) || !number(b, y, depth - 1))
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
        if (y.is_fixed())
            return scale(l, y.fixed);
        if (!l.is_fixed())
            return false;
        std::swap(l, y);
        return scale(l, y.fixed);
    default:
        return false;
    }
}

bool LinearFinder::offset(Value *pointer, Value *base, Linear &l)
{
    if (pointer == base) {
        l = {};
        return true;
    }
    auto *gep = dyn_cast<GEPOperator>(pointer);
    if (!gep || !offset(gep->getPointerOperand(), base, l))
        return false;
    for (auto at = gep_type_begin(gep); at != gep_type_end(gep); ++at) {
        Linear step;
        if (at.isStruct() || !at.getOperand()->getType()->isIntegerTy(64) ||
            !number(at.getOperand(), step, 12) ||
            !scale(step, int64_t(layout.getTypeAllocSize(at.getIndexedType()))))
            return false;
        l.add(step, 1);
    }
    return true;
}

// Dimensions from the smallest step on: each steps over all that those before it reach.  Numbers may wrap
// around after 32 bits.
bool LinearFinder::apart(const Linear &l, int64_t width) const
{
    const int64_t limit = INT64_C(1) << 31;
    SmallVector<unsigned, 3> order;
    for (unsigned k = 0; k < 3; k++)
        if (watching.local_size[k] > 1)
            order.push_back(k);
    sort(order, [&](unsigned a, unsigned b) { return l.local[a] < l.local[b]; });
    for (unsigned k : order) {
        if (l.local[k] < width || l.local[k] >= limit)
            return false;
        width += l.local[k] * (watching.local_size[k] - 1);
    }
    return width < limit;
}

bool LinearFinder::within(const Linear &l, int64_t align, int64_t most) const
{
    int64_t end = l.fixed;
    for (unsigned k = 0; k < 3; k++) {
        if (l.local[k] < 0 || l.local[k] % align != 0)
            return false;
        end += l.local[k] * (watching.local_size[k] - 1);
    }
    return !l.wraps && fits(l, false) && l.fixed >= 0 && end <= most;
}
