/* Accesses of an instrumented host program, or to guarded memory, as events of its threads [CL 3.3.6 A23]. */
#include "ref-runtime/record/host_access.h"
#include "memmodel/trace/host.h"
#include "ref-runtime/record/replay.h"
#include "ref-runtime/sched/command.h"

#include <dlfcn.h>
#include <sched.h>
#include <string.h>

enum { PLACES = 4096 };

static uint64_t low = UINT64_MAX, high;
static struct mm_mutex step_lock = MM_MUTEX;
static atomic_uint waiting;
static atomic_bool attached;
static struct mm_mutex places_lock = MM_MUTEX;
static struct {
    const void *place;
    uint32_t source;
} places[PLACES]; /* open addressing; once the table is full, further places get no source */

static void lock_places(void)
{
    atomic_fetch_add(&waiting, 1);
    mm_mutex_lock(&step_lock);
    atomic_fetch_sub(&waiting, 1);
}

/* A thread that reads the same again, while nothing else is recorded, waits for kernels: under a seed it is
 * granted a step for it, like one that polls an event. */
static __thread mm_event_id last_read = MM_NO_EVENT;
static __thread bool repeated;

static void poll_if_repeated(void)
{
    if (repeated) {
        mm_mutex_lock(&rt_lock);
        rt_sched_poll();
        mm_mutex_unlock(&rt_lock);
    }
    repeated = false;
}

static void unlock_places(void)
{
    mm_mutex_unlock(&step_lock);
    poll_if_repeated();
}

void rt_host_step_begin(void)
{
    if (!rt_host_is_attached())
        return;
    while (atomic_load(&waiting) > 0)
        sched_yield();
    mm_mutex_lock(&step_lock);
}

void rt_host_step_end(void)
{
    if (rt_host_is_attached())
        mm_mutex_unlock(&step_lock);
}

static uint32_t source_of(const void *place)
{
    size_t slot = ((uintptr_t)place * UINT64_C(0x9e3779b97f4a7c15) >> 40) % PLACES;
    uint32_t source = 0;
    mm_mutex_lock(&places_lock);
    for (size_t tries = 0; tries < 64; tries++, slot = (slot + 1) % PLACES) {
        if (!places[slot].place) {
            places[slot].source = rt_host_source("host", place);
            places[slot].place = place;
        }
        if (places[slot].place == place) {
            source = places[slot].source;
            break;
        }
    }
    mm_mutex_unlock(&places_lock);
    return source;
}

static void record_access(const struct refcl_host_access *a)
{
    static const uint8_t kinds[] = {MM_READ, MM_WRITE, MM_RMW, MM_FENCE};
    struct mm_recorder *recorder = rt_recorder();
    if (!recorder)
        return;
    struct mm_event event = {.kind = kinds[a->kind],
                             .agent = {0, mm_recorder_host_thread(recorder)},
                             .size = a->size,
                             .value_read = a->read,
                             .value_written = a->written};
    if (a->kind == REFCL_HOST_FENCE) {
        event.fence_flags = MM_FENCE_GLOBAL;
        mm_host_set_order(&event, a->order);
    } else {
        const struct rt_svm *svm = rt_svm_find(NULL, a->address);
        if (!svm)
            return;
        event.allocation = svm->object.id;
        event.offset = (uint64_t)((const unsigned char *)a->address - svm->data);
        rt_instrumented_host_use(true);
        if (a->kind != REFCL_HOST_READ)
            rt_replay_distrust_host();
        event.attributes = a->atomic ? MM_ATOMIC : MM_NO_VALUE;
        if (a->atomic)
            mm_host_set_order(&event, a->order);
    }
    event.source = source_of(a->place);
    if (a->kind != REFCL_HOST_READ) {
        mm_recorder_event(recorder, &event, NULL, 0);
        return;
    }
    mm_event_id id = mm_recorder_read(recorder, &event);
    repeated = id == last_read;
    last_read = id;
}

static bool is_svm(const void *address)
{
    return rt_svm_find(NULL, address) != NULL;
}

static void access_of_program(const struct refcl_host_access *a)
{
    record_access(a);
    if (!a->atomic) /* for an atomic the lock is released by unlock_places() */
        poll_if_repeated();
}

void rt_host_fault(const void *address, bool writes, const void *code)
{
    const struct refcl_host_access access = {.address = address,
                                             .size = 1,
                                             .kind = writes ? REFCL_HOST_WRITE : REFCL_HOST_READ,
                                             .place = rt_recorder() ? rt_fault_place(code) : NULL};
    record_access(&access);
}

static uint64_t record_point(const uint64_t *after, size_t count)
{
    struct mm_recorder *recorder = rt_recorder();
    if (!recorder)
        return UINT64_MAX;
    struct mm_event event = {.kind = MM_API_CALL, .agent = {0, mm_recorder_host_thread(recorder)}};
    struct mm_edge edges[REFCL_HOST_POINTS];
    for (size_t i = 0; i < count; i++)
        edges[i] = (struct mm_edge){.from = after[i], .kind = MM_EDGE_HOST};
    return mm_recorder_event(recorder, &event, edges, count);
}

void rt_host_shared(uint64_t address, uint64_t size)
{
    low = address < low ? address : low;
    high = address + size > high ? address + size : high;
}

static refcl_host_attach_function *find_attach(void)
{
    refcl_host_attach_function *function;
    void *symbol = dlsym(RTLD_DEFAULT, "refcl_host_attach");
    memcpy(&function, &symbol, sizeof function);
    return function;
}

bool rt_host_is_attached(void)
{
    return atomic_load_explicit(&attached, memory_order_relaxed);
}

/* A program that is compiled and linked by one command has the library, but -fno-sanitize=thread is the last
 * word for its objects. */
static bool is_instrumented(void)
{
    refcl_host_is_instrumented_function *function;
    void *symbol = dlsym(RTLD_DEFAULT, "refcl_host_is_instrumented");
    memcpy(&function, &symbol, sizeof function);
    return function && function();
}

static void note_instrumented(struct mm_recorder *recorder)
{
    struct mm_event event = {
        .kind = MM_API_CALL, .agent = {0, mm_recorder_host_thread(recorder)}, .semantics = MM_INSTRUMENTED};
    mm_recorder_event(recorder, &event, NULL, 0);
}

void rt_host_attach(struct mm_recorder *recorder)
{
    static const struct refcl_host_runtime runtime = {.version = REFCL_HOST_VERSION,
                                                      .low = &low,
                                                      .high = &high,
                                                      .is_svm = is_svm,
                                                      .lock = lock_places,
                                                      .unlock = unlock_places,
                                                      .access = access_of_program,
                                                      .point = record_point};
    refcl_host_attach_function *attach = find_attach();
    if (attach) {
        atomic_store(&attached, true);
        attach(&runtime);
        if (is_instrumented())
            note_instrumented(recorder);
    }
}

void rt_host_detach(void)
{
    refcl_host_attach_function *attach = atomic_load(&attached) ? find_attach() : NULL;
    if (attach)
        attach(NULL);
}
