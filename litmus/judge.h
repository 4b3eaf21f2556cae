/* What judge.c finds out and judge_report.c writes. */
#ifndef LITMUS_JUDGE_H
#define LITMUS_JUDGE_H

#include "litmus/ast.h"

#include <cjson/cJSON.h>

enum lt_outcome { LT_ALLOWED, LT_FORBIDDEN, LT_RACY, LT_UNKNOWN, LT_NOT_RUN, LT_OUTCOME_COUNT };

struct lt_seen {
    uint64_t *values; /* of the observed terms, as ck_state has them */
    uint64_t count;
    bool satisfies; /* the condition's proposition */
    enum lt_outcome verdict;
    struct ck_verdict *why; /* forbidden: the explanation, NULL if there is none */
};
/* One test of a results file. */
struct lt_judged {
    const cJSON *json;
    const char *results_path, *name, *status, *reason;
    struct lt_test *test;
    struct ck_program *program;
    struct ck_verdict verdict;
    bool judged;
    struct lt_seen *seen;
    size_t seen_count, allowed_seen;
    uint64_t positive, negative; /* instances that satisfy the condition's proposition, and that do not */
    enum lt_outcome outcome;
};
struct lt_judge_report {
    FILE *text;
    cJSON *tests;
    size_t counts[LT_OUTCOME_COUNT];
};

uint8_t lt_term_size(const struct ck_program *program, const struct ck_term *term, bool *is_signed);
void lt_judge_print(const struct lt_judged *judged, struct lt_judge_report *report);
void lt_judge_json(const struct lt_judged *judged, struct lt_judge_report *report);
void lt_judge_finish(struct lt_judge_report *report, const cJSON *results, FILE *json_out);

#endif
