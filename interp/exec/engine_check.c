/* The recording engine with a check before every instruction: see interp/check. */
#define IN_FULL   1
#define IN_CHECK  1
#define IN_ENGINE in_engine_check
#include "engine.inc"
