/* refcl-litmus-run: executes a plan (plan.json) on an OpenCL device and records the outcomes (results.json).
 *
 * Stands alone: `cc litmus/run/[a-z]*.c litmus/run/vk/[a-z]*.c -lOpenCL -lcjson -ldl` builds it without the
 * rest of refcl.  The parent process writes the results; a child process calls the driver, so that a crash or
 * hang of the driver affects one test and not the campaign. */
#ifndef LITMUS_RUN_RUN_H
#define LITMUS_RUN_RUN_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, for old devices */
#include "json.h"
#include <CL/cl.h>

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define LT_BUILD_OPTIONS   512 /* characters */
#define LT_MAX_VALUES      64  /* observed values of one instance */
#define LT_RESULTS_VERSION 1
#define LT_PLAN_VERSION    2

enum {
#define KNOB(name, cpu, gpu, help) LT_K_##name,
#include "knobs.def"
#undef KNOB
    LT_KNOB_COUNT
};
struct lt_knob {
    const char *name, *cpu, *gpu; /* choices, comma-separated; "" if the runner sets it */
    const char *help;
};
extern const struct lt_knob lt_knobs[LT_KNOB_COUNT];

struct lt_options {
    enum lt_action { LT_RUN, LT_LIST, LT_LIST_KNOBS, LT_MERGE, LT_TUNE, LT_HELP } action;
    bool quiet, silent;
    bool has_seed;
    uint64_t seed;
    struct {
        const char *plan, *results;
        const char *seen;   /* results: run only tests whose target outcome is not in them; NULL: all */
        const char *tuning; /* file, "none"; NULL: that of the device, if there is one */
        const char *const *inputs; /* of --merge */
        unsigned input_count;
        bool resume;
    } files;
    struct {
        const char *platform, *name; /* number or part of the name; NULL = first */
        const char *kind;            /* "cpu", "gpu"; NULL = as the device reports */
        const char *variant;         /* of the driver, NULL: none */
        bool vulkan;                 /* list Vulkan devices; the plan must be for Vulkan */
        bool one_queue; /* tests of two queue families run on one queue where the device has one family */
    } device;
    struct {
        const char *only; /* part of the test's name; NULL = all */
        bool exact;       /* the whole name */
        unsigned shard, shard_count;
    } tests;
    struct {
        uint64_t iterations; /* 0 = as in the plan */
        double budget_s;     /* for all tests together, 0 = none */
        double confidence;   /* run until a state of this rate is observed with 95 %; 0 = off */
        unsigned batch;      /* instances in one launch, 0 = by the kind of device */
        unsigned timeout_s;  /* seconds without a message of the child */
        unsigned limit_s;    /* seconds of one test, 0 = none */
        bool until_seen;     /* a test ends when its target outcome was observed */
        bool probe;          /* one batch of each test */
    } amount;
    struct {
        const char *options; /* for all kernels; NULL: none */
        bool il;             /* kernels as SPIR-V, though the device compiles OpenCL C */
        bool legacy;         /* use only the atomics of OpenCL 1.2 */
    } build;
    struct {
        bool given[LT_KNOB_COUNT];
        uint32_t values[LT_KNOB_COUNT];
    } knobs;
    char settings[1024]; /* the options that were given, for readers of the results */
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
/* The next number of a splitmix64 sequence. */
uint64_t lt_random(uint64_t *state);
bool lt_histogram_add(struct lt_histogram *h, const int64_t *values, uint64_t count);
void lt_histogram_clear(struct lt_histogram *h);
cJSON *lt_histogram_json(const struct lt_histogram *h); /* [{"values": [...], "count": n}], sorted */
bool lt_histogram_load(struct lt_histogram *h, const cJSON *states);
/* Whether STATE, or one of STATES, is the target outcome of a test (TARGET in the plan). */
bool lt_is_target(const cJSON *state, const cJSON *target);
bool lt_shows_target(const cJSON *states, const cJSON *target);

/* Counts over time: up to LT_SLICES pieces of equally many batches, each with the counts of its states by
 * their hash.  When all pieces are full, neighbors are merged in pairs. */
#define LT_SLICES       16
#define LT_SLICE_STATES 24
struct lt_slice {
    uint64_t instances;
    unsigned used, batches;
    uint64_t hashes[LT_SLICE_STATES], counts[LT_SLICE_STATES];
};
struct lt_slices {
    unsigned count, batches; /* batches: of a full piece */
    struct lt_slice pieces[LT_SLICES];
};
void lt_slices_add(struct lt_slices *s, uint64_t instances, const struct lt_histogram *batch);
/* [{"instances": n, "counts": [...]}], counts in the order of lt_histogram_json(h). */
cJSON *lt_slices_json(const struct lt_slices *s, const struct lt_histogram *h);
void lt_slices_load(struct lt_slices *s, const cJSON *json, const struct lt_histogram *h);
/* The one of TESTS with the file and the text of WANTED; NULL: none.  Two files may have the same test. */
cJSON *lt_find_test(const cJSON *tests, const cJSON *wanted);

/* ---- interfaces ------------------------------------------------------------------------------------ */

struct exec;
struct lt_device;
/* The interface to devices: OpenCL (launch.c and others) or Vulkan (vk/). */
struct lt_backend {
    void (*list)(FILE *out);
    /* Returns NULL, or why the device cannot be used. */
    const char *(*open)(struct lt_device *device, const struct lt_options *options);
    void (*close)(struct lt_device *device);
    cJSON *(*describe)(const struct lt_device *device);
    /* Why DEVICE cannot run TEST, NULL if it can.  *LEGACY: with the atomics of OpenCL 1.2 alone. */
    const char *(*lacks)(const struct lt_device *device, const cJSON *test, bool *legacy, char *reason,
                         size_t size);
    /* A test that runs as kernel launches; they return false after a failure. */
    bool (*build)(struct exec *e);
    bool (*reserve)(struct exec *e); /* memory that does not depend on the knobs */
    /* LAUNCHES launches with e->knobs; adds their final states to H. */
    bool (*run)(struct exec *e, unsigned launches, struct lt_histogram *h, uint64_t *discarded);
    void (*release)(struct exec *e);
};
extern const struct lt_backend lt_opencl, lt_vulkan;

/* ---- the device, in the child ------------------------------------------------------------------------ */

struct lt_device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    char platform[256], name[256], version[256], c_version[256], driver[256];
    unsigned cl_version; /* of the device: 120, 200, 300 */
    unsigned c_level;    /* newest usable OpenCL C */
    size_t max_group;
    bool is_gpu;
    bool legacy;      /* --legacy: kernels are limited to the atomics of OpenCL 1.2 */
    bool supports_il; /* the device accepts SPIR-V */
    bool uses_il;     /* kernels are given as SPIR-V */
    unsigned units;   /* compute units */
    cl_ulong atomics; /* CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, 0 before OpenCL 3.0 */
    cl_ulong max_alloc;
    size_t image_texels; /* of an image made from a buffer; 0: kernels cannot both read and write images */
    const struct lt_backend *backend;
    struct lt_vk *vk; /* of the Vulkan back end */
    bool lost;        /* device lost: the next test needs a new process */
    char *features;   /* " __opencl_c_x __opencl_c_y " of OpenCL C 3.0, and extensions */
};
const char *lt_device_open(struct lt_device *device, const struct lt_options *options);
void lt_device_close(struct lt_device *device);
void lt_device_list(FILE *out);
cJSON *lt_device_json(const struct lt_device *device);
/* Whether WANTED, a number or part of a name in any case, chooses the platform or device NUMBER; NULL: it
 * does. */
bool lt_is_chosen(const char *wanted, unsigned number, const char *name);
/* As CL_MAKE_VERSION; 0: the device does not report the extension with a version. */
cl_uint lt_device_extension_version(const struct lt_device *device, const char *extension);
#define LT_VERSION(major, minor, patch) ((cl_uint)(major) << 22 | (minor) << 12 | (patch))
const char *lt_device_lacks(const struct lt_device *device, const cJSON *test, bool *legacy, char *reason,
                            size_t size);
/* A program of CONTEXT from the SPIR-V of TEST; NULL with the error code in *STATUS. */
cl_program lt_device_il(const struct lt_device *device, cl_context context, const cJSON *test,
                        cl_int *status);
/* The first SIZE bytes of the build log. */
void lt_device_log(cl_device_id device, cl_program program, char *log, size_t size);
/* The value of -cl-std= for a test; LEGACY: it runs with the atomics of OpenCL 1.2. */
const char *lt_device_standard(const struct lt_device *device, const cJSON *plan, bool legacy);

/* ---- memory (memory.c) --------------------------------------------------------------------------------- */

enum lt_memory_kind { LT_IN_BUFFER, LT_IN_COARSE, LT_IN_FINE, LT_IN_ATOMICS, LT_IN_SYSTEM, LT_IN_HOST };
/* enum lt_memory_kind of a location in the plan; -1: unknown. */
int lt_memory_kind(const cJSON *location);
/* Memory other than a buffer; NULL: not available. */
void *lt_memory_take(cl_context context, enum lt_memory_kind kind, size_t bytes);
void lt_memory_drop(cl_context context, enum lt_memory_kind kind, void *memory);
/* The values of the array INITIAL in the plan as elements of SIZE bytes (free); NULL: out of memory. */
unsigned char *lt_initial_bytes(const cJSON *initial, unsigned size);

/* ---- programs ------------------------------------------------------------------------------------------ */

#define LT_PROGRAM_TESTS 32
/* Several tests in one program: compile time is dominated by the code that all programs share. */
struct lt_programs {
    cl_program program;
    unsigned count, indices[LT_PROGRAM_TESTS]; /* of tests in the plan */
    unsigned most;                             /* limit of tests in the next program, 0: LT_PROGRAM_TESTS */
    bool searching;                            /* bisecting: one of the next tests does not build */
};

/* ---- tuning (tune.c) ----------------------------------------------------------------------------- */

struct lt_tuning {
    bool set[LT_KNOB_COUNT];
    uint32_t values[LT_KNOB_COUNT];
};
/* The parameters that an earlier --tune saved for DEVICE; false: there are none, or the file is unusable
 * (*ERROR). */
bool lt_tuning_load(struct lt_tuning *tuning, const struct lt_device *device,
                    const struct lt_options *options, const char **error);
int lt_tune(const struct lt_options *options);
/* One of the knob's choices, selected by a random number. */
uint32_t lt_knob_choice(const struct lt_knob *knob, bool gpu, uint64_t random);

/* ---- running one test, in the child -------------------------------------------------------------------- */

struct lt_job {
    const struct lt_options *options;
    struct lt_device *device;
    const cJSON *plan, *test;
    unsigned index; /* of the test in the plan */
    uint64_t done;  /* instances that earlier runs made */
    uint64_t batches;
    uint64_t seed;
    double deadline; /* in lt_seconds(); 0 = none: run lt_wanted() instances */
    FILE *report;    /* one JSON object per line to the parent */
    struct lt_programs *programs;
    unsigned next_count, next[LT_PROGRAM_TESTS]; /* tests to be built with this one, this one first */
    const cJSON *const *tests;                   /* of the plan */
    const struct lt_tuning *tuning;              /* NULL: none */
};
void lt_run_test(struct lt_job *job);
/* A batch depends on the seed and its number alone, so that a resumed run equals an uninterrupted one. */
uint64_t lt_batch_seed(const struct lt_job *job, uint64_t batch);
double lt_seconds(void); /* monotonic */
/* The first SIGINT, SIGTERM or SIGHUP is noted in lt_interrupted, a later one ends the process at once. */
void lt_signals_catch(void);
/* In the child that runs the tests: the parent kills it. */
void lt_signals_ignore(void);
extern volatile int lt_interrupted; /* a sig_atomic_t */
/* Instances of TEST to run without a time budget. */
uint64_t lt_wanted(const struct lt_options *options, const cJSON *test);
void lt_report(FILE *report, unsigned test, const char *event, const char *reason, cJSON *extra);

/* ---- the campaign, in the parent ----------------------------------------------------------------- */

int lt_campaign(const struct lt_options *options);
/* Merges the results of several campaigns on one device. */
int lt_merge(const struct lt_options *options);
/* Decodes TEXT up to the first character that is not a digit of base64; returns the number of bytes. */
size_t lt_base64(const char *text, unsigned char *bytes);
bool lt_save_json(const cJSON *json, const char *path);
/* Whether PATH exists and is not a regular file: it is written in place, without a lock. */
bool lt_is_device(const char *path);
/* Creates a folder for temporary files that other users cannot access, and writes its path to PATH. */
bool lt_temporary_folder(char *path, size_t size);
/* TEXT with `?` in place of control characters and bytes that are not UTF-8 (escape.c). */
char *lt_shown(char *text);
/* The exclusive lock for writing the results PATH (identity.c).  False after a
 * complaint. */
struct lt_writer {
    int fd; /* -1: not held */
    char path[4096];
};
bool lt_writer_lock(struct lt_writer *writer, const char *path);
void lt_writer_unlock(struct lt_writer *writer);
/* Identity of results: plan, shard and run (identity.c). */
struct lt_identity {
    char campaign[20], shard[24], run[40], date[16]; /* the first day, UTC */
    cJSON *parts;                                    /* of merged results that are resumed, NULL = none */
};
void lt_identity_new(struct lt_identity *id, const cJSON *plan, const struct lt_options *options);
/* Continues the identity of RESULTS.  False, after a message, if they are of another shard. */
bool lt_identity_resume(struct lt_identity *id, const cJSON *results, const char *path);
void lt_identity_add(const struct lt_identity *id, cJSON *results);
/* An array of the campaigns in RESULTS, owned by the caller; the number of PARTS that are in OTHERS. */
cJSON *lt_parts(const cJSON *results);
int lt_parts_shared(const cJSON *parts, const cJSON *others);
/* Reads a JSON file within the limits of readers; *READ false, after a message: it cannot be read. */
cJSON *lt_read_json(const char *path, bool *read);
#define LT_MOST_TIMES      (1u << 20)          /* --input-limits */
#define LT_MOST_ITERATIONS (UINT64_C(1) << 30) /* of each test, in a plan */
/* False, after a message: a plan asks for more. */
bool lt_iterations_allowed(const char *path, uint64_t iterations);
/* A plan, or results that a campaign wrote; NULL, with a message: they cannot be used. */
cJSON *lt_load_plan(const char *path);
cJSON *lt_load_results(const char *path);

#endif
