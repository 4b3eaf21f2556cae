/* The options of `refcl run` and `refcl kernel` that say how a session is checked and reported: they come
 * first in both tables. */
#ifndef TOOLS_SESSION_OPTIONS_H
#define TOOLS_SESSION_OPTIONS_H

#include "tools/session/session.h"
#include "tools/tool.h"

enum {
    SESSION_CHECK,
    SESSION_JSON,
    SESSION_SARIF,
    SESSION_JUNIT,
    SESSION_HTML,
    SESSION_RECORDER,
    SESSION_TRACE,
    SESSION_SEED,
    SESSION_SCHEDULE,
    SESSION_MEMORY,
    SESSION_SEEDS,
    SESSION_PREDICT,
    SESSION_ASSERT,
    SESSION_STEP_LIMIT,
    SESSION_MAX_ERRORS,
    SESSION_SUPPRESS,
    SESSION_ONLY,
    SESSION_KERNELS,
    SESSION_LAUNCHES,
    SESSION_SAVE_SOURCES,
    SESSION_UNIFORM,
    SESSION_QUIET,
    SESSION_OPTION_COUNT
};
/* clang-format off */
#define SESSION_OPTIONS                                                                                      \
    {"check", 'c', "LIST", "REFCL_RUN_CHECK",                                                                \
     "checks: race, memory, api, uninitialized, possible, needless, all or none (default race,memory; all has neither possible nor needless)"},                                 \
    {"json", 'j', "OUT", "REFCL_JSON", "write the report as JSON, - for stdout"},                            \
    {"sarif", 0, "OUT", "REFCL_SARIF", "write the report as SARIF 2.1.0"},                                   \
    {"junit", 0, "OUT", "REFCL_JUNIT", "write the report as JUnit XML"},                                     \
    {"html", 0, "OUT", "REFCL_HTML", "write an HTML page with the event graph of each finding"},              \
    {"recorder", 0, "FILE.so[:TEXT]", "REFCL_RECORDER", "load an analysis plugin (interface: refcl_recorder.h)"},   \
    {"trace", 't', "FILE", "REFCL_TRACE", "write the trace to FILE (see refcl trace dump)"},                          \
    {"seed", 's', "N", "REFCL_SEED", "seed of every choice that the specification leaves open"},                    \
    {"schedule", 0, "NAME", "REFCL_SCHEDULE", "order of work-items: sequential, random or fair (default sequential)"},            \
    {"memory", 0, "NAME", "REFCL_MEMORY",                                                                    \
     "memory system: strong or weak (reads return any value that the model allows; default strong)"},               \
    {"seeds", 0, "A..B", "REFCL_SEEDS", "repeat with each seed of the range until a run has findings"},         \
    {"predict", 0, NULL, "REFCL_PREDICT",                                                                    \
     "also predict races in other executions with the recorded control flow"},                         \
    {"assert", 0, "EXPR", NULL, "condition on the final state, such as out[0] == 2; may be repeated"},         \
    {"step-limit", 0, "N", "REFCL_STEP_LIMIT",                                                               \
     "limit of the instructions of one launch, 0 = no limit (default 100000000000)"},                                     \
    {"max-errors", 0, "N", "REFCL_MAX_ERRORS", "print the first N distinct findings and count the others"},      \
    {"suppress", 0, "FILE", "REFCL_SUPPRESS", "suppress the findings that FILE lists: lines kind[:FILE[:LINE]] of shell patterns"},\
    {"only", 0, "LIST", "REFCL_ONLY", "report these findings alone: race, memory, api, or kinds such as out-of-bounds"},\
    {"kernels", 0, "PATTERNS", "REFCL_KERNELS", "report findings in these kernels alone: shell patterns, separated by commas"},\
    {"launches", 0, "A..B", "REFCL_LAUNCHES", "report findings in these commands alone, numbered as in reports"},\
    {"save-sources", 0, "FOLDER", "REFCL_SAVE_SOURCES", "write the program text that findings are in to files of FOLDER, such as program23.cl"},\
    {"uniform-writes", 0, "ignore|report", "REFCL_UNIFORM_WRITES",                                             \
     "data races between writes of the same value, of kind uniform-write: report them or not (default report)"},\
    {"quiet", 'q', NULL, "REFCL_QUIET", "print no report on stderr"}
/* clang-format on */

/* Sets option INDEX of the session options to VALUE.  Returns 0 or an exit code. */
int session_option(struct session *session, size_t index, const char *value);

#endif
