/* Initializers of variables, and comparisons of their addresses, in forms that SPIR-V has. */
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

/* Clang registers the destructors of objects of static storage duration for the end of a process, with null instead of the object
 * where address spaces differ. A program ends with its memory: the destructors are not called. */
void drop_destructors(llvm::Module &module)
{
    llvm::Function *registration = module.getFunction("__cxa_atexit");
    if (!registration)
        return;
    for (llvm::User *user : llvm::make_early_inc_range(registration->users())) {
        auto *call = llvm::cast<llvm::CallInst>(user);
        call->replaceAllUsesWith(llvm::Constant::getNullValue(call->getType()));
        call->eraseFromParent();
    }
    registration->eraseFromParent();
    if (llvm::GlobalVariable *handle = module.getGlobalVariable("__dso_handle"))
        if (handle->use_empty())
            handle->eraseFromParent();
    for (llvm::Function &f : module)
        f.removeDeadConstantUsers();
}

/* The flags of constructed objects of static storage duration inside of functions, which clang puts into private memory, move to
 * global memory. */
void move_guards(llvm::Module &module)
{
    for (llvm::GlobalVariable &from : llvm::make_early_inc_range(module.globals())) {
        if (from.getAddressSpace() != 0 || from.getName().take_front(4) != "_ZGV")
            continue;
        auto *to =
            new llvm::GlobalVariable(module, from.getValueType(), false, from.getLinkage(),
                                     from.getInitializer(), "", &from, llvm::GlobalValue::NotThreadLocal, 1);
        to->takeName(&from);
        to->setAlignment(from.getAlign());
        for (llvm::Use &use : llvm::make_early_inc_range(from.uses()))
            if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(use.getUser()))
                use.set(to);
        from.eraseFromParent();
    }
}

/* Whether CONSTANT compares addresses of variables, or conditions of such comparisons. */
bool has_comparison(const llvm::Value *constant)
{
    const auto *e = llvm::dyn_cast<llvm::ConstantExpr>(constant);
    return e && (e->getOpcode() == llvm::Instruction::ICmp ||
                 llvm::any_of(e->operands(), [](const llvm::Use &use) { return has_comparison(use); }));
}

llvm::Value *expand_comparison(llvm::Value *constant, llvm::Instruction *before)
{
    if (!has_comparison(constant))
        return constant;
    llvm::Instruction *i = llvm::cast<llvm::ConstantExpr>(constant)->getAsInstruction();
    i->insertBefore(before);
    for (llvm::Use &use : i->operands())
        use.set(expand_comparison(use, i));
    return i;
}

/* Comparisons that LLVM keeps as constants become instructions, which rt_helper_fix_module() rewrites. */
void expand_comparisons(llvm::Module &module)
{
    llvm::SmallVector<llvm::Use *, 8> found;
    for (llvm::Function &f : module)
        for (llvm::Instruction &i : llvm::instructions(f))
            for (llvm::Use &use : i.operands())
                if (has_comparison(use))
                    found.push_back(&use);
    for (llvm::Use *use : found) {
        auto *user = llvm::cast<llvm::Instruction>(use->getUser());
        auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
        use->set(expand_comparison(*use, phi ? phi->getIncomingBlock(*use)->getTerminator() : user));
    }
}

} // namespace

void rt_fix_initializers(llvm::Module &module)
{
    move_initializers(module);
    drop_destructors(module);
    move_guards(module);
    mark_initializers(module);
    expand_comparisons(module);
}
