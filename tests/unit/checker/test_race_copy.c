/* Handwritten executions of asynchronous copies [CLC 6.15.11]: accesses ordered before a copy, after it, and
 * not ordered. */
#include "race_script.h"

static void point(uint32_t first, uint32_t count, enum mm_kind kind, uint32_t copy)
{
    for (uint32_t i = first; i < first + count; i++)
        event((struct mm_event){.agent = wi(i), .kind = (uint8_t)kind, .instance = copy});
}
/* All of a work-group start a copy, or wait for it. */
static void ask(uint32_t group, uint32_t copy)
{
    point(group * 4, 4, MM_COPY_START, copy);
}
static void wait(uint32_t group, uint32_t copy)
{
    point(group * 4, 4, MM_COPY_WAIT, copy);
}
static void copied(uint32_t first, uint32_t copy, enum mm_kind kind, uint32_t m)
{
    event((struct mm_event){.agent = wi(first),
                            .kind = (uint8_t)kind,
                            .allocation = m,
                            .size = 4,
                            .semantics = MM_COPY,
                            .instance = copy});
}

static void waiting_orders(void **state)
{
    (void)state;
    for (int barriers = 0; barriers < 2; barriers++)
        for (int waits = 0; waits < 2; waits++) {
            begin();
            ask(0, 1);
            copied(0, 1, MM_READ, BUF);
            copied(0, 1, MM_WRITE, LOC);
            if (barriers)
                barrier(0, FG | FL);
            if (waits)
                wait(0, 1);
            rd(wi(0), LOC); /* by the work-item that represents the group, too */
            rd(wi(3), LOC);
            if (waits)
                expect_clean();
            else
                expect("data-race", "in progress until a wait for its event");
        }
}

/* A wait orders only its own work-item. */
static void others_do_not_wait(void **state)
{
    (void)state;
    begin();
    ask(0, 1);
    copied(0, 1, MM_WRITE, LOC);
    point(2, 1, MM_COPY_WAIT, 1);
    rd(wi(2), LOC);
    expect_clean();
    rd(wi(1), LOC);
    expect("data-race", NULL);
    begin();
    ask(0, 1);
    copied(0, 1, MM_WRITE, LOC);
    point(2, 1, MM_COPY_WAIT, 1);
    barrier(0, FL);
    rd(wi(1), LOC); /* the barrier orders it after the wait of work-item 2 */
    expect_clean();
}

static void sources_need_a_barrier(void **state)
{
    (void)state;
    for (uint32_t writer = 0; writer < 4; writer++) {
        begin();
        wr(wi(writer), LOC);
        ask(0, 1);
        copied(0, 1, MM_READ, LOC);
        const struct ck_finding *f = expect("data-race", "no barrier stands between");
        assert_true(mm_is_copy(&f->accesses[0].event));
        assert_false(mm_is_copy(&f->accesses[1].event));
        begin();
        wr(wi(writer), LOC);
        barrier(0, FL);
        ask(0, 1);
        copied(0, 1, MM_READ, LOC);
        expect_clean();
        begin();
        wr(wi(writer), LOC);
        barrier(0, FG);
        ask(0, 1);
        copied(0, 1, MM_READ, LOC);
        expect("data-race", "fences global memory only");
    }
}

/* An access ordered before only some of the callers. */
static void all_callers_count(void **state)
{
    (void)state;
    for (uint32_t informed = 1; informed <= 4; informed++) {
        begin();
        wr(wi(4), BUF);
        store(wi(4), FLAG, MM_RELEASE, DEV);
        for (uint32_t i = 0; i < informed; i++)
            load(wi(i), FLAG, MM_ACQUIRE, DEV);
        ask(0, 1);
        copied(0, 1, MM_READ, BUF);
        if (informed == 4)
            expect_clean();
        else
            expect("data-race", NULL);
    }
}

static void alone(void **state)
{
    (void)state;
    begin();
    wr(wi(0), LOC);
    point(0, 1, MM_COPY_START, 1);
    copied(0, 1, MM_READ, LOC);
    expect_clean();
    wr(wi(0), LOC);
    expect("data-race", "in progress until a wait for its event");
    begin(); /* the copy may execute later */
    point(0, 1, MM_COPY_START, 1);
    wr(wi(0), LOC);
    copied(0, 1, MM_READ, LOC);
    expect("data-race", NULL);
}

static void two_copies(void **state)
{
    (void)state;
    begin();
    ask(0, 1);
    copied(0, 1, MM_WRITE, LOC);
    ask(0, 2);
    copied(0, 2, MM_READ, LOC);
    expect("data-race", "precedes the copy at");
    begin();
    ask(0, 1);
    copied(0, 1, MM_WRITE, LOC);
    wait(0, 1);
    ask(0, 2);
    copied(0, 2, MM_READ, LOC);
    wait(0, 2);
    wr(wi(0), LOC);
    expect_clean();
    begin(); /* one of the callers has not waited */
    ask(0, 1);
    copied(0, 1, MM_WRITE, LOC);
    point(0, 3, MM_COPY_WAIT, 1);
    ask(0, 2);
    copied(0, 2, MM_READ, LOC);
    expect("data-race", NULL);
    begin(); /* the same copy reads and writes one location */
    ask(0, 1);
    copied(0, 1, MM_READ, LOC);
    copied(0, 1, MM_WRITE, LOC);
    expect_clean();
}

static void copy_fence(uint32_t group, unsigned flags)
{
    for (uint32_t i = 0; i < 4; i++)
        event((struct mm_event){
            .agent = wi(group * 4 + i), .kind = MM_COPY_FENCE, .fence_flags = (uint8_t)flags});
}

/* A fence orders accesses to the memory of its flags: a wait for a later copy includes an earlier one in the
 * memory that the later one accesses. */
static void wait_for_fenced_copy(void **state)
{
    (void)state;
    static const struct {
        uint32_t written, read; /* READ 0: the later copy has no elements */
        unsigned flags;
        bool ordered;
    } cases[] = {
        {LOC, LOC, FL, true},       {LOC, LFLAG, FL, true},      {BUF, BUF, FG, true},
        {BUF, FLAG, FG, true},      {LOC, LFLAG, FL | FG, true}, {BUF, FLAG, FL | FG, true},
        {LOC, LFLAG, FG, false},    {BUF, FLAG, FL, false},      {LOC, BUF, FL, false},
        {LOC, BUF, FL | FG, false}, {BUF, LOC, FG, false},       {BUF, LOC, FL | FG, false},
        {LOC, 0, FL, false},        {LOC, 0, FL | FG, false},    {BUF, 0, FG, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int fences = 1; fences <= 2; fences++) {
            begin();
            ask(0, 1);
            copied(0, 1, MM_WRITE, cases[i].written);
            copy_fence(0, cases[i].flags);
            ask(0, 2);
            if (cases[i].read)
                copied(0, 2, MM_READ, cases[i].read);
            if (fences == 2)
                copy_fence(0, cases[i].flags);
            wait(0, 2);
            expect_clean();
            rd(wi(1), cases[i].written);
            if (cases[i].ordered)
                expect_clean();
            else
                expect("data-race", "in progress until a wait for its event");
        }
}

/* A copy between two fences that accesses other memory does not break the order of the copies around it. */
static void fences_accumulate(void **state)
{
    (void)state;
    begin();
    ask(0, 1);
    copied(0, 1, MM_WRITE, LOC);
    copy_fence(0, FL | FG);
    ask(0, 2);
    copied(0, 2, MM_READ, BUF);
    wait(0, 2);
    ask(0, 3);
    copied(0, 3, MM_WRITE, LOC);
    copy_fence(0, FL);
    ask(0, 4);
    copied(0, 4, MM_READ, LFLAG);
    wait(0, 4);
    rd(wi(1), LOC);
    expect_clean();
}

/* A pipeline with two buffers. */
static void pipeline(void **state)
{
    (void)state;
    begin();
    ask(0, 1);
    copied(0, 1, MM_WRITE, LOC);
    for (uint32_t round = 1; round < 200; round++) {
        uint32_t here = round % 2 ? LOC : LFLAG, there = round % 2 ? LFLAG : LOC;
        ask(0, round + 1);
        copied(0, round + 1, MM_WRITE, there);
        wait(0, round);
        for (uint32_t i = 0; i < 4; i++)
            rd(wi(i), here);
        barrier(0, FL);
    }
    rd(wi(2), LOC);
    expect_clean();
    rd(wi(2), LFLAG); /* the last one is still under way */
    expect("data-race", "in progress until a wait for its event");
}

static void other_groups_and_commands(void **state)
{
    (void)state;
    begin();
    ask(0, 1);
    copied(0, 1, MM_WRITE, BUF);
    wait(0, 1);
    rd(wi(4), BUF);
    const struct ck_finding *f = expect("data-race", "different work-groups");
    assert_true(mm_is_copy(&f->accesses[1].event));
    assert_int_equal(f->accesses[1].agent.index, 0);
    begin(); /* local memory is another one there */
    ask(0, 1);
    copied(0, 1, MM_WRITE, LOC);
    rd(wi(4), LOC);
    expect_clean();
    begin(); /* copies with one number in two groups */
    ask(1, 1);
    ask(0, 1);
    copied(4, 1, MM_WRITE, LOC);
    copied(0, 1, MM_WRITE, LOC);
    wait(1, 1);
    rd(wi(5), LOC);
    expect_clean();
    rd(wi(1), LOC);
    expect("data-race", NULL);
    begin(); /* the end of a command is the end of its copies */
    ask(0, 1);
    copied(0, 1, MM_WRITE, BUF);
    event((struct mm_event){.agent = {1, MM_INDEX_RUNTIME}, .kind = MM_COMMAND_END});
    rd((struct mm_agent){1, MM_INDEX_RUNTIME}, BUF);
    expect_clean();
}

/* A copy's write ends release sequences, also of the work-item that represents it. */
static void release_sequence(void **state)
{
    (void)state;
    for (int copy = 0; copy < 2; copy++) {
        begin();
        wr(wi(0), BUF);
        store(wi(0), FLAG, MM_RELEASE, DEV);
        barrier(0, FG);
        ask(0, 1);
        copied(0, 1, MM_WRITE, copy ? FLAG : SVM);
        wait(0, 1);
        store(wi(0), FLAG, MM_RELAXED, DEV);
        load(wi(4), FLAG, MM_ACQUIRE, DEV);
        rd(wi(4), BUF);
        bool found = false; /* the flag itself races, too */
        for (size_t i = 0; i < ck_detector_finding_count(d); i++)
            found |= ck_detector_finding(d, i)->allocation->id == BUF;
        assert_int_equal(found, copy);
    }
}

/* Points without a copy, and accesses of copies that were not started. */
static void damaged(void **state)
{
    (void)state;
    begin();
    wait(0, 7);
    copied(0, 3, MM_WRITE, LOC);
    rd(wi(0), LOC);
    ask(0, 9);
    wait(0, 9);
    wait(0, 9);
    point(MM_INDEX_RUNTIME, 1, MM_COPY_START, 1);
    event((struct mm_event){.kind = MM_COPY_START, .instance = 1});
    expect_clean();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_orders),
        cmocka_unit_test(others_do_not_wait),
        cmocka_unit_test(sources_need_a_barrier),
        cmocka_unit_test(all_callers_count),
        cmocka_unit_test(alone),
        cmocka_unit_test(two_copies),
        cmocka_unit_test(wait_for_fenced_copy),
        cmocka_unit_test(fences_accumulate),
        cmocka_unit_test(pipeline),
        cmocka_unit_test(other_groups_and_commands),
        cmocka_unit_test(release_sequence),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests_name("race_copy", tests, NULL, finish);
}
