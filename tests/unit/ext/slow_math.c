/* test_math.c over every half and a hundred times as many floats and doubles. */
#define RANDOM_INPUTS 65536
#include "test_math.c"
