/* Base relations of the cat language over random events, pair by pair, according to their definitions. */
#include "memmodel/cat/eval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state;

static uint32_t below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

static struct mm_cat_event random_event(void)
{
    struct mm_cat_event e = {.rmw_partner = UINT32_MAX, .location = UINT32_MAX, .barrier = UINT32_MAX};

    e.init = below(6) == 0;
    e.thread = e.init ? UINT32_MAX : below(4);
    e.write = e.init || below(2);
    e.read = !e.write && below(3);
    e.fence = !e.write && !e.read;
    if (!e.fence) {
        e.location = below(5);
        e.memory.object = e.location / 2;
    }
    e.agent.host = !e.init && below(7) == 0;
    e.agent.device = below(2);
    e.agent.queue_family = below(2);
    e.agent.kernel = below(2);
    e.agent.work_group = below(3);
    e.agent.sub_group = below(4);
    return e;
}

static bool both_device(const struct mm_cat_event *a, const struct mm_cat_event *b)
{
    return !a->init && !b->init && !a->agent.host && !b->agent.host;
}

static bool has_pair(const char *name, const struct mm_cat_event *a, const struct mm_cat_event *b)
{
    bool thread = a == b || (!a->init && !b->init && a->thread == b->thread), later = !a->init && a < b;
    bool location = a->location != UINT32_MAX && a->location == b->location;
    const struct {
        const char *name;
        bool has;
    } definitions[] = {
        {"po", later && thread},
        {"po-loc", later && thread && location},
        {"loc", location},
        {"int", thread},
        {"ext", !thread},
        {"id", a == b},
        {"ssg", both_device(a, b) && a->agent.sub_group == b->agent.sub_group},
        {"swg", both_device(a, b) && a->agent.work_group == b->agent.work_group},
        {"sdv", both_device(a, b) && a->agent.device == b->agent.device},
        {"sqf", both_device(a, b) && a->agent.device == b->agent.device &&
                    a->agent.queue_family == b->agent.queue_family},
        {"skernel", both_device(a, b) && a->agent.kernel == b->agent.kernel},
        {"obj", !a->fence && !b->fence && a->memory.object == b->memory.object},
    };

    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++)
        if (strcmp(definitions[i].name, name) == 0)
            return definitions[i].has;
    fail_msg("no definition of %s", name);
    return false;
}

static void relations_are_as_defined(void **state)
{
    static const char *const names[] = {"po",  "po-loc", "loc", "int", "ext",     "id",
                                        "ssg", "swg",    "sdv", "sqf", "skernel", "obj"};
    static const uint32_t counts[] = {0, 1, 2, 17, 63, 64, 65, 128, 150, 1024, 1100};

    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        uint32_t n = counts[c];
        struct mm_cat_event *events = calloc(n + 1, sizeof *events);
        uint64_t *out = calloc(mm_rel_size(n, MM_CAT_REL) + 1, sizeof *out);
        struct mm_cat_events all = {.events = events, .count = n};

        for (uint32_t i = 0; i < n; i++)
            events[i] = random_event();
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            memset(out, 0xA5, mm_rel_size(n, MM_CAT_REL) * sizeof *out);
            mm_cat_base_fill(&all, mm_cat_base_find(names[k]), out);
            for (uint32_t i = 0; i < n; i++) {
                for (uint32_t j = 0; j < n; j++)
                    if (mm_rel_has(n, out, i, j) != has_pair(names[k], &events[i], &events[j]))
                        fail_msg("%s of %u events: (%u, %u)", names[k], n, i, j);
                if (n % 64)
                    assert_int_equal(out[i * (size_t)((n + 63) / 64) + n / 64] >> n % 64, 0);
            }
        }
        free(out);
        free(events);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(relations_are_as_defined)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
