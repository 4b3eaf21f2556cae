/* REFCL_LAYER_CHECK=api: calls with invalid arguments, and objects that are not released before exit, become
 * findings, as in refcl's own runs (ref-runtime/check). */
#include "memmodel/base/privilege.h"
#include "ref-runtime/error_codes.h"
#include "tools/layer/layer.h"

#include <stdio.h>
#include <string.h>

_Thread_local const void *ly_caller;

bool ly_checks_api(void)
{
    const char *checks = mm_getenv("REFCL_LAYER_CHECK");
    return checks && strcmp(checks, "api") == 0;
}

static void note_misuse(const char *clause, const char *call, cl_int code, const void *first)
{
    const char *name = code < 0 ? rt_misuse_name(code) : NULL;
    if (!name)
        return;
    char message[256];
    pthread_mutex_lock(&ly_lock);
    bool dead = first && ly_object_was(first);
    snprintf(message, sizeof message, "%s is answered with %s%s", call, name,
             dead ? ": the object was used after its last release" : "");
    ly_record_finding(dead ? "use-after-release" : "api-misuse", clause, message, ly_source(call, ly_caller));
    pthread_mutex_unlock(&ly_lock);
}

/* ---- objects that are left ------------------------------------------------------------------------ */

static void note_leak(const struct ly_object *object)
{
    static const char *const names[LY_TYPE_COUNT] = {
        [LY_CONTEXT] = "context", [LY_QUEUE] = "command-queue", [LY_MEM] = "memory object",
        [LY_EVENT] = "event",     [LY_PROGRAM] = "program",     [LY_KERNEL] = "kernel",
        [LY_SAMPLER] = "sampler", [LY_SEMAPHORE] = "semaphore", [LY_COMMAND_BUFFER] = "command buffer"};
    char message[128], size[48] = "";
    if (object->type == LY_MEM)
        snprintf(size, sizeof size, " (%llu bytes)",
                 (unsigned long long)((const struct ly_mem *)(const void *)object)->size);
    snprintf(message, sizeof message, "%s %u%s is left with %u reference%s at exit", names[object->type],
             (unsigned)object->number, size, (unsigned)object->references,
             object->references == 1 ? "" : "s");
    ly_record_finding("leak", "CL 4.4", message, object->source);
}

void ly_note_leaks(void)
{
    if (!ly_checks_api())
        return;
    pthread_mutex_lock(&ly_lock);
    ly_object_each(note_leak);
    ly_svm_note_leaks();
    pthread_mutex_unlock(&ly_lock);
}

/* ---- the checked entry points --------------------------------------------------------------------- */

static struct _cl_icd_dispatch unchecked;

#define CALLER __builtin_return_address(0)

/* Makes CALLER the place of the call, unless a wrapper called this one; returns the previous one for
 * leave_call(). */
static const void *enter_call(const void *caller)
{
    const void *before = ly_caller;
    ly_caller = before ? before : caller;
    return before;
}

static void leave_call(const char *clause, const char *name, cl_int code, const void *first,
                       const void *before)
{
    note_misuse(clause, name, code, first);
    ly_caller = before;
}

/* Define checked_NAME(), which records a failure of the next layer's function NAME; FIRST is the argument
 * that may be a released object. */
#define RT_CALL(clause, name, parameters, arguments, first)                                                  \
    static cl_int CL_API_CALL checked_##name parameters                                                      \
    {                                                                                                        \
        const void *before = enter_call(CALLER);                                                             \
        cl_int code = unchecked.name arguments;                                                              \
        leave_call(clause, #name, code, first, before);                                                      \
        return code;                                                                                         \
    }
#define RT_CREATE(clause, type, name, parameters, arguments, first)                                          \
    static type CL_API_CALL checked_##name parameters                                                        \
    {                                                                                                        \
        const void *before = enter_call(CALLER);                                                             \
        cl_int code = CL_SUCCESS;                                                                            \
        type result = unchecked.name arguments;                                                              \
        if (errcode_ret)                                                                                     \
            *errcode_ret = code;                                                                             \
        leave_call(clause, #name, code, first, before);                                                      \
        return result;                                                                                       \
    }
#include "ref-runtime/check/api_check.def"
#undef RT_CALL
#undef RT_CREATE

void ly_check_calls(struct _cl_icd_dispatch *table)
{
    unchecked = *table;
#define RT_CALL(clause, name, parameters, arguments, first)                                                  \
    if (table->name)                                                                                         \
        table->name = checked_##name;
#define RT_CREATE(clause, type, name, parameters, arguments, first)                                          \
    RT_CALL(clause, name, parameters, arguments, first)
#include "ref-runtime/check/api_check.def"
#undef RT_CALL
#undef RT_CREATE
}
