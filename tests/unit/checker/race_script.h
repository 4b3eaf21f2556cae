/* Handwritten executions for a detector: one launch of 16 work-items in work-groups of 4 and sub-groups of 2,
 * and a second one like it. */
#ifndef TESTS_UNIT_CHECKER_RACE_SCRIPT_H
#define TESTS_UNIT_CHECKER_RACE_SCRIPT_H

#include "execution.h"

enum { BUF = 1, FLAG, SVM, LOC, LFLAG, IMG, SVMF, SUB };
enum { NA = MM_ORDER_NONE };
static const enum mm_scope WI = MM_SCOPE_WORK_ITEM, SG = MM_SCOPE_SUB_GROUP, WG = MM_SCOPE_WORK_GROUP,
                           DEV = MM_SCOPE_DEVICE, ALL = MM_SCOPE_ALL_SVM_DEVICES;
enum { FG = MM_FENCE_GLOBAL, FL = MM_FENCE_LOCAL, FI = MM_FENCE_IMAGE };

static inline struct mm_agent wi(uint32_t i)
{
    return (struct mm_agent){1, i};
}
static inline struct mm_agent wi2(uint32_t i)
{
    return (struct mm_agent){2, i};
}
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
/* One half of a barrier, for COUNT work-items from FIRST on. */
static inline void half_barrier(enum mm_kind kind, uint32_t instance, uint32_t first, uint32_t count,
                                unsigned flags, enum mm_scope execution)
{
    for (uint32_t i = 0; i < count; i++)
        event((struct mm_event){.agent = wi(first + i),
                                .kind = (uint8_t)kind,
                                .site = 1,
                                .instance = instance,
                                .order = MM_ACQ_REL,
                                .scope = (uint8_t)execution,
                                .effective_scope = (uint8_t)execution,
                                .fence_flags = (uint8_t)flags});
}
static inline void barrier_of(uint32_t first, uint32_t count, unsigned flags, enum mm_scope execution)
{
    static uint32_t instance;
    instance++;
    half_barrier(MM_BARRIER_ENTRY, instance, first, count, flags, execution);
    half_barrier(MM_BARRIER_EXIT, instance, first, count, flags, execution);
}
static inline void barrier(uint32_t group, unsigned flags)
{
    barrier_of(group * 4, 4, flags, MM_SCOPE_WORK_GROUP);
}
static enum mm_revision revision;
static inline void begin_with(size_t memory_limit, uint32_t parent)
{
    ck_detector_destroy(d);
    d = ck_detector_create(&(struct ck_detector_options){
        .races = true, .memory = true, .memory_limit = memory_limit, .revision = revision});
    ck_detector_sink(d, &sink);
    next = 0;
    line = 0;
    describe_command(1, 0, 1, 16);
    describe_command(2, parent, 2, 16);
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
