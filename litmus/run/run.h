/* refcl-litmus-run: executes a plan (plan.json) on an OpenCL device and records what it saw (results.json).
 *
 * Stands alone: `cc litmus/run/[a-z]*.c -lOpenCL -lcjson` builds it on a machine that has nothing else.
 * The parent process keeps the records; a child talks to the driver, so that a driver that crashes or
 * hangs costs one test and not the campaign. */
#ifndef LITMUS_RUN_H
#define LITMUS_RUN_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, for old devices */
#include <CL/cl.h>

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define LT_MAX_VALUES 64 /* observed values of one instance */

struct lt_options {
    const char *plan_path, *results_path;
    const char *platform, *device; /* number or part of the name; NULL = first */
    const char *only;              /* part of the test's name; NULL = all */
    uint64_t iterations;           /* 0 = what the plan says */
    uint64_t seed;
    bool has_seed;
    unsigned batch;     /* instances in one launch */
    unsigned timeout_s; /* without a sign of life */
    unsigned shard, shard_count;
    bool resume, list, quiet, stop;
};

/* ---- histograms ----------------------------------------------------------------------------------- */

struct lt_state {
    int64_t values[LT_MAX_VALUES];
    uint64_t count; /* 0: free slot */
};
struct lt_histogram {
    struct lt_state *slots;
    size_t capacity, used;
    unsigned values; /* of a state */
};
bool lt_histogram_add(struct lt_histogram *h, const int64_t *values, uint64_t count);
void lt_histogram_clear(struct lt_histogram *h);
cJSON *lt_histogram_json(const struct lt_histogram *h); /* [{"values": [...], "count": n}], sorted */
bool lt_histogram_load(struct lt_histogram *h, const cJSON *states);
/* Numbers beyond 2^53 are written as strings. */
cJSON *lt_value_json(int64_t value);
int64_t lt_json_value(const cJSON *item);

/* ---- the device, in the child ------------------------------------------------------------------------ */

struct lt_device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    char platform[256], name[256], version[256], c_version[256], driver[256];
    unsigned cl_version; /* of the device: 120, 200, 300 */
    unsigned c_level;    /* newest OpenCL C that has what we need */
    size_t max_group;
    char *features; /* " __opencl_c_x __opencl_c_y " of OpenCL C 3.0, and extensions */
};
/* Returns NULL, or why the device cannot be used. */
const char *lt_device_open(struct lt_device *device, const struct lt_options *options);
void lt_device_close(struct lt_device *device);
void lt_device_list(FILE *out);
cJSON *lt_device_json(const struct lt_device *device);
/* Why DEVICE cannot run TEST, NULL if it can. */
const char *lt_device_lacks(const struct lt_device *device, const cJSON *test, char *reason, size_t size);
/* -cl-std option for TEST. */
const char *lt_device_standard(const struct lt_device *device, const cJSON *plan);

/* ---- running one test, in the child -------------------------------------------------------------------- */

struct lt_job {
    const struct lt_options *options;
    struct lt_device *device;
    const cJSON *plan, *test;
    unsigned index; /* of the test in the plan */
    uint64_t done;  /* instances that earlier runs made */
    uint64_t batches;
    uint64_t seed;
    FILE *report; /* one JSON object per line to the parent */
};
void lt_run_test(struct lt_job *job);
void lt_report(FILE *report, unsigned test, const char *event, const char *reason, cJSON *extra);

/* ---- the campaign, in the parent ------------------------------------------------------------------------
 */

int lt_campaign(const struct lt_options *options);
char *lt_read_file(const char *path);

#endif
