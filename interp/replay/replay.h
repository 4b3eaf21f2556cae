/* Recording a launch for re-execution instead of recording its events (docs/reexecution.md).
 *
 * An instrumented launch in which compiled code found nothing to report behaves as in the interpreter: its
 * events follow from module, kernel, arguments, sizes and the initial contents of memory.  A trace then holds
 * the module once (MM_RECORD_PROGRAM), contents of memory that do not follow from earlier records
 * (MM_RECORD_CONTENT), and the launch (MM_RECORD_REPLAY); expand.h reconstructs the events. */
#ifndef INTERP_REPLAY_REPLAY_H
#define INTERP_REPLAY_REPLAY_H

#include "interp/interp.h"

/* How the behavior of a kernel depends on addresses, and what re-execution needs beside the contents of its
 * arguments. */
enum in_replay_class {
    IN_REPLAY_NEVER = 1,   /* in other ways, or its module does not fit in a trace */
    IN_REPLAY_ALWAYS,      /* not at all */
    IN_REPLAY_FOLLOWS_SVM, /* it follows pointers that memory has: all SVM, at the same addresses */
    IN_REPLAY_KEEPS_SVM    /* and puts pointers in memory or computes with them: no global memory but SVM */
};
/* That of KERNEL of INSTANCE, whose module has SIZE bytes. */
enum in_replay_class in_replay_class(const struct in_instance *instance, size_t kernel, size_t size);
/* Bytes of variables that in_replay_begin would record for INSTANCE. */
uint64_t in_replay_unrecorded_bytes(const struct in_instance *instance, unsigned generation);
/* Whether the module of RUN is recorded. */
bool in_replay_has_program(const struct in_run *run);
/* Records it: SIZE bytes at SPIRV, from which it was created with OPTIONS. */
void in_replay_program(const struct in_run *run, const void *spirv, size_t size,
                       const struct in_module_options *options);
/* Before RUN: records the contents of its module's variables in global memory. Those follow from earlier
 * records while GENERATION, which launches that are not re-executed increase, remains the same. */
void in_replay_begin(const struct in_run *run, unsigned generation);
/* Records RUN, which compiled code has completed; its module has SIZE bytes. */
void in_replay_record(const struct in_run *run, size_t size);

/* ---- shared with expand*.c ------------------------------------------------------------------- */

enum {
    IN_REPLAY_FORMAT = 6,
    IN_REPLAY_NUMBER = 10,    /* most bytes of a number */
    IN_REPLAY_SUBSCRIPTS = 1, /* flags of programs: struct in_module_options */
    IN_REPLAY_LITERAL_LEGACY = 2,
    IN_REPLAY_ZERO_PRIVATE = 4,
    IN_REPLAY_CHECKS = 1, /* of launches */
    IN_REPLAY_ZERO_LOCAL = 2,
    IN_REPLAY_FOLLOWS = 4,
    IN_REPLAY_READ_ONLY = 1, /* of pointers */
    IN_REPLAY_WRITE_ONLY = 2
};
enum in_replay_kind {
    IN_REPLAY_VALUE,
    IN_REPLAY_POINTER,
    IN_REPLAY_NULL,
    IN_REPLAY_LOCAL,
    IN_REPLAY_IMAGE,
    IN_REPLAY_SAMPLER
};
/* Checksum of the buffers and images among LAUNCH's arguments that it may write; large ones are sampled. */
uint64_t in_replay_sample(const struct in_launch *launch, const struct in_kernel_info *info);

#endif
