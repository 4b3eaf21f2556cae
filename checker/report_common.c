/* What the report writers share. */
#include "checker/report.h"

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
               "set-id program, "
               "one that clears its environment (env -i) and one that loads another OpenCL library by its "
               "path are "
               "not observed: start the OpenCL program itself, with its environment, through the system's "
               "libOpenCL";
    case CK_OBSERVED_IN_PART:
        return "observation ended early: what a process did after the end of its trace was not seen; it "
               "closed "
               "refcl's descriptors, called _exit or exec, was killed, or left a process behind: let it end "
               "through "
               "exit() or main, and close no descriptors that it did not open";
    case CK_OBSERVED:
        break;
    }
    return NULL;
}

const char *ck_report_status(const struct ck_detector *detector, const struct ck_report_options *options)
{
    char words[8];
    if (ck_detector_finding_count(detector))
        return "findings";
    if (ck_report_failed(options, words, sizeof words))
        return "failed";
    return ck_detector_status(detector, NULL) == MM_OK && !ck_report_unobserved(options) ? "clean"
                                                                                         : "unknown";
}

const char *ck_report_message(const struct ck_finding *finding)
{
    return finding->message && *finding->message ? finding->message : finding->kind;
}

/* Bytes of the well-formed UTF-8 character at S, 0 if there is none. */
static size_t character(const unsigned char *s)
{
    static const unsigned lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
    if (n < 2)
        return n;
    unsigned code = s[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (s[i] >> 6 != 2)
            return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    return code < lowest[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

cJSON *ck_report_string(const char *s)
{
    char *copy = mm_strdup(s ? s : "");
    if (!copy)
        return NULL;
    for (char *p = copy; *p;) {
        size_t n = character((const unsigned char *)p);
        if (!n)
            *p = '?';
        p += n ? n : 1;
    }
    cJSON *json = cJSON_CreateString(copy);
    mm_free(copy);
    return json;
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
    bool ok = fputs(text, out) >= 0 && fputc('\n', out) != EOF;
    cJSON_free(text);
    return ok && fflush(out) == 0 ? MM_OK : MM_LIMIT;
}
