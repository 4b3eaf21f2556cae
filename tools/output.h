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

/* Rejects a file to be written that another option, one of the WORDS after the options, a part of a word
 * after '=', or the standard input names as well: it would be overwritten.  Returns 0, or an exit code after
 * an error. */
int output_check(const struct output_option *options, size_t count, char *const *words);
/* The signal that handlers noted; 0: none. */
extern volatile sig_atomic_t output_interrupted;
/* Opens NAME for writing.  A FIFO is waited for until it has a reader, unless OUTPUT_INTERRUPTED is set: -1
 * with EINTR. */
int output_open(const char *name);
/* Reports why output_open() failed, by errno; returns the exit code. */
int output_error(const char *name);
/* A signal ended a wait for the other end of a FIFO: the exit code of the command follows from the signal. */
void output_give_up(void);
/* CODE, or after output_give_up() the exit code that shells give the signal. */
int output_exit_code(int code);

#endif
