/* Runs one test on the device: builds its kernels, then launches batch after batch, each with other knobs.
 * Memory is prepared and final states are counted on the device; only the counts come back. */
#include "exec.h"
#include "host.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

const struct lt_knob lt_knobs[LT_KNOB_COUNT] = {
#define KNOB(name, cpu, gpu, help) {#name, cpu, gpu, help},
#include "knobs.def"
#undef KNOB
};

static uint64_t next_random(struct exec *e)
{
    uint64_t z = e->random += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

bool lt_exec_failed(struct exec *e, const char *what, cl_int status)
{
    if (status == CL_SUCCESS)
        return false;
    snprintf(e->message, sizeof e->message, "%s failed with error %d", what, (int)status);
    e->failure = e->message;
    return true;
}

static unsigned json_unsigned(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItem(object, key);
    bool fits = cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 1 << 20;
    return fits ? (unsigned)item->valuedouble : 0;
}

/* ---- reading the plan ---------------------------------------------------------------------------- */

static bool read_locations(struct exec *e)
{
    const cJSON *item;
    unsigned n = 0;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(e->job->test, "locations"))
    {
        const cJSON *region = cJSON_GetObjectItem(item, "region"),
                    *initial = cJSON_GetObjectItem(item, "initial");
        n++;
        if (!cJSON_IsString(region) || strcmp(region->valuestring, "global") != 0)
            continue;
        if (e->location_count == MAX_LOCATIONS)
            return false;
        struct location *l = &e->locations[e->location_count++];
        l->element_size = json_unsigned(item, "element_size");
        l->elements = (unsigned)cJSON_GetArraySize(initial);
        l->number = n - 1;
        int kind = lt_memory_kind(item);
        l->kind = (enum lt_memory_kind)kind;
        l->is_signed = cJSON_IsTrue(cJSON_GetObjectItem(item, "signed"));
        bool size_ok =
            l->element_size == 1 || l->element_size == 2 || l->element_size == 4 || l->element_size == 8;
        if (!size_ok || !l->elements || kind < 0)
            return false;
        l->initial = calloc(l->elements, l->element_size);
        for (unsigned i = 0; l->initial && i < l->elements; i++) {
            int64_t v = lt_json_value(cJSON_GetArrayItem(initial, (int)i));
            memcpy(l->initial + (size_t)i * l->element_size, &v, l->element_size);
        }
        if (!l->initial)
            return false;
    }
    return true;
}

bool lt_exec_read(struct exec *e)
{
    const cJSON *test = e->job->test, *low = cJSON_GetObjectItem(test, "low");
    e->groups = json_unsigned(test, "groups");
    e->members = json_unsigned(test, "members");
    e->columns = json_unsigned(test, "columns");
    e->value_size = json_unsigned(test, "value_size");
    e->bits = json_unsigned(test, "bits");
    e->low = cJSON_IsNumber(low) ? (int64_t)low->valuedouble : 0;
    e->waits = cJSON_IsTrue(cJSON_GetObjectItem(test, "waits"));
    e->observed_count = (unsigned)cJSON_GetArraySize(cJSON_GetObjectItem(test, "observed"));
    if (!e->groups || !e->members || !lt_exec_slots(e->job->device, test) || e->columns > 2 * LT_MAX_VALUES ||
        e->observed_count > LT_MAX_VALUES || (e->value_size != 4 && e->value_size != 8) ||
        e->bits * e->observed_count > 24)
        return false;
    e->bins = e->bits ? 1u << e->bits * e->observed_count : 1;
    return read_locations(e);
}

/* ---- sizes
 * ------------------------------------------------------------------------------------------------- */

static unsigned power_below(uint64_t n)
{
    unsigned p = 1;
    while (2ull * p <= n && p < 1u << 22)
        p *= 2;
    return p;
}

#define SUB_GROUP 32u /* work-items of a sub-group on many devices */

static bool needs_sub_groups(const cJSON *test)
{
    const cJSON *need;
    cJSON_ArrayForEach(need, cJSON_GetObjectItem(test, "needs"))
    {
        if (cJSON_IsString(need) && strcmp(need->valuestring, "subgroups") == 0)
            return true;
    }
    return false;
}

#define WISH(device) ((device)->is_gpu ? 128u : 64u) /* work-items of a work-group */

unsigned lt_exec_slots(const struct lt_device *device, const cJSON *test)
{
    unsigned members = json_unsigned(test, "members"), wish = WISH(device);
    if (needs_sub_groups(test) && wish < SUB_GROUP * members) /* each thread may be in another sub-group */
        wish = SUB_GROUP * members;
    if (device->il) /* the kernel is built for so many */
        return json_unsigned(cJSON_GetObjectItem(test, "il"), "slots");
    size_t limit = device->max_group < wish ? device->max_group : wish;
    return limit < members || !members ? 1 : (unsigned)(limit / members);
}

/* As many clusters of work-groups as the device can hold concurrently, and iterations for BATCH instances.
 * The work-groups of a test that waits must all be resident [CL 3.2.2: no progress is promised]. */
static void choose_geometry(struct exec *e)
{
    const struct lt_device *d = e->job->device;
    unsigned wish = WISH(d), batch = e->job->options->batch;
    if (!batch)
        batch = d->is_gpu ? 1u << 20 : 4096;
    if (!e->bits && batch > OTHERS)
        batch = OTHERS;
    e->slots = lt_exec_slots(d, e->job->test);
    unsigned resident = d->units * (d->is_gpu && !e->waits ? 2048 / wish : 1);
    unsigned clusters = power_below(resident / e->groups ? resident / e->groups : 1);
    if (!d->is_gpu && !e->waits)
        clusters = 16;
    while (clusters > 1 && clusters * e->slots > batch)
        clusters /= 2;
    unsigned iterations = (batch + clusters * e->slots - 1) / (clusters * e->slots);
    /* One iteration on CPUs, whose compilers handle loops around barriers poorly. */
    if (!d->is_gpu && e->waits)
        batch = batch < clusters * e->slots ? batch : clusters * e->slots;
    while (!d->is_gpu && clusters * e->slots < batch)
        clusters *= 2;
    iterations = d->is_gpu ? iterations : 1;
    e->knobs[LT_K_clusters] = clusters;
    e->knobs[LT_K_rounds] = iterations;
    e->capacity = batch;
}

/* ---- memory
 * ------------------------------------------------------------------------------------------- */

static bool reserve(struct exec *e, cl_mem *buffer, size_t bytes)
{
    cl_int status;
    *buffer = clCreateBuffer(e->job->device->context, CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &status);
    return !lt_exec_failed(e, "clCreateBuffer", status);
}

static bool create_buffers(struct exec *e)
{
    size_t gates = (size_t)e->knobs[LT_K_clusters] * e->knobs[LT_K_rounds];
    e->bin_host = calloc(e->bins, sizeof *e->bin_host);
    e->others_host = calloc((size_t)OTHERS * (e->observed_count + 1), sizeof *e->others_host);
    if (!e->bin_host || !e->others_host) {
        e->failure = "out of memory";
        return false;
    }
    return reserve(e, &e->out, (size_t)(e->columns + 1) * e->capacity * e->value_size) &&
           reserve(e, &e->scratch, MAX_LINES * sizeof(cl_uint)) &&
           reserve(e, &e->sync, gates * sizeof(cl_uint)) && reserve(e, &e->knob_buffer, sizeof e->knobs) &&
           reserve(e, &e->bin_buffer, e->bins * sizeof(cl_uint)) &&
           reserve(e, &e->count_buffer, 2 * sizeof(cl_uint)) &&
           reserve(e, &e->others_buffer, (size_t)OTHERS * (e->observed_count + 1) * sizeof(cl_long));
}

/* ---- one batch
 * ---------------------------------------------------------------------------------------------- */

uint32_t lt_knob_choice(const struct lt_knob *knob, bool gpu, uint64_t random)
{
    const char *list = gpu ? knob->gpu : knob->cpu;
    unsigned count = 1;
    for (const char *p = list; *p; p++)
        count += *p == ',';
    for (random %= count; random; random--)
        list = strchr(list, ',') + 1;
    return (uint32_t)strtoul(list, NULL, 10);
}

/* A test may say which sub-groups its threads are in, and an instance whose threads are in others does not count.
 * Neighbours share a sub-group; work-items that are far from each other mostly do not. */
static void place_in_sub_groups(struct exec *e)
{
    const struct lt_options *o = e->job->options;
    const cJSON *threads = cJSON_GetObjectItem(e->job->test, "threads"), *s, *t;
    bool near = false, far = false;
    cJSON_ArrayForEach(s, threads)
    {
        for (t = threads->child; t != s; t = t->next)
            if (json_unsigned(s, "work_group") == json_unsigned(t, "work_group"))
                *(json_unsigned(s, "sub_group") == json_unsigned(t, "sub_group") ? &near : &far) = true;
    }
    if (near == far || !needs_sub_groups(e->job->test))
        return;
    if (!o->knob_given[LT_K_split])
        e->knobs[LT_K_split] = far;
    if (!o->knob_given[LT_K_lanes])
        e->knobs[LT_K_lanes] = 1;
}

static void choose_knobs(struct exec *e, uint32_t instances)
{
    const struct lt_options *o = e->job->options;
    /* Most batches use the tuned setting; the others may show outcomes that it does not. */
    const struct lt_tuning *tuning = e->job->tuning && next_random(e) % 4 ? e->job->tuning : NULL;
    for (unsigned k = 0; k < LT_KNOB_COUNT; k++) {
        uint64_t random = next_random(e);
        if (o->knob_given[k])
            e->knobs[k] = o->knob_values[k];
        else if (tuning && tuning->set[k])
            e->knobs[k] = tuning->values[k];
        else if (*lt_knobs[k].cpu)
            e->knobs[k] = lt_knob_choice(&lt_knobs[k], e->job->device->is_gpu, random);
    }
    place_in_sub_groups(e);
    e->knobs[LT_K_scatter] |= 1;
    e->knobs[LT_K_lanes] |= 1;
    e->knobs[LT_K_stress_lines] = power_below(e->knobs[LT_K_stress_lines] ? e->knobs[LT_K_stress_lines] : 1);
    if (e->knobs[LT_K_stress_lines] > MAX_LINES)
        e->knobs[LT_K_stress_lines] = MAX_LINES;
    if (e->knobs[LT_K_stress_every] == 1)
        e->knobs[LT_K_stress_every] = 2;
    size_t local_size = (size_t)e->slots * e->members;
    if (e->members == 1 || local_size % 2 == 1 || local_size % 3 == 0 || local_size % 5 == 0 ||
        local_size % 11 == 0)
        e->knobs[LT_K_lanes] = 1;
    if (e->waits)
        e->knobs[LT_K_stress_every] = 0;
    e->knobs[LT_K_instances] = instances;
    unsigned places = power_below(e->capacity);
    e->knobs[LT_K_mask] = (places < e->capacity ? 2 * places : places) - 1;
    while (e->knobs[LT_K_stride] > 1 &&
           (uint64_t)(e->knobs[LT_K_mask] + 1) * e->knobs[LT_K_stride] * 8 > e->job->device->max_alloc / 4)
        e->knobs[LT_K_stride] /= 2;
    if (!e->knobs[LT_K_stride])
        e->knobs[LT_K_stride] = 1;
}

static void drop_memory(struct exec *e, struct location *l)
{
    if (l->buffer)
        clReleaseMemObject(l->buffer);
    if (l->memory) /* not before the kernels that use it have ended [CL 5.6.1] */
        clFinish(e->job->device->queue);
    lt_memory_drop(e->job->device->context, l->kind, l->memory);
    l->buffer = NULL;
    l->memory = NULL;
}

static bool reserve_location(struct exec *e, struct location *l, size_t bytes)
{
    if (l->kind == LT_IN_BUFFER)
        return reserve(e, &l->buffer, bytes);
    l->memory = lt_memory_take(e->job->device->context, l->kind, bytes);
    return !lt_exec_failed(e, "clSVMAlloc", l->memory ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

/* Allocates memory for all instances at this stride.  The collecting kernel initializes it. */
static bool fit_locations(struct exec *e)
{
    for (unsigned i = 0; i < e->location_count; i++) {
        struct location *l = &e->locations[i];
        size_t bytes =
            ((size_t)e->knobs[LT_K_mask] + 1) * e->knobs[LT_K_stride] * l->elements * l->element_size;
        if (bytes <= l->bytes)
            continue;
        drop_memory(e, l);
        if (!reserve_location(e, l, bytes))
            return false;
        l->bytes = bytes;
    }
    return true;
}

static bool set_buffers(struct exec *e, cl_kernel kernel, const cl_mem *const *buffers, cl_uint *next)
{
    cl_int status = CL_SUCCESS;
    for (; *buffers; buffers++)
        status |= clSetKernelArg(kernel, (*next)++, sizeof **buffers, *buffers);
    return !lt_exec_failed(e, "clSetKernelArg", status);
}

static bool set_locations(struct exec *e, cl_kernel kernel, cl_uint next)
{
    cl_int status = CL_SUCCESS;
    for (unsigned i = 0; i < e->location_count; i++, next++) {
        const struct location *l = &e->locations[i];
        status |= l->kind == LT_IN_BUFFER ? clSetKernelArg(kernel, next, sizeof l->buffer, &l->buffer)
                                          : clSetKernelArgSVMPointer(kernel, next, l->memory);
    }
    return !lt_exec_failed(e, "clSetKernelArg", status);
}

static bool set_arguments(struct exec *e)
{
    const cl_mem *run[] = {&e->out, &e->scratch, &e->sync, &e->knob_buffer, NULL};
    const cl_mem *collect[] = {&e->out,           &e->sync, &e->knob_buffer, &e->bin_buffer, &e->count_buffer,
                               &e->others_buffer, NULL};
    cl_uint a = 0, b = 0, seed = 0;
    if (!set_buffers(e, e->kernel, run, &a) ||
        lt_exec_failed(e, "clSetKernelArg", clSetKernelArg(e->kernel, a, sizeof seed, &seed)))
        return false;
    a++;
    return set_locations(e, e->kernel, a) &&
           (!e->collect || (set_buffers(e, e->collect, collect, &b) && set_locations(e, e->collect, b)));
}

static bool enqueue_collect(struct exec *e)
{
    const struct lt_device *d = e->job->device;
    size_t local = !d->is_gpu ? 1 : d->max_group < 64 ? d->max_group : 64;
    size_t groups = (e->knobs[LT_K_instances] + local * 8 - 1) / (local * 8);
    size_t most = (size_t)d->units * (d->is_gpu ? 16 : 1);
    size_t global = (groups < most ? groups : most) * local;
    return !lt_exec_failed(
        e, "clEnqueueNDRangeKernel",
        clEnqueueNDRangeKernel(d->queue, e->collect, 1, NULL, &global, &local, 0, NULL, NULL));
}

static bool enqueue_run(struct exec *e)
{
    size_t local = (size_t)e->slots * e->members, groups = (size_t)e->knobs[LT_K_clusters] * e->groups;
    size_t every = e->knobs[LT_K_stress_every];
    if (every)
        groups += (groups - 1) / (every - 1);
    size_t global = groups * local;
    cl_uint seed = (cl_uint)next_random(e);
    return !lt_exec_failed(e, "clSetKernelArg", clSetKernelArg(e->kernel, 4, sizeof seed, &seed)) &&
           !lt_exec_failed(e, "clEnqueueNDRangeKernel",
                           clEnqueueNDRangeKernel(e->job->device->queue, e->kernel, 1, NULL, &global, &local,
                                                  0, NULL, NULL));
}

static bool write_buffer(struct exec *e, cl_mem buffer, const void *from, size_t bytes)
{
    return !lt_exec_failed(
        e, "clEnqueueWriteBuffer",
        clEnqueueWriteBuffer(e->job->device->queue, buffer, CL_TRUE, 0, bytes, from, 0, NULL, NULL));
}

static bool read_buffer(struct exec *e, cl_mem buffer, void *to, size_t bytes)
{
    return !lt_exec_failed(
        e, "clEnqueueReadBuffer",
        clEnqueueReadBuffer(e->job->device->queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

/* A batch of many launches may take longer than the campaign waits for a sign of life: launches are, now and
 * then, waited for and reported.  A launch that hangs is not. */
static bool show_life(struct exec *e, unsigned number)
{
    unsigned often = e->job->device->is_gpu ? 4 : 1;
    if (number % often != often - 1)
        return true;
    if (lt_exec_failed(e, "clFinish", clFinish(e->job->device->queue)))
        return false;
    lt_report(e->job->report, e->job->index, "alive", NULL, NULL);
    return true;
}

/* Prepares memory, launches LAUNCHES times, counting after each. */
static bool launch(struct exec *e, unsigned launches)
{
    const cl_uint zero[2] = {0, 0};
    if (lt_exec_host_counts(e))
        return fit_locations(e) && write_buffer(e, e->knob_buffer, e->knobs, sizeof e->knobs) &&
               set_arguments(e) && lt_exec_prepare(e);
    memset(e->bin_host, 0, e->bins * sizeof *e->bin_host);
    if (!fit_locations(e) || !write_buffer(e, e->knob_buffer, e->knobs, sizeof e->knobs) ||
        !set_arguments(e) || !enqueue_collect(e) ||
        !write_buffer(e, e->bin_buffer, e->bin_host, e->bins * sizeof(cl_uint)) ||
        !write_buffer(e, e->count_buffer, zero, sizeof zero))
        return false;
    for (unsigned i = 0; i < launches; i++)
        if (!enqueue_run(e) || !enqueue_collect(e) || !show_life(e, i))
            return false;
    return true;
}

/* Adds what the device counted to H.  Every instance must be there, in the bins, among the others or
 * discarded: a device that loses some is found out. */
static bool collect(struct exec *e, uint64_t instances, struct lt_histogram *h, uint64_t *discarded)
{
    cl_uint counts[2];
    uint64_t sum = 0;
    if (!read_buffer(e, e->count_buffer, counts, sizeof counts) ||
        !read_buffer(e, e->bin_buffer, e->bin_host, e->bins * sizeof(cl_uint)))
        return false;
    cl_uint others = counts[0] < OTHERS ? counts[0] : OTHERS;
    if (others &&
        !read_buffer(e, e->others_buffer, e->others_host,
                     (size_t)others * (e->observed_count ? e->observed_count : 1) * sizeof(cl_long)))
        return false;
    bool ok = true;
    for (unsigned b = 0; e->bits && b < e->bins && ok; b++) {
        int64_t values[LT_MAX_VALUES] = {0};
        for (unsigned v = 0; v < e->observed_count; v++)
            values[v] = e->low + (int64_t)(b >> v * e->bits & ((1u << e->bits) - 1));
        sum += e->bin_host[b];
        ok = lt_histogram_add(h, values, e->bin_host[b]);
    }
    for (cl_uint i = 0; i < others && ok; i++)
        ok = lt_histogram_add(h, e->others_host + (size_t)i * e->observed_count, 1);
    *discarded = counts[1];
    e->overflow = others != counts[0] && sum + counts[0] + counts[1] == instances;
    if (!ok)
        e->failure = "out of memory";
    else if (sum + counts[0] + counts[1] != instances) {
        snprintf(e->message, sizeof e->message,
                 "%llu instances were launched, but %llu counted: kernels or buffers of the device lose data",
                 (unsigned long long)instances, (unsigned long long)(sum + counts[0] + counts[1]));
        e->failure = e->message;
    }
    return !e->failure;
}

static cJSON *knobs_json(const struct exec *e)
{
    cJSON *json = cJSON_CreateObject();
    for (unsigned k = 0; k < LT_KNOB_COUNT; k++)
        cJSON_AddNumberToObject(json, lt_knobs[k].name, e->knobs[k]);
    return json;
}

static bool run_batch(struct exec *e, uint32_t instances, unsigned launches)
{
    struct lt_histogram h = {.values = e->observed_count};
    uint64_t discarded = 0, total = (uint64_t)instances * launches;
    double start = lt_seconds();
    choose_knobs(e, instances);
    bool ok = launch(e, launches);
    if (lt_exec_host_counts(e))
        for (unsigned i = 0; ok && i < launches; i++)
            ok = enqueue_run(e) && lt_exec_count(e, &h, &discarded);
    else
        ok = ok && collect(e, total, &h, &discarded);
    if (ok && !e->overflow) {
        cJSON *extra = cJSON_CreateObject();
        cJSON_AddNumberToObject(extra, "instances", (double)(total - discarded));
        cJSON_AddNumberToObject(extra, "discarded", (double)discarded);
        cJSON_AddNumberToObject(extra, "ms", (lt_seconds() - start) * 1e3);
        cJSON_AddItemToObject(extra, "states", lt_histogram_json(&h));
        cJSON_AddItemToObject(extra, "knobs", knobs_json(e));
        lt_report(e->job->report, e->job->index, "batch", NULL, extra);
    }
    lt_histogram_clear(&h);
    return ok;
}

static void run_batches(struct exec *e)
{
    uint64_t wanted = e->job->options->probe ? e->capacity : lt_wanted(e->job->options, e->job->test);
    uint64_t done = e->job->done, batch = e->job->batches;
    unsigned most = !e->bits ? 1 : e->job->device->is_gpu ? 16 : e->waits ? 64 : 1;
    bool timed = e->job->deadline > 0;
    for (bool first = true; timed ? first || lt_seconds() < e->job->deadline : done < wanted;
         batch++, first = false) {
        uint64_t left = timed || wanted - done > e->capacity ? e->capacity : wanted - done;
        unsigned launches = timed ? most : (unsigned)((wanted - done) / e->capacity);
        launches = launches > most ? most : launches ? launches : 1;
        /* A batch depends on the seed and its number alone, so that a resumed run
         * equals an uninterrupted one. */
        e->random = e->job->seed + (uint64_t)e->job->index * 0x100000001b3 + batch * 0x9e3779b1;
        bool ok = run_batch(e, (uint32_t)left, launches);
        if (ok && e->overflow && most * e->capacity > OTHERS) {
            /* Smaller batches, whose states all fit. */
            most = 1;
            e->capacity = e->capacity < OTHERS ? e->capacity : OTHERS;
            batch--;
            continue;
        }
        if (!ok)
            return;
        done += left * launches;
        if (timed && e->job->options->confidence > 0 && (double)done >= 3 / e->job->options->confidence)
            return;
    }
}

static void clean_up(struct exec *e)
{
    cl_mem buffers[] = {e->out,        e->scratch,      e->sync,         e->knob_buffer,
                        e->bin_buffer, e->count_buffer, e->others_buffer};
    for (unsigned i = 0; i < e->location_count; i++) {
        drop_memory(e, &e->locations[i]);
        free(e->locations[i].initial);
    }
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    free(e->bin_host);
    free(e->others_host);
    if (e->kernel)
        clReleaseKernel(e->kernel);
    if (e->collect)
        clReleaseKernel(e->collect);
    if (e->program)
        clReleaseProgram(e->program);
}

void lt_run_test(struct lt_job *job)
{
    char reason[256];
    bool legacy = false;
    const cJSON *skip = cJSON_GetObjectItem(job->test, "skip");
    const char *lacks = cJSON_IsString(skip)
                            ? skip->valuestring
                            : lt_device_lacks(job->device, job->test, &legacy, reason, sizeof reason);
    if (lacks) {
        lt_report(job->report, job->index, "skipped", lacks, NULL);
        return;
    }
    if (job->deadline <= 0 && job->done >= lt_wanted(job->options, job->test)) {
        lt_report(job->report, job->index, "done", NULL, NULL);
        return;
    }
    if (cJSON_GetObjectItem(job->test, "host")) {
        lt_run_host_test(job, legacy);
        return;
    }
    struct exec *e = calloc(1, sizeof *e);
    if (!e) {
        lt_report(job->report, job->index, "failed", "out of memory", NULL);
        return;
    }
    e->job = job;
    e->legacy = legacy;
    if (!lt_exec_read(e)) {
        e->failure = "the plan's description of the test is not valid";
    } else {
        choose_geometry(e);
        if (lt_exec_build(e) && create_buffers(e))
            run_batches(e);
    }
    clean_up(e);
    lt_report(job->report, job->index, e->failure ? "failed" : "done", e->failure, NULL);
    free(e);
}
