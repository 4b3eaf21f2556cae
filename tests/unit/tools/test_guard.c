/* Work in a separate process: its return value and sums, and its end at a limit in any state.  Work without a
 * limit returns NO_LIMIT, or is ended by its alarm, after a while. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/guard.c"
#include "tools/interrupt.c"
#include "tools/options.c"
#include "tools/output.c"
#include "tools/supervisor.c"
#include "tools/words.c"

#include <limits.h>

enum { NO_LIMIT = 7, PATIENCE = 120, SOME_CODE = 3 };

void tool_die_with(pid_t parent)
{
    (void)parent;
}

static int add_items(void *context)
{
    cJSON_AddItemToArray(context, cJSON_CreateString("one"));
    cJSON_AddItemToArray(context, cJSON_CreateString("two"));
    return SOME_CODE;
}

static int spin(void *context)
{
    (void)context;
    alarm(PATIENCE);
    for (volatile unsigned i = 0; i != UINT_MAX; i++)
        ;
    return NO_LIMIT;
}

static int sleep_on(void *context)
{
    (void)context;
    alarm(PATIENCE);
    pause();
    return NO_LIMIT;
}

static int allocate(void *context)
{
    (void)context;
    alarm(PATIENCE);
    for (unsigned i = 0; i < 512; i++) {
        char *p = malloc(1 << 20);

        for (size_t k = 0; p && k < 1 << 20; k += 512)
            p[k] = 1;
        __asm__ volatile("" : : "r"(p) : "memory");
        poll(NULL, 0, 1);
    }
    return NO_LIMIT;
}

static int break_down(void *context)
{
    (void)context;
    raise(SIGABRT);
    return NO_LIMIT;
}

static int write_shared(void *context)
{
    *(int *)context = SOME_CODE;
    return 0;
}

static void results_come_back(void **state)
{
    cJSON *items = cJSON_CreateArray();
    int code = -1, *shared = guard_share(sizeof *shared);

    (void)state;
    cJSON_AddItemToArray(items, cJSON_CreateString("before"));
    assert_int_equal(guard_run(&(struct guard){0}, add_items, items, items, &code), GUARD_DONE);
    assert_int_equal(code, SOME_CODE);
    assert_int_equal(cJSON_GetArraySize(items), 3);
    assert_string_equal(cJSON_GetArrayItem(items, 2)->valuestring, "\"two\"");
    cJSON_Delete(items);
    assert_non_null(shared);
    assert_int_equal(
        guard_run(&(struct guard){.seconds = 60, .mebibytes = 1024}, write_shared, shared, NULL, &code),
        GUARD_DONE);
    assert_int_equal(*shared, SOME_CODE);
    guard_unshare(shared, sizeof *shared);
}

static int add_items_and_break_down(void *context)
{
    static const struct guard guard = {.mebibytes = 1 << 20};

    add_items(context);
    return guard_next(&guard) ? break_down(context) : SOME_CODE;
}

static void complete_items_come_back(void **state)
{
    cJSON *items = cJSON_CreateArray();
    int code = 0;

    (void)state;
    assert_int_equal(guard_run(&(struct guard){0}, add_items_and_break_down, items, items, &code),
                     GUARD_BROKEN);
    assert_int_equal(cJSON_GetArraySize(items), 2);
    cJSON_Delete(items);
}

static void limits_end_it(void **state)
{
    const struct guard time = {.seconds = 0.2}, memory = {.mebibytes = 128};
    int code = 0;

    (void)state;
    assert_int_equal(guard_run(&time, spin, NULL, NULL, &code), GUARD_TIME);
    assert_int_equal(guard_run(&time, sleep_on, NULL, NULL, &code), GUARD_TIME);
    assert_int_equal(guard_run(&memory, allocate, NULL, NULL, &code), GUARD_MEMORY);
    assert_int_equal(guard_run(&memory, break_down, NULL, NULL, &code), GUARD_BROKEN);
    assert_int_equal(code, 0);
}

static void limits_are_named(void **state)
{
    const struct guard guard = {.seconds = 1.5, .mebibytes = 64};
    struct mm_error err = {0};

    (void)state;
    guard_explain(&guard, GUARD_TIME, &err);
    assert_string_equal(err.message, "limit reached: 1.5 seconds (raise with --timeout)");
    guard_explain(&guard, GUARD_MEMORY, &err);
    assert_string_equal(err.message, "limit reached: 64 MiB of memory (raise with --memory-limit)");
    assert_int_equal(err.cls, MM_LIMIT);
    guard_explain(&guard, GUARD_BROKEN, &err);
    assert_int_equal(err.cls, MM_BUG);
    mm_fail(&err, MM_LIMIT, "search.bound", "a bound");
    guard_name_limit(&guard, &err);
    assert_string_equal(err.message, "a bound");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_back),
        cmocka_unit_test(complete_items_come_back),
        cmocka_unit_test(limits_end_it),
        cmocka_unit_test(limits_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
