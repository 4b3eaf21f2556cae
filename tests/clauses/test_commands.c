/* The rules for commands, one by one: an execution that the rule orders has no race, and the same execution
 * without the rule's edge has one [CL 3.3.6 H1-H25]. */
#include "checker/checker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { BUFFER = 1, COARSE, FINE, ATOMICS, LOCAL };
enum { FIRST = 1, SECOND, THIRD };

static struct ck_detector *detector;
static struct mm_sink sink;
static uint64_t next;
static uint32_t line;
static const struct mm_agent host = {0, 0};

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

static uint64_t of(struct mm_agent agent, enum mm_kind kind)
{
    return event((struct mm_event){.agent = agent, .kind = (uint8_t)kind});
}

static struct mm_agent item(uint32_t command, uint32_t index)
{
    return (struct mm_agent){command, index};
}

static uint64_t runtime(uint32_t command, enum mm_kind kind)
{
    return of(item(command, MM_INDEX_RUNTIME), kind);
}

static void touch(struct mm_agent agent, enum mm_kind kind, uint32_t memory)
{
    event((struct mm_event){.agent = agent, .kind = (uint8_t)kind, .allocation = memory, .size = 4});
}

static void touch_atomic(struct mm_agent agent, enum mm_kind kind, uint32_t memory, enum mm_order order,
                         enum mm_scope scope)
{
    event((struct mm_event){.agent = agent,
                            .kind = (uint8_t)kind,
                            .allocation = memory,
                            .size = 4,
                            .attributes = MM_ATOMIC,
                            .order = (uint8_t)order,
                            .scope = (uint8_t)scope});
}

/* An edge into the event that comes next, unless the execution is the one without it. */
static void edge(bool wanted, uint64_t from, enum mm_edge_kind kind)
{
    if (wanted)
        record((struct mm_record){.type = MM_RECORD_EDGE,
                                  .edge = {.from = from, .to = next, .kind = (uint32_t)kind}});
}

static void allocate(uint32_t id, enum mm_region region, enum mm_origin origin)
{
    struct mm_record r = {.type = MM_RECORD_ALLOCATION};
    r.allocation = (struct mm_allocation){.id = id,
                                          .region = (uint8_t)region,
                                          .origin = (uint8_t)origin,
                                          .address = 0x10000u * id,
                                          .size = 64,
                                          .name = "m"};
    record(r);
}

static void describe(uint32_t id, uint32_t parent, uint32_t queue)
{
    struct mm_record r = {.type = MM_RECORD_COMMAND};
    r.command = (struct mm_command){.id = id,
                                    .queue = queue,
                                    .dimensions = 1,
                                    .global_size = {8, 1, 1},
                                    .local_size = {4, 1, 1},
                                    .sub_group_size = 2,
                                    .parent = parent,
                                    .kind = "clEnqueueNDRangeKernel",
                                    .kernel = "k"};
    record(r);
}

static void begin_with(uint32_t parent)
{
    ck_detector_destroy(detector);
    detector = ck_detector_create(&(struct ck_detector_options){.races = true});
    assert_non_null(detector);
    ck_detector_sink(detector, &sink);
    next = 0;
    line = 0;
    describe(FIRST, 0, 1);
    describe(SECOND, parent, 1);
    describe(THIRD, 0, 2);
    allocate(BUFFER, MM_GLOBAL, MM_ORIGIN_BUFFER);
    allocate(COARSE, MM_GLOBAL, MM_ORIGIN_COARSE_SVM);
    allocate(FINE, MM_GLOBAL, MM_ORIGIN_FINE_SVM);
    allocate(ATOMICS, MM_GLOBAL, MM_ORIGIN_FINE_SVM_ATOMICS);
    allocate(LOCAL, MM_LOCAL, MM_ORIGIN_NONE);
}

/* Races if and only if WANTED. */
static void races(bool wanted)
{
    assert_int_equal(ck_detector_status(detector, NULL), MM_OK);
    size_t n = ck_detector_finding_count(detector);
    if (n && !wanted)
        print_message("# %s\n", ck_detector_finding(detector, 0)->message);
    assert_int_equal(n > 0, wanted);
    if (wanted)
        assert_string_equal(ck_detector_finding(detector, 0)->clause, "CL 3.3.6 G17");
}

/* FIRST runs and writes BUFFER; returns its event's completion. */
static uint64_t first_writes(void)
{
    runtime(FIRST, MM_COMMAND_START);
    touch(item(FIRST, 0), MM_WRITE, BUFFER);
    uint64_t end = runtime(FIRST, MM_COMMAND_END);
    edge(true, end, MM_EDGE_COMPLETE);
    return runtime(FIRST, MM_EVENT_COMPLETE);
}

static void reads(uint32_t command)
{
    runtime(command, MM_COMMAND_START);
    touch(item(command, 0), MM_READ, BUFFER);
}

static void enqueue(void **state) /* [CL 3.3.6 H1] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(0);
        touch(host, MM_WRITE, ATOMICS);
        uint64_t x = of(host, MM_API_CALL);
        edge(with, x, MM_EDGE_ENQUEUE);
        runtime(FIRST, MM_COMMAND_START);
        touch(item(FIRST, 0), MM_READ, ATOMICS);
        races(!with);
    }
}

static void waiting(void **state) /* [CL 3.3.6 H2, H3, H15] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(0);
        edge(with, first_writes(), MM_EDGE_WAIT);
        reads(SECOND);
        races(!with);
    }
    begin_with(0); /* waiting for the event of a command whose end did not signal it */
    runtime(FIRST, MM_COMMAND_START);
    touch(item(FIRST, 0), MM_WRITE, BUFFER);
    runtime(FIRST, MM_COMMAND_END);
    uint64_t done = runtime(THIRD, MM_EVENT_COMPLETE);
    edge(true, done, MM_EDGE_WAIT);
    reads(SECOND);
    races(true);
}

static void api_waits(void **state) /* [CL 3.3.6 H4] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(0);
        edge(with, first_writes(), MM_EDGE_API_WAIT);
        of(host, MM_API_CALL);
        touch(host, MM_READ, BUFFER);
        races(!with);
    }
}

static void in_order(void **state) /* [CL 3.3.6 H5] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(0);
        edge(with, first_writes(), MM_EDGE_IN_ORDER);
        reads(SECOND);
        races(!with);
    }
}

/* A marker takes the earlier events; whoever waits for it knows them. */
static void marker(void **state) /* [CL 3.3.6 H6, H15] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(0);
        edge(with, first_writes(), MM_EDGE_MARKER);
        runtime(THIRD, MM_COMMAND_START);
        uint64_t end = runtime(THIRD, MM_COMMAND_END);
        edge(true, end, MM_EDGE_COMPLETE);
        uint64_t done = runtime(THIRD, MM_EVENT_COMPLETE);
        edge(true, done, MM_EDGE_WAIT);
        reads(SECOND);
        races(!with);
    }
}

/* A queue barrier takes the earlier events, and holds the later commands back. */
static void queue_barrier(void **state) /* [CL 3.3.6 H7, H15] */
{
    (void)state;
    for (int with = 0; with < 4; with++) {
        begin_with(0);
        edge(with & 1, first_writes(), MM_EDGE_BARRIER);
        runtime(THIRD, MM_COMMAND_START);
        uint64_t end = runtime(THIRD, MM_COMMAND_END);
        edge(true, end, MM_EDGE_COMPLETE);
        uint64_t done = runtime(THIRD, MM_EVENT_COMPLETE);
        edge(with & 2, done, MM_EDGE_BARRIER);
        reads(SECOND);
        races(with != 3);
    }
}

static void finish(void **state) /* [CL 3.3.6 H8] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(0);
        edge(with, first_writes(), MM_EDGE_FINISH);
        of(host, MM_API_CALL);
        touch(host, MM_WRITE, BUFFER);
        races(!with);
    }
}

/* All work-items start after the start of their kernel-instance, and end before its end. */
static void start_and_end(void **state) /* [CL 3.3.6 H9, H10] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(0);
        uint64_t done = first_writes();
        edge(true, done, MM_EDGE_IN_ORDER);
        runtime(SECOND, MM_COMMAND_START);
        for (uint32_t i = 0; i < 8; i++)
            touch(item(SECOND, i), MM_READ, BUFFER);
        races(false);
        uint64_t end = runtime(SECOND, MM_COMMAND_END);
        edge(with, end, MM_EDGE_API_WAIT);
        of(host, MM_API_CALL);
        touch(host, MM_WRITE, BUFFER);
        races(!with);
    }
}

static void callback(void **state) /* [CL 3.3.6 H11] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(0);
        struct mm_agent thread = {0, 1};
        edge(with, first_writes(), MM_EDGE_CALLBACK);
        of(thread, MM_CALLBACK);
        touch(thread, MM_READ, BUFFER);
        races(!with);
    }
}

static void user_event(void **state) /* [CL 3.3.6 H12, H2] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(0);
        touch(host, MM_WRITE, ATOMICS);
        uint64_t x = of(host, MM_API_CALL);
        edge(with, x, MM_EDGE_USER_EVENT);
        uint64_t done = runtime(THIRD, MM_EVENT_COMPLETE);
        edge(true, done, MM_EDGE_WAIT);
        runtime(FIRST, MM_COMMAND_START);
        touch(item(FIRST, 3), MM_READ, ATOMICS);
        races(!with);
    }
}

/* The end of the parent, or of the work-group that enqueued, comes before the child. */
static void parent_ends(void **state) /* [CL 3.3.6 H13] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(FIRST);
        runtime(FIRST, MM_COMMAND_START);
        uint64_t x = of(item(FIRST, 0), MM_DEVICE_ENQUEUE);
        touch(item(FIRST, 5), MM_WRITE, BUFFER);
        uint64_t end = runtime(FIRST, MM_COMMAND_END);
        edge(true, x, MM_EDGE_ENQUEUE);
        edge(with, end, MM_EDGE_PARENT);
        reads(SECOND);
        races(!with);
    }
}

static void work_group_ends(void **state) /* [CL 3.3.6 H14] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(FIRST);
        runtime(FIRST, MM_COMMAND_START);
        touch(item(FIRST, 1), MM_WRITE, BUFFER); /* another work-item of the work-group */
        uint64_t x = of(item(FIRST, 0), MM_DEVICE_ENQUEUE);
        edge(true, x, MM_EDGE_ENQUEUE);
        edge(with, x, MM_EDGE_PARENT_GROUP);
        reads(SECOND);
        races(!with);
    }
    begin_with(FIRST); /* a work-item of another work-group is not waited for */
    runtime(FIRST, MM_COMMAND_START);
    touch(item(FIRST, 4), MM_WRITE, BUFFER);
    uint64_t x = of(item(FIRST, 0), MM_DEVICE_ENQUEUE);
    edge(true, x, MM_EDGE_ENQUEUE);
    edge(true, x, MM_EDGE_PARENT_GROUP);
    reads(SECOND);
    races(true);
}

/* ---- which atomic operations of which kernels ---------------------------------------------- */

static void count_in_both(uint32_t memory, uint32_t parent)
{
    begin_with(parent);
    runtime(FIRST, MM_COMMAND_START);
    uint64_t x = of(item(FIRST, 0), MM_DEVICE_ENQUEUE);
    edge(parent != 0, x, MM_EDGE_ENQUEUE);
    runtime(SECOND, MM_COMMAND_START);
    touch_atomic(item(FIRST, 0), MM_RMW, memory, MM_RELAXED, MM_SCOPE_DEVICE);
    touch_atomic(item(SECOND, 0), MM_RMW, memory, MM_RELAXED, MM_SCOPE_DEVICE);
}

static void atomics_of_kernels(void **state)
{
    (void)state;
    count_in_both(BUFFER, 0); /* two kernels that the host enqueued, one buffer [CL 3.3.6 H16] */
    races(true);
    count_in_both(BUFFER, FIRST); /* parent and child [CL 3.3.6 H17] */
    races(false);
    count_in_both(COARSE, 0); /* SVM on one device [CL 3.3.6 H18] */
    races(false);
    count_in_both(FINE, 0); /* [CL 3.3.6 H18] */
    races(false);
}

/* Parent and child pass a message through the buffer they share [CL 3.3.6 H17]. */
static void message_to_child(void **state)
{
    (void)state;
    for (int related = 0; related < 2; related++) {
        begin_with(related ? FIRST : 0);
        runtime(FIRST, MM_COMMAND_START);
        runtime(SECOND, MM_COMMAND_START);
        touch(item(FIRST, 0), MM_WRITE, FINE);
        touch_atomic(item(FIRST, 0), MM_WRITE, BUFFER, MM_RELEASE, MM_SCOPE_DEVICE);
        touch_atomic(item(SECOND, 0), MM_READ, BUFFER, MM_ACQUIRE, MM_SCOPE_DEVICE);
        touch(item(SECOND, 0), MM_READ, FINE);
        races(!related);
    }
}

/* Fine-grained SVM without atomics: reads together are fine, so are updates of different bytes; updates of
 * the same bytes are undefined [CL 3.3.6 H19]. */
static void fine_grained(void **state)
{
    (void)state;
    begin_with(0);
    runtime(FIRST, MM_COMMAND_START);
    touch(host, MM_READ, FINE);
    touch(item(FIRST, 0), MM_READ, FINE);
    races(false);
    event((struct mm_event){.agent = host, .kind = MM_WRITE, .allocation = FINE, .offset = 8, .size = 1});
    event((struct mm_event){
        .agent = item(FIRST, 0), .kind = MM_WRITE, .allocation = FINE, .offset = 9, .size = 1});
    races(false);
    event((struct mm_event){.agent = host, .kind = MM_WRITE, .allocation = FINE, .offset = 9, .size = 1});
    races(true);
}

/* ... also with [CL 3.3.6 H19]: the same bytes by two devices' kernels. */
static void fine_grained_kernels(void **state)
{
    (void)state;
    begin_with(0);
    runtime(FIRST, MM_COMMAND_START);
    runtime(SECOND, MM_COMMAND_START);
    touch(item(FIRST, 0), MM_WRITE, FINE);
    touch(item(SECOND, 0), MM_WRITE, FINE);
    races(true);
}

/* A map command that is not ordered after a kernel may overwrite what the kernel does [CL 3.3.6 H24]. */
static void map_overwrites(void **state)
{
    (void)state;
    for (int with = 0; with < 2; with++)
        for (uint32_t memory = BUFFER; memory <= COARSE; memory++) {
            begin_with(0);
            runtime(FIRST, MM_COMMAND_START);
            touch(item(FIRST, 0), MM_WRITE, memory);
            uint64_t end = runtime(FIRST, MM_COMMAND_END);
            edge(with, end, MM_EDGE_WAIT);
            runtime(THIRD, MM_COMMAND_START);
            touch(item(THIRD, MM_INDEX_RUNTIME), MM_READ, memory); /* the copy for the host [CL 3.3.6 H24] */
            races(!with);
        }
}

/* Several queues or an out-of-order queue run kernels at once: buffers and coarse SVM are ordered by
 * synchronisation points alone [CL 3.3.6 H25]. */
static void concurrent_kernels(void **state)
{
    (void)state;
    for (int with = 0; with < 2; with++)
        for (uint32_t memory = BUFFER; memory <= COARSE; memory++) {
            begin_with(0);
            runtime(FIRST, MM_COMMAND_START);
            touch(item(FIRST, 0), MM_WRITE, memory);
            uint64_t end = runtime(FIRST, MM_COMMAND_END);
            edge(with, end, MM_EDGE_WAIT);
            runtime(THIRD, MM_COMMAND_START); /* another queue [CL 3.3.6 H25] */
            touch(item(THIRD, 0), MM_READ, memory);
            races(!with);
        }
}

/* ---- barriers ----------------------------------------------------------------------------- */

static void fence_of_barrier(uint32_t work_item, enum mm_kind kind, enum mm_scope execution, unsigned flags)
{
    event((struct mm_event){.agent = item(FIRST, work_item),
                            .kind = (uint8_t)kind,
                            .site = 1,
                            .instance = 1,
                            .order = MM_ACQ_REL,
                            .scope = (uint8_t)execution,
                            .effective_scope = (uint8_t)execution,
                            .fence_flags = (uint8_t)flags});
}

/* Through the entry of the first and the exit of the second, which the first's own exit follows. */
static void barrier(enum mm_scope execution, unsigned flags, uint32_t memory, uint32_t count)
{
    begin_with(0);
    runtime(FIRST, MM_COMMAND_START);
    touch(item(FIRST, 0), MM_WRITE, memory);
    for (uint32_t i = 0; i < count; i++)
        fence_of_barrier(i, MM_BARRIER_ENTRY, execution, flags);
    for (uint32_t i = 0; i < count; i++)
        fence_of_barrier(i, MM_BARRIER_EXIT, execution, flags);
    touch(item(FIRST, 1), MM_READ, memory);
}

static void entry_and_exit(void **state)
{
    (void)state;
    barrier(MM_SCOPE_WORK_GROUP, MM_FENCE_GLOBAL, BUFFER, 4); /* [CL 3.3.6 W6, W7] */
    races(false);
    barrier(MM_SCOPE_WORK_GROUP, MM_FENCE_LOCAL, LOCAL, 4); /* [CL 3.3.6 W6, W8] */
    races(false);
    barrier(MM_SCOPE_WORK_GROUP, MM_FENCE_LOCAL, BUFFER, 4); /* [CL 3.3.6 W8] */
    races(true);
    barrier(MM_SCOPE_SUB_GROUP, MM_FENCE_GLOBAL, BUFFER, 2); /* [CL 3.3.6 B6, B7] */
    races(false);
    barrier(MM_SCOPE_SUB_GROUP, MM_FENCE_LOCAL, LOCAL, 2); /* [CL 3.3.6 B6, B8] */
    races(false);
    barrier(MM_SCOPE_SUB_GROUP, MM_FENCE_GLOBAL, LOCAL, 2); /* [CL 3.3.6 B8] */
    races(true);
}

static int teardown(void **state)
{
    (void)state;
    ck_detector_destroy(detector);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enqueue),
        cmocka_unit_test(waiting),
        cmocka_unit_test(api_waits),
        cmocka_unit_test(in_order),
        cmocka_unit_test(marker),
        cmocka_unit_test(queue_barrier),
        cmocka_unit_test(finish),
        cmocka_unit_test(start_and_end),
        cmocka_unit_test(callback),
        cmocka_unit_test(user_event),
        cmocka_unit_test(parent_ends),
        cmocka_unit_test(work_group_ends),
        cmocka_unit_test(atomics_of_kernels),
        cmocka_unit_test(message_to_child),
        cmocka_unit_test(fine_grained),
        cmocka_unit_test(fine_grained_kernels),
        cmocka_unit_test(map_overwrites),
        cmocka_unit_test(concurrent_kernels),
        cmocka_unit_test(entry_and_exit),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
