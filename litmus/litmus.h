/* litmus: tests as text; parsing, lowering to a checker program, printing, planning for a device, generation,
 * and judgement of results.  The public interface of the folder. */
#ifndef LITMUS_LITMUS_H
#define LITMUS_LITMUS_H

#include "checker/checker.h"

enum lt_dialect { LT_OPENCL, LT_VULKAN };

/* A parsed test: its AST, for printing, lowering and emitting kernels. */
struct lt_test;
enum mm_class lt_parse(const char *text, size_t size, const char *file, struct lt_test **test,
                       struct mm_error *err);
enum mm_class lt_parse_file(const char *path, struct lt_test **test, struct mm_error *err);
void lt_test_destroy(struct lt_test *test);
/* A digest of the name and the tokens of TEST, without comments and white space; owned by TEST. */
const char *lt_test_digest(const struct lt_test *test);
const char *lt_test_name(const struct lt_test *test);
enum lt_dialect lt_test_dialect(const struct lt_test *test);
/* Value of a "key: value" line in the test's leading comment (Expect, States, Race, Clauses, Requires),
 * NULL if absent. */
const char *lt_test_property(const struct lt_test *test, const char *key);
/* Lowers TEST to a checker program. */
enum mm_class lt_lower(const struct lt_test *test, struct ck_program **program, struct mm_error *err);
/* Prints TEST so that parsing the output gives the same test. */
void lt_print(const struct lt_test *test, FILE *out);

/* Translates the OpenCL test TEST to a Vulkan test by MAPPING and prints it.  *REASON: why there is no
 * translation, NULL if there is one. */
enum lt_mapping { LT_MAPPING_PLAIN, LT_MAPPING_CLSPV, LT_MAPPING_FAMILIES };
const char *lt_mapping_name(enum lt_mapping mapping);
bool lt_find_mapping(const char *name, enum lt_mapping *mapping); /* false: unknown */
enum mm_class lt_translate(const struct lt_test *test, enum lt_mapping mapping, FILE *out,
                           const char **reason, struct mm_error *err);

/* Writes plan.json: kernels (OpenCL C), instances, observed variables, for COUNT tests. */
struct lt_plan_options {
    uint64_t iterations; /* instances of each test, 0 = default */
    uint64_t seed;
    const char *cl_std; /* "CL3.0", ...; NULL = chosen by the runner */
    /* Kernels as SPIR-V too, for devices without a compiler: OpenCL C SOURCE of the test in FILE becomes
     * *SIZE bytes (mm_free).  NULL: as OpenCL C alone. */
    enum mm_class (*compile)(void *context, const char *file, const char *source, const char *build_options,
                             void **words, size_t *size, struct mm_error *err);
    void *context;
    /* Plan for Vulkan: OpenCL tests are translated, and ASSEMBLE, which must be given, makes the SPIR-V text
     * SOURCE a valid module of *SIZE bytes (mm_free). */
    bool vulkan;
    enum lt_mapping mapping;
    bool wide;     /* locations and registers of 64 bits instead of 32 */
    bool pointers; /* locations in buffers are accessed through their addresses */
    enum mm_class (*assemble)(const char *file, const char *source, void **words, size_t *size,
                              struct mm_error *err);
};
enum mm_class lt_plan(struct lt_test *const *tests, size_t count, const struct lt_plan_options *options,
                      FILE *out, struct mm_error *err);

/* Compares results.json (written by the runner), or the compact table of a campaign, with the final states
 * that MODEL allows; writes a report (JSON to JSON_OUT if not NULL, herd-style log and table to TEXT_OUT).
 * *FINDINGS: number of tests with a forbidden state, *UNKNOWN: of tests that are undecided or have no
 * recorded state. */
struct lt_judge_options {
    const struct mm_cat_model *model;
    struct ck_options check;
    const char *html, *junit, *sarif; /* further output files, NULL: none */
    const char *table;                /* the results as a compact table, NULL: none */
    const char *tests;                /* folder that the tests of a table are in; NULL: the current one */
};
enum mm_class lt_judge(const char *results_path, const struct lt_judge_options *options, FILE *text_out,
                       FILE *json_out, size_t *findings, size_t *unknown, struct mm_error *err);

/* The dialect of the tests whose results PATH holds: that of the device's interface. */
enum mm_class lt_results_dialect(const char *path, enum lt_dialect *dialect, struct mm_error *err);

/* Compares two judgements (JSON of lt_judge): a forbidden state that BASELINE does not have, a test that ran
 * then and no longer does, a device on which no test runs.  Writes one line each to OUT. */
enum mm_class lt_gate(const char *baseline_path, const char *judgement_path, FILE *out, size_t *findings,
                      struct mm_error *err);

#endif
