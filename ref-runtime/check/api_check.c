/* REFCL_CHECK=api: API calls that return an error and objects that are not released before exit become
 * findings. The checked entry points are a second dispatch table: without the check, calls have no
 * overhead. */
#include "ref-runtime/check/api_check.h"
#include "ref-runtime/error_codes.h"
#include "ref-runtime/sched/environment.h"
#include "ref-runtime/setting.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>

/* ---- reports ---- */

enum { FRAMES = 32, SHOWN = 6 };

static struct mm_once once = MM_ONCE;
static bool checked;

static void read_setting(void)
{
    checked = rt_setting_has(RT_SET_CHECK, "api");
}

bool rt_api_checked(void)
{
    mm_once(&once, read_setting);
    return checked;
}

/* Appends the frames of the application: those in neither refcl nor the loader. */
static void append_backtrace(char *text, size_t size)
{
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES), shown = 0;
    size_t length = strlen(text);
    for (int i = 0; i < count && shown < SHOWN; i++) {
        Dl_info info;
        if (!dladdr(frames[i], &info) || !info.dli_fname || strstr(info.dli_fname, "librefcl") ||
            strstr(info.dli_fname, "libOpenCL") || strstr(info.dli_fname, "libc.so"))
            continue;
        const char *file = strrchr(info.dli_fname, '/');
        uintptr_t base = (uintptr_t)(info.dli_sname ? info.dli_saddr : info.dli_fbase);
        int n = snprintf(text + length, size - length, "%s%s+0x%lx (%s)", shown ? ", " : "; called from ",
                         info.dli_sname ? info.dli_sname : "", (unsigned long)((uintptr_t)frames[i] - base),
                         file ? file + 1 : info.dli_fname);
        if (n < 0 || (size_t)n >= size - length)
            break;
        length += (size_t)n;
        shown++;
    }
}

static void report_violation(const char *kind, const char *clause, const char *message)
{
    struct mm_recorder *recorder = rt_recorder();
    if (recorder) {
        struct mm_record record = {.type = MM_RECORD_FINDING,
                                   .finding = {.kind = kind,
                                               .clause = clause,
                                               .message = message,
                                               .agent = {0, mm_recorder_host_thread(recorder)}}};
        mm_recorder_record(recorder, &record);
    }
    if (!rt_findings_are_quiet())
        fprintf(stderr, "refcl: %s: %s [%s]\n", kind, message, clause);
}

void rt_api_report(const char *kind, const char *clause, char *text, size_t size)
{
    append_backtrace(text, size);
    report_violation(kind, clause, text);
}

/* ---- errors ---- */

/* Reports that a call returned CODE, if that is an error; FIRST is the call's first argument if that is a
 * handle. */
static void note_result(const char *clause, const char *call, cl_int code, const void *first)
{
    const char *name = code < 0 && rt_api_checked() ? rt_misuse_name(code) : NULL;
    if (!name)
        return;
    char message[1024];
    bool dead = first && rt_object_was(first);
    snprintf(message, sizeof message, "%s is answered with %s%s", call, name,
             dead ? ": the object was used after its last release" : "");
    rt_api_report(dead ? "use-after-release" : "api-misuse", clause, message, sizeof message);
}

/* ---- leaks ---- */

void rt_api_note_svm(const struct rt_svm *svm, const char *when)
{
    char message[128];
    snprintf(message, sizeof message, "%s, %zu bytes, is not freed %s", svm->name, svm->size, when);
    report_violation("leak", "CL 5.6.1", message);
}

static void note_leak(const struct rt_object *object, void *data)
{
    static const char *const names[RT_TYPE_COUNT] = {
        [RT_CONTEXT] = "context",    [RT_QUEUE] = "command-queue", [RT_MEM] = "memory object",
        [RT_EVENT] = "event",        [RT_PROGRAM] = "program",     [RT_KERNEL] = "kernel",
        [RT_SAMPLER] = "sampler",    [RT_DEVICE] = "sub-device",   [RT_COMMAND_BUFFER] = "command buffer",
        [RT_SEMAPHORE] = "semaphore"};
    const struct rt_device *device = object->type == RT_DEVICE ? (const void *)object : NULL;
    (void)data;
    if (!names[object->type] || object->api_refs == 0 || (device && !device->parent))
        return;
    char message[256], what[64] = "";
    if (object->type == RT_MEM) {
        const struct rt_mem *mem = (const void *)object;
        snprintf(what, sizeof what, " (%s, %zu bytes)", mem->name, mem->size);
    }
    snprintf(message, sizeof message, "%s %u%s is left with %u reference%s at exit", names[object->type],
             object->number, what, object->api_refs, object->api_refs == 1 ? "" : "s");
    report_violation("leak", "CL 4.4", message);
    const struct rt_svm *svm = object->type == RT_CONTEXT ? ((const struct rt_context *)object)->svm : NULL;
    for (; svm; svm = svm->next)
        rt_api_note_svm(svm, "at exit");
}

void rt_api_note_leaks(void)
{
    if (rt_api_checked())
        rt_object_each(note_leak, NULL);
}

/* ---- the checked entry points ---- */

#define RT_CALL(clause, name, parameters, arguments, first)                                                  \
    static cl_int CL_API_CALL checked_##name parameters                                                      \
    {                                                                                                        \
        static atomic_ullong calls;                                                                          \
        cl_int code = rt_api_fail(#name, &calls);                                                            \
        if (code)                                                                                            \
            return code;                                                                                     \
        code = rt_##name arguments;                                                                          \
        note_result(clause, #name, code, first);                                                             \
        return code;                                                                                         \
    }
#define RT_CREATE(clause, type, name, parameters, arguments, first)                                          \
    static type CL_API_CALL checked_##name parameters                                                        \
    {                                                                                                        \
        static atomic_ullong calls;                                                                          \
        cl_int code = rt_api_fail(#name, &calls);                                                            \
        type result = code ? NULL : rt_##name arguments;                                                     \
        if (errcode_ret)                                                                                     \
            *errcode_ret = code;                                                                             \
        note_result(clause, #name, code, first);                                                             \
        return result;                                                                                       \
    }
#include "ref-runtime/check/api_check.def"
#include "ref-runtime/check/extension_check.def"
#undef RT_CALL
#undef RT_CREATE

static const struct {
    const char *extension, *name;
    void (*plain)(void), (*checked)(void);
} extensions[] = {
#define RT_CALL(clause, name, parameters, arguments, first)                                                  \
    {clause, #name, (void (*)(void))rt_##name, (void (*)(void))checked_##name},
#define RT_CREATE(clause, type, name, parameters, arguments, first)                                          \
    RT_CALL(clause, name, parameters, arguments, first)
#include "ref-runtime/check/extension_check.def"
#undef RT_CALL
#undef RT_CREATE
};

void (*rt_api_extension(const char *name))(void)
{
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (strcmp(name, extensions[i].name) == 0 && rt_extension_offered(extensions[i].extension))
            return rt_api_checked() || rt_api_fails() ? extensions[i].checked : extensions[i].plain;
    return NULL;
}

static cl_icd_dispatch table;
static struct mm_once filled = MM_ONCE;

static void fill_table(void)
{
    table = rt_dispatch;
#define RT_CALL(clause, name, parameters, arguments, first)         table.name = checked_##name;
#define RT_CREATE(clause, type, name, parameters, arguments, first) table.name = checked_##name;
#include "ref-runtime/check/api_check.def"
#undef RT_CALL
#undef RT_CREATE
#define RT_API(name)
#define RT_API_TAGGED(name) table.name = rt_dispatch.name;
#include "ref-runtime/check/api.def"
#undef RT_API
}

const cl_icd_dispatch *rt_api_dispatch(void)
{
    if (!rt_api_checked() && !rt_api_fails())
        return &rt_dispatch;
    mm_once(&filled, fill_table);
    return &table;
}
