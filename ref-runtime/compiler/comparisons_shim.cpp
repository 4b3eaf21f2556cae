/* Comparisons of addresses of variables that LLVM keeps as constant expressions become instructions.
 *
 * The address of a variable is a constant, so LLVM folds a comparison of two addresses, and expressions of
 * its result, into one constant expression.  The translator to SPIR-V does not accept such a constant, and
 * rt_helper_fix_module(), which makes comparisons valid, visits instructions only. */
#include "ref-runtime/compiler/comparisons_shim.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace
{

/* Whether CONSTANT is a comparison, or an expression of one. */
bool has_comparison(const llvm::Value *constant)
{
    const auto *e = llvm::dyn_cast<llvm::ConstantExpr>(constant);
    return e && (e->getOpcode() == llvm::Instruction::ICmp ||
                 llvm::any_of(e->operands(), [](const llvm::Use &use) { return has_comparison(use); }));
}

/* Returns CONSTANT as an instruction before BEFORE, with its operands, as far as they have comparisons,
 * before it. */
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

} // namespace

void rt_expand_comparisons(llvm::Module &module)
{
    llvm::SmallVector<llvm::Use *, 8> found;
    for (llvm::Function &f : module)
        for (llvm::Instruction &i : llvm::instructions(f))
            for (llvm::Use &use : i.operands())
                if (has_comparison(use))
                    found.push_back(&use);
    for (llvm::Use *use : found) {
        auto *user = llvm::cast<llvm::Instruction>(use->getUser());
        /* The operand of a phi is computed at the end of the block that it comes from. */
        auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
        use->set(expand_comparison(*use, phi ? phi->getIncomingBlock(*use)->getTerminator() : user));
    }
}
