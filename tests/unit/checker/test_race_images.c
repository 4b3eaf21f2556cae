/* Accesses to images, and to buffers through images created from them.  Each case cites the clause. */
#include "race_script.h"

/* A work-item reads an image location that it wrote, with a fence in between. */
static void own_write_fenced(unsigned flags, enum mm_order order)
{
    begin();
    wr(wi(0), IMG);
    fence(wi(0), flags, order, WI);
    rd(wi(0), IMG);
}

static void own_writes_of_images(void **state) /* O6, O8 */
{
    static const enum mm_order orders[] = {MM_RELAXED, MM_ACQUIRE, MM_RELEASE};
    (void)state;
    own_write_fenced(FI, MM_ACQ_REL);
    expect_clean();
    own_write_fenced(FI, MM_SEQ_CST);
    expect_clean();
    own_write_fenced(FI | FG, MM_ACQ_REL);
    expect_clean();
    begin();
    wr(wi(0), IMG);
    barrier(0, FI);
    rd(wi(0), IMG);
    expect_clean();
    own_write_fenced(FG, MM_ACQ_REL);
    assert_string_equal(ck_detector_finding(d, 0)->kind, "image-unfenced-read");
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        own_write_fenced(FI, orders[i]);
        assert_int_equal(ck_detector_finding_count(d), 1);
        assert_string_equal(ck_detector_finding(d, 0)->kind, "image-unfenced-read");
    }
}

static void through_image_of(struct mm_agent a, enum mm_kind kind, uint32_t m, uint64_t offset)
{
    event((struct mm_event){.agent = a,
                            .kind = (uint8_t)kind,
                            .allocation = m,
                            .offset = offset,
                            .size = 4,
                            .semantics = MM_THROUGH_IMAGE});
}

static void through_image(struct mm_agent a, enum mm_kind kind, uint64_t offset)
{
    through_image_of(a, kind, BUF, offset);
}

static void images_of_buffers_and_barriers(void **state) /* CLC 6.15.8 R3, CL 5.3.1 R23, R24 */
{
    (void)state;
    begin(); /* between accesses through images the image flag counts */
    through_image(wi(0), MM_WRITE, 0);
    barrier(0, FI);
    through_image(wi(1), MM_READ, 0);
    expect_clean();
    begin();
    through_image(wi(0), MM_WRITE, 0);
    barrier(0, FG);
    through_image(wi(1), MM_READ, 0);
    expect("data-race", "image memory");
    begin(); /* both views: no barrier orders a write through one before a read through the other */
    wr(wi(0), BUF);
    barrier(0, FG | FI);
    through_image(wi(1), MM_READ, 0);
    expect("data-race", "an image made from it: no synchronization within the launch");
    begin();
    through_image(wi(0), MM_WRITE, 0);
    barrier(0, FG | FI);
    rd(wi(1), BUF);
    expect("data-race", "an image made from it: no synchronization within the launch");
    begin();
    rmw(wi(0), BUF, MM_ACQ_REL, DEV);
    barrier(0, FG | FI);
    through_image(wi(1), MM_READ, 0);
    expect("data-race", "an image made from it");
    begin();
    through_image(wi(0), MM_WRITE, 0);
    barrier(0, FG | FI);
    rmw(wi(1), BUF, MM_RELAXED, DEV);
    expect("data-race", "an image made from it");
    for (int pass = 0; pass < 2; pass++) { /* writes after reads and writes: ordered, in this order */
        const enum mm_kind first = pass ? MM_WRITE : MM_READ;
        begin();
        plain(wi(0), first, BUF, 0, 4);
        barrier(0, FG);
        through_image(wi(1), MM_WRITE, 0);
        expect_clean();
        begin();
        plain(wi(0), first, BUF, 0, 4);
        barrier(0, FI);
        through_image(wi(1), MM_WRITE, 0);
        expect("data-race", "global memory");
        begin();
        through_image(wi(0), first, 0);
        barrier(0, FI);
        wr(wi(1), BUF);
        expect_clean();
        begin();
        through_image(wi(0), first, 0);
        barrier(0, FG);
        wr(wi(1), BUF);
        expect("data-race", "image memory");
        begin(); /* reads, or other bytes */
        rd(wi(0), BUF);
        through_image(wi(1), pass ? MM_WRITE : MM_READ, pass ? 4 : 0);
        expect_clean();
        begin(); /* the last of two reads is not the only one */
        rd(wi(0), BUF);
        rd(wi(4), BUF);
        through_image(pass ? wi(0) : wi(4), MM_WRITE, 0);
        expect("data-race", NULL);
    }
    begin();
    through_image(wi(0), MM_READ, 0);
    rmw(wi(1), BUF, MM_RELAXED, DEV);
    expect("data-race", NULL);
}

/* A write through an image of the buffer ends the release sequences of others, like a write to the buffer
 * [CL 3.3.6 G7]. */
static void write_through_image_ends_release_sequences(void **state)
{
    (void)state;
    for (int writer = 0; writer < 3;
         writer++) { /* 0: no write through the image, 1: by the releasing work-item */
        begin();
        wr(wi(0), SVM);
        store(wi(0), BUF, MM_RELEASE, DEV);
        if (writer)
            through_image(wi(writer - 1), MM_WRITE, 0);
        load(wi(2), BUF, MM_ACQUIRE, DEV);
        rd(wi(2), SVM);
        bool found = false; /* the accesses to BUF may race, too */
        for (size_t i = 0; i < ck_detector_finding_count(d); i++)
            found |= ck_detector_finding(d, i)->allocation->id == SVM;
        assert_int_equal(found, writer == 2);
    }
}

static void expect_own(void)
{
    assert_int_equal(ck_detector_finding_count(d), 1);
    assert_string_equal(ck_detector_finding(d, 0)->kind, "buffer-and-image");
    assert_string_equal(ck_detector_finding(d, 0)->clause, "CL 5.3.1 R24");
}

static void both_views_by_one_work_item(void **state) /* CL 5.3.1 R24 */
{
    (void)state;
    for (int pass = 0; pass < 2; pass++) {
        begin();
        wr(wi(0), BUF);
        if (pass)
            barrier(0, FG | FI);
        through_image(wi(0), MM_READ, 0);
        expect_own();
        begin();
        through_image(wi(0), MM_WRITE, 0);
        if (pass)
            fence(wi(0), FG | FI, MM_ACQ_REL, WI);
        rd(wi(0), BUF);
        expect_own();
        begin(); /* a write after a read, or after a write */
        plain(wi(0), pass ? MM_READ : MM_WRITE, BUF, 0, 4);
        through_image(wi(0), MM_WRITE, 0);
        expect_clean();
    }
    begin();
    rmw(wi(0), BUF, MM_RELAXED, DEV);
    through_image(wi(0), MM_READ, 0);
    expect_own();
    begin();
    through_image(wi(0), MM_WRITE, 0);
    rmw(wi(0), BUF, MM_RELAXED, DEV);
    expect_own();
    begin();
    through_image(wi(0), MM_READ, 0);
    rmw(wi(0), BUF, MM_RELAXED, DEV);
    expect_clean();
    begin(); /* the write of another work-item, which its own has replaced in shadow memory */
    wr(wi(1), BUF);
    barrier(0, FG);
    wr(wi(0), BUF);
    through_image(wi(0), MM_READ, 0);
    expect_own();
}

static void images_of_parts_of_buffers(void **state)
{
    (void)state;
    begin(); /* SUB is at byte 16 of BUF */
    wr(wi(0), BUF);
    through_image_of(wi(1), MM_READ, SUB, 0);
    expect_clean();
    plain(wi(0), MM_WRITE, BUF, 16, 4);
    expect("data-race", NULL);
    begin();
    through_image_of(wi(0), MM_WRITE, SUB, 0);
    barrier(0, FI);
    through_image(wi(1), MM_READ, 16);
    expect_clean();
    begin();
    through_image_of(wi(0), MM_WRITE, SUB, 4);
    barrier(0, FG);
    through_image(wi(1), MM_READ, 20);
    expect("data-race", "image memory");
    begin(); /* memory that is freed and reused */
    through_image(wi(0), MM_WRITE, 0);
    event((struct mm_event){.agent = host, .kind = MM_FREE, .allocation = BUF});
    allocate(BUF, MM_GLOBAL, MM_ORIGIN_BUFFER, 0x10000, 256);
    rd(wi2(0), BUF);
    expect_clean();
}

static void images_of_buffers_and_commands(void **state)
{
    (void)state;
    begin(); /* commands order both views */
    command(1, MM_COMMAND_START);
    wr(wi(0), BUF);
    through_image(wi(1), MM_WRITE, 8);
    edge(command(1, MM_COMMAND_END), MM_EDGE_IN_ORDER);
    command(2, MM_COMMAND_START);
    through_image(wi2(0), MM_READ, 0);
    plain(wi2(1), MM_WRITE, BUF, 8, 4);
    expect_clean();
    begin(); /* by number the same work-item, but not ordered */
    command(1, MM_COMMAND_START);
    through_image(wi(1), MM_WRITE, 0);
    command(1, MM_COMMAND_END);
    command(2, MM_COMMAND_START);
    rd(wi2(1), BUF);
    expect("data-race", NULL);
    for (int pass = 0; pass < 2;
         pass++) { /* the runtime's copy into the buffer before, and out of it after */
        const struct mm_agent copy = {2, MM_INDEX_RUNTIME};
        begin();
        command(2, MM_COMMAND_START);
        plain(copy, MM_WRITE, BUF, 0, 64);
        uint64_t end = command(2, MM_COMMAND_END);
        if (pass)
            edge(end, MM_EDGE_IN_ORDER);
        command(1, MM_COMMAND_START);
        through_image(wi(0), MM_READ, 0);
        pass ? expect_clean() : (void)expect("data-race", "no event, wait list");
        begin();
        command(1, MM_COMMAND_START);
        through_image(wi(0), MM_WRITE, 0);
        end = command(1, MM_COMMAND_END);
        if (pass)
            edge(end, MM_EDGE_IN_ORDER);
        command(2, MM_COMMAND_START);
        plain(copy, MM_READ, BUF, 0, 64);
        pass ? expect_clean() : (void)expect("data-race", "no event, wait list");
        begin(); /* a child, which waits for the end of its parent */
        command(1, MM_COMMAND_START);
        through_image(wi(0), MM_WRITE, 0);
        end = command(1, MM_COMMAND_END);
        if (pass)
            edge(end, MM_EDGE_PARENT);
        command(2, MM_COMMAND_START);
        rd(wi2(0), BUF);
        pass ? expect_clean() : (void)expect("data-race", NULL);
    }
    begin(); /* a work-item that acquires from a host which waited for the kernel */
    command(1, MM_COMMAND_START);
    through_image(wi(0), MM_WRITE, 0);
    edge(command(1, MM_COMMAND_END), MM_EDGE_COMPLETE);
    edge(command(1, MM_EVENT_COMPLETE), MM_EDGE_API_WAIT);
    call(host);
    store(host, SVM, MM_RELEASE, ALL);
    command(2, MM_COMMAND_START);
    load(wi2(0), SVM, MM_ACQUIRE, ALL);
    rd(wi2(0), BUF);
    expect_clean();
    begin(); /* a host thread that only knows of the write by atomics, not of the kernel's end */
    command(1, MM_COMMAND_START);
    through_image(wi(0), MM_WRITE, 0);
    store(wi(0), SVM, MM_RELEASE, ALL);
    load(host, SVM, MM_ACQUIRE, ALL);
    rd(host, BUF);
    expect("data-race", NULL);
}

static void describe_on(uint32_t id, uint32_t device)
{
    struct mm_record r = {.type = MM_RECORD_COMMAND};
    r.command = (struct mm_command){.id = id,
                                    .queue = id,
                                    .device = device,
                                    .dimensions = 1,
                                    .global_size = {16, 1, 1},
                                    .local_size = {4, 1, 1},
                                    .kind = "clEnqueueNDRangeKernel",
                                    .kernel = "k"};
    record(r);
}

/* Device 0 writes the buffer through an image: returns the end of that command. */
static uint64_t two_devices(void)
{
    begin();
    for (uint32_t i = 0; i < 2; i++) {
        struct mm_record r = {.type = MM_RECORD_ALLOCATION};
        r.allocation = (struct mm_allocation){.id = 20 + i,
                                              .region = MM_GLOBAL,
                                              .origin = MM_ORIGIN_BUFFER,
                                              .object = 5,
                                              .device = (int16_t)i,
                                              .address = 0x90000 + 0x1000 * i,
                                              .size = 64,
                                              .name = "m"};
        record(r);
        describe_on(3 + i, i);
    }
    command(3, MM_COMMAND_START);
    through_image_of((struct mm_agent){3, 0}, MM_WRITE, 20, 0);
    return command(3, MM_COMMAND_END);
}

static void images_of_buffers_on_two_devices(void **state)
{
    (void)state;
    for (int pass = 0; pass < 2; pass++) {
        uint64_t end = two_devices(); /* a migration carries what another device wrote [CL 3.3.6 H25] */
        if (pass)
            edge(end, MM_EDGE_IN_ORDER);
        command(4, MM_COMMAND_START);
        event((struct mm_event){.agent = {4, MM_INDEX_RUNTIME},
                                .kind = MM_READ,
                                .allocation = 20,
                                .size = 64,
                                .semantics = MM_TRANSFER});
        pass ? expect_clean() : (void)expect("data-race", NULL);
        end = two_devices(); /* the copies of two devices are one object */
        if (pass)
            edge(end, MM_EDGE_IN_ORDER);
        command(4, MM_COMMAND_START);
        through_image_of((struct mm_agent){4, 0}, MM_READ, 21, 0);
        pass ? expect_clean() : (void)expect("data-race", NULL);
    }
}

/* After accesses for which the buffer had no image (plain.c). */
static void images_of_accessed_buffers(void **state)
{
    (void)state;
    begin();
    for (uint64_t offset = 0; offset < 64; offset += 4)
        plain(wi(0), MM_WRITE, BUF, offset, 4);
    plain(wi(0), MM_READ, BUF, 4, 4);
    expect_clean();
    through_image(wi(1), MM_WRITE, 64);
    plain(wi(2), MM_WRITE, BUF, 64, 4);
    expect("data-race", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_writes_of_images),
        cmocka_unit_test(images_of_buffers_and_barriers),
        cmocka_unit_test(both_views_by_one_work_item),
        cmocka_unit_test(images_of_parts_of_buffers),
        cmocka_unit_test(images_of_accessed_buffers),
        cmocka_unit_test(images_of_buffers_and_commands),
        cmocka_unit_test(images_of_buffers_on_two_devices),
        cmocka_unit_test(write_through_image_ends_release_sequences),
    };
    return cmocka_run_group_tests_name("detector: images", tests, NULL, finish);
}
