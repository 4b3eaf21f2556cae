/* Initializers of variables, and comparisons of their addresses, in forms that SPIR-V has. */
#ifndef REF_RUNTIME_COMPILER_INITIALIZERS_SHIM_HPP
#define REF_RUNTIME_COMPILER_INITIALIZERS_SHIM_HPP

#include <string>

namespace llvm
{
class Module;
}

/* Constants that clang copies from private memory move to constant memory, and copies of constants that it reads through global pointers to
 * global memory; constructors become initializer kernels, destructors of objects that live as long as the program are not called,
 * addresses that refer to their own variable, directly or through others, are stored by an initializer kernel, and constant comparisons
 * become instructions.  Returns the name of a variable of constant memory whose initializer has such an address, which SPIR-V does not
 * have; otherwise an empty string. */
std::string rt_fix_initializers(llvm::Module &module);

#endif
