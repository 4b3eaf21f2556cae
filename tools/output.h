/* Files that commands write. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include "tools/tool.h"

#include <signal.h>

/* An option that was given. */
struct output_option {
    const char *name, *argument; /* as in its table; the argument OUT is a file that the command writes */
    const char *value;
};

/* Rejects a file to be written that another option, one of the WORDS after the options, a part of a word after '=', or the standard
 * input names as well: it would be overwritten.  Returns 0, or an exit code after an error. */
int output_check(const struct output_option *options, size_t count, char *const *words);
/* Handlers that note a signal set this, too. */
extern volatile sig_atomic_t output_interrupted;
/* Opens NAME for writing.  A FIFO is waited for until it has a reader, unless OUTPUT_INTERRUPTED is set: -1 with EINTR. */
int output_open(const char *name);

#endif
