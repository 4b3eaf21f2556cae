/* Runs one test on the device: builds its kernel, then launches batch after batch, each with another
 * mapping of instances and threads to work-groups, work-items and memory. */
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_LOCATIONS 64

struct location {
    bool global;
    unsigned element_size, elements;
    bool is_signed;
    int64_t *initial;
    cl_mem buffer;
    unsigned char *host;
    size_t bytes;
};
struct observed {
    int column; /* -1: location, element */
    unsigned location, element;
};
struct exec {
    struct lt_job *job;
    cl_program program;
    cl_kernel kernel;
    unsigned groups, members, columns, value_size;
    bool check_sub_groups;
    unsigned location_count, observed_count, thread_count;
    struct location locations[MAX_LOCATIONS];
    struct observed observed[LT_MAX_VALUES];
    struct {
        int64_t work_group, sub_group;
    } threads[LT_MAX_VALUES];
    size_t local_size, slots;
    uint64_t random;
    cl_mem out;
    unsigned char *out_host;
    size_t out_bytes;
    const char *failure;
    char message[2048];
};

/* How one batch is laid out. */
struct layout {
    cl_uint instances, slots;
    cl_uint map[4], spread[2];
    size_t work_groups;
};

static uint64_t next_random(struct exec *e)
{
    uint64_t z = e->random += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static bool failed(struct exec *e, const char *what, cl_int status)
{
    if (status == CL_SUCCESS)
        return false;
    snprintf(e->message, sizeof e->message, "%s failed with error %d", what, (int)status);
    e->failure = e->message;
    return true;
}

static unsigned number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItem(object, key);
    bool fits = cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 1 << 20;
    return fits ? (unsigned)item->valuedouble : 0;
}

/* ---- reading the plan ------------------------------------------------------------------------------------
 */

static bool read_locations(struct exec *e)
{
    const cJSON *item, *value;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(e->job->test, "locations"))
    {
        if (e->location_count == MAX_LOCATIONS)
            return false;
        struct location *l = &e->locations[e->location_count++];
        const cJSON *region = cJSON_GetObjectItem(item, "region");
        const cJSON *initial = cJSON_GetObjectItem(item, "initial");
        l->global = cJSON_IsString(region) && strcmp(region->valuestring, "global") == 0;
        l->element_size = number(item, "element_size");
        l->is_signed = cJSON_IsTrue(cJSON_GetObjectItem(item, "signed"));
        l->elements = (unsigned)cJSON_GetArraySize(initial);
        l->initial = calloc(l->elements + 1, sizeof *l->initial);
        bool size_ok =
            l->element_size == 1 || l->element_size == 2 || l->element_size == 4 || l->element_size == 8;
        if (!l->initial || !size_ok || !l->elements)
            return false;
        unsigned n = 0;
        cJSON_ArrayForEach(value, initial) l->initial[n++] = lt_json_value(value);
    }
    return true;
}

static bool read_test(struct exec *e)
{
    const cJSON *test = e->job->test, *item;
    e->groups = number(test, "groups");
    e->members = number(test, "members");
    e->columns = number(test, "columns");
    e->value_size = number(test, "value_size");
    e->check_sub_groups = cJSON_IsTrue(cJSON_GetObjectItem(test, "check_sub_groups"));
    if (!e->groups || !e->members || e->columns > 2 * LT_MAX_VALUES ||
        (e->value_size != 4 && e->value_size != 8))
        return false;
    if (!read_locations(e))
        return false;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(test, "observed"))
    {
        if (e->observed_count == LT_MAX_VALUES)
            return false;
        struct observed *o = &e->observed[e->observed_count++];
        bool stored = cJSON_GetObjectItem(item, "column") != NULL;
        o->column = stored ? (int)number(item, "column") : -1;
        o->location = number(item, "location");
        o->element = number(item, "element");
        if (stored ? o->column >= (int)e->columns
                   : o->location >= e->location_count || !e->locations[o->location].global ||
                         o->element >= e->locations[o->location].elements)
            return false;
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(test, "threads"))
    {
        if (e->thread_count == LT_MAX_VALUES)
            return false;
        e->threads[e->thread_count].work_group = number(item, "work_group");
        e->threads[e->thread_count++].sub_group = number(item, "sub_group");
    }
    return !e->check_sub_groups || e->thread_count <= e->columns;
}

/* ---- the program
 * ------------------------------------------------------------------------------------------- */

static void build_log(struct exec *e)
{
    char log[1500] = "";
    clGetProgramBuildInfo(e->program, e->job->device->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    log[sizeof log - 1] = '\0';
    snprintf(e->message, sizeof e->message, "the kernel does not build: %s", log);
    e->failure = e->message;
}

static bool build(struct exec *e)
{
    const cJSON *kernel = cJSON_GetObjectItem(e->job->test, "kernel");
    char options[128];
    cl_int status;
    if (!cJSON_IsString(kernel)) {
        e->failure = "the plan has no kernel for the test";
        return false;
    }
    const char *source = kernel->valuestring;
    e->program = clCreateProgramWithSource(e->job->device->context, 1, &source, NULL, &status);
    if (failed(e, "clCreateProgramWithSource", status))
        return false;
    snprintf(options, sizeof options, "-cl-std=%s -DREFCL_SLOTS=%u",
             lt_device_standard(e->job->device, e->job->plan), (unsigned)e->slots);
    if (clBuildProgram(e->program, 1, &e->job->device->id, options, NULL, NULL) != CL_SUCCESS) {
        build_log(e);
        return false;
    }
    e->kernel = clCreateKernel(e->program, "refcl_litmus", &status);
    return !failed(e, "clCreateKernel", status);
}

static void choose_local_size(struct exec *e)
{
    size_t limit = e->job->device->max_group < 64 ? e->job->device->max_group : 64;
    e->local_size = limit < e->members ? e->members : limit - limit % e->members;
    e->slots = e->local_size / e->members;
}

/* ---- one batch
 * ---------------------------------------------------------------------------------------------- */

static size_t divisor(size_t a, size_t b)
{
    while (b) {
        size_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* A multiplier without a common divisor with N, so that i -> (i * a + b) mod N is a permutation. */
static cl_uint multiplier(struct exec *e, size_t n)
{
    for (;;) {
        size_t a = (size_t)(next_random(e) % n);
        if (n == 1)
            return 0;
        if (a && divisor(a, n) == 1)
            return (cl_uint)a;
    }
}

/* Every other batch keeps neighbours together; the others scatter groups, items and memory. */
static void choose_layout(struct exec *e, unsigned instances, struct layout *l)
{
    size_t clusters = (instances + e->slots - 1) / e->slots;
    bool scatter = next_random(e) & 1;
    l->work_groups = clusters * e->groups;
    l->instances = instances;
    l->slots = (cl_uint)e->slots;
    l->map[0] = scatter ? multiplier(e, l->work_groups) : 1;
    l->map[1] = (cl_uint)(next_random(e) % l->work_groups);
    l->map[2] = scatter ? multiplier(e, e->local_size) : 1;
    l->map[3] = scatter ? (cl_uint)(next_random(e) % e->local_size) : 0;
    l->spread[0] = 1u << next_random(e) % 5;
    l->spread[1] = (cl_uint)(next_random(e) % 8);
}

static size_t element_index(const struct layout *l, unsigned location, unsigned instance, unsigned element,
                            unsigned elements)
{
    return ((size_t)instance * l->spread[0] + (size_t)location * l->spread[1]) * elements + element;
}

static bool is_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

static void put(unsigned char *at, unsigned size, int64_t value)
{
    int8_t v1 = (int8_t)value;
    int16_t v2 = (int16_t)value;
    int32_t v4 = (int32_t)value;
    const void *from = size == 1   ? (void *)&v1
                       : size == 2 ? (void *)&v2
                       : size == 4 ? (void *)&v4
                                   : (void *)&value;
    memcpy(at, from, size);
}

static int64_t get(const unsigned char *at, unsigned size, bool is_signed)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++) {
        unsigned shift = 8 * (is_big_endian() ? size - 1 - i : i);
        value |= (uint64_t)at[i] << shift;
    }
    uint64_t sign = size < 8 && is_signed ? UINT64_C(1) << (8 * size - 1) : 0;
    return (int64_t)((value ^ sign) - sign);
}

/* Makes *BUFFER (with its copy on the host) hold at least BYTES. */
static bool reserve(struct exec *e, cl_mem *buffer, unsigned char **host, size_t *have, size_t bytes)
{
    if (*have >= bytes)
        return true;
    if (*buffer)
        clReleaseMemObject(*buffer);
    free(*host);
    cl_int status;
    *buffer = clCreateBuffer(e->job->device->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    *host = calloc(1, bytes);
    *have = *host && status == CL_SUCCESS ? bytes : 0;
    if (!*host)
        e->failure = "out of memory";
    return !failed(e, "clCreateBuffer", status) && *host;
}

static bool fill_locations(struct exec *e, const struct layout *l)
{
    for (unsigned i = 0; i < e->location_count; i++) {
        struct location *loc = &e->locations[i];
        if (!loc->global)
            continue;
        size_t count = element_index(l, i, l->instances, 0, loc->elements);
        size_t bytes = (count + loc->elements) * loc->element_size;
        if (!reserve(e, &loc->buffer, &loc->host, &loc->bytes, bytes))
            return false;
        for (unsigned n = 0; n < l->instances; n++)
            for (unsigned k = 0; k < loc->elements; k++)
                put(loc->host + element_index(l, i, n, k, loc->elements) * loc->element_size,
                    loc->element_size, loc->initial[k]);
        if (failed(e, "clEnqueueWriteBuffer",
                   clEnqueueWriteBuffer(e->job->device->queue, loc->buffer, CL_FALSE, 0, bytes, loc->host, 0,
                                        NULL, NULL)))
            return false;
    }
    size_t bytes = (size_t)(e->columns ? e->columns : 1) * l->instances * e->value_size;
    return reserve(e, &e->out, &e->out_host, &e->out_bytes, bytes);
}

static bool set_arguments(struct exec *e, const struct layout *l)
{
    cl_uint next = 5;
    cl_int status = clSetKernelArg(e->kernel, 0, sizeof e->out, &e->out);
    status |= clSetKernelArg(e->kernel, 1, sizeof l->instances, &l->instances);
    status |= clSetKernelArg(e->kernel, 2, sizeof l->slots, &l->slots);
    status |= clSetKernelArg(e->kernel, 3, sizeof l->map, l->map);
    status |= clSetKernelArg(e->kernel, 4, sizeof l->spread, l->spread);
    for (unsigned i = 0; i < e->location_count; i++)
        if (e->locations[i].global)
            status |= clSetKernelArg(e->kernel, next++, sizeof(cl_mem), &e->locations[i].buffer);
    return !failed(e, "clSetKernelArg", status);
}

static bool launch(struct exec *e, const struct layout *l)
{
    cl_command_queue queue = e->job->device->queue;
    size_t global = l->work_groups * e->local_size;
    if (!fill_locations(e, l) || !set_arguments(e, l))
        return false;
    cl_int status = clEnqueueNDRangeKernel(queue, e->kernel, 1, NULL, &global, &e->local_size, 0, NULL, NULL);
    if (failed(e, "clEnqueueNDRangeKernel", status))
        return false;
    for (unsigned i = 0; i < e->location_count; i++) {
        struct location *loc = &e->locations[i];
        if (loc->global && failed(e, "clEnqueueReadBuffer",
                                  clEnqueueReadBuffer(queue, loc->buffer, CL_FALSE, 0, loc->bytes, loc->host,
                                                      0, NULL, NULL)))
            return false;
    }
    if (e->columns && failed(e, "clEnqueueReadBuffer",
                             clEnqueueReadBuffer(queue, e->out, CL_FALSE, 0,
                                                 (size_t)e->columns * l->instances * e->value_size,
                                                 e->out_host, 0, NULL, NULL)))
        return false;
    return !failed(e, "clFinish", clFinish(queue));
}

static int64_t out_value(const struct exec *e, const struct layout *l, unsigned column, unsigned instance)
{
    return get(e->out_host + ((size_t)column * l->instances + instance) * e->value_size, e->value_size, true);
}

/* Did threads of one work-group share a sub-group exactly where the test says so? */
static bool sub_groups_right(const struct exec *e, const struct layout *l, unsigned instance)
{
    unsigned first = e->columns - e->thread_count;
    for (unsigned a = 0; a < e->thread_count; a++)
        for (unsigned b = 0; b < a; b++) {
            if (e->threads[a].work_group != e->threads[b].work_group)
                continue;
            bool same = out_value(e, l, first + a, instance) == out_value(e, l, first + b, instance);
            if (same != (e->threads[a].sub_group == e->threads[b].sub_group))
                return false;
        }
    return true;
}

static bool collect(struct exec *e, const struct layout *l, struct lt_histogram *h, unsigned *discarded)
{
    for (unsigned n = 0; n < l->instances; n++) {
        int64_t values[LT_MAX_VALUES] = {0};
        if (e->check_sub_groups && !sub_groups_right(e, l, n)) {
            ++*discarded;
            continue;
        }
        for (unsigned o = 0; o < e->observed_count; o++) {
            const struct observed *seen = &e->observed[o];
            const struct location *loc = &e->locations[seen->location];
            values[o] =
                seen->column >= 0
                    ? out_value(e, l, (unsigned)seen->column, n)
                    : get(loc->host + element_index(l, seen->location, n, seen->element, loc->elements) *
                                          loc->element_size,
                          loc->element_size, loc->is_signed);
        }
        if (!lt_histogram_add(h, values, 1)) {
            e->failure = "out of memory";
            return false;
        }
    }
    return true;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool run_batch(struct exec *e, unsigned instances)
{
    struct layout layout;
    struct lt_histogram h = {.values = e->observed_count};
    unsigned discarded = 0;
    double start = seconds();
    choose_layout(e, instances, &layout);
    bool ok = launch(e, &layout) && collect(e, &layout, &h, &discarded);
    if (ok) {
        cJSON *extra = cJSON_CreateObject();
        cJSON_AddNumberToObject(extra, "instances", instances - discarded);
        cJSON_AddNumberToObject(extra, "discarded", discarded);
        cJSON_AddNumberToObject(extra, "ms", (seconds() - start) * 1e3);
        cJSON_AddItemToObject(extra, "states", lt_histogram_json(&h));
        lt_report(e->job->report, e->job->index, "batch", NULL, extra);
    }
    lt_histogram_clear(&h);
    return ok;
}

static uint64_t wanted_instances(const struct lt_job *job)
{
    if (job->options->iterations)
        return job->options->iterations;
    return (uint64_t)lt_json_value(cJSON_GetObjectItem(job->test, "iterations"));
}

static void run_batches(struct exec *e)
{
    uint64_t wanted = wanted_instances(e->job);
    uint64_t done = e->job->done, batch = e->job->batches;
    for (; done < wanted; batch++) {
        uint64_t left = wanted - done;
        unsigned n = left < e->job->options->batch ? (unsigned)left : e->job->options->batch;
        /* A batch depends on the seed and its number alone, so that a resumed run goes on as if
         * uninterrupted. */
        e->random = e->job->seed + (uint64_t)e->job->index * 0x100000001b3 + batch * 0x9e3779b1;
        if (!run_batch(e, n))
            return;
        done += n;
    }
}

static void clean_up(struct exec *e)
{
    for (unsigned i = 0; i < e->location_count; i++) {
        if (e->locations[i].buffer)
            clReleaseMemObject(e->locations[i].buffer);
        free(e->locations[i].host);
        free(e->locations[i].initial);
    }
    if (e->out)
        clReleaseMemObject(e->out);
    free(e->out_host);
    if (e->kernel)
        clReleaseKernel(e->kernel);
    if (e->program)
        clReleaseProgram(e->program);
}

void lt_run_test(struct lt_job *job)
{
    char reason[256];
    const cJSON *skip = cJSON_GetObjectItem(job->test, "skip");
    const char *lacks = cJSON_IsString(skip) ? skip->valuestring
                                             : lt_device_lacks(job->device, job->test, reason, sizeof reason);
    if (lacks) {
        lt_report(job->report, job->index, "skipped", lacks, NULL);
        return;
    }
    if (job->done >= wanted_instances(job)) {
        lt_report(job->report, job->index, "done", NULL, NULL);
        return;
    }
    struct exec *e = calloc(1, sizeof *e);
    if (!e) {
        lt_report(job->report, job->index, "failed", "out of memory", NULL);
        return;
    }
    e->job = job;
    if (!read_test(e)) {
        e->failure = "the plan's description of the test is not valid";
    } else {
        choose_local_size(e);
        if (build(e))
            run_batches(e);
    }
    clean_up(e);
    lt_report(job->report, job->index, e->failure ? "failed" : "done", e->failure, NULL);
    free(e);
}
