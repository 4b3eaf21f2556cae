/* Shared by tests of the cat reader: an invalid text, with the position and the reason. */
#ifndef TESTS_UNIT_MEMMODEL_CAT_TEST_H
#define TESTS_UNIT_MEMMODEL_CAT_TEST_H

#include "memmodel/cat/cat.h"

#include <string.h>

static void expect_error(const char *text, const char *wanted)
{
    struct mm_cat_model *model = (struct mm_cat_model *)1;
    struct mm_error err;
    char got[700];

    assert_int_not_equal(mm_cat_parse(text, "m.cat", NULL, &model, &err), MM_OK);
    assert_null(model);
    mm_error_format(&err, got, sizeof got);
    if (strncmp(got, wanted, strlen(wanted)) != 0)
        fail_msg("for '%s': got '%s', wanted '%s'", text, got, wanted);
}

#endif
