/* Text for findings: accesses, agents, memory. */
#include "checker/race/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct words {
    const char *people, *machine;
};

static struct words words_of(const struct mm_event *event)
{
    bool atomic = event->attributes & MM_ATOMIC, through = mm_is_through_image(event);
    if (event->attributes & MM_POSSIBLE)
        return event->kind == MM_READ ? (struct words){"a possible read", "possible-read"}
                                      : (struct words){"a possible write", "possible-write"};
    switch (event->kind) {
    case MM_READ:
        return atomic    ? (struct words){"an atomic read", "atomic-read"}
               : through ? (struct words){"a read through an image", "read"}
                         : (struct words){"a read", "read"};
    case MM_WRITE:
        return atomic    ? (struct words){"an atomic write", "atomic-write"}
               : through ? (struct words){"a write through an image", "write"}
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

/* Rounds down: offsets before the first element have negative numbers. */
int64_t ck_words_element(int64_t offset, uint32_t size)
{
    int64_t width = size ? size : 1;
    return offset / width - (offset % width < 0);
}

/* The access that names the argument through which the memory was accessed. */
static const struct ck_access *named_access(const struct ck_finding *finding)
{
    bool second =
        !finding->accesses[0].argument && finding->access_count > 1 && finding->accesses[1].argument;
    return &finding->accesses[second];
}

/* Writes the source's name of a local variable to BUF: LLVM's name begins with the kernel's name and may end
 * with a number. */
static void variable_name(const char *name, char *buf, size_t size)
{
    const char *dot = strchr(name, '.');
    name = dot ? dot + 1 : name;
    snprintf(buf, size, "%.*s", (int)strcspn(name, "."), name);
}

bool ck_words_designator(const struct ck_finding *finding, char *buf, size_t size)
{
    const struct mm_allocation *a = finding->allocation;
    const struct ck_access *access = named_access(finding);
    char name[100];
    if (access->argument) {
        const char *designator = access->designator ? access->designator : "";
        snprintf(buf, size, "%s%s", access->argument, designator);
        return *designator && *access->argument;
    }
    if (!a || !a->name || (int64_t)finding->offset < 0)
        return false;
    struct mm_designator place = mm_layout_find(a->layout, finding->offset, finding->size);
    variable_name(a->name, name, sizeof name);
    snprintf(buf, size, "%s%s", name, place.text);
    return *place.text; /* arrays of scalars have no layout */
}

/* "element 3" of an array of scalars, else "tile[3].y", or the byte of memory of other types. */
static void place_words(const struct ck_finding *finding, char *buf, size_t size)
{
    const struct mm_allocation *a = finding->allocation;
    const struct ck_access *access = named_access(finding);
    if (ck_words_designator(finding, buf, size))
        return;
    if (access->argument)
        snprintf(buf, size, "element %" PRId64, (int64_t)access->element);
    else
        snprintf(buf, size, "%s %" PRId64, a->element.size ? "element" : "byte",
                 ck_words_element((int64_t)finding->offset, a->element.size));
}

void ck_words_location(const struct ck_finding *finding, char *buf, size_t size)
{
    const struct mm_allocation *a = finding->allocation;
    const struct ck_access *access = named_access(finding);
    const char *name = a && a->name && *a->name ? a->name : NULL;
    char place[CK_DESIGNATOR];
    if (!access->argument && !a) {
        snprintf(buf, size, "unknown memory");
        return;
    }
    place_words(finding, place, sizeof place);
    if (access->argument && *access->argument)
        snprintf(buf, size, "argument '%s' (%s%s%s)", access->argument, name ? name : "", name ? ", " : "",
                 place);
    else if (access->argument && name)
        snprintf(buf, size, "%s (%s)", name, place);
    else
        snprintf(buf, size, "%s memory %s%s%s(%s)", a ? mm_region_name((enum mm_region)a->region) : "unknown",
                 name ? "'" : "", name ? name : "", name ? "' " : "", place);
}
