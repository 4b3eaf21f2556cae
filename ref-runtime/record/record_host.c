/* Plain memory of the host that commands read and write. */
#include "memmodel/trace/host.h"
#include "ref-runtime/record/host_access.h"
#include "ref-runtime/sched/command.h"

static struct mm_mutex lock = MM_MUTEX;
static struct mm_host_ranges ranges;

/* Threads of an instrumented program that pass memory on through free() and malloc() alone have no order in
 * the record: what several of them have their commands use is left out. */
static bool is_recorded(void)
{
    return rt_recorder() && !(rt_host_is_attached() && rt_record_host_threads() > 1);
}

struct host_use {
    const struct rt_command *command;
    enum mm_kind kind;
};

static void record_part(void *context, const struct mm_host_part *part)
{
    const struct host_use *use = context;
    rt_record_access(use->command, use->kind, part->allocation, part->offset, part->size, part->host);
}

void rt_record_host_memory(const struct rt_command *command, enum mm_kind kind, const void *host, size_t size)
{
    struct host_use use = {command, kind};
    if (!is_recorded())
        return;
    mm_mutex_lock(&lock);
    mm_host_ranges_access(&ranges, rt_recorder(), host, size, record_part, &use);
    mm_mutex_unlock(&lock);
}
