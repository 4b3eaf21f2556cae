/* Tries barriers: a line of the source gets one before it, and the kernel is launched again as it was.
 *
 * The execution that follows is a new one, so that values that depended on the race may differ: what is asked
 * is whether the program with the barrier has this race, or any other finding that it had not before, such as
 * work-items that do not all reach the barrier [CLC 6.15.8].  Advice for which no line passes is withdrawn.
 */
#include "tools/session_barrier.h"
#include "tools/session_input.h"
#include "tools/session_process.h"
#include "tools/tool.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_FINDINGS = 4, MOST_LINES = 6, BEHIND = 3 };

struct trial {
    const struct session *session;
    struct ck_detector *detector;
    char **argv; /* its last word is to be PATH */
    const char *text, *flag;
    char path[PATH_MAX];
};

/* ---- lines --------------------------------------------------------------------------------------- */

static const char *line_of(const char *text, uint32_t line)
{
    while (text && --line)
        text = (text = strchr(text, '\n')) ? text + 1 : NULL;
    return text;
}

/* Skips comments and literals; returns what follows the character or them at P. */
static const char *skip(const char *p, const char *end)
{
    if (p[0] == '/' && p[1] == '/') {
        while (p < end && *p != '\n')
            p++;
    } else if (p[0] == '/' && p[1] == '*') {
        p = strstr(p + 2, "*/");
        p = p ? p + 2 : end;
    } else if (*p == '"' || *p == '\'') {
        char quote = *p++;
        while (p < end && *p != quote)
            p += *p == '\\' ? 2 : 1;
        p++;
    } else {
        p++;
    }
    return p < end ? p : end;
}

/* A statement may begin there: in a block, behind the end of another statement or of a block's begin or end.
 */
static bool may_begin(const char *text, const char *at)
{
    int braces = 0, parentheses = 0;
    char last = 0;
    for (const char *p = text, *next; p < at; p = next) {
        next = skip(p, at);
        bool plain = next == p + 1;
        braces += plain ? (*p == '{') - (*p == '}') : 0;
        parentheses += plain ? (*p == '(') - (*p == ')') : 0;
        bool nothing = isspace((unsigned char)*p) || (*p == '/' && !plain);
        last = nothing ? last : *p;
    }
    return braces > 0 && parentheses == 0 && (last == ';' || last == '{' || last == '}');
}

/* ---- one try ------------------------------------------------------------------------------------- */

static bool write_with_barrier(const struct trial *t, const char *at)
{
    FILE *out = fopen(t->path, "w");
    if (!out)
        return false;
    fwrite(t->text, 1, (size_t)(at - t->text), out);
    fprintf(out, "barrier(%s); %s", t->flag, at);
    return fclose(out) == 0;
}

/* The two have the same lines and say the same; columns and files may differ. */
static bool alike(const struct ck_finding *a, const struct ck_finding *b)
{
    if (strcmp(a->kind, b->kind) != 0 || a->access_count != b->access_count)
        return false;
    uint32_t lines[2][2] = {{0}, {0}};
    for (size_t i = 0; i < a->access_count; i++) {
        lines[0][i] = a->accesses[i].source.line;
        lines[1][i] = b->accesses[i].source.line;
    }
    return (lines[0][0] == lines[1][0] && lines[0][1] == lines[1][1]) ||
           (lines[0][0] == lines[1][1] && lines[0][1] == lines[1][0]);
}

/* The accesses are in the file itself, not in one that it includes. */
static bool is_in_source(const struct trial *t, const struct ck_finding *finding)
{
    const char *text =
        finding->access_count ? ck_detector_text(t->detector, finding->accesses[0].source.file) : NULL;
    return finding->change.barrier.after && text && strcmp(text, t->text) == 0;
}

static bool has(const struct ck_detector *detector, const struct ck_finding *finding)
{
    bool any = false;
    for (size_t i = 0; i < ck_detector_finding_count(detector); i++)
        any |= alike(ck_detector_finding(detector, i), finding);
    return any;
}

/* AGAIN has no race as FINDING, and no finding that the first run had not. */
static bool is_better(const struct trial *t, const struct ck_finding *finding,
                      const struct ck_detector *again)
{
    bool better = ck_detector_status(again, NULL) == MM_OK && !has(again, finding);
    for (size_t i = 0; i < ck_detector_finding_count(again); i++)
        better = better && has(t->detector, ck_detector_finding(again, i));
    return better;
}

/* The barrier before LINE helps against all races for which such a one was wanted and that are gone. */
static void advise(const struct trial *t, const struct ck_detector *again, uint32_t line)
{
    char fix[120];
    snprintf(fix, sizeof fix, "put barrier(%s) before line %u", t->flag, (unsigned)line);
    for (size_t i = 0; i < ck_detector_finding_count(t->detector); i++) {
        const struct ck_finding *finding = ck_detector_finding(t->detector, i);
        if (is_in_source(t, finding) && !finding->verified && !has(again, finding) &&
            strcmp(finding->change.barrier.flag, t->flag) == 0)
            ck_detector_advise(t->detector, i, fix);
    }
}

static bool passes(const struct trial *t, const struct ck_finding *finding, uint32_t line)
{
    struct session quiet = {.races = t->session->races,
                            .memory = t->session->memory,
                            .uninitialized = t->session->uninitialized,
                            .seed = t->session->seed,
                            .schedule = t->session->schedule,
                            .memory_mode = t->session->memory_mode,
                            .step_limit = t->session->step_limit,
                            .quiet = true,
                            .silent = true,
                            .own_host = true};
    struct session_processes processes;
    pid_t child;
    int status = 0;
    bool better = session_execute(&processes, &quiet, NULL, t->argv, &child) == 0;
    if (child >= 0)
        waitpid(child, &status, 0);
    better = better && status == 0 && is_better(t, finding, processes.first->detector);
    if (better)
        advise(t, processes.first->detector, line);
    session_processes_close(&processes);
    return better;
}

/* Whether one passes.  TRIED counts the tries of all lines of the finding. */
static bool try_lines(const struct trial *t, const struct ck_finding *finding, uint32_t from, uint32_t to,
                      unsigned *tried)
{
    for (uint32_t line = from; line <= to && *tried < MOST_LINES; line++) {
        const char *at = line_of(t->text, line);
        if (!at || !may_begin(t->text, at) || !write_with_barrier(t, at))
            continue;
        ++*tried;
        if (passes(t, finding, line))
            return true;
    }
    return false;
}

static void try_finding(struct trial *t, size_t i)
{
    const struct ck_finding *finding = ck_detector_finding(t->detector, i);
    uint32_t after = finding->change.barrier.after, before = finding->change.barrier.before;
    unsigned tried = 0;
    bool helps;
    t->flag = finding->change.barrier.flag;
    if (finding->change.barrier.round) { /* at the round's end, else at its begin */
        helps = try_lines(t, finding, after + 1, after + BEHIND, &tried) ||
                try_lines(t, finding, before, before, &tried);
    } else {
        helps = try_lines(t, finding, after + 1, before, &tried);
    }
    if (!helps)
        ck_detector_verified(t->detector, i, false);
}

/* ---- all ----------------------------------------------------------------------------------------- */

static char **words_with(char **argv, char *last)
{
    size_t count = 0;
    while (argv[count])
        count++;
    char **words = mm_alloc((count + 1) * sizeof *words);
    if (words) {
        memcpy(words, argv, (count + 1) * sizeof *words);
        words[count - 1] = last;
    }
    return words;
}

void session_try_barriers(const struct session *session, struct ck_detector *detector, char **argv)
{
    char folder[] = "/tmp/refcl-barrier-XXXXXX";
    struct trial t = {.session = session, .detector = detector};
    size_t left = MOST_FINDINGS;
    bool any = false;
    for (size_t i = 0; i < ck_detector_finding_count(detector); i++)
        any |= ck_detector_finding(detector, i)->change.barrier.after != 0;
    char *text = any ? session_read_text(session->source) : NULL;
    if (!text || !mkdtemp(folder)) {
        mm_free(text);
        return;
    }
    snprintf(t.path, sizeof t.path, "%s/kernel.cl", folder);
    t.text = text;
    t.argv = words_with(argv, t.path);
    for (size_t i = 0; t.argv && left && i < ck_detector_finding_count(detector); i++)
        if (is_in_source(&t, ck_detector_finding(detector, i)) &&
            !ck_detector_finding(detector, i)->verified) {
            try_finding(&t, i);
            left--;
        }
    unlink(t.path);
    rmdir(folder);
    mm_free(t.argv);
    mm_free(text);
}
