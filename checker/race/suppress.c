/* Filters of findings: kinds, kernels, launches, and patterns of kind, file and line. */
#include "checker/race/agents.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool pattern_matches_location(const struct ck_pattern *p, const struct mm_source *source)
{
    char line[16];
    const char *file = source->file ? source->file : "";
    const char *base = strrchr(file, '/');
    snprintf(line, sizeof line, "%" PRIu32, source->line);
    return (fnmatch(p->file, file, 0) == 0 || (base && fnmatch(p->file, base + 1, 0) == 0)) &&
           fnmatch(p->line, line, 0) == 0;
}

static bool pattern_matches(const struct ck_pattern *p, const struct ck_finding *finding)
{
    if (fnmatch(p->kind, finding->kind, 0) != 0)
        return false;
    bool matches = strcmp(p->file, "*") == 0 && strcmp(p->line, "*") == 0;
    for (size_t i = 0; !matches && i < finding->access_count; i++)
        matches = pattern_matches_location(p, &finding->accesses[i].source);
    return matches;
}

/* Advances *LIST past its next word, which it copies to WORD. */
static bool next_word(const char **list, char word[128])
{
    *list += strspn(*list, ",");
    size_t n = strcspn(*list, ",");
    snprintf(word, 128, "%.*s", (int)n, *list);
    *list += n;
    return n > 0;
}

static bool is_of_group(const char *kind, const char *group)
{
    size_t n = strlen(kind);
    bool race = (n >= 4 && strcmp(kind + n - 4, "race") == 0) || strcmp(kind, CK_UNIFORM_WRITE) == 0;
    bool api = strcmp(kind, "api-misuse") == 0 || strcmp(kind, "leak") == 0;
    return strcmp(group, kind) == 0 || (race && strcmp(group, "race") == 0) ||
           (api && strcmp(group, "api") == 0) || (!race && !api && strcmp(group, "memory") == 0);
}

static bool has_kind(const char *only, const char *kind)
{
    char word[128];
    bool found = !only;
    while (!found && next_word(&only, word))
        found = is_of_group(kind, word);
    return found;
}

bool ck_is_of_kernels(const char *patterns, const char *kernel)
{
    char word[128];
    bool found = false;
    while (!found && next_word(&patterns, word))
        found = kernel && fnmatch(word, kernel, 0) == 0;
    return found;
}

/* COMMANDS: the record of each agent's command, or NULL. */
static enum ck_filter launch_filter(const struct ck_detector_options *options, const struct mm_agent *agents,
                                    const struct mm_command *const *commands, size_t count)
{
    bool kernel = !options->kernels, launch = options->last_launch == 0;
    for (size_t i = 0; i < count && !(kernel && launch); i++) {
        uint32_t id = agents[i].command;
        kernel = kernel || ck_is_of_kernels(options->kernels, commands[i] ? commands[i]->kernel : NULL);
        launch = launch || (id && id >= options->first_launch && id <= options->last_launch);
    }
    return !kernel ? CK_FILTER_KERNELS : !launch ? CK_FILTER_LAUNCHES : CK_FILTER_NONE;
}

enum ck_filter ck_filter_of_pair(struct ck_detector *d, struct mm_agent later, struct mm_agent earlier)
{
    const struct mm_agent agents[2] = {later, earlier};
    const struct mm_command *commands[2] = {0};
    for (size_t i = 0; i < 2 && d->options.kernels; i++) {
        const struct ck_command *command = agents[i].command ? ck_command_known(d, agents[i].command) : NULL;
        commands[i] = command && command->known ? &command->info : NULL;
    }
    return launch_filter(&d->options, agents, commands, 2);
}

enum ck_filter ck_filter_of(const struct ck_detector *d, const struct ck_finding *finding)
{
    /* Whether all racing writes store equal values is known only at the end. */
    bool may_be_uniform = !d->report.has_kinds && strcmp(finding->kind, "data-race") == 0;
    if (!has_kind(d->options.only, finding->kind) &&
        !(may_be_uniform && has_kind(d->options.only, CK_UNIFORM_WRITE)))
        return CK_FILTER_ONLY;
    const struct ck_access *a = finding->accesses;
    const struct mm_agent agents[2] = {a[0].agent, a[1].agent};
    const struct mm_command *commands[2] = {a[0].command, a[1].command};
    enum ck_filter filter = launch_filter(&d->options, agents, commands, finding->access_count);
    if (filter != CK_FILTER_NONE)
        return filter;
    const struct ck_pattern *p = d->patterns;
    while (p && !pattern_matches(p, finding))
        p = p->next;
    return p ? CK_FILTER_SUPPRESS : CK_FILTER_NONE;
}

/* The file extends to the last colon that a line pattern follows: file names may contain colons. */
static enum mm_class add_pattern(struct ck_detector *d, char *text)
{
    struct ck_pattern *p = mm_arena_alloc(d->arena, sizeof *p);
    char *file = strchr(text, ':'), *line = NULL;
    if (file) {
        *file++ = 0;
        line = strrchr(file, ':');
        if (line && line[1] && strspn(line + 1, "0123456789*?[]-") == strlen(line + 1))
            *line++ = 0;
        else
            line = NULL;
    }
    if (!*text || (file && !*file))
        return MM_INVALID;
    if (!p)
        return MM_LIMIT;
    p->kind = mm_arena_strdup(d->arena, text);
    p->file = mm_arena_strdup(d->arena, file ? file : "*");
    p->line = mm_arena_strdup(d->arena, line ? line : "*");
    if (!p->kind || !p->file || !p->line)
        return MM_LIMIT;
    p->next = d->patterns;
    d->patterns = p;
    return MM_OK;
}

enum mm_class ck_detector_suppress(struct ck_detector *d, const char *patterns, const char *name,
                                   struct mm_error *err)
{
    char text[1024];
    for (unsigned line = 1; *patterns; line++) {
        size_t length = strcspn(patterns, "\n"), start = strspn(patterns, " \t");
        size_t used = length;
        while (used > start && strchr(" \t\r", patterns[used - 1]))
            used--;
        if (used > start && patterns[start] != '#') {
            snprintf(text, sizeof text, "%.*s", (int)(used - start), patterns + start);
            enum mm_class cls = used - start < sizeof text ? add_pattern(d, text) : MM_INVALID;
            if (cls != MM_OK)
                return mm_fail_at(err, cls, "suppress", name, line, 1,
                                  cls == MM_LIMIT ? "no memory" : "not of the form kind[:FILE[:LINE]]");
        }
        patterns += length;
        patterns += *patterns == '\n';
    }
    return MM_OK;
}
