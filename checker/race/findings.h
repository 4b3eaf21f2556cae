/* The findings of a detector while it runs. */
#ifndef CHECKER_RACE_FINDINGS_H
#define CHECKER_RACE_FINDINGS_H

#include "checker/checker.h"

enum { CK_KNOWN_RACES = 16 };
/* A pair of accesses that raced before, and its finding: most races of an execution are between the same few
 * pairs (report.c). */
struct ck_known_race {
    uint32_t source, signature, allocation; /* of the later access, of the earlier one, of both */
    uint8_t kind;                           /* of the later access */
    bool scope_race;
    struct ck_finding *finding; /* NULL: no entry */
};

/* The results (report.c). */
struct ck_report {
    struct ck_finding **findings;
    size_t finding_count, dropped;
    /* number of findings that each filter hides; [CK_FILTER_NONE] is not used */
    size_t hidden[CK_FILTER_COUNT];
    bool across;                   /* there are races between commands, or with the host */
    bool has_kinds;                /* uniform writes are marked: findings have their final kinds */
    const struct ck_finding *last; /* the last finding, of agent LAST_AGENT and event LAST_EVENT */
    uint64_t last_agent;
    mm_event_id last_event;
    /* by source and signature, until a name or place is recorded */
    struct ck_known_race known[CK_KNOWN_RACES];
};

#endif
