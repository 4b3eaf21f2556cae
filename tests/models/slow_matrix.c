/* The verdict matrix by Z3. */
#define MATRIX_BY_Z3
#include "tests/models/test_matrix.c"
