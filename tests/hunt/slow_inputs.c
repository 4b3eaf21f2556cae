/* The hunt for disagreement about symbolic inputs, with many programs that test_inputs does not decide;
 * TEST_SHARE=N: one in N of them. */
#define HUNT_DEFAULT_COUNT (800 / setting("TEST_SHARE", 1))
#define HUNT_DEFAULT_SEED  60
#include "tests/hunt/test_inputs.c"
