/* The rules for commands, one by one: an execution that the rule orders has no race, and the same execution
 * without the rule's edge has one [CL 3.3.6 H1-H25]. */
#include "execution.h"

enum { BUFFER = 1, COARSE, FINE, ATOMICS, LOCAL };
enum { FIRST = 1, SECOND, THIRD };

static uint64_t of(struct mm_agent agent, enum mm_kind kind)
{
    return event((struct mm_event){.agent = agent, .kind = (uint8_t)kind});
}

static struct mm_agent item(uint32_t command, uint32_t index)
{
    return (struct mm_agent){command, index};
}

static void touch(struct mm_agent agent, enum mm_kind kind, uint32_t memory)
{
    event((struct mm_event){.agent = agent, .kind = (uint8_t)kind, .allocation = memory, .size = 4});
}

/* An edge into the next event, unless this is the execution without it. */
static void edge_if(bool wanted, uint64_t from, enum mm_edge_kind kind)
{
    if (wanted)
        edge(from, kind);
}

static void begin_with(uint32_t parent)
{
    ck_detector_destroy(d);
    d = ck_detector_create(&(struct ck_detector_options){.races = true});
    assert_non_null(d);
    ck_detector_sink(d, &sink);
    next = 0;
    line = 0;
    describe_command(FIRST, 0, 1, 8);
    describe_command(SECOND, parent, 1, 8);
    describe_command(THIRD, 0, 2, 8);
    allocate(BUFFER, MM_GLOBAL, MM_ORIGIN_BUFFER, 0x10000u * BUFFER, 64);
    allocate(COARSE, MM_GLOBAL, MM_ORIGIN_COARSE_SVM, 0x10000u * COARSE, 64);
    allocate(FINE, MM_GLOBAL, MM_ORIGIN_FINE_SVM, 0x10000u * FINE, 64);
    allocate(ATOMICS, MM_GLOBAL, MM_ORIGIN_FINE_SVM_ATOMICS, 0x10000u * ATOMICS, 64);
    allocate(LOCAL, MM_LOCAL, MM_ORIGIN_NONE, 0x10000u * LOCAL, 64);
}

/* Has a race if and only if WANTED. */
static void races(bool wanted)
{
    assert_int_equal(ck_detector_status(d, NULL), MM_OK);
    size_t n = ck_detector_finding_count(d);
    if (n && !wanted)
        print_message("# %s\n", ck_detector_finding(d, 0)->message);
    assert_int_equal(n > 0, wanted);
    if (wanted)
        assert_string_equal(ck_detector_finding(d, 0)->clause, "CL 3.3.6 G17");
}

/* FIRST runs and writes BUFFER; returns its event's completion. */
static uint64_t first_writes(void)
{
    command(FIRST, MM_COMMAND_START);
    touch(item(FIRST, 0), MM_WRITE, BUFFER);
    uint64_t end = command(FIRST, MM_COMMAND_END);
    edge(end, MM_EDGE_COMPLETE);
    return command(FIRST, MM_EVENT_COMPLETE);
}

static void reads(uint32_t id)
{
    command(id, MM_COMMAND_START);
    touch(item(id, 0), MM_READ, BUFFER);
}

static void enqueue(void **state) /* [CL 3.3.6 H1] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(0);
        touch(host, MM_WRITE, ATOMICS);
        uint64_t x = of(host, MM_API_CALL);
        edge_if(with, x, MM_EDGE_ENQUEUE);
        command(FIRST, MM_COMMAND_START);
        touch(item(FIRST, 0), MM_READ, ATOMICS);
        races(!with);
    }
}

static void waiting(void **state) /* [CL 3.3.6 H2, H3, H15] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(0);
        edge_if(with, first_writes(), MM_EDGE_WAIT);
        reads(SECOND);
        races(!with);
    }
    begin_with(0); /* waiting for the event of a command whose end did not signal it */
    command(FIRST, MM_COMMAND_START);
    touch(item(FIRST, 0), MM_WRITE, BUFFER);
    command(FIRST, MM_COMMAND_END);
    uint64_t done = command(THIRD, MM_EVENT_COMPLETE);
    edge(done, MM_EDGE_WAIT);
    reads(SECOND);
    races(true);
}

static void api_waits(void **state) /* [CL 3.3.6 H4] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(0);
        edge_if(with, first_writes(), MM_EDGE_API_WAIT);
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
        edge_if(with, first_writes(), MM_EDGE_IN_ORDER);
        reads(SECOND);
        races(!with);
    }
}

/* A marker completes after all earlier events; a wait for the marker orders them. */
static void marker(void **state) /* [CL 3.3.6 H6, H15] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(0);
        edge_if(with, first_writes(), MM_EDGE_MARKER);
        command(THIRD, MM_COMMAND_START);
        uint64_t end = command(THIRD, MM_COMMAND_END);
        edge(end, MM_EDGE_COMPLETE);
        uint64_t done = command(THIRD, MM_EVENT_COMPLETE);
        edge(done, MM_EDGE_WAIT);
        reads(SECOND);
        races(!with);
    }
}

/* A queue barrier is ordered after the earlier commands and before the later ones. */
static void queue_barrier(void **state) /* [CL 3.3.6 H7, H15] */
{
    (void)state;
    for (int with = 0; with < 4; with++) {
        begin_with(0);
        edge_if(with & 1, first_writes(), MM_EDGE_BARRIER);
        command(THIRD, MM_COMMAND_START);
        uint64_t end = command(THIRD, MM_COMMAND_END);
        edge(end, MM_EDGE_COMPLETE);
        uint64_t done = command(THIRD, MM_EVENT_COMPLETE);
        edge_if(with & 2, done, MM_EDGE_BARRIER);
        reads(SECOND);
        races(with != 3);
    }
}

static void finish(void **state) /* [CL 3.3.6 H8] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(0);
        edge_if(with, first_writes(), MM_EDGE_FINISH);
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
        edge(done, MM_EDGE_IN_ORDER);
        command(SECOND, MM_COMMAND_START);
        for (uint32_t i = 0; i < 8; i++)
            touch(item(SECOND, i), MM_READ, BUFFER);
        races(false);
        uint64_t end = command(SECOND, MM_COMMAND_END);
        edge_if(with, end, MM_EDGE_API_WAIT);
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
        edge_if(with, first_writes(), MM_EDGE_CALLBACK);
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
        edge_if(with, x, MM_EDGE_USER_EVENT);
        uint64_t done = command(THIRD, MM_EVENT_COMPLETE);
        edge(done, MM_EDGE_WAIT);
        command(FIRST, MM_COMMAND_START);
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
        command(FIRST, MM_COMMAND_START);
        uint64_t x = of(item(FIRST, 0), MM_DEVICE_ENQUEUE);
        touch(item(FIRST, 5), MM_WRITE, BUFFER);
        uint64_t end = command(FIRST, MM_COMMAND_END);
        edge(x, MM_EDGE_ENQUEUE);
        edge_if(with, end, MM_EDGE_PARENT);
        reads(SECOND);
        races(!with);
    }
}

static void work_group_ends(void **state) /* [CL 3.3.6 H14] */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        begin_with(FIRST);
        command(FIRST, MM_COMMAND_START);
        touch(item(FIRST, 1), MM_WRITE, BUFFER); /* another work-item of the work-group */
        uint64_t x = of(item(FIRST, 0), MM_DEVICE_ENQUEUE);
        edge(x, MM_EDGE_ENQUEUE);
        edge_if(with, x, MM_EDGE_PARENT_GROUP);
        reads(SECOND);
        races(!with);
    }
    begin_with(FIRST); /* a work-item of another work-group is not waited for */
    command(FIRST, MM_COMMAND_START);
    touch(item(FIRST, 4), MM_WRITE, BUFFER);
    uint64_t x = of(item(FIRST, 0), MM_DEVICE_ENQUEUE);
    edge(x, MM_EDGE_ENQUEUE);
    edge(x, MM_EDGE_PARENT_GROUP);
    reads(SECOND);
    races(true);
}

/* ---- which atomic operations of which kernels ---------------------------------------------- */

static void count_in_both(uint32_t memory, uint32_t parent)
{
    begin_with(parent);
    command(FIRST, MM_COMMAND_START);
    uint64_t x = of(item(FIRST, 0), MM_DEVICE_ENQUEUE);
    edge_if(parent != 0, x, MM_EDGE_ENQUEUE);
    command(SECOND, MM_COMMAND_START);
    atomic(item(FIRST, 0), MM_RMW, memory, MM_RELAXED, MM_SCOPE_DEVICE);
    atomic(item(SECOND, 0), MM_RMW, memory, MM_RELAXED, MM_SCOPE_DEVICE);
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
        command(FIRST, MM_COMMAND_START);
        command(SECOND, MM_COMMAND_START);
        touch(item(FIRST, 0), MM_WRITE, FINE);
        atomic(item(FIRST, 0), MM_WRITE, BUFFER, MM_RELEASE, MM_SCOPE_DEVICE);
        atomic(item(SECOND, 0), MM_READ, BUFFER, MM_ACQUIRE, MM_SCOPE_DEVICE);
        touch(item(SECOND, 0), MM_READ, FINE);
        races(!related);
    }
}

/* Fine-grained SVM without atomics: concurrent reads are allowed, so are updates of different bytes; updates
 * of the same bytes are undefined [CL 3.3.6 H19]. */
static void fine_grained(void **state)
{
    (void)state;
    begin_with(0);
    command(FIRST, MM_COMMAND_START);
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
    command(FIRST, MM_COMMAND_START);
    command(SECOND, MM_COMMAND_START);
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
            command(FIRST, MM_COMMAND_START);
            touch(item(FIRST, 0), MM_WRITE, memory);
            uint64_t end = command(FIRST, MM_COMMAND_END);
            edge_if(with, end, MM_EDGE_WAIT);
            command(THIRD, MM_COMMAND_START);
            touch(item(THIRD, MM_INDEX_RUNTIME), MM_READ, memory); /* the copy for the host [CL 3.3.6 H24] */
            races(!with);
        }
}

/* Several queues or an out-of-order queue run kernels at once: buffers and coarse SVM are ordered by
 * synchronization points alone [CL 3.3.6 H25]. */
static void concurrent_kernels(void **state)
{
    (void)state;
    for (int with = 0; with < 2; with++)
        for (uint32_t memory = BUFFER; memory <= COARSE; memory++) {
            begin_with(0);
            command(FIRST, MM_COMMAND_START);
            touch(item(FIRST, 0), MM_WRITE, memory);
            uint64_t end = command(FIRST, MM_COMMAND_END);
            edge_if(with, end, MM_EDGE_WAIT);
            command(THIRD, MM_COMMAND_START); /* another queue [CL 3.3.6 H25] */
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

/* The write of work-item 0 is ordered by its barrier entry and the exit of work-item 1, which reads. */
static void barrier(enum mm_scope execution, unsigned flags, uint32_t memory, uint32_t count)
{
    begin_with(0);
    command(FIRST, MM_COMMAND_START);
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
    ck_detector_destroy(d);
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
