/* Launches a captured kernel again, by refcl-kernel-host. */
#include "tools/session/launch.h"
#include "tools/session/input.h"
#include "tools/session/process.h"
#include "tools/session/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- words --------------------------------------------------------------------------------------- */

/* Makes the command line of HELPER: COUNT of WORDS, OPTIONS if not NULL, include folders, and the path of the
 * text. */
static bool make_words(struct session_launch *l, char *helper, char *const *words, size_t count,
                       char *options)
{
    static char build_options[] = "build-options", include[] = "include";
    char **at = l->argv = mm_alloc((count + 8) * sizeof *l->argv);
    if (!at || tool_make_folder(l->folder, sizeof l->folder))
        return false;
    snprintf(l->path, sizeof l->path, "%s/kernel.cl", l->folder);
    session_text_folder(l->file, l->include, sizeof l->include);
    *at++ = helper;
    for (size_t i = 0; i < count; i++)
        *at++ = words[i];
    if (options) {
        *at++ = build_options;
        *at++ = options;
    }
    *at++ = include;
    *at++ = l->include;
    *at++ = l->path;
    *at = NULL;
    return true;
}

bool session_launch_open(struct session_launch *l, char *const *argv)
{
    size_t last = 1;
    *l = (struct session_launch){0};
    while (argv[last + 1])
        last++;
    l->file = mm_strdup(argv[last]);
    l->text = l->file ? session_read_text(l->file) : NULL;
    if (l->text && make_words(l, argv[0], argv + 1, last - 1, NULL))
        return true;
    session_launch_close(l);
    return false;
}

bool session_launch_open_captured(struct session_launch *l, const char *capture)
{
    *l = (struct session_launch){0};
    if (captured_open(&l->captured, capture))
        return false;
    struct captured_launch *c = &l->captured;
    l->file = c->source ? mm_strdup(c->file) : NULL;
    l->text = c->source ? mm_strdup(c->source) : NULL;
    if (l->file && l->text && !tool_find_helper("refcl-kernel-host", l->helper) &&
        make_words(l, l->helper, c->words, c->count - 1, c->options))
        return true;
    session_launch_close(l);
    return false;
}

void session_launch_close(struct session_launch *l)
{
    captured_close(&l->captured);
    if (*l->folder)
        tool_remove_folder(l->folder);
    mm_free(l->argv);
    mm_free(l->text);
    mm_free(l->file);
    *l = (struct session_launch){0};
}

/* ---- running ------------------------------------------------------------------------------------- */

static double seconds_of_children(void)
{
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used))
        return 0;
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

const struct ck_detector *session_launch_quietly(char **argv, const struct session *session,
                                                 struct session_patience *patience,
                                                 struct session_processes *processes)
{
    struct session quiet = {.check.races = session->check.races,
                            .check.memory = session->check.memory,
                            .check.uninitialized = session->check.uninitialized,
                            .execution.seed = session->execution.seed,
                            .execution.schedule = session->execution.schedule,
                            .execution.memory_mode = session->execution.memory_mode,
                            .execution.step_limit = session->execution.step_limit,
                            .command.cpu_seconds = (unsigned)patience->seconds + 1,
                            .report.values = session->report.values,
                            .report.quiet = true,
                            .command.silent = true,
                            .command.again = true,
                            .command.own_host = true};
    struct supervised child = {.pid = -1};
    int status = 0;
    double before = seconds_of_children();
    *processes = (struct session_processes){.listener = -1, .wake = {-1, -1}, .executed.socket = -1};
    if (patience->is_out)
        return NULL;
    bool good = session_execute(processes, &quiet, NULL, argv, &child) == 0;
    if (child.pid >= 0)
        status = supervised_wait(&child);
    session_input_signals(0); /* the process id may be reused from here on */
    patience->seconds -= seconds_of_children() - before;
    patience->is_out = patience->seconds <= 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
    good = good && status == 0 && session_processes_observed(processes) == CK_OBSERVED &&
           ck_detector_status(processes->first->detector, NULL) == MM_OK;
    return good ? processes->first->detector : NULL;
}

const struct ck_detector *session_launch_run(struct session_launch *l, const char *text,
                                             const struct session *session, struct session_patience *patience,
                                             struct session_processes *processes)
{
    *processes = (struct session_processes){.listener = -1, .wake = {-1, -1}, .executed.socket = -1};
    bool written = text && tool_write_file(l->path, text, strlen(text)) == 0;
    return written ? session_launch_quietly(l->argv, session, patience, processes) : NULL;
}
