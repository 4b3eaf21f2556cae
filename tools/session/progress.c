/* Progress of a session, from the trace, and from the program itself where compiled code records nothing:
 * launches, work-groups that have begun, events per second, memory. */
#include "tools/session/progress.h"
#include "memmodel/base/clock.h"
#include "memmodel/base/escape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATIENCE_MS = 2000, EVERY_MS = 500 };

struct session_progress {
    bool forced, shown;
    uint64_t launches, events, events_before;
    struct mm_command command; /* the current launch; no strings */
    char kernel[48];
    uint64_t groups, group_size, group; /* number of work-groups, work-items in each, 1 + the last one seen */
    int64_t begin, last, last_event;
};

static struct mm_progress *page; /* NULL: there is none */

static long memory_mib(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss / 1024 : 0;
}

/* Writes the rate of events, or for how long there were none: instrumented launches and loops without
 * accesses record nothing. */
static void put_rate(const struct session_progress *p, int64_t now, char *out, size_t size)
{
    double seconds = (double)(now - p->last) / 1000;
    if (p->events == p->events_before)
        snprintf(out, size, "nothing to record for %" PRId64 " s", (now - p->last_event) / 1000);
    else
        snprintf(out, size, "%.3g events/s", (double)(p->events - p->events_before) / seconds);
}

/* Reads the page in which compiled code publishes how many work-groups of the current launch are complete. */
static void look_at_page(struct session_progress *p)
{
    uint64_t groups = page ? __atomic_load_n(&page->groups, __ATOMIC_RELAXED) : 0;
    if (!groups || page->command != p->command.id)
        return;
    groups += groups < p->groups;
    p->group = groups > p->group ? groups : p->group;
}

static void show_progress(struct session_progress *p, int64_t now)
{
    char line[200], events[60], group[40] = "";
    put_rate(p, now, events, sizeof events);
    look_at_page(p);
    if (p->group)
        snprintf(group, sizeof group, "work-group %" PRIu64 " of ", p->group);
    snprintf(line, sizeof line, "refcl: launch %" PRIu64 ", %s: %s%" PRIu64 "%s, %s, %ld MiB", p->launches,
             p->kernel, group, p->groups, p->group ? "" : " work-groups", events, memory_mib());
    mm_print(stderr, "\r%-100s", line);
    fflush(stderr);
    p->shown = true;
}

static void show_if_due(struct session_progress *p)
{
    int64_t now = (int64_t)mm_clock_ms(CLOCK_MONOTONIC);
    if (now - p->begin < PATIENCE_MS || now - p->last < EVERY_MS)
        return;
    show_progress(p, now);
    p->last = now;
    p->events_before = p->events;
}

static enum mm_class progress_take_events(void *context, const struct mm_event *events, size_t count)
{
    struct session_progress *p = context;
    p->events += count;
    p->last_event = (int64_t)mm_clock_ms(CLOCK_MONOTONIC);
    for (size_t i = count; i-- > 0;) {
        struct mm_agent agent = events[i].agent;
        if (agent.command != p->command.id || agent.index == MM_INDEX_RUNTIME || !p->group_size)
            continue;
        uint64_t group = agent.index / p->group_size + 1;
        p->group = group > p->group ? group : p->group;
        break;
    }
    show_if_due(p);
    return MM_OK;
}

static void begin_launch(struct session_progress *p, const struct mm_command *c)
{
    if (!c->dimensions)
        return;
    p->launches++;
    p->command = *c;
    p->groups = p->group_size = 1;
    p->group = 0;
    for (uint32_t i = 0; i < c->dimensions && i < 3; i++) {
        uint64_t local = c->local_size[i] ? c->local_size[i] : 1;
        p->group_size *= local;
        p->groups *= (c->global_size[i] + local - 1) / local;
    }
    snprintf(p->kernel, sizeof p->kernel, "%s", c->kernel ? c->kernel : "");
}

static enum mm_class take_record(void *context, const struct mm_record *record)
{
    if (record->type == MM_RECORD_EVENT)
        return progress_take_events(context, &record->event, 1);
    if (record->type == MM_RECORD_COMMAND)
        begin_launch(context, &record->command);
    return MM_OK;
}

static bool is_forced(void)
{
    const char *wanted = getenv("REFCL_PROGRESS");
    return wanted && strcmp(wanted, "1") == 0;
}

static bool is_wanted(void)
{
    return is_forced() || isatty(STDERR_FILENO) == 1;
}

const char *session_progress_page(void)
{
    static char path[64];
    if (page || !is_wanted())
        return page ? path : NULL;
    int fd = memfd_create("refcl-progress", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, sizeof *page))
        return NULL;
    void *at = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return NULL;
    page = at;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), fd);
    return path;
}

struct session_progress *session_progress_create(void)
{
    struct session_progress *p = is_wanted() ? mm_alloc_zero(1, sizeof *p) : NULL;
    if (p) {
        p->forced = is_forced();
        p->begin = p->last = p->last_event = (int64_t)mm_clock_ms(CLOCK_MONOTONIC);
    }
    return p;
}

void session_progress_sink(struct session_progress *progress, struct mm_sink *sink)
{
    *sink = (struct mm_sink){.context = progress, .record = take_record, .events = progress_take_events};
}

void session_progress_idle(void *context)
{
    struct session_progress *p = context;
    if (p->launches)
        show_if_due(p);
}

void session_progress_end(struct session_progress *p)
{
    if (!p)
        return;
    if (p->shown)
        mm_print(stderr, "\r%100s\r", "");
    int64_t ms = (int64_t)mm_clock_ms(CLOCK_MONOTONIC) - p->begin;
    if (p->shown || p->forced)
        mm_print(stderr, "refcl: %" PRIu64 " launches, %" PRIu64 " events in %.1f s, %ld MiB\n", p->launches,
                 p->events, (double)ms / 1000, memory_mib());
    mm_free(p);
}
