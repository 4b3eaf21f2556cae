/* test_math.c over every half and a hundred times as many floats and doubles; TEST_SHARE=N: two in N of
 * these. */
#include "tests/hunt/setting.h"
#define RANDOM_INPUTS (65536 * 2 / (1 + setting("TEST_SHARE", 1)))
#include "test_math.c"
