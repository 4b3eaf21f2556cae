/* Counts of a finding's instances by work-group and block of elements (struct ck_heat).  Blocks have 16
 * elements at first; they are doubled when none of a finding's 64 cells is free. */
#include "race_script.h"

enum { BIG = 40, WIDE = 41, SOURCES = 2 };

/* The access by instruction SOURCE (1 or 2): the same two instructions have one finding. */
static void access_at(struct mm_agent a, enum mm_kind kind, uint32_t source, uint32_t m, uint64_t offset)
{
    record((struct mm_record){.type = MM_RECORD_EVENT,
                              .event = {.agent = a,
                                        .kind = (uint8_t)kind,
                                        .source = source,
                                        .allocation = m,
                                        .offset = offset,
                                        .size = 4}});
}

/* Two work-items race at byte OFFSET, once. */
static void race(struct mm_agent earlier, struct mm_agent later, uint32_t m, uint64_t offset)
{
    access_at(earlier, MM_WRITE, 1, m, offset);
    access_at(later, MM_READ, 2, m, offset);
}

static void bind(uint32_t m, uint64_t offset, uint32_t element_size)
{
    record((struct mm_record){.type = MM_RECORD_ARGUMENT,
                              .argument = {.command = 1,
                                           .allocation = m,
                                           .offset = offset,
                                           .element_size = element_size,
                                           .name = "a",
                                           .type_name = ""}});
}

/* As begin(), with WIDE: 80 work-groups of 4, and BIG: 64 KiB. */
static void begin_heat(void)
{
    begin();
    describe_command(WIDE, 0, 3, 320);
    allocate(BIG, MM_GLOBAL, MM_ORIGIN_BUFFER, 0x100000, 65536);
    for (uint32_t i = 1; i <= SOURCES; i++)
        record((struct mm_record){
            .type = MM_RECORD_SOURCE,
            .source = {.id = i, .line = i, .file = "k.cl", .function = "f", .opcode = ""}});
}

static const struct ck_heat *heat_of_only(uint64_t instances)
{
    assert_int_equal(ck_detector_finding_count(d), 1);
    assert_int_equal(ck_detector_finding(d, 0)->count, instances);
    return &ck_detector_finding(d, 0)->heat;
}

static uint64_t cell(const struct ck_heat *heat, uint64_t group, int64_t block)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < heat->cell_count; i++)
        if (heat->cells[i].group[0] == group && heat->cells[i].block == block)
            count += heat->cells[i].count;
    return count;
}

static void groups_and_elements(void **state)
{
    (void)state;
    begin_heat();
    bind(BIG, 16, 8);              /* element E: bytes 16 + 8 E to 23 + 8 E */
    race(wi(0), wi(5), BIG, 64);   /* groups 0 and 1, element 6: block 0 */
    race(wi(1), wi(2), BIG, 144);  /* group 0 alone, element 16: block 1 */
    race(wi(0), wi(15), BIG, 140); /* groups 0 and 3, element 15: block 0 */
    race(wi(4), wi(8), BIG, 12);   /* groups 1 and 2, element -1: block -1 */
    const struct ck_heat *heat = heat_of_only(4);
    assert_int_equal(heat->element_size, 8);
    assert_int_equal(heat->log, 4);
    assert_int_equal(heat->cell_count, 6);
    assert_int_equal(cell(heat, 0, 0), 2);
    assert_int_equal(cell(heat, 1, 0), 1);
    assert_int_equal(cell(heat, 3, 0), 1);
    assert_int_equal(cell(heat, 0, 1), 1);
    assert_int_equal(cell(heat, 1, -1), 1);
    assert_int_equal(cell(heat, 2, -1), 1);
    assert_int_equal(heat->left_out, 0);
}

static void group_ids(void **state)
{
    (void)state;
    begin_heat();
    record((struct mm_record){.type = MM_RECORD_COMMAND,
                              .command = {.id = 50,
                                          .queue = 4,
                                          .dimensions = 2,
                                          .global_size = {6, 4, 1},
                                          .local_size = {2, 2, 1},
                                          .kind = "clEnqueueNDRangeKernel",
                                          .kernel = "k"}});
    /* work-groups of 4 items, 3 in a row: item 19 is of work-group 4, that is (1,1); item 8 of work-group 2,
     * that is (2,0) */
    race((struct mm_agent){50, 8}, (struct mm_agent){50, 19}, BIG, 0);
    const struct ck_heat *heat = heat_of_only(1);
    assert_int_equal(heat->element_size, 1); /* the type is unknown */
    assert_int_equal(heat->cell_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        bool first = heat->cells[i].group[0] == 2;
        assert_int_equal(heat->cells[i].group[0], first ? 2 : 1);
        assert_int_equal(heat->cells[i].group[1], first ? 0 : 1);
        assert_int_equal(heat->cells[i].group[2], 0);
        assert_int_equal(heat->cells[i].count, 1);
    }
}

static void sub_buffers(void **state)
{
    (void)state;
    begin_heat();
    bind(SUB, 0, 4);
    access_at(wi(0), MM_WRITE, 1, BUF, 24); /* byte 8 of SUB, which begins at byte 16 of BUF */
    access_at(wi(5), MM_READ, 2, SUB, 8);
    const struct ck_heat *heat = heat_of_only(1);
    assert_int_equal(heat->element_size, 4);
    assert_int_equal(heat->cell_count, 2);
    assert_int_equal(cell(heat, 0, 0), 1);
    assert_int_equal(cell(heat, 1, 0), 1);
}

static void commands_without_items(void **state)
{
    (void)state;
    begin_heat();
    bind(BIG, 0, 4);
    access_at(wi(6), MM_WRITE, 1, BIG, 4096);
    command(2, MM_COMMAND_START);
    access_at((struct mm_agent){2, MM_INDEX_RUNTIME}, MM_READ, 2, BIG,
              4096); /* a copy, whose memory has no type */
    const struct ck_heat *heat = heat_of_only(1);
    assert_int_equal(heat->element_size, 4);
    assert_int_equal(heat->cell_count, 1);
    assert_int_equal(cell(heat, 1, 64), 1); /* element 1024 */
}

/* The 65th block of one work-group makes blocks of 32: 33 of them. */
static void blocks_double(void **state)
{
    (void)state;
    begin_heat();
    bind(BIG, 0, 4);
    for (uint64_t block = 0; block < 64; block++)
        race(wi(0), wi(1), BIG, block * 64);
    const struct ck_heat *heat = heat_of_only(64);
    assert_int_equal(heat->log, 4);
    assert_int_equal(heat->cell_count, 64);
    race(wi(0), wi(1), BIG, 64 * 64);
    assert_int_equal(heat->log, 5);
    assert_int_equal(heat->cell_count, 33);
    for (int64_t block = 0; block < 33; block++)
        assert_int_equal(cell(heat, 0, block), block == 32 ? 1 : 2);
    assert_int_equal(heat->left_out, 0);
}

/* Work-groups have priority over blocks, the first 64 of them; the others are left out, and counted. */
static void many_groups(void **state)
{
    (void)state;
    begin_heat();
    for (uint32_t group = 0; group < 80; group++)
        race((struct mm_agent){WIDE, group * 4}, (struct mm_agent){WIDE, group * 4 + 1}, BIG, group * 4);
    const struct ck_heat *heat = heat_of_only(80);
    assert_int_equal(heat->cell_count, 64);
    assert_int_equal(heat->left_out, 16);
    assert_int_equal(heat->log, 4);
    for (uint32_t group = 0; group < 64; group++)
        assert_int_equal(cell(heat, group, group * 4 / 16), 1);
    /* Work-group 1 at byte 1024, with its cell of byte 4: blocks of 2048 bytes have both. */
    race((struct mm_agent){WIDE, 4}, (struct mm_agent){WIDE, 5}, BIG, 1024);
    assert_int_equal(heat->log, 11);
    assert_int_equal(cell(heat, 1, 0), 2);
    assert_int_equal(cell(heat, 63, 0), 1);
    assert_int_equal(heat->cell_count, 64);
    assert_int_equal(heat->left_out, 16);
}

/* The first process has 32 blocks of two work-groups, the second 65 of one: both get blocks of 32
 * elements. */
static void processes(void **state)
{
    (void)state;
    begin_heat();
    bind(BIG, 0, 4);
    for (uint64_t block = 0; block < 65; block++)
        race(wi(0), wi(1), BIG, block * 64);
    struct ck_detector *second = d;
    d = NULL;
    begin_heat();
    bind(BIG, 0, 4);
    for (uint64_t block = 0; block < 32; block++)
        race(wi(0), wi(4), BIG, block * 64);
    assert_int_equal(heat_of_only(32)->log, 4);
    assert_int_equal(heat_of_only(32)->cell_count, 64);
    assert_true(ck_detector_merge(d, second, 2));
    const struct ck_heat *heat = heat_of_only(97);
    assert_int_equal(heat->log, 5);
    assert_int_equal(heat->cell_count, 33 + 16);
    for (int64_t block = 0; block < 33; block++) {
        assert_int_equal(cell(heat, 0, block), block < 16 ? 4 : block < 32 ? 2 : 1);
        assert_int_equal(cell(heat, 1, block), block < 16 ? 2 : 0);
    }
    ck_detector_destroy(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_and_elements), cmocka_unit_test(group_ids),
        cmocka_unit_test(sub_buffers),         cmocka_unit_test(commands_without_items),
        cmocka_unit_test(blocks_double),       cmocka_unit_test(many_groups),
        cmocka_unit_test(processes),
    };
    return cmocka_run_group_tests_name("heat", tests, NULL, finish);
}
