/* Implements the injected faults of commands (interp/fault.def).  Runs on the executor thread or under
 * rt_lock, and only if REFCL_FAULT is set. */
#include "ref-runtime/check/fault.h"
#include "ref-runtime/event.h"

#include <string.h>
#include <time.h>

enum { DELAY_NS = 300 * 1000, OBJECTS = 256 };

bool rt_fault_forgets(const struct rt_event *event)
{
    return event->queue ? IN_FAULTY(WAIT_LIST_IGNORED) : IN_FAULTY(USER_EVENT_IGNORED);
}

bool rt_fault_returns_early(const struct rt_event *event)
{
    switch (event->command_type) {
    case CL_COMMAND_MAP_BUFFER:
    case CL_COMMAND_MAP_IMAGE:
    case CL_COMMAND_SVM_MAP:
        return IN_FAULTY(BLOCKING_MAP_EARLY);
    default:
        return IN_FAULTY(BLOCKING_READ_EARLY);
    }
}

static void delay_thread(void)
{
    const struct timespec pause = {0, DELAY_NS};
    nanosleep(&pause, NULL);
}

void rt_fault_delay(struct rt_command *command)
{
    switch (in_fault_now) {
    case IN_FAULT_EVENT_EARLY:
        mm_mutex_lock(&rt_lock);
        rt_event_set_status(command->event, CL_COMPLETE);
        mm_mutex_unlock(&rt_lock);
        delay_thread();
        break;
    case IN_FAULT_WAIT_EARLY:
    case IN_FAULT_FINISH_EARLY:
    case IN_FAULT_BLOCKING_READ_EARLY:
    case IN_FAULT_BLOCKING_MAP_EARLY:
    case IN_FAULT_CALLBACK_EARLY:
        delay_thread();
        break;
    default:
        break;
    }
}

/* ---- what kernels see and leave ---- */

static struct object {
    uint64_t address;
    size_t size;
    uint32_t id;                   /* a later object may have the same address */
    unsigned char *before, *after; /* BEFORE: contents when the kernel started; AFTER: when it ended */
} objects[OBJECTS];

static struct object *object_of(const struct in_object *o)
{
    struct object *found = &objects[(o->address >> 7) % OBJECTS];
    if (found->address != o->address || found->size != o->size || found->id != o->id) {
        mm_free(found->before);
        mm_free(found->after);
        *found = (struct object){.address = o->address,
                                 .size = (size_t)o->size,
                                 .id = o->id,
                                 .before = mm_alloc_zero(1, (size_t)o->size),
                                 .after = NULL};
    }
    return found;
}

static bool is_concerned(const struct rt_launch_argument *a, const struct in_argument *bound)
{
    bool svm = a->svm && bound->object;
    bool buffer = a->mem && bound->object && !bound->image && !bound->pipe;
    return IN_FAULTY(ENQUEUE_STALE) ? svm : svm || buffer;
}

static void at_start(const struct in_object *o)
{
    struct object *object = object_of(o);
    void *memory = (void *)(uintptr_t)o->address;
    if (!object->before)
        return;
    if (IN_FAULTY(KERNEL_END_LATE))
        memcpy(object->before, memory, object->size);
    else
        memcpy(memory, object->before, object->size);
}

static void at_end(const struct in_object *o)
{
    struct object *object = object_of(o);
    void *memory = (void *)(uintptr_t)o->address;
    if (!object->before || !IN_FAULTY(KERNEL_END_LATE))
        return;
    mm_free(object->after);
    object->after = mm_alloc(object->size);
    if (object->after) {
        memcpy(object->after, memory, object->size);
        memcpy(memory, object->before, object->size);
    }
}

/* Applies the delayed writes of the previous kernel, unless its object is gone. */
static void apply_delayed(const struct in_object *o)
{
    struct object *object = object_of(o);
    if (object->after) {
        memcpy((void *)(uintptr_t)o->address, object->after, object->size);
        mm_free(object->after);
        object->after = NULL;
    }
}

/* Calls FUNCTION for the objects that a block has captured pointers to: those that words of its literal point
 * into. */
static void each_captured(const struct rt_kernel_command *k, void (*function)(const struct in_object *))
{
    const unsigned char *block = k->block;
    for (size_t at = 0; block && at + sizeof(uint64_t) <= k->block_object.size; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, block + at, sizeof word);
        const struct in_object *o = rt_index_find(word);
        bool svm = o && o->origin >= MM_ORIGIN_COARSE_SVM && o->origin <= MM_ORIGIN_FINE_SVM_ATOMICS;
        if (o && o->address == word && o->region == MM_GLOBAL && (svm || !IN_FAULTY(ENQUEUE_STALE)))
            function(o);
    }
}

static void for_each_object(struct rt_kernel_command *k, void (*function)(const struct in_object *))
{
    each_captured(k, function);
    for (size_t i = 0; k->arguments && i < k->launch->argument_count; i++)
        if (is_concerned(&k->launch->arguments[i], &k->arguments[i]))
            function(k->arguments[i].object);
}

static bool about_kernels(void)
{
    return IN_FAULTY(ENQUEUE_STALE) || IN_FAULTY(KERNEL_START_STALE) || IN_FAULTY(KERNEL_END_LATE);
}

void rt_fault_kernel_start(struct rt_kernel_command *kernel)
{
    if (about_kernels()) {
        for_each_object(kernel, apply_delayed);
        for_each_object(kernel, at_start);
    }
}

void rt_fault_kernel_end(struct rt_kernel_command *kernel)
{
    if (about_kernels())
        for_each_object(kernel, at_end);
}

/* ---- transfers ---- */

size_t rt_fault_partial(size_t size)
{
    return size > 4 ? size - 4 : 0;
}

static struct snapshot {
    const void *pointer;
    size_t size;
    unsigned char *bytes;
} snapshots[OBJECTS];

static struct snapshot *snapshot_of(const void *pointer)
{
    return &snapshots[((uintptr_t)pointer >> 2) % OBJECTS];
}

void rt_fault_svm_map(const void *pointer, size_t size)
{
    struct snapshot *s = snapshot_of(pointer);
    mm_free(s->bytes);
    *s = (struct snapshot){pointer, size, mm_alloc(size)};
    if (s->bytes)
        memcpy(s->bytes, pointer, size);
}

void rt_fault_svm_unmap(const void *pointer)
{
    struct snapshot *s = snapshot_of(pointer);
    if (s->bytes && s->pointer == pointer)
        memcpy((void *)(uintptr_t)pointer, s->bytes, s->size);
}
