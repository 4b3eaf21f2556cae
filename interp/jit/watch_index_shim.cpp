// Watched launches: what pointers point into, and how their offsets follow from ids.
#include "watch_index.hpp"

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
    most = std::max<uint64_t>(most, std::max(std::abs(l.x), std::abs(l.rows)));
    return true;
}

// The global size in the first dimension, as the frame has it.
bool LinearFinder::is_width(Value *v) const
{
    while (auto *cast = dyn_cast<CastInst>(v))
        v = cast->getOperand(0);
    auto *load = dyn_cast<LoadInst>(v);
    APInt at(64, 0);
    return load &&
           load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, at, true) ==
               item.getArg(FRAME) &&
           at == watching.sizes_at;
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
    if (isa<ZExtInst>(i) || isa<SExtInst>(i))
        return i->getOperand(0)->getType()->getIntegerBitWidth() >= 32 &&
               number(i->getOperand(0), l, depth - 1);
    if (isa<TruncInst>(i))
        return i->getType()->getIntegerBitWidth() >= 32 && number(i->getOperand(0), l, depth - 1);
    if (!isa<BinaryOperator>(i))
        return false;
    Value *a = i->getOperand(0), *b = i->getOperand(1);
    if (i->getOpcode() == Instruction::Mul) {
        Value *id = is_width(a) ? b : is_width(b) ? a : nullptr;
        while (auto *cast = dyn_cast_or_null<CastInst>(id))
            id = cast->getOperand(0);
        if (id == item.getArg(GLOBAL + 1)) {
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
        if (at.isStruct() || !number(at.getOperand(), step, 12) ||
            !scale(step, int64_t(layout.getTypeAllocSize(at.getIndexedType()))))
            return false;
        l.add(step, 1);
    }
    return true;
}

// Dimensions from the smallest step on: each steps over all that those before it reach.
bool LinearFinder::apart(const Linear &l, int64_t width) const
{
    SmallVector<unsigned, 3> order;
    for (unsigned k = 0; k < 3; k++)
        if (watching.local_size[k] > 1)
            order.push_back(k);
    sort(order, [&](unsigned a, unsigned b) { return l.local[a] < l.local[b]; });
    for (unsigned k : order) {
        if (l.local[k] < width)
            return false;
        width += l.local[k] * (watching.local_size[k] - 1);
    }
    return true;
}

bool LinearFinder::within(const Linear &l, int64_t align, int64_t most) const
{
    int64_t end = l.fixed;
    for (unsigned k = 0; k < 3; k++) {
        if (l.local[k] < 0 || l.local[k] % align != 0)
            return false;
        end += l.local[k] * (watching.local_size[k] - 1);
    }
    return !l.more && !l.x && !l.rows && l.fixed >= 0 && end <= most;
}
