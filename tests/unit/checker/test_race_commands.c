/* Handwritten executions of barriers, commands and memory objects: one that the clause orders, and a variant
 * that it does not order. */
#include "checker/race/race.h"
#include "race_script.h"

static void barriers(void **state) /* W7, W8 */
{
    (void)state;
    begin();
    wr(wi(0), BUF);
    barrier(0, FG);
    rd(wi(3), BUF);
    expect_clean();
    begin();
    wr(wi(0), BUF);
    barrier(0, FL);
    rd(wi(3), BUF);
    const struct ck_finding *f = expect("data-race", NULL);
    assert_non_null(strstr(f->reason, "the barrier at k.cl:"));
    assert_non_null(strstr(f->reason, "fences local memory only, the accesses are to global memory"));
    begin();
    wr(wi(0), LOC);
    barrier(0, FL);
    rd(wi(3), LOC);
    expect_clean();
    begin();
    wr(wi(0), LOC);
    barrier(0, FG);
    rd(wi(3), LOC);
    expect("data-race", "fences global memory only, the accesses are to local memory");
    begin();
    wr(wi(0), BUF);
    barrier(0, FG | FL);
    rd(wi(4), BUF);
    expect("data-race", "different work-groups");
    begin();
    wr(wi(0), IMG);
    barrier(0, FI);
    rd(wi(1), IMG);
    expect_clean();
    begin();
    wr(wi(0), IMG);
    barrier(0, FG);
    rd(wi(1), IMG);
    expect("data-race", "image memory");
    begin(); /* what happens after the barrier is not ordered by it */
    barrier(0, FG);
    wr(wi(0), BUF);
    rd(wi(3), BUF);
    expect("data-race", NULL);
}

static void barriers_hand_on(void **state) /* G9: order before one member is order before all */
{
    (void)state;
    begin();
    wr(wi(0), BUF);
    store(wi(0), FLAG, MM_RELEASE, DEV);
    load(wi(4), FLAG, MM_ACQUIRE, DEV);
    barrier(1, FG);
    rd(wi(7), BUF);
    expect_clean();
    begin();
    wr(wi(0), BUF);
    store(wi(0), FLAG, MM_RELEASE, DEV);
    load(wi(4), FLAG, MM_ACQUIRE, DEV);
    barrier(1, FL);
    rd(wi(7), BUF);
    expect("data-race", NULL);
}

static void sub_group_barriers(void **state) /* B7, B8 */
{
    (void)state;
    begin();
    wr(wi(0), BUF);
    barrier_of(0, 2, FG, MM_SCOPE_SUB_GROUP);
    rd(wi(1), BUF);
    expect_clean();
    begin();
    wr(wi(0), BUF);
    barrier_of(0, 2, FG, MM_SCOPE_SUB_GROUP);
    barrier_of(2, 2, FG, MM_SCOPE_SUB_GROUP);
    rd(wi(2), BUF);
    expect("data-race", NULL);
}

static void commands(void **state) /* H1-H5, H8-H10 */
{
    (void)state;
    begin();
    wr(host, SVM);
    uint64_t x = call(host);
    edge(x, MM_EDGE_ENQUEUE);
    command(1, MM_COMMAND_START);
    rd(wi(0), SVM);
    wr(wi(1), BUF);
    uint64_t end = command(1, MM_COMMAND_END);
    edge(end, MM_EDGE_COMPLETE);
    uint64_t done = command(1, MM_EVENT_COMPLETE);
    edge(done, MM_EDGE_IN_ORDER);
    command(2, MM_COMMAND_START);
    rd(wi2(7), BUF);
    command(2, MM_COMMAND_END);
    edge(done, MM_EDGE_FINISH);
    call(host);
    wr(host, SVM);
    expect_clean();
    rd(host, BUF);
    expect_clean();
    wr(host, BUF); /* command 2 reads it without a wait */
    expect("data-race", "the host access and command 2 are not ordered");
}

/* A kernel that writes an image and is complete before HOST stores a flag. */
static void draw_and_wait(void)
{
    begin();
    edge(call(host), MM_EDGE_ENQUEUE);
    command(1, MM_COMMAND_START);
    wr(wi(0), IMG);
    uint64_t end = command(1, MM_COMMAND_END);
    edge(end, MM_EDGE_COMPLETE);
    uint64_t done = command(1, MM_EVENT_COMPLETE);
    edge(done, MM_EDGE_API_WAIT);
    call(host);
}

static void look_from(struct mm_agent thread)
{
    edge(call(thread), MM_EDGE_ENQUEUE);
    command(2, MM_COMMAND_START);
    rd(wi2(0), IMG);
}

static void
host_atomics_and_images(void **state) /* H0: the order of host threads is one for buffers and images */
{
    (void)state;
    draw_and_wait();
    store(host, SVM, MM_RELEASE, ALL);
    load(host1, SVM, MM_ACQUIRE, ALL);
    look_from(host1);
    expect_clean();
    draw_and_wait();
    fence(host, FG, MM_RELEASE, ALL);
    store(host, SVM, MM_RELAXED, ALL);
    load(host1, SVM, MM_RELAXED, ALL);
    fence(host1, FG, MM_ACQUIRE, ALL);
    look_from(host1);
    expect_clean();
    draw_and_wait(); /* through a work-item, which itself is not ordered after accesses to images */
    store(host, SVM, MM_RELEASE, ALL);
    const struct mm_agent between = {3, 7};
    describe_command(3, 0, 3, 16);
    edge(call(host1), MM_EDGE_ENQUEUE);
    command(3, MM_COMMAND_START);
    load(between, SVM, MM_ACQUIRE, ALL);
    event((struct mm_event){.agent = between,
                            .kind = MM_WRITE,
                            .allocation = SVM,
                            .offset = 16,
                            .size = 4,
                            .attributes = MM_ATOMIC,
                            .order = MM_RELEASE,
                            .scope = ALL});
    event((struct mm_event){.agent = host1,
                            .kind = MM_READ,
                            .allocation = SVM,
                            .offset = 16,
                            .size = 4,
                            .attributes = MM_ATOMIC,
                            .order = MM_ACQUIRE,
                            .scope = ALL});
    look_from(host1);
    expect_clean();
    draw_and_wait(); /* relaxed: no order */
    store(host, SVM, MM_RELAXED, ALL);
    load(host1, SVM, MM_ACQUIRE, ALL);
    look_from(host1);
    expect("data-race", NULL);
    begin(); /* even if the kernel is not complete */
    edge(call(host), MM_EDGE_ENQUEUE);
    command(1, MM_COMMAND_START);
    wr(wi(0), IMG);
    store(wi(0), SVM, MM_RELEASE, ALL);
    load(host1, SVM, MM_ACQUIRE, ALL);
    look_from(host1);
    expect("data-race", NULL);
    begin(); /* commands that the releasing thread enqueues later are not ordered */
    store(host, SVM, MM_RELEASE, ALL);
    edge(call(host), MM_EDGE_ENQUEUE);
    command(1, MM_COMMAND_START);
    wr(wi(0), IMG);
    load(host1, SVM, MM_ACQUIRE, ALL);
    look_from(host1);
    expect("data-race", NULL);
    begin(); /* nor what a host thread does to an image after its release */
    store(host, SVM, MM_RELEASE, ALL);
    wr(host, IMG);
    load(host1, SVM, MM_ACQUIRE, ALL);
    rd(host1, IMG);
    expect("data-race", NULL);
    begin(); /* a kernel that ends after it acquired from a host thread */
    wr(host, IMG);
    store(host, SVM, MM_RELEASE, ALL);
    edge(call(host1), MM_EDGE_ENQUEUE);
    command(1, MM_COMMAND_START);
    load(wi(0), SVM, MM_ACQUIRE, ALL);
    uint64_t end = command(1, MM_COMMAND_END);
    edge(end, MM_EDGE_IN_ORDER);
    command(2, MM_COMMAND_START);
    rd(wi2(0), IMG);
    expect_clean();
}

/* State for later edges can be freed, and races with earlier accesses are still found. */
static void retired_events(void **state)
{
    (void)state;
    begin();
    edge(call(host), MM_EDGE_ENQUEUE);
    uint64_t start = command(1, MM_COMMAND_START);
    wr(wi(1), BUF);
    uint64_t end = command(1, MM_COMMAND_END);
    edge(end, MM_EDGE_COMPLETE);
    uint64_t done = command(1, MM_EVENT_COMPLETE);
    ck_detector_retire(d, start);
    ck_detector_retire(d, end);
    ck_detector_retire(d, end);
    edge(done, MM_EDGE_IN_ORDER);
    command(2, MM_COMMAND_START);
    ck_detector_retire(d, done);
    rd(wi2(7), BUF);
    expect_clean();
    wr(host, BUF);
    expect("data-race", "the host access and command");
    edge(done, MM_EDGE_FINISH); /* contrary to the retirement: its state is gone */
    call(host);
    assert_int_equal(ck_detector_status(d, NULL), MM_LIMIT);
}

/* Event of the runtime for command ID, or of the host if that is 0: all at one source position. */
static uint64_t at_one_place(uint32_t id, enum mm_kind kind, uint32_t allocation)
{
    struct mm_event e = {.agent = {id, id ? MM_INDEX_RUNTIME : 0},
                         .kind = (uint8_t)kind,
                         .allocation = allocation,
                         .size = allocation ? 4 : 0};
    record((struct mm_record){.type = MM_RECORD_EVENT, .event = e});
    return next++;
}

/* A finding describes a command by its record, however old the command is. */
static void assert_described(const struct ck_finding *finding, uint32_t id)
{
    assert_int_equal(finding->accesses[1].command->id, id);
    assert_string_equal(finding->accesses[1].command->kind, "fill");
}

static uint64_t run_command(uint32_t id, uint64_t after, uint32_t writes)
{
    uint64_t enqueued = at_one_place(0, MM_API_CALL, 0);
    record(
        (struct mm_record){.type = MM_RECORD_COMMAND, .command = {.id = id, .kind = "fill", .kernel = ""}});
    edge(enqueued, MM_EDGE_ENQUEUE);
    if (after)
        edge(after, MM_EDGE_IN_ORDER);
    uint64_t start = at_one_place(id, MM_COMMAND_START, 0);
    at_one_place(id, MM_WRITE, writes);
    uint64_t end = at_one_place(id, MM_COMMAND_END, 0);
    edge(end, MM_EDGE_COMPLETE);
    uint64_t done = at_one_place(id, MM_EVENT_COMPLETE, 0);
    ck_detector_retire(d, enqueued);
    ck_detector_retire(d, start);
    ck_detector_retire(d, end);
    if (after)
        ck_detector_retire(d, after);
    return done;
}

/* Memory does not grow with the number of commands, and commands with which later accesses may race are
 * kept. */
static void complete_commands_are_freed(void **state)
{
    enum { FIRST = 10, MANY = 20000 };
    uint64_t last = 0;
    (void)state;
    begin();
    run_command(FIRST, 0, SVM);
    for (uint32_t i = 1; i < MANY; i++)
        last = run_command(FIRST + i, last, BUF);
    expect_clean();
    assert_true(d->maps.commands.count < MANY / 8);
    assert_true(d->maps.snapshots.count < 16);
    wr(host, SVM);
    const struct ck_finding *f = expect("data-race", "the host access and command 10 are not ordered");
    assert_described(f, FIRST);
    wr(host, BUF);
    assert_int_equal(ck_detector_finding_count(d), 2);
    assert_described(ck_detector_finding(d, 1), FIRST + MANY - 1);
    for (uint32_t i = MANY; i < 2 * MANY; i++) /* those of findings stay, too */
        last = run_command(FIRST + i, last, BUF);
    assert_described(f, FIRST);
    at_one_place(FIRST + 1, MM_WRITE, SVM); /* its state is gone */
    assert_int_equal(ck_detector_status(d, NULL), MM_LIMIT);
}

static void commands_out_of_order(void **state) /* H15 */
{
    (void)state;
    begin();
    command(1, MM_COMMAND_START);
    wr(wi(0), BUF);
    command(1, MM_COMMAND_END);
    command(2, MM_COMMAND_START);
    rd(wi2(0), BUF);
    expect("data-race", "orders commands 1 and 2");
    begin(); /* the host writes after the enqueue */
    uint64_t x = call(host);
    wr(host, SVM);
    edge(x, MM_EDGE_ENQUEUE);
    command(1, MM_COMMAND_START);
    rd(wi(0), SVM);
    expect("data-race", "host");
    begin(); /* another host thread saw the wait, this one did not */
    command(1, MM_COMMAND_START);
    wr(wi(0), BUF);
    uint64_t end = command(1, MM_COMMAND_END);
    edge(end, MM_EDGE_API_WAIT);
    uint64_t waited = call(host);
    rd(host, BUF);
    expect_clean();
    edge(waited, MM_EDGE_HOST);
    call(host1);
    rd(host1, BUF);
    expect_clean();
    rd((struct mm_agent){0, 2}, BUF);
    expect("data-race", NULL);
}

/* H101: the host observes that the command's event is CL_COMPLETE */
static void query(bool before)
{
    begin();
    if (before)
        wr(host1, BUF);
    command(1, MM_COMMAND_START);
    wr(wi(0), before ? SVM : BUF);
    uint64_t end = command(1, MM_COMMAND_END);
    edge(end, MM_EDGE_QUERY);
    call(host);
    rd(host, BUF);
}

static void queries(void **state)
{
    (void)state;
    query(false);
    expect("data-race", "neither waits for it");
    revision = MM_REVISION_3_1_1;
    query(false);
    expect("data-race", "neither waits for it");
    revision = MM_REVISION_3_1_0;
    query(false);
    expect_clean();
    query(true); /* what another host thread did is not ordered by it */
    expect("data-race", NULL);
    revision = MM_REVISION_3_0;
}

static void copies_and_sub_buffers(void **state)
{
    (void)state;
    begin();
    command(1, MM_COMMAND_START);
    plain((struct mm_agent){1, MM_INDEX_RUNTIME}, MM_WRITE, BUF, 0, 256);
    uint64_t end = command(1, MM_COMMAND_END);
    edge(end, MM_EDGE_IN_ORDER);
    command(2, MM_COMMAND_START);
    plain(wi2(3), MM_READ, BUF, 100, 1);
    expect_clean();
    begin();
    command(1, MM_COMMAND_START);
    plain((struct mm_agent){1, MM_INDEX_RUNTIME}, MM_WRITE, BUF, 0, 256);
    command(2, MM_COMMAND_START);
    plain(wi2(3), MM_READ, BUF, 100, 1);
    assert_int_equal(expect("data-race", NULL)->offset, 100);
    begin(); /* bytes 16 to 31 of the buffer, by two names */
    plain(wi(0), MM_WRITE, BUF, 20, 4);
    plain(wi(1), MM_WRITE, SUB, 0, 4);
    expect_clean();
    plain(wi(2), MM_WRITE, SUB, 4, 4);
    assert_int_equal(expect("data-race", NULL)->offset, 4);
}

/* [CL 5.5.3 R2], after accesses while the buffer was not mapped (plain.c) */
static void maps_of_accessed_buffers(void **state)
{
    (void)state;
    begin();
    wr(wi(0), BUF);
    wr(wi(0), BUF);
    mm_event_id end = command(1, MM_COMMAND_END);
    edge(end, MM_EDGE_IN_ORDER);
    command(3, MM_COMMAND_START);
    mm_event_id map = event((struct mm_event){.agent = {3, MM_INDEX_RUNTIME},
                                              .kind = MM_MAP,
                                              .allocation = BUF,
                                              .size = 256,
                                              .semantics = MM_MAP_WRITE});
    edge(map, MM_EDGE_IN_ORDER);
    command(2, MM_COMMAND_START);
    wr(wi2(0), BUF);
    assert_int_equal(ck_detector_finding_count(d), 1);
    assert_string_equal(ck_detector_finding(d, 0)->kind, "mapped-access");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers),
        cmocka_unit_test(barriers_hand_on),
        cmocka_unit_test(sub_group_barriers),
        cmocka_unit_test(commands),
        cmocka_unit_test(host_atomics_and_images),
        cmocka_unit_test(retired_events),
        cmocka_unit_test(complete_commands_are_freed),
        cmocka_unit_test(commands_out_of_order),
        cmocka_unit_test(queries),
        cmocka_unit_test(maps_of_accessed_buffers),
        cmocka_unit_test(copies_and_sub_buffers),
    };
    return cmocka_run_group_tests_name("race_commands", tests, NULL, finish);
}
