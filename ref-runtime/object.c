/* The table of live objects, reference counts, destruction [CL 4.4, 5.1 and the clRetain/clRelease calls].
 *
 * The memory of destroyed objects is kept in a ring for a while before it is reused, because the ICD loader
 * reads the dispatch pointer of a handle before refcl can check it. */
#include "ref-runtime/check/api_check.h"

#include "memmodel/base/map.h"

#include <string.h>

enum { RING = 512 };

static struct mm_mutex lock = MM_MUTEX;
static struct mm_map live; /* the objects by handle, which is their address */
static struct rt_object *ring[RING];
static size_t ring_next;
static uint32_t numbers[RT_TYPE_COUNT];
static void *dispatch_data; /* the loader's data for new objects */

static struct rt_object *object_find(const void *handle, enum rt_type type)
{
    struct rt_object *object = mm_map_pointer(&live, (uintptr_t)handle);
    return object && object->type == type ? object : NULL;
}

void *rt_object_create_unlisted(enum rt_type type, size_t size)
{
    struct rt_object *object = mm_alloc_zero(1, size);
    if (!object)
        return NULL;
    object->dispatch = rt_api_dispatch();
    object->type = type;
    object->api_refs = 1;
    atomic_init(&object->total_refs, 1);
    return object;
}

bool rt_object_list(void *unlisted)
{
    struct rt_object *object = unlisted;
    if (object->is_listed)
        return true;
    mm_mutex_lock(&lock);
    object->number = ++numbers[object->type];
    object->dispatch_data = dispatch_data;
    object->is_listed = mm_map_put(&live, (uintptr_t)object, (uintptr_t)object);
    mm_mutex_unlock(&lock);
    return object->is_listed;
}

void *rt_object_create(enum rt_type type, size_t size)
{
    void *object = rt_object_create_unlisted(type, size);
    if (!object || rt_object_list(object))
        return object;
    mm_free(object);
    return NULL;
}

void rt_object_set_dispatch_data(void *data)
{
    mm_mutex_lock(&lock);
    dispatch_data = data;
    for (size_t i = 0; i < live.capacity; i++)
        if (mm_map_at(&live, i))
            ((struct rt_object *)mm_map_at(&live, i))->dispatch_data = data;
    mm_mutex_unlock(&lock);
}

void *rt_object_check(const void *handle, enum rt_type type)
{
    mm_mutex_lock(&lock);
    struct rt_object *object = object_find(handle, type);
    mm_mutex_unlock(&lock);
    return object;
}

/* Puts OBJECT's memory into the ring, and frees the oldest memory in it. */
static void quarantine_object(struct rt_object *object)
{
    mm_mutex_lock(&lock);
    struct rt_object *oldest = ring[ring_next];
    ring[ring_next] = object;
    ring_next = (ring_next + 1) % RING;
    mm_mutex_unlock(&lock);
    mm_free(oldest);
}

static void destroy_object(void *data)
{
    struct rt_object *object = data;
    switch (object->type) {
    case RT_DEVICE:
        rt_device_destroy(data);
        break;
    case RT_CONTEXT:
        rt_context_destroy(data);
        break;
    case RT_QUEUE:
        rt_queue_destroy(data);
        break;
    case RT_MEM:
        rt_mem_destroy(data);
        break;
    case RT_EVENT:
        rt_event_destroy(data);
        break;
    case RT_PROGRAM:
        rt_program_destroy(data);
        break;
    case RT_KERNEL:
        rt_kernel_destroy(data);
        break;
    case RT_SAMPLER:
        rt_sampler_destroy(data);
        break;
    case RT_COMMAND_BUFFER:
        rt_command_buffer_destroy(data);
        break;
    case RT_SEMAPHORE:
        rt_semaphore_destroy(data);
        break;
    case RT_MUTABLE_COMMAND:
        rt_mutable_destroy(data);
        break;
    default:
        break;
    }
    if (object->is_listed)
        quarantine_object(object);
    else
        mm_free(object);
}

void rt_object_retain(void *object)
{
    atomic_fetch_add_explicit(&((struct rt_object *)object)->total_refs, 1, memory_order_relaxed);
}

bool rt_object_hold(void *object)
{
    atomic_uint *refs = &((struct rt_object *)object)->total_refs;
    unsigned seen = atomic_load_explicit(refs, memory_order_relaxed);
    while (seen > 0 && !atomic_compare_exchange_weak(refs, &seen, seen + 1)) {
    }
    return seen > 0;
}

/* True if that was the last reference: the object is out of the table then. */
static bool drop_reference(struct rt_object *object)
{
    if (atomic_fetch_sub_explicit(&object->total_refs, 1, memory_order_acq_rel) > 1)
        return false;
    if (!object->is_listed)
        return true;
    mm_mutex_lock(&lock);
    mm_map_remove(&live, (uintptr_t)object, (uintptr_t)object);
    mm_mutex_unlock(&lock);
    return true;
}

void rt_object_release(void *object)
{
    if (!object)
        return;
    if (drop_reference(object))
        destroy_object(object);
}

/* True while this thread is in rt_object_release_deferred(). */
static _Thread_local bool deferring;

/* True if destroying OBJECT calls no function of the application, nor does releasing what it holds. */
static bool needs_no_callback(const struct rt_object *object)
{
    return object->type == RT_EVENT ||
           (object->type == RT_MEM && !((const struct rt_mem *)(const void *)object)->destructors);
}

void rt_object_release_deferred(void *object)
{
    if (!object)
        return;
    if (!drop_reference(object))
        return;
    if (!needs_no_callback(object) && rt_callback_post(destroy_object, object))
        return;
    bool outer = deferring;
    deferring = true;
    destroy_object(object);
    deferring = outer;
}

void rt_object_release_held(void *object)
{
    if (deferring)
        rt_object_release_deferred(object);
    else
        rt_object_release(object);
}

bool rt_api_retain(const void *handle, enum rt_type type)
{
    mm_mutex_lock(&lock);
    struct rt_object *object = object_find(handle, type);
    bool held = object && rt_object_hold(object);
    if (held)
        object->api_refs++;
    mm_mutex_unlock(&lock);
    return held;
}

bool rt_api_release(const void *handle, enum rt_type type)
{
    mm_mutex_lock(&lock);
    struct rt_object *object = object_find(handle, type);
    bool held = object && object->api_refs > 0;
    if (held)
        object->api_refs--;
    mm_mutex_unlock(&lock);
    if (held)
        rt_object_release(object);
    return held;
}

void rt_api_release_unused(void *object)
{
    const struct rt_object *o = object;
    if (o->is_listed)
        rt_api_release(o, o->type);
    else
        rt_object_release(object);
}

cl_uint rt_api_refs(const void *object)
{
    mm_mutex_lock(&lock);
    cl_uint refs = ((const struct rt_object *)object)->api_refs;
    mm_mutex_unlock(&lock);
    return refs;
}

bool rt_object_was(const void *handle)
{
    bool found = false;
    mm_mutex_lock(&lock);
    for (size_t i = 0; i < RING && !found; i++)
        found = ring[i] == handle;
    mm_mutex_unlock(&lock);
    return found;
}

void rt_object_each(void (*visit)(const struct rt_object *object, void *data), void *data)
{
    mm_mutex_lock(&lock);
    for (size_t i = 0; i < live.capacity; i++)
        if (mm_map_at(&live, i))
            visit(mm_map_at(&live, i), data);
    mm_mutex_unlock(&lock);
}

void *rt_null(cl_int *errcode_ret, cl_int code)
{
    if (errcode_ret)
        *errcode_ret = code;
    return NULL;
}
