/* Shared by plan.c and plan_host.c. */
#ifndef LITMUS_EMIT_PLAN_H
#define LITMUS_EMIT_PLAN_H

#include "litmus/files.h"
#include "litmus/parse/ast.h"

#include <cjson/cJSON.h>

uint32_t lt_plan_slots(const struct lt_kernel *kernel);
/* The device features that a test requires: its "needs". */
void lt_plan_needs(cJSON *test, const struct lt_kernel *kernel, const struct ck_program *program);
void lt_plan_need(cJSON *test, bool needed, const char *what);
void lt_plan_locations(cJSON *test, const struct ck_program *program);
/* Adds SOURCE, the kernels of TEST, as SPIR-V if OPTIONS ask for it; SLOTS, if not 0: instances that one
 * work-group runs at a time (plan_il.c). */
enum mm_class lt_plan_il(cJSON *json, const struct lt_plan_options *options, const struct lt_test *test,
                         const char *source, uint32_t slots, struct mm_error *err);
/* A test with API calls: its kernels and host threads.  Modifies TEST. */
enum mm_class lt_plan_host(struct lt_test *test, const struct ck_program *program,
                           const struct lt_plan_options *options, cJSON *json, struct mm_error *err);

#endif
