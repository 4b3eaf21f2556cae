/* Shared by tests of one program: PROGRAM, built from SOURCE with OPTIONS, which the includer defines
 * before. */
#ifndef TESTS_RUNTIME_PROGRAM_PROGRAM_TEST_H
#define TESTS_RUNTIME_PROGRAM_PROGRAM_TEST_H

#include "tests/runtime/runtime_test.h"

static cl_program program;

static int open_program(void **state)
{
    if (open_device(state))
        return -1;
    program = build_source(source, options);
    return 0;
}

static int close_program(void **state)
{
    return clReleaseProgram(program) || close_device(state);
}

#endif
