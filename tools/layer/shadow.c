/* Shadow objects: the layer's state of each of the driver's objects, by handle. */
#include "tools/layer/layer.h"

#include <stdlib.h>

enum { FIRST_BUCKETS = 256 };

static struct ly_object **buckets;
static size_t bucket_count, object_count;

static size_t bucket_of(enum ly_type type, const void *handle, size_t count)
{
    uint64_t h = ((uint64_t)(uintptr_t)handle >> 3) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)type;
    return (size_t)(h >> 20) & (count - 1);
}

static bool grow_table(void)
{
    size_t count = bucket_count ? 4 * bucket_count : FIRST_BUCKETS;
    struct ly_object **added = mm_alloc_zero(count, sizeof *added);
    if (!added)
        return bucket_count > 0;
    for (size_t i = 0; i < bucket_count; i++)
        for (struct ly_object *o = buckets[i], *next; o; o = next) {
            struct ly_object **to = &added[bucket_of(o->type, o->handle, count)];
            next = o->next;
            o->next = *to;
            *to = o;
        }
    mm_free(buckets);
    buckets = added;
    bucket_count = count;
    return true;
}

enum { DEAD = 1 << 12 }; /* hash table of released handles; a collision evicts the older one */
static const void *dead[DEAD];

static const void **dead_slot(const void *handle)
{
    return &dead[bucket_of(LY_TYPE_COUNT, handle, DEAD)];
}

bool ly_object_was(const void *handle)
{
    return *dead_slot(handle) == handle;
}

void *ly_object_add(enum ly_type type, const void *handle, size_t size)
{
    static uint32_t numbers[LY_TYPE_COUNT];
    if (!handle || (object_count >= 2 * bucket_count && !grow_table()))
        return NULL;
    struct ly_object *o = mm_alloc_zero(1, size);
    if (!o)
        return NULL;
    struct ly_object **at = &buckets[bucket_of(type, handle, bucket_count)];
    *o = (struct ly_object){
        .next = *at, .handle = handle, .type = type, .references = 1, .number = ++numbers[type]};
    if (ly_caller)
        o->source = ly_source("create", ly_caller);
    if (ly_object_was(handle))
        *dead_slot(handle) = NULL;
    *at = o;
    object_count++;
    return o;
}

static int compare_objects(const void *x, const void *y)
{
    const struct ly_object *a = *(const struct ly_object *const *)x, *b = *(const struct ly_object *const *)y;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

void ly_object_each(void (*visit)(const struct ly_object *object))
{
    const struct ly_object **all = mm_alloc_zero(object_count + 1, sizeof *all);
    size_t count = 0;
    for (size_t i = 0; all && i < bucket_count; i++)
        for (const struct ly_object *o = buckets[i]; o; o = o->next)
            all[count++] = o;
    if (count)
        qsort(all, count, sizeof *all, compare_objects);
    for (size_t i = 0; i < count; i++)
        visit(all[i]);
    mm_free(all);
}

static struct ly_object **find_slot(enum ly_type type, const void *handle)
{
    if (!bucket_count)
        return NULL;
    struct ly_object **at = &buckets[bucket_of(type, handle, bucket_count)];
    while (*at && ((*at)->handle != handle || (*at)->type != type))
        at = &(*at)->next;
    return *at ? at : NULL;
}

void *ly_object_find(enum ly_type type, const void *handle)
{
    struct ly_object **at = find_slot(type, handle);
    return at ? *at : NULL;
}

static void free_unused(struct ly_object *o)
{
    static void (*const destroy[LY_TYPE_COUNT])(void *) = {
        [LY_QUEUE] = ly_queue_destroy,        [LY_MEM] = ly_mem_destroy,
        [LY_EVENT] = ly_event_destroy,        [LY_PROGRAM] = ly_program_destroy,
        [LY_KERNEL] = ly_kernel_destroy,      [LY_COMMAND_BUFFER] = ly_command_buffer_destroy,
        [LY_SEMAPHORE] = ly_semaphore_destroy};
    if (o->references || o->uses)
        return;
    if (destroy[o->type])
        destroy[o->type](o);
    mm_free(o);
}

void ly_object_use(void *object)
{
    if (object)
        ((struct ly_object *)object)->uses++;
}

void ly_object_unuse(void *object)
{
    struct ly_object *o = object;
    if (!o)
        return;
    o->uses--;
    free_unused(o);
}

void ly_object_retain(enum ly_type type, const void *handle)
{
    struct ly_object *o = ly_object_find(type, handle);
    if (o)
        o->references++;
}

void ly_object_release(enum ly_type type, const void *handle)
{
    struct ly_object **at = find_slot(type, handle), *o = at ? *at : NULL;
    if (!o || --o->references)
        return;
    *dead_slot(handle) = handle;
    *at = o->next;
    object_count--;
    free_unused(o);
}
