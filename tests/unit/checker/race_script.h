/* Executions by hand for a detector: one launch of 16 work-items in work-groups of 4 and sub-groups of 2, and
 * a second one like it. */
#ifndef RACE_SCRIPT_H
#define RACE_SCRIPT_H

#include "checker/checker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { BUF = 1, FLAG, SVM, LOC, LFLAG, IMG, SVMF, SUB };
enum { NA = MM_ORDER_NONE };
static const enum mm_scope WI = MM_SCOPE_WORK_ITEM, SG = MM_SCOPE_SUB_GROUP, WG = MM_SCOPE_WORK_GROUP,
                           DEV = MM_SCOPE_DEVICE, ALL = MM_SCOPE_ALL_SVM_DEVICES;
enum { FG = MM_FENCE_GLOBAL, FL = MM_FENCE_LOCAL, FI = MM_FENCE_IMAGE };

static struct ck_detector *d;
static struct mm_sink sink;
static uint64_t next;
static uint32_t line;

static inline void record(struct mm_record r)
{
    assert_int_equal(sink.record(sink.context, &r), MM_OK);
}

static inline uint64_t event(struct mm_event e)
{
    struct mm_record place = {.type = MM_RECORD_SOURCE};
    place.source =
        (struct mm_source){.id = ++line, .line = line, .file = "k.cl", .function = "f", .opcode = ""};
    record(place);
    e.source = line;
    record((struct mm_record){.type = MM_RECORD_EVENT, .event = e});
    return next++;
}

static inline struct mm_agent wi(uint32_t i)
{
    return (struct mm_agent){1, i};
}
static inline struct mm_agent wi2(uint32_t i)
{
    return (struct mm_agent){2, i};
}
static const struct mm_agent host = {0, 0}, host1 = {0, 1};

static inline void plain(struct mm_agent a, enum mm_kind kind, uint32_t m, uint64_t offset, uint32_t size)
{
    event((struct mm_event){
        .agent = a, .kind = (uint8_t)kind, .allocation = m, .offset = offset, .size = size});
}
static inline void wr(struct mm_agent a, uint32_t m)
{
    plain(a, MM_WRITE, m, 0, 4);
}
static inline void rd(struct mm_agent a, uint32_t m)
{
    plain(a, MM_READ, m, 0, 4);
}
static inline void atomic(struct mm_agent a, enum mm_kind kind, uint32_t m, enum mm_order order,
                          enum mm_scope scope)
{
    event((struct mm_event){.agent = a,
                            .kind = (uint8_t)kind,
                            .allocation = m,
                            .size = 4,
                            .attributes = MM_ATOMIC,
                            .order = (uint8_t)order,
                            .scope = (uint8_t)scope});
}
static inline void store(struct mm_agent a, uint32_t m, enum mm_order order, enum mm_scope scope)
{
    atomic(a, MM_WRITE, m, order, scope);
}
static inline void load(struct mm_agent a, uint32_t m, enum mm_order order, enum mm_scope scope)
{
    atomic(a, MM_READ, m, order, scope);
}
static inline void rmw(struct mm_agent a, uint32_t m, enum mm_order order, enum mm_scope scope)
{
    atomic(a, MM_RMW, m, order, scope);
}
static inline void fence(struct mm_agent a, unsigned flags, enum mm_order order, enum mm_scope scope)
{
    event((struct mm_event){.agent = a,
                            .kind = MM_FENCE,
                            .order = (uint8_t)order,
                            .scope = (uint8_t)scope,
                            .fence_flags = (uint8_t)flags});
}
static inline void barrier_of(uint32_t first, uint32_t count, unsigned flags, enum mm_scope execution)
{
    static uint32_t instance;
    struct mm_event e = {.site = 1,
                         .instance = ++instance,
                         .order = MM_ACQ_REL,
                         .scope = (uint8_t)execution,
                         .effective_scope = (uint8_t)execution,
                         .fence_flags = (uint8_t)flags};
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < count; i++) {
            e.kind = pass ? MM_BARRIER_EXIT : MM_BARRIER_ENTRY;
            e.agent = wi(first + i);
            event(e);
        }
    }
}
static inline void barrier(uint32_t group, unsigned flags)
{
    barrier_of(group * 4, 4, flags, MM_SCOPE_WORK_GROUP);
}
static inline void edge(uint64_t from, enum mm_edge_kind kind)
{
    record((struct mm_record){.type = MM_RECORD_EDGE,
                              .edge = {.from = from, .to = next, .kind = (uint32_t)kind}});
}
static inline uint64_t call(struct mm_agent a)
{
    return event((struct mm_event){.agent = a, .kind = MM_API_CALL});
}
static inline uint64_t command(uint32_t c, enum mm_kind kind)
{
    return event((struct mm_event){.agent = {c, MM_INDEX_RUNTIME}, .kind = (uint8_t)kind});
}

static inline void allocate(uint32_t id, enum mm_region region, enum mm_origin origin, uint64_t address,
                            uint64_t size)
{
    struct mm_record r = {.type = MM_RECORD_ALLOCATION};
    r.allocation = (struct mm_allocation){.id = id,
                                          .region = (uint8_t)region,
                                          .origin = (uint8_t)origin,
                                          .address = address,
                                          .size = size,
                                          .name = "m"};
    record(r);
}

static inline void describe_command(uint32_t id, uint32_t parent, uint32_t queue)
{
    struct mm_record r = {.type = MM_RECORD_COMMAND};
    r.command = (struct mm_command){.id = id,
                                    .queue = queue,
                                    .dimensions = 1,
                                    .global_size = {16, 1, 1},
                                    .local_size = {4, 1, 1},
                                    .sub_group_size = 2,
                                    .parent = parent,
                                    .kind = "clEnqueueNDRangeKernel",
                                    .kernel = "k"};
    record(r);
}

static inline void begin_with(size_t memory_limit, uint32_t parent)
{
    ck_detector_destroy(d);
    d = ck_detector_create(
        &(struct ck_detector_options){.races = true, .memory = true, .memory_limit = memory_limit});
    ck_detector_sink(d, &sink);
    next = 0;
    line = 0;
    describe_command(1, 0, 1);
    describe_command(2, parent, 2);
    allocate(BUF, MM_GLOBAL, MM_ORIGIN_BUFFER, 0x10000, 256);
    allocate(FLAG, MM_GLOBAL, MM_ORIGIN_BUFFER, 0x20000, 256);
    allocate(SVM, MM_GLOBAL, MM_ORIGIN_FINE_SVM_ATOMICS, 0x30000, 256);
    allocate(SVMF, MM_GLOBAL, MM_ORIGIN_FINE_SVM, 0x40000, 256);
    allocate(LOC, MM_LOCAL, MM_ORIGIN_NONE, 0, 64);
    allocate(LFLAG, MM_LOCAL, MM_ORIGIN_NONE, 0, 64);
    allocate(IMG, MM_IMAGE, MM_ORIGIN_NONE, 0, 256);
    allocate(SUB, MM_GLOBAL, MM_ORIGIN_SUB_BUFFER, 0x10010, 16);
}
static inline void begin(void)
{
    begin_with(0, 0);
}

static inline void expect_clean(void)
{
    assert_int_equal(ck_detector_status(d, NULL), MM_OK);
    if (ck_detector_finding_count(d))
        print_message("# unexpected: %s\n", ck_detector_finding(d, 0)->message);
    assert_int_equal(ck_detector_finding_count(d), 0);
}

static inline const struct ck_finding *expect(const char *kind, const char *reason)
{
    assert_true(ck_detector_finding_count(d) >= 1);
    const struct ck_finding *f = ck_detector_finding(d, 0);
    assert_string_equal(f->kind, kind);
    assert_string_equal(f->clause, "CL 3.3.6 G17");
    if (reason && !strstr(f->reason, reason))
        print_message("# reason was: %s\n", f->reason);
    assert_true(!reason || strstr(f->reason, reason));
    return f;
}

static inline int finish(void **state)
{
    (void)state;
    ck_detector_destroy(d);
    d = NULL;
    return 0;
}

#endif
