/* Control-flow graphs: dominators of random graphs against their definition, and orders computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "interp/module/flow.h"
#include "memmodel/base/hash.h"
#include "memmodel/base/memory.h"

#include <string.h>

enum { MOST_NODES = 12, GRAPHS = 2000 };

struct edges {
    uint32_t nodes, count, from[40], to[40];
};

/* The nodes that the entry reaches without passing WITHOUT, as bits. */
static uint32_t reached(const struct edges *e, uint32_t without)
{
    uint32_t set = without == 0 ? 0 : 1, before = UINT32_MAX;

    while (set != before) {
        before = set;
        for (uint32_t i = 0; i < e->count; i++)
            if (set >> e->from[i] & 1 && e->to[i] != without)
                set |= UINT32_C(1) << e->to[i];
    }
    return set;
}

static bool build(const struct edges *e, struct in_flow *flow)
{
    bool good = in_flow_create(flow, e->nodes);

    for (uint32_t i = 0; i < e->count && good; i++)
        good = in_flow_add_edge(flow, e->from[i], e->to[i]);
    return good && in_flow_sort(flow);
}

static void check_dominators(const struct edges *e)
{
    struct in_flow flow;
    uint32_t dominator[MOST_NODES], reachable = reached(e, IN_FLOW_NONE);

    assert_true(build(e, &flow));
    in_flow_dominators(&flow, dominator);
    assert_int_equal(flow.order_count, __builtin_popcount(reachable));
    for (uint32_t b = 0; b < e->nodes; b++) {
        assert_int_equal(flow.position[b] != IN_FLOW_NONE, reachable >> b & 1);
        if (!(reachable >> b & 1)) {
            assert_int_equal(dominator[b], IN_FLOW_NONE);
            continue;
        }
        assert_int_equal(flow.order[flow.position[b]], b);
        uint32_t found = UINT32_C(1) << b, defined = 0;
        for (uint32_t d = b; d != 0; d = dominator[d])
            found |= UINT32_C(1) << dominator[d];
        for (uint32_t a = 0; a < e->nodes; a++) /* A dominates B if B is not reached without A */
            defined |= (uint32_t)(reachable >> a & 1 && !(reached(e, a) >> b & 1)) << a;
        assert_int_equal(found, defined);
    }
    in_flow_destroy(&flow);
}

static void dominators_are_those_of_the_definition(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (int i = 0; i < GRAPHS; i++) {
        struct edges e = {.nodes = 1 + (uint32_t)(mm_random_next(&random) % MOST_NODES)};

        e.count = (uint32_t)(mm_random_next(&random) % (2 * e.nodes + 1));
        for (uint32_t k = 0; k < e.count; k++) {
            e.from[k] = (uint32_t)(mm_random_next(&random) % e.nodes);
            e.to[k] = (uint32_t)(mm_random_next(&random) % e.nodes);
        }
        check_dominators(&e);
    }
}

/* 0 branches to 1 and 2, both continue at 3, which loops to 0 and leaves to 4; nothing reaches 5. */
static const struct edges diamond = {6, 7, {0, 0, 1, 2, 3, 3, 5}, {1, 2, 3, 3, 0, 4, 4}};

static void first_successors_come_first(void **state)
{
    static const uint32_t order[] = {0, 1, 2, 3, 4}, swapped_order[] = {0, 2, 1, 3, 4};
    struct edges swapped = diamond;
    struct in_flow flow;

    (void)state;
    assert_true(build(&diamond, &flow));
    assert_int_equal(flow.order_count, 5);
    assert_memory_equal(flow.order, order, sizeof order);
    in_flow_destroy(&flow);
    swapped.to[0] = 2;
    swapped.to[1] = 1;
    assert_true(build(&swapped, &flow));
    assert_memory_equal(flow.order, swapped_order, sizeof swapped_order);
    in_flow_destroy(&flow);
}

static void failed_allocations_are_reported(void **state)
{
    bool good = false;

    (void)state;
    for (unsigned k = 1; !good; k++) {
        struct in_flow flow;

        assert_in_range(k, 1, 20);
        mm_alloc_fail_after(k);
        good = build(&diamond, &flow);
        mm_alloc_fail_after(0);
        assert_int_equal(good, k > 9);
        in_flow_destroy(&flow);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dominators_are_those_of_the_definition),
        cmocka_unit_test(first_successors_come_first),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
