/* The hunt for disagreement, with many programs that test_hunt does not decide; TEST_SHARE=N: one in N of
 * them. */
#define HUNT_DEFAULT_COUNT (500 / setting("TEST_SHARE", 1))
#define HUNT_DEFAULT_SEED  60
#include "tests/hunt/test_hunt.c"
