/* Verdicts of the checker as JSON (tools/schema/litmus.schema.json). */
#ifndef TOOLS_VERDICT_JSON_H
#define TOOLS_VERDICT_JSON_H

#include "tools/verdict_text.h"

#include <cjson/cJSON.h>

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
