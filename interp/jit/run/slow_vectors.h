/* The functions of interp/ext/slow_path.h for vectors of doubles: in_slow_sin.8 of 8 and so on. */
#ifndef INTERP_JIT_RUN_SLOW_VECTORS_H
#define INTERP_JIT_RUN_SLOW_VECTORS_H

#include <stdint.h>

/* The address of a function by its name; 0: there is none. */
uintptr_t in_slow_vector(const char *name);

#endif
