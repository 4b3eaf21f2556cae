#ifndef INTERP_REPLAY_VARIABLES_H
#define INTERP_REPLAY_VARIABLES_H

#include "interp/exec/exec.h"

/* Whether memory or an integer may contain the address of a program-scope variable in global memory
 * (variables.c). */
bool in_replay_variables_escape(const struct in_module *module);

#endif
