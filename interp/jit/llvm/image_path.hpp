// The short paths for accesses to texels (bitcode/image.c), by name.
#ifndef INTERP_JIT_LLVM_IMAGE_PATH_HPP
#define INTERP_JIT_LLVM_IMAGE_PATH_HPP

#include "interp/jit/vectorize/versions.hpp"

#include <llvm/IR/Function.h>

// Whether F, which may be NULL, is such a path.
inline bool is_image_path(const llvm::Function *f)
{
    return f && starts_with(f->getName(), "in_jit_path_");
}

#endif
