/* Constant comparisons of addresses. */
#ifndef REF_RUNTIME_COMPILER_COMPARISONS_SHIM_HPP
#define REF_RUNTIME_COMPILER_COMPARISONS_SHIM_HPP

namespace llvm
{
class Module;
}

/* Makes instructions of the constant comparisons in MODULE, which rt_helper_fix_module() then rewrites. */
void rt_expand_comparisons(llvm::Module &module);

#endif
