/* librefcl-host: the happens-before order of host threads [CL 3.3.6 A23].  As in a vector-clock detector, a
 * release stores a point of its thread in the synchronization object (a mutex, an atomic, ...), and an
 * acquire is ordered after the points stored there; here points are events of the record, and the detector
 * computes the clocks. */
#include "tools/hostlib/hostlib.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, MOST_POINTS = REFCL_HOST_POINTS, REMEMBERED = 64 };

struct point {
    uint64_t id;
    const void *thread;
};

struct object {
    const void *address;
    struct object *next;
    uint64_t version; /* number of changes of POINTS */
    size_t count;
    struct point points[MOST_POINTS];
};

static struct {
    bool locked;
    struct object *first;
} buckets[BUCKETS];

/* Per thread: the versions that it acquired last (the array's address identifies the thread), its point at
 * the last release fence (FENCE), and the points that relaxed loads have read since the last acquire fence
 * (SEEN). */
static __thread struct {
    const struct object *object;
    uint64_t version;
} acquired[REMEMBERED];
static __thread uint64_t fence = UINT64_MAX, seen[MOST_POINTS];
static __thread size_t seen_count;
__thread bool host_inside;

/* ---- points ------------------------------------------------------------------------------------ */

static uint64_t point_after(const uint64_t *points, size_t count)
{
    const struct refcl_host_runtime *runtime = host_recording();
    host_inside = true;
    uint64_t point = runtime ? runtime->point(points, count) : UINT64_MAX;
    host_inside = false;
    return point;
}

uint64_t host_point(void)
{
    return point_after(NULL, 0);
}

void host_after(uint64_t point)
{
    if (point != UINT64_MAX)
        point_after(&point, 1);
}

/* ---- objects ----------------------------------------------------------------------------------- */

static size_t bucket_of(const void *address)
{
    return (size_t)((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 40) % BUCKETS;
}

static void lock_object(const void *address)
{
    host_lock(&buckets[bucket_of(address)].locked);
}

static void unlock_object(const void *address)
{
    host_unlock(&buckets[bucket_of(address)].locked);
}

static struct object *find_object(const void *address)
{
    struct object *object = buckets[bucket_of(address)].first;
    while (object && object->address != address)
        object = object->next;
    return object;
}

/* NULL: out of memory; then false races are possible. */
static struct object *find_or_add(const void *address)
{
    struct object *object = find_object(address);
    if (!object && (object = calloc(1, sizeof *object))) {
        size_t bucket = bucket_of(address);
        object->address = address;
        object->next = buckets[bucket].first;
        buckets[bucket].first = object;
    }
    return object;
}

static const void *own_thread(void)
{
    return acquired;
}

/* Stores in POINTS those of OBJECT that are of other threads; returns their number. */
static size_t points_of_others(const struct object *object, uint64_t *points)
{
    size_t count = 0;
    for (size_t i = 0; i < object->count; i++)
        if (object->points[i].thread != own_thread())
            points[count++] = object->points[i].id;
    return count;
}

static void acquire_object(const struct object *object)
{
    size_t slot = (uintptr_t)object / sizeof(void *) % REMEMBERED;
    uint64_t points[MOST_POINTS];
    if (!object || (acquired[slot].object == object && acquired[slot].version == object->version))
        return;
    acquired[slot].object = object;
    acquired[slot].version = object->version;
    size_t count = points_of_others(object, points);
    if (count)
        point_after(points, count);
}

/* POINT replaces all points of OBJECT: a release that heads a new release sequence. */
static void replace_points(struct object *object, uint64_t point)
{
    object->version++;
    object->points[0] = (struct point){point, own_thread()};
    object->count = 1;
}

/* Adds POINT, or replaces this thread's point.  If the object is full, the thread acquires all points, and a
 * new point, which is ordered after them, replaces them. */
static void add_point(struct object *object, uint64_t point)
{
    size_t i = 0;
    while (i < object->count && object->points[i].thread != own_thread())
        i++;
    if (i == MOST_POINTS) {
        acquire_object(object);
        replace_points(object, host_point());
        return;
    }
    if (i < object->count && object->points[i].id > point)
        return;
    object->version++;
    object->points[i] = (struct point){point, own_thread()};
    object->count += i == object->count;
}

static void change_object(const void *address, void (*how)(struct object *, uint64_t))
{
    if (host_inside)
        return;
    lock_object(address);
    struct object *object = find_or_add(address);
    uint64_t point = host_point();
    if (object && point != UINT64_MAX)
        how(object, point);
    unlock_object(address);
}

void host_release(const void *address)
{
    change_object(address, replace_points);
}

void host_add(const void *address)
{
    change_object(address, add_point);
}

void host_acquire(const void *address)
{
    if (host_inside)
        return;
    lock_object(address);
    acquire_object(find_object(address));
    unlock_object(address);
}

/* ---- atomics outside of SVM ---------------------------------------------------------------- */

void host_atomic_begin(const void *address)
{
    lock_object(address);
}

static bool order_acquires(int order)
{
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static bool order_releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static bool is_seen(uint64_t point)
{
    size_t i = 0;
    while (i < seen_count && seen[i] != point)
        i++;
    return i < seen_count;
}

/* Keeps the points that a relaxed load has read for the next acquire fence; acquires them at once if there is
 * no room. */
static void keep_for_fence(const struct object *object)
{
    uint64_t points[MOST_POINTS];
    size_t count = object ? points_of_others(object, points) : 0;
    for (size_t i = 0; i < count; i++) {
        if (is_seen(points[i]))
            continue;
        if (seen_count == MOST_POINTS) {
            acquire_object(object);
            return;
        }
        seen[seen_count++] = points[i];
    }
}

/* A relaxed store: one of another thread ends the release sequence, one of the same thread continues it. */
static void write_relaxed(struct object *object)
{
    bool own = object->count == 1 && object->points[0].thread == own_thread();
    if (fence != UINT64_MAX && !(own && object->points[0].id > fence))
        replace_points(object, fence);
    else if (!own)
        object->count = 0;
}

void host_atomic_end(const void *address, enum refcl_host_kind kind, int order)
{
    bool writes = kind != REFCL_HOST_READ;
    struct object *object = writes && (order_releases(order) || fence != UINT64_MAX) ? find_or_add(address)
                                                                                     : find_object(address);
    if (kind != REFCL_HOST_WRITE && order_acquires(order))
        acquire_object(object);
    else if (kind != REFCL_HOST_WRITE)
        keep_for_fence(object);
    if (object && kind == REFCL_HOST_WRITE && order_releases(order))
        replace_points(object, host_point());
    else if (object && kind == REFCL_HOST_WRITE)
        write_relaxed(object);
    else if (object && writes && (order_releases(order) || fence != UINT64_MAX))
        add_point(object, order_releases(order) ? host_point() : fence);
    unlock_object(address);
}

void host_atomic_fence(int order)
{
    if (order_acquires(order) && seen_count)
        point_after(seen, seen_count);
    if (order_acquires(order))
        seen_count = 0;
    if (order_releases(order))
        fence = host_point();
}
