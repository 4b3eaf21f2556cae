/* Programs: one test each, or several where the device is a CPU. */
#include "exec.h"

#include <stdlib.h>
#include <string.h>

static bool test_needs_legacy(const struct exec *e, const cJSON *test, bool *runs)
{
    char reason[256];
    bool legacy = false;
    *runs = cJSON_IsString(cJSON_GetObjectItem(test, "kernel")) && !cJSON_GetObjectItem(test, "skip") &&
            !cJSON_GetObjectItem(test, "host") &&
            !lt_device_lacks(e->job->device, test, &legacy, reason, sizeof reason);
    return legacy;
}

/* The code that all tests share is emitted for the first test only. */
static char *join_sources(const struct exec *e, const struct lt_programs *p)
{
    char *source = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&source, &size);
    for (unsigned i = 0; out && i < p->count; i++) {
        const cJSON *test = e->job->tests[p->indices[i]];
        fprintf(out,
                "#undef REFCL_SLOTS\n#define REFCL_SLOTS %u\n#undef refcl_litmus\n#define refcl_litmus "
                "refcl_litmus_%u\n#undef refcl_collect\n#define refcl_collect refcl_collect_%u\n%s\n",
                lt_exec_slots(e->job->device, test), p->indices[i], p->indices[i],
                cJSON_GetObjectItem(test, "kernel")->valuestring);
    }
    if (out && fclose(out) != 0)
        return NULL;
    return source;
}

static cl_int build_program(struct exec *e, const char *source, cl_program *program)
{
    char options[192 + LT_BUILD_OPTIONS];
    cl_int status;
    const char *more = e->job->options->build.options;
    if (e->job->device->uses_il) {
        *program = lt_device_il(e->job->device, e->job->device->context, e->job->test, &status);
        if (lt_exec_failed(e, "clCreateProgramWithIL", status))
            return status;
        return clBuildProgram(*program, 1, &e->job->device->id, more, NULL, NULL);
    }
    *program = clCreateProgramWithSource(e->job->device->context, 1, &source, NULL, &status);
    if (lt_exec_failed(e, "clCreateProgramWithSource", status))
        return status;
    snprintf(options, sizeof options, "-cl-std=%s%s%s -DREFCL_OTHERS=%uu %s",
             lt_device_standard(e->job->device, e->job->plan, e->shape.legacy),
             lt_exec_host_counts(e) ? " -DREFCL_HOST_COUNTS" : "",
             e->job->device->is_gpu ? "" : " -DREFCL_PLAIN", OTHERS, more ? more : "");
    return clBuildProgram(*program, 1, &e->job->device->id, options, NULL, NULL);
}

static void programs_free(struct lt_programs *p)
{
    if (p->program)
        clReleaseProgram(p->program);
    *p = (struct lt_programs){.most = p->most, .searching = p->searching};
}

static bool programs_contain(const struct lt_programs *p, unsigned index)
{
    for (unsigned i = 0; i < p->count; i++)
        if (p->indices[i] == index)
            return p->program != NULL;
    return false;
}

static cl_int build_programs(struct exec *e, struct lt_programs *p)
{
    char *source = join_sources(e, p);
    lt_report(e->job->report, e->job->index, p->count > 1 ? "building" : "built", NULL, NULL);
    cl_int status = source ? build_program(e, source, &p->program) : CL_OUT_OF_HOST_MEMORY;
    if (p->count > 1)
        lt_report(e->job->report, e->job->index, "built", NULL, NULL);
    free(source);
    return status;
}

/* Chooses this test and the later ones that a program can contain with it. */
static void choose_tests(struct exec *e, struct lt_programs *p, unsigned most)
{
    programs_free(p);
    for (unsigned i = 0; i < e->job->next_count && p->count < most; i++) {
        bool runs;
        bool legacy = test_needs_legacy(e, e->job->tests[e->job->next[i]], &runs);
        if (runs && legacy == e->shape.legacy)
            p->indices[p->count++] = e->job->next[i];
    }
}

static void build_log(struct exec *e, cl_program program)
{
    char log[1500] = "";
    if (program)
        lt_device_log(e->job->device->id, program, log, sizeof log);
    snprintf(e->message, sizeof e->message, "the kernel does not build: %s", log);
    e->failure = e->message;
}

static cl_kernel kernel_of(struct exec *e, const char *what)
{
    char name[48];
    cl_int status;
    snprintf(name, sizeof name, e->job->device->uses_il ? "%s" : "%s_%u", what, e->job->index);
    cl_kernel kernel = clCreateKernel(e->job->programs->program, name, &status);
    return lt_exec_failed(e, "clCreateKernel", status) ? NULL : kernel;
}

/* Builds with as many other tests as possible; bisects after a failure until the failing test is found. */
static bool programs_build(struct exec *e, struct lt_programs *p)
{
    bool alone = e->job->device->is_gpu || e->job->device->uses_il;
    if (!p->most || alone)
        p->most = alone ? 1 : LT_PROGRAM_TESTS;
    for (;; p->most = p->count / 2) {
        e->failure = NULL;
        choose_tests(e, p, p->most);
        if (build_programs(e, p) == CL_SUCCESS) {
            if (!p->searching && p->most < LT_PROGRAM_TESTS)
                p->most *= 2;
            return true;
        }
        p->searching = p->count > 1;
        if (!p->searching)
            break;
    }
    build_log(e, p->program);
    programs_free(p);
    return false;
}

bool lt_exec_build(struct exec *e)
{
    struct lt_programs *p = e->job->programs;
    if (!cJSON_IsString(cJSON_GetObjectItem(e->job->test, "kernel"))) {
        e->failure = "the plan has no kernel for the test";
        return false;
    }
    if (!programs_contain(p, e->job->index) && !programs_build(e, p))
        return false;
    return (e->kernel = kernel_of(e, "refcl_litmus")) &&
           (lt_exec_host_counts(e) || (e->collect = kernel_of(e, "refcl_collect")) != NULL);
}
