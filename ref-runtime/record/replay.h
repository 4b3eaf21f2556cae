/* Launches in traces that are to be executed again instead of being recorded event by event
 * (interp/replay/replay.h). */
#ifndef REF_RUNTIME_RECORD_REPLAY_H
#define REF_RUNTIME_RECORD_REPLAY_H

#include "ref-runtime/enqueue/launch.h"

/* Whether the trace may have such launches, and whether LAUNCH may be one: nothing but module, arguments and
 * buffers says what it does. */
bool rt_replay_on(void);
bool rt_replay_allows(const struct rt_launch *launch);
/* Before the first step of K's run: records the contents of its memory that the trace does not have yet. */
void rt_replay_begin(const struct rt_command *command, struct rt_kernel_command *k);
/* The run has ended; WELL: without an error. */
void rt_replay_end(const struct rt_command *command, struct rt_kernel_command *k, bool well);
/* Notes that bytes of COPY, or of any copy, may differ from those in the trace. */
void rt_replay_changed(struct rt_copy *copy, size_t begin, size_t end);
void rt_replay_all_changed(void);

#endif
