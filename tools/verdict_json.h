/* Verdicts of the checker for people and as JSON (tools/schema/litmus.schema.json). */
#ifndef TOOLS_VERDICT_JSON_H
#define TOOLS_VERDICT_JSON_H

#include "checker/checker.h"
#include "litmus/litmus.h"

#include <cjson/cJSON.h>

const char *verdict_condition_name(enum ck_answer answer); /* "holds", "fails", "unknown" */
const char *verdict_race_name(enum ck_answer answer);      /* "found", "none", "unknown" */
void verdict_print_states(const struct ck_program *program, const struct ck_verdict *verdict, FILE *out);
void verdict_print_explanation(const struct ck_program *program, const struct ck_verdict *verdict, FILE *out);
/* {"version": 1, "tool": ..., "model": ...}; the caller adds "tests". */
cJSON *verdict_json_root(const char *model);
cJSON *verdict_to_json(const struct ck_program *program, const struct ck_verdict *verdict, const char *file);
/* Writes and frees ROOT, closes OUT; returns an exit code. */
int json_write(cJSON *root, FILE *out, const char *name);

#endif
