/* Parses the options of a session. */
#include "tools/session/options.h"
#include "memmodel/base/nearest.h"

#include <stdlib.h>
#include <string.h>

static int one_of(const char *option, const char *value, const char *names, const char **to)
{
    size_t length = strlen(value);
    for (const char *at = names; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && memcmp(at, value, length) == 0) {
            *to = value;
            return 0;
        }
    return tool_error(EXIT_USAGE, "--%s: '%s' is none of: %s", option, value, names);
}

static int memory(struct session *session, const char *value)
{
    const char *ignored;
    char word[32];
    int code = 0;
    session->execution.memory_mode = value;
    for (const char *at = value; *at && !code; at += strcspn(at, ","), at += *at == ',') {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        code = one_of("memory", word, "strong weak literal", &ignored);
    }
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
    static const char *const words[] = {
        "race",
        "memory",
        "api",
#define CK_KIND(name, text) name,
#include "checker/race/kind.def"
#undef CK_KIND
    };
    char word[64];
    session->filter.only = value;
    for (const char *at = value; *at; at += strcspn(at, ","), at += *at == ',') {
        bool known = false;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            known |= strcmp(word, words[i]) == 0;
        const char *nearest = known ? NULL : mm_nearest(word, words, sizeof words / sizeof *words);
        if (!known)
            return tool_error(EXIT_USAGE,
                              nearest ? "--only: '%s' is no kind of finding: did you mean %s?"
                                      : "--only: '%s' is no kind of finding",
                              word, nearest);
    }
    return 0;
}

/* Checks a number and keeps its text, which becomes an environment variable. */
static int number(const char *option, const char *value, const char **to)
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
        session->check.ignore_uniform = strcmp(value, "ignore") == 0;
        return session->check.ignore_uniform || strcmp(value, "report") == 0
                   ? 0
                   : tool_error(EXIT_USAGE, "--uniform-writes: '%s' is not ignore or report", value);
    case SESSION_ONLY:
        return only(session, value);
    case SESSION_LAUNCHES:
        return range("launches", value, &session->filter.first_launch, &session->filter.last_launch);
    case SESSION_SEED:
        return number("seed", value, &session->execution.seed);
    case SESSION_STEP_LIMIT:
        return number("step-limit", value, &session->execution.step_limit);
    case SESSION_SCHEDULE:
        return one_of("schedule", value, "sequential random fair", &session->execution.schedule);
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
