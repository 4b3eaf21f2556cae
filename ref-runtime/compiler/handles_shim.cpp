/* Handles in variables, comparisons of handles, and null handles, which the translator to SPIR-V makes
 * invalid or aborts at.
 *
 * SPIR-V compares no queues and no events, and the translator has no null queue.  The bits of a handle in
 * memory can be compared, and those of a null queue are zero. */
#include "ref-runtime/compiler/handles_shim.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <vector>

namespace
{

/* The types of images, samplers, pipes, queues and events: pointers to opaque structures, or types of the
 * target. */
bool is_handle(const llvm::Type *type)
{
#if LLVM_VERSION_MAJOR >= 17
    const auto *target = llvm::dyn_cast<llvm::TargetExtType>(type);
    return target && target->getName().substr(0, 6) == "spirv.";
#else
    const auto *pointer = llvm::dyn_cast<llvm::PointerType>(type);
    const auto *structure =
        pointer ? llvm::dyn_cast<llvm::StructType>(pointer->getNonOpaquePointerElementType()) : nullptr;
    return structure && structure->hasName() && structure->getName().substr(0, 7) == "opencl.";
#endif
}

bool is_queue(const llvm::Type *type)
{
#if LLVM_VERSION_MAJOR >= 17
    return is_handle(type) && llvm::cast<llvm::TargetExtType>(type)->getName() == "spirv.Queue";
#else
    return is_handle(type) &&
           llvm::cast<llvm::PointerType>(type)->getNonOpaquePointerElementType()->getStructName() ==
               "opencl.queue_t";
#endif
}

/* CLK_NULL_EVENT and the like: numbers cast to types of the target, which SPIR-V has as OpConstantNull
 * alone. */
#if LLVM_VERSION_MAJOR >= 17

void replace_null_handles(llvm::Module &module)
{
    for (llvm::Function &function : module)
        for (llvm::Instruction &instruction : llvm::instructions(function))
            for (llvm::Use &operand : instruction.operands()) {
                auto *cast = llvm::dyn_cast<llvm::ConstantExpr>(operand.get());
                if (cast && cast->getOpcode() == llvm::Instruction::BitCast && is_handle(cast->getType()))
                    operand.set(llvm::Constant::getNullValue(cast->getType()));
            }
}

#endif

/* VALUE, stored in a variable of type FROM, as it is loaded from there with type TO. */
llvm::Value *through_memory(llvm::Instruction *before, llvm::Value *value, llvm::Type *from, llvm::Type *to)
{
    llvm::IRBuilder<> b(&*before->getFunction()->getEntryBlock().getFirstInsertionPt());
    llvm::AllocaInst *bits = b.CreateAlloca(b.getInt64Ty());
    b.SetInsertPoint(before);
    b.CreateStore(value, b.CreateBitCast(bits, llvm::PointerType::get(from, 0)));
    return b.CreateLoad(to, b.CreateBitCast(bits, llvm::PointerType::get(to, 0)));
}

/* Where an operand must be computed: of a phi, at the end of the block that it comes from. */
llvm::Instruction *place_of(const llvm::Use &use)
{
    auto *user = llvm::cast<llvm::Instruction>(use.getUser());
    auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
    return phi ? phi->getIncomingBlock(use)->getTerminator() : user;
}

} // namespace

/* SPIR-V has no variables of such types but the translator makes them, and stops where a function uses a type
 * in two ways: variables that hold handles become values. */
void rt_promote_handles(llvm::Module &module)
{
    for (llvm::Function &function : module) {
        std::vector<llvm::AllocaInst *> variables;
        for (llvm::BasicBlock &block : function)
            for (llvm::Instruction &instruction : block) {
                auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
                if (variable && is_handle(variable->getAllocatedType()) && llvm::isAllocaPromotable(variable))
                    variables.push_back(variable);
            }
        if (!variables.empty()) {
            llvm::DominatorTree tree(function);
            llvm::PromoteMemToReg(variables, tree);
        }
    }
}

void rt_fix_handles(llvm::Module &module)
{
#if LLVM_VERSION_MAJOR >= 17
    replace_null_handles(module);
#endif
    std::vector<llvm::Use *> compared, null_queues;
    for (llvm::Function &function : module)
        for (llvm::Instruction &instruction : llvm::instructions(function))
            for (llvm::Use &use : instruction.operands()) {
                if (!is_handle(use->getType()))
                    continue;
                if (is_queue(use->getType()) && llvm::isa<llvm::Constant>(use) &&
                    llvm::cast<llvm::Constant>(use)->isNullValue())
                    null_queues.push_back(&use);
                if (llvm::isa<llvm::ICmpInst>(instruction))
                    compared.push_back(&use);
            }
    llvm::Type *word = llvm::Type::getInt64Ty(module.getContext());
    for (llvm::Use *use : null_queues)
        use->set(
            through_memory(place_of(*use), llvm::ConstantInt::get(word, 0), word, use->get()->getType()));
    for (llvm::Use *use : compared)
        use->set(through_memory(place_of(*use), use->get(), use->get()->getType(), word));
}
