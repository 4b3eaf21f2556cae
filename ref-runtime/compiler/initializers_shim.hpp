/* Initializers of variables, and comparisons of their addresses, in forms that SPIR-V has. */
#ifndef REF_RUNTIME_COMPILER_INITIALIZERS_SHIM_HPP
#define REF_RUNTIME_COMPILER_INITIALIZERS_SHIM_HPP

namespace llvm
{
class Module;
}

/* Constants that clang copies from private memory move to constant memory, constructors become initializer kernels, destructors of objects
 * that live as long as the program are not called, and constant comparisons become instructions. */
void rt_fix_initializers(llvm::Module &module);

#endif
