/* Initializers of variables, in forms that SPIR-V has. */
#include "ref-runtime/compiler/initializers_shim.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace
{

/* Clang copies constant parts of initializers from private memory, which has no variables outside functions:
 * they move to constant memory. */
void move_initializer(llvm::GlobalVariable &from)
{
    auto *to = new llvm::GlobalVariable(*from.getParent(), from.getValueType(), true, from.getLinkage(),
                                        from.getInitializer(), from.getName(), &from,
                                        llvm::GlobalValue::NotThreadLocal, 2);
    to->setAlignment(from.getAlign());
    llvm::SmallVector<llvm::MemCpyInst *, 8> copies;
    for (llvm::Function &f : *from.getParent())
        for (llvm::Instruction &i : llvm::instructions(f))
            if (auto *copy = llvm::dyn_cast<llvm::MemCpyInst>(&i))
                if (copy->getRawSource()->stripPointerCasts() == &from)
                    copies.push_back(copy);
    for (llvm::MemCpyInst *copy : copies) {
        llvm::IRBuilder<> b(copy);
        llvm::Value *source = b.CreateBitCast(to, llvm::PointerType::get(b.getInt8Ty(), 2));
        b.CreateMemCpy(copy->getRawDest(), copy->getDestAlign(), source, copy->getSourceAlign(),
                       copy->getLength(), copy->isVolatile());
        copy->eraseFromParent();
    }
    from.removeDeadConstantUsers();
    llvm::GlobalVariable *unused = from.use_empty() ? &from : to;
    unused->eraseFromParent();
}

void move_initializers(llvm::Module &module)
{
    for (llvm::GlobalVariable &g : llvm::make_early_inc_range(module.globals()))
        if (g.getAddressSpace() == 0 && g.hasPrivateLinkage() && g.hasInitializer())
            move_initializer(g);
}

/* The kernels that construct objects of program scope, which clang puts into a list that SPIR-V does not have, become initializers:
 * they are executed when the program is created. */
void mark_initializers(llvm::Module &module)
{
    llvm::GlobalVariable *list = module.getGlobalVariable("llvm.global_ctors", true);
    if (!list)
        return;
    constexpr uint32_t initializer = 33; /* spv::ExecutionModeInitializer */
    llvm::LLVMContext &context = module.getContext();
    llvm::NamedMDNode *modes = module.getOrInsertNamedMetadata("spirv.ExecutionMode");
    for (const llvm::Use &entry : list->getInitializer()->operands()) {
        auto *function = llvm::cast<llvm::Function>(
            llvm::cast<llvm::Constant>(entry)->getAggregateElement(1)->stripPointerCasts());
        llvm::Constant *mode = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), initializer);
        function->setLinkage(llvm::GlobalValue::ExternalLinkage);
        modes->addOperand(llvm::MDNode::get(
            context, {llvm::ValueAsMetadata::get(function), llvm::ConstantAsMetadata::get(mode)}));
    }
    list->eraseFromParent();
}

} // namespace

void rt_fix_initializers(llvm::Module &module)
{
    move_initializers(module);
    mark_initializers(module);
}
