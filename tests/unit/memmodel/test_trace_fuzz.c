/* Damaged records with valid checksums: decoding, graph and dumps handle any trace.  Records of old versions.
 * REFCL_ROUNDS sets the number of mutations. */
#include "memmodel/base/hash.h"
#include "memmodel/trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t random_state = 88172645463325252u;
static uint32_t rnd(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 20) % n;
}

enum { SIZE = 4096 };

static size_t put_records(unsigned char *out)
{
    struct mm_trace_state state = {0};
    size_t used = 0;
    struct mm_record records[] = {
        {.type = MM_RECORD_COMMAND,
         .command = {.id = 1,
                     .dimensions = 2,
                     .global_size = {10, 6, 1},
                     .local_size = {4, 4, 1},
                     .kind = "k",
                     .kernel = "f"}},
        {.type = MM_RECORD_ALLOCATION,
         .allocation =
             {.id = 1, .region = MM_GLOBAL, .origin = MM_ORIGIN_BUFFER, .size = 64, .name = "buffer 1"}},
        {.type = MM_RECORD_ALLOCATION,
         .allocation = {.id = 2, .region = MM_LOCAL, .size = 64, .name = "tile"}},
        {.type = MM_RECORD_SOURCE,
         .source = {.id = 1, .line = 3, .column = 4, .file = "a.cl", .function = "f", .opcode = "OpLoad"}},
        {.type = MM_RECORD_ARGUMENT,
         .argument = {.command = 1, .allocation = 1, .element_size = 4, .name = "out", .type_name = "int*"}},
        {.type = MM_RECORD_TEXT, .text = {.file = "a.cl", .text = "kernel void f() {}\n"}},
        {.type = MM_RECORD_FINDING,
         .finding = {.kind = "out-of-bounds", .clause = "c", .message = "m", .source = 1, .allocation = 1}},
        {.type = MM_RECORD_CONTENT, .content = {1, 16, 8, "contents"}},
        {.type = MM_RECORD_CONTENT, .content = {1, 32, 32, NULL}},
        {.type = MM_RECORD_PROGRAM, .program = {1, 7, "program"}},
        {.type = MM_RECORD_TERM,
         .term = {.agent = {1, 2}, .id = 3, .a = 1, .b = 2, .op = MM_TERM_ADD, .size = 4}},
    };
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        used += mm_trace_encode_record(&records[i], out + used);
    for (uint32_t i = 0; i < 24; i++) {
        struct mm_event e = {.agent = {i % 5 != 0, i},
                             .kind = (uint8_t)(1 + i % 3),
                             .allocation = 1 + i % 2,
                             .offset = i % 4 * 4,
                             .size = 4,
                             .source = i % 2,
                             .value_read = i};
        used += mm_trace_encode_event(&state, &e, out + used);
        struct mm_record edge = {.type = MM_RECORD_EDGE,
                                 .edge = {.from = 0, .to = i + 1, .kind = i % MM_EDGE_RF}};
        if (i % 3 == 0)
            used += mm_trace_encode_record(&edge, out + used);
    }
    return used;
}

static void mutate(unsigned char *p, size_t *size)
{
    for (uint32_t k = 1 + rnd(4); k; k--) {
        size_t at = rnd((uint32_t)*size);
        switch (rnd(4)) {
        case 0:
            p[at] = (unsigned char)rnd(256);
            break;
        case 1:
            p[at] ^= (unsigned char)(1u << rnd(8));
            break;
        case 2:
            memmove(p + at, p + at + 1, *size - at - 1);
            *size -= *size > 1;
            break;
        default:
            p[at] = 0xff;
        }
    }
}

/* Writes PAYLOAD as a complete trace with valid checksums. */
static void write_trace(int fd, const unsigned char *payload, size_t size)
{
    unsigned char header[MM_TRACE_CHUNK_HEADER], file[MM_TRACE_FILE_HEADER] = MM_TRACE_MAGIC;
    struct mm_trace_chunk chunk = {.codec = MM_TRACE_RAW, .stored = (uint32_t)size, .raw = (uint32_t)size};
    file[8] = MM_TRACE_VERSION;
    chunk.checksum = mm_checksum(payload, size);
    mm_trace_chunk_put(header, &chunk);
    assert_int_equal(ftruncate(fd, 0), 0);
    lseek(fd, 0, SEEK_SET);
    assert_int_equal(write(fd, file, sizeof file), sizeof file);
    assert_int_equal(write(fd, header, sizeof header), sizeof header);
    assert_int_equal(write(fd, payload, size), size);
    lseek(fd, 0, SEEK_SET);
}

static void damaged_records_do_no_harm(void **state)
{
    (void)state;
    static unsigned char good[SIZE], bad[SIZE];
    const char *s = getenv("REFCL_ROUNDS");
    int rounds = s ? atoi(s) : 3000, invalid = 0;
    FILE *file = tmpfile(), *nowhere = fopen("/dev/null", "w");
    size_t good_size = put_records(good);
    assert_true(good_size < SIZE);
    for (int i = 0; i < rounds; i++) {
        size_t size = good_size;
        struct mm_error err = {0};
        struct mm_sink sink;
        bool complete;
        memcpy(bad, good, SIZE);
        if (i)
            mutate(bad, &size);
        write_trace(fileno(file), bad, size);
        struct mm_graph *graph = mm_graph_create();
        mm_graph_sink(graph, 1000, &sink);
        enum mm_class cls = mm_trace_read(fileno(file), "t", &sink, &complete, &err);
        assert_true(cls == MM_OK || cls == MM_INVALID);
        if (i == 0)
            assert_int_equal(cls, MM_OK);
        invalid += cls == MM_INVALID;
        mm_dump_text(graph, nowhere);
        mm_dump_json(graph, nowhere);
        mm_dump_dot(graph, nowhere);
        mm_graph_destroy(graph);
    }
    assert_true(invalid > rounds / 10 && invalid < rounds);
    fclose(file);
    fclose(nowhere);
}

static void random_bytes_do_no_harm(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        unsigned char bytes[64];
        size_t size = 1 + rnd(64);
        for (size_t k = 0; k < size; k++)
            bytes[k] = (unsigned char)rnd(256);
        struct mm_trace_cursor cursor = {
            .at = bytes, .end = bytes + size, .version = MM_TRACE_VERSION, .runs = i % 2};
        struct mm_trace_state decoder = {0};
        struct mm_record record;
        while ((cursor.at < cursor.end || decoder.run > 0) && mm_trace_decode(&cursor, &decoder, 5, &record))
            ;
        assert_true(cursor.at == cursor.end);
    }
}

/* Decodes the SIZE bytes of a record of VERSION; false: it is no record of that version, or shorter. */
static bool decode_as(uint32_t version, const unsigned char *bytes, size_t size, struct mm_record *record)
{
    struct mm_trace_cursor cursor = {.at = bytes, .end = bytes + size, .version = version};
    struct mm_trace_state decoder = {0};
    return mm_trace_decode(&cursor, &decoder, 0, record) && cursor.at == cursor.end;
}

/* Fields that were added to records are the last ones: one byte each in these records. */
static void records_of_old_versions_are_shorter(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    const struct mm_record allocation = {
        .type = MM_RECORD_ALLOCATION,
        .allocation = {
            .id = 1, .size = 64, .name = "buffer 1", .element = {4, MM_SCALAR_SIGNED}, .layout = "[2*8]{}"}};
    const struct mm_record source = {
        .type = MM_RECORD_SOURCE,
        .source = {.id = 1, .file = "a.cl", .function = "f", .opcode = "OpLoad", .caller = 7}};
    const struct mm_record argument = {.type = MM_RECORD_ARGUMENT,
                                       .argument = {.command = 1,
                                                    .allocation = 1,
                                                    .element_size = 8,
                                                    .name = "in",
                                                    .type_name = "float2*",
                                                    .layout = "[0*8]<2*4>float"}};
    const struct mm_record content = {.type = MM_RECORD_CONTENT, .content = {.allocation = 1, .size = 4}};
    struct mm_record got;

    size_t size = mm_trace_encode_record(&allocation, bytes);
    assert_true(decode_as(6, bytes, size, &got));
    assert_string_equal(got.allocation.layout, "[2*8]{}");
    size -= 2 + strlen("[2*8]{}"); /* its length, and the null behind it */
    assert_true(decode_as(5, bytes, size, &got));
    assert_string_equal(got.allocation.layout, "");
    assert_int_equal(got.allocation.element.size, 4);
    assert_int_equal(got.allocation.element.kind, MM_SCALAR_SIGNED);
    assert_false(decode_as(4, bytes, size - 2, &got));
    for (uint32_t version = 1; version < 4; version++) {
        assert_true(decode_as(version, bytes, size - 2, &got));
        assert_string_equal(got.allocation.name, "buffer 1");
        assert_int_equal(got.allocation.element.size, 0);
        assert_int_equal(got.allocation.element.kind, MM_SCALAR_UNKNOWN);
    }
    size = mm_trace_encode_record(&source, bytes);
    assert_true(decode_as(2, bytes, size, &got));
    assert_int_equal(got.source.caller, 7);
    assert_true(decode_as(1, bytes, size - 1, &got));
    assert_string_equal(got.source.opcode, "OpLoad");
    assert_int_equal(got.source.caller, 0);
    size = mm_trace_encode_record(&argument, bytes);
    assert_true(decode_as(6, bytes, size, &got));
    assert_string_equal(got.argument.layout, "[0*8]<2*4>float");
    assert_true(decode_as(5, bytes, size - 2 - strlen("[0*8]<2*4>float"), &got));
    assert_string_equal(got.argument.type_name, "float2*");
    assert_string_equal(got.argument.layout, "");
    size = mm_trace_encode_record(&content, bytes);
    assert_true(decode_as(3, bytes, size, &got));
    assert_false(decode_as(2, bytes, size, &got));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_records_do_no_harm),
                                       cmocka_unit_test(random_bytes_do_no_harm),
                                       cmocka_unit_test(records_of_old_versions_are_shorter)};
    return cmocka_run_group_tests_name("trace_fuzz", tests, NULL, NULL);
}
