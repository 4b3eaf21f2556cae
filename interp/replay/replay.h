/* Launches that are recorded by what they need to be executed again, in place of their events.
 *
 * Compiled code that found nothing to report has done what the interpreter would have done: the events of
 * such a launch follow from module, kernel, arguments, sizes and the memory that it began with.  A trace then
 * holds the module once (MM_RECORD_PROGRAM), memory where it does not follow from what came before
 * (MM_RECORD_CONTENT), and the launch (MM_RECORD_REPLAY); expand.h makes events of these again. */
#ifndef INTERP_REPLAY_H
#define INTERP_REPLAY_H

#include "interp/interp.h"

/* Whether what KERNEL of INSTANCE does is the same wherever memory lies, and the module, of SIZE bytes, is
 * not too large for a trace. */
bool in_replay_possible(const struct in_instance *instance, size_t kernel, size_t size);
/* RUN, which compiled code executed to its end, goes into the trace; SPIRV and OPTIONS are what its module
 * was made of. */
void in_replay_record(const struct in_run *run, const void *spirv, size_t size,
                      const struct in_module_options *options);

/* ---- shared with expand*.c ------------------------------------------------------------------- */

enum {
    IN_REPLAY_FORMAT = 2,
    IN_REPLAY_SUBSCRIPTS = 1, /* of programs: struct in_module_options */
    IN_REPLAY_LITERAL_LEGACY = 2,
    IN_REPLAY_CHECKS = 1,    /* of launches */
    IN_REPLAY_READ_ONLY = 1, /* of pointers */
    IN_REPLAY_WRITE_ONLY = 2
};
enum in_replay_kind { IN_REPLAY_VALUE, IN_REPLAY_POINTER, IN_REPLAY_NULL, IN_REPLAY_LOCAL };
/* A number that depends on what LAUNCH's arguments point to, on some of it where that is much. */
uint64_t in_replay_sample(const struct in_launch *launch, const struct in_kernel_info *info);

#endif
