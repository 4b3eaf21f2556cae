/* Shared by the report writers: status, messages, JSON helpers. */
#include "checker/report/report.h"
#include "memmodel/base/escape.h"

#include <stdio.h>
#include <string.h>

bool ck_report_failed(const struct ck_report_options *options, char *words, size_t size)
{
    const struct ck_ending *ending = options ? &options->ending : NULL;
    const char *name = ending && ending->signal ? sigabbrev_np(ending->signal) : NULL;
    if (!ending || !ending->program || (!ending->status && !ending->signal))
        return false;
    if (ending->signal)
        snprintf(words, size, name ? "%s was ended by signal %d (SIG%s)" : "%s was ended by signal %d",
                 ending->program, ending->signal, name);
    else
        snprintf(words, size, "%s ended with status %d", ending->program, ending->status);
    return true;
}

const char *ck_report_unobserved(const struct ck_report_options *options)
{
    switch (options ? options->observation : CK_OBSERVED) {
    case CK_OBSERVED_NOTHING:
        return "nothing was observed: no process of the program used OpenCL through refcl; a static or "
               "set-id program and one that loads another OpenCL library by its path are not observed: start the "
               "OpenCL program itself, through the system's libOpenCL";
    case CK_OBSERVED_IN_PART:
        if (options->ending.signal)
            return "observation ended early: the program was ended by a signal, and a compiled launch that had not ended "
                   "then is not checked; with REFCL_ENGINE=interp it is checked as far as it was executed";
        return "observation ended early: what a process did after the end of its trace was not seen; it "
               "closed refcl's descriptors, called _exit or exec, was killed, left a process behind, or shared "
               "memory or a semaphore with a process that is not recorded: let it end through exit() or "
               "main, close no descriptors that it did not open, and keep what it checks in one process";
    case CK_OBSERVED_NOT_ALL:
        return "a part of the program was not checked, so that its races were not seen: see \"not checked\"";
    case CK_OBSERVED:
        break;
    }
    return NULL;
}

const char *ck_report_status(const struct ck_detector *detector, const struct ck_report_options *options)
{
    char words[8];
    if (ck_detector_fault_count(detector))
        return "findings";
    if (ck_report_failed(options, words, sizeof words))
        return "failed";
    return ck_detector_status(detector, NULL) == MM_OK && !ck_report_unobserved(options) ? "clean"
                                                                                         : "unknown";
}

bool ck_report_hidden(const struct ck_detector *detector, char *text, size_t size)
{
    static const char *const names[CK_FILTER_COUNT] = {[CK_FILTER_ONLY] = "--only",
                                                       [CK_FILTER_KERNELS] = "--kernels",
                                                       [CK_FILTER_LAUNCHES] = "--launches",
                                                       [CK_FILTER_SUPPRESS] = "--suppress",
                                                       [CK_FILTER_UNIFORM] = "--uniform-writes=ignore"};
    size_t used = 0;
    *text = 0;
    for (int i = CK_FILTER_NONE + 1; i < CK_FILTER_COUNT && used < size; i++) {
        size_t count = ck_detector_hidden(detector, (enum ck_filter)i);
        if (count)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%zu by %s", used ? ", " : "", count, names[i]);
    }
    return used > 0;
}

const char *ck_report_message(const struct ck_finding *finding)
{
    return finding->message && *finding->message ? finding->message : finding->kind;
}

cJSON *ck_report_string(const char *s)
{
    return cJSON_CreateString(s ? s : "");
}

void ck_report_add(cJSON *object, const char *key, const char *s)
{
    cJSON_AddItemToObject(object, key, ck_report_string(s));
}

enum mm_class ck_report_print(cJSON *json, FILE *out)
{
    char *text = json ? cJSON_Print(json) : NULL;
    cJSON_Delete(json);
    if (!text)
        return MM_LIMIT;
    mm_put_json(text, false, out);
    fputc('\n', out);
    cJSON_free(text);
    return fflush(out) == 0 && !ferror(out) ? MM_OK : MM_LIMIT;
}
