/* Application callbacks: registered ones and the thread that calls them. */
#ifndef REF_RUNTIME_CALLBACK_H
#define REF_RUNTIME_CALLBACK_H

#include "ref-runtime/runtime.h"

/* A destructor callback of a context, memory object or program. */
struct rt_callback {
    struct rt_callback *next;
    void(CL_CALLBACK *context_function)(cl_context, void *);
    void(CL_CALLBACK *mem_function)(cl_mem, void *);
    void(CL_CALLBACK *program_function)(cl_program, void *);
    void *data;
};

/* Puts a copy of CALLBACK in front of LIST. */
cl_int rt_callback_add(struct rt_callback **list, const struct rt_callback *callback);
/* As rt_callback_post(), from a scheduling step: the callback may begin up to 50 microseconds later, unless
 * rt_callback_wake() is called before, as at the end of the last step. */
bool rt_callback_post_in_step(void (*function)(void *data), void *data);
void rt_callback_wake(void);
/* Delays the caller while the queue of the callback thread is long. */
void rt_callback_throttle(void);
/* In a child, right after fork(). */
void rt_callback_forked(void);
/* Whether callbacks are pending. */
bool rt_callback_pending(void);

#endif
