/* The engine whose memory operations use weak memory: see interp/weak. */
#define IN_FULL   1
#define IN_CHECK  1
#define IN_WEAKLY 1
#define IN_ENGINE in_engine_weak
#include "engine.inc"
