/* A launch of ten million work-items needs memory only for those that are in progress at a time, each at most
 * 200 bytes in addition to its registers. */
#include "clrun.h"
#include "interp/exec/exec.h"
#include <malloc.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static const char source[] =
    "kernel void plain(global uint *o) { if (get_global_id(0) % 7 == 0) atomic_inc(o); }\n"
    "kernel void waits(global uint *o) {\n"
    "  local uint n; uint l = get_local_id(0); if (l == 0) n = 0; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  atomic_inc(&n); barrier(CLK_LOCAL_MEM_FENCE); if (l == 0) atomic_add(o, n); }\n"
    "kernel void reduces(global uint *o) {\n"
    "  local uint part[1024]; uint l = get_local_id(0), w = get_local_size(0); part[l] = 1;\n"
    "  for (uint n = w / 2; n > 0; n /= 2) {\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); if (l < n) part[l] += part[l + n]; }\n"
    "  if (get_global_id(0) == get_group_id(0) * w + get_global_offset(0)) atomic_add(o, part[0]); }\n";

static uint64_t peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024;
}

struct launch {
    const char *kernel;
    uint64_t items;
    uint32_t local;
    enum in_schedule schedule;
    bool checks;
};

static struct in_launch make(const struct launch *l, struct in_module *module, struct in_instance *instance,
                             const struct in_argument *argument)
{
    return (struct in_launch){.instance = instance,
                              .kernel = in_module_find_kernel(module, l->kernel),
                              .arguments = argument,
                              .dimensions = 1,
                              .global_size = {l->items, 1, 1},
                              .local_size = {l->local, 1, 1},
                              .sub_group_size = 4,
                              .schedule = l->schedule,
                              .seed = 1,
                              .checks = l->checks,
                              .uninitialized = l->checks,
                              .command = 1};
}

/* Instruction counts of a kernel; CREATED gets the launch after it has run, before it is freed. */
static uint32_t count(const struct launch *l, void (*created)(const struct in_run *run, uint64_t before))
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
    struct in_launch launch = make(l, module, instance, &argument);
    uint64_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    assert_int_equal(in_run_create(&launch, &run, &out.err), MM_OK);
    while (!done)
        assert_int_equal(in_run_step(run, 1 << 20, &done, &out.err), MM_OK);
    if (created != NULL)
        created(run, before);
    in_run_destroy(run);
    assert_int_equal(out.findings, 0);
    in_instance_destroy(instance);
    in_module_release(module);
    return counter;
}

/* ... and the peak of memory grows by less than LIMIT. */
static uint32_t bounded(const struct launch *l, uint64_t limit)
{
    uint64_t before = peak();
    uint32_t counted = count(l, NULL);
    uint64_t grown = peak() - before;
    print_message("# %s: %.1f MiB for %llu work-items\n", l->kernel, (double)grown / 1048576,
                  (unsigned long long)l->items);
    assert_true(grown < (getenv("SANITIZER") ? 2 * limit : limit)); /* shadow memory, freed blocks */
    return counted;
}

static void test_ten_million(void **state)
{
    (void)state;
    const struct launch plain = {"plain", 10000000, 64, IN_SEQUENTIAL, false},
                        waits = {"waits", 10000000, 1000, IN_SEQUENTIAL, false};
    assert_int_equal(bounded(&plain, 4 << 20), 1428572);
    assert_int_equal(bounded(&waits, 4 << 20), 10000000);
}

static void test_all_at_once(void **state)
{
    (void)state;
    const struct launch fair = {"waits", 100000, 1000, IN_FAIR, false},
                        random = {"waits", 100000, 1000, IN_RANDOM, true};
    assert_int_equal(bounded(&fair, 100000 * 500), 100000);
    assert_int_equal(bounded(&random, 100000 * 1000), 100000);
}

/* Its program counter, what it waits for, its copy of constants.  Registers are results of instructions: the
 * frame, and built-in variables, which are read in place. */
static void beyond_registers(const struct in_run *run, uint64_t before)
{
    uint64_t items = run->progress.slot_count * run->items_per_group, registers = run->code->frame.size;
    double each = (double)(mallinfo2().uordblks + mallinfo2().hblkhd - before) / (double)items;
    for (uint32_t k = 0; k < run->code->built_in_count; k++)
        registers += run->code->built_ins[k].words * 8u;
    print_message("# %s: %.0f bytes for each of %llu work-items, %llu of them registers\n", run->info->name,
                  each, (unsigned long long)items, (unsigned long long)registers);
    assert_true(each - (double)registers <= 200);
}

static void test_bytes(void **state)
{
    (void)state;
    const struct launch waits = {"waits", 4096, 1024, IN_SEQUENTIAL, false},
                        reduces = {"reduces", 16384, 1024, IN_FAIR, false};
    assert_int_equal(count(&waits, beyond_registers), 4096);
    assert_int_equal(count(&reduces, beyond_registers), 16384);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ten_million), cmocka_unit_test(test_all_at_once),
                                       cmocka_unit_test(test_bytes)};
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* what is touched counts, not the huge page around it */
    return cmocka_run_group_tests(tests, clr_find_helper, NULL);
}
