/* REFCL_CHECK=api, and recorded executions: memory that the host may use only while it is mapped is out of
 * its reach at other times. */
#ifndef RT_HOST_GUARD_H
#define RT_HOST_GUARD_H

#include "ref-runtime/runtime.h"

/* Whether memory is guarded.  If not, nothing below is called, except that unknown pointers are ignored. */
bool rt_guard_on(void);
/* The same for coarse-grained SVM, which is guarded while an execution is recorded, too. */
bool rt_guard_svm_on(void);
/* SIZE zeroed bytes on separate pages, which the host cannot access; SHARED: coarse-grained SVM, else what
 * maps of NAME show.  NULL: no memory. */
void *rt_guard_alloc(size_t size, bool shared, const char *name);
void rt_guard_free(void *data);
/* The host asks for a map of [POINTER, POINTER + SIZE); the map is complete; the host unmaps it.  The
 * last one of several at one place counts. */
void rt_guard_map(const void *pointer, size_t size, cl_map_flags flags);
void rt_guard_mapped(const void *pointer);
void rt_guard_unmap(const void *pointer);
/* In between the runtime itself uses DATA, or if that is NULL all SVM. */
void rt_guard_begin(const void *data);
void rt_guard_end(const void *data);
/* The calling thread runs functions of the application. */
void rt_guard_as_host(void);

#endif
