/* Plain memory of the host that commands read and write: each range of it that a command uses first is an
 * allocation of the record, so that commands that no order joins race on it as on any other memory [CL 3.3.6
 * G17]. */
#include "memmodel/base/array.h"
#include "ref-runtime/record/host_access.h"
#include "ref-runtime/sched/command.h"

#include <string.h>

struct host_range {
    uintptr_t begin, end;
    uint32_t allocation;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct host_range *ranges; /* in order, apart from each other */
static size_t count, capacity;

/* The first range that ends beyond AT. */
static size_t find_range(uintptr_t at)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].end > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* [BEGIN, END), where there is no range yet, becomes number K of them; false: no memory. */
static bool insert_range(size_t k, uintptr_t begin, uintptr_t end)
{
    if (!mm_reserve(&ranges, &capacity, count + 1))
        return false;
    struct mm_record record = {.type = MM_RECORD_ALLOCATION,
                               .allocation = {.id = mm_recorder_new_allocation(rt_recorder()),
                                              .region = MM_GLOBAL,
                                              .origin = MM_ORIGIN_HOST,
                                              .device = -1,
                                              .size = end - begin,
                                              .name = "host memory"}};
    mm_recorder_record(rt_recorder(), &record);
    memmove(ranges + k + 1, ranges + k, (count - k) * sizeof(*ranges));
    ranges[k] = (struct host_range){begin, end, record.allocation.id};
    count++;
    return true;
}

/* Threads of an instrumented program that pass memory on through free() and malloc() alone have no order in
 * the record: what several of them have their commands use is left out. */
static bool is_recorded(void)
{
    return rt_recorder() && !(rt_host_is_attached() && rt_record_host_threads() > 1);
}

void rt_record_host_memory(const struct rt_command *command, enum mm_kind kind, const void *host, size_t size)
{
    uintptr_t at = (uintptr_t)host, end = at + size;
    if (!is_recorded())
        return;
    pthread_mutex_lock(&lock);
    while (at < end) {
        size_t k = find_range(at);
        uintptr_t gap = k < count && ranges[k].begin < end ? ranges[k].begin : end;
        if (at < gap && !insert_range(k, at, gap))
            break;
        uintptr_t last = ranges[k].end < end ? ranges[k].end : end;
        rt_record_access(command, kind, ranges[k].allocation, at - ranges[k].begin, last - at,
                         (const void *)at);
        at = last;
    }
    pthread_mutex_unlock(&lock);
}
