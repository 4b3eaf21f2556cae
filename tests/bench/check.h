/* What the measured programs share. */
#ifndef TESTS_BENCH_CHECK_H
#define TESTS_BENCH_CHECK_H
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program if CODE, of the call or object WHAT, is an error. */
static inline void check(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, code);
    exit(1);
}

#endif
