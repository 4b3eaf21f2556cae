/* What the memory of a variable consists of, in the words of its source. */
#ifndef REF_RUNTIME_COMPILER_LAYOUT_SHIM_HPP
#define REF_RUNTIME_COMPILER_LAYOUT_SHIM_HPP

#include <clang/AST/ASTContext.h>

#include <string>

/* The scalar that variables of TYPE, or what a pointer points to, consist of, as OpenCL C names it; "": none,
 * or several. */
std::string rt_scalar_name(clang::QualType type, const clang::ASTContext &context);
/* The layout (memmodel/trace/docs/format.md#layouts) of variables of TYPE, or of what a pointer points to;
 * "": scalars and their arrays of one dimension, whose places have no other name than an index, and layouts
 * that are too long to be kept. */
std::string rt_layout(clang::QualType type, const clang::ASTContext &context);

#endif
