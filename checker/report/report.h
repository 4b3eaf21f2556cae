/* Internal interface of the report writers. */
#ifndef CHECKER_REPORT_H
#define CHECKER_REPORT_H

#include "checker/checker.h"

#include <cjson/cJSON.h>

/* Why the observation is incomplete, and what to do; NULL: it is complete. */
const char *ck_report_unobserved(const struct ck_report_options *options);
/* "clean", "findings", "failed" (no findings, but the program failed), "unknown" */
const char *ck_report_status(const struct ck_detector *detector, const struct ck_report_options *options);
/* True if the program failed; WORDS then describes how. */
bool ck_report_failed(const struct ck_report_options *options, char *words, size_t size);
/* The message of a finding, or its kind where the message is empty. */
const char *ck_report_message(const struct ck_finding *finding);
/* A JSON string of S; printing replaces bytes that are not UTF-8. */
cJSON *ck_report_string(const char *s);
/* Adds KEY: S to OBJECT. */
void ck_report_add(cJSON *object, const char *key, const char *s);
/* Writes JSON with a newline, and frees it. */
enum mm_class ck_report_print(cJSON *json, FILE *out);

#endif
