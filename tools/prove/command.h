/* refcl explore --prove. */
#ifndef TOOLS_PROVE_COMMAND_H
#define TOOLS_PROVE_COMMAND_H

#include "tools/explore/command.h"

/* Proves, or refutes by a launch that the interpreter executes, the kernel of EX, from the file PATH.
 * Returns an exit code. */
int prove_file(struct explore *e, struct ex *ex, const char *path);
/* A result for PATH in which every answer is unknown, for the reason WHY; EXIT_UNKNOWN. */
int prove_give_up(struct explore *e, const char *path, const char *why);

#endif
