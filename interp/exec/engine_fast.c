/* The engine without recording: see engine.inc. */
#define IN_FULL   0
#define IN_ENGINE in_engine_fast
#include "engine.inc"
