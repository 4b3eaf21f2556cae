/* Parses the options of a session. */
#include "tools/session/options.h"

#include <stdlib.h>
#include <string.h>

/* Words of --check. */
static int read_checks(void *context, const struct tool_option *option, const char *value)
{
    struct session *session = context;
    static const char words[] = "race memory api uninitialized possible needless all none";
    bool *const flags[] = {&session->check.races,         &session->check.memory,   &session->check.api,
                           &session->check.uninitialized, &session->check.possible, &session->check.needless};
    enum { FLAGS = sizeof flags / sizeof *flags, ALL = FLAGS, HINTS = 2 };
    int code = 0;
    session->check.is_given = true;
    for (size_t i = 0; i < FLAGS; i++)
        *flags[i] = false;
    for (const char *at = value; *at && !code;) {
        size_t index = 0;
        code = tool_list_word(option->name, value, &at, words, &index);
        for (size_t i = 0; i < FLAGS && !code; i++)
            *flags[i] |= index == i || (index == ALL && i < FLAGS - HINTS);
    }
    return code;
}

static int read_memory_modes(void *member, const struct tool_option *option, const char *value)
{
    size_t index;
    int code = 0;
    *(const char **)member = value;
    for (const char *at = value; *at && !code;)
        code = tool_list_word(option->name, value, &at, "strong weak literal", &index);
    return code;
}

/* "A..B" or "N", which is 1..N. */
static int read_range(const char *option, const char *value, uint64_t *from, uint64_t *to)
{
    char first[32];
    const char *dots = strstr(value, "..");
    snprintf(first, sizeof first, "%.*s", dots ? (int)(dots - value) : 1, dots ? value : "1");
    int code = tool_number(option, first, UINT64_MAX - 1, from);
    if (!code)
        code = tool_number(option, dots ? dots + 2 : value, UINT64_MAX - 1, to);
    if (!code && *from > *to)
        return tool_error(EXIT_USAGE, "--%s: the range '%s' is empty", option, value);
    return code;
}

static int read_launches(void *context, const struct tool_option *option, const char *value)
{
    struct session_filter *filter = &((struct session *)context)->filter;
    return read_range(option->name, value, &filter->first_launch, &filter->last_launch);
}

static int read_seeds(void *context, const struct tool_option *option, const char *value)
{
    struct session_execution *execution = &((struct session *)context)->execution;
    int code = read_range(option->name, value, &execution->first_seed, &execution->last_seed);
    execution->has_seeds = !code;
    return code;
}

/* Words of --only: groups and kinds. */
static int read_kinds(void *member, const struct tool_option *option, const char *value)
{
    static const char words[] = "race memory api"
#define CK_KIND(name, text) " " name
#include "checker/race/kind.def"
#undef CK_KIND
        ;
    size_t index;
    int code = 0;
    *(const char **)member = value;
    for (const char *at = value; *at && !code;)
        code = tool_list_word(option->name, value, &at, words, &index);
    return code;
}

static int read_uniform_writes(void *ignore, const struct tool_option *option, const char *value)
{
    size_t word = 0;
    int code = tool_word(option->name, value, "ignore report", &word);
    *(bool *)ignore = !code && word == 0;
    return code;
}

/* Checks a number and keeps its text, which becomes an environment variable. */
static int read_number_text(void *member, const struct tool_option *option, const char *value)
{
    uint64_t n;
    *(const char **)member = value;
    return tool_number(option->name, value, UINT64_MAX, &n);
}

/* Checks the syntax before the program runs; the predictor parses the condition again. */
static int read_assertion(void *context, const struct tool_option *option, const char *value)
{
    struct session *session = context;
    struct mm_error err = {0};
    struct ck_predictor *reader = ck_predictor_create(NULL, &(struct ck_predict_options){0});
    if (!reader || session->assertion_count == SESSION_ASSERTIONS) {
        ck_predictor_destroy(reader);
        return tool_error(EXIT_USAGE, "--%s: at most %d are possible", option->name, SESSION_ASSERTIONS);
    }
    enum mm_class c = ck_predictor_assert(reader, value, &err);
    ck_predictor_destroy(reader);
    if (c != MM_OK)
        return tool_report(&err);
    session->assertions[session->assertion_count++] = value;
    return 0;
}

const struct tool_option session_options[] = {
    {"check", 'c', "LIST", "REFCL_RUN_CHECK",
     "checks: race, memory, api, uninitialized, possible, needless, all or none (default race,memory; all has neither possible nor needless)",
     TOOL_CALL(read_checks)},
    {"json", 'j', "OUT", "REFCL_JSON", "write the report as JSON, - for stdout",
     TOOL_TO(struct session, report.json)},
    {"sarif", 0, "OUT", "REFCL_SARIF", "write the report as SARIF 2.1.0",
     TOOL_TO(struct session, report.sarif)},
    {"junit", 0, "OUT", "REFCL_JUNIT", "write the report as JUnit XML",
     TOOL_TO(struct session, report.junit)},
    {"html", 0, "OUT", "REFCL_HTML", "write an HTML page with the event graph of each finding",
     TOOL_TO(struct session, report.html)},
    {"recorder", 0, "FILE.so[:TEXT]", "REFCL_RECORDER",
     "load an analysis plugin (interface: refcl_recorder.h)", TOOL_TO(struct session, recorder)},
    {"trace", 't', "OUT", "REFCL_TRACE", "write the trace (see refcl trace dump)",
     TOOL_TO(struct session, report.trace)},
    {"seed", 's', "N", "REFCL_SEED", "seed of every choice that the specification leaves open",
     TOOL_READ(struct session, execution.seed, read_number_text)},
    {"schedule", 0, "NAME", "REFCL_SCHEDULE",
     "order of work-items: sequential, random or fair (default sequential)",
     TOOL_CHOICE(struct session, execution.schedule, "sequential random fair")},
    {"memory", 0, "NAME", "REFCL_MEMORY",
     "memory system: strong or weak (reads return any value that the model allows; default strong)",
     TOOL_READ(struct session, execution.memory_mode, read_memory_modes)},
    {"seeds", 0, "A..B", "REFCL_SEEDS", "repeat with each seed of the range until a run has findings",
     TOOL_CALL(read_seeds)},
    {"predict", 0, NULL, "REFCL_PREDICT",
     "also predict races in other executions with the recorded control flow",
     TOOL_TO(struct session, check.predict)},
    {"assert", 0, "EXPR", NULL, "condition on the final state, such as out[0] == 2; may be repeated",
     TOOL_CALL(read_assertion)},
    {"step-limit", 0, "N", "REFCL_STEP_LIMIT",
     "limit of the instructions of one launch, 0 = no limit (default 100000000000)",
     TOOL_READ(struct session, execution.step_limit, read_number_text)},
    {"max-errors", 0, "N", "REFCL_MAX_ERRORS", "print the first N distinct findings and count the others",
     TOOL_NUMBER(struct session, report.max_findings, 0, 1000000)},
    {"suppress", 0, "FILE", "REFCL_SUPPRESS",
     "suppress the findings that FILE lists: lines kind[:FILE[:LINE]] of shell patterns",
     TOOL_TO(struct session, filter.suppress)},
    {"only", 0, "LIST", "REFCL_ONLY",
     "report these findings alone: race, memory, api, or kinds such as out-of-bounds",
     TOOL_READ(struct session, filter.only, read_kinds)},
    {"kernels", 0, "PATTERNS", "REFCL_KERNELS",
     "report findings in these kernels alone: shell patterns, separated by commas",
     TOOL_TO(struct session, filter.kernels)},
    {"launches", 0, "A..B", "REFCL_LAUNCHES",
     "report findings in these commands alone, numbered as in reports", TOOL_CALL(read_launches)},
    {"save-sources", 0, "FOLDER", "REFCL_SAVE_SOURCES",
     "write the program text that findings are in to files of FOLDER, such as program23.cl",
     TOOL_TO(struct session, report.sources)},
    {"uniform-writes", 0, "ignore|report", "REFCL_UNIFORM_WRITES",
     "data races between writes of the same value, of kind uniform-write: report them or not (default report)",
     TOOL_READ(struct session, check.ignore_uniform, read_uniform_writes)},
    {"quiet", 'q', NULL, "REFCL_QUIET", "print no report on stderr", TOOL_TO(struct session, report.quiet)},
    TOOL_OPTION_END};
