/* Files of captured launches: written files can be read, and no others. */

#include "memmodel/trace/capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[64];

static const struct mm_capture_range range = {
    .dimensions = 2, .sub_group_size = 32, .global_size = {8, 4, 1}, .local_size = {2, 2, 1}};
static unsigned char memory[sizeof(struct mm_capture_memory) + 24];
static unsigned char svm[sizeof(struct mm_capture_memory) + 16];
static unsigned char value[sizeof(struct mm_capture_argument) + 4];
static const struct mm_capture_argument buffer = {
    .kind = MM_CAPTURE_BUFFER, .memory = 0, .offset = 8, .size = 16};
static const struct mm_capture_argument pointer = {.kind = MM_CAPTURE_SVM, .memory = 1, .offset = 4};

static size_t make(struct mm_capture_section *s)
{
    struct mm_capture_memory m = {.kind = MM_CAPTURE_BUFFER, .size = 24, .parent = UINT32_MAX};
    struct mm_capture_memory v = {.kind = MM_CAPTURE_SVM, .size = 16, .address = 4096, .parent = UINT32_MAX};
    struct mm_capture_argument a = {.kind = MM_CAPTURE_VALUE, .size = 4};
    size_t n = 0;
    memcpy(memory, &m, sizeof m);
    memcpy(svm, &v, sizeof v);
    memcpy(value, &a, sizeof a);
    memset(memory + sizeof m, 7, 24);
    s[n++] = (struct mm_capture_section){MM_CAPTURE_KERNEL, 0, 3, "sum"};
    s[n++] = (struct mm_capture_section){MM_CAPTURE_RANGE, 0, sizeof range, &range};
    s[n++] = (struct mm_capture_section){MM_CAPTURE_PROGRAM, 0, 5, "12345"};
    s[n++] = (struct mm_capture_section){MM_CAPTURE_MEMORY, 0, sizeof memory, memory};
    s[n++] = (struct mm_capture_section){MM_CAPTURE_ARGUMENT, 0, sizeof buffer, &buffer};
    s[n++] = (struct mm_capture_section){MM_CAPTURE_MEMORY, 1, sizeof svm, svm};
    s[n++] = (struct mm_capture_section){MM_CAPTURE_ARGUMENT, 1, sizeof pointer, &pointer};
    s[n++] = (struct mm_capture_section){MM_CAPTURE_ARGUMENT, 2, sizeof value, value};
    s[n++] = (struct mm_capture_section){MM_CAPTURE_SOURCE, 0, 6, "kernel"};
    s[n++] = (struct mm_capture_section){MM_CAPTURE_FILE, 0, 4, "a.cl"};
    s[n++] = (struct mm_capture_section){MM_CAPTURE_OPTIONS, 0, 2, "-w"};
    return n;
}

static enum mm_class read_back(struct mm_error *err)
{
    struct mm_capture capture;
    enum mm_class result = mm_capture_read(path, &capture, err);
    if (result == MM_OK)
        mm_capture_clear(&capture);
    return result;
}

static void what_is_written_is_read(void **state)
{
    struct mm_capture_section sections[16];
    struct mm_capture capture;
    struct mm_error err = {0};
    (void)state;
    size_t n = make(sections);
    assert_int_equal(mm_capture_write(path, sections, n, &err), MM_OK);
    assert_true(mm_capture_is(path));
    assert_int_equal(mm_capture_read(path, &capture, &err), MM_OK);
    assert_int_equal(capture.count, n);
    for (size_t i = 0; i < n; i++) {
        const struct mm_capture_section *s = mm_capture_find(&capture, sections[i].tag, sections[i].index);
        assert_non_null(s);
        assert_int_equal(s->size, sections[i].size);
        assert_memory_equal(s->data, sections[i].data, s->size);
    }
    mm_capture_clear(&capture);
}

/* The loader layer writes only the source. */
static void a_program_or_its_source_is_there(void **state)
{
    struct mm_capture_section sections[16];
    struct mm_error err = {0};
    (void)state;
    size_t n = make(sections), program = 0;
    while (sections[program].tag != MM_CAPTURE_PROGRAM)
        program++;
    memmove(&sections[program], &sections[program + 1], (--n - program) * sizeof *sections);
    assert_int_equal(mm_capture_write(path, sections, n, NULL), MM_OK);
    assert_int_equal(read_back(&err), MM_OK);
    assert_int_equal(sections[n - 3].tag, MM_CAPTURE_SOURCE);
    assert_int_equal(mm_capture_write(path, sections, n - 3, NULL), MM_OK);
    assert_int_equal(read_back(&err), MM_INVALID);
    assert_non_null(strstr(err.message, "its program"));
}

static void put(const unsigned char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static void every_damage_is_noticed(void **state)
{
    struct mm_capture_section sections[16];
    static unsigned char data[4096];
    (void)state;
    assert_int_equal(mm_capture_write(path, sections, make(sections), NULL), MM_OK);
    FILE *file = fopen(path, "rb");
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    assert_in_range(size, 60, sizeof data - 2);
    for (size_t i = 0; i < size; i++) {
        struct mm_error err = {0};
        put(data, i);
        assert_int_equal(read_back(&err), MM_INVALID);
        assert_true(err.message[0] != 0);
        for (int bit = 0; bit < 8; bit += 3) {
            data[i] ^= (unsigned char)(1 << bit);
            put(data, size);
            assert_int_equal(read_back(&err), MM_INVALID);
            data[i] ^= (unsigned char)(1 << bit);
        }
    }
    put(data, size + 1);
    assert_int_equal(read_back(NULL), MM_INVALID);
}

static uint32_t seed = 1;
static uint32_t rnd(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

/* Sections with valid checksums and invalid contents: refused or harmless. */
static void sections_are_distrusted(void **state)
{
    unsigned accepted = 0, refused = 0;
    (void)state;
    for (int round = 0; round < 3000; round++) {
        struct mm_capture_section sections[16], *s;
        unsigned char copy[200];
        size_t n = make(sections);
        s = &sections[rnd((uint32_t)n)];
        memcpy(copy, s->data, s->size);
        switch (rnd(5)) {
        case 0:
            s->tag = rnd(MM_CAPTURE_TAG_COUNT + 3);
            break;
        case 1:
            s->index = rnd(3) ? rnd(4) : UINT32_MAX;
            break;
        case 2:
            s->size = rnd((uint32_t)s->size + 1);
            break;
        case 3:
            n -= 1 + rnd((uint32_t)n);
            break;
        default:
            for (uint32_t k = rnd(4) + 1; k; k--)
                copy[rnd((uint32_t)s->size)] ^= (unsigned char)(1 << rnd(8));
            s->data = copy;
        }
        assert_int_equal(mm_capture_write(path, sections, n, NULL), MM_OK);
        *(read_back(NULL) == MM_OK ? &accepted : &refused) += 1;
    }
    assert_true(accepted > 100 && refused > 1000);
}

static void half_of_a_source_is_none(void **state)
{
    struct mm_capture_section sections[16];
    struct mm_error err = {0};
    (void)state;
    size_t n = make(sections) - 1;
    assert_int_equal(mm_capture_write(path, sections, n, NULL), MM_OK);
    assert_int_equal(read_back(&err), MM_INVALID);
    assert_non_null(strstr(err.message, "source"));
    assert_int_equal(mm_capture_write(path, sections, n - 2, NULL), MM_OK);
    assert_int_equal(read_back(&err), MM_OK);
}

static void other_files_are_none(void **state)
{
    struct mm_error err = {0};
    (void)state;
    put((const unsigned char *)"kernel void k(void) {}", 22);
    assert_false(mm_capture_is(path));
    assert_int_equal(read_back(&err), MM_INVALID);
    assert_non_null(strstr(err.message, "no captured launch"));
    unlink(path);
    assert_int_equal(read_back(&err), MM_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),  cmocka_unit_test(a_program_or_its_source_is_there),
        cmocka_unit_test(every_damage_is_noticed),  cmocka_unit_test(sections_are_distrusted),
        cmocka_unit_test(half_of_a_source_is_none), cmocka_unit_test(other_files_are_none)};
    snprintf(path, sizeof path, "/tmp/refcl-test-capture-%ld.cap", (long)getpid());
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
