/* Clocks of instrumented launches: the segments ordered by acquires, against a reference with full sets. */
#include "interp/jit/instrument/clocks.c"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { BASE = 100, MOST = 4096, PLACES = 4 };
enum {
    ACQUIRE = IN_SYNC_ACQUIRES,
    RELEASE = IN_SYNC_RELEASES,
    STORE = IN_SYNC_STORES,
    READ = IN_SYNC_READS,
    WRITE = IN_SYNC_WRITES
};
static struct in_shadow shadow;
static uint32_t first, current;

/* The reference: for each segment, whether it is ordered before. */
static bool now[MOST], released[PLACES][MOST];
static bool fenced[MOST], readable[MOST], is_fenced; /* of the work-item */

static uint64_t address_of(int place)
{
    return 0x1000 + 4 * (uint64_t)place;
}

static void begin_launch(uint32_t count)
{
    shadow = (struct in_shadow){.last_used = BASE, .clocks = in_clocks_create(BASE, count)};
    assert_non_null(shadow.clocks);
    memset(now, 0, sizeof now);
    memset(released, 0, sizeof released);
}

static void end_launch(void)
{
    in_clocks_destroy(shadow.clocks);
}

static uint32_t access_memory(void)
{
    return shadow.last_used = current;
}

static uint32_t begin_item(void)
{
    first = current = in_clock_begin(&shadow, 0);
    memset(now, 0, sizeof now);
    memset(readable, 0, sizeof readable);
    is_fenced = false;
    return access_memory();
}

static void synchronize(int place, uint32_t how)
{
    bool *l = released[place];
    for (int k = 0; k < MOST && (how & ACQUIRE); k++)
        now[k] |= l[k];
    for (int k = 0; k < MOST && (how & READ); k++)
        readable[k] |= l[k];
    if ((how & STORE) || (how & (ACQUIRE | RELEASE)) == (ACQUIRE | RELEASE))
        memset(l, 0, sizeof released[place]);
    for (uint32_t k = 0; k < MOST && (how & RELEASE); k++)
        l[k] |= now[k] || (k + BASE >= first && k + BASE <= current);
    for (int k = 0; k < MOST && (how & WRITE) && is_fenced; k++)
        l[k] |= fenced[k];
    current = in_clock_synchronize(&shadow, address_of(place), first, current, how);
}

static void pass_fence(uint32_t how)
{
    for (int k = 0; k < MOST && (how & ACQUIRE); k++)
        now[k] |= readable[k];
    for (uint32_t k = 0; k < MOST && (how & RELEASE); k++)
        fenced[k] = now[k] || (k + BASE >= first && k + BASE <= current);
    is_fenced |= (how & RELEASE) != 0;
    current = in_clock_fence(&shadow, first, current, how);
}

static bool covers(uint32_t tag)
{
    return in_clock_covers(&shadow, tag) != 0;
}

static void test_message(void **state)
{
    (void)state;
    begin_launch(1000);
    uint32_t before = begin_item();
    synchronize(0, RELEASE | STORE);
    uint32_t after = access_memory();
    assert_int_not_equal(before, after);
    begin_item();
    assert_false(covers(before));
    synchronize(1, ACQUIRE);
    assert_false(covers(before));
    synchronize(0, ACQUIRE);
    assert_true(covers(before));
    assert_false(covers(after));
    begin_item();
    assert_false(covers(before));
    end_launch();
}

static void test_sequences(void **state)
{
    (void)state;
    begin_launch(1000);
    uint32_t one = begin_item();
    synchronize(0, RELEASE | STORE);
    uint32_t two = begin_item();
    synchronize(0, RELEASE); /* a read-modify-write: the sequence of the first release continues */
    begin_item();
    synchronize(0, ACQUIRE);
    assert_true(covers(one) && covers(two));
    uint32_t three = begin_item();
    synchronize(0, RELEASE | STORE); /* ends both, and this work-item is ordered after neither */
    begin_item();
    synchronize(0, ACQUIRE);
    assert_true(!covers(one) && !covers(two) && covers(three));
    begin_item();
    synchronize(0, STORE);
    begin_item();
    synchronize(0, ACQUIRE);
    assert_false(covers(three));
    end_launch();
}

static void test_transitive(void **state)
{
    (void)state;
    begin_launch(1000);
    uint32_t one = begin_item();
    synchronize(0, RELEASE | STORE);
    uint32_t two = begin_item();
    synchronize(0, ACQUIRE);
    synchronize(1, RELEASE | STORE);
    begin_item();
    synchronize(1, ACQUIRE);
    assert_true(covers(one) && covers(two));
    end_launch();
}

static void test_fences(void **state)
{
    (void)state;
    begin_launch(1000);
    uint32_t before = begin_item();
    pass_fence(RELEASE);
    uint32_t after = access_memory();
    synchronize(0, STORE | WRITE);
    begin_item();
    pass_fence(ACQUIRE);
    synchronize(0, READ);
    assert_false(covers(before));
    pass_fence(ACQUIRE);
    assert_true(covers(before) && !covers(after));
    begin_item();
    pass_fence(ACQUIRE); /* what others read is not this one's */
    synchronize(1, STORE | WRITE);
    assert_false(covers(before));
    end_launch();
}

static uint32_t number(uint32_t most)
{
    static uint32_t x = 1;
    x = x * 1664525u + 1013904223u;
    return (x >> 8) % most;
}

/* Random work-items: clocks are exact while they are small, and never order more than the reference. */
static void test_random(void **state)
{
    (void)state;
    static const uint32_t hows[] = {ACQUIRE | READ,
                                    RELEASE | READ | WRITE,
                                    STORE | WRITE,
                                    RELEASE | STORE | WRITE,
                                    ACQUIRE | RELEASE | READ | WRITE,
                                    ACQUIRE | RELEASE,
                                    ACQUIRE,
                                    READ,
                                    READ | WRITE};
    size_t forgotten = 0;
    for (int launch = 0; launch < 60; launch++) {
        bool is_large = launch >= 55;
        begin_launch(MOST);
        for (uint32_t item = 0, items = is_large ? 1200 : 5 + number(40); item < items; item++) {
            begin_item();
            for (uint32_t k = number(4); k > 0; k--) {
                synchronize(is_large ? 0 : (int)number(PLACES), !is_large     ? hows[number(9)]
                                                                : item < 1100 ? RELEASE
                                                                              : ACQUIRE);
                if (!is_large && number(3) == 0)
                    pass_fence(1 + number(3));
                if (number(2))
                    access_memory();
            }
            for (uint32_t tag = BASE + 1; tag < first; tag++) {
                assert_true(!covers(tag) || now[tag - BASE]);
                forgotten += covers(tag) != now[tag - BASE];
                assert_true(is_large || forgotten == 0);
            }
        }
        assert_false(shadow.deoptimized);
        end_launch();
    }
    assert_true(forgotten > 0);
}

static void test_gives_up(void **state)
{
    (void)state;
    begin_launch(4);
    begin_item();
    assert_int_equal(shadow.slice, SLICE);
    for (int k = 0; k < 2; k++)
        synchronize(0, RELEASE | STORE);
    assert_false(shadow.deoptimized);
    synchronize(0, RELEASE | STORE);
    assert_true(shadow.deoptimized && shadow.slice < 0);
    in_clock_begin(&shadow, 0); /* later work-items leave their loops, too */
    assert_true(shadow.slice < 0);
    end_launch();
    begin_launch(4);
    in_clock_begin(&shadow, UINT32_MAX);
    assert_int_equal(shadow.slice, 0);
    end_launch();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_message),    cmocka_unit_test(test_sequences),
                                       cmocka_unit_test(test_transitive), cmocka_unit_test(test_fences),
                                       cmocka_unit_test(test_random),     cmocka_unit_test(test_gives_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
