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
    SESSION_QUIET,
    SESSION_OPTION_COUNT
};
/* clang-format off */
#define SESSION_OPTIONS                                                                                      \
    {"check", 'c', "LIST", "REFCL_RUN_CHECK",                                                                \
     "race, memory, api, uninitialized, all or none (default race,memory)"},                                 \
    {"json", 'j', "OUT", "REFCL_JSON", "write the report as JSON, - for stdout"},                            \
    {"sarif", 0, "OUT", "REFCL_SARIF", "write the report as SARIF 2.1.0"},                                   \
    {"junit", 0, "OUT", "REFCL_JUNIT", "write the report as JUnit XML"},                                     \
    {"html", 0, "OUT", "REFCL_HTML", "write a page that shows the events around each finding"},              \
    {"recorder", 0, "FILE.so[:TEXT]", "REFCL_RECORDER", "an own analysis, see memmodel/refcl_recorder.h"},   \
    {"trace", 't', "FILE", "REFCL_TRACE", "keep the trace (see refcl trace dump)"},                          \
    {"seed", 's', "N", "REFCL_SEED", "decides everything the specification leaves open"},                    \
    {"schedule", 0, "NAME", "REFCL_SCHEDULE", "sequential, random or fair (default sequential)"},            \
    {"memory", 0, "NAME", "REFCL_MEMORY",                                                                    \
     "strong, or weak: reads return any value that the memory model allows (default strong)"},               \
    {"seeds", 0, "A..B", "REFCL_SEEDS", "once with each of these seeds, until one shows something"},         \
    {"predict", 0, NULL, "REFCL_PREDICT",                                                                    \
     "also races of other executions in which all work-items come the same way"},                         \
    {"assert", 0, "EXPR", NULL, "what memory holds in the end, as in out[0] == 2; may be repeated"},         \
    {"step-limit", 0, "N", "REFCL_STEP_LIMIT",                                                               \
     "instructions of one launch, 0 = no limit (default 100000000000)"},                                     \
    {"max-errors", 0, "N", "REFCL_MAX_ERRORS", "show the first N distinct findings, count the others"},      \
    {"suppress", 0, "FILE", "REFCL_SUPPRESS", "leave out findings: lines kind[:FILE[:LINE]], shell patterns"},\
    {"quiet", 'q', NULL, "REFCL_QUIET", "no report on stderr"}
/* clang-format on */

/* Takes option INDEX of them.  Returns 0 or an exit code. */
int session_option(struct session *session, size_t index, const char *value);

#endif
