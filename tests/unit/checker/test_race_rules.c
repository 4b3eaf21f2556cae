/* Each ordering rule by hand: an execution that the clause orders, and its twin that it does not.
 * One launch of 16 work-items in work-groups of 4 and sub-groups of 2, and a second one like it. */
#include "checker/checker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { BUF = 1, FLAG, SVM, LOC, LFLAG, IMG, SVMF, SUB };
enum { NA = MM_ORDER_NONE };
static const enum mm_scope WI = MM_SCOPE_WORK_ITEM, SG = MM_SCOPE_SUB_GROUP, WG = MM_SCOPE_WORK_GROUP,
                           DEV = MM_SCOPE_DEVICE, ALL = MM_SCOPE_ALL_SVM_DEVICES;
enum { FG = MM_FENCE_GLOBAL, FL = MM_FENCE_LOCAL, FI = MM_FENCE_IMAGE };

static struct ck_detector *d;
static struct mm_sink sink;
static uint64_t next;
static uint32_t line;

static void record(struct mm_record r)
{
    assert_int_equal(sink.record(sink.context, &r), MM_OK);
}

static uint64_t event(struct mm_event e)
{
    struct mm_record place = {.type = MM_RECORD_SOURCE};
    place.source =
        (struct mm_source){.id = ++line, .line = line, .file = "k.cl", .function = "f", .opcode = ""};
    record(place);
    e.source = line;
    record((struct mm_record){.type = MM_RECORD_EVENT, .event = e});
    return next++;
}

static struct mm_agent wi(uint32_t i)
{
    return (struct mm_agent){1, i};
}
static struct mm_agent wi2(uint32_t i)
{
    return (struct mm_agent){2, i};
}
static const struct mm_agent host = {0, 0}, host1 = {0, 1};

static void plain(struct mm_agent a, enum mm_kind kind, uint32_t m, uint64_t offset, uint32_t size)
{
    event((struct mm_event){
        .agent = a, .kind = (uint8_t)kind, .allocation = m, .offset = offset, .size = size});
}
static void wr(struct mm_agent a, uint32_t m)
{
    plain(a, MM_WRITE, m, 0, 4);
}
static void rd(struct mm_agent a, uint32_t m)
{
    plain(a, MM_READ, m, 0, 4);
}
static void atomic(struct mm_agent a, enum mm_kind kind, uint32_t m, enum mm_order order, enum mm_scope scope)
{
    event((struct mm_event){.agent = a,
                            .kind = (uint8_t)kind,
                            .allocation = m,
                            .size = 4,
                            .attributes = MM_ATOMIC,
                            .order = (uint8_t)order,
                            .scope = (uint8_t)scope});
}
static void store(struct mm_agent a, uint32_t m, enum mm_order order, enum mm_scope scope)
{
    atomic(a, MM_WRITE, m, order, scope);
}
static void load(struct mm_agent a, uint32_t m, enum mm_order order, enum mm_scope scope)
{
    atomic(a, MM_READ, m, order, scope);
}
static void rmw(struct mm_agent a, uint32_t m, enum mm_order order, enum mm_scope scope)
{
    atomic(a, MM_RMW, m, order, scope);
}
static void fence(struct mm_agent a, unsigned flags, enum mm_order order, enum mm_scope scope)
{
    event((struct mm_event){.agent = a,
                            .kind = MM_FENCE,
                            .order = (uint8_t)order,
                            .scope = (uint8_t)scope,
                            .fence_flags = (uint8_t)flags});
}
static void barrier_of(uint32_t first, uint32_t count, unsigned flags, enum mm_scope execution)
{
    static uint32_t instance;
    struct mm_event e = {.site = 1,
                         .instance = ++instance,
                         .order = MM_ACQ_REL,
                         .scope = (uint8_t)execution,
                         .effective_scope = (uint8_t)execution,
                         .fence_flags = (uint8_t)flags};
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < count; i++) {
            e.kind = pass ? MM_BARRIER_EXIT : MM_BARRIER_ENTRY;
            e.agent = wi(first + i);
            event(e);
        }
    }
}
static void barrier(uint32_t group, unsigned flags)
{
    barrier_of(group * 4, 4, flags, MM_SCOPE_WORK_GROUP);
}
static void edge(uint64_t from, enum mm_edge_kind kind)
{
    record((struct mm_record){.type = MM_RECORD_EDGE,
                              .edge = {.from = from, .to = next, .kind = (uint32_t)kind}});
}
static uint64_t call(struct mm_agent a)
{
    return event((struct mm_event){.agent = a, .kind = MM_API_CALL});
}
static uint64_t command(uint32_t c, enum mm_kind kind)
{
    return event((struct mm_event){.agent = {c, MM_INDEX_RUNTIME}, .kind = (uint8_t)kind});
}

static void allocate(uint32_t id, enum mm_region region, enum mm_origin origin, uint64_t address,
                     uint64_t size)
{
    struct mm_record r = {.type = MM_RECORD_ALLOCATION};
    r.allocation = (struct mm_allocation){.id = id,
                                          .region = (uint8_t)region,
                                          .origin = (uint8_t)origin,
                                          .address = address,
                                          .size = size,
                                          .name = "m"};
    record(r);
}

static void describe_command(uint32_t id, uint32_t parent, uint32_t queue)
{
    struct mm_record r = {.type = MM_RECORD_COMMAND};
    r.command = (struct mm_command){.id = id,
                                    .queue = queue,
                                    .dimensions = 1,
                                    .global_size = {16, 1, 1},
                                    .local_size = {4, 1, 1},
                                    .sub_group_size = 2,
                                    .parent = parent,
                                    .kind = "clEnqueueNDRangeKernel",
                                    .kernel = "k"};
    record(r);
}

static void begin_with(size_t memory_limit, uint32_t parent)
{
    ck_detector_destroy(d);
    d = ck_detector_create(
        &(struct ck_detector_options){.races = true, .memory = true, .memory_limit = memory_limit});
    ck_detector_sink(d, &sink);
    next = 0;
    line = 0;
    describe_command(1, 0, 1);
    describe_command(2, parent, 2);
    allocate(BUF, MM_GLOBAL, MM_ORIGIN_BUFFER, 0x10000, 256);
    allocate(FLAG, MM_GLOBAL, MM_ORIGIN_BUFFER, 0x20000, 256);
    allocate(SVM, MM_GLOBAL, MM_ORIGIN_FINE_SVM_ATOMICS, 0x30000, 256);
    allocate(SVMF, MM_GLOBAL, MM_ORIGIN_FINE_SVM, 0x40000, 256);
    allocate(LOC, MM_LOCAL, MM_ORIGIN_NONE, 0, 64);
    allocate(LFLAG, MM_LOCAL, MM_ORIGIN_NONE, 0, 64);
    allocate(IMG, MM_IMAGE, MM_ORIGIN_NONE, 0, 256);
    allocate(SUB, MM_GLOBAL, MM_ORIGIN_SUB_BUFFER, 0x10010, 16);
}
static void begin(void)
{
    begin_with(0, 0);
}

static void expect_clean(void)
{
    assert_int_equal(ck_detector_status(d, NULL), MM_OK);
    if (ck_detector_finding_count(d))
        print_message("# unexpected: %s\n", ck_detector_finding(d, 0)->message);
    assert_int_equal(ck_detector_finding_count(d), 0);
}

static const struct ck_finding *expect(const char *kind, const char *reason)
{
    assert_true(ck_detector_finding_count(d) >= 1);
    const struct ck_finding *f = ck_detector_finding(d, 0);
    assert_string_equal(f->kind, kind);
    assert_string_equal(f->clause, "CL 3.3.6 G17");
    if (reason && !strstr(f->reason, reason))
        print_message("# reason was: %s\n", f->reason);
    assert_true(!reason || strstr(f->reason, reason));
    return f;
}

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
    const struct ck_finding *f = expect("data-race", "no synchronisation orders the two accesses");
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
    begin(); /* same value or not makes no difference */
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
    begin(); /* what comes after the release is not released */
    store(wi(0), FLAG, MM_RELEASE, DEV);
    wr(wi(0), BUF);
    load(wi(4), FLAG, MM_ACQUIRE, DEV);
    rd(wi(4), BUF);
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

static void two_regions(void **state) /* G8-G10: local synchronisation does not order global accesses */
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
    begin(); /* an unordered initialisation, although another atomic was ordered after it */
    wr(wi(0), FLAG);
    store(wi(0), FLAG, MM_RELEASE, DEV);
    rmw(wi(4), FLAG, MM_ACQUIRE, DEV);
    store(wi(8), FLAG, MM_RELAXED, DEV);
    expect("data-race", NULL);
}

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

static void barriers_hand_on(void **state) /* G9: what one member knew, all know */
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
    wr(host, BUF); /* command 2 reads it, and nobody waited */
    expect("data-race", "the host access and command 2 are not ordered");
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

static void read_here(uint32_t i) /* all at one place in the program */
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

static void many_readers(void **state) /* kept together, told apart */
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
    begin(); /* every second one, all known by way of a barrier each */
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
    wr(wi(0), BUF); /* the other 15 are still known */
    assert_true(expect("data-race", NULL)->count >= 15);
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
    assert_non_null(strstr(err.message, "memory limit"));
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

static int finish(void **state)
{
    (void)state;
    ck_detector_destroy(d);
    d = NULL;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_accesses),
        cmocka_unit_test(partly_overlapping),
        cmocka_unit_test(release_and_acquire),
        cmocka_unit_test(scopes),
        cmocka_unit_test(scopes_are_reduced),
        cmocka_unit_test(device_scope_and_kernels),
        cmocka_unit_test(two_regions),
        cmocka_unit_test(fences),
        cmocka_unit_test(fence_and_operation),
        cmocka_unit_test(release_sequences),
        cmocka_unit_test(locks),
        cmocka_unit_test(plain_against_atomic),
        cmocka_unit_test(barriers),
        cmocka_unit_test(barriers_hand_on),
        cmocka_unit_test(sub_group_barriers),
        cmocka_unit_test(commands),
        cmocka_unit_test(commands_out_of_order),
        cmocka_unit_test(copies_and_sub_buffers),
        cmocka_unit_test(counting),
        cmocka_unit_test(many_readers),
        cmocka_unit_test(repetition_needs_no_memory),
        cmocka_unit_test(values_out_of_order_are_no_verdict),
        cmocka_unit_test(a_bound_is_no_verdict),
        cmocka_unit_test(findings_pass_through),
    };
    return cmocka_run_group_tests_name("race_rules", tests, NULL, finish);
}
