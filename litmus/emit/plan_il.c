/* Kernels as SPIR-V in a plan.  The macros that the runner defines when it builds OpenCL C have fixed values
 * here: work-groups of WORK_ITEMS, and states beyond the expected range that one batch can report. */
#include "litmus/emit/plan.h"

#include <inttypes.h>

enum { WORK_ITEMS = 64, OTHERS = 65536 };

uint32_t lt_plan_slots(const struct lt_kernel *kernel)
{
    return kernel->member_count < WORK_ITEMS ? WORK_ITEMS / kernel->member_count : 1;
}

enum mm_class lt_plan_il(cJSON *json, const struct lt_plan_options *options, const struct lt_test *test,
                         const char *source, uint32_t slots, struct mm_error *err)
{
    char build[128];
    void *words = NULL;
    size_t size = 0;
    if (!options->compile)
        return MM_OK;
    snprintf(build, sizeof build, "-cl-std=%s -DREFCL_SLOTS=%" PRIu32 " -DREFCL_OTHERS=%du",
             options->cl_std ? options->cl_std : "CL3.0", slots ? slots : 1, OTHERS);
    enum mm_class cls = options->compile(options->context, test->file, source, build, &words, &size, err);
    if (cls != MM_OK)
        return cls;
    char *text = mm_base64_encode(words, size);
    mm_free(words);
    if (!text)
        return mm_out_of_memory(err);
    cJSON *il = cJSON_AddObjectToObject(json, "il");
    cJSON_AddStringToObject(il, "spirv", text);
    if (slots)
        cJSON_AddNumberToObject(il, "slots", slots);
    mm_free(text);
    return MM_OK;
}
