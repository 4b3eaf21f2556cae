/* The hunt for disagreement, with many programs. */
#define HUNT_DEFAULT_COUNT 500
#include "tests/hunt/test_hunt.c"
