/* Verifies suggested barriers: inserts a barrier before a line of the source and repeats the launch.
 *
 * This is another execution, and values that depended on the race may differ.  The check is whether the
 * program with the barrier has this race, or a finding that the program without it did not have, such as
 * work-items that do not all reach the barrier [CLC 6.15.8].  Advice for which no line passes is withdrawn.
 * A launch of `refcl run` is repeated from its capture; captures whose repetition lacks the race are of no
 * use. */
#include "tools/session/barrier.h"
#include "tools/session/launch.h"
#include "tools/session/process.h"
#include "tools/session/text.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FINDINGS = 4, MOST_LINES = 6, BEHIND = 3, SECONDS = 20 };

struct trial {
    const struct session *session;
    struct ck_detector *detector;
    /* The findings of the unchanged launch: in PROCESSES if it is repeated from a capture. */
    const struct ck_detector *before;
    struct session_launch launch;
    struct session_patience patience;
    struct session_processes processes; /* of BEFORE, if that is not the session's */
    const struct ck_finding *finding;
    const char *file, *text; /* the file with the accesses, its text */
};

/* ---- findings ------------------------------------------------------------------------------------ */

/* The kind of F in a repeated launch, which is not judged for uniform writes. */
static const char *kind_of(const struct ck_finding *f)
{
    return strcmp(f->kind, CK_UNIFORM_WRITE) == 0 ? "data-race" : f->kind;
}

/* True if A and B have the same kind and lines; columns, files and messages may differ. */
static bool findings_alike(const struct ck_finding *a, const struct ck_finding *b)
{
    if (strcmp(kind_of(a), kind_of(b)) != 0 || a->access_count != b->access_count)
        return false;
    uint32_t lines[2][2] = {{0}, {0}};
    for (size_t i = 0; i < a->access_count; i++) {
        lines[0][i] = a->accesses[i].source.line;
        lines[1][i] = b->accesses[i].source.line;
    }
    return (lines[0][0] == lines[1][0] && lines[0][1] == lines[1][1]) ||
           (lines[0][0] == lines[1][1] && lines[0][1] == lines[1][0]);
}

bool session_has_finding(const struct ck_detector *detector, const struct ck_finding *finding)
{
    bool any = false;
    for (size_t i = 0; i < ck_detector_finding_count(detector); i++)
        any |= findings_alike(ck_detector_finding(detector, i), finding);
    return any;
}

/* True if AGAIN lacks the current finding and has no finding that the unchanged launch lacks. */
static bool is_better(const struct trial *t, const struct ck_detector *again)
{
    bool better = !session_has_finding(again, t->finding);
    for (size_t i = 0; i < ck_detector_finding_count(again); i++)
        better = better && session_has_finding(t->before, ck_detector_finding(again, i));
    return better;
}

static const char *file_of(const struct ck_finding *finding)
{
    return finding->access_count && finding->accesses[0].source.file ? finding->accesses[0].source.file : "";
}

static const char *kernel_of(const struct ck_finding *finding)
{
    const struct mm_command *command = finding->access_count ? finding->accesses[0].command : NULL;
    return command && command->kernel ? command->kernel : "";
}

/* ---- one try ------------------------------------------------------------------------------------- */

/* The program's text with TEXT in place of the file of the finding. */
static char *program_with(const struct trial *t, char *text)
{
    if (!text || strcmp(t->text, t->launch.text) == 0)
        return text;
    char *program = session_text_include(t->launch.text, t->launch.file, t->file, text);
    mm_free(text);
    return program;
}

/* True if the file of the accesses is the program's text, or a file that it includes. */
static bool can_be_changed(const struct trial *t)
{
    char *program = program_with(t, mm_strdup(t->text));
    mm_free(program);
    return program != NULL;
}

/* True if F has no advice yet and lacks the current finding's barrier: same kernel, same flag. */
static bool wants_same_barrier(const struct trial *t, const struct ck_finding *f)
{
    return f->change.barrier.after && !f->verified && strcmp(file_of(f), t->file) == 0 &&
           strcmp(kernel_of(f), kernel_of(t->finding)) == 0 &&
           strcmp(f->change.barrier.flag, t->finding->change.barrier.flag) == 0;
}

/* Advises the barrier before LINE for all races that lacked such a barrier and that AGAIN does not have. */
static void advise_barrier(const struct trial *t, const struct ck_detector *again, uint32_t line)
{
    char fix[600];
    const char *flag = t->finding->change.barrier.flag, *file = t->file;
    bool included = strcmp(t->text, t->launch.text) != 0;
    snprintf(fix, sizeof fix, "put barrier(%s) before line %u%s%.400s", flag, (unsigned)line,
             included ? " of " : "", included ? file : "");
    for (size_t i = 0; i < ck_detector_finding_count(t->detector); i++) {
        const struct ck_finding *f = ck_detector_finding(t->detector, i);
        if (wants_same_barrier(t, f) && session_has_finding(t->before, f) && !session_has_finding(again, f))
            ck_detector_advise(t->detector, i, fix);
    }
}

static bool barrier_passes(struct trial *t, uint32_t line)
{
    struct session_processes processes;
    char words[80];
    snprintf(words, sizeof words, "barrier(%s)", t->finding->change.barrier.flag);
    char *program = program_with(t, session_text_insert(t->text, line, words));
    const struct ck_detector *again =
        session_launch_run(&t->launch, program, t->session, &t->patience, &processes);
    bool better = again && is_better(t, again);
    if (better)
        advise_barrier(t, again, line);
    session_processes_close(&processes);
    mm_free(program);
    return better;
}

/* Tries barriers before the lines FROM to TO; true if one passes.  TRIED counts the tries of all lines of the
 * finding. */
static bool try_lines(struct trial *t, uint32_t from, uint32_t to, unsigned *tried)
{
    for (uint32_t line = from; line <= to && *tried < MOST_LINES && !t->patience.is_out; line++) {
        if (!session_text_may_begin(t->text, line))
            continue;
        ++*tried;
        if (barrier_passes(t, line))
            return true;
    }
    return false;
}

/* Narrows the lines to those where one barrier may help against the most findings, as rarely several are
 * missing. */
static void find_common_lines(const struct trial *t, uint32_t *after, uint32_t *before)
{
    for (size_t i = 0; i < ck_detector_finding_count(t->detector); i++) {
        const struct ck_finding *f = ck_detector_finding(t->detector, i);
        if (!wants_same_barrier(t, f) || f->change.barrier.round)
            continue;
        uint32_t from = f->change.barrier.after > *after ? f->change.barrier.after : *after;
        uint32_t to = f->change.barrier.before < *before ? f->change.barrier.before : *before;
        if (from < to) {
            *after = from;
            *before = to;
        }
    }
}

/* The last line after which a barrier between iterations is missing, among races whose access in the next
 * iteration is on the same line as the current finding's: one barrier after it may help against all. */
static uint32_t find_last_of_iteration(const struct trial *t)
{
    const struct ck_finding *own = t->finding;
    uint32_t last = own->change.barrier.after;
    for (size_t i = 0; i < ck_detector_finding_count(t->detector); i++) {
        const struct ck_finding *f = ck_detector_finding(t->detector, i);
        if (wants_same_barrier(t, f) && f->change.barrier.round &&
            f->change.barrier.before == own->change.barrier.before && f->change.barrier.after > last)
            last = f->change.barrier.after;
    }
    return last;
}

static void try_finding(struct trial *t, size_t i)
{
    uint32_t after = t->finding->change.barrier.after, before = t->finding->change.barrier.before;
    uint32_t common_after = after, common_before = before;
    unsigned tried = 0;
    bool helps;
    if (!t->finding->change.barrier.round)
        find_common_lines(t, &common_after, &common_before);
    else if (find_last_of_iteration(t) > after)
        after = find_last_of_iteration(t);
    if ((common_after != after || common_before != before) &&
        try_lines(t, common_after + 1, common_before, &tried))
        return;
    if (t->finding->change.barrier.round) { /* at the end of the iteration, otherwise at its beginning */
        helps = try_lines(t, after + 1, after + BEHIND, &tried) || try_lines(t, before, before, &tried);
    } else {
        helps = try_lines(t, after + 1, before, &tried);
    }
    if (!helps && !t->patience.is_out)
        ck_detector_verified(t->detector, i, false);
}

/* ---- launches ------------------------------------------------------------------------------------ */

static void close_launch(struct trial *t)
{
    if (*t->launch.folder)
        session_launch_close(&t->launch);
    if (t->processes.first)
        session_processes_close(&t->processes);
    t->processes.first = NULL;
    t->before = NULL;
}

/* Opens a captured launch; false unless it has the race when launched alone. */
static bool open_captured(struct trial *t, const char *path)
{
    close_launch(t);
    if (!session_launch_open_captured(&t->launch, path))
        return false;
    t->before = session_launch_run(&t->launch, t->launch.text, t->session, &t->patience, &t->processes);
    return t->before && session_has_finding(t->before, t->finding);
}

/* True if NAME is the capture of the finding's launch, or of the command with the same number in another
 * process. */
static bool is_capture_of(const struct ck_finding *finding, const char *name)
{
    unsigned command = 0;
    long process = 0;
    return sscanf(name, "%ld-%u.cap", &process, &command) == 2 &&
           command == finding->accesses[0].agent.command &&
           (!finding->process || process == (long)finding->process);
}

/* Opens a captured launch: the finding's, or else another one of its kernel. */
static bool find_captured(struct trial *t)
{
    char path[600];
    for (int pass = 0; pass < 2; pass++) {
        DIR *folder = opendir(t->session->command.launches);
        bool found = false;
        for (struct dirent *e; folder && !found && !t->patience.is_out && (e = readdir(folder));) {
            if (!tool_has_suffix(e->d_name, ".cap") || is_capture_of(t->finding, e->d_name) != (pass == 0))
                continue;
            snprintf(path, sizeof path, "%s/%s", t->session->command.launches, e->d_name);
            found = captured_is_of(path, kernel_of(t->finding)) && open_captured(t, path);
        }
        if (folder)
            closedir(folder);
        if (found)
            return true;
    }
    return false;
}

/* Opens the launch to repeat for the finding: the one that is open already if it has this finding, too. */
static bool open_launch(struct trial *t, char **argv)
{
    if (t->before && session_has_finding(t->before, t->finding))
        return true;
    close_launch(t);
    if (t->session->command.source && session_launch_open(&t->launch, argv))
        t->before = t->detector;
    return t->before || (t->session->command.capture && open_captured(t, t->session->command.capture)) ||
           (t->session->command.launches && find_captured(t));
}

/* ---- all ----------------------------------------------------------------------------------------- */

void session_try_barriers(const struct session *session, struct ck_detector *detector, char **argv)
{
    struct trial t = {.session = session, .detector = detector, .patience = {.seconds = SECONDS}};
    size_t left = MOST_FINDINGS;
    for (size_t i = 0; left && i < ck_detector_finding_count(detector); i++) {
        const struct ck_finding *finding = ck_detector_finding(detector, i);
        if (!finding->change.barrier.after || finding->verified || t.patience.is_out)
            continue;
        t.finding = finding;
        t.file = file_of(finding);
        t.text = ck_detector_text(finding->detector ? finding->detector : detector, t.file);
        left--;
        if (t.text && open_launch(&t, argv) && can_be_changed(&t))
            try_finding(&t, i);
    }
    close_launch(&t);
    if (t.patience.is_out && !session->report.quiet)
        fprintf(stderr, "refcl: note: launching kernels again took more than %d s: not all advice is tried\n",
                SECONDS);
}
