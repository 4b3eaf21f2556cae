/* Candidate counterexamples, executed. */
#ifndef TOOLS_PROVE_CONFIRM_H
#define TOOLS_PROVE_CONFIRM_H

#include "tools/prove/prove.h"

enum { CONFIRM_TEXT = 4096 };
struct confirm {
    const char *path, *kernel, *build_options;
    const char *const *arguments; /* given on the command line */
    size_t argument_count;
    unsigned unsized; /* of struct prove_verdict */
};
/* Runs LAUNCH (NULL: one that refcl kernel --auto chooses) under the detector; sets FOUND[i] where property i is violated.
 * COMMAND becomes the command line of the launch.  False: it could not be run. */
bool confirm_launch(const struct confirm *confirm, const struct prove_launch *launch,
                    bool found[PROVE_PROPERTIES], char command[CONFIRM_TEXT]);

#endif
