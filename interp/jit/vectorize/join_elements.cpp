// Operations on vectors in place of the same operation on each of their elements: the emitter calls library
// functions element by element. docs/vectorizer.md#vectors-of-several-work-items
#include "interp/jit/vectorize/widen_vectors.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>

using namespace llvm;

bool is_elementwise(const Instruction &i)
{
    auto is_number = [](Type *type) { return type->isIntOrIntVectorTy() || type->isFPOrFPVectorTy(); };
    if (!is_number(i.getType()))
        return false;
    if (auto *call = dyn_cast<IntrinsicInst>(&i)) {
        SmallVector<Type *, 4> overloads;
        return isTriviallyVectorizable(call->getIntrinsicID()) &&
               Intrinsic::getIntrinsicSignature(call->getCalledFunction(), overloads) &&
               overloads.size() == 1 && overloads[0] == i.getType();
    }
    return (isa<BinaryOperator>(i) || isa<UnaryOperator>(i) || isa<CmpInst>(i) || isa<CastInst>(i) ||
            isa<SelectInst>(i) || isa<FreezeInst>(i)) &&
           all_of(i.operands(), [&](const Use &u) { return is_number(u->getType()); });
}

Value *with_operands(IRBuilder<> &b, Instruction &i, ArrayRef<Value *> operands, Type *type)
{
    if (auto *call = dyn_cast<IntrinsicInst>(&i)) {
        CallInst *made =
            b.CreateCall(Intrinsic::getDeclaration(i.getModule(), call->getIntrinsicID(), {type}), operands);
        made->copyIRFlags(&i);
        return made;
    }
    Instruction *made = i.clone();
    for (unsigned k = 0; k < operands.size(); k++)
        made->setOperand(k, operands[k]);
    made->mutateType(type);
    return b.Insert(made);
}

unsigned value_operands(const Instruction &i)
{
    auto *call = dyn_cast<CallBase>(&i);
    return call ? call->arg_size() : i.getNumOperands();
}

bool is_scalar_operand(const Instruction &i, unsigned k)
{
    auto *call = dyn_cast<IntrinsicInst>(&i);
    return call && isVectorIntrinsicWithScalarOpAtArg(call->getIntrinsicID(), k);
}

namespace
{

using Elements = SmallVector<Value *, 16>;
enum { DEEPEST = 400 }; // operations one on another

bool are_same(const Elements &elements)
{
    return all_of(elements, [&](Value *v) { return v == elements[0]; });
}

class Joining
{
  public:
    explicit Joining(InsertElementInst &end) : b(&end) {}
    Value *join(const Elements &elements, unsigned depth);

  private:
    Value *join_extracts(const Elements &elements);
    Value *join_operations(const Elements &elements, unsigned depth);

    IRBuilder<> b;
    std::map<std::vector<Value *>, Value *> known;
};

// Elements of one vector, in any order.
Value *Joining::join_extracts(const Elements &elements)
{
    auto *first = dyn_cast<ExtractElementInst>(elements[0]);
    SmallVector<int, 16> mask;
    for (Value *element : elements) {
        auto *extract = dyn_cast<ExtractElementInst>(element);
        auto *at = extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
        if (!at || extract->getVectorOperand() != first->getVectorOperand())
            return nullptr;
        mask.push_back(int(at->getZExtValue()));
    }
    Value *vector = first->getVectorOperand();
    bool same = cast<FixedVectorType>(vector->getType())->getNumElements() == mask.size();
    for (unsigned k = 0; k < mask.size(); k++)
        same &= mask[k] == int(k);
    return same ? vector : b.CreateShuffleVector(vector, mask);
}

Value *Joining::join_operations(const Elements &elements, unsigned depth)
{
    auto *first = dyn_cast<Instruction>(elements[0]);
    if (!first || !is_elementwise(*first))
        return nullptr;
    for (Value *element : elements) {
        auto *i = dyn_cast<Instruction>(element);
        if (!i || i->getParent() != first->getParent() || !i->isSameOperationAs(first) || !is_elementwise(*i))
            return nullptr;
        if (isa<CallBase>(i) &&
            cast<CallBase>(i)->getCalledOperand() != cast<CallBase>(first)->getCalledOperand())
            return nullptr;
    }
    Elements operands;
    for (unsigned k = 0; k < value_operands(*first); k++) {
        Elements each;
        for (Value *element : elements)
            each.push_back(cast<Instruction>(element)->getOperand(k));
        const bool same = are_same(each);
        operands.push_back(!is_scalar_operand(*first, k) ? join(each, depth - 1) : same ? each[0] : nullptr);
        if (!operands.back())
            return nullptr;
    }
    Value *made =
        with_operands(b, *first, operands, FixedVectorType::get(first->getType(), unsigned(elements.size())));
    for (Value *element : elements)
        cast<Instruction>(made)->andIRFlags(element);
    return made;
}

// The vector of ELEMENTS, NULL if it is not that of one operation on vectors.
Value *Joining::join(const Elements &elements, unsigned depth)
{
    const auto [at, is_new] = known.try_emplace({elements.begin(), elements.end()}, nullptr);
    if (!is_new || depth == 0 || elements[0]->getType()->isVectorTy())
        return at->second;
    Value *made = nullptr;
    if (all_of(elements, [](Value *v) { return isa<Constant>(v); })) {
        SmallVector<Constant *, 16> constants;
        for (Value *v : elements)
            constants.push_back(cast<Constant>(v));
        made = ConstantVector::get(constants);
    } else if (are_same(elements)) {
        made = b.CreateVectorSplat(unsigned(elements.size()), elements[0]);
    } else if (isa<ExtractElementInst>(elements[0])) {
        made = join_extracts(elements);
    } else {
        made = join_operations(elements, depth);
    }
    return at->second = made;
}

// The elements of the vector that END completes; none if some are not inserted one by one.
Elements inserted_elements(InsertElementInst &end)
{
    Elements elements(cast<FixedVectorType>(end.getType())->getNumElements(), nullptr);
    for (auto *at = &end; at; at = dyn_cast<InsertElementInst>(at->getOperand(0))) {
        auto *index = dyn_cast<ConstantInt>(at->getOperand(2));
        if (!index || index->getZExtValue() >= elements.size())
            return {};
        Value *&element = elements[index->getZExtValue()];
        if (!element)
            element = at->getOperand(1);
    }
    return is_contained(elements, nullptr) ? Elements() : elements;
}

} // namespace

bool join_elements(BasicBlock &block)
{
    bool changed = false;
    for (Instruction &i : make_early_inc_range(block)) {
        auto *end = dyn_cast<InsertElementInst>(&i);
        if (!end || all_of(end->users(), [](User *u) { return isa<InsertElementInst>(u); }))
            continue;
        Elements elements = inserted_elements(*end);
        Value *vector = elements.size() > 1 ? Joining(*end).join(elements, DEEPEST) : nullptr;
        if (!vector)
            continue;
        end->replaceAllUsesWith(vector);
        changed = true;
    }
    return changed;
}
