/* Judgements: computed by judge.c, written by report.c, html.c and ci.c; the table of a campaign: table.c. */
#ifndef LITMUS_JUDGE_JUDGE_H
#define LITMUS_JUDGE_JUDGE_H

#include "litmus/kernel.h"
#include "litmus/parse/ast.h"

#include <cjson/cJSON.h>

/* LT_NOT_OBSERVED: the test ran, but no final state was recorded (every instance was discarded). */
enum lt_outcome {
    LT_ALLOWED,
    LT_FORBIDDEN,
    LT_RACY,
    LT_UNKNOWN,
    LT_NOT_OBSERVED,
    LT_NOT_RUN,
    LT_OUTCOME_COUNT
};

struct lt_seen {
    uint64_t *values; /* of the observed terms, as ck_state has them */
    uint64_t count;
    bool satisfies; /* the condition's proposition */
    bool asked;     /* satisfies the test's `exists`, or violates its `forall` */
    bool filtered;  /* does not satisfy the filter, and is not judged */
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
    uint64_t filtered;           /* instances that do not satisfy the filter: not in the counts above */
    /* Whether an execution, filtered or not, has undefined behavior, such as a race. */
    enum ck_answer undefined;
    enum lt_outcome outcome;
    enum lt_outcome asked; /* whether the model allows a state that the test asks about, seen or not */
};
struct lt_judge_report {
    FILE *text;
    FILE *html; /* body of the page, NULL if it is not wanted */
    cJSON *tests;
    cJSON *rows; /* of the table, NULL if it is not wanted */
    size_t counts[LT_OUTCOME_COUNT];
};

struct lt_rate {
    double rate, low, high; /* 95 % interval */
    double again;           /* probability that a campaign of this length sees it again */
};
struct lt_rate lt_rate_of(uint64_t count, uint64_t instances);
/* False if the rate of some state of TEST (of a results file or table) has a trend. */
bool lt_stationary(const cJSON *test);
void lt_judge_state(const struct lt_judged *judged, const uint64_t *values, FILE *out);
const char *lt_outcome_name(enum lt_outcome outcome);
const char *lt_seen_name(const struct lt_judged *judged, const struct lt_seen *seen); /* its verdict */

/* VALUE of TERM, a register or an object of PROGRAM, with its sign, if the term's type is signed. */
int64_t lt_term_value(const struct ck_program *program, const struct ck_term *term, uint64_t value);
void lt_judge_print(const struct lt_judged *judged, struct lt_judge_report *report);
void lt_judge_json(const struct lt_judged *judged, struct lt_judge_report *report);
void lt_html_test(const struct lt_judged *judged, const struct lt_judge_options *options,
                  struct lt_judge_report *report);
enum mm_class lt_html_page(const char *path, const char *body, const cJSON *judgement,
                           const struct lt_judge_report *report, struct mm_error *err);
/* Convert a judgement: to a JUnit test suite; to SARIF with the forbidden outcomes. */
enum mm_class lt_judge_junit(const cJSON *judgement, const char *path, struct mm_error *err);
enum mm_class lt_judge_sarif(const cJSON *judgement, const char *path, struct mm_error *err);
/* The table of a campaign, docs/campaigns.md#tables: adds the row of a test; writes the head of RESULTS and
 * the rows to PATH. */
enum mm_class lt_table_add(const struct lt_judged *judged, struct lt_judge_report *report,
                           struct mm_error *err);
enum mm_class lt_table_write(const char *path, const cJSON *results, const cJSON *rows, struct mm_error *err);
/* Reads the test of a row from its file below ROOT; its digest must be the one of the row.  *TEST is NULL
 * after an error. */
enum mm_class lt_table_test(const cJSON *row, const char *root, struct lt_test **test, struct mm_error *err);
/* Judges RESULTS, the JSON of file PATH, into REPORT, of which .tests is NULL.  Returns the judgement as
 * JSON, the caller's; NULL after an error. */
cJSON *lt_judge_results(const cJSON *results, const char *path, const struct lt_judge_options *options,
                        struct lt_judge_report *report, struct mm_error *err);
/* The judgement as JSON; the caller's. */
cJSON *lt_judge_finish(struct lt_judge_report *report, const cJSON *results,
                       const struct mm_cat_model *model);

#endif
