/* Text for findings: accesses, agents, memory. */
#include "checker/race/words.h"

#include <inttypes.h>
#include <stdio.h>

struct words {
    const char *people, *machine;
};

static struct words words_of(const struct mm_event *event)
{
    bool atomic = event->attributes & MM_ATOMIC;
    if (event->attributes & MM_POSSIBLE)
        return event->kind == MM_READ ? (struct words){"a possible read", "possible-read"}
                                      : (struct words){"a possible write", "possible-write"};
    switch (event->kind) {
    case MM_READ:
        return atomic ? (struct words){"an atomic read", "atomic-read"} : (struct words){"a read", "read"};
    case MM_WRITE:
        return atomic ? (struct words){"an atomic write", "atomic-write"}
                      : (struct words){"a write", "write"};
    case MM_RMW:
        return (struct words){"an atomic read-modify-write", "atomic-rmw"};
    default:
        return (struct words){"an access", "access"};
    }
}

const char *ck_words_access(const struct mm_event *event)
{
    return words_of(event).people;
}

const char *ck_words_access_kind(const struct mm_event *event)
{
    return words_of(event).machine;
}

void ck_words_agent(const struct ck_access *access, bool with_command, char *buf, size_t size)
{
    const struct mm_command *c = access->command;
    const char *kernel = c && c->kernel && *c->kernel ? c->kernel : NULL;
    if (!access->agent.command) {
        if (access->agent.index == MM_INDEX_RUNTIME)
            snprintf(buf, size, "the runtime");
        else
            snprintf(buf, size, "host thread %" PRIu32, access->agent.index);
        return;
    }
    if (access->agent.index == MM_INDEX_RUNTIME) {
        snprintf(buf, size, "%s (command %" PRIu32 ")",
                 kernel                     ? kernel
                 : c && c->kind && *c->kind ? c->kind
                                            : "the runtime",
                 access->agent.command);
        return;
    }
    bool copy = c && mm_is_copy(&access->event);
    const uint64_t *id = copy ? access->group_id : access->global_id;
    int n = c ? snprintf(buf, size, "%s (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")",
                         copy ? "the asynchronous copy of work-group" : "work-item", id[0], id[1], id[2])
              : snprintf(buf, size, "work-item %" PRIu32, access->agent.index);
    if (!with_command || n < 0 || (size_t)n >= size)
        return;
    if (kernel)
        snprintf(buf + n, size - (size_t)n, " of kernel '%s' (command %" PRIu32 ")", kernel,
                 access->agent.command);
    else
        snprintf(buf + n, size - (size_t)n, " of command %" PRIu32, access->agent.command);
}

/* OFFSET / SIZE, rounded down: places before the first element have negative numbers. */
int64_t ck_words_element(int64_t offset, uint32_t size)
{
    int64_t width = size ? size : 1;
    return offset / width - (offset % width < 0);
}

void ck_words_location(const struct ck_finding *finding, char *buf, size_t size)
{
    const struct mm_allocation *a = finding->allocation;
    const struct ck_access *access = &finding->accesses[0];
    if (!access->argument && finding->access_count > 1 && finding->accesses[1].argument)
        access = &finding->accesses[1];
    const char *name = a && a->name && *a->name ? a->name : NULL;
    if (access->argument && *access->argument && name)
        snprintf(buf, size, "argument '%s' (%s, element %" PRId64 ")", access->argument, name,
                 (int64_t)access->element);
    else if (access->argument && *access->argument)
        snprintf(buf, size, "argument '%s' (element %" PRId64 ")", access->argument,
                 (int64_t)access->element);
    else if (access->argument && name)
        snprintf(buf, size, "%s (element %" PRId64 ")", name, (int64_t)access->element);
    else if (a)
        snprintf(buf, size, "%s memory %s%s%s(%s %" PRId64 ")", mm_region_name((enum mm_region)a->region),
                 name ? "'" : "", name ? name : "", name ? "' " : "", a->element.size ? "element" : "byte",
                 ck_words_element((int64_t)finding->offset, a->element.size));
    else
        snprintf(buf, size, "unknown memory");
}
