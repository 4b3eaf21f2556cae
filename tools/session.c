/* A recorded session: start the command, read its trace, detect, report. */
#include "tools/session.h"
#include "tools/session_html.h"
#include "tools/session_input.h"
#include "tools/session_places.h"
#include "tools/session_recorder.h"
#include "tools/session_verify.h"
#include "tools/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int session_set_checks(struct session *session, const char *list)
{
    const struct {
        const char *name;
        bool *flag;
    } checks[] = {{"race", &session->races},
                  {"memory", &session->memory},
                  {"api", &session->api},
                  {"uninitialized", &session->uninitialized}};
    const size_t count = sizeof checks / sizeof *checks;
    char copy[200], *save = NULL;
    for (size_t i = 0; i < count; i++)
        *checks[i].flag = false;
    snprintf(copy, sizeof copy, "%s", list);
    for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        bool all = strcmp(word, "all") == 0, known = all || strcmp(word, "none") == 0;
        for (size_t i = 0; i < count; i++) {
            if (!all && strcmp(word, checks[i].name) != 0)
                continue;
            *checks[i].flag = known = true;
        }
        if (!known)
            return tool_error(EXIT_USAGE,
                              "--check: '%s' is not race, memory, api, uninitialized, all or none", word);
    }
    return 0;
}

/* A kernel that runs away ends after some minutes. */
#define DEFAULT_STEP_LIMIT "100000000000"

/* ---- the child ------------------------------------------------------------------------------- */

static void set_environment(const struct session *session, const char *library, int fd)
{
    char text[64];
    /* Both common loaders accept the path of a library: ocl-icd in OCL_ICD_VENDORS, Khronos' own in
     * OCL_ICD_FILENAMES. */
    setenv("OCL_ICD_VENDORS", library, 1);
    setenv("OCL_ICD_FILENAMES", library, 1);
    snprintf(text, sizeof text, "%d", fd);
    setenv("REFCL_TRACE_FD", text, 1);
    unsetenv("REFCL_TRACE"); /* that file is ours to write */
    if (session->trace || session->html || session->recorder)
        setenv("REFCL_TRACE_VALUES", "1", 1);
    else
        unsetenv("REFCL_TRACE_VALUES");
    snprintf(text, sizeof text, "%s%s%s", session->memory ? "memory" : "", session->api ? ",api" : "",
             session->uninitialized ? ",uninitialized" : "");
    setenv("REFCL_CHECK", text, 1);
    if (session->seed)
        setenv("REFCL_SEED", session->seed, 1);
    if (session->schedule)
        setenv("REFCL_SCHEDULE", session->schedule, 1);
    if (session->memory_mode)
        setenv("REFCL_MEMORY", session->memory_mode, 1);
    setenv("REFCL_STEP_LIMIT", session->step_limit ? session->step_limit : DEFAULT_STEP_LIMIT, 1);
}

/* Reports name the user's own source files: they are looked up beside every file on the command line. */
static void set_source_path(char **argv)
{
    static char list[8 * PATH_MAX];
    const char *given = getenv("REFCL_SOURCE_PATH");
    size_t used = (size_t)snprintf(list, sizeof list, "%s", given ? given : "");
    for (; *argv; argv++) {
        const char *slash = strrchr(*argv, '/');
        if (!slash || access(*argv, R_OK) || used + (size_t)(slash - *argv) + 2 > sizeof list)
            continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s", used ? ":" : "",
                                 (int)(slash - *argv), *argv);
    }
    if (used && used < sizeof list)
        setenv("REFCL_SOURCE_PATH", list, 1);
}

/* Starts ARGV with the write end of a pipe for its trace.  *FD is the read end. */
static pid_t start(const struct session *session, char **argv, int *fd)
{
    char library[PATH_MAX];
    int trace[2], status[2]; /* STATUS reports a failed exec: it closes on a good one */
    if (tool_find_library(library))
        return -1;
    if (pipe(trace) || pipe2(status, O_CLOEXEC)) {
        tool_error(EXIT_TOOL, "pipe: %s", strerror(errno));
        return -1;
    }
    fcntl(trace[0], F_SETFD, FD_CLOEXEC);
    fcntl(trace[1], F_SETPIPE_SZ, 1 << 20);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        set_environment(session, library, trace[1]);
        set_source_path(argv);
        execvp(argv[0], argv);
        int error = errno;
        ssize_t ignored = write(status[1], &error, sizeof error);
        (void)ignored;
        _exit(127);
    }
    close(trace[1]);
    close(status[1]);
    int error = 0;
    if (pid < 0 || read(status[0], &error, sizeof error) == sizeof error) {
        tool_error(EXIT_USAGE, "cannot run '%s': %s", argv[0], strerror(pid < 0 ? errno : error));
        if (pid > 0)
            waitpid(pid, NULL, 0);
        close(trace[0]);
        pid = -1;
    }
    close(status[0]);
    *fd = trace[0];
    return pid;
}

/* ---- the trace ------------------------------------------------------------------------------- */

/* Passes everything to the detector and to a trace file. */
struct tee {
    struct mm_sink sinks[3];
    size_t count;
    bool complete;
    struct session_places places;
    struct mm_sink *recorder; /* the user's own, NULL = none */
};

static enum mm_class tee_record(void *context, const struct mm_record *given)
{
    struct tee *tee = context;
    enum mm_class worst = MM_OK;
    struct mm_record copy = *given, text, *record = &copy;
    bool found =
        tee->count > 1 && given->type == MM_RECORD_SOURCE && session_places_find(&tee->places, &copy, &text);
    for (size_t i = 0; found && text.type && i < tee->count; i++)
        tee->sinks[i].record(tee->sinks[i].context, &text);
    for (size_t i = 0; i < tee->count; i++) {
        enum mm_class c = tee->sinks[i].record(tee->sinks[i].context, record);
        worst = c ? c : worst;
    }
    return worst;
}

static enum mm_class tee_events(void *context, const struct mm_event *events, size_t count)
{
    struct tee *tee = context;
    enum mm_class worst = MM_OK;
    for (size_t i = 0; i < tee->count; i++) {
        const struct mm_sink *sink = &tee->sinks[i];
        enum mm_class c = MM_OK;
        if (sink->events) {
            c = sink->events(sink->context, events, count);
        } else {
            struct mm_record record = {.type = MM_RECORD_EVENT};
            for (size_t j = 0; j < count && !c; j++) {
                record.event = events[j];
                c = sink->record(sink->context, &record);
            }
        }
        worst = c ? c : worst;
    }
    return worst;
}

static void tee_close(struct tee *tee)
{
    if (tee->recorder)
        session_recorder_end(tee->recorder, tee->complete);
    for (size_t i = 0; i < tee->count; i++)
        if (tee->sinks[i].close)
            tee->sinks[i].close(tee->sinks[i].context);
}

static int open_trace(struct tee *tee, const char *path)
{
    struct mm_error err = {0};
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return tool_error(EXIT_USAGE, "cannot write '%s': %s", path, strerror(errno));
    if (mm_trace_writer(fd, &tee->sinks[tee->count], &err) != MM_OK)
        return tool_report(&err);
    tee->count++;
    return 0;
}

/* Reads the whole trace; keeps the pipe flowing even if the detector gave up, so that the program can end. */
static int consume(struct tee *tee, struct session_input *input, struct mm_error *err)
{
    struct mm_sink sink = {.context = tee, .record = tee_record, .events = tee_events};
    enum mm_class c = mm_trace_read_from(session_input_read, input, "trace", &sink, &tee->complete, err);
    char rest[4096];
    bool more = false;
    while (session_input_read(input, rest, sizeof rest) > 0)
        more = true;
    if (c == MM_OK && !tee->complete && input->received)
        fprintf(stderr, "refcl: note: the trace ends early; what came before is reported\n");
    else if (c == MM_OK && more)
        fprintf(stderr, "refcl: note: more than one process used OpenCL; only the first one was checked\n");
    return c == MM_INVALID ? EXIT_TOOL : c == MM_OK || c == MM_LIMIT ? 0 : EXIT_TOOL;
}

/* ---- reports --------------------------------------------------------------------------------- */

typedef enum mm_class report_function(const struct ck_detector *, const struct ck_report_options *, FILE *);

static int write_report(report_function *function, const struct ck_detector *detector,
                        const struct ck_report_options *options, const char *name)
{
    if (!name)
        return 0;
    FILE *out = tool_open_output(name);
    if (!out)
        return EXIT_USAGE;
    if (function(detector, options, out) != MM_OK) {
        tool_close_output(out, name);
        return tool_error(EXIT_TOOL, "cannot write the report '%s'", name);
    }
    return tool_close_output(out, name);
}

static int report(const struct session *session, const struct ck_detector *detector)
{
    struct ck_report_options options = {.color = isatty(STDERR_FILENO) == 1,
                                        .command_line = session->command_line};
    bool next = session->has_seeds && ck_detector_finding_count(detector) == 0; /* seed's turn */
    if (!session->quiet && !next)
        ck_report_text(detector, &options, stderr);
    options.color = false;
    int code = write_report(ck_report_json, detector, &options, session->json);
    if (!code)
        code = write_report(ck_report_sarif, detector, &options, session->sarif);
    if (!code)
        code = write_report(ck_report_junit, detector, &options, session->junit);
    return code;
}

static int wait_for(const struct session *session, pid_t pid, const char *name)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "refcl: note: '%s' was ended by signal %d (%s)\n", name, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
        return EXIT_FINDINGS;
    }
    if (session->input_status && WEXITSTATUS(status) == session->input_status)
        return EXIT_USAGE;
    if (WEXITSTATUS(status)) {
        fprintf(stderr, "refcl: note: '%s' ended with status %d\n", name, WEXITSTATUS(status));
        return EXIT_FINDINGS;
    }
    return 0;
}

static int verdict(const struct ck_detector *detector, int child)
{
    struct mm_error err = {0};
    if (ck_detector_finding_count(detector))
        return EXIT_FINDINGS;
    if (child)
        return child;
    if (ck_detector_status(detector, &err) != MM_OK)
        return tool_report(&err);
    return EXIT_CLEAN;
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t used = 0, n = 1;
    while (file && n) {
        char *grown = mm_realloc(text, used + 4097);
        if (!grown)
            break;
        text = grown;
        n = fread(text + used, 1, 4096, file);
        text[used += n] = 0;
    }
    bool bad = !file || ferror(file) || !text;
    if (bad)
        tool_error(EXIT_USAGE, "cannot read '%s': %s", path, strerror(errno));
    if (file)
        fclose(file);
    if (bad)
        mm_free(text);
    return bad ? NULL : text;
}

static int suppress(const struct session *session, struct ck_detector *detector)
{
    struct mm_error err = {0};
    if (!session->suppress)
        return 0;
    char *patterns = read_text(session->suppress);
    if (!patterns)
        return EXIT_USAGE;
    enum mm_class cls = ck_detector_suppress(detector, patterns, session->suppress, &err);
    mm_free(patterns);
    return cls == MM_OK ? 0 : tool_report(&err);
}

/* Runs ARGV with TEE reading its trace. */
static int follow(const struct session *session, char **argv, struct ck_detector *detector, struct tee *tee)
{
    struct mm_error err = {0};
    struct session_input input = {.copy = session_verify_file(), .copy_limit = SESSION_VERIFY_BYTES};
    input.child = start(session, argv, &input.fd);
    if (input.child < 0) {
        tee_close(tee);
        return EXIT_USAGE;
    }
    session_input_signals(input.child); /* Ctrl-C ends the program, we report */
    int code = consume(tee, &input, &err);
    close(input.fd);
    int child = wait_for(session, input.child, argv[0]);
    session_input_signals_off();
    tee_close(tee);
    if (code)
        tool_report(&err);
    session_verify(detector, &tee->places, input.copy);
    int reported = report(session, detector);
    if (!reported && session->html)
        reported = session_html(detector, input.copy, session->command_line, session->html);
    if (input.copy >= 0)
        close(input.copy);
    return code ? code : reported ? reported : verdict(detector, child);
}

static bool is_weak(const struct session *session)
{
    return session->memory_mode && strcmp(session->memory_mode, "weak") == 0;
}

static int run_once(const struct session *session, char **argv)
{
    struct tee tee = {.count = 1};
    struct ck_detector_options options = {.races = session->races,
                                          .memory = true,
                                          .uninitialized = session->uninitialized,
                                          .weak = is_weak(session),
                                          .max_findings = session->max_findings,
                                          .locate = session_places_locate,
                                          .locate_context = &tee.places};
    struct ck_detector *detector = ck_detector_create(&options);
    if (!detector)
        return tool_error(EXIT_TOOL, "out of memory");
    ck_detector_sink(detector, &tee.sinks[0]);
    int code = suppress(session, detector);
    if (!code && session->trace)
        code = open_trace(&tee, session->trace);
    if (!code && session->recorder &&
        !(code = session_recorder_open(session->recorder, &tee.sinks[tee.count])))
        tee.recorder = &tee.sinks[tee.count++];
    if (!code)
        code = follow(session, argv, detector, &tee);
    ck_detector_destroy(detector);
    session_places_clear(&tee.places);
    return code;
}

/* How to see it again. */
static void tell_seed(const struct session *session)
{
    if (!session->quiet && (session->has_seeds || is_weak(session)))
        fprintf(stderr, "refcl: note: the same again: %s%s--seed %s\n",
                is_weak(session) ? "--memory weak " : "", session->schedule ? "with this --schedule, " : "",
                session->seed);
}

static int run_seeds(struct session *session, char **argv)
{
    char text[24];
    int worst = EXIT_CLEAN;
    session->seed = text;
    for (uint64_t n = session->first_seed; n <= session->last_seed; n++) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)n);
        int code = run_once(session, argv);
        if (code == EXIT_FINDINGS)
            tell_seed(session);
        if (code != EXIT_CLEAN && code != EXIT_UNKNOWN)
            return code;
        worst = code ? code : worst;
    }
    if (!session->quiet)
        fprintf(stderr, "refcl: no findings with the seeds %llu to %llu\n",
                (unsigned long long)session->first_seed, (unsigned long long)session->last_seed);
    return worst;
}

int session_run(const struct session *session, char **argv)
{
    struct session copy = *session;
    if (copy.has_seeds)
        return run_seeds(&copy, argv);
    if (is_weak(&copy) && !copy.seed)
        copy.seed = "1";
    int code = run_once(&copy, argv);
    if (code == EXIT_FINDINGS && copy.seed)
        tell_seed(&copy);
    return code;
}
