/* The detector's memory is bounded: 100 million accesses in at most 4 GiB, whether each is to separate
 * memory, all to the same, or after barriers; beyond a limit the verdict is unknown. */
#include "checker/checker.h"
#include "tests/lib/skip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

enum { ITEMS = 100 << 20, GROUP = 256, BATCH = 512 };
static struct mm_sink sink;
static struct mm_event batch[BATCH];
static size_t pending;

static void record(struct mm_record r)
{
    sink.record(sink.context, &r);
}

static void push(void)
{
    sink.events(sink.context, batch, pending);
    pending = 0;
}

static void event(struct mm_event e)
{
    batch[pending++] = e;
    if (pending == BATCH)
        push();
}

static struct ck_detector *launch(uint32_t items, size_t limit)
{
    struct ck_detector *d =
        ck_detector_create(&(struct ck_detector_options){.races = true, .memory_limit = limit});
    assert_non_null(d);
    ck_detector_sink(d, &sink);
    record((struct mm_record){.type = MM_RECORD_COMMAND,
                              .command = {.id = 1,
                                          .dimensions = 1,
                                          .global_size = {items, 1, 1},
                                          .local_size = {GROUP, 1, 1},
                                          .kernel = "k"}});
    for (uint32_t i = 1; i <= 3; i++) {
        record((struct mm_record){
            .type = MM_RECORD_ALLOCATION,
            .allocation = {
                .id = i, .region = MM_GLOBAL, .origin = MM_ORIGIN_BUFFER, .size = (uint64_t)items * 4}});
        record((struct mm_record){.type = MM_RECORD_SOURCE,
                                  .source = {.id = i, .line = i, .file = "k.cl", .function = "k"}});
    }
    return d;
}

static void check_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    print_message("# %ld MiB at most\n", usage.ru_maxrss / 1024);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip_for("no sanitizer here: it needs additional memory");
#endif
    assert_true(usage.ru_maxrss <= 4L << 20);
}

/* 33 million work-items that read two elements and write a third. */
static void each_its_own(void **state)
{
    (void)state;
    uint32_t items = ITEMS / 3;
    struct ck_detector *d = launch(items, 0);
    for (uint32_t i = 0; i < items; i++)
        for (uint32_t a = 1; a <= 3; a++)
            event((struct mm_event){.kind = a < 3 ? MM_READ : MM_WRITE,
                                    .agent = {1, i},
                                    .allocation = a,
                                    .offset = (uint64_t)i * 4,
                                    .size = 4,
                                    .source = a});
    push();
    assert_int_equal(ck_detector_status(d, NULL), MM_OK);
    assert_int_equal(ck_detector_finding_count(d), 0);
    ck_detector_destroy(d);
    check_memory();
}

/* All work-items read the same table, each in another order. */
static void all_the_same(void **state)
{
    (void)state;
    uint32_t items = ITEMS / 1024;
    struct ck_detector *d = launch(items, 0);
    for (uint32_t i = 0; i < items; i++)
        for (uint32_t k = 0; k < 1024; k++)
            event((struct mm_event){.kind = MM_READ,
                                    .agent = {1, i},
                                    .allocation = 1,
                                    .offset = ((k + i * 7) & 1023) * 4,
                                    .size = 4,
                                    .source = 1});
    push();
    assert_int_equal(ck_detector_status(d, NULL), MM_OK);
    assert_int_equal(ck_detector_finding_count(d), 0);
    ck_detector_destroy(d);
    check_memory();
}

/* A limit that is too small is reported. */
static void a_small_limit(void **state)
{
    (void)state;
    struct mm_error err;
    struct ck_detector *d = launch(1 << 20, 1 << 20);
    for (uint32_t i = 0; i < 1 << 20; i++)
        event((struct mm_event){.kind = MM_WRITE,
                                .agent = {1, i},
                                .allocation = 1,
                                .offset = (uint64_t)i * 4,
                                .size = 4,
                                .source = 1});
    push();
    assert_int_equal(ck_detector_status(d, &err), MM_LIMIT);
    ck_detector_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_small_limit), cmocka_unit_test(all_the_same),
                                       cmocka_unit_test(each_its_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
