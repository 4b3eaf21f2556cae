/* A recorded session: start the command, follow its processes, report. */
#include "tools/session/session.h"
#include "memmodel/base/input.h"
#include "memmodel/base/own_fd.h"
#include "tools/session/barrier.h"
#include "tools/session/html.h"
#include "tools/session/input.h"
#include "tools/session/process.h"
#include "tools/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The names of the checks that are enabled (MADE), or disabled. */
static void check_names(const struct session *session, bool made, char *text, size_t size)
{
    const struct {
        const char *name;
        bool is_made;
    } checks[] = {{"race", session->check.races},
                  {"memory", session->check.memory},
                  {"api", session->check.api},
                  {"uninitialized", session->check.uninitialized}};
    *text = 0;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (checks[i].is_made == made && !(session->command.own_host && strcmp(checks[i].name, "api") == 0))
            snprintf(text + strlen(text), size - strlen(text), "%s%s", *text ? ", " : "", checks[i].name);
}

/* Instructions of a launch; a kernel that does not terminate ends after some minutes. */
#define DEFAULT_STEP_LIMIT "100000000000"

/* ---- the child ------------------------------------------------------------------------------- */

/* Sets VARIABLE to VALUE; NULL: unsets it. */
static void set_or_unset(const char *variable, const char *value)
{
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
}

static void set_flag(const char *variable, bool set)
{
    set_or_unset(variable, set ? "1" : NULL);
}

void session_add_word(const char *name, const char *word)
{
    const char *given = getenv(name);
    size_t size = (given ? strlen(given) : 0) + strlen(word) + 2;
    char *list = mm_alloc(size);
    if (list)
        snprintf(list, size, "%s%s%s", given ? given : "", given && *given ? ":" : "", word);
    if (!list || setenv(name, list, 1) != 0)
        fprintf(stderr, "refcl: error: %s lacks %s: out of memory\n", name, word);
    mm_free(list);
}

/* Preloads tools/preload: the program's handlers of SIGSEGV must not displace refcl's, and programs that it
 * executes are observed whatever environment they get, or reported to the socket NAME. */
static void set_preload(const char *preload, const char *name)
{
    if (strpbrk(preload, " :"))
        return; /* the loader would split such a path */
    setenv("REFCL_EXECUTED_SOCKET", name, 1);
    session_add_word("LD_PRELOAD", preload);
    session_add_word("ASAN_OPTIONS", "verify_asan_link_order=0"); /* safe: their functions differ */
}

/* True if launches need neither checks nor a trace. */
static bool checks_nothing(const struct session *session, bool live)
{
    bool checks =
        session->check.races || session->check.memory || session->check.api || session->check.uninitialized;
    return !checks && !live && !session->report.trace && !session->program && !session->command.own_host;
}

/* The library that DRIVER names in its first line if it is an .icd file; otherwise DRIVER. */
static const char *library_of(const char *driver, char line[PATH_MAX])
{
    const char *dot = strrchr(driver, '.');
    FILE *file = dot && strcmp(dot, ".icd") == 0 ? fopen(driver, "re") : NULL;
    bool found = file && fgets(line, PATH_MAX, file);
    if (file)
        fclose(file);
    if (found)
        line[strcspn(line, "\r\n")] = '\0';
    return found && *line ? line : driver;
}

/* ocl-icd accepts the path of a library or of a file that names one in OCL_ICD_VENDORS, Khronos' loader the
 * path of a library in OCL_ICD_FILENAMES. */
void session_set_driver(const char *driver)
{
    char line[PATH_MAX];
    setenv("OCL_ICD_VENDORS", driver, 1);
    setenv("OCL_ICD_FILENAMES", library_of(driver, line), 1);
}

/* Sets the environment for --on-driver: the layer records, and the driver executes. */
static void set_layer(const struct session *session, const char *layer, const char *name)
{
    if (session->icd)
        session_set_driver(session->icd);
    session_add_word("OPENCL_LAYERS", layer);
    char trace[128];
    snprintf(trace, sizeof trace, "socket:%s", name);
    setenv("REFCL_LAYER_TRACE", trace, 1);
    unsetenv("REFCL_LAYER_REPORT");
    set_or_unset("REFCL_LAYER_CHECK", session->check.api ? "api" : NULL);
    set_flag("REFCL_LAYER_BACKTRACE", session->backtrace);
    unsetenv("REFCL_TRACE");
}

static void set_environment(const struct session *session, const char *library, const char *name)
{
    char text[64];
    if (session->on_driver) {
        set_layer(session, library, name);
        return;
    }
    session_set_driver(library);
    setenv("REFCL_TRACE_SOCKET", name, 1);
    unsetenv("REFCL_TRACE"); /* this process writes that file */
    unsetenv("REFCL_TRACE_FD");
    bool live = session->check.predict || session->report.values || session->assertion_count ||
                session->report.html || session->recorder;
    set_flag("REFCL_TRACE_VALUES", live || session->report.trace);
    set_flag("REFCL_TRACE_PARTS", session->report.values);
    set_flag("REFCL_TRACE_TERMS", session->check.predict);
    set_flag("REFCL_TRACE_FINDINGS", !live && !session->report.trace);
    set_flag("REFCL_TRACE_REPLAYS", !live);
    set_flag("REFCL_TRACE_COMMANDS", checks_nothing(session, live));
    snprintf(text, sizeof text, "%s%s%s", session->check.memory ? "memory" : "",
             session->check.api ? ",api" : "", session->check.uninitialized ? ",uninitialized" : "");
    setenv("REFCL_CHECK", text, 1);
    set_or_unset("REFCL_PROGRESS_PAGE", session->report.quiet ? NULL : session_progress_page());
    set_or_unset("REFCL_TRACE_LAUNCHES", session->command.launches);
    if (session->execution.seed) {
        setenv("REFCL_SEED", session->execution.seed, 1);
        setenv("REFCL_QUEUE_SEED", session->execution.seed, 0);
    }
    if (session->execution.schedule)
        setenv("REFCL_SCHEDULE", session->execution.schedule, 1);
    if (session->execution.memory_mode)
        setenv("REFCL_MEMORY", session->execution.memory_mode, 1);
    setenv("REFCL_MAX_FINDINGS", "4294967295", 0); /* no finding ends a launch that can continue */
    /* counting instructions takes time */
    if (session->execution.step_limit || !checks_nothing(session, live))
        setenv("REFCL_STEP_LIMIT",
               session->execution.step_limit ? session->execution.step_limit : DEFAULT_STEP_LIMIT, 1);
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

static void limit_time(unsigned seconds)
{
    struct rlimit time = {.rlim_cur = seconds, .rlim_max = seconds + 1}, core = {0};
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &core);
}

static void be_silent(void)
{
    int null_device = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; null_device >= 0 && fd <= STDERR_FILENO; fd++)
        dup2(null_device, fd);
}

static int run_program(const struct session_processes *processes)
{
    const struct session_program *program = processes->session->program;
    int trace = mm_socket_connect(processes->name);
    int status = trace < 0 ? tool_error(EXIT_TOOL, "no socket for a trace: %s", strerror(errno))
                           : program->run(program->context, trace);
    fflush(NULL);
    return status;
}

/* Starts ARGV with PROCESSES listening for its trace. */
static void start_command(const struct session_processes *processes, char **argv, struct supervised *child)
{
    char library[PATH_MAX], preload[PATH_MAX];
    int status[2]; /* pipe on which the child reports a failed exec; a successful exec closes it */
    bool on_driver = processes->session->on_driver;
    if ((on_driver ? tool_find_layer(library) : tool_find_library(library)) || tool_find_preload(preload))
        return;
    if (pipe2(status, O_CLOEXEC)) {
        tool_error(EXIT_TOOL, "pipe: %s", strerror(errno));
        return;
    }
    session_progress_page(); /* before the fork, so that both processes share the page */
    if (supervised_fork(child) == 0) {
        session_input_signals_off();
        set_environment(processes->session, library, processes->name);
        set_source_path(argv);
        if (!processes->session->command.own_host)
            set_preload(preload, processes->executed_name);
        if (processes->session->command.silent)
            be_silent();
        if (processes->session->command.cpu_seconds)
            limit_time(processes->session->command.cpu_seconds);
        if (processes->session->program) {
            close(status[1]);
            _exit(run_program(processes));
        }
        execvp(argv[0], argv);
        int error = errno;
        ssize_t ignored = write(status[1], &error, sizeof error);
        (void)ignored;
        _exit(127);
    }
    close(status[1]);
    int error = 0;
    if (child->pid < 0 || read(status[0], &error, sizeof error) == sizeof error) {
        tool_error(EXIT_USAGE, "cannot run '%s': %s", argv[0], strerror(child->pid < 0 ? errno : error));
        if (child->pid > 0)
            supervised_wait(child);
        child->pid = -1;
    }
    close(status[0]);
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

static int save_source(const char *folder, const char *file, const char *text)
{
    char path[PATH_MAX];
    struct stat original, saved;
    const char *slash = strrchr(file, '/');
    snprintf(path, sizeof path, "%s/%s", folder, slash ? slash + 1 : file);
    if (stat(file, &original) == 0 && stat(path, &saved) == 0 && original.st_dev == saved.st_dev &&
        original.st_ino == saved.st_ino)
        return 0; /* FOLDER holds the original: copying would truncate it */
    return tool_write_file(path, text, strlen(text));
}

/* Saves the program text that findings are in, under the names that reports use. */
static int save_sources(const char *folder, const struct ck_detector *detector)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return tool_error(EXIT_TOOL, "cannot make '%s': %s", folder, strerror(errno));
    int code = 0;
    for (size_t i = 0; i < ck_detector_finding_count(detector); i++) {
        const struct ck_finding *f = ck_detector_finding(detector, i);
        for (size_t k = 0; k < f->access_count && !code; k++) {
            const char *file = f->accesses[k].source.file;
            const char *text =
                file && *file ? ck_detector_text(f->detector ? f->detector : detector, file) : NULL;
            code = text ? save_source(folder, file, text) : 0;
        }
    }
    return code;
}

static int report_findings(const struct session *session, const struct ck_detector *detector, int child,
                           struct ck_report_options *options)
{
    bool none = ck_detector_finding_count(detector) == 0;
    bool known = options->observation == CK_OBSERVED && ck_detector_status(detector, NULL) == MM_OK;
    /* the run of the next seed may be reported instead */
    bool next = session->execution.has_seeds && child == EXIT_CLEAN;
    if (none && next && session->execution.more_seeds)
        return 0;
    options->color = isatty(STDERR_FILENO) == 1;
    if (!session->report.quiet && !(none && ((next && known) || child == EXIT_USAGE)))
        ck_report_text(detector, options, stderr);
    options->color = false;
    if (session->report.sources && save_sources(session->report.sources, detector))
        return EXIT_TOOL;
    const struct {
        report_function *function;
        const char *name;
    } reports[] = {{ck_report_json, session->report.json},
                   {ck_report_sarif, session->report.sarif},
                   {ck_report_junit, session->report.junit}};
    int code = 0;
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) { /* each, even if another fails */
        int written = write_report(reports[i].function, detector, options, reports[i].name);
        code = code ? code : written;
    }
    return code;
}

/* Returns the exit code that corresponds to the program's exit status. */
static int wait_for(const struct session *session, struct supervised *child, struct ck_ending *ending)
{
    int status = supervised_wait(child);
    session_input_signals(0); /* the process id may be reused from here on */
    ending->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ending->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (session->command.input_status && ending->status == session->command.input_status)
        return EXIT_USAGE;
    if (session->command.input_status && ending->status == EXIT_TOOL)
        return EXIT_TOOL;
    return status ? EXIT_FINDINGS : EXIT_CLEAN;
}

static int session_verdict(const struct session *session, const struct ck_detector *detector,
                           enum ck_observation observation, int child)
{
    struct mm_error err = {0};
    if (ck_detector_fault_count(detector))
        return EXIT_FINDINGS;
    if (child)
        return child;
    enum mm_class status = ck_detector_status(detector, &err);
    if (status == MM_LIMIT && !session->report.quiet)
        return EXIT_UNKNOWN; /* the text report names the limit */
    if (status != MM_OK)
        return tool_report(&err);
    return observation == CK_OBSERVED ? EXIT_CLEAN : EXIT_UNKNOWN;
}

char *session_read_text(const char *path)
{
    struct mm_error err = {0};
    char *text;
    size_t size;
    if (mm_input_read(MM_INPUT_SOURCE, path, &text, &size, &err) != MM_OK)
        tool_report(&err);
    return text;
}

/* One detector with the findings of all processes. */
static struct ck_detector *merge_detectors(struct session_processes *processes)
{
    struct session_process *first = processes->first;
    for (struct session_process *p = first->next ? first : NULL; p; p = p->next)
        if (!ck_detector_merge(first->detector, p->detector, (uint32_t)p->pid))
            return NULL;
    return first->detector;
}

static void find_advice(const struct session *session, struct ck_detector *detector, char **argv)
{
    session_mark_uniform(session, detector, argv);
    if (session->explain)
        session->explain(session->explain_context, session, detector, argv);
    session_try_barriers(session, detector, argv);
}

/* Names the parts of the program that were not checked on a driver. */
static void name_not_checked(const struct session_processes *processes, char *text, size_t size)
{
    *text = 0;
    for (const struct session_process *p = processes->first; p; p = p->next)
        if (*p->not_checked && !strstr(text, p->not_checked))
            snprintf(text + strlen(text), size - strlen(text), "%s%s", *text ? ", " : "", p->not_checked);
    if (!processes->first->has_host)
        snprintf(text + strlen(text), size - strlen(text),
                 "%saccesses of the host, which is not built with the flags of refcl host-cc",
                 *text ? ", " : "");
}

/* Whether host accesses of some process are recorded. */
static bool has_host(const struct session_processes *processes)
{
    bool any = false;
    for (const struct session_process *p = processes->first; p; p = p->next)
        any |= p->has_host;
    return any;
}

/* What reports say that was checked, and was not. */
struct check_texts {
    char checked[120], not_checked[4096];
};

static void name_checks(const struct session_processes *processes, struct check_texts *texts,
                        struct ck_report_options *options)
{
    const struct session *session = processes->session;
    char *not_checked = texts->not_checked;
    size_t size = sizeof texts->not_checked;
    options->checked = texts->checked;
    options->not_checked = not_checked;
    if (session->on_driver) {
        snprintf(texts->checked, sizeof texts->checked, "commands against one another%s%s%s%s",
                 processes->first->has_host ? ", accesses of the host" : "",
                 session->check.api ? ", api" : "",
                 session->check.possible ? ", also what launches may touch" : "",
                 session->check.needless ? ", needless waits" : "");
        name_not_checked(processes, not_checked, size);
    } else {
        check_names(session, true, texts->checked, sizeof texts->checked);
        check_names(session, false, not_checked, size);
        options->more_checks = strlen(not_checked);
        if (session->check.races && !session->command.own_host && !session->program)
            snprintf(not_checked + options->more_checks, size - options->more_checks,
                     "%saccesses of the host%s", *not_checked ? ", " : "",
                     has_host(processes) ? " outside of SVM (--on-driver)" : " (refcl host-cc)");
    }
    session_processes_add_executed(processes, not_checked, size);
}

/* Reports errors in reading the traces; returns CODE, or the first error's exit code. */
static int report_errors(const struct session_processes *processes, int code)
{
    for (const struct session_process *p = processes->first; p; p = p->next) {
        if (p->error.cls == MM_INVALID || (p->error.cls && p->code))
            tool_report(&p->error);
        code = code ? code : p->code;
    }
    return code;
}

/* Waits for CHILD and reports.  CODE: the exit code of an error before. */
static int finish_session(struct session_processes *processes, char **argv, struct supervised *child,
                          int code)
{
    const struct session *session = processes->session;
    struct check_texts texts;
    char program[280];
    const char *quote = session->command.own_host ? "" : "'";
    snprintf(program, sizeof program, "%s%.270s%s", quote, session->command.own_host ? "the launch" : argv[0],
             quote);
    struct ck_report_options options = {.command_line = session->command.line,
                                        .ending = {.program = program},
                                        .observation = session_processes_observed(processes),
                                        .model = processes->first->model};
    name_checks(processes, &texts, &options);
    int status = wait_for(session, child, &options.ending), own = options.ending.status;
    if (session->program)
        options.ending.status = 0; /* only session->program->judge() interprets it */
    if (!status && session->reject && !session_input_interrupted() &&
        session->reject(session->reject_context, processes->first->detector))
        return SESSION_REJECTED;
    code = report_errors(processes, code);
    session_processes_report(processes);
    struct ck_detector *detector = merge_detectors(processes);
    if (!detector)
        return tool_error(EXIT_TOOL, "out of memory");
    /* otherwise a repeated launch may not end */
    bool ended = !options.ending.signal && !session_input_interrupted();
    if (ended && !session->execution.has_seeds && !session->program && !session->on_driver)
        find_advice(session, detector, argv);
    ck_detector_filter(detector, !session->check.ignore_uniform);
    int reported = report_findings(session, detector, status, &options);
    int page = session->report.html ? session_html(detector, processes, &options, session->report.html) : 0;
    code = code ? code : reported ? reported : page;
    if (code)
        return code;
    if (session_input_interrupted())
        return EXIT_INTERRUPTED;
    if (session->program && !options.ending.signal)
        code = session->program->judge(session->program->context, detector, own);
    else
        code = session_verdict(session, detector, options.observation, status);
    return !code && options.observation == CK_OBSERVED_NOT_ALL ? EXIT_UNKNOWN : code;
}

bool session_is_weak(const struct session *session)
{
    for (const char *at = session->execution.memory_mode; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == 4 && memcmp(at, "weak", 4) == 0)
            return true;
    return false;
}

int session_execute(struct session_processes *processes, const struct session *session, const char *patterns,
                    char **argv, struct supervised *child)
{
    int code = session_processes_open(processes, session, patterns);
    *child = (struct supervised){.pid = -1};
    if (!code)
        session_input_signals(0);
    if (!code)
        start_command(processes, argv, child);
    if (child->pid < 0)
        return code ? code : EXIT_USAGE;
    session_input_signals(child->pid); /* Ctrl-C ends the program, this process reports */
    return session_processes_follow(processes, child);
}

static int run_once(const struct session *given, char **argv)
{
    struct session copy = *given, *session = &copy;
    struct session_processes processes;
    struct supervised child;
    char *patterns = NULL, folder[PATH_MAX] = "";
    size_t size;
    struct mm_error err = {0};
    if (session->filter.suppress &&
        mm_input_read(MM_INPUT_LINES, session->filter.suppress, &patterns, &size, &err) != MM_OK)
        return tool_report(&err);
    if (session->check.races && !session->command.own_host && !session->execution.has_seeds &&
        !session->on_driver && tool_make_folder(folder, sizeof folder) == 0)
        copy.command.launches = folder;
    int code = session_execute(&processes, session, patterns, argv, &child);
    if (child.pid >= 0)
        code = finish_session(&processes, argv, &child, code);
    session_input_signals_off();
    session_processes_close(&processes);
    if (*folder)
        tool_remove_folder(folder);
    mm_free(patterns);
    return code;
}

/* Prints the options that repeat the run. */
static void print_seed(const struct session *session)
{
    if (!session->report.quiet && !session->program &&
        (session->execution.has_seeds || session_is_weak(session)))
        fprintf(stderr, "refcl: note: the same again: %s%s--seed %s\n",
                session_is_weak(session) ? "--memory weak " : "",
                session->execution.schedule ? "with this --schedule, " : "", session->execution.seed);
}

static int run_seed(struct session *session, char **argv, uint64_t number, bool more)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    session->execution.seed = text;
    session->execution.more_seeds = more;
    int code = run_once(session, argv);
    if (code == EXIT_FINDINGS)
        print_seed(session);
    return code;
}

/* Runs all seeds and reports one run: the first with findings, else the first with unknown verdict, else the
 * last. */
static int run_seeds(struct session *session, char **argv)
{
    uint64_t unknown = UINT64_MAX;
    for (uint64_t n = session->execution.first_seed; n <= session->execution.last_seed; n++) {
        int code = run_seed(session, argv, n, n < session->execution.last_seed || unknown != UINT64_MAX);
        if (code != EXIT_CLEAN && code != EXIT_UNKNOWN)
            return code;
        if (code == EXIT_UNKNOWN && unknown == UINT64_MAX)
            unknown = n;
    }
    if (!session->report.quiet && unknown == UINT64_MAX)
        fprintf(stderr, "refcl: no findings with the seeds %llu to %llu\n",
                (unsigned long long)session->execution.first_seed,
                (unsigned long long)session->execution.last_seed);
    if (unknown == UINT64_MAX)
        return EXIT_CLEAN;
    return unknown == session->execution.last_seed ? EXIT_UNKNOWN : run_seed(session, argv, unknown, false);
}

int session_run(const struct session *session, char **argv)
{
    struct session copy = *session;
    if ((copy.check.possible || copy.check.needless) && !copy.on_driver)
        return tool_error(EXIT_USAGE, "--check %s needs --on-driver",
                          copy.check.possible ? "possible" : "needless");
    if (copy.execution.has_seeds)
        return run_seeds(&copy, argv);
    if (session_is_weak(&copy) && !copy.execution.seed)
        copy.execution.seed = "1";
    int code = run_once(&copy, argv);
    if (code == EXIT_FINDINGS && copy.execution.seed)
        print_seed(&copy);
    return code;
}
