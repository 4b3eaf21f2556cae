/* Internal interface of the report writers. */
#ifndef CHECKER_REPORT_REPORT_H
#define CHECKER_REPORT_REPORT_H

#include "checker/checker.h"

#include <cjson/cJSON.h>

/* Why the observation is incomplete, and what to do; NULL: it is complete. */
const char *ck_report_unobserved(const struct ck_report_options *options);
/* "clean", "findings", "failed" (no findings, but the program failed), "unknown" */
const char *ck_report_status(const struct ck_detector *detector, const struct ck_report_options *options);
/* True if the program failed; WORDS then describes how. */
bool ck_report_failed(const struct ck_report_options *options, char *words, size_t size);
/* The findings that filters left out, as "3 by --only, 1 by --suppress"; false and "" if there are none. */
bool ck_report_hidden(const struct ck_detector *detector, char *text, size_t size);
/* The message of a finding, or its kind where the message is empty. */
const char *ck_report_message(const struct ck_finding *finding);
/* For each finding the index of the first one with the same cause, in FIRST, which has room for all; returns
 * how many causes there are. */
size_t ck_report_causes(const struct ck_detector *detector, size_t *first);
/* "error", "warning" or "note". */
const char *ck_report_severity(const struct ck_finding *finding);
/* The column after the word that begins at the column of SOURCE; 0 if that is unknown. */
uint32_t ck_report_end_column(const struct ck_detector *detector, const struct mm_source *source);
/* A fingerprint that the defect keeps in later versions of the program: 16 hexadecimal digits. */
void ck_report_fingerprint(const struct ck_detector *detector, const struct ck_finding *finding,
                           char text[17]);
/* A JSON string of S; printing replaces bytes that are not UTF-8. */
cJSON *ck_report_string(const char *s);
/* Adds KEY: S to OBJECT. */
void ck_report_add(cJSON *object, const char *key, const char *s);
/* Writes JSON with a newline, and frees it. */
enum mm_class ck_report_print(cJSON *json, FILE *out);

#endif
