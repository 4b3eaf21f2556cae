/* Counts of the instances of a finding by work-group and block of elements (struct ck_heat). */
#ifndef CHECKER_RACE_HEAT_H
#define CHECKER_RACE_HEAT_H

#include "checker/checker.h"

enum { CK_GROUP_IDS = 64 };
struct ck_group_id {          /* group id of a work-group, computed once for many instances of findings */
    uint32_t command, linear; /* 0: none yet */
    uint64_t group[3];
};

/* Initializes the counts of FINDING.  Elements are those of ARGUMENT; if it is NULL those of the memory
 * object, or bytes if its element type is unknown. */
void ck_heat_begin(struct ck_finding *finding, const struct mm_argument *argument);
/* Counts an instance at byte OFFSET of the memory object for the work-groups of the COUNT (1 or 2) agents;
 * two of one work-group count once.  Without memory the counts are left out. */
void ck_heat_add(struct ck_detector *d, struct ck_finding *finding, const struct mm_agent *agents,
                 size_t count, uint64_t offset);
/* Adds the counts of FROM, another process's finding of the same defect; those of elements of another size
 * are left out. */
void ck_heat_merge(struct ck_detector *d, struct ck_heat *into, const struct ck_heat *from);

#endif
