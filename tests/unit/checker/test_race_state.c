/* The detector's state: counts, many readers, bounds. */
#include "checker/race/race.h"
#include "race_script.h"

static void counting(void **state)
{
    (void)state;
    begin();
    struct mm_event e = {.kind = MM_WRITE, .allocation = BUF, .size = 4, .source = 77};
    for (uint32_t i = 0; i < 10; i++) {
        e.agent = wi(i);
        record((struct mm_record){.type = MM_RECORD_EVENT, .event = e});
    }
    assert_int_equal(ck_detector_finding_count(d), 1);
    assert_int_equal(ck_detector_finding(d, 0)->count, 9);
}

static void read_here(uint32_t i) /* all at one source position */
{
    struct mm_event e = {.kind = MM_READ, .agent = wi(i), .allocation = BUF, .size = 4, .source = 99};
    record((struct mm_record){.type = MM_RECORD_EVENT, .event = e});
    next++;
}

static void hand_over(uint32_t from, uint32_t to)
{
    store(wi(from), FLAG, MM_RELEASE, DEV);
    load(wi(to), FLAG, MM_ACQUIRE, DEV);
}

static void many_readers(void **state) /* kept together, but distinguished */
{
    (void)state;
    begin();
    for (uint32_t i = 0; i < 16; i += i == 1 ? 4 : 1)
        if (i < 7)
            read_here(i);
    hand_over(0, 8);
    hand_over(1, 8);
    hand_over(6, 8);
    wr(wi(8), BUF);
    assert_int_equal(expect("data-race", NULL)->accesses[1].global_id[0], 5);
    assert_int_equal(ck_detector_finding(d, 0)->count, 1);
    begin();
    for (uint32_t i = 0; i < 4; i++)
        read_here(i);
    hand_over(0, 8);
    read_here(8);
    hand_over(8, 9);
    hand_over(2, 9);
    hand_over(3, 9);
    wr(wi(9), BUF);
    assert_int_equal(expect("data-race", NULL)->accesses[1].global_id[0], 1);
    begin(); /* every second one, each ordered by a barrier */
    for (uint32_t i = 0; i < 16; i += 2)
        read_here(i);
    for (uint32_t g = 0; g < 4; g++)
        barrier(g, FG);
    for (uint32_t g = 1; g < 4; g++)
        hand_over(g * 4 + 1, 0);
    wr(wi(0), BUF);
    expect_clean();
}

static void repetition_needs_no_memory(void **state)
{
    (void)state;
    begin_with(300000, 0);
    for (uint32_t i = 0, x = 1; i < 100000; i++) {
        x = x * 1664525u + 1013904223u;
        read_here(x >> 28);
    }
    expect_clean();
    wr(wi(0), BUF); /* the other 15 are still recorded */
    assert_true(expect("data-race", NULL)->count >= 15);
}

/* The number of scope instances with atomic accesses to the first bytes of FLAG. */
static uint32_t instances_on_flag(void)
{
    const struct ck_memory *memory = mm_map_pointer(&d->maps.memory, FLAG);
    uint32_t count = 0;
    for (const struct ck_atomics *a = memory->space.pages->cells[0].extra->atomics; a; a = a->next)
        count++;
    return count;
}

static void count_in_kernel(uint32_t id, enum mm_kind kind, uint64_t after)
{
    if (id > 2)
        describe_command(id, 0, 1, 16);
    edge(after, MM_EDGE_IN_ORDER);
    command(id, MM_COMMAND_START);
    atomic((struct mm_agent){id, 5}, kind, FLAG, MM_RELAXED, DEV);
}

static void
atomics_of_earlier_kernels(void **state) /* removed when later accesses race with all that they do */
{
    (void)state;
    begin();
    uint64_t done = call(host);
    for (uint32_t id = 1; id <= 100; id++) {
        count_in_kernel(id, MM_RMW, done);
        edge(command(id, MM_COMMAND_END), MM_EDGE_COMPLETE);
        done = command(id, MM_EVENT_COMPLETE);
        assert_int_equal(instances_on_flag(), 1);
    }
    expect_clean();
    rd(host, FLAG);
    expect("data-race", "the host access and command 100 are not ordered");
    begin(); /* a read does not race with everything that a write races with */
    count_in_kernel(1, MM_RMW, call(host));
    edge(command(1, MM_COMMAND_END), MM_EDGE_COMPLETE);
    done = command(1, MM_EVENT_COMPLETE);
    count_in_kernel(2, MM_READ, done);
    assert_int_equal(instances_on_flag(), 2);
    rd(host, FLAG);
    expect("data-race", "the host access and command 1 are not ordered");
    begin(); /* the kernels are concurrent */
    done = call(host);
    count_in_kernel(1, MM_READ, done);
    count_in_kernel(2, MM_READ, done);
    assert_int_equal(instances_on_flag(), 2);
    expect_clean();
    count_in_kernel(3, MM_RMW, done);
    assert_int_equal(ck_detector_finding(d, 0)->count + ck_detector_finding(d, 1)->count, 2);
}

static void values_out_of_order_are_no_verdict(void **state)
{
    (void)state;
    begin();
    store(wi(0), FLAG, MM_RELEASE, DEV);
    store(wi(0), FLAG, MM_RELAXED, DEV);
    edge(0, MM_EDGE_RF);
    load(wi(1), FLAG, MM_ACQUIRE, DEV);
    assert_int_equal(ck_detector_status(d, NULL), MM_LIMIT);
}

static void a_bound_is_no_verdict(void **state)
{
    (void)state;
    begin_with(20000, 0);
    for (uint64_t i = 0; i < 4096; i++)
        plain(wi((uint32_t)i % 16), MM_WRITE, BUF, i * 4, 4);
    struct mm_error err = {0};
    assert_int_equal(ck_detector_status(d, &err), MM_LIMIT);
    assert_non_null(strstr(err.message, "limit reached: memory"));
}

static void findings_pass_through(void **state)
{
    (void)state;
    begin();
    struct mm_record r = {.type = MM_RECORD_FINDING};
    r.finding = (struct mm_finding){.kind = "out-of-bounds",
                                    .clause = "CLC 6.3",
                                    .message = "read past the end",
                                    .agent = wi(2),
                                    .source = 5,
                                    .allocation = BUF,
                                    .offset = 300,
                                    .size = 4};
    record(r);
    record(r);
    assert_int_equal(ck_detector_finding_count(d), 1);
    const struct ck_finding *f = ck_detector_finding(d, 0);
    assert_string_equal(f->kind, "out-of-bounds");
    assert_string_equal(f->message, "read past the end");
    assert_int_equal(f->count, 2);
    assert_int_equal(f->access_count, 1);
    assert_int_equal(f->accesses[0].global_id[0], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counting),
        cmocka_unit_test(many_readers),
        cmocka_unit_test(repetition_needs_no_memory),
        cmocka_unit_test(atomics_of_earlier_kernels),
        cmocka_unit_test(values_out_of_order_are_no_verdict),
        cmocka_unit_test(a_bound_is_no_verdict),
        cmocka_unit_test(findings_pass_through),
    };
    return cmocka_run_group_tests_name("race_state", tests, NULL, finish);
}
