/* A candidate counterexample becomes a launch of `refcl kernel`; its report decides. */
#include "tools/prove/confirm.h"
#include "checker/checker.h"
#include "memmodel/base/escape.h"
#include "tools/explore/command.h"
#include "tools/launch/spec.h"
#include "tools/tool.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 300, WORD = 200, MOST_STEPS = 10000000, SEARCH_SECONDS = 10, MOST_SEARCHED = 32 };
struct words {
    const char *items[WORDS + 1];
    char texts[WORDS][WORD]; /* of those that are made here */
    size_t count;
    bool incomplete; /* a word has no place, or is too long */
};

static void add_word(struct words *w, const char *word)
{
    w->incomplete |= w->count == WORDS;
    if (w->incomplete)
        return;
    w->items[w->count] = word;
    w->items[++w->count] = NULL;
}

static void add_made(struct words *w, const char *format, ...) MM_PRINTF(2, 3);
static void add_made(struct words *w, const char *format, ...)
{
    char *text = w->texts[w->count % WORDS];
    va_list list;
    va_start(list, format);
    w->incomplete |= vsnprintf(text, WORD, format, list) >= WORD;
    va_end(list);
    add_word(w, text);
}

static bool is_given(const struct confirm *c, size_t p, const char *name)
{
    size_t position = 0;
    for (size_t i = 0; i < c->argument_count; i++) {
        size_t n = spec_name_length(c->arguments[i]);
        if (n ? strlen(name) == n && memcmp(c->arguments[i], name, n) == 0 : position++ == p)
            return true;
    }
    return false;
}

static void add_arguments(struct words *w, const struct confirm *c, const struct prove_launch *launch)
{
    for (size_t i = 0; i < c->argument_count; i++) {
        add_word(w, "--arg");
        add_word(w, c->arguments[i]);
    }
    for (size_t p = 0; launch && p < launch->argument_count; p++) {
        const struct prove_argument *a = &launch->arguments[p];
        if (!a->known || !*a->name || is_given(c, p, a->name))
            continue;
        add_word(w, "--arg");
        if (a->is_size)
            add_made(w, a->is_local ? "%s=local:%" PRIu64 : "%s=buf:%" PRIu64, a->name,
                     a->value ? a->value : 1);
        else
            add_made(w, "%s=%" PRId64, a->name, (int64_t)a->value);
    }
}

static void make_words(struct words *w, const struct confirm *c, const struct prove_launch *launch)
{
    add_word(w, "refcl");
    add_word(w, c->vulkan ? "explore" : "kernel");
    add_word(w, c->vulkan ? "--engine=search" : "--auto");
    if (c->kernel) {
        add_word(w, "-k");
        add_word(w, c->kernel);
    }
    if (c->build_options) {
        add_word(w, "--build-options");
        add_word(w, c->build_options);
    }
    if (launch) {
        add_word(w, "-g");
        add_made(w, "%u,%u,%u", launch->global[0], launch->global[1], launch->global[2]);
        add_word(w, "-l");
        add_made(w, "%u,%u,%u", launch->local[0], launch->local[1], launch->local[2]);
    }
    add_arguments(w, c, launch);
}

static void put_char(char *command, size_t *at, char c)
{
    if (*at + 1 < CONFIRM_TEXT)
        command[(*at)++] = c;
    command[*at] = 0;
}

/* WORD, quoted for a shell where that is necessary. */
static void put_word(char *command, size_t *at, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    bool quoted = !*word || word[strspn(word, plain)];
    if (quoted)
        put_char(command, at, '\'');
    for (; *word; word++) {
        for (const char *escape = *word == '\'' ? "'\\'" : ""; *escape; escape++)
            put_char(command, at, *escape);
        put_char(command, at, *word);
    }
    if (quoted)
        put_char(command, at, '\'');
}

static void put_command(const struct words *w, const char *path, char *command)
{
    size_t at = 0;
    for (size_t i = 0; i < w->count; i++) {
        put_word(command, &at, w->items[i]);
        put_char(command, &at, ' ');
    }
    put_word(command, &at, path);
}

uint64_t confirm_cpu_ms(void)
{
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used) != 0)
        return 0;
    return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
           (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
}

/* Whole seconds until confirm_cpu_ms() is UNTIL_MS, at least 1; 0: it is. */
static unsigned seconds_until(uint64_t until_ms)
{
    uint64_t now = confirm_cpu_ms();
    return now < until_ms ? (unsigned)((until_ms - now + 999) / 1000) : 0;
}

/* Search reports at its own limit, before SIGXCPU. */
static unsigned search_seconds(unsigned seconds)
{
    unsigned half = (seconds + 1) / 2;
    return half && half < SEARCH_SECONDS ? half : SEARCH_SECONDS;
}

/* Ends this process, and each that it starts, by SIGXCPU after SECONDS of CPU time. */
static void limit_cpu_time(unsigned seconds)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_cur <= seconds)
        return;
    limit.rlim_cur = seconds;
    setrlimit(RLIMIT_CPU, &limit);
}

/* Runs the launch in a child and returns its report; NULL: there is none, for example because the child
 * uses more CPU time than SECONDS (0: no limit).  Wall-clock time is not limited: answers do not depend on
 * the load of the machine. */
static cJSON *run_child(struct words *w, const char *path, bool vulkan, unsigned seconds)
{
    static char text[1 << 22];
    int file = memfd_create("refcl-prove", MFD_CLOEXEC);
    pid_t parent = getpid(), child = file < 0 ? -1 : fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        tool_die_with(parent);
        dup2(null, 0);
        dup2(file, 1);
        dup2(null, 2);
        if (seconds)
            limit_cpu_time(seconds);
        add_word(w, vulkan ? "--cpu-time" : "--quiet");
        add_word(w, vulkan ? "--timeout" : "--step-limit");
        add_made(w, "%u", vulkan ? search_seconds(seconds) : MOST_STEPS);
        add_word(w, "--json");
        add_word(w, "-");
        if (!vulkan) /* explore -- COMMAND is a host program */
            add_word(w, "--");
        add_word(w, path);
        if (!w->incomplete)
            execv("/proc/self/exe", (char *const *)(uintptr_t)w->items);
        _exit(EXIT_TOOL);
    }
    int status = 0;
    bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
    ssize_t n = ended ? pread(file, text, sizeof text - 1, 0) : 0;
    if (file >= 0)
        close(file);
    text[n > 0 ? n : 0] = 0;
    return n > 0 ? cJSON_Parse(text) : NULL;
}

/* The property that FINDING violates; PROVE_PROPERTIES: none.  An access outside of an object whose size was
 * refcl's choice is no violation. */
static enum prove_property property_of(const cJSON *finding, const char *kind, unsigned unsized)
{
    const char *region =
        cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetObjectItem(finding, "memory"), "region"));
    bool is_local = region && strcmp(region, "local") == 0,
         is_private = region && strcmp(region, "private") == 0;
    bool chosen = !is_private && unsized & (is_local ? PROVE_UNSIZED_LOCAL : PROVE_UNSIZED_GLOBAL);
    if (strcmp(kind, "data-race") == 0 || strcmp(kind, "scope-race") == 0 ||
        strcmp(kind, CK_UNIFORM_WRITE) == 0)
        return PROVE_RACE;
    if (strcmp(kind, "barrier-divergence") == 0)
        return PROVE_DIVERGENCE;
    if ((!chosen && strcmp(kind, "out-of-bounds") == 0) || strcmp(kind, "null-pointer") == 0)
        return PROVE_BOUNDS;
    return PROVE_PROPERTIES;
}

/* After an access outside of its object the behavior is undefined, and a race or a divergence may be a
 * consequence of it. */
static bool is_undefined_access(const char *kind)
{
    return strcmp(kind, "out-of-bounds") == 0 || strcmp(kind, "null-pointer") == 0 ||
           strcmp(kind, "use-after-lifetime") == 0;
}

static void note_finding(const cJSON *finding, const char *kind, unsigned unsized,
                         struct confirm_shown *shown)
{
    enum prove_property property = property_of(finding, kind, unsized);
    const char *message = cJSON_GetStringValue(cJSON_GetObjectItem(finding, "message"));
    const cJSON *access = cJSON_GetArrayItem(cJSON_GetObjectItem(finding, "accesses"), 0);
    const cJSON *line = cJSON_GetObjectItem(access, "line");
    if (property == PROVE_PROPERTIES || *shown->findings[property])
        return;
    snprintf(shown->findings[property], PROVE_TEXT, "line %d: %.400s", line ? line->valueint : 0,
             message ? message : kind);
}

static void note_findings(const cJSON *report, unsigned unsized, struct confirm_shown *shown)
{
    const cJSON *finding;
    bool undefined = false;
    *shown = (struct confirm_shown){0};
    cJSON_ArrayForEach(finding, cJSON_GetObjectItem(report, "findings"))
    {
        const char *kind = cJSON_GetStringValue(cJSON_GetObjectItem(finding, "kind"));
        if (!kind)
            continue;
        undefined |= is_undefined_access(kind);
        note_finding(finding, kind, unsized, shown);
    }
    if (undefined)
        *shown->findings[PROVE_RACE] = *shown->findings[PROVE_DIVERGENCE] = 0;
}

/* Notes the verdicts of the exhaustive search of the launch. */
static void note_search(const cJSON *report, struct confirm_shown *shown)
{
    const cJSON *test = cJSON_GetArrayItem(cJSON_GetObjectItem(report, "tests"), 0), *flag;
    *shown = (struct confirm_shown){0};
    cJSON_ArrayForEach(flag, cJSON_GetObjectItem(test, "flags"))
    {
        if (cJSON_IsString(flag) && strcmp(flag->valuestring, "out_of_bounds") == 0)
            return;
    }
    static const char *const names[] = {[PROVE_RACE] = "race", [PROVE_DIVERGENCE] = "divergence"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *answer = cJSON_GetStringValue(cJSON_GetObjectItem(test, names[i]));
        if (answer && strcmp(answer, "found") == 0)
            snprintf(shown->findings[i], PROVE_TEXT, "%s, by search under vulkan.cat",
                     i == PROVE_RACE ? "data race" : "barrier divergence");
    }
}

bool confirm_launch(const struct confirm *c, const struct prove_launch *launch, struct confirm_shown *shown)
{
    struct words *w = NULL;
    bool is_large =
        launch && (uint64_t)launch->global[0] * launch->global[1] * launch->global[2] > MOST_SEARCHED;
    if (!(c->vulkan && is_large))
        w = mm_alloc_zero(1, sizeof *w);
    if (!w)
        return false;
    make_words(w, c, launch);
    unsigned seconds = c->until_ms ? seconds_until(c->until_ms) : 0;
    bool is_late = c->until_ms && !seconds;
    cJSON *report = w->incomplete || is_late ? NULL : run_child(w, c->path, c->vulkan, seconds);
    if (c->vulkan)
        note_search(report, shown);
    else
        note_findings(report, c->unsized, shown);
    put_command(w, c->path, shown->command);
    cJSON_Delete(report);
    mm_free(w);
    return report != NULL;
}
