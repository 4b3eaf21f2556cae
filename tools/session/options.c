/* Parses the options of a session. */
#include "tools/session/options.h"

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
    session->memory_mode = value;
    for (const char *at = value; *at && !code; at += strcspn(at, ","), at += *at == ',') {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        code = one_of("memory", word, "strong weak literal", &ignored);
    }
    return code;
}

/* "A..B" or "N", which is 1..N. */
static int seeds(struct session *session, const char *value)
{
    char first[32];
    const char *dots = strstr(value, "..");
    snprintf(first, sizeof first, "%.*s", dots ? (int)(dots - value) : 1, dots ? value : "1");
    int code = tool_number("seeds", first, UINT64_MAX - 1, &session->first_seed);
    if (!code)
        code = tool_number("seeds", dots ? dots + 2 : value, UINT64_MAX - 1, &session->last_seed);
    if (!code && session->first_seed > session->last_seed)
        return tool_error(EXIT_USAGE, "--seeds: '%s' has no seed in it", value);
    session->has_seeds = !code;
    return code;
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
        [SESSION_JSON] = &session->json,        [SESSION_SARIF] = &session->sarif,
        [SESSION_JUNIT] = &session->junit,      [SESSION_HTML] = &session->html,
        [SESSION_TRACE] = &session->trace,      [SESSION_RECORDER] = &session->recorder,
        [SESSION_SUPPRESS] = &session->suppress};
    switch (index) {
    case SESSION_CHECK:
        return session_set_checks(session, value);
    case SESSION_SEED:
        return number("seed", value, &session->seed);
    case SESSION_STEP_LIMIT:
        return number("step-limit", value, &session->step_limit);
    case SESSION_SCHEDULE:
        return one_of("schedule", value, "sequential random fair", &session->schedule);
    case SESSION_MEMORY:
        return memory(session, value);
    case SESSION_SEEDS:
        return seeds(session, value);
    case SESSION_MAX_ERRORS:
        code = tool_number("max-errors", value, 1000000, &n);
        session->max_findings = (size_t)n;
        return code;
    case SESSION_PREDICT:
        session->predict = true;
        return 0;
    case SESSION_ASSERT:
        return assertion(session, value);
    case SESSION_QUIET:
        session->quiet = true;
        return 0;
    default:
        *texts[index] = value;
        return 0;
    }
}
