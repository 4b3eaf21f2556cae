/* A schedule as the record of an execution. */
#ifndef TOOLS_COMMANDS_REPLAY_H
#define TOOLS_COMMANDS_REPLAY_H

#include "tools/commands/record.h"

/* Adds EDGE; false: out of memory. */
bool hc_schedule_add(struct hc_schedule *schedule, const struct hc_edge *edge);
/* Sends DETECTOR, which has all records but events and edges, an interleaving of SCHEDULE with an access for
 * each member of each cell. */
void hc_replay(struct hc_record *record, const struct hc_schedule *schedule, struct ck_detector *detector);

#endif
