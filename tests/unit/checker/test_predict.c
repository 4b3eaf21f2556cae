/* Initial contents of memory for predictions: each byte of each allocation, and of local memory in each
 * work-group, has a separate value, however high the numbers of commands, work-groups and allocations are. */
#include "checker/predict/predict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct ck_predictor *predictor;
static struct mm_sink sink;

static void record(struct mm_record r)
{
    assert_int_equal(sink.record(sink.context, &r), MM_OK);
}

static int begin(void **state)
{
    (void)state;
    predictor = ck_predictor_create(NULL, &(struct ck_predict_options){0});
    ck_predictor_sink(predictor, &sink);
    return 0;
}

static int end(void **state)
{
    (void)state;
    ck_predictor_destroy(predictor);
    return 0;
}

static void allocation(uint32_t id, enum mm_region region)
{
    record((struct mm_record){
        .type = MM_RECORD_ALLOCATION,
        .allocation = {.id = id, .address = id << 20, .size = 4096, .region = region, .name = ""}});
}

/* Command ID, with work-groups of one work-item. */
static void command(uint32_t id)
{
    record((struct mm_record){
        .type = MM_RECORD_COMMAND,
        .command = {.id = id, .dimensions = 1, .local_size = {1, 1, 1}, .kind = "", .kernel = ""}});
}

/* Work-item INDEX of command ID accesses four bytes at OFFSET of allocation M: a write of VALUE, or a
 * read. */
static void item_access(uint32_t id, uint32_t index, enum mm_kind kind, uint32_t m, uint64_t offset,
                        uint64_t value)
{
    record((struct mm_record){.type = MM_RECORD_EVENT,
                              .event = {.agent = {id, index},
                                        .kind = (uint8_t)kind,
                                        .allocation = m,
                                        .offset = offset,
                                        .size = 4,
                                        .value_read = kind == MM_READ ? value : 0,
                                        .value_written = kind == MM_WRITE ? value : 0}});
}

/* Whether the location of the last access had a known value before: then *VALUE. */
static bool known_before(uint64_t *value)
{
    const struct ck_predict_event *e = &predictor->window.events[predictor->window.count - 1];
    *value = e->before;
    return e->known;
}

static void work_groups(void **state)
{
    (void)state;
    uint64_t value;
    allocation(2, MM_LOCAL);
    command(1);
    command(2);
    item_access(1, 4096, MM_WRITE, 2, 0, 7);
    item_access(2, 0, MM_READ, 2, 0, 0);
    assert_false(known_before(&value)); /* work-group 4096 of command 1 is not work-group 0 of command 2 */
    item_access(1, 4095, MM_READ, 2, 0, 0);
    assert_false(known_before(&value));
    item_access(1, 4096, MM_READ, 2, 0, 7);
    assert_true(known_before(&value));
    assert_int_equal(value, 7);
}

static void commands(void **state)
{
    (void)state;
    uint64_t value;
    allocation(2, MM_LOCAL);
    allocation(3, MM_LOCAL);
    command(1);
    command(257);
    item_access(1, 0, MM_WRITE, 2, 8, 7);
    item_access(257, 0, MM_READ, 3, 8, 0);
    assert_false(known_before(&value)); /* the memory of a launch 256 commands later is new */
    item_access(1, 0, MM_READ, 2, 8, 7);
    assert_true(known_before(&value));
}

static void local_and_global(void **state)
{
    (void)state;
    uint64_t value;
    allocation(2, MM_GLOBAL);
    allocation(3, MM_LOCAL);
    command(255);
    item_access(255, 0, MM_WRITE, 2, 0, 5);
    item_access(255, 4095, MM_WRITE, 3, 0, 7);
    assert_true(ck_predict_value_now(predictor, 2, 0, 4, &value));
    assert_int_equal(value, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(work_groups, begin, end),
        cmocka_unit_test_setup_teardown(commands, begin, end),
        cmocka_unit_test_setup_teardown(local_and_global, begin, end),
    };
    return cmocka_run_group_tests_name("predict", tests, NULL, NULL);
}
