/* What a library has to know of the process that it is loaded into: its forks, and whether the application
 * has threads left. */
#ifndef MEMMODEL_TRACE_PROCESS_H
#define MEMMODEL_TRACE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* The number of forks between the process that called this first and the calling one: by fork(), and by
 * clone() or its system call, which run no handlers of pthread_atfork().  The first call comes before the
 * fork. */
unsigned mm_fork_count(void);
/* For a library that handlers of fork() of another library wait for: fork() does not lock the mutexes
 * (mutex.h) of this copy, all of which are initialized again in the child.  Called before the first fork and
 * the first use of a mutex. */
void mm_fork_without_locks(void);

/* A process ends with its last thread.  The library's own threads must not outlive the application's, as
 * main() may end by pthread_exit().
 *
 * Called by an own thread; while it executes code of the application it is none. */
void mm_own_thread_begin(void);
void mm_own_thread_end(void);
/* Their number in the lower half, that of all changes in the upper one; of this copy of the library. */
uint64_t mm_own_threads(void);
/* Whether the main thread has ended, and no other thread is left than those that THREADS counts as
 * mm_own_threads does. */
bool mm_application_has_ended(uint64_t (*threads)(void));

#endif
