/* Models for kernels: what decides the final value of memory. */
#ifndef TOOLS_FINAL_ORDER_H
#define TOOLS_FINAL_ORDER_H

#include "memmodel/cat/cat.h"

/* TEXT, of MODEL, with a check behind it that orders writes to a location as the model orders them.
 * Coherence orders only atomic writes; for plain writes happens-before decides (location order in Vulkan)
 * [CL 3.3.4; Vulkan location-ordered].  Search uses the order itself; for Z3 coherence has to follow it.
 * Freed with mm_free; NULL: out of memory. */
char *tool_with_final_order(const struct mm_cat_model *model, const char *text, bool z3);

#endif
