/* Seeded faults of atomic memory: each location has a separate state, also beside another one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "interp/check/fault_memory.h"

enum { LOCATIONS = 64 };
static uint32_t memory[LOCATIONS];
static struct in_item writer = {.agent = 3}, reader = {.agent = 4};

static void store(uint32_t i, uint32_t value)
{
    const struct in_atomic atomic = {.opcode = SpvOpAtomicStore, .size = sizeof *memory};
    uint32_t old = memory[i];
    memory[i] = value;
    in_fault_atomic_done(&writer, &atomic, (uint8_t *)&memory[i], old, value, true, 0);
}

static uint64_t load(uint32_t i)
{
    const struct in_atomic atomic = {.opcode = SpvOpAtomicLoad, .size = sizeof *memory};
    return in_fault_atomic_done(&reader, &atomic, (uint8_t *)&memory[i], memory[i], 0, false, 0);
}

static void test_stale(void **state)
{
    (void)state;
    in_fault_now = IN_FAULT_COHERENCE_STALE;
    for (uint32_t i = 0; i < LOCATIONS; i++)
        memory[i] = 100 + i;
    for (uint32_t i = 0; i < LOCATIONS; i++)
        store(i, 200 + i);
    for (uint32_t read = 0; read < 4; read++)
        for (uint32_t i = 0; i < LOCATIONS; i++)
            assert_int_equal(load(i), (read % 2 ? 100 : 200) + i);
    store(5, 7);
    assert_int_equal(load(5), 7);
    assert_int_equal(load(5), 205);
    assert_int_equal(load(6), 206);
    in_fault_atomic_next(NULL); /* the next launch begins with the current contents */
    for (uint32_t read = 0; read < 4; read++)
        assert_int_equal(load(5), 7);
    in_fault_now = IN_NO_FAULT;
    assert_int_equal(load(6), 206);
    assert_int_equal(load(6), 206);
}

/* A second store of one agent to one location is dropped, whatever it stored elsewhere in between. */
static void test_reversed(void **state)
{
    (void)state;
    in_fault_now = IN_FAULT_MO_REVERSED;
    in_fault_atomic_next(NULL);
    for (uint32_t i = 0; i < LOCATIONS; i++)
        memory[i] = 0;
    for (uint32_t value = 1; value < 4; value++)
        for (uint32_t i = 0; i < LOCATIONS; i++)
            store(i, value);
    for (uint32_t i = 0; i < LOCATIONS; i++)
        assert_int_equal(memory[i], 1);
    in_fault_now = IN_NO_FAULT;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stale), cmocka_unit_test(test_reversed)};
    return cmocka_run_group_tests_name("faults of atomic memory", tests, NULL, NULL);
}
