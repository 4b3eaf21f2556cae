/* Counting on the host: the final states of a launch, and memory for the next one.  Places of instances are
 * those of REFCL_AT in the kernels. */
#include "exec.h"

#include <stdlib.h>
#include <string.h>

bool lt_exec_host_counts(const struct exec *e)
{
    return !e->job->device->is_gpu;
}

static size_t out_bytes(const struct exec *e)
{
    return (size_t)e->shape.columns * e->knobs[LT_K_instances] * e->shape.value_size;
}

static size_t instance_place(const struct exec *e, const struct location *l, uint32_t instance)
{
    uint32_t factor = l->number & 1 ? e->knobs[LT_K_scatter] : 1u;
    return (size_t)(instance * factor & e->knobs[LT_K_mask]) * e->knobs[LT_K_stride] * l->elements;
}

static unsigned char *map_buffer(struct exec *e, cl_mem buffer, size_t bytes)
{
    cl_int status = CL_SUCCESS;
    if (!bytes)
        return NULL;
    void *at = clEnqueueMapBuffer(e->job->device->queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                  bytes, 0, NULL, NULL, &status);
    return lt_exec_failed(e, "clEnqueueMapBuffer", status) ? NULL : at;
}

static void unmap_buffer(struct exec *e, cl_mem buffer, void *at)
{
    if (at)
        lt_exec_failed(e, "clEnqueueUnmapMemObject",
                       clEnqueueUnmapMemObject(e->job->device->queue, buffer, at, 0, NULL, NULL));
}

/* Shared virtual memory is the host's from a blocking map to the unmap, whether it is coarse or fine
 * [CL 5.6.2]. */
static unsigned char *map_location(struct exec *e, const struct location *l)
{
    size_t bytes = lt_exec_location_bytes(e, l);
    if (l->kind == LT_IN_BUFFER)
        return map_buffer(e, l->buffer, bytes);
    cl_int status = clEnqueueSVMMap(e->job->device->queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, l->memory,
                                    bytes, 0, NULL, NULL);
    return lt_exec_failed(e, "clEnqueueSVMMap", status) ? NULL : l->memory;
}

static void unmap_location(struct exec *e, const struct location *l, void *at)
{
    if (l->kind == LT_IN_BUFFER)
        unmap_buffer(e, l->buffer, at);
    else if (at)
        lt_exec_failed(e, "clEnqueueSVMUnmap", clEnqueueSVMUnmap(e->job->device->queue, at, 0, NULL, NULL));
}

struct view {
    unsigned char *out, *locations[MAX_LOCATIONS];
};

static bool open_view(struct exec *e, struct view *v)
{
    v->out = map_buffer(e, e->memory.out, out_bytes(e));
    for (unsigned i = 0; i < e->shape.location_count; i++)
        v->locations[i] = map_location(e, &e->locations[i]);
    return !e->failure;
}

static bool close_view(struct exec *e, struct view *v)
{
    unmap_buffer(e, e->memory.out, v->out);
    for (unsigned i = 0; i < e->shape.location_count; i++)
        unmap_location(e, &e->locations[i], v->locations[i]);
    return !e->failure;
}

static int64_t signed_value(const unsigned char *at, unsigned size, bool is_signed)
{
    uint64_t v = 0;
    memcpy(&v, at, size);
    unsigned unused = 64 - 8 * size;
    return is_signed ? (int64_t)(v << unused) >> unused : (int64_t)v;
}

static int64_t read_column(const struct exec *e, const struct view *v, unsigned c, uint32_t instance)
{
    return signed_value(v->out + ((size_t)c * e->knobs[LT_K_instances] + instance) * e->shape.value_size,
                        e->shape.value_size, true);
}

static void reset_instance(struct exec *e, const struct view *v, uint32_t instance)
{
    const int64_t nothing = LT_NOT_STORED;
    for (unsigned c = 0; c < e->shape.columns; c++)
        memcpy(v->out + ((size_t)c * e->knobs[LT_K_instances] + instance) * e->shape.value_size, &nothing,
               e->shape.value_size);
    for (unsigned i = 0; i < e->shape.location_count; i++) {
        const struct location *l = &e->locations[i];
        memcpy(v->locations[i] + instance_place(e, l, instance) * l->element_size, l->initial,
               (size_t)l->elements * l->element_size);
    }
}

bool lt_exec_prepare(struct exec *e)
{
    struct view v = {0};
    if (open_view(e, &v))
        for (uint32_t i = 0; i < e->knobs[LT_K_instances]; i++)
            reset_instance(e, &v, i);
    return close_view(e, &v);
}

/* ---- final states -------------------------------------------------------------------------------- */

/* The source of an observed value: a column, or an element of a location. */
struct source {
    int column, location, element;
};

static unsigned read_sources(const struct exec *e, struct source *sources)
{
    const cJSON *item;
    unsigned n = 0;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(e->job->test, "observed"))
    {
        struct source s = {lt_json_count(item, "column"), -1, lt_json_count(item, "element")};
        for (unsigned i = 0; s.column < 0 && i < e->shape.location_count; i++)
            if ((int)e->locations[i].number == lt_json_count(item, "location"))
                s.location = (int)i;
        bool column_ok = s.column >= 0 && (unsigned)s.column < e->shape.columns;
        bool location_ok =
            s.location >= 0 && s.element >= 0 && (unsigned)s.element < e->locations[s.location].elements;
        if (!column_ok && !location_ok)
            return 0;
        sources[n++] = s;
    }
    return n;
}

static int64_t observed_value(const struct exec *e, const struct view *v, const struct source *s,
                              uint32_t instance)
{
    if (s->column >= 0)
        return read_column(e, v, (unsigned)s->column, instance);
    const struct location *l = &e->locations[s->location];
    const unsigned char *at =
        v->locations[s->location] + (instance_place(e, l, instance) + (size_t)s->element) * l->element_size;
    return signed_value(at, l->element_size, l->is_signed);
}

/* The last columns say where the threads were: in the sub-groups that the test requires, or the instance does
 * not count. */
static bool is_placed(const struct exec *e, const struct view *v, uint32_t instance)
{
    const cJSON *threads = cJSON_GetObjectItem(e->job->test, "threads");
    unsigned count = (unsigned)cJSON_GetArraySize(threads), first = e->shape.columns - count;
    for (unsigned a = 0; a < count; a++)
        for (unsigned b = 0; b < a; b++) {
            const cJSON *s = cJSON_GetArrayItem(threads, (int)a), *t = cJSON_GetArrayItem(threads, (int)b);
            if (lt_json_count(s, "work_group") != lt_json_count(t, "work_group"))
                continue;
            bool same = lt_json_count(s, "sub_group") == lt_json_count(t, "sub_group");
            if (same != (read_column(e, v, first + a, instance) == read_column(e, v, first + b, instance)))
                return false;
        }
    return true;
}

static bool has_sub_groups(const struct exec *e, const struct source *sources)
{
    unsigned stored = 0;
    for (unsigned i = 0; i < e->shape.observed_count; i++)
        stored += sources[i].column >= 0;
    return e->shape.columns > stored;
}

bool lt_exec_count(struct exec *e, struct lt_histogram *h, uint64_t *discarded)
{
    struct view v = {0};
    struct source sources[LT_MAX_VALUES];
    bool ok = read_sources(e, sources) == e->shape.observed_count;
    if (!ok)
        e->failure = "the plan's description of the test is not valid";
    if (ok && open_view(e, &v)) {
        bool sub_groups = has_sub_groups(e, sources);
        for (uint32_t i = 0; i < e->knobs[LT_K_instances] && ok; i++) {
            int64_t values[LT_MAX_VALUES] = {0};
            for (unsigned k = 0; k < e->shape.observed_count; k++)
                values[k] = observed_value(e, &v, &sources[k], i);
            if (sub_groups && !is_placed(e, &v, i))
                ++*discarded;
            else
                ok = lt_histogram_add(h, values, 1);
            reset_instance(e, &v, i);
        }
        if (!ok)
            e->failure = "out of memory";
    }
    return close_view(e, &v) && !e->failure;
}
