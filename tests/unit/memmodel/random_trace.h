/* Pseudorandom events, and files for their traces. */
#ifndef TESTS_UNIT_MEMMODEL_RANDOM_TRACE_H
#define TESTS_UNIT_MEMMODEL_RANDOM_TRACE_H
#include "memmodel/memmodel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t random_state = 1;
static inline uint64_t rnd(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* The descriptor of an empty file without a name. */
static inline int temporary(void)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    int fd = dup(fileno(file));
    fclose(file);
    assert_true(fd >= 0);
    return fd;
}

static inline struct mm_event random_event(void)
{
    struct mm_event e;
    memset(&e, 0, sizeof e);
    bool plain = rnd() % 4 != 0;
    e.kind = plain ? (uint8_t)(MM_READ + rnd() % 2) : (uint8_t)(rnd() % MM_KIND_COUNT);
    e.order = plain ? 0 : (uint8_t)(rnd() % MM_ORDER_COUNT);
    e.scope = (uint8_t)(rnd() % MM_SCOPE_COUNT);
    e.effective_scope = (uint8_t)(rnd() % MM_SCOPE_COUNT);
    e.fence_flags = (uint8_t)(rnd() % 8);
    e.attributes = (uint8_t)(rnd() % 256);
    e.semantics = (uint16_t)(rnd() % 3 ? 0 : rnd());
    e.agent.command = (uint32_t)(rnd() % 3);
    e.agent.index = rnd() % 50 ? (uint32_t)(rnd() % 1000) : MM_INDEX_RUNTIME;
    e.allocation = (uint32_t)(rnd() % 5);
    e.size = rnd() % 100 ? 4 : (uint32_t)rnd();
    e.source = rnd() % 100 ? (uint32_t)(rnd() % 80) : (uint32_t)rnd();
    e.offset = rnd() % 100 ? rnd() % 4096 : rnd() >> 1;
    e.value_read = rnd() % 3 ? rnd() >> rnd() % 64 : 0;
    e.value_written = rnd() % 3 ? rnd() >> rnd() % 64 : 0;
    e.site = (uint32_t)(rnd() % 3);
    e.instance = rnd() % 50 ? (uint32_t)(rnd() % 3) : (uint32_t)rnd();
    return e;
}

#endif
