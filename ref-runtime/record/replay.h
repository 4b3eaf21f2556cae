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
/* Note that bytes of a copy or of SVM, or all of both, may differ from those in the trace. */
void rt_replay_changed(struct rt_recorded_contents *recorded, size_t begin, size_t end);
void rt_replay_svm_changed(const void *pointer, size_t size); /* of SVM; SIZE 0: all of the allocation */
void rt_replay_all_changed(void);
/* The host writes to SVM without maps: what it changes is not known any longer. */
void rt_replay_distrust_host(void);
/* Whether COMMAND is a launch whose changes to SVM follow from its record. */
bool rt_replay_covers(const struct rt_command *command);

#endif
