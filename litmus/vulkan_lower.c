/* Lowering of VULKAN litmus tests. */
#include "litmus/ast.h"

enum mm_class lt_lower_vulkan(const struct lt_test *test, struct ck_program *program, struct mm_error *err)
{
    (void)program;
    return mm_fail_at(err, MM_INVALID, "litmus.dialect", test->file, 0, 0, "VULKAN tests are not supported");
}
