/* REFCL_CHECK=api, and recorded executions: memory that the host may access only while it is mapped is
 * protected at other times. */
#ifndef REF_RUNTIME_CHECK_HOST_GUARD_H
#define REF_RUNTIME_CHECK_HOST_GUARD_H

#include "ref-runtime/runtime.h"

/* Whether memory is guarded.  If not, the functions below are not called, or ignore their pointers. */
bool rt_guard_on(void);
/* The same for coarse-grained SVM, which is guarded while an execution is recorded, too. */
bool rt_guard_svm_on(void);
/* Allocates SIZE zeroed bytes on separate pages that the host cannot access: coarse-grained SVM if SHARED,
 * otherwise the memory that maps of NAME return pointers to; MAPPED, if not NULL, becomes that memory.  NULL:
 * no memory. */
void *rt_guard_alloc(void *mapped, size_t size, bool shared, const char *name);
void rt_guard_free(void *data);
/* The host enqueues a map of [POINTER, POINTER + SIZE); the map completes; the host unmaps it.  Of several
 * maps at one address the last one counts. */
void rt_guard_map(const void *pointer, size_t size, cl_map_flags flags);
void rt_guard_mapped(const void *pointer);
void rt_guard_unmap(const void *pointer);
/* Protects SVM again whose accesses were permitted after a fault. */
void rt_guard_again(void);
/* Permit accesses of the runtime to DATA, or to all SVM if DATA is NULL, between the two calls. */
void rt_guard_begin(const void *data);
void rt_guard_end(const void *data);
/* From now on the calling thread, which runs functions of the application, may access what the application
 * may. */
void rt_guard_as_host(void);

#endif
