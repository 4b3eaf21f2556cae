/* The reason of a race under construction: reason.c, and reason_atomics.c for atomics and fences. */
#ifndef CHECKER_RACE_REASON_H
#define CHECKER_RACE_REASON_H

#include "checker/race/race.h"

/* A reason, and the smallest change that removes it where there is one. */
struct ck_reason {
    struct ck_detector *d;
    enum ck_region region;
    uint64_t later;
    uint32_t later_source, allocation;
    const struct ck_access_record *earlier;
    char text[600], fix[600];
    struct ck_change change;
    /* Whether the later and the earlier access are by asynchronous copies; the agent is then a caller. */
    bool copies[2];
};

/* Writes FILE:LINE to BUF and returns it. */
const char *ck_reason_location(struct ck_detector *d, uint32_t source, char *buf, size_t size);
const char *ck_reason_region(enum ck_region region);
const char *ck_reason_scope(unsigned scope);
/* Why two work-items share no instance of SCOPE. */
const char *ck_reason_apart(unsigned scope);
const struct ck_signature *ck_reason_earlier(const struct ck_reason *r);
/* Advises to give the two WHATs a scope that includes both agents. */
void ck_reason_advise_scope(struct ck_reason *r, const char *what, uint32_t first, uint32_t second);
/* The memory that FLAGS fence, as in "fences local memory only". */
const char *ck_reason_fenced(unsigned flags);
/* The name of a region's flag. */
const char *ck_reason_flag(enum ck_region region);
/* True if an atomic read that could have ordered the accesses does not: then R says why. */
bool ck_reason_from_atomics(struct ck_reason *r);

#endif
