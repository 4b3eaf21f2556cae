#ifndef TOOLS_ASSEMBLE_SPIRV_H
#define TOOLS_ASSEMBLE_SPIRV_H

#include "memmodel/memmodel.h"

/* SPIR-V text SOURCE as a module of *SIZE bytes, *WORDS (mm_free), that is valid for Vulkan. */
enum mm_class tool_assemble_vulkan(const char *file, const char *source, void **words, size_t *size,
                                   struct mm_error *err);
/* The same without validation: only the text is checked. */
enum mm_class tool_assemble(const char *file, const char *source, void **words, size_t *size,
                            struct mm_error *err);

#endif
