/* Runs one test on the device, whatever its interface: reads the plan, chooses the geometry, then runs batch
 * after batch, each with other knobs. */
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

/* The number KEY of OBJECT, 0 if there is none below 2^20. */
static unsigned json_unsigned(const cJSON *object, const char *key)
{
    int n = lt_json_count(object, key);
    return n > 0 ? (unsigned)n : 0;
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
        if (e->shape.location_count == MAX_LOCATIONS)
            return false;
        struct location *l = &e->locations[e->shape.location_count++];
        l->element_size = json_unsigned(item, "element_size");
        l->elements = (unsigned)cJSON_GetArraySize(initial);
        l->number = n - 1;
        l->alias = cJSON_GetObjectItem(item, "alias") ? json_unsigned(item, "alias") : l->number;
        int kind = lt_memory_kind(item);
        l->kind = (enum lt_memory_kind)kind;
        l->is_image = cJSON_IsTrue(cJSON_GetObjectItem(item, "image"));
        l->is_signed = cJSON_IsTrue(cJSON_GetObjectItem(item, "signed"));
        bool size_ok =
            l->element_size == 1 || l->element_size == 2 || l->element_size == 4 || l->element_size == 8;
        if (!size_ok || !l->elements || kind < 0)
            return false;
        if (!(l->initial = lt_initial_bytes(initial, l->element_size)))
            return false;
    }
    return true;
}

/* The columns are the observed values that threads store, and then, if at all, the sub-group of each
 * thread. */
static bool columns_fit(const struct exec *e)
{
    const cJSON *item;
    unsigned stored = 0;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(e->job->test, "observed"))
    {
        stored += cJSON_GetObjectItem(item, "column") != NULL;
    }
    unsigned threads = (unsigned)cJSON_GetArraySize(cJSON_GetObjectItem(e->job->test, "threads"));
    return e->shape.columns == stored || e->shape.columns == stored + threads;
}

bool lt_exec_read(struct exec *e)
{
    const cJSON *test = e->job->test;
    const int64_t most = INT64_C(1) << 53;
    e->shape.groups = json_unsigned(test, "groups");
    e->shape.members = json_unsigned(test, "members");
    e->shape.columns = json_unsigned(test, "columns");
    e->shape.value_size = json_unsigned(test, "value_size");
    e->shape.bits = json_unsigned(test, "bits");
    e->shape.low = lt_json_value(cJSON_GetObjectItem(test, "low"));
    e->shape.waits = cJSON_IsTrue(cJSON_GetObjectItem(test, "waits"));
    e->shape.observed_count = (unsigned)cJSON_GetArraySize(cJSON_GetObjectItem(test, "observed"));
    if (!e->shape.groups || !e->shape.members || !lt_exec_slots(e->job->device, test) ||
        e->shape.columns > 2 * LT_MAX_VALUES || !columns_fit(e) || e->shape.observed_count > LT_MAX_VALUES ||
        (e->shape.value_size != 4 && e->shape.value_size != 8) ||
        e->shape.bits * e->shape.observed_count > 24 || e->shape.low < -most || e->shape.low > most)
        return false;
    e->shape.bins = e->shape.bits ? 1u << e->shape.bits * e->shape.observed_count : 1;
    return read_locations(e);
}

/* ---- sizes -------------------------------------------------------------------------------------- */

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
    if (device->uses_il) /* the kernel is built for a fixed size */
        return json_unsigned(cJSON_GetObjectItem(test, "il"), "slots");
    size_t limit = device->max_group < wish ? device->max_group : wish;
    return limit < members || !members ? 1 : (unsigned)(limit / members);
}

/* Places of instances in the largest image of the test; 0: there is no bound. */
static uint64_t image_places(const struct exec *e)
{
    size_t texels = e->job->device->image_texels;
    unsigned elements = 0;
    for (unsigned i = 0; i < e->shape.location_count; i++)
        if (e->locations[i].is_image && e->locations[i].elements > elements)
            elements = e->locations[i].elements;
    return elements && texels ? texels / elements : 0;
}

/* As many clusters of work-groups as the device can hold concurrently, and iterations for BATCH instances.
 * The work-groups of a test that waits must all be resident [CL 3.2.2: no progress is promised]. */
static void choose_geometry(struct exec *e)
{
    const struct lt_device *d = e->job->device;
    unsigned wish = WISH(d), batch = e->job->options->amount.batch;
    if (!batch)
        batch = d->is_gpu ? 1u << 20 : 4096;
    if (!e->shape.bits && batch > OTHERS)
        batch = OTHERS;
    if (image_places(e) && batch > image_places(e))
        batch = power_below(image_places(e));
    e->shape.slots = lt_exec_slots(d, e->job->test);
    unsigned resident = d->units * (d->is_gpu && !e->shape.waits ? 2048 / wish : 1);
    unsigned clusters = power_below(resident / e->shape.groups ? resident / e->shape.groups : 1);
    if (!d->is_gpu && !e->shape.waits)
        clusters = 16;
    while (clusters > 1 && clusters * e->shape.slots > batch)
        clusters /= 2;
    unsigned iterations = (batch + clusters * e->shape.slots - 1) / (clusters * e->shape.slots);
    /* One iteration on CPUs, whose compilers handle loops around barriers poorly. */
    if (!d->is_gpu && e->shape.waits)
        batch = batch < clusters * e->shape.slots ? batch : clusters * e->shape.slots;
    while (!d->is_gpu && clusters * e->shape.slots < batch)
        clusters *= 2;
    iterations = d->is_gpu ? iterations : 1;
    e->knobs[LT_K_clusters] = clusters;
    e->knobs[LT_K_rounds] = iterations;
    e->shape.capacity = batch;
}

static bool make_counters(struct exec *e)
{
    e->memory.bin_host = calloc(e->shape.bins, sizeof *e->memory.bin_host);
    e->memory.others_host =
        calloc((size_t)OTHERS * (e->shape.observed_count + 1), sizeof *e->memory.others_host);
    if (!e->memory.bin_host || !e->memory.others_host)
        e->failure = "out of memory";
    return !e->failure;
}

/* ---- one batch ---------------------------------------------------------------------------------- */

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

/* A test may say which sub-groups its threads are in, and an instance whose threads are in others does not
 * count. Neighbors share a sub-group; work-items that are far from each other mostly do not. */
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
    if (!o->knobs.given[LT_K_split])
        e->knobs[LT_K_split] = far;
    if (!o->knobs.given[LT_K_lanes])
        e->knobs[LT_K_lanes] = 1;
}

/* Sets each knob to the value that the user fixed, the tuned one, or one of its choices. */
static void draw_knobs(struct exec *e)
{
    const struct lt_options *o = e->job->options;
    /* Most batches use the tuned setting; the others may show outcomes that it does not. */
    const struct lt_tuning *tuning = e->job->tuning && lt_random(&e->random) % 4 ? e->job->tuning : NULL;
    for (unsigned k = 0; k < LT_KNOB_COUNT; k++) {
        uint64_t random = lt_random(&e->random);
        if (o->knobs.given[k])
            e->knobs[k] = o->knobs.values[k];
        else if (tuning && tuning->set[k])
            e->knobs[k] = tuning->values[k];
        else if (*lt_knobs[k].cpu)
            e->knobs[k] = lt_knob_choice(&lt_knobs[k], e->job->device->is_gpu, random);
    }
}

/* The multiplication by the knob must permute the work-items of a group: it is off where their number and one
 * of the choices, 5, 11 and 33, may have a common factor. */
static void limit_lanes(struct exec *e)
{
    size_t local_size = (size_t)e->shape.slots * e->shape.members;
    e->knobs[LT_K_lanes] |= 1;
    if (e->shape.members == 1 || local_size % 2 == 1 || local_size % 3 == 0 || local_size % 5 == 0 ||
        local_size % 11 == 0)
        e->knobs[LT_K_lanes] = 1;
}

static void limit_stress(struct exec *e)
{
    uint32_t *every = &e->knobs[LT_K_stress_every], *lines = &e->knobs[LT_K_stress_lines];
    *lines = power_below(*lines ? *lines : 1);
    if (*lines > MAX_LINES)
        *lines = MAX_LINES;
    if (*every == 1) /* some work-groups must run the test */
        *every = 2;
    if (e->shape.waits) /* and all of them where they wait for one another */
        *every = 0;
}

/* Sets the number of places in memory, a power of two, and lowers the stride until the elements of all of
 * them take at most a quarter of the largest allocation, if each has 8 bytes, and fit into an image. */
static void limit_memory(struct exec *e)
{
    uint32_t *stride = &e->knobs[LT_K_stride];
    unsigned places = power_below(e->shape.capacity);
    places = places < e->shape.capacity ? 2 * places : places;
    e->knobs[LT_K_mask] = places - 1;
    uint64_t most = e->job->device->max_alloc / 4 / 8, texels = image_places(e);
    most = texels && texels < most ? texels : most;
    while (*stride > 1 && (uint64_t)places * *stride > most)
        *stride /= 2;
    if (!*stride)
        *stride = 1;
}

static void choose_knobs(struct exec *e, uint32_t instances)
{
    draw_knobs(e);
    place_in_sub_groups(e);
    e->knobs[LT_K_instances] = instances;
    e->knobs[LT_K_scatter] |= 1;
    limit_lanes(e);
    limit_stress(e);
    limit_memory(e);
}

size_t lt_exec_location_bytes(const struct exec *e, const struct location *l)
{
    return ((size_t)e->knobs[LT_K_mask] + 1) * e->knobs[LT_K_stride] * l->elements * l->element_size;
}

uint32_t lt_exec_others(const uint32_t counts[2])
{
    return counts[0] < OTHERS ? counts[0] : OTHERS;
}

size_t lt_exec_others_bytes(const struct exec *e, const uint32_t counts[2])
{
    return (size_t)lt_exec_others(counts) * (e->shape.observed_count ? e->shape.observed_count : 1) *
           sizeof *e->memory.others_host;
}

/* Fails if the device lost instances: each must be in a bin, among the other states, or discarded. */
bool lt_exec_add_counts(struct exec *e, const uint32_t counts[2], uint64_t instances, struct lt_histogram *h,
                        uint64_t *discarded)
{
    uint64_t sum = 0;
    uint32_t others = lt_exec_others(counts);
    bool ok = true;
    for (unsigned b = 0; e->shape.bits && b < e->shape.bins && ok; b++) {
        int64_t values[LT_MAX_VALUES] = {0};
        for (unsigned v = 0; v < e->shape.observed_count; v++)
            values[v] = e->shape.low + (int64_t)(b >> v * e->shape.bits & ((1u << e->shape.bits) - 1));
        sum += e->memory.bin_host[b];
        ok = lt_histogram_add(h, values, e->memory.bin_host[b]);
    }
    for (uint32_t i = 0; i < others && ok; i++)
        ok = lt_histogram_add(h, e->memory.others_host + (size_t)i * e->shape.observed_count, 1);
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

/* Counts the instances in STATES for which some thread did not store its observed values.  Such an instance
 * is not evaluated: the device lost stores or ended work-items early, as llvmpipe does after 65535
 * iterations of loops. */
static uint64_t count_lost(const struct exec *e, const cJSON *states)
{
    const cJSON *state, *value, *term;
    uint64_t lost = 0;
    cJSON_ArrayForEach(state, states)
    {
        bool stored = true;
        term = cJSON_GetObjectItem(e->job->test, "observed")->child;
        cJSON_ArrayForEach(value, cJSON_GetObjectItem(state, "values"))
        {
            stored &= !cJSON_GetObjectItem(term, "column") || lt_json_value(value) != LT_NOT_STORED;
            term = term->next;
        }
        lost += stored ? 0 : (uint64_t)lt_json_value(cJSON_GetObjectItem(state, "count"));
    }
    return lost;
}

/* Reports the batch, unless instances are lost. */
static bool report_batch(struct exec *e, const struct lt_histogram *h, uint64_t total, uint64_t discarded,
                         double start)
{
    cJSON *states = lt_histogram_json(h);
    uint64_t lost = count_lost(e, states);
    if (lost) {
        snprintf(
            e->message, sizeof e->message,
            "no result was written by %llu of %llu instances: the device ended them early or lost stores",
            (unsigned long long)lost, (unsigned long long)total);
        e->failure = e->message;
        cJSON_Delete(states);
        return false;
    }
    cJSON *extra = cJSON_CreateObject();
    cJSON_AddNumberToObject(extra, "instances", (double)(total - discarded));
    cJSON_AddNumberToObject(extra, "discarded", (double)discarded);
    cJSON_AddNumberToObject(extra, "ms", (lt_seconds() - start) * 1e3);
    e->seen |= lt_shows_target(states, cJSON_GetObjectItem(e->job->test, "target"));
    cJSON_AddItemToObject(extra, "states", states);
    cJSON_AddItemToObject(extra, "knobs", knobs_json(e));
    lt_report(e->job->report, e->job->index, "batch", NULL, extra);
    return true;
}

static bool run_batch(struct exec *e, uint32_t instances, unsigned launches)
{
    struct lt_histogram h = {.values = e->shape.observed_count};
    uint64_t discarded = 0, total = (uint64_t)instances * launches;
    double start = lt_seconds();
    choose_knobs(e, instances);
    bool ok = e->job->device->backend->run(e, launches, &h, &discarded);
    if (ok && !e->overflow)
        ok = report_batch(e, &h, total, discarded, start);
    lt_histogram_clear(&h);
    return ok;
}

static void run_batches(struct exec *e)
{
    uint64_t wanted =
        e->job->options->amount.probe ? e->shape.capacity : lt_wanted(e->job->options, e->job->test);
    uint64_t done = e->job->done, batch = e->job->batches;
    unsigned most = !e->shape.bits ? 1 : e->job->device->is_gpu ? 16 : e->shape.waits ? 64 : 1;
    bool timed = e->job->deadline > 0;
    for (bool first = true; timed ? first || lt_seconds() < e->job->deadline : done < wanted;
         batch++, first = false) {
        uint64_t left = timed || wanted - done > e->shape.capacity ? e->shape.capacity : wanted - done;
        unsigned launches = timed ? most : (unsigned)((wanted - done) / e->shape.capacity);
        launches = launches > most ? most : launches ? launches : 1;
        e->random = lt_batch_seed(e->job, batch);
        bool ok = run_batch(e, (uint32_t)left, launches);
        if (ok && e->overflow && most * e->shape.capacity > OTHERS) {
            /* Smaller batches, whose states all fit. */
            most = 1;
            e->shape.capacity = e->shape.capacity < OTHERS ? e->shape.capacity : OTHERS;
            batch--;
            continue;
        }
        if (!ok)
            return;
        done += left * launches;
        if (e->seen && e->job->options->amount.until_seen)
            return;
        if (timed && e->job->options->amount.confidence > 0 &&
            (double)done >= 3 / e->job->options->amount.confidence)
            return;
    }
}

uint64_t lt_batch_seed(const struct lt_job *job, uint64_t batch)
{
    return job->seed + (uint64_t)job->index * 0x100000001b3 + batch * 0x9e3779b1;
}

void lt_run_test(struct lt_job *job)
{
    char reason[256];
    bool legacy = false;
    const struct lt_backend *backend = job->device->backend;
    const cJSON *skip = cJSON_GetObjectItem(job->test, "skip");
    const char *lacks = cJSON_IsString(skip)
                            ? skip->valuestring
                            : backend->lacks(job->device, job->test, &legacy, reason, sizeof reason);
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
    e->shape.legacy = legacy;
    if (!lt_exec_read(e)) {
        e->failure = "the plan's description of the test is not valid";
    } else {
        choose_geometry(e);
        if (backend->build(e) && make_counters(e) && backend->reserve(e))
            run_batches(e);
    }
    backend->release(e);
    for (unsigned i = 0; i < e->shape.location_count; i++)
        free(e->locations[i].initial);
    free(e->memory.bin_host);
    free(e->memory.others_host);
    lt_report(job->report, job->index, e->failure ? "failed" : "done", e->failure, NULL);
    free(e);
}
