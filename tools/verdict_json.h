/* Verdicts of the checker as text and as JSON (tools/schema/litmus.schema.json). */
#ifndef TOOLS_VERDICT_JSON_H
#define TOOLS_VERDICT_JSON_H

#include "checker/checker.h"
#include "litmus/litmus.h"

#include <cjson/cJSON.h>

const char *verdict_condition_name(enum ck_answer answer); /* "holds", "fails", "unknown" */
const char *verdict_race_name(enum ck_answer answer);      /* "found", "none", "unknown" */
/* " x=1 0:r0=2", cut where BUF is full. */
void verdict_state_text(const struct ck_program *program, const uint64_t *values, char *buf, size_t size);
void verdict_print_states(const struct ck_program *program, const struct ck_verdict *verdict, FILE *out);
/* Sets the model whose clauses are printed with the edges of explanations; NULL: none. */
void verdict_use_model(const struct mm_cat_model *model);
void verdict_print_explanation(const struct ck_program *program, const struct ck_verdict *verdict, FILE *out);
/* Prints the cause of the race, and the change that removes it. */
void verdict_print_advice(const struct ck_program *program, const struct ck_advice *advice, FILE *out);
cJSON *verdict_advice_json(const struct ck_program *program, const struct ck_advice *advice);
/* {"version": 1, "tool": ..., "model": ...}; the caller adds "tests". */
cJSON *verdict_json_root(const char *model);
/* Which model decided: its path and the hash of its contents, as members of OBJECT, and as a line on OUT. */
void verdict_add_model(cJSON *object, const struct mm_cat_model *model);
void verdict_print_model(const struct mm_cat_model *model, FILE *out);
cJSON *verdict_to_json(const struct ck_program *program, const struct ck_verdict *verdict, const char *file);
/* Writes and frees ROOT, closes OUT; returns an exit code. */
int json_write(cJSON *root, FILE *out, const char *name);

#endif
