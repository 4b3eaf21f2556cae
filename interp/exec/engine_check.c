/* The recording engine with a look at every instruction before it is carried out: see check.c. */
#define IN_FULL   1
#define IN_CHECK  1
#define IN_ENGINE in_engine_check
#include "engine.inc"
