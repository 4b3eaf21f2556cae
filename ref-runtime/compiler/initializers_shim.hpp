/* Initializers of variables, in forms that SPIR-V has. */
#ifndef REF_RUNTIME_COMPILER_INITIALIZERS_SHIM_HPP
#define REF_RUNTIME_COMPILER_INITIALIZERS_SHIM_HPP

namespace llvm
{
class Module;
}

/* Constants that clang copies from private memory move to constant memory, constructors become initializer kernels, and destructors of
 * objects that live as long as the program are not called. */
void rt_fix_initializers(llvm::Module &module);

#endif
