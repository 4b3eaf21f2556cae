/* Candidate counterexamples, executed. */
#ifndef TOOLS_PROVE_CONFIRM_H
#define TOOLS_PROVE_CONFIRM_H

#include "tools/prove/prove.h"

enum { CONFIRM_TEXT = 4096 };
struct confirm {
    const char *path, *kernel, *build_options;
    const char *const *arguments; /* given on the command line */
    size_t argument_count;
    bool vulkan;       /* the module is not for OpenCL: the exhaustive search decides the launch */
    unsigned unsized;  /* of struct prove_verdict */
    uint64_t until_ms; /* no launch runs when confirm_cpu_ms() is beyond it; 0: no limit */
};
/* The result of a launch: its command line, and for each property the first finding that violates it, or
 * "". */
struct confirm_shown {
    char command[CONFIRM_TEXT];
    char findings[PROVE_PROPERTIES][PROVE_TEXT];
};
/* CPU time of the launches that have ended. */
uint64_t confirm_cpu_ms(void);
/* Runs LAUNCH (NULL: one that refcl kernel --auto chooses) under the detector; with VULKAN under search, as
 * the runtime executes no such module.  A launch that accesses memory outside of objects shows no race and no
 * divergence.  False: it could not be run. */
bool confirm_launch(const struct confirm *confirm, const struct prove_launch *launch,
                    struct confirm_shown *shown);

#endif
