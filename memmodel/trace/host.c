/* Recording in the process of the application. */
#include "memmodel/trace/host.h"
#include "memmodel/base/array.h"
#include "memmodel/base/own_fd.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int mm_trace_create(const char *pattern)
{
    char path[4096];
    const char *mark = strstr(pattern, "%p");
    if (mark)
        snprintf(path, sizeof path, "%.*s%ld%s", (int)(mark - pattern), pattern, (long)getpid(), mark + 2);
    else
        snprintf(path, sizeof path, "%s", pattern);
    const int flags = O_CREAT | O_TRUNC | O_CLOEXEC;
    struct stat status;
    bool special = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    int fd = open(path, flags | (special ? O_WRONLY : O_RDWR), 0666);
    if (fd < 0 && errno == EACCES && !special)
        fd = open(path, flags | O_WRONLY, 0666);
    return mm_fd_move_high(fd);
}

/* Reports only; the application continues, as its results do not depend on the recording. */
void mm_trace_report_lost(void *context, int error)
{
    (void)context;
    fprintf(
        stderr,
        "refcl: error: the trace is incomplete, as writing it failed: %s; the program continues unrecorded\n",
        strerror(error));
}

/* ---- places of the host's code ------------------------------------------------------------------- */

static char program[4096]; /* its path, empty: unknown */

static void find_program(void)
{
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = 0;
}

/* The main program's module has the name that it was started by, which is no path where it was found in
 * PATH. */
static const char *module_file(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_program);
    return strchr(name, '/') || !*program ? name : program;
}

const char *mm_module_of(const void *place, const void **begin)
{
    struct dl_find_object found;
    if (!place || _dl_find_object((void *)(uintptr_t)place, &found) != 0)
        return NULL;
    *begin = found.dlfo_map_start;
    return *found.dlfo_link_map->l_name ? found.dlfo_link_map->l_name : program_invocation_name;
}

uint32_t mm_record_host_source(struct mm_recorder *recorder, const char *call, const void *place,
                               uint32_t caller)
{
    const void *begin;
    const char *module = mm_module_of(place, &begin);
    char function[32] = "";
    if (module) {
        uint64_t offset = (uint64_t)((const char *)place - (const char *)begin) - 1;
        snprintf(function, sizeof function, "@0x%llx", (unsigned long long)offset);
    }
    struct mm_record record = {.type = MM_RECORD_SOURCE,
                               .source = {.id = mm_recorder_new_source(recorder),
                                          .file = module ? module_file(module) : "",
                                          .function = function,
                                          .opcode = call,
                                          .caller = caller}};
    mm_recorder_record(recorder, &record);
    return record.source.id;
}

void mm_record_follow(struct mm_recorder *recorder, uint32_t last, struct mm_agent agent)
{
    struct mm_event before = {.kind = MM_API_CALL, .agent = {0, last}}, now = before;
    now.agent = agent;
    struct mm_edge edge = {.from = mm_recorder_event(recorder, &before, NULL, 0), .kind = MM_EDGE_HOST};
    const mm_event_id over[] = {edge.from, mm_recorder_event(recorder, &now, &edge, 1)};
    mm_recorder_retire(recorder, over, 2);
}

mm_event_id mm_record_callback(struct mm_recorder *recorder, struct mm_agent agent, mm_event_id completion,
                               mm_event_id registered)
{
    struct mm_event event = {.kind = MM_CALLBACK, .agent = agent};
    struct mm_edge edges[2];
    size_t count = 0;
    if (completion != MM_NO_EVENT)
        edges[count++] = (struct mm_edge){.from = completion, .kind = MM_EDGE_CALLBACK};
    if (registered != MM_NO_EVENT)
        edges[count++] = (struct mm_edge){.from = registered, .kind = MM_EDGE_HOST};
    return mm_recorder_event(recorder, &event, edges, count);
}

bool mm_is_application(const void *place, const char *layers)
{
    const void *begin;
    const char *module = mm_module_of(place, &begin);
    if (!module)
        return false;
    const char *slash = strrchr(module, '/'), *name = slash ? slash + 1 : module;
    return strncmp(name, "librefcl", 8) != 0 && strncmp(name, "libOpenCL", 9) != 0 &&
           !(layers && *name && strstr(layers, name));
}

static uint8_t order_of(int order)
{
    switch (order) {
    case __ATOMIC_RELAXED:
        return MM_RELAXED;
    case __ATOMIC_CONSUME:
    case __ATOMIC_ACQUIRE:
        return MM_ACQUIRE;
    case __ATOMIC_RELEASE:
        return MM_RELEASE;
    case __ATOMIC_ACQ_REL:
        return MM_ACQ_REL;
    default:
        return MM_SEQ_CST;
    }
}

void mm_host_set_order(struct mm_event *event, int order)
{
    event->order = order_of(order);
    event->scope = event->effective_scope = MM_SCOPE_ALL_SVM_DEVICES;
}

/* ---- plain memory of the host -------------------------------------------------------------------- */

struct mm_host_range {
    uintptr_t begin, end;
    uint32_t allocation;
};

/* The first range that ends beyond AT. */
static size_t find_range(const struct mm_host_ranges *r, uintptr_t at)
{
    size_t i;
    mm_partition(i, r->count, r->items[i].end <= at);
    return i;
}

/* [BEGIN, END), where there is no range yet, becomes number K of them; false: no memory. */
static bool insert_range(struct mm_host_ranges *r, struct mm_recorder *recorder, size_t k, uintptr_t begin,
                         uintptr_t end)
{
    if (!mm_reserve(&r->items, &r->capacity, r->count + 1))
        return false;
    struct mm_record record = {.type = MM_RECORD_ALLOCATION,
                               .allocation = {.id = mm_recorder_new_allocation(recorder),
                                              .region = MM_GLOBAL,
                                              .origin = MM_ORIGIN_HOST,
                                              .device = -1,
                                              .size = end - begin,
                                              .name = "host memory"}};
    mm_recorder_record(recorder, &record);
    memmove(r->items + k + 1, r->items + k, (r->count - k) * sizeof *r->items);
    r->items[k] = (struct mm_host_range){begin, end, record.allocation.id};
    r->count++;
    return true;
}

/* Visits the part of [AT, END) that is in RANGE, in which AT is; returns its end. */
static uintptr_t visit_range(const struct mm_host_range *range, uintptr_t at, uintptr_t end,
                             void (*access)(void *context, const struct mm_host_part *part), void *context)
{
    uintptr_t last = range->end < end ? range->end : end;
    access(context, &(struct mm_host_part){.host = (const void *)at,
                                           .allocation = range->allocation,
                                           .offset = at - range->begin,
                                           .size = last - at});
    return last;
}

void mm_host_ranges_access(struct mm_host_ranges *r, struct mm_recorder *recorder, const void *host,
                           size_t size, void (*access)(void *context, const struct mm_host_part *part),
                           void *context)
{
    uintptr_t at = (uintptr_t)host, end = at + size;
    while (at < end) {
        size_t k = find_range(r, at);
        uintptr_t gap = k < r->count && r->items[k].begin < end ? r->items[k].begin : end;
        if (at < gap && !insert_range(r, recorder, k, at, gap))
            break;
        at = visit_range(&r->items[k], at, end, access, context);
    }
}

void mm_host_ranges_visit(const struct mm_host_ranges *r, const void *host, size_t size,
                          void (*access)(void *context, const struct mm_host_part *part), void *context)
{
    uintptr_t at = (uintptr_t)host, end = at + size;
    for (size_t k = find_range(r, at); k < r->count && r->items[k].begin < end; k++) {
        uintptr_t begin = r->items[k].begin;
        visit_range(&r->items[k], begin > at ? begin : at, end, access, context);
    }
}
