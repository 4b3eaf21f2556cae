/* Kernels as SPIR-V in a plan.  What the runner would define when it builds OpenCL C is fixed here:
 * work-groups of WORK_ITEMS, and states beyond the expected range that one batch can report. */
#include "litmus/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORK_ITEMS = 64, OTHERS = 65536 };

uint32_t lt_plan_slots(const struct lt_kernel *kernel)
{
    return kernel->member_count < WORK_ITEMS ? WORK_ITEMS / kernel->member_count : 1;
}

/* [RFC 4648 4] */
static char *base64(const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc((size + 2) / 3 * 4 + 1), *out = text;
    for (size_t i = 0; text && i < size; i += 3) {
        size_t left = size - i < 3 ? size - i : 3;
        uint32_t bits = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                        (left > 2 ? bytes[i + 2] : 0);
        for (unsigned d = 0; d < 4; d++)
            *out++ = d <= left ? digits[bits >> (18 - 6 * d) & 63] : '=';
    }
    if (text)
        *out = '\0';
    return text;
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
    char *text = base64(words, size);
    mm_free(words);
    if (!text)
        return mm_fail(err, MM_LIMIT, "litmus.memory", "out of memory");
    cJSON *il = cJSON_AddObjectToObject(json, "il");
    cJSON_AddStringToObject(il, "spirv", text);
    if (slots)
        cJSON_AddNumberToObject(il, "slots", slots);
    free(text);
    return MM_OK;
}
