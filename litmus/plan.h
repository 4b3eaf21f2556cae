/* What plan.c and plan_host.c share. */
#ifndef LITMUS_PLAN_H
#define LITMUS_PLAN_H

#include "litmus/ast.h"

#include <cjson/cJSON.h>

cJSON *lt_plan_value(int64_t value);
void lt_plan_needs(cJSON *test, const struct lt_kernel *kernel);
void lt_plan_locations(cJSON *test, const struct ck_program *program);
/* A test with calls: its kernels, and what its host threads do.  TEST is changed. */
enum mm_class lt_plan_host(struct lt_test *test, const struct ck_program *program, cJSON *json,
                           struct mm_error *err);

#endif
