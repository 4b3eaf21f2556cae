/* Initializers of variables, in forms that SPIR-V has. */
#ifndef REF_RUNTIME_COMPILER_INITIALIZERS_SHIM_HPP
#define REF_RUNTIME_COMPILER_INITIALIZERS_SHIM_HPP

namespace llvm
{
class Module;
}

/* Constants that clang copies from private memory move to constant memory, and constructors become initializer kernels. */
void rt_fix_initializers(llvm::Module &module);

#endif
