/* The detector with invalid input: random events, ids, sizes and edges never crash it, with any bound on its
 * memory and any failing allocation.  REFCL_ROUNDS sets the number of executions. */
#include "checker/checker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state = 88172645463325252u;
static uint32_t rnd(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 20) % n;
}

static uint32_t number(uint32_t usual)
{
    static const uint32_t odd[] = {0, 1, UINT32_MAX, UINT32_MAX - 1, 1u << 31, 65535};
    return rnd(25) ? rnd(usual) : odd[rnd(6)];
}

static struct mm_event random_event(void)
{
    struct mm_event e = {.agent = {number(4), number(20)}, .allocation = number(5), .size = 1u << rnd(4)};
    e.kind = (uint8_t)rnd(rnd(3) ? MM_BARRIER_EXIT + 1 : MM_KIND_COUNT);
    e.order = (uint8_t)rnd(MM_ORDER_COUNT);
    e.scope = (uint8_t)rnd(MM_SCOPE_COUNT);
    e.effective_scope = (uint8_t)rnd(MM_SCOPE_COUNT);
    e.fence_flags = (uint8_t)rnd(8);
    e.attributes = (uint8_t)rnd(2);
    e.site = number(2);
    e.instance = number(3);
    e.source = number(9);
    e.offset = rnd(40) ? rnd(64) : (uint64_t)rnd(1000000) << rnd(40);
    if (rnd(200) == 0)
        e.size = rnd(3000000);
    return e;
}

static struct mm_record random_record(uint64_t next)
{
    struct mm_record r;
    memset(&r, 0, sizeof r);
    r.type = rnd(3) ? MM_RECORD_EVENT : (enum mm_record_type)(1 + rnd(MM_RECORD_FINDING));
    switch (r.type) {
    case MM_RECORD_EVENT:
        r.event = random_event();
        break;
    case MM_RECORD_EDGE:
        r.edge =
            (struct mm_edge){.from = next ? rnd((uint32_t)next) : 0, .to = next, .kind = rnd(MM_EDGE_COUNT)};
        break;
    case MM_RECORD_ALLOCATION:
        r.allocation = (struct mm_allocation){.id = 1 + number(4),
                                              .region = (uint8_t)rnd(MM_REGION_COUNT),
                                              .origin = (uint8_t)rnd(MM_ORIGIN_COUNT),
                                              .address = number(1000),
                                              .size = number(200),
                                              .name = rnd(2) ? "m" : ""};
        break;
    case MM_RECORD_SOURCE:
        r.source = (struct mm_source){.id = 1 + number(8),
                                      .line = number(4),
                                      .column = number(4),
                                      .file = "f",
                                      .function = "",
                                      .opcode = ""};
        break;
    case MM_RECORD_COMMAND:
        r.command = (struct mm_command){.id = 1 + number(3),
                                        .parent = number(4),
                                        .dimensions = rnd(4),
                                        .global_size = {number(20), number(3), 1},
                                        .local_size = {number(6), number(3), 1},
                                        .sub_group_size = number(4),
                                        .kind = "k",
                                        .kernel = rnd(2) ? "f" : ""};
        break;
    case MM_RECORD_ARGUMENT:
        r.argument = (struct mm_argument){.command = number(4),
                                          .allocation = number(5),
                                          .offset = number(30),
                                          .element_size = number(5),
                                          .name = rnd(2) ? "a" : "",
                                          .type_name = ""};
        break;
    case MM_RECORD_TEXT:
        r.text = (struct mm_text){.file = "f", .text = rnd(2) ? "one\ntwo\n" : ""};
        break;
    case MM_RECORD_FINDING:
        r.finding = (struct mm_finding){.kind = "k",
                                        .clause = "c",
                                        .message = "m",
                                        .agent = {number(4), number(9)},
                                        .source = number(9),
                                        .allocation = number(5)};
        break;
    default: /* of re-execution records: gone when a detector sees the record */
        break;
    }
    return r;
}

static void one_execution(size_t memory_limit, size_t fail_after, FILE *nowhere)
{
    struct ck_detector *d = ck_detector_create(&(struct ck_detector_options){
        .races = true, .memory = true, .memory_limit = memory_limit, .max_findings = rnd(3) * 4});
    struct mm_sink sink;
    uint64_t next = 0;
    ck_detector_sink(d, &sink);
    mm_alloc_fail_after(fail_after);
    for (int i = 0; i < 300; i++) {
        struct mm_record r = random_record(next);
        next += r.type == MM_RECORD_EVENT;
        sink.record(sink.context, &r);
    }
    mm_alloc_fail_after(0);
    ck_report_text(d, NULL, nowhere);
    ck_report_json(d, NULL, nowhere);
    ck_report_sarif(d, NULL, nowhere);
    ck_report_junit(d, NULL, nowhere);
    ck_detector_destroy(d);
}

static void nonsense_does_no_harm(void **state)
{
    (void)state;
    const char *s = getenv("REFCL_ROUNDS");
    int rounds = s ? atoi(s) : 1000;
    FILE *nowhere = fopen("/dev/null", "w");
    for (int i = 0; i < rounds; i++)
        one_execution(64 << 20, 0, nowhere);
    for (int i = 0; i < rounds; i++)
        one_execution(1000 + rnd(200000), 0, nowhere);
    for (int i = 0; i < rounds; i++)
        one_execution(64 << 20, 1 + rnd(300), nowhere);
    fclose(nowhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nonsense_does_no_harm)};
    return cmocka_run_group_tests_name("race_fuzz", tests, NULL, NULL);
}
