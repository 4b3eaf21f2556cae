/* The child process that runs the tests; its parent reads its messages and handles its crashes and hangs. */
#include "campaign.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Interval of the checks for an interruption of the campaign. */
enum { LOOK_SECONDS = 1 };

void lt_report(FILE *report, unsigned test, const char *event, const char *reason, cJSON *extra)
{
    cJSON *json = extra ? extra : cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "test", test);
    cJSON_AddStringToObject(json, "event", event);
    if (reason)
        cJSON_AddStringToObject(json, "reason", reason);
    char *text = cJSON_PrintUnformatted(json);
    if (text)
        fprintf(report, "%s\n", text);
    fflush(report);
    free(text);
    cJSON_Delete(json);
}

/* The deadline of test I: each test gets an equal part of the remaining time.  0: no budget, -1: spent. */
static double deadline_of(const struct lt_campaign_state *c, unsigned i)
{
    unsigned left = 0;
    for (; i < c->count; i++)
        left += c->records[i].selected && !c->records[i].finished;
    if (c->options->amount.budget_s <= 0 || !left)
        return 0;
    double time = lt_seconds(), end = c->start + c->options->amount.budget_s;
    return time >= end ? -1 : time + (end - time) / left;
}

/* Tests that are built with test FROM: itself and the next ones. */
static void choose_next(const struct lt_campaign_state *c, unsigned from, struct lt_job *job)
{
    unsigned most = c->alone ? 1 : LT_PROGRAM_TESTS;
    for (unsigned i = from; i < c->count && job->next_count < most; i++)
        if (c->records[i].selected && !c->records[i].finished)
            job->next[job->next_count++] = i;
}

/* The device as the results name it: settings of the driver that it does not report are part of its
 * version. */
static cJSON *describe_device(const struct lt_campaign_state *c, const struct lt_device *device)
{
    cJSON *json = c->backend->describe(device);
    char driver[512];
    if (c->options->device.variant) {
        snprintf(driver, sizeof driver, "%s, %s", device->driver, c->options->device.variant);
        lt_shown(driver);
        cJSON_ReplaceItemInObject(json, "driver", cJSON_CreateString(driver));
    }
    return json;
}

static void child_main(const struct lt_campaign_state *c, FILE *report)
{
    struct lt_device device;
    struct lt_programs programs = {0};
    const char *reason = c->backend->open(&device, c->options);
    device.backend = c->backend;
    if (reason) {
        lt_report(report, 0, "no-device", reason, NULL);
        return;
    }
    struct lt_tuning tuning;
    bool tuned = lt_tuning_load(&tuning, &device, c->options, &reason);
    if (reason) {
        lt_report(report, 0, "no-device", reason, NULL);
        return;
    }
    cJSON *extra = cJSON_CreateObject();
    cJSON_AddItemToObject(extra, "device", describe_device(c, &device));
    lt_report(report, 0, "device", NULL, extra);
    for (unsigned i = 0; i < c->count; i++) {
        const struct lt_record *r = &c->records[i];
        double deadline = deadline_of(c, i);
        if (!r->selected || r->finished)
            continue;
        if (deadline < 0)
            break;
        struct lt_job job = {.options = c->options,
                             .device = &device,
                             .plan = c->plan,
                             .test = r->test,
                             .index = i,
                             .done = r->instances + r->discarded,
                             .batches = r->batches,
                             .seed = c->seed,
                             .deadline = deadline,
                             .report = report,
                             .programs = &programs,
                             .tuning = tuned ? &tuning : NULL,
                             .tests = c->tests};
        choose_next(c, i, &job);
        lt_report(report, i, "start", NULL, NULL);
        lt_run_test(&job);
        if (device.lost) {
            lt_report(report, 0, "lost", NULL, NULL);
            return;
        }
    }
    if (programs.program)
        clReleaseProgram(programs.program);
    c->backend->close(&device);
    lt_report(report, 0, "end", NULL, NULL);
}

/* Ends the campaign; returns false. */
static bool cannot_start(struct lt_campaign_state *c)
{
    char reason[128];
    snprintf(reason, sizeof reason, "no process can be started to run tests: %s", strerror(errno));
    c->broken = true;
    c->broken_reason = strdup(reason);
    return false;
}

bool lt_child_start(struct lt_campaign_state *c)
{
    int fds[2];
    if (pipe(fds) != 0)
        return cannot_start(c);
    fflush(NULL);
    pid_t parent = getpid();
    c->child = fork();
    if (c->child < 0) {
        cannot_start(c);
        close(fds[0]);
        close(fds[1]);
        return false;
    }
    if (c->child == 0) {
        /* The child must die with its parent; the parent may have died before prctl(), which getppid()
         * shows. */
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
            _exit(1);
        lt_signals_ignore();
        close(fds[0]);
        close(c->writer.fd); /* only the parent holds the lock */
        FILE *report = fdopen(fds[1], "w");
        if (report)
            child_main(c, report);
        _exit(report ? 0 : 1);
    }
    close(fds[1]);
    c->pipe = fds[0];
    c->used = 0;
    c->current = -1;
    c->heard = lt_seconds();
    return true;
}

/* ---- listening ------------------------------------------------------------------------------------- */

static void record_finish(struct lt_campaign_state *c, struct lt_record *r, const char *status,
                          const char *reason)
{
    r->status = status;
    r->finished = true;
    if (reason) {
        free(r->reason);
        r->reason = strdup(reason);
    }
    const cJSON *item = cJSON_GetObjectItem(r->test, "name");
    char name[256];
    snprintf(name, sizeof name, "%s", cJSON_IsString(item) ? item->valuestring : "?");
    if (r->reason)
        lt_shown(r->reason);
    if (!c->options->quiet)
        printf("%-32s %-8s %10" PRIu64 " instances %4zu states %12.0f /s%s%s\n", lt_shown(name), status,
               r->instances, r->states.used, r->ms > 0 ? (double)r->instances / r->ms * 1e3 : 0.0,
               r->reason ? "  " : "", r->reason ? r->reason : "");
    fflush(stdout);
}

static void add_batch(struct lt_record *r, const cJSON *message)
{
    const cJSON *ms = cJSON_GetObjectItem(message, "ms"), *states = cJSON_GetObjectItem(message, "states");
    struct lt_histogram batch = {.values = r->states.values};
    uint64_t instances = (uint64_t)lt_json_value(cJSON_GetObjectItem(message, "instances"));
    r->instances += instances;
    r->discarded += (uint64_t)lt_json_value(cJSON_GetObjectItem(message, "discarded"));
    r->batches++;
    r->ms += cJSON_IsNumber(ms) ? ms->valuedouble : 0;
    lt_histogram_load(&r->states, states);
    if (lt_histogram_load(&batch, states))
        lt_slices_add(&r->slices, instances, &batch);
    lt_histogram_clear(&batch);
}

static void handle_message(struct lt_campaign_state *c, const char *line)
{
    cJSON *message = cJSON_Parse(line);
    const cJSON *event = cJSON_GetObjectItem(message, "event"),
                *reason = cJSON_GetObjectItem(message, "reason");
    unsigned index = (unsigned)lt_json_value(cJSON_GetObjectItem(message, "test"));
    const char *text = cJSON_IsString(reason) ? reason->valuestring : NULL;
    if (cJSON_IsString(event) && index < c->count) {
        struct lt_record *r = &c->records[index];
        const char *name = event->valuestring;
        if (strcmp(name, "device") == 0) {
            cJSON_Delete(c->device);
            c->device = cJSON_DetachItemFromObject(message, "device");
        } else if (strcmp(name, "no-device") == 0) {
            c->broken = true;
            c->broken_reason = text ? strdup(text) : NULL;
        } else if (strcmp(name, "start") == 0) {
            c->current = (int)index;
            c->begun = lt_seconds();
            r->status = "running";
        } else if (strcmp(name, "batch") == 0) {
            add_batch(r, message);
            lt_campaign_save(c, true);
        } else if (strcmp(name, "alive") == 0) {
            c->current = (int)index; /* its batch is running */
        } else if (strcmp(name, "building") == 0 || strcmp(name, "built") == 0) {
            c->building = strcmp(name, "building") == 0;
        } else if (strcmp(name, "lost") == 0) {
            c->lost = true;
        } else if (strcmp(name, "end") == 0) {
            c->ended = true;
        } else {
            record_finish(c, r, lt_status_text(name), text);
            c->current = -1;
            lt_campaign_save(c, true);
        }
    }
    cJSON_Delete(message);
}

/* Reads the available messages; false at the end of the pipe. */
static bool read_lines(struct lt_campaign_state *c)
{
    if (c->capacity - c->used < 4096) {
        char *more = realloc(c->line, 2 * c->capacity + 65536);
        if (!more)
            return false;
        c->line = more;
        c->capacity = 2 * c->capacity + 65536;
    }
    ssize_t n = read(c->pipe, c->line + c->used, c->capacity - c->used - 1);
    if (n <= 0)
        return n < 0 && errno == EINTR;
    c->heard = lt_seconds();
    c->used += (size_t)n;
    size_t from = 0;
    for (size_t i = 0; i < c->used; i++)
        if (c->line[i] == '\n') {
            c->line[i] = '\0';
            handle_message(c, c->line + from);
            from = i + 1;
        }
    memmove(c->line, c->line + from, c->used - from);
    c->used -= from;
    return true;
}

/* A process that waits for a hanging device may survive SIGKILL; it is abandoned after SECONDS. */
static void wait_for(pid_t child, int *status, double seconds)
{
    double end = lt_seconds() + seconds;
    const struct timespec pause = {.tv_nsec = 10000000};
    for (;;) {
        pid_t got = waitpid(child, status, WNOHANG);
        if (got == child || (got < 0 && errno != EINTR) || lt_seconds() > end)
            return;
        nanosleep(&pause, NULL);
    }
}

/* Reaps the child, which died, hangs or is to end, and records the failure of its current test. */
static void reap_child(struct lt_campaign_state *c, bool timeout)
{
    int status = 0;
    char reason[128] = "";
    bool silent = lt_seconds() >= c->heard + c->options->amount.timeout_s;
    if (timeout || lt_interrupted)
        kill(c->child, SIGKILL);
    wait_for(c->child, &status, timeout || lt_interrupted ? 15 : 3600);
    close(c->pipe);
    if (lt_interrupted || c->ended || c->broken || c->lost)
        return;
    if (c->building) { /* several tests together: building each alone shows which one fails */
        c->building = false;
        c->alone = true;
        return;
    }
    if (timeout && silent)
        snprintf(reason, sizeof reason, "no progress for %u s", c->options->amount.timeout_s);
    else if (timeout)
        snprintf(reason, sizeof reason, "limit reached: %u s (raise with --timeout)",
                 c->options->amount.limit_s);
    else if (WIFSIGNALED(status))
        snprintf(reason, sizeof reason, "the driver died of signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(reason, sizeof reason, "the driver ended the process with code %d", WEXITSTATUS(status));
    if (c->current >= 0) {
        record_finish(c, &c->records[c->current], timeout ? "timeout" : "crashed", reason);
        lt_campaign_save(c, false);
    } else {
        c->broken = true;
        c->broken_reason = strdup(reason);
    }
}

/* The time at which the child is killed: it reported nothing for too long, or its test exceeds its limit. */
static double child_deadline(const struct lt_campaign_state *c)
{
    double silent = c->heard + c->options->amount.timeout_s, over = c->begun + c->options->amount.limit_s;
    return c->options->amount.limit_s && c->current >= 0 && over < silent ? over : silent;
}

void lt_child_listen(struct lt_campaign_state *c)
{
    bool timeout = false;
    while (!lt_interrupted) {
        struct pollfd p = {.fd = c->pipe, .events = POLLIN};
        double left = child_deadline(c) - lt_seconds();
        int ready =
            left > 0 ? poll(&p, 1, left < LOOK_SECONDS ? (int)(left * 1e3) + 1 : LOOK_SECONDS * 1000) : 0;
        if ((ready < 0 && errno == EINTR) || (ready == 0 && left > 0))
            continue;
        if (ready == 0) {
            timeout = true;
            break;
        }
        if (!read_lines(c))
            break;
    }
    reap_child(c, timeout);
}
