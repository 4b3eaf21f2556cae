/* The engine that records memory operations and may switch work-items after each: see engine.inc. */
#define IN_FULL   1
#define IN_ENGINE in_engine_full
#include "engine.inc"
