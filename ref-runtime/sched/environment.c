/* The environment of kernels: pointers into live objects, printf, findings [CL 5.10, CLC 6.15.14]. */
#include "ref-runtime/sched/environment.h"
#include "ref-runtime/device.h"
#include "ref-runtime/record/replay.h"
#include "ref-runtime/setting.h"

#include <string.h>

/* Prints to the application's standard output at once, so before the kernel's event completes. */
static void print_output(void *context, const char *text, size_t size)
{
    (void)context;
    fwrite(text, 1, size, stdout);
    fflush(stdout);
}

/* The kernel that this thread, the executor, is working on. */
static _Thread_local struct rt_command *current;

void rt_environment_enter(struct rt_command *command)
{
    current = command;
}

/* With fine-grained system SVM, all memory of the process but its first page is the kernel's too. */
static const struct in_object host_memory = {.address = 4096,
                                             .size = (UINT64_C(1) << 47) - 4096,
                                             .region = MM_GLOBAL,
                                             .origin = MM_ORIGIN_SYSTEM_SVM,
                                             .name = "host memory"};

static const struct in_object *find_object(void *context, uint64_t address)
{
    (void)context;
    const struct in_object *object = rt_index_find(address);
    if (!current || !rt_replay_covers(current)) /* the kernel may write to memory that is no argument */
        rt_replay_all_changed();
    bool system =
        current && (current->queue->device->limits.svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) && address >= 4096;
    return !object && system ? &host_memory : object;
}

bool rt_findings_are_quiet(void)
{
    bool listened = rt_setting_given(RT_SET_TRACE_FD) || rt_setting_given(RT_SET_TRACE_SOCKET);
    return rt_setting_given(RT_SET_QUIET) || (listened && rt_recorder());
}

static void report_finding(const struct in_finding *f)
{
    const struct in_source *source = f->source;
    if (source && source->file && *source->file)
        fprintf(stderr, "%s:%u:%u: ", source->file, source->line, source->column);
    else
        fprintf(stderr, "refcl: ");
    fprintf(stderr, "%s: %s [%s]\n", f->kind, f->message, f->clause);
    fprintf(stderr, "    in kernel %s, work-item (%llu, %llu, %llu), work-group (%llu, %llu, %llu)\n",
            current && current->record.kernel ? current->record.kernel : "",
            (unsigned long long)f->global_id[0], (unsigned long long)f->global_id[1],
            (unsigned long long)f->global_id[2], (unsigned long long)f->group_id[0],
            (unsigned long long)f->group_id[1], (unsigned long long)f->group_id[2]);
}

/* Reports a finding, which the interpreter has recorded already. */
static void receive_finding(void *context, const struct in_finding *f)
{
    (void)context;
    if (!rt_findings_are_quiet())
        report_finding(f);
    if (current)
        rt_context_notify(current->queue->context, f->message);
}

/* ---- device-side enqueue ---- */

static int enqueue_kernel(void *context, const struct in_enqueue *enqueue, void **event)
{
    (void)context;
    return rt_device_enqueue(current, enqueue, event);
}

static void group_ended(void *context, uint64_t group)
{
    (void)context;
    if (current && current->family.gates)
        rt_device_open_gates(current, group);
}

static int enqueue_marker(void *context, void *queue, void *const *list, uint32_t count, void **event)
{
    (void)context;
    return rt_device_marker(current, queue, list, count, event);
}

static void *default_queue(void *context)
{
    (void)context;
    return rt_device_default_queue(current);
}

static void *create_user_event(void *context)
{
    (void)context;
    return rt_device_user_event(current);
}

static void retain_event(void *context, void *event)
{
    (void)context;
    rt_api_retain(event, RT_EVENT);
}

static void release_event(void *context, void *event)
{
    (void)context;
    rt_api_release(event, RT_EVENT);
}

static void set_user_event_status(void *context, void *event, int status)
{
    (void)context;
    rt_device_set_user_event(event, status);
}

static bool is_valid_event(void *context, void *event)
{
    (void)context;
    return rt_object_check(event, RT_EVENT) != NULL;
}

static void capture_profiling(void *context, void *event, int info, void *value)
{
    (void)context;
    (void)info;
    rt_device_capture(current, event, value);
}

struct in_environment rt_environment(void)
{
    return (struct in_environment){.find_object = find_object,
                                   .print = print_output,
                                   .finding = receive_finding,
                                   .enqueue_kernel = enqueue_kernel,
                                   .group_ended = group_ended,
                                   .enqueue_marker = enqueue_marker,
                                   .default_queue = default_queue,
                                   .create_user_event = create_user_event,
                                   .retain_event = retain_event,
                                   .release_event = release_event,
                                   .set_user_event_status = set_user_event_status,
                                   .is_valid_event = is_valid_event,
                                   .capture_profiling = capture_profiling,
                                   .max_work_group_size = rt_max_work_group()};
}
