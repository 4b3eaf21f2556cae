/* Plans, as the runner reads them before it uses a device that has all they ask for. */
#include "litmus/run/exec.h"
#include "litmus/run/host.h"
#include "tests/fuzz/reader.h"

#include <stdlib.h>

static bool read_host(struct lt_job *job)
{
    struct lt_host *host = calloc(1, sizeof *host);
    if (host == NULL)
        return false;
    host->job = job;
    bool good = lt_host_read(host);
    lt_host_forget(host);
    free(host);
    return good;
}

static bool read_launches(struct lt_job *job)
{
    struct exec *e = calloc(1, sizeof *e);
    if (e == NULL)
        return false;
    e->job = job;
    bool good = lt_exec_read(e);
    for (unsigned i = 0; i < e->shape.location_count; i++)
        free(e->locations[i].initial);
    free(e);
    return good;
}

static bool read_plan(const uint8_t *data, size_t size)
{
    struct lt_device device = {
        .cl_version = 300, .c_level = 300, .max_group = 1024, .units = 4, .atomics = ~UINT64_C(0)};
    struct lt_options options = {0};
    cJSON *plan = lt_load_plan(fuzz_file(data, size)), *test;
    bool good = plan != NULL, legacy;
    char reason[256];
    device.features = (char[]){""};
    cJSON_ArrayForEach(test, cJSON_GetObjectItem(plan, "tests"))
    {
        struct lt_job job = {.options = &options, .device = &device, .plan = plan, .test = test};
        lt_device_lacks(&device, test, &legacy, reason, sizeof reason);
        lt_wanted(&options, test);
        good &= cJSON_GetObjectItem(test, "host") ? read_host(&job) : read_launches(&job);
    }
    cJSON_Delete(plan);
    return good;
}

const struct fuzz_reader fuzz_plan = {"plan", read_plan, fuzz_mutate_json};
