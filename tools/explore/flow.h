/* Control flow: calls, which are inlined. */
#ifndef TOOLS_EXPLORE_FLOW_H
#define TOOLS_EXPLORE_FLOW_H

#include "tools/explore/explore.h"

struct ex_frame {            /* a call that is being inlined */
    struct ex_value *values; /* by id */
    struct ex_frame *outer;
    const struct in_function *function;
    uint32_t return_label;
    struct ex_value *result;
    uint32_t depth;
};

/* Inlines FUNCTION with COUNT ARGUMENTS; RESULT (NULL: unused) has registers, which are assigned. */
void ex_inline(struct ex *ex, const struct in_function *function, const struct ex_value *arguments,
               uint32_t count, struct ex_value *result);

#endif
