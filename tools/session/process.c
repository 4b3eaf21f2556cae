/* The processes of a session. */
#include "tools/session/process.h"
#include "interp/replay/expand.h"
#include "memmodel/base/escape.h"
#include "tools/footprint/footprint.h"
#include "tools/hints/hints.h"
#include "tools/output.h"
#include "tools/session/recorder.h"
#include "tools/session/reexecute.h"
#include "tools/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* ---- the trace ------------------------------------------------------------------------------- */

static void lock_tee(const struct session_tee *tee)
{
    if (tee->recorder)
        pthread_mutex_lock(tee->lock);
}

static void unlock_tee(const struct session_tee *tee)
{
    if (tee->recorder)
        pthread_mutex_unlock(tee->lock);
}

/* Stops a sink that reached a limit; reading ends once all sinks are stopped, or at any other failure. */
static enum mm_class tee_outcome(struct session_tee *tee, size_t sink, enum mm_class cls, enum mm_class worst)
{
    if (cls != MM_LIMIT)
        return cls ? cls : worst;
    tee->stopped[sink] = true;
    for (size_t i = 0; i < tee->count; i++)
        if (!tee->stopped[i])
            return worst;
    return MM_LIMIT;
}

static enum mm_class tee_record(void *context, const struct mm_record *given)
{
    struct session_process *p = context;
    struct session_tee *tee = &p->tee;
    enum mm_class worst = MM_OK;
    struct mm_record copy = *given, text, *record = &copy;
    bool found =
        tee->count > 1 && given->type == MM_RECORD_SOURCE && session_places_find(&p->places, &copy, &text);
    session_survey_record(&p->survey, record);
    lock_tee(tee);
    for (size_t i = 0; found && text.type && i < tee->count; i++)
        if (!tee->stopped[i])
            tee->sinks[i].record(tee->sinks[i].context, &text);
    for (size_t i = 0; i < tee->count; i++)
        if (!tee->stopped[i]) {
            enum mm_class c = tee->sinks[i].record(tee->sinks[i].context, record);
            worst = tee_outcome(tee, i, c, worst);
        }
    unlock_tee(tee);
    return worst;
}

static enum mm_class tee_events(void *context, const struct mm_event *events, size_t count)
{
    struct session_process *p = context;
    struct session_tee *tee = &p->tee;
    enum mm_class worst = MM_OK;
    session_survey_events(&p->survey, events, count);
    if (p->survey.next > SESSION_VERIFY_EVENTS)
        session_input_drop_copy(&p->input);
    lock_tee(tee);
    for (size_t i = 0; i < tee->count; i++)
        if (!tee->stopped[i])
            worst = tee_outcome(tee, i, mm_sink_events(&tee->sinks[i], events, count), worst);
    unlock_tee(tee);
    return worst;
}

static enum mm_class tee_row(void *context, const struct mm_event *first, uint32_t count)
{
    struct session_process *p = context;
    struct session_tee *tee = &p->tee;
    enum mm_class worst = MM_OK;
    session_survey_row(&p->survey, first, count);
    lock_tee(tee);
    for (size_t i = 0; i < tee->count; i++)
        if (!tee->stopped[i])
            worst = tee_outcome(tee, i, mm_sink_row(&tee->sinks[i], first, count), worst);
    unlock_tee(tee);
    return worst;
}

static void tee_close(struct session_tee *tee)
{
    lock_tee(tee);
    if (tee->recorder)
        session_recorder_end(tee->recorder, tee->complete);
    unlock_tee(tee);
    for (size_t i = 0; i < tee->count; i++)
        if (tee->sinks[i].close)
            tee->sinks[i].close(tee->sinks[i].context);
}

static void note_trace_error(void *context, int error)
{
    ((struct session_tee *)context)->trace_error = error;
}

/* The first process writes to FILE itself, the others to FILE.2, FILE.3, ... */
static int open_trace(struct session_tee *tee, const char *path, size_t number)
{
    struct mm_error err = {0};
    char name[PATH_MAX];
    snprintf(name, sizeof name, number > 1 ? "%s.%zu" : "%s", path, number);
    int fd = output_open(name);
    if (fd < 0)
        return output_error(name);
    struct mm_trace_failure failure = {.function = note_trace_error, .context = tee};
    if (mm_trace_writer(fd, 0, &failure, &tee->sinks[tee->count], &err) != MM_OK)
        return tool_error(EXIT_TOOL, "'%s': %s", name, err.message);
    tee->count++;
    return 0;
}

/* ---- detectors ------------------------------------------------------------------------------- */

static struct ck_detector *create_detector(struct session_process *p, bool least_order, struct mm_error *err)
{
    const struct session *session = p->all->session;
    struct ck_detector_options options = {.races = session->check.races,
                                          .memory = true,
                                          .uninitialized = session->check.uninitialized,
                                          .weak = session_is_weak(session),
                                          .max_findings = session->report.max_findings,
                                          .least_order = least_order,
                                          .only = session->filter.only,
                                          .kernels = session->filter.kernels,
                                          .first_launch = session->filter.first_launch,
                                          .last_launch = session->filter.last_launch,
                                          .locate = session_places_locate,
                                          .locate_context = &p->places};
    struct ck_detector *detector = ck_detector_create(&options);
    if (!detector)
        mm_out_of_memory(err);
    if (detector && p->all->patterns &&
        ck_detector_suppress(detector, p->all->patterns, session->filter.suppress, err) != MM_OK) {
        ck_detector_destroy(detector);
        detector = NULL;
    }
    return detector;
}

/* If unrecorded launches matter to the verdict, judges the trace again with their accesses, which
 * re-execution provides if the trace has the records for it. */
static void judge_reexecuted(struct session_process *p)
{
    struct mm_error limit = {0};
    struct mm_sink sink;
    ck_detector_status(p->detector, &limit);
    bool can = strcmp(limit.rule, "checker.replayed") == 0 && p->input.copy >= 0;
    struct ck_detector *again = can ? create_detector(p, false, &limit) : NULL;
    if (!again)
        return;
    ck_detector_sink(again, &sink);
    bool known = session_reexecute(p->input.copy, &sink) == MM_OK;
    ck_detector_destroy(known ? p->detector : again);
    if (known) {
        p->detector = again;
        p->read = in_expand_trace;
        const struct session_trace trace = session_process_trace(p);
        session_survey_trace(&p->survey, &trace);
    }
}

/* The races that only one reading of the specification excludes make the verdict "unknown": if there are
 * ambiguous edges, judges the trace again without them. */
static void judge_least_order(struct session_process *p)
{
    const struct session_trace trace = session_process_trace(p);
    struct mm_error limit = {0}, unknown = {0};
    struct mm_sink sink;
    struct ck_detector *again = NULL;
    if (!p->survey.ambiguous || !p->all->session->check.races)
        return;
    if (trace.fd >= 0)
        again = create_detector(p, true, &limit);
    bool complete, known = again != NULL, races = false;
    if (known) {
        ck_detector_sink(again, &sink);
        known =
            session_trace_read(&trace, &sink, &complete) == MM_OK && ck_detector_status(again, NULL) == MM_OK;
    }
    for (size_t i = 0; known && i < ck_detector_finding_count(again); i++) {
        const struct ck_finding *f = ck_detector_finding(again, i);
        races |= f->access_count == 2 && !ck_detector_race(p->detector, f);
    }
    if (!known || races) {
        mm_fail(
            &unknown, MM_LIMIT, "checker.ambiguous",
            "a command buffer of several queues ran: accesses %s unless in-order queues order it or its barriers "
            "order commands of other queues, which the specification both states and denies; wait for its "
            "event and for sync-points [CL 5.17 R101] [CL 5.17 R105]",
            known ? "race" : "may race");
        ck_detector_unknown(p->detector, &unknown);
    }
    if (again)
        ck_detector_destroy(again);
}

/* Judges the trace again with all memory that launches may access: races found only then are possible
 * races. */
static void add_possible(struct session_process *p)
{
    struct mm_error limit = {0};
    struct mm_sink sink;
    bool read = p->input.copy >= 0 && lseek(p->input.copy, 0, SEEK_SET) == 0;
    p->possible = read ? create_detector(p, false, &limit) : NULL;
    if (p->possible) {
        ck_detector_sink(p->possible, &sink);
        read = footprint_read_possible(p->input.copy, &sink, NULL) &&
               ck_detector_status(p->possible, NULL) == MM_OK &&
               ck_detector_add_possible(p->detector, p->possible);
        ck_detector_finish(p->possible);
    }
    if ((!p->possible || !read) && !*p->not_checked)
        snprintf(p->not_checked, sizeof p->not_checked, "all that launches may touch");
}

/* Adds findings about needless waits; they require a complete copy of the trace. */
static void add_needless(struct session_process *p)
{
    bool kept = p->input.copy >= 0 && p->tee.complete;
    const char *why = kept ? hints_add(p->detector, p->input.copy) : "the trace is too long or incomplete";
    if (why && !p->all->session->report.quiet)
        mm_print(stderr, "refcl: note: needless waits of process %ld are not known: %s\n", (long)p->pid, why);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void retire_event(void *context, mm_event_id id)
{
    ck_detector_retire(((struct session_process *)context)->detector, id);
}

/* Reads the whole trace; keeps it flowing even if the detector gave up, so that the program can end. */
static void consume_trace(struct session_process *p)
{
    struct mm_sink tee = {.context = p,
                          .record = tee_record,
                          .events = tee_events,
                          .retire = retire_event,
                          .row = tee_row},
                   sink = tee;
    struct footprint *footprint = p->all->session->on_driver ? footprint_create(&tee, false) : NULL;
    if (footprint)
        footprint_sink(footprint, &sink);
    enum mm_class c =
        mm_trace_read_from(session_input_read, &p->input, "trace", &sink, &p->tee.complete, &p->error);
    if (footprint)
        snprintf(p->not_checked, sizeof p->not_checked, "%s", footprint_not_checked(footprint));
    p->has_host = p->survey.has_host || (footprint && footprint_has_host(footprint));
    footprint_destroy(footprint);
    char rest[4096];
    while (session_input_read(&p->input, rest, sizeof rest) > 0)
        ;
    if (c == MM_OK && !p->tee.complete && !p->all->session->command.again)
        mm_print(stderr,
                 "refcl: note: the trace of process %ld is truncated; its intact prefix is reported\n",
                 (long)p->pid);
    p->code = c == MM_OK || c == MM_LIMIT ? 0 : EXIT_TOOL;
}

struct session_trace session_process_trace(struct session_process *p)
{
    return (struct session_trace){.fd = p->input.copy, .read = p->read, .places = &p->places};
}

static void *process_main(void *context)
{
    struct session_process *p = context;
    consume_trace(p);
    session_input_close(&p->input);
    tee_close(&p->tee);
    if (p->tee.trace_error && !p->code)
        p->code =
            tool_error(EXIT_TOOL, "the trace '%s' of process %ld is incomplete, as writing it failed: %s",
                       p->all->session->report.trace, (long)p->pid, strerror(p->tee.trace_error));
    session_progress_end(p->progress);
    p->progress = NULL;
    judge_reexecuted(p);
    judge_least_order(p);
    if (p->predictor)
        ck_predictor_finish(p->predictor, p->detector);
    if (ck_detector_finding_count(p->detector) && !p->all->session->command.again) {
        const struct session_trace trace = session_process_trace(p);
        session_verify(p->detector, &trace);
        session_revisions(p->detector, &trace, &p->survey);
    }
    if (p->all->session->check.possible)
        add_possible(p);
    if (p->all->session->check.needless)
        add_needless(p);
    ck_detector_finish(p->detector);
    if (!ck_detector_finding_count(p->detector))
        session_input_drop_copy(&p->input);
    atomic_store(&p->done, true);
    ssize_t ignored = write(p->wake, "", 1);
    (void)ignored;
    return NULL;
}

/* ---- prediction ------------------------------------------------------------------------------ */

static int open_predictor(struct session_process *p, const struct session *session)
{
    char path[PATH_MAX];
    struct mm_error err = {0};
    int code = session->check.predict ? tool_find_model("opencl.cat", path) : 0;
    if (code)
        return code;
    if (session->check.predict && mm_cat_load(path, NULL, &p->model, &err) != MM_OK)
        return tool_report(&err);
    p->predictor = ck_predictor_create(p->model, &(struct ck_predict_options){0});
    if (!p->predictor)
        return tool_error(EXIT_TOOL, "out of memory");
    for (size_t i = 0; i < session->assertion_count; i++)
        if (ck_predictor_assert(p->predictor, session->assertions[i], &err) != MM_OK)
            return tool_report(&err);
    ck_predictor_sink(p->predictor, &p->tee.sinks[p->tee.count++]);
    return 0;
}

enum ck_observation session_processes_observed(const struct session_processes *processes)
{
    enum ck_observation seen = CK_OBSERVED_NOTHING;
    for (const struct session_process *p = processes->first; p; p = p->next)
        if (p->has_thread && !p->tee.complete)
            return CK_OBSERVED_IN_PART;
        else if (p->has_thread)
            seen = *p->not_checked ? CK_OBSERVED_NOT_ALL : seen == CK_OBSERVED_NOTHING ? CK_OBSERVED : seen;
    return seen == CK_OBSERVED && processes->executed.hides ? CK_OBSERVED_NOT_ALL : seen;
}

/* A static program may have loaded refcl itself. */
static bool is_observed(const struct session_processes *processes, pid_t pid)
{
    for (const struct session_process *p = processes->first; p; p = p->next)
        if (p->has_thread && p->pid == pid)
            return true;
    return false;
}

void session_processes_add_executed(const struct session_processes *processes, char *text, size_t size)
{
    const struct executed *e = &processes->executed;
    size_t used = strlen(text);
    for (size_t i = 0; i < e->count && i < EXECUTED_MOST && used < size; i++)
        if (!is_observed(processes, e->list[i].process))
            used += (size_t)snprintf(
                text + used, size - used, "%snothing observed of process %ld of the %s program '%s'",
                used ? ", " : "", (long)e->list[i].process, e->list[i].why, e->list[i].path);
    if (e->count > EXECUTED_MOST && used < size)
        snprintf(text + used, size - used, ", nothing observed of %zu more such processes",
                 e->count - EXECUTED_MOST);
}

void session_processes_report(const struct session_processes *processes)
{
    size_t questions = 0, unknown = 0;
    for (const struct session_process *p = processes->first; p; p = p->next) {
        size_t q = 0, u = 0;
        if (p->predictor)
            ck_predictor_count(p->predictor, &q, &u);
        questions += q;
        unknown += u;
    }
    if (processes->session->check.predict && !processes->session->report.quiet)
        mm_print(stderr, "refcl: note: %zu questions about other executions, %zu stayed open\n", questions,
                 unknown);
}

/* ---- processes ------------------------------------------------------------------------------- */

static int prepare_process(struct session_processes *all, struct session_process *p)
{
    const struct session *session = all->session;
    struct mm_error err = {0};
    int code = 0;
    p->all = all;
    p->read = session->on_driver ? footprint_read : mm_trace_read;
    p->places.hidden = session->command.own_host;
    if (!(p->detector = create_detector(p, false, &err)))
        return tool_report(&err);
    ck_detector_sink(p->detector, &p->tee.sinks[p->tee.count++]);
    if (!session->report.quiet && all->count == 1)
        p->progress = session_progress_create();
    if (p->progress) {
        session_progress_sink(p->progress, &p->tee.sinks[p->tee.count++]);
        p->input.idle = session_progress_idle;
        p->input.idle_context = p->progress;
    }
    if (session->check.predict || session->assertion_count)
        code = open_predictor(p, session);
    if (!code && session->report.trace)
        code = open_trace(&p->tee, session->report.trace, all->count);
    if (!code && session->recorder &&
        !(code = session_recorder_open(session->recorder, &p->tee.sinks[p->tee.count])))
        p->tee.recorder = &p->tee.sinks[p->tee.count++];
    return code;
}

static struct session_process *new_process(struct session_processes *all, int *code)
{
    struct session_process *p = mm_alloc_zero(1, sizeof *p);
    if (!p) {
        *code = tool_error(EXIT_TOOL, "out of memory");
        return NULL;
    }
    all->count++;
    p->wake = all->wake[1];
    p->tee.lock = &all->lock;
    p->input = (struct session_input){
        .fd = -1, .ended = &all->ended, .copy = session_verify_file(), .copy_limit = SESSION_VERIFY_BYTES};
    atomic_store(&p->done, true);
    *all->end = p;
    all->end = &p->next;
    p->code = *code = prepare_process(all, p);
    return p;
}

static int add_process(struct session_processes *all, int fd, pid_t pid)
{
    int code = 0;
    struct session_process *p = all->first->has_thread ? new_process(all, &code) : all->first;
    if (!p || p->code) {
        close(fd);
        return code;
    }
    p->pid = pid;
    p->input.fd = fd;
    atomic_store(&p->done, false);
    p->has_thread = pthread_create(&p->thread, NULL, process_main, p) == 0;
    if (p->has_thread)
        return 0;
    close(fd);
    atomic_store(&p->done, true);
    return p->code = tool_error(EXIT_TOOL, "no thread to read a trace");
}

/* Accepts all pending connections; those of processes of other users are rejected. */
static int accept_connections(struct session_processes *all)
{
    int code = 0, fd;
    while ((fd = accept4(all->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        struct ucred peer = {0};
        socklen_t size = sizeof peer;
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != geteuid()) {
            close(fd);
            continue;
        }
        int c = add_process(all, fd, peer.pid);
        code = c ? c : code;
    }
    return code;
}

static bool all_done(const struct session_processes *all)
{
    for (const struct session_process *p = all->first; p; p = p->next)
        if (!atomic_load(&p->done))
            return false;
    return true;
}

int session_processes_follow(struct session_processes *all, const struct supervised *child)
{
    int code = 0;
    for (;;) {
        bool ended = supervised_has_ended(child);
        atomic_store(&all->ended, ended);
        bool over = ended && all_done(all);
        if (!ended && session_input_kill_late())
            mm_print(
                stderr,
                "refcl: note: the program did not end within %d s of the signal that refcl passed on; it is killed\n",
                SESSION_GRACE_SECONDS);
        executed_receive(&all->executed);
        int c = accept_connections(all);
        code = c ? c : code;
        if (over && all_done(all))
            break;
        struct pollfd wait[] = {{.fd = all->listener, .events = POLLIN},
                                {.fd = all->wake[0], .events = POLLIN},
                                {.fd = ended ? -1 : child->link, .events = POLLIN},
                                {.fd = all->executed.socket, .events = POLLIN}};
        poll(wait, 4, 250);
        char seen[64];
        while (read(all->wake[0], seen, sizeof seen) > 0)
            ;
    }
    for (struct session_process *p = all->first; p; p = p->next)
        if (p->has_thread)
            pthread_join(p->thread, NULL);
        else
            tee_close(&p->tee);
    return code;
}

/* ---- the socket ------------------------------------------------------------------------------ */

int session_processes_open(struct session_processes *all, const struct session *session, const char *patterns)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timespec now;
    *all = (struct session_processes){
        .session = session, .patterns = patterns, .listener = -1, .wake = {-1, -1}, .executed.socket = -1};
    all->end = &all->first;
    pthread_mutex_init(&all->lock, NULL);
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(all->name, sizeof all->name, "refcl-%ld-%lx%lx", (long)getpid(), (unsigned long)now.tv_sec,
             (unsigned long)now.tv_nsec);
    snprintf(all->executed_name, sizeof all->executed_name, "%s.executed", all->name);
    memcpy(address.sun_path + 1, all->name, strlen(all->name));
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(all->name));
    all->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (all->listener < 0 || pipe2(all->wake, O_CLOEXEC | O_NONBLOCK) ||
        bind(all->listener, (struct sockaddr *)&address, size) || listen(all->listener, 128) ||
        !executed_open(&all->executed, all->executed_name))
        return tool_error(EXIT_TOOL, "a socket for traces: %s", strerror(errno));
    int code = 0;
    new_process(all, &code);
    return code;
}

void session_processes_close(struct session_processes *all)
{
    while (all->first) {
        struct session_process *p = all->first;
        all->first = p->next;
        session_progress_end(p->progress);
        ck_predictor_destroy(p->predictor);
        mm_cat_destroy(p->model);
        ck_detector_destroy(p->detector);
        ck_detector_destroy(p->possible);
        session_survey_clear(&p->survey);
        session_places_clear(&p->places);
        session_input_drop_copy(&p->input);
        mm_free(p);
    }
    const int descriptors[] = {all->listener, all->wake[0], all->wake[1]};
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
    executed_close(&all->executed);
    pthread_mutex_destroy(&all->lock);
}
