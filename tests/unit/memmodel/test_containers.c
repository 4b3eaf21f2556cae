/* Growing arrays and hash tables, compared with plain arrays, with and without failing allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "memmodel/base/arena.h"
#include "memmodel/base/array.h"
#include "memmodel/base/hash.h"
#include "memmodel/base/map.h"
#include "memmodel/base/memory.h"

#include <stdio.h>
#include <string.h>

enum { ITEMS = 3000, KEYS = 500 };

static void arrays_keep_what_is_added(void **state)
{
    uint32_t *items = NULL, count = 0;
    size_t wide_count = 0;
    char(*wide)[3] = NULL;

    (void)state;
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t *item = mm_add(&items, &count);
        char(*three)[3] = mm_add(&wide, &wide_count);

        assert_non_null(item);
        assert_ptr_equal(item, &items[i]);
        assert_int_equal(*item, 0);
        assert_ptr_equal(three, &wide[i]);
        *item = i + 1;
        memcpy(*three, "abc", 3);
    }
    assert_int_equal(count, ITEMS);
    assert_int_equal(wide_count, ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_int_equal(items[i], i + 1);
        assert_memory_equal(wide[i], "abc", 3);
    }
    mm_free(items);
    mm_free(wide);
}

static void sorted_items_are_found(void **state)
{
    static const uint16_t items[] = {1, 1, 4, 4, 4, 9};

    (void)state;
    for (uint32_t count = 0; count <= sizeof items / sizeof *items; count++)
        for (uint16_t value = 0; value < 11; value++) {
            uint32_t less = 0, i = 77;

            while (less < count && items[less] < value)
                less++;
            mm_partition(i, count, items[i] < value);
            assert_int_equal(i, less);
        }
}

/* A stack that is popped to every height and filled again; with AddressSanitizer this finds writes past the
 * end. */
static void counts_may_be_lowered(void **state)
{
    uint64_t *items = NULL;
    size_t count = 0;

    (void)state;
    for (size_t height = 0; height < 70; height++) {
        for (size_t low = 0; low <= height; low++) {
            count = count < low ? count : low;
            while (count < height) {
                uint64_t *item = mm_add(&items, &count);

                assert_non_null(item);
                *item = count - 1;
            }
            for (size_t i = 0; i < count; i++)
                assert_int_equal(items[i], i);
        }
    }
    mm_free(items);
}

static void arrays_survive_failures(void **state)
{
    uint32_t *items = NULL, count = 0, failures = 0;

    (void)state;
    while (count < ITEMS) {
        uint32_t before = count, *old = items, *item;

        mm_alloc_fail_after(count % 3 == 0); /* the allocation, if one is needed, fails the first time */
        item = mm_add(&items, &count);
        mm_alloc_fail_after(0);
        if (!item) {
            failures++;
            assert_int_equal(count, before);
            assert_ptr_equal(items, old);
            item = mm_add(&items, &count);
        }
        assert_non_null(item);
        *item = before;
    }
    assert_true(failures > 0);
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(items[i], i);
    mm_free(items);
}

/* Copies, in an arena: earlier blocks are abandoned, their contents move. */
static void items_are_copied(void **state)
{
    struct mm_arena *arena = mm_arena_create();
    struct pair {
        uint32_t a, b;
    } *pairs = NULL, *plain = NULL;
    uint32_t count = 0;
    size_t plain_count = 0;

    (void)state;
    assert_non_null(arena);
    for (uint32_t i = 0; i < ITEMS; i++) {
        struct pair pair = {i, ~i};

        assert_true(mm_arena_append(arena, &pairs, &count, &pair));
        assert_true(mm_append(&plain, &plain_count, &pair));
    }
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_true(pairs[i].a == i && pairs[i].b == ~i && plain[i].a == i && plain[i].b == ~i);
    while ((count & (count - 1)) != 0) /* until the array is full */
        assert_true(mm_arena_append(arena, &pairs, &count, &pairs[0]));
    while ((plain_count & (plain_count - 1)) != 0)
        assert_true(mm_append(&plain, &plain_count, &(struct pair){0}));
    mm_alloc_fail_after(1);
    assert_false(mm_append(&plain, &plain_count, &(struct pair){0}));
    mm_alloc_fail_after(0);
    assert_int_equal(plain_count, 4096);
    assert_int_equal(count, 4096);
    mm_free(plain);
    mm_arena_destroy(arena);
}

static void room_is_reserved(void **state)
{
    uint64_t *items = NULL;
    uint32_t capacity = 0;
    size_t wide = 0;

    (void)state;
    assert_true(mm_reserve(&items, &capacity, 0));
    assert_null(items);
    assert_true(mm_reserve(&items, &capacity, 100));
    assert_true(capacity >= 100);
    memset(items, 1, capacity * sizeof *items);
    mm_alloc_fail_after(1);
    assert_true(mm_reserve(&items, &capacity, capacity)); /* allocates nothing */
    assert_false(mm_reserve(&items, &capacity, (size_t)capacity + 1));
    assert_true(capacity >= 100);
    assert_false(mm_reserve(&items, &capacity, SIZE_MAX));
    assert_false(mm_reserve(&items, &capacity, UINT32_MAX));
    assert_true(mm_reserve(&items, &capacity, 2 * (size_t)capacity));
    assert_int_equal(items[99], UINT64_C(0x0101010101010101));
    mm_free(items);
    items = NULL;
    assert_false(mm_reserve(&items, &wide, SIZE_MAX / 4));
    assert_false(mm_reserve(&items, &wide, SIZE_MAX));
    assert_null(items);
    assert_int_equal(wide, 0);
}

static void room_is_reserved_in_arenas(void **state)
{
    struct mm_arena *arena = mm_arena_create();
    uint32_t *items = NULL, capacity = 0, moves = 0;

    (void)state;
    for (uint32_t i = 0; i < ITEMS; i++) {
        const uint32_t *before = items;

        assert_true(mm_arena_reserve(arena, &items, i, &capacity, (size_t)i + 1));
        assert_true(capacity > i);
        moves += items != before;
        items[i] = i * 7;
    }
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(items[i], i * 7);
    assert_true(moves < 16); /* it doubles */
    assert_false(mm_arena_reserve(arena, &items, ITEMS, &capacity, UINT32_MAX));
    assert_int_equal(items[ITEMS - 1], (ITEMS - 1) * 7);
    mm_arena_destroy(arena);
}

/* Expected contents of a table: all values of each key. */
struct model {
    uint64_t values[KEYS][4];
    unsigned count[KEYS];
};

/* Keys that collide, that differ only in high bits, and 0. */
static uint64_t key_of(unsigned i)
{
    return i % 3 == 0   ? (uint64_t)i / 3
           : i % 3 == 1 ? (uint64_t)i << 52
                        : (uint64_t)i * UINT64_C(0x100000000);
}

static void compare(const struct mm_map *map, const struct model *model)
{
    size_t total = 0;

    for (unsigned i = 0; i < KEYS; i++) {
        size_t at = 0;
        uint64_t value;
        unsigned found = 0;

        while ((value = mm_map_next(map, key_of(i), &at))) {
            unsigned k = 0;

            while (k < model->count[i] && model->values[i][k] != value)
                k++;
            assert_true(k < model->count[i]);
            found++;
        }
        assert_int_equal(found, model->count[i]);
        assert_int_equal(mm_map_get(map, key_of(i)) != 0, found > 0);
        total += found;
    }
    assert_int_equal(map->count, total);
}

/* One random step; a failed one changes nothing. */
static bool step(struct mm_map *map, struct model *model, uint64_t random, uint64_t value)
{
    unsigned i = (unsigned)(random >> 8) % KEYS, *count = &model->count[i];
    uint64_t *values = model->values[i];

    switch (random % 4) {
    case 0:
    case 1:
        if (*count == 4)
            return true;
        if (!mm_map_add(map, key_of(i), value))
            return false;
        values[(*count)++] = value;
        return true;
    case 2:
        if (*count > 1)
            return true;
        if (!mm_map_put(map, key_of(i), value))
            return false;
        values[0] = value;
        *count = 1;
        return true;
    default:
        mm_map_remove(map, key_of(i), UINT64_MAX); /* is not there */
        if (*count == 0)
            return true;
        mm_map_remove(map, key_of(i), values[0]);
        values[0] = values[--*count];
        return true;
    }
}

static void tables_agree_with_arrays(void **state)
{
    static struct model model;
    struct mm_map map = {0};
    uint64_t random = 1, failures = 0;

    (void)state;
    memset(&model, 0, sizeof model);
    compare(&map, &model);
    mm_map_remove(&map, 1, 1);
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t choice = mm_random_next(&random);

        mm_alloc_fail_after(i % 2);
        failures += !step(&map, &model, choice, i + 1);
        mm_alloc_fail_after(0);
        if (i % 500 == 0)
            compare(&map, &model);
    }
    compare(&map, &model);
    assert_true(failures > 0);
    assert_int_equal(mm_map_bytes(&map, 0), map.capacity * sizeof *map.entries);
    mm_map_clear(&map);
    assert_int_equal(mm_map_get(&map, key_of(1)), 0);
    assert_int_equal(map.count, 0);
}

/* The table uses the number of bytes that was computed before. */
static void bytes_are_known_before(void **state)
{
    struct mm_map map = {0};

    (void)state;
    assert_int_equal(mm_map_bytes(&map, 0), 0);
    for (uint64_t i = 0; i < ITEMS; i++) {
        size_t bytes = mm_map_bytes(&map, 1);

        assert_true(mm_map_put(&map, i, i + 1));
        assert_int_equal(map.capacity * sizeof *map.entries, bytes);
    }
    mm_map_clear(&map);
}

/* Texts under one hash: the entries are listed, and the caller compares. */
static void texts_share_a_hash(void **state)
{
    static const char *const texts[] = {"a", "b", "c"};
    struct mm_map map = {0};

    (void)state;
    for (uint64_t i = 0; i < 3; i++)
        assert_true(mm_map_add(&map, 7, i + 1));
    for (uint64_t i = 0; i < 3; i++) {
        size_t at = 0;
        uint64_t found;

        while ((found = mm_map_next(&map, 7, &at)) && strcmp(texts[found - 1], texts[i]) != 0) {
        }
        assert_int_equal(found, i + 1);
    }
    mm_map_clear(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_keep_what_is_added), cmocka_unit_test(counts_may_be_lowered),
        cmocka_unit_test(arrays_survive_failures),   cmocka_unit_test(items_are_copied),
        cmocka_unit_test(room_is_reserved),          cmocka_unit_test(room_is_reserved_in_arenas),
        cmocka_unit_test(tables_agree_with_arrays),  cmocka_unit_test(bytes_are_known_before),
        cmocka_unit_test(texts_share_a_hash),        cmocka_unit_test(sorted_items_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
