/* Recording: from API objects to the records of memmodel.  REFCL_TRACE=FILE (%p: process id),
 * REFCL_TRACE_FD=N or REFCL_TRACE_SOCKET=NAME switches it on. */
#include "memmodel/base/array.h"
#include "memmodel/base/own_fd.h"
#include "memmodel/trace/fixed.h"
#include "memmodel/trace/host.h"
#include "ref-runtime/record/host_access.h"
#include "ref-runtime/sched/command.h"
#include "ref-runtime/setting.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct mm_once once = MM_ONCE;
static struct mm_recorder *recorder,
    *launch_recorder; /* of everything; of what launches do, unless commands suffice */
static bool findings_suffice;
static struct mm_progress *progress; /* NULL: no progress page */

/* REFCL_PROGRESS_PAGE: a file that holds a struct mm_progress. */
static void open_progress(void)
{
    const char *path = rt_setting_text(RT_SET_PROGRESS_PAGE, NULL);
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    struct stat status;
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size >= (off_t)sizeof *progress) {
        void *page = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        progress = page == MAP_FAILED ? NULL : page;
    }
    if (fd >= 0)
        close(fd);
}

uint64_t *rt_record_progress(uint32_t command)
{
    if (!progress)
        return NULL;
    progress->groups = 0;
    progress->command = command;
    return &progress->groups;
}

static void initialize_recorder(void)
{
    const char *path = rt_setting_text(RT_SET_TRACE, NULL),
               *name = rt_setting_text(RT_SET_TRACE_SOCKET, NULL);
    int fd = -1;
    unsigned flags = 0;
    if (path) {
        fd = mm_trace_create(path);
    } else if (rt_setting_given(RT_SET_TRACE_FD)) {
        int given = (int)rt_setting_number(RT_SET_TRACE_FD, 0, (uint64_t)-1);
        fcntl(given, F_SETFD, FD_CLOEXEC);
        fd = mm_fd_copy_high(given); /* the application keeps its descriptor, which may be standard output */
    } else if (name) {
        fd = mm_socket_connect(name);
        flags = MM_TRACE_FOR_SESSION;
    } else {
        return;
    }
    if (!path)
        flags |=
            MM_TRACE_UNCOMPRESSED | (rt_setting_given(RT_SET_TRACE_VALUES) ? 0 : MM_TRACE_WITHOUT_VALUES);
    struct mm_sink sink;
    struct mm_error error = {0};
    struct mm_trace_failure failure = {.function = mm_trace_report_lost};
    if (fd < 0 || mm_trace_writer(fd, flags, &failure, &sink, &error) != MM_OK) {
        fprintf(stderr, "refcl: cannot record: %s\n", fd < 0 ? "the trace cannot be opened" : error.message);
        return;
    }
    open_progress();
    recorder = mm_recorder_create(&sink);
    launch_recorder = rt_setting_given(RT_SET_TRACE_COMMANDS) ? NULL : recorder;
    findings_suffice = rt_setting_given(RT_SET_TRACE_FINDINGS);
    if (recorder)
        rt_host_attach(recorder);
}

struct mm_recorder *rt_recorder(void)
{
    mm_once(&once, initialize_recorder);
    return recorder;
}

struct mm_recorder *rt_launch_recorder(void)
{
    mm_once(&once, initialize_recorder);
    return launch_recorder;
}

bool rt_findings_suffice(void)
{
    mm_once(&once, initialize_recorder);
    return findings_suffice;
}

/* A session must not treat missing records as a clean run: a connection without a trace reports that
 * something was not observed. */
void rt_record_unobserved(const char *what, atomic_flag *said)
{
    if (!rt_recorder() || atomic_flag_test_and_set(said))
        return;
    fprintf(stderr, "refcl: error: %s\n", what);
    const char *name = rt_setting_text(RT_SET_TRACE_SOCKET, NULL);
    int fd = name ? mm_socket_connect(name) : -1;
    if (fd >= 0)
        close(fd);
}

void rt_record_forked(void)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    rt_record_unobserved(
        "a child of fork() or clone() uses OpenCL objects of its parent: what it does is not recorded; fork "
        "before the first use of OpenCL, or use exec",
        &said);
}

/* The recorder stays: threads of the application may be in calls while the process ends. */
void rt_record_close(void)
{
    if (rt_recorder()) {
        rt_host_detach();
        mm_recorder_close(recorder);
    }
}

void rt_record_text(const char *file, const char *text)
{
    if (rt_recorder()) {
        struct mm_record record = {.type = MM_RECORD_TEXT, .text = {file, text}};
        mm_recorder_record(rt_recorder(), &record);
    }
}

static struct mm_agent this_thread(void)
{
    return (struct mm_agent){0, mm_recorder_host_thread(recorder)};
}

/* Number of recorded threads that are the executor, which is no thread of the application. */
static atomic_uint executors;

static struct mm_agent this_thread_or_executor(void)
{
    uint32_t before = mm_recorder_host_threads(recorder);
    struct mm_agent agent = this_thread();
    if (agent.index >= before && rt_sched_is_executor())
        atomic_store(&executors, 1);
    return agent;
}

uint32_t rt_record_host_threads(void)
{
    return mm_recorder_host_threads(recorder) - atomic_load(&executors);
}

/* Synchronization between threads of a program that is not instrumented is not observed: each API call is
 * treated as ordered after all that the other threads recorded before.  Callbacks run in threads of the
 * runtime. */
static _Thread_local bool is_callback;

static void follow_others(void)
{
    static struct mm_mutex turn = MM_MUTEX;
    static uint32_t last = UINT32_MAX;
    if (is_callback || rt_host_is_attached())
        return;
    struct mm_agent me = this_thread();
    mm_mutex_lock(&turn);
    if (last != UINT32_MAX && last != me.index)
        mm_record_follow(recorder, last, me);
    last = me.index;
    mm_mutex_unlock(&turn);
}

mm_event_id rt_record_call(const char *name, struct mm_edge *edges, size_t count)
{
    if (!rt_recorder())
        return MM_NO_EVENT;
    follow_others();
    struct mm_event event = {.kind = MM_API_CALL, .agent = this_thread(), .source = rt_call_source(name)};
    mm_event_id id = mm_recorder_event(recorder, &event, edges, count);
    if (count > 0) /* the host has waited: flush, so that the trace has this if the process dies next */
        mm_recorder_flush(recorder);
    return id;
}

/* Records an event at which no edge starts. */
static void record_plain(const struct mm_event *event)
{
    mm_event_id id = mm_recorder_event(recorder, event, NULL, 0);
    mm_recorder_retire(recorder, &id, 1);
}

void rt_record_plain_call(const char *name, struct mm_edge *edges, size_t count)
{
    mm_event_id id = rt_record_call(name, edges, count);
    if (id != MM_NO_EVENT)
        mm_recorder_retire(recorder, &id, 1);
}

mm_event_id rt_record_command_event(const struct rt_command *command, enum mm_kind kind,
                                    struct mm_edge *edges, size_t count)
{
    if (!rt_recorder())
        return MM_NO_EVENT;
    struct mm_event event = {.kind = (uint8_t)kind, .agent = {command->record.id, MM_INDEX_RUNTIME}};
    return mm_recorder_event(recorder, &event, edges, count);
}

void rt_record_callback(mm_event_id completion, mm_event_id registered)
{
    if (!rt_recorder())
        return;
    mm_event_id id = mm_record_callback(recorder, this_thread(), completion, registered);
    mm_recorder_retire(recorder, &id, 1);
}

void rt_record_new_thread(void)
{
    if (rt_recorder()) {
        is_callback = true;
        mm_recorder_new_host_thread(recorder);
    }
}

void rt_record_function(const struct rt_command *command)
{
    rt_record_new_thread();
    rt_record_callback(command->events.began, MM_NO_EVENT);
}

void rt_record_returned(struct rt_command *command)
{
    if (rt_recorder()) {
        struct mm_event event = {.kind = MM_CALLBACK, .agent = this_thread()};
        command->events.returned = mm_recorder_event(recorder, &event, NULL, 0);
    }
}

static void record_access(const struct rt_command *command, enum mm_kind kind, uint16_t semantics,
                          uint32_t allocation, uint64_t offset, uint64_t size, const void *data)
{
    if (!rt_recorder() || !command)
        return;
    const uint64_t most = UINT32_MAX & ~UINT64_C(7);
    while (size > 0) {
        uint64_t part = size < most ? size : most;
        struct mm_event event = {.kind = (uint8_t)kind,
                                 .agent = {command->record.id, MM_INDEX_RUNTIME},
                                 .allocation = allocation,
                                 .offset = offset,
                                 .size = (uint32_t)part,
                                 .semantics = semantics};
        uint64_t value = 0;
        if (data)
            memcpy(&value, data, part < 8 ? part : 8);
        event.value_read = kind == MM_READ ? value : 0;
        event.value_written = kind == MM_WRITE ? value : 0;
        event.attributes = data && part <= 8 ? 0 : MM_NO_VALUE;
        mm_recorder_event(recorder, &event, NULL, 0);
        offset += part;
        size -= part;
        data = NULL;
    }
}

void rt_record_access(const struct rt_command *command, enum mm_kind kind, uint32_t allocation,
                      uint64_t offset, uint64_t size, const void *data)
{
    record_access(command, kind, 0, allocation, offset, size, data);
}

void rt_record_transfer(const struct rt_command *command, enum mm_kind kind, uint32_t allocation,
                        uint64_t offset, uint64_t size, const void *data)
{
    record_access(command, kind, MM_TRANSFER, allocation, offset, size, data);
}

void rt_record_released(const struct rt_command *command, uint32_t allocation, uint64_t size)
{
    record_access(command, MM_WRITE, MM_RELEASED, allocation, 0, size, NULL);
}

void rt_record_map(const struct rt_command *command, enum mm_kind kind, const struct rt_mapped_range *range)
{
    if (!rt_recorder())
        return;
    bool writes = range->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
    uint64_t before = range->offset - range->object, after = range->object_size - before;
    struct mm_event event = {.kind = (uint8_t)kind,
                             .agent = {command->record.id, MM_INDEX_RUNTIME},
                             .allocation = range->allocation,
                             .offset = range->offset,
                             .size = mm_at_most_32_bits(range->size),
                             .site = mm_at_most_32_bits(before),
                             .instance = mm_at_most_32_bits(after > range->size ? after - range->size : 0),
                             .semantics = writes         ? MM_MAP_WRITE
                                          : range->flags ? MM_MAP_READ
                                                         : 0,
                             .attributes = MM_NO_VALUE};
    record_plain(&event);
}

void rt_record_host_write(uint32_t allocation, uint64_t size, const char *call)
{
    if (!rt_recorder())
        return;
    follow_others();
    struct mm_event event = {.kind = MM_WRITE,
                             .agent = this_thread(),
                             .allocation = allocation,
                             .source = call ? rt_call_source(call) : 0,
                             .size = mm_at_most_32_bits(size),
                             .semantics = call ? MM_RELEASED : 0,
                             .attributes = MM_NO_VALUE};
    mm_recorder_event(recorder, &event, NULL, 0);
}

/* The address of an allocation in the trace.  It does not depend on the process's addresses, which change
 * from run to run, except that an allocation within another one keeps its offset. */
static uint64_t steady_address(uint64_t address, uint64_t size)
{
    static struct range {
        uint64_t address, size, steady;
    } * ranges;
    static size_t count;
    static uint64_t next = UINT64_C(1) << 32;
    static struct mm_mutex lock = MM_MUTEX;
    mm_mutex_lock(&lock);
    size_t k = count;
    while (k > 0 && (address - ranges[k - 1].address >= ranges[k - 1].size ||
                     size > ranges[k - 1].size - (address - ranges[k - 1].address)))
        k--;
    uint64_t result = k > 0 ? ranges[k - 1].steady + (address - ranges[k - 1].address) : next;
    if (k == 0) {
        struct range *added = mm_add(&ranges, &count);
        if (added)
            *added = (struct range){address, size, next};
        next += (size + 8191) / 4096 * 4096;
    }
    mm_mutex_unlock(&lock);
    return result;
}

uint32_t rt_record_allocation(const struct mm_allocation *allocation)
{
    if (!rt_recorder())
        return 0;
    struct mm_record record = {.type = MM_RECORD_ALLOCATION, .allocation = *allocation};
    record.allocation.id = mm_recorder_new_allocation(recorder);
    if (allocation->origin >= MM_ORIGIN_COARSE_SVM && allocation->origin <= MM_ORIGIN_FINE_SVM_ATOMICS)
        rt_host_shared(allocation->address, allocation->size);
    if (!mm_fixed_contains(allocation->address, allocation->size))
        record.allocation.address = steady_address(allocation->address, allocation->size);
    mm_recorder_record(recorder, &record);
    struct mm_event event = {.kind = MM_ALLOC,
                             .agent = this_thread_or_executor(),
                             .allocation = record.allocation.id,
                             .source = rt_call_source("create"),
                             .size = mm_at_most_32_bits(allocation->size),
                             .attributes = MM_NO_VALUE};
    record_plain(&event);
    return record.allocation.id;
}

void rt_record_free(uint32_t allocation, uint64_t size)
{
    if (!rt_recorder() || allocation == 0)
        return;
    struct mm_event event = {.kind = MM_FREE,
                             .agent = this_thread_or_executor(),
                             .allocation = allocation,
                             .size = mm_at_most_32_bits(size),
                             .attributes = MM_NO_VALUE};
    record_plain(&event);
}
