/* Executions written by hand, record by record, for a detector. */
#ifndef TESTS_LIB_EXECUTION_H
#define TESTS_LIB_EXECUTION_H

#include "checker/checker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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
    line++;
    place.source =
        (struct mm_source){.id = line, .line = line, .file = "k.cl", .function = "f", .opcode = ""};
    record(place);
    e.source = line;
    record((struct mm_record){.type = MM_RECORD_EVENT, .event = e});
    return next++;
}

static const struct mm_agent host = {0, 0}, host1 = {0, 1};

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
static inline void describe_command(uint32_t id, uint32_t parent, uint32_t queue, uint64_t items)
{
    struct mm_record r = {.type = MM_RECORD_COMMAND};
    r.command = (struct mm_command){.id = id,
                                    .queue = queue,
                                    .dimensions = 1,
                                    .global_size = {items, 1, 1},
                                    .local_size = {4, 1, 1},
                                    .sub_group_size = 2,
                                    .parent = parent,
                                    .kind = "clEnqueueNDRangeKernel",
                                    .kernel = "k"};
    record(r);
}

#endif
