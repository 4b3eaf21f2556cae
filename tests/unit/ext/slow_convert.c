/* test_convert.c over every 16-bit value and many more random ones. */
#define STRIDE 1
#define RANDOM 20000
#include "test_convert.c"
