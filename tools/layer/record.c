/* Records of calls, written to REFCL_LAYER_TRACE=FILE (%p: process id; socket:NAME: of `refcl run`) or to the
 * temporary trace of REFCL_LAYER_REPORT=FILE; without both the layer replaces no function. */
#include "memmodel/base/own_fd.h"
#include "memmodel/base/privilege.h"
#include "memmodel/trace/host.h"
#include "tools/layer/launch.h"
#include "tools/layer/layer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct mm_recorder *recorder;
static pid_t process; /* that created RECORDER */

static void initialize_record(void)
{
    const char *path = mm_getenv("REFCL_LAYER_TRACE"), *prefix = "socket:";
    char report_trace[4096];
    if (ly_report_trace(report_trace, sizeof report_trace))
        path = report_trace;
    if (!path || !*path)
        return;
    bool to_socket = strncmp(path, prefix, strlen(prefix)) == 0;
    int fd = to_socket ? mm_socket_connect(path + strlen(prefix)) : mm_trace_create(path);
    struct mm_sink sink;
    struct mm_error error = {0};
    struct mm_trace_failure failure = {.function = mm_trace_report_lost};
    unsigned flags = MM_TRACE_UNCOMPRESSED | MM_TRACE_WITHOUT_VALUES |
                     (to_socket ? MM_TRACE_RING | MM_TRACE_FOR_SESSION : MM_TRACE_MAPPED);
    if (fd < 0 || mm_trace_writer(fd, flags, &failure, &sink, &error) != MM_OK) {
        fprintf(stderr, "refcl: cannot record: %s\n", fd < 0 ? "the trace cannot be opened" : error.message);
        return;
    }
    ly_stack_initialize();
    recorder = mm_recorder_create(&sink);
    process = getpid();
    if (recorder)
        ly_host_attach();
}

bool ly_recording(void)
{
    pthread_once(&once, initialize_record);
    return recorder != NULL;
}

struct mm_recorder *ly_recorder(void)
{
    return recorder;
}

/* The recorder is not destroyed: threads of the application may still be in calls while the process exits. */
void ly_record_close(void)
{
    if (!recorder)
        return;
    ly_host_detach();
    ly_unseen_called();
    ly_host_note_handlers();
    if (process == getpid())
        ly_note_leaks();
    mm_recorder_close(recorder);
    if (process == getpid())
        ly_report();
}

/* ---- agents -------------------------------------------------------------------------------------- */

static _Thread_local uint32_t thread_number; /* from 1 */
static uint32_t thread_count;

uint32_t ly_thread_replace(void)
{
    uint32_t before = thread_number;
    thread_number = ++thread_count;
    return before;
}

void ly_thread_restore(uint32_t before)
{
    thread_number = before;
}

_Thread_local bool ly_in_callback;

struct mm_agent ly_this_thread(void)
{
    if (!thread_number)
        ly_thread_replace();
    return (struct mm_agent){0, thread_number - 1};
}

/* The order between threads of an uninstrumented program is not observed.  Each call is treated as ordered
 * after all earlier calls of other threads, so that no race is reported that a lock may prevent.  Callbacks
 * run on threads of the driver. */
static void follow_others(void)
{
    static uint32_t last = UINT32_MAX;
    struct mm_agent me = ly_this_thread();
    if (ly_host_note_handlers())
        for (uint32_t i = 0; i < thread_count; i++)
            if (i != me.index)
                mm_record_follow(recorder, i, me);
    if (ly_in_callback || ly_host_is_attached())
        return;
    if (last != UINT32_MAX && last != me.index)
        mm_record_follow(recorder, last, me);
    last = me.index;
}

mm_event_id ly_record_call(const char *name, const void *place, struct mm_edge *edges, size_t count)
{
    follow_others();
    struct mm_event event = {
        .kind = MM_API_CALL, .agent = ly_this_thread(), .source = ly_source(name, place)};
    return mm_recorder_event(recorder, &event, edges, count);
}

mm_event_id ly_record_callback(mm_event_id completion, mm_event_id registered)
{
    return mm_record_callback(recorder, ly_this_thread(), completion, registered);
}

void ly_retire(mm_event_id id)
{
    mm_recorder_retire(recorder, &id, 1);
}

/* ---- memory -------------------------------------------------------------------------------------- */

uint32_t ly_record_allocation(struct mm_allocation allocation, const void *place)
{
    allocation.id = mm_recorder_new_allocation(recorder);
    struct mm_record record = {.type = MM_RECORD_ALLOCATION, .allocation = allocation};
    mm_recorder_record(recorder, &record);
    struct mm_event event = {.kind = MM_ALLOC,
                             .agent = ly_this_thread(),
                             .allocation = allocation.id,
                             .source = ly_source("create", place),
                             .size = mm_at_most_32_bits(allocation.size),
                             .attributes = MM_NO_VALUE};
    mm_recorder_event(recorder, &event, NULL, 0);
    return allocation.id;
}

void ly_record_free(uint32_t allocation, uint64_t size)
{
    struct mm_event event = {.kind = MM_FREE,
                             .agent = ly_this_thread(),
                             .allocation = allocation,
                             .size = mm_at_most_32_bits(size),
                             .attributes = MM_NO_VALUE};
    mm_recorder_event(recorder, &event, NULL, 0);
}

void ly_record_freed(uint32_t allocation, uint64_t size, const char *call, const void *place)
{
    ly_retire(ly_record_call(call, place, NULL, 0));
    struct mm_event event = {.kind = MM_WRITE,
                             .agent = ly_this_thread(),
                             .allocation = allocation,
                             .source = ly_source(call, place),
                             .size = mm_at_most_32_bits(size),
                             .semantics = MM_RELEASED,
                             .attributes = MM_NO_VALUE};
    mm_recorder_event(recorder, &event, NULL, 0);
}

void ly_not_checked(const char *what)
{
    enum { MOST = 64 };
    static const char *said[MOST];
    static size_t count;
    for (size_t i = 0; i < count; i++)
        if (strcmp(said[i], what) == 0)
            return;
    if (count == MOST)
        return;
    said[count++] = what;
    struct mm_record record = {.type = MM_RECORD_TEXT, .text = {LY_NOT_CHECKED, what}};
    mm_recorder_record(recorder, &record);
}

void ly_record_finding(const char *kind, const char *clause, const char *message, uint32_t source)
{
    struct mm_record record = {
        .type = MM_RECORD_FINDING,
        .finding = {
            .kind = kind, .clause = clause, .message = message, .agent = ly_this_thread(), .source = source}};
    mm_recorder_record(recorder, &record);
}
