/* Parses the options of a session. */
#include "tools/session/options.h"

#include <stdlib.h>
#include <string.h>

static int memory(struct session *session, const char *value)
{
    size_t index;
    int code = 0;
    session->execution.memory_mode = value;
    for (const char *at = value; *at && !code;)
        code = tool_list_word("memory", value, &at, "strong weak literal", &index);
    return code;
}

/* "A..B" or "N", which is 1..N. */
static int range(const char *option, const char *value, uint64_t *from, uint64_t *to)
{
    char first[32];
    const char *dots = strstr(value, "..");
    snprintf(first, sizeof first, "%.*s", dots ? (int)(dots - value) : 1, dots ? value : "1");
    int code = tool_number(option, first, UINT64_MAX - 1, from);
    if (!code)
        code = tool_number(option, dots ? dots + 2 : value, UINT64_MAX - 1, to);
    if (!code && *from > *to)
        return tool_error(EXIT_USAGE, "--%s: '%s' has no number in it", option, value);
    return code;
}

/* Words of --only: groups and kinds. */
static int only(struct session *session, const char *value)
{
    static const char words[] = "race memory api"
#define CK_KIND(name, text) " " name
#include "checker/race/kind.def"
#undef CK_KIND
        ;
    size_t index;
    int code = 0;
    session->filter.only = value;
    for (const char *at = value; *at && !code;)
        code = tool_list_word("only", value, &at, words, &index);
    return code;
}

/* Checks a number and keeps its text, which becomes an environment variable. */
static int set_number_text(const char *option, const char *value, const char **to)
{
    uint64_t n;
    *to = value;
    return tool_number(option, value, UINT64_MAX, &n);
}

/* Checks the syntax before the program runs; the predictor parses the condition again. */
static int assertion(struct session *session, const char *value)
{
    struct mm_error err = {0};
    struct ck_predictor *reader = ck_predictor_create(NULL, &(struct ck_predict_options){0});
    if (!reader || session->assertion_count == SESSION_ASSERTIONS) {
        ck_predictor_destroy(reader);
        return tool_error(EXIT_USAGE, "--assert: at most %d are possible", SESSION_ASSERTIONS);
    }
    enum mm_class c = ck_predictor_assert(reader, value, &err);
    ck_predictor_destroy(reader);
    if (c != MM_OK)
        return tool_report(&err);
    session->assertions[session->assertion_count++] = value;
    return 0;
}

int session_option(struct session *session, size_t index, const char *value)
{
    uint64_t n = 0;
    size_t word = 0;
    int code = 0;
    const char **const texts[SESSION_OPTION_COUNT] = {
        [SESSION_JSON] = &session->report.json,           [SESSION_SARIF] = &session->report.sarif,
        [SESSION_JUNIT] = &session->report.junit,         [SESSION_HTML] = &session->report.html,
        [SESSION_TRACE] = &session->report.trace,         [SESSION_RECORDER] = &session->recorder,
        [SESSION_SUPPRESS] = &session->filter.suppress,   [SESSION_KERNELS] = &session->filter.kernels,
        [SESSION_SAVE_SOURCES] = &session->report.sources};
    switch (index) {
    case SESSION_CHECK:
        return session_set_checks(session, value);
    case SESSION_UNIFORM:
        code = tool_word("uniform-writes", value, "ignore report", &word);
        session->check.ignore_uniform = !code && word == 0;
        return code;
    case SESSION_ONLY:
        return only(session, value);
    case SESSION_LAUNCHES:
        return range("launches", value, &session->filter.first_launch, &session->filter.last_launch);
    case SESSION_SEED:
        return set_number_text("seed", value, &session->execution.seed);
    case SESSION_STEP_LIMIT:
        return set_number_text("step-limit", value, &session->execution.step_limit);
    case SESSION_SCHEDULE:
        session->execution.schedule = value;
        return tool_word("schedule", value, "sequential random fair", &word);
    case SESSION_MEMORY:
        return memory(session, value);
    case SESSION_SEEDS:
        code = range("seeds", value, &session->execution.first_seed, &session->execution.last_seed);
        session->execution.has_seeds = !code;
        return code;
    case SESSION_MAX_ERRORS:
        code = tool_number("max-errors", value, 1000000, &n);
        session->report.max_findings = (size_t)n;
        return code;
    case SESSION_PREDICT:
        session->check.predict = true;
        return 0;
    case SESSION_ASSERT:
        return assertion(session, value);
    case SESSION_QUIET:
        session->report.quiet = true;
        return 0;
    default:
        *texts[index] = value;
        return 0;
    }
}
