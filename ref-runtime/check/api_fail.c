/* REFCL_FAIL: fault injection for API calls: a selected call returns the given error code without any effect,
 * to test how an application handles exhausted devices and hosts.  CALL:CODE is all calls of that name,
 * CALL:CODE@N the N-th one; several with commas between them. */
#include "ref-runtime/check/api_check.h"
#include "ref-runtime/setting.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    cl_int code;
    const char *name;
} codes[] = {
#define RT_WORLD_CODE(name) {name, #name},
#include "ref-runtime/error_codes.def"
#undef RT_WORLD_CODE
};

static const char *const calls[] = {
#define RT_CALL(clause, name, parameters, arguments, first)         #name,
#define RT_CREATE(clause, type, name, parameters, arguments, first) #name,
#include "ref-runtime/check/api_check.def"
#include "ref-runtime/check/extension_check.def"
#undef RT_CALL
#undef RT_CREATE
};

struct failure {
    const char *call; /* a name from the table of calls */
    cl_int code;
    unsigned long long nth; /* 0: all */
};

static bool is_name(const char *name, const char *text, size_t size)
{
    return strlen(name) == size && memcmp(name, text, size) == 0;
}

static bool parse_entry(const char *entry, size_t size, struct failure *failure)
{
    const char *colon = memchr(entry, ':', size), *end = entry + size;
    const char *at = colon ? memchr(colon, '@', (size_t)(end - colon)) : NULL, *code_end = at ? at : end;
    *failure = (struct failure){0};
    for (size_t i = 0; colon && i < sizeof calls / sizeof *calls; i++)
        failure->call = is_name(calls[i], entry, (size_t)(colon - entry)) ? calls[i] : failure->call;
    for (size_t i = 0; colon && i < sizeof codes / sizeof *codes; i++) {
        bool same = is_name(codes[i].name, colon + 1, (size_t)(code_end - colon - 1));
        failure->code = same ? codes[i].code : failure->code;
    }
    char *number_end = NULL;
    failure->nth = at ? strtoull(at + 1, &number_end, 10) : 0;
    return failure->call && failure->code && (!at || (number_end == end && failure->nth > 0));
}

bool rt_api_fail_means_something(const char *entry, size_t size)
{
    struct failure failure;
    return parse_entry(entry, size, &failure);
}

static struct mm_once once = MM_ONCE;
static bool asked;

static void read_setting(void)
{
    asked = rt_setting_given(RT_SET_FAIL);
}

bool rt_api_fails(void)
{
    mm_once(&once, read_setting);
    return asked;
}

cl_int rt_api_fail(const char *call, atomic_ullong *count)
{
    const char *list = rt_api_fails() ? rt_setting_text(RT_SET_FAIL, NULL) : NULL;
    unsigned long long n = list ? atomic_fetch_add(count, 1) + 1 : 0;
    cl_int code = CL_SUCCESS;
    while (list && !code) {
        struct failure failure;
        size_t size = strcspn(list, ",");
        if (parse_entry(list, size, &failure) && strcmp(failure.call, call) == 0 &&
            (failure.nth == 0 || failure.nth == n))
            code = failure.code;
        list = list[size] ? list + size + 1 : NULL;
    }
    return code;
}
