/* Handles: values of the types of images, samplers, pipes, queues and events. */
#ifndef REF_RUNTIME_COMPILER_HANDLES_SHIM_HPP
#define REF_RUNTIME_COMPILER_HANDLES_SHIM_HPP

namespace llvm
{
class Module;
}

/* Variables that hold handles become values. */
void rt_promote_handles(llvm::Module &module);

/* Comparisons of handles, and null handles, become what SPIR-V can express. */
void rt_fix_handles(llvm::Module &module);

#endif
