/* The reading end of the trace of a process: waits only while more input is possible. */
#ifndef TOOLS_SESSION_INPUT_H
#define TOOLS_SESSION_INPUT_H

#include "memmodel/memmodel.h"

#include <stdatomic.h>
#include <sys/types.h>

struct mm_ring;
struct session_input {
    int fd;
    struct mm_ring *ring; /* NULL: input comes from FD */
    int pause;            /* milliseconds before an empty ring is read again */
    unsigned char *batch; /* SIZE bytes of input, of which USED were consumed; NULL: none */
    size_t batch_used, batch_size;
    const atomic_bool *ended; /* set once the session's command has ended */
    int copy;                 /* descriptor of a file to which the input is copied, -1: none */
    uint64_t copied, copy_limit;
    void (*idle)(void *context); /* called from time to time while there is no input; may be NULL */
    void *idle_context;
    bool abandoned; /* the command ended, but something keeps its connection open without writing to it */
};
/* An mm_trace_input over a struct session_input. */
long session_input_read(void *context, void *out, size_t size);
void session_input_close(struct session_input *input);
/* The copy is not needed any more; there may be none. */
void session_input_drop_copy(struct session_input *input);
/* Passes SIGINT, SIGTERM and SIGHUP on to CHILD (0: it does not run), so that it ends and the findings so far
 * are reported. */
void session_input_signals(pid_t child);
/* Kills a command that still runs SESSION_GRACE_SECONDS after a passed-on SIGTERM or SIGHUP; true if it
 * did. */
enum { SESSION_GRACE_SECONDS = 5 };
bool session_input_kill_late(void);
void session_input_signals_off(void);
/* Whether SIGINT came while a command was running. */
bool session_input_interrupted(void);

#endif
