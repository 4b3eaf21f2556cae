/* Each ordering rule of atomics and fences in handwritten executions: one that the clause orders, and a
 * variant that it does not order. */
#include "race_script.h"

/* Message passing from A to B: data in BUF (or MEM), flag in FLAGS. */
static void message(struct mm_agent a, struct mm_agent b, uint32_t mem, uint32_t flag, enum mm_order release,
                    enum mm_scope release_scope, enum mm_order acquire, enum mm_scope acquire_scope)
{
    begin();
    wr(a, mem);
    store(a, flag, release, release_scope);
    load(b, flag, acquire, acquire_scope);
    rd(b, mem);
}

static void plain_accesses(void **state) /* G4, G17 */
{
    (void)state;
    begin();
    wr(wi(0), BUF);
    rd(wi(1), BUF);
    const struct ck_finding *f = expect("data-race", "no synchronization orders the two accesses");
    assert_int_equal(f->accesses[0].event.kind, MM_READ);
    assert_int_equal(f->accesses[1].event.kind, MM_WRITE);
    assert_int_equal(f->accesses[0].global_id[0], 1);
    assert_int_equal(f->accesses[0].source.line, 2);
    assert_int_equal(f->count, 1);
    begin();
    rd(wi(0), BUF);
    rd(wi(1), BUF);
    rd(wi(5), BUF);
    expect_clean();
    begin();
    wr(wi(0), BUF);
    rd(wi(0), BUF);
    plain(wi(1), MM_WRITE, BUF, 4, 4);
    expect_clean();
    begin(); /* equal values make no difference */
    wr(wi(0), BUF);
    wr(wi(1), BUF);
    expect("data-race", NULL);
}

static void partly_overlapping(void **state)
{
    (void)state;
    begin();
    plain(wi(0), MM_WRITE, BUF, 0, 4);
    plain(wi(1), MM_WRITE, BUF, 4, 2);
    plain(wi(2), MM_WRITE, BUF, 6, 1);
    plain(wi(3), MM_READ, BUF, 7, 1);
    expect_clean();
    plain(wi(4), MM_READ, BUF, 3, 1);
    const struct ck_finding *f = expect("data-race", NULL);
    assert_int_equal(f->offset, 3);
    assert_int_equal(f->size, 1);
    begin();
    plain(wi(0), MM_WRITE, BUF, 0, 16);
    plain(wi(1), MM_READ, BUF, 12, 4);
    assert_int_equal(expect("data-race", NULL)->offset, 12);
    begin();
    plain(wi(0), MM_WRITE, BUF, 6, 1);
    plain(wi(1), MM_READ, BUF, 0, 8);
    assert_int_equal(expect("data-race", NULL)->offset, 6);
}

static void release_and_acquire(void **state) /* A4, O14 */
{
    (void)state;
    message(wi(0), wi(4), BUF, FLAG, MM_RELEASE, DEV, MM_ACQUIRE, DEV);
    expect_clean();
    message(wi(0), wi(4), BUF, FLAG, MM_SEQ_CST, DEV, MM_SEQ_CST, DEV);
    expect_clean();
    message(wi(0), wi(4), BUF, FLAG, MM_RELAXED, DEV, MM_ACQUIRE, DEV);
    expect("data-race", "the atomic write at k.cl:2 is relaxed");
    message(wi(0), wi(4), BUF, FLAG, MM_RELEASE, DEV, MM_RELAXED, DEV);
    expect("data-race", "the load at k.cl:3 is relaxed");
    begin(); /* the load comes first: it reads no release */
    wr(wi(0), BUF);
    load(wi(4), FLAG, MM_ACQUIRE, DEV);
    store(wi(0), FLAG, MM_RELEASE, DEV);
    rd(wi(4), BUF);
    expect("data-race", NULL);
    begin(); /* accesses after the release are not released */
    store(wi(0), FLAG, MM_RELEASE, DEV);
    wr(wi(0), BUF);
    load(wi(4), FLAG, MM_ACQUIRE, DEV);
    rd(wi(4), BUF);
    expect("data-race", NULL);
}

/* A write of both halves of a long, then a release to the half at RELEASED and a later relaxed store to the
 * first half, which continues only that half's release sequence. */
static void halves(uint64_t released)
{
    struct mm_event store_of = {.agent = wi(0),
                                .kind = MM_WRITE,
                                .attributes = MM_ATOMIC,
                                .allocation = FLAG,
                                .size = 8,
                                .order = MM_RELAXED,
                                .scope = MM_SCOPE_WORK_GROUP};
    begin();
    event(store_of);
    barrier(0, FG);
    wr(wi(0), BUF);
    store_of.size = 4;
    store_of.offset = released;
    store_of.order = MM_RELEASE;
    event(store_of);
    store_of.offset = 0;
    store_of.order = MM_RELAXED;
    event(store_of);
    load(wi(1), FLAG, MM_ACQUIRE, WG);
    rd(wi(1), BUF);
}

static void release_sequences_of_halves(void **state) /* G7 */
{
    (void)state;
    halves(0);
    expect_clean();
    halves(4);
    expect("data-race", NULL);
}

static void scopes(void **state) /* O12, O13: the same scope, in the same instance of it */
{
    (void)state;
    message(wi(0), wi(3), BUF, FLAG, MM_RELEASE, WG, MM_ACQUIRE, WG);
    expect_clean();
    message(wi(0), wi(4), BUF, FLAG, MM_RELEASE, WG, MM_ACQUIRE, WG);
    assert_int_equal(ck_detector_finding_count(d), 2); /* the flag itself, and the data */
    expect("scope-race",
           "both atomics have scope work_group, but the work-items are in different work-groups");
    assert_string_equal(ck_detector_finding(d, 1)->kind, "data-race");
    assert_non_null(
        strstr(ck_detector_finding(d, 1)->reason,
               "the release at k.cl:2 has scope work_group, but the work-items are in different"));
    message(wi(0), wi(1), BUF, FLAG, MM_RELEASE, SG, MM_ACQUIRE, SG);
    expect_clean();
    message(wi(0), wi(2), BUF, FLAG, MM_RELEASE, SG, MM_ACQUIRE, SG);
    expect("scope-race", "different sub-groups");
    message(wi(0), wi(3), BUF, FLAG, MM_RELEASE, WG, MM_ACQUIRE, DEV);
    expect("scope-race", "the atomics have scopes work_group and device");
    message(wi(0), wi(1), BUF, FLAG, MM_RELEASE, WI, MM_ACQUIRE, WI);
    expect("scope-race", NULL);
}

static void scopes_are_reduced(void **state) /* O10, O11 */
{
    (void)state;
    message(wi(0), wi(4), BUF, FLAG, MM_RELEASE, ALL, MM_ACQUIRE, DEV);
    expect_clean();
    message(wi(0), wi(4), BUF, SVMF, MM_RELEASE, ALL, MM_ACQUIRE, DEV);
    expect_clean();
    message(wi(0), wi(4), BUF, SVM, MM_RELEASE, ALL, MM_ACQUIRE, DEV);
    expect("scope-race", NULL);
    message(wi(0), wi(3), LOC, LFLAG, MM_RELEASE, DEV, MM_ACQUIRE, WG);
    expect_clean();
    message(wi(0), wi(3), LOC, LFLAG, MM_RELEASE, ALL, MM_ACQUIRE, DEV);
    expect_clean();
}

static void device_scope_and_kernels(void **state) /* O14: a buffer and the kernel tree, SVM and the device */
{
    (void)state;
    message(wi(0), wi2(0), BUF, FLAG, MM_RELEASE, DEV, MM_ACQUIRE, DEV);
    expect("scope-race", "one kernel and its children");
    message(wi(0), wi2(0), BUF, SVMF, MM_RELEASE, DEV, MM_ACQUIRE, DEV);
    expect_clean();
    begin_with(0, 1);
    wr(wi(0), BUF);
    store(wi(0), FLAG, MM_RELEASE, DEV);
    load(wi2(0), FLAG, MM_ACQUIRE, DEV);
    rd(wi2(0), BUF);
    expect_clean();
    message(host, wi(0), BUF, SVM, MM_RELEASE, ALL, MM_ACQUIRE, ALL); /* A23, O15 */
    expect_clean();
    message(host, wi(0), BUF, SVM, MM_RELEASE, ALL, MM_ACQUIRE, DEV);
    expect("scope-race", NULL);
}

static void two_regions(void **state) /* G8-G10: local synchronization does not order global accesses */
{
    (void)state;
    message(wi(0), wi(1), LOC, LFLAG, MM_RELEASE, WG, MM_ACQUIRE, WG);
    expect_clean();
    message(wi(0), wi(1), BUF, LFLAG, MM_RELEASE, WG, MM_ACQUIRE, WG);
    expect("data-race", "order local memory only, the accesses are to global memory");
    message(wi(0), wi(1), LOC, FLAG, MM_RELEASE, WG, MM_ACQUIRE, WG);
    expect("data-race", "order global memory only, the accesses are to local memory");
    message(wi(0), wi(1), BUF, LFLAG, MM_SEQ_CST, WG, MM_SEQ_CST, WG); /* A11, as written */
    expect("data-race", NULL);
    begin(); /* every work-group has its own local memory */
    wr(wi(0), LOC);
    wr(wi(4), LOC);
    expect_clean();
}

static void fenced(struct mm_agent a, struct mm_agent b, uint32_t mem, uint32_t flag, unsigned flags_a,
                   unsigned flags_b, enum mm_order order_a, enum mm_scope scope_a, enum mm_scope scope_b)
{
    begin();
    wr(a, mem);
    fence(a, flags_a, order_a, scope_a);
    store(a, flag, MM_RELAXED, DEV);
    load(b, flag, MM_RELAXED, DEV);
    fence(b, flags_b, MM_ACQUIRE, scope_b);
    rd(b, mem);
}

static void scopes_differ(void **state) /* O101: from 3.1 on, each in the scope of the other */
{
    (void)state;
    for (revision = MM_REVISION_3_1_0; revision <= MM_REVISION_3_1_1; revision++) {
        message(wi(0), wi(3), BUF, FLAG, MM_RELEASE, WG, MM_ACQUIRE, DEV);
        expect_clean();
        message(wi(0), wi(1), BUF, FLAG, MM_RELEASE, DEV, MM_ACQUIRE, SG);
        expect_clean();
        message(wi(0), wi(2), BUF, FLAG, MM_RELEASE, DEV, MM_ACQUIRE, SG);
        expect("scope-race", "the atomics have scopes device and sub_group");
        message(wi(0), wi(4), BUF, FLAG, MM_RELEASE, WG, MM_ACQUIRE, DEV);
        expect("scope-race", "the atomics have scopes work_group and device");
        message(wi(0), wi(1), BUF, FLAG, MM_RELEASE, WI, MM_ACQUIRE, WI);
        expect("scope-race", NULL);
        fenced(wi(0), wi(3), BUF, FLAG, FG, FG, MM_RELEASE, WG, DEV);
        expect_clean();
        fenced(wi(0), wi(4), BUF, FLAG, FG, FG, MM_RELEASE, WG, DEV);
        expect("data-race", NULL);
    }
    revision = MM_REVISION_3_0;
}

static void fences(void **state) /* F1-F7 */
{
    (void)state;
    fenced(wi(0), wi(4), BUF, FLAG, FG, FG, MM_RELEASE, DEV, DEV);
    expect_clean();
    fenced(wi(0), wi(4), BUF, FLAG, FG, FG, MM_ACQUIRE, DEV, DEV);
    expect("data-race", NULL);
    fenced(wi(0), wi(4), BUF, FLAG, FG, FG, MM_RELEASE, WG, WG);
    expect("data-race", NULL);
    fenced(wi(0), wi(3), BUF, FLAG, FG, FG, MM_RELEASE, WG, WG); /* only the scopes of the fences count */
    expect_clean();
    fenced(wi(0), wi(3), BUF, FLAG, FG, FG, MM_RELEASE, WG, DEV);
    expect("data-race", NULL);
    fenced(wi(0), wi(4), BUF, FLAG, FL, FG, MM_RELEASE, DEV, DEV);
    expect("data-race", NULL);
    fenced(wi(0), wi(3), LOC, LFLAG, FL, FL, MM_RELEASE, WG, WG);
    expect_clean();
    fenced(wi(0), wi(3), LOC, LFLAG, FG, FG, MM_RELEASE, WG, WG);
    expect("data-race", NULL);
    fenced(wi(0), wi(3), BUF, LFLAG, FG | FL, FG | FL, MM_RELEASE, WG, WG); /* F7 */
    expect_clean();
    fenced(wi(0), wi(3), BUF, LFLAG, FG | FL, FL, MM_RELEASE, WG, WG);
    expect("data-race", NULL);
    fenced(wi(0), wi(3), LOC, FLAG, FG | FL, FG | FL, MM_RELEASE, WG, WG);
    expect_clean();
}

static void fence_and_operation(void **state) /* F2, F3 */
{
    (void)state;
    begin();
    wr(wi(0), BUF);
    fence(wi(0), FG, MM_RELEASE, DEV);
    store(wi(0), FLAG, MM_RELAXED, DEV);
    load(wi(4), FLAG, MM_ACQUIRE, DEV);
    rd(wi(4), BUF);
    expect_clean();
    begin();
    wr(wi(0), BUF);
    store(wi(0), FLAG, MM_RELEASE, DEV);
    load(wi(4), FLAG, MM_RELAXED, DEV);
    fence(wi(4), FG, MM_ACQUIRE, DEV);
    rd(wi(4), BUF);
    expect_clean();
    begin(); /* the fence comes before the load: too early */
    wr(wi(0), BUF);
    store(wi(0), FLAG, MM_RELEASE, DEV);
    fence(wi(4), FG, MM_ACQUIRE, DEV);
    load(wi(4), FLAG, MM_RELAXED, DEV);
    rd(wi(4), BUF);
    expect("data-race", "the load at k.cl:4 is relaxed");
    begin(); /* the write comes after the fence: not released */
    fence(wi(0), FG, MM_RELEASE, DEV);
    wr(wi(0), BUF);
    store(wi(0), FLAG, MM_RELAXED, DEV);
    load(wi(4), FLAG, MM_ACQUIRE, DEV);
    rd(wi(4), BUF);
    expect("data-race", NULL);
}

static void release_sequences(void **state) /* G7 */
{
    (void)state;
    begin(); /* another work-item's read-modify-write continues the sequence */
    wr(wi(0), BUF);
    store(wi(0), FLAG, MM_RELEASE, DEV);
    rmw(wi(5), FLAG, MM_RELAXED, DEV);
    load(wi(9), FLAG, MM_ACQUIRE, DEV);
    rd(wi(9), BUF);
    expect_clean();
    begin(); /* its plain atomic store ends it */
    wr(wi(0), BUF);
    store(wi(0), FLAG, MM_RELEASE, DEV);
    store(wi(5), FLAG, MM_RELAXED, DEV);
    load(wi(9), FLAG, MM_ACQUIRE, DEV);
    rd(wi(9), BUF);
    expect("data-race", NULL);
    begin(); /* the same work-item's relaxed store continues it */
    wr(wi(0), BUF);
    store(wi(0), FLAG, MM_RELEASE, DEV);
    store(wi(0), FLAG, MM_RELAXED, DEV);
    load(wi(9), FLAG, MM_ACQUIRE, DEV);
    rd(wi(9), BUF);
    expect_clean();
    begin(); /* but not after another one's store */
    wr(wi(0), BUF);
    store(wi(0), FLAG, MM_RELEASE, DEV);
    store(wi(5), FLAG, MM_RELAXED, DEV);
    store(wi(0), FLAG, MM_RELAXED, DEV);
    load(wi(9), FLAG, MM_ACQUIRE, DEV);
    rd(wi(9), BUF);
    expect("data-race", NULL);
}

/* A spin lock: compare-exchange, work, store. */
static void lock(enum mm_order acquire, enum mm_order release)
{
    begin();
    for (uint32_t i = 0; i < 12; i += 4) {
        rmw(wi(i), FLAG, acquire, DEV);
        rd(wi(i), BUF);
        wr(wi(i), BUF);
        store(wi(i), FLAG, release, DEV);
    }
}

static void locks(void **state)
{
    (void)state;
    lock(MM_ACQUIRE, MM_RELEASE);
    expect_clean();
    lock(MM_ACQ_REL, MM_SEQ_CST);
    expect_clean();
    lock(MM_RELAXED, MM_RELEASE);
    expect("data-race", "is relaxed");
    lock(MM_ACQUIRE, MM_RELAXED);
    expect("data-race", "is relaxed");
}

static void plain_against_atomic(void **state)
{
    (void)state;
    begin();
    wr(wi(0), FLAG);
    load(wi(4), FLAG, MM_SEQ_CST, DEV);
    expect("data-race", NULL);
    begin();
    rmw(wi(0), FLAG, MM_SEQ_CST, DEV);
    rd(wi(4), FLAG);
    expect("data-race", NULL);
    begin();
    load(wi(0), FLAG, MM_SEQ_CST, DEV);
    rd(wi(4), FLAG);
    expect_clean();
    begin(); /* an unordered initialization, although another atomic was ordered after it */
    wr(wi(0), FLAG);
    store(wi(0), FLAG, MM_RELEASE, DEV);
    rmw(wi(4), FLAG, MM_ACQUIRE, DEV);
    store(wi(8), FLAG, MM_RELAXED, DEV);
    expect("data-race", NULL);
}

/* Work-items of a group leave a barrier with different clocks. */
static void barrier_in_parts(void **state)
{
    (void)state;
    const uint32_t instance = 1000;
    for (uint32_t reader = 0; reader < 2; reader++) { /* only work-item 0 has acquired, after its entry */
        begin();
        barrier(0, FG);
        wr(wi(4), BUF);
        store(wi(4), FLAG, MM_RELEASE, DEV);
        half_barrier(MM_BARRIER_ENTRY, instance, 0, 4, FG, MM_SCOPE_WORK_GROUP);
        load(wi(0), FLAG, MM_ACQUIRE, DEV);
        half_barrier(MM_BARRIER_EXIT, instance, 0, 4, FG, MM_SCOPE_WORK_GROUP);
        rd(wi(reader), BUF);
        if (reader == 0)
            expect_clean();
        else
            expect("data-race", NULL);
    }
    begin(); /* work-item 3 enters when work-item 0 has left */
    barrier(0, FG);
    half_barrier(MM_BARRIER_ENTRY, instance, 0, 3, FG, MM_SCOPE_WORK_GROUP);
    half_barrier(MM_BARRIER_EXIT, instance, 0, 1, FG, MM_SCOPE_WORK_GROUP);
    wr(wi(3), BUF);
    half_barrier(MM_BARRIER_ENTRY, instance, 3, 1, FG, MM_SCOPE_WORK_GROUP);
    half_barrier(MM_BARRIER_EXIT, instance, 1, 3, FG, MM_SCOPE_WORK_GROUP);
    rd(wi(1), BUF);
    expect_clean();
    rd(wi(0), BUF);
    expect("data-race", NULL);
}

/* Two work-items in a row. */
static void half_row(enum mm_kind kind, uint32_t first, unsigned flags)
{
    const struct mm_event e = {.agent = wi(first),
                               .kind = (uint8_t)kind,
                               .site = 1,
                               .instance = 1000,
                               .order = MM_ACQ_REL,
                               .scope = MM_SCOPE_WORK_GROUP,
                               .effective_scope = MM_SCOPE_WORK_GROUP,
                               .fence_flags = (uint8_t)flags};
    assert_int_equal(sink.row(sink.context, &e, 2), MM_OK);
    next += 2;
}

/* Rows of work-items whose barriers have different flags. */
static void barrier_in_rows(void **state)
{
    (void)state;
    for (uint32_t writer = 0; writer < 4; writer++) {
        begin();
        barrier(0, FG | FL);
        wr(wi(writer), BUF);
        half_row(MM_BARRIER_ENTRY, 0, FG);
        half_row(MM_BARRIER_ENTRY, 2, FL);
        half_row(MM_BARRIER_EXIT, 0, FG);
        half_row(MM_BARRIER_EXIT, 2, FL);
        rd(wi(writer == 0), BUF);
        if (writer < 2)
            expect_clean();
        else
            expect("data-race", NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_accesses),
        cmocka_unit_test(partly_overlapping),
        cmocka_unit_test(release_sequences_of_halves),
        cmocka_unit_test(release_and_acquire),
        cmocka_unit_test(scopes),
        cmocka_unit_test(scopes_differ),
        cmocka_unit_test(scopes_are_reduced),
        cmocka_unit_test(device_scope_and_kernels),
        cmocka_unit_test(two_regions),
        cmocka_unit_test(fences),
        cmocka_unit_test(fence_and_operation),
        cmocka_unit_test(release_sequences),
        cmocka_unit_test(locks),
        cmocka_unit_test(plain_against_atomic),
        cmocka_unit_test(barrier_in_parts),
        cmocka_unit_test(barrier_in_rows),
    };
    return cmocka_run_group_tests_name("race_rules", tests, NULL, finish);
}
