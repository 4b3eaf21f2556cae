/* Reads past the end without checks: they return zeros, are reported once, and the launch continues; writes
 * end it, and so do reads with checks. */
#include "clrun.h"

static const char source[] = "kernel void reads(global int *out, global int *in, int at) { "
                             "out[get_global_id(0)] = in[at + get_global_id(0)] + 1; }\n"
                             "kernel void writes(global int *out, global int *in, int at) { in[at] = 1; "
                             "out[get_global_id(0)] = 7; }\n";

struct outcome {
    enum mm_class result;
    uint32_t findings;
    int32_t out[4];
};

static struct outcome run(const char *kernel, int32_t at, bool checks)
{
    struct outcome o = {.result = MM_OK};
    int32_t in[6] = {10, 11, 12, 13, 14, 15};
    struct in_object out_object = {.address = (uintptr_t)o.out, .size = sizeof o.out, .name = "out"};
    struct in_object in_object = {.address = (uintptr_t)in, .size = sizeof in, .name = "in"};
    struct in_argument args[] = {clr_buffer(&out_object), clr_buffer(&in_object), {.value = &at}};
    struct in_module *module = clr_module(source);
    struct in_instance *instance = NULL;
    struct spv_run log = {0};
    struct in_environment environment = {.context = &log, .finding = spv_on_finding};
    assert_int_equal(in_instance_create(module, &environment, NULL, &instance, &log.err), MM_OK);
    struct in_launch launch = {.instance = instance,
                               .kernel = in_module_find_kernel(module, kernel),
                               .arguments = args,
                               .dimensions = 1,
                               .global_size = {4, 1, 1},
                               .local_size = {4, 1, 1},
                               .sub_group_size = 4,
                               .checks = checks};
    struct in_run *r = NULL;
    bool done = false;
    assert_int_equal(in_run_create(&launch, &r, &log.err), MM_OK);
    while (!done)
        o.result = in_run_step(r, 10000, &done, &log.err);
    in_run_destroy(r);
    in_instance_destroy(instance);
    in_module_release(module);
    o.findings = log.findings;
    return o;
}

static void test_reads(void **state)
{
    (void)state;
    struct outcome o = run("reads", 4, false);
    const int32_t expected[4] = {15, 16, 1, 1};
    assert_int_equal(o.result, MM_OK);
    assert_int_equal(o.findings, 1);
    assert_memory_equal(o.out, expected, sizeof expected);
    o = run("reads", 2, false);
    assert_int_equal(o.findings, 0);
    assert_int_equal(run("reads", 4, true).result, MM_UNDEFINED);
}

static void test_writes(void **state)
{
    (void)state;
    assert_int_equal(run("writes", 5, false).result, MM_OK);
    struct outcome o = run("writes", 6, false);
    assert_int_equal(o.result, MM_UNDEFINED);
    assert_int_equal(o.findings, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reads), cmocka_unit_test(test_writes)};
    return cmocka_run_group_tests(tests, clr_find_helper, NULL);
}
