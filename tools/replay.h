/* Executions that exploring found, carried out once more by the interpreter. */
#ifndef TOOLS_REPLAY_H
#define TOOLS_REPLAY_H

#include "tools/explore.h"

#include <cjson/cJSON.h>

enum { REPLAY_TEXT = 320 };
/* Runs the kernel that EX was lowered from in the interpreter, each read returning what EXECUTION says, and
 * compares what the work-items do: every access, fence and barrier, every value written, how each of them
 * ends, and the final state.  WHY: what was different; UNDEFINED: and values that nobody defined play a part,
 * of which the interpreter has its own. */
enum replay_result { REPLAY_SAME, REPLAY_DIFFERS, REPLAY_UNDEFINED };
enum replay_result replay_execution(struct ex *ex, const struct ck_execution *execution,
                                    char why[REPLAY_TEXT]);

/* What EXECUTION shows, in words: "out=1", "data_race", "divergence". */
void replay_describe(const struct ck_program *program, const struct ck_execution *execution,
                     char text[REPLAY_TEXT]);
cJSON *replay_json(const struct ck_program *program, const struct ck_execution *execution, bool replayed,
                   const char *why);

#endif
