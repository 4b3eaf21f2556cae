/* Initializers of variables in forms that SPIR-V has. */
#ifndef REF_RUNTIME_COMPILER_INITIALIZERS_SHIM_HPP
#define REF_RUNTIME_COMPILER_INITIALIZERS_SHIM_HPP

#include <string>

namespace llvm
{
class Module;
}

/* Changes the variables of MODULE, and the functions that clang emits for their construction.  Destructors of
 * objects that live as long as the program are not called.  Returns the name of a variable of constant memory
 * whose initializer contains its own address, directly or through other variables, which SPIR-V cannot
 * express as no kernel can store it; otherwise an empty string. */
std::string rt_fix_initializers(llvm::Module &module);

#endif
