/* A launch of ten million work-items needs the memory of those that are under way at a time: 200 bytes a
 * work-item, beyond registers, would be 2 GB. */
#include "clrun.h"
#include <sys/resource.h>

static const char source[] =
    "kernel void plain(global uint *o) { if (get_global_id(0) % 7 == 0) atomic_inc(o); }\n"
    "kernel void waits(global uint *o) {\n"
    "  local uint n; uint l = get_local_id(0); if (l == 0) n = 0; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  atomic_inc(&n); barrier(CLK_LOCAL_MEM_FENCE); if (l == 0) atomic_add(o, n); }\n";

static uint64_t peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024;
}

/* What KERNEL counts; the peak of memory grows by less than LIMIT. */
static uint32_t count(const char *kernel, uint64_t items, uint32_t local, enum in_schedule schedule,
                      bool checks, uint64_t limit)
{
    struct in_module *module = clr_module(source);
    struct in_instance *instance = NULL;
    struct in_run *run = NULL;
    struct spv_run out = {.findings = 0};
    uint32_t counter = 0;
    bool done = false;
    struct in_object o = spv_buffer(&counter, sizeof counter, 1);
    struct in_argument argument = clr_buffer(&o);
    struct in_environment environment = {.context = &out, .finding = spv_on_finding};
    assert_int_equal(in_instance_create(module, &environment, NULL, &instance, &out.err), MM_OK);
    struct in_launch launch = {.instance = instance,
                               .kernel = in_module_find_kernel(module, kernel),
                               .arguments = &argument,
                               .dimensions = 1,
                               .global_size = {items, 1, 1},
                               .local_size = {local, 1, 1},
                               .sub_group_size = 4,
                               .schedule = schedule,
                               .seed = 1,
                               .checks = checks,
                               .uninitialized = checks,
                               .command = 1};
    uint64_t before = peak();
    assert_int_equal(in_run_create(&launch, &run, &out.err), MM_OK);
    while (!done)
        assert_int_equal(in_run_step(run, 1 << 20, &done, &out.err), MM_OK);
    in_run_destroy(run);
    uint64_t grown = peak() - before;
    print_message("# %s: %.1f MiB for %llu work-items\n", kernel, (double)grown / 1048576,
                  (unsigned long long)items);
    assert_true(grown < limit);
    assert_int_equal(out.findings, 0);
    in_instance_destroy(instance);
    in_module_release(module);
    return counter;
}

static void test_ten_million(void **state)
{
    (void)state;
    assert_int_equal(count("plain", 10000000, 64, IN_SEQUENTIAL, false, 4 << 20), 1428572);
    assert_int_equal(count("waits", 10000000, 1000, IN_SEQUENTIAL, false, 8 << 20), 10000000);
}

static void test_all_at_once(void **state)
{
    (void)state;
    assert_int_equal(count("waits", 100000, 1000, IN_FAIR, false, 100000 * 2000), 100000);
    assert_int_equal(count("waits", 100000, 1000, IN_RANDOM, true, 100000 * 2000), 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ten_million),
                                       cmocka_unit_test(test_all_at_once)};
    return cmocka_run_group_tests(tests, clr_find_helper, NULL);
}
