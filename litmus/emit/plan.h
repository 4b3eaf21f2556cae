/* Shared by plan.c and plan_host.c. */
#ifndef LITMUS_EMIT_PLAN_H
#define LITMUS_EMIT_PLAN_H

#include "litmus/files.h"
#include "litmus/kernel.h"
#include "litmus/parse/ast.h"

#include <cjson/cJSON.h>

uint32_t lt_plan_slots(const struct lt_kernel *kernel);
/* The device features that a test requires: its "needs". */
void lt_plan_needs(cJSON *test, const struct lt_kernel *kernel, const struct ck_program *program);
void lt_plan_need(cJSON *test, bool needed, const char *what);
void lt_plan_locations(cJSON *test, const struct ck_program *program);
/* Adds where the runner finds each observed value: in a column, if IS_STORED says that kernels store it. */
void lt_plan_observed(cJSON *test, const struct ck_program *program,
                      bool (*is_stored)(const struct ck_program *program, uint32_t term));
/* The number of THREAD of PROGRAM among the host threads. */
uint32_t lt_plan_host_number(const struct ck_program *program, uint32_t thread);
/* TEST is skipped: the runner cannot run what REASON says. */
void lt_plan_skip(cJSON *test, const char *reason);
/* Adds SOURCE, the kernels of TEST, as SPIR-V if OPTIONS ask for it; SLOTS, if not 0: instances that one
 * work-group runs at a time (plan_il.c). */
enum mm_class lt_plan_il(cJSON *json, const struct lt_plan_options *options, const struct lt_test *test,
                         const char *source, uint32_t slots, struct mm_error *err);
/* A test with API calls: its kernels and host threads.  Modifies TEST. */
enum mm_class lt_plan_host(struct lt_test *test, const struct ck_program *program,
                           const struct lt_plan_options *options, cJSON *json, struct mm_error *err);

#endif
